/* Weights of the points around a place in a plane of running spectra (sheet_place.h). */
#include "problem/spectra/sheet_place.h"

#include "base/constants.h"
#include "base/numbers/prediction.h"

#include <math.h>

static const double POINTS_A_WAVELENGTH = 4;
static const double SAME_POINT = 1e-6; /* of the pitch */

double sheet_turn(double pitch, double frequency)
{
    const bool near = pitch * frequency * POINTS_A_WAVELENGTH <= SPEED_OF_LIGHT * (1 + 1e-9);
    return near ? 2 * M_PI * pitch * frequency / SPEED_OF_LIGHT : 0;
}

/* On the line, and on a point of it where nothing is interpolated. */
static double position_taken(double position, int count, double turn)
{
    double inside = fmin(fmax(position, 0), count - 1);
    return turn > 0 ? inside : round(inside);
}

/* Of waves whose turns are evenly spread from -turn to turn, so many points apart. */
static double covariance(double turn, double apart)
{
    const double phase = turn * apart;
    return fabs(phase) > 1e-9 ? sin(phase) / phase : 1;
}

struct sheet_line sheet_line_at(double position, int count, double turn)
{
    const double x = position_taken(position, count, turn);
    const int points = count < SHEET_TAPS ? count : SHEET_TAPS;
    if (fabs(x - round(x)) < SAME_POINT || points < 3) {
        return (struct sheet_line){.first = (int)fmin(fmax(round(x), 0), count - 1), .count = 1, .weight = {1}};
    }
    struct sheet_line line = {.first = (int)fmin(fmax(floor(x) - points / 2 + 1, 0), count - points), .count = points};
    double complex between[SHEET_TAPS], toward[SHEET_TAPS], weight[SHEET_TAPS];
    for (int k = 0; k < points; k++) {
        between[k] = covariance(turn, k);
        toward[k] = covariance(turn, x - (line.first + k));
    }
    const struct prediction prediction = prediction_make(points, between);
    (void)prediction_weights(&prediction, toward, weight);
    for (int k = 0; k < points; k++) {
        line.weight[k] = creal(weight[k]);
    }
    return line;
}

double sheet_line_offset(double position, int count, double turn)
{
    return fabs(position - position_taken(position, count, turn));
}
