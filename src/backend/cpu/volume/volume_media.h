/* The media of a grid as blocks of columns, every different block once (volume_march.h). */
#pragma once

#include "backend/cpu/volume/volume_march.h"

/* Fills pool, pool_count and blocks. */
pw_status volume_media_create(const struct problem *problem, struct volume_grid *grid, pw_error *error);
/* How many different blocks there are; 0 when there is no memory to count them. */
int64_t volume_media_count(const struct problem *problem);
