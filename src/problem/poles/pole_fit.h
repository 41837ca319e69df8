/* Fits a permittivity that is known at some frequencies by a constant, a conductivity and a few poles: Debye, a plasma
 * below the band, wide lines in it and lines above it. The strengths of all are kept from being negative, so that the
 * fitted medium is passive at every frequency. */
#pragma once

#include "problem/poles/pole.h"

enum { FIT_MOST_POLES = 5 };

struct permittivity_sample {
    double frequency; /* Hz */
    struct permittivity value;
};

struct pole_fit {
    double relative_permittivity, conductivity; /* without the poles; at least 1, S/m */
    int pole_count;
    struct pole poles[POLE_LIMIT];
    double error; /* the largest |fit - given|/|given| over the samples */
};

/* As few poles as keep the error under `enough`, at most FIT_MOST_POLES. samples (count), count >= 1, ascending in
 * frequency, with permittivities of at least 1 and losses of at least 0. PW_NO_RESOURCE: no memory. */
pw_status pole_fit(const struct permittivity_sample *samples, int count, double enough, struct pole_fit *fit,
                   pw_error *error);

/* The fit at a frequency [Hz]. */
struct permittivity pole_fit_at(const struct pole_fit *fit, double frequency);
