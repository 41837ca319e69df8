/* The floor that persons walk on: its grid, and its solves without and with them. */
#pragma once

#include "walk/scatter/around.h"
#include "walk/scatter/person.h"
#include "walk/walk.h"

#define SMALL_REGION "spectra.region=[0, 0, 0.1, 0.1]" /* where the frequencies of spectra are needed alone */

struct stage {
    const pw_walk_options *options;
    struct walk *walk;
    char *text, *file; /* owned: the scenario with everything chosen, what messages call it */
    int *kept;         /* (walk->transmitters), owned: which of the scenario's */
    int *receiver;     /* (walk->receivers), owned: the same of receivers */
    int *pick;         /* (walk->frequencies), owned: which of the frequencies that are solved */
    char lattice[160]; /* spectra.region and spectra.spacing, as --set has them */
    char spacing[64];
    char material[MATERIAL_SIZE];
    double air;           /* m: that a person needs around its middle */
    double cell;          /* m */
    struct around around; /* what walls send back, owned; without points unless the method is PW_WALK_WALLS */
};

/* Chooses grid and frequencies, fills names, places and frequencies of `walk`; walk->position must be there. */
pw_status stage_make(const pw_scenario *scenario, const pw_walk_options *options, struct walk *walk,
                     struct stage *stage, pw_error *error);
void stage_free(struct stage *stage);
/* Puts a person of `at` into a scenario. */
pw_status stage_add_person(const struct stage *stage, pw_scenario *scenario, const double at[2], pw_error *error);
/* Cells from a corner of the grid to the first node of the field along persons, along x and y: that of H lies in the
 * middles of cells. */
double stage_node(const struct stage *stage);

/* Solves the empty floor and fills walk->empty and, by the method, walk->csi. */
pw_status stage_solve(struct stage *stage, pw_error *error);

/* Solves the floor with the persons in the plan at some poses; csi (count, frequencies, receivers, transmitters). */
pw_status stage_solve_poses(struct stage *stage, const int *pose, int count, float complex *csi, pw_error *error);
