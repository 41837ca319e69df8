/* Maps of several transmitters against the maps of each, and path loss against received power, on the result of a run.
 */
#include "tests/support/check.h"

#include "map/map.h"

#include <math.h>

#include "tests/channel/free_space_result.h"

/* The map of several transmitters is the best of their own maps: of powers and gains the largest, of losses the
 * smallest, and of everything else that of the transmitter with the largest received power. */
static void test_best_of_all(void **state)
{
    (void)state;
    static const pw_quantity quantities[] = {PW_PATH_GAIN, PW_RECEIVED_POWER, PW_PATH_LOSS, PW_RMS_DELAY_SPREAD,
                                             PW_COHERENCE_90};
    pw_result *result = result_get(result_path);
    for (size_t q = 0; q < sizeof quantities / sizeof *quantities; q++) {
        pw_map_options options = pw_map_options_default();
        options.quantity = quantities[q];
        struct map best = map_get(result, options);
        options.transmitter = "best";
        struct map named = map_get(result, options);
        options.transmitter = "left";
        struct map left = map_get(result, options);
        options.transmitter = "right";
        struct map right = map_get(result, options);
        options.quantity = PW_RECEIVED_POWER;
        struct map right_power = map_get(result, options);
        options.transmitter = "left";
        struct map left_power = map_get(result, options);
        assert_int_equal(best.transmitter, -1);
        for (int n = 0; n < best.rows * best.columns; n++) {
            double expected = left_power.value[n] >= right_power.value[n] ? left.value[n] : right.value[n];
            if (quantities[q] == PW_PATH_LOSS) {
                expected = fmin(left.value[n], right.value[n]);
            } else if (quantities[q] == PW_PATH_GAIN) {
                expected = fmax(left.value[n], right.value[n]);
            }
            assert_true(best.value[n] == expected || (isnan(best.value[n]) && isnan(expected)));
            assert_true(named.value[n] == expected || (isnan(named.value[n]) && isnan(expected)));
        }
        struct map *made[] = {&best, &named, &left, &right, &left_power, &right_power};
        for (size_t m = 0; m < sizeof made / sizeof *made; m++) {
            map_free(made[m]);
        }
    }
    pw_result_close(result);
}

/* Path loss is EIRP less received power of an isotropic receiver, whatever the transmitter sends and the receiver
 * gains. */
static void test_path_loss(void **state)
{
    (void)state;
    pw_result *result = result_get(result_path);
    pw_map_options options = pw_map_options_default();
    options.transmitter = "left";
    options.quantity = PW_RECEIVED_POWER;
    struct map power = map_get(result, options);
    options.quantity = PW_PATH_LOSS;
    options.receiver_gain = 7.0;
    struct map loss = map_get(result, options);
    for (int n = 0; n < loss.rows * loss.columns; n++) {
        assert_true(fabs(loss.value[n] - (20.0 - power.value[n])) < 1e-9);
    }
    assert_true(pw_quantity_falls(PW_PATH_LOSS) && !pw_quantity_falls(PW_PATH_GAIN));
    map_free(&power);
    map_free(&loss);
    pw_result_close(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_best_of_all),
        cmocka_unit_test(test_path_loss),
    };
    return cmocka_run_group_tests(tests, run_once, remove_all);
}
