/* A sweep as its rooms see it: axes with their values as texts, and what follows from them. The parts are
 * sweep_read.c (from YAML), sweep_axis.c and sweep_hypercube.c (the designs), sweep_value.c (texts and numbers),
 * sweep.c (cases and their outputs), sweep_run.c (how far one is, and solving it), and in collect/ what puts outputs
 * together. */
#pragma once

#include "sweep/planwave_sweep.h"
#include "tools/ground.h"

enum {
    SWEEP_AXES = 16,        /* HDF5 allows 32 dimensions, of which results take up to four */
    SWEEP_MOST = 10000,     /* cases, unless the sweep says `most_cases` */
    SWEEP_LIMIT = 10000000, /* cases, whatever the sweep says */
    SWEEP_KEYS = 1000,      /* keys of one axis */
};

enum sweep_design { SWEEP_GRID, SWEEP_CASES, SWEEP_HYPERCUBE };

/* Values along one dimension of a grid, or along the cases. */
struct sweep_axis {
    char name[PW_NAME_SIZE];
    char **keys;            /* (key_count), owned */
    char **values;          /* (value_count), owned; NULL: not given in this case */
    double *numbers;        /* (value_count), owned, NAN where there is no value; NULL: texts */
    pw_dimension dimension; /* of the numbers */
    int key_count;
    size_t key_room;
    int64_t value_count;
    int line; /* in the sweep, for messages */
};

struct sweep {
    char *file;     /* as given, for messages, owned */
    char *scenario; /* path of the base, owned */
    char *folder;   /* of the outputs, owned */
    enum sweep_design design;
    struct sweep_axis *axes; /* (axis_count), owned */
    int axis_count;
    size_t axis_room;
    char **names; /* (case_count), owned: of a list of cases; NULL: case-0000, ... */
    char **fixed; /* (fixed_count), owned: "key=value" of all cases */
    int fixed_count;
    size_t fixed_room;
    int64_t case_count, most_cases;
    pw_precision precision;
};

/* ---- values (sweep_value.c) ---- */

/* A node of YAML as one line that --set reads to the same: plain words as they are, lists and maps in brackets. The
 * caller owns *text. */
pw_status value_write(const pw_node *node, char **text, pw_error *error);

/* Finds the dimension in which all values that are given are quantities, and their numbers: bare numbers are taken in
 * the dimension of those with a unit. False: they are texts. */
bool values_measure(char *const *values, int64_t count, pw_dimension *dimension, double *numbers);

/* "m", "Hz", ...; "1" of plain numbers. */
const char *dimension_units(pw_dimension dimension);

/* ---- axes (sweep_axis.c) ---- */

/* Appends an axis that sets `key`, with room for `value_count` values, which the caller fills. */
pw_status axis_add(struct sweep *sweep, const char *name, const pw_node *node, int64_t value_count,
                   struct sweep_axis **axis, pw_error *error);
/* After the values: their numbers. */
pw_status axis_measure(struct sweep_axis *axis, pw_error *error);
/* Appends an axis for an entry of a design, with its keys: those that it names, or its own key, of which its name is
 * made. */
pw_status axis_begin(struct sweep *sweep, const pw_node *entry, int64_t value_count, struct sweep_axis **axis,
                     pw_error *error);

/* A range of quantities of one kind. */
struct value_range {
    double from, to; /* from < to */
    pw_dimension dimension;
    bool logarithmic;
};
/* `from`, `to` and `scale` of an entry. */
pw_status range_read(const pw_node *entry, struct value_range *range, pw_error *error);
/* The value at `part`, 0 to 1, of the range, with nine digits at most, so that commands stay readable. The caller owns
 * *text. */
pw_status range_value(const struct value_range *range, double part, char **text, pw_error *error);

/* One entry of `grid`. */
pw_status grid_axis_read(struct sweep *sweep, const pw_node *entry, pw_error *error);
/* The map `hypercube`, and the list `cases`. */
pw_status hypercube_read(struct sweep *sweep, const pw_node *map, pw_error *error);
pw_status cases_read(struct sweep *sweep, const pw_node *list, pw_error *error);
/* Refuses a number of cases beyond `most_cases`; `how` tells where it comes from, as in "40 x 50". */
pw_status case_count_check(const struct sweep *sweep, const pw_node *node, double count, const char *how,
                           pw_error *error);

/* ---- cases (sweep.c) ---- */

/* Which value of an axis a case has. */
int64_t case_value(const struct sweep *sweep, int64_t index, int axis);

/* Loads the scenario of a case. */
pw_status case_load(const struct sweep *sweep, const pw_sweep_case *of, pw_scenario **scenario, pw_error *error);

/* How far a case is whose scenario is loaded. */
pw_status case_look(const struct sweep *sweep, const pw_sweep_case *of, const pw_scenario *scenario,
                    pw_sweep_state *state, pw_error *reason, pw_error *error);
