/* The maps `band` and `grid` of a scenario: frequencies, cell, scheme, averaging, absorber. Which schemes, averagings
 * and absorbers there are stands in their tables. Leaves out what needs the plan: whether the cell is fine enough for
 * its materials, and the Courant limit. */
#include "base/constants.h"
#include "scenario/scenario_read.h"

enum { MODEL_LIMIT = 32 /* absorbers that a message can list */ };

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
    const struct node *band, *centre, *width;
    TRY(read_required(root, "band", "the frequencies wanted, as in {centre: 2.4 GHz, width: 600 MHz}", &band, error));
    TRY(read_map(band, KEYS, error));
    TRY(read_required(band, "centre", "a frequency, as in 2.4 GHz", &centre, error));
    TRY(read_required(band, "width", "a frequency, as in 600 MHz", &width, error));
    TRY(band_frequency(centre, &scenario->band_centre, error));
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

static pw_status cell_read(const struct node *map, const struct scenario *scenario, double *cell, pw_error *error)
{
    const struct node *length = node_find(map, "cell"), *density = node_find(map, "cells_per_wavelength");
    if (length != NULL && density != NULL) {
        /* One of them may stem from --set: it wins over the file. */
        if ((length->line > 0) == (density->line > 0)) {
            return node_fail(density, error, "'cell' is given too; give one of the two");
        }
        *(length->line > 0 ? &length : &density) = NULL;
    }
    if (length != NULL) {
        return node_quantity(length, DIMENSION_LENGTH, (struct range){1e-9, 1e3, false, false}, cell, error);
    }
    if (density == NULL) {
        return node_fail(map, error,
                         "the key 'cell' is missing: the side of a cell, as in 2 cm (or cells_per_wavelength: 10)");
    }
    double cells = 0;
    TRY(node_quantity(density, DIMENSION_NUMBER, (struct range){2, 1e4, true, false}, &cells, error));
    *cell = SPEED_OF_LIGHT / ((scenario->band_centre + 0.5 * scenario->band_width) * cells);
    return PW_OK;
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
    grid->absorber.cells = (int)cells;
    TRY(read_quantity(map, "order", DIMENSION_NUMBER, (struct range){1, 10, false, false}, &grid->absorber.order,
                      error));
    return read_quantity(map, "reflection", DIMENSION_NUMBER, (struct range){0, 1, true, true},
                         &grid->absorber.reflection, error);
}

static pw_status scheme_read(const struct node *map, enum scheme *scheme, pw_error *error)
{
    const char *names[SCHEME_COUNT + 1] = {NULL};
    for (int i = 0; i < SCHEME_COUNT; i++) {
        names[i] = scheme_name((enum scheme)i);
    }
    int index = (int)*scheme;
    TRY(read_choice(map, "scheme", names, &index, error));
    *scheme = (enum scheme)index;
    return PW_OK;
}

static pw_status averaging_read(const struct node *map, struct grid_choice *grid, pw_error *error)
{
    const char *names[AVERAGING_COUNT + 1] = {NULL};
    for (int a = 0; a < AVERAGING_COUNT; a++) {
        names[a] = averaging_rule((enum averaging)a)->name;
    }
    int averaging = (int)averaging_default(grid->scheme);
    TRY(read_choice(map, "averaging", names, &averaging, error));
    grid->averaging = (enum averaging)averaging;
    return PW_OK;
}

pw_status grid_read(const struct node *root, struct scenario *scenario, pw_error *error)
{
    static const char *const KEYS[] = {"scheme",  "averaging", "cell", "cells_per_wavelength",
                                       "courant", "absorber",  NULL};
    struct grid_choice *grid = &scenario->grid;
    *grid = (struct grid_choice){
        .scheme = (enum scheme)DEFAULT_SCHEME, .courant = 0.5, .absorber = absorber_listed(0)->usual};
    const struct node *map;
    TRY(read_required(root, "grid", "at least the cell, as in {cell: 2 cm}", &map, error));
    TRY(read_map(map, KEYS, error));
    TRY(scheme_read(map, &grid->scheme, error));
    TRY(averaging_read(map, grid, error));
    TRY(cell_read(map, scenario, &grid->cell, error));
    TRY(read_quantity(map, "courant", DIMENSION_NUMBER, (struct range){0, 1, true, false}, &grid->courant, error));
    const struct node *absorber = node_find(map, "absorber");
    return absorber != NULL ? absorber_read(absorber, grid, error) : PW_OK;
}
