/* From the off-diagonal parts that averaging about tilted faces leaves at nodes of layers to the tensors of a medium,
 * of every level (volume_tilted.h). */
#include "medium/volume/volume_tilted.h"

#include <math.h>
#include <stdlib.h>

static int node_order(const void *a, const void *b)
{
    const struct tilted_node *m = a, *n = b;
    int by_layer = (m->layer > n->layer) - (m->layer < n->layer), by_row = (m->j > n->j) - (m->j < n->j);
    return by_layer != 0 ? by_layer : by_row != 0 ? by_row : (m->i > n->i) - (m->i < n->i);
}

/* Inverse permittivities of component c at its two places beside node (i, j) of level k. */
struct beside {
    double least, largest; /* both 0 where metal holds one of them, or the grid has one of them alone */
};

static struct beside inverse_beside(const struct volume_layers *layers, const struct medium *medium, int c, int k,
                                    const struct tilted_node *node)
{
    const size_t nx = (size_t)medium->nx, ny = (size_t)medium->ny, back = c == 0 ? 1 : nx;
    if (c == 0 ? node->i == 0 : node->j == 0) {
        return (struct beside){0};
    }
    size_t place = ((size_t)layers->layer[c][k] * ny + (size_t)node->j) * nx + (size_t)node->i;
    const struct medium_entry *here = &medium->palette[medium->index[place]];
    const struct medium_entry *before = &medium->palette[medium->index[place - back]];
    if (here->perfect_conductor || before->perfect_conductor) {
        return (struct beside){0};
    }
    return (struct beside){1 / fmax(here->relative_permittivity, before->relative_permittivity),
                           1 / fmin(here->relative_permittivity, before->relative_permittivity)};
}

pw_status tilted_tensors(const struct volume_layers *layers, struct tilted_node *nodes, int64_t node_count,
                         struct medium *medium, pw_error *error)
{
    if (node_count == 0) {
        return PW_OK;
    }
    qsort(nodes, (size_t)node_count, sizeof *nodes, node_order);
    int64_t *first = allocate((size_t)layers->count + 1, sizeof *first, "the layers of the medium", error);
    TRY_MADE(first);
    for (int64_t n = 0; n < node_count; n++) {
        first[nodes[n].layer + 1] = n + 1;
    }
    int64_t count = 0;
    for (int l = 0; l < layers->count; l++) {
        first[l + 1] = first[l + 1] > first[l] ? first[l + 1] : first[l];
        count += (first[l + 1] - first[l]) * layers->list[l].levels;
    }
    medium->tensor = allocate((size_t)count, sizeof *medium->tensor, "the nodes at oblique walls", error);
    for (int k = 0; k < medium->nz && medium->tensor != NULL; k++) {
        int l = layers->layer[1][k];
        for (int64_t n = first[l]; n < first[l + 1]; n++) {
            const struct tilted_node *node = &nodes[n];
            struct beside x = inverse_beside(layers, medium, 0, k, node),
                          y = inverse_beside(layers, medium, 1, k, node);
            double most = 0.9 * sqrt(x.least * y.least), value = fmin(fmax(node->inverse_permittivity, -most), most);
            if (most > 0) {
                medium->tensor[medium->tensor_count++] =
                    (struct medium_tensor){((int64_t)k * medium->ny + node->j) * medium->nx + node->i, 0, 1, value};
                double middle = 0.5 * (x.largest + y.largest), half = 0.5 * (x.largest - y.largest);
                medium->tensor_bound = fmax(medium->tensor_bound, middle + hypot(half, value));
            }
        }
    }
    free(first);
    return medium->tensor != NULL ? PW_OK : PW_NO_RESOURCE;
}
