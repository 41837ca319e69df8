/* What happens when memory, disk or time run out at any one moment: every allocation of a job fails once, and from then
 * on; every call that touches the disk fails once, from then on, or is the last before SIGKILL; the clock asks for a
 * checkpoint after every batch. After each of them: the right status, a sentence, nothing half-written, no memory lost,
 * and a resumed run that ends with the same bits. Leaves out: what is done with results (test_room_faults.c), and the
 * GPU (test_gpu_faults.c). */
#include "tests/faults/faults_job.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* One job with one allocation failing; false when the job has fewer. */
static bool try_without_memory(const struct setup *setup, struct job *job, enum fault fault, long at, long *absorbed)
{
    pw_error error = {""};
    memory_faults = (struct fault_plan){.fault = fault, .at = at};
    memory_count(true);
    clock_run(true);
    pw_status status = job_run_text(job, job_path, &error);
    clock_run(false);
    memory_count(false);
    memory_faults.fault = FAULT_NONE;
    bool reached = memory_faults.calls >= at;
    if (memory_left() > 0) {
        fail_msg("allocation %ld failing: %zu blocks of memory were not given back", at, memory_left());
    }
    if (status != PW_OK && (status != PW_NO_RESOURCE || !reached || strlen(error.message) < 15)) {
        fail_msg("allocation %ld failing: status %d: '%s'", at, status, error.message);
    }
    *absorbed += reached && status == PW_OK;
    if (job_count_files("out.h5*") > 0) {
        job_assert_only_whole_files(setup);
        job_assert_goes_on(setup, job->backend);
    }
    return reached;
}

static void check_memory(struct job *job, enum fault fault, const char *name)
{
    struct solved made = job_prepare();
    job_write_whole(made.setup, job->backend);
    long at = 1, absorbed = 0;
    while (try_without_memory(made.setup, job, fault, at, &absorbed)) {
        at += fault_stride(fault);
    }
    print_message("             %s: %ld allocations failed, %ld of them without need to stop\n", name,
                  (at - 1) / fault_stride(fault), absorbed);
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
    disk_faults = (struct fault_plan){.fault = fault, .at = at};
    clock_run(true);
    pw_status status = fault_job_run(setup, &job, job_path, &error);
    clock_run(false);
    disk_faults.fault = FAULT_NONE;
    bool reached = disk_faults.calls >= at;
    if (status != PW_OK && (status != PW_NO_RESOURCE || !reached || strlen(error.message) < 15)) {
        fail_msg("disk call %ld failing: status %d: '%s'", at, status, error.message);
    }
    assert_true(status == PW_OK || !job_exists(job_path) || job_same_bits(job_path, job_whole));
    *absorbed += reached && status == PW_OK;
    *kept += status != PW_OK && job_count_files("out.h5.*") > 0;
    job_assert_only_whole_files(setup);
    job_assert_goes_on(setup, "cpu");
    return reached;
}

static void check_disk(enum fault fault, const char *name)
{
    struct solved made = job_prepare();
    job_write_whole(made.setup, "cpu");
    long at = 1, kept = 0, absorbed = 0;
    while (try_without_disk(made.setup, fault, at, &kept, &absorbed)) {
        at += fault_stride(fault);
    }
    print_message("             %s: %ld calls failed: %ld runs finished, %ld stopped with their work kept\n", name,
                  (at - 1) / fault_stride(fault), absorbed, kept);
    const long least = 30 / fault_stride(fault); /* 30 of all calls */
    assert_true(at > 100 && kept > least && (fault == FAULT_EVER || absorbed > least));
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

/* A child is killed before its n-th call; the parent goes on where it was. Without OpenMP, whose threads a child does
 * not inherit. */
static void killed_before_every_disk_call(void **state)
{
    (void)state;
    struct solved made = job_prepare();
    job_write_whole(made.setup, "reference");
    bool killed = true;
    long at = 1, kills = 0;
    for (; killed; at += fault_stride(FAULT_KILL)) {
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            struct job job = {.backend = "reference"};
            pw_error error = {""};
            disk_faults = (struct fault_plan){.fault = FAULT_KILL, .at = at};
            clock_run(true);
            _exit(fault_job_run(made.setup, &job, job_path, &error) == PW_OK ? 0 : 1);
        }
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
        assert_true(killed || (WIFEXITED(status) && WEXITSTATUS(status) == 0));
        kills += killed;
        job_assert_goes_on(made.setup, "reference");
        assert_int_equal(job_count_files("out.h5*"), 0);
    }
    print_message("             %ld kills, each run went on to the same bits\n", kills);
    assert_true(at > 100);
    solve_free(&made);
}

static char away[80];

static void move_folder_away(int report)
{
    if (report == 1) {
        __real_rename(job_folder, away);
    }
}

static void the_folder_disappears(void **state)
{
    (void)state;
    snprintf(away, sizeof away, "%s_away", job_folder);
    struct solved made = job_prepare();
    struct job job = {.backend = "cpu", .at_report = move_folder_away};
    pw_error error = {""};
    clock_run(true);
    pw_status status = fault_job_run(made.setup, &job, job_path, &error);
    clock_run(false);
    assert_int_equal(status, PW_NO_RESOURCE);
    assert_true(strlen(error.message) > 30);
    assert_int_equal(__real_rename(away, job_folder), 0);
    job_remove_files("out.h5*");
    solve_free(&made);
}

/* ---- stops ------------------------------------------------------------------------------------------------------- */

static void stopped_at_every_report(void **state)
{
    (void)state;
    struct solved made = job_prepare();
    job_write_whole(made.setup, "cpu");
    int stops = 0;
    pw_status status = PW_INTERRUPTED;
    for (int report = 1; status == PW_INTERRUPTED; report++) {
        struct job job = {.backend = "cpu", .stop_at = report};
        pw_error error = {""};
        clock_run(true);
        status = fault_job_run(made.setup, &job, job_path, &error);
        clock_run(false);
        assert_true(status == PW_OK || status == PW_INTERRUPTED);
        assert_true((status == PW_OK) == job_exists(job_path));
        stops += status == PW_INTERRUPTED;
        job_assert_only_whole_files(made.setup);
        job_assert_goes_on(made.setup, "cpu");
    }
    print_message("             stopped at %d moments, each run went on to the same bits\n", stops);
    /* Three reports for each of two transmitters; the last one comes too late to stop anything. */
    assert_int_equal(stops, 5);
    solve_free(&made);
}

/* Between any two calls that touch the disk: in the set-up of the result, while it steps, between transmitters, while a
 * checkpoint or the result is written. What is complete is not interrupted any more. */
static void stopped_at_every_disk_call(void **state)
{
    (void)state;
    struct solved made = job_prepare();
    job_write_whole(made.setup, "cpu");
    long at = 1, tried = 0, stops = 0;
    for (bool reached = true; reached; at += fault_stride(FAULT_EVER)) {
        struct job job = {.backend = "cpu"};
        pw_error error = {""};
        disk_faults = (struct fault_plan){.fault = FAULT_STOP, .at = at};
        clock_run(true);
        pw_status status = fault_job_run(made.setup, &job, job_path, &error);
        clock_run(false);
        disk_faults.fault = FAULT_NONE;
        reached = disk_faults.calls >= at;
        assert_true(status == PW_OK || (status == PW_INTERRUPTED && reached));
        assert_true((status == PW_OK) == job_exists(job_path));
        tried += reached;
        stops += status == PW_INTERRUPTED;
        job_assert_only_whole_files(made.setup);
        job_assert_goes_on(made.setup, "cpu");
    }
    print_message("             asked to stop at %ld moments: %ld stopped, each run went on to the same bits\n", tried,
                  stops);
    assert_true(stops > 100 / fault_stride(FAULT_EVER)); /* a hundred of all calls */
    solve_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_fails_once),   cmocka_unit_test(memory_is_gone_for_good),
        cmocka_unit_test(every_disk_call_fails_once),    cmocka_unit_test(the_disk_is_gone_for_good),
        cmocka_unit_test(killed_before_every_disk_call), cmocka_unit_test(the_folder_disappears),
        cmocka_unit_test(stopped_at_every_report),       cmocka_unit_test(stopped_at_every_disk_call),
    };
    return cmocka_run_group_tests(tests, job_folder_create, job_folder_remove);
}
