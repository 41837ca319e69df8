/* What is drawn in the gaps of walls (picture_openings.h). Ink is here all that is not paper, however light. */
#include "drawing/picture/walls/picture_openings.h"
#include "drawing/picture/rectify.h"
#include "drawing/picture/walls/outside.h"
#include "drawing/picture/walls/plane_gaps.h"

#include <math.h>
#include <stdlib.h>

static const double LINE_SHARE = 0.8, ARC_SHARE = 0.85; /* of a line or an arc has to be ink */

/* Where is ink. */
struct ink {
    int width, height;
    uint8_t *set; /* (height, width), owned, row 0 at the top */
};

/* The value of a channel that half of the pixels are over: the paper's. */
static int paper_of(const pw_picture *picture, int channel)
{
    size_t counts[256] = {0}, pixels = (size_t)picture->width * (size_t)picture->height, sum = 0;
    int value = 0;
    for (size_t p = 0; p < pixels; p++) {
        counts[picture->rgb[3 * p + (size_t)channel]]++;
    }
    while (value < 255 && 2 * (sum += counts[value]) < pixels) {
        value++;
    }
    return value;
}

/* What differs from the paper by more than `least` in a channel. */
static pw_status ink_find(const pw_picture *picture, int least, struct ink *ink, pw_error *error)
{
    const int paper[3] = {paper_of(picture, 0), paper_of(picture, 1), paper_of(picture, 2)};
    const size_t pixels = (size_t)picture->width * (size_t)picture->height;
    *ink = (struct ink){picture->width, picture->height, allocate(pixels, 1, "ink of a picture", error)};
    for (size_t p = 0; ink->set != NULL && p < pixels; p++) {
        for (int c = 0; c < 3; c++) {
            ink->set[p] |= abs(picture->rgb[3 * p + (size_t)c] - paper[c]) > least ? 255 : 0;
        }
    }
    return ink->set != NULL ? PW_OK : PW_NO_RESOURCE;
}

/* Whether there is ink at a place, or so near to it. */
static bool ink_is_near(const struct ink *ink, double x, double y, int near)
{
    for (int v = (int)floor(y) - near; v <= (int)floor(y) + near; v++) {
        for (int u = (int)floor(x) - near; u <= (int)floor(x) + near; u++) {
            if (u >= 0 && v >= 0 && u < ink->width && v < ink->height &&
                ink->set[(size_t)v * (size_t)ink->width + (size_t)u]) {
                return true;
            }
        }
    }
    return false;
}

/* ---- what is drawn in them ---- */

/* A gap in its own coordinates: `along` from jamb to jamb, `across` from face to face. */
struct gap_frame {
    const struct plane_gap *gap;
    double length, width;
};

static bool ink_in_gap(const struct ink *ink, const struct gap_frame *frame, double along, double across, int near)
{
    const struct plane_gap *gap = frame->gap;
    double x = gap->low_x + (gap->along_row ? along : across), y = gap->low_y + (gap->along_row ? across : along);
    return ink_is_near(ink, x, y, near);
}

/* The share of ink along a line through the gap, or beside it. */
static double line_share(const struct ink *ink, const struct gap_frame *frame, double across)
{
    int inked = 0, count = 0;
    for (int along = 1; along + 1 < (int)frame->length; along++, count++) {
        inked += ink_in_gap(ink, frame, along + 0.5, across, 0) || ink_in_gap(ink, frame, along + 0.5, across + 1, 0);
    }
    return count > 0 ? (double)inked / count : 0;
}

/* Whether a thin line runs through the gap, and no pattern or colour of a floor. */
static bool has_line(const struct ink *ink, const struct gap_frame *frame)
{
    const double beyond = 4, paper = 0.5;
    if (line_share(ink, frame, -beyond) > paper && line_share(ink, frame, frame->width + beyond) > paper) {
        return false;
    }
    for (int across = 0; across < (int)frame->width; across++) {
        if (line_share(ink, frame, across + 0.5) >= LINE_SHARE) {
            return true;
        }
    }
    return false;
}

/* How much of the quarter circle about a hinge is ink. `jamb`: 0 or 1; `side`: of the wall, -1 or 1. */
static double arc_share(const struct ink *ink, const struct gap_frame *frame, int jamb, int side, double hinge,
                        double radius)
{
    enum { SAMPLES = 24 };
    int inked = 0, near = frame->length > 80 ? 2 : 1; /* pixels */
    for (int n = 0; n < SAMPLES; n++) {
        double angle = (12 + (78.0 - 12) * n / (SAMPLES - 1)) * M_PI / 180;
        double along = jamb == 0 ? radius * cos(angle) : frame->length - radius * cos(angle);
        inked += ink_in_gap(ink, frame, along, hinge + side * radius * sin(angle), near);
    }
    return (double)inked / SAMPLES;
}

/* Whether an arc of this part of the gap's length goes about a jamb, and what is within it and around it is mostly
 * paper. */
static bool has_arc_of(const struct ink *ink, const struct gap_frame *frame, int jamb, int side, double part)
{
    for (int place = 0; place < 3; place++) { /* on either face, or in the middle of the wall */
        for (int step = -6; step <= 6; step++) {
            double radius = part * frame->length * (1 + 0.02 * step), hinge = 0.5 * place * frame->width;
            if (arc_share(ink, frame, jamb, side, hinge, radius) >= ARC_SHARE &&
                arc_share(ink, frame, jamb, side, hinge, 0.8 * radius) < 0.5 &&
                arc_share(ink, frame, jamb, side, hinge, 1.2 * radius) < 0.5) {
                return true;
            }
        }
    }
    return false;
}

/* A door of one leaf, or of two that meet in the middle. */
static bool has_arc(const struct ink *ink, const struct gap_frame *frame)
{
    for (int side = -1; side <= 1; side += 2) {
        if (has_arc_of(ink, frame, 0, side, 1) || has_arc_of(ink, frame, 1, side, 1) ||
            (has_arc_of(ink, frame, 0, side, 0.5) && has_arc_of(ink, frame, 1, side, 0.5))) {
            return true;
        }
    }
    return false;
}

/* Whether the leaf of a door stands ajar at a jamb: a stroke as long as the gap, at about 45 degrees to the wall. */
static bool has_leaf(const struct ink *ink, const struct gap_frame *frame)
{
    enum { SAMPLES = 24, TURNS = 5 };
    const int near = frame->length > 80 ? 2 : 1; /* pixels */
    for (int n = 0; n < 2 * 2 * 3 * TURNS; n++) {
        const int jamb = n % 2, side = n / 2 % 2 == 0 ? -1 : 1;
        const double hinge = 0.5 * (n / 4 % 3) * frame->width, angle = (35 + 5 * (n / 12)) * M_PI / 180;
        int inked = 0, beside = 0;
        for (int s = 0; s < SAMPLES; s++) {
            const double radius = frame->length * (0.15 + 0.6 * s / SAMPLES), off = 0.15 * frame->length;
            const double along = radius * cos(angle), away = side * radius * sin(angle);
            inked += ink_in_gap(ink, frame, jamb == 0 ? along : frame->length - along, hinge + away, near);
            for (int b = -1; b <= 1; b += 2) {
                const double u = along + b * off * sin(angle), v = away - b * side * off * cos(angle);
                beside += ink_in_gap(ink, frame, jamb == 0 ? u : frame->length - u, hinge + v, 0);
            }
        }
        if (inked == SAMPLES && beside < 0.2 * 2 * SAMPLES) {
            return true;
        }
    }
    return false;
}

/* Whether lines go on beside the gap at equal distances, three or more of them, as steps do, or the joints of a floor.
 */
static bool has_steps(const struct ink *ink, const struct gap_frame *frame, double reach)
{
    enum { LINES = 8 };
    for (int side = -1; side <= 1; side += 2) {
        double at[LINES];
        int count = 0, even = 0;
        bool inked = false;
        for (int n = 0; n < (int)(frame->width + reach) && count < LINES; n++) {
            const double across = side > 0 ? n + 0.5 : frame->width - n - 0.5;
            const bool line = line_share(ink, frame, across) >= LINE_SHARE;
            if (line && !inked) {
                at[count++] = n;
            }
            inked = line;
        }
        for (int n = 2; n < count; n++) {
            even += fabs(at[n] - 2 * at[n - 1] + at[n - 2]) <= 0.1 * (at[n] - at[n - 2]) && at[n] - at[n - 1] > 3;
        }
        if (even >= 2) {
            return true;
        }
    }
    return false;
}

/* ---- all of it ---- */

/* Where things are looked for: the picture, or a copy turned by -`angle`. All is owned where it is turned. */
struct opening_view {
    double angle;
    struct plane walls;
    struct ink ink, faint; /* arcs are drawn lightly; where floors are, these count as ink there, and hide them */
};

static void view_free(struct opening_view *view)
{
    if (view->angle != 0) {
        plane_free(&view->walls);
        PW_FREE_ALL(view->ink.set, view->faint.set);
    }
}

/* The share at a place, between the middles of four pixels; nothing is beyond the rim. */
static uint8_t share_at(const uint8_t *shares, int width, int height, double x, double y)
{
    const double left = floor(x - 0.5), top = floor(y - 0.5), across = x - 0.5 - left, down = y - 0.5 - top;
    if (!(left >= 0 && top >= 0 && left + 1 < width && top + 1 < height)) {
        return 0;
    }
    const uint8_t *at = shares + (size_t)top * (size_t)width + (size_t)left, *below = at + width;
    return (uint8_t)((1 - down) * ((1 - across) * at[0] + across * at[1]) +
                     down * ((1 - across) * below[0] + across * below[1]) + 0.5);
}

/* Shares of 255 of a plane, turned by -`angle`. */
static pw_status shares_turn(const uint8_t *shares, int width, int height, double angle, struct plane *turned,
                             pw_error *error)
{
    const pw_picture size = picture_turned_size(width, height, angle);
    TRY(plane_make(turned, size.width, size.height, error));
    const struct drawing_point zero =
        picture_turned_back(width, height, &size, angle, (struct drawing_point){0.5, 0.5});
    const double cosine = cos(angle), sine = sin(angle);
#pragma omp parallel for
    for (int y = 0; y < size.height; y++) {
        uint8_t *row = turned->cover + (size_t)y * (size_t)size.width;
        for (int x = 0; x < size.width; x++) {
            row[x] = share_at(shares, width, height, zero.x + cosine * x + sine * y, zero.y - sine * x + cosine * y);
        }
    }
    return PW_OK;
}

/* A line of one pixel comes to lie between two. */
static pw_status ink_turn(const struct ink *ink, double angle, struct ink *turned, pw_error *error)
{
    const uint8_t least = 70;
    struct plane plane = {0};
    TRY(shares_turn(ink->set, ink->width, ink->height, angle, &plane, error));
    for (size_t p = 0; p < (size_t)plane.width * (size_t)plane.height; p++) {
        plane.cover[p] = plane.cover[p] >= least ? 255 : 0;
    }
    *turned = (struct ink){plane.width, plane.height, plane.cover};
    return PW_OK;
}

static pw_status view_turn(const struct opening_view *straight, struct opening_view *view, pw_error *error)
{
    TRY(shares_turn(straight->walls.cover, straight->walls.width, straight->walls.height, view->angle, &view->walls,
                    error));
    TRY(ink_turn(&straight->ink, view->angle, &view->ink, error));
    return ink_turn(&straight->faint, view->angle, &view->faint, error);
}

static bool is_known(const struct drawing *drawing, struct drawing_point a, struct drawing_point b, double near)
{
    for (size_t e = 0; e < drawing->element_count; e++) {
        const struct drawing_element *element = &drawing->elements[e];
        const enum class_use use = drawing->classes[element->class_index].use;
        if (element->kind == ELEMENT_LINE && (use == CLASS_WINDOWS || use == CLASS_DOORS)) {
            const struct drawing_point *own = &drawing->points[drawing->rings[element->first_ring].first];
            if (hypot(own[0].x + own[1].x - a.x - b.x, own[0].y + own[1].y - a.y - b.y) < 2 * near) {
                return true;
            }
        }
    }
    return false;
}

/* A place of the view in the drawing, y upwards. */
static struct drawing_point view_place(const struct opening_view *view, const pw_picture *picture, double x, double y)
{
    const pw_picture turned = {view->walls.width, view->walls.height, NULL};
    const struct drawing_point at =
        picture_turned_back(picture->width, picture->height, &turned, view->angle, (struct drawing_point){x, y});
    return (struct drawing_point){at.x, picture->height - at.y};
}

static pw_status gap_draw(struct drawing *drawing, const struct opening_view *view, const struct plane_gap *gap,
                          bool door, pw_error *error)
{
    struct drawing_element line = {.kind = ELEMENT_LINE};
    const double x = 0.5 * (gap->low_x + gap->high_x), y = 0.5 * (gap->low_y + gap->high_y);
    const double near = 0.5 * (gap->along_row ? gap->high_x - gap->low_x : gap->high_y - gap->low_y);
    const struct drawing_point from = view_place(view, &drawing->picture, gap->along_row ? gap->low_x : x,
                                                 gap->along_row ? y : gap->low_y),
                               to = view_place(view, &drawing->picture, gap->along_row ? gap->high_x : x,
                                               gap->along_row ? y : gap->high_y);
    if (is_known(drawing, from, to, near)) {
        return PW_OK;
    }
    TRY(drawing_class_of(drawing, door ? "door gaps" : "window gaps", &line.class_index, error));
    drawing->classes[line.class_index].use = door ? CLASS_DOORS : CLASS_WINDOWS;
    TRY(drawing_begin(drawing, &line, error));
    TRY(drawing_point_add(drawing, from.x, from.y, error));
    TRY(drawing_point_add(drawing, to.x, to.y, error));
    drawing_end(drawing);
    return PW_OK;
}

static struct gap_frame frame_of(const struct plane_gap *gap)
{
    const int wide = gap->high_x - gap->low_x, high = gap->high_y - gap->low_y;
    return (struct gap_frame){gap, gap->along_row ? wide : high, gap->along_row ? high : wide};
}

/* What a gap is drawn as. */
enum gap_kind { GAP_EMPTY, GAP_DOOR, GAP_LINED /* with a line through it */ };
struct gap_look {
    enum gap_kind kind;
    double thickness; /* pixels, of the wall */
    int outsides;     /* on how many sides one comes to it from outside through paper alone */
};

static enum gap_kind gap_kind_of(const struct opening_view *view, const struct plane_gap *gap, double length)
{
    const double going = 0.4; /* of the length, 3 m: so far steps are looked for */
    const struct gap_frame frame = frame_of(gap);
    const bool lines = has_line(&view->ink, &frame);
    if (has_arc(&view->ink, &frame) || has_arc(&view->faint, &frame)) {
        return GAP_DOOR;
    }
    if (lines) {
        return has_steps(&view->ink, &frame, going * length) ? GAP_EMPTY : GAP_LINED;
    }
    return has_leaf(&view->ink, &frame) ? GAP_DOOR : GAP_EMPTY;
}

static pw_status gaps_look(const struct opening_view *view, const struct plane_gap *gaps, size_t count, double length,
                           struct gap_look *looks, pw_error *error)
{
    const double far = 0.4 * length;
    struct outside outside;
    TRY(outside_find(&view->walls, gaps, count, view->faint.set, &outside, error));
    for (size_t n = 0; n < count; n++) {
        looks[n].kind = gap_kind_of(view, &gaps[n], length);
        looks[n].thickness = frame_of(&gaps[n]).width;
        looks[n].outsides = outside_sides(&outside, &view->walls, &gaps[n], far);
    }
    outside_free(&outside);
    return PW_OK;
}

/* How thick the walls are that windows lie in for sure, the usual of them; 0 where there are too few. */
static pw_status outer_thickness(const struct gap_look *looks, size_t count, double *outer, pw_error *error)
{
    const size_t fewest = 2;
    size_t found = 0;
    double *widths = allocate(count + 1, sizeof *widths, "openings of a picture", error);
    TRY_MADE(widths);
    for (size_t n = 0; n < count; n++) {
        if (looks[n].kind == GAP_LINED && looks[n].outsides == 1) {
            widths[found++] = looks[n].thickness;
        }
    }
    qsort(widths, found, sizeof *widths, pw_number_order);
    *outer = found >= fewest ? widths[found / 2] : *outer;
    free(widths);
    return PW_OK;
}

/* A line in a gap of a thin wall inside of the building is a sliding door or a sill, and no window. */
static bool is_passage(const struct gap_look *look, double outer)
{
    const double thin = 0.65;
    return look->kind == GAP_LINED && look->outsides == 0 && look->thickness < thin * outer;
}

/* `outer`: the thickness of outer walls [pixels], of this view or of one before; 0: not known. */
static pw_status view_search(struct drawing *drawing, const struct opening_view *view, double length, bool slanted,
                             double *outer, pw_error *error)
{
    OWNED struct plane_gap *gaps = NULL;
    size_t count = 0;
    TRY(gaps_find(&view->walls, length, slanted, &gaps, &count, error));
    OWNED struct gap_look *looks = allocate(count + 1, sizeof *looks, "openings of a picture", error);
    TRY_MADE(looks);
    TRY(gaps_look(view, gaps, count, length, looks, error));
    TRY(outer_thickness(looks, count, outer, error));
    for (size_t n = 0; n < count; n++) {
        const bool door = looks[n].kind == GAP_DOOR || is_passage(&looks[n], *outer);
        if (door || looks[n].kind == GAP_LINED) {
            TRY(gap_draw(drawing, view, &gaps[n], door, error));
        }
    }
    return PW_OK;
}

pw_status picture_openings_add(struct drawing *drawing, const struct plane *walls, double length,
                               const struct directions *directions, pw_error *error)
{
    const double lean = 0.3 * M_PI / 180; /* of 3 m, a pixel or less */
    double outer = 0;
    struct opening_view straight = {.walls = *walls};
    pw_status status = ink_find(&drawing->picture, 30, &straight.ink, error);
    status = status == PW_OK ? ink_find(&drawing->picture, 15, &straight.faint, error) : status;
    for (int d = 0; d < directions->count && status == PW_OK; d++) {
        struct opening_view view = {.angle = directions->angles[d]};
        if (fabs(view.angle) > lean) {
            status = view_turn(&straight, &view, error);
            status = status == PW_OK ? view_search(drawing, &view, length, d > 0, &outer, error) : status;
            view_free(&view);
        } else {
            status = view_search(drawing, &straight, length, d > 0, &outer, error);
        }
    }
    PW_FREE_ALL(straight.ink.set, straight.faint.set);
    return status;
}
