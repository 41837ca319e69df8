/* The maps `band` and `grid` of a scenario, and `accuracy`: frequencies, cell, scheme, averaging, absorber. Which
 * schemes, averagings and absorbers there are stands in their tables. Leaves out what needs the plan: whether the cell
 * is fine enough for its materials, and the Courant limit. */
#include <math.h>
#include <string.h>

#include "problem/layers/absorber_depth.h"
#include "scenario/scenario_read.h"

enum { MODEL_LIMIT = 32 /* absorbers that a message can list */ };

/* The band's width where the scenario says nothing: the smaller of the two. */
static const double USUAL_WIDTH = 100e6 /* Hz */, USUAL_SHARE = 0.2 /* of the centre */;

/* Hz: a band frequency below this that has no unit is taken for a forgotten one. */
static const double BARE_FREQUENCY_LEAST = 1e5;

const struct range FREQUENCIES = {0, 1e13, true, false};

/* ---- band ------------------------------------------------------------------------------------------------------- */

/* A frequency of the band. A bare number is SI, but "2.4" is hardly meant as 2.4 Hz. */
static pw_status band_frequency(const struct node *node, double *frequency, pw_error *error)
{
    TRY(node_quantity(node, DIMENSION_FREQUENCY, FREQUENCIES, frequency, error));
    if (node_is_bare(node) && *frequency < BARE_FREQUENCY_LEAST) {
        return node_fail(node, error,
                         "the unit is missing: without one this is %s Hz; write %s GHz or %s MHz (or Hz, if it is)",
                         node->text, node->text, node->text);
    }
    return PW_OK;
}

pw_status band_read(const struct node *root, struct scenario *scenario, pw_error *error)
{
    static const char *const KEYS[] = {"centre", "width", NULL};
    const struct node *band, *centre, *width = NULL;
    TRY(read_required(root, "band", "the frequencies wanted, as in 2.4 GHz or {centre: 2.4 GHz, width: 600 MHz}", &band,
                      error));
    centre = band;
    if (band->kind != NODE_SCALAR) {
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
                         quantity_format(2 * scenario->band_centre, DIMENSION_FREQUENCY, limit));
    }
    return PW_OK;
}

/* ---- grid ------------------------------------------------------------------------------------------------------- */

static pw_status cell_read(const struct node *map, struct grid_choice *grid, pw_error *error)
{
    const struct node *length = node_find(map, "cell"), *density = node_find(map, "cells_per_wavelength");
    bool both = length != NULL && density != NULL && !node_is_word(length, "auto");
    /* One of them may stem from --set: it wins over the file. */
    if (both && (length->line > 0) == (density->line > 0)) {
        return node_fail(density, error, "'cell' is given too; give one of the two");
    }
    if (density == NULL || (both && length->line == 0)) {
        return read_open_quantity(map, "cell", DIMENSION_LENGTH, (struct range){1e-9, 1e3, false, false}, &grid->cell,
                                  error);
    }
    return read_open_quantity(map, "cells_per_wavelength", DIMENSION_NUMBER, (struct range){2, 1e4, true, false},
                              &grid->cells_per_wavelength, error);
}

/* `kind`: a name of the table of absorbers, or none, another word for pec. */
static pw_status absorber_model_read(const struct node *map, const struct absorber_model **model, pw_error *error)
{
    const char *names[MODEL_LIMIT + 2] = {NULL};
    int count = 0, chosen = 0;
    for (; count < MODEL_LIMIT && absorber_listed((size_t)count) != NULL; count++) {
        names[count] = absorber_listed((size_t)count)->name;
    }
    names[count] = "none";
    TRY(read_choice(map, "kind", names, &chosen, error));
    *model = chosen < count ? absorber_listed((size_t)chosen) : &absorber_pec;
    return PW_OK;
}

static pw_status absorber_read(const struct node *map, struct grid_choice *grid, pw_error *error)
{
    static const char *const KEYS[] = {"kind", "cells", "order", "reflection", NULL};
    TRY(read_map(map, KEYS, error));
    const struct absorber_model *model;
    TRY(absorber_model_read(map, &model, error));
    grid->absorber = model->usual;
    if (!model->layered) {
        int64_t cells = 0;
        return read_integer(map, "cells", DIMENSION_CELLS, 0, 0, &cells, error);
    }
    int64_t cells = grid->absorber.cells;
    TRY(read_integer(map, "cells", DIMENSION_CELLS, 1, 1000, &cells, error));
    grid->absorber = absorber_usual(model, (int)cells);
    TRY(read_quantity(map, "order", DIMENSION_NUMBER, (struct range){1, 10, false, false}, &grid->absorber.order,
                      error));
    return read_quantity(map, "reflection", DIMENSION_NUMBER, (struct range){0, 1, true, true},
                         &grid->absorber.reflection, error);
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
    if (node->kind == NODE_SCALAR && strchr(node->text, '%') != NULL) {
        accuracy->decibels = 0;
        return node_quantity(node, DIMENSION_SHARE, (struct range){2e-3, 1, false, false}, &accuracy->field, error);
    }
    if (node->kind == NODE_SCALAR && strstr(node->text, "dB") == NULL) {
        return node_fail(node, error,
                         "must be decibels of the local mean power, as in 1 dB, or a share of the field, as in 5 %%");
    }
    return node_quantity(node, DIMENSION_RATIO, (struct range){0.01, 6, false, false}, &accuracy->decibels, error);
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
        if (axis == 3) {
            return node_fail(item, error, "is no axis; allowed: x, y, z");
        }
        if (scenario->dimensions == 2) {
            return node_fail(item, error, "planes of symmetry are for three dimensions; give dimensions: 3");
        }
        scenario->grid.symmetric[axis] = true;
    }
    return PW_OK;
}

pw_status grid_read(const struct node *root, struct scenario *scenario, pw_error *error)
{
    static const char *const KEYS[] = {"scheme",  "averaging", "cell",     "cells_per_wavelength",
                                       "courant", "absorber",  "symmetry", NULL};
    struct grid_choice *grid = &scenario->grid;
    static const struct node NOTHING = {.kind = NODE_MAP};
    const struct node *map = node_find(root, "grid");
    const struct absorber_model *model = absorber_listed(0);
    *grid = (struct grid_choice){.absorber = absorber_usual(model, model->usual.cells)};
    map = map != NULL && !node_is_word(map, "auto") ? map : &NOTHING;
    TRY(read_map(map, KEYS, error));
    TRY(scheme_read(map, grid, error));
    TRY(averaging_read(map, grid, error));
    TRY(cell_read(map, grid, error));
    TRY(read_open_quantity(map, "courant", DIMENSION_NUMBER, (struct range){0, 1, true, false}, &grid->courant, error));
    const struct node *absorber = node_find(map, "absorber");
    TRY(symmetry_read(map, scenario, error));
    return absorber != NULL ? absorber_read(absorber, grid, error) : PW_OK;
}
