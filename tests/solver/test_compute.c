/* Simulations of one process that are computed on different things (backend/compute.h): backends, numbers of threads,
 * parts. Each has the bits that it has alone, and none is touched by what another was given. Leaves out: devices
 * (test_gpu_compute.c). */
#include "tests/support/computed.h"

static pw_scenario *scenario;
static pw_setup *setup;

static int begin(void **state)
{
    pw_error error = {{0}};
    (void)state;
    assert_ok(pw_scenario_parse("test", COMPUTED_SCENARIO, NULL, 0, &scenario, &error));
    assert_ok(pw_setup_create(scenario, PW_SINGLE, false, &setup, &error));
    return 0;
}

static int end(void **state)
{
    (void)state;
    pw_setup_free(setup);
    pw_scenario_free(scenario);
    return 0;
}

static void test_same_bits_at_the_same_time(void **state)
{
    (void)state;
    const struct compute things[] = {{.backend = &backend_reference},
                                     {.backend = &backend_cpu, .threads = 1},
                                     {.backend = &backend_cpu, .threads = 2},
                                     {.backend = &backend_cpu, .threads = 1, .count = 2},
                                     {.backend = &backend_cpu, .threads = 2, .count = 3}};
    computed_compare(setup, things, 5);
}

/* What the text of a refusal says, and that a simulation that comes later knows nothing of it. */
static void refuse(const pw_compute *compute, pw_status status, const char *said)
{
    pw_error error = {{0}};
    pw_simulation *simulation = NULL;
    assert_int_equal(pw_simulation_create(setup, compute, 0, 1, &simulation, &error), status);
    if (strstr(error.message, said) == NULL) {
        fail_msg("'%s' is not in '%s'", said, error.message);
    }
    assert_ok(pw_simulation_create(setup, NULL, 0, 1, &simulation, &error));
    assert_int_equal(simulation->compute.count, 0);
    assert_true(simulation->compute.memory == 0);
    pw_simulation_free(simulation);
}

static void test_refusals_stay_their_own(void **state)
{
    (void)state;
    refuse(&(pw_compute){.backend = "abacus"}, PW_NO_RESOURCE, "abacus");
    refuse(&(pw_compute){.backend = "cpu", .device_count = 1}, PW_USAGE, "'cpu'");
    refuse(&(pw_compute){.backend = "cpu", .device_memory = 1000}, PW_USAGE, "'cpu'");
    refuse(&(pw_compute){.backend = "cpu", .device_count = -1}, PW_USAGE, "devices");
    refuse(&(pw_compute){.backend = "cpu", .threads = -2}, PW_USAGE, "-2 threads");
    refuse(&(pw_compute){.backend = "cpu", .cut = "2x2"}, PW_USAGE, "2x2");
    pw_error error = {{0}};
    assert_int_equal(pw_compute_check(&(pw_compute){.device_count = PW_DEVICE_LIMIT + 1}, &error), PW_USAGE);
    assert_int_equal(pw_compute_check(&(pw_compute){.device_count = 2, .device_memory = 1000}, &error), PW_USAGE);
    assert_int_equal(pw_compute_check(&(pw_compute){.device_count = 1, .devices = {999}}, &error), PW_NO_RESOURCE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits_at_the_same_time),
                                       cmocka_unit_test(test_refusals_stay_their_own)};
    return cmocka_run_group_tests(tests, begin, end);
}
