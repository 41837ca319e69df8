/* What a channel between two arrays carries, by its matrix at every frequency (api/mimo.h). Which matrices there are in
 * a result is found by mimo_links.c. */
#include "map/mimo/mimo.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

/* ---- capacity ---------------------------------------------------------------------------------------------------- */

/* Telatar, Eur. Trans. Telecommun. 10 (1999) 585, and there section 3.1: streams get what the water level is over their
 * noise 1/(snr s^2); the weakest ones get nothing. */
double pw_mimo_capacity(const double *values, int streams, int antennas, double snr, bool water_filling)
{
    double bits = 0, noise = 0, level = 0;
    int filled = 0;
    for (int n = 0; n < streams && water_filling; n++) {
        const double own = 1 / (snr * values[n] * values[n]);
        if (!(own < (1 + noise + own) / (n + 1))) {
            break; /* it would get nothing, and so would the weaker ones */
        }
        noise += own;
        level = (1 + noise) / (n + 1);
        filled = n + 1;
    }
    for (int n = 0; n < (water_filling ? filled : streams); n++) {
        const double power = water_filling ? level - 1 / (snr * values[n] * values[n]) : 1.0 / antennas;
        bits += log2(1 + power * snr * values[n] * values[n]);
    }
    return bits;
}

/* ---- beams, correlation, polarisation ------------------------------------------------------------------------------
 */

/* The channel seen from one end: antennas of that end first. */
struct view {
    const pw_mimo_channel *channel;
    bool transmitter;
    int near, far, elements; /* antennas of this end and of the other; elements: antennas of one polarisation */
    const int *shape;
};

static struct view view_of(const pw_mimo_channel *channel, bool transmitter)
{
    const int *shape = transmitter ? channel->transmitter_shape : channel->receiver_shape;
    return (struct view){channel,
                         transmitter,
                         transmitter ? channel->transmitters : channel->receivers,
                         transmitter ? channel->receivers : channel->transmitters,
                         shape[0] * shape[1],
                         shape};
}

/* H between antenna n of this end and antenna m of the other at frequency f; 0 where masked. */
static double complex view_at(const struct view *view, int n, int m, int f)
{
    const pw_mimo_channel *channel = view->channel;
    const int row = view->transmitter ? m : n, column = view->transmitter ? n : m;
    const size_t at = ((size_t)row * (size_t)channel->transmitters + (size_t)column) * (size_t)channel->frequency_count;
    const double *value = channel->response + 2 * (at + (size_t)f);
    return isnan(value[0]) ? 0 : value[0] + value[1] * I;
}

/* Sum over the other end and the band of conj(H of n) (H of m). */
static double complex product(const struct view *view, int n, int m)
{
    double complex sum = 0;
    for (int k = 0; k < view->far; k++) {
        for (int f = 0; f < view->channel->frequency_count; f++) {
            sum += conj(view_at(view, n, k, f)) * view_at(view, m, k, f);
        }
    }
    return sum;
}

/* Gram matrix of the antennas of this end (near, near), owned by the caller. */
static double complex *gram_create(const struct view *view, pw_error *error)
{
    const size_t near = (size_t)view->near;
    double complex *gram = allocate(near * near, sizeof *gram, "a correlation", error);
    for (int n = 0; gram != NULL && n < view->near; n++) {
        for (int m = 0; m <= n; m++) {
            const double complex sum = product(view, n, m);
            gram[(size_t)n * near + (size_t)m] = sum;
            gram[(size_t)m * near + (size_t)n] = conj(sum);
        }
    }
    return gram;
}

/* Power of beam (row, column) of the codebook on the elements of one polarisation: w^H R w. */
static double beam_power(const struct view *view, const double complex *gram, int polarisation, int beam)
{
    const int rows = view->shape[0], columns = view->shape[1], first = polarisation * view->elements;
    double power = 0;
    for (int n = 0; n < view->elements; n++) {
        for (int m = 0; m < view->elements; m++) {
            const double turn = (double)(beam % rows * (m % rows - n % rows)) / rows +
                                (double)(beam / rows * (m / rows - n / rows)) / columns;
            const double complex value = gram[(size_t)(first + n) * (size_t)view->near + (size_t)(first + m)];
            power += creal(value * cexp(2 * M_PI * turn * I));
        }
    }
    return power / view->elements;
}

/* 10 lg of the best beam over the mean antenna. */
static double beam_gain(const struct view *view, const double complex *gram)
{
    double best = 0, mean = 0;
    for (int n = 0; n < view->near; n++) {
        mean += creal(gram[(size_t)n * (size_t)view->near + (size_t)n]) / view->near;
    }
    for (int p = 0; p < view->shape[2]; p++) {
        for (int beam = 0; beam < view->elements; beam++) {
            best = fmax(best, beam_power(view, gram, p, beam));
        }
    }
    return 10 * log10(best / mean);
}

static double correlation(const struct view *view, const double complex *gram)
{
    const size_t near = (size_t)view->near;
    double sum = 0;
    int pairs = 0;
    for (size_t n = 0; n < near; n++) {
        for (size_t m = n + 1; m < near && m / (size_t)view->elements == n / (size_t)view->elements; m++) {
            sum += cabs(gram[n * near + m]) / sqrt(creal(gram[n * near + n]) * creal(gram[m * near + m]));
            pairs++;
        }
    }
    return pairs > 0 ? sum / pairs : NAN;
}

static pw_status end_read(const pw_mimo_channel *channel, bool transmitter, double *beam_db, double *correlated,
                          pw_error *error)
{
    const struct view view = view_of(channel, transmitter);
    double complex *gram = gram_create(&view, error);
    TRY_MADE(gram);
    *beam_db = beam_gain(&view, gram);
    *correlated = correlation(&view, gram);
    free(gram);
    return PW_OK;
}

/* Two arrays that face each other see the slants of the other mirrored, so that either pairing may be the aligned one.
 */
static double cross_polar(const pw_mimo_channel *channel)
{
    const struct view view = view_of(channel, true);
    const int half = channel->receiver_shape[0] * channel->receiver_shape[1];
    double straight = 0, crosswise = 0;
    if (channel->receiver_shape[2] != 2 || channel->transmitter_shape[2] != 2) {
        return NAN;
    }
    for (int n = 0; n < view.near; n++) {
        for (int m = 0; m < view.far; m++) {
            double *power = n / view.elements == m / half ? &straight : &crosswise;
            for (int f = 0; f < channel->frequency_count; f++) {
                *power += pow(cabs(view_at(&view, n, m, f)), 2);
            }
        }
    }
    return 10 * log10(fmax(straight, crosswise) / fmin(straight, crosswise));
}

/* ---- a link ------------------------------------------------------------------------------------------------------ */

/* The matrix at frequency f into `matrix` (receivers, transmitters, 2); false: masked. */
static bool matrix_take(const pw_mimo_channel *channel, int f, double *matrix)
{
    const size_t size = (size_t)channel->receivers * (size_t)channel->transmitters;
    bool whole = true;
    for (size_t n = 0; n < size; n++) {
        const double *value = channel->response + 2 * (n * (size_t)channel->frequency_count + (size_t)f);
        matrix[2 * n] = value[0];
        matrix[2 * n + 1] = value[1];
        whole = whole && isfinite(value[0]) && isfinite(value[1]);
    }
    return whole;
}

/* Mean |H|^2 over antennas and the frequencies that are not masked. */
static double gain_of(const pw_mimo_channel *channel, double *matrix, int *usable)
{
    const int size = channel->receivers * channel->transmitters;
    double sum = 0;
    *usable = 0;
    for (int f = 0; f < channel->frequency_count; f++) {
        if (matrix_take(channel, f, matrix)) {
            for (int n = 0; n < 2 * size; n++) {
                sum += matrix[n] * matrix[n] / size;
            }
            ++*usable;
        }
    }
    return *usable > 0 ? sum / *usable : NAN;
}

/* Adds what one frequency has, as a share of the mean. */
static void frequency_add(const double *values, int streams, int antennas, double snr, const pw_mimo_options *options,
                          double share, pw_mimo_metrics *metrics)
{
    for (int s = 0; s < streams; s++) {
        metrics->rank += values[s] > 0 && 20 * log10(values[0] / values[s]) <= options->depth ? share : 0;
    }
    metrics->condition_db += share * 20 * log10(values[0] / values[streams - 1]);
    metrics->capacity += share * pw_mimo_capacity(values, streams, antennas, snr, false);
    metrics->water_capacity += share * pw_mimo_capacity(values, streams, antennas, snr, true);
}

static pw_status frequencies_read(const pw_mimo_channel *channel, double snr, const pw_mimo_options *options,
                                  double share, double *matrix, pw_mimo_metrics *metrics, double *values,
                                  pw_error *error)
{
    const int streams = channel->receivers < channel->transmitters ? channel->receivers : channel->transmitters;
    OWNED double *own = allocate((size_t)streams, sizeof *own, "singular values", error);
    TRY_MADE(own);
    for (int f = 0; f < channel->frequency_count; f++) {
        const bool whole = matrix_take(channel, f, matrix);
        if (whole) {
            TRY(pw_mimo_singular_values(matrix, 1, channel->receivers, channel->transmitters, own, error));
            frequency_add(own, streams, channel->transmitters, snr, options, share, metrics);
        }
        for (int s = 0; values != NULL && s < streams; s++) {
            values[(size_t)f * (size_t)streams + (size_t)s] = whole ? own[s] : NAN;
        }
    }
    return PW_OK;
}

pw_mimo_options pw_mimo_options_default(void)
{
    return (pw_mimo_options){
        .pairs = pw_pairs_options_default(), .snr = NAN, .noise_figure = 7, .noise_bandwidth = 20e6, .depth = 20};
}

static pw_status channel_check(const pw_mimo_channel *channel, pw_error *error)
{
    const int *sent = channel->transmitter_shape, *taken = channel->receiver_shape;
    FAIL_IF(channel->response == NULL || channel->receivers < 1 || channel->transmitters < 1 ||
                channel->frequency_count < 1 || sent[0] * sent[1] * sent[2] != channel->transmitters ||
                taken[0] * taken[1] * taken[2] != channel->receivers,
            error, PW_USAGE,
            "pw_mimo_read: H of %d receiver antennas [%d, %d, %d], %d transmitter antennas [%d, %d, %d] and %d "
            "frequencies",
            channel->receivers, taken[0], taken[1], taken[2], channel->transmitters, sent[0], sent[1], sent[2],
            channel->frequency_count);
    return PW_OK;
}

pw_status pw_mimo_read(const pw_mimo_channel *channel, double power_db, const pw_mimo_options *options,
                       pw_mimo_metrics *metrics, double *values, pw_error *error)
{
    TRY(channel_check(channel, error));
    int usable;
    OWNED double *matrix =
        allocate((size_t)channel->receivers * (size_t)channel->transmitters, 2 * sizeof *matrix, "a matrix", error);
    TRY_MADE(matrix);
    const double gain = gain_of(channel, matrix, &usable);
    const double power = isnan(options->snr) ? power_db : options->snr - 10 * log10(gain);
    *metrics = (pw_mimo_metrics){
        .gain_db = 10 * log10(gain), .snr_db = power + 10 * log10(gain), .cross_polar_db = cross_polar(channel)};
    FAIL_IF(!(usable > 0 && gain > 0), error, PW_BAD_INPUT, "the channel is %s at every frequency",
            usable > 0 ? "zero" : "masked");
    TRY(frequencies_read(channel, pow(10, 0.1 * power), options, 1.0 / usable, matrix, metrics, values, error));
    TRY(end_read(channel, true, &metrics->transmitter_beam_db, &metrics->transmitter_correlation, error));
    return end_read(channel, false, &metrics->receiver_beam_db, &metrics->receiver_correlation, error);
}
