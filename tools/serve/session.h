/* A session: one document, the windows that look at it, and one thread that solves for them. What the windows ask
 * changes the document at once; the thread follows with a preview, then with the full solve, and always takes the
 * newest version. */
#pragma once

#include "serve/clients.h"
#include "serve/document/describe.h"

#include <pthread.h>

enum { SESSION_PATH = 256, REPORTS_MOST = 32 /* that wait for their answer */ };

/* The film of the wave; the worker's own. */
struct film {
    pw_scenario *scenario;
    pw_setup *setup;           /* NULL: to be made */
    pw_simulation *simulation; /* NULL: to be begun */
    uint32_t revision;
    char transmitter[PW_NAME_SIZE];
    double *field; /* (ny, nx), owned */
    double peak;   /* V/m, largest so far */
    double due;    /* s of the clock: when the next frame is */
};

/* The result of the last full solve. */
struct full {
    pw_result *result; /* NULL: none */
    char path[SESSION_PATH];
    uint32_t revision;
    double seconds, error_db;
};

/* Who asked for the report: the number of the client, and the id of its message (-1: none). */
struct report_ask {
    int client, id;
};

/* Who asked which walls decide at a place. Of every client at most the newest question is there. */
struct walls_ask {
    int client, id;
    struct place at;
    char transmitter[PW_NAME_SIZE];
};

struct session {
    pthread_mutex_t lock; /* of the document, view, wave, what is asked and what was sent last */
    pthread_cond_t asked;
    struct document document;
    struct live_view view;
    struct live_wave wave;
    bool preview_asked, full_asked, map_asked, quit, closed;
    char rescue[FILE_NAME_SIZE]; /* the file that unsaved changes are kept in; "": none */
    int dragger;                 /* number of the client whose drag goes on */
    struct report_ask reports[REPORTS_MOST];
    int report_count;
    struct walls_ask walls[CLIENTS_MOST];
    int walls_count, walls_client;                  /* that wait; whose is being answered, 0: nobody's */
    atomic_bool walls_stopped;                      /* the one that is being answered is wanted no more */
    struct blob *last_plan, *last_map, *last_floor; /* for who comes later; NULL: none yet */
    uint32_t plan_sequence;
    struct blob *drawing; /* what lies under the plan, PNG; NULL: nothing. It stays as it is */

    /* Under pw_hdf5_lock(), which is never waited for with `lock` held. */
    struct full full;
    uint32_t report_revision; /* of the report in the folder; 0: none */
    uint32_t floor_revision;  /* of the floor that was told; 0: none */
    bool map_written;         /* map.npy is in the folder */

    struct clients *clients;
    pw_compute compute;
    char folder[SESSION_PATH - 32]; /* of results, gone at the end */
    int folder_lock;
    pw_previews *previews; /* the worker's own, and what follows */
    pw_preview_facts preview_facts;
    uint32_t preview_revision; /* 0: there is none */
    uint32_t map_sequence, wave_sequence, result_number;
    struct film film;
    atomic_uint latest, settled; /* revision of the document, and of its last version that is no drag's */
    atomic_bool ended;           /* the worker's work is wanted no more */
    pthread_t worker;
    bool working; /* the worker was begun */
};

struct session_options {
    const char *path;
    const char *const *overrides; /* (override_count) */
    size_t override_count;
    pw_compute compute;
    const char *drawing; /* a scenario whose drawing lies under the plan; NULL: its own */
};

/* Opens the document and starts the worker. `send` hands a blob to a connection. */
pw_status session_create(const struct session_options *options, client_send send, struct session **session,
                         pw_error *error);
/* Ends the worker; there must be no client any more. NULL is allowed. */
void session_free(struct session *session);

/* A window comes: it is told everything. NULL: there are too many. */
struct client *session_join(struct session *session, void *connection);
/* After client_leave(): the client of this number is gone. */
void session_left(struct session *session, int number);
/* Does what a message asks, and answers. */
void session_hear(struct session *session, struct client *client, const char *text, size_t length);

/* The document as a file would have it; NULL: no memory. The caller frees it. */
char *session_scenario_text(struct session *session);
/* Path of a file of the session's folder, "map.npy" or "report.html"; false: it is not there yet. */
bool session_file(struct session *session, const char *name, char path[SESSION_PATH]);
/* Hears no more, and stops the worker, without waiting for it. Changes that were not saved lie beside the original in
 * a file of their own, whose name goes to `name`; "": there are none. */
pw_status session_close(struct session *session, char name[FILE_NAME_SIZE], pw_error *error);

/* ---- for the parts of the session ---- */

/* worker.c: the thread; and the end of a full result, under pw_hdf5_lock(). */
void *session_work(void *session);
void full_close(struct full *full);
/* film.c: sends a frame, and says how long it is until the next [s]. The lock is not held. */
struct film_frame {
    pw_preview_task task;
    uint32_t revision;
    int transmitter; /* index */
    struct live_wave wave;
};
pw_status film_step(struct session *session, const struct film_frame *wanted, double *wait, pw_error *error);
void film_stop(struct film *film);

/* tell.c: news to all windows; the lock is held where state is told. */
void session_tell_state(struct session *session);
void session_tell_plan(struct session *session);
void session_tell_progress(struct session *session, const char *stage, double done, double seconds_left);

/* The plan as indices of materials at points; the lock is held. */
struct blob *session_plan_frame(struct session *session);

/* walls.c. Takes the question of a client, which the worker answers, or refuses it. The lock is held, and of the
 * second, which takes back what a client has asked. */
struct blob *walls_hear(struct session *session, int client, const struct message *message);
void walls_stop(struct session *session, int client, const char *why);
/* Answers one question of the document `text`; `watch` as pw_scenario_watch has it. */
struct walls_work {
    const char *text;
    uint32_t revision;
    struct walls_ask ask;
    pw_monitor monitor;
    bool (*go_on)(void *user);
};
void walls_answer(struct session *session, const struct walls_work *work);

/* Answers at once to what is asked of the last full result: channel.c, and mimo.c. They wait no longer for it. */
static const double CHANNEL_PATIENCE = 0.06 /* s */;
struct blob *session_channel(struct session *session, const struct message *message);
struct blob *session_mimo(struct session *session, const struct message *message);

/* {"type": "refused", ...} */
struct blob *refusal(int id, const char *text);
