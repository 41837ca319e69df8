/* The result file: what is written is read back, values are where product.md says, and a failed or killed run leaves
 * nothing under the final name. Files that are not ours or damaged are in test_result_damage.c. */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "tests/result/result_files.h"

static bool exists(const char *file)
{
    return access(file, F_OK) == 0;
}

static size_t partial_files(void)
{
    char pattern[300];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/*.partial-*", folder);
    size_t count = glob(pattern, 0, NULL, &found) == 0 ? found.gl_pathc : 0;
    globfree(&found);
    return count;
}

/* ---- there and back ---- */

static void facts_come_back(void **state)
{
    (void)state;
    write_made(PW_SINGLE, path);
    pw_result *result = open_made(path);
    assert_string_equal(result->title, "Made by hand, Flur 3 \xc3\xbc");
    assert_string_equal(result->scheme, "dd4");
    assert_int_equal(result->nx, MADE_NX);
    assert_int_equal(result->ny, MADE_NY);
    assert_int_equal(result->layer, MADE_LAYER);
    assert_true(result->cell == 0.02 && result->time_step == 2.358e-11);
    assert_true(result->origin_x == -MADE_LAYER * 0.02 && result->origin_y == -MADE_LAYER * 0.02);
    assert_true(result->band_centre == 2.4e9 && result->band_width == 6e8);
    assert_int_equal(result->frequency_count, MADE_FREQUENCIES);
    for (int f = 0; f < MADE_FREQUENCIES; f++) {
        double omega = 6.283185307179586 * result->frequency[f], dt = result->time_step;
        assert_true(result->frequency[f] == 2.1e9 + 1.5e8 * f);
        assert_true(fabs(result->omega[f] / (2 / dt * asin(omega * dt / 2)) - 1) < 1e-15);
    }
    pw_result_close(result);
}

static void transmitters_keep_their_order(void **state)
{
    (void)state;
    write_made(PW_SINGLE, path);
    pw_result *result = open_made(path);
    assert_int_equal(result->transmitter_count, 2);
    assert_string_equal(result->transmitters[0].name, "west");
    const struct result_transmitter *east = &result->transmitters[1];
    assert_string_equal(east->name, "east");
    assert_true(east->x == 0.8 && east->y == 0.2 && east->power == 14.5 && east->soft && !east->sampled_at_step_end);
    assert_int_equal(east->samples, MADE_STEPS);
    assert_int_equal(east->receiver_count, MADE_RECEIVERS);
    assert_string_equal(east->receivers[0].name, "roof");
    assert_string_equal(east->receivers[1].name, "desk");
    assert_true(east->receivers[2].x == 0.75 && east->receivers[2].y == 0.3 && east->receivers[2].gain == -1);
    assert_int_equal(east->rows, MADE_ROWS);
    assert_int_equal(east->columns, MADE_COLUMNS);
    assert_true(fabs(east->x_axis[2] - (-0.12 + (8 + 2 * 4) * 0.02)) < 1e-15);
    assert_true(fabs(east->y_axis[10] - (-0.12 + (7 + 10 * 4) * 0.02)) < 1e-15);
    pw_result_close(result);
}

static void source_spectrum_is_the_transform_of_the_current(void **state)
{
    (void)state;
    write_made(PW_SINGLE, path);
    pw_result *result = open_made(path);
    double peak = 0;
    for (int f = 0; f < MADE_FREQUENCIES; f++) {
        double re = 0, im = 0;
        for (int64_t n = 0; n < MADE_STEPS; n++) {
            double phase = result->omega[f] * ((double)n + 0.5) * result->time_step;
            re += made_current(1, n) * cos(phase) * result->time_step;
            im -= made_current(1, n) * sin(phase) * result->time_step;
        }
        peak = fmax(peak, hypot(re, im));
        assert_true(fabs(result->transmitters[1].spectrum[2 * f] - re) < 1e-9 * peak + 1e-25);
        assert_true(fabs(result->transmitters[1].spectrum[2 * f + 1] - im) < 1e-9 * peak + 1e-25);
    }
    pw_result_close(result);
}

static void receivers_combine_probes_in_double(void **state)
{
    (void)state;
    struct hand_made made;
    hand_made_create(&made, PW_SINGLE);
    write_made(PW_SINGLE, path);
    pw_result *result = open_made(path);
    double ez[MADE_STEPS];
    pw_error error;
    for (int run = 0; run < 2; run++) {
        assert_int_equal(result_read_receiver(result, run, 0, ez, &error), PW_OK);
        for (int n = 0; n < MADE_STEPS; n++) {
            assert_true(ez[n] == made_probe(&made, run, n, 0));
        }
        assert_int_equal(result_read_receiver(result, run, 2, ez, &error), PW_OK);
        for (int n = 0; n < MADE_STEPS; n++) {
            double expected = 0;
            for (int k = 0; k < 4; k++) {
                expected += (0.4 - 0.1 * k) * made_probe(&made, run, n, 5 + k);
            }
            assert_true(fabs(ez[n] - expected) < 1e-15);
        }
    }
    pw_result_close(result);
    hand_made_free(&made);
}

static void spectra_come_back_exactly(void **state)
{
    (void)state;
    for (int precision = PW_SINGLE; precision <= PW_DOUBLE; precision++) {
        struct hand_made made;
        hand_made_create(&made, (pw_precision)precision);
        write_made((pw_precision)precision, path);
        pw_result *result = open_made(path);
        enum { ROWS = 4, COLUMNS = 3 };
        double block[MADE_FREQUENCIES][ROWS][COLUMNS][2];
        pw_error error;
        assert_int_equal(result_read_spectra(result, 1, 6, ROWS, 9, COLUMNS, &block[0][0][0][0], &error), PW_OK);
        for (int f = 0; f < MADE_FREQUENCIES; f++) {
            for (int n = 0; n < ROWS * COLUMNS * 2; n++) {
                int r = n / (COLUMNS * 2), c = n / 2 % COLUMNS, part = n % 2;
                assert_true(block[f][r][c][part] == made_spectrum(&made, 1, f, 6 + r, 9 + c, part));
            }
        }
        pw_result_close(result);
        hand_made_free(&made);
    }
}

static void permittivity_comes_back(void **state)
{
    (void)state;
    write_made(PW_SINGLE, path);
    pw_result *result = open_made(path);
    static double map[MADE_NY][MADE_NX];
    pw_error error;
    assert_int_equal(result_read_permittivity(result, &map[0][0], &error), PW_OK);
    for (int j = 0; j < MADE_NY; j++) {
        for (int i = 0; i < MADE_NX; i++) {
            assert_true(map[j][i] == (i == 20 ? (double)3.91f : 1.0));
        }
    }
    pw_result_close(result);
}

static void names_are_found_or_listed(void **state)
{
    (void)state;
    write_made(PW_SINGLE, path);
    pw_result *result = open_made(path);
    pw_error error;
    assert_int_equal(result_find_transmitter(result, NULL, &error), 0);
    assert_int_equal(result_find_transmitter(result, "east", &error), 1);
    assert_int_equal(result_find_receiver(result, 1, "door", &error), 2);
    assert_int_equal(result_find_transmitter(result, "north", &error), -1);
    assert_non_null(strstr(error.message, "'north'"));
    assert_non_null(strstr(error.message, "west, east"));
    assert_int_equal(result_find_receiver(result, 0, "attic", &error), -1);
    assert_non_null(strstr(error.message, "roof, desk, door"));
    pw_result_close(result);
}

static void blocks_outside_are_refused(void **state)
{
    (void)state;
    write_made(PW_SINGLE, path);
    pw_result *result = open_made(path);
    double block[MADE_FREQUENCIES * 2 * 4];
    pw_error error;
    assert_int_equal(result_read_spectra(result, 0, MADE_ROWS - 1, 2, 0, 1, block, &error), PW_USAGE);
    assert_int_equal(result_read_spectra(result, 0, 0, 1, MADE_COLUMNS, 1, block, &error), PW_USAGE);
    assert_int_equal(result_read_spectra(result, 0, -1, 1, 0, 1, block, &error), PW_USAGE);
    assert_int_equal(result_read_spectra(result, 0, 0, 0, 0, 1, block, &error), PW_USAGE);
    pw_result_close(result);
}

/* Groups of one transmitter each, as a run with little memory does; no receivers, no spectra. */
static void transmitters_may_come_one_by_one(void **state)
{
    (void)state;
    struct hand_made made;
    struct result_writer *writer;
    pw_error error = {""};
    hand_made_create(&made, PW_DOUBLE);
    made.setup.problem.spectra.frequency_count = 0;
    made.setup.frequency_count = 0;
    made.scenario.receiver_count = 0;
    made.work.simulation.count = 1;
    assert_int_equal(result_create(path, true, &made.setup, &writer, &error), PW_OK);
    assert_int_equal(result_add(writer, &made.work.simulation, &error), PW_OK);
    made.work.simulation.first = 1;
    made.work.simulation.step = 7;
    made.work.simulation.stop_reason = "duration";
    assert_int_equal(result_add(writer, &made.work.simulation, &error), PW_OK);
    assert_int_equal(result_commit(writer, 0, 0, &error), PW_OK);
    pw_result *result = open_made(path);
    assert_int_equal(result->frequency_count, 0);
    assert_int_equal(result->transmitters[0].samples, MADE_STEPS);
    assert_int_equal(result->transmitters[1].samples, 7);
    assert_int_equal(result->transmitters[1].receiver_count, 0);
    double nothing[2];
    assert_int_equal(result_read_spectra(result, 1, 0, 1, 0, 1, nothing, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, "no running spectra"));
    pw_result_close(result);
    hand_made_free(&made);
}

/* ---- nothing lost, nothing half-written ---- */

static void existing_results_are_kept(void **state)
{
    (void)state;
    struct hand_made made;
    pw_error error;
    FILE *file = fopen(path, "w");
    fputs("precious", file);
    fclose(file);
    hand_made_create(&made, PW_SINGLE);
    assert_int_equal(hand_made_write(&made, path, false, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, path));
    assert_non_null(strstr(error.message, "--force"));
    char kept[16] = "";
    file = fopen(path, "r");
    assert_non_null(fgets(kept, sizeof kept, file));
    fclose(file);
    assert_string_equal(kept, "precious");
    assert_int_equal(hand_made_write(&made, folder, true, &error), PW_BAD_INPUT);
    assert_int_equal(hand_made_write(&made, path, true, &error), PW_OK);
    pw_result_close(open_made(path));
    hand_made_free(&made);
    unlink(path);
}

static void no_folder_is_said(void **state)
{
    (void)state;
    struct hand_made made;
    pw_error error;
    hand_made_create(&made, PW_SINGLE);
    assert_int_equal(hand_made_write(&made, "/nonexistent_folder/out.h5", false, &error), PW_NO_RESOURCE);
    assert_non_null(strstr(error.message, "/nonexistent_folder"));
    hand_made_free(&made);
}

static void names_that_hdf5_cannot_hold_are_refused(void **state)
{
    (void)state;
    struct hand_made made;
    pw_error error;
    hand_made_create(&made, PW_SINGLE);
    strcpy(made.scenario.receivers[1].name, "a/b");
    assert_int_equal(hand_made_write(&made, path, false, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, "a/b"));
    strcpy(made.scenario.receivers[1].name, "..");
    assert_int_equal(hand_made_write(&made, path, false, &error), PW_OK); /* an ordinary name to HDF5 */
    pw_result_close(open_made(path));
    unlink(path);
    hand_made_free(&made);
}

static void failures_of_the_device_leave_nothing(void **state)
{
    (void)state;
    struct hand_made made;
    pw_error error;
    hand_made_create(&made, PW_SINGLE);
    made.fail_spectra = true;
    assert_int_equal(hand_made_write(&made, path, false, &error), PW_NO_RESOURCE);
    assert_non_null(strstr(error.message, "fell off the bus"));
    assert_false(exists(path));
    assert_int_equal(partial_files(), 0);
    hand_made_free(&made);
}

static void incomplete_results_are_not_published(void **state)
{
    (void)state;
    struct hand_made made;
    struct result_writer *writer;
    pw_error error;
    hand_made_create(&made, PW_SINGLE);
    assert_int_equal(result_create(path, false, &made.setup, &writer, &error), PW_OK);
    assert_int_equal(partial_files(), 1);
    assert_false(exists(path));
    assert_int_equal(result_commit(writer, 0, 0, &error), PW_USAGE);
    assert_false(exists(path));
    assert_int_equal(partial_files(), 0);
    result_abandon(NULL);
    hand_made_free(&made);
}

/* The kernel refuses writes beyond `limit` bytes, as a full disk does. Exit status: 0 when all is as it should be. */
static int write_within(rlim_t limit)
{
    struct hand_made made;
    pw_error error = {""};
    signal(SIGXFSZ, SIG_IGN);
    hand_made_create(&made, PW_DOUBLE);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){limit, limit});
    pw_status status = hand_made_write(&made, path, false, &error);
    hand_made_free(&made);
    if (status == PW_OK) {
        return 2;
    }
    bool good = status == PW_NO_RESOURCE && !exists(path) && partial_files() == 0 && strlen(error.message) > 20;
    return good ? 0 : 1;
}

static void full_disks_leave_nothing(void **state)
{
    (void)state;
    write_made(PW_DOUBLE, other);
    struct stat whole;
    assert_int_equal(stat(other, &whole), 0);
    for (int part = 0; part < 60; part++) {
        rlim_t limit = (rlim_t)whole.st_size * (rlim_t)part / 60;
        pid_t child = fork_child(20);
        if (child == 0) {
            exit(write_within(limit)); /* exit, not _exit: what HDF5 does at its end counts too */
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            complain("with room for %llu bytes: status %d, signal %d", (unsigned long long)limit, WEXITSTATUS(status),
                     WTERMSIG(status));
        }
    }
    unlink(other);
}

/* ---- what others see ---- */

static void h5py_sees_complex_numbers_scales_and_units(void **state)
{
    (void)state;
    if (!have_h5py()) {
        skip();
    }
    write_made(PW_SINGLE, path);
    int status = run_python(
        "import h5py, numpy, sys\n"
        "f = h5py.File(sys.argv[1], \"r\")\n"
        "s = f[\"transmitters/east/spectra/ez\"]\n"
        "assert s.dtype == numpy.complex64 and s.shape == (5, 11, 13) and s.chunks == (5, 8, 8), (s.dtype, s.chunks)\n"
        "assert s.dims[0][0] == f[\"frequency\"] and s.dims[1][0].name.endswith(\"/spectra/y\") and "
        "len(s.dims[2][\"x\"]) == 13\n"
        "assert numpy.allclose(s[3, 10, 2], 2e-9 * (numpy.cos(4.4) + 1j * numpy.cos(2.9)), rtol=1e-6)\n"
        "assert f[\"transmitters/east/spectrum\"].dtype == numpy.complex128\n"
        "e = f[\"transmitters/west/receivers/desk/ez\"]\n"
        "assert e.attrs[\"sample_interval\"] == f.attrs[\"dt\"] == e.attrs[\"first_sample_time\"]\n"
        "assert numpy.allclose(e.dims[0][0][:], f.attrs[\"dt\"] * numpy.arange(1, 121)) and e.attrs[\"units\"] == "
        "\"V/m\"\n"
        "assert list(f[\"transmitters\"].attrs) == [] and tuple(f[\"transmitters/east\"].attrs[\"position_to\"]) == "
        "(0.8, 0.4)\n"
        "f.visititems(lambda n, o: None if isinstance(o, h5py.Group) or (o.attrs[\"units\"] and "
        "o.attrs[\"long_name\"]) else 1 / 0)\n"
        "assert f[\"plan/material\"].dtype == numpy.uint16 and f[\"plan/palette\"][2][\"perfect_conductor\"] == 1\n"
        "assert f[\"plan/conductivity\"][3, 20] == numpy.float32(0.0275) and f[\"plan/conductivity\"].dims[1].keys() "
        "== [\"x\"]\n"
        "assert f.attrs[\"warnings\"][1] == \"brick outside 1..40 GHz\" and f.attrs[\"time_convention\"] == "
        "\"exp(+jwt)\"\n"
        "assert f.attrs[\"stop_reason\"] == \"decay\" and f.attrs[\"steps_done\"] == 120 and f.attrs[\"steps_asked\"] "
        "== 150\n"
        "assert f.attrs[\"device\"] == \"a pencil\" and f.attrs[\"backend\"] == \"hand\" and f.attrs[\"precision\"] == "
        "\"single\"\n"
        "assert f.attrs[\"scenario\"] == \"title: made by hand\\n\" and f.attrs[\"material_revision\"] == \"ITU-R "
        "P.2040-4\"\n"
        "assert f[\"timing/solve\"][()] == 2.0 and f[\"timing/cell_updates\"][()] == 2 * 120 * 70 * 60\n",
        path);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_come_back),
        cmocka_unit_test(transmitters_keep_their_order),
        cmocka_unit_test(source_spectrum_is_the_transform_of_the_current),
        cmocka_unit_test(receivers_combine_probes_in_double),
        cmocka_unit_test(spectra_come_back_exactly),
        cmocka_unit_test(permittivity_comes_back),
        cmocka_unit_test(names_are_found_or_listed),
        cmocka_unit_test(blocks_outside_are_refused),
        cmocka_unit_test(transmitters_may_come_one_by_one),
        cmocka_unit_test(existing_results_are_kept),
        cmocka_unit_test(no_folder_is_said),
        cmocka_unit_test(names_that_hdf5_cannot_hold_are_refused),
        cmocka_unit_test(failures_of_the_device_leave_nothing),
        cmocka_unit_test(incomplete_results_are_not_published),
        cmocka_unit_test(full_disks_leave_nothing),
        cmocka_unit_test(h5py_sees_complex_numbers_scales_and_units),
    };
    return cmocka_run_group_tests(tests, folder_create, folder_remove);
}
