/* Source waveforms (physics.md section 4) and upper bounds of their spectra. Pulses are functions of u = t - delay
 * times an amplitude; a truncated start (a delay the user made short) is part of the bound. Leaves out: the spectrum of
 * lasting waveforms and of samples, for which nothing is promised. */
#include "discretize/source/waveform.h"

#include <math.h>
#include <stdlib.h>

static const double EDGE_LEVEL = 0.31622776601683793320; /* -10 dB in amplitude */
static const double START_LEVEL = 1e-6, END_LEVEL = 1e-12;

/* ---- shapes, amplitude 1 ---------------------------------------------------------------------------------------- */

static bool kind_is_pulse(enum waveform_kind kind)
{
    return !waveform_rule(kind)->ramp && !waveform_rule(kind)->file;
}

/* The pulse at x = u/width. Ricker: width = 1/(pi f0), so that x^2 = (pi f0 u)^2. */
static double pulse_at(const struct waveform_choice *choice, double x)
{
    double bell = exp(-x * x);
    switch (choice->kind) {
    case WAVEFORM_GAUSSIAN:
        return bell;
    case WAVEFORM_MODULATED_GAUSSIAN:
        return bell * sin(2 * M_PI * choice->frequency * choice->width * x);
    case WAVEFORM_RICKER:
        return (1 - 2 * x * x) * bell;
    default: /* derivative of the Gaussian, peak 1 at x = -1/sqrt(2) */
        return -sqrt(2 * exp(1)) * x * bell;
    }
}

/* Envelope of the pulse for x >= 0, which falls monotonically from x = 1.5 on. */
static double pulse_envelope(enum waveform_kind kind, double x)
{
    double bell = exp(-x * x);
    switch (kind) {
    case WAVEFORM_RICKER:
        return fabs(1 - 2 * x * x) * bell;
    case WAVEFORM_DIFFERENTIATED_GAUSSIAN:
        return sqrt(2 * exp(1)) * x * bell;
    default:
        return bell;
    }
}

/* Largest absolute value; below 1 only for a modulated pulse of few cycles. */
static double pulse_peak(const struct waveform_choice *choice)
{
    if (choice->kind != WAVEFORM_MODULATED_GAUSSIAN) {
        return 1;
    }
    /* d/dx [exp(-x^2) sin(kx)] = 0 at k cos(kx) = 2x sin(kx): one root in 0 < x < pi/(2k), and it is the largest
     * maximum. */
    double k = 2 * M_PI * choice->frequency * choice->width, low = 0, high = M_PI / (2 * k);
    for (int i = 0; i < 100; i++) {
        double x = 0.5 * (low + high);
        *(k * cos(k * x) > 2 * x * sin(k * x) ? &low : &high) = x;
    }
    return fabs(pulse_at(choice, low));
}

/* The x after which the envelope stays under `level`. */
static double pulse_reach(enum waveform_kind kind, double level)
{
    double low = 1.5, high = 12; /* exp(-144) = 3e-63 */
    for (int i = 0; i < 100; i++) {
        double x = 0.5 * (low + high);
        *(pulse_envelope(kind, x) > level ? &low : &high) = x;
    }
    return high;
}

/* ---- spectra, amplitude 1 --------------------------------------------------------------------------------------- */

/* |integral of the pulse over all time| at f [1/Hz]. */
static double pulse_spectrum(const struct waveform_choice *choice, double frequency)
{
    double width = choice->width, y = M_PI * width * frequency, y0 = M_PI * width * choice->frequency;
    double scale = sqrt(M_PI) * width;
    switch (choice->kind) {
    case WAVEFORM_GAUSSIAN:
        return scale * exp(-y * y);
    case WAVEFORM_MODULATED_GAUSSIAN:
        return 0.5 * scale * fabs(exp(-(y - y0) * (y - y0)) - exp(-(y + y0) * (y + y0)));
    case WAVEFORM_RICKER: /* -1/2 of the second derivative in x */
        return 2 * scale * y * y * exp(-y * y);
    default: /* sqrt(e/2) of the first derivative in x */
        return sqrt(2 * exp(1)) * scale * fabs(y) * exp(-y * y);
    }
}

static double spectrum_peak(const struct waveform_choice *choice)
{
    double y = 0;
    switch (choice->kind) {
    case WAVEFORM_RICKER:
        y = 1;
        break;
    case WAVEFORM_DIFFERENTIATED_GAUSSIAN:
        y = sqrt(0.5);
        break;
    case WAVEFORM_MODULATED_GAUSSIAN: { /* (y-y0) = (y+y0) exp(-4 y y0): above y0, by less than 1/sqrt(2) */
        double y0 = M_PI * choice->width * choice->frequency, low = y0, high = y0 + 1;
        for (int i = 0; i < 100; i++) {
            y = 0.5 * (low + high);
            *(y - y0 < (y + y0) * exp(-4 * y * y0) ? &low : &high) = y;
        }
        break;
    }
    default:
        break;
    }
    return pulse_spectrum(choice, y / (M_PI * choice->width));
}

/* Upper bound of the spectrum of what a start at t = 0 cuts off: the absolute integral of the tail, or, where the tail
 * is monotonic, the second mean value theorem: |integral of g(t) exp(jvt)| <= 2 g(0)/|v|. */
static double cut_spectrum(const struct waveform_choice *choice, double frequency)
{
    double x0 = choice->delay / choice->width, omega = 2 * M_PI * frequency, bell = exp(-x0 * x0);
    double tail, monotonic_from = 0, oscillating;
    switch (choice->kind) {
    case WAVEFORM_RICKER: /* x exp(-x^2) is an antiderivative; |w| falls from x = sqrt(3/2) on */
        tail = x0 * bell;
        monotonic_from = sqrt(1.5);
        break;
    case WAVEFORM_DIFFERENTIATED_GAUSSIAN:
        tail = sqrt(exp(1) / 2) * bell;
        monotonic_from = sqrt(0.5);
        break;
    default:
        tail = 0.5 * sqrt(M_PI) * erfc(x0);
        break;
    }
    if (x0 < monotonic_from) {
        return pulse_spectrum(choice, frequency) +
               sqrt(M_PI) * choice->width * 2; /* a pulse cut in half: no useful bound */
    }
    oscillating = 2 * pulse_envelope(choice->kind, x0) / omega;
    if (choice->kind == WAVEFORM_MODULATED_GAUSSIAN) {
        double omega0 = 2 * M_PI * choice->frequency;
        oscillating = bell * (1 / fabs(omega - omega0) + 1 / (omega + omega0));
    }
    return fmin(tail * choice->width, oscillating);
}

double waveform_spectrum_db(const struct waveform *waveform, double frequency)
{
    const struct waveform_choice *choice = &waveform->choice;
    if (!kind_is_pulse(choice->kind)) {
        return -0.0;
    }
    frequency = fabs(frequency);
    double bound = (pulse_spectrum(choice, frequency) + cut_spectrum(choice, frequency)) / waveform->spectrum_peak;
    return fmin(-0.0, 20 * log10(fmax(bound, 1e-300)));
}

/* ---- defaults --------------------------------------------------------------------------------------------------- */

/* Width of a modulated Gaussian whose spectrum is EDGE_LEVEL under its peak at the lower band edge, the weaker one: the
 * image at negative frequencies takes from it. A band that nearly reaches down to zero has no such pulse; there the
 * image is left out. */
static double modulated_width(struct waveform_choice choice, double centre, double band)
{
    double low_edge = centre - 0.5 * band;
    double narrow = 2 * sqrt(-log(EDGE_LEVEL)) / (M_PI * band), low = 0.5 * narrow, high = narrow;
    choice.width = low;
    if (choice.frequency != centre || pulse_spectrum(&choice, low_edge) < EDGE_LEVEL * spectrum_peak(&choice)) {
        return narrow;
    }
    for (int i = 0; i < 100; i++) {
        choice.width = 0.5 * (low + high);
        bool enough = pulse_spectrum(&choice, low_edge) >= EDGE_LEVEL * spectrum_peak(&choice);
        *(enough ? &low : &high) = choice.width;
    }
    return low;
}

static void resolve_pulse(struct waveform_choice *choice, double centre, double band)
{
    if (choice->kind == WAVEFORM_RICKER) {
        choice->width = 1 / (M_PI * choice->frequency);
    } else if (!(choice->width > 0)) {
        switch (choice->kind) {
        case WAVEFORM_GAUSSIAN:
            choice->width = sqrt(-log(EDGE_LEVEL)) / (M_PI * (centre + 0.5 * band));
            break;
        case WAVEFORM_DIFFERENTIATED_GAUSSIAN: /* spectral peak at f0 */
            choice->width = 1 / (sqrt(2) * M_PI * choice->frequency);
            break;
        default:
            choice->width = modulated_width(*choice, centre, band);
            break;
        }
    }
    if (isnan(choice->delay)) {
        choice->delay = choice->width * pulse_reach(choice->kind, START_LEVEL * pulse_peak(choice));
    }
}

/* ---- any kind --------------------------------------------------------------------------------------- */

pw_status waveform_create(const struct waveform_choice *choice, double band_centre, double band_width,
                          struct waveform *waveform, pw_error *error)
{
    *waveform = (struct waveform){.choice = *choice, .end = INFINITY};
    FAIL_IF(!(band_width > 0) || !(band_centre > 0.5 * band_width) || !isfinite(band_centre), error, PW_BAD_INPUT,
            "waveform_create: band centre %g GHz, width %g GHz: the band must lie above 0 Hz", 1e-9 * band_centre,
            1e-9 * band_width);
    struct waveform_choice *resolved = &waveform->choice;
    if (!(resolved->frequency > 0)) {
        resolved->frequency = band_centre;
    }
    if (choice->kind == WAVEFORM_SAMPLES) {
        FAIL_IF(choice->file == NULL, error, PW_BAD_INPUT, "waveform_create: a waveform of samples needs a file");
        pw_status status = waveform_samples_read(choice->file, waveform, error);
        if (status != PW_OK) {
            waveform_free(waveform);
            return status;
        }
        waveform->end = waveform->time[waveform->samples - 1];
        return PW_OK;
    }
    if (kind_is_pulse(choice->kind)) {
        resolve_pulse(resolved, band_centre, band_width);
        double peak = pulse_peak(resolved);
        waveform->end = resolved->delay + resolved->width * pulse_reach(resolved->kind, END_LEVEL * peak);
        waveform->spectrum_peak = spectrum_peak(resolved);
    } else if (isnan(resolved->delay)) {
        resolved->delay = 0;
    }
    return PW_OK;
}

void waveform_free(struct waveform *waveform)
{
    free(waveform->time);
    free(waveform->value);
    *waveform = (struct waveform){0};
}

double waveform_at(const struct waveform *waveform, double time)
{
    const struct waveform_choice *choice = &waveform->choice;
    double u = time - choice->delay;
    switch (choice->kind) {
    case WAVEFORM_SAMPLES:
        return choice->amplitude * waveform_samples_at(waveform, time);
    case WAVEFORM_SINUSOID:
    case WAVEFORM_CONSTANT: {
        if (u < 0) {
            return 0;
        }
        double ramp = u < choice->ramp ? 0.5 - 0.5 * cos(M_PI * u / choice->ramp) : 1;
        double carrier = choice->kind == WAVEFORM_SINUSOID ? sin(2 * M_PI * choice->frequency * u) : 1;
        return choice->amplitude * ramp * carrier;
    }
    default:
        return time < 0 ? 0 : choice->amplitude * pulse_at(choice, u / choice->width);
    }
}
