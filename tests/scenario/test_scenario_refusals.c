/* Scenarios that are refused: messages that name the place, the value and what is allowed; hostile input; wrong calls.
 */
#include "tests/support/check.h"
#include "tests/support/scenario_texts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/scenario.h"

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
        const char *named[5];
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
        {"grid.absorber.kind=sponge", {"'sponge'", "upml", "cpml", "berenger"}},
        {"grid.absorber.kappa=2", {"grid.absorber.kappa", "cpml"}},
        {"grid.absorber={kind: cpml, kappa: 0.5}", {"grid.absorber.kappa", "from 1"}},
        {"grid.absorber={kind: cpml, alpha: 2 GHz}", {"grid.absorber.alpha", "S/m"}},
        {"grid.absorber.sides={left: pec}", {"grid.absorber.sides.left", "x_low"}},
        {"grid.absorber.sides={x_low: tar}", {"grid.absorber.sides.x_low", "'tar'", "pec"}},
        {"grid.absorber.sides={z_low: pec}", {"grid.absorber.sides.z_low", "three dimensions"}},
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
        {"plan.walls=[{from: [1, 1], to: [5, 1], thickness: 6 mm, material: glass, coating: 5 m}]",
         {"plan.walls[0].coating", "'5 m'", "ohm"}},
        {"plan.walls=[{from: [1, 1], to: [5, 1], thickness: 6 mm, material: low-e glass, coating: 5 ohm}]",
         {"plan.walls[0].coating", "already"}},
        {"plan.walls=[{from: [1, 1], to: [5, 1], thickness: 6 mm, material: glass, coating: {side: up}}]",
         {"left, right"}},
        {"plan.walls=[{from: [1, 1], to: [5, 1], layers: []}]", {"plan.walls[0]", "layers"}},
        {"plan.walls=[{from: [1, 1], to: [5, 1], layers: [{material: brick}]}]",
         {"layers[0]", "'thickness' is missing"}},
        {"plan.walls=[{from: [1, 1], to: [5, 1], material: brick, layers: [{material: brick, thickness: 1 cm}]}]",
         {"plan.walls[0].material", "'layers' too"}},
        {"plan.walls=[{from: [1, 1], to: [5, 1], thickness: 2 cm, layers: [{material: brick, thickness: 1 cm}]}]",
         {"plan.walls[0].thickness", "10 mm"}},
        {"plan.circles=[{centre: [1, 1], radius: 5 cm, material: low-e glass}]", {"circles[0]", "no coating"}},
        {"plan.walls={}", {"plan.walls", "must be a list"}},
        {"plan.walls=[{from: [1, 1], to: [5, 1], thickness: 12, material: wood}]",
         {"plan.walls[0].thickness", "'12'", "the unit is missing", "12 cm"}},
        {"plan.walls=[{from: [1, 1], to: [2, 1], thickness: 1.5, material: wood}]", {"the unit is missing"}},
        {"plan.rectangles=[{from: [0, 0], to: [1, 1], material: drywall}]", {"'drywall'", "mean 'plasterboard'?"}},
        {"plan.rectangles=[{from: [0, 0], to: [1, 1], material: Steel}]", {"'Steel'", "mean 'metal'?"}},
        {"plan.rectangles=[{from: [0, 0], to: [1, 1], material: particle_board}]", {"mean 'chipboard'?"}},
        {"plan.rectangles=[{from: [0, 0], to: [1, 1], material: conkrete}]", {"mean 'concrete'?"}},
        {"band.centre=2.4", {"band.centre", "'2.4'", "the unit is missing", "2.4 GHz"}},
        {"band.width=600", {"band.width", "'600'", "the unit is missing", "600 MHz"}},
        {"transmitters[1].power=1 dBm", {"'transmitters' has no item '[1]'", "counted from 0"}},
        {"transmitters[0]power=1 dBm", {"after an item in brackets comes a dot"}},
        {"transmitters[0.power=1 dBm", {"'transmitters' has no item"}},
        {"band[0]=1 GHz", {"'band' is not a list"}},
        {"plan.openings=[{from: [0, 0], to: [1, 1], radius: 1}]", {"openings[0].radius", "unknown key"}},
        {"transmitters=[]", {"transmitters", "at least one"}},
        {"transmitters.0.at=[1 GHz, 1]", {"transmitters[0].at[0]", "'1 GHz'", "cm"}},
        {"transmitters.0.at=5", {"transmitters[0].at", "[x, y]"}},
        {"transmitters.0.power=20", {"transmitters[0].power", "dBm", "cannot be left out"}},
        {"transmitters.0.name=a/b", {"'a/b'", "letters"}},
        {"transmitters.0.name=..", {"is no name"}},
        {"transmitters.0.name=-q", {"'-q'", "no name for a station", "an option"}},
        {"transmitters.0.name=best", {"'best'", "the strongest transmitter"}},
        {"transmitters.0.name=all", {"'all'", "all of them"}},
        {"receivers=[{name: all, at: [1, 1]}]", {"receivers[0].name", "'all'"}},
        {"receivers=[{name: -f, from: [1, 1], to: [2, 1], count: 3}]", {"receivers[0].name", "'-f'"}},
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
        {"spectra=maybe", {"spectra", "map"}},
        {"accuracy=1", {"accuracy", "dB"}},
        {"accuracy=200 %", {"accuracy", "out of range"}},
        {"warp=maybe", {"warp", "on, off"}},
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
    refuses_text("plan: {}\n", "flat.yaml:1: plan", "'image', a 'drawing' or a 'size'");
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
    refuses_text("", "flat.yaml:1: nothing is written here", "keys are expected");
    refuses_text("# house\n", "flat.yaml:1: nothing is written here", "keys are expected");
    refuses_text("- 1\n", "flat.yaml:1: keys are expected", "'title: My house'");
    refuses_text("just words\n", "flat.yaml:1: keys are expected", "'title: My house'");
    refuses_text("title: [a\nplan: b\n", "flat.yaml:", "not valid YAML");
    refuses_text("title:\ta\n\tplan: b\n", "flat.yaml:2: ", "not valid YAML");
    refuses_text("plan:\n  size: [1, 1]\n\tband: b\n", "flat.yaml:3: ", "a tab indents this line");
    refuses_text("title:\ta\n  plan: b\n", "flat.yaml:2: ", "not valid YAML: mapping values");
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
        cmocka_unit_test(bad_values_are_named),       cmocka_unit_test(places_in_the_file_are_named),
        cmocka_unit_test(what_is_not_a_scenario),     cmocka_unit_test(hostile_text_is_bounded),
        cmocka_unit_test(mangled_text_never_crashes), cmocka_unit_test(wrong_calls_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
