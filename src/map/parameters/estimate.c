/* Estimates of large-scale parameters from weighted places (parameters.h). */
#include "map/parameters/parameters.h"

#include <math.h>

enum { SHADOW, DELAY, ANGLE, K, CLUSTERS, SPREAD, QUANTITIES };

/* What is correlated, in the order of pw_large_scale. */
static const int PAIRS[][2] = {{ANGLE, DELAY}, {ANGLE, SHADOW}, {DELAY, SHADOW}, {DELAY, K}, {ANGLE, K}, {SHADOW, K}};

struct moments {
    double weight, x, y, xx, yy, xy;
};

static void add(struct moments *moments, double weight, double x, double y)
{
    if (isfinite(x) && isfinite(y)) {
        moments->weight += weight;
        moments->x += weight * x;
        moments->y += weight * y;
        moments->xx += weight * x * x;
        moments->yy += weight * y * y;
        moments->xy += weight * x * y;
    }
}

static double mean_of(const struct moments *m)
{
    return m->weight > 0 ? m->x / m->weight : (double)NAN;
}

static double deviation_of(const struct moments *m)
{
    return m->weight > 1 ? sqrt(fmax(0, (m->xx - m->x * m->x / m->weight) / (m->weight - 1))) : (double)NAN;
}

static double correlation_of(const struct moments *m)
{
    const double xx = m->xx - m->x * m->x / m->weight, yy = m->yy - m->y * m->y / m->weight,
                 xy = m->xy - m->x * m->y / m->weight;
    return m->weight > 2 && xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : (double)NAN;
}

static double weight_of(const double *weight, const int *block, int n)
{
    return weight != NULL ? weight[block[n]] : 1;
}

/* A positive value in decades. */
static double decades(double value)
{
    return value > 0 ? log10(value) : (double)NAN;
}

static void fit_loss(const pw_link_sample *samples, const int *block, const double *weight, int count, double free_loss,
                     double value[PW_LARGE_COUNT])
{
    struct moments line = {0};
    double product = 0, square = 0, rest = 0, freely = 0;
    for (int n = 0; n < count; n++) {
        const double w = weight_of(weight, block, n), x = 10 * log10(samples[n].distance);
        add(&line, w, x, samples[n].path_loss);
        product += w * x * (samples[n].path_loss - free_loss);
        square += w * x * x;
    }
    const double spread = line.xx - line.x * line.x / line.weight;
    value[PW_LARGE_EXPONENT] = spread > 0 ? (line.xy - line.x * line.y / line.weight) / spread : (double)NAN;
    value[PW_LARGE_INTERCEPT] = (line.y - value[PW_LARGE_EXPONENT] * line.x) / line.weight;
    value[PW_LARGE_FREE_EXPONENT] = product / square;
    for (int n = 0; n < count; n++) {
        const double w = weight_of(weight, block, n), x = 10 * log10(samples[n].distance);
        rest += w * pow(samples[n].path_loss - value[PW_LARGE_INTERCEPT] - value[PW_LARGE_EXPONENT] * x, 2);
        freely += w * pow(samples[n].path_loss - free_loss - value[PW_LARGE_FREE_EXPONENT] * x, 2);
    }
    value[PW_LARGE_SHADOW] = line.weight > 2 ? sqrt(rest / (line.weight - 2)) : (double)NAN;
    value[PW_LARGE_FREE_SHADOW] = line.weight > 1 ? sqrt(freely / (line.weight - 1)) : (double)NAN;
}

void large_scale_estimate(const pw_link_sample *samples, const int *block, const double *weight, int count,
                          double free_loss, double value[PW_LARGE_COUNT], double *shadow)
{
    struct moments own[QUANTITIES] = {0}, pair[sizeof PAIRS / sizeof PAIRS[0]] = {0};
    fit_loss(samples, block, weight, count, free_loss, value);
    for (int n = 0; n < count; n++) {
        const pw_link_sample *one = &samples[n];
        const double w = weight_of(weight, block, n),
                     expected = value[PW_LARGE_INTERCEPT] + value[PW_LARGE_EXPONENT] * 10 * log10(one->distance);
        const double quantity[QUANTITIES] = {
            [SHADOW] = expected - one->path_loss, [DELAY] = decades(one->delay_spread),
            [ANGLE] = decades(one->angle_spread), [K] = one->rician_k,
            [CLUSTERS] = one->clusters,           [SPREAD] = 1e9 * one->cluster_spread};
        for (int q = 0; q < QUANTITIES; q++) {
            add(&own[q], w, quantity[q], quantity[q]);
        }
        for (size_t p = 0; p < sizeof PAIRS / sizeof PAIRS[0]; p++) {
            add(&pair[p], w, quantity[PAIRS[p][0]], quantity[PAIRS[p][1]]);
        }
        if (shadow != NULL) {
            shadow[n] = quantity[SHADOW];
        }
    }
    for (int q = DELAY; q < SPREAD; q++) {
        value[PW_LARGE_DELAY_MEAN + 2 * (q - DELAY)] = mean_of(&own[q]);
        value[PW_LARGE_DELAY_MEAN + 2 * (q - DELAY) + 1] = deviation_of(&own[q]);
    }
    value[PW_LARGE_CLUSTER_SPREAD] = mean_of(&own[SPREAD]);
    for (size_t p = 0; p < sizeof PAIRS / sizeof PAIRS[0]; p++) {
        value[PW_LARGE_ANGLE_DELAY + (int)p] = correlation_of(&pair[p]);
    }
}
