/* Scenario: what to solve, read from YAML, in SI and with every default filled in. `planwave help scenario` lists every
 * key. */
#ifndef PLANWAVE_SCENARIO_H
#define PLANWAVE_SCENARIO_H

#include "api/plan/wifi.h"
#include "api/support.h"

PW_C_BEGIN

typedef struct scenario pw_scenario;

/* Reads the YAML file `path` and applies `overrides` ("grid.cell=1 cm"), in order. Relative image and waveform paths
 * are taken from the folder of the scenario. PW_BAD_INPUT names file, line, key, value and what is allowed. The caller
 * frees *scenario with pw_scenario_free. */
pw_status pw_scenario_load(const char *path, const char *const *overrides, size_t override_count,
                           pw_scenario **scenario, pw_error *error);

/* Does the same with YAML from memory; `name` stands for the file in messages, and relative paths are taken from the
 * working folder. */
pw_status pw_scenario_parse(const char *name, const char *text, const char *const *overrides, size_t override_count,
                            pw_scenario **scenario, pw_error *error);

/* The resolved scenario as YAML text that loads to the same scenario; owned by the handle. What is open stands there as
 * `auto`; pw_setup_scenario_text() has what was chosen. */
const char *pw_scenario_text(const pw_scenario *scenario);

/* NULL is allowed. */
void pw_scenario_free(pw_scenario *scenario);
void pw_scenario_release(pw_scenario **owner); /* of PW_OWNED_AS */

/* Whom set-ups and gradients of this scenario ask, from any thread, whether they are still wanted, gradients also when
 * maps and walls are asked of them: when `go_on` says no they end with PW_INTERRUPTED. NULL: nobody. */
void pw_scenario_watch(pw_scenario *scenario, bool (*go_on)(void *user), void *user);

/* ---- what a scenario holds ---- */

/* Texts are owned by the scenario. */
typedef struct pw_scenario_facts {
    const char *file, *title;
    int dimensions;                 /* 2 or 3 */
    bool horizontal;                /* two dimensions: Ex, Ey and Hz in place of Ez */
    double band_centre, band_width; /* Hz */
    int transmitter_count, receiver_count;
    bool spectra; /* running spectra are asked for */
    /* What the scenario leaves open: how long the run is, and the number of frequencies. */
    bool end_open, frequencies_open;
    int frequency_count; /* 0: open */
    double decay;        /* dB, negative: the run ends when the energy is so far down; 0: it does not end so, or open */
} pw_scenario_facts;
pw_scenario_facts pw_scenario_describe(const pw_scenario *scenario);

/* A transmitter as the scenario has it. */
typedef struct pw_scenario_transmitter {
    const char *name;  /* owned by the scenario */
    double x, y;       /* m; of a line source its first end */
    double to_x, to_y; /* m: its far end; of a point x and y */
    double height;     /* m over the lowest floor; NAN where the scenario leaves it out */
    double power;      /* dBm, EIRP */
    bool sets_field;   /* source: hard, so that its power is not known */
    pw_wifi_channel channel;
    bool alike; /* a point that sends alike in all directions of the plan: upright, without a pattern */
} pw_scenario_transmitter;
/* Transmitters count from 0; the index must be one of them. */
pw_scenario_transmitter pw_scenario_describe_transmitter(const pw_scenario *scenario, int transmitter);
/* The transmitter with this name; -1: there is none. */
int pw_scenario_find_transmitter(const pw_scenario *scenario, const char *name);

/* A receiver whose field is recorded at every step; receivers count from 0, the index must be one of them. */
typedef struct pw_scenario_receiver {
    const char *name; /* owned by the scenario */
    double x, y;      /* m */
    double height;    /* m over the lowest floor; NAN where the scenario leaves it out */
    bool alike;       /* a point that takes in alike from all directions of the plan: upright, without a pattern */
} pw_scenario_receiver;
pw_scenario_receiver pw_scenario_describe_receiver(const pw_scenario *scenario, int receiver);

/* ---- changing a scenario, before it is set up ----
 *
 *     PW_TRY(pw_scenario_parse(name, text, NULL, 0, &scenario, error));
 *     PW_TRY(pw_scenario_keep_transmitters(scenario, (const int[]){2}, 1, error));
 *     pw_scenario_set_frequencies(scenario, 16);
 *     PW_TRY(pw_setup_create(scenario, PW_SINGLE, false, &setup, error));
 */

/* Keeps the transmitters `kept` (count >= 1) alone, in this order. Antennas of an array that is not kept whole stand on
 * their own from then on. PW_USAGE: one that is not there, or twice. */
pw_status pw_scenario_keep_transmitters(pw_scenario *scenario, const int *kept, int count, pw_error *error);
/* Moves a transmitter, both ends of a line source, by (dx, dy) [m]. */
void pw_scenario_move_transmitter(pw_scenario *scenario, int transmitter, double dx, double dy);
/* Moves a transmitter so that it, or the first end of a line source, stands at (x, y) [m]. The other antennas of its
 * array go with it. */
void pw_scenario_place_transmitter(pw_scenario *scenario, int transmitter, double x, double y);
/* Adds a copy of transmitter `model` at (x, y) [m]. PW_BAD_INPUT: a name that cannot be one, or is taken. */
pw_status pw_scenario_add_transmitter(pw_scenario *scenario, int model, const char *name, double x, double y,
                                      pw_error *error);
/* What a transmitter radiates [dBm, EIRP]. */
void pw_scenario_set_power(pw_scenario *scenario, int transmitter, double power);
/* The channel of Wi-Fi that a transmitter sends on, of `width` [Hz] in the scenario's band; 0: none. PW_BAD_INPUT: no
 * such channel. */
pw_status pw_scenario_set_channel(pw_scenario *scenario, int transmitter, int number, double width, pw_error *error);
/* PW_BAD_INPUT: a name that cannot be one, or is taken. */
pw_status pw_scenario_rename_transmitter(pw_scenario *scenario, int transmitter, const char *name, pw_error *error);
/* Adds `decibels` to what a transmitter radiates. */
void pw_scenario_add_power(pw_scenario *scenario, int transmitter, double decibels);
/* Key `level_interval`: 19 of 20 levels at new places lie so many dB or fewer from the prediction. */
void pw_scenario_set_level_interval(pw_scenario *scenario, double decibels);
double pw_scenario_level_interval(const pw_scenario *scenario); /* 0: nobody has measured */
/* Entries of `plan.clutter`; and another draw of all of them (seed 0 and more). */
int pw_scenario_clutter_count(const pw_scenario *scenario);
void pw_scenario_set_clutter_seed(pw_scenario *scenario, int seed);
/* Where a transmitter is put. */
typedef struct pw_scenario_place {
    double x, y, height;     /* m; NAN: no height */
    char name[PW_NAME_SIZE]; /* of the transmitter */
} pw_scenario_place;
/* Puts copies of transmitter `model` at the places, in place of all transmitters. A line source keeps its direction and
 * length, and its first end is put there. */
pw_status pw_scenario_put_transmitters(pw_scenario *scenario, int model, const pw_scenario_place *places, int count,
                                       pw_error *error);
void pw_scenario_drop_receivers(pw_scenario *scenario);
/* Takes away those that are read from the running spectra, which need spectra where they stand. */
void pw_scenario_drop_spectra_receivers(pw_scenario *scenario);

/* Running spectra in a rectangle {x0, y0, x1, y1} [m] alone; NULL: all over the plan. */
void pw_scenario_set_region(pw_scenario *scenario, const double *corners);
/* In three dimensions: running spectra on horizontal planes at these heights [m], and on no vertical cuts. PW_USAGE:
 * more than PW_SCENARIO_HEIGHTS. */
enum { PW_SCENARIO_HEIGHTS = 64 };
#define PW_TERMINAL_HEIGHT 1.5 /* m over the floor: of terminals that have no height of their own */
pw_status pw_scenario_set_heights(pw_scenario *scenario, const double *heights, int count, pw_error *error);
void pw_scenario_set_frequencies(pw_scenario *scenario, int count);
/* The run ends when the energy is so far down [dB, negative]. */
void pw_scenario_set_decay(pw_scenario *scenario, double decay);
/* Makes the cells `factor` times as large; the points of the running spectra stand no further apart than before. */
void pw_scenario_scale_cell(pw_scenario *scenario, double factor);

/* Asks for running spectra in the rectangle from (x0, y0) to (x1, y1) [m] alone, as far as it lies on the plan; where
 * there are planes at heights without vertical cuts. Where a picture decides the size of the plan, spectra stay
 * everywhere. */
void pw_scenario_confine_spectra(pw_scenario *scenario, double x0, double y0, double x1, double y1);

/* Another band [Hz]; a waveform that had its middle goes with it. PW_BAD_INPUT: frequencies that no scenario may have,
 * or materials that were fitted over the band before. */
pw_status pw_scenario_set_band(pw_scenario *scenario, double centre, double width, pw_error *error);

/* Leaves time step and sampling of the spectra to be chosen, since what was right for one medium may be too long beside
 * another; a number of steps of `time_step` [s] becomes the time that they took. */
void pw_scenario_open_steps(pw_scenario *scenario, double time_step);
pw_status pw_scenario_set_title(pw_scenario *scenario, const char *title, pw_error *error);

/* The scenario as it is now, as YAML text that loads to the same; the caller frees *text. `path`: the file that it is
 * for, from whose folder images and other files are named; NULL: as the scenario names them. */
pw_status pw_scenario_write(pw_scenario *scenario, const char *path, char **text, pw_error *error);

PW_C_END

#endif
