/* Fields that are kept in 16 bits a value (half.h). */
#include "problem/physics/physics.h"

/* What the checksum of a problem without it does not have. */
static void visit(struct array_walk *walk)
{
    static const char WORD[] = "half";
    if (walk->problem->half) {
        walk_values(walk, WORD, sizeof WORD, 1, WHOLE);
    }
}

/* Units that a cut divides would be rounded in another way than in the whole; and what parts exchange is not made of
 * units. */
static pw_status cut_half(const struct part_cut *cut, struct problem *part, pw_error *error)
{
    (void)part;
    FAIL_IF(cut->whole->half, error, PW_USAGE,
            "with grid.storage: half a grid is solved in one piece: not in parts on several devices or processes, and "
            "not in parts that take turns on one device; leave storage out, or give one device");
    return PW_OK;
}

static bool has_half(const struct problem *problem)
{
    return problem->half;
}

const struct physics physics_half = {.arrays = visit,
                                     .cut = cut_half,
                                     .present = has_half,
                                     .declined = "it does not keep fields in 16 bits (grid.storage: half)"};
