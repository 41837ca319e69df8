/* Walks through the entities of a DXF file: those of model space are drawn, inserts draw the entities of their block,
 * the rest is counted by kind. */
#include "drawing/vector/dxf/dxf.h"

#include <math.h>
#include <string.h>

enum { DEPTH_LIMIT = 24, INSERT_LIMIT = 2000000 };

static const struct {
    const char *type;
    pw_status (*draw)(struct dxf *dxf, struct dxf_shape *shape, pw_error *error);
} SHAPES[] = {{"LINE", dxf_line},     {"LWPOLYLINE", dxf_lwpolyline}, {"POLYLINE", dxf_polyline}, {"ARC", dxf_circle},
              {"CIRCLE", dxf_circle}, {"ELLIPSE", dxf_ellipse},       {"SPLINE", dxf_spline},     {"SOLID", dxf_solid},
              {"TRACE", dxf_solid},   {"3DFACE", dxf_solid},          {"HATCH", dxf_hatch},       {"MLINE", dxf_mline}};

/* The class of a layer, or that of what is hidden on it: "WALLS (off)", which is ignored unless the user says other. */
static pw_status class_of(struct dxf *dxf, struct dxf_layer *layer, bool hidden, int *index, pw_error *error)
{
    int *known = &layer->class_index[hidden ? 1 : 0];
    if (*known < 0) {
        char name[DRAWING_NAME_SIZE];
        const char *state = !hidden ? "" : layer->off && !layer->frozen ? " (off)" : " (frozen)";
        size_t length = strlen(layer->name), most = sizeof name - 1 - strlen(state);
        while (length > most || (layer->name[length] & 0xc0) == 0x80) { /* between characters of UTF-8 */
            length--;
        }
        snprintf(name, sizeof name, "%.*s%s", (int)length, layer->name, state);
        TRY(drawing_class_of(dxf->drawing, name, known, error));
        struct drawing_class *made = &dxf->drawing->classes[*known];
        memcpy(made->colour, layer->colour, sizeof made->colour);
        made->use = hidden ? CLASS_IGNORED : made->use;
    }
    *index = *known;
    return PW_OK;
}

/* The layer of an entity: that of the insert for layer "0" within a block. The address is good until the next call. */
static pw_status layer_of(struct dxf *dxf, const struct dxf_entity *entity, const struct dxf_place *place,
                          struct dxf_layer **layer, pw_error *error)
{
    bool inherits = place->layer[0] != '\0' && (entity->layer[0] == '\0' || strcmp(entity->layer, "0") == 0);
    return dxf_layer_of(dxf, inherits ? place->layer : entity->layer, layer, error);
}

static pw_status shape_draw(struct dxf *dxf, const struct dxf_entity *entity, const struct dxf_place *place,
                            struct dxf_cursor *behind, pw_error *error)
{
    struct dxf_layer *layer = NULL;
    struct dxf_shape shape = {.entity = entity, .place = *place, .like = {.page = dxf->page}, .behind = behind};
    for (size_t s = 0; s < sizeof SHAPES / sizeof SHAPES[0]; s++) {
        if (strcmp(entity->type, SHAPES[s].type) == 0) {
            TRY(layer_of(dxf, entity, place, &layer, error));
            bool hidden = place->hidden || layer->off || layer->frozen;
            TRY(class_of(dxf, layer, hidden, &shape.like.class_index, error));
            int *known = &layer->class_index[hidden ? 1 : 0];
            TRY(SHAPES[s].draw(dxf, &shape, error));
            *known = class_drop_empty(dxf->drawing, *known) ? -1 : *known;
            return PW_OK;
        }
    }
    char what[64]; /* a type is a word of capitals, or it is not worth repeating */
    size_t letters = strspn(entity->type, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    snprintf(what, sizeof what, "%.*s", (int)letters, entity->type);
    return strcmp(what, "SEQEND") == 0
               ? PW_OK
               : drawing_omit(dxf->drawing, letters > 0 ? what : "entity without a type", error);
}

static double value_or(const struct dxf_entity *entity, int code, double otherwise)
{
    return entity->given[code] ? entity->value[code] : otherwise;
}

/* The frame of one of the copies of a block: scaled about its base, moved within the rows and columns, turned, put in
 * its place. */
static struct dxf_frame insert_frame(const struct dxf_entity *insert, const struct dxf_block *block,
                                     const struct dxf_frame *frame, int column, int row)
{
    const double *value = insert->value;
    double c = cos(value[50] * M_PI / 180), s = sin(value[50] * M_PI / 180);
    double x = value_or(insert, 41, 1), y = value_or(insert, 42, 1), z = value_or(insert, 43, 1);
    double aside = column * value[44] - x * block->base[0], up = row * value[45] - y * block->base[1];
    struct dxf_frame own = {{{c * x, -s * y, 0, value[10] + c * aside - s * up},
                             {s * x, c * y, 0, value[20] + s * aside + c * up},
                             {0, 0, z, value[30] - z * block->base[2]}}};
    return dxf_frame_after(frame, &own);
}

static pw_status entities_draw(struct dxf *dxf, struct dxf_cursor *cursor, const struct dxf_place *place,
                               pw_error *error);

static pw_status insert_draw(struct dxf *dxf, const struct dxf_entity *insert, const struct dxf_place *place,
                             pw_error *error)
{
    const struct dxf_block *block = dxf_block_of(dxf, insert->name);
    if (block == NULL || block->external) {
        return drawing_omit(dxf->drawing, block == NULL ? "INSERT of a block that is not there" : "external reference",
                            error);
    }
    FAIL_IF(place->depth >= DEPTH_LIMIT, error, PW_BAD_INPUT,
            "'%s', line %ld: blocks are inserted in each other more than %d deep", dxf->text.path, insert->line,
            DEPTH_LIMIT);
    struct dxf_layer *layer = NULL;
    TRY(layer_of(dxf, insert, place, &layer, error));
    struct dxf_place inner = {.hidden = place->hidden || layer->frozen, .depth = place->depth + 1};
    snprintf(inner.layer, sizeof inner.layer, "%s", layer->name);
    struct dxf_frame frame = dxf_frame_of(place, insert);
    int columns = dxf_integer(insert, 70, 1, 32767, 1), rows = dxf_integer(insert, 71, 1, 32767, 1);
    for (int n = 0; n < columns * rows; n++) {
        FAIL_IF(++dxf->inserted > INSERT_LIMIT, error, PW_BAD_INPUT, "'%s', line %ld: more than %d blocks are inserted",
                dxf->text.path, insert->line, INSERT_LIMIT);
        struct dxf_cursor body = block->body;
        inner.frame = insert_frame(insert, block, &frame, n % columns, n / columns);
        TRY(entities_draw(dxf, &body, &inner, error));
    }
    return PW_OK;
}

/* Says where an entity stands that fails without saying so. */
static pw_status entity_place_name(const struct dxf *dxf, const struct dxf_entity *entity, pw_status status,
                                   pw_error *error)
{
    if (status != PW_BAD_INPUT || error == NULL || error->message[0] == '\'') {
        return status;
    }
    pw_error inner = *error;
    return fail(error, status, "'%s', line %ld, %.20s: %.700s", dxf->text.path, entity->line, entity->type,
                inner.message);
}

/* Up to the end of the section or block. */
static pw_status entities_draw(struct dxf *dxf, struct dxf_cursor *cursor, const struct dxf_place *place,
                               pw_error *error)
{
    for (;;) {
        struct dxf_entity entity;
        pw_status status = PW_OK;
        TRY(dxf_entity_next(&dxf->text, cursor, &entity, error));
        if (strcmp(entity.type, "ENDSEC") == 0 || strcmp(entity.type, "ENDBLK") == 0 ||
            strcmp(entity.type, "EOF") == 0) {
            return PW_OK;
        }
        if (dxf_integer(&entity, 67, 0, 1, 0) == 1) {
            status = drawing_omit(dxf->drawing, "entity of paper space", error);
        } else if (dxf_integer(&entity, 60, 0, 1, 0) == 1) {
            status = drawing_omit(dxf->drawing, "invisible entity", error);
        } else if (strcmp(entity.type, "INSERT") == 0) {
            status = insert_draw(dxf, &entity, place, error);
        } else {
            status = shape_draw(dxf, &entity, place, cursor, error);
        }
        TRY(entity_place_name(dxf, &entity, status, error));
    }
}

pw_status dxf_model_draw(struct dxf *dxf, struct dxf_cursor *cursor, pw_error *error)
{
    struct dxf_place top = {.frame = dxf_frame_identity()};
    return entities_draw(dxf, cursor, &top, error);
}
