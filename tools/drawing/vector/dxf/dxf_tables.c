/* Reads what stands before the entities of a DXF file: the unit and the code page of the header, the table of layers,
 * and where the blocks begin. */
#include "drawing/vector/dxf/dxf.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

void dxf_free(struct dxf *dxf)
{
    dxf_text_free(&dxf->text);
    pen_free(&dxf->pen);
    PW_FREE_ALL(dxf->layers, dxf->blocks, dxf->vertices, dxf->knots);
}

pw_status dxf_room(void *array, size_t *room, size_t count, size_t size, pw_error *error)
{
    FAIL_IF(count >= DRAWING_POINT_LIMIT, error, PW_NO_RESOURCE, "the DXF file has more than %d parts of a kind",
            DRAWING_POINT_LIMIT);
    return array_grow(array, room, count, size, "parts of a DXF file", error);
}

/* ---- layers ---- */

/* The colours of the AutoCAD Color Index as they look on white paper: 7, white on black screens, is black. */
static void colour_of_index(int index, uint8_t colour[3])
{
    static const uint8_t first[10][3] = {{0, 0, 0},   {255, 0, 0},   {255, 255, 0}, {0, 255, 0},     {0, 255, 255},
                                         {0, 0, 255}, {255, 0, 255}, {0, 0, 0},     {128, 128, 128}, {192, 192, 192}};
    static const uint8_t greys[6] = {51, 80, 105, 130, 190, 255};
    static const int values[5] = {255, 165, 127, 76, 38};
    if (index < 0 || index > 255) {
        index = 7;
    }
    if (index < 10) {
        memcpy(colour, first[index], 3);
    } else if (index >= 250) {
        memset(colour, greys[index - 250], 3);
    } else { /* 24 hues, each in five values, full and half as strong */
        int hue = index / 10 - 1, value = values[index % 10 / 2], low = index % 2 == 1 ? value / 2 : 0;
        for (int c = 0; c < 3; c++) {
            int away = abs(((hue - 8 * c + 12 + 24) % 24) - 12); /* from the hue where this channel is strongest */
            int share = away <= 4 ? 4 : away >= 8 ? 0 : 8 - away;
            colour[c] = (uint8_t)(low + (value - low) * share / 4);
        }
    }
}

/* The first layer whose name is not before this one. */
static size_t layer_place(const struct dxf *dxf, const char *name)
{
    size_t low = 0, high = dxf->layer_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (strcasecmp(dxf->layers[middle].name, name) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

pw_status dxf_layer_of(struct dxf *dxf, const char *name, struct dxf_layer **layer, pw_error *error)
{
    struct dxf_layer made = {.class_index = {-1, -1}};
    dxf_name(name[0] == '\0' ? "0" : name, dxf->code_page, made.name);
    size_t place = layer_place(dxf, made.name);
    if (place == dxf->layer_count || strcasecmp(dxf->layers[place].name, made.name) != 0) {
        FAIL_IF(dxf->layer_count >= DRAWING_CLASS_LIMIT, error, PW_BAD_INPUT, "'%s' has more than %d layers",
                dxf->text.path, DRAWING_CLASS_LIMIT);
        TRY(dxf_room(&dxf->layers, &dxf->layer_room, dxf->layer_count, sizeof *dxf->layers, error));
        memmove(dxf->layers + place + 1, dxf->layers + place, (dxf->layer_count - place) * sizeof *dxf->layers);
        dxf->layers[place] = made;
        dxf->layer_count++;
    }
    *layer = &dxf->layers[place];
    return PW_OK;
}

static pw_status layer_read(struct dxf *dxf, const struct dxf_entity *entity, pw_error *error)
{
    struct dxf_layer *layer = NULL;
    TRY(dxf_layer_of(dxf, entity->name, &layer, error));
    int index = dxf_integer(entity, 62, -255, 255, 7);
    layer->off = index < 0;
    layer->frozen = (dxf_integer(entity, 70, 0, 65535, 0) & 1) != 0;
    colour_of_index(abs(index), layer->colour);
    for (int c = 0; c < 3 && entity->true_colour >= 0; c++) {
        layer->colour[c] = (uint8_t)(entity->true_colour >> (16 - 8 * c));
    }
    return PW_OK;
}

static pw_status tables_read(struct dxf *dxf, struct dxf_cursor *cursor, pw_error *error)
{
    for (;;) {
        struct dxf_entity entity;
        TRY(dxf_entity_next(&dxf->text, cursor, &entity, error));
        if (strcmp(entity.type, "ENDSEC") == 0 || strcmp(entity.type, "EOF") == 0) {
            return PW_OK;
        }
        if (strcmp(entity.type, "LAYER") == 0) {
            TRY(layer_read(dxf, &entity, error));
        }
    }
}

/* ---- blocks ---- */

static int block_order(const void *a, const void *b)
{
    const struct dxf_block *one = a, *two = b;
    int order = strcasecmp(one->name, two->name);
    return order != 0 ? order : (one->body.at > two->body.at) - (one->body.at < two->body.at);
}

const struct dxf_block *dxf_block_of(const struct dxf *dxf, const char *name)
{
    size_t low = 0, high = dxf->block_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (strcasecmp(dxf->blocks[middle].name, name) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < dxf->block_count && strcasecmp(dxf->blocks[low].name, name) == 0 ? &dxf->blocks[low] : NULL;
}

static pw_status blocks_read(struct dxf *dxf, struct dxf_cursor *cursor, pw_error *error)
{
    for (;;) {
        struct dxf_entity entity;
        TRY(dxf_entity_next(&dxf->text, cursor, &entity, error));
        if (strcmp(entity.type, "ENDSEC") == 0 || strcmp(entity.type, "EOF") == 0) {
            break;
        }
        if (strcmp(entity.type, "BLOCK") == 0) {
            TRY(dxf_room(&dxf->blocks, &dxf->block_room, dxf->block_count, sizeof *dxf->blocks, error));
            dxf->blocks[dxf->block_count++] =
                (struct dxf_block){.name = entity.name,
                                   .body = *cursor,
                                   .base = {entity.value[10], entity.value[20], entity.value[30]},
                                   .external = (dxf_integer(&entity, 70, 0, 65535, 0) & 4) != 0};
        }
    }
    if (dxf->block_count > 0) {
        qsort(dxf->blocks, dxf->block_count, sizeof *dxf->blocks, block_order);
    }
    return PW_OK;
}

/* ---- header ---- */

/* The units of $INSUNITS that a building may be drawn in. */
static void unit_take(struct drawing *drawing, double code)
{
    static const struct {
        int code;
        double metres;
        const char *name;
    } units[] = {{1, 0.0254, "inches"},    {2, 0.3048, "feet"},           {3, 1609.344, "miles"},
                 {4, 1e-3, "millimetres"}, {5, 1e-2, "centimetres"},      {6, 1, "metres"},
                 {7, 1e3, "kilometres"},   {8, 0.0254e-6, "microinches"}, {9, 0.0254e-3, "mils"},
                 {10, 0.9144, "yards"},    {13, 1e-6, "micrometres"},     {14, 0.1, "decimetres"},
                 {15, 10, "decametres"},   {16, 100, "hectometres"},      {21, 1200.0 / 3937, "US survey feet"}};
    for (size_t u = 0; u < sizeof units / sizeof units[0]; u++) {
        if (code == units[u].code) {
            drawing->unit = units[u].metres;
            snprintf(drawing->unit_from, sizeof drawing->unit_from, "$INSUNITS of the file: %s", units[u].name);
        }
    }
}

static pw_status header_read(struct dxf *dxf, struct dxf_cursor *cursor, pw_error *error)
{
    const char *variable = "";
    bool inches = false; /* lengths are shown in feet and inches, for which a unit has to be an inch */
    for (;;) {
        struct dxf_group group;
        struct dxf_cursor before = *cursor;
        TRY(dxf_group_next(&dxf->text, cursor, &group, error));
        if (group.code == 0) {
            *cursor = before;
            if (inches && !(dxf->drawing->unit > 0)) {
                dxf->drawing->unit = 0.0254;
                snprintf(dxf->drawing->unit_from, sizeof dxf->drawing->unit_from,
                         "$LUNITS of the file: feet and inches");
            }
            return PW_OK;
        }
        if (group.code == 9) {
            variable = group.value;
        } else if (group.code == 70 && strcmp(variable, "$INSUNITS") == 0) {
            double code = 0;
            TRY(dxf_number(&dxf->text, &group, &code, error));
            unit_take(dxf->drawing, code);
        } else if (group.code == 70 && strcmp(variable, "$LUNITS") == 0) {
            double code = 0;
            TRY(dxf_number(&dxf->text, &group, &code, error));
            inches = code == 3 || code == 4;
        } else if (group.code == 3 && strcmp(variable, "$DWGCODEPAGE") == 0) {
            snprintf(dxf->code_page, sizeof dxf->code_page, "%.*s", (int)strcspn(group.value, " \t"), group.value);
        }
    }
}

pw_status dxf_tables_read(struct dxf *dxf, struct dxf_cursor *entities, pw_error *error)
{
    struct dxf_cursor cursor = {dxf->text.lines, 1};
    bool found = false;
    snprintf(dxf->code_page, sizeof dxf->code_page, "ANSI_1252");
    for (;;) {
        struct dxf_group group;
        TRY(dxf_group_next(&dxf->text, &cursor, &group, error));
        if (dxf_group_is(&group, 0, "EOF")) {
            break;
        }
        if (!dxf_group_is(&group, 0, "SECTION")) {
            continue;
        }
        TRY(dxf_group_next(&dxf->text, &cursor, &group, error));
        if (dxf_group_is(&group, 2, "HEADER")) {
            TRY(header_read(dxf, &cursor, error));
        } else if (dxf_group_is(&group, 2, "TABLES")) {
            TRY(tables_read(dxf, &cursor, error));
        } else if (dxf_group_is(&group, 2, "BLOCKS")) {
            TRY(blocks_read(dxf, &cursor, error));
        } else if (dxf_group_is(&group, 2, "ENTITIES") && !found) {
            *entities = cursor;
            found = true;
        }
    }
    return found ? PW_OK : fail(error, PW_BAD_INPUT, "'%s' has no section ENTITIES", dxf->text.path);
}
