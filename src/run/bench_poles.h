/* Dispersive walls of the box that `planwave bench` times (bench_problem.h). */
#ifndef BENCH_POLES_H
#define BENCH_POLES_H

#include "problem/problem.h"

/* Gives this part of the nodes, 0 to 0.5, a Debye pole: walls ten cells thick along every axis of the formulation, each
 * of whose layers is a medium of its own, as averaging makes of a wall of four cells. The coefficients and where they
 * stand are there. PW_NO_RESOURCE without memory. */
pw_status bench_poles_set(struct problem *problem, double part, pw_error *error);

#endif
