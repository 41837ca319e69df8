/* The state of a grid whose parts take turns on a device (turns.cu): in memory of the host that the device copies from
 * and to by itself, laid out as the device would lay out the whole grid. Parts are cut across the slowest axis alone,
 * so that the rows (in three dimensions: levels) of any range of them are one piece of every array here and on the
 * device:
 *
 *      host     [ row 0 | row 1 | ....................................... | row n-1 ]
 *                                    |  valid of a part  |
 *      device               [ margin | row | row | ... | row | margin ]     zeros in the margin
 *
 * What poles and Mur's edges remember is here as in struct run_state; it goes by patches (patch/device_patch.h). */
#ifndef WHOLE_STATE_H
#define WHOLE_STATE_H

#include "kernels/patch/device_patch.h"
#include "kernels/turns/pinned_memory.h"

extern "C" {
#include "backend/solver.h"
}

/* An array of a run: units of so many values, one for each row or, of filters along the cut axis, for each of those. */
struct whole_array {
    size_t unit = 0, units = 0; /* unit 0: there is none */
    size_t lead = 0;            /* values of a unit that stand before its first node */
    bool filters = false;
    char *host = NULL; /* of the first run */
};

/* So many values of an array, here and of a part on the device, each from the first value of the run's array on. */
struct whole_piece {
    int array;
    ptrdiff_t device;
    size_t host, values;
};

struct whole_state {
    const struct problem *whole = NULL;
    int runs = 0, axis = 1; /* axis: that is cut */
    size_t real = 4;
    whole_array arrays[STATE_POLES];
    char *edges = NULL, *poles = NULL;
    std::list<pinned_memory> owned;

    whole_state() = default;
    whole_state(const whole_state &) = delete;
    whole_state &operator=(const whole_state &) = delete;

    /* Zeros. */
    pw_status create(const struct problem *problem, int run_count, pw_error *error);
    char *array_of(int array, int run) const
    {
        return arrays[array].host + (size_t)run * arrays[array].unit * arrays[array].units * real;
    }
    /* The unit of row `row` of a problem that is the whole or a part of it; -1: none. */
    int unit_of(const struct problem *problem, int array, int row) const;
    /* Rows a .. b-1 of the whole, for a part that begins at row `first`. */
    std::vector<whole_piece> pieces(const struct problem *part, int first, int a, int b) const;
};

/* The axis that is cut: the slowest that has more than one node. */
inline int turn_axis(const struct problem *problem)
{
    return problem->formulation == FORMULATION_MAXWELL3D && problem->axis[2].count > 1 ? 2 : 1;
}

/* Bytes of such a state. */
uint64_t whole_state_bytes(const struct problem *problem, int runs);

#endif
