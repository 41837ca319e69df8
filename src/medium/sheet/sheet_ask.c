/* See sheet_ask.h. */
#include "medium/sheet/sheet_ask.h"

#include "base/constants.h"
#include "medium/sheet/sheet_law.h"

#include <math.h>
#include <string.h>

/* Beside a dielectric face the averages leave as little, and the time step has room for it. */
static const double LEAST_LEFT = 0.78;
/* dB of the transmission: other nodes are tried where the law errs by more. */
static const double GOOD_ENOUGH = 0.35;

/* m: places that differ by less are the same. */
static const double SAME_PLACE = 1e-9;

enum { KNOWN_MOST = 512 };

struct known_answer {
    struct sheet_question question;
    struct sheet_answer answer;
};

pw_status sheet_ask_create(struct sheet_ask *ask, pw_error *error)
{
    const struct floorplan *plan = ask->view.plan;
    struct sheet found;
    ask->known = allocate(KNOWN_MOST, sizeof *ask->known, "thin layers", error);
    ask->is_sheet = allocate((size_t)plan->shape_count, sizeof *ask->is_sheet, "thin layers", error);
    TRY_MADE(ask->known != NULL && ask->is_sheet != NULL);
    for (int s = 0; s < plan->shape_count; s++) {
        ask->is_sheet[s] = sheet_of_shape(plan, s, ask->view.grid->wave_number, ask->view.grid->cell, &found);
    }
    ask->view.is_sheet = ask->is_sheet;
    return PW_OK;
}

void sheet_ask_free(struct sheet_ask *ask)
{
    profile_view_free(&ask->view);
    FREE_ALL(ask->is_sheet, ask->known);
    *ask = (struct sheet_ask){0};
}

pw_status sheet_ask_turn(struct sheet_ask *ask, const struct sheet *sheet, bool *across_x, pw_error *error)
{
    struct profile_view *view = &ask->view;
    const double dx = sheet->to.x - sheet->from.x, dy = sheet->to.y - sheet->from.y, length = hypot(dx, dy);
    *across_x = fabs(dy) >= fabs(dx);
    const double turned = *across_x ? (dy > 0 ? 1 : -1) : (dx > 0 ? -1 : 1);
    profile_view_free(view);
    view->sheet = sheet;
    view->normal = (struct point){turned * dy / length, -turned * dx / length};
    view->pitch = view->grid->cell * fabs(*across_x ? view->normal.x : view->normal.y);
    return profile_view_create(view, error);
}

/* Outside of the plan what stands on its edge goes on straight. What is asked about lies in the plan and not on its
 * edge, where a shape may have ended by its own rule or by a rounding. */
bool sheet_meets(const struct profile_view *view, bool across_x, double at, struct point *place, int *beyond)
{
    const struct point from = view->sheet->from, to = view->sheet->to;
    const double extent = across_x ? view->plan->height : view->plan->width,
                 width = across_x ? view->plan->width : view->plan->height,
                 inside = fmin(fmax(at, SAME_PLACE), extent - SAME_PLACE),
                 share = across_x ? (inside - from.y) / (to.y - from.y) : (inside - from.x) / (to.x - from.x);
    *place = (struct point){across_x ? from.x + share * (to.x - from.x) : inside,
                            across_x ? inside : from.y + share * (to.y - from.y)};
    const double across = across_x ? place->x : place->y;
    const bool there = share >= 0 && share <= 1;
    *beyond = there && across < 0 ? -1 : there && across > width ? 1 : 0;
    return there && *beyond == 0 && floorplan_material_at(view->plan, place->x, place->y) == view->sheet->material;
}

/* NULL: not asked yet. */
static const struct sheet_answer *answer_known(const struct sheet_ask *ask, const struct sheet_question *question)
{
    for (int n = ask->known_count - 1; n >= 0; n--) {
        if (memcmp(&ask->known[n].question, question, sizeof *question) == 0) {
            return &ask->known[n].answer;
        }
    }
    return NULL;
}

static struct known_answer *known_next(struct sheet_ask *ask)
{
    return &ask->known[ask->known_count < KNOWN_MOST ? ask->known_count++ : 0];
}

static pw_status answer_ask(struct sheet_ask *ask, const struct sheet_question *question, struct sheet_answer *answer,
                            pw_error *error)
{
    const struct sheet_answer *found = answer_known(ask, question);
    if (found != NULL) {
        *answer = *found;
        return PW_OK;
    }
    struct known_answer *known = known_next(ask);
    known->question = *question;
    TRY(sheet_law(question, &known->answer, error));
    *answer = known->answer;
    return PW_OK;
}

static void miss_add(struct sheet_ask *ask, const struct sheet_miss *miss)
{
    ask->squares.decibels += miss->decibels * miss->decibels;
    ask->squares.phase += miss->phase * miss->phase;
    ask->places++;
}

struct sheet_miss sheet_miss_mean(struct sheet_miss squares, int64_t places)
{
    const double count = (double)(places > 0 ? places : 1);
    return (struct sheet_miss){sqrt(squares.decibels / count), sqrt(squares.phase / count), squares.strangers};
}

/* Adds to a question what other sheets on the line have that lie before this one: their loss as it is, and what their
 * own answers put on the nodes. The first node of the window is `first`. */
/* NOLINTNEXTLINE(misc-no-recursion): each sheet asks those before it, which are fewer */
static pw_status beside_add(struct sheet_ask *ask, struct point place, double cells, int first,
                            struct sheet_question *question, pw_error *error)
{
    const struct profile_view own = ask->view;
    struct beside list[LAW_BESIDE];
    const int count = sheets_before(&own, place, list);
    for (int n = 0; n < count; n++) {
        const double shift = list[n].apart * own.pitch, at = cells + list[n].apart;
        const struct point there = {place.x + shift * own.normal.x, place.y + shift * own.normal.y};
        int before = (int)floor(at + (own.fields == SHEET_LEVEL ? 0 : 0.5) + 1e-9);
        struct sheet_answer answer;
        const struct sheet_miss squares = ask->squares;
        const int64_t places = ask->places;
        ask->view.sheet = &list[n].sheet;
        ask->view.near = NULL;
        ask->view.near_count = 0;
        pw_status status = profile_view_create(&ask->view, error);
        status = status != PW_OK ? status : sheet_ask_line(ask, there, at - before, &before, &answer, error);
        profile_view_free(&ask->view);
        ask->view = own;
        ask->squares = squares; /* it is counted where it asks for itself */
        ask->places = places;
        TRY(status);
        beside_loss(&own, &list[n], at - first, question);
        beside_answer(&answer, before, first, question);
    }
    return PW_OK;
}

/* Of a stack, or where that is NULL of the plan at `place`. */
/* NOLINTNEXTLINE(misc-no-recursion): see beside_add() */
static pw_status moves_try(struct sheet_ask *ask, const struct profile_stack *stack, struct point place, double past,
                           int *before, struct sheet_answer *answer, pw_error *error)
{
    static const int MOVES[] = {0, 1, -1};
    const int first = *before;
    *answer = (struct sheet_answer){.miss.decibels = INFINITY};
    for (int m = 0; m < 3 && answer->miss.decibels > GOOD_ENOUGH; m++) {
        struct sheet_question question;
        struct sheet_answer tried;
        if (stack != NULL) {
            struct profile_stack moved = *stack;
            moved.start += MOVES[m];
            profile_stack_question(&ask->view, &moved, &question);
            question.least = LEAST_LEFT;
        } else {
            profile_question(&ask->view, place, past + MOVES[m], &question);
            question.least = LEAST_LEFT;
            TRY(beside_add(ask, place, first + past, first - MOVES[m] - LAW_BEFORE, &question, error));
        }
        TRY(answer_ask(ask, &question, &tried, error));
        if (tried.miss.decibels < answer->miss.decibels) {
            *answer = tried;
            *before = first - MOVES[m];
        }
    }
    miss_add(ask, &answer->miss);
    return PW_OK;
}

/* NOLINTNEXTLINE(misc-no-recursion): see beside_add() */
pw_status sheet_ask_line(struct sheet_ask *ask, struct point place, double past, int *before,
                         struct sheet_answer *answer, pw_error *error)
{
    ask->squares.strangers = sheet_nearer(sheets_stranger(&ask->view, place, false), ask->squares.strangers);
    return moves_try(ask, NULL, place, past, before, answer, error);
}

pw_status sheet_ask_stack(struct sheet_ask *ask, const struct profile_stack *stack, int *before,
                          struct sheet_answer *answer, pw_error *error)
{
    return moves_try(ask, stack, (struct point){0, 0}, 0, before, answer, error);
}

/* The lines' distances from one another play no part: a wall asks once. */
pw_status sheet_ask_turned(struct sheet_ask *ask, struct point place, double *loss, pw_error *error)
{
    struct sheet_question questions[TURNED_PLACES];
    ask->squares.strangers = sheet_nearer(sheets_stranger(&ask->view, place, true), ask->squares.strangers);
    const double first = ask->view.fields == SHEET_LEVEL ? 0 : -0.5 + 0.5 / TURNED_PLACES;
    for (int n = 0; n < TURNED_PLACES; n++) {
        profile_question(&ask->view, place, first + (double)n / TURNED_PLACES, &questions[n]);
    }
    const struct sheet_answer *found = answer_known(ask, questions);
    if (found == NULL) {
        struct known_answer *known = known_next(ask);
        TRY(sheet_law_turned(questions, &known->answer.loss[0], &known->answer.miss, error));
        known->question = questions[0];
        found = &known->answer;
    }
    *loss = found->loss[0];
    miss_add(ask, &found->miss);
    return PW_OK;
}

pw_status sheet_node_change(const struct profile_view *view, struct mixture_table *table, uint32_t *node,
                            double permittivity, double loss, pw_error *error)
{
    const struct raster_grid *grid = view->grid;
    if (table->conductor >= 0 && *node == (uint32_t)table->conductor) {
        return PW_OK;
    }
    double all[2] = {table->values[*node].permittivity, table->values[*node].conductivity};
    mixture_to_grid(view->plan, grid, all);
    all[0] = fmax(all[0] + permittivity, fmin(all[0], LEAST_LEFT));
    all[1] += loss * grid->wave_number / FREE_SPACE_IMPEDANCE;
    mixture_from_grid(view->plan, grid, all);
    return mixture_find(table, all[0], all[1], node, error);
}
