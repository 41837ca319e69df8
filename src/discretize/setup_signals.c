/* The deciding, second half: transmitters become driven nodes with tables, receivers become probed nodes, the band
 * becomes frequencies, a lattice and a sampling interval. */
#include "discretize/setup.h"

#include <math.h>
#include <stdlib.h>

/* ---- places ---- */

static pw_status check_inside(struct setup *setup, const char *what, const char *name, int line, struct point at,
                              pw_error *error)
{
    if (at.x < 0 || at.y < 0 || at.x > setup->plan.width || at.y > setup->plan.height) {
        return fail(error, PW_BAD_INPUT,
                    "%s:%d: %s '%s' at (%g m, %g m) lies outside the plan: allowed are 0 to %g m and 0 to %g m",
                    setup->scenario->file, line, what, name, at.x, at.y, setup->plan.width, setup->plan.height);
    }
    return PW_OK;
}

/* The wall that a place lies in, or NULL. */
static const struct material *wall_at(const struct setup *setup, struct point at)
{
    const struct material *material = &setup->plan.materials[floorplan_material_at(&setup->plan, at.x, at.y)];
    bool wall = material->perfect_conductor || material->relative_permittivity != 1 || material->conductivity != 0;
    return wall ? material : NULL;
}

static void warn_in_wall(struct setup *setup, const char *what, const char *name, struct point at)
{
    const struct material *material = wall_at(setup, at);
    if (material != NULL) {
        warn(&setup->warnings, "%s '%s' at (%g m, %g m) stands inside a wall (%s)", what, name, at.x, at.y,
             material->name);
    }
}

/* Few receivers in walls are named, of many the first. */
static void warn_receivers_in_walls(struct setup *setup, const struct receiver_choice *receivers, int count)
{
    const int few = 3;
    int in_walls = 0, first = -1;
    for (int r = 0; r < count; r++) {
        if (wall_at(setup, receivers[r].at) != NULL) {
            first = first < 0 ? r : first;
            in_walls++;
        }
    }
    for (int r = 0; r < count && in_walls <= few; r++) {
        warn_in_wall(setup, "receiver", receivers[r].name, receivers[r].at);
    }
    if (in_walls > few) {
        warn(&setup->warnings, "%d of %d receivers stand inside walls, the first is '%s' at (%g m, %g m)", in_walls,
             count, receivers[first].name, receivers[first].at.x, receivers[first].at.y);
    }
}

static double cells_x(const struct setup *setup, double x)
{
    return (x - setup->origin.x) / setup->problem.axis[0].spacing;
}

static double cells_y(const struct setup *setup, double y)
{
    return (y - setup->origin.y) / setup->problem.axis[0].spacing;
}

/* ---- sources ---- */

struct weighted_node {
    int64_t node;
    double weight;
};

static int compare_nodes(const void *a, const void *b)
{
    int64_t left = ((const struct weighted_node *)a)->node, right = ((const struct weighted_node *)b)->node;
    return left < right ? -1 : left > right;
}

/* Sorts by node and adds up repeated ones; returns how many are left. */
static int64_t merge_nodes(struct weighted_node *nodes, int64_t count)
{
    qsort(nodes, (size_t)count, sizeof *nodes, compare_nodes);
    int64_t merged = 0;
    for (int64_t k = 0; k < count; k++) {
        if (merged > 0 && nodes[merged - 1].node == nodes[k].node) {
            nodes[merged - 1].weight += nodes[k].weight;
        } else {
            nodes[merged++] = nodes[k];
        }
    }
    return merged;
}

/* Points along the transmitter (one, or every half cell of a line source), as nodes whose weights add up to one; a hard
 * source drives the nearest nodes, each with weight one. */
static pw_status spread_transmitter(struct setup *setup, const struct transmitter_choice *transmitter,
                                    struct weighted_node **nodes, int64_t *count, pw_error *error)
{
    const struct problem *problem = &setup->problem;
    bool hard = transmitter->source == SOURCE_HARD;
    double length = hypot(transmitter->to.x - transmitter->at.x, transmitter->to.y - transmitter->at.y);
    int64_t points = length > 0 ? 2 * (int64_t)ceil(length / problem->axis[0].spacing) + 1 : 1;
    *nodes = allocate((size_t)points * PLACEMENT_LIMIT, sizeof **nodes, "the nodes of a line source", error);
    if (*nodes == NULL) {
        return PW_NO_RESOURCE;
    }
    double farthest = 0;
    *count = 0;
    for (int64_t p = 0; p < points; p++) {
        double part = points > 1 ? (double)p / (double)(points - 1) : 0, distance = 0;
        double x = cells_x(setup, transmitter->at.x + part * (transmitter->to.x - transmitter->at.x));
        double y = cells_y(setup, transmitter->at.y + part * (transmitter->to.y - transmitter->at.y));
        struct placement place =
            hard ? placement_nearest(x, y, problem->axis[0].count, problem->axis[1].count, &distance)
                 : placement_at(x, y, problem->axis[0].count, problem->axis[1].count);
        /* Trapezoidal weights along the line. */
        double share = points == 1 ? 1 : (p == 0 || p == points - 1 ? 0.5 : 1) / (double)(points - 1);
        for (int k = 0; k < place.count; k++) {
            (*nodes)[(*count)++] = (struct weighted_node){place.node[k], place.weight[k] * share};
        }
        farthest = fmax(farthest, distance);
    }
    *count = merge_nodes(*nodes, *count);
    if (farthest > 1e-6) {
        warn(&setup->warnings, "hard source '%s' drives the nearest node, %.3g m away", transmitter->name,
             farthest * problem->axis[0].spacing);
    }
    return PW_OK;
}

/* Field per current of a soft source at a node [V/m per A]. */
static double soft_weight(const struct setup *setup, const struct dispersion_step *step, int64_t node)
{
    const struct medium_entry *entry = &setup->medium.palette[setup->problem.coefficient_index[node]];
    if (entry->perfect_conductor) {
        return 0;
    }
    struct dispersive_medium medium = setup_dispersive_medium(setup, entry);
    return dispersion_model(medium.kind)->source_weight(&medium, step);
}

static pw_status tabulate_drive(const struct setup *setup, struct source *source, const struct waveform *waveform,
                                pw_error *error)
{
    const struct problem *problem = &setup->problem;
    source->drive = allocate((size_t)problem->steps, sizeof(double), "a waveform", error);
    source->current = allocate((size_t)problem->steps, sizeof(double), "a waveform", error);
    if (source->drive == NULL || source->current == NULL) {
        return PW_NO_RESOURCE;
    }
    double offset = source->sampled_at_step_end || source->hard ? 1 : 0.5;
    for (int64_t n = 0; n < problem->steps; n++) {
        source->current[n] = waveform_at(waveform, ((double)n + offset) * problem->time_step);
        source->drive[n] =
            source->hard ? source->current[n] : source->current[n] - (n > 0 ? source->current[n - 1] : 0);
    }
    return PW_OK;
}

static pw_status add_source(struct setup *setup, int index, const struct waveform *waveform, pw_error *error)
{
    const struct transmitter_choice *transmitter = &setup->scenario->transmitters[index];
    struct source *source = &setup->problem.sources[index];
    TRY(check_inside(setup, "transmitter", transmitter->name, transmitter->line, transmitter->at, error));
    TRY(check_inside(setup, "transmitter", transmitter->name, transmitter->line, transmitter->to, error));
    warn_in_wall(setup, "transmitter", transmitter->name, transmitter->at);
    if (transmitter->to.x != transmitter->at.x || transmitter->to.y != transmitter->at.y) {
        warn_in_wall(setup, "transmitter", transmitter->name, transmitter->to);
    }
    struct weighted_node *nodes = NULL;
    TRY(spread_transmitter(setup, transmitter, &nodes, &source->count, error));
    source->hard = transmitter->source == SOURCE_HARD;
    source->sampled_at_step_end = transmitter->sampled_at_step_end || source->hard;
    source->node = allocate((size_t)source->count, sizeof(int64_t), "source nodes", error);
    source->weight = allocate((size_t)source->count, sizeof(double), "source nodes", error);
    if (source->node == NULL || source->weight == NULL) {
        free(nodes);
        return PW_NO_RESOURCE;
    }
    const struct dispersion_step step = problem_dispersion_step(&setup->problem, setup->stencil.laplacian[0]);
    bool silent = !source->hard;
    for (int64_t k = 0; k < source->count; k++) {
        source->node[k] = nodes[k].node;
        source->weight[k] = source->hard ? 1 : nodes[k].weight * soft_weight(setup, &step, nodes[k].node);
        silent = silent && source->weight[k] == 0;
    }
    free(nodes);
    if (silent) {
        return fail(error, PW_BAD_INPUT, "%s:%d: transmitter '%s' at (%g m, %g m) stands inside a perfect conductor",
                    setup->scenario->file, transmitter->line, transmitter->name, transmitter->at.x, transmitter->at.y);
    }
    return tabulate_drive(setup, source, waveform, error);
}

/* A current with a mean leaves a static magnetic field behind, and in a closed box an Ez that never settles. */
static void warn_about_mean(struct setup *setup, const struct waveform *waveform, const char *name)
{
    if (isfinite(waveform->end) && waveform->choice.kind != WAVEFORM_SAMPLES &&
        waveform_spectrum_db(waveform, 0) > -40) {
        warn(&setup->warnings,
             "the pulse of transmitter '%s' has a mean (spectrum at 0 Hz %.0f dB under its peak): it leaves a static "
             "field",
             name, -waveform_spectrum_db(waveform, 0));
    }
}

static void extend_source_end(struct problem *problem, const struct waveform *waveform)
{
    double end = fmin(ceil(waveform->end / problem->time_step) + 1, (double)problem->steps);
    problem->source_end = (int64_t)fmax((double)problem->source_end, end);
}

/* ---- receivers ---- */

static int compare_probes(const void *a, const void *b)
{
    int64_t left = ((const struct probe *)a)->node, right = ((const struct probe *)b)->node;
    return left < right ? -1 : left > right;
}

static pw_status add_receivers(struct setup *setup, pw_error *error)
{
    const struct scenario *scenario = setup->scenario;
    struct problem *problem = &setup->problem;
    size_t count = (size_t)scenario->receiver_count;
    setup->receivers = allocate(count, sizeof *setup->receivers, "receivers", error);
    problem->probes = allocate(count * PLACEMENT_LIMIT, sizeof *problem->probes, "receivers", error);
    if (setup->receivers == NULL || problem->probes == NULL) {
        return PW_NO_RESOURCE;
    }
    int total = 0;
    for (size_t r = 0; r < count; r++) {
        const struct receiver_choice *choice = &scenario->receivers[r];
        TRY(check_inside(setup, "receiver", choice->name, choice->line, choice->at, error));
        struct placement *place = &setup->receivers[r].placement;
        *place = placement_at(cells_x(setup, choice->at.x), cells_y(setup, choice->at.y), problem->axis[0].count,
                              problem->axis[1].count);
        for (int k = 0; k < place->count; k++) {
            problem->probes[total++] = (struct probe){.component = COMPONENT_EZ, .node = place->node[k]};
        }
    }
    warn_receivers_in_walls(setup, scenario->receivers, scenario->receiver_count);
    /* Each node is recorded once, in ascending order. */
    qsort(problem->probes, (size_t)total, sizeof *problem->probes, compare_probes);
    for (int k = 0; k < total; k++) {
        if (problem->probe_count == 0 || problem->probes[problem->probe_count - 1].node != problem->probes[k].node) {
            problem->probes[problem->probe_count++] = problem->probes[k];
        }
    }
    for (size_t r = 0; r < count; r++) {
        struct receiver *receiver = &setup->receivers[r];
        for (int k = 0; k < receiver->placement.count; k++) {
            const struct probe wanted = {.component = COMPONENT_EZ, .node = receiver->placement.node[k]};
            const struct probe *found = bsearch(&wanted, problem->probes, (size_t)problem->probe_count,
                                                sizeof *problem->probes, compare_probes);
            receiver->probe[k] = (int)(found - problem->probes);
        }
    }
    return PW_OK;
}

/* ---- spectra ---- */

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
    if (setup->frequency == NULL || setup->omega == NULL) {
        return PW_NO_RESOURCE;
    }
    for (size_t f = 0; f < count; f++) {
        double part = count > 1 ? (double)f / (double)(count - 1) - 0.5 : 0;
        double frequency = scenario->band_centre + part * scenario->band_width, half = M_PI * frequency * time_step;
        if (!(half < 1 && frequency > 0)) {
            return fail(error, PW_BAD_INPUT,
                        "%s: band: %g Hz is not between 0 and what a time step of %g s can carry, %g Hz",
                        scenario->file, frequency, time_step, 1 / (M_PI * time_step));
        }
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
static void choose_lattice(struct setup *setup)
{
    const struct spectra_choice *choice = &setup->scenario->spectra;
    const struct problem *problem = &setup->problem;
    struct spectra *spectra = &setup->problem.spectra;
    struct point from = choice->has_region ? choice->from : (struct point){0, 0};
    struct point to = choice->has_region ? choice->to : (struct point){setup->plan.width, setup->plan.height};
    const double slack = 1e-3; /* cells: rounding of the input */
    spectra->spacing = choice->spacing;
    spectra->x0 = clamp_int(ceil(cells_x(setup, fmin(from.x, to.x)) - slack), 0, problem->axis[0].count - 1);
    spectra->y0 = clamp_int(ceil(cells_y(setup, fmin(from.y, to.y)) - slack), 0, problem->axis[1].count - 1);
    int x1 = clamp_int(floor(cells_x(setup, fmax(from.x, to.x)) + slack), spectra->x0, problem->axis[0].count - 1);
    int y1 = clamp_int(floor(cells_y(setup, fmax(from.y, to.y)) + slack), spectra->y0, problem->axis[1].count - 1);
    spectra->columns = (x1 - spectra->x0) / spectra->spacing + 1;
    spectra->rows = (y1 - spectra->y0) / spectra->spacing + 1;
}

/* How far under the wanted band everything lies that sampling every `every` steps folds into it, in dB (positive is
 * good). */
static double aliasing_margin(const struct setup *setup, const struct waveform *waveforms, int every)
{
    const struct problem *problem = &setup->problem;
    double rate = 1 / (every * problem->time_step), margin = HUGE_VAL;
    const int looks = 65; /* over the band, edges included */
    for (int w = 0; w < setup->scenario->transmitter_count; w++) {
        for (int k = 0; k < looks; k++) {
            double wanted = setup->omega[k * (setup->frequency_count - 1) / (looks - 1)] / (2 * M_PI);
            double level = waveform_spectrum_db(&waveforms[w], wanted);
            for (int m = 1; m <= every; m++) {
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
 * long as nothing folds into the band. */
static pw_status choose_interval(struct setup *setup, const struct waveform *waveforms, pw_error *error)
{
    static const int NICE[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128};
    const struct spectra_choice *choice = &setup->scenario->spectra;
    struct spectra *spectra = &setup->problem.spectra;
    spectra->every = 1;
    if (choice->every > 0) {
        double margin = choice->every > 1 ? aliasing_margin(setup, waveforms, choice->every) : HUGE_VAL;
        spectra->every = choice->every;
        if (margin < 20) {
            return fail(error, PW_BAD_INPUT,
                        "%s: spectra.every: a sample every %d steps folds other frequencies into the band (margin %.0f "
                        "dB): the band edge is "
                        "above the Nyquist frequency of the transform; use fewer steps, or 0 to have them chosen",
                        setup->scenario->file, choice->every, margin);
        }
        if (margin < choice->aliasing) {
            warn(&setup->warnings,
                 "spectra.every = %d leaves %.0f dB of margin against aliasing, less than spectra.aliasing = %g dB",
                 choice->every, margin, choice->aliasing);
        }
        return PW_OK;
    }
    for (size_t k = 1; k < sizeof NICE / sizeof NICE[0] && NICE[k] <= setup->problem.steps; k++) {
        if (aliasing_margin(setup, waveforms, NICE[k]) >= choice->aliasing) {
            spectra->every = NICE[k];
        }
    }
    return PW_OK;
}

static pw_status add_spectra(struct setup *setup, const struct waveform *waveforms, pw_error *error)
{
    struct problem *problem = &setup->problem;
    problem->spectra.every = 1;
    TRY(choose_frequencies(setup, error)); /* receivers have them without running spectra too */
    if (setup->scenario->spectra.enabled) {
        problem->spectra.frequency_count = setup->frequency_count;
        problem->spectra.frequency = setup->frequency;
        problem->spectra.omega = setup->omega;
        choose_lattice(setup);
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

/* The lattice point nearest to a receiver; its distance [m] in *away. */
static pw_status lattice_point(struct setup *setup, const struct receiver_choice *choice, int64_t *point, double *away,
                               pw_error *error)
{
    const struct spectra *spectra = &setup->problem.spectra;
    double cell = setup->problem.axis[0].spacing;
    double column = (cells_x(setup, choice->at.x) - spectra->x0) / spectra->spacing;
    double row = (cells_y(setup, choice->at.y) - spectra->y0) / spectra->spacing;
    TRY(check_inside(setup, "receiver", choice->name, choice->line, choice->at, error));
    if (column < -1 || row < -1 || column > spectra->columns || row > spectra->rows) {
        return fail(error, PW_BAD_INPUT, "%s:%d: receiver '%s' at (%g m, %g m) lies outside spectra.region",
                    setup->scenario->file, choice->line, choice->name, choice->at.x, choice->at.y);
    }
    double near_column = fmin(fmax(round(column), 0), spectra->columns - 1);
    double near_row = fmin(fmax(round(row), 0), spectra->rows - 1);
    *point = (int64_t)near_row * spectra->columns + (int64_t)near_column;
    *away = hypot(column - near_column, row - near_row) * spectra->spacing * cell;
    return PW_OK;
}

/* Receivers of the running spectra need no probe: what they are taken from is there anyway. */
static pw_status check_lattice_receivers(struct setup *setup, pw_error *error)
{
    const struct scenario *scenario = setup->scenario;
    size_t count = (size_t)scenario->lattice_receiver_count, shared = 0;
    int64_t *point = allocate(count, sizeof *point, "receivers", error);
    pw_status status = point == NULL ? PW_NO_RESOURCE : PW_OK;
    for (size_t r = 0; r < count && status == PW_OK; r++) {
        double away = 0;
        status = lattice_point(setup, &scenario->lattice_receivers[r], &point[r], &away, error);
        setup->lattice_offset = fmax(setup->lattice_offset, away);
    }
    if (status == PW_OK && count > 0) {
        warn_receivers_in_walls(setup, scenario->lattice_receivers, scenario->lattice_receiver_count);
        qsort(point, count, sizeof *point, compare_cells);
        for (size_t r = 1; r < count; r++) {
            shared += point[r] == point[r - 1] ? 1U : 0U;
        }
        if (shared > 0) {
            warn(&setup->warnings,
                 "%zu of %zu receivers share a point of the spectra with another one: these stand %g cm apart; a "
                 "smaller spectra.spacing, or record: steps, tells them apart",
                 shared, count, 100 * setup->problem.spectra.spacing * setup->problem.axis[0].spacing);
        }
    }
    free(point);
    return status;
}

static pw_status add_signals(struct setup *setup, struct waveform *waveforms, pw_error *error)
{
    const struct scenario *scenario = setup->scenario;
    for (int t = 0; t < scenario->transmitter_count; t++) {
        const struct transmitter_choice *transmitter = &scenario->transmitters[t];
        TRY(waveform_create(&transmitter->waveform, scenario->band_centre, scenario->band_width, &waveforms[t], error));
        TRY(add_source(setup, t, &waveforms[t], error));
        warn_about_mean(setup, &waveforms[t], transmitter->name);
        extend_source_end(&setup->problem, &waveforms[t]);
    }
    TRY(add_receivers(setup, error));
    TRY(add_spectra(setup, waveforms, error));
    return check_lattice_receivers(setup, error);
}

pw_status setup_add_signals(struct setup *setup, pw_error *error)
{
    size_t count = (size_t)setup->scenario->transmitter_count;
    struct waveform *waveforms = allocate(count, sizeof *waveforms, "waveforms", error);
    setup->problem.sources = allocate(count, sizeof *setup->problem.sources, "sources", error);
    pw_status status = PW_NO_RESOURCE;
    if (waveforms != NULL && setup->problem.sources != NULL) {
        setup->problem.source_count = setup->scenario->transmitter_count;
        status = add_signals(setup, waveforms, error);
        for (size_t t = 0; t < count; t++) {
            waveform_free(&waveforms[t]);
        }
    }
    free(waveforms);
    return status;
}
