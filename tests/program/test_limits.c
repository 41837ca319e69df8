/* Every limit has its error: numbers too large for memory are refused with the need in bytes, computed without
 * overflow; too many of something with the number that is allowed. Limits of pictures are in test_png_image.c, of
 * result files in test_result.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "discretize/setup.h"
#include "scenario/scenario.h"
#include "tests/support/check.h"

static const char BASE[] = "plan: {size: [1 m, 1 m]}\n"
                           "grid: {scheme: yee, cell: 1 cm, averaging: point, absorber: {cells: 15}}\n"
                           "band: {centre: 2.4 GHz, width: 100 MHz}\n"
                           "transmitters: [{name: a, at: [0.5 m, 0.5 m]}]\n"
                           "stop: {after: 1 us}\n";

static void assert_says(const pw_error *error, const char *words)
{
    if (strstr(error->message, words) == NULL) {
        fail_msg("'%s' lacks '%s'", error->message, words);
    }
}

static pw_status parse(const char *text, const char *override, pw_scenario **scenario, pw_error *error)
{
    return pw_scenario_parse("limits", text, &override, override != NULL ? 1 : 0, scenario, error);
}

static void assert_refused(const char *text, const char *override, const char *words)
{
    pw_scenario *scenario = NULL;
    pw_error error = {""};
    assert_int_equal(parse(text, override, &scenario, &error), PW_BAD_INPUT);
    assert_says(&error, words);
}

/* `text` followed by `count` times `item`. */
static char *repeat(const char *text, const char *item, int count, const char *end)
{
    char *all = malloc(strlen(text) + (strlen(item) + 12) * (size_t)count + strlen(end) + 1), *next = all;
    assert_non_null(all);
    next += sprintf(next, "%s", text);
    for (int n = 0; n < count; n++) {
        next += sprintf(next, item, n);
    }
    sprintf(next, "%s", end);
    return all;
}

static void assert_many_refused(const char *text, const char *item, int count, const char *end, const char *words)
{
    char *all = repeat(text, item, count, end);
    assert_refused(all, NULL, words);
    free(all);
}

/* 70 000 x 70 000 cells are more than 2^32; where the memory does not suffice, the need is named, and it is the true
 * one. Where it does, a larger side is taken: rasterizing that many cells is not for a test. */
static void seventy_thousand_cells_a_side(void **state)
{
    (void)state;
    double side = 70000, available = (double)memory_available();
    while (6 * side * side < 1.1 * available) {
        side *= 3;
    }
    char size[100], cells[40];
    snprintf(size, sizeof size, "plan.size=[%.2f m, %.2f m]", side * 0.01 - 0.3, side * 0.01 - 0.3);
    snprintf(cells, sizeof cells, "%.3g cells", side * side);
    pw_scenario *scenario = NULL;
    pw_setup *setup = NULL;
    pw_error error = {""};
    assert_int_equal(parse(BASE, size, &scenario, &error), PW_OK);
    assert_int_equal(pw_setup_create(scenario, PW_SINGLE, false, &setup, &error), PW_NO_RESOURCE);
    assert_says(&error, "not enough memory");
    assert_says(&error, cells);
    double need = strtod(strstr(error.message, "needs ") + 6, NULL);
    assert_true(need > 5.9e-9 * side * side && need < 20e-9 * side * side + 10);
    pw_scenario_free(scenario);
}

/* Nothing between a large grid and the largest that can be written wraps around. */
static void sizes_beyond_all_memory(void **state)
{
    (void)state;
    static const char *const SIZES[] = {"plan.size=[999 km, 999 km]", "grid.cell=1 um", "stop.after=1 s",
                                        "stop.steps=1000000000000000", "plan.size=[999 km, 1 m]"};
    for (size_t n = 0; n < sizeof SIZES / sizeof SIZES[0]; n++) {
        pw_scenario *scenario = NULL;
        pw_setup *setup = NULL;
        pw_error error = {""};
        pw_status status = parse(BASE, SIZES[n], &scenario, &error);
        if (status == PW_OK) {
            status = pw_setup_create(scenario, PW_SINGLE, false, &setup, &error);
        }
        assert_true(status == PW_NO_RESOURCE || status == PW_BAD_INPUT);
        assert_true(strlen(error.message) > 20);
        pw_scenario_free(scenario);
    }
}

static void too_many_of_something(void **state)
{
    (void)state;
    assert_refused(BASE, "spectra={count: 100001, spacing: 4 cells}", "100000");
    assert_many_refused("plan: {size: [1 m, 1 m]}\ngrid: {cell: 1 cm}\nband: {centre: 2.4 GHz, width: 100 MHz}\n"
                        "stop: {after: 1 us}\ntransmitters:\n",
                        "  - {name: a%d, at: [0.5 m, 0.5 m]}\n", 1001, "", "1000");
    char *base = repeat(BASE, "", 0, "receivers:\n");
    assert_many_refused(base, "  - {name: a%d, at: [0.5 m, 0.5 m]}\n", 10001, "", "10000");
    free(base);
    assert_many_refused("title: ", "x%d", 5000, "\n", "title");
    assert_many_refused("plan: ", "[", 5000, "\n", "limits:");
    assert_many_refused("plan: ", "{a%d: ", 100, "\n", "limits:");
}

/* Sizes of memory are whole bytes that fit 64 bits: what does not, as 1e27 of them, is refused. */
static void sizes_of_memory_as_text(void **state)
{
    (void)state;
    static const char *const NONE[] = {"",      "much",  "2",      "2 gb",      "-1GB",   "0GB",
                                       "999 B", "0.9kB", "1e15TB", "1000001TB", "1e99GB", "2GBs"};
    pw_error error = {""};
    for (size_t n = 0; n < sizeof NONE / sizeof NONE[0]; n++) {
        assert_int_equal(pw_memory_limit(NONE[n], &error), PW_USAGE);
        assert_says(&error, NONE[n]);
    }
    assert_int_equal(pw_memory_limit("1000000 TB", &error), PW_OK);
    assert_int_equal(pw_memory_limit("1kB", &error), PW_OK);
    assert_int_equal((int)memory_available(), 1000);
    assert_int_equal(pw_memory_limit("1.5 KiB", &error), PW_OK);
    assert_int_equal((int)memory_available(), 1536);
    assert_int_equal(pw_memory_limit(NULL, &error), PW_OK);
}

static uint64_t much(void)
{
    return (uint64_t)1e15;
}

/* Fields of three dimensions may lie on devices: those of more than 2^32 cells, over 100 GB, do not fit a host that may
 * take 100 MB, and are refused there unless devices have room. In two dimensions what is set up is the host's. */
static void memory_beside_that_of_the_host(void **state)
{
    (void)state;
    static const char SPACE[] = "dimensions: 3\n"
                                "plan: {size: [900 m, 900 m], storey: {height: 3 m}}\n"
                                "band: {centre: 2.4 GHz, width: 100 MHz}\n"
                                "grid: {scheme: yee, cell: 1 cm, averaging: point, absorber: {cells: 15}}\n"
                                "transmitters: [{name: a, at: [4.5 m, 4.5 m, 2 m]}]\n"
                                "stop: {after: 2 ns}\n",
                      *const LARGE = "plan={size: [9000 m, 9000 m]}";
    pw_scenario *scenario = NULL, *flat = NULL;
    pw_setup_size size;
    pw_error error = {""};
    assert_int_equal(parse(SPACE, NULL, &scenario, &error), PW_OK);
    assert_int_equal(parse(BASE, LARGE, &flat, &error), PW_OK);
    assert_int_equal(pw_memory_limit("100MB", &error), PW_OK);
    memory_look_beside(NULL);
    assert_int_equal(pw_setup_measure(scenario, &size, &error), PW_NO_RESOURCE);
    assert_says(&error, "not enough memory");
    memory_look_beside(much);
    assert_int_equal(pw_setup_measure(scenario, &size, &error), PW_OK);
    assert_true(size.nodes > (int64_t)1 << 32);
    assert_int_equal(pw_setup_measure(flat, &size, &error), PW_NO_RESOURCE);
    memory_look_beside(NULL);
    assert_int_equal(pw_memory_limit(NULL, &error), PW_OK);
    pw_scenario_free(scenario);
    pw_scenario_free(flat);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_beside_that_of_the_host), cmocka_unit_test(seventy_thousand_cells_a_side),
        cmocka_unit_test(sizes_beyond_all_memory),        cmocka_unit_test(sizes_of_memory_as_text),
        cmocka_unit_test(too_many_of_something),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
