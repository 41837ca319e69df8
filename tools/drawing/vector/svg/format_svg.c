/* SVG, after the W3C's "Scalable Vector Graphics 1.1" and the parts of 2 that programs write.
 *
 * Read are path, line, polyline, polygon, rect, circle and ellipse in groups, links, nested svg with their viewBox, and
 * what use shows, of symbols too, under all transforms; painted by presentation attributes, by style sheets whose
 * selectors are an element, an id, up to two classes, or these together, and by the attribute style. What display,
 * visibility or an opacity of 0 hides is left out.
 *
 * A fill becomes an area: the rule even-odd as it is, non-zero as pen_draw_nonzero (pen.h) says. A stroke becomes lines
 * as wide as the stroke, in the drawing's units; dashes are drawn through, ends are not made longer. An element that
 * has both becomes both.
 *
 * The class of an element is named by the label of the innermost Inkscape layer it is in; without several layers by the
 * nearest label or class of its own, label, id or class of a group that no program counted up (as "g1234", "cls-2");
 * else by its paint: "stroke #rrggbb width 2", "fill #rrggbb". What is in a group by its id or class is told apart by
 * its paint as well, "NAME stroke #rrggbb width 2", where the group has lines, or areas, of more than one paint; and
 * what is in a layer or has a class of its own, by "NAME fill" and "NAME stroke" where an element has both.
 *
 * Left out and counted are texts, images and all else that is drawn, clip paths and masks (what they cut off is drawn),
 * transforms of CSS, the look of gradients and patterns (their areas are kept), and rules with other selectors.
 *
 * The unit is not known: `width` and `height` in millimetres are the size of a sheet of paper, and nothing in SVG, nor
 * in Inkscape's additions, says to what scale a building is drawn on it. Coordinates are those of the viewBox, upwards
 * from its lower left corner. */
#include "drawing/drawing_format.h"
#include "drawing/vector/svg/svg_draw.h"

#include <string.h>
#include <strings.h>

extern const struct drawing_format drawing_format_svg;

/* An XML file whose first bytes have the element svg, which may stand behind comments, or whose name tells. */
static bool recognises_svg(const uint8_t *head, size_t count, const char *path)
{
    size_t at = count >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0, length = strlen(path);
    while (at < count && strchr(" \t\r\n", head[at]) != NULL && head[at] != '\0') {
        at++;
    }
    if (at >= count || head[at] != '<') {
        return length > 4 && strcasecmp(path + length - 4, ".svg") == 0;
    }
    return memmem(head, count, "<svg", 4) != NULL || memmem(head, count, "<!DOCTYPE svg", 13) != NULL ||
           memmem(head, count, "<svg:svg", 8) != NULL || (length > 4 && strcasecmp(path + length - 4, ".svg") == 0);
}

static pw_status read_svg(const char *path, const struct picture_options *picture, struct drawing *drawing,
                          pw_error *error)
{
    (void)picture;
    int page = 0;
    TRY(drawing_page_of(drawing, "", &page, error));
    return svg_read(path, false, page, drawing, error);
}

const struct drawing_format drawing_format_svg = {
    "SVG", "drawings of Inkscape, Illustrator and others, their layers, groups or colours as classes", recognises_svg,
    read_svg};
