/* Whether the arrays of two outputs may stand in one, and which swept keys are to blame when not. Private to collect/.
 */
#pragma once

#include "sweep/sweep.h"

/* Whether two outputs agree; else what differs first. */
struct difference {
    bool same;
    char text[300];
};

/* Compares frequencies, transmitters, sheets and points. Leaves some sheet chosen. */
pw_status lattices_compare(pw_result *a, pw_result *b, struct difference *difference, pw_error *error);

/* Same nodes of the whole grid, absorber included? */
bool plans_agree(const pw_result_facts *a, const pw_result_facts *b);

/* "grid.cell = 1 cm there, 2 cm here": the keys in which two cases differ. */
void keys_tell(const struct sweep *sweep, int64_t there, int64_t here, char *text, size_t size);
