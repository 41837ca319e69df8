/* What a problem is made of. A physics is a file with one struct physics and a line in the table of physics.c: it says
 * which arrays of the problem are its own, what of them decides the bits of a run, and what a part of a grid takes
 * over. Whatever is done to a whole problem follows from that for all of them alike: problem_free, problem_checksum,
 * problem_to_bytes (problem_bytes.h), part_problem_create (part.h), and that solvers which do not know a physics
 * decline it (solver_takes, backend/solver.h).
 *
 *     poles.c     the spans of dispersive nodes      arrays: spans, media, steps      part: what of each span lies in
 * it
 *
 * Leaves out: the arithmetic (cell.h), and what a run remembers of a physics (backend/solver.h, struct run_state). */
#pragma once

#include <stddef.h>

#include "problem/physics/part.h"

PW_C_BEGIN

/* A number of an element that decides the bits; an int counts as one of 64 bits. A list ends with size 0. Elements are
 * not taken whole, because bytes without a meaning may lie between their members. */
struct member {
    size_t offset, size;
};
#define MEMBER(type, name)                                                                                             \
    {                                                                                                                  \
        offsetof(type, name), sizeof(((type *)0)->name)                                                                \
    }

/* Elements that are one number each. */
extern const struct member WHOLE[];

struct array_walk;

/* `count` elements of `size` bytes that the problem owns. */
struct array {
    void *place; /* of the pointer to them, which may be NULL */
    int64_t count;
    size_t size;
    const struct member *decides;                         /* NULL: nothing of it, or walk_values tells it */
    void (*each)(struct array_walk *walk, void *element); /* visits the arrays that an element owns; NULL: none */
};

/* A visit of all arrays of a problem. */
struct array_walk {
    struct problem *problem;
    bool reads; /* arrays come into being; what points into them has to be set */
    void (*array)(struct array_walk *walk, const struct array *array);
    /* Numbers that decide the bits, where their order is not that of an array; NULL: nobody asks. */
    void (*values)(struct array_walk *walk, const struct array *array);
};

static inline void walk_array(struct array_walk *walk, struct array array)
{
    walk->array(walk, &array);
}

#define OWN(walk, pointer, count, decides)                                                                             \
    walk_array(walk, (struct array){&(pointer), count, sizeof *(pointer), decides, NULL})

static inline void walk_values(struct array_walk *walk, const void *values, int64_t count, size_t size,
                               const struct member *decides)
{
    const struct array numbers = {&values, count, size, decides, NULL};
    if (walk->values != NULL) {
        walk->values(walk, &numbers);
    }
}

/* How a part of a grid differs from what the whole has there: what is wrong at its cut sides comes `creep` nodes nearer
 * with each step, and within `rim` nodes of them it lacks what reaches beyond (backend/parts/cut.h). */
struct spread {
    int creep, rim;
    int end[3][2]; /* nodes at the low and the high end of each axis that an absorber updates in another way */
};

struct physics {
    /* Visits its arrays, always in the same order; NULL: it has none. */
    void (*arrays)(struct array_walk *walk);
    /* Makes its arrays of a part of which the axes are there; NULL: the part has none of it. */
    pw_status (*cut)(const struct part_cut *cut, struct problem *part, pw_error *error);
    /* Adds what it does to the spread; NULL: nothing. */
    void (*spread)(const struct problem *problem, struct spread *spread);
    /* Whether a problem has it, and what a solver that cannot step it says: "it takes no such thing". NULL: every
     * problem has it, and every solver takes it. */
    bool (*present)(const struct problem *problem);
    const char *declined;
};

extern const struct physics physics_axes, physics_media, physics_probes, physics_layers, physics_sheets,
    physics_tensors, physics_metal, physics_poles, physics_spectra, physics_sources, physics_phases, physics_planes,
    physics_mur, physics_half;

/* The table, in the order of the checksum; NULL after its end. */
extern const struct physics *const PHYSICS[];

void problem_visit(struct array_walk *walk);

/* How fast what is wrong at a cut side spreads. */
struct spread problem_spread(const struct problem *problem);

/* CRC-32 of the numbers that decide the bits of a run. */
uint32_t problem_checksum(const struct problem *problem);

/* The first physics that the problem has and that a list, with NULL after its end, has not; NULL: there is none.
 * Without a list, the first that not every problem has. */
const struct physics *physics_beyond(const struct problem *problem, const struct physics *const *list);

PW_C_END
