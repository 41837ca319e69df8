/* A plan as its exporters see it: outlines of shapes with their materials, in drawing order, and what of them is in a
 * storey. */
#pragma once

#include "ground.h"

struct point {
    double x, y; /* m, origin at the lower left of the plan */
};

/* A shape of the scenario with what is known of it. */
struct exported_shape {
    pw_shape shape;         /* owned */
    struct point low, high; /* m: the box around it */
    bool opening;           /* of air, or drawn as an opening: it replaces what lies under it */
};

struct exported_plan {
    const pw_scenario *whole;
    pw_scenario_facts scenario;
    pw_plan_facts facts;
    struct exported_shape *shapes; /* (count), owned, in drawing order */
    size_t count;
    int first, last; /* storeys that are written; both 0 in a plan without */
    FILE *report;    /* may be NULL */
};

/* Takes the scenario's shapes; `storey` NULL: of all storeys. Freed with exported_plan_free also after a failure. */
pw_status exported_plan_make(const pw_scenario *scenario, const char *storey, struct exported_plan *plan,
                             pw_error *error);
void exported_plan_free(struct exported_plan *plan);

/* The part of a shape that is in a storey, m over its floor; from the floor to the ceiling `whole`. False: none. */
struct storey_part {
    double low, high;
    bool whole;
};
bool storey_part_of(const struct exported_plan *plan, const pw_shape *shape, int storey, struct storey_part *part);

/* The storey of a transmitter, and its height over that storey's floor (NAN where the scenario has none). */
int transmitter_storey(const struct exported_plan *plan, const pw_scenario_transmitter *transmitter, double *height);

/* A storey's name, in a plan without storeys the scenario's title. */
const char *storey_name(const struct exported_plan *plan, int storey);

/* Corner n of a shape. */
static inline struct point corner_of(const pw_shape *shape, int n)
{
    return (struct point){shape->corners[2 * n], shape->corners[2 * n + 1]};
}
