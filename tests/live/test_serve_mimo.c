/* What the server tells of an array and a receiver under the pointer: as `planwave mimo` says of a receiver that stands
 * there. */
#include "tests/live/served.h"

#include <math.h>

static const char ARRAY[] = "title: an array\n"
                            "plan:\n"
                            "  size: [3 m, 2 m]\n"
                            "  walls:\n"
                            "    - {from: [1.5 m, 0 m], to: [1.5 m, 1.2 m], thickness: 10 cm, material: brick}\n"
                            "    - {from: [0 m, 0.1 m], to: [3 m, 0.1 m], thickness: 10 cm, material: concrete}\n"
                            "grid: {cell: 2.5 cm, scheme: fd4o, averaging: moment}\n"
                            "band: {centre: 1.2 GHz, width: 300 MHz}\n"
                            "transmitters:\n"
                            "  - {name: alone, at: [0.4 m, 1.6 m]}\n"
                            "  - name: ap\n"
                            "    at: [0.7 m, 0.8 m]\n"
                            "    antenna: {array: ula, elements: 3, bearing: 90 deg}\n"
                            "spectra: {spacing: 2 cells}\n"
                            "stop: {after: 60 ns}\n";

static int begin_array(void **state)
{
    return begin_with(ARRAY, state);
}

/* Asks until the result is there and nobody else reads it. */
static json_t *ask_mimo(int line, const char *message)
{
    for (int n = 0; n < 3000; n++) {
        assert_true(socket_text(line, message));
        json_t *answer = NULL;
        while (answer == NULL || json_object_get(answer, "id") == NULL) {
            char *bytes;
            size_t size;
            json_decref(answer);
            const int opcode = socket_next(line, &bytes, &size);
            assert_true(opcode >= 0);
            answer = opcode == 1 ? json_loads(bytes, 0, NULL) : NULL;
            free(bytes);
        }
        const char *text = json_string_value(json_object_get(answer, "text"));
        if (text == NULL || (strstr(text, "ask again") == NULL && strstr(text, "no full result") == NULL)) {
            return answer;
        }
        json_decref(answer);
        usleep(10000);
    }
    fail_msg("the result was never free");
    return NULL;
}

static double real_of(const json_t *answer, const char *key)
{
    const json_t *value = json_object_get(answer, key);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

/* The link from the array to a station of so many antennas there, by a run of its own. `snr` NAN: as it is. */
static pw_mimo_link true_link(const struct fixture *fixture, const char *antennas, double x, double y, double snr,
                              pw_mimo_links **links, pw_result **result)
{
    char path[128], receiver[256];
    pw_error error = {""};
    pw_scenario *scenario = NULL;
    pw_setup *setup = NULL;
    const pw_compute compute = {.backend = "cpu", .threads = 2};
    snprintf(path, sizeof path, "%s/true.h5", fixture->folder);
    snprintf(receiver, sizeof receiver,
             "receivers=[{name: here, at: [%.9g m, %.9g m], antenna: {array: ula, elements: %s}}]", x, y, antennas);
    const char *override = receiver;
    assert_int_equal(pw_scenario_parse("room.yaml", ARRAY, &override, 1, &scenario, &error), PW_OK);
    assert_int_equal(pw_setup_create(scenario, PW_SINGLE, false, &setup, &error), PW_OK);
    const pw_run_options options = {.compute = compute, .force = true};
    assert_int_equal(pw_run(setup, &options, path, &error), PW_OK);
    assert_int_equal(pw_result_open(path, result, &error), PW_OK);
    static const char *const STATIONS[] = {"ap"};
    pw_mimo_options asked = pw_mimo_options_default();
    asked.pairs.transmitters = STATIONS;
    asked.pairs.transmitter_count = 1;
    asked.snr = snr;
    assert_int_equal(pw_mimo_solve(*result, &asked, links, &error), PW_OK);
    pw_setup_free(setup);
    pw_scenario_free(scenario);
    return pw_mimo_link_of(*links, 0);
}

/* Their fields are interpolated between cells here, and recorded there. */
static void test_tells_what_planwave_mimo_does(void **state)
{
    const struct fixture *fixture = *state;
    int line = join(fixture);
    for (int antennas = 1; antennas <= 2; antennas++) {
        for (int scaled = 0; scaled <= 1; scaled++) {
            pw_mimo_links *links = NULL;
            pw_result *result = NULL;
            const pw_mimo_link link =
                true_link(fixture, antennas == 1 ? "1" : "2", 2.2, 1.4, scaled ? 20 : NAN, &links, &result);
            char message[160];
            snprintf(message, sizeof message,
                     "{\"type\": \"mimo\", \"x\": 2.2, \"y\": 1.4, \"transmitter\": \"ap%s\", \"antennas\": %d, "
                     "\"id\": 4%s}",
                     scaled ? "" : ".2", antennas, scaled ? ", \"snr\": 20" : "");
            json_t *answer = ask_mimo(line, message);
            assert_string_equal(json_string_value(json_object_get(answer, "type")), "mimo");
            assert_string_equal(json_string_value(json_object_get(answer, "transmitter")), "ap");
            assert_int_equal(number_of(answer, "transmitter_antennas"), 3);
            assert_int_equal(number_of(answer, "receiver_antennas"), antennas);
            assert_int_equal(json_array_size(json_object_get(answer, "singular_db")), antennas);
            assert_true(fabs(real_of(answer, "gain_db") - link.metrics.gain_db) < 0.1);
            assert_true(fabs(real_of(answer, "snr_db") - link.metrics.snr_db) < 0.1);
            assert_true(fabs(real_of(answer, "capacity") - link.metrics.capacity) < 0.1);
            assert_true(fabs(real_of(answer, "water_capacity") - link.metrics.water_capacity) < 0.1);
            double sum = 0;
            for (int s = 0; s < antennas; s++) {
                sum +=
                    pow(10, 0.1 * json_number_value(json_array_get(json_object_get(answer, "singular_db"), (size_t)s)));
            }
            /* Squares of all singular values are those of all entries of H. */
            assert_true(fabs(sum / (3 * antennas * pow(10, 0.1 * real_of(answer, "gain_db"))) - 1) < 1e-9);
            json_decref(answer);
            pw_mimo_free(links);
            pw_result_close(result);
        }
    }
    json_t *alone = ask_mimo(line, "{\"type\": \"mimo\", \"x\": 2.2, \"y\": 1.4, \"antennas\": 4, \"id\": 1}");
    assert_string_equal(json_string_value(json_object_get(alone, "transmitter")), "alone");
    assert_int_equal(number_of(alone, "transmitter_antennas"), 1);
    json_decref(alone);
    json_t *profile =
        ask_mimo(line, "{\"type\": \"channel\", \"x\": 2.2, \"y\": 1.4, \"transmitter\": \"ap.3\", \"id\": 2}");
    assert_int_equal(number_of(profile, "antennas"), 3);
    json_decref(profile);
    close(line);
}

/* Between cells of the spectra that stand 15 cm apart nothing is interpolated: the antennas stand on these, and the
 * answer says where. Half a wavelength is 12.5 cm. */
static void test_antennas_stand_on_coarse_cells(void **state)
{
    (void)state;
    struct fixture *fixture;
    char coarse[sizeof ARRAY + 16];
    snprintf(coarse, sizeof coarse, "%.*s{spacing: 6 cells}\nstop: {after: 60 ns}\n",
             (int)(strstr(ARRAY, "{spacing") - ARRAY), ARRAY);
    assert_int_equal(begin_with(coarse, (void **)&fixture), 0);
    int line = join(fixture);
    json_t *answer =
        ask_mimo(line, "{\"type\": \"mimo\", \"x\": 2.23, \"y\": 1.42, \"transmitter\": \"ap\", \"antennas\": "
                       "3, \"snr\": 20, \"id\": 1}");
    assert_true(fabs(real_of(answer, "spacing") - 0.15) < 1e-9);
    assert_true(fabs(real_of(answer, "x") - 2.23) < 0.076 && fabs(real_of(answer, "y") - 1.42) < 0.076);
    pw_mimo_links *links = NULL;
    pw_result *result = NULL;
    const pw_mimo_link link =
        true_link(fixture, "3, spacing: 15 cm", real_of(answer, "x"), real_of(answer, "y"), 20, &links, &result);
    assert_true(fabs(real_of(answer, "gain_db") - link.metrics.gain_db) < 0.02);
    assert_true(fabs(real_of(answer, "capacity") - link.metrics.capacity) < 0.02);
    json_decref(answer);
    pw_mimo_free(links);
    pw_result_close(result);
    close(line);
    assert_int_equal(end((void **)&fixture), 0);
}

static void test_refuses_what_cannot_be(void **state)
{
    static const struct {
        const char *keys, *words;
    } WRONG[] = {{"\"x\": 1", "needs 'y'"},
                 {"\"x\": 1, \"y\": 1, \"antennas\": 0", "1 to 16"},
                 {"\"x\": 1, \"y\": 1, \"antennas\": 17", "1 to 16"},
                 {"\"x\": 1, \"y\": 1, \"antennas\": 2.5", "whole number"},
                 {"\"x\": 1, \"y\": 1, \"antennas\": \"two\"", "number"},
                 {"\"x\": 1, \"y\": 1, \"snr\": 201", "-100 to 200"},
                 {"\"x\": 1, \"y\": 1, \"snr\": null", "number"},
                 {"\"x\": 1, \"y\": 1, \"power\": 1", "no key"},
                 {"\"x\": 1, \"y\": 1, \"transmitter\": \"ap9\"", "ap9"},
                 {"\"x\": -1, \"y\": 1", "outside"},
                 {"\"x\": 0.05, \"y\": 1, \"antennas\": 16", "outside"}};
    int line = join(*state);
    for (size_t n = 0; n < sizeof WRONG / sizeof WRONG[0]; n++) {
        char message[160];
        snprintf(message, sizeof message, "{\"type\": \"mimo\", %s, \"id\": 3}", WRONG[n].keys);
        json_t *answer = ask_mimo(line, message);
        assert_string_equal(json_string_value(json_object_get(answer, "type")), "refused");
        assert_non_null(strstr(json_string_value(json_object_get(answer, "text")), WRONG[n].words));
        json_decref(answer);
    }
    close(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tells_what_planwave_mimo_does),
        cmocka_unit_test(test_antennas_stand_on_coarse_cells),
        cmocka_unit_test(test_refuses_what_cannot_be),
    };
    return cmocka_run_group_tests(tests, begin_array, end);
}
