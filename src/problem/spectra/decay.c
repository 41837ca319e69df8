/* The envelope of a decay, and its slope at the end by least squares (decay.h). */
#include "problem/spectra/decay.h"

#include <math.h>

static const double LEAST = 1e-12; /* of the largest value: under it there is rounding */
static const double LONGEST = 1e3; /* times the last look: a slower decay is none */
enum { LOOKS_LEAST = 3 };

static void envelope_fill(struct decay *decay, const double *value)
{
    int peak = 0;
    for (int n = 0; n < decay->count; n++) {
        peak = value[n] > value[peak] ? n : peak;
    }
    double largest = value[peak] > 0.0 ? value[peak] : 1.0, later = -INFINITY;
    for (int n = decay->count - 1; n >= 0; n--) {
        later = n <= peak ? 0.0 : fmax(later, log(fmax(value[n] / largest, LEAST)));
        decay->level[n] = later;
    }
}

/* Over the last third of the looks after the peak. */
static double late_constant(const struct decay *decay)
{
    int peak = 0, count = decay->count, first = count - 1;
    while (peak < count - 1 && decay->level[peak + 1] >= 0.0) {
        peak++;
    }
    double last = decay->time[count - 1], from = decay->time[peak] + (last - decay->time[peak]) * 2.0 / 3.0;
    while (first > 0 && (decay->time[first - 1] >= from || count - first < LOOKS_LEAST)) {
        first--;
    }
    double looks = count - first, x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
    for (int n = first; n < count; n++) {
        x += decay->time[n] / looks;
        y += decay->level[n] / looks;
    }
    for (int n = first; n < count; n++) {
        xx += (decay->time[n] - x) * (decay->time[n] - x);
        xy += (decay->time[n] - x) * (decay->level[n] - y);
    }
    double slope = xx > 0.0 ? xy / xx : 0.0;
    return slope < 0.0 && -1.0 / slope < LONGEST * last ? -1.0 / slope : (double)INFINITY;
}

pw_status decay_create(int count, const double *time, const double *value, struct decay *decay, pw_error *error)
{
    *decay = (struct decay){.count = count};
    decay->time = allocate((size_t)count, sizeof *decay->time, "a decay", error);
    decay->level = allocate((size_t)count, sizeof *decay->level, "a decay", error);
    if (decay->time == NULL || decay->level == NULL) {
        decay_free(decay);
        return PW_NO_RESOURCE;
    }
    for (int n = 0; n < count; n++) {
        decay->time[n] = time[n];
    }
    envelope_fill(decay, value);
    decay->constant = late_constant(decay);
    return PW_OK;
}

void decay_free(struct decay *decay)
{
    FREE_ALL(decay->time, decay->level);
    *decay = (struct decay){0};
}

double decay_level(const struct decay *decay, double time)
{
    int low = 0, high = decay->count - 1;
    if (time <= decay->time[0]) {
        return decay->level[0];
    }
    if (time >= decay->time[high]) {
        return decay->level[high] - (time - decay->time[high]) / decay->constant;
    }
    while (high - low > 1) {
        int middle = (low + high) / 2;
        *(decay->time[middle] <= time ? &low : &high) = middle;
    }
    double part = (time - decay->time[low]) / (decay->time[high] - decay->time[low]);
    return decay->level[low] + part * (decay->level[high] - decay->level[low]);
}

double decay_time(const struct decay *decay, double level)
{
    int last = decay->count - 1;
    if (decay->level[last] > level) {
        return decay->time[last] + (decay->level[last] - level) * decay->constant;
    }
    int n = last;
    while (n > 0 && decay->level[n - 1] <= level) {
        n--;
    }
    if (n == 0) {
        return decay->time[0];
    }
    double part = (decay->level[n - 1] - level) / (decay->level[n - 1] - decay->level[n]);
    return decay->time[n - 1] + part * (decay->time[n] - decay->time[n - 1]);
}
