/* The absorber kind mur (mur.h): Mur's one-way wave equation at the outermost nodes. It has cells, so that the edge
 * stands off the plan, but no filter. */
#include "problem/absorber.h"

const struct absorber_model absorber_mur = {
    .name = "mur",
    .description =
        "Mur's one-way wave equation at the edge, first or second order, 20 cells off the plan unless given; two "
        "dimensions",
    .layered = true,
    .planar = true,
    .one_way = true,
    .usual = {.kind = ABSORBER_MUR, .cells = 20, .order = 2}};
