/* A result file opened for reading: facts in memory, arrays on demand. Ranks, types and extents are checked before
 * memory is taken. The layout of the file is described in README.md. */
#ifndef RESULT_H
#define RESULT_H

#include "api/result.h"
#include "base/names.h"
#include "base/status.h"

struct result {
    char *path;                                 /* owned */
    int64_t file;                               /* HDF5 identifier */
    uint64_t file_bytes;                        /* size of the file: bounds what its datasets may claim */
    int nx, ny;                                 /* nodes, absorber included */
    double cell, time_step, origin_x, origin_y; /* m, s, plan coordinates of node (0, 0) */
    int layer;                                  /* absorber cells */
    double band_centre, band_width;             /* Hz */
    int frequency_count;
    double *frequency;    /* (frequency_count) [Hz], owned */
    double *omega;        /* (frequency_count) [rad/s], owned: where the transforms were evaluated, warped or not */
    char *title, *scheme; /* owned */
    char *summary;        /* owned: every text of the root as lines "name<tab>value", read by summary_find */
    int transmitter_count;
    struct result_transmitter *transmitters; /* owned */
};

struct result_receiver {
    char name[NAME_SIZE];
    double x, y, gain;       /* m: where its field was taken; dBi */
    double asked_x, asked_y; /* m: where it was wanted */
    int row, column;         /* of the cell with running spectra that it is taken from; -1: recorded at every step */
};

struct result_transmitter {
    char name[NAME_SIZE];
    double x, y, power; /* m, dBm EIRP */
    bool soft;
    double *spectrum; /* (frequency_count, 2) [A s], owned */
    int64_t samples;  /* steps of the waveform and of the receivers */
    bool sampled_at_step_end;
    double waveform_centre;       /* s: when the waveform has its energy; 0 in results of old */
    int energy_count;             /* looks at the energy; 0 in results of old */
    double *energy_time, *energy; /* (energy_count) [s], against its largest value, owned */
    int receiver_count;
    struct result_receiver *receivers; /* owned */
    int rows, columns;                 /* running spectra; 0 when absent */
    double *x_axis, *y_axis;           /* (columns), (rows) [m, plan coordinates], owned */
};

/* Index of a transmitter or receiver; NULL name means the first. -1 with a message that lists the names. */
int result_find_transmitter(const struct result *result, const char *name, pw_error *error);
int result_find_receiver(const struct result *result, int transmitter, const char *name, pw_error *error);

pw_status result_read_receiver(const struct result *result, int transmitter, int receiver,
                               double *ez, /* (samples) [V/m] */
                               pw_error *error);
/* Adds the receivers that are taken from the running spectra, where there are any, to every transmitter. */
pw_status result_read_lattice_receivers(struct result *result, pw_error *error);

/* Spectra of a block of cells (whole tiles of 8 x 8 cells read fastest): out (frequency_count, row_count, column_count,
 * 2) [V/m s]. */
pw_status result_read_spectra(const struct result *result, int transmitter, int row_first, int row_count,
                              int column_first, int column_count, double *out, pw_error *error);
/* Relative permittivity (ny, nx) with the absorber cut away is what maps draw as walls; this reads the full array. */
pw_status result_read_permittivity(const struct result *result, double *relative_permittivity, pw_error *error);
/* 1 at nodes of metal, a perfect conductor, (ny, nx). */
pw_status result_read_metal(const struct result *result, uint8_t *metal, pw_error *error);
/* The resolved scenario that was solved, for pw_scenario_parse; the caller frees it. */
pw_status result_read_scenario(const struct result *result, char **text, pw_error *error);

#endif
