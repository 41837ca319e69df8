/* What a plan is made of before a height is chosen: the picture with its colours matched to entries of the legend, and
 * every material that may occur, resolved. A floor plan at a height is put together from it. */
#pragma once

#include "plan/floorplan.h"

struct plan_parts {
    const struct scenario *scenario; /* borrowed */
    /* Size, materials, colours; and the pixels, which are entries of the legend, from an array of the caller materials.
     * No shapes. */
    struct floorplan base;
    bool pixels_are_entries;
    uint16_t *shape_material; /* (shape_count), owned: indices of materials */
    uint16_t *entry_material; /* (legend_count), owned: of entries that the picture shows */
    uint16_t *slab_material;  /* (storey_count + 1), owned: of the floors, and the highest ceiling */
};

struct plan_source {
    const struct scenario *scenario;
    const pw_plan *arrays; /* the pixels; NULL: they are the scenario's picture, if it has one */
    bool strict;           /* a material outside its range is an error */
    pw_notes *warnings;    /* of materials, and of walls that are probably too thick */
};

/* Everything that is met at height z [m over the lowest floor], or with NAN at any height. Errors as floorplan_create.
 */
pw_status plan_parts_create(const struct plan_source *source, double z, struct plan_parts *parts, pw_error *error);
void plan_parts_free(struct plan_parts *parts);

/* Whether something that reaches from height to height is met at z; everything is in a plan without storeys. */
bool height_meets(const struct plan_choice *plan, const struct height_range *range, double z);

/* The slab that is met at z, and which it is (slab_material); NULL between slabs and outside. */
const struct slab_choice *slab_at(const struct plan_choice *plan, double z, int *index);
