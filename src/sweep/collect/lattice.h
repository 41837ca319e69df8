/* Whether the arrays of two outputs may stand in one, and which swept keys are to blame when not. Private to collect/.
 */
#ifndef LATTICE_H
#define LATTICE_H

#include "result/result.h"
#include "sweep/sweep.h"

/* Same frequencies, transmitters, sheets and points? If not, `difference` says what differs. */
bool lattices_agree(const struct result *a, const struct result *b, char *difference, size_t size);

/* Same nodes of the whole grid, absorber included? */
bool plans_agree(const struct result *a, const struct result *b);

/* "grid.cell = 1 cm there, 2 cm here": the keys in which two cases differ. */
void keys_tell(const struct sweep *sweep, int64_t there, int64_t here, char *text, size_t size);

#endif
