/* The tapped delay line of a link: excess delays and powers for link simulators (3GPP TR 38.901 section 7.7.2 gives its
 * models in this form). Each tap gathers what the profile holds between two of its minima, so that no power over the
 * threshold is lost and the window does not widen the line as it widens the profile. Phases and fading of the taps are
 * left to the simulator. */
#include "channel/export/channel_files.h"
#include "file/atomic_file.h"

#include <math.h>

int channel_taps(const struct channel_link *link, struct channel_tap *taps, int limit)
{
    const struct channel_band *band = &link->band;
    const double *power = link->channel.power;
    int count = 0, n = 0, taps_end = band->tap_count;
    double total = 0.0;
    for (int k = 0; k < taps_end; k++) {
        total += power[k] >= link->delays.threshold ? power[k] : 0.0;
    }
    while (n < taps_end) {
        if (!(power[n] >= link->delays.threshold)) {
            n++;
            continue;
        }
        /* Up a slope and down again; the bin of the minimum belongs to what follows. */
        double sum = 0.0, moment = 0.0;
        bool falling = false;
        for (int first = n; n < taps_end && power[n] >= link->delays.threshold; n++) {
            if (n > first && power[n] > power[n - 1] && falling) {
                break;
            }
            falling = n > first && power[n] < power[n - 1];
            sum += power[n];
            moment += power[n] * channel_delay(band, n);
        }
        if (count < limit) {
            taps[count] = (struct channel_tap){.delay = moment / sum, .power = sum / total};
        }
        count++;
    }
    return count;
}

pw_status channel_write_tapped_delay_line(const struct channel_link *link, const char *path, pw_error *error)
{
    struct channel_tap taps[PATH_LIMIT];
    int count = channel_taps(link, taps, PATH_LIMIT);
    count = count < PATH_LIMIT ? count : PATH_LIMIT;
    FILE *file = disk_create(path, error);
    if (file == NULL) {
        return PW_NO_RESOURCE;
    }
    channel_text_head(file, "#", link, "tapped delay line");
    fprintf(
        file,
        "# each tap: the power-delay profile between two minima, over the threshold of %.4f dB; delay: its centroid\n"
        "# excess_delay_s counts from the first tap at %.9g s since emission; power_dB is a share: all taps together 0 "
        "dB\n"
        "# path gain of the whole: %.4f dB relative to free space at 1 m; received power %.4f dBm\n"
        "# from 2D to 3D: %s\n"
        "tap,excess_delay_s,power_dB\n",
        10.0 * log10(link->delays.threshold), count > 0 ? taps[0].delay : NAN, link->metrics.path_gain_db,
        link->metrics.received_power_dbm, channel_spreading_text(link->band.options.spreading));
    for (int n = 0; n < count; n++) {
        fprintf(file, "%d,%.9g,%.6f\n", n + 1, taps[n].delay - taps[0].delay, 10.0 * log10(taps[n].power));
    }
    return disk_finish(file, path, error);
}
