/* Variants: a scenario solved again and again, each time with something changed, and numbers taken from each result.
 *
 *     text -> scenario -> change -> set-up -> solve -> result -> take        the same for every index
 *
 * Several variants are solved at a time where that is quicker: on the CPU each on a part of the threads. Only solving
 * happens at once; files are written and read one at a time, because HDF5 is not to be called from two threads. Every
 * variant has the bits that it has alone. Results are files in a folder of their own, in TMPDIR or else /tmp, which is
 * gone when pw_variants_solve returns, whatever the outcome. */
#ifndef PLANWAVE_VARIANTS_H
#define PLANWAVE_VARIANTS_H

#include "api/backend.h"
#include "api/result.h"
#include "api/scenario.h"
#include "api/support.h"

PW_C_BEGIN

typedef struct pw_variants {
    const char *name, *text;      /* the scenario in YAML, and what messages call it */
    const char *const *overrides; /* (override_count): as --set has them, applied before anything is read */
    size_t override_count;
    const char *noun; /* of one variant, for messages: "re-run", "sample" */
    int count;
    /* Changes the scenario of variant `index` by functions of scenario.h and by pw_parameter_scale. Called by any
     * thread, one at a time. NULL: nothing changes. */
    pw_status (*change)(pw_scenario *scenario, int index, void *user, pw_error *error);
    /* Takes what is wanted from the result of variant `index`. Called by the thread that called pw_variants_solve, in
     * any order of the indices. The result is closed and removed afterwards. */
    pw_status (*take)(const pw_result *result, int index, void *user, pw_error *error);
    void *user;
} pw_variants;

typedef struct pw_variants_options {
    pw_compute compute; /* of all variants together */
    int together;       /* at most so many at a time; 0: as many as suit the machine */
    pw_monitor monitor; /* its `tell` must not touch HDF5; default: nobody */
} pw_variants_options;

/* The first failure ends it, and where there are several variants says in which it was. PW_INTERRUPTED: the monitor
 * wanted to stop. */
pw_status pw_variants_solve(const pw_variants *variants, const pw_variants_options *options, pw_error *error);

/* ---- what of a scenario is varied ----
 *
 * The permittivity, the conductivity or the wall thickness of a material, by name: "brick:permittivity". A value is
 * changed by a factor, for a name may stand for several: walls of a material can have several thicknesses, and
 * materials of one's own may share a name. Thickness is that of `walls:`, whose centre lines stay; an opening that went
 * through such a wall goes through it afterwards, and a wall that ended at its face still does. Walls of a picture or a
 * drawing, and rectangles and polygons, have no thickness that could be changed.
 *
 * One wall alone is named as --set names it, from 0: "walls[3]:permittivity", "storeys[1].rectangles[0]:conductivity",
 * "drawn[7]:permittivity" of a drawing. "coating 5 ohm:resistance" is the sheet resistance of all coatings of 5 ohm,
 * "coating:resistance" that of all coatings. "ap:x" and "ap:y" are the place of the transmitter ap. */

typedef enum pw_parameter_kind {
    PW_PARAMETER_PERMITTIVITY,
    PW_PARAMETER_CONDUCTIVITY,
    PW_PARAMETER_THICKNESS,
    PW_PARAMETER_RESISTANCE, /* of coatings, per square */
    PW_PARAMETER_X,          /* of a transmitter's place */
    PW_PARAMETER_Y,
    PW_PARAMETER_KIND_COUNT
} pw_parameter_kind;

typedef struct pw_parameter {
    pw_parameter_kind kind;
    char name[PW_NAME_SIZE]; /* of the material, of the wall or of the transmitter */
} pw_parameter;

enum { PW_PARAMETER_TEXT_SIZE = PW_NAME_SIZE + 16 };

/* "1", "S/m", "m", "ohm". */
const char *pw_parameter_unit(pw_parameter_kind kind);

/* Reads "brick:permittivity". PW_BAD_INPUT with the text and what is allowed. */
pw_status pw_parameter_parse(const char *text, pw_parameter *parameter, pw_error *error);

/* The other way: "brick:permittivity". */
const char *pw_parameter_text(const pw_parameter *parameter, char text[PW_PARAMETER_TEXT_SIZE]);

/* What a parameter is in a scenario: equal numbers unless its name stands for several. */
typedef struct pw_parameter_range {
    double low, high;            /* in the parameter's unit; of the material at the centre of the band */
    int places;                  /* shapes, entries of the legend and slabs that have it */
    char material[PW_NAME_SIZE]; /* of one wall; else "" */
    double x, y;                 /* m: the middle of one wall; else NAN */
} pw_parameter_range;

/* PW_BAD_INPUT: a material that the plan does not have, a perfect conductor or one with poles; a thickness where no
 * wall has the material. */
pw_status pw_parameter_look(const pw_scenario *scenario, const pw_parameter *parameter, pw_parameter_range *range,
                            pw_error *error);

/* Multiplies the parameter wherever it stands by `factor` (above 0); a permittivity stays at least 1. PW_BAD_INPUT as
 * above, and for a wall that is neither along x nor along y, with an opening in it, which would no longer fit. */
pw_status pw_parameter_scale(pw_scenario *scenario, const pw_parameter *parameter, double factor, pw_error *error);

/* The walls of the plan that have a parameter of this kind over 0: names (count) for pw_parameter.name, one behind the
 * other, shapes of air and of metal and openings left out. `names` (room) may be NULL where `room` is 0; the return
 * value is how many there are. */
int pw_parameter_walls(const pw_scenario *scenario, pw_parameter_kind kind, char (*names)[PW_NAME_SIZE], int room);

PW_C_END

#endif
