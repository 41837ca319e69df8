/* Which colours each pixel has (palette.h). A pixel of a palette's colour, or inside an area near it, has that one
 * where it lies on no slope. Any other is looked at with those around it: a colour between two that are near by is
 * shared out between them, by where on the way from one to the other it lies; what no two colours explain takes the
 * nearest one and is counted. Strokes that fall between pixels are kept, although they cover half of none. */
#include "drawing/picture/palette.h"

#include <math.h>
#include <string.h>

enum {
    OPEN = 255,    /* not decided yet */
    DERIVED = 128, /* decided from its neighbours, and no neighbour to decide others by */
    REACH = 2      /* pixels: shades of an edge are narrower */
};

static void cover_begin(const pw_picture *image, const struct palette *palette, struct cover_map *map)
{
#pragma omp parallel for
    for (int y = 0; y < image->height; y++) {
        size_t row = (size_t)image->width * (size_t)y;
        for (int x = 0; x < image->width; x++) {
            const uint8_t *pixel = image->rgb + 3 * (row + (size_t)x);
            int nearest = palette_nearest(palette, pixel);
            int off = colour_distance(pixel, palette->colours[nearest].rgb);
            bool near = off <= palette->tolerance / 3 ||
                        (off <= palette->tolerance && pixel_inside(image, x, y, palette->tolerance));
            bool plain = near && !pixel_on_slope(image, x, y, palette->tolerance);
            map->first[row + (size_t)x] = (uint8_t)(plain ? nearest : OPEN);
        }
    }
}

/* Colours of decided pixels around this one, each once. */
static int colours_around(const struct cover_map *map, int x, int y, uint8_t found[PALETTE_LIMIT])
{
    int count = 0;
    bool seen[PALETTE_LIMIT] = {false};
    for (int j = y - REACH; j <= y + REACH; j++) {
        for (int i = x - REACH; i <= x + REACH; i++) {
            if (i < 0 || j < 0 || i >= map->width || j >= map->height) {
                continue;
            }
            uint8_t colour = map->first[(size_t)map->width * (size_t)j + (size_t)i];
            if (colour < DERIVED && !seen[colour]) {
                seen[colour] = true;
                found[count++] = colour;
            }
        }
    }
    return count;
}

/* A share of `b` in a mixture with `a`, and how far the colour is from what they make. */
struct mixture {
    int a, b;
    double share, off;
};

static struct mixture mixture_of(const struct palette *palette, const uint8_t pixel[3], int a, int b)
{
    const uint8_t *from = palette->colours[a].rgb, *to = palette->colours[b].rgb;
    struct mixture mixture = {.a = a, .b = b};
    double squared = 0;
    for (int c = 0; c < 3; c++) {
        mixture.share += (double)(pixel[c] - from[c]) * (to[c] - from[c]);
        squared += (double)(to[c] - from[c]) * (to[c] - from[c]);
    }
    mixture.share = squared > 0 ? mixture.share / squared : 0;
    mixture.share = mixture.share < 0 ? 0 : mixture.share > 1 ? 1 : mixture.share;
    for (int c = 0; c < 3; c++) {
        double off = pixel[c] - from[c] - mixture.share * (to[c] - from[c]);
        off = off < 0 ? -off : off;
        mixture.off = off > mixture.off ? off : mixture.off;
    }
    return mixture;
}

static void mixture_better(struct mixture *best, struct mixture mixture)
{
    if (mixture.off < best->off - 1e-9) {
        *best = mixture;
    }
}

/* The mixture that explains a pixel best: of two colours around or of one alone; else the nearest colour; else one
 * around with any other, as thin lines leave it that fall between pixels. */
static struct mixture mixture_best(const struct palette *palette, const uint8_t pixel[3], const uint8_t *around,
                                   int count)
{
    struct mixture best = {.off = 1e9};
    for (int a = 0; a < count; a++) {
        for (int b = 0; b <= a; b++) {
            mixture_better(&best, mixture_of(palette, pixel, around[a], around[b]));
        }
    }
    if (best.off <= palette->tolerance) {
        return best;
    }
    int nearest = palette_nearest(palette, pixel);
    struct mixture alone = {nearest, nearest, 0, colour_distance(pixel, palette->colours[nearest].rgb)};
    best = alone;
    for (int a = 0; a < count; a++) {
        for (int b = 0; b < palette->count; b++) {
            mixture_better(&best, mixture_of(palette, pixel, around[a], b));
        }
    }
    return best.off <= palette->tolerance && 2 * best.off < alone.off ? best : alone;
}

static void pixel_decide(const pw_picture *image, const struct palette *palette, struct cover_map *map, int x, int y)
{
    size_t at = (size_t)map->width * (size_t)y + (size_t)x;
    const uint8_t *pixel = image->rgb + 3 * at;
    uint8_t around[PALETTE_LIMIT];
    int count = colours_around(map, x, y, around);
    struct mixture best = mixture_best(palette, pixel, around, count);
    map->unexplained[(pixel[0] >> 4) << 8 | (pixel[1] >> 4) << 4 | pixel[2] >> 4] += best.off > palette->tolerance;
    map->first[at] = (uint8_t)(DERIVED | best.a);
    map->second[at] = (uint8_t)best.b;
    map->share[at] = best.a == best.b ? 0 : (uint8_t)lround(255 * best.share);
}

pw_status cover_find(const pw_picture *image, const struct palette *palette, struct cover_map *map, pw_error *error)
{
    size_t pixels = (size_t)image->width * (size_t)image->height;
    *map = (struct cover_map){.width = image->width, .height = image->height};
    map->first = allocate(pixels, 1, "the colours of pixels", error);
    map->second = allocate(pixels, 1, "the colours of pixels", error);
    map->share = allocate(pixels, 1, "the colours of pixels", error);
    TRY_MADE(map->first != NULL && map->second != NULL && map->share != NULL);
    cover_begin(image, palette, map);
    for (int y = 0; y < image->height; y++) {
        for (int x = 0; x < image->width; x++) {
            if (map->first[(size_t)map->width * (size_t)y + (size_t)x] == OPEN) {
                pixel_decide(image, palette, map, x, y);
            }
        }
    }
    return PW_OK;
}

void cover_free(struct cover_map *map)
{
    PW_FREE_ALL(map->first, map->second, map->share);
    *map = (struct cover_map){0};
}

/* Whether the pixel is the middle of a stroke across this step that covers half a pixel in all, in shares of less. */
static bool stroke_falls_between(const uint8_t *cover, ptrdiff_t step)
{
    enum { HARDLY = 32 };
    return cover[-step] < COVERED && cover[step] < COVERED && cover[-2 * step] < HARDLY && cover[2 * step] < HARDLY &&
           cover[0] >= cover[-step] && cover[0] > cover[step] && cover[-step] + cover[0] + cover[step] >= COVERED;
}

/* Covers the middles of strokes that fall between pixels, which would be lost. */
static void cover_thin_strokes(struct plane *plane)
{
    for (int y = 2; y < plane->height - 2; y++) {
        uint8_t *row = plane->cover + (size_t)plane->width * (size_t)y;
        for (int x = 2; x < plane->width - 2; x++) {
            if (row[x] >= COVERED / 4 && row[x] < COVERED &&
                (stroke_falls_between(row + x, 1) || stroke_falls_between(row + x, plane->width))) {
                row[x] = COVERED;
            }
        }
    }
}

void cover_plane(const struct cover_map *map, int colour, struct plane *plane)
{
    size_t pixels = (size_t)map->width * (size_t)map->height;
#pragma omp parallel for
    for (size_t p = 0; p < pixels; p++) {
        int cover = (map->first[p] & ~DERIVED) == colour ? 255 - map->share[p] : 0;
        cover += map->share[p] > 0 && map->second[p] == colour ? map->share[p] : 0;
        plane->cover[p] = (uint8_t)cover;
    }
    cover_thin_strokes(plane);
}
