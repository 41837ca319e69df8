/* Maps of two results: at the points of the coarser one, the finer by bilinear interpolation. */
#include "map/agreement/agreement.h"

#include "base/constants.h"

#include <math.h>
#include <stdlib.h>

struct side {
    pw_map_shape shape;
    double source[2]; /* m: of the transmitter */
    double reach;     /* m: half the square of a local mean, and a point more */
    double *values;   /* (rows, columns), owned */
};

static pw_status side_compute(const struct agreement *agreement, const pw_result *result, const char *transmitter,
                              pw_quantity quantity, struct side *side, pw_error *error)
{
    pw_map_options options = pw_map_options_default();
    options.quantity = quantity;
    options.transmitter = transmitter;
    options.channel = agreement->options;
    options.local_mean = pw_quantity_is_power(quantity);
    TRY(pw_map_describe(result, &options, &side->shape, error));
    pw_transmitter facts;
    TRY(pw_result_transmitter(result, side->shape.transmitter, &facts, error));
    side->source[0] = facts.x;
    side->source[1] = facts.y;
    side->reach = SPEED_OF_LIGHT / pw_result_describe(result).band_centre / 2 + side->shape.pitch_x;
    side->values = allocate((size_t)side->shape.rows * (size_t)side->shape.columns, sizeof(double), "a map", error);
    return side->values == NULL ? PW_NO_RESOURCE : pw_map_compute(result, &options, side->values, NULL, error);
}

static bool covers(const pw_map_shape *shape, double x, double y)
{
    const double slack = 1e-6;
    return x >= shape->x0 - slack && x <= shape->x0 + shape->pitch_x * (shape->columns - 1) + slack &&
           y >= shape->y0 - slack && y <= shape->y0 + shape->pitch_y * (shape->rows - 1) + slack;
}

/* Whether the local mean at a point takes in the transmitter's own node, whose field is the grid's and not the room's.
 */
static bool holds_source(const struct side *side, double x, double y)
{
    return fabs(x - side->source[0]) < side->reach && fabs(y - side->source[1]) < side->reach;
}

static bool one_lattice(const struct side sides[2])
{
    const pw_map_shape *a = &sides[0].shape, *b = &sides[1].shape;
    return a->rows == b->rows && a->columns == b->columns && a->x0 == b->x0 && a->y0 == b->y0 &&
           a->pitch_x == b->pitch_x && a->pitch_y == b->pitch_y;
}

/* A, B and A - B at every point of the coarser map into `three`; NAN where one has no value. */
static void maps_subtract(const struct side sides[2], int coarse, bool power, double *three,
                          struct agreement_tally *tally, double at[2])
{
    const pw_map_shape *points = &sides[coarse].shape, *fine = &sides[1 - coarse].shape;
    bool same = one_lattice(sides);
    int64_t cells = (int64_t)points->rows * points->columns;
    for (int64_t n = 0; n < cells; n++) {
        double x = points->x0 + points->pitch_x * (double)(n % points->columns);
        double y = points->y0 + points->pitch_y * (double)(n / points->columns);
        double own = sides[coarse].values[n], other = NAN;
        if (power && (holds_source(&sides[0], x, y) || holds_source(&sides[1], x, y))) {
            own = NAN;
        } else if (same) {
            other = sides[1 - coarse].values[n];
        } else if (covers(fine, x, y)) {
            other = pw_map_value_at(fine, sides[1 - coarse].values, x, y);
        }
        double a = coarse == 0 ? own : other, b = coarse == 0 ? other : own;
        bool compared = isfinite(a - b);
        three[n] = compared ? a : NAN;
        three[n + cells] = compared ? b : NAN;
        three[n + 2 * cells] = compared ? a - b : NAN;
        if (compared) {
            double u = power ? pow(10, a / 20) : a, v = power ? pow(10, b / 20) : b;
            if (agreement_add(tally, (u - v) * (u - v), v * v, a - b)) {
                at[0] = x;
                at[1] = y;
            }
        }
    }
}

static void image_keep(struct agreement_image *kept, const pw_map_shape *shape, double *values,
                       const pw_agreement_row *row)
{
    if (kept->values != NULL && !(row->rms > kept->rms)) {
        free(values);
        return;
    }
    free(kept->values);
    *kept = (struct agreement_image){.shape = *shape, .values = values, .rms = row->rms};
    snprintf(kept->name, sizeof kept->name, "%s", row->of);
}

static void note_write(const struct side sides[2], int coarse, bool power, int64_t without, pw_agreement_row *row)
{
    char left[96] = "", how[64] = "";
    if (without > 0) {
        snprintf(left, sizeof left, "; %lld points without a value in both%s left out", (long long)without,
                 power ? ", or at the transmitter," : "");
    }
    if (!one_lattice(sides)) {
        snprintf(how, sizeof how, " of %c, %c interpolated", coarse == 0 ? 'A' : 'B', coarse == 0 ? 'B' : 'A');
    }
    snprintf(row->note, sizeof row->note, "%sat the points%s, %.3g mm apart%s", power ? "local means, " : "",
             how[0] != '\0' ? how : " of both", sides[coarse].shape.pitch_x * 1e3, left);
}

static pw_status sides_compare(struct agreement *agreement, const struct side sides[2], const char *what,
                               const char *transmitter, bool power, pw_error *error)
{
    int coarse = sides[0].shape.pitch_x > sides[1].shape.pitch_x ? 0 : 1;
    const pw_map_shape *points = &sides[coarse].shape;
    int64_t cells = (int64_t)points->rows * points->columns;
    double at[2] = {0, 0}, *difference = allocate(3 * (size_t)cells, sizeof *difference, "a difference of maps", error);
    TRY_MADE(difference);
    struct agreement_tally tally;
    if (agreement_begin(&tally, (size_t)cells, error) != PW_OK) {
        free(difference);
        return PW_NO_RESOURCE;
    }
    maps_subtract(sides, coarse, power, difference, &tally, at);
    if (tally.count == 0) {
        FREE_ALL(tally.level, difference);
        return agreement_skip(agreement, what, transmitter, power, error, "no point has a value in both files");
    }
    pw_agreement_row *row = agreement_row(agreement, what, transmitter, error);
    if (row == NULL) {
        FREE_ALL(tally.level, difference);
        return PW_NO_RESOURCE;
    }
    agreement_judge(agreement, &tally, power ? "dB" : "ns", row);
    snprintf(row->where, sizeof row->where, "(%.4g, %.4g) m", at[0], at[1]);
    note_write(sides, coarse, power, cells - tally.count, row);
    if (power) {
        image_keep(&agreement->image, points, difference, row);
    } else {
        free(difference);
    }
    return PW_OK;
}

/* In three dimensions, the second result's sheet at the height of the first's. */
static pw_status sheets_align(pw_result *const results[2], pw_error *error)
{
    pw_sheet_choice choice = pw_sheet_choice_default();
    int sheet;
    if (pw_result_describe(results[0]).dimensions == 3 && pw_result_describe(results[1]).dimensions == 3) {
        pw_sheet facts;
        TRY(pw_result_sheet_describe(results[0], pw_result_sheet_chosen(results[0]), &facts, error));
        choice.height = facts.normal == 2 ? facts.asked : NAN;
        choice.component = facts.component;
        TRY(pw_result_sheet_find(results[1], &choice, &sheet, error));
        return pw_result_sheet_choose(results[1], sheet, error);
    }
    return PW_OK;
}

pw_status agreement_maps(struct agreement *agreement, pw_result *const results[2], const char *transmitter,
                         pw_error *error)
{
    static const pw_quantity QUANTITIES[] = {PW_RECEIVED_POWER, PW_RMS_DELAY_SPREAD};
    pw_error why = {""};
    pw_status status = sheets_align(results, &why);
    if (status == PW_BAD_INPUT) {
        return agreement_skip(agreement, "maps", transmitter, true, error, "%.200s", why.message);
    }
    for (size_t q = 0; q < sizeof QUANTITIES / sizeof *QUANTITIES && status == PW_OK; q++) {
        char what[64];
        struct side sides[2] = {{.values = NULL}, {.values = NULL}};
        snprintf(what, sizeof what, "map of %.50s", pw_quantity_name(QUANTITIES[q]));
        for (int s = 0; s < 2 && status == PW_OK; s++) {
            status = side_compute(agreement, results[s], transmitter, QUANTITIES[q], &sides[s], &why);
        }
        if (status == PW_OK) {
            status = sides_compare(agreement, sides, what, transmitter, pw_quantity_is_power(QUANTITIES[q]), &why);
        } else if (status == PW_BAD_INPUT || status == PW_USAGE) {
            status = agreement_skip(agreement, what, transmitter, false, &why, "%.200s", why.message);
        }
        FREE_ALL(sides[0].values, sides[1].values);
    }
    return status == PW_OK ? PW_OK : fail(error, status, "%s", why.message);
}
