/* See hdf5_chunks.h. Threads compress, and one after another they hand their chunk to HDF5, in the order of the
 * columns, so that equal runs give equal files. */
#include "base/file/hdf5_chunks.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { LEVEL = 1 }; /* as HDF5 is told to (hdf5_write.c) */

/* The dataset has the values as they are in memory, and deflate alone. */
static bool takes_chunks(hid_t dataset, hid_t type)
{
    OWNED_ID hid_t list = H5Dget_create_plist(dataset), there = H5Dget_type(dataset);
    unsigned flags = 0;
    size_t count = 0;
    return list >= 0 && there >= 0 && H5Tequal(there, type) > 0 && H5Pget_nfilters(list) == 1 &&
           H5Pget_filter2(list, 0, &flags, &count, NULL, 0, NULL, NULL) == H5Z_FILTER_DEFLATE;
}

/* Room for one chunk as it is, and compressed. */
struct chunk_room {
    Bytef *plain, *packed; /* owned */
    uLong plain_bytes, packed_bytes;
};

static bool room_create(const struct chunk_rows *rows, struct chunk_room *room)
{
    room->plain_bytes = (uLong)(rows->chunk_rows * rows->chunk_columns * rows->size);
    room->packed_bytes = compressBound(room->plain_bytes);
    room->plain = calloc(room->plain_bytes, 1); /* beyond the dataset's edge: zeros */
    room->packed = malloc(room->packed_bytes);
    return room->plain != NULL && room->packed != NULL;
}

/* Bytes of the compressed chunk; 0 on failure. */
static size_t pack_chunk(const struct chunk_rows *rows, const struct chunk_room *room, size_t chunk, const char *values)
{
    const size_t first = chunk * rows->chunk_columns, left = rows->columns - first,
                 count = left < rows->chunk_columns ? left : rows->chunk_columns;
    uLongf bytes = room->packed_bytes;
    if (count < rows->chunk_columns) {
        memset(room->plain, 0, room->plain_bytes);
    }
    for (size_t j = 0; j < (size_t)rows->rows; j++) {
        memcpy(room->plain + j * rows->chunk_columns * rows->size, values + (j * rows->columns + first) * rows->size,
               count * rows->size);
    }
    return compress2(room->packed, &bytes, room->plain, room->plain_bytes, LEVEL) == Z_OK ? (size_t)bytes : 0;
}

static bool put_chunk(hid_t dataset, const struct chunk_rows *rows, size_t chunk, const void *packed, size_t bytes)
{
    const hsize_t offset[3] = {(hsize_t)rows->plane, (hsize_t)rows->first, (hsize_t)(chunk * rows->chunk_columns)};
    return H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, offset + (3 - rows->rank), bytes, packed) >= 0;
}

static pw_status write_packed(hid_t dataset, const struct chunk_rows *rows, const char *values, pw_error *error)
{
    const size_t chunks = (rows->columns + rows->chunk_columns - 1) / rows->chunk_columns;
    bool room_left = true, written = true;
#pragma omp parallel reduction(&& : room_left) if (chunks > 1)
    {
        struct chunk_room room;
        const bool made = room_create(rows, &room);
#pragma omp for ordered schedule(dynamic, 1)
        for (size_t c = 0; c < chunks; c++) {
            const size_t bytes = made ? pack_chunk(rows, &room, c, values) : 0;
            room_left = room_left && bytes > 0;
#pragma omp ordered
            {
                written = written && bytes > 0 && put_chunk(dataset, rows, c, room.packed, bytes);
            }
        }
        FREE_ALL(room.plain, room.packed);
    }
    FAIL_IF(!room_left, error, PW_NO_RESOURCE, "not enough memory for the chunks of a dataset");
    return written ? PW_OK : hdf5_fail(error, PW_NO_RESOURCE, "cannot write chunks of a dataset");
}

pw_status hdf5_chunks_write(hid_t dataset, const struct chunk_rows *rows, hid_t type, const void *values,
                            pw_error *error)
{
    const hsize_t start[3] = {(hsize_t)rows->plane, (hsize_t)rows->first, 0},
                  count[3] = {1, (hsize_t)rows->rows, rows->columns};
    const int skip = 3 - rows->rank;
    return takes_chunks(dataset, type) ? write_packed(dataset, rows, values, error)
                                       : hdf5_block_write(dataset, start + skip, count + skip, type, values, error);
}

pw_status hdf5_chunk_write(hid_t dataset, const hsize_t *offset, size_t bytes, const void *values, pw_error *error)
{
    return H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, offset, bytes, values) >= 0
               ? PW_OK
               : hdf5_fail(error, PW_NO_RESOURCE, "cannot write a chunk of a dataset");
}
