/* What a server of the live page withstands: messages that are nested deeply, edits whose run would need more memory
 * than there is, connections that say nothing, and an end at any time. */
#include "tests/live/served.h"

#include "tools/json.h"

/* Without a grid, so that its cells follow from band and walls. */
static const char ROOM[] = "plan:\n"
                           "  size: [3 m, 2 m]\n"
                           "  walls: [{from: [1 m, 0 m], to: [1 m, 1.5 m], thickness: 10 cm, material: brick}]\n"
                           "band: {centre: 1.2 GHz, width: 200 MHz}\n"
                           "transmitters: [{name: a, at: [0.3 m, 0.5 m]}]\n";

static int begin_room(void **state)
{
    return begin_with(ROOM, state);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void test_counts_depth(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int depth;
    } TEXTS[] = {{"{\"a\": [1, 2], \"b\": [[1]]}", 3}, {"\"[[[[\"", 0}, {"[\"\\\"[[\", {}]", 2}, {"]]][", 1}};
    for (size_t n = 0; n < sizeof TEXTS / sizeof TEXTS[0]; n++) {
        const size_t size = strlen(TEXTS[n].text);
        assert_true(json_is_flat(TEXTS[n].text, size, TEXTS[n].depth));
        assert_true(TEXTS[n].depth == 0 || n == 3 || !json_is_flat(TEXTS[n].text, size, TEXTS[n].depth - 1));
    }
}

/* Nothing but brackets, as many as fit: a sentence, and the next message is heard. */
static void test_refuses_deep_messages(void **state)
{
    const struct fixture *fixture = *state;
    static const char *const BEGINNINGS[] = {"[", "{\"a\":"};
    char text[8001];
    int line = join(fixture);
    for (size_t n = 0; n < sizeof BEGINNINGS / sizeof BEGINNINGS[0]; n++) {
        for (size_t length = 0; length + strlen(BEGINNINGS[n]) < sizeof text; length += strlen(BEGINNINGS[n])) {
            strcpy(text + length, BEGINNINGS[n]);
        }
        ask(line, text, "refused");
    }
    ask(line, "{\"type\": \"wave\", \"on\": false, \"id\": 1}", "done");
    close(line);
}

/* Another band, a denser wall, or one that is: refused at once, and the scenario is as before. */
static void test_refuses_what_is_too_large(void **state)
{
    const struct fixture *fixture = *state;
    static const char *const EDITS[] = {
        "{\"type\": \"band\", \"centre\": 1e12, \"id\": 1}",
        "{\"type\": \"band\", \"centre\": 1e15, \"width\": 1, \"id\": 1}",
        "{\"type\": \"band\", \"centre\": 80e9, \"width\": 60e9, \"id\": 1}",
    };
    int line = join(fixture);
    for (size_t n = 0; n < sizeof EDITS / sizeof EDITS[0]; n++) {
        const double began = now();
        assert_true(socket_text(line, EDITS[n]));
        json_t *answer = await_text(line, "refused");
        const char *text = json_string_value(json_object_get(answer, "text"));
        if (strstr(text, "memory") == NULL && strstr(text, "cells") == NULL) {
            fail_msg("%s", text);
        }
        json_decref(answer);
        assert_true(now() - began < 2);
    }
    ask(line, "{\"type\": \"undo\", \"id\": 2}", "refused"); /* there is nothing to undo */
    close(line);
    line = join(fixture);
    json_t *told = await_text(line, "state");
    assert_true(json_number_value(json_object_get(json_object_get(told, "band"), "centre")) == 1.2e9);
    json_decref(told);
    close(line);
}

/* 60 connections that have said half a request, or nothing, take no place from a new window. */
static void test_half_open_requests_wait_alone(void **state)
{
    const struct fixture *fixture = *state;
    enum { COUNT = 60 };
    int lines[COUNT];
    char path[64], host[64], head[4096], *body;
    size_t size;
    for (int n = 0; n < COUNT; n++) {
        lines[n] = web_connect(fixture->port);
        assert_true(lines[n] >= 0);
        if (n % 2 == 0) {
            assert_int_equal(send(lines[n], "GET /x HTTP/1.1\r\nHost:", 22, 0), 22);
        }
    }
    const double began = now();
    snprintf(path, sizeof path, "/%s/", fixture->token);
    snprintf(host, sizeof host, "Host: %s\r\n", fixture->host);
    assert_int_equal(web_request(fixture->port, "GET", path, host, head, &body, &size), 200);
    free(body);
    assert_true(now() - began < 1);
    for (int n = 0; n < COUNT; n++) {
        close(lines[n]);
    }
}

/* ---- jobs that are wanted no more -------------------------------------------------------------------------------- */

/* A band whose run fits, but takes long: the room's cells are a tenth as large. */
static const char LONG_JOB[] = "{\"type\": \"band\", \"centre\": 12e9, \"width\": 300e6, \"id\": 7}";

/* Until progress of a revision is told, of another stage than being idle. */
static void await_progress(int line, json_int_t revision)
{
    for (json_int_t of = 0; of < revision;) {
        json_t *told = await_text(line, "progress");
        of = strcmp(json_string_value(json_object_get(told, "stage")), "idle") != 0 ? number_of(told, "revision") : 0;
        json_decref(told);
    }
}

/* Whether it is being set up or solved: what follows begins within a second. */
static void test_cancels_within_a_second(void **state)
{
    const struct fixture *fixture = *state;
    int line = join(fixture);
    ask(line, "{\"type\": \"view\", \"quantity\": \"rms-delay-spread\", \"id\": 1}", "done"); /* without previews */
    for (int pause = 0; pause < 4; pause++) {
        await_progress(line, ask(line, LONG_JOB, "done"));
        usleep((useconds_t)pause * 150000);
        const double began = now();
        size_t size;
        json_int_t revision = ask(line, "{\"type\": \"undo\", \"id\": 8}", "done");
        free(await_full(line, (uint32_t)revision, &size));
        print_message("cancelled, and solved as before: %.2f s\n", now() - began);
        assert_true(now() - began < 2);
    }
    close(line);
}

/* As long as there is something unsaved it lies in a file, however the server ends; then no more. */
static void test_keeps_what_is_not_saved(void **state)
{
    const struct fixture *fixture = *state;
    char path[128];
    snprintf(path, sizeof path, "%s/room-unsaved.yaml", fixture->folder);
    int line = join(fixture);
    assert_int_not_equal(access(path, F_OK), 0);
    ask(line, "{\"type\": \"move\", \"transmitter\": \"a\", \"x\": 0.4, \"y\": 0.5, \"id\": 1}", "done");
    assert_int_equal(access(path, F_OK), 0);
    ask(line, "{\"type\": \"undo\", \"id\": 2}", "done");
    assert_int_not_equal(access(path, F_OK), 0);
    ask(line, "{\"type\": \"redo\", \"id\": 3}", "done");
    assert_int_equal(access(path, F_OK), 0);
    ask(line, "{\"type\": \"save\", \"name\": \"room-unsaved.yaml\", \"overwrite\": true, \"id\": 4}", "saved");
    assert_int_equal(access(path, F_OK), 0); /* it is the user's now */
    assert_int_equal(unlink(path), 0);
    close(line);
}

/* In the middle of a job, with connections open: within two seconds, and what was not saved is there. */
static void test_ends_within_two_seconds(void **state)
{
    struct fixture *fixture = *state;
    int line = join(fixture), silent = web_connect(fixture->port);
    await_progress(line, ask(line, LONG_JOB, "done"));
    const double began = now();
    atomic_store(&fixture->ended, true);
    pthread_join(fixture->thread, NULL);
    fixture->gone = true;
    print_message("ended: %.2f s\n", now() - began);
    assert_true(now() - began < 2);
    assert_int_equal(fixture->status, PW_OK);
    assert_non_null(strstr(fixture->note, "room-unsaved.yaml"));
    close(line);
    close(silent);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_depth),
        cmocka_unit_test(test_refuses_deep_messages),
        cmocka_unit_test(test_refuses_what_is_too_large),
        cmocka_unit_test(test_half_open_requests_wait_alone),
        cmocka_unit_test(test_cancels_within_a_second),
        cmocka_unit_test(test_keeps_what_is_not_saved),
        cmocka_unit_test(test_ends_within_two_seconds),
    };
    return cmocka_run_group_tests(tests, begin_room, end);
}
