/* A list of looks at the energy that grows as it is filled (energy_history.h). */
#include "run/energy_history.h"

#include <stdlib.h>

enum { FIRST_LIMIT = 64 };

static pw_status history_grow(struct energy_history *history, pw_error *error)
{
    int limit = history->limit > 0 ? 2 * history->limit : FIRST_LIMIT;
    double *step = realloc(history->step, (size_t)limit * sizeof *step);
    if (step == NULL) {
        return fail(error, PW_NO_RESOURCE, "not enough memory for the history of the energy");
    }
    history->step = step;
    double *energy = realloc(history->energy, (size_t)limit * sizeof *energy);
    if (energy == NULL) {
        return fail(error, PW_NO_RESOURCE, "not enough memory for the history of the energy");
    }
    history->energy = energy;
    history->limit = limit;
    return PW_OK;
}

pw_status energy_history_add(struct energy_history *history, int64_t step, double energy, pw_error *error)
{
    if (history->count == history->limit) {
        TRY(history_grow(history, error));
    }
    history->step[history->count] = (double)step;
    history->energy[history->count] = energy;
    history->count++;
    return PW_OK;
}

void energy_history_free(struct energy_history *history)
{
    free(history->step);
    free(history->energy);
    *history = (struct energy_history){0};
}
