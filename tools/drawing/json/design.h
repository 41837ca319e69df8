/* What formats of programs that design wireless networks share. */
#pragma once

#include "drawing/drawing.h"

#include <jansson.h>

/* A name that no class, or no page, of the drawing has yet: where it is taken with a number behind it. */
void design_class_name(const struct drawing *drawing, const char *name, char made[DRAWING_NAME_SIZE]);
void design_page_name(const struct drawing *drawing, const char *name, char made[DRAWING_NAME_SIZE]);

/* What a row of a file says and nothing uses. */
struct design_leftover {
    const char *key, *what;
};
/* Counts those that the row has; values of null, "", 0 and false say nothing. A list ends with a key of NULL. */
pw_status design_leave_out(struct drawing *drawing, const json_t *row, const struct design_leftover *list,
                           pw_error *error);

/* "#8E8E8E"; what is not one leaves the colour as it is. */
void design_colour_read(const char *text, uint8_t colour[3]);
