/* What happens in the rows of a grid beside the curls: sources, tensor nodes, poles, taps of probes and of samples, in
 * the order in which the march meets them (volume_march.h). */
#pragma once

#include "backend/cpu/volume/volume_march.h"

/* Fills events, probes, samples, tensors and poles. After a failure volume_events_destroy frees what there is. */
pw_status volume_events_create(const struct problem *problem, struct volume_grid *grid, pw_error *error);
void volume_events_destroy(struct volume_grid *grid);
/* Taps of all probes, and points of all sheets. */
int64_t volume_probe_taps(const struct problem *problem);
int64_t volume_sample_taps(const struct problem *problem);
