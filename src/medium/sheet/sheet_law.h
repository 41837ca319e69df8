/* What nodes beside a thin lossy layer hold, so that a wave on the grid passes it, and is reflected, as the wave does
 * (physics.md section 1, "Thin lossy layers"). A conductivity at one row of nodes does not: a wide difference steps
 * over the row, and a conductivity that is shared by two rows shields twice. The law has one dimension, across the
 * layer; waves meet it at angles up to 70 degrees.
 *
 * Where Ez alone is solved, two nodes take the loss, and the permittivity of four changes. On the staggered grid of E
 * and H no wide difference crosses the row of nodes nearest to the layer (discretize/volume/sheet_edges.c). That row
 * takes the whole loss. The permittivities of it and of its two neighbours change, and those of E across the layer at
 * the two places between them. */
#pragma once

#include "base/status.h"
#include "medium/raster.h"
#include "problem/stencil.h"

enum {
    LAW_NODES = 4, /* that may change: one before the two that take the loss, and one behind them */
    LAW_STAGGERED = 3,
    LAW_BETWEEN = 2, /* on the staggered grid: nodes that may change, and places between nodes */
    LAW_WINDOW = 16, /* nodes around the sheet that a question looks at */
    LAW_BEFORE = 9,  /* of them, before the one at or before the sheet */
    LAW_LAYERS = 32,
    LAW_BESIDE = 3, /* other sheets that a question knows */
};

/* Lengths in distances of nodes. */
struct wall_layer {
    double thickness, permittivity, loss; /* loss: conductivity over (omega epsilon_0) */
};

/* Which fields the grid has, and so which waves meet the sheet. */
enum sheet_fields {
    SHEET_LEVEL, /* Ez alone: vertical polarisation in two dimensions */
    SHEET_LAYER, /* staggered, E across the sheet and along it: horizontal polarisation in two dimensions */
    SHEET_SPACE, /* staggered, three dimensions: waves of both polarisations */
};

struct sheet_question {
    const struct stencil *stencil;
    enum sheet_fields fields;
    double turn; /* rad: phase of a wave in air from node to node across the sheet */
    /* The wall as it is, air before and behind it; its first layer begins at `start`, counted from node 0. */
    struct wall_layer layers[LAW_LAYERS];
    int layer_count;
    double start;
    double permittivity[LAW_WINDOW], loss[LAW_WINDOW]; /* of the nodes without the sheet's loss */
    /* Staggered: of E across the sheet, half a distance behind the nodes. */
    double normal[LAW_WINDOW], normal_loss[LAW_WINDOW];
    double least; /* no node's permittivity is taken under this by the law */
    /* Staggered: nodes of other sheets, which no wide difference crosses either. */
    int closed[LAW_BESIDE], closed_count;
};

struct sheet_answer {
    double permittivity[LAW_NODES]; /* to be added at nodes LAW_BEFORE - 1 .. LAW_BEFORE + 2, of three if staggered */
    double loss[LAW_NODES];
    double normal[LAW_BETWEEN]; /* staggered: to be added to `normal` from LAW_BEFORE - 1 on */
    struct sheet_miss miss;     /* over the angles */
};

/* Of a sheet aslant, which meets lines at any place between nodes, the loss has to change little from line to line:
 * conductance times sheet_spread() of a node's distance from the sheet, in distances of nodes. `question` has the same
 * wall at TURNED_PLACES places between two nodes; *loss is that of the nodes together. */
enum { TURNED_PLACES = 8 };
double sheet_spread(double distance);
pw_status sheet_law_turned(const struct sheet_question *question, double *loss, struct sheet_miss *told,
                           pw_error *error);

pw_status sheet_law(const struct sheet_question *question, struct sheet_answer *answer, pw_error *error);
