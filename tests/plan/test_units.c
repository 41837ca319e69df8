/* Quantities with units: values against exact decimals, refusals, and the round trip of the formatter over every
 * binade. */
#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

static void accepts(const char *text, pw_dimension dimension, double expected)
{
    double value = NAN;
    pw_error error = {""};
    if (quantity_parse(text, dimension, &value, &error) != PW_OK) {
        fail_msg("'%s' was refused: %s", text, error.message);
    }
    if (value != expected) {
        fail_msg("'%s' is %.17g, not %.17g", text, value, expected);
    }
}

static void refuses(const char *text, pw_dimension dimension, const char *allowed)
{
    double value = 42;
    pw_error error = {""};
    assert_int_equal(quantity_parse(text, dimension, &value, &error), PW_BAD_INPUT);
    assert_true(value == 42);
    if (strstr(error.message, allowed) == NULL) {
        fail_msg("the message for '%s' does not name %s: %s", text, allowed, error.message);
    }
}

/* A decimal unit gives the double nearest to the decimal number, as if it had been written in SI. */
static void units_are_exact(void **state)
{
    (void)state;
    accepts("2.4 GHz", PW_DIMENSION_FREQUENCY, 2.4e9);
    accepts("2 cm", PW_DIMENSION_LENGTH, 0.02);
    accepts("7cm", PW_DIMENSION_LENGTH, 0.07);
    accepts("386.44 ns", PW_DIMENSION_TIME, 386.44e-9);
    accepts("1.5m", PW_DIMENSION_LENGTH, 1.5);
    accepts("3 um", PW_DIMENSION_LENGTH, 3e-6);
    accepts("3 \xc2\xb5m", PW_DIMENSION_LENGTH, 3e-6); /* micro sign */
    accepts("3 \xce\xbcs", PW_DIMENSION_TIME, 3e-6);   /* Greek mu */
    accepts("0.002 S/m", PW_DIMENSION_CONDUCTIVITY, 0.002);
    accepts("16 cells", PW_DIMENSION_CELLS, 16);
    accepts("1 cell", PW_DIMENSION_CELLS, 1);
    accepts("-60 dB", PW_DIMENSION_RATIO, -60);
    accepts("0", PW_DIMENSION_RATIO, 0);
    accepts("12", PW_DIMENSION_LENGTH, 12);
    accepts("  +.5e1 mm ", PW_DIMENSION_LENGTH, 5e-3);
    accepts("1 ft", PW_DIMENSION_LENGTH, 0.3048);
    accepts("180 deg", PW_DIMENSION_ANGLE, 3.14159265358979323846);
    accepts("1.125e-7", PW_DIMENSION_NUMBER, 1.125e-7);
}

static void power_is_in_dbm(void **state)
{
    (void)state;
    accepts("20 dBm", PW_DIMENSION_POWER, 20);
    accepts("1 W", PW_DIMENSION_POWER, 30);
    accepts("1 mW", PW_DIMENSION_POWER, 0);
    accepts("-10 dBW", PW_DIMENSION_POWER, 20);
    accepts("3 dBi", PW_DIMENSION_GAIN, 3);
    double value;
    assert_int_equal(quantity_parse("250 mW", PW_DIMENSION_POWER, &value, NULL), PW_OK);
    assert_true(fabs(value - 23.979400086720377) < 1e-12); /* 10 log10(250) */
    refuses("0 W", PW_DIMENSION_POWER, "positive");
    refuses("-1 mW", PW_DIMENSION_POWER, "positive");
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    refuses("2 kg", PW_DIMENSION_LENGTH, "mm");
    refuses("2 GHz", PW_DIMENSION_LENGTH, "'2 GHz'");
    refuses("2 cm", PW_DIMENSION_FREQUENCY, "GHz");
    refuses("2 cm x", PW_DIMENSION_LENGTH, "cm");
    refuses("2 cm cm", PW_DIMENSION_LENGTH, "cm");
    refuses("2,5 cm", PW_DIMENSION_LENGTH, "cm");
    refuses("two", PW_DIMENSION_LENGTH, "cm");
    refuses("", PW_DIMENSION_LENGTH, "cm");
    refuses("m", PW_DIMENSION_LENGTH, "cm");
    refuses(".", PW_DIMENSION_LENGTH, "cm");
    refuses("-", PW_DIMENSION_NUMBER, "number");
    refuses("nan", PW_DIMENSION_LENGTH, "cm");
    refuses("inf", PW_DIMENSION_NUMBER, "number");
    refuses("0x10", PW_DIMENSION_NUMBER, "number");
    refuses("1e", PW_DIMENSION_NUMBER, "number");
    refuses("2 %", PW_DIMENSION_NUMBER, "number");
    refuses("1e999", PW_DIMENSION_NUMBER, "too large");
    refuses("1e306 THz", PW_DIMENSION_FREQUENCY, "too large");
    refuses("1e308 min", PW_DIMENSION_TIME, "too large"); /* a number that only its unit makes infinite */
    refuses("-1e308 h", PW_DIMENSION_TIME, "too large");
    refuses("5e-324 in", PW_DIMENSION_LENGTH, "too small");
    refuses("1e-999", PW_DIMENSION_NUMBER, "too small");
    refuses("1e99999999999999999999", PW_DIMENSION_NUMBER, "too large");
    refuses("4 cells", PW_DIMENSION_NUMBER, "number");
    refuses("20", PW_DIMENSION_POWER, "dBm");
    refuses("0", PW_DIMENSION_POWER, "cannot be left out");
    refuses("-60", PW_DIMENSION_RATIO, "cannot be left out");
    char digits[400];
    memset(digits, '1', sizeof digits);
    digits[sizeof digits - 1] = '\0';
    refuses(digits, PW_DIMENSION_NUMBER, "number");
}

static void formats(double value, pw_dimension dimension, const char *expected)
{
    char text[QUANTITY_SIZE];
    assert_string_equal(quantity_format(value, dimension, text), expected);
}

static void format_is_readable(void **state)
{
    (void)state;
    formats(2.4e9, PW_DIMENSION_FREQUENCY, "2.4 GHz");
    formats(600e6, PW_DIMENSION_FREQUENCY, "600 MHz");
    formats(0.02, PW_DIMENSION_LENGTH, "2 cm");
    formats(0.005, PW_DIMENSION_LENGTH, "5 mm");
    formats(7.68, PW_DIMENSION_LENGTH, "7.68 m");
    formats(-0.3, PW_DIMENSION_LENGTH, "-30 cm");
    formats(386.44e-9, PW_DIMENSION_TIME, "386.44 ns");
    formats(0, PW_DIMENSION_LENGTH, "0 m");
    formats(0, PW_DIMENSION_FREQUENCY, "0 Hz");
    formats(0.002, PW_DIMENSION_CONDUCTIVITY, "0.002 S/m");
    formats(-60, PW_DIMENSION_RATIO, "-60 dB");
    formats(0.5, PW_DIMENSION_NUMBER, "0.5");
    formats(1.125e-7, PW_DIMENSION_NUMBER, "1.125e-7");
    formats(1e22, PW_DIMENSION_NUMBER, "1e22");
    formats(123456789, PW_DIMENSION_NUMBER, "123456789");
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

/* Any finite double, written and read, is the same double. */
static void format_reads_back(void **state)
{
    (void)state;
    static const pw_dimension DIMENSIONS[] = {PW_DIMENSION_NUMBER,    PW_DIMENSION_LENGTH,       PW_DIMENSION_TIME,
                                              PW_DIMENSION_FREQUENCY, PW_DIMENSION_CONDUCTIVITY, PW_DIMENSION_RATIO,
                                              PW_DIMENSION_POWER,     PW_DIMENSION_CELLS};
    uint64_t random = 88172645463325252u;
    for (int i = 0; i < 40000; i++) {
        double value;
        uint64_t bits = next_random(&random);
        memcpy(&value, &bits, sizeof value);
        if (i % 2 == 0) { /* half of them of everyday size */
            value = ldexp((double)(int64_t)bits, (int)(bits % 60) - 90);
        }
        if (!isfinite(value)) {
            continue;
        }
        pw_dimension dimension = DIMENSIONS[i % 8];
        char text[QUANTITY_SIZE];
        double back = NAN;
        pw_error error = {""};
        quantity_format(value, dimension, text);
        if (quantity_parse(text, dimension, &back, &error) != PW_OK || back != value) {
            fail_msg("%.17g was written as '%s' and read as %.17g %s", value, text, back, error.message);
        }
    }
}

/* As people write numbers: no exponent, no noise, no more figures than asked for. */
static void people_read_numbers(void **state)
{
    (void)state;
    static const struct {
        double value;
        int digits;
        const char *text;
    } CASES[] = {{140, 2, "140"},           {1234.5, 3, "1230"}, {0.84, 2, "0.84"},
                 {9.96, 2, "10"},           {-1.847e-5, 3, "0"}, {0, 3, "0"},
                 {-76.63, 3, "-76.6"},      {2.4, 3, "2.4"},     {1.5e7, 3, "15000000"},
                 {0.00123, 3, "0.0012"},    {99.96, 3, "100"},   {NAN, 2, "?"},
                 {HUGE_VAL, 2, "infinite"}, {0.999, 2, "1"},     {-0.25, 1, "-0.2"}};
    for (size_t c = 0; c < sizeof CASES / sizeof CASES[0]; c++) {
        char text[PW_NUMBER_SIZE];
        assert_string_equal(pw_number_text(CASES[c].value, CASES[c].digits, text), CASES[c].text);
    }
    for (int power = -12; power <= 14; power++) { /* whatever the size */
        char text[PW_NUMBER_SIZE];
        for (int digits = 1; digits <= 6; digits++) {
            assert_null(strpbrk(pw_number_text(1.23456789 * pow(10, power), digits, text), "eEn"));
            assert_true(power < 0 ||
                        fabs(strtod(text, NULL) / (1.23456789 * pow(10, power)) - 1) < fmax(pow(10, 1 - digits), 5e-5));
        }
    }
}

/* Both forms say whose error it is, what measured buildings showed, and where. */
static void a_forecast_says_what_it_is(void **state)
{
    (void)state;
    for (int brief = 0; brief < 2; brief++) {
        const char *words = pw_forecast_words(brief == 1);
        assert_non_null(strstr(words, "grid's error on the plan as drawn"));
        assert_non_null(strstr(words, "4 to 7 dB"));
        assert_non_null(strstr(words, "validation/measured/README.md"));
    }
    assert_true(strlen(pw_forecast_words(true)) < 110); /* a line of the narrowest map */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_are_exact),
        cmocka_unit_test(power_is_in_dbm),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(format_is_readable),
        cmocka_unit_test(format_reads_back),
        cmocka_unit_test(people_read_numbers),
        cmocka_unit_test(a_forecast_says_what_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
