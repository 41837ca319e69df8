/* A walk as a picture: |H| over time and frequency, blockage, and the Doppler spectrogram of one link. */
#include "walk/walk_write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 1000, TITLE = 25, PANEL = 375 };
static const double DEPTH = 40; /* dB of colours under the largest value */

/* dB of a power, (rows, columns), and the largest. */
struct levels {
    float *value;
    double most;
    int rows, columns;
};

static void level_set(struct levels *levels, size_t at, double power)
{
    levels->value[at] = (float)(10 * log10(fmax(power, 1e-30)));
    levels->most = fmax(levels->most, (double)levels->value[at]);
}

static pw_status waterfall(const struct walk *walk, size_t link, struct levels *levels, pw_error *error)
{
    *levels = (struct levels){.most = -300, .rows = walk->frequencies, .columns = walk->poses};
    levels->value =
        allocate((size_t)walk->poses * (size_t)walk->frequencies, sizeof *levels->value, "a picture", error);
    TRY_MADE(levels->value);
    for (int f = 0; f < walk->frequencies; f++) {
        for (int n = 0; n < walk->poses; n++) {
            const size_t from = ((size_t)n * (size_t)walk->frequencies + (size_t)f) * walk_links(walk) + link;
            level_set(levels, (size_t)f * (size_t)walk->poses + (size_t)n, pow(cabsf(walk->csi[from]), 2));
        }
    }
    return PW_OK;
}

static pw_status spectrogram(const struct walk *walk, const struct doppler *doppler, size_t link, struct levels *levels,
                             pw_error *error)
{
    *levels = (struct levels){.most = -300, .rows = doppler->bins, .columns = doppler->windows};
    levels->value =
        allocate((size_t)doppler->windows * (size_t)doppler->bins, sizeof *levels->value, "a picture", error);
    TRY_MADE(levels->value);
    for (int bin = 0; bin < doppler->bins; bin++) {
        for (int n = 0; n < doppler->windows; n++) {
            const size_t from = ((size_t)n * (size_t)doppler->bins + (size_t)bin) * walk_links(walk) + link;
            level_set(levels, (size_t)bin * (size_t)doppler->windows + (size_t)n, doppler->power[from]);
        }
    }
    return PW_OK;
}

/* `first` and `step` of both axes. */
static void send_image(pw_plot *plot, const struct levels *levels, const double first[2], const double step[2])
{
    const char *data =
        pw_plot_data(plot, levels->value, (size_t)levels->rows * (size_t)levels->columns * sizeof *levels->value);
    pw_plot_send(plot, "set cbrange [%.9g:%.9g]\n", levels->most - DEPTH, levels->most);
    pw_plot_send(plot,
                 "plot %s binary array=(%d,%d) format='%%float32' origin=(%.9g,%.15g) dx=%.9g dy=%.9g with image\n",
                 data, levels->columns, levels->rows, first[0], first[1], step[0], step[1]);
}

static void send_blockage(pw_plot *plot, const struct walk *walk, size_t link, double *series)
{
    for (int n = 0; n < walk->poses; n++) {
        series[2 * n] = n / walk->rate;
        series[2 * n + 1] = walk->blockage[(size_t)n * walk_links(walk) + link];
    }
    const char *data = pw_plot_data(plot, series, 2 * (size_t)walk->poses * sizeof *series);
    pw_plot_send(plot, "set ylabel 'blockage [dB]'\nset grid y\n");
    pw_plot_send(plot,
                 "plot %s binary record=(%d) format='%%float64%%float64' using 1:2 with %s lw 1.5 lc rgb %s\n"
                 "unset grid\n",
                 data, walk->poses, walk->poses > 1 ? "lines" : "points pt 7", "'#0072b2'");
}

/* Short walks have no Doppler spectra. */
static int panels_of(const struct doppler *doppler)
{
    return doppler->windows > 1 ? 3 : 2;
}

static void send_head(pw_plot *plot, const struct walk *walk, size_t link, int panels)
{
    char title[3 * PW_NAME_SIZE], speed[PW_NUMBER_SIZE];
    snprintf(title, sizeof title, "%s to %s, %d person%s at %s m/s", walk->name[link % (size_t)walk->transmitters],
             walk->name[(size_t)walk->transmitters + link / (size_t)walk->transmitters], walk->persons,
             walk->persons > 1 ? "s" : "", pw_number_text(walk->speed, 3, speed));
    pw_plot_send(plot, "set multiplot layout %d,1 title %s\n", panels,
                 pw_plot_quote_within(plot, title, 12, WIDTH - 40));
    pw_plot_send(plot, "set key off\nset tics out nomirror\nset lmargin at screen 0.1\nset rmargin at screen 0.85\nset "
                       "palette defined (0 "
                       "'#440154', 1 '#31688e', 2 '#35b779', 3 '#fde725')\n");
    pw_plot_send(plot, "set xrange [0:%.9g]\nset xlabel 'time [s]'\n", fmax(walk->poses - 1, 1) / walk->rate);
}

pw_status walk_write_picture(const struct walk *walk, const struct doppler *doppler, size_t link, const char *path,
                             pw_error *error)
{
    struct levels fall = {0}, shift = {0};
    pw_plot *plot = NULL;
    double *series = allocate(2 * (size_t)walk->poses, sizeof *series, "a picture", error);
    pw_status status = series == NULL ? PW_NO_RESOURCE : waterfall(walk, link, &fall, error);
    THEN(status, spectrogram(walk, doppler, link, &shift, error));
    THEN(status, pw_plot_open(path, WIDTH, TITLE + panels_of(doppler) * PANEL, &plot, error));
    if (status == PW_OK) {
        const double megahertz = 1e-6, last = walk->frequency[walk->frequencies - 1],
                     step = walk->frequencies > 1 ? (last - walk->frequency[0]) / (walk->frequencies - 1) : 1e6;
        send_head(plot, walk, link, panels_of(doppler));
        pw_plot_send(plot, "set ylabel 'frequency [MHz]'\nset yrange [%.15g:%.15g]\nset cblabel '|H|² [dB]'\n",
                     (walk->frequency[0] - 0.5 * step) * megahertz, (last + 0.5 * step) * megahertz);
        send_image(plot, &fall, (const double[]){0, walk->frequency[0] * megahertz},
                   (const double[]){1 / walk->rate, step * megahertz});
        pw_plot_send(plot, "set autoscale y\n");
        send_blockage(plot, walk, link, series);
        if (panels_of(doppler) > 2) {
            const double shift_most = walk_most_shift(walk), edge = -doppler->frequency[0],
                         most = shift_most > 0 ? fmin(edge, 1.5 * shift_most) : edge;
            pw_plot_send(plot, "set ylabel 'Doppler shift [Hz]'\nset yrange [%.9g:%.9g]\nset cblabel 'power [dB]'\n",
                         -most, most);
            send_image(
                plot, &shift, (const double[]){doppler->time[0], doppler->frequency[0]},
                (const double[]){doppler->time[1] - doppler->time[0], doppler->frequency[1] - doppler->frequency[0]});
        }
        pw_plot_send(plot, "unset multiplot\n");
        status = pw_plot_finish(plot, error);
    }
    free(series);
    free(fall.value);
    free(shift.value);
    return status;
}
