/* Angles against closed forms: single waves, a line current and its image behind a conducting plane (two Hankel
 * functions), and antennas that weigh what comes from where. */
#include "tests/support/check.h"

#include "base/numbers/hankel.h"
#include "channel/angles/plane_waves.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846, c0 = 299792458.0;
enum { AZIMUTHS = 360 };

/* Points of a square lattice within `radius`, shifted so that the place is not one of them. */
static struct disc disc_made(double radius, double pitch)
{
    int reach = (int)(radius / pitch) + 1;
    size_t most = (size_t)(2 * reach + 1) * (size_t)(2 * reach + 1);
    struct disc disc = {.x = calloc(most, sizeof(double)), .y = calloc(most, sizeof(double))};
    for (int n = 0; n < (int)most; n++) {
        double x = (n % (2 * reach + 1) - reach + 0.2) * pitch, y = (n / (2 * reach + 1) - reach - 0.3) * pitch;
        if (hypot(x, y) <= radius) {
            disc.x[disc.count] = x;
            disc.y[disc.count++] = y;
        }
    }
    return disc;
}

static void disc_free(struct disc *disc)
{
    free(disc->x);
    free(disc->y);
}

/* A wave of amplitude 2 from any azimuth: its own amplitude in the peak, nothing left over, the field of the place when
 * all azimuths count alike, and g(alpha) of it for an antenna. */
static void test_single_wave(void **state)
{
    (void)state;
    const double k = 2 * pi / 0.125;
    struct disc disc = disc_made(0.25, 0.05);
    double *field = calloc(2 * (size_t)disc.count, sizeof *field);
    int order = plane_waves_order(k, 0.25);
    double harmonics[2 * (2 * ORDER_LIMIT + 1)], amplitude[2 * AZIMUTHS], cardioid[AZIMUTHS], residual, re, im;
    assert_int_equal(order, 15); /* kr is 12.6 */
    for (int a = 0; a < AZIMUTHS; a++) {
        cardioid[a] = 0.5 * (1 + cos(2 * pi * a / AZIMUTHS - 1));
    }
    for (int a = 0; a < AZIMUTHS; a += 7) {
        double azimuth = 2 * pi * a / AZIMUTHS;
        for (int s = 0; s < disc.count; s++) {
            double complex e = 2 * cexp(I * (k * (disc.x[s] * cos(azimuth) + disc.y[s] * sin(azimuth)) + 0.4));
            field[2 * s] = creal(e);
            field[2 * s + 1] = cimag(e);
        }
        pw_error error;
        assert_int_equal(plane_waves_fit(&disc, k, order, field, harmonics, &residual, &error), PW_OK);
        assert_true(residual < 0.02); /* orders far over kr are cut off at the rim */
        plane_waves_spectrum(harmonics, order, AZIMUTHS, amplitude);
        int peak = 0;
        for (int n = 0; n < AZIMUTHS; n++) {
            peak = hypot(amplitude[2 * n], amplitude[2 * n + 1]) > hypot(amplitude[2 * peak], amplitude[2 * peak + 1])
                       ? n
                       : peak;
        }
        assert_int_equal(peak, a);
        double complex top = amplitude[2 * peak] + I * amplitude[2 * peak + 1];
        assert_true(cabs(top - 2 * cexp(0.4 * I)) < 0.02);
        plane_waves_receive(harmonics, order, cardioid, AZIMUTHS, &re, &im);
        assert_true(cabs(re + I * im - cardioid[a] * 2 * cexp(0.4 * I)) < 0.01);
    }
    free(field);
    disc_free(&disc);
}

/* Half power at half the beam width, and no side lobe over -31 dB, of a single wave's harmonics. */
static void test_beam(void **state)
{
    (void)state;
    for (int order = 4; order <= 40; order += 9) {
        double harmonics[2 * (2 * ORDER_LIMIT + 1)], amplitude[2 * 36000];
        for (int n = -order; n <= order; n++) {
            double complex c = cpow(I, n);
            harmonics[2 * (n + order)] = creal(c);
            harmonics[2 * (n + order) + 1] = cimag(c);
        }
        plane_waves_spectrum(harmonics, order, 36000, amplitude);
        int half = (int)lround(0.5 * plane_waves_beam_width(order) / (2 * pi) * 36000),
            lobe = 36000 * 2 / (2 * order + 1);
        assert_true(fabs(hypot(amplitude[2 * half], amplitude[2 * half + 1]) - sqrt(0.5)) < 1e-2);
        for (int n = lobe + 36000 / (2 * order + 1) / 4; n < 18000; n++) {
            assert_true(hypot(amplitude[2 * n], amplitude[2 * n + 1]) < pow(10, -31.0 / 20));
        }
    }
}

/* A line current over a conducting plane, y = 0, is two: H0(k d1) - H0(k d2). Over a band their peaks in the mean power
 * are the directions of the current and of its image within 2 degrees, wherever they stand far enough apart. */
static void test_conducting_plane(void **state)
{
    (void)state;
    static const double heights[][3] = {{4, 1.2, 1.5}, {3, 2, 1}, {6, 2, 3}, {2, 1, 0.8}}; /* m: along, sender, place */
    for (int c = 0; c < 4; c++) {
        const double along = heights[c][0], up = heights[c][1], place = heights[c][2];
        const double wanted[2] = {atan2(up - place, along), atan2(-up - place, along)};
        double power[AZIMUTHS] = {0},
               radius = fmin(0.5, fmin(place - 0.03, sqrt(0.5 * hypot(along, up - place) * 0.125)));
        struct disc disc = disc_made(radius, 0.05);
        double *field = calloc(2 * (size_t)disc.count, sizeof *field);
        for (int f = 0; f < 31; f++) {
            double frequency = 2.25e9 + f * 10e6, k = 2 * pi * frequency / c0, residual;
            double harmonics[2 * (2 * ORDER_LIMIT + 1)], amplitude[2 * AZIMUTHS];
            for (int s = 0; s < disc.count; s++) {
                double re[2], im[2], x = along - disc.x[s], y = place + disc.y[s];
                hankel_h0_2(k * hypot(x, up - y), &re[0], &im[0]);
                hankel_h0_2(k * hypot(x, up + y), &re[1], &im[1]);
                field[2 * s] = re[0] - re[1];
                field[2 * s + 1] = im[0] - im[1];
            }
            pw_error error;
            int order = plane_waves_order(k, radius);
            assert_int_equal(plane_waves_fit(&disc, k, order, field, harmonics, &residual, &error), PW_OK);
            plane_waves_spectrum(harmonics, order, AZIMUTHS, amplitude);
            for (int n = 0; n < AZIMUTHS; n++) {
                power[n] += amplitude[2 * n] * amplitude[2 * n] + amplitude[2 * n + 1] * amplitude[2 * n + 1];
            }
        }
        for (int p = 0; p < 2; p++) {
            /* The largest within 10 degrees, refined. */
            int at = (int)lround(wanted[p] / (2 * pi) * AZIMUTHS), peak = at - 10;
            for (int n = at - 10; n <= at + 10; n++) {
                peak = power[(n + 2 * AZIMUTHS) % AZIMUTHS] > power[(peak + 2 * AZIMUTHS) % AZIMUTHS] ? n : peak;
            }
            assert_true(fabs(peak - wanted[p] / (2 * pi) * AZIMUTHS) < 2.0);
        }
        free(field);
        disc_free(&disc);
    }
}

/* Too few samples are refused. */
static void test_too_few(void **state)
{
    (void)state;
    struct disc disc = disc_made(0.1, 0.05);
    double field[64] = {0}, harmonics[2 * (2 * ORDER_LIMIT + 1)], residual;
    pw_error error;
    assert_int_equal(plane_waves_fit(&disc, 50, 20, field, harmonics, &residual, &error), PW_BAD_INPUT);
    disc_free(&disc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single_wave),
        cmocka_unit_test(test_beam),
        cmocka_unit_test(test_conducting_plane),
        cmocka_unit_test(test_too_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
