/* See sheets.h. */
#include "medium/sheet/sheets.h"

#include "medium/sheet/sheet_ask.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sheets aslant meet rows at any place between nodes; so many places in a pitch are told apart. */
static const double PLACES = 16;
/* From 6 degrees on a sheet is met at every place between nodes within a wavelength. */
static const double COSINE_TURNED = 0.9945;

struct placing {
    struct sheet_ask ask;
    struct mixture_table *table;
    uint32_t *index;
};

/* ---- the list ---------------------------------------------------------------------------------------------------- */

/* The plan with the loss of its sheets taken away, in materials of their own. */
static pw_status lossless_create(const struct floorplan *plan, const bool *is_sheet, struct sheet_list *list,
                                 pw_error *error)
{
    struct floorplan *lossless = &list->lossless;
    const size_t materials = (size_t)plan->material_count, shapes = (size_t)plan->shape_count;
    lossless->materials = allocate(2 * materials, sizeof *lossless->materials, "thin layers", error);
    lossless->shape_material = allocate(shapes, sizeof *lossless->shape_material, "thin layers", error);
    TRY_MADE(lossless->materials != NULL && lossless->shape_material != NULL);
    memcpy(lossless->materials, plan->materials, materials * sizeof *plan->materials);
    memcpy(lossless->materials + materials, plan->materials, materials * sizeof *plan->materials);
    memcpy(lossless->shape_material, plan->shape_material, shapes * sizeof *plan->shape_material);
    for (size_t m = materials; m < 2 * materials; m++) {
        lossless->materials[m].conductivity = 0;
    }
    lossless->material_count = 2 * plan->material_count;
    for (int s = 0; s < plan->shape_count; s++) {
        if (is_sheet[s]) {
            lossless->shape_material[s] = (uint16_t)(plan->shape_material[s] + plan->material_count);
        }
    }
    return PW_OK;
}

pw_status sheets_find(const struct floorplan *plan, const struct raster_grid *grid, bool always,
                      struct sheet_list *list, pw_error *error)
{
    const size_t shapes = (size_t)plan->shape_count;
    *list = (struct sheet_list){.lossless = *plan};
    if ((shapes == 0 && !always) || grid->stencil == NULL || !(grid->wave_number > 0) ||
        plan->material_count > UINT16_MAX / 2) {
        return PW_OK;
    }
    struct sheet found;
    OWNED bool *is_sheet = allocate(shapes, sizeof *is_sheet, "thin layers", error);
    list->sheets = allocate(shapes, sizeof *list->sheets, "thin layers", error);
    TRY_MADE(is_sheet != NULL && list->sheets != NULL);
    for (int s = 0; s < plan->shape_count; s++) {
        is_sheet[s] = sheet_of_shape(plan, s, grid->wave_number, grid->cell, &found);
        if (is_sheet[s]) {
            list->sheets[list->count++] = found;
        }
    }
    if (list->count > 0 || always) {
        list->owned = true;
        list->lossless.materials = NULL;
        list->lossless.shape_material = NULL;
        TRY(lossless_create(plan, is_sheet, list, error));
    }
    return PW_OK;
}

void sheets_free(struct sheet_list *list)
{
    if (list->owned) {
        FREE_ALL(list->lossless.materials, list->lossless.shape_material);
    }
    free(list->sheets);
    *list = (struct sheet_list){0};
}

/* ---- at the nodes ------------------------------------------------------------------------------------------------ */

static pw_status node_change(const struct placing *placing, int i, int j, double permittivity, double loss,
                             pw_error *error)
{
    const struct raster_grid *grid = placing->ask.view.grid;
    if (i < 0 || i >= grid->nx || j < 0 || j >= grid->ny) {
        return PW_OK;
    }
    uint32_t *node = &placing->index[(size_t)j * (size_t)grid->nx + (size_t)i];
    return sheet_node_change(&placing->ask.view, placing->table, node, permittivity, loss, error);
}

/* The line of nodes number `line`, a row where the sheet lies across x. */
static pw_status line_place(struct placing *placing, bool across_x, int line, pw_error *error)
{
    const struct profile_view *view = &placing->ask.view;
    const struct raster_grid *grid = view->grid;
    const double at = (across_x ? grid->origin.y : grid->origin.x) + line * grid->cell;
    struct point place;
    int beyond = 0;
    if (!sheet_meets(view, across_x, at, &place, &beyond)) {
        return PW_OK;
    }
    const double cells = (across_x ? place.x - grid->origin.x : place.y - grid->origin.y) / grid->cell;
    const bool aslant = view->pitch < grid->cell * (1 - 1e-9);
    /* A sheet that keeps its place between nodes for many lines asks at each of them, as one along the nodes does. */
    const bool turned = aslant && view->pitch < grid->cell * COSINE_TURNED;
    double past = aslant ? rint(PLACES * cells) / PLACES : cells;
    int before = (int)floor(past + 1e-9);
    past = fmax(0, past - before);
    struct sheet_answer answer = {.miss.decibels = 0};
    if (turned) {
        double loss = 0;
        TRY(sheet_ask_turned(&placing->ask, place, &loss, error));
        for (int n = 0; n < LAW_NODES; n++) {
            answer.loss[n] = loss * sheet_spread(n - 1 - past);
        }
    } else {
        TRY(sheet_ask_line(&placing->ask, place, past, &before, &answer, error));
    }
    for (int n = 0; n < LAW_NODES; n++) {
        const int node = before - 1 + n;
        TRY(node_change(placing, across_x ? node : line, across_x ? line : node, answer.permittivity[n], answer.loss[n],
                        error));
    }
    return PW_OK;
}

static pw_status sheet_place(struct placing *placing, const struct sheet *sheet, pw_error *error)
{
    const struct raster_grid *grid = placing->ask.view.grid;
    bool across_x = false;
    TRY(sheet_ask_turn(&placing->ask, sheet, &across_x, error));
    for (int line = 0; line < (across_x ? grid->ny : grid->nx); line++) {
        TRY(line_place(placing, across_x, line, error));
    }
    return PW_OK;
}

pw_status sheets_weight(enum averaging averaging, struct averaging_weight *weight, pw_error *error)
{
    *weight = weight_box();
    return averaging == AVERAGING_MOMENT        ? weight_moment(weight, error)
           : averaging == AVERAGING_BANDLIMITED ? weight_sinc(weight, error)
                                                : PW_OK;
}

pw_status sheets_place(const struct floorplan *plan, const struct raster_grid *grid, enum averaging averaging,
                       /* NOLINTNEXTLINE(readability-non-const-parameter): it is written through `placing` */
                       const struct sheet_list *list, struct mixture_table *table, uint32_t *index,
                       struct sheet_miss *miss, pw_error *error)
{
    if (list->count == 0) {
        return PW_OK;
    }
    struct averaging_weight weight;
    TRY(sheets_weight(averaging, &weight, error));
    struct placing placing = {.ask.view = {.plan = plan, .grid = grid, .averaging = averaging, .weight = &weight},
                              .table = table,
                              .index = index};
    pw_status status = sheet_ask_create(&placing.ask, error);
    for (int s = 0; s < list->count && status == PW_OK; s++) {
        status = sheet_place(&placing, &list->sheets[s], error);
    }
    *miss = sheet_miss_mean(placing.ask.squares, placing.ask.places);
    sheet_ask_free(&placing.ask);
    weight_free(&weight);
    return status;
}
