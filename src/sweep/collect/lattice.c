/* Compares what a result says of its lattice; reads no spectra. */
#include "sweep/collect/lattice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

static bool sheets_agree(const struct result_sheet *a, const struct result_sheet *b, double cell, char *difference,
                         size_t size)
{
    if (strcmp(a->name, b->name) != 0 || a->component != b->component || a->normal != b->normal) {
        snprintf(difference, size, "other planes of spectra: %s there, %s here", a->name, b->name);
        return false;
    }
    if (a->rows != b->rows || a->columns != b->columns) {
        snprintf(difference, size, "%d x %d points there, %d x %d here", a->columns, a->rows, b->columns, b->rows);
        return false;
    }
    if (!axes_agree(a->column_axis, b->column_axis, a->columns, cell) ||
        !axes_agree(a->row_axis, b->row_axis, a->rows, cell)) {
        snprintf(difference, size, "the points stand elsewhere: the first at %.6g, %.6g m there, at %.6g, %.6g m here",
                 a->column_axis[0], a->row_axis[0], b->column_axis[0], b->row_axis[0]);
        return false;
    }
    return true;
}

static bool transmitters_agree(const struct result *a, const struct result *b, char *difference, size_t size)
{
    if (a->transmitter_count != b->transmitter_count) {
        snprintf(difference, size, "%d transmitters there, %d here", a->transmitter_count, b->transmitter_count);
        return false;
    }
    for (int t = 0; t < a->transmitter_count; t++) {
        const struct result_transmitter *one = &a->transmitters[t], *two = &b->transmitters[t];
        if (strcmp(one->name, two->name) != 0) {
            snprintf(difference, size, "other transmitters: %s there, %s here", one->name, two->name);
            return false;
        }
        if (one->sheet_count != two->sheet_count) {
            snprintf(difference, size, "%d planes of spectra there, %d here", one->sheet_count, two->sheet_count);
            return false;
        }
        for (int s = 0; s < one->sheet_count; s++) {
            if (!sheets_agree(&one->sheets[s], &two->sheets[s], a->cell, difference, size)) {
                return false;
            }
        }
    }
    return true;
}

bool lattices_agree(const struct result *a, const struct result *b, char *difference, size_t size)
{
    if (a->dimensions != b->dimensions || a->horizontal != b->horizontal) {
        snprintf(difference, size, "other dimensions or another polarisation");
        return false;
    }
    if (a->frequency_count != b->frequency_count) {
        snprintf(difference, size, "%d frequencies there, %d here", a->frequency_count, b->frequency_count);
        return false;
    }
    if (a->frequency_count > 0 && !axes_agree(a->frequency, b->frequency, a->frequency_count, a->frequency[0])) {
        snprintf(difference, size, "other frequencies: from %.6g to %.6g Hz there, from %.6g to %.6g Hz here",
                 a->frequency[0], a->frequency[a->frequency_count - 1], b->frequency[0],
                 b->frequency[b->frequency_count - 1]);
        return false;
    }
    return transmitters_agree(a, b, difference, size);
}

bool plans_agree(const struct result *a, const struct result *b)
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
