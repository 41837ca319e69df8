/* The medium that the solver sees: relative permittivity and conductivity at the Ez nodes, averaged from the floor plan
 * by one of the weights of physics.md section 1, as a palette of at most PALETTE_LIMIT entries and one small integer
 * per node; in three dimensions the same at the nodes of Ex, Ey and Ez.
 */
#pragma once

#include "plan/building.h"
#include "problem/stencil.h"

/* In two and in three dimensions, where a node at a corner of faces has more ways to be mixed. */
enum { PALETTE_LIMIT = 4096, VOLUME_PALETTE_LIMIT = 16384 };

/* Weights with negative lobes take permittivity under 1 beside a wall, in corners twice as far, and the time step with
 * its root. A node under what one face of the plan's densest material leaves is raised to that: a corner then lacks a
 * fifth of a cell in concrete, which scatters less than the corner itself is wrong by (validation/walls.md). And a node
 * under this value is raised to this: beside a wall of relative permittivity 30 averaged by moments that moves the face
 * by 0.03 cells, and no plan needs less than 0.7 of the time step. */
static const double LEAST_PERMITTIVITY = 0.5;

/* Node (i, j) sits at (origin.x + i cell, origin.y + j cell). */
struct raster_grid {
    int nx, ny;
    double cell;                   /* m */
    struct point origin;           /* m, plan coordinates of node (0, 0) */
    double wave_number;            /* rad/m in vacuum at the band centre; for band-limited averaging and for metal */
    const struct stencil *stencil; /* for metal in three dimensions; borrowed */
    /* Columns and rows first <= n < end where rows beside metal (problem.h) may change what is differenced along x and
     * along y, so that metal may stand between the nodes; elsewhere, as along an axis of the absorber, nodes are held
     * or free. Vertical polarisation in two dimensions alone; end 0: none. */
    struct {
        int first, end;
    } clear[2];
    const struct scenario *asked_for; /* whose set-up may be stopped (scenario_is_wanted); NULL: nobody is asked */
    bool clear_of_edges; /* nodes near edges that obey Mur's condition have no rows at all, along either axis */
};

/* Asks whose set-up it is: PW_INTERRUPTED when it is not wanted. In a parallel loop the first thread asks, which is the
 * caller's. */
pw_status raster_still_wanted(const struct raster_grid *grid, pw_error *error);

/* Whether metal may stand between a node and the next one along the axis. */
static inline bool raster_is_clear(const struct raster_grid *grid, int axis, int i, int j)
{
    const int n[2] = {i, j}, other = grid->clear_of_edges ? 1 - axis : axis;
    return n[axis] >= grid->clear[axis].first && n[axis] < grid->clear[axis].end &&
           n[other] >= grid->clear[other].first && n[other] < grid->clear[other].end;
}

struct medium_entry {
    double relative_permittivity;
    double conductivity; /* S/m */
    bool perfect_conductor;
};

/* The off-diagonal inverse permittivity of components `from` and `to` (0..2: x, y, z) at a node, (k ny + j) nx + i. */
struct medium_tensor {
    int64_t node;
    int from, to;
    double inverse_permittivity;
};

/* How far what passes a thin lossy layer is off, at the worst of 0 to 70 degrees. */
struct sheet_miss {
    double decibels, phase; /* dB, rad */
    double strangers; /* m: so near stand the nearest two sheets that are not fitted to each other; 0: there are none */
};

struct medium {
    int nx, ny;
    uint16_t *index; /* (layer_count, ny, nx) into palette, owned */
    /* In three dimensions the layers that the levels of z share (problem.h): component c of E at level k has
     * layer[c][k]. In two there is one layer, and these are NULL. */
    int nz, layer_count;
    int *layer[3];                /* (nz), owned until the problem takes them */
    struct medium_tensor *tensor; /* (tensor_count), owned: of tilted faces, ascending by node; none at metal */
    int64_t tensor_count;
    double tensor_bound; /* no eigenvalue of an inverse permittivity at the nodes of `tensor` is over this; 0: none */
    struct medium_entry *palette; /* (palette_count), owned; entry 0 is air; entry p becomes row p of the coefficient
                                     table (problem.h) */
    int palette_count;
    int64_t raised_nodes;         /* nodes that were raised for the time step's sake */
    struct sheet_miss sheet_miss; /* root mean square over the lines of nodes of all thin lossy layers */
    uint8_t *sheet_edges;      /* (nz, ny, nx), owned: medium_sheet_edge() of the edges of E that take the loss of thin
                                  layers; NULL: there are none, or Ez alone is solved */
    double quantisation_error; /* largest relative error of a node's permittivity through the palette */
};

/* That no wide difference along axis a may cross component c (0..2: x, y, z) here. */
static inline uint8_t medium_sheet_edge(int c, int a)
{
    return (uint8_t)(1U << (2 * c + (a == (c + 1) % 3 ? 0 : 1)));
}

pw_status raster_medium(const struct floorplan *plan, const struct raster_grid *grid, enum averaging averaging,
                        struct medium *medium, pw_error *error);
void medium_free(struct medium *medium);

/* Where a low end of the grid is a plane of symmetry, the averages there are those of a plan that runs on beyond it,
 * not of one that is mirrored. *reach: 0 where that is the same; else the cells from the plane in which no face of a
 * material may lie for it to be the same. */
pw_status raster_near_planes(const struct floorplan *plan, const struct raster_grid *grid, enum averaging averaging,
                             const bool *symmetric, double *reach, pw_error *error);

/* Two faces that touch at a corner alone share an edge of `length`, since a sheet of metal lies between the faces of
 * the grid there. The difference of their fields is that along a way over a third face: face[0], face[1], face[2]. */
struct metal_link {
    int64_t face[3]; /* j nx + i */
    float length;
};

/* How metal cuts the cells of a layer in which nothing changes along z (physics.md section 11): the part of each edge,
 * where Ex and Ey stand, and of each face, where Hz stands, that lies outside of metal. Edges are held at zero or not,
 * as in three dimensions, beyond the places that are wanted. Where metal is thinner than a cell a face may have several
 * pieces of air: the largest is the face, the others count to faces next to it (metal_pieces.h). So an area or
 * an edge may be over 1. */
struct metal_cells {
    int first[2], end[2]; /* the faces wanted, before `end` */
    /* So many times the edges of a whole face a face may have over its area; 0, in three dimensions: nothing runs on,
     * and no face joins another one for being small. */
    double limit;
    int nx, ny;
    /* (lines across axis a), owned: lines of faces whose metal runs on unchanged along axis a, from the faces wanted to
     * its low or high end. They are cut there too. NULL: nothing is. */
    uint8_t *runs_on[2][2];
    float *edge[2]; /* (ny, nx), owned: of Ex, which begins at node (i, j), and of Ey; NULL: nothing is cut */
    float *area;    /* (ny, nx), owned: of the face between nodes (i, j) and (i+1, j+1) */
    uint8_t *split; /* (ny, nx), owned: faces that are not what their cell is, for thin metal stands there */
    /* (ny, nx), owned: bit c of edges of component c that are a thin lossy layer (sheet/sheet_cells.c); NULL: none */
    uint8_t *leak;
    struct metal_link *links; /* (link_count), owned: see above */
    int64_t link_count;
    /* (ny, nx), owned: nodes whose differences metal may change, filled in by the set-up; NULL until then */
    uint8_t *beside;
};

/* The part of an edge that is not cut, but held or not. */
#define METAL_STAIRCASE (-1.0F)

/* Which end of axis a place `at` lies beyond the faces wanted: 0 or 1; -1: neither. */
static inline int metal_cells_end(const struct metal_cells *cells, int a, int at)
{
    return at < cells->first[a] ? 0 : at >= cells->end[a] ? 1 : -1;
}

/* The axis along which a face runs on beyond the faces wanted; -1: it does not, or is none of the grid's. */
static inline int metal_cells_runs(const struct metal_cells *cells, int i, int j)
{
    const int end[2] = {metal_cells_end(cells, 0, i), metal_cells_end(cells, 1, j)};
    if ((end[0] < 0) == (end[1] < 0) || i < 0 || j < 0 || i >= cells->nx || j >= cells->ny) {
        return -1;
    }
    const int a = end[0] < 0 ? 1 : 0;
    const uint8_t *lines = cells->runs_on[a][end[a]];
    return lines != NULL && lines[a == 0 ? j : i] ? a : -1;
}

/* Whether metal cuts a face; else it is one of the staircase. */
static inline bool metal_cells_cut(const struct metal_cells *cells, int i, int j)
{
    return (metal_cells_end(cells, 0, i) < 0 && metal_cells_end(cells, 1, j) < 0) || metal_cells_runs(cells, i, j) >= 0;
}

/* Fills in all but `first`, `end`, `limit` and `beside`; in medium/volume. After a failure too, metal_cells_free. */
pw_status metal_cells_create(const struct floorplan *plan, const struct raster_grid *grid, struct metal_cells *cells,
                             pw_error *error);

/* Into edge, area and leak, which are made first where there is no metal; in medium/sheet. `first` and `end` are there.
 */
pw_status sheet_cells_place(const struct floorplan *plan, const struct raster_grid *grid, struct metal_cells *cells,
                            pw_error *error);
void metal_cells_free(struct metal_cells *cells);

/* Whether metal holds component c (0, 1: Ex, Ey) at node (i, j); `staircase`: whether it would by the nodes alone. */
static inline bool metal_cells_hold(const struct metal_cells *cells, int c, int i, int j, bool staircase)
{
    const float part = cells->edge[c][(size_t)j * (size_t)cells->nx + (size_t)i];
    return part == METAL_STAIRCASE ? staircase : part == 0;
}

struct metal_volume;

/* Node (i, j, k) sits at (plane.origin.x + i cell, plane.origin.y + j cell, origin_z + k cell); Ex half a cell further
 * along x, and so on. */
struct raster_volume {
    struct raster_grid plane;
    int nz;
    double origin_z; /* m over the lowest floor */
    /* One layer, where metal lies between the nodes; NULL: metal stands on nodes; borrowed. */
    const struct metal_cells *metal;
    const struct metal_volume *cuts; /* three dimensions: the same (metal/metal_volume.h) */
    bool wall[2]; /* the grid's low and high end of z are walls on the building, which runs on behind them */
};

/* Border under band b, in cells from node 0. Behind a wall goes on what stands on it, as its image would; the upper
 * wall may be up to a cell beyond the building. */
double raster_border_at(const struct building *building, const struct raster_volume *volume, int b);

/* The medium at the nodes of Ex, Ey and Ez (physics.md section 9), in layers that many levels share. */
pw_status raster_building(const struct building *building, const struct raster_volume *volume, enum averaging averaging,
                          struct medium *medium, pw_error *error);
