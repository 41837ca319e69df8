/* See halo_memory.h. */
#include "backend/parts/halo_memory.h"
#include "backend/backend.h"

#include <stdlib.h>
#include <string.h>

struct board;

struct memory_exchange {
    struct board *board; /* borrowed */
    int own, count;
    struct halo_region *regions; /* (count), owned */
};

struct board {
    int count;
    const struct device_functions *devices; /* NULL: the buffers are on the host */
    struct memory_exchange **exchange;      /* (count): of each part, borrowed */
};

void *halo_memory_create(int count, const struct device_functions *devices, pw_error *error)
{
    struct board *board = allocate(1, sizeof *board, "an exchange between parts", error);
    if (board == NULL) {
        return NULL;
    }
    board->count = count;
    board->devices = devices;
    board->exchange = allocate((size_t)count, sizeof(struct memory_exchange *), "an exchange between parts", error);
    if (board->exchange == NULL) {
        free(board);
        return NULL;
    }
    return board;
}

void halo_memory_free(void *context)
{
    struct board *board = context;
    if (board != NULL) {
        free(board->exchange);
        free(board);
    }
}

static pw_status open_regions(void *context, int own, const struct halo_region *regions, int count, void **exchange,
                              pw_error *error)
{
    struct memory_exchange *opened = allocate(1, sizeof *opened, "an exchange between parts", error);
    TRY_MADE(opened);
    *opened = (struct memory_exchange){.board = context, .own = own, .count = count};
    opened->regions = allocate((size_t)count, sizeof *regions, "an exchange between parts", error);
    if (opened->regions == NULL) {
        free(opened);
        return PW_NO_RESOURCE;
    }
    memcpy(opened->regions, regions, (size_t)count * sizeof *regions);
    opened->board->exchange[own] = opened;
    *exchange = opened;
    return PW_OK;
}

/* The neighbour's region that faces this part; NULL when it has none. */
static const struct halo_region *facing(const struct memory_exchange *own, int neighbour)
{
    const struct memory_exchange *other = own->board->exchange[neighbour];
    for (int r = 0; other != NULL && r < other->count; r++) {
        if (other->regions[r].neighbour == own->own) {
            return &other->regions[r];
        }
    }
    return NULL;
}

static pw_status start_copies(void *exchange, void *stream, pw_error *error)
{
    const struct memory_exchange *own = exchange;
    (void)stream;
    for (int r = 0; r < own->count; r++) {
        const struct halo_region *from = &own->regions[r], *to = facing(own, from->neighbour);
        FAIL_IF(to == NULL || to->incoming_bytes != from->outgoing_bytes, error, PW_USAGE,
                "part %d sends part %d %zu bytes that it does not expect", own->own, from->neighbour,
                from->outgoing_bytes);
        if (from->outgoing_bytes > 0 && own->board->devices != NULL) {
            TRY(own->board->devices->copy(to->incoming, from->outgoing, from->outgoing_bytes, error));
        } else if (from->outgoing_bytes > 0) {
            memcpy(to->incoming, from->outgoing, from->outgoing_bytes);
        }
    }
    return PW_OK;
}

/* All parts have started, in turns of one thread, so that all has been copied. */
static pw_status finish_nothing(void *exchange, void *stream, pw_error *error)
{
    (void)exchange;
    (void)stream;
    (void)error;
    return PW_OK;
}

static void close_regions(void *exchange)
{
    struct memory_exchange *own = exchange;
    if (own != NULL) {
        own->board->exchange[own->own] = NULL;
        free(own->regions);
        free(own);
    }
}

const struct halo halo_memory = {
    .name = "memory", .open = open_regions, .start = start_copies, .finish = finish_nothing, .close = close_regions};
