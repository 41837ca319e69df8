/* What the solvers "resident" and "streamed" share: fields that stay on the chip for a whole batch of steps, one run
 * after the other. Leaves out: the partition and the steps of a run, which each solver has of its own. */
#ifndef CHIP_STEPPING_H
#define CHIP_STEPPING_H

#include "kernels/engine.h"
#include "kernels/resident/yee_resident.h"

struct chip_stepping : stepping<float> {
    resident_plan plan = {};

    /* Some steps of one run, whose fields are own[0], and afterwards own[steps % 2]. */
    virtual pw_status advance_run(const engine<float> *engine, const device_fields<float> own[2],
                                  const device_events<float> &events, int64_t steps, pw_error *error) = 0;

    /* Fills the plan from the partition; its blocks share `words` of memory, `what` in messages. */
    pw_status create_plan(engine<float> *engine, size_t words, const char *what, pw_error *error)
    {
        takes_samples = true;
        plan.box_count = (int)set.boxes.size();
        plan.columns = set.columns;
        plan.rows = set.rows;
        TRY(device_copy(&engine->memory, &plan.boxes, set.boxes.data(), set.boxes.size(), "boxes", error));
        return device_array(&engine->memory, &plan.halo_buffer, words, what, error);
    }

    pw_status advance(engine<float> *engine, int64_t steps, pw_error *error) override
    {
        const spectra_store<float> &spectra = engine->spectra;
        plan.spectra = spectra.shape;
        plan.sample_first = engine->step / spectra.shape.every - spectra.pending;
        for (int r = 0; r < engine->count; r++) {
            const device_fields<float> own[2] = {run_fields(engine->device, engine->fields[engine->now], r),
                                                 run_fields(engine->device, engine->fields[1 - engine->now], r)};
            device_events<float> events = engine->events;
            events.sources += r;
            events.record += r * events.record_stride;
            plan.samples = spectra.run_samples(r);
            TRY(advance_run(engine, own, events, steps, error));
        }
        engine->now = steps % 2 == 1 ? 1 - engine->now : engine->now;
        return PW_OK;
    }
};

#endif
