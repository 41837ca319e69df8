/* The table of formats of drawings, and the choice between them (drawing_format.h). */
#include "drawing/drawing_format.h"

#include <string.h>

extern const struct drawing_format drawing_format_dxf;
extern const struct drawing_format drawing_format_esx;
extern const struct drawing_format drawing_format_openintent;
extern const struct drawing_format drawing_format_imdf;
extern const struct drawing_format drawing_format_osm;
extern const struct drawing_format drawing_format_geojson;
extern const struct drawing_format drawing_format_svg;
extern const struct drawing_format drawing_format_picture;
extern const struct drawing_format drawing_format_pdf;

/* clang-format off */
static const struct drawing_format *const FORMATS[] = {
    &drawing_format_dxf,
    &drawing_format_svg,
    &drawing_format_pdf,
    &drawing_format_esx,
    &drawing_format_imdf,
    &drawing_format_osm,
    &drawing_format_openintent, /* before GeoJSON, whose words it has too */
    &drawing_format_geojson,
    &drawing_format_picture,
};
/* clang-format on */
enum { FORMAT_COUNT = sizeof FORMATS / sizeof FORMATS[0] };

const struct drawing_format *drawing_format_listed(size_t index)
{
    return index < FORMAT_COUNT ? FORMATS[index] : NULL;
}

static const char *format_name(size_t index)
{
    return index < FORMAT_COUNT ? FORMATS[index]->name : NULL;
}

pw_status drawing_format_of(const char *path, const struct drawing_format **format, pw_error *error)
{
    uint8_t head[FILE_HEAD_SIZE];
    size_t count = 0;
    TRY(file_head_read(path, head, &count, error));
    for (size_t f = 0; f < FORMAT_COUNT; f++) {
        if (FORMATS[f]->recognises(head, count, path)) {
            *format = FORMATS[f];
            return PW_OK;
        }
    }
    return file_head_unknown(path, format_name, error);
}

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
