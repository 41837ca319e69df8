/* Pictures through gnuplot (api/plot.h), and what of it is for the library alone. */
#ifndef PLOT_H
#define PLOT_H

#include "api/plot.h"
#include "base/status.h"

#define plot_open    pw_plot_open
#define plot_send    pw_plot_send
#define plot_quote   pw_plot_quote
#define plot_data    pw_plot_data
#define plot_finish  pw_plot_finish
#define plot_abandon pw_plot_abandon

/* True for names that end in .png, .svg or .pdf, in either case. */
bool plot_is_picture(const char *path);

/* A drawing laid out for width/scale by height/scale pixels, with texts, marks and lines `scale` times as large; SVG
 * and PDF stay as laid out. */
pw_status plot_open_scaled(const char *path, int width, int height, double scale, struct plot **plot, pw_error *error);

/* Renders a picture and removes it again: for work of hours that ends in `path`, so that a missing gnuplot or folder
 * shows before it. An existing picture is not touched. */
pw_status plot_try(const char *path, pw_error *error);

#endif
