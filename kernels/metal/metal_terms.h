/* The terms of a row beside metal, as the tables of kernels want them: each at a place of its own. Host only. */
#ifndef METAL_TERMS_H
#define METAL_TERMS_H

#include "problem/problem.h"

/* Calls action(place, weight) for the terms of a row, of which place_of(term) is the place. False where they do not
 * suit a table: a term has no place (-1), places do not rise, or a weight is nothing in single precision. */
template <typename Place, typename Action>
bool for_every_term(const struct problem *problem, const struct metal_row *row, const Place &place_of,
                    const Action &action)
{
    int last = -1;
    for (int t = 0; t < row->count; t++) {
        const struct metal_term &term = problem->metal_terms[row->first + t];
        const int place = place_of(term);
        if (place <= last || (float)term.weight == 0) {
            return false;
        }
        last = place;
        action(place, (float)term.weight);
    }
    return true;
}

#endif
