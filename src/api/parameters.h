/* Large-scale parameters of the channels of a building, as 3GPP TR 38.901 has them for its scenarios (clauses 7.4 and
 * 7.5, tables 7.4.1-1 and 7.5-6): path-loss exponent, shadow fading and how far it reaches, delay and angular spread,
 * Rician K, and how they hang together, with and without line of sight. For link-level and system-level simulators. */
#ifndef PLANWAVE_PARAMETERS_H
#define PLANWAVE_PARAMETERS_H

#include "api/channel.h"
#include "api/map.h"

PW_C_BEGIN

/* One place and its channel. Places of one transmitter lie on one plane. */
typedef struct pw_link_sample {
    double x, y, distance; /* m; the distance to the transmitter */
    int transmitter;
    double path_loss;        /* dB between isotropic antennas, small-scale fading averaged out */
    double delay_spread;     /* s, rms; NAN: not known, here and below */
    double delay_resolution; /* s: a smaller spread may be a single path's; 0: none */
    double angle_spread;     /* degrees: circular, of arrival, azimuth */
    double rician_k;         /* dB */
    double clusters;         /* in time; and */
    double cluster_spread;   /* s: rms of their paths, each about the mean of its own; 0: each has one path */
} pw_link_sample;

/* What is estimated. PL = PL(1 m) + 10 n lg(d/1 m) by least squares; SF is what is received more than that. */
typedef enum pw_large_scale {
    PW_LARGE_EXPONENT,      /* n */
    PW_LARGE_INTERCEPT,     /* dB: PL(1 m) */
    PW_LARGE_SHADOW,        /* dB: standard deviation of SF */
    PW_LARGE_REACH,         /* m: exp(-distance/reach) is the correlation of SF (7.4-5) */
    PW_LARGE_FREE_EXPONENT, /* n with PL(1 m) of free space */
    PW_LARGE_FREE_SHADOW,   /* dB: and the deviation from that */
    PW_LARGE_DELAY_MEAN,
    PW_LARGE_DELAY_DEVIATION, /* of lg(DS/1 s) */
    PW_LARGE_ANGLE_MEAN,
    PW_LARGE_ANGLE_DEVIATION, /* of lg(ASA/1 degree) */
    PW_LARGE_K_MEAN,
    PW_LARGE_K_DEVIATION, /* dB */
    PW_LARGE_CLUSTERS_MEAN,
    PW_LARGE_CLUSTERS_DEVIATION, /* of the number of time clusters */
    PW_LARGE_CLUSTER_SPREAD,     /* ns: their rms delay spread */
    /* Correlations of lg DS, lg ASA, SF and K in dB. */
    PW_LARGE_ANGLE_DELAY,
    PW_LARGE_ANGLE_SHADOW,
    PW_LARGE_DELAY_SHADOW,
    PW_LARGE_DELAY_K,
    PW_LARGE_ANGLE_K,
    PW_LARGE_SHADOW_K,
    PW_LARGE_COUNT
} pw_large_scale;

/* "path_loss_exponent", as tables name it; NULL: there is none of this number. */
const char *pw_large_scale_name(int parameter);

/* Between `low` and `high` it lies with 95 %; NAN: not known. */
typedef struct pw_estimate {
    double value, low, high;
} pw_estimate;

typedef struct pw_parameters {
    int samples, blocks; /* places; parts that were drawn for the intervals */
    int delay_samples, angle_samples, k_samples, cluster_samples;
    int unresolved;           /* delay spreads below their resolution */
    double nearest, farthest; /* m */
    pw_estimate estimate[PW_LARGE_COUNT];
} pw_parameters;

/* Estimates of `count` samples at `frequency` [Hz]. Intervals by a bootstrap of `draws` draws: neighbours are not
 * independent, so whole squares of places are drawn, three times as wide as the shadowing reaches, or a quarter of the
 * plan; intervals are then widened by what squares of an exponential correlation share with each other. Without draws
 * no intervals. Under 20 samples, or with one distance, all is NAN. PW_NO_RESOURCE: no memory. */
pw_status pw_parameters_fit(const pw_link_sample *samples, int count, double frequency, int draws,
                            pw_parameters *parameters, pw_error *error);

typedef struct pw_parameters_options {
    pw_channel_options channel;
    const char *transmitter; /* NULL: all of them together */
    const pw_area *areas;    /* (area_count): besides the whole floor */
    int area_count;
    double least_distance; /* m; default 1 */
    int angle_places;      /* at most so many of each transmitter are asked for angles and clusters; default 200 */
    /* Time clusters: paths are peaks of the profile within so many dB of the strongest, default 25 (TR 38.901, 7.5,
     * step 6), and a cluster ends where none comes for longer, default 6 ns (Ju et al., IEEE J. Sel. Areas Commun. 39,
     * 2021, 1561, indoors). Not known where 2/bandwidth is longer than that. */
    double cluster_depth; /* dB */
    double cluster_gap;   /* s */
    int draws;            /* default 200 */
    pw_monitor monitor;
} pw_parameters_options;
pw_parameters_options pw_parameters_options_default(void);

/* A row of the table: an area (-1: the floor) with or without line of sight. */
typedef struct pw_parameters_row {
    int area;
    bool sight;
    pw_parameters parameters;
} pw_parameters_row;

/* Fills (1 + area_count, 2) `rows`, the floor first, line of sight first, of the cells of a result that coverage counts
 * and that are air. Line of sight: no node of a wall on the straight line, on the plan as it was solved. PW_BAD_INPUT:
 * no running spectra, or three dimensions without a horizontal plane. */
pw_status pw_parameters_read(const pw_result *result, const pw_parameters_options *options, pw_parameters_row *rows,
                             pw_error *error);

/* Writes the rows: a name that ends in .json as JSON, else CSV. */
pw_status pw_parameters_write(const pw_result *result, const pw_parameters_options *options,
                              const pw_parameters_row *rows, const char *path, pw_error *error);

PW_C_END

#endif
