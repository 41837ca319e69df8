/* Formats that drawings are read from. A format is a file of its own with one struct drawing_format, and a line in the
 * table of drawing_format.c; messages and help texts list the table. */
#ifndef DRAWING_FORMAT_H
#define DRAWING_FORMAT_H

#include "drawing/drawing.h"
#include "file/file_head.h"

/* How a picture becomes areas; other formats do not look at it. Lengths are in pixels. What is zero is not done. */
struct picture_options {
    bool scan;                      /* dark ink on paper, of one class "ink"; else a class for each colour */
    bool local;                     /* of a scan: the threshold follows the paper; else Otsu's, one for all */
    int threshold;                  /* of a scan, 1 to 255: this one */
    int tolerance;                  /* colours that differ by so much in each channel are one class */
    bool has_corners;               /* the corners of a rectangle, which is stretched to `sides`, are here */
    struct drawing_point corner[4]; /* lower left, lower right, upper right, upper left; y upwards */
    double sides[2];                /* of that rectangle: width and height in pixels of what comes out */
    double speck;                   /* ink or a hole smaller than this square's area is dropped */
    double thinnest, thickest;      /* strokes of other widths are no walls */
    double gap;                     /* openings in walls up to this long are closed */
    bool straight;                  /* edges that run nearly along an axis are set along it */
};

struct drawing_format {
    const char *name;        /* as people say it: "DXF" */
    const char *description; /* a clause for help texts */
    /* Whether a file that begins with these bytes, fewer than FILE_HEAD_SIZE when it is shorter, is of this format.
     * `path` is for its ending, where the bytes do not tell. */
    bool (*recognises)(const uint8_t *head, size_t count, const char *path);
    /* Reads all pages into a drawing of zeros, to be freed with drawing_free also after a failure. PW_BAD_INPUT with
     * the name of the file when it is damaged. */
    pw_status (*read)(const char *path, const struct picture_options *picture, struct drawing *drawing,
                      pw_error *error);
};

/* The table in the order in which help texts and messages list it; NULL after its end. */
const struct drawing_format *drawing_format_listed(size_t index);

/* The format of a file. PW_BAD_INPUT, naming the formats, when there is none that knows it. */
pw_status drawing_format_of(const char *path, const struct drawing_format **format, pw_error *error);

/* Reads a file of any format of the table. */
pw_status drawing_read(const char *path, const struct picture_options *picture, struct drawing *drawing,
                       pw_error *error);

#endif
