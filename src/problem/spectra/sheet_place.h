/* How places between the points of a plane of running spectra are taken in three dimensions (physics.md section 9): E
 * of one component at a place of the plane is a weighted sum of its points there, where they stand close enough for
 * that, else the field of the nearest point. Heights are not interpolated: planes stand too far apart. */
#pragma once

/* m: a height still means a plane of spectra that is so far away. */
#define SHEET_REACH 0.25
/* Parts of a wavelength: how far away it is taken without a warning. */
#define SHEET_NEAR 0.1

enum { SHEET_TAPS = 6 };

/* The points first, first + 1, ... of a line, and what each counts. */
struct sheet_line {
    int first, count;
    double weight[SHEET_TAPS];
};

/* Radians of a wave in air from point to point, `pitch` [m] apart, at `frequency` [Hz], the highest of the band; 0
 * where the points stand too far apart to interpolate between them: fewer than four to a wavelength. Walls are not
 * looked at, as in the places of recorded receivers. */
double sheet_turn(double pitch, double frequency);

/* Weights at `position` [points from the first] of a line of `count` points: between them, or, with a turn of 0, of the
 * nearest alone. Beyond an end of the line the end is taken. Between points they are the best for waves that turn by
 * -turn to turn from point to point: in the middle of a plane a plane wave of any direction is off by 0.5 % at most
 * with four points to a wavelength, and by 0.1 % with five. */
struct sheet_line sheet_line_at(double position, int count, double turn);

/* Points from `position` to where its field is taken: 0 between the points of a line that is interpolated. */
double sheet_line_offset(double position, int count, double turn);
