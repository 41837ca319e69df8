/* Antennas in the summary of a result (antenna_info.h). */
#include "result/antenna/antenna_info.h"

#include "base/file/json.h"

#include <math.h>
#include <string.h>

static const double DEGREE = M_PI / 180;

void antenna_print(const struct antenna *antenna, FILE *stream)
{
    if (antenna->kind != ANTENNA_PATTERN) {
        fprintf(stream, "%s dipole", antenna->kind == ANTENNA_HALF_WAVE ? "half-wave" : "Hertzian");
        return;
    }
    fprintf(stream, "pattern '%s', bearing %g deg, downtilt %g deg", antenna->pattern->name, antenna->bearing / DEGREE,
            antenna->downtilt / DEGREE);
}

void antenna_print_transmitter(const struct result *result, const struct result_transmitter *transmitter, FILE *stream)
{
    if (!result_is_vector(result) && transmitter->antenna.kind != ANTENNA_ISOTROPIC) {
        fprintf(stream, "  %-14s ", "");
        antenna_print(&transmitter->antenna, stream);
        fputc('\n', stream);
    }
    if (!isnan(transmitter->conducted)) {
        fprintf(stream, "  %-14s EIRP %g dBm = %g dBm conducted + %.2f dBi\n", "", transmitter->power,
                transmitter->conducted, transmitter->power - transmitter->conducted);
    }
    if (transmitter->channel.number > 0) {
        char channel[PW_WIFI_TEXT];
        fprintf(stream, "  %-14s channel %s\n", "", pw_wifi_channel_text(&transmitter->channel, channel));
    }
    if (!isnan(transmitter->pattern_error)) {
        fprintf(stream, "  %-14s pattern radiated within %.2f dB down to -15 dB\n", "", transmitter->pattern_error);
    }
}

void antenna_json_transmitter(const struct result_transmitter *transmitter, FILE *stream)
{
    if (transmitter->antenna_word[0] != '\0') {
        pw_json_write(stream, ", \"antenna\": %s", transmitter->antenna_word);
    }
    if (transmitter->antenna.kind == ANTENNA_PATTERN) {
        pw_json_write(stream, ", \"pattern\": %s, \"bearing\": %g, \"downtilt\": %g",
                      transmitter->antenna.pattern->name, transmitter->antenna.bearing, transmitter->antenna.downtilt);
    }
    if (transmitter->channel.number > 0) {
        pw_json_write(stream, ", \"channel\": %d, \"channel_width\": %g", transmitter->channel.number,
                      transmitter->channel.width);
    }
    if (!isnan(transmitter->conducted)) {
        pw_json_write(stream, ", \"conducted_power\": %g", transmitter->conducted);
    }
    if (!isnan(transmitter->pattern_error)) {
        pw_json_write(stream, ", \"pattern_error\": %g", transmitter->pattern_error);
    }
}
