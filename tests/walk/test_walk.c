/* Walks against the Bessel series of a cylinder beside a line source, and exact ones against a run with the person in
 * the plan. */
#include "tests/support/check.h"

#include "walk/doppler.h"
#include "walk/path.h"
#include "walk/scatter/person.h"
#include "walk/walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double LIGHT = 299792458.0, RADIUS = 0.08;

#define ROOM                                                                                                           \
    "plan: {size: [1.5 m, 1.2 m]%s}\n"                                                                                 \
    "grid: {cell: %s, absorber: {cells: 16}}\n"                                                                        \
    "band: {centre: 1.5 GHz, width: 200 MHz}\n"                                                                        \
    "transmitters: [{name: a, at: [0.25 m, 0.6 m]}]\n"                                                                 \
    "receivers: [{name: b, at: [1.25 m, 0.62 m]}, {name: c, at: [1.1 m, 0.95 m]}]\n"                                   \
    "spectra: {count: 9}\n"                                                                                            \
    "stop: {after: 25 ns, decay: off}\n"

static pw_scenario *scenario_of(const char *shapes, const char *cell)
{
    char text[2000];
    pw_error error = {""};
    pw_scenario *scenario = NULL;
    snprintf(text, sizeof text, ROOM, shapes, cell);
    if (pw_scenario_parse("room.yaml", text, NULL, 0, &scenario, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    return scenario;
}

static struct walk walk_of(const pw_scenario *scenario, const char *way, pw_walk_method method, int checks)
{
    struct walk walk;
    pw_walk_path path;
    pw_error error = {""};
    assert_int_equal(pw_walk_path_parse(way, &path, &error), PW_OK);
    const pw_walk_options options = {.paths = &path,
                                     .person_count = 1,
                                     .speed = 1,
                                     .rate = 20,
                                     .radius = RADIUS,
                                     .method = method,
                                     .checks = checks,
                                     .compute = {.backend = "cpu", .threads = 1}};
    if (walk_solve(scenario, &options, &walk, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    return walk;
}

static double complex hankel(int m, double x)
{
    return jn(m, x) - I * yn(m, x);
}

/* What the cylinder adds, H between isotropic antennas, and *direct without it: E = -(k eta/4) I H0(k d) over free
 * space at 1 m, H0(k 1 m), times that of three dimensions there and the amplitude of three at the link's distance. */
static double complex series(const struct walk *walk, int pose, int f, int receiver, double complex *direct)
{
    const double *from = walk->place[0], *to = walk->place[1 + receiver], *at = walk->position[pose];
    const double k = 2 * M_PI * walk->frequency[f] / LIGHT, d = hypot(to[0] - from[0], to[1] - from[1]),
                 there = hypot(from[0] - at[0], from[1] - at[1]), back = hypot(to[0] - at[0], to[1] - at[1]),
                 between = atan2(to[1] - at[1], to[0] - at[0]) - atan2(from[1] - at[1], from[0] - at[0]);
    const struct cylinder cylinder = {.radius = RADIUS, .permittivity = muscle_permittivity(walk->frequency[f])};
    const double complex scale = cexp(-I * k) * LIGHT / (4 * M_PI * 1.5e9) / sqrt(d) / hankel(0, k);
    double complex response[21], sum = 0;
    cylinder_response(&cylinder, k, 20, response);
    for (int m = 0; m <= 20; m++) {
        sum += (m > 0 ? 2 : 1) * response[m] * hankel(m, k * there) * hankel(m, k * back) * cos(m * between);
    }
    *direct = scale * hankel(0, k * d);
    return scale * sum;
}

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

/* H of a run whose scenario says where the person is. */
static double complex *run_with(const char *circle, const char *cell, const struct walk *walk)
{
    char path[] = "/tmp/planwave-walk-XXXXXX";
    pw_scenario *scenario = scenario_of(circle, cell);
    pw_setup *setup = NULL;
    pw_result *result = NULL;
    pw_error error = {""};
    pw_channel_options options = pw_channel_options_default();
    const pw_run_options run = {.compute = {.backend = "cpu", .threads = 1}, .force = true, .checkpoint_interval = -1};
    double complex *response = calloc((size_t)walk->frequencies * 2, sizeof *response);
    options.spreading = PW_SPREADING_DISTANCE;
    close(mkstemp(path));
    assert_int_equal(pw_setup_create(scenario, PW_SINGLE, false, &setup, &error), PW_OK);
    assert_int_equal(pw_run(setup, &run, path, &error), PW_OK);
    assert_int_equal(pw_result_open(path, &result, &error), PW_OK);
    for (int r = 0; r < 2; r++) {
        pw_channel *channel = NULL;
        double values[18];
        assert_int_equal(pw_channel_create(result, "a", walk->name[1 + r], NULL, &options, &channel, &error), PW_OK);
        assert_int_equal(pw_channel_response(channel, NULL, values, &error), PW_OK);
        for (int f = 0; f < walk->frequencies; f++) {
            response[f * 2 + r] = values[2 * f] + I * values[2 * f + 1];
        }
        pw_channel_free(channel);
    }
    pw_result_close(result);
    pw_setup_free(setup);
    pw_scenario_free(scenario);
    unlink(path);
    return response;
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

static struct walk walk_still(const pw_scenario *scenario, const char *const *places, int persons,
                              pw_walk_method method)
{
    struct walk walk;
    pw_walk_path paths[4];
    pw_error error = {""};
    for (int n = 0; n < persons; n++) {
        assert_int_equal(pw_walk_path_parse(places[n], &paths[n], &error), PW_OK);
    }
    const pw_walk_options options = {.paths = paths,
                                     .person_count = persons,
                                     .speed = 1,
                                     .rate = 20,
                                     .radius = RADIUS,
                                     .method = method,
                                     .compute = {.backend = "cpu", .threads = 1}};
    if (walk_solve(scenario, &options, &walk, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    return walk;
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

/* Two persons beside a plane of metal: that is, in free space, two mirrored persons too, less the field of a mirrored
 * transmitter. */
static void test_mirror(void **state)
{
    (void)state;
    static const char
        *const MIRRORED[] = {"plan={size: [1.5 m, 2 m]}",
                             "transmitters=[{name: a, at: [0.25 m, 1.4 m]}, {name: mirrored, at: [0.25 m, 0.6 m]}]",
                             "receivers=[{name: b, at: [1.25 m, 1.42 m]}, {name: c, at: [1.1 m, 1.75 m]}]"},
               *const FOUR[] = {"0.7,1.25", "0.9,1.5", "0.7,0.75", "0.9,0.5"}, *const TWO[] = {"0.7,0.45", "0.9,0.7"};
    pw_scenario *scenario = NULL, *plain = scenario_of("", "1 cm");
    pw_error error = {""};
    assert_int_equal(pw_scenario_parse("mirrored.yaml", pw_scenario_text(plain), MIRRORED, 3, &scenario, &error),
                     PW_OK);
    struct walk free_space = walk_still(scenario, FOUR, 4, PW_WALK_CYLINDER);
    pw_scenario_free(scenario);
    pw_scenario_free(plain);
    scenario = scenario_of(", rectangles: [{from: [0 m, 0 m], to: [1.5 m, 0.2 m], material: metal}]", "1 cm");
    struct walk walls = walk_still(scenario, TWO, 2, PW_WALK_WALLS);
    pw_scenario_free(scenario);
    double off = 0, all = 0;
    for (int n = 0; n < 9 * 2; n++) {
        const int r = n % 2;
        const double *to = free_space.place[2 + r], far = hypot(to[0] - 0.25, to[1] - 0.6),
                     near = hypot(to[0] - 0.25, to[1] - 1.4);
        const double complex changed = free_space.csi[2 * n] - free_space.empty[2 * n],
                             mirrored = sqrt(far / near) * (free_space.csi[2 * n + 1] - free_space.empty[2 * n + 1]);
        off += pow(cabs(walls.csi[n] - walls.empty[n] - (changed - mirrored)), 2);
        all += pow(cabs(changed - mirrored), 2);
    }
    assert_true(sqrt(off / all) < 0.005);
    walk_free(&free_space);
    walk_free(&walls);
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
