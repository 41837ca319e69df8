/* How many variants are solved at a time (together.h). */
#include "run/study/together.h"

#include "base/memory.h"

#include <omp.h>

/* On each device, the host's work on some variants (plans, memory, files) beside the device's on another. */
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

static pw_status measure_devices(struct together *together, pw_error *error)
{
    for (int d = 0; d < together->devices; d++) {
        TRY(compute_room(&together->compute, d, &together->device[d], error));
    }
    return PW_OK;
}

pw_status together_plan(int count, const pw_variants_options *options, struct together *together, pw_error *error)
{
    int threads = options->compute.threads > 0 ? options->compute.threads : omp_get_max_threads();
    *together = (struct together){.members = 1};
    TRY(compute_read(&options->compute, NULL, &together->compute, error));
    bool on_host = together->compute.backend->device_free == NULL;
    together->devices = together->compute.count < 2 ? 1 : together->compute.count;
    int most = options->together > 0 ? options->together : on_host ? threads : DEVICE_MEMBERS * together->devices;
    together->members = on_host ? members_best(count, threads < most ? threads : most, threads) : most;
    together->threads = threads > together->members ? threads / together->members : 1;
    together->host = (uint64_t)(MEMORY_MARGIN * (double)memory_available());
    TRY(on_host ? PW_OK : measure_devices(together, error));
    pthread_mutex_init(&together->lock, NULL);
    pthread_cond_init(&together->left, NULL);
    return PW_OK;
}

void together_free(struct together *together)
{
    pthread_cond_destroy(&together->left);
    pthread_mutex_destroy(&together->lock);
}

static bool fits(uint64_t taken, uint64_t more, uint64_t most)
{
    return most == 0 || more <= most - (taken < most ? taken : most);
}

/* Whether it finds room now; on the device of which least is taken, or where none is large enough, on all of them. */
static bool finds_room(const struct together *together, struct together_room *room)
{
    bool large = false, found = false;
    room->place = -1;
    for (int d = 0; d < together->devices; d++) {
        const bool here = fits(together->device_taken[d], room->device, together->device[d]);
        large = large || fits(0, room->device, together->device[d]);
        if (here && (!found || together->device_taken[d] < together->device_taken[room->place])) {
            room->place = d;
            found = true;
        }
    }
    if (!large || together->devices == 1) {
        room->place = -1;
    }
    return together->inside == 0 || (found && fits(together->host_taken, room->host, together->host));
}

/* Takes it, or gives it back. */
static void take_room(struct together *together, const struct together_room *room, bool take)
{
    together->host_taken += take ? room->host : -room->host;
    for (int d = 0; d < together->devices; d++) {
        const uint64_t own = room->place == d  ? room->device
                             : room->place < 0 ? room->device / (uint64_t)together->devices
                                               : 0;
        together->device_taken[d] += take ? own : -own;
    }
    together->inside += take ? 1 : -1;
}

void together_enter(struct together *together, const struct setup *setup, const struct compute *compute,
                    struct together_room *room)
{
    int ensemble = backend_ensemble(compute->backend, &setup->problem), transmitters = setup->problem.source_count;
    *room = (struct together_room){.place = -1};
    backend_memory(compute->backend, &setup->problem, ensemble < transmitters ? ensemble : transmitters, &room->host,
                   &room->device);
    room->host += pw_setup_facts(setup).host_bytes;
    pthread_mutex_lock(&together->lock);
    while (!finds_room(together, room)) {
        pthread_cond_wait(&together->left, &together->lock);
    }
    take_room(together, room, true);
    pthread_mutex_unlock(&together->lock);
}

void together_leave(struct together *together, const struct together_room *room)
{
    pthread_mutex_lock(&together->lock);
    take_room(together, room, false);
    pthread_cond_broadcast(&together->left);
    pthread_mutex_unlock(&together->lock);
}
