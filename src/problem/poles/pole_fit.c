/* Fitting poles (pole_fit.h). Poles of many frequencies are tried: a search that keeps the best few sets of each size
 * finds them, the strengths of a set being those of least squares under the condition that none is negative; and the
 * best set is then weighted anew, time and again, where it is worst (Lawson's method), which takes its largest error
 * down.
 *
 * Why Debye poles alone are not enough: by the relations of Kramers and Kronig a loss within the band takes the
 * permittivity down as frequency rises, and where a law keeps it constant, as most rows of P.2040 do, something outside
 * of the band must take it up again. A plasma below the band and a resonance above it do that and lose little. */
#include "problem/poles/pole_fit.h"

#include "base/constants.h"

#include <math.h>
#include <string.h>

enum { RELAXATIONS = 16, PLASMAS = 3, WIDE_LINES = 6, HIGH_LINES = 4, HIGH_WIDTHS = 2 };
enum { CANDIDATES = RELAXATIONS + PLASMAS + WIDE_LINES + HIGH_LINES * HIGH_WIDTHS };
/* Terms: the constant and the conductivity, which every set has, then the candidates. */
enum { ALWAYS = 2, TERMS = ALWAYS + CANDIDATES, UNKNOWNS = ALWAYS + FIT_MOST_POLES, SETS = 20, ROUNDS = 60 };

/* Relaxations from a part of the lowest frequency to a multiple of the highest: further up time steps may not follow.
 */
static const double LOWEST = 0.1, HIGHEST = 4;
/* Damping of the plasmas over the lowest frequency; resonances above the band over the highest, and their widths. */
static const double PLASMA_DAMPING[PLASMAS] = {0.05, 0.1, 0.3}, HIGH_LINE[HIGH_LINES] = {1.5, 2, 3, 4},
                    HIGH_WIDTH[HIGH_WIDTHS] = {0.1, 0.3};

/* What the terms give at the samples: a constant, a conductivity of 1 S/m, poles of strength 1; and what is wanted. */
struct fit_task {
    const struct permittivity_sample *samples;
    int count;
    struct pole candidate[CANDIDATES];
    struct permittivity *term;            /* (TERMS, count), owned */
    double *weight;                       /* (count), owned */
    double product[TERMS + 1][TERMS + 1]; /* of the terms, and in the last row of what is wanted: relative to that */
};

/* A set of terms and their strengths. */
struct solution {
    int terms, term[UNKNOWNS];
    double strength[UNKNOWNS];
    double square, largest; /* weighted sum of squares; largest relative error */
};

static double magnitude(struct permittivity value)
{
    return hypot(value.real, value.loss);
}

/* ---- terms ------------------------------------------------------------------------------------------------------- */

static double spread(double low, double high, int n, int count)
{
    return low * pow(high / low, (double)n / (count - 1));
}

/* A plasma of strength 1 has its plasma frequency at the lowest frequency of the band. */
static void candidates_fill(struct fit_task *task)
{
    double low = task->samples[0].frequency, high = task->samples[task->count - 1].frequency;
    struct pole *next = task->candidate;
    for (int n = 0; n < RELAXATIONS; n++) {
        double frequency = spread(LOWEST * low, HIGHEST * high, n, RELAXATIONS);
        *next++ = (struct pole){.kind = POLE_DEBYE, .strength = 1, .relaxation = 1 / ((2 * M_PI) * frequency)};
    }
    for (int n = 0; n < PLASMAS; n++) {
        *next++ = (struct pole){.kind = POLE_DRUDE, .frequency = low, .damping = PLASMA_DAMPING[n] * low};
    }
    for (int n = 0; n < WIDE_LINES; n++) {
        double frequency = spread(low, high, n, WIDE_LINES);
        *next++ = (struct pole){.kind = POLE_LORENTZ, .strength = 1, .frequency = frequency, .damping = frequency};
    }
    for (int n = 0; n < HIGH_LINES * HIGH_WIDTHS; n++) {
        double frequency = HIGH_LINE[n / HIGH_WIDTHS] * high;
        *next++ = (struct pole){.kind = POLE_LORENTZ,
                                .strength = 1,
                                .frequency = frequency,
                                .damping = HIGH_WIDTH[n % HIGH_WIDTHS] * frequency};
    }
}

static pw_status task_create(struct fit_task *task, pw_error *error)
{
    size_t count = (size_t)task->count;
    task->term = allocate((size_t)TERMS * count, sizeof *task->term, "fitting poles", error);
    task->weight = allocate(count, sizeof *task->weight, "fitting poles", error);
    TRY_MADE(task->term != NULL && task->weight != NULL);
    candidates_fill(task);
    for (size_t n = 0; n < count; n++) {
        double frequency = task->samples[n].frequency;
        task->term[n] = (struct permittivity){1, 0};
        task->term[count + n] = (struct permittivity){0, 1 / ((2 * M_PI) * frequency * FREE_SPACE_PERMITTIVITY)};
        for (size_t c = 0; c < CANDIDATES; c++) {
            task->term[(ALWAYS + c) * count + n] = pole_at(&task->candidate[c], frequency);
        }
        task->weight[n] = 1;
    }
    return PW_OK;
}

static void task_free(struct fit_task *task)
{
    FREE_ALL(task->term, task->weight);
}

/* Term TERMS is what is wanted; the constant is at least 1. */
static struct permittivity term_at(const struct fit_task *task, int term, int n)
{
    struct permittivity value = task->samples[n].value;
    return term == TERMS ? (struct permittivity){value.real - 1, value.loss}
                         : task->term[(size_t)term * (size_t)task->count + (size_t)n];
}

static double terms_product(const struct fit_task *task, int a, int b)
{
    double sum = 0;
    for (int n = 0; n < task->count; n++) {
        struct permittivity left = term_at(task, a, n), right = term_at(task, b, n);
        double size = magnitude(task->samples[n].value);
        sum += task->weight[n] / (size * size) * (left.real * right.real + left.loss * right.loss);
    }
    return sum;
}

/* ---- least squares ----------------------------------------------------------------------------------------------- */

/* The equations of least squares of a set: the last row and column are what is wanted. */
struct gram {
    double product[UNKNOWNS + 1][UNKNOWNS + 1];
};

static void gram_take(const struct fit_task *task, const struct solution *solution, struct gram *gram)
{
    for (int a = 0; a <= solution->terms; a++) {
        int row = a == solution->terms ? TERMS : solution->term[a];
        for (int b = 0; b <= a; b++) {
            int column = b == solution->terms ? TERMS : solution->term[b];
            gram->product[a][b] = row > column ? task->product[row][column] : task->product[column][row];
        }
    }
}

/* Strengths of the terms in `mask`, by Cholesky; false when they cannot be told apart. */
static bool solve_subset(const struct gram *gram, int terms, unsigned mask, double *strength)
{
    double root[UNKNOWNS][UNKNOWNS], right[UNKNOWNS];
    int column[UNKNOWNS], count = 0;
    for (int t = 0; t < terms; t++) {
        strength[t] = 0;
        if (mask >> t & 1U) {
            column[count++] = t;
        }
    }
    for (int a = 0; a < count; a++) {
        for (int b = 0; b <= a; b++) {
            double sum = gram->product[column[a]][column[b]];
            for (int k = 0; k < b; k++) {
                sum -= root[a][k] * root[b][k];
            }
            if (a == b && !(sum > 1e-13 * gram->product[column[a]][column[a]])) {
                return false;
            }
            root[a][b] = a == b ? sqrt(sum) : sum / root[b][b];
        }
        right[a] = gram->product[terms][column[a]];
        for (int k = 0; k < a; k++) {
            right[a] -= root[a][k] * right[k];
        }
        right[a] /= root[a][a];
    }
    for (int a = count - 1; a >= 0; a--) {
        for (int k = a + 1; k < count; k++) {
            right[a] -= root[k][a] * right[k];
        }
        right[a] /= root[a][a];
        strength[column[a]] = right[a];
    }
    return true;
}

/* The term outside of `mask` by which the sum of squares falls fastest, relative to the term's size; -1: none. */
static int steepest_term(const struct gram *gram, int terms, unsigned mask, const double *strength)
{
    int best = -1;
    double most = 1e-9;
    for (int t = 0; t < terms; t++) {
        double slope = gram->product[terms][t];
        for (int s = 0; s < terms; s++) {
            slope -= strength[s] * (s > t ? gram->product[s][t] : gram->product[t][s]);
        }
        slope /= sqrt(gram->product[t][t] * gram->product[terms][terms]);
        if (!(mask >> t & 1U) && slope > most) {
            most = slope;
            best = t;
        }
    }
    return best;
}

/* Walks from `strength` towards `wanted` until the first strength is zero, and takes that term out of the mask. */
static unsigned step_back(int terms, unsigned mask, double *strength, const double *wanted)
{
    double part = 1;
    int out = -1;
    for (int t = 0; t < terms; t++) {
        if ((mask >> t & 1U) && wanted[t] <= 0 && strength[t] / (strength[t] - wanted[t]) <= part) {
            part = strength[t] / (strength[t] - wanted[t]);
            out = t;
        }
    }
    for (int t = 0; t < terms; t++) {
        strength[t] += (mask >> t & 1U) ? part * (wanted[t] - strength[t]) : 0;
    }
    if (out >= 0) {
        strength[out] = 0;
        mask &= ~(1U << out);
    }
    return mask;
}

/* The strengths of least squares that are not negative, by the active sets of Lawson and Hanson. */
static void solve_terms(const struct fit_task *task, struct solution *solution)
{
    struct gram gram;
    const int terms = solution->terms;
    double wanted[UNKNOWNS];
    unsigned mask = 0;
    gram_take(task, solution, &gram);
    memset(solution->strength, 0, sizeof solution->strength);
    for (int round = 0; round < 4 * UNKNOWNS; round++) {
        int enters = steepest_term(&gram, terms, mask, solution->strength);
        if (enters < 0 || !solve_subset(&gram, terms, mask | 1U << enters, wanted) || wanted[enters] <= 0) {
            break;
        }
        mask |= 1U << enters;
        bool inside = false;
        while (!inside && solve_subset(&gram, terms, mask, wanted)) {
            inside = true;
            for (int t = 0; t < terms; t++) {
                inside = inside && (!(mask >> t & 1U) || wanted[t] > 0);
            }
            if (inside) {
                memcpy(solution->strength, wanted, sizeof wanted);
            } else {
                mask = step_back(terms, mask, solution->strength, wanted);
            }
        }
    }
    solution->square = gram.product[terms][terms];
    for (int t = 0; t < terms; t++) {
        solution->square -= solution->strength[t] * gram.product[terms][t];
    }
}

/* ---- the largest error ------------------------------------------------------------------------------------------- */

static double error_at(const struct fit_task *task, const struct solution *solution, int n)
{
    struct permittivity miss = term_at(task, TERMS, n);
    for (int t = 0; t < solution->terms; t++) {
        struct permittivity term = term_at(task, solution->term[t], n);
        miss.real -= solution->strength[t] * term.real;
        miss.loss -= solution->strength[t] * term.loss;
    }
    return magnitude(miss) / magnitude(task->samples[n].value);
}

static void measure(const struct fit_task *task, struct solution *solution)
{
    solution->largest = 0;
    for (int n = 0; n < task->count; n++) {
        solution->largest = fmax(solution->largest, error_at(task, solution, n));
    }
}

/* Products of the terms of one set alone, since only those are asked for. */
static void products_renew(struct fit_task *task, const struct solution *solution)
{
    for (int a = 0; a <= solution->terms; a++) {
        int row = a == solution->terms ? TERMS : solution->term[a];
        for (int b = 0; b <= solution->terms; b++) {
            int column = b == solution->terms ? TERMS : solution->term[b];
            if (column <= row) {
                task->product[row][column] = terms_product(task, row, column);
            }
        }
    }
}

static void weights_reset(struct fit_task *task, const struct solution *solution)
{
    for (int n = 0; n < task->count; n++) {
        task->weight[n] = 1;
    }
    products_renew(task, solution);
}

/* The strengths of the set once more, with samples weighted in every round by what they were off before (Lawson): the
 * round with the least of the largest errors. */
static struct solution level_out(struct fit_task *task, struct solution solution)
{
    struct solution best = solution;
    measure(task, &best);
    for (int round = 0; round < ROUNDS; round++) {
        double sum = 0;
        for (int n = 0; n < task->count; n++) {
            task->weight[n] *= error_at(task, &solution, n);
            sum += task->weight[n];
        }
        if (!(sum > 0)) {
            break;
        }
        for (int n = 0; n < task->count; n++) {
            task->weight[n] *= task->count / sum;
        }
        products_renew(task, &solution);
        solve_terms(task, &solution);
        measure(task, &solution);
        best = solution.largest < best.largest ? solution : best;
    }
    weights_reset(task, &solution);
    return best;
}

/* ---- choice of poles --------------------------------------------------------------------------------------------- */

/* The best sets of a size, best first. */
struct sets {
    struct solution set[SETS];
    int count;
};

static bool terms_equal(const struct solution *a, const struct solution *b)
{
    return memcmp(a->term, b->term, (size_t)a->terms * sizeof a->term[0]) == 0;
}

static void sets_offer(struct sets *sets, const struct solution *offer)
{
    int place = sets->count;
    for (int s = 0; s < sets->count; s++) {
        if (terms_equal(&sets->set[s], offer)) {
            return;
        }
        place = place == sets->count && offer->square < sets->set[s].square ? s : place;
    }
    if (place == SETS) {
        return;
    }
    sets->count += sets->count < SETS;
    memmove(&sets->set[place + 1], &sets->set[place], (size_t)(sets->count - 1 - place) * sizeof *offer);
    sets->set[place] = *offer;
}

/* The set with one more term, in ascending order; false when it has the term already. */
static bool set_extend(const struct solution *set, int term, struct solution *extended)
{
    int at = set->terms;
    *extended = *set;
    while (at > 0 && set->term[at - 1] > term) {
        extended->term[at] = set->term[at - 1];
        at--;
    }
    extended->term[at] = term;
    extended->terms++;
    return at == 0 || set->term[at - 1] != term;
}

static void sets_grow(const struct fit_task *task, struct sets *sets)
{
    struct sets grown = {.count = 0};
    for (int s = 0; s < sets->count; s++) {
        for (int term = ALWAYS; term < TERMS; term++) {
            struct solution extended;
            if (set_extend(&sets->set[s], term, &extended)) {
                solve_terms(task, &extended);
                sets_offer(&grown, &extended);
            }
        }
    }
    *sets = grown;
}

static void take_solution(const struct fit_task *task, const struct solution *solution, struct pole_fit *fit)
{
    *fit = (struct pole_fit){.relative_permittivity = 1 + solution->strength[0],
                             .conductivity = solution->strength[1],
                             .error = solution->largest};
    for (int t = ALWAYS; t < solution->terms; t++) {
        double strength = solution->strength[t];
        if (strength > 0) {
            struct pole *pole = &fit->poles[fit->pole_count++];
            *pole = task->candidate[solution->term[t] - ALWAYS];
            pole->strength = pole->kind == POLE_DRUDE ? 0 : strength;
            pole->frequency *= pole->kind == POLE_DRUDE ? sqrt(strength) : 1;
        }
    }
}

pw_status pole_fit(const struct permittivity_sample *samples, int count, double enough, struct pole_fit *fit,
                   pw_error *error)
{
    OWNED_BY(task_free) struct fit_task task = {.samples = samples, .count = count};
    struct sets sets = {.set = {{.terms = ALWAYS, .term = {0, 1}}}, .count = 1};
    TRY(task_create(&task, error));
    double least = INFINITY;
    for (int a = 0; a <= TERMS; a++) {
        for (int b = 0; b <= a; b++) {
            task.product[a][b] = terms_product(&task, a, b);
        }
    }
    solve_terms(&task, &sets.set[0]);
    for (int poles = 0; poles <= FIT_MOST_POLES && least > enough; poles++) {
        struct solution solution = level_out(&task, sets.set[0]);
        if (solution.largest < least) {
            least = solution.largest;
            take_solution(&task, &solution, fit);
        }
        if (poles < FIT_MOST_POLES && least > enough) {
            sets_grow(&task, &sets);
        }
    }
    return PW_OK;
}

struct permittivity pole_fit_at(const struct pole_fit *fit, double frequency)
{
    struct permittivity sum = {fit->relative_permittivity,
                               fit->conductivity / ((2 * M_PI) * frequency * FREE_SPACE_PERMITTIVITY)};
    for (int p = 0; p < fit->pole_count; p++) {
        struct permittivity one = pole_at(&fit->poles[p], frequency);
        sum.real += one.real;
        sum.loss += one.loss;
    }
    return sum;
}
