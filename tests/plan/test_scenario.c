/* Scenarios: every key to its value, defaults, overrides, the text that reads back, refusals that name the place, and
 * hostile input. */
#include "tests/support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scenario/scenario.h"

/* The example of the manual, on one page. */
static const char FULL[] =
    "title: Flat, access point in the corridor\n"
    "plan:\n"
    "  image: flat.png\n"
    "  pixel: 2 cm\n"
    "  tolerance: 3\n"
    "  legend:\n"
    "    \"#000000\": brick\n"
    "    \"#3060C0\": {relative_permittivity: 2.89, conductivity: 0.002 S/m}\n"
    "    \"#ffffff\": air\n"
    "  size: [15.36 m, 12 m]\n"
    "  openings:   [{from: [7.2 m, 1.28 m], to: [8.1 m, 1.2 m]}]\n"
    "  rectangles: [{from: [1.2 m, 1.2 m], to: [14.16 m, 1.28 m], material: brick}]\n"
    "  polygons:   [{points: [[2 m, 2 m], [3 m, 2 m], [3 m, 4 m]], material: wood}]\n"
    "  circles:    [{centre: [6.1 m, 5.6 m], radius: 25 cm, material: Ceiling_board}]\n"
    "  walls:      [{from: [1 m, 2 m], to: [5 m, 3 m], thickness: 8 cm, material: {perfect_conductor: true}}]\n"
    "grid:\n"
    "  scheme: dd3\n"
    "  cell: 2 cm\n"
    "  courant: 0.25\n"
    "  averaging: area\n"
    "  absorber: {kind: upml, cells: 10 cells, order: 3, reflection: 1.125e-7}\n"
    "band: {centre: 2.4 GHz, width: 600 MHz}\n"
    "transmitters:\n"
    "  - {name: ap1, at: [7.68 m, 7.68 m], power: 17 dBm}\n"
    "  - name: line.2\n"
    "    at: [1 m, 1 m]\n"
    "    to: [2 m, 1 m]\n"
    "    power: 100 mW\n"
    "    source: hard\n"
    "    sampled_at: end\n"
    "    waveform: {kind: gaussian, width: 0.5 ns, delay: 1.5 ns, amplitude: 2}\n"
    "  - {at: [3, 3], waveform: {kind: samples, file: pulse.csv}}\n"
    "receivers:\n"
    "  - {name: north, at: [7.68 m, 10.24 m]}\n"
    "  - {name: far away, at: [1, 1], gain: 3 dBi}\n"
    "spectra: {count: 232, spacing: 4 cells, region: [3, 4, 1, 2], every: 8, aliasing: 60 dB, warp: off}\n"
    "stop: {after: 386.44 ns, steps: 4096, decay: -60 dB}\n";

static const char SMALL[] = "plan: {size: [4, 3]}\n"
                            "grid: {cell: 2 cm}\n"
                            "band: {centre: 2.4 GHz, width: 600 MHz}\n"
                            "transmitters: [{at: [1, 1]}]\n"
                            "stop: {after: 100 ns}\n";

static pw_scenario *parse(const char *text, const char *set)
{
    pw_scenario *scenario = NULL;
    pw_error error = {""};
    if (pw_scenario_parse("dir/flat.yaml", text, set != NULL ? &set : NULL, set != NULL, &scenario, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    return scenario;
}

static void every_key_reaches_its_place(void **state)
{
    (void)state;
    pw_scenario *s = parse(FULL, NULL);
    assert_string_equal(s->file, "dir/flat.yaml");
    assert_string_equal(s->title, "Flat, access point in the corridor");
    assert_true(s->band_centre == 2.4e9 && s->band_width == 600e6);
    assert_string_equal(s->plan.image, "flat.png");
    assert_true(s->plan.pixel == 0.02 && s->plan.tolerance == 3 && s->plan.width == 15.36 && s->plan.height == 12);
    assert_int_equal(s->plan.legend_count, 3);
    assert_int_equal(s->plan.legend[1].red, 0x30);
    assert_int_equal(s->plan.legend[1].green, 0x60);
    assert_int_equal(s->plan.legend[1].blue, 0xc0);
    assert_true(s->plan.legend[1].material.own_values && s->plan.legend[1].material.relative_permittivity == 2.89 &&
                s->plan.legend[1].material.conductivity == 0.002);
    assert_false(s->plan.legend[0].material.own_values);
    assert_string_equal(s->plan.legend[0].material.name, "brick");
    assert_true(s->grid.scheme == SCHEME_DD3 && s->grid.cell == 0.02 && s->grid.courant == 0.25 &&
                s->grid.averaging == AVERAGING_AREA);
    assert_true(s->grid.absorber.kind == ABSORBER_UPML && s->grid.absorber.cells == 10 && s->grid.absorber.order == 3 &&
                s->grid.absorber.reflection == 1.125e-7);
    assert_true(s->spectra.enabled && s->spectra.count == 232 && s->spectra.spacing == 4 && s->spectra.every == 8 &&
                s->spectra.aliasing == 60 && !s->spectra.warp && s->spectra.has_region);
    assert_true(s->spectra.from.x == 1 && s->spectra.from.y == 2 && s->spectra.to.x == 3 && s->spectra.to.y == 4);
    assert_true(s->stop.after == 386.44e-9 && s->stop.steps == 4096 && s->stop.decay == -60);
    assert_int_equal(s->receiver_count, 2);
    assert_string_equal(s->receivers[1].name, "far away");
    assert_true(s->receivers[0].at.y == 10.24 && s->receivers[0].gain == 0 && s->receivers[1].gain == 3);
    pw_scenario_free(s);
}

static void transmitters_are_read(void **state)
{
    (void)state;
    pw_scenario *s = parse(FULL, NULL);
    assert_int_equal(s->transmitter_count, 3);
    const struct transmitter_choice *first = &s->transmitters[0], *second = &s->transmitters[1],
                                    *third = &s->transmitters[2];
    assert_true(first->power == 17 && first->to.x == 7.68 && first->source == SOURCE_SOFT &&
                !first->sampled_at_step_end);
    assert_true(first->waveform.kind == WAVEFORM_MODULATED_GAUSSIAN && first->waveform.frequency == 2.4e9 &&
                first->waveform.amplitude == 1 && first->waveform.width == 0 && isnan(first->waveform.delay));
    assert_string_equal(second->name, "line.2");
    assert_int_equal(second->line, 25);
    assert_true(fabs(second->power - 20) < 1e-12 && second->to.x == 2 && second->to.y == 1 &&
                second->source == SOURCE_HARD && second->sampled_at_step_end);
    assert_true(second->waveform.kind == WAVEFORM_GAUSSIAN && second->waveform.width == 0.5e-9 &&
                second->waveform.delay == 1.5e-9 && second->waveform.amplitude == 2);
    assert_string_equal(third->name, "tx3");
    assert_true(third->power == 20 && third->waveform.kind == WAVEFORM_SAMPLES);
    assert_string_equal(third->waveform.file, "pulse.csv");
    pw_scenario_free(s);
}

/* Lists are drawn in the order of the manual, whatever their order in the file. */
static void shapes_come_in_drawing_order(void **state)
{
    (void)state;
    pw_scenario *s = parse(FULL, NULL);
    assert_int_equal(s->plan.shape_count, 5);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(s->plan.shapes[i].kind, i);
    }
    const struct shape *shapes = s->plan.shapes;
    assert_true(shapes[0].points[0].x == 1.2 && shapes[0].points[1].y == 1.28);
    assert_int_equal(shapes[1].point_count, 3);
    assert_true(shapes[1].points[2].x == 3 && shapes[1].points[2].y == 4);
    assert_true(shapes[2].radius == 0.25 && shapes[2].points[0].y == 5.6);
    assert_string_equal(shapes[2].material.name, "ceiling board");
    assert_true(shapes[3].thickness == 0.08 && shapes[3].material.perfect_conductor);
    assert_string_equal(shapes[4].material.name, "air");
    assert_true(shapes[4].points[0].y == 1.2 && shapes[4].points[1].y == 1.28); /* corners sorted */
    assert_int_equal(shapes[4].line, 11);
    pw_scenario_free(s);
}

static void defaults_are_filled_in(void **state)
{
    (void)state;
    pw_scenario *s = parse(SMALL, NULL);
    assert_string_equal(s->title, "flat");
    assert_true(s->grid.scheme == SCHEME_DD4 && s->grid.averaging == AVERAGING_MOMENT && s->grid.courant == 0.5);
    assert_true(s->grid.absorber.kind == ABSORBER_UPML && s->grid.absorber.cells == 16 && s->grid.absorber.order == 4 &&
                s->grid.absorber.reflection == exp(-16));
    assert_true(!s->spectra.enabled && s->spectra.warp && s->receiver_count == 0 && s->plan.image == NULL);
    assert_true(s->transmitters[0].power == 20 && s->stop.steps == 0 && s->stop.decay == 0);
    assert_string_equal(s->transmitters[0].name, "tx1");
    pw_scenario_free(s);
    s = parse(SMALL, "grid.scheme=yee");
    assert_true(s->grid.averaging == AVERAGING_AREA);
    pw_scenario_free(s);
    s = parse(SMALL, "grid.absorber={kind: none}");
    assert_true(s->grid.absorber.kind == ABSORBER_PEC && s->grid.absorber.cells == 0);
    pw_scenario_free(s);
    s = parse(SMALL, "spectra={}");
    assert_true(s->spectra.enabled && s->spectra.every == 0 && s->spectra.aliasing == 80 && s->spectra.warp);
    pw_scenario_free(s);
}

/* The shortest wavelength in air is at the upper band edge, 2.7 GHz. */
static void cells_per_wavelength_give_the_cell(void **state)
{
    (void)state;
    pw_scenario *s = parse(SMALL, "grid.cells_per_wavelength=6"); /* wins over the cell of the file */
    assert_true(fabs(s->grid.cell - 299792458.0 / 2.7e9 / 6) < 1e-17);
    pw_scenario_free(s);
}

static void overrides_reach_into_lists(void **state)
{
    (void)state;
    const char *set[] = {"transmitters.ap1.power=10 dBm",
                         "transmitters.line.2.at=[1.5, 1]",
                         "receivers.0.at=[1,2]",
                         "grid.scheme=fd6",
                         "spectra.warp=on",
                         "title=a=b",
                         "receivers.far away.gain=0",
                         "plan.walls.0.thickness=1 cm",
                         "stop.decay=off"};
    pw_scenario *s = NULL;
    pw_error error = {""};
    if (pw_scenario_parse("x", FULL, set, sizeof set / sizeof set[0], &s, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    assert_true(s->transmitters[0].power == 10 && s->transmitters[1].at.x == 1.5 && s->receivers[0].at.y == 2);
    assert_true(s->grid.scheme == SCHEME_FD6 && s->spectra.warp && s->receivers[1].gain == 0);
    assert_true(s->plan.shapes[3].thickness == 0.01 && s->stop.decay == 0);
    assert_string_equal(s->title, "a=b");
    pw_scenario_free(s);
}

static void reads_back(const char *text, const char *set)
{
    pw_scenario *first = parse(text, set), *second = parse(pw_scenario_text(first), NULL);
    assert_string_equal(pw_scenario_text(first), pw_scenario_text(second));
    assert_true(first->grid.cell == second->grid.cell && first->stop.after == second->stop.after);
    assert_true(first->grid.absorber.reflection == second->grid.absorber.reflection);
    assert_int_equal(first->plan.shape_count, second->plan.shape_count);
    for (int i = 0; i < first->plan.shape_count; i++) {
        const struct shape *a = &first->plan.shapes[i], *b = &second->plan.shapes[i];
        assert_int_equal(a->point_count, b->point_count);
        assert_memory_equal(a->points, b->points, (size_t)a->point_count * sizeof *a->points);
        assert_true(a->kind == b->kind && a->radius == b->radius && a->thickness == b->thickness);
        assert_memory_equal(&a->material, &b->material, sizeof a->material);
    }
    for (int i = 0; i < first->transmitter_count; i++) {
        const struct transmitter_choice *a = &first->transmitters[i], *b = &second->transmitters[i];
        assert_true(a->power == b->power && a->to.x == b->to.x && a->waveform.kind == b->waveform.kind);
        assert_true(a->waveform.ramp == b->waveform.ramp && a->waveform.width == b->waveform.width);
    }
    pw_scenario_free(first);
    pw_scenario_free(second);
}

static void resolved_text_reads_back(void **state)
{
    (void)state;
    static const char *const SETS[] = {
        "grid.cells_per_wavelength=7.3",
        "spectra=off",
        "warp=off",
        "grid.absorber={kind: pec}",
        "transmitters.0.waveform={kind: ricker}",
        "transmitters.0.waveform={kind: sinusoid, frequency: 2.41 GHz}",
        "transmitters.0.waveform={kind: constant, ramp: 3 ns}",
        "transmitters.0.waveform={kind: differentiated-gaussian, width: 0.1 ns}",
        "transmitters.0.at=[0.1, 0.30000000000000004]",
        "transmitters.0.power=123 mW",
        "title=\"quote \\\" backslash \\\\ tab \\t line \\n nel \\x85 separator \\u2028 euro \xe2\x82\xac\"",
        "title=\"\"",
        "plan.rectangles=[{from: [0, 0], to: [1, 1], material: {name: my wall, relative_permittivity: 3}}]",
    };
    reads_back(FULL, NULL);
    reads_back(SMALL, NULL);
    for (size_t i = 0; i < sizeof SETS / sizeof SETS[0]; i++) {
        reads_back(SMALL, SETS[i]);
        reads_back(FULL, SETS[i]);
    }
}

static void warp_has_two_places(void **state)
{
    (void)state;
    pw_scenario *s = parse(FULL, "warp=on"); /* the file says off, within spectra */
    assert_true(s->spectra.warp);
    pw_scenario_free(s);
    s = parse(SMALL, "warp=off");
    assert_false(s->spectra.warp);
    pw_scenario_free(s);
}

/* ---- refusals --------------------------------------------------------------------------------------------------- */

static void refuses(const char *text, size_t override_count, const char *const *set, const char *const *named)
{
    pw_scenario *scenario = (pw_scenario *)&text;
    pw_error error = {""};
    assert_int_equal(pw_scenario_parse("flat.yaml", text, set, override_count, &scenario, &error), PW_BAD_INPUT);
    assert_null(scenario);
    for (int i = 0; named[i] != NULL; i++) {
        if (strstr(error.message, named[i]) == NULL) {
            fail_msg("'%s' is not in the message for '%s': %s", named[i], override_count > 0 ? set[0] : text,
                     error.message);
        }
    }
}

/* Every refusal of an override names the override, the key and what is allowed. */
static void bad_values_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *set;
        const char *named[4];
    } CASES[] = {
        {"grdi.cell=1 cm", {"grdi", "did you mean 'grid'?"}},
        {"grid.cel=1 cm", {"grid.cel", "did you mean 'cell'?", "courant"}},
        {"grid.cell=2 kg", {"grid.cell", "'2 kg'", "cm"}},
        {"grid.cell=0", {"grid.cell", "out of range"}},
        {"grid.cell=-2 cm", {"'-2 cm'", "out of range"}},
        {"grid.cell=nan", {"'nan'"}},
        {"grid.cell=1e999", {"too large"}},
        {"grid.cell=[1, 2]", {"grid.cell", "is a list"}},
        {"grid.scheme=dd5", {"'dd5'", "did you mean 'dd2'?", "fd8"}},
        {"grid.courant=1.5", {"grid.courant", "'1.5'", "at most 1"}},
        {"grid.averaging=mean", {"'mean'", "moment"}},
        {"grid.absorber.kind=cpml", {"'cpml'", "upml"}},
        {"grid.absorber.cells=1.5", {"whole number"}},
        {"grid.absorber={kind: pec, cells: 4}", {"grid.absorber.cells"}},
        {"grid.absorber.reflection=1", {"below 1"}},
        {"band.width=4.8 GHz", {"band.width", "above 0 Hz"}},
        {"band.centre=0", {"band.centre", "out of range"}},
        {"band.centre=2.4 m", {"band.centre", "GHz"}},
        {"plan.pixel=1 m", {"plan.pixel", "image"}},
        {"plan.size=[1 m]", {"plan.size", "two lengths"}},
        {"plan.size=[0, 1]", {"plan.size[0]", "out of range"}},
        {"plan.rectangles=[{from: [0, 0], to: [0, 1], material: brick}]", {"rectangles[0]", "no area"}},
        {"plan.rectangles=[{from: [0, 0], to: [1, 1]}]", {"rectangles[0]", "'material' is missing"}},
        {"plan.rectangles=[{from: [0, 0], to: [1, 1], material: brik}]", {"'brik'", "plasterboard"}},
        {"plan.rectangles=[{from: [0, 0], to: [1, 1], material: {relative_permittivity: 0.5}}]", {"'0.5'", "from 1"}},
        {"plan.rectangles=[{from: [0, 0], to: [1, 1], material: {conductivity: 1 S/m}}]", {"relative_permittivity"}},
        {"plan.rectangles=[{from: [0, 0], to: [1, 1], material: {perfect_conductor: yes, conductivity: 1}}]",
         {"perfect conductor"}},
        {"plan.polygons=[{points: [[0, 0], [1, 1]], material: wood}]", {"polygons[0].points", "three"}},
        {"plan.polygons=[{points: [[0, 0], [1, 1], [1]], material: wood}]", {"points[2]", "[x, y]"}},
        {"plan.circles=[{centre: [0, 0], radius: 0, material: wood}]", {"circles[0].radius", "out of range"}},
        {"plan.walls=[{from: [1, 1], to: [1, 1], thickness: 1 cm, material: wood}]", {"walls[0]", "no length"}},
        {"plan.walls={}", {"plan.walls", "must be a list"}},
        {"plan.openings=[{from: [0, 0], to: [1, 1], material: wood}]", {"openings[0].material", "unknown key"}},
        {"transmitters=[]", {"transmitters", "at least one"}},
        {"transmitters.0.at=[1 GHz, 1]", {"transmitters[0].at[0]", "'1 GHz'", "cm"}},
        {"transmitters.0.at=5", {"transmitters[0].at", "[x, y]"}},
        {"transmitters.0.power=20", {"transmitters[0].power", "dBm", "cannot be left out"}},
        {"transmitters.0.name=a/b", {"'a/b'", "letters"}},
        {"transmitters.0.name=..", {"is no name"}},
        {"transmitters.0.name=\" a\"", {"is no name"}},
        {"transmitters.1.power=1 dBm", {"'transmitters' has no item '1'"}},
        {"transmitters.0.source=loud", {"'loud'", "soft, hard"}},
        {"transmitters.0.waveform.kind=gaussain", {"did you mean 'gaussian'?"}},
        {"transmitters.0.waveform={kind: ricker, width: 1 ns}", {"width", "(for kind: ricker)"}},
        {"transmitters.0.waveform={kind: samples}", {"'file' is missing"}},
        {"transmitters.0.waveform={amplitude: 0}", {"amplitude"}},
        {"transmitters=[{name: a, at: [1, 1]}, {name: a, at: [2, 2]}]", {"transmitters[1]", "'a'", "differ"}},
        {"receivers=[{name: a, at: [1, 1]}, {name: b, at: [1, 1]}, {name: a, at: [2, 2]}]",
         {"receivers", "'a'", "differ"}},
        {"receivers=[{name: a}]", {"receivers[0]", "'at' is missing"}},
        {"receivers=[north]", {"receivers[0]", "map"}},
        {"spectra.count=0", {"spectra.count", "out of range"}},
        {"spectra.spacing=4 cm", {"spectra.spacing", "cells"}},
        {"spectra.region=[1, 2, 3]", {"spectra.region", "four"}},
        {"spectra=on", {"spectra", "map"}},
        {"warp=maybe", {"warp", "on, off"}},
        {"stop={decay: -60 dB}", {"stop", "'after'", "'steps'"}},
        {"stop.decay=60 dB", {"stop.decay", "at most 0 dB"}},
        {"stop.decay=-60", {"stop.decay", "dB"}},
        {"stop.steps=1e30", {"stop.steps", "out of range"}},
        {"stop.after.x=1", {"'after' is a single value"}},
        {"stop..after=1", {"empty part"}},
        {"stop.=1", {"empty part"}},
        {"stop.after", {"'='"}},
        {"=1", {"'='"}},
        {"stop.after=", {"no value"}},
        {"title=[a", {"not valid YAML"}},
        {"title=a\n---\nb", {"second"}},
        {"a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a=1", {"too many"}},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        refuses(SMALL, 1, &CASES[i].set, (const char *const[]){"--set ", NULL});
        refuses(SMALL, 1, &CASES[i].set, CASES[i].named);
    }
}

static void refuses_text(const char *text, const char *a, const char *b)
{
    refuses(text, 0, NULL, (const char *const[]){a, b, NULL});
}

static void places_in_the_file_are_named(void **state)
{
    (void)state;
    refuses_text("plan: {size: [4, 3]}\ngrid: {cell: 2 cm}\nband:\n  centre: 2.4 GHz\n  width: 600 kg\n",
                 "flat.yaml:5: band.width", "'600 kg'");
    refuses_text("plan: {size: [4, 3]}\ngrid:\n  cell: 2 cm\n  cell: 3 cm\n", "flat.yaml:4: ", "line 3");
    refuses_text("plan: {size: [4, 3]}\ngrid: {cell: 2 cm, cells_per_wavelength: 5}\nband: {centre: 1e9, width: 1e8}\n",
                 "flat.yaml:2: grid.cells_per_wavelength", "one of the two");
    refuses_text("plan: {size: [4, 3]}\nbandd: 3\n", "flat.yaml:2: bandd", "did you mean 'band'?");
    refuses_text("plan: {size: [4, 3]}\nband:\n", "flat.yaml:2: band", "has no value");
    refuses_text("plan: {}\n", "flat.yaml:1: plan", "'image' or a 'size'");
    refuses_text("plan: {image: a.png}\n", "plan", "'pixel' is missing");
    refuses_text("plan: {image: a.png, pixel: 1 cm}\n", "plan", "'legend' is missing");
    refuses_text("plan: {image: a.png, pixel: 1 cm, legend: {}}\n", "plan.legend", "colours");
    refuses_text("plan: {image: a.png, pixel: 1 cm, legend: {black: brick}}\n", "plan.legend.black", "#rrggbb");
    refuses_text("plan: {image: a.png, pixel: 1 cm, legend: {\"#ABCDEF\": brick, \"#abcdef\": air}}\n",
                 "plan.legend.#abcdef", "already");
    refuses_text("plan: {image: \"\", pixel: 1 cm}\n", "plan.image", "path");
    refuses_text("title: x\n", "flat.yaml:1: ", "'plan' is missing");
}

static void what_is_not_a_scenario(void **state)
{
    (void)state;
    refuses_text("", "flat.yaml:1: ", "map");
    refuses_text("- 1\n", "flat.yaml:1: ", "map");
    refuses_text("just words\n", "flat.yaml:1: ", "map");
    refuses_text("title: [a\nplan: b\n", "flat.yaml:", "not valid YAML");
    refuses_text("title:\ta\n\tplan: b\n", "flat.yaml:2: ", "not valid YAML");
    refuses_text("title: \xff\xfe\n", "flat.yaml:", "not valid YAML");
    refuses_text("title: \"a\\0b\"\n", "flat.yaml:1: ", "zero character");
    refuses_text("title: &x a\nplan: *x\n", "flat.yaml:2: ", "aliases");
    refuses_text("title: !!python/object a\n", "flat.yaml:1: ", "tags");
    refuses_text("title: !!map {}\n", "flat.yaml:1: ", "tags");
    refuses_text("title: a\n---\ntitle: b\n", "flat.yaml:2: ", "second");
    refuses_text("[1, 2]: a\n", "flat.yaml:1: ", "key");
    refuses_text("? {a: b}\n: c\n", "flat.yaml:1: ", "key");
}

static char *repeated(const char *head, const char *part, int count, const char *tail)
{
    size_t length = strlen(part);
    char *text = malloc(strlen(head) + length * (size_t)count + strlen(tail) + 1);
    assert_non_null(text);
    char *at = stpcpy(text, head);
    for (int i = 0; i < count; i++) {
        at = stpcpy(at, part);
    }
    strcpy(at, tail);
    return text;
}

static void hostile_text_is_bounded(void **state)
{
    (void)state;
    char *text = repeated("title: ", "[", 100000, "");
    refuses_text(text, "nested deeper", "16");
    free(text);
    text = repeated("title: [", "a,", 1100000, "]");
    refuses_text(text, "a million", "flat.yaml:1: ");
    free(text);
    text = repeated("title: \"", "x", 5000, "\"\n");
    refuses_text(text, "title", "5000 characters");
    free(text);
    text = malloc(20000);
    assert_non_null(text);
    size_t used = 0;
    for (int i = 0; i < 1100; i++) {
        used += (size_t)snprintf(text + used, 20000 - used, "k%d: 1\n", i);
    }
    refuses_text(text, "more than 1024 keys", "flat.yaml:1025: ");
    free(text);
    text = repeated("", "- {a: b}\n", 1, "\x01\x02");
    refuses_text(text, "not valid YAML", "flat.yaml:");
    free(text);
}

/* Every prefix of a scenario, and every scenario with one byte changed, is taken or refused, and nothing else. */
static void mangled_text_never_crashes(void **state)
{
    (void)state;
    char text[sizeof FULL];
    for (size_t length = 0; length < sizeof FULL; length++) {
        for (int change = 0; change < 3; change++) {
            memcpy(text, FULL, sizeof FULL);
            if (change == 0) {
                text[length] = '\0';
            } else if (length + 1 < sizeof FULL) {
                text[length] = change == 1 ? '{' : (char)(text[length] ^ 0x15);
            }
            pw_scenario *scenario = NULL;
            pw_error error = {""};
            pw_status status = pw_scenario_parse("x.yaml", text, NULL, 0, &scenario, &error);
            assert_true(status == PW_OK || status == PW_BAD_INPUT);
            assert_true((status == PW_OK) == (scenario != NULL));
            assert_true(status == PW_OK || error.message[0] != '\0');
            pw_scenario_free(scenario);
        }
    }
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

static void files_resolve_their_paths(void **state)
{
    (void)state;
    char folder[] = "/tmp/test_scenario_XXXXXX", path[64], expected[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.yaml", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(FULL, file);
    assert_int_equal(fclose(file), 0);
    pw_scenario *s = NULL;
    pw_error error = {""};
    assert_int_equal(pw_scenario_load(path, NULL, 0, &s, &error), PW_OK);
    snprintf(expected, sizeof expected, "%s/flat.png", folder);
    assert_string_equal(s->plan.image, expected);
    snprintf(expected, sizeof expected, "%s/pulse.csv", folder);
    assert_string_equal(s->transmitters[2].waveform.file, expected);
    pw_scenario_free(s);
    const char *set = "plan.image=/abs/x.png";
    assert_int_equal(pw_scenario_load(path, &set, 1, &s, &error), PW_OK);
    assert_string_equal(s->plan.image, "/abs/x.png");
    pw_scenario_free(s);

    assert_int_equal(truncate(path, 5 << 20), 0);
    assert_int_equal(pw_scenario_load(path, NULL, 0, &s, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, "larger than 4 MiB"));
    assert_null(s);
    unlink(path);
    assert_int_equal(pw_scenario_load(path, NULL, 0, &s, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, path));
    assert_int_equal(pw_scenario_load(folder, NULL, 0, &s, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, folder));
    rmdir(folder);
}

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    pw_scenario *s = NULL;
    pw_error error;
    assert_int_equal(pw_scenario_parse(NULL, "", NULL, 0, &s, &error), PW_USAGE);
    assert_int_equal(pw_scenario_parse("x", NULL, NULL, 0, &s, &error), PW_USAGE);
    assert_int_equal(pw_scenario_parse("x", "", NULL, 1, &s, &error), PW_USAGE);
    assert_int_equal(pw_scenario_parse("x", "", NULL, 0, NULL, NULL), PW_USAGE);
    assert_int_equal(pw_scenario_load(NULL, NULL, 0, &s, &error), PW_USAGE);
    pw_scenario_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_reaches_its_place),
        cmocka_unit_test(transmitters_are_read),
        cmocka_unit_test(shapes_come_in_drawing_order),
        cmocka_unit_test(defaults_are_filled_in),
        cmocka_unit_test(cells_per_wavelength_give_the_cell),
        cmocka_unit_test(overrides_reach_into_lists),
        cmocka_unit_test(resolved_text_reads_back),
        cmocka_unit_test(warp_has_two_places),
        cmocka_unit_test(bad_values_are_named),
        cmocka_unit_test(places_in_the_file_are_named),
        cmocka_unit_test(what_is_not_a_scenario),
        cmocka_unit_test(hostile_text_is_bounded),
        cmocka_unit_test(mangled_text_never_crashes),
        cmocka_unit_test(files_resolve_their_paths),
        cmocka_unit_test(wrong_calls_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
