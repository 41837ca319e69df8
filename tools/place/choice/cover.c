/* What a choice of candidates is worth (cover.h). */
#include "place/choice/cover.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double higher(double a, double b)
{
    return a > b ? a : b;
}

static double lower(double a, double b)
{
    return a < b ? a : b;
}

static void cover_state_clear(const struct cover *cover, struct cover_state *state)
{
    for (int d = 0; d < 2 * cover->demand; d++) {
        state->best[d] = COVER_NOTHING;
    }
}

pw_status cover_state_create(const struct cover *cover, struct cover_state *state, pw_error *error)
{
    state->best = allocate(2 * (size_t)cover->demand, sizeof *state->best, "a choice of access points", error);
    state->second = state->best != NULL ? state->best + cover->demand : NULL;
    TRY_MADE(state->best);
    cover_state_clear(cover, state);
    return PW_OK;
}

void cover_state_free(struct cover_state *state)
{
    free(state->best);
    state->best = state->second = NULL;
}

void cover_state_add(const struct cover *cover, const struct cover_state *from, int candidate, struct cover_state *to)
{
    const double *level = cover->level + (size_t)candidate * (size_t)cover->demand;
    for (int d = 0; d < cover->demand; d++) {
        double best = from->best[d];
        to->second[d] = higher(from->second[d], lower(best, level[d]));
        to->best[d] = higher(best, level[d]);
    }
}

void cover_state_of(const struct cover *cover, const struct cover_set *set, int without, struct cover_state *state)
{
    cover_state_clear(cover, state);
    for (int n = 0; n < set->count; n++) {
        if (n != without) {
            cover_state_add(cover, state, set->site[n], state);
        }
    }
}

static struct cover_score score_of(const struct cover *cover, double covered, double doubled, double mean)
{
    double lacking = higher(0.0, cover->want - covered);
    lacking += cover->has_second ? higher(0.0, cover->want_second - doubled) : 0.0;
    return (struct cover_score){
        .lacking = lacking, .covered = covered, .doubled = doubled, .mean = mean / cover->total};
}

struct cover_score cover_score(const struct cover *cover, const struct cover_state *state, int candidate)
{
    const double *level = candidate >= 0 ? cover->level + (size_t)candidate * (size_t)cover->demand : state->best;
    double covered = 0.0, doubled = 0.0, mean = 0.0;
    for (int d = 0; d < cover->demand; d++) {
        double weight = cover->weight[d], best = higher(state->best[d], level[d]);
        covered += best >= cover->need ? weight : 0.0;
        mean += weight * best;
    }
    for (int d = 0; cover->has_second && d < cover->demand; d++) {
        double second = candidate >= 0 ? higher(state->second[d], lower(state->best[d], level[d])) : state->second[d];
        doubled += second >= cover->second ? cover->weight[d] : 0.0;
    }
    return score_of(cover, covered, doubled, mean);
}

bool cover_better(const struct cover *cover, const struct cover_score *a, const struct cover_score *b)
{
    if (fabs(a->lacking - b->lacking) > cover->slack) {
        return a->lacking < b->lacking;
    }
    if (fabs(a->covered - b->covered) > cover->slack) {
        return a->covered > b->covered;
    }
    if (fabs(a->doubled - b->doubled) > cover->slack) {
        return a->doubled > b->doubled;
    }
    return a->mean > b->mean + 1e-9; /* dB */
}

bool cover_lacks(const struct cover *cover, const struct cover_score *score)
{
    return score->lacking > 2.0 * cover->slack;
}

/* ---- quick bounds ---- */

static int descending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* How many of the largest it takes to add up to `want`. */
static int largest_needed(const struct cover *cover, double *value, double want)
{
    double sum = 0.0;
    int count = 0;
    qsort(value, (size_t)cover->candidates, sizeof *value, descending);
    while (count < cover->candidates && sum < want - 2.0 * cover->slack) {
        sum += value[count++];
    }
    return count;
}

/* The weight at which a candidate alone has `level`. */
static double cover_of(const struct cover *cover, int candidate, double level)
{
    const double *at = cover->level + (size_t)candidate * (size_t)cover->demand;
    double sum = 0.0;
    for (int d = 0; d < cover->demand; d++) {
        sum += at[d] >= level ? cover->weight[d] : 0.0;
    }
    return sum;
}

int cover_least_quick(const struct cover *cover)
{
    pw_error ignored;
    double *value = allocate((size_t)cover->candidates, sizeof *value, "a bound", &ignored);
    if (value == NULL) {
        return 1;
    }
    for (int c = 0; c < cover->candidates; c++) {
        value[c] = cover_of(cover, c, cover->need);
    }
    int least = largest_needed(cover, value, cover->want);
    if (cover->has_second && cover->want_second > 0.0) {
        for (int c = 0; c < cover->candidates; c++) {
            value[c] = cover_of(cover, c, cover->second);
        }
        int doubly = largest_needed(cover, value, 2.0 * cover->want_second); /* a place takes two of them */
        doubly = doubly < 2 ? 2 : doubly;
        least = doubly > least ? doubly : least;
    }
    free(value);
    return least < 1 ? 1 : least;
}

pw_status cover_most_quick(const struct cover *cover, const struct cover_set *set, int count, double *most,
                           pw_error *error)
{
    struct cover_state state = {0};
    double *gain = allocate((size_t)cover->candidates, sizeof *gain, "a bound", error);
    if (gain == NULL || cover_state_create(cover, &state, error) != PW_OK) {
        free(gain);
        return PW_NO_RESOURCE;
    }
    cover_state_of(cover, set, -1, &state);
    double have = cover_score(cover, &state, -1).covered;
    for (int c = 0; c < cover->candidates; c++) {
        gain[c] = cover_score(cover, &state, c).covered - have;
    }
    qsort(gain, (size_t)cover->candidates, sizeof *gain, descending);
    *most = have;
    for (int n = 0; n < count && n < cover->candidates; n++) {
        *most += gain[n];
    }
    free(gain);
    cover_state_free(&state);
    return PW_OK;
}
