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
    std::vector<volume_fields<Real>> other;
    std::vector<pass_events<Real>> events; /* of every run */
    const sweep_task *tasks[SWEEP_STEPS + 1] = {};
    int task_count[SWEEP_STEPS + 1][SWEEP_KINDS] = {};
    const int4 *levels = NULL;
    int most = 1; /* steps of a pass */

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
        std::vector<int> rows;
        TRY(pass_events_create(p, first, count, SWEEP_STEPS, memory, &rows, &events, error));
        std::vector<int4> by_level(p->axis[2].count);
        for (int k = 0; k < p->axis[2].count; k++) {
            const int heard = rows[(size_t)k * volume.n[1]], end = rows[(size_t)(k + 1) * volume.n[1]];
            by_level[k] = {p->layer[0][k], p->layer[1][k], p->layer[2][k], heard < end ? heard : -1};
        }
        return device_copy(memory, &levels, (const int4 *)by_level.data(), by_level.size(), "layers", error);
    }

    /* Steps number `step` to `step` + `steps` - 1 of a run, whose fields are then those of the other set. */
    pw_status go(const pass_given<Real> &own, int run, int64_t step, int steps, volume_fields<Real> *fields,
                 cudaStream_t stream, pw_error *error)
    {
        if constexpr (std::is_same<Real, float>::value) {
            sweep_pass<float> pass = {*fields, other[run],   own.rest, own.source, events[run],
                                      levels,  tasks[steps], {},       step};
            std::copy_n(task_count[steps], (int)SWEEP_KINDS, pass.task_count);
            TRY(volume_sweep(own.volume, steps, pass, stream, error));
            std::swap(*fields, other[run]);
            return pass_probe(own.receivers, events[run], steps, own.record, stream, error);
        }
        return fail(error, PW_USAGE, "several steps a pass are for single precision");
    }
};

#endif
