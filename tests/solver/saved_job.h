/* What the tests of checkpoints share: a folder, a job of two transmitters that is solved, saved and gone on with in
 * it. */
#ifndef SAVED_JOB_H
#define SAVED_JOB_H

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "result/result.h"
#include "run/job/checkpoint.h"
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

static inline int folder_create(void **state)
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

static inline int files_remove(void **state)
{
    (void)state;
    const char *names[] = {path, whole, newest, older, finished};
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        unlink(names[n]);
    }
    return 0;
}

static inline int folder_remove(void **state)
{
    files_remove(state);
    return rmdir(folder); /* fails when anything else was left */
}

static inline bool exists(const char *file)
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

static inline void assert_says(const pw_error *error, const char *words)
{
    if (strstr(error->message, words) == NULL) {
        fail_msg("'%s' lacks '%s'", error->message, words);
    }
}

static inline void assert_same(const char *a, const char *b)
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
static inline struct solved prepare(pw_precision precision, const char *backend)
{
    struct solved made = {0};
    pw_error error = {""};
    assert_ok(pw_scenario_parse("test", SCENARIO, NULL, 0, &made.scenario, &error));
    assert_ok(pw_setup_create(made.scenario, precision, false, &made.setup, &error));
    assert_ok(pw_simulation_create(made.setup, &(pw_compute){.backend = backend, .threads = 1}, 0, 2, &made.simulation,
                                   &error));
    return made;
}

static inline struct solved solve_alone(pw_precision precision, const char *backend)
{
    struct solved made = prepare(precision, backend);
    pw_error error = {""};
    assert_ok(pw_simulation_run(made.simulation, NULL, NULL, &error));
    return made;
}

static inline struct checkpoint_store *open_store(const struct setup *setup)
{
    struct checkpoint_store *store = NULL;
    pw_error error = {""};
    assert_ok(checkpoint_store_create(path, setup, &store, &error));
    return store;
}

/* A checkpoint of SCENARIO after `steps` steps as `newest`. */
static inline void write_made(pw_precision precision, const char *backend, int64_t steps)
{
    struct solved solved = prepare(precision, backend);
    struct checkpoint_store *store = open_store(solved.setup);
    pw_error error = {""};
    assert_ok(pw_simulation_advance(solved.simulation, steps, &error));
    assert_ok(checkpoint_write(store, solved.simulation, &error));
    checkpoint_store_free(store);
    solve_free(&solved);
}

/* What a store for `text` finds beside the result. */
static inline pw_status find_as(const char *text, pw_precision precision, pw_error *error)
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

#endif
