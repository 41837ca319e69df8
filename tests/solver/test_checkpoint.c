/* Checkpoints: a run that goes on from one ends with the same bits, whatever backend wrote it; the newest generation
 * that is whole counts; a checkpoint of something else is refused by name; no damage gets through, and none crashes.
 * Kills are in test_kill.sh and test_faults.c. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "file/hdf5_write.h"
#include "job/checkpoint.h"
#include "result/result.h"
#include "tests/support/check.h"
#include "tests/support/solve.h"

static char folder[] = "/tmp/planwave_checkpoint_XXXXXX";
static char path[64], whole[64], newest[96], older[96], finished[96];

static const char SCENARIO[] = "title: saved and gone on with\n"
                               "plan: {size: [1.2 m, 0.9 m], rectangles: [{from: [0.5 m, 0 m], to: [0.6 m, 0.6 m], "
                               "material: brick}]}\n"
                               "grid: {scheme: dd2, cell: 2.5 cm, absorber: {cells: 6}}\n"
                               "band: {centre: 1.5 GHz, width: 400 MHz}\n"
                               "transmitters:\n"
                               "  - {name: west, at: [0.3 m, 0.5 m]}\n"
                               "  - {name: east, at: [0.9 m, 0.4 m]}\n"
                               "receivers: [{name: near, at: [0.31 m, 0.7 m]}, {name: far, at: [1.0 m, 0.2 m]}]\n"
                               "spectra: {count: 5, spacing: 3 cells}\n"
                               "stop: {steps: 900}\n";

static int folder_create(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    snprintf(path, sizeof path, "%s/out.h5", folder);
    snprintf(whole, sizeof whole, "%s/whole.h5", folder);
    snprintf(newest, sizeof newest, "%s.checkpoint", path);
    snprintf(older, sizeof older, "%s.checkpoint.1", path);
    snprintf(finished, sizeof finished, "%s.finished-0", path);
    return 0;
}

static int files_remove(void **state)
{
    (void)state;
    const char *names[] = {path, whole, newest, older, finished};
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        unlink(names[n]);
    }
    return 0;
}

static int folder_remove(void **state)
{
    files_remove(state);
    return rmdir(folder); /* fails when anything else was left */
}

static bool exists(const char *file)
{
    return access(file, F_OK) == 0;
}

#define assert_ok(call)                                                                                                \
    do {                                                                                                               \
        pw_status got_ = (call);                                                                                       \
        if (got_ != PW_OK) {                                                                                           \
            print_error("%s\n", error.message);                                                                        \
        }                                                                                                              \
        assert_int_equal(got_, PW_OK);                                                                                 \
    } while (0)

static void assert_says(const pw_error *error, const char *words)
{
    if (strstr(error->message, words) == NULL) {
        fail_msg("'%s' lacks '%s'", error->message, words);
    }
}

static void assert_same(const char *a, const char *b)
{
    pw_error error = {""};
    FILE *nowhere = fopen("/dev/null", "w");
    pw_status status = pw_compare(a, b, 0, false, nowhere, &error);
    fclose(nowhere);
    if (status != PW_OK) {
        print_error("%s\n", error.message);
    }
    assert_int_equal(status, PW_OK);
}

/* Both transmitters together, one thread: what is tested does not depend on it, and other work on the machine disturbs
 * less. */
static struct solved prepare(pw_precision precision, const char *backend)
{
    struct solved made = {0};
    pw_error error = {""};
    assert_ok(pw_scenario_parse("test", SCENARIO, NULL, 0, &made.scenario, &error));
    assert_ok(pw_setup_create(made.scenario, precision, false, &made.setup, &error));
    assert_ok(pw_simulation_create(made.setup, backend, 1, 0, 2, &made.simulation, &error));
    return made;
}

static struct solved solve_alone(pw_precision precision, const char *backend)
{
    struct solved made = prepare(precision, backend);
    pw_error error = {""};
    assert_ok(pw_simulation_run(made.simulation, NULL, NULL, &error));
    return made;
}

static struct checkpoint_store *open_store(const struct setup *setup)
{
    struct checkpoint_store *store = NULL;
    pw_error error = {""};
    assert_ok(checkpoint_store_create(path, setup, &store, &error));
    return store;
}

/* A checkpoint of SCENARIO after `steps` steps as `newest`. */
static void write_made(pw_precision precision, const char *backend, int64_t steps)
{
    struct solved solved = prepare(precision, backend);
    struct checkpoint_store *store = open_store(solved.setup);
    pw_error error = {""};
    assert_ok(pw_simulation_advance(solved.simulation, steps, &error));
    assert_ok(checkpoint_write(store, solved.simulation, &error));
    checkpoint_store_free(store);
    solve_free(&solved);
}

/* ---- the same bits ---- */

static void compare_simulations(const struct solved *a, const struct solved *b)
{
    pw_error error = {""};
    const struct problem *problem = &a->setup->problem;
    size_t nodes = (size_t)problem->axis[0].count * (size_t)problem->axis[1].count;
    const struct spectra *spectra = &problem->spectra;
    size_t lattice = 2 * (size_t)spectra->frequency_count * (size_t)spectra->rows * (size_t)spectra->columns;
    size_t series = (size_t)a->simulation->step, room = nodes + lattice + series;
    double *one = calloc(room, sizeof *one), *two = calloc(room, sizeof *two);
    assert_int_equal(a->simulation->step, b->simulation->step);
    assert_string_equal(a->simulation->stop_reason, b->simulation->stop_reason);
    for (int run = 0; run < 2; run++) {
        assert_ok(pw_simulation_field(a->simulation, run, one, &error));
        assert_ok(pw_simulation_field(b->simulation, run, two, &error));
        assert_memory_equal(one, two, nodes * sizeof *one);
        assert_ok(pw_simulation_spectra(a->simulation, run, 0, spectra->rows, one, &error));
        assert_ok(pw_simulation_spectra(b->simulation, run, 0, spectra->rows, two, &error));
        assert_memory_equal(one, two, lattice * sizeof *one);
        assert_ok(pw_simulation_receiver(a->simulation, run, 1, one, &error));
        assert_ok(pw_simulation_receiver(b->simulation, run, 1, two, &error));
        assert_memory_equal(one, two, series * sizeof *one);
    }
    free(two);
    free(one);
}

static void check_going_on(pw_precision precision, const char *before, const char *after, int64_t steps)
{
    pw_error error = {""};
    struct solved alone = solve_alone(precision, after);
    write_made(precision, before, steps);
    struct solved again = prepare(precision, after);
    struct checkpoint_store *store = open_store(again.setup);
    struct checkpoint found;
    assert_ok(checkpoint_find(store, NULL, NULL, &found, &error));
    assert_ptr_equal(found.path, store->newest);
    assert_int_equal(found.step, steps);
    assert_int_equal(found.count, 2);
    assert_ok(checkpoint_load(store, &found, again.simulation, &error));
    assert_int_equal(again.simulation->step, steps);
    assert_ok(pw_simulation_run(again.simulation, NULL, NULL, &error));
    compare_simulations(&alone, &again);
    checkpoint_store_free(store);
    solve_free(&again);
    solve_free(&alone);
}

static void every_step_is_a_good_step(void **state)
{
    (void)state;
    static const int64_t STEPS[] = {0, 1, 2, 7, 48, 143, 400};
    for (size_t n = 0; n < sizeof STEPS / sizeof STEPS[0]; n++) {
        check_going_on(PW_SINGLE, "cpu", "cpu", STEPS[n]);
        check_going_on(PW_SINGLE, "reference", "reference", STEPS[n]);
    }
    check_going_on(PW_DOUBLE, "cpu", "cpu", 143);
    check_going_on(PW_DOUBLE, "reference", "reference", 143);
}

/* After whole groups of samples of the spectra (spectra.h), with some that wait for the rest of theirs. */
static int64_t step_in_a_group(void)
{
    struct solved made = prepare(PW_SINGLE, "cpu");
    const struct spectra *spectra = &made.setup->problem.spectra;
    int64_t step = (2 * spectra_group(spectra) + 3) * spectra->every;
    assert_int_equal(spectra_waiting(spectra, step), 3);
    assert_in_range(step, 1, made.setup->problem.steps - 1);
    solve_free(&made);
    return step;
}

static void waiting_samples_go_along(void **state)
{
    (void)state;
    static const char *const BACKENDS[] = {"cpu", "reference"};
    int64_t step = step_in_a_group();
    for (int before = 0; before < 2; before++) {
        for (int after = 0; after < 2; after++) {
            check_going_on(PW_SINGLE, BACKENDS[before], BACKENDS[after], step);
        }
        check_going_on(PW_DOUBLE, BACKENDS[before], BACKENDS[before], step);
    }
    for (size_t b = 0; b < pw_backend_count(); b++) {
        pw_backend_info info = pw_backend_describe(b);
        if (info.available && strcmp(info.name, "cuda") == 0) {
            check_going_on(PW_SINGLE, "cuda", "cpu", step);
            check_going_on(PW_SINGLE, "cpu", "cuda", step);
            check_going_on(PW_DOUBLE, "cuda", "cuda", step);
        }
    }
}

static void any_backend_goes_on(void **state)
{
    (void)state;
    check_going_on(PW_SINGLE, "cpu", "reference", 143);
    check_going_on(PW_SINGLE, "reference", "cpu", 143);
    for (size_t b = 0; b < pw_backend_count(); b++) {
        pw_backend_info info = pw_backend_describe(b);
        if (info.available && strcmp(info.name, "cuda") == 0) {
            check_going_on(PW_SINGLE, "cuda", "cuda", 143);
            check_going_on(PW_SINGLE, "cuda", "cpu", 143);
            check_going_on(PW_SINGLE, "cpu", "cuda", 143);
            check_going_on(PW_DOUBLE, "cuda", "cuda", 143);
        }
    }
}

static void singles_are_stored_as_singles(void **state)
{
    (void)state;
    struct stat one, two;
    write_made(PW_SINGLE, "cpu", 143);
    assert_int_equal(stat(newest, &one), 0);
    unlink(newest);
    write_made(PW_DOUBLE, "cpu", 143);
    assert_int_equal(stat(newest, &two), 0);
    assert_true(2 * one.st_size - two.st_size > 0 && 2 * one.st_size - two.st_size < 20000);
}

static void a_finished_transmitter_comes_back(void **state)
{
    (void)state;
    pw_error error = {""};
    struct solved alone = solve_alone(PW_SINGLE, "cpu");
    struct checkpoint_store *store = open_store(alone.setup);
    assert_ok(checkpoint_write_finished(store, alone.simulation, &error));
    bool there = false;
    assert_ok(checkpoint_find_finished(store, 0, NULL, NULL, &there, &error));
    assert_true(there);
    pw_simulation *back = NULL;
    assert_ok(pw_simulation_create(alone.setup, "reference", 1, 1, 1, &back, &error));
    assert_int_equal(checkpoint_load_finished(store, 0, back, &error), PW_BAD_INPUT);
    assert_ok(checkpoint_load_finished(store, 1, back, &error));
    assert_string_equal(back->stop_reason, alone.simulation->stop_reason);
    double *one = solve_series(&alone, 1, 0), *two = calloc((size_t)back->step, sizeof *two);
    assert_ok(pw_simulation_receiver(back, 0, 0, two, &error));
    assert_memory_equal(one, two, (size_t)back->step * sizeof *two);
    free(two);
    free(one);
    pw_simulation_free(back);
    checkpoint_remove(store->result, alone.setup->problem.source_count);
    checkpoint_store_free(store);
    solve_free(&alone);
}

/* ---- whole runs ---- */

struct orders {
    int reports_left; /* progress asks to stop at the last of them; negative: never */
    int notes;
    char last_note[1100];
};

static bool count_down(const pw_progress *progress, void *user)
{
    struct orders *orders = user;
    (void)progress;
    return orders->reports_left < 0 || --orders->reports_left > 0;
}

static void keep_note(const char *message, void *user)
{
    struct orders *orders = user;
    orders->notes++;
    snprintf(orders->last_note, sizeof orders->last_note, "%s", message);
}

/* Seconds of work on the reference backend, so that progress is reported several times in each transmitter; ends by
 * decay. */
static const char LONGER[] = "title: longer\n"
                             "plan: {size: [9 m, 7 m]}\n"
                             "grid: {scheme: yee, cell: 2.5 cm, absorber: {cells: 6}}\n"
                             "band: {centre: 1.5 GHz, width: 400 MHz}\n"
                             "transmitters:\n"
                             "  - {name: west, at: [0.3 m, 0.5 m]}\n"
                             "  - {name: east, at: [0.9 m, 0.4 m]}\n"
                             "receivers: [{name: near, at: [0.31 m, 0.7 m]}]\n"
                             "spectra: {count: 5, spacing: 3 cells}\n"
                             "stop: {steps: 4000, decay: -60 dB}\n";

static struct solved prepare_setup(const char *text)
{
    struct solved made = {0};
    pw_error error = {""};
    assert_ok(pw_scenario_parse("test", text, NULL, 0, &made.scenario, &error));
    assert_ok(pw_setup_create(made.scenario, PW_SINGLE, false, &made.setup, &error));
    return made;
}

static void an_interrupted_run_goes_on(void **state)
{
    (void)state;
    pw_error error = {""};
    struct solved made = prepare_setup(LONGER);
    struct orders orders = {.reports_left = -1};
    pw_run_options options = {
        .backend = "reference", .threads = 1, .progress = count_down, .note = keep_note, .user = &orders};
    assert_ok(pw_run(made.setup, &options, whole, &error));
    assert_int_equal(orders.notes, 0);

    orders.reports_left = 1;
    assert_int_equal(pw_run(made.setup, &options, path, &error), PW_INTERRUPTED);
    assert_says(&error, "stopped by an interruption at step");
    assert_true(exists(newest) && !exists(path));
    /* Without a word nothing is overwritten. */
    assert_int_equal(pw_run(made.setup, &options, path, &error), PW_BAD_INPUT);
    assert_says(&error, "holds an interrupted run");
    assert_true(exists(newest));

    options.resume = true;
    options.checkpoint_interval = 0.01;
    orders.reports_left = 3;
    pw_status status = pw_run(made.setup, &options, path, &error);
    for (int tries = 0; status == PW_INTERRUPTED && tries < 30; tries++) {
        orders.reports_left = 3;
        status = pw_run(made.setup, &options, path, &error);
    }
    assert_ok(status);
    assert_same(path, whole);
    assert_true(!exists(newest) && !exists(older) && !exists(finished));
    solve_free(&made);
}

static void force_starts_anew(void **state)
{
    (void)state;
    pw_error error = {""};
    struct solved made = prepare_setup(SCENARIO);
    write_made(PW_SINGLE, "cpu", 10);
    pw_run_options options = {.backend = "cpu", .threads = 1, .force = true};
    assert_ok(pw_run(made.setup, &options, path, &error));
    assert_true(!exists(newest));
    solve_free(&made);
}

static void resuming_nothing_begins(void **state)
{
    (void)state;
    pw_error error = {""};
    struct solved made = prepare_setup(SCENARIO);
    struct orders orders = {.reports_left = -1};
    pw_run_options options = {.backend = "cpu", .threads = 1, .resume = true, .note = keep_note, .user = &orders};
    assert_ok(pw_run(made.setup, &options, path, &error));
    assert_int_equal(orders.notes, 1);
    assert_non_null(strstr(orders.last_note, "nothing to go on with"));
    assert_int_equal(pw_run(made.setup, &options, path, &error), PW_BAD_INPUT);
    assert_says(&error, "exists already");
    solve_free(&made);
}

static void the_time_limit_holds(void **state)
{
    (void)state;
    pw_error error = {""};
    struct solved made = prepare_setup("plan: {size: [4 m, 4 m]}\n"
                                       "grid: {scheme: yee, cell: 2.5 cm}\n"
                                       "band: {centre: 1.5 GHz, width: 400 MHz}\n"
                                       "transmitters: [{name: west, at: [0.3 m, 0.5 m]}]\n"
                                       "stop: {steps: 1000000}\n");
    pw_run_options options = {.backend = "cpu", .threads = 1, .time_limit = 1.5};
    assert_int_equal(pw_run(made.setup, &options, path, &error), PW_INTERRUPTED);
    assert_says(&error, "the time limit");
    assert_true(exists(newest));
    solve_free(&made);
}

/* ---- of something else ---- */

static pw_status find_as(const char *text, pw_precision precision, pw_error *error)
{
    struct solved made = {0};
    assert_int_equal(pw_scenario_parse("test", text, NULL, 0, &made.scenario, error), PW_OK);
    assert_int_equal(pw_setup_create(made.scenario, precision, false, &made.setup, error), PW_OK);
    struct checkpoint_store *store = open_store(made.setup);
    struct checkpoint found;
    pw_status status = checkpoint_find(store, NULL, NULL, &found, error);
    checkpoint_store_free(store);
    solve_free(&made);
    return status;
}

static void another_scenario_is_refused_by_name(void **state)
{
    (void)state;
    pw_error error = {""};
    char other[sizeof SCENARIO];
    memcpy(other, SCENARIO, sizeof other);
    memcpy(strstr(other, "steps: 900"), "steps: 901", 10);
    write_made(PW_SINGLE, "cpu", 20);
    assert_int_equal(find_as(other, PW_SINGLE, &error), PW_BAD_INPUT);
    assert_says(&error, "is of another scenario: line");
    assert_says(&error, "900");
    assert_says(&error, "901");
    assert_int_equal(find_as(SCENARIO, PW_DOUBLE, &error), PW_BAD_INPUT);
    assert_says(&error, "is of precision 'single', this run of 'double'");
    assert_int_equal(find_as(SCENARIO, PW_SINGLE, &error), PW_OK);
}

/* The text says the same, but the picture it names has changed: the arrays tell. */
static void another_plan_is_refused(void **state)
{
    (void)state;
    pw_error error = {""};
    struct solved made = prepare(PW_SINGLE, "cpu");
    write_made(PW_SINGLE, "cpu", 20);
    made.setup->problem.coefficient_index[1000]++;
    struct checkpoint_store *store = open_store(made.setup);
    struct checkpoint found;
    assert_int_equal(checkpoint_find(store, NULL, NULL, &found, &error), PW_BAD_INPUT);
    assert_says(&error, "is of another plan");
    checkpoint_store_free(store);
    solve_free(&made);
}

/* ---- damage ---- */

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
        cmocka_unit_test_teardown(every_step_is_a_good_step, files_remove),
        cmocka_unit_test_teardown(any_backend_goes_on, files_remove),
        cmocka_unit_test_teardown(waiting_samples_go_along, files_remove),
        cmocka_unit_test_teardown(singles_are_stored_as_singles, files_remove),
        cmocka_unit_test_teardown(a_finished_transmitter_comes_back, files_remove),
        cmocka_unit_test_teardown(an_interrupted_run_goes_on, files_remove),
        cmocka_unit_test_teardown(force_starts_anew, files_remove),
        cmocka_unit_test_teardown(resuming_nothing_begins, files_remove),
        cmocka_unit_test_teardown(the_time_limit_holds, files_remove),
        cmocka_unit_test_teardown(another_scenario_is_refused_by_name, files_remove),
        cmocka_unit_test_teardown(another_plan_is_refused, files_remove),
        cmocka_unit_test_teardown(damage_falls_back_to_the_older_generation, files_remove),
        cmocka_unit_test_teardown(what_is_no_checkpoint_is_passed_over, files_remove),
        cmocka_unit_test_teardown(another_format_is_refused_by_name, files_remove),
        cmocka_unit_test_teardown(every_dataset_has_its_own_checksum, files_remove),
        cmocka_unit_test_teardown(wrong_members_are_refused, files_remove),
        cmocka_unit_test_teardown(another_version_is_refused_by_name, files_remove),
    };
    return cmocka_run_group_tests(tests, folder_create, folder_remove);
}
