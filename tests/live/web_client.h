/* A client for tests of the server: plain requests, and a WebSocket without any comfort, so that what is wrong can be
 * sent too (RFC 6455, section 5.2). */
#ifndef WEB_CLIENT_H
#define WEB_CLIENT_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int web_connect(int port)
{
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int socket_number = socket(AF_INET, SOCK_STREAM, 0);
    if (socket_number >= 0 && connect(socket_number, (struct sockaddr *)&place, sizeof place) != 0) {
        close(socket_number);
        return -1;
    }
    return socket_number;
}

/* False when nothing came for `seconds`, or the other end closed. */
static bool web_read(int socket_number, void *bytes, size_t size, int seconds)
{
    char *at = bytes;
    while (size > 0) {
        struct pollfd waits = {socket_number, POLLIN, 0};
        ssize_t count = poll(&waits, 1, 1000 * seconds) == 1 ? recv(socket_number, at, size, 0) : 0;
        if (count <= 0) {
            return false;
        }
        at += count;
        size -= (size_t)count;
    }
    return true;
}

static bool web_write(int socket_number, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size > 0) {
        ssize_t count = send(socket_number, at, size, MSG_NOSIGNAL);
        if (count <= 0) {
            return false;
        }
        at += count;
        size -= (size_t)count;
    }
    return true;
}

/* Reads a head up to its empty line; its status, 0: none came. */
static int web_head(int socket_number, char *head, size_t size)
{
    size_t length = 0;
    head[0] = '\0';
    while (length + 1 < size && strstr(head, "\r\n\r\n") == NULL) {
        if (!web_read(socket_number, head + length, 1, 20)) {
            return 0;
        }
        head[++length] = '\0';
    }
    int status = 0;
    return sscanf(head, "HTTP/1.1 %d", &status) == 1 ? status : 0;
}

/* One request with the lines `more`, each ended by \r\n; its status. `body` (may be NULL) is the caller's to free. */
static inline int web_request(int port, const char *method, const char *path, const char *more, char head[4096],
                              char **body, size_t *size)
{
    char request[2048];
    int socket_number = web_connect(port);
    head[0] = '\0';
    if (body != NULL) {
        *body = NULL;
        *size = 0;
    }
    snprintf(request, sizeof request, "%s %s HTTP/1.1\r\n%s\r\n", method, path, more);
    int status = web_write(socket_number, request, strlen(request)) ? web_head(socket_number, head, 4096) : 0;
    const char *length = strstr(head, "Content-Length: ");
    if (body != NULL && status > 0) {
        *size = length != NULL ? (size_t)atol(length + 16) : 0;
        *body = malloc(*size + 1);
        if (!web_read(socket_number, *body, *size, 20)) {
            status = 0;
        }
        (*body)[*size] = '\0';
    }
    close(socket_number);
    return status;
}

/* A WebSocket; -1: refused, and *status says how. `origin` NULL: none is sent. */
static int socket_open(int port, const char *path, const char *host, const char *origin, int *status)
{
    char request[1024], head[4096], line[256] = "";
    int socket_number = web_connect(port);
    if (origin != NULL) {
        snprintf(line, sizeof line, "Origin: %s\r\n", origin);
    }
    snprintf(request, sizeof request,
             "GET %s HTTP/1.1\r\nHost: %s\r\n%sUpgrade: websocket\r\nConnection: Upgrade\r\n"
             "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
             path, host, line);
    *status = web_write(socket_number, request, strlen(request)) ? web_head(socket_number, head, sizeof head) : 0;
    if (*status != 101) {
        close(socket_number);
        return -1;
    }
    return socket_number;
}

/* A masked frame; the mask is zero, so that the bytes stay. `first` is FIN and opcode: 0x81 for a text. */
static bool socket_send(int socket_number, int first, const void *bytes, size_t size)
{
    unsigned char head[14] = {(unsigned char)first};
    size_t length = 2;
    if (size < 126) {
        head[1] = (unsigned char)(0x80 | size);
    } else if (size < 65536) {
        head[1] = 0x80 | 126;
        head[2] = (unsigned char)(size >> 8);
        head[3] = (unsigned char)size;
        length = 4;
    } else {
        head[1] = 0x80 | 127;
        for (int n = 0; n < 8; n++) {
            head[2 + n] = (unsigned char)((uint64_t)size >> (8 * (7 - n)));
        }
        length = 10;
    }
    return web_write(socket_number, head, length + 4) && web_write(socket_number, bytes, size);
}

static bool socket_text(int socket_number, const char *text)
{
    return socket_send(socket_number, 0x81, text, strlen(text));
}

/* The next frame that is no ping; its opcode, -1: closed, or none came for half a minute. The caller frees *bytes,
 * which end with a zero. */
static int socket_next(int socket_number, char **bytes, size_t *size)
{
    unsigned char head[10];
    *bytes = NULL;
    if (!web_read(socket_number, head, 2, 30)) {
        return -1;
    }
    int more = head[1] == 127 ? 8 : head[1] == 126 ? 2 : 0;
    uint64_t length = more == 0 ? head[1] : 0;
    if (!web_read(socket_number, head + 2, (size_t)more, 5)) {
        return -1;
    }
    for (int n = 0; n < more; n++) {
        length = length << 8 | head[2 + n];
    }
    *size = (size_t)length;
    *bytes = malloc(*size + 1);
    if (!web_read(socket_number, *bytes, *size, 20)) {
        free(*bytes);
        *bytes = NULL;
        return -1;
    }
    (*bytes)[*size] = '\0';
    return head[0] & 0xf;
}

#endif
