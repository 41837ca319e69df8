/* Polynomial chaos (chaos.h). */
#include "uncertainty/chaos.h"

#include "tools/cholesky.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int chaos_terms(int dimensions, int degree)
{
    return degree == 1 ? 1 + dimensions : (dimensions + 1) * (dimensions + 2) / 2;
}

/* Orthonormal polynomials of one dimension. */
static double polynomial(bool uniform, int degree, double x)
{
    if (degree == 1) {
        return uniform ? sqrt(3.0) * x : x;
    }
    return uniform ? sqrt(5.0) * (3 * x * x - 1) / 2 : (x * x - 1) / M_SQRT2;
}

void chaos_polynomials(const struct chaos *chaos, const double *number, double *out)
{
    for (int t = 0; t < chaos->terms; t++) {
        int a = chaos->first[t], b = chaos->second[t];
        out[t] = 1.0;
        if (a >= 0 && a == b) {
            out[t] = polynomial(chaos->uniform[a], 2, number[a]);
        } else if (a >= 0) {
            out[t] = polynomial(chaos->uniform[a], 1, number[a]);
            out[t] *= b >= 0 ? polynomial(chaos->uniform[b], 1, number[b]) : 1.0;
        }
    }
}

/* The constant, the dimensions one by one, then their products. */
static void terms_list(struct chaos *chaos)
{
    int t = 0;
    chaos->first[t] = chaos->second[t] = -1;
    t++;
    for (int a = 0; a < chaos->dimensions; a++, t++) {
        chaos->first[t] = a;
        chaos->second[t] = -1;
    }
    for (int a = 0; chaos->degree == 2 && a < chaos->dimensions; a++) {
        for (int b = a; b < chaos->dimensions; b++, t++) {
            chaos->first[t] = a;
            chaos->second[t] = b;
        }
    }
}

/* Cholesky's factor of the symmetric `matrix` (terms, terms) in its lower half; false when it is singular. */
static bool factorise(double *matrix, int terms)
{
    for (int i = 0; i < terms; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = matrix[i * terms + j];
            for (int k = 0; k < j; k++) {
                sum -= matrix[i * terms + k] * matrix[j * terms + k];
            }
            if (i == j && !(sum > 1e-10)) {
                return false;
            }
            matrix[i * terms + j] = i == j ? sqrt(sum) : sum / matrix[j * terms + j];
        }
    }
    return true;
}

/* Column `sample` of the projector: (A'A)^-1 a by the factor. */
static void column_solve(struct chaos *chaos, const double *factor, int sample, double *x)
{
    int terms = chaos->terms;
    const double *row = chaos->design + (size_t)sample * (size_t)terms;
    memcpy(x, row, (size_t)terms * sizeof *x);
    cholesky_solve(factor, terms, x);
    chaos->leverage[sample] = 0.0;
    for (int i = 0; i < terms; i++) {
        chaos->projector[(size_t)i * (size_t)chaos->samples + (size_t)sample] = x[i] / chaos->samples;
        chaos->leverage[sample] += row[i] * x[i] / chaos->samples;
    }
}

static pw_status project(struct chaos *chaos, double *factor, double *x, pw_error *error)
{
    int terms = chaos->terms;
    for (int i = 0; i < terms; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = 0.0;
            for (int n = 0; n < chaos->samples; n++) {
                const double *row = chaos->design + (size_t)n * (size_t)terms;
                sum += row[i] * row[j];
            }
            factor[i * terms + j] = sum / chaos->samples;
        }
    }
    FAIL_IF(!factorise(factor, terms), error, PW_NUMERICAL,
            "%d draws do not determine %d polynomials: give more samples", chaos->samples, terms);
    for (int n = 0; n < chaos->samples; n++) {
        column_solve(chaos, factor, n, x);
    }
    return PW_OK;
}

/* Which polynomials there are. */
static pw_status chaos_begin(const struct draws *draws, int samples, int degree, struct chaos *chaos, pw_error *error)
{
    *chaos = (struct chaos){.dimensions = draws->dimensions,
                            .samples = samples,
                            .degree = degree,
                            .terms = chaos_terms(draws->dimensions, degree)};
    for (int d = 0; d < chaos->dimensions; d++) {
        chaos->uniform[d] = draws->dimension[d].uniform;
    }
    chaos->first = allocate((size_t)chaos->terms, sizeof *chaos->first, "polynomials", error);
    chaos->second = allocate((size_t)chaos->terms, sizeof *chaos->second, "polynomials", error);
    if (chaos->first == NULL || chaos->second == NULL) {
        chaos_free(chaos);
        return PW_NO_RESOURCE;
    }
    terms_list(chaos);
    return PW_OK;
}

pw_status chaos_lines(const struct draws *draws, struct chaos *chaos, pw_error *error)
{
    return chaos_begin(draws, 0, 1, chaos, error);
}

static pw_status chaos_fill(const struct draws *draws, struct chaos *chaos, pw_error *error)
{
    size_t terms = (size_t)chaos->terms, samples = (size_t)chaos->samples;
    chaos->projector = allocate(terms * samples, sizeof(double), "polynomials", error);
    chaos->design = allocate(terms * samples, sizeof(double), "polynomials", error);
    chaos->leverage = allocate(samples, sizeof(double), "polynomials", error);
    OWNED double *factor = allocate(terms * (terms + 1), sizeof *factor, "polynomials", error);
    TRY_MADE(chaos->projector != NULL && chaos->design != NULL && chaos->leverage != NULL && factor != NULL);
    for (size_t n = 0; n < samples; n++) {
        chaos_polynomials(chaos, draws->number + n * (size_t)draws->dimensions, chaos->design + n * terms);
    }
    return project(chaos, factor, factor + terms * terms, error);
}

pw_status chaos_create(const struct draws *draws, int degree, struct chaos *chaos, pw_error *error)
{
    int least = 2 * chaos_terms(draws->dimensions, degree);
    *chaos = (struct chaos){0};
    FAIL_IF(draws->count < least, error, PW_USAGE, "polynomials of degree %d in %d numbers want at least %d samples",
            degree, draws->dimensions, least);
    TRY(chaos_begin(draws, draws->count, degree, chaos, error));
    pw_status status = chaos_fill(draws, chaos, error);
    if (status != PW_OK) {
        chaos_free(chaos);
    }
    return status;
}

void chaos_free(struct chaos *chaos)
{
    free(chaos->first);
    free(chaos->second);
    free(chaos->projector);
    free(chaos->design);
    free(chaos->leverage);
    *chaos = (struct chaos){0};
}

double chaos_fit(const struct chaos *chaos, const double *values, double *coefficients)
{
    double sum = 0.0;
    for (int t = 0; t < chaos->terms; t++) {
        const double *row = chaos->projector + (size_t)t * (size_t)chaos->samples;
        coefficients[t] = 0.0;
        for (int n = 0; n < chaos->samples; n++) {
            coefficients[t] += row[n] * values[n];
        }
    }
    for (int n = 0; n < chaos->samples; n++) {
        const double *row = chaos->design + (size_t)n * (size_t)chaos->terms;
        double residual = values[n];
        for (int t = 0; t < chaos->terms; t++) {
            residual -= coefficients[t] * row[t];
        }
        residual /= fmax(1.0 - chaos->leverage[n], 1e-12);
        sum += residual * residual;
    }
    return sum;
}
