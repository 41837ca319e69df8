/* The table of building materials of ITU-R P.2040-4 (table 3; physics.md section 7): eps' = a f^b, sigma = c f^d with f
 * in GHz. Leaves out the choice between a row and values of the user's own (plan/material.c). */
#include "scenario/material_table.h"
#include "base/constants.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct material_row TABLE[] = {
    {"air", 1, 0, 0, 0, 0.001, 100},
    {"concrete", 5.24, 0, 0.0462, 0.7822, 1, 100},
    {"concrete", 5.17, 0, 0.0145, 1.09, 110, 330},
    {"brick", 3.91, 0, 0.0238, 0.16, 1, 40},
    {"brick", 4.15, 0, 0.0006, 1.5712, 110, 330},
    {"plasterboard", 2.73, 0, 0.0085, 0.9395, 1, 100},
    {"plasterboard", 2.56, 0, 0.0001, 1.7799, 110, 330},
    {"wood", 1.99, 0, 0.0047, 1.0718, 0.001, 100},
    {"glass", 6.31, 0, 0.0036, 1.3394, 0.1, 100},
    {"glass", 5.79, 0, 0.0004, 1.658, 220, 450},
    {"ceiling board", 1.48, 0, 0.0011, 1.0750, 1, 100},
    {"ceiling board", 1.52, 0, 0.0029, 1.029, 220, 450},
    {"chipboard", 2.58, 0, 0.0217, 0.7800, 1, 100},
    {"chipboard", 2.16, 0, 0.0023, 1.359, 100, 200},
    {"plywood", 2.71, 0, 0.33, 0, 1, 40},
    {"marble", 7.074, 0, 0.0055, 0.9262, 1, 60},
    {"floorboard", 3.66, 0, 0.0044, 1.3515, 50, 100},
    {"clear acrylic", 2.58, 0, 0.0001, 1.6524, 110, 330},
    {"vinyl tile", 3.62, 0, 0.0051, 0.8422, 1, 40},
    {"carpet tile", 2.08, 0, 0.0009, 0.82, 1, 40},
    {"asphalt concrete", 4.83, 0, 0.0108, 1.3969, 1, 40},
    {"metal", 1, 0, 1e7, 0, 1, 100},
    {"very dry ground", 3, 0, 0.00015, 2.52, 1, 10},
    {"medium dry ground", 15, -0.1, 0.035, 1.63, 1, 10},
    {"wet ground", 30, -0.4, 0.15, 1.30, 1, 10},
};
enum { ROW_COUNT = sizeof TABLE / sizeof TABLE[0] };
static_assert((int)ROW_COUNT <= (int)MATERIAL_NAMES_LIMIT, "the list of names has room for every row");

/* What builders and shops call a material, and the row that is nearest to it. */
static const struct {
    const char *name, *others[16];
} COMMON[] = {
    {"air", {"void", "empty", "nothing", "free space", "opening", "gap"}},
    {"concrete", {"cement", "reinforced concrete", "screed", "mortar", "cinder block", "breeze block", "stone wall"}},
    {"brick", {"bricks", "masonry", "brickwork", "clay", "clay brick"}},
    {"plasterboard", {"drywall", "dry wall", "gypsum", "gypsum board", "sheetrock", "wallboard", "plaster", "gib"}},
    {"wood", {"timber", "lumber", "oak", "pine", "spruce", "beech", "hardwood", "softwood", "door", "wooden"}},
    {"glass", {"window", "windows", "pane", "glazing", "double glazing"}},
    {"ceiling board", {"ceiling", "ceiling tile", "acoustic tile", "tile", "tiles", "mineral fibre"}},
    {"chipboard", {"particle board", "particleboard", "osb", "mdf", "fibreboard", "fiberboard", "hardboard"}},
    {"plywood", {"ply", "laminated wood", "multiplex"}},
    {"marble", {"stone", "granite", "limestone", "slate", "ceramic", "ceramic tile", "floor tile", "porcelain"}},
    {"floorboard", {"parquet", "laminate", "floor", "flooring", "floor board"}},
    {"clear acrylic", {"acrylic", "perspex", "plexiglas", "plexiglass"}},
    {"vinyl tile", {"vinyl", "linoleum", "pvc floor"}},
    {"carpet tile", {"carpet"}},
    {"asphalt concrete", {"asphalt", "tarmac", "bitumen"}},
    {"low-e glass", {"low e", "coated glass", "insulating glass", "energy saving glass", "thermal glass"}},
    {"metal-coated glass", {"metallised glass", "metallized glass", "solar control glass", "irr glass"}},
    {"metal",
     {"steel", "stainless steel", "iron", "aluminium", "aluminum", "copper", "brass", "tin", "sheet", "sheet metal",
      "conductor", "elevator", "lift", "radiator"}},
    {"very dry ground", {"sand", "dry ground", "desert"}},
    {"medium dry ground", {"ground", "soil", "earth", "dirt", "lawn", "grass", "garden"}},
    {"wet ground", {"mud", "wet soil", "wet earth", "marsh"}},
};

static bool name_matches(const char *written, const char *name)
{
    for (; *written != '\0' && *name != '\0'; written++, name++) {
        char c = *written == '_' || *written == '-' ? ' ' : (char)tolower((unsigned char)*written);
        if (c != *name) {
            return false;
        }
    }
    return *written == *name;
}

const char *material_canonical(const char *name)
{
    static const char *const ALIASES[][2] = {
        {"vacuum", "air"},           {"pec", "metal"},          {"perfect conductor", "metal"},
        {"foil", "metal"}, /* of aluminium: a hundred skin depths at 10 GHz */
        {"aluminium foil", "metal"}, {"aluminum foil", "metal"}};
    for (int i = 0; i < ROW_COUNT; i++) {
        if (name_matches(name, TABLE[i].name)) {
            return TABLE[i].name;
        }
    }
    for (size_t i = 0; i < sizeof ALIASES / sizeof ALIASES[0]; i++) {
        if (name_matches(name, ALIASES[i][0])) {
            return ALIASES[i][1];
        }
    }
    return NULL;
}

const char *material_meant(const char *name)
{
    for (size_t row = 0; row < sizeof COMMON / sizeof COMMON[0]; row++) {
        for (int i = 0; i < 16 && COMMON[row].others[i] != NULL; i++) {
            if (name_matches(name, COMMON[row].others[i])) {
                return COMMON[row].name;
            }
        }
    }
    return NULL;
}

void material_name_list(const char *names[MATERIAL_NAMES_LIMIT + 1])
{
    int count = 0;
    for (int i = 0; i < ROW_COUNT; i++) {
        if (i == 0 || strcmp(TABLE[i].name, TABLE[i - 1].name) != 0) {
            names[count++] = TABLE[i].name;
        }
    }
    names[count] = NULL;
}

/* Sheet resistance in ohm per square: what a single layer of silver leaves is the 30 dB that was measured through
 * Optitherm SN from 0.8 to 6 GHz (Kiani and others 2008); two layers of silver have half of it, the hard coat of tin
 * oxide three times as much; metal-coated glass is the IRR glass of 3GPP TR 38.901, 23 dB + 0.3 dB a gigahertz. */
static const struct {
    const char *name, *base;
    double resistance;
} COATED[] = {{"low e glass", "glass", 5},
              {"low e glass double silver", "glass", 2.5},
              {"low e glass hard coat", "glass", 15},
              {"metal coated glass", "glass", 10}};

const char *material_coated(const char *name, double *resistance)
{
    for (size_t i = 0; i < sizeof COATED / sizeof COATED[0]; i++) {
        if (name_matches(name, COATED[i].name)) {
            *resistance = COATED[i].resistance;
            return COATED[i].base;
        }
    }
    return NULL;
}

bool material_known(const char *name)
{
    return material_canonical(name) != NULL;
}

const char *material_names(char *text, size_t size)
{
    const char *names[MATERIAL_NAMES_LIMIT + 1];
    size_t used = 0;
    text[0] = '\0';
    material_name_list(names);
    for (int i = 0; names[i] != NULL; i++) {
        int length = snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", names[i]);
        if (length < 0 || (size_t)length >= size - used) {
            break;
        }
        used += (size_t)length;
    }
    return text;
}

bool material_row_covers(const struct material_row *row, double gigahertz)
{
    return gigahertz >= row->low && gigahertz <= row->high;
}

/* The row of a canonical name that covers the frequency, else the one whose range is nearest on a logarithmic axis. */
const struct material_row *material_row_find(const char *name, double gigahertz)
{
    const struct material_row *best = NULL;
    double best_distance = INFINITY;
    for (int i = 0; i < ROW_COUNT; i++) {
        const struct material_row *row = &TABLE[i];
        if (strcmp(row->name, name) != 0) {
            continue;
        }
        double distance = fmax(0, fmax(log(row->low / gigahertz), log(gigahertz / row->high)));
        if (best == NULL || distance < best_distance) {
            best = row;
            best_distance = distance;
        }
    }
    return best;
}

void material_row_evaluate(const struct material_row *row, double gigahertz, double *permittivity, double *conductivity)
{
    *permittivity = row->a * pow(gigahertz, row->b);
    *conductivity = row->c * pow(gigahertz, row->d);
}

const struct material_row *material_row_listed(size_t index)
{
    return index < ROW_COUNT ? &TABLE[index] : NULL;
}

/* ---- over a band ------------------------------------------------------------------------------------------------- */

enum { BAND_SAMPLES = 41 };

static void row_samples(const struct material_row *row, const double band[2], struct permittivity_sample *samples)
{
    for (int n = 0; n < BAND_SAMPLES; n++) {
        double frequency = band[0] * pow(band[1] / band[0], (double)n / (BAND_SAMPLES - 1)), conductivity;
        samples[n].frequency = frequency;
        material_row_evaluate(row, 1e-9 * frequency, &samples[n].value.real, &conductivity);
        samples[n].value.loss = conductivity / (2 * M_PI * frequency * FREE_SPACE_PERMITTIVITY);
    }
}

pw_status material_row_fit(const struct material_row *row, const double band[2], struct pole_fit *fit, pw_error *error)
{
    struct permittivity_sample samples[BAND_SAMPLES];
    row_samples(row, band, samples);
    return pole_fit(samples, BAND_SAMPLES, FIT_ENOUGH, fit, error);
}

double material_row_constant_error(const struct material_row *row, const double band[2])
{
    struct permittivity_sample samples[BAND_SAMPLES];
    struct pole_fit constant = {0};
    double worst = 0;
    row_samples(row, band, samples);
    material_row_evaluate(row, 0.5e-9 * (band[0] + band[1]), &constant.relative_permittivity, &constant.conductivity);
    for (int n = 0; n < BAND_SAMPLES; n++) {
        struct permittivity there = samples[n].value, here = pole_fit_at(&constant, samples[n].frequency);
        worst = fmax(worst, hypot(here.real - there.real, here.loss - there.loss) / hypot(there.real, there.loss));
    }
    return worst;
}

INTERFACE_NAME(pw_material_canonical, material_canonical);
INTERFACE_NAME(pw_material_meant, material_meant);
INTERFACE_NAME(pw_material_names, material_names);
