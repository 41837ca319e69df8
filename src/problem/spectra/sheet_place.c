/* Weights of the points around a place in a plane of running spectra (sheet_place.h). */
#include "problem/spectra/sheet_place.h"

#include "base/constants.h"
#include "problem/spectra/lagrange.h"

#include <math.h>

static const double POINTS_A_WAVELENGTH = 4;

bool sheet_interpolates(double pitch, double frequency)
{
    return pitch * frequency * POINTS_A_WAVELENGTH <= SPEED_OF_LIGHT * (1 + 1e-9);
}

/* On the line, and on a point of it where nothing is interpolated. */
static double position_taken(double position, int count, bool interpolate)
{
    double inside = fmin(fmax(position, 0), count - 1);
    return interpolate ? inside : round(inside);
}

struct sheet_line sheet_line_at(double position, int count, bool interpolate)
{
    struct sheet_line line = {0};
    line.count =
        lagrange_weights(position_taken(position, count, interpolate), count, SHEET_TAPS, &line.first, line.weight);
    return line;
}

double sheet_line_offset(double position, int count, bool interpolate)
{
    return fabs(position - position_taken(position, count, interpolate));
}
