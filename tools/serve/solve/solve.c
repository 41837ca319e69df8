/* Solving for a session (solve.h). */
#include "serve/solve/solve.h"

#include "base/clock.h"
#include "run/write/result_of_run.h"
#include "run/write/result_writer.h"

#include <omp.h>
#include <stdio.h>
#include <unistd.h>

struct stretch {
    const struct solve_task *task;
    int first, total;
};

static bool tell_progress(const pw_progress *progress, void *user)
{
    const struct stretch *stretch = user;
    double done = progress->steps > 0 ? (double)progress->step / (double)progress->steps : 0;
    return stretch->task->go_on((stretch->first + done) / stretch->total, progress->seconds_left, stretch->task->user);
}

/* What becomes of a run that has ended. */
typedef pw_status (*run_keep)(const pw_simulation *simulation, void *keeper, pw_error *error);

static pw_status transmitter_solve(const struct solve_task *task, const struct setup *setup, int transmitter,
                                   struct stretch stretch, run_keep keep, void *keeper, pw_error *error)
{
    pw_simulation *simulation = NULL;
    TRY(pw_simulation_create(setup, task->compute, transmitter, 1, &simulation, error));
    pw_status status = pw_simulation_run(simulation, tell_progress, &stretch, error);
    if (status == PW_OK) {
        status = keep(simulation, keeper, error);
    }
    pw_simulation_free(simulation);
    return status;
}

/* ---- into a file ------------------------------------------------------------------------------------------------- */

struct file_keeper {
    pthread_mutex_t *files;
    struct result_writer *writer;
};

static pw_status keep_in_file(const pw_simulation *simulation, void *user, pw_error *error)
{
    const struct file_keeper *keeper = user;
    pthread_mutex_lock(keeper->files);
    pw_status status = result_add(keeper->writer, simulation, error);
    pthread_mutex_unlock(keeper->files);
    return status;
}

/* One transmitter after the other: each has the bits that it has in an ensemble. */
static pw_status transmitters_solve(const struct solve_task *task, const struct setup *setup,
                                    struct result_writer *writer, pw_error *error)
{
    struct file_keeper keeper = {task->files, writer};
    int total = setup->problem.source_count;
    pw_status status = PW_OK;
    for (int t = 0; t < total && status == PW_OK; t++) {
        status = transmitter_solve(task, setup, t, (struct stretch){task, t, total}, keep_in_file, &keeper, error);
    }
    return status;
}

static pw_status setup_solve(const struct solve_task *task, const struct setup *setup, const char *path,
                             pw_error *error)
{
    struct result_writer *writer = NULL;
    double began = clock_seconds();
    pthread_mutex_lock(task->files);
    pw_status status = result_create(path, true, setup, &writer, error);
    pthread_mutex_unlock(task->files);
    TRY(status);
    double created = clock_seconds();
    status = transmitters_solve(task, setup, writer, error);
    pthread_mutex_lock(task->files);
    if (status == PW_OK) {
        status = result_commit(writer, created - began, clock_seconds() - created, error);
    } else {
        result_abandon(writer);
    }
    pthread_mutex_unlock(task->files);
    return status;
}

static void use_threads(const struct solve_task *task)
{
    if (task->compute->threads > 0) {
        omp_set_num_threads(task->compute->threads);
    }
}

static pw_status solve_to_file(const struct solve_task *task, const struct setup *setup, const char *path,
                               struct solved *solved, pw_error *error)
{
    solved->error_db = setup->error.local_mean;
    use_threads(task);
    TRY(setup_solve(task, setup, path, error));
    snprintf(solved->path, sizeof solved->path, "%s", path);
    pthread_mutex_lock(task->files);
    pw_status status = pw_result_open(path, &solved->result, error);
    pthread_mutex_unlock(task->files);
    if (status != PW_OK) {
        (void)unlink(path);
    }
    return status;
}

pw_status solve_full(const struct solve_task *task, const char *path, struct solved *solved, pw_error *error)
{
    double began = clock_seconds();
    pw_scenario *scenario = NULL;
    pw_setup *setup = NULL;
    *solved = (struct solved){0};
    TRY(pw_scenario_parse(task->of.name, task->of.text, NULL, 0, &scenario, error));
    pw_status status = pw_setup_create(scenario, PW_SINGLE, false, &setup, error);
    if (status == PW_OK) {
        quick_note_choices(&task->of, setup);
        status = solve_to_file(task, setup, path, solved, error);
        solved->seconds = clock_seconds() - began;
    }
    pw_setup_free(setup);
    pw_scenario_free(scenario);
    return status;
}

/* ---- in memory --------------------------------------------------------------------------------------------------- */

static pw_status keep_in_memory(const pw_simulation *simulation, void *user, pw_error *error)
{
    return result_of_run(simulation, 0, user, error);
}

pw_status solve_in_memory(const struct solve_task *task, const struct setup *setup, struct solve_part part,
                          struct solved *solved, pw_error *error)
{
    double began = clock_seconds();
    *solved = (struct solved){.error_db = setup->error.local_mean};
    use_threads(task);
    TRY(transmitter_solve(task, setup, 0, (struct stretch){task, part.part, part.parts}, keep_in_memory,
                          &solved->result, error));
    solved->seconds = clock_seconds() - began;
    return PW_OK;
}

void solved_close(struct solved *solved)
{
    if (solved->result != NULL) {
        pw_result_close(solved->result);
    }
    if (solved->path[0] != '\0') {
        (void)unlink(solved->path);
    }
    *solved = (struct solved){0};
}
