/* Reflection and transmission of a wall across a strip (slab.h). */
#include "validation/support/slabs/slab.h"

enum { BEFORE, FIRST_FACE, SECOND_FACE, BEHIND, PLACES, FREQUENCIES_MOST = 64 };

void slab_measure(const struct strip *strip, const char *material, const char *backend, int count,
                  const double *frequency, struct coefficients *found)
{
    struct strip walled = *strip;
    double complex empty[PLACES * FREQUENCIES_MOST], full[PLACES * FREQUENCIES_MOST];
    case_require(count <= FREQUENCIES_MOST ? PW_OK : PW_USAGE, "too many frequencies for a wall");
    walled.wall = material;
    strip_solve(strip, backend, count, frequency, empty);
    strip_solve(&walled, backend, count, frequency, full);
    for (int f = 0; f < count; f++) {
        const double complex face = empty[FIRST_FACE * count + f];
        /* Referred to the faces by the empty strip, so that dispersion in the air before and behind does not count. */
        double complex back = empty[BEFORE * count + f] / face, through = empty[SECOND_FACE * count + f] / face;
        found[f].reflection = (full[BEFORE * count + f] - empty[BEFORE * count + f]) / face * back;
        found[f].transmission = full[BEHIND * count + f] / empty[BEHIND * count + f] * through;
    }
}
