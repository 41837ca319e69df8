/* Shares of edges and faces along flat metal (metal_law.h), from the distances to it and the law of metal_wall.h. */
#include "medium/metal/metal_law.h"

#include "medium/metal/metal_beside.h"

#include <math.h>
#include <stdlib.h>

/* The metal nearest to the edge of component c at a node across axis d: on a side where it holds the next edge. Cells;
 * 0: none. */
static double metal_across(const struct metal_volume *cuts, int c, int d, const int at[3])
{
    double nearest = 0;
    for (int side = -1; side <= 1; side += 2) {
        int next[3] = {at[0], at[1], at[2]}, face[3] = {at[0], at[1], at[2]};
        next[d] += side;
        face[d] -= side < 0 ? 1 : 0;
        const double across = metal_face_at(cuts, 3 - c - d, face[0], face[1], face[2]);
        if (metal_edge_at(cuts, c, next[0], next[1], next[2]) == 0 && across > 0) {
            nearest = nearest == 0 || across < nearest ? across : nearest;
        }
    }
    return nearest;
}

/* What metal adds to the share of the edge of component c at a node, by its distances across the two other axes, to
 * out[axis]. Of an oblique plane the part of each is the square of the normal's component: a wave sin(k d) has that
 * part of k^2 along the axis. */
static void edge_shares(const struct metal_volume *cuts, const struct metal_wall *wall, int c, const int at[3],
                        double out[3])
{
    double square[3] = {0}, sum = 0;
    for (int n = 1; n <= 2; n++) {
        const int d = (c + n) % 3;
        const double across = metal_across(cuts, c, d, at);
        out[d] = across > 0 ? metal_wall_share(wall, across) : 0;
        square[d] = across > 0 ? 1 / (across * across) : 0;
        sum += square[d];
    }
    out[c] = 0;
    for (int d = 0; d < 3; d++) {
        out[d] *= sum > 0 ? square[d] / sum : 0;
    }
}

/* Between metal and the first free edge a share under 1, which would cost time step, is made up for by a stiffer face:
 * by what its mass grows. */
static double stiffening(const struct metal_volume *cuts, const struct metal_wall *wall, int d, const int at[3])
{
    const double part = metal_face_at(cuts, d, at[0], at[1], at[2]);
    int sides = 0;
    for (int n = 1; n <= 2; n++) {
        const int c = (d + n) % 3;
        int next[3] = {at[0], at[1], at[2]};
        next[3 - c - d]++;
        const bool low = metal_edge_at(cuts, c, at[0], at[1], at[2]) == 0,
                   high = metal_edge_at(cuts, c, next[0], next[1], next[2]) == 0;
        sides += low && high ? 2 : low || high ? 1 : 0;
    }
    return sides == 1 && part > 0 ? 1 + part * wall->turn * wall->turn * fmax(0, -metal_wall_share(wall, part)) : 1;
}

/* The same of an edge across metal: that of the faces around it. */
static double stiffening_across(const struct metal_volume *cuts, const struct metal_wall *wall, int c, const int at[3])
{
    double least = INFINITY;
    for (int n = 0; n < 4; n++) {
        const int d = (c + 1 + n % 2) % 3;
        int face[3] = {at[0], at[1], at[2]};
        face[3 - c - d] -= n / 2;
        least = fmin(least, stiffening(cuts, wall, d, face));
    }
    return least;
}

static double edge_mass(const struct metal_volume *cuts, const struct metal_wall *wall, int c, const int at[3])
{
    double shares[3];
    if (metal_edge_at(cuts, c, at[0], at[1], at[2]) == 0) {
        return 1;
    }
    edge_shares(cuts, wall, c, at, shares);
    return fmax(1 + shares[0] + shares[1] + shares[2], 1) * stiffening_across(cuts, wall, c, at);
}

/* A face along metal: what the metal adds to the edges around it, in the mean. */
static double face_mass(const struct metal_volume *cuts, const struct metal_wall *wall, int d, const int at[3])
{
    double mass = 1, shares[3];
    for (int n = 0; n < 4; n++) {
        const int c = (d + 1 + n % 2) % 3, other = 3 - c - d;
        int edge[3] = {at[0], at[1], at[2]};
        edge[other] += n / 2;
        if (metal_edge_at(cuts, c, edge[0], edge[1], edge[2]) != 0) {
            edge_shares(cuts, wall, c, edge, shares);
            mass += 0.25 * shares[d];
        }
    }
    return fmax(mass, 1) * stiffening(cuts, wall, d, at);
}

/* ---- all places -------------------------------------------------------------------------------------------------- */

/* A layer at one of its levels: of levels that look alike, the first. Of all of them the least counts, and never under
 * 1, which would cost time step. */
struct law_level {
    int component, level;
    bool edges;  /* else faces */
    bool first;  /* no level before it has this layer */
    float *mass; /* (ny, nx) */
};

struct law_task {
    const struct metal_volume *cuts;
    const struct metal_wall *wall;
    uint8_t **beside;         /* (nz), owned */
    struct law_level *levels; /* (count), owned: levels of a layer one after the other */
    int count;
};

static void levels_list(struct law_task *task, const bool *wanted)
{
    const struct metal_volume *cuts = task->cuts;
    for (int n = 0; n < 6; n++) {
        const bool edges = n < 3;
        const int *layers = edges ? cuts->edge_layer[n % 3] : cuts->face_layer[n % 3];
        for (int k = 0; k < cuts->nz; k++) {
            bool first = true;
            for (int other = 0; other < k; other++) {
                first = first && layers[other] != layers[k];
            }
            if (wanted[k] && layers[k] != 0) {
                task->levels[task->count++] = (struct law_level){
                    n % 3, k, edges, first, edges ? cuts->mass[layers[k]] : cuts->face_mass[layers[k]]};
            }
        }
    }
}

static void row_settle(const struct law_task *task, const struct law_level *level, int j)
{
    const struct metal_volume *cuts = task->cuts;
    const size_t row = (size_t)j * (size_t)cuts->nx;
    const uint8_t *near = task->beside[level->level] + row;
    float *mass = level->mass + row;
    for (int i = 0; i < cuts->nx; i++) {
        float own = 1;
        if (near[i] != 0) {
            const int at[3] = {i, j, level->level};
            own = (float)fmax(level->edges ? edge_mass(cuts, task->wall, level->component, at)
                                           : face_mass(cuts, task->wall, level->component, at),
                              1);
        }
        mass[i] = level->first || own < mass[i] ? own : mass[i];
    }
}

static pw_status laws_settle(struct law_task *task, bool *wanted, pw_error *error)
{
    const struct metal_volume *cuts = task->cuts;
    for (int k = 0; k < cuts->nz; k++) {
        bool any = false;
        for (int c = 0; c < 3; c++) {
            any = any || cuts->edge_layer[c][k] != 0 || cuts->face_layer[c][k] != 0;
        }
        wanted[k] = wanted[k] && any;
    }
    levels_list(task, wanted);
    TRY(metal_beside_find(cuts, wanted, false, task->beside, error));
#pragma omp parallel for schedule(dynamic, 1)
    for (int j = 0; j < cuts->ny; j++) {
        for (int n = 0; n < task->count; n++) {
            row_settle(task, &task->levels[n], j);
        }
    }
    return PW_OK;
}

pw_status metal_law_settle(const struct metal_volume *cuts, const struct metal_wall *wall, pw_error *error)
{
    struct law_task task = {.cuts = cuts, .wall = wall};
    OWNED bool *wanted = metal_levels_apart(cuts, -1, 1, error);
    task.beside = allocate((size_t)cuts->nz, sizeof *task.beside, "metal", error);
    task.levels = allocate(6 * (size_t)cuts->nz, sizeof *task.levels, "metal", error);
    const pw_status status = wanted != NULL && task.beside != NULL && task.levels != NULL
                                 ? laws_settle(&task, wanted, error)
                                 : PW_NO_RESOURCE;
    metal_beside_free(cuts, task.beside);
    free(task.levels);
    return status;
}
