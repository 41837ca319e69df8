/* Places of a result and their channels, for large-scale parameters (api/parameters.h): the cells of the floor that are
 * air, a wavelength apart, with and without a straight line through air to the transmitter. */
#include "map/parameters/parameters.h"

#include "api/survey.h"
#include "base/constants.h"
#include "map/coverage.h"
#include "map/floor/walls.h"
#include "result/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AREAS_MOST = 64 };
static const double APART = 1; /* wavelengths: local means are taken over as much */
static const double SURVEY_PART = 0.7, WALL_PART = 0.25 /* of a node that is wall: from here on it blocks sight */;

struct reading {
    const struct result *result;
    const pw_parameters_options *options;
    struct plan_walls walls;
    int sheet, cell_step;
    pw_link_sample *samples; /* (count), owned */
    bool *sight;             /* (count), owned */
    int count;
    double frequency;
};

pw_parameters_options pw_parameters_options_default(void)
{
    return (pw_parameters_options){.channel = pw_channel_options_default(),
                                   .least_distance = 1,
                                   .angle_places = 200,
                                   .cluster_depth = 25,
                                   .cluster_gap = 6e-9,
                                   .draws = 200};
}

static bool blocks_sight(const struct plan_walls *walls, double x, double y)
{
    const long column = lround((x - walls->x0) / walls->cell), row = lround((y - walls->y0) / walls->cell);
    if (column < 0 || row < 0 || column >= walls->columns || row >= walls->rows) {
        return false;
    }
    const uint8_t wall = walls->wall[row * walls->columns + column];
    return wall == WALL_METAL || wall >= WALL_PART * WALL_FULL;
}

/* Looks at half cells along the line. */
static bool has_sight(const struct plan_walls *walls, const double from[2], double x, double y)
{
    const int steps = (int)ceil(2 * hypot(x - from[0], y - from[1]) / walls->cell);
    for (int n = 0; n <= steps; n++) {
        const double part = steps > 0 ? (double)n / steps : 0;
        if (blocks_sight(walls, from[0] + part * (x - from[0]), from[1] + part * (y - from[1]))) {
            return false;
        }
    }
    return true;
}

static const float *plane_of(const pw_survey *survey, const char *key)
{
    for (int p = 0; p < survey->plane_count; p++) {
        if (strcmp(survey->planes[p].key, key) == 0) {
            return survey->planes[p].value;
        }
    }
    return NULL;
}

/* Of all azimuths together: sqrt(-2 ln |sum of P exp(j phi)| / sum of P), TR 38.901 annex A, in degrees. */
static double circular_spread(const double power[PW_AZIMUTHS])
{
    double sum = 0, x = 0, y = 0;
    for (int n = 0; n < PW_AZIMUTHS; n++) {
        const double angle = 2 * M_PI * n / PW_AZIMUTHS;
        sum += power[n];
        x += power[n] * cos(angle);
        y += power[n] * sin(angle);
    }
    return sum > 0 ? sqrt(fmax(0, -2 * log(hypot(x, y) / sum))) * 180 / M_PI : (double)NAN;
}

static void angles_take(const pw_channel *channel, pw_link_sample *sample)
{
    double power[PW_AZIMUTHS];
    pw_angles facts;
    if (pw_channel_angles(channel, PW_END_RECEIVER, &facts, power, NULL) == PW_OK && facts.known) {
        sample->angle_spread = circular_spread(power);
    }
}

static pw_status clusters_take(const struct reading *reading, const pw_channel *channel, pw_link_sample *sample,
                               pw_error *error)
{
    const int count = pw_channel_describe(channel).delay_count;
    if (count <= 0 || !clusters_resolved(sample->delay_resolution, reading->options->cluster_gap)) {
        return PW_OK;
    }
    OWNED double *delay = allocate((size_t)count, sizeof *delay, "a profile", error);
    OWNED double *power = allocate((size_t)count, sizeof *power, "a profile", error);
    TRY_MADE(delay != NULL && power != NULL);
    TRY(pw_channel_profile(channel, delay, power, error));
    const struct time_clusters found =
        clusters_find(delay, power, count, reading->options->cluster_depth, reading->options->cluster_gap);
    if (found.count > 0) {
        sample->clusters = found.count;
        sample->cluster_spread = found.spread;
    }
    return PW_OK;
}

/* What only the channel itself tells. Side lobes of other windows than Hann's and Kaiser's would be paths. */
static pw_status place_look(const struct reading *reading, const char *transmitter, pw_link_sample *sample,
                            pw_error *error)
{
    const double at[2] = {sample->x, sample->y};
    OWNED_AS(pw_channel) *channel = NULL;
    if (pw_channel_create(reading->result, transmitter, NULL, at, &reading->options->channel, &channel, NULL) !=
        PW_OK) {
        return PW_OK;
    }
    if (reading->result->dimensions == 2) {
        angles_take(channel, sample);
    }
    return reading->options->channel.window == PW_WINDOW_RECT ? PW_OK : clusters_take(reading, channel, sample, error);
}

/* Height of the cells over the transmitter [m]. */
static double rise_of(const struct reading *reading, const pw_survey *survey, double height)
{
    pw_sheet sheet;
    return reading->result->dimensions == 3 && pw_result_has_sheets(reading->result) &&
                   pw_result_sheet_describe(reading->result, reading->sheet, &sheet, NULL) == PW_OK
               ? sheet.position - height
               : survey->rise;
}

static void cell_take(struct reading *reading, int transmitter, const pw_survey *survey, size_t n, double free_loss,
                      const double from[3])
{
    const double x = survey->x0 + (double)(n % (size_t)survey->columns) * survey->pitch_x,
                 y = survey->y0 + (double)(n / (size_t)survey->columns) * survey->pitch_y,
                 distance = hypot(hypot(x - from[0], y - from[1]), from[2]), gain = plane_of(survey, "local_mean")[n];
    const float *spread = plane_of(survey, "rms_delay_spread"), *k = plane_of(survey, "rician_k");
    if (!isfinite(gain + distance) || survey->counted[n] == 0 || distance < reading->options->least_distance ||
        blocks_sight(&reading->walls, x, y)) {
        return;
    }
    reading->sight[reading->count] = has_sight(&reading->walls, from, x, y);
    reading->samples[reading->count++] =
        (pw_link_sample){.x = x,
                         .y = y,
                         .distance = distance,
                         .transmitter = transmitter,
                         .path_loss = free_loss - gain,
                         .delay_spread = spread != NULL ? 1e-9 * (double)spread[n] : (double)NAN,
                         .delay_resolution = survey->resolution,
                         .angle_spread = NAN,
                         .rician_k = k != NULL ? (double)k[n] : (double)NAN,
                         .clusters = NAN,
                         .cluster_spread = NAN};
}

/* All places of a transmitter; of some of them angles and clusters. */
static pw_status transmitter_read(struct reading *reading, int transmitter, const pw_monitor *monitor, pw_error *error)
{
    pw_monitor_part part = {monitor, 0, SURVEY_PART};
    const pw_monitor own = monitor_of_part(&part);
    const pw_survey_options options = {reading->sheet, transmitter, reading->options->channel, reading->cell_step, 1};
    const struct result_transmitter *sender = &reading->result->transmitters[transmitter];
    pw_survey *survey = NULL;
    TRY(pw_survey_create(reading->result, &options, &own, &survey, error));
    const size_t cells = (size_t)survey->rows * (size_t)survey->columns, room = (size_t)reading->count + cells;
    const int first = reading->count;
    pw_link_sample *samples = realloc(reading->samples, room * sizeof *samples);
    reading->samples = samples != NULL ? samples : reading->samples;
    bool *sight = realloc(reading->sight, room * sizeof *sight);
    reading->sight = sight != NULL ? sight : reading->sight;
    pw_status status =
        samples != NULL && sight != NULL ? PW_OK : fail(error, PW_NO_RESOURCE, "not enough memory for places");
    const double from[3] = {sender->x, sender->y, rise_of(reading, survey, sender->height)},
                 free_loss = 20 * log10(4 * M_PI * survey->centre / SPEED_OF_LIGHT);
    for (size_t n = 0; n < cells && status == PW_OK; n++) {
        cell_take(reading, transmitter, survey, n, free_loss, from);
    }
    reading->frequency = survey->centre;
    pw_survey_free(survey);
    const int found = reading->count - first, most = reading->options->angle_places;
    const int step = most > 0 ? (found - 1) / most + 1 : 0;
    for (int n = first; status == PW_OK && step > 0 && n < reading->count; n += step) {
        status = place_look(reading, sender->name, &reading->samples[n], error);
        THEN(status, monitor_tell(monitor, SURVEY_PART + (1 - SURVEY_PART) * (n - first) / found, error));
    }
    return status;
}

/* Which part of the places belongs to a row, in front of the others. */
static int row_gather(const struct reading *reading, const pw_area *area, bool sight, pw_link_sample *own)
{
    int count = 0;
    for (int n = 0; n < reading->count; n++) {
        const pw_link_sample *one = &reading->samples[n];
        const bool inside =
            area == NULL || (one->x >= area->x0 && one->x <= area->x1 && one->y >= area->y0 && one->y <= area->y1);
        if (inside && reading->sight[n] == sight) {
            own[count++] = *one;
        }
    }
    return count;
}

static pw_status rows_fit(const struct reading *reading, pw_parameters_row *rows, pw_error *error)
{
    const pw_parameters_options *options = reading->options;
    OWNED pw_link_sample *own = allocate((size_t)reading->count + 1, sizeof *own, "places", error);
    TRY_MADE(own);
    int in_sight = 0;
    for (int n = 0; n < 2 * (1 + options->area_count); n++) {
        const int area = n / 2 - 1;
        rows[n] = (pw_parameters_row){.area = area, .sight = n % 2 == 0};
        const int count = row_gather(reading, area >= 0 ? &options->areas[area] : NULL, rows[n].sight, own);
        TRY(area >= 0 && !rows[n].sight && count + in_sight == 0
                ? coverage_area_empty(&options->areas[area], error)
                : pw_parameters_fit(own, count, reading->frequency, options->draws, &rows[n].parameters, error));
        in_sight = count;
    }
    return PW_OK;
}

static pw_status options_check(const struct result *result, const pw_parameters_options *options, pw_error *error)
{
    pw_sheet sheet;
    FAIL_IF(!(options->least_distance > 0) || options->draws < 0 || options->area_count > AREAS_MOST, error, PW_USAGE,
            "a least distance of %g m, %d draws and %d areas; allowed are over 0 m, 0 and more, at most %d",
            options->least_distance, options->draws, options->area_count, AREAS_MOST);
    FAIL_IF(!(options->cluster_depth > 0 && options->cluster_gap > 0), error, PW_USAGE,
            "clusters with paths of %g dB that end after %g ns; allowed are over 0 dB and over 0 ns",
            options->cluster_depth, 1e9 * options->cluster_gap);
    if (pw_result_has_sheets(result)) {
        TRY(pw_result_sheet_describe(result, pw_result_sheet_chosen(result), &sheet, error));
        return sheet.normal == 2 ? PW_OK : fail(error, PW_BAD_INPUT, "a vertical cut has no places on a floor");
    }
    return PW_OK;
}

static pw_status places_read(struct reading *reading, pw_error *error)
{
    const struct result *result = reading->result;
    const pw_parameters_options *options = reading->options;
    pw_map_options map = pw_map_options_default();
    pw_map_shape shape;
    int first = 0, end = result->transmitter_count;
    map.quantity = PW_PATH_GAIN;
    TRY(pw_map_describe(result, &map, &shape, error));
    const double apart = APART * SPEED_OF_LIGHT / result->band_centre;
    reading->cell_step = (int)fmax(1, floor(apart / fmax(shape.pitch_x, shape.pitch_y) + 1e-9));
    if (options->transmitter != NULL) {
        TRY(pw_result_find_transmitter(result, options->transmitter, &first, error));
        end = first + 1;
    }
    TRY(walls_read(result, &reading->walls, error));
    for (int t = first; t < end; t++) {
        pw_monitor_part part = {&options->monitor, (double)(t - first) / (end - first),
                                (t + 1.0 - first) / (end - first)};
        const pw_monitor own = monitor_of_part(&part);
        TRY(transmitter_read(reading, t, &own, error));
    }
    return PW_OK;
}

pw_status pw_parameters_read(const pw_result *result, const pw_parameters_options *options, pw_parameters_row *rows,
                             pw_error *error)
{
    const pw_parameters_options defaults = pw_parameters_options_default();
    struct reading reading = {.result = result, .options = options != NULL ? options : &defaults};
    TRY(options_check(result, reading.options, error));
    reading.sheet = pw_result_sheet_chosen(result);
    pw_status status = places_read(&reading, error);
    THEN(status, rows_fit(&reading, rows, error));
    walls_free(&reading.walls);
    FREE_ALL(reading.samples, reading.sight);
    return status;
}
