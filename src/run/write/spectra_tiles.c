/* Tiles of spectra (spectra_tiles.h). Two rooms take turns: one is filled while the tiles in the other are written.
 * HDF5 would take the values of a tile out of the rows by itself, 64 bytes at a time and in one thread. */
#include "run/write/spectra_tiles.h"

#include "base/file/hdf5_chunks.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct spectra_tiles {
    hid_t dataset;
    hid_t real; /* owned: how the file has a real number */
    struct tile_shape shape;
    void *room[2];      /* owned; the second one only if there are several blocks */
    int turn;           /* whose room is filled next */
    size_t first, rows; /* what is written now, */
    void *packed;       /* out of this room, */
    bool beside;        /* in this thread, which has not been waited for: */
    pthread_t thread;
    pw_status status; /* how that ended */
    pw_error error;
};

static size_t tiles_of(size_t count, size_t of_a_tile)
{
    return (count + of_a_tile - 1) / of_a_tile;
}

static size_t tile_values(const struct tile_shape *shape)
{
    return 2 * shape->frequencies * shape->tile_rows * shape->tile_columns;
}

static size_t value_size(const struct tile_shape *shape)
{
    return shape->single ? sizeof(float) : sizeof(double);
}

struct spectra_tiles *spectra_tiles_create(hid_t dataset, const struct tile_shape *shape, size_t block_rows,
                                           pw_error *error)
{
    static const char what[] = "tiles of spectra";
    struct spectra_tiles *tiles = allocate(1, sizeof *tiles, what, error);
    if (tiles == NULL) {
        return NULL;
    }
    OWNED_ID hid_t pair = H5Dget_type(dataset);
    *tiles = (struct spectra_tiles){.dataset = dataset, .real = H5Tget_member_type(pair, 0), .shape = *shape};
    const size_t values =
        tiles_of(block_rows, shape->tile_rows) * tiles_of(shape->columns, shape->tile_columns) * tile_values(shape);
    bool made = tiles->real >= 0;
    if (!made) {
        hdf5_fail(error, PW_NO_RESOURCE, "cannot write spectra");
    }
    for (int n = 0; made && n < (block_rows < shape->rows ? 2 : 1); n++) {
        tiles->room[n] = allocate(values, value_size(shape), what, error);
        made = tiles->room[n] != NULL;
    }
    if (!made) {
        spectra_tiles_free(tiles);
        return NULL;
    }
    return tiles;
}

/* ---- filling ----------------------------------------------------------------------------------------------------- */

/* `count` values, and zeros up to `room`. */
static void fill(bool single, const double *from, size_t count, size_t room, void *to)
{
    if (!single) {
        memcpy(to, from, count * sizeof *from);
        memset((double *)to + count, 0, (room - count) * sizeof *from);
        return;
    }
    float *narrow = to;
    for (size_t n = 0; n < count; n++) {
        narrow[n] = (float)from[n]; /* exact, since that is what the backend holds */
    }
    memset(narrow + count, 0, (room - count) * sizeof *narrow);
}

/* A row of points at one frequency into the tiles that it crosses; `to` is its place in the first of them. Beyond the
 * lattice's edge: zeros, also as a row that is not there. */
static void fill_row(const struct tile_shape *shape, const double *values, bool there, char *to)
{
    const size_t width = 2 * shape->tile_columns, step = tile_values(shape) * value_size(shape);
    for (size_t column = 0; column < shape->columns; column += shape->tile_columns, to += step) {
        const size_t left = 2 * (shape->columns - column), count = left < width ? left : width;
        fill(shape->single, values + 2 * column, there ? count : 0, width, to);
    }
}

/* The rows are read one after another, which memory is quick at. */
static void fill_room(const struct tile_shape *shape, size_t rows, const double *values, char *room)
{
    const size_t line = 2 * shape->tile_columns * value_size(shape), tile = tile_values(shape) * value_size(shape),
                 across = tiles_of(shape->columns, shape->tile_columns),
                 filled = tiles_of(rows, shape->tile_rows) * shape->tile_rows, all = shape->frequencies * filled;
#pragma omp parallel for schedule(static) if (all * line * across > 1 << 18)
    for (size_t n = 0; n < all; n++) {
        const size_t f = n / filled, r = n % filled, down = r / shape->tile_rows;
        fill_row(shape, values + 2 * (f * rows + (r < rows ? r : 0)) * shape->columns, r < rows,
                 room + down * across * tile + (f * shape->tile_rows + r % shape->tile_rows) * line);
    }
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static pw_status write_room(struct spectra_tiles *tiles, pw_error *error)
{
    const struct tile_shape *shape = &tiles->shape;
    const size_t across = tiles_of(shape->columns, shape->tile_columns),
                 count = tiles_of(tiles->rows, shape->tile_rows) * across, values = tile_values(shape),
                 bytes = values * value_size(shape);
    const hid_t native = shape->single ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE; /* mostly that of the file */
    if (H5Tconvert(native, tiles->real, count * values, tiles->packed, NULL, H5P_DEFAULT) < 0) {
        return hdf5_fail(error, PW_NO_RESOURCE, "cannot convert spectra");
    }
    for (size_t n = 0; n < count; n++) {
        const hsize_t at[3] = {0, tiles->first + n / across * shape->tile_rows, n % across * shape->tile_columns};
        TRY(hdf5_chunk_write(tiles->dataset, at, bytes, (const char *)tiles->packed + n * bytes, error));
    }
    return PW_OK;
}

static void *write_beside(void *user)
{
    struct spectra_tiles *tiles = user;
    HDF5_SILENCE; /* HDF5 may keep it for each thread */
    tiles->status = write_room(tiles, &tiles->error);
    return NULL;
}

/* For what is written beside. */
static pw_status await(struct spectra_tiles *tiles, pw_error *error)
{
    if (!tiles->beside) {
        return PW_OK;
    }
    pthread_join(tiles->thread, NULL);
    tiles->beside = false;
    if (tiles->status != PW_OK && error != NULL) {
        *error = tiles->error;
    }
    return tiles->status;
}

/* The last rows are written by the caller's thread, which has nothing else to do: so few spectra need no other one. */
pw_status spectra_tiles_add(struct spectra_tiles *tiles, size_t first, size_t rows, const double *values,
                            pw_error *error)
{
    void *room = tiles->room[tiles->turn];
    fill_room(&tiles->shape, rows, values, room);
    TRY(await(tiles, error));
    tiles->first = first;
    tiles->rows = rows;
    tiles->packed = room;
    tiles->turn = 1 - tiles->turn;
    tiles->beside = first + rows < tiles->shape.rows && pthread_create(&tiles->thread, NULL, write_beside, tiles) == 0;
    return tiles->beside ? PW_OK : write_room(tiles, error);
}

void spectra_tiles_free(struct spectra_tiles *tiles)
{
    if (tiles == NULL) {
        return;
    }
    (void)await(tiles, NULL);
    if (tiles->real >= 0) {
        H5Tclose(tiles->real);
    }
    FREE_ALL(tiles->room[0], tiles->room[1], tiles);
}
