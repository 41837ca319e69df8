/* Ink on paper (scan.h). Grey is smoothed over a pixel, which takes the noise of scanners and of JPEG; where light is
 * uneven it is divided by the paper around, the brightest tenth of blocks and of those beside them. What parts the
 * greys into the two narrowest groups (Otsu, 1979) tells ink from paper, and halfway between the two is the threshold,
 * where it is not given: so a stroke is as wide as it was drawn. A pixel between ink and paper counts in part, so that
 * outlines lie between pixels. Coloured pixels are paper: marks and washes. */
#include "drawing/picture/scan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    COLOURED = 80, /* difference of the largest and the smallest channel */
    BLOCKS = 24,   /* of the longer side, whose paper is told apart */
    LEAST_BLOCK = 16
};

static bool is_coloured(const uint8_t rgb[3])
{
    int high = rgb[0] > rgb[1] ? rgb[0] : rgb[1], low = rgb[0] < rgb[1] ? rgb[0] : rgb[1];
    high = rgb[2] > high ? rgb[2] : high;
    low = rgb[2] < low ? rgb[2] : low;
    return high - low > COLOURED;
}

static void grey_find(const pw_picture *image, uint8_t *grey)
{
    size_t pixels = (size_t)image->width * (size_t)image->height;
#pragma omp parallel for
    for (size_t p = 0; p < pixels; p++) {
        const uint8_t *rgb = image->rgb + 3 * p;
        grey[p] = (uint8_t)((299 * rgb[0] + 587 * rgb[1] + 114 * rgb[2] + 500) / 1000);
    }
}

/* The mean over a pixel and its neighbours with weights 1, 2, 1 along rows and columns; `rows` are two of the picture.
 */
static void grey_smooth(uint8_t *grey, int width, int height, uint16_t *rows)
{
    uint16_t *above = rows, *own = rows + width;
    for (int y = 0; y < height; y++) {
        uint8_t *row = grey + (size_t)width * (size_t)y, *below = y + 1 < height ? row + width : row;
        for (int x = 0; x < width && y == 0; x++) {
            above[x] = row[x];
        }
        for (int x = 0; x < width; x++) {
            own[x] = row[x];
        }
        int before = 0;
        for (int x = 0; x <= width; x++) { /* sums of columns, a column ahead of what is written */
            int ahead = x < width ? x : width - 1;
            int sum = above[ahead] + 2 * own[ahead] + below[ahead];
            if (x == 0) {
                before = sum;
                continue;
            }
            int here = above[x - 1] + 2 * own[x - 1] + below[x - 1];
            row[x - 1] = (uint8_t)((before + 2 * here + sum + 8) / 16);
            before = here;
        }
        uint16_t *spare = above;
        above = own;
        own = spare;
    }
}

/* ---- paper under uneven light ---- */

struct blocks {
    int size, columns, rows;
    double *paper; /* (rows, columns) */
};

/* The grey that a tenth of the pixels of a block are above. */
static double block_paper(const uint8_t *grey, int width, int height, const struct blocks *blocks, int column, int row)
{
    size_t counts[256] = {0}, whole = 0, above = 0;
    for (int y = row * blocks->size; y < (row + 1) * blocks->size && y < height; y++) {
        for (int x = column * blocks->size; x < (column + 1) * blocks->size && x < width; x++) {
            counts[grey[(size_t)width * (size_t)y + (size_t)x]]++;
            whole++;
        }
    }
    int value = 255;
    while (value > 1 && (above += counts[value]) * 10 < whole) {
        value--;
    }
    return value;
}

/* The largest of a block and those around it, or their mean. */
static void blocks_filter(const struct blocks *blocks, bool largest, const double *from, double *to)
{
    for (int row = 0; row < blocks->rows; row++) {
        for (int column = 0; column < blocks->columns; column++) {
            double sum = 0, most = 0;
            int count = 0;
            for (int r = row - 1; r <= row + 1; r++) {
                for (int c = column - 1; c <= column + 1; c++) {
                    if (r >= 0 && c >= 0 && r < blocks->rows && c < blocks->columns) {
                        double value = from[r * blocks->columns + c];
                        sum += value;
                        most = value > most ? value : most;
                        count++;
                    }
                }
            }
            to[row * blocks->columns + column] = largest ? most : sum / count;
        }
    }
}

/* Between the middles of four blocks. */
static double paper_at(const struct blocks *blocks, int x, int y)
{
    double across = (x + 0.5) / blocks->size - 0.5, down = (y + 0.5) / blocks->size - 0.5;
    across = across < 0 ? 0 : across > blocks->columns - 1 ? blocks->columns - 1 : across;
    down = down < 0 ? 0 : down > blocks->rows - 1 ? blocks->rows - 1 : down;
    int column = (int)across, row = (int)down;
    int right = column + 1 < blocks->columns ? column + 1 : column, below = row + 1 < blocks->rows ? row + 1 : row;
    const double *upper = blocks->paper + (ptrdiff_t)row * blocks->columns;
    const double *lower = blocks->paper + (ptrdiff_t)below * blocks->columns;
    double top = upper[column] + (across - column) * (upper[right] - upper[column]);
    double bottom = lower[column] + (across - column) * (lower[right] - lower[column]);
    return top + (down - row) * (bottom - top);
}

/* Divides by the paper, so that it is 255 everywhere. */
static pw_status grey_even_out(uint8_t *grey, int width, int height, pw_error *error)
{
    int longer = width > height ? width : height;
    struct blocks blocks = {.size = longer / BLOCKS > LEAST_BLOCK ? longer / BLOCKS : LEAST_BLOCK};
    blocks.columns = (width + blocks.size - 1) / blocks.size;
    blocks.rows = (height + blocks.size - 1) / blocks.size;
    size_t count = (size_t)blocks.columns * (size_t)blocks.rows;
    double *paper = allocate(2 * count, sizeof *paper, "the paper of a scan", error);
    TRY_MADE(paper);
    for (int b = 0; b < (int)count; b++) {
        paper[b] = block_paper(grey, width, height, &blocks, b % blocks.columns, b / blocks.columns);
    }
    blocks_filter(&blocks, true, paper, paper + count);
    blocks_filter(&blocks, false, paper + count, paper);
    blocks.paper = paper;
#pragma omp parallel for
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            uint8_t *value = grey + (size_t)width * (size_t)y + (size_t)x;
            double even = 255 * *value / paper_at(&blocks, x, y) + 0.5;
            *value = (uint8_t)(even < 255 ? even : 255);
        }
    }
    free(paper);
    return PW_OK;
}

/* ---- the threshold ---- */

struct greys {
    double counts[256];
    double ink, paper; /* greys of the two */
};

static void greys_count(const uint8_t *grey, size_t pixels, struct greys *greys)
{
    *greys = (struct greys){{0}, 0, 0};
    for (size_t p = 0; p < pixels; p++) {
        greys->counts[grey[p]]++;
    }
}

/* The grey that this share of the pixels from grey `low` to below `high` lies below. */
static double greys_quantile(const struct greys *greys, int low, int high, double share, double otherwise)
{
    double whole = 0, below = 0;
    for (int g = low; g < high; g++) {
        whole += greys->counts[g];
    }
    for (int g = low; g < high && whole > 0; g++) {
        below += greys->counts[g];
        if (below >= share * whole) {
            return g;
        }
    }
    return otherwise;
}

/* Ink as it is in the middle of strokes, which shades around thin lines do not lighten, and paper. */
static void greys_part(struct greys *greys, int threshold)
{
    greys->ink = greys_quantile(greys, 0, threshold, 0.1, 0);
    greys->paper = greys_quantile(greys, threshold, 256, 0.5, 255);
}

/* The threshold with the largest variance between what is below and what is not. Between two greys with nothing in
 * between it is their middle. */
static int threshold_otsu(const struct greys *greys)
{
    double whole = 0, sum = 0, below = 0, sum_below = 0, best = -1;
    int first = 128, last = 128;
    for (int g = 0; g < 256; g++) {
        whole += greys->counts[g];
        sum += g * greys->counts[g];
    }
    for (int t = 1; t < 256; t++) {
        below += greys->counts[t - 1];
        sum_below += (t - 1) * greys->counts[t - 1];
        double above = whole - below;
        if (below <= 0 || above <= 0) {
            continue;
        }
        double apart = sum_below / below - (sum - sum_below) / above, between = below * above * apart * apart;
        if (between > best * (1 + 1e-12)) {
            best = between;
            first = t;
            last = t;
        } else if (between >= best * (1 - 1e-12)) {
            last = t;
        }
    }
    return (first + last) / 2;
}

static void ink_cover(const uint8_t *grey, const pw_picture *image, const struct greys *greys, int threshold,
                      struct plane *plane)
{
    uint8_t cover[256];
    double contrast = greys->paper - greys->ink > 1 ? greys->paper - greys->ink : 1;
    for (int g = 0; g < 256; g++) {
        double share = 255 * (0.5 + (threshold - 0.5 - g) / contrast) + 0.5;
        cover[g] = (uint8_t)(share < 0 ? 0 : share > 255 ? 255 : share);
    }
    size_t pixels = (size_t)plane->width * (size_t)plane->height;
#pragma omp parallel for
    for (size_t p = 0; p < pixels; p++) {
        plane->cover[p] = is_coloured(image->rgb + 3 * p) ? 0 : cover[grey[p]];
    }
}

static pw_status grey_prepare(const pw_picture *image, const struct picture_options *options, uint8_t *grey,
                              pw_error *error)
{
    uint16_t *rows = allocate(2 * (size_t)image->width, sizeof *rows, "rows of a scan", error);
    TRY_MADE(rows);
    grey_find(image, grey);
    grey_smooth(grey, image->width, image->height, rows);
    free(rows);
    return options->local ? grey_even_out(grey, image->width, image->height, error) : PW_OK;
}

pw_status scan_ink(const pw_picture *image, const struct picture_options *options, struct plane *plane,
                   struct scan_facts *facts, pw_error *error)
{
    size_t pixels = (size_t)image->width * (size_t)image->height;
    *facts = (struct scan_facts){0};
    TRY(plane_make(plane, image->width, image->height, error));
    OWNED uint8_t *grey = allocate(pixels, 1, "the greys of a scan", error);
    TRY_MADE(grey);
    TRY(grey_prepare(image, options, grey, error));
    struct greys greys;
    greys_count(grey, pixels, &greys);
    int parting = options->threshold > 0 ? options->threshold : threshold_otsu(&greys);
    greys_part(&greys, parting);
    facts->threshold = options->threshold > 0 ? parting : (int)lround(0.5 * (greys.ink + greys.paper));
    ink_cover(grey, image, &greys, facts->threshold, plane);
    for (size_t p = 0; p < pixels; p++) {
        facts->coloured += is_coloured(image->rgb + 3 * p);
    }
    return PW_OK;
}
