/* Floor and ceiling by images (channel/storey) against laws written down here: Friis without slabs, rays over metal,
 * Fresnel's coefficients at their known angles. The whole storey against Sommerfeld's integrals is
 * validation/closed_form/storey.c; what the program says is in test_storey.sh. */
#include "tests/support/check.h"

#include "tests/channel/given_channel.h"

static const double ROOM = 2.6, FROM = 2.1, TO = 1.2; /* m */

static struct slab_choice slab_made(double thickness, bool metal, double permittivity, double conductivity)
{
    return (struct slab_choice){.thickness = thickness,
                                .material = {.own_values = true,
                                             .perfect_conductor = metal,
                                             .relative_permittivity = permittivity,
                                             .conductivity = conductivity}};
}

/* Every image up to a few turns by mirroring the source again and again. */
static void test_images(void **state)
{
    (void)state;
    enum { TURNS = 9 };
    for (int first = 0; first < 2; first++) { /* floor or ceiling first */
        double at = FROM;
        for (int met = 1; met <= TURNS; met++) {
            int side = (first + met - 1) % 2, found = 0;
            at = side == 0 ? -at : 2.0 * ROOM - at;
            for (int n = 0; n < 4 * TURNS; n++) {
                struct storey_image image = storey_image(ROOM, FROM, TO, n);
                if (fabs(image.rise - (TO - at)) < 1e-12) {
                    int others = met / 2, own = met - others;
                    assert_int_equal(image.met[first], own);
                    assert_int_equal(image.met[1 - first], others);
                    assert_int_equal(image.leaves, met % 2 == 0 ? 1 : -1);
                    found++;
                }
            }
            assert_int_equal(found, 1);
        }
    }
    assert_true(storey_image(ROOM, FROM, TO, 0).rise == TO - FROM);
}

/* Born and Wolf: the normal coefficient of a thick lossy slab, nothing at Brewster's angle of a half space, all at
 * grazing, and both waves alike up to the sign at normal incidence. */
static void test_reflection(void **state)
{
    (void)state;
    const struct slab_choice deep = slab_made(5.0, false, 4.0, 0.05), metal = slab_made(0.1, true, 1.0, 0.0),
                             none = slab_made(0.0, false, 1.0, 0.0), air = slab_made(0.1, false, 1.0, 0.0);
    double value[2];
    for (int upright = 0; upright < 2; upright++) {
        storey_reflection(&deep, 5e9, 1.0, upright, value);
        assert_true(fabs(value[0] - (upright ? 1.0 : -1.0) / 3.0) < 0.01 && fabs(value[1]) < 0.02);
        storey_reflection(&deep, 5e9, 0.0, upright, value);
        assert_true(hypot(value[0] + 1.0, value[1]) < 1e-9);
        storey_reflection(&metal, 5e9, 0.3, upright, value);
        assert_true(value[0] == (upright ? 1.0 : -1.0) && value[1] == 0.0);
        storey_reflection(&none, 5e9, 0.0, upright, value);
        assert_true(value[0] == 0.0 && value[1] == 0.0);
        storey_reflection(&air, 5e9, 0.0, upright, value);
        assert_true(value[0] == 0.0 && value[1] == 0.0);
    }
    storey_reflection(&deep, 5e9, 1.0 / sqrt(5.0), true, value); /* tan(angle of incidence) = sqrt(4) */
    assert_true(hypot(value[0], value[1]) < 0.02);
    /* A lossless slab of half a wavelength lets everything through. */
    const struct slab_choice window = slab_made(c0 / (2.0 * 2.0 * 2.4e9), false, 4.0, 0.0);
    storey_reflection(&window, 2.4e9, 1.0, false, value);
    assert_true(hypot(value[0], value[1]) < 1e-12);
}

/* Path gains [dB] and spreads [s] of rays over the plan, in a storey. */
static pw_metrics metrics_of(const struct storey *storey, int rays, const double *length, enum antenna_kind kind,
                             bool horizontal)
{
    struct channel_band band;
    struct channel channel;
    pw_error error;
    double complex gain[COUNT] = {0};
    band_make(lowest, spacing, COUNT, options_make(PW_WINDOW_HANN, 4, PW_SPREADING_STOREY), &band);
    assert_int_equal(channel_band_storey(&band, storey, horizontal, &error), PW_OK);
    for (int n = 0; n < rays; n++) {
        for (int f = 0; f < COUNT; f++) {
            gain[f] += ray(band.frequency[f], sqrt(1.0 / length[n]), length[n] / c0);
        }
    }
    channel_give(&band, gain, &channel);
    const struct slant slant = {.rise = TO - FROM,
                                .heights = {FROM, TO},
                                .along = {1.0, 0.0},
                                .departure = {.kind = kind},
                                .arrival = {.kind = kind}};
    channel_transform(&band, length[0], &slant, &channel);
    pw_metrics metrics = channel_metrics(&band, &channel, 0.0, 0.0);
    channel_free(&channel);
    channel_band_free(&band);
    return metrics;
}

/* How much passes over a top: nothing where it is the ceiling, all where it is the floor, with what passes under it
 * all, and in the mean over paths less the higher the top is (a path alone has Fresnel's ripples). Far from mirrors it
 * is ITU-R P.526's loss of one knife edge. */
static void test_share(void **state)
{
    (void)state;
    const double wavelength = 0.125;
    double power[27] = {0.0};
    for (int n = 0; n < 60; n++) {
        double height = 2.4 + 0.1 * (n % 5);
        const struct storey_image image = storey_image(height, FROM, TO, n % 12);
        const struct storey_path path = {1.0 + n, TO - image.rise, image.rise, n % 3 / 3.0, 0.0};
        for (int step = 0; step <= 26; step++) {
            const struct storey storey = {.floor = 3.0, .height = height, .top = 3.0 + height * step / 26.0};
            double complex over = storey_share(&storey, STOREY_OVER, wavelength, &path),
                           under = storey_share(&storey, STOREY_UNDER, wavelength, &path);
            assert_true(cabs(over + under - 1.0) < 1e-12);
            assert_true(step > 0 || cabs(over - 1.0) < 1e-12);
            assert_true(step < 26 || cabs(over) < 1e-12);
            power[step] += cabs(over) * cabs(over) / 60.0;
        }
    }
    for (int step = 1; step <= 26; step++) {
        assert_true(power[step] < 1.07 * power[step - 1]); /* 0.3 dB */
    }
    const struct storey alone = {.height = 1e5, .top = 5e4};
    for (int n = -3; n <= 8; n++) {
        double along = 0.3, length = 20.0, edge = 0.2 * n; /* m over the path */
        double v = edge * sqrt(2.0 / (wavelength * length * along * (1.0 - along)));
        double loss = 6.9 + 20.0 * log10(sqrt((v - 0.1) * (v - 0.1) + 1.0) + v - 0.1);
        double over = cabs(storey_share(&alone, STOREY_OVER, wavelength,
                                        &(struct storey_path){length, alone.top - edge, 0.0, along, 0.0}));
        assert_true(n < 0 ? over > 0.5 : fabs(-decibel(over * over) - loss) < 0.2);
    }
}

/* Two answers for one link: alike they are the one, whatever the top; a top at the floor leaves the upper one. */
static void test_two_answers(void **state)
{
    (void)state;
    const double length[2] = {7.0, 12.3}, weak[2] = {0.1, 1.0};
    struct storey storey = {.height = ROOM,
                            .slabs = {slab_made(0.2, false, 5.0, 0.1), slab_made(0.2, false, 5.0, 0.1)}};
    const struct slant slant = {.rise = TO - FROM, .heights = {FROM, TO}, .along = {1.0, 0.0}, .crossing = 0.6};
    double frequency[COUNT], own[2][2 * COUNT], want[2][2 * COUNT], made[2 * COUNT];
    bool usable[COUNT];
    for (int f = 0; f < COUNT; f++) {
        frequency[f] = lowest + f * spacing;
        usable[f] = true;
        for (int which = 0; which < 2; which++) {
            double complex sum = ray(frequency[f], weak[which] / sqrt(length[0]), length[0] / c0) +
                                 ray(frequency[f], 0.3 / sqrt(length[1]), length[1] / c0);
            own[which][2 * f] = creal(sum);
            own[which][2 * f + 1] = cimag(sum);
        }
    }
    const double tops[] = {NAN, 0.0, 1.0, 2.0, ROOM};
    for (int n = 0; n < 5; n++) {
        struct storey_band *band;
        struct storey_work *work;
        pw_error error;
        storey.top = tops[n];
        assert_int_equal(storey_band_create(&storey, &(struct storey_axis){frequency, COUNT, false}, &band, &error),
                         PW_OK);
        assert_int_equal(storey_work_create(band, &work, &error), PW_OK);
        for (int under = 0; under < 2; under++) {
            for (int over = 0; over < 2; over++) {
                memcpy(made, own[under], sizeof made);
                storey_apply(band, work, length[0], &slant, usable, n > 0 ? own[over] : NULL, made);
                if (n == 0) {
                    memcpy(want[under], made, sizeof made);
                    continue;
                }
                int alone = under == over || n == 1 ? over : n == 4 ? under : -1;
                for (int k = 0; k < 2 * COUNT && alone >= 0; k++) {
                    assert_true(fabs(made[k] - want[alone][k]) < 1e-9);
                }
            }
        }
        storey_work_free(work);
        storey_band_free(band);
    }
}

/* Nothing below and above: free space over the straight line. */
static void test_no_slabs(void **state)
{
    (void)state;
    const struct storey open = {.height = ROOM};
    for (int n = 0; n < 9; n++) {
        double distance = 0.5 * pow(1.7, n);
        pw_metrics metrics = metrics_of(&open, 1, &distance, ANTENNA_HERTZIAN, false);
        double straight = hypot(distance, TO - FROM), pattern = pow(distance / straight, 4);
        assert_true(fabs(metrics.path_gain_db - decibel(pattern / (straight * straight))) < 1e-6);
        assert_true(fabs(metrics.distance - straight) < 1e-12);
    }
}

/* A metal floor: two rays for each path over the plan, with their phases (Balanis, Antenna Theory, 4.7); upright and
 * flat fields. The second path stands clear of the first, between two bins. */
static void test_metal_floor(void **state)
{
    (void)state;
    const struct storey storey = {.height = ROOM, .slabs = {slab_made(0.1, true, 1.0, 0.0)}};
    for (int n = 0; n < 8; n++) {
        bool horizontal = n % 2 == 1;
        int rays = n / 4 + 1;
        double length[2] = {n / 2 % 2 == 0 ? 3.0 : 11.0, 21.3}, sum = 0.0;
        pw_metrics metrics = metrics_of(&storey, rays, length, ANTENNA_ISOTROPIC, horizontal);
        for (int f = 0; f < COUNT; f++) {
            double complex field = 0.0;
            double k = 2.0 * pi * (lowest + f * spacing) / c0;
            for (int r = 0; r < rays; r++) {
                double up = hypot(length[r], TO - FROM), down = hypot(length[r], TO + FROM);
                field += cexp(-I * k * up) / up + (horizontal ? -1.0 : 1.0) * cexp(-I * k * down) / down;
            }
            sum += creal(field * conj(field)) / COUNT;
        }
        /* The direct path is exact; another one is taken apart into bins. */
        assert_true(fabs(metrics.path_gain_db - decibel(sum)) < (rays == 1 ? 1e-3 : 0.15));
    }
}

/* Between two metal planes power spreads far longer than between lossy ones. */
static void test_guide(void **state)
{
    (void)state;
    const struct storey metal = {.height = ROOM,
                                 .slabs = {slab_made(0.1, true, 1.0, 0.0), slab_made(0.1, true, 1.0, 0.0)}};
    const struct storey lossy = {.height = ROOM,
                                 .slabs = {slab_made(0.2, false, 5.24, 0.1), slab_made(0.2, false, 5.24, 0.1)}};
    double near = 5.0;
    assert_true(metrics_of(&metal, 1, &near, ANTENNA_HERTZIAN, false).rms_delay_spread >
                2.0 * metrics_of(&lossy, 1, &near, ANTENNA_HERTZIAN, false).rms_delay_spread);
}

/* The plan says nothing: what is assumed, and what it refuses. */
static void test_assumed(void **state)
{
    (void)state;
    char text[STOREY_TEXT];
    pw_error error;
    const struct storey storey = storey_assumed();
    assert_string_equal(storey_text(&storey, text),
                        "2.6 m between 20 cm of concrete (assumed: the plan has no storey)");
    assert_int_equal(storey_holds(&storey, "transmitter 'ap'", 2.6, &error), PW_USAGE);
    assert_non_null(
        strstr(error.message, "the height of transmitter 'ap' is 2.6 m, and the storey reaches from 0 to 2.6 m"));
    assert_int_equal(storey_holds(&storey, "transmitter 'ap'", -0.1, &error), PW_USAGE);
    assert_int_equal(storey_holds(&storey, "transmitter 'ap'", 2.5, &error), PW_OK);
    /* ITU-R P.2040-4, concrete: 5.24 and 0.0462 f^0.7822. */
    struct permittivity own = storey_permittivity(&storey.slabs[0].material, 2e9);
    assert_true(fabs(own.real - 5.24) < 1e-9);
    assert_true(fabs(own.loss - 0.0462 * pow(2.0, 0.7822) / (2.0 * pi * 2e9 * 8.8541878128e-12)) < 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_images),      cmocka_unit_test(test_reflection), cmocka_unit_test(test_share),
        cmocka_unit_test(test_two_answers), cmocka_unit_test(test_no_slabs),   cmocka_unit_test(test_metal_floor),
        cmocka_unit_test(test_guide),       cmocka_unit_test(test_assumed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
