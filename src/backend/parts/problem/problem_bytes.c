/* See problem_bytes.h. The problem itself comes first, then its arrays one after the other; both ways visit them in the
 * same order. */
#include "backend/parts/problem/problem_bytes.h"

#include <stdlib.h>
#include <string.h>

/* Counts when `bytes` is NULL, else writes, or reads when `reads`. */
struct stream {
    char *bytes;
    size_t used, size;
    bool reads;
    pw_status status;
    pw_error *error;
};

static void raw(struct stream *stream, void *value, size_t size)
{
    if (stream->status == PW_OK && stream->reads && size > stream->size - stream->used) {
        stream->status = fail(stream->error, PW_NUMERICAL, "a part of the grid came with bytes missing");
    }
    if (stream->status != PW_OK || size == 0) {
        return;
    }
    if (stream->reads) {
        memcpy(value, stream->bytes + stream->used, size);
    } else if (stream->bytes != NULL) {
        memcpy(stream->bytes + stream->used, value, size);
    }
    stream->used += size;
}

/* An array of `count` elements of `size` bytes, which may be absent. When it is read, it is allocated, and NULL until
 * then. */
static void array(struct stream *stream, void *place, int64_t count, size_t size)
{
    void *values = NULL;
    char there = 0;
    memcpy(&values, place, sizeof values);
    there = values != NULL;
    raw(stream, &there, 1);
    if (stream->reads) {
        values = NULL;
        if (stream->status == PW_OK && there) {
            values = allocate((size_t)count, size, "a part of the grid", stream->error);
            stream->status = values != NULL ? PW_OK : PW_NO_RESOURCE;
        }
        memcpy(place, &values, sizeof values);
    }
    if (there) {
        raw(stream, values, (size_t)count * size);
    }
}

static void sources(struct stream *stream, struct problem *problem)
{
    array(stream, &problem->sources, problem->source_count, sizeof *problem->sources);
    for (int s = 0; stream->reads && problem->sources != NULL && s < problem->source_count; s++) {
        struct source *source = &problem->sources[s];
        source->node = NULL;
        source->weight = source->drive = source->current = source->further_weight = source->further_drive = NULL;
    }
    for (int s = 0; stream->status == PW_OK && problem->sources != NULL && s < problem->source_count; s++) {
        struct source *source = &problem->sources[s];
        array(stream, &source->node, source->count, sizeof(int64_t));
        array(stream, &source->weight, source->count, sizeof(double));
        array(stream, &source->drive, problem->steps, sizeof(double));
        array(stream, &source->current, problem->steps, sizeof(double));
        array(stream, &source->further_weight, source->further * source->count, sizeof(double));
        array(stream, &source->further_drive, source->further * problem->steps, sizeof(double));
    }
}

/* Places and weights of all probes stand one after the other. */
static void probes(struct stream *stream, struct problem *problem)
{
    int64_t places = 0;
    array(stream, &problem->probes, problem->probe_count, sizeof *problem->probes);
    for (int p = 0; stream->status == PW_OK && p < problem->probe_count; p++) {
        places += problem->probes[p].count;
    }
    array(stream, &problem->probe_places, places, sizeof(int64_t));
    array(stream, &problem->probe_weights, places, sizeof(double));
    places = 0;
    for (int p = 0; stream->reads && stream->status == PW_OK && p < problem->probe_count; p++) {
        struct probe *probe = &problem->probes[p];
        probe->place = probe->count > 0 ? problem->probe_places + places : NULL;
        probe->weight = probe->count > 0 ? problem->probe_weights + places : NULL;
        places += probe->count;
    }
}

static void media(struct stream *stream, struct problem *problem)
{
    const int64_t columns = (int64_t)problem->axis[0].count * problem->axis[1].count;
    array(stream, &problem->coefficients, (int64_t)problem->coefficient_count * COEFFICIENT_WIDTH, sizeof(double));
    array(stream, &problem->coefficient_index, columns * problem->layer_count, sizeof(uint16_t));
    for (int c = 0; c < 3; c++) {
        array(stream, &problem->layer[c], problem->axis[2].count, sizeof(int));
    }
    array(stream, &problem->tensor_nodes, problem->tensor_count, sizeof *problem->tensor_nodes);
    array(stream, &problem->metal_rows, problem->metal_row_count, sizeof *problem->metal_rows);
    array(stream, &problem->metal_terms, problem->metal_term_count, sizeof *problem->metal_terms);
    array(stream, &problem->pole_media, problem->pole_medium_count, sizeof *problem->pole_media);
    array(stream, &problem->pole_steps, problem->pole_step_count, sizeof *problem->pole_steps);
    array(stream, &problem->pole_spans, problem->pole_span_count, sizeof *problem->pole_spans);
}

static void visit(struct stream *stream, struct problem *problem)
{
    for (int a = 0; a < 3; a++) {
        array(stream, &problem->axis[a].half, problem->axis[a].count, sizeof *problem->axis[a].half);
        array(stream, &problem->axis[a].node, problem->axis[a].count, sizeof *problem->axis[a].node);
    }
    media(stream, problem);
    sources(stream, problem);
    probes(stream, problem);
    array(stream, &problem->spectra.frequency, problem->spectra.frequency_count, sizeof(double));
    array(stream, &problem->spectra.omega, problem->spectra.frequency_count, sizeof(double));
    array(stream, &problem->spectra.sheets, problem->spectra.sheet_count, sizeof *problem->spectra.sheets);
}

pw_status problem_to_bytes(const struct problem *problem, char **bytes, size_t *size, pw_error *error)
{
    struct problem read_only = *problem; /* what is not read is not written */
    struct stream count = {.error = error}, stream = {.error = error};
    raw(&count, &read_only, sizeof read_only);
    visit(&count, &read_only);
    *size = count.used;
    *bytes = stream.bytes = allocate(count.used, 1, "a part of the grid on its way", error);
    if (stream.bytes == NULL) {
        return PW_NO_RESOURCE;
    }
    raw(&stream, &read_only, sizeof read_only);
    visit(&stream, &read_only);
    return stream.status;
}

/* The addresses that came along belong to another process. */
static void forget_arrays(struct problem *problem)
{
    struct problem numbers = *problem;
    for (int a = 0; a < 3; a++) {
        numbers.axis[a].half = numbers.axis[a].node = NULL;
        numbers.layer[a] = NULL;
    }
    numbers.coefficients = NULL;
    numbers.coefficient_index = NULL;
    numbers.tensor_nodes = NULL;
    numbers.metal_rows = NULL;
    numbers.metal_terms = NULL;
    numbers.pole_media = NULL;
    numbers.pole_steps = NULL;
    numbers.pole_spans = NULL;
    numbers.probes = NULL;
    numbers.probe_places = NULL;
    numbers.probe_weights = NULL;
    numbers.spectra.frequency = numbers.spectra.omega = NULL;
    numbers.spectra.sheets = NULL;
    numbers.sources = NULL;
    *problem = numbers;
}

pw_status problem_from_bytes(const char *bytes, size_t size, struct problem *problem, pw_error *error)
{
    struct stream stream = {.bytes = (char *)(uintptr_t)bytes, .size = size, .reads = true, .error = error};
    *problem = (struct problem){0};
    raw(&stream, problem, sizeof *problem);
    forget_arrays(problem);
    visit(&stream, problem);
    if (stream.status != PW_OK && problem->sources == NULL) {
        problem->source_count = 0;
    }
    return stream.status;
}
