/* Lines across a floor plan (scanline.h). Within a slab the order of the faces is taken at its middle; faces that cross
 * each other inside a slab are exact to the height of the slab only. */
#include "medium/scanline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* m: as in floorplan.c, nearer than this is the same place. */
static const double SAME_PLACE = 1e-9;

/* Sides that rise by less than this over their length count as shallow; slabs are cut in FINE parts there. */
static const double SHALLOW = 1.0 / 16;
enum { FINE = 8 };

pw_status run_list_create(const struct floorplan *plan, struct run_list *list, pw_error *error)
{
    /* A shape adds at most one run per side, a pixel one, and one more if it holds two materials. */
    size_t capacity = 8 + 2 * (size_t)plan->pixel_columns;
    for (int s = 0; s < plan->shape_count; s++) {
        capacity += 4 + (size_t)plan->outlines[s].point_count;
    }
    *list = (struct run_list){.capacity = (int)capacity};
    list->runs = allocate(capacity, sizeof *list->runs, "a line of the plan", error);
    list->spare = allocate(capacity, sizeof *list->spare, "a line of the plan", error);
    list->crossings = allocate(capacity, sizeof *list->crossings, "a line of the plan", error);
    if (list->runs == NULL || list->spare == NULL || list->crossings == NULL) {
        run_list_free(list);
        return PW_NO_RESOURCE;
    }
    return PW_OK;
}

void run_list_free(struct run_list *list)
{
    FREE_ALL(list->runs, list->spare, list->crossings);
    *list = (struct run_list){0};
}

bool run_list_equal(const struct run_list *a, const struct run_list *b)
{
    if (a->count != b->count) {
        return false;
    }
    for (int r = 0; r < a->count; r++) {
        if (a->runs[r].material != b->runs[r].material || a->runs[r].start != b->runs[r].start ||
            a->runs[r].ramp != b->runs[r].ramp) {
            return false;
        }
    }
    return true;
}

/* Adds a run unless it goes on with the same material; a run that begins where the last one did replaces it. */
static void run_append(struct run *runs, int *count, struct run run)
{
    if (*count > 0 && run.start - runs[*count - 1].start < SAME_PLACE) {
        (*count)--;
        run.start = runs[*count].start;
    }
    if (*count == 0 || runs[*count - 1].material != run.material) {
        runs[(*count)++] = run;
    }
}

/* Lays `material` over the list from `from` to `to`; faces outside the plan are none. */
static void list_paint(struct run_list *list, double width, struct run from, struct run to, uint16_t material)
{
    if (to.start <= SAME_PLACE || from.start >= width - SAME_PLACE || to.start - from.start < SAME_PLACE) {
        return;
    }
    if (from.start <= SAME_PLACE) {
        from = (struct run){.start = -INFINITY};
    }
    int count = 0, r = 0;
    struct run under = list->runs[0];
    for (; r < list->count && list->runs[r].start < from.start; r++) {
        under = list->runs[r];
        run_append(list->spare, &count, under);
    }
    from.material = material;
    run_append(list->spare, &count, from);
    for (; r < list->count && list->runs[r].start <= to.start; r++) {
        under = list->runs[r];
    }
    if (to.start < width - SAME_PLACE) {
        to.material = under.material;
        run_append(list->spare, &count, to);
        for (; r < list->count; r++) {
            run_append(list->spare, &count, list->runs[r]);
        }
    }
    struct run *painted = list->spare;
    list->spare = list->runs;
    list->runs = painted;
    list->count = count;
}

/* The runs of a pixel of two materials, at `height` in parts of the pixel. */
static void list_divide(const struct floorplan *plan, const struct mixed_pixel *mixed, uint16_t material, double height,
                        struct run_list *list)
{
    double left = mixed->column * plan->pixel, share = plan->pixel * mixed->parts / MIXED_PARTS;
    struct run first = {.start = left, .material = material}, second = first;
    switch ((enum mixed_side)mixed->side) {
    case MIXED_LEFT:
        first.material = mixed->other;
        second.start = left + share;
        break;
    case MIXED_RIGHT:
        second.material = mixed->other;
        second.start = left + plan->pixel - share;
        break;
    case MIXED_BELOW:
    case MIXED_ABOVE:
        first.material = mixed_pixel_is_other(mixed, 0, height) ? mixed->other : material;
        run_append(list->runs, &list->count, first);
        return;
    }
    run_append(list->runs, &list->count, first);
    run_append(list->runs, &list->count, second);
}

/* A row of pixels, some of which hold two materials. */
static void list_start_mixed(const struct floorplan *plan, int row, double height, struct run_list *list)
{
    const uint16_t *pixels = plan->pixels + (size_t)row * (size_t)plan->pixel_columns;
    const struct mixed_pixel *next = plan->mixed.list + plan->mixed.start[row];
    const struct mixed_pixel *end = plan->mixed.list + plan->mixed.start[row + 1];
    list->count = 0;
    for (int column = 0; column < plan->pixel_columns; column++) {
        if (next < end && next->column == column) {
            list_divide(plan, next++, pixels[column], height, list);
        } else {
            run_append(list->runs, &list->count,
                       (struct run){.start = column * plan->pixel, .material = pixels[column]});
        }
    }
    list->runs[0].start = -INFINITY;
}

static void list_start(const struct floorplan *plan, double y, struct run_list *list)
{
    list->count = 0;
    run_append(list->runs, &list->count, (struct run){.start = -INFINITY});
    if (plan->pixels == NULL) {
        return;
    }
    int row = (int)fmin(fmax(y / plan->pixel, 0), plan->pixel_rows - 1);
    if (mixed_pixels_in_row(&plan->mixed, row)) {
        list_start_mixed(plan, row, y / plan->pixel - row, list);
        return;
    }
    const uint16_t *pixels = plan->pixels + (size_t)row * (size_t)plan->pixel_columns;
    list->runs[0].material = pixels[0];
    for (int column = 1; column < plan->pixel_columns; column++) {
        if (pixels[column] != pixels[column - 1]) {
            list->runs[list->count++] = (struct run){.start = column * plan->pixel, .material = pixels[column]};
        }
    }
}

static int crossing_order(const void *a, const void *b)
{
    double x = ((const struct run *)a)->start, y = ((const struct run *)b)->start;
    return (x > y) - (x < y);
}

/* Sides of a polygon that cross the slab, from left to right. */
static int polygon_crossings(const struct outline *outline, double bottom, double top, struct run *crossings)
{
    double y = 0.5 * (bottom + top);
    int count = 0;
    for (int p = 0; p < outline->point_count; p++) {
        struct point a = outline->points[p], b = outline->points[(p + 1) % outline->point_count];
        if ((a.y > y) != (b.y > y)) {
            double slope = fabs(a.x - b.x) > SAME_PLACE ? (b.x - a.x) / (b.y - a.y) : 0;
            crossings[count++] =
                (struct run){.start = a.x + slope * (y - a.y), .ramp = fabs(slope) * 0.5 * (top - bottom)};
        }
    }
    qsort(crossings, (size_t)count, sizeof *crossings, crossing_order);
    return count;
}

/* Half the chord at height y over the centre. */
static double half_chord(const struct outline *outline, double y)
{
    double square = outline->radius * outline->radius - y * y;
    return square > 0 ? sqrt(square) : 0;
}

/* The two sides of a circle, at the mean of the chord over the slab (Simpson's rule). */
static int circle_crossings(const struct outline *outline, double bottom, double top, struct run *crossings)
{
    double low = half_chord(outline, bottom - outline->centre.y), high = half_chord(outline, top - outline->centre.y);
    double middle = half_chord(outline, 0.5 * (bottom + top) - outline->centre.y);
    double half = (low + 4 * middle + high) / 6, ramp = 0.5 * fabs(high - low);
    crossings[0] = (struct run){.start = outline->centre.x - half, .ramp = ramp};
    crossings[1] = (struct run){.start = outline->centre.x + half, .ramp = ramp};
    return 2;
}

void scanline_runs(const struct floorplan *plan, double bottom, double top, struct run_list *list)
{
    /* Beyond the plan its edge runs on, upright. */
    bottom = fmin(fmax(bottom, 0), plan->height);
    top = fmin(fmax(top, 0), plan->height);
    double y = fmin(fmax(0.5 * (bottom + top), SAME_PLACE), plan->height - SAME_PLACE);
    if (top - bottom < SAME_PLACE) {
        bottom = top = y;
    }
    list_start(plan, y, list);
    for (int s = 0; s < plan->shape_count; s++) {
        const struct outline *outline = &plan->outlines[s];
        if (y <= outline->low.y || y >= outline->high.y) {
            continue;
        }
        int count = outline->point_count == 0 ? circle_crossings(outline, bottom, top, list->crossings)
                                              : polygon_crossings(outline, bottom, top, list->crossings);
        for (int c = 0; c + 1 < count; c += 2) {
            list_paint(list, plan->width, list->crossings[c], list->crossings[c + 1], plan->shape_material[s]);
        }
    }
}

/* ---- slabs ---- */

double scanline_snap(double cells)
{
    return isfinite(cells) ? nearbyint(cells * 0x1p30) * 0x1p-30 : cells;
}

struct border_list {
    double *borders; /* cells */
    size_t count, capacity;
    double origin, cell, height; /* m */
};

static void border_add(struct border_list *list, double y)
{
    if (y > 0 && y < list->height) {
        list->borders[list->count++] = scanline_snap((y - list->origin) / list->cell);
    }
}

static bool pixel_rows_differ(const struct floorplan *plan, int row)
{
    size_t columns = (size_t)plan->pixel_columns;
    return mixed_pixels_in_row(&plan->mixed, row - 1) || mixed_pixels_in_row(&plan->mixed, row) ||
           memcmp(plan->pixels + columns * (size_t)(row - 1), plan->pixels + columns * (size_t)row,
                  columns * sizeof *plan->pixels) != 0;
}

/* Heights within a row of pixels at which pixels of two materials change from one to the other. */
static void borders_of_mixed(const struct floorplan *plan, int row, struct border_list *list)
{
    bool wanted[MIXED_PARTS] = {false};
    for (size_t p = plan->mixed.start[row]; p < plan->mixed.start[row + 1]; p++) {
        const struct mixed_pixel *mixed = &plan->mixed.list[p];
        wanted[mixed->parts] = wanted[mixed->parts] || mixed->side == MIXED_BELOW;
        wanted[MIXED_PARTS - mixed->parts] = wanted[MIXED_PARTS - mixed->parts] || mixed->side == MIXED_ABOVE;
    }
    for (int part = 1; part < MIXED_PARTS; part++) {
        if (wanted[part]) {
            border_add(list, (row + (double)part / MIXED_PARTS) * plan->pixel);
        }
    }
}

/* Borders that the plan itself sets. */
static void borders_of_plan(const struct floorplan *plan, struct border_list *list)
{
    list->borders[list->count++] = scanline_snap((0 - list->origin) / list->cell);
    list->borders[list->count++] = scanline_snap((plan->height - list->origin) / list->cell);
    for (int row = 1; row < plan->pixel_rows; row++) {
        if (pixel_rows_differ(plan, row)) {
            border_add(list, row * plan->pixel);
        }
    }
    for (int row = 0; row < plan->pixel_rows; row++) {
        if (mixed_pixels_in_row(&plan->mixed, row)) {
            borders_of_mixed(plan, row, list);
        }
    }
    for (int s = 0; s < plan->shape_count; s++) {
        const struct outline *outline = &plan->outlines[s];
        border_add(list, outline->low.y);
        border_add(list, outline->high.y);
        for (int p = 0; p < outline->point_count; p++) {
            border_add(list, outline->points[p].y);
        }
    }
}

/* Borders wanted on a lattice of FINE parts of a slab, from row `first` on. */
struct border_lattice {
    uint8_t *wanted; /* (count), owned */
    int first, per_cell, count;
};

/* Every `step`-th lattice line from y = low to high [m]. */
static void lattice_want(struct border_lattice *lattice, const struct border_list *list, double low, double high,
                         int step)
{
    low = ((fmax(low, 0) - list->origin) / list->cell - lattice->first) * lattice->per_cell / step;
    high = ((fmin(high, list->height) - list->origin) / list->cell - lattice->first) * lattice->per_cell / step;
    int last = (int)fmin(floor(high), (lattice->count - 1) / step);
    for (int n = (int)fmin(fmax(ceil(low), 0), lattice->count); n <= last; n++) {
        lattice->wanted[n * step] = 1;
    }
}

/* Lines at oblique outlines, and more of them at shallow sides, which cross others within a slab. */
static void lattice_of_outline(const struct outline *outline, const struct border_list *list,
                               struct border_lattice *lattice)
{
    lattice_want(lattice, list, outline->low.y, outline->high.y, FINE);
    for (int p = 0; p < outline->point_count; p++) {
        struct point a = outline->points[p], b = outline->points[(p + 1) % outline->point_count];
        if (fabs(a.y - b.y) > SAME_PLACE && fabs(a.y - b.y) < SHALLOW * fabs(a.x - b.x)) {
            lattice_want(lattice, list, fmin(a.y, b.y), fmax(a.y, b.y), 1);
        }
    }
    if (outline->point_count == 0) {
        double cap = 0.5 * SHALLOW * SHALLOW * outline->radius;
        lattice_want(lattice, list, outline->low.y, outline->low.y + cap, 1);
        lattice_want(lattice, list, outline->high.y - cap, outline->high.y, 1);
    }
}

pw_status scanline_slabs(const struct floorplan *plan, const struct slab_rows *rows, double **borders, int *count,
                         pw_error *error)
{
    struct border_list list = {.origin = rows->origin_y, .cell = rows->cell, .height = plan->height};
    struct border_lattice lattice = {.first = rows->first, .per_cell = rows->per_cell * FINE};
    lattice.count = (rows->last - rows->first) * lattice.per_cell + 1;
    TRY_MADE(lattice.wanted = allocate((size_t)lattice.count, 1, "the lines of the plan", error));
    for (int s = 0; s < plan->shape_count; s++) {
        if (plan->outlines[s].oblique) {
            lattice_of_outline(&plan->outlines[s], &list, &lattice);
        }
    }
    list.capacity = 2 + (size_t)plan->pixel_rows;
    for (int row = 0; row < plan->pixel_rows; row++) {
        list.capacity += mixed_pixels_in_row(&plan->mixed, row) ? MIXED_PARTS : 0;
    }
    for (int n = 0; n < lattice.count; n++) {
        list.capacity += lattice.wanted[n];
    }
    for (int s = 0; s < plan->shape_count; s++) {
        list.capacity += 2 + (size_t)plan->outlines[s].point_count;
    }
    list.borders = allocate(list.capacity, sizeof *list.borders, "the lines of the plan", error);
    if (list.borders == NULL) {
        free(lattice.wanted);
        return PW_NO_RESOURCE;
    }
    borders_of_plan(plan, &list);
    for (int n = 0; n < lattice.count; n++) {
        if (lattice.wanted[n]) {
            list.borders[list.count++] = rows->first + (double)n / lattice.per_cell;
        }
    }
    free(lattice.wanted);
    qsort(list.borders, list.count, sizeof *list.borders, pw_number_order);
    size_t kept = 1;
    for (size_t b = 1; b < list.count; b++) {
        if (list.borders[b] - list.borders[kept - 1] > SAME_PLACE / rows->cell) {
            list.borders[kept++] = list.borders[b];
        }
    }
    *borders = list.borders;
    *count = (int)kept;
    return PW_OK;
}
