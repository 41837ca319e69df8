/* How sure a prediction is, given how well materials, walls and places are known: the scenario is solved with many
 * draws of them, and quantiles over the draws are taken at every cell. These are quantiles of the mean level there. A
 * new reading scatters about that mean besides: furniture near it, people, the instrument. Its quantiles are told too.
 */
#ifndef PLANWAVE_UNCERTAINTY_H
#define PLANWAVE_UNCERTAINTY_H

#include "planwave.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PW_SPREADS = 16, PW_UNCERTAINTY_THRESHOLDS = 16 };

/* How well one thing is known. */
typedef struct pw_spread {
    /* "brick:permittivity", "brick:conductivity" or "brick:thickness" (of `walls:`): factors of what the scenario says,
     * the same wherever the material stands. "clutter:seed": another draw of the plan's clutter each time; `width` has
     * no meaning, and the quantiles are the samples'. "west:position": of a transmitter, along x and along y on their
     * own. */
    const char *parameter;
    /* Of a factor: the standard deviation of its logarithm, or with `uniform` how far it lies from 1 at most. Of a
     * position [m]: the standard deviation, or with `uniform` the farthest along each axis. */
    double width;
    bool uniform; /* all values in a range are as likely; else log-normal with the scenario's value as median, and of a
                     position normal */
} pw_spread;

/* Where the quantiles at a cell come from. */
typedef enum pw_uncertainty_method {
    PW_UNCERTAINTY_AUTO, /* chaos where its leave-one-out error is at most 5 % of the variance, else samples */
    PW_UNCERTAINTY_SAMPLES,
    PW_UNCERTAINTY_CHAOS,
    PW_UNCERTAINTY_FIRST_ORDER /* no draws: two runs for each number that is not known, at its own P10 and P90 with the
                                  others as written, and a straight line through them */
} pw_uncertainty_method;

typedef struct pw_uncertainty_options {
    const pw_spread *spreads; /* (spread_count), at least one */
    int spread_count;
    int samples;                  /* draws, each solved; default 64, at least 8; not looked at in first order */
    uint64_t seed;                /* of the draws; default 1 */
    pw_uncertainty_method method; /* default: auto */
    pw_map_options map;           /* received power (default), path gain, path loss, SNR or SINR; its monitor, threshold
                                     and colour range are not looked at */
    const double *thresholds; /* (threshold_count), at most PW_UNCERTAINTY_THRESHOLDS, in the unit of the quantity */
    int threshold_count;
    double scatter;     /* dB: standard deviation of a new reading about the mean level; 0: none. Default NAN: what the
                           scenario's calibration found where it has been calibrated (`level_interval` / 1.96), else 3 dB,
                           3GPP TR 38.901, table 7.4.1-1, shadow fading of indoor links in sight */
    pw_compute compute; /* of all runs together */
    pw_monitor monitor; /* told how far it is; it must not call the library; default: nobody */
} pw_uncertainty_options;
pw_uncertainty_options pw_uncertainty_options_default(void);

/* Share of the floor whose mean level meets a threshold: with the scenario as written, and its quantiles over the
 * draws. And the share of new readings that meet it, in the mean over floor, draws and scatter. */
typedef struct pw_uncertain_share {
    double threshold;
    double nominal, p10, p50, p90, readings;
} pw_uncertain_share;

/* How much of the variance over the floor a spread explains, by the polynomial chaos (I. M. Sobol, Math. Comput. Simul.
 * 55, 271, 2001; B. Sudret, Reliab. Eng. Syst. Saf. 93, 964, 2008): alone, and with its part in what several do
 * together. They are of what the chaos explains: where chaos_error is over one half they say nothing. */
typedef struct pw_sensitivity {
    const char *parameter; /* of the options */
    double alone, total;   /* of 1; NAN where nothing varies */
} pw_sensitivity;

typedef struct pw_uncertainty {
    pw_map_shape shape;
    int samples, dimensions; /* draws, or the runs of the first order; numbers drawn for each, a position being two */
    /* (rows, columns), owned, in the unit of the quantity: with the scenario as written; quantiles, each cell on its
     * own; mean and standard deviation of the samples. NAN where a draw has no value. */
    double *nominal, *p10, *p50, *p90, *mean, *deviation;
    double *reading_p10, *reading_p90; /* the same, of a new reading: of the normal distributions about the draws */
    double scatter;                    /* dB: their standard deviation */
    const char *scatter_source;        /* static: where it comes from, in words */
    uint8_t *counted;                  /* (rows, columns), owned: cells that count as floor */
    pw_floor floor;
    int64_t cells;      /* of the floor that have values in every draw */
    bool from_chaos;    /* the quantiles are those of the chaos */
    int degree;         /* of the chaos: 1 or 2 */
    int terms;          /* its polynomials */
    double chaos_error; /* its leave-one-out error over the floor, of the variance; 0 is perfect, 1 explains nothing */
    double spread;      /* dB: standard deviation over the draws, root mean square over the floor */
    double quantile_error; /* dB, of P10 and P90, root mean square over the floor. Of samples: the standard error by
                              their number. In first order: how far the runs lie off the straight lines */
    pw_sensitivity sensitivity[PW_SPREADS]; /* (sensitivity_count) */
    int sensitivity_count;
    pw_uncertain_share shares[PW_UNCERTAINTY_THRESHOLDS]; /* (share_count) */
    int share_count;
} pw_uncertainty;

/* Solves the scenario options->samples + 1 times, in first order 2 dimensions + 1 times, and takes statistics;
 * temporary results are in TMPDIR, else /tmp. The grid is the one that the scenario as written has. In three dimensions
 * the first sheet is looked at. PW_USAGE: options out of their range; PW_BAD_INPUT: a name that the plan does not have,
 * a material without the property, a plan that a draw makes impossible. Free with pw_uncertainty_free. */
pw_status pw_uncertainty_compute(const pw_scenario *scenario, const pw_uncertainty_options *options,
                                 pw_uncertainty *uncertainty, pw_error *error);

/* Does the same, and writes pictures of P10, median, P90 and P90 - P10, beside each the numbers as .npy: from
 * "signal.png" signal-p10.png, signal-p50.png, signal-p90.png and signal-range.png, and of a new reading
 * signal-reading-p10.png and signal-reading-p90.png; all of them together as signal.csv.
 * Prints the summary to `report` (may be NULL). `uncertainty` may be NULL. */
pw_status pw_uncertainty_write(const pw_scenario *scenario, const pw_uncertainty_options *options, const char *path,
                               FILE *report, pw_uncertainty *uncertainty, pw_error *error);

/* Frees the arrays. */
void pw_uncertainty_free(pw_uncertainty *uncertainty);

#ifdef __cplusplus
}
#endif
#endif
