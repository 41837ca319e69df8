/* Fitting poles (pole_fit.h). The relaxation times come from a grid; for every set of them the strengths are those of
 * least squares under the condition that none is negative, and the best set is then weighted anew, time and again,
 * where it is worst (Lawson's method), which takes its largest error down. */
#include "problem/poles/pole_fit.h"

#include "base/constants.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GRID = 18, MOST_POLES = 4, UNKNOWNS = 2 + MOST_POLES, ROUNDS = 60 };

static const double TWO_PI = 6.28318530717958647692;
/* Relaxations from a part of the lowest frequency to a multiple of the highest. */
static const double LOWEST = 0.1, HIGHEST = 4;

/* What the terms give at the samples: a constant, a conductivity of 1 S/m, poles of strength 1; and what is wanted. */
struct fit_task {
    const struct permittivity_sample *samples;
    int count;
    double relaxation[GRID];
    struct permittivity *term; /* (2 + GRID, count), owned */
    double *weight;            /* (count), owned */
};

/* One choice of terms and their strengths. */
struct solution {
    int terms, term[UNKNOWNS];
    double strength[UNKNOWNS];
    double square, largest; /* weighted sum of squares; largest relative error */
};

static double magnitude(struct permittivity value)
{
    return hypot(value.real, value.loss);
}

static pw_status task_create(struct fit_task *task, pw_error *error)
{
    size_t count = (size_t)task->count;
    task->term = allocate((2 + GRID) * count, sizeof *task->term, "fitting poles", error);
    task->weight = allocate(count, sizeof *task->weight, "fitting poles", error);
    if (task->term == NULL || task->weight == NULL) {
        return PW_NO_RESOURCE;
    }
    double low = LOWEST * task->samples[0].frequency, high = HIGHEST * task->samples[task->count - 1].frequency;
    for (int g = 0; g < GRID; g++) {
        task->relaxation[g] = 1 / (TWO_PI * low * pow(high / low, (double)g / (GRID - 1)));
    }
    for (size_t n = 0; n < count; n++) {
        double frequency = task->samples[n].frequency;
        task->term[n] = (struct permittivity){1, 0};
        task->term[count + n] = (struct permittivity){0, 1 / (TWO_PI * frequency * FREE_SPACE_PERMITTIVITY)};
        for (size_t g = 0; g < GRID; g++) {
            struct pole pole = {.kind = POLE_DEBYE, .strength = 1, .relaxation = task->relaxation[g]};
            task->term[(2 + g) * count + n] = pole_at(&pole, frequency);
        }
        task->weight[n] = 1;
    }
    return PW_OK;
}

static void task_free(struct fit_task *task)
{
    free(task->term);
    free(task->weight);
}

/* ---- least squares ----------------------------------------------------------------------------------------------- */

/* Gram matrix of the terms and the wanted values in the last row and column, relative to the wanted ones. */
struct gram {
    double product[UNKNOWNS + 1][UNKNOWNS + 1];
};

static struct permittivity column_at(const struct fit_task *task, const struct solution *solution, int column, int n)
{
    struct permittivity value = task->samples[n].value;
    if (column == solution->terms) { /* the constant is at least 1 */
        return (struct permittivity){value.real - 1, value.loss};
    }
    return task->term[(size_t)solution->term[column] * (size_t)task->count + (size_t)n];
}

static void gram_fill(const struct fit_task *task, const struct solution *solution, struct gram *gram)
{
    memset(gram, 0, sizeof *gram);
    for (int n = 0; n < task->count; n++) {
        double weight = task->weight[n] / pow(magnitude(task->samples[n].value), 2);
        for (int a = 0; a <= solution->terms; a++) {
            struct permittivity left = column_at(task, solution, a, n);
            for (int b = 0; b <= a; b++) {
                struct permittivity right = column_at(task, solution, b, n);
                gram->product[a][b] += weight * (left.real * right.real + left.loss * right.loss);
            }
        }
    }
}

/* Strengths of the terms in `mask`, by Cholesky; false when one is negative or they cannot be told apart. */
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
    for (int a = 0; a < count; a++) {
        if (!(right[a] >= 0)) {
            return false;
        }
    }
    return true;
}

/* The strengths of least squares that are not negative: of every subset of the terms the best that is none. */
static void solve_terms(const struct fit_task *task, struct solution *solution)
{
    struct gram gram;
    double strength[UNKNOWNS];
    gram_fill(task, solution, &gram);
    solution->square = INFINITY;
    for (unsigned mask = 0; mask < 1U << solution->terms; mask++) {
        if (!solve_subset(&gram, solution->terms, mask, strength)) {
            continue;
        }
        double square = gram.product[solution->terms][solution->terms];
        for (int t = 0; t < solution->terms; t++) {
            square -= strength[t] * gram.product[solution->terms][t];
        }
        if (square < solution->square) {
            solution->square = square;
            memcpy(solution->strength, strength, sizeof strength);
        }
    }
}

/* ---- the largest error ------------------------------------------------------------------------------------------- */

static double error_at(const struct fit_task *task, const struct solution *solution, int n)
{
    struct permittivity miss = column_at(task, solution, solution->terms, n);
    for (int t = 0; t < solution->terms; t++) {
        struct permittivity term = column_at(task, solution, t, n);
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

static struct solution level_out(const struct fit_task *task, struct solution solution)
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
        solve_terms(task, &solution);
        measure(task, &solution);
        best = solution.largest < best.largest ? solution : best;
    }
    for (int n = 0; n < task->count; n++) {
        task->weight[n] = 1;
    }
    return best;
}

/* ---- choice of poles --------------------------------------------------------------------------------------------- */

/* The next set of `poles` numbers under GRID, ascending, in solution->term from 2 on; false after the last. */
static bool next_set(struct solution *solution, int poles)
{
    int *at = solution->term + 2, k = poles - 1;
    while (k >= 0 && at[k] == 2 + GRID - poles + k) {
        k--;
    }
    if (k < 0) {
        return false;
    }
    at[k]++;
    for (k++; k < poles; k++) {
        at[k] = at[k - 1] + 1;
    }
    return true;
}

static struct solution best_of(const struct fit_task *task, int poles)
{
    struct solution trial = {.terms = 2 + poles}, best = {.square = INFINITY};
    for (int t = 0; t < trial.terms; t++) {
        trial.term[t] = t;
    }
    do {
        solve_terms(task, &trial);
        best = trial.square < best.square ? trial : best;
    } while (next_set(&trial, poles));
    return level_out(task, best);
}

static void take_solution(const struct fit_task *task, const struct solution *solution, struct pole_fit *fit)
{
    *fit = (struct pole_fit){.relative_permittivity = 1 + solution->strength[0],
                             .conductivity = solution->strength[1],
                             .error = solution->largest};
    for (int t = 2; t < solution->terms; t++) {
        if (solution->strength[t] > 0) {
            fit->poles[fit->pole_count++] = (struct pole){.kind = POLE_DEBYE,
                                                          .strength = solution->strength[t],
                                                          .relaxation = task->relaxation[solution->term[t] - 2]};
        }
    }
}

pw_status pole_fit(const struct permittivity_sample *samples, int count, double enough, struct pole_fit *fit,
                   pw_error *error)
{
    struct fit_task task = {.samples = samples, .count = count};
    pw_status status = task_create(&task, error);
    double least = INFINITY;
    for (int poles = 0; poles <= MOST_POLES && status == PW_OK && least > enough; poles++) {
        struct solution solution = best_of(&task, poles);
        if (solution.largest < least) {
            least = solution.largest;
            take_solution(&task, &solution, fit);
        }
    }
    task_free(&task);
    return status;
}

struct permittivity pole_fit_at(const struct pole_fit *fit, double frequency)
{
    struct permittivity sum = {fit->relative_permittivity,
                               fit->conductivity / (TWO_PI * frequency * FREE_SPACE_PERMITTIVITY)};
    for (int p = 0; p < fit->pole_count; p++) {
        struct permittivity one = pole_at(&fit->poles[p], frequency);
        sum.real += one.real;
        sum.loss += one.loss;
    }
    return sum;
}
