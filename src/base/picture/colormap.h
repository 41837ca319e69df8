/* Colours of maps along a range (api/colour.h has the tables). Which one is chosen is for the caller to say. */
#pragma once

#include "api/colour.h"

/* Colour at `fraction` of the range; outside 0..1 it is clamped, NAN gives mid grey. */
pw_colour colormap_at(pw_colormap map, double fraction);
