/* The thread that solves for a session: the newest preview first, then the full solve, maps of another view, reports,
 * and when nothing else is wanted the film of the wave. */
#include "serve/session.h"

#include "base/clock.h"
#include "map/map.h"
#include "report/report.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* What is done next, with all that it needs of the session, so that the lock is not held while it is done. */
struct job {
    enum { JOB_END, JOB_PREVIEW, JOB_FULL, JOB_MAP, JOB_REPORT, JOB_WAVE } kind;
    char *text; /* owned */
    uint32_t revision, plan_revision;
    double width, height, largest_permittivity; /* of the plan */
    struct live_view view;
    struct live_wave wave;
    int wave_transmitter; /* index */
    struct report_ask reports[REPORTS_MOST];
    int report_count;
    double wait; /* s, until the next frame of the wave */
};

/* What is told of a job while it is done. */
struct watch {
    struct session *session;
    uint32_t revision;
    const char *stage;
    bool lasts; /* while the document is dragged on: previews must come to an end, or a long drag would show none */
};

static bool watch_tell(double done, double seconds_left, void *user)
{
    const struct watch *watch = user;
    struct session *session = watch->session;
    bool overtaken = watch->lasts ? atomic_load(&session->settled) > watch->revision
                                  : atomic_load(&session->latest) != watch->revision;
    session_tell_progress(session, watch->stage, done, seconds_left);
    return !overtaken && !atomic_load(&session->ended);
}

static bool monitor_watch(double done, void *user)
{
    return watch_tell(done, NAN, user);
}

static void tell_failure(struct session *session, const struct job *job, const char *stage, const pw_error *error)
{
    clients_answer(session->clients, blob_of_text(describe_dump(json_pack("{s:s, s:I, s:s, s:s}", "type", "failed",
                                                                          "revision", (json_int_t)job->revision,
                                                                          "stage", stage, "text", error->message))));
}

/* ---- maps -------------------------------------------------------------------------------------------------------- */

/* A preview has few frequencies and ends early: it is for powers alone. */
static bool has_preview(pw_quantity quantity)
{
    return quantity_kind(quantity)->power || quantity_kind(quantity)->servers;
}

/* Of what a map is. */
struct map_facts {
    bool full;
    uint32_t revision;
    double seconds, error_db;
};

static struct map_facts facts_full(const struct session *session)
{
    const struct solved *full = &session->full;
    return (struct map_facts){true, full->revision, full->seconds, full->error_db};
}

static struct map_facts facts_preview(const struct session *session)
{
    const struct previews *previews = &session->previews;
    return (struct map_facts){false, previews->revision, previews->seconds, previews->error_db};
}

static struct blob *map_frame(struct session *session, const struct map *map, const struct map_facts *facts)
{
    size_t count = (size_t)map->rows * (size_t)map->columns;
    float *values = malloc(count * sizeof *values);
    struct frame frame = {.kind = FRAME_MAP,
                          .full = facts->full,
                          .local_mean = map->mean_width > 0,
                          .quantity = (int)map->quantity,
                          .revision = facts->revision,
                          .sequence = ++session->map_sequence,
                          .rows = map->rows,
                          .columns = map->columns,
                          .x0 = map->x0,
                          .y0 = map->y0,
                          .pitch_x = map->pitch_x,
                          .pitch_y = map->pitch_y,
                          .seconds = facts->seconds,
                          .error_db = facts->error_db,
                          .transmitter = map->transmitter};
    for (size_t n = 0; values != NULL && n < count; n++) {
        values[n] = (float)map->value[n]; /* as the .npy of a map has them */
    }
    struct blob *blob = values != NULL ? frame_create(&frame, values, NULL) : NULL;
    free(values);
    return blob;
}

static pw_status map_of(struct session *session, const struct job *job, const struct map_facts *facts,
                        struct blob **blob, pw_error *error)
{
    char path[SESSION_PATH];
    struct map map;
    struct watch watch = {session, job->revision, "map", !facts->full};
    pw_map_options options = pw_map_options_default();
    options.quantity = job->view.quantity;
    options.transmitter = job->view.transmitter;
    options.local_mean = job->view.local_mean && quantity_kind(job->view.quantity)->power;
    options.monitor = (pw_monitor){monitor_watch, &watch};
    TRY(facts->full ? map_compute(session->full.result, &options, &map, error)
                    : previews_map(&session->previews, &options, &map, error));
    *blob = map_frame(session, &map, facts);
    pw_status status = PW_OK;
    if (facts->full) {
        snprintf(path, sizeof path, "%s/map.npy", session->folder);
        status = map_write_npy(&map, path, error);
        session->map_written = status == PW_OK;
    }
    map_free(&map);
    return status;
}

/* Computes the map of a result and sends it. */
static void map_send(struct session *session, const struct job *job, struct map_facts facts)
{
    struct blob *blob = NULL;
    pw_error error = {""};
    pthread_mutex_lock(&session->files);
    pw_status status = map_of(session, job, &facts, &blob, &error);
    pthread_mutex_unlock(&session->files);
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

static struct quick_task job_task(struct session *session, const struct job *job)
{
    return (struct quick_task){.name = session->document.file,
                               .text = job->text,
                               .plan_revision = job->plan_revision,
                               .width = job->width,
                               .height = job->height,
                               .largest_permittivity = job->largest_permittivity,
                               .choices = &session->choices,
                               .plan = &session->quick_plan};
}

static pw_status full_solve(struct session *session, const struct job *job, const struct solve_task *task,
                            pw_error *error)
{
    char path[SESSION_PATH];
    struct solved solved;
    snprintf(path, sizeof path, "%s/%u.h5", session->folder, ++session->result_number);
    TRY(solve_full(task, path, &solved, error));
    solved.revision = job->revision;
    pthread_mutex_lock(&session->files);
    solved_close(&session->full);
    session->full = solved;
    pthread_mutex_unlock(&session->files);
    return PW_OK;
}

static void solve_job(struct session *session, const struct job *job, bool full)
{
    pw_error error = {""};
    struct watch watch = {session, job->revision, full ? "full" : "preview", !full};
    const struct solve_task task = {.of = job_task(session, job),
                                    .compute = &session->compute,
                                    .files = &session->files,
                                    .go_on = watch_tell,
                                    .user = &watch};
    pw_status status = full ? full_solve(session, job, &task, &error)
                            : previews_update(&session->previews, &task, job->revision, &error);
    if (status == PW_OK) {
        map_send(session, job, full ? facts_full(session) : facts_preview(session));
    } else if (status != PW_INTERRUPTED) {
        tell_failure(session, job, watch.stage, &error);
    }
}

/* The newest result that can show the quantity. */
static void map_job(struct session *session, const struct job *job)
{
    bool full = session->full.result != NULL, preview = session->previews.whole && has_preview(job->view.quantity) &&
                                                        (!full || session->previews.revision > session->full.revision);
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
    struct watch watch = {session, job->revision, "report", false};
    pw_report_options options = pw_report_options_default();
    options.monitor = (pw_monitor){monitor_watch, &watch};
    snprintf(path, sizeof path, "%s/report.html", session->folder);
    pthread_mutex_lock(&session->files);
    if (session->full.result != NULL && session->report_revision == session->full.revision) {
        status = PW_OK; /* it is there */
    } else if (session->full.result != NULL) {
        status = pw_report_write(session->full.result, &options, path, NULL, &error);
        session->report_revision = status == PW_OK ? session->full.revision : session->report_revision;
    }
    pthread_mutex_unlock(&session->files);
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
    bool show = has_preview(session->view.quantity);
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
    double frame_due = clock_seconds() + job->wait;
    pthread_mutex_lock(&session->lock);
    while (!job_choose(session, job)) {
        if (!told) {
            session_tell_progress(session, "idle", 1, 0);
            told = true;
        }
        wait_for_work(session, film_runs(session) ? job->wait : HUGE_VAL);
        job->wait = fmax(0, frame_due - clock_seconds());
    }
    free(job->text);
    job->text = strdup(document_text(&session->document));
    job->revision = session->document.revision;
    job->plan_revision = session->document.plan_revision;
    job->width = session->document.plan.width;
    job->height = session->document.plan.height;
    job->largest_permittivity = document_largest_permittivity(&session->document);
    job->view = session->view;
    job->wave = session->wave;
    job->wave_transmitter = document_transmitter(&session->document, session->wave.transmitter);
    pthread_mutex_unlock(&session->lock);
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
        } else {
            wave_job(session, &job);
        }
    }
    free(job.text);
    film_end(&session->film);
    quick_plan_free(&session->quick_plan);
    free(session->choices.transport);
    return NULL;
}
