/* The power-delay profile of a link as CSV. */
#include "channel/export/exporter.h"

#include "channel/export/export_text.h"

#include <math.h>

static void file_print(const struct channel_link *link, FILE *file)
{
    const struct channel_delays *delays = &link->delays;
    export_impulse_head(file, link);
    fprintf(file,
            "# power |h|^2 relative to free space at 1 m; excess delay counts from the first arrival at %.9g s\n"
            "# noise floor %.4f dB (median of the last quarter), threshold %.4f dB\n"
            "delay_s,excess_delay_s,power,power_dB,over_threshold\n",
            delays->first_arrival, 10.0 * log10(delays->noise_floor), 10.0 * log10(delays->threshold));
    for (int n = 0; n < link->band.tap_count; n++) {
        double delay = channel_arrival(&link->channel, channel_delay(&link->band, n)), power = link->channel.power[n];
        pw_csv_write(file, "%.9g,%.9g,%.9g,%.4f,%d\n", delay, delay - delays->first_arrival, power, 10.0 * log10(power),
                     power >= delays->threshold);
    }
}

const struct exporter exporter_profile = {.name = "profile",
                                          .file = "power_delay_profile.csv",
                                          .description = "power-delay profile, noise floor and threshold, CSV",
                                          .title = "power-delay profile",
                                          .print = file_print};
