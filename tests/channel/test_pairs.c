/* All pairs of transmitters and places at once: the same channels as one by one, in free space those of Friis, and the
 * file in the shapes that Sionna documents. */
#include "tests/support/check.h"

#include "channel/pairs.h"

#include <complex.h>
#include <hdf5.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "tests/channel/free_space_result.h"

static const double c0 = 299792458.0;

/* More places than a group holds, in no order of the file, and a receiver between them. */
enum { POINTS = 150, PLACES = POINTS + 1, TRANSMITTERS = 2, FREQUENCIES = 48, TAPS = 48 };

static void places_make(pw_place places[PLACES])
{
    for (int p = 0; p < PLACES; p++) {
        places[p] = (pw_place){.x = 0.06 * (p * 17 % 41), .y = 0.06 * (p * 7 % 31)};
    }
    places[77] = (pw_place){.receiver = "probe"};
}

/* Arrays of all pairs. */
struct arrays {
    double frequency[FREQUENCIES], position[PLACES][2];
    double complex a[PLACES][TRANSMITTERS][TAPS], response[PLACES][TRANSMITTERS][FREQUENCIES];
    double tau[PLACES][TRANSMITTERS][TAPS];
    pw_metrics metrics[PLACES][TRANSMITTERS];
};

static struct arrays *arrays_get(const pw_result *result, const pw_pairs_options *options)
{
    struct arrays *arrays = calloc(1, sizeof *arrays);
    pw_pairs_shape shape;
    pw_error error = {""};
    assert_non_null(arrays);
    assert_int_equal(pw_pairs_describe(result, options, &shape, &error), PW_OK);
    assert_int_equal(shape.receiver_count, PLACES);
    assert_int_equal(shape.transmitter_count, TRANSMITTERS);
    assert_int_equal(shape.tap_count, TAPS);
    assert_int_equal(shape.frequency_count, FREQUENCIES);
    const pw_pairs pairs = {.frequency = arrays->frequency,
                            .position = arrays->position[0],
                            .coefficient = (double *)arrays->a,
                            .delay = arrays->tau[0][0],
                            .response = (double *)arrays->response,
                            .metrics = arrays->metrics[0]};
    if (pw_pairs_compute(result, options, &pairs, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    return arrays;
}

/* Every pair is the channel that pw_channel_create makes, and its taps sum to its response. */
static void test_same_as_one_by_one(void **state)
{
    (void)state;
    static const char *const names[TRANSMITTERS] = {"left", "right"};
    pw_result *result = result_get(result_path);
    pw_place places[PLACES];
    places_make(places);
    pw_pairs_options options = pw_pairs_options_default();
    options.places = places;
    options.place_count = PLACES;
    struct arrays *all = arrays_get(result, &options);
    double centre = 1e9;
    for (int p = 0; p < PLACES; p += 7) {
        for (int t = 0; t < TRANSMITTERS; t++) {
            pw_channel *channel = NULL;
            double complex one[FREQUENCIES];
            const double at[2] = {places[p].x, places[p].y};
            assert_int_equal(pw_channel_create(result, names[t], places[p].receiver,
                                               places[p].receiver == NULL ? at : NULL, NULL, &channel, NULL),
                             PW_OK);
            assert_int_equal(pw_channel_response(channel, NULL, (double *)one, NULL), PW_OK);
            pw_metrics metrics = pw_channel_metrics(channel);
            pw_channel_facts facts = pw_channel_describe(channel);
            for (int f = 0; f < FREQUENCIES; f++) {
                double complex sum = 0.0, here = all->response[p][t][f];
                for (int n = 0; n < TAPS; n++) {
                    sum += all->a[p][t][n] * cexp(-I * 2.0 * M_PI * (all->frequency[f] - centre) * all->tau[p][t][n]);
                }
                assert_true(cabs(here - one[f]) < 1e-10 * cabs(one[f]));
                assert_true(cabs(here - sum) < 1e-10 * cabs(one[f]));
            }
            assert_true(all->metrics[p][t].path_loss_db == metrics.path_loss_db);
            assert_true(all->metrics[p][t].received_power_dbm == metrics.received_power_dbm);
            assert_true(all->position[p][0] == facts.x && all->position[p][1] == facts.y);
            pw_channel_free(channel);
        }
    }
    assert_true(all->position[77][0] == 2.1 && all->position[77][1] == 1.2);
    free(all);
    pw_result_close(result);
}

/* In free space |H| is the Friis amplitude, and its phase the flight over the distance. */
static void test_friis(void **state)
{
    (void)state;
    pw_result *result = result_get(result_path);
    pw_place places[PLACES];
    places_make(places);
    pw_pairs_options options = pw_pairs_options_default();
    options.places = places;
    options.place_count = PLACES;
    options.channel.spreading = PW_SPREADING_DISTANCE;
    struct arrays *all = arrays_get(result, &options);
    for (int p = 0; p < PLACES; p++) {
        for (int t = 0; t < TRANSMITTERS; t++) {
            double r = hypot(all->position[p][0] - (t == 0 ? 0.6 : 1.8), all->position[p][1] - 0.9);
            for (int f = 0; f < FREQUENCIES && r > 0.6; f++) {
                double frequency = all->frequency[f];
                double complex friis = c0 / (4.0 * M_PI * 1e9 * r) * cexp(-I * 2.0 * M_PI * frequency * r / c0);
                assert_true(cabs(all->response[p][t][f] / friis - 1.0) < 0.03);
            }
        }
    }
    free(all);
    pw_result_close(result);
}

static void shape_check(hid_t file, const char *name, int rank, const hsize_t *expected)
{
    hsize_t extent[8];
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(dataset);
    assert_int_equal(H5Sget_simple_extent_dims(space, extent, NULL), rank);
    assert_memory_equal(extent, expected, (size_t)rank * sizeof *extent);
    H5Sclose(space);
    H5Dclose(dataset);
}

/* As Paths.cir() has it, and with the batch of Sionna's PHY; the numbers are those of the arrays. */
static void test_file(void **state)
{
    (void)state;
    pw_result *result = result_get(result_path);
    pw_place places[PLACES];
    places_make(places);
    pw_pairs_options options = pw_pairs_options_default();
    options.places = places;
    options.place_count = PLACES;
    struct arrays *all = arrays_get(result, &options);
    for (int batch = 0; batch < 2; batch++) {
        char path[96], csv[96];
        snprintf(path, sizeof path, "%s/pairs%d.h5", folder, batch);
        snprintf(csv, sizeof csv, "%s/pairs%d.csv", folder, batch);
        options.batch = batch == 1;
        pw_error error = {""};
        if (pw_pairs_write(result, &options, path, csv, NULL, &error) != PW_OK) {
            fail_msg("%s", error.message);
        }
        hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
        assert_true(file >= 0);
        const hsize_t a[] = {1, PLACES, 1, TRANSMITTERS, 1, TAPS, 1}, tau[] = {1, PLACES, TRANSMITTERS, TAPS};
        const hsize_t response[] = {PLACES, 1, TRANSMITTERS, 1, FREQUENCIES};
        shape_check(file, "a", 6 + batch, a + 1 - batch);
        shape_check(file, "tau", 3 + batch, tau + 1 - batch);
        shape_check(file, "H", 5, response);
        static float complex values[PLACES][TRANSMITTERS][TAPS];
        hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(float complex)), dataset = H5Dopen2(file, "a", H5P_DEFAULT);
        H5Tinsert(type, "r", 0, H5T_NATIVE_FLOAT);
        H5Tinsert(type, "i", sizeof(float), H5T_NATIVE_FLOAT);
        assert_true(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
        for (int p = 0; p < PLACES; p++) {
            for (int n = 0; n < TRANSMITTERS * TAPS; n++) {
                int t = n / TAPS, tap = n % TAPS;
                assert_true(values[p][t][tap] == (float complex)all->a[p][t][tap]);
            }
        }
        H5Dclose(dataset);
        H5Tclose(type);
        H5Fclose(file);
        FILE *text = fopen(csv, "r");
        char line[512];
        int lines = 0;
        while (fgets(line, sizeof line, text) != NULL) {
            lines += line[0] == '"';
        }
        assert_int_equal(lines, PLACES * TRANSMITTERS);
        fclose(text);
    }
    free(all);
    pw_result_close(result);
}

static void test_refused(void **state)
{
    (void)state;
    pw_result *result = result_get(result_path);
    pw_pairs_options options = pw_pairs_options_default();
    pw_pairs_shape shape;
    pw_error error = {""};
    assert_int_equal(pw_pairs_describe(result, NULL, &shape, &error), PW_OK); /* all receivers of all transmitters */
    assert_true(shape.receiver_count == 1 && shape.transmitter_count == TRANSMITTERS);
    pw_place place = {.x = 40.0, .y = 1.0};
    options.places = &place;
    options.place_count = 1;
    assert_int_equal(pw_pairs_describe(result, &options, &shape, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, "(40, 1) m is outside"));
    place = (pw_place){.receiver = "nobody"};
    char path[96];
    snprintf(path, sizeof path, "%s/none.h5", folder);
    assert_int_equal(pw_pairs_write(result, &options, path, NULL, NULL, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, "nobody"));
    assert_int_equal(access(path, F_OK), -1);
    pw_result_close(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_one_by_one),
        cmocka_unit_test(test_friis),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, run_once, remove_all);
}
