/* Results of two grids: free space, where channel and map are the same whatever the grid. What is known to differ is
 * found with its size, and what cannot be compared is named. */
#include "tests/support/check.h"

#include "api/map.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "tests/channel/free_space_result.h"

static char other[80];

/* Solves the scenario into `path`; returns the forecast of its local means' error [dB]. */
static double solve(const char *text, const char *path)
{
    pw_error error = {""};
    pw_scenario *scenario = NULL;
    pw_setup *setup = NULL;
    pw_run_options options = {.compute.backend = "reference", .force = true};
    if (pw_scenario_parse("test", text, NULL, 0, &scenario, &error) != PW_OK ||
        pw_setup_create(scenario, PW_DOUBLE, false, &setup, &error) != PW_OK ||
        pw_run(setup, &options, path, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    double forecast = pw_setup_facts(setup).local_mean_error;
    pw_setup_free(setup);
    pw_scenario_free(scenario);
    return forecast;
}

/* A run of the same room with another grid line, power of the first transmitter, spectra line and receivers. */
static void run_other(const char *grid, const char *power, const char *spectra, const char *receivers)
{
    char text[2000];
    snprintf(other, sizeof other, "%s/other.h5", folder);
    snprintf(text, sizeof text,
             "title: Free space\nplan: {size: [2.4 m, 1.8 m]}\ngrid: {%s}\nband: {centre: 1 GHz, width: 300 MHz}\n"
             "transmitters:\n  - {name: left, at: [0.6 m, 0.9 m], power: %s}\n"
             "  - {name: right, at: [1.8 m, 0.9 m], power: 20 dBm}\nreceivers: [%s]\nspectra: {%s}\n"
             "stop: {after: 60 ns, decay: off}\n",
             grid, power, receivers, spectra);
    solve(text, other);
}

static pw_agreement *agree(const char *a, const char *b, double max_error)
{
    pw_agreement *agreement = NULL;
    pw_error error = {""};
    if (pw_agreement_create(a, b, NULL, max_error, NAN, NULL, &agreement, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    return agreement;
}

/* The row of a quantity; fails the test where there is none. */
static const pw_agreement_row *row_of(const pw_agreement *agreement, const char *what, const char *of)
{
    for (size_t n = 0; n < pw_agreement_count(agreement); n++) {
        const pw_agreement_row *row = pw_agreement_at(agreement, n);
        if (strcmp(row->what, what) == 0 && strcmp(row->of, of) == 0) {
            return row;
        }
    }
    fail_msg("no row '%s' of '%s'", what, of);
    return NULL;
}

static const char PROBE[] = "{name: probe, at: [2.1 m, 1.2 m], gain: 2 dBi}";

/* yee at 2.5 cm against dd4 at 3 cm: nothing is left out, and free space is what both find. */
static void test_two_grids_agree(void **state)
{
    (void)state;
    char grids[PW_AGREEMENT_TEXT];
    pw_result *a = NULL, *b = NULL;
    run_other("scheme: yee, cell: 1.5 cm, courant: 0.5", "20 dBm", "count: 48, spacing: 4 cells", PROBE);
    assert_int_equal(pw_result_open(other, &a, NULL), PW_OK);
    assert_int_equal(pw_result_open(result_path, &b, NULL), PW_OK);
    assert_non_null(strstr(pw_agreement_grids(a, b, grids), "cell 15 mm and 30 mm; scheme yee and dd4"));
    assert_string_equal(pw_agreement_grids(a, a, grids), "");
    pw_result_close(a);
    pw_result_close(b);
    pw_agreement *agreement = agree(other, result_path, 0.05);
    assert_int_equal(pw_agreement_count(agreement), 2 * (2 + 3 + 2)); /* a link, its metrics, its maps */
    for (size_t n = 0; n < pw_agreement_count(agreement); n++) {
        const pw_agreement_row *row = pw_agreement_at(agreement, n);
        assert_true(row->count > 0);
    }
    assert_true(row_of(agreement, "transfer function", "left -> probe")->error < 0.05);
    assert_int_equal(row_of(agreement, "transfer function", "left -> probe")->count, 48);
    assert_true(row_of(agreement, "power-delay profile", "left -> probe")->error < 0.05);
    assert_true(row_of(agreement, "path loss", "left")->rms < 0.1);
    assert_true(row_of(agreement, "map of received power", "left")->rms < 0.1);
    pw_agreement_free(agreement);
}

/* 6 dB more power, half the frequencies, one more receiver: found as such, and only there. */
static void test_known_differences(void **state)
{
    (void)state;
    char receivers[200];
    snprintf(receivers, sizeof receivers, "%s, {name: extra, at: [1.2 m, 0.6 m]}", PROBE);
    run_other("scheme: dd4, cell: 2.5 cm, courant: 0.5", "26 dBm", "count: 48, spacing: 2 cells", receivers);
    pw_agreement *agreement = agree(other, result_path, 0.1);
    const pw_agreement_row *map = row_of(agreement, "map of received power", "left");
    assert_true(fabs(map->rms - 6.0) < 0.1);
    assert_true(fabs(map->error - (pow(10, 0.3) - 1)) < 0.03);
    assert_true(map->different);
    assert_true(row_of(agreement, "map of received power", "right")->rms < 0.1);
    assert_false(row_of(agreement, "path loss", "left")->different);
    const pw_agreement_row *extra = row_of(agreement, "receiver", "extra");
    assert_int_equal(extra->count, 0);
    assert_true(extra->different);
    assert_string_equal(extra->note, "only in the first file");
    assert_true(pw_agreement_differs(agreement));
    pw_agreement_free(agreement);
}

/* Frequencies that both have are compared, the others counted; profiles of two bands are refused with the reason. */
static void test_common_frequencies(void **state)
{
    (void)state;
    run_other("scheme: dd4, cell: 2.5 cm, courant: 0.5", "20 dBm", "count: 95, spacing: 2 cells", PROBE);
    pw_agreement *agreement = agree(result_path, other, 0.1);
    const pw_agreement_row *row = row_of(agreement, "transfer function", "left -> probe");
    assert_int_equal(row->count, 48);
    assert_true(row->error < 0.05);
    assert_non_null(strstr(row->note, "47 frequencies left out"));
    pw_agreement_free(agreement);
}

/* 6 dB at every place: median, rms and 90 % are 6 dB, which a limit of 7 dB allows and one of 5 dB does not. The probe
 * has another name there, and is found by its place. */
static void test_decibels(void **state)
{
    (void)state;
    run_other("scheme: dd4, cell: 3 cm, courant: 0.5", "26 dBm", "count: 48, spacing: 2 cells",
              "{name: desk, at: [2.1 m, 1.2 m], gain: 2 dBi}");
    for (int wide = 0; wide < 2; wide++) {
        pw_agreement *agreement = NULL;
        pw_error error = {""};
        assert_int_equal(pw_agreement_create(other, result_path, NULL, NAN, wide ? 7.0 : 5.0, NULL, &agreement, &error),
                         PW_OK);
        const pw_agreement_row *map = row_of(agreement, "map of received power", "left");
        assert_true(fabs(map->median - 6.0) < 1e-5 && fabs(map->rms - 6.0) < 1e-5 && fabs(map->p90 - 6.0) < 1e-5);
        assert_int_equal(map->different, !wide);
        assert_int_equal(pw_agreement_differs(agreement), !wide);
        assert_true(row_of(agreement, "transfer function", "left -> desk")->rms < 1e-9);
        pw_agreement_free(agreement);
    }
}

/* A room with walls by two schemes at two cells: the maps are no farther apart than the forecasts of both say, which
 * hold within a factor of two. */
static void test_walls_within_the_forecast(void **state)
{
    (void)state;
    static const char ROOM[] =
        "title: Room\nplan: {size: [2.4 m, 1.8 m], walls: [\n"
        "  {from: [1.2 m, 0 m], to: [1.2 m, 1.2 m], thickness: 12 cm, material: brick},\n"
        "  {from: [0 m, 0.3 m], to: [2.4 m, 0.3 m], thickness: 12 cm, material: concrete}]}\n"
        "grid: {%s}\nband: {centre: 1 GHz, width: 300 MHz}\n"
        "transmitters: [{name: left, at: [0.6 m, 0.9 m], power: 20 dBm}]\n"
        "receivers: [{name: probe, at: [2.1 m, 1.2 m]}]\nspectra: {count: 24, spacing: %d cells}\n"
        "stop: {after: 60 ns, decay: off}\n";
    char text[1000], fine[80], coarse[80];
    snprintf(fine, sizeof fine, "%s/fine.h5", folder);
    snprintf(coarse, sizeof coarse, "%s/coarse.h5", folder);
    snprintf(text, sizeof text, ROOM, "scheme: yee, cell: 1.5 cm", 4);
    double forecast = solve(text, fine);
    snprintf(text, sizeof text, ROOM, "scheme: fd4o, cell: 3 cm", 2);
    forecast += solve(text, coarse);
    pw_agreement *agreement = agree(fine, coarse, 0.0);
    const pw_agreement_row *map = row_of(agreement, "map of received power", "left");
    print_message("maps %.3g dB rms apart, forecast %.3g dB\n", map->rms, forecast);
    assert_true(map->rms > 0.0 && map->rms < 2.0 * forecast);
    assert_true(map->median < map->p90 && map->p90 < map->largest);
    assert_true(pw_agreement_differs(agreement));
    pw_agreement_free(agreement);
}

/* The same run with a coarser lattice of spectra: the receivers' channels are the same numbers, and the delay spread of
 * the floor is at the points that both have. */
static void test_other_lattice(void **state)
{
    (void)state;
    run_other("scheme: dd4, cell: 3 cm, courant: 0.5", "20 dBm", "count: 48, spacing: 4 cells", PROBE);
    pw_agreement *agreement = agree(other, result_path, 0.1);
    assert_false(pw_agreement_differs(agreement));
    for (size_t n = 0; n < pw_agreement_count(agreement); n++) {
        const pw_agreement_row *row = pw_agreement_at(agreement, n);
        bool local_mean = strcmp(row->what, "map of received power") == 0; /* over other points of its square */
        assert_true(row->count == 0 || (local_mean ? row->rms < 0.3 : row->rms < 1e-9));
    }
    pw_agreement_free(agreement);
}

static void test_itself(void **state)
{
    (void)state;
    pw_agreement *agreement = agree(result_path, result_path, 0.0);
    assert_false(pw_agreement_differs(agreement));
    pw_agreement_free(agreement);
    pw_error error = {""};
    assert_int_equal(pw_agreement_create(result_path, result_path, NULL, -1, NAN, NULL, &agreement, &error), PW_USAGE);
    assert_int_equal(pw_agreement_create(result_path, "/nowhere.h5", NULL, 0, NAN, NULL, &agreement, &error),
                     PW_BAD_INPUT);
    assert_null(agreement);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_two_grids_agree),
                                       cmocka_unit_test(test_known_differences),
                                       cmocka_unit_test(test_common_frequencies),
                                       cmocka_unit_test(test_decibels),
                                       cmocka_unit_test(test_walls_within_the_forecast),
                                       cmocka_unit_test(test_other_lattice),
                                       cmocka_unit_test(test_itself)};
    return cmocka_run_group_tests(tests, run_once, remove_all);
}
