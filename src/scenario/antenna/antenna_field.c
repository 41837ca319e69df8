/* Fields of patterns by direction (antenna_field.h). Leaves out levels of cuts (antenna.c) and files. */
#include "scenario/antenna/antenna_field.h"

#include "scenario/antenna/antenna.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FORM_CUT = 360 }; /* values of a cut of a form */

const char *const ANTENNA_FORMS[] = {"",  "short-dipole", "half-wave-dipole", "patch", "tr38901", "sector", "field",
                                     NULL};

enum antenna_form antenna_form_named(const char *name)
{
    for (int form = FORM_CUTS + 1; form < FORM_FIELD; form++) {
        if (strcmp(name, ANTENNA_FORMS[form]) == 0) {
            return (enum antenna_form)form;
        }
    }
    return FORM_CUTS;
}

bool antenna_has_phase(const struct antenna_pattern *pattern)
{
    return pattern->form != FORM_CUTS && pattern->form != FORM_SECTOR && pattern->form != FORM_TR38901;
}

/* ---- the antenna's own frame: ahead, left, up -------------------------------------------------------------------- */

static double sector_level(const struct antenna_pattern *pattern, const double direction[3])
{
    const double azimuth = atan2(direction[1], direction[0]) / pattern->width[0],
                 elevation = asin(fmax(-1, fmin(1, direction[2]))) / pattern->width[1];
    const double upright = fmin(12 * elevation * elevation, pattern->floor),
                 aside = fmin(12 * azimuth * azimuth, pattern->floor);
    return -fmin(upright + aside, pattern->floor);
}

/* Of what has no phase [dB]. */
static double own_level(const struct antenna_pattern *pattern, const double direction[3])
{
    return pattern->form == FORM_CUTS ? antenna_smooth_level(pattern, direction) : sector_level(pattern, direction);
}

/* Vertical where straight ahead is level, turned by the slant: -(cos theta^ + sin phi^) of TR 38.901, model 2. */
static void slanted_field(const struct antenna_pattern *pattern, double slant, const double d[3],
                          double complex field[3])
{
    const double level = pow(10, own_level(pattern, d) / 20), across = hypot(d[0], d[1]);
    const double east = across > 1e-12 ? d[0] / across : 1, north = across > 1e-12 ? d[1] / across : 0;
    const double polar[3] = {d[2] * east, d[2] * north, -across}, around[3] = {-north, east, 0};
    for (int a = 0; a < 3; a++) {
        field[a] = -level * (cos(slant) * polar[a] + sin(slant) * around[a]);
    }
}

static void dipole_field(const double d[3], double amplitude, double complex field[3])
{
    for (int a = 0; a < 3; a++) {
        field[a] = amplitude * ((a == 2) - d[a] * d[2]);
    }
}

/* An electric dipole along up and a magnetic one across it send alike, and nothing behind. */
static void patch_field(const double d[3], double complex field[3])
{
    const double aside = M_PI_2 * d[1];
    const double shape = (fabs(aside) > 1e-9 ? sin(aside) / aside : 1) * cos(M_PI_2 * d[2]);
    for (int a = 0; a < 3; a++) {
        const double up = a == 2, ahead = a == 0;
        field[a] = 0.5 * shape * (up - d[a] * d[2] + up * d[0] - ahead * d[2]);
    }
}

/* Weights of four neighbours for cubic interpolation, the second of which is at part 0. */
static void cubic_weights(double t, double weight[4])
{
    weight[0] = -t * (t - 1) * (t - 2) / 6;
    weight[1] = (t + 1) * (t - 1) * (t - 2) / 2;
    weight[2] = -(t + 1) * t * (t - 2) / 2;
    weight[3] = (t + 1) * t * (t - 1) / 6;
}

/* Over a pole the rows go on half around, which Cartesian components allow. */
static void tabulated_field(const struct antenna_pattern *pattern, const double d[3], double complex field[3])
{
    const int rows = pattern->rows, columns = pattern->columns;
    const double polar = acos(fmax(-1, fmin(1, d[2]))) / M_PI * (rows - 1);
    double turn = atan2(d[1], d[0]) / (2 * M_PI);
    turn = (turn - floor(turn)) * columns;
    const int row = (int)fmin(polar, rows - 2), column = (int)turn;
    double down[4], around[4];
    cubic_weights(polar - row, down);
    cubic_weights(turn - column, around);
    field[0] = field[1] = field[2] = 0;
    for (int p = 0; p < 4; p++) {
        int r = row + p - 1, shift = 0;
        if (r < 0 || r >= rows) {
            r = r < 0 ? -r : 2 * (rows - 1) - r;
            shift = columns / 2;
        }
        for (int q = 0; q < 4; q++) {
            const int c = (column + q - 1 + shift + columns) % columns;
            const double *value = pattern->field + 6 * ((size_t)r * (size_t)columns + (size_t)c);
            for (int a = 0; a < 3; a++) {
                field[a] += down[p] * around[q] * (value[2 * a] + value[2 * a + 1] * I);
            }
        }
    }
    const double complex along = field[0] * d[0] + field[1] * d[1] + field[2] * d[2];
    for (int a = 0; a < 3; a++) {
        field[a] -= along * d[a];
    }
}

static void own_field(const struct antenna_pattern *pattern, double slant, const double d[3], double complex field[3])
{
    const double square = 1 - d[2] * d[2];
    switch (pattern->form) {
    case FORM_SHORT_DIPOLE:
        dipole_field(d, 1, field);
        break;
    case FORM_HALF_WAVE_DIPOLE: /* Balanis, Antenna Theory, eq. 4-84 */
        dipole_field(d, square > 1e-12 ? cos(M_PI_2 * d[2]) / square : 0, field);
        break;
    case FORM_PATCH:
        patch_field(d, field);
        break;
    case FORM_FIELD:
        tabulated_field(pattern, d, field);
        break;
    default:
        slanted_field(pattern, slant, d, field);
    }
}

double antenna_own_power(const struct antenna_pattern *pattern, const double direction[3])
{
    double complex field[3];
    double sum = 0;
    own_field(pattern, 0, direction, field);
    for (int a = 0; a < 3; a++) {
        sum += creal(field[a]) * creal(field[a]) + cimag(field[a]) * cimag(field[a]);
    }
    return sum;
}

/* ---- turned ------------------------------------------------------------------------------------------------------ */

struct antenna_frame antenna_frame_of(const struct antenna *antenna)
{
    const bool turns = antenna_has_phase(antenna->pattern);
    const double roll = antenna->roll + (turns ? antenna->slant : 0);
    const double east = sin(antenna->bearing), north = cos(antenna->bearing), level = cos(antenna->downtilt),
                 down = sin(antenna->downtilt);
    const double right[3] = {north, -east, 0}, up[3] = {east * down, north * down, level};
    struct antenna_frame frame = {.axis = {{east * level, north * level, -down}}, .slant = turns ? 0 : antenna->slant};
    for (int a = 0; a < 3; a++) {
        frame.axis[1][a] = -cos(roll) * right[a] + sin(roll) * up[a];
        frame.axis[2][a] = cos(roll) * up[a] + sin(roll) * right[a];
    }
    return frame;
}

void antenna_field(const struct antenna_pattern *pattern, const struct antenna_frame *frame, const double direction[3],
                   double complex field[3])
{
    double own[3];
    double complex parts[3];
    for (int a = 0; a < 3; a++) {
        const double *axis = frame->axis[a];
        own[a] = axis[0] * direction[0] + axis[1] * direction[1] + axis[2] * direction[2];
    }
    own_field(pattern, frame->slant, own, parts);
    for (int a = 0; a < 3; a++) {
        field[a] = parts[0] * frame->axis[0][a] + parts[1] * frame->axis[1][a] + parts[2] * frame->axis[2][a];
    }
}

void antenna_main_direction(const struct antenna *antenna, double along[3])
{
    const struct antenna_frame frame = antenna_frame_of(antenna);
    for (int a = 0; a < 3; a++) {
        along[a] = cos(frame.slant) * frame.axis[2][a] - sin(frame.slant) * frame.axis[1][a];
        along[a] = fabs(along[a]) < 1e-15 ? 0 : along[a];
    }
}

/* ---- forms ------------------------------------------------------------------------------------------------------- */

/* Over the mean over the sphere [dBi]: rings by the midpoint rule. */
static double directivity(const struct antenna_pattern *pattern)
{
    enum { RINGS = 180, SPOKES = 180 };
    double sum = 0, peak = 0;
    for (int r = 0; r < RINGS; r++) {
        const double polar = M_PI * (r + 0.5) / RINGS;
        for (int s = 0; s < SPOKES; s++) {
            const double turn = 2 * M_PI * s / SPOKES;
            const double power = antenna_own_power(
                pattern, (const double[]){sin(polar) * cos(turn), sin(polar) * sin(turn), cos(polar)});
            sum += power * sin(polar) * M_PI_2 / RINGS / SPOKES;
            peak = fmax(peak, power);
        }
    }
    return 10 * log10(peak / sum);
}

static pw_status cut_fill(const struct antenna_pattern *pattern, bool upright, struct antenna_cut *cut, pw_error *error)
{
    cut->level = allocate(FORM_CUT, sizeof *cut->level, "an antenna's pattern", error);
    TRY_MADE(cut->level);
    cut->count = FORM_CUT;
    for (int n = 0; n < FORM_CUT; n++) {
        const double angle = 2 * M_PI * n / FORM_CUT, aside = -sin(angle);
        const double direction[3] = {cos(angle), upright ? 0 : aside, upright ? aside : 0};
        cut->level[n] = fmax(-300, fmin(0, 10 * log10(antenna_own_power(pattern, direction) + 1e-300)));
    }
    return PW_OK;
}

pw_status antenna_form_fill(struct antenna_pattern *pattern, pw_error *error)
{
    const bool standard = pattern->form == FORM_TR38901;
    for (int a = 0; a < 2; a++) {
        pattern->width[a] = standard || !(pattern->width[a] > 0) ? 65 * M_PI / 180 : pattern->width[a];
    }
    pattern->floor = standard || !(pattern->floor > 0) ? 30 : pattern->floor;
    if (isnan(pattern->gain)) {
        pattern->gain = standard ? 8 : directivity(pattern);
    }
    pw_status status = cut_fill(pattern, false, &pattern->azimuth, error);
    THEN(status, cut_fill(pattern, true, &pattern->elevation, error));
    if (status != PW_OK) {
        antenna_pattern_free(pattern);
    }
    return status;
}
