/* Thin lossy layers on the staggered grid of E and H: in horizontal polarisation in two dimensions, and in three. What
 * the law of one line across them asks for is added to what averaging leaves without their loss (sheet_law.h), and the
 * edges that take the loss are marked: no wide difference crosses those (discretize/volume/sheet_edges.c).
 *
 * A sheet is upright, or flat as a band of the building. One along the grid takes the edges in the plane of nodes
 * nearest to it. One aslant takes a staircase of edges from node to node. A current that follows the staircase has a
 * longer way, so its edges conduct better by as much. */
#pragma once

#include "medium/mixture.h"
#include "medium/sheet/sheets.h"
#include "medium/volume/volume_layers.h"

struct sheet_building {
    const struct building *drawn; /* borrowed */
    struct sheet_list *lists;     /* (band_count), owned: the upright sheets of each band */
    bool *flat;                   /* (band_count, material_count), owned: materials that are a flat sheet in a band */
    uint8_t *apart;           /* (nz), owned: levels near a flat sheet, which need layers of their own; NULL: none */
    int count;                /* sheets of all bands */
    struct building lossless; /* the building without the loss of its sheets; `bands` is owned, the plans are not */
};

/* Without sheets `lossless` is the building itself. After a failure too, sheet_building_free. */
pw_status sheet_building_find(const struct building *building, const struct raster_volume *volume,
                              struct sheet_building *sheets, pw_error *error);
void sheet_building_free(struct sheet_building *sheets);

/* `index`, of layers one after the other, has the mixtures of sheets->lossless. Fills in medium->sheet_edges and
 * sheet_miss. */
pw_status sheets_volume_place(const struct raster_volume *volume, enum averaging averaging,
                              const struct sheet_building *sheets, const struct volume_layers *layers,
                              struct mixture_table *table, uint32_t *index, struct medium *medium, pw_error *error);
