/* The thread that solves for a session: the newest preview first, then the full solve, maps of another view, reports,
 * and when nothing else is wanted the film of the wave. */
#include "serve/session.h"

#include "report/planwave_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* What is done next, with all that it needs of the session, so that the lock is not held while it is done. */
struct job {
    enum { JOB_END, JOB_PREVIEW, JOB_FULL, JOB_MAP, JOB_REPORT, JOB_WALLS, JOB_WAVE } kind;
    char *text; /* owned */
    uint32_t revision, plan_revision;
    struct live_view view;
    struct live_wave wave;
    int wave_transmitter; /* index */
    struct report_ask reports[REPORTS_MOST];
    int report_count;
    struct walls_ask walls;
    double wait; /* s, until the next frame of the wave */
};

/* What is told of a job while it is done. */
struct watch {
    struct session *session;
    uint32_t revision;
    const char *stage;
    double told;    /* s of the clock */
    bool stoppable; /* by who asked for it */
    bool lasts;     /* while the document is dragged on: previews must come to an end, or a long drag would show none */
};

static const double TELL_SECONDS = 0.1;

static bool watch_tell(struct watch *watch, double done, double seconds_left)
{
    struct session *session = watch->session;
    bool overtaken = watch->lasts ? atomic_load(&session->settled) > watch->revision
                                  : atomic_load(&session->latest) != watch->revision;
    const double now = pw_clock();
    if (now - watch->told >= TELL_SECONDS) {
        watch->told = now;
        session_tell_progress(session, watch->stage, done, seconds_left);
    }
    overtaken = overtaken || (watch->stoppable && atomic_load(&session->walls_stopped));
    return !overtaken && !atomic_load(&session->ended);
}

static bool monitor_watch(double done, void *user)
{
    return watch_tell(user, done, NAN);
}

static bool setup_watch(void *user)
{
    return watch_tell(user, 0, NAN);
}

static bool run_watch(const pw_progress *progress, void *user)
{
    const double part = progress->steps > 0 ? (double)progress->step / (double)progress->steps : 0;
    const int total = progress->transmitter_count > 0 ? progress->transmitter_count : 1;
    return watch_tell(user, (progress->transmitter + part) / total, progress->seconds_left);
}

static void tell_failure(struct session *session, const struct job *job, const char *stage, const pw_error *error)
{
    clients_answer(session->clients, blob_of_text(describe_dump(json_pack("{s:s, s:I, s:s, s:s}", "type", "failed",
                                                                          "revision", (json_int_t)job->revision,
                                                                          "stage", stage, "text", error->message))));
}

/* ---- maps -------------------------------------------------------------------------------------------------------- */

/* Of what a map is. */
struct map_facts {
    bool full;
    uint32_t revision;
    double seconds, error_db;
};

static struct map_facts facts_full(const struct session *session)
{
    const struct full *full = &session->full;
    return (struct map_facts){true, full->revision, full->seconds, full->error_db};
}

static struct map_facts facts_preview(const struct session *session)
{
    const pw_preview_facts *facts = &session->preview_facts;
    return (struct map_facts){false, session->preview_revision, facts->seconds, facts->error};
}

static struct blob *map_frame(struct session *session, const pw_map_options *options, const pw_map_shape *shape,
                              const double *values, const struct map_facts *facts)
{
    size_t count = (size_t)shape->rows * (size_t)shape->columns;
    float *single = malloc(count * sizeof *single);
    struct frame frame = {.kind = FRAME_MAP,
                          .full = facts->full,
                          .local_mean = options->local_mean,
                          .quantity = (int)options->quantity,
                          .revision = facts->revision,
                          .sequence = ++session->map_sequence,
                          .rows = shape->rows,
                          .columns = shape->columns,
                          .x0 = shape->x0,
                          .y0 = shape->y0,
                          .pitch_x = shape->pitch_x,
                          .pitch_y = shape->pitch_y,
                          .seconds = facts->seconds,
                          .error_db = facts->error_db,
                          .transmitter = shape->transmitter};
    for (size_t n = 0; single != NULL && n < count; n++) {
        single[n] = (float)values[n]; /* as the .npy of a map has them */
    }
    struct blob *blob = single != NULL ? frame_create(&frame, single, NULL) : NULL;
    free(single);
    return blob;
}

/* Tells once for every full result which cells of its maps coverage counts, and how they are called. */
static pw_status floor_send(struct session *session, const pw_map_options *options, const pw_map_shape *shape,
                            pw_error *error)
{
    pw_floor floor;
    uint8_t *counted = allocate((size_t)shape->rows * (size_t)shape->columns, 1, "the floor of a map", error);
    pw_status status =
        counted != NULL ? pw_map_floor(session->full.result, options, counted, &floor, error) : PW_NO_RESOURCE;
    if (status == PW_OK) {
        const struct frame frame = {.kind = FRAME_FLOOR,
                                    .full = true,
                                    .quantity = (int)floor.kind,
                                    .revision = session->full.revision,
                                    .sequence = session->full.revision,
                                    .rows = shape->rows,
                                    .columns = shape->columns,
                                    .x0 = shape->x0,
                                    .y0 = shape->y0,
                                    .pitch_x = shape->pitch_x,
                                    .pitch_y = shape->pitch_y,
                                    .seconds = NAN,
                                    .error_db = NAN,
                                    .transmitter = FRAME_BEST};
        struct blob *blob = frame_create(&frame, NULL, counted);
        pthread_mutex_lock(&session->lock);
        blob_release(session->last_floor);
        session->last_floor = blob_hold(blob);
        pthread_mutex_unlock(&session->lock);
        clients_tell(session->clients, NEWS_FLOOR, blob);
        session->floor_revision = session->full.revision;
    }
    free(counted);
    return status;
}

/* Of the full result, and into the file that the page offers. */
static pw_status map_full(struct session *session, const pw_map_options *options, pw_map_shape *shape, double **values,
                          pw_error *error)
{
    const pw_result *result = session->full.result;
    char path[SESSION_PATH];
    TRY(pw_map_describe(result, options, shape, error));
    *values = allocate((size_t)shape->rows * (size_t)shape->columns, sizeof **values, "a map", error);
    TRY_MADE(*values);
    TRY(pw_map_compute(result, options, *values, NULL, error));
    const pw_map_values file = {.values = *values, .minimum = NAN, .maximum = NAN};
    snprintf(path, sizeof path, "%s/map.npy", session->folder);
    TRY(pw_map_values_write(result, options, &file, NULL, path, error));
    session->map_written = true;
    return session->floor_revision != session->full.revision ? floor_send(session, options, shape, error) : PW_OK;
}

static pw_status map_of(struct session *session, const struct job *job, const struct map_facts *facts,
                        struct blob **blob, pw_error *error)
{
    pw_map_shape shape;
    OWNED double *values = NULL;
    struct watch watch = {.session = session, .revision = job->revision, .stage = "map", .lasts = !facts->full};
    pw_map_options options = pw_map_options_default();
    options.quantity = job->view.quantity;
    options.transmitter = job->view.transmitter;
    options.local_mean = job->view.local_mean && pw_quantity_is_power(job->view.quantity);
    options.monitor = (pw_monitor){monitor_watch, &watch};
    TRY(facts->full ? map_full(session, &options, &shape, &values, error)
                    : pw_previews_map(session->previews, &options, &shape, &values, error));
    *blob = map_frame(session, &options, &shape, values, facts);
    return PW_OK;
}

/* Computes the map of a result and sends it. */
static void map_send(struct session *session, const struct job *job, struct map_facts facts)
{
    struct blob *blob = NULL;
    pw_error error = {""};
    pw_hdf5_lock(INFINITY);
    pw_status status = map_of(session, job, &facts, &blob, &error);
    pw_hdf5_unlock();
    if (status != PW_OK) {
        blob_release(blob);
        if (status != PW_INTERRUPTED) {
            tell_failure(session, job, "map", &error);
        }
        return;
    }
    pthread_mutex_lock(&session->lock);
    blob_release(session->last_map);
    session->last_map = blob_hold(blob);
    pthread_mutex_unlock(&session->lock);
    clients_tell(session->clients, NEWS_MAP, blob);
}

/* ---- jobs -------------------------------------------------------------------------------------------------------- */

static pw_preview_task job_task(const struct session *session, const struct job *job)
{
    return (pw_preview_task){session->document.file, job->text, job->plan_revision};
}

void full_close(struct full *full)
{
    pw_result_close(full->result);
    if (full->path[0] != '\0') {
        (void)unlink(full->path);
    }
    *full = (struct full){0};
}

/* What `planwave run` does with the same text. The new result takes the place of the last. */
static pw_status setup_solve(struct session *session, const pw_setup *setup, struct watch *watch, struct full *full,
                             pw_error *error)
{
    const pw_run_options options = {
        .compute = session->compute, .checkpoint_interval = -1, .progress = run_watch, .user = watch};
    snprintf(full->path, sizeof full->path, "%s/%u.h5", session->folder, ++session->result_number);
    TRY(pw_run(setup, &options, full->path, error));
    pw_hdf5_lock(INFINITY);
    pw_status status = pw_result_open(full->path, &full->result, error);
    if (status == PW_OK) {
        full->seconds += pw_clock();
        full_close(&session->full);
        session->full = *full;
    } else {
        (void)unlink(full->path);
    }
    pw_hdf5_unlock();
    return status;
}

static pw_status full_solve(struct session *session, const struct job *job, struct watch *watch, pw_error *error)
{
    struct full full = {.revision = job->revision, .seconds = -pw_clock()};
    OWNED_AS(pw_scenario) *scenario = NULL;
    OWNED_AS(pw_setup) *setup = NULL;
    TRY(pw_scenario_parse(session->document.file, job->text, NULL, 0, &scenario, error));
    pw_scenario_watch(scenario, setup_watch, watch);
    TRY(pw_setup_create(scenario, PW_SINGLE, false, &setup, error));
    pw_previews_learn(session->previews, setup, job->plan_revision);
    full.error_db = pw_setup_facts(setup).local_mean_error;
    return setup_solve(session, setup, watch, &full, error);
}

static pw_status preview_solve(struct session *session, const struct job *job, struct watch *watch, pw_error *error)
{
    const pw_preview_task task = job_task(session, job);
    const pw_monitor monitor = {monitor_watch, watch};
    session->preview_revision = 0;
    TRY(pw_previews_solve(session->previews, &task, &monitor, &session->preview_facts, error));
    session->preview_revision = job->revision;
    return PW_OK;
}

static void solve_job(struct session *session, const struct job *job, bool full)
{
    pw_error error = {""};
    struct watch watch = {
        .session = session, .revision = job->revision, .stage = full ? "full" : "preview", .lasts = !full};
    pw_status status = full ? full_solve(session, job, &watch, &error) : preview_solve(session, job, &watch, &error);
    if (status == PW_OK) {
        map_send(session, job, full ? facts_full(session) : facts_preview(session));
    } else if (status != PW_INTERRUPTED) {
        tell_failure(session, job, watch.stage, &error);
    }
}

/* The newest result that can show the quantity. */
static void map_job(struct session *session, const struct job *job)
{
    bool full = session->full.result != NULL, preview = session->preview_revision > 0 &&
                                                        pw_quantity_is_power(job->view.quantity) &&
                                                        (!full || session->preview_revision > session->full.revision);
    if (preview || full) {
        map_send(session, job, preview ? facts_preview(session) : facts_full(session));
    }
}

static struct blob *report_blob(const struct session *session, int id)
{
    char path[64];
    snprintf(path, sizeof path, "report.html?revision=%u", session->full.revision);
    json_t *object =
        json_pack("{s:s, s:s, s:I}", "type", "report", "path", path, "revision", (json_int_t)session->full.revision);
    if (id >= 0 && object != NULL) {
        json_object_set_new(object, "id", json_integer(id));
    }
    return blob_of_text(describe_dump(object));
}

/* To all who asked. */
static void report_answer(struct session *session, const struct job *job, pw_status status, const pw_error *error)
{
    const char *text = status == PW_INTERRUPTED ? "the plan was changed before the report was done" : error->message;
    for (int n = 0; n < job->report_count; n++) {
        int id = job->reports[n].id;
        clients_answer_one(session->clients, job->reports[n].client,
                           status == PW_OK ? report_blob(session, id) : refusal(id, text));
    }
}

static void report_job(struct session *session, const struct job *job)
{
    char path[SESSION_PATH];
    pw_error error = {"there is no full result yet"};
    pw_status status = PW_BAD_INPUT;
    struct watch watch = {.session = session, .revision = job->revision, .stage = "report"};
    pw_report_options options = pw_report_options_default();
    options.monitor = (pw_monitor){monitor_watch, &watch};
    snprintf(path, sizeof path, "%s/report.html", session->folder);
    pw_hdf5_lock(INFINITY);
    if (session->full.result != NULL && session->report_revision == session->full.revision) {
        status = PW_OK; /* it is there */
    } else if (session->full.result != NULL) {
        status = pw_report_write(session->full.result, &options, path, NULL, &error);
        session->report_revision = status == PW_OK ? session->full.revision : session->report_revision;
    }
    pw_hdf5_unlock();
    report_answer(session, job, status, &error);
}

/* ---- what is next ------------------------------------------------------------------------------------------------ */

/* Until something is asked, or `wait` seconds; the lock is held. */
static void wait_for_work(struct session *session, double wait)
{
    struct timespec until;
    if (!isfinite(wait)) {
        pthread_cond_wait(&session->asked, &session->lock);
        return;
    }
    clock_gettime(CLOCK_REALTIME, &until);
    long nanoseconds = until.tv_nsec + (long)(1e9 * (wait - floor(wait)));
    until.tv_sec += (time_t)floor(wait) + nanoseconds / 1000000000L;
    until.tv_nsec = nanoseconds % 1000000000L;
    pthread_cond_timedwait(&session->asked, &session->lock, &until);
}

static bool take(bool *asked)
{
    bool was = *asked;
    *asked = false;
    return was;
}

/* The lock is held. */
static bool film_runs(const struct session *session)
{
    return session->wave.on && !session->wave.paused && !session->document.dragging;
}

/* A full solve waits while the plan is dragged. The lock is held; false: nothing is asked. */
static bool job_choose(struct session *session, struct job *job)
{
    bool show = pw_quantity_is_power(session->view.quantity);
    if (session->quit) {
        job->kind = JOB_END;
    } else if (take(&session->preview_asked) && show) {
        job->kind = JOB_PREVIEW;
    } else if (take(&session->map_asked)) {
        job->kind = JOB_MAP;
    } else if (!session->document.dragging && take(&session->full_asked)) {
        job->kind = JOB_FULL;
    } else if (session->report_count > 0) {
        job->kind = JOB_REPORT;
        memcpy(job->reports, session->reports, sizeof job->reports);
        job->report_count = session->report_count;
        session->report_count = 0;
    } else if (session->walls_count > 0) {
        job->kind = JOB_WALLS;
        job->walls = session->walls[0];
        memmove(session->walls, session->walls + 1, (size_t)--session->walls_count * sizeof *session->walls);
        session->walls_client = job->walls.client;
        atomic_store(&session->walls_stopped, false);
    } else if (film_runs(session) && job->wait <= 0) {
        job->kind = JOB_WAVE;
    } else {
        return false;
    }
    return true;
}

/* Waits for the next job. */
static void job_take(struct session *session, struct job *job)
{
    bool told = job->kind == JOB_WAVE; /* between frames of a film nothing is new */
    double frame_due = pw_clock() + job->wait;
    pthread_mutex_lock(&session->lock);
    while (!job_choose(session, job)) {
        if (!told) {
            session_tell_progress(session, "idle", 1, 0);
            told = true;
        }
        wait_for_work(session, film_runs(session) ? job->wait : HUGE_VAL);
        job->wait = fmax(0, frame_due - pw_clock());
    }
    free(job->text);
    job->text = strdup(document_text(&session->document));
    job->revision = session->document.revision;
    job->plan_revision = session->document.plan_revision;
    job->view = session->view;
    job->wave = session->wave;
    job->wave_transmitter = document_transmitter(&session->document, session->wave.transmitter);
    pthread_mutex_unlock(&session->lock);
}

static void walls_job(struct session *session, const struct job *job)
{
    struct watch watch = {.session = session, .revision = job->revision, .stage = "sensitivity", .stoppable = true};
    walls_answer(session, &(struct walls_work){.text = job->text,
                                               .revision = job->revision,
                                               .ask = job->walls,
                                               .monitor = {monitor_watch, &watch},
                                               .go_on = setup_watch});
}

static void wave_job(struct session *session, struct job *job)
{
    pw_error error = {""};
    struct film_frame wanted = {job_task(session, job), job->revision, job->wave_transmitter, job->wave};
    if (film_step(session, &wanted, &job->wait, &error) != PW_OK) {
        tell_failure(session, job, "wave", &error);
        pthread_mutex_lock(&session->lock);
        session->wave.on = false;
        session_tell_state(session);
        pthread_mutex_unlock(&session->lock);
    }
}

void *session_work(void *user)
{
    struct session *session = user;
    struct job job = {0};
    for (job_take(session, &job); job.kind != JOB_END; job_take(session, &job)) {
        if (job.text == NULL) {
            pw_error error = {"not enough memory for the scenario"};
            tell_failure(session, &job, "full", &error);
            continue;
        }
        if (job.kind == JOB_PREVIEW || job.kind == JOB_FULL) {
            solve_job(session, &job, job.kind == JOB_FULL);
        } else if (job.kind == JOB_MAP) {
            map_job(session, &job);
        } else if (job.kind == JOB_REPORT) {
            report_job(session, &job);
        } else if (job.kind == JOB_WALLS) {
            walls_job(session, &job);
        } else {
            wave_job(session, &job);
        }
    }
    free(job.text);
    film_stop(&session->film);
    return NULL;
}
