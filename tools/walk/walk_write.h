/* Files of a walk. */
#ifndef WALK_WRITE_H
#define WALK_WRITE_H

#include "walk/doppler.h"

struct walk_story {
    const struct walk *walk;
    const struct walk_options *options;
    const struct doppler *doppler;
    const char *title; /* of the scenario */
};

/* Everything, as HDF5; `csi` alone, as complex64 for numpy; and a picture of one link. */
pw_status walk_write_hdf5(const struct walk_story *story, const char *path, pw_error *error);
pw_status walk_write_npy(const struct walk_story *story, const char *path, pw_error *error);
pw_status walk_write_picture(const struct walk_story *story, size_t link, const char *path, pw_error *error);

const char *walk_method_text(enum walk_method method);

#endif
