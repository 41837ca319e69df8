/* What a part that takes turns is asked as a solver (turn_part.h), between advances: all answers are on the host. */
#include "kernels/turns/turn_part.h"

namespace
{

/* The state on the host is that after the last step. Before it is changed, who has come ahead must come again. */
pw_status settle(turns *all, bool changes, pw_error *error)
{
    CUDA_TRY(cudaStreamSynchronize(all->out));
    if (changes) {
        CUDA_TRY(cudaStreamSynchronize(all->in));
        all->ahead = NULL;
        for (std::unique_ptr<turn_part> &part : all->parts) {
            part->energy.clear();
        }
    }
    return PW_OK;
}

/* After what is on its way has arrived; `changes`: of the state on the host. */
template <typename Answer> pw_status ask_part(void *state, bool changes, Answer answer, pw_error *error)
{
    turn_part *part = (turn_part *)state;
    return cuda_guard(
        [&]() -> pw_status {
            TRY(settle(part->all, changes, error));
            return answer(part);
        },
        error);
}

pw_status turn_read_probes(void *state, int run, double *values, pw_error *error)
{
    return ask_part(
        state, false,
        [&](const turn_part *part) {
            const size_t count = (size_t)part->engine->step() * (size_t)part->problem->probe_count;
            const char *record = part->record_of(run);
            for (size_t n = 0; n < count; n++) {
                values[n] =
                    part->all->state.real == 4 ? (double)((const float *)record)[n] : ((const double *)record)[n];
            }
            return PW_OK;
        },
        error);
}

pw_status turn_read_spectra(void *state, int run, int first, int count, double *out, pw_error *error)
{
    return ask_part(
        state, false, [&](turn_part *part) { return part->engine->read_spectra(run, first, count, out, error); },
        error);
}

pw_status turn_read_samples(void *state, int run, int first, int count, double *out, pw_error *error)
{
    return ask_part(
        state, false, [&](turn_part *part) { return part->engine->read_samples(run, first, count, out, error); },
        error);
}

pw_status turn_load(void *state, int run, const struct run_state *from, pw_error *error)
{
    return ask_part(
        state, true, [&](turn_part *part) { return part->engine->load(run, from, error); }, error);
}

pw_status turn_patch(void *state, int run, const struct patch *patch, void *values, bool store, pw_error *error)
{
    return ask_part(
        state, !store,
        [&](const turn_part *part) {
            turn_copy(part, run, patch, values, store);
            return PW_OK;
        },
        error);
}

/* The part belongs to the turns. */
void turn_destroy(void *state)
{
    (void)state;
}

} // namespace

/* What is asked of a part, by parted.c, and no more: it steps with the others alone. */
const struct solver turn_part_solver = {
    .name = "turns",
    .description = "a part of a grid that takes turns with others on a device",
    .read_probes = turn_read_probes,
    .read_spectra = turn_read_spectra,
    .read_samples = turn_read_samples,
    .load = turn_load,
    .patch = turn_patch,
    .destroy = turn_destroy,
};
