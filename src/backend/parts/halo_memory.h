/* The exchange between parts of one process: what one part sends is copied to where its neighbour reads. */
#ifndef HALO_MEMORY_H
#define HALO_MEMORY_H

#include "backend/halo.h"

/* The `context` of halo_memory for parts 0 .. count-1; NULL without memory. */
void *halo_memory_create(int count, pw_error *error);
void halo_memory_free(void *context);

/* Lacks its context, which whoever copies this puts in. */
extern const struct halo halo_memory;

#endif
