/* Files of a walk. */
#pragma once

#include "walk/doppler.h"

/* Everything, as HDF5; csi alone, as complex64 for numpy; and a picture of one link. */
pw_status walk_write_hdf5(const struct walk *walk, const struct doppler *doppler, const char *path, pw_error *error);
pw_status walk_write_npy(const struct walk *walk, const char *path, pw_error *error);
pw_status walk_write_picture(const struct walk *walk, const struct doppler *doppler, size_t link, const char *path,
                             pw_error *error);
/* An animated picture, .gif, as long as the walk. */
pw_status walk_write_film(const struct walk *walk, const char *path, pw_error *error);
