/* Times solvers of the cpu backend on the box of `planwave bench`: absorber, materials, source, probes, random fields.
 * Arguments, one per job:  scheme,precision,size,threads,frequencies,steps,solver  with the size as 3072,
 * 2000x1000 or, in three dimensions, 224x224x224, and the solver as backend_cpu.c has it, "auto" for the automatic
 * choice; or "textbook", "textbook-scalar": the equations as they are printed, by vectors and without. Before jobs may
 * stand rounds=5; every=6, the steps between samples of the spectra; layer=16, the cells of the absorber; and
 * start=random, rest or zeros: random fields, or none with the active window (the source alone drives them) or with
 * fields of zeros loaded, which opens the window. The jobs take turns in rounds, so that drifts of the machine meet all
 * of them; printed are median, least and most of the rounds, by the wall clock and, for a machine with other work, by
 * the processor time of all threads. For development; `planwave bench` is for users.
 *
 *     bench_cpu yee,single,3072,1,0,192,auto yee,single,3072,2,0,192,auto yee,single,3072,1,0,48,simple */
#include "run/bench_problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS_MOST = 99, JOBS = 64 };

static const char *const START_NAMES[] = {"random", "rest", "zeros"};
enum start { RANDOM, REST, ZEROS, START_COUNT };

struct job {
    const char *text;
    char solver[64];
    struct bench_box box;
    int threads;
    long steps;
    enum start start;
    double wall[ROUNDS_MOST], processor[ROUNDS_MOST]; /* cell updates per second */
};

static int row_count(const struct bench_box *box)
{
    return box->rows > 0 ? box->rows : box->size;
}

static bool parse_job(const char *text, int every, int layer, struct job *job)
{
    char scheme[16] = "", precision[16] = "", size[32] = "";
    *job = (struct job){.text = text, .box = {.layer = layer, .spacing = 1, .every = every}};
    if (sscanf(text, "%15[^,],%15[^,],%31[^,],%d,%d,%ld,%63s", scheme, precision, size, &job->threads,
               &job->box.frequencies, &job->steps, job->solver) != 7 ||
        sscanf(size, "%dx%dx%d", &job->box.size, &job->box.rows, &job->box.levels) < 1 ||
        !scheme_from_name(scheme, &job->box.scheme) || job->steps < 1 || job->threads < 1) {
        return false;
    }
    job->box.precision = strcmp(precision, "double") == 0 ? PW_DOUBLE : PW_SINGLE;
    job->box.steps = 2 * job->steps;
    return true;
}

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Rates from the clocks as they were when the steps began. */
static void note_rates(struct job *job, int round, double wall, double processor)
{
    double levels = job->box.levels > 0 ? job->box.levels : 1;
    double updates = levels * job->box.size * row_count(&job->box) * (double)job->steps;
    job->wall[round] = updates / (clock_seconds() - wall);
    job->processor[round] = updates / (processor_seconds() - processor);
}

/* ---- the equations as they are printed --------------------------------------------------------------------------- */

struct textbook {
    ptrdiff_t nx, ny;
    float *ez, *hx, *hy, *keep, *gain; /* (ny, nx), owned */
};

static inline __attribute__((always_inline)) void step_magnetic(const struct textbook *book, ptrdiff_t n)
{
    book->hx[n] -= 0.35f * (book->ez[n + book->nx] - book->ez[n]);
    book->hy[n] += 0.35f * (book->ez[n + 1] - book->ez[n]);
}

static inline __attribute__((always_inline)) void step_electric(const struct textbook *book, ptrdiff_t n)
{
    float curl = (book->hy[n] - book->hy[n - 1]) - (book->hx[n] - book->hx[n - book->nx]);
    book->ez[n] = book->keep[n] * book->ez[n] + book->gain[n] * curl;
}

/* Empty assembly keeps the compiler from taking several cells at once. */
static void step_scalar(struct textbook book)
{
    for (ptrdiff_t row = 0; row < (book.ny - 1) * book.nx; row += book.nx) {
        for (ptrdiff_t n = row; n < row + book.nx - 1; n++) {
            step_magnetic(&book, n);
            __asm__ volatile("");
        }
    }
    for (ptrdiff_t row = book.nx; row < (book.ny - 1) * book.nx; row += book.nx) {
        for (ptrdiff_t n = row + 1; n < row + book.nx - 1; n++) {
            step_electric(&book, n);
            __asm__ volatile("");
        }
    }
}

static void step_vectors(struct textbook book)
{
    for (ptrdiff_t row = 0; row < (book.ny - 1) * book.nx; row += book.nx) {
#pragma omp simd
        for (ptrdiff_t n = row; n < row + book.nx - 1; n++) {
            step_magnetic(&book, n);
        }
    }
    for (ptrdiff_t row = book.nx; row < (book.ny - 1) * book.nx; row += book.nx) {
#pragma omp simd
        for (ptrdiff_t n = row + 1; n < row + book.nx - 1; n++) {
            step_electric(&book, n);
        }
    }
}

static void textbook_advance(const struct textbook *book, long steps, bool scalar)
{
    for (long n = 0; n < steps; n++) {
        (scalar ? step_scalar : step_vectors)(*book);
    }
}

/* One thread, float, a conducting box, a medium in every cell; whatever else the job asks for is left out. */
static pw_status time_textbook(struct job *job, int round, pw_error *error)
{
    bool scalar = strcmp(job->solver, "textbook-scalar") == 0;
    struct textbook book = {.nx = job->box.size, .ny = row_count(&job->box)};
    size_t cells = (size_t)book.nx * (size_t)book.ny;
    float *all = allocate(5 * cells, sizeof *all, "the textbook's fields", error);
    if (all == NULL) {
        return PW_NO_RESOURCE;
    }
    book.ez = all;
    book.hx = all + cells;
    book.hy = all + 2 * cells;
    book.keep = all + 3 * cells;
    book.gain = all + 4 * cells;
    for (size_t n = 0; n < cells; n++) {
        book.ez[n] = (float)(n * 7919 % 1009) / 1009 - 0.5f;
        book.keep[n] = 0.999f;
        book.gain[n] = 0.35f;
    }
    textbook_advance(&book, job->steps, scalar);
    double wall = clock_seconds(), processor = processor_seconds();
    textbook_advance(&book, job->steps, scalar);
    note_rates(job, round, wall, processor);
    free(all);
    return PW_OK;
}

/* ---- the engine ---------------------------------------------------------------------------------------------------
 */

/* Fields of zeros, which the engine does not know to be zeros. */
static pw_status load_zeros(const struct problem *problem, void *state, pw_error *error)
{
    struct run_state zeros;
    TRY(run_state_create(problem, 0, &zeros, error));
    pw_status status = stepper_load(state, 0, &zeros, error);
    run_state_free(&zeros);
    return status;
}

static pw_status time_steps(struct job *job, const struct problem *problem, int round, pw_error *error)
{
    struct backend_options options = {.threads = job->threads,
                                      .solver = strcmp(job->solver, "auto") == 0 ? NULL : job->solver};
    struct stepper *state = NULL;
    pw_status status = job->start == RANDOM ? bench_stepper_create(&backend_cpu, problem, &options, &state, error)
                                            : stepper_create(&backend_cpu, problem, 0, 1, &options, &state, error);
    if (status == PW_OK && job->start == ZEROS) {
        status = load_zeros(problem, state, error);
    }
    if (status == PW_OK && job->start == RANDOM) { /* as a warm-up */
        status = stepper_advance(state, job->steps, error);
    }
    double wall = clock_seconds(), processor = processor_seconds();
    if (status == PW_OK) {
        status = stepper_advance(state, job->steps, error);
    }
    note_rates(job, round, wall, processor);
    stepper_destroy(state);
    return status;
}

static pw_status time_job(struct job *job, int round, pw_error *error)
{
    struct problem problem;
    TRY(bench_problem_create(&job->box, &problem, error));
    pw_status status = time_steps(job, &problem, round, error);
    problem_free(&problem);
    return status;
}

static int ascending(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static void print_rates(double *rates, int rounds)
{
    qsort(rates, (size_t)rounds, sizeof *rates, ascending);
    printf("  %9.1f (%.1f..%.1f)", rates[rounds / 2] / 1e6, rates[0] / 1e6, rates[rounds - 1] / 1e6);
}

static bool find_start(const char *name, enum start *start)
{
    for (int k = 0; k < START_COUNT; k++) {
        if (strcmp(name, START_NAMES[k]) == 0) {
            *start = (enum start)k;
            return true;
        }
    }
    return false;
}

/* Jobs from the arguments; -1 after a message when one is wrong. */
static int parse_jobs(int argc, char **argv, struct job *jobs, int *rounds)
{
    int count = 0, every = 6, layer = 16;
    enum start start = RANDOM;
    for (int k = 1; k < argc; k++) {
        if (sscanf(argv[k], "rounds=%d", rounds) == 1 && *rounds > 0 && *rounds <= ROUNDS_MOST) {
            continue;
        }
        if (sscanf(argv[k], "every=%d", &every) == 1 && every > 0) {
            continue;
        }
        if (sscanf(argv[k], "layer=%d", &layer) == 1 && layer >= 0) {
            continue;
        }
        if (strncmp(argv[k], "start=", 6) == 0 && find_start(argv[k] + 6, &start)) {
            continue;
        }
        if (count >= JOBS || !parse_job(argv[k], every, layer, &jobs[count])) {
            fprintf(stderr, "bench_cpu: '%s': expected scheme,precision,size,threads,frequencies,steps,solver\n",
                    argv[k]);
            return -1;
        }
        jobs[count++].start = start;
    }
    return count;
}

int main(int argc, char **argv)
{
    static struct job jobs[JOBS];
    int rounds = 5, count = parse_jobs(argc, argv, jobs, &rounds);
    if (count < 0) {
        return PW_USAGE;
    }
    for (int round = 0; round < rounds; round++) {
        for (int k = 0; k < count; k++) {
            pw_error error = {{0}};
            bool printed = strncmp(jobs[k].solver, "textbook", 8) == 0;
            pw_status status = (printed ? time_textbook : time_job)(&jobs[k], round, &error);
            if (status != PW_OK) {
                fprintf(stderr, "bench_cpu: %s: %s\n", jobs[k].text, error.message);
                return (int)status;
            }
        }
    }
    printf("million cell updates per second, median (least..most) of %d: by the wall clock, by processor time\n",
           rounds);
    for (int k = 0; k < count; k++) {
        printf("%-44s%s", jobs[k].text, jobs[k].start == RANDOM ? "" : jobs[k].start == REST ? " rest " : " zeros");
        print_rates(jobs[k].wall, rounds);
        print_rates(jobs[k].processor, rounds);
        printf("\n");
    }
    return 0;
}
