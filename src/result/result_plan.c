/* The part of a result file that is known before the first step: the medium that the solver sees, and the frequencies.
 */
#include "result/result_parts.h"

#include <stdlib.h>
#include <string.h>

enum { PLAN_CHUNK = 256 }; /* nodes, a side */

pw_status result_write_axis(hid_t parent, const char *name, const char *units, const char *long_name, int64_t count,
                            double first, double step, pw_error *error)
{
    double *values = allocate((size_t)count, sizeof *values, "an axis", error);
    if (values == NULL) {
        return PW_NO_RESOURCE;
    }
    for (int64_t n = 0; n < count; n++) {
        values[n] = first + (double)n * step;
    }
    struct layout layout = {.name = name,
                            .units = units,
                            .long_name = long_name,
                            .type = H5T_IEEE_F64LE,
                            .rank = 1,
                            .extent = {(hsize_t)count}};
    pw_status status = hdf5_dataset_write(parent, &layout, H5T_NATIVE_DOUBLE, values, error);
    free(values);
    return status;
}

/* (ny, nx) on the nodes, with the axes attached; H5I_INVALID_HID with a message on failure. */
static hid_t create_map(hid_t plan, const struct medium *medium, const char *name, const char *units,
                        const char *long_name, hid_t type, pw_error *error)
{
    hsize_t ny = (hsize_t)medium->ny, nx = (hsize_t)medium->nx;
    struct layout layout = {.name = name,
                            .units = units,
                            .long_name = long_name,
                            .type = type,
                            .rank = 2,
                            .extent = {ny, nx},
                            .chunk = {ny < PLAN_CHUNK ? ny : PLAN_CHUNK, nx < PLAN_CHUNK ? nx : PLAN_CHUNK},
                            .compress = true};
    hid_t map = hdf5_dataset_create(plan, &layout, error);
    if (map >= 0 && (hdf5_scale_attach(map, 0, plan, "y", error) != PW_OK ||
                     hdf5_scale_attach(map, 1, plan, "x", error) != PW_OK)) {
        H5Dclose(map);
        return H5I_INVALID_HID;
    }
    return map;
}

static pw_status close_map(hid_t map, pw_status status, pw_error *error)
{
    if (H5Dclose(map) < 0 && status == PW_OK) {
        return hdf5_fail(error, PW_NO_RESOURCE, "cannot close a map of the plan");
    }
    return status;
}

static double permittivity_of(const struct medium_entry *entry)
{
    return entry->relative_permittivity;
}

static double conductivity_of(const struct medium_entry *entry)
{
    return entry->conductivity;
}

/* A property of the medium at every node, float32, a band of chunk rows at a time. */
static pw_status write_property(hid_t plan, const struct medium *medium, const char *name, const char *units,
                                const char *long_name, double (*property)(const struct medium_entry *), pw_error *error)
{
    size_t nx = (size_t)medium->nx;
    float *values = allocate(PLAN_CHUNK * nx, sizeof *values, "a map of the plan", error);
    if (values == NULL) {
        return PW_NO_RESOURCE;
    }
    pw_status status = PW_NO_RESOURCE;
    hid_t map = create_map(plan, medium, name, units, long_name, H5T_IEEE_F32LE, error);
    if (map >= 0) {
        status = PW_OK;
        for (int first = 0; status == PW_OK && first < medium->ny; first += PLAN_CHUNK) {
            int rows = medium->ny - first < PLAN_CHUNK ? medium->ny - first : PLAN_CHUNK;
            for (size_t n = 0; n < (size_t)rows * nx; n++) {
                values[n] = (float)property(&medium->palette[medium->index[(size_t)first * nx + n]]);
            }
            status = hdf5_block_write(map, (hsize_t[]){(hsize_t)first, 0}, (hsize_t[]){(hsize_t)rows, nx},
                                      H5T_NATIVE_FLOAT, values, error);
        }
        status = close_map(map, status, error);
    }
    free(values);
    return status;
}

static pw_status write_material(hid_t plan, const struct medium *medium, pw_error *error)
{
    hid_t map = create_map(plan, medium, "material", "1", "index into the palette", H5T_STD_U16LE, error);
    if (map < 0) {
        return PW_NO_RESOURCE;
    }
    pw_status status = hdf5_block_write(map, (hsize_t[]){0, 0}, (hsize_t[]){(hsize_t)medium->ny, (hsize_t)medium->nx},
                                        H5T_NATIVE_UINT16, medium->index, error);
    return close_map(map, status, error);
}

struct palette_row {
    double relative_permittivity, conductivity, perfect_conductor;
};

static pw_status write_palette(hid_t plan, const struct medium *medium, pw_error *error)
{
    size_t count = (size_t)medium->palette_count;
    struct palette_row *rows = allocate(count, sizeof *rows, "the palette", error);
    if (rows == NULL) {
        return PW_NO_RESOURCE;
    }
    for (size_t n = 0; n < count; n++) {
        const struct medium_entry *entry = &medium->palette[n];
        rows[n] = (struct palette_row){entry->relative_permittivity, entry->conductivity, entry->perfect_conductor};
    }
    hid_t type = H5Tcreate(H5T_COMPOUND, sizeof *rows);
    H5Tinsert(type, "relative_permittivity", HOFFSET(struct palette_row, relative_permittivity), H5T_IEEE_F64LE);
    H5Tinsert(type, "conductivity", HOFFSET(struct palette_row, conductivity), H5T_IEEE_F64LE);
    H5Tinsert(type, "perfect_conductor", HOFFSET(struct palette_row, perfect_conductor), H5T_IEEE_F64LE);
    struct layout layout = {.name = "palette",
                            .units = "1, S/m, 1",
                            .type = type,
                            .rank = 1,
                            .extent = {count},
                            .long_name =
                                "relative permittivity, conductivity and whether a perfect conductor, per material"};
    hid_t memory = H5Tget_native_type(type, H5T_DIR_DEFAULT);
    pw_status status = hdf5_dataset_write(plan, &layout, memory, rows, error);
    H5Tclose(memory);
    H5Tclose(type);
    free(rows);
    return status;
}

static pw_status write_plan_members(hid_t plan, const struct setup *setup, pw_error *error)
{
    const struct medium *medium = &setup->medium;
    double cell = setup->problem.axis[0].spacing;
    TRY(result_write_axis(plan, "x", "m", "x of the node in the plan", medium->nx, setup->origin.x, cell, error));
    TRY(result_write_axis(plan, "y", "m", "y of the node in the plan", medium->ny, setup->origin.y, cell, error));
    TRY(write_property(plan, medium, "relative_permittivity", "1",
                       "relative permittivity at the Ez node, absorber included", permittivity_of, error));
    TRY(write_property(plan, medium, "conductivity", "S/m", "conductivity at the Ez node, absorber included",
                       conductivity_of, error));
    TRY(write_material(plan, medium, error));
    return write_palette(plan, medium, error);
}

pw_status result_write_plan(hid_t file, const struct setup *setup, pw_error *error)
{
    hid_t plan = hdf5_group_create(file, "plan", error);
    if (plan < 0) {
        return PW_NO_RESOURCE;
    }
    pw_status status = write_plan_members(plan, setup, error);
    H5Gclose(plan);
    return status;
}

static pw_status lattice_receivers_members(hid_t group, const struct scenario *scenario, char *names, double *numbers,
                                           pw_error *error)
{
    size_t count = (size_t)scenario->lattice_receiver_count;
    hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, NAME_SIZE);
    H5Tset_cset(text, H5T_CSET_UTF8);
    struct layout name = {.name = "name", .units = "", .long_name = "name", .type = text, .rank = 1, .extent = {count}};
    struct layout position = {.name = "position",
                              .units = "m",
                              .long_name = "x and y as asked for; the nearest point of the spectra has the field",
                              .type = H5T_IEEE_F64LE,
                              .rank = 2,
                              .extent = {count, 2}};
    struct layout gain = {.name = "gain",
                          .units = "dBi",
                          .long_name = "gain of the receiver",
                          .type = H5T_IEEE_F64LE,
                          .rank = 1,
                          .extent = {count}};
    for (size_t r = 0; r < count; r++) {
        const struct receiver_choice *receiver = &scenario->lattice_receivers[r];
        memcpy(names + r * NAME_SIZE, receiver->name, NAME_SIZE);
        numbers[2 * r] = receiver->at.x;
        numbers[2 * r + 1] = receiver->at.y;
        numbers[2 * count + r] = receiver->gain;
    }
    pw_status status = hdf5_dataset_write(group, &name, text, names, error);
    H5Tclose(text);
    TRY(status);
    TRY(hdf5_dataset_write(group, &position, H5T_NATIVE_DOUBLE, numbers, error));
    return hdf5_dataset_write(group, &gain, H5T_NATIVE_DOUBLE, numbers + 2 * count, error);
}

pw_status result_write_lattice_receivers(hid_t file, const struct setup *setup, pw_error *error)
{
    const struct scenario *scenario = setup->scenario;
    size_t count = (size_t)scenario->lattice_receiver_count;
    if (count == 0) {
        return PW_OK;
    }
    hid_t group = hdf5_group_create(file, "receivers", error);
    char *names = allocate(count, NAME_SIZE, "the names of receivers", error);
    double *numbers = allocate(3 * count, sizeof *numbers, "the places of receivers", error);
    pw_status status = group < 0 || names == NULL || numbers == NULL
                           ? PW_NO_RESOURCE
                           : lattice_receivers_members(group, scenario, names, numbers, error);
    free(names);
    free(numbers);
    H5Gclose(group);
    return status;
}

pw_status result_write_frequencies(hid_t file, const struct setup *setup, pw_error *error)
{
    if (setup->frequency_count == 0) {
        return PW_OK;
    }
    size_t count = (size_t)setup->frequency_count;
    struct layout layout = {.name = "frequency",
                            .units = "Hz",
                            .long_name = "frequency",
                            .type = H5T_IEEE_F64LE,
                            .rank = 1,
                            .extent = {count}};
    TRY(hdf5_dataset_write(file, &layout, H5T_NATIVE_DOUBLE, setup->frequency, error));
    double *evaluated = allocate(count, sizeof *evaluated, "frequencies", error);
    if (evaluated == NULL) {
        return PW_NO_RESOURCE;
    }
    for (size_t n = 0; n < count; n++) {
        evaluated[n] = setup->omega[n] / 6.283185307179586476925286766559;
    }
    layout.name = "warped_frequency";
    layout.long_name =
        "frequency at which the transforms were evaluated, so that time stepping is exact at `frequency`";
    pw_status status = hdf5_dataset_write(file, &layout, H5T_NATIVE_DOUBLE, evaluated, error);
    free(evaluated);
    TRY(status);
    hid_t dataset = H5Dopen2(file, "warped_frequency", H5P_DEFAULT);
    status = hdf5_scale_attach(dataset, 0, file, "frequency", error);
    H5Dclose(dataset);
    return status;
}
