/* Blobs and binary frames (frame.h). */
#include "serve/frame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct blob *blob_create(bool binary, const void *bytes, size_t size)
{
    struct blob *blob = malloc(sizeof *blob + size);
    if (blob != NULL) {
        atomic_init(&blob->holders, 1);
        blob->binary = binary;
        blob->size = size;
        if (bytes != NULL) {
            memcpy(blob->bytes, bytes, size);
        }
    }
    return blob;
}

struct blob *blob_of_text(char *text)
{
    struct blob *blob = text != NULL ? blob_create(false, text, strlen(text)) : NULL;
    free(text);
    return blob;
}

struct blob *blob_hold(struct blob *blob)
{
    if (blob != NULL) {
        atomic_fetch_add(&blob->holders, 1);
    }
    return blob;
}

void blob_release(struct blob *blob)
{
    if (blob != NULL && atomic_fetch_sub(&blob->holders, 1) == 1) {
        free(blob);
    }
}

/* ---- frames, little-endian ---- */

static char *put(char *at, uint64_t bits, int bytes)
{
    for (int n = 0; n < bytes; n++) {
        *at++ = (char)(unsigned char)(bits >> (8 * n));
    }
    return at;
}

static char *put_real(char *at, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return put(at, bits, 8);
}

static void range_find(const struct frame *frame, const float *values, const uint8_t *indices, double range[2])
{
    size_t count = (size_t)frame->rows * (size_t)frame->columns;
    range[0] = range[1] = NAN;
    for (size_t n = 0; n < count; n++) {
        double value = values != NULL ? (double)values[n] : indices[n];
        if (isfinite(value)) {
            range[0] = fmin(range[0], value); /* a NAN gives way */
            range[1] = fmax(range[1], value);
        }
    }
}

static char *header_put(char *at, const struct frame *frame, bool real, const double range[2])
{
    const double places[] = {frame->x0, frame->y0, frame->pitch_x, frame->pitch_y,
                             range[0],  range[1],  frame->seconds, frame->error_db};
    memcpy(at, "PWL1", 4);
    at = put(at + 4, (uint64_t)frame->kind, 1);
    at = put(at, real ? 1 : 2, 1);
    at = put(at, frame->full, 1);
    at = put(at, (uint64_t)frame->quantity, 1);
    at = put(at, frame->revision, 4);
    at = put(at, (uint64_t)frame->rows, 4);
    at = put(at, (uint64_t)frame->columns, 4);
    at = put(at, frame->sequence, 4);
    for (size_t n = 0; n < sizeof places / sizeof places[0]; n++) {
        at = put_real(at, places[n]);
    }
    at = put(at, (uint32_t)frame->transmitter, 4);
    return put(at, frame->local_mean, 4);
}

struct blob *frame_create(const struct frame *frame, const float *values, const uint8_t *indices)
{
    size_t count = (size_t)frame->rows * (size_t)frame->columns;
    struct blob *blob = blob_create(true, NULL, FRAME_HEADER + count * (values != NULL ? 4 : 1));
    double range[2];
    if (blob == NULL) {
        return NULL;
    }
    range_find(frame, values, indices, range);
    char *at = header_put(blob->bytes, frame, values != NULL, range);
    for (size_t n = 0; values != NULL && n < count; n++) {
        uint32_t bits;
        memcpy(&bits, &values[n], sizeof bits);
        at = put(at, bits, 4);
    }
    if (values == NULL) {
        memcpy(at, indices, count);
    }
    return blob;
}
