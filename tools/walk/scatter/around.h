/* What walls send back to persons: Green's functions of the floor between points where persons walk, less those of air.
 *
 * Person q sends waves, and walls send some of them back to person p. A field in air is known around a person from its
 * values at a few points. So the waves that come back are sums over G, the fields at points of runs from points:
 *
 *     R_pq = A_p G A_q',    A = V (K + ridge)^-1,    K_ij = J_0(k |y_i - y_j|),    V_mj = J_m(k d_j) e^{-jm phi_j}
 *
 * with d_j and phi_j from the person's middle to point j. The points are nodes of the lattice of running spectra. */
#pragma once

#include "walk/walk.h"

/* The lattice of running spectra. */
struct lattice {
    double x0, y0, pitch; /* m */
    int columns, rows;
};

struct around {
    struct lattice lattice;
    int count;             /* of points; 0: walls send nothing back */
    int (*at)[2];          /* (count), owned: columns and rows */
    double complex *free;  /* (frequencies, rows, columns), owned: H_0 as the grid has it, by distance in points */
    double complex *green; /* (frequencies, count, count), owned: at the first point, of the second */
};

/* Chooses as few points as tell every field in air within the persons at all poses. */
pw_status around_choose(const struct walk *walk, const struct lattice *lattice, struct around *around, pw_error *error);
void around_free(struct around *around);

/* Where a point stands [m]. */
double around_x(const struct around *around, int point);
double around_y(const struct around *around, int point);

/* What a source does in air: `result` has the lattice with the source in its first corner. */
pw_status around_take_free(const struct walk *walk, const pw_result *result, const int *pick, struct around *around,
                           pw_error *error);
/* The same on the floor, whose transmitters are the points from number `first` on. */
pw_status around_take_floor(const struct walk *walk, const pw_result *result, const int *pick, int first,
                            struct around *around, pw_error *error);

/* R at a pose, (persons, persons, waves, waves), waves = 2 orders + 1: what arrives at the first, of what the second
 * sends. `work` holds as many numbers as around_work() says. */
size_t around_work(const struct walk *walk, const struct around *around, int orders);
void around_fill(const struct walk *walk, const struct around *around, int pose, int f, int orders,
                 double complex *returned, double complex *work);
