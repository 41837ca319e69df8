/* The running spectra of a transmitter in a result file: in two dimensions one lattice of Ez, in three a group for
 * every sheet, which is one component on a horizontal plane or on a vertical cut. */
#include "discretize/setup_bytes.h"
#include "run/write/result_parts.h"
#include "run/write/spectra_tiles.h"

#include <math.h>
#include <stdio.h>

/* What axes are called in the file. */
static const char *const result_axis_names[3] = {"x", "y", "z"};

struct lattice result_lattice(const struct setup *setup, int s)
{
    static const char *const electric[3] = {"Fourier transform of the electric field along x",
                                            "Fourier transform of the electric field along y",
                                            "Fourier transform of the electric field along z"};
    const struct spectra *spectra = &setup->problem.spectra;
    const double cell = setup->problem.axis[0].spacing;
    if (setup->sheets == NULL) {
        return (struct lattice){.component = "ez",
                                .long_name = "Fourier transform of the electric field",
                                .column_axis = 0,
                                .row_axis = 1,
                                .column_first = setup->origin.x + spectra->x0 * cell,
                                .row_first = setup->origin.y + spectra->y0 * cell,
                                .pitch = spectra->spacing * cell,
                                .columns = spectra->columns,
                                .rows = spectra->rows,
                                .rows_of_a_row = 1};
    }
    const struct setup_sheet *sheet = &setup->sheets[s];
    const bool magnetic = sheet->component == COMPONENT_HZ;
    const int c = (int)sheet->component % 3; /* Hz counts as the third */
    return (struct lattice){.component = component_word(setup->scenario->horizontal, c),
                            .long_name =
                                magnetic ? "Fourier transform of eta0 times the magnetic field along z" : electric[c],
                            .magnetic = magnetic,
                            .column_axis = sheet->normal == 0 ? 1 : 0,
                            .row_axis = sheet->normal == 2 ? 1 : 2,
                            .column_first = sheet->column_first,
                            .row_first = sheet->row_first,
                            .pitch = sheet->pitch,
                            .columns = sheet->columns,
                            .rows = sheet->rows,
                            .first = (int)sheet->first_point,
                            .rows_of_a_row = sheet->columns};
}

static void scale_magnetic(const struct setup *setup, double *values, size_t count)
{
    const double scale = setup->magnetic_scale, half = 0.5 * setup->problem.time_step;
    for (int f = 0; f < setup->problem.spectra.frequency_count; f++) {
        const double real = scale * cos(setup->omega[f] * half), imaginary = scale * sin(setup->omega[f] * half);
        for (size_t n = 0; n < count; n++, values += 2) {
            const double before = values[0];
            values[0] = real * before - imaginary * values[1];
            values[1] = real * values[1] + imaginary * before;
        }
    }
}

/* Whether the four nodes around a face are. */
static bool is_metal(const struct setup *setup, const uint16_t *node, int i, int j)
{
    const struct medium *medium = &setup->medium;
    bool all = i >= 0 && j >= 0 && i + 1 < medium->nx && j + 1 < medium->ny;
    for (int n = 0; all && n < 4; n++) {
        const size_t at = (size_t)(j + n / 2) * (size_t)medium->nx + (size_t)(i + n % 2);
        all = medium->palette[node[at]].perfect_conductor;
    }
    return all;
}

/* Rows of spectra of Hz, (frequency_count, rows, columns, 2), from what solvers keep to eta0 Hz in place: they keep
 * eta0 Hz/(K a(0)) half a step before E, and their samples are summed as if they were E's. Faces that are all metal get
 * zero. Differences that reach over its surface leave roundings there, which local means would take for a shadow. */
static void make_magnetic(const struct setup *setup, const struct lattice *lattice, int first, int rows, double *values)
{
    const uint16_t *node = setup_level(setup, 2, 0);
    const double cell = setup->problem.axis[0].spacing, row_first = lattice->row_first + first * lattice->pitch;
    const size_t columns = (size_t)lattice->columns, plane = (size_t)rows * columns;
    scale_magnetic(setup, values, plane);
    for (size_t n = 0; n < plane; n++) {
        const double x = lattice->column_first + (double)(n % columns) * lattice->pitch - setup->origin.x,
                     y = row_first + (double)(n / columns) * lattice->pitch - setup->origin.y;
        if (is_metal(setup, node, (int)lround(x / cell - 0.5), (int)lround(y / cell - 0.5))) {
            for (int f = 0; f < setup->problem.spectra.frequency_count; f++) {
                values[2 * ((size_t)f * plane + n)] = values[2 * ((size_t)f * plane + n) + 1] = 0;
            }
        }
    }
}

pw_status result_read_lattice(const struct simulation *simulation, int run, const struct lattice *lattice, int first,
                              int rows, double *values, pw_error *error)
{
    TRY(pw_simulation_spectra(simulation, run, lattice->first + first * lattice->rows_of_a_row,
                              rows * lattice->rows_of_a_row, values, error));
    if (lattice->magnetic) {
        make_magnetic(simulation->setup, lattice, first, rows, values);
    }
    return PW_OK;
}

static void tiles_free(struct spectra_tiles **tiles)
{
    spectra_tiles_free(*tiles);
}

/* Some whole rows of tiles at a time. */
static pw_status copy_spectra(hid_t dataset, const struct tile_shape *shape, const struct lattice *lattice,
                              const struct simulation *simulation, int run, pw_error *error)
{
    const size_t row = 2 * shape->frequencies * shape->columns,
                 block = spectra_block_rows(row, shape->tile_rows, shape->rows);
    OWNED double *values = allocate(row * block, sizeof *values, "a block of spectra", error);
    TRY_MADE(values);
    OWNED_BY(tiles_free)
    struct spectra_tiles *tiles = spectra_tiles_create(dataset, shape, block, error);
    TRY_MADE(tiles);
    for (size_t first = 0; first < shape->rows; first += block) {
        const size_t left = shape->rows - first, rows = left < block ? left : block;
        TRY(result_read_lattice(simulation, run, lattice, (int)first, (int)rows, values, error));
        TRY(spectra_tiles_add(tiles, first, rows, values, error));
    }
    return PW_OK;
}

static pw_status write_lattice_axis(hid_t group, int axis, int count, double first, double pitch, pw_error *error)
{
    static const char *const long_names[3] = {"x of the cell in the plan", "y of the cell in the plan",
                                              "height of the cell over the lowest floor"};
    return result_write_axis(group, result_axis_names[axis], "m", long_names[axis], count, first, pitch, error);
}

static struct tile_shape shape_of(const struct lattice *lattice, const struct setup *setup)
{
    const size_t frequencies = (size_t)setup->problem.spectra.frequency_count, rows = (size_t)lattice->rows,
                 columns = (size_t)lattice->columns,
                 tile = spectra_tile_side(frequencies, 2 * problem_value_size(&setup->problem));
    return (struct tile_shape){.frequencies = frequencies,
                               .rows = rows,
                               .columns = columns,
                               .tile_rows = rows < tile ? rows : tile,
                               .tile_columns = columns < tile ? columns : tile,
                               .single = setup->problem.precision == PW_SINGLE};
}

static pw_status write_lattice(hid_t file, hid_t group, const struct lattice *lattice,
                               const struct simulation *simulation, int run, pw_error *error)
{
    bool twice = simulation->setup->problem.precision == PW_DOUBLE;
    const struct tile_shape shape = shape_of(lattice, simulation->setup);
    TRY(write_lattice_axis(group, lattice->column_axis, lattice->columns, lattice->column_first, lattice->pitch,
                           error));
    TRY(write_lattice_axis(group, lattice->row_axis, lattice->rows, lattice->row_first, lattice->pitch, error));
    OWNED_ID hid_t type = hdf5_complex_type(twice ? H5T_IEEE_F64LE : H5T_IEEE_F32LE);
    struct layout layout = {.name = lattice->component,
                            .units = "V/m s",
                            .long_name = lattice->long_name,
                            .type = type,
                            .rank = 3,
                            .extent = {shape.frequencies, shape.rows, shape.columns},
                            .chunk = {shape.frequencies, shape.tile_rows, shape.tile_columns}};
    hid_t dataset = hdf5_dataset_create(group, &layout, error);
    TRY_MADE(dataset >= 0);
    pw_status status = copy_spectra(dataset, &shape, lattice, simulation, run, error);
    THEN(status, hdf5_scale_attach(dataset, 0, file, "frequency", error));
    THEN(status, hdf5_scale_attach(dataset, 1, group, result_axis_names[lattice->row_axis], error));
    THEN(status, hdf5_scale_attach(dataset, 2, group, result_axis_names[lattice->column_axis], error));
    return hdf5_dataset_close(dataset, lattice->component, status, error);
}

/* ---- sheets ------------------------------------------------------------------------------------------------------ */

/* "z1.500_ez": the plane as it was asked for and the component; a second one of that name ends in _2. In two dimensions
 * the component alone. */
static void sheet_name(hid_t spectra, const struct setup *setup, const struct setup_sheet *sheet, char name[NAME_SIZE])
{
    const char *component = component_word(setup->scenario->horizontal, (int)sheet->component % 3);
    int length = setup_is_3d(setup)
                     ? snprintf(name, NAME_SIZE, "%s%.3f_%s", result_axis_names[sheet->normal], sheet->asked, component)
                     : snprintf(name, NAME_SIZE, "%s", component);
    for (int n = 2; H5Lexists(spectra, name, H5P_DEFAULT) > 0; n++) {
        snprintf(name + length, NAME_SIZE - (size_t)length, "_%d", n);
    }
}

static pw_status write_sheet_members(hid_t file, hid_t group, int s, const struct simulation *simulation, int run,
                                     pw_error *error)
{
    const struct setup_sheet *sheet = &simulation->setup->sheets[s];
    const struct lattice lattice = result_lattice(simulation->setup, s);
    TRY(hdf5_write_fixed_text(group, "component", lattice.component, error));
    TRY(hdf5_write_fixed_text(group, "normal", result_axis_names[sheet->normal], error));
    TRY(hdf5_write_number(group, "asked", sheet->asked, error));
    TRY(hdf5_write_number(group, "position", sheet->position, error));
    return write_lattice(file, group, &lattice, simulation, run, error);
}

static pw_status write_sheets(hid_t file, hid_t spectra, const struct simulation *simulation, int run, pw_error *error)
{
    const struct setup *setup = simulation->setup;
    for (int s = 0; s < setup->problem.spectra.sheet_count; s++) {
        char name[NAME_SIZE];
        sheet_name(spectra, setup, &setup->sheets[s], name);
        OWNED_ID hid_t group = hdf5_group_create(spectra, name, error);
        TRY_MADE(group >= 0);
        TRY(write_sheet_members(file, group, s, simulation, run, error));
    }
    return PW_OK;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

pw_status result_write_spectra(hid_t file, hid_t transmitter, const struct simulation *simulation, int run,
                               pw_error *error)
{
    const struct problem *problem = &simulation->setup->problem;
    const struct spectra *spectra = &problem->spectra;
    if (spectra->frequency_count == 0 || spectra->rows == 0 || spectra->columns == 0) {
        return PW_OK;
    }
    OWNED_ID hid_t group = hdf5_group_create(transmitter, "spectra", error);
    TRY_MADE(group >= 0);
    if (problem->formulation == FORMULATION_MAXWELL3D) {
        return write_sheets(file, group, simulation, run, error);
    }
    const struct lattice lattice = result_lattice(simulation->setup, 0);
    return write_lattice(file, group, &lattice, simulation, run, error);
}
