/* Sums of taps at any delays (slanted_sum.h). From frequency to frequency the phase of a tap is turned on by a constant
 * angle, eight frequencies at a time, and two taps at a time, since each turn waits for the one before. The loop is
 * compiled for several instruction sets; products and sums are not fused and have one order, so that all give the same
 * bits. */
#include "channel/slant/slanted_sum.h"

#include "base/fast_fma.h"

#include <math.h>
#include <string.h>

enum { LANES = 8, BLOCK = 64 * LANES };
typedef double lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double))));

/* Terms of one tap at eight neighbouring frequencies, and the turn over eight frequencies. */
struct turning {
    double re[LANES], im[LANES], turn_re, turn_im;
};

static struct turning turning_make(const struct sum_axis *axis, const double *coefficient, double delay)
{
    double away = -2.0 * M_PI * (axis->lowest - axis->centre) * delay, along = -2.0 * M_PI * axis->spacing * delay;
    double turn_re = cos(along), turn_im = sin(along), c = cos(away), s = sin(away);
    double re = coefficient[0] * c - coefficient[1] * s, im = coefficient[0] * s + coefficient[1] * c;
    struct turning turning;
    for (int k = 0; k < LANES; k++) {
        turning.re[k] = re;
        turning.im[k] = im;
        double next = re * turn_re - im * turn_im;
        im = re * turn_im + im * turn_re;
        re = next;
    }
    for (int k = 1; k < LANES; k *= 2) {
        double square = turn_re * turn_re - turn_im * turn_im;
        turn_im = 2.0 * turn_re * turn_im;
        turn_re = square;
    }
    turning.turn_re = turn_re;
    turning.turn_im = turn_im;
    return turning;
}

/* Adds two taps to (groups, LANES) real and imaginary parts. */
FAST_VECTORS static void pair_add(const struct turning *a, const struct turning *b, int groups, double *sum_re,
                                  double *sum_im)
{
    lanes a_re, a_im, b_re, b_im;
    memcpy(&a_re, a->re, sizeof a_re);
    memcpy(&a_im, a->im, sizeof a_im);
    memcpy(&b_re, b->re, sizeof b_re);
    memcpy(&b_im, b->im, sizeof b_im);
    for (int g = 0; g < groups; g++) {
        lanes *re = (lanes *)(sum_re + LANES * g), *im = (lanes *)(sum_im + LANES * g);
        *re += a_re + b_re;
        *im += a_im + b_im;
        lanes next = a_re * a->turn_re - a_im * a->turn_im;
        a_im = a_re * a->turn_im + a_im * a->turn_re;
        a_re = next;
        next = b_re * b->turn_re - b_im * b->turn_im;
        b_im = b_re * b->turn_im + b_im * b->turn_re;
        b_re = next;
    }
}

/* The frequencies of one block, whose sums stay in the cache beside the processor. */
static void block_sum(const struct sum_axis *axis, int taps, const double *coefficient, const double *delay,
                      double *response)
{
    double re[BLOCK] = {0.0}, im[BLOCK] = {0.0};
    int groups = (axis->count + LANES - 1) / LANES;
    for (int n = 0; n < taps; n += 2) {
        struct turning a = turning_make(axis, coefficient + 2 * n, delay[n]), b = {.turn_re = 1.0};
        if (n + 1 < taps) {
            b = turning_make(axis, coefficient + 2 * n + 2, delay[n + 1]);
        }
        pair_add(&a, &b, groups, re, im);
    }
    for (int f = 0; f < axis->count; f++) {
        response[2 * f] = re[f];
        response[2 * f + 1] = im[f];
    }
}

void slanted_sum(const struct sum_axis *axis, int taps, const double *coefficient, const double *delay,
                 double *response)
{
    for (int first = 0; first < axis->count; first += BLOCK) {
        struct sum_axis block = *axis;
        block.lowest = axis->lowest + first * axis->spacing;
        block.count = axis->count - first < BLOCK ? axis->count - first : BLOCK;
        block_sum(&block, taps, coefficient, delay, response + 2 * (size_t)first);
    }
}
