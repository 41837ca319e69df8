/* The arrays of rings and edges of a picture's outlines (outline.h), which grow by doubling up to limits that drawings
 * do not reach. */
#include "drawing/picture/outline.h"

enum { OUTLINE_LIMIT = 300000, EDGE_LIMIT = 3000000 };

pw_status outlines_noise(pw_error *error)
{
    return fail(error, PW_BAD_INPUT,
                "the picture has more than %d outlines or %d million edges, or endless ones: it is a photograph or "
                "noise; a larger "
                "tolerance joins colours, specks can be dropped, a scan or photograph of a drawing wants to be read as "
                "a scan",
                OUTLINE_LIMIT, EDGE_LIMIT / 1000000);
}

void outlines_free(struct outlines *outlines)
{
    PW_FREE_ALL(outlines->rings, outlines->edges);
    *outlines = (struct outlines){0};
}

pw_status outlines_room(struct outlines *outlines, pw_error *error)
{
    if (outlines->edge_count >= EDGE_LIMIT) {
        return outlines_noise(error);
    }
    TRY(array_grow(&outlines->edges, &outlines->edge_room, outlines->edge_count, sizeof *outlines->edges,
                   "edges of outlines", error));
    return PW_OK;
}

pw_status outlines_begin_ring(struct outlines *outlines, size_t component, int class_index, pw_error *error)
{
    if (outlines->ring_count >= OUTLINE_LIMIT) {
        return outlines_noise(error);
    }
    TRY(array_grow(&outlines->rings, &outlines->ring_room, outlines->ring_count, sizeof *outlines->rings, "outlines",
                   error));
    outlines->rings[outlines->ring_count++] = (struct outline_ring){outlines->edge_count, 0, component, class_index};
    return PW_OK;
}
