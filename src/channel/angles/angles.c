/* Angles of arrival and departure from running spectra (angles.h). */
#include "channel/angles/angles.h"

#include "base/constants.h"
#include "channel/angles/plane_waves.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double MOST_WAVES = 4.0;   /* wavelengths of the radius */
static const double LEAST_WAVES = 0.75; /* under which azimuths mean little */
static const double AIR = 0.01;         /* of the permittivity: nodes farther from 1 are walls */
static const double LEAST_PEAK = 0.01;  /* of the power of the first peak */
/* Directions k1 and k2 with k1 - k2 = 2 pi/spacing are the same on the lattice; the disc tells them apart by
 * pi/radius. So the spacing is at most 1/(2/wavelength + 1/(2 radius)); with 8 % more, ghosts of a wave stay 20 dB
 * under it. */
static const double GHOSTS = 1.08, COARSEST = 0.485; /* the latter of a wavelength */
static const int WALL_CELLS = 2;                     /* between the disc and what is solid */
enum { FREQUENCIES_MOST = 64 };                      /* that a spectrum is the mean over */
static const double LEAST_SHARE = 0.25; /* of the band that the spacing of the spectra has to be fine enough for */

/* ---- the disc ---------------------------------------------------------------------------------------------------- */

pw_status angle_ground_create(const struct result *result, struct angle_ground *ground, pw_error *error)
{
    const size_t count = (size_t)result->face.rows * (size_t)result->face.columns;
    double *permittivity = allocate(count, sizeof *permittivity, "the plan", error);
    ground->solid = allocate(count, 1, "the plan", error);
    pw_status status = permittivity == NULL || ground->solid == NULL
                           ? PW_NO_RESOURCE
                           : result_read_permittivity(result, permittivity, error);
    THEN(status, result_read_metal(result, ground->solid, error));
    for (size_t n = 0; status == PW_OK && n < count; n++) {
        ground->solid[n] = ground->solid[n] != 0 || !(fabs(permittivity[n] - 1.0) <= AIR);
    }
    free(permittivity);
    if (status != PW_OK) {
        angle_ground_free(ground);
    }
    return status;
}

void angle_ground_free(struct angle_ground *ground)
{
    free(ground->solid);
    ground->solid = NULL;
}

/* m from a place to the nearest solid node, or `most`. */
static double wall_distance(const struct result *result, const struct angle_ground *ground, const double at[2],
                            double most)
{
    const struct result_face *face = &result->face;
    double cell = result->cell, nearest = most;
    int column0 = (int)floor((at[0] - most - face->column_first) / cell),
        row0 = (int)floor((at[1] - most - face->row_first) / cell), span = (int)ceil(2.0 * most / cell) + 2;
    for (int row = row0 > 0 ? row0 : 0; row < row0 + span && row < face->rows; row++) {
        for (int column = column0 > 0 ? column0 : 0; column < column0 + span && column < face->columns; column++) {
            if (ground->solid[(size_t)row * (size_t)face->columns + (size_t)column] != 0) {
                nearest = fmin(nearest,
                               hypot(face->column_first + column * cell - at[0], face->row_first + row * cell - at[1]));
            }
        }
    }
    return nearest;
}

/* The radius around a place and what limits it, as a clause. */
struct limit {
    double radius;
    const char *by;
};

static void limit_take(struct limit *limit, double radius, const char *by)
{
    if (radius < limit->radius) {
        *limit = (struct limit){radius, by};
    }
}

static struct limit disc_limit(const struct result *result, const struct angle_ground *ground,
                               const struct result_transmitter *from, const double at[2], double wavelength)
{
    const struct result_sheet *sheet = &from->sheets[0];
    struct limit limit = {MOST_WAVES * wavelength, ""};
    double distance = hypot(at[0] - from->x, at[1] - from->y);
    double array = from->antenna.kind == ANTENNA_PATTERN ? wavelength : 0.0; /* currents stand around it */
    double most = limit.radius + (WALL_CELLS + 1) * result->cell;
    limit_take(&limit, distance - result->cell - array, "the transmitter");
    limit_take(&limit, sqrt(0.5 * distance * wavelength), "the transmitter, whose waves are round there");
    limit_take(&limit, at[0] - sheet->column_axis[0], "the edge of the spectra");
    limit_take(&limit, sheet->column_axis[sheet->columns - 1] - at[0], "the edge of the spectra");
    limit_take(&limit, at[1] - sheet->row_axis[0], "the edge of the spectra");
    limit_take(&limit, sheet->row_axis[sheet->rows - 1] - at[1], "the edge of the spectra");
    limit_take(&limit, wall_distance(result, ground, at, most) - WALL_CELLS * result->cell, "a wall");
    return limit;
}

/* The samples of a disc in the file, and their field. */
struct surround {
    struct disc disc;
    int *point;           /* (disc.count), owned: its place in the block */
    double *field;        /* (frequency_count, block), re/im, owned */
    size_t block_size;    /* points of the block */
    double radius, pitch; /* m: of the disc, and between points of the spectra */
};

static void surround_free(struct surround *surround)
{
    FREE_ALL(surround->disc.x, surround->disc.y, surround->point, surround->field);
}

/* Which points of the sheet a disc needs, along an axis. */
static void span_find(const double *axis, int count, double at, double radius, int *first, int *number)
{
    double pitch = count > 1 ? (axis[count - 1] - axis[0]) / (count - 1) : 1.0;
    int low = (int)ceil((at - radius - axis[0]) / pitch - 1e-9),
        high = (int)floor((at + radius - axis[0]) / pitch + 1e-9);
    *first = low > 0 ? low : 0;
    *number = (high < count ? high : count - 1) - *first + 1;
}

static pw_status surround_read(const struct result *result, int transmitter, const double at[2],
                               struct surround *surround, pw_error *error)
{
    const struct result_sheet *sheet = &result->transmitters[transmitter].sheets[0];
    pw_block block = {0, 0, 0, 0};
    span_find(sheet->column_axis, sheet->columns, at[0], surround->radius, &block.column_first, &block.column_count);
    span_find(sheet->row_axis, sheet->rows, at[1], surround->radius, &block.row_first, &block.row_count);
    size_t size = (size_t)block.row_count * (size_t)block.column_count;
    surround->block_size = size;
    surround->disc.x = allocate(size, sizeof(double), "the field around a place", error);
    surround->disc.y = allocate(size, sizeof(double), "the field around a place", error);
    surround->point = allocate(size, sizeof(int), "the field around a place", error);
    surround->field =
        allocate(size * (size_t)result->frequency_count, 2 * sizeof(double), "the field around a place", error);
    TRY_MADE(surround->disc.x != NULL && surround->disc.y != NULL && surround->point != NULL &&
             surround->field != NULL);
    for (int n = 0; n < (int)size; n++) {
        double x = sheet->column_axis[block.column_first + n % block.column_count] - at[0];
        double y = sheet->row_axis[block.row_first + n / block.column_count] - at[1];
        if (hypot(x, y) <= surround->radius * (1.0 + 1e-9)) {
            surround->disc.x[surround->disc.count] = x;
            surround->disc.y[surround->disc.count] = y;
            surround->point[surround->disc.count++] = n;
        }
    }
    return result_read_sheet(result, transmitter, 0, &block, surround->field, error);
}

/* Whether a result has what it takes at all; else a reason. */
static bool result_serves(const struct result *result, const struct result_transmitter *from, char *reason)
{
    const char *why = result->dimensions == 3 ? "the result was solved in three dimensions"
                      : result->horizontal    ? "the result has horizontal polarisation"
                      : from->sheet_count == 0 || from->sheets[0].rows < 2 || from->sheets[0].columns < 2
                          ? "the result has no running spectra around the place"
                          : "";
    snprintf(reason, ANGLE_REASON, "%s", why);
    return why[0] == '\0';
}

/* m: how far apart points of the spectra may be at a frequency [Hz]. */
static double coarsest_pitch(const struct surround *surround, double frequency)
{
    double wavelength = SPEED_OF_LIGHT / frequency;
    return fmin(GHOSTS / (2.0 / wavelength + 0.5 / surround->radius), COARSEST * wavelength);
}

/* Chooses the disc and reads it; the caller frees it in any case. `reason` is "" unless there is none. The spacing of
 * the spectra must be fine enough for this share of the frequencies, from the lowest on. */
static pw_status surround_create(const struct result *result, const struct angle_ground *ground, int transmitter,
                                 const double at[2], double share, struct surround *surround, char *reason,
                                 pw_error *error)
{
    const struct result_transmitter *from = &result->transmitters[transmitter];
    memset(surround, 0, sizeof *surround);
    if (!result_serves(result, from, reason)) {
        return PW_OK;
    }
    const struct result_sheet *sheet = &from->sheets[0];
    double wavelength = 2.0 * SPEED_OF_LIGHT / (result->frequency[0] + result->frequency[result->frequency_count - 1]);
    struct limit limit = disc_limit(result, ground, from, at, wavelength);
    if (limit.radius < LEAST_WAVES * wavelength) {
        snprintf(reason, ANGLE_REASON,
                 "within %.2g wavelengths (%.3g m) there is %s, and angles need a disc of air of that radius",
                 LEAST_WAVES, LEAST_WAVES * wavelength, limit.by);
        return PW_OK;
    }
    surround->pitch = fmax(sheet->column_axis[1] - sheet->column_axis[0], sheet->row_axis[1] - sheet->row_axis[0]);
    surround->radius = limit.radius;
    double coarsest = coarsest_pitch(surround, result->frequency[(int)(share * (result->frequency_count - 1))]);
    if (surround->pitch > coarsest) {
        snprintf(
            reason, ANGLE_REASON,
            "points of the spectra are %.3g cm apart, and angles need %.3g cm at most there: spectra.spacing of %d "
            "cells",
            100.0 * surround->pitch, 100.0 * coarsest, (int)fmax(1.0, floor(coarsest / result->cell)));
        return PW_OK;
    }
    return surround_read(result, transmitter, at, surround, error);
}

/* Harmonics at frequency f; the order is that of the disc at that frequency, of as many waves as there are samples for.
 */
static pw_status surround_fit(const struct result *result, const struct surround *surround, int f, double *harmonics,
                              int *order, double *residual, pw_error *error)
{
    size_t count = (size_t)surround->disc.count;
    double wave_number = 2.0 * M_PI * result->frequency[f] / SPEED_OF_LIGHT;
    OWNED double *field = allocate(count, 2 * sizeof *field, "the field around a place", error);
    TRY_MADE(field);
    const double *all = surround->field + 2 * surround->block_size * (size_t)f;
    for (size_t s = 0; s < count; s++) {
        memcpy(field + 2 * s, all + 2 * (ptrdiff_t)surround->point[s], 2 * sizeof *field);
    }
    int most = (surround->disc.count - 1) / 2, wanted = plane_waves_order(wave_number, surround->radius);
    *order = wanted < most ? wanted : most;
    return plane_waves_fit(&surround->disc, wave_number, *order, field, harmonics, residual, error);
}

/* ---- the spectrum ------------------------------------------------------------------------------------------------ */

static void peak_insert(struct angle_spectrum *spectrum, const struct angle_peak *peak)
{
    int at = spectrum->peak_count < ANGLE_PEAKS ? spectrum->peak_count++ : ANGLE_PEAKS;
    for (; at > 0 && spectrum->peaks[at - 1].power < peak->power; at--) {
        if (at < ANGLE_PEAKS) {
            spectrum->peaks[at] = spectrum->peaks[at - 1];
        }
    }
    if (at < ANGLE_PEAKS) {
        spectrum->peaks[at] = *peak;
    }
}

/* Local maxima, refined by a parabola through the decibels of three azimuths. */
static void peaks_find(struct angle_spectrum *spectrum)
{
    for (int n = 0; n < ANGLE_COUNT; n++) {
        double before = spectrum->power[(n + ANGLE_COUNT - 1) % ANGLE_COUNT], here = spectrum->power[n],
               after = spectrum->power[(n + 1) % ANGLE_COUNT];
        if (!(here > before && here >= after && before > 0.0 && after > 0.0)) {
            continue;
        }
        double low = log(before / here), high = log(after / here), offset = 0.5 * (low - high) / (low + high);
        const struct angle_peak peak = {.azimuth = 2.0 * M_PI * (n + offset) / ANGLE_COUNT,
                                        .power = here * exp(0.25 * (high - low) * offset)};
        peak_insert(spectrum, &peak);
    }
    while (spectrum->peak_count > 0 &&
           spectrum->peaks[spectrum->peak_count - 1].power < LEAST_PEAK * spectrum->peaks[0].power) {
        spectrum->peak_count--;
    }
}

/* Adds frequency f of the band. */
static pw_status spectrum_add(const struct result *result, const struct surround *surround,
                              const struct channel_band *band, int f, struct angle_spectrum *spectrum, pw_error *error)
{
    double harmonics[2 * (2 * ORDER_LIMIT + 1)], amplitude[2 * ANGLE_COUNT], residual;
    int order;
    TRY(surround_fit(result, surround, f, harmonics, &order, &residual, error));
    plane_waves_spectrum(harmonics, order, ANGLE_COUNT, amplitude);
    double re = band->reference[2 * f], im = band->reference[2 * f + 1], scale = re * re + im * im;
    for (int n = 0; n < ANGLE_COUNT; n++) {
        double power = amplitude[2 * n] * amplitude[2 * n] + amplitude[2 * n + 1] * amplitude[2 * n + 1];
        spectrum->power[n] += scale * power;
    }
    spectrum->residual += residual * residual;
    spectrum->beam_width += plane_waves_beam_width(order);
    return PW_OK;
}

pw_status angles_of_arrival(const struct result *result, const struct angle_ground *ground, int transmitter,
                            const double at[2], const struct channel_band *band, double factor,
                            struct angle_spectrum *spectrum, pw_error *error)
{
    OWNED_BY(surround_free) struct surround surround = {0};
    memset(spectrum, 0, sizeof *spectrum);
    TRY(surround_create(result, ground, transmitter, at, LEAST_SHARE, &surround, spectrum->reason, error));
    if (spectrum->reason[0] != '\0') {
        return PW_OK;
    }
    int step = (band->frequency_count + FREQUENCIES_MOST - 1) / FREQUENCIES_MOST;
    for (int f = (band->frequency_count - 1) % step / 2; f < band->frequency_count; f += step) {
        spectrum->usable += band->usable[f];
        if (band->usable[f] && surround.pitch <= coarsest_pitch(&surround, band->frequency[f])) {
            TRY(spectrum_add(result, &surround, band, f, spectrum, error));
            spectrum->highest = band->frequency[f];
            spectrum->used++;
        }
    }
    int used = spectrum->used;
    for (int n = 0; n < ANGLE_COUNT && used > 0; n++) {
        spectrum->power[n] *= factor / used;
    }
    if (used > 0) {
        spectrum->radius = surround.radius;
        spectrum->residual = sqrt(spectrum->residual / used);
        spectrum->beam_width /= used;
        peaks_find(spectrum);
    } else {
        snprintf(spectrum->reason, sizeof spectrum->reason, "no frequency of the band is usable");
    }
    return PW_OK;
}

pw_status angles_of_departure(const struct result *result, const struct angle_ground *ground, int transmitter,
                              const double at[2], const pw_channel_options *options, double factor,
                              struct angle_spectrum *spectrum, pw_error *error)
{
    const struct result_transmitter *from = &result->transmitters[transmitter];
    const double reach = 0.5 * result->cell * (1.0 + 1e-6), there[2] = {from->x, from->y};
    int back = -1;
    memset(spectrum, 0, sizeof *spectrum);
    for (int t = 0; t < result->transmitter_count && back < 0; t++) {
        const struct result_transmitter *other = &result->transmitters[t];
        bool alike = other->antenna.kind != ANTENNA_PATTERN; /* a pattern would weigh what comes back */
        back = t != transmitter && alike && other->soft && hypot(other->x - at[0], other->y - at[1]) <= reach ? t : -1;
    }
    if (back < 0) {
        snprintf(spectrum->reason, sizeof spectrum->reason,
                 "put a transmitter without a pattern at the receiver's place: by reciprocity, the departures are the "
                 "arrivals of its wave");
        return PW_OK;
    }
    OWNED_BY(channel_band_free) struct channel_band band = {0};
    TRY(channel_band_create(result->dimensions, result->frequency, result->frequency_count,
                            result->transmitters[back].spectrum, options, &band, error));
    return angles_of_arrival(result, ground, back, there, &band, factor, spectrum, error);
}

/* ---- reception --------------------------------------------------------------------------------------------------- */

pw_status angles_receive(const struct result *result, const struct angle_ground *ground, int transmitter,
                         const double at[2], const struct antenna *antenna, const char *name, double *field,
                         pw_error *error)
{
    char reason[ANGLE_REASON];
    OWNED_BY(surround_free) struct surround surround = {0};
    TRY(surround_create(result, ground, transmitter, at, 1.0, &surround, reason, error));
    FAIL_IF(reason[0] != '\0', error, PW_BAD_INPUT,
            "%s: the antenna of receiver '%s' weighs waves by their direction, but at (%.4g, %.4g) m there are no "
            "angles: %s",
            result->path, name, at[0], at[1], reason);
    double pattern[ANGLE_COUNT], harmonics[2 * (2 * ORDER_LIMIT + 1)], residual;
    for (int n = 0; n < ANGLE_COUNT; n++) {
        double azimuth = 2.0 * M_PI * n / ANGLE_COUNT;
        pattern[n] = pow(10.0, antenna_azimuth_level(antenna, cos(azimuth), sin(azimuth)) / 20.0);
    }
    for (int f = 0; f < result->frequency_count; f++) {
        int order;
        TRY(surround_fit(result, &surround, f, harmonics, &order, &residual, error));
        plane_waves_receive(harmonics, order, pattern, ANGLE_COUNT, &field[2 * f], &field[2 * f + 1]);
    }
    return PW_OK;
}
