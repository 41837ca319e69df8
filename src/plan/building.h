/* A building: floor plans one over the other. Between two borders of height nothing changes along z, so that a building
 * is a list of bands with a floor plan each: storeys, slabs, sills and heads of windows, table tops. It answers what is
 * at (x, y, z), and leaves out how the bands are averaged over cells, which is the raster's work. */
#pragma once

#include "plan/floorplan.h"

struct building {
    int band_count;
    double *borders;         /* (band_count - 1), ascending, owned [m over the lowest floor]: between the bands */
    struct floorplan *bands; /* (band_count), owned, from below; the first and the last are the air outside */
    double low, high;        /* m: the lowest and the highest face of the building */
};

/* Every band of the scenario's plan. All bands have the materials of all of them, in the same order. A plan without
 * storeys is an error (PW_BAD_INPUT) that shows how to give one. */
pw_status building_create(const struct scenario *scenario, bool strict, pw_notes *warnings, struct building *building,
                          pw_error *error);
void building_free(struct building *building);

/* The band that holds height z [m]; a border belongs to the band over it. */
int building_band_at(const struct building *building, double z);

/* Index of the material at (x, y, z). */
uint16_t building_material_at(const struct building *building, double x, double y, double z);
