/* The solvers of three dimensions (maxwell3d) on the device: "volume", every scheme, either precision, two kernels a
 * step (volume_step.cu); "relay", the schemes that reach farther than yee in single precision, some steps as one launch
 * (relay/); and "sweep", yee in single precision with several steps a pass (sweep/). Here are their lines in
 * the solver table; what they do is in volume_engine.h. */
#include <string.h>

#include "kernels/common/device_room.h"
#include "kernels/common/shared_barrier.h"
#include "kernels/solver.h"
#include "kernels/tuning.h"
#include "kernels/turns/volume_turns.h"
#include "kernels/volume/sweep/sweep_parts.h"
#include "kernels/volume/volume_engine.h"

namespace
{

/* Nothing is asked of the device: when it fails, creating the engine says so. */
pw_status volume_applicable(const struct solver_request *asked, pw_error *error)
{
    TRY(solver_takes_maxwell3d(asked->problem, error));
    return asked->detail == NULL ? PW_OK : fail(error, PW_USAGE, "it has no detail: one step a pass");
}

/* Most steps a pass: as asked for, or as many as are fastest; 0 where that cannot be. */
int sweep_steps(const struct solver_request *asked)
{
    if (asked->detail == NULL) {
        return problem_nodes(asked->problem) >= SWEEP_DEEP_CELLS ? 3 : 2;
    }
    return strcmp(asked->detail, "2") == 0 ? 2 : strcmp(asked->detail, "3") == 0 ? 3 : 0;
}

/* Blocks have the shared memory that they want, quads of columns are in one layer of x at most, and a step adds nothing
 * at single places but what a pass knows. */
pw_status sweep_applicable(const struct solver_request *asked, pw_error *error)
{
    const struct problem *p = asked->problem;
    const struct axis *x = &p->axis[0];
    TRY(solver_takes_maxwell3d(p, error));
    if (asked->detail != NULL && sweep_steps(asked) == 0) {
        return fail(error, PW_USAGE, "its detail is the most steps a pass, 2 or 3");
    }
    if (p->precision != PW_SINGLE || p->reach != 1) {
        return fail(error, PW_USAGE, "it is for the scheme yee in single precision");
    }
    if (p->axis[2].uniform) {
        return fail(error, PW_USAGE, "it has no axis along which nothing changes");
    }
    if (x->high.cells > 0 && (x->count - x->high.cells) / 4 * 4 < x->low.cells) {
        return fail(error, PW_USAGE, "the absorber's layers along x are too close to each other");
    }
    if (!sweep_divides(std::max(p->axis[2].low.cells, p->axis[2].high.cells))) {
        return fail(error, PW_USAGE, "the absorber along z is too deep");
    }
    if (!device_has_shared_barriers()) {
        return fail(error, PW_USAGE, "it was not compiled for devices like this one");
    }
    const size_t shared = device_shared_limit();
    if (shared < SWEEP_SHARED) {
        return fail(error, PW_USAGE, "its blocks want %d bytes of shared memory, and the device gives %zu",
                    (int)SWEEP_SHARED, shared);
    }
    return PW_OK;
}

/* Most steps a pass: as asked for, or as many as are fastest; 0 where that cannot be. */
int relay_steps(const struct solver_request *asked)
{
    if (asked->detail == NULL) {
        return relay_steps_of(asked->problem->reach);
    }
    const char *digit = asked->detail;
    return digit[0] >= '1' && digit[0] <= '0' + RELAY_STEPS && digit[1] == '\0' ? digit[0] - '0' : 0;
}

/* Blocks have the shared memory that they want; parts that take turns are left to two kernels a step. */
pw_status relay_applicable(const struct solver_request *asked, pw_error *error)
{
    const struct problem *p = asked->problem;
    TRY(solver_takes_maxwell3d(p, error));
    if (asked->detail != NULL && relay_steps(asked) == 0) {
        return fail(error, PW_USAGE, "its detail is the most steps a pass, 1 to %d", (int)RELAY_STEPS);
    }
    if (!RELAY_BUILT) {
        return fail(error, PW_USAGE, "it is not in what toolkits before CUDA 12 build");
    }
    if (p->precision != PW_SINGLE || p->reach < 2) {
        return fail(error, PW_USAGE, "it is for single precision and the schemes that reach farther than yee");
    }
    if (asked->arena != NULL) {
        return fail(error, PW_USAGE, "it has no parts that take turns");
    }
    if (!relay_metal_suits(p)) {
        return fail(error, PW_USAGE,
                    "it is for rows beside metal that lie on the lines of differences, in their order");
    }
    for (int a = 0; a < 3; a++) {
        if (p->axis[a].uniform || p->axis[a].count < 2 * p->reach) {
            return fail(error, PW_USAGE, "the grid is not wide enough for two reaches along each axis");
        }
    }
    if (!device_has_shared_barriers()) {
        return fail(error, PW_USAGE, "it was not compiled for devices like this one");
    }
    const size_t shared = device_shared_limit();
    return shared >= RELAY_SHARED
               ? PW_OK
               : fail(error, PW_USAGE, "its blocks want %d bytes of shared memory, and the device gives %zu",
                      (int)RELAY_SHARED, shared);
}

/* Blocks of the largest reach would want more shared memory than there is (half/half_tile.h). */
pw_status half_applicable(const struct solver_request *asked, pw_error *error)
{
    const struct problem *p = asked->problem;
    if (!p->half) {
        return fail(error, PW_USAGE, "it is for fields that are kept in 16 bits (grid.storage: half)");
    }
    TRY(relay_applicable(asked, error));
    return p->reach <= HALF_REACH ? PW_OK
                                  : fail(error, PW_USAGE, "with grid.storage: half it is for all schemes but yee, dd4");
}

double volume_cost(const struct solver_request *asked)
{
    return (double)asked->count * (double)problem_nodes(asked->problem);
}

/* Cheaper where there are tiles enough for all multiprocessors; beside metal where passes have several steps. */
double relay_cost(const struct solver_request *asked)
{
    const struct problem *p = asked->problem;
    const bool single = relay_steps(asked) == 1 || relay_is_single(p);
    const int least = single ? RELAY_SINGLE_CELLS : RELAY_LEAST_CELLS;
    const bool faster = (double)problem_nodes(p) >= least && !(single && physics_metal.present(p));
    return volume_cost(asked) * (faster ? 0.85 : 1.2);
}

/* Cheaper where there are tiles enough for all multiprocessors, and room for the second set of fields. */
double sweep_cost(const struct solver_request *asked)
{
    const bool large = (double)problem_nodes(asked->problem) >= SWEEP_LEAST_CELLS;
    const uint64_t there = asked->arena != NULL ? asked->arena->size + VOLUME_KEPT_FREE : device_bytes_free();
    const bool room = volume_bytes(asked->problem, asked->count, 2) + VOLUME_KEPT_FREE <= there;
    return volume_cost(asked) * (large && room ? 0.6 : 1.5);
}

void memory_of(const struct problem *problem, int runs, int sets, uint64_t *host, uint64_t *device)
{
    const spectra_plan spectra =
        spectra_plan_for(problem, runs, room_for_spectra(problem, runs, sets, device_bytes_free()));
    *host = spectra.host + pole_nodes_host_bytes(problem);
    *device = volume_bytes(problem, runs, sets) + spectra.device;
}

void volume_memory(const struct problem *problem, int runs, uint64_t *host, uint64_t *device)
{
    memory_of(problem, runs, 1, host, device);
}

void sweep_memory(const struct problem *problem, int runs, uint64_t *host, uint64_t *device)
{
    memory_of(problem, runs, 2, host, device);
}

template <typename Real, typename Kept = Real>
pw_status create_engine(const struct solver_request *asked, const volume_way &way, void **state, pw_error *error)
{
    std::unique_ptr<volume_engine<Real, Kept>> made(new volume_engine<Real, Kept>());
    TRY(made->create(asked, way, error));
    *state = static_cast<volume_run *>(made.release());
    return PW_OK;
}

pw_status sweep_create(const struct solver_request *asked, void **state, pw_error *error)
{
    char device[128];
    TRY(backend_cuda.probe(device, sizeof device, error));
    return cuda_guard([&] { return create_engine<float>(asked, {sweep_steps(asked), false}, state, error); }, error);
}

pw_status relay_create(const struct solver_request *asked, void **state, pw_error *error)
{
    char device[128];
    TRY(backend_cuda.probe(device, sizeof device, error));
    return cuda_guard([&] { return create_engine<float>(asked, {relay_steps(asked), true}, state, error); }, error);
}

pw_status half_create(const struct solver_request *asked, void **state, pw_error *error)
{
    char device[128];
    TRY(backend_cuda.probe(device, sizeof device, error));
    return cuda_guard(
        [&] {
            return create_engine<float, uint16_t>(asked, {relay_steps(asked), true}, state, error);
        },
        error);
}

pw_status volume_create(const struct solver_request *asked, void **state, pw_error *error)
{
    char device[128];
    TRY(backend_cuda.probe(device, sizeof device, error));
    return cuda_guard(
        [&] {
            return asked->problem->precision == PW_SINGLE ? create_engine<float>(asked, {1, false}, state, error)
                                                          : create_engine<double>(asked, {1, false}, state, error);
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
    return cuda_guard([&] { return own(state)->energy(run, patch_of_grid(own(state)->problem), energy, error); },
                      error);
}

pw_status volume_energy_in(void *state, int run, const struct patch *box, double *energy, pw_error *error)
{
    return cuda_guard([&] { return own(state)->energy(run, *box, energy, error); }, error);
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

pw_status volume_patch(void *state, int run, const struct patch *patch, void *values, bool store, pw_error *error)
{
    return cuda_guard([&] { return own(state)->patch(run, patch, values, store, error); }, error);
}

pw_status volume_defer(void *state, bool on, void **queue, pw_error *error)
{
    return cuda_guard([&] { return own(state)->defer(on, queue, error); }, error);
}

void volume_destroy(void *state)
{
    delete own(state);
}

} // namespace

std::unique_ptr<turn_engine> volume_turn_engine(void *state)
{
    volume_engine<float> *single = dynamic_cast<volume_engine<float> *>(own(state));
    return single != NULL ? std::unique_ptr<turn_engine>(new volume_turns<float>(single))
                          : std::unique_ptr<turn_engine>(
                                new volume_turns<double>(static_cast<volume_engine<double> *>(own(state))));
}

int volume_ensemble(const struct problem *problem)
{
    const uint64_t run_bytes = volume_bytes(problem, 1, 1) + spectra_plan_for(problem, 1, UINT64_MAX).device;
    return device_ensemble(problem, run_bytes, VOLUME_ENSEMBLE_CELLS);
}

static const struct physics *const volume_takes[] = {&physics_tensors, &physics_metal, &physics_poles, &physics_planes,
                                                     NULL},
                                   *const relay_takes[] = {&physics_tensors, &physics_metal, &physics_poles,
                                                           &physics_planes, NULL},
                                   *const sweep_takes[] = {&physics_planes, NULL},
                                   *const half_takes[] = {&physics_metal, &physics_planes, &physics_half, NULL};

/* A line of the table: they differ in what they take, what it costs and how the engine steps. */
static constexpr struct solver line_of(const char *name, const char *description, const struct physics *const *takes,
                                       decltype(solver::applicable) applicable, decltype(solver::cost) cost,
                                       decltype(solver::memory) memory, decltype(solver::create) create)
{
    return {
        .name = name,
        .description = description,
        .formulation = FORMULATION_MAXWELL3D,
        .takes = takes,
        .applicable = applicable,
        .cost = cost,
        .memory = memory,
        .create = create,
        .advance = volume_advance,
        .energy = volume_energy,
        .energy_in = volume_energy_in,
        .read_field = volume_read_field,
        .read_probes = volume_read_probes,
        .read_spectra = volume_read_spectra,
        .read_samples = volume_read_samples,
        .save = volume_save,
        .load = volume_load,
        .patch = volume_patch,
        .defer = volume_defer,
        .destroy = volume_destroy,
    };
}

const struct solver cuda_volume = line_of("volume", "three dimensions: two kernels a step, either precision",
                                          volume_takes, volume_applicable, volume_cost, volume_memory, volume_create);

const struct solver cuda_relay =
    line_of("relay", "three dimensions: schemes that reach beyond yee, some steps as one launch, single precision",
            relay_takes, relay_applicable, relay_cost, volume_memory, relay_create);

/* Parts of a grid have no patches of it. */
static constexpr struct solver in_one_piece(struct solver line)
{
    line.patch = NULL;
    line.energy_in = NULL;
    return line;
}

const struct solver cuda_half =
    in_one_piece(line_of("half", "three dimensions: as relay, with fields in 16 bits (grid.storage: half)", half_takes,
                         half_applicable, volume_cost, volume_memory, half_create));

const struct solver cuda_sweep = line_of("sweep", "three dimensions: yee, two or three steps a pass, single precision",
                                         sweep_takes, sweep_applicable, sweep_cost, sweep_memory, sweep_create);
