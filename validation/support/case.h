/* What every validation program shares: its name, the law it checks, figures against gates with one line each, plots
 * through gnuplot and its section of the report. Solving is tests/support/solve.h; the physics is in the programs.
 *
 * A program is called as `program BACKEND FOLDER [quick]`: it prints its lines, writes FOLDER/NAME.md and
 * FOLDER/plots/NAME*.png, and exits with 1 when a figure misses its gate. */
#ifndef CASE_H
#define CASE_H

#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/status.h"
#include "planwave.h"

/* Any failure of a solve ends the program with its sentence. */
#define SOLVE_CHECK(status, error) case_require(status, (error)->message)
void case_require(pw_status status, const char *message);

#include "tests/support/solve.h"

static const double SPEED_OF_LIGHT = 299792458.0; /* m/s */

struct validation {
    const char *name, *backend, *folder;
    bool quick;    /* the subset that continuous integration runs */
    FILE *section; /* of the report, Markdown */
    int gates, failures;
    double started; /* s */
};

/* `law`: a sentence or two of Markdown: what is compared with what. */
struct validation case_begin(int argc, char **argv, const char *name, const char *title, const char *law);
/* Passes when figure <= gate (and is a number). The format names the figure. */
__attribute__((format(printf, 4, 5))) void case_gate(struct validation *validation, double figure, double gate,
                                                     const char *format, ...);
/* Passes when low <= figure <= high. */
__attribute__((format(printf, 5, 6))) void case_gate_between(struct validation *validation, double figure, double low,
                                                             double high, const char *format, ...);
/* A figure that has no gate. */
__attribute__((format(printf, 3, 4))) void case_figure(struct validation *validation, double figure, const char *format,
                                                       ...);
/* Markdown as it stands. */
__attribute__((format(printf, 2, 3))) void case_text(struct validation *validation, const char *format, ...);

/* How many independent solves go side by side, for the num_threads of a parallel loop in which each has one thread
 * (solve.h). `timed`: their times are quoted, or one keeps all cores busy by itself; then only the reference, which
 * knows one thread, goes so. On a GPU a solve in single precision takes the whole device, in double a corner of it. */
int case_side_by_side(const struct validation *validation, pw_precision precision, bool timed);

/* For runs that would take plain loops too long: whether the backend and the cpu engine agree over the first tenth of
 * the steps of a scenario, in single precision, in every bit of Ez. Then the cpu's answer is the backend's. */
bool case_same_bits(const char *scenario, const char *backend);

/* A table of numbers FOLDER/NAME-suffix.dat for a plot; close it with case_close. */
FILE *case_data(const struct validation *validation, const char *suffix);
void case_close(FILE *file);
/* Runs `commands` of gnuplot, which find the tables as <prefix>-suffix.dat with the string variable `data` = <prefix>,
 * into plots/NAME-suffix.png, and shows it in the report. Without gnuplot there is a sentence instead. */
void case_plot(struct validation *validation, const char *suffix, const char *caption, const char *commands);
/* Closes the section; returns the exit status of the program. */
int case_end(struct validation *validation);

/* Grows a scenario text. */
struct text {
    char *text; /* owned */
    size_t length;
};
__attribute__((format(printf, 2, 3))) void text_add(struct text *text, const char *format, ...);

/* Spectra of the receivers over that of the current of the run, H(f) [V/m per A], at any frequencies [Hz], evaluated at
 * the warped ones or as they are (physics.md section 2): (receiver, frequency). */
void case_transfer(const struct solved *solved, int run, int count, const double *frequency, bool warp,
                   double complex *transfer);
/* Ez of a line current of 1 A at `distance` [m]: -(w mu0/4) H0^(2)(k distance), k complex allowed only real. */
double complex case_line_field(double frequency, double distance);

/* Slope of log(error) against log(x) by least squares. */
double case_slope(int count, const double *x, const double *error);

#endif
