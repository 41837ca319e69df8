/* See metal_lines.h. */
#include "discretize/volume/metal_lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void metal_list_begin(const struct problem *problem, struct metal_list *list)
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

static pw_status rows_grow(struct metal_list *list, int64_t rows, int64_t terms, pw_error *error)
{
    TRY(array_grow(&list->rows, &list->row_capacity, (size_t)(list->row_count + rows), sizeof *list->rows,
                   "rows beside metal", error));
    return array_grow(&list->terms, &list->term_capacity, (size_t)(list->term_count + terms), sizeof *list->terms,
                      "rows beside metal", error);
}

pw_status metal_row_take(struct metal_list *list, int64_t place, struct metal_sums *sums, pw_error *error)
{
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
    TRY(rows_grow(list, 1, kept, error));
    list->rows[list->row_count++] = (struct metal_row){place, list->term_count, kept};
    memcpy(list->terms + list->term_count, sums->term, (size_t)kept * sizeof *sums->term);
    list->term_count += kept;
    return PW_OK;
}

pw_status metal_list_append(struct metal_list *list, const struct metal_list *more, pw_error *error)
{
    if (more->row_count == 0) {
        return PW_OK;
    }
    TRY(rows_grow(list, more->row_count, more->term_count, error));
    for (int64_t r = 0; r < more->row_count; r++) {
        list->rows[list->row_count] = more->rows[r];
        list->rows[list->row_count++].first += list->term_count;
    }
    memcpy(list->terms + list->term_count, more->terms, (size_t)more->term_count * sizeof *more->terms);
    list->term_count += more->term_count;
    return PW_OK;
}

void metal_list_give(const struct metal_list *list, struct problem *problem)
{
    problem->metal_rows = list->rows;
    problem->metal_terms = list->terms;
    problem->metal_row_count = list->row_count;
    problem->metal_term_count = list->term_count;
}
