/* Finds windows and doors (openings.h). */
#include "drawing/openings.h"

#include "drawing/door_arc.h"

#include <math.h>

/* m: lines shorter than the first are jambs and handles; those of one opening are so near to each other across the
 * wall, and along it. */
static const double SHORTEST = 0.25, BESIDE = 0.5, BEHIND = 0.06;
static const double STEP = 0.01; /* m, when walls are felt for */
enum { STEPS = 100 };
static const double PARALLEL = 0.07; /* sine of the largest angle between lines of one opening */
static const double LEAF = 0.12;     /* m: the lines of a door's leaf are so near to it */

/* A straight piece of the class. */
struct piece {
    struct drawing_point from, to;
    int page, group; /* the number of another piece of its group, or its own */
};

/* A wall's element, and the box around it. */
struct wall_box {
    size_t element;
    struct drawing_point low, high;
};

struct finding {
    const struct opening_walls *walls;
    struct wall_box *boxes, *near; /* owned: all walls, and those around the opening that is looked at */
    size_t box_count, near_count;
    double unit;
    bool doors;
    const bool *thin; /* (class_count): classes among whose lines openings are; NULL: one class draws openings alone */
    struct piece *pieces; /* owned */
    size_t piece_count, piece_room;
    struct opening *openings;
    size_t count, room;
};

/* ---- walls ---- */

static double segment_distance(struct drawing_point a, struct drawing_point b, struct drawing_point at)
{
    double x = b.x - a.x, y = b.y - a.y, square = x * x + y * y;
    double t = square > 0 ? ((at.x - a.x) * x + (at.y - a.y) * y) / square : 0;
    t = fmin(fmax(t, 0), 1);
    return hypot(at.x - a.x - t * x, at.y - a.y - t * y);
}

/* Lists all walls. */
static pw_status walls_list(struct finding *finding, pw_error *error)
{
    const struct drawing *drawing = finding->walls->drawing;
    finding->boxes = allocate(drawing->element_count, sizeof *finding->boxes, "walls of a drawing", error);
    finding->near = allocate(drawing->element_count, sizeof *finding->near, "walls of a drawing", error);
    PW_TRY_MADE(finding->boxes != NULL && finding->near != NULL);
    for (size_t e = 0; e < drawing->element_count; e++) {
        const struct drawing_element *element = &drawing->elements[e];
        const double thickness = finding->walls->thickness[element->class_index];
        if (thickness >= 0) {
            struct wall_box *box = &finding->boxes[finding->box_count++];
            const double half = 0.5 * (element->width > 0 ? element->width : thickness);
            box->element = e;
            drawing_element_box(drawing, element, &box->low, &box->high);
            box->low = (struct drawing_point){box->low.x - half, box->low.y - half};
            box->high = (struct drawing_point){box->high.x + half, box->high.y + half};
        }
    }
    return PW_OK;
}

/* Looks from now on at the walls around the way from a to b alone. */
static void walls_around(struct finding *finding, int page, struct drawing_point a, struct drawing_point b)
{
    const double reach = hypot(b.x - a.x, b.y - a.y) + (STEPS * STEP + 0.2) / finding->unit;
    finding->near_count = 0;
    for (size_t n = 0; n < finding->box_count; n++) {
        const struct wall_box *box = &finding->boxes[n];
        if (finding->walls->drawing->elements[box->element].page == page && box->low.x <= a.x + reach &&
            box->high.x >= a.x - reach && box->low.y <= a.y + reach && box->high.y >= a.y - reach) {
            finding->near[finding->near_count++] = *box;
        }
    }
}

/* Whether a point lies in one of these walls. */
static bool wall_is_at(const struct finding *finding, struct drawing_point at)
{
    const struct opening_walls *walls = finding->walls;
    const struct drawing *drawing = walls->drawing;
    for (size_t w = 0; w < finding->near_count; w++) {
        const struct wall_box *box = &finding->near[w];
        const struct drawing_element *element = &drawing->elements[box->element];
        if (at.x < box->low.x || at.x > box->high.x || at.y < box->low.y || at.y > box->high.y) {
            continue;
        }
        const bool filled = element->kind == ELEMENT_AREA && !walls->outlined[element->class_index];
        const double half = 0.5 * (element->width > 0 ? element->width : walls->thickness[element->class_index]);
        bool inside = false;
        for (size_t r = element->first_ring; r < element->first_ring + element->rings; r++) {
            const struct drawing_ring *ring = &drawing->rings[r];
            const struct drawing_point *points = drawing->points + ring->first;
            if (filled) {
                inside = inside != drawing_ring_holds(drawing, ring, at);
            }
            for (size_t n = element->kind == ELEMENT_AREA ? 0 : 1; !filled && n < ring->count && !inside; n++) {
                inside = segment_distance(points[n > 0 ? n - 1 : ring->count - 1], points[n], at) < half;
            }
        }
        if (inside) {
            return true;
        }
    }
    return false;
}

/* How far a wall reaches from a point in it, along (u, v): in steps, and the last one by halves. */
static double wall_reach_from(const struct finding *finding, struct drawing_point at, double u, double v)
{
    const double step = STEP / finding->unit;
    double in = 0, out = STEPS * step;
    for (int m = 1; m < STEPS && out > STEPS * step - 0.5 * step; m++) {
        *(wall_is_at(finding, (struct drawing_point){at.x + m * step * u, at.y + m * step * v}) ? &in : &out) =
            m * step;
    }
    for (int n = 0; n < 7 && out - in <= 1.5 * step; n++) {
        const double half = 0.5 * (in + out);
        *(wall_is_at(finding, (struct drawing_point){at.x + half * u, at.y + half * v}) ? &in : &out) = half;
    }
    return in;
}

/* A wall beyond the end of a way. */
struct wall_end {
    double middle, across; /* how far to the left of the way its middle is, and how far it reaches across the way */
    double along;          /* how far it goes on */
    bool slanted;          /* its faces do not run along the way */
};

/* Looks for a wall beyond the end b of a way. A door hangs on a face of the wall or in the middle, so that both sides
 * are tried. */
static bool wall_is_beyond(const struct finding *finding, struct drawing_point a, struct drawing_point b,
                           struct wall_end *end)
{
    const double length = hypot(b.x - a.x, b.y - a.y), beyond = 0.05 / finding->unit, nearer = 0.02 / finding->unit;
    const double ux = (b.x - a.x) / length, uy = (b.y - a.y) / length, uneven = 0.015 / finding->unit;
    for (int n = 0; n < 3; n++) {
        const double aside = (n == 0 ? 0 : n == 1 ? 1 : -1) * beyond;
        const struct drawing_point at = {b.x + beyond * ux - aside * uy, b.y + beyond * uy + aside * ux};
        const struct drawing_point near = {b.x + nearer * ux - aside * uy, b.y + nearer * uy + aside * ux};
        if (!wall_is_at(finding, at)) {
            continue;
        }
        const double right = wall_reach_from(finding, at, uy, -ux), left = wall_reach_from(finding, at, -uy, ux);
        end->middle = aside + 0.5 * (left - right);
        end->across = left + right;
        end->along = wall_reach_from(finding, at, ux, uy);
        end->slanted = wall_is_at(finding, near) && (fabs(wall_reach_from(finding, near, uy, -ux) - right) > uneven ||
                                                     fabs(wall_reach_from(finding, near, -uy, ux) - left) > uneven);
        return true;
    }
    return false;
}

/* At how many of its ends the way from a to b goes on into walls; *shift: how far to its left their middle is. */
static int ends_in_walls(struct finding *finding, int page, struct drawing_point a, struct drawing_point b,
                         double *shift)
{
    walls_around(finding, page, a, b);
    struct wall_end ends[2] = {{0, 0, 0, false}, {0, 0, 0, false}};
    int found = wall_is_beyond(finding, a, b, &ends[0]) + wall_is_beyond(finding, b, a, &ends[1]);
    *shift = found > 0 ? (ends[0].middle - ends[1].middle) / found : 0;
    return found;
}

/* Whether the way from a to b is a gap of a wall: air, with walls at both ends, of which one at least ends there.
 * *shift is how far to the left the middle of the wall is. */
static bool is_gap(struct finding *finding, int page, struct drawing_point a, struct drawing_point b, bool door,
                   double *shift)
{
    const double shortest = 0.4, longest = 3, thickest = 0.8, length = hypot(b.x - a.x, b.y - a.y) * finding->unit;
    struct wall_end ends[2];
    if (!(length >= shortest && length <= longest)) {
        return false;
    }
    walls_around(finding, page, a, b);
    if (!wall_is_beyond(finding, a, b, &ends[0]) || !wall_is_beyond(finding, b, a, &ends[1])) {
        return false;
    }
    bool closed[2];
    for (int n = 0; n < 2; n++) {
        closed[n] = ends[n].across * finding->unit <= thickest && !ends[n].slanted;
    }
    *shift = closed[0] && closed[1] ? 0.5 * (ends[0].middle - ends[1].middle)
             : closed[0]            ? ends[0].middle
                                    : -ends[1].middle;
    for (int n = 0; n < 6; n++) { /* along the way itself, and along the middle of the wall */
        const double part = 0.25 * (1 + n / 2), aside = n % 2 * *shift / (length / finding->unit);
        const struct drawing_point at = {a.x + part * (b.x - a.x) - aside * (b.y - a.y),
                                         a.y + part * (b.y - a.y) + aside * (b.x - a.x)};
        if (wall_is_at(finding, at)) {
            return false;
        }
    }
    /* One wall with a gap; of a door also one that ends before another that passes by, as lines in rooms do too. */
    const double thick[2] = {ends[0].across, ends[1].across}, off = fabs(ends[0].middle + ends[1].middle);
    const bool one = closed[0] && closed[1] && thick[0] < 1.6 * thick[1] && thick[1] < 1.6 * thick[0] &&
                     off < 0.3 * (thick[0] + thick[1]);
    return one || (door && closed[0] && ends[0].along >= thick[0]) || (door && closed[1] && ends[1].along >= thick[1]);
}

/* How far a wall reaches from the middle of the opening to one side; 0: there is none. */
static double wall_reach(const struct finding *finding, const struct opening *opening, double side)
{
    const double step = STEP / finding->unit;
    double x = opening->to.x - opening->from.x, y = opening->to.y - opening->from.y, length = hypot(x, y), reach = 0;
    struct drawing_point middle = {0.5 * (opening->from.x + opening->to.x), 0.5 * (opening->from.y + opening->to.y)};
    for (int n = 0; n < STEPS; n++) {
        const double way = (n + 0.5) * step;
        struct drawing_point at = {middle.x - side * way * y / length, middle.y + side * way * x / length};
        if (!wall_is_at(finding, at)) {
            break;
        }
        reach = way + 0.5 * step;
    }
    return reach;
}

/* ---- openings ---- */

static pw_status opening_add(struct finding *finding, int page, struct drawing_point from, struct drawing_point to,
                             bool door, pw_error *error)
{
    TRY(array_grow(&finding->openings, &finding->room, finding->count, sizeof *finding->openings, "windows and doors",
                   error));
    struct opening *made = &finding->openings[finding->count++];
    walls_around(finding, page, from, to);
    *made = (struct opening){.page = page, .from = from, .to = to, .door = door};
    made->low = -wall_reach(finding, made, -1);
    made->high = wall_reach(finding, made, 1);
    return PW_OK;
}

static bool piece_is_near(const struct piece *piece, struct drawing_point a, struct drawing_point b, double distance)
{
    return segment_distance(a, b, piece->from) < distance && segment_distance(a, b, piece->to) < distance;
}

/* Takes leaves and thresholds of a door off the pieces; counts those that lie along each of its two ways. */
static void leaves_take(struct finding *finding, int page, const struct door_arc *arc, int leaves[2])
{
    size_t kept = 0;
    leaves[0] = leaves[1] = 0;
    for (size_t n = 0; n < finding->piece_count; n++) {
        const struct piece *piece = &finding->pieces[n];
        bool taken = false;
        for (int end = 0; piece->page == page && end < 2; end++) {
            bool near = piece_is_near(piece, arc->hinge, arc->ends[end], LEAF / finding->unit);
            leaves[end] += near;
            taken = taken || near;
        }
        if (!taken) {
            finding->pieces[kept++] = *piece;
        }
    }
    finding->piece_count = kept;
}

/* Takes thresholds off the pieces, which lie beside the way of a door between the faces of its wall. */
static void pieces_drop_near(struct finding *finding, int page, struct drawing_point a, struct drawing_point b)
{
    size_t kept = 0;
    for (size_t n = 0; n < finding->piece_count; n++) {
        const struct piece *piece = &finding->pieces[n];
        if (piece->page != page || !piece_is_near(piece, a, b, BESIDE / finding->unit)) {
            finding->pieces[kept++] = *piece;
        }
    }
    finding->piece_count = kept;
}

/* The door of an arc, in the middle of its wall. Among windows it is a door too, which stands open. */
static pw_status arc_take(struct finding *finding, int page, const struct door_arc *arc, pw_error *error)
{
    const double farthest = 0.3 / finding->unit;
    int leaves[2], walls[2];
    double shifts[2];
    for (int end = 0; end < 2; end++) {
        walls[end] = ends_in_walls(finding, page, arc->hinge, arc->ends[end], &shifts[end]);
    }
    leaves_take(finding, page, arc, leaves);
    if (!finding->doors) {
        return PW_OK;
    }
    const int closed = walls[0] != walls[1] ? walls[1] > walls[0] : leaves[0] > leaves[1];
    const struct drawing_point end = arc->ends[closed];
    double shift = fabs(shifts[closed]) < farthest ? shifts[closed] / arc->radius : 0;
    if (finding->thin != NULL) {
        double middle = 0;
        if (!is_gap(finding, page, arc->hinge, end, true, &middle)) {
            return PW_OK;
        }
        shift = middle / arc->radius;
        pieces_drop_near(finding, page, arc->hinge, end);
    }
    const double x = -shift * (end.y - arc->hinge.y), y = shift * (end.x - arc->hinge.x);
    return opening_add(finding, page, (struct drawing_point){arc->hinge.x + x, arc->hinge.y + y},
                       (struct drawing_point){end.x + x, end.y + y}, true, error);
}

static bool is_looked_at(const struct finding *finding, int class_index, int asked)
{
    return finding->thin != NULL ? finding->thin[class_index] : class_index == asked;
}

static pw_status arcs_take(struct finding *finding, int class_index, pw_error *error)
{
    const struct drawing *drawing = finding->walls->drawing;
    for (size_t e = 0; e < drawing->element_count; e++) {
        const struct drawing_element *element = &drawing->elements[e];
        struct door_arc arc;
        const bool looked_at = is_looked_at(finding, element->class_index, class_index);
        for (size_t at = 0; looked_at && door_arc_next(drawing, element, &at, &arc);) {
            TRY(arc_take(finding, element->page, &arc, error));
        }
    }
    return PW_OK;
}

/* ---- pieces beside each other ---- */

static pw_status pieces_take(struct finding *finding, int class_index, pw_error *error)
{
    const struct drawing *drawing = finding->walls->drawing;
    for (size_t e = 0; e < drawing->element_count; e++) {
        const struct drawing_element *element = &drawing->elements[e];
        if (!is_looked_at(finding, element->class_index, class_index)) {
            continue;
        }
        for (size_t r = element->first_ring; r < element->first_ring + element->rings; r++) {
            const struct drawing_ring *ring = &drawing->rings[r];
            const struct drawing_point *points = drawing->points + ring->first;
            for (size_t n = element->kind == ELEMENT_AREA ? 0 : 1; n < ring->count; n++) {
                struct drawing_point a = points[n > 0 ? n - 1 : ring->count - 1], b = points[n];
                double shift;
                if (hypot(b.x - a.x, b.y - a.y) * finding->unit < SHORTEST ||
                    (finding->thin != NULL && !is_gap(finding, element->page, a, b, false, &shift))) {
                    continue;
                }
                TRY(array_grow(&finding->pieces, &finding->piece_room, finding->piece_count, sizeof *finding->pieces,
                               "windows and doors", error));
                finding->pieces[finding->piece_count] = (struct piece){a, b, element->page, (int)finding->piece_count};
                finding->piece_count++;
            }
        }
    }
    return PW_OK;
}

/* Whether two pieces belong to one opening. */
static bool pieces_are_one(const struct finding *finding, const struct piece *one, const struct piece *two)
{
    double x = one->to.x - one->from.x, y = one->to.y - one->from.y, length = hypot(x, y);
    double u = two->to.x - two->from.x, v = two->to.y - two->from.y;
    if (one->page != two->page || fabs(x * v - y * u) > PARALLEL * length * hypot(u, v)) {
        return false;
    }
    double a = ((two->from.x - one->from.x) * x + (two->from.y - one->from.y) * y) / length,
           b = ((two->to.x - one->from.x) * x + (two->to.y - one->from.y) * y) / length,
           apart = fabs((two->from.x - one->from.x) * y - (two->from.y - one->from.y) * x) / length;
    double gap = fmax(fmin(a, b) - length, -fmax(a, b));
    /* Beside each other, or one behind the other in one line. */
    return gap < 0 ? apart * finding->unit < BESIDE : gap * finding->unit < BEHIND && apart * finding->unit < BEHIND;
}

static int group_of(struct piece *pieces, int n)
{
    while (pieces[n].group != n) {
        pieces[n].group = pieces[pieces[n].group].group;
        n = pieces[n].group;
    }
    return n;
}

/* The opening around a group, along its longest piece. */
static pw_status group_take(struct finding *finding, int group, pw_error *error)
{
    const struct piece *longest = &finding->pieces[group];
    double most = 0, box[4] = {HUGE_VAL, HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (size_t n = 0; n < finding->piece_count; n++) {
        const struct piece *piece = &finding->pieces[n];
        double length = hypot(piece->to.x - piece->from.x, piece->to.y - piece->from.y);
        if (group_of(finding->pieces, (int)n) == group && length > most) {
            most = length;
            longest = piece;
        }
    }
    struct drawing_point home = longest->from;
    double ux = (longest->to.x - home.x) / most, uy = (longest->to.y - home.y) / most;
    for (size_t n = 0; n < finding->piece_count; n++) {
        const struct drawing_point ends[2] = {finding->pieces[n].from, finding->pieces[n].to};
        for (int end = 0; group_of(finding->pieces, (int)n) == group && end < 2; end++) {
            double x = ends[end].x - home.x, y = ends[end].y - home.y, s = x * ux + y * uy, t = ux * y - uy * x;
            box[0] = fmin(box[0], s), box[1] = fmin(box[1], t), box[2] = fmax(box[2], s), box[3] = fmax(box[3], t);
        }
    }
    double across = 0.5 * (box[1] + box[3]);
    struct drawing_point from = {home.x + box[0] * ux - across * uy, home.y + box[0] * uy + across * ux},
                         to = {home.x + box[2] * ux - across * uy, home.y + box[2] * uy + across * ux};
    double shift = 0;
    if (finding->thin == NULL && finding->doors && ends_in_walls(finding, longest->page, from, to, &shift) < 2) {
        return PW_OK;
    }
    if (finding->thin != NULL && is_gap(finding, longest->page, from, to, false, &shift)) { /* the middle of the wall */
        from = (struct drawing_point){from.x - shift * uy, from.y + shift * ux};
        to = (struct drawing_point){to.x - shift * uy, to.y + shift * ux};
    }
    return opening_add(finding, longest->page, from, to, false, error);
}

static pw_status groups_take(struct finding *finding, pw_error *error)
{
    struct piece *pieces = finding->pieces;
    enum { MANY = 20000 };
    FAIL_IF(finding->piece_count > MANY, error, PW_BAD_INPUT, "a class of windows or doors has more than %d lines",
            (int)MANY);
    const int count = (int)finding->piece_count;
    for (int n = 0; n < count; n++) {
        pieces[n].group = n;
    }
    for (int n = 0; n < count; n++) {
        for (int m = 0; m < n; m++) {
            if (group_of(pieces, n) != group_of(pieces, m) && pieces_are_one(finding, &pieces[n], &pieces[m])) {
                pieces[group_of(pieces, n)].group = group_of(pieces, m);
            }
        }
    }
    for (int n = 0; n < count; n++) {
        if (pieces[n].group == n) {
            TRY(group_take(finding, n, error));
        }
    }
    return PW_OK;
}

static pw_status finding_run(struct finding *finding, int class_index, struct opening **openings, size_t *count,
                             pw_error *error)
{
    pw_status status = walls_list(finding, error);
    status = status == PW_OK ? pieces_take(finding, class_index, error) : status;
    status = status == PW_OK ? arcs_take(finding, class_index, error) : status;
    status = status == PW_OK ? groups_take(finding, error) : status;
    PW_FREE_ALL(finding->boxes, finding->near, finding->pieces);
    *openings = finding->openings;
    *count = finding->count;
    return status;
}

pw_status drawing_openings(const struct opening_walls *walls, int class_index, double unit, bool doors,
                           struct opening **openings, size_t *count, pw_error *error)
{
    struct finding finding = {.walls = walls, .unit = unit, .doors = doors};
    return finding_run(&finding, class_index, openings, count, error);
}

pw_status drawing_openings_among(const struct opening_walls *walls, const bool *thin, double unit,
                                 struct opening **openings, size_t *count, pw_error *error)
{
    struct finding finding = {.walls = walls, .unit = unit, .doors = true, .thin = thin};
    return finding_run(&finding, -1, openings, count, error);
}
