/* A crew of threads (crew.h). */
#include "base/crew.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NOTHING = -1 };
static const long LOOK_EVERY = 100000000; /* ns between looks at how far the work is */

/* A member's post: what it works on, and what it has done that nobody has taken. */
struct crew_post {
    struct work *work;
    pthread_t thread;
    double done; /* of its piece */
    int ready;   /* index of a finished piece; NOTHING: none */
};

struct work {
    const struct crew *crew;
    struct crew_post *posts; /* (started), owned */
    int started, at_work;    /* members; those that have not ended */
    pthread_mutex_t lock;    /* of everything below, and of `done` and `ready` of the posts */
    pthread_cond_t changed;
    int next, taken;
    bool stop;
    pw_status status; /* of the first failure */
    int failed;
    pw_error error;
};

static void note_failure(struct work *work, pw_status status, int index, const pw_error *error)
{
    if (work->status == PW_OK) {
        work->status = status;
        work->failed = index;
        work->error = *error;
    }
    work->stop = true;
    pthread_cond_broadcast(&work->changed);
}

bool crew_tell(struct crew_post *post, double done)
{
    pthread_mutex_lock(&post->work->lock);
    post->done = fmin(fmax(done, post->done), 1.0);
    bool go_on = !post->work->stop;
    pthread_mutex_unlock(&post->work->lock);
    return go_on;
}

/* The next piece, when the one before has been taken; NOTHING at the end. */
static int piece_begin(struct crew_post *post)
{
    struct work *work = post->work;
    pthread_mutex_lock(&work->lock);
    while (post->ready != NOTHING && !work->stop) {
        pthread_cond_wait(&work->changed, &work->lock);
    }
    int index = work->stop || work->next == work->crew->count ? NOTHING : work->next++;
    post->done = 0.0;
    pthread_mutex_unlock(&work->lock);
    return index;
}

static void piece_end(struct crew_post *post, int index, pw_status status, const pw_error *error)
{
    struct work *work = post->work;
    pthread_mutex_lock(&work->lock);
    if (status != PW_OK) {
        note_failure(work, status, index, error);
    } else {
        post->ready = index;
        post->done = 1.0;
        pthread_cond_broadcast(&work->changed);
    }
    pthread_mutex_unlock(&work->lock);
}

static void *member_work(void *user)
{
    struct crew_post *post = user;
    const struct crew *crew = post->work->crew;
    for (int index = piece_begin(post); index != NOTHING; index = piece_begin(post)) {
        pw_error error = {""};
        pw_status status = crew->work(index, post, crew->user, &error);
        piece_end(post, index, status, &error);
    }
    pthread_mutex_lock(&post->work->lock);
    post->work->at_work--;
    pthread_cond_broadcast(&post->work->changed);
    pthread_mutex_unlock(&post->work->lock);
    return NULL;
}

/* ---- the thread of crew_run; it holds the lock but while it calls out -------------------------------------------- */

static struct crew_post *find_ready(const struct work *work)
{
    for (int m = 0; m < work->started; m++) {
        if (work->posts[m].ready != NOTHING) {
            return &work->posts[m];
        }
    }
    return NULL;
}

static void take_piece(struct work *work, struct crew_post *post)
{
    pw_error error = {""};
    int index = post->ready;
    pthread_mutex_unlock(&work->lock);
    pw_status status = work->crew->take(index, work->crew->user, &error);
    pthread_mutex_lock(&work->lock);
    post->ready = NOTHING;
    post->done = 0.0;
    work->taken++;
    pthread_cond_broadcast(&work->changed);
    if (status != PW_OK) {
        note_failure(work, status, index, &error);
    }
}

static void tell(struct work *work, double *told)
{
    double done = work->taken;
    for (int m = 0; m < work->started; m++) {
        done += work->posts[m].done;
    }
    *told = fmax(*told, fmin(done / work->crew->count, 1.0));
    pw_error error = {""};
    pthread_mutex_unlock(&work->lock);
    pw_status status = monitor_tell(&work->crew->monitor, *told, &error);
    pthread_mutex_lock(&work->lock);
    if (status != PW_OK && work->taken < work->crew->count) { /* nothing is left that could be stopped */
        note_failure(work, status, NOTHING, &error);
    }
}

static void wait_a_moment(struct work *work)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += LOOK_EVERY;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&work->changed, &work->lock, &until);
}

static void watch(struct work *work)
{
    double told = 0.0;
    pthread_mutex_lock(&work->lock);
    while (work->at_work > 0 || (!work->stop && find_ready(work) != NULL)) {
        struct crew_post *post = work->stop ? NULL : find_ready(work);
        if (post != NULL) {
            take_piece(work, post);
        } else {
            wait_a_moment(work);
        }
        if (!work->stop) {
            tell(work, &told);
        }
    }
    pthread_mutex_unlock(&work->lock);
}

/* As many as the machine gives, one at least. */
static pw_status members_start(struct work *work, pw_error *error)
{
    int most = work->crew->members > 0 ? work->crew->members : 1;
    int wanted = most < work->crew->count ? most : work->crew->count;
    int failure = 0;
    work->at_work = wanted;
    for (int m = 0; m < wanted && failure == 0; m++) {
        work->posts[m] = (struct crew_post){.work = work, .ready = NOTHING};
        failure = pthread_create(&work->posts[m].thread, NULL, member_work, &work->posts[m]);
        work->started += failure == 0;
    }
    pthread_mutex_lock(&work->lock);
    work->at_work -= wanted - work->started;
    pthread_mutex_unlock(&work->lock);
    return work->started > 0 ? PW_OK
                             : fail(error, PW_NO_RESOURCE, "cannot start a thread to work: %s", strerror(failure));
}

pw_status crew_run(const struct crew *crew, int *failed, pw_error *error)
{
    *failed = NOTHING;
    if (crew->count < 1) {
        return PW_OK;
    }
    TRY(monitor_tell(&crew->monitor, 0.0, error));
    struct work work = {.crew = crew, .failed = NOTHING};
    work.posts = allocate((size_t)(crew->members > 0 ? crew->members : 1), sizeof *work.posts, "threads", error);
    TRY_MADE(work.posts);
    pthread_mutex_init(&work.lock, NULL);
    pthread_cond_init(&work.changed, NULL);
    pw_status status = members_start(&work, error);
    if (status == PW_OK) {
        watch(&work);
        for (int m = 0; m < work.started; m++) {
            pthread_join(work.posts[m].thread, NULL);
        }
        status = work.status;
        *failed = work.failed;
        if (status != PW_OK && error != NULL) {
            *error = work.error;
        }
    }
    pthread_cond_destroy(&work.changed);
    pthread_mutex_destroy(&work.lock);
    free(work.posts);
    return status;
}
