/* How many variants are solved at a time (together.h). */
#include "study/together.h"

#include "base/memory.h"

#include <omp.h>

/* On a device, the host's work on some variants (plans, memory, files) beside the device's on another. */
enum { DEVICE_MEMBERS = 8 };

/* How much longer a variant takes on several threads than its share of them would say: measured 1.3 to 1.5 on two
 * (validation/performance.md), for threads wait for each other, and plans and files are one thread's work. */
static const double DIVIDED = 1.3;

/* The number at a time, up to `most`, for which the rounds take least time; of equals the largest.
 */
static int members_best(int count, int most, int threads)
{
    int best = 1;
    double least = count * (threads > 1 ? DIVIDED : 1.0) / threads;
    for (int members = 2; members <= most && members <= count; members++) {
        int rounds = (count + members - 1) / members, each = threads / members;
        double cost = rounds * (each > 1 ? DIVIDED : 1.0) / each;
        if (cost <= least) {
            least = cost;
            best = members;
        }
    }
    return best;
}

pw_status together_plan(int count, const struct variants_options *options, struct together *together, pw_error *error)
{
    int threads = options->threads > 0 ? options->threads : omp_get_max_threads();
    *together = (struct together){
        .members = 1, .threads = threads, .name = options->backend != NULL ? options->backend : "auto"};
    together->backend = backend_find(together->name, error);
    if (together->backend == NULL) {
        return PW_NO_RESOURCE;
    }
    bool on_host = together->backend->device_free == NULL;
    int most = options->together > 0 ? options->together : on_host ? threads : DEVICE_MEMBERS;
    together->members = on_host ? members_best(count, threads < most ? threads : most, threads) : most;
    together->threads = threads > together->members ? threads / together->members : 1;
    together->host = (uint64_t)(MEMORY_MARGIN * (double)memory_available());
    together->device = on_host ? 0 : (uint64_t)(MEMORY_MARGIN * (double)together->backend->device_free());
    pthread_mutex_init(&together->lock, NULL);
    pthread_cond_init(&together->left, NULL);
    return PW_OK;
}

void together_free(struct together *together)
{
    pthread_cond_destroy(&together->left);
    pthread_mutex_destroy(&together->lock);
}

/* "auto" may take another backend for one problem than for most. */
static const struct backend *backend_of(const struct together *together, const struct setup *setup)
{
    const struct backend *backend = backend_find_for(together->name, &setup->problem, NULL);
    return backend != NULL ? backend : together->backend;
}

int together_ensemble(const struct together *together, const struct setup *setup)
{
    /* As the job has it: an ensemble stops as one, so that with a stop by decay each transmitter runs alone. */
    return setup->problem.decay > 0 ? 1 : backend_of(together, setup)->ensemble(&setup->problem);
}

static bool fits(uint64_t taken, uint64_t more, uint64_t most)
{
    return most == 0 || more <= most - (taken < most ? taken : most);
}

void together_enter(struct together *together, const struct setup *setup, uint64_t *host, uint64_t *device)
{
    int ensemble = together_ensemble(together, setup), transmitters = setup->problem.source_count;
    backend_memory(backend_of(together, setup), &setup->problem, ensemble < transmitters ? ensemble : transmitters,
                   host, device);
    *host += pw_setup_facts(setup).host_bytes;
    pthread_mutex_lock(&together->lock);
    while (together->inside > 0 && !(fits(together->host_taken, *host, together->host) &&
                                     fits(together->device_taken, *device, together->device))) {
        pthread_cond_wait(&together->left, &together->lock);
    }
    together->host_taken += *host;
    together->device_taken += *device;
    together->inside++;
    pthread_mutex_unlock(&together->lock);
}

void together_leave(struct together *together, uint64_t host, uint64_t device)
{
    pthread_mutex_lock(&together->lock);
    together->host_taken -= host;
    together->device_taken -= device;
    together->inside--;
    pthread_cond_broadcast(&together->left);
    pthread_mutex_unlock(&together->lock);
}
