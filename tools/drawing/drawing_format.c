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

/* Files that people have and no format reads: what they begin with, and what to do with them. */
static const struct {
    size_t at;
    const char *bytes, *what;
} KNOWN[] = {
    {8, "WEBP", "a WebP picture, which is not read: save it as PNG (`dwebp FILE -o plan.png`, of the package webp)"},
    {4, "ftypheic", "a HEIC photograph, which is not read: save it as JPEG or PNG"},
    {4, "ftypavif", "an AVIF picture, which is not read: save it as PNG"},
    {0, "ISO-10303-21",
     "an IFC model, which the Python package reads: pip install ifcopenshell, then python -m planwave.ifc MODEL.ifc "
     "-o PLAN.yaml. Without Python save the plan of a storey as DXF or SVG"},
};

static const char *known_as(const uint8_t *head, size_t count)
{
    for (size_t n = 0; n < sizeof KNOWN / sizeof KNOWN[0]; n++) {
        size_t length = strlen(KNOWN[n].bytes);
        if (count >= KNOWN[n].at + length && memcmp(head + KNOWN[n].at, KNOWN[n].bytes, length) == 0) {
            return KNOWN[n].what;
        }
    }
    return NULL;
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
    const char *known = known_as(head, count);
    FAIL_IF(known != NULL, error, PW_BAD_INPUT, "'%s' is %s", path, known);
    return pw_file_head_unknown(path, format_name, error);
}
