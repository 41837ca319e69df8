/* The palette of a medium: distinct pairs of permittivity and conductivity, collected node by node, and joined when
 * there are too many. */
#ifndef PALETTE_H
#define PALETTE_H

#include "medium/raster.h"

struct palette_value {
    double permittivity, conductivity; /* relative; S/m */
    int64_t nodes;                     /* that have it */
};

struct palette {
    struct palette_value *values; /* (count), owned: those of the plan's materials first, then mixtures as they come */
    int64_t count, capacity;
    int fixed;       /* values[0..fixed): materials of the plan, never joined; 0 is air */
    int conductor;   /* index of the perfect conductor among them, or -1 */
    uint32_t *slots; /* (slot_count) hash table of index + 1, owned; slot_count is a power of two */
    int64_t slot_count;
    double conductivity_scale; /* S/m: the largest of the plan, or 1 */
};

pw_status palette_create(const struct floorplan *plan, struct palette *palette, pw_error *error);
void palette_free(struct palette *palette);

/* Index of the value, added when it is new to about 1e-11; values that near to a material of the plan are that
 * material. */
pw_status palette_find(struct palette *palette, double permittivity, double conductivity, uint32_t *index,
                       pw_error *error);

/* Entries (at most PALETTE_LIMIT) of `medium` and, in *map (palette count, the caller's to free), the entry of every
 * value that a node has (palette.values[].nodes): one each when they fit, else neighbours joined at their mean, so that
 * the integral over the plan stays. */
pw_status palette_reduce(const struct palette *palette, struct medium *medium, uint16_t **map, pw_error *error);

#endif
