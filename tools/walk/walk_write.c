/* Numbers of a walk as HDF5 and for numpy (walk_write.h). The names are those that tools for channel state information
 * use: csi (time, subcarrier, rx, tx), timestamps, subcarriers. */
#include "walk/walk_write.h"

#include <hdf5.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct filling {
    const struct walk *walk;
    const struct doppler *doppler;
};

/* ---- one dataset ------------------------------------------------------------------------------------------------- */

struct table {
    const char *name, *units, *long_name;
    int rank;
    hsize_t extent[4];
    hid_t file_type, memory_type;
    const void *values;
};

static pw_status table_write(hid_t file, const struct table *table, pw_error *error)
{
    const hid_t space = H5Screate_simple(table->rank, table->extent, NULL), list = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(list, false);
    const hid_t made = H5Dcreate2(file, table->name, table->file_type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    pw_status status = PW_OK;
    if (made < 0 || H5Dwrite(made, table->memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, table->values) < 0) {
        status = pw_hdf5_fail(error, PW_NO_RESOURCE, "cannot write '%s'", table->name);
    }
    if (status == PW_OK && table->units != NULL) {
        status = pw_hdf5_write_text(made, "units", table->units, error);
    }
    THEN(status, pw_hdf5_write_text(made, "long_name", table->long_name, error));
    H5Dclose(made);
    H5Pclose(list);
    H5Sclose(space);
    return status;
}

static pw_status numbers_write(hid_t file, const char *name, const char *units, const char *long_name, int count,
                               const double *values, pw_error *error)
{
    const struct table table = {.name = name,
                                .units = units,
                                .long_name = long_name,
                                .rank = 1,
                                .extent = {(hsize_t)count},
                                .file_type = H5T_IEEE_F64LE,
                                .memory_type = H5T_NATIVE_DOUBLE,
                                .values = values};
    return table_write(file, &table, error);
}

static pw_status names_write(hid_t file, const char *name, const char *long_name, const char (*names)[PW_NAME_SIZE],
                             int count, pw_error *error)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, PW_NAME_SIZE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    const struct table table = {.name = name,
                                .long_name = long_name,
                                .rank = 1,
                                .extent = {(hsize_t)count},
                                .file_type = type,
                                .memory_type = type,
                                .values = names};
    pw_status status = table_write(file, &table, error);
    H5Tclose(type);
    return status;
}

/* ---- channels ---------------------------------------------------------------------------------------------------- */

static pw_status channels_write(hid_t file, const struct walk *walk, pw_error *error)
{
    const hsize_t poses = (hsize_t)walk->poses, frequencies = (hsize_t)walk->frequencies,
                  receivers = (hsize_t)walk->receivers, transmitters = (hsize_t)walk->transmitters;
    const hid_t single = pw_hdf5_complex_type(H5T_NATIVE_FLOAT), real = pw_hdf5_complex_type(H5T_NATIVE_DOUBLE);
    const struct table tables[] = {
        {.name = "csi",
         .units = "1",
         .long_name = "H between isotropic antennas with the persons (time, subcarrier, rx, tx)",
         .rank = 4,
         .extent = {poses, frequencies, receivers, transmitters},
         .file_type = single,
         .memory_type = single,
         .values = walk->csi},
        {.name = "csi_empty",
         .units = "1",
         .long_name = "H of the empty floor (subcarrier, rx, tx)",
         .rank = 3,
         .extent = {frequencies, receivers, transmitters},
         .file_type = real,
         .memory_type = real,
         .values = walk->empty},
        {.name = "blockage",
         .units = "dB",
         .long_name = "mean power of the empty floor over that with the persons (time, rx, tx)",
         .rank = 3,
         .extent = {poses, receivers, transmitters},
         .file_type = H5T_IEEE_F64LE,
         .memory_type = H5T_NATIVE_DOUBLE,
         .values = walk->blockage},
        {.name = "position",
         .units = "m",
         .long_name = "where the persons are (person, time, x and y)",
         .rank = 3,
         .extent = {(hsize_t)walk->persons, poses, 2},
         .file_type = H5T_IEEE_F64LE,
         .memory_type = H5T_NATIVE_DOUBLE,
         .values = walk->position}};
    pw_status status =
        single < 0 || real < 0 ? pw_hdf5_fail(error, PW_NO_RESOURCE, "no type of complex numbers") : PW_OK;
    for (size_t n = 0; n < sizeof tables / sizeof *tables; n++) {
        THEN(status, table_write(file, &tables[n], error));
    }
    H5Tclose(single);
    H5Tclose(real);
    return status;
}

static pw_status doppler_write(hid_t file, const struct walk *walk, const struct doppler *doppler, pw_error *error)
{
    const struct table table = {.name = "doppler",
                                .units = "1",
                                .long_name =
                                    "power of what the persons change, by Doppler shift (window, shift, rx, tx)",
                                .rank = 4,
                                .extent = {(hsize_t)doppler->windows, (hsize_t)doppler->bins, (hsize_t)walk->receivers,
                                           (hsize_t)walk->transmitters},
                                .file_type = H5T_IEEE_F32LE,
                                .memory_type = H5T_NATIVE_FLOAT,
                                .values = doppler->power};
    if (doppler->windows == 0) {
        return PW_OK;
    }
    TRY(table_write(file, &table, error));
    TRY(numbers_write(file, "doppler_timestamps", "s", "middles of the windows", doppler->windows, doppler->time,
                      error));
    return numbers_write(file, "doppler_frequencies", "Hz", "Doppler shift; above 0 where ways become shorter",
                         doppler->bins, doppler->frequency, error);
}

/* ---- axes -------------------------------------------------------------------------------------------------------- */

/* Subcarriers count from the middle of the band, in their smallest distance. */
static pw_status axes_write(hid_t file, const struct walk *walk, pw_error *error)
{
    OWNED double *time = allocate((size_t)walk->poses, sizeof *time, "times", error);
    OWNED int32_t *index = allocate((size_t)walk->frequencies, sizeof *index, "subcarriers", error);
    TRY_MADE(time != NULL && index != NULL);
    const double middle = 0.5 * (walk->frequency[0] + walk->frequency[walk->frequencies - 1]);
    double spacing = INFINITY;
    for (int n = 0; n < walk->poses; n++) {
        time[n] = n / walk->rate;
    }
    for (int f = 1; f < walk->frequencies; f++) {
        spacing = fmin(spacing, walk->frequency[f] - walk->frequency[f - 1]);
    }
    for (int f = 0; f < walk->frequencies; f++) {
        index[f] = (int32_t)lround((walk->frequency[f] - middle) / spacing);
    }
    const struct table subcarriers = {.name = "subcarriers",
                                      .long_name = "number of the subcarrier, from the middle of the band",
                                      .rank = 1,
                                      .extent = {(hsize_t)walk->frequencies},
                                      .file_type = H5T_STD_I32LE,
                                      .memory_type = H5T_NATIVE_INT32,
                                      .values = index};
    TRY(table_write(file, &subcarriers, error));
    TRY(numbers_write(file, "timestamps", "s", "time", walk->poses, time, error));
    TRY(numbers_write(file, "frequencies", "Hz", "frequency", walk->frequencies, walk->frequency, error));
    TRY(names_write(file, "transmitters", "names", (const char(*)[PW_NAME_SIZE])walk->name, walk->transmitters, error));
    return names_write(file, "receivers", "names", (const char(*)[PW_NAME_SIZE])walk->name + walk->transmitters,
                       walk->receivers, error);
}

static pw_status file_fill(int64_t file, const void *user, pw_error *error)
{
    static const char *const METHODS[] = {"cylinder", "exact", "walls"};
    const struct filling *filling = user;
    const struct walk *walk = filling->walk;
    char text[PW_NUMBER_SIZE + 8];
    TRY(pw_hdf5_write_text(file, "title", walk->title, error));
    TRY(pw_hdf5_write_text(file, "method", METHODS[walk->method], error));
    snprintf(text, sizeof text, "%.9g m", walk->radius);
    TRY(pw_hdf5_write_text(file, "person_radius", text, error));
    if (walk->space) {
        snprintf(text, sizeof text, "%.9g m", walk->high - walk->low);
        TRY(pw_hdf5_write_text(file, "person_height", text, error));
    }
    snprintf(text, sizeof text, "%.9g m/s", walk->speed);
    TRY(pw_hdf5_write_text(file, "speed", text, error));
    TRY(axes_write((hid_t)file, walk, error));
    TRY(channels_write((hid_t)file, walk, error));
    return doppler_write((hid_t)file, walk, filling->doppler, error);
}

pw_status walk_write_hdf5(const struct walk *walk, const struct doppler *doppler, const char *path, pw_error *error)
{
    const struct filling filling = {walk, doppler};
    return pw_hdf5_write_file(path, file_fill, &filling, error);
}

/* ---- numpy ------------------------------------------------------------------------------------------------------- */

pw_status walk_write_npy(const struct walk *walk, const char *path, pw_error *error)
{
    enum { HEADER = 192 };
    const size_t values = (size_t)walk->poses * (size_t)walk->frequencies * walk_links(walk);
    char header[HEADER + 1];
    FILE *file = pw_file_create(path, error);
    if (file == NULL) {
        return PW_NO_RESOURCE;
    }
    memset(header, ' ', HEADER);
    memcpy(header, "\x93NUMPY\x01\x00\xb6\x00", 10); /* magic, version, length of the text */
    const int used =
        snprintf(header + 10, HEADER - 10, "{'descr': '<c8', 'fortran_order': False, 'shape': (%d, %d, %d, %d), }",
                 walk->poses, walk->frequencies, walk->receivers, walk->transmitters);
    header[10 + used] = ' ';
    header[HEADER - 1] = '\n';
    (void)fwrite(header, 1, HEADER, file); /* a failure is seen when the file is finished */
    (void)fwrite(walk->csi, sizeof *walk->csi, values, file);
    return pw_file_finish(file, path, error);
}
