/* The table of picture formats, and the choice between them (plan_format.h). */
#include "plan/picture/plan_format.h"

#include "file/atomic_file.h"

extern const struct plan_format plan_format_png;

static const struct plan_format *const FORMATS[] = {&plan_format_png};
enum { FORMAT_COUNT = sizeof FORMATS / sizeof FORMATS[0] };

const struct plan_format *plan_format_listed(size_t index)
{
    return index < FORMAT_COUNT ? FORMATS[index] : NULL;
}

static pw_status head_read(const char *path, uint8_t head[PLAN_HEAD_SIZE], size_t *count, pw_error *error)
{
    FILE *file = input_file_open(path, error);
    if (file == NULL) {
        return PW_BAD_INPUT;
    }
    *count = fread(head, 1, PLAN_HEAD_SIZE, file);
    (void)fclose(file); /* read only: nothing can be lost */
    return PW_OK;
}

/* "PNG", "PNG or DXF", "PNG, DXF or SVG" */
static const char *format_names(char *text, size_t size)
{
    size_t used = 0;
    for (size_t f = 0; f < FORMAT_COUNT && used < size; f++) {
        const char *before = f == 0 ? "" : f + 1 < FORMAT_COUNT ? ", " : " or ";
        used += (size_t)snprintf(text + used, size - used, "%s%s", before, FORMATS[f]->name);
    }
    return text;
}

pw_status plan_picture_read(const char *path, struct image *image, pw_error *error)
{
    uint8_t head[PLAN_HEAD_SIZE];
    size_t count = 0;
    TRY(head_read(path, head, &count, error));
    for (size_t f = 0; f < FORMAT_COUNT; f++) {
        if (FORMATS[f]->recognises(head, count)) {
            return FORMATS[f]->read(path, image, error);
        }
    }
    char names[200];
    return fail(error, PW_BAD_INPUT, "'%s' is not a %s file", path, format_names(names, sizeof names));
}
