/* Transmitters that are solved several at a time (run/job/spread.c), as they are on several devices: the result has the
 * same bits as that of one after another, whatever ends the job on the way. No device is needed: a worker that has none
 * solves where others do. */
#include <dirent.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "result/result.h"
#include "run/job/job.h"
#include "tests/support/check.h"

#define assert_ok(status) assert_int_equal(status, PW_OK)

static char folder[] = "/tmp/planwave_workers_XXXXXX";
static char one[64], several[64];

static const char SCENARIO[] = "plan: {size: [1.2 m, 0.9 m], rectangles: [{from: [0.5 m, 0 m], to: [0.6 m, 0.6 m], "
                               "material: brick}]}\n"
                               "grid: {scheme: dd2, cell: 2.5 cm, absorber: {cells: 6}}\n"
                               "band: {centre: 1.5 GHz, width: 400 MHz}\n"
                               "transmitters:\n"
                               "  - {name: a, at: [0.3 m, 0.5 m]}\n"
                               "  - {name: b, at: [0.9 m, 0.4 m]}\n"
                               "  - {name: c, at: [0.2 m, 0.2 m]}\n"
                               "  - {name: d, at: [0.8 m, 0.8 m]}\n"
                               "  - {name: e, at: [0.4 m, 0.1 m]}\n"
                               "receivers: [{name: near, at: [0.31 m, 0.7 m]}, {name: far, at: [1.0 m, 0.2 m]}]\n"
                               "spectra: {count: 5, spacing: 3 cells}\n";

/* Long enough to be ended on the way; sanitizers take ten times as long. */
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED
#endif
#endif
#ifdef SANITIZED
#define LONG_STEPS "8000"
#else
#define LONG_STEPS "100000"
#endif
static const char DECAY[] = "stop={after: 60 ns, decay: -40 dB}", LONG[] = "stop={steps: " LONG_STEPS ", decay: off}";

/* What a caller sees, and when it ends the job: at the call of that number; 0: never. */
struct caller {
    int calls, end_at, notes;
    int least, most; /* transmitters that were said to be done at the calls */
    atomic_bool within;
    bool together; /* two threads called at a time */
};

static void enters(struct caller *caller)
{
    caller->together = atomic_exchange(&caller->within, true) || caller->together;
}

static bool progress(const pw_progress *progress, void *user)
{
    struct caller *caller = user;
    enters(caller);
    caller->calls++;
    assert_true(progress->transmitter >= caller->most && progress->transmitters_together >= 0);
    assert_true(progress->transmitter + progress->transmitters_together <= progress->transmitter_count);
    caller->most = progress->transmitter;
    atomic_store(&caller->within, false);
    return caller->end_at == 0 || caller->calls < caller->end_at;
}

static void note(const char *message, void *user)
{
    struct caller *caller = user;
    enters(caller);
    (void)message;
    caller->notes++;
    atomic_store(&caller->within, false);
}

/* A job of so many workers into `path`. */
static pw_status run(const char *stop, const char *path, int workers, bool resume, double interval, int end_at,
                     pw_error *error)
{
    pw_scenario *scenario = NULL;
    pw_setup *setup = NULL;
    struct caller caller = {.end_at = end_at};
    const char *const overrides[] = {stop};
    const pw_run_options options = {.compute.backend = "cpu",
                                    .compute.threads = 1,
                                    .resume = resume,
                                    .checkpoint_interval = interval,
                                    .progress = progress,
                                    .note = note,
                                    .user = &caller};
    assert_ok(pw_scenario_parse("test", SCENARIO, overrides, 1, &scenario, error));
    assert_ok(pw_setup_create(scenario, PW_SINGLE, false, &setup, error));
    pw_status status = job_run_in_workers(setup, &options, path, workers, error);
    assert_true(!caller.together);
    pw_setup_free(setup);
    pw_scenario_free(scenario);
    return status;
}

/* Files of the folder whose names begin with that of the result of several workers. */
static int files_beside(void)
{
    const char *name = strrchr(several, '/') + 1;
    int count = 0;
    DIR *files = opendir(folder);
    assert_non_null(files);
    for (const struct dirent *file = readdir(files); file != NULL; file = readdir(files)) {
        count += strncmp(file->d_name, name, strlen(name)) == 0;
    }
    closedir(files);
    return count;
}

static void check_same(void)
{
    pw_error error = {""};
    FILE *nowhere = fopen("/dev/null", "w");
    assert_non_null(nowhere);
    assert_ok(pw_compare(one, several, 0, false, nowhere, &error));
    fclose(nowhere);
    assert_int_equal(files_beside(), 1);
    unlink(several);
}

static void several_give_the_bits_of_one(void **state)
{
    (void)state;
    static const char *const stops[] = {DECAY, "stop={steps: 700, decay: off}"};
    pw_error error = {""};
    for (int s = 0; s < 2; s++) {
        assert_ok(run(stops[s], one, 1, false, 0, 0, &error));
        for (int workers = 2; workers <= 5; workers += s == 0 ? 1 : 2) {
            assert_ok(run(stops[s], several, workers, false, workers == 3 ? 1e-9 : 0, 0, &error));
            check_same();
        }
        unlink(one);
    }
}

/* Ended at different moments, each time gone on with by more workers, or fewer, or one. */
static void what_was_ended_is_gone_on_with(void **state)
{
    (void)state;
    static const int workers[][2] = {{2, 2}, {2, 1}, {3, 4}, {1, 5}};
    pw_error error = {""};
    assert_ok(run(LONG, one, 1, false, 0, 0, &error));
    for (size_t n = 0; n < sizeof workers / sizeof workers[0]; n++) {
        int ends = 0;
        pw_status status = run(LONG, several, workers[n][0], false, n % 2 == 0 ? 0 : 0.05, 1, &error);
        for (int end_at = 2; status == PW_INTERRUPTED && end_at < 5; end_at++) {
            assert_non_null(strstr(error.message, "--resume continues"));
            assert_true(access(several, F_OK) != 0 && files_beside() > 0);
            ends++;
            status = run(LONG, several, workers[n][1], true, 0, end_at, &error);
        }
        status = status == PW_INTERRUPTED ? run(LONG, several, workers[n][1], true, 0, 0, &error) : status;
        print_message("%d then %d workers, ended %d times: %s\n", workers[n][0], workers[n][1], ends,
                      status == PW_OK ? "done" : error.message);
        assert_true(status == PW_OK && ends > 0);
        check_same();
    }
    unlink(one);
}

/* The third transmitter's wave is too large for a number. The others end with it. */
static void a_failure_ends_all(void **state)
{
    (void)state;
    char burst[96], transmitters[512];
    pw_error error = {""};
    snprintf(burst, sizeof burst, "%s/burst.csv", folder);
    FILE *file = fopen(burst, "w");
    assert_non_null(file);
    fputs("0,0\n1e-9,3e38\n2e-9,0\n", file);
    fclose(file);
    snprintf(transmitters, sizeof transmitters,
             "transmitters=[{at: [0.3, 0.5]}, {at: [0.9, 0.4]}, {at: [0.2, 0.2], waveform: {kind: samples, file: %s, "
             "amplitude: 1e12}}, {at: [0.8, 0.8]}]",
             burst);
    for (int workers = 2; workers <= 4; workers += 2) {
        assert_int_equal(run(transmitters, several, workers, false, 0, 0, &error), PW_NUMERICAL);
        assert_non_null(strstr(error.message, "not finite"));
        assert_true(access(several, F_OK) != 0);
        checkpoint_remove(several, 4);
    }
    unlink(burst);
}

static int folder_create(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    snprintf(one, sizeof one, "%s/one.h5", folder);
    snprintf(several, sizeof several, "%s/several.h5", folder);
    return 0;
}

static int folder_remove(void **state)
{
    (void)state;
    unlink(one);
    unlink(several);
    return rmdir(folder); /* fails when anything was left */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_give_the_bits_of_one),
        cmocka_unit_test(what_was_ended_is_gone_on_with),
        cmocka_unit_test(a_failure_ends_all),
    };
    return cmocka_run_group_tests(tests, folder_create, folder_remove);
}
