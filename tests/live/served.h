/* A server of a small room in a thread of the test, and talking to it. */
#ifndef SERVED_H
#define SERVED_H

#include "serve/planwave_serve.h"
#include "tests/live/web_client.h"
#include "tests/support/check.h"

#include <dirent.h>
#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>

static const char SCENARIO[] =
    "title: a room\n"
    "plan:\n"
    "  size: [3 m, 2 m]\n"
    "  walls: [{from: [1.5 m, 0 m], to: [1.5 m, 1.2 m], thickness: 10 cm, material: brick}]\n"
    "grid: {cell: 2.5 cm, scheme: fd4o, averaging: moment}\n"
    "band: {centre: 1.2 GHz, width: 300 MHz}\n"
    "transmitters:\n"
    "  - {name: ap1, at: [0.7 m, 0.8 m]}\n"
    "stop: {after: 60 ns}\n";

/* ---- a server in a thread ---- */

struct fixture {
    char folder[64], path[96];
    char address[256], token[33], host[32], live[48];
    int port;
    atomic_bool ready, ended;
    pthread_t thread;
    bool gone; /* it was waited for */
    pw_status status;
    pw_error error;
    char note[256];
};

static void note_address(const char *address, void *user)
{
    struct fixture *fixture = user;
    snprintf(fixture->address, sizeof fixture->address, "%s", address);
    atomic_store(&fixture->ready, true);
}

static void note_text(const char *text, void *user)
{
    struct fixture *fixture = user;
    snprintf(fixture->note, sizeof fixture->note, "%s", text);
}

static bool goes_on(void *user)
{
    struct fixture *fixture = user;
    return !atomic_load(&fixture->ended);
}

static void *serve(void *user)
{
    struct fixture *fixture = user;
    pw_serve_options options = {.compute = {.backend = "cpu", .threads = 2},
                                .memory = "400MB",
                                .ready = note_address,
                                .note = note_text,
                                .go_on = goes_on,
                                .user = fixture};
    fixture->status = pw_serve(fixture->path, &options, &fixture->error);
    atomic_store(&fixture->ready, true);
    return NULL;
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int begin_with(const char *scenario, void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    snprintf(fixture->folder, sizeof fixture->folder, "/tmp/test-serve-XXXXXX");
    assert_non_null(mkdtemp(fixture->folder));
    snprintf(fixture->path, sizeof fixture->path, "%s/room.yaml", fixture->folder);
    write_text(fixture->path, scenario);
    assert_int_equal(pthread_create(&fixture->thread, NULL, serve, fixture), 0);
    for (int n = 0; n < 3000 && !atomic_load(&fixture->ready); n++) {
        usleep(10000);
    }
    assert_int_equal(sscanf(fixture->address, "http://127.0.0.1:%d/%32[0-9a-f]/", &fixture->port, fixture->token), 2);
    snprintf(fixture->host, sizeof fixture->host, "127.0.0.1:%d", fixture->port);
    snprintf(fixture->live, sizeof fixture->live, "/%s/live", fixture->token);
    *state = fixture;
    return 0;
}

static inline int begin(void **state)
{
    return begin_with(SCENARIO, state);
}

static int end(void **state)
{
    struct fixture *fixture = *state;
    atomic_store(&fixture->ended, true);
    if (!fixture->gone) {
        pthread_join(fixture->thread, NULL);
    }
    DIR *folder = opendir(fixture->folder);
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char path[400];
        snprintf(path, sizeof path, "%s/%s", fixture->folder, entry->d_name);
        (void)unlink(path);
    }
    closedir(folder);
    (void)rmdir(fixture->folder);
    free(fixture);
    return 0;
}

/* ---- messages ---- */

static int join(const struct fixture *fixture)
{
    int status, line = socket_open(fixture->port, fixture->live, fixture->host, NULL, &status);
    assert_int_equal(status, 101);
    return line;
}

/* The next text of the type; the caller drops it. */
static json_t *await_text(int line, const char *type)
{
    char *bytes;
    size_t size;
    for (int opcode = socket_next(line, &bytes, &size); opcode >= 0; opcode = socket_next(line, &bytes, &size)) {
        json_t *object = opcode == 1 ? json_loads(bytes, 0, NULL) : NULL;
        free(bytes);
        if (object != NULL && strcmp(json_string_value(json_object_get(object, "type")), type) == 0) {
            return object;
        }
        json_decref(object);
    }
    fail_msg("the line was closed before '%s' came", type);
    return NULL;
}

static json_int_t number_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

/* Sends a message and waits for an answer of the type; the revision that it names. */
static inline json_int_t ask(int line, const char *message, const char *type)
{
    assert_true(socket_text(line, message));
    json_t *answer = await_text(line, type);
    json_int_t revision = number_of(answer, "revision");
    json_decref(answer);
    return revision;
}

/* The full map of at least a revision: a frame with its header, the caller's to free. */
static inline char *await_full(int line, uint32_t revision, size_t *size)
{
    char *bytes;
    *size = 0;
    for (int opcode = socket_next(line, &bytes, size); opcode >= 0; opcode = socket_next(line, &bytes, size)) {
        uint32_t of = 0;
        if (opcode == 2 && *size > 96) {
            memcpy(&of, bytes + 8, 4);
        }
        if (opcode == 2 && bytes[4] == 1 && bytes[6] == 1 && of >= revision) {
            return bytes;
        }
        free(bytes);
    }
    fail_msg("no full map came");
    return NULL;
}

#endif
