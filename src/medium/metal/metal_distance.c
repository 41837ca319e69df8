/* Where metal begins along a line of the lattice (metal_distance.h): by steps, and by the sides of shapes, so that thin
 * metal is not stepped over. */
#include "medium/metal/metal_distance.h"

#include "medium/scanline.h"

#include <math.h>

/* The first cell is searched in steps of this [cells], the rest in steps of CLOSE; thinner metal is found by the sides
 * of its shape, and missed where it is pixels. */
static const double FINE = 1.0 / 32, CLOSE = 0.25;
static const double SAME = 1e-6; /* cells */

static bool is_metal(const struct metal_view *view, double i, double j)
{
    double x = view->grid->origin.x + i * view->grid->cell, y = view->grid->origin.y + j * view->grid->cell;
    return view->plan->materials[floorplan_material_at(view->plan, x, y)].perfect_conductor;
}

/* At `along` cells from node (i, j) in the direction; looked for on both sides of the line, so that a line along a face
 * finds it whoever owns the face. */
static bool metal_at(const struct metal_view *view, const int *direction, double along)
{
    double x = view->from.x + direction[0] * along, y = view->from.y + direction[1] * along;
    double aside_x = direction[0] == 0 ? SAME / 8 : 0, aside_y = SAME / 8 - aside_x;
    return is_metal(view, x + aside_x, y + aside_y) || is_metal(view, x - aside_x, y - aside_y);
}

/* A line from a node along an axis, and where the sides of a shape cross it [cells from the node], ascending. */
enum { CROSSINGS = 16 };
struct ray {
    double x, y; /* m */
    int direction[2];
    double cell, reach; /* m, cells */
    int count;
    double at[CROSSINGS];
};

static void ray_add(struct ray *ray, double along)
{
    if (!(along >= 0 && along <= ray->reach) || ray->count == CROSSINGS) {
        return;
    }
    int n = ray->count++;
    for (; n > 0 && ray->at[n - 1] > along; n--) {
        ray->at[n] = ray->at[n - 1];
    }
    ray->at[n] = along;
}

/* Outlines cut into slices have many points and are no thin sheets: they are left to the steps. */
static void ray_cross(struct ray *ray, const struct outline *outline)
{
    const bool along_x = ray->direction[0] != 0;
    const double sign = ray->direction[0] + ray->direction[1], here = along_x ? ray->x : ray->y;
    const double level = along_x ? ray->y : ray->x, low = along_x ? outline->low.y : outline->low.x,
                 high = along_x ? outline->high.y : outline->high.x;
    ray->count = 0;
    if (level < low || level > high || outline->slice_count > 0) {
        return;
    }
    if (outline->point_count == 0) {
        const double middle = along_x ? outline->centre.x : outline->centre.y;
        const double off = level - (along_x ? outline->centre.y : outline->centre.x);
        const double half = sqrt(fmax(outline->radius * outline->radius - off * off, 0));
        ray_add(ray, sign * (middle - half - here) / ray->cell);
        ray_add(ray, sign * (middle + half - here) / ray->cell);
    }
    for (int p = 0; p < outline->point_count; p++) {
        const struct point a = outline->points[p], b = outline->points[(p + 1) % outline->point_count];
        const double a_level = along_x ? a.y : a.x, b_level = along_x ? b.y : b.x;
        if ((a_level > level) != (b_level > level)) {
            const double part = (level - a_level) / (b_level - a_level);
            const double place = along_x ? a.x + part * (b.x - a.x) : a.y + part * (b.y - a.y);
            ray_add(ray, sign * (place - here) / ray->cell);
        }
    }
}

/* Moves `high` down to metal of a shape that lies before it, however thin, and `low` to a place before that metal. */
static void thin_metal_find(const struct metal_view *view, const int *direction, double *low, double *high)
{
    struct ray ray = {.x = view->grid->origin.x + view->from.x * view->grid->cell,
                      .y = view->grid->origin.y + view->from.y * view->grid->cell,
                      .direction = {direction[0], direction[1]},
                      .cell = view->grid->cell,
                      .reach = *high};
    /* Outside of the plan lie the materials of its edge, a step inside of it (floorplan_material_at). */
    const bool along_x = direction[0] != 0;
    const double step = 1e-9, across = along_x ? view->plan->height : view->plan->width;
    double *level = along_x ? &ray.y : &ray.x;
    *level = fmin(fmax(*level, 0) + step, across - step);
    for (int s = 0; s < view->plan->shape_count; s++) {
        if (!view->plan->materials[view->plan->shape_material[s]].perfect_conductor) {
            continue;
        }
        ray_cross(&ray, &view->plan->outlines[s]);
        for (int n = 1; n < ray.count; n++) {
            const double middle = 0.5 * (ray.at[n - 1] + ray.at[n]);
            if (middle < *high && metal_at(view, direction, middle)) {
                *low = fmax(ray.at[n - 1] - SAME, 0);
                *high = middle;
            }
        }
    }
}

double metal_distance(const struct metal_view *view, const int direction[2], double reach)
{
    double low = 0, high = 0;
    while (high < reach && !metal_at(view, direction, high)) {
        low = high;
        high += high < 1 ? FINE : CLOSE;
    }
    const double stepped = high;
    thin_metal_find(view, direction, &low, &high);
    if (high == stepped && !metal_at(view, direction, high)) {
        return INFINITY;
    }
    while (high - low > SAME / 8) {
        double middle = 0.5 * (low + high);
        if (metal_at(view, direction, middle)) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return scanline_snap(nearbyint(high / SAME) * SAME);
}
