/* Pictures through gnuplot (api/plot.h), and what of it is for the library alone. */
#pragma once

#include "api/plot.h"
#include "base/status.h"

/* A drawing laid out for width/scale by height/scale pixels, with texts, marks and lines `scale` times as large; SVG
 * and PDF stay as laid out. */
pw_status plot_open_scaled(const char *path, int width, int height, double scale, struct plot **plot, pw_error *error);
