/* See node_changes.h. Leaves out what a change does to the field (gradients.c). */
#include "run/study/node_changes.h"

#include <math.h>
#include <string.h>

static const double PLACE_STEP = 0.01;     /* of a cell: at most, of a transmitter */
static const double ROUGHNESS_MOST = 1e-3; /* of a derivative: more, and there is none */

/* Places of E whose component is stepped. */
static int64_t place_count(const struct problem *problem)
{
    const int components = problem->axis[2].uniform ? 2 : problem_components(problem);
    return components * problem_nodes(problem);
}

const double *place_coefficients(const struct problem *problem, int64_t place)
{
    const int64_t nodes = problem_nodes(problem), nx = problem->axis[0].count, ny = problem->axis[1].count,
                  node = place % nodes;
    const uint16_t row = problem->formulation == FORMULATION_MAXWELL3D
                             ? problem_coefficient_at(problem, (int)(place / nodes), (int)(node % nx),
                                                      (int)(node / nx % ny), (int)(node / nx / ny))
                             : problem->coefficient_index[place];
    return problem->coefficients + (size_t)row * COEFFICIENT_WIDTH;
}

/* Adds `weight` times 1/cb and ca/cb of every place to (places, 2); 0 in a perfect conductor, where cb is 0. */
static void read_places(const struct problem *problem, double weight, double *pair)
{
    const int64_t places = place_count(problem);
    for (int64_t n = 0; n < places; n++) {
        const double *row = place_coefficients(problem, n), cb = row[COEFFICIENT_CB];
        pair[2 * n] += cb != 0 ? weight / cb : 0;
        pair[2 * n + 1] += cb != 0 ? weight * row[COEFFICIENT_CA] / cb : 0;
    }
}

/* Adds `weight` times what a unit of its drive puts on the right of the equation of every place of a source. */
static void read_source(const struct problem *problem, const struct source *source, double weight, double *pair)
{
    for (int64_t n = 0; n < source->count; n++) {
        const double cb = place_coefficients(problem, source->node[n])[COEFFICIENT_CB];
        pair[2 * source->node[n]] += cb != 0 ? weight * source->weight[n] / cb : 0;
    }
}

/* What a row's weights are divided by, so that they do not depend on the medium: cb at a place of E, 1 at one of h. */
static double row_scale(const struct problem *problem, int64_t place)
{
    return place < problem_components(problem) * problem_nodes(problem)
               ? place_coefficients(problem, place)[COEFFICIENT_CB]
               : 1;
}

static bool same_row(const struct problem *a, const struct problem *b, int64_t row)
{
    const struct metal_row *left = &a->metal_rows[row], *right = &b->metal_rows[row];
    if (left->place != right->place || left->count != right->count) {
        return false;
    }
    const double scale_a = row_scale(a, left->place), scale_b = row_scale(b, left->place);
    for (int n = 0; n < left->count; n++) {
        const struct metal_term *x = &a->metal_terms[left->first + n], *y = &b->metal_terms[right->first + n];
        if (x->place != y->place ||
            fabs(x->weight * scale_b - y->weight * scale_a) > 1e-9 * fabs(x->weight * scale_b)) {
            return false;
        }
    }
    return true;
}

/* Rows beside metal are not followed: they must say the same before and after, or `leave` (places), if it is not NULL,
 * gets a mark at the place. */
static bool same_metal(const struct problem *a, const struct problem *b, uint8_t *leave)
{
    bool same = a->metal_row_count == b->metal_row_count;
    for (int64_t r = 0; same && r < a->metal_row_count; r++) {
        const int64_t place = a->metal_rows[r].place;
        const bool equal = same_row(a, b, r);
        same = equal || (leave != NULL && place == b->metal_rows[r].place);
        if (!equal && same && place < place_count(a)) {
            leave[place] = 1;
        }
    }
    return same;
}

static pw_status check_same(const struct setup *base, const struct setup *other, const char *what, uint8_t *leave,
                            pw_error *error)
{
    const struct problem *a = &base->problem, *b = &other->problem;
    FAIL_IF(a->axis[0].count != b->axis[0].count || a->axis[1].count != b->axis[1].count ||
                a->axis[2].count != b->axis[2].count,
            error, PW_BAD_INPUT, "%s changes the size of the grid, so the channel has no derivative to it", what);
    FAIL_IF(fabs(a->time_step / b->time_step - 1) > 1e-12, error, PW_BAD_INPUT,
            "%s changes the time step. Give grid.courant in the scenario", what);
    FAIL_IF(!same_metal(a, b, leave), error, PW_BAD_INPUT,
            "%s changes how nodes beside metal are solved, and sensitivities do not follow that. Leave it out", what);
    return PW_OK;
}

/* What set-ups say of the places: the derivative, and how far that of a step differs from that of twice the step. */
struct derived {
    double *pair, *apart; /* (places, 2); `apart` NULL: of one step alone */
    uint8_t *leave;       /* (places): marks those beside metal that are solved otherwise; NULL: they are refused */
};

/* A set-up with the parameter multiplied by a factor, and with what it counts in the derivative and in the difference.
 */
struct shifted {
    double factor, weight, apart;
};

static pw_status add_changed(const struct setup *base, const char *text, const pw_parameter *parameter, int transmitter,
                             const struct shifted *shifted, const struct derived *to, pw_error *error)
{
    char what[PW_PARAMETER_TEXT_SIZE];
    OWNED_AS(pw_scenario) *scenario = NULL;
    OWNED_AS(pw_setup) *setup = NULL;
    /* Everything was chosen by the forecasts of the base, and they cost most. What a set-up that failed has left in
     * here is freed. */
    OWNED_BY(setup_common_free)
    struct setup_common common = {.transport = base->transport, .phase_cost = &base->phase_cost};
    TRY(pw_scenario_parse(base->scenario->file, text, NULL, 0, &scenario, error));
    TRY(pw_parameter_scale(scenario, parameter, shifted->factor, error));
    pw_scenario_watch(scenario, base->asked->go_on, base->asked->go_on_user);
    TRY(setup_create_common(scenario, &common, base->problem.precision, &setup, error));
    TRY(check_same(base, setup, pw_parameter_text(parameter, what), to->leave, error));
    if (transmitter >= 0) {
        read_source(&setup->problem, &setup->problem.sources[transmitter], shifted->weight, to->pair);
    } else {
        read_places(&setup->problem, shifted->weight, to->pair);
        if (to->apart != NULL) {
            read_places(&setup->problem, shifted->apart, to->apart);
        }
    }
    return PW_OK;
}

/* What of `pair` is more than rounding goes into the list. */
static pw_status keep_changed(const struct setup *base, const double *pair, struct node_changes *changes,
                              pw_error *error)
{
    const int64_t places = place_count(&base->problem);
    const struct coefficient_step air = setup_coefficient_step(base);
    double row[COEFFICIENT_WIDTH], most = 0;
    coefficient_fill(&(struct plain_medium){.relative_permittivity = 1}, &air, row);
    for (int64_t n = 0; changes->transmitter >= 0 && n < places; n++) {
        most = fmax(most, fabs(pair[2 * n]));
    }
    const double rounding = changes->transmitter >= 0 ? 1e-12 * most : 1e-9 / row[COEFFICIENT_CB];
    for (int64_t n = 0; n < places; n++) {
        changes->count += fabs(pair[2 * n]) > rounding || fabs(pair[2 * n + 1]) > rounding;
    }
    changes->place = allocate((size_t)changes->count, sizeof *changes->place, "places of a wall", error);
    changes->storage = allocate((size_t)changes->count, sizeof(double), "places of a wall", error);
    changes->conservation = allocate((size_t)changes->count, sizeof(double), "places of a wall", error);
    if (changes->place == NULL || changes->storage == NULL || changes->conservation == NULL) {
        node_changes_free(changes);
        return PW_NO_RESOURCE;
    }
    for (int64_t n = 0, at = 0; n < places; n++) {
        if (fabs(pair[2 * n]) > rounding || fabs(pair[2 * n + 1]) > rounding) {
            changes->place[at] = n;
            changes->storage[at] = pair[2 * n];
            changes->conservation[at++] = pair[2 * n + 1];
        }
    }
    return PW_OK;
}

/* Its weights are polynomials between two nodes: the steps stay there, but where they begin on a node. */
static pw_status take_transmitter(const struct setup *base, const pw_parameter *parameter, double *step,
                                  struct node_changes *changes, pw_error *error)
{
    const struct scenario *scenario = base->scenario;
    changes->transmitter = pw_scenario_find_transmitter(scenario, parameter->name);
    FAIL_IF(base->problem.sources[changes->transmitter].further > 0, error, PW_BAD_INPUT,
            "'%s' has an antenna with directions, and sensitivities to its place are not computed", parameter->name);
    const struct point *at = &scenario->transmitters[changes->transmitter].at;
    const double value = fabs(parameter->kind == PW_PARAMETER_X ? at->x : at->y);
    *step = fmin(*step, PLACE_STEP * base->problem.axis[0].spacing / value);
    return PW_OK;
}

/* Nodes beside a thin conducting layer hold what a fit says (medium/sheet/sheet_law.h), which need not be smooth in
 * what the layer is made of: then two steps say different things, and there is no derivative. */
static pw_status check_smooth(const struct setup *base, const struct derived *derived, const pw_parameter *parameter,
                              pw_error *error)
{
    char what[PW_PARAMETER_TEXT_SIZE];
    double size = 0, apart = 0;
    for (int64_t n = 0; derived->apart != NULL && n < 2 * place_count(&base->problem); n++) {
        size += fabs(derived->pair[n]);
        apart += fabs(derived->apart[n]);
    }
    return apart <= ROUGHNESS_MOST * size
               ? PW_OK
               : fail(error, PW_BAD_INPUT,
                      "the nodes of the grid do not follow %s smoothly (steps differ by %.2g): they hold what a fit to "
                      "thin conducting layers says, and the channel has no derivative to it. Vary it by `sweep`",
                      pw_parameter_text(parameter, what), apart / size);
}

/* To fourth order in the step, for some averagings are not linear; in single precision the second is enough where
 * nothing has to be checked. */
static pw_status derive(const struct setup *base, const char *text, const pw_parameter *parameter, int transmitter,
                        double step, const struct derived *to, pw_error *error)
{
    static const double AT[] = {1, -1, 2, -2}, WEIGHT[2][4] = {{0.5, -0.5}, {2.0 / 3, -2.0 / 3, -1.0 / 12, 1.0 / 12}},
                        APART[] = {0.5, -0.5, -0.25, 0.25};
    const bool fine = to->apart != NULL || base->problem.precision == PW_DOUBLE;
    for (int k = 0; k < (fine ? 4 : 2); k++) {
        const struct shifted shifted = {1 + AT[k] * step, WEIGHT[fine][k] / step, APART[k] / step};
        TRY(add_changed(base, text, parameter, transmitter, &shifted, to, error));
    }
    return check_smooth(base, to, parameter, error);
}

static bool has_films(const struct scenario *scenario)
{
    for (int n = 0; n < scenario->plan.shape_count; n++) {
        if (material_is_film(&scenario->plan.shapes[n].material)) {
            return true;
        }
    }
    return false;
}

pw_status node_changes_find(const struct setup *base, const char *text, const pw_parameter *parameter, double step,
                            bool beside_metal, struct node_changes *changes, pw_error *error)
{
    const size_t places = (size_t)place_count(&base->problem), values = 2 * places;
    const bool checked = has_films(base->scenario);
    *changes = (struct node_changes){.transmitter = -1};
    if (parameter->kind == PW_PARAMETER_X || parameter->kind == PW_PARAMETER_Y) {
        TRY(take_transmitter(base, parameter, &step, changes, error));
    }
    OWNED double *pair = allocate(values * (checked ? 2 : 1), sizeof *pair, "coefficients of places", error);
    OWNED uint8_t *leave = allocate(places, 1, "places beside metal", error);
    TRY_MADE(pair != NULL && leave != NULL);
    const struct derived derived = {pair, checked ? pair + values : NULL, beside_metal ? leave : NULL};
    TRY(derive(base, text, parameter, changes->transmitter, step, &derived, error));
    for (size_t n = 0; n < places; n++) {
        if (leave[n]) {
            pair[2 * n] = pair[2 * n + 1] = 0;
            changes->left_out++;
        }
    }
    return keep_changed(base, pair, changes, error);
}

void node_changes_free(struct node_changes *changes)
{
    FREE_ALL(changes->place, changes->storage, changes->conservation);
    *changes = (struct node_changes){0};
}
