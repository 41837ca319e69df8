/* Compares what a result says of its lattice; reads no spectra. */
#include "sweep/collect/lattice.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Returns false. */
__attribute__((format(printf, 2, 3))) static bool differ(struct difference *difference, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(difference->text, sizeof difference->text, format, arguments);
    va_end(arguments);
    difference->same = false;
    return false;
}

/* Equal but for the rounding of a computation done twice. */
static bool is_close(double a, double b, double scale)
{
    return fabs(a - b) <= 1e-9 * scale;
}

static bool axes_agree(const double *a, const double *b, int count, double scale)
{
    for (int n = 0; n < count; n++) {
        if (!is_close(a[n], b[n], scale)) {
            return false;
        }
    }
    return true;
}

/* Where the points of one transmitter's chosen sheet stand. */
struct points {
    int rows, columns;
    double *column_axis, *row_axis; /* (columns), (rows) [m], owned */
};

static void points_free(struct points *points)
{
    PW_FREE_ALL(points->column_axis, points->row_axis);
}

static pw_status points_read(const pw_result *result, int transmitter, struct points *points, pw_error *error)
{
    pw_transmitter facts;
    *points = (struct points){0};
    TRY(pw_result_transmitter(result, transmitter, &facts, error));
    points->rows = facts.spectra_rows;
    points->columns = facts.spectra_columns;
    points->column_axis = allocate((size_t)points->columns, sizeof(double), "the axes of spectra", error);
    points->row_axis = allocate((size_t)points->rows, sizeof(double), "the axes of spectra", error);
    TRY_MADE(points->column_axis != NULL && points->row_axis != NULL);
    return points->rows > 0 ? pw_result_spectra_axes(result, transmitter, points->column_axis, points->row_axis, error)
                            : PW_OK;
}

static bool points_agree(const struct points *a, const struct points *b, double cell, struct difference *difference)
{
    if (a->rows != b->rows || a->columns != b->columns) {
        return differ(difference, "%d x %d points there, %d x %d here", a->columns, a->rows, b->columns, b->rows);
    }
    if (!axes_agree(a->column_axis, b->column_axis, a->columns, cell) ||
        !axes_agree(a->row_axis, b->row_axis, a->rows, cell)) {
        return differ(difference, "the points stand elsewhere: the first at %.6g, %.6g m there, at %.6g, %.6g m here",
                      a->column_axis[0], a->row_axis[0], b->column_axis[0], b->row_axis[0]);
    }
    return true;
}

/* One sheet of one transmitter. Chooses it in both. */
static pw_status sheets_compare(pw_result *a, pw_result *b, int transmitter, int sheet, struct difference *difference,
                                pw_error *error)
{
    pw_sheet one, two;
    struct points there, here = {0};
    TRY(pw_result_sheet_describe(a, sheet, &one, error));
    TRY(pw_result_sheet_describe(b, sheet, &two, error));
    if (strcmp(one.name, two.name) != 0 || one.component != two.component || one.normal != two.normal) {
        differ(difference, "other planes of spectra: %s there, %s here", one.name, two.name);
        return PW_OK;
    }
    TRY(pw_result_sheet_choose(a, sheet, error));
    TRY(pw_result_sheet_choose(b, sheet, error));
    pw_status status = points_read(a, transmitter, &there, error);
    THEN(status, points_read(b, transmitter, &here, error));
    if (status == PW_OK) {
        points_agree(&there, &here, pw_result_describe(a).cell, difference);
    }
    points_free(&there);
    points_free(&here);
    return status;
}

static pw_status transmitters_compare(pw_result *a, pw_result *b, int count, struct difference *difference,
                                      pw_error *error)
{
    int sheets = pw_result_sheet_count(a), other = pw_result_sheet_count(b);
    for (int t = 0; t < count && difference->same; t++) {
        pw_transmitter one, two;
        TRY(pw_result_transmitter(a, t, &one, error));
        TRY(pw_result_transmitter(b, t, &two, error));
        if (strcmp(one.name, two.name) != 0) {
            differ(difference, "other transmitters: %s there, %s here", one.name, two.name);
        } else if (sheets != other) {
            differ(difference, "%d planes of spectra there, %d here", sheets, other);
        }
        for (int s = 0; s < sheets && difference->same; s++) {
            TRY(sheets_compare(a, b, t, s, difference, error));
        }
    }
    return PW_OK;
}

static pw_status frequencies_compare(const pw_result *a, const pw_result *b, int count, struct difference *difference,
                                     pw_error *error)
{
    OWNED double *there = allocate(2 * (size_t)count, sizeof *there, "the frequencies of the outputs", error);
    TRY_MADE(there);
    double *here = there + count;
    TRY(pw_result_frequencies(a, there, error));
    TRY(pw_result_frequencies(b, here, error));
    if (count > 0 && !axes_agree(there, here, count, there[0])) {
        differ(difference, "other frequencies: from %.6g to %.6g Hz there, from %.6g to %.6g Hz here", there[0],
               there[count - 1], here[0], here[count - 1]);
    }
    return PW_OK;
}

pw_status lattices_compare(pw_result *a, pw_result *b, struct difference *difference, pw_error *error)
{
    const pw_result_facts one = pw_result_describe(a), two = pw_result_describe(b);
    *difference = (struct difference){.same = true};
    if (one.dimensions != two.dimensions || one.horizontal != two.horizontal) {
        differ(difference, "other dimensions or another polarisation");
    } else if (one.frequency_count != two.frequency_count) {
        differ(difference, "%d frequencies there, %d here", one.frequency_count, two.frequency_count);
    } else {
        TRY(frequencies_compare(a, b, one.frequency_count, difference, error));
    }
    if (difference->same && one.transmitter_count != two.transmitter_count) {
        differ(difference, "%d transmitters there, %d here", one.transmitter_count, two.transmitter_count);
    }
    if (difference->same) {
        TRY(transmitters_compare(a, b, one.transmitter_count, difference, error));
    }
    return PW_OK;
}

bool plans_agree(const pw_result_facts *a, const pw_result_facts *b)
{
    return a->nx == b->nx && a->ny == b->ny && is_close(a->cell, b->cell, a->cell) &&
           is_close(a->origin_x, b->origin_x, a->cell) && is_close(a->origin_y, b->origin_y, a->cell);
}

void keys_tell(const struct sweep *sweep, int64_t there, int64_t here, char *text, size_t size)
{
    text[0] = '\0';
    for (int a = 0; a < sweep->axis_count; a++) {
        const struct sweep_axis *axis = &sweep->axes[a];
        const char *one = axis->values[case_value(sweep, there, a)], *two = axis->values[case_value(sweep, here, a)];
        bool same = one == two || (one != NULL && two != NULL && strcmp(one, two) == 0);
        size_t used = strlen(text);
        if (!same && used < size) {
            snprintf(text + used, size - used, "%s%s = %.40s there, %.40s here", used > 0 ? "; " : "",
                     axis->key_count > 0 ? axis->keys[0] : axis->name, one != NULL ? one : "the scenario's",
                     two != NULL ? two : "the scenario's");
        }
    }
}
