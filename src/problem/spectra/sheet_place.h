/* How places between the points of a plane of running spectra are taken in three dimensions (physics.md section 9): E
 * of one component at a place of the plane is a weighted sum of its points there, where they stand close enough for
 * that, else the field of the nearest point. Heights are not interpolated: planes stand too far apart. */
#ifndef SHEET_PLACE_H
#define SHEET_PLACE_H

#include <stdbool.h>

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

/* True where points `pitch` [m] apart may be interpolated at `frequency` [Hz], the highest of the band: four of them
 * stand on a wavelength at least. Half way between two of them a plane wave along the line is then off by 7 % at most,
 * by 2 % with five and by 0.6 % with six. Walls are not looked at, as in the places of recorded receivers. */
bool sheet_interpolates(double pitch, double frequency);

/* Weights at `position` [points from the first] of a line of `count` points: between them, or of the nearest alone.
 * Beyond an end of the line the end is taken. */
struct sheet_line sheet_line_at(double position, int count, bool interpolate);

/* Points from `position` to where its field is taken: 0 between the points of a line that is interpolated. */
double sheet_line_offset(double position, int count, bool interpolate);

#endif
