/* Pictures through gnuplot: a script is collected together with binary data files, rendered under a temporary name in
 * the folder of the target, and renamed when it is complete. The ending of the name decides: .svg, .pdf, and PNG for
 * every other. No shell is involved and the user's own gnuplot settings are ignored.
 *
 *     struct plot *plot;
 *     TRY(plot_open("map.png", 1200, 900, &plot, error));
 *     const char *data = plot_data(plot, values, count * sizeof *values);
 *     plot_send(plot, "set title %s\n", plot_quote(plot, title));
 *     plot_send(plot, "plot %s binary array=(%d,%d) format='%%float64' with image notitle\n", data, nx, ny);
 *     return plot_finish(plot, error);
 *
 * Failures on the way are remembered and reported by plot_finish, so that calls in between need no checks. */
#ifndef PLOT_H
#define PLOT_H

#include "base/status.h"

struct plot;

/* True for names that end in .png, .svg or .pdf, in either case. */
bool plot_is_picture(const char *path);

/* A canvas of width by height pixels (PDF: 1/96 inch): white, sans serif, UTF-8, no markup in texts (say `enhanced`
 * where it is wanted). PW_BAD_INPUT for an empty path or a folder that is not there; PW_NO_RESOURCE when it cannot be
 * written to. */
pw_status plot_open(const char *path, int width, int height, struct plot **plot, pw_error *error);
/* A drawing laid out for width/scale by height/scale pixels, with texts, marks and lines `scale` times as large; SVG
 * and PDF stay as laid out. */
pw_status plot_open_scaled(const char *path, int width, int height, double scale, struct plot **plot, pw_error *error);

/* Adds to the gnuplot script; texts that come from a user go through plot_quote, never in bare. */
__attribute__((format(printf, 2, 3))) void plot_send(struct plot *plot, const char *format, ...);

/* `text` as a gnuplot string with its quotes; control characters become blanks. Owned by the plot. */
const char *plot_quote(struct plot *plot, const char *text);

/* Stores `bytes` of data in a file for `plot FILE binary ...`; returns its name as a gnuplot string. Owned by the plot.
 */
const char *plot_data(struct plot *plot, const void *data, size_t bytes);

/* Renders and frees the plot, also on failure, which leaves an existing picture untouched. PW_NO_RESOURCE: gnuplot is
 * missing (says what to install), it failed (its first complaint is quoted), or the disk is full. */
pw_status plot_finish(struct plot *plot, pw_error *error);

/* Renders a picture and removes it again: for work of hours that ends in `path`, so that a missing gnuplot or folder
 * shows before it. An existing picture is not touched. */
pw_status plot_try(const char *path, pw_error *error);

/* Frees without rendering. NULL is allowed. */
void plot_abandon(struct plot *plot);

#endif
