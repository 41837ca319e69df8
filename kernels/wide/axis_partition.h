/* Lattices of blocks: every column of blocks is divided alike, so that it is enough to divide both axes. Host only. */
#ifndef AXIS_PARTITION_H
#define AXIS_PARTITION_H

#include <vector>

#include "kernels/common/boxes.h"

/* An axis divided into parts. */
struct axis_partition {
    std::vector<int> ends;        /* of the parts, after 0 */
    std::vector<wide_axis> kinds; /* the parts, and of those that are alike to a block one */

    int count() const
    {
        return (int)ends.size() - 1;
    }
};

/* Ways to divide n nodes at multiples of `unit` into parts of at most `most` nodes and at least `least`; parts at the
 * ends have at least `border` nodes. */
std::vector<axis_partition> axis_partitions(const struct problem *p, int n, int unit, int most, int least, int border,
                                            int parts);

/* A grid to be divided into a lattice of blocks, and the best way that a solver's model finds. To find it takes
 * milliseconds and is asked for several times on the way to an engine, and again with every move of a transmitter on a
 * live page, on which it does not depend: each solver remembers its last one, on every thread. */
struct lattice_question {
    int columns, rows, region, reach, taps, processors;
    size_t shared_limit;

    bool operator==(const lattice_question &other) const;
};
struct lattice_choice {
    lattice_question asked;
    bool found;
    axis_partition x, y;
};
lattice_question lattice_asked(const box_request &request, int processors);

/* Fills `set` with the boxes of a lattice, row by row, and their probes. */
void place_lattice(const struct problem *p, const axis_partition &x, const axis_partition &y, box_set *set);

#endif
