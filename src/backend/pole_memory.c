/* What dispersive nodes remember: in each row of each component, span by span, each state of its nodes in turn. */
#include "backend/run_memory.h"

static int64_t count_states(const struct problem *problem)
{
    return problem->pole_state_count;
}

/* The first span that ends after the place. */
static int64_t span_after(const struct problem *problem, int64_t place)
{
    int64_t low = 0, high = problem->pole_span_count;
    for (; low < high;) {
        int64_t middle = (low + high) / 2;
        const struct pole_span *span = &problem->pole_spans[middle];
        if (span->place + span->count > place) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

struct walk {
    const struct problem *problem;
    const struct patch *patch;
    patch_visit *visit;
    void *context;
};

static void visit_row(const struct walk *walk, int component, int j, int k)
{
    const struct problem *problem = walk->problem;
    const struct patch *patch = walk->patch;
    const int64_t nx = problem->axis[0].count, ny = problem->axis[1].count;
    const int64_t row_place = component * problem_nodes(problem) + ((int64_t)k * ny + j) * nx;
    const int64_t from = row_place + patch->first[0], to = from + patch->count[0];
    for (int64_t s = span_after(problem, from); s < problem->pole_span_count; s++) {
        const struct pole_span *span = &problem->pole_spans[s];
        if (span->place >= to) {
            return;
        }
        int64_t first = span->place > from ? span->place : from;
        int64_t last = span->place + span->count < to ? span->place + span->count : to;
        int states = pole_medium_states(&problem->pole_media[span->medium]);
        for (int state = 0; state < states; state++) {
            struct patch_row row = {.array = STATE_POLES,
                                    .i = (int)(first - row_place),
                                    .j = j,
                                    .k = k,
                                    .count = (int)(last - first),
                                    .component = component,
                                    .span = span,
                                    .state = state};
            walk->visit(walk->context, &row);
        }
    }
}

static void visit_poles(const struct problem *problem, const struct patch *patch, patch_visit *visit, void *context)
{
    const struct walk walk = {problem, patch, visit, context};
    for (int c = 0; c < problem_components(problem); c++) {
        for (int k = patch->first[2]; k < patch->first[2] + patch->count[2]; k++) {
            for (int j = patch->first[1]; j < patch->first[1] + patch->count[1]; j++) {
                visit_row(&walk, c, j, k);
            }
        }
    }
}

static int64_t state_place(const struct problem *problem, const struct patch_row *row)
{
    const int64_t nx = problem->axis[0].count, ny = problem->axis[1].count;
    const int64_t place = row->component * problem_nodes(problem) + (row->k * ny + row->j) * nx + row->i;
    return row->span->state + (int64_t)row->state * row->span->count + place - row->span->place;
}

/* Nodes of the spans that have some of the values: whole planes, or rows of one plane. */
static void narrow_to_spans(const struct problem *problem, const struct state_rows *rows, struct patch *box)
{
    const int64_t nodes = problem_nodes(problem), nx = problem->axis[0].count, ny = problem->axis[1].count;
    int64_t low = nodes, high = 0;
    for (int64_t s = 0; s < problem->pole_span_count; s++) {
        const struct pole_span *span = &problem->pole_spans[s];
        const int64_t end =
            s + 1 < problem->pole_span_count ? problem->pole_spans[s + 1].state : problem->pole_state_count;
        if (span->state < rows->to && end > rows->from) {
            const int64_t first = span->place % nodes, last = first + span->count - 1;
            low = first < low ? first : low;
            high = last > high ? last : high;
        }
    }
    const int64_t first = low / nx / ny, last = high / nx / ny;
    box->first[2] = (int)first;
    box->count[2] = (int)(last + 1 - first);
    if (first == last) {
        box->first[1] = (int)(low / nx % ny);
        box->count[1] = (int)(high / nx % ny) + 1 - box->first[1];
    }
}

const struct run_memory memory_poles = {.name = "poles",
                                        .array = STATE_POLES,
                                        .member = offsetof(struct run_state, poles),
                                        .count = count_states,
                                        .visit = visit_poles,
                                        .place = state_place,
                                        .narrow = narrow_to_spans};
