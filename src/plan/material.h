/* Building materials: the ITU-R P.2040-3 table and values of the user's own, resolved at one frequency. */
#ifndef MATERIAL_H
#define MATERIAL_H

#include "api/bench.h"
#include "base/warnings.h"
#include "scenario/scenario.h"

#define MATERIAL_REVISION "ITU-R P.2040-3"

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

/* True when `name` is in the table (either band of a two-band material), in any case, with spaces, dashes or
 * underscores. */
bool material_known(const char *name);

/* The table's spelling of `name` ("ceiling_board" is "ceiling board", "vacuum" is "air", "pec" is "metal"), or NULL
 * when unknown. */
const char *material_canonical(const char *name);

/* Every known name, comma separated, into `text`, which is returned. */
const char *material_names(char *text, size_t size);

#endif
