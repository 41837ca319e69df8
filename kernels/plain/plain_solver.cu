/* The solver "plain": one kernel a step (plain.cu), whatever the grid and the precision. */
#include "kernels/common/events.h"
#include "kernels/plain/plain.h"
#include "kernels/solver.h"
#include "kernels/tuning.h"

namespace
{

template <typename Real> struct plain_stepping : stepping<Real> {
    /* The whole grid in one piece; probes as they come. */
    explicit plain_stepping(const struct problem *problem)
    {
        for (int k = 0; k < problem->probe_count; k++) {
            grid_node node = node_at(problem->probes[k].node, problem->axis[0].count);
            this->set.probe_slot.push_back(k);
            this->set.probe_x.push_back(node.x);
            this->set.probe_y.push_back(node.y);
        }
    }

    pw_status create(engine<Real> *, pw_error *) override
    {
        return PW_OK;
    }

    pw_status advance(engine<Real> *engine, int64_t steps, pw_error *error) override
    {
        for (; steps > 0; steps--) {
            const pass<Real> pass = engine_begin_pass(engine, 1);
            TRY(plain_step(engine->device, engine->metal, pass, error));
            TRY(mur_edges_step(engine->device, engine->edges, pass, error));
            TRY(engine_answer_poles(engine, pass, error));
            engine_end_pass(engine, 1);
        }
        return PW_OK;
    }
};

const struct physics *const plain_takes[] = {&physics_metal,  &physics_poles, &physics_phases,
                                             &physics_planes, &physics_mur,   NULL};

/* Nothing is asked of the device: when it fails, creating the engine says so. */
pw_status plain_applicable(const struct solver_request *asked, pw_error *error)
{
    TRY(solver_takes_even_tm2d(asked->problem, error));
    TRY(solver_takes_clear_edges(asked->problem, error));
    if (asked->arena != NULL && physics_metal.present(asked->problem)) {
        return fail(error, PW_USAGE, "%s", physics_metal.declined);
    }
    return asked->detail == NULL ? PW_OK : fail(error, PW_USAGE, "it has no detail: one step a pass");
}

double plain_cost(const struct solver_request *asked)
{
    return (double)asked->count * PLAIN_STEP_NS + 1e-6 * PLAIN_CELL_FS * solver_cells(asked);
}

template <typename Real> pw_status create_plain(const struct solver_request *asked, void **state, pw_error *error)
{
    return cuda_guard(
        [&] {
            std::unique_ptr<stepping<Real>> own(new plain_stepping<Real>(asked->problem));
            return solver_create_engine(asked, std::move(own), state, error);
        },
        error);
}

pw_status plain_create(const struct solver_request *asked, void **state, pw_error *error)
{
    return asked->problem->precision == PW_SINGLE ? create_plain<float>(asked, state, error)
                                                  : create_plain<double>(asked, state, error);
}

} // namespace

CUDA_SOLVER(plain, "one kernel a step, either precision");
