/* What is implausible about a plan (plausible.h). */
#include "discretize/forecast/plausible.h"

#include "base/constants.h"
#include "discretize/volume/volume.h"

#include <math.h>
#include <string.h>

static const double FEWEST_CELLS = 3; /* on the longer side of a plan */
static const double THICKEST_PANE = 0.05 /* m */, THINNEST_MASONRY = 0.01 /* m */,
                    LEAST_CONDUCTIVITY = 1e4 /* S/m: of what counts as metal */;
static const double SLENDER = 3; /* a rectangle of glass that is so much longer than wide is a pane */
enum { CROSSING_LIMIT = 2000 };  /* outlines of more points are not looked at: they come from drawings */

static const char *const KIND_WORDS[] = {[SHAPE_DRAWN] = "area of a drawing",
                                         [SHAPE_RECTANGLE] = "rectangle",
                                         [SHAPE_POLYGON] = "polygon",
                                         [SHAPE_CIRCLE] = "circle",
                                         [SHAPE_WALL] = "wall",
                                         [SHAPE_OPENING] = "opening",
                                         [SHAPE_BOX] = "box"};

/* ---- the size of the plan ---- */

static pw_status check_size(struct setup *setup, pw_error *error)
{
    const struct scenario *scenario = setup->scenario;
    const double wavelength = SPEED_OF_LIGHT / scenario->band_centre, cell = scenario->grid.cell;
    const double width = setup->plan.width, height = setup->plan.height, longer = fmax(width, height);
    FAIL_IF(longer < FEWEST_CELLS * cell, error, PW_BAD_INPUT,
            "%s: plan: %.3g m x %.3g m is smaller than %.0f cells of %.3g m. The wavelength at %.4g MHz is "
            "%.3g m. Check the units of band (MHz or GHz) and of plan.size, or use a smaller grid.cell",
            scenario->file, width, height, FEWEST_CELLS, cell, 1e-6 * scenario->band_centre, wavelength);
    if (longer < wavelength) {
        warn(&setup->warnings,
             "the plan is %.3g m x %.3g m, smaller than the wavelength at %.4g MHz, %.3g m: check the units of band "
             "(MHz or GHz) and of plan.size",
             width, height, 1e-6 * scenario->band_centre, wavelength);
    }
    return PW_OK;
}

/* ---- shapes ---- */

/* The side of a wall or a pane across which waves go; 0: the shape is none. */
static double wall_thickness(const struct shape *shape)
{
    if (shape->kind == SHAPE_CIRCLE || shape->kind == SHAPE_BOX || shape->point_count != 2) {
        return 0;
    }
    double x = fabs(shape->points[1].x - shape->points[0].x), y = fabs(shape->points[1].y - shape->points[0].y);
    double narrow = fmin(x, y), wide = fmax(x, y);
    return shape->kind == SHAPE_WALL ? shape->thickness : wide > SLENDER * narrow ? narrow : 0;
}

static bool is_of(const struct shape *shape, const char *material)
{
    return strstr(shape->material.name, material) != NULL;
}

static bool is_thick_pane(const struct shape *shape)
{
    return is_of(shape, "glass") && wall_thickness(shape) > THICKEST_PANE;
}

static bool is_thin_masonry(const struct shape *shape)
{
    const double thickness = wall_thickness(shape);
    return (is_of(shape, "concrete") || is_of(shape, "brick")) && thickness > 0 && thickness < THINNEST_MASONRY;
}

/* Of the first shape that is `odd`, in words that say what is usual. */
static void warn_of_thickness(struct setup *setup, bool (*odd)(const struct shape *), const char *usual)
{
    const struct plan_choice *plan = &setup->scenario->plan;
    int count = 0;
    const struct shape *first = NULL;
    for (int s = 0; s < plan->shape_count; s++) {
        if (odd(&plan->shapes[s])) {
            first = count++ == 0 ? &plan->shapes[s] : first;
        }
    }
    if (count > 0) {
        warn(&setup->warnings, "line %d: a %s of %s is %.3g cm thick, but %s (%d of this kind)", first->line,
             KIND_WORDS[first->kind], first->material.name, 100 * wall_thickness(first), usual, count);
    }
}

/* m by which a shape reaches beyond the plan. */
static double beyond(const struct floorplan *plan, const struct shape *shape)
{
    double most = 0;
    for (int n = 0; n < shape->point_count; n++) {
        struct point at = shape->points[n];
        most = fmax(most, fmax(fmax(-at.x, at.x - plan->width), fmax(-at.y, at.y - plan->height)));
    }
    return most;
}

static void warn_of_far_shapes(struct setup *setup)
{
    const struct plan_choice *choice = &setup->scenario->plan;
    const double size = fmax(setup->plan.width, setup->plan.height);
    const struct shape *farthest = NULL;
    double most = 0;
    int count = 0;
    for (int s = 0; s < choice->shape_count; s++) {
        double out = beyond(&setup->plan, &choice->shapes[s]);
        count += out > size;
        farthest = out > most ? &choice->shapes[s] : farthest;
        most = fmax(most, out);
    }
    if (farthest != NULL && count > 0) {
        warn(&setup->warnings,
             "line %d: a %s reaches %.3g m beyond the edge of the plan, which is %.3g m x %.3g m. The part outside is "
             "cut off. Check its units and plan.size (%d of this kind)",
             farthest->line, KIND_WORDS[farthest->kind], most, setup->plan.width, setup->plan.height, count);
    }
}

/* Twice the area of the triangle; its sign tells on which side of ab the point c lies. */
static double side_of(struct point a, struct point b, struct point c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/* Whether two sides cross at a point that is an end of neither. */
static bool sides_cross(struct point a, struct point b, struct point c, struct point d, struct point *at)
{
    double of_c = side_of(a, b, c), of_d = side_of(a, b, d), of_a = side_of(c, d, a), of_b = side_of(c, d, b);
    double scale = 1e-9 * (hypot(b.x - a.x, b.y - a.y) * hypot(d.x - c.x, d.y - c.y));
    if (!(fmin(fabs(of_c), fabs(of_d)) > scale && fmin(fabs(of_a), fabs(of_b)) > scale) || (of_c > 0) == (of_d > 0) ||
        (of_a > 0) == (of_b > 0)) {
        return false;
    }
    double part = of_a / (of_a - of_b);
    *at = (struct point){a.x + part * (b.x - a.x), a.y + part * (b.y - a.y)};
    return true;
}

static bool crosses_itself(const struct shape *shape, struct point *at)
{
    const int count = shape->point_count;
    const struct point *point = shape->points;
    for (int m = 0; m < count; m++) {
        for (int n = m + 2; n < count; n++) {
            if (sides_cross(point[m], point[(m + 1) % count], point[n], point[(n + 1) % count], at)) {
                return true;
            }
        }
    }
    return false;
}

static void warn_of_crossings(struct setup *setup)
{
    const struct plan_choice *choice = &setup->scenario->plan;
    for (int s = 0; s < choice->shape_count; s++) {
        const struct shape *shape = &choice->shapes[s];
        struct point at;
        if (shape->kind == SHAPE_POLYGON && shape->point_count <= CROSSING_LIMIT && crosses_itself(shape, &at)) {
            warn(&setup->warnings,
                 "line %d: the outline of a polygon crosses itself at (%.4g m, %.4g m). Parts of it may stay empty. "
                 "Check the order of its points",
                 shape->line, at.x, at.y);
        }
    }
}

pw_status plausible_plan(struct setup *setup, pw_error *error)
{
    TRY(check_size(setup, error));
    warn_of_thickness(setup, is_thick_pane,
                      "panes are thinner than 5 cm. Check the unit of its thickness; write a double pane as two panes "
                      "with air between them");
    warn_of_thickness(setup, is_thin_masonry, "such walls are thicker than 1 cm. Check the unit of its thickness");
    warn_of_far_shapes(setup);
    warn_of_crossings(setup);
    return PW_OK;
}

/* ---- metal by a terminal ---- */

static bool is_metal(const struct material *material)
{
    return material->perfect_conductor || material->conductivity >= LEAST_CONDUCTIVITY;
}

/* Whether metal may lie within `reach` of a place, by the boxes around the shapes; pictures are always looked at. */
static bool metal_may_be_near(const struct floorplan *plan, struct point at, double reach)
{
    bool any = false;
    for (int m = 0; m < plan->material_count && plan->pixels != NULL; m++) {
        any = any || is_metal(&plan->materials[m]);
    }
    for (int s = 0; s < plan->shape_count && !any; s++) {
        const struct outline *outline = &plan->outlines[s];
        any = is_metal(&plan->materials[plan->shape_material[s]]) && at.x >= outline->low.x - reach &&
              at.y >= outline->low.y - reach && at.x <= outline->high.x + reach && at.y <= outline->high.y + reach;
    }
    return any;
}

bool plausible_metal_near(const struct setup *setup, struct point at, double height, double *distance,
                          struct point *away)
{
    enum { DIRECTIONS = 24, STEPS = 24 };
    const double reach = setup->problem.axis[0].spacing;
    const int band = building_band_at(&setup->building, volume_level(setup, height));
    const struct floorplan *plan = &setup->building.bands[band];
    if (!metal_may_be_near(plan, at, reach)) {
        return false;
    }
    for (int step = 1; step <= STEPS; step++) {
        struct point sum = {0, 0};
        bool found = false;
        *distance = reach * step / STEPS;
        for (int d = 0; d < DIRECTIONS; d++) {
            double x = cos(2 * M_PI * d / DIRECTIONS), y = sin(2 * M_PI * d / DIRECTIONS);
            double there_x = at.x + *distance * x, there_y = at.y + *distance * y;
            if (is_metal(&plan->materials[floorplan_material_at(plan, there_x, there_y)])) {
                sum = (struct point){sum.x - x, sum.y - y};
                *away = found ? *away : (struct point){-x, -y};
                found = true;
            }
        }
        double length = hypot(sum.x, sum.y);
        if (found) { /* the mean of the directions; between two plates there is none */
            *away = length > 1e-6 ? (struct point){sum.x / length, sum.y / length} : *away;
            return true;
        }
    }
    return false;
}
