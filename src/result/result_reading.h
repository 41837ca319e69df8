/* What the parts of the reader of results share. Private to it. */
#pragma once

#include "base/file/hdf5_read.h"
#include "result/result.h"
#include "result/result_format.h"

enum { NODES_LIMIT = 1 << 20, MEMBER_LIMIT = 1 << 16 };

/* What the readers of members need: the result under construction and the size of its file. */
struct reading {
    struct result *result;
    uint64_t file_bytes;
};

/* A one-dimensional dataset that is read whole. */
struct line {
    const char *name;
    bool is_complex;  /* pairs of doubles */
    hsize_t expected; /* elements; 0: any number of 1..NODES_LIMIT */
};

/* Finite doubles into memory that the caller frees; *length elements. */
pw_status reading_line(const struct reading *reading, hid_t parent, struct line line, double **values, hsize_t *length,
                       pw_error *error);

/* Extents alone. */
pw_status reading_length(const struct reading *reading, hid_t parent, const char *name, int rank, enum element element,
                         hsize_t *extent, pw_error *error);

/* A dataset below the root, and how it is wanted. */
struct stored {
    const char *path;
    enum element element;
    int rank;
    bool as_index; /* uint16; else doubles, or pairs of them */
};

/* A block of a dataset, checked once more since the handle was closed in between. */
pw_status reading_stored(const struct result *result, const struct stored *what, const hsize_t *start,
                         const hsize_t *count, void *out, pw_error *error);

/* /transmitters, with everything that they have. */
pw_status reading_transmitters(const struct reading *reading, pw_error *error);

/* The list of a transmitter's sheets, with their axes, from its group. */
pw_status reading_sheets(const struct reading *reading, hid_t group, struct result_transmitter *transmitter,
                         pw_error *error);
/* Once all transmitters are there: that they have the same sheets, in three dimensions, and the first choice of one. */
pw_status result_sheets_begin(struct result *result, pw_error *error);
void result_sheets_free(struct result_transmitter *transmitter);

/* result_over.c: the spectra over obstacles of a transmitter, where it has some; a block of them, which result_data.c
 * reads. */
pw_status reading_over(const struct reading *reading, hid_t group, struct result_transmitter *transmitter,
                       pw_error *error);
void result_over_free(struct result_transmitter *transmitter);
pw_status result_read_step(const struct result *result, uint16_t *tops, pw_error *error);
pw_status result_read_over(const struct result *result, int transmitter, const pw_block *block, double *out,
                           pw_error *error);
