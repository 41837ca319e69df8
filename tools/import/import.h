/* From a drawing to a scenario, in steps: what is in the file, what its classes stand for (class_guess.h), the text
 * (import_text.c), and a look at the plan that the text gives (import_view.c). */
#pragma once

#include <stdio.h>

#include "drawing/openings.h"
#include "drawing/shapes/drawing_choice.h"
#include "import/class_guess.h"
#include "import/planwave_import.h"

/* A class with what was decided for it. */
struct import_class {
    struct class_guess guess;
    const char *said;                  /* what the user says it stands for; NULL: guessed */
    bool shown;                        /* it occurs on a page that is taken */
    bool thin;                         /* windows and doors were looked for among its lines */
    size_t lines, areas;               /* there */
    double conductivity, permittivity; /* of a stated loss; 0: none */
    double loss;                       /* dB, with them */
};

struct import {
    const char *file;
    const pw_import_options *options;
    struct drawing drawing;
    struct import_class *classes; /* (class_count), owned */
    int *pages;                   /* (page_count), owned: those that are taken */
    int page_count;
    size_t pages_without_walls; /* of those asked for, which are left out */
    double unit;                /* m */
    double region[4];           /* drawing units, after the turn */
    double frequency;           /* Hz */
    bool frequency_of_radio;    /* it is that of an access point of the file */
    const char *wall;
    bool gaps;       /* of a drawing that is no picture windows and doors were found in gaps of walls */
    double openings; /* pixels: gaps of a picture so long are looked at for windows and doors */
    double marks;    /* pixels: areas of a picture so long are looked at for arrows and letters */
    char doubt[500]; /* what of the plan is not likely, in a sentence; "" */
};

/* The part of the plan's area that is wall, within the box around all of it: 0 to 1. */
pw_status import_wall_share(const struct import *import, const pw_scenario *scenario, double *share, pw_error *error);

/* Decides what every class stands for; region after it. */
pw_status import_classes(struct import *import, pw_error *error);

/* The scenario as text; `folder` is where it will stand. Counts of materials with their areas are not in it. */
pw_status import_text(const struct import *import, const char *folder, FILE *out, pw_error *error);

/* Where it is known from what a class stands for, as in "guessed from the name; the material is a guess". */
void import_class_comment(const struct import *import, int c, char *text, size_t size);

/* An access point of the file or of the user, as the scenario will have it. */
struct import_station {
    char name[PW_NAME_SIZE];
    double x, y;                       /* m, of the plan */
    const struct drawing_radio *radio; /* NULL: the user's */
    const char *words;                 /* of the user: keys and values; NULL: none */
};

/* Lists them; the caller frees the list. */
pw_status import_stations(const struct import *import, struct import_station **stations, size_t *count,
                          pw_error *error);

/* The scenario's transmitters. `heights`: the plan has them. */
pw_status import_stations_write(FILE *out, const struct import *import, bool heights, pw_error *error);

/* For the text of a scenario: a value behind `before`, a comment up to the end of the line, the name of the storey of a
 * page that is the import's number `number`. */
void import_write_value(FILE *out, const char *before, double value, pw_dimension dimension);
void import_write_comment(FILE *out, const char *text);
void import_write_storey(FILE *out, const char *name, int number);

/* Whether a page of the drawing is one that is taken; and whether something on it becomes part of the plan. */
bool import_page_is_taken(const struct import *import, int page);
bool import_page_has_fabric(const struct import *import, int page);

/* The windows or doors that a class draws on the pages that are taken; the caller frees the list. */
pw_status import_openings(const struct import *import, int c, struct opening **openings, size_t *count,
                          pw_error *error);

/* Looks for windows and doors among the lines that stand for nothing, in gaps of walls, where no class draws them. */
pw_status import_gaps(struct import *import, pw_error *error);

/* Makes windows and doors what the user says they are; reads that first, with NULL for the class. */
pw_status import_things_choose(const struct import *import, struct import_class *own, pw_error *error);

/* Whether a class becomes part of the plan. */
bool import_is_fabric(const struct import_class *own);

/* Whether the user says something of this key of pictures. */
bool import_picture_key_is_said(const pw_import_options *options, const char *key);

/* Whether the user's words number n fit a class that is shown. */
bool import_words_fit(const struct import *import, size_t n);

/* Draws the plan of `scenario` over the drawing; page: of the import's list. */
pw_status import_picture(const struct import *import, const pw_scenario *scenario, const char *path, pw_error *error);

/* Prints what was understood, guessed, and left out. */
pw_status import_report(const struct import *import, const pw_scenario *scenario, FILE *report, pw_error *error);
