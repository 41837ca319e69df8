/* A link as the scattering parameters of a two-port: Touchstone 1. */
#include "channel/export/exporter.h"

#include "base/file/atomic_file.h"
#include "channel/export/export_text.h"

#include <math.h>

static pw_status file_write(const struct channel_link *link, const char *path, pw_error *error)
{
    char step[HEIGHTS_TEXT];
    FILE *file = disk_create(path, error);
    if (file == NULL) {
        return PW_NO_RESOURCE;
    }
    export_text_head(file, "!", link, "channel as a two-port");
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
    return disk_finish(file, path, error);
}

const struct exporter exporter_touchstone = {"touchstone", "channel.s2p", "two-port for circuit simulators, Touchstone",
                                             file_write};
