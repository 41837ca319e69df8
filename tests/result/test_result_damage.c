/* Files that are not results of ours: others, of other versions, damaged and truncated ones are refused with a
 * sentence, and none of them crashes what reads results. */
#include "tests/result/result_files.h"

#include "tests/result/volume_made.h"

static void write_bytes(const char *file, const void *bytes, size_t size)
{
    FILE *stream = fopen(file, "wb");
    assert_int_equal(fwrite(bytes, 1, size, stream), size);
    fclose(stream);
}

static void expect_refusal(const char *file, const char *sentence)
{
    pw_result *result;
    pw_error error = {""};
    assert_int_equal(pw_result_open(file, &result, &error), PW_BAD_INPUT);
    assert_null(result);
    if (strstr(error.message, sentence) == NULL || strstr(error.message, file) == NULL) {
        complain("'%s' should name the file and say '%s'", error.message, sentence);
    }
}

static void other_files_are_refused(void **state)
{
    (void)state;
    expect_refusal("/nonexistent_file.h5", "cannot open");
    expect_refusal(folder, "is not a file");
    write_bytes(path, "", 0);
    expect_refusal(path, "not an HDF5 file");
    write_bytes(path, "title: a scenario, not a result\n", 32);
    expect_refusal(path, "not an HDF5 file");
    unlink(path);
    assert_int_equal(pw_result_open(path, &(pw_result *){NULL}, NULL), PW_BAD_INPUT);
}

static void foreign_hdf5_and_other_versions_are_refused(void **state)
{
    (void)state;
    if (!have_h5py()) {
        skip();
    }
    assert_int_equal(run_python("import h5py, sys; h5py.File(sys.argv[1], \"w\")[\"a\"] = 1", path), 0);
    expect_refusal(path, "not a result of planwave");
    write_made(PW_SINGLE, path);
    assert_int_equal(run_python("import h5py, sys; h5py.File(sys.argv[1], \"a\").attrs[\"format_version\"] = 99", path),
                     0);
    expect_refusal(path, "format version 99");
    static const char *const damages[][2] = {
        {"del f[\"plan\"]", "plan"},
        {"del f[\"plan/x\"]; f[\"plan/x\"] = numpy.arange(9.0)", "axes"},
        {"del f[\"frequency\"]; f[\"frequency\"] = numpy.arange(9.0)", "warped_frequency"},
        {"f[\"frequency\"][1] = 9e9", "ascend"},
        {"f[\"frequency\"][1] = numpy.nan", "not finite"},
        {"f.attrs[\"dx\"] = -1.0", "positive"},
        {"f.attrs[\"dt\"] = \"fast\"", "not a number"},
        {"f.attrs[\"absorber_cells\"] = 400", "absorber_cells"},
        {"f.attrs[\"origin\"] = [1.0, 2.0, 3.0]", "3 elements"},
        {"f.attrs[\"summary\"] = 3", "not a result of planwave"},
        {"del f[\"transmitters/west\"]; del f[\"transmitters/east\"]", "no transmitter"},
        {"del f[\"transmitters/west/spectrum\"]; f[\"transmitters/west/spectrum\"] = numpy.arange(5.0)", "wrong type"},
        {"del f[\"transmitters/west/spectra/x\"]; f[\"transmitters/west/spectra/x\"] = numpy.arange(5.0)", "spectra"},
        {"del f[\"transmitters/west/receivers/desk/ez\"]; f[\"transmitters/west/receivers/desk/ez\"] = "
         "numpy.arange(5.0)",
         "samples"},
        {"f[\"transmitters/west\"].attrs[\"hard\"] = 7", "'hard' is 7"},
        {"f[\"transmitters\"].create_dataset(\"huge\", (1 << 40,))", "huge"},
        {"del f[\"transmitters/east/waveform\"]; f.create_dataset(\"transmitters/east/waveform\", (1 << 44,), "
         "chunks=(1024,))",
         "claims"},
    };
    for (size_t n = 0; n < sizeof damages / sizeof *damages; n++) {
        char script[600];
        write_made(PW_SINGLE, path);
        snprintf(script, sizeof script, "import h5py, numpy, sys; f = h5py.File(sys.argv[1], \"a\"); %s",
                 damages[n][0]);
        assert_int_equal(run_python(script, path), 0);
        expect_refusal(path, damages[n][1]);
    }
}

/* Spectra of the chosen sheet, and what the receivers have. */
static void read_stations(const pw_result *result)
{
    pw_error error;
    for (int t = 0; t < result->transmitter_count; t++) {
        const struct result_transmitter *transmitter = &result->transmitters[t];
        size_t cells = (size_t)transmitter->rows * (size_t)transmitter->columns * (size_t)result->frequency_count;
        double *buffer =
            malloc(sizeof(double) * (2 * cells + (size_t)transmitter->samples + 2 * (size_t)result->frequency_count));
        if (transmitter->rows > 0) {
            result_read_spectra(result, t, 0, transmitter->rows, 0, transmitter->columns, buffer, &error);
        }
        for (int r = 0; r < transmitter->receiver_count; r++) {
            result_read_receiver(result, t, r, buffer, &error);
            const struct result_receiver *at = &transmitter->receivers[r];
            for (int c = 0; c < 3 && at->row >= 0; c++) {
                if (at->sheet[c] >= 0 && at->sheet[c] < transmitter->sheet_count) {
                    const struct sheet_place place = result_sheet_place(result, transmitter, at->sheet[c],
                                                                        (const double[]){at->asked_x, at->asked_y});
                    result_read_place(result, t, &place, buffer, &error);
                }
            }
        }
        free(buffer);
    }
}

/* Compares, opens and, when it opens, prints and reads everything: any status will do, a crash will not. */
static void try_everything(const char *file)
{
    pw_result *result;
    pw_error error;
    FILE *nowhere = fopen("/dev/null", "w");
    pw_compare(path, file, 0, false, nowhere, &error);
    if (pw_result_open(file, &result, &error) != PW_OK) {
        fclose(nowhere);
        return;
    }
    pw_result_print(result, false, nowhere, &error);
    fclose(nowhere);
    for (int s = 0; s <= pw_result_sheet_count(result); s++) {
        pw_result_sheet_choose(result, s, &error);
        size_t nodes = (size_t)result->face.columns * (size_t)result->face.rows;
        double *map = malloc(nodes * sizeof *map + 1);
        if (map != NULL) {
            result_read_permittivity(result, map, &error);
            result_read_metal(result, (uint8_t *)map, &error);
        }
        free(map);
        read_stations(result);
    }
    pw_result_close(result);
}

static size_t read_bytes(const char *file, unsigned char **bytes)
{
    FILE *stream = fopen(file, "rb");
    fseek(stream, 0, SEEK_END);
    size_t size = (size_t)ftell(stream);
    rewind(stream);
    *bytes = malloc(size);
    assert_int_equal(fread(*bytes, 1, size, stream), size);
    fclose(stream);
    return size;
}

/* One in three dimensions. */
static double complex any_field(int run, int component, const double at[3], double frequency)
{
    return (1 + run + component + at[0] - I * at[2]) * (frequency / 1e9);
}

static void write_volume(const char *file)
{
    struct volume_made made;
    pw_error error = {""};
    volume_made_create(&made, PW_SINGLE, any_field);
    pw_status status = volume_made_write(&made, file, &error);
    volume_made_free(&made);
    if (status != PW_OK) {
        complain("%s", error.message);
    }
}

static void damaged_volumes_are_refused(void **state)
{
    (void)state;
    static const char *const damages[][2] = {
        {"f.attrs[\"dimensions\"] = 4", "'dimensions' is 4"},
        {"del f.attrs[\"nz\"]", "nz"},
        {"f.attrs[\"nz\"] = 30", "'level' has 34 elements"},
        {"f[\"plan/level\"][7] = 3", "level 7"},
        {"f[\"plan/level\"][7] = -1", "level 7"},
        {"del f[\"plan/level\"]", "level"},
        {"f[\"transmitters/mast\"].attrs[\"polarisation\"] = [1.0, 1.0, 0.0]", "not 1"},
        {"del f[\"transmitters/mast/receivers/aslant/ey\"]", "ey"},
        {"f[\"transmitters/mast/spectra/z1.000_ex\"].attrs[\"component\"] = numpy.bytes_(\"hx\")", "component"},
        {"f[\"transmitters/desk/spectra/z1.000_ex\"].attrs[\"position\"] = 1.3", "other spectra"},
        {"del f[\"transmitters/desk/spectra/z1.000_ex\"]", "other spectra"},
        {"del f[\"transmitters/mast/spectra/y1.400_ez/z\"]", "no dataset"},
    };
    if (!have_h5py()) {
        skip();
    }
    for (size_t n = 0; n < sizeof damages / sizeof *damages; n++) {
        char script[600];
        write_volume(path);
        snprintf(script, sizeof script, "import h5py, numpy, sys; f = h5py.File(sys.argv[1], \"a\"); %s",
                 damages[n][0]);
        assert_int_equal(run_python(script, path), 0);
        expect_refusal(path, damages[n][1]);
    }
}

/* Truncated at every length (in strides), then with bits flipped at random; `tries` of each. Runs in a child under an
 * alarm. */
static void damage_in_child(unsigned char *bytes, size_t size, int tries, unsigned seed, bool truncate_file)
{
    for (int n = 0; n < tries; n++) {
        unsigned char *copy = malloc(size);
        memcpy(copy, bytes, size);
        size_t length = truncate_file ? size * (size_t)n / (size_t)tries : size;
        for (int flips = truncate_file ? 0 : 1 + n % 8; flips > 0; flips--) {
            seed = seed * 1664525u + 1013904223u;
            size_t at = (size_t)(((uint64_t)seed * size) >> 32);
            seed = seed * 1664525u + 1013904223u;
            copy[at] = (unsigned char)(copy[at] ^ (1u << (seed >> 29)));
        }
        write_bytes(other, copy, length);
        free(copy);
        try_everything(other);
    }
}

static void damaged_files_never_crash(void **state)
{
    (void)state;
    unsigned char *bytes[2];
    size_t size[2];
    write_made(PW_SINGLE, path);
    size[0] = read_bytes(path, &bytes[0]);
    write_volume(path);
    size[1] = read_bytes(path, &bytes[1]);
    for (int round = 0; round < 6; round++) {
        int volume = round >= 4;
        pid_t child = fork_child(60);
        if (child == 0) {
            damage_in_child(bytes[volume], size[volume], volume ? 12 : 100, 1234u + (unsigned)round, round == 0);
            _exit(0); /* what HDF5 1.10 itself leaks on damaged metadata is not ours to report */
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            complain("round %d: status %d, signal %d", round, WEXITSTATUS(status), WTERMSIG(status));
        }
    }
    free(bytes[0]);
    free(bytes[1]);
    unlink(other);
}

static void truncated_files_are_refused(void **state)
{
    (void)state;
    unsigned char *bytes;
    write_made(PW_SINGLE, path);
    size_t size = read_bytes(path, &bytes);
    for (int n = 0; n < 10; n++) {
        write_bytes(other, bytes, size * (size_t)n / 10);
        expect_refusal(other, n == 0 ? "not an HDF5 file" : "truncated");
    }
    free(bytes);
    unlink(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_files_are_refused),     cmocka_unit_test(foreign_hdf5_and_other_versions_are_refused),
        cmocka_unit_test(damaged_volumes_are_refused), cmocka_unit_test(damaged_files_never_crash),
        cmocka_unit_test(truncated_files_are_refused),
    };
    return cmocka_run_group_tests(tests, folder_create, folder_remove);
}
