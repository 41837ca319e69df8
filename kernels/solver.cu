/* What the solvers of the CUDA backend share: the functions of their table that work on an engine, and the way to a
 * partition. Leaves out: what a solver is applicable to and what it costs (NAME_solver.cu in its folder). */
#include "kernels/solver.h"
#include "kernels/turns/plane_turns.h"

#include <stdlib.h>

namespace
{

/* What struct solver calls the state. */
struct cuda_state {
    engine<float> *single;
    engine<double> *twice; /* one of the two is NULL */
};

engine<float> *&engine_of(cuda_state *state, float)
{
    return state->single;
}

engine<double> *&engine_of(cuda_state *state, double)
{
    return state->twice;
}

/* The action on the engine of this state's precision. */
template <typename Action> pw_status for_engine(void *state, const Action &action, pw_error *error)
{
    cuda_state *own = (cuda_state *)state;
    return cuda_guard([&] { return own->single != NULL ? action(own->single) : action(own->twice); }, error);
}

/* "4": the most steps a pass. */
pw_status parse_detail(const char *text, int *detail, pw_error *error)
{
    char *end = NULL;
    long steps = text != NULL ? strtol(text, &end, 10) : 0;
    if (text != NULL && (end == text || *end != '\0' || steps < 1 || steps > 1000)) {
        return fail(error, PW_USAGE, "its detail is the most steps a pass, from 1 to 1000, not '%s'", text);
    }
    *detail = (int)steps;
    return PW_OK;
}

} // namespace

pw_status cuda_request_read(const struct solver_request *asked, cuda_request *request, pw_error *error)
{
    TRY(solver_takes_even_tm2d(asked->problem, error));
    TRY(solver_takes_far_planes(asked->problem, error));
    if (asked->problem->precision != PW_SINGLE) {
        return fail(error, PW_USAGE, "it steps in single precision alone");
    }
    int device = 0, shared = 0;
    *request = {asked, 0, 0, 0};
    TRY(parse_detail(asked->detail, &request->detail, error));
    CUDA_TRY(cudaGetDevice(&device));
    CUDA_TRY(cudaDeviceGetAttribute(&request->processors, cudaDevAttrMultiProcessorCount, device));
    CUDA_TRY(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    request->shared_limit = (size_t)shared - 1024; /* 1 kB is the system's */
    return PW_OK;
}

template <typename Real>
pw_status solver_create_engine(const struct solver_request *asked, std::unique_ptr<stepping<Real>> own, void **state,
                               pw_error *error)
{
    char device[128];
    TRY(backend_cuda.probe(device, sizeof device, error));
    std::unique_ptr<cuda_state> made(new cuda_state());
    TRY(engine_create(asked, std::move(own), &engine_of(made.get(), Real()), error));
    *state = made.release();
    return PW_OK;
}

template pw_status solver_create_engine<float>(const struct solver_request *, std::unique_ptr<stepping<float>>, void **,
                                               pw_error *);
template pw_status solver_create_engine<double>(const struct solver_request *, std::unique_ptr<stepping<double>>,
                                                void **, pw_error *);

/* ---- the table's functions --------------------------------------------------------------------------------------- */

void cuda_memory(const struct problem *problem, int runs, uint64_t *host, uint64_t *device)
{
    engine_memory(problem, runs, host, device);
}

pw_status cuda_advance(void *state, int64_t steps, pw_error *error)
{
    return for_engine(
        state, [&](auto *engine) { return engine_advance(engine, steps, error); }, error);
}

pw_status cuda_energy(void *state, int run, double *energy, pw_error *error)
{
    return for_engine(
        state, [&](auto *engine) { return engine_energy(engine, run, patch_of_grid(engine->problem), energy, error); },
        error);
}

pw_status cuda_energy_in(void *state, int run, const struct patch *box, double *energy, pw_error *error)
{
    return for_engine(
        state, [&](auto *engine) { return engine_energy(engine, run, *box, energy, error); }, error);
}

pw_status cuda_read_field(void *state, int run, double *ez, pw_error *error)
{
    return for_engine(
        state, [&](auto *engine) { return engine_read_field(engine, run, ez, error); }, error);
}

pw_status cuda_read_probes(void *state, int run, double *ez, pw_error *error)
{
    return for_engine(
        state, [&](auto *engine) { return engine_read_probes(engine, run, ez, error); }, error);
}

pw_status cuda_read_spectra(void *state, int run, int row_first, int row_count, double *out, pw_error *error)
{
    return for_engine(
        state, [&](auto *engine) { return engine_read_spectra(engine, run, row_first, row_count, out, error); }, error);
}

pw_status cuda_read_samples(void *state, int run, int row_first, int row_count, double *out, pw_error *error)
{
    return for_engine(
        state, [&](auto *engine) { return engine_read_samples(engine, run, row_first, row_count, out, error); }, error);
}

pw_status cuda_save(void *state, int run, struct run_state *to, pw_error *error)
{
    return for_engine(
        state, [&](auto *engine) { return engine_save(engine, run, to, error); }, error);
}

pw_status cuda_load(void *state, int run, const struct run_state *from, pw_error *error)
{
    return for_engine(
        state, [&](auto *engine) { return engine_load(engine, run, from, error); }, error);
}

pw_status cuda_patch(void *state, int run, const struct patch *patch, void *values, bool store, pw_error *error)
{
    return for_engine(
        state, [&](auto *engine) { return engine_patch(engine, run, patch, values, store, error); }, error);
}

void cuda_destroy(void *state)
{
    cuda_state *own = (cuda_state *)state;
    if (own != NULL) {
        engine_destroy(own->single);
        engine_destroy(own->twice);
        delete own;
    }
}

std::unique_ptr<turn_engine> plane_turn_engine(void *state)
{
    cuda_state *own = (cuda_state *)state;
    return own->single != NULL ? std::unique_ptr<turn_engine>(new plane_turns<float>(own->single))
                               : std::unique_ptr<turn_engine>(new plane_turns<double>(own->twice));
}
