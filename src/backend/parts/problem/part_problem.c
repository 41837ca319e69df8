/* See part_problem.h. */
#include "backend/parts/problem/part_problem.h"
#include "backend/parts/problem/part_place.h"

#include <stdlib.h>
#include <string.h>

/* ---- axes -------------------------------------------------------------------------------------------------------- */

/* Filters that change nothing, as at a wall without an absorber. */
static void open_margin(struct axis *axis, int first, int count)
{
    for (int i = first; i < first + count; i++) {
        axis->half[i] = axis->node[i] = (struct absorber_filter){1, 1, 0};
    }
}

static pw_status create_axis(const struct axis *whole, const struct part_box *box, int a, int margin, struct axis *axis,
                             pw_error *error)
{
    const int first = box->first[a], count = box->end[a] - first;
    const struct boundary cut = {.kind = whole->high.kind, .cells = margin};
    *axis = *whole;
    axis->count = count;
    axis->half = axis->node = NULL;
    axis->low = first > 0 ? cut : whole->low;
    axis->high = first + count < whole->count ? cut : whole->high;
    if (whole->half == NULL) {
        return PW_OK;
    }
    axis->half = allocate((size_t)count, sizeof *axis->half, "a part of the grid", error);
    axis->node = allocate((size_t)count, sizeof *axis->node, "a part of the grid", error);
    if (axis->half == NULL || axis->node == NULL) {
        return PW_NO_RESOURCE;
    }
    memcpy(axis->half, whole->half + first, (size_t)count * sizeof *axis->half);
    memcpy(axis->node, whole->node + first, (size_t)count * sizeof *axis->node);
    open_margin(axis, 0, first > 0 ? margin : 0);
    open_margin(axis, first + count < whole->count ? count - margin : count, first + count < whole->count ? margin : 0);
    return PW_OK;
}

/* ---- media ------------------------------------------------------------------------------------------------------- */

/* The layers of the index that the part's levels use, numbered anew. */
static pw_status create_layers(const struct problem *whole, const struct part_box *box, struct problem *part,
                               int *layers, pw_error *error)
{
    const int levels = box->end[2] - box->first[2];
    int *number = allocate((size_t)whole->layer_count, sizeof *number, "a part of the grid", error);
    pw_status status = number != NULL ? PW_OK : PW_NO_RESOURCE;
    part->layer_count = 0;
    for (int c = 0; c < 3 && status == PW_OK; c++) {
        part->layer[c] = allocate((size_t)levels, sizeof(int), "a part of the grid", error);
        status = part->layer[c] != NULL ? PW_OK : PW_NO_RESOURCE;
        for (int k = 0; status == PW_OK && k < levels; k++) {
            int layer = whole->layer[c][box->first[2] + k];
            if (number[layer] == 0) {
                layers[part->layer_count] = layer;
                number[layer] = ++part->layer_count;
            }
            part->layer[c][k] = number[layer] - 1;
        }
    }
    free(number);
    return status;
}

static pw_status copy_index(const struct problem *whole, const struct part_box *box, struct problem *part,
                            const int *layers, pw_error *error)
{
    const size_t nx = (size_t)part->axis[0].count, ny = (size_t)part->axis[1].count;
    const size_t whole_nx = (size_t)whole->axis[0].count, whole_ny = (size_t)whole->axis[1].count;
    part->coefficient_index =
        allocate((size_t)part->layer_count * nx * ny, sizeof(uint16_t), "the media of a part of the grid", error);
    if (part->coefficient_index == NULL) {
        return PW_NO_RESOURCE;
    }
    for (size_t row = 0; row < (size_t)part->layer_count * ny; row++) {
        size_t from = ((size_t)layers[row / ny] * whole_ny + (size_t)box->first[1] + row % ny) * whole_nx;
        memcpy(part->coefficient_index + row * nx, whole->coefficient_index + from + (size_t)box->first[0],
               nx * sizeof(uint16_t));
    }
    return PW_OK;
}

static pw_status create_media(const struct problem *whole, const struct part_box *box, struct problem *part,
                              pw_error *error)
{
    const size_t values = (size_t)whole->coefficient_count * (size_t)COEFFICIENT_WIDTH;
    TRY(problem_allocate_coefficients(part, whole->coefficient_count, error));
    memcpy(part->coefficients, whole->coefficients, values * sizeof(double));
    int *layers = allocate((size_t)whole->layer_count, sizeof *layers, "a part of the grid", error);
    if (layers == NULL) {
        return PW_NO_RESOURCE;
    }
    pw_status status = PW_OK;
    if (whole->layer[0] != NULL) {
        status = create_layers(whole, box, part, layers, error);
    }
    if (status == PW_OK) {
        status = copy_index(whole, box, part, layers, error);
    }
    free(layers);
    return status;
}

/* Tensor nodes reach to neighbours, and none may stand near an end. */
static pw_status create_tensors(const struct problem *whole, const struct part_box *box, struct problem *part,
                                pw_error *error)
{
    int first[3], end[3];
    for (int a = 0; a < 3; a++) {
        first[a] = box->first[a] + (box->first[a] > 0 ? whole->reach + 2 : 0);
        end[a] = box->end[a] - (box->end[a] < whole->axis[a].count ? whole->reach + 2 : 0);
    }
    if (whole->tensor_count == 0) {
        return PW_OK;
    }
    part->tensor_nodes = allocate((size_t)whole->tensor_count, sizeof *part->tensor_nodes, "a part of the grid", error);
    if (part->tensor_nodes == NULL) {
        return PW_NO_RESOURCE;
    }
    for (int64_t t = 0; t < whole->tensor_count; t++) {
        struct node_at node = node_of(whole, whole->tensor_nodes[t].node);
        if (node_in(&node, first, end)) {
            struct tensor_node *own = &part->tensor_nodes[part->tensor_count++];
            *own = whole->tensor_nodes[t];
            own->node = place_in_part(part, box, &node);
        }
    }
    return PW_OK;
}

/* Appends the row unless one of its terms lies outside of the part. */
static void take_metal_row(const struct problem *whole, const struct part_box *box, const struct metal_row *row,
                           struct problem *part)
{
    struct node_at node = node_of(whole, row->place);
    int64_t terms = part->metal_term_count;
    bool inside = node_in(&node, box->first, box->end);
    for (int t = 0; t < row->count && inside; t++) {
        const struct metal_term *term = &whole->metal_terms[row->first + t];
        struct node_at there = node_of(whole, term->place);
        inside = node_in(&there, box->first, box->end);
        part->metal_terms[terms + t] = (struct metal_term){place_in_part(part, box, &there), term->weight};
    }
    if (inside) {
        part->metal_rows[part->metal_row_count++] =
            (struct metal_row){place_in_part(part, box, &node), terms, row->count};
        part->metal_term_count += row->count;
    }
}

static pw_status create_metal(const struct problem *whole, const struct part_box *box, struct problem *part,
                              pw_error *error)
{
    if (whole->metal_row_count == 0) {
        return PW_OK;
    }
    part->metal_rows = allocate((size_t)whole->metal_row_count, sizeof *part->metal_rows, "a part of the grid", error);
    part->metal_terms =
        allocate((size_t)whole->metal_term_count, sizeof *part->metal_terms, "a part of the grid", error);
    if (part->metal_rows == NULL || part->metal_terms == NULL) {
        return PW_NO_RESOURCE;
    }
    for (int64_t r = 0; r < whole->metal_row_count; r++) {
        take_metal_row(whole, box, &whole->metal_rows[r], part);
    }
    return PW_OK;
}

/* ---- poles ------------------------------------------------------------------------------------------------------- */

static void *copy_of(const void *from, size_t count, size_t size, pw_error *error)
{
    void *copy = allocate(count, size, "a part of the grid", error);
    if (copy != NULL && count > 0) {
        memcpy(copy, from, count * size);
    }
    return copy;
}

/* The part of a span that lies within the box. */
static void take_span(const struct problem *whole, const struct part_box *box, const struct pole_span *span,
                      struct problem *part)
{
    struct node_at node = node_of(whole, span->place);
    int first = node.at[0] > box->first[0] ? node.at[0] : box->first[0];
    int end = node.at[0] + span->count < box->end[0] ? node.at[0] + span->count : box->end[0];
    node.at[0] = first;
    if (first < end && node_in(&node, box->first, box->end)) {
        part->pole_spans[part->pole_span_count++] = (struct pole_span){.place = place_in_part(part, box, &node),
                                                                       .state = part->pole_state_count,
                                                                       .count = end - first,
                                                                       .medium = span->medium};
        part->pole_state_count += (int64_t)pole_medium_states(&whole->pole_media[span->medium]) * (end - first);
    }
}

static pw_status create_poles(const struct problem *whole, const struct part_box *box, struct problem *part,
                              pw_error *error)
{
    if (whole->pole_span_count == 0) {
        return PW_OK;
    }
    part->pole_medium_count = whole->pole_medium_count;
    part->pole_step_count = whole->pole_step_count;
    part->pole_media = copy_of(whole->pole_media, (size_t)whole->pole_medium_count, sizeof *part->pole_media, error);
    part->pole_steps = copy_of(whole->pole_steps, (size_t)whole->pole_step_count, sizeof *part->pole_steps, error);
    part->pole_spans = allocate((size_t)whole->pole_span_count, sizeof *part->pole_spans, "a part of the grid", error);
    if (part->pole_media == NULL || part->pole_steps == NULL || part->pole_spans == NULL) {
        return PW_NO_RESOURCE;
    }
    for (int64_t s = 0; s < whole->pole_span_count; s++) {
        take_span(whole, box, &whole->pole_spans[s], part);
    }
    return PW_OK;
}

/* ---- sources ----------------------------------------------------------------------------------------------------- */

static pw_status copy_drives(const struct problem *whole, const struct source *from, struct source *source,
                             pw_error *error)
{
    const size_t steps = (size_t)whole->steps, further = (size_t)from->further;
    source->drive = copy_of(from->drive, steps, sizeof(double), error);
    source->further_drive = further > 0 ? copy_of(from->further_drive, further * steps, sizeof(double), error) : NULL;
    return source->drive != NULL && (further == 0 || source->further_drive != NULL) ? PW_OK : PW_NO_RESOURCE;
}

static pw_status create_source(const struct problem *whole, const struct part_box *box, const struct source *from,
                               const struct problem *part, struct source *source, pw_error *error)
{
    const size_t most = (size_t)from->count;
    *source = (struct source){.component = from->component,
                              .hard = from->hard,
                              .sampled_at_step_end = from->sampled_at_step_end,
                              .further = from->further};
    int64_t *kept = source->node = allocate(most, sizeof *source->node, "a part of the grid", error);
    source->weight = allocate(most, sizeof *source->weight, "a part of the grid", error);
    if (from->further > 0) {
        source->further_weight = allocate(most * (size_t)from->further, sizeof(double), "a part of the grid", error);
    }
    if (kept == NULL || source->weight == NULL || (from->further > 0 && source->further_weight == NULL)) {
        return PW_NO_RESOURCE;
    }
    for (int64_t s = 0; s < from->count; s++) { /* first those inside, as numbers of the whole source */
        struct node_at node = node_of(whole, from->node[s]);
        if (node_in(&node, box->valid, box->valid_end)) {
            kept[source->count++] = s;
        }
    }
    for (int64_t n = 0; n < source->count; n++) {
        const int64_t s = kept[n];
        struct node_at node = node_of(whole, from->node[s]);
        source->weight[n] = from->weight[s];
        for (int r = 0; r < from->further; r++) {
            source->further_weight[r * source->count + n] = from->further_weight[r * from->count + s];
        }
        source->node[n] = place_in_part(part, box, &node);
    }
    return copy_drives(whole, from, source, error);
}

static pw_status create_sources(const struct problem *whole, const struct part_box *box, struct problem *part,
                                pw_error *error)
{
    part->sources = allocate((size_t)whole->source_count, sizeof *part->sources, "a part of the grid", error);
    if (part->sources == NULL) {
        return PW_NO_RESOURCE;
    }
    for (; part->source_count < whole->source_count;) {
        int s = part->source_count++;
        TRY(create_source(whole, box, &whole->sources[s], part, &part->sources[s], error));
    }
    return PW_OK;
}

/* ---- the part ---------------------------------------------------------------------------------------------------- */

/* Numbers that the part has as the whole has them; no arrays. */
static void copy_numbers(const struct problem *whole, struct problem *part)
{
    *part = (struct problem){.formulation = whole->formulation,
                             .time_step = whole->time_step,
                             .steps = whole->steps,
                             .precision = whole->precision,
                             .reach = whole->reach,
                             .laplacian_taps = whole->laplacian_taps,
                             .centre = whole->centre,
                             .layer_count = whole->layer_count,
                             .watch_every = whole->watch_every,
                             .decay = whole->decay,
                             .source_end = whole->source_end,
                             .decay_from = whole->decay_from};
    memcpy(part->difference, whole->difference, sizeof part->difference);
    memcpy(part->laplacian, whole->laplacian, sizeof part->laplacian);
}

pw_status part_problem_create(const struct problem *whole, const struct part_box *box, const struct cut *cut,
                              struct problem *part, struct part_records *records, pw_error *error)
{
    copy_numbers(whole, part);
    *records = (struct part_records){0};
    for (int a = 0; a < 3; a++) {
        TRY(create_axis(&whole->axis[a], box, a, cut->margin, &part->axis[a], error));
    }
    TRY(create_media(whole, box, part, error));
    TRY(create_tensors(whole, box, part, error));
    TRY(create_metal(whole, box, part, error));
    TRY(create_poles(whole, box, part, error));
    TRY(create_sources(whole, box, part, error));
    TRY(part_probes_create(whole, box, part, records, error));
    return part_spectra_create(whole, box, part, records, error);
}

void part_records_free(struct part_records *records)
{
    free(records->probes);
    free(records->runs);
    *records = (struct part_records){0};
}
