/* Table 6 of paper 003: the field of a pulse at the end of 2N steps on N x N cells, brought to 1024 x 1024 by the
 * scheme's own basis, and eq. 8; what the paper leaves out is in physics.md section 8. Shared by the tests and
 * validation/. */
#ifndef TABLE6_H
#define TABLE6_H

#include "tests/support/solve.h"

static const double TABLE6_PRINTED[4][4] = {{0.846459, 0.226759, 0.266180, 0.231539},
                                            {0.347350, 0.069684, 0.058343, 0.052993},
                                            {0.124425, 0.023564, 0.022286, 0.022157},
                                            {0.042972, 0.010024, 0.009923, 0.009920}};
static const char *const TABLE6_SCHEMES[] = {"yee", "dd2", "dd3", "dd4"};

static inline double *table6_field(const char *scheme, int n, const char *backend)
{
    char text[1024];
    snprintf(
        text, sizeof text,
        "plan: {size: [6.4, 6.4]}\n"
        "grid: {scheme: %s, cell: %.17g, courant: 0.25, absorber: {kind: none}}\n"
        "band: {centre: 0.8 GHz, width: 0.2 GHz}\n"
        "transmitters:\n"
        "  - {name: t, at: [3.2, 3.2], sampled_at: end, waveform: {kind: gaussian, width: 0.5 ns, delay: 1.5 ns}}\n"
        "stop: {steps: %d}\n",
        scheme, 6.4 / n, 2 * n);
    struct solved solved = solve(text, PW_DOUBLE, backend);
    double *ez = calloc((size_t)n * (size_t)n, sizeof(double));
    pw_error error = {{0}};
    SOLVE_CHECK(pw_simulation_field(solved.simulation, 0, ez, &error), &error);
    solve_free(&solved);
    return ez;
}

/* Halves the spacing along one axis by the Deslauriers-Dubuc rule of order 2k-1; outside the grid the field is zero. */
static inline void refine_line(const double *coarse, int n, int stride_in, double *fine, int stride_out, int k)
{
    static const double MIDPOINT[3][4] = {{9 / 16.0, -1 / 16.0},
                                          {150 / 256.0, -25 / 256.0, 3 / 256.0},
                                          {1225 / 2048.0, -245 / 2048.0, 49 / 2048.0, -5 / 2048.0}};
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int l = 0; l < k; l++) {
            double low = i - l >= 0 ? coarse[(i - l) * stride_in] : 0;
            double high = i + 1 + l < n ? coarse[(i + 1 + l) * stride_in] : 0;
            sum += MIDPOINT[k - 2][l] * (low + high);
        }
        fine[2 * i * stride_out] = coarse[i * stride_in];
        fine[(2 * i + 1) * stride_out] = sum;
    }
}

/* To 1024 x 1024 by the scheme's own basis: yee (k = 1) by the box [i, i+1), dd by its interpolant. Frees its argument.
 */
static inline double *refine_field(double *field, int n, int k)
{
    while (n < 1024) {
        double *wide = calloc(2 * (size_t)n * (size_t)n, sizeof(double));
        double *fine = calloc(4 * (size_t)n * (size_t)n, sizeof(double));
        for (int j = 0; j < 2 * n && k == 1; j++) {
            for (int i = 0; i < 2 * n; i++) {
                fine[j * 2 * n + i] = field[(j / 2) * n + i / 2];
            }
        }
        for (int j = 0; j < n && k > 1; j++) {
            refine_line(field + j * n, n, 1, wide + j * 2 * n, 1, k);
        }
        for (int i = 0; i < 2 * n && k > 1; i++) {
            refine_line(wide + i, n, 2 * n, fine + i, 2 * n, k);
        }
        free(wide);
        free(field);
        field = fine;
        n *= 2;
    }
    return field;
}

static inline double relative_error(const double *test, const double *reference, size_t count)
{
    double difference = 0, norm = 0;
    for (size_t n = 0; n < count; n++) {
        difference += (test[n] - reference[n]) * (test[n] - reference[n]);
        norm += reference[n] * reference[n];
    }
    return sqrt(difference / norm);
}

#endif
