/* What a name may be: letters of every alphabet, and nothing that cannot be seen or that files and tables part by. And
 * how wide it is in a table. */
#include "tests/support/check.h"

#include "base/names.h"

#include <string.h>

static void test_good(void **state)
{
    (void)state;
    static const char *const GOOD[] = {
        "west",      "AP 1.2", "Küche",         "Ku\u0308che", /* the dots as a mark of their own */
        "recepción", "Æ",      "客厅",          "会议室（大）",
        "склад-2",   "مطبخ",   "می\u200cخواهم", /* a word of Persian has a joiner within */
        "हॉल",       "📶 roof"};
    for (size_t n = 0; n < sizeof GOOD / sizeof *GOOD; n++) {
        assert_true(name_is_good(GOOD[n]));
    }
}

static void test_bad(void **state)
{
    (void)state;
    static const char *const BAD[] = {"",
                                      " a",
                                      "a ",
                                      "..",
                                      "a/b",
                                      "a,b",
                                      "a\tb",
                                      "K\xfc"
                                      "che",          /* Latin-1 */
                                      "\xc3",         /* the first half of a letter */
                                      "\xc0\xaf",     /* '/' in two bytes */
                                      "\xed\xa0\x80", /* half of a pair */
                                      "a\u00a0b",     /* blanks that look like one */
                                      "a\u3000b",
                                      "a\u200bb",  /* nothing to see */
                                      "a\u202eb",  /* turns the direction of writing */
                                      "a\xc2\x85", /* a control */
                                      "a\ufeff",
                                      "a\U0010ffff"};
    for (size_t n = 0; n < sizeof BAD / sizeof *BAD; n++) {
        assert_false(name_is_good(BAD[n]));
    }
}

/* NAME_SIZE counts bytes: 21 letters of three bytes are the most. */
static void test_length(void **state)
{
    (void)state;
    char name[NAME_SIZE + 4] = "";
    for (int n = 0; n < 21; n++) {
        strcat(name, "厅");
    }
    assert_true(name_is_good(name));
    strcat(name, "x");
    assert_false(name_is_good(name));
}

static void check_printed(const char *text, int columns, const char *cut, const char *whole)
{
    char printed[64];
    const int field = pw_text_field(text, columns);
    snprintf(printed, sizeof printed, "%-*.*s|", field, field, text);
    assert_string_equal(printed, cut);
    snprintf(printed, sizeof printed, "%-*s|", field, text);
    assert_string_equal(printed, whole);
}

static void test_columns(void **state)
{
    (void)state;
    check_printed("west", 6, "west  |", "west  |");
    check_printed("Küche", 6, "Küche |", "Küche |");
    check_printed("Ku\u0308che", 6, "Ku\u0308che |", "Ku\u0308che |");
    check_printed("客厅", 6, "客厅  |", "客厅  |"); /* two columns a letter */
    check_printed("recepción", 8, "recepció|", "recepción|");
    check_printed("recepción", 7, "recepci|", "recepción|");
    check_printed("客厅的门", 5, "客厅|", "客厅的门|"); /* never half a letter */
    check_printed("", 3, "   |", "   |");
    check_printed("K\xfc"
                  "che",
                  6,
                  "K\xfc"
                  "che |",
                  "K\xfc"
                  "che |");
}

/* The nearest name to a text of another program. */
static void test_made(void **state)
{
    (void)state;
    char name[PW_NAME_SIZE], text[200];
    static const char *const MADE[][2] = {{"Lobby", "Lobby"},
                                          {"AP/3: \"客厅\"", "AP_3_ _客厅_"},
                                          {"  two  words ", "two  words"},
                                          {"line\nline", "line_line"},
                                          {"K\xfc"
                                           "che",
                                           "K_che"}};
    for (size_t n = 0; n < sizeof MADE / sizeof MADE[0]; n++) {
        assert_true(pw_name_make(MADE[n][0], name));
        assert_string_equal(name, MADE[n][1]);
        assert_true(name_is_good(name));
    }
    static const char *const NONE[] = {"", "   ", "...", "\"\"", "/", "best", "all", "-x"};
    for (size_t n = 0; n < sizeof NONE / sizeof NONE[0]; n++) {
        assert_false(pw_name_make(NONE[n], name));
    }
    memset(text, 'a', sizeof text); /* a letter of three bytes does not fit whole */
    memcpy(text + PW_NAME_SIZE - 2, "客b", 5);
    assert_true(pw_name_make(text, name));
    assert_int_equal(strlen(name), PW_NAME_SIZE - 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_good), cmocka_unit_test(test_bad),
                                       cmocka_unit_test(test_length), cmocka_unit_test(test_made),
                                       cmocka_unit_test(test_columns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
