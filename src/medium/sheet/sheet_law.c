/* The law of thin lossy layers (sheet_law.h): the conductivity of two nodes and the permittivity of four, by least
 * squares between what the grid does and the transfer matrix. What the grid does is solved directly: nodes of the
 * window as unknowns, one wave in and two waves out beyond them. */
#include "medium/sheet/sheet_law.h"

#include "medium/sheet/open_line.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { UNKNOWNS = 6, RESIDUALS = 5 * LINE_ANGLES, ROUNDS = 60, STARTS = 6 };

/* Transmission counts in nepers; reflections, whose phase says where the sheet stands, less. */
static const double THROUGH = 20, BACK = 0.3;
/* Bounds: the loss of a node in conductance times impedance of free space; what permittivity may lose and gain. */
static const double LEAST_LOSS = 1e-4, MOST_LOSS = 8e3, MOST_TAKEN = 0.2, MOST_ADDED = 6;

/* ---- the wall as it is ------------------------------------------------------------------------------------------- */

struct wall_answer {
    double complex through, back, behind; /* of a wave from the left: T and R; R of a wave from the right */
};

/* Phases as if the wave ran on through the wall's thickness. */
static struct wall_answer wall_exact(const struct sheet_question *question, double angle)
{
    const double across = cos(angle), along = sin(angle);
    double complex a = 1, b = 0, c = 0, d = 1;
    double whole = 0;
    for (int l = 0; l < question->layer_count; l++) {
        const struct wall_layer *layer = &question->layers[l];
        const double complex admittance = csqrt(layer->permittivity - I * layer->loss - along * along);
        const double complex phase = question->turn * layer->thickness * admittance;
        const double complex cosine = ccos(phase), sine = I * csin(phase);
        const double complex a0 = a, c0 = c;
        a = a0 * cosine + b * admittance * sine;
        b = a0 * sine / admittance + b * cosine;
        c = c0 * cosine + d * admittance * sine;
        d = c0 * sine / admittance + d * cosine;
        whole += layer->thickness;
    }
    const double complex sum = a + b * across + c / across + d;
    return (struct wall_answer){2 / sum * cexp(I * question->turn * across * whole),
                                (a + b * across - c / across - d) / sum, (d + b * across - c / across - a) / sum};
}

double wall_transmission(const struct sheet_question *question, double angle)
{
    return cabs(wall_exact(question, angle).through);
}

/* ---- the fit ----------------------------------------------------------------------------------------------------- */

struct fit {
    const struct sheet_question *question;
    struct open_line line[LINE_ANGLES];
    struct wall_answer exact[LINE_ANGLES];
    double whole; /* thickness of the wall */
    double low[UNKNOWNS], high[UNKNOWNS];
};

/* Unknowns: logarithms of the two losses, then the four permittivities. */
static void unknowns_spread(const struct fit *fit, const double *unknown, struct sheet_answer *answer)
{
    *answer = (struct sheet_answer){.loss[1] = exp(unknown[0]) / fit->question->turn,
                                    .loss[2] = exp(unknown[1]) / fit->question->turn};
    memcpy(answer->permittivity, unknown + 2, sizeof answer->permittivity);
}

static double residuals(const struct fit *fit, const double *unknown, double *residual)
{
    const double turn = fit->question->turn;
    struct sheet_answer answer;
    double complex added[LAW_NODES];
    double sum = 0;
    unknowns_spread(fit, unknown, &answer);
    for (int n = 0; n < LAW_NODES; n++) {
        added[n] = turn * turn * (answer.permittivity[n] - I * answer.loss[n]);
    }
    for (int angle = 0; angle < LINE_ANGLES; angle++) {
        const struct wall_answer *exact = &fit->exact[angle];
        const struct line_waves waves = open_line_waves(&fit->line[angle], added);
        const double start = 2 * fit->line[angle].turn * fit->question->start,
                     end = 2 * fit->line[angle].turn * (fit->question->start + fit->whole);
        const double complex back = waves.back * cexp(I * start) - exact->back,
                             behind = waves.behind * cexp(-I * end) - exact->behind;
        double *out = residual + 5 * (ptrdiff_t)angle;
        out[0] = THROUGH * log(cabs(waves.through) / cabs(exact->through));
        out[1] = BACK * creal(back), out[2] = BACK * cimag(back);
        out[3] = BACK * creal(behind), out[4] = BACK * cimag(behind);
    }
    for (int r = 0; r < RESIDUALS; r++) {
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
        for (int r = 0; r < RESIDUALS; r++) {
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
        for (int r = 0; r < RESIDUALS; r++) {
            step[p] -= slope[p][r] * residual[r];
        }
        fixed[p] = (unknown[p] <= fit->low[p] && step[p] < 0) || (unknown[p] >= fit->high[p] && step[p] > 0);
    }
    for (int p = 0; p < UNKNOWNS; p++) {
        for (int q = 0; q < UNKNOWNS; q++) {
            matrix[p][q] = 0;
            for (int r = 0; r < RESIDUALS && !fixed[p] && !fixed[q]; r++) {
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
    for (int p = 0; p < UNKNOWNS; p++) {
        const double wanted = p < 2 ? log(losses[number][p]) : 0.05;
        unknown[p] = fmin(fmax(wanted, fit->low[p]), fit->high[p]);
    }
}

static double worst_decibels(const struct fit *fit, const double *unknown)
{
    double residual[RESIDUALS], worst = 0;
    residuals(fit, unknown, residual);
    for (int angle = 0; angle < LINE_ANGLES; angle++) {
        worst = fmax(worst, fabs(residual[5 * (ptrdiff_t)angle]));
    }
    return 20 / log(10) * worst / THROUGH;
}

pw_status sheet_law(const struct sheet_question *question, struct sheet_answer *answer, pw_error *error)
{
    struct fit fit = {.question = question};
    double best = INFINITY, found[UNKNOWNS] = {0};
    for (int l = 0; l < question->layer_count; l++) {
        fit.whole += question->layers[l].thickness;
    }
    for (int n = 0; n < LINE_ANGLES; n++) {
        TRY(open_line_create(question, LINE_ANGLE[n], &fit.line[n], error));
        fit.exact[n] = wall_exact(question, LINE_ANGLE[n]);
    }
    for (int p = 0; p < UNKNOWNS; p++) {
        const double spare = p < 2 ? 0 : question->permittivity[LAW_BEFORE + p - 3] - question->least;
        fit.low[p] = p < 2 ? log(LEAST_LOSS) : -fmax(0, fmin(MOST_TAKEN, spare));
        fit.high[p] = p < 2 ? log(MOST_LOSS) : MOST_ADDED;
    }
    for (int number = 0; number < STARTS; number++) {
        double unknown[UNKNOWNS];
        start_at(&fit, number, unknown);
        const double sum = descend(&fit, unknown);
        if (sum < best) {
            best = sum;
            memcpy(found, unknown, sizeof found);
        }
    }
    if (!isfinite(best)) {
        return fail(error, PW_BAD_INPUT, "a thin lossy layer cannot be put on this grid: take smaller cells");
    }
    unknowns_spread(&fit, found, answer);
    answer->decibels = worst_decibels(&fit, found);
    return PW_OK;
}

/* ---- sheets aslant ----------------------------------------------------------------------------------------------- */

/* Full over one distance of nodes and fallen to nothing over another: the sum over nodes is the same at any place. */
double sheet_spread(double distance)
{
    const double full = 0.5, none = 1.5, from = fabs(distance);
    return from <= full ? 0.5 : from >= none ? 0 : 0.5 * (none - from) / (none - full);
}

/* What steps from line to line add, of the loss: measured at 10 to 60 degrees, 2.5 to 50 ohm (validation/sheets.md). */
static const double TURNED_MISS = 0.04;

/* Logarithms of what all places together let through, over what is right. */
static void turned_misses(const struct fit *fit, double loss, double miss[LINE_ANGLES])
{
    const double square = fit->question->turn * fit->question->turn;
    double complex sum[LINE_ANGLES] = {0};
    for (int place = 0; place < TURNED_PLACES; place++) {
        double complex added[LAW_NODES];
        for (int n = 0; n < LAW_NODES; n++) {
            added[n] = -I * square * loss * sheet_spread(n - 1 - (double)place / TURNED_PLACES);
        }
        for (int angle = 0; angle < LINE_ANGLES; angle++) {
            sum[angle] += open_line_waves(&fit[place].line[angle], added).through / TURNED_PLACES;
        }
    }
    for (int angle = 0; angle < LINE_ANGLES; angle++) {
        miss[angle] = log(cabs(sum[angle]) / cabs(fit->exact[angle].through));
    }
}

static double turned_miss(const struct fit *fit, double loss)
{
    double miss[LINE_ANGLES], sum = 0;
    turned_misses(fit, loss, miss);
    for (int angle = 0; angle < LINE_ANGLES; angle++) {
        sum += miss[angle];
    }
    return sum;
}

pw_status sheet_law_turned(const struct sheet_question *question, double *loss, double *decibels, pw_error *error)
{
    struct fit *fit = allocate(TURNED_PLACES, sizeof *fit, "the law of thin layers", error);
    pw_status status = fit != NULL ? PW_OK : PW_NO_RESOURCE;
    for (int place = 0; place < TURNED_PLACES && status == PW_OK; place++) {
        fit[place].question = &question[place];
        for (int n = 0; n < LINE_ANGLES && status == PW_OK; n++) {
            status = open_line_create(&question[place], LINE_ANGLE[n], &fit[place].line[n], error);
            fit[place].exact[n] = wall_exact(&question[place], LINE_ANGLE[n]);
        }
    }
    double low = LEAST_LOSS, high = 2 * MOST_LOSS;
    for (int n = 0; n < 60 && status == PW_OK; n++) {
        const double middle = sqrt(low * high);
        *(turned_miss(fit, middle) > 0 ? &low : &high) = middle;
    }
    if (status == PW_OK) {
        double miss[LINE_ANGLES], worst = 0;
        *loss = sqrt(low * high);
        turned_misses(fit, *loss, miss);
        for (int n = 0; n < LINE_ANGLES; n++) {
            worst = fmax(worst, fabs(miss[n]));
        }
        *decibels = 20 / log(10) * (worst + TURNED_MISS * log(1 / cabs(fit->exact[0].through)));
    }
    free(fit);
    return status;
}
