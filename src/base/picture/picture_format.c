/* The formats of pictures, and the choice between them (api/plan/picture.h). */
#include "api/plan/picture.h"
#include "base/status.h"

enum { FORMAT_LIMIT = 8 };
extern const pw_picture_format picture_format_png;
static const pw_picture_format *formats[FORMAT_LIMIT] = {&picture_format_png};
static size_t format_count = 1;

void pw_picture_format_add(const pw_picture_format *format)
{
    for (size_t f = 0; f < format_count; f++) {
        if (formats[f] == format) {
            return;
        }
    }
    if (format_count < FORMAT_LIMIT) {
        formats[format_count++] = format;
    }
}

const pw_picture_format *pw_picture_format_listed(size_t index)
{
    return index < format_count ? formats[index] : NULL;
}

static const char *format_name(size_t index)
{
    return index < format_count ? formats[index]->name : NULL;
}

/* NULL: none knows it. */
static const pw_picture_format *format_find(const uint8_t *head, size_t count)
{
    for (size_t f = 0; f < format_count; f++) {
        if (formats[f]->recognises(head, count)) {
            return formats[f];
        }
    }
    return NULL;
}

bool pw_picture_recognises(const uint8_t *head, size_t count)
{
    return format_find(head, count) != NULL;
}

pw_status pw_picture_format_of(const char *path, const pw_picture_format **format, pw_error *error)
{
    uint8_t head[PW_FILE_HEAD_SIZE];
    size_t count = 0;
    TRY(pw_file_head_read(path, head, &count, error));
    *format = format_find(head, count);
    return *format != NULL ? PW_OK : pw_file_head_unknown(path, format_name, error);
}

pw_status pw_picture_read(const char *path, pw_picture *picture, pw_error *error)
{
    const pw_picture_format *format = NULL;
    TRY(pw_picture_format_of(path, &format, error));
    return format->read(path, picture, error);
}
