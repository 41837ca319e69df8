/* A link as the scattering parameters of a two-port: Touchstone 1. */
#include "channel/export/exporter.h"

#include "channel/export/export_text.h"

#include <math.h>

static void file_print(const struct channel_link *link, FILE *file)
{
    char step[HEIGHTS_TEXT];
    fprintf(file,
            "! S21 = S12 (reciprocity) = transfer function between isotropic antennas: the channel relative to free "
            "space at 1 m,\n"
            "!     times c/(4 pi f 1 m); free space at 1 m reads %.2f dB at the middle of the band. No EIRP, no "
            "antenna gain.\n"
            "!     Phase: exp(-j 2 pi f distance/c) for the direct path. S11 = S22 = 0.\n"
            "! from 2D to 3D: %s\n"
            "! port 1: transmitter, port 2: receiver. Columns: f S11 S21 S12 S22, each re im. Masked frequencies are "
            "left out.\n"
            "# Hz S RI R 50\n",
            20.0 * log10(link->free_space_1_m), link_spreading_text(link, step));
    for (int f = 0; f < link->band.frequency_count; f++) {
        double re, im, frequency = link->band.frequency[f], scale = link->band.centre / frequency;
        if (!link->band.usable[f]) {
            continue;
        }
        link_response(link, f, &re, &im); /* with c/(4 pi fc 1 m) */
        fprintf(file, "%.12g 0 0 %.9g %.9g %.9g %.9g 0 0\n", frequency, scale * re, scale * im, scale * re, scale * im);
    }
}

const struct exporter exporter_touchstone = {.name = "touchstone",
                                             .file = "channel.s2p",
                                             .description = "two-port for circuit simulators, Touchstone",
                                             .title = "channel as a two-port",
                                             .mark = "!",
                                             .print = file_print};
