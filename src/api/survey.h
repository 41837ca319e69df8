/* Surveys: every quantity of a channel, and the power-delay profile, at every cell of a sheet at once. What `planwave
 * map` and `planwave channel` tell of a cell is what stands here. */
#ifndef PLANWAVE_SURVEY_H
#define PLANWAVE_SURVEY_H

#include "api/map.h"

PW_C_BEGIN

enum {
    PW_SURVEY_FREQUENCIES = 9, /* at most: single frequencies at which the gain is told */
    PW_SURVEY_FIXED_PLANES = 12,
    PW_SURVEY_PLANES = PW_SURVEY_FIXED_PLANES + PW_SURVEY_FREQUENCIES,
    PW_SURVEY_DEPTH = 255 /* steps under the peak of its cell at which a delay bin is no longer told from less */
};
#define PW_SURVEY_PROFILE_STEP 0.25 /* dB */

/* One quantity at every cell. */
typedef struct pw_survey_plane {
    const char *key, *name, *unit; /* "rms_delay_spread", "RMS delay spread", "ns" */
    double frequency;              /* Hz, of the gain at one frequency; 0 for the others */
    double low, high;              /* colour range, as maps have it */
    float *value;                  /* (rows, columns), in `unit`, NAN where not defined */
} pw_survey_plane;

/* What is known of one transmitter on one sheet. All arrays are owned by the survey. */
typedef struct pw_survey {
    int rows, columns;
    double x0, y0, pitch_x, pitch_y; /* m: first cell, distance of cells */
    double budget;                   /* dB: received power at 0 dBi less path gain */
    double power_low, power_high;    /* dBm: colour range of the received power */
    double centre;                   /* Hz */
    int plane_count;
    pw_survey_plane planes[PW_SURVEY_PLANES];
    const char *floor_text;  /* what coverage counts: "inside of the building" */
    uint8_t *counted;        /* (rows, columns): 1 where it does */
    uint8_t *doubt;          /* (rows, columns), pw_delay_cause: why the delays of a cell are masked */
    const char *doubt_text;  /* a sentence about the masked ones; "" when there are none */
    int bin_count;           /* 0: too few frequencies for delays */
    double bin, first_delay; /* s, as solved */
    double resolution;       /* s: a smaller delay may be that of a single path; 0 without delays */
    double rise;             /* m: of the cells over the transmitter, where powers are of the slanted path; else 0 */
    uint8_t *profiles; /* (rows, columns, bin_count): PW_SURVEY_PROFILE_STEP under the cell's peak; PW_SURVEY_DEPTH:
                          that or less */
} pw_survey;

/* `sheet` counts as pw_result_sheet_describe has it; `cell_step`: every so many cells along both axes; `tap_step`:
 * every so many taps of the padded impulse response. `monitor` may be NULL. The caller frees *survey. PW_BAD_INPUT: no
 * running spectra, or a transmitter without a known current. */
typedef struct pw_survey_options {
    int sheet, transmitter;
    pw_channel_options channel;
    int cell_step, tap_step;
} pw_survey_options;
pw_status pw_survey_create(const pw_result *result, const pw_survey_options *options, const pw_monitor *monitor,
                           pw_survey **survey, pw_error *error);
/* NULL is allowed. */
void pw_survey_free(pw_survey *survey);

PW_C_END

#endif
