/* Threads with room for what is done in them. The web server's own have stacks of 100 KB: what does more than move
 * bytes is done at the desk, a thread of its own, while they wait. */
#pragma once

#include "tools/ground.h"

#include <pthread.h>

/* As pthread_create(), with a stack of THREAD_STACK bytes whatever the limits of the shell are. */
enum { THREAD_STACK = 8 << 20 };
bool thread_begin(pthread_t *thread, void *(*work)(void *user), void *user);

struct desk;
pw_status desk_create(struct desk **desk, pw_error *error);
/* Nobody must wait there any more. NULL is allowed. */
void desk_free(struct desk *desk);

/* Does work(user) at the desk, after what came before, and returns when it is done. */
void desk_do(struct desk *desk, void (*work)(void *user), void *user);
