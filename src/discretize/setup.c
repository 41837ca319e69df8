/* The deciding, first half: grid, medium, absorber and the checks that need them. The facts
 * of the pre-flight table are in facts/, transmitters, receivers and spectra are in setup_signals.c. */
#include "base/constants.h"
#include "base/memory.h"
#include "discretize/antenna/vector_array.h"
#include "discretize/choose.h"
#include "discretize/edges.h"
#include "discretize/forecast/half_noise.h"
#include "discretize/forecast/plausible.h"
#include "discretize/forecast/wall_layers.h"
#include "discretize/formulation.h"
#include "discretize/poles/material_notes.h"
#include "discretize/setup_bytes.h"
#include "discretize/setup_common.h"
#include "discretize/setup_places.h"
#include "discretize/volume/volume.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Part of the Courant limit that is taken when the scenario names none: rounding of the coefficients stays inside. */
static const double COURANT_MARGIN = 0.99;

/* The scheme's limit is that of vacuum; where averages leave a lower permittivity beside a wall, waves are faster. */
static double courant_limit(const struct setup *setup, double smallest_permittivity)
{
    return setup->stencil.courant_limit * sqrt(fmin(1, smallest_permittivity));
}

static void set_courant(struct setup *setup, double courant)
{
    double dimensions = setup->scenario->dimensions;
    setup->chosen.grid.courant = courant;
    setup->problem.time_step = courant * setup->problem.axis[0].spacing / (SPEED_OF_LIGHT * sqrt(dimensions));
}

static pw_status check_sides(const struct setup *setup, const double *sides, pw_error *error)
{
    const struct scenario *scenario = setup->scenario;
    const double most = 1e6;
    if (sides[0] > most || sides[1] > most || sides[2] > most) {
        char high[32] = "", levels[32] = "";
        if (setup->building.high > setup->building.low) {
            snprintf(high, sizeof high, " x %g m", setup->building.high - setup->building.low);
            snprintf(levels, sizeof levels, " x %.0f", sides[2]);
        }
        return fail(error, PW_BAD_INPUT,
                    "%s: grid.cell: %g m over a plan of %g m x %g m%s makes %.0f x %.0f%s cells: at most 1000000 a "
                    "side",
                    scenario->file, scenario->grid.cell, setup->plan.width, setup->plan.height, high, sides[0],
                    sides[1], levels);
    }
    return PW_OK;
}

/* Beside a layer at one end, solvers in two dimensions want room for one at every end (problem_set_absorber). */
static pw_status check_walls(const struct setup *setup, const double *cells, pw_error *error)
{
    const struct absorber *absorber = &setup->scenario->grid.absorber;
    const int axes = setup->scenario->dimensions;
    for (int a = 0; absorber->by_side && axes == 2 && a < axes; a++) {
        FAIL_IF(cells[a] <= 2 * absorber->cells, error, PW_BAD_INPUT,
                "%s: grid.absorber.cells: %d, and an end of the grid without absorber, take more than %d cells "
                "along %c, and there are %.0f: allowed is up to %.0f",
                setup->scenario->file, absorber->cells, 2 * absorber->cells, "xy"[a], cells[a], ceil(cells[a] / 2) - 1);
    }
    return PW_OK;
}

static pw_status make_grid(struct setup *setup, pw_error *error)
{
    const struct scenario *scenario = setup->scenario;
    struct problem *problem = &setup->problem;
    double cell = scenario->grid.cell;
    double cells[3] = {1, 1, 1};
    for (int a = 0; a < scenario->dimensions; a++) {
        cells[a] = volume_cells(setup, a, cell);
    }
    TRY(check_sides(setup, cells, error));
    TRY(check_walls(setup, cells, error));
    setup->formulation->set_grid(problem, (int[]){(int)cells[0], (int)cells[1], (int)cells[2]}, cell);
    volume_place_grid(setup);
    const struct stencil_band band = {.cells_per_wavelength = SPEED_OF_LIGHT / (scenario->band_centre * cell),
                                      .relative_width = scenario->band_width / scenario->band_centre,
                                      .dimensions = scenario->dimensions};
    setup->stencil = stencil_get(scenario->grid.scheme, &band);
    problem_set_stencil(problem, &setup->stencil);
    TRY(edges_check_grid(setup, error));
    set_courant(setup, scenario->grid.courant > 0 ? scenario->grid.courant
                                                  : COURANT_MARGIN * courant_limit(setup, LEAST_PERMITTIVITY));
    return PW_OK;
}

static pw_status choose_steps(struct setup *setup, pw_error *error)
{
    const struct stop_choice *stop = &setup->scenario->stop;
    double steps = stop->steps > 0 ? (double)stop->steps : HUGE_VAL;
    if (stop->after > 0) {
        steps = fmin(steps, ceil(stop->after / setup->problem.time_step - 1e-6));
    }
    FAIL_IF(!(steps >= 1 && steps <= 1e9), error, PW_BAD_INPUT,
            "%s: stop.after: %g s are %g steps of %g s: allowed are 1 to 1e9 steps", setup->scenario->file, stop->after,
            steps, setup->problem.time_step);
    setup->problem.steps = (int64_t)steps;
    setup->problem.decay = stop->decay < 0 ? pow(10, stop->decay / 10) : 0;
    return PW_OK;
}

static pw_status check_courant(const struct setup *setup, pw_error *error)
{
    double limit = courant_limit(setup, setup->smallest_permittivity), courant = setup->scenario->grid.courant;
    FAIL_IF(courant > limit * (1 + 1e-12), error, PW_BAD_INPUT,
            "%s: grid.courant: %g is above the limit of %s on this plan: allowed is up to %.6g (%.6g times the "
            "square root of the "
            "smallest relative permittivity, %.4g)",
            setup->scenario->file, courant, setup->stencil.name, limit, setup->stencil.courant_limit,
            fmin(1, setup->smallest_permittivity));
    return PW_OK;
}

/* Leapfrog acts with sigma cos(w dt/2) where w is the warped frequency (physics.md section 2): undo that at the band
 * centre. */
static double compensate_conductivity(const struct setup *setup)
{
    double half = 0.5 * 2 * M_PI * setup->scenario->band_centre * setup->problem.time_step;
    return setup->scenario->spectra.warp && half < 1 ? 1 / sqrt(1 - half * half) : 1;
}

/* At the band centre, as the time stepping has it: with warping exact, else 2 sin(w dt/2)/(c dt). */
static double stepped_wave_number(const struct setup *setup)
{
    double omega = 2 * M_PI * setup->scenario->band_centre, dt = setup->problem.time_step;
    return setup->scenario->spectra.warp ? omega / SPEED_OF_LIGHT : 2 * sin(0.5 * omega * dt) / (SPEED_OF_LIGHT * dt);
}

/* Row p of the coefficient table is entry p of the medium's palette; the row of a perfect conductor stays zero. */
static pw_status fill_coefficients(struct setup *setup, pw_error *error)
{
    struct problem *problem = &setup->problem;
    const struct coefficient_step step = setup_coefficient_step(setup);
    const int count = setup->medium.palette_count;
    TRY(problem_allocate_coefficients(problem, count, error));
    for (int p = 0; p < count; p++) {
        const struct medium_entry *entry = &setup->medium.palette[p];
        if (!entry->perfect_conductor) {
            struct plain_medium medium = setup_dispersive_medium(setup, entry);
            coefficient_fill(&medium, &step, problem_coefficient(problem, p));
        }
    }
    return PW_OK;
}

/* As the Courant limit has it: at tilted faces the inverse of an eigenvalue. */
static double smallest_permittivity(const struct medium *medium)
{
    double smallest = 1 / fmax(1, medium->tensor_bound);
    for (int p = 0; p < medium->palette_count; p++) {
        if (!medium->palette[p].perfect_conductor) {
            smallest = fmin(smallest, medium->palette[p].relative_permittivity);
        }
    }
    return smallest;
}

static void say_courant(struct setup *setup)
{
    double least = setup->smallest_permittivity;
    if (least < 1) {
        warn(
            &setup->choices,
            "Courant number %.3g: %.2g of the largest stable one; averaging leaves a permittivity of %.2g beside walls",
            setup->chosen.grid.courant, COURANT_MARGIN, least);
    } else {
        warn(&setup->choices, "Courant number %.3g: %.2g of the largest stable one for %s", setup->chosen.grid.courant,
             COURANT_MARGIN, setup->stencil.name);
    }
}

static pw_status choose_medium(struct setup *setup, struct setup_common *common, pw_error *error)
{
    struct problem *problem = &setup->problem;
    const struct scenario *scenario = setup->scenario;
    struct raster_grid grid = {.nx = problem->axis[0].count,
                               .ny = problem->axis[1].count,
                               .cell = problem->axis[0].spacing,
                               .origin = setup->origin,
                               .wave_number = stepped_wave_number(setup),
                               .stencil = &setup->stencil,
                               .asked_for = setup->asked};
    TRY(setup->formulation->raster(setup, &grid, common, error));
    problem->coefficient_index = setup->medium.index; /* shared: the medium owns it */
    setup->smallest_permittivity = smallest_permittivity(&setup->medium);
    TRY(dispersive_nodes_find(setup, error));
    if (setup->asked->grid.courant == 0 && scenario->spectra.warp) {
        set_courant(setup, COURANT_MARGIN * courant_limit(setup, setup->smallest_permittivity));
        say_courant(setup);
    }
    setup->sigma_compensation = compensate_conductivity(setup);
    setup->magnetic_scale =
        SPEED_OF_LIGHT * problem->time_step / problem->axis[0].spacing * setup->stencil.difference[0];
    TRY(fill_coefficients(setup, error));
    TRY(dispersive_nodes_fill(setup, error));
    TRY(ez_rows_create(setup, &grid, error));
    TRY(volume_special_places(setup, error));
    return check_courant(setup, error);
}

/* Under two cells a wavelength nothing is sampled; under three in a wall the law of errors was not measured. */
static pw_status check_resolution(struct setup *setup, pw_error *error)
{
    const struct scenario *scenario = setup->scenario;
    double edge = setup_upper_edge(scenario), cell = setup->problem.axis[0].spacing,
           cells = setup_cells_per_wavelength(setup);
    char frequency[PW_NUMBER_SIZE], most[PW_NUMBER_SIZE];
    pw_number_text(1e-9 * edge, 3, frequency);
    FAIL_IF(cells < 2, error, PW_BAD_INPUT,
            "%s: grid.cell: %g m is too coarse for the band: %.2f cells per wavelength at %s GHz in the slowest "
            "material; at least 2 are needed (cell <= %s m), and with 'cell: auto' planwave chooses",
            scenario->file, cell, cells, frequency, pw_number_text(cell * cells / 2, 3, most));
    if (cells < 3) {
        warn(&setup->warnings,
             "only %.1f cells per wavelength in the slowest material at %s GHz. The forecast of the error was not "
             "tested on such a coarse grid. Write 'cell: auto' to let planwave choose a cell for the accuracy",
             cells, frequency);
    }
    return PW_OK;
}

/* Before anything of the size of the grid is asked for: the medium and its raster, and the tables of the sources; in
 * three dimensions also the fields, which will be needed and take most. What a solver holds beside them is known only
 * later, but counts in the advice, so that what would fit does. */
static double least_bytes(const struct setup *setup)
{
    const struct problem *problem = &setup->problem;
    double fields = 6 * (double)problem_value_size(problem);
    return (setup->problem.formulation == FORMULATION_MAXWELL3D ? fields + 2 : 6.0) * (double)problem_nodes(problem) +
           16.0 * (double)problem->steps * (double)setup->scenario->transmitter_count;
}

/* Bytes that a run of so many may take: it is on the host, or in three dimensions on devices, which are asked only
 * where the host has too few. */
static double usable_memory(const struct setup *setup, double bytes)
{
    const double host = MEMORY_MARGIN * (double)memory_available();
    return bytes > host && setup_is_3d(setup) ? fmax(host, MEMORY_MARGIN * (double)memory_beside()) : host;
}

static pw_status check_memory(const struct setup *setup, pw_error *error)
{
    const struct problem *problem = &setup->problem;
    const bool volume = problem->formulation == FORMULATION_MAXWELL3D;
    const double cells = (double)problem_nodes(problem), steps = (double)problem->steps, beside = 10;
    const double bytes = least_bytes(setup), usable = usable_memory(setup, bytes);
    char what[96], advice[256];
    if (bytes <= usable) {
        return PW_OK;
    }
    snprintf(what, sizeof what, "%s %.3g cells and %.3g steps alone", volume ? "a run of" : "setting up", cells, steps);
    if (!volume_say_what_fits(setup, bytes + beside * cells, usable, advice, sizeof advice)) {
        snprintf(advice, sizeof advice, "use larger cells, a smaller plan or fewer steps");
    }
    return memory_check(bytes, what, advice, error);
}

/* Where a set-up has its plan from: both NULL: the scenario alone. */
struct setup_source {
    const pw_plan *arrays;
    struct setup_common *common;
    bool strict;
};

static pw_status take_plan(struct setup *setup, const struct setup_source *source, pw_error *error)
{
    struct setup_common *common = source->common;
    setup->from_arrays = source->arrays != NULL;
    FAIL_IF(source->arrays != NULL && setup_is_3d(setup), error, PW_BAD_INPUT,
            "%s: a plan from arrays has no heights: give dimensions: 2", setup->scenario->file);
    if (common != NULL && common->has_plan) {
        setup->plan = common->plan;
        common->has_plan = false;
        return PW_OK;
    }
    return source->arrays != NULL
               ? floorplan_create_from_arrays(setup->scenario, source->arrays, source->strict, &setup->warnings,
                                              &setup->plan, error)
               : floorplan_create(setup->scenario, source->strict, &setup->warnings, &setup->plan, error);
}

/* Whoever asked for the set-up may want it no more. */
static pw_status still_wanted(const struct setup *setup, pw_error *error)
{
    return scenario_is_wanted(setup->asked) ? PW_OK : fail(error, PW_INTERRUPTED, "stopped while it was set up");
}

/* First part: all but what is as large as the grid. */
static pw_status decide_size(struct setup *setup, const struct setup_source *source, pw_error *error)
{
    FAIL_IF(setup->problem.half && setup->problem.precision != PW_SINGLE, error, PW_BAD_INPUT,
            "%s: grid.storage: half steps fields in single precision: leave out storage, or double precision",
            setup->scenario->file);
    TRY(take_plan(setup, source, error));
    TRY(volume_building(setup, source->strict, error));
    TRY(still_wanted(setup, error));
    TRY(choose_open(setup, source->common != NULL ? source->common->transport : NULL, error));
    TRY(plausible_plan(setup, error));
    TRY(make_grid(setup, error));
    note_materials(setup);
    TRY(choose_steps(setup, error)); /* with the smallest time step that the medium may need */
    return check_memory(setup, error);
}

static pw_status decide(struct setup *setup, const struct setup_source *source, pw_error *error)
{
    TRY(decide_size(setup, source, error));
    TRY(still_wanted(setup, error));
    TRY(choose_medium(setup, source->common, error));
    note_medium(setup);
    TRY(choose_steps(setup, error));
    TRY(problem_set_absorber(&setup->problem, &setup->scenario->grid.absorber, error));
    TRY(edges_check_medium(setup, error));
    place_warn_narrow(setup);
    volume_warn_staircase(setup);
    TRY(check_resolution(setup, error));
    TRY(still_wanted(setup, error));
    TRY(setup_add_signals(setup, error));
    TRY(dispersive_nodes_check_sources(setup, error));
    struct error_question question = setup_question(setup);
    setup->error = error_law(setup->transport, &question);
    const double *phase_cost = source->common != NULL ? source->common->phase_cost : NULL;
    setup->phase_cost = phase_cost != NULL ? *phase_cost : choose_phase_cost(setup);
    half_noise_tell(setup);
    TRY(wall_layers_tell(setup, error));
    return scenario_write(&setup->chosen, &setup->chosen.text, error);
}

/* What stands on no line of the file was given by --set: an error names that in place of line 0. */
static void error_place(const struct scenario *scenario, pw_error *error)
{
    char begin[sizeof error->message], rest[sizeof error->message];
    const int length = snprintf(begin, sizeof begin, "%s:0: ", scenario->file);
    if (error != NULL && length > 0 && (size_t)length < sizeof begin &&
        strncmp(error->message, begin, (size_t)length) == 0) {
        snprintf(rest, sizeof rest, "%s", error->message + length);
        const char *list = strncmp(rest, "transmitter", 11) == 0 ? " transmitters"
                           : strncmp(rest, "receiver", 8) == 0   ? " receivers"
                                                                 : "";
        snprintf(error->message, sizeof error->message, "%s: --set%s: %.*s", scenario->file, list, 800, rest);
    }
}

static struct setup *setup_begin(const pw_scenario *scenario, pw_precision precision, pw_error *error)
{
    struct setup *created = allocate(1, sizeof *created, "the set-up", error);
    if (created != NULL) {
        created->formulation = setup_formulation_of(scenario);
        created->asked = scenario;
        created->chosen = *scenario;
        created->chosen.text = NULL;
        created->scenario = &created->chosen;
        created->problem.precision = precision;
        created->problem.half = scenario->grid.half;
    }
    return created;
}

static pw_status setup_create(const pw_scenario *scenario, const struct setup_source *source, pw_precision precision,
                              pw_setup **setup, pw_error *error)
{
    struct setup *created = setup_begin(scenario, precision, error);
    TRY_MADE(created);
    pw_status status = decide(created, source, error);
    if (status != PW_OK) {
        error_place(scenario, error);
        setup_free_common(created, source->common);
        return status;
    }
    *setup = created;
    return PW_OK;
}

/* What a run holds at most, about, beside what the process holds before: the medium and its raster or the fields, and
 * running spectra, of which a block is written at a time and the next one read (setup_bytes.h). */
static double measure_bytes(const struct setup *setup)
{
    const struct problem *problem = &setup->problem;
    const struct spectra_choice *spectra = &setup->chosen.spectra;
    const double nodes = (double)problem_nodes(problem), pitch = spectra->spacing;
    const double spread = spectra->enabled && !setup_is_3d(setup) ? 2 * nodes / (pitch * pitch) * spectra->count : 0;
    const double engine = 46; /* a node of the CPU's, over its raster; a GPU holds less on the host */
    return least_bytes(setup) + (problem->formulation == FORMULATION_MAXWELL3D ? 0 : engine * nodes) +
           (double)problem_value_size(problem) * spread + 2 * (double)sizeof(double) * fmin(spread, SPECTRA_BLOCK);
}

pw_status pw_setup_measure(const pw_scenario *scenario, pw_setup_size *size, pw_error *error)
{
    struct setup *setup = setup_begin(scenario, PW_SINGLE, error);
    *size = (pw_setup_size){0};
    TRY_MADE(setup);
    pw_status status = decide_size(setup, &(struct setup_source){0}, error);
    /* Too coarse a cell of the scenario's own makes any band look small. */
    status = status == PW_OK ? check_resolution(setup, error) : status;
    if (status == PW_OK) {
        *size = (pw_setup_size){problem_nodes(&setup->problem), setup->problem.steps, measure_bytes(setup)};
        status = size->bytes <= usable_memory(setup, size->bytes)
                     ? PW_OK
                     : memory_check(size->bytes, "a run of this",
                                    "take a lower frequency, larger cells or a smaller plan", error);
    } else {
        error_place(scenario, error);
    }
    pw_setup_free(setup);
    return status;
}

pw_status pw_setup_create(const pw_scenario *scenario, pw_precision precision, bool strict, pw_setup **setup,
                          pw_error *error)
{
    return setup_create(scenario, &(struct setup_source){.strict = strict}, precision, setup, error);
}

pw_status pw_setup_create_from_plan(const pw_scenario *scenario, const pw_plan *plan, pw_precision precision,
                                    bool strict, pw_setup **setup, pw_error *error)
{
    FAIL_IF(scenario == NULL || plan == NULL || setup == NULL, error, PW_USAGE,
            "pw_setup_create_from_plan: scenario, plan and setup must not be NULL");
    return setup_create(scenario, &(struct setup_source){.arrays = plan, .strict = strict}, precision, setup, error);
}

pw_status setup_create_common(const pw_scenario *scenario, struct setup_common *common, pw_precision precision,
                              struct setup **setup, pw_error *error)
{
    return setup_create(scenario, &(struct setup_source){.common = common}, precision, setup, error);
}

void pw_setup_free(pw_setup *setup)
{
    if (setup == NULL) {
        return;
    }
    /* Shared with the problem: owned here. */
    setup->problem.coefficient_index = NULL;
    for (int c = 0; c < 3; c++) {
        setup->problem.layer[c] = NULL;
    }
    setup->problem.spectra.frequency = setup->problem.spectra.omega = NULL;
    FREE_ALL(setup->frequency, setup->omega);
    problem_free(&setup->problem);
    medium_free(&setup->medium);
    metal_cells_free(&setup->metal);
    metal_volume_free(&setup->cuts);
    ez_shares_free(&setup->shares);
    dispersive_nodes_free(&setup->dispersive);
    floorplan_free(&setup->plan);
    if (setup->building.bands != &setup->plan) {
        building_free(&setup->building);
    }
    free(setup->sheets);
    warnings_free(&setup->warnings);
    warnings_free(&setup->choices);
    vector_memory_free(setup->antennas);
    FREE_ALL(setup->transport, setup->arrays, setup->receivers, setup->chosen.text, setup);
}

PW_RELEASES(pw_setup, pw_setup_free)

void setup_free_common(struct setup *setup, struct setup_common *common)
{
    if (setup != NULL) {
        setup_give_back(setup, common);
    }
    pw_setup_free(setup);
}
