/* The cpu backend and its table of solvers. avx512, avx2 and baseline each march with the vectors of one instruction
 * set; simple takes one step at a time over the whole grid on one thread. All of them are the same engine
 * (cpu_engine.c).
 *
 * The same three sets solve maxwell3d under the names avx512-3d, avx2-3d and baseline-3d (volume/volume_engine.c).
 *
 * The detail after the name sets the tile: "avx2:4x16x64" is 4 levels, 16 rows and 64 columns (a multiple of 16); a
 * fourth number sets the number of bands, as far as so many fit. */
#include "backend/cpu/cpu_engine.h"
#include "backend/cpu/volume/volume_engine.h"
#include "problem/physics/physics.h"

#include <omp.h>
#include <stdio.h>

/* ---- instruction sets -------------------------------------------------------------------------------------------- */

/* The inner loops of a set. The Makefile defines ISA_<set> for each set that this build has: all of them, or one when
 * planwave is built with ISA=native. */
#ifdef ISA_avx512
#define AVX512_LOOPS &cpu_march_avx512, &volume_march_avx512
#else
#define AVX512_LOOPS NULL, NULL
#endif
#ifdef ISA_avx2
#define AVX2_LOOPS &cpu_march_avx2, &volume_march_avx2
#else
#define AVX2_LOOPS NULL, NULL
#endif
#ifdef ISA_baseline
#define BASELINE_LOOPS &cpu_march_baseline, &volume_march_baseline
#else
#define BASELINE_LOOPS NULL, NULL
#endif

struct instruction_set {
    const char *label;   /* in the device's name */
    const char *missing; /* "this processor has no ..." */
    bool (*works)(void);
    const struct cpu_marcher *marcher; /* NULL: not in this build */
    const struct volume_marcher *volume_marcher;
};

#ifdef __x86_64__
#define HAS(feature)  __builtin_cpu_supports(feature)
#define BASELINE_NAME "no AVX2+FMA: slow"
#else
#define HAS(feature)  false
#define BASELINE_NAME "baseline vectors"
#endif

static bool avx512_works(void)
{
    return HAS("avx512f") && HAS("avx512vl") && HAS("avx512bw") && HAS("avx512dq");
}

static bool avx2_works(void)
{
    return HAS("avx2") && HAS("fma");
}

static bool baseline_works(void)
{
    return true;
}

static const struct instruction_set AVX512 = {"AVX-512", "AVX-512", avx512_works, AVX512_LOOPS};
static const struct instruction_set AVX2 = {"AVX2+FMA", "AVX2 with FMA", avx2_works, AVX2_LOOPS};
static const struct instruction_set BASELINE = {BASELINE_NAME, "baseline vectors", baseline_works, BASELINE_LOOPS};

static const struct instruction_set *const SETS[] = {&AVX512, &AVX2, &BASELINE}; /* the fastest first */
enum { SET_COUNT = sizeof SETS / sizeof SETS[0] };

/* The fastest set of this build that the processor has. If it has none of them: the slowest set of this build. */
static const struct instruction_set *best_set(void)
{
    const struct instruction_set *found = NULL;
    for (int s = 0; s < SET_COUNT; s++) {
        if (SETS[s]->marcher != NULL) {
            found = SETS[s];
            if (found->works()) {
                break;
            }
        }
    }
    return found;
}

static pw_status set_check(const struct instruction_set *set, pw_error *error)
{
    FAIL_IF(!set->works(), error, PW_NO_RESOURCE, "this processor has no %s", set->missing);
    FAIL_IF(set->marcher == NULL, error, PW_NO_RESOURCE,
            "this planwave was built without %s (ISA=native); build it with: make ISA=all", set->missing);
    return PW_OK;
}

/* ---- the solvers ------------------------------------------------------------------------------------------------- */

/* What tells one CPU solver from another. */
struct cpu_parameters {
    const struct instruction_set *set; /* NULL: the best of this processor, and no tiles */
    double cost;                       /* ns a cell and step, about */
};

static const struct instruction_set *set_of(const struct cpu_parameters *parameters)
{
    return parameters->set != NULL ? parameters->set : best_set();
}

/* The march keeps no images of the filtered differences about a symmetry plane. */
static pw_status tm2d_applicable(const struct solver_request *request, pw_error *error)
{
    const struct problem *problem = request->problem;
    TRY(solver_takes_even_tm2d(problem, error));
    TRY(solver_takes_clear_edges(problem, error));
    return problem_layer(problem) > 0 ? solver_takes_far_planes(problem, error) : PW_OK;
}

static pw_status cpu_applicable(const struct solver_request *request, pw_error *error)
{
    const struct instruction_set *set = set_of(request->solver->parameters);
    TRY(request->solver->formulation == FORMULATION_MAXWELL3D ? solver_takes_maxwell3d(request->problem, error)
                                                              : tm2d_applicable(request, error));
    return set_check(set, error);
}

static double cpu_cost(const struct solver_request *request)
{
    const struct cpu_parameters *parameters = request->solver->parameters;
    return parameters->cost * request->count * (double)problem_nodes(request->problem);
}

static pw_status cpu_create(const struct solver_request *request, void **state, pw_error *error)
{
    const struct cpu_parameters *parameters = request->solver->parameters;
    return cpu_engine_create(request, set_of(parameters)->marcher, parameters->set == NULL, state, error);
}

#define CPU_FUNCTIONS                                                                                                  \
    .applicable = cpu_applicable, .cost = cpu_cost, .memory = cpu_engine_memory, .create = cpu_create,                 \
    .advance = cpu_engine_advance, .energy = cpu_engine_energy, .read_field = cpu_engine_read_field,                   \
    .read_probes = cpu_engine_read_probes, .take_probes = cpu_engine_take_probes,                                      \
    .read_spectra = cpu_engine_read_spectra, .read_samples = cpu_engine_read_samples, .save = cpu_engine_save,         \
    .load = cpu_engine_load, .patch = cpu_engine_patch, .rows_by_patch = true, .destroy = cpu_engine_destroy

/* Edges that obey Mur's condition are stepped after everything else, a step at a time. */
static const struct physics *const
    TILES_TAKE[] = {&physics_metal, &physics_poles, &physics_phases, &physics_planes, NULL},
    *const SIMPLE_TAKES[] = {&physics_metal, &physics_poles, &physics_phases, &physics_planes, &physics_mur, NULL},
    *const VOLUME_TAKES[] = {
        &physics_tensors, &physics_metal, &physics_poles, &physics_phases, &physics_planes, &physics_half, NULL};

static const struct solver SOLVER_AVX512 = {.name = "avx512",
                                            .description = "tiles in cache, vectors of AVX-512",
                                            .parameters = &(const struct cpu_parameters){&AVX512, 0.2},
                                            .takes = TILES_TAKE,
                                            CPU_FUNCTIONS};
static const struct solver SOLVER_AVX2 = {.name = "avx2",
                                          .description = "tiles in cache, vectors of AVX2",
                                          .parameters = &(const struct cpu_parameters){&AVX2, 0.4},
                                          .takes = TILES_TAKE,
                                          CPU_FUNCTIONS};
static const struct solver SOLVER_BASELINE = {.name = "baseline",
                                              .description = "tiles in cache, vectors that every processor has",
                                              .parameters = &(const struct cpu_parameters){&BASELINE, 4},
                                              .takes = TILES_TAKE,
                                              CPU_FUNCTIONS};
static const struct solver SOLVER_SIMPLE = {.name = "simple",
                                            .description = "one step at a time over the whole grid, one thread",
                                            .parameters = &(const struct cpu_parameters){NULL, 10},
                                            .takes = SIMPLE_TAKES,
                                            CPU_FUNCTIONS};

/* ---- three dimensions -------------------------------------------------------------------------------------------- */

static pw_status volume_create(const struct solver_request *request, void **state, pw_error *error)
{
    const struct cpu_parameters *parameters = request->solver->parameters;
    return volume_engine_create(request, set_of(parameters)->volume_marcher, state, error);
}

#define VOLUME_FUNCTIONS                                                                                               \
    .formulation = FORMULATION_MAXWELL3D, .takes = VOLUME_TAKES, .applicable = cpu_applicable, .cost = cpu_cost,       \
    .memory = volume_engine_memory, .create = volume_create, .advance = volume_engine_advance,                         \
    .energy = volume_engine_energy, .read_field = volume_engine_read_field, .read_probes = volume_engine_read_probes,  \
    .read_spectra = volume_engine_read_spectra, .read_samples = volume_engine_read_samples,                            \
    .save = volume_engine_save, .load = volume_engine_load, .patch = volume_engine_patch, .rows_by_patch = true,       \
    .destroy = volume_engine_destroy

static const struct solver VOLUME_AVX512 = {.name = "avx512-3d",
                                            .description = "three dimensions: tiles in cache, vectors of AVX-512",
                                            .parameters = &(const struct cpu_parameters){&AVX512, 1},
                                            VOLUME_FUNCTIONS};
static const struct solver VOLUME_AVX2 = {.name = "avx2-3d",
                                          .description = "three dimensions: tiles in cache, vectors of AVX2",
                                          .parameters = &(const struct cpu_parameters){&AVX2, 1.5},
                                          VOLUME_FUNCTIONS};
static const struct solver VOLUME_BASELINE = {.name = "baseline-3d",
                                              .description =
                                                  "three dimensions: tiles in cache, vectors that every processor has",
                                              .parameters = &(const struct cpu_parameters){&BASELINE, 10},
                                              VOLUME_FUNCTIONS};

static const struct solver *const SOLVERS[] = {&SOLVER_AVX512, &SOLVER_AVX2, &SOLVER_BASELINE, &SOLVER_SIMPLE,
                                               &VOLUME_AVX512, &VOLUME_AVX2, &VOLUME_BASELINE, NULL};

/* ---- the backend ------------------------------------------------------------------------------------------------- */

static pw_status cpu_probe(char *device, size_t size, pw_error *error)
{
    const struct instruction_set *set = best_set();
    FAIL_IF(!set->works(), error, PW_NO_RESOURCE,
            "this planwave was built for processors with %s alone (ISA=native); build it with: make ISA=all",
            set->missing);
    int threads = omp_get_max_threads();
    snprintf(device, size, "%d thread%s, %s", threads, threads == 1 ? "" : "s", set->label);
    return PW_OK;
}

static int cpu_ensemble(const struct problem *problem)
{
    (void)problem;
    return 1; /* all threads work on one run */
}

const struct backend backend_cpu = {
    .name = "cpu",
    .description = "tiles of several steps in cache, vectors and threads",
    .probe = cpu_probe,
    .solvers = SOLVERS,
    .ensemble = cpu_ensemble,
};
