/* What formats of programs that design wireless networks share. */
#ifndef DESIGN_H
#define DESIGN_H

#include "drawing/drawing.h"

/* A name that no class, or no page, of the drawing has yet: where it is taken with a number behind it. */
void design_class_name(const struct drawing *drawing, const char *name, char made[DRAWING_NAME_SIZE]);
void design_page_name(const struct drawing *drawing, const char *name, char made[DRAWING_NAME_SIZE]);

/* "#8E8E8E"; what is not one leaves the colour as it is. */
void design_colour_read(const char *text, uint8_t colour[3]);

#endif
