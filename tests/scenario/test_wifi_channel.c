/* Channels of Wi-Fi: middles and widths as IEEE 802.11 lists them, what of one falls into another, and the key of a
 * scenario with its refusals and its way through the text. */
#include "tests/support/check.h"

#include "scenario/scenario.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static pw_wifi_channel channel(double near, int number, double megahertz)
{
    pw_wifi_channel found = {0};
    pw_error error = {""};
    if (pw_wifi_channel_find(near, number, megahertz * 1e6, &found, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    return found;
}

/* IEEE 802.11-2020, table E-4 and 802.11ax-2021, table E-4: starting frequency and channel centre frequency index. */
static void middles_are_those_of_the_standard(void **state)
{
    (void)state;
    static const struct {
        double near;
        int number;
        double width, middle; /* MHz */
    } rows[] = {{2.45e9, 1, 20, 2412},   {2.45e9, 11, 20, 2462},  {2.45e9, 14, 20, 2484},  {2.4e9, 6, 20, 2437},
                {5.25e9, 36, 20, 5180},  {5.25e9, 165, 20, 5825}, {5.25e9, 38, 40, 5190},  {5.25e9, 40, 40, 5190},
                {5.25e9, 42, 80, 5210},  {5.25e9, 36, 80, 5210},  {5.25e9, 155, 80, 5775}, {5.5e9, 161, 80, 5775},
                {5.5e9, 50, 160, 5250},  {5.5e9, 114, 160, 5570}, {5.5e9, 144, 40, 5710},  {6.2e9, 1, 20, 5955},
                {6.2e9, 233, 20, 7115},  {6.2e9, 3, 40, 5965},    {6.2e9, 7, 80, 5985},    {6.2e9, 13, 80, 5985},
                {6.2e9, 15, 160, 6025},  {6.2e9, 31, 320, 6105},  {6.2e9, 63, 320, 6265},  {6.2e9, 191, 320, 6905},
                {6.2e9, 207, 160, 6985}, {5e9, 100, 20, 5500}};
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        const pw_wifi_channel found = channel(rows[n].near, rows[n].number, rows[n].width);
        assert_true(found.centre == rows[n].middle * 1e6 && found.width == rows[n].width * 1e6);
        assert_int_equal(found.number, rows[n].number);
    }
    static const struct {
        double near;
        int number;
        double width;
    } refused[] = {{2.45e9, 15, 20},  {2.45e9, 0, 20},  {2.45e9, 6, 80},   {2.45e9, 14, 40},     {5.25e9, 37, 20},
                   {5.25e9, 6, 20},   {5.25e9, 40, 30}, {5.25e9, 36, 320}, {5.5e9, 144, 80 * 2}, {6.2e9, 1, 320},
                   {6.2e9, 233, 160}, {3.5e9, 36, 20},  {6.2e9, -1, 20}};
    for (size_t n = 0; n < sizeof refused / sizeof *refused; n++) {
        pw_wifi_channel found;
        pw_error error = {""};
        assert_int_equal(
            pw_wifi_channel_find(refused[n].near, refused[n].number, refused[n].width * 1e6, &found, &error),
            PW_BAD_INPUT);
        assert_non_null(strstr(error.message, "allowed"));
    }
}

static void overlap_is_shared_bandwidth(void **state)
{
    (void)state;
    static const double by_distance[] = {1, 0.75, 0.5, 0.25, 0, 0};
    const pw_wifi_channel none = {0}, one = channel(2.45e9, 1, 20), narrow = channel(5.5e9, 36, 20);
    const pw_wifi_channel wide = channel(5.5e9, 36, 80), other = channel(5.5e9, 52, 80);
    for (int n = 0; n < 6; n++) {
        const pw_wifi_channel next = channel(2.45e9, 1 + n, 20);
        assert_true(fabs(pw_wifi_overlap(&next, &one) - by_distance[n]) < 1e-12);
    }
    assert_true(pw_wifi_overlap(&wide, &narrow) == 0.25 && pw_wifi_overlap(&narrow, &wide) == 1);
    assert_true(pw_wifi_overlap(&wide, &other) == 0);
    assert_true(pw_wifi_overlap(&none, &one) == 1 && pw_wifi_overlap(&one, &none) == 1);
    assert_true(pw_wifi_channel_at(5.5e9).number == 100 && pw_wifi_channel_at(2.45e9).number == 9);
    assert_true(pw_wifi_channel_at(3.5e9).band == 0 && pw_wifi_channel_at(2.499e9).number == 0);
}

static pw_status scenario_of(const char *band, const char *key, pw_scenario **scenario, pw_error *error)
{
    char text[400];
    snprintf(
        text, sizeof text,
        "plan: {size: [4 m, 3 m]}\nband: %s\ntransmitters: [{name: a, at: [1 m, 1 m]%s}, {name: b, at: [2 m, 1 m]}]\n",
        band, key);
    return pw_scenario_parse("test.yaml", text, NULL, 0, scenario, error);
}

static void key_is_read_and_written(void **state)
{
    (void)state;
    static const char *const keys[] = {", channel: 36", ", channel: {number: 36}",
                                       ", channel: {band: 5 GHz, number: 36, width: 80 MHz}"};
    pw_error error = {""};
    for (int n = 0; n < 3; n++) {
        pw_scenario *scenario = NULL, *again = NULL;
        char *text = NULL;
        assert_int_equal(scenario_of("5.5 GHz", keys[n], &scenario, &error), PW_OK);
        assert_int_equal(pw_scenario_write(scenario, NULL, &text, &error), PW_OK);
        assert_int_equal(pw_scenario_parse("again.yaml", text, NULL, 0, &again, &error), PW_OK);
        const pw_wifi_channel read = pw_scenario_describe_transmitter(again, 0).channel;
        assert_true(read.number == 36 && read.band == 5e9 && read.width == (n == 2 ? 80e6 : 20e6));
        assert_true(read.centre == (n == 2 ? 5.21e9 : 5.18e9));
        assert_int_equal(pw_scenario_describe_transmitter(again, 1).channel.number, 0);
        assert_int_equal(pw_scenario_set_channel(again, 1, 149, 40e6, &error), PW_OK);
        assert_true(pw_scenario_describe_transmitter(again, 1).channel.centre == 5.755e9);
        assert_int_equal(pw_scenario_set_channel(again, 1, 6, 20e6, &error), PW_BAD_INPUT);
        assert_int_equal(pw_scenario_set_band(again, 2.45e9, 100e6, &error), PW_OK); /* where there is no 36 */
        assert_int_equal(pw_scenario_describe_transmitter(again, 0).channel.number, 0);
        free(text);
        pw_scenario_free(scenario);
        pw_scenario_free(again);
    }
    static const char *const refused[][2] = {{"2.45 GHz", ", channel: 36"},
                                             {"5.5 GHz", ", channel: {band: 2.4 GHz, number: 6}"},
                                             {"3.5 GHz", ", channel: 36"},
                                             {"5.5 GHz", ", channel: {width: 80 MHz}"},
                                             {"5.5 GHz", ", channel: {number: 36, width: 50 MHz}"},
                                             {"5.5 GHz", ", channel: 36.5"},
                                             {"5.5 GHz", ", channel: auto"}};
    for (size_t n = 0; n < sizeof refused / sizeof *refused; n++) {
        pw_scenario *scenario = NULL;
        assert_int_equal(scenario_of(refused[n][0], refused[n][1], &scenario, &error), PW_BAD_INPUT);
        assert_non_null(strstr(error.message, "test.yaml:3: transmitters[0].channel"));
    }
}

static void names_change(void **state)
{
    (void)state;
    pw_error error = {""};
    pw_scenario *scenario = NULL;
    assert_int_equal(scenario_of("5.5 GHz", "", &scenario, &error), PW_OK);
    assert_int_equal(pw_scenario_rename_transmitter(scenario, 0, "b", &error), PW_BAD_INPUT);
    assert_int_equal(pw_scenario_rename_transmitter(scenario, 0, "best", &error), PW_BAD_INPUT);
    assert_int_equal(pw_scenario_rename_transmitter(scenario, 0, "", &error), PW_BAD_INPUT);
    assert_int_equal(pw_scenario_rename_transmitter(scenario, 0, "a", &error), PW_OK);
    assert_int_equal(pw_scenario_rename_transmitter(scenario, 0, "lobby", &error), PW_OK);
    assert_int_equal(pw_scenario_find_transmitter(scenario, "lobby"), 0);
    pw_scenario_free(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(middles_are_those_of_the_standard),
                                       cmocka_unit_test(overlap_is_shared_bandwidth),
                                       cmocka_unit_test(key_is_read_and_written), cmocka_unit_test(names_change)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
