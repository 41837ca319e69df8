/* The deciding, third part: the band becomes frequencies, a lattice or sheets of points, and a sampling interval; and
 * the receivers that are taken from them. */
#include "discretize/forecast/half_noise.h"
#include "discretize/formulation.h"
#include "discretize/setup_places.h"
#include "discretize/source/waveform.h"
#include "discretize/volume/volume.h"

#include <math.h>
#include <stdlib.h>

/* Frequencies over the band, both edges included, and where each is evaluated: warped, w_n = (2/dt) asin(w dt/2)
 * (physics.md section 2). */
static pw_status choose_frequencies(struct setup *setup, pw_error *error)
{
    const struct scenario *scenario = setup->scenario;
    double time_step = setup->problem.time_step;
    size_t count = (size_t)scenario->spectra.count;
    setup->frequency_count = scenario->spectra.count;
    setup->frequency = allocate(count, sizeof(double), "frequencies", error);
    setup->omega = allocate(count, sizeof(double), "frequencies", error);
    TRY_MADE(setup->frequency != NULL && setup->omega != NULL);
    for (size_t f = 0; f < count; f++) {
        double part = count > 1 ? (double)f / (double)(count - 1) - 0.5 : 0;
        double frequency = scenario->band_centre + part * scenario->band_width, half = M_PI * frequency * time_step;
        FAIL_IF(!(half < 1 && frequency > 0), error, PW_BAD_INPUT,
                "%s: band: %g GHz is not between 0 and what a time step of %g ps can carry, %g GHz", scenario->file,
                1e-9 * frequency, 1e12 * time_step, 1e-9 / (M_PI * time_step));
        setup->frequency[f] = frequency;
        setup->omega[f] = scenario->spectra.warp ? 2 / time_step * asin(half) : 2 * half / time_step;
    }
    return PW_OK;
}

static int clamp_int(double value, int low, int high)
{
    return value < low ? low : value > high ? high : (int)value;
}

/* The lattice: every `spacing` cells from the lower left of the region (the plan, or what the user asked for). */
pw_status nodes_choose_points(struct setup *setup, pw_error *error)
{
    (void)error;
    const struct spectra_choice *choice = &setup->scenario->spectra;
    const struct problem *problem = &setup->problem;
    struct spectra *spectra = &setup->problem.spectra;
    struct point from = choice->has_region ? choice->from : (struct point){0, 0};
    struct point to = choice->has_region ? choice->to : (struct point){setup->plan.width, setup->plan.height};
    const double slack = 1e-3; /* cells: rounding of the input */
    spectra->spacing = choice->spacing;
    spectra->x0 = clamp_int(ceil(place_column(setup, fmin(from.x, to.x)) - slack), 0, problem->axis[0].count - 1);
    spectra->y0 = clamp_int(ceil(place_row(setup, fmin(from.y, to.y)) - slack), 0, problem->axis[1].count - 1);
    int x1 = clamp_int(floor(place_column(setup, fmax(from.x, to.x)) + slack), spectra->x0, problem->axis[0].count - 1);
    int y1 = clamp_int(floor(place_row(setup, fmax(from.y, to.y)) + slack), spectra->y0, problem->axis[1].count - 1);
    spectra->columns = (x1 - spectra->x0) / spectra->spacing + 1;
    spectra->rows = (y1 - spectra->y0) / spectra->spacing + 1;
    return PW_OK;
}

/* The k-th of `looks` frequencies over the band, edges included, of those that there are. */
static int look_at(const struct setup *setup, int k, int looks)
{
    return k * (setup->frequency_count - 1) / (looks - 1);
}

/* How far under the wanted band everything lies that sampling every `every` steps folds into it, in dB (positive is
 * good). Where that is less than `least`, it may be less still. */
static double aliasing_margin(const struct setup *setup, const struct waveform *waveforms, int every, double least)
{
    const struct problem *problem = &setup->problem;
    double rate = 1 / (every * problem->time_step), margin = HUGE_VAL;
    const int looks = 65;
    for (int w = 0; w < setup->scenario->transmitter_count; w++) {
        for (int k = 0; k < looks; k++) {
            int f = look_at(setup, k, looks);
            if (k > 0 && f == look_at(setup, k - 1, looks)) {
                continue;
            }
            double wanted = setup->omega[f] / (2 * M_PI);
            double level = waveform_spectrum_db(&waveforms[w], wanted);
            for (int m = 1; m <= every && margin >= least; m++) {
                double below = fabs(m * rate - wanted), above = m * rate + wanted;
                double alias =
                    fmax(waveform_spectrum_db(&waveforms[w], below), waveform_spectrum_db(&waveforms[w], above));
                margin = fmin(margin, level - alias);
            }
        }
    }
    return margin;
}

/* Steps between samples: the largest of a list of numbers with many divisors (engines advance several steps per pass
 * and end passes on samples) that keeps the margin. Bandpass sampling: the rate may be under the highest frequency as
 * long as nothing folds into the band. Of fields in 16 bits noise would fold in from everywhere. */
static pw_status choose_interval(struct setup *setup, const struct waveform *waveforms, pw_error *error)
{
    static const int NICE[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128};
    const struct spectra_choice *choice = &setup->scenario->spectra;
    struct spectra *spectra = &setup->problem.spectra;
    spectra->every = 1;
    if (choice->every > 0) {
        double margin = choice->every > 1 ? aliasing_margin(setup, waveforms, choice->every, -HUGE_VAL) : HUGE_VAL;
        spectra->every = choice->every;
        FAIL_IF(margin < 20, error, PW_BAD_INPUT,
                "%s: spectra.every: a sample every %d steps folds other frequencies into the band (margin %.0f "
                "dB): the band edge is "
                "above the Nyquist frequency of the transform; use fewer steps, or 0 to have them chosen",
                setup->scenario->file, choice->every, margin);
        if (margin < choice->aliasing) {
            warn(&setup->warnings,
                 "spectra.every = %d leaves %.0f dB of margin against aliasing, less than spectra.aliasing = %g dB",
                 choice->every, margin, choice->aliasing);
        }
        return PW_OK;
    }
    const int64_t most = setup->problem.half ? HALF_NOISE_EVERY : setup->problem.steps;
    for (size_t k = 1; k < sizeof NICE / sizeof NICE[0] && NICE[k] <= most && NICE[k] <= setup->problem.steps; k++) {
        if (aliasing_margin(setup, waveforms, NICE[k], choice->aliasing) >= choice->aliasing) {
            spectra->every = NICE[k];
        }
    }
    return PW_OK;
}

/* A region that has nothing in common with the plan is a slip; one that is larger is not. */
static pw_status check_region(const struct setup *setup, pw_error *error)
{
    const struct spectra_choice *choice = &setup->scenario->spectra;
    const struct floorplan *plan = &setup->plan;
    bool beside = choice->to.x < 0 || choice->to.y < 0 || choice->from.x > plan->width || choice->from.y > plan->height;
    return choice->has_region && beside
               ? fail(error, PW_BAD_INPUT,
                      "%s: spectra.region: from (%g m, %g m) to (%g m, %g m) nothing of it lies in the plan: allowed "
                      "are 0 to %g m and 0 to %g m",
                      setup->scenario->file, choice->from.x, choice->from.y, choice->to.x, choice->to.y, plan->width,
                      plan->height)
               : PW_OK;
}

pw_status setup_add_spectra(struct setup *setup, const struct waveform *waveforms, pw_error *error)
{
    struct problem *problem = &setup->problem;
    problem->spectra.every = 1;
    TRY(choose_frequencies(setup, error)); /* receivers have them without running spectra too */
    if (setup->scenario->spectra.enabled) {
        problem->spectra.frequency_count = setup->frequency_count;
        problem->spectra.frequency = setup->frequency;
        problem->spectra.omega = setup->omega;
        TRY(check_region(setup, error));
        TRY(setup->formulation->choose_points(setup, error));
        TRY(choose_interval(setup, waveforms, error));
    }
    int64_t samples = (511 + problem->spectra.every) / problem->spectra.every;
    problem->watch_every = (int)samples * problem->spectra.every;
    return PW_OK;
}

static int compare_cells(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return left < right ? -1 : left > right;
}

/* Two dimensions: the point of the lattice nearest to a receiver; its distance [m] in *away. */
static pw_status lattice_point(struct setup *setup, const struct receiver_choice *choice, int64_t *point, double *away,
                               pw_error *error)
{
    const struct spectra *spectra = &setup->problem.spectra;
    double cell = setup->problem.axis[0].spacing, pitch = spectra->spacing * cell;
    double column = (choice->at.x - (setup->origin.x + spectra->x0 * cell)) / pitch;
    double row = (choice->at.y - (setup->origin.y + spectra->y0 * cell)) / pitch;
    TRY(place_check_inside(setup, "receiver", choice->name, choice->line, choice->at, error));
    FAIL_IF(column < -1 || row < -1 || column > (double)spectra->columns || row > (double)spectra->rows, error,
            PW_BAD_INPUT, "%s:%d: receiver '%s' at (%g m, %g m) lies outside the plane of the spectra",
            setup->scenario->file, choice->line, choice->name, choice->at.x, choice->at.y);
    double near_column = fmin(fmax(round(column), 0), (double)spectra->columns - 1);
    double near_row = fmin(fmax(round(row), 0), (double)spectra->rows - 1);
    *point = (int64_t)near_row * spectra->columns + (int64_t)near_column;
    *away = hypot(column - near_column, row - near_row) * pitch;
    return PW_OK;
}

pw_status nodes_lattice_receivers(struct setup *setup, int64_t *point, pw_error *error)
{
    const struct scenario *scenario = setup->scenario;
    for (int r = 0; r < scenario->lattice_receiver_count; r++) {
        double away = 0;
        TRY(lattice_point(setup, &scenario->lattice_receivers[r], &point[r], &away, error));
        setup->lattice_offset = fmax(setup->lattice_offset, away);
    }
    return PW_OK;
}

/* Receivers of the running spectra need no probe: what they are taken from is there anyway. */
pw_status setup_check_lattice_receivers(struct setup *setup, pw_error *error)
{
    const struct scenario *scenario = setup->scenario;
    size_t count = (size_t)scenario->lattice_receiver_count, shared = 0;
    OWNED int64_t *point = allocate(count, sizeof *point, "receivers", error);
    TRY_MADE(point);
    TRY(setup->formulation->lattice_receivers(setup, point, error));
    if (count > 0) {
        place_warn_receivers(setup, scenario->lattice_receivers, scenario->lattice_receiver_count);
        qsort(point, count, sizeof *point, compare_cells);
        for (size_t r = 1; r < count; r++) {
            shared += point[r] >= 0 && point[r] == point[r - 1] ? 1U : 0U;
        }
        if (shared > 0) {
            warn(&setup->warnings,
                 "%zu of %zu receivers share a point of the spectra with another receiver, because the points are %g "
                 "cm apart. Set a smaller spectra.spacing, or 'record: steps', to separate them",
                 shared, count, 100 * setup->problem.spectra.spacing * setup->problem.axis[0].spacing);
        }
    }
    return PW_OK;
}
