/* The page of `planwave report` without a browser: that its numbers are those of channels and maps, that it keeps to a
 * size, that texts of a user cannot break out of their element, and bad input. What the page does is tested by
 * test_report.sh. */
#include "tests/support/check.h"
#include "tests/support/text_solve.h"

#include "map/map.h"
#include "report/report.h"
#include "tests/support/hand_made.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static char folder[] = "/tmp/planwave_report_XXXXXX";
static char room_path[64], made_path[64], page_path[64];

static const char *const room =
    "title: A room\n"
    "plan:\n"
    "  size: [2.4 m, 1.8 m]\n"
    "  walls: [{from: [1.5 m, 0.1 m], to: [1.5 m, 1.2 m], thickness: 12 cm, material: brick}]\n"
    "grid: {scheme: dd2, cell: 3 cm, courant: 0.5}\n"
    "band: {centre: 1.2 GHz, width: 400 MHz}\n"
    "transmitters:\n"
    "  - {name: ap, at: [0.6 m, 0.9 m], power: 20 dBm}\n"
    "  - {name: other, at: [2.1 m, 0.3 m], power: 10 dBm}\n"
    "spectra: {count: 32, spacing: 1 cells}\n"
    "stop: {after: 60 ns, decay: off}\n";

static void room_solve(const char *path, const char *const *overrides, size_t override_count)
{
    assert_true(text_solve(room, overrides, override_count, PW_SINGLE, "cpu", path));
}

static const char hostile[] = "</script><script>alert(1)</script><!--";

/* Five frequencies, two transmitters, and texts that try to be markup. */
static void made_write(void)
{
    struct hand_made made;
    pw_error error;
    static char *warnings[1] = {"</script><img src=x onerror=alert(2)>"};
    hand_made_create(&made, PW_SINGLE);
    made.scenario.title = (char *)hostile;
    made.setup.warnings = (pw_notes){.text = warnings, .count = 1};
    assert_int_equal(hand_made_write(&made, made_path, true, &error), PW_OK);
    hand_made_free(&made);
}

static int folder_make(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    snprintf(room_path, sizeof room_path, "%s/room.h5", folder);
    snprintf(made_path, sizeof made_path, "%s/made.h5", folder);
    snprintf(page_path, sizeof page_path, "%s/page.html", folder);
    room_solve(room_path, NULL, 0);
    made_write();
    return 0;
}

static int folder_remove(void **state)
{
    (void)state;
    char command[96];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command); /* NOLINT(cert-env33-c): a folder of our own */
}

/* The page as text, the caller's to free. */
static char *page_read(size_t *size)
{
    FILE *file = fopen(page_path, "rb");
    assert_non_null(file);
    struct stat facts;
    assert_int_equal(fstat(fileno(file), &facts), 0);
    char *text = calloc((size_t)facts.st_size + 1, 1);
    assert_int_equal(fread(text, 1, (size_t)facts.st_size, file), facts.st_size);
    fclose(file);
    *size = (size_t)facts.st_size;
    return text;
}

/* The page of a result, written and read; the caller's to free. */
static char *page_of(const struct result *result, const pw_report_options *options, size_t *size)
{
    pw_error error = {{0}};
    if (pw_report_write(result, options, page_path, NULL, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    return page_read(size);
}

static size_t files_in_folder(void)
{
    size_t count = 0;
    DIR *directory = opendir(folder);
    while (readdir(directory) != NULL) {
        count++;
    }
    closedir(directory);
    return count - 2;
}

static int digit_of(char c)
{
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+'             ? 62
           : c == '/'             ? 63
                                  : -1;
}

/* RFC 4648, then RFC 1950, of the element with that id; exactly `size` bytes. */
static uint8_t *block_unpack(const char *page, const char *id, size_t size)
{
    char mark[64];
    snprintf(mark, sizeof mark, "id=\"%s\">", id);
    const char *at = strstr(page, mark);
    assert_non_null(at);
    at += strlen(mark);
    size_t length = strcspn(at, "<"), count = 0;
    uint8_t *packed = malloc(length), *raw = malloc(size + 1);
    uint32_t word = 0;
    int bits = 0;
    for (size_t n = 0; n < length && at[n] != '='; n++) {
        assert_true(digit_of(at[n]) >= 0);
        word = word << 6 | (uint32_t)digit_of(at[n]);
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            packed[count++] = (uint8_t)(word >> bits);
        }
    }
    uLongf unpacked = size + 1;
    assert_int_equal(uncompress(raw, &unpacked, packed, count), Z_OK);
    assert_int_equal(unpacked, size);
    free(packed);
    return raw;
}

static double number_after(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    assert_non_null(at);
    return strtod(at + strlen(name), NULL);
}

/* The page says whose error the forecast is, and by depth; the words are those of the library. */
static void page_says_what_the_forecast_is(void **state)
{
    (void)state;
    struct result *result = result_get(room_path);
    size_t size;
    char *page = page_of(result, NULL, &size);
    assert_non_null(strstr(page, pw_forecast_words(false)));
    assert_non_null(strstr(page, " dB in the strongest half of the floor, "));
    free(page);
    pw_result_close(result);
}

/* The maps that the page carries are those of `planwave map`, to half a step. */
static void page_carries_maps(void **state)
{
    (void)state;
    pw_error error = {{0}};
    struct result *result = result_get(room_path);
    size_t size;
    char *page = page_of(result, NULL, &size);
    pw_map_options options = pw_map_options_default();
    options.transmitter = result->transmitters[0].name;
    for (int local_mean = 0; local_mean < 2; local_mean++) {
        struct map map;
        options.local_mean = local_mean == 1;
        assert_int_equal(map_compute(result, &options, &map, &error), PW_OK);
        size_t cells = (size_t)map.rows * (size_t)map.columns, planes = PW_SURVEY_FIXED_PLANES + PW_SURVEY_FREQUENCIES;
        uint8_t *raw = block_unpack(page, "maps-0", 2 * planes * cells);
        const char *plane = strstr(page, local_mean ? "\"key\":\"local_mean\"" : "\"key\":\"path_gain\"");
        double offset = number_after(plane, "\"offset\":"), step = number_after(plane, "\"step\":");
        assert_true(step == 0.01);
        const uint8_t *low = raw + (local_mean ? 2 * cells : 0), *high = low + cells;
        for (size_t n = 0; n < cells; n++) {
            double value = offset + step * (low[n] | high[n] << 8);
            assert_true(fabs(value - map.value[n]) < 0.5001 * step + 1e-4);
        }
        free(raw);
        map_free(&map);
    }
    free(page);
    pw_result_close(result);
}

/* What a cell of the page knows is what pw_channel_write finds at its place. */
static void cells_are_channels(void **state)
{
    (void)state;
    pw_error error = {{0}};
    struct result *result = result_get(room_path);
    pw_channel_options options = pw_channel_options_default();
    pw_survey *site;
    const pw_survey_options wanted = {.transmitter = 1, .channel = options, .cell_step = 3, .tap_step = 1};
    char channel_folder[80];
    snprintf(channel_folder, sizeof channel_folder, "%s/channel", folder);
    assert_int_equal(pw_survey_create(result, &wanted, NULL, &site, &error), PW_OK);
    for (int n = 0; n < 4; n++) {
        int row = (7 * n + 3) % site->rows, column = (11 * n + 2) % site->columns;
        size_t at = (size_t)row * (size_t)site->columns + (size_t)column;
        double place[2] = {site->x0 + column * site->pitch_x, site->y0 + row * site->pitch_y};
        pw_metrics metrics;
        assert_int_equal(pw_channel_write(result, "other", NULL, place, &options, channel_folder, &metrics, &error),
                         PW_OK);
        const double expected[] = {metrics.path_gain_db,
                                   NAN,
                                   1e9 * metrics.rms_delay_spread,
                                   1e9 * metrics.mean_excess_delay,
                                   1e9 * metrics.maximum_excess_delay,
                                   metrics.rician_k_db,
                                   1e-6 * metrics.coherence_bandwidth_50,
                                   1e-6 * metrics.coherence_bandwidth_90};
        for (size_t p = 0; p < sizeof expected / sizeof expected[0]; p++) {
            double value = site->planes[p].value[at];
            assert_true(p == 1 || (isnan(value) && isnan(expected[p])) ||
                        fabs(value - expected[p]) < 1e-5 * fmax(1.0, fabs(expected[p])));
        }
        assert_true(fabs(site->budget + metrics.path_gain_db - metrics.received_power_dbm) < 1e-9);
    }
    pw_survey_free(site);
    pw_result_close(result);
}

/* Fewer taps are some of the same taps; the largest of a profile is the peak that its steps count from. */
static void taps_are_thinned(void **state)
{
    (void)state;
    pw_error error = {{0}};
    struct result *result = result_get(room_path);
    pw_channel_options options = pw_channel_options_default();
    pw_survey *fine, *coarse;
    pw_survey_options wanted = {.channel = options, .cell_step = 2, .tap_step = 1};
    assert_int_equal(options.padding, 4);
    assert_int_equal(pw_survey_create(result, &wanted, NULL, &fine, &error), PW_OK);
    wanted.tap_step = 4;
    assert_int_equal(pw_survey_create(result, &wanted, NULL, &coarse, &error), PW_OK);
    assert_int_equal(fine->bin_count, 4 * coarse->bin_count);
    assert_int_equal(coarse->bin_count, 32);
    assert_true(fabs(coarse->bin - 4 * fine->bin) < 1e-6 * fine->bin);
    int first = (int)lround((coarse->first_delay - fine->first_delay) / fine->bin);
    for (size_t cell = 0; cell < (size_t)fine->rows * (size_t)fine->columns; cell++) {
        const uint8_t *all = fine->profiles + cell * (size_t)fine->bin_count;
        const uint8_t *some = coarse->profiles + cell * (size_t)coarse->bin_count;
        int least = PW_SURVEY_DEPTH;
        for (int n = 0; n < fine->bin_count; n++) {
            least = all[n] < least ? all[n] : least;
        }
        assert_int_equal(least, 0);
        for (int n = 0; n < coarse->bin_count; n++) {
            assert_int_equal(some[n], all[first + 4 * n]);
        }
    }
    pw_survey_free(fine);
    pw_survey_free(coarse);
    pw_result_close(result);
}

static size_t occurrences(const char *text, const char *what)
{
    size_t count = 0;
    for (const char *at = strstr(text, what); at != NULL; at = strstr(at + 1, what)) {
        count++;
    }
    return count;
}

/* Title and warning that look like markup stay texts; five frequencies give maps and no delays. */
static void hostile_texts_stay_texts(void **state)
{
    (void)state;
    struct result *result = result_get(made_path);
    size_t size;
    char *page = page_of(result, NULL, &size);
    assert_null(strstr(page, "<script>alert"));
    assert_null(strstr(page, "<img"));
    assert_null(strstr(page, "-->\\u003c"));
    assert_non_null(strstr(page, "\\u003c/script>\\u003cscript>alert(1)"));
    assert_int_equal(occurrences(page, "</script>"),
                     1 + 4 + 1 + 1); /* data, maps and floors of two, walls, the program */
    assert_non_null(strstr(page, "\"bins\":0"));
    assert_null(strstr(page, "id=\"profiles-0\""));
    assert_int_equal(strlen(page), size);
    free(page);
    pw_result_close(result);
}

/* No address to fetch anything from, and a policy that would refuse. */
static void page_needs_no_network(void **state)
{
    (void)state;
    struct result *result = result_get(room_path);
    size_t size;
    char *page = page_of(result, NULL, &size);
    assert_null(strstr(page, "http:"));
    assert_null(strstr(page, "https:"));
    assert_null(strstr(page, "src="));
    assert_non_null(strstr(page, "default-src 'none'"));
    free(page);
    pw_result_close(result);
}

/* A smaller page has fewer taps, then fewer cells; one that cannot be small enough is not written. */
static void page_keeps_to_its_size(void **state)
{
    (void)state;
    pw_error error = {{0}};
    struct result *result = result_get(room_path);
    pw_report_options options = pw_report_options_default();
    size_t whole, size;
    free(page_of(result, &options, &whole));
    options.transmitter = "ap";
    free(page_of(result, &options, &size));
    assert_true(size < whole);
    options.transmitter = NULL;
    bool thinned = false;
    for (double share = 0.9; share > 0.4; share -= 0.15) {
        options.maximum_bytes = (uint64_t)(share * (double)whole);
        char *page = page_of(result, &options, &size);
        assert_true(size <= options.maximum_bytes);
        thinned = thinned || number_after(page, "\"cell_step\":") > 1;
        free(page);
    }
    assert_true(thinned);
    assert_int_equal(unlink(page_path), 0);
    size_t files = files_in_folder();
    options.maximum_bytes = 20000;
    assert_int_equal(pw_report_write(result, &options, page_path, NULL, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, "MB are allowed"));
    assert_int_equal(files_in_folder(), files);
    pw_result_close(result);
}

static void misuse_is_refused(void **state)
{
    (void)state;
    pw_error error = {{0}};
    struct result *result = result_get(room_path);
    pw_report_options options = pw_report_options_default();
    size_t files = files_in_folder();
    assert_int_equal(pw_report_write(NULL, &options, page_path, NULL, &error), PW_USAGE);
    assert_int_equal(pw_report_write(result, &options, NULL, NULL, &error), PW_USAGE);
    assert_int_equal(pw_report_write(result, &options, "", NULL, &error), PW_USAGE);
    assert_int_equal(pw_report_write(result, &options, "/nowhere/at/all.html", NULL, &error), PW_NO_RESOURCE);
    assert_non_null(strstr(error.message, "/nowhere/at/all.html"));
    assert_int_equal(pw_report_write(result, &options, folder, NULL, &error), PW_NO_RESOURCE);
    options.transmitter = "ap9";
    assert_int_equal(pw_report_write(result, &options, page_path, NULL, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, "ap9"));
    assert_non_null(strstr(error.message, "other"));
    options.transmitter = NULL;
    options.channel.padding = 0;
    assert_int_equal(pw_report_write(result, &options, page_path, NULL, NULL), PW_USAGE);
    assert_int_equal(files_in_folder(), files);
    pw_result_close(result);

    char bare[64];
    snprintf(bare, sizeof bare, "%s/bare.h5", folder);
    room_solve(bare, (const char *[]){"spectra=off", "receivers=[{at: [1, 1]}]"}, 2);
    result = result_get(bare);
    assert_int_equal(pw_report_write(result, NULL, page_path, NULL, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, "no running spectra"));
    pw_result_close(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(page_says_what_the_forecast_is),
        cmocka_unit_test(page_carries_maps),
        cmocka_unit_test(cells_are_channels),
        cmocka_unit_test(taps_are_thinned),
        cmocka_unit_test(hostile_texts_stay_texts),
        cmocka_unit_test(page_needs_no_network),
        cmocka_unit_test(page_keeps_to_its_size),
        cmocka_unit_test(misuse_is_refused),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
