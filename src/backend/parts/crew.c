/* See crew.h. */
#include "backend/parts/crew.h"
#include "base/clock.h"

#include <math.h>
#include <stdlib.h>

/* What a part and one of its neighbours send each other, of all runs one after the other. */
struct part_link {
    int neighbour;
    struct patch outgoing, incoming;
    size_t outgoing_bytes, incoming_bytes; /* of a run */
    char *sent, *taken;                    /* (runs, bytes), owned */
};

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

pw_status part_crew_create(const struct cut *cut, const struct halo *halo, int runs, int room, struct part_crew *crew,
                           pw_error *error)
{
    *crew = (struct part_crew){.cut = *cut, .halo = *halo, .runs = runs, .room = room};
    crew->parts = allocate((size_t)room, sizeof *crew->parts, "parts of the grid", error);
    return crew->parts != NULL ? PW_OK : PW_NO_RESOURCE;
}

void part_crew_free(struct part_crew *crew)
{
    if (crew->parts == NULL) {
        return;
    }
    for (int p = 0; p < crew->count; p++) {
        struct part *part = &crew->parts[p];
        crew->halo.close(part->exchange);
        stepper_destroy(part->stepper);
        for (int l = 0; l < part->link_count; l++) {
            free(part->links[l].sent);
            free(part->links[l].taken);
        }
        free(part->links);
        problem_free(&part->problem);
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
    if (part->links == NULL) {
        return PW_NO_RESOURCE;
    }
    for (int other = 0; other < count; other++) {
        struct part_link *link = &part->links[part->link_count];
        if (!link_to(&crew->cut, &part->problem, part->number, other, link)) {
            continue;
        }
        part->link_count++;
        link->sent = allocate((size_t)crew->runs, link->outgoing_bytes, "the exchange of a part of the grid", error);
        link->taken = allocate((size_t)crew->runs, link->incoming_bytes, "the exchange of a part of the grid", error);
        if (link->sent == NULL || link->taken == NULL) {
            return PW_NO_RESOURCE;
        }
    }
    return PW_OK;
}

static pw_status open_exchange(const struct part_crew *crew, struct part *part, pw_error *error)
{
    struct halo_region *regions =
        allocate((size_t)part->link_count, sizeof *regions, "the exchange of a part of the grid", error);
    if (regions == NULL) {
        return PW_NO_RESOURCE;
    }
    for (int l = 0; l < part->link_count; l++) {
        const struct part_link *link = &part->links[l];
        regions[l] = (struct halo_region){.neighbour = link->neighbour,
                                          .outgoing_bytes = (size_t)crew->runs * link->outgoing_bytes,
                                          .incoming_bytes = (size_t)crew->runs * link->incoming_bytes,
                                          .outgoing = link->sent,
                                          .incoming = link->taken};
    }
    pw_status status =
        crew->halo.open(crew->halo.context, part->number, regions, part->link_count, &part->exchange, error);
    free(regions);
    return status;
}

static pw_status create_stepper(struct part *part, const struct part_options *options, pw_error *error)
{
    const struct backend *backend = backend_find(options->backend, error);
    if (backend == NULL) {
        return PW_NO_RESOURCE;
    }
    const struct backend_options own = {.threads = options->threads,
                                        .solver = options->solver[0] != '\0' ? options->solver : NULL};
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
    TRY(create_stepper(part, options, error));
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

/* Packs (`out`) or unpacks what a part exchanges, and counts it. */
static pw_status copy_links(const struct part_crew *crew, const struct part *part, bool out, int64_t *bytes,
                            pw_error *error)
{
    pw_status status = PW_OK;
    for (int l = 0; l < part->link_count; l++) {
        struct part_link *link = &part->links[l];
        *bytes += (int64_t)crew->runs * (int64_t)(out ? link->outgoing_bytes : link->incoming_bytes);
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

static pw_status exchange(struct part_crew *crew, pw_error *error)
{
    struct part_clock *clock = &crew->clock;
    pw_status status = PW_OK;
    pw_error own = {{0}};
    double since = clock_seconds();
    for (int p = 0; p < crew->count; p++) {
        status = first_failure(status, copy_links(crew, &crew->parts[p], true, &clock->bytes, &own), &own, error);
        add_time(&clock->packing, &since);
        status = first_failure(status, crew->halo.start(crew->parts[p].exchange, NULL, &own), &own, error);
        add_time(&clock->travelling, &since);
    }
    for (int p = 0; p < crew->count; p++) {
        status = first_failure(status, crew->halo.finish(crew->parts[p].exchange, NULL, &own), &own, error);
        add_time(&clock->travelling, &since);
        status = first_failure(status, copy_links(crew, &crew->parts[p], false, &clock->bytes, &own), &own, error);
        add_time(&clock->packing, &since);
    }
    clock->exchanges++;
    crew->since = 0;
    return status;
}

pw_status part_crew_advance(struct part_crew *crew, int64_t steps, pw_error *error)
{
    pw_status status = PW_OK;
    pw_error own = {{0}};
    while (steps > 0) {
        if (crew->since == crew->cut.depth) {
            status = first_failure(status, exchange(crew, &own), &own, error);
        }
        int64_t left = crew->cut.depth - crew->since, some = steps < left ? steps : left;
        double since = clock_seconds();
        for (int p = 0; p < crew->count; p++) {
            status = first_failure(status, stepper_advance(crew->parts[p].stepper, some, &own), &own, error);
        }
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

size_t part_energy_count(const struct cut *cut, const struct problem *problem, const struct part_box *box)
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

pw_status part_energy(const struct part_crew *crew, const struct part *part, int run, double *sums, pw_error *error)
{
    const struct part_box *box = &part->box;
    const int count = box->own_end[0] - box->own[0], components = problem_components(&part->problem);
    const size_t size = problem_value_size(&part->problem);
    char *row = allocate((size_t)components * (size_t)count, size, "a row of a part of the grid", error);
    pw_status status = row != NULL ? PW_OK : PW_NO_RESOURCE;
    for (int k = box->own[2]; k < box->own_end[2]; k++) {
        for (int j = box->own[1]; j < box->own_end[1] && status == PW_OK; j++) {
            const int first[3] = {box->own[0], j, k}, end[3] = {box->own_end[0], j + 1, k + 1};
            const struct patch patch = patch_in_part(box, first, end, state_electric(&part->problem));
            status = stepper_patch(part->stepper, run, &patch, row, true, error);
            for (int c = 0; c < components; c++) {
                sums = row_energy(&part->problem, row + (size_t)c * (size_t)count * size, count,
                                  energy_blocks(&crew->cut, box), sums);
            }
        }
    }
    free(row);
    return status;
}
