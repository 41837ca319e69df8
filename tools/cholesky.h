/* Cholesky's factor of a symmetric matrix. How it is made, and what is done about a matrix that has none, is up to who
 * needs it. */
#pragma once

/* Solves L L' x = b in place; l (n, n) has the lower factor, what stands above its diagonal is not read. */
static inline void cholesky_solve(const double *l, int n, double *b)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) {
            b[i] -= l[i * n + k] * b[k];
        }
        b[i] /= l[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) {
            b[i] -= l[k * n + i] * b[k];
        }
        b[i] /= l[i * n + i];
    }
}
