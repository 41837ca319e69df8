/* The transfer function of a link as CSV. */
#include "channel/export/exporter.h"

#include "base/file/atomic_file.h"
#include "channel/export/export_text.h"

#include <math.h>

/* What G is (physics.md sections 6, 9 and 11): in three dimensions of a dipole's moment, in two of a line current. */
static const char *definition(const struct result *result)
{
    if (result->dimensions == 3) {
        return "G(f) = E(f)/(I(f) Hfs(f)), I of the current's moment, Hfs = -j w mu0 exp(-j k 1 m)/(4 pi 1 m): "
               "relative to "
               "free space at 1 m, broadside";
    }
    return result->horizontal
               ? "G(f) = F(f)/(I(f) Hfs(f)), F the field above, Hfs = -(w mu0/4) H0^(2)(k 1 m): relative "
                 "to free space at 1 m in two dimensions"
               : "G(f) = Ez(f)/(I(f) Hfs(f)), Hfs = -(w mu0/4) H0^(2)(k 1 m): relative to free space at "
                 "1 m in two dimensions";
}

static pw_status file_write(const struct channel_link *link, const char *path, pw_error *error)
{
    FILE *file = disk_create(path, error);
    if (file == NULL) {
        return PW_NO_RESOURCE;
    }
    export_text_head(file, "#", link, "transfer function");
    fprintf(file,
            "# %s\n"
            "# usable 0: masked, because the transmitter's current is more than 40 dB below its peak there\n"
            "frequency_Hz,G_re,G_im,G_dB,usable\n",
            definition(link->result));
    for (int f = 0; f < link->band.frequency_count; f++) {
        double re = link->channel.transfer[2 * f], im = link->channel.transfer[2 * f + 1];
        if (link->band.usable[f]) {
            fprintf(file, "%.12g,%.9g,%.9g,%.6f,1\n", link->band.frequency[f], re, im, 20.0 * log10(hypot(re, im)));
        } else {
            fprintf(file, "%.12g,nan,nan,nan,0\n", link->band.frequency[f]);
        }
    }
    return disk_finish(file, path, error);
}

const struct exporter exporter_transfer = {"transfer", "transfer_function.csv",
                                           "transfer function at every frequency, CSV", file_write};
