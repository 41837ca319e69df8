/* People who walk through a floor: how the channels change with them (docs/walk.md). A person is an upright cylinder of
 * muscle, and the floor is solved empty, once from every transmitter and once from every receiver. The waves that
 * arrive where a person stands are scattered by the cylinder exactly, and travel on to the receivers through the empty
 * floor by reciprocity. Persons scatter each other unless a wall parts them. Left out is what goes back and forth
 * between a person and the walls. */
#ifndef WALK_H
#define WALK_H

#include "walk/path.h"

#include <complex.h>

enum walk_method { WALK_CYLINDER, WALK_FIRST_ORDER, WALK_EXACT };

struct walk_options {
    const struct path *paths; /* (person_count) */
    int person_count;
    double speed;  /* m/s */
    double rate;   /* Hz: poses a second */
    double radius; /* m, of a person */
    enum walk_method method;
    int checks;              /* poses that are solved with the persons in the plan, too */
    const char *subcarriers; /* as pw_subcarriers takes them; NULL: the frequencies of the running spectra */
    const char *const *transmitters, *const *receivers; /* by name; none: all */
    int transmitter_count, receiver_count;
    pw_compute compute;
    pw_monitor monitor;
    void (*note)(const char *sentence, void *user);
    void *user;
};

/* A pose that was solved with the persons in the plan, on one link. */
struct walk_check {
    int pose, receiver, transmitter;
    double field;     /* ||H - whole|| / ||whole||, over the frequencies */
    double scattered; /* the same of what the persons change, H less that of the empty floor */
    double blockage;  /* dB, of the whole solve */
};

struct walk {
    int persons, poses, transmitters, receivers, frequencies;
    double rate;
    char (*name)[PW_NAME_SIZE]; /* (transmitters + receivers), owned, as everything here */
    double (*place)[2];         /* (transmitters + receivers) [m] */
    double *frequency;          /* (frequencies) [Hz] */
    double (*position)[2];      /* (persons, poses) [m] */
    bool *sees;                 /* (poses, persons, persons): air alone is between two persons */
    /* H between isotropic antennas, as in two dimensions but with the amplitude of three at the distance of the link.
     */
    double complex *empty; /* (frequencies, receivers, transmitters) */
    float complex *csi;    /* (poses, frequencies, receivers, transmitters) */
    double *blockage;      /* (poses, receivers, transmitters) [dB]: mean power of the empty floor over that now */
    struct walk_check *check;
    int check_count;
    int solves;            /* runs, one for each transmitter of each plan */
    double poses_a_second; /* computed, after the floor was solved */
    double fit_error;      /* how far the field around the persons is off waves in air, rms */
    double tissue_error;   /* of the material of whole solves, against the published values */
};

pw_status walk_solve(const pw_scenario *scenario, const struct walk_options *options, struct walk *walk,
                     pw_error *error);
void walk_free(struct walk *walk);

size_t walk_links(const struct walk *walk);
/* 10 lg of the mean power of a link without persons over that with them, over the frequencies. */
double walk_blockage(const struct walk *walk, const float complex *csi, size_t link);

#endif
