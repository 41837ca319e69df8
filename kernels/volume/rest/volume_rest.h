/* Where the runs of an engine are still at rest: there a step finds zeros and leaves zeros, and is not made.
 *
 *        . . . . . .     Columns are taken together in bricks of 64 x 64. Those that have held anything but zeros are
 *        . + + + . .     active (#); those beside them (+) are stepped too, since a wave gets no farther until the
 *        . + # + . .     bricks are looked at again. Rounding ends what runs ahead of a wave about a hundred cells
 *        . + + + . .     before it, so that few bricks are stepped in vain.
 *
 * When nothing is at rest any more nobody asks. The six fields alone are looked at: what filters and poles remember is
 * zero where no field has ever been. Leaves out: the kernels (volume_rest.cu); parts that take turns, whose
 * states come and go, and grids of a brick or two: there everything is stepped. */
#ifndef VOLUME_REST_H
#define VOLUME_REST_H

#include "kernels/common/device_memory.h"
#include "kernels/volume/volume.h"

extern "C" {
#include "backend/solver.h"
}

/* Bricks of one run, (ny, nx) on the device: 1 or 0. */
struct rest_bricks {
    uint8_t *active, *stepped;
    int nx, ny;
};

/* Adds the bricks that have become active: of those that are stepped, or of all. */
template <typename Real>
pw_status rest_look(const device_volume<Real> &volume, const volume_fields<Real> &fields, const rest_bricks &bricks,
                    bool all, cudaStream_t stream, pw_error *error);

pw_status rest_look(const device_volume<float> &volume, const half_fields &fields, const rest_bricks &bricks, bool all,
                    cudaStream_t stream, pw_error *error);

/* Those to be stepped, from those that are active. */
pw_status rest_spread(const rest_bricks &bricks, cudaStream_t stream, pw_error *error);

template <typename Real> struct volume_rest {
    struct own {
        rest_bricks bricks;
        int64_t looked; /* number of the step before which somebody looked */
        bool over;      /* nothing is at rest */
    };
    std::vector<own> runs;
    int64_t interval = 0; /* steps after which a wave may have passed a brick */

    pw_status create(const struct solver_request &asked, device_memory *memory, pw_error *error)
    {
        const struct problem *p = asked.problem;
        const int nx = (p->axis[0].count + REST_BRICK - 1) / REST_BRICK,
                  ny = (p->axis[1].count + REST_BRICK - 1) / REST_BRICK;
        interval = (REST_BRICK - 1) / (2 * p->reach - 1 + (p->tensor_count > 0 ? 2 : 0));
        const bool none = asked.steps_all || asked.arena != NULL || p->axis[2].uniform || nx * ny <= 4;
        runs.assign((size_t)asked.count, {{NULL, NULL, nx, ny}, 0, true});
        for (int run = 0; run < asked.count && !none; run++) {
            TRY(create_run(p, &p->sources[asked.first + run], &runs[(size_t)run], memory, error));
        }
        return PW_OK;
    }

    /* The bricks that its source drives are active. */
    static pw_status create_run(const struct problem *p, const struct source *source, own *run, device_memory *memory,
                                pw_error *error)
    {
        rest_bricks &bricks = run->bricks;
        std::vector<uint8_t> driven((size_t)bricks.nx * (size_t)bricks.ny);
        for (int64_t n = 0; n < source->count; n++) {
            const int64_t node = source->node[n] % problem_nodes(p), i = node % p->axis[0].count,
                          j = node / p->axis[0].count % p->axis[1].count;
            driven[(size_t)(j / REST_BRICK * bricks.nx + i / REST_BRICK)] = 1;
        }
        TRY(device_array(memory, &bricks.active, driven.size(), "what is at rest", error));
        TRY(device_array(memory, &bricks.stepped, driven.size(), "what is at rest", error));
        CUDA_TRY(cudaMemcpy(bricks.active, driven.data(), driven.size(), cudaMemcpyHostToDevice));
        TRY(rest_spread(bricks, NULL, error));
        run->over = false;
        return PW_OK;
    }

    /* Before `steps` steps from number `step` on. */
    template <typename Fields>
    pw_status look(const device_volume<Real> &volume, const Fields &fields, int run, int64_t step, int steps,
                   cudaStream_t stream, pw_error *error)
    {
        own &asked = runs[(size_t)run];
        if (asked.over || step + steps <= asked.looked + interval) {
            return PW_OK;
        }
        asked.looked = step;
        return rest_look(volume, fields, asked.bricks, false, stream, error);
    }

    /* After all fields have been replaced by those before step number `step`. */
    template <typename Fields>
    pw_status replaced(const device_volume<Real> &volume, const Fields &fields, int run, int64_t step,
                       cudaStream_t stream, pw_error *error)
    {
        own &asked = runs[(size_t)run];
        asked.looked = step;
        return asked.over ? PW_OK : rest_look(volume, fields, asked.bricks, true, stream, error);
    }

    /* After values have come into the nodes of a patch: its bricks are active. */
    pw_status filled(const struct patch &patch, int run, cudaStream_t stream, pw_error *error)
    {
        const own &asked = runs[(size_t)run];
        const int left = patch.first[0] / REST_BRICK, right = (patch.first[0] + patch.count[0] - 1) / REST_BRICK,
                  front = patch.first[1] / REST_BRICK, back = (patch.first[1] + patch.count[1] - 1) / REST_BRICK;
        if (asked.over || patch.count[0] < 1 || patch.count[1] < 1) {
            return PW_OK;
        }
        CUDA_TRY(cudaMemset2DAsync(asked.bricks.active + front * asked.bricks.nx + left, (size_t)asked.bricks.nx, 1,
                                   (size_t)(right - left + 1), (size_t)(back - front + 1), stream));
        return rest_spread(asked.bricks, stream, error);
    }

    /* Whether it is over, after what was on the device's streams is done. */
    pw_status settle(int run, pw_error *error)
    {
        own &asked = runs[(size_t)run];
        std::vector<uint8_t> stepped(asked.over ? 0 : (size_t)asked.bricks.nx * (size_t)asked.bricks.ny);
        if (!asked.over) {
            CUDA_TRY(cudaMemcpy(stepped.data(), asked.bricks.stepped, stepped.size(), cudaMemcpyDeviceToHost));
            asked.over = std::count(stepped.begin(), stepped.end(), 0) == 0;
        }
        return PW_OK;
    }

    device_rest view(int run) const
    {
        const own &asked = runs[(size_t)run];
        return {asked.over ? NULL : asked.bricks.stepped, asked.bricks.nx};
    }
};

#endif
