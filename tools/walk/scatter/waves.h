/* A field in air around a point as waves around it: E = sum over m of a_m J_m(k r) e^{jm phi}, from samples on a
 * lattice (docs/walk.md). */
#pragma once

#include "ground.h"

#include <complex.h>

/* What takes the spectrum of a field at k [rad/m] to a field in units in which a source of that current [A s] has
 * H_0^(2)(k r) / unit in air. */
double complex field_unit(double k, double complex current, double complex unit);

/* J_m(x), m = 0 ... orders, x >= 0. */
void bessel_fill(double x, int orders, double *value);

/* Points of a lattice within a disc around one of them. */
struct disc {
    double radius;    /* m */
    double pitch;     /* m, of the lattice */
    int reach;        /* points on each side */
    int count;        /* of points */
    int (*offset)[2]; /* (count), owned: column and row, from the middle */
};
pw_status disc_make(double radius, double pitch, struct disc *disc, pw_error *error);
void disc_free(struct disc *disc);

/* What takes samples in a disc to waves, by least squares, at one frequency. */
struct fit {
    double k;       /* rad/m */
    int orders;     /* waves are m = -orders ... orders */
    double *basis;  /* (count, 2 orders + 1), owned: J_m at the points, times cos and sin of m phi */
    double *matrix; /* (count, 2 orders + 1), owned */
};
/* Orders beyond those that reach into the disc are left out. */
int waves_orders(double k, double radius);
pw_status fit_make(const struct disc *disc, double k, struct fit *fit, pw_error *error);
void fit_free(struct fit *fit);

/* `sample` (count) to `wave` (2 orders + 1), m = -orders first. */
void fit_apply(const struct fit *fit, const struct disc *disc, const double complex *sample, double complex *wave);

/* ||E - waves||^2 and ||E||^2 over the disc are added. */
void fit_check(const struct fit *fit, const struct disc *disc, const double complex *sample, const double complex *wave,
               double square[2]);

/* Waves around a point (x, y) [m] away from the old one, which must be near. */
void waves_move(const struct fit *fit, const double complex *wave, double x, double y, double complex *moved);
