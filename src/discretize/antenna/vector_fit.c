/* The least squares of vector_fit.h, by normal equations: the unknowns are real, the equations real and imaginary parts
 * of both polarisations in every direction at every frequency. */
#include "discretize/antenna/vector_fit.h"
#include "discretize/antenna/normal_equations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EXCHANGES = 30, MORE_EXCHANGES = 6, ROUNDS = 6, LANES = 4 };
static const double REGULARISATION = 1e-5; /* of the mean of the diagonal */
static const double HOPELESS = 10;         /* steps off: no further rounds */
static const double MOST_CURRENT = 60;
static const double COMPARED = 0.1778279410038923; /* -15 dB */
/* Deviations count as parts of the field, and where that is less than is compared so much for parts of the largest. */
static const double WEAK_WEIGHT = 1.5;
/* What counts as equally far off, and by how much more or less the worst and the best directions count in the next
 * round, so that the largest deviation becomes small and not their mean. */
static const double STEP = 0.2, TURN_STEP = 2; /* dB, degrees */
static const double MORE = 2, LESS = 0.7;
static const double LEAST_COMPARED = 0.01; /* -40 dB */
static const char WHAT[] = "the currents of an antenna";

struct system {
    int rows, columns;
    double *matrix; /* (columns, rows), weighted: a row is real and imaginary part, of two polarisations */
    double *gram;   /* (columns, columns) */
    double *factor; /* the same: lower triangle */
    double *target, *solution, *radiated; /* (rows); (columns); (rows) */
    double *stress;                       /* (directions): by how much more each counts */
};

static void system_free(struct system *system)
{
    FREE_ALL(system->matrix, system->gram, system->factor, system->target, system->solution, system->radiated,
             system->stress);
}

static pw_status system_create(struct system *system, const struct vector_question *question, pw_error *error)
{
    system->rows = 4 * question->frequencies * question->directions;
    system->columns = question->terms * question->count;
    const size_t rows = (size_t)system->rows, columns = (size_t)system->columns;
    system->matrix = allocate(rows * columns, sizeof(double), WHAT, error);
    system->gram = allocate(columns * columns, sizeof(double), WHAT, error);
    system->factor = allocate(columns * columns, sizeof(double), WHAT, error);
    system->target = allocate(rows, sizeof(double), WHAT, error);
    system->solution = allocate(columns, sizeof(double), WHAT, error);
    system->radiated = allocate(rows, sizeof(double), WHAT, error);
    system->stress = allocate((size_t)question->directions, sizeof(double), WHAT, error);
    return system->matrix != NULL && system->gram != NULL && system->factor != NULL && system->target != NULL &&
                   system->solution != NULL && system->radiated != NULL && system->stress != NULL
               ? PW_OK
               : PW_NO_RESOURCE;
}

void vector_direction(int n, int count, double direction[3])
{
    const double z = 1 - (2 * n + 1.0) / count, across = sqrt(1 - z * z), turn = n * M_PI * (3 - sqrt(5));
    direction[0] = across * cos(turn);
    direction[1] = across * sin(turn);
    direction[2] = z;
}

static double length_of(const double complex field[3])
{
    double sum = 0;
    for (int a = 0; a < 3; a++) {
        sum += creal(field[a]) * creal(field[a]) + cimag(field[a]) * cimag(field[a]);
    }
    return sqrt(sum);
}

/* Two unit vectors across a direction. */
static void across_find(const double d[3], double across[2][3])
{
    const int least = fabs(d[2]) < 0.7 ? 2 : 0;
    double length = 0;
    for (int a = 0; a < 3; a++) {
        across[0][a] = (a == least) - d[least] * d[a];
        length += across[0][a] * across[0][a];
    }
    for (int a = 0; a < 3; a++) {
        across[0][a] /= sqrt(length);
    }
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        across[1][a] = d[b] * across[0][c] - d[c] * across[0][b];
    }
}

/* exp(j k d.r) of dipole k in direction d at frequency f. */
static double complex delay_of(const struct vector_question *question, int f, int d, int k)
{
    const double *direction = question->direction[d], *at = question->at[k];
    const double phase = question->wave_number[f * question->directions + d] *
                         (direction[0] * at[0] + direction[1] * at[1] + direction[2] * at[2]);
    return cos(phase) + I * sin(phase);
}

static double equation_weight(const struct system *system, const struct vector_question *question, int d)
{
    const double length = length_of(question->wanted[d]);
    return system->stress[d] * (length < COMPARED ? WEAK_WEIGHT : 1 / length);
}

/* Rows of direction d at frequency f begin here: real and imaginary part of either polarisation. */
static size_t first_row(const struct vector_question *question, int f, int d)
{
    return 4 * ((size_t)f * (size_t)question->directions + (size_t)d);
}

static void direction_fill(struct system *system, const struct vector_question *question, int f, int d)
{
    double across[2][3];
    across_find(question->direction[d], across);
    const double weight = equation_weight(system, question, d), *basis = question->basis + (ptrdiff_t)f * ARRAY_TERMS;
    const size_t row = first_row(question, f, d), rows = (size_t)system->rows;
    for (int k = 0; k < question->count; k++) {
        const double complex delay = weight * delay_of(question, f, d, k);
        for (int r = 0; r < question->terms; r++) {
            const double complex field = basis[r] * (r % 2 == 0 ? delay : I * delay);
            double *own = system->matrix + (size_t)(r * question->count + k) * rows + row;
            for (int p = 0; p < 2; p++) {
                own[2 * p] = creal(field) * across[p][question->axis[k]];
                own[2 * p + 1] = cimag(field) * across[p][question->axis[k]];
            }
        }
    }
}

/* The wanted field, weighted, along the two directions across. */
static void wanted_across(const struct system *system, const struct vector_question *question, int d,
                          double complex part[2])
{
    double across[2][3];
    across_find(question->direction[d], across);
    for (int p = 0; p < 2; p++) {
        part[p] = 0;
        for (int a = 0; a < 3; a++) {
            part[p] += equation_weight(system, question, d) * question->wanted[d][a] * across[p][a];
        }
    }
}

/* What the equations of a direction are to be: at first the wanted field; then with the phase that is radiated, and
 * where it is so weak that only its power counts what is radiated, at most as strong. */
static void target_set(struct system *system, const struct vector_question *question, int f, int d, bool first)
{
    const size_t row = first_row(question, f, d);
    const double *found = system->radiated + row;
    double *target = system->target + row, lengths[2] = {0, 0};
    double complex wanted[2], radiated[2] = {found[0] + I * found[1], found[2] + I * found[3]}, alike = 0;
    wanted_across(system, question, d, wanted);
    for (int p = 0; p < 2; p++) {
        alike += conj(wanted[p]) * radiated[p];
        lengths[0] = hypot(lengths[0], cabs(wanted[p]));
        lengths[1] = hypot(lengths[1], cabs(radiated[p]));
    }
    for (int p = 0; p < 2; p++) {
        double complex part = first || cabs(alike) == 0 ? wanted[p] : wanted[p] * alike / cabs(alike);
        if (!first && length_of(question->wanted[d]) < COMPARED) {
            part = radiated[p] * fmin(1, lengths[1] > 0 ? lengths[0] / lengths[1] : 1);
        }
        target[2 * p] = creal(part);
        target[2 * p + 1] = cimag(part);
    }
}

static void targets_set(struct system *system, const struct vector_question *question, bool first)
{
    for (int n = 0; n < question->frequencies * question->directions; n++) {
        target_set(system, question, n / question->directions, n % question->directions, first);
    }
}

static void system_fill(struct system *system, const struct vector_question *question)
{
#pragma omp parallel for schedule(static)
    for (int n = 0; n < question->frequencies * question->directions; n++) {
        direction_fill(system, question, n / question->directions, n % question->directions);
    }
}

/* ---- the normal equations ---------------------------------------------------------------------------------------- */

/* Four products at a time, which read the second factor once. Rows are a multiple of four. */
static void dot_four(const double *a, size_t stride, const double *b, size_t count, double out[LANES])
{
    double sum[LANES][LANES] = {{0}};
    for (size_t n = 0; n < count; n += LANES) {
        for (size_t i = 0; i < LANES; i++) {
            for (size_t l = 0; l < LANES; l++) {
                sum[i][l] += a[i * stride + n + l] * b[n + l];
            }
        }
    }
    for (size_t i = 0; i < LANES; i++) {
        out[i] = (sum[i][0] + sum[i][1]) + (sum[i][2] + sum[i][3]);
    }
}

static void system_square(struct system *system)
{
    const size_t rows = (size_t)system->rows, columns = (size_t)system->columns;
#pragma omp parallel for schedule(dynamic, 1)
    for (size_t i = 0; i < columns; i += LANES) {
        const size_t own = columns - i < LANES ? columns - i : LANES;
        for (size_t j = 0; j < i + own; j++) {
            double part[LANES];
            for (size_t n = 0; own < LANES && n < own; n++) {
                part[n] = sum_of_products(system->matrix + (i + n) * rows, system->matrix + j * rows, rows);
            }
            if (own == LANES) {
                dot_four(system->matrix + i * rows, rows, system->matrix + j * rows, rows, part);
            }
            for (size_t n = 0; n < own; n++) {
                system->gram[(i + n) * columns + j] = part[n];
            }
        }
    }
}

static void system_solve(struct system *system)
{
    const size_t rows = (size_t)system->rows, columns = (size_t)system->columns;
    double *x = system->solution;
    for (size_t i = 0; i < columns; i++) {
        x[i] = sum_of_products(system->matrix + i * rows, system->target, rows);
    }
    normal_solve(system->factor, columns, x);
    memset(system->radiated, 0, rows * sizeof *system->radiated);
    for (size_t i = 0; i < columns; i++) {
        const double *own = system->matrix + i * rows;
        for (size_t n = 0; n < rows; n++) {
            system->radiated[n] += x[i] * own[n];
        }
    }
}

/* ---- what came of it --------------------------------------------------------------------------------------------- */

static double complex current_of(const struct vector_question *question, const double *weight, int f, int k)
{
    const double *basis = question->basis + (ptrdiff_t)f * ARRAY_TERMS;
    double complex sum = 0;
    for (int r = 0; r < question->terms; r++) {
        sum += weight[r * question->count + k] * basis[r] * (r % 2 == 0 ? 1 : I);
    }
    return sum;
}

static void radiated_field(const struct vector_question *question, const double complex *current, int f, int d,
                           double complex field[3])
{
    field[0] = field[1] = field[2] = 0;
    for (int k = 0; k < question->count; k++) {
        field[question->axis[k]] += current[k] * delay_of(question, f, d, k);
    }
    const double *direction = question->direction[d];
    const double complex along = field[0] * direction[0] + field[1] * direction[1] + field[2] * direction[2];
    for (int a = 0; a < 3; a++) {
        field[a] -= along * direction[a];
    }
}

/* Degrees between two fields: in polarisation, and if it counts in phase. */
static double turned_between(const double complex wanted[3], const double complex found[3], bool phase_free)
{
    double complex alike = 0;
    for (int a = 0; a < 3; a++) {
        alike += conj(wanted[a]) * found[a];
    }
    const double lengths = length_of(wanted) * length_of(found);
    const double aside = lengths > 0 ? acos(fmin(1, cabs(alike) / lengths)) : M_PI_2;
    return fmax(aside, phase_free ? 0 : fabs(carg(alike))) * 180 / M_PI;
}

/* Scales the weights so that the strongest direction has its amplitude in the mean over the band, and compares.
 * `field` (frequencies, directions, 3). */
static void compare_fields(const struct vector_question *question, const double complex (*field)[3],
                           struct vector_answer *answer)
{
    const int directions = question->directions;
    int strongest = 0;
    double power = 0;
    for (int d = 0; d < directions; d++) {
        strongest = length_of(question->wanted[d]) > length_of(question->wanted[strongest]) ? d : strongest;
    }
    for (int f = 0; f < question->frequencies; f++) {
        const double there = length_of(field[f * directions + strongest]) / length_of(question->wanted[strongest]);
        power += there * there / question->frequencies;
    }
    const double scale = power > 0 ? 1 / sqrt(power) : 0;
    answer->error_centre = answer->error = answer->turned = 0;
    answer->exceeded = -INFINITY;
    for (int n = 0; n < question->frequencies * directions; n++) {
        const double complex *wanted = question->wanted[n % directions];
        const double length = length_of(wanted);
        const double off = 20 * log10(fmax(scale * length_of(field[n]), 1e-15) / fmax(length, LEAST_COMPARED));
        if (length < COMPARED) {
            answer->exceeded = fmax(answer->exceeded, off);
            continue;
        }
        answer->error = fmax(answer->error, fabs(off));
        answer->error_centre =
            n / directions == question->centre ? fmax(answer->error_centre, fabs(off)) : answer->error_centre;
        answer->turned = fmax(answer->turned, turned_between(wanted, field[n], question->phase_free));
    }
    answer->current = 0;
    for (int n = 0; n < question->terms * question->count; n++) {
        answer->weight[n] *= scale;
    }
    for (int k = 0; k < question->count; k++) {
        answer->current += cabs(current_of(question, answer->weight, question->centre, k));
    }
}

pw_status vector_check(const struct vector_question *question, struct vector_answer *answer, pw_error *error)
{
    const size_t size = (size_t)question->frequencies * (size_t)question->directions, count = (size_t)question->count;
    double complex(*field)[3] = allocate(size, sizeof *field, "the pattern of an antenna", error);
    double complex *current = allocate(count, sizeof *current, WHAT, error);
    pw_status status = field != NULL && current != NULL ? PW_OK : PW_NO_RESOURCE;
    for (int f = 0; f < question->frequencies && status == PW_OK; f++) {
        for (int k = 0; k < question->count; k++) {
            current[k] = current_of(question, answer->weight, f, k);
        }
#pragma omp parallel for schedule(static)
        for (int d = 0; d < question->directions; d++) {
            radiated_field(question, current, f, d, field[f * question->directions + d]);
        }
    }
    if (status == PW_OK) {
        compare_fields(question, (const double complex(*)[3])field, answer);
    }
    FREE_ALL(current, field);
    return status;
}

/* Which of two answers is taken: currents within bounds first, then the smaller error. */
static bool answer_is_better(const struct vector_answer *one, const struct vector_answer *other)
{
    const double over = fmax(one->current, MOST_CURRENT), other_over = fmax(other->current, MOST_CURRENT);
    return over != other_over ? over < other_over : one->error + one->turned / 10 < other->error + other->turned / 10;
}

/* In steps, the farther off of power and direction of E, at the worst frequency. */
static double direction_off(const struct system *system, const struct vector_question *question, int d)
{
    double most = 0;
    for (int f = 0; f < question->frequencies; f++) {
        const double *found = system->radiated + first_row(question, f, d);
        double complex wanted[3] = {0}, radiated[3] = {found[0] + I * found[1], found[2] + I * found[3]};
        wanted_across(system, question, d, wanted);
        const double off = 20 * log10(fmax(length_of(radiated), 1e-15) / length_of(wanted));
        most = fmax(most, fmax(fabs(off) / STEP, turned_between(wanted, radiated, question->phase_free) / TURN_STEP));
    }
    return most;
}

static void stress_update(struct system *system, const struct vector_question *question)
{
    for (int d = 0; d < question->directions; d++) {
        if (length_of(question->wanted[d]) >= COMPARED) {
            system->stress[d] *= fmin(MORE, fmax(LESS, sqrt(direction_off(system, question, d))));
        }
    }
}

static pw_status fit_round(struct system *system, const struct vector_question *question, bool first,
                           struct vector_answer *best, struct vector_answer *tried, pw_error *error)
{
    system_fill(system, question);
    system_square(system);
    if (!normal_factor(system->gram, (size_t)system->columns, REGULARISATION, system->factor)) {
        return PW_OK;
    }
    const int exchanges = !question->phase_free ? 0 : first ? EXCHANGES : MORE_EXCHANGES;
    for (int n = 0; n <= exchanges; n++) { /* later rounds begin with the phases that were found */
        targets_set(system, question, !question->phase_free || (first && n == 0));
        system_solve(system);
    }
    memcpy(tried->weight, system->solution, (size_t)system->columns * sizeof *tried->weight);
    TRY(vector_check(question, tried, error));
    if (first || answer_is_better(tried, best)) {
        const struct vector_answer kept = *best;
        *best = *tried;
        *tried = kept;
    }
    return PW_OK;
}

static pw_status fit_all(struct system *system, const struct vector_question *question, struct vector_answer *best,
                         struct vector_answer *tried, pw_error *error)
{
    for (int d = 0; d < question->directions; d++) {
        system->stress[d] = 1;
    }
    for (int n = 0; n < ROUNDS && !(best->error <= STEP && best->turned <= TURN_STEP); n++) {
        if (n > 0 && fmax(best->error / STEP, best->turned / TURN_STEP) > HOPELESS) {
            break;
        }
        TRY(fit_round(system, question, best->current == 0, best, tried, error));
        stress_update(system, question);
    }
    return PW_OK;
}

pw_status vector_fit(const struct vector_question *question, struct vector_answer *answer, pw_error *error)
{
    struct system system = {0};
    struct vector_answer tried = {0};
    const size_t size = (size_t)question->terms * (size_t)question->count;
    *answer = (struct vector_answer){.error = INFINITY, .error_centre = INFINITY, .turned = INFINITY};
    pw_status status = system_create(&system, question, error);
    answer->weight = allocate(size, sizeof(double), WHAT, error);
    tried.weight = allocate(size, sizeof(double), WHAT, error);
    status = answer->weight == NULL || tried.weight == NULL ? PW_NO_RESOURCE : status;
    THEN(status, fit_all(&system, question, answer, &tried, error));
    system_free(&system);
    free(tried.weight);
    if (status != PW_OK) {
        free(answer->weight);
        answer->weight = NULL;
    }
    return status;
}
