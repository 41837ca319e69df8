/* Averages of a building along one horizontal axis and the vertical (physics.md section 9). "Along" is the axis y of
 * the plans at hand: those of the building for Ey, those with x and y exchanged for Ex. Works on bands of rows as
 * raster_band.h does, several layers at a time, since what the lines of a plan are does not depend on the layer. */
#pragma once

#include "medium/raster_band.h"
#include "medium/volume/volume_layers.h"
#include "medium/volume/volume_tilted.h"

/* The building as one axis sees it. */
struct volume_side {
    const struct floorplan *plans; /* (plan_count), borrowed: the bands */
    int plan_count;
    struct raster_task *tasks; /* (plan_count), owned */
    double *borders;           /* (border_count) of the slabs of all bands, cells, owned */
    int border_count;
    bool metal;
    double loss;          /* ohm m: conductivity times this is the loss -Im eps, at the band's centre */
    double least;         /* relative permittivity: nodes under it are raised to it (raster.h) */
    double least_inverse; /* no Re 1/eps under this is taken for more than a lobe of the weight */
    struct tilted_side tilted;
};

struct inverse {
    double real_less_one, imaginary;
};

/* 1/eps of the relative permittivity 1 + excess and the conductivity. The excess is that of a weight with lobes: raised
 * as at a node. */
static inline struct inverse inverse_of(const struct volume_side *side, double excess, double conductivity)
{
    double permittivity = 1 + excess, loss = side->loss * conductivity;
    permittivity = permittivity > side->least ? permittivity : side->least;
    double square = permittivity * permittivity + loss * loss;
    /* Re 1/eps - 1, without the difference of near numbers in air */
    return (struct inverse){(permittivity * (1 - permittivity) - loss * loss) / square, loss / square};
}

/* `nodes_too`: with the off-diagonal part of tilted faces (volume_tilted.h). After a failure too, volume_side_free. */
pw_status volume_side_create(const struct building *building, const struct floorplan *plans,
                             const struct raster_grid *grid, enum averaging averaging, bool nodes_too,
                             struct volume_side *side, pw_error *error);
void volume_side_free(struct volume_side *side);

/* The work space of one thread at one side. */
struct side_work {
    int first, rows;           /* of the band of rows, to be set before averaging */
    struct raster_band *bands; /* (plan_count), owned; runs, merged: the slab at hand and the open one */
    bool *used, *changed;      /* (plan_count), owned: bands that the layers at hand see; those of a new slab */
    double *level;             /* (plan_count, 2, nx), owned: the open slab: relative permittivity less one, S/m */
    double *line;              /* (2, nx), owned: of a layer: Re 1/eps less one, Im 1/eps */
    struct span *spans;        /* (nx), owned */
    double *since;             /* (layer_limit), owned: cells, where the layer's open slab begins */
    bool *holds;               /* (plan_count), owned: metal of the band holds some node of these rows */
    uint8_t *metal;            /* (plan_count, BAND_ROWS, nx), owned: which of them, for bands that hold some */
    /* (layer_limit, 2, BAND_ROWS, nx), owned: Re 1/eps less one and Im 1/eps, then permittivity and conductivity */
    double *value;
    double *sums;    /* owned: room for the averages of a band's plan over the rows, of one band at a time */
    int layer_limit; /* layers at a time */
    struct tilted_work tilted;
    int64_t raised; /* nodes where the average was no medium's, so far */
};

/* How many layers a thread takes at a time. */
int side_layer_limit(const struct volume_side *side, int layers);
/* The mixtures of how many layers are numbered together, row by row. */
int side_layers_numbered(const struct volume_side *side, int layers);

/* After a failure too, side_work_free. */
pw_status side_work_create(const struct volume_side *side, int layers, struct side_work *work, pw_error *error);
void side_work_free(const struct volume_side *side, struct side_work *work);

/* Permittivity and conductivity in work->value, and work->metal, for layers[0..count), count <= layer_limit, all of
 * Ez or all along y; and then the nodes of work->tilted. */
pw_status volume_side_average(const struct volume_side *side, const struct volume_layer *layers, int count,
                              struct side_work *work, pw_error *error);
/* The same by the value at each place. */
void volume_side_sample(const struct volume_side *side, const struct volume_layer *layers, int count,
                        struct side_work *work);

static inline double *side_value(const struct volume_side *side, const struct side_work *work, int layer, int part,
                                 int row)
{
    const size_t nx = (size_t)side->tasks->grid.nx;
    return work->value + (((size_t)layer * 2 + (size_t)part) * BAND_ROWS + (size_t)row) * nx;
}
