/* Pictures that a floor plan or a drawing can be read from: PNG, and the formats that are added. */
#ifndef PLANWAVE_PICTURE_H
#define PLANWAVE_PICTURE_H

#include "api/base.h"

PW_C_BEGIN

enum {
    PW_PICTURE_SIDE_LIMIT = 32768,          /* pixels */
    PW_PICTURE_PIXEL_LIMIT = 100 * 1000000, /* width times height */
    PW_FILE_HEAD_SIZE = 4096                /* bytes that decide what a file is */
};

typedef struct pw_picture {
    int width, height; /* pixels */
    uint8_t *rgb;      /* (height, width, 3), row 0 at the TOP as in the file, owned */
} pw_picture;

/* The functions of a format get what is said here of pw_picture_read. */
typedef struct pw_picture_format {
    const char *name;        /* as people say it: "PNG" */
    const char *description; /* a clause for help texts */
    bool smears_colours;     /* over edges between them */
    /* Whether a file that begins with these bytes, fewer than PW_FILE_HEAD_SIZE when it is shorter, is of this format.
     */
    bool (*recognises)(const uint8_t *head, size_t count);
    /* Reads the picture. PW_BAD_INPUT with the name of the file when it is damaged. */
    pw_status (*read)(const char *path, pw_picture *picture, pw_error *error);
} pw_picture_format;

/* Adds a format for all pictures that are read afterwards; one that is there already is not added again. `format` is
 * not copied. For the beginning of a program: nothing may read a picture meanwhile. At most 8 formats are kept. */
void pw_picture_format_add(const pw_picture_format *format);

/* The format at `index`, from 0, in the order in which messages list them; NULL past the last one. */
const pw_picture_format *pw_picture_format_listed(size_t index);

/* Whether a file that begins with these bytes is a picture of any format. */
bool pw_picture_recognises(const uint8_t *head, size_t count);

/* The format of a picture, by its first bytes. PW_BAD_INPUT, naming the formats, when it is of none of them. */
pw_status pw_picture_format_of(const char *path, const pw_picture_format **format, pw_error *error);

/* Reads a picture of any format, to be freed with pw_picture_free. PW_BAD_INPUT: it is of no format, or damaged. */
pw_status pw_picture_read(const char *path, pw_picture *picture, pw_error *error);
void pw_picture_free(pw_picture *picture);

/* ---- telling files apart, for formats of all kinds ---- */

/* The first bytes of a file, fewer than PW_FILE_HEAD_SIZE when it is shorter. PW_BAD_INPUT when it cannot be read. */
pw_status pw_file_head_read(const char *path, uint8_t head[PW_FILE_HEAD_SIZE], size_t *count, pw_error *error);

/* Fails: "'path' is not a PNG file", "... not a PNG or DXF file", "... not a PNG, DXF or SVG file". */
pw_status pw_file_head_unknown(const char *path, const char *(*name)(size_t index), pw_error *error);

PW_C_END

#endif
