/* What happens when memory, disk or time run out at any one moment: every allocation of a job fails once, and from then on; every
 * call that touches the disk fails once, from then on, or is the last before SIGKILL; the clock asks for a checkpoint after every
 * batch. After each of them: the right status, a sentence, nothing half-written, no memory lost, and a resumed run that ends with
 * the same bits. The linker puts the functions __wrap_... of this file before those of the C library (Makefile); HDF5's, libpng's
 * and gnuplot's own calls are not reached. Each number that is printed is counted here. */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "checkpoint.h"
#include "png_image.h"
#include "solve.h"

/* ---- faults ------------------------------------------------------------------------------------------------------ */

enum fault { FAULT_NONE, FAULT_ONCE, FAULT_EVER, FAULT_KILL };

struct plan {
    enum fault fault;
    long at;    /* the call that fails, from 1 on */
    long calls; /* so far */
};

static struct plan memory, disk;
static bool counting;   /* of memory that is given out and not given back */
static bool clock_runs; /* a quarter of a second between two looks at it */
static double fake_time;

enum { LIVE_LIMIT = 1 << 16 };
static void *live[LIVE_LIMIT];
static size_t live_count;

static bool is_due(struct plan *plan)
{
    if (plan->fault == FAULT_NONE) {
        return false;
    }
    plan->calls++;
    if (plan->fault == FAULT_KILL && plan->calls == plan->at) {
        kill(getpid(), SIGKILL);
    }
    return plan->fault == FAULT_EVER ? plan->calls >= plan->at : plan->calls == plan->at;
}

static void *remember(void *pointer)
{
    if (counting && pointer != NULL && live_count < LIVE_LIMIT) {
        live[live_count++] = pointer;
    }
    return pointer;
}

static void forget(const void *pointer)
{
    for (size_t n = live_count; counting && n-- > 0;) {
        if (live[n] == pointer) {
            live[n] = live[--live_count];
            return;
        }
    }
}

static bool no_memory(void)
{
    if (is_due(&memory)) {
        errno = ENOMEM;
        return true;
    }
    return false;
}

static bool no_disk(int code)
{
    if (is_due(&disk)) {
        errno = code;
        return true;
    }
    return false;
}

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
    return no_memory() ? NULL : remember(__real_malloc(size));
}

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size)
{
    return no_memory() ? NULL : remember(__real_calloc(count, size));
}

void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size)
{
    if (no_memory()) {
        return NULL;
    }
    forget(old);
    return remember(__real_realloc(old, size));
}

void __real_free(void *pointer);
void __wrap_free(void *pointer);
void __wrap_free(void *pointer)
{
    forget(pointer);
    __real_free(pointer);
}

int __real_posix_memalign(void **pointer, size_t alignment, size_t size);
int __wrap_posix_memalign(void **pointer, size_t alignment, size_t size);
int __wrap_posix_memalign(void **pointer, size_t alignment, size_t size)
{
    if (no_memory()) {
        return ENOMEM;
    }
    int failure = __real_posix_memalign(pointer, alignment, size);
    if (failure == 0) {
        remember(*pointer);
    }
    return failure;
}

char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);
char *__wrap_strdup(const char *text)
{
    return no_memory() ? NULL : remember(__real_strdup(text));
}

char *__real_strndup(const char *text, size_t size);
char *__wrap_strndup(const char *text, size_t size);
char *__wrap_strndup(const char *text, size_t size)
{
    return no_memory() ? NULL : remember(__real_strndup(text, size));
}

__attribute__((format(printf, 2, 3))) int __wrap_asprintf(char **text, const char *format, ...);
int __wrap_asprintf(char **text, const char *format, ...)
{
    if (no_memory()) {
        return -1;
    }
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(text, format, arguments);
    va_end(arguments);
    remember(length >= 0 ? *text : NULL);
    return length;
}

FILE *__real_open_memstream(char **text, size_t *size);
FILE *__wrap_open_memstream(char **text, size_t *size);
FILE *__wrap_open_memstream(char **text, size_t *size)
{
    return no_memory() ? NULL : __real_open_memstream(text, size);
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    unsigned mode = (flags & O_CREAT) != 0 ? va_arg(arguments, unsigned) : 0;
    va_end(arguments);
    return no_disk(EIO) ? -1 : __real_open(path, flags, mode);
}

/* A close that fails has closed all the same. */
int __real_close(int descriptor);
int __wrap_close(int descriptor);
int __wrap_close(int descriptor)
{
    bool failing = no_disk(EIO);
    int result = __real_close(descriptor);
    errno = failing ? EIO : errno;
    return failing ? -1 : result;
}

ssize_t __real_pwrite(int descriptor, const void *bytes, size_t size, off_t at);
ssize_t __wrap_pwrite(int descriptor, const void *bytes, size_t size, off_t at);
ssize_t __wrap_pwrite(int descriptor, const void *bytes, size_t size, off_t at)
{
    return no_disk(ENOSPC) ? -1 : __real_pwrite(descriptor, bytes, size, at);
}

int __real_ftruncate(int descriptor, off_t size);
int __wrap_ftruncate(int descriptor, off_t size);
int __wrap_ftruncate(int descriptor, off_t size)
{
    return no_disk(ENOSPC) ? -1 : __real_ftruncate(descriptor, size);
}

int __real_fsync(int descriptor);
int __wrap_fsync(int descriptor);
int __wrap_fsync(int descriptor)
{
    return no_disk(EIO) ? -1 : __real_fsync(descriptor);
}

int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to)
{
    return no_disk(EACCES) ? -1 : __real_rename(from, to);
}

int __real_clock_gettime(clockid_t clock, struct timespec *moment);
int __wrap_clock_gettime(clockid_t clock, struct timespec *moment);
int __wrap_clock_gettime(clockid_t clock, struct timespec *moment)
{
    if (!clock_runs) {
        return __real_clock_gettime(clock, moment);
    }
    fake_time += 0.25;
    moment->tv_sec = (time_t)fake_time;
    moment->tv_nsec = (long)((fake_time - (double)moment->tv_sec) * 1e9);
    return 0;
}

/* ---- the job ----------------------------------------------------------------------------------------------------- */

static char folder[] = "/tmp/planwave_faults_XXXXXX";
static char path[64], whole[64], picture[64], scenario_text[1000];

static const char SCENARIO[] = "title: faults\n"
                               "plan: {image: %s, pixel: 5 cm, legend: {'#000000': brick, '#ffffff': air}, "
                               "rectangles: [{from: [0.1 m, 0.1 m], to: [0.2 m, 0.2 m], material: glass}]}\n"
                               "grid: {scheme: yee, cell: 2.5 cm, averaging: point, absorber: {cells: 3}}\n"
                               "band: {centre: 1.5 GHz, width: 400 MHz}\n"
                               "transmitters:\n"
                               "  - {name: west, at: [0.3 m, 0.5 m]}\n"
                               "  - {name: east, at: [0.4 m, 0.4 m]}\n"
                               "receivers: [{name: near, at: [0.31 m, 0.2 m]}]\n"
                               "spectra: {count: 3, spacing: 4 cells, every: 6}\n"
                               "stop: {steps: 18}\n";

static int folder_create(void **state)
{
    (void)state;
    static uint8_t pixels[12 * 16 * 3];
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    snprintf(path, sizeof path, "%s/out.h5", folder);
    snprintf(whole, sizeof whole, "%s/whole.h5", folder);
    snprintf(picture, sizeof picture, "%s/plan.png", folder);
    memset(pixels, 255, sizeof pixels);
    memset(pixels, 0, 16 * 3);
    snprintf(scenario_text, sizeof scenario_text, SCENARIO, picture);
    return png_image_write(picture, 16, 12, 3, pixels, NULL) == PW_OK ? 0 : -1;
}

static size_t remove_files(const char *pattern, bool counted_only)
{
    char all[100];
    glob_t found = {0};
    snprintf(all, sizeof all, "%s/%s", folder, pattern);
    size_t count = glob(all, 0, NULL, &found) == 0 ? found.gl_pathc : 0;
    for (size_t n = 0; n < count && !counted_only; n++) {
        unlink(found.gl_pathv[n]);
    }
    globfree(&found);
    return count;
}

static int folder_remove(void **state)
{
    (void)state;
    remove_files("*", false);
    return rmdir(folder);
}

static bool exists(const char *file)
{
    return access(file, F_OK) == 0;
}

/* The bits of two results agree. */
static bool same_bits(const char *a, const char *b)
{
    pw_error error = {""};
    FILE *nowhere = fopen("/dev/null", "w");
    pw_status status = pw_compare(a, b, 0, false, nowhere, &error);
    fclose(nowhere);
    return status == PW_OK;
}

static pw_status read_back(const char *file, pw_error *error)
{
    pw_result *result = NULL;
    pw_status status = pw_result_open(file, &result, error);
    if (status == PW_OK) {
        FILE *nowhere = fopen("/dev/null", "w");
        status = pw_result_print(result, true, nowhere, error);
        fclose(nowhere);
        pw_result_close(result);
    }
    return status;
}

struct job {
    const char *backend;
    bool resume, read_too;
    int reports_left;        /* the progress function asks to stop at the last; 0: never */
    const char *lost_folder; /* renamed away at the first report */
};

static bool watch(const pw_progress *progress, void *user)
{
    struct job *job = user;
    (void)progress;
    if (job->lost_folder != NULL) {
        __real_rename(folder, job->lost_folder);
    }
    return job->reports_left == 0 || --job->reports_left > 0;
}

static pw_status run_setup(const struct setup *setup, struct job *job, const char *file, pw_error *error)
{
    pw_run_options options = {.backend = job->backend,
                              .threads = 1,
                              .resume = job->resume,
                              .checkpoint_interval = 0.1,
                              .progress = watch,
                              .user = job};
    return pw_run(setup, &options, file, error);
}

/* From the text to the result, and back. */
static pw_status run_job(struct job *job, const char *file, pw_error *error)
{
    pw_scenario *scenario = NULL;
    pw_setup *setup = NULL;
    TRY(pw_scenario_parse("faults", scenario_text, NULL, 0, &scenario, error));
    pw_status status = pw_setup_create(scenario, PW_SINGLE, false, &setup, error);
    if (status == PW_OK) {
        status = run_setup(setup, job, file, error);
    }
    pw_setup_free(setup);
    pw_scenario_free(scenario);
    return status == PW_OK && job->read_too ? read_back(file, error) : status;
}

static struct solved prepare_setup(void)
{
    struct solved made = {0};
    pw_error error = {""};
    assert_int_equal(pw_scenario_parse("faults", scenario_text, NULL, 0, &made.scenario, &error), PW_OK);
    assert_int_equal(pw_setup_create(made.scenario, PW_SINGLE, false, &made.setup, &error), PW_OK);
    return made;
}

/* Every checkpoint that lies there is whole, and nothing else lies there. */
static void assert_only_whole_files(const struct setup *setup)
{
    static const char *const NAMES[] = {"checkpoint", "checkpoint.1", "finished-0", "finished-1"};
    pw_error error = {""};
    struct checkpoint_store *store = NULL;
    struct checkpoint found;
    assert_int_equal(checkpoint_store_create(path, setup, &store, &error), PW_OK);
    for (size_t n = 0; n < sizeof NAMES / sizeof NAMES[0]; n++) {
        char name[100];
        snprintf(name, sizeof name, "%s.%s", path, NAMES[n]);
        enum checkpoint_verdict verdict = checkpoint_file_check(store, name, &found, &error);
        if (verdict != CHECKPOINT_GOOD && verdict != CHECKPOINT_ABSENT) {
            fail_msg("%s", error.message);
        }
    }
    checkpoint_store_free(store);
    assert_int_equal(remove_files("out.h5*partial*", true), 0);
}

static void write_whole(const struct setup *setup, const char *backend)
{
    struct job job = {.backend = backend};
    pw_error error = {""};
    remove_files("*.h5*", false);
    clock_runs = true;
    assert_int_equal(run_setup(setup, &job, whole, &error), PW_OK);
    clock_runs = false;
}

/* Whatever happened before, this ends with the right bits. */
static void assert_goes_on(const struct setup *setup, const char *backend)
{
    struct job job = {.backend = backend, .resume = true};
    pw_error error = {""};
    if (!exists(path)) {
        pw_status status = run_setup(setup, &job, path, &error);
        if (status != PW_OK) {
            fail_msg("%s", error.message);
        }
    }
    assert_true(same_bits(path, whole));
    remove_files("out.h5*", false);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* Every call is tried once; that all calls after it fail too, from every fourth one on, or from every one when FAULTS=all asks for it. */
static long stride(enum fault fault)
{
    const char *wish = getenv("FAULTS");
    return fault == FAULT_EVER && (wish == NULL || strcmp(wish, "all") != 0) ? 4 : 1;
}

/* One job with one allocation failing; false when the job has fewer. */
static bool try_without_memory(const struct setup *setup, struct job *job, enum fault fault, long at, long *absorbed)
{
    pw_error error = {""};
    live_count = 0;
    memory = (struct plan){.fault = fault, .at = at};
    counting = clock_runs = true;
    pw_status status = run_job(job, path, &error);
    counting = clock_runs = false;
    memory.fault = FAULT_NONE;
    bool reached = memory.calls >= at;
    if (live_count > 0) {
        fail_msg("allocation %ld failing: %zu blocks of memory were not given back", at, live_count);
    }
    if (status != PW_OK && (status != PW_NO_RESOURCE || !reached || strlen(error.message) < 15)) {
        fail_msg("allocation %ld failing: status %d: '%s'", at, status, error.message);
    }
    *absorbed += reached && status == PW_OK;
    if (remove_files("out.h5*", true) > 0) {
        assert_only_whole_files(setup);
        assert_goes_on(setup, job->backend);
    }
    return reached;
}

static void check_memory(struct job *job, enum fault fault, const char *name)
{
    struct solved made = prepare_setup();
    write_whole(made.setup, job->backend);
    long at = 1, absorbed = 0;
    while (try_without_memory(made.setup, job, fault, at, &absorbed)) {
        at += stride(fault);
    }
    print_message("             %s: %ld allocations failed, %ld of them without need to stop\n", name,
                  (at - 1) / stride(fault), absorbed);
    assert_true(at > 100);
    solve_free(&made);
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    check_memory(&(struct job){.backend = "cpu", .read_too = true}, FAULT_ONCE, "cpu, once");
}

static void memory_is_gone_for_good(void **state)
{
    (void)state;
    check_memory(&(struct job){.backend = "cpu", .read_too = true}, FAULT_EVER, "cpu, from then on");
}

/* ---- disk -------------------------------------------------------------------------------------------------------- */

static bool try_without_disk(const struct setup *setup, enum fault fault, long at, long *kept, long *absorbed)
{
    struct job job = {.backend = "cpu"};
    pw_error error = {""};
    disk = (struct plan){.fault = fault, .at = at};
    clock_runs = true;
    pw_status status = run_setup(setup, &job, path, &error);
    clock_runs = false;
    disk.fault = FAULT_NONE;
    bool reached = disk.calls >= at;
    if (status != PW_OK && (status != PW_NO_RESOURCE || !reached || strlen(error.message) < 15)) {
        fail_msg("disk call %ld failing: status %d: '%s'", at, status, error.message);
    }
    assert_true(status == PW_OK || !exists(path) || same_bits(path, whole));
    *absorbed += reached && status == PW_OK;
    *kept += status != PW_OK && remove_files("out.h5.*", true) > 0;
    assert_only_whole_files(setup);
    assert_goes_on(setup, "cpu");
    return reached;
}

static void check_disk(enum fault fault, const char *name)
{
    struct solved made = prepare_setup();
    write_whole(made.setup, "cpu");
    long at = 1, kept = 0, absorbed = 0;
    while (try_without_disk(made.setup, fault, at, &kept, &absorbed)) {
        at += stride(fault);
    }
    print_message("             %s: %ld calls failed: %ld runs finished, %ld stopped with their work kept\n", name,
                  (at - 1) / stride(fault), absorbed, kept);
    assert_true(at > 100 && kept > 10 && (fault == FAULT_EVER || absorbed > 10));
    solve_free(&made);
}

static void every_disk_call_fails_once(void **state)
{
    (void)state;
    check_disk(FAULT_ONCE, "once");
}

static void the_disk_is_gone_for_good(void **state)
{
    (void)state;
    check_disk(FAULT_EVER, "from then on");
}

/* A child is killed before its n-th call; the parent goes on where it was. Without OpenMP, whose threads a child does not inherit. */
static void killed_before_every_disk_call(void **state)
{
    (void)state;
    struct solved made = prepare_setup();
    write_whole(made.setup, "reference");
    bool killed = true;
    long at = 0;
    while (killed) {
        at++;
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            struct job job = {.backend = "reference"};
            pw_error error = {""};
            disk = (struct plan){.fault = FAULT_KILL, .at = at};
            clock_runs = true;
            _exit(run_setup(made.setup, &job, path, &error) == PW_OK ? 0 : 1);
        }
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
        assert_true(killed || (WIFEXITED(status) && WEXITSTATUS(status) == 0));
        assert_goes_on(made.setup, "reference");
        assert_int_equal(remove_files("out.h5*", true), 0);
    }
    print_message("             %ld kills, each run went on to the same bits\n", at - 1);
    assert_true(at > 100);
    solve_free(&made);
}

static void the_folder_disappears(void **state)
{
    (void)state;
    char away[64];
    snprintf(away, sizeof away, "%s_away", folder);
    struct solved made = prepare_setup();
    struct job job = {.backend = "cpu", .lost_folder = away};
    pw_error error = {""};
    clock_runs = true;
    pw_status status = run_setup(made.setup, &job, path, &error);
    clock_runs = false;
    assert_int_equal(status, PW_NO_RESOURCE);
    assert_true(strlen(error.message) > 30);
    assert_int_equal(__real_rename(away, folder), 0);
    remove_files("out.h5*", false);
    solve_free(&made);
}

/* ---- stops ------------------------------------------------------------------------------------------------------- */

static void stopped_at_every_report(void **state)
{
    (void)state;
    struct solved made = prepare_setup();
    write_whole(made.setup, "cpu");
    int stops = 0;
    pw_status status = PW_INTERRUPTED;
    for (int report = 1; status == PW_INTERRUPTED; report++) {
        struct job job = {.backend = "cpu", .reports_left = report};
        pw_error error = {""};
        clock_runs = true;
        status = run_setup(made.setup, &job, path, &error);
        clock_runs = false;
        assert_true(status == PW_OK || status == PW_INTERRUPTED);
        assert_true((status == PW_OK) == exists(path));
        stops += status == PW_INTERRUPTED;
        assert_only_whole_files(made.setup);
        assert_goes_on(made.setup, "cpu");
    }
    print_message("             stopped at %d moments, each run went on to the same bits\n", stops);
    /* Three reports for each of two transmitters; the last one comes too late to stop anything. */
    assert_int_equal(stops, 5);
    solve_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_fails_once),   cmocka_unit_test(memory_is_gone_for_good),
        cmocka_unit_test(every_disk_call_fails_once),    cmocka_unit_test(the_disk_is_gone_for_good),
        cmocka_unit_test(killed_before_every_disk_call), cmocka_unit_test(the_folder_disappears),
        cmocka_unit_test(stopped_at_every_report),
    };
    return cmocka_run_group_tests(tests, folder_create, folder_remove);
}
