/* The metrics and the paths of a channel, as defined in channel.h, and the text that explains them. */
#include "channel.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
static const double speed_of_light = 299792458.0; /* m/s */

/* |G|^2 at frequency f. */
static double gain_at(const struct channel *channel, int f)
{
    double re = channel->transfer[2 * f], im = channel->transfer[2 * f + 1];
    return re * re + im * im;
}

static double gain_mean(const struct channel_band *band, const struct channel *channel)
{
    double sum = 0.0;
    for (int f = 0; f < band->frequency_count; f++) {
        sum += gain_at(channel, f); /* zero where masked */
    }
    return sum / band->usable_count;
}

double channel_path_gain(const struct channel_band *band, const struct channel *channel)
{
    double gain = gain_mean(band, channel) * channel->spreading_gain;
    return gain > 0.0 && isfinite(gain) ? gain : NAN;
}

double channel_rician_k(const struct channel_band *band, const struct channel *channel)
{
    double mean = gain_mean(band, channel), variance = 0.0;
    if (band->usable_count < MINIMUM_FREQUENCIES || !(mean > 0.0 && isfinite(mean))) {
        return NAN;
    }
    for (int f = 0; f < band->frequency_count; f++) {
        double deviation = band->usable[f] ? gain_at(channel, f) - mean : 0.0;
        variance += deviation * deviation;
    }
    double gamma = variance / band->usable_count / (mean * mean);
    if (gamma >= 1.0) {
        return NAN;
    }
    return sqrt(1.0 - gamma) / (1.0 - sqrt(1.0 - gamma));
}

/* |sum conj(G(f)) G(f + shift)| / sqrt(sum |G(f)|^2 sum |G(f + shift)|^2), over pairs that are both usable. */
static double correlation_at(const struct channel_band *band, const struct channel *channel, int shift)
{
    const double *g = channel->transfer;
    double re = 0.0, im = 0.0, low = 0.0, high = 0.0;
    for (int f = 0; f + shift < band->frequency_count; f++) {
        int s = f + shift;
        if (band->usable[f] && band->usable[s]) {
            re += g[2 * f] * g[2 * s] + g[2 * f + 1] * g[2 * s + 1];
            im += g[2 * f] * g[2 * s + 1] - g[2 * f + 1] * g[2 * s];
            low += gain_at(channel, f);
            high += gain_at(channel, s);
        }
    }
    return hypot(re, im) / sqrt(low * high);
}

double channel_coherence_bandwidth(const struct channel_band *band, const struct channel *channel, double level)
{
    double before = 1.0;
    if (band->tap_count == 0) {
        return NAN;
    }
    for (int shift = 1; shift <= band->frequency_count / 2; shift++) {
        double now = correlation_at(band, channel, shift);
        if (!(now > level)) {
            return (shift - 1 + (before - level) / (before - now)) * band->spacing;
        }
        before = now;
    }
    return NAN;
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

/* A local maximum of |h|^2 that can be an arrival: one more than a bin before the direct path is a side lobe of the window. */
static bool is_arrival(const struct channel_band *band, const struct channel *channel, int n, double threshold)
{
    const double *power = channel->plain;
    double earliest = channel->distance / speed_of_light - band->bin * band->options.padding;
    return channel->power[n] >= threshold && channel_delay(band, n) >= earliest &&
           (n == 0 || power[n] >= power[n - 1]) && (n == band->tap_count - 1 || power[n] > power[n + 1]);
}

/* Where the parabola through the logarithms of three bins has its top, in bins from n, -0.5..0.5; *ratio: its height over power[n].
 * Only where both neighbours are within 20 dB, as they are on the main lobe of a window: a profile that sets in sharply has none. */
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

static void arrivals_find(const struct channel_band *band, const struct channel *channel, struct channel_delays *delays)
{
    const double *power = channel->plain;
    int count = band->tap_count, first = -1, last = -1, strongest = 0;
    for (int n = 0; n < count; n++) {
        if (is_arrival(band, channel, n, delays->threshold)) {
            first = first < 0 ? n : first;
            last = n;
        }
        strongest = channel->power[n] > channel->power[strongest] ? n : strongest;
    }
    if (first < 0) {
        first = last = strongest; /* a maximum that 2D to 3D alone has made, or one too early */
    }
    double ratio;
    delays->first_arrival = channel_delay(band, first) + band->bin * peak_refine(power, count, first, &ratio);
    delays->last_arrival = channel_delay(band, last) + band->bin * peak_refine(power, count, last, &ratio);
    delays->maximum_excess = delays->last_arrival - delays->first_arrival;
}

struct channel_delays channel_delays(const struct channel_band *band, struct channel *channel)
{
    struct channel_delays delays = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    const double *power = channel->power;
    int count = band->tap_count, quarter = count / 4;
    double total = 0.0, peak = 0.0;
    for (int n = 0; n < count; n++) {
        total += power[n];
        peak = fmax(peak, power[n]);
    }
    if (!(peak >= DBL_MIN) || !isfinite(total)) {
        return delays;
    }
    memcpy(channel->ordered, power + count - quarter, (size_t)quarter * sizeof(double));
    delays.peak = peak;
    delays.noise_floor = median_select(channel->ordered, quarter);
    delays.threshold = fmax(peak * pow(10.0, -band->options.threshold_db / 10.0),
                            delays.noise_floor * pow(10.0, band->options.noise_margin_db / 10.0));
    delays.threshold = fmin(delays.threshold, peak);
    double sum = 0.0, moment = 0.0, second = 0.0;
    for (int n = 0; n < count; n++) {
        double weight = power[n] >= delays.threshold ? power[n] : 0.0;
        sum += weight;
        moment += weight * n;
    }
    double mean = moment / sum;
    for (int n = 0; n < count; n++) {
        double weight = power[n] >= delays.threshold ? power[n] : 0.0;
        second += weight * (n - mean) * (n - mean);
    }
    arrivals_find(band, channel, &delays);
    if (peak < delays.noise_floor * pow(10.0, band->options.noise_margin_db / 10.0)) {
        delays.maximum_excess = NAN; /* nothing but noise: the spread of that would be half the axis */
        return delays;
    }
    delays.rms_spread = band->bin * sqrt(second / sum);
    delays.mean_excess = (mean - band->guard) * band->bin - delays.first_arrival;
    return delays;
}

double channel_link_budget(const struct channel_band *band, double eirp, double gain)
{
    return eirp + gain + 20.0 * log10(speed_of_light / (4.0 * pi * band->centre));
}

pw_metrics channel_metrics(const struct channel_band *band, struct channel *channel, double eirp, double gain)
{
    struct channel_delays delays = channel_delays(band, channel);
    double path_gain = 10.0 * log10(channel_path_gain(band, channel));
    return (pw_metrics){
        .path_gain_db = path_gain,
        .received_power_dbm = channel_link_budget(band, eirp, gain) + path_gain,
        .distance = channel->distance,
        .mean_excess_delay = delays.mean_excess,
        .rms_delay_spread = delays.rms_spread,
        .maximum_excess_delay = delays.maximum_excess,
        .rician_k_db = 10.0 * log10(channel_rician_k(band, channel)),
        .coherence_bandwidth_50 = channel_coherence_bandwidth(band, channel, 0.5),
        .coherence_bandwidth_90 = channel_coherence_bandwidth(band, channel, 0.9),
    };
}

int channel_paths(const struct channel_band *band, struct channel *channel, struct channel_path *paths, int limit)
{
    struct channel_delays delays = channel_delays(band, channel);
    const double *power = channel->plain;
    int found = 0;
    for (int n = 0; n < band->tap_count; n++) {
        if (!is_arrival(band, channel, n, delays.threshold)) {
            continue;
        }
        if (found < limit) {
            double ratio, offset = peak_refine(power, band->tap_count, n, &ratio);
            struct channel_path *path = &paths[found];
            path->delay = channel_delay(band, n) + offset * band->bin;
            /* The phase is flat over the main lobe of a symmetric window, so the nearest tap's will do. */
            channel_coefficient(band, channel, n, path->delay, &path->re, &path->im);
            path->re *= sqrt(ratio);
            path->im *= sqrt(ratio);
        }
        found++;
    }
    return found;
}

const char *pw_channel_help(void)
{
    return "How planwave defines what it reports about a channel\n"
           "\n"
           "FROM FIELDS TO A CHANNEL\n"
           "  Transfer function   G(f) = Ez(f) / (I(f) Hfs(f)),  Hfs(f) = -(w mu0/4) H0^(2)(w/c 1 m)\n"
           "      The field of the transmitter's line current, relative to free space at 1 m in the same dimension; "
           "time\n"
           "      dependence exp(+jwt). Frequencies at which the current is more than 40 dB under its peak are masked, "
           "not\n"
           "      amplified.                                   (line source: Balanis, Advanced Engineering "
           "Electromagnetics, 11.2)\n"
           "  Impulse response    h(tau) = 1/M sum_f W(f) G(f) exp(j 2 pi f (tau - 1 m/c))\n"
           "      Inverse FFT over the M frequencies. Bin 1/B, divided by the zero padding (default 4). Window W: Hann "
           "(default),\n"
           "      rect, Kaiser with beta; mean amplitude 1, so a path of power P peaks at P. tau counts from emission: "
           "the direct\n"
           "      path arrives at distance/c. The axis starts 4 bins before zero. Padding moves no metric by more than "
           "a\n"
           "      hundredth of a bin or decibel; another window changes delays by the difference of its own width "
           "alone.\n"
           "  Power-delay profile PDP(tau) = |h(tau)|^2 s(tau), s: from 2D to the real world, named on every map and "
           "file\n"
           "      delay (default): s = 1 m / max(c tau, d1, d0), since late echoes have travelled further\n"
           "      distance:        s = 1 m / max(d, d0), d along the straight line, d0 = wavelength/(2 pi)\n"
           "      d1 = d (d + b)/(d + 2 b), b = c/B: nothing arrives before the direct path, up to the window's width\n"
           "      none:            s = 1, as solved\n"
           "  Noise floor         median of the last quarter (in delay) of the PDP\n"
           "  Threshold           30 dB under the peak or 6 dB over the noise floor, whichever is higher (options)\n"
           "  First, last arrival first and last local maximum of |h|^2 where the PDP is over the threshold, not more "
           "than 1/B\n"
           "      before distance/c; refined by a parabola through the decibels of three bins within 20 dB\n"
           "\n"
           "METRICS OF A POINT, AND MAPS OF THEM (--quantity)\n"
           "  Path gain           10 lg mean|G|^2 over the band + 10 lg(sum PDP / sum |h|^2)              path-gain, "
           "dB\n"
           "  Received power      EIRP + receiver gain + 20 lg(c/(4 pi fc 1 m)) + path gain, fc: middle of the band;\n"
           "      20 lg(c/(4 pi fc 1 m)) is the free-space gain at 1 m (Friis, Proc. IRE 34, 1946)        "
           "received-power, dBm\n"
           "  Mean excess delay   sum P tau / sum P - first arrival, over the bins over the threshold     mean-delay, "
           "ns\n"
           "  RMS delay spread    sqrt(sum P tau^2/sum P - (sum P tau/sum P)^2), the same bins; a single path gives "
           "the window's\n"
           "      own width, 0.58/B with Hann                          (ITU-R P.1407-8, section 2)        "
           "rms-delay-spread, ns\n"
           "  Maximum excess      last arrival - first arrival                                            "
           "maximum-delay, ns\n"
           "      These three are not defined where the peak of the PDP is not 6 dB (the option) over the noise "
           "floor.\n"
           "  Rician K            g = var(|G|^2)/mean(|G|^2)^2 over the band, K = sqrt(1-g)/(1-sqrt(1-g)); not defined "
           "for\n"
           "      g >= 1, fading deeper than Rayleigh's                                                   k-factor, "
           "dB\n"
           "      (moment method: Greenstein, Michelson, Erceg, IEEE Commun. Lett. 3, 1999)\n"
           "  Coherence bandwidth smallest shift D at which |sum G*(f) G(f+D)| / sqrt(sum |G(f)|^2 sum |G(f+D)|^2) "
           "falls to\n"
           "      0.5 or 0.9; not defined when it does not within half the band               coherence-50, "
           "coherence-90, MHz\n"
           "      (autocorrelation of the transfer function: Bello, IEEE Trans. Commun. Syst. 11, 1963)\n"
           "  K and coherence bandwidth are taken from G as solved, in 2D. Delays and K need 8 frequencies at least; "
           "with fewer,\n"
           "  `delay` falls back on `distance`.\n"
           "\n"
           "COVERAGE\n"
           "  Noise               N = k 290 K B F: -173.98 dBm/Hz + 10 lg(bandwidth/Hz) + noise figure  (IEEE Std "
           "686)\n"
           "  SNR                 received power - N                                                      snr, dB\n"
           "  SINR                P_s / (N + sum of all other transmitters' P), as powers; all others send all the "
           "time and on\n"
           "      the same channel; s: the transmitter asked for, else the strongest one                  sinr, dB\n"
           "  Best server         the transmitter with the largest received power                         best-server\n"
           "  Local mean          mean of the power (not of decibels) over a wavelength by a wavelength, or as asked "
           "for; cells at\n"
           "      the rim of the square count in part, cells without a value do not\n"
           "  Coverage            share of the cells inside the plan, walls included, at or over a threshold; cells "
           "without a value\n"
           "      are under it. An area counts the cells whose middles lie in its rectangle.\n"
           "\n"
           "DELAY LINES AND PATHS\n"
           "  Tapped delay line   one tap for what the PDP holds over the threshold between two of its minima: power: "
           "its share of\n"
           "      the whole (all taps: 0 dB); delay: its centroid, from the first tap on  (form: 3GPP TR 38.901, "
           "section 7.7.2)\n"
           "  (a, tau), paths     local maxima of |h|^2 over the threshold, padded eightfold; a includes c/(4 pi fc 1 "
           "m)\n"
           "  (a, tau), taps      one tap a bin, without window: sum a exp(-j 2 pi (f - fc) tau) is the transfer "
           "function\n"
           "  Touchstone          S21 = S12 = G(f) exp(-j 2 pi f 1 m/c), 2D to 3D applied, times c/(4 pi f 1 m); S11 = "
           "S22 = 0\n"
           "\n"
           "CALIBRATION AGAINST MEASURED POWERS\n"
           "  Prediction          received power, local mean around the point; with a frequency, of that frequency "
           "alone\n"
           "  Bias                mean of predicted - measured      RMSE  root of the mean of its square, in dB\n"
           "  Correlation         Pearson's, of predicted and measured decibels\n"
           "  Offset              - bias over the fitted points, the least-squares estimate; standard error s/sqrt(n)\n"
           "  Hold-out            points N, 2N, 3N, ... of the file (default N = 4) take no part in any fit\n"
           "  Materials           permittivity within x 1.5 and conductivity within x 10 either way, damped "
           "Gauss-Newton on the\n"
           "      decibels of the fitted points, offset free in every run\n"
           "  Refused             fewer than five fitted points for each parameter; materials that move the points by "
           "less than\n"
           "      0.05 dB, or alike (correlation over 0.98)\n";
}
