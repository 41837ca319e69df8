/* Matching of colours (picture_match.h). Drawing programs smooth edges: between white and black stand greys that may
 * happen to be nearest to the colour of glass. Which materials meet at such a pixel is seen at its neighbours. */
#include "plan/picture/picture_match.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    COLOUR_CACHE = 4096,
    NEIGHBOURHOOD = 2, /* pixels to every side that are looked at: edges are at most two pixels smooth */
    CANDIDATES = (2 * NEIGHBOURHOOD + 1) * (2 * NEIGHBOURHOOD + 1),
    CORNER = 4,        /* times the tolerance: where three materials meet, a mixture of two is that much farther off */
    ROUNDING = 4,      /* largest difference of a channel from the colour of a mixture that is exact but for rounding */
    ERROR_COLOURS = 6, /* in a message */
};

/* ---- single colours ---------------------------------------------------------------------------------------------- */

static int channel_distance(const struct legend_entry *entry, const uint8_t rgb[3], int *sum)
{
    int red = abs(entry->red - rgb[0]), green = abs(entry->green - rgb[1]), blue = abs(entry->blue - rgb[2]);
    *sum = red + green + blue;
    return red > green ? (red > blue ? red : blue) : (green > blue ? green : blue);
}

/* The nearest entry of the legend, by the largest difference of a channel, which *distance is set to. Ties are decided
 * by the sum over the channels. */
static int legend_nearest(const struct plan_choice *plan, const uint8_t rgb[3], int *distance)
{
    int nearest = -1, best_sum = 0;
    *distance = 256;
    for (int e = 0; e < plan->legend_count; e++) {
        int sum = 0, found = channel_distance(&plan->legend[e], rgb, &sum);
        if (found < *distance || (found == *distance && sum < best_sum)) {
            *distance = found;
            nearest = e;
            best_sum = sum;
        }
    }
    return nearest;
}

struct colour_slot {
    uint32_t key; /* colour + 1; 0: empty */
    int entry, distance;
};

/* The picture while it is matched. */
struct matching {
    const struct plan_choice *plan;
    const pw_picture *image;
    uint16_t *nearest; /* (height, width), owned, row 0 at the top as in the image */
    uint8_t *distance; /* the same: of the nearest entry, 255 at most */
    struct colour_tally stray;
    struct picture_match *result;
};

/* Few colours cover nearly every pixel: a small cache keeps the search over the legend out of the loop. */
static void find_nearest(struct matching *matching, struct colour_slot *cache)
{
    const pw_picture *image = matching->image;
    size_t count = (size_t)image->width * (size_t)image->height;
    for (size_t p = 0; p < count; p++) {
        const uint8_t *rgb = image->rgb + 3 * p;
        uint32_t colour = (uint32_t)rgb[0] << 16 | (uint32_t)rgb[1] << 8 | rgb[2];
        struct colour_slot *slot = &cache[colour * 2654435761u >> 20];
        if (slot->key != colour + 1) {
            slot->key = colour + 1;
            slot->entry = legend_nearest(matching->plan, rgb, &slot->distance);
        }
        matching->nearest[p] = (uint16_t)slot->entry;
        matching->distance[p] = (uint8_t)slot->distance;
    }
}

/* ---- neighbours -------------------------------------------------------------------------------------------------- */

/* Entries of the legend near a pixel, each once. */
struct candidates {
    int entries[CANDIDATES];
    int count;
};

static void candidate_add(struct candidates *candidates, int entry)
{
    for (int n = 0; n < candidates->count; n++) {
        if (candidates->entries[n] == entry) {
            return;
        }
    }
    candidates->entries[candidates->count++] = entry;
}

/* The entries of pixels around (column, row) that are no farther from their entry than `limit`. */
static struct candidates candidates_near(const struct matching *matching, int column, int row, int limit)
{
    const pw_picture *image = matching->image;
    struct candidates found = {.count = 0};
    for (int y = row - NEIGHBOURHOOD; y <= row + NEIGHBOURHOOD; y++) {
        for (int x = column - NEIGHBOURHOOD; x <= column + NEIGHBOURHOOD; x++) {
            bool other = x != column || y != row;
            if (other && x >= 0 && x < image->width && y >= 0 && y < image->height) {
                size_t p = (size_t)y * (size_t)image->width + (size_t)x;
                if (matching->distance[p] <= limit) {
                    candidate_add(&found, matching->nearest[p]);
                }
            }
        }
    }
    return found;
}

/* A colour as a mixture of two entries. */
struct blend {
    int from, to;    /* entries; the same for a colour of one */
    double share;    /* of `to`, 0 to 1 */
    double residual; /* largest difference of a channel from the colour of the mixture */
};

/* The point of the line between two colours that is nearest to a third. */
static struct blend blend_of(const struct plan_choice *plan, int from, int to, const uint8_t rgb[3])
{
    const struct legend_entry *a = &plan->legend[from], *b = &plan->legend[to];
    const double start[3] = {a->red, a->green, a->blue}, end[3] = {b->red, b->green, b->blue};
    double along = 0, length = 0;
    for (int c = 0; c < 3; c++) {
        along += (rgb[c] - start[c]) * (end[c] - start[c]);
        length += (end[c] - start[c]) * (end[c] - start[c]);
    }
    struct blend blend = {from, to, length > 0 ? fmin(fmax(along / length, 0), 1) : 0, 0};
    for (int c = 0; c < 3; c++) {
        blend.residual = fmax(blend.residual, fabs(start[c] + blend.share * (end[c] - start[c]) - rgb[c]));
    }
    return blend;
}

/* The best mixture of one or two candidates; residual HUGE_VAL when there are none. */
static struct blend blend_best(const struct plan_choice *plan, const struct candidates *candidates,
                               const uint8_t rgb[3])
{
    struct blend best = {0, 0, 0, HUGE_VAL};
    for (int n = 0; n < candidates->count; n++) {
        for (int m = n; m < candidates->count; m++) {
            struct blend blend = blend_of(plan, candidates->entries[n], candidates->entries[m], rgb);
            best = blend.residual < best.residual ? blend : best;
        }
    }
    return best;
}

/* The best mixture of one of the candidates with any entry of the legend, for walls so thin that no pixel shows their
 * own colour. */
static struct blend blend_thin(const struct plan_choice *plan, const struct candidates *candidates,
                               const uint8_t rgb[3])
{
    struct blend best = {0, 0, 0, HUGE_VAL};
    for (int n = 0; n < candidates->count; n++) {
        for (int e = 0; e < plan->legend_count; e++) {
            struct blend blend = blend_of(plan, candidates->entries[n], e, rgb);
            best = blend.residual < best.residual ? blend : best;
        }
    }
    return best;
}

/* The nearest entry of the legend; between two materials that are certain never a third. */
static struct blend blend_nearest(const struct matching *matching, const struct candidates *certain, size_t pixel)
{
    const uint8_t *rgb = matching->image->rgb + 3 * pixel;
    int entry = matching->nearest[pixel];
    double nearest = HUGE_VAL;
    for (int n = 0; certain->count >= 2 && n < certain->count; n++) {
        struct blend one = blend_of(matching->plan, certain->entries[n], certain->entries[n], rgb);
        entry = one.residual < nearest ? certain->entries[n] : entry;
        nearest = fmin(nearest, one.residual);
    }
    return (struct blend){entry, entry, 0, 0};
}

/* What the pixel consists of; false when it is too far from everything. What its neighbours certainly are comes first;
 * in a scan nothing is certain, and neighbours that are nearer to their entry than this pixel have to do. */
static bool pixel_blend(const struct matching *matching, int column, int row, struct blend *blend)
{
    size_t p = (size_t)row * (size_t)matching->image->width + (size_t)column;
    const uint8_t *rgb = matching->image->rgb + 3 * p;
    const int tolerance = matching->plan->tolerance, own = matching->distance[p];
    if (tolerance == 0) {
        return false;
    }
    struct candidates certain = candidates_near(matching, column, row, 0);
    *blend = blend_best(matching->plan, &certain, rgb);
    if (blend->residual <= tolerance) {
        return true;
    }
    struct blend thin = blend_thin(matching->plan, &certain, rgb);
    if (certain.count < 2 && thin.residual <= fmin(ROUNDING, tolerance)) {
        *blend = thin;
        return true;
    }
    struct candidates likely = candidates_near(matching, column, row, own < tolerance ? own : tolerance);
    *blend = blend_best(matching->plan, &likely, rgb);
    if (blend->residual <= (likely.count < 3 ? tolerance : CORNER * tolerance)) {
        return true;
    }
    *blend = own <= tolerance ? blend_nearest(matching, &certain, p) : thin;
    return own <= tolerance || (certain.count >= 2 && thin.residual <= CORNER * tolerance);
}

/* Which side of the pixel is the other material's: where more of its neighbours are. */
static enum mixed_side side_of(const struct matching *matching, int column, int row, int other)
{
    const pw_picture *image = matching->image;
    int right = 0, above = 0;
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            int x = column + dx, y = row + dy;
            bool inside = x >= 0 && x < image->width && y >= 0 && y < image->height;
            if (inside && matching->nearest[(size_t)y * (size_t)image->width + (size_t)x] == other) {
                right += dx;
                above -= dy; /* rows of the picture grow downwards */
            }
        }
    }
    if (abs(right) >= abs(above)) {
        return right > 0 ? MIXED_RIGHT : MIXED_LEFT;
    }
    return above > 0 ? MIXED_ABOVE : MIXED_BELOW;
}

/* ---- the picture ------------------------------------------------------------------------------------------------- */

/* Of any of its layers. */
static bool colour_has_metal(const struct plan_choice *plan, int entry)
{
    bool metal = plan->legend[entry].material.perfect_conductor;
    for (int e = entry + 1; e < plan->legend_count && plan->legend[e].upper; e++) {
        metal = metal || plan->legend[e].material.perfect_conductor;
    }
    return metal;
}

/* Puts a pixel of two materials into the result; of metal and something else it is the nearer, since metal has no
 * share.
 */
static pw_status pixel_divide(const struct matching *matching, int column, int row, const struct blend *blend,
                              uint16_t *entry, pw_error *error)
{
    bool metal = colour_has_metal(matching->plan, blend->from) || colour_has_metal(matching->plan, blend->to);
    double smaller = fmin(blend->share, 1 - blend->share);
    int parts = (int)lround(smaller * MIXED_PARTS), other = blend->share > 0.5 ? blend->from : blend->to;
    *entry = (uint16_t)(blend->share > 0.5 ? blend->to : blend->from);
    if (metal || parts == 0 || blend->from == blend->to) {
        return PW_OK;
    }
    const struct mixed_pixel pixel = {.column = column,
                                      .other = (uint16_t)other,
                                      .parts = (uint8_t)parts,
                                      .side = (uint8_t)side_of(matching, column, row, other)};
    return mixed_pixels_add(&matching->result->mixed, &pixel, error);
}

static pw_status row_match(struct matching *matching, int row, pw_error *error)
{
    const pw_picture *image = matching->image;
    size_t first = (size_t)image->width * (size_t)row;
    uint16_t *to = matching->result->entries + (size_t)image->width * (size_t)(image->height - 1 - row);
    for (int column = 0; column < image->width; column++) {
        size_t p = first + (size_t)column;
        const uint8_t *rgb = image->rgb + 3 * p;
        to[column] = matching->nearest[p];
        if (matching->distance[p] == 0) {
            continue;
        }
        struct blend blend;
        bool known = pixel_blend(matching, column, row, &blend);
        uint32_t colour = (uint32_t)rgb[0] << 16 | (uint32_t)rgb[1] << 8 | rgb[2];
        TRY(colour_tally_add(known ? &matching->result->inexact : &matching->stray, colour, column, row, error));
        if (known) {
            TRY(pixel_divide(matching, column, row, &blend, &to[column], error));
        }
    }
    return PW_OK;
}

size_t colour_tally_describe(const struct colour_tally *tally, const struct plan_choice *plan, double pixels,
                             size_t limit, char *text, size_t size)
{
    size_t used = 0;
    int64_t listed = 0;
    text[0] = '\0';
    for (size_t n = 0; n < tally->colours && n < limit && used + 1 < size; n++) {
        const struct colour_count *count = &tally->counts[n];
        const uint8_t rgb[3] = {(uint8_t)(count->colour >> 16), (uint8_t)(count->colour >> 8), (uint8_t)count->colour};
        int distance = 0;
        const struct legend_entry *near = &plan->legend[legend_nearest(plan, rgb, &distance)];
        char name[40];
        snprintf(name, sizeof name, "#%02x%02x%02x %.22s", near->red, near->green, near->blue, near->material.name);
        snprintf(text + used, size - used,
                 "  #%06x %9lld px %7.3f %%  nearest %-20s %3d off  first at column %d, row %d\n", count->colour,
                 (long long)count->pixels, 100 * (double)count->pixels / pixels, name, distance, count->column,
                 count->row);
        used += strlen(text + used);
        listed += count->pixels;
    }
    if (listed < tally->pixels && used + 1 < size) {
        snprintf(text + used, size - used, "  and %s%lld px of %zu other colours\n", tally->more ? "at least " : "",
                 (long long)(tally->pixels - listed), tally->colours > limit ? tally->colours - limit : 1);
        used += strlen(text + used);
    }
    return used;
}

static pw_status stray_report(const struct scenario *scenario, struct matching *matching, pw_error *error)
{
    const struct plan_choice *plan = matching->plan;
    char list[760];
    colour_tally_sort(&matching->stray);
    size_t length =
        colour_tally_describe(&matching->stray, plan, (double)matching->image->width * matching->image->height,
                              ERROR_COLOURS, list, sizeof list);
    list[length > 0 ? length - 1 : 0] = '\0'; /* the message ends its line itself */
    return fail(error, PW_BAD_INPUT,
                "%.80s: plan.image '%.100s': %lld pixel%s not in the legend, and plan.tolerance is %d%s\n%s",
                scenario->file, plan->image, (long long)matching->stray.pixels,
                matching->stray.pixels == 1 ? " is" : "s are", plan->tolerance,
                plan->tolerance == 0 ? "; smooth edges need one, such as 16" : "", list);
}

static void rows_index(struct mixed_pixels *mixed, size_t *start, const size_t *row_counts, int rows)
{
    start[0] = 0;
    for (int row = 0; row < rows; row++) {
        start[row + 1] = start[row] + row_counts[row];
    }
    mixed->start = start;
}

/* From the bottom row upwards, so that the mixed pixels come in the order of their list. */
static pw_status rows_match(struct matching *matching, pw_error *error)
{
    int rows = matching->image->height;
    struct mixed_pixels *mixed = &matching->result->mixed;
    OWNED size_t *start = allocate((size_t)rows + 1, sizeof *start, "the rows of the plan", error);
    OWNED size_t *counts = allocate((size_t)rows, sizeof *counts, "the rows of the plan", error);
    TRY_MADE(start != NULL && counts != NULL);
    for (int row = 0; row < rows; row++) {
        size_t before = mixed->count;
        TRY(row_match(matching, rows - 1 - row, error));
        counts[row] = mixed->count - before;
    }
    if (mixed->count > 0) {
        rows_index(mixed, start, counts, rows);
        start = NULL;
    }
    return PW_OK;
}

pw_status picture_match(const struct scenario *scenario, const pw_picture *image, struct picture_match *match,
                        pw_error *error)
{
    size_t count = (size_t)image->width * (size_t)image->height;
    struct matching matching = {.plan = &scenario->plan, .image = image, .result = match};
    *match = (struct picture_match){0};
    match->entries = allocate(count, sizeof *match->entries, "the plan", error);
    matching.nearest = allocate(count, sizeof *matching.nearest, "the plan", error);
    matching.distance = allocate(count, sizeof *matching.distance, "the plan", error);
    struct colour_slot *cache = allocate(COLOUR_CACHE, sizeof *cache, "the colours of the plan", error);
    pw_status status = PW_NO_RESOURCE;
    if (match->entries != NULL && matching.nearest != NULL && matching.distance != NULL && cache != NULL) {
        find_nearest(&matching, cache);
        status = rows_match(&matching, error);
    }
    if (status == PW_OK && matching.stray.pixels > 0) {
        status = stray_report(scenario, &matching, error);
    }
    colour_tally_sort(&match->inexact);
    colour_tally_free(&matching.stray);
    FREE_ALL(cache, matching.nearest, matching.distance);
    return status;
}

void picture_match_free(struct picture_match *match)
{
    free(match->entries);
    mixed_pixels_free(&match->mixed);
    colour_tally_free(&match->inexact);
    *match = (struct picture_match){0};
}
