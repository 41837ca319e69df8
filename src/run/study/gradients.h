/* What pw_gradients holds, and the parts of its sums: computed in gradients.c and gradients_sums.c, asked for in
 * gradients_asked.c. */
#pragma once

#include "api/study/gradients.h"

#include "run/study/node_changes.h"
#include "run/study/station_spectra.h"

#include <complex.h>

struct varied {
    pw_parameter parameter;
    pw_parameter_range range;
    struct node_changes changes;
    int64_t *slot; /* (changes.count), owned: where its places stand in the list of all */
};

struct gradients {
    pw_scenario *scenario; /* owned: with everything chosen */
    pw_setup *setup;       /* owned */
    struct varied *varied; /* (count), owned */
    int count;
    int64_t *place; /* (places), owned, ascending: all that any parameter changes */
    int64_t places;
    int64_t left_out;               /* most places beside metal that a parameter leaves out */
    struct station_spectra spectra; /* owned */
    double *response;               /* (transmitters, receivers, frequencies, re/im), owned */
    double *gradient;               /* (transmitters, receivers, parameters, frequencies, re/im), owned */
    /* (cells of the absorber, at nodes and half a cell on, frequencies), owned: stretches along each axis */
    double complex *stretch[3];
};

static inline int transmitters_of(const struct gradients *made)
{
    return made->setup->scenario->transmitter_count;
}

static inline int receivers_of(const struct gradients *made)
{
    return made->setup->scenario->receiver_count;
}

/* PW_INTERRUPTED: whoever watches the scenario does not want it any more (pw_scenario_watch). */
pw_status gradients_wanted(const struct gradients *made, pw_error *error);

/* Which link, counting those of a transmitter together. */
size_t link_of(const struct gradients *made, int transmitter, int receiver);

/* Responses and gradients, out of the spectra. */
pw_status gradients_sum(struct gradients *made, pw_error *error);

/* W E_r E_t at place n of a parameter at so many frequencies from `first` on (returned: fewer at the end), W E_r where
 * a transmitter moves; station: the transmitter and the receiver. */
enum { PART_FREQUENCIES = 64 }; /* that lie side by side: memory is read in its order */
struct products {
    double re[PART_FREQUENCIES], im[PART_FREQUENCIES];
};
int place_products(const struct gradients *made, const struct varied *varied, int64_t n, const int station[2],
                   int first, struct products *products);

/* dH/d ln p is the sum over places of products times (factor[0] storage + factor[1] conservation). */
void change_factors(const struct gradients *made, const struct varied *varied, int transmitter, int f,
                    double complex factor[2]);
