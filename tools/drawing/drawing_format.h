/* Formats that drawings are read from. A format is a file of its own with one struct drawing_format, and a line in the
 * table of drawing_format.c; messages and help texts list the table. */
#pragma once

#include "drawing/drawing.h"

/* How a picture becomes areas; other formats do not look at it. Lengths are in pixels, of the picture as it is after
 * its corners were stretched. What is zero or false is not done. The order is that of the fields, from the corners on.
 */
struct picture_options {
    bool scan;        /* dark ink on paper, of one class "ink"; else a class "#rrggbb" for each colour */
    bool local;       /* of a scan: the threshold follows the paper under uneven light; else one for all */
    int threshold;    /* of a scan, 1 to 255: darker is ink; 0: the one that parts ink and paper (Otsu) */
    int tolerance;    /* colours that differ by so much in each channel are one class; 0: 24, of JPEG 40 */
    bool has_corners; /* the corners of a rectangle, which is stretched to `sides`, are here */
    struct drawing_point corner[4]; /* lower left, lower right, upper right, upper left; y upwards */
    double sides[2];                /* of that rectangle: width and height in pixels of what comes out */
    bool deskew;                    /* turned by up to 15 degrees, so that edges run along rows and columns */
    double speck;                   /* areas and holes smaller than the square of this side are dropped */
    double hollow;                  /* between lines at most so far apart is a wall: walls drawn as their two faces */
    double thinnest, thickest;      /* strokes of other widths are no walls */
    double widest_pen; /* up to this, thin strokes are told from walls and dropped, where they are two kinds */
    double marks;      /* areas up to this long that are neither boxes nor discs nor along walls are no walls: arrows */
    double openings;   /* gaps so long are windows or doors where they are drawn so */
    double gap;        /* openings in walls up to this long, along rows and columns, are closed */
    bool straight;     /* edges within two degrees of the walls' direction, or across it, are set to it */
};

struct drawing_format {
    const char *name;        /* as people say it: "DXF" */
    const char *description; /* a clause for help texts */
    /* Whether a file that begins with these bytes, fewer than PW_FILE_HEAD_SIZE when it is shorter, is of this format.
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
