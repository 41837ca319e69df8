/* Keys of one size, told apart from each other by a hash table and numbered in the order in which each came first. */
#pragma once

#include "base/status.h"

struct distinct {
    size_t size;         /* bytes of a key, all of which count; set before the first key */
    unsigned char *keys; /* (count, size), owned */
    size_t count, room;
    uint32_t *slots; /* (2 room), owned: a number plus one; 0: free */
};

/* The number of a key; a new one gets the next, which is the count before the call. PW_NO_RESOURCE names `what`. */
pw_status distinct_number(struct distinct *set, const void *key, const char *what, uint32_t *number, pw_error *error);

/* Key number n. */
static inline const void *distinct_key(const struct distinct *set, size_t n)
{
    return set->keys + n * set->size;
}

/* Takes all keys out and keeps the room. */
void distinct_clear(struct distinct *set);
void distinct_free(struct distinct *set);
