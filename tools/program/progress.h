/* Showing how far a run is: one line that renews itself on a terminal, a line now and then elsewhere, JSON for scripts.
 */
#pragma once

#include "program/tool.h"

enum progress_style { PROGRESS_NONE, PROGRESS_TERMINAL, PROGRESS_LINES, PROGRESS_JSON };

struct progress_view {
    enum progress_style style;
    double last_shown; /* s, monotonic; 0: not yet */
    bool line_open;    /* the terminal's line has not been ended */
    double done;       /* part of the run, 0..1 */
    double begun;      /* s, monotonic, of progress_part; 0: not yet */
};

/* A pw_progress_function; `user` is a struct progress_view. Returns false once a signal has asked to stop. */
bool progress_show(const pw_progress *progress, void *user);
/* The `tell` of a pw_monitor for work of minutes; `user` and the return as above. */
bool progress_part(double done, void *user);
/* Clears the terminal's line. */
void progress_end(struct progress_view *view);

/* Long work that tells of itself through a pw_monitor, on stderr: one line that renews itself on a terminal, a line
 * every ten seconds elsewhere. */
struct work_view {
    double started; /* s, monotonic */
    double shown;
    bool silent, line_open;
};
/* A function of a monitor, whose `user` is a struct work_view. False once a signal has asked to stop. */
bool work_show(double done, void *user);
void work_end(struct work_view *view);
double progress_seconds(void); /* s, monotonic */

/* From here on SIGINT, SIGTERM, SIGUSR1, SIGHUP and SIGXCPU ask progress_show to stop; a second one ends the program at
 * once. */
pw_status progress_catch_signals(void);
bool progress_interrupted(void);
