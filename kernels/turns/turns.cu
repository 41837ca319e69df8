/* The turns of the parts of a grid on a device (turns.h). While part p steps, part p + 1 comes and part p - 1 goes,
 * each on a stream of its own:
 *
 *     time ->        turn p - 1              turn p                  turn p + 1
 *     come    [ share of p          ] [ share of p + 1      ] [ share of p + 2      ]   from the host
 *     step    [ share of p - 1      ] [ share of p          ] [ share of p + 1      ]
 *     go      [ share of p - 2      ] [ share of p - 1      ] [ share of p          ]   to the host, its own nodes
 * alone
 *
 * Part p brings the nodes of its neighbours that it needs along with its own, straight from the state of the whole
 * grid: those of p - 1 are there as they were before its turn, because it goes only after p has come. That is why
 * nothing is exchanged. A turn begins with what an engine is at its creation: its constants, and zeros; then its nodes.
 */
#include "kernels/turns/turn_part.h"
#include "kernels/turns/turns.h"

#include <string.h>

#include <memory>

turn_part::~turn_part()
{
    /* On the way out nothing can be done about a failure. */
    engine.reset();
    if (state != NULL) {
        solver->destroy(state);
    }
    (void)(came != NULL && cudaEventDestroy(came));
    (void)(gone != NULL && cudaEventDestroy(gone));
}

turns::~turns()
{
    (void)(in != NULL && cudaStreamSynchronize(in)); /* nothing may travel to memory that goes */
    (void)(out != NULL && cudaStreamSynchronize(out));
    parts.clear();
    (void)(in != NULL && cudaStreamDestroy(in));
    (void)(out != NULL && cudaStreamDestroy(out));
    (void)cudaFree(shares);
}

namespace
{

/* ---- a turn ------------------------------------------------------------------------------------------------------ */

/* Samples of the spectra that are taken on the way. */
int64_t samples_of(const turn_part *part, int64_t steps)
{
    const struct spectra *spectra = &part->problem->spectra;
    return spectra->frequency_count > 0 ? (part->from + steps) / spectra->every - part->from / spectra->every : 0;
}

/* Those that have waited are wanted when a group becomes whole. */
pw_status bring_samples(turn_part *part, int run, int64_t steps, pw_error *error)
{
    const turn_samples samples = part->engine->samples(run);
    if (part->waited > 0 && part->waited + samples_of(part, steps) >= spectra_group(&part->problem->spectra)) {
        CUDA_TRY(cudaMemcpyAsync(samples.device, samples.host, (size_t)part->waited * samples.bytes,
                                 cudaMemcpyHostToDevice, part->all->in));
    }
    return PW_OK;
}

/* The part comes to its share, after who was there has gone, and after its nodes and its neighbours' are on the host as
 * their last turns have left them. */
pw_status bring(turns *all, turn_part *part, int64_t steps, pw_error *error)
{
    const int count = (int)all->parts.size();
    for (int p = part->number - 1; p <= part->number + 1; p++) {
        if (p >= 0 && p < count) {
            CUDA_TRY(cudaStreamWaitEvent(all->in, all->parts[p]->gone, 0));
        }
    }
    turn_part **holder = &all->holder[part->number % TURN_SHARES];
    if (*holder != NULL) {
        CUDA_TRY(cudaStreamWaitEvent(all->in, (*holder)->gone, 0));
    }
    *holder = part;
    part->waited = part->engine->waiting();
    part->from = part->engine->step();
    part->engine->begin();
    for (const device_arena::piece &piece : part->arena.working) {
        CUDA_TRY(cudaMemsetAsync(piece.first, 0, piece.bytes, all->in));
    }
    const char *next = part->kept.bytes;
    for (const device_arena::piece &piece : part->arena.constant) {
        CUDA_TRY(cudaMemcpyAsync(piece.first, next, piece.bytes, cudaMemcpyHostToDevice, all->in));
        next += piece.bytes;
    }
    for (int run = 0; run < all->options.runs; run++) {
        const patch_bases bases = part->engine->bases(run);
        for (const whole_piece &piece : part->comes) {
            char *to = (char *)bases.of[piece.array] + piece.device * (ptrdiff_t)all->state.real;
            CUDA_TRY(cudaMemcpyAsync(to, all->state.array_of(piece.array, run) + piece.host * all->state.real,
                                     piece.values * all->state.real, cudaMemcpyHostToDevice, all->in));
        }
        TRY(bring_samples(part, run, steps, error));
    }
    CUDA_TRY(cudaEventRecord(part->came, all->in));
    turn_gather(part);
    return PW_OK;
}

/* Its own nodes go to the host, and what it has recorded. */
pw_status send(turns *all, turn_part *part, int64_t steps, pw_error *error)
{
    const int waiting = part->engine->waiting();
    const int kept = waiting < part->waited + samples_of(part, steps) ? 0 : part->waited;
    for (int run = 0; run < all->options.runs; run++) {
        const patch_bases bases = part->engine->bases(run);
        for (const whole_piece &piece : part->goes) {
            const char *from = (const char *)bases.of[piece.array] + piece.device * (ptrdiff_t)all->state.real;
            CUDA_TRY(cudaMemcpyAsync(all->state.array_of(piece.array, run) + piece.host * all->state.real, from,
                                     piece.values * all->state.real, cudaMemcpyDeviceToHost, all->out));
        }
        const turn_samples samples = part->engine->samples(run);
        if (waiting > kept) {
            CUDA_TRY(cudaMemcpyAsync(samples.host + (size_t)kept * samples.bytes,
                                     samples.device + (size_t)kept * samples.bytes,
                                     (size_t)(waiting - kept) * samples.bytes, cudaMemcpyDeviceToHost, all->out));
        }
        const turn_record record = part->engine->record(run);
        const size_t before = (size_t)part->from * record.row_bytes, bytes = (size_t)steps * record.row_bytes;
        if (bytes > 0) {
            CUDA_TRY(cudaMemcpyAsync(part->record_of(run) + before, record.device + before, bytes,
                                     cudaMemcpyDeviceToHost, all->out));
        }
    }
    CUDA_TRY(cudaEventRecord(part->gone, all->out));
    return PW_OK;
}

pw_status step_part(turns *all, turn_part *part, int64_t steps, pw_error *error)
{
    CUDA_TRY(cudaEventSynchronize(part->came));
    TRY(turn_carry(part, true, error));
    TRY(part->engine->advance(steps, error));
    return turn_carry(part, false, error);
}

/* While the part is there, so that nobody has to add up what is on the host. */
pw_status look(turns *all, turn_part *part, pw_error *error)
{
    const struct patch own = patch_in_part(&part->box, part->box.own, part->box.own_end, 0);
    std::vector<double> energy((size_t)all->options.runs);
    for (int run = 0; run < all->options.runs; run++) {
        TRY(part->engine->energy(run, own, &energy[(size_t)run], error));
    }
    part->energy = std::move(energy);
    return PW_OK;
}

/* A turn, and the steps that are made in it. */
struct turn {
    turn_part *part;
    int64_t steps;
    bool first; /* of a round through all parts */
};

/* Steps of the next round, of `left`: as many rounds as it takes, about equally deep. */
int64_t steps_of_round(const turns *all, int64_t left)
{
    const int64_t rounds = (left + all->cut.depth - 1) / all->cut.depth;
    return rounds > 0 ? (left + rounds - 1) / rounds : 0;
}

/* The turn after this one, of `left` steps that are still to be made after its round. With none left it is the first of
 * an advance that is still to be asked for: of so many steps as there may be. */
turn turn_after(const turns *all, const turn &now, int64_t left)
{
    const size_t number = (size_t)now.part->number + 1;
    if (number < all->parts.size()) {
        return {all->parts[number].get(), now.steps, false};
    }
    return {all->parts[0].get(), left > 0 ? steps_of_round(all, left) : all->whole->steps, true};
}

/* Whether a part may come while this one steps: it has another share, and nothing of this one's nodes that it needs is
 * still to change. */
bool comes_beside(const turns *all, const turn &now, const turn &next)
{
    return next.part->number % TURN_SHARES != now.part->number % TURN_SHARES &&
           (!next.first || all->parts.size() >= TURN_SHARES);
}

/* When this returns the last parts are still on their way to the host (turns_settle), and the first may have come
 * again. */
pw_status take_turns(turns *all, int64_t steps, pw_error *error)
{
    turn now = {all->parts[0].get(), steps_of_round(all, steps), true};
    TRY(all->ahead != now.part ? bring(all, now.part, now.steps, error) : PW_OK);
    all->ahead = NULL;
    for (bool more = true; more;) {
        steps -= now.first ? now.steps : 0;
        const turn next = turn_after(all, now, steps);
        const bool beside = comes_beside(all, now, next);
        more = steps > 0 || !next.first;
        TRY(beside ? bring(all, next.part, next.steps, error) : PW_OK);
        now.part->energy.clear();
        TRY(step_part(all, now.part, now.steps, error));
        TRY(steps == 0 ? look(all, now.part, error) : PW_OK);
        if (beside) {
            CUDA_TRY(cudaStreamWaitEvent(all->out, next.part->came, 0));
        }
        TRY(send(all, now.part, now.steps, error));
        TRY(more && !beside ? bring(all, next.part, next.steps, error) : PW_OK);
        all->ahead = !more && beside ? next.part : NULL;
        now = next;
    }
    return PW_OK;
}

/* ---- creation ---------------------------------------------------------------------------------------------------- */

pw_status create_turns(const struct problem *whole, const struct cut *cut, const struct part_options *options,
                       turns *all, pw_error *error)
{
    all->whole = whole;
    all->cut = *cut;
    all->options = *options;
    all->device = options->device_count > 0 ? options->device[0] : 0;
    CUDA_TRY(cudaSetDevice(all->device));
    all->share = options->turn_memory / TURN_SHARES / 512 * 512;
    const cudaError_t status = cudaMalloc((void **)&all->shares, TURN_SHARES * all->share);
    if (status != cudaSuccess) {
        (void)cudaGetLastError();
        all->shares = NULL;
        return fail(error, PW_NO_RESOURCE, "CUDA: cudaMalloc of %zu bytes for parts that take turns failed: %s",
                    TURN_SHARES * all->share, cudaGetErrorString(status));
    }
    CUDA_TRY(cudaStreamCreateWithFlags(&all->in, cudaStreamNonBlocking));
    CUDA_TRY(cudaStreamCreateWithFlags(&all->out, cudaStreamNonBlocking));
    return all->state.create(whole, options->runs, error);
}

/* Of each component: how far the part's states of poles are from where they stand in the whole. */
void shift_poles(turn_part *part)
{
    const struct problem *own = part->problem, *whole = part->all->whole;
    const int64_t plane = (int64_t)own->axis[0].count * (part->all->state.axis == 2 ? own->axis[1].count : 1);
    const struct pole_span *spans = whole->pole_spans, *end = spans + whole->pole_span_count;
    part->pole_shift.assign(3, 0);
    for (int64_t s = 0; s < own->pole_span_count; s++) {
        const struct pole_span *span = &own->pole_spans[s];
        const int c = (int)(span->place / problem_nodes(own));
        if (s == 0 || c != (int)(span[-1].place / problem_nodes(own))) {
            const int64_t place = c * problem_nodes(whole) + span->place % problem_nodes(own) +
                                  part->box.first[part->all->state.axis] * plane;
            const struct pole_span *there = std::lower_bound(
                spans, end, place, [](const struct pole_span &some, int64_t wanted) { return some.place < wanted; });
            part->pole_shift[c] = there->state - span->state;
        }
    }
}

pw_status check_reach(const turns *all, const turn_part *part, pw_error *error)
{
    const int axis = all->state.axis, number = part->number;
    bool near = true;
    if (number > 0) {
        near = part->box.valid[axis] >= cut_box(&all->cut, number - 1).own[axis];
    }
    if (number + 1 < cut_count(&all->cut)) {
        near = near && part->box.valid_end[axis] <= cut_box(&all->cut, number + 1).own_end[axis];
    }
    return near ? PW_OK
                : fail(error, PW_USAGE,
                       "parts that take turns %d steps at a time reach beyond their neighbours: fewer parts, or fewer "
                       "steps",
                       all->cut.depth);
}

pw_status create_solver(turns *all, turn_part *part, pw_error *error)
{
    const char *name = all->options.solver[0] != '\0' ? all->options.solver : NULL,
               *colon = name != NULL ? strchr(name, ':') : NULL;
    struct solver_request request = {};
    request.problem = part->problem;
    request.first = all->options.first;
    request.count = all->options.runs;
    request.name = name;
    request.detail = colon != NULL ? colon + 1 : NULL;
    request.arena = &part->arena;
    TRY(backend_choose(&backend_cuda, &request, error));
    part->solver = request.solver;
    TRY(request.solver->create(&request, &part->state, error));
    part->engine = part->problem->formulation == FORMULATION_MAXWELL3D ? volume_turn_engine(part->state)
                                                                       : plane_turn_engine(part->state);
    return PW_OK;
}

/* The constants are on the device, as the solver's creation has left them. */
pw_status keep_constants(turns *all, turn_part *part, pw_error *error)
{
    size_t records = 0;
    for (const device_arena::piece &piece : part->arena.constant) {
        part->constants += piece.bytes;
    }
    for (int run = 0; run < all->options.runs; run++) {
        records += (size_t)part->problem->steps * part->engine->record(run).row_bytes;
    }
    TRY(part->kept.create(part->constants + records, "a part of the grid", error));
    char *next = part->kept.bytes;
    for (const device_arena::piece &piece : part->arena.constant) {
        CUDA_TRY(cudaMemcpy(next, piece.first, piece.bytes, cudaMemcpyDeviceToHost));
        next += piece.bytes;
    }
    return PW_OK;
}

pw_status add_part(turns *all, int number, const struct problem *problem, turn_part **added, pw_error *error)
{
    std::unique_ptr<turn_part> made(new turn_part());
    turn_part *part = made.get();
    all->parts.push_back(std::move(made));
    const int axis = all->state.axis;
    part->all = all;
    part->number = number;
    part->box = cut_box(&all->cut, number);
    part->problem = problem;
    part->arena.base = all->shares + (size_t)(number % TURN_SHARES) * all->share;
    part->arena.size = all->share;
    TRY(check_reach(all, part, error));
    CUDA_TRY(cudaEventCreateWithFlags(&part->came, cudaEventDisableTiming));
    CUDA_TRY(cudaEventCreateWithFlags(&part->gone, cudaEventDisableTiming));
    TRY(create_solver(all, part, error));
    TRY(keep_constants(all, part, error));
    part->comes = all->state.pieces(problem, part->box.first[axis], part->box.valid[axis], part->box.valid_end[axis]);
    part->goes = all->state.pieces(problem, part->box.first[axis], part->box.own[axis], part->box.own_end[axis]);
    shift_poles(part);
    if (turn_carried_bytes(part) > 0) {
        TRY(part->carried.create((size_t)all->options.runs * turn_carried_bytes(part), "dispersive nodes", error));
    }
    *added = part;
    return PW_OK;
}

/* ---- the functions of the backend -------------------------------------------------------------------------------- */

pw_status turns_create(const struct problem *whole, const struct cut *cut, const struct part_options *options,
                       void **out, pw_error *error)
{
    return cuda_guard(
        [&]() -> pw_status {
            std::unique_ptr<turns> made(new turns());
            TRY(create_turns(whole, cut, options, made.get(), error));
            *out = made.release();
            return PW_OK;
        },
        error);
}

pw_status turns_add(void *own, int number, const struct problem *problem, struct stepper **stepper, pw_error *error)
{
    turns *all = (turns *)own;
    return cuda_guard(
        [&]() -> pw_status {
            turn_part *part = NULL;
            CUDA_TRY(cudaSetDevice(all->device));
            TRY(add_part(all, number, problem, &part, error));
            *stepper = (struct stepper *)calloc(1, sizeof(struct stepper)); /* stepper_destroy frees it */
            if (*stepper == NULL) {
                return fail(error, PW_NO_RESOURCE, "not enough memory for a solver");
            }
            (*stepper)->solver = &turn_part_solver;
            (*stepper)->state = part;
            (*stepper)->devices = backend_cuda.devices;
            (*stepper)->device = all->device;
            return PW_OK;
        },
        error);
}

pw_status turns_advance(void *own, int64_t steps, pw_error *error)
{
    turns *all = (turns *)own;
    return cuda_guard(
        [&]() -> pw_status {
            CUDA_TRY(cudaSetDevice(all->device));
            return steps > 0 ? take_turns(all, steps, error) : PW_OK;
        },
        error);
}

bool turns_energy(void *own, int number, int run, double *sum)
{
    const std::vector<double> &energy = ((turns *)own)->parts[(size_t)number]->energy;
    const bool known = (size_t)run < energy.size();
    *sum = known ? energy[(size_t)run] : 0;
    return known;
}

void turns_destroy(void *own)
{
    delete (turns *)own;
}

} // namespace

const struct turn_functions cuda_turns = {
    .plan = turns_plan,
    .create = turns_create,
    .add = turns_add,
    .advance = turns_advance,
    .energy = turns_energy,
    .destroy = turns_destroy,
};
