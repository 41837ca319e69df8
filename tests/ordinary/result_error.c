/* The error of a result against a finer one (result_error.h), through the public interface alone. Points whose power is
 * more than 90 dB under the strongest are left out: single precision has little to say there. */
#include "tests/ordinary/result_error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TILE = 8 };
static const double FLOOR_DB = 90;

/* Two results and their points. */
struct pair {
    pw_result *result[2];
    int rows, columns, frequencies;
};

static pw_status refuse(pw_error *error, const char *what)
{
    snprintf(error->message, sizeof error->message, "%s", what);
    return PW_BAD_INPUT;
}

static pw_status pair_check(struct pair *pair, pw_error *error)
{
    double first[2], last[2];
    for (int side = 0; side < 2; side++) {
        pw_transmitter facts;
        pw_status status = pw_result_transmitter(pair->result[side], 0, &facts, error);
        if (status != PW_OK) {
            return status;
        }
        if (side == 1 && (facts.spectra_rows != pair->rows || facts.spectra_columns != pair->columns)) {
            return refuse(error, "the results have other numbers of points");
        }
        pair->rows = facts.spectra_rows;
        pair->columns = facts.spectra_columns;
        pair->frequencies = pw_result_describe(pair->result[side]).frequency_count;
        double *x = calloc((size_t)pair->columns, sizeof *x), *y = calloc((size_t)pair->rows, sizeof *y);
        status = pw_result_spectra_axes(pair->result[side], 0, x, y, error);
        first[side] = x[0] + y[0];
        last[side] = x[pair->columns - 1] + y[pair->rows - 1];
        free(x);
        free(y);
        if (status != PW_OK) {
            return status;
        }
    }
    return fabs(first[0] - first[1]) < 1e-6 && fabs(last[0] - last[1]) < 1e-6
               ? PW_OK
               : refuse(error, "the results have other points");
}

static int ascending(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* The transfer functions of a block of points, over the current of the transmitter: squares of difference and field. */
static pw_status patch_error(const struct pair *pair, const pw_block *block, double *const source[2],
                             double *difference, double *field, pw_error *error)
{
    const size_t points = (size_t)block->row_count * (size_t)block->column_count;
    double *spectra[2] = {NULL, NULL};
    pw_status status = PW_OK;
    for (int side = 0; side < 2 && status == PW_OK; side++) {
        spectra[side] = calloc(2 * points * (size_t)pair->frequencies, sizeof(double));
        status = pw_result_spectra(pair->result[side], 0, block, spectra[side], error);
    }
    *difference = *field = 0;
    for (int f = 0; f < pair->frequencies && status == PW_OK; f++) {
        double gain[2][2];
        for (int side = 0; side < 2; side++) {
            double re = source[side][2 * f], im = source[side][2 * f + 1], square = re * re + im * im;
            gain[side][0] = re / square;
            gain[side][1] = -im / square;
        }
        for (size_t p = 0; p < points; p++) {
            double h[2][2];
            for (int side = 0; side < 2; side++) {
                const double *e = spectra[side] + 2 * ((size_t)f * points + p);
                h[side][0] = e[0] * gain[side][0] - e[1] * gain[side][1];
                h[side][1] = e[0] * gain[side][1] + e[1] * gain[side][0];
            }
            double re = h[0][0] - h[1][0], im = h[0][1] - h[1][1];
            *difference += re * re + im * im;
            *field += h[1][0] * h[1][0] + h[1][1] * h[1][1];
        }
    }
    free(spectra[0]);
    free(spectra[1]);
    return status;
}

static pw_status field_error(const struct pair *pair, struct result_error *found, pw_error *error)
{
    double *source[2];
    pw_status status = PW_OK;
    for (int side = 0; side < 2; side++) {
        source[side] = calloc(2 * (size_t)pair->frequencies, sizeof(double));
        status = status == PW_OK ? pw_result_source_spectrum(pair->result[side], 0, source[side], error) : status;
    }
    int down = pair->rows / TILE, across = pair->columns / TILE, count = 0;
    double *difference = calloc((size_t)down * (size_t)across + 1, sizeof(double)), strongest = 0;
    double *field = calloc((size_t)down * (size_t)across + 1, sizeof(double));
    for (int r = 0; r < down; r++) {
        for (int c = 0; c < across && status == PW_OK; c++) {
            const pw_block block = {r * TILE, TILE, c * TILE, TILE};
            status = patch_error(pair, &block, source, &difference[count], &field[count], error);
            strongest = fmax(strongest, field[count]);
            count++;
        }
    }
    double sum = 0;
    int used = 0;
    for (int k = 0; k < count; k++) {
        if (field[k] > strongest * pow(10, -FLOOR_DB / 10)) {
            double square = fmin(difference[k] / field[k], 2);
            sum += square;
            difference[used++] = sqrt(square);
        }
    }
    qsort(difference, (size_t)used, sizeof(double), ascending);
    found->patches = used;
    found->field = used > 0 ? sqrt(sum / used) : NAN;
    found->field_median = used > 0 ? difference[used / 2] : NAN;
    free(difference);
    free(field);
    free(source[0]);
    free(source[1]);
    return status;
}

/* Root mean square and two-thirds quantile of the difference of a map of both results, and the median of the finer one.
 * `power`: dB; else ns. */
static pw_status map_error(const struct pair *pair, pw_quantity quantity, bool local_mean, double *rms, double *usual,
                           double *median, pw_error *error)
{
    pw_map_options options = pw_map_options_default();
    options.quantity = quantity;
    options.local_mean = local_mean;
    size_t count = 0;
    double *values[2] = {NULL, NULL};
    pw_status status = PW_OK;
    for (int side = 0; side < 2 && status == PW_OK; side++) {
        pw_map_shape shape;
        status = pw_map_describe(pair->result[side], &options, &shape, error);
        count = status == PW_OK ? (size_t)shape.rows * (size_t)shape.columns : 0;
        values[side] = calloc(count + 1, sizeof(double));
        status = status == PW_OK ? pw_map_compute(pair->result[side], &options, values[side], NULL, error) : status;
    }
    double strongest = -HUGE_VAL, sum = 0;
    size_t used = 0;
    bool power = quantity == PW_RECEIVED_POWER;
    for (size_t k = 0; k < count && power; k++) {
        strongest = isfinite(values[1][k]) ? fmax(strongest, values[1][k]) : strongest;
    }
    for (size_t k = 0; k < count; k++) {
        bool heard =
            isfinite(values[0][k]) && isfinite(values[1][k]) && (!power || values[1][k] > strongest - FLOOR_DB);
        if (heard) {
            double difference = fabs(values[0][k] - values[1][k]);
            sum += difference * difference;
            values[0][used] = difference;
            values[1][used++] = values[1][k];
        }
    }
    *rms = used > 0 ? sqrt(sum / (double)used) : NAN;
    if (used > 0) {
        qsort(values[0], used, sizeof(double), ascending);
        *usual = values[0][2 * used / 3];
    }
    if (median != NULL && used > 0) {
        qsort(values[1], used, sizeof(double), ascending);
        *median = values[1][used / 2];
    }
    free(values[0]);
    free(values[1]);
    return status;
}

pw_status result_error(const char *coarse, const char *fine, struct result_error *found, pw_error *error)
{
    struct pair pair = {0};
    double spread = NAN, usual = NAN;
    *found = (struct result_error){0};
    pw_status status = pw_result_open(coarse, &pair.result[0], error);
    status = status == PW_OK ? pw_result_open(fine, &pair.result[1], error) : status;
    status = status == PW_OK ? pair_check(&pair, error) : status;
    status = status == PW_OK ? field_error(&pair, found, error) : status;
    status = status == PW_OK
                 ? map_error(&pair, PW_RECEIVED_POWER, true, &found->local_mean, &found->local_mean_usual, NULL, error)
                 : status;
    status = status == PW_OK
                 ? map_error(&pair, PW_RECEIVED_POWER, false, &found->point, &found->point_usual, NULL, error)
                 : status;
    status =
        status == PW_OK ? map_error(&pair, PW_RMS_DELAY_SPREAD, false, &found->delay, &usual, &spread, error) : status;
    found->delay *= 1e-9;
    found->delay_usual = usual * 1e-9;
    found->spread = spread * 1e-9;
    pw_result_close(pair.result[0]);
    pw_result_close(pair.result[1]);
    return status;
}
