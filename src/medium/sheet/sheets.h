/* Thin lossy layers at the nodes of the vertical polarisation in two dimensions: what the law of one line across them
 * asks for is added to what averaging leaves without their loss (sheet_law.h). */
#pragma once

#include "medium/averaging_weight.h"
#include "medium/mixture.h"
#include "medium/raster.h"
#include "medium/sheet/sheet_find.h"

struct sheet_list {
    struct sheet *sheets; /* (count), owned */
    int count;
    struct floorplan lossless; /* the plan without the loss of its sheets */
    bool owned;                /* its materials and shape_material, by the list */
};

/* Without sheets `lossless` is the plan itself; `always`: with its materials twice, as that of a plan with sheets. */
pw_status sheets_find(const struct floorplan *plan, const struct raster_grid *grid, bool always,
                      struct sheet_list *list, pw_error *error);
void sheets_free(struct sheet_list *list);

/* The weight of permittivity. */
pw_status sheets_weight(enum averaging averaging, struct averaging_weight *weight, pw_error *error);

/* `index` has the mixtures of list->lossless. *miss: as in struct medium. */
pw_status sheets_place(const struct floorplan *plan, const struct raster_grid *grid, enum averaging averaging,
                       const struct sheet_list *list, struct mixture_table *table, uint32_t *index,
                       struct sheet_miss *miss, pw_error *error);
