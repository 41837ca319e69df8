/* What happens when the GPU fails: every call of the CUDA runtime fails once, and from then on, at each moment of an
 * engine's life on every solver and of a whole job; so does every allocation of the engine on the host; a kernel traps
 * in the middle of a run. After each of them: the right status, a sentence that names the call, no memory lost on
 * either side, whole files, and a resumed run that ends with the same bits. The linker puts the functions __wrap_... of
 * this file before those of the runtime (Makefile). Skipped, with a line that says so and status 0, where no GPU works.
 */
#include "backend/parts/parted.h"
#include "tests/support/random_rooms.h"

#include <cuda_runtime_api.h>
#include <limits.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/faults/faults_job.h"
#include "tests/support/gpu/gpu_works.h"

void gpu_trap(void); /* gpu_trap.cu */

/* ---- faults ------------------------------------------------------------------------------------------------------ */

static struct fault_plan device_faults, host_faults;
static const char *failed_call; /* the first one */
static cudaError_t last_error;
static int device_blocks, pinned_blocks, streams, events, host_blocks; /* given out and not given back */

/* A call that shall fail leaves its error behind, as the runtime's own do. */
static bool no_device(const char *call, cudaError_t code)
{
    if (!fault_is_due(&device_faults)) {
        return false;
    }
    failed_call = failed_call == NULL ? call : failed_call;
    last_error = code;
    return true;
}

#define FAILING(result, name, code, parameters, arguments)                                                             \
    result __real_##name parameters;                                                                                   \
    result __wrap_##name parameters;                                                                                   \
    result __wrap_##name parameters                                                                                    \
    {                                                                                                                  \
        return no_device(#name, code) ? (code) : __real_##name arguments;                                              \
    }
#define FAILING_CALL(name, parameters, arguments)                                                                      \
    FAILING(cudaError_t, name, cudaErrorLaunchFailure, parameters, arguments)

FAILING_CALL(cudaGetDevice, (int *device), (device))
FAILING_CALL(cudaDeviceGetAttribute, (int *value, enum cudaDeviceAttr which, int device), (value, which, device))
FAILING_CALL(cudaMemGetInfo, (size_t * available, size_t *total), (available, total))
FAILING_CALL(cudaMemset, (void *to, int value, size_t count), (to, value, count))
FAILING_CALL(cudaMemsetAsync, (void *to, int value, size_t count, cudaStream_t stream), (to, value, count, stream))
FAILING_CALL(cudaMemcpy, (void *to, const void *from, size_t count, enum cudaMemcpyKind kind), (to, from, count, kind))
FAILING_CALL(cudaMemcpyAsync, (void *to, const void *from, size_t count, enum cudaMemcpyKind kind, cudaStream_t stream),
             (to, from, count, kind, stream))
FAILING_CALL(cudaMemcpy2D,
             (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
              enum cudaMemcpyKind kind),
             (to, to_pitch, from, from_pitch, width, height, kind))
FAILING_CALL(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream))
FAILING_CALL(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags), (stream, event, flags))
FAILING_CALL(cudaStreamSynchronize, (cudaStream_t stream), (stream))
FAILING_CALL(cudaDeviceSynchronize, (void), ())
FAILING_CALL(cudaEventSynchronize, (cudaEvent_t event), (event))
FAILING_CALL(cudaFuncGetAttributes, (struct cudaFuncAttributes * attributes, const void *kernel), (attributes, kernel))
FAILING_CALL(cudaFuncSetAttribute, (const void *kernel, enum cudaFuncAttribute which, int value),
             (kernel, which, value))
FAILING_CALL(cudaLaunchCooperativeKernel,
             (const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream),
             (kernel, grid, block, arguments, shared, stream))
FAILING_CALL(cudaLaunchKernel,
             (const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream),
             (kernel, grid, block, arguments, shared, stream))
FAILING_CALL(cudaLaunchKernelExC, (const cudaLaunchConfig_t *shape, const void *kernel, void **arguments),
             (shape, kernel, arguments))
#if CUDART_VERSION >= 13000 /* what <<<>>> calls there */
FAILING_CALL(__cudaLaunchKernel,
             (void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream),
             (kernel, grid, block, arguments, shared, stream))
#endif

cudaError_t __real_cudaGetLastError(void);
cudaError_t __wrap_cudaGetLastError(void);
cudaError_t __wrap_cudaGetLastError(void)
{
    cudaError_t left = last_error;
    last_error = cudaSuccess;
    return left != cudaSuccess ? left : __real_cudaGetLastError();
}

/* What gives something out is counted; what takes it back does so even where it reports the failure of something
 * earlier. */
#define GIVING(name, code, count, parameters, arguments)                                                               \
    cudaError_t __real_##name parameters;                                                                              \
    cudaError_t __wrap_##name parameters;                                                                              \
    cudaError_t __wrap_##name parameters                                                                               \
    {                                                                                                                  \
        if (no_device(#name, code)) {                                                                                  \
            return code;                                                                                               \
        }                                                                                                              \
        cudaError_t status = __real_##name arguments;                                                                  \
        (count) += status == cudaSuccess;                                                                              \
        return status;                                                                                                 \
    }
#define TAKING(name, count, parameter)                                                                                 \
    cudaError_t __real_##name(parameter);                                                                              \
    cudaError_t __wrap_##name(parameter);                                                                              \
    cudaError_t __wrap_##name(parameter gone)                                                                          \
    {                                                                                                                  \
        (count) -= gone != NULL;                                                                                       \
        cudaError_t status = __real_##name(gone);                                                                      \
        bool failing = device_faults.fault == FAULT_EVER && device_faults.calls >= device_faults.at;                   \
        return failing ? cudaErrorLaunchFailure : status;                                                              \
    }

GIVING(cudaMalloc, cudaErrorMemoryAllocation, device_blocks, (void **memory, size_t size), (memory, size))
GIVING(cudaStreamCreateWithFlags, cudaErrorMemoryAllocation, streams, (cudaStream_t * stream, unsigned flags),
       (stream, flags))
GIVING(cudaEventCreateWithFlags, cudaErrorMemoryAllocation, events, (cudaEvent_t * event, unsigned flags),
       (event, flags))
GIVING(cudaMallocHost, cudaErrorMemoryAllocation, pinned_blocks, (void **memory, size_t size), (memory, size))
GIVING(cudaHostRegister, cudaErrorMemoryAllocation, pinned_blocks, (void *memory, size_t size, unsigned flags),
       (memory, size, flags))
TAKING(cudaHostUnregister, pinned_blocks, void *)
TAKING(cudaFree, device_blocks, void *)
TAKING(cudaFreeHost, pinned_blocks, void *)
TAKING(cudaStreamDestroy, streams, cudaStream_t)
TAKING(cudaEventDestroy, events, cudaEvent_t)

/* operator new and operator delete of the engine's vectors */
void *__real__Znwm(size_t size);
void *__wrap__Znwm(size_t size);
void __real__ZdlPvm(void *memory, size_t size);
void __wrap__ZdlPvm(void *memory, size_t size);
void __attribute__((noreturn)) _ZSt17__throw_bad_allocv(void);

void *__wrap__Znwm(size_t size)
{
    if (fault_is_due(&host_faults)) {
        _ZSt17__throw_bad_allocv();
    }
    host_blocks++;
    return __real__Znwm(size);
}

void __wrap__ZdlPvm(void *memory, size_t size)
{
    host_blocks -= memory != NULL;
    __real__ZdlPvm(memory, size);
}

/* Memory that is to be pinned; the runtime asks for none like that. */
void *__real_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset);
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset);
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
    return (flags & MAP_NORESERVE) != 0 && fault_is_due(&host_faults)
               ? MAP_FAILED
               : __real_mmap(at, size, protection, flags, file, offset);
}

/* Blocks that stay when an engine has gone: partitions of the last grid, which are found once. */
static int host_kept;

static void assert_nothing_held(const char *what, long at)
{
    if (device_blocks != 0 || pinned_blocks != 0 || streams != 0 || events != 0 || host_blocks > host_kept) {
        fail_msg("%s, call %ld failing (%s): not given back: %d blocks of device memory, %d of pinned memory, %d "
                 "streams, %d events, %d "
                 "blocks of host memory, %d of them kept for the next engine",
                 what, at, failed_call != NULL ? failed_call : "operator new", device_blocks, pinned_blocks, streams,
                 events, host_blocks, host_kept);
    }
}

/* The message names the call that failed, a launch as "launch of" a kernel or by any of its names; where more of them
 * did, one of them. */
static bool names_call(const char *message, enum fault fault)
{
    return failed_call == NULL || strstr(message, failed_call) != NULL ||
           (strstr(failed_call, "Launch") != NULL &&
            (strstr(message, "launch of") != NULL || strstr(message, "cudaLaunch") != NULL)) ||
           (fault == FAULT_EVER && strstr(message, "CUDA: ") != NULL);
}

static size_t device_memory_free(void)
{
    size_t available = 0, total = 0;
    assert_int_equal(__real_cudaMemGetInfo(&available, &total), cudaSuccess);
    return available;
}

/* ---- an engine --------------------------------------------------------------------------------------------------- */

struct solver_case {
    const char *name; /* chosen freely, another would take over where one fails */
    pw_precision precision;
    enum scheme scheme;
    int nx, ny, runs;
    int turns; /* parts that take turns on the device; 0: all of the grid is there */
};

static const struct solver_case SOLVERS[] = {
    {"tile:4", PW_SINGLE, SCHEME_YEE, 101, 331, 1, 3},   {"plain", PW_SINGLE, SCHEME_DD2, 67, 41, 1, 0},
    {"plain", PW_DOUBLE, SCHEME_YEE, 67, 41, 2, 0},      {"tile:2", PW_SINGLE, SCHEME_DD4, 101, 130, 1, 0},
    {"march", PW_SINGLE, SCHEME_YEE, 620, 157, 2, 0},    {"march", PW_SINGLE, SCHEME_DD4, 620, 157, 1, 0},
    {"resident", PW_SINGLE, SCHEME_DD2, 101, 130, 1, 0}, {"streamed", PW_SINGLE, SCHEME_FD4, 101, 130, 2, 0},
    {"tile:4", PW_SINGLE, SCHEME_YEE, 90, 83, 2, 0},     {"resident", PW_SINGLE, SCHEME_YEE, 101, 130, 2, 0},
};
enum { SOLVER_COUNT = sizeof SOLVERS / sizeof SOLVERS[0] };

static void make_problem(const struct solver_case *solver, struct problem *problem)
{
    struct random_options options = {.scheme = solver->scheme,
                                     .precision = solver->precision,
                                     .nx = solver->nx,
                                     .ny = solver->ny,
                                     .layer = 9,
                                     .steps = 30,
                                     .runs = solver->runs,
                                     .materials = MATERIALS_ROOMS,
                                     .room = 50,
                                     .palette_count = 11,
                                     .source_nodes = 4,
                                     .probes = 5,
                                     .frequencies = 3,
                                     .spacing = 3,
                                     .every = 6,
                                     .seed = 7};
    random_problem(&options, problem);
}

/* Every function of the backend but the optional ones, in the order of a run that is saved and goes on. */
static pw_status use_state(const struct problem *problem, struct stepper *state, int run, struct run_state *snapshot,
                           pw_error *error)
{
    double energy = 0;
    TRY(stepper_advance(state, 7, error));
    TRY(stepper_energy(state, run, &energy, error));
    TRY(stepper_save(state, run, snapshot, error));
    TRY(stepper_load(state, run, snapshot, error));
    TRY(stepper_advance(state, problem->steps - 7, error));
    TRY(stepper_read_field(state, run, snapshot->ez, error));
    TRY(stepper_read_probes(state, run, snapshot->probes, error));
    return stepper_read_spectra(state, run, 0, problem->spectra.rows, snapshot->spectra, error);
}

static pw_status create_engine(const struct problem *problem, const struct solver_case *solver, struct stepper **state,
                               pw_error *error)
{
    const struct backend_options options = {.solver = solver->name};
    const struct parted_options parted = {.cut = {.count = solver->turns, .parts = {1, solver->turns, 1}, .depth = 12}};
    struct part_options part = {.backend = "cuda", .runs = solver->runs, .turn_memory = (uint64_t)48 << 20};
    snprintf(part.solver, sizeof part.solver, "%s", solver->name);
    return solver->turns > 0 ? parted_create(problem, &parted, &part, state, error)
                             : stepper_create(&backend_cuda, problem, 0, solver->runs, &options, state, error);
}

/* Calls up to the last answer: what fails while the engine goes is nobody's loss any more, and nobody hears of it. */
static long calls_to_answer;

static pw_status use_engine(const struct problem *problem, const struct solver_case *solver, struct run_state *snapshot,
                            const struct fault_plan *plan, pw_error *error)
{
    struct stepper *state = NULL;
    calls_to_answer = LONG_MAX;
    TRY(create_engine(problem, solver, &state, error));
    pw_status status = use_state(problem, state, solver->runs - 1, snapshot, error);
    calls_to_answer = plan->calls;
    stepper_destroy(state);
    return status;
}

/* The engine asks for many small blocks while it cuts the grid. */
static long engine_stride(const struct fault_plan *plan, enum fault fault)
{
    return plan == &host_faults && fault_stride(FAULT_EVER) > 1 ? 13 : fault_stride(fault);
}

/* One life of the engine with one call failing; false when it has fewer. */
static bool try_engine(const struct problem *problem, const struct solver_case *solver, struct run_state *snapshot,
                       struct fault_plan *plan, enum fault fault, long at)
{
    pw_error error = {""};
    failed_call = NULL;
    *plan = (struct fault_plan){.fault = fault, .at = at};
    pw_status status = use_engine(problem, solver, snapshot, plan, &error);
    plan->fault = FAULT_NONE;
    last_error = cudaSuccess;
    bool reached = plan->calls >= at, told = reached && at <= calls_to_answer;
    if (status != (told ? PW_NO_RESOURCE : PW_OK) || (told && !names_call(error.message, fault))) {
        fail_msg("%s, call %ld failing (%s): status %d: '%s'", solver->name, at,
                 failed_call != NULL ? failed_call : "none of the runtime", status, error.message);
    }
    assert_nothing_held(solver->name, at);
    return reached;
}

static void check_engines(struct fault_plan *plan, enum fault fault, const char *name)
{
    long tried = 0;
    int engines = 0;
    for (size_t k = 0; k < SOLVER_COUNT; k++) {
        struct problem problem;
        struct run_state snapshot;
        pw_error error = {""};
        make_problem(&SOLVERS[k], &problem);
        assert_int_equal(run_state_create(&problem, problem.steps, &snapshot, &error), PW_OK);
        /* loads the kernels too */
        bool suits = use_engine(&problem, &SOLVERS[k], &snapshot, plan, &error) != PW_USAGE;
        host_kept = host_blocks;
        size_t before = device_memory_free();
        for (long at = 1; suits && try_engine(&problem, &SOLVERS[k], &snapshot, plan, fault, at);
             at += engine_stride(plan, fault)) {
            tried++;
        }
        assert_true(device_memory_free() + (4 << 20) >= before);
        engines += suits;
        run_state_free(&snapshot);
        problem_free(&problem);
    }
    print_message("             %s: %ld calls failed in the lives of %d engines\n", name, tried, engines);
    assert_true(engines >= 6 && tried > 20 * engines / engine_stride(plan, fault));
}

/* What is done once for all engines, when a kernel runs for the first time, is done again after it failed: nothing has
 * run before. */
static void every_call_of_first_engines_fails_once(void **state)
{
    (void)state;
    for (size_t k = 0; k < SOLVER_COUNT; k++) {
        struct problem problem;
        struct run_state snapshot;
        pw_error error = {""};
        struct stepper *made = NULL;
        make_problem(&SOLVERS[k], &problem);
        assert_int_equal(run_state_create(&problem, problem.steps, &snapshot, &error), PW_OK);
        bool suits = create_engine(&problem, &SOLVERS[k], &made, &error) == PW_OK;
        if (suits) {
            stepper_destroy(made);
        }
        host_kept = host_blocks;
        for (long at = 1; suits && try_engine(&problem, &SOLVERS[k], &snapshot, &device_faults, FAULT_ONCE, at); at++) {
        }
        run_state_free(&snapshot);
        problem_free(&problem);
    }
}

static void every_call_of_an_engine_fails_once(void **state)
{
    (void)state;
    check_engines(&device_faults, FAULT_ONCE, "once");
}

static void the_device_is_lost_for_good(void **state)
{
    (void)state;
    check_engines(&device_faults, FAULT_EVER, "from then on");
}

static void every_allocation_on_the_host_fails_once(void **state)
{
    (void)state;
    check_engines(&host_faults, FAULT_ONCE, "operator new, once");
}

/* ---- a job ------------------------------------------------------------------------------------------------------- */

static bool try_job(const struct setup *setup, enum fault fault, long at, long *absorbed, long *kept)
{
    struct job job = {.backend = "cuda"};
    pw_error error = {""};
    failed_call = NULL;
    device_faults = (struct fault_plan){.fault = fault, .at = at};
    clock_run(true);
    pw_status status = fault_job_run(setup, &job, job_path, &error);
    clock_run(false);
    device_faults.fault = FAULT_NONE;
    last_error = cudaSuccess;
    bool reached = device_faults.calls >= at;
    if (status != PW_OK && (status != PW_NO_RESOURCE || !reached || !names_call(error.message, fault))) {
        fail_msg("job, call %ld failing (%s): status %d: '%s'", at, failed_call != NULL ? failed_call : "none", status,
                 error.message);
    }
    assert_nothing_held("job", at);
    assert_true((status == PW_OK) == job_exists(job_path));
    *absorbed += reached && status == PW_OK;
    *kept += status != PW_OK && job_count_files("out.h5.*") > 0;
    job_assert_only_whole_files(setup);
    job_assert_goes_on(setup, "cuda");
    return reached;
}

static void check_job(enum fault fault, const char *name)
{
    struct solved made = job_prepare();
    job_write_whole(made.setup, "cuda");
    host_kept = host_blocks;
    size_t before = device_memory_free();
    long at = 1, absorbed = 0, kept = 0;
    while (try_job(made.setup, fault, at, &absorbed, &kept)) {
        at += fault_stride(fault);
    }
    assert_true(device_memory_free() + (4 << 20) >= before);
    print_message("             %s: %ld calls failed: %ld runs finished, %ld stopped with their work kept\n", name,
                  (at - 1) / fault_stride(fault), absorbed, kept);
    assert_true(at > 50 && kept > 30 / fault_stride(fault)); /* 30 of all calls */
    solve_free(&made);
}

static void every_call_of_a_job_fails_once(void **state)
{
    (void)state;
    check_job(FAULT_ONCE, "once");
}

static void the_device_is_lost_during_a_job(void **state)
{
    (void)state;
    check_job(FAULT_EVER, "from then on");
}

/* ---- a kernel that traps ----------------------------------------------------------------------------------------- */

static void trap_at_second_report(int report)
{
    if (report == 2) {
        gpu_trap();
    }
}

/* A process of its own, since a trap takes the whole context with it. Its exit status: that of the run, 100 for a poor
 * message. */
static int run_into_trap(const char *folder)
{
    job_folder_use(folder);
    struct job job = {.backend = "cuda", .at_report = trap_at_second_report};
    pw_error error = {""};
    clock_run(true);
    pw_status status = job_run_text(&job, job_path, &error);
    clock_run(false);
    fprintf(stderr, "             %s\n", error.message);
    bool says_all = strstr(error.message, "CUDA: ") != NULL && strstr(error.message, "--resume") != NULL;
    return says_all ? (int)status : 100;
}

static void a_kernel_traps_in_the_middle(void **state)
{
    (void)state;
    extern char **environ;
    struct solved made = job_prepare();
    job_write_whole(made.setup, "cuda");
    char name[] = "test_gpu_faults", option[] = "--trap", *arguments[] = {name, option, job_folder, NULL};
    pid_t child = 0;
    int status = 0;
    assert_int_equal(posix_spawn(&child, "/proc/self/exe", NULL, NULL, arguments, environ), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), PW_NO_RESOURCE);
    assert_false(job_exists(job_path));
    assert_true(job_count_files("out.h5.checkpoint") == 1);
    job_assert_only_whole_files(made.setup);
    job_assert_goes_on(made.setup, "cuda");
    solve_free(&made);
}

int main(int argc, char **argv)
{
    if (!gpu_works()) {
        return 0;
    }
    if (argc == 3 && strcmp(argv[1], "--trap") == 0) {
        return run_into_trap(argv[2]);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_of_first_engines_fails_once),
        cmocka_unit_test(every_call_of_an_engine_fails_once),
        cmocka_unit_test(the_device_is_lost_for_good),
        cmocka_unit_test(every_allocation_on_the_host_fails_once),
        cmocka_unit_test(every_call_of_a_job_fails_once),
        cmocka_unit_test(the_device_is_lost_during_a_job),
        cmocka_unit_test(a_kernel_traps_in_the_middle),
    };
    return cmocka_run_group_tests(tests, job_folder_create, job_folder_remove);
}
