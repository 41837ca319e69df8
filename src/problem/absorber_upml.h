/* The absorber kind upml: see absorber.h. */
#ifndef ABSORBER_UPML_H
#define ABSORBER_UPML_H

#include "problem/absorber.h"

struct absorber_filter upml_filter(const struct absorber *absorber, double depth, double cell, double time_step);

#endif
