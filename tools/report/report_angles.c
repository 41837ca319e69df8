/* Angles for the page, of arrival and, where they are known, of departure: of the receivers of the scenario in two
 * dimensions, from the public interface. Those of any point under the mouse would want the complex field of the whole
 * floor in the page. */
#include "report/report.h"

#include <math.h>

/* Decibels under the largest value that the page draws. */
enum { LEAST_LEVEL = 40 };

/* Azimuth [degrees] and power [dB] of each. */
static void peaks_write(FILE *json, const char *name, const pw_angles *angles)
{
    fprintf(json, ",\"%s\":[", name);
    for (int n = 0; n < angles->peak_count; n++) {
        fprintf(json, "%s[%.1f,%.1f]", n > 0 ? "," : "", angles->peak_azimuth[n], 10 * log10(angles->peak_power[n]));
    }
    fputc(']', json);
}

static void angles_write(FILE *json, const pw_angles *angles, const double power[PW_AZIMUTHS])
{
    double most = 0;
    for (int n = 0; n < PW_AZIMUTHS; n++) {
        most = fmax(most, power[n]);
    }
    pw_json_write(json, "\"reason\":%s", angles->reason); /* why there are none; "" where there are some */
    if (!angles->known || !(most > 0)) {
        return;
    }
    pw_json_write(json, ",\"beam\":%g,\"residual\":%g", angles->beam_width, angles->residual);
    peaks_write(json, "peaks", angles);
    fputs(",\"under\":[", json);
    for (int n = 0; n < PW_AZIMUTHS; n++) {
        double under = power[n] > 0 ? -10 * log10(power[n] / most) : LEAST_LEVEL;
        fprintf(json, "%s%.0f", n > 0 ? "," : "", fmin(under, LEAST_LEVEL));
    }
    fputc(']', json);
}

void report_json_angles(FILE *json, const pw_result *result, const char *transmitter, const char *receiver,
                        const pw_channel_options *options)
{
    pw_channel *channel = NULL;
    pw_angles angles, departures;
    double power[PW_AZIMUTHS];
    pw_error error = {""};
    pw_status status = pw_channel_create(result, transmitter, receiver, NULL, options, &channel, &error);
    THEN(status, pw_channel_angles(channel, PW_END_RECEIVER, &angles, power, &error));
    THEN(status, pw_channel_angles(channel, PW_END_TRANSMITTER, &departures, NULL, &error));
    fputs(",\"angles\":{", json);
    if (status == PW_OK) {
        angles_write(json, &angles, power);
        if (departures.known) {
            peaks_write(json, "departures", &departures);
        }
    } else {
        pw_json_write(json, "\"reason\":%s", error.message);
    }
    fputc('}', json);
    pw_channel_free(channel);
}
