/* The media: the table of coefficients, and which node has which row of it. */
#include "problem/physics/physics.h"

#include <stdlib.h>
#include <string.h>

static const struct member NUMBER[] = {{0, sizeof(double)}, {0}};

static void visit(struct array_walk *walk)
{
    struct problem *problem = walk->problem;
    const int64_t columns = (int64_t)problem->axis[0].count * problem->axis[1].count;
    const size_t row = COEFFICIENT_WIDTH * sizeof(double);
    for (int c = 0; c < COEFFICIENT_WIDTH && problem->coefficients != NULL; c++) {
        walk_values(walk, problem->coefficients + c, problem->coefficient_count, row, NUMBER);
    }
    OWN(walk, problem->coefficients, (int64_t)problem->coefficient_count * COEFFICIENT_WIDTH, NULL);
    OWN(walk, problem->coefficient_index, columns * problem->layer_count, WHOLE);
}

/* The layers of the index that the part's levels use, numbered anew. */
static pw_status create_layers(const struct problem *whole, const struct part_box *box, struct problem *part,
                               int *layers, pw_error *error)
{
    const int levels = box->end[2] - box->first[2];
    OWNED int *number = allocate((size_t)whole->layer_count, sizeof *number, "a part of the grid", error);
    TRY_MADE(number);
    part->layer_count = 0;
    for (int c = 0; c < 3; c++) {
        TRY(part_room(&part->layer[c], levels, sizeof(int), error));
        for (int k = 0; k < levels; k++) {
            int layer = whole->layer[c][box->first[2] + k];
            if (number[layer] == 0) {
                layers[part->layer_count] = layer;
                number[layer] = ++part->layer_count;
            }
            part->layer[c][k] = number[layer] - 1;
        }
    }
    return PW_OK;
}

static pw_status copy_index(const struct problem *whole, const struct part_box *box, struct problem *part,
                            const int *layers, pw_error *error)
{
    const size_t nx = (size_t)part->axis[0].count, ny = (size_t)part->axis[1].count;
    const size_t whole_nx = (size_t)whole->axis[0].count, whole_ny = (size_t)whole->axis[1].count;
    TRY(part_room(&part->coefficient_index, (int64_t)part->layer_count * (int64_t)(nx * ny), sizeof(uint16_t), error));
#pragma omp parallel for schedule(static)
    for (size_t row = 0; row < (size_t)part->layer_count * ny; row++) {
        size_t from = ((size_t)layers[row / ny] * whole_ny + (size_t)box->first[1] + row % ny) * whole_nx;
        memcpy(part->coefficient_index + row * nx, whole->coefficient_index + from + (size_t)box->first[0],
               nx * sizeof(uint16_t));
    }
    return PW_OK;
}

static pw_status cut_media(const struct part_cut *cut, struct problem *part, pw_error *error)
{
    const struct problem *whole = cut->whole;
    part->coefficient_count = whole->coefficient_count;
    TRY(part_copy(&part->coefficients, whole->coefficients, whole->coefficient_count,
                  COEFFICIENT_WIDTH * sizeof(double), error));
    OWNED int *layers = allocate((size_t)whole->layer_count, sizeof *layers, "a part of the grid", error);
    TRY_MADE(layers);
    part->layer_count = whole->layer_count;
    if (whole->layer[0] != NULL) {
        TRY(create_layers(whole, cut->box, part, layers, error));
    }
    return copy_index(whole, cut->box, part, layers, error);
}

const struct physics physics_media = {.arrays = visit, .cut = cut_media};

/* ---- layers of levels -------------------------------------------------------------------------------------------- */

static void visit_layers(struct array_walk *walk)
{
    struct problem *problem = walk->problem;
    for (int c = 0; c < 3; c++) {
        OWN(walk, problem->layer[c], problem->axis[2].count, WHOLE);
    }
}

const struct physics physics_layers = {.arrays = visit_layers};
