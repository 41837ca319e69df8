/* A room without walls, walks in it, what the Bessel series of a cylinder beside a line source says of them, and a run
 * whose scenario says where the person is. */
#ifndef TESTS_WALK_ROOM_H
#define TESTS_WALK_ROOM_H

#include "tests/support/check.h"

#include "walk/scatter/person.h"
#include "walk/walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double LIGHT = 299792458.0, RADIUS = 0.08;

#define WALK_ROOM                                                                                                      \
    "plan: {size: [1.5 m, 1.2 m]%s}\n"                                                                                 \
    "grid: {cell: %s, absorber: {cells: 16}}\n"                                                                        \
    "band: {centre: 1.5 GHz, width: 200 MHz}\n"                                                                        \
    "transmitters: [{name: a, at: [0.25 m, 0.6 m]}]\n"                                                                 \
    "receivers: [{name: b, at: [1.25 m, 0.62 m]}, {name: c, at: [1.1 m, 0.95 m]}]\n"                                   \
    "spectra: {count: 9}\n"                                                                                            \
    "stop: {after: 25 ns, decay: off}\n"

static inline pw_scenario *scenario_of(const char *shapes, const char *cell)
{
    char text[2000];
    pw_error error = {""};
    pw_scenario *scenario = NULL;
    snprintf(text, sizeof text, WALK_ROOM, shapes, cell);
    if (pw_scenario_parse("room.yaml", text, NULL, 0, &scenario, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    return scenario;
}

/* Of `plain`, which is freed, with some keys changed. */
static inline pw_scenario *scenario_changed(pw_scenario *plain, const char *const *overrides, size_t count)
{
    pw_error error = {""};
    pw_scenario *scenario = NULL;
    if (pw_scenario_parse("room.yaml", pw_scenario_text(plain), overrides, count, &scenario, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    pw_scenario_free(plain);
    return scenario;
}

static inline struct walk walk_of(const pw_scenario *scenario, const char *way, pw_walk_method method, int checks)
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

static inline double complex hankel(int m, double x)
{
    return jn(m, x) - I * yn(m, x);
}

/* What the cylinder adds, H between isotropic antennas, and *direct without it: E = -(k eta/4) I H0(k d) over free
 * space at 1 m, H0(k 1 m), times that of three dimensions there and the amplitude of three at the link's distance. */
static inline double complex series(const struct walk *walk, int pose, int f, int receiver, double complex *direct)
{
    const double *from = walk->place[0], *to = walk->place[1 + receiver], *at = walk->position[pose];
    const double k = 2 * M_PI * walk->frequency[f] / LIGHT, d = hypot(to[0] - from[0], to[1] - from[1]),
                 there = hypot(from[0] - at[0], from[1] - at[1]), back = hypot(to[0] - at[0], to[1] - at[1]),
                 between = atan2(to[1] - at[1], to[0] - at[0]) - atan2(from[1] - at[1], from[0] - at[0]);
    const struct cylinder cylinder = {
        .radius = RADIUS, .permittivity = muscle_permittivity(walk->frequency[f]), .across = walk->horizontal};
    const double complex scale = cexp(-I * k) * LIGHT / (4 * M_PI * 1.5e9) / sqrt(d) / hankel(0, k);
    double complex response[21], sum = 0;
    cylinder_response(&cylinder, k, 20, response);
    for (int m = 0; m <= 20; m++) {
        sum += (m > 0 ? 2 : 1) * response[m] * hankel(m, k * there) * hankel(m, k * back) * cos(m * between);
    }
    *direct = scale * hankel(0, k * d);
    return scale * sum;
}

/* H of a run whose scenario says where the person is. */
static inline double complex *response_of(const pw_scenario *scenario, const struct walk *walk)
{
    char path[] = "/tmp/planwave-walk-XXXXXX";
    pw_setup *setup = NULL;
    pw_result *result = NULL;
    pw_error error = {""};
    pw_channel_options options = pw_channel_options_default();
    const pw_run_options run = {.compute = {.backend = "cpu", .threads = 1}, .force = true, .checkpoint_interval = -1};
    double complex *response = calloc((size_t)walk->frequencies * 2, sizeof *response);
    options.spreading = walk->space ? PW_SPREADING_NONE : PW_SPREADING_DISTANCE;
    close(mkstemp(path));
    if (pw_setup_create(scenario, PW_SINGLE, false, &setup, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
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
    unlink(path);
    return response;
}

static inline double complex *run_with(const char *circle, const char *cell, const struct walk *walk)
{
    pw_scenario *scenario = scenario_of(circle, cell);
    double complex *response = response_of(scenario, walk);
    pw_scenario_free(scenario);
    return response;
}

static inline struct walk walk_still(const pw_scenario *scenario, const char *const *places, int persons,
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

/* Two persons beside a plane of metal: that is, in free space, two mirrored persons and a mirrored transmitter too,
 * whose waves come with `sign`. By how much what the persons change differs, of all of it; what walls send back to the
 * persons is in it. */
static inline double mirror_miss(const char *polarisation, double sign)
{
    const char *const mirrored[] = {
        polarisation, "plan={size: [1.5 m, 2 m]}",
        "transmitters=[{name: a, at: [0.25 m, 1.4 m]}, {name: mirrored, at: [0.25 m, 0.6 m]}]",
        "receivers=[{name: b, at: [1.25 m, 1.42 m]}, {name: c, at: [1.1 m, 1.75 m]}]"};
    static const char *const FOUR[] = {"0.7,1.25", "0.9,1.5", "0.7,0.75", "0.9,0.5"}, *const TWO[] = {"0.7,0.45",
                                                                                                      "0.9,0.7"};
    pw_scenario *scenario = scenario_changed(scenario_of("", "1 cm"), mirrored, 4);
    struct walk free_space = walk_still(scenario, FOUR, 4, PW_WALK_CYLINDER);
    pw_scenario_free(scenario);
    scenario = scenario_of(", rectangles: [{from: [0 m, 0 m], to: [1.5 m, 0.2 m], material: metal}]", "1 cm");
    scenario = scenario_changed(scenario, mirrored, 1);
    struct walk walls = walk_still(scenario, TWO, 2, PW_WALK_WALLS);
    pw_scenario_free(scenario);
    double off = 0, all = 0;
    for (int n = 0; n < 9 * 2; n++) {
        const int r = n % 2;
        const double *to = free_space.place[2 + r], far = hypot(to[0] - 0.25, to[1] - 0.6),
                     near = hypot(to[0] - 0.25, to[1] - 1.4);
        const double complex changed = free_space.csi[2 * n] - free_space.empty[2 * n],
                             other = free_space.csi[2 * n + 1] - free_space.empty[2 * n + 1],
                             right = changed + sign * sqrt(far / near) * other;
        off += pow(cabs(walls.csi[n] - walls.empty[n] - right), 2);
        all += pow(cabs(right), 2);
    }
    walk_free(&free_space);
    walk_free(&walls);
    return sqrt(off / all);
}

#endif
