/* Maps: one quantity for every cell of the running spectra that lies inside the plan, computed in bands of rows so that
 * memory stays bounded, by all threads; and its picture, CSV, .npy and summary. Definitions of the quantities:
 * channel.h. */
#ifndef COVERAGE_H
#define COVERAGE_H

#include "channel/channel.h"
#include "result/result.h"

struct coverage {
    pw_quantity quantity;
    const char *name, *unit; /* "path gain", "dB" */
    int rows, columns;
    int row_first, column_first;     /* of the file's axes */
    double x0, y0, pitch_x, pitch_y; /* m: first cell, distance of cells */
    double
        *value; /* (rows, columns), owned, in `unit`; best server: number of the transmitter; NAN where not defined */
    double *power;     /* (rows, columns), owned: best server: its received power [dBm]; else NULL */
    double mean_width; /* m: side of the local mean; 0: none */
    double noise;      /* dBm, of the receiver */
    double centre;     /* Hz */
    int transmitter;   /* index; -1: all */
};

/* Where the plan ends and the absorber starts. */
struct coverage_floor {
    double left, right, bottom, top; /* m */
};
struct coverage_floor coverage_floor(const struct result *result);

/* PW_USAGE: options that do not go together; PW_BAD_INPUT: no running spectra, or a transmitter that is not there or
 * has no current. */
pw_status coverage_compute(const struct result *result, const pw_map_options *options, struct coverage *map,
                           pw_error *error);
void coverage_free(struct coverage *map);

/* What a quantity is called, and how it is computed. */
struct coverage_kind {
    const char *name, *unit, *column; /* "received power", "dBm", "received_power_dBm" */
    bool power;                       /* made of powers, which local means average */
    bool servers;                     /* sets transmitters against each other, or against noise */
    bool excess;                      /* counts from zero upwards: delays, bandwidths */
};
const struct coverage_kind *coverage_kind(pw_quantity quantity);

/* Name, unit, grid and noise of a map whose options were checked; `value` allocated, not filled. */
pw_status coverage_prepare(const struct result *result, const pw_map_options *options, struct coverage *map,
                           pw_error *error);

/* Fills plane (rows, columns) for one transmitter: path gain in dB; for quantities made of several powers the received
 * power in dBm; others in the unit of the map. Sets map->centre and mean_width. */
pw_status coverage_plane(const struct result *result, const pw_map_options *options, struct coverage *map,
                         int transmitter, double *plane, pw_error *error);

/* Every transmitter's received power (or path gain, if the map is of that) on the cells of the map. */
struct coverage_servers {
    int count;
    double **level; /* (count) planes (rows, columns) [dBm or dB], owned */
    double noise;   /* dBm */
};
pw_status coverage_servers_create(const struct result *result, const pw_map_options *options, struct coverage *map,
                                  struct coverage_servers *servers, pw_error *error);
void coverage_servers_free(struct coverage_servers *servers);
/* The strongest transmitter at cell n; -1: none has a level there. */
int coverage_best(const struct coverage_servers *servers, size_t n);
/* At cell n, from `transmitter` or (-1) from the strongest: its level; over the noise; over noise and all others. NAN:
 * not defined. */
double coverage_level(const struct coverage_servers *servers, pw_quantity quantity, int transmitter, size_t n);

/* Noise power [dBm] of a receiver: k 290 K times the bandwidth, times the noise figure. */
double coverage_noise(double bandwidth, double noise_figure);

/* Mean over a box of width_x by width_y cells (need not be whole numbers: cells at the rim count in part), in place;
 * NAN cells neither count nor change. */
pw_status coverage_box_mean(double *plane, int rows, int columns, double width_x, double width_y, pw_error *error);

/* Colour range: what the options say, else from the data, rounded. */
void coverage_range(const struct coverage *map, const pw_map_options *options, double *low, double *high);

/* Smallest, median, largest of the values that are defined; share of these at or over the threshold. */
struct coverage_summary {
    int64_t count; /* cells with a value */
    double minimum, median, maximum, share;
};
pw_status coverage_summarise(const double *values, int64_t count, double threshold, struct coverage_summary *summary,
                             pw_error *error);

pw_status coverage_write_csv(const struct coverage *map, const struct result *result, const pw_map_options *options,
                             const char *path, pw_error *error);
/* Float32, shape (rows, columns), row 0 at the bottom. Format: NEP 1, version 1.0. */
pw_status coverage_write_npy(const struct coverage *map, const char *path, pw_error *error);
pw_status coverage_write_plot(const struct coverage *map, const struct result *result, const pw_map_options *options,
                              const char *path, pw_error *error);

#endif
