/* What is forecast to be at rest: waves in air come straight, at the speed of light. */
#include "tests/support/check.h"

#include "backend/parts/rest_share.h"
#include "base/constants.h"

#include <math.h>

static double share(int nx, int ny, int i, int j, double steps)
{
    const int64_t node = i + (int64_t)nx * j;
    struct source source = {.count = 1, .node = (int64_t *)&node};
    struct problem problem = {.formulation = FORMULATION_MAXWELL3D, .sources = &source};
    problem_set_volume(&problem, nx, ny, 50, 0.01);
    problem.time_step = 0.4 * 0.01 / SPEED_OF_LIGHT; /* light makes 0.4 cells a step */
    return rest_share(&problem, 0, steps);
}

static void assert_between(double value, double least, double most)
{
    print_message("%.4f, between %.4f and %.4f\n", value, least, most);
    assert_true(value >= least && value <= most);
}

/* In a corridor the wave passes cell i after i / 0.4 steps, and is looked for some 164 to 228 cells ahead. */
static void a_corridor_fills_at_the_speed_of_light(void **state)
{
    (void)state;
    const double cells = 6400, all = cells / 0.4;
    for (int times = 1; times < 9; times += 2) {
        const double steps = times * all;
        const double most = pow(cells - 164, 2) / (2 * cells) / 0.4 / steps,
                     least = pow(cells - 228, 2) / (2 * cells) / 0.4 / steps;
        assert_between(share((int)cells, 64, 0, 30, steps), least, most);
    }
}

static void a_run_that_ends_early_leaves_most_at_rest(void **state)
{
    (void)state;
    assert_between(share(6400, 64, 0, 30, 10), 0.95, 1);
    assert_between(share(1280, 1280, 640, 640, 10), 0.75, 0.95);
}

static void the_middle_reaches_everything_sooner(void **state)
{
    (void)state;
    assert_true(share(2000, 2000, 1000, 1000, 9000) < share(2000, 2000, 1000, 0, 9000));
    assert_true(share(2000, 2000, 1000, 0, 9000) < share(2000, 2000, 0, 0, 9000));
    assert_true(share(150, 150, 0, 0, 9000) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_corridor_fills_at_the_speed_of_light),
        cmocka_unit_test(a_run_that_ends_early_leaves_most_at_rest),
        cmocka_unit_test(the_middle_reaches_everything_sooner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
