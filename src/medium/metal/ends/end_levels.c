/* See end_levels.h. */
#include "medium/metal/ends/end_levels.h"

int end_levels_find(const struct metal_volume *cuts, int *levels)
{
    int count = 0;
    for (int k = 0; k < cuts->nz; k++) {
        const int layer = cuts->edge_layer[2][k];
        bool seen = cuts->band[k] < 0 || layer == 0 || cuts->face_layer[0][k] == 0 || cuts->face_layer[1][k] == 0;
        for (int n = 0; n < k && !seen; n++) {
            seen = cuts->edge_layer[2][n] == layer;
        }
        levels[count] = k;
        count += seen ? 0 : 1;
    }
    return count;
}

bool end_levels_are_apart(const struct metal_volume *cuts, const int *levels, int count)
{
    bool apart = true;
    for (int n = 0; n < 4 * count * count && apart; n++) {
        const int one = levels[n / 4 / count], other = levels[n / 4 % count];
        apart = one == other || cuts->face_layer[n & 1][one] != cuts->face_layer[n >> 1 & 1][other];
    }
    return apart;
}
