/* The storeys of a plan: their heights, floors and ceilings, and the height at which a two-dimensional run cuts them.
 * Leaves out what is drawn in them (scenario_plan.c). */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "scenario/scenario_read.h"

enum { STOREY_LIMIT = 200 };

static const double USUAL_CUT = 1.2;                         /* m, under tops */
static const pw_range HEIGHTS = {0, 1e3, true, false};       /* m, of a storey */
static const pw_range THICKNESSES = {0, 1e2, false, false};  /* m, of a slab */
static const pw_range POSITIONS = {-1e6, 1e6, false, false}; /* m */
static const double TALLEST_BARE = 50, THICKEST_BARE = 2;    /* m: beyond, a unit was probably forgotten */
static const char WANTS_HEIGHT[] = "the room between floor and ceiling, as in 2.6 m";

/* ---- what follows from the storeys ------------------------------------------------------------------------------ */

double storey_floor(const struct plan_choice *plan, int storey)
{
    double floor = 0;
    for (int s = 1; s <= storey; s++) {
        floor += plan->storeys[s - 1].height + plan->storeys[s].floor.thickness;
    }
    return floor;
}

int storey_at(const struct plan_choice *plan, double z)
{
    int storey = 0;
    for (int s = 1; s < plan->storey_count; s++) {
        storey = z >= storey_floor(plan, s) - plan->storeys[s].floor.thickness ? s : storey;
    }
    return storey;
}

double plan_low(const struct plan_choice *plan)
{
    return plan->storey_count > 0 ? 0 - plan->storeys[0].floor.thickness : 0; /* without a slab not -0 */
}

/* The under side of the highest ceiling. */
static double plan_ceiling(const struct plan_choice *plan)
{
    int top = plan->storey_count - 1;
    return top >= 0 ? storey_floor(plan, top) + plan->storeys[top].height : 0;
}

double plan_high(const struct plan_choice *plan)
{
    return plan->storey_count > 0 ? plan_ceiling(plan) + plan->storeys[plan->storey_count - 1].ceiling.thickness : 0;
}

struct height_range shape_heights(const struct plan_choice *plan, const struct shape *shape)
{
    bool own = shape->storey != EVERY_STOREY && plan->storey_count > 0;
    double floor = own ? storey_floor(plan, shape->storey) : 0;
    if (shape->z.has_heights) {
        return (struct height_range){true, floor + shape->z.low, floor + shape->z.high, false};
    }
    return (struct height_range){false, floor, own ? floor + plan->storeys[shape->storey].height : plan_ceiling(plan),
                                 false};
}

struct height_range legend_heights(const struct plan_choice *plan, const struct legend_entry *entry)
{
    return entry->z.has_heights ? entry->z : (struct height_range){false, 0, plan_ceiling(plan), false};
}

/* ---- slabs ------------------------------------------------------------------------------------------------------ */

static pw_status slab_area_read(const struct node *map, struct slab_choice *slab, pw_error *error)
{
    struct point a, b;
    if (node_find(map, "from") == NULL && node_find(map, "to") == NULL) {
        return PW_OK;
    }
    TRY(read_point(map, "from", &a, error));
    TRY(read_point(map, "to", &b, error));
    NODE_FAIL_IF(a.x == b.x || a.y == b.y, map, error,
                 "has no area: 'from' and 'to' are opposite corners and must differ in x and in y");
    slab->has_area = true;
    slab->from = (struct point){fmin(a.x, b.x), fmin(a.y, b.y)};
    slab->to = (struct point){fmax(a.x, b.x), fmax(a.y, b.y)};
    return PW_OK;
}

/* A floor or ceiling, or `none`. */
static pw_status slab_read(const struct node *map, struct slab_choice *slab, pw_error *error)
{
    static const char *const KEYS[] = {"material", "thickness", "from", "to", NULL};
    const struct node *material, *thickness;
    if (node_is_word(map, "none")) {
        return PW_OK;
    }
    TRY(read_map(map, KEYS, error));
    TRY(read_required(map, "thickness", "a length, as in 20 cm", &thickness, error));
    TRY(node_quantity(thickness, PW_DIMENSION_LENGTH, THICKNESSES, &slab->thickness, error));
    NODE_FAIL_IF(node_is_bare(thickness) && slab->thickness > THICKEST_BARE, thickness, error,
                 "the unit is missing: without one this slab is %s m thick; write %s cm (or %s m, if it is)",
                 thickness->text, thickness->text, thickness->text);
    TRY(read_required(map, "material", "a name such as concrete, or {relative_permittivity, conductivity}", &material,
                      error));
    TRY(node_material(material, &slab->material, error));
    return slab_area_read(map, slab, error);
}

static bool slabs_equal(const struct slab_choice *a, const struct slab_choice *b)
{
    const struct material_choice *m = &a->material, *n = &b->material;
    if (a->thickness == 0 || b->thickness == 0) {
        return a->thickness == b->thickness;
    }
    return a->thickness == b->thickness && strcmp(m->name, n->name) == 0 && material_choices_equal(m, n) &&
           a->has_area == b->has_area && a->from.x == b->from.x && a->from.y == b->from.y && a->to.x == b->to.x &&
           a->to.y == b->to.y;
}

/* ---- storeys ---------------------------------------------------------------------------------------------------- */

const struct node *storey_node(const struct node *plan_map, int storey)
{
    const struct node *list = node_find(plan_map, "storeys");
    if (list == NULL) {
        return node_find(plan_map, "storey");
    }
    const struct node *item = list->first;
    for (int s = 0; s < storey && item != NULL; s++) {
        item = item->next;
    }
    return item;
}

static pw_status storey_read(const struct node *map, struct plan_choice *plan, pw_error *error)
{
    static const char *const KEYS[] = {"name",     "height",  "floor", "ceiling",  "drawing", "drawn", "rectangles",
                                       "polygons", "circles", "walls", "openings", "boxes",   NULL};
    struct storey_choice *storey = &plan->storeys[plan->storey_count];
    const struct node *height, *floor, *ceiling;
    TRY(read_map(map, KEYS, error));
    storey->line = map->line;
    snprintf(storey->name, sizeof storey->name, "storey%d", plan->storey_count + 1);
    TRY(read_name(map, "name", storey->name, error));
    for (int s = 0; s < plan->storey_count; s++) {
        NODE_FAIL_IF(strcasecmp(plan->storeys[s].name, storey->name) == 0, map, error,
                     "a second storey of the name '%s'; names must differ", storey->name);
    }
    TRY(read_required(map, "height", WANTS_HEIGHT, &height, error));
    TRY(node_quantity(height, PW_DIMENSION_LENGTH, HEIGHTS, &storey->height, error));
    NODE_FAIL_IF(node_is_bare(height) && storey->height > TALLEST_BARE, height, error,
                 "the unit is missing: without one this storey is %s m high; write %s cm (or %s m, if it is)",
                 height->text, height->text, height->text);
    floor = node_find(map, "floor");
    ceiling = node_find(map, "ceiling");
    TRY(floor != NULL ? slab_read(floor, &storey->floor, error) : PW_OK);
    TRY(ceiling != NULL ? slab_read(ceiling, &storey->ceiling, error) : PW_OK);
    plan->storey_count++;
    return PW_OK;
}

/* The ceiling of a storey is the floor of the one over it: whichever of the two is given, and not two different ones.
 */
static pw_status slabs_join(const struct node *plan_map, struct plan_choice *plan, pw_error *error)
{
    for (int s = 1; s < plan->storey_count; s++) {
        const struct node *ceiling = node_find(storey_node(plan_map, s - 1), "ceiling"),
                          *floor = node_find(storey_node(plan_map, s), "floor");
        struct slab_choice *under = &plan->storeys[s - 1].ceiling, *over = &plan->storeys[s].floor;
        NODE_FAIL_IF(ceiling != NULL && floor != NULL && !slabs_equal(under, over), ceiling, error,
                     "differs from the floor of the storey '%s' over it: give one of the two", plan->storeys[s].name);
        *over = floor != NULL ? *over : *under;
        *under = *over;
    }
    return PW_OK;
}

pw_status storeys_read(const struct node *plan_map, struct plan_choice *plan, pw_error *error)
{
    const struct node *single = node_find(plan_map, "storey"), *list = node_find(plan_map, "storeys");
    NODE_FAIL_IF(single != NULL && list != NULL, single, error, "'storeys' is given too; give one of the two");
    TRY(read_list(plan_map, "storeys", STOREY_LIMIT, &list, error));
    int count = single != NULL ? 1 : list != NULL ? list->count : 0;
    TRY_MADE(plan->storeys = allocate((size_t)count, sizeof *plan->storeys, "the storeys of the plan", error));
    if (single != NULL) {
        return storey_read(single, plan, error);
    }
    for (const struct node *item = list != NULL ? list->first : NULL; item != NULL; item = item->next) {
        TRY(storey_read(item, plan, error));
    }
    return slabs_join(plan_map, plan, error);
}

pw_status read_storey(const struct node *map, const struct plan_choice *plan, int *storey, pw_error *error)
{
    const char *names[STOREY_LIMIT + 1] = {NULL};
    *storey = EVERY_STOREY;
    const struct node *node = node_find(map, "storey");
    if (node == NULL) {
        return PW_OK;
    }
    for (int s = 0; s < plan->storey_count; s++) {
        names[s] = plan->storeys[s].name;
    }
    return plan->storey_count > 0 ? read_choice(map, "storey", names, storey, error)
                                  : node_fail(node, error, "the plan has no storeys; give plan.storeys, with names");
}

/* ---- the cut of a two-dimensional run --------------------------------------------------------------------------- */

pw_status cut_read(const struct node *plan_map, struct plan_choice *plan, pw_error *error)
{
    const struct node *node = node_find(plan_map, "cut");
    plan->cut = NAN;
    if (node == NULL || node_is_word(node, "auto")) {
        return PW_OK;
    }
    NODE_FAIL_IF(plan->storey_count == 0, node, error, "has a meaning only together with 'storey' or 'storeys'");
    TRY(node_quantity(node, PW_DIMENSION_LENGTH, POSITIONS, &plan->cut, error));
    for (int s = 0; s < plan->storey_count; s++) {
        double floor = storey_floor(plan, s);
        if (plan->cut >= floor && plan->cut < floor + plan->storeys[s].height) {
            return PW_OK;
        }
    }
    return node_fail(node, error,
                     "lies in no storey, but in a slab or outside; the lowest storey reaches from 0 m to %g m, and the "
                     "highest ceiling lies at %g m",
                     plan->storeys[0].height, plan_ceiling(plan));
}

/* The highest top of what is drawn, m over the floor of the only storey; 0: none. */
static double highest_top(const struct plan_choice *plan)
{
    double top = 0;
    for (int s = 0; s < plan->shape_count; s++) {
        top = plan->shapes[s].z.top ? fmax(top, plan->shapes[s].z.high) : top;
    }
    for (int e = 0; e < plan->legend_count; e++) {
        top = plan->legend[e].z.top ? fmax(top, plan->legend[e].z.high) : top;
    }
    return top;
}

pw_status over_read(const struct node *plan_map, struct plan_choice *plan, pw_error *error)
{
    const struct node *node = node_find(plan_map, "over");
    const double top = highest_top(plan);
    plan->over = NAN;
    if (top > 0 && plan->storey_count == 1 && isnan(plan->cut)) { /* a transmitter may hang over all tops */
        plan->cut = fmin(USUAL_CUT, 0.5 * top);
    }
    if (node != NULL && node_is_word(node, "none")) {
        return PW_OK;
    }
    if (node == NULL || node_is_word(node, "auto")) {
        NODE_FAIL_IF(top > 0 && plan->storey_count > 1, plan_map, error,
                     "something has a 'top', and there are several storeys: give 'over', the height at which "
                     "the plan is cut over it, or over: none");
        const double ceiling = top > 0 ? plan->storeys[0].height : 0;
        plan->over = top > 0 && top < ceiling ? 0.5 * (top + ceiling) : (double)NAN;
        return PW_OK;
    }
    NODE_FAIL_IF(plan->storey_count == 0, node, error, "has a meaning only together with 'storey' or 'storeys'");
    TRY(node_quantity(node, PW_DIMENSION_LENGTH, POSITIONS, &plan->over, error));
    const int storey = storey_at(plan, plan->over);
    const double floor = storey_floor(plan, storey), ceiling = floor + plan->storeys[storey].height;
    return plan->over > floor && plan->over < ceiling
               ? PW_OK
               : node_fail(node, error, "is %g m; allowed: between a floor and its ceiling, such as %g m and %g m",
                           plan->over, floor, ceiling);
}

bool scenario_has_over(const struct scenario *scenario)
{
    return scenario->dimensions != 3 && !isnan(scenario->plan.over);
}
