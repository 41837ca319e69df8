/* The (a, tau) export: complex path coefficients and delays in the shapes that Sionna's CIRDataset and
 * cir_to_ofdm_channel take,
 * - a: (batch, num_rx, num_rx_ant, num_tx, num_tx_ant, num_paths, num_time_steps), complex64,
 * - tau: (batch, num_rx, num_tx, num_paths), float32 [s],
 *
 * once as dense taps, whose sum is the transfer function, and once as the paths picked from the profile. */
#include "channel/export/exporter.h"

#include "base/file/atomic_file.h"
#include "base/file/hdf5_file.h"
#include "base/file/hdf5_write.h"
#include "channel/angles/link_angles.h"
#include "channel/export/export_text.h"
#include "result/result_format.h"

#include <math.h>

/* a (count, 2), tau (count). */
static pw_status pair_write(hid_t file, const char *name, const char *meaning, int count, const float *a,
                            const float *tau, pw_error *error)
{
    OWNED_ID hid_t group = hdf5_group_create(file, name, error);
    TRY_MADE(group >= 0);
    const hsize_t paths = (hsize_t)count;
    OWNED_ID hid_t type = hdf5_complex_type(H5T_IEEE_F32LE), memory_type = hdf5_complex_type(H5T_NATIVE_FLOAT);
    const struct layout a_layout = {.name = "a",
                                    .units = "1",
                                    .long_name =
                                        "path coefficient (batch, rx, rx antenna, tx, tx antenna, path, time step)",
                                    .type = type,
                                    .rank = 7,
                                    .extent = {1, 1, 1, 1, 1, paths, 1}};
    const struct layout tau_layout = {.name = "tau",
                                      .units = "s",
                                      .long_name = "delay since emission (batch, rx, tx, path)",
                                      .type = H5T_IEEE_F32LE,
                                      .rank = 4,
                                      .extent = {1, 1, 1, paths}};
    TRY(hdf5_write_text(group, "description", meaning, error));
    TRY(hdf5_dataset_write(group, &a_layout, memory_type, a, error));
    return hdf5_dataset_write(group, &tau_layout, H5T_NATIVE_FLOAT, tau, error);
}

static pw_status taps_write(const struct channel_link *link, hid_t file, float *a, float *tau, pw_error *error)
{
    double scale = link->free_space_1_m;
    for (int n = 0; n < link->tap_count; n++) {
        a[2 * n] = (float)(scale * link->taps[2 * n]);
        a[2 * n + 1] = (float)(scale * link->taps[2 * n + 1]);
        tau[n] = (float)link->tap_delay[n];
    }
    return pair_write(
        file, "taps",
        "one tap a bin, without window: sum a exp(-j 2 pi (f - carrier_frequency) tau) is the transfer function at the "
        "result's frequencies; the first few delays may be negative, where the band limit spreads the direct path",
        link->tap_count, a, tau, error);
}

static pw_status paths_write(const struct channel_link *link, hid_t file, float *a, float *tau, pw_error *error)
{
    double scale = link->free_space_1_m;
    for (int n = 0; n < link->path_count; n++) {
        a[2 * n] = (float)(scale * link->paths[n].re);
        a[2 * n + 1] = (float)(scale * link->paths[n].im);
        tau[n] = (float)link->paths[n].delay;
    }
    return pair_write(file, "paths", "local maxima of the windowed impulse response over the threshold, by delay",
                      link->path_count, a, tau, error);
}

/* One end's power by azimuth; nothing where it is not known but the reason. */
static pw_status spectrum_write(hid_t group, const char *name, const struct angle_spectrum *spectrum, pw_error *error)
{
    if (spectrum->reason[0] != '\0') {
        char attribute[NAME_SIZE];
        snprintf(attribute, sizeof attribute, "%s_not_known", name);
        return hdf5_write_text(group, attribute, spectrum->reason, error);
    }
    const struct layout layout = {.name = name,
                                  .units = "1",
                                  .long_name = "power by azimuth, degrees counterclockwise from x, relative to free "
                                               "space at 1 m; a path of power P peaks at P",
                                  .type = H5T_IEEE_F64LE,
                                  .rank = 1,
                                  .extent = {ANGLE_COUNT}};
    TRY(hdf5_dataset_write(group, &layout, H5T_NATIVE_DOUBLE, spectrum->power, error));
    double peaks[2 * ANGLE_PEAKS];
    for (int n = 0; n < spectrum->peak_count; n++) {
        peaks[2 * n] = angle_degrees(spectrum->peaks[n].azimuth);
        peaks[2 * n + 1] = spectrum->peaks[n].power;
    }
    char text[NAME_SIZE];
    snprintf(text, sizeof text, "%s_peaks", name);
    const struct layout table = {.name = text,
                                 .units = "",
                                 .long_name = "azimuth in degrees and power of the peaks",
                                 .type = H5T_IEEE_F64LE,
                                 .rank = 2,
                                 .extent = {(hsize_t)spectrum->peak_count, 2}};
    TRY(spectrum->peak_count > 0 ? hdf5_dataset_write(group, &table, H5T_NATIVE_DOUBLE, peaks, error) : PW_OK);
    snprintf(text, sizeof text, "%s_disc", name);
    TRY(hdf5_write_number(group, text, spectrum->radius, error));
    snprintf(text, sizeof text, "%s_residual", name);
    return hdf5_write_number(group, text, spectrum->residual, error);
}

static pw_status angles_write(const struct channel_link *link, hid_t file, pw_error *error)
{
    OWNED struct link_angles *made = NULL;
    const struct link_angles *angles;
    TRY(link_angles_take(link, &made, &angles, error));
    OWNED_ID hid_t group = hdf5_group_create(file, "angles", error);
    TRY_MADE(group >= 0);
    TRY(spectrum_write(group, "arrival", &angles->arrival, error));
    return spectrum_write(group, "departure", &angles->departure, error);
}

static pw_status attributes_write(const struct channel_link *link, hid_t file, pw_error *error)
{
    TRY(hdf5_write_text(file, "program", RESULT_PROGRAM, error));
    TRY(hdf5_write_text(file, "version", PW_VERSION, error));
    TRY(hdf5_write_text(file, "title", link->result->title != NULL ? link->result->title : "", error));
    TRY(hdf5_write_text(file, "transmitter", link->transmitter->name, error));
    TRY(hdf5_write_text(file, "receiver", link->place.name, error));
    const struct result_transmitter *from = link->transmitter;
    const struct place *to = &link->place;
    size_t axes = (size_t)link->band.dimensions;
    char step[HEIGHTS_TEXT];
    TRY(hdf5_write_numbers(file, "transmitter_position", (double[]){from->x, from->y, from->height}, axes, error));
    TRY(hdf5_write_numbers(file, "receiver_position", (double[]){to->x, to->y, to->height}, axes, error));
    double from_height = height_of_transmitter(from, &link->band.options);
    if (axes == 2 && !isnan(from_height) && !isnan(to->height)) {
        TRY(hdf5_write_number(file, "transmitter_height", from_height, error));
        TRY(hdf5_write_number(file, "receiver_height", to->height, error));
    }
    if (axes == 3) {
        TRY(hdf5_write_numbers(file, "receiver_polarisation", to->along, 3, error));
    }
    TRY(hdf5_write_number(file, "carrier_frequency", link->band.centre, error));
    TRY(hdf5_write_number(file, "sampling_bandwidth", link->band.spacing * link->band.frequency_count, error));
    TRY(hdf5_write_text(file, "time_convention", RESULT_TIME_CONVENTION, error));
    TRY(hdf5_write_text(file, "spreading", link_spreading_text(link, step), error));
    return hdf5_write_text(
        file, "normalisation",
        "|a|^2 is the path gain between isotropic antennas, free-space loss included (c/(4 pi fc 1 m) in amplitude at "
        "1 m); phase in complex baseband at carrier_frequency, -2 pi carrier_frequency tau for a direct path",
        error);
}

static pw_status members_write(hid_t file, const void *user, pw_error *error)
{
    const struct channel_link *link = user;
    size_t most = (size_t)(link->tap_count > LINK_PATH_LIMIT ? link->tap_count : LINK_PATH_LIMIT);
    OWNED float *a = allocate(2 * most, sizeof *a, "path coefficients", error);
    OWNED float *tau = allocate(most, sizeof *tau, "path delays", error);
    TRY_MADE(a != NULL && tau != NULL);
    TRY(attributes_write(link, file, error));
    TRY(taps_write(link, file, a, tau, error));
    TRY(paths_write(link, file, a, tau, error));
    return angles_write(link, file, error);
}

static pw_status file_write(const struct channel_link *link, const char *path, pw_error *error)
{
    return disk_file_publish(path, DISK_FORMAT_1_8, disk_publish, members_write, link, error);
}

const struct exporter exporter_cir = {.name = "cir",
                                      .file = "cir.h5",
                                      .description = "complex paths and delays in the (a, tau) layout, HDF5",
                                      .write = file_write};
