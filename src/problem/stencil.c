/* The schemes as exact rationals, and what follows from them: the second difference, Courant limits, dispersion.
 * Source: physics.md section 2; the dd rows solve the Deslauriers-Dubuc refinement equation (paper 003, eq. 4). */
#include "problem/stencil.h"
#include "base/constants.h"
#include "problem/stencil_tuned.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* One scheme: its name and a clause for help texts, its first difference as exact rationals. */
struct scheme_row {
    const char *name, *description;
    int reach, order; /* of accuracy in space */
    struct {
        double numerator, denominator;
    } tap[REACH_LIMIT];
    void (*tune)(double *tap, const struct stencil_band *band); /* changes the taps to suit the band; or NULL */
};

static const struct scheme_row SCHEMES[SCHEME_COUNT] = {
    [SCHEME_YEE] = {"yee", "Yee's, of order 2", 1, 2, {{1, 1}}},
    [SCHEME_DD2] = {"dd2", "Deslauriers-Dubuc, of order 4", 3, 4, {{59, 48}, {-3, 32}, {1, 96}}},
    [SCHEME_DD3] = {"dd3",
                    "Deslauriers-Dubuc, of order 6",
                    5,
                    6,
                    {{120707, 93440}, {-76883, 560640}, {1075, 37376}, {-1297, 373760}, {3, 373760}}},
    [SCHEME_DD4] = {"dd4",
                    "Deslauriers-Dubuc, of order 8",
                    7,
                    8,
                    {{266099391, 202969088},
                     {-189991331, 1217814528},
                     {63928787, 1522268160},
                     {-1505623, 173973504},
                     {1011845, 1217814528},
                     {6637, 608907264},
                     {-5, 1217814528}}},
    [SCHEME_FD4] = {"fd4", "staggered finite differences of order 4", 2, 4, {{9, 8}, {-1, 24}}},
    [SCHEME_FD6] = {"fd6", "staggered finite differences of order 6", 3, 6, {{75, 64}, {-25, 384}, {3, 640}}},
    [SCHEME_FD8] =
        {"fd8", "staggered finite differences of order 8", 4, 8, {{1225, 1024}, {-245, 3072}, {49, 5120}, {-5, 7168}}},
    [SCHEME_FD4O] =
        {"fd4o", "fd4 with its two taps tuned to the band", 2, 4, {{9, 8}, {-1, 24}}, stencil_tune_two_taps},
};

const struct stencil_band STENCIL_USUAL_BAND = {.cells_per_wavelength = 12, .dimensions = 2};

const char *scheme_name(enum scheme scheme)
{
    return SCHEMES[scheme].name;
}

const char *scheme_description(enum scheme scheme)
{
    return SCHEMES[scheme].description;
}

const char *scheme_names(char *text, size_t size)
{
    size_t used = 0;
    for (int s = 0; s < SCHEME_COUNT && used < size; s++) {
        used += (size_t)snprintf(text + used, size - used, "%s%s", s > 0 ? ", " : "", SCHEMES[s].name);
    }
    return text;
}

bool scheme_from_name(const char *name, enum scheme *scheme)
{
    for (int s = 0; s < SCHEME_COUNT; s++) {
        if (strcmp(name, SCHEMES[s].name) == 0) {
            *scheme = (enum scheme)s;
            return true;
        }
    }
    return false;
}

double stencil_symbol(const struct stencil *stencil, double theta)
{
    double sum = 0;
    for (int l = 0; l < stencil->reach; l++) {
        sum += stencil->difference[l] * sin((l + 0.5) * theta);
    }
    return sum;
}

double stencil_phase(const struct stencil *stencil, double wanted)
{
    double low = 0, high = 2;
    if (!(wanted > 0) || stencil_symbol(stencil, high) < wanted) {
        return NAN;
    }
    for (int n = 0; n < 60; n++) {
        const double middle = 0.5 * (low + high);
        *(stencil_symbol(stencil, middle) < wanted ? &low : &high) = middle;
    }
    return 0.5 * (low + high);
}

/* The difference of taps a(l) is 2 sin(t/2) sum a(l) s(l), z = 4 sin(t/2)^2, where s(l) = sin((l+1/2) t)/sin(t/2) obeys
 * s(l+1) = (2 - z) s(l) - s(l-1), s(0) = 1, s(-1) = -1. */
void stencil_polynomial(const double *difference, int reach, double *polynomial)
{
    double before[REACH_LIMIT] = {-1}, now[REACH_LIMIT] = {1};
    memset(polynomial, 0, (size_t)reach * sizeof *polynomial);
    for (int l = 0; l < reach; l++) {
        double next[REACH_LIMIT];
        for (int m = 0; m < REACH_LIMIT; m++) {
            if (m < reach) {
                polynomial[m] += difference[l] * now[m];
            }
            next[m] = 2 * now[m] - (m > 0 ? now[m - 1] : 0) - before[m];
        }
        memcpy(before, now, sizeof now);
        memcpy(now, next, sizeof now);
    }
}

/* The taps of the difference applied twice: the signed taps s(p), p = -reach+1/2 .. reach-1/2, convolved with
 * themselves. */
static void square_difference(struct stencil *stencil)
{
    int reach = stencil->reach, taps = 2 * reach;
    double signed_tap[2 * REACH_LIMIT] = {0}, square[4 * REACH_LIMIT] = {0};
    for (int l = 0; l < reach; l++) {
        signed_tap[reach + l] = stencil->difference[l];
        signed_tap[reach - 1 - l] = -stencil->difference[l];
    }
    for (int p = 0; p < taps; p++) {
        for (int q = 0; q < taps; q++) {
            square[p + q] += signed_tap[p] * signed_tap[q];
        }
    }
    stencil->centre = square[taps - 1];
    for (int m = 1; m < taps; m++) {
        stencil->laplacian[m - 1] = square[taps - 1 + m];
    }
}

/* The largest |symbol| over theta in [0, pi]: a scan, then golden-section refinement around its best point. Points that
 * the steepest slope cannot bring above the largest so far are skipped; nearly all schemes are largest at the end. */
static double largest_symbol(const struct stencil *stencil)
{
    const int points = 4096;
    const double golden = 0.6180339887498949;
    double steepest = 0, largest = fabs(stencil_symbol(stencil, M_PI));
    for (int l = 0; l < stencil->reach; l++) {
        steepest += (l + 0.5) * fabs(stencil->difference[l]) * M_PI / points;
    }
    int best = points;
    for (int i = 1; i < points;) {
        const double symbol = fabs(stencil_symbol(stencil, M_PI * i / points));
        if (symbol > largest) {
            best = i;
            largest = symbol;
        }
        i += (int)fmax(1, floor((largest - symbol) / steepest));
    }
    double low = M_PI * fmax(best - 1, 0) / points, high = M_PI * fmin(best + 1, points) / points;
    for (int i = 0; i < 80; i++) {
        double a = high - golden * (high - low), b = low + golden * (high - low);
        if (fabs(stencil_symbol(stencil, a)) > fabs(stencil_symbol(stencil, b))) {
            high = b;
        } else {
            low = a;
        }
    }
    return fabs(stencil_symbol(stencil, 0.5 * (low + high)));
}

struct stencil stencil_get(enum scheme scheme, const struct stencil_band *band)
{
    const struct scheme_row *row = &SCHEMES[scheme];
    struct stencil stencil = {.name = row->name, .reach = row->reach, .order = row->order, .second_moment = 1};
    for (int l = 0; l < row->reach; l++) {
        stencil.difference[l] = row->tap[l].numerator / row->tap[l].denominator;
    }
    if (row->tune != NULL) {
        double moment = 0;
        row->tune(stencil.difference, band);
        for (int l = 0; l < row->reach; l++) {
            moment += (2 * l + 1) * stencil.difference[l];
        }
        stencil.second_moment = moment * moment;
    }
    square_difference(&stencil);
    stencil.courant_limit = 1 / largest_symbol(&stencil);
    return stencil;
}

/* Waves on a grid of such cells in one direction. */
struct wave {
    const struct stencil *stencil;
    double cell, direction[2];
    double target; /* what the scheme must have for k^2 */
};

/* sum over both axes of (2 symbol / cell)^2 for wave number k: what the scheme has for k^2. */
static double squared_operator(const struct wave *wave, double k)
{
    double x = 2 * stencil_symbol(wave->stencil, k * wave->direction[0] * wave->cell) / wave->cell;
    double y = 2 * stencil_symbol(wave->stencil, k * wave->direction[1] * wave->cell) / wave->cell;
    return x * x + y * y;
}

/* GUESSED off a guess the operator is certain to be on its side of the target. */
static const double GUESSED = 1e-13;

/* The wave number by secants; NAN where they do not find it, or where it is so short a wave, RISING radians a cell,
 * that the operator may not rise up to there. */
static double guessed_wave_number(const struct wave *wave)
{
    enum { STEPS = 8 };
    static const double RISING = 2;
    double before = 0, k = sqrt(wave->target), square_before = 0;
    for (int n = 0; n < STEPS && k != before; n++) {
        const double square = squared_operator(wave, k),
                     next = k + (wave->target - square) * (k - before) / (square - square_before);
        before = k;
        square_before = square;
        k = next;
    }
    return k > 0 && k * wave->cell < RISING && squared_operator(wave, k * (1 - GUESSED)) < wave->target &&
                   squared_operator(wave, k * (1 + GUESSED)) > wave->target
               ? k
               : NAN;
}

/* Whether wave number k is too small. What a guess tells is not worked out. */
static bool is_below(const struct wave *wave, double guess, double k)
{
    return fabs(k - guess) > GUESSED * guess ? k < guess : squared_operator(wave, k) < wave->target;
}

double stencil_wave_number(const struct stencil *stencil, double cell, double time_step, double omega, double angle)
{
    const double c = SPEED_OF_LIGHT;
    double half = 0.5 * omega * time_step;
    double temporal = time_step > 0 ? 2 * sin(half) / (c * time_step) : omega / c;
    const struct wave wave = {stencil, cell, {cos(angle), sin(angle)}, temporal * temporal};
    const double guess = guessed_wave_number(&wave);
    double low = 0, high = 0.25 * omega / c;
    while (is_below(&wave, guess, high)) {
        low = high;
        high *= 1.05;
        if (high * cell > M_PI) {
            return NAN; /* beyond cut-off: no travelling wave on this grid */
        }
    }
    for (int i = 0; i < 200 && high - low > 1e-16 * high; i++) {
        double middle = 0.5 * (low + high);
        if (is_below(&wave, guess, middle)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return 0.5 * (low + high);
}

/* Newton's steps with the slope of an exact operator, 2 k: the scheme's own differs by some per cent, so that each step
 * leaves as much of the error as that. */
double stencil_wave_number_along(const struct stencil *stencil, double cell, double stepped, const double direction[3])
{
    enum { STEPS = 12 };
    double k = stepped, before = -1, change = 0;
    for (int n = 0; n < STEPS && k != before; n++) {
        double square = 0;
        before = k;
        for (int i = 0; i < 3; i++) {
            if (direction[i] == 0) {
                continue; /* as across a plan, always */
            }
            double side = 2 * stencil_symbol(stencil, k * direction[i] * cell) / cell;
            square += side * side;
        }
        change = (stepped * stepped - square) / (2 * stepped);
        k += change;
    }
    return k * cell < M_PI && fabs(change) <= 1e-6 * k ? k : NAN;
}
