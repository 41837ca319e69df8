/* From a plan to levels: which points there are, that a run from either end of a link gives the same level, that levels
 * are those of maps, and what is written can be read back. */
#include "tests/support/check.h"

#include "place/planwave_place.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char ROOM[] = "plan:\n"
                           "  size: [1.6 m, 1.2 m]\n"
                           "  rectangles:\n"
                           "    - {from: [0.8 m, 0 m], to: [0.9 m, 0.8 m], material: brick}\n"
                           "    - {from: [1.2 m, 0.5 m], to: [1.3 m, 1 m], material: concrete}\n"
                           "grid: {scheme: fd4o, cell: 2 cm}\n"
                           "band: {centre: 1.5 GHz, width: 400 MHz}\n"
                           "transmitters:\n"
                           "  - {name: ap, at: [0.4 m, 0.4 m], power: 17 dBm}\n"
                           "  - {name: dipole, at: [0.4 m, 0.4 m, 1 m], power: 10 dBm, antenna: half-wave}\n"
                           "spectra: {count: 12, spacing: 1 cell}\n"
                           "stop: {after: 20 ns, decay: off}\n";

static pw_scenario *scenario_get(const char *text)
{
    pw_scenario *scenario = NULL;
    pw_error error = {""};
    if (pw_scenario_parse("room", text, NULL, 0, &scenario, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    return scenario;
}

static pw_siting *siting_get(const pw_scenario *scenario, const pw_siting_options *options)
{
    pw_siting *siting = NULL;
    pw_error error = {""};
    if (pw_siting_create(scenario, options, &siting, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    return siting;
}

static void siting_solve(pw_siting *siting)
{
    pw_error error = {""};
    if (pw_siting_solve(siting, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
}

/* Candidates and places on nodes of the grid, so that no field is taken beside a place. */
enum { CANDIDATES = 3, PLACES = 5 };
static void sites_on_nodes(const pw_facts *facts, pw_site candidates[CANDIDATES], pw_site places[PLACES])
{
    static const double at[CANDIDATES + PLACES][2] = {{0.2, 0.3},  {0.5, 0.9}, {1.1, 0.3}, {0.3, 0.6},
                                                      {0.65, 0.2}, {1.0, 0.9}, {1.4, 0.2}, {1.45, 0.9}};
    for (int n = 0; n < CANDIDATES + PLACES; n++) {
        pw_site *site = n < CANDIDATES ? &candidates[n] : &places[n - CANDIDATES];
        *site = (pw_site){.x = facts->origin_x + facts->cell * round((at[n][0] - facts->origin_x) / facts->cell),
                          .y = facts->origin_y + facts->cell * round((at[n][1] - facts->origin_y) / facts->cell),
                          .height = n < CANDIDATES ? 2.5 : 1.0,
                          .weight = 1.0 + n};
    }
}

/* Reciprocity: the power from a candidate to a place is that from the place to the candidate, to 1e-5. */
static void forward_equals_reverse(void **state)
{
    (void)state;
    pw_scenario *scenario = scenario_get(ROOM);
    pw_siting_options options = pw_siting_options_default();
    pw_site candidates[CANDIDATES], places[PLACES];
    options.candidate_spacing = 0.5;
    pw_siting *first = siting_get(scenario, &options);
    pw_facts facts = pw_siting_describe(first).setup;
    pw_siting_free(first);
    sites_on_nodes(&facts, candidates, places);
    options.candidates = candidates;
    options.candidate_count = CANDIDATES;
    options.places = places;
    options.place_count = PLACES;
    options.mean_width = -1.0; /* at points */
    options.runs = PW_SITING_CANDIDATES_SEND;
    pw_siting *forward = siting_get(scenario, &options);
    options.runs = PW_SITING_PLACES_SEND;
    pw_siting *reverse = siting_get(scenario, &options);
    assert_int_equal(pw_siting_describe(forward).runs, CANDIDATES);
    assert_int_equal(pw_siting_describe(reverse).runs, PLACES);
    siting_solve(forward);
    siting_solve(reverse);
    double worst = 0.0;
    for (int n = 0; n < CANDIDATES * PLACES; n++) {
        double ratio = pow(10.0, 0.1 * (pw_siting_levels(forward)[n] - pw_siting_levels(reverse)[n]));
        worst = fmax(worst, fabs(ratio - 1.0));
    }
    print_message("power of a candidate at a place against the other way around: %.2g\n", worst);
    if (!(worst < 1e-5)) {
        fail_msg("off by %g", worst);
    }
    pw_siting_free(forward);
    pw_siting_free(reverse);
    pw_scenario_free(scenario);
}

static void the_smaller_set_sends(void **state)
{
    (void)state;
    pw_scenario *scenario = scenario_get(ROOM);
    pw_siting_options options = pw_siting_options_default();
    pw_siting *siting = NULL;
    pw_error error = {""};
    options.candidate_spacing = 0.2;
    options.place_spacing = 0.6;
    siting = siting_get(scenario, &options);
    pw_siting_facts facts = pw_siting_describe(siting);
    assert_true(facts.places_send && facts.runs == facts.place_count && facts.place_count < facts.candidate_count);
    pw_siting_free(siting);
    options.model = "dipole"; /* has directions once heights count */
    siting = siting_get(scenario, &options);
    facts = pw_siting_describe(siting);
    assert_false(facts.places_send);
    assert_non_null(strstr(facts.why, "directions"));
    pw_siting_free(siting);
    options.runs = PW_SITING_PLACES_SEND;
    assert_int_equal(pw_siting_create(scenario, &options, &siting, &error), PW_USAGE);
    pw_scenario_free(scenario);
}

/* Against a run and a map of it, made by hand, between its cells. */
static void levels_are_those_of_maps(void **state)
{
    (void)state;
    static const char *const only[] = {"transmitters=[{at: [0.4 m, 0.4 m, 2.2 m], power: 17 dBm}]"};
    pw_scenario *scenario = scenario_get(ROOM), *alone = NULL;
    pw_setup *setup = NULL;
    pw_error error = {""};
    const pw_site candidate = {.x = 0.4, .y = 0.4, .height = 2.2};
    const pw_site places[] = {{.x = 0.25, .y = 1.0, .height = NAN}, {.x = 1.0, .y = 0.3, .height = NAN}};
    pw_siting_options options = pw_siting_options_default();
    options.candidates = &candidate;
    options.candidate_count = 1;
    options.places = places;
    options.place_count = 2;
    options.place_height = 0.8;
    pw_siting *siting = siting_get(scenario, &options);
    siting_solve(siting);
    char path[] = "/tmp/planwave-siting-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    assert_int_equal(pw_scenario_parse("room", ROOM, only, 1, &alone, &error), PW_OK);
    assert_int_equal(pw_setup_create(alone, PW_SINGLE, false, &setup, &error), PW_OK);
    assert_int_equal(pw_run(setup, &(pw_run_options){.force = true}, path, &error), PW_OK);
    pw_result *result = result_get(path);
    pw_map_options map = pw_map_options_default();
    pw_map_shape shape;
    map.quantity = PW_RECEIVED_POWER;
    map.local_mean = true;
    map.channel.receiver_height = 0.8;
    assert_int_equal(pw_map_describe(result, &map, &shape, &error), PW_OK);
    double *value = calloc((size_t)shape.rows * (size_t)shape.columns, sizeof *value);
    assert_non_null(value);
    assert_int_equal(pw_map_compute(result, &map, value, NULL, &error), PW_OK);
    for (int p = 0; p < 2; p++) {
        double u = (places[p].x - shape.x0) / shape.pitch_x, v = (places[p].y - shape.y0) / shape.pitch_y, wanted = 0.0;
        for (int corner = 0; corner < 4; corner++) {
            double column = floor(u) + (corner & 1), row = floor(v) + (corner >> 1);
            double share = (1.0 - fabs(u - column)) * (1.0 - fabs(v - row));
            wanted += share * value[(size_t)row * (size_t)shape.columns + (size_t)column];
        }
        if (!(fabs(pw_siting_levels(siting)[p] - wanted) < 1e-4)) { /* dB: single precision */
            fail_msg("place %d: %.6f dBm, and %.6f dBm in the map", p, pw_siting_levels(siting)[p], wanted);
        }
    }
    free(value);
    pw_result_close(result);
    unlink(path);
    pw_setup_free(setup);
    pw_scenario_free(alone);
    pw_siting_free(siting);
    pw_scenario_free(scenario);
}

/* Three dimensions: a vertical dipole in an empty box, at a place at its own height, broadside: Friis. */
static void three_dimensions(void **state)
{
    (void)state;
    static const char box[] = "dimensions: 3\n"
                              "plan: {size: [0.9 m, 0.5 m], storey: {height: 0.4 m}}\n"
                              "grid: {cell: 2.5 cm}\n"
                              "band: {centre: 1.2 GHz, width: 200 MHz}\n"
                              "transmitters: [{at: [0.2 m, 0.25 m, 0.2 m], power: 10 dBm}]\n"
                              "spectra: {count: 3}\n"
                              "stop: {after: 30 ns, decay: off}\n";
    pw_scenario *scenario = scenario_get(box);
    const pw_site candidates[] = {{.x = 0.2, .y = 0.25, .height = NAN}};
    const pw_site places[] = {{.x = 0.8, .y = 0.25, .height = 0.2}};
    pw_siting_options options = pw_siting_options_default();
    options.candidates = candidates;
    options.candidate_count = 1;
    options.places = places;
    options.place_count = 1;
    options.mean_width = -1.0;
    pw_siting *siting = siting_get(scenario, &options);
    siting_solve(siting);
    double wanted = 10.0 + 20.0 * log10(299792458.0 / (4.0 * M_PI * 1.2e9 * 0.6)), got = pw_siting_levels(siting)[0];
    if (!(fabs(got - wanted) < 0.5)) { /* the field is taken within half a cell, in the plane nearest to 0.2 m */
        fail_msg("%.2f dBm in place of %.2f dBm", got, wanted);
    }
    pw_siting_free(siting);
    pw_scenario_free(scenario);
}

/* A result has 64 planes at most: of places at more heights than that some would be read in a plane that is not theirs.
 */
static void more_heights_than_planes(void **state)
{
    (void)state;
    enum { HEIGHTS = 65 };
    pw_scenario *scenario = scenario_get("dimensions: 3\n"
                                         "plan: {size: [0.9 m, 0.5 m], storey: {height: 0.4 m}}\n"
                                         "grid: {cell: 2.5 cm}\n"
                                         "band: {centre: 1.2 GHz, width: 200 MHz}\n"
                                         "transmitters: [{at: [0.2 m, 0.25 m, 0.2 m]}]\n");
    const pw_site candidates[] = {{.x = 0.2, .y = 0.25, .height = NAN}};
    pw_site places[HEIGHTS];
    pw_siting_options options = pw_siting_options_default();
    options.candidates = candidates;
    options.candidate_count = 1;
    options.places = places;
    for (int n = 0; n < HEIGHTS; n++) {
        places[n] = (pw_site){.x = 0.8, .y = 0.25, .height = 0.05 + 0.004 * n, .weight = 1.0};
    }
    options.place_count = HEIGHTS - 1;
    pw_siting_free(siting_get(scenario, &options));
    options.place_count = HEIGHTS;
    pw_siting *siting = NULL;
    pw_error error = {""};
    assert_int_equal(pw_siting_create(scenario, &options, &siting, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, "places at more than 64 different heights"));
    assert_null(siting);
    pw_scenario_free(scenario);
}

/* Points: none in walls, weights by the last area, and only there. */
static void points_keep_out_of_walls(void **state)
{
    (void)state;
    pw_scenario *scenario = scenario_get(ROOM);
    const pw_siting_area areas[] = {{.name = "left", .x0 = 0.0, .y0 = 0.0, .x1 = 1.0, .y1 = 1.0, .weight = 2.0},
                                    {.name = "corner", .x0 = 0.5, .y0 = 0.5, .x1 = 0.0, .y1 = 0.0, .weight = 7.0}};
    pw_siting_options options = pw_siting_options_default();
    options.candidate_spacing = 0.4;
    options.place_spacing = 0.05;
    options.areas = areas;
    options.area_count = 2;
    pw_siting *siting = siting_get(scenario, &options);
    pw_siting_facts facts = pw_siting_describe(siting);
    double total = 0.0;
    for (int n = 0; n < facts.place_count; n++) {
        const pw_site *place = &pw_siting_places(siting)[n];
        assert_true(place->x <= 1.0 && place->y <= 1.0);
        assert_false(place->x > 0.82 && place->x < 0.88 && place->y < 0.78); /* in the wall, its faces left open */
        bool corner = place->x <= 0.5 && place->y <= 0.5;
        assert_true(place->weight == (corner ? 7.0 : 2.0));
        total += place->weight;
    }
    assert_true(fabs(total - facts.total_weight) < 1e-9);
    for (int n = 0; n < facts.candidate_count; n++) {
        const pw_site *site = &pw_siting_candidates(siting)[n];
        assert_false(site->x > 0.82 && site->x < 0.88 && site->y < 0.78);
    }
    pw_siting_free(siting);
    pw_scenario_free(scenario);
}

/* What creation says of bad points. */
static void bad_points(void **state)
{
    (void)state;
    static const struct {
        pw_site candidate;
        double spacing;
        pw_siting_area area;
        pw_status status;
        const char *says;
    } cases[] = {
        {{.x = 2.0, .y = 0.3}, 0.5, {.weight = 1, .inside = true}, PW_BAD_INPUT, "outside the plan"},
        {{.x = 0.85, .y = 0.4}, 0.5, {.weight = 1, .inside = true}, PW_BAD_INPUT, "inside walls"},
        {{.x = NAN, .y = 0.4}, 0.5, {.weight = 1, .inside = true}, PW_BAD_INPUT, "outside the plan"},
        {{.x = 0.3, .y = 0.3}, -1.0, {.weight = 1, .inside = true}, PW_USAGE, "spacing"},
        {{.x = 0.3, .y = 0.3}, 0.5, {.weight = 0, .inside = true}, PW_BAD_INPUT, "weight"},
        {{.x = 0.3, .y = 0.3},
         0.5,
         {.weight = 1, .x0 = 5, .y0 = 5, .x1 = 6, .y1 = 6},
         PW_BAD_INPUT,
         "nothing of the plan"},
        {{.x = 0.3, .y = 0.3}, 0.5, {.name = "speck", .weight = 1, .x1 = 0.01, .y1 = 0.01}, PW_BAD_INPUT, "speck"},
    };
    pw_scenario *scenario = scenario_get(ROOM);
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        pw_siting_options options = pw_siting_options_default();
        pw_siting *siting = NULL;
        pw_error error = {""};
        options.candidates = &cases[n].candidate;
        options.candidate_count = 1;
        options.place_spacing = cases[n].spacing;
        options.areas = &cases[n].area;
        options.area_count = 1;
        assert_int_equal(pw_siting_create(scenario, &options, &siting, &error), cases[n].status);
        assert_null(siting);
        if (strstr(error.message, cases[n].says) == NULL) {
            fail_msg("'%s' does not say '%s'", error.message, cases[n].says);
        }
    }
    pw_scenario_free(scenario);
}

/* Texts of the caller may go once the siting is there; the facts keep the title. */
static void texts_of_the_caller(void **state)
{
    (void)state;
    pw_scenario *scenario = scenario_get(ROOM);
    pw_siting_options options = pw_siting_options_default();
    char backend[] = "cpu";
    pw_site candidate = {.x = 0.3, .y = 0.3, .height = NAN};
    options.compute.backend = backend;
    options.candidates = &candidate;
    options.candidate_count = 1;
    options.place_spacing = 0.5;
    pw_siting *siting = siting_get(scenario, &options);
    memset(backend, 'x', sizeof backend - 1);
    candidate = (pw_site){.x = NAN};
    siting_solve(siting);
    assert_non_null(pw_siting_levels(siting));
    assert_true(strlen(pw_siting_describe(siting).setup.title) < 1000);
    pw_siting_free(siting);
    pw_scenario_free(scenario);
}

static bool stop_now(double done, void *user)
{
    (void)done;
    (void)user;
    return false;
}

/* Stopped by the caller: no levels, which choosing then asks for. */
static void interruption(void **state)
{
    (void)state;
    pw_scenario *scenario = scenario_get(ROOM);
    pw_siting_options options = pw_siting_options_default();
    pw_siting_answer answer;
    pw_error error = {""};
    options.candidate_spacing = 0.5;
    options.monitor.tell = stop_now;
    pw_siting *siting = siting_get(scenario, &options);
    assert_int_equal(pw_siting_solve(siting, &error), PW_INTERRUPTED);
    assert_null(pw_siting_levels(siting));
    assert_int_equal(pw_siting_choose(siting, NULL, &answer, &error), PW_USAGE);
    pw_siting_free(siting);
    pw_scenario_free(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forward_equals_reverse),
        cmocka_unit_test(the_smaller_set_sends),
        cmocka_unit_test(levels_are_those_of_maps),
        cmocka_unit_test(three_dimensions),
        cmocka_unit_test(more_heights_than_planes),
        cmocka_unit_test(points_keep_out_of_walls),
        cmocka_unit_test(bad_points),
        cmocka_unit_test(texts_of_the_caller),
        cmocka_unit_test(interruption),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
