/* What every class of a drawing stands for, and how much of the drawing becomes the plan. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drawing/parallel_walls.h"
#include "import/import_units.h"
#include "import/wall_loss.h"

static const double THINNEST = 0.04, THICKEST = 0.8;             /* m: lines of other widths are drawn with a pen */
static const double NEAREST_FACES = 0.05, FARTHEST_FACES = 0.45; /* m, as drawing_choice.c has it */
static const double FACES_SHARE = 0.5; /* of the length of lines that find another beside them: they are faces */

/* Whether a line is as wide as walls are. */
static bool import_line_is_wide(const struct import *import, const struct drawing_element *element)
{
    double width = element->width * import->unit;
    return element->kind == ELEMENT_LINE && width >= THINNEST && width <= THICKEST;
}

bool import_page_is_taken(const struct import *import, int page)
{
    for (int p = 0; p < import->page_count; p++) {
        if (import->pages[p] == page) {
            return true;
        }
    }
    return false;
}

bool import_is_fabric(const struct import_class *own)
{
    const struct class_guess *guess = &own->guess;
    bool nothing = guess->use == CLASS_OPEN || guess->use == CLASS_IGNORED ||
                   (guess->use == CLASS_DOORS && guess->material == NULL); /* an open door is air */
    return own->said != NULL || !nothing;
}

bool import_page_has_fabric(const struct import *import, int page)
{
    for (size_t e = 0; e < import->drawing.element_count; e++) {
        const struct drawing_element *element = &import->drawing.elements[e];
        if (element->page == page && import_is_fabric(&import->classes[element->class_index])) {
            return true;
        }
    }
    return false;
}

/* Pages on which nothing is a wall are left out; of floors those at the top and the bottom, since those between keep
 * others apart. */
static void pages_sift(struct import *import)
{
    int kept = 0, last = -1;
    for (int p = 0; p < import->page_count; p++) {
        last = import_page_has_fabric(import, import->pages[p]) ? p : last;
    }
    for (int p = 0; p < import->page_count && last >= 0; p++) {
        const int page = import->pages[p];
        bool between = !import->drawing.sheets && kept > 0 && p < last;
        if (import_page_has_fabric(import, page) || between) {
            import->pages[kept++] = page;
        }
    }
    import->pages_without_walls = last >= 0 ? (size_t)(import->page_count - kept) : 0;
    import->page_count = last >= 0 ? kept : import->page_count;
    for (size_t c = 0; c < import->drawing.class_count; c++) {
        import->classes[c].shown = false;
    }
    for (size_t e = 0; e < import->drawing.element_count; e++) {
        const struct drawing_element *element = &import->drawing.elements[e];
        struct import_class *own = &import->classes[element->class_index];
        own->shown = own->shown || import_page_is_taken(import, element->page);
    }
}

/* Whether the pattern before '=' of the user's words number n fits a name. */
static bool words_fit(const struct import *import, size_t n, const char *name)
{
    const char *words = import->options->classes[n], *equal = strrchr(words, '=');
    char pattern[DRAWING_NAME_SIZE];
    if (equal == NULL || (size_t)(equal - words) >= sizeof pattern) {
        return false;
    }
    memcpy(pattern, words, (size_t)(equal - words));
    pattern[equal - words] = '\0';
    return class_pattern_fits(pattern, name);
}

bool import_words_fit(const struct import *import, size_t n)
{
    for (size_t c = 0; c < import->drawing.class_count; c++) {
        if (import->classes[c].shown && words_fit(import, n, import->drawing.classes[c].name)) {
            return true;
        }
    }
    return false;
}

/* What the first of the user's words that fit say. */
static const char *said_of(const struct import *import, const char *name)
{
    for (size_t n = 0; n < import->options->class_count; n++) {
        if (words_fit(import, n, name)) {
            return strrchr(import->options->classes[n], '=') + 1;
        }
    }
    return NULL;
}

/* The length of all lines of a class. */
static double line_length(const struct drawing *drawing, int class_index)
{
    double length = 0;
    for (size_t e = 0; e < drawing->element_count; e++) {
        const struct drawing_element *element = &drawing->elements[e];
        if (element->class_index != class_index || element->kind != ELEMENT_LINE) {
            continue;
        }
        const struct drawing_ring *ring = &drawing->rings[element->first_ring];
        for (size_t n = 1; n < ring->count; n++) {
            const struct drawing_point *at = &drawing->points[ring->first + n];
            length += hypot(at[0].x - at[-1].x, at[0].y - at[-1].y);
        }
    }
    return length;
}

/* Lines without a width may be the two faces of walls: they are where most of them have another beside them. */
static pw_status faces_try(struct import *import, int c, pw_error *error)
{
    struct import_class *own = &import->classes[c];
    if (own->said != NULL || import->drawing.classes[c].use != CLASS_OPEN || own->guess.use != CLASS_WALLS ||
        !own->guess.thickness_guessed || own->guess.thickness < NEAREST_FACES) {
        return PW_OK;
    }
    double before = line_length(&import->drawing, c);
    TRY(drawing_join_faces(&import->drawing, c, NEAREST_FACES / import->unit, FARTHEST_FACES / import->unit, error));
    if (before > 0 && line_length(&import->drawing, c) < (1 - FACES_SHARE) * before) {
        own->guess.use = CLASS_FACES;
        own->guess.thickness = 0;
        own->guess.thickness_guessed = false;
    }
    return PW_OK;
}

/* The conductivity that a stated loss needs. Metal loses everything. */
static void loss_take(struct import *import, int c)
{
    const struct drawing_class *class = &import->drawing.classes[c];
    struct import_class *own = &import->classes[c];
    double thickness = own->guess.thickness > 0 ? own->guess.thickness : class->thickness;
    if (own->said != NULL || !(class->loss > 0) || own->guess.material == NULL ||
        strcmp(own->guess.material, "metal") == 0 || !(thickness > 0)) {
        return;
    }
    double frequency = class->loss_at > 0 ? class->loss_at : import->frequency;
    own->permittivity = pw_material_at(own->guess.material, frequency).relative_permittivity;
    /* Four digits are more than such a statement has. */
    char text[32];
    snprintf(text, sizeof text, "%.4g", conductivity_for_loss(own->permittivity, thickness, frequency, class->loss));
    own->conductivity = strtod(text, NULL);
    own->loss = slab_loss(own->permittivity, own->conductivity, thickness, frequency);
}

/* A material alone, said by the user, leaves open how the class is drawn: that is guessed as ever. */
static void class_decide(const struct import *import, struct drawing_class *shown, bool wide, struct import_class *own)
{
    const char *said = own->said;
    class_guess(shown, import->wall, wide, &own->guess);
    if (said == NULL || (pw_material_canonical(said) == NULL && strcmp(said, "ignored") != 0)) {
        return;
    }
    own->said = NULL;
    if (strcmp(said, "ignored") == 0) {
        own->guess = (struct class_guess){.use = CLASS_IGNORED};
        snprintf(own->guess.reason, sizeof own->guess.reason, "as you say");
        return;
    }
    if (own->guess.use == CLASS_OPEN || own->guess.use == CLASS_IGNORED) {
        /* What is of glass and nothing else is known of is a pane in the middle of what is drawn, be it as wide as a
         * wall. */
        shown->use = strcmp(pw_material_canonical(said), "glass") == 0 ? CLASS_WINDOWS : CLASS_WALLS;
    }
    snprintf(shown->material, sizeof shown->material, "%s", pw_material_canonical(said));
    class_guess(shown, import->wall, wide, &own->guess);
    snprintf(own->guess.reason, sizeof own->guess.reason, "the material as you say");
}

/* ---- colours, where no name says what a wall is ---- */

static void colour_take(const struct import *import, int c, bool wide)
{
    struct drawing_class dark = import->drawing.classes[c];
    struct import_class *own = &import->classes[c];
    dark.lines = own->lines, dark.areas = own->areas;
    dark.use = CLASS_WALLS;
    class_guess(&dark, import->wall, wide, &own->guess);
    snprintf(own->guess.reason, sizeof own->guess.reason, "guessed from the %s",
             dark.lines == 0 || wide ? "colour" : "colour: the widest of the dark lines");
}

/* The widest line of each class, drawing units. */
static pw_status widths_find(const struct import *import, double **widths, pw_error *error)
{
    *widths = allocate(import->drawing.class_count, sizeof **widths, "the classes of a drawing", error);
    for (size_t e = 0; *widths != NULL && e < import->drawing.element_count; e++) {
        const struct drawing_element *element = &import->drawing.elements[e];
        if (element->kind == ELEMENT_LINE && import_page_is_taken(import, element->page)) {
            (*widths)[element->class_index] = fmax((*widths)[element->class_index], element->width);
        }
    }
    return *widths != NULL ? PW_OK : PW_NO_RESOURCE;
}

/* One rule for all formats that have colours: where nothing else says what walls are, dark grey areas and wide lines
 * are; where there are none, the widest of the dark lines. */
static pw_status colours_guess(struct import *import, const size_t *narrow, pw_error *error)
{
    const struct drawing *drawing = &import->drawing;
    double *widths = NULL;
    int widest = -1;
    for (size_t c = 0; c < drawing->class_count; c++) {
        const struct import_class *own = &import->classes[c];
        if (own->shown && (own->said != NULL || own->guess.use == CLASS_WALLS || own->guess.use == CLASS_OUTLINES)) {
            return PW_OK;
        }
    }
    TRY(widths_find(import, &widths, error));
    bool found = false;
    for (size_t c = 0; c < drawing->class_count; c++) {
        const struct import_class *own = &import->classes[c];
        if (!own->shown || own->guess.use != CLASS_OPEN || !drawing->classes[c].painted ||
            !drawing_colour_is_dark(drawing->classes[c].colour)) {
            continue;
        }
        if (narrow[c] == 0) {
            colour_take(import, (int)c, own->lines > 0);
            found = true;
        } else if (widest < 0 || widths[c] > widths[widest]) {
            widest = (int)c;
        }
    }
    if (!found && widest >= 0) {
        colour_take(import, widest, false);
    }
    free(widths);
    return PW_OK;
}

/* ---- all of it ---- */

/* Where no unit is said. */
static pw_status unit_missing(const struct import *import, const struct plan_measures *measures, pw_error *error)
{
    struct drawing_point low = {HUGE_VAL, HUGE_VAL}, high = {-HUGE_VAL, -HUGE_VAL};
    char advice[200];
    for (size_t e = 0; e < import->drawing.element_count; e++) {
        struct drawing_point from, to;
        drawing_element_box(&import->drawing, &import->drawing.elements[e], &from, &to);
        low = (struct drawing_point){fmin(low.x, from.x), fmin(low.y, from.y)};
        high = (struct drawing_point){fmax(high.x, to.x), fmax(high.y, to.y)};
    }
    plan_unit_advise(import, measures, advice, sizeof advice);
    return fail(
        error, PW_BAD_INPUT,
        "'%s' does not say how long %s is. Add --unit, e.g. --unit 1cm, or two points and their distance, e.g. --scale "
        "10,20,410,20=8.4m. The drawing reaches from %.6g,%.6g to %.6g,%.6g%s%s",
        import->file, import->drawing.picture.rgb != NULL ? "a pixel of it" : "a unit of it", low.x, low.y, high.x,
        high.y, advice[0] != '\0' ? "; " : "", advice);
}

/* Looks whether the unit can be right, before anything is done with it. One that the file says, and that fits nothing,
 * is refused; else it is doubted, in words. */
static pw_status unit_judge(struct import *import, pw_error *error)
{
    struct plan_measures measures;
    bool fits = true;
    TRY(plan_measures_take(import, &measures, error));
    if (!(import->unit > 0)) {
        return unit_missing(import, &measures, error);
    }
    plan_doubt(import, &measures, import->doubt, sizeof import->doubt, &fits);
    FAIL_IF(!fits && !(import->options->unit > 0), error, PW_BAD_INPUT,
            "'%s': %s. No other unit makes a building of all of it: say which with --unit, or take a part of it with "
            "--region",
            import->file, import->doubt);
    return PW_OK;
}

static bool class_is_gap(const struct drawing_class *class)
{
    return strcmp(class->name, "window gaps") == 0 || strcmp(class->name, "door gaps") == 0;
}

static pw_status classes_decide(struct import *import, size_t *narrow, pw_error *error)
{
    const struct drawing *drawing = &import->drawing;
    for (size_t e = 0; e < drawing->element_count; e++) {
        const struct drawing_element *element = &drawing->elements[e];
        struct import_class *own = &import->classes[element->class_index];
        if (import_page_is_taken(import, element->page)) {
            own->shown = true;
            *(element->kind == ELEMENT_LINE ? &own->lines : &own->areas) += 1;
            narrow[element->class_index] += element->kind == ELEMENT_LINE && !import_line_is_wide(import, element);
        }
    }
    for (size_t c = 0; c < drawing->class_count; c++) {
        struct import_class *own = &import->classes[c];
        struct drawing_class shown = drawing->classes[c];
        shown.lines = class_is_gap(&shown) ? 1 : own->lines; /* which are found later */
        shown.areas = own->areas;
        own->said = said_of(import, shown.name);
        class_decide(import, &shown, own->lines > 0 && narrow[c] == 0, own);
        const bool gap = class_is_gap(&drawing->classes[c]);
        if ((gap || drawing->picture.rgb != NULL) && strcmp(own->guess.reason, "as the file says") == 0) {
            snprintf(own->guess.reason, sizeof own->guess.reason, "guessed from %s",
                     shown.use == CLASS_WINDOWS ? "thin lines in gaps of walls"
                     : shown.use == CLASS_DOORS ? "arcs and leaves beside gaps of walls"
                                                : "how thick its strokes are");
        }
        TRY(import_things_choose(import, own, error));
    }
    return PW_OK;
}

pw_status import_classes(struct import *import, pw_error *error)
{
    struct drawing *drawing = &import->drawing;
    int windows = 0, doors = 0;
    if (drawing->picture.rgb == NULL) { /* which finds its own */
        TRY(drawing_gap_classes(drawing, &windows, &doors, error));
    }
    import->classes = allocate(drawing->class_count, sizeof *import->classes, "the classes of a drawing", error);
    size_t *narrow = allocate(drawing->class_count, sizeof *narrow, "the classes of a drawing", error);
    if (import->classes == NULL || narrow == NULL) {
        free(narrow);
        return PW_NO_RESOURCE;
    }
    pw_status status = classes_decide(import, narrow, error);
    THEN(status, colours_guess(import, narrow, error));
    THEN(status, unit_judge(import, error));
    for (size_t c = 0; c < drawing->class_count && status == PW_OK; c++) {
        if (import->classes[c].shown) {
            status = faces_try(import, (int)c, error);
            loss_take(import, (int)c);
        }
    }
    if (drawing->picture.rgb == NULL && status == PW_OK) {
        status = import_gaps(import, error);
    }
    free(narrow);
    pages_sift(import);
    return status;
}
