/* What walls send back to persons (around.h). */
#include "walk/scatter/around.h"

#include "cholesky.h"

#include "walk/scatter/waves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double UNKNOWN = 1e-4; /* of a field's power at a point of the lattice, that the points need not tell */
static const double RIDGE = 1e-6;   /* of K */
enum { POINTS_MOST = 700, LOCAL_MOST = 160 };

double around_x(const struct around *around, int point)
{
    return around->lattice.x0 + around->at[point][0] * around->lattice.pitch;
}

double around_y(const struct around *around, int point)
{
    return around->lattice.y0 + around->at[point][1] * around->lattice.pitch;
}

void around_free(struct around *around)
{
    PW_FREE_ALL(around->at, around->free, around->green);
    *around = (struct around){0};
}

/* ---- which points ------------------------------------------------------------------------------------------------ */

/* Points of the lattice around the poses, to `at`, with a mark for each that is taken. */
static int find_near(const struct walk *walk, const struct lattice *lattice, bool *marked, int (*at)[2])
{
    int count = 0;
    for (int n = 0; n < walk->persons * walk->poses; n++) {
        const double x = (walk->position[n][0] - lattice->x0) / lattice->pitch,
                     y = (walk->position[n][1] - lattice->y0) / lattice->pitch, reach = walk->radius / lattice->pitch;
        for (int row = (int)fmax(0, ceil(y - reach)); row <= fmin(lattice->rows - 1, y + reach); row++) {
            for (int column = (int)fmax(0, ceil(x - reach)); column <= fmin(lattice->columns - 1, x + reach);
                 column++) {
                bool *mark = &marked[(size_t)row * (size_t)lattice->columns + (size_t)column];
                if (hypot(column - x, row - y) <= reach && !*mark) {
                    *mark = true;
                    at[count][0] = column;
                    at[count++][1] = row;
                }
            }
        }
    }
    return count;
}

/* Cholesky's factor with pivots, a column a point: what the chosen points leave unknown of each, as if waves of the
 * highest frequency came from all sides. */
static pw_status pick_points(const struct walk *walk, const int (*near)[2], int count, struct around *around,
                             pw_error *error)
{
    const double k = 2 * M_PI * walk->frequency[walk->frequencies - 1] / PW_SPEED_OF_LIGHT;
    OWNED double *factor =
        allocate((size_t)POINTS_MOST * (size_t)count, sizeof *factor, "points around persons", error);
    OWNED double *left = allocate((size_t)count, sizeof *left, "points around persons", error);
    around->at = allocate(POINTS_MOST, sizeof *around->at, "points around persons", error);
    TRY_MADE(factor != NULL && left != NULL && around->at != NULL);
    for (int n = 0; n < count; n++) {
        left[n] = 1;
    }
    for (;;) {
        int most = 0;
        for (int n = 1; n < count; n++) {
            most = left[n] > left[most] ? n : most;
        }
        if (left[most] <= UNKNOWN) {
            return PW_OK;
        }
        FAIL_IF(around->count == POINTS_MOST, error, PW_BAD_INPUT,
                "what walls send back needs more than %d runs on this way: choose a shorter path or a lower band",
                POINTS_MOST);
        double *own = factor + (size_t)around->count * (size_t)count;
        const double root = sqrt(left[most]);
        for (int n = 0; n < count; n++) {
            const double d = around->lattice.pitch * hypot(near[n][0] - near[most][0], near[n][1] - near[most][1]);
            double sum = j0(k * d);
            for (int p = 0; p < around->count; p++) {
                sum -= factor[(size_t)p * (size_t)count + (size_t)n] * factor[(size_t)p * (size_t)count + (size_t)most];
            }
            own[n] = sum / root;
            left[n] -= own[n] * own[n];
        }
        memcpy(around->at[around->count++], near[most], sizeof *around->at);
    }
}

pw_status around_choose(const struct walk *walk, const struct lattice *lattice, struct around *around, pw_error *error)
{
    const size_t points = (size_t)lattice->columns * (size_t)lattice->rows;
    around->lattice = *lattice;
    OWNED bool *marked = allocate(points, sizeof *marked, "points around persons", error);
    OWNED int(*near)[2] = allocate(points, sizeof *near, "points around persons", error);
    TRY_MADE(marked != NULL && near != NULL);
    TRY(pick_points(walk, (const int(*)[2])near, find_near(walk, lattice, marked, near), around, error));
    return pw_memory_check(pow(around->count, 2) * walk->frequencies * sizeof *around->green,
                           "what walls send back to persons", "a shorter path or fewer frequencies (spectra.count)",
                           error);
}

/* ---- Green's functions ------------------------------------------------------------------------------------------- */

/* What is computed from differences of places has to stand on them: the lattice as it was asked for, and a source on
 * its point `at`. */
static pw_status check_lattice(const pw_result *result, int source, const struct lattice *lattice, const int at[2],
                               pw_error *error)
{
    pw_transmitter facts;
    TRY(pw_result_transmitter(result, source, &facts, error));
    OWNED double *x = allocate((size_t)facts.spectra_columns, sizeof *x, "places of running spectra", error);
    OWNED double *y = allocate((size_t)facts.spectra_rows, sizeof *y, "places of running spectra", error);
    TRY_MADE(x != NULL && y != NULL);
    TRY(pw_result_spectra_axes(result, source, x, y, error));
    const double slack = 1e-3 * lattice->pitch;
    return facts.spectra_columns == lattice->columns && facts.spectra_rows == lattice->rows &&
                   fabs(x[at[0]] - facts.x) < slack && fabs(y[at[1]] - facts.y) < slack
               ? PW_OK
               : fail(error, PW_BAD_INPUT, "the point at (%.4g, %.4g) m is none of the grid's: choose the cylinder",
                      facts.x, facts.y);
}

/* The field of transmitter `source`, which stands on point `at` of the lattice, in units in which air has H_0: `field`
 * (frequencies, rows, columns). */
static pw_status read_field(const struct walk *walk, const pw_result *result, const int *pick, int source,
                            const struct lattice *lattice, const int at[2], double complex *field, pw_error *error)
{
    const size_t solved = (size_t)pw_result_describe(result).frequency_count,
                 points = (size_t)lattice->rows * (size_t)lattice->columns;
    const pw_block block = {0, lattice->rows, 0, lattice->columns};
    TRY(check_lattice(result, source, lattice, at, error));
    OWNED double *current = allocate(2 * solved, sizeof *current, "the spectrum of a current", error);
    OWNED double *spectra = allocate(2 * solved * points, sizeof *spectra, "the field around the persons", error);
    TRY_MADE(current != NULL && spectra != NULL);
    TRY(pw_result_source_spectrum(result, source, current, error));
    TRY(pw_result_spectra(result, source, &block, spectra, error));
    for (int f = 0; f < walk->frequencies; f++) {
        const double *sent = current + 2 * pick[f], *from = spectra + 2 * (size_t)pick[f] * points;
        const double complex unit =
            field_unit(2 * M_PI * walk->frequency[f] / PW_SPEED_OF_LIGHT, sent[0] + I * sent[1], 1);
        for (size_t n = 0; n < points; n++) {
            field[(size_t)f * points + n] = unit * (from[2 * n] + I * from[2 * n + 1]);
        }
    }
    return PW_OK;
}

static size_t lattice_points(const struct around *around)
{
    return (size_t)around->lattice.rows * (size_t)around->lattice.columns;
}

pw_status around_take_free(const struct walk *walk, const pw_result *result, const int *pick, struct around *around,
                           pw_error *error)
{
    around->free = allocate((size_t)walk->frequencies * lattice_points(around), sizeof *around->free,
                            "the field of a point", error);
    TRY_MADE(around->free);
    return read_field(walk, result, pick, 0, &around->lattice, (const int[]){0, 0}, around->free, error);
}

pw_status around_take_floor(const struct walk *walk, const pw_result *result, const int *pick, int first,
                            struct around *around, pw_error *error)
{
    const size_t points = lattice_points(around), count = (size_t)around->count;
    const int columns = around->lattice.columns;
    OWNED double complex *field =
        allocate((size_t)walk->frequencies * points, sizeof *field, "the field of a point", error);
    around->green = allocate((size_t)walk->frequencies * count * count, sizeof *around->green,
                             "what walls send back to persons", error);
    TRY_MADE(field != NULL && around->green != NULL);
    for (int source = 0; source < around->count; source++) {
        const int *from = around->at[source];
        TRY(read_field(walk, result, pick, first + source, &around->lattice, from, field, error));
        for (size_t n = 0; n < (size_t)walk->frequencies * count; n++) {
            const size_t f = n / count;
            const int *to = around->at[n % count];
            around->green[n * count + (size_t)source] =
                field[f * points + (size_t)(to[1] * columns + to[0])] -
                around->free[f * points + (size_t)(abs(to[1] - from[1]) * columns + abs(to[0] - from[0]))];
        }
    }
    return PW_OK;
}

/* ---- around persons ---------------------------------------------------------------------------------------------- */

/* Points that tell the field around a person: which, and what takes their values to waves, A (waves, count). */
struct near {
    int count;
    int point[LOCAL_MOST];
    double complex *matrix; /* (waves, LOCAL_MOST) */
};

enum {
    NEAR_NUMBERS = (LOCAL_MOST * LOCAL_MOST + 3 * LOCAL_MOST) / 2 + 1 /* of K's factor and two columns, as complex */
};

size_t around_work(const struct walk *walk, const struct around *around, int orders)
{
    const size_t persons = (size_t)walk->persons, waves = 2 * (size_t)orders + 1;
    return around->count == 0 ? 0
                              : persons * persons * waves * waves + (persons + 1) * waves * LOCAL_MOST + NEAR_NUMBERS;
}

/* The points near a person; should there be too many, those that were chosen first, which tell most. */
static void find_points(const struct around *around, const double at[2], double reach, struct near *near)
{
    near->count = 0;
    for (int n = 0; n < around->count && near->count < LOCAL_MOST; n++) {
        if (hypot(around_x(around, n) - at[0], around_y(around, n) - at[1]) <= reach) {
            near->point[near->count++] = n;
        }
    }
}

static void factor_kernel(const struct around *around, const struct near *near, double k, double *factor)
{
    const int count = near->count;
    for (int i = 0; i < count; i++) {
        for (int j = 0; j <= i; j++) {
            const int *one = around->at[near->point[i]], *other = around->at[near->point[j]];
            double sum = j0(k * around->lattice.pitch * hypot(one[0] - other[0], one[1] - other[1]));
            sum += i == j ? RIDGE : 0;
            for (int l = 0; l < j; l++) {
                sum -= factor[i * count + l] * factor[j * count + l];
            }
            factor[i * count + j] = i == j ? sqrt(fmax(sum, RIDGE)) : sum / factor[j * count + j];
        }
    }
}

static void fill_near(const struct around *around, const double at[2], double k, int orders, double *work,
                      struct near *near)
{
    const int count = near->count;
    double *factor = work, *real = factor + (size_t)count * (size_t)count, *imaginary = real + count;
    factor_kernel(around, near, k, factor);
    for (int j = 0; j < count; j++) {
        const double x = around_x(around, near->point[j]) - at[0], y = around_y(around, near->point[j]) - at[1];
        double j_m[orders + 1];
        bessel_fill(k * hypot(x, y), orders, j_m);
        const double complex turn = cexp(-I * atan2(y, x));
        double complex phase = 1;
        for (int m = 0; m <= orders; m++, phase *= turn) {
            near->matrix[(orders + m) * LOCAL_MOST + j] = j_m[m] * phase;
            near->matrix[(orders - m) * LOCAL_MOST + j] = (m % 2 == 0 ? j_m[m] : -j_m[m]) * conj(phase);
        }
    }
    for (int m = 0; m < 2 * orders + 1; m++) {
        double complex *row = near->matrix + m * LOCAL_MOST;
        for (int j = 0; j < count; j++) {
            real[j] = creal(row[j]);
            imaginary[j] = cimag(row[j]);
        }
        cholesky_solve(factor, count, real);
        cholesky_solve(factor, count, imaginary);
        for (int j = 0; j < count; j++) {
            row[j] = real[j] + I * imaginary[j];
        }
    }
}

/* A_p G A_q', with the waves of q turned into those that it sends. */
static void fill_pair(const struct around *around, const struct near *to, const struct near *from, size_t f, int orders,
                      double complex *returned, double complex *between)
{
    const int waves = 2 * orders + 1;
    const size_t count = (size_t)around->count;
    const double complex *green = around->green + f * count * count;
    for (int m = 0; m < waves; m++) {
        double complex *row = between + m * LOCAL_MOST;
        memset(row, 0, (size_t)from->count * sizeof *row);
        for (int i = 0; i < to->count; i++) {
            const double complex weight = to->matrix[m * LOCAL_MOST + i], *line = green + (size_t)to->point[i] * count;
            for (int j = 0; j < from->count; j++) {
                row[j] += weight * line[from->point[j]];
            }
        }
        for (int n = -orders; n <= orders; n++) {
            const double complex *column = from->matrix + (orders - n) * LOCAL_MOST;
            double complex sum = 0;
            for (int j = 0; j < from->count; j++) {
                sum += row[j] * column[j];
            }
            returned[m * waves + orders + n] = n % 2 == 0 ? sum : -sum;
        }
    }
}

void around_fill(const struct walk *walk, const struct around *around, int pose, int f, int orders,
                 double complex *returned, double complex *work)
{
    const int persons = walk->persons;
    const size_t waves = 2 * (size_t)orders + 1;
    const double k = 2 * M_PI * walk->frequency[f] / PW_SPEED_OF_LIGHT,
                 reach = walk->radius + 1.5 * PW_SPEED_OF_LIGHT / walk->frequency[0];
    struct near near[persons];
    double complex *between = work, *own = between + waves * LOCAL_MOST;
    for (int p = 0; p < persons; p++) {
        const double *at = walk->position[(size_t)p * (size_t)walk->poses + (size_t)pose];
        near[p].matrix = own + (size_t)p * waves * LOCAL_MOST;
        find_points(around, at, reach, &near[p]);
        fill_near(around, at, k, orders, (double *)(own + (size_t)persons * waves * LOCAL_MOST), &near[p]);
    }
    for (int pair = 0; pair < persons * persons; pair++) {
        fill_pair(around, &near[pair / persons], &near[pair % persons], (size_t)f, orders,
                  returned + (size_t)pair * waves * waves, between);
    }
}
