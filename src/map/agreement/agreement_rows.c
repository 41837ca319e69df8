/* The rows of an agreement: sums, errors, and what could not be compared. */
#include "map/agreement/agreement.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

pw_status agreement_begin(struct agreement_tally *tally, size_t most, pw_error *error)
{
    *tally = (struct agreement_tally){.level = allocate(most + 1, sizeof(double), "differences", error)};
    return tally->level == NULL ? PW_NO_RESOURCE : PW_OK;
}

bool agreement_add(struct agreement_tally *tally, double difference, double reference, double level)
{
    tally->difference += difference;
    tally->reference += reference;
    tally->count++;
    if (!isfinite(level)) {
        return false;
    }
    bool most = tally->levels == 0 || fabs(level) > tally->largest;
    tally->level[tally->levels++] = fabs(level);
    tally->largest = most ? fabs(level) : tally->largest;
    return most;
}

pw_agreement_row *agreement_row(struct agreement *agreement, const char *what, const char *of, pw_error *error)
{
    if (array_grow(&agreement->row, &agreement->room, agreement->count, sizeof *agreement->row, "quantities to compare",
                   error) != PW_OK) {
        return NULL;
    }
    pw_agreement_row *row = &agreement->row[agreement->count++];
    *row = (pw_agreement_row){.rms = NAN, .median = NAN, .p90 = NAN, .largest = NAN, .error = NAN};
    snprintf(row->what, sizeof row->what, "%s", what);
    snprintf(row->of, sizeof row->of, "%s", of);
    return row;
}

pw_status agreement_skip(struct agreement *agreement, const char *what, const char *of, bool one_sided, pw_error *error,
                         const char *why, ...)
{
    pw_agreement_row *row = agreement_row(agreement, what, of, error);
    TRY_MADE(row);
    va_list list;
    va_start(list, why);
    vsnprintf(row->note, sizeof row->note, why, list);
    va_end(list);
    row->different = one_sided;
    return PW_OK;
}

/* Whether the row has more than is allowed. */
static bool exceeds(const struct agreement *agreement, const pw_agreement_row *row)
{
    bool error = !isnan(agreement->max_error) && !(row->error <= agreement->max_error);
    bool levels = !isnan(agreement->max_db) && strcmp(row->unit, "dB") == 0 && row->rms > agreement->max_db;
    return error || levels;
}

void agreement_judge(const struct agreement *agreement, struct agreement_tally *tally, const char *unit,
                     pw_agreement_row *row)
{
    long double squares = 0;
    qsort(tally->level, (size_t)tally->levels, sizeof *tally->level, pw_number_order);
    for (int64_t n = 0; n < tally->levels; n++) {
        squares += (long double)tally->level[n] * tally->level[n];
    }
    const pw_distribution levels = {.count = tally->levels, .values = tally->level};
    row->count = tally->count;
    row->error = tally->difference > 0 ? (double)sqrtl(tally->difference / tally->reference) : 0.0;
    row->rms = tally->levels > 0 ? (double)sqrtl(squares / (long double)tally->levels) : NAN;
    row->median = pw_distribution_percentile(&levels, 50.0);
    row->p90 = pw_distribution_percentile(&levels, 90.0);
    row->largest = tally->levels > 0 ? tally->largest : NAN;
    snprintf(row->unit, sizeof row->unit, "%s", unit);
    row->different = exceeds(agreement, row);
    free(tally->level);
    tally->level = NULL;
}
