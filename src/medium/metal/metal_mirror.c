/* The mirrors of metal in three dimensions (metal_mirror.h). A component of E along the metal, in the last free plane
 * before it, sees it as Ez in two dimensions does: at normal incidence by the same law. Waves with E in the plane of
 * incidence see cos^2 of what is added, and so a mirror that is moved by less. */
#include "medium/metal/metal_mirror.h"

#include "medium/metal/metal_distance.h"
#include "medium/metal/mirror_law.h"

#include <math.h>
#include <stdlib.h>

/* Distances looked for along a line [cells], and how finely a stiffness is told: the mirror is right to a hundredth of
 * a cell. */
static const double REACH = 12, STEPS = 256;
static const double SAME = 1e-6; /* cells */

struct mirror_pass {
    const struct building *building;
    const struct raster_volume *volume;
    struct mirror_law law;
    double hold;               /* cells: edges nearer to metal are held */
    struct mirrored *mirrored; /* shared by all passes of this kind */
};

/* Entries of the palette that were made: of which entry, by how many steps of stiffness. */
struct mirrored {
    struct {
        uint16_t from, code;
    } * entries; /* (count), owned: of the palette those from plain_count on */
    int count;
};

static double height_of(const struct mirror_pass *own, int c, int k)
{
    return own->volume->origin_z + (k + (c == 2 ? 0.5 : 0)) * own->volume->plane.cell;
}

/* In the height alone what stands right over and right under a plane counts. */
static void look(const struct metal_pass *pass, const struct metal_layers *layers, int k, struct metal_around *around)
{
    const struct mirror_pass *own = pass->own;
    const double slack = SAME * own->volume->plane.cell, z = height_of(own, around->component, k);
    const int c = around->component, *layer = layers->medium->layer[c], last = layers->medium->nz - 1;
    around->band[0] = building_band_at(own->building, z + slack);
    around->band[1] = building_band_at(own->building, z - slack);
    /* Beside a plane of metal the distance to it counts. */
    around->level = (k > 0 && layer[k - 1] != layer[k]) || (k < last && layer[k + 1] != layer[k]) ? k : -1;
}

static double distance_level(const struct mirror_pass *own, const struct metal_around *around, struct point from,
                             const int direction[2])
{
    double least = INFINITY;
    for (int n = 0; n < 2; n++) {
        if (n == 0 || around->band[1] != around->band[0]) {
            const struct metal_view view = {&own->building->bands[around->band[n]], &own->volume->plane, from};
            least = fmin(least, metal_distance(&view, direction, REACH));
        }
    }
    return least;
}

static bool band_has(const struct mirror_pass *own, int b, struct point from)
{
    const struct raster_grid *grid = &own->volume->plane;
    const struct floorplan *plan = &own->building->bands[b];
    bool metal = false;
    for (int n = 0; n < 4 && !metal; n++) { /* whoever owns a face */
        const double x = from.x + (n & 1 ? SAME : -SAME), y = from.y + (n & 2 ? SAME : -SAME);
        metal = plan->materials[floorplan_material_at(plan, grid->origin.x + x * grid->cell,
                                                      grid->origin.y + y * grid->cell)]
                    .perfect_conductor;
    }
    return metal;
}

static double distance_upright(const struct mirror_pass *own, const struct metal_around *around, struct point from,
                               int step)
{
    const struct building *building = own->building;
    const double cell = own->volume->plane.cell, z = height_of(own, around->component, around->level);
    for (int b = around->band[step > 0]; b >= 0 && b < building->band_count; b += step) {
        const int border = step > 0 ? b - 1 : b; /* the face of the band that comes first */
        const bool faced = border >= 0 && border < building->band_count - 1;
        const double away = faced ? step * (building->borders[border] - z) / cell : 0;
        if (away > REACH) {
            break;
        }
        if (band_has(own, b, from)) {
            return fmax(away, 0);
        }
    }
    return INFINITY;
}

static double distance_to_metal(const struct mirror_pass *own, const struct metal_around *around, struct point from,
                                int axis, int step)
{
    if (axis == 2) {
        return distance_upright(own, around, from, step);
    }
    const int direction[2] = {axis == 0 ? step : 0, axis == 1 ? step : 0};
    return distance_level(own, around, from, direction);
}

/* The next place along an axis, and one aside of it. */
static bool holds_next(const struct metal_layers *layers, const struct metal_around *around, const int at[2], int axis,
                       int across, int along, bool outside)
{
    int place[3] = {at[0], at[1], 0};
    place[axis] += across;
    place[3 - axis - around->component] += along;
    return metal_holds(layers, around->now, around->component, place[0], place[1], place[2], outside);
}

/* Whether the metal whose held edge comes next is no post: it goes on behind that edge, or to both sides of it. */
static bool is_face(const struct metal_layers *layers, const struct metal_around *around, const int at[2], int axis,
                    int step)
{
    bool sides[2] = {false, false};
    for (int n = 0; n <= 2; n++) {
        sides[0] = sides[0] || holds_next(layers, around, at, axis, n * step, -1, true);
        sides[1] = sides[1] || holds_next(layers, around, at, axis, n * step, 1, true);
    }
    return holds_next(layers, around, at, axis, 2 * step, 0, true) || (sides[0] && sides[1]);
}

/* Edges before metal whose mirror would stand behind it even so. */
static uint16_t see_near(const struct metal_pass *pass, const struct metal_layers *layers,
                         const struct metal_around *around, int i, int j)
{
    const struct mirror_pass *own = pass->own;
    const int c = around->component, at[2] = {i, j};
    const struct point from = {i + (c == 0 ? 0.5 : 0), j + (c == 1 ? 0.5 : 0)};
    bool near = false;
    if (metal_holds(layers, around->now, c, i, j, 0, true)) {
        return 0;
    }
    for (int axis = 0; axis < 3; axis++) {
        for (int step = -1; step <= 1 && axis != c && !near; step += 2) {
            near = holds_next(layers, around, at, axis, step, 0, false) && is_face(layers, around, at, axis, step) &&
                   distance_to_metal(own, around, from, axis, step) < own->hold - SAME;
        }
    }
    return near;
}

/* Links along the component itself do not count: no difference crosses them. */
static uint16_t see(const struct metal_pass *pass, const struct metal_layers *layers, const struct metal_around *around,
                    int i, int j)
{
    const struct mirror_pass *own = pass->own;
    const int c = around->component;
    const struct point from = {i + (c == 0 ? 0.5 : 0), j + (c == 1 ? 0.5 : 0)};
    double stiffness = 0;
    if (metal_holds(layers, around->now, c, i, j, 0, true)) {
        return 0;
    }
    for (int axis = 0; axis < 3; axis++) {
        for (int step = -1; step <= 1 && axis != c; step += 2) {
            if (holds_next(layers, around, (int[]){i, j}, axis, step, 0, false)) {
                stiffness += mirror_stiffness(&own->law, distance_to_metal(own, around, from, axis, step));
            }
        }
    }
    return (uint16_t)lround(fmin(STEPS * stiffness, UINT16_MAX));
}

/* The entry with that stiffness; when the palette is full the mirror stays where it is. */
static pw_status take(const struct metal_pass *pass, struct metal_layers *layers, uint16_t code, uint16_t *entry,
                      pw_error *error)
{
    const struct mirror_pass *own = pass->own;
    struct mirrored *made = own->mirrored;
    struct medium *medium = layers->medium;
    for (int n = made->count - 1; n >= 0; n--) {
        if (made->entries[n].from == *entry && made->entries[n].code == code) {
            *entry = (uint16_t)(layers->plain_count + n);
            return PW_OK;
        }
    }
    if (medium->palette_count >= VOLUME_PALETTE_LIMIT) {
        medium->unmoved_nodes++;
        return PW_OK;
    }
    const struct raster_grid *grid = &own->volume->plane;
    void *entries = realloc(made->entries, ((size_t)made->count + 1) * sizeof *made->entries);
    made->entries = entries != NULL ? entries : made->entries;
    struct medium_entry *palette =
        realloc(medium->palette, ((size_t)medium->palette_count + 1) * sizeof *medium->palette);
    medium->palette = palette != NULL ? palette : medium->palette;
    if (entries == NULL || palette == NULL) {
        return fail(error, PW_NO_RESOURCE, "not enough memory for the media at metal");
    }
    made->entries[made->count].from = *entry;
    made->entries[made->count++].code = code;
    palette[medium->palette_count] = palette[*entry];
    palette[medium->palette_count].relative_permittivity += code / STEPS / pow(grid->wave_number * grid->cell, 2);
    *entry = (uint16_t)medium->palette_count++;
    return PW_OK;
}

static struct mirror_pass mirror_pass_of(const struct building *building, const struct raster_volume *volume)
{
    const struct raster_grid *grid = &volume->plane;
    struct mirror_pass own = {
        .building = building,
        .volume = volume,
        .law = mirror_law_of(grid->stencil, MEAN_TURN * grid->wave_number * grid->cell),
    };
    own.hold = own.law.place - mirror_slack(grid->half_band);
    return own;
}

pw_status metal_mirror_hold(struct metal_layers *layers, const struct building *building,
                            const struct raster_volume *volume, pw_error *error)
{
    const struct mirror_pass own = mirror_pass_of(building, volume);
    const struct metal_pass pass = {.own = &own, .far = 2, .leave = -1, .see = see_near, .look = look};
    return volume->plane.half_band < 0.5 && volume->nz > 1 ? metal_layers_pass(layers, &pass, error) : PW_OK;
}

pw_status metal_mirror(struct metal_layers *layers, const struct building *building, const struct raster_volume *volume,
                       pw_error *error)
{
    struct mirrored mirrored = {0};
    struct mirror_pass own = mirror_pass_of(building, volume);
    own.mirrored = &mirrored;
    const struct metal_pass pass = {.own = &own, .far = 1, .leave = -1, .see = see, .take = take, .look = look};
    pw_status status =
        volume->plane.half_band < 0.5 && volume->nz > 1 ? metal_layers_pass(layers, &pass, error) : PW_OK;
    free(mirrored.entries);
    return status;
}
