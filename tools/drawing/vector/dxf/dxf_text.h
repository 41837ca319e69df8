/* The text of a DXF file in memory: lines, pairs of a group code and its value, and entities of them. Values are
 * strings that live as long as the text. */
#pragma once

#include "drawing/drawing.h"

/* How much is read in all, blocks as often as they are inserted: so many groups, and the file's own four times. That is
 * far beyond what drawings need, and a bound in time. */
enum { DXF_GROUP_LIMIT = 16000000, DXF_READINGS = 4 };

struct dxf_text {
    const char *path;
    char *lines; /* each ends with a zero byte; owned */
    const char *end;
    long groups_read, groups_most;
};

/* A place in the text. */
struct dxf_cursor {
    const char *at;
    long line; /* of the file, from 1 */
};

struct dxf_group {
    int code;
    const char *value; /* without the blanks before it */
    long line;
};

enum { DXF_CODES = 80 };

/* The codes below DXF_CODES that stand in an entity, each where it comes first. */
struct dxf_entity {
    const char *type, *name, *layer; /* groups 0, 2, 8; "" where there is none */
    long line;
    struct dxf_cursor body;  /* behind group 0 */
    double value[DXF_CODES]; /* 0 where there is none */
    bool given[DXF_CODES];
    double extrusion[3]; /* groups 210, 220, 230; (0, 0, 1) where there is none */
    int true_colour;     /* group 420; -1 */
};

/* The whole file, to be freed with dxf_text_free also after a failure. */
pw_status dxf_text_read(const char *path, struct dxf_text *text, pw_error *error);
void dxf_text_free(struct dxf_text *text);

/* The pair at the cursor, which goes on behind it. PW_BAD_INPUT when the file ends here: it closes with "EOF". */
pw_status dxf_group_next(struct dxf_text *text, struct dxf_cursor *cursor, struct dxf_group *group, pw_error *error);
bool dxf_group_is(const struct dxf_group *group, int code, const char *value);

/* The entity that begins at the cursor, with the groups of its own; the cursor goes on to the next group 0. */
pw_status dxf_entity_next(struct dxf_text *text, struct dxf_cursor *cursor, struct dxf_entity *entity, pw_error *error);

/* The value of a group as a number. */
pw_status dxf_number(const struct dxf_text *text, const struct dxf_group *group, double *number, pw_error *error);

/* An entity's whole number from `low` to `high`, for counts and flags; `otherwise` where it is not given or beyond. */
int dxf_integer(const struct dxf_entity *entity, int code, int low, int high, int otherwise);

/* A name as UTF-8, cut to DRAWING_NAME_SIZE: as it is where it is UTF-8, else out of the code page of $DWGCODEPAGE
 * ("ANSI_1252"), with "\U+00E4" resolved; what is in neither becomes U+FFFD. */
void dxf_name(const char *value, const char *code_page, char name[DRAWING_NAME_SIZE]);
