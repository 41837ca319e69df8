/* Fitting an array's currents to a pattern (array_fit.h). The equations are fewer than the unknowns, so the system that
 * is solved is the one of the equations: (A A^T + mu) y = b, w = A^T y. */
#include "discretize/antenna/array_fit.h"
#include "discretize/antenna/normal_equations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EXCHANGES = 12 };
/* Of the mean of the diagonal. The least that keeps the currents small is taken. */
static const double REGULARISATIONS[] = {1e-4, 1e-6};
static const double MOST_CURRENT = 20;
/* Deviations count as parts of the pattern, but under this amplitude as parts of that. */
static const double LEAST_AMPLITUDE = 0.1;
/* Nulls under -30 dB count for less: how a file draws them, with straight lines between its decibels, is no law. */
static const double NULL_AMPLITUDE = 0.03162277660168379, NULL_WEIGHT = 3;
static const double COMPARED = 0.1778279410038923; /* -15 dB */
static const double LEAST_COMPARED = 0.01;         /* -40 dB */
static const double DEEP_NULL = 0.1;               /* beyond such a null the field may change its sign */

struct system {
    int rows, columns;
    double *matrix;                  /* (rows, columns): real parts of all equations, then imaginary ones; weighted */
    double *gram;                    /* (rows, rows) */
    double *factor;                  /* (rows, rows): lower triangle */
    double *sign;                    /* (angles) */
    double *right, *dual, *radiated; /* (rows) */
};

static void system_free(struct system *system)
{
    FREE_ALL(system->matrix, system->gram, system->factor, system->sign, system->right, system->dual, system->radiated);
}

static pw_status system_create(struct system *system, const struct array_question *question, pw_error *error)
{
    static const char WHAT[] = "the currents of an antenna";
    system->rows = 2 * question->frequencies * question->angles;
    system->columns = question->terms * question->count;
    const size_t rows = (size_t)system->rows, columns = (size_t)system->columns;
    system->matrix = allocate(rows * columns, sizeof(double), WHAT, error);
    system->gram = allocate(rows * rows, sizeof(double), WHAT, error);
    system->factor = allocate(rows * rows, sizeof(double), WHAT, error);
    system->sign = allocate((size_t)question->angles, sizeof(double), WHAT, error);
    system->right = allocate(rows, sizeof(double), WHAT, error);
    system->dual = allocate(rows, sizeof(double), WHAT, error);
    system->radiated = allocate(rows, sizeof(double), WHAT, error);
    return system->matrix != NULL && system->gram != NULL && system->factor != NULL && system->sign != NULL &&
                   system->right != NULL && system->dual != NULL && system->radiated != NULL
               ? PW_OK
               : PW_NO_RESOURCE;
}

static double equation_weight(const struct array_question *question, int angle)
{
    const double wanted = question->wanted[angle];
    return wanted < NULL_AMPLITUDE ? NULL_WEIGHT : 1 / fmax(wanted, LEAST_AMPLITUDE);
}

/* What current k radiates in direction a at frequency f per unit of a term whose basis is 1: as it is in real[0] and
 * [1], a quarter of a period ahead in ahead[0] and [1]. */
struct element {
    double real[2], ahead[2];
};

static struct element element_at(const struct array_question *question, int f, int a, int k)
{
    const double angle = 2 * M_PI * a / question->angles;
    const double phase =
        question->wave_number[f * question->angles + a] * (question->x[k] * cos(angle) + question->y[k] * sin(angle));
    const double cosine = cos(phase), sine = sin(phase);
    return (struct element){{cosine, sine}, {-sine, cosine}};
}

static void system_fill(struct system *system, const struct array_question *question)
{
    const int half = system->rows / 2, count = question->count;
    for (int e = 0; e < half; e++) {
        const int f = e / question->angles, a = e % question->angles;
        const double *basis = question->basis + (ptrdiff_t)f * ARRAY_TERMS;
        const double weight = equation_weight(question, a);
        double *real = system->matrix + (size_t)e * (size_t)system->columns;
        double *imaginary = real + (size_t)half * (size_t)system->columns;
        for (int k = 0; k < count; k++) {
            const struct element element = element_at(question, f, a, k);
            for (int r = 0; r < question->terms; r++) {
                const double *field = r % 2 == 0 ? element.real : element.ahead;
                real[r * count + k] = weight * basis[r] * field[0];
                imaginary[r * count + k] = weight * basis[r] * field[1];
            }
        }
    }
}

static void system_square(struct system *system)
{
    const size_t rows = (size_t)system->rows, columns = (size_t)system->columns;
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j <= i; j++) {
            system->gram[i * rows + j] = system->gram[j * rows + i] =
                sum_of_products(system->matrix + i * columns, system->matrix + j * columns, columns);
        }
    }
}

static void system_solve(struct system *system)
{
    const size_t rows = (size_t)system->rows;
    double *dual = system->dual;
    memcpy(dual, system->right, rows * sizeof *dual);
    normal_solve(system->factor, rows, dual);
    for (size_t i = 0; i < rows; i++) {
        system->radiated[i] = sum_of_products(system->gram + i * rows, dual, rows);
    }
}

/* +1, or -1 between nulls and 0 in them, as the fields of dipoles and of side lobes change their sign there; false:
 * their number is odd, or there are none. */
static bool signs_by_nulls(const struct array_question *question, double *sign)
{
    const int angles = question->angles;
    int nulls = 0;
    for (int a = 0; a < angles; a++) {
        const double here = question->wanted[a], before = question->wanted[(a + angles - 1) % angles],
                     after = question->wanted[(a + 1) % angles];
        const bool null = here < DEEP_NULL && here < before && here <= after;
        nulls += null;
        sign[a] = null ? 0 : nulls % 2 == 0 ? 1 : -1; /* on which side of the null it lies is not known */
    }
    return nulls > 0 && nulls % 2 == 0;
}

/* The wanted amplitudes with the phases that are radiated, or at first with the signs. */
static void system_exchange(struct system *system, const struct array_question *question, bool first)
{
    const int half = system->rows / 2;
    for (int e = 0; e < half; e++) {
        const int a = e % question->angles;
        const double amount = equation_weight(question, a) * question->wanted[a];
        const double real = first ? system->sign[a] : system->radiated[e],
                     imaginary = first ? 0 : system->radiated[e + half], length = hypot(real, imaginary);
        system->right[e] = length > 0 ? amount * real / length : 0;
        system->right[e + half] = length > 0 ? amount * imaginary / length : 0;
    }
}

static void system_weights(const struct system *system, double *weight)
{
    memset(weight, 0, (size_t)system->columns * sizeof *weight);
    for (int i = 0; i < system->rows; i++) {
        const double *row = system->matrix + (size_t)i * (size_t)system->columns;
        for (int c = 0; c < system->columns; c++) {
            weight[c] += row[c] * system->dual[i];
        }
    }
}

/* ---- what came of it --------------------------------------------------------------------------------------------- */

static double radiated_amplitude(const struct array_question *question, const double *weight, int f, int a)
{
    const double *basis = question->basis + (ptrdiff_t)f * ARRAY_TERMS;
    double real = 0, imaginary = 0;
    for (int k = 0; k < question->count; k++) {
        const struct element element = element_at(question, f, a, k);
        double part[2] = {0, 0};
        for (int r = 0; r < question->terms; r++) {
            part[r % 2] += weight[r * question->count + k] * basis[r];
        }
        real += part[0] * element.real[0] + part[1] * element.ahead[0];
        imaginary += part[0] * element.real[1] + part[1] * element.ahead[1];
    }
    return hypot(real, imaginary);
}

static double currents_sum(const struct array_question *question, const double *weight)
{
    const double *basis = question->basis + (ptrdiff_t)question->centre * ARRAY_TERMS;
    double sum = 0;
    for (int k = 0; k < question->count; k++) {
        double part[2] = {0, 0};
        for (int r = 0; r < question->terms; r++) {
            part[r % 2] += weight[r * question->count + k] * basis[r];
        }
        sum += hypot(part[0], part[1]);
    }
    return sum;
}

/* Scales the weights so that the strongest direction has the amplitude 1 in the mean over the band, and compares.
 * `amplitude` (frequencies, angles). */
static void compare_amplitudes(const struct array_question *question, const double *amplitude,
                               struct array_answer *answer)
{
    const int angles = question->angles, size = question->frequencies * angles;
    double power = 0;
    int strongest = 0;
    for (int a = 0; a < angles; a++) {
        strongest = question->wanted[a] > question->wanted[strongest] ? a : strongest;
    }
    for (int f = 0; f < question->frequencies; f++) {
        const double there = amplitude[f * angles + strongest] / question->wanted[strongest];
        power += there * there / question->frequencies;
    }
    const double scale = power > 0 ? 1 / sqrt(power) : 0;
    answer->error_centre = answer->error = 0;
    answer->exceeded = -INFINITY;
    for (int n = 0; n < size; n++) {
        const double wanted = question->wanted[n % angles];
        const double off = 20 * log10(fmax(scale * amplitude[n], 1e-15) / fmax(wanted, LEAST_COMPARED));
        if (wanted < COMPARED) {
            answer->exceeded = fmax(answer->exceeded, off);
            continue;
        }
        answer->error = fmax(answer->error, fabs(off));
        answer->error_centre =
            n / angles == question->centre ? fmax(answer->error_centre, fabs(off)) : answer->error_centre;
    }
    for (int n = 0; n < question->terms * question->count; n++) {
        answer->weight[n] *= scale;
    }
    answer->current = currents_sum(question, answer->weight);
}

pw_status array_check(const struct array_question *question, struct array_answer *answer, pw_error *error)
{
    const int size = question->frequencies * question->angles;
    double *amplitude = allocate((size_t)size, sizeof *amplitude, "the pattern of an antenna", error);
    TRY_MADE(amplitude);
    for (int n = 0; n < size; n++) {
        amplitude[n] = radiated_amplitude(question, answer->weight, n / question->angles, n % question->angles);
    }
    compare_amplitudes(question, amplitude, answer);
    free(amplitude);
    return PW_OK;
}

/* Which of two answers is taken: currents within bounds first, then the smaller error. */
static bool answer_is_better(const struct array_answer *one, const struct array_answer *other)
{
    const double over = fmax(one->current, MOST_CURRENT), other_over = fmax(other->current, MOST_CURRENT);
    return over != other_over ? over < other_over : one->error < other->error;
}

/* What the solution radiates is there without going over the currents: the matrix's square times the dual. */
static void try_signs(struct system *system, const struct array_question *question, struct array_answer *best,
                      struct array_answer *tried)
{
    const int half = system->rows / 2;
    for (int n = 0; n < EXCHANGES; n++) {
        system_exchange(system, question, n == 0);
        system_solve(system);
    }
    system_weights(system, tried->weight);
    for (int e = 0; e < half; e++) {
        system->right[e] =
            hypot(system->radiated[e], system->radiated[e + half]) / equation_weight(question, e % question->angles);
    }
    compare_amplitudes(question, system->right, tried);
    if (best->current == 0 || answer_is_better(tried, best)) {
        const struct array_answer kept = *best;
        *best = *tried;
        *tried = kept;
    }
}

static void fit_all(struct system *system, const struct array_question *question, struct array_answer *best,
                    struct array_answer *tried)
{
    system_fill(system, question);
    system_square(system);
    for (size_t m = 0; m < sizeof REGULARISATIONS / sizeof *REGULARISATIONS; m++) {
        if (!normal_factor(system->gram, (size_t)system->rows, REGULARISATIONS[m], system->factor)) {
            continue;
        }
        for (int a = 0; a < question->angles; a++) {
            system->sign[a] = 1;
        }
        try_signs(system, question, best, tried);
        if (signs_by_nulls(question, system->sign)) {
            try_signs(system, question, best, tried);
        }
    }
}

pw_status array_fit(const struct array_question *question, struct array_answer *answer, pw_error *error)
{
    struct system system = {0};
    struct array_answer tried = {0};
    const size_t size = (size_t)question->terms * (size_t)question->count;
    *answer = (struct array_answer){.error = INFINITY, .error_centre = INFINITY};
    pw_status status = system_create(&system, question, error);
    answer->weight = allocate(size, sizeof(double), "the currents of an antenna", error);
    tried.weight = allocate(size, sizeof(double), "the currents of an antenna", error);
    if (answer->weight == NULL || tried.weight == NULL) {
        status = PW_NO_RESOURCE;
    }
    if (status == PW_OK) {
        fit_all(&system, question, answer, &tried);
    }
    system_free(&system);
    free(tried.weight);
    if (status != PW_OK) {
        free(answer->weight);
        answer->weight = NULL;
    }
    return status;
}
