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
static const double METAL = 1e3;     /* 1/m: what it takes from a flight */
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

static double face_of(const struct diffuse_node *node)
{
    return node->spread == 0.0F ? MOST_FACE : (double)node->face;
}

/* Adds what the walls of block n do to a flight over its square, in the mean over the rows of its nodes, or columns:
 * the faces to the left of a node and below it. */
static void block_walls(const struct diffuse *diffuse, int n, const struct diffuse_node *corner, int width, int side,
                        double cell, double air_loss)
{
    const struct diffuse_squares *squares = &diffuse->squares;
    const int at = diffuse_square(squares, &diffuse->floor, n);
    const double share = 1.0 / ((double)side * squares->side);
    for (int k = 0; k < side * side; k++) {
        const int i = k % side, j = k / side;
        const struct diffuse_node *node = corner + (size_t)j * (size_t)width + i,
                                  *left = i > 0 || n % diffuse->floor.columns > 0 ? node - 1 : node,
                                  *below = j > 0 || n >= diffuse->floor.columns ? node - width : node;
        const double lost = node->spread == 0.0F ? METAL
                            : node->face > 0.0F  ? 2.0 * (double)node->loss
                                                 : (double)node->loss - air_loss;
        squares->value[DIFFUSE_DEPTH][at] += share * cell * fmax(0.0, lost);
        for (int axis = 0; axis < 2; axis++) {
            const double here = face_of(node), before = face_of(axis == 0 ? left : below);
            squares->value[DIFFUSE_FACES + axis][at] +=
                (here > 0.0) != (before > 0.0) ? share * log1p(0.25 * fmax(here, before)) : 0.0;
        }
    }
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
    TRY(diffuse_squares_create(floor, diffuse->height, &diffuse->squares, error));
    TRY(nodes_read(result, ground, nodes, error));
    const struct diffuse_node *inner = nodes + (size_t)face->row_low * (size_t)face->columns + face->column_low;
    for (int n = 0; n < floor->rows * floor->columns; n++) {
        block_fill(diffuse, n / floor->columns, n % floor->columns, inner, face->columns, side, result->cell);
        block_walls(diffuse, n,
                    inner + (size_t)(n / floor->columns * side) * (size_t)face->columns + n % floor->columns * side,
                    face->columns, side, result->cell, ground->air_loss);
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

/* How far the waves in `channel` have come over the plan, in the mean [m]: by the slope of their phase over the band,
 * from the straight line to three quarters of a period more. */
static double way_of(const struct channel_band *band, const struct channel *channel, double straight)
{
    const double turn = 2.0 * M_PI * band->spacing / SPEED_OF_LIGHT; /* of a metre, from one frequency to the next */
    double complex sum = 0.0;
    for (int f = 0; f + 1 < band->frequency_count; f++) {
        const double *g = channel->transfer + 2 * (size_t)f;
        sum += conj(g[0] + I * g[1]) * (g[2] + I * g[3]);
    }
    const double late = -carg(sum * cexp(I * turn * (straight - 1.0))); /* G counts from 1 m */
    return band->tap_count > 0 ? straight + fmax(0.0, late < -0.5 * M_PI ? late + 2.0 * M_PI : late) / turn : straight;
}

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
            const double way = hypot(way_of(emission->band, channel, hypot(place[0] - from->x, place[1] - from->y)),
                                     0.5 * emission->height);
            const int square = diffuse_square(&diffuse->squares, &diffuse->floor, n);
            diffuse->squares.value[DIFFUSE_POWER][square] += emission->source[n];
            diffuse->squares.value[DIFFUSE_MOMENT][square] += emission->source[n] * way;
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
    diffuse->height = storey->height;
    pw_status status = floor_fill(diffuse, result, &ground, error);
    const size_t count = (size_t)diffuse->floor.rows * (size_t)diffuse->floor.columns;
    OWNED double *source = status == PW_OK ? allocate(count, sizeof *source, "scattered waves", error) : NULL;
    status = status == PW_OK && source == NULL ? PW_NO_RESOURCE : status;
    const struct emission emission = {result, transmitter, band, storey->height, reflection, source};
    THEN(status, emit(&emission, diffuse, error));
    THEN(status, diffuse_solve(&diffuse->floor, source, diffuse->density, error));
    THEN(status, diffuse_travel(&diffuse->squares, storey->height, reflection, error));
    if (status != PW_OK) {
        diffuse_free(diffuse);
        *made = NULL;
    }
    return status;
}
