/* Ways of persons. */
#pragma once

#include "ground.h"
#include "walk/planwave_walk.h"

double path_length(const pw_walk_path *path);
/* Where a person is after `distance` [m], at the end if the path is shorter. */
void path_at(const pw_walk_path *path, double distance, double place[2]);
