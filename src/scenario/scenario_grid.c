/* The maps `band` and `grid` of a scenario, and `accuracy`: frequencies, cell, scheme, averaging, absorber. Which
 * schemes, averagings and absorbers there are stands in their tables. Leaves out what needs the plan: whether the cell
 * is fine enough for its materials, and the Courant limit. */
#include <math.h>
#include <string.h>

#include "problem/layers/absorber_depth.h"
#include "scenario/scenario_read.h"

enum { MODEL_LIMIT = 32 /* absorbers that a message can list */ };

const char *const ABSORBER_SIDES[] = {"x_low", "x_high", "y_low", "y_high", "z_low", "z_high", NULL};

/* The band's width where the scenario says nothing: the smaller of the two. */
static const double USUAL_WIDTH = 100e6 /* Hz */, USUAL_SHARE = 0.2 /* of the centre */;

/* Hz: a band frequency below this that has no unit is taken for a forgotten one. */
static const double BARE_FREQUENCY_LEAST = 1e5;

const pw_range FREQUENCIES = {0, 1e16, true, false};

/* ---- band ------------------------------------------------------------------------------------------------------- */

/* A frequency of the band. A bare number is SI, but "2.4" is hardly meant as 2.4 Hz. */
static pw_status band_frequency(const struct node *node, double *frequency, pw_error *error)
{
    TRY(node_quantity(node, PW_DIMENSION_FREQUENCY, FREQUENCIES, frequency, error));
    NODE_FAIL_IF(node_is_bare(node) && *frequency < BARE_FREQUENCY_LEAST, node, error,
                 "the unit is missing: without one this is %s Hz; write %s GHz or %s MHz (or Hz, if it is)", node->text,
                 node->text, node->text);
    return PW_OK;
}

pw_status band_read(const struct node *root, struct scenario *scenario, pw_error *error)
{
    static const char *const KEYS[] = {"centre", "width", NULL};
    const struct node *band, *centre, *width = NULL;
    TRY(read_required(root, "band", "the frequencies wanted, as in 2.4 GHz or {centre: 2.4 GHz, width: 600 MHz}", &band,
                      error));
    centre = band;
    if (band->kind != PW_NODE_SCALAR) {
        TRY(read_map(band, KEYS, error));
        TRY(read_required(band, "centre", "a frequency, as in 2.4 GHz", &centre, error));
        width = node_find(band, "width");
    }
    TRY(band_frequency(centre, &scenario->band_centre, error));
    scenario->band_width = fmin(USUAL_WIDTH, USUAL_SHARE * scenario->band_centre);
    if (width == NULL || node_is_word(width, "auto")) {
        return PW_OK;
    }
    TRY(band_frequency(width, &scenario->band_width, error));
    if (!(scenario->band_centre - 0.5 * scenario->band_width > 0)) {
        char limit[QUANTITY_SIZE];
        return node_fail(width, error,
                         "the lower band edge must lie above 0 Hz: with this centre the width must be below %s",
                         quantity_format(2 * scenario->band_centre, PW_DIMENSION_FREQUENCY, limit));
    }
    return PW_OK;
}

/* ---- grid ------------------------------------------------------------------------------------------------------- */

static pw_status cell_read(const struct node *map, struct grid_choice *grid, pw_error *error)
{
    const struct node *length = node_find(map, "cell"), *density = node_find(map, "cells_per_wavelength");
    bool both = length != NULL && density != NULL && !node_is_word(length, "auto");
    /* One of them may stem from --set: it wins over the file. */
    NODE_FAIL_IF(both && (length->line > 0) == (density->line > 0), density, error,
                 "'cell' is given too; give one of the two");
    if (density == NULL || (both && length->line == 0)) {
        return read_open_quantity(map, "cell", PW_DIMENSION_LENGTH, (pw_range){1e-9, 1e3, false, false}, &grid->cell,
                                  error);
    }
    return read_open_quantity(map, "cells_per_wavelength", PW_DIMENSION_NUMBER, (pw_range){2, 1e4, true, false},
                              &grid->cells_per_wavelength, error);
}

/* Under `key`, a name of the table of absorbers, or none, another word for pec. Of a single end, where `magnetic` is
 * not NULL, also pmc: then *model is left to the caller. */
static pw_status absorber_model_read(const struct node *map, const char *key, const struct absorber_model **model,
                                     bool *magnetic, pw_error *error)
{
    const char *names[MODEL_LIMIT + 3] = {NULL};
    int count = 0, chosen = 0;
    for (; count < MODEL_LIMIT && absorber_listed((size_t)count) != NULL; count++) {
        names[count] = absorber_listed((size_t)count)->name;
        chosen = absorber_listed((size_t)count) == *model ? count : chosen;
    }
    names[count] = "none";
    names[count + 1] = magnetic != NULL ? "pmc" : NULL;
    TRY(read_choice(map, key, names, &chosen, error));
    if (magnetic != NULL) {
        *magnetic = chosen > count;
    }
    *model = chosen < count ? absorber_listed((size_t)chosen) : chosen == count ? &absorber_pec : *model;
    return PW_OK;
}

/* Mur's edges: how far off the plan they stand, and their order. */
static pw_status one_way_read(const struct node *map, struct absorber *absorber, pw_error *error)
{
    static const char *const KEYS[] = {"kind", "cells", "order", "sides", NULL};
    int64_t cells = absorber->cells, order = (int64_t)absorber->order;
    TRY(read_map(map, KEYS, error));
    TRY(read_integer(map, "cells", PW_DIMENSION_CELLS, 1, 1000, &cells, error));
    TRY(read_integer(map, "order", PW_DIMENSION_NUMBER, 1, 2, &order, error));
    absorber->cells = (int)cells;
    absorber->order = (double)order;
    return PW_OK;
}

static pw_status check_planar(const struct node *map, const char *key, const struct absorber_model *model,
                              const struct scenario *scenario, pw_error *error)
{
    return model->planar && (scenario->dimensions == 3 || scenario->horizontal)
               ? node_fail(node_find(map, key), error,
                           "is for two dimensions with vertical polarisation; allowed in three, and with horizontal "
                           "polarisation: upml, cpml, pec")
               : PW_OK;
}

/* A perfect magnetic wall at an end is what `symmetry` calls a plane of symmetry. */
static pw_status magnetic_end_read(const struct node *node, int side, struct scenario *scenario, pw_error *error)
{
    const char axis = "xyz"[side / 2];
    NODE_FAIL_IF(side % 2 == 1, node, error,
                 "a perfect magnetic wall is at low ends alone; mirror the plan along %c, so that this end is "
                 "the low one, and give %c_low: pmc",
                 axis, axis);
    scenario->grid.symmetric[side / 2] = true;
    return PW_OK;
}

/* Mur's condition beside a layer with filters: where the two meet in a corner nobody has an equation, and `order` would
 * mean two things. `all`: the kind of the ends that `sides` does not name. */
static pw_status check_one_way(const struct node *map, const struct scenario *scenario,
                               const struct absorber_model *all, enum absorber_kind side[3][2], pw_error *error)
{
    const struct node *sides = node_find(map, "sides"), *blamed = NULL;
    bool one_way = false, filtered = false;
    for (int s = 0; s < 2 * scenario->dimensions; s++) {
        const struct absorber_model *model = absorber_model(side[s / 2][s % 2]);
        const struct node *node = sides != NULL ? node_find(sides, ABSORBER_SIDES[s]) : NULL;
        const bool plane = s % 2 == 0 && scenario->grid.symmetric[s / 2];
        one_way = one_way || (!plane && model->one_way);
        filtered = filtered || (!plane && model->filter != NULL);
        blamed = !plane && node != NULL && (model->one_way || model->filter != NULL) && model != all ? node : blamed;
    }
    return one_way && filtered ? node_fail(blamed, error,
                                           "mur goes with pec and pmc at other ends, and not with layers (upml, cpml, "
                                           "berenger): take mur or a layer for all ends that absorb")
                               : PW_OK;
}

/* `sides`: kinds of single ends of the axes. *lead, that of the others, becomes the first kind with a layer where none
 * of these ends has one. */
static pw_status sides_read(const struct node *map, struct scenario *scenario, enum absorber_kind side[3][2],
                            const struct absorber_model **lead, pw_error *error)
{
    static const struct node NOTHING = {.kind = PW_NODE_MAP};
    const struct node *sides = node_find(map, "sides") != NULL ? node_find(map, "sides") : &NOTHING;
    const struct absorber_model *all = *lead, *layered = NULL;
    TRY(read_map(sides, ABSORBER_SIDES, error));
    for (int s = 0; s < 6; s++) {
        const struct absorber_model *model = all;
        const struct node *node = node_find(sides, ABSORBER_SIDES[s]);
        NODE_FAIL_IF(node != NULL && s / 2 >= scenario->dimensions, node, error,
                     "is for three dimensions; give dimensions: 3");
        NODE_FAIL_IF(node != NULL && s % 2 == 0 && scenario->grid.symmetric[s / 2] && !node_is_word(node, "pmc"), node,
                     error, "this end is a plane of symmetry already");
        bool magnetic;
        TRY(absorber_model_read(sides, ABSORBER_SIDES[s], &model, &magnetic, error));
        TRY(magnetic ? magnetic_end_read(node, s, scenario, error) : PW_OK);
        TRY(check_planar(sides, ABSORBER_SIDES[s], model, scenario, error));
        side[s / 2][s % 2] = model->usual.kind;
        if (s / 2 < scenario->dimensions && !(s % 2 == 0 && scenario->grid.symmetric[s / 2]) && model->layered) {
            layered = layered == NULL || model == all ? model : layered;
        }
    }
    *lead = layered != NULL ? layered : all;
    return check_one_way(map, scenario, all, side, error);
}

/* Ends that are all alike need no list. */
static void join_sides(const struct scenario *scenario, struct absorber *absorber)
{
    const bool low_symmetric = scenario->grid.symmetric[0];
    const enum absorber_kind first = absorber->side[0][low_symmetric];
    absorber->by_side = false;
    for (int s = 0; s < 2 * scenario->dimensions; s++) {
        bool symmetric = s % 2 == 0 && scenario->grid.symmetric[s / 2];
        absorber->by_side = absorber->by_side || (!symmetric && absorber->side[s / 2][s % 2] != first);
    }
    if (!absorber->by_side) {
        absorber->kind = first;
        memset(absorber->side, 0, sizeof absorber->side);
    }
}

/* Keys that stretch the coordinate beyond upml. `alpha` is written with its unit or in multiples of c/D. */
static pw_status stretch_read(const struct node *map, int dimensions, struct absorber *absorber, pw_error *error)
{
    const struct node *kappa = node_find(map, "kappa"), *alpha = node_find(map, "alpha");
    if (!absorber_has(absorber, ABSORBER_CPML, dimensions)) {
        const struct node *given = kappa != NULL ? kappa : alpha;
        return given != NULL ? node_fail(given, error, "is for the kind cpml") : PW_OK;
    }
    absorber->kappa = absorber_cpml.usual.kappa;
    absorber->alpha = absorber_usual(&absorber_cpml, absorber->cells).alpha;
    TRY(read_quantity(map, "kappa", PW_DIMENSION_NUMBER, (pw_range){1, 1000, false, false}, &absorber->kappa, error));
    absorber->alpha_in_siemens = alpha != NULL && !node_is_bare(alpha);
    return read_quantity(map, "alpha", absorber->alpha_in_siemens ? PW_DIMENSION_CONDUCTIVITY : PW_DIMENSION_NUMBER,
                         (pw_range){0, 1e6, false, false}, &absorber->alpha, error);
}

/* `lead`: the kind whose depth the layer has. */
static pw_status layer_read(const struct node *map, int dimensions, const struct absorber_model *lead,
                            struct absorber *absorber, pw_error *error)
{
    int64_t cells = absorber->cells;
    TRY(read_integer(map, "cells", PW_DIMENSION_CELLS, 1, 1000, &cells, error));
    absorber->cells = (int)cells;
    absorber->reflection = absorber_usual(lead, (int)cells).reflection;
    TRY(read_quantity(map, "order", PW_DIMENSION_NUMBER, (pw_range){1, 10, false, false}, &absorber->order, error));
    TRY(read_quantity(map, "reflection", PW_DIMENSION_NUMBER, (pw_range){0, 1, true, true}, &absorber->reflection,
                      error));
    return stretch_read(map, dimensions, absorber, error);
}

static pw_status absorber_read(const struct node *map, struct scenario *scenario, pw_error *error)
{
    static const char *const KEYS[] = {"kind", "cells", "order", "reflection", "kappa", "alpha", "sides", NULL};
    struct absorber *absorber = &scenario->grid.absorber;
    const int dimensions = scenario->dimensions;
    TRY(read_map(map, KEYS, error));
    const struct absorber_model *model = absorber_listed(0), *lead;
    NODE_FAIL_IF(node_find(map, "kind") != NULL && node_is_word(node_find(map, "kind"), "pmc"), node_find(map, "kind"),
                 error, "a perfect magnetic wall is at single low ends: give it in sides, as in sides: {x_low: pmc}");
    TRY(absorber_model_read(map, "kind", &model, NULL, error));
    TRY(check_planar(map, "kind", model, scenario, error));
    enum absorber_kind side[3][2];
    lead = model;
    TRY(sides_read(map, scenario, side, &lead, error));
    *absorber = absorber_usual(lead, lead->usual.cells);
    absorber->kind = model->usual.kind;
    memcpy(absorber->side, side, sizeof side);
    join_sides(scenario, absorber);
    if (!absorber->by_side && !absorber_model(absorber->kind)->layered) {
        int64_t cells = 0;
        *absorber = absorber_model(absorber->kind)->usual;
        return read_integer(map, "cells", PW_DIMENSION_CELLS, 0, 0, &cells, error);
    }
    return lead->one_way ? one_way_read(map, absorber, error) : layer_read(map, dimensions, lead, absorber, error);
}

static pw_status scheme_read(const struct node *map, struct grid_choice *grid, pw_error *error)
{
    const char *names[SCHEME_COUNT + 2] = {NULL};
    for (int i = 0; i < SCHEME_COUNT; i++) {
        names[i] = scheme_name((enum scheme)i);
    }
    names[SCHEME_COUNT] = "auto";
    int index = SCHEME_COUNT;
    TRY(read_choice(map, "scheme", names, &index, error));
    grid->scheme_open = index == SCHEME_COUNT;
    grid->scheme = grid->scheme_open ? (enum scheme)DEFAULT_SCHEME : (enum scheme)index;
    return PW_OK;
}

static pw_status averaging_read(const struct node *map, struct grid_choice *grid, pw_error *error)
{
    const char *names[AVERAGING_COUNT + 2] = {NULL};
    for (int a = 0; a < AVERAGING_COUNT; a++) {
        names[a] = averaging_rule((enum averaging)a)->name;
    }
    names[AVERAGING_COUNT] = "auto";
    int averaging = AVERAGING_COUNT;
    TRY(read_choice(map, "averaging", names, &averaging, error));
    grid->averaging_open = averaging == AVERAGING_COUNT && grid->scheme_open;
    grid->averaging = averaging == AVERAGING_COUNT ? averaging_default(grid->scheme) : (enum averaging)averaging;
    return PW_OK;
}

/* "1 dB" of local mean power, or "5 %" of the field; not under what the law of errors was measured for. */
pw_status accuracy_read(const struct node *root, struct accuracy_choice *accuracy, pw_error *error)
{
    *accuracy = (struct accuracy_choice){.decibels = 1};
    const struct node *node = node_find(root, "accuracy");
    if (node == NULL) {
        return PW_OK;
    }
    if (node->kind == PW_NODE_SCALAR && strchr(node->text, '%') != NULL) {
        accuracy->decibels = 0;
        return node_quantity(node, PW_DIMENSION_SHARE, (pw_range){2e-3, 1, false, false}, &accuracy->field, error);
    }
    NODE_FAIL_IF(node->kind == PW_NODE_SCALAR && strstr(node->text, "dB") == NULL, node, error,
                 "must be decibels of the local mean power, as in 1 dB, or a share of the field, as in 5 %%");
    return node_quantity(node, PW_DIMENSION_RATIO, (pw_range){0.01, 6, false, false}, &accuracy->decibels, error);
}

/* The axes whose low ends are planes of symmetry. */
static pw_status symmetry_read(const struct node *map, struct scenario *scenario, pw_error *error)
{
    static const char *const AXES[] = {"x", "y", "z"};
    const struct node *list;
    TRY(read_list(map, "symmetry", 3, &list, error));
    for (const struct node *item = list != NULL ? list->first : NULL; item != NULL; item = item->next) {
        int axis = 0;
        while (axis < 3 && !node_is_word(item, AXES[axis])) {
            axis++;
        }
        NODE_FAIL_IF(axis == 3, item, error, "is no axis; allowed: x, y, z");
        NODE_FAIL_IF(axis == 2 && scenario->dimensions == 2, item, error,
                     "a plane of symmetry along z is for three dimensions; give dimensions: 3");
        scenario->grid.symmetric[axis] = true;
    }
    return PW_OK;
}

/* Whether fields are kept in 16 bits. */
static pw_status storage_read(const struct node *map, struct scenario *scenario, pw_error *error)
{
    static const char *const NAMES[] = {"full", "half", NULL};
    int index = 0;
    TRY(read_choice(map, "storage", NAMES, &index, error));
    scenario->grid.half = index == 1;
    NODE_FAIL_IF(scenario->grid.half && scenario->dimensions != 3, node_find(map, "storage"), error,
                 "half is for three dimensions; give dimensions: 3");
    return PW_OK;
}

pw_status grid_read(const struct node *root, struct scenario *scenario, pw_error *error)
{
    static const char *const KEYS[] = {"scheme",   "averaging", "cell", "cells_per_wavelength", "courant", "absorber",
                                       "symmetry", "storage",   NULL};
    struct grid_choice *grid = &scenario->grid;
    static const struct node NOTHING = {.kind = PW_NODE_MAP};
    const struct node *map = node_find(root, "grid");
    const struct absorber_model *model = absorber_listed(0);
    *grid = (struct grid_choice){.absorber = absorber_usual(model, model->usual.cells)};
    map = map != NULL && !node_is_word(map, "auto") ? map : &NOTHING;
    TRY(read_map(map, KEYS, error));
    TRY(scheme_read(map, grid, error));
    TRY(averaging_read(map, grid, error));
    TRY(cell_read(map, grid, error));
    TRY(read_open_quantity(map, "courant", PW_DIMENSION_NUMBER, (pw_range){0, 1, true, false}, &grid->courant, error));
    const struct node *absorber = node_find(map, "absorber");
    TRY(symmetry_read(map, scenario, error));
    TRY(storage_read(map, scenario, error));
    return absorber != NULL ? absorber_read(absorber, scenario, error) : PW_OK;
}
