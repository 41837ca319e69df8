/* Several steps of maxwell3d at once over tiles that stay in cache, by all threads, in place.
 *
 * A tile is a range of y that moves down by `lag` rows from one level (step) to the next; its planes are marched along
 * z, each level `lag` planes behind the one before it. At position z of a tile, level l advances
 *
 *     h of plane z - l lag,  rows  tile rows - l lag .. (tile + 1) rows - l lag - 1,   then
 *     E of the plane and of rows depth - 1 further down, which is as far as h is known;
 *
 * with lag = 2 depth - 1, h of the next level stands just where E of this level no longer needs the old h, and E of the
 * level before is known `depth` further up (problem_depth: the reach, but beside metal). So no value is kept twice.
 * Tensor nodes read one row and one plane more:
 * they are added once E has moved on by one more, and lag is one larger.
 *
 * Where nothing changes along z there is one plane: a tile then takes its levels one after the other, position z being
 * the level.
 *
 * Tiles follow each other in order of y, and several steps further on the next ones begin at the bottom again. A tile
 * may be at position z when the tile before it has left z, and when the tiles of the steps before it, as far up as it
 * reads, have gone far enough: so threads take tiles in order, each following the one before at a distance. */
#pragma once

#include "backend/cpu/volume/volume_march.h"

struct volume_tiling {
    int levels, rows; /* of a tile */
    int threads;
};

/* The tiling that suits the caches. */
struct volume_tiling volume_tiling_choose(const struct volume_grid *grid, int threads);
/* "LEVELSxROWS"; false when the text says nothing of the kind. */
bool volume_tiling_parse(const char *text, struct volume_tiling *tiling);

/* One run of a grid from level `step` on, `steps` steps: at most volume_tap_slots, and no further than the group of
 * samples under way. */
struct volume_job {
    const struct volume_grid *grid;
    const struct volume_run *run;
    const struct volume_marcher *marcher;
    int64_t step, steps;
};

pw_status volume_march_job(const struct volume_job *job, const struct volume_tiling *tiling, pw_error *error);
