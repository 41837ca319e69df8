/* The forecast against closed forms: how energy decays in a box of metal that is filled with a conducting medium, how
 * it leaves an empty plan, what phase errors add up to along a straight path, and how the law of errors follows the
 * cell and the group velocity. */
#include "tests/support/check.h"

#include "base/constants.h"
#include "base/warnings.h"
#include "discretize/forecast/error_law.h"

#include <math.h>
#include <stdio.h>

#define BOX                                                                                                            \
    "walls: [{from: [0, 0.1], to: [4, 0.1], thickness: 0.2, material: metal}, {from: [0, 3.9], to: [4, 3.9], "         \
    "thickness: 0.2, material: metal}, {from: [0.1, 0], to: [0.1, 4], thickness: 0.2, material: metal}, {from: [3.9, " \
    "0], to: [3.9, 4], thickness: 0.2, material: metal}]"

/* A square plan, its transmitter a little off its middle. */
static struct energy_transport transport_in(double size, const char *plan)
{
    static struct energy_transport transport;
    char text[2048];
    snprintf(text, sizeof text, "plan: {size: [%g m, %g m], %s}\nband: %g GHz\ntransmitters: [{at: [%g, %g]}]\n", size,
             size, plan, 4 / size, 0.375 * size, 0.425 * size);
    pw_error error = {{0}};
    pw_scenario *scenario = NULL;
    pw_notes warnings = {0};
    struct floorplan floorplan;
    assert_int_equal(pw_scenario_parse("forecast", text, NULL, 0, &scenario, &error), PW_OK);
    assert_int_equal(floorplan_create(scenario, false, &warnings, &floorplan, &error), PW_OK);
    assert_int_equal(energy_transport_compute(&(struct building){.band_count = 1, .bands = &floorplan}, scenario,
                                              &transport, &error),
                     PW_OK);
    floorplan_free(&floorplan);
    warnings_free(&warnings);
    pw_scenario_free(scenario);
    return transport;
}

static struct energy_transport transport_of(const char *plan)
{
    return transport_in(4, plan);
}

/* Poynting's theorem: the energy of waves in a medium of conductivity s and permittivity e falls as exp(-s t / e), and
 * an exponential profile has a delay spread of its time constant. */
static void a_filled_box_decays_by_its_conductivity(void **state)
{
    (void)state;
    struct energy_transport transport = transport_of(
        "rectangles: [{from: [0, 0], to: [4, 4], material: {relative_permittivity: 2, conductivity: 1 mS/m}}], " BOX);
    double constant = 2 * FREE_SPACE_PERMITTIVITY / 1e-3;
    double decay = energy_transport_decay_time(&transport, 1e-5);
    assert_true(fabs(decay / (constant * log(1e5)) - 1) < 0.05);
    double spread = energy_transport_delay_spread(&transport);
    assert_true(fabs(spread / constant - 1) < 0.15);
}

static void a_lossless_box_never_decays(void **state)
{
    (void)state;
    struct energy_transport transport = transport_of(BOX);
    assert_true(isinf(energy_transport_decay_time(&transport, 1e-5)));
    assert_true(transport.has_walls);
}

/* Above its plasma frequency a plasma of permittivity 0.75 without loss, whose walls are averaged with 1. */
static void a_clear_plasma_is_no_air(void **state)
{
    (void)state;
    struct energy_transport transport =
        transport_of("rectangles: [{from: [2, 0], to: [2.5, 4], material: {relative_permittivity: 1, conductivity: 0, "
                     "poles: [{kind: drude, frequency: 0.5 GHz, damping: 0}]}}]");
    assert_true(transport.has_walls);
}

/* 2048 rays leave a square of 4 m within its diagonal; the spread at a patch is that of its size. */
static void energy_leaves_an_empty_plan(void **state)
{
    (void)state;
    struct energy_transport transport = transport_of("rectangles: []");
    assert_false(transport.has_walls);
    for (int b = (int)(4 * sqrt(2) / SPEED_OF_LIGHT / transport.bin) + 1; b < TRANSPORT_BINS; b++) {
        assert_true(transport.energy[b] == 0);
    }
    assert_true(energy_transport_delay_spread(&transport) < 1e-9);
    for (int p = 0; p < transport.patch_count; p++) {
        const struct passed *mean = &transport.patch[TO_TELL][p].mean;
        assert_true(transport.patch[TO_TELL][p].energy == 0 || (mean->air < 4 && mean->face_squares == 0));
    }
}

/* However small a plan is, its rays reach nearly all of it on their first way, not after echoes alone. */
static void small_plans_are_seen(void **state)
{
    (void)state;
    static const double SIZES[] = {0.16, 0.6, 2};
    for (int n = 0; n < 3; n++) {
        const struct energy_transport transport = transport_in(SIZES[n], "rectangles: []");
        int reached = 0;
        for (int p = 0; p < transport.patch_count; p++) {
            reached += transport.patch[TO_TELL][p].energy > 0;
        }
        assert_true(reached > 0.9 * transport.patch_count);
    }
}

/* The choice of cells keeps of a thick lossy wall what is not told. */
static void walls_weigh_more_in_the_choice(void **state)
{
    (void)state;
    const struct energy_transport transport = transport_of(
        "rectangles: [{from: [2, -1], to: [2.5, 5], material: {relative_permittivity: 5, conductivity: 0.05 "
        "S/m}}]");
    const struct error_question told = {SCHEME_FD4O, AVERAGING_MOMENT, 2, 0.03, 1e9, 1e8, 0, 0, TO_TELL},
                                chosen = {SCHEME_FD4O, AVERAGING_MOMENT, 2, 0.03, 1e9, 1e8, 0, 0, TO_CHOOSE};
    assert_true(error_law(&transport, &told).field < error_law(&transport, &chosen).field);
    assert_false(transport.has_conductors);
}

/* Metal that is not flat errs as the square of the cell, and a coating that no ray sees too. */
static void edges_and_coatings_are_told(void **state)
{
    (void)state;
    struct energy_transport transport = {.patch_count = 1, .permittivity = {1}};
    transport.patch[TO_TELL][0].energy = 1;
    double error[2][2];
    for (int n = 0; n < 2; n++) {
        const struct error_question question = {SCHEME_FD4O, AVERAGING_MOMENT, 2, 0.03 / (1 + n), 1e9, 1e8, 0,
                                                0,           TO_TELL};
        transport.patch[TO_TELL][0].mean.metal = 0.05; /* one half of its share */
        transport.has_conductors = false;
        error[0][n] = error_law(&transport, &question).local_mean;
        transport.patch[TO_TELL][0].mean.metal = 0;
        transport.has_conductors = true;
        error[1][n] = error_law(&transport, &question).local_mean;
    }
    const double size = 2 * M_PI * 1e9 / SPEED_OF_LIGHT * 0.03;
    assert_true(fabs(error[0][0] / (0.78 * sqrt(0.5) * size * size) - 1) < 0.01);
    assert_true(fabs(error[0][0] / error[0][1] - 4) < 0.1);
    assert_true(fabs(error[1][0] / (1.55 * size * size) - 1) < 0.01);
    assert_true(fabs(error[1][0] / error[1][1] - 4) < 0.1);
}

/* In air alone the error of the field is the phase error of the scheme times the way, and a power knows nothing of it.
 */
static void phases_add_up_along_the_way(void **state)
{
    (void)state;
    struct energy_transport transport = transport_of("rectangles: []");
    struct error_question question = {SCHEME_YEE, AVERAGING_AREA, 2, 0.01, 1e9, 0, 0, 0, TO_TELL};
    double square = 0, worst = 0;
    int count = 0;
    for (int p = 0; p < transport.patch_count; p++) {
        if (transport.patch[TO_TELL][p].energy > 0) {
            square += transport.patch[TO_TELL][p].air_square;
            count++;
        }
    }
    /* yee with exact time: k' - k = k (k cell)^2 (3 + cos 4 angle) / 96. */
    double k = 2 * M_PI * 1e9 / SPEED_OF_LIGHT;
    for (int a = 0; a < 5; a++) {
        double error = k * k * k * 1e-4 * (3 + cos(M_PI * a / 4)) / 96;
        worst += error * error / 5;
    }
    struct error_forecast forecast = error_law(&transport, &question);
    assert_true(fabs(forecast.field / sqrt(worst * square / count) - 1) < 0.03);
    assert_true(forecast.local_mean < 0.05 * forecast.field);
}

/* Two parts of a floor that differ by 20 dB, and walls of concrete that the deeper one is behind. */
static struct energy_transport two_depths(double nepers)
{
    struct energy_transport transport = {.patch_count = 400, .has_walls = true};
    transport.permittivity[CLASS_AIR] = 1;
    transport.permittivity[CLASS_CONCRETE] = 6;
    for (int p = 0; p < transport.patch_count; p++) {
        const bool deep = p >= 300;
        struct transport_patch *patch = &transport.patch[TO_TELL][p];
        patch->energy = deep ? 0.01 : 1;
        patch->mean.wear[CLASS_CONCRETE] = deep ? nepers : 0;
        patch->wear_product[CLASS_CONCRETE][CLASS_CONCRETE] = deep ? nepers * nepers : 0;
        patch->mean.air = 2;
        patch->air_square = 4;
    }
    return transport;
}

/* What a wall takes is wrong in proportion to its decibels; what is bent around edges in proportion to the depth and to
 * the square of the cell; the strongest half knows neither, and an empty plan has nothing that is deep. */
static void depths_are_told_apart(void **state)
{
    (void)state;
    struct error_question question = {SCHEME_FD4O, AVERAGING_MOMENT, 2, 0.04, 1e9, 1e8, 0, 0, TO_TELL};
    struct error_forecast forecast[3];
    for (int n = 0; n < 3; n++) {
        const struct energy_transport transport = two_depths(2 * n);
        forecast[n] = error_law(&transport, &question);
        assert_true(fabs(forecast[n].local_mean_by_depth[0] - forecast[0].local_mean_by_depth[0]) < 1e-12);
        assert_true(forecast[n].field_by_depth[0] <= forecast[n].field_by_depth[1] &&
                    forecast[n].field_by_depth[1] <= forecast[n].field_by_depth[2] &&
                    forecast[n].field_by_depth[2] <= sqrt(2) + 1e-12);
    }
    double bent = pow(forecast[0].local_mean_by_depth[1], 2), one = pow(forecast[1].local_mean_by_depth[1], 2) - bent,
           two = pow(forecast[2].local_mean_by_depth[1], 2) - bent;
    assert_true(one > 0 && fabs(two / one - 4) < 1e-6);

    struct energy_transport shallow = two_depths(0);
    for (int p = 0; p < shallow.patch_count; p++) {
        shallow.patch[TO_TELL][p].energy = 1; /* rays reach nothing that is deep: edges alone count */
    }
    const struct error_forecast coarse = error_law(&shallow, &question);
    question.cell /= 2;
    const struct error_forecast fine = error_law(&shallow, &question);
    double deeper[2][2];
    for (int d = 1; d < 3; d++) {
        deeper[0][d - 1] = sqrt(pow(coarse.local_mean_by_depth[d], 2) - pow(coarse.local_mean_by_depth[0], 2));
        deeper[1][d - 1] = sqrt(pow(fine.local_mean_by_depth[d], 2) - pow(fine.local_mean_by_depth[0], 2));
    }
    assert_true(fabs(deeper[0][1] / deeper[0][0] - 2) < 1e-6);
    assert_true(fabs(deeper[0][0] / deeper[1][0] - 4) < 1e-6);
    shallow.has_walls = false;
    const struct error_forecast empty = error_law(&shallow, &question);
    assert_true(fabs(empty.local_mean_by_depth[2] - empty.local_mean_by_depth[0]) < 1e-12);
}

/* In three dimensions metal without averaging stands on the nearest plane of nodes: anywhere within half a cell of its
 * place, and energy that meets a face does so with the cosines of a diffuse field, whose density is 2 cos. In
 * two dimensions, and with averaging in three, metal keeps its place. */
static void metal_that_is_moved_turns_the_phase(void **state)
{
    (void)state;
    struct energy_transport transport = {.patch_count = 1, .permittivity = {1}};
    transport.patch[TO_TELL][0].energy = transport.patch[TO_TELL][0].mean.metal = 1;
    const double cell = 0.02, k = 2 * M_PI * 1e9 / SPEED_OF_LIGHT;
    enum { SAMPLES = 200 };
    double square = 0;
    for (int n = 0; n < SAMPLES * SAMPLES; n++) {
        double moved = ((n % SAMPLES + 0.5) / SAMPLES - 0.5) * cell,
               cosine = sqrt(((double)(n / SAMPLES) + 0.5) / SAMPLES);
        square += pow(2 * sin(k * moved * cosine), 2) / (SAMPLES * SAMPLES); /* |exp(2jk moved cosine) - 1|^2 */
    }
    struct error_question question = {SCHEME_FD4O, AVERAGING_MOMENT, 3, cell, 1e9, 1e8, 0, 0, TO_TELL};
    const double placed = error_law(&transport, &question).field;
    assert_true(placed < 0.5 * sqrt(square));
    question.dimensions = 2;
    assert_true(fabs(error_law(&transport, &question).field / placed - 1) < 1e-9);
    question.dimensions = 3;
    question.averaging = AVERAGING_POINT;
    double volume = error_law(&transport, &question).field;
    assert_true(fabs(volume / sqrt(square) - 1) < 0.03);
    question.dimensions = 2;
    assert_true(error_law(&transport, &question).field < 0.6 * volume);
    /* Half the cell, half the error; and powers see it. */
    question = (struct error_question){SCHEME_FD4O, AVERAGING_POINT, 3, cell / 2, 1e9, 1e8, 0, 0, TO_TELL};
    assert_true(fabs(error_law(&transport, &question).field / volume - 0.5) < 0.03);
    assert_true(error_law(&transport, &question).local_mean > error_law(&transport, &question).field);
}

/* With averaging by points how far a metal ceiling stands from its plane of nodes is known: half a cell, sqrt(3) times
 * as far as a wall is taken to be; a fifth of a cell; nothing, which leaves what reflections by metal do in two
 * dimensions. */
static void metal_ceilings_stand_where_the_cell_puts_them(void **state)
{
    (void)state;
    struct energy_transport transport = {.patch_count = 1, .permittivity = {1}};
    transport.patch[TO_TELL][0].energy = transport.patch[TO_TELL][0].mean.metal =
        transport.patch[TO_TELL][0].mean.slabs[1] = 1;
    const double cell = 0.02, k = 2 * M_PI * 1e9 / SPEED_OF_LIGHT, lowest = -0.3;
    struct error_question question = {SCHEME_FD4O, AVERAGING_POINT, 3, cell, 1e9, 1e8, 0, lowest, TO_TELL};
    static const double OFF[] = {0.5, -0.2}; /* cells */
    for (int n = 0; n < 2; n++) {
        transport.slab_faces[1] = lowest + (130 + OFF[n]) * cell;
        assert_true(fabs(error_law(&transport, &question).field / (sqrt(2) * k * cell * fabs(OFF[n])) - 1) < 0.05);
    }
    transport.slab_faces[1] = lowest + 130 * cell;
    double in_place = error_law(&transport, &question).field;
    question.dimensions = 2;
    assert_true(fabs(in_place / error_law(&transport, &question).field - 1) < 1e-9);
}

/* Two unrelated fields differ by sqrt(2) at most; finer is better, by the order that the averaging has in the cell. */
static void the_error_follows_the_cell(void **state)
{
    (void)state;
    struct energy_transport transport = transport_of(
        "walls: [{from: [0, 2.5], to: [4, 2.5], thickness: 0.2, material: brick}, {from: [2.5, 0], to: [2.5, 4], "
        "thickness: 0.1, material: {relative_permittivity: 2.9, conductivity: 0.01 S/m}}]");
    static const enum averaging KINDS[] = {AVERAGING_AREA, AVERAGING_MOMENT, AVERAGING_BANDLIMITED};
    static const double LEAST[] = {3.5, 5.5, 6}, MOST[] = {6, 9, 10};
    for (int a = 0; a < 3; a++) {
        struct error_question question = {SCHEME_DD4, KINDS[a], 2, 0.02, 1e9, 1e8, 0, 0, TO_TELL};
        struct error_forecast coarse = error_law(&transport, &question);
        question.cell = 0.01;
        struct error_forecast fine = error_law(&transport, &question);
        assert_true(coarse.local_mean / fine.local_mean > LEAST[a] && coarse.local_mean / fine.local_mean < MOST[a]);
        question.cell = 0.3;
        assert_true(error_law(&transport, &question).field <= sqrt(2));
    }
}

/* What a medium does to an amplitude goes with the error of the group velocity: of yee with exact time along an axis
 * sin(k' cell/2) = k cell/2, hence v'/v = cos(k' cell/2). */
static void amplitudes_follow_the_group_velocity(void **state)
{
    (void)state;
    struct energy_transport transport = {.patch_count = 1, .permittivity = {1, 0, 0, 4}};
    transport.patch[TO_TELL][0].energy = transport.patch[TO_TELL][0].mean.wear[CLASS_BRICK] = 1;
    transport.patch[TO_TELL][0].wear_product[CLASS_BRICK][CLASS_BRICK] = 1;
    const double k = 2 * 2 * M_PI * 1e9 / SPEED_OF_LIGHT;
    double error[2], exact[2];
    for (int n = 0; n < 2; n++) {
        struct error_question question = {SCHEME_YEE, AVERAGING_AREA, 2, 0.01 * (n + 1), 1e9, 0, 0, 0, TO_TELL};
        error[n] = error_law(&transport, &question).local_mean;
        exact[n] = 1 - sqrt(1 - pow(0.5 * k * question.cell, 2));
    }
    assert_true(fabs(error[1] / error[0] / (exact[1] / exact[0]) - 1) < 1e-3);
    /* An amplitude that is off by g is off by 20 log10(1 + g) decibels, and not all of it is seen. */
    assert_true(error[0] > 0.7 * 8.686 * exact[0] && error[0] < 8.686 * exact[0]);
}

/* A transmitter half a wavelength (15 cm) and more from everything, 5 cm from brick, and 2 cm from metal: there
 * k d = 0.42, and a wave and its mirror image leave 2 sin(k d) = 0.8 of the field. */
static void transmitters_by_a_face_are_known(void **state)
{
    (void)state;
    struct energy_transport far =
        transport_of("walls: [{from: [0, 2.5], to: [4, 2.5], thickness: 0.2, material: brick}]");
    struct energy_transport near =
        transport_of("walls: [{from: [0, 1.85], to: [4, 1.85], thickness: 0.2, material: brick}]");
    struct energy_transport metal =
        transport_of("walls: [{from: [0, 1.82], to: [4, 1.82], thickness: 0.2, material: metal}]");
    assert_true(far.near_face[CLASS_BRICK] == 0 && far.near_metal == 0);
    assert_true(near.near_face[CLASS_BRICK] > 0.05 && near.near_metal == 0);
    assert_true(metal.near_metal > 1 && metal.near_face[CLASS_BRICK] == 0);
    struct error_question question = {SCHEME_FD4O, AVERAGING_MOMENT, 2, 0.03, 1e9, 1e8, 0, 0, TO_TELL};
    assert_true(error_law(&metal, &question).local_mean > 1);
}

/* A pane that is thin against the wavelength hardly matters: as a slab it reflects (k d (e - 1) / 2)^2. */
static void thin_panes_let_waves_through(void **state)
{
    (void)state;
    struct energy_transport open = transport_of("rectangles: []");
    struct energy_transport glazed = transport_of("walls: [{from: [0, 2.5], to: [4, 2.5], thickness: 0.01, material: "
                                                  "{relative_permittivity: 1.2, conductivity: 0}}]");
    double before = energy_transport_decay_time(&open, 1e-5), after = energy_transport_decay_time(&glazed, 1e-5);
    assert_true(fabs(after / before - 1) < 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_filled_box_decays_by_its_conductivity),
        cmocka_unit_test(a_lossless_box_never_decays),
        cmocka_unit_test(a_clear_plasma_is_no_air),
        cmocka_unit_test(energy_leaves_an_empty_plan),
        cmocka_unit_test(phases_add_up_along_the_way),
        cmocka_unit_test(small_plans_are_seen),
        cmocka_unit_test(walls_weigh_more_in_the_choice),
        cmocka_unit_test(edges_and_coatings_are_told),
        cmocka_unit_test(depths_are_told_apart),
        cmocka_unit_test(metal_that_is_moved_turns_the_phase),
        cmocka_unit_test(metal_ceilings_stand_where_the_cell_puts_them),
        cmocka_unit_test(the_error_follows_the_cell),
        cmocka_unit_test(amplitudes_follow_the_group_velocity),
        cmocka_unit_test(transmitters_by_a_face_are_known),
        cmocka_unit_test(thin_panes_let_waves_through),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
