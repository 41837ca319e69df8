/* Formats of pictures that a floor plan can be read from. A format is a file of its own (format_png.c) with one struct
 * picture_format, and a line in the table of picture_format.c; messages and help texts list the table. Leaves out what
 * the colours mean. */
#ifndef PICTURE_FORMAT_H
#define PICTURE_FORMAT_H

#include "file/file_head.h"
#include "file/picture/png_image.h"

struct picture_format {
    const char *name;        /* as people say it: "PNG" */
    const char *description; /* a clause for help texts */
    bool smears_colours;     /* over edges between them */
    /* Whether a file that begins with these bytes, fewer than FILE_HEAD_SIZE when it is shorter, is of this format. */
    bool (*recognises)(const uint8_t *head, size_t count);
    /* Reads the picture, row 0 at the top, to be freed with image_free. PW_BAD_INPUT with the name of the file when it
     * is damaged. */
    pw_status (*read)(const char *path, struct image *image, pw_error *error);
};

/* The table in the order in which help texts and messages list it; NULL after its end. */
const struct picture_format *picture_format_listed(size_t index);

/* Whether it is a picture of any format of the table. */
bool picture_recognises(const uint8_t *head, size_t count);

/* The format of a picture. PW_BAD_INPUT, naming the formats, when there is none that knows it. */
pw_status picture_format_of(const char *path, const struct picture_format **format, pw_error *error);

/* Reads a picture of any format of the table, recognised by its first bytes. PW_BAD_INPUT, naming the formats, when
 * there is none that knows it. */
pw_status picture_read(const char *path, struct image *image, pw_error *error);

#endif
