/* The job that is disturbed. */
#include "tests/faults/faults_job.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/picture/png_image.h"
#include "run/job/checkpoint.h"

char job_folder[64] = "/tmp/planwave_faults_XXXXXX";
static char job_picture[80];
char job_path[80], job_whole[80], job_scenario[1000];

static const char SCENARIO[] =
    "title: faults\n"
    "plan: {image: %s, pixel: 5 cm, legend: {'#000000': brick, '#ffffff': air}, "
    "rectangles: [{from: [0.1 m, 0.1 m], to: [0.25 m, 0.35 m], material: concrete}]}\n"
    "grid: {scheme: yee, cell: 2.5 cm, averaging: point, courant: 0.5, absorber: {cells: 3}}\n"
    "band: {centre: 1.5 GHz, width: 400 MHz}\n"
    "transmitters:\n"
    "  - {name: west, at: [0.3 m, 0.5 m]}\n"
    "  - {name: east, at: [0.4 m, 0.4 m]}\n"
    "receivers: [{name: near, at: [0.31 m, 0.2 m]}]\n"
    "spectra: {count: 3, spacing: 4 cells, every: 6}\n"
    "stop: {steps: 18}\n";

void job_folder_use(const char *folder)
{
    if (folder != job_folder) {
        snprintf(job_folder, sizeof job_folder, "%s", folder);
    }
    snprintf(job_path, sizeof job_path, "%s/out.h5", job_folder);
    snprintf(job_whole, sizeof job_whole, "%s/whole.h5", job_folder);
    snprintf(job_picture, sizeof job_picture, "%s/plan.png", job_folder);
    snprintf(job_scenario, sizeof job_scenario, SCENARIO, job_picture);
}

int job_folder_create(void **state)
{
    (void)state;
    static uint8_t pixels[12 * 16 * 3];
    if (mkdtemp(job_folder) == NULL) {
        return -1;
    }
    job_folder_use(job_folder);
    memset(pixels, 255, sizeof pixels);
    memset(pixels, 0, 16 * 3);
    return png_image_write(job_picture, 16, 12, 3, pixels, NULL) == PW_OK ? 0 : -1;
}

static size_t each_file(const char *pattern, bool remove)
{
    char all[100];
    glob_t found = {0};
    snprintf(all, sizeof all, "%s/%s", job_folder, pattern);
    size_t count = glob(all, 0, NULL, &found) == 0 ? found.gl_pathc : 0;
    for (size_t n = 0; n < count && remove; n++) {
        unlink(found.gl_pathv[n]);
    }
    globfree(&found);
    return count;
}

size_t job_count_files(const char *pattern)
{
    return each_file(pattern, false);
}

void job_remove_files(const char *pattern)
{
    each_file(pattern, true);
}

int job_folder_remove(void **state)
{
    (void)state;
    job_remove_files("*");
    return rmdir(job_folder);
}

bool job_exists(const char *file)
{
    return access(file, F_OK) == 0;
}

bool job_same_bits(const char *a, const char *b)
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

static bool watch(const pw_progress *progress, void *user)
{
    struct job *job = user;
    (void)progress;
    job->reports++;
    if (job->at_report != NULL) {
        job->at_report(job->reports);
    }
    return job->reports != job->stop_at && !fault_stop_asked(&disk_faults);
}

pw_status fault_job_run(const struct setup *setup, struct job *job, const char *file, pw_error *error)
{
    pw_run_options options = {.compute.backend = job->backend,
                              .compute.threads = 1,
                              .resume = job->resume,
                              .checkpoint_interval = 0.1,
                              .progress = watch,
                              .user = job};
    return pw_run(setup, &options, file, error);
}

pw_status job_run_text(struct job *job, const char *file, pw_error *error)
{
    pw_scenario *scenario = NULL;
    pw_setup *setup = NULL;
    TRY(pw_scenario_parse("faults", job_scenario, NULL, 0, &scenario, error));
    pw_status status = pw_setup_create(scenario, PW_SINGLE, false, &setup, error);
    if (status == PW_OK) {
        status = fault_job_run(setup, job, file, error);
    }
    pw_setup_free(setup);
    pw_scenario_free(scenario);
    return status == PW_OK && job->read_too ? read_back(file, error) : status;
}

struct solved job_prepare(void)
{
    struct solved made = {0};
    pw_error error = {""};
    assert_int_equal(pw_scenario_parse("faults", job_scenario, NULL, 0, &made.scenario, &error), PW_OK);
    assert_int_equal(pw_setup_create(made.scenario, PW_SINGLE, false, &made.setup, &error), PW_OK);
    return made;
}

void job_assert_only_whole_files(const struct setup *setup)
{
    static const char *const NAMES[] = {"checkpoint", "checkpoint.1", "finished-0", "finished-1"};
    pw_error error = {""};
    struct checkpoint_store *store = NULL;
    struct checkpoint found;
    assert_int_equal(checkpoint_store_create(job_path, setup, &store, &error), PW_OK);
    for (size_t n = 0; n < sizeof NAMES / sizeof NAMES[0]; n++) {
        char name[100];
        snprintf(name, sizeof name, "%s.%s", job_path, NAMES[n]);
        enum checkpoint_verdict verdict = checkpoint_file_check(store, name, &found, &error);
        if (verdict != CHECKPOINT_GOOD && verdict != CHECKPOINT_ABSENT) {
            fail_msg("%s", error.message);
        }
    }
    checkpoint_store_free(store);
    assert_int_equal(job_count_files("out.h5*partial*"), 0);
}

void job_write_whole(const struct setup *setup, const char *backend)
{
    struct job job = {.backend = backend};
    pw_error error = {""};
    job_remove_files("*.h5*");
    clock_run(true);
    assert_int_equal(fault_job_run(setup, &job, job_whole, &error), PW_OK);
    clock_run(false);
}

void job_assert_goes_on(const struct setup *setup, const char *backend)
{
    struct job job = {.backend = backend, .resume = true};
    pw_error error = {""};
    if (!job_exists(job_path)) {
        pw_status status = fault_job_run(setup, &job, job_path, &error);
        if (status != PW_OK) {
            fail_msg("%s", error.message);
        }
    }
    assert_true(job_same_bits(job_path, job_whole));
    job_remove_files("out.h5*");
}
