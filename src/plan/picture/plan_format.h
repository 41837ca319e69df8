/* Formats of pictures that a floor plan can be read from. A format is a file of its own (format_png.c) with one struct
 * plan_format, and a line in the table of plan_format.c; messages and help texts list the table. Leaves out what the
 * colours mean: floorplan.c matches them with the legend. */
#ifndef PLAN_FORMAT_H
#define PLAN_FORMAT_H

#include "file/png_image.h"

enum { PLAN_HEAD_SIZE = 512 }; /* bytes that decide what a file is */

struct plan_format {
    const char *name;        /* as people say it: "PNG" */
    const char *description; /* a clause for help texts */
    /* Whether a file that begins with these bytes, fewer than PLAN_HEAD_SIZE when it is shorter, is of this format. */
    bool (*recognises)(const uint8_t *head, size_t count);
    /* Reads the picture, row 0 at the top, to be freed with image_free. PW_BAD_INPUT with the name of the file when it
     * is damaged. */
    pw_status (*read)(const char *path, struct image *image, pw_error *error);
};

/* The table in the order in which help texts and messages list it; NULL after its end. */
const struct plan_format *plan_format_listed(size_t index);

/* Reads a picture of any format of the table, recognised by its first bytes. PW_BAD_INPUT, naming the formats, when
 * there is none that knows it. */
pw_status plan_picture_read(const char *path, struct image *image, pw_error *error);

#endif
