/* What pictures of plans have in common: colours of materials, areas and volumes, the report, swatches of the key. */
#pragma once

#include <stdio.h>

#include "api/plan/plan.h"
#include "base/picture/plot.h"
#include "discretize/setup.h"

enum {
    NAMES_LIMIT = 40, /* receivers; beyond that their names would hide the plan */
    KEY_WIDTH = PW_FLOORPLAN_KEY_WIDTH,
};

/* Points that cannot be seen carry the entries of a key. */
#define SWATCH PW_FLOORPLAN_SWATCH

/* 0xrrggbb. */
uint32_t material_colour(const struct floorplan *plan, int m);
/* Of all of them, (material_count). */
void material_colours(const struct floorplan *plan, uint32_t *colours);

/* Adds the area of every material inside the plan [m^2], areas (material_count), looked at in steps of a cell. */
pw_status plan_areas(const struct floorplan *plan, double cell, double *areas, pw_error *error);

/* The same of a building [m^3], its slabs included. */
pw_status building_volumes(const struct building *building, double cell, double *volumes, pw_error *error);

/* Prints size, grid, medium and the amount of every material. */
pw_status report_write(const struct setup *setup, const double *amounts, FILE *report, pw_error *error);

/* A length of 1, 2 or 5 times a power of ten near `wanted` [m]. */
double round_length(double wanted);

/* Entries of the key, behind a plot command, for the materials of which there is something. */
void draw_swatches(struct plot *plot, const struct floorplan *plan, const double *amounts);
