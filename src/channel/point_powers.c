/* Received powers at many points (pw_channel_powers, api/channel.h): the mean gain of the cells around each, weighted
 * by what of a cell lies in the square of the local mean. A point reads the spectra of its own few cells. */
#include "base/constants.h"
#include "channel/link.h"
#include "channel/slant/heights.h"
#include "result/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS_BETWEEN_TELLING = 16 };

struct predictor {
    const struct result *result;
    const struct result_transmitter *from;
    int transmitter;
    int sheet; /* of the point in work */
    const pw_powers_options *options;
    struct channel_band band; /* owned */
    struct channel channel;   /* owned */
};

/* Cells of an axis that a box of `width` around `at` covers: first, last, and their shares. False: `at` is outside. */
static bool axis_cover(const double *axis, int count, double at, double width, int *first, int *last)
{
    double pitch = count > 1 ? axis[1] - axis[0] : width;
    if (!(at >= axis[0] - 0.5 * pitch - 1e-9 && at <= axis[count - 1] + 0.5 * pitch + 1e-9)) {
        return false;
    }
    double half = 0.5 * (fmax(width, pitch) + pitch) / pitch, centre = (at - axis[0]) / pitch;
    *first = (int)fmax(0.0, ceil(centre - half));
    *last = (int)fmin(count - 1, floor(centre + half));
    return *first <= *last;
}

/* Part of the cell that lies in the box; a box as wide as a cell makes this linear interpolation. */
static double axis_share(const double *axis, int count, int index, double at, double width)
{
    double pitch = count > 1 ? axis[1] - axis[0] : width, wide = fmax(width, pitch);
    double low = fmax(axis[index] - 0.5 * pitch, at - 0.5 * wide),
           high = fmin(axis[index] + 0.5 * pitch, at + 0.5 * wide);
    return fmax(0.0, high - low);
}

/* Linear path gain of the field of a cell, of the band or of frequency number f >= 0. */
static double cell_gain(struct predictor *predictor, const double *field, double distance, const struct slant *slant,
                        int f)
{
    struct channel *channel = &predictor->channel;
    channel_set_field(&predictor->band, field, 1, channel);
    channel_transform(&predictor->band, distance, slant, channel);
    if (f < 0) {
        return channel_path_gain(&predictor->band, channel);
    }
    double re = channel->transfer[2 * f], im = channel->transfer[2 * f + 1];
    return (re * re + im * im) * channel->spreading_gain + channel_scattered_gain(&predictor->band, channel);
}

/* Index of the nearest frequency; -1 for the whole band; -2: outside, or masked. */
static int frequency_index(const struct channel_band *band, double frequency)
{
    int count = band->frequency_count, nearest = 0;
    if (frequency == 0.0) {
        return -1;
    }
    for (int f = 1; f < count; f++) {
        nearest = fabs(band->frequency[f] - frequency) < fabs(band->frequency[nearest] - frequency) ? f : nearest;
    }
    double reach = band->spacing > 0.0 ? 0.5 * band->spacing * 1.001 : 0.01 * band->frequency[0];
    return fabs(band->frequency[nearest] - frequency) <= reach && band->usable[nearest] ? nearest : -2;
}

/* m, along the straight line, to a point of the sheet. */
static double distance_to(const struct predictor *predictor, double x, double y)
{
    const struct result_transmitter *from = predictor->from;
    double flat = hypot(x - from->x, y - from->y);
    return predictor->result->dimensions == 3 ? hypot(flat, from->sheets[predictor->sheet].position - from->height)
                                              : flat;
}

pw_channel_options pw_channel_options_of_sheet(const pw_result *result, const pw_channel_options *asked)
{
    pw_channel_options channel = *asked;
    const struct result_transmitter *first = &result->transmitters[0];
    if (result_is_vector(result) && first->sheet_count > 0) {
        const struct result_sheet *chosen = &first->sheets[result->sheet];
        bool own = channel.component == PW_COMPONENT_OWN;
        channel.component =
            own ? result_component(result, (pw_component)(PW_COMPONENT_EX + chosen->component)) : channel.component;
        channel.height =
            isnan(channel.height) && chosen->normal == 2 && result->dimensions == 3 ? chosen->asked : channel.height;
    }
    return channel;
}

/* In three dimensions the plane of a point: that nearest to its height, or to the options', else the chosen one. */
static pw_status sheet_find(struct predictor *predictor, const pw_channel_point *point, pw_error *error)
{
    const struct result *result = predictor->result;
    pw_sheet_choice choice = pw_sheet_choice_default();
    predictor->sheet = result->sheet;
    if (!result_is_vector(result)) {
        return PW_OK;
    }
    const pw_channel_options channel = pw_channel_options_of_sheet(result, &predictor->options->channel);
    choice.height = result->horizontal ? (double)NAN : isnan(point->height) ? channel.height : point->height;
    choice.component = channel.component;
    pw_error reason = {{0}};
    pw_status status =
        isnan(choice.height) && !result->horizontal
            ? fail(&reason, PW_BAD_INPUT, "its result has no horizontal plane for points without a height")
            : pw_result_sheet_find(result, &choice, &predictor->sheet, &reason);
    return status == PW_OK ? PW_OK : fail(error, status, "(%g, %g) m: %s", point->x, point->y, reason.message);
}

/* Mean gain over the box around a point; the cells' spectra are (frequency, row, column). */
static double box_gain(struct predictor *predictor, const pw_channel_point *point, double width, const int box[4],
                       const double *spectra, double *field, int f)
{
    const struct result_sheet *sheet = &predictor->from->sheets[predictor->sheet];
    int columns = box[1] - box[0] + 1, rows = box[3] - box[2] + 1, count = predictor->band.frequency_count;
    const pw_channel_options *channel = &predictor->options->channel;
    double sum = 0.0, weight = 0.0, height = height_of_receiver(point->height, channel);
    for (int row = 0; row < rows; row++) {
        for (int column = 0; column < columns; column++) {
            double share = axis_share(sheet->column_axis, sheet->columns, box[0] + column, point->x, width) *
                           axis_share(sheet->row_axis, sheet->rows, box[2] + row, point->y, width);
            if (!(share > 0.0)) {
                continue;
            }
            for (int n = 0; n < count; n++) {
                memcpy(field + 2 * n,
                       spectra + 2 * (((size_t)n * (size_t)rows + (size_t)row) * (size_t)columns + (size_t)column),
                       2 * sizeof *field);
            }
            double x = sheet->column_axis[box[0] + column], y = sheet->row_axis[box[2] + row];
            const struct slant_end to = {.x = x, .y = y, .height = height};
            const struct slant slant = slant_between(predictor->result, predictor->from, &to, channel);
            double gain = cell_gain(predictor, field, distance_to(predictor, x, y), &slant, f);
            sum += isnan(gain) ? 0.0 : share * gain;
            weight += isnan(gain) ? 0.0 : share;
        }
    }
    return sum / weight;
}

/* Between floor and ceiling, where those count. */
static pw_status point_height_check(const struct predictor *predictor, const pw_channel_point *point, pw_error *error)
{
    char whose[96];
    if (predictor->band.storey == NULL) {
        return PW_OK;
    }
    snprintf(whose, sizeof whose, "the point (%g, %g) m", point->x, point->y);
    return storey_holds(storey_of_band(predictor->band.storey), whose, point->height, error);
}

static pw_status point_predict(struct predictor *predictor, const pw_channel_point *point, double *power,
                               pw_error *error)
{
    TRY(sheet_find(predictor, point, error));
    TRY(point_height_check(predictor, point, error));
    const struct result_transmitter *from = predictor->from;
    const struct result_sheet *sheet = &from->sheets[predictor->sheet];
    const pw_powers_options *options = predictor->options;
    double wavelength = SPEED_OF_LIGHT / (point->frequency > 0.0 ? point->frequency : predictor->band.centre);
    double width = options->mean_width > 0.0 ? options->mean_width : wavelength;
    int box[4], f = frequency_index(&predictor->band, point->frequency);
    FAIL_IF(!axis_cover(sheet->column_axis, sheet->columns, point->x, width, &box[0], &box[1]) ||
                !axis_cover(sheet->row_axis, sheet->rows, point->y, width, &box[2], &box[3]),
            error, PW_BAD_INPUT, "(%g, %g) m is outside the running spectra: x from %g to %g m, y from %g to %g m",
            point->x, point->y, sheet->column_axis[0], sheet->column_axis[sheet->columns - 1], sheet->row_axis[0],
            sheet->row_axis[sheet->rows - 1]);
    FAIL_IF(f == -2, error, PW_BAD_INPUT, "%.9g Hz is not in the band of the result, %.9g to %.9g Hz", point->frequency,
            predictor->band.frequency[0], predictor->band.frequency[predictor->band.frequency_count - 1]);
    size_t cells = (size_t)(box[1] - box[0] + 1) * (size_t)(box[3] - box[2] + 1);
    size_t count = (size_t)predictor->band.frequency_count;
    double *spectra = allocate((cells + 1) * count, 2 * sizeof *spectra, "the spectra around a point", error);
    TRY_MADE(spectra);
    const pw_block block = {box[2], box[3] - box[2] + 1, box[0], box[1] - box[0] + 1};
    pw_status status =
        result_read_sheet(predictor->result, predictor->transmitter, predictor->sheet, &block, spectra, error);
    if (status == PW_OK) {
        double gain = box_gain(predictor, point, width, box, spectra, spectra + 2 * cells * count, f);
        double frequency = f < 0 ? predictor->band.centre : predictor->band.frequency[f];
        *power = from->power + options->receiver_gain + 20.0 * log10(SPEED_OF_LIGHT / (4.0 * M_PI * frequency)) +
                 10.0 * log10(gain);
        if (!isfinite(*power)) {
            status = fail(error, PW_BAD_INPUT, "there is no field at (%g, %g) m; is it inside a conductor?", point->x,
                          point->y);
        }
    }
    free(spectra);
    return status;
}

/* Whose powers, over which band. */
static pw_status predictor_open(struct predictor *predictor, const char *transmitter, pw_error *error)
{
    const struct result *result = predictor->result;
    const pw_channel_options *channel = &predictor->options->channel;
    predictor->transmitter = result_find_transmitter(result, transmitter, error);
    if (predictor->transmitter < 0) {
        return PW_BAD_INPUT;
    }
    predictor->from = &result->transmitters[predictor->transmitter];
    FAIL_IF(!predictor->from->soft || predictor->from->sheet_count == 0, error, PW_BAD_INPUT,
            "%s: transmitter '%s' has no %s, so there is nothing to compare with", result->path, predictor->from->name,
            predictor->from->soft ? "running spectra" : "known current (hard source)");
    TRY(heights_check_transmitter(result, predictor->from, channel, error));
    TRY(channel_band_create(result->dimensions, result->frequency, result->frequency_count, predictor->from->spectrum,
                            channel, &predictor->band, error));
    TRY(link_band_storey(result, predictor->transmitter, &predictor->band, error));
    return channel_create(&predictor->band, &predictor->channel, error);
}

pw_powers_options pw_powers_options_default(void)
{
    return (pw_powers_options){.channel = pw_channel_options_default()};
}

pw_status pw_powers_options_check(const pw_powers_options *options, pw_error *error)
{
    TRY(pw_channel_options_check(&options->channel, error));
    FAIL_IF(options->channel.component == PW_COMPONENT_TOTAL, error, PW_USAGE,
            "an antenna takes in one component: ex, ey or ez; the total power is for maps");
    FAIL_IF(!(fabs(options->receiver_gain) <= 100.0), error, PW_USAGE,
            "the receiver's gain is %g dBi; allowed: -100 to 100", options->receiver_gain);
    FAIL_IF(!(options->mean_width >= 0.0 && isfinite(options->mean_width)), error, PW_USAGE,
            "a mean over %g m: the width must be above 0", options->mean_width);
    return PW_OK;
}

pw_status pw_channel_powers(const pw_result *result, const char *transmitter, const pw_channel_point *points, int count,
                            const pw_powers_options *options, double *power, int *failed, pw_error *error)
{
    const pw_powers_options defaults = pw_powers_options_default();
    struct predictor predictor = {.result = result, .options = options != NULL ? options : &defaults};
    int unused;
    failed = failed != NULL ? failed : &unused;
    *failed = -1;
    FAIL_IF(result == NULL || points == NULL || power == NULL, error, PW_USAGE,
            "pw_channel_powers: result, points and power must not be NULL");
    TRY(pw_powers_options_check(predictor.options, error));
    pw_status status = predictor_open(&predictor, transmitter, error);
    for (int n = 0; status == PW_OK && n < count; n++) {
        if (n % POINTS_BETWEEN_TELLING == 0) {
            status = monitor_tell(&predictor.options->monitor, (double)n / count, error);
        }
        if (status == PW_OK) {
            status = point_predict(&predictor, &points[n], &power[n], error);
            *failed = status != PW_OK ? n : -1;
        }
    }
    channel_free(&predictor.channel);
    channel_band_free(&predictor.band);
    return status;
}
