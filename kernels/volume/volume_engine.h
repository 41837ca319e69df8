/* An engine in three dimensions: the runs of a request on the device, their memory, their steps with what is recorded
 * on the way, their state in and out. Runs of several transmitters step beside each other. Leaves out: the
 * kernels (volume_step.cu) and the solver table (volume_solver.cu). */
#ifndef KERNELS_VOLUME_ENGINE_H
#define KERNELS_VOLUME_ENGINE_H

#include <algorithm>

#include "kernels/patch/volume_patch.h"
#include "kernels/spectra/spectra_store.h"
#include "kernels/volume/half/volume_half.h"
#include "kernels/volume/relay/relay.h"
#include "kernels/volume/rest/volume_rest.h"
#include "kernels/volume/sweep/volume_passes.h"
#include "kernels/volume/volume_lanes.h"
#include "kernels/volume/volume_layout.h"
#include "kernels/volume/volume_places.h"
#include "kernels/volume/volume_states.h"

/* How an engine steps: one step a pass or several, and one as one launch or as two kernels. */
struct volume_way {
    int steps_a_pass;
    bool one_launch;
};

/* `Kept`: what fields are kept as, uint16_t in units of eight (half/): then a step is one launch, and what that does
 * not know no such engine is for. */
template <typename Real, typename Kept = Real> struct volume_engine : volume_run {
    static constexpr bool halves = !std::is_same<Real, Kept>::value;
    typedef std::vector<volume_fields<Real, Kept>> field_set;
    typedef typename pair_of<Real>::type pair;
    using volume_run::problem;
    int first = 0, count = 0;
    int64_t step = 0;
    device_volume<Real> volume = {};
    field_set fields;    /* of every run */
    bool sweeps = false; /* several steps a pass where it can be */
    volume_passes<Real> passes;
    volume_rest<Real> rest;
    bool one_launch = false; /* a step, or several, is one launch, not two kernels */
    bool deferred = false;   /* steps and patches are not waited for */
    bool alone = false;      /* every step adds what passes do not know: tilted walls, poles */
    volume_relays<Real, Kept> relays;
    std::vector<device_dipole<Real>> sources;
    device_receivers<Real> receivers = {};
    device_tensors<Real> tensors = {};
    device_metal<Real> metal = {};
    pole_nodes<Real> poles;
    Real *record = NULL; /* (runs, steps, probes) */
    const device_place *points = NULL;
    spectra_store<Real> spectra = {};
    double *partial = NULL;     /* (ENERGY_BLOCKS) */
    cudaStream_t stream = NULL; /* of what all runs share */
    volume_lanes lanes;
    device_memory memory;
    device_patches patches;

    ~volume_engine() override
    {
        /* On the way out nothing can be done about a failure. */
        spectra_free(&spectra);
        (void)(stream != NULL && cudaStreamDestroy(stream));
    }

    /* ---- creation ---- */

    volume_places places() const
    {
        return {problem, volume.pitch, volume.plane};
    }
    device_place place_of(int64_t place) const
    {
        return places().place_of(place);
    }

    pw_status create_axes(pw_error *error)
    {
        for (int a = 0; a < 3; a++) {
            const struct axis *axis = &problem->axis[a];
            std::vector<device_filter<Real>> half(axis->count), node(axis->count);
            volume.n[a] = axis->count;
            volume.low[a] = axis->low.cells;
            volume.high[a] = axis->high.cells;
            volume.symmetric[a] = axis->low.symmetric;
            volume.flat = axis->uniform; /* the last axis alone may be */
            for (int i = 0; i < axis->count; i++) {
                half[i] = filter_for_device<Real>(axis->half[i]);
                node[i] = filter_for_device<Real>(axis->node[i]);
            }
            TRY(device_copy(&memory, &volume.half[a], half, "absorber profiles", error));
            TRY(device_copy(&memory, &volume.node[a], node, "absorber profiles", error));
        }
        const volume_layout layout = volume_layout_of(problem);
        volume.pitch = layout.pitch;
        volume.plane = layout.plane;
        volume.width = layout.width;
        volume.filters_x = (int)filter_width(problem, 0);
        volume.high_x = filter_high_slot(problem);
        int device = 0;
        CUDA_TRY(cudaGetDevice(&device));
        CUDA_TRY(cudaDeviceGetAttribute(&volume.processors, cudaDevAttrMultiProcessorCount, device));
        for (int l = 0; l < problem->reach; l++) {
            volume.tap[l] = (Real)problem->difference[l];
        }
        return PW_OK;
    }

    pw_status create_medium(pw_error *error)
    {
        std::vector<pair> values(problem->coefficient_count);
        for (int k = 0; k < problem->coefficient_count; k++) {
            const double *row = problem_coefficient(problem, k);
            values[k] = {(Real)row[COEFFICIENT_CA], (Real)row[COEFFICIENT_CB]};
        }
        TRY(device_copy(&memory, &volume.coefficients, values, "coefficients", error));
        for (int c = 0; c < 3; c++) {
            TRY(device_copy(&memory, &volume.layer[c], (const int *)problem->layer[c], (size_t)volume.n[2], "layers",
                            error));
        }
        uint16_t *index = NULL;
        const size_t width = 2 * (size_t)volume.n[0];
        const size_t rows = (size_t)volume.n[1] * problem->layer_count;
        TRY(device_array(&memory, &index, rows * volume.width, "coefficient indices", error));
        CUDA_TRY(cudaMemcpy2D(index, 2 * (size_t)volume.width, problem->coefficient_index, width, width, rows,
                              cudaMemcpyHostToDevice));
        device_keep(&memory);
        volume.index = index;
        return PW_OK;
    }

    pw_status create_set(field_set *set, pw_error *error)
    {
        const volume_layout layout = volume_layout_of(problem);
        set->resize(count);
        for (volume_fields<Real, Kept> &own : *set) {
            for (Kept *&field : own.field) {
                TRY(device_array(&memory, &field, layout.values, "the fields", error));
                field += layout.first + (sweeps ? SWEEP_SHIFT : 0);
            }
            for (int a = 0; a < 3; a++) {
                const size_t values = filter_rows(problem, a) * filter_width(problem, a) + SWEEP_SHIFT;
                for (Real *&filter : own.filter[a]) {
                    TRY(device_array(&memory, &filter, values, "absorber states", error));
                    filter += sweeps && a > 0 ? SWEEP_SHIFT : 0;
                }
            }
        }
        return PW_OK;
    }

    pw_status create_receivers(pw_error *error)
    {
        TRY(volume_receivers_create(places(), &memory, &receivers, error));
        return device_array(&memory, &record, (size_t)count * problem->steps * problem->probe_count,
                            "the probes' record", error);
    }

    /* After all other memory. */
    pw_status create_spectra(pw_error *error)
    {
        std::vector<device_place> sampled;
        const struct spectra *s = &problem->spectra;
        for (int n = 0; n < s->sheet_count && s->frequency_count > 0; n++) {
            const struct spectra_sheet *sheet = &s->sheets[n];
            for (int r = 0; r < sheet->rows; r++) {
                for (int c = 0; c < sheet->columns; c++) {
                    sampled.push_back(place_of(sheet->first + c * sheet->column_stride + r * sheet->row_stride));
                }
            }
        }
        TRY(device_copy(&memory, &points, sampled, "points of the spectra", error));
        TRY(device_array(&memory, &partial, ENERGY_BLOCKS, "the energy", error));
        size_t available = 0, total = 0;
        CUDA_TRY(cudaMemGetInfo(&available, &total));
        const uint64_t room = available > VOLUME_KEPT_FREE ? available - VOLUME_KEPT_FREE : 0;
        const spectra_plan plan =
            memory.arena != NULL ? spectra_plan_in_turns(problem, count) : spectra_plan_for(problem, count, room);
        return ::spectra_create(problem, count, plan, &memory, &spectra, error);
    }

    pw_status create(const struct solver_request *asked, const volume_way &way, pw_error *error)
    {
        problem = asked->problem;
        one_launch = way.one_launch;
        alone = relay_is_single(problem);
        sweeps = way.steps_a_pass > 1 && !one_launch;
        passes.most = way.steps_a_pass;
        relays.most = alone ? 1 : way.steps_a_pass;
        first = asked->first;
        count = asked->count;
        memory.arena = asked->arena;
        TRY(memory.arena != NULL ? PW_OK : volume_check_memory(problem, count, sweeps ? 2 : 1, error));
        CUDA_TRY(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        TRY(lanes.create(count, error));
        TRY(create_axes(error));
        TRY(create_medium(error));
        TRY(volume_tensors_create(places(), &memory, &tensors, error));
        TRY(one_launch && !alone ? PW_OK : volume_metal_create(places(), &memory, &metal, error));
        TRY(create_set(&fields, error));
        TRY(volume_sources_create(places(), first, count, &memory, &sources, error));
        TRY(pole_nodes_create(problem, {(size_t)volume.pitch, volume.plane}, count, &memory, &poles, error));
        TRY(create_receivers(error));
        if constexpr (!halves) {
            TRY(sweeps ? create_set(&passes.other, error) : PW_OK);
        }
        TRY(sweeps ? passes.create(problem, volume, first, count, &memory, error) : PW_OK);
        TRY(rest.create(*asked, &memory, error));
        TRY(one_launch ? relays.create(problem, volume, first, fields, &memory, error) : PW_OK);
        TRY(create_spectra(error));
        CUDA_TRY(cudaDeviceSynchronize());
        return PW_OK;
    }

    /* ---- steps ---- */

    Real *record_of(int run, int64_t at) const
    {
        return record + ((size_t)run * problem->steps + at) * problem->probe_count;
    }

    pw_status flush(pw_error *error)
    {
        return spectra_flush(&spectra, step / problem->spectra.every, stream, error);
    }

    pass_given<Real> given(int run) const
    {
        return {volume, rest.view(run), receivers, sources[run], record_of(run, step)};
    }

    pw_status step_run([[maybe_unused]] int run, pw_error *error)
    {
        if constexpr (halves) {
            return fail(error, PW_USAGE, "fields in 16 bits are stepped in passes alone");
        } else {
            return step_run_alone(run, error);
        }
    }

    pw_status step_run_alone(int run, pw_error *error)
    {
        cudaStream_t lane = lanes.own[run];
        TRY(one_launch ? relays.go(given(run), problem->reach, fields[run], run, step, 1, lane, error)
                       : volume_step(volume, problem->reach, fields[run], rest.view(run), metal, lane, error));
        TRY(volume_tensors(volume, problem->reach, fields[run], tensors, lane, error));
        TRY(volume_metal(fields[run], metal, false, lane, error));
        TRY(volume_drive(fields[run], sources[run], step, lane, error));
        Real *const *e = fields[run].field;
        TRY(pole_nodes_answer(poles.device, {{e[0], e[1], e[2]}, NULL, 0}, run, 1, lane, error));
        return volume_probe(fields[run], receivers, record_of(run, step), lane, error);
    }

    /* How many of so many steps go in one pass: none passes a sample of the spectra. */
    int pass_of(int64_t steps) const
    {
        if (problem->spectra.frequency_count > 0) {
            steps = std::min<int64_t>(steps, problem->spectra.every - step % problem->spectra.every);
        }
        return sweeps ? volume_pass_of(steps, passes.most) : one_launch ? relay_pass_of(steps, relays.most) : 1;
    }

    pw_status go(int run, int steps, pw_error *error)
    {
        if (one_launch && !alone) {
            return relays.go(given(run), problem->reach, fields[run], run, step, steps, lanes.own[run], error);
        }
        if constexpr (!halves) {
            if (steps > 1) {
                return passes.go(given(run), run, step, steps, &fields[run], lanes.own[run], error);
            }
        }
        return step_run(run, error);
    }

    pw_status sample(pw_error *error)
    {
        if (problem->spectra.frequency_count == 0 || step % problem->spectra.every != 0) {
            return PW_OK;
        }
        for (int run = 0; run < count; run++) {
            TRY(volume_sample(fields[run], points, (size_t)problem->spectra.rows,
                              spectra.run_samples(run) + spectra.pending * spectra.shape.cells, lanes.own[run], error));
        }
        if (++spectra.pending == spectra.plan.block) {
            TRY(lanes.join(stream, error));
            TRY(flush(error));
            TRY(lanes.fork(stream, error));
        }
        return PW_OK;
    }

    pw_status advance(int64_t steps, pw_error *error) override
    {
        TRY(solver_check_advance(problem, step, steps, error));
        TRY(deferred ? lanes.fork(stream, error) : PW_OK); /* after the patches that are under way */
        while (steps > 0) {
            const int some = pass_of(steps);
            for (int run = 0; run < count; run++) {
                TRY(rest.look(volume, fields[run], run, step, some, lanes.own[run], error));
                TRY(go(run, some, error));
            }
            step += some;
            steps -= some;
            TRY(sample(error));
        }
        TRY(lanes.join(stream, error));
        return deferred ? PW_OK : settle(error);
    }

    pw_status settle(pw_error *error)
    {
        CUDA_TRY(cudaStreamSynchronize(stream));
        for (int run = 0; run < count; run++) {
            TRY(rest.settle(run, error));
        }
        return PW_OK;
    }

    pw_status defer(bool on, void **queue, pw_error *error) override
    {
        deferred = on;
        *queue = stream;
        TRY(on ? PW_OK : lanes.join(stream, error));
        return on ? PW_OK : settle(error);
    }

    /* ---- in and out ---- */

    pw_status energy(int run, const struct patch &box, double *sum, pw_error *error) override
    {
        const energy_extent extent = {box.count[0], box.count[1], box.count[2], volume.pitch, volume.plane};
        const size_t from =
            (size_t)box.first[2] * volume.plane + (size_t)box.first[1] * (size_t)volume.pitch + (size_t)box.first[0];
        *sum = 0;
        for (int c = 0; c < 3; c++) {
            double part = 0;
            TRY(energy_sum(extent, fields[run].field[c] + from, partial, &part, stream, error));
            *sum += part;
        }
        return PW_OK;
    }

    /* Part by part, so that the host holds no second copy of a large field. */
    pw_status read_component(int run, int c, double *to, pw_error *error) const
    {
        const size_t nx = volume.n[0], ny = volume.n[1];
        for (int k = 0; k < volume.n[2]; k++) {
            const Kept *level = fields[run].field[c] + k * volume.plane;
            TRY(read_values(level, (size_t)volume.pitch, to + k * nx * ny, nx, ny, error));
        }
        return PW_OK;
    }

    pw_status write_component(int run, int c, const double *from, pw_error *error) const
    {
        const size_t nx = volume.n[0], ny = volume.n[1];
        for (int k = 0; k < volume.n[2]; k++) {
            Kept *level = fields[run].field[c] + k * volume.plane;
            TRY(write_values(level, (size_t)volume.pitch, from + k * nx * ny, nx, ny, error));
        }
        return PW_OK;
    }

    pw_status read_field(int run, double *e, pw_error *error) override
    {
        for (int c = 0; c < 3; c++) {
            TRY(read_component(run, c, e + c * problem_nodes(problem), error));
        }
        return PW_OK;
    }

    pw_status read_probes(int run, double *values, pw_error *error) override
    {
        size_t probes = problem->probe_count;
        return read_values(record_of(run, 0), probes, values, probes, (size_t)step, error);
    }

    pw_status read_spectra(int run, int row_first, int row_count, double *out, pw_error *error) override
    {
        TRY(flush(error));
        CUDA_TRY(cudaStreamSynchronize(stream));
        return spectra_read(&spectra, run, row_first, row_count, out, error);
    }

    pw_status read_samples(int run, int row_first, int row_count, double *out, pw_error *error) override
    {
        TRY(flush(error));
        CUDA_TRY(cudaStreamSynchronize(stream));
        return spectra_read_samples(&spectra, run, row_first, row_count, out, error);
    }

    pw_status save(int run, struct run_state *to, pw_error *error) override
    {
        to->step = step;
        for (int c = 0; c < 6; c++) {
            TRY(to->field[c] != NULL ? read_component(run, c, to->field[c], error) : PW_OK);
        }
        for (int a = 0; a < 3; a++) {
            for (int q = 0; q < 4; q++) {
                TRY(to->filter[a][q] != NULL
                        ? volume_read_filters(problem, a, fields[run].filter[a][q], to->filter[a][q], error)
                        : PW_OK);
            }
        }
        TRY(to->poles != NULL ? pole_nodes_read(problem, poles, run, to->poles, error) : PW_OK);
        const bool some = problem->spectra.frequency_count > 0;
        TRY(to->spectra != NULL && some ? read_spectra(run, 0, problem->spectra.rows, to->spectra, error) : PW_OK);
        TRY(to->samples != NULL && some ? read_samples(run, 0, problem->spectra.rows, to->samples, error) : PW_OK);
        return to->probes != NULL ? read_probes(run, to->probes, error) : PW_OK;
    }

    pw_status load(int run, const struct run_state *from, pw_error *error) override
    {
        TRY(solver_check_load(problem, from, error));
        TRY(flush(error)); /* of the other runs */
        CUDA_TRY(cudaStreamSynchronize(stream));
        for (int c = 0; c < 6; c++) {
            TRY(from->field[c] != NULL ? write_component(run, c, from->field[c], error) : PW_OK);
        }
        for (int a = 0; a < 3; a++) {
            for (int q = 0; q < 4; q++) {
                TRY(from->filter[a][q] != NULL
                        ? volume_write_filters(problem, a, fields[run].filter[a][q], from->filter[a][q], error)
                        : PW_OK);
            }
        }
        TRY(from->poles != NULL ? pole_nodes_write(problem, poles, run, from->poles, error) : PW_OK);
        TRY(spectra_load(&spectra, run, from, error));
        if (from->probes != NULL) {
            size_t probes = problem->probe_count;
            TRY(write_values(record_of(run, 0), probes, from->probes, probes, (size_t)from->step, error));
        }
        step = from->step;
        CUDA_TRY(cudaDeviceSynchronize()); /* the fields are there */
        /* A relay fills those of h as it goes, but not where all is at rest. */
        TRY(one_launch ? volume_ghosts(volume, problem->reach, 3, fields[run], stream, error) : PW_OK);
        TRY(rest.replaced(volume, fields[run], run, step, stream, error));
        CUDA_TRY(cudaDeviceSynchronize());
        return PW_OK;
    }

    patch_place patch_place_of(struct patch_row *row) const
    {
        return row->array == STATE_POLES ? patch_place{STATE_POLES, pole_nodes_place(problem, poles, row)}
                                         : volume_patch_place(problem, row);
    }
    patch_bases patch_bases_of(int run) const
    {
        patch_bases bases = volume_patch_bases(fields[run]);
        bases.of[STATE_POLES] = poles.device.states + run * poles.device.run_states;
        return bases;
    }

    pw_status patch([[maybe_unused]] int run, [[maybe_unused]] const struct patch *patch, [[maybe_unused]] void *values,
                    [[maybe_unused]] bool store, pw_error *error) override
    {
        if constexpr (halves) {
            return fail(error, PW_USAGE, "fields in 16 bits have no patches");
        } else {
            return patch_alone(run, patch, values, store, error);
        }
    }

    pw_status patch_alone(int run, const struct patch *patch, void *values, bool store, pw_error *error)
    {
        const device_locate locate = [this](struct patch_row *row) { return patch_place_of(row); };
        TRY(device_patch_copy(&patches, {problem, patch, patch_bases_of(run), locate, stream, deferred}, values, store,
                              error));
        return store ? PW_OK : rest.filled(*patch, run, lanes.own[run], error);
    }
};

#endif
