/* Scattered waves (channel/diffuse) against laws written down here: Walsh's diffuse reflection of glass, resistances in
 * a row, the balance of power, and the decay of a strip that is fed at its end. When they arrive: against photons
 * between two planes, mirrors, the shortest way, and closed forms of the profile. */
#include "channel/diffuse/diffuse.h"

#include "tests/support/check.h"

#include "tests/channel/given_channel.h"

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

/* ---- when they arrive -------------------------------------------------------------------------------------------- */

enum { SIDE_SQUARES = 121, PLACES = 6, PHOTONS = 20000, BOUNCES = 12 };
static const double HEIGHT = 2.6, AT[PLACES] = {1.3, 2.0, 3.0, 4.0, 5.0, 6.3}; /* m */

/* Squares a tenth of the height a side, one to a block, without walls. */
static struct diffuse_squares squares_make(int rows, int columns)
{
    struct diffuse_squares squares;
    pw_error error = {{0}};
    const struct diffuse_floor blocks = {.rows = rows, .columns = columns, .step = 0.0999 * HEIGHT};
    assert_int_equal(diffuse_squares_create(&blocks, HEIGHT, &squares, &error), PW_OK);
    assert_int_equal(squares.rows * squares.columns, rows * columns);
    return squares;
}

/* Of photons from a point half way up between two planes that scatter r by Lambert's law: mean delay and spread [m] of
 * what comes to places half way up. Each hit is counted as it is seen from there. */
static void photons_fly(double r, double mean[PLACES], double spread[PLACES])
{
    double sum[PLACES][3] = {{0.0}};
    for (int n = 0; n < PHOTONS; n++) {
        double cosine = 1.0 - random_uniform(), turn = 2.0 * pi * random_uniform(), left = 1.0;
        double rise = 0.5 * HEIGHT, x = 0.0, y = 0.0, way = 0.0;
        for (int bounce = 0; bounce < BOUNCES; bounce++) {
            const double over = rise * sqrt(1.0 - cosine * cosine) / cosine;
            x += over * cos(turn);
            y += over * sin(turn);
            way += rise / cosine;
            left *= r;
            for (int k = 0; k < PLACES; k++) {
                const double last = sqrt((x - AT[k]) * (x - AT[k]) + y * y + 0.25 * HEIGHT * HEIGHT),
                             seen = left / (last * last * last);
                sum[k][0] += seen;
                sum[k][1] += seen * (way + last);
                sum[k][2] += seen * (way + last) * (way + last);
            }
            cosine = sqrt(1.0 - random_uniform());
            turn = 2.0 * pi * random_uniform();
            rise = HEIGHT;
        }
    }
    for (int k = 0; k < PLACES; k++) {
        mean[k] = sum[k][1] / sum[k][0];
        spread[k] = sqrt(sum[k][2] / sum[k][0] - mean[k] * mean[k]);
    }
}

/* The mean delay beyond the straight line is theirs within 12 %. Their tail is longer than an exponential that begins
 * with the shortest way, whose spread is 0.55 to 0.89 of theirs. */
static void test_photons(void **state)
{
    (void)state;
    static const double reflections[] = {0.2, 0.5};
    pw_error error = {{0}};
    for (int trial = 0; trial < 2; trial++) {
        double mean[PLACES], spread[PLACES];
        photons_fly(reflections[trial], mean, spread);
        struct diffuse_squares squares = squares_make(SIDE_SQUARES, SIDE_SQUARES);
        const int middle = SIDE_SQUARES / 2;
        for (int n = 0; n < SIDE_SQUARES * SIDE_SQUARES; n++) {
            const double over = squares.step * fmax(0.4, hypot(n % SIDE_SQUARES - middle, n / SIDE_SQUARES - middle)),
                         length = hypot(over, 0.5 * HEIGHT), power = 1.0 / (over * length * length);
            squares.value[DIFFUSE_POWER][n] = power; /* as diffuse.h has q */
            squares.value[DIFFUSE_MOMENT][n] = power * length;
        }
        assert_int_equal(diffuse_travel(&squares, HEIGHT, reflections[trial], &error), PW_OK);
        for (int k = 0; k < PLACES; k++) {
            const double at = middle + AT[k] / squares.step;
            const double *row = squares.value[DIFFUSE_TRAVEL] + (size_t)middle * SIDE_SQUARES;
            const double here = row[(int)at] + (at - (int)at) * (row[(int)at + 1] - row[(int)at]),
                         excess = here - hypot(AT[k], HEIGHT);
            assert_true(fabs((here - AT[k]) / (mean[k] - AT[k]) - 1.0) < 0.12);
            assert_true(excess > 0.5 * spread[k] && excess < spread[k]);
        }
        diffuse_squares_free(&squares);
    }
}

/* All that is scattered is r + r^2 + ... of it where floor and ceiling go on without end, and in a room of mirrors too:
 * seven squares wide, walls on both sides and at the ends. */
static void test_mirrors(void **state)
{
    (void)state;
    pw_error error = {{0}};
    for (int mirrors = 0; mirrors < 2; mirrors++) {
        struct diffuse_squares squares =
            squares_make(mirrors ? 41 : SIDE_SQUARES + 40, mirrors ? 41 : SIDE_SQUARES + 40);
        const int columns = squares.columns, rows = squares.rows;
        for (int n = 0; n < rows * columns; n++) {
            const int edge =
                (int)fmin(fmin(n % columns, columns - 1 - n % columns), fmin(n / columns, rows - 1 - n / columns));
            squares.value[DIFFUSE_POWER][n] = 1.0; /* mirrors stand in the middle of squares */
            if (mirrors && edge == 0) {
                squares.value[n % columns == 0 || n % columns == columns - 1 ? DIFFUSE_FACES : DIFFUSE_FACES_UP][n] =
                    1e6;
            }
        }
        assert_int_equal(diffuse_travel(&squares, HEIGHT, 0.5, &error), PW_OK);
        const double found = squares.value[DIFFUSE_POWER][rows / 2 * columns + columns / 2];
        assert_true(found < 2.001 && found > 1.94); /* 1/65 of each bounce goes further than is followed */
        diffuse_squares_free(&squares);
    }
}

/* Whatever the walls, nothing of one square's floor and ceiling comes before the straight way from there. */
static void test_shortest_way(void **state)
{
    (void)state;
    pw_error error = {{0}};
    struct diffuse_squares squares = squares_make(40, 60);
    const int from = 20 * 60 + 10;
    for (int n = 0; n < 40 * 60; n++) {
        for (int kind = DIFFUSE_DEPTH; kind <= DIFFUSE_FACES_UP; kind++) {
            squares.value[kind][n] = random_uniform() < 0.1 ? 2.0 * random_uniform() : 0.0;
        }
    }
    squares.value[DIFFUSE_POWER][from] = 1.0;
    squares.value[DIFFUSE_MOMENT][from] = 0.5 * HEIGHT;
    assert_int_equal(diffuse_travel(&squares, HEIGHT, 0.3, &error), PW_OK);
    int reached = 0;
    for (int n = 0; n < 40 * 60; n++) {
        const double over = squares.step * fmax(0.0, hypot(n % 60 - from % 60, n / 60 - from / 60) - 1.0),
                     travel = squares.value[DIFFUSE_TRAVEL][n];
        assert_true(travel == 0.0 || travel >= 0.5 * HEIGHT + hypot(over, 0.5 * HEIGHT));
        reached += travel > 0.0;
    }
    assert_true(reached > 40 * 60 / 2);
    diffuse_squares_free(&squares);
}

/* Scattered waves that are alike everywhere: power gain, and the mean way they have come [m]. */
static struct diffuse *diffuse_alike(double gain, double travel)
{
    struct diffuse *diffuse = calloc(1, sizeof *diffuse);
    pw_error error = {{0}};
    diffuse->floor = (struct diffuse_floor){.rows = 1, .columns = 1, .step = 1.0};
    diffuse->air = calloc(1, sizeof *diffuse->air);
    diffuse->density = calloc(1, sizeof *diffuse->density);
    diffuse->density[0] = 2.0 * gain; /* an antenna takes half */
    diffuse->height = HEIGHT;
    assert_int_equal(diffuse_squares_create(&diffuse->floor, HEIGHT, &diffuse->squares, &error), PW_OK);
    diffuse->squares.value[DIFFUSE_TRAVEL][0] = travel;
    return diffuse;
}

/* A path of amplitude 1 over `distance` with scattered waves beside it. */
static void channel_beside(double gain, double travel, double distance, struct channel_band *band,
                           struct channel *channel)
{
    static double complex values[COUNT];
    pw_channel_options options = pw_channel_options_default();
    options.spreading = PW_SPREADING_DIFFUSE;
    options.threshold_db = 300.0;
    options.noise_margin_db = 0.0;
    band_make(lowest, spacing, COUNT, options, band);
    band->diffuse = gain >= 0.0 ? diffuse_alike(gain, travel) : NULL;
    for (int f = 0; f < COUNT; f++) {
        values[f] = cexp(-2.0 * I * pi * band->frequency[f] * (distance - 1.0) / c0);
    }
    channel_give(band, values, channel);
    channel_transform(band, distance, NULL, channel);
}

/* The sum of the profile over that of a path of gain 1 is the level; K is one power over the other; the spread is that
 * of the window, of two lumps and of an exponential; the coherence that of its transform. */
static void test_profile(void **state)
{
    (void)state;
    const double distance = 5.0, gain = 0.1, path = 1.0 / distance, travel = 9.0;
    const double onset = hypot(distance, HEIGHT) / c0, excess = travel / c0 - onset;
    struct channel_band band;
    struct channel channel, bare;
    channel_beside(gain, travel, distance, &band, &channel);
    double sum = 0.0, before = 0.0;
    for (int n = 0; n < band.tap_count; n++) {
        sum += channel.power[n];
        before += channel_delay(&band, n) < onset - 1.7 * band.bin * 4 ? channel.power[n] - channel.solved[n] : 0.0;
    }
    assert_true(fabs(sum / band.unit_sum / (path + gain) - 1.0) < 1e-9);
    assert_true(fabs(channel_path_gain(&band, &channel) / (path + gain) - 1.0) < 1e-9);
    assert_true(before < 1e-3 * gain * band.unit_sum);
    assert_true(fabs(channel_rician_k(&band, &channel) * gain / path - 1.0) < 1e-6);
    const double share = gain / (path + gain), apart = travel / c0 - distance / c0;
    const double mean = share * apart;
    const struct channel_delays delays = channel_delays(&band, &channel),
                                solved = channel_delays_solved(&band, &channel);
    const double square = pow(solved.rms_spread, 2) + share * (1.0 - share) * apart * apart +
                          share * excess * (excess + band.bin); /* a bin's steps */
    assert_true(fabs(delays.rms_spread / sqrt(square) - 1.0) < 0.01);
    assert_true(fabs(delays.mean_excess - mean) < 0.1 * band.bin);
    assert_true(fabs(delays.first_arrival - distance / c0) < 0.1 * band.bin);
    const double half = 2.0 * pi * channel_coherence_bandwidth(&band, &channel, 0.9);
    const double complex late = gain * cexp(-I * half * (onset - distance / c0)) / (1.0 + I * half * excess);
    assert_true(fabs(cabs(path + late) / (path + gain) - 0.9) < 1e-3);
    channel_free(&channel);
    channel_band_free(&band);

    /* Without any of it the profile is that of distance, bit for bit. */
    channel_beside(0.0, travel, distance, &band, &channel);
    struct channel_band plain;
    channel_beside(-1.0, travel, distance, &plain, &bare);
    assert_memory_equal(channel.power, bare.power, (size_t)band.tap_count * sizeof(double));
    channel_free(&channel);
    channel_free(&bare);
    channel_band_free(&band);
    channel_band_free(&plain);
}

/* A tail longer than the period goes round: the sum stays, however long it is, or wherever it begins. */
static void test_round(void **state)
{
    (void)state;
    static double profile[400];
    double window[100];
    for (int n = 0; n < 100; n++) {
        window[n] = 1.0 - cos(2.0 * pi * (n + 0.5) / 100);
    }
    const struct pulse pulse = pulse_make(window, 100, 1e7);
    const struct diffuse_bins bins = {-4e-9, 0.25e-9, 400};
    for (int trial = 0; trial < 8; trial++) {
        const double excess = 1e-9 * (pow(3.0, trial) - 1.0); /* 0 to 2.2 us */
        const struct diffuse_late late = {1.0, 7.0 * excess + 1.1e-9, excess};
        diffuse_profile(&late, &pulse, &bins, 2.5, profile);
        double sum = 0.0;
        for (int n = 0; n < 400; n++) {
            sum += profile[n];
            assert_true(profile[n] >= 0.0);
        }
        assert_true(fabs(sum / 2.5 - 1.0) < 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reflection), cmocka_unit_test(test_exchange), cmocka_unit_test(test_balance),
        cmocka_unit_test(test_photons),    cmocka_unit_test(test_mirrors),  cmocka_unit_test(test_shortest_way),
        cmocka_unit_test(test_profile),    cmocka_unit_test(test_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
