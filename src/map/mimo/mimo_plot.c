/* Channels between arrays as a picture: of many links how capacity is distributed over them, of one its singular values
 * over frequency. */
#include "map/mimo/mimo.h"

#include "api/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 1000, HEIGHT = 640 };
static const char AXES[] = "set grid lc rgb '#d8d8d8' lt 1\nset key %s Left reverse opaque\nplot ";

static void curve_send(pw_plot *plot, const double *pairs, size_t count, const char *style, size_t colour,
                       const char *title)
{
    pw_plot_send(plot, "%s binary format='%%float64%%float64' using 1:2 with %s lw 2 lc rgb '%s' title %s, ",
                 pw_plot_data(plot, pairs, 2 * count * sizeof *pairs), style, pw_plot_colour(colour),
                 pw_plot_quote(plot, title));
}

/* Capacities, sorted, become a curve of shares; `pairs` (count + 1, 2). */
static void distribution_send(const struct mimo_links *links, pw_plot *plot, bool water, double *pairs)
{
    const size_t count = (size_t)links->count;
    for (size_t n = 0; n < count; n++) {
        const pw_mimo_metrics *metrics = &links->link[n].metrics;
        pairs[2 * n] = water ? metrics->water_capacity : metrics->capacity;
    }
    qsort(pairs, count, 2 * sizeof *pairs, pw_number_order);
    memmove(pairs + 2, pairs, 2 * count * sizeof *pairs); /* the curve begins at nought */
    for (size_t n = 0; n <= count; n++) {
        pairs[2 * n + 1] = 100.0 * (double)n / (double)count;
    }
    curve_send(plot, pairs, count + 1, "steps", water, water ? "water filling" : "the same power from every antenna");
}

static void values_send(const struct mimo_links *links, pw_plot *plot, int stream, double *pairs)
{
    char title[64];
    for (int f = 0; f < links->frequency_count; f++) {
        pairs[2 * f] = 1e-9 * links->frequency[f];
        pairs[2 * f + 1] = 20 * log10(links->values[f * links->streams + stream]);
    }
    snprintf(title, sizeof title, "singular value %d", stream + 1);
    curve_send(plot, pairs, (size_t)links->frequency_count, "lines", (size_t)stream, title);
}

pw_status mimo_plot(const struct mimo_links *links, const char *path, pw_error *error)
{
    const size_t longest = (size_t)(links->count > links->frequency_count ? links->count : links->frequency_count);
    OWNED double *pairs = allocate(longest + 1, 2 * sizeof *pairs, "a picture", error);
    TRY_MADE(pairs);
    pw_plot *plot = NULL;
    TRY(pw_plot_open(path, WIDTH, HEIGHT, &plot, error));
    if (links->count > 1) {
        pw_plot_send(plot, "set title 'Capacity of %d links'\nset xlabel 'capacity [bit/s/Hz]'\n", links->count);
        pw_plot_send(plot, "set ylabel 'at or under it [%%]'\nset yrange [0:100]\n");
        pw_plot_send(plot, AXES, "inside right bottom");
        distribution_send(links, plot, false, pairs);
        distribution_send(links, plot, true, pairs);
    } else {
        const struct mimo_link *link = links->link;
        char title[4 * PW_NAME_SIZE];
        snprintf(title, sizeof title, "Channel from %s to %s, %d x %d antennas", link->transmitter, link->receiver,
                 link->receivers, link->transmitters);
        pw_plot_send(plot, "set title %s\nset xlabel 'frequency [GHz]'\n", pw_plot_quote(plot, title));
        pw_plot_send(plot, "set ylabel 'between isotropic antennas [dB]'\n");
        pw_plot_send(plot, AXES, "outside right top");
        for (int s = 0; s < links->streams; s++) {
            values_send(links, plot, s, pairs);
        }
    }
    pw_plot_send(plot, "NaN notitle\n");
    return pw_plot_finish(plot, error);
}
