/* See desk.h. */
#include "serve/desk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct errand {
    void (*work)(void *user);
    void *user;
    bool done;
    struct errand *next;
};

struct desk {
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t moved; /* an errand came, or is done */
    struct errand *first, *last;
    bool closed;
    pthread_t thread;
};

bool thread_begin(pthread_t *thread, void *(*work)(void *user), void *user)
{
    pthread_attr_t wide;
    pthread_attr_init(&wide);
    const int failure =
        pthread_attr_setstacksize(&wide, THREAD_STACK) != 0 ? EINVAL : pthread_create(thread, &wide, work, user);
    pthread_attr_destroy(&wide);
    errno = failure;
    return failure == 0;
}

static void *desk_work(void *user)
{
    struct desk *desk = user;
    pthread_mutex_lock(&desk->lock);
    while (!desk->closed) {
        struct errand *errand = desk->first;
        if (errand == NULL) {
            pthread_cond_wait(&desk->moved, &desk->lock);
            continue;
        }
        desk->first = errand->next;
        desk->last = desk->first != NULL ? desk->last : NULL;
        pthread_mutex_unlock(&desk->lock);
        errand->work(errand->user);
        pthread_mutex_lock(&desk->lock);
        errand->done = true;
        pthread_cond_broadcast(&desk->moved);
    }
    pthread_mutex_unlock(&desk->lock);
    return NULL;
}

pw_status desk_create(struct desk **desk, pw_error *error)
{
    struct desk *made = allocate(1, sizeof *made, "the desk of the server", error);
    TRY_MADE(made);
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->moved, NULL);
    if (!thread_begin(&made->thread, desk_work, made)) {
        free(made);
        return fail(error, PW_NO_RESOURCE, "cannot begin a thread: %s", strerror(errno));
    }
    *desk = made;
    return PW_OK;
}

void desk_free(struct desk *desk)
{
    if (desk == NULL) {
        return;
    }
    pthread_mutex_lock(&desk->lock);
    desk->closed = true;
    pthread_cond_broadcast(&desk->moved);
    pthread_mutex_unlock(&desk->lock);
    pthread_join(desk->thread, NULL);
    pthread_cond_destroy(&desk->moved);
    pthread_mutex_destroy(&desk->lock);
    free(desk);
}

void desk_do(struct desk *desk, void (*work)(void *user), void *user)
{
    struct errand errand = {.work = work, .user = user};
    pthread_mutex_lock(&desk->lock);
    if (desk->last != NULL) {
        desk->last->next = &errand;
    } else {
        desk->first = &errand;
    }
    desk->last = &errand;
    pthread_cond_broadcast(&desk->moved);
    while (!errand.done) {
        pthread_cond_wait(&desk->moved, &desk->lock);
    }
    pthread_mutex_unlock(&desk->lock);
}
