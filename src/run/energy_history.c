/* A list of looks at the energy that grows as it is filled (energy_history.h). */
#include "run/energy_history.h"

#include <stdlib.h>

pw_status energy_history_add(struct energy_history *history, int64_t step, double energy, pw_error *error)
{
    const size_t count = (size_t)history->count;
    size_t room = history->limit;
    TRY(array_grow(&history->step, &room, count, sizeof *history->step, "the history of the energy", error));
    TRY(array_grow(&history->energy, &history->limit, count, sizeof *history->energy, "the history of the energy",
                   error));
    history->step[count] = (double)step;
    history->energy[count] = energy;
    history->count++;
    return PW_OK;
}

void energy_history_free(struct energy_history *history)
{
    free(history->step);
    free(history->energy);
    *history = (struct energy_history){0};
}
