/* What readers of formats of pictures share: their limits, and turning a picture as its file asks. */
#pragma once

#include "ground.h"

/* PW_BAD_INPUT, with the sizes and the limits, for a picture without pixels or with more than are read. */
pw_status picture_size_check(const char *path, uint32_t width, uint32_t height, pw_error *error);

enum { PICTURE_BYTES_LIMIT = 500 * 1000000 }; /* of a file: more than any picture has */

/* Turns and mirrors a picture from the order in which its file stores the pixels to the one in which it is seen.
 * `orientation` is the tag 0x112 of EXIF and TIFF 6.0 (page 36): 1 as it is stored, 2 mirrored left to right, 3 turned
 * by 180 degrees, 4 mirrored top to bottom, 5 transposed, 6 to be turned clockwise by 90 degrees, 7 transposed and
 * turned by 180, 8 to be turned counterclockwise by 90; any other number is taken as 1. */
pw_status picture_orient(pw_picture *image, int orientation, pw_error *error);
