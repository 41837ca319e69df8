/* Doppler spectra of what persons change in a link. */
#pragma once

#include "walk/walk.h"

struct doppler {
    int windows, bins; /* windows 0: the walk is too short */
    double *time;      /* (windows), owned [s]: middles */
    double *frequency; /* (bins), owned [Hz]: above 0 where ways become shorter */
    float *power; /* (windows, bins, receivers, transmitters), owned: of H less the empty floor's, Hann window, mean
                     over the frequencies; the bins add up to the mean power in a window */
};
pw_status doppler_make(const struct walk *walk, struct doppler *doppler, pw_error *error);
void doppler_free(struct doppler *doppler);
