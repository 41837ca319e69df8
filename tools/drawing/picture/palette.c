/* Finds the colours of a drawing (palette.h). Pixels on the slopes of edges do not count, so that what is left are
 * areas and thin lines. Their colours are counted, joined within the tolerance around the most frequent ones, and kept
 * when they cover a share of the picture or an area somewhere. Lines thinner than a pixel leave mixtures of their
 * colour and the paper's: a colour in between two others that never covers an area and has no shade of its own is one.
 */
#include "drawing/picture/palette.h"

#include <stdlib.h>
#include <string.h>

enum {
    BIN_COUNT = 1 << 15, /* 5 bits a channel */
    FINE_COUNT = 1 << 9, /* the other 3 */
    CANDIDATE_LIMIT = 512,
    LEAST_PIXELS = 8
};
static const double LEAST_SHARE = 1e-4;      /* of all pixels: a colour of thin lines */
static const double LEAST_AREA_SHARE = 2e-5; /* of all pixels, inside of areas: a colour of areas */

/* Colours that share their leading bits: how many pixels have them, of these inside of areas, and beside shades. */
struct colour_bin {
    size_t pixels, inside, smeared, most;
    uint8_t rgb[3];        /* the most frequent colour, `most` times */
    uint32_t *fine_counts; /* (FINE_COUNT) of the colours in it, owned; NULL: none yet */
};

int colour_distance(const uint8_t a[3], const uint8_t b[3])
{
    int most = 0;
    for (int c = 0; c < 3; c++) {
        int off = abs(a[c] - b[c]);
        most = off > most ? off : most;
    }
    return most;
}

static bool is_between(const uint8_t *p, const uint8_t *a, const uint8_t *b, int slack)
{
    for (int c = 0; c < 3; c++) {
        int low = a[c] < b[c] ? a[c] : b[c], high = a[c] < b[c] ? b[c] : a[c];
        if (p[c] < low - slack || p[c] > high + slack) {
            return false;
        }
    }
    return true;
}

bool pixel_on_slope(const pw_picture *image, int x, int y, int tolerance)
{
    static const int DX[4] = {1, 0, 1, 1}, DY[4] = {0, 1, 1, -1};
    const uint8_t *pixel = image->rgb + 3 * ((size_t)image->width * (size_t)y + (size_t)x);
    for (int d = 0; d < 4; d++) {
        if (x < DX[d] || x + DX[d] >= image->width || y < abs(DY[d]) || y + abs(DY[d]) >= image->height) {
            continue;
        }
        ptrdiff_t step = 3 * ((ptrdiff_t)image->width * DY[d] + DX[d]);
        const uint8_t *before = pixel - step, *after = pixel + step;
        int least = tolerance / 3;
        if (colour_distance(before, after) > tolerance && colour_distance(pixel, before) > least &&
            colour_distance(pixel, after) > least && is_between(pixel, before, after, tolerance / 4)) {
            return true;
        }
    }
    return false;
}

bool pixel_inside(const pw_picture *image, int x, int y, int tolerance)
{
    if (x < 1 || y < 1 || x + 1 >= image->width || y + 1 >= image->height) {
        return false;
    }
    const uint8_t *pixel = image->rgb + 3 * ((size_t)image->width * (size_t)y + (size_t)x);
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            if (colour_distance(pixel, pixel + 3 * ((ptrdiff_t)image->width * dy + dx)) > tolerance / 2) {
                return false;
            }
        }
    }
    return true;
}

/* Whether a pixel beside this one is a shade of an edge: thin lines that fall between pixels are smeared like that. */
static bool pixel_smeared(const pw_picture *image, int x, int y, int tolerance)
{
    return (x > 0 && pixel_on_slope(image, x - 1, y, tolerance)) ||
           (y > 0 && pixel_on_slope(image, x, y - 1, tolerance)) ||
           (x + 1 < image->width && pixel_on_slope(image, x + 1, y, tolerance)) ||
           (y + 1 < image->height && pixel_on_slope(image, x, y + 1, tolerance));
}

static size_t bin_of(const uint8_t rgb[3])
{
    return (size_t)(rgb[0] >> 3) << 10 | (size_t)(rgb[1] >> 3) << 5 | rgb[2] >> 3;
}

static size_t fine_of(const uint8_t rgb[3])
{
    return (size_t)(rgb[0] & 7) << 6 | (size_t)(rgb[1] & 7) << 3 | (rgb[2] & 7);
}

/* Counts a pixel that is not on an edge. */
static pw_status bin_add(struct colour_bin *bin, const uint8_t rgb[3], bool inside, bool smeared, pw_error *error)
{
    if (bin->fine_counts == NULL) {
        bin->fine_counts = allocate(FINE_COUNT, sizeof *bin->fine_counts, "the colours of a picture", error);
        TRY_MADE(bin->fine_counts);
    }
    bin->pixels++;
    bin->inside += inside;
    bin->smeared += smeared;
    size_t count = ++bin->fine_counts[fine_of(rgb)];
    if (count > bin->most) {
        bin->most = count;
        memcpy(bin->rgb, rgb, 3);
    }
    return PW_OK;
}

static pw_status colours_count(const pw_picture *image, int tolerance, struct colour_bin *bins, pw_error *error)
{
    for (int y = 0; y < image->height; y++) {
        const uint8_t *row = image->rgb + 3 * (size_t)image->width * (size_t)y;
        for (int x = 0; x < image->width; x++) {
            const uint8_t *rgb = row + 3 * x;
            bool inside = pixel_inside(image, x, y, tolerance);
            if (inside || !pixel_on_slope(image, x, y, tolerance)) {
                bool smeared = !inside && pixel_smeared(image, x, y, tolerance);
                TRY(bin_add(&bins[bin_of(rgb)], rgb, inside, smeared, error));
            }
        }
    }
    return PW_OK;
}

static int bin_order(const void *a, const void *b)
{
    const struct colour_bin *x = a, *y = b;
    if (x->pixels != y->pixels) {
        return x->pixels > y->pixels ? -1 : 1;
    }
    return memcmp(x->rgb, y->rgb, 3);
}

/* Joins bins within the tolerance of a more frequent one. Returns the number of those that stay, which come first. */
static int bins_join(struct colour_bin *bins, int tolerance)
{
    int count = 0, used = 0;
    for (int b = 0; b < BIN_COUNT; b++) {
        if (bins[b].pixels > 0) {
            bins[used++] = bins[b];
        }
    }
    qsort(bins, (size_t)used, sizeof *bins, bin_order);
    for (int b = 0; b < used; b++) {
        int best = -1, least = tolerance;
        for (int c = 0; c < count; c++) {
            int off = colour_distance(bins[c].rgb, bins[b].rgb);
            if (off <= least) {
                least = off;
                best = c;
            }
        }
        if (best >= 0) {
            bins[best].pixels += bins[b].pixels;
            bins[best].inside += bins[b].inside;
            bins[best].smeared += bins[b].smeared;
        } else if (count < CANDIDATE_LIMIT) {
            bins[count++] = bins[b];
        }
    }
    qsort(bins, (size_t)count, sizeof *bins, bin_order);
    return count;
}

/* How far a colour is from the straight way between two others, at its nearest place on it. */
static int distance_from_mixture(const uint8_t p[3], const uint8_t a[3], const uint8_t b[3])
{
    double along = 0, squared = 0, most = 0;
    for (int c = 0; c < 3; c++) {
        along += (double)(p[c] - a[c]) * (b[c] - a[c]);
        squared += (double)(b[c] - a[c]) * (b[c] - a[c]);
    }
    along = squared > 0 ? along / squared : 0;
    along = along < 0 ? 0 : along > 1 ? 1 : along;
    for (int c = 0; c < 3; c++) {
        double off = p[c] - a[c] - along * (b[c] - a[c]);
        off = off < 0 ? -off : off;
        most = off > most ? off : most;
    }
    return (int)(most + 0.5);
}

static bool is_mixture(const struct palette *palette, const struct colour_bin *bin)
{
    bool own_shade = 5 * bin->most > 2 * bin->pixels && 2 * bin->smeared < bin->pixels;
    if (20 * bin->inside > bin->pixels || own_shade) {
        return false;
    }
    for (int a = 0; a < palette->count; a++) {
        for (int b = 0; b < a; b++) {
            if (distance_from_mixture(bin->rgb, palette->colours[a].rgb, palette->colours[b].rgb) <=
                palette->tolerance) {
                return true;
            }
        }
    }
    return false;
}

static void palette_choose(struct palette *palette, const struct colour_bin *bins, int count, double pixels)
{
    for (int b = 0; b < count && palette->count < PALETTE_LIMIT; b++) {
        double share = (double)bins[b].pixels / pixels, inside = (double)bins[b].inside / pixels;
        bool enough = palette->count == 0 ||
                      (bins[b].pixels >= LEAST_PIXELS && (share >= LEAST_SHARE || inside >= LEAST_AREA_SHARE));
        if (enough && !is_mixture(palette, &bins[b])) {
            struct palette_colour *colour = &palette->colours[palette->count++];
            memcpy(colour->rgb, bins[b].rgb, 3);
            colour->pixels = bins[b].pixels;
        }
    }
}

static void palette_find_nearest(struct palette *palette)
{
    for (int n = 0; n < BIN_COUNT; n++) {
        const uint8_t rgb[3] = {(uint8_t)((n >> 10 & 31) * 8 + 4), (uint8_t)((n >> 5 & 31) * 8 + 4),
                                (uint8_t)((n & 31) * 8 + 4)};
        int least = 256;
        for (int c = 0; c < palette->count; c++) {
            int off = colour_distance(palette->colours[c].rgb, rgb);
            if (off < least) {
                least = off;
                palette->nearest[n] = (uint8_t)c;
            }
        }
    }
}

int palette_nearest(const struct palette *palette, const uint8_t rgb[3])
{
    return palette->nearest[bin_of(rgb)];
}

static bool is_light(const uint8_t rgb[3])
{
    return 299 * rgb[0] + 587 * rgb[1] + 114 * rgb[2] >= 160 * 1000;
}

/* The paper: the most frequent light colour around the rim; where hardly any of the rim is light, a light colour that
 * covers a quarter of the picture, as of one that is cut off at its walls; else the most frequent colour of the rim, as
 * of drawings in white on black. */
static void palette_find_background(struct palette *palette, const pw_picture *image)
{
    size_t counts[PALETTE_LIMIT] = {0}, whole = 0;
    int band = 1 + (image->width < image->height ? image->width : image->height) / 50;
    for (int y = 0; y < image->height; y++) {
        bool whole_row = y < band || y >= image->height - band;
        for (int x = 0; x < image->width; x++) {
            if (!whole_row && x >= band && x < image->width - band) {
                x = image->width - band;
            }
            counts[palette_nearest(palette, image->rgb + 3 * ((size_t)image->width * (size_t)y + (size_t)x))]++;
            whole++;
        }
    }
    int best = 0, lightest = -1;
    for (int c = 0; c < palette->count; c++) {
        best = counts[c] > counts[best] ? c : best;
        if (is_light(palette->colours[c].rgb) && (lightest < 0 || counts[c] > counts[lightest])) {
            lightest = c;
        }
    }
    palette->background = lightest >= 0 && 20 * counts[lightest] >= whole ? lightest : best;
    for (int c = palette->count - 1; c >= 0 && !is_light(palette->colours[palette->background].rgb); c--) {
        if (is_light(palette->colours[c].rgb) &&
            4 * (double)palette->colours[c].pixels >= (double)image->width * image->height) {
            palette->background = c;
        }
    }
}

pw_status palette_find(const pw_picture *image, int tolerance, struct palette *palette, pw_error *error)
{
    *palette = (struct palette){.tolerance = tolerance};
    struct colour_bin *bins = allocate(BIN_COUNT, sizeof *bins, "the colours of a picture", error);
    palette->nearest = allocate(BIN_COUNT, 1, "the colours of a picture", error);
    bool room = bins != NULL && palette->nearest != NULL;
    pw_status status = room ? colours_count(image, palette->tolerance, bins, error) : PW_NO_RESOURCE;
    for (int b = 0; b < BIN_COUNT && bins != NULL; b++) {
        free(bins[b].fine_counts);
    }
    if (status == PW_OK) {
        int count = bins_join(bins, palette->tolerance);
        palette_choose(palette, bins, count, (double)image->width * image->height);
        palette_find_nearest(palette);
        palette_find_background(palette, image);
    }
    free(bins);
    return status;
}

void palette_free(struct palette *palette)
{
    free(palette->nearest);
    *palette = (struct palette){0};
}
