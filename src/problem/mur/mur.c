/* See mur.h. */
#include "problem/mur/mur.h"

#include "problem/physics/physics.h"

#include <math.h>

bool problem_has_mur(const struct problem *problem)
{
    bool found = false;
    for (int a = 0; a < 2; a++) {
        found = found || problem->axis[a].low.one_way > 0 || problem->axis[a].high.one_way > 0;
    }
    return found;
}

static void spread_edges(const struct problem *problem, struct spread *spread)
{
    for (int a = 0; a < 2; a++) {
        const int orders[2] = {problem->axis[a].low.one_way, problem->axis[a].high.one_way};
        for (int end = 0; end < 2; end++) {
            const int nodes = orders[end] > 0 ? 2 * problem->reach : 0;
            spread->end[a][end] = spread->end[a][end] > nodes ? spread->end[a][end] : nodes;
        }
    }
}

const struct physics physics_mur = {
    .spread = spread_edges, .present = problem_has_mur, .declined = "it takes no one-way edges (mur)"};

/* The square root of the first Laplacian tap by which a problem's stencil is divided (problem.h): the first difference
 * of a straight line is its slope. */
static double first_tap_root(const struct problem *problem)
{
    double sum = 0;
    for (int l = 0; l < problem->reach; l++) {
        sum += (2 * l + 1) * problem->difference[l];
    }
    return 1 / sum;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

struct mur_plan mur_plan(const struct problem *problem)
{
    struct mur_plan plan = {
        .depth = 2 * problem->reach - 1, .taps = problem->laplacian_taps, .centre = problem->centre};
    for (int a = 0; a < 2; a++) {
        const struct axis *axis = &problem->axis[a];
        plan.count[a] = axis->count;
        plan.symmetric[a] = axis->low.symmetric;
        plan.inner[a][0] = axis->low.one_way > 0 ? smaller(plan.depth, axis->count) : 0;
        plan.inner[a][1] = axis->high.one_way > 0 ? axis->count - plan.depth : axis->count;
        plan.inner[a][1] = plan.inner[a][1] > plan.inner[a][0] ? plan.inner[a][1] : plan.inner[a][0];
        for (int end = 0; end < 2; end++) {
            plan.order[a][end] = end == 0 ? axis->low.one_way : axis->high.one_way;
            plan.first[a][end] = plan.memory;
            plan.memory += plan.order[a][end] == 2 ? problem->axis[1 - a].count : 0;
        }
    }
    for (int m = 0; m < plan.taps; m++) {
        plan.laplacian[m] = problem->laplacian[m];
    }
    plan.near = 1 / (first_tap_root(problem) * first_tap_root(problem));
    return plan;
}

int64_t mur_memory(const struct problem *problem)
{
    return mur_plan(problem).memory;
}

/* Of row p; root: first_tap_root. */
static struct mur_rate rate_of(const struct problem *problem, int p, double root)
{
    const double *row = problem_coefficient(problem, p);
    /* cb = k^2 laplacian(1)/(1 + a), ca = (1 - a)/(1 + a): k = c dt/cell in the medium. */
    double k = sqrt(2 * row[COEFFICIENT_CB] / (1 + row[COEFFICIENT_CA])) / root, diagonal = k / sqrt(2);
    if (k == 0) {
        return (struct mur_rate){.ca = row[COEFFICIENT_CA], .cb = row[COEFFICIENT_CB]};
    }
    return (struct mur_rate){.ca = row[COEFFICIENT_CA],
                             .cb = row[COEFFICIENT_CB],
                             .fade = (k - 1) / (k + 1),
                             .grow = 2 * k / (k + 1),
                             .turn = k * k / (2 * (k + 1)),
                             .diagonal_fade = (diagonal - 1) / (diagonal + 1),
                             .diagonal_grow = 2 * diagonal / (diagonal + 1)};
}

void mur_rates(const struct problem *problem, struct mur_rate *rates)
{
    const double root = first_tap_root(problem);
    for (int p = 0; p < problem->coefficient_count; p++) {
        rates[p] = rate_of(problem, p, root);
    }
}
