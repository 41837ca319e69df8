/* Reads the text of a DXF file (dxf_text.h). */
#include "drawing/vector/dxf/dxf_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MEGABYTES = 128 };

/* Ends each line with a zero byte, in place, and counts them: "\n", "\r\n" and "\r" end lines; zero bytes within become
 * blanks. */
static char *lines_end(char *text, size_t size, long *lines)
{
    char *to = text;
    *lines = 1;
    for (size_t n = 0; n < size; n++) {
        if (text[n] == '\r' && n + 1 < size && text[n + 1] == '\n') {
            continue;
        }
        *lines += text[n] == '\n' || text[n] == '\r' ? 1 : 0;
        *to++ = (char)(text[n] == '\n' || text[n] == '\r' ? '\0' : text[n] == '\0' ? ' ' : text[n]);
    }
    *to++ = '\0';
    return to;
}

pw_status dxf_text_read(const char *path, struct dxf_text *text, pw_error *error)
{
    *text = (struct dxf_text){.path = path};
    size_t size = 0;
    long lines = 0;
    TRY(pw_file_read(path, (size_t)FILE_MEGABYTES << 20, &text->lines, &size, error));
    FAIL_IF(size == 0, error, PW_BAD_INPUT, "'%s' is empty", path);
    text->end = lines_end(text->lines, size, &lines);
    text->groups_most = DXF_GROUP_LIMIT + DXF_READINGS * lines / 2; /* a group is two lines */
    return PW_OK;
}

void dxf_text_free(struct dxf_text *text)
{
    free(text->lines);
    *text = (struct dxf_text){0};
}

/* The line at the cursor without the blanks before it; NULL at the end. */
static const char *line_next(const struct dxf_text *text, struct dxf_cursor *cursor)
{
    if (cursor->at >= text->end) {
        return NULL;
    }
    const char *line = cursor->at;
    cursor->at += strlen(line) + 1;
    cursor->line++;
    return line + strspn(line, " \t");
}

pw_status dxf_group_next(struct dxf_text *text, struct dxf_cursor *cursor, struct dxf_group *group, pw_error *error)
{
    long at = cursor->line;
    const char *code = line_next(text, cursor), *value = line_next(text, cursor);
    FAIL_IF(code == NULL || value == NULL, error, PW_BAD_INPUT, "'%s' is cut off: it ends at line %ld without EOF",
            text->path, cursor->line);
    FAIL_IF(++text->groups_read > text->groups_most, error, PW_BAD_INPUT,
            "'%s' has more than %ld groups, blocks counted as often as they are inserted", text->path,
            text->groups_most);
    if (at == 1 && strncmp(code, "\xef\xbb\xbf", 3) == 0) { /* a byte order mark */
        code += 3;
    }
    char *behind = NULL;
    long number = strtol(code, &behind, 10);
    FAIL_IF(behind == code || behind[strspn(behind, " \t")] != '\0' || number < -5 || number > 1071, error,
            PW_BAD_INPUT, "'%s', line %ld: '%.40s' is not a group code of DXF", text->path, at, code);
    *group = (struct dxf_group){.code = (int)number, .value = value, .line = at};
    return PW_OK;
}

bool dxf_group_is(const struct dxf_group *group, int code, const char *value)
{
    size_t length = strlen(value);
    return group->code == code && strncmp(group->value, value, length) == 0 &&
           group->value[length + strspn(group->value + length, " \t")] == '\0';
}

pw_status dxf_number(const struct dxf_text *text, const struct dxf_group *group, double *number, pw_error *error)
{
    char *behind = NULL;
    double value = strtod(group->value, &behind);
    FAIL_IF(behind == group->value || !isfinite(value) || fabs(value) > 1e100, error, PW_BAD_INPUT,
            "'%s', line %ld: '%.40s' is not a number", text->path, group->line + 1, group->value);
    *number = value;
    return PW_OK;
}

/* Takes a group over; sets `whole` behind the last that is the entity's own. */
static pw_status entity_take(const struct dxf_text *text, const struct dxf_group *group, struct dxf_entity *entity,
                             pw_error *error)
{
    if (group->code == 2 && entity->name[0] == '\0') {
        entity->name = group->value;
    } else if (group->code == 8) {
        entity->layer = group->value;
    } else if (group->code >= 10 && group->code < DXF_CODES && !entity->given[group->code]) {
        TRY(dxf_number(text, group, &entity->value[group->code], error));
        entity->given[group->code] = true;
    } else if (group->code == 210 || group->code == 220 || group->code == 230) {
        TRY(dxf_number(text, group, &entity->extrusion[group->code / 10 - 21], error));
    } else if (group->code == 420) {
        double colour = 0;
        TRY(dxf_number(text, group, &colour, error));
        entity->true_colour = colour >= 0 && colour <= 0xffffff ? (int)colour : -1;
    }
    return PW_OK;
}

pw_status dxf_entity_next(struct dxf_text *text, struct dxf_cursor *cursor, struct dxf_entity *entity, pw_error *error)
{
    struct dxf_group group;
    TRY(dxf_group_next(text, cursor, &group, error));
    FAIL_IF(group.code != 0, error, PW_BAD_INPUT, "'%s', line %ld: an entity begins with group 0, not with %d",
            text->path, group.line, group.code);
    *entity = (struct dxf_entity){.type = group.value,
                                  .name = "",
                                  .layer = "",
                                  .line = group.line,
                                  .body = *cursor,
                                  .extrusion = {0, 0, 1},
                                  .true_colour = -1};
    if (strcmp(group.value, "EOF") == 0) {
        return PW_OK;
    }
    bool embedded = false; /* an object within the object repeats its codes */
    for (;;) {
        struct dxf_cursor before = *cursor;
        TRY(dxf_group_next(text, cursor, &group, error));
        if (group.code == 0) {
            *cursor = before;
            return PW_OK;
        }
        embedded = embedded || group.code == 101;
        if (!embedded) {
            TRY(entity_take(text, &group, entity, error));
        }
    }
}

int dxf_integer(const struct dxf_entity *entity, int code, int low, int high, int otherwise)
{
    double value = entity->value[code];
    return entity->given[code] && value >= low && value <= high ? (int)value : otherwise;
}
