/* Widths of strokes, walls of two lines, and gaps (plane.h). All of it is growing a set of pixels by a radius: what is
 * left when the rest grows is the set shrunk; shrunk and grown again, strokes that are too thin are gone. */
#include "drawing/picture/plane.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bits of a plane, a byte each, and rows of distances for growing them. */
struct bits {
    int width, height;
    uint8_t *set;
};

static pw_status bits_make(struct bits *bits, int width, int height, pw_error *error)
{
    *bits = (struct bits){width, height, NULL};
    bits->set = allocate((size_t)width * (size_t)height, 1, "a mask of a picture", error);
    return bits->set != NULL ? PW_OK : PW_NO_RESOURCE;
}

static void bits_free(struct bits *bits)
{
    free(bits->set);
}

static size_t bits_size(const struct bits *bits)
{
    return (size_t)bits->width * (size_t)bits->height;
}

static void bits_of_plane(const struct plane *plane, struct bits *bits)
{
    for (size_t p = 0; p < bits_size(bits); p++) {
        bits->set[p] = plane->cover[p] >= COVERED;
    }
}

static void bits_turn(struct bits *bits)
{
    for (size_t p = 0; p < bits_size(bits); p++) {
        bits->set[p] = !bits->set[p];
    }
}

/* Distances along columns to the next set pixel, at most `cap`. */
static void column_distances(const struct bits *bits, uint16_t *distance, int cap)
{
    size_t width = (size_t)bits->width, height = (size_t)bits->height;
    for (size_t y = 0; y < height; y++) {
        const uint8_t *set = bits->set + width * y;
        uint16_t *row = distance + width * y;
        const uint16_t *before = y > 0 ? row - width : row;
        for (size_t x = 0; x < width; x++) {
            int above = y > 0 ? before[x] + 1 : cap;
            row[x] = (uint16_t)(set[x] ? 0 : above < cap ? above : cap);
        }
    }
    for (size_t y = height - 1; y-- > 0;) {
        uint16_t *row = distance + width * y;
        for (size_t x = 0; x < width; x++) {
            int below = row[x + width] + 1;
            row[x] = (uint16_t)(below < row[x] ? below : row[x]);
        }
    }
}

/* A pixel is within the radius of the set when a pixel of its row is whose half chord, by its distance to the set along
 * its column, reaches so far. */
static void row_reached(const uint16_t *distance, const int *half_chord, int width, uint8_t *set)
{
    int until = -1;
    for (int x = 0; x < width; x++) {
        int to = x + half_chord[distance[x]];
        until = to > until ? to : until;
        set[x] = x <= until;
    }
    int from = width;
    for (int x = width - 1; x >= 0; x--) {
        int to = x - half_chord[distance[x]];
        from = to < from ? to : from;
        set[x] |= x >= from;
    }
}

/* Grows the set by the radius, up to STROKE_LIMIT. */
static pw_status bits_grow(struct bits *bits, double radius, pw_error *error)
{
    int cap = (int)radius + 1;
    uint16_t *distance = allocate(bits_size(bits), sizeof *distance, "distances in a picture", error);
    int *half_chord = allocate((size_t)cap + 1, sizeof *half_chord, "distances in a picture", error);
    if (distance != NULL && half_chord != NULL) {
        column_distances(bits, distance, cap);
        for (int d = 0; d <= cap; d++) {
            half_chord[d] = d <= radius ? (int)sqrt(radius * radius - d * d) : -(1 << 20);
        }
#pragma omp parallel for
        for (int y = 0; y < bits->height; y++) {
            size_t row = (size_t)bits->width * (size_t)y;
            row_reached(distance + row, half_chord, bits->width, bits->set + row);
        }
    }
    bool done = distance != NULL && half_chord != NULL;
    PW_FREE_ALL(distance, half_chord);
    return done ? PW_OK : PW_NO_RESOURCE;
}

/* Keeps pixels that are set together with the next one to the right, below and across. Beyond the rim nothing is. */
static void bits_shrink_pairs(struct bits *bits)
{
    size_t width = (size_t)bits->width, height = (size_t)bits->height;
    for (size_t y = 0; y < height; y++) {
        uint8_t *row = bits->set + width * y;
        for (size_t x = 0; x < width; x++) {
            bool inside = x + 1 < width && y + 1 < height;
            row[x] = inside ? row[x] & row[x + 1] & row[x + width] & row[x + width + 1] : 0;
        }
    }
}

/* Sets so many pixels along the rim. */
static void bits_set_rim(struct bits *bits, int reach)
{
    for (int y = 0; y < bits->height; y++) {
        uint8_t *row = bits->set + (size_t)bits->width * (size_t)y;
        bool whole = y < reach || y >= bits->height - reach || bits->width <= 2 * reach;
        memset(row, 1, (size_t)(whole ? bits->width : reach));
        memset(row + bits->width - (whole ? bits->width : reach), 1, (size_t)(whole ? bits->width : reach));
    }
}

struct extent {
    int low_x, high_x, low_y, high_y;
};

static void extents_find(const struct plane_runs *runs, int height, struct extent *extents)
{
    for (int y = 0; y < height; y++) {
        for (size_t r = runs->row_first[y]; r < runs->row_first[y + 1]; r++) {
            const struct run *run = &runs->runs[r];
            struct extent *extent = &extents[run->root];
            if (run->root == r) {
                *extent = (struct extent){run->from, run->to, y, y + 1};
            }
            extent->low_x = run->from < extent->low_x ? run->from : extent->low_x;
            extent->high_x = run->to > extent->high_x ? run->to : extent->high_x;
            extent->high_y = y + 1;
        }
    }
}

/* Whether a marked area is to be filled. */
struct fill_rule {
    double least_long;           /* its longer extent, pixels */
    double most_high, most_wide; /* its extents down columns and along rows */
};

/* Fills the marked areas that the rule wants, and counts them. */
static pw_status areas_fill(struct plane *plane, const struct plane *marks, const struct fill_rule *rule,
                            size_t *filled, pw_error *error)
{
    OWNED_BY(runs_free) struct plane_runs runs = {0};
    OWNED struct extent *extents = NULL;
    TRY(runs_find(marks, true, &runs, error));
    extents = allocate(runs.count, sizeof *extents, "areas of a picture", error);
    TRY_MADE(extents);
    extents_find(&runs, marks->height, extents);
    for (int y = 0; y < marks->height; y++) {
        for (size_t r = runs.row_first[y]; r < runs.row_first[y + 1]; r++) {
            const struct run *run = &runs.runs[r];
            struct extent extent = extents[run->root];
            int high = extent.high_y - extent.low_y, wide = extent.high_x - extent.low_x;
            if ((high > wide ? high : wide) >= rule->least_long && high <= rule->most_high && wide <= rule->most_wide) {
                *filled += run->root == r;
                memset(plane->cover + (size_t)plane->width * (size_t)y + (size_t)run->from, 255,
                       (size_t)(run->to - run->from));
            }
        }
    }
    return PW_OK;
}

/* Clears connected areas that are shorter than this. */
static pw_status bits_drop_short(struct bits *bits, double least, pw_error *error)
{
    const struct fill_rule long_ones = {least, HUGE_VAL, HUGE_VAL};
    OWNED_BY(plane_free) struct plane marks = {0};
    OWNED_BY(plane_free) struct plane kept = {0};
    size_t count = 0;
    TRY(plane_make(&marks, bits->width, bits->height, error));
    TRY(plane_make(&kept, bits->width, bits->height, error));
    for (size_t p = 0; p < bits_size(bits); p++) {
        marks.cover[p] = bits->set[p] ? 255 : 0;
    }
    TRY(areas_fill(&kept, &marks, &long_ones, &count, error));
    for (size_t p = 0; p < bits_size(bits); p++) {
        bits->set[p] = kept.cover[p] >= COVERED;
    }
    return PW_OK;
}

/* Clears what is thinner than `width` pixels, 2 or more: shrinks by half a stroke of that width, an even one by a pair
 * of pixels first, and grows back by so much that corners are whole again, within what was set. Beyond the rim of the
 * picture nothing is set: half of a thin frame is not a wall. Where what is left of a place when it is
 * shrunk is shorter than `least_core`, it is cleared, too: strokes are thicker where they meet. */
static pw_status bits_open(struct bits *bits, int width, double least_core, pw_error *error)
{
    OWNED_BY(bits_free) struct bits core = {0};
    TRY(bits_make(&core, bits->width, bits->height, error));
    memcpy(core.set, bits->set, bits_size(bits));
    bool even = width % 2 == 0;
    if (even) {
        bits_shrink_pairs(&core);
    }
    int odd = even ? width - 1 : width;
    double half = 0.5 * (odd + 1) - 0.3; /* to the middles of pixels beside the stroke */
    bits_turn(&core);
    if (odd > 1) {
        TRY(bits_grow(&core, half, error));
    }
    bits_set_rim(&core, odd > 1 ? (int)half : 0);
    bits_turn(&core);
    if (least_core > 0) {
        TRY(bits_drop_short(&core, least_core, error));
    }
    TRY(bits_grow(&core, M_SQRT2 * 0.5 * (odd - 1) + (even ? M_SQRT2 : 0) + 0.6, error));
    for (size_t p = 0; p < bits_size(bits); p++) {
        bits->set[p] &= core.set[p];
    }
    return PW_OK;
}

/* Clears what is set, or what is not. */
static void plane_clear(struct plane *plane, const struct bits *bits, bool set)
{
    for (size_t p = 0; p < bits_size(bits); p++) {
        if (plane->cover[p] >= COVERED && (bits->set[p] != 0) == set) {
            plane->cover[p] = 0;
        }
    }
}

pw_status plane_keep_strokes(struct plane *plane, double thinnest, double thickest, pw_error *error)
{
    OWNED_BY(bits_free) struct bits bits = {0};
    int least = (int)lround(thinnest), most = (int)lround(thickest);
    TRY(bits_make(&bits, plane->width, plane->height, error));
    if (most >= 1) {
        bits_of_plane(plane, &bits);
        TRY(bits_open(&bits, most + 1, 0.5 * most, error));
        plane_clear(plane, &bits, true);
    }
    if (least >= 2) {
        bits_of_plane(plane, &bits);
        TRY(bits_open(&bits, least, 0, error));
        plane_clear(plane, &bits, false);
    }
    return PW_OK;
}

/* Grows what is covered until the lines of a wall meet, and shrinks it again; of what that adds, areas that are shorter
 * than two walls are thick are left: they are inside letters and where furniture stands by a wall. */
pw_status plane_fill_hollow(struct plane *plane, double width, pw_error *error)
{
    const struct fill_rule long_ones = {2 * width, HUGE_VAL, HUGE_VAL};
    OWNED_BY(bits_free) struct bits bits = {0};
    OWNED_BY(plane_free) struct plane added = {0};
    size_t filled = 0;
    TRY(bits_make(&bits, plane->width, plane->height, error));
    bits_of_plane(plane, &bits);
    TRY(bits_grow(&bits, 0.5 * width + 0.5, error));
    bits_turn(&bits);
    TRY(bits_grow(&bits, 0.5 * width + 0.5, error));
    TRY(plane_make(&added, plane->width, plane->height, error));
    for (size_t p = 0; p < bits_size(&bits); p++) {
        added.cover[p] = bits.set[p] || plane->cover[p] >= COVERED ? 0 : 255;
    }
    return areas_fill(plane, &added, &long_ones, &filled, error);
}

pw_status plane_take_rim(struct plane *plane, const struct plane *rim, double radius, pw_error *error)
{
    OWNED_BY(bits_free) struct bits bits = {0};
    TRY(bits_make(&bits, plane->width, plane->height, error));
    bits_of_plane(plane, &bits);
    TRY(bits_grow(&bits, radius, error));
    for (size_t p = 0; p < bits_size(&bits); p++) {
        const int sum = plane->cover[p] + rim->cover[p]; /* shares of a pixel between the fill and its outline */
        plane->cover[p] = bits.set[p] ? (uint8_t)(sum < 255 ? sum : 255) : plane->cover[p];
    }
    return PW_OK;
}

/* ---- gaps ---- */

/* Twice the area over the circumference of what is covered: the thickness of strokes that are much longer than thick.
 */
static double thickness_mean(const struct plane *plane)
{
    size_t width = (size_t)plane->width, height = (size_t)plane->height;
    double area = 0, rim = 0;
    for (size_t y = 0; y < height; y++) {
        const uint8_t *row = plane->cover + width * y, *above = y > 0 ? row - width : row;
        for (size_t x = 0; x < width; x++) {
            bool own = row[x] >= COVERED;
            area += own;
            rim += x > 0 && (row[x - 1] >= COVERED) != own;
            rim += (above[x] >= COVERED) != own;
        }
    }
    return rim > 0 ? 2 * area / rim : 0;
}

/* Lines of pixels of a plane: its rows, or its columns. */
struct lines {
    size_t count, length, along, across; /* steps in memory to the next pixel and the next line */
};

/* Marks uncovered stretches up to `gap` between covered pixels. */
static void gaps_mark(const struct plane *plane, const struct lines *lines, double gap, struct plane *marks)
{
    memset(marks->cover, 0, (size_t)marks->width * (size_t)marks->height);
    for (size_t line = 0; line < lines->count; line++) {
        size_t last = lines->length; /* the last covered pixel; length: none yet */
        for (size_t n = 0; n < lines->length; n++) {
            size_t at = line * lines->across + n * lines->along;
            if (plane->cover[at] < COVERED) {
                continue;
            }
            if (last < n && n - last > 1 && (double)(n - last - 1) <= gap) {
                for (size_t m = last + 1; m < n; m++) {
                    marks->cover[line * lines->across + m * lines->along] = 255;
                }
            }
            last = n;
        }
    }
}

pw_status plane_close_gaps(struct plane *plane, double length, double thickest, size_t *closed, pw_error *error)
{
    size_t width = (size_t)plane->width, height = (size_t)plane->height;
    const struct lines lines[2] = {{height, width, 1, width}, {width, height, width, 1}};
    struct plane marks[2] = {{0}, {0}};
    double most = thickest > 0 ? thickest : 2 * thickness_mean(plane);
    pw_status status = PW_OK;
    for (int n = 0; n < 2 && status == PW_OK; n++) { /* both, before one closes what the other would look at */
        status = plane_make(&marks[n], plane->width, plane->height, error);
        if (status == PW_OK) {
            gaps_mark(plane, &lines[n], length, &marks[n]);
        }
    }
    for (int n = 0; n < 2 && status == PW_OK; n++) {
        /* An opening is no thicker than a wall; what is, is a room or a corridor. */
        const struct fill_rule thin = {0, n == 0 ? most : HUGE_VAL, n == 0 ? HUGE_VAL : most};
        status = areas_fill(plane, &marks[n], &thin, closed, error);
    }
    plane_free(&marks[0]);
    plane_free(&marks[1]);
    return status;
}
