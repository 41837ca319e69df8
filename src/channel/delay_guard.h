/* The guard on delays: how far the RMS spread and the mean excess delay of a point can be off because the run ended
 * while the field still rang, or because the profile of F frequencies repeats after 1/spacing, so that what arrives
 * later folds back into it. All outputs that show a delay ask here.
 *
 * What is known: the profile; its horizon h, the first delay of which nothing is seen (the end of the run less the
 * middle and the length of the pulse) or from which on arrivals fold back (the period); and the electric energy e(tau)
 * in the grid as the watch saw it, against its peak. All that is still to arrive at the time of a look is in the grid
 * at that time.
 *
 * - The tail. Diffuse fields share the decay of the energy, so the profile beyond h is taken as k e(tau) s(tau), s
 *   being what 2D to 3D does to the delay. k comes from the late part of the point's own profile (the larger of its
 * last half and its last quarter, with the scatter of that many bins on top). Beyond the last look e goes on with the
 * slope of the last third of the looks. Powers of single bins scatter exponentially about their mean P, so that of the
 * mean P (1 + t/P) exp(-t/P) is over a threshold t.
 * - A single echo. A profile may look empty before h and have its echo behind it. Energy that is left can arrive at
 * once: with the power E e(tau)/e(peak) of the peak, times what 2D to 3D takes from a later arrival. E is 10, since
 * walls focus, and falls to 5 as the energy that is left shrinks and is divided among more and more fronts.
 * - Where all that is left in the grid could not be heard at this place even if it arrived at once, nothing is doubted.
 *   The power against free space at 1 m tells what part of the transmitter's energy the place takes in.
 * - In a folded profile, arrivals at the far end and those before the direct path are put where they belong, at
 *   distance/c - 2.5/B up to one period later.
 *
 * - A receiver that was recorded at every step has looks at its own power too, which may fall more slowly than the
 * energy in the grid; the worse of both estimates is told (place/own_decay.h).
 *
 * - A result without looks at the energy has its profile alone: one whose last quarter is not 6 dB under the threshold
 *   is flagged.
 *
 * The estimate is the spread with the profile so mended against the spread as reported. Where the profile has no room
 * for a late part, or neither it nor the energy decays, the answer is INFINITY. validation/closed_form/delay_guard.c
 * holds it against converged runs. */
#pragma once

#include "channel/channel.h"

/* Relative errors under which a delay is shown; the rest is masked. */
#define DELAY_ERROR_LIMIT 0.1

/* What a result knows about the time of a transmitter's run: looks at the energy, against its peak, in order. */
struct delay_record {
    double end;          /* s: when the run ended, counted from the middle of the pulse */
    double pulse_centre; /* s */
    int count;           /* looks; 0: nothing is known, as in results of old */
    const double *time;  /* (count) [s], borrowed */
    const double *energy;
    double pulse_length; /* s: how long an arrival takes; 0: not known, and taken as 1/(width of the band) */
    bool of_place;       /* the looks are at the power of the place itself, not at the energy in the grid */
};

/* Hands the band what is known about the run; it makes its own tables. Without this call nothing is known of the run,
 * and the guard goes by the profile alone. */
pw_status channel_band_observe(struct channel_band *band, const struct delay_record *record, pw_error *error);

/* Relative error of the RMS spread, and of the mean excess delay (of at least the band's resolution), and what has to
 * be mended. NAN and sound where there is no profile. After channel_delays. */
struct delay_doubt {
    double rms_error, mean_error;
    pw_delay_cause cause;
};
struct delay_doubt delay_guard(const struct channel_band *band, const struct channel *channel,
                               const struct channel_delays *delays);
