/* The forecast of the error (error_law.h). A grid is wrong about waves in a medium in one way that matters for powers:
 * by the error of its group velocity, from which the errors of admittance and attenuation follow. What it does to
 * amplitude and phase along a path adds up in step, since a scheme is wrong by the same amount everywhere; what the
 * place of faces and of metal between the nodes does adds up at random. Powers do not see a phase that all paths share,
 * hence they have their own sums. The factors were fitted to solved plans (validation/forecast.md). */
#include "discretize/forecast/error_law.h"
#include "base/constants.h"

#include <math.h>
#include <stdlib.h>

/* What a reflection by metal adds to the field: factor (k cell)^power, k in air at the band's centre. A sheet, a door
 * say, has edges, and two faces that move together: its square counts SHEET_SQUARE exp(-SHEET_FALL thickness/cell)
 * times more. */
static const double METAL_FACTOR = 0.42, METAL_POWER = 2.2, SHEET_SQUARE = 6, SHEET_FALL = 0.22;
/* Metal that stands between the nodes (validation/metal.md), thin or not. */
static const double PLACED_FACTOR = 0.1;
/* The same of metal by a transmitter, where the mirror image almost cancels it. */
static const double NEAR_METAL_FACTOR = 0.5;
/* Averaging by points puts metal on the nearest planes of nodes in three dimensions: a reflection by a face that is
 * off by s is wrong by 2 k s times the cosine of incidence, whose square is 1/2 in the mean over the energy that meets
 * a face. How far floor and ceiling are off is known; of walls it is taken as the mean square over all places, s^2 =
 * cell^2/12. All paths by way of one face move together, so that powers see it as they see the place of walls. */
static const double SNAPPED_SQUARE = 2.0 / 12; /* of a wall, in units of (k cell)^2 */
/* The square of what a layer adds, over that of faces. */
static const double LAYER_SQUARE = 144;
/* A power is the mean over the band. Where the response lasts long against 1/(band width), frequencies err on their
 * own, and what changes interference alone averages out: of width times delay spread over this many, such squares count
 * by as much less. */
static const double ALIKE = 7;
/* Squares of decibels where no energy comes by rays, which is behind metal: factor (k cell)^power. */
static const double SHADOW_POWER = 6;

/* What ends, corners and posts of metal do beside flat faces. Rays do not tell where they are; they do tell how much of
 * the energy has met metal, m, and the square is a factor times m/(m + METAL_SHARE) (k cell)^4. Of a good conductor
 * that is no metal, which is a coating nearly always, rays see nothing where it is thinner than a pixel: (k cell)^4
 * alone. Fitted to hard plans on cells a third as large (validation/metal.md). */
static const double METAL_SHARE = 0.05;

/* From what changes the field to what is seen, each by the cause: decibels, or relative errors of the field. */
struct effect_law {
    double wear,
        uneven_wear;     /* of the amplitude: of all paths to a place together, and of the differences between them */
    double turn;         /* of the phase, in walls */
    double uneven_air;   /* of the phase, in air: of the differences */
    double faces, metal; /* at random */
    double moved;        /* of metal that was moved to planes of nodes */
    double near_face, near_metal; /* by the transmitter */
    double shadow;                /* where no energy comes by rays */
    double edges, conductors;     /* by ends, corners and posts of metal; by coatings */
};
static const struct effect_law FIELD = {1.8, 1.8, 0.7, 0, 1, 1, 1, 0, 1.5, 0, 0.2, 0.53};
static const struct effect_law LOCAL_MEAN = {7.0, 0.9, 0.9, 0.22, 3.3, 2.1, 2.75, 12.3, 8.8, 1.0, 0.78, 1.55};
static const struct effect_law POINT = {7.3, 2.4, 1.2, 0.51, 4.6, 2.1, 3.45, 13.6, 9.5, 1.2, 1.43, 3.1};
/* In three dimensions powers err by more than in two for the same error of the field: of eight small storeys, the mean
 * (validation/volume/volume_forecast.c). */
static const double IN_SPACE = 1.3;
/* Where the squares of contributions level off: at that of two fields that have nothing to do with each other. */
static const double UNRELATED = 2;
/* RMS delay spread: part of it per relative error of the field. */
static const double DELAY_FACTOR = 0.6;

/* Root mean square over band and directions of the error of the wave number [rad/m] in a medium of this relative
 * permittivity. Beyond cut-off the wave does not go on at all. */
static double phase_error(const struct stencil *stencil, const struct error_question *question, double permittivity)
{
    enum { ANGLES = 5, FREQUENCIES = 3 };
    double sum = 0;
    for (int f = 0; f < FREQUENCIES; f++) {
        double frequency = question->band_centre + 0.5 * (f - 1) * question->band_width;
        double omega = 2 * M_PI * frequency * sqrt(permittivity), exact = omega / SPEED_OF_LIGHT;
        for (int a = 0; a < ANGLES; a++) {
            double numeric = stencil_wave_number(stencil, question->cell, question->time_step, omega,
                                                 0.25 * M_PI * a / (ANGLES - 1));
            double error = isfinite(numeric) ? numeric - exact : exact;
            sum += error * error;
        }
    }
    return sqrt(sum / (ANGLES * FREQUENCIES));
}

/* What the numeric wave along an axis has in place of one in a medium of this relative permittivity: relative error of
 * the group velocity, mean over the band, and WAVES times that of the wave number, root mean square. The signs are the
 * same for every scheme here: too slow, and too short. Beyond cut-off nothing travels. */
struct wave_error {
    double group, wave_number;
};

static struct wave_error wave_error(const struct stencil *stencil, const struct error_question *question,
                                    double permittivity)
{
    enum { FREQUENCIES = 3, WAVES = 5 };
    const double small = 1e-4;
    struct wave_error sum = {0, 0};
    for (int f = 0; f < FREQUENCIES; f++) {
        double frequency = question->band_centre + 0.5 * (f - 1) * question->band_width;
        double omega = 2 * M_PI * frequency * sqrt(permittivity), exact = omega / SPEED_OF_LIGHT, numeric[3];
        for (int n = 0; n < 3; n++) {
            numeric[n] =
                stencil_wave_number(stencil, question->cell, question->time_step, omega * (1 + (n - 1) * small), 0);
        }
        bool goes = isfinite(numeric[0]) && isfinite(numeric[1]) && isfinite(numeric[2]);
        sum.group += goes ? 2 * small * exact / (numeric[2] - numeric[0]) - 1 : -1;
        sum.wave_number += goes ? pow(numeric[1] / exact - 1, 2) : 1;
    }
    return (struct wave_error){sum.group / FREQUENCIES, -WAVES * sqrt(sum.wave_number / FREQUENCIES)};
}

/* What the grid does wrong, whatever the path. */
struct grid_error {
    double air;                                   /* rad/m */
    double group[CLASS_COUNT], turn[CLASS_COUNT]; /* relative */
    double face, metal;                           /* of the field, for one of each */
    bool placed;                                  /* metal stands between the nodes */
    double snapped;  /* its square, for a reflection by metal that was moved to a plane of nodes; 0: none is */
    double slabs[2]; /* likewise, for floor and ceiling */
    double width;    /* Hz, of the band */
    double cell;     /* m */
    double size;     /* cell times the wave number in air at the band's centre */
    enum transport_purpose purpose;
};

static struct grid_error grid_error(const struct energy_transport *transport, const struct error_question *question)
{
    const struct averaging_rule *rule = averaging_rule(question->averaging);
    const struct stencil_band band = {.cells_per_wavelength = SPEED_OF_LIGHT / (question->band_centre * question->cell),
                                      .relative_width = question->band_width / question->band_centre,
                                      .dimensions = question->dimensions};
    const struct stencil stencil = stencil_get(question->scheme, &band);
    const double size = 2 * M_PI / band.cells_per_wavelength;
    struct grid_error grid = {
        .width = question->band_width, .cell = question->cell, .size = size, .purpose = question->purpose};
    grid.air = phase_error(&stencil, question, 1);
    for (int c = 0; c < CLASS_COUNT; c++) {
        double permittivity = transport->permittivity[c];
        struct wave_error wave =
            permittivity > 0 ? wave_error(&stencil, question, permittivity) : (struct wave_error){0};
        grid.group[c] = wave.group;
        grid.turn[c] = wave.wave_number;
    }
    grid.face =
        (question->scheme == SCHEME_DD4 ? rule->error.face_dd4 : rule->error.face) * pow(size, rule->error.power);
    grid.placed = question->averaging != AVERAGING_POINT;
    grid.metal = (grid.placed ? PLACED_FACTOR : METAL_FACTOR) * pow(size, METAL_POWER);
    const bool snapped = question->dimensions == 3 && !grid.placed;
    for (int n = 0; n < 2 && snapped; n++) {
        const double place = (transport->slab_faces[n] - question->lowest) / question->cell;
        grid.slabs[n] = 2 * pow(size * (place - nearbyint(place)), 2);
    }
    grid.snapped = snapped ? SNAPPED_SQUARE * size * size : 0;
    return grid;
}

/* Squares of what changes the field at one part of the floor, by cause; as in struct effect_law. */
struct patch_error {
    double air, uneven_air;
    double wear, uneven_wear, turn;
    double faces, metal, moved; /* moved: of good conductors too */
    double samples;             /* how many of the band's frequencies err on their own, at least 1 */
};

static double metal_weight(const struct passed *passed, const struct grid_error *grid)
{
    if (grid->placed) {
        return passed->metal + passed->sheets;
    }
    double thickness = passed->sheets > 0 ? passed->sheet_thickness / passed->sheets : 0;
    return passed->metal + SHEET_SQUARE * passed->sheets * exp(-SHEET_FALL * thickness / grid->cell);
}

/* Square of the error by metal that was moved to planes of nodes. */
static double moved_metal(const struct passed *passed, const struct grid_error *grid)
{
    return grid->snapped * (passed->metal - passed->slabs[0] - passed->slabs[1]) + grid->slabs[0] * passed->slabs[0] +
           grid->slabs[1] * passed->slabs[1];
}

/* Square of the error by good conductors. A conductor that is spread over whole cells reflects from up to half of a
 * cell off its face: as metal on nodes does where waves are gone within a fraction of a cell, less where they reach
 * deeper. The discrete half-space, solved in one dimension (fd4o, 7.5 to 30 cells a wavelength, 1 to 1e6 S/m, faces at
 * eight places in a cell): a reflection is wrong by 2 k s cos(angle), s/cell = w/sqrt(12), w = x^2/(x^2 + 1.2), x the
 * nepers that a wave loses in a cell. */
static double lossy_faces(const struct passed *passed, const struct grid_error *grid)
{
    if (!(passed->lossy > 0)) {
        return 0;
    }
    const double x = grid->cell * passed->lossy_depth / passed->lossy, share = x * x / (x * x + 1.2);
    return 4 * grid->size * grid->size / 12 * share * share * passed->lossy;
}

static struct patch_error patch_error(const struct transport_patch *patch, const struct grid_error *grid)
{
    const struct passed *mean = &patch->mean;
    const double air = grid->air * grid->air;
    struct patch_error error = {.air = air * patch->air_square,
                                .uneven_air = air * fmax(patch->air_square - mean->air * mean->air, 0),
                                .faces =
                                    grid->face * grid->face * (mean->face_squares + LAYER_SQUARE * mean->layer_squares),
                                .metal = grid->metal * grid->metal * metal_weight(mean, grid)};
    error.moved = fmax(moved_metal(mean, grid) - error.metal, 0) + lossy_faces(mean, grid);
    double wear = 0, turn = 0, square = 0;
    for (int a = 0; a < CLASS_COUNT; a++) {
        wear += grid->group[a] * mean->wear[a];
        turn += grid->turn[a] * mean->turn[a];
        for (int b = 0; b < CLASS_COUNT; b++) {
            square += grid->group[a] * grid->group[b] * patch->wear_product[a][b];
        }
    }
    error.wear = wear * wear;
    error.uneven_wear = fmax(square - error.wear, 0);
    error.turn = turn * turn;
    double spread = sqrt(fmax(patch->delay_square - patch->delay * patch->delay, 0));
    error.samples = hypot(1, grid->width * spread / ALIKE);
    return error;
}

static double level_off(double square)
{
    return UNRELATED * square / (UNRELATED + square);
}

/* Square of what is seen of it: the field's error levels off as a whole, decibels by cause; amplitudes do not level off
 * in decibels. */
static double effect(const struct patch_error *error, const struct effect_law *law)
{
    const double wear = law->wear * law->wear * error->wear + law->uneven_wear * law->uneven_wear * error->uneven_wear;
    if (law == &FIELD) {
        return level_off(error->air + wear + law->turn * law->turn * error->turn + error->faces + error->metal +
                         error->moved);
    }
    double interference = law->turn * law->turn * level_off(error->turn) +
                          law->uneven_air * law->uneven_air * level_off(error->uneven_air) +
                          law->faces * law->faces * level_off(error->faces) +
                          law->metal * law->metal * level_off(error->metal) +
                          law->moved * law->moved * level_off(error->moved);
    return wear + interference / error->samples;
}

/* Square of what faces by the transmitters do everywhere. */
static double near_effect(const struct energy_transport *transport, const struct grid_error *grid,
                          const struct effect_law *law)
{
    double face = 0;
    for (int c = 0; c < CLASS_COUNT; c++) {
        face += transport->near_face[c] * grid->group[c] * grid->group[c];
    }
    double metal = pow(NEAR_METAL_FACTOR * pow(grid->size, METAL_POWER), 2) * transport->near_metal;
    return law->near_face * law->near_face * level_off(face) + law->near_metal * law->near_metal * level_off(metal);
}

/* Square of what metal does that is not flat, and coatings, at every depth. */
static double edge_effect(const struct energy_transport *transport, const struct grid_error *grid,
                          const struct effect_law *law)
{
    double metal = 0;
    int reached = 0;
    for (int p = 0; p < transport->patch_count; p++) {
        const struct transport_patch *patch = &transport->patch[TO_TELL][p];
        metal += patch->energy > 0 ? patch->mean.metal : 0;
        reached += patch->energy > 0;
    }
    metal = reached > 0 ? metal / reached : 0;
    const double told = grid->placed && grid->purpose == TO_TELL ? pow(fmin(grid->size, 1), 4) : 0;
    return told * (law->edges * law->edges * metal / (metal + METAL_SHARE) +
                   (transport->has_conductors ? law->conductors * law->conductors : 0));
}

/* Root mean square over the floor of what is seen. */
static double floor_effect(const struct energy_transport *transport, const struct grid_error *grid,
                           const struct effect_law *law)
{
    double sum = 0;
    int reached = 0;
    for (int p = 0; p < transport->patch_count; p++) {
        const struct transport_patch *patch = &transport->patch[grid->purpose][p];
        if (patch->energy > 0) {
            struct patch_error error = patch_error(patch, grid);
            sum += effect(&error, law);
            reached++;
        }
    }
    if (reached == 0) {
        return 0;
    }
    double shadow = 1 - (double)reached / transport->patch_count;
    double square = sum / reached + near_effect(transport, grid, law) + edge_effect(transport, grid, law) +
                    law->shadow * law->shadow * shadow * pow(fmin(grid->size, 1), SHADOW_POWER);
    return sqrt(law == &FIELD ? fmin(square, UNRELATED) : square);
}

/* ---- by depth --------------------------------------------------------------------------------------------------- */

/* What lies deep is reached through walls, or around edges and through gaps. Of walls the rays know: an error of
 * attenuation is in proportion to the decibels (`wear`). Of edges they do not: a wave that bends around one is wrong by
 * a part of its bending, which grows with the depth and as the square of the cell. Fitted to hard plans
 * (validation/forecast.md): dB per dB of depth and (k cell)^2, and parts of the field. */
static const double EDGE_DECIBELS = 0.07, EDGE_FIELD = 0.0234;
/* Few rays get that deep. What edges do counts as so many patches beside those that were reached. */
static const double EDGE_PATCHES = 30;
/* The square of the last depth over the one before. */
static const double DOUBLED = 4;
/* dB on both sides of a depth that belong to it. */
static const double DEPTH_REACH = 5;

static int descending(const void *a, const void *b)
{
    const double left = *(const double *)a, right = *(const double *)b;
    return (left < right) - (left > right);
}

/* The strongest half of the patches that energy reached: its median, and its weakest. */
struct floor_levels {
    double median, weakest;
};

static struct floor_levels floor_levels(const struct energy_transport *transport, enum transport_purpose purpose)
{
    double energy[PATCHES_MOST + 1] = {0};
    int count = 0;
    for (int p = 0; p < transport->patch_count; p++) {
        if (transport->patch[purpose][p].energy > 0) {
            energy[count++] = transport->patch[purpose][p].energy;
        }
    }
    qsort(energy, (size_t)count, sizeof *energy, descending);
    return (struct floor_levels){energy[count / 4], energy[count / 2 < count ? count / 2 : 0]};
}

static bool lies_at(double energy, const struct floor_levels *levels, int depth)
{
    return depth == 0 ? energy >= levels->weakest
                      : fabs(10 * log10(levels->median / energy) - FORECAST_DEPTH[depth]) <= DEPTH_REACH;
}

/* Squares of what is seen at each depth. */
static void depth_effects(const struct energy_transport *transport, const struct grid_error *grid,
                          const struct effect_law *law, double square[FORECAST_DEPTHS])
{
    const struct floor_levels levels = floor_levels(transport, grid->purpose);
    const double near = near_effect(transport, grid, law) + edge_effect(transport, grid, law),
                 edge = law == &FIELD ? EDGE_FIELD : EDGE_DECIBELS;
    for (int d = 0; d < FORECAST_DEPTHS; d++) {
        /* Twice the decibels, twice the error that they add. */
        const double bent = transport->has_walls ? edge * FORECAST_DEPTH[d] * pow(fmin(grid->size, 1), 2) : 0,
                     added = d < 2 ? bent * bent : fmax(square[1] - square[0], 0) * DOUBLED;
        double count = d > 0 ? EDGE_PATCHES : 0, sum = d > 0 ? count * (square[0] - near + added) : 0;
        for (int p = 0; p < transport->patch_count; p++) {
            const struct transport_patch *patch = &transport->patch[grid->purpose][p];
            if (patch->energy > 0 && lies_at(patch->energy, &levels, d)) {
                const struct patch_error error = patch_error(patch, grid);
                sum += effect(&error, law);
                count++;
            }
        }
        square[d] = (count > 0 ? sum / count : 0) + near;
    }
}

static void forecast_depths(const struct energy_transport *transport, const struct grid_error *grid, double more,
                            struct error_forecast *forecast)
{
    double field[FORECAST_DEPTHS], decibels[FORECAST_DEPTHS];
    depth_effects(transport, grid, &FIELD, field);
    depth_effects(transport, grid, &LOCAL_MEAN, decibels);
    for (int d = 0; d < FORECAST_DEPTHS; d++) {
        forecast->field_by_depth[d] = sqrt(fmin(field[d], UNRELATED));
        forecast->local_mean_by_depth[d] = more * sqrt(decibels[d]);
    }
}

struct error_forecast error_law(const struct energy_transport *transport, const struct error_question *question)
{
    const struct grid_error grid = grid_error(transport, question);
    const double more = question->dimensions == 3 ? IN_SPACE : 1;
    struct error_forecast forecast = {.field = floor_effect(transport, &grid, &FIELD),
                                      .local_mean = more * floor_effect(transport, &grid, &LOCAL_MEAN),
                                      .point = more * floor_effect(transport, &grid, &POINT)};
    forecast.delay =
        DELAY_FACTOR * forecast.field / sqrt(1 + 2 * forecast.field) * energy_transport_delay_spread(transport);
    forecast_depths(transport, &grid, more, &forecast);
    return forecast;
}

double error_law_largest(const struct energy_transport *transport, const struct error_question *question, bool of_field)
{
    struct grid_error grid = grid_error(transport, question);
    double largest = 0;
    for (int purpose = (int)question->purpose; purpose < PURPOSES; purpose++) {
        grid.purpose = (enum transport_purpose)purpose;
        largest = fmax(largest, floor_effect(transport, &grid, of_field ? &FIELD : &LOCAL_MEAN));
    }
    return (!of_field && question->dimensions == 3 ? IN_SPACE : 1) * largest;
}
