/* The field over what ends under the ceiling (result.h): kept in memory, since every link of a storey needs it beside
 * its own. */
#include "base/memory.h"
#include "result/result_reading.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS = 8 }; /* at a time, as tiles are */

pw_status reading_over(const struct reading *reading, hid_t group, struct result_transmitter *transmitter,
                       pw_error *error)
{
    hsize_t extent[3];
    if (!hdf5_member_exists(group, "spectra") || !hdf5_member_exists(group, "spectra/over")) {
        return PW_OK;
    }
    const struct result_sheet *sheet = &transmitter->sheets[0];
    TRY(reading_length(reading, group, "spectra/over/ez", 3, ELEMENT_COMPLEX, extent, error));
    FAIL_IF(extent[0] != (hsize_t)reading->result->frequency_count || extent[1] != (hsize_t)sheet->rows ||
                extent[2] != (hsize_t)sheet->columns,
            error, PW_BAD_INPUT, "the spectra over obstacles are %llu x %llu x %llu, those at the cut %d x %d x %d",
            (unsigned long long)extent[0], (unsigned long long)extent[1], (unsigned long long)extent[2],
            reading->result->frequency_count, sheet->rows, sheet->columns);
    TRY_MADE(transmitter->over = allocate(1, sizeof *transmitter->over, "spectra over obstacles", error));
    transmitter->over->frequency_count = reading->result->frequency_count;
    return PW_OK;
}

void result_over_free(struct result_transmitter *transmitter)
{
    if (transmitter->over != NULL) {
        FREE_ALL(transmitter->over->values, transmitter->over);
    }
}

/* Some rows, from (frequency, row, column) to (row, column, frequency). */
static void rows_turn(const double *from, size_t frequencies, size_t cells, float *to)
{
    for (size_t cell = 0; cell < cells; cell++) {
        for (size_t f = 0; f < frequencies; f++) {
            to[2 * (cell * frequencies + f)] = (float)from[2 * (f * cells + cell)];
            to[2 * (cell * frequencies + f) + 1] = (float)from[2 * (f * cells + cell) + 1];
        }
    }
}

static pw_status step_read(const struct result *result, pw_error *error)
{
    if (result->step->tops != NULL) {
        return PW_OK;
    }
    OWNED uint16_t *tops =
        allocate((size_t)result->nx * (size_t)result->ny, sizeof *tops, "where two cuts differ", error);
    TRY_MADE(tops);
    TRY(result_read_step(result, tops, error));
    result->step->tops = tops;
    tops = NULL;
    return PW_OK;
}

double result_over_top(const struct result *result, double x, double y)
{
    const double column = round((x - result->origin_x) / result->cell),
                 row = round((y - result->origin_y) / result->cell);
    const bool inside = column >= 0 && column < result->nx && row >= 0 && row < result->ny;
    return inside ? 1e-3 * result->step->tops[(size_t)row * (size_t)result->nx + (size_t)column] : 0.0;
}

pw_status result_over_read(const struct result *result, int transmitter, pw_error *error)
{
    const struct result_transmitter *owner = &result->transmitters[transmitter];
    const size_t frequencies = (size_t)result->frequency_count;
    FAIL_IF(owner->over == NULL, error, PW_BAD_INPUT,
            "%s: transmitter '%s' was solved at the cut alone, and the plan has things that waves pass over "
            "(plan.over); planwave run solves both; plan.over: none leaves the second out",
            result->path, owner->name);
    FAIL_IF(owner->over->frequency_count != result->frequency_count, error, PW_USAGE,
            "%s: what passes over obstacles is known at the %d frequencies of the spectra alone, not at those "
            "that are asked for: leave them out, or choose another spreading than storey",
            result->path, owner->over->frequency_count);
    TRY(step_read(result, error));
    if (owner->over->values != NULL) {
        return PW_OK;
    }
    const struct result_sheet *sheet = &owner->sheets[0];
    const size_t columns = (size_t)sheet->columns, cells = (size_t)sheet->rows * columns;
    TRY(memory_check((double)(cells * frequencies) * 2 * sizeof(float), "the field over obstacles",
                     "run it with fewer frequencies, a wider spectra.spacing or a spectra.region", error));
    OWNED float *values = allocate(cells * frequencies, 2 * sizeof *values, "the field over obstacles", error);
    OWNED double *rows = allocate(ROWS * columns * frequencies, 2 * sizeof *rows, "the field over obstacles", error);
    TRY_MADE(values != NULL && rows != NULL);
    for (int first = 0; first < sheet->rows; first += ROWS) {
        const int count = sheet->rows - first < ROWS ? sheet->rows - first : ROWS;
        TRY(result_read_over(result, transmitter, &(pw_block){first, count, 0, sheet->columns}, rows, error));
        rows_turn(rows, frequencies, (size_t)count * columns, values + 2 * (size_t)first * columns * frequencies);
    }
    owner->over->values = values;
    values = NULL;
    return PW_OK;
}

void result_over_field(const struct result *result, int transmitter, const double at[2], double *field)
{
    const struct result_transmitter *owner = &result->transmitters[transmitter];
    const struct sheet_place place = result_sheet_point(result, owner, 0, at);
    const size_t frequencies = (size_t)result->frequency_count, columns = (size_t)owner->sheets[0].columns;
    for (size_t k = 0; k < 2 * frequencies; k++) {
        field[k] = 0.0;
    }
    for (int row = 0; row < place.row.count; row++) {
        for (int column = 0; column < place.column.count; column++) {
            const double weight = place.row.weight[row] * place.column.weight[column];
            const float *from =
                owner->over->values +
                2 * frequencies * ((size_t)(place.row.first + row) * columns + (size_t)(place.column.first + column));
            for (size_t k = 0; k < 2 * frequencies; k++) {
                field[k] += weight * from[k];
            }
        }
    }
}
