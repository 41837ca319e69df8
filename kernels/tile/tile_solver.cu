/* The solver "tile": the whole grid in boxes of shared memory (tile.cu), several steps a pass. It takes what suits
 * neither the chip nor a march. */
#include <algorithm>

#include "kernels/solver.h"
#include "kernels/tile/tile_boxes.h"
#include "kernels/tuning.h"

namespace
{

struct tile_stepping : stepping<float> {
    tile_boxes boxes = {};

    /* As many steps a pass as were asked for, or as a halo of a few nodes allows, at least one; one where dispersive
     * nodes answer after the pass. */
    static int depth_for(const cuda_request &request)
    {
        const struct problem *p = request.asked->problem;
        if (p->pole_span_count > 0 && !pole_quads_suit(p)) {
            return 1;
        }
        return request.detail > 0 ? request.detail : std::max(1, TILE_HALO / tile_reach(p));
    }

    bool partition(const cuda_request &request)
    {
        depth = depth_for(request);
        takes_poles = request.asked->problem->pole_span_count > 0 && pole_quads_suit(request.asked->problem);
        return boxes_everywhere(request.boxes(depth), &set);
    }

    /* Without sources and probes, whose boxes would take long to find on a large grid. */
    bool fits(const cuda_request &request) const
    {
        return boxes_everywhere_fit(request.boxes(depth_for(request)));
    }

    pw_status create(engine<float> *engine, pw_error *error) override
    {
        TRY(tile_boxes_create(engine->problem, set, depth, &engine->memory, &boxes, error));
        if (engine->metal.count > 0) {
            return tile_boxes_take_metal(engine->problem, set, depth, engine->metal, &engine->memory, &boxes, error);
        }
        return takes_poles ? tile_boxes_take_poles(engine->problem, set, depth, engine->count, engine->quads,
                                                   &engine->memory, &boxes, error)
                           : PW_OK;
    }

    pw_status advance(engine<float> *engine, int64_t steps, pw_error *error) override
    {
        while (steps > 0) {
            int now = (int)std::min<int64_t>(steps, depth);
            const pass<float> pass = engine_begin_pass(engine, now);
            TRY(tile_pass(engine->device, pass, boxes, error));
            TRY(engine_answer_poles(engine, pass, error));
            engine_end_pass(engine, now);
            steps -= now;
        }
        return PW_OK;
    }
};

const struct physics *const tile_takes[] = {&physics_metal, &physics_poles, &physics_phases, &physics_planes, NULL};

pw_status tile_applicable(const struct solver_request *asked, pw_error *error)
{
    if (asked->problem->metal_row_count > 0 && (asked->problem->pole_span_count > 0 || asked->arena != NULL)) {
        return fail(error, PW_USAGE, "it takes nodes beside metal, but not with dispersive media or in turns");
    }
    return solver_applicable<tile_stepping>(
        asked, "even small boxes with their halos do not fit the shared memory of a block", error);
}

double tile_cost(const struct solver_request *asked)
{
    double cell = asked->problem->pole_span_count > 0 ? TILE_ONE_FS : TILE_CELL_FS;
    return (double)asked->count * TILE_STEP_NS + 1e-6 * cell * solver_cells(asked);
}

pw_status tile_create(const struct solver_request *asked, void **state, pw_error *error)
{
    return solver_create<tile_stepping>(asked, state, error);
}

} // namespace

CUDA_SOLVER(tile, "tiles in shared memory, several steps a pass");
