/* Sweep: many runs of one scenario with other values of its keys, as a file sweep.yaml describes them. Which scheduler
 * runs them is open: every case has a command of its own and an output of its own, and what is done is seen from the
 * outputs alone. pw_sweep_collect puts them together in one HDF5 file of virtual datasets. */
#ifndef PLANWAVE_SWEEP_H
#define PLANWAVE_SWEEP_H

#include "planwave.h"

PW_C_BEGIN

typedef struct sweep pw_sweep;

/* Reads the YAML file `path`; `planwave help sweep` lists its keys. Paths in it are taken from its folder. The scenario
 * itself is not read yet, see pw_sweep_check. PW_BAD_INPUT names file, line, key, value and what is allowed; so it does
 * where there would be more cases than `most_cases` allows. The caller frees *sweep with pw_sweep_free. */
pw_status pw_sweep_load(const char *path, pw_sweep **sweep, pw_error *error);
/* NULL is allowed. */
void pw_sweep_free(pw_sweep *sweep);

/* What a sweep amounts to; the texts are owned by the handle. */
typedef struct pw_sweep_facts {
    const char *scenario; /* path of the scenario that is varied */
    const char *folder;   /* path of the folder of the outputs */
    const char *design;   /* "grid", "cases" or "hypercube" */
    int64_t case_count;
    int axis_count; /* axes of the grid; else what varies along the cases */
    pw_precision precision;
} pw_sweep_facts;
pw_sweep_facts pw_sweep_describe(const pw_sweep *sweep);

/* One axis of a grid, or what one key does along the cases. The texts are owned by the sweep. */
typedef struct pw_sweep_axis {
    const char *name;          /* of its coordinate in the collected file */
    const char *const *keys;   /* (key_count) keys of the scenario, which all get the same value */
    const char *const *values; /* (value_count) as --set takes them; NULL: the key is left as it is */
    const double *numbers;     /* (value_count) in `units`, NAN where there is no value; NULL: they are texts */
    const char *units;         /* "m", "Hz", "dBm", ... ; "1" of plain numbers, "" of texts */
    int64_t key_count;         /* */
    int64_t value_count;       /* of a grid's axis; else case_count */
} pw_sweep_axis;
/* Axes count from 0, the last one varies fastest. PW_USAGE: an index that is not there. */
pw_status pw_sweep_axis_describe(const pw_sweep *sweep, int axis, pw_sweep_axis *facts, pw_error *error);

/* One case. */
typedef struct pw_sweep_case {
    int64_t index;          /* from 0 */
    const char *name;       /* "case-0007", or the user's */
    const char *output;     /* path of the result */
    const char **overrides; /* (override_count) as pw_scenario_load takes them */
    size_t override_count;
} pw_sweep_case;
/* PW_BAD_INPUT: an index outside 0..case_count-1. The caller frees *made with pw_sweep_case_free. */
pw_status pw_sweep_case_create(const pw_sweep *sweep, int64_t index, pw_sweep_case **made, pw_error *error);
/* NULL is allowed. */
void pw_sweep_case_free(pw_sweep_case *made);
void pw_sweep_case_release(pw_sweep_case **owner); /* of PW_OWNED_AS */

/* Loads the scenario with every value that an axis has (of cases and hypercubes: with those of every case), so that
 * keys that do not exist and values that are not allowed are found before anything runs. PW_BAD_INPUT names file and
 * line of the sweep, and what the scenario says. `monitor` may be NULL. */
pw_status pw_sweep_check(const pw_sweep *sweep, const pw_monitor *monitor, pw_error *error);

/* How far a case is. */
typedef enum pw_sweep_state {
    PW_SWEEP_MISSING, /* no output and no saved state */
    PW_SWEEP_STARTED, /* no output, but the saved state of a run that was stopped */
    PW_SWEEP_DONE,    /* a whole output, of this scenario, this precision, and pictures and tables as they are now */
    PW_SWEEP_OTHER,   /* an output, but of another scenario: *reason says what differs */
    PW_SWEEP_DAMAGED, /* a file that is no whole result: *reason says why */
    PW_SWEEP_STATES
} pw_sweep_state;
/* Looks at the output of a case. `reason` may be NULL. Fails with PW_BAD_INPUT when the scenario of the case cannot be
 * loaded. */
pw_status pw_sweep_case_look(const pw_sweep *sweep, int64_t index, pw_sweep_state *state, pw_error *reason,
                             pw_error *error);
/* Makes the folder of the outputs where it is missing. */
pw_status pw_sweep_make_folder(const pw_sweep *sweep, pw_error *error);

/* Solves one case into its output, as pw_run does, going on with a saved state if there is one; *skipped says that a
 * whole output was there already and nothing was done. An output of another scenario and a damaged one are refused with
 * PW_BAD_INPUT unless options->force. options->resume is not looked at. */
pw_status pw_sweep_run_case(const pw_sweep *sweep, int64_t index, bool strict, const pw_run_options *options,
                            bool *skipped, pw_error *error);

/* How outputs are put together. */
typedef struct pw_sweep_collect_options {
    bool force;   /* replace an existing file */
    bool partial; /* outputs of another scenario and damaged ones count as missing instead of failing */
    void (*note)(const char *message, void *user); /* told what is missing or left out; may be NULL */
    void *user;                                    /* handed to `note` */
    const pw_monitor *monitor;                     /* may be NULL */
} pw_sweep_collect_options;

typedef struct pw_sweep_collected {
    int64_t present, missing; /* outputs */
    int64_t warned;           /* outputs that carry warnings */
    int dataset_count;        /* virtual datasets */
} pw_sweep_collected;

/* Writes `path`: the spectra, currents and series at receivers of all outputs as virtual datasets, with the axes of the
 * sweep in front, (axis, axis, ..., frequency, y, x) for a grid and (case, frequency, y, x) else; every axis a
 * dimension scale, every swept key a coordinate with its units. The datasets refer to the outputs by paths relative to
 * `path`. Missing outputs read as NaN. PW_BAD_INPUT: no output at all, outputs of another scenario, or outputs that
 * differ in frequencies, points or transmitters; the message names the keys. */
pw_status pw_sweep_collect(const pw_sweep *sweep, const char *path, const pw_sweep_collect_options *options,
                           pw_sweep_collected *collected, pw_error *error);

PW_C_END

#endif
