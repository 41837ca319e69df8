/* Materials and benchmarks: what building materials are made of, and how fast this machine is. */
#ifndef PLANWAVE_BENCH_H
#define PLANWAVE_BENCH_H

#include "api/setup.h"

PW_C_BEGIN

/* A row of the table of ITU-R P.2040-4 at a frequency. A material with two ranges has two rows. */
typedef struct pw_material {
    const char *name;             /* as a scenario writes it, owned by the library; NULL past the last */
    double relative_permittivity; /* of the row at the frequency, outside its range extrapolated */
    double conductivity;          /* S/m */
    double lowest, highest;       /* Hz: the range of the row */
    bool covers;                  /* the frequency lies in it */
    bool perfect_conductor;       /* it is solved as one, whatever the row says */
} pw_material;

/* The row at `index`, from 0, at `frequency` [Hz], which must be positive (else the values are NAN). */
pw_material pw_material_describe(size_t index, double frequency);

/* Prints the table of ITU-R P.2040-4 at `frequency` [Hz] to `stream`. */
pw_status pw_materials_print(double frequency, FILE *stream, pw_error *error);
/* The same rows fitted over a band [Hz] by poles and a conductivity, with the error of the fit and of constant
 * values. Rows that do not cover the band are left out. */
pw_status pw_materials_fit_print(double lowest, double highest, FILE *stream, pw_error *error);

typedef struct pw_bench_options {
    const char *backend; /* NULL: auto */
    const char *scheme;  /* of pw_choice_describe(PW_SCHEMES, ...), or "all"; NULL: yee */
    int dimensions;      /* 0 or 2: a square; 3: a cube */
    int size;            /* cells a side, absorber included; 0: chosen */
    int64_t steps;       /* per timed batch; 0: chosen */
    int batches;         /* timed batches, median reported; 0: 5 */
    int threads;         /* 0: all */
    pw_precision precision;
    int dispersive;  /* percent of the nodes that have a Debye pole, up to 50 */
    int frequencies; /* running spectra at every cell, of a cube at every cell of one level; 0: none */
    bool half;       /* fields in 16 bits (grid.storage: half); a cube */
    bool metal;      /* an office with cupboards of metal in place of the square or cube; 3D: one storey of it */
    bool json;
    pw_monitor monitor; /* told after each timed batch; default: nobody */
} pw_bench_options;

/* Prints cell updates per second, bytes a cell and the fraction of the copy bandwidth measured in the same process.
 * PW_USAGE: options out of their range; PW_NO_RESOURCE: no such backend here, or not enough memory. */
pw_status pw_bench(const pw_bench_options *options, FILE *stream, pw_error *error);

PW_C_END

#endif
