/* Fields as waves around a point (waves.h). */
#include "walk/scatter/waves.h"

#include "cholesky.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double FAINT = 1e-4;  /* waves that stay below this in the disc are left out */
static const double RIDGE = 1e-12; /* of the diagonal: keeps the factor of Cholesky real */
static const double IMPEDANCE = 376.730313668;
enum { MOVE_ORDERS = 24 };

double complex field_unit(double k, double complex current, double complex unit)
{
    return 1 / (current * (-0.25 * k * IMPEDANCE) * unit);
}

/* Miller's: downwards from where nothing is left, scaled by J_0 + 2 (J_2 + J_4 + ...) = 1. */
void bessel_fill(double x, int orders, double *value)
{
    double above = 0, own = 1e-280, sum = 0;
    memset(value, 0, ((size_t)orders + 1) * sizeof *value);
    if (x < 1e-9) {
        value[0] = 1;
        return;
    }
    for (int m = 2 * ((int)fmax(orders, x) / 2 + 12 + (int)(2 * cbrt(x))); m >= 0; m--) {
        if (m <= orders) {
            value[m] = own;
        }
        sum += m % 2 == 0 ? (m > 0 ? 2 : 1) * own : 0;
        const double below = 2 * m / x * own - above;
        above = own;
        own = below;
        if (fabs(own) > 1e200) { /* small x: what came before is nothing beside it */
            own *= 1e-250;
            above *= 1e-250;
            sum *= 1e-250;
            for (int n = m; n <= orders; n++) {
                value[n] *= 1e-250;
            }
        }
    }
    for (int m = 0; m <= orders; m++) {
        value[m] /= sum;
    }
}

/* ---- the disc ---------------------------------------------------------------------------------------------------- */

pw_status disc_make(double radius, double pitch, struct disc *disc, pw_error *error)
{
    const int reach = (int)floor(radius / pitch + 1e-9), side = 2 * reach + 1;
    *disc = (struct disc){.radius = radius, .pitch = pitch, .reach = reach};
    disc->offset = allocate((size_t)side * (size_t)side, sizeof *disc->offset, "points around a person", error);
    TRY_MADE(disc->offset);
    for (int row = -reach; row <= reach; row++) {
        for (int column = -reach; column <= reach; column++) {
            if (hypot(row, column) * pitch <= radius * (1 + 1e-9)) {
                disc->offset[disc->count][0] = column;
                disc->offset[disc->count++][1] = row;
            }
        }
    }
    return PW_OK;
}

void disc_free(struct disc *disc)
{
    free(disc->offset);
    *disc = (struct disc){0};
}

/* ---- least squares ----------------------------------------------------------------------------------------------- */

int waves_orders(double k, double radius)
{
    int orders = (int)ceil(k * radius);
    while (fabs(jn(orders + 1, k * radius)) > FAINT) {
        orders++;
    }
    return orders;
}

/* Column 0 is m = 0, then cos and sin of each m. Those of high orders are small: they are scaled, so that the matrix
 * of the normal equations has a diagonal of about one size. */
static void fill_basis(const struct disc *disc, struct fit *fit)
{
    const int columns = 2 * fit->orders + 1;
    for (int n = 0; n < disc->count; n++) {
        const double x = disc->offset[n][0] * disc->pitch, y = disc->offset[n][1] * disc->pitch;
        const double r = fit->k * hypot(x, y), phi = atan2(y, x);
        double *row = fit->basis + (size_t)n * (size_t)columns;
        row[0] = j0(r);
        for (int m = 1; m <= fit->orders; m++) {
            const double j = jn(m, r);
            row[2 * m - 1] = j * cos(m * phi);
            row[2 * m] = j * sin(m * phi);
        }
    }
}

/* The lower factor of the scaled normal equations, in place of them. */
static void factor(double *normal, int columns)
{
    for (int i = 0; i < columns; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = normal[i * columns + j] + (i == j ? RIDGE : 0);
            for (int k = 0; k < j; k++) {
                sum -= normal[i * columns + k] * normal[j * columns + k];
            }
            normal[i * columns + j] = i == j ? sqrt(fmax(sum, RIDGE)) : sum / normal[j * columns + j];
        }
    }
}

/* `work` holds the normal equations, the scales of the columns and one column. */
static void solve_basis(const struct disc *disc, struct fit *fit, double *work)
{
    const int columns = 2 * fit->orders + 1;
    double *normal = work, *scale = work + columns * columns, *one = scale + columns;
    for (int i = 0; i < columns; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int n = 0; n < disc->count; n++) {
                sum += fit->basis[n * columns + i] * fit->basis[n * columns + j];
            }
            normal[i * columns + j] = sum;
        }
        scale[i] = 1 / sqrt(fmax(normal[i * columns + i], 1e-300));
    }
    for (int i = 0; i < columns; i++) {
        for (int j = 0; j <= i; j++) {
            normal[i * columns + j] *= scale[i] * scale[j];
        }
    }
    factor(normal, columns);
    for (int n = 0; n < disc->count; n++) {
        for (int i = 0; i < columns; i++) {
            one[i] = fit->basis[n * columns + i] * scale[i];
        }
        cholesky_solve(normal, columns, one);
        for (int i = 0; i < columns; i++) {
            fit->matrix[n * columns + i] = one[i] * scale[i];
        }
    }
}

pw_status fit_make(const struct disc *disc, double k, struct fit *fit, pw_error *error)
{
    *fit = (struct fit){.k = k, .orders = waves_orders(k, disc->radius)};
    const size_t columns = 2 * (size_t)fit->orders + 1, count = (size_t)disc->count;
    fit->basis = allocate(count * columns, sizeof *fit->basis, "waves around a person", error);
    fit->matrix = allocate(count * columns, sizeof *fit->matrix, "waves around a person", error);
    double *work = allocate(columns * (columns + 2), sizeof *work, "waves around a person", error);
    if (fit->basis == NULL || fit->matrix == NULL || work == NULL) {
        free(work);
        fit_free(fit);
        return PW_NO_RESOURCE;
    }
    fill_basis(disc, fit);
    solve_basis(disc, fit, work);
    free(work);
    return PW_OK;
}

void fit_free(struct fit *fit)
{
    free(fit->basis);
    free(fit->matrix);
    *fit = (struct fit){0};
}

void fit_apply(const struct fit *fit, const struct disc *disc, const double complex *sample, double complex *wave)
{
    const int orders = fit->orders, columns = 2 * orders + 1;
    double real[columns], imaginary[columns];
    memset(real, 0, sizeof real);
    memset(imaginary, 0, sizeof imaginary);
    for (int n = 0; n < disc->count; n++) {
        const double *row = fit->matrix + (size_t)n * (size_t)columns, re = creal(sample[n]), im = cimag(sample[n]);
        for (int i = 0; i < columns; i++) {
            real[i] += row[i] * re;
            imaginary[i] += row[i] * im;
        }
    }
    wave[orders] = real[0] + I * imaginary[0];
    for (int m = 1; m <= orders; m++) {
        const double complex even = real[2 * m - 1] + I * imaginary[2 * m - 1],
                             odd = real[2 * m] + I * imaginary[2 * m];
        wave[orders + m] = 0.5 * (even - I * odd);
        wave[orders - m] = (m % 2 == 0 ? 0.5 : -0.5) * (even + I * odd);
    }
}

void fit_check(const struct fit *fit, const struct disc *disc, const double complex *sample, const double complex *wave,
               double square[2])
{
    const int orders = fit->orders, columns = 2 * orders + 1;
    for (int n = 0; n < disc->count; n++) {
        const double *row = fit->basis + (size_t)n * (size_t)columns;
        double complex sum = row[0] * wave[orders];
        for (int m = 1; m <= orders; m++) {
            const double complex up = wave[orders + m], down = (m % 2 == 0 ? 1 : -1) * wave[orders - m];
            sum += row[2 * m - 1] * (up + down) + row[2 * m] * I * (up - down);
        }
        square[0] += pow(cabs(sample[n] - sum), 2);
        square[1] += pow(cabs(sample[n]), 2);
    }
}

/* Graf's addition theorem: J_m e^{jm phi} around the old point is the sum over n of J_{m-n}(k d) e^{j(m-n) delta} times
 * J_n e^{jn phi} around the new one. */
void waves_move(const struct fit *fit, const double complex *wave, double x, double y, double complex *moved)
{
    const int orders = fit->orders;
    const double d = fit->k * hypot(x, y), delta = atan2(y, x);
    double complex shift[2 * MOVE_ORDERS + 1];
    int most = 0;
    for (int l = 0; l <= MOVE_ORDERS; l++) {
        const double j = jn(l, d);
        shift[MOVE_ORDERS + l] = j * cexp(I * (l * delta));
        shift[MOVE_ORDERS - l] = (l % 2 == 0 ? j : -j) * cexp(-I * (l * delta));
        most = fabs(j) > 1e-9 ? l : most;
    }
    for (int n = -orders; n <= orders; n++) {
        double complex sum = 0;
        const int low = n - most > -orders ? n - most : -orders, high = n + most < orders ? n + most : orders;
        for (int m = low; m <= high; m++) {
            sum += wave[orders + m] * shift[MOVE_ORDERS + m - n];
        }
        moved[orders + n] = sum;
    }
}
