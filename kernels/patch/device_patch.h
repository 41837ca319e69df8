/* Patches (src/backend/patch.h) of a run on the device, in and out: what parts of a grid exchange. The rows of a patch
 * are listed once, as places in the run's arrays, and a kernel moves all of them between the arrays and one piece of
 * memory, which then travels in one copy. Lists of patches that come again, as at every exchange, stay on the device.
 * Leaves out: where an array has its values (`device_locate`, of an engine). */
#ifndef DEVICE_PATCH_H
#define DEVICE_PATCH_H

#include <functional>
#include <list>
#include <memory>

#include "kernels/common/device_memory.h"

extern "C" {
#include "backend/patch.h"
}

enum { PATCH_BASES = STATE_POLES + 2, PATCH_INCREMENTS = STATE_POLES + 1 };

/* Where the run has its arrays now: by enum state_array. In two dimensions what poles remember of the step before may
 * be the increments themselves: PATCH_INCREMENTS is then their array, in place of STATE_POLES. */
struct patch_bases {
    void *of[PATCH_BASES];
};

/* A place in an array. */
struct patch_place {
    int base;
    size_t value; /* number of the first value */
};

/* Where the values of a row are; may lower row->count to what lies there one after the other. */
typedef std::function<patch_place(struct patch_row *row)> device_locate;

/* Values of a row that are moved by one warp. */
struct patch_piece {
    uint64_t value; /* in its array */
    uint32_t to;    /* among the values of its batch */
    uint16_t count; /* of values */
    uint16_t base;
};

/* Pieces whose values fit the staging memory together. */
struct patch_batch {
    const patch_piece *pieces; /* on the device */
    size_t count, values;
};

/* The batches of a patch that may come again. */
struct patch_list {
    struct patch patch;
    std::vector<patch_batch> batches;
    device_memory memory;
    size_t bytes = 0;
};

/* Of one engine: its memory for patches, none before the first. */
struct device_patches {
    std::list<std::unique_ptr<patch_list>> lists; /* the latest first */
    size_t listed = 0, room = 0;                  /* bytes of the lists, and how many may be kept */
    void *staging = NULL;
    device_memory memory;
};

/* What a patch is copied with. */
struct patch_request {
    const struct problem *problem;
    const struct patch *patch;
    patch_bases bases;
    const device_locate &locate;
    cudaStream_t stream;
    bool deferred; /* need not be done when the copying returns, but for a patch that was not listed yet */
};

/* Copies the values of a patch out of the run (`store`) or into it; `values` is memory of the host or of a device. Done
 * when this returns, unless it is deferred. */
pw_status device_patch_copy(device_patches *patches, const patch_request &request, void *values, bool store,
                            pw_error *error);

#endif
