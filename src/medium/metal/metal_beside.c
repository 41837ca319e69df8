/* See metal_beside.h. */
#include "medium/metal/metal_beside.h"

#include <stdlib.h>

static void mark_cut(const struct metal_volume *cuts, float *const *layers, int layer, uint8_t *marked)
{
    const float *values = layers[layer];
#pragma omp parallel for schedule(static)
    for (int n = 0; n < (layer > 0 ? cuts->nx * cuts->ny : 0); n++) {
        marked[n] |= values[n] != 1;
    }
}

/* Marks nodes with a neighbour that is marked, aslant too. */
static void mark_neighbours(const struct metal_volume *cuts, uint8_t *marked, uint8_t *rows)
{
    const size_t nx = (size_t)cuts->nx, last = (size_t)cuts->ny - 1;
#pragma omp parallel for schedule(static)
    for (size_t j = 0; j <= last; j++) {
        const uint8_t *own = marked + j * nx, *before = j > 0 ? own - nx : own, *after = j < last ? own + nx : own;
        for (size_t i = 0; i < nx; i++) {
            rows[j * nx + i] = own[i] | before[i] | after[i];
        }
    }
#pragma omp parallel for schedule(static)
    for (size_t j = 0; j <= last; j++) {
        const uint8_t *own = rows + j * nx;
        for (size_t i = 0; i < nx; i++) {
            marked[j * nx + i] = own[i] | own[i > 0 ? i - 1 : i] | own[i + 1 < nx ? i + 1 : i];
        }
    }
}

uint8_t *beside_metal(const struct metal_volume *cuts, int k, bool masses, pw_error *error)
{
    const size_t nodes = (size_t)cuts->nx * (size_t)cuts->ny;
    uint8_t *marked = allocate(nodes, 1, "metal", error), *rows = allocate(nodes, 1, "metal", error);
    if (marked == NULL || rows == NULL) {
        free(marked);
        free(rows);
        return NULL;
    }
    for (int p = k > 0 ? k - 1 : 0; p <= k + 1 && p < cuts->nz; p++) {
        for (int c = 0; c < 3; c++) {
            mark_cut(cuts, cuts->edge, cuts->edge_layer[c][p], marked);
            mark_cut(cuts, cuts->face, cuts->face_layer[c][p], marked);
            mark_cut(cuts, cuts->mass, masses ? cuts->edge_layer[c][p] : 0, marked);
            mark_cut(cuts, cuts->face_mass, masses ? cuts->face_layer[c][p] : 0, marked);
        }
    }
    mark_neighbours(cuts, marked, rows);
    free(rows);
    return marked;
}
