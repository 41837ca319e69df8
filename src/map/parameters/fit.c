/* pw_parameters_fit: estimates, and their intervals by a bootstrap of blocks (api/parameters.h). */
#include "map/parameters/parameters.h"

#include "base/constants.h"
#include "base/numbers/splitmix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES_LEAST = 20, BLOCKS_LEAST = 5 };
/* Pairs are looked at up to this part of how far the places lie apart; sides of blocks are at most another. */
static const double FAR_PART = 1.0 / 3, SIDE_PART = 1.0 / 4, SIDE_OF_REACH = 3, INTERVAL = 0.95;

struct work {
    double *shadow;          /* (count), owned */
    int *block;              /* (count), owned */
    double *weight;          /* (count) at most as many blocks, owned */
    struct reach_sums *sums; /* (blocks), owned */
    double *drawn;           /* (PW_LARGE_COUNT, draws), owned */
    int draws;
    double free_loss, far, wider; /* dB: of free space at 1 m; m: pairs; by how much intervals are too narrow */
};

static void work_free(struct work *work)
{
    FREE_ALL(work->shadow, work->block, work->weight, work->sums, work->drawn);
}

static void extent(const pw_link_sample *samples, int count, double size[2])
{
    double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};
    for (int n = 0; n < count; n++) {
        low[0] = fmin(low[0], samples[n].x), high[0] = fmax(high[0], samples[n].x);
        low[1] = fmin(low[1], samples[n].y), high[1] = fmax(high[1], samples[n].y);
    }
    size[0] = high[0] - low[0];
    size[1] = high[1] - low[1];
}

/* The area of a rectangle times the mean correlation of two places in it: how much of it says the same as a place. */
static double alike(double width, double height, double reach)
{
    enum { PARTS = 24 };
    double sum = 0, weights = 0;
    for (int i = 0; i < PARTS; i++) {
        for (int j = 0; j < PARTS; j++) { /* of differences u = width x/PARTS, as often as they occur */
            const double x = (i + 0.5) / PARTS, y = (j + 0.5) / PARTS, weight = (1 - x) * (1 - y);
            sum += weight * exp(-hypot(x * width, y * height) / reach);
            weights += weight;
        }
    }
    return width * height * sum / weights;
}

/* Blocks share their rims, so that their draws differ less than whole plans do: by how much intervals are too narrow,
 * where all correlations are exponential. */
static double widening(const double size[2], double side, double reach)
{
    const double plan = alike(fmax(size[0], side), fmax(size[1], side), reach), block = alike(side, side, reach);
    return reach > 0 && block > 0 ? sqrt(fmax(1, plan / block)) : 1;
}

/* Between which values the middle 95 % of the draws lie, so much wider around the estimate. */
static void interval_take(double *drawn, int draws, double wider, pw_estimate *estimate)
{
    int known = 0;
    for (int n = 0; n < draws; n++) {
        if (isfinite(drawn[n])) {
            drawn[known++] = drawn[n];
        }
    }
    if (2 * known < draws || known < 20 || !isfinite(estimate->value)) {
        return;
    }
    qsort(drawn, (size_t)known, sizeof *drawn, pw_number_order);
    const double low = drawn[(int)lround(0.5 * (1 - INTERVAL) * (known - 1))],
                 high = drawn[(int)lround(0.5 * (1 + INTERVAL) * (known - 1))];
    estimate->low = estimate->value + wider * fmin(0, low - estimate->value);
    estimate->high = estimate->value + wider * fmax(0, high - estimate->value);
}

/* What no value goes beyond. */
static void bounds_keep(pw_parameters *parameters)
{
    static const pw_large_scale POSITIVE[] = {
        PW_LARGE_SHADOW,          PW_LARGE_REACH,       PW_LARGE_FREE_SHADOW,   PW_LARGE_DELAY_DEVIATION,
        PW_LARGE_ANGLE_DEVIATION, PW_LARGE_K_DEVIATION, PW_LARGE_CLUSTERS_MEAN, PW_LARGE_CLUSTERS_DEVIATION,
        PW_LARGE_CLUSTER_SPREAD};
    for (size_t n = 0; n < sizeof POSITIVE / sizeof POSITIVE[0]; n++) {
        pw_estimate *one = &parameters->estimate[POSITIVE[n]];
        one->low = isnan(one->low) ? one->low : fmax(0, one->low);
    }
    for (int p = PW_LARGE_ANGLE_DELAY; p < PW_LARGE_COUNT; p++) {
        pw_estimate *one = &parameters->estimate[p];
        one->low = isnan(one->low) ? one->low : fmax(-1, one->low);
        one->high = isnan(one->high) ? one->high : fmin(1, one->high);
    }
}

static pw_status intervals_draw(const pw_link_sample *samples, int count, struct work *work, pw_parameters *parameters,
                                pw_error *error)
{
    uint64_t state = 1;
    TRY_MADE(work->drawn = allocate((size_t)work->draws * PW_LARGE_COUNT, sizeof *work->drawn, "draws", error));
    for (int d = 0; d < work->draws; d++) {
        double value[PW_LARGE_COUNT];
        memset(work->weight, 0, (size_t)parameters->blocks * sizeof *work->weight);
        for (int b = 0; b < parameters->blocks; b++) {
            work->weight[splitmix_next(&state) % (uint64_t)parameters->blocks]++;
        }
        large_scale_estimate(samples, work->block, work->weight, count, work->free_loss, value, NULL);
        value[PW_LARGE_REACH] = reach_fit(work->sums, work->weight, parameters->blocks, work->far);
        for (int p = 0; p < PW_LARGE_COUNT; p++) {
            work->drawn[p * work->draws + d] = value[p];
        }
    }
    for (int p = 0; p < PW_LARGE_COUNT; p++) {
        interval_take(work->drawn + (size_t)p * (size_t)work->draws, work->draws, work->wider,
                      &parameters->estimate[p]);
    }
    bounds_keep(parameters);
    return PW_OK;
}

static pw_status fit(const pw_link_sample *samples, int count, struct work *work, pw_parameters *parameters,
                     pw_error *error)
{
    double value[PW_LARGE_COUNT];
    double plan[2];
    extent(samples, count, plan);
    const double size = fmax(plan[0], plan[1]), far = work->far = FAR_PART * size;
    work->shadow = allocate((size_t)count, sizeof *work->shadow, "shadowing", error);
    work->block = allocate((size_t)count, sizeof *work->block, "blocks", error);
    work->weight = allocate((size_t)count, sizeof *work->weight, "blocks", error);
    TRY_MADE(work->shadow != NULL && work->block != NULL && work->weight != NULL);
    large_scale_estimate(samples, work->block, NULL, count, work->free_loss, value, work->shadow);
    struct reach_sums *whole = allocate(1, sizeof *whole, "pairs of places", error);
    TRY_MADE(whole);
    reach_gather(samples, work->shadow, work->block, count, far, whole); /* all in block 0 */
    value[PW_LARGE_REACH] = reach_fit(whole, NULL, 1, far);
    free(whole);
    for (int p = 0; p < PW_LARGE_COUNT; p++) {
        parameters->estimate[p].value = value[p];
    }
    const double side = fmin(SIDE_PART * size, fmax(SIDE_OF_REACH * value[PW_LARGE_REACH], size / 40));
    if (work->draws <= 0 || !isfinite(side)) {
        return PW_OK;
    }
    parameters->blocks = blocks_find(samples, count, side, work->block);
    if (parameters->blocks < BLOCKS_LEAST) {
        return parameters->blocks > 0 ? PW_OK : fail(error, PW_NO_RESOURCE, "not enough memory for blocks of places");
    }
    TRY_MADE(work->sums = allocate((size_t)parameters->blocks, sizeof *work->sums, "pairs of places", error));
    reach_gather(samples, work->shadow, work->block, count, far, work->sums);
    work->wider = widening(plan, side, value[PW_LARGE_REACH]);
    return intervals_draw(samples, count, work, parameters, error);
}

pw_status pw_parameters_fit(const pw_link_sample *samples, int count, double frequency, int draws,
                            pw_parameters *parameters, pw_error *error)
{
    struct work work = {.draws = draws, .free_loss = 20 * log10(4 * M_PI * frequency / SPEED_OF_LIGHT)};
    *parameters = (pw_parameters){.samples = count, .nearest = HUGE_VAL};
    for (int n = 0; n < count; n++) {
        parameters->nearest = fmin(parameters->nearest, samples[n].distance);
        parameters->farthest = fmax(parameters->farthest, samples[n].distance);
        parameters->unresolved += samples[n].delay_spread < samples[n].delay_resolution;
        parameters->delay_samples += samples[n].delay_spread > 0;
        parameters->angle_samples += samples[n].angle_spread > 0;
        parameters->k_samples += isfinite(samples[n].rician_k);
        parameters->cluster_samples += isfinite(samples[n].clusters);
    }
    parameters->nearest = count > 0 ? parameters->nearest : NAN;
    parameters->farthest = count > 0 ? parameters->farthest : NAN;
    for (int p = 0; p < PW_LARGE_COUNT; p++) {
        parameters->estimate[p] = (pw_estimate){NAN, NAN, NAN};
    }
    if (count < SAMPLES_LEAST || !(parameters->farthest > parameters->nearest)) {
        return PW_OK;
    }
    const pw_status status = fit(samples, count, &work, parameters, error);
    work_free(&work);
    return status;
}
