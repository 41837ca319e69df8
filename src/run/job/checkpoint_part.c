/* Writes and reads the arrays of a checkpoint, a block of rows at a time, in the precision of the run. Each array
 * carries a CRC-32 of its bytes as stored. */
#include "run/job/checkpoint_part.h"
#include "backend/run_memory.h"
#include "base/file/hdf5_read.h"
#include "base/file/hdf5_write.h"
#include "base/numbers/narrow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { BLOCK_VALUES = 1 << 21 };

/* Fields and filters by their enum state_array, in two dimensions and where all components are solved. */
static const char *const PLANE_NAMES[] = {"ez", "increment", "x_half", "x_node", "y_half", "y_node"};
static const char *const VOLUME_NAMES[] = {"ex",   "ey",   "ez",   "hx",   "hy",   "hz",   "x_ey", "x_ez", "x_hy",
                                           "x_hz", "y_ez", "y_ex", "y_hz", "y_hx", "z_ex", "z_ey", "z_hx", "z_hy"};

/* As rows along x. */
static struct part part_of_array(const struct problem *problem, struct run_state *state, int array)
{
    const bool volume = problem->formulation == FORMULATION_MAXWELL3D;
    int64_t extent[3];
    state_array_extent(problem, array, extent);
    return (struct part){.name = (volume ? VOLUME_NAMES : PLANE_NAMES)[array],
                         .array = *state_array(problem, state, array),
                         .rows = extent[2] * extent[1],
                         .width = (size_t)extent[0],
                         .planes = 1,
                         .number = array};
}

int checkpoint_parts_list(const struct setup *setup, const struct run_state *state, bool finished,
                          struct part parts[PART_LIMIT])
{
    const struct problem *problem = &setup->problem;
    const bool series = problem->probe_slots > 0;
    const size_t receivers = (size_t)setup->scenario->receiver_count, probes = (size_t)problem->probe_count;
    const struct spectra *spectra = &problem->spectra;
    size_t columns = (size_t)spectra->columns, frequencies = (size_t)spectra->frequency_count;
    size_t waiting = (size_t)spectra_waiting(spectra, state->step);
    struct part all[PART_LIMIT] = {
        {"spectra", state->spectra, spectra->rows, 2 * columns, frequencies, stepper_read_spectra, PART_RECORD},
        {"samples", state->samples, spectra->rows, columns, waiting, stepper_read_samples, PART_RECORD},
        {"probes", state->probes, state->step, series ? 0 : probes, 1, NULL, PART_RECORD},
        {"receivers", state->series, state->step, series ? receivers : 0, 1, NULL, PART_SERIES},
    };
    struct run_state seen = *state;
    int listed = 4, count = 0;
    if (!finished) {
        for (int array = 0; array < state_array_count(problem); array++) {
            all[listed++] = part_of_array(problem, &seen, array);
        }
        for (const struct run_memory *const *memory = RUN_MEMORIES; *memory != NULL; memory++) {
            all[listed++] =
                (struct part){(*memory)->name, *run_memory_in(*memory, &seen), (*memory)->count(problem), 1, 1, NULL,
                              (*memory)->array};
        }
    }
    for (int p = 0; p < listed; p++) {
        if (all[p].rows > 0 && all[p].width > 0 && all[p].planes > 0) {
            parts[count++] = all[p];
        }
    }
    return count;
}

static bool is_single(const struct part *part, const struct simulation *simulation)
{
    return part->number != PART_SERIES && simulation->setup->problem.precision == PW_SINGLE;
}

static size_t row_values(const struct part *part)
{
    return part->planes * part->width;
}

/* Copies rows first..first+count-1 of `rows` between the order of the disk, (row; plane, column), and that of memory,
 * (plane, row, column). */
static void order_planes(const struct part *part, int64_t count, double *by_row, double *by_plane, size_t rows,
                         size_t first, bool to_disk)
{
    for (size_t r = 0; r < (size_t)count; r++) {
        for (size_t k = 0; k < part->planes; k++) {
            double *disk = by_row + (r * part->planes + k) * part->width;
            double *memory = by_plane + (k * rows + first + r) * part->width;
            memcpy(to_disk ? disk : memory, to_disk ? memory : disk, part->width * sizeof *disk);
        }
    }
}

static int64_t rows_at_once(const struct part *part)
{
    int64_t fit = BLOCK_VALUES / (int64_t)row_values(part);
    fit = fit > 0 ? fit : 1;
    return fit < part->rows ? fit : part->rows;
}

/* crc32() takes lengths of 32 bits, so long arrays go in pieces. */
static uLong checksum_more(uLong sum, const void *bytes, size_t size)
{
    const unsigned char *next = bytes;
    for (; size > 0;) {
        uInt some = size > (1U << 30) ? 1U << 30 : (uInt)size;
        sum = crc32(sum, next, some);
        next += some;
        size -= some;
    }
    return sum;
}

/* Fetches rows of a part as doubles, in the order of the disk. */
static pw_status take_rows(const struct part *part, const struct simulation *simulation, int run, int64_t first,
                           int64_t count, double *block, double *scratch, pw_error *error)
{
    const int64_t width = (int64_t)part->width;
    if (part->read == NULL && part->array == NULL) {
        const struct state_rows rows = {part->number, first * width, (first + count) * width, block};
        return stepper_rows(simulation->stepper, &simulation->setup->problem, run, &rows, true, error);
    }
    if (part->read == NULL) {
        memcpy(block, part->array + (size_t)first * part->width, (size_t)count * part->width * sizeof *block);
        return PW_OK;
    }
    TRY(part->read(simulation->stepper, run, (int)first, (int)count, scratch, error));
    order_planes(part, count, block, scratch, (size_t)count, 0, true);
    return PW_OK;
}

static pw_status write_rows(hid_t dataset, const struct part *part, const struct simulation *simulation, int run,
                            double *block, double *scratch, pw_error *error)
{
    bool single = is_single(part, simulation);
    hid_t type = single ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
    uLong sum = crc32(0, Z_NULL, 0);
    for (int64_t first = 0, step = rows_at_once(part); first < part->rows; first += step) {
        int64_t count = part->rows - first < step ? part->rows - first : step;
        size_t values = (size_t)count * row_values(part);
        TRY(take_rows(part, simulation, run, first, count, block, scratch, error));
        if (single) {
            narrow_values(block, values);
        }
        sum = checksum_more(sum, block, values * (single ? sizeof(float) : sizeof(double)));
        TRY(hdf5_block_write(dataset, (hsize_t[]){(hsize_t)first, 0}, (hsize_t[]){(hsize_t)count, row_values(part)},
                             type, block, error));
    }
    return hdf5_write_integer(dataset, "crc32", (int64_t)sum, error);
}

/* `block` is in the order of the disk, `scratch` in the solver's. */
pw_status checkpoint_part_write(hid_t group, const struct part *part, const struct simulation *simulation, int run,
                                pw_error *error)
{
    struct layout layout = {.name = part->name,
                            .units = "",
                            .long_name = "state of a run",
                            .type = is_single(part, simulation) ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE,
                            .rank = 2,
                            .extent = {(hsize_t)part->rows, row_values(part)}};
    size_t values = (size_t)rows_at_once(part) * row_values(part);
    OWNED double *block = allocate(values, sizeof *block, "a block of a checkpoint", error);
    OWNED double *scratch =
        allocate(part->read != NULL ? values : 1, sizeof *scratch, "a block of a checkpoint", error);
    TRY_MADE(block != NULL && scratch != NULL);
    hid_t dataset = hdf5_dataset_create(group, &layout, error);
    TRY_MADE(dataset >= 0);
    const pw_status status = write_rows(dataset, part, simulation, run, block, scratch, error);
    return hdf5_dataset_close(dataset, part->name, status, error);
}

static pw_status read_rows(hid_t dataset, const struct part *part, const struct simulation *simulation, int run,
                           double *block, uLong *sum, pw_error *error)
{
    const bool single = is_single(part, simulation);
    const int64_t width = (int64_t)part->width;
    hid_t type = single ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
    for (int64_t first = 0, step = rows_at_once(part); first < part->rows; first += step) {
        int64_t count = part->rows - first < step ? part->rows - first : step;
        size_t values = (size_t)count * row_values(part);
        TRY(hdf5_block_read_as(dataset, part->name, (hsize_t[]){(hsize_t)first, 0},
                               (hsize_t[]){(hsize_t)count, row_values(part)}, type, block, error));
        *sum = checksum_more(*sum, block, values * (single ? sizeof(float) : sizeof(double)));
        if (single) {
            widen_values(block, values);
        }
        if (part->array != NULL) {
            order_planes(part, count, block, part->array, (size_t)part->rows, (size_t)first, false);
        } else {
            const struct state_rows rows = {part->number, first * width, (first + count) * width, block};
            TRY(stepper_rows(simulation->stepper, &simulation->setup->problem, run, &rows, false, error));
        }
    }
    return PW_OK;
}

pw_status checkpoint_part_read(hid_t group, const struct part *part, const struct simulation *simulation, int run,
                               uint64_t file_bytes, pw_error *error)
{
    hsize_t extent[2] = {0, 0};
    OWNED_ID hid_t dataset = hdf5_dataset_open(group, part->name, ELEMENT_REAL, 2, file_bytes, extent, error);
    TRY_OPEN(dataset);
    int64_t stated = 0;
    uLong sum = crc32(0, Z_NULL, 0);
    OWNED double *block = NULL;
    TRY(hdf5_read_integer(dataset, "crc32", 0, UINT32_MAX, &stated, error));
    FAIL_IF(extent[0] != (hsize_t)part->rows || extent[1] != row_values(part), error, PW_BAD_INPUT,
            "'%s' has %llu x %llu values, not %lld x %zu", part->name, (unsigned long long)extent[0],
            (unsigned long long)extent[1], (long long)part->rows, row_values(part));
    block = allocate((size_t)rows_at_once(part) * row_values(part), sizeof *block, "a block of a checkpoint", error);
    TRY_MADE(block);
    TRY(read_rows(dataset, part, simulation, run, block, &sum, error));
    FAIL_IF((int64_t)sum != stated, error, PW_BAD_INPUT, "'%s' is damaged: its checksum is wrong", part->name);
    return PW_OK;
}

/* ---- the history of the energy ----------------------------------------------------------------------------------- */

/* One dataset (look, 2): steps done, energy. */
static const char history_name[] = "energy_history";

pw_status checkpoint_history_write(hid_t group, const struct energy_history *history, pw_error *error)
{
    size_t count = (size_t)history->count;
    if (count == 0) {
        return PW_OK;
    }
    OWNED double *looks = allocate(2 * count, sizeof *looks, "a checkpoint", error);
    TRY_MADE(looks);
    for (size_t n = 0; n < count; n++) {
        looks[2 * n] = history->step[n];
        looks[2 * n + 1] = history->energy[n];
    }
    struct layout layout = {.name = history_name,
                            .units = "1",
                            .long_name = "steps done and electric energy at every look",
                            .type = H5T_IEEE_F64LE,
                            .rank = 2,
                            .extent = {count, 2}};
    return hdf5_dataset_write(group, &layout, H5T_NATIVE_DOUBLE, looks, error);
}

static pw_status history_take(struct energy_history *history, const double *looks, size_t count, pw_error *error)
{
    energy_history_free(history);
    for (size_t n = 0; n < count; n++) {
        double step = looks[2 * n], energy = looks[2 * n + 1];
        FAIL_IF(!(step >= 0 && step < 1e15 && energy >= 0 && isfinite(energy)), error, PW_BAD_INPUT,
                "the history of the energy holds %g at step %g", energy, step);
        TRY(energy_history_add(history, (int64_t)step, energy, error));
    }
    return PW_OK;
}

pw_status checkpoint_history_read(hid_t group, uint64_t file_bytes, struct energy_history *history, pw_error *error)
{
    if (!hdf5_member_exists(group, history_name)) {
        return PW_OK;
    }
    hsize_t extent[2] = {0, 0}, start[2] = {0, 0};
    OWNED_ID hid_t dataset = hdf5_dataset_open(group, history_name, ELEMENT_REAL, 2, file_bytes, extent, error);
    TRY_OPEN(dataset);
    FAIL_IF(extent[1] != 2, error, PW_BAD_INPUT, "the history of the energy has %llu columns, not 2",
            (unsigned long long)extent[1]);
    OWNED double *looks = allocate(2 * (size_t)extent[0], sizeof *looks, "a checkpoint", error);
    TRY_MADE(looks);
    TRY(hdf5_block_read(dataset, history_name, start, extent, false, looks, error));
    return history_take(history, looks, (size_t)extent[0], error);
}
