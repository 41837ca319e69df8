/* A magnetic line current beside a round post, dielectric or perfectly conducting, against the Bessel series of Hz,
 * around the post (physics.md sections 9 and 11). */
#include "validation/support/bessel.h"
#include "validation/support/case.h"

enum { RECEIVERS = 24, FREQUENCIES = 3 };

static const double PERMITTIVITY = 2.89, SOURCE_ANGLE = 0.3, FREQUENCY[FREQUENCIES] = {0.95e9, 1e9, 1.05e9};
/* m: from the post to the receivers, to the source and to the edge of the plan. */
static const double TO_RECEIVERS = 0.30, TO_SOURCE = 0.45, TO_EDGE = 0.65;

/* A post whose middle is so far from that of the plan: 1.8 m wide for a radius of 0.25 m. */
struct post {
    bool conductor;
    double radius, x, y; /* m */
};

/* Hz of a unit magnetic line current over its amplitude: H0(k |r - r0|) + sum_n c_n H_n(k rho0) H_n(k rho) e^{jn phi}.
 * Hz and its slope over the permittivity are continuous; on metal the slope is zero. */
static double complex series(const struct post *post, double k, double phi)
{
    const double source = post->radius + TO_SOURCE, receiver = post->radius + TO_RECEIVERS;
    const double distance = sqrt(source * source + receiver * receiver - 2 * source * receiver * cos(phi));
    const double x = k * post->radius, index = sqrt(PERMITTIVITY), y = index * x;
    double complex sum = solve_hankel(k * distance);
    for (int n = 0; n < 60; n++) {
        double complex c = -jn_slope(n, x) / hankel_slope(n, x);
        if (!post->conductor) {
            c = -(jn(n, x) * jn_slope(n, y) / index - jn_slope(n, x) * jn(n, y)) /
                (hankel(n, x) * jn_slope(n, y) / index - hankel_slope(n, x) * jn(n, y));
        }
        const double complex wave = c * hankel(n, k * source) * hankel(n, k * receiver);
        sum += (n == 0 ? 1 : 2) * wave * cos(n * phi);
        if (n > x && cabs(wave) < 1e-14) { /* not with its cosine, which may be zero long before */
            break;
        }
    }
    return sum;
}

/* The scheme's own, in the mean over directions, time being exact: that of yee is 0.3 % off at 20 cells. */
static double wave_number(const struct solved *solved, double omega)
{
    enum { ANGLES = 16 };
    double sum = 0;
    for (int a = 0; a < ANGLES; a++) {
        sum += stencil_wave_number(&solved->setup->stencil, solved->setup->problem.axis[0].spacing, 0, omega,
                                   0.25 * M_PI * (a + 0.5) / ANGLES);
    }
    return sum / ANGLES;
}

struct line {
    const char *scheme, *averaging;
    struct post post;
    double cells; /* a wavelength in air */
    bool apart;   /* the wave number of the series is the scheme's own */
    double gate;  /* 0: none */
    const char *title;
};

/* ||Hz - series|| / ||series|| over the places and frequencies. */
static double solve_error(const struct line *line, const char *backend)
{
    const struct post *post = &line->post;
    const double cell = SPEED_OF_LIGHT / 1e9 / line->cells, size = 2 * (post->radius + TO_EDGE);
    const double centre_x = 0.5 * size + post->x, centre_y = 0.5 * size + post->y;
    double difference = 0, norm = 0;
    struct text text = {0};
    text_add(&text,
             "polarisation: horizontal\n"
             "plan: {size: [%g, %g], circles: [{centre: [%.17g, %.17g], radius: %g, material: %s}]}\n"
             "grid: {scheme: %s, averaging: %s, cell: %.17g, absorber: {cells: 24}}\n"
             "band: {centre: 1 GHz, width: 0.1 GHz}\n"
             "transmitters: [{name: t, at: [%.17g, %.17g], waveform: {kind: modulated-gaussian, frequency: 1 GHz, "
             "width: 3.5 ns, delay: 14 ns}}]\nspectra: off\nstop: {after: 80 ns, decay: off}\nreceivers:\n",
             size, size, centre_x, centre_y, post->radius,
             post->conductor ? "metal" : "{relative_permittivity: 2.89, conductivity: 0 S/m}", line->scheme,
             line->averaging, cell, centre_x + (post->radius + TO_SOURCE) * cos(SOURCE_ANGLE),
             centre_y + (post->radius + TO_SOURCE) * sin(SOURCE_ANGLE));
    for (int r = 0; r < RECEIVERS; r++) {
        const double angle = SOURCE_ANGLE + 2 * M_PI * (r + 0.5) / RECEIVERS;
        text_add(&text, "  - {name: r%d, at: [%.17g, %.17g]}\n", r,
                 centre_x + (post->radius + TO_RECEIVERS) * cos(angle),
                 centre_y + (post->radius + TO_RECEIVERS) * sin(angle));
    }
    struct solved solved = solve(text.text, PW_DOUBLE, backend);
    double complex h[RECEIVERS][FREQUENCIES];
    case_transfer(&solved, 0, FREQUENCIES, FREQUENCY, true, h[0]);
    for (int f = 0; f < FREQUENCIES; f++) {
        const double w = 2 * M_PI * FREQUENCY[f], k = line->apart ? wave_number(&solved, w) : w / SPEED_OF_LIGHT;
        /* Hz is half a step older than E. */
        const double complex later = cexp(I * asin(0.5 * w * solved.setup->problem.time_step));
        for (int r = 0; r < RECEIVERS; r++) {
            const double complex law = series(post, k, 2 * M_PI * (r + 0.5) / RECEIVERS);
            difference += pow(cabs(h[r][f] * later / (-w * 4e-7 * M_PI / 4) - law), 2);
            norm += pow(cabs(law), 2);
        }
    }
    solve_free(&solved);
    free(text.text);
    return sqrt(difference / norm);
}

#define POST                                                                                                           \
    {                                                                                                                  \
        false, 0.25, 0.0137, -0.0089                                                                                   \
    } /* on no node */
#define METAL                                                                                                          \
    {                                                                                                                  \
        true, 0.25, 0.0137, -0.0089                                                                                    \
    }
#define MIDDLE                                                                                                         \
    {                                                                                                                  \
        true, 0.25, 0, 0                                                                                               \
    }
#define CORNER                                                                                                         \
    {                                                                                                                  \
        true, 0.25, 0.0075, 0.0075                                                                                     \
    }
#define SMALL                                                                                                          \
    {                                                                                                                  \
        true, 0.09, 0.0053, 0.0031                                                                                     \
    }
#define LARGE                                                                                                          \
    {                                                                                                                  \
        true, 0.60, -0.0021, 0.0064                                                                                    \
    }

static const struct line LINES[] = {
    {"fd4o", "moment", POST, 20, false, 0.02, "post, fd4o, moment"},
    {"dd4", "moment", POST, 20, false, 0.02, "post, dd4, moment"},
    {"fd4o", "moment", METAL, 80, false, 0.02, "metal, fd4o"},
    {"yee", "area", METAL, 80, false, 0.02, "metal, yee"},
    {"yee", "area", POST, 20, false, 0, "post, yee, area"},
    {"fd4o", "area", POST, 20, false, 0, "post, fd4o, area"},
    {"fd4o", "moment", POST, 14, false, 0, "post, fd4o, moment"},
    {"fd4o", "moment", POST, 28, false, 0, "post, fd4o, moment"},
    {"fd4o", "moment", METAL, 20, false, 0.02, "metal, fd4o"},
    {"fd4o", "moment", METAL, 40, false, 0.02, "metal, fd4o"},
    {"fd4o", "moment", METAL, 10, false, 0, "metal, fd4o"},
    {"fd4o", "moment", MIDDLE, 20, false, 0.02, "metal in the middle, fd4o"},
    {"fd4o", "moment", CORNER, 20, false, 0.02, "metal in a corner, fd4o"},
    {"fd4o", "moment", SMALL, 20, false, 0.02, "metal of 9 cm, fd4o"},
    {"fd4o", "moment", LARGE, 20, false, 0.02, "metal of 60 cm, fd4o"},
    {"fd4", "moment", METAL, 20, false, 0.02, "metal, fd4"},
    {"fd6", "moment", METAL, 20, false, 0.02, "metal, fd6"},
    {"fd8", "moment", METAL, 20, false, 0.02, "metal, fd8"},
    {"dd2", "moment", METAL, 20, false, 0.02, "metal, dd2"},
    {"dd3", "moment", METAL, 20, false, 0.02, "metal, dd3"},
    {"dd4", "moment", METAL, 20, false, 0.02, "metal, dd4"},
    {"yee", "area", METAL, 20, true, 0.02, "metal, yee, its dispersion apart"},
    {"yee", "area", SMALL, 20, true, 0.02, "metal of 9 cm, yee, its dispersion apart"},
    {"yee", "area", METAL, 20, false, 0, "metal, yee"},
    {"yee", "area", METAL, 40, false, 0, "metal, yee"},
};
enum { LINE_COUNT = sizeof LINES / sizeof LINES[0] };

int main(int argc, char **argv)
{
    struct validation validation = case_begin(
        argc, argv, "te_cylinder", "Horizontal polarisation: round posts",
        "A magnetic line current 0.45 m from a post of radius 0.25 m unless said otherwise, εr = 2.89 or a perfect "
        "conductor, at 0.95, 1 and 1.05 GHz: complex Hz at 24 places 0.3 m from it against the Bessel series, "
        "‖H − H_series‖/‖H_series‖. Cells per wavelength in air; the middle of the post is on no node, in the middle "
        "of "
        "the plan or in the corner of four cells. Metal lies between the nodes: faces and edges are cut. yee's own "
        "dispersion, most of its error at 20 cells, is left out where it says so: the wave number of the series is "
        "then "
        "the scheme's mean over directions, and what remains is mostly how it differs between them.");
    double error[LINE_COUNT];
#pragma omp parallel for schedule(dynamic) num_threads(case_side_by_side(&validation, PW_DOUBLE, false))
    for (int l = 0; l < LINE_COUNT; l++) {
        const bool needed =
            !validation.quick || (LINES[l].gate > 0 && (!LINES[l].post.conductor || LINES[l].post.radius < 0.2));
        error[l] = needed ? solve_error(&LINES[l], validation.backend) : NAN;
    }
    for (int l = 0; l < LINE_COUNT; l++) {
        if (!isnan(error[l]) && LINES[l].gate > 0) {
            case_gate(&validation, error[l], LINES[l].gate, "%s: error at %g cells", LINES[l].title, LINES[l].cells);
        } else if (!isnan(error[l])) {
            case_figure(&validation, error[l], "%s: error at %g cells", LINES[l].title, LINES[l].cells);
        }
    }
    return case_end(&validation);
}
