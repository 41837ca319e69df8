/* A material of a plan: permittivity and conductivity at one frequency, from the table of building materials or from
 * the user. */
#ifndef MATERIAL_H
#define MATERIAL_H

#include "api/bench.h"
#include "base/warnings.h"
#include "scenario/material_table.h"
#include "scenario/scenario.h"

struct material {
    char name[NAME_SIZE];
    double relative_permittivity;
    double conductivity; /* S/m */
    bool perfect_conductor;
};

/* Resolves a choice at `frequency` [Hz]. Unknown name: PW_BAD_INPUT with the known names. Outside the P.2040 range: a
 * warning, or with `strict` PW_BAD_INPUT. Air and perfect conductors are what they are at every frequency. */
pw_status material_resolve(const struct material_choice *choice, double frequency, bool strict,
                           struct warnings *warnings, struct material *material, pw_error *error);

#endif
