/* Dispersive nodes at random places of a problem that has none: media with any number of poles, in spans of any length.
 * For tests that compare backends; random_problem.h or random_volume.h comes first. */
#ifndef RANDOM_POLES_H
#define RANDOM_POLES_H

#include "tests/support/random_problem.h"

enum { RANDOM_POLE_MEDIA = 5, RANDOM_POLES_MOST = 4 };

/* Which media there are: of 1 to `most` poles each, and one of `many` if that is more. */
struct random_pole_kinds {
    int most, many;
    bool debye; /* Debye poles alone */
};

static inline struct pole random_pole(const struct problem *problem, unsigned *seed)
{
    double nyquist = 0.5 / problem->time_step;
    return (struct pole){.kind = (enum pole_kind)(random_next(seed) % POLE_KINDS),
                         .strength = 0.1 + 2 * random_unit(seed),
                         .relaxation = (1 + 30 * random_unit(seed)) * problem->time_step,
                         .frequency = (0.02 + 0.3 * random_unit(seed)) * nyquist,
                         .damping = 0.1 * random_unit(seed) * nyquist};
}

/* Poles beside a medium of the given permittivity: the Debye poles first. */
static inline void random_pole_medium(struct problem *problem, double permittivity, int count, bool debye,
                                      unsigned *seed)
{
    struct pole_medium *medium = &problem->pole_media[problem->pole_medium_count++];
    struct pole_step *steps = problem->pole_steps + problem->pole_step_count;
    struct pole poles[POLE_LIMIT];
    *medium = (struct pole_medium){.first = problem->pole_step_count};
    for (int p = 0; p < count; p++) {
        poles[p] = random_pole(problem, seed);
        poles[p].kind = debye ? POLE_DEBYE : poles[p].kind;
        medium->relaxations += poles[p].kind == POLE_DEBYE;
    }
    medium->oscillators = count - medium->relaxations;
    for (int pass = 0; pass < 2; pass++) {
        for (int p = 0; p < count; p++) {
            if ((poles[p].kind == POLE_DEBYE) == (pass == 0)) {
                *steps++ = pole_step_of(&poles[p], 1, problem->time_step);
            }
        }
    }
    problem->pole_step_count += count;
    struct pole_balance balance = {permittivity, permittivity};
    pole_medium_close(medium, problem->pole_steps + medium->first, balance, balance);
}

static inline bool is_conductor(const struct problem *problem, int64_t place)
{
    int64_t nx = problem->axis[0].count, ny = problem->axis[1].count, node = place % problem_nodes(problem);
    int c = (int)(place / problem_nodes(problem));
    uint16_t entry =
        problem->formulation == FORMULATION_MAXWELL3D
            ? problem_coefficient_at(problem, c, (int)(node % nx), (int)(node / nx % ny), (int)(node / nx / ny))
            : problem->coefficient_index[node];
    return problem_coefficient(problem, entry)[COEFFICIENT_CB] == 0;
}

/* Up to `spans` spans of at most `longest` nodes, wherever no conductor is. */
static inline void random_pole_spans_of(struct problem *problem, struct random_pole_kinds kinds, int spans,
                                        unsigned longest, unsigned seed)
{
    int64_t nx = problem->axis[0].count, rows = problem_rows(problem), place = 0;
    problem->pole_media = calloc(RANDOM_POLE_MEDIA, sizeof *problem->pole_media);
    problem->pole_steps = calloc((size_t)RANDOM_POLE_MEDIA * POLE_LIMIT, sizeof *problem->pole_steps);
    problem->pole_spans = calloc((size_t)spans, sizeof *problem->pole_spans);
    for (int m = 0; m < RANDOM_POLE_MEDIA; m++) {
        const int count = m == RANDOM_POLE_MEDIA - 1 && kinds.many > kinds.most ? kinds.many : 1 + m % kinds.most;
        random_pole_medium(problem, 1 + 3 * random_unit(&seed), count, kinds.debye, &seed);
    }
    for (int s = 0; s < spans && place < rows * nx; s++) {
        place += random_next(&seed) % (unsigned)(2 * rows * nx / spans);
        struct pole_span span = {.place = place,
                                 .state = problem->pole_state_count,
                                 .medium = (int)(random_next(&seed) % RANDOM_POLE_MEDIA)};
        int64_t end = (place / nx + 1) * nx, wanted = 1 + random_next(&seed) % longest;
        end = place + wanted < end ? place + wanted : end;
        for (; place < end && place < rows * nx && !is_conductor(problem, place); place++) {
            span.count++;
        }
        if (span.count > 0) {
            problem->pole_spans[problem->pole_span_count++] = span;
            problem->pole_state_count += span.count * pole_medium_states(&problem->pole_media[span.medium]);
        }
        place++;
    }
}

static inline void random_pole_spans(struct problem *problem, int spans, unsigned longest, unsigned seed)
{
    random_pole_spans_of(problem, (struct random_pole_kinds){.most = RANDOM_POLES_MOST}, spans, longest, seed);
}

static inline void random_poles(struct problem *problem, int spans, unsigned seed)
{
    random_pole_spans(problem, spans, 90, seed);
}

#endif
