/* The part of a result file that one transmitter fills: its drive and the field at the receivers. Its running spectra
 * are in result_spectra.c. */
#include "result/antenna/result_antenna.h"
#include "run/write/result_parts.h"

#include "discretize/formulation.h"
#include "discretize/volume/volume.h"
#include "run/delay_warning.h"

#include <math.h>
#include <string.h>

/* A time series over the steps with its axis attached, and the interval and the first time as attributes. */
static pw_status write_series(hid_t group, const struct layout *layout, const double *values, hid_t axis_group,
                              const char *axis, double interval, double first, pw_error *error)
{
    hid_t dataset = hdf5_dataset_create(group, layout, error);
    TRY_MADE(dataset >= 0);
    pw_status status = hdf5_block_write(dataset, (hsize_t[]){0}, layout->extent, H5T_NATIVE_DOUBLE, values, error);
    THEN(status, hdf5_write_number(dataset, "sample_interval", interval, error));
    THEN(status, hdf5_write_number(dataset, "first_sample_time", first, error));
    THEN(status, hdf5_scale_attach(dataset, 0, axis_group, axis, error));
    return hdf5_dataset_close(dataset, layout->name, status, error);
}

/* x and y, in three dimensions the height too: what has none of its own stands at the usual one. */
static pw_status write_position(hid_t group, const char *name, const struct setup *setup, struct point at,
                                double height, pw_error *error)
{
    return hdf5_write_numbers(group, name, (double[]){at.x, at.y, volume_height(height)},
                              (size_t)setup->scenario->dimensions, error);
}

/* In two dimensions of those alone that were given one; of a line that rises, its middle. */
static pw_status write_height(hid_t group, const struct setup *setup, double height, double to_height, pw_error *error)
{
    if (setup_is_3d(setup)) {
        return hdf5_write_number(group, "height", volume_height(height), error);
    }
    return isnan(height) ? PW_OK : hdf5_write_number(group, "height", 0.5 * (height + to_height), error);
}

static pw_status write_polarisation(hid_t group, const struct direction *along, pw_error *error)
{
    return hdf5_write_numbers(group, "polarisation", (double[]){along->x, along->y, along->z}, 3, error);
}

static pw_status write_transmitter_attributes(hid_t group, const struct transmitter_choice *choice,
                                              const struct simulation *simulation, pw_error *error)
{
    const struct setup *setup = simulation->setup;
    bool line = choice->to.x != choice->at.x || choice->to.y != choice->at.y ||
                volume_level(setup, choice->to_height) != volume_level(setup, choice->height);
    TRY(write_position(group, "position", setup, choice->at, choice->height, error));
    if (line) {
        TRY(write_position(group, "position_to", setup, choice->to, choice->to_height, error));
    }
    TRY(write_height(group, setup, choice->height, choice->to_height, error));
    if (setup->formulation->components > 1) {
        const bool loop = setup->scenario->horizontal && choice->polarisation.z != 0;
        TRY(write_polarisation(group, &choice->polarisation, error));
        if (setup->scenario->horizontal) {
            TRY(hdf5_write_fixed_text(group, "antenna", loop ? "loop" : "hertzian", error));
        }
    }
    TRY(result_write_antenna(group, &choice->antenna, error));
    TRY(result_write_port(group, &choice->port, error));
    if (choice->has_conducted) {
        TRY(hdf5_write_number(group, "conducted_power", choice->conducted, error));
    }
    TRY(hdf5_write_number(group, "power", choice->power, error));
    TRY(hdf5_write_text(group, "power_units", "dBm", error));
    if (choice->channel.number > 0) {
        TRY(hdf5_write_integer(group, "channel", choice->channel.number, error));
        TRY(hdf5_write_number(group, "channel_band", choice->channel.band, error));
        TRY(hdf5_write_number(group, "channel_width", choice->channel.width, error));
    }
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
    OWNED double *values = allocate(2 * count, sizeof *values, "the history of the energy", error);
    TRY_MADE(values);
    for (size_t n = 0; n < count; n++) {
        values[n] = history->step[n] * simulation->setup->problem.time_step;
        values[count + n] = history->energy[n] / peak;
    }
    const struct layout time = layout_of_row("energy_time", "s", "time of the look at the energy", count);
    const struct layout energy =
        layout_of_row("energy", "1", "electric energy in the grid, against its largest value", count);
    TRY(hdf5_dataset_write(group, &time, H5T_NATIVE_DOUBLE, values, error));
    TRY(hdf5_dataset_write(group, &energy, H5T_NATIVE_DOUBLE, values + count, error));
    return hdf5_scale_attach_to(group, "energy", group, "energy_time", error);
}

/* What drives the transmitter: a current for a soft source, a field for a hard one. */
static pw_status write_drive(hid_t group, const struct source *source, const struct simulation *simulation, int run,
                             pw_error *error)
{
    const struct problem *problem = &simulation->setup->problem;
    double dt = problem->time_step, first = source->sampled_at_step_end ? dt : 0.5 * dt;
    TRY(result_write_axis(group, "waveform_time", "s", "time of the sample of the waveform", simulation->step, first,
                          dt, error));
    const struct scenario *scenario = simulation->setup->scenario;
    const struct transmitter_choice *choice = &scenario->transmitters[source - problem->sources];
    /* Of a horizontal dipole line the moment per metre of z, of a loop the magnetic current over eta0. */
    bool moment = simulation->setup->formulation->moment, flat = scenario->horizontal;
    const char *current = moment ? "A m" : "A";
    const char *long_name = source->hard                  ? "imposed electric field"
                            : moment                      ? "current moment"
                            : !flat                       ? "line current"
                            : choice->polarisation.z != 0 ? "magnetic line current over eta0"
                                                          : "current moment per metre of z";
    const struct layout waveform =
        layout_of_row("waveform", source->hard ? "V/m" : current, long_name, (size_t)simulation->step);
    TRY(write_series(group, &waveform, source->current, group, "waveform_time", dt, first, error));
    int count = simulation->setup->frequency_count;
    if (count == 0) {
        return PW_OK;
    }
    OWNED double *spectrum = allocate(2 * (size_t)count, sizeof *spectrum, "a spectrum", error);
    TRY_MADE(spectrum);
    OWNED_ID hid_t type = hdf5_complex_type(H5T_IEEE_F64LE), memory = hdf5_complex_type(H5T_NATIVE_DOUBLE);
    struct layout layout = layout_of_row("spectrum",
                                         source->hard ? "V/m s"
                                         : moment     ? "A m s"
                                                      : "A s",
                                         "Fourier transform of the waveform", (size_t)count);
    layout.type = type;
    TRY(pw_simulation_source_spectrum(simulation, run, spectrum, error));
    return hdf5_dataset_write(group, &layout, memory, spectrum, error);
}

/* Ez at every step, or Ex, Ey and Ez: `e` (components, steps). */
static pw_status write_receiver_series(hid_t transmitter, hid_t group, const struct simulation *simulation,
                                       const double *e, pw_error *error)
{
    static const char *const long_names[3] = {"electric field along x at the receiver",
                                              "electric field along y at the receiver",
                                              "electric field along z at the receiver"};
    double dt = simulation->setup->problem.time_step;
    const int components = simulation->setup->formulation->components;
    const bool flat = simulation->setup->scenario->horizontal;
    for (int c = 3 - components; c < 3; c++) {
        const bool magnetic = flat && c == 2;
        const char *long_name = magnetic         ? "eta0 times the magnetic field along z, half a step before time"
                                : components > 1 ? long_names[c]
                                                 : "electric field at the receiver";
        const struct layout layout = layout_of_row(component_word(flat, c), "V/m", long_name, (size_t)simulation->step);
        TRY(write_series(group, &layout, e, transmitter, "time", dt, dt, error));
        e += simulation->step;
    }
    return PW_OK;
}

static pw_status write_receiver(hid_t transmitter, hid_t group, const struct receiver_choice *choice,
                                const struct simulation *simulation, const double *e, pw_error *error)
{
    const struct setup *setup = simulation->setup;
    TRY(write_position(group, "position", setup, choice->at, choice->height, error));
    const bool several = setup->formulation->components > 1;
    if (!setup_is_3d(setup)) {
        TRY(write_height(group, setup, choice->height, choice->height, error));
    }
    if (several) {
        TRY(write_polarisation(group, &choice->polarisation, error));
    }
    TRY(hdf5_write_number(group, "gain", choice->gain, error));
    TRY(hdf5_write_text(group, "gain_units", "dBi", error));
    TRY(result_write_port(group, &choice->port, error));
    if (!several || choice->antenna.kind == ANTENNA_HALF_WAVE || choice->antenna.kind == ANTENNA_PATTERN) {
        /* others take in the field at a point */
        TRY(result_write_antenna(group, &choice->antenna, error));
    }
    return write_receiver_series(transmitter, group, simulation, e, error);
}

static pw_status write_receivers(hid_t group, const struct simulation *simulation, int run, pw_error *error)
{
    const struct scenario *scenario = simulation->setup->scenario;
    const int components = simulation->setup->formulation->components;
    double dt = simulation->setup->problem.time_step;
    TRY(result_write_axis(group, "time", "s", components > 1 ? "time of the sample of E" : "time of the sample of Ez",
                          simulation->step, dt, dt, error));
    OWNED_ID hid_t receivers = hdf5_group_create(group, "receivers", error);
    TRY_MADE(receivers >= 0);
    size_t count = (size_t)scenario->receiver_count, size = (size_t)simulation->step * (size_t)components;
    OWNED double *e = allocate(count * size, sizeof *e, "the field at the receivers", error);
    TRY_MADE(e);
    TRY(components > 1 ? pw_simulation_receiver_components(simulation, run, e, error)
                       : pw_simulation_receivers(simulation, run, e, error));
    for (size_t r = 0; r < count; r++) {
        OWNED_ID hid_t member = hdf5_group_create(receivers, scenario->receivers[r].name, error);
        TRY_MADE(member >= 0);
        TRY(write_receiver(group, member, &scenario->receivers[r], simulation, e + r * size, error));
    }
    return PW_OK;
}

pw_status result_write_transmitter(hid_t file, hid_t group, const struct simulation *simulation, int run,
                                   pw_error *error)
{
    const struct setup *setup = simulation->setup;
    int t = simulation->first + run;
    TRY(write_transmitter_attributes(group, &setup->scenario->transmitters[t], simulation, error));
    if (setup->arrays != NULL && setup->arrays[t].count > 0) {
        const struct array_report *array = &setup->arrays[t];
        TRY(hdf5_write_number(group, "pattern_error", array->error, error));
        TRY(hdf5_write_number(group, "pattern_error_centre", array->error_centre, error));
        TRY(hdf5_write_number(group, "pattern_radius", array->radius, error));
        TRY(hdf5_write_integer(group, "pattern_currents", array->count, error));
    }
    const struct pulse_time pulse = simulation_pulse_time(simulation, run);
    TRY(hdf5_write_number(group, "waveform_centre", pulse.centre, error));
    TRY(hdf5_write_number(group, "waveform_length", pulse.length, error));
    TRY(write_drive(group, &setup->problem.sources[t], simulation, run, error));
    TRY(write_energy(group, simulation, run, error));
    if (setup->frequency_count > 0) {
        TRY(hdf5_scale_attach_to(group, "spectrum", file, "frequency", error));
    }
    if (setup->scenario->receiver_count > 0) {
        TRY(write_receivers(group, simulation, run, error));
    }
    return result_write_spectra(file, group, simulation, run, error);
}
