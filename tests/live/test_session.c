/* A session of several windows: the film of the wave, reports, and what is left behind on the disk. */
#include "tests/live/served.h"

#include "serve/document/message.h"
#include "serve/session.h"

#include "tests/support/sanitized.h"

#include <fcntl.h>
#include <math.h>
#include <sys/file.h>
#include <sys/stat.h>

/* At any speed there are frames, also where the run is over within the first: never a failure. */
static void test_wave_at_any_speed(void **state)
{
    const struct fixture *fixture = *state;
    int line = join(fixture);
    for (int fast = 0; fast < 2; fast++) {
        char *bytes, message[80];
        size_t size;
        snprintf(message, sizeof message, "{\"type\": \"wave\", \"on\": true, \"speed\": %d}", fast ? 1000 : 100);
        assert_true(socket_text(line, message));
        for (int frames = 0; frames < 4;) {
            int opcode = socket_next(line, &bytes, &size);
            assert_true(opcode >= 0);
            assert_true(opcode != 1 || strstr(bytes, "\"failed\"") == NULL);
            frames += opcode == 2 && bytes[4] == 3;
            free(bytes);
        }
    }
    ask(line, "{\"type\": \"wave\", \"on\": false, \"id\": 1}", "done");
    close(line);
}

/* Everyone who asks for the report gets an answer, also where another has asked meanwhile. */
static void test_reports_to_all(void **state)
{
    const struct fixture *fixture = *state;
    int lines[2] = {join(fixture), join(fixture)};
    ask(lines[0], "{\"type\": \"move\", \"transmitter\": \"ap1\", \"x\": 0.4, \"y\": 0.5, \"id\": 1}", "done");
    assert_true(socket_text(lines[0], "{\"type\": \"report\", \"id\": 2}"));
    assert_true(socket_text(lines[1], "{\"type\": \"report\", \"id\": 3}"));
    for (int n = 0; n < 2; n++) {
        json_t *answer = await_text(lines[n], "report");
        assert_int_equal(number_of(answer, "id"), 2 + n);
        json_decref(answer);
        close(lines[n]);
    }
}

/* A drag ends with its window, also where another window has meanwhile asked for what was refused. */
static void test_drags_end_with_their_window(void **state)
{
    const struct fixture *fixture = *state;
    int dragger = join(fixture), other = join(fixture);
    size_t size;
    json_int_t revision = ask(
        dragger, "{\"type\": \"move\", \"transmitter\": \"ap1\", \"x\": 0.6, \"y\": 0.5, \"drag\": true, \"id\": 1}",
        "done");
    ask(other, "{\"type\": \"remove\", \"transmitter\": \"ap9\", \"id\": 1}", "refused");
    close(dragger);
    free(await_full(other, (uint32_t)revision, &size));
    close(other);
}

/* ---- which walls decide ---- */

/* What planwave sensitivity says of the same place. */
static pw_gradients_wall strongest_wall(void)
{
    const char *receivers = "receivers=[{name: here, at: [2.3 m, 1 m]}]";
    const pw_gradients_options options = {.compute = {.backend = "cpu", .threads = 2}, .thickness = true};
    pw_scenario *scenario = NULL;
    pw_gradients *made = NULL;
    pw_gradients_wall wall;
    int count = 0;
    pw_error error = {""};
    assert_int_equal(pw_scenario_parse("room.yaml", SCENARIO, &receivers, 1, &scenario, &error), PW_OK);
    assert_int_equal(pw_gradients_solve(scenario, &options, &made, &error), PW_OK);
    assert_int_equal(pw_gradients_walls(made, 0, 0, 1, &wall, &count, &error), PW_OK);
    assert_int_equal(count, 1);
    pw_gradients_free(made);
    pw_scenario_free(scenario);
    return wall;
}

static void test_walls_that_decide(void **state)
{
    (void)state;
    struct fixture *fixture;
    assert_int_equal(begin((void **)&fixture), 0);
    const pw_gradients_wall right = strongest_wall();
    int line = join(fixture);
    assert_true(socket_text(line, "{\"type\": \"sensitivity\", \"x\": 2.3, \"y\": 1, \"id\": 5}"));
    json_t *answer = await_text(line, "sensitivity"), *list = json_object_get(answer, "walls"),
           *first = json_array_get(list, 0);
    assert_int_equal(number_of(answer, "id"), 5);
    assert_int_equal(number_of(answer, "frequencies_left_out"), 0);
    assert_string_equal(json_string_value(json_object_get(answer, "transmitter")), "ap1");
    assert_int_equal(json_array_size(list), 1);
    assert_string_equal(json_string_value(json_object_get(first, "material")), "brick");
    assert_true(fabs(json_real_value(json_array_get(json_object_get(first, "from"), 0)) - 1.5) < 1e-9);
    assert_true(fabs(json_number_value(json_object_get(first, "db_per_10_percent")) / (0.1 * right.per_relative) - 1) <
                1e-4);
    assert_true(fabs(json_number_value(json_object_get(first, "db_per_cm")) / (0.01 * right.per_metre) - 1) < 1e-4);
    json_decref(answer);
    ask(line, "{\"type\": \"sensitivity\", \"x\": 3.3, \"y\": 1, \"id\": 6}", "refused");
    ask(line, "{\"type\": \"sensitivity\", \"x\": 1, \"y\": 1, \"transmitter\": \"ap9\", \"id\": 7}", "refused");
    close(line);
    assert_int_equal(end((void **)&fixture), 0);
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Waits until the worker is at the question, as its progress tells. */
static void await_stage(int line, const char *stage)
{
    for (;;) {
        json_t *progress = await_text(line, "progress");
        const bool there = strcmp(json_string_value(json_object_get(progress, "stage")), stage) == 0;
        json_decref(progress);
        if (there) {
            return;
        }
    }
}

static void expect_refusal(int line, json_int_t id, const char *words)
{
    json_t *answer = await_text(line, "refused");
    assert_int_equal(number_of(answer, "id"), id);
    assert_non_null(strstr(json_string_value(json_object_get(answer, "text")), words));
    json_decref(answer);
}

/* A question ends within a second when it is taken back, when its window asks another, and when the plan changes. */
static void test_walls_are_stopped(void **state)
{
    (void)state;
    static const char QUESTION[] = "{\"type\": \"sensitivity\", \"x\": 2.3, \"y\": 1, \"id\": %d}";
    char text[1024], message[128];
    struct fixture *fixture;
    snprintf(text, sizeof text, "%sspectra: {count: 64}\n", SCENARIO);
    char *stop = strstr(text, "60 ns}");
    memcpy(stop, "2 us} ", 6);
    assert_int_equal(begin_with(text, (void **)&fixture), 0);
    int line = join(fixture);
    for (int way = 0; way < 3; way++) {
        const json_int_t id = 10 * (way + 1);
        snprintf(message, sizeof message, QUESTION, (int)id);
        assert_true(socket_text(line, message));
        await_stage(line, "sensitivity");
        const double began = seconds_now();
        if (way == 0) {
            assert_true(socket_text(line, "{\"type\": \"stop\", \"id\": 1}"));
            expect_refusal(line, id, "stopped");
        } else if (way == 1) {
            snprintf(message, sizeof message, QUESTION, 3);
            assert_true(socket_text(line, message));
            expect_refusal(line, id, "stopped");
            assert_true(socket_text(line, "{\"type\": \"stop\", \"id\": 1}"));
            expect_refusal(line, 3, "stopped");
        } else {
            assert_true(socket_text(line, "{\"type\": \"move\", \"transmitter\": \"ap1\", \"x\": 0.6, \"y\": 0.5}"));
            expect_refusal(line, id, "the plan was changed");
        }
        assert_true(SANITIZED || seconds_now() - began < 1);
    }
    close(line);
    assert_int_equal(end((void **)&fixture), 0);
}

/* ---- on the disk ---- */

static bool drop_blob(void *connection, const struct blob *blob)
{
    (void)connection;
    (void)blob;
    return true;
}

/* What kinds of maps a window was sent, in order: 1 preview, 2 full, as digits of a number. */
static bool note_maps(void *connection, const struct blob *blob)
{
    atomic_int *maps = connection;
    if (blob->binary && blob->size > FRAME_HEADER && blob->bytes[4] == FRAME_MAP) {
        atomic_store(maps, 10 * atomic_load(maps) + 1 + blob->bytes[6]);
    }
    return true;
}

/* Nobody waits for the first map as long as the full solve takes. */
static void test_begins_with_a_preview(void **state)
{
    const struct fixture *fixture = *state;
    char path[128], name[FILE_NAME_SIZE];
    pw_error error = {""};
    struct session *session;
    atomic_int maps = 0;
    snprintf(path, sizeof path, "%s/first.yaml", fixture->folder);
    write_text(path, SCENARIO);
    assert_int_equal(session_create(&(struct session_options){.path = path}, note_maps, &session, &error), PW_OK);
    struct client *client = session_join(session, &maps);
    for (int n = 0; n < 6000 && atomic_load(&maps) < 12; n++) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    assert_int_equal(atomic_load(&maps), 12);
    int number = client_number(client);
    client_leave(client);
    session_left(session, number);
    assert_int_equal(session_close(session, name, &error), PW_OK);
    session_free(session);
    assert_int_equal(unlink(path), 0);
}

/* Twice as many at once as in a second; a second later as many again as a second allows. */
static void test_counts_messages(void **state)
{
    (void)state;
    struct clients *clients;
    pw_error error;
    assert_int_equal(clients_create(drop_blob, &clients, &error), PW_OK);
    struct client *client = client_join(clients, NULL);
    int at_once = 0, later = 0;
    while (at_once < 10000 && client_may_send(client, 5)) {
        at_once++;
    }
    while (later < 10000 && client_may_send(client, 6)) {
        later++;
    }
    assert_int_equal(at_once, 2 * MESSAGES_PER_SECOND);
    assert_int_equal(later, MESSAGES_PER_SECOND);
    client_leave(client);
    clients_free(clients);
}

/* Also beside a scenario whose own name none may be saved under. */
static void test_rescues_hidden_scenarios(void **state)
{
    const struct fixture *fixture = *state;
    char path[128], name[FILE_NAME_SIZE];
    pw_error error = {""};
    struct session *session;
    struct message move = {.kind = MESSAGE_MOVE, .transmitter = "ap1", .at = {0.3125, 0.4}};
    snprintf(path, sizeof path, "%s/.room.yaml", fixture->folder);
    write_text(path, SCENARIO);
    assert_int_equal(session_create(&(struct session_options){.path = path}, drop_blob, &session, &error), PW_OK);
    pthread_mutex_lock(&session->lock); /* the worker is at its first solve */
    pw_status status = document_apply(&session->document, &move, &error);
    pthread_mutex_unlock(&session->lock);
    assert_int_equal(status, PW_OK);
    assert_int_equal(session_close(session, name, &error), PW_OK);
    assert_string_equal(name, "scenario-unsaved.yaml");
    session_free(session);
}

/* A folder as a server that was killed an hour ago leaves it, with a file in it. */
static void leave_folder(const char *path)
{
    const struct timespec times[2] = {{.tv_sec = time(NULL) - 3600}, {.tv_sec = time(NULL) - 3600}};
    char file[160];
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(file, sizeof file, "%s/7.h5", path);
    write_text(file, "a result");
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* The next server clears them away, but for one that is locked, which lives, and what only looks like one. */
static void test_clears_what_killed_servers_left(void **state)
{
    const struct fixture *fixture = *state;
    char dead[120], alive[120], other[120], own[224], gone[224];
    struct stat facts;
    int lock;
    pw_error error = {""};
    snprintf(dead, sizeof dead, "%s/planwave-serve-dead00", fixture->folder);
    snprintf(alive, sizeof alive, "%s/planwave-serve-alive0", fixture->folder);
    snprintf(other, sizeof other, "%s/planwave-serve-of-a-user", fixture->folder);
    leave_folder(dead);
    leave_folder(alive);
    leave_folder(other);
    int held = open(alive, O_RDONLY | O_DIRECTORY);
    assert_int_equal(flock(held, LOCK_EX), 0);
    setenv("TMPDIR", fixture->folder, 1);
    assert_int_equal(pw_temporary_folder_make(own, sizeof own, &lock, "serve", "results", &error), PW_OK);
    unsetenv("TMPDIR");
    assert_int_not_equal(stat(dead, &facts), 0);
    assert_int_equal(stat(alive, &facts), 0);
    assert_int_equal(stat(other, &facts), 0);
    assert_int_equal(stat(own, &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0700);
    snprintf(gone, sizeof gone, "%s", own);
    pw_temporary_folder_remove(own, &lock);
    assert_int_not_equal(stat(gone, &facts), 0);
    close(held);
    assert_int_equal(folder_delete(alive) + folder_delete(other), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wave_at_any_speed),           cmocka_unit_test(test_reports_to_all),
        cmocka_unit_test(test_drags_end_with_their_window), cmocka_unit_test(test_counts_messages),
        cmocka_unit_test(test_walls_that_decide),           cmocka_unit_test(test_walls_are_stopped),
        cmocka_unit_test(test_rescues_hidden_scenarios),    cmocka_unit_test(test_clears_what_killed_servers_left),
        cmocka_unit_test(test_begins_with_a_preview),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
