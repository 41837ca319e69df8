/* Passes of several steps (volume_sweep.h) of an engine's runs: their second sets of fields, the tasks of a pass, what
 * is driven and heard in it. In double there are none. */
#ifndef VOLUME_PASSES_H
#define VOLUME_PASSES_H

#include <algorithm>
#include <type_traits>

#include "kernels/common/device_memory.h"
#include "kernels/tuning.h"
#include "kernels/volume/sweep/volume_sweep.h"

/* Of so many steps, how many the next pass takes, `most` at most: as many of these as leave no single one; that is a
 * plain step. */
static inline int volume_pass_of(int64_t steps, int most)
{
    return steps == 1 ? 1 : most == 2 || steps == 2 || steps == 4 ? 2 : 3;
}

template <typename Real> struct volume_passes {
    /* What a run brings along. */
    struct given {
        const device_volume<Real> &volume;
        const device_rest rest;
        const device_receivers<Real> &receivers;
        const device_dipole<Real> &source;
        Real *record; /* of the first step on */
    };
    std::vector<volume_fields<Real>> other;
    std::vector<sweep_events<Real>> events; /* of every run */
    const sweep_task *tasks[SWEEP_STEPS + 1] = {};
    int task_count[SWEEP_STEPS + 1][SWEEP_KINDS] = {};
    const int4 *levels = NULL;
    int most = 1; /* steps of a pass */

    static sweep_place place_of(const struct problem *p, int64_t place)
    {
        const int64_t nodes = problem_nodes(p), nx = p->axis[0].count, ny = p->axis[1].count, node = place % nodes;
        return {(int)(place / nodes), (int)(node % nx), (int)(node / nx % ny), (int)(node / nx / ny)};
    }

    /* Places of all probes in the order of device_receivers, then by level. */
    pw_status create_heard(const struct problem *p, std::vector<int4> *by_level, device_memory *memory,
                           sweep_events<Real> *shared, pw_error *error)
    {
        struct heard {
            sweep_place place;
            int slot;
        };
        std::vector<heard> all;
        for (int n = 0; n < p->probe_count; n++) {
            const struct probe *probe = &p->probes[n];
            for (int k = 0; k < std::max(probe->count, 1); k++) {
                const int64_t place =
                    probe->count > 0 ? probe->place[k] : probe->component * problem_nodes(p) + probe->node;
                all.push_back({place_of(p, place), (int)all.size()});
            }
        }
        std::stable_sort(all.begin(), all.end(), [](const heard &a, const heard &b) { return a.place.k < b.place.k; });
        std::vector<sweep_place> places;
        std::vector<int> slots;
        for (const heard &own : all) {
            int4 &level = (*by_level)[own.place.k];
            level.w = level.w < 0 ? (int)places.size() : level.w;
            places.push_back(own.place);
            slots.push_back(own.slot);
        }
        shared->heard_count = (int)places.size();
        TRY(device_copy(memory, &shared->heard, (const sweep_place *)places.data(), places.size(), "probes", error));
        return device_copy(memory, &shared->slot, (const int *)slots.data(), slots.size(), "probes", error);
    }

    pw_status create_driven(const struct problem *p, const struct source *source, device_memory *memory,
                            sweep_events<Real> *own, pw_error *error)
    {
        std::vector<sweep_place> places;
        own->lowest = p->axis[2].count;
        own->highest = -1;
        for (int64_t n = 0; n < source->count; n++) {
            places.push_back(place_of(p, source->node[n]));
            own->lowest = std::min(own->lowest, places.back().k);
            own->highest = std::max(own->highest, places.back().k);
        }
        TRY(device_array(memory, &own->values, (size_t)SWEEP_STEPS * own->heard_count, "the probes' values", error));
        return device_copy(memory, &own->driven, (const sweep_place *)places.data(), places.size(), "source nodes",
                           error);
    }

    pw_status create(const struct problem *p, const device_volume<Real> &volume, int first, int count,
                     device_memory *memory, pw_error *error)
    {
        if constexpr (std::is_same<Real, float>::value) {
            for (int steps = 2; steps <= SWEEP_STEPS; steps++) {
                const std::vector<sweep_task> own = sweep_tasks(volume, steps);
                for (const sweep_task &task : own) {
                    task_count[steps][sweep_kind(task)]++;
                }
                TRY(device_copy(memory, &tasks[steps], (const sweep_task *)own.data(), own.size(), "tasks", error));
            }
        }
        std::vector<int4> by_level(p->axis[2].count);
        for (int k = 0; k < p->axis[2].count; k++) {
            by_level[k] = {p->layer[0][k], p->layer[1][k], p->layer[2][k], -1};
        }
        sweep_events<Real> shared = {};
        TRY(create_heard(p, &by_level, memory, &shared, error));
        for (int run = 0; run < count; run++) {
            events.push_back(shared);
            TRY(create_driven(p, &p->sources[first + run], memory, &events.back(), error));
        }
        return device_copy(memory, &levels, (const int4 *)by_level.data(), by_level.size(), "layers", error);
    }

    /* Steps number `step` to `step` + `steps` - 1 of a run, whose fields are then those of the other set. */
    pw_status go(const given &own, int run, int64_t step, int steps, volume_fields<Real> *fields, cudaStream_t stream,
                 pw_error *error)
    {
        if constexpr (std::is_same<Real, float>::value) {
            sweep_pass<float> pass = {*fields, other[run],   own.rest, own.source, events[run],
                                      levels,  tasks[steps], {},       step};
            std::copy_n(task_count[steps], (int)SWEEP_KINDS, pass.task_count);
            TRY(volume_sweep(own.volume, steps, pass, stream, error));
            std::swap(*fields, other[run]);
            return sweep_probe(own.receivers, events[run], steps, own.record, stream, error);
        }
        return fail(error, PW_USAGE, "several steps a pass are for single precision");
    }
};

#endif
