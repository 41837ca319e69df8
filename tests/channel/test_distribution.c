/* Percentiles and cumulative distributions in free space: they are the order of the map's values, the inverse of
 * coverage's shares, and over receivers the metrics of their channels. */
#include "tests/support/check.h"

#include "api/map.h"

#include <math.h>
#include <string.h>

#include "tests/channel/free_space_result.h"

static pw_distributions *distributions_get(const pw_result *result, const pw_coverage_options *options, bool receivers)
{
    pw_distributions *distributions = NULL;
    pw_error error = {""};
    if (pw_distributions_create(result, options, receivers, &distributions, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    return distributions;
}

/* Known numbers: the percentiles of 0, 10, 20, 30 by the definition that NumPy's "linear" has. */
static void test_percentile_of_four(void **state)
{
    (void)state;
    static const double values[] = {0.0, 10.0, 20.0, 30.0};
    pw_distribution four = {.count = 4, .values = values}, one = {.count = 1, .values = values + 2},
                    none = {.count = 0};
    assert_true(pw_distribution_percentile(&four, 0.0) == 0.0);
    assert_true(fabs(pw_distribution_percentile(&four, 10.0) - 3.0) < 1e-12);
    assert_true(fabs(pw_distribution_percentile(&four, 50.0) - 15.0) < 1e-12);
    assert_true(pw_distribution_percentile(&four, 100.0) == 30.0);
    assert_true(pw_distribution_percentile(&one, 37.0) == 20.0);
    assert_true(isnan(pw_distribution_percentile(&none, 50.0)));
    assert_true(isnan(pw_distribution_percentile(&four, 101.0)) && isnan(pw_distribution_percentile(NULL, 50.0)));
}

/* As many values lie at or over a percentile as coverage counts with it as its threshold. */
static void test_inverse_of_coverage(void **state)
{
    (void)state;
    pw_result *result = result_get(result_path);
    const pw_area area = {"corner", 0.0, 0.0, 1.0, 1.0};
    double threshold;
    pw_coverage_options options = {.map = pw_map_options_default(), .areas = &area, .area_count = 1};
    options.map.quantity = PW_RECEIVED_POWER;
    pw_distributions *distributions = distributions_get(result, &options, false);
    assert_int_equal(pw_distributions_count(distributions), 2 * 3); /* floor and corner; left, right and the best */
    options.thresholds = &threshold;
    options.threshold_count = 1;
    pw_share shares[6];
    for (size_t n = 0; n < 6; n++) {
        const pw_distribution *one = pw_distributions_at(distributions, n);
        threshold = one->values[one->count * 3 / 10];
        assert_int_equal(pw_coverage_compute(result, &options, shares, NULL), PW_OK);
        assert_int_equal(one->area, shares[n].area);
        assert_int_equal(one->transmitter, shares[n].transmitter);
        assert_int_equal(one->cells, shares[n].cells);
        int64_t over = 0;
        for (int64_t v = 0; v < one->count; v++) {
            over += one->values[v] >= threshold;
            assert_true(v == 0 || one->values[v - 1] <= one->values[v]);
        }
        assert_int_equal(over, shares[n].over);
        assert_true(over >= one->count * 7 / 10);
    }
    assert_null(pw_distributions_at(distributions, 6));
    pw_distributions_free(distributions);
    pw_result_close(result);
}

/* Over the one receiver every percentile is the metric of its channel; of two equal transmitters the nearer is best. */
static void test_over_receivers(void **state)
{
    (void)state;
    static const pw_quantity quantities[] = {PW_PATH_LOSS, PW_RECEIVED_POWER, PW_RMS_DELAY_SPREAD, PW_K_FACTOR,
                                             PW_SINR};
    pw_result *result = result_get(result_path);
    pw_metrics metrics[2];
    for (int t = 0; t < 2; t++) {
        pw_channel *channel = NULL;
        assert_int_equal(pw_channel_create(result, t == 0 ? "left" : "right", "probe", NULL, NULL, &channel, NULL),
                         PW_OK);
        metrics[t] = pw_channel_metrics(channel);
        pw_channel_free(channel);
    }
    double noise = pow(10.0, 0.1 * pw_noise_power(20e6, 7.0));
    for (size_t q = 0; q < sizeof quantities / sizeof *quantities; q++) {
        pw_coverage_options options = {.map = pw_map_options_default()};
        options.map.quantity = quantities[q];
        pw_distributions *distributions = distributions_get(result, &options, true);
        assert_int_equal(pw_distributions_count(distributions), 3);
        for (int column = 0; column < 3; column++) {
            int t = column == 2 ? 1 : column;
            double against = noise + pow(10.0, 0.1 * metrics[1 - t].received_power_dbm);
            const double expected[] = {metrics[t].path_loss_db, metrics[t].received_power_dbm,
                                       metrics[t].rms_delay_spread * 1e9, metrics[t].rician_k_db,
                                       metrics[t].received_power_dbm - 10.0 * log10(against)};
            const pw_distribution *one = pw_distributions_at(distributions, (size_t)column);
            assert_int_equal(one->cells, 1);
            double value = pw_distribution_percentile(one, 90.0);
            bool none = isnan(expected[q]) || (q == 2 && metrics[t].delay_cause != PW_DELAY_SOUND);
            assert_true(none ? isnan(value) : fabs(value - expected[q]) < 1e-9 * fabs(expected[q]) + 1e-12);
        }
        pw_distributions_free(distributions);
    }
    pw_result_close(result);
}

/* The file has the percentiles in steps of half a per cent, the picture is there, and the table says what it counted.
 */
static void test_files(void **state)
{
    (void)state;
    pw_result *result = result_get(result_path);
    pw_coverage_options options = {.map = pw_map_options_default()};
    options.map.quantity = PW_RECEIVED_POWER;
    pw_distributions *distributions = distributions_get(result, &options, false);
    char cdf[96], line[256], text[4096] = "";
    snprintf(cdf, sizeof cdf, "%s/cdf.csv", folder);
    const double half = 50.0, much = 101.0;
    FILE *report = fmemopen(text, sizeof text, "w");
    assert_int_equal(pw_distributions_write(distributions, &half, 1, NULL, cdf, report, NULL), PW_OK);
    fclose(report);
    assert_non_null(strstr(text, "percentiles of received power [dBm]"));
    assert_non_null(strstr(text, "best server"));
    FILE *file = fopen(cdf, "r");
    int rows = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        double percent, value[3];
        if (sscanf(line, "%lf,%lf,%lf,%lf", &percent, &value[0], &value[1], &value[2]) == 4) {
            assert_true(fabs(percent - 0.5 * rows++) < 1e-9);
            for (size_t n = 0; n < 3; n++) {
                double expected = pw_distribution_percentile(pw_distributions_at(distributions, n), percent);
                assert_true(fabs(value[n] - expected) < 1e-6);
            }
        }
    }
    fclose(file);
    assert_int_equal(rows, 201);
    assert_int_equal(pw_distributions_write(distributions, &much, 1, NULL, NULL, NULL, NULL), PW_USAGE);
    pw_distributions_free(distributions);
    pw_result_close(result);
}

static void refuse(const pw_result *result, const pw_coverage_options *options, bool receivers, const char *word)
{
    pw_distributions *distributions = NULL;
    pw_error error = {""};
    assert_int_equal(pw_distributions_create(result, options, receivers, &distributions, &error), PW_USAGE);
    assert_null(distributions);
    assert_non_null(strstr(error.message, word));
}

static void test_misuse(void **state)
{
    (void)state;
    pw_result *result = result_get(result_path);
    pw_coverage_options options = {.map = pw_map_options_default()};
    options.map.quantity = PW_BEST_SERVER;
    refuse(result, &options, false, "no distribution");
    options.map.quantity = PW_K_FACTOR;
    const pw_area moon = {"moon", 90.0, 90.0, 91.0, 91.0};
    options.areas = &moon;
    options.area_count = 1;
    refuse(result, &options, false, "moon");
    refuse(result, &options, true, "parts of the floor");
    options.area_count = 0;
    options.map.quantity = PW_RECEIVED_POWER;
    options.map.local_mean = true;
    refuse(result, &options, true, "local mean");
    refuse(NULL, &options, false, "NULL");
    pw_result_close(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_percentile_of_four), cmocka_unit_test(test_inverse_of_coverage),
        cmocka_unit_test(test_over_receivers), cmocka_unit_test(test_files), cmocka_unit_test(test_misuse)};
    return cmocka_run_group_tests(tests, run_once, remove_all);
}
