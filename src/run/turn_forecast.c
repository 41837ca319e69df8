/* See turn_forecast.h. While a part steps the next one comes and the one before goes; who takes longest of the three
 * decides. A round goes through all parts, and as many equally deep ones as it takes lead from one look at the energy
 * to the next (run/simulation.c):
 *
 *     part     0      1      2      3      4      5      0 of the next round
 *     step  [  0  ][  1  ][  2  ][  3  ][  4  ][  5  ][  0  ]
 *     come  [ 1 ]  [ 2 ]  [ 3 ]  [ 4 ]  [ 5 ]  [ 0 ]  [ 1 ]
 *     go    [5]    [0]    [1]    [2]    [3]    [4]    [5]
 *
 * Model and measurements are compared in validation/performance.md. */
#include "run/turn_forecast.h"
#include "backend/parts/cut.h"

#include <math.h>

struct model {
    const struct turn_plan *plan;
    struct cut cut;
    double rate;
};

static double stepped(const struct model *model, int p)
{
    const struct part_box box = cut_box(&model->cut, p);
    return (double)part_box_nodes(&box);
}

static double owned(const struct model *model, int p)
{
    const struct part_box box = cut_box(&model->cut, p);
    double nodes = 1;
    for (int a = 0; a < 3; a++) {
        nodes *= box.own_end[a] - box.own[a];
    }
    return nodes;
}

static double round_seconds(const struct model *model, double steps)
{
    const struct turn_plan *plan = model->plan;
    const int count = cut_count(&model->cut);
    double seconds = 0;
    for (int p = 0; p < count; p++) {
        const double step = stepped(model, p) * steps / model->rate,
                     come = stepped(model, (p + 1) % count) * plan->in_bytes / plan->link,
                     go = owned(model, (p + count - 1) % count) * plan->out_bytes / plan->link;
        /* Where parts do not fill the shares evenly the first comes to that of the last but one, after that went. */
        const bool waits = p == count - 1 && plan->shares > 0 && count % plan->shares != 0;
        seconds += fmax(step, waits ? come + go : fmax(come, go)) + plan->once;
    }
    return seconds;
}

/* So many steps without a look in between. */
static double stretch_seconds(const struct model *model, double steps)
{
    const double rounds = ceil(steps / model->cut.depth);
    return rounds > 0 ? rounds * round_seconds(model, steps / rounds) : 0;
}

static pw_status cut_planned(const struct problem *problem, const struct turn_plan *plan, struct cut *cut,
                             pw_error *error)
{
    const struct cut_request request = {.count = plan->parts[0] * plan->parts[1] * plan->parts[2],
                                        .parts = {plan->parts[0], plan->parts[1], plan->parts[2]},
                                        .depth = plan->depth};
    return cut_choose(problem, &request, cut, error);
}

pw_status turn_part_size(const struct problem *problem, const struct turn_plan *plan, int size[3], pw_error *error)
{
    struct cut cut;
    TRY(cut_planned(problem, plan, &cut, error));
    for (int p = 0; p < cut_count(&cut); p++) {
        const struct part_box box = cut_box(&cut, p);
        for (int a = 0; a < 3; a++) {
            const int count = box.end[a] - box.first[a];
            size[a] = p == 0 || count > size[a] ? count : size[a];
        }
    }
    return PW_OK;
}

pw_status turn_forecast(const struct problem *problem, const struct turn_plan *plan, double rate, double steps,
                        double *seconds, pw_error *error)
{
    struct model model = {.plan = plan, .rate = rate};
    TRY(cut_planned(problem, plan, &model.cut, error));
    const double watch = (double)problem->watch_every,
                 driven = (double)problem->source_end / 8 + problem->spectra.every, often = fmin(watch, driven),
                 until = fmin(steps, (double)problem->source_end);
    *seconds =
        until / often * stretch_seconds(&model, often) + (steps - until) / watch * stretch_seconds(&model, watch);
    return PW_OK;
}
