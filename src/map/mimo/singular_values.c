/* Singular values by one-sided Jacobi rotations (Golub, Van Loan: Matrix Computations, 8.6.3): columns are turned
 * against each other until all are orthogonal; their lengths are the singular values, small ones to as many digits as
 * large ones. For the few antennas of an array it needs no library. */
#include "map/mimo/mimo.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

enum { SWEEPS_MOST = 60 };
static const double ORTHOGONAL = 1e-15; /* of the product of two columns' lengths */

/* Turns columns p and q (rows each) so that they are orthogonal; false: they were. */
static bool columns_turn(double complex *p, double complex *q, int rows)
{
    double p_power = 0, q_power = 0;
    double complex product = 0;
    for (int r = 0; r < rows; r++) {
        p_power += creal(p[r]) * creal(p[r]) + cimag(p[r]) * cimag(p[r]);
        q_power += creal(q[r]) * creal(q[r]) + cimag(q[r]) * cimag(q[r]);
        product += conj(p[r]) * q[r];
    }
    const double size = cabs(product);
    if (size <= ORTHOGONAL * sqrt(p_power) * sqrt(q_power)) {
        return false;
    }
    const double zeta = (q_power - p_power) / (2 * size);
    const double tangent = copysign(1, zeta) / (fabs(zeta) + hypot(1, zeta));
    const double cosine = 1 / hypot(1, tangent), sine = cosine * tangent;
    const double complex phase = conj(product) / size;
    for (int r = 0; r < rows; r++) {
        const double complex a = p[r], b = q[r] * phase;
        p[r] = cosine * a - sine * b;
        q[r] = sine * a + cosine * b;
    }
    return true;
}

static int descending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

void singular_values(double complex *columns, int rows, int count, double *values)
{
    bool turned = true;
    for (int sweep = 0; turned && sweep < SWEEPS_MOST; sweep++) {
        turned = false;
        for (int p = 0; p < count; p++) {
            for (int q = p + 1; q < count; q++) {
                turned = columns_turn(columns + (size_t)p * (size_t)rows, columns + (size_t)q * (size_t)rows, rows) ||
                         turned;
            }
        }
    }
    for (int c = 0; c < count; c++) {
        double length = 0;
        for (int r = 0; r < rows; r++) {
            length = hypot(length, cabs(columns[(size_t)c * (size_t)rows + (size_t)r]));
        }
        values[c] = length;
    }
    qsort(values, (size_t)count, sizeof *values, descending);
}

pw_status pw_mimo_singular_values(const double *matrices, int64_t count, int rows, int columns, double *values,
                                  pw_error *error)
{
    FAIL_IF(matrices == NULL || values == NULL || count < 0 || rows < 1 || columns < 1, error, PW_USAGE,
            "pw_mimo_singular_values: %lld matrices of %d rows and %d columns", (long long)count, rows, columns);
    const bool upright = rows >= columns;
    const int longer = upright ? rows : columns, shorter = upright ? columns : rows;
    const size_t size = (size_t)rows * (size_t)columns;
    double complex *work = allocate(size, sizeof *work, "a matrix", error);
    TRY_MADE(work);
    pw_status status = PW_OK;
    for (int64_t m = 0; status == PW_OK && m < count; m++) {
        const double *matrix = matrices + 2 * (size_t)m * size;
        for (size_t n = 0; n < size; n++) {
            const size_t row = n / (size_t)columns, column = n % (size_t)columns;
            const size_t at = upright ? column * (size_t)rows + row : row * (size_t)columns + column;
            work[at] = matrix[2 * n] + matrix[2 * n + 1] * I;
            if (!isfinite(matrix[2 * n]) || !isfinite(matrix[2 * n + 1])) {
                status = fail(error, PW_BAD_INPUT, "matrix %lld has %g + %gi in row %zu and column %zu", (long long)m,
                              matrix[2 * n], matrix[2 * n + 1], row + 1, column + 1);
            }
        }
        if (status == PW_OK) {
            singular_values(work, longer, shorter, values + (size_t)m * (size_t)shorter);
        }
    }
    free(work);
    return status;
}
