/* One step of groups of dispersive nodes (pole_groups.h): after the usual update of their row and the sources, a group
 * at a time, a vector of its lanes after the other. Included once per precision, with SCALAR the precision, POLE_REAL a
 * vector of it that has at most eight lanes, and POLE(name) the functions of problem/cell.h for such vectors. */

INLINE POLE_REAL CELL(pole_load)(const SCALAR *from)
{
    POLE_REAL value;
    memcpy(&value, from, sizeof value);
    return value;
}

INLINE void CELL(pole_store)(SCALAR *to, POLE_REAL value)
{
    memcpy(to, &value, sizeof value);
}

/* What the lanes of one vector remember, `state` being that of its first pole, added to half of their value before. */
INLINE POLE_REAL CELL(pole_history)(const struct pole_pattern *pattern, const SCALAR *number, const SCALAR *state,
                                    POLE_REAL history)
{
    for (int r = 0; r < pattern->relaxations; r++, number += 2 * POLE_LANES, state += POLE_LANES) {
        history = POLE(cell_relaxation_history)(history, CELL(pole_load)(number + POLE_LANES), CELL(pole_load)(state));
    }
    for (int o = 0; o < pattern->oscillators; o++, number += 3 * POLE_LANES, state += 2 * POLE_LANES) {
        history = POLE(cell_oscillator_history)(history, CELL(pole_load)(number + POLE_LANES),
                                                CELL(pole_load)(number + 2 * POLE_LANES), CELL(pole_load)(state),
                                                CELL(pole_load)(state + POLE_LANES));
    }
    return history;
}

/* The poles after the step, given the sum of the field before and after. */
INLINE void CELL(pole_memory)(const struct pole_pattern *pattern, const SCALAR *number, SCALAR *state, POLE_REAL sum)
{
    for (int r = 0; r < pattern->relaxations; r++, number += 2 * POLE_LANES, state += POLE_LANES) {
        CELL(pole_store)
        (state, POLE(cell_relaxation)(sum, CELL(pole_load)(number), CELL(pole_load)(number + POLE_LANES),
                                      CELL(pole_load)(state)));
    }
    for (int o = 0; o < pattern->oscillators; o++, number += 3 * POLE_LANES, state += 2 * POLE_LANES) {
        const POLE_REAL rate[3] = {CELL(pole_load)(number), CELL(pole_load)(number + POLE_LANES),
                                   CELL(pole_load)(number + 2 * POLE_LANES)};
        POLE_REAL polarisation = CELL(pole_load)(state), current = CELL(pole_load)(state + POLE_LANES);
        POLE_REAL change = POLE(cell_oscillator_change)(sum, rate, polarisation, current);
        CELL(pole_store)(state, polarisation + (current + change));
        CELL(pole_store)(state + POLE_LANES, current + (change + change));
    }
}

/* u, and in tm2d Ez (else NULL), are those of the group's first lane. */
INLINE void CELL(answer_group)(const struct pole_groups *groups, const struct pole_group *group, SCALAR *u, SCALAR *e,
                               SCALAR *states)
{
    const struct pole_pattern *pattern = &groups->pattern[group->pattern];
    const SCALAR *keep = (const SCALAR *)groups->numbers + pattern->first * POLE_LANES, *take = keep + POLE_LANES,
                 *half = take + POLE_LANES, *number = half + POLE_LANES;
    for (int n = 0; n < POLE_LANES; n += (int)(sizeof(POLE_REAL) / sizeof(SCALAR))) {
        SCALAR *state = states + group->state + n;
        POLE_REAL before = CELL(pole_load)(state), left = CELL(pole_load)(u + n);
        POLE_REAL history = CELL(pole_load)(half + n) * before;
        history = CELL(pole_history)(pattern, number + n, state + POLE_LANES, history);
        POLE_REAL value = POLE(cell_answer)(left, history, CELL(pole_load)(keep + n), CELL(pole_load)(take + n));
        CELL(pole_store)(u + n, value);
        if (e != NULL) {
            CELL(pole_store)(e + n, CELL(pole_load)(e + n) + (value - left));
        }
        CELL(pole_store)(state, value);
        CELL(pole_memory)(pattern, number + n, state + POLE_LANES, value + before);
    }
}

/* The groups from one block of columns (struct pole_groups.first) to before another; u and e are those of column 0. */
INLINE void CELL(answer_groups)(const struct pole_groups *groups, int64_t place, int64_t end, SCALAR *u, SCALAR *e,
                                SCALAR *states)
{
    for (int64_t g = groups->first[place]; g < groups->first[end]; g++) {
        const struct pole_group *group = &groups->group[g];
        CELL(answer_group)(groups, group, u + group->column, e != NULL ? e + group->column : NULL, states);
    }
}
