/* The parts that the writer of results puts together. Private to it. */
#pragma once

#include "base/file/hdf5_write.h"
#include "result/result_format.h"
#include "run/write/result_writer.h"

/* A dataset of `count` values first + n step. It becomes a dimension scale when it is attached. */
pw_status result_write_axis(hid_t parent, const char *name, const char *units, const char *long_name, int64_t count,
                            double first, double step, pw_error *error);

/* /plan: permittivity, conductivity, material and palette, with axes; in three dimensions as planes, of which each
 * level of z has one. */
pw_status result_write_plan(hid_t file, const struct setup *setup, pw_error *error);

/* Receivers that are taken from the running spectra; nothing where there are none. */
pw_status result_write_lattice_receivers(hid_t file, const struct setup *setup, pw_error *error);
/* /frequency: what was asked for; /warped_frequency: where the transforms were evaluated (the same without warping). */
pw_status result_write_frequencies(hid_t file, const struct setup *setup, pw_error *error);

/* A rectangle of points with spectra, as it stands in the file. */
struct lattice {
    const char *component; /* name of the dataset */
    const char *long_name;
    int column_axis, row_axis;             /* 0..2: which axis of the plan they lie along */
    double column_first, row_first, pitch; /* m */
    int columns, rows;
    int first;         /* row of the simulation's spectra with which it begins */
    int rows_of_a_row; /* of the simulation's, in one of the lattice: 1, or where each point is a row, `columns` */
    bool magnetic;     /* hz: what the solver keeps becomes eta0 Hz at the time of E */
};

/* That of Ez where the set-up has no sheets, else of its sheet s. */
struct lattice result_lattice(const struct setup *setup, int s);
/* Rows first.. of its spectra: (frequency_count, rows, columns, 2). */
pw_status result_read_lattice(const struct simulation *simulation, int run, const struct lattice *lattice, int first,
                              int rows, double *values, pw_error *error);

/* Where the plan's second cut lies, where it has one. */
pw_status result_write_over(hid_t file, const struct scenario *scenario, pw_error *error);
/* The spectra of its result, `path`, into the transmitters of the first one's. */
pw_status result_copy_over(hid_t transmitters, const struct scenario *scenario, const char *path, pw_error *error);

/* /plan/over: the tops of what differs between both cuts, (ny, nx) [mm]. */
pw_status result_write_step(hid_t file, const struct medium *medium, const uint16_t *tops, pw_error *error);

/* Fills the group of transmitter simulation->first + run. */
pw_status result_write_transmitter(hid_t file, hid_t group, const struct simulation *simulation, int run,
                                   pw_error *error);
/* The running spectra of that transmitter into its group; nothing where there are none. */
pw_status result_write_spectra(hid_t file, hid_t transmitter, const struct simulation *simulation, int run,
                               pw_error *error);
