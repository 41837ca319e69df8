/* Line currents for a pattern (array.h): which nodes, of the smallest array that does it. Leaves out the fit itself
 * (array_fit.h) and the drives (drives.h). */
#include "discretize/antenna/array.h"

#include "base/constants.h"
#include "discretize/antenna/array_fit.h"
#include "discretize/antenna/drives.h"
#include "discretize/setup_places.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In wavelengths of the band's centre. */
static const double RADII[] = {0.2, 0.3, 0.45, 0.65, 0.9, 1.3, 1.8};
static const double PITCH = 0.2;
static const double GOOD = 0.2;    /* dB: a larger array is not looked for */
static const double HOPELESS = 2;  /* dB: more drives do not help so small an array */
static const double DOUBTED = 0.5; /* dB: what the set-up warns of */
enum { FIT_ANGLES = 48, CHECK_ANGLES = 360, CHECK_FREQUENCIES = 9, LEAST_NODES = 4 };
static const double AIR = 0.02; /* how far the permittivity of a node may be off that of air */

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

struct array_nodes {
    int count, walls; /* in air; not in air, of those that would be wanted */
    int64_t *node;    /* (count), ascending, owned */
    double *x, *y;    /* (count) m, from the transmitter, owned */
};

static void nodes_free(struct array_nodes *nodes)
{
    FREE_ALL(nodes->node, nodes->x, nodes->y);
}

static bool node_is_air(const struct setup *setup, int i, int j)
{
    const struct problem *problem = &setup->problem;
    for (int a = 0; a < 2; a++) {
        const int at = a == 0 ? i : j, low = setup_absorber_cells(setup, a, 0),
                  high = setup_absorber_cells(setup, a, 1);
        if (at < low || at > problem->axis[a].count - 1 - high) {
            return false;
        }
    }
    const size_t node = (size_t)j * (size_t)problem->axis[0].count + (size_t)i;
    const struct medium_entry *entry = &setup->medium.palette[problem->coefficient_index[node]];
    return !entry->perfect_conductor && fabs(entry->relative_permittivity - 1) <= AIR && entry->conductivity == 0;
}

/* Nodes of a lattice with the transmitter's nearest node within the radius [m]. */
static pw_status nodes_find(const struct setup *setup, struct point at, double radius, struct array_nodes *nodes,
                            pw_error *error)
{
    const double cell = setup->problem.axis[0].spacing, wavelength = SPEED_OF_LIGHT / setup->scenario->band_centre;
    const double column = place_column(setup, at.x), row = place_row(setup, at.y);
    const int stride = (int)fmax(1, round(fmin(PITCH * wavelength, radius / 1.5) / cell));
    const int reach = (int)ceil(radius / (cell * stride)) + 1, across = 2 * reach + 1;
    const size_t most = (size_t)across * (size_t)across;
    *nodes = (struct array_nodes){.node = allocate(most, sizeof(int64_t), "the nodes of an antenna", error),
                                  .x = allocate(most, sizeof(double), "the nodes of an antenna", error),
                                  .y = allocate(most, sizeof(double), "the nodes of an antenna", error)};
    TRY_MADE(nodes->node != NULL && nodes->x != NULL && nodes->y != NULL);
    for (int q = -reach; q <= reach; q++) {
        for (int p = -reach; p <= reach; p++) {
            const int i = (int)round(column) + p * stride, j = (int)round(row) + q * stride;
            const double x = (i - column) * cell, y = (j - row) * cell;
            if (hypot(x, y) > radius * (1 + 1e-9)) {
                continue;
            }
            if (!node_is_air(setup, i, j)) {
                nodes->walls++;
                continue;
            }
            nodes->node[nodes->count] = (int64_t)j * setup->problem.axis[0].count + i;
            nodes->x[nodes->count] = x;
            nodes->y[nodes->count++] = y;
        }
    }
    return PW_OK;
}

/* ---- the fit ----------------------------------------------------------------------------------------------------- */

struct question_arrays {
    double *wanted, *wave_number, *basis; /* owned */
};

static void arrays_free(struct question_arrays *arrays)
{
    FREE_ALL(arrays->wanted, arrays->wave_number, arrays->basis);
}

/* Wave numbers as the grid has them, which matters for coarse ones. */
static pw_status question_fill(const struct setup *setup, const struct antenna *antenna, int angles, int frequencies,
                               struct question_arrays *arrays, struct array_question *question, pw_error *error)
{
    static const char WHAT[] = "the pattern of an antenna";
    const size_t size = (size_t)angles * (size_t)frequencies;
    *arrays =
        (struct question_arrays){.wanted = allocate((size_t)angles, sizeof(double), WHAT, error),
                                 .wave_number = allocate(size, sizeof(double), WHAT, error),
                                 .basis = allocate((size_t)frequencies * ARRAY_TERMS, sizeof(double), WHAT, error)};
    TRY_MADE(arrays->wanted != NULL && arrays->wave_number != NULL && arrays->basis != NULL);
    const bool warp = setup->scenario->spectra.warp;
    for (int a = 0; a < angles; a++) {
        const double angle = 2 * M_PI * a / angles;
        arrays->wanted[a] = pow(10, antenna_azimuth_level(antenna, cos(angle), sin(angle)) / 20);
        for (int f = 0; f < frequencies; f++) {
            const double frequency = drive_frequency(setup, f, frequencies),
                         k = stencil_wave_number(&setup->stencil, setup->problem.axis[0].spacing,
                                                 warp ? 0 : setup->problem.time_step, 2 * M_PI * frequency, angle);
            arrays->wave_number[f * angles + a] = isfinite(k) ? k : 2 * M_PI * frequency / SPEED_OF_LIGHT;
        }
    }
    drive_basis(setup, frequencies, arrays->basis);
    question->angles = angles;
    question->wanted = arrays->wanted;
    question->frequencies = frequencies;
    question->wave_number = arrays->wave_number;
    question->basis = arrays->basis;
    question->centre = frequencies / 2;
    return PW_OK;
}

static pw_status answer_check(const struct setup *setup, const struct antenna *antenna,
                              const struct array_question *asked, struct array_answer *answer, pw_error *error)
{
    struct array_question question = *asked;
    OWNED_BY(arrays_free) struct question_arrays arrays = {NULL};
    TRY(question_fill(setup, antenna, CHECK_ANGLES, CHECK_FREQUENCIES, &arrays, &question, error));
    return array_check(&question, answer, error);
}

static pw_status fit_nodes(const struct setup *setup, const struct antenna *antenna, const struct array_nodes *nodes,
                           int terms, struct array_answer *answer, pw_error *error)
{
    struct array_question question = {.count = nodes->count, .x = nodes->x, .y = nodes->y, .terms = terms};
    struct question_arrays arrays = {NULL};
    pw_status status = question_fill(setup, antenna, FIT_ANGLES, terms > 2 ? 5 : 3, &arrays, &question, error);
    THEN(status, array_fit(&question, answer, error));
    arrays_free(&arrays);
    return status == PW_OK && answer->error < HOPELESS ? answer_check(setup, antenna, &question, answer, error)
                                                       : status;
}

/* What is left of the attempts. */
struct array_best {
    struct array_nodes nodes;
    struct array_answer answer;
    int terms;
    double radius;
};

static void best_free(struct array_best *best)
{
    nodes_free(&best->nodes);
    free(best->answer.weight);
}

static pw_status try_radius(const struct setup *setup, const struct transmitter_choice *transmitter, double radius,
                            struct array_best *best, pw_error *error)
{
    double reached = 0;
    for (int terms = 2; terms <= ARRAY_TERMS && reached < HOPELESS && !(best->answer.error <= GOOD); terms += 2) {
        struct array_best tried = {.terms = terms, .radius = radius};
        pw_status status = nodes_find(setup, transmitter->at, radius, &tried.nodes, error);
        if (status == PW_OK && tried.nodes.count >= LEAST_NODES) {
            status = fit_nodes(setup, &transmitter->antenna, &tried.nodes, terms, &tried.answer, error);
            reached = tried.answer.error;
            if (status == PW_OK && reached < best->answer.error) {
                const struct array_best before = *best;
                *best = tried;
                tried = before;
            }
        }
        best_free(&tried);
        TRY(status);
    }
    return PW_OK;
}

static pw_status take_best(struct setup *setup, int index, const struct array_best *best, pw_error *error)
{
    struct source *source = &setup->problem.sources[index];
    const struct coefficient_step step = setup_coefficient_step(setup);
    const size_t count = (size_t)best->nodes.count, further = (size_t)best->terms - 1;
    source->count = best->nodes.count;
    source->further = best->terms - 1;
    source->node = allocate(count, sizeof(int64_t), "source nodes", error);
    source->weight = allocate(count, sizeof(double), "source nodes", error);
    source->further_weight = allocate(count * further, sizeof(double), "source nodes", error);
    TRY_MADE(source->node != NULL && source->weight != NULL && source->further_weight != NULL);
    memcpy(source->node, best->nodes.node, count * sizeof *source->node);
    for (size_t k = 0; k < count; k++) {
        const struct medium_entry *entry = &setup->medium.palette[setup->problem.coefficient_index[source->node[k]]];
        struct plain_medium medium = setup_dispersive_medium(setup, entry);
        const double unit = coefficient_source_weight(&medium, &step) / ez_share(&setup->shares, source->node[k]);
        source->weight[k] = unit * best->answer.weight[k];
        for (size_t r = 0; r < further; r++) {
            source->further_weight[r * count + k] = unit * best->answer.weight[(r + 1) * count + k];
        }
    }
    setup->arrays[index] = (struct array_report){.count = best->nodes.count,
                                                 .terms = best->terms,
                                                 .radius = best->radius,
                                                 .error_centre = best->answer.error_centre,
                                                 .error = best->answer.error,
                                                 .exceeded = best->answer.exceeded,
                                                 .current = best->answer.current};
    return PW_OK;
}

static void say_array(struct setup *setup, const struct transmitter_choice *transmitter, const struct array_best *best)
{
    const struct antenna_pattern *pattern = transmitter->antenna.pattern;
    const struct array_answer *answer = &best->answer;
    char deep[96] = "";
    if (answer->exceeded > -INFINITY) {
        snprintf(deep, sizeof deep, "; exceeded by at most %.1f dB where it is less", fmax(0, answer->exceeded));
    }
    warn(&setup->choices,
         "transmitter '%s': pattern '%s' from %d line currents within %.3g m, off by at most %.2f dB at the centre "
         "and %.2f dB over the band, down to -15 dB%s",
         transmitter->name, pattern->name, best->nodes.count, best->radius, answer->error_centre, answer->error, deep);
}

static void warn_array(struct setup *setup, const struct transmitter_choice *transmitter, const struct array_best *best)
{
    const struct antenna_pattern *pattern = transmitter->antenna.pattern;
    if (best->answer.error > DOUBTED) {
        warn(&setup->warnings,
             "transmitter '%s': the pattern '%s' is radiated up to %.1f dB off (down to -15 dB; %.1f dB at the band's "
             "centre)",
             transmitter->name, pattern->name, best->answer.error, best->answer.error_centre);
    }
    if (best->nodes.walls > 0) {
        warn(&setup->warnings,
             "transmitter '%s': a wall is less than %.3g m from the antenna, in its near field. The pattern is that of "
             "an antenna in air; move the antenna away from the wall for a better match",
             transmitter->name, best->radius);
    }
    array_warn_pattern(setup, pattern);
}

void array_warn_pattern(struct setup *setup, const struct antenna_pattern *pattern)
{
    const double centre = setup->scenario->band_centre;
    if (pattern->gain_unit_missing) {
        warn(&setup->warnings, "antenna '%s': GAIN has no unit and is taken for dBd, %.4g dBi", pattern->name,
             pattern->gain);
    }
    if (pattern->frequency > 0 && fabs(pattern->frequency / centre - 1) > 0.1) {
        warn(&setup->warnings,
             "antenna '%s': its pattern was measured at %.4g GHz, but the centre of the band is %.4g GHz",
             pattern->name, pattern->frequency / 1e9, centre / 1e9);
    }
}

pw_status array_add_source(struct setup *setup, int index, pw_error *error)
{
    const struct transmitter_choice *transmitter = &setup->scenario->transmitters[index];
    const double wavelength = SPEED_OF_LIGHT / setup->scenario->band_centre;
    OWNED_BY(best_free) struct array_best best = {.answer = {.error = INFINITY}};
    for (size_t r = 0; r < sizeof RADII / sizeof *RADII && !(best.answer.error <= GOOD); r++) {
        TRY(try_radius(setup, transmitter, RADII[r] * wavelength, &best, error));
    }
    FAIL_IF(best.answer.weight == NULL, error, PW_BAD_INPUT,
            "%s:%d: transmitter '%s': an antenna with a pattern needs air around it: put it at least a tenth of a "
            "wavelength, %.2g m, before the wall",
            setup->scenario->file, transmitter->line, transmitter->name, 0.1 * wavelength);
    if (best.answer.error >= HOPELESS) { /* known on the fit's own directions alone */
        const struct array_question question = {
            .count = best.nodes.count, .x = best.nodes.x, .y = best.nodes.y, .terms = best.terms};
        TRY(answer_check(setup, &transmitter->antenna, &question, &best.answer, error));
    }
    TRY(take_best(setup, index, &best, error));
    say_array(setup, transmitter, &best);
    warn_array(setup, transmitter, &best);
    return PW_OK;
}
