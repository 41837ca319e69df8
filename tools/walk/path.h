/* Where persons walk: a line of straight pieces. */
#ifndef WALK_PATH_H
#define WALK_PATH_H

#include "ground.h"

enum { PATH_CORNERS = 256 };

struct path {
    double corner[PATH_CORNERS][2]; /* m */
    int count;                      /* 1: the person stands there */
};

/* "2,3 4.5,3": PW_USAGE with what is wrong. */
pw_status path_parse(const char *text, struct path *path, pw_error *error);
double path_length(const struct path *path);
/* Where a person is after `distance` [m], at the end if the path is shorter. */
void path_at(const struct path *path, double distance, double place[2]);

#endif
