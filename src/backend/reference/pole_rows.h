/* One step of dispersive nodes that lie side by side (struct pole_span), in the reference backend; included once per
 * precision, with SCALAR the precision and NODE(name) its functions of one node (problem/cell.h). The
 * loops go along the row, a pole at a time, which a compiler turns into vectors by itself. */

#ifndef POLE_ROWS_H
#define POLE_ROWS_H
enum { POLE_NODES = 64 }; /* at a time, so that what lies between the two passes stays in the first-level cache */
#endif

/* What the nodes remember, in the order of the states, for nodes from `at` on; *history (count) is filled. */
INLINE void NODE(pole_history)(const struct pole_medium *medium, const struct pole_step *step, const SCALAR *state,
                               ptrdiff_t pitch, int count, SCALAR *history)
{
    SCALAR half = (SCALAR)medium->half;
    for (int n = 0; n < count; n++) {
        history[n] = half * state[n];
    }
    state += pitch;
    for (int r = 0; r < medium->relaxations; r++, step++, state += pitch) {
        SCALAR rate = (SCALAR)step->polarisation;
        for (int n = 0; n < count; n++) {
            history[n] = NODE(cell_relaxation_history)(history[n], rate, state[n]);
        }
    }
    for (int o = 0; o < medium->oscillators; o++, step++, state += 2 * pitch) {
        SCALAR rate = (SCALAR)step->polarisation, current_rate = (SCALAR)step->current;
        for (int n = 0; n < count; n++) {
            history[n] = NODE(cell_oscillator_history)(history[n], rate, current_rate, state[n], state[pitch + n]);
        }
    }
}

/* The poles after the step, given the sum of the field before and after. */
INLINE void NODE(pole_memory)(const struct pole_medium *medium, const struct pole_step *step, SCALAR *state,
                              ptrdiff_t pitch, int count, const SCALAR *sum)
{
    for (int r = 0; r < medium->relaxations; r++, step++, state += pitch) {
        SCALAR field = (SCALAR)step->field, rate = (SCALAR)step->polarisation;
        for (int n = 0; n < count; n++) {
            state[n] = NODE(cell_relaxation)(sum[n], field, rate, state[n]);
        }
    }
    for (int o = 0; o < medium->oscillators; o++, step++, state += 2 * pitch) {
        const SCALAR rate[3] = {(SCALAR)step->field, (SCALAR)step->polarisation, (SCALAR)step->current};
        SCALAR *current = state + pitch;
        for (int n = 0; n < count; n++) {
            SCALAR change = NODE(cell_oscillator_change)(sum[n], rate, state[n], current[n]);
            state[n] += current[n] + change;
            current[n] += change + change;
        }
    }
}

/* Nodes first..last-1 of a span, after their usual update and sources; u, and in tm2d Ez (else NULL), are those of the
 * span's first node. */
INLINE void NODE(advance_poles)(const struct problem *problem, const struct pole_span *span, int first, int last,
                                SCALAR *u, SCALAR *e, SCALAR *states)
{
    const struct pole_medium *medium = &problem->pole_media[span->medium];
    const struct pole_step *step = problem->pole_steps + medium->first;
    SCALAR keep = (SCALAR)medium->keep, take = (SCALAR)medium->take, history[POLE_NODES], sum[POLE_NODES];
    for (; first < last; first += POLE_NODES) {
        int count = last - first < POLE_NODES ? last - first : POLE_NODES;
        SCALAR *state = states + span->state + first, *at = u + first;
        NODE(pole_history)(medium, step, state, span->count, count, history);
        for (int n = 0; n < count; n++) {
            SCALAR value = NODE(cell_answer)(at[n], history[n], keep, take);
            history[n] = value - at[n];
            at[n] = value;
            sum[n] = value + state[n];
            state[n] = value;
        }
        for (int n = 0; e != NULL && n < count; n++) {
            e[first + n] += history[n];
        }
        NODE(pole_memory)(medium, step, state + span->count, span->count, count, sum);
    }
}
