/* Sensitivities: how the channel between two stations changes with the materials and the thickness of the walls.
 *
 * The derivative is that of the discrete equations, so it is exact up to rounding and to what was left of the field
 * when the runs ended. It takes one run for each place where a transmitter or a receiver stands, whatever the number of
 * parameters: with E_t the running spectrum of a run from the transmitter and E_r that of a run from the receiver, a
 * node whose coefficients change contributes to dH the product E_t E_r times the change of the node's diagonal. How the
 * coefficients of the nodes depend on a parameter is taken from set-ups, which are cheap beside a run.
 *
 *     pw_parameter brick = {.kind = PW_PARAMETER_PERMITTIVITY, .name = "brick"};
 *     pw_gradients_options options = {.parameters = &brick, .parameter_count = 1};
 *     pw_gradients *made;
 *     PW_TRY(pw_gradients_solve(scenario, &options, &made, error));
 *     pw_gradients_level level = pw_gradients_of_level(made, 0, 0, 0);
 *     printf("%.2f dB for 10 %% more\n", 0.1 * level.per_relative);
 *     pw_gradients_free(made);
 *
 * In two dimensions and in three, for every scheme; with receivers that are recorded at every step. The spectra of the
 * walls are kept at every node of the walls, which in three dimensions suits rooms and not yet buildings. */
#ifndef PLANWAVE_GRADIENTS_H
#define PLANWAVE_GRADIENTS_H

#include "api/backend.h"
#include "api/setup.h"
#include "api/study/variants.h"
#include "api/support.h"

PW_C_BEGIN

typedef struct pw_gradients_options {
    pw_compute compute;
    pw_precision precision;
    const pw_parameter *parameters; /* (parameter_count) */
    int parameter_count; /* 0: permittivity and conductivity of every material of the plan that has them, but for nodes
                            beside metal whose equations change with them: pw_gradients_facts.left_out */
    double step;         /* by which a parameter is changed for the set-ups, relative; 0: 1e-3. Not the accuracy: the
                            coefficients are nearly linear in it */
    pw_monitor monitor;
    bool thickness; /* with parameter_count 0: of the walls of every material too, where it can change alone */
} pw_gradients_options;

typedef struct gradients pw_gradients;

/* Solves each transmitter and, in reverse, each receiver. PW_BAD_INPUT: dispersive media, hard sources, walls that
 * couple the components of the field, no recorded receiver, one with a pattern, no running spectra, a parameter that
 * the plan does not have, or one that moves metal or the time step. PW_NO_RESOURCE: the spectra of the walls do not fit
 * in memory. The caller frees *made with pw_gradients_free. */
pw_status pw_gradients_solve(const pw_scenario *scenario, const pw_gradients_options *options, pw_gradients **made,
                             pw_error *error);

typedef struct pw_gradients_facts {
    int transmitters, receivers, parameters, frequencies;
    int nx, ny;                     /* nodes of the grid */
    double cell;                    /* m */
    double origin_x, origin_y;      /* m: place of node (0, 0) */
    double plan_width, plan_height; /* m */
    int64_t nodes;                  /* whose coefficients depend on a parameter, components counted apart */
    int64_t left_out; /* nodes beside metal, of which nobody knows how they depend: of parameters that were not named */
    int runs;         /* solved */
} pw_gradients_facts;
pw_gradients_facts pw_gradients_describe(const pw_gradients *gradients);

/* The parameters as they were asked for, and what they are in the plan. */
pw_parameter pw_gradients_parameter(const pw_gradients *gradients, int parameter, pw_parameter_range *range);

/* Frequencies [Hz], (frequencies); owned by the sensitivity. */
const double *pw_gradients_frequencies(const pw_gradients *gradients);

/* H, field over current at the receiver, (frequencies, re/im) [V/m per A], as pw_simulation has it; owned. */
const double *pw_gradients_response(const pw_gradients *gradients, int transmitter, int receiver);

/* dH/d ln p, (frequencies, re/im): by how much H changes when the parameter grows by the factor e, to first order; to
 * have dH/dp divide by p. Owned. */
const double *pw_gradients_of_response(const pw_gradients *gradients, int transmitter, int receiver, int parameter);

/* What the received power does, 10 lg of the mean of |H|^2 over the band. In two dimensions a transmitter that moves
 * also changes the step to three, which is that by distance and heights (PW_SPREADING_DISTANCE). */
typedef struct pw_gradients_level {
    double per_relative; /* dB per relative change: a tenth of it is the effect of 10 % more */
    double per_unit;     /* dB per unit of the parameter (1, S/m, m); NAN where its name stands for several values */
} pw_gradients_level;
pw_gradients_level pw_gradients_of_level(const pw_gradients *gradients, int transmitter, int receiver, int parameter);

/* Which wall decides: the share of every node in `per_relative`, summed over the parameters from `first` on, `count` of
 * them, as a density [dB/m^2], (ny, nx), of all
 * heights; zero outside of the walls. */
pw_status pw_gradients_map(const pw_gradients *gradients, int transmitter, int receiver, int first, int count,
                           double *map, pw_error *error);

/* A wall of the plan, or of a polygon or a picture the piece from one junction, opening or end to the next, and what it
 * does to the level of a link. */
typedef struct pw_gradients_wall {
    double line[4];              /* m: x, y of one end of its centre line and of the other */
    double thickness;            /* m */
    char material[PW_NAME_SIZE]; /* "air": nothing but the edges of others */
    double per_relative; /* dB per relative change of permittivity and conductivity, those among the parameters, of this
                            piece alone: a tenth of it is the effect of 10 % more */
    double per_metre;    /* dB per metre that it is thicker; NAN: its thickness is none of the parameters */
} pw_gradients_wall;

/* The walls that decide a link, strongest first by the size of `per_relative`: at most `limit` of them go to `walls`
 * (limit), their number to *count. What belongs to two pieces, as at a junction, is counted with the stronger. */
pw_status pw_gradients_walls(const pw_gradients *gradients, int transmitter, int receiver, int limit,
                             pw_gradients_wall *walls, int *count, pw_error *error);

/* pw_gradients_level.per_relative of a parameter, (transmitters, receivers), by solving the scenario twice more, with
 * the parameter multiplied by 1 + step and by 1 - step. */
pw_status pw_gradients_check(const pw_gradients *gradients, const pw_compute *compute, int parameter, double step,
                             double *per_relative, pw_error *error);

/* NULL is allowed. */
void pw_gradients_free(pw_gradients *gradients);
void pw_gradients_release(pw_gradients **owner); /* of PW_OWNED_AS */

PW_C_END

#endif
