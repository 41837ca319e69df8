/* Cylindrical harmonics fitted to samples (plane_waves.h). */
#include "channel/angles/plane_waves.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int ORDERS_MORE = 3;          /* than kr: by then J_n at the rim has fallen to a few per cent */
static const double REGULARISATION = 1e-6; /* of the mean square of a harmonic over the disc */

int plane_waves_order(double wave_number, double radius)
{
    int order = (int)floor(wave_number * radius) + ORDERS_MORE;
    return order < ORDER_LIMIT ? order : ORDER_LIMIT;
}

/* J_0 to J_order at x: Miller's downward recurrence, normed by J_0 + 2 J_2 + 2 J_4 + ... = 1 (Abramowitz and Stegun
 * 9.1.46, 9.12). */
static void bessel_fill(double x, int order, double *value)
{
    double above = 0.0, here = 1e-300, sum = 0.0;
    int start = 2 * ((order + (int)x + 40) / 2);
    memset(value, 0, (size_t)(order + 1) * sizeof *value);
    for (int n = start; n >= 0; n--) {
        if (n <= order) {
            value[n] = here;
        }
        sum += n == 0 ? here : n % 2 == 0 ? 2.0 * here : 0.0;
        double below = x > 0.0 ? 2.0 * n / x * here - above : 0.0;
        above = here;
        here = below;
        if (fabs(here) > 1e200) { /* keep in range: all of it is normed in the end */
            here *= 1e-250;
            above *= 1e-250;
            sum *= 1e-250;
            for (int m = n; m <= order; m++) {
                value[m] *= 1e-250;
            }
        }
    }
    for (int n = 0; n <= order; n++) {
        value[n] = x > 1e-12 ? value[n] / sum : n == 0 ? 1.0 : 0.0;
    }
}

/* Row of the matrix: every harmonic at one sample, (2 order + 1). */
static void row_fill(const struct disc *disc, int sample, double wave_number, int order, double complex *row)
{
    double bessel[ORDER_LIMIT + 1], x = disc->x[sample], y = disc->y[sample], azimuth = atan2(y, x);
    bessel_fill(wave_number * hypot(x, y), order, bessel);
    for (int n = 0; n <= order; n++) {
        double complex turned = bessel[n] * cexp(I * (double)n * azimuth);
        row[order + n] = turned;
        row[order - n] = (n % 2 == 0 ? 1.0 : -1.0) * conj(turned); /* J_-n = (-1)^n J_n */
    }
}

/* Cholesky factor L of a Hermitian matrix (size, size), in place in its lower half; false: it is not positive. */
static bool factor_hermitian(double complex *matrix, int size)
{
    for (int i = 0; i < size; i++) {
        for (int j = 0; j <= i; j++) {
            double complex rest = matrix[i * size + j];
            for (int k = 0; k < j; k++) {
                rest -= matrix[i * size + k] * conj(matrix[j * size + k]);
            }
            if (i == j && !(creal(rest) > 0.0)) {
                return false;
            }
            matrix[i * size + j] = i == j ? sqrt(creal(rest)) : rest / creal(matrix[j * size + j]);
        }
    }
    return true;
}

/* Solves L L^H x = b in place. */
static void solve_factored(const double complex *factor, int size, double complex *b)
{
    for (int i = 0; i < size; i++) {
        for (int k = 0; k < i; k++) {
            b[i] -= factor[i * size + k] * b[k];
        }
        b[i] /= creal(factor[i * size + i]);
    }
    for (int i = size - 1; i >= 0; i--) {
        for (int k = i + 1; k < size; k++) {
            b[i] -= conj(factor[k * size + i]) * b[k];
        }
        b[i] /= creal(factor[i * size + i]);
    }
}

/* Normal equations: `gram` A^H A, `right` A^H E, of rows (count, size). */
static void normal_fill(const double complex *rows, int count, int size, const double *field, double complex *gram,
                        double complex *right)
{
    for (int s = 0; s < count; s++) {
        const double complex *row = rows + (size_t)s * (size_t)size, value = field[2 * s] + I * field[2 * s + 1];
        for (int i = 0; i < size; i++) {
            double complex weight = conj(row[i]);
            right[i] += weight * value;
            for (int j = 0; j <= i; j++) {
                gram[i * size + j] += weight * row[j];
            }
        }
    }
}

static double residual_of(const double complex *rows, int count, int size, const double *field,
                          const double complex *harmonics)
{
    double missed = 0.0, all = 0.0;
    for (int s = 0; s < count; s++) {
        double complex value = field[2 * s] + I * field[2 * s + 1];
        all += creal(value * conj(value));
        for (int i = 0; i < size; i++) {
            value -= rows[(size_t)s * (size_t)size + (size_t)i] * harmonics[i];
        }
        missed += creal(value * conj(value));
    }
    return all > 0.0 ? sqrt(missed / all) : 0.0;
}

pw_status plane_waves_fit(const struct disc *disc, double wave_number, int order, const double *field,
                          double *harmonics, double *residual, pw_error *error)
{
    int size = 2 * order + 1;
    FAIL_IF(order < 0 || order > ORDER_LIMIT || disc->count < size, error, PW_BAD_INPUT,
            "%d samples of the field for %d waves around a place", disc->count, size);
    size_t width = (size_t)size;
    OWNED double complex *rows =
        allocate((size_t)disc->count * width + width * width + width, sizeof *rows, "the waves around a place", error);
    TRY_MADE(rows);
    double complex *gram = rows + (size_t)disc->count * width, *right = gram + width * width;
    double trace = 0.0;
    for (int s = 0; s < disc->count; s++) {
        row_fill(disc, s, wave_number, order, rows + (size_t)s * width);
    }
    normal_fill(rows, disc->count, size, field, gram, right);
    for (int i = 0; i < size; i++) {
        trace += creal(gram[i * size + i]);
    }
    for (int i = 0; i < size; i++) {
        gram[i * size + i] += REGULARISATION * trace / size;
    }
    FAIL_IF(!factor_hermitian(gram, size), error, PW_BAD_INPUT, "the field around a place is not that of waves");
    solve_factored(gram, size, right);
    *residual = residual_of(rows, disc->count, size, field, right);
    for (int i = 0; i < size; i++) {
        harmonics[2 * i] = creal(right[i]);
        harmonics[2 * i + 1] = cimag(right[i]);
    }
    return PW_OK;
}

/* cos^2 over the orders, which ends at order + 1. */
static double taper(int n, int order)
{
    double c = cos(0.5 * M_PI * n / (order + 1));
    return c * c;
}

/* j^-n. */
static double complex turn_back(int n)
{
    static const double complex turns[4] = {1.0, -I, -1.0, I};
    return turns[((n % 4) + 4) % 4];
}

void plane_waves_spectrum(const double *harmonics, int order, int count, double *amplitude)
{
    double weight = 0.0;
    for (int n = -order; n <= order; n++) {
        weight += taper(n, order);
    }
    for (int a = 0; a < count; a++) {
        double complex sum = 0.0, step = cexp(2.0 * I * M_PI * a / count), turn = conj(cpow(step, order));
        for (int n = -order; n <= order; n++, turn *= step) {
            const double *c = harmonics + 2 * (ptrdiff_t)(n + order);
            sum += taper(n, order) * (c[0] + I * c[1]) * turn_back(n) * turn;
        }
        amplitude[2 * a] = creal(sum) / weight;
        amplitude[2 * a + 1] = cimag(sum) / weight;
    }
}

double plane_waves_beam_width(int order)
{
    double low = 0.0, high = M_PI / (order + 1);
    for (int k = 0; k < 40; k++) { /* of the lobe |sum taper e^jnx|, by bisection */
        double at = 0.5 * (low + high), sum = 0.0, weight = 0.0;
        for (int n = -order; n <= order; n++) {
            sum += taper(n, order) * cos(n * at);
            weight += taper(n, order);
        }
        *(sum / weight > sqrt(0.5) ? &low : &high) = at;
    }
    return 2.0 * low;
}

void plane_waves_receive(const double *harmonics, int order, const double *pattern, int count, double *re, double *im)
{
    double complex sum = 0.0;
    for (int n = -order; n <= order; n++) {
        double complex coefficient = 0.0; /* of exp(jn alpha) */
        for (int a = 0; a < count; a++) {
            coefficient += pattern[a] * cexp(-2.0 * I * M_PI * n * a / count);
        }
        const double *c = harmonics + 2 * (ptrdiff_t)(order - n);
        sum += coefficient / count * turn_back(-n) * (c[0] + I * c[1]);
    }
    *re = creal(sum);
    *im = cimag(sum);
}
