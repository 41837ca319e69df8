/* Gradients by the CUDA backend are those of the CPU: bit by bit in single precision, in double within rounding.
 * Skipped, with a line that says so and status 0, where no GPU works. */
#include "tests/study/gradient_plans.h"
#include "tests/support/gpu/gpu_works.h"

#include <math.h>

static pw_gradients *gradients_by(const char *backend, const char *plan, const char *grid, const char *const *names,
                                  int parameter_count, pw_precision precision)
{
    pw_parameter parameters[PARAMETER_COUNT];
    pw_gradients *made = NULL;
    pw_error error = {""};
    pw_scenario *scenario = scenario_of(plan, grid);
    for (int p = 0; p < parameter_count; p++) {
        assert_int_equal(pw_parameter_parse(names[p], &parameters[p], &error), PW_OK);
    }
    const pw_gradients_options options = {.compute = {.backend = backend},
                                          .precision = precision,
                                          .parameters = parameters,
                                          .parameter_count = parameter_count};
    if (pw_gradients_solve(scenario, &options, &made, &error) != PW_OK) {
        fail_msg("%s, %s: %s", backend, grid, error.message);
    }
    pw_scenario_free(scenario);
    return made;
}

/* Largest difference of the derivatives of H of all links to all parameters, relative to the largest of its link. */
static void compare(const char *plan, const char *grid, const char *const *names, int parameter_count,
                    pw_precision precision, double most)
{
    pw_gradients *cpu = gradients_by("cpu", plan, grid, names, parameter_count, precision),
                 *cuda = gradients_by("cuda", plan, grid, names, parameter_count, precision);
    double worst = 0;
    for (int at = 0; at < LINKS * parameter_count; at++) {
        const int link = at / parameter_count, p = at % parameter_count;
        const double *right = pw_gradients_of_response(cpu, link / 2, link % 2, p),
                     *got = pw_gradients_of_response(cuda, link / 2, link % 2, p);
        double size = 0, error = 0;
        for (int f = 0; f < 2 * FREQUENCIES; f++) {
            size = fmax(size, fabs(right[f]));
            error = fmax(error, fabs(got[f] - right[f]));
        }
        worst = fmax(worst, size > 0 ? error / size : error);
    }
    print_message("%-40s %s %.1e\n", grid, precision == PW_SINGLE ? "single" : "double", worst);
    assert_true(worst <= most);
    pw_gradients_free(cuda);
    pw_gradients_free(cpu);
}

static void test_single(void **state)
{
    (void)state;
    compare(ROOM, "scheme: yee, averaging: area", PARAMETERS, 4, PW_SINGLE, 0);
    compare(ROOM, "scheme: dd4, averaging: moment", PARAMETERS, 4, PW_SINGLE, 0);
    compare(ROOM, "scheme: fd4o", PARAMETERS, PARAMETER_COUNT, PW_SINGLE, 0);
    compare(LAYER, "scheme: fd4o", PARAMETERS, PARAMETER_COUNT, PW_SINGLE, 0);
    compare(SPACE, "scheme: fd4o", IN_SPACE, 4, PW_SINGLE, 0);
    compare(SPACE, "scheme: yee, absorber: {kind: cpml, cells: 6}", IN_SPACE, 4, PW_SINGLE, 0);
}

static void test_double(void **state)
{
    (void)state;
    compare(ROOM, "scheme: fd4o", PARAMETERS, PARAMETER_COUNT, PW_DOUBLE, 1e-11);
    compare(LAYER, "scheme: fd4o", PARAMETERS, PARAMETER_COUNT, PW_DOUBLE, 1e-11);
    compare(SPACE, "scheme: fd4o", IN_SPACE, 4, PW_DOUBLE, 1e-11);
}

int main(void)
{
    if (!gpu_works()) {
        return 0;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_single), cmocka_unit_test(test_double)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
