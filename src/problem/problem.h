/* The hinge between deciding and computing: an immutable, fully validated description in plain arrays. Everything
 * before it decides; everything after it only computes. A backend sees this and nothing else: no file, no unit, no
 * name.
 *
 * The scheme. With leapfrog in time, h can be eliminated from physics.md section 1 without changing the solution: with
 * the increment v[n] = Ez[n] - Ez[n-1] and L the difference applied twice in x and in y, v[n+1]  = retention v[n] +
 * coupling (L Ez[n]) + (source current increment) Ez[n+1] = Ez[n] + v[n+1] retention = (1-a)/(1+a),   coupling = K^2
 * ring(1) / (eps_r (1+a)),   a = sigma dt/(2 eps0 eps_r),   K = c dt/cell. Two fields instead of three: a third less
 * memory traffic and fewer operations, the same numbers up to rounding (tested against the textbook form). L is
 * normalised by its first ring, so that one multiplication less is needed. Beside the absorber, where filters stand
 * between the two differences, L is taken as two differences (cell.h).
 *
 * Nodes (i, j), i = 0..nx-1, j = 0..ny-1, flat index j nx + i. Node 0 lies on a PEC wall and node n, not stored, on the
 * opposite one: Ez is odd and the first difference even about both (image theory), for every scheme. */
#ifndef PROBLEM_H
#define PROBLEM_H

#include "problem/absorber.h"
#include "problem/stencil.h"

struct source {
    bool hard;       /* soft: v and Ez gain weight*drive[n] after step n; hard: Ez becomes weight*drive[n], v zero */
    int64_t count;   /* driven nodes, each node once, ascending */
    int64_t *node;   /* (count), owned */
    double *weight;  /* (count), owned: soft V/m per A */
    double *drive;   /* (steps), owned: soft: I[n] - I[n-1] [A]; hard: Ez at the end of step n [V/m] */
    double *current; /* (steps), owned: I[n] [A] at (n+1/2) dt, or (n+1) dt when sampled_at_step_end; for the spectrum
                        only */
    bool sampled_at_step_end;
};

/* Running spectra on a lattice of nodes: node (x0 + c spacing, y0 + r spacing), sampled after steps every, 2 every, 3
 * every, ... */
struct spectra {
    int frequency_count; /* 0: off */
    double *frequency;   /* (frequency_count) [Hz], owned: as reported */
    double *omega;       /* (frequency_count) [rad/s], owned: as evaluated, warped or not */
    int x0, y0, spacing, columns, rows;
    int every; /* steps between samples */
};

struct problem {
    int nx, ny;       /* cells */
    double cell;      /* m */
    double time_step; /* s */
    int64_t steps;
    pw_precision precision;

    /* stencil, normalised: difference[l] = a(l)/sqrt(ring(1)), centre and ring divided by ring(1), so ring[0] = 1 */
    int reach;      /* taps of the first difference, 1..7 */
    int ring_count; /* rings used, problem_set_stencil: 2 reach - 1, or in single precision fewer */
    double difference[REACH_LIMIT];
    double centre; /* of one direction; the sum of both directions has twice this */
    double ring[RING_LIMIT];

    int palette_count;
    double *retention;  /* (palette_count), owned */
    double *coupling;   /* (palette_count), owned */
    uint16_t *material; /* (ny, nx) into the palette, owned; entry 0 is lossless air: retention 1 */

    int layer;                               /* absorber cells on every side; 0: PEC box */
    struct absorber_filter *x_half, *x_node; /* (nx), owned */
    struct absorber_filter *y_half, *y_node; /* (ny), owned */

    struct source *sources; /* (source_count), owned: one per transmitter, each its own run */
    int source_count;

    int64_t *probe_node; /* (probe_count), owned: Ez is recorded after every step */
    int probe_count;

    struct spectra spectra;

    int watch_every; /* steps between looks at the energy (stop rule, NaN watch); a multiple of spectra.every */
    double decay; /* stop when the energy is under this fraction of its peak, after the sources have ended; 0: never */
    int64_t source_end; /* first step after which no source drives any more */
};

void problem_free(struct problem *problem);

/* Fills reach, difference, centre, ring and ring_count for problem->precision. In single precision the outermost rings
 * of dd3 and dd4 weigh less than the rounding of one addition (dd4: 1.8e-8, 1e-10, ... against 3.5 in the centre):
 * rings whose weights add up to less than half a unit in the last place of the centre term are left out. That leaves,
 * of 2 reach - 1: yee 1, fd4 3, dd2 5, fd6 5, dd3 7 (of 9), fd8 7, dd4 9 (of 13). The others are rounded so that sum
 * and second moment stay exact: constants stay, long waves keep their speed. */
void problem_set_stencil(struct problem *problem, const struct stencil *stencil);

/* Nodes whose L is taken as two differences because a filter stands between: within layer + reach of an end, on an axis
 * of n cells. */
static inline bool problem_in_zone(const struct problem *problem, int i, int n)
{
    int zone = problem->layer + problem->reach;
    return problem->layer > 0 && (i < zone || i >= n - zone);
}

/* Number of samples of the running spectra after `steps` steps. */
static inline int64_t spectra_samples(const struct spectra *spectra, int64_t steps)
{
    return spectra->frequency_count > 0 ? steps / spectra->every : 0;
}

/* Samples come in groups, which are added whole (spectra.h): folded ones of 8, 16 or 32, as many as take no more memory
 * than the sums, but for few frequencies; transformed ones of 256 from as many frequencies on as make that cheaper. */
static inline int spectra_group(const struct spectra *spectra)
{
    int count = spectra->frequency_count;
    return count < 8 ? 8 : count < 16 ? 16 : count < 64 ? 32 : 256;
}

/* Samples after `steps` steps whose group is not whole yet. */
static inline int spectra_waiting(const struct spectra *spectra, int64_t steps)
{
    return (int)(spectra_samples(spectra, steps) % spectra_group(spectra));
}

#endif
