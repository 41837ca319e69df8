/* Channels with persons from the running spectra of an empty floor. */
#pragma once

#include "walk/scatter/around.h"
#include "walk/scatter/waves.h"
#include "walk/walk.h"

/* What is made of the result of the empty floor. */
struct scatter {
    struct walk *walk;
    const pw_walk_options *options;
    const pw_result *result;
    const int *pick;             /* (walk->frequencies): which frequencies of the result are wanted */
    const struct around *around; /* what walls send back; without points: nothing */
    int solved;                  /* frequencies of the result */
    double *x, *y;               /* of the lattice of running spectra [m], owned */
    int rows, columns;           /* of the lattice */
    struct disc disc;            /* around a person */
    struct fit *fit;             /* (frequencies), owned */
    double complex **answer;     /* (frequencies), owned: of the cylinder, by order */
    double complex *unit; /* (frequencies, stations), owned: what takes a spectrum to a field relative to that at 1 m */
    double complex *scale; /* (frequencies), owned: what the product of two such fields is multiplied by */
    double *block;         /* (persons, stations), owned: fields around the persons, of `block_size` numbers each */
    size_t block_size;
    double complex *work; /* (threads), owned, of `work_size` numbers each */
    size_t work_size;
    double square[2]; /* of the fit: what is left, and all */
};

/* Cells between points of the lattice of running spectra. */
int scatter_spacing(double radius, double cell, double highest);
/* m: how much air a person needs around its middle, with points of the lattice so far apart. */
double scatter_radius(double radius, double pitch);
/* PW_BAD_INPUT: too few points of the lattice are around a person to tell its waves up to a frequency. */
pw_status scatter_check(double radius, double pitch, double highest, pw_error *error);

/* Adds what the persons change to walk->csi, which holds the empty floor at every pose: relative to the field at 1 m.
 * The points of `around` are the transmitters of the result behind all stations. */
pw_status scatter_poses(struct walk *walk, const pw_walk_options *options, const pw_result *result, const int *pick,
                        struct around *around, pw_error *error);
