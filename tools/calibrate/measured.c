/* Measured points and their scores (measured.h). */
#include "calibrate/measured.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELD_LIMIT = 5 };

/* ---- points ---- */

void measured_free(struct measured *measured)
{
    free(measured->points);
    measured->points = NULL;
}

static bool is_number(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return end != text && *end == '\0';
}

/* The columns of a file. */
enum column { COLUMN_X, COLUMN_Y, COLUMN_HEIGHT, COLUMN_POWER, COLUMN_COUNT };

/* The numbers of a line; `fields` moves to what is behind them. */
static pw_status numbers_parse(char ***fields, bool has_heights, const char *path, int number,
                               double values[COLUMN_COUNT], pw_error *error)
{
    static const char *const names[] = {"x [m]", "y [m]", "z [m]", "power [dBm]"};
    values[COLUMN_HEIGHT] = NAN;
    for (int column = 0; column < COLUMN_COUNT; column++) {
        if (column == COLUMN_HEIGHT && !has_heights) {
            continue;
        }
        const char *field = *(*fields)++;
        if (!is_number(field, &values[column]) || !isfinite(values[column])) {
            return fail(error, PW_BAD_INPUT, "%s:%d: %s = '%.40s': not a number", path, number, names[column], field);
        }
    }
    return PW_OK;
}

static pw_status point_parse(char *line, bool has_heights, const char *path, int number, struct measured_point *point,
                             pw_error *error)
{
    char *fields[FIELD_LIMIT], **next = fields;
    double values[COLUMN_COUNT];
    int count = pw_line_cut(line, fields, FIELD_LIMIT), least = has_heights ? 4 : 3;
    if (count < least || count > least + 1) {
        return fail(error, PW_BAD_INPUT,
                    "%s:%d: %s columns; a line has x [m], y [m], %spower [dBm] and, if known, the frequency", path,
                    number,
                    count >= 0 && count < least ? has_heights ? "fewer than four" : "fewer than three"
                    : has_heights               ? "more than five"
                                                : "more than four",
                    has_heights ? "z [m], " : "");
    }
    TRY(numbers_parse(&next, has_heights, path, number, values, error));
    if (!(values[COLUMN_POWER] >= -300.0 && values[COLUMN_POWER] <= 100.0)) {
        return fail(error, PW_BAD_INPUT, "%s:%d: power = %g dBm; allowed are -300 to 100", path, number,
                    values[COLUMN_POWER]);
    }
    *point = (struct measured_point){.x = values[COLUMN_X],
                                     .y = values[COLUMN_Y],
                                     .height = values[COLUMN_HEIGHT],
                                     .power = values[COLUMN_POWER],
                                     .line = number};
    if (count > least && next[0][0] != '\0') {
        pw_error reason = {{0}};
        if (pw_quantity_parse(next[0], PW_DIMENSION_FREQUENCY, &point->frequency, &reason) != PW_OK ||
            !(point->frequency > 0.0)) {
            return fail(error, PW_BAD_INPUT, "%s:%d: frequency = '%.40s': give a frequency above 0, such as 2.45 GHz",
                        path, number, next[0]);
        }
    }
    return PW_OK;
}

/* A first line of names: its first field is no number. *has_heights: its third is z or height. */
static bool is_header(const char *line, bool *has_heights)
{
    char copy[PW_LINE_SIZE], *fields[FIELD_LIMIT];
    double value;
    snprintf(copy, sizeof copy, "%s", line);
    int count = pw_line_cut(copy, fields, FIELD_LIMIT);
    bool header = count >= 3 && isalpha((unsigned char)fields[0][0]) && !is_number(fields[0], &value);
    *has_heights = header && pw_title_is_height(fields[2]);
    return header;
}

static pw_status point_append(struct measured *measured, size_t *room, struct measured_point point, pw_error *error)
{
    if (measured->count == POINT_LIMIT) {
        return fail(error, PW_BAD_INPUT, "%s: more than %d points", measured->path, POINT_LIMIT);
    }
    TRY(array_grow(&measured->points, room, (size_t)measured->count, sizeof *measured->points, "measured points",
                   error));
    measured->points[measured->count++] = point;
    return PW_OK;
}

static bool same_place(const struct measured_point *a, const struct measured_point *b)
{
    return floor(a->x / MEASURED_PLACE) == floor(b->x / MEASURED_PLACE) &&
           floor(a->y / MEASURED_PLACE) == floor(b->y / MEASURED_PLACE);
}

/* Numbers the places and holds some out. Somebody who walks comes from a point to a near one: the latest are looked at
 * first. */
static void places_hold(struct measured *measured, int hold_out)
{
    for (int n = 0; n < measured->count; n++) {
        struct measured_point *point = &measured->points[n];
        int other = n - 1;
        for (; other >= 0 && !same_place(point, &measured->points[other]); other--) {
        }
        point->place = other >= 0 ? measured->points[other].place : ++measured->places;
        point->held = hold_out > 0 && point->place % hold_out == 0;
        measured->fitted += !point->held;
    }
    measured->places_held = hold_out > 0 ? measured->places / hold_out : 0;
}

static pw_status lines_read(pw_lines *lines, struct measured *measured, pw_error *error)
{
    size_t room = 0;
    for (bool first = true;; first = false) {
        char *line;
        TRY(pw_lines_next(lines, &line, error));
        if (line == NULL) {
            return measured->count > 0 ? PW_OK : fail(error, PW_BAD_INPUT, "%s: no points in it", measured->path);
        }
        if (first && is_header(line, &measured->has_heights)) {
            continue;
        }
        struct measured_point point;
        TRY(point_parse(line, measured->has_heights, measured->path, lines->number, &point, error));
        TRY(point_append(measured, &room, point, error));
    }
}

pw_status measured_read(const char *path, int hold_out, struct measured *measured, pw_error *error)
{
    pw_lines lines;
    *measured = (struct measured){.path = path};
    TRY(pw_lines_open(&lines, path, "points", error));
    pw_status status = lines_read(&lines, measured, error);
    pw_lines_close(&lines);
    if (status != PW_OK) {
        measured_free(measured);
        return status;
    }
    places_hold(measured, hold_out);
    return PW_OK;
}

pw_status measured_take(const pw_point *points, int count, int hold_out, struct measured *measured, pw_error *error)
{
    *measured = (struct measured){.path = "measured points"};
    if (count < 1 || count > POINT_LIMIT) {
        return fail(error, PW_BAD_INPUT, "%d measured points; allowed are 1 to %d", count, POINT_LIMIT);
    }
    measured->points = allocate((size_t)count, sizeof *measured->points, "measured points", error);
    TRY_MADE(measured->points);
    for (int n = 0; n < count; n++) {
        const pw_point *from = &points[n];
        double height = from->has_height ? from->height : 0.0;
        if (!isfinite(from->x) || !isfinite(from->y) || !isfinite(height) ||
            !(from->power >= -300.0 && from->power <= 100.0) ||
            !(from->frequency >= 0.0 && isfinite(from->frequency))) {
            measured_free(measured);
            return fail(
                error, PW_BAD_INPUT,
                "measured point %d: (%g, %g) m, %g dBm, %g Hz: finite positions, powers from -300 to 100 dBm and "
                "frequencies of 0 (whole band) or more are allowed",
                n + 1, from->x, from->y, from->power, from->frequency);
        }
        measured->points[n] = (struct measured_point){.x = from->x,
                                                      .y = from->y,
                                                      .height = from->has_height ? from->height : (double)NAN,
                                                      .power = from->power,
                                                      .frequency = from->frequency,
                                                      .line = n + 1};
        measured->count++;
        measured->has_heights = measured->has_heights || from->has_height;
    }
    places_hold(measured, hold_out);
    return PW_OK;
}

pw_status measured_suffices(const struct measured *measured, int parameters, pw_error *error)
{
    int held = measured->count - measured->fitted;
    if (measured->fitted < FITTED_PER_PARAMETER * parameters) {
        return fail(error, PW_BAD_INPUT,
                    "%s: %d parameter%s cannot be fitted to %d points (%d held out): each takes %d points that are not "
                    "held out",
                    measured->path, parameters, parameters > 1 ? "s" : "", measured->fitted, held,
                    FITTED_PER_PARAMETER);
    }
    if (held > 0 && held < HELD_LEAST) {
        return fail(
            error, PW_BAD_INPUT,
            "%s: only %d of %d points would be held out, too few to judge by; measure more points, or hold out none",
            measured->path, held, measured->count);
    }
    return PW_OK;
}

/* ---- predictions ---- */

pw_status measured_predict(const struct measured *measured, const pw_result *result,
                           const pw_calibration_options *options, double *predicted, pw_error *error)
{
    pw_channel_point *points = allocate((size_t)measured->count, sizeof *points, "measured points", error);
    TRY_MADE(points);
    for (int n = 0; n < measured->count; n++) {
        const struct measured_point *from = &measured->points[n];
        points[n] = (pw_channel_point){from->x, from->y, from->height, from->frequency};
    }
    const pw_powers_options powers = {.channel = options->channel,
                                      .receiver_gain = options->receiver_gain,
                                      .mean_width = options->mean_width,
                                      .monitor = options->monitor};
    int failed;
    pw_error reason = {{0}};
    pw_status status =
        pw_channel_powers(result, options->transmitter, points, measured->count, &powers, predicted, &failed, &reason);
    free(points);
    if (status == PW_OK) {
        return PW_OK;
    }
    return failed < 0
               ? fail(error, status, "%s", reason.message)
               : fail(error, status, "%s:%d: %.900s", measured->path, measured->points[failed].line, reason.message);
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
