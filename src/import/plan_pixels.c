/* Rows of a plan as runs of materials, looked at point by point (plan_pixels.h). */
#include "import/plan_pixels.h"

#include <math.h>

#include "medium/scanline.h"

/* One line of points at height y, laid into the row of squares. */
static void line_lay(const struct run_list *list, double step, int parts, int width, double plan_width, uint16_t *row)
{
    int run = 0;
    for (int n = 0; n < parts * width; n++) {
        double x = (n + 0.5) * step / parts;
        while (run + 1 < list->count && list->runs[run + 1].start <= x) {
            run++;
        }
        if (x < plan_width && row[n / parts] == 0) {
            row[n / parts] = list->runs[run].material;
        }
    }
}

pw_status plan_pixels(const struct floorplan *plan, double step, int parts, int width, int height, uint16_t *materials,
                      pw_error *error)
{
    const double thin = 1e-6 * step; /* half of a slab in which nothing begins or ends */
    struct run_list list;
    TRY(run_list_create(plan, &list, error));
    for (size_t n = 0; n < (size_t)width * (size_t)height; n++) {
        materials[n] = 0;
    }
    for (int line = 0; line < parts * height; line++) {
        double y = (line + 0.5) * step / parts;
        if (y >= plan->height) {
            break;
        }
        scanline_runs(plan, y - thin, y + thin, &list);
        line_lay(&list, step, parts, width, plan->width, materials + (size_t)(line / parts) * (size_t)width);
    }
    run_list_free(&list);
    return PW_OK;
}
