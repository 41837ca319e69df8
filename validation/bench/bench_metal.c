/* Times solvers of the CUDA backend on an office floor with cupboards of metal, some along the lattice and some turned:
 * medians of batches after a warm-up, random fields, no spectra; on the plan as it is and without its rows beside
 * metal, which every solver takes. Before that, whether the solvers agree with the first of them to the bit after some
 * steps. Arguments, one per plan:  scheme,cupboards,cell in mm,solver+solver+... For development; `planwave bench` is
 * for users. */
#include "base/clock.h"
#include "base/numbers/splitmix.h"
#include "discretize/setup.h"
#include "run/bench_problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 7, TRIAL_STEPS = 203, STEPS = 400000 };
static const double BATCH_SECONDS = 0.05, WIDTH = 40, HEIGHT = 25;

/* ---- the plan ----------------------------------------------------------------------------------------------------
 */

static double draw(uint64_t *state, double low, double high)
{
    return low + (high - low) * splitmix_unit(splitmix_next(state));
}

static void wall(FILE *to, const double ends[4], double thickness, const char *material)
{
    fprintf(to, "    - {from: [%.4f, %.4f], to: [%.4f, %.4f], thickness: %.3f m, material: %s}\n", ends[0], ends[1],
            ends[2], ends[3], thickness, material);
}

/* Brick around, plasterboard every five metres, cupboards of 1.2 m by 0.5 m anywhere. */
static void write_plan(FILE *to, const char *scheme, int cupboards, int cell_mm)
{
    uint64_t state = 71;
    fprintf(to, "plan:\n  size: [%g m, %g m]\n  walls:\n", WIDTH, HEIGHT);
    for (int k = 0; k < 2; k++) {
        const double x = k == 0 ? 0.6 : WIDTH - 0.6, y = k == 0 ? 0.6 : HEIGHT - 0.6;
        wall(to, (double[]){x, 0.5, x, HEIGHT - 0.5}, 0.24, "brick");
        wall(to, (double[]){0.5, y, WIDTH - 0.5, y}, 0.24, "brick");
    }
    for (int k = 1; k < 8; k++) {
        wall(to, (double[]){5.0 * k, 0.8, 5.0 * k, 10}, 0.1, "plasterboard");
        wall(to, (double[]){5.0 * k, 13, 5.0 * k, HEIGHT - 0.8}, 0.1, "plasterboard");
    }
    for (int k = 0; k < cupboards; k++) {
        const double x = draw(&state, 1.6, WIDTH - 1.6), y = draw(&state, 1.6, HEIGHT - 1.6),
                     turn = draw(&state, 0, M_PI), angle = k % 3 < 2 ? M_PI / 2 * (k % 3) : turn, a = 0.6 * cos(angle),
                     b = 0.6 * sin(angle);
        wall(to, (double[]){x - a, y - b, x + a, y + b}, 0.5, "metal");
    }
    fprintf(to,
            "grid: {scheme: %s, cell: %d mm, absorber: {cells: 16}}\nband: {centre: 2.4 GHz, width: 80 MHz}\n"
            "transmitters: [{name: a, at: [12.5 m, 11.5 m]}]\nreceivers:\n",
            scheme, cell_mm);
    for (int k = 0; k < 6; k++) {
        fprintf(to, "  - {name: r%d, at: [%g m, 11.7 m]}\n", k, 4.0 + 6 * k);
    }
    fprintf(to, "stop: {steps: %d}\n", STEPS);
}

/* NULL where that failed; says why. */
static struct setup *make_setup(const char *scheme, int cupboards, int cell_mm)
{
    char *text = NULL;
    size_t size = 0;
    pw_error error = {0};
    pw_scenario *scenario = NULL;
    struct setup *setup = NULL;
    FILE *to = open_memstream(&text, &size);
    if (to == NULL) {
        return NULL;
    }
    write_plan(to, scheme, cupboards, cell_mm);
    fclose(to);
    if (pw_scenario_parse("office", text, NULL, 0, &scenario, &error) != PW_OK ||
        pw_setup_create(scenario, PW_SINGLE, false, &setup, &error) != PW_OK) {
        fprintf(stderr, "bench_metal: %s\n", error.message);
    }
    pw_scenario_free(scenario);
    free(text);
    return setup;
}

/* ---- the solvers -------------------------------------------------------------------------------------------------
 */

static int ascending(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Seconds a step; 0 when something failed. */
static double time_steps(struct stepper *stepper, pw_error *error)
{
    double times[BATCHES] = {0}, seconds = 0;
    int64_t steps = 48;
    while (seconds < BATCH_SECONDS / 3 && steps < STEPS / 100) { /* warm up */
        steps *= 2;
        const double begun = clock_seconds();
        if (stepper_advance(stepper, steps, error) != PW_OK) {
            return 0;
        }
        seconds = clock_seconds() - begun;
    }
    const int64_t batch = (int64_t)fmin(BATCH_SECONDS / (seconds / (double)steps) / 48 + 1, STEPS / 48 / 20) * 48;
    for (int b = 0; b < BATCHES; b++) {
        const double begun = clock_seconds();
        if (stepper_advance(stepper, batch, error) != PW_OK) {
            return 0;
        }
        times[b] = (clock_seconds() - begun) / (double)batch;
    }
    qsort(times, BATCHES, sizeof *times, ascending);
    return times[BATCHES / 2];
}

/* Ez after TRIAL_STEPS goes to `field`. */
static pw_status time_solver(const struct problem *problem, const char *solver, double *field, double *seconds,
                             pw_error *error)
{
    const struct backend_options options = {.solver = strcmp(solver, "auto") == 0 ? NULL : solver};
    struct stepper *stepper = NULL;
    TRY(bench_stepper_create(&backend_cuda, problem, &options, &stepper, error));
    pw_status status = stepper_advance(stepper, TRIAL_STEPS, error);
    status = status == PW_OK ? stepper_read_field(stepper, 0, field, error) : status;
    *seconds = status == PW_OK ? time_steps(stepper, error) : 0;
    stepper_destroy(stepper);
    return *seconds > 0 || status != PW_OK ? status : PW_NO_RESOURCE;
}

static int compare_solvers(const struct problem *problem, const char *what, char *solvers)
{
    const size_t cells = (size_t)problem_nodes(problem);
    double *first = calloc(cells, sizeof *first), *field = calloc(cells, sizeof *field);
    int failures = 0;
    char *save = NULL;
    bool any = false;
    for (char *solver = strtok_r(solvers, "+", &save); first != NULL && field != NULL && solver != NULL;
         solver = strtok_r(NULL, "+", &save)) {
        pw_error error = {0};
        double seconds = 0;
        size_t apart = 0;
        if (time_solver(problem, solver, any ? field : first, &seconds, &error) != PW_OK) {
            printf("  %-10s %-8s %s\n", what, solver, error.message);
            continue;
        }
        for (size_t n = 0; any && n < cells; n++) {
            apart += field[n] != first[n];
        }
        any = true;
        failures += apart > 0;
        printf("  %-10s %-8s %9.3f us/step %8.1f Gc/s  %zu nodes differ\n", what, solver, 1e6 * seconds,
               (double)cells / seconds / 1e9, apart);
        fflush(stdout);
    }
    free(first);
    free(field);
    return failures;
}

static int bench_plan(char *text)
{
    char *save = NULL, *scheme = strtok_r(text, ",", &save), *cupboards = strtok_r(NULL, ",", &save),
         *cell = strtok_r(NULL, ",", &save), *solvers = strtok_r(NULL, ",", &save);
    if (solvers == NULL) {
        fprintf(stderr, "expected scheme,cupboards,cell in mm,solver+solver+...\n");
        return 2;
    }
    struct setup *setup = make_setup(scheme, atoi(cupboards), atoi(cell));
    if (setup == NULL) {
        return 4;
    }
    struct problem whole = setup->problem;
    whole.spectra.frequency_count = 0; /* the passes alone */
    struct problem bare = whole;
    printf("%s, %s cupboards, %d x %d, %lld rows of %lld terms\n", scheme, cupboards, bare.axis[0].count,
           bare.axis[1].count, (long long)bare.metal_row_count, (long long)bare.metal_term_count);
    char *again = strdup(solvers);
    int failures = again != NULL ? compare_solvers(&whole, "metal", solvers) : 1;
    bare.metal_row_count = bare.metal_term_count = 0;
    failures += again != NULL && whole.metal_row_count > 0 ? compare_solvers(&bare, "no rows", again) : 0;
    free(again);
    pw_setup_free(setup);
    return failures > 0;
}

int main(int argc, char **argv)
{
    char device[128];
    pw_error error = {0};
    if (backend_cuda.probe(device, sizeof device, &error) != PW_OK) {
        printf("skipped: %s\n", error.message);
        return 0;
    }
    printf("%s\n", device);
    int failures = 0;
    for (int k = 1; k < argc; k++) {
        failures += bench_plan(argv[k]) != 0;
    }
    return failures > 0;
}
