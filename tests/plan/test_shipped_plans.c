/* The scenarios of floorplans/ that have heights: each runs in three and in two dimensions, and flat and office have
 * one plan in either of their files. */
#include "tests/support/check.h"

#include "tests/plan/shipped.h"

#include <stdlib.h>
#include <string.h>

/* From the key `plan` to the key `grid`. */
static char *plan_text(const char *name)
{
    pw_scenario *scenario = shipped(name, "dimensions=3");
    const char *from = strstr(scenario->text, "\nplan:"), *to = strstr(scenario->text, "\ngrid:");
    assert_true(from != NULL && to != NULL);
    char *text = strndup(from, (size_t)(to - from));
    pw_scenario_free(scenario);
    return text;
}

/* Flat and office have a file for either number of dimensions, with one plan. */
static void either_file_has_one_plan(void **state)
{
    (void)state;
    static const char *const NAMES[][2] = {{"flat", "flat_3d"}, {"office", "office_3d"}};
    for (size_t n = 0; n < 2; n++) {
        char *flat = plan_text(NAMES[n][0]), *space = plan_text(NAMES[n][1]);
        assert_string_equal(flat, space);
        free(flat);
        free(space);
    }
}

/* The same files run in two dimensions, and say what does not stand on the plan of such a run. */
static void shipped_plans_run_in_two_dimensions(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"flat", "office", "flat_3d", "office_3d", "house", "hall"};
    for (size_t n = 0; n < sizeof NAMES / sizeof *NAMES; n++) {
        pw_scenario *scenario = shipped(NAMES[n], "dimensions=2");
        pw_setup *setup = NULL;
        pw_error error = {""};
        scenario->grid.cell = n == 0 ? 0.03 : 0.06; /* larger than what would be chosen, to save time */
        if (pw_setup_create(scenario, PW_SINGLE, false, &setup, &error) != PW_OK) {
            fail_msg("%s: %s", NAMES[n], error.message);
        }
        bool told = false;
        for (size_t w = 0; w < pw_setup_warning_count(setup); w++) {
            const char *storeys = "3 of 6 transmitters and receivers are in another storey";
            told = told || strstr(pw_setup_warning(setup, w), storeys) != NULL;
        }
        assert_int_equal(told, strcmp(NAMES[n], "house") == 0);
        pw_setup_free(setup);
        pw_scenario_free(scenario);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_plans_run_in_two_dimensions),
        cmocka_unit_test(either_file_has_one_plan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
