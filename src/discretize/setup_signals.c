/* The deciding, second part: transmitters become driven nodes with tables, receivers become probed nodes. */
#include "base/constants.h"
#include "discretize/antenna/drives.h"
#include "discretize/formulation.h"
#include "discretize/setup_places.h"
#include "discretize/source/source_band.h"
#include "discretize/volume/volume.h"

#include <math.h>
#include <stdlib.h>

/* ---- sources ---- */

/* Points along the transmitter (one, or every half cell of a line source), as nodes whose weights add up to one; a hard
 * source drives the nearest nodes, each with weight one. */
static pw_status spread_transmitter(struct setup *setup, const struct transmitter_choice *transmitter,
                                    struct weighted_place **nodes, int64_t *count, pw_error *error)
{
    const struct problem *problem = &setup->problem;
    bool hard = transmitter->source == SOURCE_HARD;
    double length = hypot(transmitter->to.x - transmitter->at.x, transmitter->to.y - transmitter->at.y);
    int64_t points = length > 0 ? 2 * (int64_t)ceil(length / problem->axis[0].spacing) + 1 : 1;
    TRY_MADE(*nodes = allocate((size_t)points * PLACEMENT_LIMIT, sizeof **nodes, "the nodes of a line source", error));
    double farthest = 0;
    *count = 0;
    for (int64_t p = 0; p < points; p++) {
        double part = points > 1 ? (double)p / (double)(points - 1) : 0, distance = 0;
        double x = place_column(setup, transmitter->at.x + part * (transmitter->to.x - transmitter->at.x));
        double y = place_row(setup, transmitter->at.y + part * (transmitter->to.y - transmitter->at.y));
        struct placement place =
            hard ? placement_nearest(x, y, problem->axis[0].count, problem->axis[1].count, &distance)
                 : placement_at(x, y, problem->axis[0].count, problem->axis[1].count);
        /* Trapezoidal weights along the line. */
        double share = points == 1 ? 1 : (p == 0 || p == points - 1 ? 0.5 : 1) / (double)(points - 1);
        for (int k = 0; k < place.count; k++) {
            (*nodes)[(*count)++] = (struct weighted_place){place.node[k], place.weight[k] * share};
        }
        farthest = fmax(farthest, distance);
    }
    *count = weighted_places_merge(*nodes, *count);
    if (farthest > 1e-6) {
        warn(&setup->warnings, "hard source '%s' drives the nearest node, %.3g m away", transmitter->name,
             farthest * problem->axis[0].spacing);
    }
    return PW_OK;
}

/* Field per current of a soft source at a node [V/m per A]. */
static double soft_weight(const struct setup *setup, const struct coefficient_step *step, int64_t node)
{
    const struct medium_entry *entry = &setup->medium.palette[setup->problem.coefficient_index[node]];
    if (entry->perfect_conductor) {
        return 0;
    }
    struct plain_medium medium = setup_dispersive_medium(setup, entry);
    return coefficient_source_weight(&medium, step) / ez_share(&setup->shares, node);
}

static pw_status tabulate_drive(const struct setup *setup, struct source *source, bool loop,
                                const struct waveform *waveform, pw_error *error)
{
    const struct problem *problem = &setup->problem;
    source->drive = allocate((size_t)problem->steps, sizeof(double), "a waveform", error);
    source->current = allocate((size_t)problem->steps, sizeof(double), "a waveform", error);
    TRY_MADE(source->drive != NULL && source->current != NULL);
    double offset = source->sampled_at_step_end || source->hard ? 1 : 0.5;
    bool whole = source->hard || problem->formulation == FORMULATION_MAXWELL3D;
    for (int64_t n = 0; n < problem->steps; n++) {
        source->current[n] = waveform_at(waveform, ((double)n + offset) * problem->time_step);
        source->drive[n] = whole ? source->current[n] : source->current[n] - (n > 0 ? source->current[n - 1] : 0);
    }
    if (loop) {
        volume_integrate_drive(problem, source);
    }
    return source->further > 0 ? drive_tabulate(setup, source, waveform, error) : PW_OK;
}

/* Fills source->node and source->weight of a transmitter. */
static pw_status add_line_source(struct setup *setup, int index, pw_error *error)
{
    const struct transmitter_choice *transmitter = &setup->scenario->transmitters[index];
    struct source *source = &setup->problem.sources[index];
    struct weighted_place *nodes = NULL;
    TRY(spread_transmitter(setup, transmitter, &nodes, &source->count, error));
    source->node = allocate((size_t)source->count, sizeof(int64_t), "source nodes", error);
    source->weight = allocate((size_t)source->count, sizeof(double), "source nodes", error);
    if (source->node == NULL || source->weight == NULL) {
        free(nodes);
        return PW_NO_RESOURCE;
    }
    const struct coefficient_step step = setup_coefficient_step(setup);
    for (int64_t k = 0; k < source->count; k++) {
        source->node[k] = nodes[k].place;
        source->weight[k] = source->hard ? 1 : nodes[k].weight * soft_weight(setup, &step, nodes[k].place);
    }
    free(nodes);
    return PW_OK;
}

pw_status nodes_add_source(struct setup *setup, int index, pw_error *error)
{
    return setup->scenario->transmitters[index].antenna.kind == ANTENNA_PATTERN ? array_add_source(setup, index, error)
                                                                                : add_line_source(setup, index, error);
}

/* What enters the antenna and what leaves it are easily taken for each other. */
static void say_power(struct setup *setup, const struct transmitter_choice *transmitter)
{
    const double gain = antenna_gain(&transmitter->antenna);
    if (transmitter->has_conducted) {
        warn(&setup->choices, "transmitter '%s': EIRP %.4g dBm: %.4g dBm conducted and a gain of %.4g dBi",
             transmitter->name, transmitter->power, transmitter->conducted, gain);
    } else if (transmitter->antenna.kind == ANTENNA_PATTERN && !isnan(gain)) {
        warn(&setup->choices, "transmitter '%s': power is EIRP, %.4g dBm: with a gain of %.4g dBi, %.4g dBm conducted",
             transmitter->name, transmitter->power, gain, transmitter->power - gain);
    }
}

static pw_status add_source(struct setup *setup, int index, const struct waveform *waveform, pw_error *error)
{
    const struct transmitter_choice *transmitter = &setup->scenario->transmitters[index];
    struct source *source = &setup->problem.sources[index];
    TRY(place_check_inside(setup, "transmitter", transmitter->name, transmitter->line, transmitter->at, error));
    TRY(place_check_inside(setup, "transmitter", transmitter->name, transmitter->line, transmitter->to, error));
    TRY(place_check_height(setup, "transmitter", transmitter->name, transmitter->line, transmitter->height, error));
    TRY(place_check_height(setup, "transmitter", transmitter->name, transmitter->line, transmitter->to_height, error));
    place_warn_in_wall(setup, "transmitter", transmitter->name, transmitter->at, transmitter->height);
    if (transmitter->to.x != transmitter->at.x || transmitter->to.y != transmitter->at.y) {
        place_warn_in_wall(setup, "transmitter", transmitter->name, transmitter->to, transmitter->to_height);
    }
    source->hard = transmitter->source == SOURCE_HARD;
    const bool loop = volume_is_loop(setup, transmitter);
    source->sampled_at_step_end = transmitter->sampled_at_step_end || source->hard || loop;
    TRY(setup->formulation->add_source(setup, index, error));
    say_power(setup, transmitter);
    bool silent = !source->hard;
    for (int64_t k = 0; k < source->count; k++) {
        silent = silent && source->weight[k] == 0;
    }
    FAIL_IF(silent, error, PW_BAD_INPUT,
            "%s:%d: transmitter '%s' at (%g m, %g m) is inside a perfect conductor. Move it into the open",
            setup->scenario->file, transmitter->line, transmitter->name, transmitter->at.x, transmitter->at.y);
    return tabulate_drive(setup, source, loop, waveform, error);
}

/* A current with a mean leaves a static magnetic field behind, and in a closed box an Ez that never settles. */
static void warn_about_mean(struct setup *setup, const struct waveform *waveform, const char *name)
{
    if (isfinite(waveform->end) && waveform->choice.kind != WAVEFORM_SAMPLES &&
        waveform_spectrum_db(waveform, 0) > -40) {
        warn(&setup->warnings,
             "the pulse of transmitter '%s' has a mean (its spectrum at 0 Hz is %.0f dB below its peak), so a static "
             "field remains. Choose another waveform if that disturbs",
             name, -waveform_spectrum_db(waveform, 0));
    }
}

static void extend_source_end(struct problem *problem, const struct waveform *waveform)
{
    double end = fmin(ceil(waveform->end / problem->time_step) + 1, (double)problem->steps);
    problem->source_end = (int64_t)fmax((double)problem->source_end, end);
}

/* ---- receivers ---- */

/* Of all nodes beside receivers not every step is kept where that is more than 16 MB or so: whole groups of samples of
 * the spectra, at which solvers end their passes. */
static int64_t slots_of(const struct problem *problem)
{
    const int64_t most = 1 << 22, least = 128, every = problem->spectra.every > 0 ? problem->spectra.every : 1;
    if (problem->probe_count == 0 || problem->steps <= most / problem->probe_count) {
        return 0;
    }
    const int64_t fit = most / problem->probe_count, slots = fit > least ? fit : least;
    const int64_t rounded = (slots + every - 1) / every * every;
    return rounded < problem->steps ? rounded : 0;
}

static int compare_probes(const void *a, const void *b)
{
    int64_t left = ((const struct probe *)a)->node, right = ((const struct probe *)b)->node;
    return left < right ? -1 : left > right;
}

/* Each node is recorded once, in ascending order. */
pw_status nodes_add_receivers(struct setup *setup, pw_error *error)
{
    const struct scenario *scenario = setup->scenario;
    struct problem *problem = &setup->problem;
    size_t count = (size_t)scenario->receiver_count;
    setup->receivers = allocate(count, sizeof *setup->receivers, "receivers", error);
    problem->probes = allocate(count * PLACEMENT_LIMIT, sizeof *problem->probes, "receivers", error);
    TRY_MADE(setup->receivers != NULL && problem->probes != NULL);
    int total = 0;
    for (size_t r = 0; r < count; r++) {
        const struct receiver_choice *choice = &scenario->receivers[r];
        struct placement *place = &setup->receivers[r].placement;
        *place = placement_at(place_column(setup, choice->at.x), place_row(setup, choice->at.y), problem->axis[0].count,
                              problem->axis[1].count);
        for (int k = 0; k < place->count; k++) {
            problem->probes[total++] = (struct probe){.component = COMPONENT_EZ, .node = place->node[k]};
        }
    }
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
    problem->probe_slots = slots_of(problem);
    return PW_OK;
}

static pw_status add_receivers(struct setup *setup, pw_error *error)
{
    const struct scenario *scenario = setup->scenario;
    for (int r = 0; r < scenario->receiver_count; r++) {
        const struct receiver_choice *choice = &scenario->receivers[r];
        TRY(place_check_inside(setup, "receiver", choice->name, choice->line, choice->at, error));
        TRY(place_check_height(setup, "receiver", choice->name, choice->line, choice->height, error));
    }
    place_warn_receivers(setup, scenario->receivers, scenario->receiver_count);
    place_warn_storeys(setup);
    TRY(place_check_over(setup, error));
    return setup->formulation->add_receivers(setup, error);
}

/* A receiver's pattern weighs waves by their direction, which the running spectra around it tell: points of them that
 * are half a wavelength apart do not. */
static pw_status check_patterns(const struct scenario *scenario, pw_error *error)
{
    const double finest = 0.45, shortest = SPEED_OF_LIGHT / (scenario->band_centre + 0.5 * scenario->band_width);
    const int most = (int)fmax(1, floor(finest * shortest / scenario->grid.cell));
    for (int e = 0; e < scenario->receiver_entry_count; e++) {
        const struct receiver_entry *entry = &scenario->receiver_entries[e];
        if (entry->antenna.kind != ANTENNA_PATTERN || scenario->dimensions == 3) {
            continue;
        }
        FAIL_IF(scenario->horizontal || !scenario->spectra.enabled, error, PW_BAD_INPUT,
                "%s:%d: receiver '%s': a pattern weighs waves by the running spectra of Ez around it, which %s",
                scenario->file, entry->line, entry->name,
                scenario->horizontal ? "horizontal polarisation does not have" : "are off");
        FAIL_IF(scenario->spectra.spacing > most, error, PW_BAD_INPUT,
                "%s:%d: receiver '%s': its pattern needs running spectra that are close enough to tell directions: "
                "spectra.spacing is %d cells; allowed is up to %d",
                scenario->file, entry->line, entry->name, scenario->spectra.spacing, most);
    }
    return PW_OK;
}

static pw_status add_signals(struct setup *setup, struct waveform *waveforms, pw_error *error)
{
    const struct scenario *scenario = setup->scenario;
    TRY(check_patterns(scenario, error));
    for (int t = 0; t < scenario->transmitter_count; t++) {
        TRY(source_waveform(scenario, t, setup->problem.time_step, &waveforms[t], error));
        TRY(add_source(setup, t, &waveforms[t], error));
        TRY(source_check(setup, t, &waveforms[t], error));
        warn_about_mean(setup, &waveforms[t], scenario->transmitters[t].name);
        extend_source_end(&setup->problem, &waveforms[t]);
        source_extend_crossing(setup, t, &waveforms[t]);
    }
    TRY(add_receivers(setup, error));
    TRY(setup_add_spectra(setup, waveforms, error));
    return setup_check_lattice_receivers(setup, error);
}

pw_status setup_add_signals(struct setup *setup, pw_error *error)
{
    size_t count = (size_t)setup->scenario->transmitter_count;
    struct waveform *waveforms = allocate(count, sizeof *waveforms, "waveforms", error);
    setup->problem.sources = allocate(count, sizeof *setup->problem.sources, "sources", error);
    setup->arrays = allocate(count, sizeof *setup->arrays, "sources", error);
    pw_status status = PW_NO_RESOURCE;
    if (waveforms != NULL && setup->problem.sources != NULL && setup->arrays != NULL) {
        setup->problem.source_count = setup->scenario->transmitter_count;
        status = add_signals(setup, waveforms, error);
        for (size_t t = 0; t < count; t++) {
            waveform_free(&waveforms[t]);
        }
    }
    free(waveforms);
    return status;
}
