/* The walls of a plan as they were solved, node by node: in three dimensions in the plane of the chosen sheet. */
#pragma once

#include "api/map.h"
#include "result/result.h"

enum { WALL_FULL = PW_WALL_FULL, WALL_METAL = PW_WALL_METAL };

/* Nodes of the plan, absorber cut away. */
struct plan_walls {
    int rows, columns;
    double x0, y0, cell; /* m: first node, distance of nodes */
    float *permittivity; /* (rows, columns), owned */
    uint8_t *wall; /* (rows, columns), owned: 0 in air, WALL_METAL in metal, else how much of a wall the node is: 1
                      to WALL_FULL */
};

/* Nodes of which walls are told: a face of the grid, absorber included, and the part of it that is the plan. */
struct walls_face {
    int columns;                   /* of the face */
    int column_low, row_low;       /* of the plan's first node */
    int inner_columns, inner_rows; /* of the plan */
    double x0, y0, cell;           /* m: the plan's first node */
    const double *permittivity;    /* (rows, columns), borrowed */
    const uint8_t *metal;          /* (rows, columns), borrowed: not 0 in metal */
    bool cut;                      /* it is a vertical cut */
};
pw_status walls_tell(const struct walls_face *face, struct plan_walls *walls, pw_error *error);

/* Reads the walls that were solved. */
pw_status walls_read(const struct result *result, struct plan_walls *walls, pw_error *error);
void walls_free(struct plan_walls *walls);
