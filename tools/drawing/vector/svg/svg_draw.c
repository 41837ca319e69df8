/* Walks through the elements of an SVG file and draws them (svg_draw.h). */
#include "drawing/vector/svg/svg_draw.h"

#include <math.h>
#include <string.h>

enum { DEPTH_LIMIT = 300, VISIT_LIMIT = 4000000 };

static bool paint_shows(const struct svg_style *style, const struct svg_paint *paint, double opacity, uint8_t colour[3])
{
    memcpy(colour, paint->kind == SVG_CURRENT ? style->colour : paint->colour, 3);
    return paint->kind != SVG_UNPAINTED && opacity > 0;
}

/* The fill of what is on the pen as an area, its stroke as lines. */
static pw_status pen_paint(struct svg *svg, const struct svg_place *place, bool has_fill, pw_error *error)
{
    const struct svg_style *style = &place->style;
    uint8_t fill[3], stroke[3];
    double width = style->stroke_width * (style->constant_width ? 1 : svg_scale(&place->matrix));
    bool filled = has_fill && !style->hidden && paint_shows(style, &style->fill, style->fill_opacity, fill);
    bool stroked = width > 0 && !style->hidden && paint_shows(style, &style->stroke, style->stroke_opacity, stroke);
    struct drawing_element element = {.page = svg->page};
    if (filled) {
        element.kind = ELEMENT_AREA;
        TRY(svg_class_of(svg, place, stroked, fill, &element, error));
        TRY(style->evenodd ? pen_draw_area(&svg->pen, &element, svg->drawing, error)
                           : pen_draw_nonzero(&svg->pen, &element, &svg->fill_work, svg->drawing, error));
        svg_class_drop_empty(svg, element.class_index);
        if (style->fill.kind == SVG_PATTERN) {
            TRY(drawing_omit(svg->drawing, "gradient or pattern of a fill", error));
        }
    }
    if (stroked) {
        element.kind = ELEMENT_LINE;
        element.width = width;
        TRY(svg_class_of(svg, place, filled, stroke, &element, error));
        TRY(pen_draw_lines(&svg->pen, &element, svg->drawing, error));
        svg_class_drop_empty(svg, element.class_index);
    }
    return PW_OK;
}

static bool name_is_of(const char *name, const char *const *list)
{
    for (; *list != NULL; list++) {
        if (strcmp(name, *list) == 0) {
            return true;
        }
    }
    return false;
}

/* The transform from the coordinates within a `viewBox` to the viewport at (x, y), by preserveAspectRatio. */
static struct svg_matrix viewport_matrix(const struct svg_tree *tree, int node, const double viewport[4])
{
    struct svg_matrix matrix = {1, 0, 0, 1, viewport[0], viewport[1]};
    const char *box = svg_attribute(tree, node, "viewBox"), *aspect = svg_attribute(tree, node, "preserveAspectRatio");
    double v[4];
    if (box == NULL || !svg_number(&box, &v[0]) || !svg_number(&box, &v[1]) || !svg_number(&box, &v[2]) ||
        !svg_number(&box, &v[3]) || !(v[2] > 0 && v[3] > 0 && viewport[2] > 0 && viewport[3] > 0)) {
        return matrix;
    }
    matrix.a = viewport[2] / v[2];
    matrix.d = viewport[3] / v[3];
    double left_x = 0, left_y = 0; /* what is left of the viewport, before the content */
    if (aspect == NULL || strstr(aspect, "none") == NULL) {
        bool slice = aspect != NULL && strstr(aspect, "slice") != NULL;
        double scale = slice ? fmax(matrix.a, matrix.d) : fmin(matrix.a, matrix.d);
        matrix.a = matrix.d = scale;
        double share_x = aspect == NULL || strstr(aspect, "xMid") != NULL ? 0.5 : strstr(aspect, "xMax") != NULL;
        double share_y = aspect == NULL || strstr(aspect, "YMid") != NULL ? 0.5 : strstr(aspect, "YMax") != NULL;
        left_x = share_x * (viewport[2] - scale * v[2]);
        left_y = share_y * (viewport[3] - scale * v[3]);
    }
    matrix.e = viewport[0] + left_x - matrix.a * v[0];
    matrix.f = viewport[1] + left_y - matrix.d * v[1];
    return matrix;
}

/* The box of a nested svg, or of a symbol that `use` shows; the sizes of `use` come first. */
static void viewport_of(const struct svg *svg, int node, int use, double viewport[4])
{
    static const char *const names[4] = {"x", "y", "width", "height"};
    for (int n = 0; n < 4; n++) {
        double whole = n % 2 == 0 ? svg->width : svg->height;
        const char *own = n >= 2 || use == SVG_NONE ? svg_attribute(&svg->tree, node, names[n]) : NULL;
        const char *used = use != SVG_NONE && n >= 2 ? svg_attribute(&svg->tree, use, names[n]) : NULL;
        viewport[n] = svg_length(used != NULL ? used : own, whole, n < 2 ? 0 : whole);
    }
}

static pw_status element_draw(struct svg *svg, int node, int use, const struct svg_place *around, pw_error *error);

static pw_status children_draw(struct svg *svg, int node, const struct svg_place *place, pw_error *error)
{
    for (int child = svg->tree.nodes[node].child; child != SVG_NONE; child = svg->tree.nodes[child].next) {
        TRY(element_draw(svg, child, SVG_NONE, place, error));
    }
    return PW_OK;
}

/* Draws what `use` names at (x, y). */
static pw_status use_draw(struct svg *svg, int node, struct svg_place *place, pw_error *error)
{
    const char *target = svg_attribute(&svg->tree, node, "href");
    target = target != NULL ? target : svg_attribute(&svg->tree, node, "xlink:href");
    int named = target != NULL && target[0] == '#' ? svg_by_id(&svg->tree, target + 1) : SVG_NONE;
    if (svg->by_colour && target != NULL && strncmp(target, "#glyph", 6) == 0) {
        return drawing_omit(svg->drawing, "letter", error);
    }
    if (named == SVG_NONE) {
        return drawing_omit(svg->drawing, "use of an element that is not there", error);
    }
    struct svg_matrix shift = {1,
                               0,
                               0,
                               1,
                               svg_length(svg_attribute(&svg->tree, node, "x"), svg->width, 0),
                               svg_length(svg_attribute(&svg->tree, node, "y"), svg->height, 0)};
    place->matrix = svg_matrix_after(&place->matrix, &shift);
    return element_draw(svg, named, node, place, error);
}

/* Elements that hold others; `use` is the element that shows a symbol, or SVG_NONE. */
static pw_status container_draw(struct svg *svg, int node, int use, struct svg_place *place, pw_error *error)
{
    const char *name = svg_name(&svg->tree, node);
    bool viewport = strcmp(name, "svg") == 0 || strcmp(name, "symbol") == 0;
    if (viewport && node != 0) {
        double box[4];
        viewport_of(svg, node, use, box);
        struct svg_matrix inner = viewport_matrix(&svg->tree, node, box);
        place->matrix = svg_matrix_after(&place->matrix, &inner);
    }
    svg_place_name(svg, node, node != 0, place);
    return children_draw(svg, node, place, error);
}

static pw_status kind_draw(struct svg *svg, int node, int use, struct svg_place *place, pw_error *error)
{
    static const char *const holders[] = {"svg", "g", "a", "switch", NULL};
    static const char *const silent[] = {"defs",    "style",     "title",  "desc",           "metadata",
                                         "symbol",  "clipPath",  "mask",   "linearGradient", "radialGradient",
                                         "pattern", "marker",    "filter", "script",         "view",
                                         "font",    "namedview", NULL};
    const char *name = svg_name(&svg->tree, node);
    if (name_is_of(name, holders) || (use != SVG_NONE && strcmp(name, "symbol") == 0)) {
        return container_draw(svg, node, use, place, error);
    }
    if (name_is_of(name, silent)) {
        return PW_OK;
    }
    if (strcmp(name, "use") == 0) {
        svg_place_name(svg, node, false, place);
        return use_draw(svg, node, place, error);
    }
    bool known = false;
    pen_clear(&svg->pen);
    TRY(svg_shape_add(svg, node, &place->matrix, &known, error));
    if (!known) { /* text, image, foreignObject and the like */
        char what[64];
        drawing_text_copy(what, sizeof what, name);
        return drawing_omit(svg->drawing, what, error);
    }
    svg_place_name(svg, node, false, place);
    return pen_paint(svg, place, strcmp(name, "line") != 0, error);
}

static pw_status element_draw(struct svg *svg, int node, int use, const struct svg_place *around, pw_error *error)
{
    struct svg_place place = *around;
    FAIL_IF(++svg->visited > VISIT_LIMIT || ++place.depth > DEPTH_LIMIT, error, PW_BAD_INPUT,
            "'%s' uses elements again more than %d times, or more than %d deep", svg->tree.path, VISIT_LIMIT,
            DEPTH_LIMIT);
    TRY(svg_style_of(&svg->tree, &svg->sheet, node, &around->style, &place.style, error));
    if (place.style.gone) {
        return PW_OK;
    }
    if (place.style.clipped) {
        TRY(drawing_omit(svg->drawing, "clip path or mask", error));
    }
    if (place.style.moved) {
        TRY(drawing_omit(svg->drawing, "transform of a style", error));
    }
    const char *transform = svg_attribute(&svg->tree, node, "transform");
    if (transform != NULL && node != 0) {
        struct svg_matrix own;
        if (!svg_transform(transform, &own)) {
            TRY(drawing_omit(svg->drawing, "end of a damaged transform", error));
        }
        place.matrix = svg_matrix_after(&place.matrix, &own);
    }
    return kind_draw(svg, node, use, &place, error);
}

/* What a unit is long on paper [m], of `across` units; 0: the width is given in no unit of paper. */
static double paper_of(const char *width, double across)
{
    static const char *const UNITS[] = {"mm", "cm", "in", "pt", "pc"};
    const double inch = 96 /* units of CSS */, length = svg_length(width, 0, 0);
    bool physical = false;
    for (size_t n = 0; n < sizeof UNITS / sizeof UNITS[0] && width != NULL; n++) {
        physical = physical || strstr(width, UNITS[n]) != NULL;
    }
    return physical && across > 0 && length > 0 ? length / across / inch * 0.0254 : 0;
}

/* The root's own coordinates, those of its viewBox, turned upwards, with (0, 0) at the lower left of the page. */
static pw_status svg_draw(struct svg *svg, pw_error *error)
{
    double v[4] = {0, 0, svg_length(svg_attribute(&svg->tree, 0, "width"), 0, 0),
                   svg_length(svg_attribute(&svg->tree, 0, "height"), 0, 0)};
    const char *box = svg_attribute(&svg->tree, 0, "viewBox");
    for (int n = 0; n < 4 && box != NULL; n++) {
        FAIL_IF(!svg_number(&box, &v[n]), error, PW_BAD_INPUT, "'%s': the viewBox '%.60s' is not four numbers",
                svg->tree.path, svg_attribute(&svg->tree, 0, "viewBox"));
    }
    svg->drawing->paper = paper_of(svg_attribute(&svg->tree, 0, "width"), v[2]);
    svg->layered = svg_is_layered(&svg->tree);
    svg->width = v[2];
    svg->height = v[3];
    struct svg_place place = {.matrix = {1, 0, 0, -1, -v[0], v[1] + v[3]}, .style = svg_style_initial()};
    return element_draw(svg, 0, SVG_NONE, &place, error);
}

pw_status svg_read(const char *path, bool by_colour, int page, struct drawing *drawing, pw_error *error)
{
    struct svg svg = {.drawing = drawing, .by_colour = by_colour, .page = page, .fill_work = 3e8};
    pw_status status = svg_tree_read(path, &svg.tree, error);
    THEN(status, svg_sheet_read(&svg.tree, &svg.sheet, drawing, error));
    svg.letters = 3e7 + 4 * (double)svg.tree.text_size;
    THEN(status, svg_draw(&svg, error));
    svg_classes_name(&svg);
    pen_free(&svg.pen);
    svg_sheet_free(&svg.sheet);
    svg_tree_free(&svg.tree);
    return status;
}
