/* Comparing results: equal files are identical, a known perturbation is found in its place with the error that eq. 8
 * gives by hand, NaN is equal to its own bits only, files that do not match in shape or type differ, and what is not a
 * result is refused. */
#include <float.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/support/check.h"

#include "tests/support/hand_made.h"

static char folder[] = "/tmp/planwave_compare_XXXXXX";
static char path_a[256], path_b[256];

static int folder_create(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    snprintf(path_a, sizeof path_a, "%s/a.h5", folder);
    snprintf(path_b, sizeof path_b, "%s/b.h5", folder);
    return 0;
}

static int folder_remove(void **state)
{
    (void)state;
    unlink(path_a);
    unlink(path_b);
    return rmdir(folder);
}

static void write_perturbed(const char *path, pw_precision precision, double perturbation)
{
    struct hand_made made;
    pw_error error = {""};
    hand_made_create(&made, precision);
    made.perturbation = perturbation;
    if (hand_made_write(&made, path, true, &error) != PW_OK) {
        print_error("%s\n", error.message);
        assert_true(false);
    }
    hand_made_free(&made);
}

/* The comparison as text (owned by the caller) and its status. */
static pw_status compare(double max_error, bool json, char **text)
{
    size_t size;
    pw_error error = {""};
    FILE *stream = open_memstream(text, &size);
    pw_status status = pw_compare(path_a, path_b, max_error, json, stream, &error);
    fclose(stream);
    return status;
}

/* The line of the JSON that describes `dataset`; fails the test when there is none. */
static const char *object_of(const char *text, const char *dataset)
{
    char key[200];
    snprintf(key, sizeof key, "{\"path\": \"%s\"", dataset);
    const char *found = strstr(text, key);
    assert_non_null(found);
    return found;
}

static double number_of(const char *object, const char *name)
{
    char key[64];
    snprintf(key, sizeof key, "\"%s\": ", name);
    const char *found = strstr(object, key);
    assert_non_null(found);
    assert_true(found < strchr(object, '\n'));
    return strtod(found + strlen(key), NULL);
}

static bool says(const char *object, const char *piece)
{
    const char *found = strstr(object, piece);
    return found != NULL && found < strchr(object, '\n');
}

static void two_runs_of_one_scenario_are_identical(void **state)
{
    (void)state;
    char *text;
    write_perturbed(path_a, PW_SINGLE, 0);
    write_perturbed(path_b, PW_SINGLE, 0);
    assert_int_equal(compare(0, false, &text), PW_OK);
    assert_non_null(strstr(text, "identical: 28 datasets, every bit"));
    assert_null(strstr(text, "/timing"));
    free(text);
    assert_int_equal(compare(0, true, &text), PW_OK);
    assert_non_null(strstr(text, "\"verdict\": \"identical\""));
    assert_true(number_of(object_of(text, "/transmitters/east/spectra/ez"), "correlation") > 1 - 1e-12);
    free(text);
}

/* eq. 8 by hand, from the closed forms of hand_made.h: one value of the first file differs. */
static void a_perturbation_is_found_where_it_is(void **state)
{
    (void)state;
    const double perturbation = 3e-10;
    struct hand_made made;
    char *text;
    write_perturbed(path_a, PW_DOUBLE, perturbation);
    write_perturbed(path_b, PW_DOUBLE, 0);
    hand_made_create(&made, PW_DOUBLE);
    double square = 0;
    for (int n = 0; n < MADE_FREQUENCIES * MADE_ROWS * MADE_COLUMNS * 2; n++) {
        int part = n % 2, c = n / 2 % MADE_COLUMNS, r = n / 2 / MADE_COLUMNS % MADE_ROWS,
            f = n / 2 / MADE_COLUMNS / MADE_ROWS;
        square += pow(made_spectrum(&made, 1, f, r, c, part), 2);
    }
    hand_made_free(&made);
    double expected = perturbation / sqrt(square);
    assert_int_equal(compare(0, true, &text), PW_DIFFERENT);
    assert_non_null(strstr(text, "\"different\": 1,"));
    const char *object = object_of(text, "/transmitters/east/spectra/ez");
    assert_true(fabs(number_of(object, "error") / expected - 1) < 1e-6);
    assert_true(fabs(number_of(object, "error_db") - 20 * log10(expected)) < 1e-5);
    assert_true(fabs(number_of(object, "largest_difference") / perturbation - 1) < 1e-6);
    assert_true(says(object, "\"largest_difference_at\": [3,10,2]") &&
                says(object, "\"first_difference_at\": [3,10,2]"));
    assert_true(says(object, "\"identical\": false"));
    assert_true(says(object_of(text, "/transmitters/west/spectra/ez"), "\"identical\": true"));
    free(text);
    assert_int_equal(compare(1.01 * expected, false, &text), PW_OK);
    assert_non_null(strstr(text, "within"));
    free(text);
    assert_int_equal(compare(0.99 * expected, false, &text), PW_DIFFERENT);
    assert_non_null(strstr(text, "DIFFERENT: 1 of 28"));
    free(text);
}

static void nan_and_infinity_differ_from_numbers_only(void **state)
{
    (void)state;
    static const double values[] = {NAN, INFINITY, -INFINITY};
    for (int n = 0; n < 3; n++) {
        char *text;
        write_perturbed(path_a, PW_SINGLE, values[n]);
        write_perturbed(path_b, PW_SINGLE, 0);
        assert_int_equal(compare(1e30, true, &text), PW_DIFFERENT);
        const char *object = object_of(text, "/transmitters/east/spectra/ez");
        assert_true(isinf(number_of(object, "error")));
        assert_true(says(object, "\"largest_difference_at\": [3,10,2]"));
        free(text);
        write_perturbed(path_b, PW_SINGLE, values[n]);
        assert_int_equal(compare(0, true, &text), PW_OK);
        assert_true(number_of(object_of(text, "/transmitters/east/spectra/ez"), "error") == 0);
        free(text);
    }
}

static void single_against_double_is_a_matter_of_rounding(void **state)
{
    (void)state;
    char *text;
    write_perturbed(path_a, PW_SINGLE, 0);
    write_perturbed(path_b, PW_DOUBLE, 0);
    assert_int_equal(compare(0, false, &text), PW_DIFFERENT);
    free(text);
    assert_int_equal(compare(FLT_EPSILON, true, &text), PW_OK);
    double error = number_of(object_of(text, "/transmitters/west/spectra/ez"), "error");
    assert_true(error > 1e-9 && error < FLT_EPSILON / 2);
    free(text);
}

static void correlation_is_pearsons(void **state)
{
    (void)state;
    char *text;
    write_perturbed(path_a, PW_DOUBLE, 4e-9);
    write_perturbed(path_b, PW_DOUBLE, 0);
    struct hand_made made;
    hand_made_create(&made, PW_DOUBLE);
    enum { COUNT = MADE_FREQUENCIES * MADE_ROWS * MADE_COLUMNS };
    double mean[2][2] = {{0}}, products[3] = {0};
    for (int pass = 0; pass < 2; pass++) {
        for (int n = 0; n < 2 * COUNT; n++) {
            int part = n % 2, c = n / 2 % MADE_COLUMNS, r = n / 2 / MADE_COLUMNS % MADE_ROWS,
                f = n / 2 / MADE_COLUMNS / MADE_ROWS;
            double b = made_spectrum(&made, 1, f, r, c, part);
            double a = b + (f == 3 && r == 10 && c == 2 && part == 1 ? 4e-9 : 0);
            if (pass == 0) {
                mean[0][part] += a / COUNT;
                mean[1][part] += b / COUNT;
            } else {
                products[0] += (a - mean[0][part]) * (a - mean[0][part]);
                products[1] += (b - mean[1][part]) * (b - mean[1][part]);
                products[2] += (a - mean[0][part]) * (b - mean[1][part]);
            }
        }
    }
    hand_made_free(&made);
    assert_int_equal(compare(1, true, &text), PW_OK);
    double correlation = number_of(object_of(text, "/transmitters/east/spectra/ez"), "correlation");
    assert_true(correlation < 1 - 1e-3);
    assert_true(fabs(correlation - products[2] / sqrt(products[0] * products[1])) < 1e-12);
    free(text);
}

static void other_shapes_and_missing_datasets_differ(void **state)
{
    (void)state;
    struct hand_made made;
    pw_error error;
    char *text;
    write_perturbed(path_a, PW_SINGLE, 0);
    hand_made_create(&made, PW_SINGLE);
    made.work.simulation.step = MADE_STEPS - 1;
    made.scenario.receiver_count = 2;
    strcpy(made.scenario.receivers[1].name, "bench");
    assert_int_equal(hand_made_write(&made, path_b, true, &error), PW_OK);
    hand_made_free(&made);
    assert_int_equal(compare(1, true, &text), PW_DIFFERENT);
    assert_true(says(object_of(text, "/transmitters/west/waveform"), "\"obstacle\": \"another shape\""));
    assert_true(
        says(object_of(text, "/transmitters/west/receivers/desk/ez"), "\"obstacle\": \"only in the first file\""));
    assert_true(
        says(object_of(text, "/transmitters/east/receivers/bench/ez"), "\"obstacle\": \"only in the second file\""));
    free(text);
    assert_int_equal(compare(1, false, &text), PW_DIFFERENT);
    assert_non_null(strstr(text, "another shape"));
    free(text);
}

static void what_is_not_a_result_is_refused(void **state)
{
    (void)state;
    pw_error error;
    write_perturbed(path_a, PW_SINGLE, 0);
    FILE *file = fopen(path_b, "w");
    fputs("not a result", file);
    fclose(file);
    assert_int_equal(pw_compare(path_a, path_b, 0, false, stdout, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, path_b));
    assert_int_equal(pw_compare("/nonexistent.h5", path_a, 0, false, stdout, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, "/nonexistent.h5"));
    assert_int_equal(pw_compare(path_a, path_a, -1, false, stdout, &error), PW_USAGE);
    assert_int_equal(pw_compare(path_a, path_a, NAN, false, stdout, NULL), PW_USAGE);
}

static void a_full_pipe_is_an_error(void **state)
{
    (void)state;
    pw_error error;
    write_perturbed(path_a, PW_SINGLE, 0);
    FILE *stream = fopen("/dev/full", "w");
    setvbuf(stream, NULL, _IONBF, 0);
    assert_int_equal(pw_compare(path_a, path_a, 0, false, stream, &error), PW_NO_RESOURCE);
    pw_result *result;
    assert_int_equal(pw_result_open(path_a, &result, &error), PW_OK);
    assert_int_equal(pw_result_print(result, true, stream, &error), PW_NO_RESOURCE);
    pw_result_close(result);
    fclose(stream);
}

static void an_overview_says_what_is_there(void **state)
{
    (void)state;
    static const char *const texts[] = {"Made by hand, Flur 3 \xc3\xbc",
                                        "70 x 60 cells of 20 mm",
                                        "dd4",
                                        "averaging moment",
                                        "single precision",
                                        "600 MHz wide at 2.4 GHz",
                                        "120 of at most 150",
                                        "ended by decay",
                                        "hand on a pencil",
                                        "at (0.800, 0.200) m, 14.5 dBm",
                                        "(5, 11, 13)",
                                        "door",
                                        "brick outside 1..40 GHz"};
    static const char *const pieces[] = {
        "\"title\": \"Made by hand, Flur 3 \xc3\xbc\"",
        "\"nx\": 70",
        "\"stop_reason\": \"decay\"",
        "\"spectra\": [5, 11, 13]",
        "\"name\": \"roof\"",
        "\"solve\": 2",
        "\"power\": 14.5",
        "\"warnings\": [\"receiver 'desk' stands inside a wall\", \"brick outside 1..40 GHz\"]"};
    pw_error error;
    pw_result *result;
    write_perturbed(path_a, PW_SINGLE, 0);
    assert_int_equal(pw_result_open(path_a, &result, &error), PW_OK);
    for (int json = 0; json < 2; json++) {
        char *text;
        size_t size;
        FILE *stream = open_memstream(&text, &size);
        assert_int_equal(pw_result_print(result, json == 1, stream, &error), PW_OK);
        fclose(stream);
        for (size_t n = 0; n < (json == 1 ? sizeof pieces / sizeof *pieces : sizeof texts / sizeof *texts); n++) {
            const char *piece = json == 1 ? pieces[n] : texts[n];
            if (strstr(text, piece) == NULL) {
                print_error("'%s' is not in:\n%s\n", piece, text);
                assert_true(false);
            }
        }
        free(text);
    }
    pw_result_close(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_runs_of_one_scenario_are_identical),
        cmocka_unit_test(a_perturbation_is_found_where_it_is),
        cmocka_unit_test(nan_and_infinity_differ_from_numbers_only),
        cmocka_unit_test(single_against_double_is_a_matter_of_rounding),
        cmocka_unit_test(correlation_is_pearsons),
        cmocka_unit_test(other_shapes_and_missing_datasets_differ),
        cmocka_unit_test(what_is_not_a_result_is_refused),
        cmocka_unit_test(a_full_pipe_is_an_error),
        cmocka_unit_test(an_overview_says_what_is_there),
    };
    return cmocka_run_group_tests(tests, folder_create, folder_remove);
}
