/* How often which colour occurs that the legend of a plan does not have, and where first. */
#pragma once

#include "base/status.h"

struct colour_count {
    uint32_t colour; /* 0xrrggbb */
    int64_t pixels;
    int column, row; /* of the first, from the top left of the picture */
};

struct colour_tally {
    struct colour_count *counts; /* (slots), owned: a table with free slots until it is sorted */
    size_t slots, colours;       /* room, and how many are taken */
    int64_t pixels;              /* of all colours, those beyond the limit included */
    bool more;                   /* there were more colours than are kept apart */
};

/* Counts one pixel. */
pw_status colour_tally_add(struct colour_tally *tally, uint32_t colour, int column, int row, pw_error *error);

/* Puts the most frequent colours first; nothing can be added afterwards. */
void colour_tally_sort(struct colour_tally *tally);
void colour_tally_free(struct colour_tally *tally);
