/* A walk as an animated picture: the floor with the persons on it, links in the colour of their blockage, and under it
 * the blockages up to now. */
#include "walk/walk_write.h"

#include <math.h>
#include <stdlib.h>

enum { WIDTH = 640, PLAN_HEIGHT_MOST = 900, CURVE_HEIGHT = 220, FRAMES_MOST = 400, FRAME_TIME = 10 /* 1/100 s */ };
static const double DARKEST = 20; /* dB of blockage that have the last colour */

/* Every `every`th pose is a frame, so that the film is as long as the walk. */
static int frames_every(const struct walk *walk)
{
    const double wanted = fmax(1, 0.01 * FRAME_TIME * walk->rate);
    return (int)fmax(ceil(wanted - 1e-9), ceil((double)walk->poses / FRAMES_MOST));
}

static double blockage_at(const struct walk *walk, int pose, size_t link)
{
    return walk->blockage[(size_t)pose * walk_links(walk) + link];
}

/* From green, nothing blocked, over yellow to red. */
static unsigned colour_of(double blockage)
{
    const double share = 2 * fmin(fmax(blockage / DARKEST, 0), 1), red = 0x1b + fmin(share, 1) * (0xd8 - 0x1b),
                 green = 0xa8 - fmax(share - 1, 0) * (0xa8 - 0x20);
    return (unsigned)red << 16 | (unsigned)green << 8 | 0x28;
}

static void send_arrows(pw_plot *plot, const struct walk *walk, int pose)
{
    for (size_t link = 0; link < walk_links(walk); link++) {
        const double *from = walk->place[link % (size_t)walk->transmitters],
                     *to = walk->place[(size_t)walk->transmitters + link / (size_t)walk->transmitters];
        pw_plot_send(plot, "set arrow from %.6g,%.6g to %.6g,%.6g nohead lw 2 lc rgb '#%06x' front\n", from[0], from[1],
                     to[0], to[1], colour_of(blockage_at(walk, pose, link)));
    }
    for (int person = 0; person < walk->persons; person++) {
        const double *at = walk->position[(size_t)person * (size_t)walk->poses + (size_t)pose];
        pw_plot_send(plot, "set object circle at %.6g,%.6g size %.6g fc rgb '#2166ac' fs solid front\n", at[0], at[1],
                     walk->radius);
    }
}

static void send_plan(pw_plot *plot, const struct walk *walk, const char *walls, double share, int pose)
{
    const struct walk_floor *floor = &walk->floor;
    char title[80];
    snprintf(title, sizeof title, "%.1f s", pose / walk->rate);
    pw_plot_send(plot, "unset arrow\nunset object\nset origin 0,%.6g\nset size 1,%.6g\nset title %s\n", 1 - share,
                 share, pw_plot_quote(plot, title));
    send_arrows(plot, walk, pose);
    pw_plot_send(plot,
                 "set size ratio -1\nset xrange [0:%.6g]\nset yrange [0:%.6g]\nset xlabel 'x [m]'\nset ylabel 'y [m]'\n"
                 "plot %s binary array=(%d,%d) format='%%uint8' origin=(%.9g,%.9g) dx=%.9g dy=%.9g with image\n"
                 "unset arrow\nunset object\nset size noratio\n",
                 floor->width, floor->height, walls, floor->columns, floor->rows, floor->x0, floor->y0, floor->cell,
                 floor->cell);
}

static void send_curves(pw_plot *plot, const struct walk *walk, const char *const *curves, const double range[2],
                        double share, int pose)
{
    pw_plot_send(plot,
                 "set origin 0,0\nset size 1,%.6g\nunset title\nset xrange [0:%.9g]\nset yrange [%.9g:%.9g]\n"
                 "set xlabel 'time [s]'\nset ylabel 'blockage [dB]'\nset grid y\n",
                 1 - share, fmax(walk->poses - 1, 1) / walk->rate, floor(range[0]), ceil(range[1]));
    pw_plot_send(plot, "plot ");
    for (size_t link = 0; link < walk_links(walk); link++) {
        pw_plot_send(plot,
                     "%s%s binary record=(%d) format='%%float64' using ($0/%.9g):($0 <= %d ? $1 : NaN) with lines "
                     "lw 2 lc rgb %s",
                     link > 0 ? ", " : "", curves[link], walk->poses, walk->rate, pose,
                     pw_plot_quote(plot, pw_plot_colour(link)));
    }
    pw_plot_send(plot, "\nunset grid\n");
}

pw_status walk_write_film(const struct walk *walk, const char *path, pw_error *error)
{
    const struct walk_floor *floor = &walk->floor;
    const int plan = (int)fmin(PLAN_HEIGHT_MOST, 60 + WIDTH * floor->height / floor->width), every = frames_every(walk);
    const double share = (double)plan / (plan + CURVE_HEIGHT);
    pw_plot *plot = NULL;
    TRY(pw_plot_open(path, WIDTH, plan + CURVE_HEIGHT, &plot, error));
    const char *walls = pw_plot_data(plot, floor->solid, (size_t)floor->columns * (size_t)floor->rows);
    OWNED const char **curves = allocate(walk_links(walk), sizeof *curves, "a film", error);
    OWNED double *series = allocate((size_t)walk->poses, sizeof *series, "a film", error);
    if (curves == NULL || series == NULL) {
        pw_plot_abandon(plot);
        return PW_NO_RESOURCE;
    }
    double range[2] = {0, 1};
    for (size_t link = 0; link < walk_links(walk); link++) {
        for (int pose = 0; pose < walk->poses; pose++) {
            series[pose] = blockage_at(walk, pose, link);
            range[0] = fmin(range[0], series[pose]);
            range[1] = fmax(range[1], series[pose]);
        }
        curves[link] = pw_plot_data(plot, series, (size_t)walk->poses * sizeof *series);
    }
    pw_plot_send(plot, "set key off\nset tics out nomirror\nunset colorbox\nset palette defined (0 '#ffffff', 1 "
                       "'#404040')\nset cbrange [0:1]\n");
    for (int pose = 0; pose < walk->poses; pose += every) {
        pw_plot_send(plot, "set multiplot\n");
        send_plan(plot, walk, walls, share, pose);
        send_curves(plot, walk, curves, range, share, pose);
        pw_plot_send(plot, "unset multiplot\n");
    }
    return pw_plot_finish(plot, error);
}
