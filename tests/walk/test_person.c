/* Tissue against published values; how a cylinder scatters against what must hold at its face, and energy; waves around
 * a point against the addition theorem. */
#include "tests/support/check.h"

#include "walk/scatter/person.h"
#include "walk/scatter/waves.h"

#include <math.h>
#include <stdlib.h>

static const double EPSILON = 8.8541878128e-12, LIGHT = 299792458.0;

/* D. Andreuccetti, R. Fossi, C. Petrucci: Dielectric properties of body tissues, IFAC-CNR, after Gabriel 1996: muscle.
 */
static void test_muscle(void **state)
{
    (void)state;
    static const double VALUES[][3] = {
        {0.9e9, 55.03, 0.943}, {1.8e9, 53.55, 1.341}, {2.45e9, 52.73, 1.739}, {5.8e9, 48.49, 4.962}};
    for (size_t n = 0; n < sizeof VALUES / sizeof *VALUES; n++) {
        const double complex value = muscle_permittivity(VALUES[n][0]);
        assert_true(fabs(creal(value) / VALUES[n][1] - 1) < 5e-4);
        assert_true(fabs(-cimag(value) * 2 * M_PI * VALUES[n][0] * EPSILON / VALUES[n][2] - 1) < 1e-3);
    }
}

static void test_material(void **state)
{
    (void)state;
    static const double BANDS[][3] = {{2.4e9, 2.5e9, 0.002}, {5.15e9, 5.85e9, 0.003}, {2.1e9, 2.7e9, 0.01}};
    for (size_t n = 0; n < sizeof BANDS / sizeof *BANDS; n++) {
        char material[MATERIAL_SIZE];
        double off = NAN;
        muscle_material(BANDS[n][0], BANDS[n][1], material, &off);
        assert_true(off < BANDS[n][2]);
    }
}

/* ---- a cylinder -------------------------------------------------------------------------------------------------- */

static double complex hankel(int m, double x)
{
    return jn(m, x) - I * yn(m, x);
}

/* J_m by its power series, good to nine digits for |z| under 20. */
static double complex bessel(int m, double complex z)
{
    double complex term = cpow(0.5 * z, m) / tgamma(m + 1), sum = 0;
    for (int k = 1; k < 80; k++) {
        sum += term;
        term *= -0.25 * z * z / (k * (double)(k + m));
    }
    return sum;
}

/* E and its slope along r go through the face, and with H along the axis H and its slope over the permittivity: what is
 * inside is c J_m(k1 r), by both to the same c. */
static void test_face(void **state)
{
    (void)state;
    for (int across = 0; across < 2; across++) {
        const struct cylinder cylinder = {.radius = 0.08, .permittivity = 20 - 6 * I, .across = across != 0};
        const double k = 2 * M_PI * 1.5e9 / LIGHT, x = k * cylinder.radius, h = 1e-5;
        const double complex less = across != 0 ? cylinder.permittivity : 1;
        double complex response[9];
        cylinder_response(&cylinder, k, 8, response);
        for (int m = 0; m <= 8; m++) {
            const double complex z = csqrt(cylinder.permittivity) * x;
            const double complex outside = jn(m, x) + response[m] * hankel(m, x),
                                 slope = (jn(m, x * (1 + h)) + response[m] * hankel(m, x * (1 + h)) -
                                          jn(m, x * (1 - h)) - response[m] * hankel(m, x * (1 - h))) /
                                         (2 * h),
                                 inside_slope = (bessel(m, z * (1 + h)) - bessel(m, z * (1 - h))) / (2 * h) / less;
            assert_true(cabs(slope / outside * bessel(m, z) / inside_slope - 1) < 1e-5);
        }
    }
}

/* A cylinder without loss sends back what comes: |1 + 2 T| = 1; muscle takes some of it. */
static void test_energy(void **state)
{
    (void)state;
    struct cylinder cylinder = {.radius = 0.15, .permittivity = 50};
    double complex response[31];
    for (int n = 2; n < 14; n++) {
        const double frequency = 0.5e9 * n, k = 2 * M_PI * frequency / LIGHT;
        cylinder.permittivity = 50;
        cylinder_response(&cylinder, k, 30, response);
        for (int m = 0; m <= 30; m++) {
            assert_true(fabs(cabs(1 + 2 * response[m]) - 1) < 1e-9);
        }
        cylinder.permittivity = muscle_permittivity(frequency);
        cylinder_response(&cylinder, k, 30, response);
        assert_true(cabs(1 + 2 * response[0]) < 0.9);
        for (int m = 0; m <= 30; m++) {
            assert_true(cabs(1 + 2 * response[m]) < 1 + 1e-12);
        }
    }
}

/* Where the permittivity is near that of air, the field inside is the field outside, and what is sent is the integral
 * of J_m^2 over the cylinder: T = -(j pi/2) k^2 (eps - 1) times that. */
static void test_weak(void **state)
{
    (void)state;
    enum { RINGS = 2000 };
    const struct cylinder cylinder = {.radius = 0.1, .permittivity = 1.0001};
    const double k = 2 * M_PI * 2e9 / LIGHT;
    double complex response[6];
    cylinder_response(&cylinder, k, 5, response);
    for (int m = 0; m <= 5; m++) {
        double sum = 0;
        for (int n = 0; n < RINGS; n++) {
            const double r = (n + 0.5) * cylinder.radius / RINGS;
            sum += pow(jn(m, k * r), 2) * r * cylinder.radius / RINGS;
        }
        assert_true(cabs(response[m] / (-0.5 * I * M_PI * k * k * 1e-4 * sum) - 1) < 2e-3);
    }
}

/* ---- waves around a point ---------------------------------------------------------------------------------------- */

/* Of a line source at (x, y): coefficients H_m(k d) e^{-jm phi}, by the addition theorem, also around a point beside
 * that of the samples. */
static void test_waves(void **state)
{
    (void)state;
    static const double SOURCE[2] = {-0.7, 0.4}, BESIDE[2] = {0.009, -0.006};
    const double frequency = 2.4e9, k = 2 * M_PI * frequency / LIGHT;
    struct disc disc;
    struct fit fit;
    pw_error error = {""};
    assert_int_equal(disc_make(0.17, 0.02, &disc, &error), PW_OK);
    assert_int_equal(fit_make(&disc, k, &fit, &error), PW_OK);
    const int orders = fit.orders;
    double complex sample[400], wave[99], moved[99];
    double square[2] = {0, 0};
    assert_true(disc.count < 400 && 2 * orders + 1 < 99);
    for (int n = 0; n < disc.count; n++) {
        sample[n] = hankel(
            0, k * hypot(disc.offset[n][0] * disc.pitch - SOURCE[0], disc.offset[n][1] * disc.pitch - SOURCE[1]));
    }
    fit_apply(&fit, &disc, sample, wave);
    fit_check(&fit, &disc, sample, wave, square);
    assert_true(sqrt(square[0] / square[1]) < 1e-4);
    waves_move(&fit, wave, BESIDE[0], BESIDE[1], moved);
    for (int m = -10; m <= 10; m++) {
        const double d = hypot(SOURCE[0], SOURCE[1]), phi = atan2(SOURCE[1], SOURCE[0]),
                     e = hypot(SOURCE[0] - BESIDE[0], SOURCE[1] - BESIDE[1]),
                     psi = atan2(SOURCE[1] - BESIDE[1], SOURCE[0] - BESIDE[0]);
        assert_true(cabs(wave[orders + m] / (hankel(m, k * d) * cexp(-I * (m * phi))) - 1) < 2e-3);
        assert_true(cabs(moved[orders + m] / (hankel(m, k * e) * cexp(-I * (m * psi))) - 1) < 2e-3);
    }
    fit_free(&fit);
    disc_free(&disc);
}

/* Against libm's, from nothing to many wavelengths. */
static void test_bessel(void **state)
{
    (void)state;
    static const double X[] = {0, 1e-12, 1e-6, 0.01, 0.7, 3, 20, 90};
    enum { ORDERS = 30 };
    for (size_t n = 0; n < sizeof X / sizeof *X; n++) {
        double value[ORDERS + 1];
        bessel_fill(X[n], ORDERS, value);
        for (int m = 0; m <= ORDERS; m++) {
            assert_true(fabs(value[m] - jn(m, X[n])) < 1e-12);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_muscle), cmocka_unit_test(test_material),
                                       cmocka_unit_test(test_face),   cmocka_unit_test(test_energy),
                                       cmocka_unit_test(test_weak),   cmocka_unit_test(test_waves),
                                       cmocka_unit_test(test_bessel)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
