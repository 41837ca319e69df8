/* Waveforms: their spectra against a numerical Fourier integral (of what is really sent, from t = 0 on), the rules for
 * default widths and delays, files of samples, and misuse. */
#include "tests/support/check.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "discretize/source/waveform.h"

static const double PI = 3.14159265358979323846;
static const double CENTRE = 2.4e9, WIDTH = 600e6; /* Hz */

static struct waveform make(struct waveform_choice choice, double centre, double width)
{
    struct waveform waveform;
    pw_error error = {""};
    if (waveform_create(&choice, centre, width, &waveform, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    return waveform;
}

static struct waveform make_default(enum waveform_kind kind)
{
    return make((struct waveform_choice){.kind = kind, .amplitude = 1, .frequency = CENTRE, .delay = NAN}, CENTRE,
                WIDTH);
}

/* |integral from 0 to the end of the pulse| by the trapezoidal rule. A start that is not zero is a jump, where the rule
 * needs small steps: its end point error is step^2/12 of the slope there. */
static double spectrum_numerical(const struct waveform *waveform, double frequency)
{
    int steps = 200000;
    double step = waveform->end / steps;
    double complex sum = 0.5 * waveform_at(waveform, 0);
    for (int n = 1; n <= steps; n++) {
        double t = n * step;
        sum += waveform_at(waveform, t) * cexp(-I * 2 * PI * frequency * t);
    }
    return cabs(sum * step);
}

static double peak_numerical(const struct waveform *waveform, double from, double to)
{
    double peak = 0;
    for (int i = 0; i <= 60; i++) {
        peak = fmax(peak, spectrum_numerical(waveform, from + (to - from) * i / 60));
    }
    return peak;
}

/* The bound lies above the true spectrum everywhere, and on it where the spectrum is more than 100 dB over the cut-off
 * start. */
static void bound_holds(enum waveform_kind kind, double peak_from, double peak_to)
{
    struct waveform waveform = make_default(kind);
    double peak = peak_numerical(&waveform, peak_from, peak_to);
    for (double f = 0.1e9; f < 12e9; f += 0.7e9) {
        double true_db = 20 * log10(spectrum_numerical(&waveform, f) / peak),
               bound = waveform_spectrum_db(&waveform, f);
        if (true_db > bound + 0.02 || bound > 0 || (true_db > -60 && bound > true_db + 0.05)) {
            fail_msg("kind %d at %g Hz: the spectrum is %.3f dB, the bound %.3f dB", (int)kind, f, true_db, bound);
        }
    }
    assert_true(waveform_spectrum_db(&waveform, -2.4e9) == waveform_spectrum_db(&waveform, 2.4e9));
    waveform_free(&waveform);
}

static void spectra_against_fourier_integral(void **state)
{
    (void)state;
    bound_holds(WAVEFORM_GAUSSIAN, 0, 1e9);
    bound_holds(WAVEFORM_MODULATED_GAUSSIAN, 2.3e9, 2.5e9);
    bound_holds(WAVEFORM_RICKER, 2e9, 2.8e9);
    bound_holds(WAVEFORM_DIFFERENTIATED_GAUSSIAN, 2e9, 2.8e9);
}

/* A delay that cuts into the pulse raises the spectrum far from the band; the bound must know (paper 003, table 6: t0 =
 * 3 Ts). */
static void bound_knows_a_cut_start(void **state)
{
    (void)state;
    for (int kind = WAVEFORM_GAUSSIAN; kind <= WAVEFORM_DIFFERENTIATED_GAUSSIAN; kind++) {
        struct waveform_choice choice = {
            .kind = (enum waveform_kind)kind, .amplitude = 1, .frequency = 1e9, .width = 0.5e-9};
        choice.delay = kind == WAVEFORM_RICKER ? 0.95e-9 : 1.5e-9;
        struct waveform waveform = make(choice, 1e9, 0.3e9);
        double peak = peak_numerical(&waveform, 0, 2e9);
        for (double f = 0.2e9; f < 20e9; f *= 1.4) {
            double true_db = 20 * log10(spectrum_numerical(&waveform, f) / peak);
            assert_true(true_db <= waveform_spectrum_db(&waveform, f) + 0.05);
        }
        assert_true(waveform_spectrum_db(&waveform, 10e9) < -60);
        waveform_free(&waveform);
    }
}

static void default_width_puts_band_edges_at_ten_decibels(void **state)
{
    (void)state;
    struct waveform waveform = make_default(WAVEFORM_MODULATED_GAUSSIAN);
    double peak = spectrum_numerical(&waveform, CENTRE);
    assert_true(fabs(20 * log10(spectrum_numerical(&waveform, CENTRE - WIDTH / 2) / peak) + 10) < 1e-4);
    assert_true(fabs(20 * log10(spectrum_numerical(&waveform, CENTRE + WIDTH / 2) / peak) + 10) < 1e-4);
    waveform_free(&waveform);
    waveform = make_default(WAVEFORM_GAUSSIAN);
    peak = spectrum_numerical(&waveform, 0);
    assert_true(fabs(20 * log10(spectrum_numerical(&waveform, CENTRE + WIDTH / 2) / peak) + 10) < 1e-4);
    waveform_free(&waveform);
}

/* A wide band: the image at negative frequencies takes from the lower edge, which must still be 10 dB under the peak,
 * no less. */
static void default_width_of_a_wide_band(void **state)
{
    (void)state;
    struct waveform_choice choice = {
        .kind = WAVEFORM_MODULATED_GAUSSIAN, .amplitude = 1, .frequency = 1e9, .delay = NAN};
    struct waveform waveform = make(choice, 1e9, 1.5e9); /* 0.25 to 1.75 GHz */
    double peak = peak_numerical(&waveform, 0.9e9, 1.2e9);
    double low = 20 * log10(spectrum_numerical(&waveform, 0.25e9) / peak),
           high = 20 * log10(spectrum_numerical(&waveform, 1.75e9) / peak);
    assert_true(fabs(low + 10) < 1e-3 && high > -10);
    waveform_free(&waveform);
    waveform = make(choice, 1e9, 1.99e9); /* no pulse reaches an edge this low: still a pulse */
    assert_true(waveform.choice.width > 0 && isfinite(waveform.choice.delay));
    waveform_free(&waveform);
}

static double peak_in_time(const struct waveform *waveform, double from, double to)
{
    double peak = 0;
    for (int i = 0; i <= 200000; i++) {
        peak = fmax(peak, fabs(waveform_at(waveform, from + (to - from) * i / 200000)));
    }
    return peak;
}

/* Starts below 1e-6 of its peak, ends below 1e-12, and does not waste time on either. */
static void default_delay_starts_quietly(void **state)
{
    (void)state;
    for (int kind = WAVEFORM_GAUSSIAN; kind <= WAVEFORM_DIFFERENTIATED_GAUSSIAN; kind++) {
        struct waveform waveform = make_default((enum waveform_kind)kind);
        double width = waveform.choice.width, peak = peak_in_time(&waveform, 0, waveform.end);
        assert_true(fabs(waveform_at(&waveform, 0)) <= 1.000001e-6 * peak);
        assert_true(peak_in_time(&waveform, waveform.end, waveform.end + 5 * width) <= 1.000001e-12 * peak);
        assert_true(peak_in_time(&waveform, 0, 0.1 * width) > 1e-6 * peak);
        assert_true(peak_in_time(&waveform, waveform.end - 0.2 * width, waveform.end) > 1e-12 * peak);
        assert_true(waveform_at(&waveform, -1e-12) == 0);
        waveform_free(&waveform);
    }
}

static void shapes_follow_their_formulas(void **state)
{
    (void)state;
    double ts = 0.5e-9, t0 = 1.5e-9, f0 = 1e9, t = 1.7e-9, x = (t - t0) / ts;
    struct waveform_choice choice = {
        .kind = WAVEFORM_GAUSSIAN, .amplitude = 3, .frequency = f0, .width = ts, .delay = t0};
    struct waveform waveform = make(choice, 1e9, 1e8);
    assert_true(fabs(waveform_at(&waveform, t) - 3 * exp(-x * x)) < 1e-14);
    choice.kind = WAVEFORM_MODULATED_GAUSSIAN;
    waveform = make(choice, 1e9, 1e8);
    assert_true(fabs(waveform_at(&waveform, t) - 3 * exp(-x * x) * sin(2 * PI * f0 * (t - t0))) < 1e-14);
    choice.kind = WAVEFORM_RICKER;
    waveform = make(choice, 1e9, 1e8);
    double a = PI * PI * f0 * f0 * (t - t0) * (t - t0);
    assert_true(fabs(waveform_at(&waveform, t) - 3 * (1 - 2 * a) * exp(-a)) < 1e-13);
    assert_true(waveform_at(&waveform, t0) == 3);
    choice.kind = WAVEFORM_DIFFERENTIATED_GAUSSIAN;
    waveform = make(choice, 1e9, 1e8);
    assert_true(fabs(waveform_at(&waveform, t0 - ts / sqrt(2)) - 3) < 1e-12); /* peak, first positive */
    assert_true(waveform_at(&waveform, t0) == 0);
    assert_true(fabs(peak_in_time(&waveform, 0, 4e-9) - 3) < 1e-8);
}

static void lasting_waveforms(void **state)
{
    (void)state;
    struct waveform_choice choice = {.kind = WAVEFORM_SINUSOID, .amplitude = 2, .frequency = 1e9, .ramp = 5e-9};
    struct waveform waveform = make(choice, 1e9, 1e8);
    assert_true(isinf(waveform.end));
    assert_true(waveform_at(&waveform, 0) == 0 && waveform_at(&waveform, -1e-9) == 0);
    assert_true(fabs(waveform_at(&waveform, 2.25e-9) - 2 * (0.5 - 0.5 * cos(PI * 0.45))) < 1e-9);
    assert_true(fabs(waveform_at(&waveform, 20.25e-9) - 2) < 1e-9);
    assert_true(waveform_spectrum_db(&waveform, 5e9) == 0);
    choice.kind = WAVEFORM_CONSTANT;
    choice.ramp = 0;
    waveform = make(choice, 1e9, 1e8);
    assert_true(waveform_at(&waveform, 1) == 2 && waveform_at(&waveform, 0) == 2 && waveform_at(&waveform, -1) == 0);
    assert_true(waveform_spectrum_db(&waveform, 5e9) == 0);
}

/* ---- samples ---------------------------------------------------------------------------------------------------- */

static pw_status read_csv(const char *text, size_t length, struct waveform *waveform, pw_error *error)
{
    char path[] = "/tmp/test_waveform_XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, length), (ssize_t)length);
    close(descriptor);
    struct waveform_choice choice = {.kind = WAVEFORM_SAMPLES, .amplitude = 2, .file = path};
    pw_status status = waveform_create(&choice, 1e9, 1e8, waveform, error);
    unlink(path);
    return status;
}

static void samples_are_interpolated(void **state)
{
    (void)state;
    const char *text = "time [s], current [A]\n# a comment\n0, 0\n1e-9; 1\r\n\n3e-9\t-1\n";
    struct waveform waveform;
    pw_error error = {""};
    assert_int_equal(read_csv(text, strlen(text), &waveform, &error), PW_OK);
    assert_int_equal(waveform.samples, 3);
    assert_true(waveform.end == 3e-9);
    assert_true(fabs(waveform_at(&waveform, 0.25e-9) - 0.5) < 1e-12);
    assert_true(waveform_at(&waveform, 1e-9) == 2);
    assert_true(fabs(waveform_at(&waveform, 2e-9)) < 1e-12);
    assert_true(waveform_at(&waveform, 3e-9) == -2);
    assert_true(waveform_at(&waveform, 3.1e-9) == 0 && waveform_at(&waveform, -1e-12) == 0);
    assert_true(waveform_spectrum_db(&waveform, 1e9) == 0);
    waveform_free(&waveform);
}

/* Spreadsheets put one before the first line, which may be a sample. */
static void a_byte_order_mark_is_passed_over(void **state)
{
    (void)state;
    const char text[] = "\xef\xbb\xbf"
                        "0, 1\n1e-9, 2\n";
    struct waveform waveform;
    pw_error error = {""};
    assert_int_equal(read_csv(text, strlen(text), &waveform, &error), PW_OK);
    assert_int_equal(waveform.samples, 2);
    waveform_free(&waveform);
}

static void csv_refused(const char *text, size_t length, const char *named)
{
    struct waveform waveform;
    pw_error error = {""};
    assert_int_equal(read_csv(text, length, &waveform, &error), PW_BAD_INPUT);
    if (strstr(error.message, named) == NULL) {
        fail_msg("the message does not name '%s': %s", named, error.message);
    }
}

static void bad_samples_are_refused(void **state)
{
    (void)state;
    csv_refused("", 0, "at least 2");
    csv_refused("0, 1\n", 5, "at least 2");
    csv_refused("0, 1\n0, 2\n", 10, ":2:");
    csv_refused("1, 1\n0, 2\n", 10, "must rise");
    csv_refused("0, 1\n1, nan\n", 12, "finite");
    csv_refused("0, 1\n1, 1e999\n", 14, ":2:");
    csv_refused("0, 1\n1\n", 7, ":2:");
    csv_refused("0, 1\n1, 2, 3\n", 13, "two finite numbers");
    csv_refused("t, i\nfoo, bar\n", 14, ":2:");
    csv_refused("0, 1\n1, \0 2\n", 12, "not text");
    struct waveform waveform;
    pw_error error = {""};
    struct waveform_choice choice = {.kind = WAVEFORM_SAMPLES, .amplitude = 1, .file = (char[]){"/nonexistent/x.csv"}};
    assert_int_equal(waveform_create(&choice, 1e9, 1e8, &waveform, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, "/nonexistent/x.csv"));
    choice.file = (char[]){"/"};
    assert_int_equal(waveform_create(&choice, 1e9, 1e8, &waveform, &error), PW_BAD_INPUT);
    choice.file = NULL;
    assert_int_equal(waveform_create(&choice, 1e9, 1e8, &waveform, &error), PW_BAD_INPUT);
}

static void endless_file_is_refused(void **state)
{
    (void)state;
    struct waveform waveform;
    pw_error error = {""};
    struct waveform_choice choice = {.kind = WAVEFORM_SAMPLES, .amplitude = 1, .file = (char[]){"/dev/zero"}};
    assert_int_equal(waveform_create(&choice, 1e9, 1e8, &waveform, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, "larger than"));
}

static void bad_bands_are_refused(void **state)
{
    (void)state;
    static const double BANDS[][2] = {{1e9, 0}, {1e9, -1}, {1e9, 2e9}, {NAN, 1e8}, {1e9, NAN}, {INFINITY, 1e8}};
    struct waveform waveform;
    pw_error error = {""};
    struct waveform_choice choice = {.kind = WAVEFORM_GAUSSIAN, .amplitude = 1};
    for (size_t i = 0; i < sizeof BANDS / sizeof BANDS[0]; i++) {
        assert_int_equal(waveform_create(&choice, BANDS[i][0], BANDS[i][1], &waveform, &error), PW_BAD_INPUT);
        assert_non_null(strstr(error.message, "waveform_create"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spectra_against_fourier_integral),
        cmocka_unit_test(bound_knows_a_cut_start),
        cmocka_unit_test(default_width_puts_band_edges_at_ten_decibels),
        cmocka_unit_test(default_width_of_a_wide_band),
        cmocka_unit_test(default_delay_starts_quietly),
        cmocka_unit_test(shapes_follow_their_formulas),
        cmocka_unit_test(lasting_waveforms),
        cmocka_unit_test(samples_are_interpolated),
        cmocka_unit_test(a_byte_order_mark_is_passed_over),
        cmocka_unit_test(bad_samples_are_refused),
        cmocka_unit_test(endless_file_is_refused),
        cmocka_unit_test(bad_bands_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
