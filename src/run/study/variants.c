/* Variants of a scenario (variants.h): the members of a crew solve, the caller's thread takes. Leaves out checkpoints:
 * what is interrupted begins anew. */
#include "api/study/variants.h"

#include "api/hdf5.h"
#include "base/clock.h"
#include "base/crew.h"
#include "base/file/folder.h"
#include "run/simulation.h"
#include "run/study/together.h"
#include "run/write/result_writer.h"

#include <limits.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct study {
    const pw_variants *variants;
    const pw_variants_options *options;
    struct together together;
    struct temporary_folder folder;
};

enum { PATH_SIZE = PATH_MAX + 16 };

static const char *result_path(const struct study *study, int index, char path[PATH_SIZE])
{
    snprintf(path, PATH_SIZE, "%s/%d.h5", study->folder.path, index);
    return path;
}

/* ---- one variant ------------------------------------------------------------------------------------------------- */

struct variant {
    pw_scenario *scenario;
    pw_setup *setup;
    pw_simulation *simulation;
    struct compute compute; /* this one's threads, and the device that it has got */
};

static pw_status variant_make(struct study *study, int index, struct variant *variant, pw_error *error)
{
    const pw_variants *variants = study->variants;
    TRY(pw_scenario_parse(variants->name, variants->text, variants->overrides, variants->override_count,
                          &variant->scenario, error));
    if (variants->change != NULL) {
        pw_hdf5_lock(INFINITY);
        pw_status status = variants->change(variant->scenario, index, variants->user, error);
        pw_hdf5_unlock();
        TRY(status);
    }
    return pw_setup_create(variant->scenario, PW_SINGLE, false, &variant->setup, error);
}

static void variant_free(struct variant *variant)
{
    pw_simulation_free(variant->simulation);
    pw_setup_free(variant->setup);
    pw_scenario_free(variant->scenario);
}

/* What the progress of a simulation is for a variant of several transmitters, one after the other. */
struct stretch {
    struct crew_post *post;
    int first, count, total;
    double expected; /* steps: runs that end by decay are shorter than they may be */
};

static bool run_progress(const pw_progress *progress, void *user)
{
    const struct stretch *stretch = user;
    double done = (double)progress->step / fmax(fmax(stretch->expected, (double)progress->step), 1.0);
    return crew_tell(stretch->post, (stretch->first + done * stretch->count) / stretch->total);
}

/* Transmitters first .. first+count-1 into the result. */
static pw_status ensemble_solve(struct variant *variant, struct stretch *stretch, struct result_writer *writer,
                                pw_error *error)
{
    pw_simulation_free(variant->simulation);
    variant->simulation = NULL;
    TRY(simulation_create(variant->setup, &variant->compute, stretch->first, stretch->count, &variant->simulation,
                          error));
    TRY(pw_simulation_run(variant->simulation, run_progress, stretch, error));
    pw_hdf5_lock(INFINITY);
    pw_status status = result_add(writer, variant->simulation, error);
    pw_hdf5_unlock();
    return status;
}

static pw_status transmitters_solve(struct variant *variant, struct crew_post *post, struct result_writer *writer,
                                    pw_error *error)
{
    TRY(compute_select(&variant->compute, error));
    const struct problem *problem = &variant->setup->problem;
    int total = problem->source_count, most = backend_ensemble(variant->compute.backend, problem);
    for (int first = 0; first < total; first += most) {
        int count = total - first < most ? total - first : most;
        struct stretch stretch = {post, first, count, total, (double)pw_setup_facts(variant->setup).expected_steps};
        TRY(ensemble_solve(variant, &stretch, writer, error));
    }
    return PW_OK;
}

static pw_status variant_solve(struct study *study, int index, struct variant *variant, struct crew_post *post,
                               pw_error *error)
{
    char path[PATH_SIZE];
    struct result_writer *writer = NULL;
    double started = clock_seconds();
    pw_hdf5_lock(INFINITY);
    pw_status status = result_create(result_path(study, index, path), true, variant->setup, &writer, error);
    pw_hdf5_unlock();
    TRY(status);
    double created = clock_seconds();
    status = transmitters_solve(variant, post, writer, error);
    pw_hdf5_lock(INFINITY);
    if (status == PW_OK) {
        status = result_commit(writer, created - started, clock_seconds() - created, error);
    } else {
        result_abandon(writer);
    }
    pw_hdf5_unlock();
    return status;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

static pw_status study_work(int index, struct crew_post *post, void *user, pw_error *error)
{
    struct study *study = user;
    struct variant variant = {0};
    omp_set_num_threads(study->together.threads); /* of this thread's loops, those of the set-up too */
    pw_status status = variant_make(study, index, &variant, error);
    THEN(status, compute_read(&study->options->compute, &variant.setup->problem, &variant.compute, error));
    if (status == PW_OK) {
        struct together_room room;
        together_enter(&study->together, variant.setup, &variant.compute, &room);
        variant.compute = compute_at(&variant.compute, room.place);
        variant.compute.threads = study->together.threads;
        status = crew_tell(post, 0.0) ? variant_solve(study, index, &variant, post, error)
                                      : fail(error, PW_INTERRUPTED, "interrupted");
        variant_free(&variant);
        together_leave(&study->together, &room);
        return status;
    }
    variant_free(&variant);
    return status;
}

static pw_status study_take(int index, void *user, pw_error *error)
{
    struct study *study = user;
    char path[PATH_SIZE];
    pw_result *result = NULL;
    pw_hdf5_lock(INFINITY);
    pw_status status = pw_result_open(result_path(study, index, path), &result, error);
    THEN(status, study->variants->take(result, index, study->variants->user, error));
    pw_result_close(result);
    pw_hdf5_unlock();
    (void)unlink(path);
    return status;
}

static pw_status study_fail(const struct study *study, pw_status status, int failed, pw_error *error)
{
    pw_error first = {""};
    if (error != NULL) {
        first = *error;
    }
    FAIL_IF(status == PW_INTERRUPTED, error, status, "stopped by an interruption in a %s", study->variants->noun);
    return failed < 0 || study->variants->count == 1 ? status
                                                     : fail(error, status, "%s %d of %d: %.900s", study->variants->noun,
                                                            failed + 1, study->variants->count, first.message);
}

pw_status pw_variants_solve(const pw_variants *variants, const pw_variants_options *options, pw_error *error)
{
    struct study study = {.variants = variants, .options = options};
    int failed = -1;
    TRY(together_plan(variants->count, options, &study.together, error));
    pw_status status = temporary_folder_make(study.folder.path, sizeof study.folder.path - NAME_MAX, &study.folder.lock,
                                             "study", variants->noun, error);
    if (status != PW_OK) {
        together_free(&study.together);
        return status;
    }
    struct crew crew = {.count = variants->count,
                        .members = study.together.members,
                        .work = study_work,
                        .take = study_take,
                        .user = &study,
                        .monitor = options->monitor};
    status = crew_run(&crew, &failed, error);
    temporary_folder_remove(study.folder.path, &study.folder.lock);
    together_free(&study.together);
    return status == PW_OK ? PW_OK : study_fail(&study, status, failed, error);
}
