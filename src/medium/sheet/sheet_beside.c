/* Sheets that stand beside one another, as the coatings of two panes do. Waves go to and fro between them, and where
 * they are a few nodes apart their nodes touch. The first of them, in the direction of the axis across, asks as if it
 * stood alone; each next one knows those before it, and is fitted to what all of them let through together. Sheets
 * further apart than the window reaches do not know each other. */
#include "medium/sheet/sheet_ask.h"

#include "base/constants.h"

#include <math.h>

/* Sines of angles that are none. */
static const double PARALLEL = 1e-3;

/* How far along the normal another sheet lies, where the line meets it; NAN: nowhere. */
static double sheet_apart(const struct profile_view *view, const struct sheet *other, struct point place)
{
    const double dx = other->to.x - other->from.x, dy = other->to.y - other->from.y, length = hypot(dx, dy);
    const struct point n = view->normal, off = {place.x - other->from.x, place.y - other->from.y};
    const double along = (off.x * dx + off.y * dy) / length;
    if (fabs(dx * n.x + dy * n.y) > PARALLEL * length || along < 0 || along > length) {
        return NAN;
    }
    return -(off.x * n.x + off.y * n.y) / view->pitch;
}

/* Whether shape number `near` around the sheet is a sheet that the line meets before it. */
static bool sheet_before(const struct profile_view *view, int near, struct point place, struct beside *found)
{
    const int s = view->near[near];
    if (!view->is_sheet[s] ||
        !sheet_of_shape(view->plan, s, view->grid->wave_number, view->grid->cell, &found->sheet)) {
        return false;
    }
    found->apart = sheet_apart(view, &found->sheet, place);
    return found->apart < -1e-6;
}

static bool is_known(const struct beside *beside)
{
    return beside->apart > -LAW_BEFORE + 1;
}

double sheets_stranger(const struct profile_view *view, struct point place, bool turned)
{
    struct beside found;
    double nearest = 0;
    for (int n = 0; n < view->near_count; n++) {
        if (sheet_before(view, n, place, &found) && (turned || !is_known(&found))) {
            nearest = sheet_nearer(-found.apart * view->pitch, nearest);
        }
    }
    return nearest;
}

int sheets_before(const struct profile_view *view, struct point place, struct beside list[LAW_BESIDE])
{
    int count = 0;
    for (int s = 0; s < view->near_count; s++) {
        struct beside found;
        if (!sheet_before(view, s, place, &found) || !is_known(&found)) {
            continue;
        }
        int n = count < LAW_BESIDE ? count++ : LAW_BESIDE - 1;
        for (; n > 0 && list[n - 1].apart < found.apart; n--) {
            list[n] = list[n - 1];
        }
        list[n] = found;
    }
    return count;
}

void beside_loss(const struct profile_view *view, const struct beside *beside, double at,
                 struct sheet_question *question)
{
    const struct material *material = &view->plan->materials[beside->sheet.material];
    const double loss = material->conductivity * FREE_SPACE_IMPEDANCE / view->grid->wave_number;
    double low = question->start;
    for (int l = 0; l < question->layer_count; l++) {
        struct wall_layer *layer = &question->layers[l];
        if (at >= low - 1e-6 && at <= low + layer->thickness + 1e-6 &&
            fabs(layer->permittivity - material->relative_permittivity) < 1e-12) {
            layer->loss = loss * beside->sheet.thickness / (layer->thickness * view->pitch);
            return;
        }
        low += layer->thickness;
    }
}

void beside_answer(const struct sheet_answer *answer, int before, int first, struct sheet_question *question)
{
    const bool staggered = question->fields != SHEET_LEVEL;
    for (int n = 0; n < (staggered ? LAW_STAGGERED : LAW_NODES); n++) {
        const int node = before - 1 + n - first;
        if (node >= 0 && node < LAW_WINDOW) {
            double *permittivity = &question->permittivity[node];
            *permittivity = fmax(*permittivity + answer->permittivity[n], fmin(*permittivity, question->least));
            question->loss[node] += answer->loss[n];
        }
    }
    for (int n = 0; n < LAW_BETWEEN && staggered; n++) {
        const int node = before - 1 + n - first;
        if (node >= 0 && node < LAW_WINDOW) {
            double *normal = &question->normal[node];
            *normal = fmax(*normal + answer->normal[n], fmin(*normal, question->least));
        }
    }
    if (staggered && question->closed_count < LAW_BESIDE) {
        question->closed[question->closed_count++] = before - first;
    }
}
