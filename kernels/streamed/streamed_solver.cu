/* The solver "streamed": Ez of a grid stays on the chip for a whole batch of steps, one run after the other, while the
 * rest of the state goes through the second-level cache. For stencils of few taps. Leaves out: the steps (streamed.cu)
 * and the partition (streamed_partition.cu). */
#include "kernels/solver.h"
#include "kernels/streamed/streamed.h"

namespace
{

struct streamed_stepping : stepping<float> {
    resident_plan plan = {};
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
        takes_samples = true;
        plan.box_count = (int)set.boxes.size();
        plan.columns = set.columns;
        plan.rows = set.rows;
        TRY(device_copy(&engine->memory, &plan.boxes, set.boxes.data(), set.boxes.size(), "boxes", error));
        return device_array(&engine->memory, &plan.halo_buffer, streamed_words(plan.box_count),
                            "the state beside Ez on the chip", error);
    }

    pw_status advance(engine<float> *engine, int64_t steps, pw_error *error) override
    {
        const device_problem<float> &d = engine->device;
        const spectra_store<float> &spectra = engine->spectra;
        plan.spectra = spectra.shape;
        plan.sample_first = engine->step / spectra.shape.every - spectra.pending;
        for (int r = 0; r < engine->count; r++) {
            const device_fields<float> own[2] = {run_fields(d, engine->fields[engine->now], r),
                                                 run_fields(d, engine->fields[1 - engine->now], r)};
            device_events<float> events = engine->events;
            events.sources += r;
            events.record += r * events.record_stride;
            plan.samples = spectra.run_samples(r);
            TRY(streamed_advance(d, own, events, plan, shared_bytes, engine->step, steps, engine->stream, error));
        }
        engine->now = steps % 2 == 1 ? 1 - engine->now : engine->now;
        return PW_OK;
    }
};

pw_status streamed_applicable(const struct solver_request *asked, pw_error *error)
{
    TRY(solver_takes_plain_tm2d(asked->problem, error));
    return solver_applicable<streamed_stepping>(
        asked, "it is for stencils of three taps, on grids of which Ez fits the chip and an absorber few blocks",
        error);
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
