/* Building materials: the ITU-R P.2040-3 table and values of the user's own, resolved at one frequency. */
#ifndef MATERIAL_H
#define MATERIAL_H

#include "scenario.h"
#include "warnings.h"

struct material {
    char name[NAME_SIZE];
    double relative_permittivity;
    double conductivity; /* S/m */
    bool perfect_conductor;
};

/* Resolves a choice at `frequency` [Hz]. Unknown name: PW_BAD_INPUT with the known names. Outside the P.2040 range: a warning,
 * or with `strict` PW_BAD_INPUT. `line` is for messages. */
pw_status material_resolve(const struct material_choice *choice, double frequency, bool strict,
                           struct warnings *warnings, struct material *material, pw_error *error);

/* True when `name` is in the table (either band of a two-band material). */
bool material_known(const char *name);

#endif
