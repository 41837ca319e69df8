/* Pieces of air in the faces of a grid that metal cuts (physics.md section 11). A thin sheet of metal leaves air on
 * both sides of it in one face. The larger piece is the face; every other piece joins a face next to it on its own side
 * of the metal, with its area and with the edges around it. */
#pragma once

#include "medium/raster.h"

enum {
    PIECE_LINES = 8, /* across a face in either direction, beside those along its edges */
    MARKS = 64       /* places along a line in a face */
};

/* Where metal stands in a face: bit p of a line is the part p/64 to (p + 1)/64 of it. */
struct metal_marks {
    uint64_t line[2][PIECE_LINES + 2]; /* along x, along y: the low edge, the lines across, the high edge */
    bool thin;                         /* on some line metal begins and ends inside */
};

struct metal_lattice {
    int32_t *index;            /* (ny, nx), owned: of the face's marks; -1: no metal in it */
    struct metal_marks *marks; /* (count), owned */
    int64_t count;
};

/* `cells` has areas and edges as if every face were one piece. */
pw_status metal_pieces_settle(const struct metal_lattice *lattice, struct metal_cells *cells, pw_error *error);
