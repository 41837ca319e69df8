/* Sizes of tiles, boxes and batches, and the figures of the cost models, in one place. Measurements behind them:
 * validation/performance.md. */
#ifndef TUNING_H
#define TUNING_H

enum {
    MARCH_COEFFICIENTS = 2048,  /* largest table of coefficients that the marches hold in shared memory */
    WIDE_WARPS = 4,             /* warps a block: 512 columns */
    TILE_THREADS = 256,         /* box tiles */
    BORDER_LENGTH = 64,         /* of a box of the border along its wall */
    PATCH = 32,                 /* side of the boxes around sources and probes; a multiple of 4 */
    SPECTRA_BLOCK = 256,        /* most samples of the spectra added at once */
    SPECTRA_CELLS = 1024,       /* a plane of samples or sums is a multiple of this */
    MARCH_FEW_CELLS = 1750000,  /* a march of fewer is mostly border */
    MARCH_DEEP_CELLS = 5000000, /* from here on the march of fd4 and fd4o takes more than two steps a pass */
    /* Whether several runs of yee march together or go one after another on the chip. */
    RESIDENT_STEP_NS = 1100, /* a step of a run on the chip */
    STREAMED_STEP_NS = 1200, /* a step with Ez alone on the chip: the march is slower wherever it fits */
    MARCH_STEP_NS = 2300,    /* a step of a march of few cells */
    MARCH_CELL_FS = 1750,    /* and of each of its cells */
    /* The other solvers: far behind where these suit. */
    TILE_STEP_NS = 6000,  /* a step of a run in tiles, with its share of a pass */
    TILE_CELL_FS = 20000, /* and of each cell */
    TILE_ONE_FS =
        50000, /* the same with dispersive nodes, in a few steps a pass or one: plain is as fast where large */
    PLAIN_STEP_NS = 12000, /* the plain step */
    PLAIN_CELL_FS = 40000, /* and of each cell */
    TILE_HALO = 4,         /* nodes of a tile's halo that several steps a pass may take */
    /* Tiles with Ez alone on the chip. */
    STREAMED_THREADS = 512,     /* threads of a block */
    STREAMED_ROUNDS = 6,        /* most patches of a thread */
    STREAMED_FILTER_ROUNDS = 2, /* the same of those that are filtered */
    STREAMED_LEAST = 24,        /* fewest nodes of a tile along an axis */
    /* The model of a step of such a tile, in cycles. */
    STREAMED_ROUND_CYCLES = 2450,   /* a round, once */
    STREAMED_PATCHES_CYCLES = 266,  /* and a hundred patches */
    STREAMED_REGION_CYCLES = 2500,  /* an absorber, once */
    STREAMED_FILTERED_CYCLES = 500, /* and a hundred patches that are filtered */
    /* The model by which a pass divides the multiprocessors between the boxes of the border and the march. */
    BORDER_BOX_NS = 16000,       /* a box of yee beside a march */
    BORDER_FAR_NS = 4000,        /* and where the fields do not stay in the second-level cache */
    BORDER_NEAR_CELLS = 3000000, /* as they do up to here */
    BORDER_BOX_WIDE_NS = 12000,  /* a box of wide stencils, once */
    BORDER_STEP_WIDE_NS = 1200,  /* and a step */
    MARCH_TASK_NS = 10000,       /* a task of the march, once */
    MARCH_NODE_PS = 70,          /* and a node and step on one multiprocessor, in a deep march among walls */
    MARCH_NODE_WIDE_PS = 75,     /* the same for the wide stencils */
    MARCH_TAP_PS = 32,           /* and what each Laplacian tap adds */
    ENSEMBLE_CELLS = 64000000,   /* runs advance together up to this many cells */
    /* Three dimensions. */
    VOLUME_ENSEMBLE_CELLS = 16000000, /* the same */
    VOLUME_LARGE_CELLS = 250000000,   /* from here on blocks of long rows go up many levels */
    RELAY_LEAST_CELLS = 4000000,      /* from here on steps as one launch are faster than two kernels a step */
    RELAY_SINGLE_CELLS = 10000000,    /* and from here on a step as one launch is */
    RELAY_LEVELS = 22,                /* of a tile of it, about */
    RELAY_FAR_LEVELS = 28,            /* the same for stencils that reach farther than four places */
    SWEEP_LEAST_CELLS = 4000000,      /* from here on two steps a pass are faster than one */
    SWEEP_DEEP_CELLS = 16000000,      /* and three than two */
    /* Parts that take turns. */
    TURN_PART_BYTES = 3 << 20, /* of a part's share, for tables and boxes, whatever its size */
    TURN_NS = 500000,          /* a turn, once */
};

/* What a level of a tile of "sweep" takes, by the axes whose walls are in it (bit a: axis a). */
#define SWEEP_LEVEL_NS                                                                                                 \
    {                                                                                                                  \
        3600, 3850, 3550, 5000, 3450, 5000, 5500, 5500                                                                 \
    }

/* From which turns are planned: the part of the figures above that wide marches of large parts reach; bytes of a copy
 * on the device (read plus written) in the time of a cell and step, of marches, of several steps a pass in three
 * dimensions and of one, where more reach costs more; and the bandwidth where it is not known. */
static const double TURN_MARCH_WIDE_SHARE = 0.73;
static const double TURN_MARCH_BYTES = 2.7, TURN_SWEEP_BYTES = 60, TURN_VOLUME_BYTES = 85, TURN_USUAL_COPY = 3e12;

#endif
