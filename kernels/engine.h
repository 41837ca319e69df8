/* An engine: a group of runs on the device. It owns their memory and knows how far they are; how the fields move on is
 * its stepping, one of each solver (plain/, tile/, march/, resident/).
 *
 *     engine_create.cu     memory, medium, sources and probes
 *     engine_advance.cu    steps, and samples of the spectra on the way
 *     engine_state.cu      reading, saving and loading
 *     engine_patch.cu      boxes of a state, in and out
 *     solver.cu            the functions of the solver table, which call these */
#ifndef ENGINE_H
#define ENGINE_H

#include <memory>

#include "kernels/common/boxes.h"
#include "kernels/metal/metal_nodes.h"
#include "kernels/mur/mur_edges.h"
#include "kernels/patch/device_patch.h"
#include "kernels/poles/pole_nodes.h"
#include "kernels/poles/pole_quads.h"
#include "kernels/spectra/spectra_store.h"

template <typename Real> struct engine;

/* How one solver moves the fields on, with what it alone holds on the device. */
template <typename Real> struct stepping {
    box_set set = {}; /* the partition, made before the engine; its list of probes is the engine's */
    int depth = 1;    /* most steps a pass over memory */
    /* The kernels that step take the samples of the spectra, too, at any step; else every sample ends a batch. */
    bool takes_samples = false;
    /* Its passes step dispersive nodes, whose states are engine->quads; else they answer after each pass, which is then
     * of one step (engine_answer_poles). */
    bool takes_poles = false;

    virtual ~stepping() = default;
    /* Device memory for the partition; the engine's medium, fields and events are there. */
    virtual pw_status create(engine<Real> *engine, pw_error *error) = 0;
    /* Steps engine->step, engine->step + 1, ... of all runs; leaves the state in fields[now]. */
    virtual pw_status advance(engine<Real> *engine, int64_t steps, pw_error *error) = 0;
};

template <typename Real> struct engine {
    const struct problem *problem;
    int first, count; /* runs: the sources first .. first + count - 1 */
    int64_t step;     /* steps done */
    int now;          /* fields[now] is the state */
    std::unique_ptr<stepping<Real>> solver;
    device_problem<Real> device;
    device_fields<Real> fields[2]; /* their Ez may lie where a sample of the spectra belongs */
    Real *own_e[2];                /* else it lies here */
    device_events<Real> events;
    pole_nodes<Real> poles; /* of these two one is empty, by stepping.takes_poles */
    pole_quads quads;
    pole_probes answered; /* probes in dispersive nodes that answer after the pass */
    mur_edges<Real> edges;
    metal_nodes<Real> metal; /* nodes that have a row beside metal */
    spectra_store<Real> spectra;
    double *partial; /* (ENERGY_BLOCKS) */
    int64_t taken;   /* samples when the batch under way began */
    int processors;  /* multiprocessors */
    cudaStream_t stream;
    device_memory memory;
    device_patches patches;
    std::vector<device_source> sources;
};

/* engine_create.cu */

/* Bytes that `runs` runs hold on the host and on the device, given what is free there now. */
void engine_memory(const struct problem *problem, int runs, uint64_t *host, uint64_t *device);

/* Bytes on the device of an engine that shares its memory with others (device_arena). */
uint64_t engine_bytes_in_turns(const struct problem *problem, int runs);

/* How many runs are best advanced together. */
int engine_ensemble(const struct problem *problem);

/* Fields at rest; *out is NULL unless PW_OK. */
template <typename Real>
pw_status engine_create(const struct solver_request *asked, std::unique_ptr<stepping<Real>> solver, engine<Real> **out,
                        pw_error *error);

/* NULL is allowed. */
template <typename Real> void engine_destroy(engine<Real> *engine);

/* engine_advance.cu: steps all runs; samples of the spectra are taken on the way. */
template <typename Real> pw_status engine_advance(engine<Real> *engine, int64_t steps, pw_error *error);

/* Adds the groups of samples that are whole. */
template <typename Real> pw_status engine_flush(engine<Real> *engine, pw_error *error);

/* Where the sample that is due after `step` steps belongs among those that the spectra hold. */
template <typename Real> int64_t engine_sample_slot(const engine<Real> *engine, int64_t step)
{
    const spectra_store<Real> &s = engine->spectra;
    return step / s.shape.every - 1 - engine->taken + s.pending;
}

/* The pass of `steps` steps that begins at the state. Its Ez is written straight to the place of the sample that is due
 * at its end, if samples are laid out as Ez is. */
template <typename Real> pass<Real> engine_begin_pass(engine<Real> *engine, int steps)
{
    const spectra_store<Real> &s = engine->spectra;
    int64_t end = engine->step + steps;
    bool due = s.shape.as_fields && end % s.shape.every == 0;
    device_fields<Real> *out = &engine->fields[1 - engine->now];
    out->e = due ? s.samples + engine_sample_slot(engine, end) * s.shape.cells : engine->own_e[1 - engine->now];
    device_pole_quads poles = engine->quads.device;
    poles.in = engine->quads.states[engine->now];
    poles.out = engine->quads.states[1 - engine->now];
    return {
        engine->fields[engine->now], *out, engine->events, engine->step, steps, engine->count, engine->stream, poles};
}

/* After the kernels of a pass of one step that leave dispersive nodes out: they answer. Probes in them have been
 * recorded too early. */
template <typename Real>
pw_status engine_answer_poles(const engine<Real> *engine, const pass<Real> &pass, pw_error *error)
{
    const device_fields<Real> &out = pass.out;
    const size_t between = engine->device.cells;
    TRY(pole_nodes_answer(engine->poles.device, {{out.v}, out.e, between}, 0, pass.runs, pass.stream, error));
    return pole_probes_record(engine->answered, pass, between, error);
}

/* The pass is launched: what it writes is the state. */
template <typename Real> void engine_end_pass(engine<Real> *engine, int steps)
{
    engine->now = 1 - engine->now;
    engine->step += steps;
}

/* engine_state.cu: as struct solver has them. */
template <typename Real>
pw_status engine_energy(engine<Real> *engine, int run, const struct patch &box, double *energy, pw_error *error);
template <typename Real> pw_status engine_read_field(engine<Real> *engine, int run, double *ez, pw_error *error);
template <typename Real> pw_status engine_read_probes(engine<Real> *engine, int run, double *ez, pw_error *error);
template <typename Real>
pw_status engine_read_spectra(engine<Real> *engine, int run, int row_first, int row_count, double *out,
                              pw_error *error);
template <typename Real>
pw_status engine_read_samples(engine<Real> *engine, int run, int row_first, int row_count, double *out,
                              pw_error *error);
template <typename Real> pw_status engine_save(engine<Real> *engine, int run, struct run_state *to, pw_error *error);
template <typename Real>
pw_status engine_load(engine<Real> *engine, int run, const struct run_state *from, pw_error *error);

/* engine_patch.cu: where the arrays of a run are now, and a row of a patch in them. */
template <typename Real> patch_bases engine_patch_bases(const engine<Real> *engine, int run);
template <typename Real> patch_place engine_patch_place(const engine<Real> *engine, struct patch_row *row);
/* As struct solver has it; `values` is memory of the host or of a device. */
template <typename Real>
pw_status engine_patch(engine<Real> *engine, int run, const struct patch *patch, void *values, bool store,
                       pw_error *error);

#endif
