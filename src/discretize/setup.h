/* The deciding: from a scenario to a problem. Chooses the time step, places nodes, rasterizes the medium, compensates
 * conductivity for the warp, turns positions into weighted nodes, waveforms into tables, and checks what only now can
 * be checked. */
#pragma once

#include "api/setup.h"
#include "base/warnings.h"
#include "discretize/antenna/array.h"
#include "discretize/forecast/error_law.h"
#include "discretize/metal/ez_rows.h"
#include "discretize/placement.h"
#include "discretize/poles/dispersive_nodes.h"
#include "discretize/source/waveform.h"
#include "medium/metal/metal_volume.h"
#include "medium/raster.h"
#include "problem/problem.h"

/* A receiver: Ez there = sum over k of placement.weight[k] * probe[k]. Where all components are solved a probe is such
 * a sum already: probe[0], probe[1] and probe[2] are Ex, Ey and Ez there (with horizontal polarisation in two
 * dimensions eta0 Hz in place of Ez, half a step earlier), and the placement is empty. */
struct receiver {
    struct placement placement;
    int probe[PLACEMENT_LIMIT]; /* where placement.node[k] stands in problem.probes */
    int terms; /* three dimensions: it has a pattern, and probe[0] and so many on are its terms (antenna/drives.h) */
};

/* All components: one of them on a plane of points, the meaning of problem.spectra.sheets[n]. A horizontal plane
 * has columns along x and rows along y; a vertical cut has columns along x or y and rows along z. */
struct setup_sheet {
    enum component component;
    int normal;                     /* axis across the plane: 2, or 1 or 0 for a cut */
    double asked, position;         /* m along that axis: as wanted, and of the nearest nodes, which are taken */
    double column_first, row_first; /* m: of point (0, 0), along the plane's two axes, where the component stands */
    double pitch;                   /* m between neighbours */
    int columns, rows;
    int64_t first_point; /* of problem.spectra's points */
};

struct setup_formulation;

struct setup {
    const struct setup_formulation *formulation; /* what is solved (formulation.h) */
    const struct scenario *scenario;             /* `chosen`: everything that follows reads this one */
    const struct scenario *asked;                /* the caller's, borrowed */
    struct scenario
        chosen;            /* the caller's scenario with what it left open filled in; owns its text, borrows the rest */
    struct floorplan plan; /* owned */
    bool from_arrays;      /* the plan was given as arrays, so the scenario alone does not tell it */
    struct metal_cells metal;           /* owned; horizontal polarisation: cells that metal cuts */
    struct metal_volume cuts;           /* owned; three dimensions: the same */
    struct medium medium;               /* owned; (ny, nx) of the problem, absorber included */
    struct dispersive_nodes dispersive; /* owned: until the problem has them */
    struct ez_shares shares;            /* owned; vertical polarisation in two dimensions: nodes beside metal */
    struct problem problem;             /* owned, but coefficient_index is the medium's index */
    pw_notes warnings;                  /* owned */
    pw_notes choices;                   /* owned: what was chosen, and why */
    struct energy_transport *transport; /* owned: how energy travels through the plan */
    struct error_forecast error;
    double advised_cell;            /* m: would hold the accuracy where the cell that was given does not; 0: it does */
    double phase_cost;              /* pw_facts.phase_cost */
    double expected_end;            /* s: when the run is forecast to stop; INFINITY: at its bound */
    struct array_report *arrays;    /* (transmitter_count), owned: of transmitters with a pattern */
    struct vector_memory *antennas; /* owned while signals are set up: the last pattern in three dimensions */
    struct receiver *receivers;     /* (receiver_count), owned */
    struct setup_sheet *sheets;     /* (problem.spectra.sheet_count), owned; three dimensions */
    struct building building;  /* owned; `plan` is its cut at the first transmitter's height. In two dimensions it has
                                  no height, and `plan` is its only band */
    double origin_z;           /* m over the lowest floor, of node (0, 0, 0) */
    double lattice_offset;     /* m: the farthest of a receiver of the spectra from its point */
    struct point origin;       /* m, plan coordinates of node (0, 0) */
    double sigma_compensation; /* factor applied to conductivities, 1/cos(w dt/2) at the band centre, or 1 */
    struct stencil stencil;    /* of the scheme */
    int frequency_count;       /* of the band, with or without running spectra */
    double *frequency, *omega; /* (frequency_count) [Hz], [rad/s] as evaluated; owned, shared with problem.spectra */
    double
        magnetic_scale; /* horizontal polarisation: eta0 Hz per value that the solver keeps of it, K a(0) (problem.h) */
    double smallest_permittivity; /* of the medium; under 1 beside walls with moment averaging */
};

static inline bool setup_is_3d(const struct setup *setup)
{
    return setup->scenario->dimensions == 3;
}

/* The component that stands third: Ez, with horizontal polarisation in two dimensions Hz. */
static inline enum component setup_component(const struct setup *setup, int c)
{
    return c == 2 && setup->scenario->horizontal ? COMPONENT_HZ : (enum component)(COMPONENT_EX + c);
}

/* Rows of the palette at the nodes of component c of E on level k, (ny, nx): of the one level there is in two
 * dimensions, k is 0. */
static inline const uint16_t *setup_level(const struct setup *setup, int c, int k)
{
    const struct medium *medium = &setup->medium;
    const int layer = medium->layer[c] != NULL ? medium->layer[c][k] : 0;
    return medium->index + (size_t)layer * (size_t)medium->nx * (size_t)medium->ny;
}

/* Cells of the absorber between an end of an axis and the plan: none at a wall or a symmetry plane. */
int setup_absorber_cells(const struct setup *setup, int axis, int end);

/* A medium becomes the one with which the grid's wave is the wave in it (problem/grid_medium.h). */
void setup_grid_medium(const struct setup *setup, double *permittivity, double *conductivity);

/* An entry of the medium's palette as the dispersion models take it, its conductivity compensated; not for perfect
 * conductors. */
static inline struct plain_medium setup_dispersive_medium(const struct setup *setup, const struct medium_entry *entry)
{
    double permittivity = entry->relative_permittivity, conductivity = entry->conductivity;
    setup_grid_medium(setup, &permittivity, &conductivity);
    return (struct plain_medium){.relative_permittivity = permittivity,
                                 .conductivity = conductivity * setup->sigma_compensation};
}

/* What of the problem enters the coefficients. */
static inline struct coefficient_step setup_coefficient_step(const struct setup *setup)
{
    const struct stencil *stencil = &setup->stencil;
    return problem_coefficient_step(&setup->problem, setup->problem.formulation == FORMULATION_MAXWELL3D
                                                         ? stencil->difference[0] * stencil->difference[0]
                                                         : stencil->laplacian[0]);
}

/* The upper edge of the band [Hz], and cells per wavelength there in the slowest material (setup_facts.c). */
double setup_upper_edge(const struct scenario *scenario);
double setup_cells_per_wavelength(const struct setup *setup);

/* A medium, and all that it was made from beside the plan. */
struct setup_medium {
    bool there;
    struct raster_grid grid; /* its stencil is the one beside it */
    struct stencil stencil;
    enum averaging averaging;
    struct medium medium;
};

/* What set-ups of one plan have in common, however transmitters move on it: reading the plan, forecasting how energy
 * travels and averaging the medium take longer than the rest of a coarse set-up. */
struct setup_common {
    bool has_plan;
    struct floorplan plan;                    /* while has_plan; a set-up borrows it */
    const struct energy_transport *transport; /* of another set-up; NULL: each computes its own */
    const double *phase_cost;                 /* of another set-up; NULL: each looks for its own */
    struct setup_medium medium;               /* of Ez alone, on this plan; a set-up of the same grid borrows it */
};

/* As pw_setup_create, with what `common` has: the plan, if there is one, must be that of the scenario, and forecasts
 * are those of `transport`. Without a plan in `common` the set-up's own goes there. setup_free_common() gives plan and
 * medium back, and setup_common_free() frees what is there then. */
pw_status setup_create_common(const pw_scenario *scenario, struct setup_common *common, pw_precision precision,
                              struct setup **setup, pw_error *error);
void setup_free_common(struct setup *setup, struct setup_common *common);
void setup_common_free(struct setup_common *common);

/* Second half of pw_setup_create (setup_signals.c): transmitters, receivers, running spectra. Grid and medium are
 * there. */
pw_status setup_add_signals(struct setup *setup, pw_error *error);

/* Its parts in setup_spectra.c. `waveforms` (transmitter_count). */
pw_status setup_add_spectra(struct setup *setup, const struct waveform *waveforms, pw_error *error);
pw_status setup_check_lattice_receivers(struct setup *setup, pw_error *error);
