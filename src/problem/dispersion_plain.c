/* The dispersion model plain: a permittivity and a conductivity that do not depend on frequency (physics.md section 1;
 * the formulas of ca and cb are derived in problem.h). */
#include "base/constants.h"
#include "problem/dispersion.h"

/* a = sigma dt / (2 eps0 eps_r): half of what conduction takes from the field in one step. */
static double half_loss(const struct dispersive_medium *medium, const struct dispersion_step *step)
{
    return medium->conductivity * step->time_step / (2 * FREE_SPACE_PERMITTIVITY * medium->relative_permittivity);
}

static void plain_fill(const struct dispersive_medium *medium, const struct dispersion_step *step, double *row)
{
    double k = SPEED_OF_LIGHT * step->time_step / step->cell, a = half_loss(medium, step);
    row[COEFFICIENT_CA] = (1 - a) / (1 + a);
    row[COEFFICIENT_CB] = k * k * step->laplacian_tap / (medium->relative_permittivity * (1 + a));
}

/* (1+a) Ez gains -dt I / (eps cell^2). */
static double plain_source_weight(const struct dispersive_medium *medium, const struct dispersion_step *step)
{
    double epsilon = FREE_SPACE_PERMITTIVITY * medium->relative_permittivity;
    return -step->time_step / (epsilon * step->cell * step->cell * (1 + half_loss(medium, step)));
}

const struct dispersion_model dispersion_plain = {.name = "plain",
                                                  .description =
                                                      "permittivity and conductivity, the same at every frequency",
                                                  .kind = DISPERSION_PLAIN,
                                                  .width = COEFFICIENT_PLAIN_WIDTH,
                                                  .fill = plain_fill,
                                                  .source_weight = plain_source_weight};
