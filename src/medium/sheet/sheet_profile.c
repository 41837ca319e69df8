/* See sheet_profile.h. Faces are where the line crosses sides of shapes; between two of them the plan has one material.
 */
#include "medium/sheet/sheet_profile.h"

#include "base/constants.h"
#include "problem/grid_medium.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FACES_MOST = 64 };

/* The window in pitches from the sheet. */
static const double WINDOW_LOW = LAW_BEFORE - 0.5, WINDOW_HIGH = LAW_WINDOW - LAW_BEFORE - 1.5;

/* Faces along the line, in pitches from the sheet. */
struct faces {
    double at[FACES_MOST];
    int count;
};

static void face_add(struct faces *faces, double at)
{
    if (at > -WINDOW_LOW && at < WINDOW_HIGH && faces->count < FACES_MOST) {
        int n = faces->count++;
        for (; n > 0 && faces->at[n - 1] > at; n--) {
            faces->at[n] = faces->at[n - 1];
        }
        faces->at[n] = at;
    }
}

static void outline_faces(const struct profile_view *view, const struct outline *outline, struct point place,
                          struct faces *faces)
{
    const struct point n = view->normal;
    for (int p = 0; p < outline->point_count; p++) {
        const struct point a = outline->points[p], b = outline->points[(p + 1) % outline->point_count];
        /* Across the line and along it, from the place. */
        const double aside = (a.y - place.y) * n.x - (a.x - place.x) * n.y,
                     bside = (b.y - place.y) * n.x - (b.x - place.x) * n.y;
        if ((aside > 0) != (bside > 0)) {
            const double share = aside / (aside - bside), along_a = (a.x - place.x) * n.x + (a.y - place.y) * n.y,
                         along_b = (b.x - place.x) * n.x + (b.y - place.y) * n.y;
            face_add(faces, (along_a + share * (along_b - along_a)) / view->pitch);
        }
    }
}

/* Pixels and circles have no sides to cross: faces among them are found by steps. */
static void faces_by_steps(const struct profile_view *view, struct point place, struct faces *faces)
{
    const int steps = FACES_MOST / 2;
    for (int s = 1; view->plan->pixels != NULL && s < steps; s++) {
        const double at = -WINDOW_LOW + (WINDOW_LOW + WINDOW_HIGH) * s / steps;
        face_add(faces, at);
    }
    (void)place;
}

static uint16_t material_at(const struct profile_view *view, struct point place, double at)
{
    return floorplan_material_at(view->plan, place.x + at * view->pitch * view->normal.x,
                                 place.y + at * view->pitch * view->normal.y);
}

static void layer_add(const struct profile_view *view, uint16_t number, double thickness,
                      struct sheet_question *question)
{
    const struct material *material = &view->plan->materials[number];
    struct wall_layer layer = {thickness, 1, 0};
    if (!material->perfect_conductor) {
        layer.permittivity = material->relative_permittivity;
        layer.loss = material->conductivity * FREE_SPACE_IMPEDANCE / view->grid->wave_number;
    }
    struct wall_layer *last = question->layer_count > 0 ? &question->layers[question->layer_count - 1] : NULL;
    if (last != NULL && last->permittivity == layer.permittivity && last->loss == layer.loss) {
        last->thickness += thickness;
    } else if (question->layer_count < LAW_LAYERS) {
        question->layers[question->layer_count++] = layer;
    }
}

/* Distances are rounded, so that rows with the same wall ask the same question. */
static double rounded(double cells)
{
    return ldexp(rint(ldexp(cells, 20)), -20);
}

/* What averaging leaves at the window's nodes of a layer from `low` to `high`; a sheet's loss is left out. */
static void nodes_add(const struct profile_view *view, const struct wall_layer *layer, double low, double high,
                      bool lossless, struct sheet_question *question)
{
    for (int n = 0; n < LAW_WINDOW; n++) {
        double part = weight_integral(view->weight, high - n) - weight_integral(view->weight, low - n);
        double box = fmin(fmax(high - n + 0.5, 0), 1) - fmin(fmax(low - n + 0.5, 0), 1);
        if (view->averaging == AVERAGING_POINT) {
            part = box = n >= low && n < high;
        }
        question->permittivity[n] += part * (layer->permittivity - 1);
        question->loss[n] += lossless ? 0 : box * layer->loss;
    }
}

/* The same of E across the sheet, halfway between nodes, as parts of 1/eps (physics.md section 9). */
static void inverses_add(const struct profile_view *view, const struct wall_layer *layer, double low, double high,
                         bool lossless, struct sheet_question *question)
{
    const double loss = lossless ? 0 : layer->loss, square = layer->permittivity * layer->permittivity + loss * loss;
    for (int n = 0; n < LAW_WINDOW; n++) {
        const double from = low - n - 0.5, to = high - n - 0.5;
        double part = weight_integral(view->weight, to) - weight_integral(view->weight, from);
        double box = fmin(fmax(to + 0.5, 0), 1) - fmin(fmax(from + 0.5, 0), 1);
        if (view->averaging == AVERAGING_POINT) {
            part = box = 0 >= from && 0 < to;
        }
        question->normal[n] += part * (layer->permittivity / square - 1);
        question->normal_loss[n] += box * loss / square;
    }
}

static void inverses_end(struct sheet_question *question)
{
    for (int n = 0; n < LAW_WINDOW; n++) {
        const double real = question->normal[n], imaginary = question->normal_loss[n],
                     square = real * real + imaginary * imaginary;
        question->normal[n] = real / square;
        question->normal_loss[n] = imaginary / square;
    }
}

static bool same_loss(const struct profile_view *view, double loss)
{
    for (int s = 0; s < view->near_count; s++) {
        const struct material *material = &view->plan->materials[view->plan->shape_material[view->near[s]]];
        if (view->is_sheet[view->near[s]] &&
            loss == material->conductivity * FREE_SPACE_IMPEDANCE / view->grid->wave_number) {
            return true;
        }
    }
    return false;
}

static void question_begin(const struct profile_view *view, struct sheet_question *question)
{
    memset(question, 0, sizeof *question); /* padding too: questions are compared as bytes */
    question->stencil = view->grid->stencil;
    question->fields = view->fields;
    question->turn = rounded(view->grid->wave_number * view->pitch);
    for (int n = 0; n < LAW_WINDOW; n++) {
        question->permittivity[n] = question->normal[n] = 1;
    }
}

/* Nodes get the medium that the set-up will make of theirs. */
static void question_end(const struct profile_view *view, struct sheet_question *question)
{
    const double turn = view->grid->wave_number * view->grid->cell;
    inverses_end(question);
    for (int n = 0; n < LAW_WINDOW && !materials_have_poles(view->plan->materials, view->plan->material_count); n++) {
        grid_medium(view->grid->stencil, turn, &question->permittivity[n], &question->loss[n]);
        grid_medium(view->grid->stencil, turn, &question->normal[n], &question->normal_loss[n]);
    }
}

void profile_stack_question(const struct profile_view *view, const struct profile_stack *stack,
                            struct sheet_question *question)
{
    question_begin(view, question);
    double at = question->start = rounded(stack->start);
    for (int l = 0; l < stack->count; l++) {
        struct wall_layer layer = stack->layers[l];
        layer.thickness = rounded(layer.thickness);
        nodes_add(view, &layer, at, at + layer.thickness, stack->lossless[l], question);
        inverses_add(view, &layer, at, at + layer.thickness, stack->lossless[l], question);
        question->layers[question->layer_count++] = layer;
        at += layer.thickness;
    }
    question_end(view, question);
}

void profile_question(const struct profile_view *view, struct point place, double past, struct sheet_question *question)
{
    struct faces faces = {.count = 0};
    question_begin(view, question);
    for (int s = 0; s < view->near_count; s++) {
        outline_faces(view, &view->plan->outlines[view->near[s]], place, &faces);
    }
    faces_by_steps(view, place, &faces);
    double low = -WINDOW_LOW;
    for (int f = 0; f <= faces.count; f++) {
        const double high = f < faces.count ? faces.at[f] : WINDOW_HIGH;
        if (high - low > 1e-9) {
            layer_add(view, material_at(view, place, 0.5 * (low + high)), high - low, question);
            low = high;
        }
    }
    double at = rounded(LAW_BEFORE + past - WINDOW_LOW);
    question->start = at;
    for (int l = 0; l < question->layer_count; l++) {
        struct wall_layer *layer = &question->layers[l];
        const bool sheet = same_loss(view, layer->loss);
        const bool own = at <= LAW_BEFORE + past + 1e-6 && at + layer->thickness >= LAW_BEFORE + past - 1e-6;
        layer->thickness = rounded(layer->thickness);
        /* Another sheet asks for itself, and where two cross the line runs along one of them. */
        layer->loss = !sheet ? layer->loss
                      : !own ? 0
                      : layer->thickness * view->pitch < view->grid->cell
                          ? layer->loss
                          : layer->loss * view->sheet->thickness / (layer->thickness * view->pitch);
        nodes_add(view, layer, at, at + layer->thickness, sheet, question);
        inverses_add(view, layer, at, at + layer->thickness, sheet, question);
        at += layer->thickness;
    }
    question_end(view, question);
}

pw_status profile_view_create(struct profile_view *view, pw_error *error)
{
    const struct sheet *sheet = view->sheet;
    const double reach = (WINDOW_LOW + WINDOW_HIGH) * view->pitch;
    const double low_x = fmin(sheet->from.x, sheet->to.x) - reach, high_x = fmax(sheet->from.x, sheet->to.x) + reach,
                 low_y = fmin(sheet->from.y, sheet->to.y) - reach, high_y = fmax(sheet->from.y, sheet->to.y) + reach;
    TRY_MADE(view->near = allocate((size_t)view->plan->shape_count, sizeof *view->near, "thin layers", error));
    for (int s = 0; s < view->plan->shape_count; s++) {
        const struct outline *outline = &view->plan->outlines[s];
        if (outline->high.x >= low_x && outline->low.x <= high_x && outline->high.y >= low_y &&
            outline->low.y <= high_y) {
            view->near[view->near_count++] = s;
        }
    }
    return PW_OK;
}

void profile_view_free(struct profile_view *view)
{
    free(view->near);
    view->near = NULL;
    view->near_count = 0;
}
