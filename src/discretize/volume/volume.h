/* The deciding where all components are solved: in three dimensions, and in two with horizontal polarisation, which is
 * a single layer without heights. What differs from one component in two dimensions: the building becomes a grid with
 * levels of z and a medium in layers (volume.c); transmitters become dipoles, receivers weighted sums of places,
 * spectra sheets of points (volume_signals.c). What both have in common is in setup.c and setup_signals.c. */
#pragma once

#include "discretize/setup.h"

#include <math.h>

/* m over the lowest floor (of spectra: over every floor): where the scenario gives no height. */
static const double USUAL_HEIGHT = 1.5;

/* Where component c (0..5) stands relative to its node, in cells along axis a: E half a cell along its own axis, H
 * along the two others. */
static inline double volume_stagger(int c, int a)
{
    bool along = c % 3 == a;
    return (c < 3) == along ? 0.5 : 0;
}

/* Where along axis a node (0, 0, 0) stands, and where component c of it does [m]. */
static inline double volume_node_origin(const struct setup *setup, int a)
{
    return (const double[]){setup->origin.x, setup->origin.y, setup->origin_z}[a];
}
static inline double volume_component_origin(const struct setup *setup, int c, int a)
{
    return volume_node_origin(setup, a) + volume_stagger(c, a) * setup->problem.axis[0].spacing;
}

/* A height as the scenario has it, or the usual one. */
double volume_height(double height);

/* The same of something in this set-up: 0, the one layer there is, in two dimensions. */
double volume_level(const struct setup *setup, double height);

/* Fills setup->building: in two dimensions with the plan, which is there, borrowed and at all heights. */
pw_status volume_building(struct setup *setup, bool strict, pw_error *error);

/* Cells of this side along an axis that the building takes, absorber included. */
double volume_cells(const struct setup *setup, int axis, double cell);

/* Metres from one end of the building to the other. */
double volume_length(const struct setup *setup, int axis);

/* How far beyond the building the metal wall at the high end of an axis stands on such cells [m]: the grid ends on
 * whole cells. 0 where no wall is. */
double volume_wall_beyond(const struct setup *setup, int axis, double cell);

/* Which cell or band would fit into `usable` bytes, where the run needs more, for messages; in three dimensions. False,
 * and no advice: in two, or where no cell would. */
bool volume_say_what_fits(const struct setup *setup, double needed, double usable, char *advice, size_t size);

/* Where the node (0, 0, 0) of the grid, which is there, stands, and which of its ends are planes of symmetry. */
void volume_place_grid(struct setup *setup);

/* The grid as the medium sees it, over the plan `plane`: the ends of z that are walls on the building among it. */
struct raster_volume volume_grid(const struct setup *setup, const struct raster_grid *plane);

/* Fills setup->medium and hands its layers to the problem. */
pw_status volume_raster(struct setup *setup, const struct raster_grid *plane, pw_error *error);

/* Horizontal polarisation: warns of metal that is a staircase of held edges: where it is thinner than a cell, and with
 * `grid.averaging: point` wherever its faces do not stand on nodes. */
void volume_warn_staircase(struct setup *setup);

/* Horizontal polarisation: the rows of places beside metal, and setup->metal.beside (metal_rows.c). */
pw_status volume_metal_rows_of(struct setup *setup, pw_error *error);

/* Three dimensions: the same; and, without metal, rows of places beside thin conducting layers in both (cut_rows.c). */
pw_status volume_cut_rows(struct setup *setup, pw_error *error);

/* Whether a thin conducting layer takes component c at node `at`, so that no wide difference along axis a crosses it
 * (medium/volume/sheets_volume.h). Not in the absorber, nor within a stencil's reach of one along a. */
bool volume_sheet_closes(const struct setup *setup, int c, int a, const int at[3]);

/* Marks the nodes whose rows such edges change. */
void volume_sheet_mark(const struct setup *setup, uint8_t *beside);

/* What the coefficients, which are there, do not tell: those rows, and the off-diagonal terms of tilted faces, but for
 * those in the absorber and beside metal. Nothing with vertical polarisation in two dimensions. */
pw_status volume_special_places(struct setup *setup, pw_error *error);

/* Whether a transmitter is a magnetic line current, whose source is driven by the integral of its waveform over time.
 */
bool volume_is_loop(const struct setup *setup, const struct transmitter_choice *transmitter);

/* Turns source->drive of a loop from the waveform, taken at the ends of steps, into its integral, taken at their
 * middles. */
void volume_integrate_drive(const struct problem *problem, struct source *source);

/* Fills source->node and source->weight of transmitter `index`. */
pw_status volume_add_source(struct setup *setup, int index, pw_error *error);

/* Probes of every receiver: Ex, Ey and Ez. */
pw_status volume_add_receivers(struct setup *setup, pw_error *error);

/* Fills in which components have spectra, and in three dimensions also which planes, where the scenario leaves it open.
 */
void volume_choose_components(struct setup *setup);
void volume_choose_heights(struct setup *setup);

/* The sheets and the points of the spectra: of the one layer; in three dimensions. */
pw_status volume_choose_layer(struct setup *setup, pw_error *error);
pw_status volume_choose_sheets(struct setup *setup, pw_error *error);

/* Receivers of the spectra: that a plane serves each, and how far away its field is taken. Their points into `point`
 * (lattice_receiver_count), or -1 where it is interpolated between several. PW_BAD_INPUT: a component that is not kept,
 * a place outside the planes, no plane at its height. */
pw_status volume_lattice_receivers(struct setup *setup, int64_t *point, pw_error *error);
