/* A magnetic line current beside the end of a half plane of thin metal, against the series of half-integer Bessel
 * functions around the end (physics.md section 11): Hz at the faces, on the lit side, in the shadow and about the end.
 */
#include "validation/support/case.h"

static const double FREQUENCY = 2.4e9, PLAN = 1.0, THICKNESS = 2e-5; /* Hz, m, m */

enum { ORDERS = 200, PLACES_AN_AXIS = 34, PLACES = PLACES_AN_AXIS * PLACES_AN_AXIS, DEPTHS = 4 };

struct line {
    double cells;   /* a wavelength */
    double x, y;    /* of the end within its cell, in cells */
    double degrees; /* direction in which the metal goes on from the end, from the -x axis */
};

/* ---- the law ----------------------------------------------------------------------------------------------------- */

/* J and Y of orders 0, 1/2, 1, ... by recurrence: J downwards from where it is nothing, Y upwards. */
static void bessel_j(double x, double out[ORDERS])
{
    for (int half = 0; half < 2; half++) {
        double above = 0, now = 1e-300;
        for (int n = ORDERS + 100; n >= 0; n--) {
            const double order = n + 0.5 * half;
            if (2 * n + half < ORDERS) {
                out[2 * n + half] = now;
            }
            const double below = 2 * order / x * now - above;
            above = now;
            now = below;
            if (fabs(now) > 1e250) {
                now *= 1e-250;
                above *= 1e-250;
                for (int m = 2 * n + half; m < ORDERS; m += 2) {
                    out[m] *= 1e-250;
                }
            }
        }
        const double scale = half == 0            ? (fabs(j0(x)) > fabs(j1(x)) ? j0(x) / out[0] : j1(x) / out[2])
                             : fabs(sin(x)) > 0.5 ? sqrt(2 / (M_PI * x)) * sin(x) / out[1]
                                                  : sqrt(2 / (M_PI * x)) * (sin(x) / x - cos(x)) / out[3];
        for (int m = half; m < ORDERS; m += 2) {
            out[m] *= scale;
        }
    }
}

static void bessel_y(double x, double out[ORDERS])
{
    out[0] = y0(x);
    out[2] = y1(x);
    out[1] = -sqrt(2 / (M_PI * x)) * cos(x);
    out[3] = -sqrt(2 / (M_PI * x)) * (cos(x) / x + sin(x));
    for (int m = 4; m < ORDERS; m++) {
        out[m] = (m - 2) / x * out[m - 2] - out[m - 4];
    }
}

struct polar {
    double r, angle; /* from the metal, 0 to 2 pi */
};

static struct polar polar_of(double x, double y, double turn)
{
    const double u = x * cos(turn) + y * sin(turn), v = y * cos(turn) - x * sin(turn);
    double angle = atan2(v, u) - M_PI;
    return (struct polar){hypot(u, v), angle < 0 ? angle + 2 * M_PI : angle};
}

/* H of a line current over H0^(2) of its distance alone: sum_n e_n J_n/2 H_n/2 cos cos. */
static double complex series(double k, struct polar source, struct polar at)
{
    double j[ORDERS], jj[ORDERS], y[ORDERS];
    const double near = fmin(source.r, at.r), far = fmax(source.r, at.r);
    bessel_j(k * near, j);
    bessel_j(k * far, jj);
    bessel_y(k * far, y);
    double complex sum = 0;
    for (int m = 0; m < ORDERS && isfinite(y[m]); m++) {
        const double complex term = j[m] * (jj[m] - I * y[m]);
        sum += (m == 0 ? 1 : 2) * term * cos(0.5 * m * source.angle) * cos(0.5 * m * at.angle);
        if (0.5 * m > k * near + 40) {
            break;
        }
    }
    return sum;
}

/* ---- the solve --------------------------------------------------------------------------------------------------- */

struct figures {
    double all, end, worst; /* of the incident field: root mean square, within four cells of the end, 99 % */
    double depth[DEPTHS];   /* dB, root mean square, 0 to 10 dB of shadow, 10 to 20, ... */
    int count[DEPTHS];
};

static int ascending(const void *a, const void *b)
{
    const double *m = a, *n = b;
    return (*m > *n) - (*m < *n);
}

static struct text scene(const struct line *line, double cell, double ex, double ey, double sx, double sy)
{
    struct text text = {0};
    const double turn = line->degrees * M_PI / 180, far = 3;
    const double ux = -cos(turn), uy = -sin(turn), half = 0.5 * THICKNESS;
    text_add(
        &text,
        "polarisation: horizontal\nplan:\n  size: [%g, %g]\n  polygons: [{points: [[%.17g, %.17g], [%.17g, %.17g], "
        "[%.17g, %.17g], [%.17g, %.17g]], material: metal}]\n",
        PLAN, PLAN, ex + half * uy, ey - half * ux, ex + far * ux + half * uy, ey + far * uy - half * ux,
        ex + far * ux - half * uy, ey + far * uy + half * ux, ex - half * uy, ey + half * ux);
    text_add(&text,
             "grid: {cell: %.17g m, absorber: {cells: 24}}\n"
             "band: {centre: 2.4 GHz, width: 0.1 GHz}\n"
             "transmitters: [{name: t, at: [%.17g, %.17g], waveform: {kind: modulated-gaussian, frequency: 2.4 GHz, "
             "width: 1.5 ns, delay: 6 ns}}]\nspectra: off\nstop: {after: 30 ns, decay: off}\nreceivers:\n",
             cell, sx, sy);
    return text;
}

static struct figures measure(const struct line *line, const char *backend)
{
    const double cell = SPEED_OF_LIGHT / FREQUENCY / line->cells, k = 2 * M_PI * FREQUENCY / SPEED_OF_LIGHT;
    const double turn = line->degrees * M_PI / 180;
    const double ex = (floor(0.5 * PLAN / cell) + line->x) * cell, ey = (floor(0.45 * PLAN / cell) + line->y) * cell;
    const double sx = ex - 0.15 * cos(turn) - 0.4 * sin(turn), sy = ey - 0.15 * sin(turn) + 0.4 * cos(turn);
    const int cells = (int)(PLAN / cell) - 2;
    struct text text = scene(line, cell, ex, ey, sx, sy);
    static double x[PLACES], y[PLACES];
    for (int p = 0; p < PLACES; p++) {
        x[p] = (1.5 + p % PLACES_AN_AXIS * cells / PLACES_AN_AXIS) * cell;
        y[p] = (1.5 + p / PLACES_AN_AXIS * cells / PLACES_AN_AXIS) * cell;
        text_add(&text, "  - {name: r%d, at: [%.17g, %.17g]}\n", p, x[p], y[p]);
    }
    struct solved solved = solve(text.text, PW_DOUBLE, backend);
    static double complex h[PLACES];
    case_transfer(&solved, 0, 1, &FREQUENCY, true, h);
    const double w = 2 * M_PI * FREQUENCY;
    const double complex later = cexp(I * asin(0.5 * w * solved.setup->problem.time_step));
    struct figures figures = {0};
    static double error[PLACES];
    int count = 0, near = 0;
    for (int p = 0; p < PLACES; p++) {
        const struct polar source = polar_of(sx - ex, sy - ey, turn), at = polar_of(x[p] - ex, y[p] - ey, turn);
        const double away = hypot(x[p] - sx, y[p] - sy);
        const double to_metal = cos(at.angle) > 0 ? at.r * fabs(sin(at.angle)) : at.r;
        if (away < 6 * cell || to_metal < cell) {
            continue;
        }
        const double complex found = h[p] * later / (-w * 4e-7 * M_PI / 4), law = series(k, source, at),
                             incident = j0(k * away) - I * y0(k * away);
        const double off = cabs(found - law) / cabs(incident);
        const double depth = -20 * log10(cabs(law / incident)), db = 20 * log10(cabs(found / law));
        error[count++] = off;
        figures.all += off * off;
        figures.end += at.r < 4 * cell ? off * off : 0;
        near += at.r < 4 * cell;
        const int d = (int)floor(depth / 10);
        if (d >= 0 && d < DEPTHS && (at.angle < M_PI) != (source.angle < M_PI)) {
            figures.depth[d] += db * db;
            figures.count[d]++;
        }
    }
    qsort(error, (size_t)count, sizeof *error, ascending);
    figures.all = sqrt(figures.all / count);
    figures.end = sqrt(figures.end / fmax(near, 1));
    figures.worst = error[(int)(0.99 * count)];
    for (int d = 0; d < DEPTHS; d++) {
        figures.depth[d] = figures.count[d] > 0 ? sqrt(figures.depth[d] / figures.count[d]) : 0;
    }
    solve_free(&solved);
    free(text.text);
    return figures;
}

int main(int argc, char **argv)
{
    struct validation validation = case_begin(
        argc, argv, "te_edge", "Horizontal polarisation: the end of a sheet",
        "A magnetic line current beside the end of a half plane of metal 0.02 mm thick at 2.4 GHz, against the "
        "series of half-integer Bessel functions: H at 1156 faces, over the incident field, a cell from the metal "
        "and farther. Sheets at 20 and 45 degrees bend at the edge of the plan, where the series goes on "
        "straight: some 4 % of their error at 40 cells a wavelength.");
    static const double PLACE[8][2] = {{0.02, 0.3}, {0.1, 0.3}, {0.2, 0.6},  {0.6, 0.75},
                                       {0.9, 0.1},  {0.5, 0.5}, {0.35, 0.9}, {0.75, 0.45}};
    for (int c = 0; c < 2; c++) {
        for (int t = 0; t < 3; t++) {
            for (int p = 0; p < (validation.quick ? 2 : 8); p++) {
                const struct line line = {c == 0 ? 6.5 : 12, PLACE[p][0], PLACE[p][1], t == 0 ? 0 : t == 1 ? 20 : 45};
                const struct figures f = measure(&line, validation.backend);
                /* The bar of shadows, where it is met: sheets along the grid, down to -20 dB. */
                const bool gated = t == 0;
                const double deep = fmax(f.depth[0], f.depth[1]), bar = c == 0 ? 1.5 : 0.7;
                const char *title = "dB in the shadow down to 20 dB, %g cells, %g degrees, end at %.2f, %.2f";
                if (gated) {
                    case_gate(&validation, deep, bar, title, line.cells, line.degrees, line.x, line.y);
                } else {
                    case_figure(&validation, deep, title, line.cells, line.degrees, line.x, line.y);
                }
                case_figure(&validation, f.all, "root mean square, the same place");
                case_figure(&validation, f.end, "within four cells of the end");
                case_figure(&validation, f.worst, "99 %% of places");
            }
        }
    }
    return case_end(&validation);
}
