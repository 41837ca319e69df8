/* The walls of a plan as they were solved, node by node: in three dimensions in the plane of the chosen sheet. */
#ifndef FLOOR_WALLS_H
#define FLOOR_WALLS_H

#include "result/result.h"

enum { WALL_FULL = 100, WALL_METAL = 255 };

/* Nodes of the plan, absorber cut away. */
struct plan_walls {
    int rows, columns;
    double x0, y0, cell; /* m: first node, distance of nodes */
    float *permittivity; /* (rows, columns), owned */
    uint8_t *wall; /* (rows, columns), owned: 0 in air, WALL_METAL in metal, else how much of a wall the node is: 1
                      to WALL_FULL */
};

/* Reads the walls that were solved. */
pw_status walls_read(const struct result *result, struct plan_walls *walls, pw_error *error);
void walls_free(struct plan_walls *walls);

#endif
