/* Chunks of large deflated datasets, compressed by all threads at once: HDF5 itself compresses one after another, which
 * takes minutes for the maps of a plan of 70000 x 70000 nodes. */
#pragma once

#include "base/file/hdf5_write.h"

/* Whole rows of a plane of a dataset of rank 2 (ny, nx) or 3 (planes, ny, nx): from the first row of some chunks on,
 * and no more than a chunk has. */
struct chunk_rows {
    int rank, plane, first, rows;
    size_t columns;
    size_t chunk_rows, chunk_columns; /* of a chunk; one plane */
    size_t size;                      /* bytes of a value */
};

/* Writes them; `values` (rows, columns) are of `type`, native. Where the file has another type, or no compression, HDF5
 * does it. */
pw_status hdf5_chunks_write(hid_t dataset, const struct chunk_rows *rows, hid_t type, const void *values,
                            pw_error *error);

/* Writes one whole chunk, that at `offset`, of a dataset without filters; `values` are as they are in the file. */
pw_status hdf5_chunk_write(hid_t dataset, const hsize_t *offset, size_t bytes, const void *values, pw_error *error);
