/* Letters for pictures that are drawn pixel by pixel, such as the frames of a film: five pixels wide and eight high,
 * the descenders included. Figures that people print are drawn by gnuplot (plot.h) instead. */
#pragma once

#include <stdbool.h>

enum { PIXEL_FONT_WIDTH = 5, PIXEL_FONT_HEIGHT = 8, PIXEL_FONT_ADVANCE = 6 /* from one letter to the next */ };

/* Whether the letter has ink at this column from the left and row from the top. What is not printable ASCII is a blank.
 */
bool pixel_font_ink(char letter, int column, int row);
