/* ca and cb of a medium (coefficient.h). */
#include "problem/coefficient.h"

#include "base/constants.h"

/* a = sigma dt / (2 eps0 eps_r): half of what conduction takes from the field in one step. */
static double half_loss(const struct plain_medium *medium, const struct coefficient_step *step)
{
    return medium->conductivity * step->time_step / (2 * FREE_SPACE_PERMITTIVITY * medium->relative_permittivity);
}

void coefficient_fill(const struct plain_medium *medium, const struct coefficient_step *step,
                      double row[COEFFICIENT_WIDTH])
{
    double k = SPEED_OF_LIGHT * step->time_step / step->cell, a = half_loss(medium, step);
    row[COEFFICIENT_CA] = (1 - a) / (1 + a);
    row[COEFFICIENT_CB] = k * k * step->laplacian_tap / (medium->relative_permittivity * (1 + a));
}

/* (1+a) Ez gains -dt I / (eps cell^2). */
double coefficient_source_weight(const struct plain_medium *medium, const struct coefficient_step *step)
{
    double epsilon = FREE_SPACE_PERMITTIVITY * medium->relative_permittivity;
    return -step->time_step / (epsilon * step->cell * step->cell * (1 + half_loss(medium, step)));
}
