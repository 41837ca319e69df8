/* Clutter of a plan: the things that its `clutter` draws, as rectangles along x and y. They stand on free floor, inside
 * the building where it has an inside, and overlap neither walls nor each other; terminals are kept free. The same seed
 * draws the same things, whatever the grid and the dimensions. */
#pragma once

#include "plan/plan_parts.h"

/* A scenario with the things among its shapes; borrows all else. */
struct cluttered {
    struct scenario scenario;
    struct shape *shapes;  /* owned; NULL where the scenario has no clutter */
    struct point *corners; /* owned: of the things */
};

/* PW_BAD_INPUT: a density that the free floor does not take. */
pw_status cluttered_create(const struct plan_source *source, struct cluttered *with, pw_error *error);
void cluttered_free(struct cluttered *with);
