/* Maps: one quantity for every cell with running spectra inside the plan, in three dimensions of the chosen sheet
 * (pw_result_sheet_choose), or with options.channel.component of another component in its plane, or of their total; and
 * coverage: which part of the floor is over which threshold. pw_channel_help() defines every quantity. */
#ifndef PLANWAVE_MAP_H
#define PLANWAVE_MAP_H

#include "api/channel.h"
#include "api/setup.h"

PW_C_BEGIN

typedef enum pw_quantity {
    PW_PATH_GAIN,
    PW_RECEIVED_POWER,
    PW_RMS_DELAY_SPREAD,
    PW_MEAN_DELAY,
    PW_K_FACTOR,
    PW_BEST_SERVER,
    PW_SNR,
    PW_SINR,
    PW_MAXIMUM_DELAY,
    PW_COHERENCE_50,
    PW_COHERENCE_90,
    PW_PATH_LOSS /* between isotropic antennas, positive; less is better */
} pw_quantity;

typedef struct pw_area {
    const char *name;
    double x0, y0, x1, y1; /* m, two corners */
} pw_area;

typedef struct pw_map_options {
    pw_quantity quantity;
    const char *transmitter; /* NULL or "best": at each cell the strongest; of SNR and SINR the one that serves */
    pw_channel_options channel;
    bool local_mean;         /* average power over a square */
    double mean_width;       /* m: its side; 0: a wavelength */
    double receiver_gain;    /* dBi, of the receiver that is carried over the floor; default 0 */
    double noise_figure;     /* dB, default 7 */
    double noise_bandwidth;  /* Hz: over which it takes in noise (k 290 K B); default 20 MHz */
    bool turbo;              /* colours: turbo instead of viridis */
    double minimum, maximum; /* colour range; NAN: from the data */
    double threshold;        /* coverage threshold in the unit of the quantity; NAN: none */
    int size;                /* pixels of the picture's longer side, axes not counted; 0: 1040 */
    const pw_area *outlines; /* (outline_count): drawn on the picture with their names, on a horizontal map */
    int outline_count;
    const double *dots; /* (dot_count, 2) [m]: places that are marked on it */
    int dot_count;
    const char *dot_text; /* what they are, for the legend; NULL: there is none */
    bool whole_plan;      /* summaries and coverage count the whole plan, not the inside of the building */
    pw_monitor monitor;   /* told how far the map is; default: nobody */
    void (*note)(const char *message, void *user); /* told by pw_map_write what is wrong with the map; may be NULL */
    void *note_user;                               /* handed to `note` */
} pw_map_options;
pw_map_options pw_map_options_default(void);

/* Name and unit of a quantity: "received power", "dBm"; for the best server the unit of its power; and what its
 * decibels are relative to ("relative to free space at 1 m"; "" where the unit says it). "" for a quantity that is not
 * there. */
const char *pw_quantity_name(pw_quantity quantity);
const char *pw_quantity_unit(pw_quantity quantity);
const char *pw_quantity_reference(pw_quantity quantity);
/* True of powers and what is made of them (gains, losses, SNR, the best server), which have local means and previews.
 */
bool pw_quantity_is_power(pw_quantity quantity);
/* True where less is better, as of path loss: a threshold is met at or under it. */
bool pw_quantity_falls(pw_quantity quantity);

/* The cells of a map, and what it is called: (row, column) lies at (x0 + column pitch_x, y0 + row pitch_y). */
typedef struct pw_map_shape {
    int rows, columns;
    double x0, y0;           /* m */
    double pitch_x, pitch_y; /* m */
    const char *name, *unit; /* "received power", "dBm" */
    int transmitter;         /* index; -1: at each cell the strongest */
    double mean_width;       /* m: side of the square of a local mean; 0: none */
} pw_map_shape;

/* How large the buffers of a map must be; no field is read. NULL options mean the defaults, here and below.
 * PW_BAD_INPUT: no running spectra, or no such transmitter; PW_USAGE: options that do not go together. */
pw_status pw_map_describe(const pw_result *result, const pw_map_options *options, pw_map_shape *shape, pw_error *error);

/* Fills `values` (rows, columns) in the unit of the quantity: dB, dBm, ns for delays, MHz for bandwidths; for the best
 * server the index of the transmitter, and `power` (rows, columns) its received power [dBm]. `power` may be NULL and is
 * not touched for other quantities. NAN where not defined, as inside a conductor, and for delays where they may be over
 * 10 % wrong because the run was too short or the frequencies too few. With the strongest transmitter at each cell the
 * value is the best of all: of powers the largest, of path loss the smallest, of the others that of the transmitter
 * with the largest received power. */
pw_status pw_map_compute(const pw_result *result, const pw_map_options *options, double *values, double *power,
                         pw_error *error);

/* Computes the map, writes the picture `path` (PNG, or SVG or PDF by the ending of the name), and beside it the same
 * map as .csv and .npy. Prints the summary to `report` (may be NULL). */
pw_status pw_map_write(const pw_result *result, const pw_map_options *options, const char *path, FILE *report,
                       pw_error *error);

/* Of `values` (rows, columns) at a place by bilinear interpolation; beyond the outermost cells theirs. NAN when the
 * nearest cell has none. */
double pw_map_value_at(const pw_map_shape *shape, const double *values, double x, double y);

/* Noise power [dBm] of a receiver: k 290 K times the bandwidth [Hz], times the noise figure [dB] (ITU-R P.372). */
double pw_noise_power(double bandwidth, double noise_figure);

/* ---- values of one's own ---- */

/* Values on the cells of a map that something else has reckoned, such as a difference of two maps or a quantile over
 * many. What the options name says where the cells are and how colours run. */
typedef struct pw_map_values {
    const char *name, *unit; /* above the picture and at its scale */
    const double *values;    /* (rows, columns), as pw_map_describe tells; NAN where there is none */
    double minimum, maximum; /* colour range; NAN: from the data */
} pw_map_values;

/* The colour range that a picture of the values would have. */
pw_status pw_map_values_range(const pw_result *result, const pw_map_options *options, const pw_map_values *values,
                              double *low, double *high, pw_error *error);

/* Writes the picture (PNG, SVG or PDF by the ending of `picture`) and the values as a file of NumPy; a path that is
 * NULL is not written. */
pw_status pw_map_values_write(const pw_result *result, const pw_map_options *options, const pw_map_values *values,
                              const char *picture, const char *npy, pw_error *error);

/* ---- walls ---- */

enum { PW_WALL_FULL = 100, PW_WALL_METAL = 255 };

/* The nodes of the plan as they were solved, in the plane of the chosen sheet, absorber cut away: `shape`, and, where
 * they are not NULL, for each node (rows, columns) in `walls` 0 in air, PW_WALL_METAL in metal, else how much of a wall
 * it is, 1 to PW_WALL_FULL; and in `permittivity` its relative permittivity. Pictures of maps draw them. */
pw_status pw_map_walls(const pw_result *result, pw_map_shape *shape, uint8_t *walls, float *permittivity,
                       pw_error *error);

/* ---- what counts as floor ---- */

/* Which cells summaries and coverage count, and why. */
typedef enum pw_floor_kind {
    PW_FLOOR_BUILDING, /* the inside of the building, its walls included */
    PW_FLOOR_ASKED,    /* the whole plan, as the options ask */
    PW_FLOOR_EMPTY,    /* the whole plan, since it has no walls */
    PW_FLOOR_OPEN,     /* the whole plan, since its walls enclose no room */
    PW_FLOOR_CUT,      /* the whole plan, since its walls run off the plan, so that it may be part of a building */
    PW_FLOOR_SECTION   /* the whole of a vertical cut, which has no floor */
} pw_floor_kind;

typedef struct pw_floor {
    pw_floor_kind kind;
    const char *text;                         /* "inside of the building", "whole plan (it has no walls)" */
    int64_t cells;                            /* of the map, that count */
    double square_metres, plan_square_metres; /* of what counts, and of the whole plan */
} pw_floor;

/* "inside of the building", "whole plan (it has no walls)". */
const char *pw_floor_text(pw_floor_kind kind);

/* Tells the inside of the building from the plan: air floods it from the rim, but not through openings up to 2.5 m wide
 * (5 m, where nothing else encloses a room). Fills `counted` (rows, columns), 1 for cells that count, with the shape
 * that pw_map_describe tells; it may be NULL, and `floor` too. */
pw_status pw_map_floor(const pw_result *result, const pw_map_options *options, uint8_t *counted, pw_floor *floor,
                       pw_error *error);

/* The same of a plan that is set up and not solved, at its nodes, in three dimensions in the plane nearest to `height`
 * [m]: `shape`, and, where they are not NULL, `walls` as pw_map_walls has them, `inside` (rows, columns), 1 in the
 * building, and why. */
pw_status pw_setup_floor(const pw_setup *setup, double height, pw_map_shape *shape, uint8_t *walls, uint8_t *inside,
                         pw_floor_kind *kind, pw_error *error);

/* ---- coverage ---- */

typedef struct pw_coverage_options {
    pw_map_options map; /* quantity path gain, path loss, received power, SNR or SINR; a transmitter, or "best", or
                           NULL: each, and the best of them */
    const double *thresholds; /* (threshold_count), in the unit of the quantity; NULL: customary ones */
    int threshold_count;      /* at most 64 */
    const pw_area *areas;     /* (area_count): parts of the floor that are counted besides the whole */
    int area_count;
    bool every_height; /* pw_coverage_write, of a result in three dimensions: a table for each horizontal plane, and not
                          that of the chosen sheet alone */
} pw_coverage_options;

/* How much of one part of the floor one transmitter covers. */
typedef struct pw_share {
    int area;             /* index into the areas of the options; -1: the floor, as pw_map_floor tells it */
    int transmitter;      /* index; -1: at each cell the strongest */
    double threshold;     /* in the unit of the quantity */
    int64_t cells, over;  /* cells of the part, and how many meet the threshold: at or over it, of path loss under it */
    double square_metres; /* of the part */
    double fraction;      /* over / cells */
} pw_share;

/* How many shares pw_coverage_compute fills: (1 + area_count) x thresholds x columns, a column being a transmitter or,
 * where there are several and none is chosen, last the best of them. */
pw_status pw_coverage_count(const pw_result *result, const pw_coverage_options *options, size_t *count,
                            pw_error *error);

/* Fills `shares` (areas, the floor first; thresholds; columns), the last fastest. Walls belong to the floor; a cell
 * without a defined value meets no threshold. PW_USAGE: another quantity, a threshold that is not finite, an
 * area without a cell. */
pw_status pw_coverage_compute(const pw_result *result, const pw_coverage_options *options, pw_share *shares,
                              pw_error *error);

/* Computes the shares, prints them as a table in per cent to `report` (may be NULL) and writes them as CSV to
 * `csv_path` (may be NULL). */
pw_status pw_coverage_write(const pw_result *result, const pw_coverage_options *options, const char *csv_path,
                            FILE *report, pw_error *error);

/* ---- distributions ---- */

/* The values of a quantity over one part of the floor, or over the receivers, for one transmitter. */
typedef struct pw_distribution {
    int area;             /* index into the areas of the options; -1: the floor, or the receivers */
    int transmitter;      /* index; -1: at each place the strongest */
    int64_t cells;        /* of the part, or receivers */
    int64_t count;        /* of these, which have a value */
    const double *values; /* (count) in the unit of the quantity, ascending */
} pw_distribution;

typedef struct pw_distributions pw_distributions;

/* Of any quantity but the best server: (areas, the floor first; columns) with the columns of pw_coverage_compute;
 * thresholds are not looked at. With `receivers` over the receivers of the file, by their channels, and not over the
 * floor. The caller frees it. PW_USAGE: options that do not go together, an area without a cell. PW_BAD_INPUT: a result
 * that has no receivers. */
pw_status pw_distributions_create(const pw_result *result, const pw_coverage_options *options, bool receivers,
                                  pw_distributions **distributions, pw_error *error);
size_t pw_distributions_count(const pw_distributions *distributions);
/* NULL for an index that is not there. */
const pw_distribution *pw_distributions_at(const pw_distributions *distributions, size_t index);
/* NULL is allowed. */
void pw_distributions_free(pw_distributions *distributions);

/* The value that `percent` (0 to 100) of the values are at or under; between two of them by linear interpolation, so
 * that 50 is the median. NAN where there are no values. */
double pw_distribution_percentile(const pw_distribution *distribution, double percent);

/* Prints the percentiles as a table to `report`, writes them as CSV to `csv_path`, and the whole distribution to
 * `cdf_path`: percentiles in steps of half a per cent where it ends in .csv, else the curve as PNG, SVG or PDF. Each
 * may be NULL. NULL percents: 5, 10, 25, 50, 75, 90 and 95. PW_USAGE: a percent that is not within 0 to 100. */
pw_status pw_distributions_write(const pw_distributions *distributions, const double *percents, int percent_count,
                                 const char *csv_path, const char *cdf_path, FILE *report, pw_error *error);

/* ---- two results ----
 *
 * Agreement of two results by what they mean: those of two grids, schemes, time steps or dimensions share no dataset
 * number by number, but their channels and maps have axes in Hz, s and m. pw_comparison_create compares bits. */

enum { PW_AGREEMENT_TEXT = 256 };

/* One quantity that was compared, or could not be. */
typedef struct pw_agreement_row {
    char what[64];                /* "transfer function", "map of received power" */
    char of[2 * 128 + 8];         /* "router -> desk", "router" */
    char unit[8];                 /* of the next four: "dB", "ns" */
    double rms, median, p90;      /* of |A - B|: root of the mean square, and what 50 and 90 % are at or under */
    double largest;               /* of |A - B| */
    char where[64];               /* of the largest: "2.41 GHz", "(1.2, 3.4) m", a receiver */
    double error;                 /* ||A - B|| / ||B||, of amplitudes, or of delays; NAN where not compared */
    int64_t count;                /* values; 0: not compared */
    bool different;               /* more than was allowed, or on one side alone */
    char note[PW_AGREEMENT_TEXT]; /* how it was compared, or why not; may be empty */
} pw_agreement_row;

typedef struct agreement pw_agreement;

/* "cell 0.02 m and 0.01 m; scheme yee and dd4": in what the grids of two results differ; empty: in nothing, so that
 * pw_comparison_create has more to say. Returns `text`. */
const char *pw_agreement_grids(const pw_result *a, const pw_result *b, char text[PW_AGREEMENT_TEXT]);

/* Compares transfer functions, power-delay profiles, path loss, delay spreads and mean delays of the links that both
 * results have by name, at the frequencies that both have; and maps of received power and of delay spread of the
 * transmitters that both have, at the points of the coarser one, by interpolation of the finer. Everything that cannot
 * be compared has a row that says why. Receivers that one result has under another name, within a cell of the same
 * place, are the same. A row is different where its error exceeds `max_error`, where it is in dB and its rms exceeds
 * `max_db`, or where one result alone has it; NAN is no limit. NULL options mean the defaults; `monitor` may be NULL.
 * Finding differences is no failure. The caller frees *agreement. */
pw_status pw_agreement_create(const char *path_a, const char *path_b, const pw_channel_options *options,
                              double max_error, double max_db, const pw_monitor *monitor, pw_agreement **agreement,
                              pw_error *error);
size_t pw_agreement_count(const pw_agreement *agreement);
/* Owned by the agreement; `index` counts from 0 to pw_agreement_count() - 1, NULL beyond. */
const pw_agreement_row *pw_agreement_at(const pw_agreement *agreement, size_t index);
bool pw_agreement_differs(const pw_agreement *agreement);
/* Prints a table, or JSON. */
pw_status pw_agreement_print(const pw_agreement *agreement, bool json, FILE *stream, pw_error *error);
/* The picture (PNG, SVG or PDF by the ending): the maps of received power that agree least, of A, of B, and their
 * difference; transfer function and profile of the link that agrees least. PW_BAD_INPUT: nothing was compared. */
pw_status pw_agreement_plot(const pw_agreement *agreement, const char *path, pw_error *error);
/* NULL is allowed. */
void pw_agreement_free(pw_agreement *agreement);

PW_C_END

#endif
