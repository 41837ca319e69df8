/* Channels: transfer function, impulse response, power-delay profile, paths and metrics from one transmitter to a
 * receiver or to any cell with running spectra; and files of them. pw_channel_help() defines every number. */
#ifndef PLANWAVE_CHANNEL_H
#define PLANWAVE_CHANNEL_H

#include "api/result.h"

PW_C_BEGIN

typedef enum pw_window { PW_WINDOW_HANN, PW_WINDOW_RECT, PW_WINDOW_KAISER } pw_window;
/* How powers go from two dimensions to three. By itself: by delay in a result of two dimensions, and not at all in one
 * of three, where there is nothing to spread. */
typedef enum pw_spreading {
    PW_SPREADING_NONE,
    PW_SPREADING_DISTANCE,
    PW_SPREADING_DELAY,
    PW_SPREADING_STOREY,  /* floor and ceiling by images: pw_channel_help() */
    PW_SPREADING_DIFFUSE, /* by distance, and what floor and ceiling scatter as a power without phases */
    PW_SPREADING_AUTO
} pw_spreading;

typedef struct pw_channel_options {
    pw_window window;       /* default Hann */
    double kaiser_beta;     /* for PW_WINDOW_KAISER */
    int padding;            /* zero padding factor of the impulse response, >= 1 */
    double threshold_db;    /* under the peak, default 30 */
    double noise_margin_db; /* over the noise floor, default 6 */
    double noise_floor_db;  /* of the instrument that is compared with, under the peak; default 300: none */
    double width;           /* Hz: of the instrument, around the middle of the band; default 0: all of the band */
    pw_spreading spreading; /* from two dimensions to three, default auto */
    pw_component component; /* of the field, in three dimensions: default that of the receiver's polarisation or of the
                               chosen sheet */
    double height;          /* m, in three dimensions: points are taken in the plane nearest to it; default NAN: in that
                               of the chosen sheet */
    /* m over the lowest floor, in two dimensions: of receivers, points and maps, and of transmitters, that have no
     * height of their own; default NAN: none, with PW_SPREADING_STOREY PW_TERMINAL_HEIGHT. Where both ends of a link
     * have one, the step to three dimensions takes the slanted path (pw_channel_help()); else the link is level. */
    double receiver_height, transmitter_height;
} pw_channel_options;
pw_channel_options pw_channel_options_default(void);

/* "none", "distance", "delay", "storey", "diffuse" or "auto". */
const char *pw_spreading_name(pw_spreading spreading);

/* The same name with what it does to the power, of a result in so many dimensions. */
const char *pw_spreading_text(int dimensions, pw_spreading spreading);

/* PW_USAGE: an option out of its range. */
pw_status pw_channel_options_check(const pw_channel_options *options, pw_error *error);

/* The same with heights: whose transmitter's and receiver's count, where they do; for heads of files. `transmitter` -1:
 * all of the result; `height` that of the receiver [m], NAN where it is not known, INFINITY for many with heights of
 * their own. Returns `text`. */
enum { PW_SPREADING_SIZE = 400 };
const char *pw_channel_spreading_text(const pw_result *result, int transmitter, double height,
                                      const pw_channel_options *options, char text[PW_SPREADING_SIZE]);

/* The options with the component of the chosen sheet and, of a horizontal one, its height, where they name none: what
 * takes the same field from another result of the scenario, whose first sheet may be another. */
pw_channel_options pw_channel_options_of_sheet(const pw_result *result, const pw_channel_options *options);
enum { PW_MINIMUM_FREQUENCIES = 8 /* that delays and K need */ };

/* The definitions of everything that a channel reports, with formulas, thresholds and sources. */
const char *pw_channel_help(void);

/* What keeps a delay from being right; PW_DELAY_SOUND where its estimated error is 10 % at most. */
typedef enum pw_delay_cause {
    PW_DELAY_SOUND,
    PW_DELAY_RUN_SHORT,   /* the run ended while more was to arrive: a longer stop.after */
    PW_DELAY_SPECTRA_FEW, /* the profile repeats before the field has decayed: a larger spectra.count */
} pw_delay_cause;

/* Delays in s, bandwidths in Hz; NAN where not defined. Sources: delays ITU-R P.1407-8 section 2; Rician K by the
 * moments of the band, Greenstein, Michelson, Erceg, IEEE Commun. Lett. 3 (1999) 175. */
typedef struct pw_metrics {
    double path_gain_db; /* relative to free space at 1 m */
    double path_loss_db; /* between isotropic antennas, positive: free space at 1 m less the path gain */
    double received_power_dbm, distance; /* m: the straight line, slanted where both ends have a height */
    double mean_excess_delay, rms_delay_spread, maximum_excess_delay;
    double rician_k_db, coherence_bandwidth_50, coherence_bandwidth_90;
    double delay_resolution;      /* 1/B: a spread under this may be a single path's; NAN without a profile */
    double rms_error, mean_error; /* estimated relative errors of spread and mean; INFINITY: unknown, but large */
    pw_delay_cause delay_cause;   /* why, where the error of the spread is over 10 % */
    double cross_polar_db; /* power across the component that is taken over its own; -INFINITY where there is nothing
                              across; NAN where the three components were not kept */
    double x, y, height;   /* m: where the field was taken; in two dimensions the height is NAN unless it was given */
} pw_metrics;

/* One sentence about the delays of a channel: what is wrong with them and what to set, or that the spread is below the
 * resolution; empty when there is nothing to say. Returns its length. */
enum { PW_NOTE_SIZE = 256 }; /* bytes that hold every such sentence */
size_t pw_metrics_note(const pw_metrics *metrics, char *text, size_t size);

/* A delay [s] as every output tells it: "12.30 ns", "< 9.7 ns" below the resolution [s], "not defined". */
const char *pw_delay_text(double delay, double resolution, char text[PW_NUMBER_SIZE]);
/* A coherence bandwidth [Hz] likewise: "12.77 MHz", "> 52 MHz" where none was found up to half the band, which the
 * resolution [s] tells, "not defined" with a resolution of 0: pass it where there is no field, as in metal. */
const char *pw_coherence_text(double bandwidth, double resolution, char text[PW_NUMBER_SIZE]);
/* "a band.width of 200 MHz would resolve 4.8 ns": what halves a resolution [s]. */
enum { PW_WIDER_SIZE = 96 };
const char *pw_wider_text(double resolution, char text[PW_WIDER_SIZE]);

typedef struct channel_link pw_channel;

/* The channel from transmitter `transmitter` (NULL: the first) to the receiver `receiver`, or, when that is NULL and
 * `at` is not, to the cell with running spectra that is nearest to the point `at` (x, y in m; on a vertical cut along
 * it, and the height); both NULL: the first receiver. NULL options mean the defaults. The result must outlive the
 * channel, which the caller frees. PW_BAD_INPUT: no such transmitter or receiver, a hard source, no running spectra, or
 * a point outside them; PW_USAGE: an option out of its range, or a spreading of a result that was solved in three
 * dimensions, or a height of the options for one. */
pw_status pw_channel_create(const pw_result *result, const char *transmitter, const char *receiver, const double *at,
                            const pw_channel_options *options, pw_channel **channel, pw_error *error);
/* NULL is allowed. */
void pw_channel_free(pw_channel *channel);
void pw_channel_release(pw_channel **owner); /* of PW_OWNED_AS */

typedef struct pw_channel_facts {
    const char *name;    /* of the receiver, or "point (x, y) m"; owned by the channel */
    double x, y;         /* m: where the field was taken */
    double height;       /* m over the lowest floor; in two dimensions NAN unless it was given */
    double gain;         /* dBi */
    double centre;       /* Hz: middle of the frequencies that are not masked */
    int frequency_count; /* of the transfer function */
    int delay_count;     /* of impulse response and profile; 0: the band has too few frequencies for them */
    double delay_step;   /* s, as solved: with a difference in height delays stand closer near the direct path */
    int path_count;      /* local maxima of the impulse response over the threshold; at most 256 are kept */
} pw_channel_facts;
pw_channel_facts pw_channel_describe(const pw_channel *channel);
pw_metrics pw_channel_metrics(const pw_channel *channel);

/* G(f) = Ez(f) / (I(f) Hfs(f)), the channel relative to free space at 1 m in the same dimension, with
 * PW_SPREADING_STOREY in three: `frequency`
 * (frequency_count) [Hz] and `transfer` (frequency_count, re/im); NAN where the current of the transmitter is more than
 * 40 dB under its peak. Here and below any buffer may be NULL. */
pw_status pw_channel_transfer(const pw_channel *channel, double *frequency, double *transfer, pw_error *error);

/* H(f) between isotropic antennas in three dimensions: `frequency` (frequency_count) [Hz] and `response`
 * (frequency_count, re/im); NAN where masked. |H|^2 is the path gain that plots show, -10 lg |H|^2 the path loss. */
pw_status pw_channel_response(const pw_channel *channel, double *frequency, double *response, pw_error *error);

/* Impulse response in complex baseband at `centre`: `delay` (delay_count) [s] since emission and `impulse`
 * (delay_count, re/im), spread from two dimensions to three. */
pw_status pw_channel_impulse(const pw_channel *channel, double *delay, double *impulse, pw_error *error);

/* Power-delay profile: `delay` (delay_count) [s] and `power` (delay_count), linear, relative to free space at 1 m. */
pw_status pw_channel_profile(const pw_channel *channel, double *delay, double *power, pw_error *error);

/* Paths by delay: `delay` (path_count) [s] and `amplitude` (path_count, re/im). */
pw_status pw_channel_paths(const pw_channel *channel, double *delay, double *amplitude, pw_error *error);

/* ---- powers at points ---- */

/* Where a power is received. */
typedef struct pw_channel_point {
    double x, y;      /* m */
    double height;    /* m: in three dimensions of the plane nearest to it; NAN: as the options say */
    double frequency; /* Hz: the nearest one of the result; 0: the mean over the band */
} pw_channel_point;

typedef struct pw_powers_options {
    pw_channel_options channel;
    double receiver_gain; /* dBi, default 0 */
    double mean_width;    /* m: side of the level square over which powers are averaged; default 0: a wavelength */
    pw_monitor monitor;
} pw_powers_options;
pw_powers_options pw_powers_options_default(void);
/* PW_USAGE: an option out of its range, as pw_channel_powers refuses it too; PW_COMPONENT_TOTAL, which no antenna takes
 * in. */
pw_status pw_powers_options_check(const pw_powers_options *options, pw_error *error);

/* Received powers (count) [dBm] at `points` (count) from a transmitter (NULL: the first): the local mean of the cells
 * with running spectra around each point, in three dimensions in the nearest plane. Many times as fast as a channel
 * each. *failed (may be NULL): the point that a failure is about, else -1. PW_BAD_INPUT: no such transmitter, a hard
 * source, a point outside the spectra or without a field, a frequency outside the band. */
pw_status pw_channel_powers(const pw_result *result, const char *transmitter, const pw_channel_point *points, int count,
                            const pw_powers_options *options, double *power, int *failed, pw_error *error);

/* ---- angles ---- */

/* Which end's directions: arrivals at the receiver, or departures at the transmitter. */
typedef enum pw_link_end { PW_END_RECEIVER, PW_END_TRANSMITTER } pw_link_end;

/* Power by azimuth on the plan of a result in two dimensions with vertical polarisation, from the running spectra in a
 * disc of air around the end: the field there as a sum of cylindrical harmonics J_n(kr) exp(jn phi), whose coefficients
 * are those of plane waves (Jacobi and Anger, Abramowitz and Stegun 9.1.41). Departures are by reciprocity arrivals at
 * the transmitter of what another transmitter of the result sends that stands at the receiver's place. */
enum { PW_AZIMUTHS = 360, PW_AZIMUTH_PEAKS = 16 };
typedef struct pw_angles {
    bool known;        /* false: there are none here, for the reason given */
    char reason[240];  /* such as a wall within a wavelength, or points of the spectra too far apart */
    double radius;     /* m, of the disc */
    double beam_width; /* degrees: width of a single wave's peak, 3 dB down */
    double residual;   /* relative: what plane waves do not explain of the field in the disc; over 0.1 it is in doubt */
    int peak_count;    /* local maxima, by power, at most 20 dB under the first */
    double peak_azimuth[PW_AZIMUTH_PEAKS]; /* degrees, counterclockwise from x, where it comes from or goes to */
    double peak_power[PW_AZIMUTH_PEAKS];   /* linear, as `power` */
} pw_angles;

/* Fills `facts`, and `power` (PW_AZIMUTHS; may be NULL), by degrees of azimuth, counterclockwise from x: linear,
 * relative to free space at 1 m, mean over the band, 2D to 3D applied as to the whole link; a single path of power P
 * peaks at P. NAN where not known. PW_NO_RESOURCE: no memory; PW_BAD_INPUT: spectra that cannot be read. */
pw_status pw_channel_angles(const pw_channel *channel, pw_link_end end, pw_angles *facts, double *power,
                            pw_error *error);

/* ---- files ---- */

/* One kind of file that a channel can be written as. */
typedef struct pw_export_info {
    const char *name;        /* "touchstone" */
    const char *file;        /* what it is called in a folder: "channel.s2p" */
    const char *description; /* one line */
} pw_export_info;
size_t pw_export_count(void);
/* `index` counts from 0 to pw_export_count() - 1. */
pw_export_info pw_export_describe(size_t index);

/* Writes one file of a kind by name. PW_USAGE: a name that is not in the list, which the message holds. */
pw_status pw_channel_export(const pw_channel *channel, const char *name, const char *path, pw_error *error);

/* Creates the channel and writes one file of every kind into the existing or new folder `directory`, all of them or
 * none; a `directory` that ends in .png, .svg or .pdf is the name of the plot, which is then the only file. `metrics`
 * may be NULL. */
pw_status pw_channel_write(const pw_result *result, const char *transmitter, const char *receiver, const double *at,
                           const pw_channel_options *options, const char *directory, pw_metrics *metrics,
                           pw_error *error);

PW_C_END

#endif
