/* What is solved, and how a scenario becomes a problem of it: Ez alone in two dimensions; there with horizontal
 * polarisation Ex, Ey and Hz, a layer in which nothing changes along z; or all components in three dimensions
 * (physics.md section 11). The table in formulation.c is where the deciding tells them apart. */
#pragma once

#include "discretize/setup.h"

struct setup_formulation {
    int components; /* that are solved and received: 1, Ez; or 3, where Ez is eta0 Hz with horizontal polarisation */
    int electric;   /* of E: 1, 2 or 3. Over 1 E stands across faces, too */
    bool moment;    /* a transmitter is a current moment [A m], not a current along z [A] */
    double moved;   /* values of a cell that a step moves, over those of Ez alone */
    void (*set_grid)(struct problem *problem, const int cells[3], double cell);
    pw_status (*raster)(struct setup *setup, struct raster_grid *grid, struct setup_common *common, pw_error *error);
    pw_status (*find_shares)(struct setup *setup, const struct raster_grid *plane, bool sampled, pw_error *error);
    pw_status (*add_source)(struct setup *setup, int index, pw_error *error);
    pw_status (*add_receivers)(struct setup *setup, pw_error *error);
    void (*choose_planes)(struct setup *setup);                                            /* of the running spectra */
    pw_status (*choose_points)(struct setup *setup, pw_error *error);                      /* likewise */
    pw_status (*lattice_receivers)(struct setup *setup, int64_t *points, pw_error *error); /* taken from them */
};

/* Of a scenario; a set-up has it from its beginning (struct setup). */
const struct setup_formulation *setup_formulation_of(const struct scenario *scenario);

/* Of Ez alone: dispersive_nodes.c, setup_signals.c and setup_spectra.c. */
pw_status nodes_find_shares(struct setup *setup, const struct raster_grid *plane, bool sampled, pw_error *error);
pw_status nodes_add_source(struct setup *setup, int index, pw_error *error);
pw_status nodes_add_receivers(struct setup *setup, pw_error *error);
pw_status nodes_choose_points(struct setup *setup, pw_error *error);
pw_status nodes_lattice_receivers(struct setup *setup, int64_t *points, pw_error *error);
