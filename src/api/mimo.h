/* What channels between arrays carry: singular values, rank, capacity, gain of beams, correlation and polarisation. An
 * array is a station of several antennas (pw_port); each antenna was solved, or recorded, at its own place, so
 * that spherical waves of near walls and near antennas are in the numbers. */
#ifndef PLANWAVE_MIMO_H
#define PLANWAVE_MIMO_H

#include "api/pairs.h"

PW_C_BEGIN

/* Singular values of `count` matrices (rows, columns, re/im), each (the smaller of rows and columns), largest first.
 * PW_BAD_INPUT: no rows or columns, or a value that is not finite. */
pw_status pw_mimo_singular_values(const double *matrices, int64_t count, int rows, int columns, double *values,
                                  pw_error *error);

/* Bit/s/Hz over parallel streams of these singular values (streams), power over noise `snr` (linear) in all of
 * `antennas` together: the same from every antenna, or shared among the streams by water filling, for a transmitter
 * that knows the channel. */
double pw_mimo_capacity(const double *values, int streams, int antennas, double snr, bool water_filling);

/* A channel between two arrays. */
typedef struct pw_mimo_channel {
    const double *response; /* H (receivers, transmitters, frequency_count, re/im); NAN where masked */
    int receivers, transmitters, frequency_count;
    int receiver_shape[3], transmitter_shape[3]; /* rows, columns, polarisations, as in pw_port */
} pw_mimo_channel;

/* What is read off. Means over the frequencies that are not masked; NAN: not defined. */
typedef struct pw_mimo_metrics {
    double gain_db;        /* mean |H|^2 over all antennas */
    double snr_db;         /* of that, over noise, where one antenna has the power of all */
    double rank;           /* singular values within `depth` of the largest */
    double condition_db;   /* 20 lg of the largest over the smallest; INFINITY: that is zero */
    double capacity;       /* bit/s/Hz, the same power from every antenna */
    double water_capacity; /* bit/s/Hz, water filling */
    /* Of the best beam of the codebook, one for the whole band, over the mean antenna: a two-dimensional DFT codebook
     * of as many beams as elements for each polarisation. The other end combines all that its antennas have. */
    double transmitter_beam_db, receiver_beam_db;
    /* Mean magnitude of the correlation of two antennas of one polarisation. */
    double transmitter_correlation, receiver_correlation;
    /* Two polarisations at both ends: power of the stronger pairing (first with first and second with second, or
     * crosswise) over that of the other. */
    double cross_polar_db;
} pw_mimo_metrics;

typedef struct pw_mimo_options {
    pw_pairs_options pairs; /* whose channels */
    double snr;             /* dB: every link is scaled to it; NAN: by the powers of the result and the noise */
    double noise_figure;    /* dB, default 7 */
    double noise_bandwidth; /* Hz, default 20 MHz */
    double depth;           /* dB, default 20: see rank */
} pw_mimo_options;
pw_mimo_options pw_mimo_options_default(void);

/* `power_db`: what all antennas of the transmitter together send over the receiver's noise, where options.snr is NAN.
 * `values` (frequency_count, the smaller number of antennas), may be NULL: singular values of H, NAN where masked. */
pw_status pw_mimo_read(const pw_mimo_channel *channel, double power_db, const pw_mimo_options *options,
                       pw_mimo_metrics *metrics, double *values, pw_error *error);

/* All links between stations of a result, transmitter by transmitter. */
typedef struct mimo_all pw_mimo_links;
pw_status pw_mimo_solve(const pw_result *result, const pw_mimo_options *options, pw_mimo_links **links,
                        pw_error *error);
typedef struct pw_mimo_shape {
    int count, streams, frequency_count; /* links; singular values of each */
    const double *frequency;             /* (frequency_count) [Hz]; owned by the links, as all arrays and texts */
} pw_mimo_shape;
pw_mimo_shape pw_mimo_describe(const pw_mimo_links *links);
typedef struct pw_mimo_link {
    const char *transmitter, *receiver; /* stations */
    int transmitters, receivers;        /* antennas */
    double x, y, distance;              /* m: middle of the receiver; from that of the transmitter */
    pw_mimo_metrics metrics;
    const double *values; /* (frequency_count, streams): singular values of H, NAN where masked */
} pw_mimo_link;
pw_mimo_link pw_mimo_link_of(const pw_mimo_links *links, int link);
/* NULL is allowed. */
void pw_mimo_free(pw_mimo_links *links);

/* Files of pw_mimo_write; NULL: not wanted. */
typedef struct pw_mimo_files {
    const char *csv; /* a line a link */
    const char
        *picture;    /* how capacity is distributed over the links; of one link its singular values over frequency */
    const char *map; /* capacity at the receivers' places over the walls; of several transmitters the best */
} pw_mimo_files;

/* All links between stations of a result. Prints the first of them to `report` (may be NULL). */
pw_status pw_mimo_write(const pw_result *result, const pw_mimo_options *options, const pw_mimo_files *files,
                        FILE *report, pw_error *error);

PW_C_END

#endif
