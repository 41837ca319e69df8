/* A wall that ends on the edge of the plan goes on through the absorber, as one that is drawn past the edge does: the
 * field at a receiver is the same number for number, whatever the wall is made of, at all four edges, in both
 * polarisations and in three dimensions. */
#include "tests/support/sanitized.h"
#include "tests/support/solve.h"

#include <string.h>

enum { STEPS = SANITIZED ? 140 : 200 };
static const double SIDE = 0.9; /* m, of a square plan */

struct form {
    const char *name, *head, *storey, *receiver, *component;
};
static const struct form FORMS[] = {
    {"vertical", "", "", "", "ez"},
    {"horizontal", "polarisation: horizontal", "", "", "hz"},
    {"three dimensions", "dimensions: 3", ", storey: {height: 0.3 m}", ", 0.14", "ez"},
};

static const char *const WALLS[] = {
    "layers: [{material: glass, thickness: 6 mm, coating: 2 ohm}]",
    "layers: [{material: glass, thickness: 6 mm, coating: {resistance: 2 ohm, side: right}}, {material: air, "
    "thickness: 16 mm}, {material: glass, thickness: 4 mm}]",
    "thickness: 1 mm, material: metal",
    "thickness: 4 cm, material: metal",
    "thickness: 5 cm, material: concrete",
    "thickness: 1 mm, material: {relative_permittivity: 1, conductivity: 300 S/m}",
};

/* A wall along x or y, from the one edge to the other, `past` m beyond both; drawn upwards or downwards. */
static void series(const struct form *form, const char *wall, bool along_x, bool down, double past, double *values)
{
    char text[2048], ends[128];
    const double place = 0.413, low = -past, high = SIDE + past, first = down ? high : low, last = down ? low : high;
    if (along_x) {
        snprintf(ends, sizeof ends, "from: [%.17g, %g], to: [%.17g, %g]", first, place, last, place);
    } else {
        snprintf(ends, sizeof ends, "from: [%g, %.17g], to: [%g, %.17g]", place, first, place, last);
    }
    const double at[2] = {0.2, 0.4}, there[2] = {0.7, 0.65};
    snprintf(text, sizeof text,
             "%s\nplan: {size: [%g, %g]%s, walls: [{%s, %s}]}\nband: 2.4 GHz\ngrid: {cell: 1.6 cm}\nspectra: off\n"
             "transmitters: [{name: a, at: [%g, %g%s]}]\nreceivers: [{name: r, at: [%g, %g%s]}]\nstop: {steps: %d}\n",
             form->head, SIDE, SIDE, form->storey, ends, wall, at[along_x], at[!along_x], form->receiver,
             there[along_x], there[!along_x], form->receiver, STEPS);
    struct solved solved = solve(text, PW_SINGLE, "cpu");
    assert_int_equal(pw_simulation_receiver(solved.simulation, 0, 0, values, NULL), PW_OK);
    solve_free(&solved);
}

/* Whether the two are the same, but for what the ends of a longer line round. */
static bool check(const struct form *form, const char *wall, bool along_x, bool down)
{
    static double on[STEPS], past[STEPS];
    series(form, wall, along_x, down, 0, on);
    series(form, wall, along_x, down, 0.7, past);
    double most = 0, apart = 0;
    for (int n = 0; n < STEPS; n++) {
        most = fmax(most, fabs(past[n]));
        apart = fmax(apart, fabs(on[n] - past[n]));
    }
    const bool same = apart <= 1e-5 * most; /* behind thick metal both are nothing */
    if (!same) {
        print_error("%s, along %s, %s: {%s} ends at the edge: %.2g of the field apart\n", form->name,
                    along_x ? "x" : "y", down ? "down" : "up", wall, apart / most);
    }
    return same;
}

static void test_walls_go_on(void **state)
{
    const int f = (int)(intptr_t)*state;
    bool all = true;
    const bool space = f == 2; /* where a solve takes seconds */
    for (size_t w = 0; w < (space ? 1 : sizeof WALLS / sizeof WALLS[0]); w++) {
        for (int turn = 0; turn < 4; turn += space ? 3 : 1) {
            all = check(&FORMS[f], WALLS[w], turn % 2 == 1, turn / 2 == 1) && all;
        }
    }
    assert_true(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_walls_go_on, (void *)(intptr_t)0),
        cmocka_unit_test_prestate(test_walls_go_on, (void *)(intptr_t)1),
        cmocka_unit_test_prestate(test_walls_go_on, (void *)(intptr_t)2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
