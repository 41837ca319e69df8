#ifndef PARALLEL_WALLS_H
#define PARALLEL_WALLS_H
#include "drawing/drawing.h"
pw_status drawing_join_faces(struct drawing *drawing, int class_index, double nearest, double farthest,
                             pw_error *error);
#endif
