/* The tapped delay line of a link: excess delays and powers for link simulators (3GPP TR 38.901 section 7.7.2 gives its
 * models in this form). Each tap gathers what the profile holds between two of its minima, so that no power over the
 * threshold is lost and the window does not widen the line as it widens the profile. Phases and fading of the taps are
 * left to the simulator. */
#include "channel/export/exporter.h"

#include "channel/export/export_text.h"
#include "channel/taps.h"

#include <math.h>

static void file_print(const struct channel_link *link, FILE *file)
{
    char step[HEIGHTS_TEXT];
    struct channel_tap taps[LINK_PATH_LIMIT];
    int count = channel_taps(link, taps, LINK_PATH_LIMIT);
    count = count < LINK_PATH_LIMIT ? count : LINK_PATH_LIMIT;
    fprintf(
        file,
        "# each tap: the power-delay profile between two minima, above the threshold of %.4f dB; delay: its centroid\n"
        "# excess_delay_s counts from the first tap at %.9g s since emission; power_dB is a share: all taps together 0 "
        "dB\n"
        "# path gain of the whole: %.4f dB relative to free space at 1 m; received power %.4f dBm\n"
        "# from 2D to 3D: %s\n"
        "tap,excess_delay_s,power_dB\n",
        10.0 * log10(link->delays.threshold), count > 0 ? taps[0].delay : NAN, link->metrics.path_gain_db,
        link->metrics.received_power_dbm, link_spreading_text(link, step));
    for (int n = 0; n < count; n++) {
        pw_csv_write(file, "%d,%.9g,%.6f\n", n + 1, taps[n].delay - taps[0].delay, 10.0 * log10(taps[n].power));
    }
}

const struct exporter exporter_taps = {.name = "taps",
                                       .file = "tapped_delay_line.csv",
                                       .description = "tapped delay line for link simulators, CSV",
                                       .title = "tapped delay line",
                                       .print = file_print};
