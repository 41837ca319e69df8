/* The weights of material averaging: the moment weight against its refinement equation, the low pass against the waves
 * that it must keep. */
#include "tests/support/shape_scene.h"

#include "medium/averaging_weight.h"

#include <math.h>

/* ---- the weight ---- */

static double integral(double x)
{
    struct averaging_weight weight;
    assert_int_equal(weight_moment(&weight, NULL), PW_OK);
    double value = weight_integral(&weight, x);
    weight_free(&weight);
    return value;
}

static void phi_meets_its_refinement_equation(void **state)
{
    (void)state;
    struct averaging_weight weight;
    assert_int_equal(weight_moment(&weight, NULL), PW_OK);
    for (double x = -3.4; x < 3.4; x += 0.0137) {
        double right = 0.5 * (weight_integral(&weight, 2 * x) +
                              9.0 / 16 * (weight_integral(&weight, 2 * x - 1) + weight_integral(&weight, 2 * x + 1)) -
                              1.0 / 16 * (weight_integral(&weight, 2 * x - 3) + weight_integral(&weight, 2 * x + 3)));
        assert_true(fabs(weight_integral(&weight, x) - right) < 1e-9);
        /* even weight */
        assert_true(fabs(weight_integral(&weight, x) + weight_integral(&weight, -x) - 1) < 1e-12);
        /* partition of unity: the integrals of all shifts over [x, x + 1/3] add to 1/3 */
        double sum = 0;
        for (int i = -8; i <= 8; i++) {
            sum += weight_integral(&weight, x + 1.0 / 3 - i) - weight_integral(&weight, x - i);
        }
        assert_true(fabs(sum - 1.0 / 3) < 1e-12);
    }
    weight_free(&weight);
    /* interpolating, so phi is 1 at 0 and phi(1/2) = 9/16, phi(3/2) = -1/16: slopes of the integral */
    double h = 1.0 / 2048;
    assert_true(fabs((integral(0.5 + h) - integral(0.5 - h)) / (2 * h) - 9.0 / 16) < 1e-5);
    assert_true(fabs((integral(1.5 + h) - integral(1.5 - h)) / (2 * h) + 1.0 / 16) < 1e-5);
}

static void mean_of_the_integral_is_its_mean(void **state)
{
    (void)state;
    struct averaging_weight weights[3] = {weight_box()};
    assert_int_equal(weight_moment(&weights[1], NULL), PW_OK);
    assert_int_equal(weight_sinc(&weights[2], NULL), PW_OK);
    for (int w = 0; w < 3; w++) {
        for (double half = 1e-7; half < 10; half *= 7) {
            for (double x = -3.1; x < 3.1; x += 0.21) {
                double sum = 0;
                enum { POINTS = 20000 };
                for (int n = 0; n < POINTS; n++) {
                    sum += weight_integral(&weights[w], x + half * ((2 * n + 1.0) / POINTS - 1));
                }
                assert_true(fabs(sum / POINTS - weight_integral_mean(&weights[w], x, half)) < 1e-7);
            }
        }
    }
    weight_free(&weights[1]);
    weight_free(&weights[2]);
}

/* ---- band-limited averaging ---- */

/* The node sum of eps g equals the integral of eps g for g within the band, wherever the faces lie: what the low pass
 * is for. */
static void low_pass_keeps_waves(void **state)
{
    (void)state;
    for (double offset = 0; offset < 1; offset += 0.17) {
        struct scene scene;
        scene_start(&scene, 4, 1);
        double x0 = 1.6 + 0.05 * offset, x1 = 2.35 + 0.03 * offset;
        scene_rectangle(&scene, x0, -1, x1, 2, 3, 0);
        scene_raster(&scene, grid_of(81, 3, 0.05, 0, 0.3),
                     AVERAGING_BANDLIMITED);            /* wave_number 0: the low pass alone */
        for (double q = 0; q < 0.55 * M_PI; q += 0.2) { /* rad per cell */
            double sum_re = 0, sum_im = 0, k = q / 0.05;
            for (int i = 0; i < 81; i++) {
                sum_re += 0.05 * (permittivity_at(&scene, i, 1) - 1) * cos(k * 0.05 * i);
                sum_im += 0.05 * (permittivity_at(&scene, i, 1) - 1) * sin(k * 0.05 * i);
            }
            double re = q > 0 ? 2 * (sin(k * x1) - sin(k * x0)) / k : 2 * (x1 - x0);
            double im = q > 0 ? -2 * (cos(k * x1) - cos(k * x0)) / k : 0;
            assert_true(hypot(sum_re - re, sum_im - im) < 2e-3);
        }
        scene_end(&scene);
    }
}

/* The second part: each face brings (k0 cell/pi)^2 times the variance under the low pass. For the ideal low pass the
 * variances of a unit step add up to 1/pi^2 cells. Conductivity is the share of the area, whatever the averaging: never
 * under zero. */
static void faces_bring_their_variance(void **state)
{
    (void)state;
    struct scene scene[2];
    double cell = 0.02, k0 = 2 * M_PI * 2.4e9 / 299792458.0, sum[2] = {0, 0}, loss = 0;
    for (int s = 0; s < 2; s++) {
        scene_start(&scene[s], 4, 1);
        scene_rectangle(&scene[s], 1.6, -1, 2.4, 2, 3.5, 0.03);
        struct raster_grid grid = grid_of(201, 3, cell, 0, 0.3);
        grid.wave_number = s * k0;
        scene_raster(&scene[s], grid, AVERAGING_BANDLIMITED);
        loss = 0;
        for (int i = 0; i < 201; i++) {
            struct medium_entry entry = entry_at(&scene[s], i, 1);
            sum[s] += entry.relative_permittivity;
            loss += entry.conductivity * cell;
            assert_true(entry.conductivity >= 0);
        }
        scene_end(&scene[s]);
    }
    double law = 2 * pow(k0 * cell / M_PI, 2) * 2.5 * 2.5 / (M_PI * M_PI);
    assert_true(fabs((sum[1] - sum[0]) / law - 1) < 0.1);
    assert_true(fabs(loss - 0.03 * 0.8) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(phi_meets_its_refinement_equation),
        cmocka_unit_test(mean_of_the_integral_is_its_mean),
        cmocka_unit_test(low_pass_keeps_waves),
        cmocka_unit_test(faces_bring_their_variance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
