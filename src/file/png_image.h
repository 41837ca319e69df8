/* PNG pictures in and out; the only module that knows libpng. Colours are taken as they stand in the file (gamma and
 * colour profiles are ignored), which is what a legend of a floor plan means. */
#ifndef PNG_IMAGE_H
#define PNG_IMAGE_H

#include "base/status.h"

enum {
    PNG_SIDE_LIMIT = 32768,          /* pixels */
    PNG_PIXEL_LIMIT = 100 * 1000000, /* width times height */
};

struct image {
    int width, height; /* pixels */
    uint8_t *rgb;      /* (height, width, 3), row 0 at the TOP as in the file, owned */
};

/* Reads every kind of PNG (grey, palette, 1 to 16 bits, interlaced; transparency lies over white). Any other file, a
 * damaged or truncated one, or one above the limits: PW_BAD_INPUT with the name of the file. Free with image_free. */
pw_status png_image_read(const char *path, struct image *image, pw_error *error);
void image_free(struct image *image);

/* Writes 8 bits a channel, pixels (height, width, channels), row 0 at the top, channels 3 (RGB) or 4 (RGBA), through a
 * temporary name. PW_NO_RESOURCE when it cannot be written. */
pw_status png_image_write(const char *path, int width, int height, int channels, const uint8_t *pixels,
                          pw_error *error);

/* The same into memory, for pictures inside other files; *bytes is the caller's to free. */
pw_status png_image_encode(int width, int height, int channels, const uint8_t *pixels, uint8_t **bytes, size_t *size,
                           pw_error *error);

#endif
