/* The colours of walls (wall_colours.h). */
#include "drawing/picture/walls/wall_colours.h"

#include "drawing/picture/stroke_widths.h"

#include <math.h>

static const double LEAST_SHARE = 0.4; /* of a colour that is walls, in strokes as thick as these */
static const double LEAST_MORE = 3;    /* times the length that dark strokes of such a thickness have */
static const double LEAST_LENGTH = 2;  /* in openings of 3 m: of all walls together */

/* The length of strokes of a colour that are as thick as walls, 0 where most of it is not. */
static pw_status wall_length(const struct cover_map *map, int colour, double opening, struct plane *plane,
                             double *length, double *share, pw_error *error)
{
    struct stroke_widths widths = {{0}};
    double all = 0, thick = 0;
    cover_plane(map, colour, plane);
    TRY(stroke_widths_add(plane, &widths, error));
    *length = 0;
    for (int w = 1; w < WIDTHS_LIMIT; w++) {
        const bool fits = w > fmax(opening / 60, 2) && w <= opening / 5;
        all += widths.pixels[w];
        thick += fits ? widths.pixels[w] : 0;
        *length += fits ? widths.pixels[w] / w : 0;
    }
    *share = all > 0 ? thick / all : 0;
    return PW_OK;
}

pw_status wall_colours_find(const struct palette *palette, const struct cover_map *map, double opening,
                            struct plane *plane, bool *walls, bool *filled, pw_error *error)
{
    double dark = 0, most = 0;
    int best = -1;
    *filled = false;
    for (int c = 0; c < palette->count; c++) {
        double length = 0, share = 0;
        walls[c] = c != palette->background && drawing_colour_is_dark(palette->colours[c].rgb);
        if (c == palette->background || !(opening > 0)) {
            continue;
        }
        TRY(wall_length(map, c, opening, plane, &length, &share, error));
        dark += walls[c] ? length : 0;
        if (!walls[c] && share > LEAST_SHARE && length > most) {
            most = length;
            best = c;
        }
    }
    *filled = best >= 0 && most > LEAST_MORE * dark && most > LEAST_LENGTH * opening;
    for (int c = 0; c < palette->count && *filled; c++) {
        walls[c] = c == best;
    }
    return PW_OK;
}
