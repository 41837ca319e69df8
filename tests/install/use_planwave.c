/* A program of a stranger: it knows an installed planwave alone. It makes a plan from arrays, solves it on the CPU,
 * reads a channel, a map and shares of the floor into buffers of its own, compares them with the files that the writers
 * make and with the law of a free line source, and stops a run and a map from its callbacks. Prints a line per check as
 * cmocka does. Run by test_install.sh in a folder of its own. */
#include <planwave_tools.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 60, COLUMNS = 80, LINE_SIZE = 512 };
static const double PIXEL = 0.03;

static int passed, failed;

static void check(const char *name, bool good, const char *why)
{
    passed += good;
    failed += !good;
    printf("[  %s ] %s%s%s\n", good ? "     OK" : "FAILED ", name, good ? "" : ": ", good ? "" : why);
}

static void require(const char *name, pw_status status, const pw_error *error)
{
    if (status != PW_OK) {
        printf("[  FAILED  ] %s: status %d: %s\n", name, (int)status, error->message);
        printf("[==========] %d test(s) run.\n[  PASSED  ] %d test(s).\n[  FAILED  ] 1 test(s), listed below:\n",
               passed + 1, passed);
        exit(1);
    }
}

static void *buffer_get(size_t count, size_t size)
{
    void *buffer = calloc(count, size);
    if (buffer == NULL) {
        exit(1);
    }
    return buffer;
}

static const char scenario_text[] = "title: from arrays\n"
                                    "plan: {size: [2.4 m, 1.8 m]}\n"
                                    "grid: {scheme: yee, cell: 3 cm, courant: 0.5}\n"
                                    "band: {centre: 1 GHz, width: 300 MHz}\n"
                                    "transmitters: [{name: left, at: [0.6 m, 0.9 m], power: 20 dBm}, {name: right, at: "
                                    "[2.1 m, 0.3 m], power: 20 dBm}]\n"
                                    "receivers: [{name: probe, at: [1.2 m, 0.9 m], gain: 2 dBi}]\n"
                                    "spectra: {count: 24, spacing: 2 cells}\n"
                                    "stop: {after: 40 ns}\n";

/* A pillar of concrete and a plate of metal in air; with `empty`, air alone. */
static pw_setup *setup_make(const pw_scenario *scenario, bool empty)
{
    static double permittivity[ROWS][COLUMNS], conductivity[ROWS][COLUMNS];
    static bool metal[ROWS][COLUMNS];
    for (int row = 0; row < ROWS; row++) {
        for (int column = 0; column < COLUMNS; column++) {
            bool pillar = !empty && row >= 10 && row < 16 && column >= 50 && column < 56;
            permittivity[row][column] = pillar ? 5.24 : 1.0;
            conductivity[row][column] = pillar ? 0.0462 : 0.0;
            metal[row][column] = !empty && row == 50 && column >= 20 && column < 40;
        }
    }
    const pw_plan plan = {.rows = ROWS,
                          .columns = COLUMNS,
                          .pixel = PIXEL,
                          .relative_permittivity = &permittivity[0][0],
                          .conductivity = &conductivity[0][0],
                          .perfect_conductor = &metal[0][0]};
    pw_error error = {{0}};
    pw_setup *setup = NULL;
    require("a set-up from arrays", pw_setup_create_from_plan(scenario, &plan, PW_DOUBLE, false, &setup, &error),
            &error);
    return setup;
}

/* ---- callbacks ---- */

static bool stop_at_once(const pw_progress *progress, void *user)
{
    (void)progress;
    ++*(int *)user;
    return false;
}

static bool stop_late(double done, void *user)
{
    *(double *)user = done;
    return done < 0.4;
}

static bool note_done(double done, void *user)
{
    double *last = user;
    *last = done >= *last && done <= 1.0 ? done : NAN;
    return true;
}

/* ---- files of the writers ---- */

/* Column `column` of the numbers of a CSV; lines that begin with a letter or '#' are skipped. Returns how many. */
static size_t csv_read(const char *path, int column, double *values, size_t limit)
{
    FILE *file = fopen(path, "r");
    char line[LINE_SIZE];
    size_t count = 0;
    while (file != NULL && count < limit && fgets(line, sizeof line, file) != NULL) {
        char *field = line;
        if (strchr("+-.0123456789", line[0]) == NULL) {
            continue;
        }
        for (int c = 0; c < column && field != NULL; c++) {
            field = strchr(field, ',') != NULL ? strchr(field, ',') + 1 : NULL;
        }
        values[count++] = field != NULL ? strtod(field, NULL) : NAN;
    }
    if (file != NULL) {
        fclose(file);
    }
    return count;
}

static bool same_numbers(const double *a, const double *b, size_t count, size_t stride, double tolerance)
{
    for (size_t n = 0; n < count; n++) {
        double x = a[n * stride], y = b[n];
        if (isnan(x) != isnan(y) || fabs(x - y) > tolerance * fmax(1.0, fabs(y))) {
            return false;
        }
    }
    return count > 0;
}

/* ---- the checks ---- */

static void check_setup(const pw_setup *setup)
{
    pw_error error = {{0}};
    pw_facts facts = pw_setup_facts(setup);
    size_t count = (size_t)facts.nx * (size_t)facts.ny;
    double *permittivity = buffer_get(count, sizeof *permittivity), *conductivity = buffer_get(count, sizeof(double));
    bool *metal = buffer_get(count, sizeof *metal);
    require("the medium of a set-up", pw_setup_medium(setup, permittivity, conductivity, metal, &error), &error);
    /* The middle of the pillar, (53, 13) in pixels, is a node of the grid, whose cells are as large as the pixels. */
    int row = facts.absorber_cells + 13, column = facts.absorber_cells + 53;
    size_t at = (size_t)row * (size_t)facts.nx + (size_t)column, metals = 0;
    for (size_t n = 0; n < count; n++) {
        metals += metal[n];
    }
    check("the pillar is in the medium", fabs(permittivity[at] - 5.24) < 1e-9 && fabs(conductivity[at] - 0.0462) < 1e-9,
          "other numbers in its middle");
    check("the plate is in the medium", metals >= 20, "fewer nodes of metal than pixels");
    free(permittivity);
    free(conductivity);
    free(metal);
}

static void check_cancel(const pw_setup *setup)
{
    pw_error error = {{0}};
    int calls = 0;
    const pw_run_options options = {
        .compute.backend = "cpu", .compute.threads = 1, .progress = stop_at_once, .user = &calls};
    pw_status status = pw_run(setup, &options, "stopped.h5", &error);
    FILE *left = fopen("stopped.h5", "r");
    check("a callback stops a run", status == PW_INTERRUPTED && calls > 0 && left == NULL, error.message);
    if (left != NULL) {
        fclose(left);
    }
}

static void check_result(const pw_result *result)
{
    pw_error error = {{0}};
    pw_result_facts facts = pw_result_describe(result);
    pw_transmitter right;
    pw_receiver probe;
    int index = -1;
    require("a transmitter by name", pw_result_find_transmitter(result, "right", &index, &error), &error);
    require("its facts", pw_result_transmitter(result, index, &right, &error), &error);
    require("a receiver's facts", pw_result_receiver(result, index, 0, &probe, &error), &error);
    check("names and positions",
          index == 1 && strcmp(probe.name, "probe") == 0 && right.x == 2.1 && right.y == 0.3 && right.power == 20.0 &&
              probe.gain == 2.0 && facts.transmitter_count == 2,
          "not those of the scenario");
    double frequency[24];
    require("frequencies", pw_result_frequencies(result, frequency, &error), &error);
    check("frequencies over the band",
          facts.frequency_count == 24 && fabs(frequency[0] - 0.85e9) < 1.0 && fabs(frequency[23] - 1.15e9) < 1.0,
          "other edges");
    double *series = buffer_get((size_t)right.samples, sizeof *series), largest = 0.0;
    require("a series", pw_result_series(result, index, 0, series, &error), &error);
    for (int64_t n = 0; n < right.samples; n++) {
        largest = fmax(largest, fabs(series[n]));
    }
    check("something arrives at the receiver", largest > 0.0 && isfinite(largest), "no field");
    check("an index that is not there is refused",
          pw_result_transmitter(result, 7, &right, &error) == PW_USAGE && strstr(error.message, "7") != NULL,
          "it is not");
    free(series);
}

static void check_channel(const pw_result *result)
{
    pw_error error = {{0}};
    pw_channel *channel = NULL;
    pw_metrics written;
    require("a channel", pw_channel_create(result, "left", "probe", NULL, NULL, &channel, &error), &error);
    require("its files", pw_channel_write(result, "left", "probe", NULL, NULL, "probe", &written, &error), &error);
    pw_channel_facts facts = pw_channel_describe(channel);
    size_t delays = (size_t)facts.delay_count;
    double *delay = buffer_get(delays, sizeof *delay), *power = buffer_get(delays, sizeof *power);
    double *column = buffer_get(delays, sizeof *column), *impulse = buffer_get(delays, 2 * sizeof *impulse);
    double transfer[48], file[48], frequency[24];
    require("its transfer function", pw_channel_transfer(channel, frequency, transfer, &error), &error);
    require("its profile", pw_channel_profile(channel, delay, power, &error), &error);
    require("its impulse response", pw_channel_impulse(channel, NULL, impulse, &error), &error);
    size_t count = csv_read("probe/transfer_function.csv", 1, file, 24);
    check("the transfer function is that of the file", count == 24 && same_numbers(transfer, file, 24, 2, 1e-8),
          "other numbers");
    count = csv_read("probe/power_delay_profile.csv", 2, column, delays);
    check("the profile is that of the file", count == delays && same_numbers(power, column, delays, 1, 1e-8),
          "other numbers");
    count = csv_read("probe/impulse_response.csv", 2, column, delays);
    check("the impulse response is that of the file",
          count == delays && same_numbers(impulse + 1, column, delays, 2, 1e-8), "other numbers");
    pw_metrics metrics = pw_channel_metrics(channel);
    check("metrics are those of the writer",
          memcmp(&metrics, &written, offsetof(pw_metrics, delay_cause)) == 0 &&
              metrics.delay_cause == written.delay_cause,
          "other numbers");
    check("every export is listed by name",
          pw_export_count() == 10 && strcmp(pw_export_describe(0).name, "transfer") == 0, "not so");
    check("an unknown export is refused with the list",
          pw_channel_export(channel, "mp3", "probe/x", &error) == PW_USAGE &&
              strstr(error.message, "touchstone") != NULL,
          error.message);
    free(delay);
    free(power);
    free(column);
    free(impulse);
    pw_channel_free(channel);
}

static void check_map(const pw_result *result)
{
    pw_error error = {{0}};
    double done = 0.0;
    pw_map_options options = pw_map_options_default();
    options.quantity = PW_SINR;
    options.monitor = (pw_monitor){.tell = note_done, .user = &done};
    pw_map_shape shape;
    require("the shape of a map", pw_map_describe(result, &options, &shape, &error), &error);
    size_t count = (size_t)shape.rows * (size_t)shape.columns;
    double *values = buffer_get(count, sizeof *values), *file = buffer_get(count, sizeof *file);
    require("a map", pw_map_compute(result, &options, values, NULL, &error), &error);
    check("the monitor of a map ends at 1", done == 1.0, "it does not");
    require("its files", pw_map_write(result, &options, "sinr.png", NULL, &error), &error);
    check("the map is that of the file",
          csv_read("sinr.csv", 2, file, count) == count && same_numbers(values, file, count, 1, 1e-5), "other numbers");
    options.monitor = (pw_monitor){.tell = stop_late, .user = &done};
    check("a callback stops a map",
          pw_map_compute(result, &options, values, NULL, &error) == PW_INTERRUPTED && done >= 0.4 && done < 1.0,
          error.message);

    const double threshold = 10.0;
    const pw_area east = {"east", 1.2, 0.0, 2.4, 1.8};
    options.monitor = (pw_monitor){0};
    const pw_coverage_options coverage = {
        .map = options, .thresholds = &threshold, .threshold_count = 1, .areas = &east, .area_count = 1};
    size_t shares = 0;
    require("how many shares", pw_coverage_count(result, &coverage, &shares, &error), &error);
    pw_share share[6];
    int64_t over = 0;
    require("shares", shares == 6 ? pw_coverage_compute(result, &coverage, share, &error) : PW_USAGE, &error);
    require("the map again", pw_map_compute(result, &options, values, NULL, &error), &error);
    for (size_t n = 0; n < count; n++) {
        over += values[n] >= threshold;
    }
    check("the share of the best server is that of the map",
          share[2].transmitter == -1 && share[2].area == -1 && share[2].over == over && share[5].area == 0 &&
              fabs(share[2].fraction - (double)over / (double)count) < 1e-12,
          "another count");
    free(values);
    free(file);
}

static void check_comparison(void)
{
    pw_error error = {{0}};
    pw_comparison *comparison = NULL;
    require("a comparison", pw_comparison_create("room.h5", "room.h5", 0.0, NULL, &comparison, &error), &error);
    bool identical = pw_comparison_count(comparison) > 5;
    for (size_t n = 0; n < pw_comparison_count(comparison); n++) {
        identical = identical && pw_comparison_dataset(comparison, n)->identical;
    }
    check("a result is identical with itself", identical && !pw_comparison_differs(comparison), "it is not");
    pw_comparison_free(comparison);
}

static void check_calibration(const pw_result *result)
{
    pw_error error = {{0}};
    enum { POINTS = 20 };
    pw_point points[POINTS];
    double predicted[POINTS];
    pw_calibration found;
    for (int n = 0; n < POINTS; n++) {
        points[n] = (pw_point){.x = 0.9 + 0.05 * n, .y = 0.5 + 0.02 * n, .power = -40.0};
    }
    require("predictions", pw_calibrate_points(result, points, POINTS, NULL, predicted, &found, &error), &error);
    for (int n = 0; n < POINTS; n++) {
        points[n].power = predicted[n] - 4.5;
    }
    require("a calibration", pw_calibrate_points(result, points, POINTS, NULL, predicted, &found, &error), &error);
    check("the offset that was put in is found", fabs(found.offset + 4.5) < 1e-9, "another one");
    check("of one place nothing is held out", found.held.count == 0, "something is");
    pw_calibration_options options = pw_calibration_options_default();
    options.materials[0] = "concrete";
    options.material_count = 1;
    check("materials of a plan from arrays cannot be scaled",
          pw_calibrate_points(result, points, POINTS, &options, predicted, &found, &error) == PW_BAD_INPUT &&
              strstr(error.message, "arrays") != NULL,
          error.message);
}

/* In an empty room the channel is that of a line source: |G(f)|^2 = |H0(k d)|^2/|H0(k 1 m)|^2, 1 m/d to within 0.01 dB
 * at these distances. What the grid adds falls as the square of the cell: 0.30 dB at 3 cm, a quarter of that here. */
static void check_law(void)
{
    pw_error error = {{0}};
    pw_scenario *scenario = NULL;
    const char *finer = "grid.cell=1.5 cm";
    require("a finer scenario", pw_scenario_parse("finer", scenario_text, &finer, 1, &scenario, &error), &error);
    pw_setup *setup = setup_make(scenario, true);
    pw_result *result = NULL;
    pw_channel *channel = NULL;
    const pw_run_options options = {.compute.backend = "cpu"};
    require("an empty room", pw_run(setup, &options, "empty.h5", &error), &error);
    require("its result", pw_result_open("empty.h5", &result, &error), &error);
    require("its channel", pw_channel_create(result, "left", "probe", NULL, NULL, &channel, &error), &error);
    double transfer[48], worst = 0.0;
    require("its transfer function", pw_channel_transfer(channel, NULL, transfer, &error), &error);
    for (int f = 0; f < 24; f++) {
        double gain = transfer[2 * f] * transfer[2 * f] + transfer[2 * f + 1] * transfer[2 * f + 1];
        worst = fmax(worst, isnan(gain) ? 0.0 : fabs(10.0 * log10(gain * 0.6)));
    }
    char text[64];
    snprintf(text, sizeof text, "off by %.3f dB", worst);
    check("free space falls off as 1/d in two dimensions", worst > 0.0 && worst < 0.1, text);
    pw_channel_free(channel);
    pw_result_close(result);
    pw_setup_free(setup);
    pw_scenario_free(scenario);
}

int main(void)
{
    pw_error error = {{0}};
    pw_scenario *scenario = NULL;
    pw_result *result = NULL;
    require("a scenario", pw_scenario_parse("arrays", scenario_text, NULL, 0, &scenario, &error), &error);
    pw_setup *setup = setup_make(scenario, false);
    check_setup(setup);
    check_cancel(setup);
    const pw_run_options options = {.compute.backend = "cpu", .force = true};
    require("a run", pw_run(setup, &options, "room.h5", &error), &error);
    require("its result", pw_result_open("room.h5", &result, &error), &error);
    check_result(result);
    check_channel(result);
    check_map(result);
    check_comparison();
    check_calibration(result);
    pw_result_close(result);
    pw_setup_free(setup);
    check_law();
    pw_scenario_free(scenario);
    printf("[==========] %d test(s) run.\n[  PASSED  ] %d test(s).\n", passed + failed, passed);
    if (failed > 0) {
        printf("[  FAILED  ] %d test(s), listed below:\n", failed);
    }
    return failed > 0;
}
