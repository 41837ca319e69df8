/* Choosing what is open (choose.h). */
#include "discretize/choose.h"
#include "base/constants.h"
#include "discretize/forecast/wall_layers.h"
#include "discretize/formulation.h"
#include "discretize/source/source_band.h"
#include "discretize/volume/volume.h"

#include <math.h>
#include <stdio.h>

/* ---- scheme, averaging, cell ------------------------------------------------------------------------------------ */

/* Ways to solve, with the time that a cell takes in a step at the largest stable time step, relative to the first
 * (validation/performance.md). Whatever is named by the user takes the place of the one here. */
struct way {
    enum scheme scheme;
    enum averaging averaging;
    double cost;
};
static const struct way WAYS[] = {{SCHEME_FD4O, AVERAGING_MOMENT, 1}, {SCHEME_DD4, AVERAGING_BANDLIMITED, 3}};
enum { WAY_COUNT = sizeof WAYS / sizeof WAYS[0] };

/* Cells per wavelength that are looked at: in the slowest medium, and the least in air. The law of errors was not
 * measured on coarser grids; finer ones than the last are for the user to ask for. */
static const double COARSEST = 3, COARSEST_IN_AIR = 6, FINEST = 40, FINER = 1.02;

static double slowest_wavelength(const struct setup *setup)
{
    const struct scenario *scenario = &setup->chosen;
    return SPEED_OF_LIGHT /
           ((scenario->band_centre + 0.5 * scenario->band_width) * sqrt(setup->transport->largest_permittivity));
}

/* The error that is asked about, over the one that is wanted. Cells are chosen by what is told of the error, or by what
 * the choice keeps of it, whichever is more. */
static double excess_over(const struct setup *setup, const struct error_question *question,
                          const struct accuracy_choice *wanted)
{
    const bool of_field = wanted->field > 0;
    return error_law_largest(setup->transport, question, of_field) / (of_field ? wanted->field : wanted->decibels);
}

static double excess(const struct setup *setup, const struct error_question *question)
{
    return excess_over(setup, question, &setup->chosen.accuracy);
}

struct error_question setup_question(const struct setup *setup)
{
    const struct scenario *scenario = &setup->chosen;
    return (struct error_question){.scheme = scenario->grid.scheme,
                                   .averaging = scenario->grid.averaging,
                                   .dimensions = scenario->dimensions,
                                   .cell = scenario->grid.cell,
                                   .lowest = setup->building.low,
                                   .band_centre = scenario->band_centre,
                                   .band_width = scenario->band_width,
                                   .time_step =
                                       scenario->spectra.warp ? 0 : setup->problem.time_step}; /* 0 until known */
}

/* The coarsest cell that holds the accuracy with this scheme and averaging, three digits of it. */
static double coarsest_cell(const struct setup *setup, struct error_question *question,
                            const struct accuracy_choice *wanted)
{
    const double wavelength = slowest_wavelength(setup);
    double cells = fmax(COARSEST, COARSEST_IN_AIR / sqrt(setup->transport->largest_permittivity));
    question->cell = wavelength / cells;
    while (cells < FINEST && excess_over(setup, question, wanted) > 1) {
        cells *= FINER;
        question->cell = wavelength / cells;
    }
    double digit = pow(10, floor(log10(question->cell)) - 2);
    return question->cell = digit * floor(question->cell / digit * (1 + 1e-9));
}

/* Parts of a cell that a metal wall at a high end may stand beyond the plan: 1 % of a cell is a reflection whose phase
 * is off by 1 degree at 6 cells a wavelength. */
static const double WALL_BEYOND = 0.01;
/* A cell that brings walls to their places is at least so much of the one that was chosen. */
static const double WALL_CELL = 0.8;

/* The largest of all high ends, in cells. */
static double walls_beyond(const struct setup *setup, double cell)
{
    double most = 0;
    for (int a = 0; a < 3; a++) {
        most = fmax(most, volume_wall_beyond(setup, a, cell) / cell);
    }
    return most;
}

/* A cell not much smaller of which the building has a whole number between metal walls; where there is none, that with
 * the walls nearest to their places. */
static double cell_for_walls(const struct setup *setup, double cell)
{
    double best = cell, least = walls_beyond(setup, cell);
    for (int a = 0; a < 3; a++) {
        const double length = volume_length(setup, a);
        const bool off = volume_wall_beyond(setup, a, cell) > 0;
        for (int n = (int)ceil(length / cell); off && least > WALL_BEYOND && length / n >= WALL_CELL * cell; n++) {
            const double beyond = walls_beyond(setup, length / n);
            best = beyond < least ? length / n : best;
            least = fmin(beyond, least);
        }
    }
    return best;
}

/* Where no cell at all, or not the one that was asked for, divides the plan between metal walls. */
static void warn_of_walls(struct setup *setup)
{
    const double cell = setup->chosen.grid.cell, better = cell_for_walls(setup, cell);
    for (int a = 0; a < 3; a++) {
        const double beyond = volume_wall_beyond(setup, a, cell);
        char off[PW_NUMBER_SIZE], length[PW_NUMBER_SIZE], side[PW_NUMBER_SIZE], advice[64] = "a smaller one";
        if (beyond <= WALL_BEYOND * cell) {
            continue;
        }
        if (walls_beyond(setup, better) <= WALL_BEYOND) {
            snprintf(advice, sizeof advice, "%.10g cm", 100 * better);
        }
        warn(&setup->warnings,
             "grid.absorber: the metal wall at %s stands %s cm beyond the end of the plan, since %s m are no whole "
             "number of cells of %s cm. Resonances and echoes come from there. Set grid.cell: %s",
             ABSORBER_SIDES[2 * a + 1], pw_number_text(100 * beyond, 2, off),
             pw_number_text(volume_length(setup, a), 5, length), pw_number_text(100 * cell, 4, side), advice);
    }
}

static double way_cost(const struct way *way, double cell)
{
    return way->cost / (cell * cell * cell);
}

static void say_cell(struct setup *setup)
{
    const struct scenario *scenario = &setup->chosen;
    struct error_question question = setup_question(setup);
    struct error_forecast error = error_law(setup->transport, &question);
    double cells = slowest_wavelength(setup) / question.cell;
    char wanted[64], cell[PW_NUMBER_SIZE], local[PW_NUMBER_SIZE], field[PW_NUMBER_SIZE];
    if (scenario->accuracy.field > 0) {
        snprintf(wanted, sizeof wanted, "%s %% of the field", pw_number_text(100 * scenario->accuracy.field, 3, local));
    } else {
        snprintf(wanted, sizeof wanted, "%s dB", pw_number_text(scenario->accuracy.decibels, 3, local));
    }
    warn(&setup->choices,
         "cell %s cm: %.1f cells per wavelength in the slowest material; forecast %s dB, %s %% of the field; wanted %s",
         pw_number_text(100 * question.cell, 3, cell), cells, pw_number_text(error.local_mean, 2, local),
         pw_number_text(100 * error.field, 2, field), wanted);
    if (excess(setup, &question) > 1) {
        warn(&setup->warnings,
             "the accuracy of %s needs smaller cells than planwave chooses by itself. The forecast is %s dB for local "
             "means and %s %% of the field. Set grid.cell for smaller cells",
             wanted, local, field);
    }
}

/* With the cell given, the first way that holds the accuracy, or the one that is nearest to it. */
static void choose_way(struct setup *setup)
{
    struct grid_choice *grid = &setup->chosen.grid;
    const bool cell_open = !(grid->cell > 0);
    /* Band-limited averaging is for Ez in two dimensions, and lets through thin conducting layers: 29 dB for 45. */
    const bool others = setup->formulation->electric == 1 && !setup->transport->has_conductors;
    const int ways = grid->scheme_open && others ? WAY_COUNT : 1;
    double least = HUGE_VAL;
    struct grid_choice best = *grid;
    for (int w = 0; w < ways; w++) {
        struct way way = WAYS[w];
        way.scheme = grid->scheme_open ? way.scheme : grid->scheme;
        way.averaging = grid->averaging_open ? way.averaging : grid->averaging;
        struct error_question question = setup_question(setup);
        question.scheme = way.scheme;
        question.averaging = way.averaging;
        question.purpose = cell_open ? TO_TELL : TO_CHOOSE; /* what is told of metal's ends is the same for all */
        double cell = cell_open ? coarsest_cell(setup, &question, &setup->chosen.accuracy) : grid->cell;
        double cost = cell_open ? way_cost(&way, cell) : fmax(excess(setup, &question), 1) * (1 + 1e-3 * way.cost);
        if (cost < least) {
            least = cost;
            best.scheme = way.scheme;
            best.averaging = way.averaging;
            best.cell = cell;
        }
    }
    *grid = best;
}

static pw_status choose_grid(struct setup *setup, pw_error *error)
{
    struct grid_choice *grid = &setup->chosen.grid;
    if (grid->cells_per_wavelength > 0) {
        grid->cell = slowest_wavelength(setup) / grid->cells_per_wavelength;
        grid->cells_per_wavelength = 0;
    }
    const bool cell_open = !(grid->cell > 0);
    if (cell_open || grid->scheme_open) {
        choose_way(setup);
    }
    struct error_question question = setup_question(setup);
    if (!cell_open && excess(setup, &question) > 1) {
        setup->advised_cell = coarsest_cell(setup, &question, &setup->chosen.accuracy);
    }
    if (grid->scheme_open) {
        warn(&setup->choices, "scheme %s, walls averaged by %s: the cheapest that holds the accuracy%s",
             scheme_name(grid->scheme), averaging_rule(grid->averaging)->name, cell_open ? "" : " on these cells");
    }
    grid->scheme_open = grid->averaging_open = false;
    if (cell_open) {
        TRY(wall_layers_choose(setup, &grid->cell, error));
        grid->cell = cell_for_walls(setup, grid->cell);
        say_cell(setup);
    }
    warn_of_walls(setup);
    return PW_OK;
}

/* Over this the phases of the field are a guess; this is what they need. */
static const double PHASES_MOST = 0.2, PHASES_WANTED = 0.1;

double choose_phase_cost(const struct setup *setup)
{
    const struct scenario *scenario = &setup->chosen;
    const bool asked =
        scenario->receiver_count > 0 || scenario->lattice_receiver_count > 0 || setup->asked->spectra.count > 1;
    if (!asked || setup->error.field <= PHASES_MOST) {
        return 0;
    }
    struct error_question question = setup_question(setup);
    const double coarse = question.cell;
    const struct accuracy_choice wanted = {.field = PHASES_WANTED};
    return pow(coarse / coarsest_cell(setup, &question, &wanted), scenario->dimensions + 1);
}

/* ---- end of the run, frequencies -------------------------------------------------------------------------------- */

/* The energy at which a run ends, against its peak: RMS delay spreads are then within a per cent of those of an endless
 * run where the plan rings as one, and what is cut off is 20 dB under the forecast of the error. Twice the time that is
 * forecast for it bounds the run. */
static const double USUAL_DECAY = -50, DEEPEST_DECAY = -120, UNDER_ERROR = 20; /* dB */
/* A profile is blind for the last 1/(width of the pulses) before the end. The guard on delays has nothing to mask where
 * the energy was so far down by then (channel/delay_guard.c), which counts where a narrow band meets a plan that falls
 * silent at once; a fall may be twice as fast as forecast. */
static const double NOTHING_LEFT = -42 /* dB */, FALL_SAFETY = 2;
static const double DECAY_SAFETY = 2, LONGEST = 4e-6 /* s */;
/* A profile repeats after 1/(spacing of the frequencies): by then 40 dB must have gone, with this much in reserve. */
static const double PROFILE_RATIO = 1e-4, PROFILE_SAFETY = 1.8;
enum { FEWEST_FREQUENCIES = 16, MOST_FREQUENCIES = 1024 };

/* Time at which the last transmitter is silent; INFINITY: one never is. */
static pw_status pulse_end(const struct setup *setup, double *end, pw_error *error)
{
    const struct scenario *scenario = &setup->chosen;
    *end = 0;
    for (int t = 0; t < scenario->transmitter_count; t++) {
        struct waveform waveform;
        TRY(source_waveform(scenario, t, 0, &waveform, error)); /* the time step is not known yet */
        *end = fmax(*end, waveform.end);
        waveform_free(&waveform);
    }
    return PW_OK;
}

/* In steps of 5 dB. What is told of ends of metal and of coatings does not count: behind a coating that lets 45 dB less
 * through, a run that ended by it would not have heard what comes. */
static double usual_decay(const struct setup *setup)
{
    struct error_question question = setup_question(setup);
    question.purpose = TO_CHOOSE;
    double error = error_law(setup->transport, &question).field;
    double wanted = error > 0 ? 5 * floor((20 * log10(error) - UNDER_ERROR) / 5) : DEEPEST_DECAY;
    double width = source_band_sent(&setup->chosen),
           gone = energy_transport_decay_time(setup->transport, PROFILE_RATIO);
    double fall = width > 0 ? -10 * log10(PROFILE_RATIO) / (width * gone) : 0;
    double blind = 5 * floor((NOTHING_LEFT - FALL_SAFETY * fall) / 5);
    return fmax(fmin(wanted, fmin(blind, USUAL_DECAY)), DEEPEST_DECAY);
}

static pw_status choose_stop(struct setup *setup, pw_error *error)
{
    struct stop_choice *stop = &setup->chosen.stop;
    if (stop->decay_open) {
        stop->decay_open = false;
        stop->decay = stop->steps > 0 ? 0 : usual_decay(setup);
    }
    double pulse = 0, ratio = stop->decay < 0 ? pow(10, stop->decay / 10) : pow(10, USUAL_DECAY / 10);
    TRY(pulse_end(setup, &pulse, error));
    double ring = energy_transport_decay_time(setup->transport, ratio);
    setup->expected_end = stop->decay < 0 ? pulse + ring : HUGE_VAL;
    if (stop->after > 0 || stop->steps > 0) {
        return PW_OK;
    }
    FAIL_IF(!isfinite(pulse), error, PW_BAD_INPUT,
            "%s: stop: a transmitter never ends, so the run needs 'after' (a time) or 'steps' (a number)",
            setup->chosen.file);
    double across = hypot(setup->plan.width, setup->plan.height) / SPEED_OF_LIGHT;
    double bound = fmin(fmax(DECAY_SAFETY * ring, 4 * across), fmax(LONGEST, 4 * across));
    stop->after = 1e-9 * ceil(1e9 * (pulse + bound));
    char latest[PW_NUMBER_SIZE];
    pw_number_text(1e9 * stop->after, 3, latest);
    if (ring < bound) {
        char level[PW_NUMBER_SIZE], likely[PW_NUMBER_SIZE];
        warn(&setup->choices, "end at %s dB of the largest energy: forecast at %s ns, at the latest at %s ns",
             pw_number_text(10 * log10(ratio), 3, level), pw_number_text(1e9 * (pulse + ring), 3, likely), latest);
    } else {
        warn(&setup->choices, "end at %s ns: this plan rings for longer than that, like a metal room", latest);
    }
    return PW_OK;
}

/* Points a wavelength where receivers are to be interpolated between them (problem/spectra/sheet_place.h). */
static const double POINTS_BETWEEN = 5;

/* The same where receivers weigh waves by their direction (channel/angles/angles.h). */
static const double POINTS_DIRECTED = 2.5;

static bool patterns_received(const struct scenario *scenario)
{
    bool any = false;
    for (int e = 0; e < scenario->receiver_entry_count && scenario->dimensions == 2; e++) {
        any = any || scenario->receiver_entries[e].antenna.kind == ANTENNA_PATTERN;
    }
    return any;
}

static void choose_spectra(struct setup *setup)
{
    struct spectra_choice *spectra = &setup->chosen.spectra;
    const struct scenario *scenario = &setup->chosen;
    if (spectra->spacing == 0) {
        double cells = SPEED_OF_LIGHT / (scenario->band_centre * scenario->grid.cell);
        bool between = setup->formulation->components > 1 && scenario->lattice_receiver_count > 0;
        double edge = (scenario->band_centre + 0.5 * scenario->band_width) / scenario->band_centre;
        double points = between ? POINTS_BETWEEN * edge : patterns_received(scenario) ? POINTS_DIRECTED * edge : 2;
        spectra->spacing = (int)fmax(1, floor(cells / points + 1e-6));
    }
    if (spectra->count > 0) {
        return;
    }
    double end = scenario->stop.after > 0 ? scenario->stop.after : HUGE_VAL;
    double period = fmin(end, PROFILE_SAFETY * energy_transport_decay_time(setup->transport, PROFILE_RATIO));
    period = fmax(period, 2 * hypot(setup->plan.width, setup->plan.height) / SPEED_OF_LIGHT);
    double count = isfinite(period) ? ceil(period * scenario->band_width) + 1 : MOST_FREQUENCIES;
    spectra->count = (int)fmin(fmax(count, FEWEST_FREQUENCIES), MOST_FREQUENCIES);
    if (scenario->band_width > 0 && spectra->enabled) {
        char repeats[PW_NUMBER_SIZE], fall[PW_NUMBER_SIZE];
        warn(&setup->choices,
             "%d frequencies: profiles repeat every %s ns; the energy is forecast to fall by 40 dB in %s ns",
             spectra->count, pw_number_text(1e9 * (spectra->count - 1) / scenario->band_width, 3, repeats),
             pw_number_text(1e9 * energy_transport_decay_time(setup->transport, PROFILE_RATIO), 3, fall));
    }
}

pw_status choose_open(struct setup *setup, const struct energy_transport *transport, pw_error *error)
{
    TRY_MADE(setup->transport = allocate(1, sizeof *setup->transport, "the forecast", error));
    if (transport != NULL) {
        *setup->transport = *transport;
    } else {
        TRY(energy_transport_compute(&setup->building, &setup->chosen, setup->transport, error));
    }
    TRY(choose_grid(setup, error));
    TRY(choose_stop(setup, error));
    choose_spectra(setup);
    setup->formulation->choose_planes(setup);
    return PW_OK;
}
