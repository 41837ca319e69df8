/* The part of a result file that is known before the first step: the medium that the solver sees, and the frequencies.
 */
#include "result/antenna/result_antenna.h"
#include "run/write/result_parts.h"

#include "base/file/hdf5_chunks.h"
#include "discretize/formulation.h"
#include "discretize/volume/volume.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PLAN_CHUNK = 256 }; /* nodes, a side */

pw_status result_write_axis(hid_t parent, const char *name, const char *units, const char *long_name, int64_t count,
                            double first, double step, pw_error *error)
{
    OWNED double *values = allocate((size_t)count, sizeof *values, "an axis", error);
    TRY_MADE(values);
    for (int64_t n = 0; n < count; n++) {
        values[n] = first + (double)n * step;
    }
    const struct layout layout = layout_of_row(name, units, long_name, (size_t)count);
    return hdf5_dataset_write(parent, &layout, H5T_NATIVE_DOUBLE, values, error);
}

/* The medium as the file has it: planes of the nodes of Ez. In two dimensions there is one, and the maps have no axis
 * for it; in three dimensions there are as many as Ez has layers, and `level` says which of them each level of z has.
 */
struct plan_planes {
    int rank;       /* 2, or 3 */
    int count, nz;  /* planes, levels */
    int *layer;     /* (count), owned: of the medium's index */
    int32_t *level; /* (nz), owned: plane of each level */
};

static void planes_free(struct plan_planes *planes)
{
    FREE_ALL(planes->layer, planes->level);
}

static pw_status planes_find(const struct setup *setup, struct plan_planes *planes, pw_error *error)
{
    const struct medium *medium = &setup->medium;
    const int *layer = medium->layer[2];
    *planes = (struct plan_planes){.rank = setup->scenario->dimensions, .nz = setup->problem.axis[2].count};
    planes->layer = allocate((size_t)planes->nz, sizeof *planes->layer, "the planes of a plan", error);
    planes->level = allocate((size_t)planes->nz, sizeof *planes->level, "the planes of a plan", error);
    TRY_MADE(planes->layer != NULL && planes->level != NULL);
    for (int k = 0; k < planes->nz; k++) {
        int wanted = layer != NULL ? layer[k] : 0, plane = 0;
        while (plane < planes->count && planes->layer[plane] != wanted) {
            plane++;
        }
        planes->layer[plane] = wanted;
        planes->count = plane == planes->count ? plane + 1 : planes->count;
        planes->level[k] = plane;
    }
    return PW_OK;
}

/* (ny, nx) or (planes, ny, nx) on the nodes, with the axes attached; H5I_INVALID_HID with a message on failure. */
static hid_t create_map(hid_t plan, const struct setup *setup, const struct plan_planes *planes,
                        const struct layout *named, pw_error *error)
{
    struct layout layout = *named;
    unsigned y = planes->rank == 3 ? 1 : 0;
    hsize_t ny = (hsize_t)setup->medium.ny, nx = (hsize_t)setup->medium.nx;
    layout.rank = planes->rank;
    layout.compress = true;
    layout.extent[0] = (hsize_t)planes->count;
    layout.chunk[0] = 1;
    layout.extent[y] = ny;
    layout.extent[y + 1] = nx;
    layout.chunk[y] = ny < PLAN_CHUNK ? ny : PLAN_CHUNK;
    layout.chunk[y + 1] = nx < PLAN_CHUNK ? nx : PLAN_CHUNK;
    hid_t map = hdf5_dataset_create(plan, &layout, error);
    if (map >= 0 && (hdf5_scale_attach(map, y, plan, "y", error) != PW_OK ||
                     hdf5_scale_attach(map, y + 1, plan, "x", error) != PW_OK)) {
        H5Dclose(map);
        return H5I_INVALID_HID;
    }
    return map;
}

/* Whole rows of a plane of a map, those of one row of its chunks. */
struct row_block {
    int plane, first, rows, chunk_rows;
    size_t nx;
};

static struct row_block rows_from(const struct medium *medium, int plane, int first)
{
    const int chunk_rows = medium->ny < PLAN_CHUNK ? medium->ny : PLAN_CHUNK, left = medium->ny - first;
    return (struct row_block){plane, first, left < chunk_rows ? left : chunk_rows, chunk_rows, (size_t)medium->nx};
}

static pw_status write_rows(hid_t map, const struct plan_planes *planes, const struct row_block *block, hid_t type,
                            const void *values, pw_error *error)
{
    const struct chunk_rows rows = {.rank = planes->rank,
                                    .plane = block->plane,
                                    .first = block->first,
                                    .rows = block->rows,
                                    .columns = block->nx,
                                    .chunk_rows = (size_t)block->chunk_rows,
                                    .chunk_columns = block->nx < PLAN_CHUNK ? block->nx : PLAN_CHUNK,
                                    .size = H5Tget_size(type)};
    return hdf5_chunks_write(map, &rows, type, values, error);
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
static pw_status write_property(hid_t plan, const struct setup *setup, const struct plan_planes *planes,
                                const struct layout *layout, double (*property)(const struct medium_entry *),
                                pw_error *error)
{
    const struct medium *medium = &setup->medium;
    size_t nx = (size_t)medium->nx, plane_size = nx * (size_t)medium->ny;
    OWNED float *values = allocate(PLAN_CHUNK * nx, sizeof *values, "a map of the plan", error);
    TRY_MADE(values);
    hid_t map = create_map(plan, setup, planes, layout, error);
    TRY_MADE(map >= 0);
    pw_status status = PW_OK;
    for (int plane = 0; plane < planes->count; plane++) {
        const uint16_t *index = medium->index + (size_t)planes->layer[plane] * plane_size;
        for (int first = 0; status == PW_OK && first < medium->ny; first += PLAN_CHUNK) {
            const struct row_block block = rows_from(medium, plane, first);
#pragma omp parallel for schedule(static) if (nx > PLAN_CHUNK)
            for (size_t n = 0; n < (size_t)block.rows * nx; n++) {
                values[n] = (float)property(&medium->palette[index[(size_t)first * nx + n]]);
            }
            status = write_rows(map, planes, &block, H5T_NATIVE_FLOAT, values, error);
        }
    }
    return hdf5_dataset_close(map, layout->name, status, error);
}

static pw_status write_material(hid_t plan, const struct setup *setup, const struct plan_planes *planes,
                                pw_error *error)
{
    const struct medium *medium = &setup->medium;
    size_t nx = (size_t)medium->nx, plane_size = nx * (size_t)medium->ny;
    const struct layout layout = {
        .name = "material", .units = "1", .long_name = "index into the palette", .type = H5T_STD_U16LE};
    hid_t map = create_map(plan, setup, planes, &layout, error);
    TRY_MADE(map >= 0);
    pw_status status = PW_OK;
    for (int plane = 0; plane < planes->count; plane++) {
        const uint16_t *index = medium->index + (size_t)planes->layer[plane] * plane_size;
        for (int first = 0; status == PW_OK && first < medium->ny; first += PLAN_CHUNK) {
            const struct row_block block = rows_from(medium, plane, first);
            status = write_rows(map, planes, &block, H5T_NATIVE_UINT16, index + (size_t)first * nx, error);
        }
    }
    return hdf5_dataset_close(map, layout.name, status, error);
}

struct palette_row {
    double relative_permittivity, conductivity, perfect_conductor;
};

static pw_status write_palette(hid_t plan, const struct medium *medium, pw_error *error)
{
    size_t count = (size_t)medium->palette_count;
    OWNED struct palette_row *rows = allocate(count, sizeof *rows, "the palette", error);
    TRY_MADE(rows);
    for (size_t n = 0; n < count; n++) {
        const struct medium_entry *entry = &medium->palette[n];
        rows[n] = (struct palette_row){entry->relative_permittivity, entry->conductivity, entry->perfect_conductor};
    }
    OWNED_ID hid_t type = H5Tcreate(H5T_COMPOUND, sizeof *rows);
    H5Tinsert(type, "relative_permittivity", HOFFSET(struct palette_row, relative_permittivity), H5T_IEEE_F64LE);
    H5Tinsert(type, "conductivity", HOFFSET(struct palette_row, conductivity), H5T_IEEE_F64LE);
    H5Tinsert(type, "perfect_conductor", HOFFSET(struct palette_row, perfect_conductor), H5T_IEEE_F64LE);
    struct layout layout =
        layout_of_row("palette", "1, S/m, 1",
                      "relative permittivity, conductivity and whether a perfect conductor, per material", count);
    layout.type = type;
    OWNED_ID hid_t memory = H5Tget_native_type(type, H5T_DIR_DEFAULT);
    return hdf5_dataset_write(plan, &layout, memory, rows, error);
}

/* Heights of the nodes of Ez, which stand half a cell over the others, and the plane that each level has. */
static pw_status write_levels(hid_t plan, const struct setup *setup, const struct plan_planes *planes, pw_error *error)
{
    double cell = setup->problem.axis[2].spacing;
    TRY(result_write_axis(plan, "z", "m", "height of the Ez node over the lowest floor", planes->nz,
                          setup->origin_z + 0.5 * cell, cell, error));
    struct layout layout =
        layout_of_row("level", "1", "plane of the maps that each level of z has", (size_t)planes->nz);
    layout.type = H5T_STD_I32LE;
    TRY(hdf5_dataset_write(plan, &layout, H5T_NATIVE_INT32, planes->level, error));
    return hdf5_scale_attach_to(plan, "level", plan, "z", error);
}

static pw_status write_maps(hid_t plan, const struct setup *setup, const struct plan_planes *planes, pw_error *error)
{
    const struct layout permittivity = {.name = "relative_permittivity",
                                        .units = "1",
                                        .long_name = "relative permittivity at the Ez node, absorber included",
                                        .type = H5T_IEEE_F32LE};
    const struct layout conductivity = {.name = "conductivity",
                                        .units = "S/m",
                                        .long_name = "conductivity at the Ez node, absorber included",
                                        .type = H5T_IEEE_F32LE};
    TRY(write_property(plan, setup, planes, &permittivity, permittivity_of, error));
    TRY(write_property(plan, setup, planes, &conductivity, conductivity_of, error));
    return write_material(plan, setup, planes, error);
}

pw_status result_write_plan(hid_t file, const struct setup *setup, pw_error *error)
{
    const struct medium *medium = &setup->medium;
    double cell = setup->problem.axis[0].spacing;
    OWNED_ID hid_t plan = hdf5_group_create(file, "plan", error);
    TRY_MADE(plan >= 0);
    TRY(result_write_axis(plan, "x", "m", "x of the node in the plan", medium->nx, setup->origin.x, cell, error));
    TRY(result_write_axis(plan, "y", "m", "y of the node in the plan", medium->ny, setup->origin.y, cell, error));
    OWNED_BY(planes_free) struct plan_planes planes = {0};
    TRY(planes_find(setup, &planes, error));
    if (planes.rank == 3) {
        TRY(write_levels(plan, setup, &planes, error));
    }
    TRY(write_maps(plan, setup, &planes, error));
    return write_palette(plan, medium, error);
}

/* `numbers` has room for seven a receiver: positions of two or three, gains, polarisations. */
static pw_status lattice_receivers_members(hid_t group, const struct setup *setup, char *names, double *numbers,
                                           pw_error *error)
{
    const struct scenario *scenario = setup->scenario;
    size_t count = (size_t)scenario->lattice_receiver_count, axes = (size_t)scenario->dimensions;
    double *gains = numbers + 3 * count, *along = gains + count;
    OWNED_ID hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, NAME_SIZE);
    H5Tset_cset(text, H5T_CSET_UTF8);
    struct layout name = {.name = "name", .units = "", .long_name = "name", .type = text, .rank = 1, .extent = {count}};
    struct layout position = {.name = "position",
                              .units = "m",
                              .long_name = axes == 3
                                               ? "x, y and height as asked for; the nearest plane of the spectra "
                                                 "has the field, between its points where they are close"
                                               : "x and y as asked for; the nearest point of the spectra has the field",
                              .type = H5T_IEEE_F64LE,
                              .rank = 2,
                              .extent = {count, axes}};
    struct layout polarisation = {.name = "polarisation",
                                  .units = "1",
                                  .long_name = "direction of the component of E that is received",
                                  .type = H5T_IEEE_F64LE,
                                  .rank = 2,
                                  .extent = {count, 3}};
    const struct layout gain = layout_of_row("gain", "dBi", "gain of the receiver", count);
    bool has_heights = false;
    for (size_t r = 0; r < count; r++) {
        const struct receiver_choice *receiver = &scenario->lattice_receivers[r];
        has_heights = has_heights || !isnan(receiver->height);
        memcpy(names + r * NAME_SIZE, receiver->name, NAME_SIZE);
        const double at[] = {receiver->at.x, receiver->at.y, volume_height(receiver->height)};
        memcpy(numbers + axes * r, at, axes * sizeof *numbers);
        gains[r] = receiver->gain;
        memcpy(along + 3 * r, (double[]){receiver->polarisation.x, receiver->polarisation.y, receiver->polarisation.z},
               3 * sizeof *along);
    }
    TRY(hdf5_dataset_write(group, &name, text, names, error));
    TRY(hdf5_dataset_write(group, &position, H5T_NATIVE_DOUBLE, numbers, error));
    const bool several = setup->formulation->components > 1;
    if (several) {
        TRY(hdf5_dataset_write(group, &polarisation, H5T_NATIVE_DOUBLE, along, error));
    }
    TRY(hdf5_dataset_write(group, &gain, H5T_NATIVE_DOUBLE, gains, error));
    if (axes == 2 && has_heights) {
        const struct layout height =
            layout_of_row("height", "m", "height over the lowest floor, of those that were given one", count);
        for (size_t r = 0; r < count; r++) {
            gains[r] = scenario->lattice_receivers[r].height;
        }
        TRY(hdf5_dataset_write(group, &height, H5T_NATIVE_DOUBLE, gains, error));
    }
    return several ? PW_OK : result_write_antennas(group, scenario, error);
}

pw_status result_write_lattice_receivers(hid_t file, const struct setup *setup, pw_error *error)
{
    size_t count = (size_t)setup->scenario->lattice_receiver_count;
    if (count == 0) {
        return PW_OK;
    }
    OWNED_ID hid_t group = hdf5_group_create(file, "receivers", error);
    OWNED char *names = allocate(count, NAME_SIZE, "the names of receivers", error);
    OWNED double *numbers = allocate(7 * count, sizeof *numbers, "the places of receivers", error);
    return group < 0 || names == NULL || numbers == NULL
               ? PW_NO_RESOURCE
               : lattice_receivers_members(group, setup, names, numbers, error);
}

pw_status result_write_frequencies(hid_t file, const struct setup *setup, pw_error *error)
{
    if (setup->frequency_count == 0) {
        return PW_OK;
    }
    size_t count = (size_t)setup->frequency_count;
    struct layout layout = layout_of_row("frequency", "Hz", "frequency", count);
    TRY(hdf5_dataset_write(file, &layout, H5T_NATIVE_DOUBLE, setup->frequency, error));
    OWNED double *evaluated = allocate(count, sizeof *evaluated, "frequencies", error);
    TRY_MADE(evaluated);
    for (size_t n = 0; n < count; n++) {
        evaluated[n] = setup->omega[n] / 6.283185307179586476925286766559;
    }
    layout.name = "warped_frequency";
    layout.long_name =
        "frequency at which the transforms were evaluated, so that time stepping is exact at `frequency`";
    TRY(hdf5_dataset_write(file, &layout, H5T_NATIVE_DOUBLE, evaluated, error));
    return hdf5_scale_attach_to(file, "warped_frequency", file, "frequency", error);
}
