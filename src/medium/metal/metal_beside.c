/* See metal_beside.h. */
#include "medium/metal/metal_beside.h"

#include <stdlib.h>

/* Places of row j with a value that is neither 1 nor `plain`. */
static void mark_cut(const struct metal_volume *cuts, float *const *layers, int layer, float plain, size_t j,
                     uint8_t *marked)
{
    const size_t nx = (size_t)cuts->nx;
    const float *values = layer > 0 ? layers[layer] + j * nx : NULL;
#pragma omp simd
    for (size_t i = 0; i < (layer > 0 ? nx : 0); i++) {
        marked[j * nx + i] |= (values[i] != 1) & (values[i] != plain);
    }
}

/* What levels first .. k + 1 have in row j. */
static void mark_row(const struct metal_volume *cuts, int first, int k, bool cubes, size_t j, uint8_t *marked)
{
    for (int p = first; p <= k + 1 && p < cuts->nz; p++) {
        for (int c = 0; c < 3; c++) {
            mark_cut(cuts, cuts->edge, cuts->edge_layer[c][p], cubes ? 1 : METAL_STAIRCASE, j, marked);
            mark_cut(cuts, cuts->face, cuts->face_layer[c][p], 1, j, marked);
            mark_cut(cuts, cuts->mass, cubes ? cuts->edge_layer[c][p] : 0, 1, j, marked);
            mark_cut(cuts, cuts->face_mass, cubes ? cuts->face_layer[c][p] : 0, 1, j, marked);
        }
    }
}

uint8_t *beside_metal(const struct metal_volume *cuts, int k, bool cubes, pw_error *error)
{
    const size_t nx = (size_t)cuts->nx, last = (size_t)cuts->ny - 1, nodes = nx * (size_t)cuts->ny;
    uint8_t *marked = allocate(nodes, 1, "metal", error), *rows = allocate(nodes, 1, "metal", error);
    if (marked == NULL || rows == NULL) {
        free(marked);
        free(rows);
        return NULL;
    }
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (size_t j = 0; j <= last; j++) {
            mark_row(cuts, cubes || k == 0 ? k : k - 1, k, cubes, j, marked);
        }
        /* Then nodes with a marked neighbour, aslant too; of cubes on the high side alone. */
#pragma omp for schedule(static)
        for (size_t j = 0; j <= last; j++) {
            const uint8_t *own = marked + j * nx, *low = cubes || j == 0 ? own : own - nx,
                          *high = j < last ? own + nx : own;
            for (size_t i = 0; i < nx; i++) {
                rows[j * nx + i] = own[i] | low[i] | high[i];
            }
        }
#pragma omp for schedule(static)
        for (size_t j = 0; j <= last; j++) {
            const uint8_t *own = rows + j * nx;
            for (size_t i = 0; i < nx; i++) {
                marked[j * nx + i] = own[i] | own[cubes || i == 0 ? i : i - 1] | own[i + 1 < nx ? i + 1 : i];
            }
        }
    }
    free(rows);
    return marked;
}
