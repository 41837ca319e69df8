/* One step of dispersive nodes that lie side by side (struct pole_span), in the reference backend: node after node, as
 * physics.md section 10 has it. Included once per precision (REAL and CELL are defined by the includer). */

/* What the poles of a node remember, added to `history`. */
INLINE REAL CELL(poles_history)(const struct pole_medium *medium, const struct pole_step *step, const REAL *state,
                                ptrdiff_t pitch, REAL history)
{
    for (int r = 0; r < medium->relaxations; r++, step++, state += pitch) {
        history = CELL(cell_relaxation_history)(history, (REAL)step->polarisation, *state);
    }
    for (int o = 0; o < medium->oscillators; o++, step++, state += 2 * pitch) {
        history =
            CELL(cell_oscillator_history)(history, (REAL)step->polarisation, (REAL)step->current, *state, state[pitch]);
    }
    return history;
}

/* The poles of a node after the step; `sum` is its field before and after together. */
INLINE void CELL(poles_advance)(const struct pole_medium *medium, const struct pole_step *step, REAL *state,
                                ptrdiff_t pitch, REAL sum)
{
    for (int r = 0; r < medium->relaxations; r++, step++, state += pitch) {
        *state = CELL(cell_relaxation)(sum, (REAL)step->field, (REAL)step->polarisation, *state);
    }
    for (int o = 0; o < medium->oscillators; o++, step++, state += 2 * pitch) {
        const REAL rate[3] = {(REAL)step->field, (REAL)step->polarisation, (REAL)step->current};
        REAL current = state[pitch], change = CELL(cell_oscillator_change)(sum, rate, *state, current);
        *state += current + change;
        state[pitch] = current + (change + change);
    }
}

/* The nodes of a span, after their usual update and sources. u, and in tm2d Ez (else NULL), are those of the span's
 * first node. */
INLINE void CELL(span_advance)(const struct problem *problem, const struct pole_span *span, REAL *u, REAL *e,
                               REAL *states)
{
    const struct pole_medium *medium = &problem->pole_media[span->medium];
    const struct pole_step *step = problem->pole_steps + medium->first;
    for (int n = 0; n < span->count; n++) {
        REAL *before = states + span->state + n, *poles = before + span->count, left = u[n];
        REAL history = CELL(poles_history)(medium, step, poles, span->count, (REAL)medium->half * *before);
        u[n] = CELL(cell_answer)(left, history, (REAL)medium->keep, (REAL)medium->take);
        if (e != NULL) {
            e[n] += u[n] - left;
        }
        CELL(poles_advance)(medium, step, poles, span->count, u[n] + *before);
        *before = u[n];
    }
}
