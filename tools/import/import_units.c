/* Plausibility of units (import_units.h). */
#include "import/import_units.h"

#include "drawing/door_arc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is possible, and what is usual; m. */
struct span {
    double least, most;
};
static const struct span POSSIBLE_SIZE = {2, 5000}, POSSIBLE_WALL = {0.03, 3}, POSSIBLE_FACES = {0.025, 1},
                         POSSIBLE_DOOR = {0.5, 2.2};
static const struct span USUAL_SIZE = {3, 600}, USUAL_WALL = {0.05, 0.6}, USUAL_DOOR = {0.6, 1.5};
static const double TYPICAL_SIZE = 15, TYPICAL_WALL = 0.16, TYPICAL_DOOR = 0.9;

static bool within(double value, struct span span)
{
    return value >= span.least && value <= span.most;
}

/* ---- measures ---- */

/* Values with weights, of which the middle one is wanted. */
struct sample {
    double value, weight;
};

static int sample_order(const void *a, const void *b)
{
    const struct sample *one = a, *two = b;
    return (one->value > two->value) - (one->value < two->value);
}

/* The weighted median; 0 of none. */
static double median(struct sample *samples, size_t count)
{
    double sum = 0, reached = 0;
    for (size_t n = 0; n < count; n++) {
        sum += samples[n].weight;
    }
    if (count > 1) {
        qsort(samples, count, sizeof *samples, sample_order);
    }
    for (size_t n = 0; n < count; n++) {
        reached += samples[n].weight;
        if (2 * reached >= sum) {
            return samples[n].value;
        }
    }
    return 0;
}

/* A straight piece of a line. */
struct piece {
    struct drawing_point from, along; /* unit vector */
    double length;
};

static int piece_order(const void *a, const void *b)
{
    const struct piece *one = a, *two = b;
    return (one->length < two->length) - (one->length > two->length);
}

/* How far the nearest lines beside a piece are that run along at least a third of the shorter one, on its left and on
 * its right; infinite where there is none. */
static void nearest_beside(const struct piece *own, const struct piece *pieces, size_t count, double nearest[2])
{
    nearest[0] = nearest[1] = HUGE_VAL;
    for (size_t n = 0; n < count; n++) {
        const struct piece *other = &pieces[n];
        double cross = own->along.x * other->along.y - own->along.y * other->along.x;
        double x = other->from.x - own->from.x, y = other->from.y - own->from.y;
        double begin = x * own->along.x + y * own->along.y;
        double end = begin + other->length * (own->along.x * other->along.x + own->along.y * other->along.y);
        double apart = own->along.x * y - own->along.y * x;
        double overlap = fmin(fmax(begin, end), own->length) - fmax(fmin(begin, end), 0);
        if (other != own && fabs(cross) < 0.02 && fabs(apart) > 1e-6 * own->length &&
            overlap > fmin(own->length, other->length) / 3) {
            nearest[apart > 0] = fmin(nearest[apart > 0], fabs(apart));
        }
    }
}

/* The usual distance of the two faces of walls, from the longest lines; 0 where lines are no faces. A face has the
 * other on one side, and the far side of a room on the other; a centre line has rooms on both. */
static double faces_measure(struct piece *pieces, size_t count, struct sample *samples)
{
    enum { MANY = 1000 };
    const double uneven = 4;
    size_t made = 0;
    double faces = 0, centre_lines = 0;
    if (count > 1) {
        qsort(pieces, count, sizeof *pieces, piece_order);
    }
    count = count < MANY ? count : MANY;
    for (size_t n = 0; n < count; n++) {
        double sides[2];
        nearest_beside(&pieces[n], pieces, count, sides);
        double near = fmin(sides[0], sides[1]), far = fmax(sides[0], sides[1]);
        if (isfinite(far)) {
            *(far > uneven * near ? &faces : &centre_lines) += pieces[n].length;
        }
        if (isfinite(near)) {
            samples[made++] = (struct sample){near, pieces[n].length};
        }
    }
    return faces > centre_lines ? median(samples, made) : 0;
}

static double rings_area(const struct drawing *drawing, const struct drawing_element *element, double *around)
{
    double area = 0;
    for (size_t r = element->first_ring; r < element->first_ring + element->rings; r++) {
        const struct drawing_ring *ring = &drawing->rings[r];
        const struct drawing_point *points = drawing->points + ring->first;
        for (size_t n = 0; n < ring->count; n++) {
            const struct drawing_point *next = &points[n + 1 < ring->count ? n + 1 : 0];
            area += 0.5 * (points[n].x * next->y - next->x * points[n].y);
            *around += hypot(next->x - points[n].x, next->y - points[n].y);
        }
    }
    return fabs(area);
}

/* While elements are gone through. */
struct measuring {
    const struct import *import;
    struct piece *pieces;
    struct sample *walls, *doors; /* owned, with room for all points and elements */
    size_t piece_count, wall_count, door_count;
    double box[4];
};

static void element_measure(struct measuring *measuring, const struct drawing_element *element)
{
    const struct drawing *drawing = &measuring->import->drawing;
    const struct import_class *own = &measuring->import->classes[element->class_index];
    struct drawing_point low, high;
    struct door_arc arc;
    double around = 0;
    drawing_element_box(drawing, element, &low, &high);
    const double longer = fmax(high.x - low.x, high.y - low.y);
    size_t next = 0;
    if (own->guess.use == CLASS_DOORS && door_arc_next(drawing, element, &next, &arc)) {
        measuring->doors[measuring->door_count++] = (struct sample){arc.radius, 1};
    }
    if (!import_is_fabric(own)) {
        return;
    }
    double *box = measuring->box;
    box[0] = fmin(box[0], low.x), box[1] = fmin(box[1], low.y);
    box[2] = fmax(box[2], high.x), box[3] = fmax(box[3], high.y);
    if (own->said != NULL || own->guess.use != CLASS_WALLS) {
        return;
    }
    if (element->kind == ELEMENT_AREA) {
        double area = rings_area(drawing, element, &around);
        measuring->walls[measuring->wall_count++] = (struct sample){around > 0 ? 2 * area / around : 0, around};
    } else if (element->width > 0 && !own->guess.thickness_guessed) {
        measuring->walls[measuring->wall_count++] = (struct sample){element->width, longer};
    }
    const struct drawing_ring *ring = &drawing->rings[element->first_ring];
    for (size_t n = 1; element->kind == ELEMENT_LINE && n < ring->count; n++) {
        const struct drawing_point *at = &drawing->points[ring->first + n];
        double x = at[0].x - at[-1].x, y = at[0].y - at[-1].y, length = hypot(x, y);
        measuring->pieces[measuring->piece_count++] = (struct piece){at[-1], {x / length, y / length}, length};
    }
}

pw_status plan_measures_take(const struct import *import, struct plan_measures *measures, pw_error *error)
{
    const struct drawing *drawing = &import->drawing;
    struct measuring measuring = {.import = import, .box = {HUGE_VAL, HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    const size_t most = drawing->point_count > drawing->element_count ? drawing->point_count : drawing->element_count;
    measuring.pieces = allocate(drawing->point_count, sizeof *measuring.pieces, "lines of a drawing", error);
    measuring.walls = allocate(most, sizeof *measuring.walls, "lines of a drawing", error);
    measuring.doors = allocate(drawing->element_count, sizeof *measuring.doors, "lines of a drawing", error);
    bool good = measuring.pieces != NULL && measuring.walls != NULL && measuring.doors != NULL;
    *measures = (struct plan_measures){0};
    for (size_t e = 0; good && e < drawing->element_count; e++) {
        if (import_page_is_taken(import, drawing->elements[e].page)) {
            element_measure(&measuring, &drawing->elements[e]);
        }
    }
    if (good && measuring.box[0] <= measuring.box[2]) {
        measures->across = measuring.box[2] - measuring.box[0];
        measures->upwards = measuring.box[3] - measuring.box[1];
        measures->wall = median(measuring.walls, measuring.wall_count);
        measures->door = measuring.door_count > 1 ? median(measuring.doors, measuring.door_count) : 0;
        measures->faces = faces_measure(measuring.pieces, measuring.piece_count, measuring.walls);
    }
    PW_FREE_ALL(measuring.pieces, measuring.walls, measuring.doors);
    return good ? PW_OK : PW_NO_RESOURCE;
}

/* ---- units ---- */

/* Units that people draw in. */
static const struct {
    const char *name;
    double metres;
} UNITS[] = {{"1mm", 1e-3}, {"1cm", 1e-2}, {"1in", 0.0254}, {"1ft", 0.3048}, {"1m", 1}};
enum { UNIT_COUNT = sizeof UNITS / sizeof UNITS[0] };

static double wall_measure(const struct plan_measures *measures)
{
    return measures->wall > 0 ? measures->wall : measures->faces;
}

/* How far the plan is from the typical one with this unit, in factors of e. */
static double distance_from_typical(const struct plan_measures *measures, double unit)
{
    const double size = unit * fmax(measures->across, measures->upwards), wall = unit * wall_measure(measures),
                 door = unit * measures->door;
    return 0.3 * fabs(log(size / TYPICAL_SIZE)) + (wall > 0 ? fabs(log(wall / TYPICAL_WALL)) : 0) +
           (door > 0 ? 3 * fabs(log(door / TYPICAL_DOOR)) : 0);
}

/* The same; infinite where something is not usual. */
static double misfit(const struct plan_measures *measures, double unit)
{
    const double size = unit * fmax(measures->across, measures->upwards), wall = unit * wall_measure(measures),
                 door = unit * measures->door;
    const bool usual = within(size, USUAL_SIZE) && (!(wall > 0) || within(wall, USUAL_WALL)) &&
                       (!(door > 0) || within(door, USUAL_DOOR));
    return usual ? distance_from_typical(measures, unit) : HUGE_VAL;
}

/* The unit of the table that fits best; -1: none does. */
static int unit_find(const struct plan_measures *measures)
{
    int best = -1;
    for (int u = 0; u < UNIT_COUNT; u++) {
        double own = misfit(measures, UNITS[u].metres);
        best = isfinite(own) && (best < 0 || own < misfit(measures, UNITS[best].metres)) ? u : best;
    }
    return best;
}

/* The scale that fits a sheet of paper best, N of 1:N; 0: none does, or it is no sheet. */
static double sheet_find(const struct plan_measures *measures, double paper)
{
    static const double SHEETS[] = {20, 50, 100, 200, 500};
    double best = 0;
    for (size_t n = 0; n < sizeof SHEETS / sizeof SHEETS[0] && paper > 0; n++) {
        const double own = misfit(measures, paper * SHEETS[n]);
        best = isfinite(own) && (!(best > 0) || own < misfit(measures, paper * best)) ? SHEETS[n] : best;
    }
    return best;
}

/* Three digits, or all before the point. */
static const char *metres_tell(double length, char text[32])
{
    snprintf(text, 32, length < 1000 ? "%.3g m" : "%.0f m", length);
    return text;
}

/* What a unit makes of the plan: "10.1 m x 6.1 m, its walls 15 cm thick, its doors 91 cm wide". */
static size_t plan_tell(const struct plan_measures *measures, double unit, char *text, size_t size)
{
    double wall = wall_measure(measures) * unit, door = measures->door * unit;
    char across[32], upwards[32];
    size_t used = (size_t)snprintf(text, size, "%s x %s", metres_tell(measures->across * unit, across),
                                   metres_tell(measures->upwards * unit, upwards));
    if (wall > 0 && used < size) {
        used += (size_t)snprintf(text + used, size - used, wall < 1 ? ", walls %.2g cm thick" : ", walls %.0f m thick",
                                 wall < 1 ? 100 * wall : wall);
    }
    if (door > 0 && used < size) {
        used += (size_t)snprintf(text + used, size - used, door < 10 ? ", doors %.3g cm wide" : ", doors %.3g m wide",
                                 door < 10 ? 100 * door : door);
    }
    return used < size ? used : size;
}

void plan_unit_advise(const struct import *import, const struct plan_measures *measures, char *text, size_t size)
{
    /* Of pictures and printed pages no unit is a common one: the scale is that of the doors, else of the walls. */
    const bool paper = import->drawing.picture.rgb != NULL || import->drawing.sheets;
    const double wall = wall_measure(measures), sheet = sheet_find(measures, import->drawing.paper);
    double unit = 0;
    char name[32] = "";
    const int found = paper ? -1 : unit_find(measures);
    if (sheet > 0) {
        const size_t used = (size_t)snprintf(text, size, "--scale 1:%g makes it ", sheet);
        (void)plan_tell(measures, import->drawing.paper * sheet, text + used, size - used);
        return;
    }
    if (found >= 0) {
        unit = UNITS[found].metres;
        snprintf(name, sizeof name, "%s", UNITS[found].name);
    } else if (paper && (measures->door > 0 || wall > 0)) {
        double rough = measures->door > 0 ? TYPICAL_DOOR / measures->door : TYPICAL_WALL / wall;
        snprintf(name, sizeof name, "%.2gcm", 100 * rough);
        unit = strtod(name, NULL) / 100;
        unit = isfinite(misfit(measures, unit)) ? unit : 0;
    }
    text[0] = '\0';
    if (unit > 0) {
        size_t used = (size_t)snprintf(text, size, "--unit %s%s makes it ", name, paper ? ", about," : "");
        (void)plan_tell(measures, unit, text + used, size - used);
    }
}

/* Walls of 1 m in a plan of 100 m are possible, and so are walls of 6 cm in one of 4 m. Where another unit makes them
 * 15 cm in a plan of 10 m, that is far more likely. */
static bool another_fits_far_better(const struct import *import, const struct plan_measures *measures)
{
    const double far = 1, small = 6, thin = 0.08; /* m */
    const double wall = import->unit * wall_measure(measures);
    const double longer = import->unit * fmax(measures->across, measures->upwards);
    const bool usual = within(wall, USUAL_WALL) && !(longer < small && wall < thin);
    const bool paper = import->drawing.picture.rgb != NULL || import->drawing.sheets;
    const int found = paper || !(wall > 0) || usual ? -1 : unit_find(measures);
    return found >= 0 && misfit(measures, UNITS[found].metres) + far < distance_from_typical(measures, import->unit);
}

void plan_doubt(const struct import *import, const struct plan_measures *measures, char *text, size_t size, bool *fits)
{
    const double unit = import->unit, longer = unit * fmax(measures->across, measures->upwards);
    const double wall = unit * measures->wall, door = unit * measures->door, faces = unit * measures->faces;
    char advice[200], told[160];
    text[0] = '\0';
    *fits = true;
    bool odd = !within(longer, POSSIBLE_SIZE) || (wall > 0 && !within(wall, POSSIBLE_WALL)) ||
               (door > 0 && !within(door, POSSIBLE_DOOR)) || (faces > 0 && !within(faces, POSSIBLE_FACES)) ||
               another_fits_far_better(import, measures);
    if (!(longer > 0) || !odd) {
        return;
    }
    plan_unit_advise(import, measures, advice, sizeof advice);
    (void)plan_tell(measures, unit, told, sizeof told);
    *fits = advice[0] != '\0';
    snprintf(text, size, "the plan is %s, which is not likely with a unit of %.6g m (%s)%s%s", told, unit,
             import->options->unit > 0 ? "as you say" : import->drawing.unit_from, *fits ? "; " : "", advice);
}
