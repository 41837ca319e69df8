/* The main job: every transmitter of a set-up, in groups as large as the backend likes, into one result file. */
#include "clock.h"
#include "result.h"

/* Solves transmitters first .. first+count-1 and appends them; *seconds grows by the time spent stepping. */
static pw_status solve_group(const struct setup *setup, const pw_run_options *options, int first, int count,
                             struct result_writer *writer, double *seconds, pw_error *error)
{
    struct simulation *simulation = NULL;
    TRY(pw_simulation_create(setup, options->backend, options->threads, first, count, &simulation, error));
    pw_status status = pw_simulation_run(simulation, options->progress, options->user, error);
    if (status == PW_OK) {
        status = result_add(writer, simulation, error);
    }
    *seconds += simulation->seconds;
    pw_simulation_free(simulation);
    return status;
}

static pw_status solve_all(const struct setup *setup, const pw_run_options *options, struct result_writer *writer,
                           double *seconds, pw_error *error)
{
    const struct backend *backend = backend_find(options->backend != NULL ? options->backend : "auto", error);
    if (backend == NULL) {
        return PW_NO_RESOURCE;
    }
    int total = setup->problem.source_count, together = backend->group(&setup->problem);
    for (int first = 0; first < total; first += together) {
        int count = total - first < together ? total - first : together;
        TRY(solve_group(setup, options, first, count, writer, seconds, error));
    }
    return PW_OK;
}

pw_status pw_run(const pw_setup *setup, const pw_run_options *options, const char *path, pw_error *error)
{
    struct result_writer *writer = NULL;
    double started = clock_seconds(), seconds = 0;
    TRY(result_create(path, options->force, setup, &writer, error));
    double created = clock_seconds() - started;
    pw_status status = solve_all(setup, options, writer, &seconds, error);
    if (status != PW_OK) {
        result_abandon(writer);
        return status;
    }
    return result_commit(writer, created, seconds, error);
}
