/* Measured floors (floor.h). */
#include "validation/support/measured/floor.h"

#include "calibrate/joint/regression.h"

int floor_cut(char *line, char *fields[FLOOR_FIELDS])
{
    int count = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *next = line; next != NULL && count < FLOOR_FIELDS;) {
        fields[count++] = strsep(&next, ",");
    }
    return count;
}

bool floor_crossed(char *line, char *fields[FLOOR_FIELDS])
{
    return line[0] != '#' && floor_cut(line, fields) >= 12 && atoi(fields[11]) == 1 && fields[8][0] != '\0';
}

/* ---- cells ---- */

struct plan {
    double *permittivity; /* (face.rows, face.columns) */
    pw_face face;
    double cell;
};

/* Counts walls, places where the permittivity is well over that of air, on a straight line. */
static void line_count(const struct plan *plan, double x0, double y0, double x1, double y1, struct floor_cell *cell)
{
    const double step = 0.005, wall = 1.5;
    double length = hypot(x1 - x0, y1 - y0);
    bool inside = true; /* the wall that a transmitter hangs on is none */
    for (int n = 0; n * step < length; n++) {
        double at = n * step, x = x0 + (x1 - x0) * at / length, y = y0 + (y1 - y0) * at / length;
        int column = (int)lround((x - plan->face.column_first) / plan->cell);
        int row = (int)lround((y - plan->face.row_first) / plan->cell);
        bool in = column >= 0 && row >= 0 && column < plan->face.columns && row < plan->face.rows &&
                  plan->permittivity[(size_t)row * (size_t)plan->face.columns + (size_t)column] > wall;
        cell->walls += in && !inside;
        cell->depth += in ? step : 0.0;
        inside = in;
    }
}

static struct plan plan_read(const pw_result *result)
{
    pw_error error = {{0}};
    struct plan plan = {.face = pw_result_face(result), .cell = pw_result_describe(result).cell};
    plan.permittivity = calloc((size_t)plan.face.columns * (size_t)plan.face.rows, sizeof *plan.permittivity);
    case_require(pw_result_permittivity(result, plan.permittivity, &error), error.message);
    return plan;
}

void floor_cells_read(const char *residuals, const pw_result *result, double height, struct floor_cells *cells)
{
    char line[1024], *fields[FLOOR_FIELDS];
    pw_error error = {{0}};
    struct plan plan = plan_read(result);
    FILE *file = fopen(residuals, "r");
    case_require(file != NULL ? PW_OK : PW_BAD_INPUT, residuals);
    *cells = (struct floor_cells){.cells = calloc(100000, sizeof *cells->cells)};
    while (fgets(line, sizeof line, file) != NULL) {
        pw_transmitter from;
        int transmitter;
        if (line[0] == '#' || strncmp(line, "transmitter,", 12) == 0 || floor_cut(line, fields) < 12) {
            continue;
        }
        case_require(pw_result_find_transmitter(result, fields[0], &transmitter, &error), error.message);
        case_require(pw_result_transmitter(result, transmitter, &from, &error), error.message);
        struct floor_cell *cell = &cells->cells[cells->count++];
        *cell = (struct floor_cell){.station = transmitter,
                                    .x = atof(fields[1]),
                                    .y = atof(fields[2]),
                                    .level = atof(fields[4]),
                                    .fold = atoi(fields[10]),
                                    .fitted = atoi(fields[11]) != 0};
        double rise = isnan(from.height) ? 0.0 : from.height - height;
        cell->distance = fmax(0.1, hypot(hypot(cell->x - from.x, cell->y - from.y), rise));
        line_count(&plan, from.x, from.y, cell->x, cell->y, cell);
        cells->stations = cells->stations > transmitter ? cells->stations : transmitter + 1;
    }
    fclose(file);
    free(plan.permittivity);
}

/* ---- rules ---- */

static int columns_of(const struct floor_cells *cells, const struct floor_rule *rule)
{
    return cells->stations +
           (rule->exponent_fixed  ? 0
            : rule->exponent_each ? cells->stations
                                  : 1) +
           rule->walls + rule->depth + rule->walls_root;
}

static void row_fill(const struct floor_cells *cells, const struct floor_rule *rule, const struct floor_cell *cell,
                     double *row, double *target)
{
    int next = cells->stations;
    double lost = -10.0 * log10(cell->distance);
    row[cell->station] = 1.0;
    *target = cell->level - (rule->exponent_fixed ? rule->exponent * lost : 0.0);
    if (!rule->exponent_fixed) {
        row[next + (rule->exponent_each ? cell->station : 0)] = lost;
        next += rule->exponent_each ? cells->stations : 1;
    }
    const struct {
        bool is;
        double value;
    } terms[] = {{rule->walls, cell->walls}, {rule->depth, cell->depth}, {rule->walls_root, sqrt(cell->walls)}};
    for (int n = 0; n < 3; n++) {
        if (terms[n].is) {
            row[next++] = -terms[n].value;
        }
    }
}

static pw_calibration_score score_of(const struct floor_cells *cells, const double *values, bool fitted)
{
    double n = 0, v = 0, m = 0, square = 0, vv = 0, mm = 0, vm = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < cells->count; k++) {
            double level = cells->cells[k].level, value = values[k];
            if (cells->cells[k].fitted != fitted || isnan(value)) {
                continue;
            }
            if (pass == 0) {
                n++;
                v += value;
                m += level;
                square += (value - level) * (value - level);
            } else {
                vv += (value - v / n) * (value - v / n);
                mm += (level - m / n) * (level - m / n);
                vm += (value - v / n) * (level - m / n);
            }
        }
    }
    return (pw_calibration_score){
        .count = (int)n, .bias = (v - m) / n, .rmse = sqrt(square / n), .correlation = vm / sqrt(vv * mm)};
}

/* Fitted without a fold (-1: to all) as the prediction is; into values where the fold is, or everywhere. */
static void rule_fit(const struct floor_cells *cells, const struct floor_rule *rule, int fold, double *values)
{
    pw_error error = {{0}};
    int columns = columns_of(cells, rule);
    size_t rows = (size_t)cells->count;
    double *matrix = calloc(rows * (size_t)columns, sizeof *matrix), *target = calloc(rows, sizeof *target);
    double *beta = calloc((size_t)columns, sizeof *beta), scale;
    bool *left_out = calloc(rows, sizeof *left_out);
    for (size_t n = 0; n < rows; n++) {
        const struct floor_cell *cell = &cells->cells[n];
        row_fill(cells, rule, cell, matrix + n * (size_t)columns, &target[n]);
        left_out[n] = !cell->fitted || (fold >= 0 && cell->fold == fold);
    }
    const struct regression regression = {.rows = cells->count,
                                          .columns = columns,
                                          .matrix = matrix,
                                          .target = target,
                                          .left_out = left_out,
                                          .huber = 1.345};
    case_require(regression_solve(&regression, beta, &scale, &error), error.message);
    for (size_t n = 0; n < rows; n++) {
        const struct floor_cell *cell = &cells->cells[n];
        if (fold < 0 || (cell->fold == fold && cell->fitted)) {
            values[n] = cell->level - target[n];
            for (int c = 0; c < columns; c++) {
                values[n] += matrix[n * (size_t)columns + (size_t)c] * beta[c];
            }
        }
    }
    free(left_out);
    free(beta);
    free(target);
    free(matrix);
}

struct floor_scores floor_rule_score(const struct floor_cells *cells, const struct floor_rule *rule)
{
    struct floor_scores scores = {.numbers = columns_of(cells, rule)};
    double *values = calloc((size_t)cells->count, sizeof *values);
    int folds = 0;
    rule_fit(cells, rule, -1, values);
    scores.fitted = score_of(cells, values, true);
    scores.scored = score_of(cells, values, false);
    for (int n = 0; n < cells->count; n++) {
        values[n] = NAN;
        folds = cells->cells[n].fold >= folds ? cells->cells[n].fold + 1 : folds;
    }
    for (int fold = 0; fold < folds; fold++) {
        rule_fit(cells, rule, fold, values);
    }
    scores.crossed = score_of(cells, values, true);
    free(values);
    return scores;
}

void floor_tell(struct validation *validation, const char *name, int numbers, pw_calibration_score fitted,
                pw_calibration_score crossed, pw_calibration_score scored)
{
    char rest[64] = "";
    if (scored.count > 0) {
        snprintf(rest, sizeof rest, "; scored %.2f dB, %.3f", scored.rmse, scored.correlation);
    }
    case_figure(validation, crossed.rmse, "%s, %d numbers: dB in blocks held out (%.3f; fitted %.2f, %.3f%s)", name,
                numbers, crossed.correlation, fitted.rmse, fitted.correlation, rest);
}
