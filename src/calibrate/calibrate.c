/* pw_calibrate: measured points, predictions at them, statistics, the global offset, and what is told about them
 * (calibrate.h). */
#include "calibrate/calibrate.h"
#include "base/constants.h"

#include "base/units.h"
#include "channel/export/channel_files.h"
#include "file/atomic_file.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

enum { LINE_LIMIT = 512, FIELD_LIMIT = 4 };

pw_calibration_options pw_calibration_options_default(void)
{
    return (pw_calibration_options){.channel = pw_channel_options_default(), .hold_out = 4, .cell_factor = 1.0};
}

/* ---- points ---- */

void measured_free(struct measured *measured)
{
    free(measured->points);
    measured->points = NULL;
}

/* Cuts a line at commas, semicolons or tabs into at most FIELD_LIMIT fields without blanks around them; -1: more. */
static int line_cut(char *line, char *fields[FIELD_LIMIT])
{
    int count = 0;
    for (char *next = line; next != NULL;) {
        char *field = strsep(&next, ",;\t");
        field += strspn(field, " ");
        for (char *end = field + strlen(field); end > field && isspace((unsigned char)end[-1]); end--) {
            end[-1] = '\0';
        }
        if (count == FIELD_LIMIT) {
            return -1;
        }
        fields[count++] = field;
    }
    return count;
}

static bool is_number(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return end != text && *end == '\0';
}

static pw_status point_parse(char *line, const char *path, int number, struct measured_point *point, pw_error *error)
{
    static const char *const names[] = {"x [m]", "y [m]", "power [dBm]"};
    char *fields[FIELD_LIMIT];
    double values[3];
    int count = line_cut(line, fields);
    if (count < 3) {
        return fail(error, PW_BAD_INPUT,
                    "%s:%d: %s columns; wanted are x [m], y [m], power [dBm] and, if known, frequency", path, number,
                    count < 0 ? "more than four" : "fewer than three");
    }
    for (int n = 0; n < 3; n++) {
        if (!is_number(fields[n], &values[n]) || !isfinite(values[n])) {
            return fail(error, PW_BAD_INPUT, "%s:%d: %s = '%.40s': not a number", path, number, names[n], fields[n]);
        }
    }
    if (!(values[2] >= -300.0 && values[2] <= 100.0)) {
        return fail(error, PW_BAD_INPUT, "%s:%d: power = %g dBm; allowed are -300 to 100", path, number, values[2]);
    }
    *point = (struct measured_point){.x = values[0], .y = values[1], .power = values[2], .line = number};
    if (count == FIELD_LIMIT && fields[3][0] != '\0') {
        pw_error reason = {{0}};
        if (quantity_parse(fields[3], DIMENSION_FREQUENCY, &point->frequency, &reason) != PW_OK ||
            !(point->frequency > 0.0)) {
            return fail(error, PW_BAD_INPUT,
                        "%s:%d: frequency = '%.40s': a frequency over zero is wanted, such as 2.45 GHz", path, number,
                        fields[3]);
        }
    }
    return PW_OK;
}

/* A first line of names: its first field is no number. */
static bool is_header(const char *line)
{
    char copy[LINE_LIMIT], *fields[FIELD_LIMIT];
    double value;
    snprintf(copy, sizeof copy, "%s", line);
    int count = line_cut(copy, fields);
    return count >= 3 && isalpha((unsigned char)fields[0][0]) && !is_number(fields[0], &value);
}

static pw_status point_append(struct measured *measured, int *room, struct measured_point point, pw_error *error)
{
    if (measured->count == POINT_LIMIT) {
        return fail(error, PW_BAD_INPUT, "%s: more than %d points", measured->path, POINT_LIMIT);
    }
    if (measured->count == *room) {
        *room = *room > 0 ? 2 * *room : 256;
        struct measured_point *grown = realloc(measured->points, (size_t)*room * sizeof *grown);
        if (grown == NULL) {
            return fail(error, PW_NO_RESOURCE, "not enough memory for %d measured points", *room);
        }
        measured->points = grown;
    }
    measured->points[measured->count++] = point;
    return PW_OK;
}

static pw_status lines_read(FILE *file, int hold_out, struct measured *measured, pw_error *error)
{
    char line[LINE_LIMIT];
    int room = 0;
    bool first = true;
    for (int number = 1; fgets(line, sizeof line, file) != NULL; number++) {
        if (strchr(line, '\n') == NULL && !feof(file)) {
            return fail(error, PW_BAD_INPUT, "%s:%d: longer than %d letters; is this a CSV of points?", measured->path,
                        number, LINE_LIMIT - 2);
        }
        size_t blanks = strspn(line, " \t\r\n\xef\xbb\xbf"); /* a byte order mark, too */
        if (line[blanks] == '\0' || line[blanks] == '#') {
            continue;
        }
        bool header = first && is_header(line + blanks);
        first = false;
        if (header) {
            continue;
        }
        struct measured_point point;
        TRY(point_parse(line + blanks, measured->path, number, &point, error));
        point.held = hold_out > 0 && (measured->count + 1) % hold_out == 0;
        TRY(point_append(measured, &room, point, error));
        measured->fitted += !point.held;
    }
    if (ferror(file) != 0) {
        return fail(error, PW_BAD_INPUT, "cannot read '%s': %s", measured->path, strerror(errno));
    }
    return measured->count > 0 ? PW_OK : fail(error, PW_BAD_INPUT, "%s: no points in it", measured->path);
}

pw_status measured_read(const char *path, int hold_out, struct measured *measured, pw_error *error)
{
    *measured = (struct measured){.path = path};
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return fail(error, PW_BAD_INPUT, "cannot read '%s': %s", path, strerror(errno));
    }
    pw_status status = lines_read(file, hold_out, measured, error);
    fclose(file);
    if (status != PW_OK) {
        measured_free(measured);
    }
    return status;
}

pw_status measured_bears(const struct measured *measured, int parameters, pw_error *error)
{
    int held = measured->count - measured->fitted;
    if (measured->fitted < FITTED_PER_PARAMETER * parameters) {
        return fail(
            error, PW_BAD_INPUT,
            "%s: %d parameter%s cannot be fitted to %d points (%d held out): %d fitted points are wanted for each",
            measured->path, parameters, parameters > 1 ? "s" : "", measured->fitted, held, FITTED_PER_PARAMETER);
    }
    if (held > 0 && held < HELD_LEAST) {
        return fail(error, PW_BAD_INPUT, "%s: only %d of %d points is held out; measure more, or hold out none",
                    measured->path, held, measured->count);
    }
    return PW_OK;
}

/* ---- predictions ---- */

struct predictor {
    const struct result *result;
    const struct result_transmitter *from;
    int transmitter;
    const pw_calibration_options *options;
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
static double cell_gain(struct predictor *predictor, const double *field, double distance, int f)
{
    struct channel *channel = &predictor->channel;
    channel_set_field(&predictor->band, field, 1, channel);
    channel_transform(&predictor->band, distance, channel);
    if (f < 0) {
        return channel_path_gain(&predictor->band, channel);
    }
    double re = channel->transfer[2 * f], im = channel->transfer[2 * f + 1];
    return (re * re + im * im) * channel->spreading_gain;
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

/* Mean gain over the box around a point; the cells' spectra are (frequency, row, column). */
static double box_gain(struct predictor *predictor, const struct measured_point *point, double width, const int box[4],
                       const double *spectra, double *field, int f)
{
    const struct result_transmitter *from = predictor->from;
    int columns = box[1] - box[0] + 1, rows = box[3] - box[2] + 1, count = predictor->band.frequency_count;
    double sum = 0.0, weight = 0.0;
    for (int row = 0; row < rows; row++) {
        for (int column = 0; column < columns; column++) {
            double share = axis_share(from->x_axis, from->columns, box[0] + column, point->x, width) *
                           axis_share(from->y_axis, from->rows, box[2] + row, point->y, width);
            if (!(share > 0.0)) {
                continue;
            }
            for (int n = 0; n < count; n++) {
                memcpy(field + 2 * n,
                       spectra + 2 * (((size_t)n * (size_t)rows + (size_t)row) * (size_t)columns + (size_t)column),
                       2 * sizeof *field);
            }
            double gain =
                cell_gain(predictor, field,
                          hypot(from->x_axis[box[0] + column] - from->x, from->y_axis[box[2] + row] - from->y), f);
            sum += isnan(gain) ? 0.0 : share * gain;
            weight += isnan(gain) ? 0.0 : share;
        }
    }
    return sum / weight;
}

static pw_status point_predict(struct predictor *predictor, const struct measured *measured,
                               const struct measured_point *point, double *power, pw_error *error)
{
    const struct result_transmitter *from = predictor->from;
    const pw_calibration_options *options = predictor->options;
    double wavelength = SPEED_OF_LIGHT / (point->frequency > 0.0 ? point->frequency : predictor->band.centre);
    double width = options->mean_width > 0.0 ? options->mean_width : wavelength;
    int box[4], f = frequency_index(&predictor->band, point->frequency);
    if (!axis_cover(from->x_axis, from->columns, point->x, width, &box[0], &box[1]) ||
        !axis_cover(from->y_axis, from->rows, point->y, width, &box[2], &box[3])) {
        return fail(error, PW_BAD_INPUT,
                    "%s:%d: (%g, %g) m is outside the running spectra: x from %g to %g m, y from %g to %g m",
                    measured->path, point->line, point->x, point->y, from->x_axis[0], from->x_axis[from->columns - 1],
                    from->y_axis[0], from->y_axis[from->rows - 1]);
    }
    if (f == -2) {
        return fail(error, PW_BAD_INPUT, "%s:%d: %.9g Hz is not in the band of the result, %.9g to %.9g Hz",
                    measured->path, point->line, point->frequency, predictor->band.frequency[0],
                    predictor->band.frequency[predictor->band.frequency_count - 1]);
    }
    size_t cells = (size_t)(box[1] - box[0] + 1) * (size_t)(box[3] - box[2] + 1);
    size_t count = (size_t)predictor->band.frequency_count;
    double *spectra = allocate((cells + 1) * count, 2 * sizeof *spectra, "the spectra around a point", error);
    if (spectra == NULL) {
        return PW_NO_RESOURCE;
    }
    pw_status status = result_read_spectra(predictor->result, predictor->transmitter, box[2], box[3] - box[2] + 1,
                                           box[0], box[1] - box[0] + 1, spectra, error);
    if (status == PW_OK) {
        double gain = box_gain(predictor, point, width, box, spectra, spectra + 2 * cells * count, f);
        double frequency = f < 0 ? predictor->band.centre : predictor->band.frequency[f];
        *power = from->power + options->receiver_gain + 20.0 * log10(SPEED_OF_LIGHT / (4.0 * pi * frequency)) +
                 10.0 * log10(gain);
        if (!isfinite(*power)) {
            status = fail(error, PW_BAD_INPUT, "%s:%d: there is no field at (%g, %g) m; is it inside a conductor?",
                          measured->path, point->line, point->x, point->y);
        }
    }
    free(spectra);
    return status;
}

pw_status measured_predict(const struct measured *measured, const struct result *result,
                           const pw_calibration_options *options, double *predicted, pw_error *error)
{
    struct predictor predictor = {.result = result, .options = options};
    predictor.transmitter = result_find_transmitter(result, options->transmitter, error);
    if (predictor.transmitter < 0) {
        return PW_BAD_INPUT;
    }
    predictor.from = &result->transmitters[predictor.transmitter];
    if (!predictor.from->soft || predictor.from->rows == 0 || predictor.from->columns == 0) {
        return fail(error, PW_BAD_INPUT, "%s: transmitter '%s' has no %s, so there is nothing to compare with",
                    result->path, predictor.from->name,
                    predictor.from->soft ? "running spectra" : "known current (hard source)");
    }
    TRY(channel_band_create(result->frequency, result->frequency_count, predictor.from->spectrum, &options->channel,
                            &predictor.band, error));
    pw_status status = channel_create(&predictor.band, &predictor.channel, error);
    for (int n = 0; status == PW_OK && n < measured->count; n++) {
        status = point_predict(&predictor, measured, &measured->points[n], &predicted[n], error);
    }
    channel_free(&predictor.channel);
    channel_band_free(&predictor.band);
    return status;
}

/* ---- statistics ---- */

pw_calibration_score measured_score(const struct measured *measured, const double *predicted, double offset, bool held)
{
    double count = 0, p = 0, m = 0, square = 0, pp = 0, mm = 0, pm = 0;
    for (int n = 0; n < measured->count; n++) {
        if (measured->points[n].held == held) {
            double error = predicted[n] + offset - measured->points[n].power;
            count++;
            p += predicted[n];
            m += measured->points[n].power;
            square += error * error;
        }
    }
    for (int n = 0; n < measured->count; n++) {
        if (measured->points[n].held == held) {
            double from_p = predicted[n] - p / count, from_m = measured->points[n].power - m / count;
            pp += from_p * from_p;
            mm += from_m * from_m;
            pm += from_p * from_m;
        }
    }
    return (pw_calibration_score){
        .count = (int)count,
        .bias = count > 0 ? (p - m) / count + offset : NAN,
        .rmse = count > 0 ? sqrt(square / count) : NAN,
        .correlation = count > 2 && pp > 0.0 && mm > 0.0 ? pm / sqrt(pp * mm) : NAN,
    };
}

static void offset_fit(const struct measured *measured, const double *predicted, pw_calibration *calibration)
{
    calibration->fitted_before = measured_score(measured, predicted, 0.0, false);
    calibration->held_before = measured_score(measured, predicted, 0.0, true);
    calibration->offset = -calibration->fitted_before.bias;
    calibration->fitted = measured_score(measured, predicted, calibration->offset, false);
    calibration->held = measured_score(measured, predicted, calibration->offset, true);
    calibration->fitted.bias = 0.0; /* as the fit has it, without the rounding */
    double n = calibration->fitted.count;
    calibration->offset_error = calibration->fitted.rmse / sqrt(n - 1.0); /* s/sqrt(n) with s from n - 1 */
}

/* ---- telling ---- */

static void score_print(FILE *report, const char *what, pw_calibration_score score)
{
    fprintf(report, "  %-22s %5d points   bias %7.2f dB   RMSE %6.2f dB   correlation %6.3f\n", what, score.count,
            score.bias, score.rmse, score.correlation);
}

static void report_print(const struct measured *measured, const pw_calibration_options *options,
                         const pw_calibration *calibration, FILE *report)
{
    fprintf(report, "%d measured points of %s; ", measured->count, measured->path);
    if (measured->fitted < measured->count) {
        fprintf(report, "held out: every point whose number is a multiple of %d\n", options->hold_out);
    } else {
        fprintf(report, "none held out: what follows is how well the fit describes its own points\n");
    }
    fprintf(report, "as predicted\n");
    score_print(report, "points to be fitted", calibration->fitted_before);
    if (calibration->held_before.count > 0) {
        score_print(report, "points held out", calibration->held_before);
    }
    fprintf(report, "with a global offset of %.2f dB (standard error %.2f dB)\n", calibration->offset,
            calibration->offset_error);
    score_print(report, "fitted points", calibration->fitted);
    if (calibration->held.count > 0) {
        score_print(report, "points held out", calibration->held);
    }
}

static pw_status csv_write(const struct measured *measured, const double *predicted,
                           const pw_calibration_options *options, const pw_calibration *calibration, const char *path,
                           pw_error *error)
{
    FILE *file = disk_create(path, error);
    if (file == NULL) {
        return PW_NO_RESOURCE;
    }
    fprintf(file,
            "# planwave %s: predicted received power against %s\n"
            "# from 2D to 3D: %s; receiver gain %.6g dBi\n"
            "# offset %.6f dB, to be added to predictions; fitted: 0 held out, 1 used in the fit\n"
            "x_m,y_m,frequency_Hz,measured_dBm,predicted_dBm,calibrated_dBm,error_dB,fitted\n",
            PW_VERSION, measured->path, channel_spreading_text(options->channel.spreading), options->receiver_gain,
            calibration->offset);
    for (int n = 0; n < measured->count; n++) {
        const struct measured_point *point = &measured->points[n];
        double calibrated = predicted[n] + calibration->offset;
        fprintf(file, "%.9g,%.9g,", point->x, point->y);
        if (point->frequency > 0.0) {
            fprintf(file, "%.12g", point->frequency);
        }
        fprintf(file, ",%.6g,%.6f,%.6f,%.6f,%d\n", point->power, predicted[n], calibrated, calibrated - point->power,
                !point->held);
    }
    return disk_finish(file, path, error);
}

/* ---- the whole ---- */

static pw_status options_check(const pw_calibration_options *options, pw_error *error)
{
    TRY(channel_options_check(&options->channel, error));
    if (!(fabs(options->receiver_gain) <= 100.0)) {
        return fail(error, PW_USAGE, "the receiver's gain is %g dBi; allowed: -100 to 100", options->receiver_gain);
    }
    if (!(options->mean_width >= 0.0 && isfinite(options->mean_width))) {
        return fail(error, PW_USAGE, "a mean over %g m: allowed is what is over 0", options->mean_width);
    }
    if (options->hold_out == 1 || options->hold_out < 0) {
        return fail(error, PW_USAGE, "every %d-th point held out: allowed are 0 (none) and 2 upwards",
                    options->hold_out);
    }
    if (options->material_count < 0 || options->material_count > PW_CALIBRATED_MATERIALS) {
        return fail(error, PW_USAGE, "%d materials to scale; allowed are 0 to %d", options->material_count,
                    PW_CALIBRATED_MATERIALS);
    }
    return PW_OK;
}

static pw_status calibrate_points(const struct result *result, const struct measured *measured,
                                  const pw_calibration_options *options, const char *csv_path, void *report,
                                  pw_calibration *calibration, pw_error *error)
{
    TRY(measured_bears(measured, 1 + 2 * options->material_count, error));
    double *predicted = allocate((size_t)measured->count, sizeof *predicted, "predictions", error);
    if (predicted == NULL) {
        return PW_NO_RESOURCE;
    }
    pw_status status = measured_predict(measured, result, options, predicted, error);
    if (status == PW_OK) {
        offset_fit(measured, predicted, calibration);
    }
    if (status == PW_OK && report != NULL) {
        report_print(measured, options, calibration, report);
    }
    if (status == PW_OK && options->material_count > 0) {
        status = calibrate_materials(result, measured, options, calibration, report, error);
    }
    /* Last, so that a failure leaves nothing behind. */
    if (status == PW_OK && csv_path != NULL) {
        status = csv_write(measured, predicted, options, calibration, csv_path, error);
    }
    free(predicted);
    return status;
}

pw_status pw_calibrate(const pw_result *result, const char *measured_path, const pw_calibration_options *options,
                       const char *csv_path, void *report, pw_calibration *calibration, pw_error *error)
{
    pw_calibration_options defaults = pw_calibration_options_default();
    pw_calibration unused;
    options = options != NULL ? options : &defaults;
    calibration = calibration != NULL ? calibration : &unused;
    memset(calibration, 0, sizeof *calibration);
    if (result == NULL || measured_path == NULL) {
        return fail(error, PW_USAGE, "pw_calibrate: no %s given", result == NULL ? "result" : "measured points");
    }
    TRY(options_check(options, error));
    struct measured measured;
    TRY(measured_read(measured_path, options->hold_out, &measured, error));
    pw_status status = calibrate_points(result, &measured, options, csv_path, report, calibration, error);
    measured_free(&measured);
    return status;
}
