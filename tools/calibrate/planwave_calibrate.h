/* Calibration: predictions of a result against measured powers. */
#ifndef PLANWAVE_CALIBRATE_H
#define PLANWAVE_CALIBRATE_H

#include "planwave.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PW_CALIBRATED_MATERIALS = 8 };

/* A measured point. */
typedef struct pw_point {
    double x, y;      /* m */
    double power;     /* dBm, received */
    double frequency; /* Hz: the nearest of the result is predicted; 0: the mean over the band */
    bool has_height;  /* in three dimensions: predicted in the plane nearest to this height [m], and not in that of */
    double height;    /* the options' channel, or else of the chosen sheet */
} pw_point;

typedef struct pw_calibration_options {
    const char *transmitter; /* NULL: the first */
    pw_channel_options
        channel;          /* of the prediction; in three dimensions with the component of the receiver's antenna */
    double receiver_gain; /* dBi */
    double mean_width;    /* m: side of the square over which a prediction is averaged; 0: a wavelength */
    int hold_out;         /* place number n, from 1, a square of 1.5 m with all its points, is held out of the fit
                             when n is a multiple of this; default 4; 0: none */
    const char *materials[PW_CALIBRATED_MATERIALS]; /* (material_count): scale their permittivity and conductivity, by
                                                       re-runs of the result's scenario */
    int material_count;
    double cell_factor; /* of the re-runs: cells this much larger than the result's; default 1 */
    pw_compute compute; /* of all re-runs together */
    pw_monitor monitor; /* told how far the calibration is; default: nobody */
} pw_calibration_options;
pw_calibration_options pw_calibration_options_default(void);

typedef struct pw_calibration_score {
    int count;
    double bias, rmse, correlation; /* dB (predicted - measured), dB, 1 (Pearson's); NAN where not defined */
} pw_calibration_score;

typedef struct pw_calibration {
    double offset, offset_error; /* dB to add to the prediction (least squares), and its standard error */
    pw_calibration_score fitted_before, held_before, fitted, held; /* without and with the offset */
    int material_count;
    double permittivity_scale[PW_CALIBRATED_MATERIALS], conductivity_scale[PW_CALIBRATED_MATERIALS];
    int runs;                                            /* re-runs that it took */
    pw_calibration_score unscaled_fitted, unscaled_held; /* of the first re-run, with its own offset */
    pw_calibration_score scaled_fitted, scaled_held;     /* of the re-run with these scales, with its own offset */
    double scaled_offset;                                /* dB */
} pw_calibration;

/* Predicts the received power at `points` (count) into `predicted` (count) [dBm], fits the global offset and, when
 * asked, the scales of materials. In two dimensions heights are not looked at. NULL options mean the defaults. Re-runs
 * need a folder for temporary files (TMPDIR, else /tmp), which is empty again at the end. PW_BAD_INPUT: a point outside
 * the running spectra, a frequency outside the band, too few points for what is fitted, materials that the points do
 * not feel or do not tell apart, or materials of a plan that was given as arrays. */
pw_status pw_calibrate_points(const pw_result *result, const pw_point *points, int count,
                              const pw_calibration_options *options, double *predicted, pw_calibration *calibration,
                              pw_error *error);

/* Does the same with the points of the CSV `measured_path` (x [m], y [m], in three dimensions z [m], power [dBm] and,
 * if wanted, frequency); writes point by point to `csv_path` (may be NULL) and a summary to `report` (may be NULL), a
 * line after each re-run. `calibration` may be NULL. */
pw_status pw_calibrate(const pw_result *result, const char *measured_path, const pw_calibration_options *options,
                       const char *csv_path, FILE *report, pw_calibration *calibration, pw_error *error);

/* ---- all transmitters together ---- */

/* A reading: what one transmitter is received with at one place, or, links being reciprocal, the other way. */
typedef struct pw_reading {
    const char *transmitter; /* name; NULL: the first of the result */
    double x, y;             /* m */
    double height;           /* m over the lowest floor; NAN: not known */
    double power;            /* dBm; of receivers that are not calibrated in dB with an offset of their own */
    double frequency;        /* Hz; 0: the mean over the band */
    bool held;               /* scored with the fitted values, and no part of the fit */
    bool below;              /* nothing was received: the power is only known to be less than `power` */
    const char *device;      /* that it was read by; NULL: all by one. Devices beside the first have an offset each */
    double facing; /* degrees from x towards y: where its carrier looks; NAN: not known. All are needed for the body */
} pw_reading;

typedef enum pw_offsets { PW_OFFSETS_EACH, PW_OFFSETS_ONE, PW_OFFSETS_NONE } pw_offsets;

/* What is fitted is the level of transmitter a in a cell i of readings, in dB:
 *
 *     level = offset_a + offset_device + slope p_i(materials, height)
 *             + exponent 10 lg(d_i / 1 m) - body (1 - cos f_i) / 2
 *
 * p_i is the predicted received power, and d_i the length of the straight line. f_i is the angle between where the
 * carrier looks and the transmitter. The slope is 1 and the exponent 0 unless they are fitted. */
typedef struct pw_joint_options {
    pw_channel_options channel; /* as above */
    double receiver_gain;       /* dBi */
    double mean_width;          /* m, as above */
    double gather;              /* m: readings of a transmitter in squares of this side make one cell; 0: none */
    bool mean_of_levels;        /* a cell's level is the mean of dB values; default: of powers */
    int least_readings;         /* cells with fewer are left out; default 1 */
    double sensitivity;         /* dBm: a reading that is not over it is `below` it, and so is an empty field of a file
                                   with a column for each transmitter; default NAN: not known, and such a field says
                                   nothing */
    double blocks;              /* m: side of the squares that are held out in turn and that errors are correlated in;
                                   default 1.5 */
    /* (parameter_count): "brick:permittivity=2..8", "brick:conductivity=1mS/m..0.3", "brick:thickness=5cm..30cm",
     * "walls:permittivity=1.3", every wall by itself: a factor on its material's value, known before to lie within
     * 1.3 in two of three (a log-normal prior of that spread); also walls:conductivity=2 and walls:thickness,
     * "height=0.5..1.5" of receivers without one, "slope=0.4..1.2", "exponent=-2..2", "body=0..20"
     * [dB] of the carrier, who stands in the way when facing away; the range may be left out. */
    const char *const *parameters;
    int parameter_count;
    pw_offsets offsets;
    double huber;          /* residuals over so many standard deviations count linearly; default 1.345; 0: none does */
    double cell_factor;    /* of the re-runs, as above */
    double response_cells; /* the fit is made on cells so many times as large as those of the re-runs that check it and
                              correct it; default 1: all runs are re-runs; 0: up to twice, as the band allows */
    int rounds;            /* at most, of re-runs; default 8 */
    pw_compute compute;    /* of all re-runs together */
    pw_monitor monitor;
} pw_joint_options;
pw_joint_options pw_joint_options_default(void);

enum { PW_JOINT_PARAMETERS = 256, PW_JOINT_NAME = 96, PW_JOINT_DEVICES = 32 };

/* A fitted parameter, in the unit of its name (S/m, m, 1). */
typedef struct pw_fitted {
    char name[PW_JOINT_NAME]; /* "brick:permittivity" */
    double start, value;
    double low, high;   /* 95 % interval; NAN: the points do not determine it */
    double least, most; /* allowed */
    bool at_bound;      /* the value is the least or the most allowed one */
    bool felt;          /* false: the levels hardly depend on it, and it stayed where it was */
    /* Of a wall by itself, whose value is a factor on that of its material: */
    double spread; /* of the prior: two of three within this factor of 1; 0: there is no prior */
    double told;   /* how much the readings told: 1 less the variance over that of the prior; 0: nothing; else NAN */
    char material[PW_NAME_SIZE];
    double x, y; /* m: its middle; else NAN */
} pw_fitted;

typedef struct pw_joint_device {
    char name[64];
    double offset, offset_error; /* dB, beside that of the first device, which has 0 */
} pw_joint_device;

typedef struct pw_joint_transmitter {
    char name[64];
    double offset, offset_error;                /* dB, to be added to predictions; its standard error */
    pw_calibration_score fitted, crossed, held; /* as those of all transmitters */
} pw_joint_transmitter;

/* Cells below the sensitivity: how many, and how many of them are predicted below it. */
typedef struct pw_joint_below {
    int count, predicted;
} pw_joint_below;

typedef struct pw_joint {
    int reading_count, cell_count, held_count; /* readings in the fit; their cells; cells of readings held out */
    int runs, coarse_runs; /* re-runs of the scenario; runs on cells `coarse_cells` times as large */
    double coarse_cells;
    int block_count, fold_count; /* of cross-validation; 0 folds: too few blocks */
    pw_fitted parameters[PW_JOINT_PARAMETERS];
    int parameter_count;
    pw_joint_transmitter *transmitters; /* (transmitter_count), owned: those that have readings */
    int transmitter_count;
    pw_joint_device devices[PW_JOINT_DEVICES]; /* (device_count), in the order in which readings name them */
    int device_count;
    double scale;                 /* dB: robust standard deviation of the residuals */
    double alike;                 /* largest correlation of two estimates ... */
    int alike_first, alike_other; /* ... and of which parameters; -1 when there are not two */
    pw_calibration_score before;  /* of the fitted cells with the offsets alone, before anything else is fitted */
    pw_calibration_score fitted;  /* as fitted */
    pw_calibration_score crossed; /* each block predicted by a fit without it (linear in what re-runs would tell) */
    pw_calibration_score crossed_alike; /* the same with every wall as its material, where walls were fitted by
                                           themselves */
    pw_calibration_score held;          /* of the readings that were held out, of transmitters that are in the fit */
    pw_calibration_score strangers; /* the same of transmitters that are not: their offset is the mean of the others' */
    pw_joint_below below_crossed, below_held; /* of blocks held out, and of readings that were held */
    double interval; /* dB: 19 of 20 levels at new places lie so near to the fitted one, 1.96 times the RMSE of blocks
                        held out; NAN where none were */
    pw_calibration_score distance_fitted, distance_crossed, distance_held; /* of a rule of distance alone: lines in
                                                                               10 lg d, two numbers a transmitter */
} pw_joint;
void pw_joint_free(pw_joint *joint); /* what it owns */

/* Fits offsets and parameters to the readings (count) of all transmitters together, robustly (Huber's weights), and
 * scores them: in the fit, by blocks held out, and on readings that were held. A reading below the sensitivity counts
 * with the probability of one (Tobit's likelihood, Tobin, Econometrica 26 (1958) 24, with Huber's limit); a cell is
 * below it when more than half of its readings are, and has no part in RMSE and correlation. `calibrated` (count, may
 * be NULL) gets the fitted level [dBm] of each reading's cell, NAN where its cell was left out. Intervals are those of
 * linear regression at the solution with errors correlated inside blocks (the sandwich of Liang and Zeger, Biometrika
 * 73 (1986) 13, of each transmitter by itself), or uncorrelated where that is wider. PW_BAD_INPUT: a name that is not
 * in the result, a point outside its spectra, too few cells, parameters that its plan does not have. */
pw_status pw_calibrate_joint_readings(const pw_result *result, const pw_reading *readings, int count,
                                      const pw_joint_options *options, double *calibrated, pw_joint *joint,
                                      pw_error *error);

/* Files of the fit; any may be NULL. */
typedef struct pw_joint_files {
    const char *measured;  /* CSV with a heading: x, y, height, power, frequency, and either a column `transmitter` or
                              columns with names of transmitters, with or without rssi_, rss_ or power_ before them */
    const char *score;     /* another such file, of readings that are held */
    const char *residuals; /* written: cell by cell */
    const char *fitted;    /* written: the scenario with the fitted materials, and with the offsets in its powers */
} pw_joint_files;

/* Does the same with files; the summary goes to `report` (may be NULL), `joint` may be NULL. */
pw_status pw_calibrate_joint(const pw_result *result, const pw_joint_files *files, const pw_joint_options *options,
                             FILE *report, pw_joint *joint, pw_error *error);

#ifdef __cplusplus
}
#endif
#endif
