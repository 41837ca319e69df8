/* Windows and doors as shapes of a plan: air where a wall runs through, and in it panes or a leaf. */
#pragma once

#include "drawing/openings.h"
#include "drawing/shapes/drawing_choice.h"

/* Draws those of a page. */
pw_status openings_draw(const struct opening *openings, size_t count, int page, const struct class_choice *class,
                        const struct drawing_place *place, pw_drawing *shapes, pw_error *error);
