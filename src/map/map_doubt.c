/* Counts and words of what is masked in a map of delays (map_doubt.h). */
#include "map/map_doubt.h"
#include "channel/channel_words.h"

#include <math.h>
#include <stdio.h>

static const double PALE = 0.7; /* how much of its colour a spread below the resolution loses */

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
    const char *why = doubt->spectra_few <= 0.0 ? "the run ended before the field had decayed; " CHANNEL_RUN_LONGER
                      : doubt->run_short <= 0.0
                          ? "the profile repeats before the field has decayed; set a larger spectra.count"
                          : "the field had not decayed; " CHANNEL_RUN_LONGER ", and a larger spectra.count";
    char share[PW_NUMBER_SIZE];
    snprintf(text, DOUBT_TEXT, "%s %% of the points are masked, their delays may be over 10 %% wrong: %s",
             pw_number_text(100.0 * doubt->masked, 3, share), why);
}

void map_doubt_small(const struct map_doubt *doubt, char text[DOUBT_TEXT])
{
    text[0] = '\0';
    if (doubt->small > 0.0) {
        char share[PW_NUMBER_SIZE], least[PW_NUMBER_SIZE];
        char wider[PW_WIDER_SIZE];
        snprintf(text, DOUBT_TEXT, "%s %% of the points have a delay below the resolution of %s ns; %s",
                 pw_number_text(100.0 * doubt->small, 3, share), pw_number_text(1e9 * doubt->resolution, 2, least),
                 pw_wider_text(doubt->resolution, wider));
    }
}

int map_doubt_legend(const struct map_doubt *doubt, const char *undefined, char lines[2][DOUBT_TEXT])
{
    int count = undefined != NULL || doubt->small > 0.0, used = 0;
    char share[PW_NUMBER_SIZE], least[PW_NUMBER_SIZE];
    if (doubt->small > 0.0) {
        char wider[PW_WIDER_SIZE];
        used =
            snprintf(lines[0], DOUBT_TEXT, "pale: < %s ns, the resolution (%s %% of the points); %s%s",
                     pw_number_text(1e9 * doubt->resolution, 2, least), pw_number_text(100.0 * doubt->small, 3, share),
                     pw_wider_text(doubt->resolution, wider), undefined != NULL ? "; " : "");
    }
    if (undefined != NULL) {
        snprintf(lines[0] + used, DOUBT_TEXT - (size_t)used, "grey: %s", undefined);
    }
    if (doubt->masked > 0.0) {
        snprintf(lines[count++], DOUBT_TEXT, "striped: %s %% masked, may be over 10 %% wrong: %s",
                 pw_number_text(100.0 * doubt->masked, 3, share),
                 doubt->run_short > doubt->spectra_few ? "run too short" : "too few frequencies");
    }
    return count;
}

static uint8_t paler(uint8_t value, double towards)
{
    return (uint8_t)lround((1.0 - PALE) * value + PALE * towards);
}

pw_colour map_doubt_colour(const struct map *map, double x, double y, double pixels, pw_colour colour)
{
    static const pw_colour stripes[2] = {{222, 222, 222}, {190, 190, 190}};
    if (map->mark == NULL) {
        return colour;
    }
    double u = fmin(fmax((x - map->x0) / map->pitch_x, 0.0), map->columns - 1.0);
    double v = fmin(fmax((y - map->y0) / map->pitch_y, 0.0), map->rows - 1.0);
    switch (map->mark[(size_t)(v + 0.5) * (size_t)map->columns + (size_t)(u + 0.5)]) {
    case MAP_MARK_RUN_SHORT:
    case MAP_MARK_SPECTRA_FEW:
        return stripes[(int)floor((x + y) * pixels / 8.0) & 1];
    case MAP_MARK_SMALL:
        return (pw_colour){paler(colour.red, 240.0), paler(colour.green, 236.0), paler(colour.blue, 226.0)};
    default:
        return colour;
    }
}
