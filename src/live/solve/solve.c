/* Solving for a session (solve.h). */
#include "live/solve/solve.h"

#include "base/clock.h"
#include "result/result_writer.h"

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

/* One transmitter after the other: each has the bits that it has in an ensemble. */
static pw_status transmitters_solve(const struct solve_task *task, const struct setup *setup,
                                    const struct solve_part *part, struct result_writer *writer, pw_error *error)
{
    int total = setup->problem.source_count;
    pw_status status = PW_OK;
    for (int t = 0; t < total && status == PW_OK; t++) {
        struct stretch stretch = {task, part->part * total + t, part->parts * total};
        pw_simulation *simulation = NULL;
        TRY(pw_simulation_create(setup, task->backend, task->threads, t, 1, &simulation, error));
        status = pw_simulation_run(simulation, tell_progress, &stretch, error);
        if (status == PW_OK) {
            pthread_mutex_lock(task->files);
            status = result_add(writer, simulation, error);
            pthread_mutex_unlock(task->files);
        }
        pw_simulation_free(simulation);
    }
    return status;
}

static pw_status setup_solve(const struct solve_task *task, const struct setup *setup, const char *path,
                             const struct solve_part *part, pw_error *error)
{
    struct result_writer *writer = NULL;
    double began = clock_seconds();
    pthread_mutex_lock(task->files);
    pw_status status = result_create(path, true, setup, &writer, error);
    pthread_mutex_unlock(task->files);
    TRY(status);
    double created = clock_seconds();
    status = transmitters_solve(task, setup, part, writer, error);
    pthread_mutex_lock(task->files);
    if (status == PW_OK) {
        status = result_commit(writer, created - began, clock_seconds() - created, error);
    } else {
        result_abandon(writer);
    }
    pthread_mutex_unlock(task->files);
    return status;
}

pw_status solve_setup(const struct solve_task *task, const struct setup *setup, const char *path,
                      struct solve_part part, struct solved *solved, pw_error *error)
{
    double began = clock_seconds();
    *solved = (struct solved){.error_db = setup->error.local_mean};
    if (task->threads > 0) {
        omp_set_num_threads(task->threads);
    }
    TRY(setup_solve(task, setup, path, &part, error));
    snprintf(solved->path, sizeof solved->path, "%s", path);
    pthread_mutex_lock(task->files);
    pw_status status = pw_result_open(path, &solved->result, error);
    pthread_mutex_unlock(task->files);
    if (status != PW_OK) {
        (void)unlink(path);
    }
    solved->seconds = clock_seconds() - began;
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
        status = solve_setup(task, setup, path, (struct solve_part){0, 1}, solved, error);
        solved->seconds = clock_seconds() - began;
    }
    pw_setup_free(setup);
    pw_scenario_free(scenario);
    return status;
}

void solved_close(struct solved *solved)
{
    if (solved->result != NULL) {
        pw_result_close(solved->result);
        (void)unlink(solved->path);
    }
    *solved = (struct solved){0};
}
