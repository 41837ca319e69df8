/* The reader of drawings that the library is given (planwave_drawings.h): file, map of the scenario, shapes. And what
 * else comes with it: formats of pictures that need a library of their own, and the versions of these libraries. */
#include "drawing/planwave_drawings.h"

#include <expat.h>
#include <stdio.h>
#include <string.h>
#include <tiffio.h>
#include <zip.h>

#include <jpeglib.h> /* needs FILE of stdio.h */

#include "drawing/drawing_look.h"

extern const pw_picture_format picture_format_bmp, picture_format_gif, picture_format_jpeg, picture_format_tiff;

/* Puts the file's name before the message of a failure that does not have it, as that there are too many points. */
static pw_status file_name_add(const char *path, pw_status status, pw_error *error)
{
    if (status != PW_BAD_INPUT || error == NULL || strstr(error->message, path) != NULL) {
        return status;
    }
    pw_error told = *error;
    return fail(error, status, "'%s': %s", path, told.message);
}

pw_status drawing_read(const char *path, const struct picture_options *picture, struct drawing *drawing,
                       pw_error *error)
{
    const struct drawing_format *format = NULL;
    pw_status status = drawing_format_of(path, &format, error);
    if (status != PW_OK || format == NULL) {
        return status;
    }
    status = format->read(path, picture, drawing, error);
    drawing_end(drawing);
    return file_name_add(path, status, error);
}

/* ---- the reader of scenarios ---- */

static pw_choice format_choice(size_t index)
{
    const struct drawing_format *format = drawing_format_listed(index);
    return format != NULL ? (pw_choice){format->name, format->description, false} : (pw_choice){0};
}

/* A file that cannot be read is told with the place where the scenario names it. */
static pw_status file_read(const struct drawing_choice *choice, struct drawing *drawing, pw_error *error)
{
    pw_error reason = {{0}};
    pw_status status = drawing_read(choice->file, &choice->picture, drawing, &reason);
    return status == PW_OK          ? PW_OK
           : status == PW_BAD_INPUT ? pw_node_fail_quoting(choice->node, &reason, error)
                                    : fail(error, status, "%s", reason.message);
}

static pw_status map_read(const pw_node *map, const char *folder, pw_drawing *shapes, pw_error *error)
{
    OWNED_BY(drawing_choice_free) struct drawing_choice choice = {0};
    struct drawing_place place;
    OWNED_BY(drawing_free) struct drawing drawing = {0};
    TRY(drawing_choice_read(map, folder, shapes, &choice, error));
    TRY(file_read(&choice, &drawing, error));
    return drawing_to_shapes(&choice, &drawing, shapes, &place, error);
}

/* The picture has its rows from the top. */
static void paper_take(const struct drawing_paper *paper, pw_picture *picture)
{
    const size_t row = 3 * (size_t)paper->width;
    for (int top = 0, low = paper->height - 1; top < low; top++, low--) {
        for (size_t n = 0; n < row; n++) {
            uint8_t *a = &paper->rgb[(size_t)top * row + n], *b = &paper->rgb[(size_t)low * row + n], kept = *a;
            *a = *b;
            *b = kept;
        }
    }
    *picture = (pw_picture){paper->width, paper->height, paper->rgb};
}

/* Making shapes changes the drawing, so that it is read once more. */
static pw_status map_look(const pw_node *map, const char *folder, int side, pw_drawing *shapes, pw_picture *picture,
                          pw_error *error)
{
    OWNED_BY(drawing_choice_free) struct drawing_choice choice = {0};
    struct drawing_place place;
    struct drawing_paper paper = {0};
    OWNED_BY(drawing_free) struct drawing drawing = {0};
    int page = 0;
    TRY(drawing_choice_read(map, folder, shapes, &choice, error));
    TRY(file_read(&choice, &drawing, error));
    TRY(drawing_to_shapes(&choice, &drawing, shapes, &place, error));
    drawing_free(&drawing);
    drawing = (struct drawing){0};
    TRY(file_read(&choice, &drawing, error));
    TRY(drawing_page_find(&choice, &drawing, &page, error));
    TRY(drawing_paper_create(&place, side, &paper, error));
    drawing_paper_page(&paper, &drawing, page);
    paper_take(&paper, picture);
    return PW_OK;
}

const pw_drawing_reader *pw_drawing_formats(void)
{
    static const pw_drawing_reader READER = {format_choice, map_read, map_look};
    return &READER;
}

/* ---- from the start ---- */

/* libjpeg-turbo does not tell its version at run time: this is as built with. */
#ifdef LIBJPEG_TURBO_VERSION
#define TEXT_OF(version) #version
#define TEXT(version)    TEXT_OF(version)
#define JPEG_VERSION     TEXT(LIBJPEG_TURBO_VERSION)
#else
#define JPEG_VERSION "another libjpeg"
#endif

/* The version behind the name of a library, up to the end of the line: "expat_2.5.0", "LIBTIFF, Version 4.5.0\n...". */
static const char *version_alone(const char *text, char version[32])
{
    text += strcspn(text, "0123456789");
    snprintf(version, 32, "%.*s", (int)strcspn(text, "\n"), text);
    return version;
}

__attribute__((constructor)) static void reader_use(void)
{
    static char facts[160];
    char expat[32], tiff[32];
    snprintf(facts, sizeof facts, "  libtiff   %s, libjpeg-turbo %s, libzip %s, expat %s\n",
             version_alone(TIFFGetVersion(), tiff), JPEG_VERSION, zip_libzip_version(),
             version_alone(XML_ExpatVersion(), expat));
    pw_build_facts_add(facts);
    pw_picture_format_add(&picture_format_jpeg);
    pw_picture_format_add(&picture_format_tiff);
    pw_picture_format_add(&picture_format_gif);
    pw_picture_format_add(&picture_format_bmp);
    pw_drawings_use(pw_drawing_formats());
}
