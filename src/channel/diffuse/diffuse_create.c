/* Makes the scattered waves of one transmitter of a result (diffuse.h). */
#include "channel/diffuse/diffuse.h"

#include "base/constants.h"
#include "channel/channel.h"
#include "channel/slant/heights.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

static const double STEP = 0.1;      /* m: of blocks */
static const double WALL = 1.5;      /* relative permittivity from which on a node is wall */
static const double CLEAREST = 1e-3; /* 1/m: the least attenuation of a wall */
static const double MOST_FACE = 1e6; /* of a wall that reflects nearly all */
enum { STRIPE = 32 };                /* rows that are read at a time */

/* ---- the plan ---------------------------------------------------------------------------------------------------- */

/* Both slabs together: of what meets them, the mean reflection. */
static double slabs_reflection(const struct storey *storey, double frequency)
{
    double sum = 0.0;
    for (int n = 0; n < 2; n++) {
        const struct slab_choice *slab = &storey->slabs[n];
        sum += !(slab->thickness > 0.0)           ? 0.0
               : slab->material.perfect_conductor ? 1.0
                                                  : diffuse_reflection(storey_permittivity(&slab->material, frequency));
    }
    return 0.5 * sum;
}

struct ground {
    double wave_number, conductance; /* 1/m; of a conductivity to the loss of a permittivity [ohm m] */
    double air_spread, air_loss;     /* D [m], m [1/m] between floor and ceiling */
};

static struct diffuse_node node_of(const struct ground *ground, double permittivity, double conductivity, bool metal)
{
    const struct permittivity inside = {permittivity, conductivity * ground->conductance};
    const double lost = -2.0 * ground->wave_number * cimag(csqrt(inside.real - I * inside.loss));
    if (metal) {
        return (struct diffuse_node){0};
    }
    if (permittivity < WALL) {
        return (struct diffuse_node){(float)ground->air_spread, (float)(ground->air_loss + lost), 0.0F};
    }
    const double reflected = diffuse_reflection(inside), attenuation = fmax(lost, CLEAREST);
    return (struct diffuse_node){(float)(0.5 / attenuation), (float)(0.5 * attenuation),
                                 (float)fmin(4.0 * reflected / (1.0 - reflected), MOST_FACE)};
}

static pw_status nodes_read(const struct result *result, const struct ground *ground, struct diffuse_node *nodes,
                            pw_error *error)
{
    const size_t count = (size_t)result->face.columns * (size_t)result->face.rows;
    OWNED double *permittivity = allocate(2 * count, sizeof *permittivity, "the plan", error);
    OWNED uint8_t *metal = allocate(count, 1, "the metal of a plan", error);
    TRY_MADE(permittivity != NULL && metal != NULL);
    double *conductivity = permittivity + count;
    TRY(result_read_permittivity(result, permittivity, error));
    TRY(result_read_conductivity(result, conductivity, error));
    TRY(result_read_metal(result, metal, error));
    for (size_t n = 0; n < count; n++) {
        const bool same = n > 0 && permittivity[n] == permittivity[n - 1] && conductivity[n] == conductivity[n - 1] &&
                          metal[n] == metal[n - 1];
        nodes[n] = same ? nodes[n - 1] : node_of(ground, permittivity[n], conductivity[n], metal[n] != 0);
    }
    return PW_OK;
}

/* A block of `side` nodes a side; at the plan's rim it is open, where what flows out (w/2) does not come back. */
static void block_fill(struct diffuse *diffuse, int row, int column, const struct diffuse_node *nodes, int width,
                       int side, double cell)
{
    struct diffuse_floor *floor = &diffuse->floor;
    const int n = row * floor->columns + column;
    const struct diffuse_node *corner = nodes + (size_t)(row * side) * (size_t)width + (size_t)(column * side),
                              *middle = corner + (size_t)(side / 2) * (size_t)(width + 1);
    const int rims = (row == 0) + (row == floor->rows - 1) + (column == 0) + (column == floor->columns - 1);
    double loss = 0.0;
    for (int j = 0; j < side; j++) {
        for (int i = 0; i < side; i++) {
            loss += (double)corner[(size_t)j * (size_t)width + (size_t)i].loss / (side * side);
        }
    }
    diffuse->air[n] = middle->spread > 0.0F && middle->face == 0.0F;
    floor->loss[n] = loss + rims * 0.5 / floor->step + (middle->spread == 0.0F ? 1.0 : 0.0);
    floor->right[n] = column < floor->columns - 1 ? diffuse_exchange(middle, side + 1, 1, cell) / floor->step : 0.0;
    floor->above[n] =
        row < floor->rows - 1 ? diffuse_exchange(middle, side + 1, (size_t)width, cell) / floor->step : 0.0;
}

static pw_status floor_fill(struct diffuse *diffuse, const struct result *result, const struct ground *ground,
                            pw_error *error)
{
    const struct result_face *face = &result->face;
    const int most = face->inner_rows < face->inner_columns ? face->inner_rows : face->inner_columns,
              side = (int)fmin(fmax(1.0, round(STEP / result->cell)), most);
    struct diffuse_floor *floor = &diffuse->floor;
    *floor = (struct diffuse_floor){
        .rows = face->inner_rows / side, .columns = face->inner_columns / side, .step = side * result->cell};
    diffuse->first[0] = face->column_first + (face->column_low + side / 2) * result->cell;
    diffuse->first[1] = face->row_first + (face->row_low + side / 2) * result->cell;
    const size_t count = (size_t)floor->rows * (size_t)floor->columns;
    floor->loss = allocate(count, sizeof *floor->loss, "scattered waves", error);
    floor->right = allocate(count, sizeof *floor->right, "scattered waves", error);
    floor->above = allocate(count, sizeof *floor->above, "scattered waves", error);
    diffuse->air = allocate(count, sizeof *diffuse->air, "scattered waves", error);
    diffuse->density = allocate(count, sizeof *diffuse->density, "scattered waves", error);
    OWNED struct diffuse_node *nodes =
        allocate((size_t)face->columns * (size_t)face->rows, sizeof *nodes, "the plan", error);
    TRY_MADE(floor->loss != NULL && floor->right != NULL && floor->above != NULL && diffuse->air != NULL &&
             diffuse->density != NULL && nodes != NULL);
    TRY(nodes_read(result, ground, nodes, error));
    const struct diffuse_node *inner = nodes + (size_t)face->row_low * (size_t)face->columns + face->column_low;
    for (int n = 0; n < floor->rows * floor->columns; n++) {
        block_fill(diffuse, n / floor->columns, n % floor->columns, inner, face->columns, side, result->cell);
    }
    return PW_OK;
}

/* ---- what floor and ceiling scatter ------------------------------------------------------------------------------ */

struct emission {
    const struct result *result;
    int transmitter;
    const struct channel_band *band;
    double height, reflection; /* m; of floor and ceiling together */
    double *source;            /* (rows, columns) */
};

/* Of the block around a place, whose waves are in `channel`. */
static double source_at(const struct emission *emission, const double place[2], const struct channel *channel)
{
    const struct result_transmitter *from = &emission->result->transmitters[emission->transmitter];
    const pw_channel_options *options = &emission->band->options;
    const struct slant_end to = {.x = place[0], .y = place[1], .height = options->receiver_height};
    const struct slant slant = slant_between(emission->result, from, &to, options);
    const double over = fmax(hypot(place[0] - from->x, place[1] - from->y),
                             SPEED_OF_LIGHT / (2.0 * M_PI * emission->band->centre)),
                 gain = channel_mean_gain(emission->band, channel) * slant_power(&slant, over) / over;
    return isfinite(gain) ? gain * emission->reflection * over / (over * over + 0.25 * pow(emission->height, 2)) : 0.0;
}

/* The blocks whose middles lie nearest to the stored rows `first` to `first + count - 1`. */
static void stripe_emit(const struct emission *emission, struct diffuse *diffuse, int first, int count,
                        const double *spectra, struct channel *channel)
{
    const struct result_transmitter *from = &emission->result->transmitters[emission->transmitter];
    for (int n = 0; n < diffuse->floor.rows * diffuse->floor.columns; n++) {
        const double place[2] = {diffuse->first[0] + n % diffuse->floor.columns * diffuse->floor.step,
                                 diffuse->first[1] + n / diffuse->floor.columns * diffuse->floor.step};
        const int row = result_axis_nearest(from->y_axis, from->rows, place[1]),
                  column = result_axis_nearest(from->x_axis, from->columns, place[0]);
        if (diffuse->air[n] && row >= first && row < first + count && column >= 0) {
            const size_t at = (size_t)(row - first) * (size_t)from->columns + (size_t)column;
            channel_set_field(emission->band, spectra + 2 * at, (size_t)count * (size_t)from->columns, channel);
            emission->source[n] = source_at(emission, place, channel);
        }
    }
}

static pw_status emit(const struct emission *emission, struct diffuse *diffuse, pw_error *error)
{
    const struct result_transmitter *from = &emission->result->transmitters[emission->transmitter];
    OWNED_BY(channel_free) struct channel channel = {0};
    OWNED double *spectra = allocate((size_t)STRIPE * (size_t)from->columns * (size_t)emission->band->frequency_count,
                                     2 * sizeof *spectra, "rows of spectra", error);
    TRY_MADE(spectra);
    TRY(channel_create(emission->band, &channel, error));
    for (int first = 0; first < from->rows; first += STRIPE) {
        const int count = from->rows - first < STRIPE ? from->rows - first : STRIPE;
        TRY(result_read_spectra(emission->result, emission->transmitter, first, count, 0, from->columns, spectra,
                                error));
        stripe_emit(emission, diffuse, first, count, spectra, &channel);
    }
    return PW_OK;
}

pw_status diffuse_create(const struct result *result, int transmitter, const struct storey *storey,
                         const struct channel_band *band, struct diffuse **made, pw_error *error)
{
    FAIL_IF(result->transmitters[transmitter].rows == 0, error, PW_BAD_INPUT,
            "%s: what floor and ceiling scatter comes from all of the floor, and transmitter '%s' has no running "
            "spectra there; run with spectra, or take another spreading than diffuse",
            result->path, result->transmitters[transmitter].name);
    const double reflection = slabs_reflection(storey, band->centre);
    const struct ground ground = {.wave_number = 2.0 * M_PI * band->centre / SPEED_OF_LIGHT,
                                  .conductance = 1.0 / (2.0 * M_PI * band->centre * FREE_SPACE_PERMITTIVITY),
                                  .air_spread = 2.0 * storey->height / 3.0,
                                  .air_loss = (1.0 - reflection) / (2.0 * storey->height)};
    struct diffuse *diffuse = *made = allocate(1, sizeof **made, "scattered waves", error);
    TRY_MADE(diffuse);
    pw_status status = floor_fill(diffuse, result, &ground, error);
    const size_t count = (size_t)diffuse->floor.rows * (size_t)diffuse->floor.columns;
    OWNED double *source = status == PW_OK ? allocate(count, sizeof *source, "scattered waves", error) : NULL;
    status = status == PW_OK && source == NULL ? PW_NO_RESOURCE : status;
    const struct emission emission = {result, transmitter, band, storey->height, reflection, source};
    THEN(status, emit(&emission, diffuse, error));
    THEN(status, diffuse_solve(&diffuse->floor, source, diffuse->density, error));
    if (status != PW_OK) {
        diffuse_free(diffuse);
        *made = NULL;
    }
    return status;
}
