/* Stepping on the device: passes of the chosen rung, with the samples of the spectra. A march begins when its frame has
 * begun and goes on beside it (launch_beside). Leaves out: the kernels, and what happens between advances
 * (backend_cuda.cu). */
#include <algorithm>

#include "kernels/engine.h"
#include "kernels/tuning.h"

/* The state may lie where the last sample is. It stays: that place is a group or more behind the next to be written. */
template <typename Real> pw_status engine_flush(engine<Real> *engine, pw_error *error)
{
    return spectra_flush(&engine->spectra, engine->step / engine->spectra.shape.every, engine->stream, error);
}

namespace
{

/* Where the sample that is due after `step` steps belongs. */
template <typename Real> int64_t sample_slot(const engine<Real> *engine, int64_t step)
{
    const spectra_store<Real> &s = engine->spectra;
    return step / s.shape.every - 1 - engine->taken + s.pending;
}

/* The fields that a pass to step `end` writes: its Ez straight to the place of the sample that is due then, if it can.
 */
template <typename Real> bool aim_at_sample(engine<Real> *engine, int64_t end)
{
    const spectra_store<Real> &s = engine->spectra;
    bool due = s.shape.as_fields && end % s.shape.every == 0;
    engine->fields[1 - engine->now].e =
        due ? s.samples + sample_slot(engine, end) * s.shape.cells : engine->own_e[1 - engine->now];
    return due;
}

template <typename Real> pw_status plain_steps(engine<Real> *engine, int64_t steps, pw_error *error)
{
    for (int64_t k = 0; k < steps; k++) {
        aim_at_sample(engine, engine->step + k + 1);
        TRY(plain_step(engine->device, engine->fields[engine->now], engine->fields[1 - engine->now], engine->events,
                       engine->step + k, engine->count, engine->stream, error));
        engine->now = 1 - engine->now;
    }
    return PW_OK;
}

/* Rows per task of a march so that the tasks fill `at_once` places evenly and are long against what they recompute;
 * *time: in rows. */
int rows_per_task(int rows, int strips, int recomputed, int at_once, double *time)
{
    int best = rows;
    *time = 0;
    for (int waves = 1; waves <= 16; waves++) {
        int chunks = std::max(1, waves * at_once / strips);
        int height = (rows + chunks - 1) / chunks;
        int tasks = strips * ((rows + height - 1) / height);
        double taken = (double)((tasks + at_once - 1) / at_once) * (height + recomputed);
        if (*time == 0 || taken < *time) {
            *time = taken;
            best = height;
        }
    }
    return best;
}

/* Divides a pass between the frame's boxes and the march. Either all boxes begin at once and the march takes what
 * becomes free, or they leave most multiprocessors to the march and go box after box on the others: what ends sooner by
 * the model of tuning.h. */
pass_plan plan_pass(const engine<float> *engine, int depth)
{
    const struct problem *p = engine->problem;
    const box_set &set = engine->set;
    bool yee = p->reach == 1;
    int columns = march_columns(p, depth), strips = (set.x1 - set.x0 + columns - 1) / columns * engine->count;
    int warps = yee ? yee_march_warps(depth) : wide_march_blocks(p->laplacian_taps, depth);
    int rows = set.y1 - set.y0, recomputed = yee ? depth + 6 : 2 * (depth - 1) * p->laplacian_taps + 4;
    double time = 0;
    pass_plan best = {0, rows_per_task(rows, strips, recomputed, engine->processors * warps, &time)};
    if (!set.framed) {
        return best;
    }
    int boxes = (int)set.boxes.size();
    double cells = (double)p->axis[0].count * p->axis[1].count * engine->count,
           far = cells > BORDER_NEAR_CELLS ? BORDER_FAR_NS : 0;
    double box = yee ? BORDER_BOX_NS + far : BORDER_BOX_WIDE_NS + (double)depth * BORDER_STEP_WIDE_NS;
    double node = yee ? MARCH_NODE_PS : MARCH_NODE_WIDE_PS + p->laplacian_taps * MARCH_RING_PS;
    double row = warps * columns * depth * march_relative_cost(p, depth) * node * 1e-3; /* ns */
    /* Preferred when they are about equal: it evens out what the model does not know. */
    double least = 0.95 * (time * row + MARCH_TASK_NS + boxes * box / engine->processors);
    best.frame_blocks = boxes;
    for (int rounds = 1; rounds <= boxes; rounds++) {
        int blocks = (boxes + rounds - 1) / rounds;
        if (blocks > 3 * engine->processors / 4) {
            continue;
        }
        int height = rows_per_task(rows, strips, recomputed, (engine->processors - blocks) * warps, &time);
        double taken = std::max(time * row + MARCH_TASK_NS, rounds * box);
        if (taken < least) {
            least = taken;
            best = {blocks, height};
        }
        if (rounds * box > least) {
            break;
        }
    }
    return best;
}

/* The most steps of a march that end on the next sample of the spectra at the latest; of yee it may be the middle step,
 * too. */
int sampled_depth(const engine<float> *engine, int64_t left)
{
    int64_t every = engine->spectra.shape.every;
    if (engine->problem->reach == 1) {
        return yee_march_sampled_depth(engine->step, left, engine->choice.depth, every);
    }
    return march_depth(engine->problem, std::min(left, every - engine->step % every), engine->choice.depth);
}

/* What the kernels of a pass need to take the sample of the spectra that falls on its middle step. */
void place_middle_sample(const engine<float> *engine, march_plan *march, resident_plan *small)
{
    const spectra_store<float> &s = engine->spectra;
    int64_t taken = engine->step / s.shape.every, slot = sample_slot(engine, (taken + 1) * s.shape.every);
    march->spectra = small->spectra = s.shape;
    march->sample_run_stride = small->sample_run_stride = s.plan.block * s.shape.cells;
    march->samples = s.samples + slot * s.shape.cells;
    small->samples = s.samples;
    small->sample_first = taken - slot;
}

/* The sample that is due after the pass to step `end`, from the Ez that it wrote. */
pw_status gather_sample(const engine<float> *engine, int64_t end, const float *e, pw_error *error)
{
    const spectra_store<float> &s = engine->spectra;
    return spectra_sample(engine->device, s.shape, e, s.samples + sample_slot(engine, end) * s.shape.cells,
                          s.plan.block * s.shape.cells, engine->count, engine->stream, error);
}

/* The frame of absorber and walls and the patches around sources and probes. */
pw_status frame_pass(engine<float> *engine, const resident_plan &small, int blocks, int depth, pw_error *error)
{
    const device_fields<float> &in = engine->fields[engine->now], &out = engine->fields[1 - engine->now];
    int boxes = (int)engine->set.boxes.size();
    if (!engine->set.framed) {
        return tile_pass(engine->device, in, out, engine->events, engine->boxes, boxes, engine->shared_bytes,
                         engine->step, depth, engine->count, engine->stream, error);
    }
    if (engine->problem->reach > 1) {
        return wide_border_pass(engine->device, in, out, engine->events, engine->frame, blocks, engine->step, depth,
                                engine->stream, error);
    }
    resident_plan plan = small;
    plan.boxes = engine->boxes;
    plan.box_count = boxes;
    return yee_border_pass(engine->device, in, out, engine->events, plan, blocks, engine->step, depth, engine->stream,
                           error);
}

/* `sampled`: with the samples of the spectra that fall on its middle and last steps. */
pw_status march_pass(engine<float> *engine, int depth, bool sampled, pw_error *error)
{
    int64_t every = engine->spectra.shape.every, end = engine->step + depth;
    bool gathered = !aim_at_sample(engine, end) && sampled && end % every == 0;
    march_plan plan = {};
    resident_plan small = {};
    plan.x0 = engine->set.x0;
    plan.x1 = engine->set.x1;
    plan.y0 = engine->set.y0;
    plan.y1 = engine->set.y1;
    plan.runs = engine->count;
    plan.variant = engine->choice.variant;
    plan.skip = engine->skip;
    plan.skip_pitch = engine->set.skip_pitch;
    plan.skip_run_stride = engine->set.skip_run_stride;
    small.depth = engine->choice.depth;
    if (sampled && depth % 2 == 0 && (end - depth / 2) % every == 0) {
        place_middle_sample(engine, &plan, &small);
    }
    pass_plan *pass = &engine->passes[depth];
    if (pass->rows == 0) {
        *pass = plan_pass(engine, depth);
    }
    plan.rows = pass->rows;
    const device_fields<float> &in = engine->fields[engine->now], &out = engine->fields[1 - engine->now];
    TRY(frame_pass(engine, small, pass->frame_blocks, depth, error)); /* the march begins beside it */
    TRY(engine->problem->reach == 1 ? yee_march(engine->device, in, out, plan, depth, engine->stream, error)
                                    : wide_march(engine->device, in, out, plan, depth, engine->stream, error));
    return gathered ? gather_sample(engine, end, out.e, error) : PW_OK;
}

/* On the chip, run after run. */
pw_status small_steps(engine<float> *engine, int64_t steps, pw_error *error)
{
    const device_problem<float> &d = engine->device;
    resident_plan plan = {};
    plan.boxes = engine->boxes;
    plan.box_count = (int)engine->set.boxes.size();
    plan.columns = engine->set.columns;
    plan.rows = engine->set.rows;
    plan.packets = engine->packets;
    plan.spectra = engine->spectra.shape;
    plan.sample_first = engine->step / engine->spectra.shape.every - engine->spectra.pending;
    for (int r = 0; r < engine->count; r++) {
        const device_fields<float> own[2] = {run_fields(d, engine->fields[engine->now], r),
                                             run_fields(d, engine->fields[1 - engine->now], r)};
        device_events<float> events = engine->events;
        events.sources += r;
        events.record += r * events.record_stride;
        plan.samples = engine->spectra.run_samples(r);
        TRY((d.reach == 1 ? yee_resident_advance : wide_resident_advance)(d, own, events, plan, engine->step, steps,
                                                                          engine->stream, error));
    }
    engine->now = steps % 2 == 1 ? 1 - engine->now : engine->now;
    return PW_OK;
}

pw_status fast_steps(engine<float> *engine, int64_t steps, pw_error *error)
{
    if (engine->choice.rung == SOLVER_RESIDENT) {
        return small_steps(engine, steps, error);
    }
    int64_t start = engine->step, end = start + steps;
    pw_status status = PW_OK;
    while (engine->step < end && status == PW_OK) {
        int64_t left = end - engine->step;
        int depth = (int)std::min<int64_t>(left, engine->choice.depth);
        if (engine->choice.rung == SOLVER_MARCH) {
            bool sampled = engine->samples_itself && engine->spectra.samples != NULL;
            depth = sampled ? sampled_depth(engine, left) : march_depth(engine->problem, left, engine->choice.depth);
            status = march_pass(engine, depth, sampled, error);
        } else {
            aim_at_sample(engine, engine->step + depth);
            status = tile_pass(engine->device, engine->fields[engine->now], engine->fields[1 - engine->now],
                               engine->events, engine->boxes, (int)engine->set.boxes.size(), engine->shared_bytes,
                               engine->step, depth, engine->count, engine->stream, error);
        }
        engine->now = 1 - engine->now;
        engine->step += depth;
    }
    engine->step = start; /* the caller counts */
    return status;
}

pw_status some_steps(engine<float> *engine, int64_t steps, pw_error *error)
{
    return engine->choice.rung == SOLVER_PLAIN ? plain_steps(engine, steps, error) : fast_steps(engine, steps, error);
}

pw_status some_steps(engine<double> *engine, int64_t steps, pw_error *error)
{
    return plain_steps(engine, steps, error);
}

template <typename Real> pw_status take_sample(engine<Real> *engine, pw_error *error)
{
    spectra_store<Real> *s = &engine->spectra;
    if (!engine->samples_itself && !s->shape.as_fields) {
        TRY(spectra_sample(engine->device, s->shape, engine->fields[engine->now].e,
                           s->samples + s->pending * s->shape.cells, s->plan.block * s->shape.cells, engine->count,
                           engine->stream, error));
    }
    s->pending++;
    return s->pending == s->plan.block ? engine_flush(engine, error) : PW_OK;
}

} // namespace

template <typename Real> pw_status engine_advance(engine<Real> *engine, int64_t steps, pw_error *error)
{
    const struct problem *p = engine->problem;
    if (steps < 0 || engine->step + steps > p->steps) {
        return fail(error, PW_USAGE, "cannot advance %lld steps from step %lld: the problem has %lld", (long long)steps,
                    (long long)engine->step, (long long)p->steps);
    }
    bool spectra = p->spectra.frequency_count > 0;
    int64_t every = engine->spectra.shape.every;
    while (steps > 0) {
        int64_t part = steps;
        engine->taken = engine->step / every;
        if (spectra && engine->samples_itself) { /* as many as there is room for */
            part =
                std::min(part, (engine->spectra.plan.block - engine->spectra.pending) * every - engine->step % every);
        } else if (spectra) {
            part = std::min(part, every - engine->step % every);
        }
        TRY(some_steps(engine, part, error));
        int64_t before = engine->step / every;
        engine->step += part;
        steps -= part;
        for (int64_t s = before; spectra && s < engine->step / every; s++) {
            TRY(take_sample(engine, error));
        }
    }
    CUDA_TRY(cudaStreamSynchronize(engine->stream));
    return PW_OK;
}

template pw_status engine_advance<float>(engine<float> *, int64_t, pw_error *);
template pw_status engine_advance<double>(engine<double> *, int64_t, pw_error *);
template pw_status engine_flush<float>(engine<float> *, pw_error *);
template pw_status engine_flush<double>(engine<double> *, pw_error *);
