/* Sheets thinner than the scheme's reach (metal_shield.h). Held edges are counted along the lattice's lines: where
 * fewer than `planes` follow one another across a sheet, the next ones are held too, by turns after and before them.
 * Passes across x, y and z see what the passes before them held; a last one holds the edges between two held ones, of
 * which one was not before, so that no wave runs along inside a sheet. Leaves out where in its cell a sheet lies: what
 * it is too thick by, metal_mirror.c takes back, but for bands as wide as their centre. */
#include "medium/metal/metal_shield.h"

#include "medium/metal/mirror_law.h"

#include <stdlib.h>

/* ---- across an axis ---------------------------------------------------------------------------------------------- */

/* A place, and steps of +-1 along an axis from it. */
struct line_view {
    const struct metal_layers *layers;
    const struct metal_around *around;
    int at[3];
    int planes;
    int axis, along; /* across the sheet; the axis that is neither that nor the component's */
    int limit;       /* places across that are seen */
};

static bool held_at(const struct line_view *view, int across, int along, bool outside)
{
    int at[3] = {view->at[0], view->at[1], 0};
    at[view->axis] += across;
    at[view->along] += along;
    return metal_holds(view->layers, view->around->now, view->around->component, at[0], at[1], at[2], outside);
}

/* Whether some edge is held on the line `along` away, from place n to place m across. */
static bool held_between(const struct line_view *view, int n, int m, int along)
{
    bool some = false;
    for (int across = n < m ? n : m; across <= (n < m ? m : n) && !some; across++) {
        some = abs(across) <= view->limit && held_at(view, across, along, true);
    }
    return some;
}

/* Whether the run of `count` edges from `first` on, in the direction `step`, is of a sheet: it goes on to both sides,
 * be it aslant, for as many lines as it is thick. A post does not. */
static bool is_sheet(const struct line_view *view, int first, int count, int step)
{
    bool sheet = true;
    for (int along = 1; along <= count && sheet; along++) {
        const int low = first - along * step, high = first + (count - 1 + along) * step;
        sheet = held_between(view, low, high, -along) && held_between(view, low, high, along);
    }
    return sheet;
}

/* Whether it goes on as it is for some lines to both sides (METAL_STRAIGHT). */
static bool is_straight(const struct line_view *view, int first, int count, int step)
{
    bool straight = true;
    for (int along = -METAL_STRAIGHT; along <= METAL_STRAIGHT && straight; along++) {
        for (int n = -1; n <= count; n++) {
            const bool inside = n >= 0 && n < count;
            straight = straight && held_at(view, first + n * step, along, inside) == inside;
        }
    }
    return straight;
}

/* How far it is to the first held edge in the direction `step`; `most` when there is none before. */
static int first_held(const struct line_view *view, int step, int most)
{
    int first = 1;
    while (first < most && !held_at(view, first * step, 0, false)) {
        first++;
    }
    return first;
}

/* Whether a sheet that begins `first` places away in the direction `step` is to be thickened over this place; it gets
 * half of what it lacks on this side, rounded up or down. */
static bool is_wanted_by(const struct line_view *view, int first, int step, int round_up)
{
    const int most = view->planes + 1;
    int count = 0;
    while (count < most && first + count <= view->limit && held_at(view, (first + count) * step, 0, false)) {
        count++;
    }
    if (count == 0 || first > (most - count + round_up) / 2 || !is_sheet(view, first * step, count, step)) {
        return false;
    }
    const int planes = is_straight(view, first * step, count, step) ? view->planes : most;
    return first <= (planes - count + round_up) / 2;
}

/* A gap between two sheets stays open, since a wave with E across it runs there, however narrow. */
static bool is_thickened(const struct line_view *view)
{
    const int most = view->planes + 1, low = first_held(view, -1, most), high = first_held(view, 1, most);
    const bool gap = low < most && high < most && low + high - 1 <= view->planes;
    return !held_at(view, 0, 0, false) && !gap && (is_wanted_by(view, low, -1, 1) || is_wanted_by(view, high, 1, 0));
}

/* ---- between held edges ------------------------------------------------------------------------------------------ */

/* Whether the edges of component `other` at both ends of this one are held, and not both were before; `back`: from the
 * node to where the other one begins, back along its own axis. */
static bool joins(const struct line_view *view, int other, int back)
{
    const int c = view->around->component;
    int low[3] = {view->at[0], view->at[1], 0};
    low[other] -= back;
    int high[3] = {low[0], low[1], low[2]};
    high[c] += 1;
    const struct metal_around *around = view->around;
    return metal_holds(view->layers, around->now, other, low[0], low[1], low[2], false) &&
           metal_holds(view->layers, around->now, other, high[0], high[1], high[2], false) &&
           !(metal_holds(view->layers, around->before, other, low[0], low[1], low[2], false) &&
             metal_holds(view->layers, around->before, other, high[0], high[1], high[2], false));
}

static bool is_between(const struct line_view *view)
{
    const int c = view->around->component;
    bool between = false;
    for (int other = 0; other < 3 && !between; other++) {
        between = other != c && joins(view, other, 0) && joins(view, other, 1);
    }
    return between;
}

/* ---- the passes -------------------------------------------------------------------------------------------------- */

struct shield_pass {
    int axis, planes;
};

static uint16_t see_across(const struct metal_pass *pass, const struct metal_layers *layers,
                           const struct metal_around *around, int i, int j)
{
    const struct shield_pass *own = pass->own;
    const struct line_view view = {.layers = layers,
                                   .around = around,
                                   .at = {i, j, 0},
                                   .planes = own->planes,
                                   .axis = own->axis,
                                   .along = 3 - own->axis - around->component,
                                   .limit = METAL_WINDOW / 2};
    return is_thickened(&view);
}

static uint16_t see_between(const struct metal_pass *pass, const struct metal_layers *layers,
                            const struct metal_around *around, int i, int j)
{
    (void)pass;
    const struct line_view view = {.layers = layers, .around = around, .at = {i, j, 0}};
    return is_between(&view);
}

pw_status metal_shield(struct metal_layers *layers, int planes, pw_error *error)
{
    planes = planes < METAL_PLANES - 1 ? planes : METAL_PLANES - 1;
    for (int axis = 0; axis < 3 && planes > 1; axis++) {
        const struct shield_pass own = {axis, planes};
        const struct metal_pass pass = {.own = &own, .far = METAL_WINDOW / 2, .leave = axis, .see = see_across};
        if (axis < 2 || layers->medium->nz > 1) {
            TRY(metal_layers_pass(layers, &pass, error));
        }
    }
    const struct metal_pass between = {.far = 1, .leave = -1, .see = see_between};
    return metal_layers_pass(layers, &between, error);
}
