/* The basic shapes of SVG and its paths, put on a pen (svg_shape_add of svg_draw.h). */
#include "drawing/vector/svg/svg_draw.h"

#include <math.h>
#include <string.h>

static double length_of(const struct svg *svg, int node, const char *name, double whole)
{
    return svg_length(svg_attribute(&svg->tree, node, name), whole, 0);
}

/* What percentages of lengths that are neither across nor up are of. */
static double diagonal(const struct svg *svg)
{
    return hypot(svg->width, svg->height) / sqrt(2);
}

static pw_status ellipse_add(struct svg *svg, const double centre[2], const double radius[2],
                             const struct svg_matrix *matrix, pw_error *error)
{
    struct curve_arc arc = {.centre = svg_point(matrix, centre[0], centre[1]),
                            .u = svg_vector(matrix, radius[0], 0),
                            .v = svg_vector(matrix, 0, radius[1]),
                            .sweep = 2 * M_PI};
    return radius[0] > 0 && radius[1] > 0 ? curve_arc_add(&svg->pen, &arc, error) : PW_OK;
}

/* A rectangle; its corners, when they are round, in the order in which the outline meets them. */
static pw_status rectangle_add(struct svg *svg, int node, const struct svg_matrix *matrix, pw_error *error)
{
    double x = length_of(svg, node, "x", svg->width), y = length_of(svg, node, "y", svg->height);
    double width = length_of(svg, node, "width", svg->width), height = length_of(svg, node, "height", svg->height);
    double rx = svg_length(svg_attribute(&svg->tree, node, "rx"), svg->width, -1);
    double ry = svg_length(svg_attribute(&svg->tree, node, "ry"), svg->height, -1);
    if (!(width > 0 && height > 0)) {
        return PW_OK;
    }
    double one = fmin(width / 2, rx >= 0 ? rx : fmax(ry, 0)), other = fmin(height / 2, ry >= 0 ? ry : fmax(rx, 0));
    for (int n = 0; n < 4; n++) {
        bool right = n == 1 || n == 2, below = n >= 2;
        double corner_x = right ? x + width : x, corner_y = below ? y + height : y;
        if (one > 0 && other > 0) {
            double centre_x = right ? corner_x - one : corner_x + one;
            double centre_y = below ? corner_y - other : corner_y + other;
            struct curve_arc arc = {.centre = svg_point(matrix, centre_x, centre_y),
                                    .u = svg_vector(matrix, one, 0),
                                    .v = svg_vector(matrix, 0, other),
                                    .from = M_PI + n * M_PI / 2,
                                    .sweep = M_PI / 2};
            TRY(curve_arc_add(&svg->pen, &arc, error));
        } else {
            TRY(pen_line(&svg->pen, svg_point(matrix, corner_x, corner_y), error));
        }
    }
    pen_close(&svg->pen);
    return PW_OK;
}

/* The attribute `points`; an odd number at its end is left out, as the specification has it. */
static pw_status points_add(struct svg *svg, int node, bool closed, const struct svg_matrix *matrix, pw_error *error)
{
    const char *text = svg_attribute(&svg->tree, node, "points");
    double x = 0, y = 0;
    while (text != NULL && svg_number(&text, &x) && svg_number(&text, &y)) {
        TRY(pen_line(&svg->pen, svg_point(matrix, x, y), error));
    }
    if (text != NULL && *text != '\0') {
        TRY(drawing_omit(svg->drawing, "points behind damage in a polygon or polyline", error));
    }
    if (closed) {
        pen_close(&svg->pen);
    }
    return PW_OK;
}

static pw_status path_add(struct svg *svg, int node, const struct svg_matrix *matrix, pw_error *error)
{
    const char *data = svg_attribute(&svg->tree, node, "d");
    bool whole = true;
    if (data == NULL) {
        return PW_OK;
    }
    TRY(svg_path_add(&svg->pen, data, matrix, &whole, error));
    return whole ? PW_OK : drawing_omit(svg->drawing, "end of a damaged path", error);
}

pw_status svg_shape_add(struct svg *svg, int node, const struct svg_matrix *matrix, bool *known, pw_error *error)
{
    const char *name = svg_name(&svg->tree, node);
    *known = true;
    for (int n = 0; n < 2; n++) { /* what takes long to read, and may be used again and again */
        const char *text = svg_attribute(&svg->tree, node, n == 0 ? "d" : "points");
        svg->letters -= text != NULL ? (double)strlen(text) : 0;
    }
    FAIL_IF(svg->letters < 0, error, PW_BAD_INPUT, "'%s' has too much path data, counted as often as it is used",
            svg->tree.path);
    if (strcmp(name, "path") == 0) {
        return path_add(svg, node, matrix, error);
    }
    if (strcmp(name, "rect") == 0) {
        return rectangle_add(svg, node, matrix, error);
    }
    if (strcmp(name, "polygon") == 0 || strcmp(name, "polyline") == 0) {
        return points_add(svg, node, name[4] == 'g', matrix, error);
    }
    double x = length_of(svg, node, "cx", svg->width), y = length_of(svg, node, "cy", svg->height);
    if (strcmp(name, "circle") == 0) {
        double radius = length_of(svg, node, "r", diagonal(svg));
        return ellipse_add(svg, (double[]){x, y}, (double[]){radius, radius}, matrix, error);
    }
    if (strcmp(name, "ellipse") == 0) {
        double rx = length_of(svg, node, "rx", svg->width), ry = length_of(svg, node, "ry", svg->height);
        return ellipse_add(svg, (double[]){x, y}, (double[]){rx, ry}, matrix, error);
    }
    if (strcmp(name, "line") == 0) {
        double x1 = length_of(svg, node, "x1", svg->width), y1 = length_of(svg, node, "y1", svg->height);
        double x2 = length_of(svg, node, "x2", svg->width), y2 = length_of(svg, node, "y2", svg->height);
        TRY(pen_move(&svg->pen, svg_point(matrix, x1, y1), error));
        return pen_line(&svg->pen, svg_point(matrix, x2, y2), error);
    }
    *known = false;
    return PW_OK;
}
