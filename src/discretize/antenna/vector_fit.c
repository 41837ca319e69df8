/* The least squares of vector_fit.h, by normal equations: the unknowns are real, the equations real and imaginary parts
 * of both polarisations in every direction at every frequency. */
#include "discretize/antenna/vector_fit.h"
#include "discretize/antenna/normal_equations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EXCHANGES = 12, MORE_EXCHANGES = 5, ROUNDS = 5, LANES = 4 };
static const double REGULARISATION = 1e-6; /* of the mean of the diagonal */
static const double MOST_CURRENT = 60;
static const double COMPARED = 0.1778279410038923; /* -15 dB */
/* The fit goes a decibel further: directions lie 7 degrees apart, and where it ended the field was free to leave the
 * pattern before the next one. */
static const double FITTED = 0.1584893192461114; /* -16 dB */
/* Deviations count as parts of the field, and where that is less than is fitted as parts of the largest. */
static const double WEAK_LIMIT = 0.03; /* -30 dB: what is weaker may be as strong as that */
/* What counts as equally far off. Rounds minimise the sum of such deviations to the power P, which grows from round to
 * round, so that the largest deviation becomes small and not their mean. */
static const double STEP = 0.2, TURN_STEP = 4, WEAK_STEP = 3; /* dB, degrees, dB */
static const double FIRST_POWER = 2, MORE_POWER = 1.5, LEAST_OFF = 0.05;
static const double ENOUGH = 0.2, ENOUGH_TURN = 2; /* dB, degrees: no further rounds */
static const double HOPELESS = 4;                  /* so many times that: rounds about halve it */
static const double LEAST_COMPARED = 0.01;         /* -40 dB */
static const char WHAT[] = "the currents of an antenna";

struct vector_system {
    int rows, columns;
    double *matrix; /* (columns, rows), weighted: a row is real and imaginary part, of two polarisations */
    double *gram;   /* (columns, columns) */
    double *factor; /* the same: lower triangle */
    double *target, *solution, *radiated; /* (rows); (columns); (rows) */
    double *stress, *off;                 /* (directions): by how much more each counts; how far off it is */
};

static void system_free(struct vector_system *system)
{
    if (system == NULL) {
        return;
    }
    FREE_ALL(system->matrix, system->gram, system->factor, system->target, system->solution, system->radiated,
             system->stress, system->off, system);
}

void vector_answer_free(struct vector_answer *answer)
{
    free(answer->weight);
    system_free(answer->system);
    *answer = (struct vector_answer){0};
}

static pw_status system_create(struct vector_system *system, const struct vector_question *question, pw_error *error)
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
    system->off = allocate((size_t)question->directions, sizeof(double), WHAT, error);
    return system->matrix != NULL && system->gram != NULL && system->factor != NULL && system->target != NULL &&
                   system->solution != NULL && system->radiated != NULL && system->stress != NULL && system->off != NULL
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

static double equation_weight(const struct vector_system *system, const struct vector_question *question, int d)
{
    const double length = length_of(question->wanted[d]);
    return system->stress[d] * (length < FITTED ? 1 : 1 / length);
}

/* Rows of direction d at frequency f begin here: real and imaginary part of either polarisation. */
static size_t first_row(const struct vector_question *question, int f, int d)
{
    return 4 * ((size_t)f * (size_t)question->directions + (size_t)d);
}

static void direction_fill(struct vector_system *system, const struct vector_question *question, int f, int d)
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
static void wanted_across(const struct vector_system *system, const struct vector_question *question, int d,
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
static void target_set(struct vector_system *system, const struct vector_question *question, int f, int d, bool first)
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
        if (!first && length_of(question->wanted[d]) < FITTED) {
            const double most = fmax(lengths[0], WEAK_LIMIT * equation_weight(system, question, d));
            part = radiated[p] * fmin(1, lengths[1] > 0 ? most / lengths[1] : 1);
        }
        target[2 * p] = creal(part);
        target[2 * p + 1] = cimag(part);
    }
}

static void targets_set(struct vector_system *system, const struct vector_question *question, bool first)
{
    for (int n = 0; n < question->frequencies * question->directions; n++) {
        target_set(system, question, n / question->directions, n % question->directions, first);
    }
}

static void system_fill(struct vector_system *system, const struct vector_question *question)
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

static void system_square(struct vector_system *system)
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

/* What the solution radiates. */
static void system_radiate(struct vector_system *system)
{
    const size_t rows = (size_t)system->rows;
    memset(system->radiated, 0, rows * sizeof *system->radiated);
    for (size_t i = 0; i < (size_t)system->columns; i++) {
        const double *own = system->matrix + i * rows;
        for (size_t n = 0; n < rows; n++) {
            system->radiated[n] += system->solution[i] * own[n];
        }
    }
}

static void system_solve(struct vector_system *system)
{
    const size_t rows = (size_t)system->rows, columns = (size_t)system->columns;
    double *x = system->solution;
    for (size_t i = 0; i < columns; i++) {
        x[i] = sum_of_products(system->matrix + i * rows, system->target, rows);
    }
    normal_solve(system->factor, columns, x);
    system_radiate(system);
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

/* In steps, how far power and direction of E are off together at the worst frequency; of a weak field by how much it is
 * exceeded. */
static double direction_off(const struct vector_system *system, const struct vector_question *question, int d)
{
    const bool weak = length_of(question->wanted[d]) < FITTED;
    double most = 0;
    for (int f = 0; f < question->frequencies; f++) {
        const double *found = system->radiated + first_row(question, f, d);
        double complex wanted[3] = {0}, radiated[3] = {found[0] + I * found[1], found[2] + I * found[3]};
        wanted_across(system, question, d, wanted);
        const double allowed =
            weak ? fmax(length_of(wanted), WEAK_LIMIT * equation_weight(system, question, d)) : length_of(wanted);
        const double off = 20 * log10(fmax(length_of(radiated), 1e-15) / allowed);
        const double turned = weak ? 0 : turned_between(wanted, radiated, question->phase_free) / TURN_STEP;
        most = fmax(most, weak ? off / WEAK_STEP : hypot(off / STEP, turned));
    }
    return most;
}

/* Weights of the next round, by iteratively reweighted least squares for a sum of powers P: deviations to the power
 * P/2 - 1, of which the part 1/(P - 1) is taken. */
static void stress_update(struct vector_system *system, const struct vector_question *question, double power)
{
    double worst = 0;
    for (int d = 0; d < question->directions; d++) {
        system->off[d] = direction_off(system, question, d);
        worst = fmax(worst, system->off[d]);
    }
    const double part = 1 / (power - 1);
    for (int d = 0; d < question->directions; d++) {
        const double next = pow(fmax(system->off[d] / worst, LEAST_OFF), 0.5 * power - 1);
        system->stress[d] = pow(system->stress[d], 1 - part) * pow(next, part);
    }
}

static pw_status fit_round(struct vector_system *system, const struct vector_question *question, bool first,
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

static pw_status fit_all(struct vector_system *system, const struct vector_question *question,
                         struct vector_answer *best, struct vector_answer *tried, pw_error *error)
{
    for (int d = 0; d < question->directions; d++) {
        system->stress[d] = 1;
    }
    for (int n = 0; n < ROUNDS && !(best->error <= ENOUGH && best->turned <= ENOUGH_TURN); n++) {
        if (n > 0) {
            if (best->error > HOPELESS * ENOUGH || best->turned > HOPELESS * ENOUGH_TURN) {
                break;
            }
            stress_update(system, question, FIRST_POWER + n * MORE_POWER);
        }
        TRY(fit_round(system, question, best->current == 0, best, tried, error));
    }
    return PW_OK;
}

pw_status vector_fit(const struct vector_question *question, struct vector_answer *answer, pw_error *error)
{
    const size_t size = (size_t)question->terms * (size_t)question->count;
    struct vector_answer tried = {.weight = allocate(size, sizeof(double), WHAT, error)};
    *answer = (struct vector_answer){.weight = allocate(size, sizeof(double), WHAT, error),
                                     .error = INFINITY,
                                     .error_centre = INFINITY,
                                     .turned = INFINITY};
    struct vector_system *system = allocate(1, sizeof *system, WHAT, error);
    pw_status status = answer->weight != NULL && tried.weight != NULL && system != NULL ? PW_OK : PW_NO_RESOURCE;
    THEN(status, system_create(system, question, error));
    THEN(status, fit_all(system, question, answer, &tried, error));
    free(tried.weight);
    answer->system = system;
    if (status != PW_OK) {
        vector_answer_free(answer);
    }
    return status;
}

void vector_move(const struct vector_question *question, const struct vector_answer *found, const double move[3],
                 double *weight)
{
    struct vector_system *system = found->system;
    const size_t columns = (size_t)system->columns;
    memcpy(system->solution, found->weight, columns * sizeof *weight);
    system_radiate(system);
    for (int n = 0; n < question->frequencies * question->directions; n++) {
        const double *direction = question->direction[n % question->directions];
        const double turn =
            -question->wave_number[n] * (direction[0] * move[0] + direction[1] * move[1] + direction[2] * move[2]);
        for (size_t row = 4 * (size_t)n; row < 4 * (size_t)n + 4; row += 2) {
            const double complex field = (system->radiated[row] + I * system->radiated[row + 1]) * cexp(I * turn);
            system->target[row] = creal(field);
            system->target[row + 1] = cimag(field);
        }
    }
    system_solve(system);
    memcpy(weight, system->solution, columns * sizeof *weight);
}
