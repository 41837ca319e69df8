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
    uint8_t head[PW_FILE_HEAD_SIZE];
    size_t count = 0;
    TRY(pw_file_head_read(path, head, &count, error));
    for (size_t f = 0; f < FORMAT_COUNT; f++) {
        if (FORMATS[f]->recognises(head, count, path)) {
            *format = FORMATS[f];
            return PW_OK;
        }
    }
    return pw_file_head_unknown(path, format_name, error);
}
