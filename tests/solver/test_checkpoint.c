/* Checkpoints: a run that goes on from one ends with the same bits, whatever backend wrote it; a checkpoint of
 * something else is refused by name. Damage is in test_checkpoint_damage.c, kills are in test_kill.sh and
 * test_faults.c. */
#include <limits.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/solver/saved_job.h"

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
    assert_ok(
        pw_simulation_create(alone.setup, &(pw_compute){.backend = "reference", .threads = 1}, 1, 1, &back, &error));
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

/* A scenario had more transmitters once: what it left is seen and removed, and nothing else is. */
static void files_of_more_transmitters_are_seen(void **state)
{
    (void)state;
    static const char *const OURS[] = {".checkpoint-5", ".checkpoint-12.1", ".finished-7"},
                             *const OTHERS[] = {"2.checkpoint-3", ".checkpoint-x", ".finished",
                                                ".finished-99999999999"};
    char result[PATH_MAX], name[PATH_MAX];
    snprintf(result, sizeof result, "%.*s", (int)(strlen(newest) - strlen(".checkpoint")), newest);
    for (size_t k = 0; k < sizeof OTHERS / sizeof OTHERS[0]; k++) {
        snprintf(name, sizeof name, "%s%s", result, OTHERS[k]);
        fclose(fopen(name, "w"));
    }
    assert_false(checkpoint_exists(result, 2));
    for (size_t k = 0; k < sizeof OURS / sizeof OURS[0]; k++) {
        snprintf(name, sizeof name, "%s%s", result, OURS[k]);
        fclose(fopen(name, "w"));
        assert_true(checkpoint_exists(result, 2));
        checkpoint_remove(result, 2);
        assert_int_equal(access(name, F_OK), -1);
    }
    for (size_t k = 0; k < sizeof OTHERS / sizeof OTHERS[0]; k++) {
        snprintf(name, sizeof name, "%s%s", result, OTHERS[k]);
        assert_int_equal(unlink(name), 0);
    }
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
                             "grid: {scheme: yee, cell: 2.5 cm, courant: 0.5, absorber: {cells: 6}}\n"
                             "band: {centre: 1.5 GHz, width: 400 MHz}\n"
                             "transmitters:\n"
                             "  - {name: west, at: [0.3 m, 0.5 m]}\n"
                             "  - {name: east, at: [0.9 m, 0.4 m]}\n"
                             "receivers: [{name: near, at: [0.31 m, 0.7 m]}]\n"
                             "spectra: {count: 5, spacing: 3 cells}\n"
                             "stop: {steps: 4000, decay: -100 dB}\n";

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
    pw_run_options options = {.compute.backend = "reference",
                              .compute.threads = 1,
                              .progress = count_down,
                              .note = keep_note,
                              .user = &orders};
    assert_ok(pw_run(made.setup, &options, whole, &error));
    assert_int_equal(orders.notes, 0);

    orders.reports_left = 1;
    assert_int_equal(pw_run(made.setup, &options, path, &error), PW_INTERRUPTED);
    assert_says(&error, "stopped by an interruption at step");
    assert_true(exists(newest) && !exists(path));
    /* Without a word nothing is overwritten. */
    assert_int_equal(pw_run(made.setup, &options, path, &error), PW_BAD_INPUT);
    assert_says(&error, "holds the state of an interrupted run");
    assert_true(exists(newest));

    options.resume = true;
    options.checkpoint_interval = 0.01;
    orders.reports_left = 3;
    pw_status status = pw_run(made.setup, &options, path, &error);
    for (int tries = 0; status == PW_INTERRUPTED && tries < 30; tries++) {
        orders.reports_left = 3 + tries; /* of a slow machine more of them come */
        status = pw_run(made.setup, &options, path, &error);
    }
    assert_ok(status);
    assert_same(path, whole);
    assert_true(!exists(newest) && !exists(older) && !exists(finished));
    solve_free(&made);
}

struct forecasts {
    double cells, steps; /* of one transmitter */
    int reports[2];
};

/* The time to go is that of all transmitters: what this one has left to step, and all steps of those after it, at the
 * speed that is told beside it. */
static bool check_time_left(const pw_progress *progress, void *user)
{
    struct forecasts *forecasts = user;
    double later = progress->transmitter_count - progress->transmitter - progress->transmitters_together;
    double left = (double)(progress->steps - progress->step) * progress->transmitters_together;
    double expected = (left + later * forecasts->steps) * forecasts->cells / progress->cells_per_second;
    assert_int_equal(progress->transmitters_together, 1);
    assert_true(fabs(progress->seconds_left - expected) <= 1e-6 * expected);
    forecasts->reports[progress->transmitter]++;
    return true;
}

static void the_time_to_go_is_that_of_all_transmitters(void **state)
{
    (void)state;
    pw_error error = {""};
    struct solved made = prepare_setup(LONGER);
    made.setup->problem.decay = 1e-30; /* the transmitters run one after another, each to its last step */
    const struct axis *axis = made.setup->problem.axis;
    struct forecasts forecasts = {.cells = (double)axis[0].count * axis[1].count, .steps = 4000};
    pw_run_options options = {
        .compute.backend = "cpu", .compute.threads = 1, .progress = check_time_left, .user = &forecasts};
    assert_ok(pw_run(made.setup, &options, path, &error));
    assert_true(forecasts.reports[0] > 0 && forecasts.reports[1] > 0);
    solve_free(&made);
}

static void force_starts_anew(void **state)
{
    (void)state;
    pw_error error = {""};
    struct solved made = prepare_setup(SCENARIO);
    write_made(PW_SINGLE, "cpu", 10);
    pw_run_options options = {.compute.backend = "cpu", .compute.threads = 1, .force = true};
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
    pw_run_options options = {
        .compute.backend = "cpu", .compute.threads = 1, .resume = true, .note = keep_note, .user = &orders};
    assert_ok(pw_run(made.setup, &options, path, &error));
    assert_int_equal(orders.notes, 1);
    assert_non_null(strstr(orders.last_note, "there is no saved state"));
    options.quiet = options.force = true;
    assert_ok(pw_run(made.setup, &options, path, &error));
    assert_int_equal(orders.notes, 1);
    options.quiet = options.force = false;
    assert_int_equal(pw_run(made.setup, &options, path, &error), PW_BAD_INPUT);
    assert_says(&error, "exists already");
    solve_free(&made);
}

static void resuming_fewer_transmitters_is_refused(void **state)
{
    (void)state;
    pw_error error = {""};
    struct solved made = prepare_setup(SCENARIO);
    char left[PATH_MAX];
    snprintf(left, sizeof left, "%s.finished-7", path);
    fclose(fopen(left, "w"));
    struct orders orders = {.reports_left = -1};
    pw_run_options options = {
        .compute.backend = "cpu", .compute.threads = 1, .resume = true, .note = keep_note, .user = &orders};
    assert_int_equal(pw_run(made.setup, &options, path, &error), PW_BAD_INPUT);
    assert_says(&error, "more transmitters");
    assert_true(exists(left) && !exists(path));
    options.resume = false;
    assert_int_equal(pw_run(made.setup, &options, path, &error), PW_BAD_INPUT);
    options.quiet = options.force = true;
    assert_ok(pw_run(made.setup, &options, path, &error));
    assert_true(!exists(left) && exists(path));
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
    pw_run_options options = {.compute.backend = "cpu", .compute.threads = 1, .time_limit = 1.5};
    assert_int_equal(pw_run(made.setup, &options, path, &error), PW_INTERRUPTED);
    assert_says(&error, "the time limit");
    assert_true(exists(newest));
    solve_free(&made);
}

/* ---- of something else ---- */

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_step_is_a_good_step, files_remove),
        cmocka_unit_test_teardown(any_backend_goes_on, files_remove),
        cmocka_unit_test_teardown(waiting_samples_go_along, files_remove),
        cmocka_unit_test_teardown(singles_are_stored_as_singles, files_remove),
        cmocka_unit_test_teardown(a_finished_transmitter_comes_back, files_remove),
        cmocka_unit_test_teardown(files_of_more_transmitters_are_seen, files_remove),
        cmocka_unit_test_teardown(an_interrupted_run_goes_on, files_remove),
        cmocka_unit_test_teardown(the_time_to_go_is_that_of_all_transmitters, files_remove),
        cmocka_unit_test_teardown(force_starts_anew, files_remove),
        cmocka_unit_test_teardown(resuming_nothing_begins, files_remove),
        cmocka_unit_test_teardown(resuming_fewer_transmitters_is_refused, files_remove),
        cmocka_unit_test_teardown(the_time_limit_holds, files_remove),
        cmocka_unit_test_teardown(another_scenario_is_refused_by_name, files_remove),
        cmocka_unit_test_teardown(another_plan_is_refused, files_remove),
    };
    return cmocka_run_group_tests(tests, folder_create, folder_remove);
}
