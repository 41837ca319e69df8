/* See sheets.h. Rows of nodes with the same wall around the sheet, at the same place between nodes, ask the law once.
 */
#include "medium/sheet/sheets.h"

#include "base/constants.h"
#include "medium/sheet/sheet_law.h"
#include "medium/sheet/sheet_profile.h"
#include "problem/lossy/lossy_law.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sheets aslant meet rows at any place between nodes; so many places in a pitch are told apart. */
static const double PLACES = 16;
/* Beside a dielectric face the averages leave as little, and the time step has room for it. */
static const double LEAST_LEFT = 0.78;
/* dB of the transmission: other pairs of nodes are tried where the law errs by more. */
static const double GOOD_ENOUGH = 0.35;
/* From 6 degrees on a sheet is met at every place between nodes within a wavelength. */
static const double COSINE_TURNED = 0.9945;

enum { KNOWN_MOST = 512 };

struct known_answer {
    struct sheet_question question;
    struct sheet_answer answer;
};

struct placing {
    struct profile_view view;
    struct mixture_table *table;
    uint32_t *index;
    struct known_answer *known; /* (KNOWN_MOST), owned */
    int known_count;
    double squares; /* dB^2: errors of all lines, squared */
    int64_t lines;
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
    if (lossless->materials == NULL || lossless->shape_material == NULL) {
        return PW_NO_RESOURCE;
    }
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

pw_status sheets_find(const struct floorplan *plan, const struct raster_grid *grid, struct sheet_list *list,
                      pw_error *error)
{
    const size_t shapes = (size_t)plan->shape_count;
    *list = (struct sheet_list){.lossless = *plan};
    if (shapes == 0 || grid->stencil == NULL || !(grid->wave_number > 0) || plan->material_count > UINT16_MAX / 2) {
        return PW_OK;
    }
    struct sheet found;
    bool *is_sheet = allocate(shapes, sizeof *is_sheet, "thin layers", error);
    list->sheets = allocate(shapes, sizeof *list->sheets, "thin layers", error);
    pw_status status = is_sheet != NULL && list->sheets != NULL ? PW_OK : PW_NO_RESOURCE;
    for (int s = 0; s < plan->shape_count && status == PW_OK; s++) {
        is_sheet[s] = sheet_of_shape(plan, s, grid->wave_number, grid->cell, &found);
        if (is_sheet[s]) {
            list->sheets[list->count++] = found;
        }
    }
    if (status == PW_OK && list->count > 0) {
        list->lossless.materials = NULL;
        list->lossless.shape_material = NULL;
        status = lossless_create(plan, is_sheet, list, error);
    }
    free(is_sheet);
    return status;
}

void sheets_free(struct sheet_list *list)
{
    if (list->count > 0) {
        free(list->lossless.materials);
        free(list->lossless.shape_material);
    }
    free(list->sheets);
    *list = (struct sheet_list){0};
}

/* ---- at the nodes ------------------------------------------------------------------------------------------------ */

static pw_status answer_ask(struct placing *placing, const struct sheet_question *question, struct sheet_answer *answer,
                            pw_error *error)
{
    for (int n = placing->known_count - 1; n >= 0; n--) {
        if (memcmp(&placing->known[n].question, question, sizeof *question) == 0) {
            *answer = placing->known[n].answer;
            return PW_OK;
        }
    }
    struct known_answer *known = &placing->known[placing->known_count < KNOWN_MOST ? placing->known_count++ : 0];
    known->question = *question;
    TRY(sheet_law(question, &known->answer, error));
    *answer = known->answer;
    return PW_OK;
}

/* The nodes that take the loss are those on either side of the sheet, at node *before and the next; where they cannot
 * do it well, as in a thick pane beside a strong sheet, a pair one node farther to either side. */
static pw_status answer_find(struct placing *placing, struct point place, double past, int *before,
                             struct sheet_answer *answer, pw_error *error)
{
    static const int MOVES[] = {0, 1, -1};
    const int first = *before;
    *answer = (struct sheet_answer){.decibels = INFINITY};
    for (int m = 0; m < 3 && answer->decibels > GOOD_ENOUGH; m++) {
        struct sheet_question question;
        struct sheet_answer tried;
        profile_question(&placing->view, place, past + MOVES[m], &question);
        question.least = LEAST_LEFT;
        TRY(answer_ask(placing, &question, &tried, error));
        if (tried.decibels < answer->decibels) {
            *answer = tried;
            *before = first - MOVES[m];
        }
    }
    return PW_OK;
}

/* What the law adds stands on the grid: the node gets the medium that the set-up will make this of (lossy_law.h). */
static pw_status node_change(const struct placing *placing, int i, int j, double permittivity, double loss,
                             pw_error *error)
{
    const struct raster_grid *grid = placing->view.grid;
    if (i < 0 || i >= grid->nx || j < 0 || j >= grid->ny) {
        return PW_OK;
    }
    uint32_t *node = &placing->index[(size_t)j * (size_t)grid->nx + (size_t)i];
    if (placing->table->conductor >= 0 && *node == (uint32_t)placing->table->conductor) {
        return PW_OK;
    }
    const struct mixture value = placing->table->values[*node];
    const struct floorplan *plan = placing->view.plan;
    const double unit = grid->wave_number / FREE_SPACE_IMPEDANCE, turn = grid->wave_number * grid->cell;
    const bool lossy = !materials_have_poles(plan->materials, plan->material_count);
    double all[2] = {value.permittivity, value.conductivity / unit};
    if (lossy) {
        lossy_law(grid->stencil, turn, &all[0], &all[1]);
    }
    all[0] = fmax(all[0] + permittivity, fmin(all[0], LEAST_LEFT));
    all[1] += loss;
    if (lossy) {
        lossy_law_inverse(grid->stencil, turn, &all[0], &all[1]);
    }
    return mixture_find(placing->table, all[0], all[1] * unit, node, error);
}

/* A sheet aslant asks once for each wall around it: the rows' distances from one another play no part. */
static pw_status turned_find(struct placing *placing, struct point place, double past, struct sheet_answer *answer,
                             pw_error *error)
{
    struct sheet_question questions[TURNED_PLACES];
    *answer = (struct sheet_answer){.decibels = 0};
    const struct sheet_answer *found = NULL;
    for (int n = 0; n < TURNED_PLACES; n++) {
        profile_question(&placing->view, place, (double)n / TURNED_PLACES, &questions[n]);
    }
    for (int n = 0; n < placing->known_count; n++) {
        if (memcmp(&placing->known[n].question, questions, sizeof *questions) == 0) {
            found = &placing->known[n].answer;
        }
    }
    if (found == NULL) {
        struct known_answer *known = &placing->known[placing->known_count < KNOWN_MOST ? placing->known_count++ : 0];
        TRY(sheet_law_turned(questions, &known->answer.loss[0], &known->answer.decibels, error));
        known->question = questions[0];
        found = &known->answer;
    }
    for (int n = 0; n < LAW_NODES; n++) {
        answer->loss[n] = found->loss[0] * sheet_spread(n - 1 - past);
    }
    answer->decibels = found->decibels;
    return PW_OK;
}

/* The line of nodes number `line`, a row where the sheet lies across x. */
static pw_status line_place(struct placing *placing, bool across_x, int line, pw_error *error)
{
    const struct profile_view *view = &placing->view;
    const struct raster_grid *grid = view->grid;
    const struct point from = view->sheet->from, to = view->sheet->to;
    const double at = (across_x ? grid->origin.y : grid->origin.x) + line * grid->cell,
                 share = across_x ? (at - from.y) / (to.y - from.y) : (at - from.x) / (to.x - from.x);
    const struct point place = {across_x ? from.x + share * (to.x - from.x) : at,
                                across_x ? at : from.y + share * (to.y - from.y)};
    if (!(share >= 0 && share <= 1) || floorplan_material_at(view->plan, place.x, place.y) != view->sheet->material) {
        return PW_OK;
    }
    const double cells = (across_x ? place.x - grid->origin.x : place.y - grid->origin.y) / grid->cell;
    const bool aslant = view->pitch < grid->cell * (1 - 1e-9);
    /* A sheet that keeps its place between nodes for many lines asks at each of them, as one along the nodes does. */
    const bool turned = aslant && view->pitch < grid->cell * COSINE_TURNED;
    double past = aslant ? rint(PLACES * cells) / PLACES : cells;
    int before = (int)floor(past + 1e-9);
    past = fmax(0, past - before);
    struct sheet_answer answer;
    TRY(turned ? turned_find(placing, place, past, &answer, error)
               : answer_find(placing, place, past, &before, &answer, error));
    placing->squares += answer.decibels * answer.decibels;
    placing->lines++;
    for (int n = 0; n < LAW_NODES; n++) {
        const int node = before - 1 + n;
        TRY(node_change(placing, across_x ? node : line, across_x ? line : node, answer.permittivity[n], answer.loss[n],
                        error));
    }
    return PW_OK;
}

static pw_status sheet_place(struct placing *placing, pw_error *error)
{
    struct profile_view *view = &placing->view;
    const struct raster_grid *grid = view->grid;
    const double dx = view->sheet->to.x - view->sheet->from.x, dy = view->sheet->to.y - view->sheet->from.y,
                 length = hypot(dx, dy);
    const bool across_x = fabs(dy) >= fabs(dx);
    const double turned = across_x ? (dy > 0 ? 1 : -1) : (dx > 0 ? -1 : 1);
    view->normal = (struct point){turned * dy / length, -turned * dx / length};
    view->pitch = grid->cell * fabs(across_x ? view->normal.x : view->normal.y);
    TRY(profile_view_create(view, error));
    pw_status status = PW_OK;
    for (int line = 0; line < (across_x ? grid->ny : grid->nx) && status == PW_OK; line++) {
        status = line_place(placing, across_x, line, error);
    }
    profile_view_free(view);
    return status;
}

static pw_status weight_of(enum averaging averaging, struct averaging_weight *weight, pw_error *error)
{
    *weight = weight_box();
    return averaging == AVERAGING_MOMENT        ? weight_moment(weight, error)
           : averaging == AVERAGING_BANDLIMITED ? weight_sinc(weight, error)
                                                : PW_OK;
}

pw_status sheets_place(const struct floorplan *plan, const struct raster_grid *grid, enum averaging averaging,
                       const struct sheet_list *list, struct mixture_table *table, uint32_t *index, double *decibels,
                       pw_error *error)
{
    if (list->count == 0) {
        return PW_OK;
    }
    struct averaging_weight weight;
    struct sheet found;
    TRY(weight_of(averaging, &weight, error));
    struct placing placing = {.table = table};
    placing.index = index;
    placing.known = allocate(KNOWN_MOST, sizeof *placing.known, "thin layers", error);
    bool *is_sheet = allocate((size_t)plan->shape_count, sizeof *is_sheet, "thin layers", error);
    pw_status status = placing.known != NULL && is_sheet != NULL ? PW_OK : PW_NO_RESOURCE;
    for (int s = 0; s < plan->shape_count && status == PW_OK; s++) {
        is_sheet[s] = sheet_of_shape(plan, s, grid->wave_number, grid->cell, &found);
    }
    for (int s = 0; s < list->count && status == PW_OK; s++) {
        placing.view = (struct profile_view){.plan = plan,
                                             .grid = grid,
                                             .averaging = averaging,
                                             .weight = &weight,
                                             .is_sheet = is_sheet,
                                             .sheet = &list->sheets[s]};
        status = sheet_place(&placing, error);
    }
    *decibels = placing.lines > 0 ? sqrt(placing.squares / (double)placing.lines) : 0;
    free(is_sheet);
    free(placing.known);
    weight_free(&weight);
    return status;
}
