/* One solve of a session's scenario: the full one into a result file, which is what `planwave run` does with the same
 * text, or of one transmitter, quick and in memory. */
#ifndef LIVE_SOLVE_H
#define LIVE_SOLVE_H

#include "api/backend.h"
#include "result/result.h"
#include "serve/solve/quick.h"

#include <pthread.h>

struct solve_task {
    struct quick_task of;
    const pw_compute *compute;
    pthread_mutex_t *files; /* held while HDF5 is at work */
    bool (*go_on)(double done, double seconds_left, void *user);
    void *user;
};

/* A result that is open. */
struct solved {
    pw_result *result; /* NULL: none */
    char path[256];    /* "": it is in memory */
    uint32_t revision;
    double seconds, error_db;
};

/* Sets up, solves, writes into the file `path` and opens it. PW_INTERRUPTED when go_on() says so. */
pw_status solve_full(const struct solve_task *task, const char *path, struct solved *solved, pw_error *error);

/* Solves the one transmitter of a set-up that there is, and keeps the result in memory, which saves a file's time; the
 * task is `part` of `parts`, for its progress. */
struct solve_part {
    int part, parts;
};
pw_status solve_in_memory(const struct solve_task *task, const struct setup *setup, struct solve_part part,
                          struct solved *solved, pw_error *error);

/* Closes the result and removes its file, if it has one; the caller holds the lock of files. */
void solved_close(struct solved *solved);

#endif
