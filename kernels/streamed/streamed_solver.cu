/* The solver "streamed": Ez of a grid stays on the chip for a whole batch of steps, one run after the other, while the
 * rest of the state goes through the second-level cache. Leaves out: the steps (streamed.cu)
 * and the partition (streamed_partition.cu). */
#include "kernels/resident/chip_stepping.h"
#include "kernels/solver.h"
#include "kernels/streamed/streamed.h"

namespace
{

struct streamed_stepping : chip_stepping {
    size_t shared_bytes = 0;

    bool partition(const cuda_request &request)
    {
        shared_bytes = request.shared_limit;
        return request.detail <= 1 && streamed_partition(request.boxes(1), request.processors, &set);
    }

    bool fits(const cuda_request &request)
    {
        return partition(request);
    }

    pw_status create(engine<float> *engine, pw_error *error) override
    {
        return create_plan(engine, streamed_words(engine->problem, (int)set.boxes.size()),
                           "the state beside Ez on the chip", error);
    }

    pw_status advance_run(const engine<float> *engine, const device_fields<float> own[2],
                          const device_events<float> &events, int64_t steps, pw_error *error) override
    {
        return streamed_advance(engine->device, own, events, plan, shared_bytes, engine->step, steps, engine->stream,
                                error);
    }
};

const struct physics *const *const streamed_takes = NULL;

pw_status streamed_applicable(const struct solver_request *asked, pw_error *error)
{
    if (asked->arena != NULL) {
        return fail(error, PW_USAGE, "what it keeps on the chip does not share the device's memory in turns");
    }
    return solver_applicable<streamed_stepping>(
        asked, "it is for wide stencils, on grids of which Ez fits the chip and an absorber few blocks", error);
}

double streamed_cost(const struct solver_request *asked)
{
    return (double)asked->count * STREAMED_STEP_NS;
}

pw_status streamed_create(const struct solver_request *asked, void **state, pw_error *error)
{
    return solver_create<streamed_stepping>(asked, state, error);
}

} // namespace

CUDA_SOLVER(streamed, "Ez on the chip, the rest of the state through the second-level cache");
