/* Variants: a scenario solved again and again, each time with something changed, and numbers taken from each result.
 *
 *     text -> scenario -> change -> set-up -> solve -> result -> take        the same for every index
 *
 * Several variants are solved at a time where that is quicker: on the CPU each on a part of the threads. Only solving
 * happens at once; files are written and read one at a time, because HDF5 is not to be called from two threads. Every
 * variant has the bits that it has alone. Results are files in a folder of their own, in TMPDIR or else /tmp, which is
 * gone when variants_solve returns, whatever the outcome. */
#ifndef VARIANTS_H
#define VARIANTS_H

#include "api/result.h"
#include "scenario/scenario.h"

struct variants {
    const char *name, *text;      /* the scenario in YAML, and what messages call it */
    const char *const *overrides; /* (override_count): as --set has them, applied before anything is read */
    size_t override_count;
    const char *noun; /* of one variant, for messages: "re-run", "sample" */
    int count;
    /* Changes the scenario of variant `index`; its lists may be shortened or permuted, and what it owns is freed as it
     * owned it. Called by any thread, one at a time. NULL: nothing changes. */
    pw_status (*change)(struct scenario *scenario, int index, void *user, pw_error *error);
    /* Takes what is wanted from the result of variant `index`. Called by the thread that called variants_solve, in any
     * order of the indices. The result is closed and removed afterwards. */
    pw_status (*take)(const pw_result *result, int index, void *user, pw_error *error);
    void *user;
};

struct variants_options {
    const char *backend; /* NULL: auto */
    int threads;         /* of all variants together; 0: all */
    int together;        /* at most so many at a time; 0: as many as suit the machine */
    pw_monitor monitor;  /* its `tell` must not touch HDF5; default: nobody */
};

/* The first failure ends it, and where there are several variants says in which it was. PW_INTERRUPTED: the monitor
 * wanted to stop. */
pw_status variants_solve(const struct variants *variants, const struct variants_options *options, pw_error *error);

/* For `change`: the time step that was right for one medium may be too long beside another, so that each variant
 * chooses its own, and how often spectra are sampled; a number of steps of `time_step` [s] becomes the time that they
 * took. */
void variant_open_steps(struct scenario *scenario, double time_step);

#endif
