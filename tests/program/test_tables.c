/* Lines of tables, written and read: quotes of RFC 4180, what is not known, and lines that are none. */
#include "tests/support/check.h"

#include "api/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What pw_csv_write() makes of its arguments. */
#define MADE(expected, ...)                                                                                            \
    do {                                                                                                               \
        char *text = NULL;                                                                                             \
        size_t size;                                                                                                   \
        FILE *file = open_memstream(&text, &size);                                                                     \
        pw_csv_write(file, __VA_ARGS__);                                                                               \
        assert_true(pw_text_close(file, &text));                                                                       \
        assert_string_equal(text, expected);                                                                           \
        free(text);                                                                                                    \
    } while (0)

static void test_quotes(void **state)
{
    (void)state;
    MADE("plain,1\n", "%s,%d\n", "plain", 1);
    MADE("\"east, west\",\"say \"\"hi\"\"\"", "%s,%s", "east, west", "say \"hi\"");
    MADE("\"plain\",\"say \"\"hi\"\"\",bare", "\"%s\",\"%s\",%s", "plain", "say \"hi\"", "bare");
    MADE("two lines,\"a;b\",\"#1\",", "%s,%s,%s,%s", "two\nlines", "a;b", "#1", "");
}

static void test_numbers(void **state)
{
    (void)state;
    MADE("0.1,-2,3.5000,1e+10,-inf", "%.6g,%d,%.4f,%.3g,%.3g", 0.1, -2, 3.5, 1e10, -INFINITY);
    MADE("nan,nan,,,0.5", "%.6g,%.2f,% .6g,% .2f,% .6g", NAN, copysign(NAN, -1.0), NAN, copysign(NAN, -1.0), 0.5);
}

/* What was written is read again. */
static void test_cut(void **state)
{
    (void)state;
    char line[] = " \"east, west\" ;\"say \"\"hi\"\"\"\t 1.5 ,,\"5\"\"\",last\"\r\n", *fields[6];
    static const char *const expected[] = {"east, west", "say \"hi\"", "1.5", "", "5\"", "last"};
    char again[sizeof line];
    memcpy(again, line, sizeof line);
    assert_int_equal(pw_line_cut(again, fields, 5), -1);
    assert_int_equal(pw_line_cut(line, fields, 6), 6);
    for (int n = 0; n < 6; n++) {
        assert_string_equal(fields[n], expected[n]);
    }
}

static void test_lines(void **state)
{
    (void)state;
    char path[] = "/tmp/planwave-lines-XXXXXX", *line;
    int made = mkstemp(path);
    assert_true(made >= 0);
    FILE *file = fdopen(made, "w");
    fprintf(file, "\xef\xbb\xbfx,y\n\n# a comment\n  1,2\n%*d\n", PW_LINE_SIZE, 7);
    assert_int_equal(fclose(file), 0);
    pw_lines lines;
    pw_error error = {""};
    assert_int_equal(pw_lines_open(&lines, path, "points", &error), PW_OK);
    assert_int_equal(pw_lines_next(&lines, &line, &error), PW_OK);
    assert_string_equal(line, "x,y\n");
    assert_int_equal(pw_lines_next(&lines, &line, &error), PW_OK);
    assert_string_equal(line, "1,2\n");
    assert_int_equal(lines.number, 4);
    assert_int_equal(pw_lines_next(&lines, &line, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, ":5: longer than 4094 letters; is this a CSV of points?"));
    pw_lines_close(&lines);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(pw_lines_open(&lines, path, "points", &error), PW_BAD_INPUT);
}

/* What could not be filled leaves the file as it was, and nothing beside it. */
static void test_conclude(void **state)
{
    (void)state;
    char path[] = "/tmp/planwave-lines-XXXXXX", text[8] = "";
    pw_error error = {""};
    int made = mkstemp(path);
    assert_true(made >= 0 && write(made, "before\n", 7) == 7 && close(made) == 0);
    FILE *file = pw_file_create(path, &error);
    assert_non_null(file);
    fputs("half", file);
    assert_int_equal(pw_file_conclude(file, path, pw_fail(&error, PW_BAD_INPUT, "the reason"), &error), PW_BAD_INPUT);
    assert_string_equal(error.message, "the reason");
    file = fopen(path, "r");
    assert_true(file != NULL && fread(text, 1, 7, file) == 7 && fclose(file) == 0);
    assert_string_equal(text, "before\n");
    file = pw_file_create(path, &error);
    assert_non_null(file);
    assert_int_equal(pw_file_conclude(file, path, PW_OK, &error), PW_OK);
    assert_int_equal(unlink(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quotes), cmocka_unit_test(test_numbers),  cmocka_unit_test(test_cut),
        cmocka_unit_test(test_lines),  cmocka_unit_test(test_conclude),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
