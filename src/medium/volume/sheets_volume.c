/* See sheets_volume.h. */
#include "medium/volume/sheets_volume.h"

#include "base/constants.h"
#include "medium/sheet/sheet_ask.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Levels to either side of that nearest to a flat sheet whose nodes the law may change. */
enum { FLAT_REACH = 2 };

/* In the absorber and this many cells before it wide differences step over one row, so that a wave 35 dB down comes
 * around what goes on there as a strong sheet: one whose conductance is this many times that of free space. Three rows
 * are too wide to step over; they let nothing through. */
static const double UNCUT = 1.5, STRONG = 20;

/* Sheets aslant take a little too much otherwise: measured at 3 to 45 degrees, 5 and 50 ohm (validation/sheets.md). */
static const double TURNED_LESS = 0.96;

struct volume_placing {
    struct sheet_ask ask;
    const struct volume_layers *layers;
    const struct raster_volume *volume;
    struct mixture_table *table;
    uint32_t *index;
    struct medium *medium;
    int band;
};

/* ---- the building ------------------------------------------------------------------------------------------------ */

/* The band has the shape too. */
static bool has_shape(const struct building *building, int b, const struct outline *outline, uint16_t material)
{
    bool has = false;
    for (int s = 0; s < building->bands[b].shape_count && !has; s++) {
        has = building->bands[b].shape_material[s] == material &&
              outlines_equal(&building->bands[b].outlines[s], outline);
    }
    return has;
}

/* A conducting shape that is thinner than a cell from below to above, and carries enough, as upright ones
 * (sheet_find.h). */
static bool is_flat(const struct building *building, int b, int s, const struct raster_grid *grid)
{
    const struct floorplan *plan = &building->bands[b];
    const uint16_t material = plan->shape_material[s];
    struct sheet upright;
    if (b == 0 || b == building->band_count - 1 ||
        !sheet_material(&plan->materials[material], grid->wave_number,
                        building->borders[b] - building->borders[b - 1]) ||
        sheet_of_shape(plan, s, grid->wave_number, grid->cell, &upright)) {
        return false;
    }
    int low = b, high = b;
    while (low > 1 && has_shape(building, low - 1, &plan->outlines[s], material)) {
        low--;
    }
    while (high < building->band_count - 2 && has_shape(building, high + 1, &plan->outlines[s], material)) {
        high++;
    }
    return building->borders[high] - building->borders[low - 1] < grid->cell;
}

/* Where along z a flat sheet of band b lies, in cells from node 0. */
static double flat_level(const struct building *building, const struct raster_volume *volume, int b)
{
    return 0.5 * (raster_border_at(building, volume, b) + raster_border_at(building, volume, b + 1));
}

static pw_status flat_find(const struct building *building, const struct raster_volume *volume,
                           struct sheet_building *sheets, pw_error *error)
{
    const size_t materials = (size_t)building->bands[0].material_count;
    sheets->flat = allocate((size_t)building->band_count * materials, sizeof *sheets->flat, "thin layers", error);
    sheets->apart = allocate((size_t)volume->nz, 1, "thin layers", error);
    TRY_MADE(sheets->flat != NULL && sheets->apart != NULL);
    for (int b = 0; b < building->band_count; b++) {
        bool any = false;
        for (int s = 0; s < building->bands[b].shape_count; s++) {
            const bool flat = is_flat(building, b, s, &volume->plane);
            sheets->flat[(size_t)b * materials + building->bands[b].shape_material[s]] |= flat;
            sheets->count += flat;
            any = any || flat;
        }
        const int level = any ? (int)floor(flat_level(building, volume, b) + 0.5) : 0;
        for (int k = level - FLAT_REACH < 0 ? 0 : level - FLAT_REACH; any && k <= level + FLAT_REACH && k < volume->nz;
             k++) {
            sheets->apart[k] = 1;
        }
    }
    return PW_OK;
}

/* The loss of the band's flat sheets is taken from its plan without that of the upright ones. */
static void flat_take(const struct building *building, int b, struct sheet_building *sheets)
{
    const struct floorplan *plan = &building->bands[b];
    for (int s = 0; s < plan->shape_count; s++) {
        if (sheets->flat[(size_t)b * (size_t)plan->material_count + plan->shape_material[s]]) {
            sheets->lists[b].lossless.shape_material[s] = (uint16_t)(plan->shape_material[s] + plan->material_count);
        }
    }
}

pw_status sheet_building_find(const struct building *building, const struct raster_volume *volume,
                              struct sheet_building *sheets, pw_error *error)
{
    const size_t bands = (size_t)building->band_count;
    const struct raster_grid *grid = &volume->plane;
    *sheets = (struct sheet_building){.drawn = building, .lossless = *building};
    if (grid->stencil == NULL) {
        return PW_OK;
    }
    sheets->lists = allocate(bands, sizeof *sheets->lists, "thin layers", error);
    TRY_MADE(sheets->lists);
    for (int b = 0; b < building->band_count; b++) {
        TRY(sheets_find(&building->bands[b], grid, false, &sheets->lists[b], error));
        sheets->count += sheets->lists[b].count;
    }
    TRY(building->band_count > 1 ? flat_find(building, volume, sheets, error) : PW_OK);
    if (sheets->count == 0) {
        return PW_OK;
    }
    sheets->lossless.bands = allocate(bands, sizeof *sheets->lossless.bands, "thin layers", error);
    TRY_MADE(sheets->lossless.bands);
    for (int b = 0; b < building->band_count; b++) {
        sheets_free(&sheets->lists[b]);
        TRY(sheets_find(&building->bands[b], grid, true, &sheets->lists[b], error));
        if (sheets->flat != NULL) {
            flat_take(building, b, sheets);
        }
        sheets->lossless.bands[b] = sheets->lists[b].lossless;
    }
    return PW_OK;
}

void sheet_building_free(struct sheet_building *sheets)
{
    const struct building *building = sheets->drawn;
    for (int b = 0; b < building->band_count && sheets->lists != NULL; b++) {
        sheets_free(&sheets->lists[b]);
    }
    if (sheets->lossless.bands != building->bands) {
        free(sheets->lossless.bands);
    }
    free(sheets->flat);
    free(sheets->apart);
    free(sheets->lists);
    *sheets = (struct sheet_building){0};
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

/* In every layer of component c that sees the band, by its part. */
static pw_status node_change(struct volume_placing *placing, int c, int i, int j, double permittivity, double loss,
                             pw_error *error)
{
    const struct raster_grid *grid = placing->ask.view.grid;
    const struct volume_layers *layers = placing->layers;
    if (i < 0 || i >= grid->nx || j < 0 || j >= grid->ny || (permittivity == 0 && loss == 0)) {
        return PW_OK;
    }
    for (int l = 0; l < layers->count; l++) {
        const struct volume_layer *layer = &layers->list[l];
        const double part = layer->component == c ? layer->box[placing->band] : 0;
        if (part > 0) {
            uint32_t *node = &placing->index[((size_t)l * (size_t)grid->ny + (size_t)j) * (size_t)grid->nx + (size_t)i];
            placing->table->values[*node].nodes -= layer->levels;
            TRY(sheet_node_change(&placing->ask.view, placing->table, node, part * permittivity, part * loss, error));
            placing->table->values[*node].nodes += layer->levels;
        }
    }
    return PW_OK;
}

/* Of component c, differenced across the sheet along axis a. */
static void edge_mark(const struct volume_placing *placing, int c, int a, int i, int j)
{
    const struct raster_grid *grid = placing->ask.view.grid;
    const struct volume_layers *layers = placing->layers;
    for (int k = 0; k < placing->volume->nz && i >= 0 && i < grid->nx && j >= 0 && j < grid->ny; k++) {
        if (layers->list[layers->layer[c][k]].box[placing->band] > 0) {
            placing->medium->sheet_edges[((size_t)k * (size_t)grid->ny + (size_t)j) * (size_t)grid->nx + (size_t)i] |=
                medium_sheet_edge(c, a);
        }
    }
}

/* ---- along the grid ---------------------------------------------------------------------------------------------- */

/* The line of places number `line` across a sheet that lies across axis a, of the component along the sheet or of the
 * other two. */
static pw_status line_place(struct volume_placing *placing, int a, int line, bool along, pw_error *error)
{
    const struct profile_view *view = &placing->ask.view;
    const struct raster_grid *grid = view->grid;
    const double at = (a == 0 ? grid->origin.y : grid->origin.x) + (line + (along ? 0.5 : 0)) * grid->cell;
    struct point place;
    int beyond = 0;
    if (!sheet_meets(view, a == 0, at, &place, &beyond)) {
        return PW_OK;
    }
    const double cells = (a == 0 ? place.x - grid->origin.x : place.y - grid->origin.y) / grid->cell;
    int nearest = (int)floor(cells + 0.5 + 1e-9);
    const int c = along ? 1 - a : 2;
    struct sheet_answer answer;
    TRY(sheet_ask_line(&placing->ask, place, cells - nearest, &nearest, &answer, error));
    const double extent = a == 0 ? view->plan->height : view->plan->width;
    const bool strong = answer.loss[1] * grid->wave_number * grid->cell > STRONG;
    if (strong && grid->stencil->reach > 1 && (at < UNCUT * grid->cell || at > extent - UNCUT * grid->cell)) {
        answer.loss[0] = answer.loss[2] = answer.loss[1];
    }
    for (int n = 0; n < LAW_STAGGERED && (along || view->fields == SHEET_SPACE); n++) {
        const int node = nearest - 1 + n;
        TRY(node_change(placing, c, a == 0 ? node : line, a == 0 ? line : node, answer.permittivity[n], answer.loss[n],
                        error));
    }
    if (along || view->fields == SHEET_SPACE) {
        edge_mark(placing, c, a, a == 0 ? nearest : line, a == 0 ? line : nearest);
    }
    for (int n = 0; n < LAW_BETWEEN && !along; n++) {
        const int node = nearest - 1 + n;
        TRY(node_change(placing, a, a == 0 ? node : line, a == 0 ? line : node, answer.normal[n], 0, error));
    }
    return PW_OK;
}

static pw_status straight_place(struct volume_placing *placing, int a, pw_error *error)
{
    const struct raster_grid *grid = placing->ask.view.grid;
    for (int line = 0; line < (a == 0 ? grid->ny : grid->nx); line++) {
        TRY(line_place(placing, a, line, true, error));
        TRY(line_place(placing, a, line, false, error));
    }
    return PW_OK;
}

/* ---- aslant ------------------------------------------------------------------------------------------------------ */

enum { NOT_THERE = INT_MIN };

/* The node across axis a that is nearest to the sheet at a place `at` cells along it: the first or the last one where
 * the sheet has left the plan on that side. *inside: it is in the plan. */
static int staircase_at(const struct volume_placing *placing, int a, double at, struct point *place, bool *inside)
{
    const struct raster_grid *grid = placing->ask.view.grid;
    int beyond = 0;
    *inside = sheet_meets(&placing->ask.view, a == 0, (a == 0 ? grid->origin.y : grid->origin.x) + at * grid->cell,
                          place, &beyond);
    if (!*inside) {
        return beyond == 0 ? NOT_THERE : beyond < 0 ? 0 : (a == 0 ? grid->nx : grid->ny) - 1;
    }
    const double cells = (a == 0 ? place->x - grid->origin.x : place->y - grid->origin.y) / grid->cell;
    return (int)floor(cells + 0.5 + 1e-9);
}

/* An edge of component c at place `across` of axis a and `line` of the other takes the loss, `longer` times it where
 * the way is by a staircase and not cut (sheet/sheet_cells.c). */
static pw_status stair_take(struct volume_placing *placing, int a, int c, int line, int across, double loss,
                            double longer, pw_error *error)
{
    const int i = a == 0 ? across : line, j = a == 0 ? line : across;
    const struct metal_cells *cells = placing->volume->metal;
    const bool cut = cells != NULL && cells->leak != NULL && c < 2 && i >= 0 && j >= 0 && i < cells->nx &&
                     j < cells->ny && (cells->leak[(size_t)j * (size_t)cells->nx + (size_t)i] >> c & 1) != 0;
    return node_change(placing, c, i, j, 0, cut ? loss : loss * longer, error);
}

static void stair_mark(struct volume_placing *placing, int a, int c, int along, int line, int across)
{
    edge_mark(placing, c, along, a == 0 ? across : line, a == 0 ? line : across);
}

/* From edge to edge along the sheet, each in the plane of nodes nearest to its middle, and across where that changes.
 * `longer`: the length of the way over that of the sheet. */
static pw_status staircase_place(struct volume_placing *placing, int a, double longer, pw_error *error)
{
    const struct raster_grid *grid = placing->ask.view.grid;
    const bool space = placing->ask.view.fields == SHEET_SPACE;
    double loss = 0;
    bool before_inside = false;
    for (int line = 0, before = NOT_THERE; line < (a == 0 ? grid->ny : grid->nx); line++) {
        struct point place;
        bool inside = false;
        const int next = staircase_at(placing, a, line + 0.5, &place, &inside);
        if (inside) {
            TRY(sheet_ask_turned(&placing->ask, place, &loss, error));
            loss *= TURNED_LESS * placing->ask.view.pitch / grid->cell; /* of a row a cell wide */
            TRY(stair_take(placing, a, 1 - a, line, next, loss, longer, error));
            stair_mark(placing, a, 1 - a, a, line, next);
        }
        const int one = before != NOT_THERE ? before : next, other = next != NOT_THERE ? next : before,
                  low = one < other ? one : other, high = one < other ? other : one;
        const bool here = (inside || before_inside) && low != NOT_THERE;
        for (int across = low; here && across < high; across++) {
            TRY(stair_take(placing, a, a, line, across, loss, longer, error));
            stair_mark(placing, a, a, 1 - a, line, across);
        }
        for (int across = low; here && across <= high && space; across++) {
            TRY(stair_take(placing, a, 2, line, across, loss, 1 / longer, error));
            stair_mark(placing, a, 2, a, line, across);
            if (low < high) {
                stair_mark(placing, a, 2, 1 - a, line, across);
            }
        }
        before = next;
        before_inside = inside;
    }
    return PW_OK;
}

static pw_status sheet_place(struct volume_placing *placing, const struct sheet *sheet, pw_error *error)
{
    bool across_x = false;
    TRY(sheet_ask_turn(&placing->ask, sheet, &across_x, error));
    const struct profile_view *view = &placing->ask.view;
    const int a = across_x ? 0 : 1;
    return view->pitch < view->grid->cell * (1 - 1e-9)
               ? staircase_place(placing, a, fabs(view->normal.x) + fabs(view->normal.y), error)
               : straight_place(placing, a, error);
}

/* ---- flat -------------------------------------------------------------------------------------------------------- */

/* A column through a flat sheet. Neighbouring ones have the same stack and the same answer. */
struct column {
    double level; /* of the sheet, cells */
    uint16_t materials[LAW_LAYERS];
    struct profile_stack stack;
    struct sheet_answer answer;
    int nearest;
    bool known;
};

/* The bands around the sheet at (x, y). Other flat sheets ask for themselves. */
static void column_look(const struct volume_placing *placing, const struct building *building, const bool *flat,
                        double x, double y, struct column *column)
{
    const double before = LAW_BEFORE - 0.5, behind = LAW_WINDOW - LAW_BEFORE - 1.5;
    const size_t materials = (size_t)building->bands[0].material_count;
    struct profile_stack stack = {.start = LAW_BEFORE + column->level - floor(column->level + 0.5) - before};
    uint16_t found[LAW_LAYERS] = {0};
    for (int b = 0; b < building->band_count && stack.count < LAW_LAYERS; b++) {
        const double low = fmax(raster_border_at(building, placing->volume, b), column->level - before),
                     high = fmin(raster_border_at(building, placing->volume, b + 1), column->level + behind);
        if (high - low <= 0) {
            continue;
        }
        const uint16_t number = floorplan_material_at(&building->bands[b], x, y);
        const struct material *material = &building->bands[b].materials[number];
        const double loss = material->conductivity * FREE_SPACE_IMPEDANCE / placing->ask.view.grid->wave_number;
        const bool sheet = flat[(size_t)b * materials + number];
        struct wall_layer *layer = &stack.layers[stack.count];
        *layer = (struct wall_layer){high - low, 1, 0};
        if (!material->perfect_conductor && (sheet || loss < 2 * material->relative_permittivity)) {
            layer->permittivity = material->relative_permittivity;
            layer->loss = sheet && b != placing->band ? 0 : loss;
        }
        stack.lossless[stack.count] = sheet;
        found[stack.count++] = number;
    }
    column->known =
        column->known && stack.count == column->stack.count && memcmp(found, column->materials, sizeof found) == 0;
    column->stack = stack;
    memcpy(column->materials, found, sizeof found);
}

static pw_status level_change(struct volume_placing *placing, int c, const int at[3], double permittivity, double loss,
                              pw_error *error)
{
    const struct raster_grid *grid = placing->ask.view.grid;
    const int k = at[2];
    if (k < 0 || k >= placing->volume->nz || (permittivity == 0 && loss == 0)) {
        return PW_OK;
    }
    const int l = placing->layers->layer[c][k];
    uint32_t *node = &placing->index[((size_t)l * (size_t)grid->ny + (size_t)at[1]) * (size_t)grid->nx + (size_t)at[0]];
    placing->table->values[*node].nodes -= placing->layers->list[l].levels;
    TRY(sheet_node_change(&placing->ask.view, placing->table, node, permittivity, loss, error));
    placing->table->values[*node].nodes += placing->layers->list[l].levels;
    return PW_OK;
}

/* Component c at column (i, j). */
static pw_status column_place(struct volume_placing *placing, const struct building *building, const bool *flat, int c,
                              const int at[2], struct column *column, pw_error *error)
{
    const struct raster_grid *grid = placing->ask.view.grid;
    const double x = grid->origin.x + (at[0] + (c == 0 ? 0.5 : 0)) * grid->cell,
                 y = grid->origin.y + (at[1] + (c == 1 ? 0.5 : 0)) * grid->cell;
    const uint16_t own = floorplan_material_at(&building->bands[placing->band], x, y);
    if (!flat[(size_t)placing->band * (size_t)building->bands[0].material_count + own]) {
        return PW_OK;
    }
    column_look(placing, building, flat, x, y, column);
    if (!column->known) {
        column->nearest = (int)floor(column->level + 0.5);
        TRY(sheet_ask_stack(&placing->ask, &column->stack, &column->nearest, &column->answer, error));
        column->known = true;
    }
    const struct sheet_answer *answer = &column->answer;
    for (int n = 0; n < (c == 2 ? LAW_BETWEEN : LAW_STAGGERED); n++) {
        const int place[3] = {at[0], at[1], column->nearest - 1 + n};
        TRY(level_change(placing, c, place, c == 2 ? answer->normal[n] : answer->permittivity[n],
                         c == 2 ? 0 : answer->loss[n], error));
    }
    if (c < 2 && column->nearest >= 0 && column->nearest < placing->volume->nz) {
        placing->medium->sheet_edges[((size_t)column->nearest * (size_t)grid->ny + (size_t)at[1]) * (size_t)grid->nx +
                                     (size_t)at[0]] |= medium_sheet_edge(c, 2);
    }
    return PW_OK;
}

/* The flat sheets of the band. */
static pw_status flat_place(struct volume_placing *placing, const struct building *building, const bool *flat,
                            pw_error *error)
{
    const struct raster_grid *grid = placing->ask.view.grid;
    const size_t materials = (size_t)building->bands[0].material_count;
    if (memchr(flat + (size_t)placing->band * materials, 1, materials * sizeof *flat) == NULL) {
        return PW_OK;
    }
    placing->ask.view.pitch = grid->cell;
    struct column column = {.level = flat_level(building, placing->volume, placing->band)};
    for (int c = 0; c < 3; c++) {
        for (int j = 0; j < grid->ny; j++) {
            for (int i = 0; i < grid->nx; i++) {
                TRY(column_place(placing, building, flat, c, (int[]){i, j}, &column, error));
            }
        }
    }
    return PW_OK;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static pw_status band_place(struct volume_placing *placing, const struct building *building,
                            const struct sheet_building *sheets, pw_error *error)
{
    const struct sheet_list *list = &sheets->lists[placing->band];
    TRY(sheet_ask_create(&placing->ask, error));
    for (int s = 0; s < list->count; s++) {
        TRY(sheet_place(placing, &list->sheets[s], error));
    }
    if (sheets->flat != NULL) {
        TRY(flat_place(placing, building, sheets->flat, error));
    }
    return PW_OK;
}

pw_status sheets_volume_place(const struct raster_volume *volume, enum averaging averaging,
                              const struct sheet_building *sheets, const struct volume_layers *layers,
                              /* NOLINTNEXTLINE(readability-non-const-parameter): it is written through `placing` */
                              struct mixture_table *table, uint32_t *index, struct medium *medium, pw_error *error)
{
    const struct building *building = sheets->drawn;
    const struct raster_grid *grid = &volume->plane;
    if (sheets->count == 0) {
        return PW_OK;
    }
    medium->sheet_edges = allocate((size_t)grid->nx * (size_t)grid->ny * (size_t)volume->nz, 1, "thin layers", error);
    TRY_MADE(medium->sheet_edges);
    struct averaging_weight weight;
    TRY(sheets_weight(averaging, &weight, error));
    pw_status status = PW_OK;
    struct sheet_miss squares = {0, 0, 0};
    int64_t places = 0;
    for (int b = 0; b < building->band_count && status == PW_OK; b++) {
        struct volume_placing placing = {.ask.view = {.plan = &building->bands[b],
                                                      .grid = grid,
                                                      .fields = building->band_count == 1 ? SHEET_LAYER : SHEET_SPACE,
                                                      .averaging = averaging,
                                                      .weight = &weight},
                                         .layers = layers,
                                         .volume = volume,
                                         .table = table,
                                         .index = index,
                                         .medium = medium,
                                         .band = b};
        status = band_place(&placing, building, sheets, error);
        squares.decibels += placing.ask.squares.decibels;
        squares.phase += placing.ask.squares.phase;
        squares.strangers = sheet_nearer(placing.ask.squares.strangers, squares.strangers);
        places += placing.ask.places;
        sheet_ask_free(&placing.ask);
    }
    medium->sheet_miss = sheet_miss_mean(squares, places);
    weight_free(&weight);
    return status;
}
