/* Far-field files (field_file.h). Leaves out what is made of a field (antenna_field.c). */
#include "scenario/antenna/field_file.h"

#include "scenario/antenna/antenna_field.h"
#include "scenario/antenna/planet_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { FILE_LIMIT = 64 << 20, BLOCK_LIMIT = 1001, NUMBERS = 12, ROW = 6 };
static const double FINEST = 0.25, COARSEST = 15; /* degrees */
static const char WHAT[] = "an antenna's field";

struct reading {
    const char *name;
    bool cst;
    int line;
    double frequency[BLOCK_LIMIT], accepted[BLOCK_LIMIT]; /* Hz; W, 0 where nothing is said */
    int blocks, powers;                                   /* powers: how many numbers of that list were read */
    int chosen;
    bool has_gain;      /* column 9 is a gain [dBi] */
    double gain;        /* the largest */
    double (*row)[ROW]; /* (count): theta, phi, then the four parts; owned */
    size_t count, room;
};

bool field_file_named(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL && (strcasecmp(dot, ".ffs") == 0 || strcasecmp(dot, ".ffe") == 0);
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* How many numbers a line begins with, at most `most`. */
static int numbers_of(const char *line, double *number, int most)
{
    int count = 0;
    for (char *end; count < most; line = end) {
        number[count] = strtod(line, &end);
        if (end == line) {
            break;
        }
        count++;
    }
    return count;
}

/* A heading: `block` is the number of the block that it is in or begins. CST lists powers and frequencies of all blocks
 * in front; Feko has the frequency before each. */
static pw_status heading_take(struct reading *reading, const char *line, int *block, bool *powers, bool *data,
                              pw_error *error)
{
    const char *found;
    if (reading->cst) {
        *powers = strstr(line, "Accepted") != NULL && strstr(line, "Frequency") != NULL;
        const bool begins = strstr(line, "Phi,") != NULL && strstr(line, "E_Theta") != NULL;
        *data = begins || (*data && strstr(line, "samples") == NULL); /* counts of a block stand before it */
        *block += begins;
    } else if ((found = strstr(line, "Frequency:")) != NULL) {
        ++*block;
        if (*block < BLOCK_LIMIT) {
            reading->frequency[*block] = strtod(found + strlen("Frequency:"), NULL);
        }
    } else if ((found = strstr(line, "Result Type:")) != NULL) {
        reading->has_gain = strstr(found, "Gain") != NULL && strstr(found, "ealised") == NULL;
    } else if ((found = strstr(line, "Coordinate System:")) != NULL && strstr(found, "Spherical") == NULL) {
        return fail(error, PW_BAD_INPUT, "%s:%d: allowed is the coordinate system Spherical", reading->name,
                    reading->line);
    }
    return *block < BLOCK_LIMIT
               ? PW_OK
               : fail(error, PW_BAD_INPUT, "%s:%d: over %d frequencies", reading->name, reading->line, BLOCK_LIMIT);
}

static pw_status row_add(struct reading *reading, const double *number, int count, pw_error *error)
{
    if (count < ROW) {
        return fail(error, PW_BAD_INPUT, "%s:%d: has %d numbers; two angles and the parts of two components are %d",
                    reading->name, reading->line, count, ROW);
    }
    for (int n = 0; n < ROW; n++) {
        const double most = n < 2 ? 1000 : 1e15; /* degrees; V */
        if (!(fabs(number[n]) <= most)) {
            return fail(error, PW_BAD_INPUT, "%s:%d: number %d is %g; allowed is up to %g", reading->name,
                        reading->line, n + 1, number[n], most);
        }
    }
    TRY(array_grow(&reading->row, &reading->room, reading->count, sizeof *reading->row, WHAT, error));
    double *row = reading->row[reading->count++];
    memcpy(row, number, ROW * sizeof *row);
    if (reading->cst) {
        row[0] = number[1];
        row[1] = number[0];
    }
    if (reading->has_gain && count >= 9) {
        reading->gain = fmax(reading->gain, number[8]);
    }
    return PW_OK;
}

static void power_add(struct reading *reading, const double *number, int count)
{
    for (int n = 0; n < count; n++, reading->powers++) {
        const int block = reading->powers / 4;
        if (block < BLOCK_LIMIT && reading->powers % 4 == 1) {
            reading->accepted[block] = number[n];
        } else if (block < BLOCK_LIMIT && reading->powers % 4 == 3) {
            reading->frequency[block] = number[n];
        }
    }
}

/* Goes over all lines; `rows` takes those of the chosen block. */
static pw_status lines_read(struct reading *reading, const char *text, bool rows, pw_error *error)
{
    int block = -1;
    bool powers = false, data = !reading->cst;
    reading->line = reading->powers = 0;
    for (const char *line = text, *end; line != NULL; line = end != NULL ? end + 1 : NULL) {
        double number[NUMBERS];
        end = strchr(line, '\n');
        reading->line++;
        line += strspn(line, " \t\r*"); /* Feko's older headings have stars */
        if (*line == '#' || strncmp(line, "//", 2) == 0) {
            char heading[256];
            snprintf(heading, sizeof heading, "%.*s", (int)strcspn(line, "\r\n"), line);
            TRY(heading_take(reading, heading, &block, &powers, &data, error));
            continue;
        }
        const int count = *line == '\n' || *line == '\0' ? 0 : numbers_of(line, number, NUMBERS);
        if (powers && !rows) {
            power_add(reading, number, count);
        }
        if (rows && data && block == reading->chosen && count > 0) {
            TRY(row_add(reading, number, count, error));
        }
    }
    reading->blocks = block + 1;
    return PW_OK;
}

static pw_status block_choose(struct reading *reading, double centre, pw_error *error)
{
    FAIL_IF(reading->blocks == 0, error, PW_BAD_INPUT, "%s: is no %s: %s is missing", reading->name,
            reading->cst ? "far-field source of CST" : "far field of Feko",
            reading->cst ? "the line // >> Phi, Theta, Re(E_Theta), ..." : "the line #Frequency:");
    for (int n = 1; n < reading->blocks; n++) {
        const double off = fabs(reading->frequency[n] - centre),
                     best = fabs(reading->frequency[reading->chosen] - centre);
        reading->chosen = off < best ? n : reading->chosen;
    }
    return PW_OK;
}

/* ---- the sphere -------------------------------------------------------------------------------------------------- */

/* Unit vectors of theta and phi at these angles [rad]. */
static void angle_vectors(double theta, double phi, double polar[3], double around[3])
{
    memcpy(polar, (double[]){cos(theta) * cos(phi), cos(theta) * sin(phi), -sin(theta)}, 3 * sizeof *polar);
    memcpy(around, (double[]){-sin(phi), cos(phi), 0}, 3 * sizeof *around);
}

/* E_theta and E_phi at angles [rad] as components along x, y, z. */
static void cartesian(double theta, double phi, const double parts[4], double out[6])
{
    double polar[3], around[3];
    angle_vectors(theta, phi, polar, around);
    for (int a = 0; a < 3; a++) {
        out[2 * a] = parts[0] * polar[a] + parts[2] * around[a];
        out[2 * a + 1] = parts[1] * polar[a] + parts[3] * around[a];
    }
}

/* The least step between angles of a column of the rows [degrees], of a whole number of which `whole` is made. */
static pw_status step_find(const struct reading *reading, int column, double whole, int *steps, pw_error *error)
{
    double least = INFINITY;
    const double first = reading->row[0][column];
    for (size_t n = 1; n < reading->count; n++) {
        const double off = fabs(reading->row[n][column] - first);
        least = off > 1e-3 ? fmin(least, off) : least;
    }
    const double number = round(whole / least);
    *steps = (int)number;
    return least >= FINEST && least <= COARSEST && fabs(whole / least - number) < 0.02
               ? PW_OK
               : fail(error, PW_BAD_INPUT,
                      "%s: %s has steps of %.4g degrees; allowed are even ones from %g to %g that divide %g degrees, "
                      "over the whole sphere",
                      reading->name, column == 0 ? "theta" : "phi", least, FINEST, COARSEST, whole);
}

/* Fills a pattern on the file's own grid and in its own axes. */
static pw_status grid_fill(const struct reading *reading, struct antenna_pattern *grid, pw_error *error)
{
    int down, around;
    FAIL_IF(reading->count < 2, error, PW_BAD_INPUT, "%s: has no field", reading->name);
    TRY(step_find(reading, 0, 180, &down, error));
    TRY(step_find(reading, 1, 360, &around, error));
    grid->form = FORM_FIELD;
    grid->rows = down + 1;
    grid->columns = around;
    const size_t size = (size_t)grid->rows * (size_t)grid->columns;
    grid->field = allocate(6 * size, sizeof(double), WHAT, error);
    OWNED bool *there = allocate(size, sizeof *there, WHAT, error);
    TRY_MADE(grid->field != NULL && there != NULL);
    for (size_t n = 0; n < reading->count; n++) {
        const double *row = reading->row[n], theta = row[0] / 180 * down, phi = row[1] / 360 * around;
        const int r = (int)round(theta), c = ((int)round(phi) % around + around) % around;
        FAIL_IF(r < 0 || r > down || fabs(theta - round(theta)) > 0.02 || fabs(phi - round(phi)) > 0.02, error,
                PW_BAD_INPUT, "%s: theta %g, phi %g is no step of %g and %g degrees, or theta is not 0 to 180",
                reading->name, row[0], row[1], 180.0 / down, 360.0 / around);
        const size_t at = (size_t)r * (size_t)around + (size_t)c;
        there[at] = true;
        cartesian(M_PI * r / down, 2 * M_PI * c / around, row + 2, grid->field + 6 * at);
    }
    for (size_t n = 0; n < size; n++) {
        FAIL_IF(!there[n], error, PW_BAD_INPUT, "%s: theta %g, phi %g is missing; a pattern needs the whole sphere",
                reading->name, 180.0 * (double)(n / (size_t)around) / down,
                360.0 * (double)(n % (size_t)around) / around);
    }
    return PW_OK;
}

static void axis_of(int number, double axis[3])
{
    for (int a = 0; a < 3; a++) {
        axis[a] = a == number % 3 ? (number < 3 ? 1 : -1) : 0;
    }
}

/* The file's field in the antenna's own axes, on the grid of a scenario, as parts of the largest. */
static void numbers_fill(const struct antenna_pattern *grid, const struct field_axes *axes, double peak, int *numbers)
{
    struct antenna_frame file = {.slant = 0}; /* where the file's x, y, z lie in the antenna's ahead, left, up */
    double ahead[3], up[3], left[3];
    axis_of(axes->ahead, ahead);
    axis_of(axes->up, up);
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        left[a] = up[b] * ahead[c] - up[c] * ahead[b];
    }
    for (int a = 0; a < 3; a++) {
        memcpy(file.axis[a], (double[]){ahead[a], left[a], up[a]}, sizeof file.axis[a]);
    }
    for (int n = 0; n < FIELD_ROWS * FIELD_COLUMNS; n++) {
        const double theta = M_PI * (n / FIELD_COLUMNS) / (FIELD_ROWS - 1),
                     phi = 2 * M_PI * (n % FIELD_COLUMNS) / FIELD_COLUMNS;
        double polar[3], around[3];
        angle_vectors(theta, phi, polar, around);
        double complex field[3], parts[2] = {0};
        antenna_field(grid, &file, (const double[]){sin(theta) * cos(phi), sin(theta) * sin(phi), cos(theta)}, field);
        for (int a = 0; a < 3; a++) {
            parts[0] += field[a] * polar[a] * FIELD_UNIT / peak;
            parts[1] += field[a] * around[a] * FIELD_UNIT / peak;
        }
        for (int p = 0; p < 2; p++) {
            numbers[4 * n + 2 * p] = (int)round(creal(parts[p]));
            numbers[4 * n + 2 * p + 1] = (int)round(cimag(parts[p]));
        }
    }
}

pw_status field_of_numbers(const int *numbers, struct antenna_pattern *pattern, pw_error *error)
{
    pattern->form = FORM_FIELD;
    pattern->rows = FIELD_ROWS;
    pattern->columns = FIELD_COLUMNS;
    pattern->field = allocate((size_t)FIELD_NUMBERS / 4 * 6, sizeof(double), WHAT, error);
    TRY_MADE(pattern->field);
    for (int n = 0; n < FIELD_ROWS * FIELD_COLUMNS; n++) {
        double parts[4];
        for (int p = 0; p < 4; p++) {
            parts[p] = (double)numbers[4 * n + p] / FIELD_UNIT;
        }
        cartesian(M_PI * (n / FIELD_COLUMNS) / (FIELD_ROWS - 1), 2 * M_PI * (n % FIELD_COLUMNS) / FIELD_COLUMNS, parts,
                  pattern->field + (size_t)6 * (size_t)n);
    }
    return antenna_form_fill(pattern, error);
}

pw_status field_to_numbers(const struct antenna_pattern *pattern, int **numbers, pw_error *error)
{
    *numbers = allocate(FIELD_NUMBERS, sizeof **numbers, WHAT, error);
    TRY_MADE(*numbers);
    for (int n = 0; n < FIELD_ROWS * FIELD_COLUMNS; n++) {
        double polar[3], around[3], parts[4] = {0};
        angle_vectors(M_PI * (n / FIELD_COLUMNS) / (FIELD_ROWS - 1), 2 * M_PI * (n % FIELD_COLUMNS) / FIELD_COLUMNS,
                      polar, around);
        for (int p = 0; p < 6; p++) {
            const double value = pattern->field[6 * n + p] * FIELD_UNIT;
            parts[p % 2] += value * polar[p / 2];
            parts[2 + p % 2] += value * around[p / 2];
        }
        for (int p = 0; p < 4; p++) {
            (*numbers)[4 * n + p] = (int)lround(parts[p]);
        }
    }
    return PW_OK;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static pw_status pattern_make(const struct reading *reading, const struct antenna_pattern *grid,
                              const struct field_axes *axes, struct antenna_pattern *pattern, pw_error *error)
{
    const double impedance = 60, accepted = reading->accepted[reading->chosen]; /* |E|^2/(60 ohm P) is a gain */
    double peak = 0;
    for (int n = 0; n < grid->rows * grid->columns; n++) {
        double sum = 0;
        for (int p = 0; p < 6; p++) {
            sum += pow(grid->field[6 * n + p], 2);
        }
        peak = fmax(peak, sum);
    }
    FAIL_IF(!(peak > 0), error, PW_BAD_INPUT, "%s: its field is 0 in all directions", reading->name);
    OWNED int *numbers = allocate(FIELD_NUMBERS, sizeof *numbers, WHAT, error);
    TRY_MADE(numbers);
    numbers_fill(grid, axes, sqrt(peak), numbers);
    const double frequency = reading->frequency[reading->chosen];
    *pattern = (struct antenna_pattern){.frequency = frequency > 0 && frequency < 1e15 ? frequency : 0,
                                        .electrical_tilt = NAN};
    pattern->gain = reading->cst && accepted > 0 ? 10 * log10(peak / (impedance * accepted))
                    : reading->gain > -INFINITY  ? reading->gain
                                                 : NAN;
    pattern->gain = fabs(pattern->gain) <= 100 ? pattern->gain : (double)NAN; /* then that of its directions */
    return field_of_numbers(numbers, pattern, error);
}

pw_status field_text_read(const char *name, const char *text, const struct field_axes *axes, double centre,
                          struct antenna_pattern *pattern, pw_error *error)
{
    const char *dot = strrchr(name, '.');
    struct reading *reading = allocate(1, sizeof *reading, WHAT, error);
    struct antenna_pattern grid = {.form = FORM_FIELD};
    memset(pattern, 0, sizeof *pattern);
    TRY_MADE(reading);
    reading->name = name;
    reading->cst = dot != NULL && strcasecmp(dot, ".ffs") == 0;
    reading->gain = -INFINITY;
    pw_status status = lines_read(reading, text, false, error);
    THEN(status, block_choose(reading, centre, error));
    THEN(status, lines_read(reading, text, true, error));
    THEN(status, grid_fill(reading, &grid, error));
    THEN(status, pattern_make(reading, &grid, axes, pattern, error));
    free(reading->row);
    free(reading);
    antenna_pattern_free(&grid);
    return status;
}

pw_status field_file_read(const char *path, const struct field_axes *axes, double centre,
                          struct antenna_pattern *pattern, pw_error *error)
{
    OWNED char *text = NULL;
    size_t length;
    memset(pattern, 0, sizeof *pattern);
    TRY(antenna_text_load(path, FILE_LIMIT, &text, &length, error));
    text[length] = '\0';
    return field_text_read(path, text, axes, centre, pattern, error);
}
