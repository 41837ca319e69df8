/* The forecast of the error (error_law.h). Contributions to one path add up like this: phases in media along the path,
 * since a scheme is wrong by the same amount everywhere; faces and reflections at random, since each lies elsewhere
 * between the nodes. Powers do not see a phase that all paths share, hence they have their own sum. Every factor was
 * fitted to solved plans (validation/forecast.md). */
#include "forecast/error_law.h"
#include "base/constants.h"

#include <math.h>

/* What a reflection by metal adds to the field: factor (k cell)^power, k in air at the band's centre. A sheet, a door
 * say, has edges, and two faces that move together: its square counts SHEET_SQUARE exp(-SHEET_FALL thickness/cell)
 * times more. */
static const double METAL_FACTOR = 0.267, METAL_POWER = 1.27, SHEET_SQUARE = 14, SHEET_FALL = 0.22;
/* In three dimensions metal goes to the nearest planes of nodes (physics.md section 9). A reflection by a face that is
 * off by s is wrong by 2 k s times the cosine of incidence, whose square is 1/2 in the mean over the energy that meets
 * a face. How far floor and ceiling are off is known; of walls it is taken as the mean square over all places, s^2 =
 * cell^2/12. All paths by way of one face move together, so that powers see it as they see walls. */
static const double SNAPPED_SQUARE = 2.0 / 12; /* of a wall, in units of (k cell)^2 */
/* The faces of a layer cancel when the layer is thinner than about a cell. */
static const double LAYER_CELLS = 1.01;

/* From contributions to the field to decibels. */
struct power_law {
    double air, walls, metal;
};
static const struct power_law LOCAL_MEAN = {0.22, 2.75, 1.72}, POINT = {0.51, 3.45, 1.98};
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

/* What the grid does wrong, whatever the path. */
struct grid_error {
    double phase[CLASS_COUNT]; /* rad/m */
    double face, metal;        /* of the field, for one of each */
    double snapped;  /* its square, for a reflection by metal that was moved to a plane of nodes; 0: none is */
    double slabs[2]; /* likewise, for floor and ceiling */
    double cell;     /* m */
};

static struct grid_error grid_error(const struct energy_transport *transport, const struct error_question *question)
{
    const struct averaging_rule *rule = averaging_rule(question->averaging);
    const struct stencil_band band = {.cells_per_wavelength = SPEED_OF_LIGHT / (question->band_centre * question->cell),
                                      .relative_width = question->band_width / question->band_centre,
                                      .dimensions = question->dimensions};
    const struct stencil stencil = stencil_get(question->scheme, &band);
    const double size = 2 * M_PI / band.cells_per_wavelength;
    struct grid_error grid = {.cell = question->cell};
    for (int c = 0; c < CLASS_COUNT; c++) {
        double permittivity = transport->permittivity[c];
        grid.phase[c] = permittivity > 0 ? phase_error(&stencil, question, permittivity) : 0;
        grid.phase[c] *= c == CLASS_AIR ? 1 : rule->error.inside;
    }
    grid.face =
        (question->scheme == SCHEME_DD4 ? rule->error.face_dd4 : rule->error.face) * pow(size, rule->error.power);
    grid.metal = METAL_FACTOR * pow(size, METAL_POWER);
    for (int n = 0; n < 2 && question->dimensions == 3; n++) {
        const double place = (transport->slab_faces[n] - question->lowest) / question->cell;
        grid.slabs[n] = 2 * pow(size * (place - nearbyint(place)), 2);
    }
    grid.snapped = question->dimensions == 3 ? SNAPPED_SQUARE * size * size : 0;
    return grid;
}

/* Squares of the relative error of the field at one part of the floor, by cause. */
struct patch_error {
    double air, uneven_air; /* of the lengths in air, and of their differences between paths alone */
    double walls, metal;
};

static double metal_weight(const struct passed *passed, double cell)
{
    double thickness = passed->sheets > 0 ? passed->sheet_thickness / passed->sheets : 0;
    return passed->metal + SHEET_SQUARE * passed->sheets * exp(-SHEET_FALL * thickness / cell);
}

/* Square of the error by metal that was moved to planes of nodes. */
static double moved_metal(const struct passed *passed, const struct grid_error *grid)
{
    return grid->snapped * (passed->metal - passed->slabs[0] - passed->slabs[1]) + grid->slabs[0] * passed->slabs[0] +
           grid->slabs[1] * passed->slabs[1];
}

static struct patch_error patch_error(const struct transport_patch *patch, const struct grid_error *grid)
{
    const double air = grid->phase[CLASS_AIR] * grid->phase[CLASS_AIR], mean = patch->mean.length[CLASS_AIR];
    const double thin = LAYER_CELLS * LAYER_CELLS * patch->mean.layer_thickness / (grid->cell * grid->cell);
    struct patch_error error = {.air = air * patch->product[CLASS_AIR][CLASS_AIR],
                                .uneven_air = air * fmax(patch->product[CLASS_AIR][CLASS_AIR] - mean * mean, 0),
                                .metal = grid->metal * grid->metal * metal_weight(&patch->mean, grid->cell)};
    error.walls = grid->face * grid->face * (patch->mean.face_squares + fmin(patch->mean.layer_squares, thin));
    error.walls += fmax(moved_metal(&patch->mean, grid) - error.metal, 0);
    for (int a = 0; a < CLASS_COUNT; a++) {
        for (int b = a == CLASS_AIR ? CLASS_LIGHT : CLASS_AIR; b < CLASS_COUNT; b++) {
            error.walls += grid->phase[a] * grid->phase[b] * patch->product[a][b];
        }
    }
    return error;
}

static double level_off(double square)
{
    return UNRELATED * square / (UNRELATED + square);
}

/* Square of decibels. */
static double power_error(const struct patch_error *error, const struct power_law *law)
{
    return law->air * law->air * level_off(error->uneven_air) + law->walls * law->walls * level_off(error->walls) +
           law->metal * law->metal * level_off(error->metal);
}

struct error_forecast error_law(const struct energy_transport *transport, const struct error_question *question)
{
    const struct grid_error grid = grid_error(transport, question);
    double field = 0, local_mean = 0, point = 0;
    int count = 0;
    for (int p = 0; p < transport->patch_count; p++) {
        if (transport->patch[p].energy > 0) {
            struct patch_error error = patch_error(&transport->patch[p], &grid);
            field += level_off(error.air + error.walls + error.metal);
            local_mean += power_error(&error, &LOCAL_MEAN);
            point += power_error(&error, &POINT);
            count++;
        }
    }
    struct error_forecast forecast = {0};
    if (count > 0) {
        forecast = (struct error_forecast){
            .field = sqrt(field / count), .local_mean = sqrt(local_mean / count), .point = sqrt(point / count)};
        forecast.delay =
            DELAY_FACTOR * forecast.field / sqrt(1 + 2 * forecast.field) * energy_transport_delay_spread(transport);
    }
    return forecast;
}
