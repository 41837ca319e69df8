/* How many variants are solved at a time (together.h). */
#include "study/together.h"

#include "base/memory.h"

#include <omp.h>

/* The number at a time for which rounds x (threads / threads of each) is least; of equals the largest. */
static int members_best(int count, int threads)
{
    int best = 1;
    double least = count * 1.0 / threads;
    for (int members = 2; members <= threads && members <= count; members++) {
        int rounds = (count + members - 1) / members, each = threads / members;
        double cost = (double)rounds / each;
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
    if (on_host) {
        together->members = members_best(count, threads);
    }
    if (options->together > 0 && options->together < together->members) {
        together->members = options->together;
    }
    together->threads = threads / together->members;
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
