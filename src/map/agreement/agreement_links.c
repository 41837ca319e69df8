/* Links that two results have by name: transfer functions at the frequencies of both, profiles at delays, metrics. */
#include "map/agreement/agreement.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double FREQUENCY_TOLERANCE = 1e-9; /* relative: one frequency, written by two runs */
static const double PROFILE_DEPTH = 1e-3;       /* under the peak: what lies deeper is the window's and the noise's */

/* The channels of one link, with their curves, owned. */
struct sides {
    pw_channel *channel[2];
    pw_channel_facts facts[2];
    pw_metrics metrics[2];
    double *axis[2], *value[2];
};

enum { LOSS, SPREAD, MEAN, METRIC_COUNT };

static const struct metric {
    const char *what, *unit;
} METRICS[METRIC_COUNT] = {{"path loss", "dB"}, {"RMS delay spread", "ns"}, {"mean excess delay", "ns"}};

/* The metrics of all links of a transmitter. */
struct metric_rows {
    struct agreement_tally tally[METRIC_COUNT];
    char where[METRIC_COUNT][64];
    double apart; /* m: the farthest that the two places of a receiver are apart */
};

static double metric_value(const pw_metrics *metrics, int n)
{
    return n == LOSS     ? metrics->path_loss_db
           : n == SPREAD ? metrics->rms_delay_spread * 1e9
                         : metrics->mean_excess_delay * 1e9;
}

static void metrics_add(struct metric_rows *rows, const struct sides *sides, const char *receiver)
{
    for (int n = 0; n < METRIC_COUNT; n++) {
        double a = metric_value(&sides->metrics[0], n), b = metric_value(&sides->metrics[1], n);
        bool sound = n == LOSS || (sides->metrics[0].delay_cause == PW_DELAY_SOUND &&
                                   sides->metrics[1].delay_cause == PW_DELAY_SOUND);
        if (!sound || !isfinite(a) || !isfinite(b)) {
            continue;
        }
        double u = n == LOSS ? pow(10.0, -a / 20.0) : a, v = n == LOSS ? pow(10.0, -b / 20.0) : b;
        if (agreement_add(&rows->tally[n], (u - v) * (u - v), v * v, a - b)) {
            snprintf(rows->where[n], sizeof rows->where[n], "%.60s", receiver);
        }
    }
    double apart = hypot(sides->facts[0].x - sides->facts[1].x, sides->facts[0].y - sides->facts[1].y);
    rows->apart = fmax(rows->apart, apart);
}

/* The curve of the link that agrees least is kept for the picture. */
static void curve_keep(struct agreement_curve *kept, double *values, int count, const pw_agreement_row *row)
{
    if (kept->values != NULL && !(row->error > kept->error)) {
        free(values);
        return;
    }
    free(kept->values);
    *kept = (struct agreement_curve){.count = count, .values = values, .error = row->error};
    snprintf(kept->name, sizeof kept->name, "%s", row->of);
}

/* Axis and values of both sides: powers by delay, or complex by frequency. */
static pw_status curves_read(struct sides *sides, bool delays, pw_error *error)
{
    for (int s = 0; s < 2; s++) {
        size_t count = (size_t)(delays ? sides->facts[s].delay_count : sides->facts[s].frequency_count);
        FREE_ALL(sides->axis[s], sides->value[s]);
        sides->value[s] = NULL;
        sides->axis[s] = allocate(count + 1, sizeof(double), "an axis", error);
        sides->value[s] = allocate(2 * count + 1, sizeof(double), "a curve", error);
        TRY_MADE(sides->axis[s] != NULL && sides->value[s] != NULL);
        TRY((delays ? pw_channel_profile : pw_channel_transfer)(sides->channel[s], sides->axis[s], sides->value[s],
                                                                error));
    }
    return PW_OK;
}

/* ---- transfer functions ------------------------------------------------------------------------------------------ */

static double power_of(const double *complex)
{
    return complex[0] * complex[0] + complex[1] * complex[1];
}

/* As solved, with one factor that makes its mean power that of the path loss: between isotropic antennas in three
 * dimensions. (pw_channel_response spreads delay by delay, which bends the ends of the band.) */
static void transfer_scale(double *transfer, int count, double path_loss_db)
{
    double sum = 0;
    int finite = 0;
    for (int f = 0; f < count; f++) {
        double power = power_of(&transfer[2 * (size_t)f]);
        sum += isfinite(power) ? power : 0;
        finite += isfinite(power) ? 1 : 0;
    }
    double factor = sqrt(pow(10.0, -path_loss_db / 10.0) * finite / sum);
    for (int n = 0; n < 2 * count; n++) {
        transfer[n] *= factor;
    }
}

/* Two and three dimensions differ in phase by what a cylindrical wave differs from a spherical one: their amplitudes
 * are compared. */
static double transfer_difference(const struct agreement *agreement, const double *a, const double *b)
{
    if (agreement->flat[0] != agreement->flat[1]) {
        double difference = hypot(a[0], a[1]) - hypot(b[0], b[1]);
        return difference * difference;
    }
    return power_of((double[2]){a[0] - b[0], a[1] - b[1]});
}

static pw_status transfer_compare(struct agreement *agreement, struct sides *sides, const char *of, pw_error *error)
{
    static const char WHAT[] = "transfer function";
    TRY(curves_read(sides, false, error));
    for (int s = 0; s < 2; s++) {
        transfer_scale(sides->value[s], sides->facts[s].frequency_count, sides->metrics[s].path_loss_db);
    }
    struct agreement_tally tally;
    size_t most = (size_t)sides->facts[0].frequency_count;
    TRY(agreement_begin(&tally, most, error));
    double worst = 0, *curve = allocate(3 * most + 1, sizeof *curve, WHAT, error);
    if (curve == NULL) {
        free(tally.level);
        return PW_NO_RESOURCE;
    }
    for (int i = 0, j = 0; i < sides->facts[0].frequency_count && j < sides->facts[1].frequency_count;) {
        double f = sides->axis[0][i], g = sides->axis[1][j];
        if (fabs(f - g) > FREQUENCY_TOLERANCE * f) {
            *(f < g ? &i : &j) += 1;
            continue;
        }
        const double *a = &sides->value[0][2 * (size_t)i++], *b = &sides->value[1][2 * (size_t)j++];
        double level_a = 10 * log10(power_of(a)), level_b = 10 * log10(power_of(b));
        if (isfinite(level_a) && isfinite(level_b)) {
            memcpy(&curve[3 * tally.count], (double[3]){f * 1e-9, level_a, level_b}, 3 * sizeof *curve);
            worst =
                agreement_add(&tally, transfer_difference(agreement, a, b), power_of(b), level_a - level_b) ? f : worst;
        }
    }
    if (tally.count == 0) {
        FREE_ALL(tally.level, curve);
        return agreement_skip(agreement, WHAT, of, true, error, "the two have no frequency in common");
    }
    pw_agreement_row *row = agreement_row(agreement, WHAT, of, error);
    if (row == NULL) {
        FREE_ALL(tally.level, curve);
        return PW_NO_RESOURCE;
    }
    agreement_judge(agreement, &tally, "dB", row);
    snprintf(row->where, sizeof row->where, "%.6g GHz", worst * 1e-9);
    int left = sides->facts[0].frequency_count + sides->facts[1].frequency_count - 2 * (int)tally.count;
    int used = snprintf(row->note, sizeof row->note, "%s",
                        agreement->flat[0] != agreement->flat[1] ? "amplitudes alone, 2D against 3D" : "");
    if (left > 0) {
        snprintf(row->note + used, sizeof row->note - (size_t)used,
                 "%s%d frequencies left out, of one file alone or without a value", used > 0 ? "; " : "", left);
    }
    curve_keep(&agreement->transfer, curve, (int)tally.count, row);
    return PW_OK;
}

/* ---- profiles ---------------------------------------------------------------------------------------------------- */

/* Linear between two delays; 0 outside. */
static double profile_at(const double *delay, const double *power, int count, double at)
{
    int low = 0, high = count - 1;
    if (!(at >= delay[low]) || !(at <= delay[high])) {
        return 0.0;
    }
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        *(delay[middle] <= at ? &low : &high) = middle;
    }
    double step = delay[high] - delay[low], part = step > 0 ? (at - delay[low]) / step : 0.0;
    return (1.0 - part) * power[low] + part * power[high]; /* at both ends exactly theirs */
}

/* Whether profiles have one window over one band, without which they differ by their pulses. */
static bool one_band(const struct sides *sides)
{
    const pw_channel_facts *f = sides->facts;
    return fabs(f[0].centre - f[1].centre) <= 1e-6 * f[1].centre &&
           fabs(sides->metrics[0].delay_resolution - sides->metrics[1].delay_resolution) <=
               1e-6 * sides->metrics[1].delay_resolution;
}

static pw_status profile_compare(struct agreement *agreement, struct sides *sides, const char *of, pw_error *error)
{
    static const char WHAT[] = "power-delay profile";
    int count = sides->facts[0].delay_count;
    if (count == 0 || sides->facts[1].delay_count == 0) {
        return agreement_skip(agreement, WHAT, of, false, error, "fewer than %d frequencies", PW_MINIMUM_FREQUENCIES);
    }
    if (!one_band(sides)) {
        return agreement_skip(agreement, WHAT, of, true, error, "the two bands differ, and so do their pulses");
    }
    TRY(curves_read(sides, true, error));
    struct agreement_tally tally;
    TRY(agreement_begin(&tally, (size_t)count, error));
    double *curve = allocate(3 * (size_t)count, sizeof *curve, WHAT, error);
    pw_agreement_row *row = curve == NULL ? NULL : agreement_row(agreement, WHAT, of, error);
    if (row == NULL) {
        FREE_ALL(tally.level, curve);
        return PW_NO_RESOURCE;
    }
    double peak = 0, worst = 0;
    for (int n = 0; n < count; n++) {
        peak = fmax(peak, sides->value[0][n]);
    }
    for (int n = 0; n < count; n++) {
        double at = sides->axis[0][n], a = sides->value[0][n];
        double b = profile_at(sides->axis[1], sides->value[1], sides->facts[1].delay_count, at);
        double u = sqrt(fmax(a, 0)), v = sqrt(fmax(b, 0));
        double level = a >= PROFILE_DEPTH * peak && b > 0 ? 10 * log10(a / b) : NAN;
        memcpy(&curve[3 * (size_t)n], (double[3]){at * 1e9, 10 * log10(a / peak), 10 * log10(b / peak)},
               3 * sizeof *curve);
        worst = agreement_add(&tally, (u - v) * (u - v), v * v, level) ? at : worst;
    }
    agreement_judge(agreement, &tally, "dB", row);
    snprintf(row->where, sizeof row->where, "%.4g ns", worst * 1e9);
    snprintf(row->note, sizeof row->note, "dB where A is less than 30 dB under its peak");
    curve_keep(&agreement->profile, curve, count, row);
    return PW_OK;
}

/* ---- links ------------------------------------------------------------------------------------------------------- */

static pw_status link_compare(struct agreement *agreement, const pw_result *const results[2], const char *transmitter,
                              const char *const receiver[2], struct metric_rows *rows, pw_error *error)
{
    struct sides sides = {0};
    char of[sizeof agreement->transfer.name];
    snprintf(of, sizeof of, "%.120s -> %.120s", transmitter, receiver[0]);
    pw_status status = PW_OK;
    for (int s = 0; s < 2 && status == PW_OK; s++) {
        status = pw_channel_create(results[s], transmitter, receiver[s], NULL, &agreement->options, &sides.channel[s],
                                   error);
        if (status == PW_OK) {
            sides.facts[s] = pw_channel_describe(sides.channel[s]);
            sides.metrics[s] = pw_channel_metrics(sides.channel[s]);
        }
    }
    if (status == PW_OK) {
        metrics_add(rows, &sides, receiver[0]);
        status = transfer_compare(agreement, &sides, of, error);
    }
    if (status == PW_OK) {
        status = profile_compare(agreement, &sides, of, error);
    }
    for (int s = 0; s < 2; s++) {
        pw_channel_free(sides.channel[s]);
        FREE_ALL(sides.axis[s], sides.value[s]);
    }
    return status;
}

static pw_status metrics_finish(struct agreement *agreement, struct metric_rows *rows, const char *transmitter,
                                pw_error *error)
{
    for (int n = 0; n < METRIC_COUNT; n++) {
        if (rows->tally[n].count == 0) {
            TRY(agreement_skip(agreement, METRICS[n].what, transmitter, false, error,
                               "no receiver that both files have has a value that is right to 10 %%"));
            continue;
        }
        pw_agreement_row *row = agreement_row(agreement, METRICS[n].what, transmitter, error);
        TRY_MADE(row);
        agreement_judge(agreement, &rows->tally[n], METRICS[n].unit, row);
        memcpy(row->where, rows->where[n], sizeof rows->where[n]);
        if (rows->apart > 1e-9) {
            snprintf(row->note, sizeof row->note, "the two places of a receiver are up to %.3g mm apart",
                     rows->apart * 1e3);
        }
    }
    return PW_OK;
}

/* The receiver of the other result that is the same: by name, else the nearest within a cell that has a name of its
 * own; -1: none. */
static int counterpart(const pw_result *const results[2], const int transmitter[2], int side,
                       const pw_receiver *receiver, int count)
{
    const pw_result *own = results[side], *other = results[1 - side];
    int found = -1, same;
    if (pw_result_find_receiver(other, transmitter[1 - side], receiver->name, &found, NULL) == PW_OK) {
        return found;
    }
    found = -1;
    double nearest = fmax(pw_result_describe(own).cell, pw_result_describe(other).cell);
    for (int r = 0; r < count; r++) {
        pw_receiver facts;
        if (pw_result_receiver(other, transmitter[1 - side], r, &facts, NULL) != PW_OK ||
            pw_result_find_receiver(own, transmitter[side], facts.name, &same, NULL) == PW_OK) {
            continue;
        }
        double rise = isfinite(facts.height - receiver->height) ? facts.height - receiver->height : 0.0;
        double apart = hypot(hypot(facts.x - receiver->x, facts.y - receiver->y), rise);
        if (apart <= nearest) {
            nearest = apart;
            found = r;
        }
    }
    return found;
}

/* Every receiver of one side: compared from the first, and told of where it has no counterpart. */
static pw_status side_links(struct agreement *agreement, const pw_result *const results[2], const int transmitter[2],
                            int side, struct metric_rows *rows, pw_error *error)
{
    pw_transmitter own, other;
    TRY(pw_result_transmitter(results[side], transmitter[side], &own, error));
    TRY(pw_result_transmitter(results[1 - side], transmitter[1 - side], &other, error));
    for (int r = 0; r < own.receiver_count; r++) {
        pw_receiver receiver, same;
        TRY(pw_result_receiver(results[side], transmitter[side], r, &receiver, error));
        int found = counterpart(results, transmitter, side, &receiver, other.receiver_count);
        if (found < 0) {
            TRY(agreement_skip(agreement, "receiver", receiver.name, true, error, "only in the %s file",
                               side == 0 ? "first" : "second"));
        } else if (side == 0) {
            TRY(pw_result_receiver(results[1], transmitter[1], found, &same, error));
            const char *const names[2] = {receiver.name, same.name};
            TRY(link_compare(agreement, results, own.name, names, rows, error));
        }
    }
    return PW_OK;
}

pw_status agreement_links(struct agreement *agreement, const pw_result *const results[2], const int transmitter[2],
                          pw_error *error)
{
    pw_transmitter facts[2];
    struct metric_rows rows = {0};
    pw_status status = PW_OK;
    for (int s = 0; s < 2; s++) {
        TRY(pw_result_transmitter(results[s], transmitter[s], &facts[s], error));
    }
    for (int n = 0; n < METRIC_COUNT && status == PW_OK; n++) {
        status = agreement_begin(&rows.tally[n], (size_t)facts[0].receiver_count, error);
    }
    for (int s = 0; s < 2 && status == PW_OK; s++) {
        status = side_links(agreement, results, transmitter, s, &rows, error);
    }
    if (status == PW_OK && facts[0].receiver_count + facts[1].receiver_count > 0) {
        status = metrics_finish(agreement, &rows, facts[0].name, error);
    }
    for (int n = 0; n < METRIC_COUNT; n++) {
        free(rows.tally[n].level);
    }
    return status;
}
