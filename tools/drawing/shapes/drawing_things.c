/* Windows and doors drawn (drawing_things.h). */
#include "drawing/shapes/drawing_things.h"

#include <math.h>

static const double OVER = 5e-4; /* m: so much wider than the wall a hole is, that nothing of the wall is left */

/* A rectangle along the way from a to b, between two offsets to its left. */
static pw_status strip_draw(pw_drawing *shapes, int substance, const struct drawing_point ends[2],
                            const double offsets[2], pw_error *error)
{
    double x = ends[1].x - ends[0].x, y = ends[1].y - ends[0].y, length = hypot(x, y);
    double corners[8];
    for (int n = 0; n < 4; n++) {
        const struct drawing_point *end = &ends[n == 1 || n == 2];
        const double offset = offsets[n > 1];
        corners[2 * n] = end->x - offset * y / length;
        corners[2 * n + 1] = end->y + offset * x / length;
    }
    return length > 0 ? pw_drawing_add(shapes, substance, corners, 4, error) : PW_OK;
}

pw_status openings_draw(const struct opening *openings, size_t count, int page, const struct class_choice *class,
                        const struct drawing_place *place, pw_drawing *shapes, pw_error *error)
{
    const double pane = class->thickness, step = pane + class->gap, whole = pane + (class->panes - 1) * step;
    for (size_t n = 0; n < count; n++) {
        const struct opening *opening = &openings[n];
        const struct drawing_point ends[2] = {drawing_placed(place, opening->from), drawing_placed(place, opening->to)};
        if (opening->page != page) {
            continue;
        }
        if (opening->high > opening->low) {
            const double hole[2] = {opening->low * place->unit - OVER, opening->high * place->unit + OVER};
            TRY(strip_draw(shapes, class->air, ends, hole, error));
        }
        for (int p = 0; class->substance != class->air && p < class->panes; p++) {
            const double from = -0.5 * whole + p * step, offsets[2] = {from, from + pane};
            TRY(strip_draw(shapes, class->substance, ends, offsets, error));
        }
    }
    return PW_OK;
}
