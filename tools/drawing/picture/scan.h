/* Ink on paper: scans and photographs of drawings. */
#pragma once

#include "drawing/drawing_format.h"
#include "drawing/picture/plane.h"

/* What was found on the way. */
struct scan_facts {
    int threshold;   /* of 255: darker is ink; of a local one, 255 is the paper at each place */
    size_t coloured; /* pixels of colour that was dropped */
};

/* How much of each pixel is ink. PW_BAD_INPUT for options out of range. */
pw_status scan_ink(const pw_picture *image, const struct picture_options *options, struct plane *plane,
                   struct scan_facts *facts, pw_error *error);
