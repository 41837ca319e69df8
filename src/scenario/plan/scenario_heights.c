/* Heights of what is drawn and of transmitters and receivers, and the directions of their polarisation. The storeys
 * that they count from are in scenario_storeys.c. */
#include <math.h>
#include <string.h>

#include "scenario/scenario_read.h"

static const pw_range ANY_HEIGHT = {-1e6, 1e6, false, false};      /* m */
static const pw_range ANY_COMPONENT = {-1e12, 1e12, false, false}; /* of a direction */

/* ---- heights of shapes ------------------------------------------------------------------------------------------ */

pw_status heights_need_storeys(const struct node *map, const struct plan_choice *plan, pw_error *error)
{
    static const char *const HEIGHTS[] = {"z", "sill", "head", "top"};
    for (int k = 0; k < 4 && plan->storey_count == 0 && map->kind == PW_NODE_MAP; k++) {
        const struct node *node = node_find(map, HEIGHTS[k]);
        NODE_FAIL_IF(node != NULL, node, error,
                     "is a height, and the plan has none: give plan.storey, as in storey: {height: 2.6 m}");
    }
    return PW_OK;
}

/* m: heights that differ by less are the same, so that 3 m of 2.6 m + 40 cm lies within. */
static const double SAME_HEIGHT = 1e-9;

pw_status height_check(const struct node *node, const struct plan_choice *plan, int storey, double height,
                       pw_error *error)
{
    bool own = storey != EVERY_STOREY;
    const struct storey_choice *of = own ? &plan->storeys[storey] : NULL;
    double low = own ? -of->floor.thickness : plan_low(plan),
           high = own ? of->height + of->ceiling.thickness : plan_high(plan);
    if (height >= low - SAME_HEIGHT && height <= high + SAME_HEIGHT) {
        return PW_OK;
    }
    char from[QUANTITY_SIZE], to[QUANTITY_SIZE];
    quantity_format(low, PW_DIMENSION_LENGTH, from);
    quantity_format(high, PW_DIMENSION_LENGTH, to);
    return own ? node_fail(node, error,
                           "the height %g m lies outside the storey '%s'; allowed, over its floor: %s to %s", height,
                           of->name, from, to)
               : node_fail(node, error,
                           "the height %g m lies outside the plan's storeys; allowed, over the lowest floor: %s to %s",
                           height, from, to);
}

static pw_status height_read(const struct node *node, const struct plan_choice *plan, int storey, double *height,
                             pw_error *error)
{
    TRY(node_quantity(node, PW_DIMENSION_LENGTH, ANY_HEIGHT, height, error));
    return height_check(node, plan, storey, *height, error);
}

/* From the floor to a top, over which waves pass. */
static pw_status top_read(const struct node *top, const struct plan_choice *plan, int storey,
                          struct height_range *range, pw_error *error)
{
    NODE_FAIL_IF(range->has_heights, top, error, "'z', 'sill' or 'head' is given too; give 'top' or those");
    *range = (struct height_range){.has_heights = true, .top = true};
    TRY(height_read(top, plan, storey, &range->high, error));
    return range->high > 0 ? PW_OK : node_fail(top, error, "is %g m; allowed: above 0 m", range->high);
}

/* Only one of the two needs to be given; a plan of several storeys cannot say which ceiling is meant. */
static pw_status sill_and_head_read(const struct node *map, const struct plan_choice *plan, int storey,
                                    struct height_range *range, pw_error *error)
{
    const struct node *sill = node_find(map, "sill"), *head = node_find(map, "head");
    if (sill == NULL && head == NULL) {
        return PW_OK;
    }
    int ceiling = storey != EVERY_STOREY ? storey : 0;
    NODE_FAIL_IF(head == NULL && storey == EVERY_STOREY && plan->storey_count > 1, sill, error,
                 "needs a 'head' too: the plan has several storeys");
    *range = (struct height_range){true, 0, plan->storeys[ceiling].height, false};
    TRY(sill != NULL ? height_read(sill, plan, storey, &range->low, error) : PW_OK);
    TRY(head != NULL ? height_read(head, plan, storey, &range->high, error) : PW_OK);
    NODE_FAIL_IF(!(range->low < range->high), sill != NULL ? sill : head, error,
                 "the sill, at %g m, must lie under the head, at %g m", range->low, range->high);
    return PW_OK;
}

pw_status heights_read(const struct node *map, const struct plan_choice *plan, int storey, struct height_range *range,
                       pw_error *error)
{
    const struct node *z = node_find(map, "z"), *top = node_find(map, "top");
    TRY(heights_need_storeys(map, plan, error));
    TRY(sill_and_head_read(map, plan, storey, range, error));
    if (z == NULL) {
        return top != NULL ? top_read(top, plan, storey, range, error) : PW_OK;
    }
    NODE_FAIL_IF(top != NULL, top, error, "'z' is given too; give one of the two");
    NODE_FAIL_IF(range->has_heights, z, error, "'sill' or 'head' is given too; give z: [from, to] or those");
    NODE_FAIL_IF(z->kind != PW_NODE_LIST || z->count != 2, z, error,
                 "must be two heights [from, to], as in [0 m, 75 cm]");
    range->has_heights = true;
    TRY(height_read(z->first, plan, storey, &range->low, error));
    TRY(height_read(z->last, plan, storey, &range->high, error));
    return range->low < range->high
               ? PW_OK
               : node_fail(z, error, "must be [from, to] with 'from' under 'to'; it is [%g m, %g m]", range->low,
                           range->high);
}

/* ---- heights of terminals --------------------------------------------------------------------------------------- */

/* The value of `height`, unless z of the place is to hold: of the two, one that comes from --set wins. */
static pw_status height_key_read(const struct node *map, const struct node *place, double *height, double *to_height,
                                 pw_error *error)
{
    const struct node *node = node_find(map, "height");
    bool has_z = !isnan(*height) || !isnan(*to_height);
    if (node == NULL || (has_z && place->line == 0 && node->line > 0)) {
        return PW_OK;
    }
    NODE_FAIL_IF(has_z && node->line > 0, node, error, "the place has a z too; give one of the two");
    TRY(node_quantity(node, PW_DIMENSION_LENGTH, ANY_HEIGHT, height, error));
    *to_height = *height;
    return PW_OK;
}

/* Where the terminal stands, for messages. */
static const struct node *place_of(const struct node *map)
{
    static const char *const KEYS[] = {"at", "grid", "from", "file"};
    for (int k = 0; k < 4; k++) {
        if (node_find(map, KEYS[k]) != NULL) {
            return node_find(map, KEYS[k]);
        }
    }
    return map;
}

/* The two heights of a terminal must both lie in its storey, or in the plan, and then count from the lowest floor. */
static pw_status heights_place(const struct node *node, const struct plan_choice *plan, int storey, double *height[2],
                               pw_error *error)
{
    for (int n = 0; n < 2; n++) {
        if (!isnan(*height[n]) && plan->storey_count > 0) {
            TRY(height_check(node, plan, storey, *height[n], error));
        }
        *height[n] += storey != EVERY_STOREY ? storey_floor(plan, storey) : 0;
    }
    return PW_OK;
}

pw_status terminal_height_read(const struct node *map, const struct plan_choice *plan, double *height,
                               double *to_height, pw_error *error)
{
    int storey;
    const struct node *place = place_of(map);
    TRY(read_storey(map, plan, &storey, error));
    TRY(height_key_read(map, place, height, to_height, error));
    NODE_FAIL_IF(isnan(*height) != isnan(*to_height), map, error,
                 "one end has a z and the other has none; give both, or height: Z");
    if (isnan(*height) && storey != EVERY_STOREY) {
        *height = *to_height = fmin(TERMINAL_HEIGHT, 0.5 * plan->storeys[storey].height);
    }
    const struct node *named = node_find(map, "height");
    double *heights[] = {height, to_height};
    return heights_place(named != NULL ? named : place, plan, storey, heights, error);
}

/* ---- directions ------------------------------------------------------------------------------------------------- */

static pw_status direction_read(const struct node *node, struct direction *direction, pw_error *error)
{
    double part[3] = {0};
    for (const struct node *item = node->first; item != NULL; item = item->next) {
        TRY(node_quantity(item, PW_DIMENSION_NUMBER, ANY_COMPONENT, &part[item->index], error));
    }
    double largest = fmax(fmax(fabs(part[0]), fabs(part[1])), fabs(part[2]));
    NODE_FAIL_IF(!(largest > 0), node, error, "a direction must not be [0, 0, 0]");
    if (largest < 1e-3) { /* so that the squares of tiny numbers keep their digits */
        for (int c = 0; c < 3; c++) {
            part[c] /= largest;
        }
    }
    double length = hypot(hypot(part[0], part[1]), part[2]);
    if (fabs(length - 1) > 1e-12) { /* one that is of unit length keeps its digits, so that it reads back */
        for (int c = 0; c < 3; c++) {
            part[c] /= length;
        }
    }
    *direction = (struct direction){part[0], part[1], part[2]};
    return PW_OK;
}

/* Of the words that stand for a direction: vertical, or a loop; x; y. */
static const struct direction WORDS[] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};

/* In the plane: a word, or two numbers. */
static pw_status horizontal_read(const struct node *map, const struct node *node, struct direction *direction,
                                 pw_error *error)
{
    static const char *const NAMES[] = {"loop", "x", "y", NULL};
    int word = 0;
    if (node->kind == PW_NODE_LIST && node->count == 2) {
        return direction_read(node, direction, error);
    }
    NODE_FAIL_IF(node->kind != PW_NODE_SCALAR || node_is_word(node, "vertical"), node, error,
                 "with polarisation: horizontal the field lies in the plan: allowed are x, y, a direction of two "
                 "numbers, as in [1, 1], or loop, which sends and takes in alike all around");
    TRY(read_choice(map, "polarisation", NAMES, &word, error));
    *direction = WORDS[word];
    return PW_OK;
}

pw_status polarisation_read(const struct node *map, const struct scenario *scenario, struct direction *direction,
                            pw_error *error)
{
    static const char *const NAMES[] = {"vertical", "x", "y", NULL};
    const struct node *node = node_find(map, "polarisation");
    *direction = WORDS[0];
    if (node == NULL) {
        return PW_OK;
    }
    if (scenario->horizontal) {
        return horizontal_read(map, node, direction, error);
    }
    if (node->kind == PW_NODE_LIST && node->count == 3) {
        TRY(direction_read(node, direction, error));
    } else if (node->kind == PW_NODE_SCALAR) {
        int word = 0;
        TRY(read_choice(map, "polarisation", NAMES, &word, error));
        *direction = WORDS[word];
    } else {
        return node_fail(node, error, "must be vertical, x, y, or a direction of three numbers, as in [1, 0, 1]");
    }
    NODE_FAIL_IF(scenario->dimensions == 2 && (direction->x != 0 || direction->y != 0), node, error,
                 "a field in two dimensions is vertical and has no other component; set vertical, or give "
                 "dimensions: 3, or polarisation: horizontal for the whole scenario");
    return PW_OK;
}
