/* The key `drawing` of a plan or of a storey: what reads drawings is told to the library (api/plan/drawing.h), and what
 * it makes of one is collected here. */
#pragma once

#include "api/plan/drawing.h"
#include "scenario/scenario.h"

/* What the shapes of a drawing have in common. */
struct drawn_substance {
    struct material_choice material;
    struct height_range z;
    int line;
};

/* The shapes of one drawing. Starts as zeros but for plan and storey. */
struct pw_drawing {
    const struct plan_choice *plan;
    int storey;                         /* or EVERY_STOREY */
    double width, height;               /* m; 0: the reader said nothing */
    struct drawn_substance *substances; /* (substance_count), owned */
    size_t substance_count, substance_room;
    struct shape *shapes; /* (count), owned, and their points */
    size_t count, room;
};
void drawing_release(struct pw_drawing *drawing);

/* Has the drawing of `map` read. PW_BAD_INPUT also where the library has no reader. */
pw_status drawing_collect(const struct node *map, const char *folder, struct pw_drawing *drawing, pw_error *error);

/* NULL: there is none. */
const pw_drawing_reader *drawing_reader(void);
