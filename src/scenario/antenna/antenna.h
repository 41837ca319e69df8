/* Antennas: what they send into, or take in from, a direction, in decibels against the direction in which they send
 * most. Built in are the isotropic antenna, two vertical dipoles and closed forms; other patterns are two cuts from a
 * file (planet_file.h), of whose polarisation and phase such files say nothing, or a complex field by direction. Leaves
 * out that field (antenna_field.h).
 *
 * A bearing counts clockwise from y, which is north on a plan, as on a compass; a downtilt is mechanical and turns the
 * whole antenna forward and down; a roll turns it clockwise as seen from behind. The tilt that a file is made with, an
 * electrical one, is in its cuts already. */
#pragma once

#include "base/names.h"
#include "base/status.h"

enum { CUT_LIMIT = 3600 }; /* values of a cut */

/* A cut once around, at equal steps from angle 0 on. */
struct antenna_cut {
    int count;
    double *level; /* (count) dB, 0 or less: at 360 n/count degrees; owned */
};

/* What a pattern is: two cuts of levels, a closed form (antenna_field.h), or a field by direction. */
enum antenna_form {
    FORM_CUTS,
    FORM_SHORT_DIPOLE,
    FORM_HALF_WAVE_DIPOLE,
    FORM_PATCH,
    FORM_TR38901,
    FORM_SECTOR,
    FORM_FIELD,
    FORM_COUNT
};

/* Every form has both cuts, of levels through straight ahead, for two dimensions. Angles of the azimuth cut count
 * clockwise, seen from above, from straight ahead; those of the elevation cut from straight ahead downwards, so that 90
 * degrees is down, 180 back and 270 up (the Planet format's). */
struct antenna_pattern {
    char name[NAME_SIZE], make[NAME_SIZE]; /* "" where nothing is said */
    double frequency;                      /* Hz; the middle where a range is given, 0 where nothing is said */
    double gain;                           /* dBi, of the direction in which it sends most; NAN: nothing is said */
    bool gain_unit_missing;                /* the file has a bare number, which the format takes for dBd */
    double electrical_tilt;                /* rad, as the file says, for information; NAN: nothing is said */
    struct antenna_cut azimuth, elevation;
    enum antenna_form form;
    double width[2]; /* rad, FORM_SECTOR and FORM_TR38901: between the -3 dB angles, in azimuth and in elevation */
    double floor;    /* dB, the same: no loss is more */
    /* FORM_FIELD: by polar angle from up, 0 to pi, and by azimuth counterclockwise from straight ahead, 2 pi not
     * included: real and imaginary part of E along ahead, left and up; 1 where it is largest */
    int rows, columns;
    double *field; /* (rows, columns, 3, 2), owned */
};

static const double DBD_TO_DBI = 2.15; /* dB */

enum antenna_kind { ANTENNA_ISOTROPIC, ANTENNA_HERTZIAN, ANTENNA_HALF_WAVE, ANTENNA_PATTERN, ANTENNA_KIND_COUNT };

struct antenna {
    enum antenna_kind kind;
    const struct antenna_pattern *pattern; /* borrowed; ANTENNA_PATTERN alone */
    double bearing, downtilt, roll;        /* rad; of a pattern alone */
    /* rad, clockwise from up as seen from behind, of a pattern alone: turns E where the pattern has no phase, as model
     * 2 of TR 38.901 does (7.3.2), else the whole antenna. */
    double slant;
};

/* Level of a cut at an angle [rad], linear in decibels between its values. */
double antenna_cut_level(const struct antenna_cut *cut, double angle);

/* Level towards `direction` (x, y, z, of any length but 0) [dB], 0 or less. Of a pattern by horizontal projection
 * interpolation between its two cuts: F. Gil et al., "A 3-D interpolation method for base-station-antenna radiation
 * patterns", IEEE Antennas Propag. Mag. 43(2), 2001, 132-137. */
double antenna_level(const struct antenna *antenna, const double direction[3]);

/* The same in the antenna's own frame (ahead, left, up), with the square of the sine of half the azimuth in place of
 * the azimuth's share of half a turn: equal in both cuts, but without the edge along the elevation cut, which no source
 * of finite size radiates. For fields in three dimensions. */
double antenna_smooth_level(const struct antenna_pattern *pattern, const double own[3]);

/* What a field in two dimensions is weighted by: the azimuth cut, turned to its bearing, against its largest value
 * [dB]; 0 everywhere for what is not a pattern. */
double antenna_azimuth_level(const struct antenna *antenna, double x, double y);

/* What is left for the step from two dimensions to three: antenna_level - antenna_azimuth_level [dB], for a link that
 * leaves the antenna in this direction. */
double antenna_elevation_level(const struct antenna *antenna, const double direction[3]);

/* Gain of the direction in which it sends most [dBi]; NAN: the pattern does not say. */
double antenna_gain(const struct antenna *antenna);

/* Whether both are the same pattern, names included. */
bool antenna_patterns_equal(const struct antenna_pattern *a, const struct antenna_pattern *b);

void antenna_pattern_free(struct antenna_pattern *pattern);
