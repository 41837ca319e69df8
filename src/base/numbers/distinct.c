/* See distinct.h. Slots are half full at most, and a key is in the first one from that of its hash on that is not
 * another's. */
#include "base/numbers/distinct.h"

#include "base/numbers/splitmix.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM_AT_FIRST = 1024 };

static uint64_t hash_of(const struct distinct *set, const void *key)
{
    const unsigned char *bytes = key;
    uint64_t hash = 0;
    for (size_t n = 0; n < set->size; n += sizeof hash) {
        uint64_t word = 0;
        memcpy(&word, bytes + n, set->size - n < sizeof word ? set->size - n : sizeof word);
        hash = splitmix_hash(hash ^ word);
    }
    return hash;
}

/* Where the key is, or the free slot where it would go. */
static uint32_t *slot_of(const struct distinct *set, const void *key)
{
    const size_t last = 2 * set->room - 1;
    size_t at = (size_t)hash_of(set, key) & last;
    while (set->slots[at] != 0 && memcmp(distinct_key(set, set->slots[at] - 1), key, set->size) != 0) {
        at = (at + 1) & last;
    }
    return &set->slots[at];
}

static pw_status grow(struct distinct *set, const char *what, pw_error *error)
{
    const size_t room = set->room > 0 ? 2 * set->room : ROOM_AT_FIRST;
    FAIL_IF(room > UINT32_MAX / 2, error, PW_NO_RESOURCE, "not enough memory for %zu of %s", room, what);
    unsigned char *keys = allocate(room, set->size, what, error);
    uint32_t *slots = allocate(2 * room, sizeof *slots, what, error);
    if (keys == NULL || slots == NULL) {
        FREE_ALL(keys, slots);
        return PW_NO_RESOURCE;
    }
    if (set->count > 0) {
        memcpy(keys, set->keys, set->count * set->size);
    }
    FREE_ALL(set->keys, set->slots);
    set->keys = keys;
    set->slots = slots;
    set->room = room;
    for (size_t n = 0; n < set->count; n++) {
        *slot_of(set, distinct_key(set, n)) = (uint32_t)n + 1;
    }
    return PW_OK;
}

pw_status distinct_number(struct distinct *set, const void *key, const char *what, uint32_t *number, pw_error *error)
{
    if (set->count == set->room) {
        TRY(grow(set, what, error));
    }
    uint32_t *slot = slot_of(set, key);
    if (*slot == 0) {
        memcpy(set->keys + set->count++ * set->size, key, set->size);
        *slot = (uint32_t)set->count;
    }
    *number = *slot - 1;
    return PW_OK;
}

void distinct_clear(struct distinct *set)
{
    set->count = 0;
    if (set->slots != NULL) {
        memset(set->slots, 0, 2 * set->room * sizeof *set->slots);
    }
}

void distinct_free(struct distinct *set)
{
    FREE_ALL(set->keys, set->slots);
    set->keys = NULL;
    set->slots = NULL;
    set->count = set->room = 0;
}
