/* Chunks that all threads compress (base/file/hdf5_chunks.h): HDF5 reads back what was written, at edges that no chunk
 * ends at, in two and three dimensions, compressed or not. */
#include "tests/support/check.h"

#include "base/file/hdf5_chunks.h"

#include <stdlib.h>
#include <string.h>

enum { PLANES = 2, ROWS = 150, COLUMNS = 333, CHUNK = 64 };

static float value_at(int plane, int j, int i)
{
    return (float)(plane * 7 + (j / 5) * 0.25 + i % 11 + (i > 200 ? 1e-3 * i * j : 0));
}

static void write_planes(hid_t dataset, int rank, int planes)
{
    static float values[CHUNK][COLUMNS];
    pw_error error = {""};
    for (int p = 0; p < planes; p++) {
        for (int first = 0; first < ROWS; first += CHUNK) {
            const int rows = ROWS - first < CHUNK ? ROWS - first : CHUNK;
            for (int j = 0; j < rows; j++) {
                for (int i = 0; i < COLUMNS; i++) {
                    values[j][i] = value_at(p, first + j, i);
                }
            }
            const struct chunk_rows asked = {rank, p, first, rows, COLUMNS, CHUNK, CHUNK, sizeof(float)};
            assert_int_equal(hdf5_chunks_write(dataset, &asked, H5T_NATIVE_FLOAT, values, &error), PW_OK);
        }
    }
}

static void check_planes(hid_t file, const char *name, int rank, bool compress)
{
    static float found[PLANES][ROWS][COLUMNS];
    const int planes = rank == 3 ? PLANES : 1, skip = 3 - rank;
    const hsize_t extent[3] = {PLANES, ROWS, COLUMNS}, chunk[3] = {1, CHUNK, CHUNK};
    struct layout layout = {
        .name = name, .units = "1", .long_name = name, .type = H5T_IEEE_F32LE, .rank = rank, .compress = compress};
    pw_error error = {""};
    memcpy(layout.extent, extent + skip, (size_t)rank * sizeof *extent);
    memcpy(layout.chunk, chunk + skip, (size_t)rank * sizeof *chunk);
    hid_t dataset = hdf5_dataset_create(file, &layout, &error);
    assert_true(dataset >= 0);
    write_planes(dataset, rank, planes);
    assert_true(H5Dread(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, found) >= 0);
    for (int p = 0; p < planes; p++) {
        for (int j = 0; j < ROWS; j++) {
            for (int i = 0; i < COLUMNS; i++) {
                assert_true(found[p][j][i] == value_at(p, j, i));
            }
        }
    }
    if (compress) {
        assert_true(H5Dget_storage_size(dataset) < sizeof found / (rank == 3 ? 1 : PLANES) / 2);
    }
    H5Dclose(dataset);
}

static void hdf5_reads_what_was_written(void **state)
{
    (void)state;
    hid_t list = H5Pcreate(H5P_FILE_ACCESS);
    assert_true(H5Pset_fapl_core(list, 1 << 20, false) >= 0); /* in memory */
    hid_t file = H5Fcreate("chunks.h5", H5F_ACC_TRUNC, H5P_DEFAULT, list);
    assert_true(file >= 0);
    check_planes(file, "a plane", 2, true);
    check_planes(file, "planes", 3, true);
    check_planes(file, "a plane as it is", 2, false);
    check_planes(file, "planes as they are", 3, false);
    H5Fclose(file);
    H5Pclose(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(hdf5_reads_what_was_written)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
