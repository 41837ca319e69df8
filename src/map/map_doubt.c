/* Counts and words of what is masked in a map of delays (map_doubt.h). */
#include "map/map_doubt.h"

#include <stdio.h>

struct map_doubt map_doubt(const struct map *map)
{
    struct map_doubt doubt = {.resolution = map->resolution};
    size_t count = (size_t)map->rows * (size_t)map->columns;
    for (size_t n = 0; map->mark != NULL && n < count; n++) {
        double share = 1.0 / (double)count;
        doubt.run_short += map->mark[n] == MAP_MARK_RUN_SHORT ? share : 0.0;
        doubt.spectra_few += map->mark[n] == MAP_MARK_SPECTRA_FEW ? share : 0.0;
        doubt.small += map->mark[n] == MAP_MARK_SMALL ? share : 0.0;
    }
    doubt.masked = doubt.run_short + doubt.spectra_few;
    return doubt;
}

void map_doubt_masked(const struct map_doubt *doubt, char text[DOUBT_TEXT])
{
    text[0] = '\0';
    if (doubt->masked <= 0.0) {
        return;
    }
    const char *why = doubt->spectra_few <= 0.0 ? "the run ended before the field had decayed; set a longer stop.after"
                      : doubt->run_short <= 0.0
                          ? "the profile repeats before the field has decayed; set a larger spectra.count"
                          : "the field had not decayed; set a longer stop.after and a larger spectra.count";
    snprintf(text, DOUBT_TEXT, "%.3g %% of the points are masked, their delays may be over 10 %% wrong: %s",
             100.0 * doubt->masked, why);
}

void map_doubt_small(const struct map_doubt *doubt, char text[DOUBT_TEXT])
{
    text[0] = '\0';
    if (doubt->small > 0.0) {
        snprintf(text, DOUBT_TEXT, "%.3g %% of the points have a spread below the resolution of %.3g ns",
                 100.0 * doubt->small, 1e9 * doubt->resolution);
    }
}
