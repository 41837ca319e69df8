/* Drawings: how a scenario's key `drawing`, which names a file of another program, becomes shapes of the plan. This
 * library knows no format of drawings itself: a reader is handed to it once, which gets the map behind the key and
 * hands back polygons of materials. tools/drawing has one for DXF, SVG, PDF and others; the shared library and the
 * program use it from the start.
 *
 *     static pw_status box_read(const pw_node *map, const char *folder, pw_drawing *drawing, pw_error *error)
 *     {
 *         static const double CORNERS[] = {1, 1, 3, 1, 3, 2, 1, 2};
 *         int brick;
 *         pw_drawing_set_size(drawing, 4, 3);
 *         PW_TRY(pw_drawing_substance(drawing, map, pw_node_find(map, "material"), &brick, error));
 *         return pw_drawing_add(drawing, brick, CORNERS, 4, error);
 *     }
 */
#ifndef PLANWAVE_DRAWING_H
#define PLANWAVE_DRAWING_H

#include "api/base.h"
#include "api/choices.h"
#include "api/document.h"
#include "api/plan/picture.h"

PW_C_BEGIN

typedef struct pw_drawing pw_drawing; /* what a reader fills */

typedef struct pw_drawing_reader {
    /* The formats that it reads, for pw_choice_describe(PW_DRAWING_FORMATS); the name is NULL past the last. */
    pw_choice (*format)(size_t index);
    /* Turns `map`, the value of the key, into shapes. Paths are taken from `folder` (NULL: as they are). */
    pw_status (*read)(const pw_node *map, const char *folder, pw_drawing *drawing, pw_error *error);
    /* Draws what `read` reads as its program shows it, all over the plan and at most `side` pixels long, into a picture
     * to be freed with pw_picture_free; `drawing` is filled as by `read`. NULL: it cannot. */
    pw_status (*look)(const pw_node *map, const char *folder, int side, pw_drawing *drawing, pw_picture *picture,
                      pw_error *error);
} pw_drawing_reader;

/* The reader of all drawings from now on; it is not copied. NULL: a scenario with a drawing is refused. For the
 * beginning of a program: nothing may read a scenario meanwhile. */
void pw_drawings_use(const pw_drawing_reader *reader);

/* How large the plan is [m], for scenarios that give no size: the shapes' origin is its lower left corner. */
void pw_drawing_set_size(pw_drawing *drawing, double width, double height);

/* What shapes are of: `material`, a value as a scenario writes it (NULL: air), from one height to another as `map` says
 * under the key `z`. Messages about such shapes name the line of `map`. */
pw_status pw_drawing_substance(pw_drawing *drawing, const pw_node *map, const pw_node *material, int *substance,
                               pw_error *error);

/* Adds a polygon, corners (count, 2): x, y [m]; the even-odd rule says what is inside. Later ones lie over earlier
 * ones.
 */
pw_status pw_drawing_add(pw_drawing *drawing, int substance, const double *corners, int count, pw_error *error);

/* How many polygons were added. */
size_t pw_drawing_shape_count(const pw_drawing *drawing);

/* What lies under the plan of the scenario `path`: its drawing as its program shows it, or its picture. A PNG at most
 * `side` pixels long that covers the plan, to be freed by the caller; *png NULL: the plan has neither. */
pw_status pw_plan_look(const char *path, const char *const *overrides, size_t override_count, int side, uint8_t **png,
                       size_t *size, pw_error *error);

/* How many corners a polygon may have. */
enum { PW_POLYGON_LIMIT = 100000 };

PW_C_END

#endif
