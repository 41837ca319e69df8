/* Pieces of what is sent: texts and binary frames that several clients hold at once (PROTOCOL.md has the header). */
#pragma once

#include "tools/ground.h"

#include <stdatomic.h>

struct blob {
    atomic_int holders;
    bool binary;
    size_t size;
    char bytes[]; /* (size) */
};

/* With one holder; NULL for want of memory. `bytes` NULL: to be filled in. */
struct blob *blob_create(bool binary, const void *bytes, size_t size);
/* A text that is freed here; NULL stays NULL. */
struct blob *blob_of_text(char *text);
struct blob *blob_hold(struct blob *blob);
/* NULL is allowed. */
void blob_release(struct blob *blob);

enum frame_kind { FRAME_MAP = 1, FRAME_PLAN = 2, FRAME_WAVE = 3, FRAME_FLOOR = 4 };
enum { FRAME_HEADER = 96, FRAME_BEST = -1 };

struct frame {
    enum frame_kind kind;
    bool full, local_mean;
    int quantity;
    uint32_t revision, sequence;
    int rows, columns;
    double x0, y0, pitch_x, pitch_y; /* m */
    double seconds, error_db;
    int transmitter; /* FRAME_BEST: the best at each cell */
};

/* With `values` (rows, columns) as float32, or `indices` as uint8 where values is NULL. NULL for want of memory. */
struct blob *frame_create(const struct frame *frame, const float *values, const uint8_t *indices);
