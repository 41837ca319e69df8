/* The picture of an agreement: left the transfer function and the profile of the link that agrees least, right the
 * difference of the maps that agree least; only what was compared. */
#include "map/agreement/agreement.h"

#include "base/picture/plot.h"

#include <math.h>
#include <stdlib.h>

enum { WIDTH = 1400, HEIGHT = 900, TITLE_SIZE = 640 };

/* A part of the canvas. */
struct pane {
    double left, bottom, width, height;
};

static void pane_send(pw_plot *plot, const struct pane *pane, const char *title)
{
    pw_plot_send(plot, "set origin %g,%g\nset size %g,%g\nset title %s font ',11'\n", pane->left, pane->bottom,
                 pane->width, pane->height, pw_plot_quote(plot, title));
}

static void curve_send(pw_plot *plot, const struct pane *pane, const struct agreement_curve *curve, const char *what,
                       bool delays)
{
    char title[TITLE_SIZE];
    snprintf(title, sizeof title, "%s, %s: |A-B|/|B| = %.3g", what, curve->name, curve->error);
    double top = -INFINITY, bottom = INFINITY, first = curve->values[0];
    double last = curve->values[3 * (size_t)(curve->count - 1)];
    for (int n = 0; n < curve->count; n++) {
        const double *v = &curve->values[3 * (size_t)n];
        top = fmax(top, fmax(v[1], v[2]));
        bottom = fmin(bottom, fmin(v[1], v[2]));
    }
    if (delays) {
        first = 0.0;
        for (int n = curve->count - 1; n > 0 && fmax(curve->values[3 * n + 1], curve->values[3 * n + 2]) < -50.0; n--) {
            last = curve->values[3 * (size_t)n];
        }
    } else if (curve->count == 1) {
        first -= 0.1;
        last += 0.1;
    }
    double floor_db = fmax(bottom, top - (delays ? 50 : 80));
    pane_send(plot, pane, title);
    pw_plot_send(plot, "set xlabel '%s'\nset ylabel '%s'\nset yrange [%g:%g]\nset xrange [%.9g:%.9g]\n",
                 delays ? "delay [ns]" : "frequency [GHz]",
                 delays ? "power [dB] under the peak of A" : "path gain |H|² [dB]", 5 * floor(floor_db / 5),
                 5 * ceil((top + 1) / 5), first, last);
    const char *data = pw_plot_data(plot, curve->values, 3 * (size_t)curve->count * sizeof(double));
    const char *style = curve->count > 1 ? "lines" : "points";
    pw_plot_send(plot,
                 "plot %s binary format='%%3float64' using 1:3 with %s lw 3 pt 7 lc rgb '#fdae61' title 'B', "
                 "%s binary format='%%3float64' using 1:2 with %s lw 1.5 pt 5 lc rgb '#31688e' title 'A'\n",
                 data, style, data, style);
}

/* Even about zero, so that white is no difference; what lies beyond has the colour of the end. */
static double image_range(const struct agreement_image *image)
{
    return fmax(0.1, 3.0 * image->rms);
}

static void image_send(pw_plot *plot, const struct pane *pane, const struct agreement_image *image)
{
    const pw_map_shape *shape = &image->shape;
    char title[TITLE_SIZE];
    double range = image_range(image);
    snprintf(title, sizeof title, "received power of %s, local means: A - B, %.2f dB rms", image->name, image->rms);
    pane_send(plot, pane, title);
    pw_plot_send(plot,
                 "set xlabel 'x [m]'\nset ylabel 'y [m]'\nset xrange [%g:%g]\nset yrange [%g:%g]\nset size ratio -1\n"
                 "set cblabel 'A - B [dB]'\nset cbrange [%g:%g]\n"
                 "set palette defined (0 '#2166ac', 1 '#f7f7f7', 2 '#b2182b')\n",
                 shape->x0 - shape->pitch_x / 2, shape->x0 + shape->pitch_x * (shape->columns - 0.5),
                 shape->y0 - shape->pitch_y / 2, shape->y0 + shape->pitch_y * (shape->rows - 0.5), -range, range);
    size_t cells = (size_t)shape->rows * (size_t)shape->columns;
    pw_plot_send(plot,
                 "plot %s binary array=(%d,%d) dx=%.9g dy=%.9g origin=(%.9g,%.9g) format='%%float64' with image "
                 "notitle\n",
                 pw_plot_data(plot, image->values, cells * sizeof(double)), shape->columns, shape->rows, shape->pitch_x,
                 shape->pitch_y, shape->x0, shape->y0);
}

pw_status pw_agreement_plot(const pw_agreement *agreement, const char *path, pw_error *error)
{
    const struct agreement_curve *transfer = &agreement->transfer, *profile = &agreement->profile;
    bool curves = transfer->values != NULL, image = agreement->image.values != NULL;
    if (!curves && !image) {
        return fail(error, PW_BAD_INPUT, "there is nothing to draw: no link and no map was compared");
    }
    pw_plot *plot = NULL;
    TRY(pw_plot_open(path, WIDTH, HEIGHT, &plot, error));
    char title[2 * TITLE_SIZE];
    snprintf(title, sizeof title, "A %.500s, B %.500s", agreement->path_a, agreement->path_b);
    pw_plot_send(plot,
                 "set multiplot title %s font ',12'\nset border 3 lc rgb '#404040'\nset tics nomirror\n"
                 "set grid lc rgb '#e2e2e2'\nset key top right\n",
                 pw_plot_quote(plot, title));
    double split = image ? 0.5 : 1.0;
    if (curves) {
        double bottom = profile->values != NULL ? 0.48 : 0.0;
        curve_send(plot, &(struct pane){0, bottom, split, 0.94 - bottom}, transfer, "transfer function", false);
        if (profile->values != NULL) {
            curve_send(plot, &(struct pane){0, 0, split, 0.47}, profile, "power-delay profile", true);
        }
    }
    if (image) {
        image_send(plot, &(struct pane){curves ? split : 0, 0, curves ? 1 - split : 1, 0.94}, &agreement->image);
    }
    pw_plot_send(plot, "unset multiplot\n");
    return pw_plot_finish(plot, error);
}
