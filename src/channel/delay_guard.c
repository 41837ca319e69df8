/* The estimate of the error of delays (delay_guard.h). */
#include "channel/delay_guard.h"

#include "base/constants.h"
#include "problem/spectra/decay.h"

#include <math.h>

static const double LOBE = 2.5;       /* bins of the band before the direct path that the window may fill */
static const double ECHO = 10.0;      /* power of a single echo for the energy that is left */
static const double ECHO_LEAST = 5.0; /* the same when that energy is spread over many fronts, */
static const double GATHERED = 0.003; /* which it is when so much of it has gone, */
static const double GATHERING = 0.6;  /* by this power of it */
static const double MARGIN = 1.5;     /* on every estimate: it is one, from fields that fluctuate */
static const double SAFE = 2.0;       /* the tail as estimated, and this many times it */
static const double MOVES = 0.7;      /* of the threshold, for what folds in */
static const double NOTHING = 1e-5;   /* of the energy: what is left then is not looked for */
static const double AT_ONE = 100.0;   /* times the energy that is left: the power, over that of free space at 1 m, at
                                       * which it may arrive at once: a focus of 10, and as much in reserve */
enum { FOLD_LIMIT = 4, TAIL_STEPS = 480, ROOM = 6 };

/* ---- the energy by delay ----------------------------------------------------------------------------------------- */

pw_status channel_band_observe(struct channel_band *band, const struct delay_record *record, pw_error *error)
{
    if (band->tap_count == 0 || record->count == 0) {
        return PW_OK;
    }
    band->run_end = record->end;
    band->of_place = record->of_place;
    /* A wide pulse is over sooner than the profile of a narrow band can tell. */
    double width = band->bin * band->options.padding;
    band->blind = record->pulse_length > 0.0 ? fmin(record->pulse_length, width) : width;
    double run = fmax(0.0, record->end) / band->bin, most = 64.0 * band->tap_count;
    int taps = band->tap_count;
    band->energy_count = FOLD_LIMIT * taps + (int)fmin(run, most);
    band->energy = allocate((size_t)band->energy_count, sizeof(double), "the decay of the energy", error);
    band->energy_folded = allocate((size_t)band->energy_count, sizeof(double), "the decay of the energy", error);
    TRY_MADE(band->energy != NULL && band->energy_folded != NULL);
    struct decay decay;
    TRY(decay_create(record->count, record->time, record->energy, &decay, error));
    band->energy_decay = decay.constant;
    for (int m = 0; m < band->energy_count; m++) {
        band->energy[m] = exp(decay_level(&decay, m * band->bin + record->pulse_centre));
    }
    decay_free(&decay);
    for (int m = band->energy_count - 1 - taps; m >= 0; m--) {
        double seen = (m + taps) * band->bin < record->end ? band->energy[m + taps] : 0.0;
        band->energy_folded[m] = seen + band->energy_folded[m + taps];
    }
    band->observed = true;
    return PW_OK;
}

/* Energy that is left at a delay. */
static double energy_at(const struct channel_band *band, double delay)
{
    double index = fmax(0.0, delay / band->bin), last = band->energy_count - 1;
    double value = band->energy[(int)fmin(index, last)];
    return index > last ? value * exp(-(index - last) * band->bin / band->energy_decay) : value;
}

/* ---- the profile, in the order in which it arrived ----------------------------------------------------------------
 */

struct view {
    const struct channel_band *band;
    const struct channel *channel;
    int first;                          /* delay of bin 0, in bins */
    const double *power_at, *factor_at; /* (tap_count): of the bins, and what 2D to 3D does at their delays */
    double width;                       /* s: 1/B */
    double horizon;                     /* s */
    double end;                         /* s: what arrives later is not in the profile, or folds into it */
    bool folds;                         /* the horizon is the period, and the run was longer */
    int peak;
    double power, threshold;
};

struct moments {
    double zeroth, first, second;
};

static double view_delay(const struct view *view, int n)
{
    return (view->first + n) * view->band->bin;
}

static double spreading(const struct view *view, double delay)
{
    return channel_spreading(view->band, view->channel, delay);
}

/* Turns the profile round to the order of arrival. */
static void view_fill(struct view *view)
{
    const struct channel *channel = view->channel;
    int taps = view->band->tap_count, at = (view->first + view->band->guard) % taps;
    at = at < 0 ? at + taps : at;
    channel_spreading_bins(view->band, channel, view->first, channel->factor);
    for (int n = 0; n < taps; n++) {
        channel->arrived[n] = channel->plain[at] * channel->factor[n];
        at = at + 1 < taps ? at + 1 : 0;
        if (channel->arrived[n] > view->power) {
            view->power = channel->arrived[n];
            view->peak = n;
        }
    }
    view->power_at = channel->arrived;
    view->factor_at = channel->factor;
}

static struct view view_make(const struct channel_band *band, const struct channel *channel)
{
    struct view view = {.band = band, .channel = channel, .width = band->bin * band->options.padding};
    view.first = (int)floor((channel->distance / SPEED_OF_LIGHT - LOBE * view.width) / band->bin);
    double end = view_delay(&view, band->tap_count - 1);
    view.folds = band->run_end > end;
    double seen = band->run_end - (band->observed ? band->blind : view.width);
    view.horizon = view.folds ? fmin(seen, end) : seen;
    view.end = view.folds ? end : band->run_end;
    view_fill(&view);
    view.threshold = view.power * pow(10.0, -band->options.threshold_db / 10.0);
    return view;
}

/* `delay` as solved; moments are those of the delays that are reported. */
static void moments_add(const struct view *view, struct moments *moments, double weight, double delay)
{
    delay = channel_arrival(view->channel, delay);
    moments->zeroth += weight;
    moments->first += weight * delay;
    moments->second += weight * delay * delay;
}

static struct moments moments_sum(const struct moments *a, double factor, const struct moments *b)
{
    return (struct moments){a->zeroth + factor * b->zeroth, a->first + factor * b->first,
                            a->second + factor * b->second};
}

/* ---- the tail ---------------------------------------------------------------------------------------------------- */

/* Arrivals of later periods that fold into bin n, for a scale of 1: 2D to 3D takes them for early ones. */
static double folded_at(const struct view *view, int n)
{
    int index = view->first + n > 0 ? view->first + n : 0;
    return view->folds && index < view->band->energy_count ? view->band->energy_folded[index] * view->factor_at[n]
                                                           : 0.0;
}

/* The factor k between the energy and the late part of the profile. */
static double tail_scale(const struct view *view)
{
    static const double parts[] = {0.25, 0.5};
    double scale = 0.0, peak_delay = view_delay(view, view->peak);
    for (int p = 0; p < 2; p++) {
        double length = fmax(parts[p] * (view->horizon - peak_delay), 4.0 * view->width), power = 0.0, shape = 0.0;
        for (int n = view->peak; n < view->band->tap_count; n++) {
            double delay = view_delay(view, n);
            if (delay > view->horizon - length && delay <= view->horizon) {
                power += view->power_at[n];
                shape += energy_at(view->band, delay) * view->factor_at[n] + folded_at(view, n);
            }
        }
        scale = fmax(scale, shape > 0.0 ? power / shape * (1.0 + sqrt(1.5 * view->width / length)) : 0.0);
    }
    return scale;
}

/* What lies behind the horizon, over the threshold. False: it does not end. */
static bool tail_beyond(const struct view *view, double scale, struct moments *moments)
{
    const struct channel_band *band = view->band;
    double period = band->bin * band->tap_count, span = fmax(period, view->horizon), before = 0.0, level = 0.0;
    *moments = (struct moments){0.0, 0.0, 0.0};
    for (int k = 0; k < TAIL_STEPS; k++) {
        /* Even steps up to a quarter of the span, then longer ones up to ten times the span. */
        double t = (k + 1.0) / TAIL_STEPS, later = span * (t < 0.6 ? t / 2.4 : 0.25 * pow(40.0, (t - 0.6) / 0.4));
        double delay = view->horizon + 0.5 * (before + later);
        level = scale * energy_at(band, delay) * spreading(view, delay);
        if (level > 0.02 * view->threshold) {
            double over = level * (1.0 + view->threshold / level) * exp(-view->threshold / level);
            moments_add(view, moments, over * (later - before) / band->bin, delay);
        }
        before = later;
    }
    return level <= 0.02 * view->threshold || isfinite(band->energy_decay);
}

/* The profile up to the horizon without what has folded into it, over the threshold. What folds adds as a field, so
 * that a bin of power P moves by about sqrt(2 P F): `shift` such moves of the threshold and of the strongest bins, the
 * latter with their part in the threshold, say what that can do. */
static struct moments profile_moments(const struct view *view, double scale, double shift)
{
    struct moments moments = {0.0, 0.0, 0.0};
    double on_peak = scale * folded_at(view, view->peak) / view->power;
    double strongest = shift * fmin(1.0, sqrt(2.0 * on_peak));
    for (int n = 0; n < view->band->tap_count; n++) {
        double delay = view_delay(view, n), folded = scale * folded_at(view, n);
        double power = view->power_at[n] - folded, threshold = (1.0 + strongest) * view->threshold;
        threshold += shift != 0.0 ? shift * sqrt(2.0 * folded * view->threshold) : 0.0;
        power *= power > 0.25 * view->power ? 1.0 + strongest : 1.0;
        if (delay <= view->horizon + view->width && power >= threshold && power > 0.0) {
            moments_add(view, &moments, power, delay);
        }
    }
    return moments;
}

/* Whether not even all of the energy in the grid, arriving at once, is over the threshold: the power at a place tells
 * what part of the energy it is. The energy at the time of the place's peak does not, where the front was about to
 * leave the plan between two looks. */
static bool grid_is_silent(const struct view *view)
{
    const struct channel_band *band = view->band;
    double peak = 0.0;
    for (int n = 0; n < band->tap_count; n++) {
        peak = fmax(peak, view->channel->plain[n]);
    }
    return !band->of_place &&
           AT_ONE * energy_at(band, view->end) < peak * pow(10.0, -band->options.threshold_db / 10.0);
}

/* ---- the verdict ------------------------------------------------------------------------------------------------- */

/* Makes the doubt as large as the difference between what was reported and what these moments would give. */
static void doubt_raise(struct delay_doubt *doubt, const struct view *view, const struct channel_delays *reported,
                        const struct moments *moments)
{
    double mean = moments->first / moments->zeroth;
    double rms = sqrt(fmax(0.0, moments->second / moments->zeroth - mean * mean));
    double excess = mean - reported->first_arrival;
    doubt->rms_error = fmax(doubt->rms_error, MARGIN * fabs(reported->rms_spread / rms - 1.0));
    double shift = fabs(reported->mean_excess - fmax(0.0, excess));
    doubt->mean_error = fmax(doubt->mean_error, MARGIN * shift / fmax(excess, view->width));
}

/* A single echo behind the horizon, at several delays. */
static void doubt_echo(struct delay_doubt *doubt, const struct view *view, const struct channel_delays *reported,
                       const struct moments *profile)
{
    static const double bins[] = {1.0, 3.0, 6.0, 10.0, 20.0, 40.0};
    double peak_delay = view_delay(view, view->peak);
    double peak = energy_at(view->band, peak_delay) * spreading(view, peak_delay);
    for (size_t k = 0; k < sizeof bins / sizeof *bins; k++) {
        double delay = view->horizon + bins[k] * view->width;
        double left = energy_at(view->band, delay), together = fmin(1.0, pow(left / GATHERED, GATHERING));
        double power = view->power * fmax(ECHO_LEAST, ECHO * together) * left * spreading(view, delay) / peak;
        if (power > view->threshold) {
            struct moments echo = {0.0, 0.0, 0.0};
            moments_add(view, &echo, power * 1.5 * view->band->options.padding, delay); /* 1.5: Hann's width in power */
            struct moments both = moments_sum(profile, 1.0, &echo);
            doubt_raise(doubt, view, reported, &both);
        }
    }
}

/* Without looks at the energy there is the profile alone: where it has room to fall and its last quarter is not well
 * under the threshold, the period is too short. */
static struct delay_doubt doubt_unobserved(const struct view *view, const struct channel_delays *delays)
{
    double from = view_delay(view, view->peak), length = view->horizon - from, power = 0.0;
    int bins = 0;
    for (int n = view->peak; n < view->band->tap_count; n++) {
        if (view_delay(view, n) > view->horizon - 0.25 * length) {
            power += view->power_at[n];
            bins++;
        }
    }
    bool falls = length < ROOM * view->width || power <= 0.25 * view->threshold * bins;
    double error = falls && !isnan(delays->rms_spread) ? 0.0 : (double)INFINITY;
    return (struct delay_doubt){error, error, error > 0.0 ? PW_DELAY_SPECTRA_FEW : PW_DELAY_SOUND};
}

struct delay_doubt delay_guard(const struct channel_band *band, const struct channel *channel,
                               const struct channel_delays *delays)
{
    struct delay_doubt doubt = {NAN, NAN, PW_DELAY_SOUND};
    if (band->tap_count == 0 || !isfinite(delays->peak)) {
        return doubt;
    }
    struct view view = view_make(band, channel);
    if (!band->observed) {
        return doubt_unobserved(&view, delays);
    }
    double peak_delay = view_delay(&view, view.peak), left = energy_at(band, view.end) / energy_at(band, peak_delay);
    bool room = view.horizon - peak_delay >= ROOM * view.width;
    /* Without room for a late part, nothing more is left to find when not even all of it at once is over the threshold.
     * A pulse that the end cuts in two has its second half still in the grid there. */
    bool nothing =
        left < NOTHING || grid_is_silent(&view) || (!room && MARGIN * ECHO * left * view.power < view.threshold);
    double scale = room && !nothing ? tail_scale(&view) : 0.0;
    struct moments profile = profile_moments(&view, scale, 0.0), tail;
    bool ends = tail_beyond(&view, scale, &tail);
    doubt.rms_error = doubt.mean_error = 0.0;
    if (isnan(delays->rms_spread) || !(profile.zeroth > 0.0) || (!nothing && !(room && ends))) {
        doubt.rms_error = doubt.mean_error = INFINITY;
    } else {
        struct moments mended = moments_sum(&profile, 1.0, &tail), safe = moments_sum(&profile, SAFE, &tail);
        doubt_raise(&doubt, &view, delays, &mended);
        doubt_raise(&doubt, &view, delays, &safe);
        for (int side = -1; view.folds && !nothing && side <= 1; side += 2) {
            struct moments moved = profile_moments(&view, scale, side * MOVES);
            if (moved.zeroth > 0.0) {
                moved = moments_sum(&moved, 1.0, &tail);
                doubt_raise(&doubt, &view, delays, &moved);
            }
        }
        if (!nothing) {
            doubt_echo(&doubt, &view, delays, &profile);
        }
    }
    if (!(doubt.rms_error <= DELAY_ERROR_LIMIT)) {
        doubt.cause = view.folds ? PW_DELAY_SPECTRA_FEW : PW_DELAY_RUN_SHORT;
    }
    return doubt;
}
