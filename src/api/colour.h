/* The colours of maps. */
#ifndef PLANWAVE_COLOUR_H
#define PLANWAVE_COLOUR_H

#include "api/base.h"

PW_C_BEGIN

typedef enum pw_colormap { PW_COLORMAP_VIRIDIS, PW_COLORMAP_TURBO } pw_colormap;
enum { PW_COLORMAP_SIZE = 256, PW_COLORMAP_CATEGORIES = 8 };

typedef struct pw_colour {
    uint8_t red, green, blue;
} pw_colour;

/* Colour number `index` of 256, lowest value first; an index outside 0..255 takes the nearest end. */
pw_colour pw_colormap_entry(pw_colormap map, int index);

/* Colours that stay apart for colour-blind readers; `index` wraps around. Source: Okabe and Ito, Color Universal Design
 * (2008). */
pw_colour pw_colormap_category(int index);

PW_C_END

#endif
