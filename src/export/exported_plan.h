/* A plan as its exporters see it: outlines of shapes with their materials, in drawing order, and what of them is in a
 * storey. */
#ifndef EXPORTED_PLAN_H
#define EXPORTED_PLAN_H

#include "plan/material.h"
#include "plan/outline.h"

#include <stdio.h>

/* A shape of the scenario with what is known of it. */
struct exported_shape {
    const struct shape *shape;
    struct outline outline;   /* owned */
    struct material material; /* at the band's centre */
    bool opening;             /* of air, or drawn as an opening: it replaces what lies under it */
};

struct exported_plan {
    const struct scenario *scenario;
    struct exported_shape *shapes; /* (count), owned, in drawing order */
    size_t count;
    int first, last; /* storeys that are written; both 0 in a plan without */
    FILE *report;    /* may be NULL */
};

/* Takes the scenario's shapes; `storey` NULL: of all storeys. Freed with exported_plan_free also after a failure. */
pw_status exported_plan_make(const struct scenario *scenario, const char *storey, struct exported_plan *plan,
                             pw_error *error);
void exported_plan_free(struct exported_plan *plan);

/* The part of a shape that is in a storey, m over its floor; from the floor to the ceiling `whole`. False: none. */
struct storey_part {
    double low, high;
    bool whole;
};
bool storey_part_of(const struct exported_plan *plan, const struct shape *shape, int storey, struct storey_part *part);

/* The storey of a transmitter, and its height over that storey's floor (NAN where the scenario has none). */
int transmitter_storey(const struct exported_plan *plan, const struct transmitter_choice *transmitter, double *height);

/* A storey's name, in a plan without storeys the scenario's title. */
const char *storey_name(const struct exported_plan *plan, int storey);

/* Corners of an outline; a circle becomes a polygon of the same area. The caller frees them. */
struct point *outline_corners(const struct outline *outline, int *count, pw_error *error);

#endif
