/* The picture of an agreement: above the maps that agree least, A, B and their difference; below the transfer function
 * and the profile of the link that agrees least. Only what was compared. */
#include "map/agreement/agreement.h"

#include "base/picture/plot.h"

#include <math.h>
#include <stdlib.h>

enum { WIDTH = 1500, HEIGHT = 950, TITLE_SIZE = 640 };

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

/* Smallest and largest level of both maps, but for the outermost per cent, which the places beside the transmitter
 * have. */
static pw_status levels_range(const struct agreement_image *image, double *low, double *high, pw_error *error)
{
    size_t cells = (size_t)image->shape.rows * (size_t)image->shape.columns;
    double *levels = allocate(2 * cells, sizeof *levels, "a picture", error);
    TRY_MADE(levels);
    int64_t count = 0;
    for (size_t n = 0; n < 2 * cells; n++) {
        if (isfinite(image->values[n])) {
            levels[count++] = image->values[n];
        }
    }
    qsort(levels, (size_t)count, sizeof *levels, pw_number_order);
    const pw_distribution all = {.count = count, .values = levels};
    *low = 5.0 * floor(pw_distribution_percentile(&all, 1.0) / 5.0);
    *high = 5.0 * ceil(pw_distribution_percentile(&all, 99.0) / 5.0);
    *high = *high > *low ? *high : *low + 5.0;
    free(levels);
    return PW_OK;
}

/* Map 0 is A, 1 is B, 2 their difference. */
static void image_send(pw_plot *plot, const struct pane *pane, const struct agreement_image *image, int map,
                       const char *title)
{
    static const char LEVELS[] =
        "0 '#440154', 1 '#3b528b', 2 '#21918c', 3 '#5ec962', 4 '#fde725'";   /* viridis, as maps have it */
    static const char BOTH_WAYS[] = "0 '#2166ac', 1 '#f7f7f7', 2 '#b2182b'"; /* white is no difference */
    const pw_map_shape *shape = &image->shape;
    size_t cells = (size_t)shape->rows * (size_t)shape->columns;
    pane_send(plot, pane, title);
    pw_plot_send(plot,
                 "set xlabel 'x [m]'\nset ylabel 'y [m]'\nset xrange [%g:%g]\nset yrange [%g:%g]\nset size ratio -1\n"
                 "set cblabel '%s'\nset palette defined (%s)\n",
                 shape->x0 - shape->pitch_x / 2, shape->x0 + shape->pitch_x * (shape->columns - 0.5),
                 shape->y0 - shape->pitch_y / 2, shape->y0 + shape->pitch_y * (shape->rows - 0.5),
                 map == 2 ? "A - B [dB]" : "dBm", map == 2 ? BOTH_WAYS : LEVELS);
    pw_plot_send(plot,
                 "plot %s binary array=(%d,%d) dx=%.9g dy=%.9g origin=(%.9g,%.9g) format='%%float64' with image "
                 "notitle\n",
                 pw_plot_data(plot, image->values + (size_t)map * cells, cells * sizeof(double)), shape->columns,
                 shape->rows, shape->pitch_x, shape->pitch_y, shape->x0, shape->y0);
}

static pw_status images_send(pw_plot *plot, double bottom, const struct agreement_image *image, pw_error *error)
{
    double low, high, most = fmax(0.1, 3.0 * image->rms);
    char titles[3][TITLE_SIZE];
    TRY(levels_range(image, &low, &high, error));
    snprintf(titles[0], TITLE_SIZE, "A: power of %.60s, local means", image->name);
    snprintf(titles[1], TITLE_SIZE, "B: power of %.60s, local means", image->name);
    snprintf(titles[2], TITLE_SIZE, "A - B: %.2f dB rms", image->rms);
    for (int map = 0; map < 3; map++) {
        pw_plot_send(plot, "set cbrange [%g:%g]\n", map == 2 ? -most : low, map == 2 ? most : high);
        image_send(plot, &(struct pane){map / 3.0, bottom, 1.0 / 3.0, 0.95 - bottom}, image, map, titles[map]);
    }
    pw_plot_send(plot, "set size noratio\n");
    return PW_OK;
}

static void curves_send(pw_plot *plot, double top, const pw_agreement *agreement)
{
    bool profile = agreement->profile.values != NULL;
    double width = profile ? 0.5 : 1.0;
    curve_send(plot, &(struct pane){0, 0, width, top}, &agreement->transfer, "transfer function", false);
    if (profile) {
        curve_send(plot, &(struct pane){width, 0, width, top}, &agreement->profile, "power-delay profile", true);
    }
}

pw_status pw_agreement_plot(const pw_agreement *agreement, const char *path, pw_error *error)
{
    FAIL_IF(agreement == NULL, error, PW_USAGE, "pw_agreement_plot: no agreement given");
    bool curves = agreement->transfer.values != NULL, image = agreement->image.values != NULL;
    FAIL_IF(!curves && !image, error, PW_BAD_INPUT, "there is nothing to draw: no link and no map was compared");
    pw_plot *plot = NULL;
    TRY(pw_plot_open(path, WIDTH, HEIGHT, &plot, error));
    char title[2 * TITLE_SIZE];
    snprintf(title, sizeof title, "A %.500s, B %.500s", agreement->path_a, agreement->path_b);
    pw_plot_send(plot,
                 "set multiplot title %s font ',12'\nset border 3 lc rgb '#404040'\nset tics nomirror\n"
                 "set grid lc rgb '#e2e2e2'\nset key top right\n",
                 pw_plot_quote(plot, title));
    double split = curves && image ? 0.46 : image ? 0.0 : 0.95;
    pw_status status = image ? images_send(plot, split, &agreement->image, error) : PW_OK;
    if (status != PW_OK) {
        pw_plot_abandon(plot);
        return status;
    }
    if (curves) {
        curves_send(plot, split, agreement);
    }
    pw_plot_send(plot, "unset multiplot\n");
    return pw_plot_finish(plot, error);
}
