/* See problem_bytes.h. The problem itself comes first, then its arrays one after the other; both ways visit them in the
 * same order. */
#include "problem/physics/problem_bytes.h"

#include "problem/physics/physics.h"

#include <string.h>

/* Counts when `bytes` is NULL, else writes, or reads when `reads`. */
struct stream {
    struct array_walk walk; /* first, so that one is the other */
    char *bytes;
    size_t used, size;
    pw_status status;
    pw_error *error;
};

static void raw(struct stream *stream, void *value, size_t size)
{
    if (stream->status == PW_OK && stream->walk.reads && size > stream->size - stream->used) {
        stream->status = fail(stream->error, PW_NUMERICAL, "a part of the grid came with bytes missing");
    }
    if (stream->status != PW_OK || size == 0) {
        return;
    }
    if (stream->walk.reads) {
        memcpy(value, stream->bytes + stream->used, size);
    } else if (stream->bytes != NULL) {
        memcpy(stream->bytes + stream->used, value, size);
    }
    stream->used += size;
}

/* When it is read, it is allocated, and NULL until then. */
static void array(struct array_walk *walk, const struct array *array)
{
    struct stream *stream = (struct stream *)walk;
    char *elements, there;
    memcpy(&elements, array->place, sizeof elements);
    there = elements != NULL;
    raw(stream, &there, 1);
    if (walk->reads) {
        elements = NULL;
        if (stream->status == PW_OK && there) {
            elements = allocate((size_t)array->count, array->size, "a part of the grid", stream->error);
            stream->status = elements != NULL ? PW_OK : PW_NO_RESOURCE;
        }
        memcpy(array->place, &elements, sizeof elements);
    }
    if (elements == NULL) {
        return;
    }
    raw(stream, elements, (size_t)array->count * array->size);
    for (int64_t n = 0; array->each != NULL && n < array->count; n++) { /* after a failure too: nothing is kept */
        array->each(walk, elements + (size_t)n * array->size);
    }
}

static void stream_problem(struct stream *stream, struct problem *problem)
{
    stream->walk.problem = problem;
    stream->walk.array = array;
    raw(stream, problem, sizeof *problem);
    problem_visit(&stream->walk);
}

pw_status problem_to_bytes(const struct problem *problem, char **bytes, size_t *size, pw_error *error)
{
    struct problem read_only = *problem; /* what is not read is not written */
    struct stream count = {.error = error}, stream = {.error = error};
    stream_problem(&count, &read_only);
    *size = count.used;
    *bytes = stream.bytes = allocate(count.used, 1, "a part of the grid on its way", error);
    TRY_MADE(stream.bytes);
    stream_problem(&stream, &read_only);
    return stream.status;
}

pw_status problem_from_bytes(const char *bytes, size_t size, struct problem *problem, pw_error *error)
{
    struct stream stream = {.walk = {.reads = true}, .bytes = (char *)(uintptr_t)bytes, .size = size, .error = error};
    *problem = (struct problem){0};
    stream_problem(&stream, problem);
    return stream.status;
}
