/* A walk (planwave_walk.h), and what is made of it. */
#pragma once

#include "walk/path.h"

#include <complex.h>

/* Where the floor is not air. */
struct walk_floor {
    double width, height, x0, y0, cell; /* m: of the plan; first node, distance of nodes */
    int columns, rows;
    uint8_t *solid; /* (rows, columns), owned: 1 or 0 */
};

struct walk {
    pw_walk_method method;
    double speed, radius; /* m/s, m */
    bool walks;           /* somebody does not stand */
    bool space;           /* three dimensions: a person stands on a floor and has a height */
    double low, high;     /* m over the lowest floor: of a person there */
    double ceiling;       /* m over the lowest floor, of the storey */
    bool horizontal;      /* polarisation: H lies along the persons, and E across */
    char title[256];      /* of the scenario */
    int persons, poses, transmitters, receivers, frequencies;
    double rate;
    char (*name)[PW_NAME_SIZE]; /* (transmitters + receivers), owned, as everything here */
    double (*place)[3];         /* (transmitters + receivers): x, y, height [m]; NAN: it has none */
    double *frequency;          /* (frequencies) [Hz] */
    struct walk_floor floor;
    double (*position)[2]; /* (persons, poses) [m] */
    bool *sees;            /* (poses, persons, persons): air alone is between two persons */
    /* H between isotropic antennas, of two dimensions with the amplitude of three at the distance of the link. */
    double complex *empty; /* (frequencies, receivers, transmitters) */
    float complex *csi;    /* (poses, frequencies, receivers, transmitters) */
    double *blockage;      /* (poses, receivers, transmitters) [dB]: mean power of the empty floor over that now */
    pw_walk_check *check;
    int check_count;
    int runs;
    double poses_a_second, fit_error, tissue_error;
};

pw_status walk_solve(const pw_scenario *scenario, const pw_walk_options *options, struct walk *walk, pw_error *error);
void walk_free(struct walk *walk);

/* Hz: the largest Doppler shift; 0: nobody walks. */
double walk_most_shift(const struct walk *walk);
size_t walk_links(const struct walk *walk);
