/* What a set-up amounts to: the facts of the pre-flight table, its medium, its warnings and choices. */
#include "base/constants.h"
#include "discretize/setup.h"
#include "discretize/setup_bytes.h"
#include "problem/spectra/spectra.h"

#include <math.h>

double setup_upper_edge(const struct scenario *scenario)
{
    return scenario->band_centre + 0.5 * scenario->band_width;
}

double setup_cells_per_wavelength(const struct setup *setup)
{
    return SPEED_OF_LIGHT / (setup_upper_edge(setup->scenario) * setup->problem.axis[0].spacing *
                             sqrt(setup->transport->largest_permittivity));
}

int setup_absorber_cells(const struct setup *setup, int axis, int end)
{
    const struct grid_choice *grid = &setup->scenario->grid;
    const bool none = axis >= setup->scenario->dimensions || (end == 0 && grid->symmetric[axis]);
    return none ? 0 : absorber_cells_at(&grid->absorber, axis, end);
}

size_t pw_setup_warning_count(const pw_setup *setup)
{
    return setup->warnings.count;
}

size_t pw_setup_choice_count(const pw_setup *setup)
{
    return setup->choices.count;
}

const char *pw_setup_choice(const pw_setup *setup, size_t index)
{
    return index < setup->choices.count ? setup->choices.text[index] : "";
}

const char *pw_setup_scenario_text(const pw_setup *setup)
{
    return setup->chosen.text;
}

const char *pw_setup_warning(const pw_setup *setup, size_t index)
{
    return index < setup->warnings.count ? setup->warnings.text[index] : "";
}

double pw_setup_decay_time(const pw_setup *setup, double ratio)
{
    return energy_transport_decay_time(setup->transport, ratio);
}

/* Each level of three dimensions has a layer of the medium, which several may share. */
pw_status pw_setup_medium(const pw_setup *setup, double *relative_permittivity, double *conductivity,
                          bool *perfect_conductor, pw_error *error)
{
    FAIL_IF(setup == NULL, error, PW_USAGE, "pw_setup_medium: no set-up given");
    const struct medium *medium = &setup->medium;
    const size_t nodes = (size_t)medium->nx * (size_t)medium->ny;
    for (size_t k = 0; k < (size_t)setup->problem.axis[2].count; k++) {
        const uint16_t *index = setup_level(setup, 2, (int)k);
        for (size_t n = 0; n < nodes; n++) {
            const struct medium_entry *entry = &medium->palette[index[n]];
            size_t at = k * nodes + n;
            if (relative_permittivity != NULL) {
                relative_permittivity[at] = entry->relative_permittivity;
            }
            if (conductivity != NULL) {
                conductivity[at] = entry->conductivity;
            }
            if (perfect_conductor != NULL) {
                perfect_conductor[at] = entry->perfect_conductor;
            }
        }
    }
    return PW_OK;
}

/* Largest phase error per metre over the angle at the upper band edge in air. With warping the time step adds none. */
static double phase_error_per_metre(const struct setup *setup)
{
    const struct scenario *scenario = setup->scenario;
    double omega = 2 * M_PI * setup_upper_edge(scenario), worst = 0;
    double time_step = scenario->spectra.warp ? 0 : setup->problem.time_step;
    for (int k = 0; k <= 8; k++) {
        double numeric =
            stencil_wave_number(&setup->stencil, setup->problem.axis[0].spacing, time_step, omega, k * M_PI / 32);
        worst = fmax(worst, fabs(numeric - omega / SPEED_OF_LIGHT));
    }
    return worst;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t filled_up(uint64_t count, uint64_t tile)
{
    return (count + tile - 1) / tile * tile;
}

/* Samples that wait for the rest of their group when the run ends, for a point; where it may end early, as many as may.
 * In double precision zeros take the place of the rest. */
static uint64_t samples_left(const struct problem *problem)
{
    const int waiting = spectra_waiting(&problem->spectra, problem->steps);
    const bool whole = problem->decay > 0 || (waiting > 0 && problem->precision == PW_DOUBLE);
    return (uint64_t)(whole ? spectra_group(&problem->spectra) : waiting);
}

/* Of a lattice of so many points in a row: those that are read, the samples that wait, and the tiles that are written,
 * or two rooms of them where they take turns. */
static uint64_t block_bytes(const struct setup *setup, uint64_t columns, uint64_t rows)
{
    const struct spectra *spectra = &setup->problem.spectra;
    const uint64_t frequencies = (uint64_t)spectra->frequency_count, row = 2 * frequencies * columns;
    const uint64_t element = 2 * (uint64_t)problem_value_size(&setup->problem);
    if (row == 0 || rows == 0) {
        return 0;
    }
    const uint64_t tile = spectra_tile_side(frequencies, element), held = spectra_block_rows(row, tile, rows),
                   rooms = held < rows ? 2 : 1;
    return held * (row + samples_left(&setup->problem) * columns) * sizeof(double) +
           rooms * filled_up(held, tile) * filled_up(columns, tile) * frequencies * element;
}

/* In three dimensions each sheet is a lattice, written one after another. */
static uint64_t widest_block(const struct setup *setup)
{
    const struct spectra *spectra = &setup->problem.spectra;
    uint64_t most = 0;
    if (setup->sheets == NULL) {
        return block_bytes(setup, (uint64_t)spectra->columns, (uint64_t)spectra->rows);
    }
    for (int s = 0; s < spectra->sheet_count; s++) {
        most = larger(most, block_bytes(setup, (uint64_t)setup->sheets[s].columns, (uint64_t)setup->sheets[s].rows));
    }
    return most;
}

/* Pages of the libraries that write: 2 to 4 MB come in then, as far as the kernel reads ahead. */
enum { WRITING_PAGES = 3 << 20 };

uint64_t setup_writing_bytes(const struct setup *setup)
{
    const struct problem *problem = &setup->problem;
    const struct spectra *spectra = &problem->spectra;
    const uint64_t steps = (uint64_t)problem->steps, receivers = (uint64_t)setup->scenario->receiver_count;
    /* Of receivers whose nodes are not kept, the series that the run makes and those that are written. */
    const uint64_t nodes = problem->probe_slots > 0 ? receivers : (uint64_t)problem->probe_count;
    const uint64_t series = (receivers + nodes) * steps * sizeof(double);
    const uint64_t block = spectra->frequency_count > 0 ? widest_block(setup) : 0;
    return larger(block, series) + WRITING_PAGES;
}

static uint64_t host_bytes(const struct setup *setup)
{
    const struct problem *problem = &setup->problem;
    uint64_t bytes = 2 * (uint64_t)problem->axis[0].count * (uint64_t)problem->axis[1].count *
                     (uint64_t)problem->layer_count; /* the medium's index */
    bytes += (uint64_t)problem->source_count * (uint64_t)problem->steps * 2 * sizeof(double);
    bytes += (uint64_t)setup->plan.pixel_rows * (uint64_t)setup->plan.pixel_columns * sizeof(uint16_t);
    return bytes + setup_writing_bytes(setup);
}

pw_facts pw_setup_facts(const pw_setup *setup)
{
    const struct problem *problem = &setup->problem;
    const struct scenario *scenario = setup->scenario;
    return (pw_facts){
        .title = scenario->title,
        .scheme = setup->stencil.name,
        .averaging = averaging_rule(scenario->grid.averaging)->name,
        .dimensions = scenario->dimensions,
        .horizontal = scenario->horizontal,
        .nx = problem->axis[0].count,
        .ny = problem->axis[1].count,
        .nz = problem->axis[2].count,
        .absorber_cells = scenario->grid.absorber.cells,
        .absorber_low = {setup_absorber_cells(setup, 0, 0), setup_absorber_cells(setup, 1, 0),
                         setup_absorber_cells(setup, 2, 0)},
        .absorber_high = {setup_absorber_cells(setup, 0, 1), setup_absorber_cells(setup, 1, 1),
                          setup_absorber_cells(setup, 2, 1)},
        .cell = problem->axis[0].spacing,
        .time_step = problem->time_step,
        .courant = scenario->grid.courant,
        .courant_limit = setup->stencil.courant_limit * sqrt(fmin(1, setup->smallest_permittivity)),
        .steps = problem->steps,
        .expected_steps = (int64_t)fmin(setup->expected_end / problem->time_step, (double)problem->steps),
        .cells_per_wavelength = setup_cells_per_wavelength(setup),
        .phase_error_per_metre = phase_error_per_metre(setup),
        .has_walls = setup->transport->has_walls,
        .field_error = setup->error.field,
        .local_mean_error = setup->error.local_mean,
        .point_error = setup->error.point,
        .delay_error = setup->error.delay,
        .field_error_by_depth = {setup->error.field_by_depth[0], setup->error.field_by_depth[1],
                                 setup->error.field_by_depth[2]},
        .local_mean_error_by_depth = {setup->error.local_mean_by_depth[0], setup->error.local_mean_by_depth[1],
                                      setup->error.local_mean_by_depth[2]},
        .phase_cost = setup->phase_cost,
        .raised_nodes = setup->medium.raised_nodes,
        .advised_cell = setup->advised_cell,
        .transmitter_count = scenario->transmitter_count,
        .receiver_count = scenario->receiver_count,
        .lattice_receiver_count = scenario->lattice_receiver_count,
        .lattice_receiver_offset = setup->lattice_offset,
        .frequency_count = problem->spectra.frequency_count,
        .spectra_rows = problem->spectra.rows,
        .spectra_columns = problem->spectra.columns,
        .spectra_every = problem->spectra.every,
        .palette_count = problem->coefficient_count,
        .quantisation_error = setup->medium.quantisation_error,
        .host_bytes = host_bytes(setup),
        .origin_x = setup->origin.x,
        .origin_y = setup->origin.y,
        .origin_z = setup->origin_z,
        .plan_width = setup->plan.width,
        .plan_height = setup->plan.height,
        .spectra_x0 = setup->origin.x + problem->spectra.x0 * problem->axis[0].spacing,
        .spectra_y0 = setup->origin.y + problem->spectra.y0 * problem->axis[0].spacing,
        .spectra_pitch = problem->spectra.spacing * problem->axis[0].spacing,
        .sheet_count = problem->spectra.sheet_count,
    };
}
