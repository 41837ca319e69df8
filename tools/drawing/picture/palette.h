/* The colours of a drawing, each with its tolerance, and which of them every pixel of its picture has: one, or shares
 * of two where an edge between them passes through it. */
#pragma once

#include "drawing/drawing.h"
#include "drawing/picture/plane.h"

enum {
    PALETTE_LIMIT = 64,
    TOLERANCE_USUAL = 24,
    TOLERANCE_LOSSY = 40,   /* of JPEG, which smears colours over edges */
    UNEXPLAINED_BINS = 4096 /* 4 bits a channel */
};

struct palette_colour {
    uint8_t rgb[3]; /* the most frequent one of those that it stands for */
    size_t pixels;  /* that have it, edges left out */
};

struct palette {
    struct palette_colour colours[PALETTE_LIMIT]; /* the most frequent one first */
    int count;
    int background; /* the paper */
    int tolerance;
    uint8_t *nearest; /* (32, 32, 32): the colour nearest to one of 5 bits a channel, owned */
};

/* The largest difference of a channel. */
int colour_distance(const uint8_t a[3], const uint8_t b[3]);

/* Whether the pixel lies on a slope between two others across from each other, as the shades of an edge do. */
bool pixel_on_slope(const pw_picture *image, int x, int y, int tolerance);

/* Whether the pixel and those around it have nearly one colour. */
bool pixel_inside(const pw_picture *image, int x, int y, int tolerance);

/* Finds the colours that differ by more than the tolerance of 1 to 255: those of areas, and those of thin
 * lines that no edge explains. */
pw_status palette_find(const pw_picture *image, int tolerance, struct palette *palette, pw_error *error);
void palette_free(struct palette *palette);

/* The palette's colour nearest to this one. */
int palette_nearest(const struct palette *palette, const uint8_t rgb[3]);

/* Of each pixel its colour, and where it is on an edge the other colour and that one's share. */
struct cover_map {
    int width, height;
    uint8_t *first, *second, *share;        /* (height, width), owned; the share of `second` of 255 */
    uint32_t unexplained[UNEXPLAINED_BINS]; /* pixels of other colours, which took the nearest one */
};

pw_status cover_find(const pw_picture *image, const struct palette *palette, struct cover_map *map, pw_error *error);
void cover_free(struct cover_map *map);

/* The plane of one colour. */
void cover_plane(const struct cover_map *map, int colour, struct plane *plane);
