/* The impulse response of a link as CSV. */
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
    export_text_head(file, "#", link, "impulse response");
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
        fprintf(file, "%.9g,%.9g,%.9g,%.4f\n", channel_arrival(&link->channel, solved), re, im,
                20.0 * log10(hypot(re, im)));
    }
    return disk_finish(file, path, error);
}

const struct exporter exporter_impulse = {"impulse", "impulse_response.csv",
                                          "impulse response in complex baseband, CSV", file_write};
