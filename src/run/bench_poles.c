/* Dispersive walls of the box that `planwave bench` times. See bench_poles.h. */
#include "run/bench_poles.h"

#include <math.h>

enum { THICK = 10, NOTHING = -1 };

/* In cells: from one wall to the next, so that walls along all axes together take `part` of the box. */
static int wall_period(const struct problem *problem, double part)
{
    double axes = problem->formulation == FORMULATION_MAXWELL3D ? 3 : 2;
    return (int)lround(THICK / (1 - pow(1 - part, 1 / axes)));
}

/* Number of the medium at node (i, j, k) of component c: its layer of the wall, for every row of the table of
 * coefficients. */
static int medium_at(const struct problem *problem, int period, int c, const int node[3])
{
    const struct axis *axis = problem->axis;
    for (int a = 0; a < 3; a++) {
        int depth = node[a] % period;
        if (axis[a].count > 1 && depth < THICK) {
            int row = problem->formulation == FORMULATION_MAXWELL3D
                          ? problem_coefficient_at(problem, c, node[0], node[1], node[2])
                          : problem->coefficient_index[(ptrdiff_t)node[1] * axis[0].count + node[0]];
            return row * THICK + depth;
        }
    }
    return NOTHING;
}

/* The spans of one row; without `spans` they are counted alone. */
static int64_t row_spans(const struct problem *problem, int period, int64_t row, struct pole_span *spans)
{
    const struct axis *axis = problem->axis;
    int nx = axis[0].count, ny = axis[1].count, nz = axis[2].count, last = NOTHING;
    int64_t count = 0;
    for (int i = 0; i < nx; i++) {
        const int node[3] = {i, (int)(row % ny), (int)(row / ny % nz)};
        int medium = medium_at(problem, period, (int)(row / ny / nz), node);
        if (medium != NOTHING && medium != last) {
            if (spans != NULL) {
                spans[count] = (struct pole_span){.place = row * nx + i, .medium = medium};
            }
            count++;
        }
        if (medium != NOTHING && spans != NULL) {
            spans[count - 1].count++;
        }
        last = medium;
    }
    return count;
}

/* Half of the wall's permittivity depends on frequency, least at its faces. */
static void fill_media(struct problem *problem)
{
    for (int m = 0; m < problem->pole_medium_count; m++) {
        const double *row = problem_coefficient(problem, m / THICK);
        struct pole pole = {.kind = POLE_DEBYE, .strength = 0.2 * (1 + m % THICK), .relaxation = 50e-12};
        double loss = (1 - row[COEFFICIENT_CA]) / (1 + row[COEFFICIENT_CA]), permittivity = 1 + 0.5 * (m / THICK);
        struct pole_balance own = {permittivity * (1 + loss), permittivity * (1 - loss)};
        problem->pole_steps[m] = pole_step_of(&pole, 1, problem->time_step);
        problem->pole_media[m] = (struct pole_medium){.first = m, .relaxations = 1};
        pole_medium_close(&problem->pole_media[m], &problem->pole_steps[m], own, own);
    }
}

pw_status bench_poles_set(struct problem *problem, double part, pw_error *error)
{
    int64_t rows = problem_rows(problem), count = 0;
    if (part <= 0) {
        return PW_OK;
    }
    int period = wall_period(problem, part);
    for (int64_t row = 0; row < rows; row++) {
        count += row_spans(problem, period, row, NULL);
    }
    size_t media = (size_t)problem->coefficient_count * THICK;
    problem->pole_media = allocate(media, sizeof *problem->pole_media, "dispersive media", error);
    problem->pole_steps = allocate(media, sizeof *problem->pole_steps, "dispersive media", error);
    problem->pole_spans = allocate((size_t)count, sizeof *problem->pole_spans, "dispersive nodes", error);
    TRY_MADE(problem->pole_media != NULL && problem->pole_steps != NULL && problem->pole_spans != NULL);
    problem->pole_medium_count = problem->pole_step_count = (int)media;
    fill_media(problem);
    for (int64_t row = 0; row < rows; row++) {
        problem->pole_span_count += row_spans(problem, period, row, problem->pole_spans + problem->pole_span_count);
    }
    for (int64_t s = 0; s < problem->pole_span_count; s++) {
        struct pole_span *span = &problem->pole_spans[s];
        span->state = problem->pole_state_count;
        problem->pole_state_count += (int64_t)span->count * pole_medium_states(&problem->pole_media[span->medium]);
    }
    return PW_OK;
}
