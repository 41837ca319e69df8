/* From a drawing and what its classes stand for to shapes of the plan (drawing_choice.h). Everything becomes a polygon:
 * an area as it is, its holes joined to its outline by a bridge that is gone over twice; lines as drawing_lines.h has
 * it. */
#include "drawing/shapes/drawing_lines.h"

#include "drawing/parallel_walls.h"
#include "drawing/shapes/drawing_things.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* By so much wider than the thickest wall an opening is that has no width of its own: nothing of the wall is left. */
static const double OPENING_WIDER = 1.001;

/* ---- place ------------------------------------------------------------------------------------------------------ */

/* In drawing units, after the turn. */
static struct drawing_point turned(const struct drawing_place *place, struct drawing_point point)
{
    return (struct drawing_point){place->cosine * point.x - place->sine * point.y,
                                  place->sine * point.x + place->cosine * point.y};
}

struct drawing_point drawing_placed(const struct drawing_place *place, struct drawing_point point)
{
    struct drawing_point at = turned(place, point);
    return (struct drawing_point){(at.x - place->low[0]) * place->unit, (at.y - place->low[1]) * place->unit};
}

/* While shapes are made. */
struct making {
    const struct drawing_choice *choice;
    struct drawing *drawing;
    const struct class_choice **class_of; /* (class_count), owned; NULL: ignored */
    struct drawing_place place;
    int page;
    struct line_ends ends; /* owned: of lines that are walls */
    double thickest;       /* m, of walls */
    pw_drawing *shapes;
};

/* What becomes of an element; NULL: nothing. */
static const struct class_choice *used(const struct making *making, const struct drawing_element *element)
{
    return element->page == making->page ? making->class_of[element->class_index] : NULL;
}

/* The region where the choice gives none: all that is drawn, with a margin. */
static pw_status region_find(struct making *making, pw_error *error)
{
    struct drawing_place *place = &making->place;
    double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL},
           margin = making->choice->margin / place->unit;
    for (size_t e = 0; e < making->drawing->element_count; e++) {
        const struct drawing_element *element = &making->drawing->elements[e];
        for (size_t r = element->first_ring; used(making, element) != NULL && r < element->first_ring + element->rings;
             r++) {
            const struct drawing_ring *ring = &making->drawing->rings[r];
            for (size_t n = ring->first; n < ring->first + ring->count; n++) {
                struct drawing_point at = turned(place, making->drawing->points[n]);
                low[0] = fmin(low[0], at.x), low[1] = fmin(low[1], at.y);
                high[0] = fmax(high[0], at.x), high[1] = fmax(high[1], at.y);
            }
        }
    }
    PW_NODE_FAIL_IF(
        !(low[0] <= high[0]), making->choice->node, error,
        "'%s' contains nothing that classes calls a wall: give at least one of its layers or colours a material",
        making->choice->file);
    for (int n = 0; n < 2; n++) {
        place->low[n] = low[n] - margin;
        place->high[n] = high[n] + margin;
    }
    return PW_OK;
}

static pw_status place_find(struct making *making, pw_error *error)
{
    const struct drawing_choice *choice = making->choice;
    struct drawing_place *place = &making->place;
    place->unit = choice->unit > 0 ? choice->unit : making->drawing->unit;
    place->cosine = cos(choice->turn);
    place->sine = sin(choice->turn);
    PW_NODE_FAIL_IF(!(place->unit > 0), choice->node, error,
                    "the file '%s' does not say how long its drawing unit is. Add unit, e.g. unit: 1 mm, or "
                    "scale: {from: [x, y], to: [x, y], length: 12.4 m}",
                    choice->file);
    if (!choice->has_region) {
        return region_find(making, error);
    }
    for (int n = 0; n < 2; n++) {
        place->low[n] = choice->region[n];
        place->high[n] = choice->region[2 + n];
    }
    return PW_OK;
}

/* Whether some of the element may lie in the region. */
static bool meets_region(const struct making *making, const struct drawing_element *element)
{
    struct drawing_point low, high;
    const struct drawing_place *place = &making->place;
    double box[4] = {HUGE_VAL, HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    drawing_element_box(making->drawing, element, &low, &high);
    for (int corner = 0; corner < 4; corner++) {
        struct drawing_point at = turned(
            place, (struct drawing_point){(corner & 1) != 0 ? high.x : low.x, (corner & 2) != 0 ? high.y : low.y});
        box[0] = fmin(box[0], at.x), box[1] = fmin(box[1], at.y);
        box[2] = fmax(box[2], at.x), box[3] = fmax(box[3], at.y);
    }
    return box[2] >= place->low[0] && box[0] <= place->high[0] && box[3] >= place->low[1] && box[1] <= place->high[1];
}

/* ---- lines ------------------------------------------------------------------------------------------------------ */

/* Notes the ends of all chains that are walls. */
static pw_status ends_note(struct making *making, pw_error *error)
{
    const struct drawing *drawing = making->drawing;
    struct line_ends *ends = &making->ends;
    ends->points = allocate(2 * drawing->ring_count, sizeof *ends->points, "the ends of walls", error);
    TRY_MADE(ends->points);
    for (size_t e = 0; e < drawing->element_count; e++) {
        const struct drawing_element *element = &drawing->elements[e];
        const struct class_choice *class = used(making, element);
        if (class != NULL && class->use == CLASS_WALLS && element->kind == ELEMENT_LINE) {
            const struct drawing_ring *ring = &drawing->rings[element->first_ring];
            ends->points[ends->count++] = drawing_placed(&making->place, drawing->points[ring->first]);
            ends->points[ends->count++] =
                drawing_placed(&making->place, drawing->points[ring->first + ring->count - 1]);
        }
    }
    line_ends_sort(ends);
    return PW_OK;
}

/* The thickness of an element's lines, m; 0 where neither the class nor the drawing gives one. */
static double line_thickness(const struct making *making, const struct class_choice *class,
                             const struct drawing_element *element)
{
    if (class->thickness > 0) {
        return class->thickness;
    }
    return element->width > 0             ? element->width * making->place.unit
           : class->use == CLASS_OPENINGS ? OPENING_WIDER * making->thickest
                                          : 0;
}

/* Every ring of an element as lines. */
static pw_status lines_draw(struct making *making, const struct class_choice *class,
                            const struct drawing_element *element, pw_error *error)
{
    const struct drawing *drawing = making->drawing;
    struct chain chain = {.thickness = line_thickness(making, class, element)};
    PW_NODE_FAIL_IF(!(chain.thickness > 0), class->node, error,
                    "'%s' has lines without a width, and nothing says how thick these walls are: give thickness, as "
                    "in {material: brick, thickness: 12 cm}, or as: faces where they are drawn as two lines",
                    drawing->classes[element->class_index].name);
    making->thickest = class->use == CLASS_OPENINGS ? making->thickest : fmax(making->thickest, chain.thickness);
    for (size_t r = element->first_ring; r < element->first_ring + element->rings; r++) {
        const struct drawing_ring *ring = &drawing->rings[r];
        OWNED struct drawing_point *points = allocate(ring->count, sizeof *points, "a line of a drawing", error);
        TRY_MADE(points);
        for (size_t n = 0; n < ring->count; n++) {
            points[n] = drawing_placed(&making->place, drawing->points[ring->first + n]);
        }
        chain.points = points;
        chain.count = (int)ring->count;
        chain.closed = element->kind == ELEMENT_AREA;
        if (!chain.closed && chain.count > 3 && points[0].x == points[chain.count - 1].x &&
            points[0].y == points[chain.count - 1].y) {
            chain.closed = true;
            chain.count--;
        }
        TRY(chain_draw(making->shapes, class->substance, &making->ends, &chain, error));
    }
    return PW_OK;
}

/* ---- areas ------------------------------------------------------------------------------------------------------ */

/* One polygon of all rings: from the first point of the first to that of each other one and back, so that the even-odd
 * rule sees every bridge twice and fills what it would fill without. */
static pw_status area_draw(struct making *making, const struct class_choice *class,
                           const struct drawing_element *element, pw_error *error)
{
    const struct drawing *drawing = making->drawing;
    size_t count = 0, made = 0;
    for (size_t r = element->first_ring; r < element->first_ring + element->rings; r++) {
        count += drawing->rings[r].count + (r > element->first_ring ? 2 : 0);
    }
    count += element->rings > 1;
    PW_NODE_FAIL_IF(count > PW_POLYGON_LIMIT, class->node, error,
                    "an area of '%s' has %zu points; at most %d are allowed",
                    drawing->classes[element->class_index].name, count, PW_POLYGON_LIMIT);
    OWNED struct drawing_point *points = allocate(count, sizeof *points, "an area of a drawing", error);
    TRY_MADE(points);
    const size_t home = drawing->rings[element->first_ring].first;
    for (size_t r = element->first_ring; r < element->first_ring + element->rings; r++) {
        const struct drawing_ring *ring = &drawing->rings[r];
        for (size_t n = 0; n < ring->count; n++) {
            points[made++] = drawing_placed(&making->place, drawing->points[ring->first + n]);
        }
        if (element->rings > 1) {
            points[made++] = drawing_placed(&making->place, drawing->points[ring->first]);
        }
        if (r > element->first_ring) {
            points[made++] = drawing_placed(&making->place, drawing->points[home]);
        }
    }
    return pw_drawing_add(making->shapes, class->substance, &points[0].x, (int)made, error);
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

/* A door or a window of less than the wall's thickness stands in a hole as wide as the thickest wall. */
static pw_status hole_draw(struct making *making, const struct class_choice *class,
                           const struct drawing_element *element, pw_error *error)
{
    struct class_choice hole = *class;
    struct drawing_element chain = *element;
    if (!(class->thickness > 0 && class->thickness < making->thickest)) {
        return PW_OK;
    }
    hole.thickness = chain.width = 0;
    hole.substance = class->air;
    return lines_draw(making, &hole, &chain, error);
}

static bool class_is_thing(const struct class_choice *class)
{
    return class->use == CLASS_WINDOWS || class->use == CLASS_DOORS;
}

static bool class_is_thin(const struct making *making, size_t c)
{
    const struct class_choice *class = class_choice_of(making->choice, making->drawing->classes[c].name);
    return class != NULL && class->thin;
}

static bool gaps_are_asked_for(const struct making *making)
{
    bool asked = false;
    for (int c = 0; c < making->choice->class_count; c++) {
        asked = asked || making->choice->classes[c].thin;
    }
    return asked;
}

/* Lines in gaps of walls become windows and doors. */
static pw_status gaps_take(struct making *making, const struct opening_walls *walls, pw_error *error)
{
    const size_t classes = making->drawing->class_count;
    OWNED bool *thin = allocate(classes, sizeof *thin, "windows and doors", error);
    for (size_t c = 0; thin != NULL && c < classes; c++) {
        thin[c] = class_is_thin(making, c);
    }
    TRY_MADE(thin);
    return drawing_gaps_add(making->drawing, walls, thin, making->place.unit, error);
}

/* Windows and doors of all classes, which are found between the walls. */
static pw_status things_draw(struct making *making, pw_error *error)
{
    const struct drawing *drawing = making->drawing;
    OWNED double *thickness = allocate(drawing->class_count, sizeof *thickness, "windows and doors", error);
    OWNED bool *outlined = allocate(drawing->class_count, sizeof *outlined, "windows and doors", error);
    TRY_MADE(thickness != NULL && outlined != NULL);
    for (size_t c = 0; c < drawing->class_count; c++) {
        const struct class_choice *class = making->class_of[c];
        bool wall =
            class != NULL && (class->use == CLASS_WALLS || class->use == CLASS_FACES || class->use == CLASS_OUTLINES);
        thickness[c] = wall ? class->thickness / making->place.unit : -1;
        outlined[c] = wall && class->use == CLASS_OUTLINES;
    }
    const struct opening_walls walls = {drawing, thickness, outlined};
    if (gaps_are_asked_for(making)) {
        TRY(gaps_take(making, &walls, error));
    }
    for (size_t c = 0; c < drawing->class_count; c++) {
        const struct class_choice *class = making->class_of[c];
        OWNED struct opening *openings = NULL;
        size_t count = 0;
        if (class != NULL && class_is_thing(class)) {
            TRY(drawing_openings(&walls, (int)c, making->place.unit, class->use == CLASS_DOORS, &openings, &count,
                                 error));
            TRY(openings_draw(openings, count, making->page, class, &making->place, making->shapes, error));
        }
    }
    return PW_OK;
}

/* Walls, and then openings, which lie over them. */
static pw_status elements_draw(struct making *making, bool openings, pw_error *error)
{
    for (size_t e = 0; e < making->drawing->element_count; e++) {
        const struct drawing_element *element = &making->drawing->elements[e];
        const struct class_choice *class = used(making, element);
        if (class == NULL || class_is_thing(class) || (class->use == CLASS_OPENINGS) != openings ||
            !meets_region(making, element)) {
            continue;
        }
        bool solid = element->kind == ELEMENT_AREA && class->use != CLASS_OUTLINES;
        if (openings && !solid) {
            TRY(hole_draw(making, class, element, error));
        }
        if (!solid && class->use == CLASS_FACES && !(class->thickness > 0)) {
            TRY(drawing_omit(making->drawing, "line of a face without another beside it", error));
            continue;
        }
        TRY(solid ? area_draw(making, class, element, error) : lines_draw(making, class, element, error));
    }
    return PW_OK;
}

/* What every class of the page stands for. One that nothing is said of is an error that names all of them. */
static pw_status classes_find(struct making *making, pw_error *error)
{
    struct drawing *drawing = making->drawing;
    char missing[400] = "";
    size_t used_up = 0;
    int gaps[2] = {-1, -1};
    TRY(gaps_are_asked_for(making) ? drawing_gap_classes(drawing, &gaps[0], &gaps[1], error) : PW_OK);
    making->class_of = allocate(drawing->class_count, sizeof *making->class_of, "the classes of a drawing", error);
    TRY_MADE(making->class_of);
    for (size_t e = 0; e < drawing->element_count; e++) {
        const int c = drawing->elements[e].class_index;
        if (drawing->elements[e].page != making->page || making->class_of[c] != NULL) {
            continue;
        }
        making->class_of[c] = class_choice_of(making->choice, drawing->classes[c].name);
        if (making->class_of[c] == NULL && strstr(missing, drawing->classes[c].name) == NULL &&
            used_up + DRAWING_NAME_SIZE + 8 < sizeof missing) {
            used_up += (size_t)snprintf(missing + used_up, sizeof missing - used_up, "%s'%s'", used_up > 0 ? ", " : "",
                                        drawing->classes[c].name);
        }
    }
    for (int n = 0; n < 2 && gaps[n] >= 0; n++) { /* what they are is found later; not said, it is left out */
        making->class_of[gaps[n]] = class_choice_of(making->choice, drawing->classes[gaps[n]].name);
    }
    PW_NODE_FAIL_IF(used_up > 0, making->choice->node, error,
                    "'%s' has %s, which classes does not mention. Add it with a material or with the word "
                    "ignored, or let planwave import write the list",
                    making->choice->file, missing);
    for (size_t c = 0; c < drawing->class_count; c++) {
        const struct class_choice *class = making->class_of[c];
        making->class_of[c] = class != NULL && class->use != CLASS_IGNORED ? class : NULL;
    }
    return PW_OK;
}

pw_status drawing_page_find(const struct drawing_choice *choice, const struct drawing *drawing, int *page,
                            pw_error *error)
{
    char names[400] = "";
    size_t used_up = 0;
    *page = 0;
    if (choice->page == NULL && drawing->page_count <= 1) {
        return PW_OK;
    }
    for (size_t p = 0; p < drawing->page_count; p++) {
        if (choice->page != NULL && strcmp(drawing->pages[p].name, choice->page) == 0) {
            *page = (int)p;
            return PW_OK;
        }
        if (used_up + DRAWING_NAME_SIZE + 8 < sizeof names) {
            used_up += (size_t)snprintf(names + used_up, sizeof names - used_up, "%s'%s'", used_up > 0 ? ", " : "",
                                        drawing->pages[p].name);
        }
    }
    return pw_node_fail(choice->node, error, "%s; '%s' has %s",
                        choice->page == NULL ? "needs a page" : "has no such page", choice->file,
                        used_up > 0 ? names : "one, without a name");
}

static pw_status faces_join(struct making *making, pw_error *error)
{
    for (size_t c = 0; c < making->drawing->class_count; c++) {
        const struct class_choice *class = making->class_of[c];
        if (class != NULL && class->use == CLASS_FACES) {
            const double unit = making->choice->unit > 0 ? making->choice->unit : making->drawing->unit;
            TRY(drawing_join_faces(making->drawing, (int)c, class->nearest / unit, class->farthest / unit, error));
        }
    }
    return PW_OK;
}

static pw_status shapes_make(struct making *making, pw_error *error)
{
    TRY(drawing_page_find(making->choice, making->drawing, &making->page, error));
    TRY(classes_find(making, error));
    TRY(place_find(making, error));
    TRY(faces_join(making, error));
    TRY(ends_note(making, error));
    TRY(elements_draw(making, false, error));
    TRY(elements_draw(making, true, error));
    TRY(things_draw(making, error));
    return pw_drawing_shape_count(making->shapes) > 0
               ? PW_OK
               : pw_node_fail(making->choice->node, error,
                              "'%s' contains nothing in this region that classes calls a wall: give "
                              "one of its layers or colours a material, or check region",
                              making->choice->file);
}

pw_status drawing_to_shapes(const struct drawing_choice *choice, struct drawing *drawing, pw_drawing *shapes,
                            struct drawing_place *place, pw_error *error)
{
    struct making making = {.choice = choice, .drawing = drawing, .shapes = shapes};
    pw_status status = shapes_make(&making, error);
    *place = making.place;
    pw_drawing_set_size(shapes, (place->high[0] - place->low[0]) * place->unit,
                        (place->high[1] - place->low[1]) * place->unit);
    PW_FREE_ALL(making.class_of, making.ends.points);
    return status;
}
