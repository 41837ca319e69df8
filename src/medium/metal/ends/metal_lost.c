/* See metal_lost.h. */
#include "medium/metal/ends/metal_lost.h"

#include "medium/metal/metal_edges.h"

#include <math.h>
#include <stdlib.h>

/* The piece of metal that face `from` belongs to, by its faces with less than all air; how many of its corners are
 * held. */
static int piece_find(const struct metal_cells *cells, const float *upright, size_t from, uint8_t *seen, size_t *list,
                      int *held)
{
    const int nx = cells->nx, ny = cells->ny;
    int count = 0;
    list[count++] = from;
    seen[from] = 1;
    for (int n = 0; n < count; n++) {
        const int i = (int)(list[n] % (size_t)nx), j = (int)(list[n] / (size_t)nx);
        for (int d = 0; d < 4; d++) {
            const int p = i + (d & 1), q = j + (d >> 1);
            *held += p < nx && q < ny && upright[(size_t)q * (size_t)nx + (size_t)p] == 0 ? 1 : 0;
        }
        for (int d = 0; d < 4; d++) {
            const int p = i + (d == 0) - (d == 1), q = j + (d == 2) - (d == 3);
            const size_t next = (size_t)q * (size_t)nx + (size_t)p;
            if (p >= 0 && q >= 0 && p < nx && q < ny && !seen[next] && cells->area[next] < 1) {
                seen[next] = 1;
                list[count++] = next;
            }
        }
    }
    return count;
}

/* The middle of a piece: of the post that it is, or else of its faces by their metal. */
static struct point piece_middle(const struct metal_cells *cells, const struct metal_edges *edges, const size_t *list,
                                 int count)
{
    struct point middle = {0, 0};
    double sum = 0;
    for (int f = 0; f < count; f++) {
        const double metal = 1 - cells->area[list[f]];
        const struct point at = {(double)(list[f] % (size_t)cells->nx) + 0.5,
                                 (double)(list[f] / (size_t)cells->nx) + 0.5};
        for (int64_t p = 0; p < edges->post_count; p++) {
            const struct point post = edges->posts[p].at;
            if (fabs(post.x - at.x) <= 0.5 && fabs(post.y - at.y) <= 0.5) {
                return post;
            }
        }
        middle = (struct point){middle.x + metal * at.x, middle.y + metal * at.y};
        sum += metal;
    }
    return (struct point){middle.x / sum, middle.y / sum};
}

/* Posts and wires that hold no node would not be there at all for edges along z: the node nearest to their middle is
 * held, and how thick they are the faces around it say (metal_ends.c). */
static pw_status find_lost_pieces(const struct metal_cells *cells, const struct metal_edges *edges, float *upright,
                                  pw_error *error)
{
    const size_t nx = (size_t)cells->nx, faces = nx * (size_t)cells->ny;
    uint8_t *seen = allocate(faces, 1, "metal", error);
    size_t *list = allocate(faces, sizeof *list, "metal", error);
    for (size_t n = 0; n < faces && seen != NULL && list != NULL; n++) {
        if (seen[n] || cells->area[n] >= 1) {
            continue;
        }
        int held = 0;
        const int count = piece_find(cells, upright, n, seen, list, &held);
        const struct point middle = piece_middle(cells, edges, list, count);
        const size_t i = (size_t)lround(middle.x), j = (size_t)lround(middle.y);
        if (held == 0 && i < nx && j < (size_t)cells->ny && upright[j * nx + i] != METAL_STAIRCASE) {
            upright[j * nx + i] = 0;
        }
    }
    const bool done = seen != NULL && list != NULL;
    free(seen);
    free(list);
    return done ? PW_OK : PW_NO_RESOURCE;
}

pw_status metal_lost_hold(const struct floorplan *plan, const struct raster_grid *grid, const struct metal_cells *cells,
                          float *upright, pw_error *error)
{
    OWNED_BY(metal_edges_free) struct metal_edges edges = {0};
    TRY(metal_edges_create(plan, grid, &edges, error));
    return find_lost_pieces(cells, &edges, upright, error);
}
