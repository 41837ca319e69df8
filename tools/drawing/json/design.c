/* Names and colours of designs (design.h). */
#include "drawing/json/design.h"

#include <stdlib.h>
#include <string.h>

static const char *class_name(const struct drawing *drawing, size_t index)
{
    return index < drawing->class_count ? drawing->classes[index].name : NULL;
}

static const char *page_name(const struct drawing *drawing, size_t index)
{
    return index < drawing->page_count ? drawing->pages[index].name : NULL;
}

static void name_make(const struct drawing *drawing, const char *(*listed)(const struct drawing *, size_t),
                      const char *name, char made[DRAWING_NAME_SIZE])
{
    drawing_text_copy(made, DRAWING_NAME_SIZE, name);
    for (int number = 2; number < DRAWING_CLASS_LIMIT + 2; number++) {
        bool taken = false;
        for (size_t n = 0; !taken && listed(drawing, n) != NULL; n++) {
            taken = strcmp(made, listed(drawing, n)) == 0;
        }
        if (!taken) {
            return;
        }
        char whole[DRAWING_NAME_SIZE - 16];
        drawing_text_copy(whole, sizeof whole, name);
        snprintf(made, DRAWING_NAME_SIZE, "%s (%d)", whole, number);
    }
}

void design_class_name(const struct drawing *drawing, const char *name, char made[DRAWING_NAME_SIZE])
{
    name_make(drawing, class_name, name, made);
}

void design_page_name(const struct drawing *drawing, const char *name, char made[DRAWING_NAME_SIZE])
{
    name_make(drawing, page_name, name, made);
}

static bool says_something(const json_t *value)
{
    return json_is_string(value)   ? json_string_value(value)[0] != '\0'
           : json_is_number(value) ? json_number_value(value) != 0
           : json_is_array(value)  ? json_array_size(value) > 0
           : json_is_object(value) ? json_object_size(value) > 0
                                   : json_is_true(value);
}

pw_status design_leave_out(struct drawing *drawing, const json_t *row, const struct design_leftover *list,
                           pw_error *error)
{
    for (; list->key != NULL; list++) {
        if (says_something(json_object_get(row, list->key))) {
            TRY(drawing_omit(drawing, list->what, error));
        }
    }
    return PW_OK;
}

void design_colour_read(const char *text, uint8_t colour[3])
{
    char *end = NULL;
    if (text[0] == '#' && strlen(text) == 7 && strspn(text + 1, "0123456789abcdefABCDEF") == 6) {
        unsigned long rgb = strtoul(text + 1, &end, 16);
        colour[0] = (uint8_t)(rgb >> 16);
        colour[1] = (uint8_t)(rgb >> 8);
        colour[2] = (uint8_t)rgb;
    }
}
