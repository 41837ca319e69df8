/* Every wall by itself, with a prior: the law of the prior in a regression; a wall that is not what its material says
 * is found; what no reading tells keeps its prior; thirty walls of their own predict new places no worse. */
#include "calibrate/joint/regression.h"
#include "tests/calibrate/hall.h"
#include "tests/support/text_solve.h"

/* ---- the prior in a regression ---- */

/* A mean m of n values with the prior 0 +- t: with s the scale, m (n + s^2/t^2) = sum of the values, and its variance
 * is s^2 / (n + s^2/t^2). A coefficient that no row has keeps its prior. */
static void test_prior(void **state)
{
    (void)state;
    enum { ROWS = 16 };
    double matrix[ROWS][2], target[ROWS], beta[2], scale, covariance[4], sum = 0.0;
    const double prior[2] = {0.3, 0.7}, mean[2] = {0.0, 0.25};
    int cluster[ROWS];
    for (int n = 0; n < ROWS; n++) {
        matrix[n][0] = 1.0;
        matrix[n][1] = 0.0;
        target[n] = 1.0 + (n % 2 == 0 ? 0.5 : -0.5);
        sum += target[n];
        cluster[n] = n;
    }
    const struct regression regression = {
        .rows = ROWS, .columns = 2, .matrix = &matrix[0][0], .target = target, .prior = prior, .mean = mean};
    pw_error error = {""};
    assert_int_equal(regression_solve(&regression, beta, &scale, &error), PW_OK);
    const double known = scale * scale / (prior[0] * prior[0]);
    assert_true(fabs(beta[0] * (ROWS + known) / sum - 1.0) < 1e-6);
    assert_true(beta[0] < 0.98 && beta[0] > 0.7);
    assert_true(fabs(beta[1] - 0.25) < 1e-6);
    assert_int_equal(regression_covariance(&regression, beta, scale, cluster, ROWS, covariance, &error), PW_OK);
    /* The sum of squares is about 0.5 per row, and the scale its robust estimate: the variances agree as far as these.
     */
    assert_true(fabs(sqrt(covariance[0] * (ROWS + known)) / scale - 1.0) < 0.35);
    assert_true(fabs(covariance[3] / (prior[1] * prior[1]) - 1.0) < 1e-3);
    /* Errors that are the same in four rows: four tell as much as one. */
    for (int n = 0; n < ROWS; n++) {
        target[n] = n / 4 % 2 == 0 ? 1.0 : -1.0;
        cluster[n] = n / 4;
    }
    beta[0] = beta[1] = 0.0;
    assert_true(fabs(regression_alike(&regression, beta, 1.0, cluster, 4) - 4.0) < 1e-9);
}

/* ---- rooms ---- */

enum { STATIONS = 3, SPOTS = 90, READINGS = STATIONS * SPOTS, WALLS = 30 };

/* Walls between the rooms of a floor of 3.6 m by 2.4 m, and one in a corner that nobody stands behind. */
static const char FLOOR[] =
    "plan:\n"
    "  size: [3.6 m, 2.4 m]\n"
    "  walls:\n"
    "    - {from: [1.2 m, 0 m], to: [1.2 m, 1 m], thickness: 12 cm, material: brick}\n"
    "    - {from: [1.2 m, 1.4 m], to: [1.2 m, 2.4 m], thickness: 12 cm, material: %s}\n"
    "    - {from: [2.4 m, 0 m], to: [2.4 m, 1.5 m], thickness: 12 cm, material: brick}\n"
    "    - {from: [2.46 m, 1.5 m], to: [3.2 m, 1.5 m], thickness: 12 cm, material: brick}\n"
    "    - {from: [3.57 m, 0 m], to: [3.57 m, 0.06 m], thickness: 3 cm, material: brick}\n"
    "grid: {scheme: fd4o, cell: 3 cm}\n"
    "band: {centre: 1 GHz, width: 300 MHz}\n"
    "transmitters: [{name: west, at: [0.4 m, 1.9 m]}, {name: middle, at: [1.8 m, 0.5 m]}, {name: east, at: [3.2 m, 2 "
    "m]}]\n"
    "spectra: {count: 8, spacing: 2 cells}\n"
    "stop: {after: 25 ns, decay: off}\n";

static void places_make(pw_reading readings[READINGS])
{
    static const char *const NAMES[STATIONS] = {"west", "middle", "east"};
    for (int n = 0; n < READINGS; n++) {
        readings[n] = (pw_reading){.transmitter = NAMES[n % STATIONS],
                                   .x = 0.3 + 3.0 * (0.5 + 0.5 * noise_at(5 * (n / STATIONS))),
                                   .y = 0.3 + 1.8 * (0.5 + 0.5 * noise_at(5 * (n / STATIONS) + 2)),
                                   .height = NAN};
    }
}

/* Levels of a solved text at the places, and on top of them an offset for each transmitter and noise [dB]. */
static void readings_make(const char *text, double noise, pw_reading readings[READINGS])
{
    double levels[READINGS];
    pw_error error = {""};
    pw_joint joint;
    pw_joint_options options = pw_joint_options_default();
    options.offsets = PW_OFFSETS_NONE;
    options.compute.backend = "cpu";
    assert_true(text_solve(text, NULL, 0, PW_SINGLE, "cpu", score_path));
    pw_result *result = result_get(score_path);
    for (int n = 0; n < READINGS; n++) {
        readings[n].power = -50.0;
    }
    assert_int_equal(pw_calibrate_joint_readings(result, readings, READINGS, &options, levels, &joint, &error), PW_OK);
    for (int n = 0; n < READINGS; n++) {
        readings[n].power = levels[n] + 4.0 * (n % STATIONS) + noise * 1.73 * noise_at(n);
    }
    pw_joint_free(&joint);
    pw_result_close(result);
    remove(score_path);
}

static void fit(const char *text, const pw_reading readings[READINGS], const char *const *parameters, int count,
                double response_cells, pw_joint *joint)
{
    pw_error error = {""};
    pw_joint_options options = pw_joint_options_default();
    options.compute = (pw_compute){.backend = "cpu", .threads = 1};
    options.blocks = 0.5;
    options.parameters = parameters;
    options.parameter_count = count;
    options.response_cells = response_cells;
    options.rounds = response_cells > 1.0 ? 1 : 3;
    assert_true(text_solve(text, NULL, 0, PW_SINGLE, "cpu", hall_path));
    pw_result *result = result_get(hall_path);
    if (pw_calibrate_joint_readings(result, readings, READINGS, &options, NULL, joint, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    pw_result_close(result);
}

/* By files: the table of walls into *report, which the caller frees, and the scenario as fitted into `fitted`. */
static void fit_files(const char *text, const pw_reading readings[READINGS], const char *parameter, const char *fitted,
                      char **report, pw_joint *joint)
{
    pw_error error = {""};
    size_t size;
    pw_joint_options options = pw_joint_options_default();
    options.compute = (pw_compute){.backend = "cpu", .threads = 1};
    options.blocks = 0.5;
    options.parameters = &parameter;
    options.parameter_count = 1;
    options.response_cells = 1.0;
    options.rounds = 3;
    FILE *file = fopen(readings_path, "w"), *out = open_memstream(report, &size);
    fputs("x,y,transmitter,power\n", file);
    for (int n = 0; n < READINGS; n++) {
        fprintf(file, "%.9g,%.9g,%s,%.9g\n", readings[n].x, readings[n].y, readings[n].transmitter, readings[n].power);
    }
    fclose(file);
    assert_true(text_solve(text, NULL, 0, PW_SINGLE, "cpu", hall_path));
    pw_result *result = result_get(hall_path);
    const pw_joint_files files = {.measured = readings_path, .fitted = fitted};
    if (pw_calibrate_joint(result, &files, &options, out, joint, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    fclose(out);
    pw_result_close(result);
}

static double conductivity_of(const char *path, const char *wall)
{
    pw_scenario *scenario = NULL;
    pw_parameter parameter = {.kind = PW_PARAMETER_CONDUCTIVITY};
    pw_parameter_range range = {0};
    pw_error error = {""};
    snprintf(parameter.name, sizeof parameter.name, "%s", wall);
    assert_int_equal(pw_scenario_load(path, NULL, 0, &scenario, &error), PW_OK);
    assert_int_equal(pw_parameter_look(scenario, &parameter, &range, &error), PW_OK);
    pw_scenario_free(scenario);
    return range.low;
}

static void test_one_wall(void **state)
{
    (void)state;
    char text[2048], fitted[128], *report = NULL;
    pw_reading readings[READINGS];
    pw_joint joint;
    places_make(readings);
    snprintf(text, sizeof text, FLOOR, "{relative_permittivity: 3.91, conductivity: 0.0714 S/m}"); /* 3 times as much */
    readings_make(text, 1.0, readings);
    snprintf(text, sizeof text, FLOOR, "brick");
    snprintf(fitted, sizeof fitted, "%s/fitted.yaml", folder);
    fit_files(text, readings, "walls:conductivity=2", fitted, &report, &joint);
    assert_true(fabs(conductivity_of(fitted, "walls[1]") / (0.0238 * joint.parameters[1].value) - 1.0) < 1e-3);
    assert_true(fabs(conductivity_of(fitted, "walls[0]") / (0.0238 * joint.parameters[0].value) - 1.0) < 1e-3);
    assert_non_null(strstr(report, "conductivity by wall; prior: 1, two of three within a factor of 2"));
    assert_non_null(strstr(report, "; the prior"));
    assert_non_null(strstr(report, "warning: of 1 of 5 walls these cells tell next to nothing"));
    assert_non_null(strstr(report, "with every wall as its material"));
    free(report);
    assert_int_equal(joint.parameter_count, 5);
    for (int p = 0; p < 5; p++) {
        const pw_fitted *one = &joint.parameters[p];
        const double truth = p == 1 ? 3.0 : 1.0;
        print_message("%s %s (%.2f, %.2f): %.3f, %.3f to %.3f, told %.2f\n", one->name, one->material, one->x, one->y,
                      one->value, one->low, one->high, one->told);
        assert_true(one->spread > 1.999 && one->spread < 2.001);
        assert_true(one->low <= truth && one->high >= truth);
    }
    assert_string_equal(joint.parameters[1].name, "walls[1]:conductivity");
    assert_string_equal(joint.parameters[1].material, "brick");
    assert_true(fabs(joint.parameters[1].x - 1.2) < 1e-9 && fabs(joint.parameters[1].y - 1.9) < 1e-9);
    assert_true(joint.parameters[1].low > 1.3 && joint.parameters[1].told > 0.5);
    /* Nobody feels the last one: the prior comes back. */
    const pw_fitted *hidden = &joint.parameters[4];
    assert_true(fabs(hidden->value - 1.0) < 0.03 && hidden->told < 0.05 && hidden->told >= 0.0);
    assert_true(fabs(log(hidden->high) / (1.96 * log(2.0)) - 1.0) < 0.05);
    assert_true(fabs(log(hidden->low) / (1.96 * log(2.0)) + 1.0) < 0.05);
    assert_true(joint.crossed.rmse < joint.before.rmse && joint.crossed.rmse < joint.crossed_alike.rmse);
    pw_joint_free(&joint);
}

/* Pillars in rows, each of its own permittivity: `spread` of their logarithms. */
static void pillars_text(int count, double spread, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "plan:\n  size: [3.6 m, 2.4 m]\n  rectangles:\n");
    for (int n = 0; n < count; n++) {
        const double x = 0.6 + 0.5 * (n % 6), y = 0.3 + 0.4 * (n / 6), length = n % 2 == 0 ? 0.3 : 0.09;
        used += (size_t)snprintf(text + used, size - used,
                                 "    - {from: [%.3f m, %.3f m], to: [%.3f m, %.3f m], material: {name: block, "
                                 "relative_permittivity: %.4f, conductivity: %.4f S/m}}\n",
                                 x, y, x + length, y + 0.39 - length, 4.0, 0.05 * exp(spread * 1.73 * noise_at(7 * n)));
    }
    const char *rest = strstr(FLOOR, "grid:");
    snprintf(text + used, size - used, "%s", rest);
}

/* With a prior, thirty parameters that have nothing to tell do no harm at places that were held out, and where the
 * walls differ they help. */
static void test_thirty_walls(void **state)
{
    (void)state;
    static const char *const PARAMETERS[2][1] = {{"walls:conductivity=1.3"}, {"walls:conductivity=2"}};
    char text[8192];
    pw_reading readings[READINGS];
    pw_joint without, with;
    places_make(readings);
    for (int differ = 0; differ < 2; differ++) {
        const int walls = differ != 0 ? WALLS : WALLS / 3; /* fewer, since each takes a run */
        pillars_text(walls, differ != 0 ? log(2.0) : 0.0, text, sizeof text);
        readings_make(text, 1.0, readings);
        pillars_text(walls, 0.0, text, sizeof text);
        fit(text, readings, NULL, 0, 1.0, &without);
        fit(text, readings, PARAMETERS[differ], 1, 2.0, &with);
        assert_int_equal(with.parameter_count, walls);
        int inside = 0;
        for (int p = 0; p < walls; p++) {
            const double truth = exp(differ * log(2.0) * 1.73 * noise_at(7 * p));
            inside += with.parameters[p].low <= truth && with.parameters[p].high >= truth;
        }
        print_message("%s: held out %.3f dB, each wall by itself %.3f dB; %d of %d within; %d runs and %d coarse\n",
                      differ != 0 ? "walls that differ" : "walls alike", without.crossed.rmse, with.crossed.rmse,
                      inside, walls, with.runs, with.coarse_runs);
        assert_true(with.crossed.rmse < (differ != 0 ? 0.97 : 1.05) * without.crossed.rmse);
        assert_true(fabs(with.crossed_alike.rmse / without.crossed.rmse - 1.0) < 0.1);
        assert_true((with.crossed.rmse < with.crossed_alike.rmse) == (differ != 0));
        assert_true(inside >= walls - 4);
        pw_joint_free(&without);
        pw_joint_free(&with);
    }
}

/* Larger cells find what re-runs alone find, with fewer of them: one where the fit comes near and one where it ends. */
static void test_larger_cells(void **state)
{
    (void)state;
    static const char *const PARAMETERS[] = {"walls[1]:permittivity=2..8", "walls[1]:conductivity=1mS/m..0.3"};
    char text[2048];
    pw_reading readings[READINGS];
    pw_joint alone, larger;
    places_make(readings);
    snprintf(text, sizeof text, FLOOR, "{relative_permittivity: 4.4, conductivity: 0.05 S/m}");
    readings_make(text, 1.0, readings);
    snprintf(text, sizeof text, FLOOR, "brick");
    fit(text, readings, PARAMETERS, 2, 1.0, &alone);
    fit(text, readings, PARAMETERS, 2, 0.0, &larger);
    print_message("re-runs alone: %d, held out %.3f dB; with %d larger ones: %d, held out %.3f dB\n", alone.runs,
                  alone.crossed.rmse, larger.coarse_runs, larger.runs, larger.crossed.rmse);
    assert_true(larger.coarse_runs > 0 && larger.runs <= 2);
    assert_true(larger.crossed.rmse < 1.01 * alone.crossed.rmse);
    for (int p = 0; p < 2; p++) {
        const pw_fitted *one = &larger.parameters[p], *other = &alone.parameters[p];
        print_message("%s: %.4g (%.4g to %.4g), %.4g\n", one->name, one->value, one->low, one->high, other->value);
        assert_true(other->value > one->low && other->value < one->high);
        assert_true(one->low < (p == 0 ? 4.4 : 0.05) && one->high > (p == 0 ? 4.4 : 0.05));
    }
    pw_joint_free(&alone);
    pw_joint_free(&larger);
}

/* Of the resistance of a coating too a fit on larger cells ends where re-runs alone end. */
static void test_larger_cells_of_coatings(void **state)
{
    (void)state;
    static const char *const PARAMETERS[] = {"coating 20 ohm:resistance=5..200"};
    static const char PANES[] = "plan:\n"
                                "  size: [3.6 m, 2.4 m]\n"
                                "  walls:\n"
                                "    - {from: [1.217 m, 0 m], to: [1.217 m, 1.9 m], thickness: 6 mm, material: glass, "
                                "coating: %s}\n"
                                "    - {from: [2.4 m, 0.7 m], to: [2.4 m, 2.4 m], thickness: 9 cm, material: brick}\n";
    char text[2048];
    pw_reading readings[READINGS];
    pw_joint alone, larger;
    places_make(readings);
    int used = snprintf(text, sizeof text, PANES, "35 ohm");
    snprintf(text + used, sizeof text - (size_t)used, "%s", strstr(FLOOR, "grid:"));
    readings_make(text, 0.5, readings);
    used = snprintf(text, sizeof text, PANES, "20 ohm");
    snprintf(text + used, sizeof text - (size_t)used, "%s", strstr(FLOOR, "grid:"));
    fit(text, readings, PARAMETERS, 1, 1.0, &alone);
    fit(text, readings, PARAMETERS, 1, 0.0, &larger);
    const pw_fitted *one = &larger.parameters[0], *other = &alone.parameters[0];
    print_message("%.4g ohm (%.4g to %.4g); re-runs alone %.4g (%.4g to %.4g)\n", one->value, one->low, one->high,
                  other->value, other->low, other->high);
    assert_true(larger.coarse_runs > 0);
    assert_true(other->low < 35 && other->high > 35);
    assert_true(fabs(log(one->value / other->value)) < 0.15 * log(other->high / other->low));
    pw_joint_free(&alone);
    pw_joint_free(&larger);
}

/* A fitted scenario can be run: denser walls allow smaller time steps alone than those of the result. */
static void test_written(void **state)
{
    (void)state;
    char text[2048], fitted[128], *report = NULL;
    pw_reading readings[READINGS];
    pw_joint joint;
    pw_scenario *scenario = NULL;
    pw_setup *setup = NULL;
    pw_error error = {""};
    places_make(readings);
    snprintf(text, sizeof text, FLOOR, "{relative_permittivity: 5.2, conductivity: 0.0238 S/m}");
    readings_make(text, 0.1, readings);
    snprintf(text, sizeof text, FLOOR, "brick");
    snprintf(fitted, sizeof fitted, "%s/denser.yaml", folder);
    fit_files(text, readings, "walls[1]:permittivity=2..8", fitted, &report, &joint);
    print_message("%.3f\n", joint.parameters[0].value);
    assert_true(joint.parameters[0].value > 4.5);
    assert_int_equal(pw_scenario_load(fitted, NULL, 0, &scenario, &error), PW_OK);
    if (pw_setup_create(scenario, PW_SINGLE, false, &setup, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    pw_setup_free(setup);
    pw_scenario_free(scenario);
    pw_joint_free(&joint);
    free(report);
    remove(fitted);
}

static void test_refused(void **state)
{
    (void)state;
    static const char *const BAD[][2] = {{"walls:colour", "walls:permittivity"},
                                         {"walls:permittivity=0.5", "allowed are 1.01 to 10"},
                                         {"walls:permittivity=2..8", "as in walls:permittivity=1.3"},
                                         {"walls[9]:permittivity", "there is no 'walls[9]'"},
                                         {"walls:thickness", "0 walls"}};
    char text[8192];
    pw_reading readings[READINGS];
    pw_joint joint;
    pw_joint_options options = pw_joint_options_default();
    pillars_text(WALLS, 0.0, text, sizeof text);
    places_make(readings);
    assert_true(text_solve(text, NULL, 0, PW_SINGLE, "cpu", hall_path));
    pw_result *result = result_get(hall_path);
    for (size_t n = 0; n < sizeof BAD / sizeof *BAD; n++) {
        pw_error error = {""};
        options.parameters = BAD[n];
        options.parameter_count = 1;
        assert_int_equal(pw_calibrate_joint_readings(result, readings, READINGS, &options, NULL, &joint, &error),
                         PW_BAD_INPUT);
        if (strstr(error.message, BAD[n][1]) == NULL) {
            fail_msg("'%s' does not say '%s'", error.message, BAD[n][1]);
        }
    }
    pw_result_close(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_prior),
                                       cmocka_unit_test(test_one_wall),
                                       cmocka_unit_test(test_thirty_walls),
                                       cmocka_unit_test(test_larger_cells),
                                       cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_written),
                                       cmocka_unit_test(test_larger_cells_of_coatings)};
    return cmocka_run_group_tests(tests, make_all, remove_all);
}
