/* From fields to a channel (physics.md section 6): transfer function, impulse response, power-delay profile (PDP),
 * metrics, paths. The only module that knows FFTW. The definitions below are frozen by tests.
 *
 * - Transfer function: G(f) = Ez(f) / (I(f) H_fs(f)), H_fs = -(w mu0/4) H0^(2)(k 1 m): the channel relative to free
 *   space at 1 m in the same dimension. In three dimensions I is the current moment [A m s], E the component that is
 *   received, and H_fs = -j w mu0 exp(-jk 1 m)/(4 pi 1 m), a Hertzian dipole's broadside (section 9). Frequencies at
 * which |I| is under -40 dB of its peak are masked: they count for nothing.
 * - Impulse response: h(tau) = (1/M) sum_f W(f) G(f) exp(j 2 pi (f - fc) tau) exp(-j 2 pi f (1 m)/c), over the M
 *   frequencies that are not masked, fc their middle. The last factor gives back the delay of the 1 m reference, so
 * that tau is the delay since emission and the direct path arrives at distance/c. One path of amplitude a has the peak
 *   |h| = |a|, since the window has a mean amplitude of one. The bin is 1/B, B = (number of frequencies) x (their
 *   spacing), divided by the zero padding; the period of the delay axis is 1/spacing. The axis is cut GUARD_BINS bins
 *   before zero, so that what the window spreads to the left of an early path does not turn up at the far end.
 * - From 2D to 3D: the power of each delay bin times 1 (none), (1 m)/max(d, d0) (distance), or (1 m)/max(c tau, d1, d0)
 *   (delay), since nothing arrives before the direct path. d0 = c/(2 pi fc), inside which a wave does not fall off as
 *   1/sqrt(d); d1 = d (d + b)/(d + 2 b), b = c/B, a little under d, so that what the window spreads to earlier and to
 *   later bins weighs the direct path as 1/d in the mean.
 * - Heights (slant/slant.h), where both ends have one: the power of each bin times F(c tau), F(L) = slant_power(L)
 *   (1 m)/max(L, d0); around the direct path as direct_path.h has it, so that its mean is F(d); with `distance` F(d)
 * for all. Delays, of metrics, profiles, taps and paths, are sqrt(tau^2 + (rise/c)^2); phases stay as solved.
 * - With a storey (storey/storey.h) G is first taken through floor and ceiling; what follows is then as in three
 * dimensions, over the straight line.
 * - PDP: |h|^2 with that factor, and with PW_SPREADING_DIFFUSE what floor and ceiling scatter (diffuse/diffuse.h),
 * whose sum is that of a path of its gain. It counts in all delays, but for the guard on them; the last arrival is at
 * least where it falls under the threshold. Noise floor: the median of the last quarter (in delay) of the PDP.
 * Threshold: the larger of peak - threshold_db and noise floor + noise_margin_db, but never over the peak.
 * - First and last arrival: the first and the last local maximum of |h|^2 (the slope of 2D to 3D would shift early
 * ones) at which the PDP is not under the threshold, not counting maxima more than 1/B before distance/c, which are
 * side lobes of the window; refined by a parabola through the logarithms of three bins, where these are within 20 dB.
 * - Mean excess delay: sum P tau / sum P - first arrival, over the bins with P >= threshold, and never under zero: of
 *   a single path the window spreads as much to earlier bins as to later ones, and 2D to 3D weighs the earlier ones
 *   more. RMS delay spread:
 *   sqrt(sum P tau^2 / sum P - (sum P tau / sum P)^2) over the same bins (ITU-R P.1407-8 section 2). A single path
 * gives the window's own width: 0.58/B with Hann. Maximum excess delay: last arrival - first arrival. These three are
 * not defined (NAN) where the peak of the PDP is not noise_margin_db over the noise floor.
 * - Path gain: 10 lg mean |G|^2 over the frequencies + 10 lg (sum PDP / sum |h|^2), the latter being what 2D to 3D
 * takes away. Received power: EIRP + receiver gain + 20 lg(c/(4 pi fc 1 m)) + path gain.
 * - Rician K, by moments: gamma = var(|G|^2)/mean(|G|^2)^2 over the frequencies, K = sqrt(1-gamma)/(1-sqrt(1-gamma));
 *   not defined (NAN) for gamma >= 1. (Greenstein, Michelson, Erceg, IEEE Commun. Lett. 3 (1999) 175.)
 * - Coherence bandwidth: the smallest shift D at which |sum conj(G(f)) G(f+D)| / sqrt(sum |G(f)|^2 sum |G(f+D)|^2)
 * falls to 0.5 or 0.9, linear between shifts; not defined when it does not within half the band. K and this from G as
 *   solved in 2D. A scattered power S beside P makes gamma (gamma P^2 + 2 P S + S^2)/(P + S)^2, and adds the transform
 * of its profile to the correlation.
 *
 * Delay metrics and K need at least MINIMUM_FREQUENCIES frequencies; with fewer they are NAN, and `delay` means
 * `distance`. */
#pragma once

#include "api/channel.h"
#include "base/status.h"
#include "channel/diffuse/diffuse.h"
#include "channel/slant/direct_path.h"
#include "channel/slant/slant.h"
#include "channel/storey/storey.h"

enum { GUARD_BINS = 4, MINIMUM_FREQUENCIES = PW_MINIMUM_FREQUENCIES, PADDING_LIMIT = 64 };

/* What all channels of a transmitter share; read-only after creation, so threads may share it. */
struct channel_band {
    pw_channel_options options; /* with the spreading that is applied */
    int dimensions;             /* 2 or 3 */
    int frequency_count;
    double *frequency; /* (frequency_count) [Hz], owned */
    bool *usable;      /* (frequency_count), owned: not masked */
    int usable_count;
    double *reference; /* (frequency_count, 2), owned: 1/(I H_fs) [m/(V s)]; zero where masked */
    double *window;    /* (frequency_count), owned: mean 1 over the usable ones, zero elsewhere */
    double centre;     /* Hz, fc */
    double spacing;    /* Hz; 0 when there is no impulse response */
    double bin;        /* s, of the padded axis */
    int tap_count;     /* padding x frequency_count; 0: no impulse response */
    int guard;         /* taps before delay zero */
    double *kernel;    /* (frequency_count, 2), owned: W exp(-j 2 pi f (1 m)/c) / M */
    double
        *spreading; /* (tap_count), owned: 2D to 3D in power by the delay alone, before the limit of the direct path */
    void *plan;     /* FFTW, owned */
    struct storey_band *storey; /* owned: floor and ceiling, of PW_SPREADING_STOREY (channel_band_storey); else NULL */
    struct diffuse *diffuse;    /* owned: of PW_SPREADING_DIFFUSE; else NULL */
    double unit_sum;            /* sum of |h|^2 of a path of gain 1 */
    const struct result
        *over; /* borrowed: has the answer over the tops of what is lower, of the transmitter; or NULL */
    int transmitter;
    struct pulse pulse; /* of the window, where there is an impulse response */
    /* What is known of the energy by delay (delay_guard.h); none: observed is false. */
    bool observed;
    double run_end;        /* s, delay at which the run ended; INFINITY when it is not known */
    bool of_place;         /* the energy is the power at the place itself */
    double blind;          /* s: before that end, arrivals are not seen whole */
    int energy_count;      /* of the tables */
    double *energy;        /* (energy_count), owned: at delays 0, bin, 2 bin, ... against its peak */
    double *energy_folded; /* (energy_count), owned: the energy one period and more later, summed */
    double energy_decay;   /* s, in power, beyond the table; INFINITY: none */
};

/* One channel under work; one per thread. */
struct channel {
    double *transfer; /* (frequency_count, 2), owned: G; zero where masked. With a storey and once transformed that
                         between both ends in it, relative to free space at 1 m in three dimensions */
    double *over;     /* (frequency_count, 2), owned: of the plan over the tops */
    double *impulse;  /* (tap_count, 2), owned: h in order of delay, 2D to 3D not applied, phase relative to the lower
                         band edge */
    double *plain;    /* (tap_count), owned: |h|^2 */
    double *power;    /* (tap_count), owned: PDP */
    double *solved;   /* (tap_count), owned: the part of it that was solved, without what floor and ceiling scatter */
    double *padded, *circular, *ordered; /* FFTW's buffers and the median's, owned */
    double *arrived, *factor; /* (tap_count), owned: of the guard on delays, powers in order of arrival and F of them */
    double distance;          /* m; in two dimensions over the plan */
    double spreading_gain;    /* sum PDP / sum |h|^2 */
    double limit;             /* the largest power factor from 2D to 3D at this distance */
    struct slant slant;       /* of the link; nothing in three dimensions */
    double *slanted;          /* (tap_count), owned: F of a bin by its delay alone */
    struct slant slanted_for; /* whose values those are; none: nothing */
    struct direct_path direct;  /* with heights, and by delay */
    struct storey_work *storey; /* owned, as of the band */
    double over_plan;           /* m: the distance as it was given, */
    struct slant ends;          /* and the ends, with a storey too, where `slant` is nothing */
    double storey_gain;         /* mean |G|^2 through the storey over that before; 1 without one */
    struct diffuse_late late;   /* what floor and ceiling scatter, delays as of taps; gain 0 without it */
};

/* A local maximum of |h|^2. */
struct channel_path {
    double delay;  /* s, since emission */
    double re, im; /* 2D to 3D applied; G(f) exp(-j 2 pi f (1 m)/c) ~ sum (re + j im) exp(-j 2 pi (f - fc) delay) */
};

/* Of a result in two or three `dimensions`; `source_spectrum` (frequency_count, 2) [A s], or of the moment [A m s].
 * PW_BAD_INPUT: frequencies not positive, ascending and equally spaced, or no current. PW_USAGE: options as above. */
pw_status channel_band_create(int dimensions, const double *frequency, int frequency_count,
                              const double *source_spectrum, const pw_channel_options *options,
                              struct channel_band *band, pw_error *error);
/* Gives it a storey, before channels are made of it. */
pw_status channel_band_storey(struct channel_band *band, const struct storey *storey, bool horizontal, pw_error *error);
/* Takes `transfer` through it: a channel in three dimensions over the straight line between its ends. */
void channel_pass_storey(const struct channel_band *band, struct channel *channel);
void channel_band_free(struct channel_band *band);

pw_status channel_create(const struct channel_band *band, struct channel *channel, pw_error *error);
void channel_free(struct channel *channel);

/* Delay of tap n [s], as solved. */
static inline double channel_delay(const struct channel_band *band, int n)
{
    return (n - band->guard) * band->bin;
}

/* G from Ez (frequency_count, 2) [V/m s]; `stride` complex numbers lie between frequencies. */
static inline void channel_divide(const struct channel_band *band, const double *ez, size_t stride, double *transfer)
{
    const double *reference = band->reference;
    for (int f = 0; f < band->frequency_count; f++) {
        double re = ez[2 * stride * (size_t)f], im = ez[2 * stride * (size_t)f + 1];
        double rr = reference[2 * f], ri = reference[2 * f + 1];
        /* Not a product with zero: a masked bin may hold anything. */
        transfer[2 * f] = band->usable[f] ? re * rr - im * ri : 0.0;
        transfer[2 * f + 1] = band->usable[f] ? re * ri + im * rr : 0.0;
    }
}
/* Fills `transfer` so. */
void channel_set_field(const struct channel_band *band, const double *ez, size_t stride, struct channel *channel);
/* Fills impulse, power, distance and spreading_gain; distance [m] from the transmitter, in two dimensions over the
 * plan, where `slant` (NULL: none) has the heights of the link. With the spreading `none` heights do not count. With a
 * storey `transfer` is changed, so that it is filled anew before it is transformed again. */
void channel_transform(const struct channel_band *band, double distance, const struct slant *slant,
                       struct channel *channel);

/* Power factor from 2D to 3D of an arrival that was solved at `delay` [s]. After channel_transform. */
double channel_spreading(const struct channel_band *band, const struct channel *channel, double delay);
/* The same of as many delays as there are taps, first, first + 1, ... bins of the padded axis. */
void channel_spreading_bins(const struct channel_band *band, const struct channel *channel, int first, double *factor);

/* Delay [s] that is reported of what was solved at `delay`: that of the slanted path. */
static inline double channel_arrival(const struct channel *channel, double delay)
{
    return slant_delay(&channel->slant, channel->distance, delay);
}

/* What floor and ceiling scatter, part of the path gain; 0 but with PW_SPREADING_DIFFUSE. */
double channel_scattered_gain(const struct channel_band *band, const struct channel *channel);
/* Metrics one by one, after the two above; linear, SI; NAN where not defined. The mean of |G|^2 needs the first of them
 * alone. */
double channel_mean_gain(const struct channel_band *band, const struct channel *channel);
double channel_path_gain(const struct channel_band *band, const struct channel *channel);
double channel_rician_k(const struct channel_band *band, const struct channel *channel);
double channel_coherence_bandwidth(const struct channel_band *band, const struct channel *channel, double level);
/* Of two levels, the higher one first. */
void channel_coherence_bandwidths(const struct channel_band *band, const struct channel *channel, const double level[2],
                                  double found[2]);

struct channel_delays {
    double mean_excess, rms_spread, maximum_excess; /* s */
    double first_arrival, last_arrival;             /* s, since emission */
    double peak, noise_floor, threshold;            /* of the PDP, linear */
};
struct channel_delays channel_delays(const struct channel_band *band, struct channel *channel);
/* The same of `solved`, for the guard on delays, which looks at what was solved. */
struct channel_delays channel_delays_solved(const struct channel_band *band, struct channel *channel);

/* 1/B over the frequencies that are not masked [s]: a smaller spread may be a single path's. NAN without a profile. */
double channel_resolution(const struct channel_band *band);

/* EIRP [dBm] + receiver gain [dBi] + free-space gain at 1 m at fc: what has to be added to a path gain in dB. */
double channel_link_budget(const struct channel_band *band, double eirp, double gain);

/* All of them, as the public structure. */
pw_metrics channel_metrics(const struct channel_band *band, struct channel *channel, double eirp, double gain);

/* Paths over the threshold, by delay; returns how many were found, of which at most `limit` are stored. */
int channel_paths(const struct channel_band *band, struct channel *channel, struct channel_path *paths, int limit);

/* Tap n in baseband at fc, with what 2D to 3D takes away at `delay` [s]. */
void channel_coefficient(const struct channel_band *band, const struct channel *channel, int n, double delay,
                         double *re, double *im);

/* Taps of a channel whose band has neither window nor padding, right after channel_transform(): `taps` (tap_count, 2),
 * 2D to 3D applied, `delay` (tap_count) [s]. Their sum is the transfer function. A band without a window spreads the
 * direct path over all taps, each of which would be weighed by its own delay. So the direct path is taken out, with the
 * amplitude that a Hann window finds at its delay, and all of it has its own weight. What is left counts as direct up
 * to its delay, and by delay from there on. Uses `padded` and `circular` (taps.c). */
void channel_taps_fill(const struct channel_band *band, struct channel *channel, double *taps, double *delay);
