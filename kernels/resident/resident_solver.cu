/* The solver "resident": a small grid stays on the chip for a whole batch of steps, one run after the other. Leaves
 * out: the steps (yee_resident.cu, wide_resident.cu) and the partition (yee_partition.cu, wide_partition.cu). */
#include "kernels/resident/chip_stepping.h"
#include "kernels/resident/wide_resident.h"
#include "kernels/solver.h"
#include "kernels/tuning.h"

namespace
{

/* Blocks that hold a grid, for some stencils. */
struct resident_kernel {
    /* Divides the grid among at most `processors` blocks; false when grid or stencil do not suit. */
    bool (*partition)(const box_request &request, int processors, box_set *set);
    size_t (*words)(const struct problem *problem, const box_set &set); /* of the halo exchange buffer */
    pw_status (*advance)(const device_problem<float> &problem, const device_fields<float> fields[2],
                         const device_events<float> &events, const resident_plan &plan, int64_t step, int64_t steps,
                         cudaStream_t stream, pw_error *error);
};

size_t yee_words(const struct problem *problem, const box_set &set)
{
    return yee_resident_words(problem->axis[1].count, (int)set.boxes.size(), set.columns);
}

size_t wide_words(const struct problem *, const box_set &set)
{
    return wide_resident_words((int)set.boxes.size());
}

const struct resident_kernel KERNELS[] = {{yee_resident_partition, yee_words, yee_resident_advance},
                                          {wide_resident_partition, wide_words, wide_resident_advance}};

struct resident_stepping : chip_stepping {
    const struct resident_kernel *kernel = NULL;

    /* By the first kernel that takes the grid. Halos of several steps would cost more than the exchange at every step.
     */
    bool partition(const cuda_request &request)
    {
        for (const struct resident_kernel &candidate : KERNELS) {
            if (request.detail <= 1 && candidate.partition(request.boxes(1), request.processors, &set)) {
                kernel = &candidate;
                return true;
            }
        }
        return false;
    }

    bool fits(const cuda_request &request)
    {
        return partition(request);
    }

    pw_status create(engine<float> *engine, pw_error *error) override
    {
        return create_plan(engine, kernel->words(engine->problem, set), "the halo exchange buffer", error);
    }

    pw_status advance_run(const engine<float> *engine, const device_fields<float> own[2],
                          const device_events<float> &events, int64_t steps, pw_error *error) override
    {
        return kernel->advance(engine->device, own, events, plan, engine->step, steps, engine->stream, error);
    }
};

const struct physics *const *const resident_takes = NULL;

pw_status resident_applicable(const struct solver_request *asked, pw_error *error)
{
    if (asked->arena != NULL) {
        return fail(error, PW_USAGE, "what it keeps on the chip does not share the device's memory in turns");
    }
    return solver_applicable<resident_stepping>(asked, "the grid does not fit the chip, at one step an exchange",
                                                error);
}

double resident_cost(const struct solver_request *asked)
{
    return (double)asked->count * RESIDENT_STEP_NS;
}

pw_status resident_create(const struct solver_request *asked, void **state, pw_error *error)
{
    return solver_create<resident_stepping>(asked, state, error);
}

} // namespace

CUDA_SOLVER(resident, "the whole grid on the chip");
