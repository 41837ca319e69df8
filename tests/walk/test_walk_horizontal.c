/* Walks with horizontal polarisation, between loops: against the Bessel series of a cylinder with H along it, against
 * runs with the person in the plan, and beside a plane of metal. */
#include "tests/walk/room.h"

#define ACROSS "polarisation=horizontal"

static pw_scenario *across_of(const char *shapes, const char *cell)
{
    static const char *const overrides[] = {ACROSS};
    return scenario_changed(scenario_of(shapes, cell), overrides, 1);
}

/* By the quick way, and by a solve of every pose. */
static void test_free_space(void **state)
{
    (void)state;
    static const struct {
        pw_walk_method method;
        const char *way, *cell;
        double most;
    } WAYS[] = {{PW_WALK_CYLINDER, "0.7,0.4 0.75,0.85", "1 cm", 0.01}, {PW_WALK_EXACT, "0.7,0.55", "5 mm", 0.06}};
    for (int way = 0; way < 2; way++) {
        pw_scenario *scenario = across_of("", WAYS[way].cell);
        struct walk walk = walk_of(scenario, WAYS[way].way, WAYS[way].method, 0);
        double off = 0, all = 0, empty_off = 0, empty = 0;
        for (int n = 0; n < walk.poses * 9 * 2; n++) {
            const int pose = n / 18, f = n / 2 % 9, r = n % 2;
            double complex direct;
            const double complex right = series(&walk, pose, f, r, &direct), there = walk.empty[f * 2 + r];
            off += pow(cabs(walk.csi[n] - there - right), 2);
            all += pow(cabs(right), 2);
            empty_off += pow(cabs(there - direct), 2);
            empty += pow(cabs(direct), 2);
        }
        print_message("%s: %.4f off, the empty floor %.4f\n", WAYS[way].cell, sqrt(off / all), sqrt(empty_off / empty));
        assert_true(walk.horizontal);
        assert_true(sqrt(empty_off / empty) < 0.01);
        assert_true(sqrt(off / all) < WAYS[way].most);
        walk_free(&walk);
        pw_scenario_free(scenario);
    }
}

/* H of the mirrored transmitter goes the same way round. */
static void test_mirror(void **state)
{
    (void)state;
    const double miss = mirror_miss(ACROSS, 1);
    print_message("mirrored: %.4f off\n", miss);
    assert_true(miss < 0.01);
}

/* Whatever components of the field the scenario keeps, it is H that persons are met by. */
static void test_components(void **state)
{
    (void)state;
    static const char *const KEPT[] = {ACROSS, "spectra={count: 9, components: [ex, ey]}"};
    static const char *const PLACE[] = {"0.7,0.5"};
    pw_scenario *plain = scenario_of("", "2 cm"), *usual = across_of("", "2 cm"), *scenario = NULL;
    pw_error error = {""};
    assert_int_equal(pw_scenario_parse("kept.yaml", pw_scenario_text(plain), KEPT, 2, &scenario, &error), PW_OK);
    struct walk right = walk_still(usual, PLACE, 1, PW_WALK_CYLINDER),
                walk = walk_still(scenario, PLACE, 1, PW_WALK_CYLINDER);
    for (int n = 0; n < 9 * 2; n++) {
        assert_true(cabsf(walk.csi[n] - right.csi[n]) < 1e-5 * cabsf(right.csi[n]));
    }
    walk_free(&right);
    walk_free(&walk);
    pw_scenario_free(scenario);
    pw_scenario_free(usual);
    pw_scenario_free(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_free_space), cmocka_unit_test(test_mirror),
                                       cmocka_unit_test(test_components)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
