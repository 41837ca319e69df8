/* The solver "march": passes of several steps, each a march through the output region with a border beside it:
 *
 *        +--------------------------------+          time
 *        |  border   (absorber, walls)    |           n + 8   ======== border ========   ====== march ======
 *        |  +--------------------------+  |                   boxes in registers, all    strips and tasks, all
 *        |  | output region   +--+     |  |                   steps of the pass, with    steps of the pass
 *        |  |  of the march   |P |     |  |                   their halos                     beside
 *        |  |                 +--+     |  |           n       ======================== Ez[n] ==============
 *        |  +--------------------------+  |
 *        +--------------------------------+      P: patch around a source or a probe, a box of the border too
 *
 * Both read the fields of step n and write the fields of step n + 8, each its own nodes, so that they may run side by
 * side; the next pass waits for both. Here a pass is divided between the two and launched, and the depth of the passes
 * is chosen. Leaves out: the marches (yee_march.cu, wide_march.cu), the borders (march_border.cu), and the partition
 * (march_partition.cu). */
#include <algorithm>

#include "kernels/march/march.h"
#include "kernels/solver.h"
#include "kernels/tuning.h"
#include "kernels/wide/wide_place.h"

namespace
{

const struct march_kernel *const KERNELS[] = {&yee_march, &wide_march};
enum { DEPTH_LIMIT = 8 }; /* deepest pass of any march */

/* The march for the problem's stencil; NULL: there is none. */
const struct march_kernel *kernel_for(const struct problem *p)
{
    for (const struct march_kernel *kernel : KERNELS) {
        if (kernel->depth(p->laplacian_taps, 1, 1) > 0) {
            return kernel;
        }
    }
    return NULL;
}

/* ---- a pass ------------------------------------------------------------------------------------------------------ */

/* How a pass is divided between border and march. */
struct division {
    int blocks, rows; /* boxes of the border at a time; rows of a march's task, 0: not decided yet */
};

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

struct march_stepping : stepping<float> {
    const march_kernel *kernel = NULL;
    const march_border *border = NULL;
    border_boxes boxes = {};
    const uint8_t *skip = NULL; /* box_set.skip on the device */
    device_metal_quads metal = {};
    tile_boxes beside_metal = {};             /* box_set.beside_metal */
    division divisions[DEPTH_LIMIT + 1] = {}; /* by depth; made when first needed */

    bool partition(const cuda_request &request);
    bool partition_poles(const cuda_request &request, int most);

    bool fits(const cuda_request &request)
    {
        return partition(request);
    }

    pw_status create(engine<float> *engine, pw_error *error) override
    {
        border = set.border_in_registers ? kernel->border : &tile_border;
        /* Else when dispersive nodes have answered; kernels that step nodes beside metal take none. */
        takes_samples =
            set.border_in_registers && engine->problem->pole_span_count == 0 && engine->problem->metal_row_count == 0;
        TRY(device_copy(&engine->memory, &skip, set.skip.data(), set.skip.size(), "patches", error));
        TRY(border->create(engine->problem, set, depth, &engine->memory, &boxes, error));
        if (engine->metal.count > 0) {
            return create_metal(engine, error);
        }
        return takes_poles ? tile_boxes_take_poles(engine->problem, set, depth, engine->count, engine->quads,
                                                   &engine->memory, &boxes.tiles, error)
                           : PW_OK;
    }

    pw_status advance(engine<float> *engine, int64_t steps, pw_error *error) override
    {
        bool sampled = takes_samples && engine->spectra.samples != NULL;
        int taps = engine->device.laplacian_taps;
        while (steps > 0) {
            int now = sampled ? kernel->sampled_depth(taps, engine->step, steps, depth, engine->spectra.shape.every)
                              : kernel->depth(taps, steps, depth);
            TRY(launch(engine, now, sampled, error));
            engine_end_pass(engine, now);
            steps -= now;
        }
        return PW_OK;
    }

    pw_status create_metal(engine<float> *engine, pw_error *error)
    {
        const struct problem *p = engine->problem;
        box_set near_metal = {};
        near_metal.boxes = set.beside_metal;
        TRY(metal_quads_create(p, &engine->memory, &metal, error));
        if (!set.border_in_registers) {
            return tile_boxes_take_metal(p, set, depth, engine->metal, &engine->memory, &boxes.tiles, error);
        }
        TRY(tile_boxes_create(p, near_metal, depth, &engine->memory, &beside_metal, error));
        beside_metal.beside = boxes.count > 0;
        return tile_boxes_take_metal(p, near_metal, depth, engine->metal, &engine->memory, &beside_metal, error);
    }

    pw_status launch(engine<float> *engine, int steps, bool sampled, pw_error *error);
    division divide(const engine<float> *engine, int steps) const;
};

/* Divides the multiprocessors between border and march. Either all boxes begin at once and the march takes what becomes
 * free, or they leave most multiprocessors to the march and go box after box on the others: what ends sooner by the
 * model of tuning.h. */
division march_stepping::divide(const engine<float> *engine, int steps) const
{
    const struct problem *p = engine->problem;
    int taps = p->laplacian_taps, columns = kernel->columns(taps, steps), tasks = kernel->tasks(taps, steps),
        strips = (set.x1 - set.x0 + columns - 1) / columns * engine->count, rows = set.y1 - set.y0,
        recomputed = kernel->recomputed(taps, steps), processors = engine->processors;
    double time = 0, cells = (double)p->axis[0].count * p->axis[1].count * engine->count;
    division best = {boxes.count, rows_per_task(rows, strips, recomputed, processors * tasks, &time)};
    double box = border->box_ns(steps, cells);
    if (box == 0) {
        return best;
    }
    double row = tasks * columns * steps * kernel->relative_cost(taps, steps) * kernel->node_ps(taps) * 1e-3; /* ns */
    /* Preferred when they are about equal: it evens out what the model does not know. */
    double least = 0.95 * (time * row + MARCH_TASK_NS + boxes.count * box / processors);
    for (int rounds = 1; rounds <= boxes.count; rounds++) {
        int blocks = (boxes.count + rounds - 1) / rounds;
        if (blocks > 3 * processors / 4) {
            continue;
        }
        int height = rows_per_task(rows, strips, recomputed, (processors - blocks) * tasks, &time);
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

/* What the kernels of a pass need to take the sample of the spectra that falls on its middle step. */
void place_middle_sample(const engine<float> *engine, march_plan *march, resident_plan *border)
{
    const spectra_store<float> &s = engine->spectra;
    int64_t taken = engine->step / s.shape.every, slot = engine_sample_slot(engine, (taken + 1) * s.shape.every);
    march->spectra = border->spectra = s.shape;
    march->sample_run_stride = border->sample_run_stride = s.plan.block * s.shape.cells;
    march->samples = s.samples + slot * s.shape.cells;
    border->samples = s.samples;
    border->sample_first = taken - slot;
}

/* One pass; `sampled`: with the samples of the spectra that fall on its middle and last steps. The march begins when
 * its border has begun, and goes on beside it. */
pw_status march_stepping::launch(engine<float> *engine, int steps, bool sampled, pw_error *error)
{
    const spectra_store<float> &s = engine->spectra;
    pass<float> pass = engine_begin_pass(engine, steps);
    int64_t end = pass.step + steps;
    division *parts = &divisions[steps];
    if (parts->rows == 0) {
        *parts = divide(engine, steps);
    }
    march_plan plan = {};
    resident_plan beside = {};
    plan.x0 = set.x0;
    plan.x1 = set.x1;
    plan.y0 = set.y0;
    plan.y1 = set.y1;
    plan.rows = parts->rows;
    plan.runs = engine->count;
    plan.skip = skip;
    plan.skip_pitch = set.skip_pitch;
    plan.skip_run_stride = set.skip_run_stride;
    plan.poles = pass.poles;
    plan.metal = metal;
    beside.depth = depth;
    if (sampled && steps % 2 == 0 && (end - steps / 2) % s.shape.every == 0) {
        place_middle_sample(engine, &plan, &beside);
    }
    if (boxes.count > 0) {
        TRY(border->pass(engine->device, pass, boxes, beside, parts->blocks, error));
    }
    if (beside_metal.count > 0) {
        TRY(tile_pass(engine->device, pass, beside_metal, error));
    }
    TRY(kernel->launch(engine->device, pass, plan, error));
    TRY(engine_answer_poles(engine, pass, error));
    if (!sampled || s.shape.as_fields || end % s.shape.every != 0) {
        return PW_OK;
    }
    /* The sample on the last step, from the Ez that the pass wrote. */
    sample_place<float> to = {s.samples + engine_sample_slot(engine, end) * s.shape.cells,
                              s.plan.block * s.shape.cells};
    return spectra_sample(engine->device, s.shape, pass.out.e, to, engine->count, engine->stream, error);
}

/* ---- the choice -------------------------------------------------------------------------------------------------- */

/* The most steps a pass that make an interval between samples cheapest, where passes end on samples. */
int preferred_depth(const struct problem *p, const march_kernel &kernel, double cells)
{
    bool ends_on_samples = p->spectra.frequency_count > 0 && (!kernel.samples_in_the_middle || p->metal_row_count > 0);
    int taps = p->laplacian_taps, best = 1, deepest = kernel.deepest_that_pays(taps, cells);
    double least = 0;
    for (int limit = 1; limit <= (deepest > 0 ? deepest : DEPTH_LIMIT); limit++) {
        int64_t left = ends_on_samples ? p->spectra.every : 24;
        double cost = 0;
        while (left > 0) {
            int depth = kernel.depth(taps, left, limit);
            cost += depth * kernel.relative_cost(taps, depth);
            left -= depth;
        }
        if (least == 0 || cost < least) {
            least = cost;
            best = kernel.depth(taps, limit, limit);
        }
    }
    return best;
}

/* Whether passes of up to `depth` steps can step the dispersive nodes: a block finds room for what their poles
 * remember. */
bool march_takes_poles(const cuda_request &request, const march_kernel &kernel, int depth)
{
    const struct problem *p = request.asked->problem;
    bool room = pole_quads_suit(p) && p->coefficient_count <= MARCH_COEFFICIENTS;
    for (; room && depth > 0; depth = kernel.depth(p->laplacian_taps, depth - 1, depth - 1)) {
        room =
            kernel.pole_bytes(p->laplacian_taps, depth, p->coefficient_count, pole_planes(p)) <= request.shared_limit;
    }
    return room;
}

/* The deepest passes of at most `most` steps for which the grid is large enough; `poles`: that step dispersive nodes.
 */
bool deepest_march(const cuda_request &request, const march_kernel &kernel, int most, bool poles, box_set *set,
                   int *depth)
{
    int taps = request.asked->problem->laplacian_taps;
    for (*depth = kernel.depth(taps, most, most); *depth > 0;
         *depth = *depth > 1 ? kernel.depth(taps, *depth - 1, *depth - 1) : 0) {
        box_request boxes = request.boxes(*depth);
        boxes.border_in_tiles = poles;
        if ((!poles || march_takes_poles(request, kernel, *depth)) && boxes_around_march(boxes, kernel, set)) {
            return true;
        }
    }
    return false;
}

/* As deep as asked for, or as the grid takes when the solver is named. Else the cheapest depth; but a march of few
 * cells is mostly border: then the deepest passes whose border is done in registers, where a thick absorber leaves room
 * for fewer steps. */
bool march_stepping::partition(const cuda_request &request)
{
    const struct problem *p = request.asked->problem;
    kernel = kernel_for(p);
    if (kernel == NULL) {
        return false;
    }
    double cells = solver_cells(request.asked);
    int preferred = preferred_depth(p, *kernel, cells), named = request.detail > 0 ? request.detail : DEPTH_LIMIT,
        most = request.asked->count > 1 ? DEPTH_LIMIT : 6; /* one run of yee */
    if (p->pole_span_count > 0) {
        return partition_poles(request, request.asked->name != NULL
                                            ? named
                                            : std::min(preferred, kernel->deepest_with_poles(p->laplacian_taps)));
    }
    if (request.asked->name != NULL) {
        return deepest_march(request, *kernel, named, false, &set, &depth);
    }
    bool few = cells < MARCH_FEW_CELLS;
    for (int wanted = few ? kernel->depth(p->laplacian_taps, preferred, most) : 0; wanted > 1;
         wanted = kernel->depth(p->laplacian_taps, wanted - 1, wanted)) {
        if (deepest_march(request, *kernel, wanted, false, &set, &depth) && set.border_in_registers) {
            return true;
        }
    }
    return deepest_march(request, *kernel, preferred, false, &set, &depth);
}

/* With dispersive nodes: passes that step them, or, where poles remember too much for that, of one step. */
bool march_stepping::partition_poles(const cuda_request &request, int most)
{
    takes_poles = deepest_march(request, *kernel, most, true, &set, &depth);
    return takes_poles || deepest_march(request, *kernel, 1, false, &set, &depth);
}

const struct physics *const march_takes[] = {&physics_metal, &physics_poles, &physics_planes, NULL};

pw_status march_applicable(const struct solver_request *asked, pw_error *error)
{
    const struct problem *problem = asked->problem;
    if (problem->metal_row_count > 0 &&
        (problem->pole_span_count > 0 || asked->arena != NULL || !metal_quads_suit(problem))) {
        return fail(error, PW_USAGE,
                    "it takes nodes beside metal whose rows lie on the lines of the lattice, but not with dispersive "
                    "media or in turns");
    }
    if (problem->laplacian_taps > 1 && std::max(problem->axis[0].count, problem->axis[1].count) > PLACE_LIMIT) {
        return fail(error, PW_USAGE, "with this scheme it takes at most %d columns and rows", PLACE_LIMIT);
    }
    return solver_applicable<march_stepping>(asked, "absorber, walls and halos leave no room for a march", error);
}

/* Whether the border of the march that would be taken is in registers; false, too, when that cannot be told. */
bool border_in_registers(const struct solver_request *asked)
{
    bool answer = false;
    (void)cuda_guard(
        [&]() -> pw_status {
            cuda_request request;
            march_stepping own;
            TRY(cuda_request_read(asked, &request, NULL));
            answer = own.partition(request) && own.set.border_in_registers;
            return PW_OK;
        },
        NULL);
    return answer;
}

/* Where the grid fits the chip, a march is faster for several runs together at best, and with a border in registers
 * alone: all others cost more than the chip. */
double march_cost(const struct solver_request *asked)
{
    double march = MARCH_STEP_NS + 1e-6 * MARCH_CELL_FS * solver_cells(asked),
           resident = (double)asked->count * RESIDENT_STEP_NS;
    const struct march_kernel *kernel = kernel_for(asked->problem);
    bool together = kernel != NULL && kernel->gains_together && march < resident && border_in_registers(asked);
    return together ? march : march + resident;
}

pw_status march_create(const struct solver_request *asked, void **state, pw_error *error)
{
    return solver_create<march_stepping>(asked, state, error);
}

} // namespace

CUDA_SOLVER(march, "a march through registers beside its border, several steps a pass");
