/* Metal between the nodes in three dimensions (physics.md section 9), from the scenario to the field: modes of cavities
 * in metal against their closed forms, with walls, floor and ceiling anywhere in a cell, turned and round; no energy is
 * made; all backends agree. */
#include "tests/metal/metal_cavity.h"

static const double SIDE = 0.02, PLAN = 0.6, HEIGHT = 0.4; /* m: the cell, the plan, the storey */

/* A cavity from `low` to `high`, and a mode in it: Ez that does not change along z, or E across the length and the
 * height that is half a wave along both. */
struct room {
    struct cavity plan;
    double low, high; /* m */
    bool upright;     /* the mode is Ez */
};

static pw_setup *room_setup(const struct room *room, const char *more, const char *scheme, pw_precision precision,
                            int steps, pw_scenario **scenario)
{
    char text[4000];
    const char *end = strrchr(room->plan.shape, '}'); /* the hole has a range of heights */
    snprintf(
        text, sizeof text,
        "dimensions: 3\nplan: {size: [%g, %g], storey: {height: %g}, rectangles: [{from: [0.1, 0.1], to: [%g, %g], "
        "material: metal, z: [0.02, %g]}], %.*s, z: [%.9g, %.9g]}]%s}\n"
        "grid: {cell: %g m, scheme: %s, absorber: {cells: 4}}\nband: {centre: %.9g Hz, width: 50 MHz}\n"
        "transmitters: [{name: t, at: [0.02, 0.02, 0.02]}]\nspectra: off\nstop: {steps: %d, decay: off}\n",
        PLAN, PLAN, HEIGHT, PLAN - 0.1, PLAN - 0.1, HEIGHT - 0.02, (int)(end - room->plan.shape), room->plan.shape,
        room->low, room->high, more, SIDE, scheme, room->plan.frequency, steps);
    pw_setup *setup = text_setup_take(text, precision, NULL, 0, scenario);
    silence(setup);
    return setup;
}

/* Component c of the mode at a place [m]. */
static double mode_at(const struct room *room, int c, const double at[3])
{
    const struct cavity *cavity = &room->plan;
    const double k = 2 * M_PI * cavity->frequency / SPEED_OF_LIGHT, r = hypot(at[0] - cavity->x, at[1] - cavity->y);
    double along[2];
    cavity_place(cavity, at[0] - cavity->x, at[1] - cavity->y, along);
    if (room->upright) {
        if (cavity->radius > 0) {
            return c == 2 && r < cavity->radius ? j0(k * r) : 0;
        }
        return c == 2 ? cos(M_PI * along[0] / cavity->length) * cos(M_PI * along[1] / cavity->width) : 0;
    }
    const double across =
        cos(M_PI * along[0] / cavity->length) * sin(M_PI * (at[2] - room->low) / (room->high - room->low));
    return c == 0 ? -sin(cavity->turn) * across : c == 1 ? cos(cavity->turn) * across : 0;
}

static bool is_air(const struct room *room, const double at[3])
{
    const struct cavity *cavity = &room->plan;
    double along[2];
    cavity_place(cavity, at[0] - cavity->x, at[1] - cavity->y, along);
    const bool inside = cavity->radius > 0 ? hypot(along[0], along[1]) < cavity->radius + 0.5 * SIDE
                                           : fabs(along[0]) < 0.5 * (cavity->length + SIDE) &&
                                                 fabs(along[1]) < 0.5 * (cavity->width + SIDE);
    return inside && at[2] > room->low - 0.5 * SIDE && at[2] < room->high + 0.5 * SIDE;
}

/* The energy's weight of component c at node n. */
static double weight_of(const struct setup *setup, int c, int64_t n)
{
    const int nx = setup->cuts.nx, ny = setup->cuts.ny;
    const int at[3] = {(int)(n % nx), (int)(n / nx % ny), (int)(n / nx / ny)};
    const float part = metal_edge_at(&setup->cuts, c, at[0], at[1], at[2]);
    return part == METAL_STAIRCASE ? 1 : part * metal_mass_at(&setup->cuts, c, at[0], at[1], at[2]);
}

static struct run_state mode_start(const struct setup *setup, const struct room *room, unsigned *seed)
{
    const struct problem *problem = &setup->problem;
    const int nx = problem->axis[0].count, ny = problem->axis[1].count;
    struct run_state start;
    pw_error error;
    assert_int_equal(run_state_create(problem, problem->steps, &start, &error), PW_OK);
    for (int c = 0; c < 3; c++) {
        for (int64_t n = 0; n < problem_nodes(problem); n++) {
            const int i = (int)(n % nx), j = (int)(n / nx % ny), k = (int)(n / nx / ny);
            const double at[3] = {setup->origin.x + (i + (c == 0 ? 0.5 : 0)) * SIDE,
                                  setup->origin.y + (j + (c == 1 ? 0.5 : 0)) * SIDE,
                                  setup->origin_z + (k + (c == 2 ? 0.5 : 0)) * SIDE};
            const int entry = problem_coefficient_at(problem, c, i, j, k);
            const bool free = is_air(room, at) && !setup->medium.palette[entry].perfect_conductor;
            const double value = !free ? 0 : seed != NULL ? random_unit(seed) - 0.5 : mode_at(room, c, at);
            start.field[c][n] = problem->precision == PW_SINGLE ? (double)(float)value : value;
        }
    }
    return start;
}

static double share_of(const pw_setup *setup, const struct run_state *start, const struct run_state *now)
{
    double sum = 0;
    for (int c = 0; c < 3; c++) {
        for (int64_t n = 0; n < problem_nodes(&setup->problem); n++) {
            sum += start->field[c][n] != 0 ? start->field[c][n] * weight_of(setup, c, n) * now->field[c][n] : 0;
        }
    }
    return sum;
}

/* The mode's frequency over what the scheme makes of it in free space. */
static double detuned(const struct room *room, const char *scheme)
{
    enum { ANGLES = 16 };
    const struct cavity *cavity = &room->plan;
    pw_scenario *scenario;
    pw_setup *setup = room_setup(room, "", scheme, PW_DOUBLE, 150, &scenario);
    struct run_state start = mode_start(setup, room, NULL);
    const double found = resonance_from(setup, &start, share_of),
                 k = 2 * M_PI * cavity->frequency / SPEED_OF_LIGHT * SIDE;
    const double slope = room->upright ? atan2(1 / cavity->width, 1 / cavity->length) : 0;
    double sum = 0;
    for (int n = 0; n < ANGLES; n++) {
        const double angle =
            cavity->radius > 0 ? 0.25 * M_PI * (n + 0.5) / ANGLES : cavity->turn + slope * (n % 2 == 0 ? 1 : -1);
        const double flat = room->upright ? k : M_PI * SIDE / cavity->length;
        const double rise = room->upright ? 0 : M_PI * SIDE / (room->high - room->low);
        sum += sqrt(pow(stencil_symbol(&setup->stencil, flat * cos(angle)), 2) +
                    pow(stencil_symbol(&setup->stencil, flat * sin(angle)), 2) +
                    pow(stencil_symbol(&setup->stencil, rise), 2)) /
               ANGLES;
    }
    run_state_free(&start);
    drop(setup, scenario);
    return found / (SPEED_OF_LIGHT * sum / (M_PI * SIDE)) - 1;
}

/* A wall that is off by d cells shifts the frequency of the mode between two such walls, which is that of a wave across
 * them, by 2 d over their distance, of a wave that is partly across them by less. */
static double shift_of(const struct room *room, double d)
{
    const double length = room->plan.length / SIDE, width = room->plan.width / SIDE,
                 height = (room->high - room->low) / SIDE, other = room->upright ? width : height;
    return room->plan.radius > 0 ? d * SIDE / room->plan.radius
                                 : 2 * d * (pow(length, -3) + pow(other, -3)) / (pow(length, -2) + pow(other, -2));
}

/* Walls of the wide schemes are right to `most` cells, those of yee to 0.0175. */
static void check_room(const struct room *room, double most)
{
    static const char *const SCHEMES[] = {"yee", "fd4o", "fd8"};
    for (size_t s = 0; s < sizeof SCHEMES / sizeof SCHEMES[0]; s++) {
        const double off = detuned(room, SCHEMES[s]), cells = off / shift_of(room, 1);
        if (!(fabs(cells) < (strcmp(SCHEMES[s], "yee") == 0 ? fmax(most, 0.0175) : most))) {
            fail_msg("%s, %s mode, z %g to %g, %s: walls off by %g cells", SCHEMES[s],
                     room->upright ? "upright" : "level", room->low, room->high, room->plan.shape, cells);
        }
    }
}

static struct room box_room(double x, double y, double length, double width, double degrees, double low, double high,
                            bool upright)
{
    struct room room = {box_cavity(x, y, length, width, degrees), low, high, upright};
    room.plan.frequency = 0.5 * SPEED_OF_LIGHT * hypot(1 / length, 1 / (upright ? width : high - low));
    return room;
}

static void test_flat_walls_anywhere_in_a_cell(void **unused)
{
    (void)unused;
    for (int p = 1; p < 4; p += 2) {
        const struct room upright = box_room(0.3013 + 0.0041 * p, 0.307, 0.2 + 0.0031 * p, 0.16, 0, 0.1, 0.22, true);
        const struct room level =
            box_room(0.3013 + 0.0041 * p, 0.307, 0.2 + 0.0031 * p, 0.2, 0, 0.1 + 0.0033 * p, 0.28 + 0.0051 * p, false);
        check_room(&upright, 0.01);
        check_room(&level, 0.01);
    }
}

static void test_turned_and_round_walls(void **unused)
{
    (void)unused;
    static const double DEGREES[] = {7, 30, 45};
    for (int t = 0; t < 3; t++) {
        const struct room upright = box_room(0.3013, 0.307, 0.2, 0.16, DEGREES[t], 0.1, 0.22, true);
        const struct room level = box_room(0.3013, 0.307, 0.2, 0.2, DEGREES[t], 0.105, 0.29, false);
        struct room round = {round_cavity(0.3 + 0.0013 * t, 0.3 + 0.0077 * t, 0.11 + 0.011 * t), 0.1, 0.22, true};
        round.plan.frequency = 2.404825557695773 * SPEED_OF_LIGHT / (2 * M_PI * round.plan.radius);
        check_room(&upright, 0.08);
        check_room(&level, 0.08);
        check_room(&round, 0.08);
    }
}

/* ---- what must not happen ---------------------------------------------------------------------------------------- */

/* What leapfrog keeps: of E after a step, and of h half a step before and after it. Edges have the energy of their
 * parts, faces that of their parts and masses. */
static double kept_of(const struct setup *setup, const struct run_state *now, const struct run_state *next)
{
    const struct problem *problem = &setup->problem;
    const int nx = setup->cuts.nx, ny = setup->cuts.ny;
    double sum = 0;
    for (int c = 0; c < 3; c++) {
        for (int64_t n = 0; n < problem_nodes(problem); n++) {
            const int at[3] = {(int)(n % nx), (int)(n / nx % ny), (int)(n / nx / ny)};
            const float part = metal_edge_at(&setup->cuts, c, at[0], at[1], at[2]);
            const uint16_t entry = problem_coefficient_at(problem, c, at[0], at[1], at[2]);
            const double cb = problem_coefficient(problem, entry)[COEFFICIENT_CB];
            const double face = metal_face_at(&setup->cuts, c, at[0], at[1], at[2]) *
                                metal_face_mass_at(&setup->cuts, c, at[0], at[1], at[2]);
            sum += cb > 0 ? (part == METAL_STAIRCASE ? 1 : part) / cb * pow(now->field[c][n], 2) : 0;
            sum += face * now->field[COMPONENT_HX + c][n] * next->field[COMPONENT_HX + c][n];
        }
    }
    return sum;
}

static double kept_by(const struct setup *setup, struct stepper *stepper)
{
    struct run_state now = volume_state(&setup->problem, stepper);
    volume_advance(stepper, 1);
    struct run_state next = volume_state(&setup->problem, stepper);
    const double kept = kept_of(setup, &now, &next);
    run_state_free(&now);
    run_state_free(&next);
    return kept;
}

/* From random E in all air of the cavity; `most`: of the energy, what rounding may change. */
static void check_kept(const struct room *room, const char *more, const char *scheme, pw_precision precision, int steps,
                       double most)
{
    pw_scenario *scenario;
    unsigned seed = 7;
    pw_error error;
    pw_setup *setup = room_setup(room, more, scheme, precision, steps + 10, &scenario);
    struct run_state start = mode_start(setup, room, &seed);
    struct stepper *stepper = volume_stepper(&backend_cpu, &setup->problem, &ONE_THREAD);
    assert_int_equal(stepper_load(stepper, 0, &start, &error), PW_OK);
    const double before = kept_by(setup, stepper);
    volume_advance(stepper, steps);
    const double after = kept_by(setup, stepper);
    if (!(before > 0 && fabs(after / before - 1) < most)) {
        fail_msg("%s, %s: energy %.9g, after %d steps %.9g", scheme, room->plan.shape, before, steps, after);
    }
    stepper_destroy(stepper);
    run_state_free(&start);
    drop(setup, scenario);
}

/* Things of metal in the cavity: a post, a thin wire, an ending sheet and a plate. */
static const char CROWD[] =
    ", walls: [{from: [0.263, 0.26], to: [0.2931, 0.261], thickness: 0.031, material: metal}, {from: [0.351, 0.333], "
    "to: "
    "[0.352, 0.333], thickness: 0.001, material: metal}, {from: [0.22, 0.34], to: [0.301, 0.371], thickness: 0.001, "
    "material: metal, z: [0.12, 0.251]}], boxes: [{from: [0.333, 0.231, 0.1931], to: [0.371, 0.289, 0.1953], material: "
    "metal}]";

static void test_energy_is_kept(void **unused)
{
    (void)unused;
    static const char *const SCHEMES[] = {"yee", "fd4o", "dd4"};
    struct room rooms[] = {box_room(0.3013, 0.307, 0.2, 0.18, 13, 0.1044, 0.2871, true),
                           {round_cavity(0.303, 0.301, 0.1177), 0.1071, 0.2816, true}};
    for (size_t s = 0; s < sizeof SCHEMES / sizeof SCHEMES[0]; s++) {
        for (int r = 0; r < 2; r++) {
            rooms[r].plan.frequency = 1e9;
            check_kept(&rooms[r], "", SCHEMES[s], PW_DOUBLE, 200, 1e-8);
            check_kept(&rooms[r], CROWD, SCHEMES[s], PW_DOUBLE, 200, 1e-8);
        }
    }
    check_kept(&rooms[0], CROWD, "fd4o", PW_SINGLE, 4000, 5e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flat_walls_anywhere_in_a_cell),
        cmocka_unit_test(test_turned_and_round_walls),
        cmocka_unit_test(test_energy_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
