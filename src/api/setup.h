/* Set-up: the scenario rasterized, validated and turned into arrays; nothing is allocated for solving yet. */
#ifndef PLANWAVE_SETUP_H
#define PLANWAVE_SETUP_H

#include "api/scenario.h"

PW_C_BEGIN

typedef enum pw_precision { PW_SINGLE = 0, PW_DOUBLE = 1 } pw_precision;

typedef struct setup pw_setup;

/* Rasterizes and validates. The scenario must outlive the set-up. `strict` turns warnings about material ranges into
 * errors. The caller frees *setup with pw_setup_free. */
pw_status pw_setup_create(const pw_scenario *scenario, pw_precision precision, bool strict, pw_setup **setup,
                          pw_error *error);

enum { PW_PLAN_MEDIA = 1024 }; /* distinct media besides air that a plan from arrays may hold */

/* A floor plan as arrays of square pixels, row 0 at the bottom, x fastest. The plan is columns x pixel wide and rows x
 * pixel high. The arrays are borrowed for the call only. */
typedef struct pw_plan {
    int rows, columns;
    double pixel;                        /* m, side of a pixel */
    const double *relative_permittivity; /* (rows, columns), over 0; what a perfect conductor has is not looked at */
    const double *conductivity;          /* (rows, columns) [S/m], not under 0; NULL: none anywhere */
    const bool *perfect_conductor;       /* (rows, columns); NULL: none anywhere */
} pw_plan;

/* Like pw_setup_create, with the plan taken from arrays; band, grid, transmitters, receivers, spectra and stop rule
 * come from the scenario. Its `plan:` gives the size alone, which must be that of the arrays within half a pixel, and
 * may hold shapes, which lie over the arrays. The pixels are averaged over cells as those of a picture are.
 * PW_BAD_INPUT: a scenario with an image, another size, a number that is not allowed (row and column are named), or
 * more than PW_PLAN_MEDIA distinct media. */
pw_status pw_setup_create_from_plan(const pw_scenario *scenario, const pw_plan *plan, pw_precision precision,
                                    bool strict, pw_setup **setup, pw_error *error);

/* How large a run of a scenario will be, in a moment: without its medium. */
typedef struct pw_setup_size {
    int64_t nodes, steps; /* of the grid; at most */
    double bytes;         /* of memory, about: pw_forecast_run counts them */
} pw_setup_size;
/* PW_NO_RESOURCE: the memory is not there; *size says how much it is. PW_BAD_INPUT as pw_setup_create. */
pw_status pw_setup_measure(const pw_scenario *scenario, pw_setup_size *size, pw_error *error);

/* NULL is allowed. */
void pw_setup_free(pw_setup *setup);
void pw_setup_release(pw_setup **owner); /* of PW_OWNED_AS */

/* What the set-up amounts to. */
typedef struct pw_facts {
    const char *title, *scheme, *averaging; /* owned by the scenario or by the library */
    int dimensions;                         /* 2 or 3 */
    bool horizontal;                        /* two dimensions: polarisation horizontal, Ex, Ey and Hz */
    int nx, ny, nz;                         /* cells, absorber included; nz 1 in two dimensions */
    int absorber_cells;                     /* on each side that has an absorber */
    int absorber_low[3], absorber_high[3];  /* at the ends of x, y, z: 0 at a wall or a plane of symmetry */
    double cell;                            /* m */
    double time_step;                       /* s */
    double courant, courant_limit;          /* of the scheme in vacuum, scaled by the plan's smallest permittivity */
    int64_t steps;                          /* at most */
    int64_t expected_steps;       /* until the energy is forecast to have gone, where the run stops by decay */
    double cells_per_wavelength;  /* at the upper band edge, in the slowest material of the plan */
    double phase_error_per_metre; /* rad/m, at the upper band edge in air, worst direction (warping included) */
    bool has_walls;               /* something on the plan is not air */
    /* The forecast of the error, root mean squares over the floor; nine plans in ten are within a factor of two. */
    double field_error;      /* of the complex field, relative to its mean size around a point */
    double local_mean_error; /* dB, of the mean power over a wavelength */
    double point_error;      /* dB, of the power at a point */
    double delay_error;      /* s, of the RMS delay spread */
    /* The first two by depth: in the strongest half of the floor, and 20 and 40 dB below it. */
    double field_error_by_depth[3], local_mean_error_by_depth[3];
    /* For delays and phases the field counts. Where its error is forecast over 20 % and the scenario asks for them:
     * how many times as long a run with `accuracy: 10 %` takes; else 0. */
    double phase_cost;
    double advised_cell;  /* m: would hold the accuracy where the cell that was given does not; 0: it does */
    int64_t raised_nodes; /* nodes beside walls whose averaged permittivity was raised for stability */
    int transmitter_count, receiver_count;              /* receivers whose field is recorded at every step */
    int lattice_receiver_count;                         /* receivers that are taken from the running spectra ... */
    double lattice_receiver_offset;                     /* m: ... whose points lie so far away at most */
    int frequency_count, spectra_rows, spectra_columns; /* running spectra; 0 when off */
    int spectra_every;                                  /* steps between samples */
    int palette_count;                                  /* distinct media that the solver sees */
    double quantisation_error;                          /* largest relative permittivity error of the palette */
    uint64_t host_bytes;                                /* set-up and result buffers, without the backend */
    double origin_x, origin_y, origin_z; /* m: place of cell (0, 0, 0), a corner of the absorber; z over the floor */
    double plan_width, plan_height;      /* m, along x and y */
    /* Of the lattice of running spectra, in two dimensions: its first point, and the distance of its points [m]. */
    double spectra_x0, spectra_y0, spectra_pitch;
    int sheet_count; /* planes and cuts with running spectra, in three dimensions */
} pw_facts;
pw_facts pw_setup_facts(const pw_setup *setup);

/* Seconds in which the energy on the plan is forecast to fall to `ratio` of what was sent out (Monte Carlo of what
 * walls reflect and take); INFINITY where it does not fall so far within what was followed. */
double pw_setup_decay_time(const pw_setup *setup, double ratio);

/* The medium that the solver sees, at the Ez nodes, each (ny, nx), in three dimensions (nz, ny, nx), with the absorber
 * included; any of the three may be NULL. Cell (row, column) lies at (origin_x + column cell, origin_y + row cell).
 * Permittivity is relative, conductivity in S/m; a perfect conductor has neither, and is marked in `perfect_conductor`.
 */
pw_status pw_setup_medium(const pw_setup *setup, double *relative_permittivity, double *conductivity,
                          bool *perfect_conductor, pw_error *error);

/* Warnings found on the way (material out of its range, receiver inside a wall, ...). They are stored in the result.
 * The texts are owned by the set-up; "" for an index that is not there. */
size_t pw_setup_warning_count(const pw_setup *setup);
const char *pw_setup_warning(const pw_setup *setup, size_t index);

/* What planwave has chosen, a sentence with its reason each. The texts are owned by the set-up; "" for an index that is
 * not there. */
size_t pw_setup_choice_count(const pw_setup *setup);
const char *pw_setup_choice(const pw_setup *setup, size_t index);

/* The scenario as YAML with everything chosen: it sets up the same again. Owned by the set-up. */
const char *pw_setup_scenario_text(const pw_setup *setup);

/* Which picture of a plan is meant. */
typedef enum pw_view_kind {
    PW_VIEW_USUAL =
        0, /* the plan of a run in two dimensions; a building from above and from one side, without ceilings */
    PW_VIEW_HEIGHT = 1, /* three dimensions: the horizontal cut at this height */
    PW_VIEW_X = 2,      /* the vertical cuts at this x, or this y */
    PW_VIEW_Y = 3
} pw_view_kind;
typedef struct pw_view {
    pw_view_kind kind;
    double position; /* m, of cuts: over the lowest floor, or x or y of the plan */
} pw_view;

/* Writes the picture of what the solver will see: the material map with legend and scale bar (PNG, or SVG or PDF by the
 * ending of the name, through gnuplot), and prints to `report` (may be NULL) the area per material and the colours that
 * the legend did not know. */
pw_status pw_rasterize_picture(const pw_setup *setup, const char *png_path, FILE *report, pw_error *error);

/* The same for a view of one's choice. In three dimensions the report is of volumes. PW_BAD_INPUT: a cut outside the
 * building, or of a run in two dimensions. */
pw_status pw_rasterize_view(const pw_setup *setup, pw_view view, const char *path, FILE *report, pw_error *error);

PW_C_END

#endif
