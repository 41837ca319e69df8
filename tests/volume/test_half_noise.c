/* What storage: half adds to a result (discretize/forecast/half_noise.h): rooms are solved with fields in 16 bits and
 * in 32, and the power of the difference of their spectra, against that of the spectra, is no more than what the set-up
 * tells; and where samples are as close as `auto` takes them, not far under it. And what is refused. */
#include "backend/parts/cut.h"
#include "discretize/forecast/half_noise.h"
#include "tests/support/solve.h"
#include "tests/volume/text_setup.h"

#include <string.h>

#define WALLS(m)                                                                                                       \
    "rectangles: [{from: [0, 0], to: [1.2, 0.1], material: " m "}, {from: [0, 1.1], to: [1.2, 1.2], material: " m      \
    "}, {from: [0, 0], to: [0.1, 1.2], material: " m "}, {from: [1.1, 0], to: [1.2, 1.2], material: " m "}]}\n"
#define SLABS(m)                                                                                                       \
    "storey: {height: 1.2, floor: {material: " m ", thickness: 0.2}, ceiling: {material: " m ", thickness: 0.2}}"
#define OPEN_PLAN  "plan: {size: [1.2, 1.2], storey: {height: 1.2}}\n"
#define BRICK_PLAN "plan: {size: [1.2, 1.2], " SLABS("concrete") ", " WALLS("brick")
#define METAL_PLAN "plan: {size: [1.2, 1.2], " SLABS("metal") ", " WALLS("metal")

struct room {
    const char *name, *plan, *grid, *band;
    int every, steps;
    double under; /* dB: what is measured is at least so near to what is told */
};

/* The first ones always, the others with the argument `all`, which takes a minute of processor. */
static const struct room ROOMS[] = {
    {"open, wide band", OPEN_PLAN, "scheme: fd6, cell: 4 cm", "{centre: 0.8 GHz, width: 300 MHz}", 0, 600, 12},
    {"brick", BRICK_PLAN, "scheme: fd4o, cell: 4 cm", "{centre: 0.8 GHz, width: 80 MHz}", 0, 1000, 12},
    {"brick, few samples", BRICK_PLAN, "scheme: fd4o, cell: 4 cm", "{centre: 0.8 GHz, width: 80 MHz}", 16, 1000, 40},
    {"metal", METAL_PLAN, "scheme: fd4o, cell: 4 cm", "{centre: 0.8 GHz, width: 80 MHz}", 0, 2000, 20},
    {"open", OPEN_PLAN, "scheme: fd4o, cell: 4 cm", "{centre: 0.8 GHz, width: 80 MHz}", 0, 600, 12},
    {"open, each step", OPEN_PLAN, "scheme: fd4o, cell: 4 cm", "{centre: 0.8 GHz, width: 80 MHz}", 1, 600, 12},
    {"brick, coarse", BRICK_PLAN, "scheme: fd8, cell: 4 cm", "{centre: 1.2 GHz, width: 80 MHz}", 0, 1000, 12},
    {"brick, yee", BRICK_PLAN, "scheme: yee, cell: 2.5 cm", "{centre: 0.6 GHz, width: 60 MHz}", 0, 800, 12},
};
static size_t room_count = 4;

/* Samples after every *every steps, 0: as `auto` takes them, which is told. */
static double *solve_spectra(const struct room *room, bool half, int *every, double *told, int *count)
{
    char text[2048], word[16] = "auto";
    pw_error error = {{0}};
    if (*every > 0) {
        snprintf(word, sizeof word, "%d", *every);
    }
    snprintf(text, sizeof text,
             "dimensions: 3\n%sgrid: {%s, storage: %s}\nband: %s\ntransmitters: [{at: [0.5, 0.72, 0.7]}]\n"
             "spectra: {count: 3, heights: [0.4 m, 0.6 m], every: %s}\nstop: {steps: %d, decay: off}\n",
             room->plan, room->grid, half ? "half" : "full", room->band, word, room->steps);
    struct solved solved = solve(text, PW_SINGLE, "cpu");
    const struct spectra *spectra = &solved.setup->problem.spectra;
    *count = 2 * spectra->rows;
    double *found = calloc((size_t)spectra->frequency_count * (size_t)*count, sizeof *found);
    SOLVE_CHECK(stepper_read_spectra(solved.simulation->stepper, 0, 0, spectra->rows, found, &error), &error);
    assert_int_equal(spectra->frequency_count, 3);
    *every = spectra->every;
    *told = half ? half_noise(solved.setup) : 0;
    solve_free(&solved);
    return found;
}

static void test_noise_is_no_more_than_told(void **unused)
{
    (void)unused;
    for (size_t r = 0; r < room_count; r++) {
        double told, unsaid, worst = -HUGE_VAL;
        int count, every = ROOMS[r].every;
        double *half = solve_spectra(&ROOMS[r], true, &every, &told, &count),
               *full = solve_spectra(&ROOMS[r], false, &every, &unsaid, &count);
        for (int f = 0; f < 3; f++) {
            double noise = 0, power = 0;
            for (int n = f * count; n < (f + 1) * count; n++) {
                noise += (half[n] - full[n]) * (half[n] - full[n]);
                power += full[n] * full[n];
            }
            worst = fmax(worst, 10 * log10(noise / power));
        }
        print_message("%s, every %d: %.1f dB, told %.1f dB\n", ROOMS[r].name, every, worst, told);
        assert_true(worst <= told);
        assert_true(worst >= told - ROOMS[r].under);
        free(full);
        free(half);
    }
}

static const char *const PLAIN =
    "dimensions: 3\n" OPEN_PLAN "grid: {scheme: fd4o, cell: 10 cm, storage: half}\nband: 0.3 GHz\n"
    "transmitters: [{at: [0.5, 0.72, 0.7]}]\nspectra: {heights: [0.6 m]}\n";

static void test_the_set_up_tells(void **unused)
{
    (void)unused;
    pw_scenario *scenario;
    pw_setup *setup = text_setup_take(PLAIN, PW_SINGLE, NULL, 0, &scenario);
    int told = 0;
    for (size_t w = 0; w < pw_setup_warning_count(setup); w++) {
        told += strstr(pw_setup_warning(setup, w), "grid.storage: half adds noise") != NULL;
    }
    assert_int_equal(told, 1);
    assert_true(setup->problem.half && setup->problem.spectra.every <= HALF_NOISE_EVERY);
    assert_non_null(strstr(pw_setup_scenario_text(setup), "storage: half"));
    drop(setup, scenario);
    const char *const full[] = {"grid.storage=full"};
    setup = text_setup_take(PLAIN, PW_SINGLE, full, 1, &scenario);
    assert_false(setup->problem.half);
    assert_null(strstr(pw_setup_scenario_text(setup), "storage"));
    drop(setup, scenario);
}

static void test_what_is_refused(void **unused)
{
    (void)unused;
    static const struct {
        const char *override, *says;
        pw_precision precision;
    } CASES[] = {{"grid.storage=half", "single precision", PW_DOUBLE},
                 {"grid.storage=quarter", "storage", PW_SINGLE},
                 {"dimensions=2", "half is for three dimensions", PW_SINGLE}};
    for (size_t c = 0; c < sizeof CASES / sizeof CASES[0]; c++) {
        pw_scenario *scenario;
        pw_error error = {{0}};
        assert_null(text_setup_try(PLAIN, CASES[c].precision, &CASES[c].override, 1, &scenario, &error));
        print_message("%s\n", error.message);
        assert_non_null(strstr(error.message, CASES[c].says));
        pw_scenario_free(scenario);
    }
}

/* Parts of a grid are not rounded as the whole is. */
static void test_parts_are_refused(void **unused)
{
    (void)unused;
    pw_scenario *scenario;
    pw_setup *setup = text_setup_take(PLAIN, PW_SINGLE, NULL, 0, &scenario);
    const struct cut_request request = {.count = 2};
    struct cut cut;
    pw_error error = {{0}};
    assert_int_equal(cut_choose(&setup->problem, &request, &cut, &error), PW_USAGE);
    assert_non_null(strstr(error.message, "grid.storage: half"));
    drop(setup, scenario);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "all") == 0) {
        room_count = sizeof ROOMS / sizeof ROOMS[0];
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_set_up_tells),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_parts_are_refused),
        cmocka_unit_test(test_noise_is_no_more_than_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
