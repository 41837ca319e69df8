/* The pieces of air in one face that metal cuts. Leaves out which face a piece joins (metal_pieces.c). */
#pragma once

#include "medium/metal_pieces.h"

enum { POINTS = PIECE_LINES * PIECE_LINES, PIECES = 4, STEP = MARKS / PIECE_LINES, NO_PIECE = 255 };

struct face_pieces {
    uint8_t label[POINTS]; /* of point (a, b), b 8 + a */
    int count;
    bool thin; /* metal has air on both sides */
    double area[PIECES], x[PIECES], y[PIECES];
    int64_t owner[PIECES]; /* the face that it counts to; -1: none yet */
};

/* Whether metal stands on a line between places from and to. */
static inline bool is_blocked(uint64_t line, int from, int to)
{
    const uint64_t some = (to - from >= MARKS ? ~UINT64_C(0) : (UINT64_C(1) << (to - from)) - 1) << from;
    return (line & some) != 0;
}

static inline int place_of(int point)
{
    return point * STEP + STEP / 2;
}

/* Of face number `own` with so much area outside of metal. */
void face_pieces_read(const struct metal_marks *marks, double area, int64_t own, struct face_pieces *face);
