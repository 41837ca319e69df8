/* The mixtures that averaging makes: distinct pairs of permittivity and conductivity, collected node by node. At the
 * end they become the palette of the medium (raster.h), neighbours joined when there are too many. */
#pragma once

#include "base/numbers/distinct.h"
#include "medium/raster.h"

struct mixture {
    double permittivity, conductivity; /* relative; S/m */
    int64_t nodes;                     /* how many nodes have it */
};

struct mixture_table {
    struct mixture *values; /* (count), owned: the plan's materials first, then mixtures as they come */
    int64_t count;
    size_t room;
    int fixed;                 /* values[0..fixed): materials of the plan, never joined; 0 is air */
    int conductor;             /* index of the perfect conductor among them, or -1 */
    struct distinct keys;      /* of the others, in their order */
    double conductivity_scale; /* S/m: the largest of the plan, or 1 */
};

pw_status mixture_table_create(const struct floorplan *plan, struct mixture_table *table, pw_error *error);
void mixture_table_free(struct mixture_table *table);

/* Index of the value, added when it is new to about 1e-11; values that near to a material of the plan are that
 * material. */
pw_status mixture_find(struct mixture_table *table, double permittivity, double conductivity, uint32_t *index,
                       pw_error *error);

/* Of permittivity and conductivity [S/m]: what the set-up will make of them (problem/grid_medium.h), and of what it
 * will make them. */
void mixture_to_grid(const struct floorplan *plan, const struct raster_grid *grid, double value[2]);
void mixture_from_grid(const struct floorplan *plan, const struct raster_grid *grid, double value[2]);

/* Leaves the materials of the plan alone in the table, with no nodes. */
void mixture_table_begin(struct mixture_table *table);

/* Adds the mixtures of another table of the same plan, in their order, and its nodes; number (from->count): their
 * indices. */
pw_status mixture_table_add(struct mixture_table *table, const struct mixture_table *from, uint32_t *number,
                            pw_error *error);

/* Fills the palette of `medium`, at most `limit` entries, and *map (table->count, the caller's to free): the
 * entry of every value that at least one node has. One entry each when they fit, else neighbours joined at their mean
 * over the nodes, so that the integral over the plan stays. */
pw_status mixture_table_reduce(const struct mixture_table *table, int limit, struct medium *medium, uint16_t **map,
                               pw_error *error);
