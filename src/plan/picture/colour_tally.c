/* A table of colours that grows by doubling (colour_tally.h). A photograph has more colours than anybody reads of, so
 * that their number is limited. */
#include "plan/picture/colour_tally.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS_AT_FIRST = 1024, COLOUR_LIMIT = 200000 };

/* The slot of the colour, or the free one where it belongs. */
static struct colour_count *slot_find(struct colour_count *counts, size_t slots, uint32_t colour)
{
    size_t slot = (size_t)(colour * 2654435761u) & (slots - 1);
    while (counts[slot].pixels > 0 && counts[slot].colour != colour) {
        slot = (slot + 1) & (slots - 1);
    }
    return &counts[slot];
}

static pw_status tally_grow(struct colour_tally *tally, pw_error *error)
{
    size_t slots = tally->slots > 0 ? 2 * tally->slots : SLOTS_AT_FIRST;
    struct colour_count *counts = allocate(slots, sizeof *counts, "the colours of the plan", error);
    TRY_MADE(counts);
    for (size_t n = 0; n < tally->slots; n++) {
        if (tally->counts[n].pixels > 0) {
            *slot_find(counts, slots, tally->counts[n].colour) = tally->counts[n];
        }
    }
    free(tally->counts);
    tally->counts = counts;
    tally->slots = slots;
    return PW_OK;
}

pw_status colour_tally_add(struct colour_tally *tally, uint32_t colour, int column, int row, pw_error *error)
{
    if (2 * (tally->colours + 1) > tally->slots) {
        TRY(tally_grow(tally, error));
    }
    struct colour_count *count = slot_find(tally->counts, tally->slots, colour);
    tally->pixels++;
    if (count->pixels == 0) {
        if (tally->colours == COLOUR_LIMIT) {
            tally->more = true;
            return PW_OK;
        }
        tally->colours++;
        *count = (struct colour_count){.colour = colour, .column = column, .row = row};
    }
    count->pixels++;
    return PW_OK;
}

static int count_order(const void *a, const void *b)
{
    const struct colour_count *one = a, *other = b;
    if (one->pixels != other->pixels) {
        return one->pixels < other->pixels ? 1 : -1;
    }
    return (one->colour > other->colour) - (one->colour < other->colour);
}

void colour_tally_sort(struct colour_tally *tally)
{
    if (tally->slots > 0) {
        qsort(tally->counts, tally->slots, sizeof *tally->counts, count_order);
    }
}

void colour_tally_free(struct colour_tally *tally)
{
    free(tally->counts);
    *tally = (struct colour_tally){0};
}
