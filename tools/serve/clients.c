/* Clients and their threads (clients.h). */
#include "serve/clients.h"

#include "serve/desk.h"
#include "serve/document/message.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct client {
    struct clients *clients;
    void *connection;
    int number;
    pthread_t thread;
    pthread_cond_t news_came; /* with the lock of all clients */
    struct blob *answers[ANSWERS_MOST];
    int answer_count;
    struct blob *news[NEWS_COUNT];
    bool leaving, dead;
    double allowance, counted; /* messages that may come at once; when that was counted [s] */
};

struct clients {
    pthread_mutex_t lock; /* of everything that changes here */
    client_send send;
    struct client *list[CLIENTS_MOST];
    int count, joined;
};

pw_status clients_create(client_send send, struct clients **clients, pw_error *error)
{
    *clients = calloc(1, sizeof **clients);
    if (*clients == NULL || pthread_mutex_init(&(*clients)->lock, NULL) != 0) {
        free(*clients);
        return fail(error, PW_NO_RESOURCE, "not enough memory for clients");
    }
    (*clients)->send = send;
    return PW_OK;
}

void clients_free(struct clients *clients)
{
    if (clients != NULL) {
        pthread_mutex_destroy(&clients->lock);
        free(clients);
    }
}

/* ---- the thread of a client -------------------------------------------------------------------------------------- */

/* What goes out next, or NULL. The lock is held. */
static struct blob *next_take(struct client *client)
{
    if (client->answer_count > 0) {
        struct blob *first = client->answers[0];
        client->answer_count--;
        memmove(client->answers, client->answers + 1, (size_t)client->answer_count * sizeof(struct blob *));
        return first;
    }
    for (int n = 0; n < NEWS_COUNT; n++) {
        if (client->news[n] != NULL) {
            struct blob *found = client->news[n];
            client->news[n] = NULL;
            return found;
        }
    }
    return NULL;
}

static void *client_work(void *user)
{
    struct client *client = user;
    struct clients *clients = client->clients;
    pthread_mutex_lock(&clients->lock);
    while (!client->leaving && !client->dead) {
        struct blob *blob = next_take(client);
        if (blob == NULL) {
            pthread_cond_wait(&client->news_came, &clients->lock);
            continue;
        }
        pthread_mutex_unlock(&clients->lock);
        bool sent = clients->send(client->connection, blob);
        blob_release(blob);
        pthread_mutex_lock(&clients->lock);
        client->dead = client->dead || !sent;
    }
    pthread_mutex_unlock(&clients->lock);
    return NULL;
}

/* ---- coming and going -------------------------------------------------------------------------------------------- */

/* A thread of its own begins with the lock held, so that the client is in the list when it looks. */
static bool client_begin(struct clients *clients, struct client *client)
{
    pthread_mutex_lock(&clients->lock);
    bool begun = clients->count < CLIENTS_MOST && thread_begin(&client->thread, client_work, client);
    if (begun) {
        client->number = ++clients->joined;
        clients->list[clients->count++] = client;
    }
    pthread_mutex_unlock(&clients->lock);
    return begun;
}

struct client *client_join(struct clients *clients, void *connection)
{
    struct client *client = calloc(1, sizeof *client);
    if (client == NULL) {
        return NULL;
    }
    client->clients = clients;
    client->connection = connection;
    client->allowance = 2.0 * MESSAGES_PER_SECOND;
    client->counted = NAN;
    pthread_cond_init(&client->news_came, NULL);
    if (!client_begin(clients, client)) {
        pthread_cond_destroy(&client->news_came);
        free(client);
        return NULL;
    }
    return client;
}

void client_leave(struct client *client)
{
    struct clients *clients = client->clients;
    pthread_mutex_lock(&clients->lock);
    for (int n = 0; n < clients->count; n++) {
        if (clients->list[n] == client) {
            clients->list[n] = clients->list[--clients->count];
            break;
        }
    }
    client->leaving = true;
    pthread_cond_signal(&client->news_came);
    pthread_mutex_unlock(&clients->lock);
    pthread_join(client->thread, NULL);
    struct blob *left;
    while ((left = next_take(client)) != NULL) {
        blob_release(left);
    }
    pthread_cond_destroy(&client->news_came);
    free(client);
}

int client_number(const struct client *client)
{
    return client->number;
}

bool client_is_alive(struct client *client)
{
    pthread_mutex_lock(&client->clients->lock);
    bool alive = !client->dead;
    pthread_mutex_unlock(&client->clients->lock);
    return alive;
}

int clients_count(struct clients *clients)
{
    pthread_mutex_lock(&clients->lock);
    int count = clients->count;
    pthread_mutex_unlock(&clients->lock);
    return count;
}

/* ---- telling ----------------------------------------------------------------------------------------------------- */

/* An answer is never left out, since somebody waits for it: who asks more than it reads for so long is closed. */
static void answer_put(struct client *client, struct blob *blob)
{
    client->dead = client->dead || (blob != NULL && client->answer_count == ANSWERS_MOST);
    if (blob == NULL || client->dead) {
        blob_release(blob);
        pthread_cond_signal(&client->news_came);
        return;
    }
    client->answers[client->answer_count++] = blob;
    pthread_cond_signal(&client->news_came);
}

static void news_put(struct client *client, enum news news, struct blob *blob)
{
    if (blob == NULL || client->dead) {
        blob_release(blob);
        return;
    }
    blob_release(client->news[news]);
    client->news[news] = blob;
    pthread_cond_signal(&client->news_came);
}

void client_answer(struct client *client, struct blob *blob)
{
    pthread_mutex_lock(&client->clients->lock);
    answer_put(client, blob);
    pthread_mutex_unlock(&client->clients->lock);
}

void client_tell(struct client *client, enum news news, struct blob *blob)
{
    pthread_mutex_lock(&client->clients->lock);
    news_put(client, news, blob);
    pthread_mutex_unlock(&client->clients->lock);
}

void clients_tell(struct clients *clients, enum news news, struct blob *blob)
{
    pthread_mutex_lock(&clients->lock);
    for (int n = 0; n < clients->count; n++) {
        news_put(clients->list[n], news, blob_hold(blob));
    }
    pthread_mutex_unlock(&clients->lock);
    blob_release(blob);
}

void clients_answer(struct clients *clients, struct blob *blob)
{
    pthread_mutex_lock(&clients->lock);
    for (int n = 0; n < clients->count; n++) {
        answer_put(clients->list[n], blob_hold(blob));
    }
    pthread_mutex_unlock(&clients->lock);
    blob_release(blob);
}

void clients_answer_one(struct clients *clients, int number, struct blob *blob)
{
    pthread_mutex_lock(&clients->lock);
    for (int n = 0; n < clients->count; n++) {
        if (clients->list[n]->number == number) {
            answer_put(clients->list[n], blob_hold(blob));
        }
    }
    pthread_mutex_unlock(&clients->lock);
    blob_release(blob);
}

bool client_may_send(struct client *client, double now)
{
    double most = 2.0 * MESSAGES_PER_SECOND;
    if (!isnan(client->counted)) {
        client->allowance = fmin(most, client->allowance + MESSAGES_PER_SECOND * (now - client->counted));
    }
    client->counted = now;
    if (client->allowance < 1) {
        return false;
    }
    client->allowance -= 1;
    return true;
}
