/* Thin lossy layers of a plan: coatings, foils, films. What counts is that a conductor is thinner than a cell and
 * carries enough to matter. */
#pragma once

#include "plan/floorplan.h"

struct sheet {
    struct point from, to; /* m: ends of its centre line */
    double thickness;      /* m */
    uint16_t material;
};

/* The centre line of a rectangle in any direction, at least twice as long as thick; false: the outline is none. */
bool sheet_strip(const struct outline *outline, struct sheet *sheet);

/* Whether so much of a material [m] carries enough to be a sheet. */
bool sheet_material(const struct material *material, double wave_number, double thickness);

/* Whether shape `s` of the plan is such a layer at this frequency [rad/m in air] and cell [m]. */
bool sheet_of_shape(const struct floorplan *plan, int s, double wave_number, double cell, struct sheet *sheet);
