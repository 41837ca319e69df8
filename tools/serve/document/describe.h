/* The document and the session in JSON, as the page gets them (PROTOCOL.md). Every text is the caller's to free; NULL
 * for want of memory. */
#pragma once

#include "serve/document/document.h"

#include <jansson.h>

/* What the map shows. */
struct live_view {
    pw_quantity quantity;
    char transmitter[PW_NAME_SIZE]; /* "best", or a name */
    bool local_mean;
};

struct live_wave {
    bool on, paused;
    char transmitter[PW_NAME_SIZE];
    double speed; /* ns of the wave per second */
};

struct live_state {
    const struct document *document;
    struct live_view view;
    struct live_wave wave;
    int clients;
};

/* `drawing`: there is one to lie under the plan. */
char *describe_hello(int client, bool drawing);
char *describe_state(const struct live_state *state);
/* The answer to a message `piece`. */
char *describe_piece(int id, const pw_wall_piece *piece);

/* A number, or null where it is not finite. */
json_t *json_finite(double value);

/* Dumps and drops `object`, which may be NULL. */
char *describe_dump(json_t *object);
