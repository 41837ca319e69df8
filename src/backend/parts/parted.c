/* See parted.h. Rank 0 holds the whole problem and this solver; it makes the part of each rank, sends it there, and
 * asks it for what the rest of the program wants to know (part_command.h). */
#include "backend/parts/parted.h"
#include "backend/parts/halo_memory.h"
#include "backend/parts/part_command.h"
#include "backend/parts/parted_read.h"
#include "backend/state_patch.h"
#include "problem/physics/part.h"
#include "problem/physics/problem_bytes.h"

#include <stdlib.h>
#include <string.h>

/* ---- creation ---------------------------------------------------------------------------------------------------- */

static void parted_destroy(void *state)
{
    struct parted *parted = state;
    const struct rank_channel *channel = parted->channel;
    pw_error ignored;
    for (int p = 0; channel != NULL && p < parted->created; p++) {
        struct part_command command = {.verb = PART_END, .part = p};
        if (!parted_is_local(parted, p)) {
            (void)parted_tell(parted, &command, NULL, &ignored);
        }
    }
    for (int p = 0; parted->records != NULL && p < cut_count(&parted->cut); p++) {
        part_records_free(&parted->records[p]);
    }
    if (parted->crew.parts != NULL) {
        part_crew_free(&parted->crew);
    }
    for (int run = 0; parted->history != NULL && run < parted->runs; run++) {
        free(parted->history[run]);
    }
    free(parted->history);
    free(parted->records);
    halo_memory_free(parted->board);
    free(parted);
}

/* The setting and the problem's bytes to the process that steps the part. */
static pw_status send_part(struct parted *parted, int p, const struct problem *problem,
                           const struct part_options *options, pw_error *error)
{
    struct part_setting setting = {.cut = parted->cut, .options = *options};
    char *bytes, *whole;
    size_t size;
    TRY(problem_to_bytes(problem, &bytes, &size, error));
    setting.checksum = part_checksum(bytes, size);
    whole = allocate(sizeof setting + size, 1, "a part of the grid on its way", error);
    if (whole == NULL) {
        free(bytes);
        return PW_NO_RESOURCE;
    }
    memcpy(whole, &setting, sizeof setting);
    memcpy(whole + sizeof setting, bytes, size);
    free(bytes);
    const struct part_command command = {.verb = PART_CREATE, .part = p, .bytes = sizeof setting + size};
    parted->created = p + 1;
    pw_status status = parted_tell(parted, &command, whole, error);
    free(whole);
    return status;
}

static pw_status create_part(struct parted *parted, int p, const struct part_options *options, pw_error *error)
{
    OWNED_BY(problem_free) struct problem problem = {0};
    const struct part_box box = cut_box(&parted->cut, p);
    const struct part_cut cut = {parted->problem, &box, parted->cut.margin, &parted->records[p]};
    TRY(part_problem_create(&cut, &problem, error));
    return parted_is_local(parted, p) ? part_crew_add(&parted->crew, p, &problem, options, error)
                                      : send_part(parted, p, &problem, options, error);
}

static pw_status create_parts(struct parted *parted, const struct part_options *options, pw_error *error)
{
    const int count = cut_count(&parted->cut);
    const struct backend *backend = backend_find(options->backend, error);
    struct halo halo = halo_memory;
    TRY_MADE(backend);
    if (backend->devices != NULL && parted->channel == NULL) {
        backend->devices->connect(options->device, options->device_count);
    }
    halo.reaches_device = backend->devices != NULL;
    parted->records = allocate((size_t)count, sizeof *parted->records, "parts of the grid", error);
    parted->history = allocate((size_t)parted->runs, sizeof *parted->history, "parts of the grid", error);
    parted->board = halo.context = halo_memory_create(count, backend->devices, error);
    TRY_MADE(parted->records != NULL && parted->history != NULL && parted->board != NULL);
    TRY(part_crew_create(&parted->cut, parted->channel != NULL ? parted->channel->halo : &halo, options,
                         parted->channel != NULL ? 1 : count, &parted->crew, error));
    if (options->turn_memory > 0) {
        TRY(part_crew_take_turns(&parted->crew, backend, parted->problem, options, error));
    }
    parted->crew.here = parted->channel != NULL ? parted->channel->here : 0;
    for (int p = 0; p < count; p++) {
        TRY(create_part(parted, p, options, error));
    }
    return PW_OK;
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

static pw_status parted_advance(void *state, int64_t steps, pw_error *error)
{
    struct parted *parted = state;
    const int count = parted->channel != NULL ? cut_count(&parted->cut) : 0;
    TRY(solver_check_advance(parted->problem, parted->step, steps, error));
    for (int p = 0; p < count; p++) {
        const struct part_command command = {.verb = PART_ADVANCE, .part = p, .steps = steps};
        parted_say(parted, &command, NULL);
    }
    pw_status status = part_crew_advance(&parted->crew, steps, error);
    for (int p = 0; p < count; p++) {
        void *answer = NULL;
        size_t size;
        pw_error own = {{0}};
        pw_status heard = parted_is_local(parted, p) ? PW_OK : parted_hear(parted, p, &answer, &size, &own);
        free(answer);
        if (status == PW_OK && heard != PW_OK) {
            status = fail(error, heard, "%s", own.message);
        }
    }
    parted->step += steps;
    return status;
}

/* ---- in and out -------------------------------------------------------------------------------------------------- */

static pw_status parted_energy(void *state, int run, double *energy, pw_error *error)
{
    return parted_sum_energy(state, run, energy, error);
}

/* Own nodes of every part, into or out of a state of the whole grid. */
static pw_status gather_fields(struct parted *parted, int run, uint32_t arrays, struct run_state *to, pw_error *error)
{
    const struct part_box whole = {.end = {parted->cut.grid[0], parted->cut.grid[1], parted->cut.grid[2]}};
    for (int p = 0; p < cut_count(&parted->cut); p++) {
        const struct part_box box = cut_box(&parted->cut, p);
        const struct part_command command = {
            .verb = PART_TAKE, .part = p, .run = run, .patch = patch_in_part(&box, box.own, box.own_end, arrays)};
        const struct patch patch = patch_in_part(&whole, box.own, box.own_end, arrays);
        void *values;
        TRY(parted_ask(parted, &command, NULL, &values, error));
        state_patch(parted->problem, to, &patch, values, false);
        free(values);
    }
    return PW_OK;
}

static pw_status parted_read_field(void *state, int run, double *e, pw_error *error)
{
    struct parted *parted = state;
    const size_t nodes = (size_t)problem_nodes(parted->problem);
    struct run_state to = {0};
    to.ez = e;
    for (size_t c = 0; c < 3 && parted->problem->formulation == FORMULATION_MAXWELL3D; c++) {
        to.field[c] = e + c * nodes;
    }
    return gather_fields(parted, run, state_electric(parted->problem), &to, error);
}

static pw_status parted_read_probes(void *state, int run, double *values, pw_error *error)
{
    return parted_gather_probes(state, run, values, error);
}

static pw_status parted_read_spectra(void *state, int run, int row_first, int row_count, double *out, pw_error *error)
{
    const struct rows_read read = {PART_SPECTRA, run, row_first, row_count};
    return parted_gather_rows(state, &read, out, error);
}

static pw_status parted_read_samples(void *state, int run, int row_first, int row_count, double *out, pw_error *error)
{
    const struct rows_read read = {PART_SAMPLES, run, row_first, row_count};
    return parted_gather_rows(state, &read, out, error);
}

static pw_status parted_save(void *state, int run, struct run_state *to, pw_error *error)
{
    struct parted *parted = state;
    const int rows = parted->problem->spectra.rows;
    to->step = parted->step;
    TRY(gather_fields(parted, run, STATE_ALL, to, error));
    if (to->probes != NULL) {
        TRY(parted_gather_probes(parted, run, to->probes, error));
    }
    if (to->spectra != NULL) {
        TRY(parted_read_spectra(parted, run, 0, rows, to->spectra, error));
    }
    return to->samples != NULL ? parted_read_samples(parted, run, 0, rows, to->samples, error) : PW_OK;
}

/* What the part has of the whole state, overlaps included. */
static pw_status load_part(struct parted *parted, int run, int p, struct run_state *from, pw_error *error)
{
    const struct part_box whole = {.end = {parted->cut.grid[0], parted->cut.grid[1], parted->cut.grid[2]}};
    const struct part_box box = cut_box(&parted->cut, p);
    const struct patch patch = patch_in_part(&whole, box.valid, box.valid_end, STATE_ALL);
    const size_t size = (size_t)patch_values(parted->problem, &patch) * problem_value_size(parted->problem);
    TRY(parted_load_records(parted, run, p, from, error));
    if (from->ez == NULL && from->field[0] == NULL) {
        return PW_OK; /* the fields come in pieces, or stay */
    }
    OWNED void *values = allocate(size, 1, "a part of a saved state", error);
    TRY_MADE(values);
    state_patch(parted->problem, from, &patch, values, true);
    const struct part_command command = {.verb = PART_PUT,
                                         .part = p,
                                         .run = run,
                                         .patch = patch_in_part(&box, box.valid, box.valid_end, STATE_ALL),
                                         .bytes = size};
    return parted_tell(parted, &command, values, error);
}

static pw_status parted_load(void *state, int run, const struct run_state *from, pw_error *error)
{
    struct parted *parted = state;
    struct run_state read_only = *from; /* only read: `store` is true */
    TRY(solver_check_load(parted->problem, from, error));
    TRY(parted_keep_history(parted, run, from, error));
    parted->step = from->step;
    for (int p = 0; p < cut_count(&parted->cut); p++) {
        TRY(load_part(parted, run, p, &read_only, error));
    }
    return PW_OK;
}

/* The nodes of the rows that a part has: those that it owns on the way out, all that are right on the way in. False
 * when it has none. */
static bool rows_in_part(const struct part_box *box, const struct patch *rows, bool store, struct patch *in_whole)
{
    int end[3], first[3];
    const int rows_end[3] = {rows->first[0] + rows->count[0], rows->first[1] + rows->count[1],
                             rows->first[2] + rows->count[2]};
    bool meet = boxes_meet(rows->first, rows_end, store ? box->own : box->valid, store ? box->own_end : box->valid_end,
                           first, end);
    *in_whole = (struct patch){.arrays = rows->arrays};
    for (int a = 0; a < 3 && meet; a++) {
        in_whole->first[a] = first[a];
        in_whole->count[a] = end[a] - first[a];
    }
    return meet;
}

/* Into a part what it has around the rows goes back with them. */
static pw_status move_rows(struct parted *parted, int run, int p, const struct state_rows *rows, bool store,
                           pw_error *error)
{
    const struct part_box box = cut_box(&parted->cut, p);
    const struct patch all = state_rows_box(parted->problem, rows);
    struct patch in_whole;
    if (!rows_in_part(&box, &all, store, &in_whole)) {
        return PW_OK;
    }
    struct part_command command = {.verb = PART_TAKE, .part = p, .run = run, .patch = in_whole};
    for (int a = 0; a < 3; a++) {
        command.patch.first[a] -= box.first[a];
    }
    void *values;
    TRY(parted_ask(parted, &command, NULL, &values, error));
    state_rows_patch(parted->problem, rows, &in_whole, values, !store);
    pw_status status = PW_OK;
    if (!store) {
        command.verb = PART_PUT;
        command.bytes = (size_t)patch_values(parted->problem, &in_whole) * problem_value_size(parted->problem);
        status = parted_tell(parted, &command, values, error);
    }
    free(values);
    return status;
}

static pw_status parted_rows(void *state, int run, const struct state_rows *rows, bool store, pw_error *error)
{
    struct parted *parted = state;
    for (int p = 0; p < cut_count(&parted->cut); p++) {
        TRY(move_rows(parted, run, p, rows, store, error));
    }
    return PW_OK;
}

/* ---- the solver -------------------------------------------------------------------------------------------------- */

static const struct solver PARTED = {
    .name = "parts",
    .description = "a grid in parts, each stepped by a solver of its own",
    .advance = parted_advance,
    .energy = parted_energy,
    .read_field = parted_read_field,
    .read_probes = parted_read_probes,
    .read_spectra = parted_read_spectra,
    .read_samples = parted_read_samples,
    .save = parted_save,
    .load = parted_load,
    .rows = parted_rows,
    .destroy = parted_destroy,
};

pw_status parted_create(const struct problem *problem, const struct parted_options *options,
                        const struct part_options *part, struct stepper **stepper, pw_error *error)
{
    struct cut cut;
    TRY(cut_choose(problem, &options->cut, &cut, error));
    struct parted *parted = allocate(1, sizeof *parted, "a grid in parts", error);
    struct stepper *created = allocate(1, sizeof *created, "a solver", error);
    pw_status status = parted != NULL && created != NULL ? PW_OK : PW_NO_RESOURCE;
    if (status == PW_OK) {
        *parted = (struct parted){.problem = problem, .cut = cut, .channel = options->channel, .runs = part->runs};
        status = create_parts(parted, part, error);
    }
    if (status != PW_OK) {
        if (parted != NULL) {
            parted_destroy(parted);
        }
        free(created);
        return status;
    }
    *created = (struct stepper){.solver = &PARTED, .state = parted};
    *stepper = created;
    return PW_OK;
}

const struct cut *parted_cut(const struct stepper *stepper)
{
    const struct parted *parted = stepper->solver == &PARTED ? stepper->state : NULL;
    return parted != NULL ? &parted->cut : NULL;
}

pw_status parted_clock(struct stepper *stepper, int part, struct part_clock *clock, pw_error *error)
{
    const struct part_command command = {.verb = PART_CLOCK, .part = part};
    void *answer;
    TRY(parted_ask(stepper->state, &command, NULL, &answer, error));
    memcpy(clock, answer, sizeof *clock);
    free(answer);
    return PW_OK;
}
