/* Walks against the Bessel series of a cylinder beside a line source, and exact ones against a run with the person in
 * the plan. */
#include "tests/walk/room.h"

#include "walk/doppler.h"
#include "walk/path.h"

static void test_free_space(void **state)
{
    (void)state;
    pw_scenario *scenario = scenario_of("", "1 cm");
    struct walk walk = walk_of(scenario, "0.7,0.4 0.75,0.85", PW_WALK_CYLINDER, 0);
    assert_int_equal(walk.poses, 10);
    assert_int_equal(walk.frequencies, 9);
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
    assert_true(sqrt(empty_off / empty) < 0.01);
    assert_true(sqrt(off / all) < 0.01);
    assert_true(walk.fit_error < 0.001);
    walk_free(&walk);
    pw_scenario_free(scenario);
}

#define WALL ", walls: [{from: [0 m, 0.12 m], to: [1.5 m, 0.12 m], thickness: 8 cm, material: brick}]"

/* Exact walks, and the poses that check others, are runs with the person in the plan; what a check says of the quick
 * way is how far it is off them. */
static void test_exact(void **state)
{
    (void)state;
    char material[MATERIAL_SIZE], circle[600];
    double off, error = 0, all = 0, quick_error = 0;
    muscle_material(1.4e9, 1.6e9, material, &off);
    snprintf(circle, sizeof circle, WALL ", circles: [{centre: [0.7 m, 0.5 m], radius: 8 cm, material: %s}]", material);
    pw_scenario *scenario = scenario_of(WALL, "5 mm");
    struct walk exact = walk_of(scenario, "0.7,0.5", PW_WALK_EXACT, 0),
                quick = walk_of(scenario, "0.7,0.5", PW_WALK_CYLINDER, 1);
    double complex *run = run_with(circle, "5 mm", &exact);
    for (int n = 0; n < 18; n++) {
        error += pow(cabs(exact.csi[n] - run[n]), 2);
        quick_error += pow(cabs(quick.csi[n] - run[n]), 2);
        all += pow(cabs(run[n]), 2);
    }
    assert_true(sqrt(error / all) < 1e-3);
    assert_int_equal(quick.check_count, 2);
    double told = 0, sizes = 0; /* by the sizes of the two links */
    for (int n = 0; n < 2; n++) {
        double size = 0;
        for (int f = 0; f < 9; f++) {
            size += pow(cabs(run[f * 2 + quick.check[n].receiver]), 2);
        }
        told += size * pow(quick.check[n].field, 2);
        sizes += size;
        assert_true(fabs(quick.check[n].blockage - exact.blockage[quick.check[n].receiver]) < 0.01);
    }
    assert_true(fabs(sqrt(told / sizes) - sqrt(quick_error / all)) < 2e-3);
    assert_true(sqrt(quick_error / all) < 0.2); /* the wall is near */
    free(run);
    walk_free(&exact);
    walk_free(&quick);
    pw_scenario_free(scenario);
}

/* One person in the shadow of another: what they do to each other is in it. */
static void test_two(void **state)
{
    (void)state;
    pw_walk_path paths[2];
    struct walk walk;
    pw_error error = {""};
    pw_scenario *scenario = scenario_of("", "5 mm");
    assert_int_equal(pw_walk_path_parse("0.6,0.6", &paths[0], &error), PW_OK);
    assert_int_equal(pw_walk_path_parse("0.85,0.62", &paths[1], &error), PW_OK);
    const pw_walk_options options = {.paths = paths,
                                     .person_count = 2,
                                     .speed = 1,
                                     .rate = 20,
                                     .radius = RADIUS,
                                     .checks = 1,
                                     .compute = {.backend = "cpu", .threads = 1}};
    if (walk_solve(scenario, &options, &walk, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(walk.check_count, 2);
    assert_true(walk.check[0].scattered < 0.01 && walk.check[1].scattered < 0.01);
    walk_free(&walk);
    assert_int_equal(pw_walk_path_parse("0.7,0.62", &paths[1], &error), PW_OK);
    assert_int_equal(walk_solve(scenario, &options, &walk, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, "persons 1 and 2 meet at (0.6, 0.6) m"));
    walk_free(&walk);
    pw_scenario_free(scenario);
}

/* A transmitter that is asked for by name has the channels that it has among others. */
static void test_one_transmitter(void **state)
{
    (void)state;
    static const char *const BOTH[] =
        {"transmitters=[{name: a, at: [0.25 m, 0.6 m]}, {name: other, at: [0.3 m, 1 m]}]"},
                             *const OTHER[] = {"other"};
    pw_scenario *plain = scenario_of("", "2 cm"), *scenario = NULL;
    pw_walk_path path;
    struct walk one, both;
    pw_error error = {""};
    assert_int_equal(pw_walk_path_parse("0.7,0.7", &path, &error), PW_OK);
    assert_int_equal(pw_scenario_parse("both.yaml", pw_scenario_text(plain), BOTH, 1, &scenario, &error), PW_OK);
    pw_walk_options options = {.paths = &path,
                               .person_count = 1,
                               .speed = 1,
                               .rate = 20,
                               .radius = RADIUS,
                               .compute = {.backend = "cpu", .threads = 1}};
    assert_int_equal(walk_solve(scenario, &options, &both, &error), PW_OK);
    options.transmitters = OTHER;
    options.transmitter_count = 1;
    assert_int_equal(walk_solve(scenario, &options, &one, &error), PW_OK);
    for (int n = 0; n < one.frequencies * 2; n++) {
        assert_true(cabsf(one.csi[n] - both.csi[2 * n + 1]) < 1e-5 * cabsf(one.csi[n]));
    }
    walk_free(&one);
    walk_free(&both);
    pw_scenario_free(scenario);
    pw_scenario_free(plain);
}

/* Metal turns E round. */
static void test_mirror(void **state)
{
    (void)state;
    assert_true(mirror_miss("polarisation=vertical", -1) < 0.005);
}

/* A way that becomes shorter by v each second shifts by v/lambda upwards. */
static void test_doppler(void **state)
{
    (void)state;
    enum { POSES = 64 };
    struct doppler doppler;
    pw_error error = {""};
    double complex empty = 0.1;
    float complex csi[POSES];
    double frequency = 2e9, power = 0;
    for (int n = 0; n < POSES; n++) {
        csi[n] = (float complex)(empty + 0.01 * cexp(I * 2 * M_PI * 12.5 * n / 100.0));
    }
    const struct walk walk = {.persons = 1,
                              .poses = POSES,
                              .transmitters = 1,
                              .receivers = 1,
                              .frequencies = 1,
                              .rate = 100,
                              .frequency = &frequency,
                              .empty = &empty,
                              .csi = csi};
    assert_int_equal(doppler_make(&walk, &doppler, &error), PW_OK);
    int most = 0;
    for (int bin = 0; bin < doppler.bins; bin++) {
        power += doppler.power[bin];
        most = doppler.power[bin] > doppler.power[most] ? bin : most;
    }
    assert_true(fabs(doppler.frequency[most] - 12.5) < 1e-9);
    assert_true(fabs(power / 1e-4 - 1) < 1e-3); /* Parseval: the mean power in the window */
    doppler_free(&doppler);
}

static void test_path(void **state)
{
    (void)state;
    pw_walk_path path;
    pw_error error = {""};
    double at[2];
    assert_int_equal(pw_walk_path_parse(" 0,0 3,0  3,4 ", &path, &error), PW_OK);
    assert_true(fabs(path_length(&path) - 7) < 1e-12);
    path_at(&path, 5, at);
    assert_true(fabs(at[0] - 3) < 1e-12 && fabs(at[1] - 2) < 1e-12);
    path_at(&path, 9, at);
    assert_true(fabs(at[0] - 3) < 1e-12 && fabs(at[1] - 4) < 1e-12);
    static const char *const WRONG[] = {"", "1", "1,", "1,2,3", "1,x", "nan,1", "1,2;3,4"};
    for (size_t n = 0; n < sizeof WRONG / sizeof *WRONG; n++) {
        assert_int_equal(pw_walk_path_parse(WRONG[n], &path, &error), PW_USAGE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_space), cmocka_unit_test(test_exact),           cmocka_unit_test(test_two),
        cmocka_unit_test(test_mirror),     cmocka_unit_test(test_one_transmitter), cmocka_unit_test(test_doppler),
        cmocka_unit_test(test_path)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
