/* Solving a problem whole and in parts, half of the way by one cut and the other half by another, and comparing all
 * that comes out. For the tests of parts on the host (test_parts.c) and on devices (test_gpu_parts.c). */
#ifndef PARTS_COMPARE_H
#define PARTS_COMPARE_H

#include "backend/parts/parted.h"
#include "tests/volume/random_volume.h"

#include "tests/poles/random_poles.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* ---- solving ----------------------------------------------------------------------------------------------------- */

struct way {
    const struct backend *backend;
    const char *solver;
    int parts[3], depth; /* parts[0] == 0: whole */
    int together;        /* parts that step at the same time, on the devices in turn; 0: on the first */
    bool copies;         /* what they exchange is copied, as between devices that do not reach each other's memory */
    uint64_t turns;      /* bytes of the device in which the parts take turns; 0: all are there all the time */
};

static inline struct stepper *create(const struct problem *problem, const struct way *way)
{
    struct stepper *stepper = NULL;
    pw_error error = {{0}};
    struct parted_options parted = {.cut = {.count = way->parts[0] * way->parts[1] * way->parts[2],
                                            .parts = {way->parts[0], way->parts[1], way->parts[2]},
                                            .depth = way->depth}};
    const struct backend_options options = {.threads = 2, .solver = way->solver};
    struct part_options part = {.threads = 2,
                                .runs = problem->source_count,
                                .device_count = way->together,
                                .turn_memory = way->turns,
                                .copies = way->copies};
    const int devices = way->backend->devices != NULL ? way->backend->devices->count() : 0;
    for (int p = 0; p < way->together && devices > 0; p++) {
        part.device[p] = p % devices;
    }
    snprintf(part.backend, sizeof part.backend, "%s", way->backend->name);
    snprintf(part.solver, sizeof part.solver, "%s", way->solver != NULL ? way->solver : "");
    pw_status status =
        way->parts[0] > 0 ? parted_create(problem, &parted, &part, &stepper, &error)
                          : stepper_create(way->backend, problem, 0, problem->source_count, &options, &stepper, &error);
    if (status != PW_OK) {
        fail_msg("%s", error.message);
    }
    return stepper;
}

static inline struct run_state empty_state(const struct problem *problem)
{
    struct run_state state;
    pw_error error = {{0}};
    assert_int_equal(run_state_create(problem, problem->steps, &state, &error), PW_OK);
    return state;
}

/* What a run is after all its steps: its state and its energy at each look. */
struct outcome {
    struct run_state state;
    double energy[8];
};

static inline void advance(struct stepper *stepper, const struct problem *problem, int64_t from, int64_t to,
                           double *energy)
{
    const int64_t batches[] = {1, 7, 13, 3, 29};
    pw_error error = {{0}};
    for (int b = 0; from < to; b++) {
        int64_t some = batches[b % 5] < to - from ? batches[b % 5] : to - from;
        if (stepper_advance(stepper, some, &error) != PW_OK) {
            fail_msg("%s", error.message);
        }
        assert_int_equal(stepper_energy(stepper, problem->source_count - 1, &energy[b % 8], &error), PW_OK);
        from += some;
    }
}

/* An array of a state and its size; NULL for one that the problem has not. */
static inline double *array_of(const struct problem *problem, const struct run_state *state, int array, int64_t *count)
{
    const bool volume = problem->formulation == FORMULATION_MAXWELL3D;
    const int first = volume ? STATE_FILTER : STATE_X_HALF, axis = (array - first) / (volume ? 4 : 2);
    double *const plane[] = {state->ez,     state->increment, state->x_half, state->x_node,
                             state->y_half, state->y_node,    state->edges};
    *count = problem_nodes(problem);
    if (array == STATE_POLES) {
        *count = problem->pole_state_count;
        return state->poles;
    }
    if (!volume && array == STATE_EDGES) {
        *count = 2 * (problem->axis[0].count + problem->axis[1].count);
        return state->edges;
    }
    if (array >= first && axis < 3) {
        *count = *count / problem->axis[axis].count * run_state_filters(problem, axis);
    }
    return !volume                ? (array < STATE_EDGES ? plane[array] : NULL)
           : array < STATE_FILTER ? state->field[array]
                                  : state->filter[axis][(array - STATE_FILTER) % 4];
}

/* The state in pieces: out of the run it is `state`, to the bit; into a run (`store` false) it is put piece by piece.
 */
static inline void move_pieces(struct stepper *stepper, const struct problem *problem, int run,
                               const struct run_state *state, bool store)
{
    enum { PIECE = 1009 };
    double piece[PIECE];
    pw_error error = {{0}};
    for (int a = 0; a <= STATE_POLES; a++) {
        int64_t count = 0;
        double *array = array_of(problem, state, a, &count);
        for (int64_t from = 0; array != NULL && from < count; from += PIECE) {
            const int64_t to = from + PIECE < count ? from + PIECE : count;
            const struct state_rows rows = {a, from, to, piece};
            memset(piece, 0x7f, sizeof piece);
            if (!store) {
                memcpy(piece, array + from, (size_t)(to - from) * sizeof *piece);
            }
            assert_int_equal(stepper_rows(stepper, problem, run, &rows, store, &error), PW_OK);
            for (int64_t n = from; n < to; n++) {
                if (piece[n - from] != array[n]) {
                    fail_msg("array %d [%lld]: whole %.17g, in pieces %.17g", a, (long long)n, array[n],
                             piece[n - from]);
                }
            }
        }
    }
}

/* A saved state into a run: in pieces where the solver takes them. */
static inline void load_saved(struct stepper *stepper, const struct problem *problem, int run,
                              const struct run_state *saved)
{
    pw_error error = {{0}};
    const bool pieces = stepper_has_rows(stepper, false);
    const struct run_state records = {
        .step = saved->step, .spectra = saved->spectra, .samples = saved->samples, .probes = saved->probes};
    assert_int_equal(stepper_load(stepper, run, pieces ? &records : saved, &error), PW_OK);
    if (pieces) {
        move_pieces(stepper, problem, run, saved, false);
    }
}

/* Half of the way by `way`, the other half, from the state that this leaves, by `then`. */
static inline struct outcome solve(const struct problem *problem, const struct run_state *start, const struct way *way,
                                   const struct way *then)
{
    struct outcome outcome = {.state = empty_state(problem)};
    const int64_t half = problem->steps / 2;
    const int last = problem->source_count - 1;
    pw_error error = {{0}};
    struct stepper *stepper = create(problem, way);
    if (start != NULL) {
        assert_int_equal(stepper_load(stepper, last, start, &error), PW_OK);
    }
    advance(stepper, problem, 0, half, outcome.energy);
    if (then != NULL) {
        struct run_state saved = empty_state(problem);
        assert_int_equal(stepper_save(stepper, last, &saved, &error), PW_OK);
        assert_true(stepper_has_rows(stepper, true));
        move_pieces(stepper, problem, last, &saved, true);
        stepper_destroy(stepper);
        stepper = create(problem, then);
        load_saved(stepper, problem, last, &saved);
        run_state_free(&saved);
    }
    advance(stepper, problem, half, problem->steps, outcome.energy);
    assert_int_equal(stepper_save(stepper, last, &outcome.state, &error), PW_OK);
    stepper_destroy(stepper);
    return outcome;
}

static inline void outcome_free(struct outcome *outcome)
{
    run_state_free(&outcome->state);
}

/* ---- comparison -------------------------------------------------------------------------------------------------- */

/* Bits, so that NaNs and signs of zeros count; true when something in it is not zero. */
static inline bool assert_same(const char *what, const double *a, const double *b, size_t count)
{
    bool any = false;
    for (size_t n = 0; a != NULL && n < count; n++) {
        any = any || a[n] != 0;
        if (a[n] != b[n] || !isfinite(a[n])) {
            fail_msg("%s[%zu]: whole %.17g, in parts %.17g", what, n, a[n], b[n]);
        }
    }
    return any;
}

static inline void assert_same_fields(const struct problem *problem, const struct run_state *a,
                                      const struct run_state *b)
{
    const size_t nx = (size_t)problem->axis[0].count, ny = (size_t)problem->axis[1].count;
    const size_t nodes = (size_t)problem_nodes(problem);
    const size_t x = (size_t)run_state_filters(problem, 0), y = (size_t)run_state_filters(problem, 1);
    if (problem->formulation != FORMULATION_MAXWELL3D) {
        assert_true(assert_same("ez", a->ez, b->ez, nodes));
        assert_same("increment", a->increment, b->increment, nodes);
        assert_same("x_half", a->x_half, b->x_half, ny * x);
        assert_same("x_node", a->x_node, b->x_node, ny * x);
        assert_same("y_half", a->y_half, b->y_half, nx * y);
        assert_same("y_node", a->y_node, b->y_node, nx * y);
        assert_true(a->edges == NULL || assert_same("edges", a->edges, b->edges, 2 * (nx + ny)));
        return;
    }
    for (int c = 0; c < 6; c++) {
        assert_same("field", a->field[c], b->field[c], nodes);
    }
    for (int axis = 0; axis < 3; axis++) {
        size_t filters = nodes / (size_t)problem->axis[axis].count * (size_t)run_state_filters(problem, axis);
        for (int q = 0; q < 4; q++) {
            assert_same("filter", a->filter[axis][q], b->filter[axis][q], filters);
        }
    }
}

/* `tolerance`: of the energies, relative; everything else has the same bits. */
static inline void assert_same_outcome(const struct problem *problem, const struct outcome *a, const struct outcome *b,
                                       double tolerance)
{
    const struct spectra *spectra = &problem->spectra;
    const size_t points = (size_t)spectra->rows * (size_t)spectra->columns;
    assert_same_fields(problem, &a->state, &b->state);
    assert_true(assert_same("poles", a->state.poles, b->state.poles, (size_t)problem->pole_state_count) ||
                problem->pole_state_count == 0);
    assert_same("probes", a->state.probes, b->state.probes, (size_t)(problem->steps * problem->probe_count));
    if (spectra->frequency_count > 0) {
        assert_true(
            assert_same("spectra", a->state.spectra, b->state.spectra, 2 * (size_t)spectra->frequency_count * points));
        assert_same("samples", a->state.samples, b->state.samples,
                    (size_t)spectra_waiting(spectra, problem->steps) * points);
    }
    for (int look = 0; look < 8; look++) { /* another order of adding is allowed to devices */
        assert_true(fabs(a->energy[look] - b->energy[look]) <= tolerance * a->energy[look]);
    }
    assert_true(a->energy[7] > 0 || a->energy[0] > 0);
}

#endif
