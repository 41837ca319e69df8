/* Pictures through gnuplot: texts are data, never commands; failures leave neither a picture nor a trace, and say what
 * to do. */
#include "tests/support/check.h"

#include "base/picture/plot.h"
#include "base/picture/png_image.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/planwave-test-plot-XXXXXX";
static char path[256];

static int folder_make(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/it's a picture.png", folder);
    return setenv("TMPDIR", folder, 1);
}

static int folder_clear(void **state)
{
    (void)state;
    return rmdir(folder);
}

static int files_in_folder(void)
{
    int count = 0;
    DIR *list = opendir(folder);
    assert_non_null(list);
    while (readdir(list) != NULL) {
        count++;
    }
    closedir(list);
    return count - 2; /* . and .. */
}

static void data_and_texts_arrive(void **state)
{
    (void)state;
    struct plot *plot = NULL;
    pw_error error = {""};
    pw_picture image;
    const uint8_t blue[] = {0, 0, 255, 0, 0, 255, 0, 0, 255, 0, 0, 255};
    assert_int_equal(pw_plot_open(path, 200, 100, &plot, &error), PW_OK);
    const char *data = pw_plot_data(plot, blue, sizeof blue);
    pw_plot_send(plot, "set margins 0,0,0,0\nunset tics\nunset border\nset autoscale fix\n");
    pw_plot_send(plot, "set label %s at graph 0.5,0.5\n",
                 pw_plot_quote(plot, "'; system 'touch hacked'; `touch hacked` \"\\\n@GPVAL"));
    pw_plot_send(plot, "plot %s binary array=(2,2) format='%%uchar%%uchar%%uchar' with rgbimage notitle\n", data);
    pw_status status = pw_plot_finish(plot, &error);
    assert_string_equal(error.message, "");
    assert_int_equal(status, PW_OK);
    assert_int_equal(png_image_read(path, &image, NULL), PW_OK);
    assert_int_equal(image.width, 200);
    assert_int_equal(image.height, 100);
    const uint8_t *pixel = image.rgb + 3 * (20 * 200 + 20);
    assert_true(pixel[0] == 0 && pixel[1] == 0 && pixel[2] == 255);
    pw_picture_free(&image);
    assert_int_equal(files_in_folder(), 1);
    assert_int_not_equal(access("hacked", F_OK), 0);
    assert_int_equal(unlink(path), 0);
}

static void quotes_cannot_be_left(void **state)
{
    (void)state;
    struct plot *plot = NULL;
    assert_int_equal(pw_plot_open(path, 10, 10, &plot, NULL), PW_OK);
    assert_string_equal(pw_plot_quote(plot, "it's\n\"`\\"), "\"it's \\042\\140\\134\"");
    assert_string_equal(pw_plot_quote(plot, ""), "\"\"");
    pw_plot_abandon(plot);
    assert_int_equal(files_in_folder(), 0);
}

static void failures_keep_the_old_picture(void **state)
{
    (void)state;
    struct plot *plot = NULL;
    pw_error error = {""};
    FILE *old = fopen(path, "w");
    assert_non_null(old);
    assert_true(fputs("old", old) >= 0 && fclose(old) == 0);
    assert_int_equal(pw_plot_open(path, 100, 100, &plot, &error), PW_OK);
    pw_plot_send(plot, "plot nonsense nonsense\n");
    assert_int_equal(pw_plot_finish(plot, &error), PW_NO_RESOURCE);
    assert_non_null(strstr(error.message, "undefined variable: nonsense"));
    char text[8] = "";
    old = fopen(path, "r");
    assert_non_null(old);
    assert_string_equal(fgets(text, sizeof text, old), "old");
    fclose(old);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(files_in_folder(), 0);
}

static void missing_gnuplot_is_named(void **state)
{
    (void)state;
    struct plot *plot = NULL;
    pw_error error = {""};
    char *search = strdup(getenv("PATH"));
    assert_non_null(search);
    assert_int_equal(setenv("PATH", "/nonexistent", 1), 0);
    assert_int_equal(pw_plot_open(path, 100, 100, &plot, &error), PW_OK);
    pw_plot_send(plot, "plot x\n");
    pw_status status = pw_plot_finish(plot, &error);
    setenv("PATH", search, 1);
    free(search);
    assert_int_equal(status, PW_NO_RESOURCE);
    assert_non_null(strstr(error.message, "install gnuplot-nox"));
    assert_int_equal(files_in_folder(), 0);
}

static void impossible_targets_are_refused_at_once(void **state)
{
    (void)state;
    struct plot *plot = NULL;
    pw_error error = {""};
    assert_int_equal(pw_plot_open("/nonexistent/a.png", 10, 10, &plot, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, "/nonexistent/a.png"));
    assert_int_equal(pw_plot_open("", 10, 10, &plot, &error), PW_BAD_INPUT);
    assert_int_equal(pw_plot_open(path, 0, 10, &plot, &error), PW_BAD_INPUT);
    assert_int_equal(pw_plot_open(path, 10, 1000000, &plot, &error), PW_BAD_INPUT);
    assert_null(plot);
    assert_int_equal(files_in_folder(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_and_texts_arrive),
        cmocka_unit_test(quotes_cannot_be_left),
        cmocka_unit_test(failures_keep_the_old_picture),
        cmocka_unit_test(missing_gnuplot_is_named),
        cmocka_unit_test(impossible_targets_are_refused_at_once),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_clear);
}
