/* See rank_forecast.h. */
#include "run/ranks/rank_forecast.h"
#include "backend/parts/crew.h"
#include "backend/parts/rest_share.h"
#include "base/memory.h"
#include "discretize/setup_bytes.h"
#include "problem/physics/part.h"
#include "run/ranks/box_times.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what the parts hold ----------------------------------------------------------------------------------------- */

static int64_t own_nodes(const struct part_box *box)
{
    return (int64_t)(box->own_end[0] - box->own[0]) * (box->own_end[1] - box->own[1]) * (box->own_end[2] - box->own[2]);
}

/* Rank 0 makes the problem of each part and sends it: it is there as a problem, as bytes, and as bytes on their way. */
static uint64_t problem_copies(const struct problem *part)
{
    uint64_t index =
        sizeof(uint16_t) * (uint64_t)part->layer_count * (uint64_t)part->axis[0].count * (uint64_t)part->axis[1].count;
    uint64_t drives = 2 * sizeof(double) * (uint64_t)part->source_count * (uint64_t)part->steps;
    return 3 * (index + drives);
}

/* One part: its problem is made for that, and freed. */
static pw_status measure_part(const struct backend *backend, const struct problem *problem, const struct cut *cut,
                              int number, struct part_load *load, pw_forecast *forecast, pw_error *error)
{
    OWNED_BY(problem_free) struct problem part = {0};
    OWNED_BY(part_records_free) struct part_records records = {0};
    uint64_t host = 0, device = 0;
    const struct part_box box = cut_box(cut, number);
    TRY(part_problem_create(&(struct part_cut){problem, &box, cut->margin, &records}, &part, error));
    backend_memory(backend, &part, 1, &host, &device);
    *load = (struct part_load){.nodes = (double)part_box_nodes(&box),
                               .points = (double)part.spectra.rows * part.spectra.columns,
                               .bytes = part_exchange_bytes(cut, &part, number, 1)};
    host += load->bytes + problem_copies(&part) / 3;
    forecast->rank_bytes = host > forecast->rank_bytes ? host : forecast->rank_bytes;
    forecast->exchanged_bytes = load->bytes > forecast->exchanged_bytes ? load->bytes : forecast->exchanged_bytes;
    forecast->first_rank_bytes =
        problem_copies(&part) > forecast->first_rank_bytes ? problem_copies(&part) : forecast->first_rank_bytes;
    return PW_OK;
}

/* Cells that the part that steps most steps beyond its own. */
static double overlap_of(const struct cut *cut)
{
    double overlap = 0;
    int64_t most = 0;
    for (int p = 0; p < cut_count(cut); p++) {
        const struct part_box box = cut_box(cut, p);
        if (part_box_nodes(&box) > most) {
            most = part_box_nodes(&box);
            overlap = (double)most / (double)own_nodes(&box) - 1;
        }
    }
    return overlap;
}

pw_status rank_plan_create(const struct setup *setup, const struct compute *compute, struct rank_plan *plan,
                           pw_forecast *forecast, pw_error *error)
{
    const struct ranks *ranks = compute->ranks;
    const struct problem *problem = &setup->problem;
    *plan = (struct rank_plan){0};
    struct cut_request request = compute->cut;
    request.gpus = compute->backend->devices != NULL;
    request.steps = (double)pw_setup_facts(setup).expected_steps;
    TRY(cut_choose(problem, &request, &plan->cut, error));
    const struct cut *cut = &plan->cut;
    plan->loads = allocate((size_t)cut_count(cut), sizeof *plan->loads, "the forecast of the ranks", error);
    pw_status status = plan->loads != NULL ? PW_OK : PW_NO_RESOURCE;
    for (int p = 0; p < cut_count(cut) && status == PW_OK; p++) {
        status = measure_part(compute->backend, problem, cut, p, &plan->loads[p], forecast, error);
    }
    forecast->ranks = cut_count(cut);
    memcpy(forecast->parts, cut->parts, sizeof forecast->parts);
    forecast->depth = cut->depth;
    forecast->overlap = overlap_of(cut);
    forecast->first_rank_bytes += forecast->rank_bytes + memory_resident() + setup_writing_bytes(setup);
    forecast->host_bytes = forecast->first_rank_bytes + (uint64_t)(ranks->here - 1) * forecast->rank_bytes;
    return status;
}

void rank_plan_free(struct rank_plan *plan)
{
    free(plan->loads);
    *plan = (struct rank_plan){0};
}

/* ---- the time ---------------------------------------------------------------------------------------------------- */

/* Nodes that a wave from a source may have reached after so many steps. */
static struct part_box reached_box(const struct problem *problem, const struct source *source, double steps)
{
    const int64_t nx = problem->axis[0].count, ny = problem->axis[1].count;
    const double grown = ceil((2 * problem->reach - 1) * steps);
    struct part_box box = {.first = {INT32_MAX, INT32_MAX, 0}, .end = {0, 0, problem->axis[2].count}};
    for (int64_t s = 0; s < source->count; s++) {
        const int64_t node = source->node[s] % problem_nodes(problem);
        const int at[2] = {(int)(node % nx), (int)(node / nx % ny)};
        for (int a = 0; a < 2; a++) {
            box.first[a] = at[a] < box.first[a] ? at[a] : box.first[a];
            box.end[a] = at[a] + 1 > box.end[a] ? at[a] + 1 : box.end[a];
        }
    }
    for (int a = 0; a < 2; a++) {
        box.first[a] = (int)fmax(0, box.first[a] - grown);
        box.end[a] = (int)fmin(problem->axis[a].count, box.end[a] + grown);
    }
    return box;
}

/* The share of a part's nodes that is stepped: in two dimensions the cpu leaves out what is still at rest, but for
 * parts that have been sent something else than zeros. `whole`: the part is the whole grid. */
static double share_stepped(const struct part_box *part, const struct part_box *reached, bool whole)
{
    int first[3], end[3];
    if (!boxes_meet(part->first, part->end, reached->first, reached->end, first, end)) {
        return 0;
    }
    bool inside = true;
    double share = 1;
    for (int a = 0; a < 2; a++) {
        inside = inside && reached->first[a] >= part->own[a] && reached->end[a] <= part->own_end[a];
        share *= (double)(end[a] - first[a]) / (part->end[a] - part->first[a]);
    }
    return whole || inside ? share : 1;
}

/* The whole grid as the one part. */
static struct part_box whole_box(const struct problem *problem)
{
    struct part_box box = {0};
    for (int a = 0; a < 3; a++) {
        box.end[a] = box.own_end[a] = box.valid_end[a] = problem->axis[a].count;
    }
    return box;
}

/* What a model of the time is made of. */
struct model {
    const struct problem *problem;
    const struct rank_plan *plan; /* NULL: alone */
    struct box_times times;
    bool leaves_out; /* what is still at rest */
};

/* What a step takes the part that takes longest, and how much of that is the exchange. `reached` NULL: everything. */
static double longest_step(const struct model *model, const struct part_box *reached, double *exchange)
{
    const struct problem *problem = model->problem;
    const struct box_times *times = &model->times;
    const struct part_load whole = {.nodes = (double)problem_nodes(problem),
                                    .points = (double)problem->spectra.rows * problem->spectra.columns};
    double longest = 0;
    for (int p = 0; p < (model->plan != NULL ? cut_count(&model->plan->cut) : 1); p++) {
        const struct part_load *load = model->plan != NULL ? &model->plan->loads[p] : &whole;
        const struct part_box box = model->plan != NULL ? cut_box(&model->plan->cut, p) : whole_box(problem);
        double sent =
            model->plan != NULL ? (double)load->bytes * (times->packed + times->sent) / model->plan->cut.depth : 0;
        double stepped =
            load->nodes * times->step * (reached != NULL ? share_stepped(&box, reached, model->plan == NULL) : 1);
        double step =
            stepped + sent + load->points * problem->spectra.frequency_count * times->sample / problem->spectra.every;
        *exchange = step > longest ? sent / step : *exchange;
        longest = step > longest ? step : longest;
    }
    return longest;
}

/* Of all steps of a source: those in which the wave still spreads are looked at in some places. */
static double seconds_of(const struct model *model, const struct source *source, double steps, double *exchange)
{
    enum { LOOKS = 64 };
    const struct problem *problem = model->problem;
    const int most = problem->axis[0].count > problem->axis[1].count ? problem->axis[0].count : problem->axis[1].count;
    const double spread = model->leaves_out ? fmin(steps, ceil((double)most / (2 * problem->reach - 1))) : 0;
    double seconds = (steps - spread) * longest_step(model, NULL, exchange), ignored;
    for (int n = 0; n < LOOKS && spread > 0; n++) {
        const struct part_box reached = reached_box(problem, source, spread * (n + 0.5) / LOOKS);
        seconds += spread / LOOKS * longest_step(model, &reached, &ignored);
    }
    return seconds;
}

/* Looks at the energy: about eight while the source drives, then as often as the watch is set (run/simulation.c). */
static double looks(const struct problem *problem, double steps)
{
    const double watch = (double)problem->watch_every,
                 driven = (double)problem->source_end / 8 + problem->spectra.every;
    const double often = fmin(steps, (double)problem->source_end);
    return 1 + often / fmin(watch, driven) + (steps - often) / watch;
}

pw_status rank_forecast_time(const struct setup *setup, const struct compute *compute, const struct rank_plan *plan,
                             pw_forecast *forecast, pw_error *error)
{
    const struct problem *problem = &setup->problem;
    const double nodes = (double)problem_nodes(problem), steps = (double)pw_setup_facts(setup).expected_steps;
    struct model model = {.problem = problem,
                          .plan = plan,
                          .leaves_out = compute->backend == &backend_cpu && problem->formulation == FORMULATION_TM2D};
    TRY(box_times_measure(setup, compute, plan != NULL ? &plan->cut : NULL, &model.times, error));
    const struct box_times *times = &model.times;
    for (int s = 0; s < problem->source_count; s++) {
        const double rest = plan != NULL                        ? 1 - plan->cut.stepped
                            : compute->backend->devices != NULL ? rest_share(problem, s, steps)
                                                                : 0;
        forecast->seconds += (1 - rest) * seconds_of(&model, &problem->sources[s], steps, &forecast->exchange_share) +
                             looks(problem, steps) * nodes * times->look;
        forecast->rest_share += rest / problem->source_count;
    }
    forecast->link_bytes_per_second = times->sent > 0 ? 1 / times->sent : 0;
    forecast->cells_per_second = forecast->seconds > 0 ? nodes * steps * problem->source_count / forecast->seconds : 0;
    return PW_OK;
}
