/* Times a grid in parts, which take turns on a GPU (kernels/turns) or lie on several, against the whole grid on one; on
 * the box of `planwave bench` with random fields. Arguments, one per measurement:
 *     scheme,size,rows,levels,memory[MB],parts,depth,rounds
 * levels 0: two dimensions; memory 0: the whole grid on one device; memory -n: parts on devices 0 to n - 1, each
 * stepped at once; parts 0: as planned, or one on each device; depth 0: as planned; rounds negative: so many, of fields
 * of zeros. Prints cells a second, the median of the rounds after the first, and what the host and the link are made to
 * move. For development; `planwave bench` is for users. */
#include "backend/parts/parted.h"
#include "backend/parts/parted_read.h"
#include "run/bench_problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct measurement {
    struct bench_box box;
    uint64_t memory;
    int devices, parts, depth, rounds;
    bool zeros;
};

/* Random values for E and its increments, or for all fields, in one range of rows of a problem: always the same ones,
 * since making them takes longer than what is timed. */
static const float *random_rows(const struct problem *problem, const struct patch *patch, size_t *count)
{
    static float *values;
    static size_t made;
    *count = (size_t)patch_values(problem, patch);
    if (*count > made) {
        values = realloc(values, *count * sizeof *values);
        made = *count;
#pragma omp parallel for schedule(static)
        for (size_t n = 0; n < made; n++) {
            uint64_t x = (n + 77777) * 0x9e3779b97f4a7c15u;
            x ^= x >> 29;
            values[n] = (float)((double)(x * 0xbf58476d1ce4e5b9u >> 40) / 16777216.0 - 0.5) * 0.1F;
        }
    }
    return values;
}

/* Rows `row` and some after it of a box, as a patch. */
static struct patch rows_of(const struct part_box *box, bool volume, int row)
{
    const int axis = volume ? 2 : 1, at_once = volume ? 1 : 64;
    int first[3] = {box->own[0], box->own[1], box->own[2]};
    int end[3] = {box->own_end[0], box->own_end[1], box->own_end[2]};
    first[axis] = row;
    end[axis] = row + at_once < box->own_end[axis] ? row + at_once : box->own_end[axis];
    return patch_in_part(box, first, end, volume ? 63 : 3);
}

/* Into one part after another, or into the whole grid. */
static pw_status fill(struct stepper *stepper, struct parted *parted, const struct problem *problem, pw_error *error)
{
    const bool volume = problem->formulation == FORMULATION_MAXWELL3D;
    const int axis = volume ? 2 : 1;
    pw_status status = PW_OK;
    for (int p = 0; p < (parted != NULL ? cut_count(&parted->cut) : 1) && status == PW_OK; p++) {
        struct part_box box = {.own_end = {problem->axis[0].count, problem->axis[1].count, problem->axis[2].count}};
        const struct problem *own = problem;
        if (parted != NULL) {
            box = cut_box(&parted->cut, p);
            own = &parted->crew.parts[p].problem;
        }
        for (int row = box.own[axis]; row < box.own_end[axis] && status == PW_OK; row += volume ? 1 : 64) {
            const struct patch patch = rows_of(&box, volume, row);
            size_t count;
            const float *values = random_rows(own, &patch, &count);
            const struct part_command command = {
                .verb = PART_PUT, .part = p, .patch = patch, .bytes = count * sizeof *values};
            status = parted != NULL ? parted_tell(parted, &command, values, error)
                                    : stepper_patch(stepper, 0, &patch, (void *)values, false, error);
        }
    }
    return status;
}

static int ascending(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static pw_status time_rounds(const struct measurement *asked, const struct problem *problem, struct stepper *stepper,
                             int depth, pw_error *error)
{
    double times[64], energy = 0;
    int rounds = asked->rounds < 63 ? asked->rounds : 63;
    for (int r = 0; r <= rounds; r++) {
        double begun = clock_seconds();
        TRY(stepper_advance(stepper, depth, error));
        times[r] = (clock_seconds() - begun) / depth;
    }
    qsort(times + 1, (size_t)rounds, sizeof *times, ascending);
    double begun = clock_seconds();
    TRY(stepper_energy(stepper, 0, &energy, error));
    printf("%9.1f Gc/s, fastest %9.1f  (energy %.4g in %.2f s)\n",
           (double)problem_nodes(problem) / times[1 + rounds / 2] / 1e9,
           (double)problem_nodes(problem) / times[1] / 1e9, energy, clock_seconds() - begun);
    return PW_OK;
}

/* Says how long what is done before the first step took, phase by phase. */
static double say_phase(const char *phase, double since)
{
    const double now = clock_seconds();
    printf("%s %.1f s, ", phase, now - since);
    fflush(stdout);
    return now;
}

/* Where the time of parts on several devices has gone. */
static void say_clock(struct stepper *stepper)
{
    struct part_clock clock;
    pw_error error = {{0}};
    if (parted_clock(stepper, 0, &clock, &error) == PW_OK) {
        printf("    stepped %.3f s, packed %.4f, travelled %.4f; %.1f MB an exchange\n", clock.stepping, clock.packing,
               clock.travelling, clock.exchanges > 0 ? (double)clock.bytes / (double)clock.exchanges / 1e6 : 0);
    }
}

static pw_status measure(const struct measurement *asked, pw_error *error)
{
    struct problem problem;
    struct stepper *stepper = NULL;
    const int last = asked->box.levels > 0 ? 2 : 1;
    struct turn_plan plan = {.parts = {1, 1, 1}, .depth = asked->depth};
    double since = clock_seconds();
    plan.parts[last] = asked->parts > 0 ? asked->parts : asked->devices > 0 ? asked->devices : 1;
    TRY(bench_problem_create(&asked->box, &problem, error));
    problem.watch_every = (int)asked->box.steps; /* no looks between the rounds that are timed */
    since = say_phase("box", since);
    pw_status status = PW_OK;
    if (asked->memory > 0 || asked->devices > 0) {
        struct part_options part = {.backend = "cuda",
                                    .runs = 1,
                                    .turn_memory = asked->memory,
                                    .device_count = asked->devices,
                                    .steps_all = true};
        for (int d = 0; d < asked->devices; d++) {
            part.device[d] = d;
        }
        if (asked->parts == 0 && asked->memory > 0) {
            const struct turn_request request = {1, asked->memory};
            status = backend_cuda.turns->plan(&problem, &request, &plan, error);
            printf("[planned %.1f Gc/s, link %.1f GB/s, host %.2f GB] ", plan.cells_per_second / 1e9, plan.link / 1e9,
                   (double)plan.host / 1e9);
            since = say_phase("plan", since);
        }
        const struct parted_options parted = {.cut = {.count = plan.parts[1] * plan.parts[2],
                                                      .parts = {1, plan.parts[1], plan.parts[2]},
                                                      .depth = plan.depth,
                                                      .gpus = asked->devices > 0}};
        status = status == PW_OK ? parted_create(&problem, &parted, &part, &stepper, error) : status;
        since = say_phase("parts", since);
        status = status == PW_OK && !asked->zeros ? fill(stepper, stepper->state, &problem, error) : status;
        plan.depth = status == PW_OK ? parted_cut(stepper)->depth : plan.depth;
    } else {
        const struct backend_options all = {.steps_all = true};
        status = stepper_create(&backend_cuda, &problem, 0, 1, &all, &stepper, error);
        since = say_phase("solver", since);
        status = status == PW_OK ? fill(stepper, NULL, &problem, error) : status;
        plan.depth = asked->depth;
    }
    (void)say_phase("fields", since);
    printf("%d parts, depth %d: ", plan.parts[1] * plan.parts[2], plan.depth);
    fflush(stdout);
    status = status == PW_OK ? time_rounds(asked, &problem, stepper, plan.depth, error) : status;
    if (status == PW_OK && asked->devices > 0) {
        say_clock(stepper);
    }
    stepper_destroy(stepper);
    problem_free(&problem);
    return status;
}

int main(int argc, char **argv)
{
    char device[128];
    pw_error none = {{0}};
    if (backend_cuda.probe(device, sizeof device, &none) != PW_OK) {
        printf("skipped: %s\n", none.message);
        return 0;
    }
    for (int a = 1; a < argc; a++) {
        struct measurement asked = {
            .box = {.precision = PW_SINGLE, .layer = 16, .steps = 40000, .spacing = 1, .every = 1}};
        char scheme[16];
        long megabytes = 0;
        if (sscanf(argv[a], "%15[^,],%d,%d,%d,%ld,%d,%d,%d", scheme, &asked.box.size, &asked.box.rows,
                   &asked.box.levels, &megabytes, &asked.parts, &asked.depth, &asked.rounds) != 8 ||
            !scheme_from_name(scheme, &asked.box.scheme)) {
            printf("not understood: %s\n", argv[a]);
            return 2;
        }
        asked.zeros = asked.rounds < 0;
        asked.rounds = asked.zeros ? -asked.rounds : asked.rounds;
        asked.memory = megabytes > 0 ? (uint64_t)megabytes * 1000000 : 0;
        asked.devices = megabytes < 0 && -megabytes <= PW_DEVICE_LIMIT ? (int)-megabytes : 0;
        pw_error error = {{0}};
        printf("%-34s ", argv[a]);
        if (measure(&asked, &error) != PW_OK) {
            printf("%s\n", error.message);
        }
        fflush(stdout);
    }
    return 0;
}
