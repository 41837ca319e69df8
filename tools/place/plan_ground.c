/* The plan under candidates and places (siting.h): its walls, as a set-up has them, and the inside of the building. */
#include "place/siting.h"

#include <math.h>

pw_status ground_create(const pw_setup *setup, double height, struct ground *ground, pw_error *error)
{
    const pw_facts facts = pw_setup_facts(setup);
    *ground = (struct ground){.width = facts.plan_width, .height = facts.plan_height};
    TRY(pw_setup_floor(setup, height, &ground->shape, NULL, NULL, NULL, error));
    const size_t nodes = (size_t)ground->shape.rows * (size_t)ground->shape.columns;
    ground->walls = allocate(nodes, 1, "the walls of a plan", error);
    ground->inside = allocate(nodes, 1, "the inside of a plan", error);
    pw_status status =
        ground->walls == NULL || ground->inside == NULL
            ? PW_NO_RESOURCE
            : pw_setup_floor(setup, height, &ground->shape, ground->walls, ground->inside, &ground->kind, error);
    if (status != PW_OK) {
        ground_free(ground);
    }
    return status;
}

void ground_free(struct ground *ground)
{
    PW_FREE_ALL(ground->walls, ground->inside);
    ground->walls = ground->inside = NULL;
}

bool ground_in_plan(const struct ground *ground, double x, double y)
{
    return x >= 0.0 && x <= ground->width && y >= 0.0 && y <= ground->height;
}

/* The node nearest to a point of the plan. */
static size_t node_at(const struct ground *ground, double x, double y)
{
    const pw_map_shape *shape = &ground->shape;
    double column = fmin(fmax(round((x - shape->x0) / shape->pitch_x), 0.0), shape->columns - 1.0);
    double row = fmin(fmax(round((y - shape->y0) / shape->pitch_y), 0.0), shape->rows - 1.0);
    return (size_t)row * (size_t)shape->columns + (size_t)column;
}

bool ground_in_wall(const struct ground *ground, double x, double y)
{
    return ground->walls[node_at(ground, x, y)] != 0;
}

bool ground_inside(const struct ground *ground, double x, double y)
{
    return ground->inside[node_at(ground, x, y)] != 0;
}
