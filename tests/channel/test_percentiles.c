/* Percentiles over the floor: of a known map the ends and the middle, and what coverage counts at a percentile is the
 * rest of the floor. */
#include "tests/support/check.h"

#include "api/map.h"

#include <math.h>
#include <string.h>

#include "tests/channel/free_space_result.h"

static pw_result *opened(void)
{
    pw_result *result = NULL;
    assert_int_equal(pw_result_open(result_path, &result, NULL), PW_OK);
    return result;
}

static void test_ends_and_middle(void **state)
{
    (void)state;
    pw_result *result = opened();
    pw_error error = {""};
    for (pw_quantity quantity = 0; quantity <= PW_PATH_LOSS; quantity++) {
        pw_map_options options = pw_map_options_default();
        options.quantity = quantity;
        options.transmitter = "left";
        double got[3];
        pw_percentile_cells cells;
        pw_status status = pw_map_percentiles(result, &options, (const double[3]){0, 50, 100}, 3, got, &cells, &error);
        if (quantity == PW_BEST_SERVER) {
            assert_int_equal(status, PW_USAGE);
            continue;
        }
        assert_int_equal(status, PW_OK);
        struct map map = map_get(result, options);
        struct map_summary summary;
        assert_int_equal(map_summarise(map.value, (int64_t)map.rows * map.columns, NAN, false, &summary, &error),
                         PW_OK);
        assert_true(cells.defined == summary.count);
        if (summary.count > 0) {
            assert_true(got[0] == summary.minimum && got[2] == summary.maximum);
            assert_true(got[0] <= got[1] && got[1] <= got[2]);
        }
        map_free(&map);
    }
    pw_result_close(result);
}

/* In an empty plan all cells are floor: at the 30th percentile of the power, 70 % of the cells are at or over it. */
static void test_coverage_is_the_rest(void **state)
{
    (void)state;
    pw_result *result = opened();
    pw_error error = {""};
    pw_coverage_options coverage = {.map = pw_map_options_default()};
    coverage.map.quantity = PW_RECEIVED_POWER;
    coverage.map.transmitter = "right";
    double level;
    pw_share share;
    assert_int_equal(pw_map_percentiles(result, &coverage.map, (const double[1]){30}, 1, &level, NULL, &error), PW_OK);
    coverage.thresholds = &level;
    coverage.threshold_count = 1;
    assert_int_equal(pw_coverage_compute(result, &coverage, &share, &error), PW_OK);
    assert_true(fabs(share.fraction - 0.7) <= 2.0 / (double)share.cells);
    assert_int_equal(pw_map_percentiles(result, &coverage.map, (const double[1]){-1}, 1, &level, NULL, &error),
                     PW_USAGE);
    pw_result_close(result);
}

/* The file holds the same numbers, a column for each transmitter. */
static void test_file(void **state)
{
    (void)state;
    pw_result *result = opened();
    pw_error error = {""};
    pw_map_options options = pw_map_options_default();
    char path[96], line[256];
    double median, row[3] = {0};
    options.quantity = PW_PATH_LOSS;
    snprintf(path, sizeof path, "%s/cdf.csv", folder);
    assert_int_equal(pw_map_distribution_write(result, &options, path, &error), PW_OK);
    options.transmitter = "right";
    assert_int_equal(pw_map_percentiles(result, &options, (const double[1]){50}, 1, &median, NULL, &error), PW_OK);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (row[0] != 50.0 && fgets(line, sizeof line, file) != NULL) {
        (void)sscanf(line, "%lf,%lf,%lf", &row[0], &row[1], &row[2]);
    }
    fclose(file);
    assert_true(row[0] == 50.0 && fabs(row[2] - median) < 1e-6);
    pw_result_close(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ends_and_middle),
                                       cmocka_unit_test(test_coverage_is_the_rest), cmocka_unit_test(test_file)};
    return cmocka_run_group_tests(tests, run_once, remove_all);
}
