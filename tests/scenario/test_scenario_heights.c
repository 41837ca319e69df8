/* Scenarios with heights: storeys, slabs, heights of shapes and terminals, polarisation, planes and cuts of the
 * spectra; the text that reads back; what is refused, by file, line and key. */
#include "tests/support/check.h"

#include "scenario/scenario.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Two storeys; the heights of the upper one count from 2.9 m. */
static const char HOUSE[] =
    "title: House\n"
    "dimensions: 3\n"
    "plan:\n"
    "  size: [10 m, 8 m]\n"
    "  walls: [{from: [1 m, 1 m], to: [9 m, 1 m], thickness: 30 cm, material: brick}]\n"
    "  circles: [{centre: [5 m, 5 m], radius: 20 cm, material: metal, z: [-20 cm, 2 m]}]\n"
    "  storeys:\n"
    "    - name: ground\n"
    "      height: 2.6 m\n"
    "      floor: {material: concrete, thickness: 20 cm}\n"
    "      ceiling: {material: wood, thickness: 30 cm, from: [9 m, 7 m], to: [1 m, 1 m]}\n"
    "      openings:\n"
    "        - {from: [3 m, 0.8 m], to: [4 m, 1.2 m], sill: 90 cm, head: 2.1 m, material: glass}\n"
    "        - {from: [3 m, 3 m], to: [4 m, 5 m], z: [2.6 m, 2.9 m]}\n"
    "        - {from: [5 m, 0.8 m], to: [6 m, 1.2 m], head: 2 m}\n"
    "        - {from: [6 m, 0.8 m], to: [7 m, 1.2 m], sill: 1 m}\n"
    "    - name: upper\n"
    "      height: 2.4 m\n"
    "      boxes: [{from: [6, 5, 0.75], to: [7, 6, 0.7], material: wood}]\n"
    "      walls: [{from: [2 m, 2 m], to: [4 m, 2 m], thickness: 10 cm, material: plasterboard}]\n"
    "band: 500 MHz\n"
    "transmitters:\n"
    "  - {name: a, at: [2 m, 3 m, 1.2 m], polarisation: [3, 0, 4], antenna: half-wave}\n"
    "  - {name: b, at: [2 m, 3 m], height: 1 m, storey: upper, polarisation: x}\n"
    "  - {name: c, at: [2 m, 3 m], storey: upper}\n"
    "  - {name: d, at: [2 m, 3 m]}\n"
    "  - {name: e, at: [2 m, 3 m, 0.5 m], to: [2 m, 3 m, 1.5 m]}\n"
    "receivers:\n"
    "  - {name: p, at: [2 m, 4 m, 1 m], polarisation: y}\n"
    "  - {name: l, from: [2 m, 4 m, 1 m], to: [2 m, 7 m, 5 m], spacing: 2.5 m}\n"
    "  - {name: g, grid: {from: [2 m, 4 m], to: [3 m, 5 m], spacing: 1 m}, height: 1 m, storey: upper}\n"
    "  - {name: q, at: [2 m, 5 m]}\n"
    "grid: {symmetry: [x, z]}\n"
    "spectra: {heights: [1.2 m, 4.1 m], cuts: [{from: [2 m, 0 m], to: [2 m, 8 m]}], components: [ez, ex]}\n";

static pw_scenario *parse(const char *text, const char *set)
{
    pw_scenario *scenario = NULL;
    pw_error error = {""};
    if (pw_scenario_parse("house.yaml", text, &set, set != NULL, &scenario, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    return scenario;
}

static void assert_range(struct height_range range, double low, double high)
{
    if (fabs(range.low - low) > 1e-12 || fabs(range.high - high) > 1e-12) {
        fail_msg("from %g to %g m, not from %g to %g m", range.low, range.high, low, high);
    }
}

static void storeys_stand_on_each_other(void **state)
{
    (void)state;
    pw_scenario *s = parse(HOUSE, NULL);
    const struct plan_choice *plan = &s->plan;
    assert_int_equal(s->dimensions, 3);
    assert_int_equal(plan->storey_count, 2);
    assert_string_equal(plan->storeys[0].name, "ground");
    assert_true(plan->storeys[1].height == 2.4 && plan->storeys[1].line == 17 && isnan(plan->cut));
    assert_true(storey_floor(plan, 0) == 0 && fabs(storey_floor(plan, 1) - 2.9) < 1e-12);
    assert_true(plan_low(plan) == -0.2 && fabs(plan_high(plan) - 5.3) < 1e-12);
    /* The upper floor is the lower ceiling. */
    const struct slab_choice *slab = &plan->storeys[1].floor;
    assert_true(slab->thickness == 0.3 && slab->has_area && slab->from.x == 1 && slab->to.y == 7);
    assert_string_equal(slab->material.name, "wood");
    assert_true(plan->storeys[1].ceiling.thickness == 0 && !plan->storeys[0].floor.has_area);
    pw_scenario_free(s);
}

static void shapes_reach_from_height_to_height(void **state)
{
    (void)state;
    /* In drawing order: the plan's circle and wall, four openings of the ground floor, wall and box over it. */
    static const struct {
        enum shape_kind kind;
        int storey;
        double low, high;
        const char *material;
    } WANTED[] = {
        {SHAPE_CIRCLE, EVERY_STOREY, -0.2, 2, "metal"},
        {SHAPE_WALL, EVERY_STOREY, 0, 5.3, "brick"},
        {SHAPE_OPENING, 0, 0.9, 2.1, "glass"},
        {SHAPE_OPENING, 0, 2.6, 2.9, "air"},
        {SHAPE_OPENING, 0, 0, 2, "air"},
        {SHAPE_OPENING, 0, 1, 2.6, "air"},
        {SHAPE_WALL, 1, 2.9, 5.3, "plasterboard"},
        {SHAPE_BOX, 1, 3.6, 3.65, "wood"},
    };
    pw_scenario *s = parse(HOUSE, NULL);
    assert_int_equal(s->plan.shape_count, sizeof WANTED / sizeof *WANTED);
    for (int n = 0; n < s->plan.shape_count; n++) {
        const struct shape *shape = &s->plan.shapes[n];
        assert_int_equal(shape->kind, WANTED[n].kind);
        assert_int_equal(shape->storey, WANTED[n].storey);
        assert_string_equal(shape->material.name, WANTED[n].material);
        assert_range(shape_heights(&s->plan, shape), WANTED[n].low, WANTED[n].high);
    }
    pw_scenario_free(s);
}

static void terminals_have_heights_and_directions(void **state)
{
    (void)state;
    pw_scenario *s = parse(HOUSE, NULL);
    const struct transmitter_choice *t = s->transmitters;
    const double nothing = 1e-15;
    assert_true(t[0].height == 1.2 && t[0].to_height == 1.2 && t[0].antenna.kind == ANTENNA_HALF_WAVE);
    assert_true(fabs(t[0].polarisation.x - 0.6) < nothing && t[0].polarisation.y == 0 &&
                fabs(t[0].polarisation.z - 0.8) < nothing);
    assert_true(fabs(t[1].height - 3.9) < 1e-12 && t[1].polarisation.x == 1 && t[1].antenna.kind == ANTENNA_HERTZIAN);
    assert_true(fabs(t[2].height - 2.9 - 1.2) < 1e-12); /* a storey of 2.4 m: half its height, under 1.5 m */
    assert_true(isnan(t[3].height) && isnan(t[3].to_height) && t[3].polarisation.z == 1);
    assert_true(t[4].height == 0.5 && t[4].to_height == 1.5);

    const struct receiver_choice *r = s->receivers;
    assert_int_equal(s->receiver_count, 1 + 3 + 4 + 1);
    assert_true(r[0].height == 1 && r[0].polarisation.y == 1 && r[0].polarisation.z == 0);
    for (int n = 0; n < 3; n++) { /* 5 m long, so 2.5 m apart along the slope */
        assert_true(fabs(r[1 + n].height - (1 + 2 * n)) < 1e-12 && fabs(r[1 + n].at.y - (4 + 1.5 * n)) < 1e-12);
    }
    for (int n = 4; n < 8; n++) {
        assert_true(fabs(r[n].height - 3.9) < 1e-12 && r[n].polarisation.z == 1);
    }
    assert_true(isnan(r[8].height));
    pw_scenario_free(s);
}

static void spectra_and_symmetry(void **state)
{
    (void)state;
    pw_scenario *s = parse(HOUSE, NULL);
    assert_true(s->spectra.height_count == 2 && s->spectra.heights[0] == 1.2 && s->spectra.heights[1] == 4.1);
    assert_true(s->spectra.cut_count == 1 && s->spectra.cuts[0].from.x == 2 && s->spectra.cuts[0].to.y == 8);
    assert_true(s->spectra.components[0] && !s->spectra.components[1] && s->spectra.components[2]);
    assert_true(s->grid.symmetric[0] && !s->grid.symmetric[1] && s->grid.symmetric[2]);
    pw_scenario_free(s);
    s = parse(HOUSE, "spectra={}");
    assert_true(s->spectra.height_count == 0 && !s->spectra.components[0] && s->spectra.components[2]);
    pw_scenario_free(s);
}

static const char PICTURE[] = "plan:\n"
                              "  image: a.png\n"
                              "  pixel: 1 cm\n"
                              "  storey: {height: 2.5 m, floor: none, ceiling: {material: concrete, thickness: 0.2}}\n"
                              "  cut: 2 m\n"
                              "  legend:\n"
                              "    \"#000000\": brick\n"
                              "    \"#0000ff\": [{material: brick, z: [0 m, 0.9 m]},\n"
                              "                  {material: {relative_permittivity: 6}, z: [0.9 m, 2 m]}]\n"
                              "    \"#00ff00\": {material: wood, z: [0 m, 75 cm]}\n"
                              "band: 1 GHz\n"
                              "transmitters: [{at: [1, 1]}]\n";

static void colours_have_layers(void **state)
{
    (void)state;
    pw_scenario *s = parse(PICTURE, NULL);
    const struct legend_entry *legend = s->plan.legend;
    assert_int_equal(s->dimensions, 2);
    assert_true(s->plan.cut == 2 && s->plan.storey_count == 1 && s->plan.storeys[0].floor.thickness == 0);
    assert_int_equal(s->plan.legend_count, 4);
    assert_range(legend_heights(&s->plan, &legend[0]), 0, 2.5);
    assert_range(legend_heights(&s->plan, &legend[1]), 0, 0.9);
    assert_range(legend_heights(&s->plan, &legend[2]), 0.9, 2);
    assert_range(legend_heights(&s->plan, &legend[3]), 0, 0.75);
    assert_true(!legend[1].upper && legend[2].upper && !legend[3].upper && legend[2].blue == 255);
    assert_true(legend[2].material.relative_permittivity == 6);
    pw_scenario_free(s);
}

/* ---- files of points -------------------------------------------------------------------------------------------- */

/* The receivers of a CSV, and the message when it is refused. */
static pw_scenario *walk(const char *csv, const char *entry, const char *set, pw_error *error)
{
    char path[] = "/tmp/planwave-heights-XXXXXX", text[2048];
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    fputs(csv, file);
    assert_int_equal(fclose(file), 0);
    const char *storeys = strstr(HOUSE, "  storeys:"), *band = strstr(HOUSE, "band:");
    snprintf(text, sizeof text,
             "dimensions: 3\nplan:\n  size: [10, 8]\n%.*sband: 1 GHz\ntransmitters: [{at: [1, 1, 1]}]\n"
             "receivers: [{name: w, file: %s%s}]\n",
             (int)(band - storeys), storeys, path, entry);
    pw_scenario *scenario = NULL, *again = NULL;
    if (pw_scenario_parse("test.yaml", text, &set, set != NULL, &scenario, error) == PW_OK) {
        again = parse(pw_scenario_text(scenario), NULL);
        assert_string_equal(pw_scenario_text(scenario), pw_scenario_text(again));
        for (int n = 0; n < scenario->receiver_count; n++) {
            double a = scenario->receivers[n].height, b = again->receivers[n].height;
            assert_true(a == b || (isnan(a) && isnan(b)));
        }
        pw_scenario_free(again);
    }
    unlink(path);
    return scenario;
}

static void files_have_heights(void **state)
{
    (void)state;
    static const struct {
        const char *csv, *entry, *set, *name;
        double height; /* NAN: none */
    } CASES[] = {
        {"1,2,1.25,desk\n", "", NULL, "desk", 1.25},
        {"1,2,1.25\n", "", NULL, "w_1", 1.25},
        {"x,y,z\n1,2,1.25\n", "", "dimensions=2", "w_1", 1.25},
        {"x, y, height [m]\n1, 2, 1.25\n", "", "dimensions=2", "w_1", 1.25},
        {"x,y,zone\n1,2,4\n", "", "dimensions=2", "4", NAN},
        {"1,2,4\n", "", "dimensions=2", "4", NAN},
        {"1,2,desk\n", "", NULL, "desk", NAN},
        {"1,2\n", "", NULL, "w_1", NAN},
        {"1,2\n", ", height: 80 cm", NULL, "w_1", 0.8},
        {"1,2\n", ", storey: upper, height: 80 cm", NULL, "w_1", 3.7},
        {"1,2,0.5\n", ", storey: upper, height: 80 cm", NULL, "w_1", 3.4},
        {"1,2\n", ", storey: upper", NULL, "w_1", 4.1},
    };
    for (size_t n = 0; n < sizeof CASES / sizeof *CASES; n++) {
        pw_error error = {""};
        pw_scenario *s = walk(CASES[n].csv, CASES[n].entry, CASES[n].set, &error);
        assert_non_null(s);
        assert_string_equal(s->receivers[0].name, CASES[n].name);
        double height = s->receivers[0].height;
        assert_true(isnan(CASES[n].height) ? isnan(height) : fabs(height - CASES[n].height) < 1e-12);
        pw_scenario_free(s);
    }
    pw_error error = {""};
    assert_null(walk("1,2,1\n1,2,5.4\n", "", NULL, &error));
    assert_non_null(strstr(error.message, "line 2 of"));
    assert_non_null(strstr(error.message, "outside the plan's storeys; allowed is -0.2 m to 5.3 m"));
}

/* ---- the text that reads back ----------------------------------------------------------------------------------- */

static void reads_back(const char *text, const char *set)
{
    pw_scenario *first = parse(text, set), *second = parse(pw_scenario_text(first), NULL);
    assert_string_equal(pw_scenario_text(first), pw_scenario_text(second));
    assert_int_equal(first->plan.shape_count, second->plan.shape_count);
    for (int n = 0; n < first->plan.shape_count; n++) {
        struct height_range a = shape_heights(&first->plan, &first->plan.shapes[n]),
                            b = shape_heights(&second->plan, &second->plan.shapes[n]);
        assert_true(a.low == b.low && a.high == b.high && a.has_heights == b.has_heights);
        assert_memory_equal(&first->plan.shapes[n].material, &second->plan.shapes[n].material,
                            sizeof(struct material_choice));
    }
    for (int n = 0; n < first->transmitter_count; n++) {
        const struct transmitter_choice *a = &first->transmitters[n], *b = &second->transmitters[n];
        assert_memory_equal(&a->polarisation, &b->polarisation, sizeof a->polarisation);
        assert_true((a->height == b->height && a->to_height == b->to_height) || (isnan(a->height) && isnan(b->height)));
        assert_true(a->antenna.kind == b->antenna.kind);
    }
    assert_memory_equal(&first->spectra, &second->spectra, sizeof first->spectra);
    assert_memory_equal(first->grid.symmetric, second->grid.symmetric, sizeof first->grid.symmetric);
    pw_scenario_free(first);
    pw_scenario_free(second);
}

static void resolved_text_reads_back(void **state)
{
    (void)state;
    static const char *const SETS[] = {
        NULL,
        "transmitters.0.polarisation=[1, 2, 3]",
        "transmitters.0.polarisation=[0, 0, -1]",
        "transmitters.0.polarisation=[1e-9, 1, 1e-9]",
        "transmitters.0.polarisation=[5e-324, 5e-324, 0]",
        "transmitters.0.height=0.30000000000000004",
        "plan.storeys.0.floor={material: {relative_permittivity: 4}, thickness: 0.25}",
        "plan.cut=3 m",
        "plan.storeys.1.openings=[{from: [1, 1], to: [2, 2], material: {perfect_conductor: true}}]",
        "spectra.components=[ey]",
    };
    for (size_t n = 0; n < sizeof SETS / sizeof *SETS; n++) {
        reads_back(HOUSE, SETS[n]);
    }
    reads_back(PICTURE, NULL);
    reads_back(PICTURE, "dimensions=3");
}

/* What is new stays out of the text of a scenario that has none of it. */
static void flat_scenarios_are_written_as_before(void **state)
{
    (void)state;
    pw_scenario *s = parse("plan: {size: [4, 3], openings: [{from: [0, 0], to: [1, 1]}]}\nband: 1 GHz\n"
                           "transmitters: [{at: [1, 1]}]\nreceivers: [{at: [2, 2]}]\n",
                           NULL);
    static const char *const WORDS[] = {"dimensions", "storey",  "cut",      "polarisation", "antenna",
                                        "components", "heights", "symmetry", "z:",           "nan"};
    for (size_t n = 0; n < sizeof WORDS / sizeof *WORDS; n++) {
        assert_null(strstr(pw_scenario_text(s), WORDS[n]));
    }
    pw_scenario_free(s);
}

/* With --set the height of the command line holds, whichever way the file gives it. */
static void overrides_win(void **state)
{
    (void)state;
    pw_scenario *s = parse(HOUSE, "transmitters.a.height=2 m");
    assert_true(s->transmitters[0].height == 2);
    pw_scenario_free(s);
    s = parse(HOUSE, "transmitters.b.at=[1 m, 1 m, 0.5 m]");
    assert_true(fabs(s->transmitters[1].height - 3.4) < 1e-12);
    pw_scenario_free(s);
}

/* ---- refusals --------------------------------------------------------------------------------------------------- */

static void refuses(const char *text, const char *set, const char *const *named)
{
    pw_scenario *scenario = NULL;
    pw_error error = {""};
    if (pw_scenario_parse("house.yaml", text, &set, set != NULL, &scenario, &error) != PW_BAD_INPUT) {
        fail_msg("taken: %s", set != NULL ? set : text);
    }
    for (int n = 0; named[n] != NULL; n++) {
        if (strstr(error.message, named[n]) == NULL) {
            fail_msg("'%s' is not in the message for '%s': %s", named[n], set != NULL ? set : text, error.message);
        }
    }
}

static void bad_heights_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *set;
        const char *named[4];
    } CASES[] = {
        {"dimensions=4", {"--set dimensions=4", "out of range", "from 2 to at most 3"}},
        {"dimensions=2.5", {"dimensions", "whole number"}},
        {"plan.walls.0.z=[0 m, 6 m]", {"plan.walls[0].z[1]", "6 m lies outside the plan", "-20 cm to 5.3 m"}},
        {"plan.storeys.0.openings.1.z=[2 m, 3 m]",
         {"plan.storeys[0].openings[1].z[1]", "outside the storey 'ground'", "-20 cm to 2.9 m"}},
        {"plan.walls.0.z=[2 m, 1 m]", {"plan.walls[0].z", "'from' under 'to'", "[2 m, 1 m]"}},
        {"plan.walls.0.z=[2 m]", {"plan.walls[0].z", "two heights [from, to]"}},
        {"plan.walls.0.sill=1 m", {"plan.walls[0].sill", "unknown key"}},
        {"plan.storeys.0.openings.0.sill=2.2 m", {"openings[0].sill", "at 2.2 m, must lie under the head, at 2.1 m"}},
        {"plan.storeys.0.openings.0.z=[0 m, 1 m]", {"openings[0].z", "'sill' or 'head' is given too"}},
        {"plan.openings=[{from: [0, 0], to: [1, 1], sill: 1 m}]", {"plan.openings[0].sill", "needs a 'head'"}},
        {"plan.storeys.0.height=260", {"plan.storeys[0].height", "the unit is missing", "260 cm"}},
        {"plan.storeys.0.height=0 m", {"plan.storeys[0].height", "out of range"}},
        {"plan.storeys.0.floor.thickness=20", {"floor.thickness", "the unit is missing", "20 cm"}},
        {"plan.storeys.0.floor={material: wood}", {"plan.storeys[0].floor", "'thickness' is missing"}},
        {"plan.storeys.0.floor={thickness: 0.1}", {"plan.storeys[0].floor", "'material' is missing"}},
        {"plan.storeys.1.floor={material: concrete, thickness: 30 cm}",
         {"plan.storeys[0].ceiling", "differs from the floor of the storey 'upper'"}},
        {"plan.storeys.1.name=Ground", {"plan.storeys[1]", "second storey of the name 'Ground'"}},
        {"plan.storeys.1.name=ground", {"plan.storeys[1]", "second storey of the name 'ground'"}},
        {"plan.storeys=[{name: a}]", {"plan.storeys[0]", "'height' is missing", "2.6 m"}},
        {"plan.storey={height: 2 m}", {"plan.storey", "'storeys' is given too"}},
        {"plan.cut=2.7 m", {"plan.cut", "'2.7 m'", "lies in no storey"}},
        {"plan.storeys.1.boxes.0.from=[1, 1]", {"boxes[0].from", "corner [x, y, z]"}},
        {"plan.storeys.1.boxes.0.from=[6, 5, 0.7]", {"boxes[0]", "no volume"}},
        {"transmitters.a.at=[1, 1, 6]", {"transmitters[0].at", "6 m lies outside"}},
        {"transmitters.b.height=2.8", {"transmitters[1].height", "outside the storey 'upper'", "-30 cm to 2.4 m"}},
        {"transmitters.b.storey=attic", {"transmitters[1].storey", "'attic'", "ground, upper"}},
        {"transmitters.a.polarisation=z", {"transmitters[0].polarisation", "'z'", "vertical, x, y"}},
        {"transmitters.a.polarisation=[0, 0, 0]", {"polarisation", "must not be [0, 0, 0]"}},
        {"transmitters.a.polarisation=[1, 0]", {"polarisation", "three numbers"}},
        {"transmitters.a.antenna=yagi", {"transmitters[0].antenna", "hertzian, half-wave"}},
        {"receivers.l.to=[2, 7]", {"receivers[1]", "one end has a z"}},
        {"receivers.p={name: p, at: [1, 1, 1], polarisation: up}", {"receivers[0].polarisation", "'up'"}},
        {"receivers.g.grid.from=[2, 4, 1]", {"receivers[2].height", "has a z too"}},
        {"receivers.g.grid={from: [2, 4, 1], to: [3, 5, 2], spacing: 1}", {"receivers[2].grid", "same z"}},
        {"spectra.heights=[1 m, 9 m]", {"spectra.heights[1]", "outside"}},
        {"spectra.heights=[1 m, 100 cm]", {"spectra.heights[1]", "already"}},
        {"spectra.heights=1 m", {"spectra.heights", "must be a list"}},
        {"spectra.heights=[]", {"spectra.heights", "is empty", "leave it out"}},
        {"spectra.components=[]", {"spectra.components", "is empty", "leave it out"}},
        {"transmitters.a.at=[1, 1, 1, 1]", {"transmitters[0].at", "[x, y] or [x, y, z]"}},
        {"spectra.cuts=[{from: [1, 1], to: [2, 2]}]", {"spectra.cuts[0]", "along neither axis"}},
        {"spectra.cuts=[{from: [1, 1], to: [1, 1]}]", {"spectra.cuts[0]", "along neither axis"}},
        {"spectra.components=[ez, hx]", {"spectra.components[1]", "'hx'", "ex, ey, ez"}},
        {"grid.symmetry=[x, r]", {"grid.symmetry[1]", "'r'", "x, y, z"}},
        {"dimensions=2", {"grid.symmetry[1]", "three dimensions"}},
    };
    for (size_t n = 0; n < sizeof CASES / sizeof *CASES; n++) {
        refuses(HOUSE, CASES[n].set, CASES[n].named);
    }
}

/* What only three dimensions can do is refused in two, and not passed over. */
static void two_dimensions_have_one_component(void **state)
{
    (void)state;
    static const char FLAT[] = "plan: {size: [4, 3], storey: {height: 2.5 m}}\nband: 1 GHz\n"
                               "transmitters: [{at: [1, 1, 1], antenna: half-wave}]\nreceivers: [{at: [2, 2, 1]}]\n";
    pw_scenario_free(parse(FLAT, NULL));
    pw_scenario_free(parse(FLAT, "spectra.heights=[1 m]"));
    refuses(FLAT, "transmitters.0.polarisation=x",
            (const char *[]){"transmitters[0].polarisation", "set vertical", "dimensions: 3", NULL});
    refuses(FLAT, "receivers.0.polarisation=[1, 0, 1]",
            (const char *[]){"receivers[0].polarisation", "set vertical", NULL});
    refuses(FLAT, "spectra.components=[ex]", (const char *[]){"spectra.components", "ez alone", NULL});
    refuses(FLAT, "grid.symmetry=[y, z]", (const char *[]){"grid.symmetry[1]", "dimensions: 3", NULL});
}

static void places_in_the_file_are_named(void **state)
{
    (void)state;
    refuses("plan: {size: [4, 3]}\nband: 1 GHz\ndimensions: 3\n", NULL,
            (const char *[]){"house.yaml:1: plan", "need heights", "storey: {height: 2.6 m", NULL});
    refuses(
        "plan:\n  size: [4, 3]\n  walls:\n  - {from: [1, 1], to: [2, 1], thickness: 8 cm, material: wood, z: [0, 1]}\n",
        NULL, (const char *[]){"house.yaml:4: plan.walls[0].z", "the plan has none", "storey: {height: 2.6 m}", NULL});
    refuses("plan:\n  size: [4, 3]\n  boxes:\n  - {from: [1, 1, 0], to: [2, 2, 1], material: wood}\n", NULL,
            (const char *[]){"house.yaml:4: plan.boxes", "have heights", NULL});
    refuses("plan:\n  size: [4, 3]\n  cut: 1 m\n", NULL, (const char *[]){"house.yaml:3: plan.cut", "'storey'", NULL});
    refuses("plan:\n  size: [4, 3]\n  storey:\n    floor: none\n", NULL,
            (const char *[]){"house.yaml:4: plan.storey", "'height' is missing", NULL});
    refuses("plan:\n  size: [4, 3]\nband: 1 GHz\ntransmitters:\n- {at: [1, 1], storey: a}\n", NULL,
            (const char *[]){"house.yaml:5: transmitters[0].storey", "no storeys", NULL});
    refuses(PICTURE, "plan.legend.#00ff00={material: wood, z: [0, 3]}",
            (const char *[]){"plan.legend.#00ff00.z[1]", NULL});
    refuses(PICTURE, "plan.legend.#00ff00=[]", (const char *[]){"plan.legend.#00ff00", "layers", NULL});
    refuses(PICTURE, "plan.legend.#00ff00=[wood, brick]",
            (const char *[]){"plan.legend.#00ff00[0]", "needs heights", NULL});
    refuses("plan: {image: a.png, pixel: 1 cm, legend: {\"#00ff00\": {material: wood, z: [0, 1]}}}\n", NULL,
            (const char *[]){"plan.legend.#00ff00.z", "the plan has none", NULL});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(storeys_stand_on_each_other),
        cmocka_unit_test(shapes_reach_from_height_to_height),
        cmocka_unit_test(terminals_have_heights_and_directions),
        cmocka_unit_test(spectra_and_symmetry),
        cmocka_unit_test(colours_have_layers),
        cmocka_unit_test(files_have_heights),
        cmocka_unit_test(resolved_text_reads_back),
        cmocka_unit_test(flat_scenarios_are_written_as_before),
        cmocka_unit_test(overrides_win),
        cmocka_unit_test(bad_heights_are_named),
        cmocka_unit_test(two_dimensions_have_one_component),
        cmocka_unit_test(places_in_the_file_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
