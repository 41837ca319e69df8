/* The error of a solution (plan_error.h). Metal has no field; a point counts where both have one, within 90 dB of the
 * strongest. Powers are means over the band. */
#include "tests/hard_plans/plan_error.h"

#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static const double FLOOR = 1e-9;

/* A point of both: powers, and that of the difference. */
struct twin {
    double coarse, fine, difference;
    bool counts;
};

static double square(double complex z)
{
    return creal(z) * creal(z) + cimag(z) * cimag(z);
}

/* Where the finer floor's points are: `share` of them for one of the coarse, from `column` and `row` on. */
struct alignment {
    int share, column, row;
};

static struct twin twin_at(const struct plan_floor *coarse, const struct plan_floor *fine,
                           const struct alignment *alignment, int row, int column)
{
    struct twin twin = {0};
    const int fine_row = row * alignment->share + alignment->row,
              fine_column = column * alignment->share + alignment->column;
    const size_t points = (size_t)coarse->rows * (size_t)coarse->columns,
                 fine_points = (size_t)fine->rows * (size_t)fine->columns;
    if (fine_row < 0 || fine_row >= fine->rows || fine_column < 0 || fine_column >= fine->columns) {
        return twin;
    }
    for (int f = 0; f < coarse->frequencies; f++) {
        const double complex a = coarse->value[(size_t)f * points + (size_t)(row * coarse->columns + column)];
        const double complex b =
            fine->value[(size_t)f * fine_points + (size_t)(fine_row * fine->columns + fine_column)];
        twin.coarse += square(a);
        twin.fine += square(b);
        twin.difference += square(a - b);
    }
    return twin;
}

static bool is_far(const struct plan_floor *floor, int row, int column, double least)
{
    return hypot(floor->x0 + column * floor->pitch - floor->source[0],
                 floor->y0 + row * floor->pitch - floor->source[1]) >= least;
}

static struct twin *twins_make(const struct plan_floor *coarse, const struct plan_floor *fine, double least)
{
    const struct alignment alignment = {.share = (int)lround(coarse->pitch / fine->pitch),
                                        .column = (int)lround((coarse->x0 - fine->x0) / fine->pitch),
                                        .row = (int)lround((coarse->y0 - fine->y0) / fine->pitch)};
    struct twin *twins = calloc((size_t)coarse->rows * (size_t)coarse->columns, sizeof *twins);
    double strongest = 0;
    for (int row = 0; row < coarse->rows; row++) {
        for (int column = 0; column < coarse->columns; column++) {
            struct twin *twin = &twins[row * coarse->columns + column];
            *twin = twin_at(coarse, fine, &alignment, row, column);
            twin->counts = is_far(coarse, row, column, least);
            strongest = fmax(strongest, twin->counts ? twin->fine : 0);
        }
    }
    for (int n = 0; n < coarse->rows * coarse->columns; n++) {
        twins[n].counts = twins[n].counts && fmin(twins[n].fine, twins[n].coarse) > FLOOR * strongest;
    }
    return twins;
}

bool plan_floors_match(const struct plan_floor *coarse, const struct plan_floor *fine)
{
    const double pitch = coarse->pitch / fine->pitch, x = (coarse->x0 - fine->x0) / fine->pitch,
                 y = (coarse->y0 - fine->y0) / fine->pitch;
    return fmax(fmax(fabs(pitch - round(pitch)), fabs(x - round(x))), fabs(y - round(y))) < 1e-3 &&
           coarse->frequencies == fine->frequencies;
}

/* Sums over the points that count within `window` points. */
static struct twin around(const struct plan_floor *floor, const struct twin *twins, int row, int column, int window)
{
    struct twin sum = {0};
    for (int r = row - window; r <= row + window; r++) {
        for (int c = column - window; c <= column + window; c++) {
            if (r >= 0 && r < floor->rows && c >= 0 && c < floor->columns && twins[r * floor->columns + c].counts) {
                const struct twin *twin = &twins[r * floor->columns + c];
                sum.coarse += twin->coarse;
                sum.fine += twin->fine;
                sum.difference += twin->difference;
            }
        }
    }
    return sum;
}

static int descending(const void *a, const void *b)
{
    const double left = *(const double *)a, right = *(const double *)b;
    return (left < right) - (left > right);
}

/* The median of the strongest half of the local powers, and the weakest of that half. */
static void find_levels(const double *power, int count, double *median, double *weakest)
{
    double *sorted = calloc((size_t)count + 1, sizeof *sorted);
    for (int n = 0; n < count; n++) {
        sorted[n] = power[n];
    }
    qsort(sorted, (size_t)count, sizeof *sorted, descending);
    *median = sorted[count / 4];
    *weakest = sorted[count / 2];
    free(sorted);
}

struct found_point {
    double local, error, field; /* local power of the finer; dB of the local mean; square of the relative field's */
};

static void by_depth(const struct found_point *points, int count, struct plan_error *error)
{
    double *power = calloc((size_t)count + 1, sizeof *power), sum[PLAN_DEPTHS] = {0}, field[PLAN_DEPTHS] = {0}, median,
           weakest;
    for (int n = 0; n < count; n++) {
        power[n] = points[n].local;
    }
    find_levels(power, count, &median, &weakest);
    for (int n = 0; n < count; n++) {
        const double depth = 10 * log10(median / points[n].local);
        const int at = power[n] >= weakest ? 0 : depth > 15 && depth <= 25 ? 1 : depth > 35 && depth <= 45 ? 2 : -1;
        if (at >= 0) {
            sum[at] += points[n].error * points[n].error;
            field[at] += points[n].field;
            error->at_depth[at]++;
        }
    }
    for (int d = 0; d < PLAN_DEPTHS; d++) {
        error->by_depth[d] = error->at_depth[d] > 0 ? sqrt(sum[d] / error->at_depth[d]) : NAN;
        error->field_by_depth[d] = error->at_depth[d] > 0 ? sqrt(field[d] / error->at_depth[d]) : NAN;
    }
    free(power);
}

struct plan_error plan_error_find(const struct plan_floor *coarse, const struct plan_floor *fine, double wavelength)
{
    struct plan_error error = {0};
    const int window = (int)fmax(round(0.5 * wavelength / coarse->pitch), 1);
    struct twin *twins = twins_make(coarse, fine, 0.5 * wavelength);
    struct found_point *points = calloc((size_t)coarse->rows * (size_t)coarse->columns + 1, sizeof *points);
    for (int row = 0; row < coarse->rows; row++) {
        for (int column = 0; column < coarse->columns; column++) {
            const struct twin *twin = &twins[row * coarse->columns + column];
            if (twin->counts) {
                const struct twin mean = around(coarse, twins, row, column, window);
                const double local = 10 * log10(mean.coarse / mean.fine);
                const double field = fmin(mean.difference / mean.fine, 2);
                error.field += field;
                error.local_mean += local * local;
                error.point += pow(10 * log10(twin->coarse / twin->fine), 2);
                points[error.points++] = (struct found_point){mean.fine, local, field};
            }
        }
    }
    error.field = sqrt(error.field / error.points);
    error.local_mean = sqrt(error.local_mean / error.points);
    error.point = sqrt(error.point / error.points);
    by_depth(points, error.points, &error);
    free(points);
    free(twins);
    return error;
}

void plan_floor_free(struct plan_floor *floor)
{
    free(floor->value);
    floor->value = NULL;
}
