/* What there is to collect: every output looked at once, the facts that differ from case to case in arrays, and one
 * output, the first whole one, that stands for the lattice of all. Private to collect/. */
#pragma once

#include "sweep/sweep.h"

/* Facts of one transmitter, (case_count) each, NAN where the output is missing. */
struct survey_transmitter {
    pw_transmitter like;            /* of the reference */
    double *power, *x, *y, *height; /* owned */
    int64_t *samples;               /* owned */
    bool *receiver_everywhere;      /* (receivers of the reference), owned */
};

struct survey {
    const struct sweep *sweep;
    int64_t count, present, warned;
    bool *there;                             /* (count), owned: a whole output of this case */
    double *cell, *time_step;                /* (count), owned */
    int *warnings;                           /* (count), owned; -1: missing */
    pw_result *reference;                    /* owned */
    pw_result_facts facts;                   /* of the reference */
    pw_sweep_case *reference_case;           /* owned */
    struct survey_transmitter *transmitters; /* (of the reference), owned */
    bool same_steps, same_plan;              /* of all outputs: the time step; the nodes of the whole grid */
    bool mixed_commits;
};

/* Looks at all outputs. PW_BAD_INPUT: none is there; one is of another scenario or damaged (unless options->partial);
 * two differ in their lattices, with the keys that do it. Call survey_free() also after a failure. */
pw_status survey_make(const struct sweep *sweep, const pw_sweep_collect_options *options, struct survey *survey,
                      pw_error *error);
void survey_free(struct survey *survey);

/* Notes of what is missing, of what is left out and of warnings. */
void survey_tell(const struct survey *survey, const pw_sweep_collect_options *options);
