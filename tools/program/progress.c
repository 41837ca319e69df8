/* Progress and interruption. The flag below and its time are the globals of the program: a signal handler can reach
 * nothing else. */
#include "program/progress.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double LINE_SECONDS = 5.0, JSON_SECONDS = 0.9;
/* A signal that comes again so soon is the same one: `timeout` and schedulers send it to a process and to its group. */
static const double SAME_SECONDS = 1.0;
static volatile sig_atomic_t interrupted = 0;
static double interrupted_at; /* this and the next: the first signal, for the handler alone */
static int interrupted_by;
/* What asks for an end: Ctrl-C, schedulers, a terminal that was closed, processor time that is used up. */
static const int ENDS[] = {SIGINT, SIGTERM, SIGUSR1, SIGHUP, SIGXCPU};

/* The first signal asks for an end; the same one, when it comes again later, has it at once. */
static void note_signal(int signal_number)
{
    const double now = progress_seconds();
    if (interrupted == 0) {
        interrupted_at = now;
        interrupted_by = signal_number;
        interrupted = 1;
    } else if (signal_number == interrupted_by && now - interrupted_at > SAME_SECONDS) {
        signal(signal_number, SIG_DFL);
        raise(signal_number);
    }
}

pw_status progress_catch_signals(void)
{
    struct sigaction action = {.sa_handler = note_signal}, before;
    const size_t count = sizeof ENDS / sizeof ENDS[0];
    sigemptyset(&action.sa_mask);
    for (size_t s = 0; s < count; s++) {
        sigaddset(&action.sa_mask, ENDS[s]);
    }
    for (size_t s = 0; s < count; s++) {
        /* nohup has a hangup ignored, and so it stays */
        if (sigaction(ENDS[s], NULL, &before) != 0 ||
            ((ENDS[s] != SIGHUP || before.sa_handler != SIG_IGN) && sigaction(ENDS[s], &action, NULL) != 0)) {
            complain("cannot watch for signal %d: %s", ENDS[s], strerror(errno));
            return PW_NO_RESOURCE;
        }
    }
    return PW_OK;
}

bool progress_interrupted(void)
{
    return interrupted != 0;
}

double progress_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* "43 %  166.2 ns  1240 Mcells/s  -23.4 dB left  12 s to go" */
static void describe(const pw_progress *progress, double done, char *text, size_t size)
{
    char simulated[32], left[32], which[64] = "";
    if (progress->transmitter_count > 1) {
        int first = progress->transmitter + 1, last = progress->transmitter + progress->transmitters_together;
        if (last > first) {
            snprintf(which, sizeof which, "transmitters %d to %d of %d  ", first, last, progress->transmitter_count);
        } else {
            snprintf(which, sizeof which, "transmitter %d of %d  ", first, progress->transmitter_count);
        }
    }
    bool giga = progress->cells_per_second >= 1e10;
    snprintf(text, size, "%3.0f %%  %s%s  %.0f %s  energy %.1f dB  %s to go", 100.0 * done, which,
             format_si(progress->simulated_time, "s", simulated, sizeof simulated),
             progress->cells_per_second / (giga ? 1e9 : 1e6), giga ? "Gcells/s" : "Mcells/s", progress->energy_db,
             format_seconds(progress->seconds_left, left, sizeof left));
}

static void print_json(const pw_progress *progress, double done)
{
    printf("{\"event\": \"progress\", \"done\": %.4f, \"transmitter\": %d, \"transmitters\": %d, \"step\": %lld, "
           "\"steps\": %lld, \"simulated_time\": %.6g, \"cells_per_second\": %.4g, ",
           done, progress->transmitter + 1, progress->transmitter_count, (long long)progress->step,
           (long long)progress->steps, progress->simulated_time, progress->cells_per_second);
    /* JSON knows neither NaN nor infinity. */
    if (isfinite(progress->energy_db)) {
        printf("\"energy_db\": %.2f, ", progress->energy_db);
    }
    printf("\"seconds_left\": %.1f}\n", isfinite(progress->seconds_left) ? progress->seconds_left : 0.0);
    fflush(stdout);
}

bool progress_show(const pw_progress *progress, void *user)
{
    struct progress_view *view = user;
    char text[160];
    double now = progress_seconds(), age = now - view->last_shown;
    double part = progress->steps > 0 ? (double)progress->step / (double)progress->steps : 0.0;
    view->done =
        (progress->transmitter + part * progress->transmitters_together) / fmax(progress->transmitter_count, 1.0);
    switch (view->style) {
    case PROGRESS_TERMINAL:
        describe(progress, view->done, text, sizeof text);
        fprintf(stderr, "\r\033[K%s", text);
        fflush(stderr);
        view->line_open = true;
        break;
    case PROGRESS_LINES:
        /* The first line comes after one interval, so that short runs stay silent. */
        if (view->last_shown <= 0.0) {
            view->last_shown = now;
        } else if (age >= LINE_SECONDS) {
            describe(progress, view->done, text, sizeof text);
            fprintf(stderr, "%s\n", text);
            view->last_shown = now;
        }
        break;
    case PROGRESS_JSON:
        if (age >= JSON_SECONDS) {
            print_json(progress, view->done);
            view->last_shown = now;
        }
        break;
    case PROGRESS_NONE:
        break;
    }
    return interrupted == 0;
}

/* "42 %  3 min to go", in place of the line before on a terminal; at the very beginning the share alone, because the
 * time of making ready, told as a rate, was days to go. */
static void share_print(double done, double seconds, bool terminal)
{
    char left[32];
    const bool tells = done >= 0.005;
    fprintf(stderr, "%s%3.0f %%%s%s%s%s", terminal ? "\r\033[K" : "", 100.0 * done, tells ? "  " : "",
            tells ? format_seconds(seconds, left, sizeof left) : "", tells ? " to go" : "", terminal ? "" : "\n");
    fflush(stderr);
}

static void line_end(bool *open)
{
    if (*open) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
        *open = false;
    }
}

bool progress_part(double done, void *user)
{
    struct progress_view *view = user;
    double now = progress_seconds();
    view->begun = view->begun > 0.0 ? view->begun : now;
    view->last_shown = view->last_shown > 0.0 ? view->last_shown : now;
    double age = now - view->last_shown, took = now - view->begun;
    bool terminal = view->style == PROGRESS_TERMINAL;
    view->done = done;
    if (done > 0.0 && ((terminal && age >= 0.2) || (view->style == PROGRESS_LINES && age >= LINE_SECONDS))) {
        share_print(done, took / done - took, terminal);
        view->last_shown = now;
        view->line_open = terminal;
    }
    return interrupted == 0;
}

void progress_end(struct progress_view *view)
{
    line_end(&view->line_open);
}

/* ---- work that is told of by its share ---- */

bool work_show(double done, void *user)
{
    struct work_view *view = user;
    bool terminal = isatty(STDERR_FILENO);
    double now = progress_seconds(), every = terminal ? 0.5 : 10.0;
    if (view->shown <= 0.0) { /* short work stays silent */
        view->shown = now;
    }
    if (!view->silent && done > 0.0 && now - view->shown >= every) {
        share_print(done, (now - view->started) * (1.0 - done) / done, terminal);
        view->shown = now;
        view->line_open = terminal;
    }
    return interrupted == 0;
}

void work_end(struct work_view *view)
{
    line_end(&view->line_open);
}
