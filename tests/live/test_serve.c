/* The server, in this process: who is let in, what is answered to rubbish, that what is served is what `planwave map`
 * makes of the saved scenario, and that clients may come and vanish. */
#include "tests/live/served.h"

#include "serve/document/message.h"

#include <sys/stat.h>

/* ---- who is let in ---- */

static int status_of(const struct fixture *fixture, const char *method, const char *path, const char *more)
{
    char head[4096];
    return web_request(fixture->port, method, path, more, head, NULL, NULL);
}

static void test_refuses_strangers(void **state)
{
    const struct fixture *fixture = *state;
    char host[64], other[128], page[64], wrong[64], near[64], posted[128];
    snprintf(host, sizeof host, "Host: %s\r\n", fixture->host);
    snprintf(page, sizeof page, "/%s/", fixture->token);
    snprintf(wrong, sizeof wrong, "/%032d/", 0);
    snprintf(near, sizeof near, "/%s/", fixture->token);
    near[32] = near[32] == '0' ? '1' : '0'; /* the last digit alone is another */
    assert_int_equal(status_of(fixture, "GET", page, host), 200);
    assert_int_equal(status_of(fixture, "GET", "/", host), 403);
    assert_int_equal(status_of(fixture, "GET", wrong, host), 403);
    assert_int_equal(status_of(fixture, "GET", near, host), 403);
    assert_int_equal(status_of(fixture, "GET", "/style.css", host), 403);
    snprintf(other, sizeof other, "/%s", fixture->token); /* without the slash behind it */
    assert_int_equal(status_of(fixture, "GET", other, host), 403);
    assert_int_equal(status_of(fixture, "GET", page, "Host: evil.example\r\n"), 403);
    snprintf(other, sizeof other, "Host: evil.example:%d\r\n", fixture->port);
    assert_int_equal(status_of(fixture, "GET", page, other), 403);
    snprintf(other, sizeof other, "Host: %s\r\nOrigin: http://evil.example\r\n", fixture->host);
    assert_int_equal(status_of(fixture, "GET", page, other), 403);
    snprintf(other, sizeof other, "Host: %s\r\nOrigin: null\r\n", fixture->host);
    assert_int_equal(status_of(fixture, "GET", page, other), 403);
    snprintf(posted, sizeof posted, "%sContent-Length: 0\r\n", host);
    assert_int_equal(status_of(fixture, "POST", page, posted), 405);
    snprintf(other, sizeof other, "/%s/nothing", fixture->token);
    assert_int_equal(status_of(fixture, "GET", other, host), 404);
    snprintf(other, sizeof other, "/%s/../../../etc/passwd", fixture->token);
    assert_int_not_equal(status_of(fixture, "GET", other, host), 200);
    snprintf(other, sizeof other, "/%s/%%2e%%2e/%%2e%%2e/etc/passwd", fixture->token);
    assert_int_not_equal(status_of(fixture, "GET", other, host), 200);
    assert_int_equal(status_of(fixture, "GET", fixture->live, host), 400);
}

static void test_refuses_strange_sockets(void **state)
{
    const struct fixture *fixture = *state;
    char origin[64], wrong[96];
    int status, line;
    snprintf(wrong, sizeof wrong, "/%032d/live", 0);
    assert_int_equal(socket_open(fixture->port, wrong, fixture->host, NULL, &status), -1);
    assert_int_equal(status, 403);
    assert_int_equal(socket_open(fixture->port, fixture->live, "evil.example", NULL, &status), -1);
    assert_int_equal(status, 403);
    assert_int_equal(socket_open(fixture->port, fixture->live, fixture->host, "http://evil.example", &status), -1);
    assert_int_equal(status, 403);
    snprintf(origin, sizeof origin, "http://127.0.0.1:%d", fixture->port == 65535 ? 1 : fixture->port + 1);
    assert_int_equal(socket_open(fixture->port, fixture->live, fixture->host, origin, &status), -1);
    assert_int_equal(status, 403);
    snprintf(origin, sizeof origin, "http://%s", fixture->host);
    line = socket_open(fixture->port, fixture->live, fixture->host, origin, &status);
    assert_int_equal(status, 101);
    close(line);
}

static void test_says_what_pages_may_do(void **state)
{
    const struct fixture *fixture = *state;
    static const char *const LINES[] = {"default-src 'none'",
                                        "script-src 'self';",
                                        "frame-ancestors 'none'",
                                        "Cache-Control: no-store",
                                        "X-Content-Type-Options: nosniff",
                                        "Referrer-Policy: no-referrer"};
    char head[4096], page[64], host[64], *body = NULL;
    size_t size;
    snprintf(page, sizeof page, "/%s/", fixture->token);
    snprintf(host, sizeof host, "Host: %s\r\n", fixture->host);
    assert_int_equal(web_request(fixture->port, "GET", page, host, head, &body, &size), 200);
    for (size_t n = 0; n < sizeof LINES / sizeof LINES[0]; n++) {
        assert_non_null(strstr(head, LINES[n]));
    }
    assert_null(strstr(head, "Access-Control-Allow-Origin"));
    assert_non_null(strstr(body, "<!DOCTYPE html>"));
    assert_null(strstr(body, "style=\"")); /* the policy would not let it */
    assert_null(strstr(body, "onclick"));
    free(body);
}

/* ---- rubbish ---- */

static void test_refuses_rubbish(void **state)
{
    static const char *const RUBBISH[] = {
        "",
        "{",
        "[]",
        "null",
        "\"move\"",
        "{\"type\": 1}",
        "{\"type\": \"fly\"}",
        "{\"type\": \"undo\", \"x\": 1}",
        "{\"type\": \"undo\", \"type\": \"redo\"}",
        "{\"type\": \"undo\", \"id\": -1}",
        "{\"type\": \"undo\", \"id\": 1.5}",
        "{\"type\": \"move\"}",
        "{\"type\": \"move\", \"transmitter\": \"ap1\", \"x\": \"1\", \"y\": 1}",
        "{\"type\": \"move\", \"transmitter\": \"ap1\", \"x\": 1e999, \"y\": 1}",
        "{\"type\": \"move\", \"transmitter\": \"ap1\", \"x\": NaN, \"y\": 1}",
        "{\"type\": \"move\", \"transmitter\": \"ap1\", \"x\": 3.5, \"y\": 1}",
        "{\"type\": \"move\", \"transmitter\": \"nobody\", \"x\": 1, \"y\": 1}",
        "{\"type\": \"move\", \"transmitter\": \"a\\u0000p1\", \"x\": 1, \"y\": 1}",
        "{\"type\": \"remove\", \"transmitter\": \"ap1\"}",
        "{\"type\": \"add\", \"x\": 1, \"y\": 1, \"name\": \"a/b\"}",
        "{\"type\": \"add\", \"x\": 1, \"y\": 1, \"name\": \"ap1\"}",
        "{\"type\": \"wall\", \"from\": [1, 1], \"to\": [1, 1], \"thickness\": 0.1, \"material\": \"brick\"}",
        "{\"type\": \"wall\", \"from\": [1, 1], \"to\": [2, 1], \"thickness\": -0.1, \"material\": \"brick\"}",
        "{\"type\": \"wall\", \"from\": [1, 1], \"to\": [2, 1], \"thickness\": 0.1, \"material\": \"cheese\"}",
        "{\"type\": \"wall\", \"from\": [1, 1, 1], \"to\": [2, 1], \"thickness\": 0.1, \"material\": \"brick\"}",
        "{\"type\": \"erase\", \"x\": 0.2, \"y\": 0.2}",
        "{\"type\": \"material\", \"name\": \"brick\", \"relative_permittivity\": 0.5, \"conductivity\": 0}",
        "{\"type\": \"material\", \"name\": \"concrete\", \"relative_permittivity\": 5, \"conductivity\": 0}",
        "{\"type\": \"band\", \"centre\": 0}",
        "{\"type\": \"undo\"}",
        "{\"type\": \"redo\"}",
        "{\"type\": \"view\", \"quantity\": \"beauty\"}",
        "{\"type\": \"view\", \"transmitter\": \"nobody\"}",
        "{\"type\": \"wave\", \"on\": true, \"speed\": 0}",
        "{\"type\": \"save\", \"name\": \"../x.yaml\"}",
        "{\"type\": \"save\", \"name\": \"/tmp/x.yaml\"}",
        "{\"type\": \"save\", \"name\": \"x.txt\"}",
        "{\"type\": \"save\", \"name\": \".yaml\"}",
        "{\"type\": \"save\", \"name\": \"a\\nb.yaml\"}",
        "{\"type\": \"save\", \"name\": \"room.yaml\"}",
    };
    const struct fixture *fixture = *state;
    int line = join(fixture);
    for (size_t n = 0; n < sizeof RUBBISH / sizeof RUBBISH[0]; n++) {
        assert_true(socket_text(line, RUBBISH[n]));
        json_t *answer = await_text(line, "refused");
        assert_true(json_string_length(json_object_get(answer, "text")) > 10);
        json_decref(answer);
    }
    assert_true(socket_send(line, 0x81, "{\"type\": \"undo\", \"\xff\xfe\": 1}", 22)); /* not UTF-8 */
    json_decref(await_text(line, "refused"));
    assert_true(socket_send(line, 0x82, "{}", 2)); /* binary */
    json_decref(await_text(line, "refused"));
    close(line);
    line = join(fixture);
    json_t *now = await_text(line, "state");
    assert_int_equal(number_of(now, "revision"), 1); /* nothing was changed */
    json_decref(now);
    close(line);
}

/* What is too long ends the line, and the server goes on. */
static void test_refuses_long_messages(void **state)
{
    const struct fixture *fixture = *state;
    const size_t size = 300000;
    char *text = malloc(size), *bytes;
    size_t got;
    memset(text, ' ', size);
    int line = join(fixture), opcode;
    (void)socket_send(line, 0x81, text, size);
    do {
        opcode = socket_next(line, &bytes, &got);
        free(bytes);
    } while (opcode == 1 || opcode == 2);
    close(line);
    free(text);
    line = join(fixture);
    json_t *hello = await_text(line, "hello");
    assert_string_equal(json_string_value(json_object_get(hello, "forecast")), pw_forecast_words(false));
    json_decref(hello);
    close(line);
}

/* Whoever sends faster than the bound is refused. A server that takes its time over each message may stay under it. */
static void test_bounds_the_rate(void **state)
{
    enum { SENT = 600 };
    const struct fixture *fixture = *state;
    const double began = pw_clock();
    int line = join(fixture), refused = 0, answers = 0;
    for (int n = 0; n < SENT; n++) {
        assert_true(socket_text(line, "{\"type\": \"view\", \"id\": 7}"));
    }
    while (answers < SENT && refused == 0) {
        char *bytes;
        size_t size;
        int opcode = socket_next(line, &bytes, &size);
        assert_true(opcode >= 0);
        json_t *said = opcode == 1 ? json_loads(bytes, 0, NULL) : NULL;
        answers += json_object_get(said, "id") != NULL && number_of(said, "id") == 7; /* who waits gets its answer */
        refused += opcode == 1 && strstr(bytes, "too many messages") != NULL;
        json_decref(said);
        free(bytes);
    }
    assert_true(answers > 0);
    assert_true(refused == 1 || pw_clock() - began > SENT / (double)MESSAGES_PER_SECOND - 2);
    close(line);
}

/* ---- changes ---- */

static void read_whole(const char *path, char **bytes, size_t *size)
{
    struct stat facts;
    assert_int_equal(stat(path, &facts), 0);
    *size = (size_t)facts.st_size;
    *bytes = malloc(*size + 1);
    FILE *file = fopen(path, "rb");
    assert_int_equal(fread(*bytes, 1, *size, file), *size);
    (*bytes)[*size] = '\0';
    fclose(file);
}

static void must(pw_status status, const pw_error *error)
{
    if (status != PW_OK) {
        fail_msg("%s", error->message);
    }
}

/* The .npy of the map of a scenario that is run from its file, the caller's to free. */
static void map_of_file(const struct fixture *fixture, const char *name, char **bytes, size_t *size)
{
    char path[200], result[200], picture[200];
    pw_scenario *scenario;
    pw_setup *setup;
    pw_result *opened;
    pw_error error;
    snprintf(path, sizeof path, "%s/%s", fixture->folder, name);
    snprintf(result, sizeof result, "%s/saved.h5", fixture->folder);
    snprintf(picture, sizeof picture, "%s/saved.png", fixture->folder);
    must(pw_scenario_load(path, NULL, 0, &scenario, &error), &error);
    must(pw_setup_create(scenario, PW_SINGLE, false, &setup, &error), &error);
    must(pw_run(setup, &(pw_run_options){.force = true}, result, &error), &error);
    must(pw_result_open(result, &opened, &error), &error);
    pw_map_options options = pw_map_options_default();
    options.quantity = PW_RECEIVED_POWER;
    options.local_mean = true;
    must(pw_map_write(opened, &options, picture, NULL, &error), &error);
    pw_result_close(opened);
    pw_setup_free(setup);
    pw_scenario_free(scenario);
    snprintf(picture, sizeof picture, "%s/saved.npy", fixture->folder);
    read_whole(picture, bytes, size);
}

static void test_serves_the_map_of_the_saved_scenario(void **state)
{
    const struct fixture *fixture = *state;
    char path[64], host[64], head[4096], *frame, *served, *own;
    size_t frame_size, served_size, own_size;
    int line = join(fixture);
    ask(line, "{\"type\": \"move\", \"transmitter\": \"ap1\", \"x\": 0.4, \"y\": 1.5, \"drag\": true, \"id\": 1}",
        "done");
    ask(line, "{\"type\": \"move\", \"transmitter\": \"ap1\", \"x\": 0.437, \"y\": 1.613, \"id\": 2}", "done");
    ask(line,
        "{\"type\": \"material\", \"name\": \"brick\", \"relative_permittivity\": 4.4, \"conductivity\": 0.03, \"id\": "
        "3}",
        "done");
    json_int_t revision = ask(line,
                              "{\"type\": \"wall\", \"from\": [2, 0.5], \"to\": [2.7, 1.3], \"thickness\": 0.08, "
                              "\"material\": \"glass\", \"id\": 4}",
                              "done");
    frame = await_full(line, (uint32_t)revision, &frame_size);
    ask(line, "{\"type\": \"save\", \"name\": \"changed.yaml\", \"id\": 5}", "saved");
    close(line);

    map_of_file(fixture, "changed.yaml", &own, &own_size);
    assert_int_equal(frame_size - 96, own_size - 128); /* behind both headers */
    assert_memory_equal(frame + 96, own + 128, own_size - 128);
    snprintf(path, sizeof path, "/%s/map.npy", fixture->token);
    snprintf(host, sizeof host, "Host: %s\r\n", fixture->host);
    assert_int_equal(web_request(fixture->port, "GET", path, host, head, &served, &served_size), 200);
    assert_int_equal(served_size, own_size);
    assert_memory_equal(served, own, own_size);
    free(frame);
    free(served);
    free(own);
}

/* A drag is one step; undoing it gives the text that was there before. */
static void test_undoes(void **state)
{
    const struct fixture *fixture = *state;
    char path[64], host[64], head[4096], *before, *after;
    size_t size;
    snprintf(path, sizeof path, "/%s/scenario.yaml", fixture->token);
    snprintf(host, sizeof host, "Host: %s\r\n", fixture->host);
    assert_int_equal(web_request(fixture->port, "GET", path, host, head, &before, &size), 200);
    int line = join(fixture);
    for (int n = 0; n < 5; n++) {
        char text[128];
        snprintf(text, sizeof text,
                 "{\"type\": \"move\", \"transmitter\": \"ap1\", \"x\": %g, \"y\": 1, \"drag\": %s, \"id\": %d}",
                 1 + 0.05 * n, n < 4 ? "true" : "false", n);
        ask(line, text, "done");
    }
    ask(line, "{\"type\": \"undo\", \"id\": 9}", "done");
    assert_int_equal(web_request(fixture->port, "GET", path, host, head, &after, &size), 200);
    assert_string_equal(after, before);
    free(after);
    ask(line, "{\"type\": \"redo\", \"id\": 10}", "done");
    assert_int_equal(web_request(fixture->port, "GET", path, host, head, &after, &size), 200);
    assert_string_not_equal(after, before);
    free(after);
    free(before);
    close(line);
}

static void test_windows_see_the_same(void **state)
{
    const struct fixture *fixture = *state;
    int first = join(fixture), second = join(fixture);
    json_int_t revision = ask(first, "{\"type\": \"add\", \"x\": 2.5, \"y\": 1.5, \"name\": \"window two\", \"id\": 1}",
                              "done"),
               seen;
    json_t *state_of_second = NULL;
    do {
        json_decref(state_of_second);
        state_of_second = await_text(second, "state");
        seen = number_of(state_of_second, "revision");
    } while (seen < revision);
    assert_int_equal(json_array_size(json_object_get(state_of_second, "transmitters")), 2);
    json_decref(state_of_second);
    close(first);
    close(second);
}

/* A wall, then erasing it, is the plan that was there before; so is nothing where nothing is. */
static void test_erases(void **state)
{
    const struct fixture *fixture = *state;
    int line = join(fixture);
    json_decref(await_text(line, "state"));
    ask(line, "{\"type\": \"erase\", \"x\": 1.5, \"y\": 0.6, \"id\": 1}", "done");
    ask(line, "{\"type\": \"erase\", \"x\": 1.5, \"y\": 0.6, \"id\": 2}", "refused");
    close(line);
}

static void test_profile_under_the_pointer(void **state)
{
    const struct fixture *fixture = *state;
    size_t size;
    int line = join(fixture);
    free(await_full(line, 1, &size));
    json_t *answer = NULL;
    for (int n = 0; n < 3000 && answer == NULL; n++) { /* while the result is being read for a map it is refused */
        char *bytes;
        assert_true(socket_text(line, "{\"type\": \"channel\", \"x\": 2.4, \"y\": 1, \"id\": 1}"));
        int opcode = socket_next(line, &bytes, &size);
        answer = opcode == 1 && strstr(bytes, "\"type\":\"channel\"") != NULL ? json_loads(bytes, 0, NULL) : NULL;
        free(bytes);
        usleep(10000);
    }
    assert_non_null(answer);
    assert_true(json_array_size(json_object_get(answer, "power_db")) > 10);
    /* Free space at 1.7 m is 4.6 dB under that at 1 m; the wall takes some more, and echoes give some. */
    double gain = json_real_value(json_object_get(answer, "path_gain_db"));
    assert_true(gain < 5 && gain > -30);
    json_decref(answer);
    close(line);
}

/* ---- many ---- */

static void test_clients_vanish(void **state)
{
    const struct fixture *fixture = *state;
    int lines[100], open = 0;
    for (int n = 0; n < 100; n++) {
        int status;
        lines[n] = n % 3 == 2
                       ? web_connect(fixture->port) /* and not a word */
                       : (n >= 45 ? -1 : socket_open(fixture->port, fixture->live, fixture->host, NULL, &status));
        open += lines[n] >= 0;
        if (n % 3 == 0 && lines[n] >= 0) {
            (void)web_write(lines[n], "\x81\xfe", 2); /* half a frame */
        }
        if (n % 10 == 9) { /* the last ten vanish */
            for (int k = n - 9; k <= n; k++) {
                struct linger hard = {1, 0};
                if (lines[k] >= 0) {
                    setsockopt(lines[k], SOL_SOCKET, SO_LINGER, &hard, sizeof hard); /* by a reset */
                    close(lines[k]);
                }
            }
        }
    }
    assert_true(open > 50);
    int line = -1, status = 0;
    for (int n = 0; n < 400 && line < 0; n++) {
        line = socket_open(fixture->port, fixture->live, fixture->host, NULL, &status);
        usleep(line < 0 ? 50000 : 0);
    }
    assert_int_equal(status, 101);
    json_decref(await_text(line, "state"));
    close(line);
}

/* More windows than are allowed get 503, and the others stay. */
static void test_bounds_windows(void **state)
{
    const struct fixture *fixture = *state;
    int lines[33], status = 0, count = 0;
    for (; count < 33; count++) {
        lines[count] = socket_open(fixture->port, fixture->live, fixture->host, NULL, &status);
        if (lines[count] < 0) {
            break;
        }
        json_decref(await_text(lines[count], "hello"));
    }
    assert_int_equal(count, 32);
    assert_int_equal(status, 503);
    ask(lines[31], "{\"type\": \"view\", \"id\": 1}", "done");
    for (int n = 0; n < count; n++) {
        close(lines[n]);
    }
}

/* ---- what cannot be served ---- */

static void test_other_scenarios(void **state)
{
    const struct fixture *fixture = *state;
    pw_error error;
    static const char *const SPACE[] = {"dimensions=3", "plan.storey={height: 2 m}"};
    pw_serve_options options = {.go_on = goes_on, .user = *state, .port = fixture->port};
    assert_int_equal(pw_serve(fixture->path, &options, &error), PW_NO_RESOURCE); /* the port is taken */
    options.overrides = SPACE;
    options.override_count = 2;
    assert_int_equal(pw_serve(fixture->path, &options, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, "two dimensions"));
    options.overrides = (const char *const[]){"spectra=off"};
    options.override_count = 1;
    assert_int_equal(pw_serve(fixture->path, &options, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, "'spectra' is off"));
    assert_int_equal(pw_serve("/nowhere.yaml", NULL, &error), PW_BAD_INPUT);
    assert_int_equal(pw_serve(NULL, NULL, &error), PW_USAGE);
}

/* What was not saved is beside the scenario when the server has ended. */
static void test_rescues(void **state)
{
    struct fixture *fixture = *state;
    char path[128], *text;
    size_t size;
    int line = join(fixture);
    ask(line, "{\"type\": \"move\", \"transmitter\": \"ap1\", \"x\": 0.3125, \"y\": 0.4, \"id\": 1}", "done");
    close(line);
    atomic_store(&fixture->ended, true);
    pthread_join(fixture->thread, NULL);
    assert_int_equal(fixture->status, PW_OK);
    assert_non_null(strstr(fixture->note, "room-unsaved.yaml"));
    snprintf(path, sizeof path, "%s/room-unsaved.yaml", fixture->folder);
    read_whole(path, &text, &size);
    assert_non_null(strstr(text, "31.25 cm"));
    free(text);
    read_whole(fixture->path, &text, &size);
    assert_string_equal(text, SCENARIO);
    free(text);
    fixture->gone = true;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refuses_strangers),
        cmocka_unit_test(test_refuses_strange_sockets),
        cmocka_unit_test(test_says_what_pages_may_do),
        cmocka_unit_test(test_refuses_rubbish),
        cmocka_unit_test(test_refuses_long_messages),
        cmocka_unit_test(test_bounds_the_rate),
        cmocka_unit_test(test_serves_the_map_of_the_saved_scenario),
        cmocka_unit_test(test_undoes),
        cmocka_unit_test(test_windows_see_the_same),
        cmocka_unit_test(test_erases),
        cmocka_unit_test(test_profile_under_the_pointer),
        cmocka_unit_test(test_clients_vanish),
        cmocka_unit_test(test_bounds_windows),
        cmocka_unit_test(test_other_scenarios),
        cmocka_unit_test(test_rescues),
    };
    return cmocka_run_group_tests(tests, begin, end); /* one server for all: it takes two seconds to end */
}
