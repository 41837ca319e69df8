/* What h of each face answers, where metal cuts faces (physics.md section 11): the circulation of E around the part of
 * it outside of metal, over the area of that part. Where the area is small against the edges around it, the face takes
 * some of a neighbour's circulation and area, so that the time step need not fall. */
#pragma once

#include "medium/raster.h"

/* h of `face`, j nx + i, gains part times the circulation of the face `from`, in units in which 1 is a whole face. */
struct face_share {
    int64_t face, from;
    double part;
};

struct metal_faces {
    struct face_share *shares; /* (count), owned, ascending by face: of all faces that are not plain */
    int64_t count;
    size_t capacity;
    uint8_t *plain; /* (ny, nx), owned: answers its own circulation by 1 */
};

/* Every edge of `cells` is a part (none METAL_STAIRCASE). `limit`: so many times the edges of a whole face a face may
 * have over its area, 1 for differences as steep as yee's. After a failure too, metal_faces_free. */
pw_status metal_faces_create(const struct metal_cells *cells, double limit, struct metal_faces *faces, pw_error *error);
void metal_faces_free(struct metal_faces *faces);

/* The shares of a face that is not plain: *count of them, none of one that is all metal. */
const struct face_share *metal_faces_of(const struct metal_faces *faces, int64_t face, int *count);
