/* Times solvers of the CUDA backend on an office floor with cupboards of metal, some along the lattice and some turned:
 * medians of batches after a warm-up, random fields, no spectra; on the plan as it is and without its rows beside
 * metal, which every solver takes. Before that, whether the solvers agree with the first of them to the bit after some
 * steps. Arguments, one per plan:  scheme,cupboards,cell in mm,solver+solver+... For development; `planwave bench` is
 * for users. */
#include "base/clock.h"
#include "run/bench_plan.h"
#include "run/bench_problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 7, TRIAL_STEPS = 203, STEPS = 400000 };
static const double BATCH_SECONDS = 0.05;

/* NULL where that failed; says why. */
static struct setup *make_setup(const char *scheme, int cupboards, int cell_mm)
{
    struct bench_plan plan = {.precision = PW_SINGLE,
                              .width = 40,
                              .height = 25,
                              .cell = 1e-3 * cell_mm,
                              .layer = 16,
                              .cupboards = cupboards,
                              .steps = STEPS};
    struct setup *setup = NULL;
    pw_error error = {0};
    if (!scheme_from_name(scheme, &plan.scheme)) {
        fprintf(stderr, "bench_metal: there is no scheme '%s'\n", scheme);
    } else if (bench_plan_create(&plan, &setup, &error) != PW_OK) {
        fprintf(stderr, "bench_metal: %s\n", error.message);
    }
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
