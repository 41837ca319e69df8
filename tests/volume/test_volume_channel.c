/* Channels and maps of results in three dimensions against closed forms: a Hertzian dipole in free space obeys Friis,
 * polarisations add up, a field that does not change with the height gives the same map at every height. */
#include "base/constants.h"
#include "tests/result/result_files.h"

#include "tests/result/volume_made.h"
#include "tests/volume/dipole.h"

#include "api/map.h"
#include "api/pairs.h"

/* What fd4 on cells of 10 cm turns the field by over the straight line, which links take off again. */
static double complex grid_turn(const double way[3], double frequency)
{
    const double cell = 0.1, time_step = 9e-11, distance = sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
    const struct stencil stencil = stencil_get(SCHEME_FD4, &(struct stencil_band){speed / (8.68e8 * cell), 0.23, 3});
    const double direction[3] = {way[0] / distance, way[1] / distance, way[2] / distance};
    const double stepped = 2 * sin(M_PI * frequency * time_step) / (speed * time_step);
    const double along = stencil_wave_number_along(&stencil, cell, stepped, direction);
    return cexp(-I * (along - 2 * M_PI * frequency / speed) * distance);
}

static double complex dipole_field(int run, int component, const double at[3], double frequency)
{
    static const double place[2][3] = {{0.4, 1.4, 1.05}, {2.8, 0.4, 0.75}}, along[2][3] = {{0, 0, 1}, {1, 0, 0}};
    const double r[3] = {at[0] - place[run][0], at[1] - place[run][1], at[2] - place[run][2]};
    return grid_turn(r, frequency) * dipole_component(along[run], r, component, frequency);
}

/* Nothing changes along z. */
static double complex flat_field(int run, int component, const double at[3], double frequency)
{
    double k = 2 * M_PI * frequency / speed;
    (void)component;
    return (2 + run) * (cexp(-I * k * at[0]) + 0.5 * cexp(-I * k * at[1]));
}

static int both_write(void **state)
{
    struct volume_made made;
    pw_error error = {""};
    if (folder_create(state) != 0) {
        return -1;
    }
    pw_status status = PW_OK;
    for (int n = 0; n < 2 && status == PW_OK; n++) {
        volume_made_create(&made, PW_DOUBLE, n == 0 ? dipole_field : flat_field);
        status = volume_made_write(&made, n == 0 ? path : other, &error);
        volume_made_free(&made);
    }
    if (status != PW_OK) {
        print_error("%s\n", error.message);
    }
    return status == PW_OK ? 0 : -1;
}

static double free_space_dbm(double eirp, double gain, double centre, double distance)
{
    return eirp + gain + 20 * log10(speed / (4 * M_PI * centre * distance));
}

static pw_channel *channel_get(const pw_result *result, const char *receiver, const double *at, pw_component component)
{
    pw_channel_options options = pw_channel_options_default();
    options.component = component;
    pw_channel *channel = NULL;
    pw_error error = {""};
    if (pw_channel_create(result, "mast", receiver, at, &options, &channel, &error) != PW_OK) {
        complain("%s", error.message);
    }
    return channel;
}

static void received_power_is_that_of_friis(void **state)
{
    (void)state;
    pw_result *result = open_made(path);
    pw_channel *channel = channel_get(result, "seat_1", NULL, PW_COMPONENT_OWN);
    pw_metrics metrics = pw_channel_metrics(channel);
    pw_channel_facts facts = pw_channel_describe(channel);
    assert_true(fabs(metrics.distance - 1.6) < 1e-9 && fabs(facts.height - 1.05) < 1e-12);
    double expected = free_space_dbm(20, 3, facts.centre, 1.6);
    assert_true(fabs(metrics.received_power_dbm - expected) < 0.01);
    double delay[8], amplitude[16];
    assert_int_equal(facts.path_count, 1);
    pw_channel_paths(channel, delay, amplitude, NULL);
    assert_true(fabs(delay[0] - 1.6 / SPEED_OF_LIGHT) < 0.05e-9); /* the grid's own phase on the way is taken off */
    pw_channel_free(channel);
    /* At a point of the sheet, without the receiver's gain. */
    const double at[2] = {2.8, 1.4};
    channel = channel_get(result, NULL, at, PW_COMPONENT_OWN);
    metrics = pw_channel_metrics(channel);
    facts = pw_channel_describe(channel);
    assert_string_equal(facts.name, "point (2.800, 1.400, 1.050) m");
    assert_true(fabs(metrics.received_power_dbm - free_space_dbm(20, 0, facts.centre, 2.4)) < 0.01);
    pw_channel_free(channel);
    pw_result_close(result);
}

/* In the plane of the dipole there is Ez alone: an antenna aslant takes in 0.64 of its power, and 0.36 is across it. */
static void polarisations_add_up(void **state)
{
    (void)state;
    pw_result *result = open_made(path);
    pw_channel *upright = channel_get(result, "seat_2", NULL, PW_COMPONENT_EZ);
    pw_channel *aslant = channel_get(result, "seat_2", NULL, PW_COMPONENT_OWN);
    double gain = pw_channel_metrics(upright).path_gain_db;
    assert_true(fabs(gain + 20 * log10(0.6)) < 0.05);
    assert_true(pw_channel_metrics(upright).cross_polar_db < -20); /* Ex is taken half a cell lower */
    assert_true(fabs(pw_channel_metrics(aslant).path_gain_db - gain - 20 * log10(0.8)) < 0.9);
    pw_channel_free(upright);
    pw_channel_free(aslant);
    pw_channel *channel = NULL;
    pw_error error = {""};
    pw_channel_options options = pw_channel_options_default();
    options.component = PW_COMPONENT_TOTAL;
    assert_int_equal(pw_channel_create(result, NULL, "seat_1", NULL, &options, &channel, &error), PW_USAGE);
    assert_non_null(strstr(error.message, "one component"));
    pw_result_close(result);
}

/* What is not along the polarisation is across it. */
static void cross_polar_ratio_is_what_is_left(void **state)
{
    (void)state;
    pw_result *result = open_made(other);
    pw_channel *aslant = channel_get(result, "seat_2", NULL, PW_COMPONENT_OWN);
    pw_channel *upright = channel_get(result, "seat_2", NULL, PW_COMPONENT_EZ);
    /* Each component is that of its own cell: Ex half a cell further along x, Ey along y. */
    double total = 0, own = 0, ez = 0;
    for (int f = 0; f < VOLUME_FREQUENCIES; f++) {
        const double places[3][3] = {{1.05, 1.4, 0}, {1.0, 1.45, 0}, {1.0, 1.4, 0}};
        double complex e[3],
            unit = dipole_component((double[]){0, 0, 1}, (double[]){1e4, 0, 0}, 2, result->frequency[f]);
        for (int c = 0; c < 3; c++) {
            e[c] = flat_field(0, c, places[c], result->frequency[f]) / unit;
            total += cabs(e[c]) * cabs(e[c]);
        }
        own += pow(cabs(0.6 * e[0] + 0.8 * e[2]), 2);
        ez += pow(cabs(e[2]), 2);
    }
    double step = pw_channel_metrics(aslant).path_gain_db - pw_channel_metrics(upright).path_gain_db;
    assert_true(fabs(step - 10 * log10(own / ez)) < 0.05);
    assert_true(fabs(pw_channel_metrics(aslant).cross_polar_db - 10 * log10((total - own) / own)) < 0.05);
    assert_true(fabs(pw_channel_metrics(upright).cross_polar_db - 10 * log10((total - ez) / ez)) < 0.05);
    pw_channel_free(aslant);
    pw_channel_free(upright);
    pw_result_close(result);
}

static void nothing_is_spread(void **state)
{
    (void)state;
    pw_result *result = open_made(path);
    pw_channel_options options = pw_channel_options_default();
    pw_channel *channel = NULL;
    pw_error error = {""};
    for (int mode = PW_SPREADING_DISTANCE; mode <= PW_SPREADING_DELAY; mode++) {
        options.spreading = (pw_spreading)mode;
        assert_int_equal(pw_channel_create(result, NULL, "seat_1", NULL, &options, &channel, &error), PW_USAGE);
        assert_non_null(strstr(error.message, "solved in three"));
    }
    options.spreading = PW_SPREADING_NONE;
    assert_int_equal(pw_channel_create(result, NULL, "seat_1", NULL, &options, &channel, &error), PW_OK);
    pw_channel_free(channel);
    pw_result_close(result);
}

/* The map of a sheet into `values`, which hold 17 x 15 cells. */
static pw_map_shape map_get(pw_result *result, int sheet, pw_component component, double *values)
{
    pw_map_options options = pw_map_options_default();
    pw_map_shape shape;
    pw_error error = {""};
    options.transmitter = "mast";
    options.channel.component = component;
    if (pw_result_sheet_choose(result, sheet, &error) != PW_OK ||
        pw_map_describe(result, &options, &shape, &error) != PW_OK ||
        pw_map_compute(result, &options, values, NULL, &error) != PW_OK) {
        complain("%s", error.message);
    }
    return shape;
}

/* Path gain of the dipole: sin^4 of the angle to it for Ez, sin^2 for all components together, over the distance
 * squared. */
static void maps_have_the_pattern_of_the_dipole(void **state)
{
    (void)state;
    double values[17 * 15];
    pw_result *result = open_made(path);
    for (int n = 0; n < 3; n++) {
        pw_component component = n == 2 ? PW_COMPONENT_TOTAL : PW_COMPONENT_OWN;
        pw_map_shape shape = map_get(result, n == 1 ? 3 : 2, component, values);
        double z = n == 1 ? 1.65 : 1.05;
        for (int row = 0; row < shape.rows; row++) {
            for (int column = 0; column < shape.columns; column++) {
                double x = shape.x0 + column * shape.pitch_x - 0.4, y = shape.y0 + row * shape.pitch_y - 1.4;
                double d2 = x * x + y * y + (z - 1.05) * (z - 1.05), sine2 = (x * x + y * y) / d2;
                double expected = 10 * log10((n == 2 ? sine2 : sine2 * sine2) / d2);
                if (d2 > 1.5 && sine2 > 0.5) {
                    assert_true(fabs(values[row * shape.columns + column] - expected) < 0.15);
                }
            }
        }
    }
    pw_result_close(result);
}

static void a_field_without_height_has_one_map(void **state)
{
    (void)state;
    double low[17 * 15], high[17 * 15];
    pw_result *result = open_made(other);
    pw_map_shape shape = map_get(result, 2, PW_COMPONENT_OWN, low);
    map_get(result, 3, PW_COMPONENT_OWN, high);
    assert_memory_equal(low, high, (size_t)shape.rows * (size_t)shape.columns * sizeof *low);
    /* Along a cut at y = 1.4 m every row is the same one, that of the plane. */
    pw_map_shape cut = map_get(result, 4, PW_COMPONENT_OWN, high);
    assert_int_equal(cut.columns, shape.columns);
    for (int row = 0; row < cut.rows; row++) {
        for (int column = 0; column < cut.columns; column++) {
            assert_true(fabs(high[row * cut.columns + column] - low[7 * shape.columns + column]) < 1e-9);
        }
    }
    pw_result_close(result);
}

static void delays_have_no_total(void **state)
{
    (void)state;
    pw_result *result = open_made(path);
    pw_map_options options = pw_map_options_default();
    pw_map_shape shape;
    pw_error error = {""};
    options.quantity = PW_RMS_DELAY_SPREAD;
    options.channel.component = PW_COMPONENT_TOTAL;
    assert_int_equal(pw_map_describe(result, &options, &shape, &error), PW_USAGE);
    assert_non_null(strstr(error.message, "total"));
    options.quantity = PW_PATH_GAIN;
    options.channel.component = PW_COMPONENT_EX;
    assert_int_equal(pw_result_sheet_choose(result, 3, &error), PW_OK);
    assert_int_equal(pw_map_describe(result, &options, &shape, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, "ex was not kept"));
    pw_result_close(result);
}

/* The antennas of the receivers are Ex, Ey and Ez; their sum over frequencies is the field that was kept. */
static void pairs_have_polarisations(void **state)
{
    (void)state;
    pw_result *result = open_made(path);
    const pw_place places[2] = {{.receiver = "seat_1"}, {.x = 2.8, .y = 1.4}};
    pw_pairs_options options = pw_pairs_options_default();
    pw_pairs_shape shape;
    pw_error error = {""};
    options.places = places;
    options.place_count = 2;
    assert_int_equal(pw_pairs_describe(result, &options, &shape, &error), PW_OK);
    assert_int_equal(shape.port_count, 3);
    assert_int_equal(shape.port[1], PW_COMPONENT_EY);
    double complex response[2][3][2][VOLUME_FREQUENCIES];
    pw_metrics metrics[2][2];
    double height[2];
    pw_pairs pairs = {.response = (double *)response, .metrics = &metrics[0][0], .height = height};
    assert_int_equal(pw_pairs_compute(result, &options, &pairs, &error), PW_OK);
    assert_true(fabs(height[1] - 1.05) < 1e-12);
    for (int p = 0; p < 2; p++) {
        double d = p == 0 ? 1.6 : 2.4, centre = shape.centre;
        for (int f = 4; f < VOLUME_FREQUENCIES - 4; f++) {
            double frequency = result->frequency[f];
            double complex expected =
                speed / (4 * M_PI * centre * d) * cexp(-I * 2 * M_PI * frequency * d / SPEED_OF_LIGHT);
            assert_true(cabs(response[p][2][0][f] - expected) < 0.04 * cabs(expected));
            assert_true(cabs(response[p][0][0][f]) < 0.1 * cabs(expected));
        }
        assert_true(fabs(metrics[p][0].received_power_dbm - free_space_dbm(20, p == 0 ? 3 : 0, centre, d)) < 0.01);
    }
    options.channel.component = PW_COMPONENT_EX;
    assert_int_equal(pw_pairs_describe(result, &options, &shape, &error), PW_OK);
    assert_int_equal(shape.port_count, 1);
    pw_result_close(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(received_power_is_that_of_friis),
        cmocka_unit_test(polarisations_add_up),
        cmocka_unit_test(cross_polar_ratio_is_what_is_left),
        cmocka_unit_test(nothing_is_spread),
        cmocka_unit_test(maps_have_the_pattern_of_the_dipole),
        cmocka_unit_test(a_field_without_height_has_one_map),
        cmocka_unit_test(delays_have_no_total),
        cmocka_unit_test(pairs_have_polarisations),
    };
    return cmocka_run_group_tests(tests, both_write, folder_remove);
}
