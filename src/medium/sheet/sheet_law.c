/* The law of thin lossy layers (sheet_law.h): the conductivity of two nodes and the permittivity of four, or on the
 * staggered grid the conductivity of one and five permittivities, by least squares between what the grid does and the
 * transfer matrix. What the grid does is solved directly: nodes of the
 * window as unknowns, one wave in and two waves out beyond them. */
#include "medium/sheet/sheet_law.h"

#include "medium/sheet/open_line.h"

#include <complex.h>
#include <math.h>
#include <string.h>

enum { UNKNOWNS = 6, LINES = 2 * LINE_ANGLES, EACH = 6, RESIDUALS = EACH * LINES, ROUNDS = 60, STARTS = 6 };

/* Transmission counts in nepers; its phase, and reflections, whose phase says where the sheet stands, less. In three
 * dimensions one row cannot have both right, and the phase is left. */
static const double THROUGH = 20, PHASE = 1, BACK = 0.3;
/* Bounds: the loss of a node in conductance times impedance of free space; what permittivity may lose and gain. */
static const double LEAST_LOSS = 1e-4, MOST_LOSS = 8e3, MOST_TAKEN = 0.2, MOST_ADDED = 6;
/* Of E across the sheet. */
static const double NORMAL_TAKEN = 2;

/* ---- the wall as it is ------------------------------------------------------------------------------------------- */

struct wall_answer {
    double complex through, back, behind; /* of a wave from the left: T and R; R of a wave from the right */
};

/* Of E along the wall. Phases as if the wave ran on through the wall's thickness. */
static struct wall_answer wall_exact(const struct sheet_question *question, enum line_fields fields, double angle)
{
    const bool magnetic = fields == LINE_MAGNETIC;
    const double along = sin(angle), across = magnetic ? 1 / cos(angle) : cos(angle);
    double complex a = 1, b = 0, c = 0, d = 1;
    double whole = 0;
    for (int l = 0; l < question->layer_count; l++) {
        const struct wall_layer *layer = &question->layers[l];
        const double complex permittivity = layer->permittivity - I * layer->loss,
                             index = csqrt(permittivity - along * along),
                             admittance = magnetic ? permittivity / index : index;
        const double complex phase = question->turn * layer->thickness * index;
        const double complex cosine = ccos(phase), sine = I * csin(phase);
        const double complex a0 = a, c0 = c;
        a = a0 * cosine + b * admittance * sine;
        b = a0 * sine / admittance + b * cosine;
        c = c0 * cosine + d * admittance * sine;
        d = c0 * sine / admittance + d * cosine;
        whole += layer->thickness;
    }
    const double complex sum = a + b * across + c / across + d;
    return (struct wall_answer){2 / sum * cexp(I * question->turn * cos(angle) * whole),
                                (a + b * across - c / across - d) / sum, (d + b * across - c / across - a) / sum};
}

/* ---- the fit ----------------------------------------------------------------------------------------------------- */

struct fit {
    const struct sheet_question *question;
    struct open_line line[LINES];
    struct wall_answer exact[LINES];
    enum line_fields fields[LINES];
    int lines;
    double whole; /* thickness of the wall */
    double low[UNKNOWNS], high[UNKNOWNS];
};

/* The lines of a question: every angle, and in three dimensions both polarisations. */
static pw_status lines_create(struct fit *fit, pw_error *error)
{
    const enum sheet_fields fields = fit->question->fields;
    for (int n = 0; n < (fields == SHEET_SPACE ? LINES : LINE_ANGLES); n++) {
        const double angle = LINE_ANGLE[n % LINE_ANGLES];
        fit->fields[n] = fields == SHEET_LEVEL ? LINE_LEVEL : n < LINE_ANGLES ? LINE_MAGNETIC : LINE_ELECTRIC;
        TRY(open_line_create(fit->question, fit->fields[n], angle, &fit->line[n], error));
        fit->exact[n] = wall_exact(fit->question, fit->fields[n], angle);
        fit->lines = n + 1;
    }
    return PW_OK;
}

/* Unknowns: logarithms of the two losses, then the four permittivities; or the logarithm of the loss, three
 * permittivities and two of E across the sheet. */
static void unknowns_spread(const struct fit *fit, const double *unknown, struct sheet_answer *answer)
{
    *answer = (struct sheet_answer){.loss[1] = exp(unknown[0]) / fit->question->turn};
    if (fit->question->fields == SHEET_LEVEL) {
        answer->loss[2] = exp(unknown[1]) / fit->question->turn;
        memcpy(answer->permittivity, unknown + 2, sizeof answer->permittivity);
    } else {
        memcpy(answer->permittivity, unknown + 1, LAW_STAGGERED * sizeof *unknown);
        memcpy(answer->normal, unknown + 1 + LAW_STAGGERED, sizeof answer->normal);
    }
}

/* What the answer adds at the places of line n. */
static void places_change(const struct fit *fit, const struct sheet_answer *answer, int n, double complex *added)
{
    const struct sheet_question *question = fit->question;
    const double turn = question->turn;
    const bool staggered = question->fields != SHEET_LEVEL;
    for (int p = 0; p < (staggered ? LAW_STAGGERED : LAW_NODES); p++) {
        added[p] = (staggered ? turn : turn * turn) * (answer->permittivity[p] - I * answer->loss[p]);
    }
    for (int p = 0; p < LAW_BETWEEN && staggered; p++) {
        const int place = LAW_BEFORE - 1 + p;
        const double complex before = question->normal[place] - I * question->normal_loss[place];
        added[LAW_STAGGERED + p] = fit->fields[n] == LINE_ELECTRIC
                                       ? 0
                                       : -fit->line[n].along / turn * (1 / (before + answer->normal[p]) - 1 / before);
    }
}

static double residuals(const struct fit *fit, const double *unknown, double *residual)
{
    struct sheet_answer answer;
    double complex added[LINE_PLACES];
    const double phase = fit->question->fields == SHEET_SPACE ? 0 : PHASE;
    double sum = 0;
    memset(residual, 0, EACH * (size_t)fit->lines * sizeof *residual);
    unknowns_spread(fit, unknown, &answer);
    for (int n = 0; n < fit->lines; n++) {
        const struct wall_answer *exact = &fit->exact[n];
        places_change(fit, &answer, n, added);
        const struct line_waves waves = open_line_waves(&fit->line[n], added);
        const double start = 2 * fit->line[n].turn * fit->question->start,
                     end = 2 * fit->line[n].turn * (fit->question->start + fit->whole);
        const double complex back = waves.back * cexp(I * start) - exact->back,
                             behind = waves.behind * cexp(-I * end) - exact->behind;
        double *out = residual + EACH * (ptrdiff_t)n;
        out[0] = THROUGH * log(cabs(waves.through) / cabs(exact->through));
        out[1] = BACK * creal(back), out[2] = BACK * cimag(back);
        out[3] = BACK * creal(behind), out[4] = BACK * cimag(behind);
        out[5] = phase * carg(waves.through / exact->through);
    }
    for (int r = 0; r < EACH * fit->lines; r++) {
        sum += residual[r] * residual[r];
    }
    return sum;
}

/* Solves the symmetric system in place by elimination; it is made positive by what Levenberg and Marquardt add. */
static void solve_step(double matrix[UNKNOWNS][UNKNOWNS], double *right)
{
    for (int p = 0; p < UNKNOWNS; p++) {
        for (int r = p + 1; r < UNKNOWNS; r++) {
            const double factor = matrix[r][p] / matrix[p][p];
            for (int c = p; c < UNKNOWNS; c++) {
                matrix[r][c] -= factor * matrix[p][c];
            }
            right[r] -= factor * right[p];
        }
    }
    for (int p = UNKNOWNS - 1; p >= 0; p--) {
        for (int c = p + 1; c < UNKNOWNS; c++) {
            right[p] -= matrix[p][c] * right[c];
        }
        right[p] /= matrix[p][p];
    }
}

static void slopes_find(const struct fit *fit, const double *unknown, const double *residual,
                        double slope[UNKNOWNS][RESIDUALS])
{
    const double small = 1e-6;
    double moved[UNKNOWNS], there[RESIDUALS];
    for (int p = 0; p < UNKNOWNS; p++) {
        memcpy(moved, unknown, sizeof moved);
        const double by = moved[p] + small > fit->high[p] ? -small : small;
        moved[p] += by;
        residuals(fit, moved, there);
        for (int r = 0; r < EACH * fit->lines; r++) {
            slope[p][r] = (there[r] - residual[r]) / by;
        }
    }
}

/* One step of Levenberg and Marquardt; an unknown that stands at a bound and would pass it stays. */
static void step_find(const struct fit *fit, const double *unknown, const double *residual,
                      double slope[UNKNOWNS][RESIDUALS], double damping, double *step)
{
    double matrix[UNKNOWNS][UNKNOWNS];
    bool fixed[UNKNOWNS];
    for (int p = 0; p < UNKNOWNS; p++) {
        step[p] = 0;
        for (int r = 0; r < EACH * fit->lines; r++) {
            step[p] -= slope[p][r] * residual[r];
        }
        fixed[p] = (unknown[p] <= fit->low[p] && step[p] < 0) || (unknown[p] >= fit->high[p] && step[p] > 0);
    }
    for (int p = 0; p < UNKNOWNS; p++) {
        for (int q = 0; q < UNKNOWNS; q++) {
            matrix[p][q] = 0;
            for (int r = 0; r < EACH * fit->lines && !fixed[p] && !fixed[q]; r++) {
                matrix[p][q] += slope[p][r] * slope[q][r];
            }
        }
        matrix[p][p] = fixed[p] ? 1 : matrix[p][p] * (1 + damping) + 1e-9;
        step[p] = fixed[p] ? 0 : step[p];
    }
    solve_step(matrix, step);
}

/* From the unknowns given to a minimum near them; the sum of squares there. */
static double descend(const struct fit *fit, double *unknown)
{
    double residual[RESIDUALS], slope[UNKNOWNS][RESIDUALS], step[UNKNOWNS], next[UNKNOWNS], there[RESIDUALS];
    double sum = residuals(fit, unknown, residual), damping = 1e-2;
    for (int round = 0; round < ROUNDS && damping < 1e8; round++) {
        slopes_find(fit, unknown, residual, slope);
        bool better = false;
        while (!better && damping < 1e8) {
            step_find(fit, unknown, residual, slope, damping, step);
            for (int p = 0; p < UNKNOWNS; p++) {
                next[p] = fmin(fmax(unknown[p] + step[p], fit->low[p]), fit->high[p]);
            }
            const double sum_there = residuals(fit, next, there);
            better = sum_there < sum * (1 - 1e-7);
            sum = better ? sum_there : sum;
            damping *= better ? 0.2 : 5;
        }
        if (better) {
            memcpy(unknown, next, sizeof next);
            memcpy(residual, there, sizeof there);
        }
    }
    return sum;
}

/* ---- to the minimum itself ---- */

enum { NEWTONS = 8 };
static const double BESIDE = 1e-3, SETTLED = 1e-11;

/* The sum of squares where unknown p is moved by `by` and unknown q by `also`. */
static double sum_beside(const struct fit *fit, const double *unknown, int p, double by, int q, double also)
{
    double moved[UNKNOWNS], residual[RESIDUALS];
    memcpy(moved, unknown, sizeof moved);
    moved[p] += by;
    moved[q] += also;
    return residuals(fit, moved, residual);
}

/* Of the sum of squares: along an unknown, to fourth order; and along two. */
static double slope_find(const struct fit *fit, const double *unknown, int p)
{
    const double by = BESIDE;
    return (8 * (sum_beside(fit, unknown, p, by, p, 0) - sum_beside(fit, unknown, p, -by, p, 0)) -
            (sum_beside(fit, unknown, p, 2 * by, p, 0) - sum_beside(fit, unknown, p, -2 * by, p, 0))) /
           (12 * by);
}

static double curve_find(const struct fit *fit, const double *unknown, int p, int q)
{
    const double by = BESIDE;
    return (sum_beside(fit, unknown, p, by, q, by) - sum_beside(fit, unknown, p, by, q, -by) -
            sum_beside(fit, unknown, p, -by, q, by) + sum_beside(fit, unknown, p, -by, q, -by)) /
           (4 * by * by);
}

/* A step of Newton's method for the sum of squares; an unknown that stands at a bound and would pass it stays. Returns
 * the largest change. */
static double newton_step(const struct fit *fit, double *unknown)
{
    double matrix[UNKNOWNS][UNKNOWNS], step[UNKNOWNS], most = 0;
    bool fixed[UNKNOWNS];
    for (int p = 0; p < UNKNOWNS; p++) {
        step[p] = -slope_find(fit, unknown, p);
        fixed[p] = (unknown[p] <= fit->low[p] && step[p] < 0) || (unknown[p] >= fit->high[p] && step[p] > 0);
    }
    for (int p = 0; p < UNKNOWNS; p++) {
        for (int q = 0; q <= p; q++) {
            matrix[p][q] = matrix[q][p] = fixed[p] || fixed[q] ? 0 : curve_find(fit, unknown, p, q);
        }
        matrix[p][p] = fixed[p] ? 1 : matrix[p][p] + 1e-9;
        step[p] = fixed[p] ? 0 : step[p];
    }
    solve_step(matrix, step);
    for (int p = 0; p < UNKNOWNS; p++) {
        const double next = fmin(fmax(unknown[p] + step[p], fit->low[p]), fit->high[p]);
        most = fmax(most, fabs(next - unknown[p]));
        unknown[p] = next;
    }
    return most;
}

/* From near a minimum to it, so that what is found follows the question smoothly: derivatives to the resistance of a
 * coating need that (run/study/node_changes.c). Where the steps lead nowhere better, what was near stays. */
static void settle(const struct fit *fit, double *unknown)
{
    double at[UNKNOWNS], residual[RESIDUALS], most = INFINITY;
    const double sum = residuals(fit, unknown, residual);
    memcpy(at, unknown, sizeof at);
    for (int n = 0; n < NEWTONS && most > SETTLED; n++) {
        most = newton_step(fit, at);
    }
    if (residuals(fit, at, residual) <= sum * (1 + 1e-9)) {
        memcpy(unknown, at, sizeof at);
    }
}

/* The conductance of the sheet times the impedance of free space: of all layers. */
static double conductance(const struct sheet_question *question)
{
    double sum = 0;
    for (int l = 0; l < question->layer_count; l++) {
        sum += question->turn * question->layers[l].thickness * question->layers[l].loss;
    }
    return sum;
}

/* Places to begin at: a pair of mirrors, the conductance shared, one row that is held and another that takes up what
 * passes it, either way. */
static void start_at(const struct fit *fit, int number, double *unknown)
{
    const double whole = fmax(conductance(fit->question), 0.1), pair = sqrt(whole / fit->question->turn);
    const double losses[STARTS][2] = {{pair, pair}, {0.5 * whole, 0.5 * whole}, {whole, 0.2},
                                      {0.2, whole}, {MOST_LOSS, pair},          {pair, MOST_LOSS}};
    const bool staggered = fit->question->fields != SHEET_LEVEL;
    /* With one row the loss or a part of it, in air or in what is about a dense pane. */
    const double parts[STARTS] = {1, 1, 0.5, 0.5, 0.25, 0.25}, dense = number % 2 == 0 ? 0.05 : 3;
    for (int p = 0; p < UNKNOWNS; p++) {
        const double wanted = staggered ? (p == 0  ? log(parts[number] * whole)
                                           : p < 4 ? dense
                                                   : 0)
                              : p < 2   ? log(losses[number][p])
                                        : 0.05;
        unknown[p] = fmin(fmax(wanted, fit->low[p]), fit->high[p]);
    }
}

/* The largest errors over the lines, of logarithms of what passes over what is right. */
static void misses_tell(const struct fit *fit, const double complex *miss, struct sheet_miss *told)
{
    *told = (struct sheet_miss){0, 0, 0};
    for (int n = 0; n < fit->lines; n++) {
        told->decibels = fmax(told->decibels, 20 / log(10) * fabs(creal(miss[n])));
        told->phase = fmax(told->phase, fabs(cimag(miss[n])));
    }
}

static void bounds_set(struct fit *fit)
{
    const struct sheet_question *question = fit->question;
    const bool staggered = question->fields != SHEET_LEVEL;
    const int losses = staggered ? 1 : 2, normals = staggered ? LAW_BETWEEN : 0;
    for (int p = 0; p < UNKNOWNS; p++) {
        const bool normal = p >= UNKNOWNS - normals;
        const double before = p < losses ? 0
                              : normal   ? question->normal[LAW_BEFORE - 1 + p - (UNKNOWNS - normals)]
                                         : question->permittivity[LAW_BEFORE - 1 + p - losses];
        fit->low[p] =
            p < losses ? log(LEAST_LOSS) : -fmax(0, fmin(normal ? NORMAL_TAKEN : MOST_TAKEN, before - question->least));
        fit->high[p] = p < losses ? log(MOST_LOSS) : MOST_ADDED;
    }
}

pw_status sheet_law(const struct sheet_question *question, struct sheet_answer *answer, pw_error *error)
{
    struct fit fit = {.question = question};
    double best = INFINITY, found[UNKNOWNS] = {0};
    for (int l = 0; l < question->layer_count; l++) {
        fit.whole += question->layers[l].thickness;
    }
    TRY(lines_create(&fit, error));
    bounds_set(&fit);
    for (int number = 0; number < STARTS; number++) {
        double unknown[UNKNOWNS];
        start_at(&fit, number, unknown);
        const double sum = descend(&fit, unknown);
        if (sum < best) {
            best = sum;
            memcpy(found, unknown, sizeof found);
        }
    }
    FAIL_IF(!isfinite(best), error, PW_BAD_INPUT, "a thin lossy layer cannot be put on this grid: take smaller cells");
    settle(&fit, found);
    unknowns_spread(&fit, found, answer);
    double complex added[LINE_PLACES], miss[LINES];
    for (int n = 0; n < fit.lines; n++) {
        places_change(&fit, answer, n, added);
        miss[n] = clog(open_line_waves(&fit.line[n], added).through / fit.exact[n].through);
    }
    misses_tell(&fit, miss, &answer->miss);
    return PW_OK;
}

/* ---- sheets aslant ----------------------------------------------------------------------------------------------- */

/* Full over one distance of nodes and fallen to nothing over another: the sum over nodes is the same at any place. */
double sheet_spread(double distance)
{
    const double full = 0.5, none = 1.5, from = fabs(distance);
    return from <= full ? 0.5 : from >= none ? 0 : 0.5 * (none - from) / (none - full);
}

/* What steps from line to line add, as a part of the loss, by what the grid has: measured at 10 to 60 degrees, 2.5 to
 * 50 ohm (validation/sheets.md). */
static const double TURNED_MISS[] = {[SHEET_LEVEL] = 0.04, [SHEET_LAYER] = 0.08, [SHEET_SPACE] = 0.2};

/* Logarithms of what all places together let through, over what is right. */
static void turned_misses(const struct fit *fit, double loss, double complex miss[LINES])
{
    double complex sum[LINES] = {0};
    for (int place = 0; place < TURNED_PLACES; place++) {
        struct sheet_answer answer = {.loss[1] = loss};
        double complex added[LINE_PLACES];
        for (int n = 0; n < LAW_NODES && fit->question->fields == SHEET_LEVEL; n++) {
            answer.loss[n] = loss * sheet_spread(n - 1 - (double)place / TURNED_PLACES);
        }
        for (int n = 0; n < fit->lines; n++) {
            places_change(&fit[place], &answer, n, added);
            sum[n] += open_line_waves(&fit[place].line[n], added).through / TURNED_PLACES;
        }
    }
    for (int n = 0; n < fit->lines; n++) {
        miss[n] = clog(sum[n] / fit->exact[n].through);
    }
}

static double turned_miss(const struct fit *fit, double loss)
{
    double complex miss[LINES];
    double sum = 0;
    turned_misses(fit, loss, miss);
    for (int n = 0; n < fit->lines; n++) {
        sum += creal(miss[n]);
    }
    return sum;
}

pw_status sheet_law_turned(const struct sheet_question *question, double *loss, struct sheet_miss *told,
                           pw_error *error)
{
    OWNED struct fit *fit = allocate(TURNED_PLACES, sizeof *fit, "the law of thin layers", error);
    TRY_MADE(fit);
    for (int place = 0; place < TURNED_PLACES; place++) {
        fit[place].question = &question[place];
        TRY(lines_create(&fit[place], error));
    }
    double low = LEAST_LOSS, high = 2 * MOST_LOSS;
    for (int n = 0; n < 60; n++) {
        const double middle = sqrt(low * high);
        *(turned_miss(fit, middle) > 0 ? &low : &high) = middle;
    }
    double complex miss[LINES];
    *loss = sqrt(low * high);
    turned_misses(fit, *loss, miss);
    misses_tell(fit, miss, told);
    told->decibels -= TURNED_MISS[question->fields] * 20 * log10(cabs(fit->exact[0].through));
    return PW_OK;
}
