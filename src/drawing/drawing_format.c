/* The table of formats of drawings, and the choice between them (drawing_format.h). */
#include "drawing/drawing_format.h"

extern const struct drawing_format drawing_format_dxf;

static const struct drawing_format *const FORMATS[] = {&drawing_format_dxf, NULL};
enum { FORMAT_COUNT = sizeof FORMATS / sizeof FORMATS[0] - 1 };

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

pw_status drawing_read(const char *path, const struct picture_options *picture, struct drawing *drawing,
                       pw_error *error)
{
    const struct drawing_format *format = NULL;
    TRY(drawing_format_of(path, &format, error));
    TRY(format->read(path, picture, drawing, error));
    drawing_end(drawing);
    return PW_OK;
}
