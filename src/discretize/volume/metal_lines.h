/* What the rows of places beside metal are made of (problem.h; physics.md section 11). Along a line of faces, with S
 * the short difference between neighbours, z = S^T S, and p the polynomial by which a scheme's difference is S p(z):
 * beside metal the same p is taken of z without the differences at edges that metal holds, cuts or comes near to. */
#pragma once

#include "problem/problem.h"

enum {
    WINDOW = 2 * REACH_LIMIT + 1, /* faces of a line around one */
    /* Terms of a row: of h those of the face, of four that borrow from it and of its usual curl. */
    TERMS = 2 * 6 * 4 * REACH_LIMIT
};

/* Weights smaller than this are rounding: no scheme has a tap as small. */
static const double ROUNDING = 1e-13;

/* Rows while they are made. */
struct metal_list {
    const struct problem *problem; /* borrowed */
    double polynomial[REACH_LIMIT];
    struct metal_row *rows;   /* (row_count), owned until they are given away */
    struct metal_term *terms; /* (term_count), the same */
    int64_t row_count, term_count;
    size_t row_capacity, term_capacity;
};

/* The row at hand. */
struct metal_sums {
    struct metal_term term[TERMS];
    int count;
};

void metal_list_begin(const struct problem *problem, struct metal_list *list);

/* p(z) on the values of WINDOW faces of a line; open[w]: 1 where the difference between faces w - 1 and w may be used,
 * else 0. */
void metal_line_smooth(const struct metal_list *list, const double open[WINDOW + 1], double value[WINDOW]);

/* The node, of n, whose edge stands at place p of a line, images about the walls included; false: on the far wall. */
bool metal_line_place(int n, int p, int *node);

void metal_sums_add(struct metal_sums *sums, int64_t place, double weight);

/* The row into the list, if anything is left of it. Rows come in ascending order of places. */
pw_status metal_row_take(struct metal_list *list, int64_t place, struct metal_sums *sums, pw_error *error);
pw_status metal_list_append(struct metal_list *list, const struct metal_list *more, pw_error *error);

/* What there is becomes the problem's. */
void metal_list_give(const struct metal_list *list, struct problem *problem);
