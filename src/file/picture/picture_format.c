/* The table of picture formats, and the choice between them (picture_format.h). */
#include "file/picture/picture_format.h"

extern const struct picture_format picture_format_png, picture_format_jpeg, picture_format_tiff;

static const struct picture_format *const FORMATS[] = {&picture_format_png, &picture_format_jpeg, &picture_format_tiff};
enum { FORMAT_COUNT = sizeof FORMATS / sizeof FORMATS[0] };

const struct picture_format *picture_format_listed(size_t index)
{
    return index < FORMAT_COUNT ? FORMATS[index] : NULL;
}

static const char *format_name(size_t index)
{
    return index < FORMAT_COUNT ? FORMATS[index]->name : NULL;
}

bool picture_recognises(const uint8_t *head, size_t count)
{
    for (size_t f = 0; f < FORMAT_COUNT; f++) {
        if (FORMATS[f]->recognises(head, count)) {
            return true;
        }
    }
    return false;
}

pw_status picture_format_of(const char *path, const struct picture_format **format, pw_error *error)
{
    uint8_t head[FILE_HEAD_SIZE];
    size_t count = 0;
    TRY(file_head_read(path, head, &count, error));
    for (size_t f = 0; f < FORMAT_COUNT; f++) {
        if (FORMATS[f]->recognises(head, count)) {
            *format = FORMATS[f];
            return PW_OK;
        }
    }
    return file_head_unknown(path, format_name, error);
}

pw_status picture_read(const char *path, struct image *image, pw_error *error)
{
    const struct picture_format *format = FORMATS[0];
    TRY(picture_format_of(path, &format, error));
    return format->read(path, image, error);
}
