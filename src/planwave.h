/* planwave: full-wave radio channels from a floor plan. The public interface, in order of use:
 *
 *     scenario (text) -> setup (validated, rasterized) -> run -> result file -> channels, maps, comparisons
 *
 * Handles are opaque and own what they hold; there is no global state, so several may live in one process.
 * Every function that can fail returns a pw_status and, when it fails, writes a sentence into *error (which
 * may be NULL): what was wrong, the offending value and what is allowed. Units are SI throughout; complex
 * numbers are interleaved (re, im) doubles; the time dependence is exp(+jwt); maps are row-major with row 0
 * at the bottom (y grows upwards) and x fastest. */
#ifndef PLANWAVE_H
#define PLANWAVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PW_VERSION "0.1.0"

/* Status codes double as the exit status of the program. */
typedef enum pw_status {
    PW_OK = 0,
    PW_DIFFERENT = 1,   /* `compare` found more difference than allowed */
    PW_USAGE = 2,       /* wrong command line or wrong call */
    PW_BAD_INPUT = 3,   /* a scenario, plan or file that cannot be used */
    PW_NO_RESOURCE = 4, /* memory, disk, device, missing program or missing build option */
    PW_NUMERICAL = 5,   /* NaN, Inf or growth in the fields */
    PW_INTERRUPTED = 6, /* stopped by a signal or by the caller */
} pw_status;

typedef struct pw_error {
    char message[1024];
} pw_error;

/* The revision this library was built from, e.g. "1a2b3c4" or "unknown". */
const char *pw_commit(void);

/* Reads "2.4 GHz" into Hz, "7 cm" into m, "10 min" into s; a bare number is SI. PW_BAD_INPUT names the text and the
 * allowed units. */
pw_status pw_parse_frequency(const char *text, double *frequency, pw_error *error);
pw_status pw_parse_length(const char *text, double *length, pw_error *error);
pw_status pw_parse_time(const char *text, double *time, pw_error *error);

/* ---- Scenario: what to solve, in SI, every default filled in ------------------------------------------ */

typedef struct scenario pw_scenario;

/* Reads the YAML file `path` and applies `overrides` ("grid.cell=1 cm"), in order. Relative image and waveform
 * paths are taken from the folder of the scenario. PW_BAD_INPUT names file, line, key, value and what is allowed. */
pw_status pw_scenario_load(const char *path, const char *const *overrides, size_t override_count,
                           pw_scenario **scenario, pw_error *error);

/* The same from text; `name` stands for the file in messages, relative paths are taken from the working folder. */
pw_status pw_scenario_parse(const char *name, const char *text, const char *const *overrides, size_t override_count,
                            pw_scenario **scenario, pw_error *error);

/* The resolved scenario as YAML text that loads to the same scenario; owned by the handle. */
const char *pw_scenario_text(const pw_scenario *scenario);

void pw_scenario_free(pw_scenario *scenario);

/* ---- Setup: the scenario rasterized and turned into arrays, nothing allocated for solving yet ---------- */

typedef enum pw_precision { PW_SINGLE = 0, PW_DOUBLE = 1 } pw_precision;

typedef struct setup pw_setup;

/* Rasterizes and validates. The scenario must outlive the setup. `strict` turns warnings about material ranges into
 * errors. */
pw_status pw_setup_create(const pw_scenario *scenario, pw_precision precision, bool strict, pw_setup **setup,
                          pw_error *error);
void pw_setup_free(pw_setup *setup);

/* Facts that the pre-flight table prints. */
typedef struct pw_facts {
    const char *title, *scheme, *averaging;
    int nx, ny;                    /* cells, absorber included */
    int absorber_cells;            /* on each side */
    double cell;                   /* m */
    double time_step;              /* s */
    double courant, courant_limit; /* of the scheme in vacuum, scaled by the plan's smallest permittivity */
    int64_t steps;                 /* at most */
    double cells_per_wavelength;   /* at the upper band edge, in the slowest material of the plan */
    double phase_error_per_metre;  /* rad/m, at the upper band edge in air, worst direction (warping included) */
    double predicted_error; /* complex error of a channel 2.5 m from a transmitter through a wall or two, relative */
    int transmitter_count, receiver_count;              /* */
    int frequency_count, spectra_rows, spectra_columns; /* running spectra; 0 when off */
    int spectra_every;                                  /* steps between samples */
    int palette_count;
    double quantisation_error; /* largest relative permittivity error of the palette */
    uint64_t host_bytes;       /* set-up and result buffers, without the backend */
} pw_facts;
pw_facts pw_setup_facts(const pw_setup *setup);

/* Warnings found on the way (material out of its range, receiver inside a wall, ...). They are stored in the result. */
size_t pw_setup_warning_count(const pw_setup *setup);
const char *pw_setup_warning(const pw_setup *setup, size_t index);

/* Writes the picture of what the solver will see: material map with legend and scale bar (PNG through gnuplot), and
 * prints to `report` (may be NULL; a FILE *) the area per material and colours that the legend did not know. */
pw_status pw_rasterize_picture(const pw_setup *setup, const char *png_path, void *report, pw_error *error);

/* ---- Backends ------------------------------------------------------------------------------------------- */

typedef struct pw_backend_info {
    const char *name;        /* reference, cpu, cuda */
    const char *description; /* one line */
    bool available;
    char device[256]; /* what it would run on, or why it cannot and what to do about it */
} pw_backend_info;

size_t pw_backend_count(void);
pw_backend_info pw_backend_describe(size_t index);

/* ---- Forecast: what a run will take, before it starts ---------------------------------------------------- */

typedef struct pw_forecast {
    const char *backend;               /* the one that "auto" means here */
    char device[128];                  /* what it runs on */
    uint64_t host_bytes, device_bytes; /* held at most, set-up included */
    uint64_t
        spectra_host_bytes; /* of host_bytes: spectra that do not fit the device and pass over it in parts; else 0 */
    uint64_t host_available, device_available; /* 0: not known */
    double cells_per_second; /* timed on a small box with the scheme, precision and spectra of the setup */
    double seconds;          /* about: stepping all transmitters to the last step; writing not included */
} pw_forecast;

/* Takes a fraction of a second. PW_NO_RESOURCE, with the memory filled in and no time, when there is not enough of it.
 */
pw_status pw_forecast_run(const pw_setup *setup, const char *backend, int threads, pw_forecast *forecast,
                          pw_error *error);

/* ---- Simulation: a group of transmitters advanced together; for callers who want fields or single steps --- */

typedef struct simulation pw_simulation;

typedef struct pw_progress {
    int transmitter, transmitter_count; /* first of the group, of all */
    int64_t step, steps;
    double simulated_time; /* s */
    double cells_per_second;
    double energy_db; /* electric energy against its peak so far */
    double seconds_left;
} pw_progress;

/* Called every few tenths of a second; a false return ends the run cleanly with PW_INTERRUPTED. */
typedef bool (*pw_progress_function)(const pw_progress *progress, void *user);

/* `backend` is "auto", "reference", "cpu" or "cuda"; threads 0 means all. The setup must outlive the simulation. */
pw_status pw_simulation_create(const pw_setup *setup, const char *backend, int threads, int transmitter_first,
                               int transmitter_count, pw_simulation **simulation, pw_error *error);
/* Advances `steps` steps, without stop rule or watch. */
pw_status pw_simulation_advance(pw_simulation *simulation, int64_t steps, pw_error *error);
/* Advances to the end: stop rule, NaN watch and progress included. */
pw_status pw_simulation_run(pw_simulation *simulation, pw_progress_function progress, void *user, pw_error *error);
int64_t pw_simulation_step(const pw_simulation *simulation);
/* Ez (ny, nx) [V/m] after the last step; `run` counts from the first transmitter of the group. */
pw_status pw_simulation_field(const pw_simulation *simulation, int run, double *ez, pw_error *error);
/* Ez at receiver `receiver`, one sample per step, sample n at (n+1) time steps; `ez` holds pw_simulation_step() values.
 */
pw_status pw_simulation_receiver(const pw_simulation *simulation, int run, int receiver, double *ez, pw_error *error);
/* The same at all receivers, (receiver, step): much quicker than one after another. */
pw_status pw_simulation_receivers(const pw_simulation *simulation, int run, double *ez, pw_error *error);
/* Running spectra of rows [row_first, row_first+row_count): (frequency, row, column, re/im) [V/m s]. */
pw_status pw_simulation_spectra(const pw_simulation *simulation, int run, int row_first, int row_count, double *spectra,
                                pw_error *error);
/* Spectrum of the current of the transmitter at the frequencies of the scenario, (frequency, re/im) [A s]. */
pw_status pw_simulation_source_spectrum(const pw_simulation *simulation, int run, double *spectrum, pw_error *error);
void pw_simulation_free(pw_simulation *simulation);

/* ---- Run: everything, into one result file -------------------------------------------------------------- */

typedef struct pw_run_options {
    const char *backend;        /* NULL means "auto" */
    int threads;                /* 0 means all */
    bool force;                 /* replace an existing result, and start anew where a checkpoint lies */
    bool resume;                /* go on with the checkpoint of `path`; without one, start at the beginning */
    double checkpoint_interval; /* s between checkpoints; 0: only when the run ends early, finished transmitters not
                                   kept apart */
    double time_limit; /* s of this call; 0: none. A run that would exceed it stops in time to write a checkpoint */
    pw_progress_function progress;
    void (*note)(const char *message,
                 void *user); /* told what is no failure: where a run goes on, a damaged checkpoint; may be NULL */
    void *user;               /* of both */
    const char *frames;       /* folder for pictures of the field on the way, NAME-000000.png, ...; NULL: none */
    int64_t frames_every;     /* steps between them; 0: about 240 in all */
} pw_run_options;

/* Solves every transmitter and writes `path` (temporary name, sync, rename). On any failure `path` is untouched, and
 * what was computed is kept in `path`.checkpoint (PW_INTERRUPTED) or `path`.finished-N (the result could not be
 * written) for a call with `resume`, whose result has the same bits as that of an uninterrupted run. A checkpoint of
 * another scenario, version or precision: PW_BAD_INPUT that says which. */
pw_status pw_run(const pw_setup *setup, const pw_run_options *options, const char *path, pw_error *error);

/* ---- Results: files written by pw_run ------------------------------------------------------------------- */

typedef struct result pw_result;

pw_status pw_result_open(const char *path, pw_result **result, pw_error *error);
void pw_result_close(pw_result *result);

/* Prints what is in the file to `stream` (a FILE *), as text or as JSON. */
pw_status pw_result_print(const pw_result *result, bool json, void *stream, pw_error *error);

/* Compares all numeric datasets that two files share: normalised Euclidean error (paper 003 eq. 8), largest difference
 * and where, correlation, first differing element, bit identity; prints a table or JSON. PW_DIFFERENT when a dataset is
 * missing on one side, has another shape, or its error exceeds max_error (max_error = 0 demands identical bits). */
pw_status pw_compare(const char *path_a, const char *path_b, double max_error, bool json, void *stream,
                     pw_error *error);

/* ---- Channels ------------------------------------------------------------------------------------------- */

typedef enum pw_window { PW_WINDOW_HANN, PW_WINDOW_RECT, PW_WINDOW_KAISER } pw_window;
typedef enum pw_spreading { PW_SPREADING_NONE, PW_SPREADING_DISTANCE, PW_SPREADING_DELAY } pw_spreading;

typedef struct pw_channel_options {
    pw_window window;       /* default Hann */
    double kaiser_beta;     /* for PW_WINDOW_KAISER */
    int padding;            /* zero padding factor of the impulse response, >= 1 */
    double threshold_db;    /* under the peak, default 30 */
    double noise_margin_db; /* over the noise floor, default 6 */
    pw_spreading spreading; /* 2D to 3D, default delay */
} pw_channel_options;
pw_channel_options pw_channel_options_default(void);

/* The definitions of everything that a channel reports, with formulas, thresholds and sources. */
const char *pw_channel_help(void);

/* Definitions in channel.h; every delay in s, K linear in dB, bandwidths in Hz. NAN where not defined. */
typedef struct pw_metrics {
    double path_gain_db, received_power_dbm, distance;
    double mean_excess_delay, rms_delay_spread, maximum_excess_delay;
    double rician_k_db, coherence_bandwidth_50, coherence_bandwidth_90;
} pw_metrics;

/* Writes, into the existing or new folder `directory`, the channel from transmitter `transmitter` (NULL: the first) to
 * the receiver `receiver`, or, when that is NULL, to the point `at` (x, y in m; the nearest spectra cell): transfer
 * function, impulse response, power-delay profile and metrics as CSV, a plot as PNG, Touchstone, and HDF5 in the (a,
 * tau) layout. */
pw_status pw_channel_write(const pw_result *result, const char *transmitter, const char *receiver, const double *at,
                           const pw_channel_options *options, const char *directory, pw_metrics *metrics,
                           pw_error *error);

/* ---- Maps ----------------------------------------------------------------------------------------------- */

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
    PW_COHERENCE_90
} pw_quantity;

typedef struct pw_map_options {
    pw_quantity quantity;
    const char *transmitter; /* NULL: the first, or all where the quantity needs all */
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
} pw_map_options;
pw_map_options pw_map_options_default(void);

/* Name and unit of a quantity: "received power", "dBm"; for the best server the unit of its power. */
const char *pw_quantity_name(pw_quantity quantity);
const char *pw_quantity_unit(pw_quantity quantity);

/* Writes the picture `path` (PNG, or SVG or PDF by the ending of the name), and beside it the same map as .csv and
 * .npy. Prints the summary to `report` (FILE *, may be NULL). */
pw_status pw_map_write(const pw_result *result, const pw_map_options *options, const char *path, void *report,
                       pw_error *error);

/* ---- Coverage: which part of the floor is over which threshold ------------------------------------------ */

typedef struct pw_area {
    const char *name;
    double x0, y0, x1, y1; /* m, two corners */
} pw_area;

typedef struct pw_coverage_options {
    pw_map_options
        map; /* quantity path gain, received power, SNR or SINR; a transmitter, or NULL: each, and the best of them */
    const double *thresholds; /* (threshold_count), in the unit of the quantity; NULL: customary ones */
    int threshold_count;
    const pw_area *areas; /* (area_count): parts of the floor that are counted besides the whole */
    int area_count;
} pw_coverage_options;

/* Prints the table to `report` (FILE *, may be NULL) and writes it as CSV to `csv_path` (may be NULL). Shares are of
 * the cells inside the plan, walls included; a cell without a defined value is under every threshold. PW_USAGE: another
 * quantity, a threshold that is not finite, an area without a cell. */
pw_status pw_coverage_write(const pw_result *result, const pw_coverage_options *options, const char *csv_path,
                            void *report, pw_error *error);

typedef struct pw_report_options {
    const char *transmitter; /* NULL: all */
    pw_channel_options channel;
    uint64_t maximum_bytes; /* of the page; detail that does not fit is left out, default 20 000 000 */
} pw_report_options;
pw_report_options pw_report_options_default(void);

/* Writes one self-contained HTML page: maps of every quantity, the power-delay profile of every cell. Prints what it
 * wrote to `report` (FILE *, may be NULL). PW_BAD_INPUT when there are no running spectra or the least detail does not
 * fit. */
pw_status pw_report_write(const pw_result *result, const pw_report_options *options, const char *html_path,
                          void *report, pw_error *error);

/* ---- Calibration: predictions against measurements ------------------------------------------------------- */

enum { PW_CALIBRATED_MATERIALS = 8 };

typedef struct pw_calibration_options {
    const char *transmitter;    /* NULL: the first */
    pw_channel_options channel; /* of the prediction */
    double receiver_gain;       /* dBi */
    double mean_width;          /* m: side of the square over which a prediction is averaged; 0: a wavelength */
    int hold_out;               /* every so manieth point is held out of the fit; default 4; 0: none */
    const char *materials[PW_CALIBRATED_MATERIALS]; /* (material_count): scale their permittivity and conductivity, by
                                                       re-runs */
    int material_count;
    double cell_factor;  /* of the re-runs: cells this much larger than the result's; default 1 */
    const char *backend; /* of the re-runs; NULL: auto */
    int threads;         /* 0: all */
} pw_calibration_options;
pw_calibration_options pw_calibration_options_default(void);

typedef struct pw_calibration_score {
    int count;
    double bias, rmse, correlation; /* dB (predicted - measured), dB, 1; NAN where not defined */
} pw_calibration_score;

typedef struct pw_calibration {
    double offset, offset_error; /* dB to add to the prediction, and its standard error */
    pw_calibration_score fitted_before, held_before, fitted, held; /* without and with the offset */
    int material_count;
    double permittivity_scale[PW_CALIBRATED_MATERIALS], conductivity_scale[PW_CALIBRATED_MATERIALS];
    int runs;                                        /* re-runs that it took */
    pw_calibration_score scaled_fitted, scaled_held; /* of the re-runs with these scales and their own offset */
    double scaled_offset;                            /* dB */
} pw_calibration;

/* Compares the result with the points of the CSV `measured_path` (x [m], y [m], power [dBm] and, if wanted, frequency),
 * fits the global offset and, when asked, the scales of materials; writes point by point to `csv_path` (may be NULL)
 * and a summary to `report` (FILE *, may be NULL). PW_BAD_INPUT: a file that cannot be used, a point outside the
 * running spectra, or too few points for what is fitted. */
pw_status pw_calibrate(const pw_result *result, const char *measured_path, const pw_calibration_options *options,
                       const char *csv_path, void *report, pw_calibration *calibration, pw_error *error);

/* ---- Materials and benchmarks --------------------------------------------------------------------------- */

/* Prints the ITU-R P.2040-3 table at `frequency` [Hz] to `stream` (FILE *). */
pw_status pw_materials_print(double frequency, void *stream, pw_error *error);

typedef struct pw_bench_options {
    const char *backend; /* NULL: auto */
    const char *scheme;  /* of pw_choice_describe, or "all" */
    int size;            /* cells a side, absorber included */
    int64_t steps;       /* per timed batch; 0: chosen */
    int batches;         /* timed batches, median reported; 0: 5 */
    int threads;
    pw_precision precision;
    int frequencies; /* running spectra at every cell; 0: none */
    bool json;
} pw_bench_options;

/* Cell updates per second, bytes a cell and the fraction of the copy bandwidth measured in the same process. */
pw_status pw_bench(const pw_bench_options *options, void *stream, pw_error *error);

/* ---- Choices: the words that a scenario may use, from the tables that define them ----------------------- */

typedef enum pw_choice_kind {
    PW_SCHEMES,           /* grid.scheme */
    PW_AVERAGINGS,        /* grid.averaging */
    PW_ABSORBERS,         /* grid.absorber.kind */
    PW_WAVEFORMS,         /* transmitters[].waveform.kind */
    PW_PLAN_FORMATS,      /* what plan.image may be; the name is no word of a scenario */
    PW_DISPERSION_MODELS, /* how media may depend on frequency; the same */
} pw_choice_kind;

typedef struct pw_choice {
    const char *name;        /* as a scenario writes it; NULL past the last */
    const char *description; /* a clause */
    bool is_default;         /* what a scenario gets that says nothing; false where there is no choosing */
} pw_choice;

/* The choice at `index`, from 0; its name is NULL past the last one. */
pw_choice pw_choice_describe(pw_choice_kind kind, size_t index);

#ifdef __cplusplus
}
#endif
#endif
