/* The windows that are open: what waits to be sent to each, and a thread for each that sends it, so that a slow one
 * holds up nobody. Of every kind of news a client has the newest waiting at most; answers wait in a line. */
#pragma once

#include "serve/frame.h"

/* What is sent, in the order in which it goes out. */
enum news { NEWS_REFUSAL, NEWS_STATE, NEWS_PLAN, NEWS_FLOOR, NEWS_MAP, NEWS_WAVE, NEWS_PROGRESS, NEWS_COUNT };

enum { CLIENTS_MOST = 32, ANSWERS_MOST = 1024 };

struct client;
struct clients;

/* Sends one blob; false: the client is gone. Called by the client's own thread. */
typedef bool (*client_send)(void *connection, const struct blob *blob);

pw_status clients_create(client_send send, struct clients **clients, pw_error *error);
/* There must be no client any more. NULL is allowed. */
void clients_free(struct clients *clients);

/* NULL: too many, or no memory. */
struct client *client_join(struct clients *clients, void *connection);
/* Waits until the client's thread has ended. */
void client_leave(struct client *client);
int client_number(const struct client *client);
/* False: what was to be sent could not be. */
bool client_is_alive(struct client *client);
int clients_count(struct clients *clients);

/* Takes over `blob`, which may be NULL. An answer that finds the line full is dropped. */
void client_answer(struct client *client, struct blob *blob);
void client_tell(struct client *client, enum news news, struct blob *blob);
void clients_tell(struct clients *clients, enum news news, struct blob *blob);
/* To the client of a number, if it is still there. */
void clients_answer_one(struct clients *clients, int number, struct blob *blob);
/* The same answer to all. */
void clients_answer(struct clients *clients, struct blob *blob);

/* Whether the client may send another message now: MESSAGES_PER_SECOND, and twice as many at once. */
bool client_may_send(struct client *client, double now);
