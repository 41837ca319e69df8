/* One solve of a session's scenario into a result file: the full one, which is what `planwave run` does with the same
 * text, or a preview that is quick. */
#ifndef LIVE_SOLVE_H
#define LIVE_SOLVE_H

#include "discretize/setup.h"
#include "result/result.h"

#include <pthread.h>

/* What the last full set-up chose and forecast, which previews start from. */
struct solve_choices {
    bool known;
    struct energy_transport *transport; /* owned by the session; NULL: not known */
    uint32_t plan_revision;             /* of the plan that the forecast is of */
    double largest_permittivity;        /* relative, of the plan */
    enum scheme scheme;
    enum averaging averaging;
    double cells; /* to the slowest wavelength at the upper edge of the band */
};

/* The plan that quick set-ups hand from one to the next. */
struct quick_plan {
    uint32_t revision;
    struct setup_common common;
};
void quick_plan_free(struct quick_plan *plan);

struct solve_task {
    const char *name, *text;     /* of the scenario */
    uint32_t plan_revision;      /* the same as long as the plan is */
    double largest_permittivity; /* relative, of the plan */
    const char *path;            /* of the result */
    bool full;
    const char *backend;
    int threads;
    pthread_mutex_t *files;        /* held while HDF5 is at work */
    struct solve_choices *choices; /* read by previews, filled in by full solves */
    struct quick_plan *plan;       /* of previews */
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

/* Sets up, solves, writes and opens. PW_INTERRUPTED when go_on() says so. */
pw_status solve_run(const struct solve_task *task, struct solved *solved, pw_error *error);

/* Closes the result and removes its file; the caller holds the lock of files. */
void solved_close(struct solved *solved);

/* A scenario and its set-up, made coarse for a preview, with the transmitter `only` alone (-1: all). */
struct quick {
    struct quick_plan *plan;
    pw_scenario *scenario;
    int transmitter_count, receiver_count, lattice_receiver_count; /* that it owns */
    pw_setup *setup;
};
pw_status quick_create(const struct solve_task *task, int only, struct quick *quick, pw_error *error);
void quick_free(struct quick *quick);

#endif
