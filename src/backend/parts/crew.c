/* See crew.h. */
#include "backend/parts/crew.h"
#include "backend/parts/crew_deferred.h"
#include "base/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct patch patch_in_part(const struct part_box *box, const int first[3], const int end[3], uint32_t arrays)
{
    struct patch patch = {.arrays = arrays};
    for (int a = 0; a < 3; a++) {
        patch.first[a] = first[a] - box->first[a];
        patch.count[a] = end[a] - first[a];
    }
    return patch;
}

/* ---- creation ---------------------------------------------------------------------------------------------------- */

pw_status part_crew_create(const struct cut *cut, const struct halo *halo, const struct part_options *options, int room,
                           struct part_crew *crew, pw_error *error)
{
    const struct backend *backend = backend_find(options->backend, error);
    TRY_MADE(backend);
    *crew = (struct part_crew){.cut = *cut,
                               .halo = *halo,
                               .runs = options->runs,
                               .room = room,
                               .together = options->device_count > 1 ? options->device_count : 1,
                               .devices = backend->devices,
                               .copies = options->copies};
    crew->parts = allocate((size_t)room, sizeof *crew->parts, "parts of the grid", error);
    return crew->parts != NULL ? PW_OK : PW_NO_RESOURCE;
}

pw_status part_crew_take_turns(struct part_crew *crew, const struct backend *backend, const struct problem *whole,
                               const struct part_options *options, pw_error *error)
{
    crew->turn = backend->turns;
    return crew->turn != NULL
               ? crew->turn->create(whole, &crew->cut, options, &crew->turns, error)
               : fail(error, PW_USAGE, "the %s backend has no device whose memory parts could share in turns",
                      backend->name);
}

/* Memory for what a part exchanges: where the halo reaches devices, of the part's own; else of the host, such as its
 * solver copies fast. */
static pw_status allocate_buffer(const struct part_crew *crew, size_t bytes, char **buffer, pw_error *error)
{
    const size_t all = (size_t)crew->runs * bytes;
    void *made = NULL;
    pw_status status = PW_OK;
    if (crew->devices == NULL) {
        made = allocate(all, 1, "the exchange of a part of the grid", error);
        status = made != NULL ? PW_OK : PW_NO_RESOURCE;
    } else {
        status = crew->halo.reaches_device ? crew->devices->allocate(all, &made, error)
                                           : crew->devices->allocate_host(all, &made, error);
    }
    *buffer = made;
    return status;
}

static void free_buffer(const struct part_crew *crew, char *buffer)
{
    if (crew->devices == NULL) {
        free(buffer);
    } else if (crew->halo.reaches_device) {
        crew->devices->release(buffer);
    } else {
        crew->devices->release_host(buffer);
    }
}

void part_crew_free(struct part_crew *crew)
{
    if (crew->parts == NULL) {
        return;
    }
    for (int p = 0; p < crew->count; p++) {
        struct part *part = &crew->parts[p];
        if (crew->turns == NULL) {
            crew->halo.close(part->exchange);
        }
        stepper_destroy(part->stepper);
        for (int l = 0; l < part->link_count; l++) {
            free_buffer(crew, part->links[l].sent);
            free_buffer(crew, part->links[l].taken);
        }
        free(part->links);
        problem_free(&part->problem);
    }
    if (crew->turns != NULL) {
        crew->turn->destroy(crew->turns);
    }
    free(crew->parts);
    *crew = (struct part_crew){0};
}

/* What part `number` sends to and takes from another; false when they are no neighbours. */
static bool link_to(const struct cut *cut, const struct problem *problem, int number, int other, struct part_link *link)
{
    const struct part_box own = cut_box(cut, number), there = cut_box(cut, other);
    const size_t size = problem_value_size(problem);
    int first[3], end[3];
    *link = (struct part_link){.neighbour = other};
    if (boxes_meet(own.own, own.own_end, there.valid, there.valid_end, first, end)) {
        link->outgoing = patch_in_part(&own, first, end, STATE_ALL);
        link->outgoing_bytes = (size_t)patch_values(problem, &link->outgoing) * size;
    }
    if (boxes_meet(own.valid, own.valid_end, there.own, there.own_end, first, end)) {
        link->incoming = patch_in_part(&own, first, end, STATE_ALL);
        link->incoming_bytes = (size_t)patch_values(problem, &link->incoming) * size;
    }
    return other != number && link->outgoing_bytes + link->incoming_bytes > 0;
}

size_t part_exchange_bytes(const struct cut *cut, const struct problem *part, int number, int runs)
{
    size_t bytes = 0;
    for (int other = 0; other < cut_count(cut); other++) {
        struct part_link link;
        bytes += link_to(cut, part, number, other, &link) ? link.outgoing_bytes + link.incoming_bytes : 0;
    }
    return bytes * (size_t)runs;
}

static pw_status create_links(const struct part_crew *crew, struct part *part, pw_error *error)
{
    const int count = cut_count(&crew->cut);
    part->links = allocate((size_t)count, sizeof *part->links, "the exchange of a part of the grid", error);
    TRY_MADE(part->links);
    for (int other = 0; other < count; other++) {
        struct part_link *link = &part->links[part->link_count];
        if (!link_to(&crew->cut, &part->problem, part->number, other, link)) {
            continue;
        }
        part->link_count++;
        TRY(allocate_buffer(crew, link->outgoing_bytes, &link->sent, error));
        TRY(allocate_buffer(crew, link->incoming_bytes, &link->taken, error));
    }
    return PW_OK;
}

static pw_status open_exchange(const struct part_crew *crew, struct part *part, pw_error *error)
{
    OWNED struct halo_region *regions =
        allocate((size_t)part->link_count, sizeof *regions, "the exchange of a part of the grid", error);
    TRY_MADE(regions);
    for (int l = 0; l < part->link_count; l++) {
        const struct part_link *link = &part->links[l];
        regions[l] = (struct halo_region){.neighbour = link->neighbour,
                                          .outgoing_bytes = (size_t)crew->runs * link->outgoing_bytes,
                                          .incoming_bytes = (size_t)crew->runs * link->incoming_bytes,
                                          .outgoing = link->sent,
                                          .incoming = link->taken};
    }
    return crew->halo.open(crew->halo.context, part->number, regions, part->link_count, &part->exchange, error);
}

/* The device of a part. */
static int device_of(const struct part_crew *crew, int number, const struct part_options *options)
{
    if (options->device_count > 0) {
        return options->device[number % options->device_count];
    }
    const int count = crew->devices != NULL ? crew->devices->count() : 0;
    return count > 0 ? crew->here % count : 0;
}

static pw_status create_stepper(const struct part_crew *crew, struct part *part, const struct part_options *options,
                                pw_error *error)
{
    const struct backend *backend = backend_find(options->backend, error);
    TRY_MADE(backend);
    const struct backend_options own = {.threads = options->threads,
                                        .solver = options->solver[0] != '\0' ? options->solver : NULL,
                                        .device = device_of(crew, part->number, options),
                                        .steps_all = options->steps_all};
    TRY(stepper_create(backend, &part->problem, options->first, options->runs, &own, &part->stepper, error));
    return part->stepper->solver->patch != NULL
               ? PW_OK
               : fail(error, PW_USAGE,
                      "the solver '%s' of the %s backend cannot step a part of a grid that is divided: use --backend "
                      "cpu",
                      part->stepper->solver->name, backend->name);
}

pw_status part_crew_add(struct part_crew *crew, int number, struct problem *problem, const struct part_options *options,
                        pw_error *error)
{
    struct part *part = &crew->parts[crew->count++];
    *part = (struct part){.number = number, .box = cut_box(&crew->cut, number), .problem = *problem};
    *problem = (struct problem){0};
    if (crew->turns != NULL) {
        TRY(crew->turn->add(crew->turns, number, &part->problem, &part->stepper, error));
        free(part->problem.coefficient_index); /* the solver has it, and there are many parts */
        part->problem.coefficient_index = NULL;
        return PW_OK;
    }
    TRY(create_stepper(crew, part, options, error));
    TRY(create_links(crew, part, error));
    return open_exchange(crew, part, error);
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

/* The status of the first failure, whose message it leaves. */
static pw_status first_failure(pw_status before, pw_status now, const pw_error *own, pw_error *error)
{
    if (before == PW_OK && now != PW_OK && error != NULL) {
        *error = *own;
    }
    return before != PW_OK ? before : now;
}

/* Packs (`out`) or unpacks what a part exchanges. */
static pw_status copy_links(const struct part_crew *crew, const struct part *part, bool out, pw_error *error)
{
    pw_status status = PW_OK;
    for (int l = 0; l < part->link_count; l++) {
        struct part_link *link = &part->links[l];
        for (int run = 0; run < crew->runs && status == PW_OK; run++) {
            char *values = out ? link->sent + (size_t)run * link->outgoing_bytes
                               : link->taken + (size_t)run * link->incoming_bytes;
            status = stepper_patch(part->stepper, run, out ? &link->outgoing : &link->incoming, values, out, error);
        }
    }
    return status;
}

/* Adds what has passed since *from, which becomes now. */
static void add_time(double *seconds, double *from)
{
    double now = clock_seconds();
    *seconds += now - *from;
    *from = now;
}

/* What all parts of a crew do, those on different devices at the same time. */
typedef pw_status part_action(struct part_crew *crew, struct part *part, int64_t steps, pw_error *error);

/* After a failure the others still do it; the message is that of the first that failed. */
static pw_status for_all_parts(struct part_crew *crew, part_action *action, int64_t steps, pw_error *error)
{
    int failed = crew->count;
    pw_status status = PW_OK;
#pragma omp parallel for num_threads(crew->together) schedule(static, 1) if (crew->together > 1)
    for (int p = 0; p < crew->count; p++) {
        pw_error own = {{0}};
        const pw_status done = action(crew, &crew->parts[p], steps, &own);
#pragma omp critical(part_failure)
        if (done != PW_OK && p < failed) {
            failed = p;
            status = fail(error, done, "%s", own.message);
        }
    }
    return status;
}

static pw_status pack_links(struct part_crew *crew, struct part *part, int64_t steps, pw_error *error)
{
    (void)steps;
    return copy_links(crew, part, true, error);
}

static pw_status start_links(struct part_crew *crew, struct part *part, int64_t steps, pw_error *error)
{
    (void)steps;
    return crew->halo.start(part->exchange, NULL, error);
}

static pw_status finish_links(struct part_crew *crew, struct part *part, int64_t steps, pw_error *error)
{
    (void)steps;
    return crew->halo.finish(part->exchange, NULL, error);
}

static pw_status unpack_links(struct part_crew *crew, struct part *part, int64_t steps, pw_error *error)
{
    (void)steps;
    return copy_links(crew, part, false, error);
}

static pw_status advance_part(struct part_crew *crew, struct part *part, int64_t steps, pw_error *error)
{
    (void)crew;
    return stepper_advance(part->stepper, steps, error);
}

static pw_status exchange(struct part_crew *crew, pw_error *error)
{
    const struct {
        part_action *action;
        double *seconds;
    } stages[] = {{pack_links, &crew->clock.packing},
                  {start_links, &crew->clock.travelling},
                  {finish_links, &crew->clock.travelling},
                  {unpack_links, &crew->clock.packing}};
    pw_status status = PW_OK;
    pw_error own = {{0}};
    double since = clock_seconds();
    for (size_t s = 0; s < sizeof stages / sizeof stages[0]; s++) {
        status = first_failure(status, for_all_parts(crew, stages[s].action, 0, &own), &own, error);
        add_time(stages[s].seconds, &since);
    }
    part_crew_exchanged(crew);
    return status;
}

pw_status part_crew_advance(struct part_crew *crew, int64_t steps, pw_error *error)
{
    if (crew->turns != NULL) {
        return crew->turn->advance(crew->turns, steps, error);
    }
    if (crew_defers(crew)) {
        return crew_advance_deferred(crew, steps, error);
    }
    pw_status status = PW_OK;
    pw_error own = {{0}};
    while (steps > 0) {
        if (crew->since == crew->cut.depth) {
            status = first_failure(status, exchange(crew, &own), &own, error);
        }
        int64_t left = crew->cut.depth - crew->since, some = steps < left ? steps : left;
        double since = clock_seconds();
        status = first_failure(status, for_all_parts(crew, advance_part, some, &own), &own, error);
        add_time(&crew->clock.stepping, &since);
        crew->clock.steps += some;
        crew->since += some;
        steps -= some;
    }
    return status;
}

/* ---- energy ------------------------------------------------------------------------------------------------------ */

#define TEMPLATE "backend/energy_order.h"
#include "problem/precisions.h"

static int energy_blocks(const struct cut *cut, const struct part_box *box)
{
    return cut->parts[0] > 1 ? (box->own_end[0] - box->own[0] + ENERGY_BLOCK - 1) / ENERGY_BLOCK : 1;
}

static size_t row_sums_count(const struct cut *cut, const struct problem *problem, const struct part_box *box)
{
    return (size_t)(box->own_end[2] - box->own[2]) * (size_t)(box->own_end[1] - box->own[1]) *
           (size_t)problem_components(problem) * (size_t)energy_blocks(cut, box);
}

/* Of one row of one component: its sum, or its blocks. */
static double *row_energy(const struct problem *problem, const void *row, int count, int blocks, double *sums)
{
    const bool single = problem->precision == PW_SINGLE;
    if (blocks == 1) {
        *sums = single ? energy_row_float(row, count) : energy_row_double(row, count);
        return sums + 1;
    }
    for (int i = 0; i < count; i += ENERGY_BLOCK) {
        int some = count - i < ENERGY_BLOCK ? count - i : ENERGY_BLOCK;
        *sums++ = single ? energy_block_float((const float *)row + i, some)
                         : energy_block_double((const double *)row + i, some);
    }
    return sums;
}

/* Rows that are looked at together: solvers on devices take long for a single one. */
static int rows_at_once(const struct part_box *box, size_t row_bytes)
{
    enum { BYTES = 1 << 22 };
    const int rows = box->own_end[1] - box->own[1];
    const size_t fit = row_bytes < BYTES ? BYTES / row_bytes : 1;
    return fit < (size_t)rows ? (int)fit : rows;
}

/* Of the rows from j on in plane k, `rows` at most; into their place among the sums. */
static pw_status rows_energy(const struct part_crew *crew, const struct part *part, int run, const int at[2], int rows,
                             double *sums, pw_error *error)
{
    const struct part_box *box = &part->box;
    const int count = box->own_end[0] - box->own[0], components = problem_components(&part->problem),
              blocks = energy_blocks(&crew->cut, box), j = at[0], k = at[1],
              end_row = j + rows < box->own_end[1] ? j + rows : box->own_end[1];
    const size_t bytes = (size_t)count * problem_value_size(&part->problem);
    const int first[3] = {box->own[0], j, k}, end[3] = {box->own_end[0], end_row, k + 1};
    const struct patch patch = patch_in_part(box, first, end, state_electric(&part->problem));
    const int64_t row = (int64_t)(k - box->own[2]) * (box->own_end[1] - box->own[1]) + j - box->own[1];
    double *next = sums + row * components * blocks;
    OWNED char *values = allocate((size_t)rows * (size_t)components, bytes, "rows of a part of the grid", error);
    TRY_MADE(values);
    TRY(stepper_patch(part->stepper, run, &patch, values, true, error));
    for (int r = 0; r < (end_row - j) * components; r++) {
        next = row_energy(&part->problem, values + (size_t)r * bytes, count, blocks, next);
    }
    return PW_OK;
}

/* Threads look at parts whose state is on the host together. */
static pw_status all_rows_energy(const struct part_crew *crew, const struct part *part, int run, double *sums,
                                 pw_error *error)
{
    const struct part_box *box = &part->box;
    const size_t bytes = (size_t)(box->own_end[0] - box->own[0]) * problem_value_size(&part->problem);
    const int at_once = rows_at_once(box, (size_t)problem_components(&part->problem) * bytes),
              pieces = (box->own_end[1] - box->own[1] + at_once - 1) / at_once, planes = box->own_end[2] - box->own[2];
    pw_status status = PW_OK;
#pragma omp parallel for schedule(dynamic) if (crew->turns != NULL)
    for (int p = 0; p < planes * pieces; p++) {
        const int at[2] = {box->own[1] + p % pieces * at_once, box->own[2] + p / pieces};
        pw_error own = {{0}};
        const pw_status done = rows_energy(crew, part, run, at, at_once, sums, &own);
        if (done != PW_OK) {
#pragma omp critical(part_failure)
            status = first_failure(status, done, &own, error);
        }
    }
    return status;
}

pw_status part_energy(const struct part_crew *crew, const struct part *part, int run, double **sums, size_t *count,
                      pw_error *error)
{
    double known = 0;
    const bool of_turns = crew->turns != NULL && crew->turn->energy(crew->turns, part->number, run, &known),
               one = of_turns || part->stepper->solver->energy_in != NULL;
    *count = one ? 1 : row_sums_count(&crew->cut, &part->problem, &part->box);
    *sums = allocate(*count, sizeof **sums, "sums of the energy", error);
    TRY_MADE(*sums);
    **sums = known;
    if (of_turns) {
        return PW_OK;
    }
    const struct patch owned = patch_in_part(&part->box, part->box.own, part->box.own_end, 0);
    return one ? stepper_energy_in(part->stepper, run, &owned, *sums, error)
               : all_rows_energy(crew, part, run, *sums, error);
}
