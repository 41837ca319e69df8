/* Scattered waves (channel/diffuse) against laws written down here: Walsh's diffuse reflection of glass, resistances in
 * a row, the balance of power, and the decay of a strip that is fed at its end. */
#include "channel/diffuse/diffuse.h"

#include "tests/support/check.h"

#include <math.h>

enum { COLUMNS = 300, ROWS = 40 };
static const double STEP = 0.1, SPREAD = 1.8, LOSS = 0.15; /* m, m, 1/m */

/* J. W. T. Walsh, 1926: of light from all sides 9.2 % at an index of 1.5, 6.7 % at 4/3. */
static void test_reflection(void **state)
{
    (void)state;
    assert_true(fabs(diffuse_reflection((struct permittivity){2.25, 0.0}) - 0.0918) < 5e-4);
    assert_true(fabs(diffuse_reflection((struct permittivity){16.0 / 9.0, 0.0}) - 0.0667) < 5e-4);
    assert_true(diffuse_reflection((struct permittivity){1.0, 0.0}) < 1e-12);
    assert_true(diffuse_reflection((struct permittivity){1.0, 1e9}) > 0.999);
}

/* Resistances in a row add up; the two faces of a wall each have theirs; metal lets nothing through. */
static void test_exchange(void **state)
{
    (void)state;
    struct diffuse_node nodes[11];
    for (int n = 0; n < 11; n++) {
        nodes[n] = n >= 4 && n < 7 ? (struct diffuse_node){0.5F, 0.0F, 2.0F} : (struct diffuse_node){2.0F, 0.0F, 0.0F};
    }
    assert_true(fabs(1.0 / diffuse_exchange(nodes, 11, 1, 0.01) - (0.07 / 2.0 + 0.03 / 0.5 + 2 * 2.0)) < 1e-9);
    assert_true(fabs(1.0 / diffuse_exchange(nodes, 3, 1, 0.01) - 0.02 / 2.0) < 1e-9);
    assert_true(fabs(1.0 / diffuse_exchange(nodes, 3, 5, 0.01) - (0.01 / 2.0 + 0.01 / 0.5 + 2 * 2.0)) < 1e-9);
    nodes[5].spread = 0.0F;
    assert_true(diffuse_exchange(nodes, 11, 1, 0.01) == 0.0);
}

static void test_balance(void **state)
{
    (void)state;
    static double loss[ROWS * COLUMNS], exchange[ROWS * COLUMNS], source[ROWS * COLUMNS], density[ROWS * COLUMNS];
    const struct diffuse_floor floor = {ROWS, COLUMNS, STEP, loss, exchange, exchange};
    pw_error error = {{0}};
    for (int n = 0; n < ROWS * COLUMNS; n++) {
        loss[n] = LOSS;
        exchange[n] = SPREAD / (STEP * STEP);
        source[n] = n % COLUMNS == 0 ? 1.0 : 0.0;
    }
    /* Fed along one end: q step L/D exp(-x/L), L = sqrt(D/m), alike in all rows. */
    assert_int_equal(diffuse_solve(&floor, source, density, &error), PW_OK);
    const double reach = sqrt(SPREAD / LOSS);
    for (int n = 0; n < ROWS * COLUMNS; n += 7) {
        const double x = n % COLUMNS * STEP;
        const double law = STEP * reach / SPREAD * exp(-x / reach);
        assert_true(x > 15.0 || fabs(density[n] / law - 1.0) < 0.02);
    }
    /* Whatever the plan, what is lost is what was fed. */
    for (int n = 0; n < ROWS * COLUMNS; n++) {
        loss[n] = 0.1 + 0.05 * (n % 7);
        exchange[n] = n % 11 == 0 ? 0.0 : 5.0 * (1 + n % 13);
        source[n] = n % 17 == 0 ? 1.0 + n % 5 : 0.0;
    }
    assert_int_equal(diffuse_solve(&floor, source, density, &error), PW_OK);
    double fed = 0.0, lost = 0.0;
    for (int n = 0; n < ROWS * COLUMNS; n++) {
        fed += source[n];
        lost += loss[n] * density[n];
        assert_true(density[n] > 0.0);
    }
    assert_true(fabs(lost / fed - 1.0) < 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reflection),
        cmocka_unit_test(test_exchange),
        cmocka_unit_test(test_balance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
