/* A result file opened for reading: facts in memory, arrays on demand. Ranks, types and extents are checked before
 * memory is taken. The layout of the file is described in README.md.
 *
 * A result in three dimensions has its spectra on sheets: one component of E on a horizontal plane or a vertical cut.
 * One sheet at a time is chosen, and is then what the spectra of a result in two dimensions are: everything that looks
 * at a transmitter's rows, columns and axes, at its spectra, or at the face, sees that sheet and the plane that it lies
 * in. */
#pragma once

#include "api/result.h"
#include "base/names.h"
#include "base/status.h"
#include "problem/spectra/sheet_place.h"
#include "scenario/antenna/antenna.h"

/* Running spectra of one component of E on a plane. In two dimensions a transmitter has one, of Ez, or none. */
struct result_sheet {
    char name[NAME_SIZE];   /* of its group in the file; "" in two dimensions */
    int component;          /* 0..2: along x, y, z */
    int normal;             /* 0..2: the axis across the plane; 2 is a horizontal one */
    double asked, position; /* m along that axis: as wanted, and where it is. 0 in two dimensions */
    int rows, columns;
    double *column_axis, *row_axis; /* (columns), (rows) [m], owned: x and y; of a cut x or y, and z */
    double *values;                 /* (frequency_count, rows, columns, 2) [V/m s], owned, of a result in memory
                                     * (run/write/result_of_run.h); NULL: they are in the file */
};

/* The plane that the chosen sheet lies in, as nodes of Ez, absorber included: in two dimensions the plan. */
struct result_face {
    int columns, rows;
    double column_first, row_first; /* m: of node (0, 0) */
    int column_low, row_low;        /* absorber cells before the plan */
    int inner_columns, inner_rows;  /* nodes of the plan, without absorber */
};

struct result {
    char *path;                                 /* owned */
    int64_t file;                               /* HDF5 identifier */
    uint64_t file_bytes;                        /* size of the file: bounds what its datasets may claim */
    int nx, ny;                                 /* nodes, absorber included */
    double cell, time_step, origin_x, origin_y; /* m, s, plan coordinates of node (0, 0) */
    int dimensions;                             /* 2 or 3 */
    bool horizontal;                            /* two dimensions: Ex, Ey and, third in place of Ez, eta0 Hz [V/m] */
    int nz;                                     /* levels; 1 in two dimensions */
    double origin_z;                            /* m over the lowest floor, of node (0, 0, 0) */
    int *level;                                 /* (nz), owned: plane of the plan's maps; NULL in two dimensions */
    int sheet;                                  /* the chosen one; 0 in two dimensions */
    struct result_face face;                    /* of the chosen sheet */
    int layer;                                  /* absorber cells at ends that have an absorber */
    int low[3], high[3];                        /* at the ends of x, y, z: none at walls and planes of symmetry */
    double band_centre, band_width;             /* Hz */
    int frequency_count;
    double *frequency;    /* (frequency_count) [Hz], owned */
    double *omega;        /* (frequency_count) [rad/s], owned: where the transforms were evaluated, warped or not */
    char *title, *scheme; /* owned */
    char *summary;        /* owned: every text of the root as lines "name<tab>value", read by summary_find */
    struct antenna_pattern *patterns; /* (pattern_count), owned: of transmitters and receivers */
    int pattern_count;
    struct result_step *step;      /* owned; what differs between both cuts; NULL without spectra of the second */
    double over_height, over_from; /* m over the lowest floor: of the second cut of the plan, and the highest top under
                                      it; NAN: there is none (scenario key plan.over) */
    int transmitter_count;
    struct result_transmitter *transmitters; /* owned */
};

struct result_step {
    uint16_t *tops; /* (ny, nx) [mm over the lowest floor], owned; 0: nothing; NULL until somebody asks */
};

/* The field over what ends under the ceiling: spectra of the plan's second cut, on the same points as those of the
 * first. */
struct result_over {
    int frequency_count;
    float *values; /* (rows, columns, frequency_count, 2) [V/m s], owned; NULL until somebody asks */
};

struct result_receiver {
    char name[NAME_SIZE];
    double x, y, gain;       /* m: where its field was taken; dBi */
    double asked_x, asked_y; /* m: where it was wanted */
    double height;           /* m; in two dimensions NAN unless it was given */
    double asked_height;     /* m: of a receiver of the spectra, as it was wanted */
    /* Of unit length: the component of E that is received; (0, 0, 1) of Ez alone, and of a loop, which takes in Hz. */
    double polarisation[3];
    struct antenna antenna; /* two dimensions */
    int row, column;        /* of the cell with running spectra that it is taken from; -1: recorded at every step */
    pw_port port;           /* whose antenna it is; number 0: its own */
    int sheet[3];           /* of a receiver of the spectra, where each component is taken; -1: it was not kept */
};

struct result_transmitter {
    char name[NAME_SIZE];
    double x, y, power;           /* m, dBm EIRP */
    double height;                /* m; in two dimensions NAN unless it was given */
    double polarisation[3];       /* of unit length; (0, 0, 1) of a vertical line current, and of a loop */
    char antenna_word[NAME_SIZE]; /* "hertzian", "half_wave", "loop", "isotropic", "pattern"; "" in results of old */
    struct antenna antenna;       /* its pattern is one of the result's */
    pw_wifi_channel channel;      /* number 0: none is known */
    pw_port port;                 /* whose antenna it is; number 0: its own */
    double conducted;             /* dBm, into the antenna, where power was given so; else NAN */
    double pattern_error;         /* dB: of the pattern as it was radiated, down to -15 dB; NAN without a pattern */
    bool soft;
    double *spectrum; /* (frequency_count, 2), owned: of the current [A s], in three dimensions of its moment [A m s] */
    int64_t samples;  /* steps of the waveform and of the receivers */
    bool sampled_at_step_end;
    double waveform_centre;       /* s: when the waveform has its energy; 0 in results of old */
    double waveform_length;       /* s: 1/(width of its spectrum) of a Gaussian as long; 0 in results of old */
    int energy_count;             /* looks at the energy; 0 in results of old */
    double *energy_time, *energy; /* (energy_count) [s], against its largest value, owned */
    int receiver_count;
    struct result_receiver *receivers; /* owned */
    struct result_sheet *sheets; /* (sheet_count), owned; the same ones for every transmitter in three dimensions */
    int sheet_count;
    struct result_over *over;      /* owned; NULL: there is none */
    int rows, columns;             /* running spectra of the chosen sheet; 0 when absent */
    const double *x_axis, *y_axis; /* (columns), (rows) [m, plan coordinates], of that sheet */
};

/* Whether there are several components of the field, on sheets and at receivers: not with Ez alone. */
static inline bool result_is_vector(const struct result *result)
{
    return result->dimensions == 3 || result->horizontal;
}

/* A component that is asked for, PW_COMPONENT_EZ being the third that there is: with horizontal polarisation that is
 * Hz, and Ez is none. */
static inline pw_component result_component(const struct result *result, pw_component asked)
{
    return !result->horizontal        ? asked
           : asked == PW_COMPONENT_HZ ? PW_COMPONENT_EZ
           : asked == PW_COMPONENT_EZ ? PW_COMPONENT_HZ
                                      : asked;
}

/* "ex", "ey", "ez", or "hz"; and as people write them, "Ex", ... */
const char *result_component_word(const struct result *result, int component);
const char *result_component_symbol(const struct result *result, int component);

/* Index of a transmitter or receiver; NULL name means the first. -1 with a message that lists the names. */
int result_find_transmitter(const struct result *result, const char *name, pw_error *error);
int result_find_receiver(const struct result *result, int transmitter, const char *name, pw_error *error);

/* Ez, in three dimensions the component along the receiver's polarisation: (samples) [V/m]. */
pw_status result_read_receiver(const struct result *result, int transmitter, int receiver, double *ez, pw_error *error);
/* Component 0..2 of E; in two dimensions there is 2, Ez, alone. */
pw_status result_read_receiver_component(const struct result *result, int transmitter, int receiver, int component,
                                         double *e, pw_error *error);
/* Adds the receivers that are taken from the running spectra, where there are any, to every transmitter. */
pw_status result_read_lattice_receivers(struct result *result, pw_error *error);

/* Spectra of a block of cells (whole tiles of 8 x 8 cells read fastest): out (frequency_count, row_count, column_count,
 * 2) [V/m s]. */
pw_status result_read_spectra(const struct result *result, int transmitter, int row_first, int row_count,
                              int column_first, int column_count, double *out, pw_error *error);
/* The same of any sheet, not only of the chosen one. */
pw_status result_read_sheet(const struct result *result, int transmitter, int sheet, const pw_block *block, double *out,
                            pw_error *error);
/* Where a sheet has the field of a place: at one cell, or, where its points stand close enough, between several
 * (problem/spectra/sheet_place.h). */
struct sheet_place {
    int sheet;
    struct sheet_line row, column;
    double at[2]; /* m: x and y, of a cut x or y and z, of which it is the field */
};
/* `at` [m] as in sheet_place; it must not lie more than a spacing outside the sheet. A receiver of Ez alone stands at a
 * cell, as its run has told it; a point lies between cells there too. */
struct sheet_place result_sheet_point(const struct result *result, const struct result_transmitter *transmitter,
                                      int sheet, const double at[2]);
struct sheet_place result_sheet_place(const struct result *result, const struct result_transmitter *transmitter,
                                      int sheet, const double at[2]);
/* E there: the sum over the place's own points, of which `points` is the first; in memory they are complex numbers,
 * `columns` to a row and `plane` to a frequency. `field` (count, 2) */
void sheet_place_sum(const struct sheet_place *place, const double *points, size_t columns, size_t plane, size_t count,
                     double *field);
/* The same from the file, (frequency_count, 2) [V/m s]. */
pw_status result_read_place(const struct result *result, int transmitter, const struct sheet_place *place,
                            double *field, pw_error *error);
/* Relative permittivity (face.rows, face.columns) with the absorber cut away is what maps draw as walls; this reads the
 * full array. */
pw_status result_read_permittivity(const struct result *result, double *relative_permittivity, pw_error *error);
/* Conductivity [S/m], likewise. */
pw_status result_read_conductivity(const struct result *result, double *conductivity, pw_error *error);
/* 1 at nodes of metal, a perfect conductor, (face.rows, face.columns). */
pw_status result_read_metal(const struct result *result, uint8_t *metal, pw_error *error);
/* Brings the field over the tops into memory, where it stays with the result; not called by two threads at once. */
pw_status result_over_read(const struct result *result, int transmitter, pw_error *error);
/* It at a point [m], (frequency_count, 2); after result_over_read. */
void result_over_field(const struct result *result, int transmitter, const double at[2], double *field);
/* The top of what differs between both cuts at a point [m], m over the lowest floor; 0: nothing; likewise. */
double result_over_top(const struct result *result, double x, double y);
/* Index of the nearest value of an ascending, equally spaced axis; -1 when `at` lies more than a spacing outside. */
int result_axis_nearest(const double *axis, int count, double at);
/* m from a transmitter to the point (u, v) of the chosen sheet: x and y, of a cut x or y and z. */
double result_distance(const struct result *result, const struct result_transmitter *from, double u, double v);
/* The sheet that lies in the plane of `sheet` and has component 0..2; -1: it was not kept. */
int result_sheet_partner(const struct result *result, int sheet, int component);
/* The same result at `frequency` (count) [Hz] in place of those of its spectra, for receivers that were recorded at
 * every step and for `transmitter` alone, whose spectrum is summed anew; for as long as the first is open. */
pw_status result_at_frequencies(const struct result *result, int transmitter, const double *frequency, int count,
                                struct result *view, pw_error *error);
void result_at_frequencies_free(struct result *view, int transmitter);
/* The same result with another sheet chosen, for as long as the first is open and no other sheet of it is chosen. */
pw_status result_view_create(const struct result *result, int sheet, struct result *view, pw_error *error);
void result_view_free(struct result *view);
/* The sheets that a table of heights shows, into `sheets` (sheet_count): of every horizontal plane that of Ez, or the
 * first; returns how many. */
int result_heights(const struct result *result, int *sheets);
/* "Ez at height 1.49 m", "Ez on the cut at y = 3.00 m"; "" in two dimensions. Returns `text`. */
enum { SHEET_TEXT = 64 };
const char *result_sheet_text(const struct result *result, int sheet, char text[SHEET_TEXT]);
/* The resolved scenario that was solved, for pw_scenario_parse; the caller frees it. */
pw_status result_read_scenario(const struct result *result, char **text, pw_error *error);
/* Key `level_interval` of that scenario [dB]; 0 where it has none. */
double result_level_interval(const struct result *result);
/* Writes a line after '#' that says it, where there is one. */
void result_write_level_interval(const struct result *result, FILE *file);
