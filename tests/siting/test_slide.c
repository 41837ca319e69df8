/* Access points that slide: in an empty room towards its middle, beside walls and never into them, and never to where
 * they do less; what is told of it is what runs of the places say. */
#include "tests/support/check.h"

#include "place/planwave_place.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROOM(shapes)                                                                                                   \
    "plan:\n"                                                                                                          \
    "  size: [2.4 m, 1.8 m]\n" shapes "grid: {scheme: fd4o, cell: 3 cm}\n"                                             \
    "band: {centre: 1.2 GHz, width: 400 MHz}\n"                                                                        \
    "transmitters: [{name: ap, at: [0.4 m, 0.4 m], power: 0 dBm}]\n"                                                   \
    "spectra: {count: 8, spacing: 1 cell}\n"                                                                           \
    "stop: {after: 15 ns, decay: off}\n"

static const char EMPTY[] = ROOM(""),
                  WALLED[] = ROOM("  rectangles:\n"
                                  "    - {from: [1.1 m, 0 m], to: [1.2 m, 1.2 m], material: brick}\n"
                                  "    - {from: [0.5 m, 0.9 m], to: [0.8 m, 1 m], material: metal}\n");

enum { ROWS = 4, COLUMNS = 6, DEMAND = ROWS * COLUMNS, MOST = 2 };

static pw_scenario *scenario_get(const char *text)
{
    pw_scenario *scenario = NULL;
    pw_error error = {""};
    if (pw_scenario_parse("room", text, NULL, 0, &scenario, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    return scenario;
}

/* Levels from these places at places all over the room; the caller frees it. */
static pw_siting *siting_of(const pw_scenario *scenario, const pw_site *sites, int count, pw_siting_runs runs)
{
    pw_siting_options options = pw_siting_options_default();
    pw_site demand[DEMAND];
    pw_siting *siting = NULL;
    pw_error error = {""};
    for (int n = 0; n < DEMAND; n++) {
        demand[n] =
            (pw_site){.x = 0.2 + 0.4 * (n % COLUMNS), .y = 0.3 + 0.4 * (n / COLUMNS), .height = NAN, .weight = 1};
    }
    options.candidates = sites;
    options.candidate_count = count;
    options.places = demand;
    options.place_count = DEMAND;
    options.runs = runs;
    options.compute = (pw_compute){.backend = "cpu", .threads = 1};
    if (pw_siting_create(scenario, &options, &siting, &error) != PW_OK || pw_siting_solve(siting, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    return siting;
}

static pw_siting_answer choose(const pw_siting *siting, const pw_siting_need *need)
{
    pw_siting_answer answer;
    pw_error error = {""};
    assert_int_equal(pw_siting_choose(siting, need, &answer, &error), PW_OK);
    assert_false(answer.slid);
    return answer;
}

/* Slides from `sites` (count), checks what is told against runs of where they end, and says where that is. */
static pw_siting_slid slide(const char *text, const pw_site *sites, int count, double level, pw_siting_runs runs,
                            pw_site *ends)
{
    pw_scenario *scenario = scenario_get(text);
    pw_siting_need need = pw_siting_need_default();
    pw_siting_slid slid;
    pw_error error = {""};
    need.best = count;
    need.level = level;
    pw_siting *siting = siting_of(scenario, sites, count, runs);
    pw_siting_answer answer = choose(siting, &need);
    if (pw_siting_slide(siting, &need, &answer, NULL, &slid, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    for (int n = 0; n < count; n++) {
        ends[n] = pw_siting_candidates(siting)[n];
        ends[n].name = NULL;
        assert_true(fabs(hypot(ends[n].x - sites[n].x, ends[n].y - sites[n].y) - answer.moved[n]) < 1e-12);
        assert_true(answer.moved[n] <= 1.0 + 1e-9); /* half of 2 m */
    }
    assert_true(slid.share > slid.share_before - 1e-12);
    assert_true(slid.share > slid.share_before + 1e-12 || slid.mean >= slid.mean_before);
    assert_true(answer.share == slid.share && answer.mean_level == slid.mean);

    pw_siting *check = siting_of(scenario, ends, count, PW_SITING_CANDIDATES_SEND);
    const pw_siting_answer again = choose(check, &need);
    print_message("%.0f dBm: %.2f %% -> %.2f %%, %.2f -> %.2f dBm, %d runs; by runs of the ends %.2f %%, %.2f dBm\n",
                  level, 100 * slid.share_before, 100 * slid.share, slid.mean_before, slid.mean, slid.runs,
                  100 * again.share, again.mean_level);
    assert_true(fabs(again.share - slid.share) < 1e-9 && fabs(again.mean_level - slid.mean) < 1e-3);
    pw_siting_free(check);
    pw_siting_free(siting);
    pw_scenario_free(scenario);
    return slid;
}

static void test_empty_room(void **state)
{
    (void)state;
    const pw_site corner = {.x = 0.5, .y = 0.5, .height = NAN}, middle = {.x = 1.2, .y = 0.9, .height = NAN};
    pw_site end;
    (void)slide(EMPTY, &corner, 1, -33, PW_SITING_CANDIDATES_SEND, &end);
    assert_true(hypot(end.x - 1.2, end.y - 0.9) < 0.5 * hypot(corner.x - 1.2, corner.y - 0.9));
    (void)slide(EMPTY, &middle, 1, -33, PW_SITING_CANDIDATES_SEND, &end);
    assert_true(hypot(end.x - 1.2, end.y - 0.9) < 0.3);
}

static void test_walls(void **state)
{
    (void)state;
    const pw_site sites[MOST] = {{.x = 0.6, .y = 0.75, .height = NAN}, {.x = 1.35, .y = 0.3, .height = NAN}};
    pw_site ends[MOST];
    (void)slide(WALLED, sites, 2, -32, PW_SITING_CANDIDATES_SEND, ends);
    for (int n = 0; n < 2; n++) {
        assert_false(ends[n].x > 1.1 && ends[n].x < 1.2 && ends[n].y < 1.2);
        assert_false(ends[n].x > 0.5 && ends[n].x < 0.8 && ends[n].y > 0.9 && ends[n].y < 1);
    }
    /* Levels by runs from the places are means around the candidates: the slide compares its own. */
    (void)slide(WALLED, sites, 1, -34, PW_SITING_PLACES_SEND, ends);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_empty_room), cmocka_unit_test(test_walls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
