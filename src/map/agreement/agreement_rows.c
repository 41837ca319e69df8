/* The rows of an agreement: sums, errors, and what could not be compared. */
#include "map/agreement/agreement.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

bool agreement_add(struct agreement_tally *tally, double difference, double reference, double level)
{
    bool most = tally->count == 0 || fabs(level) > tally->largest;
    tally->difference += difference;
    tally->reference += reference;
    tally->level += (long double)level * level;
    tally->largest = most ? fabs(level) : tally->largest;
    tally->count++;
    return most;
}

pw_agreement_row *agreement_row(struct agreement *agreement, const char *what, const char *of, pw_error *error)
{
    pw_agreement_row *roomy = array_with_room(agreement->row, &agreement->room, agreement->count, sizeof *roomy,
                                              "quantities to compare", error);
    if (roomy == NULL) {
        return NULL;
    }
    agreement->row = roomy;
    pw_agreement_row *row = &roomy[agreement->count++];
    *row = (pw_agreement_row){.rms = NAN, .largest = NAN, .error = NAN};
    snprintf(row->what, sizeof row->what, "%s", what);
    snprintf(row->of, sizeof row->of, "%s", of);
    return row;
}

pw_status agreement_skip(struct agreement *agreement, const char *what, const char *of, bool one_sided, pw_error *error,
                         const char *why, ...)
{
    pw_agreement_row *row = agreement_row(agreement, what, of, error);
    if (row == NULL) {
        return PW_NO_RESOURCE;
    }
    va_list list;
    va_start(list, why);
    vsnprintf(row->note, sizeof row->note, why, list);
    va_end(list);
    row->different = one_sided;
    return PW_OK;
}

void agreement_judge(const struct agreement *agreement, const struct agreement_tally *tally, const char *unit,
                     pw_agreement_row *row)
{
    row->count = tally->count;
    row->error = tally->difference > 0 ? (double)sqrtl(tally->difference / tally->reference) : 0.0;
    row->rms = (double)sqrtl(tally->level / (long double)tally->count);
    row->largest = tally->largest;
    row->different = !(row->error <= agreement->max_error);
    snprintf(row->unit, sizeof row->unit, "%s", unit);
}
