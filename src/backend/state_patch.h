/* The canonical state of a run, which is in double, and the values of a run or of a patch of the whole grid. Where a
 * solver has each row (patch_locate) is all that it takes to save and to load. */
#pragma once

#include "backend/solver.h"

/* Fields, filters and what is remembered between a run (`copy`) and its state; arrays that the state leaves out are
 * passed over. */
void state_exchange(const struct patch_copy *copy, struct run_state *state);

/* A state that has E alone, as of read_field (solver.h). */
struct run_state state_of_field(const struct problem *problem, double *e);

/* Out of the state into `values` when `store`, else into the state; arrays that it leaves out are passed over, and come
 * out as zeros. */
void state_patch(const struct problem *problem, struct run_state *state, const struct patch *patch, void *values,
                 bool store);

/* The same for some values of one array of the canonical state alone (`rows`, solver.h); values of the patch elsewhere
 * are passed over both ways. */
void state_rows_patch(const struct problem *problem, const struct state_rows *rows, const struct patch *patch,
                      void *values, bool store);
/* A box that has all nodes of such values, of their array alone. */
struct patch state_rows_box(const struct problem *problem, const struct state_rows *rows);
