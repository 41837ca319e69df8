/* Pictures through gnuplot: a script is collected together with binary data files, rendered under a temporary name in
 * the folder of the target, and renamed when it is complete. The ending of the name decides: .svg, .pdf, .gif (a film
 * of all plots), and PNG for every other. No shell is involved and the user's own gnuplot settings are ignored.
 *
 *     pw_plot *plot;
 *     PW_TRY(pw_plot_open("map.png", 1200, 900, &plot, error));
 *     const char *data = pw_plot_data(plot, values, count * sizeof *values);
 *     pw_plot_send(plot, "set title %s\n", pw_plot_quote(plot, title));
 *     pw_plot_send(plot, "plot %s binary array=(%d,%d) format='%%float64' with image notitle\n", data, nx, ny);
 *     return pw_plot_finish(plot, error);
 *
 * Failures on the way are remembered and reported by pw_plot_finish, so that calls in between need no checks. */
#ifndef PLANWAVE_PLOT_H
#define PLANWAVE_PLOT_H

#include "api/base.h"

PW_C_BEGIN

typedef struct plot pw_plot;

/* A canvas of width by height pixels (PDF: 1/96 inch): white, sans serif, UTF-8, no markup in texts (say `enhanced`
 * where it is wanted). PW_BAD_INPUT for an empty path or a folder that is not there; PW_NO_RESOURCE when it cannot be
 * written to. */
pw_status pw_plot_open(const char *path, int width, int height, pw_plot **plot, pw_error *error);

/* Adds to the gnuplot script; texts that come from a user go through pw_plot_quote, never in bare. */
__attribute__((format(printf, 2, 3))) void pw_plot_send(pw_plot *plot, const char *format, ...);

/* `text` as a gnuplot string with its quotes; control characters become blanks. Owned by the plot. */
const char *pw_plot_quote(pw_plot *plot, const char *text);

/* The same of at most so many `pixels`, in letters of `points`: what is longer ends with an ellipsis. The width of a
 * text is reckoned, and rather too large. */
const char *pw_plot_quote_within(pw_plot *plot, const char *text, double points, double pixels);
double pw_plot_text_width(const char *text, double points);

/* Stores `bytes` of data in a file for `plot FILE binary ...`; returns its name as a gnuplot string. Owned by the plot.
 */
const char *pw_plot_data(pw_plot *plot, const void *data, size_t bytes);

/* The colour of curve n of several, "#rrggbb": they come round after seven. */
const char *pw_plot_colour(size_t curve);

/* Renders and frees the plot, also on failure, which leaves an existing picture untouched. PW_NO_RESOURCE: gnuplot is
 * missing (says what to install), it failed (its first complaint is quoted), or the disk is full. */
pw_status pw_plot_finish(pw_plot *plot, pw_error *error);

/* Frees without rendering. NULL is allowed. */
void pw_plot_abandon(pw_plot *plot);

PW_C_END

#endif
