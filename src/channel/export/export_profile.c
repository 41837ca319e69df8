/* The power-delay profile of a link as CSV. */
#include "channel/export/exporter.h"

#include "base/file/atomic_file.h"
#include "channel/export/export_text.h"

#include <math.h>

static pw_status file_write(const struct channel_link *link, const char *path, pw_error *error)
{
    FILE *file = disk_create(path, error);
    if (file == NULL) {
        return PW_NO_RESOURCE;
    }
    const struct channel_delays *delays = &link->delays;
    export_text_head(file, "#", link, "power-delay profile");
    export_impulse_head(file, link);
    fprintf(file,
            "# power |h|^2 relative to free space at 1 m; excess delay counts from the first arrival at %.9g s\n"
            "# noise floor %.4f dB (median of the last quarter), threshold %.4f dB\n"
            "delay_s,excess_delay_s,power,power_dB,over_threshold\n",
            delays->first_arrival, 10.0 * log10(delays->noise_floor), 10.0 * log10(delays->threshold));
    for (int n = 0; n < link->band.tap_count; n++) {
        double delay = channel_arrival(&link->channel, channel_delay(&link->band, n)), power = link->channel.power[n];
        fprintf(file, "%.9g,%.9g,%.9g,%.4f,%d\n", delay, delay - delays->first_arrival, power, 10.0 * log10(power),
                power >= delays->threshold);
    }
    return disk_finish(file, path, error);
}

const struct exporter exporter_profile = {"profile", "power_delay_profile.csv",
                                          "power-delay profile, noise floor and threshold, CSV", file_write};
