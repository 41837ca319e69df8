/* The boxes of a cut, and which cut suits a grid. */
#include "backend/parts/cut.h"
#include "backend/parts/rest_share.h"
#include "problem/physics/physics.h"

#include <stdlib.h>

static int least_of(int64_t a, int64_t b)
{
    return (int)(a < b ? a : b);
}

static int most_of(int64_t a, int64_t b)
{
    return (int)(a > b ? a : b);
}

static void describe(const struct problem *problem, struct cut *cut)
{
    const bool volume = problem->formulation == FORMULATION_MAXWELL3D;
    const struct spread spread = problem_spread(problem);
    *cut = (struct cut){.creep = spread.creep, .rim = spread.rim, .margin = volume ? 0 : problem_layer(problem)};
    cut->least = 2 * cut->margin + 6 * problem->reach + 2;
    for (int a = 0; a < 3; a++) {
        cut->grid[a] = problem->axis[a].count;
        cut->low_nodes[a] = spread.end[a][0];
        cut->high_nodes[a] = spread.end[a][1];
        cut->parts[a] = 1;
    }
}

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

/* The first node of part p of an axis. */
static int own_first(const struct cut *cut, int axis, int p)
{
    const int64_t count = cut->grid[axis], parts = cut->parts[axis];
    if (axis > 0) {
        return (int)(count * p / parts);
    }
    int64_t blocks = (count + CUT_ENERGY_COLUMNS - 1) / CUT_ENERGY_COLUMNS;
    return p == parts ? (int)count : least_of(count, blocks * p / parts * CUT_ENERGY_COLUMNS);
}

/* Along one axis. */
static void cut_axis(const struct cut *cut, int axis, int p, struct part_box *box)
{
    const int count = cut->grid[axis], overlap = cut->margin + cut->rim + cut->depth * cut->creep;
    int own = own_first(cut, axis, p), own_end = own_first(cut, axis, p + 1);
    int first = own == 0 ? 0 : own - overlap, end = own_end == count ? count : own_end + overlap;
    int missing = most_of(0, cut->least - (end - first));
    first -= own == 0 ? 0 : missing; /* a part that is narrow has more of its neighbours */
    end += own_end == count ? 0 : missing;
    first = first < most_of(1, cut->low_nodes[axis]) ? 0 : first;
    end = end > count - most_of(1, cut->high_nodes[axis]) ? count : end;
    box->own[axis] = own;
    box->own_end[axis] = own_end;
    box->first[axis] = first;
    box->end[axis] = end;
    box->valid[axis] = first == 0 ? 0 : first + cut->margin;
    box->valid_end[axis] = end == count ? count : end - cut->margin;
}

struct part_box cut_box(const struct cut *cut, int p)
{
    struct part_box box;
    cut_axis(cut, 0, p % cut->parts[0], &box);
    cut_axis(cut, 1, p / cut->parts[0] % cut->parts[1], &box);
    cut_axis(cut, 2, p / cut->parts[0] / cut->parts[1], &box);
    return box;
}

static int64_t volume_of(const int first[3], const int end[3])
{
    return (int64_t)(end[0] - first[0]) * (end[1] - first[1]) * (end[2] - first[2]);
}

int64_t part_box_nodes(const struct part_box *box)
{
    return volume_of(box->first, box->end);
}

static int64_t part_box_overlap(const struct part_box *box)
{
    return volume_of(box->valid, box->valid_end) - volume_of(box->own, box->own_end);
}

bool boxes_meet(const int first[3], const int end[3], const int other_first[3], const int other_end[3], int shared[3],
                int shared_end[3])
{
    bool meet = true;
    for (int a = 0; a < 3; a++) {
        shared[a] = most_of(first[a], other_first[a]);
        shared_end[a] = least_of(end[a], other_end[a]);
        meet = meet && shared[a] < shared_end[a];
    }
    return meet;
}

/* ---- the choice -------------------------------------------------------------------------------------------------- */

/* Parts that an axis can be cut into: none owns less than what is wrong spreads in a step. */
static int parts_at_most(const struct cut *cut, int axis, bool uniform)
{
    if (uniform || cut->grid[axis] == 1) {
        return 1;
    }
    int least = axis == 0 ? most_of(CUT_ENERGY_COLUMNS, cut->creep) : cut->creep;
    return most_of(1, cut->grid[axis] / least);
}

/* Nanoseconds on one thread, or on one GPU, as measured (validation/scaling.md). */
struct cost {
    double step;    /* of a node and step */
    double visit;   /* more for a node in each visit, which goes through memory once for all its steps */
    double sent;    /* of a node of the overlap, packed, handed over and unpacked */
    double message; /* of an exchange along an axis: not measured, and small beside the rest */
    int together;   /* steps of a visit at most; 0: all of them */
};

static struct cost cost_on_gpus(const struct problem *problem)
{
    const double reach = problem->reach;
    if (problem->formulation == FORMULATION_MAXWELL3D && problem->reach > 1) { /* "relay" */
        const int together = problem->reach <= 4 ? 6 - problem->reach : 1;
        return (struct cost){
            .step = 0.0095 + 0.004 * reach, .visit = 0.0045, .sent = 0.18, .message = 50000, .together = together};
    }
    return problem->formulation == FORMULATION_MAXWELL3D
               ? (struct cost){.step = 0.01, .visit = 0.0005, .sent = 0.33, .message = 50000}
               : (struct cost){.step = 0.0003 + 0.0005 * reach, .visit = 0.0005, .sent = 0.25, .message = 50000};
}

static struct cost cost_of_nodes(const struct problem *problem, bool gpus)
{
    const double reach = problem->reach;
    if (gpus) {
        return cost_on_gpus(problem);
    }
    return problem->formulation == FORMULATION_MAXWELL3D
               ? (struct cost){.step = 1.4 * reach, .visit = 3, .sent = 15, .message = 20000}
               : (struct cost){.step = 0.05 + 0.22 * reach, .visit = 1.5, .sent = 3.3, .message = 20000};
}

/* ---- what is at rest --------------------------------------------------------------------------------------------- */

enum { SLICES = 32, SOURCES = 8 };

/* Of each part the share of its cells that is stepped, as the run goes on. The moments are those of the run of one
 * source, then of the next; of many sources some. */
struct reached {
    int moments;
    double *share; /* (moments, parts), owned; NULL: all are stepped */
};

static void reached_free(struct reached *reached)
{
    free(reached->share);
}

static pw_status reached_create(const struct problem *problem, const struct cut_request *request, const struct cut *cut,
                                struct reached *reached, pw_error *error)
{
    const int parts = cut_count(cut), count = least_of(problem->source_count, SOURCES);
    *reached = (struct reached){.moments = 1};
    if (!request->gpus || !(request->steps > 0) || count < 1) {
        return PW_OK;
    }
    reached->moments = count * SLICES;
    reached->share = allocate((size_t)reached->moments * (size_t)parts, sizeof *reached->share, "a cut", error);
    TRY_MADE(reached->share);
    for (int p = 0; p < parts; p++) {
        const struct part_box box = cut_box(cut, p);
        double own[SOURCES * SLICES];
        for (int s = 0; s < count; s++) {
            const int source = (int)((int64_t)s * problem->source_count / count);
            reached_share(problem, source, box.own, box.own_end, request->steps, SLICES, own + (size_t)s * SLICES);
        }
        for (int m = 0; m < reached->moments; m++) {
            reached->share[m * parts + p] = own[m];
        }
    }
    return PW_OK;
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

/* About how long a step takes, in the mean over the run: parts wait for each other at every exchange, so that at each
 * moment the one that takes longest decides. */
static double cost_of(const struct cut *cut, const struct cost *cost, const struct reached *reached)
{
    double most[SOURCES * SLICES] = {0}, sum = 0;
    int axes = 0;
    const int visits = cost->together > 0 ? (cut->depth + cost->together - 1) / cost->together : 1,
              parts = cut_count(cut);
    for (int a = 0; a < 3; a++) {
        axes += cut->parts[a] > 1;
    }
    for (int p = 0; p < parts; p++) {
        const struct part_box box = cut_box(cut, p);
        const double stepped = (double)part_box_nodes(&box) * (cost->step + cost->visit * visits / cut->depth),
                     sent = cost->sent * (double)part_box_overlap(&box) / cut->depth;
        for (int m = 0; m < reached->moments; m++) {
            const double share = reached->share != NULL ? reached->share[m * parts + p] : 1,
                         time = stepped * share + sent;
            most[m] = time > most[m] ? time : most[m];
        }
    }
    for (int m = 0; m < reached->moments; m++) {
        sum += most[m];
    }
    return sum / reached->moments + cost->message * axes / cut->depth;
}

/* The best depth, unless it is asked for. */
static double settle_depth(struct cut *cut, const struct cost *cost, int depth, const struct reached *reached)
{
    const int depths[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32}, count = sizeof depths / sizeof depths[0];
    double best = -1;
    int chosen = depth;
    for (int d = 0; d < (depth > 0 ? 1 : count); d++) {
        cut->depth = depth > 0 ? depth : depths[d];
        double time = cost_of(cut, cost, reached);
        if (best < 0 || time < best) {
            best = time;
            chosen = cut->depth;
        }
    }
    cut->depth = chosen;
    return best;
}

/* Of a cut into so many parts along each axis: its depth, and *time, how long a step takes in it. */
static pw_status settle(const struct problem *problem, const struct cut_request *request, struct cut *cut, double *time,
                        pw_error *error)
{
    const struct cost cost = cost_of_nodes(problem, request->gpus);
    const struct reached all = {.moments = 1};
    OWNED_BY(reached_free) struct reached reached = {0};
    TRY(reached_create(problem, request, cut, &reached, error));
    *time = settle_depth(cut, &cost, request->depth, &reached);
    cut->stepped = *time / cost_of(cut, &cost, &all);
    return PW_OK;
}

static bool is_allowed(const struct cut_request *request, const int parts[3], const int most[3])
{
    for (int a = 0; a < 3; a++) {
        if (parts[a] > most[a] || (request->parts[a] > 0 && request->parts[a] != parts[a])) {
            return false;
        }
    }
    return true;
}

static pw_status fail_cut(const struct cut *cut, const struct cut_request *request, const int most[3], pw_error *error)
{
    return fail(error, PW_USAGE,
                "a grid of %d x %d x %d cells cannot be cut into %d parts%s: at most %d along x, %d along y and %d "
                "along z are possible",
                cut->grid[0], cut->grid[1], cut->grid[2], request->count,
                request->parts[0] + request->parts[1] + request->parts[2] > 0 ? " in the way that is asked for" : "",
                most[0], most[1], most[2]);
}

pw_status cut_choose(const struct problem *problem, const struct cut_request *request, struct cut *cut, pw_error *error)
{
    double best = -1, time = 0;
    struct cut tried;
    int most[3];
    FAIL_IF(problem->half && request->count > 1, error, PW_USAGE,
            "with grid.storage: half a grid is solved in one piece, and not in parts; leave storage out, or give one "
            "device or process");
    describe(problem, &tried);
    for (int a = 0; a < 3; a++) {
        most[a] = parts_at_most(&tried, a, problem->axis[a].uniform);
    }
    for (int x = 1; x <= request->count; x++) {
        for (int y = 1; y <= request->count / x && request->count % x == 0; y++) {
            const int parts[3] = {x, y, request->count / x / y};
            if (request->count / x % y != 0 || !is_allowed(request, parts, most)) {
                continue;
            }
            for (int a = 0; a < 3; a++) {
                tried.parts[a] = parts[a];
            }
            TRY(settle(problem, request, &tried, &time, error));
            if (best < 0 || time < best) {
                best = time;
                *cut = tried;
            }
        }
    }
    return best >= 0 ? PW_OK : fail_cut(&tried, request, most, error);
}
