/* Previews that keep what did not change: a quick solve of each transmitter alone, known by all that it was made from,
 * so that a drag costs one solve. A wall, a material or another band makes all of them anew. */
#ifndef LIVE_PREVIEWS_H
#define LIVE_PREVIEWS_H

#include "map/map.h"
#include "serve/solve/solve.h"

/* One transmitter's solve, and its levels on the map as they were last asked for. */
struct preview {
    char *key; /* owned: the scenario of this transmitter alone, as text */
    uint32_t plan_revision;
    struct solved solved;
    struct map levels; /* value NULL: not computed yet */
};

struct previews {
    struct preview *list; /* (count), owned, in the order of the transmitters */
    int count;
    bool whole;        /* all transmitters of one revision are there */
    int solved_last;   /* how many of them the last update solved; the others were kept */
    uint32_t revision; /* of the scenario */
    double seconds, error_db;
};

/* Solves what is not there yet and drops what is of no use any more; on failure, or when
 * go_on() says so (PW_INTERRUPTED), they are not whole, but what was solved so far is there the next time. */
pw_status previews_update(struct previews *previews, const struct solve_task *task, uint32_t revision, pw_error *error);

/* A map of powers of previews that are whole: as map_compute() makes it of one result with all of the transmitters. */
pw_status previews_map(struct previews *previews, const pw_map_options *options, struct map *map, pw_error *error);

/* The caller holds the lock of files. */
void previews_free(struct previews *previews);

#endif
