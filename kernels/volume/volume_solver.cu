/* The solver "volume": three dimensions (maxwell3d) on the device, every scheme, either precision, two kernels a step
 * (volume_step.cu). Here is its line in the solver table; what it does is in volume_engine.h. */
#include "kernels/common/device_room.h"
#include "kernels/solver.h"
#include "kernels/tuning.h"
#include "kernels/volume/volume_engine.h"

namespace
{

/* Nothing is asked of the device: when it fails, creating the engine says so. */
pw_status volume_applicable(const struct solver_request *asked, pw_error *error)
{
    TRY(solver_takes_maxwell3d(asked->problem, error));
    return asked->detail == NULL ? PW_OK : fail(error, PW_USAGE, "it has no detail: one step a pass");
}

double volume_cost(const struct solver_request *asked)
{
    return (double)asked->count * (double)problem_nodes(asked->problem); /* the only one */
}

void volume_memory(const struct problem *problem, int runs, uint64_t *host, uint64_t *device)
{
    const spectra_plan spectra = spectra_plan_for(problem, runs, room_for_spectra(problem, runs, device_bytes_free()));
    *host = spectra.host + pole_nodes_host_bytes(problem);
    *device = volume_bytes(problem, runs) + spectra.device;
}

template <typename Real> pw_status create_engine(const struct solver_request *asked, void **state, pw_error *error)
{
    std::unique_ptr<volume_engine<Real>> made(new volume_engine<Real>());
    TRY(made->create(asked, error));
    *state = static_cast<volume_run *>(made.release());
    return PW_OK;
}

pw_status volume_create(const struct solver_request *asked, void **state, pw_error *error)
{
    char device[128];
    TRY(backend_cuda.probe(device, sizeof device, error));
    return cuda_guard(
        [&] {
            return asked->problem->precision == PW_SINGLE ? create_engine<float>(asked, state, error)
                                                          : create_engine<double>(asked, state, error);
        },
        error);
}

volume_run *own(void *state)
{
    return static_cast<volume_run *>(state);
}

pw_status volume_advance(void *state, int64_t steps, pw_error *error)
{
    return cuda_guard([&] { return own(state)->advance(steps, error); }, error);
}

pw_status volume_energy(void *state, int run, double *energy, pw_error *error)
{
    return cuda_guard([&] { return own(state)->energy(run, energy, error); }, error);
}

pw_status volume_read_field(void *state, int run, double *e, pw_error *error)
{
    return cuda_guard([&] { return own(state)->read_field(run, e, error); }, error);
}

pw_status volume_read_probes(void *state, int run, double *values, pw_error *error)
{
    return cuda_guard([&] { return own(state)->read_probes(run, values, error); }, error);
}

pw_status volume_read_spectra(void *state, int run, int first, int count, double *out, pw_error *error)
{
    return cuda_guard([&] { return own(state)->read_spectra(run, first, count, out, error); }, error);
}

pw_status volume_read_samples(void *state, int run, int first, int count, double *out, pw_error *error)
{
    return cuda_guard([&] { return own(state)->read_samples(run, first, count, out, error); }, error);
}

pw_status volume_save(void *state, int run, struct run_state *to, pw_error *error)
{
    return cuda_guard([&] { return own(state)->save(run, to, error); }, error);
}

pw_status volume_load(void *state, int run, const struct run_state *from, pw_error *error)
{
    return cuda_guard([&] { return own(state)->load(run, from, error); }, error);
}

void volume_destroy(void *state)
{
    delete own(state);
}

} // namespace

int volume_ensemble(const struct problem *problem)
{
    const uint64_t run_bytes = volume_bytes(problem, 1) + spectra_plan_for(problem, 1, UINT64_MAX).device;
    return device_ensemble(problem, run_bytes, VOLUME_ENSEMBLE_CELLS);
}

const struct solver cuda_volume = {
    .name = "volume",
    .description = "three dimensions: two kernels a step, either precision",
    .formulation = FORMULATION_MAXWELL3D,
    .applicable = volume_applicable,
    .cost = volume_cost,
    .memory = volume_memory,
    .create = volume_create,
    .advance = volume_advance,
    .energy = volume_energy,
    .read_field = volume_read_field,
    .read_probes = volume_read_probes,
    .read_spectra = volume_read_spectra,
    .read_samples = volume_read_samples,
    .save = volume_save,
    .load = volume_load,
    .destroy = volume_destroy,
};
