/* See wall_layers.h. */
#include "discretize/forecast/wall_layers.h"

#include "base/constants.h"
#include "discretize/forecast/wall_line.h"
#include "medium/sheet/sheet_find.h"
#include "medium/sheet/sheets.h"
#include "problem/poles/pole.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Wavelengths: of gaps that belong to a wall, and how far along the normal is looked. */
static const double WIDEST_GAP = 1, REACH = 4;
static const double SILENT = 80 /* dB */, SHARE = 0.04;
/* Of what is wanted or told. "Half or twice as much is possible", says the forecast. */
static const double TWICE = 2;
/* Cells that are tried, each of the one before, down to this part of the first. */
static const double FINER = 0.95, FINEST = 0.5, FINEST_ADVICE = 0.2;

enum { FACES_MOST = 64, TRIES = 5, WALLS_MOST = 500 };

/* Places that are told apart, of a cell. */
static const double PLACES = 16;

/* A wall of the plan. */
struct found_wall {
    struct layered_wall wall;
    struct point at; /* m, on it */
    int axis;        /* across which it lies, 0 or 1; -1: it lies aslant */
    double first;    /* m, along that axis: its first face */
    double place;    /* cells, of that face behind a node; -1: anywhere */
};

struct wall_list {
    struct found_wall *walls; /* (count), owned */
    int count;
    struct averaging_weight weight;
    struct stencil stencil;
    struct wall_grid grid; /* with weight and stencil */
};

/* ---- finding them ---- */

struct line_faces {
    double at[FACES_MOST]; /* m, ascending */
    int count;
};

static void face_add(struct line_faces *faces, double at, double reach)
{
    if (fabs(at) < reach && faces->count < FACES_MOST) {
        int n = faces->count++;
        for (; n > 0 && faces->at[n - 1] > at; n--) {
            faces->at[n] = faces->at[n - 1];
        }
        faces->at[n] = at;
    }
}

/* Where sides of outlines cross the line through `at` along the normal. */
static void faces_find(const struct floorplan *plan, struct point at, struct point normal, double reach,
                       struct line_faces *faces)
{
    faces->count = 0;
    for (int s = 0; s < plan->shape_count; s++) {
        const struct outline *outline = &plan->outlines[s];
        if (outline->high.x < at.x - reach || outline->low.x > at.x + reach || outline->high.y < at.y - reach ||
            outline->low.y > at.y + reach) {
            continue;
        }
        for (int p = 0; p < outline->point_count; p++) {
            const struct point a = outline->points[p], b = outline->points[(p + 1) % outline->point_count];
            const double a_beside = (a.y - at.y) * normal.x - (a.x - at.x) * normal.y,
                         b_beside = (b.y - at.y) * normal.x - (b.x - at.x) * normal.y,
                         a_along = (a.x - at.x) * normal.x + (a.y - at.y) * normal.y,
                         b_along = (b.x - at.x) * normal.x + (b.y - at.y) * normal.y;
            if ((a_beside > 0) != (b_beside > 0)) {
                face_add(faces, a_along + a_beside / (a_beside - b_beside) * (b_along - a_along), reach);
            }
        }
    }
}

static const struct material *material_along(const struct floorplan *plan, struct point at, struct point normal,
                                             double along)
{
    return &plan->materials[floorplan_material_at(plan, at.x + along * normal.x, at.y + along * normal.y)];
}

/* Media that the line knows: no metal and no film. */
static bool is_known(const struct material *material, double wave_number, double thickness)
{
    return !material->perfect_conductor &&
           !(thickness < 1 / wave_number && sheet_material(material, wave_number, thickness));
}

static double complex permittivity_at(const struct material *material, double frequency)
{
    const struct material_dispersion *dispersion = &material->dispersion;
    const bool poles = dispersion->pole_count > 0;
    const double conductivity = poles ? dispersion->conductivity : material->conductivity;
    double complex sum = (poles ? dispersion->relative_permittivity : material->relative_permittivity) -
                         I * conductivity / (2 * M_PI * frequency * FREE_SPACE_PERMITTIVITY);
    for (int p = 0; p < dispersion->pole_count; p++) {
        const struct permittivity pole = pole_at(&dispersion->poles[p], frequency);
        sum += pole.real - I * pole.loss;
    }
    return sum;
}

/* Whether there is something of the plan behind a face; behind one on its edge there is the absorber. */
static bool is_inside(const struct floorplan *plan, struct point at, struct point normal, double along)
{
    const double x = at.x + along * normal.x, y = at.y + along * normal.y, edge = 1e-6;
    return x > edge && x < plan->width - edge && y > edge && y < plan->height - edge;
}

/* The layers about `along` 0. False where there is one that is not known, or they do not end. */
static bool layers_find(const struct floorplan *plan, const struct wall_grid *grid, struct point normal,
                        struct found_wall *found)
{
    const double wavelength = SPEED_OF_LIGHT / grid->centre, wave_number = 2 * M_PI / wavelength,
                 reach = REACH * wavelength;
    struct line_faces faces;
    faces_find(plan, found->at, normal, reach, &faces);
    int first = 0, last = 0;
    for (int f = 0; f + 1 < faces.count; f++) {
        first = faces.at[f] <= 0 ? f : first;
    }
    if (faces.count < 2 || faces.at[first] > 0) {
        return false;
    }
    last = first;
    for (int side = -1; side <= 1; side += 2) {
        int *end = side < 0 ? &first : &last;
        for (int n = *end + side; n >= 0 && n + 1 < faces.count; n += side) {
            const double thickness = faces.at[n + 1] - faces.at[n];
            const bool air =
                material_is_air(material_along(plan, found->at, normal, 0.5 * (faces.at[n] + faces.at[n + 1])));
            if (air && thickness > WIDEST_GAP * wavelength) {
                break;
            }
            *end = air && thickness > 0 ? *end : n;
        }
    }
    if (!is_inside(plan, found->at, normal, faces.at[first]) ||
        !is_inside(plan, found->at, normal, faces.at[last + 1])) {
        return false;
    }
    for (int n = first; n <= last; n++) {
        struct layered_wall *wall = &found->wall;
        const double thickness = faces.at[n + 1] - faces.at[n];
        const struct material *material =
            material_along(plan, found->at, normal, 0.5 * (faces.at[n] + faces.at[n + 1]));
        if (thickness < 1e-9) {
            continue;
        }
        if (wall->count == WALL_LAYERS || !is_known(material, wave_number, thickness)) {
            return false;
        }
        wall->thickness[wall->count] = thickness;
        for (int f = 0; f < WALL_FREQUENCIES; f++) {
            wall->permittivity[wall->count][f] = permittivity_at(material, wall_frequency(grid, f));
            if (creal(wall->permittivity[wall->count][f]) < 1) {
                return false;
            }
        }
        wall->count++;
    }
    found->first = (found->axis == 0 ? found->at.x : found->at.y) + faces.at[first];
    return true;
}

/* The part of the way from `from` by `by` that lies between 0 and `most`. */
static void clip(double from, double by, double most, double part[2])
{
    if (by != 0) {
        const double a = -from / by, b = (most - from) / by;
        part[0] = fmax(part[0], fmin(a, b));
        part[1] = fmin(part[1], fmax(a, b));
    }
}

/* A place on the centre line of shape `s` where nothing lies over it, and the wall there. */
static bool wall_of_shape(const struct floorplan *plan, int s, const struct wall_grid *grid, struct found_wall *found)
{
    static const double PARTS[TRIES] = {0.5, 0.3, 0.7, 0.12, 0.88};
    struct sheet strip;
    if (!sheet_strip(&plan->outlines[s], &strip) || material_is_air(&plan->materials[plan->shape_material[s]])) {
        return false;
    }
    const double dx = strip.to.x - strip.from.x, dy = strip.to.y - strip.from.y, length = hypot(dx, dy);
    const bool across_x = fabs(dy) >= fabs(dx);
    const double turned = across_x ? (dy > 0 ? 1 : -1) : (dx > 0 ? -1 : 1);
    const struct point normal = {turned * dy / length, -turned * dx / length};
    const bool straight = fmin(fabs(dx), fabs(dy)) < 1e-9 * length;
    double within[2] = {0, 1};
    clip(strip.from.x, dx, plan->width, within);
    clip(strip.from.y, dy, plan->height, within);
    for (int n = 0; n < TRIES && within[0] < within[1]; n++) {
        const double part = within[0] + PARTS[n] * (within[1] - within[0]);
        *found = (struct found_wall){.at = {strip.from.x + part * dx, strip.from.y + part * dy},
                                     .axis = !straight  ? -1
                                             : across_x ? 0
                                                        : 1};
        if (found->at.x > 0 && found->at.x < plan->width && found->at.y > 0 && found->at.y < plan->height &&
            floorplan_material_at(plan, found->at.x, found->at.y) == plan->shape_material[s] &&
            layers_find(plan, grid, normal, found)) {
            return true;
        }
    }
    return false;
}

static bool is_listed(const struct wall_list *list, const struct found_wall *wall)
{
    bool listed = false;
    for (int n = 0; n < list->count && !listed; n++) {
        const struct found_wall *other = &list->walls[n];
        listed = other->place == wall->place && other->wall.count == wall->wall.count;
        for (int l = 0; l < wall->wall.count && listed; l++) {
            listed =
                fabs(other->wall.thickness[l] - wall->wall.thickness[l]) < 1e-9 &&
                memcmp(other->wall.permittivity[l], wall->wall.permittivity[l], sizeof wall->wall.permittivity[l]) == 0;
        }
    }
    return listed;
}

/* Where the first face lies on the grid that the set-up has. */
static double place_of(const struct setup *setup, const struct found_wall *wall)
{
    const double origin = wall->axis == 0 ? setup->origin.x : setup->origin.y,
                 nodes = (wall->first - origin) / setup->problem.axis[0].spacing;
    return rint(PLACES * (nodes - floor(nodes))) / PLACES;
}

/* Walls that differ; `placed`: those at another place between the nodes do. */
static pw_status list_create(const struct setup *setup, bool placed, struct wall_list *list, pw_error *error)
{
    const struct scenario *scenario = &setup->chosen;
    const struct floorplan *plan = &setup->plan;
    const enum averaging averaging = scenario->grid.averaging;
    *list = (struct wall_list){.grid = {.centre = scenario->band_centre,
                                        .width = scenario->band_width,
                                        .by_points = averaging == AVERAGING_POINT,
                                        .variance = averaging == AVERAGING_BANDLIMITED,
                                        .as_drawn = materials_have_poles(plan->materials, plan->material_count)}};
    if (plan->pixels != NULL || plan->shape_count == 0 || !(scenario->band_centre > 0)) {
        return PW_OK;
    }
    list->walls = allocate(WALLS_MOST, sizeof *list->walls, "the walls of the plan", error);
    TRY_MADE(list->walls);
    TRY(sheets_weight(averaging, &list->weight, error));
    list->grid.weight = &list->weight;
    for (int s = 0; s < plan->shape_count && list->count < WALLS_MOST; s++) {
        struct found_wall found;
        if (wall_of_shape(plan, s, &list->grid, &found)) {
            found.place = placed && found.axis >= 0 ? place_of(setup, &found) : -1;
            if (!is_listed(list, &found) && wall_loss(&found.wall, &list->grid) < SILENT) {
                list->walls[list->count++] = found;
            }
        }
    }
    return PW_OK;
}

static void list_free(struct wall_list *list)
{
    weight_free(&list->weight);
    free(list->walls);
    *list = (struct wall_list){0};
}

/* ---- how far they are off ---- */

static struct stencil stencil_on(const struct setup *setup, double cell)
{
    const struct scenario *scenario = &setup->chosen;
    const struct stencil_band band = {.cells_per_wavelength = SPEED_OF_LIGHT / (scenario->band_centre * cell),
                                      .relative_width = scenario->band_width / scenario->band_centre,
                                      .dimensions = scenario->dimensions};
    return stencil_get(scenario->grid.scheme, &band);
}

/* The wall that is farthest off over what it may be, `decibels` or a share of its own; NULL: none is over that. The
 * last cell that was asked about stays the grid's. */
static const struct found_wall *wall_worst(const struct setup *setup, struct wall_list *list, double cell,
                                           double decibels, bool high_end)
{
    const struct found_wall *worst = NULL;
    double most = 1;
    list->stencil = stencil_on(setup, cell);
    list->grid.stencil = &list->stencil;
    list->grid.cell = cell;
    for (int n = 0; n < list->count; n++) {
        const struct found_wall *wall = &list->walls[n];
        const double over = fabs(wall_line_error(&wall->wall, &list->grid, wall->place, high_end)) /
                            fmax(decibels, SHARE * wall_loss(&wall->wall, &list->grid));
        if (over > most) {
            most = over;
            worst = wall;
        }
    }
    return worst;
}

/* The largest cell, up to `cell` and down to a part of it, on which no wall is farther off than it may be, in the mean
 * over places between the nodes. */
static double cell_for_layers(const struct setup *setup, struct wall_list *list, double cell, double least,
                              double decibels, bool high_end)
{
    double finer = cell;
    for (int n = 0; n < list->count; n++) {
        list->walls[n].place = -1;
    }
    while (finer > least * cell && wall_worst(setup, list, finer, decibels, high_end) != NULL) {
        finer *= FINER;
    }
    const double digit = pow(10, floor(log10(finer)) - 2);
    return finer < cell ? digit * floor(finer / digit * (1 + 1e-9)) : cell;
}

static double decibels_wanted(const struct accuracy_choice *accuracy)
{
    return accuracy->field > 0 ? 20 / log(10) * accuracy->field : accuracy->decibels;
}

static void describe(const struct found_wall *wall, char text[128])
{
    double whole = 0;
    for (int l = 0; l < wall->wall.count; l++) {
        whole += wall->wall.thickness[l];
    }
    char thickness[PW_NUMBER_SIZE], layers[32] = "";
    if (wall->wall.count > 1) {
        snprintf(layers, sizeof layers, " in %d layers", wall->wall.count);
    }
    snprintf(text, 128, "the wall of %s cm%s at (%.2f, %.2f) m", pw_number_text(100 * whole, 3, thickness), layers,
             wall->at.x, wall->at.y);
}

static const char *too(double error)
{
    return error > 0 ? "much" : "little";
}

pw_status wall_layers_choose(struct setup *setup, double *cell, pw_error *error)
{
    struct wall_list list;
    const double decibels = TWICE * decibels_wanted(&setup->chosen.accuracy);
    const pw_status status = list_create(setup, false, &list, error);
    const struct found_wall *worst = status == PW_OK ? wall_worst(setup, &list, *cell, decibels, false) : NULL;
    if (worst != NULL) {
        char wall[128], off[PW_NUMBER_SIZE], before[PW_NUMBER_SIZE];
        const double wrong = wall_line_error(&worst->wall, &list.grid, worst->place, false);
        describe(worst, wall);
        warn(&setup->choices, "a smaller cell for %s: on %s cm it lets through %s dB too %s", wall,
             pw_number_text(100 * *cell, 3, before), pw_number_text(fabs(wrong), 2, off), too(wrong));
        *cell = cell_for_layers(setup, &list, *cell, FINEST, decibels, false);
    }
    list_free(&list);
    return status;
}

/* Whether there was something to tell. */
static bool tell_worst(struct setup *setup, struct wall_list *list, bool high_end)
{
    const double cell = setup->problem.axis[0].spacing,
                 decibels = fmax((high_end ? TWICE : 1) * decibels_wanted(&setup->chosen.accuracy),
                                 TWICE * setup->error.local_mean);
    const struct found_wall *worst = wall_worst(setup, list, cell, decibels, high_end);
    char wall[128], off[PW_NUMBER_SIZE], better[PW_NUMBER_SIZE], at[PW_NUMBER_SIZE], when[64] = "";
    if (worst == NULL) {
        return false;
    }
    const double wrong = wall_line_error(&worst->wall, &list->grid, worst->place, high_end);
    describe(worst, wall);
    if (high_end) {
        snprintf(when, sizeof when, " at %s GHz",
                 pw_number_text(1e-9 * wall_frequency(&list->grid, WALL_FREQUENCIES - 1), 3, at));
    }
    warn(&setup->warnings, "%s lets through %s dB too %s%s on these cells. %s For half of that set grid.cell: %s cm",
         wall, pw_number_text(fabs(wrong), 2, off), too(wrong), when,
         high_end ? "The forecast is of the mean over the band." : "The forecast tells less.",
         pw_number_text(100 * cell_for_layers(setup, list, cell, FINEST_ADVICE, 0.5 * fabs(wrong), high_end), 3,
                        better));
    return true;
}

pw_status wall_layers_tell(struct setup *setup, pw_error *error)
{
    struct wall_list list;
    const pw_status status = list_create(setup, true, &list, error);
    if (status == PW_OK && !tell_worst(setup, &list, false)) {
        tell_worst(setup, &list, true);
    }
    list_free(&list);
    return status;
}
