/* Problems that are solved whole and in parts alike on the host (test_parts.c) and on devices (test_gpu_parts.c). */
#ifndef PARTS_CASES_H
#define PARTS_CASES_H

#include "tests/parts/parts_compare.h"

/* A plane whose edges obey Mur's condition of that order. */
static inline struct problem one_way_problem(struct random_problem_options options, int order)
{
    options.probes = 0;
    options.frequencies = 0;
    struct problem problem = random_problem(options);
    for (int a = 0; a < 2; a++) {
        problem.axis[a].low.one_way = problem.axis[a].high.one_way = order;
    }
    return problem;
}

static inline struct random_volume_options volume_usual(enum scheme scheme)
{
    return (struct random_volume_options){.scheme = scheme,
                                          .precision = PW_SINGLE,
                                          .n = {53, 29, 27},
                                          .absorber = {5, 4, 6},
                                          .palette = 7,
                                          .layers = 5,
                                          .steps = 31,
                                          .sources = 1,
                                          .places = 4,
                                          .probes = 8,
                                          .frequencies = 3,
                                          .every = 2,
                                          .seed = 3};
}

/* Compares a volume with `spans` spans of poles, in x by y by z parts. */
typedef void compare_volumes(struct random_volume_options options, int spans, int x, int y, int z, int depth);

static inline void volumes_of_all_schemes(compare_volumes *compare)
{
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        compare(volume_usual((enum scheme)scheme), 0, 1, 1 + scheme % 2, 2, 1 + scheme % 3);
    }
}

static inline void volumes_cut(compare_volumes *compare)
{
    compare(volume_usual(SCHEME_YEE), 0, 3, 1, 1, 2);
    compare(volume_usual(SCHEME_YEE), 0, 2, 2, 2, 3);
    compare(volume_usual(SCHEME_FD4), 1200, 1, 3, 2, 1);
    struct random_volume_options options = volume_usual(SCHEME_FD4);
    options.stretched = options.extruded = true;
    options.symmetric[1] = true;
    options.tensors = 20;
    compare(options, 0, 1, 2, 2, 1);
    for (int scheme = SCHEME_YEE; scheme <= SCHEME_FD4O; scheme += SCHEME_FD4O - SCHEME_YEE) {
        options = volume_usual((enum scheme)scheme);
        options.n[0] = 203; /* rows that a device writes into another's memory */
        options.sources = 2;
        compare(options, 0, 1, 2, 2, 2);
        options = volume_usual((enum scheme)scheme);
        options.metal = 300;
        compare(options, 0, 2, 1, 2, 2);
    }
}

/* Horizontal polarisation: one layer, with rows beside metal. */
static inline void volumes_of_one_layer(compare_volumes *compare)
{
    for (int metal = 0; metal <= 40; metal += 40) {
        struct random_volume_options options = volume_usual(metal > 0 ? SCHEME_YEE : SCHEME_FD6);
        options.flat = true;
        options.n[0] = 83;
        options.n[1] = 71;
        options.n[2] = 1;
        options.absorber[2] = 0;
        options.metal = metal;
        compare(options, 0, 2, 3, 1, 2);
        compare(options, 0, 1, 2, 1, 5);
    }
}

#endif
