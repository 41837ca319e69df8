/* Whether a plan is as large as plans are: buildings of metres and not of decimetres, walls as thick as walls, doors as
 * wide as doors, more floor than wall. A file whose header says millimetres over a drawing in inches is found so. */
#pragma once

#include "import/import.h"

/* What of the drawing tells how large it is, in its units; 0 where there is none. */
struct plan_measures {
    double across, upwards; /* of all that becomes part of the plan */
    double wall;            /* the usual thickness of walls that are areas or wide lines */
    double faces;           /* the usual distance of lines that run beside each other */
    double door;            /* the usual radius of door arcs, or length of openings */
};

/* To be called when classes are decided, and before faces are joined. */
pw_status plan_measures_take(const struct import *import, struct plan_measures *measures, pw_error *error);

/* Says what of the plan cannot be, and which unit would fit, in a sentence; "" where all can. *fits: there is one that
 * does. */
void plan_doubt(const struct import *import, const struct plan_measures *measures, char *text, size_t size, bool *fits);

/* The unit that fits a drawing that has none, as "--unit 1in makes it 10.1 m x 6.1 m, doors 91 cm"; "" where none does.
 */
void plan_unit_advise(const struct import *import, const struct plan_measures *measures, char *text, size_t size);
