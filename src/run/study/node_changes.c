/* See node_changes.h. Leaves out what a change does to the field (gradients.c). */
#include "run/study/node_changes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Adds `weight` times 1/cb and ca/cb of every node to (nodes, 2); 0 in a perfect conductor, where cb is 0. */
static void read_nodes(const struct problem *problem, double weight, double *pair)
{
    const int64_t nodes = problem_nodes(problem);
    for (int64_t n = 0; n < nodes; n++) {
        const double *row = problem->coefficients + (size_t)problem->coefficient_index[n] * COEFFICIENT_WIDTH;
        const double cb = row[COEFFICIENT_CB];
        pair[2 * n] += cb != 0 ? weight / cb : 0;
        pair[2 * n + 1] += cb != 0 ? weight * row[COEFFICIENT_CA] / cb : 0;
    }
}

/* Rows beside metal are not followed: they must say the same before and after. */
static bool same_metal(const struct problem *a, const struct problem *b)
{
    if (a->metal_row_count != b->metal_row_count || a->metal_term_count != b->metal_term_count) {
        return false;
    }
    for (int64_t r = 0; r < a->metal_row_count; r++) {
        const struct metal_row *row = &a->metal_rows[r];
        const double cb_a = a->coefficients[a->coefficient_index[row->place] * COEFFICIENT_WIDTH + COEFFICIENT_CB];
        const double cb_b = b->coefficients[b->coefficient_index[row->place] * COEFFICIENT_WIDTH + COEFFICIENT_CB];
        if (row->place != b->metal_rows[r].place || row->count != b->metal_rows[r].count) {
            return false;
        }
        for (int64_t t = row->first; t < row->first + row->count; t++) {
            const double left = a->metal_terms[t].weight * cb_b, right = b->metal_terms[t].weight * cb_a;
            if (a->metal_terms[t].place != b->metal_terms[t].place ||
                fabs(left - right) > 1e-9 * fmax(fabs(left), fabs(right))) {
                return false;
            }
        }
    }
    return true;
}

static pw_status check_same(const struct setup *base, const struct setup *other, const char *what, pw_error *error)
{
    const struct problem *a = &base->problem, *b = &other->problem;
    if (a->axis[0].count != b->axis[0].count || a->axis[1].count != b->axis[1].count) {
        return fail(error, PW_BAD_INPUT, "%s changes the size of the grid, so the channel has no derivative to it",
                    what);
    }
    if (fabs(a->time_step / b->time_step - 1) > 1e-12) {
        return fail(error, PW_BAD_INPUT, "%s changes the time step. Give grid.courant in the scenario", what);
    }
    if (!same_metal(a, b)) {
        return fail(error, PW_BAD_INPUT,
                    "%s changes how nodes beside metal are solved, and sensitivities do not follow that. Leave it out",
                    what);
    }
    return PW_OK;
}

/* Adds `weight` times the nodes' numbers with the parameter multiplied by `factor`. */
static pw_status add_changed(const struct setup *base, const char *text, const pw_parameter *parameter, double factor,
                             double weight, double *pair, pw_error *error)
{
    char what[PW_PARAMETER_TEXT_SIZE];
    pw_scenario *scenario = NULL;
    pw_setup *setup = NULL;
    pw_status status = pw_scenario_parse(base->scenario->file, text, NULL, 0, &scenario, error);
    status = status == PW_OK ? pw_parameter_scale(scenario, parameter, factor, error) : status;
    status = status == PW_OK ? pw_setup_create(scenario, base->problem.precision, false, &setup, error) : status;
    status = status == PW_OK ? check_same(base, setup, pw_parameter_text(parameter, what), error) : status;
    if (status == PW_OK) {
        read_nodes(&setup->problem, weight, pair);
    }
    pw_setup_free(setup);
    pw_scenario_free(scenario);
    return status;
}

/* What of `pair` is more than rounding goes into the list. */
static pw_status keep_changed(const struct setup *base, const double *pair, struct node_changes *changes,
                              pw_error *error)
{
    const int64_t nodes = problem_nodes(&base->problem);
    const struct coefficient_step air = setup_coefficient_step(base);
    double row[COEFFICIENT_WIDTH];
    coefficient_fill(&(struct plain_medium){.relative_permittivity = 1}, &air, row);
    const double rounding = 1e-9 / row[COEFFICIENT_CB];
    for (int64_t n = 0; n < nodes; n++) {
        changes->count += fabs(pair[2 * n]) > rounding || fabs(pair[2 * n + 1]) > rounding;
    }
    changes->node = allocate((size_t)changes->count, sizeof *changes->node, "nodes of a wall", error);
    changes->storage = allocate((size_t)changes->count, sizeof(double), "nodes of a wall", error);
    changes->conservation = allocate((size_t)changes->count, sizeof(double), "nodes of a wall", error);
    if (changes->node == NULL || changes->storage == NULL || changes->conservation == NULL) {
        node_changes_free(changes);
        return PW_NO_RESOURCE;
    }
    for (int64_t n = 0, at = 0; n < nodes; n++) {
        if (fabs(pair[2 * n]) > rounding || fabs(pair[2 * n + 1]) > rounding) {
            changes->node[at] = n;
            changes->storage[at] = pair[2 * n];
            changes->conservation[at++] = pair[2 * n + 1];
        }
    }
    return PW_OK;
}

pw_status node_changes_find(const struct setup *base, const char *text, const pw_parameter *parameter, double step,
                            struct node_changes *changes, pw_error *error)
{
    *changes = (struct node_changes){0};
    double *pair = allocate(2 * (size_t)problem_nodes(&base->problem), sizeof *pair, "coefficients of nodes", error);
    if (pair == NULL) {
        return PW_NO_RESOURCE;
    }
    /* To fourth order in the step: some averagings are not linear in a thickness. */
    static const double AT[] = {1, -1, 2, -2}, WEIGHT[] = {2.0 / 3, -2.0 / 3, -1.0 / 12, 1.0 / 12};
    pw_status status = PW_OK;
    for (int k = 0; status == PW_OK && k < 4; k++) {
        status = add_changed(base, text, parameter, 1 + AT[k] * step, WEIGHT[k] / step, pair, error);
    }
    status = status == PW_OK ? keep_changed(base, pair, changes, error) : status;
    free(pair);
    return status;
}

void node_changes_free(struct node_changes *changes)
{
    free(changes->node);
    free(changes->storage);
    free(changes->conservation);
    *changes = (struct node_changes){0};
}
