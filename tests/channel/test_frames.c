/* Pictures of the field on the way: how many, how large, light where the wave is and dark where it cannot be yet; and a
 * result that does not know whether anybody looked. */
#include "tests/support/check.h"

#include "base/picture/png_image.h"
#include "planwave.h"
#include "run/job/frame_picture.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* 2.4 m by 1.2 m, transmitter low on the left, a wall of metal in the middle with a gap on top; a second one with an
 * awkward name. */
static const char text[] = "plan:\n"
                           "  size: [2.4 m, 1.2 m]\n"
                           "  rectangles: [{from: [1.2 m, 0 m], to: [1.32 m, 0.9 m], material: metal}]\n"
                           "grid: {scheme: dd2, cell: 3 cm, courant: 0.5}\n"
                           "band: {centre: 1 GHz, width: 400 MHz}\n"
                           "transmitters: [{name: low, at: [0.3 m, 0.3 m]}, {name: \"b 2.5 up\", at: [2.1 m, 0.9 m]}]\n"
                           "spectra: {count: 3, spacing: 4 cells}\n"
                           "stop: {steps: 410}\n";

static char folder[] = "/tmp/planwave-frames-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static int remove_all(void **state)
{
    (void)state;
    return folder_delete(folder);
}

static pw_status run(const char *result, const char *frames, int64_t every, pw_error *error)
{
    pw_scenario *scenario = NULL;
    pw_setup *setup = NULL;
    char path[96];
    snprintf(path, sizeof path, "%s/%s", folder, result);
    pw_run_options options = {.compute.backend = "cpu", .force = true, .frames = frames, .frames_every = every};
    pw_status status = pw_scenario_parse("room", text, NULL, 0, &scenario, error);
    status = status == PW_OK ? pw_setup_create(scenario, PW_SINGLE, false, &setup, error) : status;
    status = status == PW_OK ? pw_run(setup, &options, path, error) : status;
    pw_setup_free(setup);
    pw_scenario_free(scenario);
    return status;
}

static pw_picture frame_get(const char *name)
{
    char path[160];
    pw_picture image = {0};
    pw_error error = {""};
    snprintf(path, sizeof path, "%s/deep/frames/%s", folder, name);
    if (png_image_read(path, &image, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    return image;
}

/* Sum of the colours around plan coordinates. Viridis begins at 0x44 + 0x01 + 0x54 and only gets lighter. */
static double light_at(const pw_picture *image, double x, double y)
{
    double sum = 0.0;
    int column = (int)(x / 2.4 * image->width), row = (int)((1.0 - y / 1.2) * (image->height - FRAME_STRIP));
    for (int j = row - 6; j <= row + 6; j++) {
        for (int i = column - 6; i <= column + 6; i++) {
            const uint8_t *pixel = image->rgb + 3 * ((size_t)j * (size_t)image->width + (size_t)i);
            sum += pixel[0] + pixel[1] + pixel[2];
        }
    }
    return sum / 169.0;
}

/* White pixels in a box of the strip below the floor, `left` to `right` as parts of the width, in its first or second
 * line of text. */
static int ink_count(const pw_picture *image, double left, double right, int line)
{
    int count = 0, top = image->height - FRAME_STRIP + line * FRAME_STRIP / 2;
    for (int row = top; row < top + FRAME_STRIP / 2; row++) {
        for (int column = (int)(left * image->width); column < (int)(right * image->width); column++) {
            const uint8_t *pixel = image->rgb + 3 * ((size_t)row * (size_t)image->width + (size_t)column);
            count += pixel[0] == 255 && pixel[1] == 255 && pixel[2] == 255;
        }
    }
    return count;
}

/* Pixels that differ in such a box. */
static int difference_count(const pw_picture *a, const pw_picture *b, double left, double right, int line)
{
    int count = 0, top = a->height - FRAME_STRIP + line * FRAME_STRIP / 2;
    for (int row = top; row < top + FRAME_STRIP / 2; row++) {
        for (int column = (int)(left * a->width); column < (int)(right * a->width); column++) {
            size_t at = 3 * ((size_t)row * (size_t)a->width + (size_t)column);
            count += memcmp(a->rgb + at, b->rgb + at, 3) != 0;
        }
    }
    return count;
}

/* The strip says who sends, which changes with the transmitter alone, when it is, which changes with the time alone,
 * and the scale of the colours, from the first to the last of viridis. */
static void check_strip(const pw_picture *early, const pw_picture *late, const pw_picture *other)
{
    assert_true(ink_count(early, 0.0, 0.5, 0) > 100 && ink_count(early, 0.8, 1.0, 0) > 50);
    assert_true(difference_count(early, late, 0.0, 0.5, 0) == 0 && difference_count(early, late, 0.8, 1.0, 0) > 10);
    assert_true(difference_count(early, other, 0.0, 0.5, 0) > 10 && difference_count(early, other, 0.8, 1.0, 0) == 0);
    assert_int_equal(difference_count(early, late, 0.0, 1.0, 1), 0);
    assert_true(ink_count(early, 0.0, 0.1, 1) > 50 && ink_count(early, 0.7, 1.0, 1) > 100);
    bool dark = false, light = false;
    int row = early->height - FRAME_STRIP / 4 - 8;
    for (int column = 0; column < early->width; column++) {
        const uint8_t *pixel = early->rgb + 3 * ((size_t)row * (size_t)early->width + (size_t)column);
        dark = dark || (pixel[0] == 0x44 && pixel[1] == 0x01 && pixel[2] == 0x54);
        light = light || (pixel[0] == 0xfd && pixel[1] == 0xe7 && pixel[2] == 0x25);
    }
    assert_true(dark && light);
}

/* What is forecast: exactly as many frames of just that size, and their bytes within a factor of four. */
static void check_forecast(const char *frames, const pw_picture *image)
{
    pw_scenario *scenario = NULL;
    pw_setup *setup = NULL;
    pw_error error = {""};
    pw_frames_forecast forecast;
    assert_int_equal(pw_scenario_parse("room", text, NULL, 0, &scenario, &error), PW_OK);
    assert_int_equal(pw_setup_create(scenario, PW_SINGLE, false, &setup, &error), PW_OK);
    assert_int_equal(pw_forecast_frames(setup, 20, &forecast, &error), PW_OK);
    assert_int_equal(forecast.count, 2 * 20);
    assert_true(forecast.width == image->width && forecast.height == image->height && forecast.seconds > 0);
    double bytes = 0;
    DIR *entries = opendir(frames);
    for (const struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        char path[400];
        struct stat found;
        snprintf(path, sizeof path, "%s/%s", frames, entry->d_name);
        bytes += stat(path, &found) == 0 && S_ISREG(found.st_mode) ? (double)found.st_size : 0.0;
    }
    closedir(entries);
    if (!(forecast.bytes > bytes / 4 && forecast.bytes < bytes * 4)) {
        fail_msg("forecast %g bytes, found %g", forecast.bytes, bytes);
    }
    assert_int_equal(pw_forecast_frames(setup, -1, &forecast, &error), PW_USAGE);
    pw_setup_free(setup);
    pw_scenario_free(scenario);
}

static void test_frames(void **state)
{
    (void)state;
    char frames[96];
    pw_error error = {""};
    snprintf(frames, sizeof frames, "%s/deep/frames", folder);
    if (run("watched.h5", frames, 20, &error) != PW_OK || run("alone.h5", NULL, 0, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    int count = 0;
    DIR *entries = opendir(frames);
    for (const struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        count += entry->d_name[0] != '.';
        assert_null(strpbrk(entry->d_name, " %"));
    }
    closedir(entries);
    assert_int_equal(count, 2 * 20);

    pw_picture early = frame_get("tx1-low-000004.png"), late = frame_get("tx1-low-000019.png");
    pw_picture other = frame_get("tx2-b_2_5_up-000004.png");
    const double darkest = 0x44 + 0x01 + 0x54;
    assert_true(early.width == 960 && early.height % 2 == 0 && abs(early.height - FRAME_STRIP - 480) <= 2);
    /* 100 steps of 0.5/sqrt(2) cells: 1.06 m. Beside the transmitter it is light; further away nothing can be. */
    assert_true(light_at(&early, 0.36, 0.36) > 1.5 * darkest);
    assert_true(light_at(&early, 2.1, 0.9) == darkest);
    assert_true(light_at(&other, 2.04, 0.84) > 1.5 * darkest && light_at(&other, 0.3, 0.3) == darkest);
    /* Walls are darker than the darkest field; later the wave has come through the gap. */
    assert_true(light_at(&early, 1.26, 0.3) < 0.6 * darkest);
    assert_true(light_at(&late, 1.8, 1.05) > 1.2 * darkest);
    check_strip(&early, &late, &other);
    check_forecast(frames, &early);
    pw_picture_free(&early);
    pw_picture_free(&late);
    pw_picture_free(&other);

    /* The bits of the result are the same. */
    char watched[96], alone[96];
    snprintf(watched, sizeof watched, "%s/watched.h5", folder);
    snprintf(alone, sizeof alone, "%s/alone.h5", folder);
    assert_int_equal(pw_compare(watched, alone, 0.0, false, tmpfile(), &error), PW_OK);
}

static void test_misuse(void **state)
{
    (void)state;
    char taken[96];
    pw_error error = {""};
    assert_int_equal(run("never.h5", "", 1, &error), PW_USAGE);
    assert_int_equal(run("never.h5", folder, -1, &error), PW_USAGE);
    assert_int_equal(run("never.h5", "/proc/nowhere", 1, &error), PW_NO_RESOURCE);
    assert_non_null(strstr(error.message, "/proc/nowhere"));
    snprintf(taken, sizeof taken, "%s/taken", folder);
    FILE *file = fopen(taken, "w");
    fclose(file);
    assert_int_equal(run("never.h5", taken, 1, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, "not a folder"));
    snprintf(taken, sizeof taken, "%s/never.h5", folder);
    assert_int_not_equal(access(taken, F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_frames), cmocka_unit_test(test_misuse)};
    return cmocka_run_group_tests(tests, make_folder, remove_all);
}
