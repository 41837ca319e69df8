/* See rank_shares.h. */
#include "run/ranks/rank_shares.h"
#include "backend/parts/parted.h"

bool rank_shares_read(const struct simulation *simulation, struct rank_shares *shares)
{
    const struct cut *cut = parted_cut(simulation->stepper);
    double longest = 0;
    for (int p = 0; cut != NULL && p < cut_count(cut); p++) {
        struct part_clock clock;
        if (parted_clock(simulation->stepper, p, &clock, NULL) != PW_OK) {
            return false;
        }
        const double busy = clock.stepping + clock.packing, all = busy + clock.travelling;
        if (busy > longest) {
            longest = busy;
            *shares = (struct rank_shares){p, clock.stepping / all, clock.packing / all, clock.travelling / all};
        }
    }
    return longest > 0;
}
