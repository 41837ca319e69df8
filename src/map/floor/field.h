/* A plan with air around it, on which air floods and disks roll; the ground on which the inside is told (inside.h). */
#pragma once

#include "map/floor/walls.h"

/* Marks of nodes. */
enum mark { MARK_NONE, MARK_OUTSIDE, MARK_INSIDE };

struct field {
    int nx, ny;      /* nodes, the air around included */
    int pad;         /* nodes of air on each side */
    int block;       /* nodes of the plan a side that one node stands for */
    double cell;     /* m */
    uint8_t *wall;   /* (ny, nx), owned */
    uint8_t *gap;    /* (ny, nx), owned: air between two walls, in the line of both */
    uint8_t *mark;   /* (ny, nx), owned */
    float *distance; /* (ny, nx), owned: squared, in nodes */
    int *queue;      /* (ny, nx), owned */
};

/* With `air` [m] around the plan. Where the plan has very many nodes a node of the field stands for a block of them; a
 * block with one node of wall in it is a wall. */
pw_status field_create(const struct plan_walls *walls, double air, struct field *field, pw_error *error);
void field_free(struct field *field);

/* The neighbours of node n; returns how many. */
int field_neighbours(const struct field *field, int n, int next[4]);

/* Marks what a disk of this diameter [m] sweeps when it rolls in from beyond the rim; it does not dip into openings
 * that it cannot pass. All other marks are cleared. */
pw_status field_sweep(struct field *field, double diameter, pw_error *error);
