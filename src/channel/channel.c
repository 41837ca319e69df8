/* Transfer function, impulse response and PDP of a channel; the band they live on. The metrics are in
 * channel_metrics.c, reading results in link.c, files in export/. */
#include "channel/channel.h"
#include "base/constants.h"
#include "base/numbers/hankel.h"
#include "channel/slant/heights.h"

#include <fftw3.h>
#include <math.h>
#include <string.h>

static const double mask_level = 1e-2; /* -40 dB, of |I| */

pw_channel_options pw_channel_options_default(void)
{
    return (pw_channel_options){
        .window = PW_WINDOW_HANN,
        .kaiser_beta = 6.0,
        .padding = 4,
        .threshold_db = 30.0,
        .noise_margin_db = 6.0,
        .noise_floor_db = 300.0,
        .spreading = PW_SPREADING_AUTO,
        .height = NAN,
        .receiver_height = NAN,
        .transmitter_height = NAN,
    };
}

pw_status pw_channel_options_check(const pw_channel_options *options, pw_error *error)
{
    FAIL_IF(options->window < PW_WINDOW_HANN || options->window > PW_WINDOW_KAISER, error, PW_USAGE,
            "unknown window %d; allowed: hann, rect, kaiser", (int)options->window);
    FAIL_IF(options->spreading < PW_SPREADING_NONE || options->spreading > PW_SPREADING_AUTO, error, PW_USAGE,
            "unknown spreading %d; allowed: none, distance, delay, storey, diffuse, auto", (int)options->spreading);
    FAIL_IF(options->component < PW_COMPONENT_OWN || options->component > PW_COMPONENT_HZ, error, PW_USAGE,
            "unknown component %d; allowed: ex, ey, ez, hz, total", (int)options->component);
    FAIL_IF(options->window == PW_WINDOW_KAISER && !(options->kaiser_beta >= 0.0 && options->kaiser_beta <= 100.0),
            error, PW_USAGE, "the Kaiser window's beta is %g; allowed: 0 to 100", options->kaiser_beta);
    FAIL_IF(options->padding < 1 || options->padding > PADDING_LIMIT, error, PW_USAGE,
            "the zero padding factor is %d; allowed: 1 to %d", options->padding, PADDING_LIMIT);
    FAIL_IF(!(options->threshold_db > 0.0 && options->threshold_db <= 300.0), error, PW_USAGE,
            "the threshold is %g dB below the peak; allowed: above 0, at most 300", options->threshold_db);
    FAIL_IF(!(options->noise_margin_db >= 0.0 && options->noise_margin_db <= 300.0), error, PW_USAGE,
            "the margin above the noise floor is %g dB; allowed: 0 to 300", options->noise_margin_db);
    FAIL_IF(!(options->noise_floor_db > 0.0 && options->noise_floor_db <= 300.0), error, PW_USAGE,
            "the noise floor is %g dB below the peak; allowed: above 0, at most 300", options->noise_floor_db);
    FAIL_IF(!(options->width >= 0.0 && isfinite(options->width)), error, PW_USAGE,
            "the channel's width is %g Hz; allowed: above 0, or 0 for the whole band", options->width);
    return PW_OK;
}

/* The spreading that is applied to a result of two or three dimensions. PW_USAGE: one that three do not have. */
static pw_status channel_spreading_resolve(int dimensions, pw_spreading *spreading, pw_error *error)
{
    if (*spreading == PW_SPREADING_AUTO) {
        *spreading = dimensions == 3 ? PW_SPREADING_NONE : PW_SPREADING_DELAY;
    }
    return dimensions == 2 || *spreading == PW_SPREADING_NONE
               ? PW_OK
               : fail(error, PW_USAGE,
                      "spreading by %s takes powers from two dimensions to three, but this result was solved in three: "
                      "there is nothing to spread; leave --spreading out",
                      pw_spreading_name(*spreading));
}

/* Modified Bessel function I0 by its power series, A&S 9.6.12; converges for every argument allowed here. */
static double bessel_i0(double x)
{
    double sum = 1.0, term = 1.0;
    for (int k = 1; term > 1e-17 * sum; k++) {
        term *= (0.5 * x / k) * (0.5 * x / k);
        sum += term;
    }
    return sum;
}

/* Window at k of n, symmetric, sampled at the middles of n equal parts so that neither end is lost. */
static double window_at(const pw_channel_options *options, int k, int n)
{
    double x = (2.0 * k + 1.0) / n - 1.0; /* -1..1 */
    switch (options->window) {
    case PW_WINDOW_HANN:
        return 0.5 * (1.0 + cos(M_PI * x));
    case PW_WINDOW_KAISER:
        return bessel_i0(options->kaiser_beta * sqrt(1.0 - x * x)) / bessel_i0(options->kaiser_beta);
    case PW_WINDOW_RECT:
        break;
    }
    return 1.0;
}

static pw_status frequencies_check(const double *frequency, int count, pw_error *error)
{
    FAIL_IF(count < 1, error, PW_BAD_INPUT, "the result holds no frequencies; run it with spectra.count above 0");
    double spacing = count > 1 ? (frequency[count - 1] - frequency[0]) / (count - 1) : 1.0;
    FAIL_IF(!(frequency[0] > 0.0 && spacing > 0.0 && isfinite(frequency[count - 1])), error, PW_BAD_INPUT,
            "frequencies from %g Hz to %g Hz: they must be positive and ascending", frequency[0], frequency[count - 1]);
    for (int f = 0; f < count; f++) {
        FAIL_IF(!(fabs(frequency[f] - frequency[0] - f * spacing) <= 1e-6 * spacing), error, PW_BAD_INPUT,
                "frequency %d is %.9g Hz; with equal spacing it would be %.9g Hz", f, frequency[f],
                frequency[0] + f * spacing);
    }
    return PW_OK;
}

/* Whether a frequency lies in the width that is asked for. */
static bool in_width(const struct channel_band *band, int f)
{
    double middle = 0.5 * (band->frequency[0] + band->frequency[band->frequency_count - 1]);
    return band->options.width == 0.0 || fabs(band->frequency[f] - middle) <= 0.5 * band->options.width;
}

/* Masks and fills reference and centre. */
static pw_status reference_fill(struct channel_band *band, const double *source_spectrum, pw_error *error)
{
    int n = band->frequency_count, first = n, last = -1;
    double peak = 0.0;
    for (int f = 0; f < n; f++) {
        peak = fmax(peak, hypot(source_spectrum[2 * f], source_spectrum[2 * f + 1]));
    }
    FAIL_IF(!(peak > 0.0 && isfinite(peak)), error, PW_BAD_INPUT,
            "the transmitter's current has no spectrum in the band (largest value %g A s)", peak);
    for (int f = 0; f < n; f++) {
        double ir = source_spectrum[2 * f], ii = source_spectrum[2 * f + 1], hr, hi;
        band->usable[f] = hypot(ir, ii) >= mask_level * peak && in_width(band, f);
        if (!band->usable[f]) {
            continue;
        }
        if (band->dimensions == 3) {
            dipole_far_field(band->frequency[f], 1.0, &hr, &hi);
        } else {
            line_current_field(band->frequency[f], 1.0, &hr, &hi);
        }
        double re = ir * hr - ii * hi, im = ir * hi + ii * hr, norm = re * re + im * im;
        band->reference[2 * f] = re / norm;
        band->reference[2 * f + 1] = -im / norm;
        band->usable_count++;
        first = f < first ? f : first;
        last = f;
    }
    FAIL_IF(band->usable_count == 0, error, PW_USAGE,
            "a channel %g Hz wide holds no frequency of the band, %.9g to %.9g Hz", band->options.width,
            band->frequency[0], band->frequency[n - 1]);
    band->centre = 0.5 * (band->frequency[first] + band->frequency[last]);
    /* The window lies over what is left of the band, so that masked edges do not cut it off. */
    double sum = 0.0;
    for (int f = first; f <= last; f++) {
        band->window[f] = band->usable[f] ? window_at(&band->options, f - first, last - first + 1) : 0.0;
        sum += band->window[f];
    }
    for (int f = first; f <= last; f++) {
        band->window[f] *= band->usable_count / sum;
    }
    return PW_OK;
}

/* The planner of FFTW is not re-entrant; this lock holds for all threads of the process. ESTIMATE, so that the same
 * input gives the same bits every time. */
static fftw_plan plan_create(int count, fftw_complex *in, fftw_complex *out)
{
    fftw_plan plan;
#pragma omp critical(planwave_fftw)
    plan = fftw_plan_dft_1d(count, in, out, FFTW_BACKWARD, FFTW_ESTIMATE);
    return plan;
}

/* Power factor from 2D to 3D that the delay [s] alone would ask for. */
static double spreading_at(const struct channel_band *band, double delay)
{
    return band->options.spreading == PW_SPREADING_DELAY && delay > 0.0 ? 1.0 / (SPEED_OF_LIGHT * delay) : INFINITY;
}

static pw_status taps_prepare(struct channel_band *band, pw_error *error)
{
    int n = band->frequency_count;
    band->spacing = (band->frequency[n - 1] - band->frequency[0]) / (n - 1);
    band->tap_count = band->options.padding * n;
    band->bin = 1.0 / (band->spacing * band->tap_count);
    band->guard = (GUARD_BINS < n / 8 ? GUARD_BINS : n / 8) * band->options.padding;
    for (int f = 0; f < n; f++) {
        double phase = -2.0 * M_PI * band->frequency[f] / SPEED_OF_LIGHT;
        band->kernel[2 * f] = band->window[f] * cos(phase) / band->usable_count;
        band->kernel[2 * f + 1] = band->window[f] * sin(phase) / band->usable_count;
    }
    TRY_MADE(band->spreading = allocate((size_t)band->tap_count, sizeof(double), "the spreading of a channel", error));
    for (int t = 0; t < band->tap_count; t++) {
        band->spreading[t] = spreading_at(band, channel_delay(band, t));
    }
    band->pulse = pulse_make(band->window, n, band->spacing);
    for (int k = 0; k < n; k++) {
        band->unit_sum += band->tap_count * pow(band->window[k] / band->usable_count, 2);
    }
    fftw_complex *in = fftw_alloc_complex((size_t)band->tap_count), *out = fftw_alloc_complex((size_t)band->tap_count);
    if (in != NULL && out != NULL) {
        band->plan = plan_create(band->tap_count, in, out);
    }
    fftw_free(in);
    fftw_free(out);
    FAIL_IF(band->plan == NULL, error, PW_NO_RESOURCE, "no Fourier transform of %d points", band->tap_count);
    return PW_OK;
}

pw_status channel_band_create(int dimensions, const double *frequency, int frequency_count,
                              const double *source_spectrum, const pw_channel_options *options,
                              struct channel_band *band, pw_error *error)
{
    memset(band, 0, sizeof *band);
    TRY(pw_channel_options_check(options, error));
    TRY(frequencies_check(frequency, frequency_count, error));
    size_t count = (size_t)frequency_count;
    band->options = *options;
    band->dimensions = dimensions;
    TRY(heights_check(dimensions, options, error));
    TRY(channel_spreading_resolve(dimensions, &band->options.spreading, error));
    band->run_end = INFINITY;
    band->frequency_count = frequency_count;
    band->frequency = allocate(count, sizeof(double), "the frequencies of a channel", error);
    band->usable = allocate(count, sizeof(bool), "the mask of a channel", error);
    band->reference = allocate(2 * count, sizeof(double), "the reference of a channel", error);
    band->window = allocate(count, sizeof(double), "the window of a channel", error);
    band->kernel = allocate(2 * count, sizeof(double), "the window of a channel", error);
    pw_status status = PW_NO_RESOURCE;
    if (band->frequency != NULL && band->usable != NULL && band->reference != NULL && band->window != NULL &&
        band->kernel != NULL) {
        memcpy(band->frequency, frequency, count * sizeof(double));
        status = reference_fill(band, source_spectrum, error);
        if (status == PW_OK && band->usable_count >= MINIMUM_FREQUENCIES) {
            status = taps_prepare(band, error);
        }
    }
    if (status != PW_OK) {
        channel_band_free(band);
    }
    return status;
}

void channel_band_free(struct channel_band *band)
{
    if (band->plan != NULL) {
#pragma omp critical(planwave_fftw)
        fftw_destroy_plan(band->plan);
    }
    FREE_ALL(band->frequency, band->usable, band->reference, band->window, band->kernel, band->spreading, band->energy,
             band->energy_folded);
    storey_band_free(band->storey);
    diffuse_free(band->diffuse);
    memset(band, 0, sizeof *band);
}

pw_status channel_create(const struct channel_band *band, struct channel *channel, pw_error *error)
{
    memset(channel, 0, sizeof *channel);
    size_t taps = band->tap_count > 0 ? (size_t)band->tap_count : 1;
    channel->transfer = allocate(2 * (size_t)band->frequency_count, sizeof(double), "a transfer function", error);
    channel->over = allocate(2 * (size_t)band->frequency_count, sizeof(double), "a transfer function", error);
    channel->impulse = allocate(2 * taps, sizeof(double), "an impulse response", error);
    channel->plain = allocate(taps, sizeof(double), "a power-delay profile", error);
    channel->power = allocate(taps, sizeof(double), "a power-delay profile", error);
    channel->solved = allocate(taps, sizeof(double), "a power-delay profile", error);
    channel->ordered = allocate(taps, sizeof(double), "a power-delay profile", error);
    channel->slanted = allocate(taps, sizeof(double), "a power-delay profile", error);
    channel->arrived = allocate(taps, sizeof(double), "a power-delay profile", error);
    channel->factor = allocate(taps, sizeof(double), "a power-delay profile", error);
    channel->padded = fftw_alloc_real(2 * taps);
    channel->circular = fftw_alloc_real(2 * taps);
    channel->spreading_gain = channel->storey_gain = 1.0;
    if (channel->transfer == NULL || channel->over == NULL || channel->impulse == NULL || channel->plain == NULL ||
        channel->power == NULL || channel->solved == NULL || channel->ordered == NULL || channel->slanted == NULL ||
        channel->arrived == NULL || channel->factor == NULL || channel->padded == NULL || channel->circular == NULL) {
        channel_free(channel);
        return fail(error, PW_NO_RESOURCE, "not enough memory for an impulse response of %zu taps", taps);
    }
    memset(channel->padded, 0, 2 * taps * sizeof(double));
    pw_status status = band->storey != NULL ? storey_work_create(band->storey, &channel->storey, error) : PW_OK;
    if (status != PW_OK) {
        channel_free(channel);
    }
    return status;
}

void channel_free(struct channel *channel)
{
    FREE_ALL(channel->transfer, channel->over, channel->impulse, channel->plain, channel->power, channel->solved,
             channel->ordered, channel->slanted, channel->arrived, channel->factor);
    fftw_free(channel->padded);
    fftw_free(channel->circular);
    storey_work_free(channel->storey);
    memset(channel, 0, sizeof *channel);
}

void channel_set_field(const struct channel_band *band, const double *ez, size_t stride, struct channel *channel)
{
    channel_divide(band, ez, stride, channel->transfer);
}

/* The largest power factor from 2D to 3D at `distance`: that of the direct path and of all that seems to come earlier.
 */
static double spreading_limit(const struct channel_band *band, double distance)
{
    double nearest = SPEED_OF_LIGHT / (2.0 * M_PI * band->centre);
    if (band->options.spreading == PW_SPREADING_NONE || band->options.spreading == PW_SPREADING_STOREY) {
        return 1.0;
    }
    if (band->options.spreading != PW_SPREADING_DELAY || band->tap_count == 0) {
        return 1.0 / fmax(distance, nearest);
    }
    double bin = SPEED_OF_LIGHT * band->bin * band->options.padding; /* m */
    return 1.0 / fmax(nearest, distance * (distance + bin) / (distance + 2.0 * bin));
}

/* F(L) in the middle of the band. */
static double slanted_factor(const struct channel_band *band, const struct slant *slant, double length)
{
    return slant_spread(slant, length, band->centre);
}

/* Fills `slanted` for the heights of the link, unless it has them. */
static void slanted_fill(const struct channel_band *band, struct channel *channel)
{
    if (slant_equals(&channel->slant, &channel->slanted_for)) {
        return;
    }
    for (int n = 0; n < band->tap_count; n++) {
        channel->slanted[n] = slanted_factor(band, &channel->slant, fmax(0.0, SPEED_OF_LIGHT * channel_delay(band, n)));
    }
    channel->slanted_for = channel->slant;
}

/* Weighs the bins around the direct path. */
static void direct_find(const struct channel_band *band, struct channel *channel)
{
    double delay = channel->distance / SPEED_OF_LIGHT;
    int first = (int)fmin(fmax(floor(delay / band->bin) + 1.0 + band->guard, 0.0), band->tap_count);
    const struct late_bins late = {.factor = channel->slanted + first,
                                   .count = band->tap_count - first,
                                   .first_delay = channel_delay(band, first),
                                   .bin = band->bin};
    channel->direct =
        direct_path_make(&band->pulse, delay, slanted_factor(band, &channel->slant, channel->distance), &late);
}

double channel_spreading(const struct channel_band *band, const struct channel *channel, double delay)
{
    if (!slant_counts(&channel->slant)) {
        return fmin(spreading_at(band, delay), channel->limit);
    }
    bool by_delay = band->options.spreading == PW_SPREADING_DELAY;
    double length = by_delay ? fmax(0.0, SPEED_OF_LIGHT * delay) : channel->distance;
    double own = slanted_factor(band, &channel->slant, length);
    return by_delay ? direct_path_factor(&channel->direct, delay, own) : own;
}

void channel_spreading_bins(const struct channel_band *band, const struct channel *channel, int first, double *factor)
{
    bool slanted = slant_counts(&channel->slant), by_delay = band->options.spreading == PW_SPREADING_DELAY;
    for (int n = 0; n < band->tap_count; n++) {
        int tap = first + n + band->guard;
        double delay = (first + n) * band->bin;
        bool known = tap >= 0 && tap < band->tap_count && (by_delay || !slanted); /* by the tables of the taps */
        if (!known) {
            factor[n] = channel_spreading(band, channel, delay);
        } else if (slanted) {
            factor[n] = direct_path_factor(&channel->direct, delay, channel->slanted[tap]);
        } else {
            factor[n] = band->spreading[tap] < channel->limit ? band->spreading[tap] : channel->limit;
        }
    }
}

/* The powers of the bins of a link with heights. */
static void slanted_spread(const struct channel_band *band, struct channel *channel)
{
    bool by_delay = band->options.spreading == PW_SPREADING_DELAY;
    double level = slanted_factor(band, &channel->slant, channel->distance);
    if (by_delay) {
        slanted_fill(band, channel);
        direct_find(band, channel);
    }
    for (int n = 0; n < band->tap_count; n++) {
        channel->power[n] =
            channel->plain[n] *
            (by_delay ? direct_path_factor(&channel->direct, channel_delay(band, n), channel->slanted[n]) : level);
    }
}

/* Fills plain and power, and their ratio. */
static void channel_spread(const struct channel_band *band, struct channel *channel)
{
    double before = 0.0, after = 0.0, limit = channel->limit;
    for (int n = 0; n < band->tap_count; n++) {
        double re = channel->impulse[2 * n], im = channel->impulse[2 * n + 1], power = re * re + im * im;
        double spread = power * (band->spreading[n] < limit ? band->spreading[n] : limit);
        channel->plain[n] = power;
        channel->power[n] = spread;
        before += power;
        after += spread;
    }
    if (slant_counts(&channel->slant)) {
        slanted_spread(band, channel);
        after = 0.0;
        for (int n = 0; n < band->tap_count; n++) {
            after += channel->power[n];
        }
    }
    channel->spreading_gain = after / before;
}

/* What floor and ceiling scatter there, by the delays that taps have: those over the plan. */
static struct diffuse_late late_find(const struct channel_band *band, const struct channel *channel)
{
    if (band->diffuse == NULL) {
        return (struct diffuse_late){0.0, 0.0, 0.0};
    }
    const struct diffuse_late late = diffuse_late(band->diffuse, channel->ends.place, channel->distance);
    const double rise = channel->slant.rise / SPEED_OF_LIGHT, end = late.onset + late.excess,
                 onset = sqrt(fmax(0.0, late.onset * late.onset - rise * rise));
    return (struct diffuse_late){late.gain, onset, sqrt(fmax(0.0, end * end - rise * rise)) - onset};
}

/* Adds it to the profile. */
static void late_add(const struct channel_band *band, struct channel *channel)
{
    const struct diffuse_bins bins = {channel_delay(band, 0), band->bin, band->tap_count};
    memcpy(channel->solved, channel->power, (size_t)band->tap_count * sizeof(double));
    if (channel->late.gain > 0.0) {
        diffuse_profile(&channel->late, &band->pulse, &bins, channel->late.gain * band->unit_sum, channel->power);
        for (int n = 0; n < band->tap_count; n++) {
            channel->power[n] += channel->solved[n];
        }
    }
}

void channel_transform(const struct channel_band *band, double distance, const struct slant *slant,
                       struct channel *channel)
{
    bool none = slant == NULL || band->options.spreading == PW_SPREADING_NONE || band->storey != NULL;
    channel->distance = channel->over_plan = distance;
    channel->slant = none ? (struct slant){0} : *slant;
    channel->ends = slant != NULL ? *slant : (struct slant){0};
    if (band->storey != NULL) {
        channel_pass_storey(band, channel);
        distance = channel->distance;
    }
    channel->limit = spreading_limit(band, distance);
    /* Without an impulse response there are no delays to go by: the straight line has to do. */
    channel->spreading_gain =
        slant_counts(&channel->slant) ? slanted_factor(band, &channel->slant, distance) : channel->limit;
    channel->late = late_find(band, channel);
    if (band->tap_count == 0) {
        return;
    }
    for (int f = 0; f < band->frequency_count; f++) {
        double re = channel->transfer[2 * f], im = channel->transfer[2 * f + 1];
        double kr = band->kernel[2 * f], ki = band->kernel[2 * f + 1];
        channel->padded[2 * f] = re * kr - im * ki;
        channel->padded[2 * f + 1] = re * ki + im * kr;
    }
    fftw_execute_dft(band->plan, (fftw_complex *)channel->padded, (fftw_complex *)channel->circular);
    size_t taps = (size_t)band->tap_count, guard = (size_t)band->guard;
    memcpy(channel->impulse, channel->circular + 2 * (taps - guard), 2 * guard * sizeof(double));
    memcpy(channel->impulse + 2 * guard, channel->circular, 2 * (taps - guard) * sizeof(double));
    channel_spread(band, channel);
    late_add(band, channel);
}

void channel_coefficient(const struct channel_band *band, const struct channel *channel, int n, double delay,
                         double *re, double *im)
{
    /* From the lower band edge, where the transform counts from, to the middle. */
    double phase = -2.0 * M_PI * (band->centre - band->frequency[0]) * channel_delay(band, n);
    double amplitude = sqrt(channel_spreading(band, channel, delay));
    double hr = channel->impulse[2 * n], hi = channel->impulse[2 * n + 1];
    *re = amplitude * (hr * cos(phase) - hi * sin(phase));
    *im = amplitude * (hr * sin(phase) + hi * cos(phase));
}
