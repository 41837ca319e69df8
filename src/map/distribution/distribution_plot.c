/* Cumulative distributions as a picture: a curve for each transmitter and part of the floor. */
#include "map/distribution/distribution.h"

#include "api/plot.h"

#include <math.h>

enum { WIDTH = 1000, HEIGHT = 640, POINTS = 400 };

/* The outermost per mille would leave little room for the rest. */
static void range_find(const pw_distributions *distributions, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t n = 0; n < distributions->count; n++) {
        const pw_distribution *one = &distributions->distributions[n];
        if (one->count > 0) {
            *low = fmin(*low, pw_distribution_percentile(one, 0.1));
            *high = fmax(*high, pw_distribution_percentile(one, 99.9));
        }
    }
    if (!(*high - *low > 1e-9 * fabs(*high))) {
        *low -= 1.0;
        *high += 1.0;
    }
    double margin = 0.02 * (*high - *low);
    *low -= margin;
    *high += margin;
}

/* Parts of the floor by dashes, transmitters by colours, the best of them black. */
static void curve_send(pw_plot *plot, const pw_distributions *distributions, size_t index, double *pairs)
{
    const pw_distribution *one = &distributions->distributions[index];
    size_t columns = (size_t)distributions->coverage.columns;
    char name[CURVE_NAME];
    for (int n = 0; n <= POINTS; n++) {
        double percent = 100.0 * n / POINTS;
        pairs[2 * n] = pw_distribution_percentile(one, percent);
        pairs[2 * n + 1] = percent;
    }
    const char *data = pw_plot_data(plot, pairs, 2 * (POINTS + 1) * sizeof *pairs);
    bool best = one->transmitter < 0;
    pw_plot_send(plot, "%s binary format='%%float64%%float64' using 1:2 with lines lw %g dt %d lc rgb '%s' title %s",
                 data, best ? 3.0 : 2.0, (int)(index / columns) % 5 + 1,
                 best ? "#202020" : pw_plot_colour(index % columns),
                 pw_plot_quote(plot, distribution_name(distributions, index, name)));
}

pw_status distribution_plot(const pw_distributions *distributions, const char *path, pw_error *error)
{
    const struct map *map = &distributions->coverage.map;
    char title[6 * NAME_SIZE], axis[2 * NAME_SIZE];
    double low, high;
    OWNED double *pairs = allocate(2 * (POINTS + 1), sizeof *pairs, "a picture", error);
    TRY_MADE(pairs);
    pw_plot *plot = NULL;
    TRY(pw_plot_open(path, WIDTH, HEIGHT, &plot, error));
    range_find(distributions, &low, &high);
    snprintf(title, sizeof title, "Distribution of %s over the %s", map->name,
             distributions->receivers ? "receivers" : distributions->names[0]);
    snprintf(axis, sizeof axis, "%s [%s]", map->name, map->unit);
    pw_plot_send(plot, "set title %s\nset xlabel %s\n", pw_plot_quote(plot, title), pw_plot_quote(plot, axis));
    pw_plot_send(plot, "set ylabel 'at or under it [%%]'\nset xrange [%.9g:%.9g]\nset yrange [0:100]\n", low, high);
    pw_plot_send(
        plot, "set ytics 10\nset grid lc rgb '#d8d8d8' lt 1\nset key inside right bottom Left reverse opaque\nplot ");
    for (size_t n = 0; n < distributions->count; n++) {
        if (distributions->distributions[n].count > 0) {
            curve_send(plot, distributions, n, pairs);
            pw_plot_send(plot, ", ");
        }
    }
    pw_plot_send(plot, "NaN notitle\n");
    return pw_plot_finish(plot, error);
}
