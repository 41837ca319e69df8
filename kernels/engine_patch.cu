/* Patches of the runs of an engine (src/backend/patch.h): where its arrays have the values of a row. The copying is
 * patch/device_patch.cu's. */
#include "kernels/engine.h"

namespace
{

/* A place among the filter states along an axis, which stand at both of its ends; a symmetry plane's lie idle. */
template <typename Real> size_t filter_slot(const device_problem<Real> &d, int axis, int at)
{
    return (size_t)layer_index(at, axis == 0 ? d.nx : d.ny, d.layer, d.low_layer[axis]);
}

template <typename Real> patch_place poles_place(const engine<Real> *engine, struct patch_row *row)
{
    return {STATE_POLES, pole_nodes_place(engine->problem, engine->poles, row)};
}
template <> patch_place poles_place(const engine<float> *engine, struct patch_row *row)
{
    if (!engine->solver->takes_poles) {
        return {STATE_POLES, pole_nodes_place(engine->problem, engine->poles, row)};
    }
    if (row->state == 0) {
        return {PATCH_INCREMENTS, (size_t)row->j * engine->device.pitch + row->i};
    }
    return {STATE_POLES, pole_quads_place(engine->quads, row)};
}

/* The states of poles of a run. */
template <typename Real> Real *pole_states(const engine<Real> *engine, int run)
{
    return engine->poles.device.states + run * engine->poles.device.run_states;
}
template <> float *pole_states(const engine<float> *engine, int run)
{
    return engine->solver->takes_poles ? engine->quads.states[engine->now] + run * engine->quads.device.run_states
                                       : engine->poles.device.states + run * engine->poles.device.run_states;
}

} // namespace

template <typename Real> patch_place engine_patch_place(const engine<Real> *engine, struct patch_row *row)
{
    const device_problem<Real> &d = engine->device;
    const size_t row_of_nodes = (size_t)row->j * d.pitch;
    switch (row->array) {
    case STATE_EZ:
    case STATE_INCREMENT:
        return {row->array, row_of_nodes + row->i};
    case STATE_X_HALF:
    case STATE_X_NODE:
        return {row->array, (size_t)row->j * 2 * d.layer + filter_slot(d, 0, row->i)};
    case STATE_Y_HALF:
    case STATE_Y_NODE:
        return {row->array, filter_slot(d, 1, row->j) * d.pitch + row->i};
    case STATE_EDGES:
        return {row->array, (size_t)row->i};
    default:
        return poles_place(engine, row);
    }
}

template <typename Real> patch_bases engine_patch_bases(const engine<Real> *engine, int run)
{
    const device_problem<Real> &d = engine->device;
    const device_fields<Real> &f = engine->fields[engine->now];
    patch_bases bases = {};
    bases.of[STATE_EZ] = f.e + run * d.cells;
    bases.of[STATE_INCREMENT] = bases.of[PATCH_INCREMENTS] = f.v + run * d.cells;
    bases.of[STATE_X_HALF] = f.x_half + run * d.x_states;
    bases.of[STATE_X_NODE] = f.x_node + run * d.x_states;
    bases.of[STATE_Y_HALF] = f.y_half + run * d.y_states;
    bases.of[STATE_Y_NODE] = f.y_node + run * d.y_states;
    bases.of[STATE_EDGES] = engine->edges.memory + run * engine->edges.run_memory;
    bases.of[STATE_POLES] = pole_states(engine, run);
    return bases;
}

template <typename Real>
pw_status engine_patch(engine<Real> *engine, int run, const struct patch *patch, void *values, bool store,
                       pw_error *error)
{
    const device_locate locate = [engine](struct patch_row *row) { return engine_patch_place(engine, row); };
    const patch_request request = {engine->problem, patch,          engine_patch_bases(engine, run),
                                   locate,          engine->stream, false};
    return device_patch_copy(&engine->patches, request, values, store, error);
}

#define INSTANTIATE(Real)                                                                                              \
    template patch_place engine_patch_place<Real>(const engine<Real> *, struct patch_row *);                           \
    template patch_bases engine_patch_bases<Real>(const engine<Real> *, int);                                          \
    template pw_status engine_patch<Real>(engine<Real> *, int, const struct patch *, void *, bool, pw_error *);
INSTANTIATE(float)
INSTANTIATE(double)
