/* Widths of strokes, and where pens end and walls begin (stroke_widths.h). */
#include "drawing/picture/stroke_widths.h"

#include <stdlib.h>

/* Lengths of covered stretches along columns, at every pixel. */
static void column_runs(const struct plane *plane, uint16_t *length)
{
    const size_t width = (size_t)plane->width;
    for (size_t x = 0; x < width; x++) {
        int from = -1;
        for (int y = 0; y <= plane->height; y++) {
            bool covered = y < plane->height && plane->cover[(size_t)y * width + x] >= COVERED;
            if (covered && from < 0) {
                from = y;
            }
            for (int n = from; !covered && from >= 0 && n < y; n++) {
                length[(size_t)n * width + x] = (uint16_t)(y - from < UINT16_MAX ? y - from : UINT16_MAX);
            }
            from = covered ? from : -1;
        }
    }
}

pw_status stroke_widths_add(const struct plane *plane, struct stroke_widths *widths, pw_error *error)
{
    const size_t width = (size_t)plane->width;
    uint16_t *columns = allocate(width * (size_t)plane->height, sizeof *columns, "widths in a picture", error);
    TRY_MADE(columns);
    column_runs(plane, columns);
    for (int y = 0; y < plane->height; y++) {
        const uint8_t *row = plane->cover + (size_t)y * width;
        for (int x = 0; x < plane->width;) {
            int to = x;
            while (to < plane->width && row[to] >= COVERED) {
                to++;
            }
            for (int n = x; n < to; n++) {
                int down = columns[(size_t)y * width + (size_t)n], least = to - x < down ? to - x : down;
                widths->pixels[least < WIDTHS_LIMIT ? least : WIDTHS_LIMIT - 1] += 1;
            }
            x = to > x ? to : x + 1;
        }
    }
    free(columns);
    return PW_OK;
}

/* The length of strokes up to each width, in pixels of length. */
static double length_between(const struct stroke_widths *widths, int from, int to)
{
    double sum = 0;
    for (int w = from; w <= to; w++) {
        sum += widths->pixels[w] / w;
    }
    return sum;
}

/* Pens draw strokes of few pixels and of much length; behind them the strokes get rare, before walls begin. Of all
 * widths from which on there is still most of the ink the one is taken where the fewest strokes are cut through: the
 * valley has to be less than a quarter of the pens' hill, and walls twice as thick as pens. */
int stroke_widths_part(const struct stroke_widths *widths, double widest_pen)
{
    const double valley = 0.25, walls_share = 0.3, pens_share = 0.1;
    double ink = 0, thick = 0;
    int pen = 1;
    for (int w = 1; w < WIDTHS_LIMIT; w++) {
        ink += widths->pixels[w];
        pen = w <= widest_pen && widths->pixels[w] / w > widths->pixels[pen] / pen ? w : pen;
    }
    const double hill = widths->pixels[pen] / pen;
    int best = 0;
    double fewest = valley * hill;
    for (int w = pen + 1; w <= widest_pen + 1 && w < WIDTHS_LIMIT; w++) {
        if (widths->pixels[w] / w < fewest) {
            fewest = widths->pixels[w] / w;
            best = w;
        }
        if (best > 0 && widths->pixels[w] / w > 2 * fewest) {
            break; /* the next hill is of walls */
        }
    }
    for (int w = best; best > 0 && w < WIDTHS_LIMIT; w++) {
        thick += widths->pixels[w];
    }
    bool pens =
        length_between(widths, 1, best > 0 ? best - 1 : 1) > pens_share * length_between(widths, 1, WIDTHS_LIMIT - 1);
    return best > 0 && pens && thick > walls_share * ink ? best : 0;
}
