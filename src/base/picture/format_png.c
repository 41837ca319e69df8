/* Floor plans as PNG pictures. The decoding is in png_image.c, because planwave writes PNG pictures too. */
#include "base/picture/png_image.h"

#include <string.h>

static bool png_recognises(const uint8_t *head, size_t count)
{
    static const uint8_t SIGNATURE[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    return count >= sizeof SIGNATURE && memcmp(head, SIGNATURE, sizeof SIGNATURE) == 0;
}

const pw_picture_format picture_format_png = {.name = "PNG",
                                              .description = "pictures of every colour type and depth",
                                              .recognises = png_recognises,
                                              .read = png_image_read};
