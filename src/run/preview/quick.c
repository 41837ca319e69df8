/* Making set-ups quick (quick.h).
 *
 * A map is of sixteen frequencies of the whole band, whose local means are those of all of them within some tenths of a
 * decibel. (A third of the band, as one might think to take, leaves the fading of the other two thirds in the
 * difference: 1.5 dB in the corridor of floorplans/.) Its pulse is wider than the band: what lies outside costs
 * nothing, and a short pulse is over sooner.
 *
 * Cells are as large as maps bear that were compared with those of full solves: 3 to the wavelength in the slowest
 * material at the band's centre, of large plans 2.75, and always 2.3 at its upper edge. Local means were then 0.6 to
 * 1.4 dB from those of the full solves on the plans of floorplans/, and the law of errors said 0.9 to 1.5 dB. With 2.6
 * at the centre shop_window.yaml is 4 dB off, and the law says 2.
 *
 * It ends when the wave has crossed the plan to its farthest corner and the energy is 10 dB under its peak. (Without
 * the first, the far end of the corridor was 16 dB too dark.) */
#include "run/preview/quick.h"

#include "base/constants.h"
#include "plan/plan_cut.h"

#include <math.h>
#include <stdlib.h>

static const double QUICK_COARSER = 2 /* than the full cells, at most */, QUICK_CENTRE = 3, QUICK_CENTRE_LARGE = 2.75,
                    QUICK_EDGE = 2.3 /* cells to the slowest wavelength */, QUICK_DECAY = -10 /* dB */,
                    QUICK_POINTS = 1.75 /* to a wavelength */, QUICK_ALIASING = 20 /* dB */;
/* Node-steps over which a plan is large: 0.7 s of two cores. */
static const double QUICK_WORK = 2.8e9;
static const double STEPS_A_CELL = 2.1; /* that a wave takes through a cell of air: of fd4o, roughly */
/* The pulse: its width against the band's centre, and how many of its time constants it begins before its middle. */
static const double PULSE_WIDTH = 0.1, PULSE_BEFORE = 2.6;
static const double DETOUR = 1.15; /* of a wave across the plan, against the straight line */
enum { QUICK_FREQUENCIES = 16 };
static const double NO_ACCURACY = 100; /* dB: every grid holds it */
/* dB: what few frequencies and the early end add to the law of errors, which knows nothing of them. With 0.5 the
 * office's second transmitter was 1.06 dB off and said to be 1.00 (validation/bench/bench_previews.c). */
static const double FURTHER_ERROR = 0.8;
/* A film has the pulse of a third of the band, in which the wave is seen as one. */
static const double FILM_BAND = 1.0 / 3;

static double slowest_wavelength(const struct scenario *scenario, double largest_permittivity)
{
    return SPEED_OF_LIGHT / ((scenario->band_centre + 0.5 * scenario->band_width) * sqrt(largest_permittivity));
}

/* ---- the pulse and how long it is followed ----------------------------------------------------------------------- */

/* s: the time constant of the pulse, exp(-(t/T)^2), that is 10 dB down at the edges of its width. */
static double pulse_time(const struct scenario *scenario)
{
    double width = fmax(PULSE_WIDTH * scenario->band_centre, scenario->band_width);
    return 2 * sqrt(0.5 * log(10)) / (M_PI * width);
}

/* s: from the start until the middle of the pulse and what follows it have gone so far [m]. */
static double crossing_time(const struct scenario *scenario, double metres)
{
    return 2 * PULSE_BEFORE * pulse_time(scenario) + DETOUR * metres / SPEED_OF_LIGHT;
}

static double farthest_corner(const struct quick_plan *plan, struct point at)
{
    return hypot(fmax(at.x, plan->width - at.x), fmax(at.y, plan->height - at.y));
}

static double own_crossing_time(const struct quick *quick)
{
    const struct quick_plan *plan = quick->plan;
    const struct transmitter_choice *from = &quick->scenario->transmitters[0];
    return crossing_time(quick->scenario, fmax(farthest_corner(plan, from->at), farthest_corner(plan, from->to)));
}

/* ---- the grid ---------------------------------------------------------------------------------------------------- */

/* The same wherever the transmitters are, so that maps of one plan lie on the same points. */
static double map_cell(const struct scenario *scenario, const struct quick_plan *plan)
{
    double slow = sqrt(plan->largest_permittivity), edge = slowest_wavelength(scenario, plan->largest_permittivity);
    double centre = SPEED_OF_LIGHT / (scenario->band_centre * slow), cell = centre / QUICK_CENTRE;
    double steps = STEPS_A_CELL * SPEED_OF_LIGHT * crossing_time(scenario, hypot(plan->width, plan->height)) / cell;
    double work = plan->width * plan->height / (cell * cell) * steps;
    cell *= fmin(QUICK_CENTRE / QUICK_CENTRE_LARGE, fmax(1, cbrt(work / QUICK_WORK)));
    cell = fmin(cell, edge / QUICK_EDGE);
    double usual = edge / plan->choices.cells;
    return fmin(QUICK_COARSER * usual, fmax(usual, cell));
}

/* Cells between the points of the map, which is a local mean over a wavelength. */
static int map_spacing(const struct scenario *scenario)
{
    return (int)fmax(1, round(SPEED_OF_LIGHT / (scenario->band_centre * scenario->grid.cell) / QUICK_POINTS));
}

static void coarsen(struct scenario *scenario, const struct quick_plan *plan, enum quick_purpose purpose)
{
    struct grid_choice *grid = &scenario->grid;
    grid->scheme = plan->choices.scheme;
    grid->averaging = plan->choices.averaging;
    grid->scheme_open = grid->averaging_open = false;
    grid->cells_per_wavelength = 0;
    grid->cell = map_cell(scenario, plan);
    grid->courant = 0;
    scenario->accuracy = (struct accuracy_choice){.decibels = NO_ACCURACY}; /* else a finer cell would be looked for */
    scenario->band_width *= purpose == QUICK_FILM ? FILM_BAND : 1;
    scenario->spectra.enabled = purpose == QUICK_MAP;
    scenario->spectra.count = QUICK_FREQUENCIES;
    scenario->spectra.spacing = map_spacing(scenario);
    scenario->spectra.every = 0;
    scenario->spectra.aliasing = QUICK_ALIASING;
    scenario->stop.steps = 0;
    scenario->stop.decay_open = false;
    scenario->stop.decay = QUICK_DECAY;
    scenario->receiver_count = scenario->lattice_receiver_count = 0;
}

/* ---- choices ----------------------------------------------------------------------------------------------------- */

static double largest_permittivity(const struct floorplan *plan)
{
    double largest = 1;
    for (int m = 0; m < plan->material_count; m++) {
        const struct material *material = &plan->materials[m];
        largest = material->perfect_conductor ? largest : fmax(largest, material->relative_permittivity);
    }
    return largest;
}

/* Keeps a copy of a set-up's forecast, where there is memory for it. */
static void transport_note(struct solve_choices *choices, const struct setup *setup, uint32_t number)
{
    choices->transport = choices->transport != NULL ? choices->transport : malloc(sizeof *choices->transport);
    if (choices->transport != NULL) {
        *choices->transport = *setup->transport;
        choices->plan = number;
    }
}

void quick_learn(struct quick_plan *plan, const struct setup *setup, uint32_t number)
{
    struct solve_choices *choices = &plan->choices;
    choices->known = true;
    choices->scheme = setup->chosen.grid.scheme;
    choices->averaging = setup->chosen.grid.averaging;
    choices->cells = slowest_wavelength(&setup->chosen, largest_permittivity(&setup->plan)) / setup->chosen.grid.cell;
    transport_note(choices, setup, number);
}

/* A change came before the first full solve. */
static pw_status choices_make(struct quick_plan *plan, const struct scenario *scenario, pw_error *error)
{
    OWNED_AS(pw_setup) *setup = NULL;
    TRY(pw_setup_create(scenario, PW_SINGLE, false, &setup, error));
    quick_learn(plan, setup, plan->number);
    return PW_OK;
}

/* ---- the plan ---------------------------------------------------------------------------------------------------- */

void quick_plan_free(struct quick_plan *plan)
{
    setup_common_free(&plan->common);
    free(plan->choices.transport);
    *plan = (struct quick_plan){0};
}

/* The plan that was read before goes on if it is the same. */
static pw_status plan_take(struct quick_plan *plan, const struct scenario *scenario, uint32_t number, pw_error *error)
{
    pw_notes ignored = {0}; /* a run will tell them */
    if (plan->number == number) {
        return PW_OK;
    }
    setup_common_free(&plan->common);
    plan->common = (struct setup_common){0};
    plan->number = 0;
    pw_status status = floorplan_create(scenario, false, &ignored, &plan->common.plan, error);
    warnings_free(&ignored);
    if (status != PW_OK) {
        floorplan_free(&plan->common.plan);
        return status;
    }
    plan->common.has_plan = true;
    plan->number = number;
    plan->width = plan->common.plan.width;
    plan->height = plan->common.plan.height;
    plan->largest_permittivity = largest_permittivity(&plan->common.plan);
    return PW_OK;
}

/* ---- one transmitter --------------------------------------------------------------------------------------------- */

static void change_places(struct scenario *scenario, int other)
{
    struct transmitter_choice first = scenario->transmitters[0];
    scenario->transmitters[0] = scenario->transmitters[other];
    scenario->transmitters[other] = first;
}

void quick_leave(struct quick *quick, int only, enum quick_purpose purpose)
{
    struct scenario *scenario = quick->scenario;
    change_places(scenario, quick->alone); /* as they were */
    change_places(scenario, only);
    quick->alone = only;
    scenario->transmitter_count = 1;
    if (purpose == QUICK_MAP) {
        double time = pulse_time(scenario);
        struct waveform_choice *waveform = &scenario->transmitters[0].waveform;
        free(waveform->file);
        *waveform = (struct waveform_choice){.kind = WAVEFORM_MODULATED_GAUSSIAN,
                                             .amplitude = 1,
                                             .frequency = scenario->band_centre,
                                             .width = time,
                                             .delay = PULSE_BEFORE * time,
                                             .centre_alone = true};
        scenario->stop.after = 2 * own_crossing_time(quick);
    }
}

pw_status quick_read(struct quick_plan *plan, const pw_preview_task *task, enum quick_purpose purpose,
                     bool (*go_on)(void *user), void *user, struct quick *quick, pw_error *error)
{
    *quick = (struct quick){.plan = plan};
    TRY(pw_scenario_parse(task->name, task->text, NULL, 0, &quick->scenario, error));
    struct scenario *scenario = quick->scenario;
    quick->transmitter_count = scenario->transmitter_count;
    quick->receiver_count = scenario->receiver_count;
    quick->lattice_receiver_count = scenario->lattice_receiver_count;
    pw_scenario_watch(scenario, go_on, user);
    TRY(plan_take(plan, scenario, task->plan, error));
    TRY(plan->choices.known ? PW_OK : choices_make(plan, scenario, error));
    coarsen(scenario, plan, purpose);
    /* The plan stays cut where the first transmitter has it. */
    return floorplan_cut_height(scenario, &scenario->plan.cut, error);
}

/* ---- set-ups ----------------------------------------------------------------------------------------------------- */

/* Films keep their set-up for long, so they have a plan and a medium of their own. */
pw_status quick_set_up(struct quick *quick, enum quick_purpose purpose, pw_error *error)
{
    struct quick_plan *plan = quick->plan;
    struct setup_common own = {0}, *common = purpose == QUICK_MAP ? &plan->common : &own;
    const bool forecast = plan->choices.transport != NULL && plan->choices.plan == plan->number;
    common->transport = forecast ? plan->choices.transport : NULL;
    pw_status status = setup_create_common(quick->scenario, common, PW_SINGLE, &quick->setup, error);
    setup_common_free(&own); /* of one that failed */
    TRY(status);
    if (!forecast) {
        transport_note(&plan->choices, quick->setup, plan->number);
    }
    quick->setup->problem.decay_from = 0; /* no delays are shown */
    if (purpose == QUICK_MAP) {           /* before this the stop rule does not look at the energy */
        struct problem *problem = &quick->setup->problem;
        double crossed = own_crossing_time(quick) / problem->time_step;
        problem->source_end = (int64_t)fmin(crossed, (double)problem->steps);
    }
    return PW_OK;
}

double quick_error(const struct quick *quick)
{
    return hypot(quick->setup->error.local_mean, FURTHER_ERROR);
}

void quick_drop_setup(struct quick *quick)
{
    setup_free_common(quick->setup, quick->plan != NULL ? &quick->plan->common : NULL);
    quick->setup = NULL;
}

void quick_free(struct quick *quick)
{
    quick_drop_setup(quick);
    if (quick->scenario != NULL) {
        quick->scenario->transmitter_count = quick->transmitter_count;
        quick->scenario->receiver_count = quick->receiver_count;
        quick->scenario->lattice_receiver_count = quick->lattice_receiver_count;
    }
    pw_scenario_free(quick->scenario);
    *quick = (struct quick){0};
}
