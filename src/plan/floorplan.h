/* A floor plan ready to be sampled, of a plan with storeys at one height: the image read and its colours matched to
 * materials, the shapes in drawing order, every material resolved to permittivity and conductivity. It answers one
 * question: what is at (x, y)? */
#pragma once

#include "api/setup.h"
#include "plan/material.h"
#include "plan/outline.h"
#include "plan/picture/colour_tally.h"
#include "plan/picture/mixed_pixels.h"
#include "scenario/scenario.h"

#define COLOUR_UNKNOWN UINT32_MAX

struct floorplan {
    double width, height;       /* m */
    struct material *materials; /* (material_count), owned; entry 0 is air */
    uint32_t *colours;          /* (material_count), owned: 0xrrggbb in the legend, or COLOUR_UNKNOWN */
    int material_count;
    /* image part: material index per pixel, row 0 at the bottom; NULL without an image */
    uint16_t *pixels; /* (pixel_rows, pixel_columns), owned */
    int pixel_rows, pixel_columns;
    double pixel; /* m */
    /* in drawing order those of the scenario's shapes that are met at the plan's height, and before them a slab */
    struct outline *outlines; /* (shape_count), owned */
    uint16_t *shape_material; /* (shape_count), owned: index into materials */
    int shape_count;
    struct mixed_pixels mixed;   /* owned: pixels of two materials, which `pixels` gives to the larger part */
    struct colour_tally inexact; /* owned: colours that were matched but are not in the legend (smooth edges) */
};

/* The plan at the height of its cut (plan_cut.h). Reads the image, matches colours, resolves materials at the band
 * centre. Warnings (material ranges) go to `warnings`. A colour that is farther than the tolerance from every legend
 * colour: PW_BAD_INPUT with a list of such colours. */
pw_status floorplan_create(const struct scenario *scenario, bool strict, pw_notes *warnings, struct floorplan *plan,
                           pw_error *error);

/* The same with the pixels taken from arrays of the caller, which the plan does not keep; errors as those of
 * pw_setup_create_from_plan. */
pw_status floorplan_create_from_arrays(const struct scenario *scenario, const pw_plan *arrays, bool strict,
                                       pw_notes *warnings, struct floorplan *plan, pw_error *error);
void floorplan_free(struct floorplan *plan);

/* Index of the material at (x, y); points outside the plan take the nearest point of its edge. Shapes and pixels own
 * their lower and left faces and not the others, so that what is a whole number of cells wide covers that many nodes.
 */
uint16_t floorplan_material_at(const struct floorplan *plan, double x, double y);

/* Whether some material is a perfect conductor. */
static inline bool floorplan_has_metal(const struct floorplan *plan)
{
    bool metal = false;
    for (int m = 0; m < plan->material_count; m++) {
        metal = metal || plan->materials[m].perfect_conductor;
    }
    return metal;
}
