/* The law of the mirror, which three dimensions put metal at its place by. */
#include "tests/support/shape_scene.h"

#include "medium/metal/mirror_law.h"

#include <math.h>
#include <stdlib.h>

static void mirror_law_of_yee_is_the_slope(void **state)
{
    (void)state;
    struct stencil stencil = stencil_get(SCHEME_YEE, &STENCIL_USUAL_BAND);
    struct mirror_law law = mirror_law_of(&stencil, 0);
    assert_true(fabs(law.place - 1) < 1e-12 && fabs(law.compliance - 1) < 1e-12);
    for (double f = 1; f < 9; f += 0.37) {
        assert_true(fabs(mirror_stiffness(&law, f) - (1 - 1 / f)) < 1e-12);
    }
    assert_true(mirror_stiffness(&law, 0.5) == 0);
    assert_true(fabs(mirror_stiffness(&law, INFINITY) - 1) < 1e-12);
}

/* Before it there is sin (turn (p + f)) at node -p, as before metal f cells beyond node 0, to which node 1 adds
 * nothing: for yee sin(turn (f - 1))/sin(turn f), and no less than the static law. */
static void mirror_law_of_yee_is_that_of_waves(void **state)
{
    (void)state;
    struct stencil stencil = stencil_get(SCHEME_YEE, &STENCIL_USUAL_BAND);
    const double turn = 0.7;
    struct mirror_law law = mirror_law_of(&stencil, turn);
    for (double f = 1; f < M_PI_2 / turn; f += 0.1) {
        double expected = sin(turn * (f - 1)) / sin(turn * f);
        assert_true(fabs(mirror_stiffness(&law, f) - fmax(expected, 1 - 1 / f)) < 1e-9);
        assert_true(expected >= 1 - 1 / f);
    }
    assert_true(fabs(mirror_stiffness(&law, INFINITY) - 1) < 1e-12);
}

static void planes_are_as_many_as_stop_a_wave(void **state)
{
    (void)state;
    static const int planes[SCHEME_COUNT] = {[SCHEME_YEE] = 1, [SCHEME_DD2] = 3, [SCHEME_DD3] = 4, [SCHEME_DD4] = 5,
                                             [SCHEME_FD4] = 2, [SCHEME_FD6] = 3, [SCHEME_FD8] = 3, [SCHEME_FD4O] = 2};
    for (int s = 0; s < SCHEME_COUNT; s++) {
        struct stencil stencil = stencil_get((enum scheme)s, &STENCIL_USUAL_BAND);
        assert_int_equal(metal_planes(&stencil), planes[s]);
    }
}

/* Mean square displacement over a band and all places, by sums. */
static double displacement(double slack, double half_band)
{
    double sum = 0;
    int count = 0;
    for (int p = 0; p < 1000; p++) {
        double place = (p + 0.5) / 1000 - slack; /* of the metal beyond where the mirror stands by itself */
        for (int b = 0; b < 20; b++, count++) {
            double detuning = 2 * half_band * ((b + 0.5) / 10 - 1);
            sum += pow(place < 0 ? place : place * (1 + place) * detuning, 2);
        }
    }
    return sum / count;
}

static void mirror_slack_is_the_best(void **state)
{
    (void)state;
    assert_true(mirror_slack(0) < 1e-9);
    assert_true(mirror_slack(0.5) == 0.5 && mirror_slack(2) == 0.5);
    for (double half_band = 0.05; half_band < 0.45; half_band += 0.1) {
        double slack = mirror_slack(half_band), here = displacement(slack, half_band);
        assert_true(here <= displacement(slack - 0.05, half_band) && here <= displacement(slack + 0.05, half_band));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mirror_law_of_yee_is_the_slope),
        cmocka_unit_test(mirror_law_of_yee_is_that_of_waves),
        cmocka_unit_test(planes_are_as_many_as_stop_a_wave),
        cmocka_unit_test(mirror_slack_is_the_best),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
