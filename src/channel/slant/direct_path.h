/* The direct path of a link with heights (slant.h), and what the band cannot tell from it. A window spreads a path over
 * bins before and behind its delay, and the power factor of a bin, F, may change a lot over them: under a transmitter
 * by more than ten decibels. So that an empty hall has the power of its direct path, exactly, bins up to the direct
 * path take a factor E, those behind it as far as the window's main lobe reaches F(d) + share (F - F(d)), later ones F,
 * and E is such that a path of the window's shape has F(d). The share is 1 unless E would fall below zero. */
#pragma once

#include "base/status.h"

/* Power of the window's pulse by its distance in time, as a table. */
enum { PULSE_REACH = 8, PULSE_FINE = 32, PULSE_COUNT = PULSE_REACH * PULSE_FINE + 1 };
struct pulse {
    double width;              /* s: 1/B */
    double power[PULSE_COUNT]; /* at 0, width/PULSE_FINE, ...; 1 at 0 */
};

/* Of a window (count) over frequencies `spacing` [Hz] apart. */
struct pulse pulse_make(const double *window, int count, double spacing);

/* Its power `away` [s] from its middle. */
double pulse_power(const struct pulse *pulse, double away);

struct direct_path {
    double delay;    /* s: of the direct path */
    double factor;   /* F(d) */
    double early;    /* E */
    double share;    /* 0 to 1 */
    double lobe_end; /* s: delay up to which the share holds */
};

/* Bins that lie behind the direct path, in order: number `first` at `first_delay` [s], `bin` apart. */
struct late_bins {
    const double *factor; /* (count): F of bin first + n */
    int count;
    double first_delay, bin; /* s */
};

struct direct_path direct_path_make(const struct pulse *pulse, double delay, double factor,
                                    const struct late_bins *late);

/* What a bin at `delay` takes, whose own factor is `factor`. */
static inline double direct_path_factor(const struct direct_path *direct, double delay, double factor)
{
    return delay <= direct->delay      ? direct->early
           : delay <= direct->lobe_end ? direct->factor + direct->share * (factor - direct->factor)
                                       : factor;
}
