/* Damaged checkpoints: the newest generation that is whole counts; no damage gets through, none crashes, and what
 * vouches for wrong contents is refused by name. */
#include <fcntl.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/file/hdf5_write.h"
#include "tests/solver/saved_job.h"

static uint8_t *read_bytes(const char *file, size_t *size)
{
    struct stat info;
    assert_int_equal(stat(file, &info), 0);
    *size = (size_t)info.st_size;
    uint8_t *bytes = malloc(*size);
    FILE *stream = fopen(file, "rb");
    assert_non_null(stream);
    assert_int_equal(fread(bytes, 1, *size, stream), *size);
    fclose(stream);
    return bytes;
}

static void write_bytes(const char *file, const uint8_t *bytes, size_t size)
{
    FILE *stream = fopen(file, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, size, stream), size);
    fclose(stream);
}

/* With a block that vouches for the damage: what only somebody who means it would do. */
static void write_sealed(const char *file, uint8_t *bytes, size_t size)
{
    uint32_t sum = (uint32_t)crc32(0, bytes + CHECKPOINT_BLOCK, (uInt)(size - CHECKPOINT_BLOCK));
    checkpoint_block(size, sum, (char *)bytes);
    write_bytes(file, bytes, size);
}

static void count_note(const char *message, void *user)
{
    assert_true(strlen(message) > 20);
    ++*(int *)user;
}

/* 400 flipped bits, from the first byte to the last, and 60 truncations: each is seen, and the older generation is
 * taken. */
static void damage_falls_back_to_the_older_generation(void **state)
{
    (void)state;
    pw_error error = {""};
    write_made(PW_SINGLE, "cpu", 20);
    write_made(PW_SINGLE, "cpu", 40);
    size_t size;
    uint8_t *bytes = read_bytes(newest, &size);
    struct solved made = prepare(PW_SINGLE, "cpu");
    struct checkpoint_store *store = open_store(made.setup);
    for (size_t n = 0; n < 460; n++) {
        size_t at = n < 100 ? n * 6 : n < 400 ? 600 + (size - 601) * (n - 100) / 299 : (size - 1) * (n - 400) / 59;
        if (n < 400) {
            bytes[at] ^= (uint8_t)(1 << n % 8);
            write_bytes(newest, bytes, size);
            bytes[at] ^= (uint8_t)(1 << n % 8);
        } else {
            write_bytes(newest, bytes, at);
        }
        struct checkpoint found;
        int notes = 0;
        assert_ok(checkpoint_find(store, count_note, &notes, &found, &error));
        assert_int_equal(notes, 1);
        assert_ptr_equal(found.path, store->older);
        assert_int_equal(found.step, 20);
    }
    /* The next checkpoint replaces the damaged one and leaves the good one where it is. */
    assert_ok(pw_simulation_advance(made.simulation, 60, &error));
    assert_ok(checkpoint_write(store, made.simulation, &error));
    struct checkpoint found;
    assert_int_equal(checkpoint_file_check(store, newest, &found, &error), CHECKPOINT_GOOD);
    assert_int_equal(found.step, 60);
    assert_int_equal(checkpoint_file_check(store, older, &found, &error), CHECKPOINT_GOOD);
    assert_int_equal(found.step, 20);
    free(bytes);
    checkpoint_store_free(store);
    solve_free(&made);
}

static void what_is_no_checkpoint_is_passed_over(void **state)
{
    (void)state;
    pw_error error = {""};
    struct solved made = prepare(PW_SINGLE, "cpu");
    struct checkpoint_store *store = open_store(made.setup);
    struct checkpoint found;
    static const char *const TEXTS[] = {"", "planwave checkpoint",
                                        "planwave checkpoint\nformat 1\nbytes 512\ncrc32 0\n", "\x89HDF\r\n\x1a\n",
                                        "not a checkpoint at all"};
    for (size_t n = 0; n < sizeof TEXTS / sizeof TEXTS[0]; n++) {
        int notes = 0;
        write_bytes(newest, (const uint8_t *)TEXTS[n], strlen(TEXTS[n]));
        assert_ok(checkpoint_find(store, count_note, &notes, &found, &error));
        assert_null(found.path);
        assert_int_equal(notes, 1);
    }
    char block[CHECKPOINT_BLOCK];
    checkpoint_block(CHECKPOINT_BLOCK, 0, block);
    write_bytes(newest, (const uint8_t *)block, sizeof block);
    assert_ok(checkpoint_find(store, NULL, NULL, &found, &error));
    assert_null(found.path);
    unlink(newest);
    assert_int_equal(mkdir(newest, 0777), 0);
    assert_ok(checkpoint_find(store, NULL, NULL, &found, &error));
    assert_null(found.path);
    assert_int_equal(rmdir(newest), 0);
    checkpoint_store_free(store);
    solve_free(&made);
}

static void another_format_is_refused_by_name(void **state)
{
    (void)state;
    for (int later = 0; later < 2; later++) {
        pw_error error = {""};
        write_made(PW_SINGLE, "cpu", 20);
        size_t size;
        uint8_t *bytes = read_bytes(newest, &size);
        char *digit = strpbrk(strstr((char *)bytes, "format"), "0123456789");
        assert_in_range(*digit, '2', '8');
        char said[] = {"is of format ?"};
        said[sizeof said - 2] = *digit = (char)(*digit + (later ? 1 : -1));
        write_bytes(newest, bytes, size);
        assert_int_equal(find_as(SCENARIO, PW_SINGLE, &error), PW_BAD_INPUT);
        assert_says(&error, said);
        free(bytes);
    }
}

/* Loads `newest` with the block renewed: what is left are the checks behind it. */
static pw_status load_sealed(pw_error *error)
{
    size_t size;
    uint8_t *bytes = read_bytes(newest, &size);
    write_sealed(newest, bytes, size);
    free(bytes);
    struct solved made = prepare(PW_SINGLE, "cpu");
    struct checkpoint_store *store = open_store(made.setup);
    pw_status status = checkpoint_file_load(store, newest, made.simulation, error);
    checkpoint_store_free(store);
    solve_free(&made);
    return status;
}

static hid_t open_newest(void)
{
    hid_t file = H5Fopen(newest, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0);
    return file;
}

static void every_dataset_has_its_own_checksum(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"spectra", "probes", "ez", "increment", "x_half", "x_node", "y_half", "y_node"};
    pw_error error = {""};
    for (size_t n = 0; n < sizeof NAMES / sizeof NAMES[0]; n++) {
        char name[64];
        write_made(PW_SINGLE, "cpu", 40);
        hid_t file = open_newest();
        snprintf(name, sizeof name, "run-1/%s", NAMES[n]);
        hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
        assert_true(dataset >= 0);
        float value = 1.25f;
        assert_int_equal(
            hdf5_block_write(dataset, (hsize_t[]){2, 1}, (hsize_t[]){1, 1}, H5T_NATIVE_FLOAT, &value, NULL), PW_OK);
        H5Dclose(dataset);
        H5Fclose(file);
        assert_int_equal(load_sealed(&error), PW_BAD_INPUT);
        assert_says(&error, NAMES[n]);
        assert_says(&error, "checksum");
        unlink(newest);
    }
}

static void wrong_members_are_refused(void **state)
{
    (void)state;
    pw_error error = {""};
    write_made(PW_SINGLE, "cpu", 40);
    hid_t file = open_newest();
    assert_true(H5Ldelete(file, "run-0/ez", H5P_DEFAULT) >= 0);
    H5Fclose(file);
    assert_int_equal(load_sealed(&error), PW_BAD_INPUT);
    assert_says(&error, "ez");

    write_made(PW_SINGLE, "cpu", 40);
    file = open_newest();
    assert_true(H5Lmove(file, "run-0/x_half", file, "run-0/spare", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    assert_true(H5Lmove(file, "run-0/y_half", file, "run-0/x_half", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    H5Fclose(file);
    assert_int_equal(load_sealed(&error), PW_BAD_INPUT);
    assert_says(&error, "values, not");

    static const struct {
        const char *attribute;
        int64_t value;
    } BAD[] = {{"first", 2}, {"first", -1}, {"count", 0}, {"count", 3}, {"step", 901}, {"step", -1}};
    for (size_t n = 0; n < sizeof BAD / sizeof BAD[0]; n++) {
        write_made(PW_SINGLE, "cpu", 40);
        file = open_newest();
        H5Adelete(file, BAD[n].attribute);
        assert_int_equal(hdf5_write_integer(file, BAD[n].attribute, BAD[n].value, NULL), PW_OK);
        H5Fclose(file);
        assert_int_equal(load_sealed(&error), PW_BAD_INPUT);
        assert_says(&error, BAD[n].attribute);
    }
}

static void another_version_is_refused_by_name(void **state)
{
    (void)state;
    pw_error error = {""};
    write_made(PW_SINGLE, "cpu", 40);
    hid_t file = open_newest();
    H5Adelete(file, "version");
    assert_int_equal(hdf5_write_fixed_text(file, "version", "0.0.9", NULL), PW_OK);
    H5Fclose(file);
    assert_int_equal(load_sealed(&error), PW_BAD_INPUT);
    assert_says(&error, "is of version '0.0.9', this run of '" PW_VERSION "'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(damage_falls_back_to_the_older_generation, files_remove),
        cmocka_unit_test_teardown(what_is_no_checkpoint_is_passed_over, files_remove),
        cmocka_unit_test_teardown(another_format_is_refused_by_name, files_remove),
        cmocka_unit_test_teardown(every_dataset_has_its_own_checksum, files_remove),
        cmocka_unit_test_teardown(wrong_members_are_refused, files_remove),
        cmocka_unit_test_teardown(another_version_is_refused_by_name, files_remove),
    };
    return cmocka_run_group_tests(tests, folder_create, folder_remove);
}
