/* Laws that every backend must obey on an indoor medium: reciprocity, mirror symmetry, linearity, time shift; and that
 * backends, thread counts and batch lengths agree bit for bit. And what set-up and simulation refuse. */
#include "tests/support/solve.h"

#include "run/simulation.h"

#include <string.h>

static const char *const BACKENDS[] = {"reference", "cpu"};
enum { BACKEND_TOTAL = 2 };

/* A small flat: walls of two materials, one slanted. `mirror` flips it left to right. */
static const char *flat(const char *scheme, const char *transmitters, const char *receivers, bool mirror)
{
    static char text[4096];
    double w = 1.2;
    double a[] = {0.31, 0.37, 0.2, 0.9, 0.7, 1.1};
    for (int k = 0; k < 6 && mirror; k++) {
        a[k] = w - a[k];
    }
    snprintf(text, sizeof text,
             "plan:\n"
             "  size: [1.2 m, 1 m]\n"
             "  rectangles: [{from: [%.17g, 0], to: [%.17g, 70 cm], material: brick}]\n"
             "  walls: [{from: [%.17g, 80 cm], to: [%.17g, 91 cm], thickness: 5 cm, material: concrete},\n"
             "          {from: [%.17g, 20 cm], to: [%.17g, 50 cm], thickness: 4 cm, material: glass}]\n"
             "grid: {scheme: %s, cell: 2 cm, courant: 0.5, absorber: {kind: upml, cells: 8}}\n"
             "band: {centre: 2 GHz, width: 800 MHz}\n"
             "transmitters: %s\n"
             "receivers: %s\n"
             "stop: {after: 25 ns, decay: off}\n",
             a[0], a[1], a[2], a[3], a[4], a[5], scheme, transmitters, receivers);
    return text;
}

static double largest(const double *values, int64_t count)
{
    double peak = 0;
    for (int64_t n = 0; n < count; n++) {
        peak = fmax(peak, fabs(values[n]));
    }
    return peak;
}

static double largest_difference(const double *a, const double *b, int64_t count)
{
    double worst = 0;
    for (int64_t n = 0; n < count; n++) {
        worst = fmax(worst, fabs(a[n] - b[n]));
    }
    return worst;
}

static void test_reciprocity(void **unused)
{
    (void)unused;
    static const char *const SCHEMES[] = {"yee", "dd2", "dd4", "fd8"};
    for (int b = 0; b < BACKEND_TOTAL; b++) {
        for (int s = 0; s < 4; s++) {
            /* One end inside a lossy wall, the other between nodes. */
            struct solved solved =
                solve(flat(SCHEMES[s], "[{name: a, at: [0.343, 0.34]}, {name: b, at: [0.957, 0.713]}]",
                           "[{name: a, at: [0.343, 0.34]}, {name: b, at: [0.957, 0.713]}]", false),
                      PW_DOUBLE, BACKENDS[b]);
            double *there = solve_series(&solved, 0, 1), *back = solve_series(&solved, 1, 0);
            int64_t steps = solved.simulation->step;
            assert_true(largest(there, steps) > 1);
            assert_true(largest_difference(there, back, steps) < 1e-11 * largest(there, steps));
            double *all = calloc(2 * (size_t)steps, sizeof *all);
            pw_error error = {{0}};
            assert_int_equal(pw_simulation_receivers(solved.simulation, 0, all, &error), PW_OK);
            assert_memory_equal(all + steps, there, (size_t)steps * sizeof *all);
            assert_int_equal(pw_simulation_receivers(solved.simulation, 2, all, &error), PW_USAGE);
            free(all);
            free(there);
            free(back);
            solve_free(&solved);
        }
    }
}

static void test_mirror_symmetry(void **unused)
{
    (void)unused;
    for (int b = 0; b < BACKEND_TOTAL; b++) {
        double *series[2];
        int64_t steps = 0;
        for (int m = 0; m < 2; m++) {
            const char *transmitter = m ? "[{name: t, at: [0.70, 0.34]}]" : "[{name: t, at: [0.50, 0.34]}]";
            const char *receiver = m ? "[{name: r, at: [0.29, 0.66]}]" : "[{name: r, at: [0.91, 0.66]}]";
            struct solved solved = solve(flat("dd3", transmitter, receiver, m), PW_DOUBLE, BACKENDS[b]);
            series[m] = solve_series(&solved, 0, 0);
            steps = solved.simulation->step;
            solve_free(&solved);
        }
        assert_true(largest_difference(series[0], series[1], steps) < 1e-10 * largest(series[0], steps));
        free(series[0]);
        free(series[1]);
    }
}

static void test_linearity_and_time_shift(void **unused)
{
    (void)unused;
    /* Twice the current: the same bits but for the exponent. Later by exactly 16 steps: the same series later. */
    const double dt = 0.5 * 0.02 / (299792458.0 * sqrt(2.0));
    for (int b = 0; b < BACKEND_TOTAL; b++) {
        double *series[3];
        int64_t steps = 0;
        for (int c = 0; c < 3; c++) {
            char transmitter[512];
            snprintf(transmitter, sizeof transmitter,
                     "[{name: t, at: [0.5, 0.34], waveform: {kind: modulated-gaussian, amplitude: %d, frequency: 2 "
                     "GHz, width: 0.6 ns, "
                     "delay: %.17g}}]",
                     c == 1 ? 2 : 1, 200 * dt + (c == 2 ? 16 * dt : 0));
            struct solved solved =
                solve(flat("dd2", transmitter, "[{name: r, at: [0.91, 0.66]}]", false), PW_DOUBLE, BACKENDS[b]);
            series[c] = solve_series(&solved, 0, 0);
            steps = solved.simulation->step;
            solve_free(&solved);
        }
        for (int64_t n = 0; n < steps; n++) {
            assert_true(series[1][n] == 2 * series[0][n]);
        }
        assert_true(largest_difference(series[0], series[2] + 16, steps - 16) < 1e-10 * largest(series[0], steps));
        for (int c = 0; c < 3; c++) {
            free(series[c]);
        }
    }
}

static void test_same_bits_on_every_backend(void **unused)
{
    (void)unused;
    for (int s = 0; s < SCHEME_COUNT; s++) {
        double *fields[BACKEND_TOTAL];
        size_t nodes = 0;
        for (int b = 0; b < BACKEND_TOTAL; b++) {
            struct solved solved =
                solve(flat(scheme_name((enum scheme)s), "[{name: t, at: [0.5, 0.347]}]", "[]", false), PW_SINGLE,
                      BACKENDS[b]);
            nodes = (size_t)solved.setup->problem.axis[0].count * (size_t)solved.setup->problem.axis[1].count;
            fields[b] = calloc(nodes, sizeof(double));
            assert_int_equal(pw_simulation_field(solved.simulation, 0, fields[b], NULL), PW_OK);
            solve_free(&solved);
        }
        assert_true(largest(fields[0], (int64_t)nodes) > 0);
        assert_true(largest_difference(fields[0], fields[1], (int64_t)nodes) == 0);
        free(fields[0]);
        free(fields[1]);
    }
}

static void test_stops_by_decay(void **unused)
{
    (void)unused;
    for (int b = 0; b < BACKEND_TOTAL; b++) {
        struct solved solved = solve("plan: {size: [1, 1]}\n"
                                     "grid: {scheme: yee, cell: 2 cm, courant: 0.5}\n"
                                     "band: {centre: 2 GHz, width: 800 MHz}\n"
                                     "transmitters: [{name: t, at: [0.5, 0.5]}]\n"
                                     "stop: {after: 1 us, decay: -60 dB}\n",
                                     PW_SINGLE, BACKENDS[b]);
        print_message("%s: %s at step %lld, %.1f dB\n", BACKENDS[b], solved.simulation->stop_reason,
                      (long long)solved.simulation->step, solved.simulation->energy_db);
        assert_string_equal(solved.simulation->stop_reason, "decay");
        assert_true(solved.simulation->step < solved.setup->problem.steps / 4);
        assert_true(solved.simulation->energy_db < -60);
        solve_free(&solved);
    }
}

static void test_bad_value_is_named(void **unused)
{
    (void)unused;
    for (int b = 0; b < BACKEND_TOTAL; b++) {
        struct solved solved = solve_prepare("plan: {size: [1, 1]}\n"
                                             "grid: {scheme: yee, cell: 2 cm, courant: 0.5}\n"
                                             "band: {centre: 2 GHz, width: 800 MHz}\n"
                                             "transmitters: [{name: t, at: [0.5, 0.5]}]\n"
                                             "stop: {after: 20 ns, decay: off}\n",
                                             PW_SINGLE, BACKENDS[b]);
        solved.setup->problem.sources[0].drive[300] = NAN; /* the backend borrows the table */
        pw_error error;
        assert_int_equal(pw_simulation_run(solved.simulation, NULL, NULL, &error), PW_NUMERICAL);
        assert_non_null(strstr(error.message, "cell ("));
        assert_non_null(strstr(error.message, "step"));
        solve_free(&solved);
    }
}

/* ---- what set-up refuses ---- */

static void refuse(const char *text, const char *phrase)
{
    pw_scenario *scenario = NULL;
    pw_setup *setup = NULL;
    pw_error error = {{0}};
    pw_status status = pw_scenario_parse("test", text, NULL, 0, &scenario, &error);
    status = status != PW_OK ? status : pw_setup_create(scenario, PW_SINGLE, false, &setup, &error);
    if (status != PW_BAD_INPUT || strstr(error.message, phrase) == NULL) {
        print_error("wanted '%s', got status %d: %s\n", phrase, status, error.message);
    }
    assert_int_equal(status, PW_BAD_INPUT);
    assert_non_null(strstr(error.message, phrase));
    pw_setup_free(setup);
    pw_scenario_free(scenario);
}

#define REFUSED(plan, grid, band, transmitter, more)                                                                   \
    "plan: {" plan "}\ngrid: {" grid "}\nband: {" band "}\ntransmitters: [{name: t, " transmitter                      \
    "}]\nstop: {after: 20 ns, decay: off}\n" more

static void test_set_up_refuses(void **unused)
{
    (void)unused;
    refuse(REFUSED("size: [1, 1]", "scheme: dd4, cell: 2 cm, courant: 0.7", "centre: 2 GHz, width: 800 MHz",
                   "at: [0.5, 0.5]", ""),
           "courant");
    refuse(REFUSED("size: [1, 1]", "scheme: dd4, cell: 20 cm, courant: 0.5", "centre: 2 GHz, width: 800 MHz",
                   "at: [0.5, 0.5]", ""),
           "too coarse");
    refuse(REFUSED("size: [1, 1]", "scheme: dd4, cell: 2 cm, courant: 0.5", "centre: 2 GHz, width: 800 MHz",
                   "at: [1.5, 0.5]", ""),
           "outside the plan");
    refuse(REFUSED("size: [1, 1]", "scheme: dd4, cell: 2 cm, courant: 0.5", "centre: 2 GHz, width: 800 MHz",
                   "at: [0.5, 0.5]", "receivers: [{name: r, at: [0.5, -1]}]\n"),
           "outside the plan");
    refuse(REFUSED("size: [1, 1]", "scheme: dd4, cell: 2 cm, courant: 0.5", "centre: 2 GHz, width: 800 MHz",
                   "at: [0.5, 0.5]", "spectra: {count: 3, spacing: 4, every: 60}\n"),
           "Nyquist");
    refuse(REFUSED("size: [1, 1], rectangles: [{from: [0.3, 0.3], to: [0.7, 0.7], material: metal}]",
                   "scheme: yee, cell: 2 cm, courant: 0.5", "centre: 2 GHz, width: 800 MHz", "at: [0.5, 0.5]", ""),
           "perfect conductor");
}

static pw_status pause_and_go_on(struct simulation *simulation, void *user, pw_error *error)
{
    (void)simulation;
    (void)user;
    (void)error;
    return PW_OK;
}

/* Looks at the energy are where the problem says, or a run with pictures would stop elsewhere than one without. */
static void test_looks_do_not_depend_on_pauses(void **unused)
{
    (void)unused;
    pw_error error = {{0}};
    pw_scenario *scenario = NULL;
    pw_setup *setup = NULL;
    assert_int_equal(pw_scenario_parse("flat", flat("yee", "[{at: [0.3, 0.4]}]", "[{at: [0.9, 0.5]}]", false), NULL, 0,
                                       &scenario, &error),
                     PW_OK);
    assert_int_equal(pw_setup_create(scenario, PW_SINGLE, false, &setup, &error), PW_OK);
    struct simulation *runs[3];
    static const int64_t PAUSES[] = {0, 1, 7};
    for (int r = 0; r < 3; r++) {
        assert_int_equal(
            pw_simulation_create(setup, &(pw_compute){.backend = "reference", .threads = 1}, 0, 1, &runs[r], &error),
            PW_OK);
        runs[r]->pause_every = PAUSES[r];
        runs[r]->pause = pause_and_go_on;
        assert_int_equal(pw_simulation_run(runs[r], NULL, NULL, &error), PW_OK);
        assert_int_equal(runs[r]->history->count, runs[0]->history->count);
        for (int n = 0; n < runs[0]->history->count; n++) {
            assert_true(runs[r]->history->step[n] == runs[0]->history->step[n]);
        }
    }
    for (int r = 0; r < 3; r++) {
        pw_simulation_free(runs[r]);
    }
    pw_setup_free(setup);
    pw_scenario_free(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reciprocity),
        cmocka_unit_test(test_mirror_symmetry),
        cmocka_unit_test(test_linearity_and_time_shift),
        cmocka_unit_test(test_same_bits_on_every_backend),
        cmocka_unit_test(test_stops_by_decay),
        cmocka_unit_test(test_looks_do_not_depend_on_pauses),
        cmocka_unit_test(test_bad_value_is_named),
        cmocka_unit_test(test_set_up_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
