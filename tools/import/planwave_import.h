/* Import: a drawing or a picture of another program becomes a scenario, in words that can be changed; and export, the
 * other way. */
#ifndef PLANWAVE_IMPORT_H
#define PLANWAVE_IMPORT_H

#include "planwave.h"

PW_C_BEGIN

/* What is known beforehand; zeros and NULL where nothing is. */
typedef struct pw_import_options {
    const char *page;           /* of a file with several floors: this one alone */
    double unit;                /* m: of a unit of the drawing; of a picture, of a pixel */
    double sheet;               /* N of a sheet of paper that is drawn 1:N; 0: not said */
    double turn;                /* degrees, counterclockwise */
    const double *region;       /* (4): x0, y0, x1, y1 in units of the drawing, after the turn */
    const char *const *classes; /* (class_count): "A-WALL*=brick", "TEXT=ignored"; the first that fits decides */
    size_t class_count;
    const char *const *pictures; /* (picture_count): "scan=on", "tolerance=24": keys of drawing.picture */
    size_t picture_count;
    const char *wall; /* material of walls of which nothing is known; NULL: brick */
    double frequency; /* Hz: the band's centre; 0: where the first access point of the file sends, else 2.45 GHz */
    const double *transmitters; /* (transmitter_count, 2): x, y [m] of the plan */
    size_t transmitter_count;
    /* (transmitter_count) or NULL: what else is known of each, keys of a scenario's transmitters: "name=west,power=20
     * dBm" (NULL: nothing). */
    const char *const *transmitter_words;
    /* What windows and doors are: "double glazing", "open" or a material; NULL: panes of 1 cm of glass, and doors open
     * where they are drawn with leaf and arc. */
    const char *windows, *doors;
    void (*note)(const char *message, void *user); /* told what of the plan is not likely; may be NULL */
    void *note_user;
} pw_import_options;

/* Reads a drawing of any format of PW_DRAWING_FORMATS and writes the scenario `yaml`, whose key plan.drawing says what
 * stands for what and what of it was guessed; and the picture `overlay` (NULL: none) of what was understood over what
 * was drawn. Prints to `report` (may be NULL) areas, guesses, and what was not taken over. PW_BAD_INPUT: a file that is
 * damaged or of no known format, a unit that nobody says, nothing that is a wall. */
pw_status pw_import(const char *file, const pw_import_options *options, const char *yaml, const char *overlay,
                    FILE *report, pw_error *error);

/* What differs between two plans: prints from which material to which one how many square metres changed, and draws it
 * (`picture` NULL: not). Plans of different sizes are laid upon each other at their lower left corners. */
pw_status pw_plan_difference(const pw_scenario *before, const pw_scenario *after, const char *picture, FILE *report,
                             pw_error *error);

/* ---- the other way: a plan and its transmitters for other programs ---- */

/* One format; its name is NULL past the last. */
typedef struct pw_plan_export_format {
    const char *name, *ending, *description;
} pw_plan_export_format;

pw_plan_export_format pw_plan_export_describe(size_t index);

/* Writes the plan into `path`, in the format that its ending names (pw_plan_export_describe). `storey` (NULL: all) is
 * the one that is written. Prints to `report` (may be NULL) what the format cannot hold. PW_BAD_INPUT: no such ending
 * or storey; walls that are pixels of a picture, which only a list of access points does without; several storeys in a
 * format of one. */
pw_status pw_plan_export(const pw_scenario *scenario, const char *storey, const char *path, FILE *report,
                         pw_error *error);

PW_C_END

#endif
