/* See box_times.h. */
#include "run/ranks/box_times.h"
#include "backend/parts/parted.h"
#include "base/clock.h"
#include "run/bench_problem.h"

#include <math.h>
#include <stdlib.h>

/* Cells of a rank's part of the box: more than its share of any cache, and still made in a moment. Spectra are timed on
 * fewer, since they are added in groups of up to 256 samples and a group must be whole, but at every one of them. */
static const double BOX_CELLS = 2048.0 * 2048, VOLUME_CELLS = 144.0 * 144 * 144, SPECTRA_SHARE = 0.03;
static const double MEASURED_SECONDS = 0.08, SPECTRA_SECONDS = 0.04;
static const double TRIAL_SHARE = 0.1; /* of a run's time that a trial takes at most */
enum { BOX_STEPS = 20000, MOST_EVERY = 8, MOST_SAMPLES = 32, TRIALS = 3, STRETCH_LIMIT = 256 };
/* Spectra that are less than this share of the work, were a sum as quick as a node's step, are not timed. */
static const double SMALL_SHARE = 0.01;

/* What timing a box amounts to. */
struct timed {
    struct part_clock clock; /* of a rank that steps longest; travelling: of the rank that waits least */
    double nodes, points;    /* of the part that steps longest */
    double look;             /* s */
    int64_t samples;
};

/* ---- the box ----------------------------------------------------------------------------------------------------- */

/* A step of a box in three dimensions takes longer: samples after fewer steps. */
static int box_every(const struct problem *problem)
{
    const bool volume = problem->formulation == FORMULATION_MAXWELL3D;
    return volume && problem->spectra.every > MOST_EVERY ? MOST_EVERY : problem->spectra.every;
}

/* A box with the proportions of the grid and so many cells for each rank, if the grid has so many. A grid of one layer
 * gets as few as a box may have. */
static struct bench_box box_like(const struct setup *setup, const struct cut *cut, double cells, bool spectra)
{
    const struct problem *problem = &setup->problem;
    const bool volume = problem->formulation == FORMULATION_MAXWELL3D;
    const int least = 2 * problem_layer(problem) + 4 * REACH_LIMIT + 16;
    const bool layer = volume && problem->axis[2].count < least;
    const double ranks = cut != NULL ? cut_count(cut) : 1;
    const double here = (double)problem_nodes(problem) * (layer ? (double)least / problem->axis[2].count : 1);
    const double scale = fmin(1, pow(cells * ranks / here, volume && !layer ? 1.0 / 3 : 0.5));
    int side[3];
    for (int a = 0; a < 3; a++) {
        int parts = cut != NULL ? cut->parts[a] : 1;
        double wanted = fmax(problem->axis[a].count * scale, parts > 1 ? 32.0 * parts : 0);
        side[a] = (int)fmax(wanted, least);
    }
    return (struct bench_box){.scheme = setup->scenario->grid.scheme,
                              .precision = problem->precision,
                              .half = problem->half,
                              .size = side[0],
                              .rows = side[1],
                              .levels = volume ? side[2] : 0,
                              .layer = problem_layer(problem),
                              .steps = BOX_STEPS,
                              .frequencies = spectra ? problem->spectra.frequency_count : 0,
                              .spacing = 1,
                              .every = box_every(problem)};
}

/* Something in every part, piece by piece: in two dimensions the cpu does not step what is at rest. */
static pw_status fill(const struct problem *problem, struct stepper *stepper, pw_error *error)
{
    enum { PIECE = 1 << 20 };
    const int64_t nodes = problem->formulation == FORMULATION_TM2D ? problem_nodes(problem) : 0;
    pw_status status = PW_OK;
    double *values = allocate(PIECE, sizeof *values, "timing a box", error);
    for (int64_t n = 0; values != NULL && n < PIECE; n++) {
        values[n] = 1e-3 * (double)(n % 7);
    }
    for (int64_t from = 0; values != NULL && from < nodes && status == PW_OK; from += PIECE) {
        const struct state_rows rows = {STATE_EZ, from, from + PIECE < nodes ? from + PIECE : nodes, values};
        status = stepper_rows(stepper, problem, 0, &rows, false, error);
    }
    status = values != NULL ? status : PW_NO_RESOURCE;
    free(values);
    return status;
}

static pw_status create_stepper(const struct compute *compute, const struct problem *problem, const struct cut *cut,
                                struct stepper **stepper, pw_error *error)
{
    struct backend_options options = {.threads = compute->threads, .steps_all = true};
    if (cut == NULL) {
        return bench_stepper_create(compute->backend, problem, &options, stepper, error);
    }
    const struct ranks *ranks = compute->ranks;
    const struct parted_options parted = {.cut = {.count = cut_count(cut), .depth = cut->depth},
                                          .channel = ranks != NULL ? &ranks->channel : NULL};
    struct parted_options same = parted;
    struct part_options part = {.runs = 1, .steps_all = true};
    compute_fill(compute, &part);
    for (int a = 0; a < 3; a++) {
        same.cut.parts[a] = cut->parts[a];
    }
    TRY(parted_create(problem, &same, &part, stepper, error));
    pw_status status = fill(problem, *stepper, error);
    if (status != PW_OK) {
        stepper_destroy(*stepper);
    }
    return status;
}

/* ---- the clocks -------------------------------------------------------------------------------------------------- */

/* Points of the spectra that a part owns: by its share of the plane, or all of them where the plane is its own. */
static double points_in(const struct problem *problem, const struct cut *cut, int p)
{
    const struct spectra *spectra = &problem->spectra;
    double points = (double)spectra->rows * spectra->columns;
    const struct part_box box = cut_box(cut, p);
    for (int a = 0; a < 2; a++) {
        points *= (double)(box.own_end[a] - box.own[a]) / cut->grid[a];
    }
    const int middle = cut->grid[2] / 2;
    return middle >= box.own[2] && middle < box.own_end[2] ? points : 0;
}

static double busy(const struct part_clock *clock)
{
    return clock->stepping + clock->packing;
}

/* What has passed on all ranks since `before`. */
static pw_status read_clocks(struct stepper *stepper, const struct problem *problem, const struct part_clock *before,
                             struct timed *timed, pw_error *error)
{
    const struct cut *cut = parted_cut(stepper);
    double longest = -1, least_travel = HUGE_VAL;
    for (int p = 0; p < cut_count(cut); p++) {
        struct part_clock clock;
        TRY(parted_clock(stepper, p, &clock, error));
        clock.stepping -= before[p].stepping;
        clock.packing -= before[p].packing;
        clock.travelling -= before[p].travelling;
        clock.steps -= before[p].steps;
        clock.exchanges -= before[p].exchanges;
        clock.bytes -= before[p].bytes;
        least_travel = fmin(least_travel, clock.travelling);
        if (busy(&clock) > longest) {
            const struct part_box box = cut_box(cut, p);
            longest = busy(&clock);
            timed->clock = clock;
            timed->nodes = (double)part_box_nodes(&box);
            timed->points = points_in(problem, cut, p);
        }
    }
    timed->clock.travelling = least_travel;
    return PW_OK;
}

/* How a box is timed. */
struct timing {
    const struct setup *setup;
    const struct compute *compute;
    const struct cut *cut; /* NULL: alone */
    double cells;          /* of a rank */
    bool spectra;          /* with them, else the fields alone */
    double visits;         /* of nodes, one in each step, that the run will make */
    int64_t stretch;       /* steps that are asked for at once; 0: as many as a run will ask for */
};

/* Visits of the nodes of a box that a trial may make: a run that ends sooner than boxes are timed well is timed in
 * less. */
static double trial_visits(const struct timing *timing)
{
    return TRIAL_SHARE * timing->visits;
}

/* Steps that a run asks for at once: about a quarter of a second's, whole intervals of samples (run/simulation.c), but
 * no more than a trial in the box may make. */
static int64_t usual_stretch(const struct timing *timing, const struct problem *box, double node_seconds)
{
    const struct problem *problem = &timing->setup->problem;
    const double parts = timing->cut != NULL ? cut_count(timing->cut) : 1;
    const double wanted = 0.25 / (node_seconds * (double)problem_nodes(problem) / parts);
    const double steps = fmin(fmin(wanted, STRETCH_LIMIT), trial_visits(timing) / (double)problem_nodes(box));
    const int64_t every = problem->spectra.every, stretch = (int64_t)ceil(steps / (double)every);
    return (stretch > 0 ? stretch : 1) * every;
}

/* Advances by whole stretches until that has taken long enough. */
static pw_status advance_for(struct stepper *stepper, int64_t limit, int64_t stretch, double enough,
                             struct part_clock *clock, pw_error *error)
{
    const double start = clock_seconds();
    for (; clock->steps + stretch <= limit && (clock->steps == 0 || clock->stepping < enough);) {
        TRY(stepper_advance(stepper, stretch, error));
        clock->steps += stretch;
        clock->stepping = clock_seconds() - start;
    }
    return PW_OK;
}

/* The first steps find memory that nobody has touched, and tell about how long one takes: `stretch` is what a trial
 * asks for at once, `enough` how long it lasts. */
static pw_status warm_up(struct stepper *stepper, const struct timing *timing, const struct problem *problem,
                         int64_t steps, int64_t *stretch, double *enough, pw_error *error)
{
    const double start = clock_seconds();
    const double parts = timing->cut != NULL ? cut_count(timing->cut) : 1;
    TRY(stepper_advance(stepper, steps, error));
    const double node = (clock_seconds() - start) * parts / ((double)steps * (double)problem_nodes(problem));
    *stretch = timing->stretch > 0 ? timing->stretch : usual_stretch(timing, problem, node);
    *enough = fmin(timing->stretch > 0 ? SPECTRA_SECONDS : MEASURED_SECONDS, trial_visits(timing) * node / parts);
    return PW_OK;
}

/* One trial; `before` has room for the clock of each part. */
static pw_status time_once(struct stepper *stepper, const struct problem *problem, int64_t stretch, double enough,
                           struct part_clock *before, struct timed *timed, pw_error *error)
{
    const struct cut *cut = parted_cut(stepper);
    for (int p = 0; cut != NULL && p < cut_count(cut); p++) {
        TRY(parted_clock(stepper, p, &before[p], error));
    }
    *timed = (struct timed){.nodes = (double)problem_nodes(problem),
                            .points = (double)problem->spectra.rows * problem->spectra.columns};
    TRY(advance_for(stepper, BOX_STEPS / (TRIALS + 1), stretch, enough, &timed->clock, error));
    timed->samples = timed->clock.steps / problem->spectra.every;
    return cut != NULL ? read_clocks(stepper, problem, before, timed, error) : PW_OK;
}

static double step_time(const struct timed *timed)
{
    return timed->clock.stepping / (timed->nodes * (double)timed->clock.steps);
}

static int order_of_times(const void *a, const void *b)
{
    const double first = step_time(a), second = step_time(b);
    return (first > second) - (first < second);
}

/* The trial in the middle. */
static pw_status time_stepper(struct stepper *stepper, const struct timing *timing, const struct problem *problem,
                              struct timed *timed, pw_error *error)
{
    const struct cut *cut = parted_cut(stepper);
    OWNED struct part_clock *before =
        allocate(cut != NULL ? (size_t)cut_count(cut) : 0, sizeof *before, "timing a box", error);
    struct timed trial[TRIALS];
    int64_t stretch = 1;
    double energy, start = 0, enough = 0;
    TRY_MADE(before);
    TRY(warm_up(stepper, timing, problem, timing->setup->problem.spectra.every, &stretch, &enough, error));
    for (int t = 0; t < TRIALS; t++) {
        TRY(time_once(stepper, problem, stretch, enough, before, &trial[t], error));
    }
    for (int look = 0; look < 2; look++) { /* the second counts */
        start = clock_seconds();
        TRY(stepper_energy(stepper, 0, &energy, error));
    }
    qsort(trial, TRIALS, sizeof *trial, order_of_times);
    *timed = trial[TRIALS / 2];
    timed->look = (clock_seconds() - start) / (double)problem_nodes(problem);
    return PW_OK;
}

static pw_status time_box(const struct timing *timing, struct timed *timed, pw_error *error)
{
    const struct bench_box box = box_like(timing->setup, timing->cut, timing->cells, timing->spectra);
    struct problem problem;
    struct stepper *stepper = NULL;
    TRY(bench_problem_create(&box, &problem, error));
    pw_status status = create_stepper(timing->compute, &problem, timing->cut, &stepper, error);
    if (status == PW_OK) {
        status = time_stepper(stepper, timing, &problem, timed, error);
        stepper_destroy(stepper);
    }
    problem_free(&problem);
    return status;
}

/* ---- the times --------------------------------------------------------------------------------------------------- */

/* What the spectra add to a box, which is timed with and without them over a group of samples. A run so short that a
 * group would be too much of it is told that a sum is as quick as a node's step. */
static pw_status measure_sample(const struct timing *fields, struct box_times *times, pw_error *error)
{
    const struct spectra *spectra = &fields->setup->problem.spectra;
    const bool volume = fields->setup->problem.formulation == FORMULATION_MAXWELL3D;
    const int group = spectra_group(spectra), most = volume && group > MOST_SAMPLES ? MOST_SAMPLES : group;
    struct timing with = *fields, without;
    struct timed all, rest;
    with.cells *= SPECTRA_SHARE;
    with.spectra = true;
    with.stretch = (int64_t)most * box_every(&fields->setup->problem);
    without = with;
    without.spectra = false;
    const struct bench_box box = box_like(with.setup, with.cut, with.cells, true);
    const double nodes = (double)box.size * box.rows * (volume ? box.levels : 1);
    if ((double)with.stretch * nodes > trial_visits(&with)) {
        times->sample = times->step;
        return PW_OK;
    }
    TRY(time_box(&with, &all, error));
    TRY(time_box(&without, &rest, error));
    const double added = all.clock.stepping - step_time(&rest) * all.nodes * (double)all.clock.steps;
    const double sums = all.points * spectra->frequency_count * (double)all.samples;
    times->sample = added > 0 && sums > 0 ? added / sums : 0;
    return PW_OK;
}

static bool spectra_count(const struct problem *problem)
{
    const struct spectra *spectra = &problem->spectra;
    const double sums = (double)spectra->rows * spectra->columns * spectra->frequency_count / spectra->every;
    return sums > SMALL_SHARE * (double)problem_nodes(problem);
}

pw_status box_times_measure(const struct setup *setup, const struct compute *compute, const struct cut *cut,
                            struct box_times *times, pw_error *error)
{
    const bool volume = setup->problem.formulation == FORMULATION_MAXWELL3D;
    const double steps = (double)pw_setup_facts(setup).expected_steps;
    const struct timing fields = {.setup = setup,
                                  .compute = compute,
                                  .cut = cut,
                                  .visits =
                                      (double)problem_nodes(&setup->problem) * steps * setup->problem.source_count,
                                  .cells = volume ? VOLUME_CELLS : BOX_CELLS};
    struct timed timed;
    *times = (struct box_times){0};
    TRY(time_box(&fields, &timed, error));
    times->step = step_time(&timed);
    times->look = timed.look;
    if (timed.clock.bytes > 0) {
        times->packed = timed.clock.packing / (double)timed.clock.bytes;
        times->sent = timed.clock.travelling / (double)timed.clock.bytes;
    }
    return spectra_count(&setup->problem) ? measure_sample(&fields, times, error) : PW_OK;
}
