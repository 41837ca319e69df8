/* Spectra that go into a file as tiles (run/write/spectra_tiles.h): HDF5 reads back what was added, at edges that no
 * tile ends at, from one block or from several, of which all but the last are written by another thread; floats and
 * doubles, and where the file has another order of bytes than memory. */
#include "tests/support/check.h"

#include "base/file/hdf5_write.h"
#include "run/write/spectra_tiles.h"

enum { MOST = 2 * 64 * 70 * 133 }; /* values of a lattice */

static double value_at(size_t f, size_t j, size_t i, int part)
{
    return (double)(float)((double)(1000 * f + 10 * j) + (double)i / 64 + part * 0.125);
}

/* Rows first.. as a run gives them. */
static void make_rows(const struct tile_shape *shape, size_t first, size_t rows, double *values)
{
    for (size_t f = 0; f < shape->frequencies; f++) {
        for (size_t j = first; j < first + rows; j++) {
            for (size_t i = 0; i < shape->columns; i++) {
                *values++ = value_at(f, j, i, 0);
                *values++ = value_at(f, j, i, 1);
            }
        }
    }
}

static hid_t make_dataset(hid_t file, const struct tile_shape *shape, hid_t real)
{
    pw_error error = {""};
    OWNED_ID hid_t type = hdf5_complex_type(real);
    const struct layout layout = {.name = "ez",
                                  .units = "1",
                                  .long_name = "spectra",
                                  .type = type,
                                  .rank = 3,
                                  .extent = {shape->frequencies, shape->rows, shape->columns},
                                  .chunk = {shape->frequencies, shape->tile_rows, shape->tile_columns}};
    return hdf5_dataset_create(file, &layout, &error);
}

static void add_all(hid_t dataset, const struct tile_shape *shape, size_t block)
{
    pw_error error = {""};
    static double values[MOST];
    struct spectra_tiles *tiles = spectra_tiles_create(dataset, shape, block, &error);
    assert_true(tiles != NULL);
    for (size_t first = 0; first < shape->rows; first += block) {
        const size_t left = shape->rows - first, rows = left < block ? left : block;
        make_rows(shape, first, rows, values);
        assert_int_equal(spectra_tiles_add(tiles, first, rows, values, &error), PW_OK);
    }
    spectra_tiles_free(tiles);
}

static void check_all(hid_t dataset, const struct tile_shape *shape)
{
    static double found[MOST], wanted[MOST];
    const size_t count = 2 * shape->frequencies * shape->rows * shape->columns;
    OWNED_ID hid_t memory = hdf5_complex_type(H5T_NATIVE_DOUBLE);
    assert_true(count <= MOST);
    assert_true(H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, found) >= 0);
    make_rows(shape, 0, shape->rows, wanted);
    for (size_t n = 0; n < count; n++) {
        assert_true(found[n] == wanted[n]);
    }
}

static void check_tiles(const struct tile_shape *shape, size_t block, hid_t real)
{
    OWNED_ID hid_t list = H5Pcreate(H5P_FILE_ACCESS);
    assert_true(H5Pset_fapl_core(list, 1 << 20, false) >= 0); /* in memory */
    hid_t file = H5Fcreate("tiles.h5", H5F_ACC_TRUNC, H5P_DEFAULT, list);
    hid_t dataset = make_dataset(file, shape, real);
    assert_true(dataset >= 0);
    add_all(dataset, shape, block);
    check_all(dataset, shape);
    H5Dclose(dataset);
    H5Fclose(file);
}

static void hdf5_reads_what_was_added(void **state)
{
    (void)state;
    const struct tile_shape single = {3, 45, 37, 8, 8, true}, twice = {5, 19, 64, 4, 4, false},
                            large = {64, 70, 133, 8, 8, true}, small = {2, 3, 5, 3, 5, true},
                            line = {7, 1, 300, 1, 8, true};
    check_tiles(&single, 45, H5T_IEEE_F32LE);
    check_tiles(&single, 16, H5T_IEEE_F32LE);
    check_tiles(&single, 8, H5T_IEEE_F32LE);
    check_tiles(&twice, 19, H5T_IEEE_F64LE);
    check_tiles(&twice, 12, H5T_IEEE_F64LE);
    check_tiles(&large, 24, H5T_IEEE_F32LE);
    check_tiles(&small, 3, H5T_IEEE_F32LE);
    check_tiles(&line, 1, H5T_IEEE_F32LE);
    check_tiles(&single, 16, H5T_IEEE_F32BE);
    check_tiles(&twice, 8, H5T_IEEE_F64BE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(hdf5_reads_what_was_added)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
