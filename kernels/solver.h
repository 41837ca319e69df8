/* The solvers of the CUDA backend, from the fastest to the plainest; all give the same bits. A detail after the name is
 * the most steps a pass over memory, as in "march:4".
 *
 *     resident    the whole grid stays on the chip, nodes in registers, borders exchanged at every step
 *     streamed    Ez stays on the chip, the rest of the state goes through the second-level cache
 *     march       a march through registers, several steps a pass, and a border beside it that does absorber and walls
 *     tile        tiles in shared memory everywhere, several steps a pass
 *     plain       one kernel a step, either precision; new physics arrives here first
 *     sweep       three dimensions: yee, several steps a pass
 *     relay       three dimensions: some steps as one launch
 *     half        three dimensions: the same with fields in 16 bits
 *     volume      three dimensions: two kernels a step, either precision
 *
 * Each has a folder, where NAME_solver.cu says what it is applicable to and what it costs. */
#ifndef CUDA_SOLVER_H
#define CUDA_SOLVER_H

#include <memory>

#include "kernels/engine.h"

extern "C" {
#include "backend/backend.h"
#include "problem/physics/physics.h"
}

extern const struct solver cuda_resident, cuda_streamed, cuda_march, cuda_tile, cuda_plain, cuda_sweep, cuda_relay,
    cuda_volume, cuda_half;

/* What a partition depends on: the request, and the device's limits. */
struct cuda_request {
    const struct solver_request *asked;
    int processors;      /* multiprocessors */
    size_t shared_limit; /* bytes of shared memory that a block may have */
    int detail;          /* most steps a pass as asked for; 0: free */

    box_request boxes(int depth) const
    {
        return {asked->problem, asked->first, asked->count, depth, shared_limit, false};
    }
};

/* How many runs of a problem in three dimensions step beside each other: as many as fill the device, and fit it. */
int volume_ensemble(const struct problem *problem);

/* Cells of all runs. */
inline double solver_cells(const struct solver_request *asked)
{
    return (double)asked->problem->axis[0].count * asked->problem->axis[1].count * asked->count;
}

/* What solvers in single precision ask first: the problem, the detail and the device's limits. */
pw_status cuda_request_read(const struct solver_request *asked, cuda_request *request, pw_error *error);

/* Makes the engine that the solver's stepping moves on, and hands it to the table's functions as their state. */
template <typename Real>
pw_status solver_create_engine(const struct solver_request *asked, std::unique_ptr<stepping<Real>> own, void **state,
                               pw_error *error);

/* The members `applicable` and `create` of struct solver, for a Stepping in single precision. It has
 *     bool partition(const cuda_request &)   fills `set` and `depth`; false: the problem does not suit it
 *     bool fits(const cuda_request &)        whether it would
 * `why`: the reason when it would not. */
template <typename Stepping>
pw_status solver_applicable(const struct solver_request *asked, const char *why, pw_error *error)
{
    return cuda_guard(
        [&]() -> pw_status {
            cuda_request request;
            Stepping own;
            TRY(cuda_request_read(asked, &request, error));
            return own.fits(request) ? PW_OK : fail(error, PW_USAGE, "%s", why);
        },
        error);
}

template <typename Stepping> pw_status solver_create(const struct solver_request *asked, void **state, pw_error *error)
{
    return cuda_guard(
        [&]() -> pw_status {
            cuda_request request;
            std::unique_ptr<Stepping> own(new Stepping());
            TRY(cuda_request_read(asked, &request, error));
            if (!own->partition(request)) {
                return fail(error, PW_USAGE, "a solver was to be created that is not applicable");
            }
            return solver_create_engine<float>(asked, std::move(own), state, error);
        },
        error);
}

/* The members of struct solver that are the same for all: */
void cuda_memory(const struct problem *problem, int runs, uint64_t *host, uint64_t *device);
pw_status cuda_advance(void *state, int64_t steps, pw_error *error);
pw_status cuda_energy(void *state, int run, double *energy, pw_error *error);
pw_status cuda_energy_in(void *state, int run, const struct patch *box, double *energy, pw_error *error);
pw_status cuda_read_field(void *state, int run, double *ez, pw_error *error);
pw_status cuda_read_probes(void *state, int run, double *ez, pw_error *error);
pw_status cuda_read_spectra(void *state, int run, int row_first, int row_count, double *out, pw_error *error);
pw_status cuda_read_samples(void *state, int run, int row_first, int row_count, double *out, pw_error *error);
pw_status cuda_save(void *state, int run, struct run_state *to, pw_error *error);
pw_status cuda_load(void *state, int run, const struct run_state *from, pw_error *error);
pw_status cuda_patch(void *state, int run, const struct patch *patch, void *values, bool store, pw_error *error);
void cuda_destroy(void *state);

/* Defines the solver cuda_WORD from WORD_takes, WORD_applicable, WORD_cost and WORD_create. */
#define CUDA_SOLVER(word, what)                                                                                        \
    const struct solver cuda_##word = {                                                                                \
        .name = #word,                                                                                                 \
        .description = what,                                                                                           \
        .takes = word##_takes,                                                                                         \
        .applicable = word##_applicable,                                                                               \
        .cost = word##_cost,                                                                                           \
        .memory = cuda_memory,                                                                                         \
        .create = word##_create,                                                                                       \
        .advance = cuda_advance,                                                                                       \
        .energy = cuda_energy,                                                                                         \
        .energy_in = cuda_energy_in,                                                                                   \
        .read_field = cuda_read_field,                                                                                 \
        .read_probes = cuda_read_probes,                                                                               \
        .read_spectra = cuda_read_spectra,                                                                             \
        .read_samples = cuda_read_samples,                                                                             \
        .save = cuda_save,                                                                                             \
        .load = cuda_load,                                                                                             \
        .patch = cuda_patch,                                                                                           \
        .destroy = cuda_destroy,                                                                                       \
    }

#endif
