/* The transfer function of a link as CSV. */
#include "channel/export/exporter.h"

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

static void file_print(const struct channel_link *link, FILE *file)
{
    fprintf(file,
            "# %s\n"
            "# usable 0: masked, because the transmitter's current is more than 40 dB below its peak there\n"
            "frequency_Hz,G_re,G_im,G_dB,usable\n",
            definition(link->result));
    for (int f = 0; f < link->band.frequency_count; f++) {
        bool usable = link->band.usable[f];
        double re = usable ? link->channel.transfer[2 * f] : NAN, im = usable ? link->channel.transfer[2 * f + 1] : NAN;
        pw_csv_write(file, "%.12g,%.9g,%.9g,%.6f,%d\n", link->band.frequency[f], re, im, 20.0 * log10(hypot(re, im)),
                     usable);
    }
}

const struct exporter exporter_transfer = {.name = "transfer",
                                           .file = "transfer_function.csv",
                                           .description = "transfer function at every frequency, CSV",
                                           .title = "transfer function",
                                           .print = file_print};
