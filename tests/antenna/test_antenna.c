/* Patterns of antennas: files in the Planet format as they are found, and what is refused; levels by direction against
 * the cuts they come from and closed forms. */
#include "scenario/antenna/planet_file.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double DEGREE = M_PI / 180;

/* The sector of 3GPP TR 36.814, table A.2.1.1-2: azimuth 70 degrees, elevation 10 degrees at a tilt of `tilt`. */
static double sector_loss(double degrees, double width, double most)
{
    double off = fmod(degrees + 540, 360) - 180;
    return fmin(12 * (off / width) * (off / width), most);
}

struct text {
    char bytes[65536];
    size_t length;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text->length += (size_t)vsnprintf(text->bytes + text->length, sizeof text->bytes - text->length, format, arguments);
    va_end(arguments);
}

static void add_cut(struct text *text, const char *key, double middle, double width, double most)
{
    add(text, "%s 360\n", key);
    for (int n = 0; n < 360; n++) {
        add(text, "%d\t%.15g\n", n, sector_loss(n - middle, width, most));
    }
}

static struct antenna_pattern pattern_get(const struct text *text)
{
    struct antenna_pattern pattern;
    pw_error error = {""};
    if (planet_text_read("test.msi", text->bytes, text->length, &pattern, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    return pattern;
}

static struct antenna_pattern sector(double tilt)
{
    struct text text = {.length = 0};
    add(&text, "NAME Sector 70\nMAKE Formula\nFREQUENCY 2000\nGAIN 14 dBi\nTILT ELECTRICAL\nELECTRICAL_TILT %g\n",
        tilt);
    add_cut(&text, "HORIZONTAL", 0, 70, 25);
    add_cut(&text, "VERTICAL", tilt, 10, 20);
    return pattern_get(&text);
}

static void assert_near(double value, double expected, double most)
{
    if (!(fabs(value - expected) <= most)) {
        fail_msg("%.9g in place of %.9g", value, expected);
    }
}

static void test_header(void **state)
{
    (void)state;
    struct antenna_pattern pattern = sector(6);
    assert_string_equal(pattern.name, "Sector 70");
    assert_string_equal(pattern.make, "Formula");
    assert_near(pattern.frequency, 2e9, 0);
    assert_near(pattern.gain, 14, 0);
    assert_near(pattern.electrical_tilt, 6 * DEGREE, 1e-15);
    assert_int_equal(pattern.azimuth.count, 360);
    assert_near(pattern.azimuth.level[35], -3, 1e-9);
    assert_near(pattern.elevation.level[6], 0, 0);
    antenna_pattern_free(&pattern);
}

/* What real files do: no key before the name, decimal commas, angles from -180, levels, half degrees, CR LF, dBd. */
static void test_variants(void **state)
{
    (void)state;
    struct text text = {.length = 0};
    add(&text, "\xef\xbb\xbf"
               "742 215/X\r\nFREQUENCY 1710-1880 MHz\r\ngain 15,5\r\nH_WIDTH 65\r\nPolarization +45\r\n");
    add(&text, "horizontal\r\n");
    for (int n = -360; n < 360; n++) {
        add(&text, "%.1f;-%g\r\n", 0.5 * n, sector_loss(0.5 * n, 65, 30));
    }
    add(&text, "VERTICAL 73\r\n");
    for (int n = 0; n <= 72; n++) {
        add(&text, "  %d,0   %d,%d \r\n", 5 * n, (int)sector_loss(5 * n, 30, 20), 0);
    }
    struct antenna_pattern pattern = pattern_get(&text);
    assert_string_equal(pattern.name, "742 215_X");
    assert_near(pattern.frequency, 1.795e9, 1);
    assert_near(pattern.gain, 17.65, 1e-12);
    assert_true(pattern.gain_unit_missing && isnan(pattern.electrical_tilt));
    assert_int_equal(pattern.azimuth.count, 720);
    assert_near(pattern.azimuth.level[65], -3, 1e-4);
    assert_near(pattern.azimuth.level[720 - 65], -3, 1e-4);
    assert_int_equal(pattern.elevation.count, 360);
    assert_near(pattern.elevation.level[15], -3, 0);
    assert_near(pattern.elevation.level[12], -1 - 2 * 0.4, 1e-12); /* between 10 and 15 degrees */
    antenna_pattern_free(&pattern);
}

static void refuse(const struct text *text, const char *reason)
{
    struct antenna_pattern pattern;
    pw_error error = {""};
    assert_int_equal(planet_text_read("test.msi", text->bytes, text->length, &pattern, &error), PW_BAD_INPUT);
    if (strstr(error.message, reason) == NULL || strstr(error.message, "test.msi") == NULL) {
        fail_msg("'%s' does not say '%s'", error.message, reason);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *before, *rows, *reason;
    } CASES[] = {
        {"", "GAIN 12 dBq\n", ":1: GAIN '12 dBq' has an unknown unit"},
        {"NAME a\n", "GAIN twelve\n", ":2: GAIN 'twelve' is not a gain"},
        {"NAME a\n", "HORIZONTAL 3\n0 0\n120 1\n240 1\n", ":2: HORIZONTAL '3': the number of values is missing"},
        {"NAME a\n", "HORIZONTAL 360\n0 0\n1 0\nVERTICAL 360\n", ":5: HORIZONTAL of line 2 says 360 values and has 2"},
        {"NAME a\n", "HORIZONTAL 360\n0 0\n1 0\n", "the file ends after 2 of the 360 values"},
        {"NAME a\n", "HORIZONTAL\n0 0\n1 nan\n", ":4: '1 nan' is not a value of HORIZONTAL"},
        {"NAME a\n", "HORIZONTAL\n0 0\n1 1e9\n", ":4: loss 1e+09 dB: allowed are 0 to 300"},
        {"NAME a\n", "HORIZONTAL\n0 0\n400 1\n", ":4: angle 400: allowed are"},
        {"NAME a\n", "HORIZONTAL\n0 0\n1 -3\n2 3\n3 3\n", ":4: -3 dB in a cut with losses up to 3"},
        {"NAME a\n", "HORIZONTAL\n0 0\n1 1\n1 2\n", "a second loss at 1 degrees"},
        {"NAME a\n", "HORIZONTAL\n0 0\n1 1\n2 2\n3 2\n4 2\n5 2\n6 2\n7 2\n8 2\n", "up to 352 degrees apart"},
        {"NAME a\n", "HORIZONTAL 8\n0 0\n45 0\n90 0\n135 0\n180 0\n225 0\n270 0\n315 0\n", "there is no VERTICAL"},
        {"NAME a\n", "nothing that is known\n", "there is no HORIZONTAL"},
    };
    for (size_t c = 0; c < sizeof CASES / sizeof *CASES; c++) {
        struct text text = {.length = 0};
        add(&text, "%s%s", CASES[c].before, CASES[c].rows);
        if (strstr(CASES[c].reason, "there is no") == NULL && strstr(CASES[c].reason, "ends") == NULL) {
            add_cut(&text, "VERTICAL", 0, 10, 20);
        }
        refuse(&text, CASES[c].reason);
    }
    struct text zero = {.bytes = "NAME\0a\n", .length = 7};
    refuse(&zero, "a byte is zero");
}

static void direction_at(double azimuth, double elevation, double direction[3])
{
    direction[0] = 3 * cos(elevation) * sin(azimuth); /* clockwise from y */
    direction[1] = 3 * cos(elevation) * cos(azimuth);
    direction[2] = 3 * sin(elevation);
}

/* On both cuts the interpolation is the cut, as far as the two agree straight behind. */
static void test_cuts_are_kept(void **state)
{
    (void)state;
    struct antenna_pattern pattern = sector(0);
    struct antenna antenna = {.kind = ANTENNA_PATTERN, .pattern = &pattern, .bearing = 110 * DEGREE};
    for (int n = 0; n < 360; n += 7) {
        double direction[3];
        direction_at((110 + n) * DEGREE, 0, direction);
        double cut = -sector_loss(n, 70, 25);
        double ends = -25 + 20; /* behind, the elevation cut has 20 dB and the azimuth cut 25 */
        double back = fabs(fmod(n + 180, 360) - 180) / 180;
        assert_near(antenna_level(&antenna, direction), fmin(0, cut - back * ends), 1e-9);
        assert_near(antenna_azimuth_level(&antenna, direction[0], direction[1]), cut, 1e-9);
    }
    for (int n = -89; n < 90; n += 6) {
        double direction[3];
        direction_at(110 * DEGREE, -n * DEGREE, direction);
        assert_near(antenna_level(&antenna, direction), -sector_loss(n, 10, 20), 1e-9);
    }
    antenna_pattern_free(&pattern);
}

/* Mechanical and electrical tilt bring the beam to the same place ahead; behind, the mechanical one lifts it. */
static void test_tilts(void **state)
{
    (void)state;
    struct antenna_pattern level = sector(0), tilted = sector(6);
    struct antenna mechanical = {.kind = ANTENNA_PATTERN,
                                 .pattern = &level,
                                 .bearing = 30 * DEGREE,
                                 .downtilt = 6 * DEGREE},
                   electrical = {.kind = ANTENNA_PATTERN, .pattern = &tilted, .bearing = 30 * DEGREE};
    for (int n = -60; n <= 60; n += 5) {
        double direction[3];
        direction_at(30 * DEGREE, n * DEGREE, direction);
        assert_near(antenna_level(&mechanical, direction), antenna_level(&electrical, direction), 1e-9);
    }
    double beam[3], behind[3];
    direction_at(30 * DEGREE, -6 * DEGREE, beam);
    assert_near(antenna_level(&mechanical, beam), 0, 1e-9);
    direction_at(210 * DEGREE, 6 * DEGREE, behind);
    assert_near(antenna_level(&mechanical, behind), -20, 1e-9); /* its own horizon behind */
    double horizon[3];
    direction_at(30 * DEGREE, 0, horizon);
    assert_near(antenna_elevation_level(&mechanical, horizon), -12 * 0.36, 1e-9);
    antenna_pattern_free(&level);
    antenna_pattern_free(&tilted);
}

static void test_dipoles(void **state)
{
    (void)state;
    const struct antenna hertzian = {.kind = ANTENNA_HERTZIAN}, half_wave = {.kind = ANTENNA_HALF_WAVE},
                         isotropic = {.kind = ANTENNA_ISOTROPIC};
    double direction[3];
    direction_at(1, 45 * DEGREE, direction);
    assert_near(antenna_level(&hertzian, direction), -10 * log10(2), 1e-9);
    assert_near(antenna_level(&isotropic, direction), 0, 0);
    direction_at(1, 39 * DEGREE, direction); /* its half-power width is 78 degrees */
    assert_near(antenna_level(&half_wave, direction), -3, 0.03);
    assert_near(antenna_level(&hertzian, (const double[]){0, 0, 1}), -300, 0);
    assert_near(antenna_gain(&half_wave), 2.15, 0.002);
    assert_near(antenna_gain(&hertzian), 1.761, 0.001);
    assert_near(antenna_gain(&isotropic), 0, 0);
    /* Power through a sphere gives the gain back. */
    for (int kind = ANTENNA_HERTZIAN; kind <= ANTENNA_HALF_WAVE; kind++) {
        struct antenna antenna = {.kind = (enum antenna_kind)kind};
        double sum = 0;
        for (int n = 0; n < 2000; n++) {
            double sine = (n + 0.5) / 1000 - 1;
            direction_at(0, asin(sine), direction);
            sum += pow(10, antenna_level(&antenna, direction) / 10) / 2000;
        }
        assert_near(antenna_gain(&antenna), -10 * log10(sum), 1e-3);
    }
}

static void test_file(void **state)
{
    (void)state;
    struct antenna_pattern pattern;
    pw_error error = {""};
    assert_int_equal(planet_file_read("/nowhere/a.msi", &pattern, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, "/nowhere/a.msi"));
    assert_int_equal(planet_file_read("/", &pattern, &error), PW_BAD_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_header),        cmocka_unit_test(test_variants), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_cuts_are_kept), cmocka_unit_test(test_tilts),    cmocka_unit_test(test_dipoles),
        cmocka_unit_test(test_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
