/* The list of backends, the choice among the solvers of a backend, and the solver at work. */
#include "backend/backend.h"
#include "problem/physics/physics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct backend *const BACKENDS[] = {&backend_reference, &backend_cpu, &backend_cuda};

static size_t backend_count(void)
{
    return sizeof BACKENDS / sizeof BACKENDS[0];
}

/* "a, b, c": appends one name to the list. */
static void append_name(char *names, size_t size, const char *name)
{
    size_t used = strlen(names);
    snprintf(names + used, size - used, "%s%s", used > 0 ? ", " : "", name);
}

const struct backend *backend_find(const char *name, pw_error *error)
{
    char device[128];
    if (strcmp(name, "auto") == 0) {
        bool gpu = backend_cuda.probe(device, sizeof device, NULL) == PW_OK;
        return gpu ? &backend_cuda : &backend_cpu;
    }
    for (size_t b = 0; b < backend_count(); b++) {
        if (strcmp(name, BACKENDS[b]->name) == 0) {
            return BACKENDS[b]->probe(device, sizeof device, error) == PW_OK ? BACKENDS[b] : NULL;
        }
    }
    char names[128] = "auto";
    for (size_t b = 0; b < backend_count(); b++) {
        append_name(names, sizeof names, BACKENDS[b]->name);
    }
    fail(error, PW_USAGE, "unknown backend '%s': allowed are %s", name, names);
    return NULL;
}

const struct backend *backend_find_for(const char *name, const struct problem *problem, pw_error *error)
{
    const struct backend *found = backend_find(name, error);
    bool common = physics_beyond(problem, NULL) == NULL; /* every backend takes it */
    if (found == NULL || strcmp(name, "auto") != 0 || common) {
        return found;
    }
    pw_error reason = {{0}};
    struct solver_request request = {.problem = problem, .count = 1};
    return backend_choose(found, &request, &reason) == PW_OK ? found : &backend_cpu;
}

size_t pw_backend_count(void)
{
    return backend_count();
}

pw_backend_info pw_backend_describe(size_t index)
{
    pw_backend_info info = {0};
    if (index < backend_count()) {
        pw_error error = {{0}};
        const struct backend *backend = BACKENDS[index];
        info.name = backend->name;
        info.description = backend->description;
        info.available = backend->probe(info.device, sizeof info.device, &error) == PW_OK;
        if (!info.available) {
            snprintf(info.device, sizeof info.device, "%.*s", (int)sizeof info.device - 1, error.message);
        }
    }
    return info;
}

/* ---- the choice -------------------------------------------------------------------------------------------------- */

/* "NAME" or "NAME:DETAIL" names this solver. */
static bool is_named(const struct solver *solver, const char *name)
{
    size_t length = strcspn(name, ":");
    return strlen(solver->name) == length && strncmp(solver->name, name, length) == 0;
}

static pw_status fail_unknown(const struct backend *backend, const char *name, pw_error *error)
{
    char names[256] = "";
    for (size_t s = 0; backend->solvers[s] != NULL; s++) {
        append_name(names, sizeof names, backend->solvers[s]->name);
    }
    return fail(error, PW_USAGE, "the %s backend has no solver '%s': allowed are %s", backend->name, name, names);
}

/* Whether this solver can do what is asked; then request->solver is this one. */
static pw_status ask(const struct solver *solver, struct solver_request *request, pw_error *reason)
{
    request->solver = solver;
    if (solver->formulation == request->problem->formulation) {
        TRY(solver_takes(solver, request->problem, reason));
    }
    return solver->applicable(request, reason);
}

static pw_status fail_unsuited(const struct solver_request *request, pw_status status, const char *reason,
                               pw_error *error)
{
    const struct axis *axis = request->problem->axis;
    char levels[24] = "";
    if (request->problem->formulation == FORMULATION_MAXWELL3D) {
        snprintf(levels, sizeof levels, " x %d", axis[2].count);
    }
    return fail(error, status, "the solver '%s' does not suit a grid of %d x %d%s: %s", request->name, axis[0].count,
                axis[1].count, levels, reason);
}

static pw_status choose_named(const struct backend *backend, struct solver_request *request, pw_error *error)
{
    for (size_t s = 0; backend->solvers[s] != NULL; s++) {
        if (is_named(backend->solvers[s], request->name)) {
            pw_error reason = {{0}};
            pw_status status = ask(backend->solvers[s], request, &reason);
            return status == PW_OK ? PW_OK : fail_unsuited(request, status, reason.message, error);
        }
    }
    return fail_unknown(backend, request->name, error);
}

/* Whether a solver would cost less than the best so far. Asked first, for to see whether a solver is applicable can
 * mean to divide the grid for it, which takes longer than a short run. */
static bool is_cheaper(const struct solver *solver, struct solver_request *request, const struct solver *best,
                       double least)
{
    request->solver = solver;
    return best == NULL || solver->cost(request) < least;
}

static pw_status choose_cheapest(const struct backend *backend, struct solver_request *request, pw_error *error)
{
    pw_error reason = {"it has no solvers"};
    const struct solver *best = NULL;
    double least = 0;
    for (size_t s = 0; backend->solvers[s] != NULL; s++) {
        const struct solver *solver = backend->solvers[s];
        pw_error own = {{0}};
        if (!is_cheaper(solver, request, best, least)) {
            continue;
        }
        if (ask(solver, request, &own) == PW_OK) {
            best = solver;
            least = solver->cost(request);
        } else if (s == 0 || solver->formulation == request->problem->formulation) {
            reason = own;
        }
    }
    request->solver = best;
    return best != NULL ? PW_OK
                        : fail(error, PW_USAGE, "no solver of the %s backend takes this problem: %s", backend->name,
                               reason.message);
}

pw_status backend_choose(const struct backend *backend, struct solver_request *request, pw_error *error)
{
    return request->name != NULL ? choose_named(backend, request, error) : choose_cheapest(backend, request, error);
}

int backend_ensemble(const struct backend *backend, const struct problem *problem)
{
    return problem->decay > 0 ? 1 : backend->ensemble(problem);
}

void backend_memory(const struct backend *backend, const struct problem *problem, int runs, uint64_t *host,
                    uint64_t *device)
{
    struct solver_request request = {.problem = problem, .count = runs};
    *host = *device = 0;
    if (backend_choose(backend, &request, NULL) == PW_OK) {
        request.solver->memory(problem, runs, host, device);
    }
}

/* ---- a solver at work -------------------------------------------------------------------------------------------- */

pw_status stepper_create(const struct backend *backend, const struct problem *problem, int first, int count,
                         const struct backend_options *options, struct stepper **stepper, pw_error *error)
{
    const char *name = options != NULL ? options->solver : NULL, *colon = name != NULL ? strchr(name, ':') : NULL;
    struct solver_request request = {
        .problem = problem,
        .first = first,
        .count = count,
        .threads = options != NULL ? options->threads : 0,
        .name = name,
        .detail = colon != NULL ? colon + 1 : NULL,
        .steps_all = options != NULL && options->steps_all,
    };
    const int device = options != NULL ? options->device : 0;
    if (backend->devices != NULL) {
        TRY(backend->devices->select(device, error));
    }
    TRY(backend_choose(backend, &request, error));
    struct stepper *created = allocate(1, sizeof *created, "a solver", error);
    TRY_MADE(created);
    *created = (struct stepper){.solver = request.solver, .devices = backend->devices, .device = device};
    pw_status status = request.solver->create(&request, &created->state, error);
    if (status != PW_OK) {
        free(created);
        return status;
    }
    *stepper = created;
    return PW_OK;
}

/* What the calling thread does next is on the stepper's device. */
static pw_status select_device(const struct stepper *stepper, pw_error *error)
{
    return stepper->devices != NULL ? stepper->devices->select(stepper->device, error) : PW_OK;
}

void stepper_destroy(struct stepper *stepper)
{
    if (stepper != NULL) {
        (void)select_device(stepper, NULL);
        stepper->solver->destroy(stepper->state);
        free(stepper);
    }
}

pw_status stepper_advance(struct stepper *stepper, int64_t steps, pw_error *error)
{
    TRY(select_device(stepper, error));
    return stepper->solver->advance(stepper->state, steps, error);
}

pw_status stepper_energy(struct stepper *stepper, int run, double *energy, pw_error *error)
{
    TRY(select_device(stepper, error));
    return stepper->solver->energy(stepper->state, run, energy, error);
}

pw_status stepper_read_field(struct stepper *stepper, int run, double *ez, pw_error *error)
{
    TRY(select_device(stepper, error));
    return stepper->solver->read_field(stepper->state, run, ez, error);
}

pw_status stepper_read_probes(struct stepper *stepper, int run, double *ez, pw_error *error)
{
    TRY(select_device(stepper, error));
    return stepper->solver->read_probes(stepper->state, run, ez, error);
}

bool stepper_takes_probes(const struct stepper *stepper)
{
    return stepper->solver->take_probes != NULL;
}

pw_status stepper_take_probes(struct stepper *stepper, int run, int64_t first, int64_t count, double *ez,
                              pw_error *error)
{
    TRY(select_device(stepper, error));
    return stepper->solver->take_probes(stepper->state, run, first, count, ez, error);
}

pw_status stepper_read_spectra(struct stepper *stepper, int run, int row_first, int row_count, double *out,
                               pw_error *error)
{
    TRY(select_device(stepper, error));
    return stepper->solver->read_spectra(stepper->state, run, row_first, row_count, out, error);
}

pw_status stepper_read_samples(struct stepper *stepper, int run, int row_first, int row_count, double *out,
                               pw_error *error)
{
    TRY(select_device(stepper, error));
    return stepper->solver->read_samples(stepper->state, run, row_first, row_count, out, error);
}

pw_status stepper_save(struct stepper *stepper, int run, struct run_state *state, pw_error *error)
{
    TRY(select_device(stepper, error));
    return stepper->solver->save(stepper->state, run, state, error);
}

pw_status stepper_load(struct stepper *stepper, int run, const struct run_state *state, pw_error *error)
{
    TRY(select_device(stepper, error));
    return stepper->solver->load(stepper->state, run, state, error);
}

pw_status stepper_energy_in(struct stepper *stepper, int run, const struct patch *box, double *energy, pw_error *error)
{
    TRY(select_device(stepper, error));
    return stepper->solver->energy_in(stepper->state, run, box, energy, error);
}

pw_status stepper_defer(struct stepper *stepper, bool on, void **queue, pw_error *error)
{
    TRY(select_device(stepper, error));
    return stepper->solver->defer(stepper->state, on, queue, error);
}

pw_status stepper_patch(struct stepper *stepper, int run, const struct patch *patch, void *values, bool store,
                        pw_error *error)
{
    TRY(select_device(stepper, error));
    return stepper->solver->patch(stepper->state, run, patch, values, store, error);
}
