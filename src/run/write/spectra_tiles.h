/* Spectra of a lattice on their way into the file, which keeps all frequencies of a square of points together: whoever
 * adds rows gets the next ones ready while another thread writes the last ones. */
#pragma once

#include "base/status.h"

#include <hdf5.h>

struct tile_shape {
    size_t frequencies, rows, columns; /* of the dataset */
    size_t tile_rows, tile_columns;    /* of a chunk of it, which has all frequencies */
    bool single;                       /* the values are floats in memory, else doubles */
};

struct spectra_tiles;
/* `dataset` has complex values (hdf5_common.h) and no filter; `block_rows` is the most that will be added at once. NULL
 * with a message on failure. */
struct spectra_tiles *spectra_tiles_create(hid_t dataset, const struct tile_shape *shape, size_t block_rows,
                                           pw_error *error);
/* Adds rows first.., (frequencies, rows, columns, 2), whole rows of tiles; `values` belongs to the caller again when
 * this returns. Rows are added in their order. Nobody else uses HDF5 from the first rows to the last. With the last
 * ones everything has been written. */
pw_status spectra_tiles_add(struct spectra_tiles *tiles, size_t first, size_t rows, const double *values,
                            pw_error *error);
void spectra_tiles_free(struct spectra_tiles *tiles);
