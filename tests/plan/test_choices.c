/* The tables that a scenario chooses from: what the public list names can be written in a scenario, names differ, one
 * of them is the default; and a picture of no known format is refused with the formats that are. */
#include "tests/support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "drawing/planwave_drawings.h"

static const char TEXT[] = "plan: {size: [4, 3]}\n"
                           "grid: {cell: 2 cm}\n"
                           "band: {centre: 2.4 GHz, width: 300 MHz}\n"
                           "transmitters: [{at: [1, 1]}]\n"
                           "stop: {after: 100 ns}\n";

/* The kinds that a scenario names, and how. */
static const struct {
    pw_choice_kind kind;
    const char *set, *resolved; /* with the name */
} WRITTEN[] = {{PW_SCHEMES, "grid.scheme=%s", "  scheme: %s\n"},
               {PW_AVERAGINGS, "grid.averaging=%s", "  averaging: %s\n"},
               {PW_ABSORBERS, "grid.absorber.kind=%s", "absorber: {kind: %s"},
               {PW_WAVEFORMS, "transmitters.0.waveform={kind: %s}", "waveform: {kind: %s"}};

static void every_kind_is_listed(void **state)
{
    (void)state;
    for (int kind = PW_SCHEMES; kind <= PW_DRAWING_FORMATS; kind++) {
        size_t count = 0;
        for (; pw_choice_describe((pw_choice_kind)kind, count).name != NULL; count++) {
            pw_choice choice = pw_choice_describe((pw_choice_kind)kind, count);
            assert_true(choice.name[0] != '\0' && choice.description[0] != '\0');
            for (size_t before = 0; before < count; before++) {
                assert_string_not_equal(pw_choice_describe((pw_choice_kind)kind, before).name, choice.name);
            }
        }
        assert_true(count > 0);
        assert_null(pw_choice_describe((pw_choice_kind)kind, count + 1).name);
    }
    assert_null(pw_choice_describe((pw_choice_kind)99, 0).name);
}

/* The scenario as it is set up; one with another waveform as it is read, for some never end. */
static void resolve(const char *set, char *text, size_t size)
{
    pw_scenario *scenario = NULL;
    pw_error error = {""};
    if (pw_scenario_parse("test.yaml", TEXT, &set, set != NULL, &scenario, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    pw_setup *setup = NULL;
    if (set == NULL || strstr(set, "waveform") == NULL) {
        assert_int_equal(pw_setup_create(scenario, PW_SINGLE, false, &setup, &error), PW_OK);
    }
    snprintf(text, size, "%s", setup != NULL ? pw_setup_scenario_text(setup) : pw_scenario_text(scenario));
    pw_setup_free(setup);
    pw_scenario_free(scenario);
}

static void what_is_listed_can_be_written(void **state)
{
    (void)state;
    char set[200], wanted[100], text[4000], plain[4000];
    resolve(NULL, plain, sizeof plain);
    for (size_t w = 0; w < sizeof WRITTEN / sizeof *WRITTEN; w++) {
        int defaults = 0;
        pw_choice choice;
        for (size_t n = 0; (choice = pw_choice_describe(WRITTEN[w].kind, n)).name != NULL; n++) {
            snprintf(wanted, sizeof wanted, WRITTEN[w].resolved, choice.name);
            assert_int_equal(strstr(plain, wanted) != NULL, choice.is_default);
            defaults += choice.is_default;
            if (strcmp(choice.name, "samples") != 0) { /* needs a file */
                snprintf(set, sizeof set, WRITTEN[w].set, choice.name);
                resolve(set, text, sizeof text);
                assert_non_null(strstr(text, wanted));
            }
        }
        assert_int_equal(defaults, 1);
    }
}

static void no_picture_is_told_from_the_formats(void **state)
{
    (void)state;
    char path[] = "/tmp/planwave-test-choices-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0 && write(file, "no picture", 10) == 10);
    close(file);
    pw_picture image = {0};
    pw_error error = {""};
    assert_int_equal(pw_picture_read(path, &image, &error), PW_BAD_INPUT);
    assert_null(image.rgb);
    assert_non_null(strstr(error.message, path));
    for (size_t n = 0; pw_picture_format_listed(n) != NULL; n++) {
        assert_non_null(strstr(error.message, pw_picture_format_listed(n)->name));
    }
    unlink(path);
    assert_int_equal(pw_picture_read(path, &image, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, "No such file"));
}

int main(void)
{
    pw_drawings_use(pw_drawing_formats());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_listed),
        cmocka_unit_test(what_is_listed_can_be_written),
        cmocka_unit_test(no_picture_is_told_from_the_formats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
