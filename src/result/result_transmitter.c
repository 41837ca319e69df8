/* The part of a result file that one transmitter fills: its drive, the field at the receivers, the running spectra. */
#include "result/result_parts.h"

#include "run/delay_warning.h"

#include <stdlib.h>
#include <string.h>

enum {
    SPECTRA_TILE = 8,        /* cells, a side */
    SPECTRA_CHUNK = 1 << 20, /* bytes of a chunk, as long as one cell fits */
    BLOCK_ELEMENTS = 1 << 24 /* doubles of a block of spectra held in memory, as long as one row fits */
};

/* A time series over the steps with its axis attached, and the interval and the first time as attributes. */
static pw_status write_series(hid_t group, const struct layout *layout, const double *values, hid_t axis_group,
                              const char *axis, double interval, double first, pw_error *error)
{
    hid_t dataset = hdf5_dataset_create(group, layout, error);
    if (dataset < 0) {
        return PW_NO_RESOURCE;
    }
    pw_status status = hdf5_block_write(dataset, (hsize_t[]){0}, layout->extent, H5T_NATIVE_DOUBLE, values, error);
    if (status == PW_OK) {
        status = hdf5_write_number(dataset, "sample_interval", interval, error);
    }
    if (status == PW_OK) {
        status = hdf5_write_number(dataset, "first_sample_time", first, error);
    }
    if (status == PW_OK) {
        status = hdf5_scale_attach(dataset, 0, axis_group, axis, error);
    }
    if (H5Dclose(dataset) < 0 && status == PW_OK) {
        status = hdf5_fail(error, PW_NO_RESOURCE, "cannot close dataset '%s'", layout->name);
    }
    return status;
}

static pw_status write_transmitter_attributes(hid_t group, const struct transmitter_choice *choice,
                                              const struct simulation *simulation, pw_error *error)
{
    bool line = choice->to.x != choice->at.x || choice->to.y != choice->at.y;
    TRY(hdf5_write_numbers(group, "position", (double[]){choice->at.x, choice->at.y}, 2, error));
    if (line) {
        TRY(hdf5_write_numbers(group, "position_to", (double[]){choice->to.x, choice->to.y}, 2, error));
    }
    TRY(hdf5_write_number(group, "power", choice->power, error));
    TRY(hdf5_write_text(group, "power_units", "dBm", error));
    TRY(hdf5_write_text(group, "source", choice->source == SOURCE_HARD ? "hard" : "soft", error));
    TRY(hdf5_write_text(group, "shape", line ? "line" : "point", error));
    TRY(hdf5_write_integer(group, "hard", choice->source == SOURCE_HARD, error));
    TRY(hdf5_write_integer(group, "sampled_at_step_end", choice->sampled_at_step_end, error));
    TRY(hdf5_write_integer(group, "steps_done", simulation->step, error));
    return hdf5_write_text(group, "stop_reason",
                           simulation->stop_reason != NULL ? simulation->stop_reason : "not finished", error);
}

/* The looks at the electric energy, against the largest of them. */
static pw_status write_energy(hid_t group, const struct simulation *simulation, int run, pw_error *error)
{
    const struct energy_history *history = simulation->history != NULL ? &simulation->history[run] : NULL;
    double peak = history != NULL ? simulation->peak_energy[run] : 0;
    if (history == NULL || history->count == 0 || !(peak > 0)) {
        return PW_OK;
    }
    size_t count = (size_t)history->count;
    double *values = allocate(2 * count, sizeof *values, "the history of the energy", error);
    if (values == NULL) {
        return PW_NO_RESOURCE;
    }
    for (size_t n = 0; n < count; n++) {
        values[n] = history->step[n] * simulation->setup->problem.time_step;
        values[count + n] = history->energy[n] / peak;
    }
    struct layout time = {.name = "energy_time",
                          .units = "s",
                          .long_name = "time of the look at the energy",
                          .type = H5T_IEEE_F64LE,
                          .rank = 1,
                          .extent = {count}};
    struct layout energy = time;
    energy.name = "energy";
    energy.units = "1";
    energy.long_name = "electric energy in the grid, against its largest value";
    pw_status status = hdf5_dataset_write(group, &time, H5T_NATIVE_DOUBLE, values, error);
    hid_t dataset = status == PW_OK ? hdf5_dataset_create(group, &energy, error) : H5I_INVALID_HID;
    if (dataset >= 0) {
        status =
            hdf5_block_write(dataset, (hsize_t[]){0}, (hsize_t[]){count}, H5T_NATIVE_DOUBLE, values + count, error);
        if (status == PW_OK) {
            status = hdf5_scale_attach(dataset, 0, group, "energy_time", error);
        }
        H5Dclose(dataset);
    } else if (status == PW_OK) {
        status = PW_NO_RESOURCE;
    }
    free(values);
    return status;
}

/* What drives the transmitter: a current for a soft source, a field for a hard one. */
static pw_status write_drive(hid_t group, const struct source *source, const struct simulation *simulation, int run,
                             pw_error *error)
{
    const struct problem *problem = &simulation->setup->problem;
    double dt = problem->time_step, first = source->sampled_at_step_end ? dt : 0.5 * dt;
    TRY(result_write_axis(group, "waveform_time", "s", "time of the sample of the waveform", simulation->step, first,
                          dt, error));
    struct layout waveform = {.name = "waveform",
                              .units = source->hard ? "V/m" : "A",
                              .long_name = source->hard ? "imposed electric field" : "line current",
                              .type = H5T_IEEE_F64LE,
                              .rank = 1,
                              .extent = {(hsize_t)simulation->step}};
    TRY(write_series(group, &waveform, source->current, group, "waveform_time", dt, first, error));
    int count = simulation->setup->frequency_count;
    if (count == 0) {
        return PW_OK;
    }
    double *spectrum = allocate(2 * (size_t)count, sizeof *spectrum, "a spectrum", error);
    if (spectrum == NULL) {
        return PW_NO_RESOURCE;
    }
    hid_t type = hdf5_complex_type(H5T_IEEE_F64LE), memory = hdf5_complex_type(H5T_NATIVE_DOUBLE);
    struct layout layout = {.name = "spectrum",
                            .units = source->hard ? "V/m s" : "A s",
                            .long_name = "Fourier transform of the waveform",
                            .type = type,
                            .rank = 1,
                            .extent = {(hsize_t)count}};
    pw_status status = pw_simulation_source_spectrum(simulation, run, spectrum, error);
    if (status == PW_OK) {
        status = hdf5_dataset_write(group, &layout, memory, spectrum, error);
    }
    H5Tclose(memory);
    H5Tclose(type);
    free(spectrum);
    return status;
}

static pw_status attach_frequency(hid_t file, hid_t group, const char *name, unsigned dimension, pw_error *error)
{
    hid_t dataset = H5Dopen2(group, name, H5P_DEFAULT);
    pw_status status = hdf5_scale_attach(dataset, dimension, file, "frequency", error);
    H5Dclose(dataset);
    return status;
}

static pw_status write_receiver(hid_t transmitter, hid_t receivers, const struct receiver_choice *choice,
                                const struct simulation *simulation, const double *ez, pw_error *error)
{
    double dt = simulation->setup->problem.time_step;
    hid_t group = hdf5_group_create(receivers, choice->name, error);
    if (group < 0) {
        return PW_NO_RESOURCE;
    }
    pw_status status = hdf5_write_numbers(group, "position", (double[]){choice->at.x, choice->at.y}, 2, error);
    if (status == PW_OK) {
        status = hdf5_write_number(group, "gain", choice->gain, error);
    }
    if (status == PW_OK) {
        status = hdf5_write_text(group, "gain_units", "dBi", error);
    }
    struct layout layout = {.name = "ez",
                            .units = "V/m",
                            .long_name = "electric field at the receiver",
                            .type = H5T_IEEE_F64LE,
                            .rank = 1,
                            .extent = {(hsize_t)simulation->step}};
    if (status == PW_OK) {
        status = write_series(group, &layout, ez, transmitter, "time", dt, dt, error);
    }
    H5Gclose(group);
    return status;
}

static pw_status write_receivers(hid_t group, const struct simulation *simulation, int run, pw_error *error)
{
    const struct scenario *scenario = simulation->setup->scenario;
    double dt = simulation->setup->problem.time_step;
    TRY(result_write_axis(group, "time", "s", "time of the sample of Ez", simulation->step, dt, dt, error));
    hid_t receivers = hdf5_group_create(group, "receivers", error);
    if (receivers < 0) {
        return PW_NO_RESOURCE;
    }
    size_t steps = (size_t)simulation->step, count = (size_t)scenario->receiver_count;
    double *ez = allocate(count * steps, sizeof *ez, "the field at the receivers", error);
    pw_status status = ez == NULL ? PW_NO_RESOURCE : pw_simulation_receivers(simulation, run, ez, error);
    for (size_t r = 0; status == PW_OK && r < count; r++) {
        status = write_receiver(group, receivers, &scenario->receivers[r], simulation, ez + r * steps, error);
    }
    free(ez);
    H5Gclose(receivers);
    return status;
}

/* ---- spectra ----------------------------------------------------------------------------------------------------- */

/* All frequencies of a square of cells: one cell's spectrum is one read. The square shrinks until a chunk is about a
 * megabyte. */
static void choose_tile(const struct spectra *spectra, size_t element, hsize_t *rows, hsize_t *columns)
{
    hsize_t tile = SPECTRA_TILE;
    while (tile > 1 && (hsize_t)spectra->frequency_count * tile * tile * element > SPECTRA_CHUNK) {
        tile /= 2;
    }
    *rows = (hsize_t)spectra->rows < tile ? (hsize_t)spectra->rows : tile;
    *columns = (hsize_t)spectra->columns < tile ? (hsize_t)spectra->columns : tile;
}

/* Doubles to the run's own precision, in place: exact, since that is what the backend holds. */
static void narrow(double *values, size_t count)
{
    float *narrowed = (float *)values;
    for (size_t n = 0; n < count; n++) {
        float value = (float)values[n];
        memcpy(&narrowed[n], &value, sizeof value);
    }
}

/* Whole rows of tiles at a time, as many as fit into the block. */
static pw_status copy_spectra(hid_t dataset, hid_t memory_type, hsize_t tile_rows, const struct simulation *simulation,
                              int run, pw_error *error)
{
    const struct spectra *spectra = &simulation->setup->problem.spectra;
    bool single = simulation->setup->problem.precision == PW_SINGLE;
    size_t row = 2 * (size_t)spectra->frequency_count * (size_t)spectra->columns;
    hsize_t fit = BLOCK_ELEMENTS / row;
    hsize_t step = fit < tile_rows ? (fit > 0 ? fit : 1) : fit / tile_rows * tile_rows;
    int block = step > (hsize_t)spectra->rows ? spectra->rows : (int)step;
    double *values = allocate(row * (size_t)block, sizeof *values, "a block of spectra", error);
    pw_status status = values == NULL ? PW_NO_RESOURCE : PW_OK;
    for (int first = 0; status == PW_OK && first < spectra->rows; first += block) {
        int rows = spectra->rows - first < block ? spectra->rows - first : block;
        hsize_t start[3] = {0, (hsize_t)first, 0};
        hsize_t count[3] = {(hsize_t)spectra->frequency_count, (hsize_t)rows, (hsize_t)spectra->columns};
        status = pw_simulation_spectra(simulation, run, first, rows, values, error);
        if (status == PW_OK) {
            if (single) {
                narrow(values, row * (size_t)rows);
            }
            status = hdf5_block_write(dataset, start, count, memory_type, values, error);
        }
    }
    free(values);
    return status;
}

static pw_status write_spectra_members(hid_t file, hid_t group, hid_t type, const struct simulation *simulation,
                                       int run, pw_error *error)
{
    const struct setup *setup = simulation->setup;
    const struct spectra *spectra = &setup->problem.spectra;
    double cell = setup->problem.axis[0].spacing, pitch = spectra->spacing * cell;
    TRY(result_write_axis(group, "x", "m", "x of the cell in the plan", spectra->columns,
                          setup->origin.x + spectra->x0 * cell, pitch, error));
    TRY(result_write_axis(group, "y", "m", "y of the cell in the plan", spectra->rows,
                          setup->origin.y + spectra->y0 * cell, pitch, error));
    struct layout layout = {
        .name = "ez",
        .units = "V/m s",
        .long_name = "Fourier transform of the electric field",
        .type = type,
        .rank = 3,
        .extent = {(hsize_t)spectra->frequency_count, (hsize_t)spectra->rows, (hsize_t)spectra->columns},
        .chunk = {(hsize_t)spectra->frequency_count}};
    choose_tile(spectra, H5Tget_size(type), &layout.chunk[1], &layout.chunk[2]);
    hid_t dataset = hdf5_dataset_create(group, &layout, error);
    if (dataset < 0) {
        return PW_NO_RESOURCE;
    }
    hid_t memory = hdf5_complex_type(setup->problem.precision == PW_DOUBLE ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT);
    pw_status status = copy_spectra(dataset, memory, layout.chunk[1], simulation, run, error);
    H5Tclose(memory);
    if (status == PW_OK && (hdf5_scale_attach(dataset, 0, file, "frequency", error) != PW_OK ||
                            hdf5_scale_attach(dataset, 1, group, "y", error) != PW_OK ||
                            hdf5_scale_attach(dataset, 2, group, "x", error) != PW_OK)) {
        status = PW_NO_RESOURCE;
    }
    if (H5Dclose(dataset) < 0 && status == PW_OK) {
        status = hdf5_fail(error, PW_NO_RESOURCE, "cannot close the spectra");
    }
    return status;
}

static pw_status write_spectra(hid_t file, hid_t transmitter, const struct simulation *simulation, int run,
                               pw_error *error)
{
    const struct spectra *spectra = &simulation->setup->problem.spectra;
    if (spectra->frequency_count == 0 || spectra->rows == 0 || spectra->columns == 0) {
        return PW_OK;
    }
    hid_t group = hdf5_group_create(transmitter, "spectra", error);
    if (group < 0) {
        return PW_NO_RESOURCE;
    }
    hid_t type = hdf5_complex_type(simulation->setup->problem.precision == PW_DOUBLE ? H5T_IEEE_F64LE : H5T_IEEE_F32LE);
    pw_status status = write_spectra_members(file, group, type, simulation, run, error);
    H5Tclose(type);
    H5Gclose(group);
    return status;
}
pw_status result_write_transmitter(hid_t file, hid_t group, const struct simulation *simulation, int run,
                                   pw_error *error)
{
    const struct setup *setup = simulation->setup;
    int t = simulation->first + run;
    TRY(write_transmitter_attributes(group, &setup->scenario->transmitters[t], simulation, error));
    TRY(hdf5_write_number(group, "waveform_centre", simulation_pulse_centre(simulation, run), error));
    TRY(write_drive(group, &setup->problem.sources[t], simulation, run, error));
    TRY(write_energy(group, simulation, run, error));
    if (setup->frequency_count > 0) {
        TRY(attach_frequency(file, group, "spectrum", 0, error));
    }
    if (setup->scenario->receiver_count > 0) {
        TRY(write_receivers(group, simulation, run, error));
    }
    return write_spectra(file, group, simulation, run, error);
}
