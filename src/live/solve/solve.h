/* One solve of a session's scenario into a result file: the full one, which is what `planwave run` does with the same
 * text, or of one transmitter, quick. */
#ifndef LIVE_SOLVE_H
#define LIVE_SOLVE_H

#include "live/solve/quick.h"
#include "result/result.h"

#include <pthread.h>

struct solve_task {
    struct quick_task of;
    const char *backend;
    int threads;
    pthread_mutex_t *files; /* held while HDF5 is at work */
    bool (*go_on)(double done, double seconds_left, void *user);
    void *user;
};

/* A result that is open. */
struct solved {
    pw_result *result; /* NULL: none */
    char path[256];
    uint32_t revision;
    double seconds, error_db;
};

/* Sets up, solves, writes into the file `path` and opens it. PW_INTERRUPTED when go_on() says so. */
pw_status solve_full(const struct solve_task *task, const char *path, struct solved *solved, pw_error *error);

/* The same of a set-up that there is; the task is `part` of `parts`, for its progress. */
struct solve_part {
    int part, parts;
};
pw_status solve_setup(const struct solve_task *task, const struct setup *setup, const char *path,
                      struct solve_part part, struct solved *solved, pw_error *error);

/* Closes the result and removes its file; the caller holds the lock of files. */
void solved_close(struct solved *solved);

#endif
