/* A session: one document, the windows that look at it, and one thread that solves for them. What the windows ask
 * changes the document at once; the thread follows with a preview, then with the full solve, and always takes the
 * newest version. */
#ifndef LIVE_SESSION_H
#define LIVE_SESSION_H

#include "api/simulation.h"
#include "serve/clients.h"
#include "serve/document/describe.h"
#include "serve/solve/previews.h"

enum { SESSION_PATH = 256, REPORTS_MOST = 32 /* that wait for their answer */ };

/* The film of the wave; the worker's own. */
struct film {
    struct quick_plan plan;
    struct quick quick;
    pw_simulation *simulation; /* NULL: to be begun */
    uint32_t revision;
    char transmitter[NAME_SIZE];
    double *field; /* (ny, nx), owned */
    double peak;   /* V/m, largest so far */
    double due;    /* s of the clock: when the next frame is */
};

/* Who asked for the report: the number of the client, and the id of its message (-1: none). */
struct report_ask {
    int client, id;
};

struct session {
    pthread_mutex_t lock; /* of the document, view, wave, what is asked and what was sent last */
    pthread_cond_t asked;
    struct document document;
    struct live_view view;
    struct live_wave wave;
    bool preview_asked, full_asked, map_asked, quit;
    int dragger; /* number of the client whose drag goes on */
    struct report_ask reports[REPORTS_MOST];
    int report_count;
    struct blob *last_plan, *last_map; /* for who comes later; NULL: none yet */
    uint32_t plan_sequence;

    pthread_mutex_t files; /* of HDF5, and of what follows; never waited for with `lock` held */
    struct solved full;
    struct previews previews;
    uint32_t report_revision; /* of the report in the folder; 0: none */
    bool map_written;         /* map.npy is in the folder */

    struct clients *clients;
    pw_compute compute;
    char folder[SESSION_PATH - 32]; /* of results, gone at the end */
    int folder_lock;
    struct solve_choices choices; /* the worker's own, and the next too */
    struct quick_plan quick_plan;
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
};

/* Opens the document and starts the worker. `send` hands a blob to a connection. */
pw_status session_create(const struct session_options *options, client_send send, struct session **session,
                         pw_error *error);
/* Ends the worker; there must be no client any more. NULL is allowed. */
void session_free(struct session *session);

/* A window comes: it is told everything. NULL: there are too many. */
struct client *session_join(struct session *session, void *connection);
void session_leave(struct session *session, struct client *client);
/* Does what a message asks, and answers. */
void session_hear(struct session *session, struct client *client, const char *text, size_t length);

/* The document as a file would have it; NULL: no memory. The caller frees it. */
char *session_scenario_text(struct session *session);
/* Path of a file of the session's folder, "map.npy" or "report.html"; false: it is not there yet. */
bool session_file(struct session *session, const char *name, char path[SESSION_PATH]);
/* Saves unsaved changes beside the original under a name of their own, which goes to `name`; false: there are none, or
 * *status says why not. */
bool session_rescue(struct session *session, char name[FILE_NAME_SIZE], pw_status *status, pw_error *error);

/* ---- for the parts of the session ---- */

/* worker.c: the thread. */
void *session_work(void *session);
/* film.c: sends a frame, and says how long it is until the next [s]. The lock is not held. */
struct film_frame {
    struct quick_task task;
    uint32_t revision;
    int transmitter; /* index */
    struct live_wave wave;
};
pw_status film_step(struct session *session, const struct film_frame *wanted, double *wait, pw_error *error);
void film_end(struct film *film);

/* tell.c: news to all windows; the lock is held where state is told. */
void session_tell_state(struct session *session);
void session_tell_plan(struct session *session);
void session_tell_progress(struct session *session, const char *stage, double done, double seconds_left);

/* The plan as indices of materials at points; the lock is held. */
struct blob *session_plan_frame(struct session *session);

/* channel.c: the answer to a message `channel`. */
struct blob *session_channel(struct session *session, const struct message *message);

/* {"type": "refused", ...} */
struct blob *refusal(int id, const char *text);

#endif
