/* How deep an absorber is by default, and what is wrong with one that is not deep enough for a long and narrow grid
 * (physics.md section 3). */
#pragma once

#include "problem/absorber.h"

/* What a scenario gets that names the kind and says nothing else but how many cells. */
struct absorber absorber_usual(const struct absorber_model *model, int cells);

/* Relative error of the field on the axis of free space that is `width` between two absorbers, `length` from the
 * source (m), by waves that graze them; about 1 and more: the layer is no absorber there. */
double absorber_grazing_error(const struct absorber *absorber, double cell, double width, double length);
