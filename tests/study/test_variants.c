/* Variants of a scenario: each has the bits that it has alone, however many are solved at a time; failures name the
 * variant, and neither they nor an interruption leave anything behind. */
#include "tests/support/check.h"

#include "api/study/variants.h"
#include "base/crew.h"
#include "scenario/scenario.h"

#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROOM                                                                                                           \
    "plan:\n"                                                                                                          \
    "  size: [1.2 m, 0.9 m]\n"                                                                                         \
    "  rectangles: [{from: [0.5 m, 0.2 m], to: [0.6 m, 0.7 m], material: brick}]\n"                                    \
    "grid: {scheme: dd4, cell: 3 cm, courant: 0.3}\n"                                                                  \
    "band: {centre: 1 GHz, width: 300 MHz}\n"                                                                          \
    "transmitters: [{name: west, at: [0.2 m, 0.4 m]}, {name: east, at: [1 m, 0.4 m]}]\n"                               \
    "spectra: {count: 4, spacing: 2 cells}\n"                                                                          \
    "stop: {after: 20 ns, decay: %s}\n"

enum { VARIANTS = 8 };

/* What a study is to do wrong, and what it found. */
struct found {
    double *spectra[VARIANTS]; /* of the second transmitter of each, owned */
    size_t size;
    int taken[VARIANTS];
    int change_fails, take_fails; /* index; -1: none */
    pthread_t caller;
};

static char folder[] = "/tmp/planwave-variants-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL || setenv("TMPDIR", folder, 1) != 0;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder); /* which fails unless it is empty */
}

static void folder_is_empty(void)
{
    DIR *listing = opendir(folder);
    assert_non_null(listing);
    for (const struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        assert_true(entry->d_name[0] == '.');
    }
    closedir(listing);
}

static pw_status change(struct scenario *scenario, int index, void *user, pw_error *error)
{
    struct found *found = user;
    pw_parameter brick = {.kind = PW_PARAMETER_PERMITTIVITY, .name = "brick"};
    if (index == found->change_fails) {
        return fail(error, PW_BAD_INPUT, "this change is refused");
    }
    return pw_parameter_scale(scenario, &brick, 1.0 + 0.1 * index, error);
}

static pw_status take(const pw_result *result, int index, void *user, pw_error *error)
{
    struct found *found = user;
    pw_transmitter east;
    pw_error ignored;
    assert_true(pthread_equal(pthread_self(), found->caller));
    found->taken[index]++;
    if (index == found->take_fails) {
        return fail(error, PW_NUMERICAL, "this result is refused");
    }
    assert_int_equal(pw_result_transmitter(result, 1, &east, &ignored), PW_OK);
    pw_block all = {0, east.spectra_rows, 0, east.spectra_columns};
    found->size =
        (size_t)pw_result_describe(result).frequency_count * (size_t)all.row_count * (size_t)all.column_count * 2;
    free(found->spectra[index]);
    found->spectra[index] = calloc(found->size, sizeof(double));
    return pw_result_spectra(result, 1, &all, found->spectra[index], error);
}

static pw_status solve(struct found *found, const char *decay, int count, const pw_variants_options *options,
                       pw_error *error)
{
    char text[1024];
    snprintf(text, sizeof text, ROOM, decay);
    found->caller = pthread_self();
    pw_variants variants = {.name = "room.yaml",
                            .text = text,
                            .noun = "sample",
                            .count = count,
                            .change = change,
                            .take = take,
                            .user = found};
    pw_status status = pw_variants_solve(&variants, options, error);
    folder_is_empty();
    return status;
}

static void free_found(struct found *found)
{
    for (int n = 0; n < VARIANTS; n++) {
        free(found->spectra[n]);
    }
}

/* One by one on two threads, and two at a time on one thread each. */
static void same_bits(const char *decay)
{
    const char *asked = getenv("BACKEND"), *backend = asked != NULL ? asked : "cpu"; /* tests/gpu.sh: cuda */
    struct found alone = {.change_fails = -1, .take_fails = -1}, together = alone;
    pw_variants_options one = {.compute.backend = backend, .compute.threads = 2, .together = 1};
    pw_variants_options two = {.compute.backend = backend, .compute.threads = 2};
    pw_error error = {""};
    if (solve(&alone, decay, VARIANTS, &one, &error) != PW_OK ||
        solve(&together, decay, VARIANTS, &two, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    for (int n = 0; n < VARIANTS; n++) {
        assert_int_equal(alone.taken[n], 1);
        assert_int_equal(together.taken[n], 1);
        assert_memory_equal(alone.spectra[n], together.spectra[n], alone.size * sizeof(double));
        assert_true(n == 0 || memcmp(alone.spectra[n], alone.spectra[n - 1], alone.size * sizeof(double)) != 0);
    }
    free_found(&alone);
    free_found(&together);
}

static void test_same_bits(void **state)
{
    (void)state;
    same_bits("off");
    same_bits("-30 dB");
}

static bool stop_at_once(double done, void *user)
{
    (void)done;
    return ++*(int *)user < 2;
}

static void test_failures(void **state)
{
    (void)state;
    pw_variants_options options = {.compute.backend = "cpu", .compute.threads = 2};
    struct found found = {.change_fails = 4, .take_fails = -1};
    pw_error error = {""};
    assert_int_equal(solve(&found, "off", VARIANTS, &options, &error), PW_BAD_INPUT);
    assert_string_equal(error.message, "sample 5 of 8: this change is refused");
    free_found(&found);

    found = (struct found){.change_fails = -1, .take_fails = 2};
    assert_int_equal(solve(&found, "off", VARIANTS, &options, &error), PW_NUMERICAL);
    assert_string_equal(error.message, "sample 3 of 8: this result is refused");
    free_found(&found);

    /* Alone there is nothing to tell it from. */
    found = (struct found){.change_fails = 0, .take_fails = -1};
    assert_int_equal(solve(&found, "off", 1, &options, &error), PW_BAD_INPUT);
    assert_string_equal(error.message, "this change is refused");
    free_found(&found);

    int told = 0;
    found = (struct found){.change_fails = -1, .take_fails = -1};
    options.monitor = (pw_monitor){stop_at_once, &told};
    assert_int_equal(solve(&found, "off", VARIANTS, &options, &error), PW_INTERRUPTED);
    assert_string_equal(error.message, "stopped by an interruption in a sample");
    free_found(&found);

    options = (pw_variants_options){.compute.backend = "abacus"};
    assert_int_equal(solve(&found, "off", VARIANTS, &options, &error), PW_NO_RESOURCE);
    setenv("TMPDIR", "/nowhere/at/all", 1);
    options.compute.backend = "cpu";
    assert_int_equal(solve(&found, "off", 1, &options, &error), PW_NO_RESOURCE);
    assert_non_null(strstr(error.message, "/nowhere/at/all"));
    setenv("TMPDIR", folder, 1);
}

/* ---- the crew below it ---- */

enum { PIECES = 200 };

struct pieces {
    int done[PIECES], taken[PIECES];
    double told;
};

static pw_status piece_work(int index, struct crew_post *post, void *user, pw_error *error)
{
    struct pieces *pieces = user;
    pieces->done[index]++;
    return crew_tell(post, 0.5) ? PW_OK : fail(error, PW_INTERRUPTED, "stopped");
}

static pw_status piece_take(int index, void *user, pw_error *error)
{
    (void)error;
    struct pieces *pieces = user;
    assert_int_equal(pieces->done[index], 1);
    pieces->taken[index]++;
    return PW_OK;
}

static bool piece_tell(double done, void *user)
{
    struct pieces *pieces = user;
    assert_true(done >= pieces->told && done <= 1.0);
    pieces->told = done;
    return true;
}

static void test_crew(void **state)
{
    (void)state;
    for (int members = 0; members < 9; members += 4) {
        struct pieces pieces = {.told = 0.0};
        pw_error error = {""};
        int failed = 0;
        struct crew crew = {.count = PIECES,
                            .members = members,
                            .work = piece_work,
                            .take = piece_take,
                            .user = &pieces,
                            .monitor = {piece_tell, &pieces}};
        assert_int_equal(crew_run(&crew, &failed, &error), PW_OK);
        assert_int_equal(failed, -1);
        assert_true(pieces.told == 1.0);
        for (int n = 0; n < PIECES; n++) {
            assert_true(pieces.done[n] == 1 && pieces.taken[n] == 1);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_crew),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
