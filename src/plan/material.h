/* A material of a plan: permittivity and conductivity at one frequency, from the table of building materials or from
 * the user. */
#pragma once

#include "api/bench.h"
#include "base/warnings.h"
#include "scenario/material_table.h"
#include "scenario/scenario.h"

/* What of a material's permittivity depends on frequency; without poles nothing does. */
struct material_dispersion {
    int pole_count;
    struct pole poles[POLE_LIMIT];
    double relative_permittivity, conductivity; /* of the material without its poles */
    bool opaque; /* with its poles the permittivity is not above 0: waves do not run in it, and are reflected */
};

/* Of a dispersive material permittivity and conductivity are those at the one frequency, its poles included: what walls
 * are averaged with and shown as. Where the poles take the permittivity under 1, as a plasma below its frequency, they
 * are left out of both. */
struct material {
    char name[NAME_SIZE];
    double relative_permittivity;
    double conductivity; /* S/m */
    bool perfect_conductor;
    struct material_dispersion dispersion;
};

/* Whatever its name is. */
static inline bool material_is_air(const struct material *material)
{
    return !material->perfect_conductor && material->relative_permittivity == 1 && material->conductivity == 0 &&
           material->dispersion.pole_count == 0;
}

/* What stands on the grid for a medium (problem/grid_medium.h) is known where none of the plan's has poles. */
static inline bool materials_have_poles(const struct material *materials, int count)
{
    bool poles = false;
    for (int m = 0; m < count && !poles; m++) {
        poles = materials[m].dispersion.pole_count > 0;
    }
    return poles;
}

/* Resolves a choice at `frequency` [Hz]. Unknown name: PW_BAD_INPUT with the known names. Outside the P.2040 range: a
 * warning, or with `strict` PW_BAD_INPUT. Air and perfect conductors are what they are at every frequency. */
pw_status material_resolve(const struct material_choice *choice, double frequency, bool strict, pw_notes *warnings,
                           struct material *material, pw_error *error);
