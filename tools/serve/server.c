/* The server: who may speak to it, the few files that it has, and the WebSockets of a session (civetweb does HTTP).
 *
 * It listens on 127.0.0.1. A page of another site that is open in the same browser could still send requests here, so
 * everything asks for the token, which such a page cannot know; the Host must be this very server, or a name that a
 * site has made point here would do (DNS rebinding); and an Origin, which browsers send with every WebSocket, must be
 * this server's own. */
#include "serve/desk.h"
#include "serve/live_page.h"
#include "serve/planwave_serve.h"
#include "serve/session.h"

#include <civetweb.h>
#include <errno.h>
#include <jansson.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>

enum { TOKEN_BYTES = 16, TOKEN_SIZE = 2 * TOKEN_BYTES + 1, ADDRESS_SIZE = 128, POLICY_SIZE = 400, SOCKETS_MOST = 4096 };

struct server {
    struct session *session;
    struct desk *desk; /* where civetweb's threads have done what needs more stack than they have */
    struct mg_context *context;
    char token[TOKEN_SIZE];
    char hosts[2][32]; /* "127.0.0.1:8080", "localhost:8080" */
    char policy[POLICY_SIZE];
    int port;
    atomic_bool complained;
    char complaint[256]; /* the first of civetweb's, any of whose threads may complain */
};

/* ---- who may speak ----------------------------------------------------------------------------------------------- */

/* Takes the same time whether the texts differ early or late. */
static bool same_secret(const char *a, const char *b, size_t length)
{
    unsigned char difference = 0;
    for (size_t n = 0; n < length; n++) {
        difference |= (unsigned char)((unsigned char)a[n] ^ (unsigned char)b[n]);
    }
    return difference == 0;
}

/* What follows "/TOKEN/" in the path of a request; NULL: it does not begin so. */
static const char *path_behind_token(const struct server *server, const char *path)
{
    const size_t length = TOKEN_SIZE - 1;
    if (path == NULL || strlen(path) < length + 2 || path[0] != '/' || path[length + 1] != '/') {
        return NULL;
    }
    return same_secret(path + 1, server->token, length) ? path + length + 2 : NULL;
}

static bool host_is_own(const struct server *server, const char *host)
{
    return host != NULL && (strcmp(host, server->hosts[0]) == 0 || strcmp(host, server->hosts[1]) == 0);
}

/* Browsers send an Origin with every WebSocket; programs need not. */
static bool origin_is_own(const char *origin, const char *host)
{
    return origin == NULL || (strncmp(origin, "http://", 7) == 0 && strcmp(origin + 7, host) == 0);
}

/* What is asked for, or NULL for one who may not ask. */
static const char *admit(const struct server *server, const struct mg_connection *connection)
{
    const char *host = mg_get_header(connection, "Host");
    const char *name = path_behind_token(server, mg_get_request_info(connection)->request_uri);
    return name != NULL && host_is_own(server, host) && origin_is_own(mg_get_header(connection, "Origin"), host) ? name
                                                                                                                 : NULL;
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */

struct answer {
    int status;
    const char *reason, *type;
    const char *policy;
    long long size;
};

static void head_send(struct mg_connection *connection, const struct answer *answer)
{
    mg_printf(connection,
              "HTTP/1.1 %d %s\r\n"
              "Content-Type: %s\r\n"
              "Content-Length: %lld\r\n"
              "Content-Security-Policy: %s\r\n"
              "Cache-Control: no-store\r\n"
              "X-Content-Type-Options: nosniff\r\n"
              "X-Frame-Options: DENY\r\n"
              "Referrer-Policy: no-referrer\r\n"
              "Cross-Origin-Opener-Policy: same-origin\r\n"
              "Cross-Origin-Resource-Policy: same-origin\r\n"
              "Connection: close\r\n\r\n",
              answer->status, answer->reason, answer->type, answer->size, answer->policy);
}

static const char NOTHING_ALLOWED[] = "default-src 'none'; frame-ancestors 'none'";

static int refuse(struct mg_connection *connection, int status, const char *reason)
{
    struct answer answer = {status, reason, "text/plain; charset=utf-8", NOTHING_ALLOWED,
                            (long long)strlen(reason) + 1};
    head_send(connection, &answer);
    mg_printf(connection, "%s\n", reason);
    return status;
}

static int bytes_send(struct mg_connection *connection, const char *type, const char *policy, const char *bytes,
                      size_t size)
{
    struct answer answer = {200, "OK", type, policy, (long long)size};
    head_send(connection, &answer);
    mg_write(connection, bytes, size);
    return 200;
}

/* A file of the session's folder. The report has its scripts inside, and asks nobody for anything. */
static int file_send(struct server *server, struct mg_connection *connection, const char *name)
{
    static const char REPORT[] = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
                                 "img-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    bool report = strcmp(name, "report.html") == 0;
    char path[SESSION_PATH], part[16384];
    struct stat facts;
    FILE *file = session_file(server->session, name, path) ? fopen(path, "rb") : NULL;
    if (file == NULL || fstat(fileno(file), &facts) != 0) {
        if (file != NULL) {
            fclose(file);
        }
        return refuse(connection, 404, "Not there yet");
    }
    struct answer answer = {200, "OK", report ? "text/html; charset=utf-8" : "application/octet-stream",
                            report ? REPORT : NOTHING_ALLOWED, (long long)facts.st_size};
    head_send(connection, &answer);
    size_t count;
    while ((count = fread(part, 1, sizeof part, file)) > 0 && mg_write(connection, part, count) > 0) {
    }
    fclose(file);
    return 200;
}

struct text_errand {
    struct session *session;
    char *text;
};

static void text_make(void *user)
{
    struct text_errand *errand = user;
    errand->text = session_scenario_text(errand->session);
}

static int scenario_send(struct server *server, struct mg_connection *connection)
{
    struct text_errand errand = {.session = server->session};
    desk_do(server->desk, text_make, &errand);
    char *text = errand.text;
    if (text == NULL) {
        return refuse(connection, 500, "Not enough memory");
    }
    int status = bytes_send(connection, "text/plain; charset=utf-8", NOTHING_ALLOWED, text, strlen(text));
    free(text);
    return status;
}

static int name_send(struct server *server, struct mg_connection *connection, const char *name)
{
    struct page_file page;
    if (page_file_find(name, &page)) {
        return bytes_send(connection, page.type, server->policy, page.bytes, page.size);
    }
    if (strcmp(name, "map.npy") == 0 || strcmp(name, "report.html") == 0) {
        return file_send(server, connection, name);
    }
    const struct blob *drawing = server->session->drawing;
    if (strcmp(name, "drawing.png") == 0 && drawing != NULL) {
        return bytes_send(connection, "image/png", NOTHING_ALLOWED, drawing->bytes, drawing->size);
    }
    return strcmp(name, "scenario.yaml") == 0 ? scenario_send(server, connection)
                                              : refuse(connection, 404, "No such page");
}

/* Every request comes here first, those for WebSockets too, which alone are let go on (0). */
static int request_begin(struct mg_connection *connection)
{
    struct server *server = mg_get_user_data(mg_get_context(connection));
    const char *name = admit(server, connection), *method = mg_get_request_info(connection)->request_method;
    if (name == NULL) {
        return refuse(connection, 403, "Forbidden: no valid token. Open the address that planwave serve printed.");
    }
    if (strcmp(method, "GET") != 0) {
        return refuse(connection, 405, "Method Not Allowed");
    }
    if (strcmp(name, "live") == 0) {
        const char *upgrade = mg_get_header(connection, "Upgrade");
        bool full = clients_count(server->session->clients) >= CLIENTS_MOST;
        return upgrade == NULL || strcasecmp(upgrade, "websocket") != 0
                   ? refuse(connection, 400, "This is for WebSockets")
               : full ? refuse(connection, 503, "Too many windows")
                      : 0;
    }
    return name_send(server, connection, name);
}

/* ---- WebSockets -------------------------------------------------------------------------------------------------- */

enum { OPCODE_TEXT = 1, OPCODE_BINARY = 2, OPCODE_CLOSE = 8, OPCODE_PING = 9, OPCODE_PONG = 10 };

static bool blob_send(void *connection, const struct blob *blob)
{
    return mg_websocket_write(connection, blob->binary ? OPCODE_BINARY : OPCODE_TEXT, blob->bytes, blob->size) > 0;
}

static int socket_connect(const struct mg_connection *connection, void *user)
{
    return admit(user, connection) != NULL ? 0 : 1; /* as request_begin() found; 1 closes */
}

/* What a socket asks of the session. */
struct socket_errand {
    struct session *session;
    void *connection;
    struct client *client;
    const char *text;
    size_t length;
    int number; /* of a client that is gone */
};

static void errand_join(void *user)
{
    struct socket_errand *errand = user;
    errand->client = session_join(errand->session, errand->connection);
}

static void errand_hear(void *user)
{
    const struct socket_errand *errand = user;
    session_hear(errand->session, errand->client, errand->text, errand->length);
}

static void errand_left(void *user)
{
    const struct socket_errand *errand = user;
    session_left(errand->session, errand->number);
}

static void socket_ready(struct mg_connection *connection, void *user)
{
    struct server *server = user;
    struct socket_errand errand = {.session = server->session, .connection = connection};
    desk_do(server->desk, errand_join, &errand);
    mg_set_user_connection_data(connection, errand.client);
}

/* Messages are texts in one frame; what is anything else, or too long, closes the connection. */
static int socket_data(struct mg_connection *connection, int bits,
                       char *data, /* NOLINT(readability-non-const-parameter): the type of the handler */
                       size_t length, void *user)
{
    struct server *server = user;
    struct client *client = mg_get_user_connection_data(connection);
    int opcode = bits & 0xf;
    bool final = (bits & 0x80) != 0;
    if (client == NULL || opcode == OPCODE_CLOSE || !client_is_alive(client)) {
        return 0;
    }
    if (opcode == OPCODE_PING || opcode == OPCODE_PONG) {
        return 1; /* civetweb has answered */
    }
    if (opcode != OPCODE_TEXT || !final || length > MESSAGE_BYTES) {
        client_answer(client, refusal(-1, "a message must be a text in one frame of at most 16 KiB"));
        return length <= MESSAGE_BYTES;
    }
    desk_do(server->desk, errand_hear,
            &(struct socket_errand){.session = server->session, .client = client, .text = data, .length = length});
    return 1;
}

static void socket_close(const struct mg_connection *connection, void *user)
{
    struct server *server = user;
    struct client *client = mg_get_user_connection_data(connection);
    if (client != NULL) {
        struct socket_errand errand = {.session = server->session, .number = client_number(client)};
        client_leave(client); /* may wait for what is being sent, which must keep nobody else waiting */
        desk_do(server->desk, errand_left, &errand);
    }
}

/* ---- beginning and end ------------------------------------------------------------------------------------------- */

static int log_keep(const struct mg_connection *connection, const char *message)
{
    struct server *server = mg_get_user_data(mg_get_context(connection));
    if (server != NULL && !atomic_exchange(&server->complained, true)) {
        snprintf(server->complaint, sizeof server->complaint, "%s", message);
    }
    return 1;
}

static pw_status token_make(char token[TOKEN_SIZE], pw_error *error)
{
    unsigned char random[TOKEN_BYTES];
    FAIL_IF(getrandom(random, sizeof random, 0) != (ssize_t)sizeof random, error, PW_NO_RESOURCE,
            "no random numbers for a token: %s", strerror(errno));
    for (int n = 0; n < TOKEN_BYTES; n++) {
        snprintf(token + 2 * n, 3, "%02x", random[n]);
    }
    return PW_OK;
}

static pw_status names_make(struct server *server, pw_error *error)
{
    struct mg_server_port ports[2];
    FAIL_IF(mg_get_server_ports(server->context, 2, ports) < 1, error, PW_NO_RESOURCE, "the server has no port");
    server->port = ports[0].port;
    char port[8] = ""; /* browsers leave out the one that http has anyway */
    if (server->port != 80) {
        snprintf(port, sizeof port, ":%d", (unsigned short)server->port);
    }
    snprintf(server->hosts[0], sizeof server->hosts[0], "127.0.0.1%s", port);
    snprintf(server->hosts[1], sizeof server->hosts[1], "localhost%s", port);
    snprintf(server->policy, sizeof server->policy,
             "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
             "connect-src 'self' ws://%s ws://%s; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
             server->hosts[0], server->hosts[1]);
    return PW_OK;
}

/* Many more threads than windows, which are small: each connection has one, also those that say half a request, until
 * that is too old, and another request must still find one meanwhile. */
static pw_status listen_begin(struct server *server, int port, pw_error *error)
{
    char place[32], path[TOKEN_SIZE + 8];
    snprintf(place, sizeof place, "127.0.0.1:%d", port);
    const char *options[] = {"listening_ports",
                             place,
                             "num_threads",
                             "160",
                             "request_timeout_ms",
                             "10000",
                             "websocket_timeout_ms",
                             "20000",
                             "enable_websocket_ping_pong",
                             "yes",
                             "enable_keep_alive",
                             "no",
                             "max_request_size",
                             "8192",
                             "tcp_nodelay",
                             "1",
                             NULL};
    struct mg_callbacks callbacks = {.begin_request = request_begin, .log_message = log_keep};
    mg_init_library(MG_FEATURES_WEBSOCKET);
    server->context = mg_start(&callbacks, server, options);
    FAIL_IF(server->context == NULL, error, PW_NO_RESOURCE, "cannot serve on port %d of 127.0.0.1: %s%s", port,
            server->complaint[0] != '\0' ? server->complaint : "the port may be taken",
            port != 0 ? "; without --port a free one is taken" : "");
    TRY(names_make(server, error));
    snprintf(path, sizeof path, "/%s/live", server->token);
    mg_set_websocket_handler(server->context, path, socket_connect, socket_ready, socket_data, socket_close, server);
    return PW_OK;
}

/* civetweb looks two seconds long at each of its sockets before it looks whether it is to end: all are hung up. */
static void lines_hang_up(const struct server *server)
{
    for (int number = 0; number < SOCKETS_MOST; number++) {
        struct sockaddr_in own = {0};
        socklen_t size = sizeof own;
        if (getsockname(number, (struct sockaddr *)&own, &size) == 0 && own.sin_family == AF_INET &&
            ntohs(own.sin_port) == server->port) {
            (void)shutdown(number, SHUT_RDWR);
        }
    }
}

static void serve(const struct server *server, const pw_serve_options *options)
{
    char address[ADDRESS_SIZE];
    snprintf(address, sizeof address, "http://%s/%s/", server->hosts[0], server->token);
    if (options->ready != NULL) {
        options->ready(address, options->user);
    }
    while (options->go_on == NULL || options->go_on(options->user)) {
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    }
}

/* First of all, since a second signal may end the process. */
static pw_status rescue(struct session *session, const pw_serve_options *options, pw_error *error)
{
    char name[FILE_NAME_SIZE], text[FILE_NAME_SIZE + 80];
    TRY(session_close(session, name, error));
    if (name[0] != '\0' && options->note != NULL) {
        snprintf(text, sizeof text, "changes that were not saved are in '%s', beside the scenario", name);
        options->note(text, options->user);
    }
    return PW_OK;
}

pw_status pw_serve(const char *path, const pw_serve_options *options, pw_error *error)
{
    static const pw_serve_options USUAL = {0};
    struct server server = {0};
    FAIL_IF(path == NULL, error, PW_USAGE, "pw_serve: no scenario given");
    options = options != NULL ? options : &USUAL;
    char half[32];
    snprintf(half, sizeof half, "%.0fkB", 0.5e-3 * (double)pw_memory_available());
    TRY(pw_memory_limit(options->memory != NULL || pw_memory_available() == 0 ? options->memory : half, error));
    struct session_options wanted = {path, options->overrides, options->override_count, options->compute,
                                     options->drawing};
    TRY(token_make(server.token, error));
    TRY(session_create(&wanted, blob_send, &server.session, error));
    pw_status status = desk_create(&server.desk, error);
    THEN(status, listen_begin(&server, options->port, error));
    if (status == PW_OK) {
        serve(&server, options);
        status = rescue(server.session, options, error);
    }
    if (server.context != NULL) {
        lines_hang_up(&server);
        mg_stop(server.context);
    }
    mg_exit_library();
    desk_free(server.desk);
    session_free(server.session);
    (void)pw_memory_limit(NULL, NULL);
    return status;
}

/* jansson does not tell its version at run time in all versions: it is as built with. */
__attribute__((constructor)) static void versions_tell(void)
{
    static char fact[80];
    snprintf(fact, sizeof fact, "  CivetWeb  %s, jansson %s\n", mg_version(), JANSSON_VERSION);
    pw_build_facts_add(fact);
}
