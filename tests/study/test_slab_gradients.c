/* Gradients behind an endless wall against the closed form: the line source as plane waves, each with the transmission
 * of ITU-R P.2040 for a slab (A. Sommerfeld's integral), differentiated by permittivity, conductivity and thickness. No
 * difference of solves is in it. */
#include "tests/support/check.h"

#include "planwave.h"

#include <complex.h>
#include <math.h>

static const double LIGHT = 299792458.0, MU = 1.25663706212e-6, EPSILON = 8.8541878128e-12;
static const double ACROSS = 0.55, ALONG = 0.12; /* m, from the transmitter to the receiver */

#define ROOM                                                                                                           \
    "plan:\n"                                                                                                          \
    "  size: [0.9 m, 0.8 m]\n"                                                                                         \
    "  walls: [{from: [0.47 m, 0 m], to: [0.47 m, 0.8 m], thickness: 9 cm, material: {name: slab, "                    \
    "relative_permittivity: 4, conductivity: 0.05 S/m}}]\n"                                                            \
    "grid: {scheme: fd4o, cell: 1.5 cm, courant: 0.4}\n"                                                               \
    "band: {centre: 1 GHz, width: 300 MHz}\n"                                                                          \
    "transmitters: [{name: a, at: [0.2 m, 0.35 m]}]\n"                                                                 \
    "receivers: [{name: b, at: [0.75 m, 0.47 m]}]\n"                                                                   \
    "spectra: {count: 5, spacing: 2 cells}\n"                                                                          \
    "stop: {after: 25 ns, decay: off}\n"

struct slab {
    double value[3]; /* relative permittivity, conductivity [S/m], thickness [m] */
};

/* Of a plane wave with the wave number k_y along the faces, from transmitter to receiver, the wall between them. */
static double complex transmitted(const struct slab *slab, double omega, double complex k_y)
{
    const double k = omega / LIGHT, thickness = slab->value[2];
    const double complex permittivity = slab->value[0] - I * slab->value[1] / (omega * EPSILON),
                         outside = csqrt(k * k - k_y * k_y), inside = csqrt(k * k * permittivity - k_y * k_y),
                         face = (outside - inside) / (outside + inside), once = cexp(-I * inside * thickness);
    return (1 - face * face) * once / (1 - face * face * once * once) * cexp(-I * outside * (ACROSS - thickness)) /
           outside;
}

/* Field over current of the line source: -omega mu / (2 pi) times the integral over k_y from 0 on, over the real axis,
 * below which the waves lie that the slab guides. */
static double complex law(const struct slab *slab, double omega)
{
    enum { PARTS = 4000 };
    const double k = omega / LIGHT, end = 12 * k;
    double complex sum = 0;
    for (int n = 0; n < PARTS; n++) {
        const double t = (n + 0.5) * end / PARTS, over = 0.4 * t * exp(-t / (2 * k)),
                     slope = 0.4 * exp(-t / (2 * k)) * (1 - t / (2 * k));
        const double complex k_y = t + I * over;
        sum += transmitted(slab, omega, k_y) * ccos(k_y * ALONG) * (1 + I * slope) * end / PARTS;
    }
    return -omega * MU / (2 * M_PI) * sum;
}

/* The integral itself, where it is known: without a wall it is Hankel's function. */
static void test_law(void **state)
{
    (void)state;
    const struct slab air = {{1, 0, 0.09}};
    const double omega = 2 * M_PI * 1e9, x = omega / LIGHT * hypot(ACROSS, ALONG);
    const double complex hankel = -omega * MU / 4 * (j0(x) - I * y0(x));
    assert_true(cabs(law(&air, omega) / hankel - 1) < 1e-5);
}

static void test_slab(void **state)
{
    (void)state;
    const struct slab slab = {{4, 0.05, 0.09}};
    pw_parameter parameters[3];
    const pw_gradients_options options = {
        .compute = {.backend = "cpu", .threads = 1}, .parameters = parameters, .parameter_count = 3};
    pw_scenario *scenario = NULL;
    pw_setup *setup = NULL;
    pw_gradients *made = NULL;
    pw_error error = {""};
    for (int p = 0; p < 3; p++) {
        parameters[p] = (pw_parameter){.kind = (pw_parameter_kind)p, .name = "slab"};
    }
    assert_int_equal(pw_scenario_parse("slab.yaml", ROOM, NULL, 0, &scenario, &error), PW_OK);
    assert_int_equal(pw_setup_create(scenario, PW_SINGLE, false, &setup, &error), PW_OK);
    const double forecast = pw_setup_facts(setup).field_error; /* 0.5 % */
    assert_true(forecast < 0.01);
    if (pw_gradients_solve(scenario, &options, &made, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    const double *frequency = pw_gradients_frequencies(made), *h = pw_gradients_response(made, 0, 0);
    for (int p = 0; p < 3; p++) {
        const double *dh = pw_gradients_of_response(made, 0, 0, p);
        double square = 0, all = 0, off = 0;
        for (int f = 0; f < 5; f++) {
            struct slab more = slab, less = slab;
            more.value[p] *= 1 + 1e-4;
            less.value[p] *= 1 - 1e-4;
            const double omega = 2 * M_PI * frequency[f];
            const double complex right = (law(&more, omega) - law(&less, omega)) / 2e-4;
            square += pow(cabs(dh[2 * f] + I * dh[2 * f + 1] - right), 2);
            all += pow(cabs(right), 2);
            off = fmax(off, cabs((h[2 * f] + I * h[2 * f + 1]) / law(&slab, omega) - 1));
        }
        assert_true(off < 2 * forecast); /* as the forecast says of itself */
        assert_true(sqrt(square / all) < 2 * forecast);
    }
    pw_gradients_free(made);
    pw_setup_free(setup);
    pw_scenario_free(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_law), cmocka_unit_test(test_slab)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
