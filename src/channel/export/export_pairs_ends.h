/* The two ends of all pairs in their file: who they are and where they stand. Private to export_pairs.c. */
#pragma once

#include "base/file/hdf5_write.h"
#include "channel/pairs.h"

/* A dataset of doubles. */
pw_status pairs_numbers_write(hid_t group, const struct layout *about, const double *values, pw_error *error);

/* /receivers: name, position, asked_position, gain; in three dimensions polarisation. */
pw_status pairs_receivers_write(const struct pair_list *list, hid_t file, pw_error *error);

/* /transmitters: name, position, power; in three dimensions polarisation. */
pw_status pairs_transmitters_write(const struct pair_list *list, hid_t file, pw_error *error);
