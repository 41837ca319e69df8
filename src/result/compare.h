/* What comparing two result files finds, per dataset: between compare.c, which finds it, and compare_print.c, which
 * says it. */
#ifndef COMPARE_H
#define COMPARE_H

#include "base/status.h"

#include <stdio.h>

enum { COMPARE_RANK_LIMIT = 8, COMPARE_PATH_SIZE = 512 };

/* What is found wrong before any number is looked at. */
enum obstacle { OBSTACLE_NONE, OBSTACLE_ONLY_A, OBSTACLE_ONLY_B, OBSTACLE_SHAPE, OBSTACLE_TYPE };

struct verdict {
    char path[COMPARE_PATH_SIZE];
    enum obstacle obstacle;
    int rank;
    uint64_t extent[COMPARE_RANK_LIMIT];
    bool identical;      /* every bit, and the same type */
    bool different;      /* by the rule of pw_compare */
    bool any_difference; /* of an element; the next three say where and how much */
    double largest;      /* largest |a - b|; INFINITY when something is not finite on one side only */
    uint64_t largest_at; /* flat index, last dimension fastest */
    uint64_t first_at;   /* flat index of the first element with other bits */
    double error;        /* ||a - b|| / ||b|| (paper 003 eq. 8); INFINITY likewise */
    double correlation;  /* Pearson's, real part; NAN when one side is constant */
};

struct verdicts {
    const char *path_a, *path_b; /* borrowed */
    double max_error;
    struct verdict *entry; /* (count), owned */
    size_t count, room;
};

void compare_print_text(const struct verdicts *list, FILE *stream);
void compare_print_json(const struct verdicts *list, FILE *stream);

#endif
