/* Reads and writes PNG pictures; the only file that knows libpng. Colours are taken as they stand in the file: gamma
 * and colour profiles are ignored, because the legend of a floor plan names the stored values. */
#pragma once

#include "api/plan/picture.h"
#include "base/status.h"

/* Reads every kind of PNG: grey, palette, 1 to 16 bits, interlaced; transparent pixels are laid over white. Any other
 * file, a damaged or truncated file, and a file above the limits are PW_BAD_INPUT with the file's name. Free the image
 * with pw_picture_free. */
pw_status png_image_read(const char *path, pw_picture *image, pw_error *error);

/* Writes pixels (height, width, channels) with 8 bits a channel, row 0 at the top, channels 3 (RGB) or 4 (RGBA), as
 * atomic_file.h does. PW_NO_RESOURCE when the file cannot be written. */
pw_status png_image_write(const char *path, int width, int height, int channels, const uint8_t *pixels,
                          pw_error *error);

/* Encodes such a picture into memory, for pictures inside other files; the caller frees *bytes. */
pw_status png_image_encode(int width, int height, int channels, const uint8_t *pixels, uint8_t **bytes, size_t *size,
                           pw_error *error);

/* The same of pixels (height, width) that are indices into 256 colours: a third of the bytes, and quick rather than as
 * small as can be, for pictures that come by the hundred. */
pw_status png_image_encode_indexed(int width, int height, const uint8_t palette[256][3], const uint8_t *pixels,
                                   uint8_t **bytes, size_t *size, pw_error *error);

/* Writes an encoded picture as atomic_file.h does. */
pw_status png_bytes_write(const char *path, const uint8_t *bytes, size_t size, pw_error *error);
