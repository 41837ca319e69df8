/* See metal_lines.h. */
#include "discretize/volume/metal_lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void metal_list_begin(struct problem *problem, struct metal_list *list)
{
    *list = (struct metal_list){.problem = problem};
    stencil_polynomial(problem->difference, problem->reach, list->polynomial);
}

void metal_line_smooth(const struct metal_list *list, const double open[WINDOW + 1], double value[WINDOW])
{
    const int degree = list->problem->reach - 1;
    double sum[WINDOW], next[WINDOW];
    for (int w = 0; w < WINDOW; w++) {
        sum[w] = list->polynomial[degree] * value[w];
    }
    for (int m = degree - 1; m >= 0; m--) {
        for (int w = 0; w < WINDOW; w++) {
            const double low = w > 0 ? sum[w - 1] : 0, high = w + 1 < WINDOW ? sum[w + 1] : 0;
            next[w] = open[w] * (sum[w] - low) + open[w + 1] * (sum[w] - high) + list->polynomial[m] * value[w];
        }
        memcpy(sum, next, sizeof sum);
    }
    memcpy(value, sum, sizeof sum);
}

bool metal_line_place(int n, int p, int *node)
{
    while (p < 0 || p > n) {
        p = p < 0 ? -p : 2 * n - p;
    }
    *node = p;
    return p < n;
}

void metal_sums_add(struct metal_sums *sums, int64_t place, double weight)
{
    int t = 0;
    while (t < sums->count && sums->term[t].place != place) {
        t++;
    }
    if (t == sums->count) {
        sums->term[sums->count++] = (struct metal_term){.place = place};
    }
    sums->term[t].weight += weight;
}

static int term_order(const void *a, const void *b)
{
    const struct metal_term *m = a, *n = b;
    return (m->place > n->place) - (m->place < n->place);
}

static pw_status grow(void **list, int64_t *capacity, int64_t wanted, size_t size, pw_error *error)
{
    if (wanted > *capacity) {
        void *larger = realloc(*list, (size_t)(2 * wanted) * size);
        if (larger == NULL) {
            return fail(error, PW_NO_RESOURCE, "not enough memory for %lld terms beside metal", (long long)wanted);
        }
        *list = larger;
        *capacity = 2 * wanted;
    }
    return PW_OK;
}

pw_status metal_row_take(struct metal_list *list, int64_t place, struct metal_sums *sums, pw_error *error)
{
    struct problem *problem = list->problem;
    void *rows = problem->metal_rows, *terms = problem->metal_terms;
    int kept = 0;
    for (int t = 0; t < sums->count; t++) {
        if (fabs(sums->term[t].weight) > ROUNDING) {
            sums->term[kept++] = sums->term[t];
        }
    }
    if (kept == 0) {
        return PW_OK;
    }
    qsort(sums->term, (size_t)kept, sizeof *sums->term, term_order);
    pw_status status =
        grow(&rows, &list->row_capacity, problem->metal_row_count + 1, sizeof *problem->metal_rows, error);
    problem->metal_rows = rows;
    TRY(status);
    status = grow(&terms, &list->term_capacity, problem->metal_term_count + kept, sizeof *problem->metal_terms, error);
    problem->metal_terms = terms;
    TRY(status);
    problem->metal_rows[problem->metal_row_count++] = (struct metal_row){place, problem->metal_term_count, kept};
    memcpy(problem->metal_terms + problem->metal_term_count, sums->term, (size_t)kept * sizeof *sums->term);
    problem->metal_term_count += kept;
    return PW_OK;
}
