/* A session: what the windows ask, and what they are told (session.h). */
#include "serve/session.h"
#include "serve/desk.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWING_SIDE = 2400 /* pixels */ };
static const double USUAL_SPEED = 4 /* ns of the wave per second */;

/* ---- keeping what is not saved ----------------------------------------------------------------------------------- */

/* "room-unsaved.yaml", "room-unsaved-2.yaml"; a file that was called what none may be saved as is a "scenario". */
static void rescue_name(const struct document *document, int n, char name[FILE_NAME_SIZE])
{
    const char *file = strrchr(document->file, '/') + 1, *dot = strrchr(file, '.');
    int stem = dot != NULL && dot != file ? (int)(dot - file) : (int)strlen(file);
    char number[16] = "";
    snprintf(number, sizeof number, n > 1 ? "-%d" : "", n);
    snprintf(name, FILE_NAME_SIZE, "%.*s-unsaved%s.yaml", stem < 100 ? stem : 100, file, number);
    if (!document_may_be_called(name)) {
        snprintf(name, FILE_NAME_SIZE, "scenario-unsaved%s.yaml", number);
    }
}

/* After every change, so that nothing is lost however the server ends: what is not saved lies in a file beside the
 * original, which is removed once it is saved, or as it was. The lock is held. */
static pw_status rescue_keep(struct session *session, pw_error *error)
{
    struct document *document = &session->document;
    char *name = session->rescue;
    pw_status status = PW_OK;
    if (document_is_saved(document)) {
        document_remove(document, name);
        name[0] = '\0';
    } else if (name[0] != '\0') {
        status = document_write(document, name, true, error);
    } else {
        for (int n = 1; n < 100; n++) {
            rescue_name(document, n, name);
            status = document_write(document, name, false, error);
            if (status != PW_BAD_INPUT) {
                break;
            }
        }
        name[status == PW_OK ? strlen(name) : 0] = '\0';
    }
    return status;
}

/* ---- hearing ----------------------------------------------------------------------------------------------------- */

static struct blob *done_blob(const struct session *session, const struct message *message)
{
    return message->id < 0 ? NULL
                           : blob_of_text(describe_dump(json_pack("{s:s, s:i, s:I}", "type", "done", "id", message->id,
                                                                  "revision", (json_int_t)session->document.revision)));
}

static bool has_transmitter(const struct session *session, const char *name)
{
    return pw_scenario_find_transmitter(session->document.scenario, name) >= 0;
}

/* What shows a transmitter that is there no more shows another. */
static void names_follow(struct session *session)
{
    if (strcmp(session->view.transmitter, "best") != 0 && !has_transmitter(session, session->view.transmitter)) {
        snprintf(session->view.transmitter, PW_NAME_SIZE, "best");
    }
    if (!has_transmitter(session, session->wave.transmitter)) {
        snprintf(session->wave.transmitter, PW_NAME_SIZE, "%s",
                 pw_scenario_describe_transmitter(session->document.scenario, 0).name);
    }
}

static pw_status change_hear(struct session *session, const struct message *message, pw_error *error)
{
    struct document *document = &session->document;
    bool plan = edit_changes_plan(message->kind) || message->kind == MESSAGE_UNDO || message->kind == MESSAGE_REDO;
    TRY(document_apply(document, message, error));
    atomic_store(&session->latest, document->revision);
    if (!document->dragging) {
        atomic_store(&session->settled, document->revision);
        (void)rescue_keep(session, NULL); /* the end tells why not */
    }
    session->preview_asked = session->full_asked = true;
    names_follow(session);
    session_tell_state(session);
    if (plan) {
        session_tell_plan(session);
    }
    return PW_OK;
}

static pw_status view_hear(struct session *session, const struct message *message, pw_error *error)
{
    const char *name = message->transmitter;
    FAIL_IF(name[0] != '\0' && strcmp(name, "best") != 0 && !has_transmitter(session, name), error, PW_BAD_INPUT,
            "there is no transmitter '%s'", name);
    session->view.quantity = message->quantity >= 0 ? (pw_quantity)message->quantity : session->view.quantity;
    session->view.local_mean = message->local_mean >= 0 ? message->local_mean == 1 : session->view.local_mean;
    if (name[0] != '\0') {
        memcpy(session->view.transmitter, name, PW_NAME_SIZE);
    }
    session->map_asked = true;
    session_tell_state(session);
    return PW_OK;
}

static pw_status wave_hear(struct session *session, const struct message *message, pw_error *error)
{
    FAIL_IF(message->transmitter[0] != '\0' && !has_transmitter(session, message->transmitter), error, PW_BAD_INPUT,
            "there is no transmitter '%s'", message->transmitter);
    session->wave.on = message->on;
    session->wave.paused = message->paused >= 0 ? message->paused == 1 : session->wave.paused;
    session->wave.speed = isnan(message->speed) ? session->wave.speed : message->speed;
    if (message->transmitter[0] != '\0') {
        memcpy(session->wave.transmitter, message->transmitter, PW_NAME_SIZE);
    }
    session_tell_state(session);
    return PW_OK;
}

static struct blob *save_hear(struct session *session, const struct message *message)
{
    pw_error error = {""};
    if (document_save(&session->document, message->file, message->overwrite, &error) != PW_OK) {
        return refusal(message->id, error.message);
    }
    if (strcmp(message->file, session->rescue) == 0) {
        session->rescue[0] = '\0'; /* it is the user's now */
    }
    (void)rescue_keep(session, NULL);
    session_tell_state(session);
    json_t *object = json_pack("{s:s, s:s}", "type", "saved", "name", message->file);
    if (message->id >= 0 && object != NULL) {
        json_object_set_new(object, "id", json_integer(message->id));
    }
    return blob_of_text(describe_dump(object));
}

/* What a wall is, before it is changed. */
static struct blob *piece_hear(const struct session *session, const struct message *message)
{
    const struct document *document = &session->document;
    pw_wall_piece piece;
    pw_error error = {""};
    const pw_status status = pw_scenario_find_wall(document->scenario, document->plan, message->at.x, message->at.y,
                                                   message->near, &piece, &error);
    return status == PW_OK ? blob_of_text(describe_piece(message->id, &piece)) : refusal(message->id, error.message);
}

/* Answered by the worker. */
static struct blob *report_hear(struct session *session, const struct client *client, const struct message *message)
{
    if (session->report_count == REPORTS_MOST) {
        return refusal(message->id, "the report has been asked for often enough; wait for it");
    }
    session->reports[session->report_count++] = (struct report_ask){client_number(client), message->id};
    return NULL;
}

/* The lock is held. */
static struct blob *message_hear(struct session *session, const struct client *client, const struct message *message)
{
    pw_error error = {""};
    pw_status status = PW_OK;
    switch (message->kind) {
    case MESSAGE_SAVE:
        return save_hear(session, message);
    case MESSAGE_PIECE:
        return piece_hear(session, message);
    case MESSAGE_REPORT:
        return report_hear(session, client, message);
    case MESSAGE_SENSITIVITY:
        return walls_hear(session, client_number(client), message);
    case MESSAGE_STOP:
        walls_stop(session, client_number(client), "stopped");
        break;
    case MESSAGE_VIEW:
        status = view_hear(session, message, &error);
        break;
    case MESSAGE_WAVE:
        status = wave_hear(session, message, &error);
        break;
    default:
        status = change_hear(session, message, &error);
        session->dragger = status == PW_OK ? client_number(client) : session->dragger;
        break;
    }
    return status == PW_OK ? done_blob(session, message) : refusal(message->id, error.message);
}

/* With its number, so that who waits for an answer gets one. */
static void rate_refuse(struct client *client, int id)
{
    struct blob *said = refusal(id, "too many messages in a second");
    if (id >= 0) {
        client_answer(client, said);
    } else {
        client_tell(client, NEWS_REFUSAL, said);
    }
}

void session_hear(struct session *session, struct client *client, const char *text, size_t length)
{
    struct message message;
    pw_error error = {""};
    pw_status status = message_parse(text, length, &message, &error);
    if (!client_may_send(client, pw_clock())) {
        rate_refuse(client, message.id);
        return;
    }
    if (status != PW_OK) {
        client_answer(client, refusal(message.id, error.message));
        return;
    }
    if (message.kind == MESSAGE_CHANNEL || message.kind == MESSAGE_MIMO) {
        client_answer(client, message.kind == MESSAGE_MIMO ? session_mimo(session, &message)
                                                           : session_channel(session, &message));
        return;
    }
    pthread_mutex_lock(&session->lock);
    client_answer(client, session->closed ? refusal(message.id, "the server is ending")
                                          : message_hear(session, client, &message));
    pthread_cond_signal(&session->asked);
    pthread_mutex_unlock(&session->lock);
}

struct client *session_join(struct session *session, void *connection)
{
    struct client *client = client_join(session->clients, connection);
    if (client == NULL) {
        return NULL;
    }
    pthread_mutex_lock(&session->lock);
    client_answer(client, blob_of_text(describe_hello(client_number(client), session->drawing != NULL)));
    session_tell_state(session);
    client_tell(client, NEWS_PLAN, blob_hold(session->last_plan));
    client_tell(client, NEWS_FLOOR, blob_hold(session->last_floor));
    client_tell(client, NEWS_MAP, blob_hold(session->last_map));
    pthread_mutex_unlock(&session->lock);
    return client;
}

/* A drag whose window went away has ended where it was. */
void session_left(struct session *session, int number)
{
    pthread_mutex_lock(&session->lock);
    walls_stop(session, number, "gone");
    if (session->document.dragging && session->dragger == number) {
        session->document.dragging = false;
        (void)rescue_keep(session, NULL);
        atomic_store(&session->settled, session->document.revision);
        session->full_asked = true;
        pthread_cond_signal(&session->asked);
    }
    session_tell_state(session);
    pthread_mutex_unlock(&session->lock);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

char *session_scenario_text(struct session *session)
{
    char *text = NULL;
    pthread_mutex_lock(&session->lock);
    if (document_portable_text(&session->document, &text, NULL) != PW_OK) {
        text = NULL;
    }
    pthread_mutex_unlock(&session->lock);
    return text;
}

bool session_file(struct session *session, const char *name, char path[SESSION_PATH])
{
    pw_hdf5_lock(INFINITY);
    bool there = strcmp(name, "map.npy") == 0 ? session->map_written : session->report_revision > 0;
    pw_hdf5_unlock();
    snprintf(path, SESSION_PATH, "%s/%s", session->folder, name);
    return there;
}

pw_status session_close(struct session *session, char name[FILE_NAME_SIZE], pw_error *error)
{
    atomic_store(&session->ended, true);
    pthread_mutex_lock(&session->lock);
    session->closed = true;
    pw_status status = rescue_keep(session, error);
    snprintf(name, FILE_NAME_SIZE, "%s", session->rescue);
    pthread_mutex_unlock(&session->lock);
    return status;
}

/* The picture of the drawing that the plan was made from, as PNG; NULL: there is none, or it cannot be drawn. */
static struct blob *drawing_blob(const struct session_options *options)
{
    uint8_t *png = NULL;
    size_t size = 0;
    const char *path = options->drawing != NULL ? options->drawing : options->path;
    if (pw_plan_look(path, options->overrides, options->drawing != NULL ? 0 : options->override_count, DRAWING_SIDE,
                     &png, &size, NULL) != PW_OK ||
        png == NULL) {
        return NULL;
    }
    struct blob *blob = blob_create(true, png, size);
    free(png);
    return blob;
}

/* ---- beginning and end ------------------------------------------------------------------------------------------- */

static pw_status session_begin(struct session *session, const struct session_options *options, client_send send,
                               pw_error *error)
{
    session->compute = options->compute;
    session->view = (struct live_view){PW_RECEIVED_POWER, "best", true};
    session->wave = (struct live_wave){.speed = USUAL_SPEED};
    session->preview_asked = session->full_asked = true; /* the first map is there soon, and then in full */
    TRY(document_open(&session->document, options->path, options->overrides, options->override_count, error));
    atomic_store(&session->latest, session->document.revision);
    atomic_store(&session->settled, session->document.revision);
    snprintf(session->wave.transmitter, PW_NAME_SIZE, "%s",
             pw_scenario_describe_transmitter(session->document.scenario, 0).name);
    session->last_plan = session_plan_frame(session);
    session->drawing = drawing_blob(options);
    TRY(pw_previews_create(&session->compute, &session->previews, error));
    TRY(clients_create(send, &session->clients, error));
    TRY(pw_temporary_folder_make(session->folder, sizeof session->folder, &session->folder_lock, "serve", "results",
                                 error));
    session->working = thread_begin(&session->worker, session_work, session);
    return session->working ? PW_OK : fail(error, PW_NO_RESOURCE, "cannot begin a thread: %s", strerror(errno));
}

pw_status session_create(const struct session_options *options, client_send send, struct session **session,
                         pw_error *error)
{
    struct session *made = allocate(1, sizeof *made, "the session", error);
    TRY_MADE(made);
    made->folder_lock = -1;
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->asked, NULL);
    pw_status status = session_begin(made, options, send, error);
    if (status != PW_OK) {
        session_free(made);
        return status;
    }
    *session = made;
    return PW_OK;
}

void session_free(struct session *session)
{
    if (session == NULL) {
        return;
    }
    atomic_store(&session->ended, true);
    pthread_mutex_lock(&session->lock);
    session->quit = true;
    pthread_cond_signal(&session->asked);
    pthread_mutex_unlock(&session->lock);
    if (session->working) {
        pthread_join(session->worker, NULL);
    }
    pw_previews_free(session->previews);
    full_close(&session->full);
    pw_temporary_folder_remove(session->folder, &session->folder_lock);
    blob_release(session->drawing);
    blob_release(session->last_plan);
    blob_release(session->last_map);
    blob_release(session->last_floor);
    clients_free(session->clients);
    document_close(&session->document);
    pthread_cond_destroy(&session->asked);
    pthread_mutex_destroy(&session->lock);
    free(session);
}
