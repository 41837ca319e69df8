/* Reads the key `drawing` (drawing_choice.h). Leaves out the file itself, which drawing_shapes.c looks at. */
#include "drawing/shapes/drawing_choice.h"

#include <fnmatch.h>
#include <math.h>
#include <string.h>

static const pw_range LENGTHS = {0, 1e6, true, false};           /* m, and drawing units */
static const pw_range POSITIONS = {-1e12, 1e12, false, false};   /* drawing units */
static const double NEAREST_FACES = 0.05, FARTHEST_FACES = 0.45; /* m: walls are so thick */

static const double PANE = 0.01, DOOR_LEAF = 0.04, PANE_GAP = 0.016; /* m */

/* ---- classes ---------------------------------------------------------------------------------------------------- */

static const char *const USES[] = {"ignored", "walls", "faces", "rooms", "openings", "windows", "doors", NULL};
static const enum class_use USE_OF[] = {CLASS_IGNORED,  CLASS_WALLS,   CLASS_FACES, CLASS_OUTLINES,
                                        CLASS_OPENINGS, CLASS_WINDOWS, CLASS_DOORS};

static bool is_opening(enum class_use use)
{
    return use == CLASS_OPENINGS || use == CLASS_WINDOWS || use == CLASS_DOORS;
}

/* How many panes a window has, and what is between them. */
static pw_status panes_read(const pw_node *map, struct class_choice *choice, pw_error *error)
{
    const pw_node *panes = pw_node_find(map, "panes"), *gap = pw_node_find(map, "gap");
    int64_t count = 1;
    PW_NODE_FAIL_IF((panes != NULL || gap != NULL) && choice->use != CLASS_WINDOWS, panes != NULL ? panes : gap, error,
                    "belongs to 'as: windows'");
    TRY(pw_map_integer(map, "panes", PW_DIMENSION_NUMBER, 1, 4, &count, error));
    choice->panes = (int)count;
    if (is_opening(choice->use) && choice->use != CLASS_OPENINGS && !(choice->thickness > 0)) {
        choice->thickness = choice->use == CLASS_WINDOWS ? PANE : DOOR_LEAF;
    }
    return pw_map_quantity(map, "gap", PW_DIMENSION_LENGTH, LENGTHS, &choice->gap, error);
}

/* {as: walls, material: brick, thickness: 12 cm, z: [0 m, 2 m]}; of faces also how far they are apart. */
static pw_status class_map_read(const pw_node *map, pw_drawing *drawing, struct class_choice *choice, pw_error *error)
{
    static const char *const KEYS[] = {"as", "material", "thickness", "apart", "panes", "gap", "z", "top", NULL};
    const pw_node *material = pw_node_find(map, "material"), *apart = pw_node_find(map, "apart");
    int use = 1;
    TRY(pw_map_check(map, KEYS, error));
    TRY(pw_map_choice(map, "as", USES, &use, error));
    choice->use = USE_OF[use];
    TRY(pw_map_quantity(map, "thickness", PW_DIMENSION_LENGTH, LENGTHS, &choice->thickness, error));
    if (apart != NULL) {
        PW_NODE_FAIL_IF(apart->kind != PW_NODE_LIST || apart->count != 2 || choice->use != CLASS_FACES, apart, error,
                        "belongs to 'as: faces' and must be two lengths, as in [5 cm, 45 cm]");
        TRY(pw_node_quantity(apart->first, PW_DIMENSION_LENGTH, LENGTHS, &choice->nearest, error));
        TRY(pw_node_quantity(apart->first->next, PW_DIMENSION_LENGTH, LENGTHS, &choice->farthest, error));
        PW_NODE_FAIL_IF(!(choice->nearest < choice->farthest), apart, error,
                        "must go from the thinnest wall to the thickest one");
    }
    TRY(panes_read(map, choice, error));
    TRY(pw_drawing_substance(drawing, map, NULL, &choice->air, error));
    choice->substance = choice->air;
    if (choice->use == CLASS_IGNORED || (material == NULL && is_opening(choice->use))) {
        return PW_OK;
    }
    TRY(pw_map_required(map, "material", "a name such as brick, or {relative_permittivity, conductivity}", &material,
                        error));
    return pw_drawing_substance(drawing, map, material, &choice->substance, error);
}

/* A material alone stands for walls of it. */
static pw_status class_read(const pw_node *node, pw_drawing *drawing, struct class_choice *choice, pw_error *error)
{
    *choice = (struct class_choice){.pattern = node->key,
                                    .use = CLASS_WALLS,
                                    .nearest = NEAREST_FACES,
                                    .farthest = FARTHEST_FACES,
                                    .panes = 1,
                                    .gap = PANE_GAP,
                                    .node = node};
    choice->thin = pw_node_is_word(node, "gaps");
    if (choice->thin || pw_node_is_word(node, "ignored")) {
        choice->use = CLASS_IGNORED;
        return PW_OK;
    }
    bool map = node->kind == PW_NODE_MAP;
    bool own_values = map && pw_node_find(node, "as") == NULL && pw_node_find(node, "material") == NULL;
    return map && !own_values ? class_map_read(node, drawing, choice, error)
                              : pw_drawing_substance(drawing, node, node, &choice->substance, error);
}

static pw_status classes_read(const pw_node *map, pw_drawing *drawing, struct drawing_choice *choice, pw_error *error)
{
    if (map == NULL) {
        return PW_OK;
    }
    PW_NODE_FAIL_IF(map->kind != PW_NODE_MAP || map->count > DRAWING_CLASS_LIMIT, map, error,
                    "must be a map of layers, colours or types of walls to what they stand for, as in "
                    "A-WALL: brick");
    choice->classes = allocate((size_t)map->count, sizeof *choice->classes, "the classes of a drawing", error);
    TRY_MADE(choice->classes);
    for (const pw_node *item = map->first; item != NULL; item = item->next) {
        TRY(class_read(item, drawing, &choice->classes[choice->class_count++], error));
    }
    return PW_OK;
}

bool class_pattern_fits(const char *pattern, const char *name)
{
    return strcmp(pattern, name) == 0 || fnmatch(pattern, name, FNM_CASEFOLD | FNM_NOESCAPE) == 0;
}

const struct class_choice *class_choice_of(const struct drawing_choice *choice, const char *name)
{
    for (int c = 0; c < choice->class_count; c++) {
        if (class_pattern_fits(choice->classes[c].pattern, name)) {
            return &choice->classes[c];
        }
    }
    return NULL;
}

/* ---- place and scale -------------------------------------------------------------------------------------------- */

/* "[x, y]" in drawing units. */
static pw_status numbers_read(const pw_node *node, int count, double *values, pw_error *error)
{
    PW_NODE_FAIL_IF(node->kind != PW_NODE_LIST || node->count != count, node, error,
                    "must be %d numbers in units of the drawing", count);
    const pw_node *item = node->first;
    for (int n = 0; n < count; n++, item = item->next) {
        TRY(pw_node_quantity(item, PW_DIMENSION_NUMBER, POSITIONS, &values[n], error));
    }
    return PW_OK;
}

static pw_status required_numbers(const pw_node *map, const char *key, const char *why, double values[2],
                                  pw_error *error)
{
    const pw_node *node;
    TRY(pw_map_required(map, key, why, &node, error));
    return numbers_read(node, 2, values, error);
}

/* Two points and how far they are from each other in the building. */
static pw_status scale_read(const pw_node *map, struct drawing_choice *choice, pw_error *error)
{
    static const char *const KEYS[] = {"from", "to", "length", NULL};
    const pw_node *node;
    double from[2] = {0}, to[2] = {0}, length = 0;
    TRY(pw_map_check(map, KEYS, error));
    TRY(required_numbers(map, "from", "a point [x, y] of the drawing", from, error));
    TRY(required_numbers(map, "to", "a point [x, y] of the drawing", to, error));
    TRY(pw_map_required(map, "length", "how far the two points are from each other, as in 12.4 m", &node, error));
    TRY(pw_node_quantity(node, PW_DIMENSION_LENGTH, LENGTHS, &length, error));
    double apart = hypot(to[0] - from[0], to[1] - from[1]);
    PW_NODE_FAIL_IF(!(apart > 0), map, error, "'from' and 'to' are the same point, which says nothing about a length");
    choice->unit = length / apart;
    return PW_OK;
}

static pw_status place_read(const pw_node *map, struct drawing_choice *choice, pw_error *error)
{
    const pw_node *unit = pw_node_find(map, "unit"), *scale = pw_node_find(map, "scale"),
                  *region = pw_node_find(map, "region");
    PW_NODE_FAIL_IF(unit != NULL && scale != NULL, scale, error, "'unit' is given too; give one of the two");
    TRY(pw_map_quantity(map, "unit", PW_DIMENSION_LENGTH, (pw_range){1e-9, 1e6, false, false}, &choice->unit, error));
    TRY(scale != NULL ? scale_read(scale, choice, error) : PW_OK);
    TRY(pw_map_quantity(map, "turn", PW_DIMENSION_ANGLE, (pw_range){-2 * M_PI, 2 * M_PI, false, false}, &choice->turn,
                        error));
    choice->margin = 1;
    TRY(pw_map_quantity(map, "margin", PW_DIMENSION_LENGTH, (pw_range){0, 1e4, false, false}, &choice->margin, error));
    if (region == NULL) {
        return PW_OK;
    }
    TRY(numbers_read(region, 4, choice->region, error));
    choice->has_region = true;
    return choice->region[0] < choice->region[2] && choice->region[1] < choice->region[3]
               ? PW_OK
               : pw_node_fail(region, error, "must be [x0, y0, x1, y1] with x0 < x1 and y0 < y1");
}

/* ---- pictures --------------------------------------------------------------------------------------------------- */

/* Four points, and the two sides of the rectangle that they are the corners of. */
static pw_status corners_read(const pw_node *map, struct picture_options *picture, pw_error *error)
{
    const pw_node *corners = pw_node_find(map, "corners"), *sides = pw_node_find(map, "sides");
    if (corners == NULL && sides == NULL) {
        return PW_OK;
    }
    PW_NODE_FAIL_IF(corners == NULL || sides == NULL || corners->kind != PW_NODE_LIST || corners->count != 4,
                    corners != NULL ? corners : sides, error,
                    "four corners [x, y] of a rectangle, from its lower left one counterclockwise, and its sides "
                    "[width, height] in pixels go together");
    for (const pw_node *item = corners->first; item != NULL; item = item->next) {
        double at[2];
        TRY(numbers_read(item, 2, at, error));
        picture->corner[item->index] = (struct drawing_point){at[0], at[1]};
    }
    picture->has_corners = true;
    return numbers_read(sides, 2, picture->sides, error);
}

/* A length in pixels. */
static pw_status pixels_read(const pw_node *map, const char *key, double *pixels, pw_error *error)
{
    return pw_map_quantity(map, key, PW_DIMENSION_NUMBER, (pw_range){0, PW_PICTURE_SIDE_LIMIT, false, false}, pixels,
                           error);
}

pw_status picture_options_read(const pw_node *map, struct picture_options *picture, pw_error *error)
{
    static const char *const KEYS[] = {"scan",   "threshold", "tolerance", "corners",  "sides",
                                       "deskew", "speck",     "hollow",    "thinnest", "thickest",
                                       "marks",  "gap",       "openings",  "straight", NULL};
    const pw_node *threshold;
    int64_t level = 0, tolerance = 0;
    if (map == NULL) {
        return PW_OK;
    }
    TRY(pw_map_check(map, KEYS, error));
    TRY(pw_map_switch(map, "scan", &picture->scan, error));
    threshold = pw_node_find(map, "threshold");
    picture->local = threshold != NULL && pw_node_is_word(threshold, "local");
    if (!picture->local) {
        TRY(pw_map_integer(map, "threshold", PW_DIMENSION_NUMBER, 1, 255, &level, error));
    }
    picture->threshold = (int)level;
    TRY(pw_map_integer(map, "tolerance", PW_DIMENSION_NUMBER, 0, 255, &tolerance, error));
    picture->tolerance = (int)tolerance;
    TRY(corners_read(map, picture, error));
    TRY(pw_map_switch(map, "deskew", &picture->deskew, error));
    TRY(pixels_read(map, "speck", &picture->speck, error));
    TRY(pixels_read(map, "hollow", &picture->hollow, error));
    TRY(pixels_read(map, "thinnest", &picture->thinnest, error));
    TRY(pixels_read(map, "thickest", &picture->thickest, error));
    TRY(pixels_read(map, "marks", &picture->marks, error));
    TRY(pixels_read(map, "gap", &picture->gap, error));
    TRY(pixels_read(map, "openings", &picture->openings, error));
    return pw_map_switch(map, "straight", &picture->straight, error);
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

pw_status drawing_choice_read(const pw_node *node, const char *folder, pw_drawing *drawing,
                              struct drawing_choice *choice, pw_error *error)
{
    static const char *const KEYS[] = {"file",   "page",   "unit",    "scale",   "turn",
                                       "region", "margin", "picture", "classes", NULL};
    const pw_node *file;
    *choice = (struct drawing_choice){.node = node};
    TRY(pw_map_check(node, KEYS, error));
    TRY(pw_map_required(node, "file", "the path of a drawing or a picture", &file, error));
    TRY(pw_map_text(node, "file", PW_PATH_LIMIT, &choice->file, error));
    PW_NODE_FAIL_IF(choice->file[0] == '\0', file, error, "must be the path of a drawing or a picture");
    TRY(pw_path_resolve(folder, &choice->file, error));
    if (pw_node_find(node, "page") != NULL) {
        TRY(pw_map_text(node, "page", DRAWING_NAME_SIZE, &choice->page, error));
    }
    TRY(place_read(node, choice, error));
    TRY(picture_options_read(pw_node_find(node, "picture"), &choice->picture, error));
    return classes_read(pw_node_find(node, "classes"), drawing, choice, error);
}

void drawing_choice_free(struct drawing_choice *choice)
{
    PW_FREE_ALL(choice->file, choice->page, choice->classes);
    *choice = (struct drawing_choice){0};
}
