/* Results: files written by pw_run, read into buffers of the caller, printed, and compared with each other. A handle
 * may be read by one thread at a time. */
#ifndef PLANWAVE_RESULT_H
#define PLANWAVE_RESULT_H

#include "api/base.h"
#include "api/plan/port.h"
#include "api/plan/wifi.h"

PW_C_BEGIN

typedef struct result pw_result;

/* PW_BAD_INPUT: not a result of planwave, damaged, or of an unknown format. The caller closes *result. */
pw_status pw_result_open(const char *path, pw_result **result, pw_error *error);
/* NULL is allowed. */
void pw_result_close(pw_result *result);
void pw_result_release(pw_result **owner); /* of PW_OWNED_AS */

/* The path it was opened by; owned by the handle. */
const char *pw_result_path(const pw_result *result);

/* Text number `index`, from 0, of those that the result has under `name`: "commit", "precision", "warning" (one for
 * each), "plan_source" (where the plan was given as arrays); `planwave info` prints them all. It is owned by the handle
 * and ends after *length bytes; NULL: there is none. */
const char *pw_result_text(const pw_result *result, const char *name, int index, size_t *length);

/* The scenario that was solved, with everything that was chosen, for pw_scenario_parse; the caller frees *text. */
pw_status pw_result_scenario(const pw_result *result, char **text, pw_error *error);

/* Key `level_interval` of that scenario, which calibrations write: 19 of 20 levels at new places lie so many dB or
 * fewer from the prediction; 0 where it has none. */
double pw_result_level_interval(const pw_result *result);

/* What a result is about; the texts are owned by the handle. */
typedef struct pw_result_facts {
    const char *title, *scheme;
    int nx, ny;                     /* cells of the grid, absorber included */
    int absorber_cells;             /* on each side that has an absorber */
    double cell;                    /* m */
    double time_step;               /* s */
    double origin_x, origin_y;      /* m: place of cell (0, 0) */
    double band_centre, band_width; /* Hz */
    int frequency_count;            /* of the spectra; 0: the run had none */
    int transmitter_count;
    int dimensions;                        /* 2 or 3 */
    bool horizontal;                       /* two dimensions: Ex, Ey and Hz in place of Ez */
    int nz;                                /* levels of the grid, absorber included; 1 in two dimensions */
    double origin_z;                       /* m over the lowest floor, of level 0 */
    int absorber_low[3], absorber_high[3]; /* at the ends of x, y, z: 0 at a wall or a plane of symmetry */
} pw_result_facts;
pw_result_facts pw_result_describe(const pw_result *result);

/* Tells, a sentence for each transmitter that it concerns, why powers and transfer functions of the result are not
 * right: its run ended before its pulse did, or with much of the field on its way. */
void pw_result_doubts(const pw_result *result, void (*tell)(const char *sentence, void *user), void *user);

/* The plan's edges {left, right, bottom, top} [m] on the chosen sheet, of a vertical cut along it and upwards; and the
 * same on any sheet, which must be there. */
void pw_result_edges(const pw_result *result, double edges[4]);
void pw_result_sheet_edges(const pw_result *result, int sheet, double edges[4]);

/* Energy on the plan `delay` [s] after the middle of the waveform of a transmitter, relative to its peak; INFINITY: at
 * the end of the run. */
double pw_result_energy_after(const pw_result *result, int transmitter, double delay);

/* Frequencies [Hz] of the spectra, (frequency_count), ascending. */
pw_status pw_result_frequencies(const pw_result *result, double *frequency, pw_error *error);

/* ---- sheets of a result in three dimensions ---- */

/* A component of the electric field, or Hz times the impedance of free space, which a result in two dimensions with
 * horizontal polarisation has in place of Ez; PW_COMPONENT_OWN is what a receiver's polarisation or the chosen sheet
 * says, PW_COMPONENT_TOTAL the sum of the powers of all components of E that were kept. */
typedef enum pw_component {
    PW_COMPONENT_OWN,
    PW_COMPONENT_EX,
    PW_COMPONENT_EY,
    PW_COMPONENT_EZ,
    PW_COMPONENT_TOTAL,
    PW_COMPONENT_HZ
} pw_component;

/* Running spectra of one component on a horizontal plane (normal 2: z) or on a vertical cut (normal 0 or 1: x or y). In
 * two dimensions there is one sheet, of Ez, or none. */
typedef struct pw_sheet {
    const char *name; /* owned by the result */
    pw_component component;
    int normal;
    double asked, position; /* m along the normal: as wanted, and where it is */
    int rows, columns;
} pw_sheet;
int pw_result_sheet_count(const pw_result *result);
/* Whether sheets are told apart by component, height or cut: three dimensions, or all components of two. */
bool pw_result_has_sheets(const pw_result *result);
/* "Ez", "Hz": how a component is called. */
const char *pw_component_symbol(const pw_result *result, pw_component component);
/* Sheets count from 0. PW_USAGE: a sheet that is not there. */
pw_status pw_result_sheet_describe(const pw_result *result, int sheet, pw_sheet *facts, pw_error *error);

/* Which sheet is meant. */
typedef struct pw_sheet_choice {
    double height; /* m: the horizontal plane that was asked for nearest to it, within 0.25 m; NAN: the first */
    int cut;       /* vertical cuts count from 1; 0: a horizontal plane */
    pw_component component; /* PW_COMPONENT_OWN, and PW_COMPONENT_TOTAL: Ez, or what was kept */
} pw_sheet_choice;
pw_sheet_choice pw_sheet_choice_default(void);
/* The default, which asks for nothing, finds the sheet that is chosen now. PW_BAD_INPUT: no such plane or component;
 * the message lists those that there are. PW_USAGE: a height or a cut of a result in two dimensions. */
pw_status pw_result_sheet_find(const pw_result *result, const pw_sheet_choice *choice, int *sheet, pw_error *error);

/* One sheet is chosen: everything here and in maps, channels at points and reports that says "cells with running
 * spectra" means that sheet. At first it is the first horizontal one of Ez. Choosing changes spectra_rows,
 * spectra_columns, the axes, and the plane of pw_result_permittivity. */
pw_status pw_result_sheet_choose(pw_result *result, int sheet, pw_error *error);
int pw_result_sheet_chosen(const pw_result *result);

/* How many nodes pw_result_permittivity fills, and where the first lies [m]: of a horizontal sheet (ny, nx), of a cut
 * (nz, nx) or (nz, ny). */
typedef struct pw_face {
    int rows, columns;
    double column_first, row_first;
} pw_face;
pw_face pw_result_face(const pw_result *result);

/* Relative permittivity that was solved, in the plane of the chosen sheet, absorber included: (ny, nx), or the shape of
 * pw_result_face. */
pw_status pw_result_permittivity(const pw_result *result, double *relative_permittivity, pw_error *error);
/* The same in the plane of any sheet and of the plan alone, absorber cut away: *rows and *columns, and, where it is not
 * NULL, `relative_permittivity` (rows, columns). */
pw_status pw_result_plan_permittivity(const pw_result *result, int sheet, int *rows, int *columns,
                                      double *relative_permittivity, pw_error *error);

typedef struct pw_transmitter {
    const char *name;                  /* owned by the result */
    double x, y;                       /* m */
    double height;                     /* m over the lowest floor; in two dimensions NAN unless it was given */
    double polarisation[3];            /* of unit length */
    double power;                      /* dBm, EIRP */
    pw_wifi_channel channel;           /* number 0: none is known */
    bool hard_source;                  /* imposes a field: its current is not known, so it has no channels */
    int64_t samples;                   /* of each series at its receivers */
    int receiver_count;                /* */
    int spectra_rows, spectra_columns; /* cells with running spectra; 0: none */
    pw_port port;                      /* whose antenna it is; number 0: its own */
} pw_transmitter;

typedef struct pw_receiver {
    const char *name;       /* owned by the result */
    double x, y;            /* m */
    double height;          /* m over the lowest floor; in two dimensions NAN unless it was given */
    double polarisation[3]; /* of unit length: the component of the field that it takes in */
    double gain;            /* dBi */
    bool recorded;          /* at every step, so that there is a series; else taken from the running spectra */
    pw_port port;           /* whose antenna it is; number 0: its own */
} pw_receiver;

/* Transmitters count from 0 to transmitter_count - 1, receivers likewise. PW_USAGE: an index that is not there. */
pw_status pw_result_transmitter(const pw_result *result, int transmitter, pw_transmitter *facts, pw_error *error);
pw_status pw_result_receiver(const pw_result *result, int transmitter, int receiver, pw_receiver *facts,
                             pw_error *error);

/* Index of a transmitter or receiver by name; NULL names the first. PW_BAD_INPUT lists the names that there are. */
pw_status pw_result_find_transmitter(const pw_result *result, const char *name, int *transmitter, pw_error *error);
pw_status pw_result_find_receiver(const pw_result *result, int transmitter, const char *name, int *receiver,
                                  pw_error *error);

/* Spectrum of the transmitter's current, (frequency_count, re/im) [A s]; in three dimensions of
 * its current moment [A m s]. */
pw_status pw_result_source_spectrum(const pw_result *result, int transmitter, double *spectrum, pw_error *error);

/* Ez at a receiver, in three dimensions the component along its polarisation, (samples) [V/m]: sample n at (n + 1) time
 * steps. */
pw_status pw_result_series(const pw_result *result, int transmitter, int receiver, double *ez, pw_error *error);
/* The same of PW_COMPONENT_EX, _EY or _EZ; in two dimensions there is Ez alone. */
pw_status pw_result_series_of(const pw_result *result, int transmitter, int receiver, pw_component component, double *e,
                              pw_error *error);

/* Where the cells with running spectra lie: x (spectra_columns) and y (spectra_rows) [m]; of a vertical cut x or y, and
 * the height. */
pw_status pw_result_spectra_axes(const pw_result *result, int transmitter, double *x, double *y, pw_error *error);

/* A block of the cells with running spectra. */
typedef struct pw_block {
    int row_first, row_count, column_first, column_count;
} pw_block;

/* Running spectra of Ez, or of the chosen sheet's component, on a block of cells, (frequency_count, row_count,
 * column_count, re/im) [V/m s]. Blocks of whole tiles of 8 x 8 cells read fastest. PW_USAGE: a block that reaches
 * beyond the cells. */
pw_status pw_result_spectra(const pw_result *result, int transmitter, const pw_block *block, double *spectra,
                            pw_error *error);

/* Prints what is in the file to `stream`, as text or as JSON. */
pw_status pw_result_print(const pw_result *result, bool json, FILE *stream, pw_error *error);

/* ---- comparison ---- */

enum { PW_DATASET_RANK = 8, PW_DATASET_PATH = 512 };

/* What keeps two datasets from being compared number by number. */
typedef enum pw_obstacle {
    PW_OBSTACLE_NONE,
    PW_OBSTACLE_ONLY_A, /* the dataset is in the first file only */
    PW_OBSTACLE_ONLY_B,
    PW_OBSTACLE_SHAPE,
    PW_OBSTACLE_TYPE
} pw_obstacle;

/* One dataset of both files. */
typedef struct pw_difference {
    char path[PW_DATASET_PATH]; /* inside the files */
    pw_obstacle obstacle;
    int rank;
    uint64_t extent[PW_DATASET_RANK];
    bool identical;      /* every bit, and the same type */
    bool different;      /* more than was allowed */
    bool any_difference; /* of an element; the next three say where and how much */
    double largest;      /* largest |a - b|; INFINITY when something is not finite on one side only */
    uint64_t largest_at; /* flat index, last dimension fastest */
    uint64_t first_at;   /* flat index of the first element with other bits */
    double error;        /* ||a - b|| / ||b||, Euclidean norms over the dataset; INFINITY likewise */
    double correlation;  /* Pearson's, real part; NAN when one side is constant */
} pw_difference;

typedef struct comparison pw_comparison;

/* Compares all numeric datasets that the two files hold, in the order of the first file; /timing and the energy of a
 * transmitter are left out. A dataset is different when it is missing on one side, has another shape, or its error
 * exceeds max_error (0 demands identical bits). Finding differences is no failure. `monitor` may be NULL. The caller
 * frees *comparison. */
pw_status pw_comparison_create(const char *path_a, const char *path_b, double max_error, const pw_monitor *monitor,
                               pw_comparison **comparison, pw_error *error);
size_t pw_comparison_count(const pw_comparison *comparison);
/* Owned by the comparison; `index` counts from 0 to pw_comparison_count() - 1. */
const pw_difference *pw_comparison_dataset(const pw_comparison *comparison, size_t index);
/* True when some dataset is different. */
bool pw_comparison_differs(const pw_comparison *comparison);
/* Prints a table, or JSON. */
pw_status pw_comparison_print(const pw_comparison *comparison, bool json, FILE *stream, pw_error *error);
/* NULL is allowed. */
void pw_comparison_free(pw_comparison *comparison);
void pw_comparison_release(pw_comparison **owner); /* of PW_OWNED_AS */

/* Compares, prints to `stream`, and returns PW_DIFFERENT when some dataset is different. */
pw_status pw_compare(const char *path_a, const char *path_b, double max_error, bool json, FILE *stream,
                     pw_error *error);

PW_C_END

#endif
