/* Times solvers of the CUDA backend on boxes with absorber, materials, sources and probes: medians of batches after a
 * warm-up, random fields. Arguments, one per box:  scheme,size,room,frequencies,every,runs,solver+solver+...[,layer]
 * (room: cells between walls, 0 all air, -1 a random material in every cell; solver "auto" is the automatic choice).
 * For development; `planwave bench` is for users. */
#include "base/clock.h"
#include "tests/support/random_rooms.h"

enum { BATCHES = 7 };
static const double BATCH_SECONDS = 0.03;

static int ascending(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static void fill(const struct problem *p, struct run_state *s)
{
#pragma omp parallel for schedule(static)
    for (int j = 1; j < p->axis[1].count; j++) {
        uint64_t seed = 99 + (uint64_t)j;
        for (int i = 1; i < p->axis[0].count; i++) {
            size_t n = (size_t)j * (size_t)p->axis[0].count + (size_t)i;
            s->ez[n] = (double)(float)(random_unit(&seed) - 0.5);
            s->increment[n] = 0.01 * s->ez[n];
        }
    }
}

static void time_solver(const struct problem *p, const struct random_options *o, const char *solver,
                        const struct run_state *start)
{
    pw_error error = {0};
    struct backend_options options = {.solver = strcmp(solver, "auto") == 0 ? NULL : solver};
    struct stepper *state = NULL;
    pw_status status = stepper_create(&backend_cuda, p, 0, o->runs, &options, &state, &error);
    for (int r = 0; r < o->runs && status == PW_OK; r++) {
        status = stepper_load(state, r, start, &error);
    }
    int64_t grain = 24 * (o->frequencies > 0 ? 16 * o->every / 12 + 1 : 1), steps = grain;
    if (o->frequencies > 0) {
        grain = steps = 256 * o->every; /* samples are added in blocks */
    }
    int64_t left = p->steps;
    double seconds = 0;
    while (status == PW_OK) { /* warm up */
        double begun = clock_seconds();
        status = stepper_advance(state, steps, &error);
        left -= steps;
        seconds = clock_seconds() - begun;
        if (seconds > BATCH_SECONDS / 3 || 10 * steps > left / BATCHES) {
            break;
        }
        steps *= 3;
    }
    int64_t batch = (int64_t)(BATCH_SECONDS / (seconds / (double)steps) / (double)grain + 1) * grain;
    batch = batch * BATCHES > left ? left / BATCHES / grain * grain : batch;
    double times[BATCHES];
    for (int b = 0; b < BATCHES && status == PW_OK; b++) {
        double begun = clock_seconds();
        status = stepper_advance(state, batch, &error);
        times[b] = clock_seconds() - begun;
    }
    if (status != PW_OK) {
        printf("%-5s %6d  %-12s %s\n", scheme_name(o->scheme), o->nx, solver, error.message);
    } else {
        qsort(times, BATCHES, sizeof *times, ascending);
        double a_step = times[BATCHES / 2] / (double)batch, cells = (double)o->nx * o->ny * o->runs;
        double energy = 0;
        if (stepper_energy(state, 0, &energy, &error) != PW_OK) {
            printf("%s\n", error.message);
        }
        printf(
            "%-5s %6d room %4d F %3d every %2d runs %2d %-12s %10.3f us/step %9.1f Gc/s  spread %4.1f%%  energy %.3g\n",
            scheme_name(o->scheme), o->nx, o->room, o->frequencies, o->every, o->runs, solver, 1e6 * a_step,
            cells / a_step / 1e9, 100 * (times[BATCHES - 1] - times[0]) / times[BATCHES / 2], energy);
    }
    fflush(stdout);
    if (state != NULL) {
        stepper_destroy(state);
    }
}

static int bench_box(char *text)
{
    static const enum random_materials kinds[] = {MATERIALS_RANDOM, MATERIALS_AIR, MATERIALS_ROOMS};
    struct random_options o = {.precision = PW_SINGLE, .source_nodes = 8, .probes = 6, .seed = 5, .spacing = 1};
    char *save = NULL;
    char *scheme = strtok_r(text, ",", &save), *numbers[5], *solvers;
    for (int k = 0; k < 5; k++) {
        numbers[k] = strtok_r(NULL, ",", &save);
    }
    solvers = strtok_r(NULL, ",", &save);
    char *layer = strtok_r(NULL, ",", &save);
    o.layer = layer != NULL ? atoi(layer) : 16;
    if (scheme == NULL || solvers == NULL || !scheme_from_name(scheme, &o.scheme)) {
        fprintf(stderr, "expected scheme,size,room,frequencies,every,runs,solver+solver[,layer]\n");
        return 2;
    }
    o.nx = o.ny = atoi(numbers[0]);
    o.room = atoi(numbers[1]);
    o.frequencies = atoi(numbers[2]);
    o.every = atoi(numbers[3]);
    o.runs = atoi(numbers[4]);
    o.materials = kinds[o.room < 0 ? 0 : o.room == 0 ? 1 : 2];
    o.palette_count = o.materials == MATERIALS_AIR ? 1 : 40;
    double cells = (double)o.nx * o.ny;
    o.steps = (int64_t)(cells > 5e7 ? (o.frequencies > 0 ? 2560 * o.every : 4800) : cells > 3e6 ? 48000 : 960000);
    struct problem p;
    pw_error error = {0};
    struct run_state start;
    random_problem(&o, &p);
    if (o.frequencies > 0) {
        p.spectra.x0 = p.spectra.y0 = 0;
        p.spectra.columns = p.spectra.rows = o.nx;
    }
    if (run_state_create(&p, 0, &start, &error) != PW_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 4;
    }
    free(start.spectra);
    start.spectra = NULL;
    fill(&p, &start);
    for (char *solver = strtok_r(solvers, "+", &save); solver != NULL; solver = strtok_r(NULL, "+", &save)) {
        time_solver(&p, &o, solver, &start);
    }
    run_state_free(&start);
    problem_free(&p);
    return 0;
}

int main(int argc, char **argv)
{
    char device[128];
    pw_error error = {0};
    if (backend_cuda.probe(device, sizeof device, &error) != PW_OK) {
        printf("skipped: %s\n", error.message);
        return 0;
    }
    printf("%s; copy %.0f GB/s; UPML 16, 8 source nodes, 6 probes\n", device, backend_cuda.copy_bandwidth() / 1e9);
    int status = 0;
    for (int k = 1; k < argc && status == 0; k++) {
        status = bench_box(argv[k]);
    }
    return status;
}
