/* The metrics and the paths of a channel, as defined in channel.h; channel_help.c explains them to users. */
#include "base/constants.h"
#include "base/numbers/dot.h"
#include "channel/channel.h"
#include "channel/delay_guard.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* |G|^2 at frequency f. */
static double gain_at(const struct channel *channel, int f)
{
    double re = channel->transfer[2 * f], im = channel->transfer[2 * f + 1];
    return re * re + im * im;
}

double channel_mean_gain(const struct channel_band *band, const struct channel *channel)
{
    double sum = 0.0;
    for (int f = 0; f < band->frequency_count; f++) {
        sum += gain_at(channel, f); /* zero where masked */
    }
    return sum / band->usable_count;
}

double channel_scattered_gain(const struct channel_band *band, const struct channel *channel)
{
    return band->diffuse != NULL ? channel->late.gain : 0.0;
}

double channel_path_gain(const struct channel_band *band, const struct channel *channel)
{
    double gain = channel_mean_gain(band, channel) * channel->spreading_gain + channel_scattered_gain(band, channel);
    return gain > 0.0 && isfinite(gain) ? gain : NAN;
}

double channel_rician_k(const struct channel_band *band, const struct channel *channel)
{
    double mean = channel_mean_gain(band, channel), variance = 0.0;
    if (band->usable_count < MINIMUM_FREQUENCIES || !(mean > 0.0 && isfinite(mean))) {
        return NAN;
    }
    for (int f = 0; f < band->frequency_count; f++) {
        double deviation = band->usable[f] ? gain_at(channel, f) - mean : 0.0;
        variance += deviation * deviation;
    }
    double gamma = variance / band->usable_count / (mean * mean);
    if (channel->late.gain > 0.0) { /* of the sum of a field of power P and of one without phases, of power S: the
                                     * variance of P, 2 P S, and S^2 */
        const double solved = mean * channel->spreading_gain, late = channel->late.gain, whole = solved + late;
        gamma = (gamma * solved * solved + 2.0 * solved * late + late * late) / (whole * whole);
    }
    if (gamma >= 1.0) {
        return NAN;
    }
    return sqrt(1.0 - gamma) / (1.0 - sqrt(1.0 - gamma));
}

/* The correlation of G with itself at a growing shift. */
struct correlation {
    const double *g, *beside; /* G and jG, (count, 2) */
    const bool *usable;
    int count, first, last; /* usable frequencies lie from first to last, */
    bool gaps;              /* and some between them are masked */
    double low, high;       /* without gaps: sums of |G(f)|^2 and |G(f + shift)|^2 */
    double late;            /* what floor and ceiling scatter over what was solved, before 2D to 3D; 0: nothing */
    double onset, excess;   /* of it, by the spacing of the frequencies: radians, the first less that of 1 m */
};

static struct correlation correlation_begin(const struct channel_band *band, const struct channel *channel)
{
    const double turn = 2.0 * M_PI * band->spacing;
    struct correlation of = {.g = channel->transfer,
                             .beside = channel->circular,
                             .usable = band->usable,
                             .count = band->frequency_count,
                             .late = channel->late.gain > 0.0 ? channel->late.gain / channel->spreading_gain : 0.0,
                             .onset = turn * (channel->late.onset - 1.0 / SPEED_OF_LIGHT),
                             .excess = turn * channel->late.excess};
    double *beside = channel->circular; /* FFTW's, who has done */
    while (!of.usable[of.first]) {
        of.first++;
    }
    for (int f = 0; f < of.count; f++) {
        beside[2 * f] = -of.g[2 * f + 1];
        beside[2 * f + 1] = of.g[2 * f];
        of.last = of.usable[f] ? f : of.last;
        of.low += gain_at(channel, f);
    }
    of.gaps = of.last - of.first + 1 > band->usable_count;
    of.high = of.low;
    return of;
}

/* Adds what is scattered, whose correlation is the transform of its profile, exp(-j onset shift)/(1 + j excess shift).
 * Returns its power over the pairs. */
static double late_correlate(const struct correlation *of, int shift, double sum[2])
{
    int pairs = 0;
    for (int f = 0; f + shift < of->count; f++) {
        pairs += of->usable[f] && of->usable[f + shift] ? 1 : 0;
    }
    const double complex all = of->late * pairs * cexp(-I * of->onset * shift) / (1.0 + I * of->excess * shift);
    sum[0] += creal(all);
    sum[1] += cimag(all);
    return of->late * pairs;
}

/* |sum conj(G(f)) G(f + shift)| / sqrt(sum |G(f)|^2 sum |G(f + shift)|^2), over pairs that are both usable: G is zero
 * at frequencies that are masked. Called with shift = 1, 2, ... */
static double correlation_next(struct correlation *of, int shift)
{
    const double *g = of->g, *shifted = g + 2 * (size_t)shift;
    double sum[2];
    dot_pair(g, of->beside, shifted, 2 * (size_t)(of->count - shift), sum);
    const double *left = g + 2 * (size_t)(of->last - shift + 1), *right = g + 2 * (size_t)(of->first + shift - 1);
    if (of->gaps) {
        of->low = of->high = 0.0;
        for (int f = 0; f + shift < of->count; f++) {
            of->low += of->usable[f + shift] ? g[2 * f] * g[2 * f] + g[2 * f + 1] * g[2 * f + 1] : 0.0;
            of->high += of->usable[f] ? shifted[2 * f] * shifted[2 * f] + shifted[2 * f + 1] * shifted[2 * f + 1] : 0.0;
        }
    } else if (of->last - shift + 1 >= of->first) {
        of->low -= left[0] * left[0] + left[1] * left[1];
        of->high -= right[0] * right[0] + right[1] * right[1];
    }
    const double late = of->late > 0.0 ? late_correlate(of, shift, sum) : 0.0;
    return hypot(sum[0], sum[1]) / sqrt((of->low + late) * (of->high + late));
}

void channel_coherence_bandwidths(const struct channel_band *band, const struct channel *channel, const double level[2],
                                  double found[2])
{
    double before = 1.0;
    int next = 0;
    found[0] = found[1] = NAN;
    if (band->tap_count == 0) {
        return;
    }
    struct correlation correlation = correlation_begin(band, channel);
    for (int shift = 1; shift <= band->frequency_count / 2 && next < 2; shift++) {
        double now = correlation_next(&correlation, shift);
        for (; next < 2 && !(now > level[next]); next++) {
            found[next] = (shift - 1 + (before - level[next]) / (before - now)) * band->spacing;
        }
        before = now;
    }
}

double channel_coherence_bandwidth(const struct channel_band *band, const struct channel *channel, double level)
{
    double found[2];
    channel_coherence_bandwidths(band, channel, (const double[]){level, level}, found);
    return found[0];
}

/* Median of values[0..count-1], which are finite; reorders them. Hoare's selection. */
static double median_select(double *values, int count)
{
    int low = 0, high = count - 1, middle = count / 2;
    while (low < high) {
        double pivot = values[middle];
        int i = low, j = high;
        while (i <= j) {
            while (values[i] < pivot) {
                i++;
            }
            while (values[j] > pivot) {
                j--;
            }
            if (i <= j) {
                double swap = values[i];
                values[i++] = values[j];
                values[j--] = swap;
            }
        }
        low = i <= middle ? i : low;
        high = j >= middle ? j : high;
        if (j < middle && i > middle) {
            break;
        }
    }
    return values[middle];
}

/* With heights, later bins may count for more than those of the direct path, and so may its side lobes: what |h|^2 must
 * reach to be an arrival. */
static double least_plain(const struct channel_band *band, const struct channel *channel)
{
    double most = 0.0;
    for (int n = 0; slant_counts(&channel->slant) && n < band->tap_count; n++) {
        most = fmax(most, channel->plain[n]);
    }
    return most * pow(10.0, -band->options.threshold_db / 10.0);
}

/* A local maximum of |h|^2 that can be an arrival: one more than a bin before the direct path is a side lobe of the
 * window. */
static bool is_arrival(const struct channel_band *band, const struct channel *channel, int n, double threshold,
                       double least)
{
    const double *power = channel->plain;
    double earliest = channel->distance / SPEED_OF_LIGHT - band->bin * band->options.padding;
    return channel->solved[n] >= threshold && power[n] >= least && channel_delay(band, n) >= earliest &&
           (n == 0 || power[n] >= power[n - 1]) && (n == band->tap_count - 1 || power[n] > power[n + 1]);
}

/* Where the parabola through the logarithms of three bins has its top, in bins from n, -0.5..0.5; *ratio: its height
 * over power[n]. Only where both neighbours are within 20 dB, as they are on the main lobe of a window: a profile that
 * sets in sharply has none. */
static double peak_refine(const double *power, int count, int n, double *ratio)
{
    *ratio = 1.0;
    if (n == 0 || n == count - 1 || !(power[n - 1] > 0.01 * power[n]) || !(power[n + 1] > 0.01 * power[n])) {
        return 0.0;
    }
    double low = log(power[n - 1] / power[n]), high = log(power[n + 1] / power[n]), curvature = low + high;
    if (!(curvature < 0.0)) {
        return 0.0;
    }
    double offset = fmax(-0.5, fmin(0.5, 0.5 * (low - high) / curvature));
    *ratio = exp(0.5 * curvature * offset * offset + 0.5 * (high - low) * offset);
    return offset;
}

/* Of a profile that is `power`, or the solved part of it. What is scattered arrives as long as it is over the
 * threshold by itself. */
static void arrivals_find(const struct channel_band *band, const struct channel *channel, const double *profile,
                          struct channel_delays *delays)
{
    const double *power = channel->plain;
    double least = least_plain(band, channel);
    int count = band->tap_count, first = -1, last = -1, strongest = 0, scattered = -1;
    for (int n = 0; n < count; n++) {
        if (is_arrival(band, channel, n, delays->threshold, least)) {
            first = first < 0 ? n : first;
            last = n;
        }
        scattered = profile[n] - channel->solved[n] >= delays->threshold ? n : scattered;
        strongest = profile[n] > profile[strongest] ? n : strongest;
    }
    if (first < 0) {
        first = last = strongest; /* a maximum that 2D to 3D alone has made, or one too early */
    }
    double ratio;
    double first_solved = channel_delay(band, first) + band->bin * peak_refine(power, count, first, &ratio);
    double last_solved = scattered > last
                             ? channel_delay(band, scattered)
                             : channel_delay(band, last) + band->bin * peak_refine(power, count, last, &ratio);
    delays->first_arrival = channel_arrival(channel, first_solved);
    delays->last_arrival = channel_arrival(channel, last_solved);
    delays->maximum_excess = delays->last_arrival - delays->first_arrival;
}

/* Where bin n stands on the axis of delays [bins]: as solved, or where its slanted path puts it. */
static double place_of_bin(const struct channel_band *band, const struct channel *channel, int n)
{
    return channel->slant.rise == 0.0 ? n : channel_arrival(channel, channel_delay(band, n)) / band->bin + band->guard;
}

static struct channel_delays profile_delays(const struct channel_band *band, struct channel *channel,
                                            const double *power)
{
    struct channel_delays delays = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    int count = band->tap_count, quarter = count / 4;
    double total = 0.0, peak = 0.0;
    for (int n = 0; n < count; n++) {
        total += power[n];
        peak = power[n] > peak ? power[n] : peak;
    }
    if (!(peak >= DBL_MIN) || !isfinite(total)) {
        return delays;
    }
    memcpy(channel->ordered, power + count - quarter, (size_t)quarter * sizeof(double));
    delays.peak = peak;
    delays.noise_floor =
        fmax(median_select(channel->ordered, quarter),
             band->options.noise_floor_db < 300.0 ? peak * pow(10.0, -band->options.noise_floor_db / 10.0) : 0.0);
    delays.threshold = fmax(peak * pow(10.0, -band->options.threshold_db / 10.0),
                            delays.noise_floor * pow(10.0, band->options.noise_margin_db / 10.0));
    delays.threshold = fmin(delays.threshold, peak);
    double sum = 0.0, moment = 0.0, second = 0.0, *place = channel->ordered; /* the median has done */
    for (int n = 0; n < count; n++) {
        double weight = power[n] >= delays.threshold ? power[n] : 0.0;
        sum += weight;
        place[n] = weight > 0.0 ? place_of_bin(band, channel, n) : 0.0;
        moment += weight * place[n];
    }
    double mean = moment / sum;
    for (int n = 0; n < count; n++) {
        double weight = power[n] >= delays.threshold ? power[n] : 0.0;
        second += weight * (place[n] - mean) * (place[n] - mean);
    }
    arrivals_find(band, channel, power, &delays);
    if (peak < delays.noise_floor * pow(10.0, band->options.noise_margin_db / 10.0)) {
        delays.maximum_excess = NAN; /* nothing but noise: the spread of that would be half the axis */
        return delays;
    }
    delays.rms_spread = band->bin * sqrt(second / sum);
    /* Nothing arrives before the first arrival: what lies there is the window's. */
    delays.mean_excess = fmax(0.0, (mean - band->guard) * band->bin - delays.first_arrival);
    return delays;
}

struct channel_delays channel_delays(const struct channel_band *band, struct channel *channel)
{
    return profile_delays(band, channel, channel->power);
}

struct channel_delays channel_delays_solved(const struct channel_band *band, struct channel *channel)
{
    return profile_delays(band, channel, channel->solved);
}

double channel_resolution(const struct channel_band *band)
{
    return band->tap_count > 0 ? 1.0 / (band->spacing * band->usable_count) : NAN;
}

double channel_link_budget(const struct channel_band *band, double eirp, double gain)
{
    return eirp + gain + 20.0 * log10(SPEED_OF_LIGHT / (4.0 * M_PI * band->centre));
}

pw_metrics channel_metrics(const struct channel_band *band, struct channel *channel, double eirp, double gain)
{
    struct channel_delays delays = channel_delays(band, channel);
    struct channel_delays solved = channel->late.gain > 0.0 ? channel_delays_solved(band, channel) : delays;
    struct delay_doubt doubt = delay_guard(band, channel, &solved);
    double path_gain = 10.0 * log10(channel_path_gain(band, channel)), coherence[2];
    channel_coherence_bandwidths(band, channel, (const double[]){0.9, 0.5}, coherence);
    return (pw_metrics){
        .path_gain_db = path_gain,
        .path_loss_db = -(channel_link_budget(band, 0.0, 0.0) + path_gain),
        .received_power_dbm = channel_link_budget(band, eirp, gain) + path_gain,
        .distance = slant_distance(&channel->slant, channel->distance),
        .mean_excess_delay = delays.mean_excess,
        .rms_delay_spread = delays.rms_spread,
        .maximum_excess_delay = delays.maximum_excess,
        .rician_k_db = 10.0 * log10(channel_rician_k(band, channel)),
        .coherence_bandwidth_50 = coherence[1],
        .coherence_bandwidth_90 = coherence[0],
        .delay_resolution = channel_resolution(band),
        .rms_error = doubt.rms_error,
        .mean_error = doubt.mean_error,
        .delay_cause = doubt.cause,
        .cross_polar_db = NAN,
    };
}

int channel_paths(const struct channel_band *band, struct channel *channel, struct channel_path *paths, int limit)
{
    struct channel_delays delays = channel_delays(band, channel);
    const double *power = channel->plain;
    double least = least_plain(band, channel);
    int found = 0;
    for (int n = 0; n < band->tap_count; n++) {
        if (!is_arrival(band, channel, n, delays.threshold, least)) {
            continue;
        }
        if (found < limit) {
            double ratio, offset = peak_refine(power, band->tap_count, n, &ratio);
            struct channel_path *path = &paths[found];
            double solved = channel_delay(band, n) + offset * band->bin;
            path->delay = channel_arrival(channel, solved);
            /* The phase is flat over the main lobe of a symmetric window, so the nearest tap's will do. */
            channel_coefficient(band, channel, n, solved, &path->re, &path->im);
            path->re *= sqrt(ratio);
            path->im *= sqrt(ratio);
        }
        found++;
    }
    return found;
}
