/* Metal between the nodes against closed forms (metal_scenes.h): a guide below cutoff, whose attenuation tells where
 * its walls stand, and a round post in a dense medium. */
#include "tests/metal/metal_scenes.h"

static void test_guide_below_cutoff(void **state)
{
    (void)state;
    static const char *const grids[] = {"grid: {cell: 1 cm}\n", "grid: {cell: 2 cm}\n"};
    const double law = guide_law();
    for (int g = 0; g < 2; g++) {
        for (int p = 0; p < 4; p++) {
            const double found = guide_solved(grids[g], 0.00257 * p, p % 2 == 1);
            print_message("%d cm, walls %.2f mm off: %.2f dB a metre, right %.2f\n", g + 1, 2.57 * p, found, law);
            assert_true(fabs(found - law) < GUIDE_GATE);
        }
    }
}

static void test_post_in_a_medium(void **state)
{
    (void)state;
    static const double places[][2] = {{0, 0}, {0.3, 0.1}, {0.75, 0.6}};
    static const char grid[] = "grid: {cell: 2 mm}\n";
    struct post_echo without;
    post_field(grid, "", &without);
    for (int p = 0; p < 3; p++) {
        const double error = post_error(grid, &without, places[p][0], places[p][1]);
        print_message("(%g, %g) cells off a node: %.2f %% of the echo\n", places[p][0], places[p][1], 100 * error);
        assert_true(error < POST_GATE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_guide_below_cutoff),
                                       cmocka_unit_test(test_post_in_a_medium)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
