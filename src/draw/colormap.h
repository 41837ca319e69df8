/* Colours for maps: viridis and turbo as tables of 256, and eight categorical colours. Which one is chosen is for the
 * caller to say. */
#ifndef COLORMAP_H
#define COLORMAP_H

#include <stdint.h>

enum colormap { COLORMAP_VIRIDIS, COLORMAP_TURBO };
enum { COLORMAP_SIZE = 256, COLORMAP_CATEGORIES = 8 };

struct colour {
    uint8_t red, green, blue;
};

/* Colour number `index` of 256, lowest value first; an index outside 0..255 takes the nearest end. */
struct colour colormap_entry(enum colormap map, int index);

/* Colour at `fraction` of the range; outside 0..1 it is clamped, NAN gives mid grey. */
struct colour colormap_at(enum colormap map, double fraction);

/* Colours that stay apart for colour-blind readers; `index` wraps around. Source: Okabe and Ito, Color Universal Design
 * (2008). */
struct colour colormap_category(int index);

#endif
