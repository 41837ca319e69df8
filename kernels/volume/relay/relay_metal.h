/* Places beside metal as a relay steps them: rows by where they stand, so that those of a level of a tile are two runs
 * of them. The weights of a row are those of the places that it takes differences of along two axes, of the lower
 * component first, in the order in which they are added: 4 reach places, 0 where it has no term. Leaves out: rows of
 * another form or order, which a relay declines; what threads do with them (relay_rows.h). */
#ifndef RELAY_METAL_H
#define RELAY_METAL_H

#include "kernels/common/device_memory.h"

enum { METAL_COLUMNS = 32 }; /* of a group: tiles begin at multiples of them */

/* On the device; first NULL: there are none. */
struct relay_metal {
    const int *first; /* (2, nz, groups, ny), and one more: the first row in a row of a group, of E and of h */
    int groups;
    const unsigned *place; /* of each row: its component of the field, and 4 times its column in the group, and
                              4 METAL_COLUMNS times its j */
    const float4 *weights; /* (rows, reach) */
};

/* Whether all rows have that form. */
bool relay_metal_suits(const struct problem *problem);

uint64_t relay_metal_bytes(const struct problem *problem);

/* `electric`: those of E too. */
pw_status relay_metal_create(const struct problem *problem, bool electric, device_memory *memory, relay_metal *metal,
                             pw_error *error);

#endif
