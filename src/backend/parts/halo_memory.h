/* The exchange between parts of one process: what one part sends is copied to where its neighbour reads. */
#pragma once

#include "backend/parts/halo.h"

struct device_functions;

/* The `context` of halo_memory for parts 0 .. count-1, whose buffers are on `devices` (NULL: on the host); NULL without
 * memory. */
void *halo_memory_create(int count, const struct device_functions *devices, pw_error *error);
void halo_memory_free(void *context);

/* Lacks its context, which whoever copies this puts in. */
extern const struct halo halo_memory;
