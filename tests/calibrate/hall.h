/* What tests of joint fits share: a hall of two transmitters whose powers are closed forms, places in it, and numbers
 * that look like chance. */
#ifndef HALL_H
#define HALL_H

#include "tests/support/check.h"

#include "calibrate/planwave_calibrate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/ray_result.h"

static const double c0 = 299792458.0;

/* Rays of a known level: 4 dB a metre from the first transmitter, 1/d of amplitude from the second. */
#define HALL                                                                                                           \
    "plan: {size: [4.8 m, 3.2 m]}\n"                                                                                   \
    "grid: {scheme: dd4, cell: 2 cm}\n"                                                                                \
    "band: {centre: 2.4 GHz, width: 600 MHz}\n"                                                                        \
    "transmitters: [{name: left, at: [0 m, 0.8 m], power: 20 dBm}, {name: right, at: [4.8 m, 1.6 m]}]\n"               \
    "spectra: {count: 61, spacing: 4 cells}\n"                                                                         \
    "stop: {after: 20 ns, decay: off}\n"

static char folder[] = "/tmp/planwave-joint-XXXXXX";
static char hall_path[96], readings_path[96], score_path[96];

static double complex hall_rays(int run, double x, double y, double distance, double frequency)
{
    (void)y;
    return ray_one(frequency, run == 0 ? pow(10.0, -0.2 * x) : 1.0 / fmax(distance, 0.1), distance / c0);
}

static int make_all(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    snprintf(hall_path, sizeof hall_path, "%s/hall.h5", folder);
    snprintf(readings_path, sizeof readings_path, "%s/readings.csv", folder);
    snprintf(score_path, sizeof score_path, "%s/score.csv", folder);
    ray_result_make(HALL, hall_rays, hall_path);
    return 0;
}

static int remove_all(void **state)
{
    (void)state;
    return folder_delete(folder);
}

static inline pw_joint_options options_plain(void)
{
    pw_joint_options options = pw_joint_options_default();
    options.channel.spreading = PW_SPREADING_NONE;
    options.mean_width = 0.08; /* a cell: on a node no averaging */
    options.blocks = 0.8;
    return options;
}

static inline double free_space(double frequency)
{
    return 20.0 * log10(c0 / (4.0 * M_PI * frequency));
}

/* dBm of the rays above, at 2.4 GHz. */
static inline double level_at(int transmitter, double x, double y)
{
    return 20.0 + free_space(2.4e9) + (transmitter == 0 ? -4.0 * x : -20.0 * log10(hypot(x - 4.8, y - 1.6)));
}

/* A number of [-1, 1] that looks like chance. */
static double noise_at(int n)
{
    double value = sin(12.9898 * n) * 43758.5453;
    return 2.0 * (value - floor(value)) - 1.0;
}

enum { PLACES = 80 };
static inline double place_x(int n)
{
    return 0.32 + 0.08 * (n * 37 % 52);
}
static inline double place_y(int n)
{
    return 0.24 + 0.08 * (n * 17 % 34);
}

#endif
