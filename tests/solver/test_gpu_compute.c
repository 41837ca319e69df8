/* Simulations of one process on different devices at the same time: two where there are two, else the first twice; and
 * beside them one in two parts on both, and one on the CPU. Each has the bits that it has alone, and is on the device
 * that it was given. Skipped, with a line that says so and status 0, where no GPU works. */
#include "tests/support/computed.h"
#include "tests/support/gpu/gpu_works.h"

static pw_scenario *scenario;
static pw_setup *setup;

static void test_same_bits_at_the_same_time(void **state)
{
    (void)state;
    const int second = pw_device_count() > 1 ? 1 : 0;
    print_message("devices 0 and %d\n", second);
    const struct compute things[] = {{.backend = &backend_cpu, .threads = 1},
                                     {.backend = &backend_cuda},
                                     {.backend = &backend_cuda, .count = 1, .number = {second}},
                                     {.backend = &backend_cuda, .count = 2, .number = {0, second}},
                                     {.backend = &backend_cuda, .count = 2, .number = {second, 0}}};
    computed_compare(setup, things, 5);
}

static void test_each_is_where_it_belongs(void **state)
{
    (void)state;
    pw_error error = {{0}};
    for (int d = pw_device_count() - 1; d >= 0; d--) {
        pw_simulation *simulation = NULL;
        const pw_compute compute = {.backend = "cuda", .device_count = 1, .devices = {d}};
        assert_ok(pw_simulation_create(setup, &compute, 0, 1, &simulation, &error));
        assert_int_equal(simulation->stepper->device, d);
        pw_simulation_free(simulation);
        assert_ok(pw_simulation_create(setup, &(pw_compute){.backend = "cuda"}, 0, 1, &simulation, &error));
        assert_int_equal(simulation->stepper->device, 0);
        pw_simulation_free(simulation);
    }
    const int none = pw_device_count();
    assert_int_equal(pw_compute_check(&(pw_compute){.device_count = 1, .devices = {none}}, &error), PW_NO_RESOURCE);
    assert_non_null(strstr(error.message, "there is none of number"));
}

int main(void)
{
    pw_error error = {{0}};
    if (!gpu_works()) {
        return 0;
    }
    assert_ok(pw_scenario_parse("test", COMPUTED_SCENARIO, NULL, 0, &scenario, &error));
    assert_ok(pw_setup_create(scenario, PW_SINGLE, false, &setup, &error));
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits_at_the_same_time),
                                       cmocka_unit_test(test_each_is_where_it_belongs)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    pw_setup_free(setup);
    pw_scenario_free(scenario);
    return failed;
}
