/* Cells of readings: what a joint fit compares. Readings of one transmitter in one square are a cell; its prediction is
 * the mean over the places of its readings, as its level is the mean of theirs. */
#pragma once

#include "calibrate/joint/readings.h"
#include "calibrate/measured.h"

enum { FOLDS_MOST = 8 };

struct cell {
    int station;  /* index in cells.stations */
    bool held;    /* scored alone */
    bool below;   /* most of its readings were too weak to be received: its level is only known to be less */
    double x, y;  /* m: mean of its readings */
    double level; /* dBm */
    double frequency;
    double shade; /* 0: the carriers of its readings faced the transmitter; 1: they turned their backs to it */
    int device;   /* index in cells.devices */
    int readings;
    int block; /* square of cross-validation, from 0; of all transmitters */
    int fold;  /* that holds it out; -1: none */
};

/* Places where readings of a transmitter stand close together are predicted once. */
struct station {
    char name[PW_NAME_SIZE]; /* of the transmitter */
    double x, y;             /* m: where it is */
    struct measured places;
    int *cell;      /* (places.count): which cell a place belongs to */
    double *weight; /* (places.count): readings at it */
    int received;   /* fitted cells that are not `below`, and of these those of each fold */
    int received_of_fold[FOLDS_MOST];
};

struct cells {
    struct cell *cells; /* (count), fitted ones and held ones */
    int count, fitted;
    int *of_reading; /* (readings): -1: left out */
    struct station *stations;
    int station_count, block_count, fold_count;
    const char **devices; /* (device_count >= 1), owned, the names borrowed; one without names: NULL */
    int device_count;
    bool facing;        /* all readings say where their carrier faces */
    int readings;       /* in fitted cells */
    int below;          /* fitted cells that are */
    double sensitivity; /* dBm; NAN: not known */
    bool mean_of_levels;
};

pw_status cells_make(const pw_result *result, const struct readings *readings, const pw_joint_options *options,
                     struct cells *cells, pw_error *error);
void cells_free(struct cells *cells);

/* Predicted level of every cell (count) [dBm] and 10 lg of its distance [m] from a result, receivers without a height
 * being at `height` [m], NAN: not known. */
pw_status cells_predict(const struct cells *cells, const pw_result *result, const pw_joint_options *options,
                        double height, double *levels, double *distances, pw_error *error);

/* Whether a fit without `fold` (-1: with all) has a cell of the station with a level, not a limit alone. */
bool cells_station_fitted(const struct cells *cells, int station, int fold);
/* Over the fitted cells, or over the held ones; of one station, -1: all. `values` (count) [dBm]; NAN and cells below
 * the sensitivity are left out. */
pw_calibration_score cells_score(const struct cells *cells, const double *values, bool held, int station);
/* How many cells below the sensitivity there are, and how many of them are predicted there. */
pw_joint_below cells_below(const struct cells *cells, const double *values, bool held);
