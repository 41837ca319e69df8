/* Power by azimuth as a table: arrivals at the receiver and, where the result knows them, departures at the
 * transmitter. */
#include "base/file/atomic_file.h"
#include "channel/angles/link_angles.h"
#include "channel/export/export_text.h"
#include "channel/export/exporter.h"

#include <math.h>

static double decibel(double power)
{
    return 10.0 * log10(power);
}

static void spectrum_tell(FILE *file, const char *name, const struct angle_spectrum *spectrum)
{
    if (spectrum->reason[0] != '\0') {
        fprintf(file, "# %s: not known: %s\n", name, spectrum->reason);
        return;
    }
    fprintf(file,
            "# %s: from a disc of %.4g m, resolution %.3g degrees (3 dB); %.2g %% of its field are not plane waves%s\n",
            name, spectrum->radius, spectrum->beam_width * 57.29577951308232, 100.0 * spectrum->residual,
            spectrum->residual > ANGLE_DOUBT ? ": doubtful" : "");
    if (spectrum->used < spectrum->usable) {
        fprintf(file,
                "# %s: frequencies up to %.6g Hz alone: points of the spectra are too far apart for higher ones\n",
                name, spectrum->highest);
    }
    for (int n = 0; n < spectrum->peak_count; n++) {
        const struct angle_peak *peak = &spectrum->peaks[n];
        fprintf(file, "# %s peak %d: azimuth %.2f, bearing %.2f degrees, %.3f dB\n", name, n + 1,
                angle_degrees(peak->azimuth), angle_bearing(peak->azimuth), decibel(peak->power));
    }
}

static void table_write(FILE *file, const struct link_angles *angles)
{
    bool arrival = angles->arrival.reason[0] == '\0', departure = angles->departure.reason[0] == '\0';
    fprintf(file, "azimuth_deg,bearing_deg,arrival_dB%s\n", departure ? ",departure_dB" : "");
    for (int n = 0; (arrival || departure) && n < ANGLE_COUNT; n++) {
        pw_csv_write(file, "%d,%d,%.4f", n, (450 - n) % 360, arrival ? decibel(angles->arrival.power[n]) : (double)NAN);
        if (departure) {
            pw_csv_write(file, ",%.4f", decibel(angles->departure.power[n]));
        }
        fputc('\n', file);
    }
}

static pw_status angles_write(const struct channel_link *link, const struct link_angles *angles, const char *path,
                              pw_error *error)
{
    char step[HEIGHTS_TEXT];
    FILE *file = disk_create(path, error);
    TRY_MADE(file);
    export_text_head(file, "#", link, "power by azimuth");
    fprintf(file,
            "# arrivals: where waves come from at the receiver; departures: where they go to from the transmitter\n"
            "# azimuth counterclockwise from x, bearing clockwise from y; power relative to free space at 1 m, mean "
            "over the\n"
            "# band: a single path of power P peaks at P. Formulas: planwave help metrics\n"
            "# from 2D to 3D, one factor for the link: %s\n",
            link_spreading_text(link, step));
    spectrum_tell(file, "arrival", &angles->arrival);
    spectrum_tell(file, "departure", &angles->departure);
    table_write(file, angles);
    return disk_finish(file, path, error);
}

static pw_status file_write(const struct channel_link *link, const char *path, pw_error *error)
{
    OWNED struct link_angles *made = NULL;
    const struct link_angles *angles;
    TRY(link_angles_take(link, &made, &angles, error));
    return angles_write(link, angles, path, error);
}

const struct exporter exporter_angles = {.name = "angles",
                                         .file = "angles.csv",
                                         .description =
                                             "power by azimuth, at the receiver and from the transmitter, CSV",
                                         .write = file_write};
