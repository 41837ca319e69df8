/* The impulse response of a link as CSV. */
#include "channel/export/exporter.h"

#include "channel/export/export_text.h"

#include <math.h>

static void file_print(const struct channel_link *link, FILE *file)
{
    fprintf(
        file,
        "# h(tau) = 1/M sum W(f) G(f) exp(j 2 pi (f - fc) tau) exp(-j 2 pi f 1 m/c), fc = %.12g Hz: complex baseband,\n"
        "# relative to free space at 1 m\n",
        link->band.centre);
    export_impulse_head(file, link);
    fprintf(file, "delay_s,h_re,h_im,power_dB\n");
    for (int n = 0; n < link->band.tap_count; n++) {
        double re, im, solved = channel_delay(&link->band, n);
        channel_coefficient(&link->band, &link->channel, n, solved, &re, &im);
        pw_csv_write(file, "%.9g,%.9g,%.9g,%.4f\n", channel_arrival(&link->channel, solved), re, im,
                     20.0 * log10(hypot(re, im)));
    }
}

const struct exporter exporter_impulse = {.name = "impulse",
                                          .file = "impulse_response.csv",
                                          .description = "impulse response in complex baseband, CSV",
                                          .title = "impulse response",
                                          .print = file_print};
