/* The sums of sensitivities over the nodes of the walls. A is the matrix of the discrete equations (node_changes.h). W
 * is that of the absorber's stretches: W A is symmetric. E_t is the field of the transmitter. E_r is that of the
 * receiver's weights, driven by D. Then
 *
 *     dH = - sum over nodes of W d(d) E_r E_t / (D I),    d(d) = (1 - 1/z) (z d(1/cb) - d(ca/cb)).
 *
 * Where a transmitter moves it is b that changes, the weights w of its source with their drive D_t:
 *
 *     dH = sum over nodes of W d(w/cb) D_t E_r / (D I).
 *
 * So a link takes two sums a parameter and frequency, over the real numbers of its nodes: those with d(1/cb), or
 * d(w/cb), and those with d(ca/cb). */
#include "run/study/gradients.h"

#include <stdlib.h>

static double complex step_factor(const struct gradients *made, int f)
{
    return cexp(I * made->setup->omega[f] * made->setup->problem.time_step);
}

/* ---- the absorber ------------------------------------------------------------------------------------------------ */

/* The stretch s of a filter at z: the filter is 1/s (absorber.h). */
static double complex stretch_of(const struct absorber_filter *filter, double complex z)
{
    return filter->gain == 1 && filter->feed == 0
               ? 1
               : 1 / (filter->gain + (filter->pole * (filter->gain - 1) + filter->feed) / (z - filter->pole));
}

static pw_status stretches_find(struct gradients *made, pw_error *error)
{
    const int frequencies = made->spectra.frequencies;
    for (int a = 0; a < 3; a++) {
        const struct axis *axis = &made->setup->problem.axis[a];
        const size_t cells = axis->node != NULL ? (size_t)axis->low.cells + (size_t)axis->high.cells : 0;
        made->stretch[a] = allocate(cells * 2 * (size_t)frequencies, sizeof **made->stretch, "the absorber", error);
        TRY_MADE(made->stretch[a]);
        for (int i = 0; cells > 0 && i < axis->count; i++) {
            const int slot = axis_filter_slot(axis, i);
            for (int f = 0; slot >= 0 && f < frequencies; f++) {
                double complex *to = made->stretch[a] + (size_t)slot * 2 * (size_t)frequencies + f;
                to[0] = stretch_of(&axis->node[i], step_factor(made, f));
                to[frequencies] = stretch_of(&axis->half[i], step_factor(made, f));
            }
        }
    }
    return PW_OK;
}

/* Without what C says of infinities, which takes most of the time of a product. */
static inline void multiply(struct products *products, int k, double re, double im)
{
    const double real = products->re[k] * re - products->im[k] * im;
    products->im[k] = products->re[k] * im + products->im[k] * re;
    products->re[k] = real;
}

/* Multiplies by W and the stretch along the component, with which the matrix becomes symmetric: one factor an axis. A
 * component of E stands half a cell on along its own axis. */
static void stretch_products(const struct gradients *made, int64_t place, int first, int count,
                             struct products *products)
{
    const struct problem *problem = &made->setup->problem;
    const int64_t nodes = problem_nodes(problem), node = place % nodes;
    const int component = problem->formulation == FORMULATION_MAXWELL3D ? (int)(place / nodes) : -1;
    const int64_t nx = problem->axis[0].count, ny = problem->axis[1].count,
                  at[3] = {node % nx, node / nx % ny, node / nx / ny};
    for (int a = 0; a < 3; a++) {
        const int slot = problem->axis[a].node != NULL ? axis_filter_slot(&problem->axis[a], (int)at[a]) : -1;
        const ptrdiff_t row = 2 * (ptrdiff_t)slot + (component == a);
        for (int k = 0; slot >= 0 && k < count; k++) {
            const double complex factor = made->stretch[a][row * made->spectra.frequencies + first + k];
            multiply(products, k, creal(factor), cimag(factor));
        }
    }
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

int place_products(const struct gradients *made, const struct varied *varied, int64_t n, const int station[2],
                   int first, struct products *products)
{
    const int rest = made->spectra.frequencies - first, count = rest < PART_FREQUENCIES ? rest : PART_FREQUENCIES;
    const int64_t slot = varied->slot[n];
    double re[PART_FREQUENCIES], im[PART_FREQUENCIES];
    station_values(&made->spectra, station[1], slot, first, count, products->re, products->im);
    if (varied->changes.transmitter < 0) {
        station_values(&made->spectra, station[0], slot, first, count, re, im);
        for (int k = 0; k < count; k++) {
            multiply(products, k, re[k], im[k]);
        }
    }
    stretch_products(made, varied->changes.place[n], first, count, products);
    return count;
}

void change_factors(const struct gradients *made, const struct varied *varied, int transmitter, int f,
                    double complex factor[2])
{
    const size_t at = ((size_t)transmitter * (size_t)made->spectra.frequencies + (size_t)f) * 2;
    const double *driven = made->spectra.driven + (size_t)f * 2, *current = made->spectra.current + at,
                 *sent = made->spectra.sent + at;
    const double complex z = step_factor(made, f),
                         unit = 1 / ((driven[0] + I * driven[1]) * (current[0] + I * current[1]));
    if (varied->changes.transmitter >= 0) {
        factor[0] = varied->changes.transmitter == transmitter ? unit * (sent[0] + I * sent[1]) : 0;
        factor[1] = 0;
    } else {
        factor[0] = -(z - 1) * unit;
        factor[1] = (1 - 1 / z) * unit;
    }
}

/* ---- links ------------------------------------------------------------------------------------------------------- */

size_t link_of(const struct gradients *made, int transmitter, int receiver)
{
    return (size_t)transmitter * (size_t)receivers_of(made) + (size_t)receiver;
}

/* dH/d ln p of parameter p at the frequencies of a part. */
static void sum_part(const struct gradients *made, int p, const int station[2], int first, double *out)
{
    const struct varied *varied = &made->varied[p];
    struct products products, storage = {{0}, {0}}, conservation = {{0}, {0}};
    int count = 0;
    for (int64_t n = 0; n < varied->changes.count; n++) {
        count = place_products(made, varied, n, station, first, &products);
        for (int k = 0; k < count; k++) {
            storage.re[k] += varied->changes.storage[n] * products.re[k];
            storage.im[k] += varied->changes.storage[n] * products.im[k];
            conservation.re[k] += varied->changes.conservation[n] * products.re[k];
            conservation.im[k] += varied->changes.conservation[n] * products.im[k];
        }
    }
    for (int k = 0; k < count; k++) {
        double complex factor[2];
        change_factors(made, varied, station[0], first + k, factor);
        const double complex sum =
            factor[0] * (storage.re[k] + I * storage.im[k]) + factor[1] * (conservation.re[k] + I * conservation.im[k]);
        out[2 * (first + k)] = creal(sum);
        out[2 * (first + k) + 1] = cimag(sum);
    }
}

static void sum_link(struct gradients *made, int transmitter, int receiver)
{
    const int frequencies = made->spectra.frequencies, station[2] = {transmitter, transmitters_of(made) + receiver},
              parts = (frequencies + PART_FREQUENCIES - 1) / PART_FREQUENCIES;
    const size_t link = link_of(made, transmitter, receiver);
#pragma omp parallel for schedule(dynamic)
    for (int job = 0; job < made->count * parts; job++) {
        const int p = job / parts;
        if (!scenario_is_wanted(made->scenario)) {
            continue; /* gradients_sum() says so */
        }
        double *out = made->gradient + 2 * (link * (size_t)made->count + (size_t)p) * (size_t)frequencies;
        sum_part(made, p, station, job % parts * PART_FREQUENCIES, out);
    }
    for (int f = 0; f < frequencies; f++) {
        const size_t at = 2 * (link * (size_t)frequencies + (size_t)f),
                     sent = 2 * ((size_t)transmitter * (size_t)frequencies + (size_t)f);
        const double *heard = made->spectra.heard + at, *current = made->spectra.current + sent;
        const double complex h = (heard[0] + I * heard[1]) / (current[0] + I * current[1]);
        made->response[at] = creal(h);
        made->response[at + 1] = cimag(h);
    }
}

pw_status gradients_wanted(const struct gradients *made, pw_error *error)
{
    return scenario_is_wanted(made->scenario) ? PW_OK : fail(error, PW_INTERRUPTED, "interrupted");
}

pw_status gradients_sum(struct gradients *made, pw_error *error)
{
    const size_t links = (size_t)transmitters_of(made) * (size_t)receivers_of(made),
                 values = 2 * (size_t)made->spectra.frequencies;
    made->response = allocate(links * values, sizeof(double), "responses", error);
    made->gradient = allocate(links * (size_t)made->count * values, sizeof(double), "gradients", error);
    TRY_MADE(made->response != NULL && made->gradient != NULL);
    TRY(stretches_find(made, error));
    for (int t = 0; t < transmitters_of(made); t++) {
        for (int r = 0; r < receivers_of(made); r++) {
            sum_link(made, t, r);
        }
    }
    return gradients_wanted(made, error);
}
