/* Doppler spectra (doppler.h). */
#include "walk/doppler.h"

#include <math.h>
#include <stdlib.h>

enum { LEAST_WINDOW = 8, MOST_WINDOW = 4096, HOPS = 8 };
static const double WINDOW = 0.5; /* s, about: a step of a person */

/* A power of two of samples, at most the walk. */
static int window_length(const struct walk *walk)
{
    int length = LEAST_WINDOW;
    while (length < WINDOW * walk->rate && 2 * length <= walk->poses && length < MOST_WINDOW) {
        length *= 2;
    }
    return length;
}

/* The Fourier transform of `length`, a power of two, values that stand `stride` apart, by halves. */
static void transform(const double complex *in, int length, int stride, double complex *out)
{
    const int half = length / 2;
    if (length == 1) {
        out[0] = in[0];
        return;
    }
    transform(in, half, 2 * stride, out);
    transform(in + stride, half, 2 * stride, out + half);
    for (int n = 0; n < half; n++) {
        const double complex even = out[n], odd = cexp(-I * (2 * M_PI * n / length)) * out[half + n];
        out[n] = even + odd;
        out[half + n] = even - odd;
    }
}

/* |DFT|^2 of the window from `first` on at one frequency of a link is added to `sum` (length). */
static void add_window(const struct walk *walk, int first, int length, size_t at, double *sum)
{
    const size_t values = (size_t)walk->frequencies * walk_links(walk);
    double complex series[length], spectrum[length];
    double weight = 0;
    for (int n = 0; n < length; n++) {
        const double hann = 0.5 * (1 - cos(2 * M_PI * (n + 0.5) / length));
        series[n] = hann * (walk->csi[(size_t)(first + n) * values + at] - walk->empty[at]);
        weight += hann * hann;
    }
    transform(series, length, 1, spectrum);
    for (int bin = 0; bin < length; bin++) { /* the middle bin is no shift */
        const double complex value = spectrum[(bin + length / 2) % length];
        sum[bin] += creal(value * conj(value)) / (weight * length * walk->frequencies);
    }
}

static pw_status fill(const struct walk *walk, struct doppler *doppler, int hop, pw_error *error)
{
    const int length = doppler->bins;
    const size_t links = walk_links(walk);
    double *sums = allocate((size_t)doppler->windows * links * (size_t)length, sizeof *sums, "Doppler spectra", error);
    TRY_MADE(sums);
#pragma omp parallel for schedule(dynamic)
    for (size_t job = 0; job < (size_t)doppler->windows * links; job++) {
        const size_t window = job / links, link = job % links;
        double *sum = sums + job * (size_t)length;
        for (size_t f = 0; f < (size_t)walk->frequencies; f++) {
            add_window(walk, (int)window * hop, length, f * links + link, sum);
        }
        for (size_t bin = 0; bin < (size_t)length; bin++) {
            doppler->power[(window * (size_t)length + bin) * links + link] = (float)sum[bin];
        }
    }
    free(sums);
    return PW_OK;
}

pw_status doppler_make(const struct walk *walk, struct doppler *doppler, pw_error *error)
{
    const int length = window_length(walk), hop = length / HOPS;
    *doppler = (struct doppler){.bins = length};
    if (walk->poses < length) {
        return PW_OK;
    }
    doppler->windows = (walk->poses - length) / hop + 1;
    const size_t windows = (size_t)doppler->windows;
    doppler->time = allocate(windows, sizeof *doppler->time, "Doppler spectra", error);
    doppler->frequency = allocate((size_t)length, sizeof *doppler->frequency, "Doppler spectra", error);
    doppler->power =
        allocate(windows * (size_t)length * walk_links(walk), sizeof *doppler->power, "Doppler spectra", error);
    TRY_MADE(doppler->time);
    TRY_MADE(doppler->frequency);
    TRY_MADE(doppler->power);
    for (int n = 0; n < doppler->windows; n++) {
        doppler->time[n] = (n * hop + 0.5 * (length - 1)) / walk->rate;
    }
    for (int bin = 0; bin < length; bin++) {
        doppler->frequency[bin] = (bin - length / 2) * walk->rate / length;
    }
    return fill(walk, doppler, hop, error);
}

void doppler_free(struct doppler *doppler)
{
    free(doppler->time);
    free(doppler->frequency);
    free(doppler->power);
    *doppler = (struct doppler){0};
}
