/* Pictures as drawings: each colour a class of areas in pixels, (0, 0) at the lower left; or, of scans and photographs
 * of drawings on paper, ink of one class. What was done to a picture is said in the drawing's note, colours that
 * nothing explains are counted as omitted. Leaves out what colours stand for, and how large a pixel is. */
#include "drawing/drawing_format.h"
#include "drawing/picture/outline.h"
#include "drawing/picture/palette.h"
#include "drawing/picture/rectify.h"
#include "drawing/picture/scan.h"
#include "drawing/picture/stroke_widths.h"
#include "drawing/picture/walls/marks.h"
#include "drawing/picture/walls/picture_openings.h"
#include "drawing/picture/walls/wall_colours.h"
#include "ground.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { COLOURS_TOLD = 8, NOISE_HOLE = 2 };

struct picture_reading {
    const struct picture_options *options;
    const pw_picture_format *format;
    struct drawing *drawing;
    struct plane plane, walls; /* of one class; of all that are walls, where windows and doors are looked for */
    bool is_wall[PALETTE_LIMIT], filled; /* colours; walls are filled with one that is not dark */
    bool wall_class[PALETTE_LIMIT + 1];  /* classes of the drawing */
    struct outlines outlines;
    double thinnest;     /* as asked for, or as found */
    size_t specks, gaps; /* dropped and closed */
    pw_error *error;
};

static bool drawing_picture_recognises(const uint8_t *head, size_t count, const char *path)
{
    (void)path;
    return pw_picture_recognises(head, count);
}

/* Adds to the drawing's note, which is cut where it is full. */
__attribute__((format(printf, 2, 3))) static void note_add(struct drawing *drawing, const char *format, ...)
{
    size_t used = strlen(drawing->note), room = sizeof drawing->note;
    if (used > 0 && used + 3 < room) {
        used += (size_t)snprintf(drawing->note + used, room - used, ", ");
    }
    va_list values;
    va_start(values, format);
    (void)vsnprintf(drawing->note + used, room - used, format, values);
    va_end(values);
}

/* ---- options ---- */

static pw_status option_check(const char *name, double value, double most, pw_error *error)
{
    return value >= 0 && value <= most
               ? PW_OK
               : fail(error, PW_BAD_INPUT, "%s of a picture: %g; 0 to %g are possible", name, value, most);
}

static pw_status options_check(const struct picture_options *options, pw_error *error)
{
    TRY(option_check("threshold", options->threshold, 255, error));
    TRY(option_check("tolerance", options->tolerance, 255, error));
    TRY(option_check("the size of specks", options->speck, STROKE_LIMIT, error));
    TRY(option_check("the width between the lines of a wall", options->hollow, STROKE_LIMIT, error));
    TRY(option_check("the least thickness of walls", options->thinnest, STROKE_LIMIT, error));
    TRY(option_check("the greatest thickness of walls", options->thickest, STROKE_LIMIT, error));
    TRY(option_check("the length of marks", options->marks, STROKE_LIMIT, error));
    TRY(option_check("the length of openings", options->openings, STROKE_LIMIT, error));
    TRY(option_check("the length of gaps", options->gap, STROKE_LIMIT, error));
    FAIL_IF(options->thickest > 0 && options->thinnest > options->thickest, error, PW_BAD_INPUT,
            "walls of a picture at least %g and at most %g pixels thick are none", options->thinnest,
            options->thickest);
    return PW_OK;
}

/* ---- cleaning ---- */

/* Holes that noise makes in walls go first, because widths are measured from the nearest hole; those of letters and of
 * the corners of furniture must not fill before their thin strokes are gone. */
static pw_status plane_clean(struct picture_reading *reading)
{
    const struct picture_options *options = reading->options;
    struct plane *plane = &reading->plane;
    bool strokes = reading->thinnest > 0 || options->thickest > 0;
    if (options->speck > 0) {
        double hole = strokes ? fmin(options->speck, NOISE_HOLE) : options->speck;
        TRY(plane_drop_specks(plane, options->speck, hole, &reading->specks, reading->error));
    }
    if (options->hollow > 0) {
        TRY(plane_fill_hollow(plane, options->hollow, reading->error));
    }
    if (strokes) {
        TRY(plane_keep_strokes(plane, reading->thinnest, options->thickest, reading->error));
    }
    if (options->speck > 0 && (strokes || options->hollow > 0)) {
        TRY(plane_drop_specks(plane, options->speck, options->speck, &reading->specks, reading->error));
    }
    if (options->gap > 0) {
        TRY(plane_close_gaps(plane, options->gap, options->thickest, &reading->gaps, reading->error));
    }
    return PW_OK;
}

static void cleaning_note(struct picture_reading *reading)
{
    const struct picture_options *options = reading->options;
    struct drawing *drawing = reading->drawing;
    if (options->speck > 0) {
        note_add(drawing, "%zu specks and holes below %g pixels dropped", reading->specks, options->speck);
    }
    if (options->hollow > 0) {
        note_add(drawing, "filled between lines up to %g pixels apart", options->hollow);
    }
    if (reading->thinnest > 0) {
        note_add(drawing, "strokes thinner than %g pixels dropped", reading->thinnest);
    }
    if (options->thickest > 0) {
        note_add(drawing, "strokes thicker than %g pixels dropped", options->thickest);
    }
    if (drawing->marks > 0) {
        note_add(drawing, "%zu marks up to %g pixels dropped", drawing->marks, options->marks);
    }
    if (options->gap > 0) {
        note_add(drawing, "%zu gaps up to %g pixels closed", reading->gaps, options->gap);
    }
}

/* Adds what is a wall, and cleaned, to the walls between which windows and doors are. */
static pw_status walls_add(struct picture_reading *reading)
{
    const size_t pixels = (size_t)reading->plane.width * (size_t)reading->plane.height;
    if (!(reading->options->openings > 0)) {
        return PW_OK;
    }
    if (reading->walls.cover == NULL) {
        TRY(plane_make(&reading->walls, reading->plane.width, reading->plane.height, reading->error));
    }
    for (size_t p = 0; p < pixels; p++) {
        reading->walls.cover[p] =
            reading->plane.cover[p] > reading->walls.cover[p] ? reading->plane.cover[p] : reading->walls.cover[p];
    }
    return PW_OK;
}

/* ---- colours ---- */

/* The plane of a colour; that of a fill with the dark outline around it. */
static pw_status colour_plane(struct picture_reading *reading, const struct cover_map *map,
                              const struct palette *palette, int colour)
{
    const double pen = fmax(2, reading->options->openings / 60);
    OWNED_BY(plane_free) struct plane rim = {0};
    cover_plane(map, colour, &reading->plane);
    if (!reading->filled || !reading->is_wall[colour]) {
        return PW_OK;
    }
    TRY(plane_make(&rim, map->width, map->height, reading->error));
    for (int c = 0; c < palette->count; c++) {
        if (c != palette->background && drawing_colour_is_dark(palette->colours[c].rgb)) {
            cover_plane(map, c, &rim);
            TRY(plane_take_rim(&reading->plane, &rim, pen, reading->error));
        }
    }
    return PW_OK;
}

static pw_status colour_outline(struct picture_reading *reading, const struct cover_map *map,
                                const struct palette *palette, int colour)
{
    struct drawing *drawing = reading->drawing;
    const uint8_t *rgb = palette->colours[colour].rgb;
    char name[DRAWING_NAME_SIZE];
    int class_index = 0;
    snprintf(name, sizeof name, "#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
    TRY(drawing_class_of(drawing, name, &class_index, reading->error));
    memcpy(drawing->classes[class_index].colour, rgb, 3);
    drawing->classes[class_index].painted = true;
    if (colour == palette->background) {
        drawing->classes[class_index].use = CLASS_IGNORED;
        return PW_OK;
    }
    if (reading->filled && (reading->is_wall[colour] || drawing_colour_is_dark(rgb))) {
        drawing->classes[class_index].use = reading->is_wall[colour] ? CLASS_WALLS : CLASS_IGNORED;
    }
    TRY(colour_plane(reading, map, palette, colour));
    TRY(plane_clean(reading));
    reading->wall_class[class_index] = reading->is_wall[colour];
    TRY(reading->is_wall[colour] ? walls_add(reading) : PW_OK);
    return outlines_trace(&reading->outlines, &reading->plane, class_index, reading->error);
}

/* Lists the most frequent colours that no class explains, and the rest together. */
static pw_status unexplained_tell(struct drawing *drawing, struct cover_map *map, pw_error *error)
{
    char what[64];
    for (int told = 0; told < COLOURS_TOLD; told++) {
        int most = 0;
        for (int b = 1; b < UNEXPLAINED_BINS; b++) {
            most = map->unexplained[b] > map->unexplained[most] ? b : most;
        }
        if (map->unexplained[most] == 0) {
            return PW_OK;
        }
        snprintf(what, sizeof what, "colours near #%x8%x8%x8, %u pixels", (unsigned)most >> 8, (unsigned)most >> 4 & 15,
                 (unsigned)most & 15, (unsigned)map->unexplained[most]);
        TRY(drawing_omit(drawing, what, error));
        map->unexplained[most] = 0;
    }
    unsigned long rest = 0;
    for (int b = 0; b < UNEXPLAINED_BINS; b++) {
        rest += map->unexplained[b];
    }
    if (rest == 0) {
        return PW_OK;
    }
    snprintf(what, sizeof what, "other colours, %lu pixels", rest);
    return drawing_omit(drawing, what, error);
}

/* Takes the least width of walls from the strokes of their colours, where these are most of what is drawn. */
static pw_status strokes_find(struct picture_reading *reading, const struct palette *palette,
                              const struct cover_map *map)
{
    const double most = 0.5;
    struct stroke_widths widths = {{0}};
    double dark = 0, all = 0; /* pixels of walls, and of all that is drawn */
    if (!(reading->options->widest_pen > 0)) {
        return PW_OK;
    }
    for (int colour = 0; colour < palette->count; colour++) {
        const struct palette_colour *own = &palette->colours[colour];
        all += colour != palette->background ? (double)own->pixels : 0;
        if (reading->is_wall[colour]) {
            dark += (double)own->pixels;
            TRY(colour_plane(reading, map, palette, colour));
            TRY(stroke_widths_add(&reading->plane, &widths, reading->error));
        }
    }
    reading->thinnest = dark > most * all ? stroke_widths_part(&widths, reading->options->widest_pen) : 0;
    reading->drawing->thinnest = reading->thinnest;
    return PW_OK;
}

static pw_status colours_read(struct picture_reading *reading, struct palette *palette, struct cover_map *map)
{
    const pw_picture *image = &reading->drawing->picture;
    int usual = reading->format->smears_colours ? TOLERANCE_LOSSY : TOLERANCE_USUAL;
    int tolerance = reading->options->tolerance > 0 ? reading->options->tolerance : usual;
    TRY(palette_find(image, tolerance, palette, reading->error));
    TRY(cover_find(image, palette, map, reading->error));
    TRY(plane_make(&reading->plane, image->width, image->height, reading->error));
    TRY(wall_colours_find(palette, map, reading->options->openings, &reading->plane, reading->is_wall, &reading->filled,
                          reading->error));
    TRY(strokes_find(reading, palette, map));
    for (int colour = 0; colour < palette->count; colour++) {
        TRY(colour_outline(reading, map, palette, colour));
    }
    note_add(reading->drawing, "%d colours by a tolerance of %d", palette->count, tolerance);
    return unexplained_tell(reading->drawing, map, reading->error);
}

/* ---- ink ---- */

static pw_status ink_read(struct picture_reading *reading)
{
    struct drawing *drawing = reading->drawing;
    struct scan_facts facts;
    int class_index = 0;
    TRY(drawing_class_of(drawing, "ink", &class_index, reading->error));
    TRY(scan_ink(&drawing->picture, reading->options, &reading->plane, &facts, reading->error));
    note_add(drawing, "ink is darker than %d of 255%s", facts.threshold,
             reading->options->local ? ", where that is the paper around" : "");
    if (facts.coloured > 0) {
        note_add(drawing, "%zu coloured pixels left out", facts.coloured);
    }
    if (reading->options->widest_pen > 0) {
        struct stroke_widths widths = {{0}};
        TRY(stroke_widths_add(&reading->plane, &widths, reading->error));
        drawing->thinnest = reading->thinnest = stroke_widths_part(&widths, reading->options->widest_pen);
    }
    TRY(plane_clean(reading));
    reading->wall_class[class_index] = true;
    TRY(walls_add(reading));
    return outlines_trace(&reading->outlines, &reading->plane, class_index, reading->error);
}

/* ---- the picture ---- */

static pw_status picture_straighten(struct picture_reading *reading)
{
    const struct picture_options *options = reading->options;
    struct drawing *drawing = reading->drawing;
    if (options->has_corners) {
        TRY(picture_rectify(&drawing->picture, options->corner, options->sides, reading->error));
        note_add(drawing, "four corners stretched to %d x %d pixels", drawing->picture.width, drawing->picture.height);
    }
    if (options->deskew) {
        double turned = 0;
        TRY(picture_deskew(&drawing->picture, &turned, reading->error));
        note_add(drawing, turned != 0 ? "turned by %.2f degrees" : "not turned, as it is straight",
                 turned * 180 / M_PI);
    }
    return PW_OK;
}

static pw_status reading_run(struct picture_reading *reading, const char *path)
{
    struct drawing *drawing = reading->drawing;
    struct palette palette = {0};
    struct cover_map map = {0};
    int page = 0;
    TRY(options_check(reading->options, reading->error));
    TRY(pw_picture_format_of(path, &reading->format, reading->error));
    TRY(reading->format->read(path, &drawing->picture, reading->error));
    TRY(picture_straighten(reading));
    TRY(drawing_page_of(drawing, "", &page, reading->error));
    pw_status status = reading->options->scan ? ink_read(reading) : colours_read(reading, &palette, &map);
    palette_free(&palette);
    cover_free(&map);
    const double opening = reading->options->openings;
    const struct directions directions =
        outlines_directions(&reading->outlines, reading->wall_class, opening / 2, opening / 6);
    if (status == PW_OK && reading->options->marks > 0) {
        drawing->marks = outlines_drop_marks(&reading->outlines, reading->wall_class, reading->options->marks);
    }
    if (status == PW_OK) {
        cleaning_note(reading);
        status = outlines_draw(&reading->outlines, reading->options->straight, drawing, reading->error);
    }
    if (status == PW_OK && reading->walls.cover != NULL) {
        status =
            picture_openings_add(drawing, &reading->walls, reading->options->openings, &directions, reading->error);
    }
    return status;
}

/* Puts the name of the file before what was said. */
static pw_status named(pw_status status, const char *path, pw_error *error)
{
    if (error == NULL || strstr(error->message, path) != NULL) {
        return status;
    }
    pw_error said = *error;
    return fail(error, status, "'%s': %s", path, said.message);
}

static pw_status drawing_picture_read(const char *path, const struct picture_options *options, struct drawing *drawing,
                                      pw_error *error)
{
    static const struct picture_options NONE = {0};
    struct picture_reading reading = {.options = options != NULL ? options : &NONE, .drawing = drawing, .error = error};
    reading.thinnest = reading.options->thinnest;
    pw_status status = reading_run(&reading, path);
    plane_free(&reading.plane);
    plane_free(&reading.walls);
    outlines_free(&reading.outlines);
    return status == PW_OK ? PW_OK : named(status, path, error);
}

const struct drawing_format drawing_format_picture = {
    .name = "picture",
    .description = "PNG, JPEG, TIFF, GIF or BMP: areas of one colour, or the ink of a scan",
    .recognises = drawing_picture_recognises,
    .read = drawing_picture_read};
