/* The field around the end of a sheet on a patch of the grid, horizontal polarisation (metal_tips.h): what the grid
 * makes of the exact solution there, and how the numbers near the end change it. */
#pragma once

#include "discretize/setup.h"
#include "discretize/volume/metal_faces.h"
#include "discretize/volume/metal_lines.h"
#include "medium/metal/ends/metal_solution.h"
#include "medium/metal/metal_edges.h"

#include <complex.h>

enum {
    MODES = 4,
    FAR_MOST = 8, /* faces from an end to the border of its box */
    SIDE = 2 * FAR_MOST + 1,
    UNKNOWNS = SIDE * SIDE,
    BOX = SIDE + 2 * REACH_LIMIT + 2,
    FLUXES = 2 * BOX * BOX,
    NUMBERS = 64
};

/* What goes through an edge, or along a link (medium/raster.h), over its length: a sum over faces. */
struct patch_flux {
    int count;
    int face[2 * WINDOW][2];
    double weight[2 * WINDOW];
    float *length;     /* borrowed */
    double at[2];      /* cells: its middle */
    bool link, closed; /* an edge: wide differences may not use it */
    int64_t ends[2];   /* of a link: its faces */
};

/* A length or an area that is chosen. */
struct patch_number {
    float *value; /* borrowed */
    double base;  /* what it was */
    int flux;     /* -1: an area */
    int unknown;  /* of an area */
};

struct tips_task {
    struct setup *setup;
    struct metal_cells *cells;
    const struct metal_list *list;
    struct metal_faces faces;  /* owned */
    double turn, limit;        /* k cell in air; as in metal_faces.h */
    struct metal_edges edges;  /* owned */
    struct metal_patch *patch; /* owned */
};

struct metal_patch {
    const struct metal_solution *end;
    double turn; /* k cell */
    int count, flux_count, number_count, corner[2];
    int face[UNKNOWNS][2], number[SIDE][SIDE]; /* of unknowns; of the box, -1: none */
    struct patch_flux flux[FLUXES];
    struct patch_number numbers[NUMBERS];
    uint8_t plain[UNKNOWNS]; /* of the faces of the box, as they were */
    double mode[MODES][UNKNOWNS], rest[MODES][UNKNOWNS], gap[MODES][FLUXES];
    double complex matrix[UNKNOWNS][UNKNOWNS], field[MODES + NUMBERS][UNKNOWNS], change[MODES][NUMBERS];
    /* The sum of squares, and what changes of the numbers' logarithms make of it: half its slopes, J^T J. */
    double weight[UNKNOWNS], hessian[NUMBERS][NUMBERS], step[NUMBERS][NUMBERS + 1], slope[NUMBERS], sum;
};

static inline size_t patch_node(const struct tips_task *task, int i, int j)
{
    return (size_t)j * (size_t)task->cells->nx + (size_t)i;
}

static inline bool patch_is_inside(const struct tips_task *task, int i, int j)
{
    return i >= 1 && j >= 1 && i < task->cells->nx - 1 && j < task->cells->ny - 1;
}

/* The patch of patch->end and patch->turn, `reach` cells around the end; without numbers. */
void patch_begin(const struct tips_task *task, double reach, struct metal_patch *patch);

/* Fills in sum, slope and hessian. False: the grid has no answer. */
bool patch_scatter(const struct tips_task *task, struct metal_patch *patch);
