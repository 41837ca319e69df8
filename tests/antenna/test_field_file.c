/* Far-field files of CST and Feko: made here from the closed form of a patch that looks along z, read, turned and held
 * against that form; frequencies, gains, what is refused, and a scenario with one, written back and set up. */
#include "discretize/setup.h"
#include "scenario/antenna/antenna_field.h"
#include "scenario/antenna/field_file.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST = 1 << 20 };
static char text[LONGEST];

/* E of a patch that looks along z, E along x ahead: theta^ and phi^ parts. */
static void patch_parts(double theta, double phi, double parts[2])
{
    const double u = M_PI_2 * sin(theta) * cos(phi), v = M_PI_2 * sin(theta) * sin(phi);
    const double shape = 0.5 * (1 + cos(theta)) * cos(u) * (fabs(v) > 1e-9 ? sin(v) / v : 1);
    parts[0] = shape * cos(phi);
    parts[1] = -shape * sin(phi);
}

/* A file with a block at each frequency [GHz], the phase of the second a quarter ahead; `step` in degrees. */
static void write_file(bool cst, int step, const double frequency[2], double scale, const char *type)
{
    size_t used =
        cst ? (size_t)snprintf(text, LONGEST,
                               "// CST Farfield Source File\n\n// Version:\n3.0\n\n// #Frequencies\n2\n\n"
                               "// Position\n0 0 0\n\n// zAxis\n0 0 1\n\n// Radiated/Accepted/Stimulated Power "
                               ", Frequency\n0.5\n2\n2.5\n%ge9\n\n0.5\n2\n2.5\n%ge9\n\n",
                               frequency[0], frequency[1])
            : (size_t)snprintf(text, LONGEST, "##File Type: Far Field\n##File Format: 4\n** Configuration\n\n");
    for (int block = 0; block < 2; block++) {
        used +=
            (size_t)snprintf(text + used, LONGEST - used,
                             cst ? "// >> Total #phi samples, total #theta samples\n24 13\n\n// >> Phi, Theta, "
                                   "Re(E_Theta), Im(E_Theta), Re(E_Phi), Im(E_Phi):\n"
                                 : "#Configuration Name: C\n#Request Name: F\n#Frequency:   %ge9\n#Coordinate System: "
                                   "Spherical\n#Result Type: %s\n#No. of Theta Samples: 13\n",
                             frequency[block], type);
        for (int phi = 0; phi < 360 + (cst ? 0 : step); phi += step) { /* Feko's include 360 */
            for (int theta = 0; theta <= 180; theta += step) {
                double parts[2];
                patch_parts(theta * M_PI / 180, phi * M_PI / 180, parts);
                const double re = block == 0 ? scale : 0, im = block == 0 ? 0 : scale;
                used += (size_t)snprintf(text + used, LONGEST - used, "%d.0 %d.0 %.8g %.8g %.8g %.8g%s\n",
                                         cst ? phi : theta, cst ? theta : phi, parts[0] * re, parts[0] * im,
                                         parts[1] * re, parts[1] * im, cst ? "" : " 1 2 7.5");
            }
        }
    }
}

static struct antenna_pattern read_good(const char *name, const struct field_axes *axes, double centre)
{
    struct antenna_pattern pattern;
    pw_error error = {""};
    if (field_text_read(name, text, axes, centre, &pattern, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    return pattern;
}

/* The patch of this program, turned to look along y, is that which the file has. */
static void check_patch(const struct antenna_pattern *pattern, double complex phase, double most)
{
    const struct antenna_pattern form = {.form = FORM_PATCH};
    const struct antenna antenna = {.kind = ANTENNA_PATTERN, .pattern = pattern},
                         own = {.kind = ANTENNA_PATTERN, .pattern = &form};
    const struct antenna_frame frame = antenna_frame_of(&antenna), same = antenna_frame_of(&own);
    for (int n = 0; n < 500; n++) {
        const double z = 1 - (2 * n + 1) / 500.0, s = sqrt(1 - z * z), turn = 2.399963 * n;
        const double d[3] = {s * cos(turn), s * sin(turn), z};
        double complex found[3], wanted[3];
        antenna_field(pattern, &frame, d, found);
        antenna_field(&form, &same, d, wanted);
        for (int a = 0; a < 3; a++) {
            if (!(cabs(found[a] - phase * wanted[a]) <= most)) {
                fail_msg("direction %d, axis %d: %g%+gj in place of %g%+gj", n, a, creal(found[a]), cimag(found[a]),
                         creal(phase * wanted[a]), cimag(phase * wanted[a]));
            }
        }
    }
}

static void test_both_formats(void **state)
{
    (void)state;
    static const double FREQUENCY[2] = {2.4, 5.5};
    const struct field_axes along_z = {2, 0};
    write_file(true, 5, FREQUENCY, 12, "");
    struct antenna_pattern pattern = read_good("a.ffs", &along_z, 2.45e9);
    assert_true(pattern.form == FORM_FIELD && fabs(pattern.frequency - 2.4e9) < 1);
    /* |E|^2/(60 ohm 2 W) */
    assert_true(fabs(pattern.gain - 10 * log10(144 / 120.0)) < 1e-6);
    check_patch(&pattern, 1, 2e-3);
    antenna_pattern_free(&pattern);
    pattern = read_good("a.ffs", &along_z, 6e9);
    assert_true(fabs(pattern.frequency - 5.5e9) < 1);
    check_patch(&pattern, I, 2e-3);
    antenna_pattern_free(&pattern);
    write_file(false, 3, FREQUENCY, 3, "Gain");
    pattern = read_good("a.ffe", &along_z, 2.45e9);
    assert_true(fabs(pattern.gain - 7.5) < 1e-9);
    check_patch(&pattern, 1, 5e-4);
    antenna_pattern_free(&pattern);
    write_file(false, 3, FREQUENCY, 3, "Directivity");
    pattern = read_good("a.ffe", &along_z, 2.45e9);
    struct antenna_pattern form = {.form = FORM_PATCH, .gain = NAN};
    pw_error error = {""};
    assert_int_equal(antenna_form_fill(&form, &error), PW_OK);
    assert_true(fabs(pattern.gain - form.gain) < 0.01);
    /* the cut of two dimensions */
    assert_true(fabs(antenna_cut_level(&pattern.azimuth, 0.7) - antenna_cut_level(&form.azimuth, 0.7)) < 0.02);
    antenna_pattern_free(&pattern);
    antenna_pattern_free(&form);
}

static void refuse(const char *name, const char *reason)
{
    struct antenna_pattern pattern;
    pw_error error = {""};
    assert_int_equal(field_text_read(name, text, &(struct field_axes){0, 2}, 1e9, &pattern, &error), PW_BAD_INPUT);
    if (strstr(error.message, reason) == NULL) {
        fail_msg("'%s' does not say '%s'", error.message, reason);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    static const double FREQUENCY[2] = {2.4, 5.5};
    snprintf(text, LONGEST, "1 2 3\n");
    refuse("a.ffs", "// >> Phi, Theta");
    refuse("a.ffe", "#Frequency:");
    write_file(false, 30, FREQUENCY, 1, "Gain");
    refuse("a.ffe", "steps of 30 degrees");
    write_file(false, 5, FREQUENCY, 0, "Gain");
    refuse("a.ffe", "0 in all directions");
    write_file(true, 5, FREQUENCY, 1, "");
    memcpy(strstr(text, "\n90.0 45.0 "), "\n// ", 4);
    refuse("a.ffs", "theta 45, phi 90 is missing");
    write_file(false, 5, FREQUENCY, 1, "Gain");
    memcpy(strstr(text, "\n45.0 90.0 "), "\n45.0 nan 0", 11);
    refuse("a.ffe", "number 2 is nan");
    write_file(false, 5, FREQUENCY, 1, "Gain");
    memcpy(strstr(text, "Spherical"), "Cartesian", 9);
    refuse("a.ffe", "coordinate system Spherical");
}

/* From a file to dipoles, and written back. */
static void test_scenario(void **state)
{
    (void)state;
    static const double FREQUENCY[2] = {2.4, 5.5};
    static const char SCENARIO[] =
        "dimensions: 3\nplan: {size: [0.5 m, 0.5 m], storey: {height: 0.5 m, floor: none, ceiling: none}}\n"
        "band: {centre: 2.4 GHz, width: 20 MHz}\ngrid: {cell: 1.2 cm}\nspectra: off\n"
        "antennas: [{name: p, file: /tmp/planwave-test-%d.ffs, ahead: z}]\n"
        "transmitters: [{at: [0.25, 0.25, 0.25], antenna: {pattern: p, bearing: 30 deg}}]\n";
    char path[64], scenario_text[1024];
    pw_scenario *scenario = NULL, *again = NULL;
    pw_setup *setup = NULL;
    pw_error error = {""};
    write_file(true, 5, FREQUENCY, 12, "");
    snprintf(path, sizeof path, "/tmp/planwave-test-%d.ffs", (int)getpid());
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
    snprintf(scenario_text, sizeof scenario_text, SCENARIO, (int)getpid());
    pw_status status = pw_scenario_parse("test", scenario_text, NULL, 0, &scenario, &error);
    status = status == PW_OK ? pw_setup_create(scenario, PW_SINGLE, false, &setup, &error) : status;
    unlink(path);
    if (status != PW_OK) {
        fail_msg("%s", error.message);
    }
    assert_true(setup->arrays[0].error <= 0.25 && setup->arrays[0].turned <= 2.5);
    if (pw_scenario_parse("again", pw_scenario_text(scenario), NULL, 0, &again, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    assert_string_equal(pw_scenario_text(again), pw_scenario_text(scenario));
    assert_true(antenna_patterns_equal(again->patterns[0], scenario->patterns[0]));
    pw_setup_free(setup);
    pw_scenario_free(again);
    pw_scenario_free(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_both_formats), cmocka_unit_test(test_refusals),
                                       cmocka_unit_test(test_scenario)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
