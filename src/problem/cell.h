/* The arithmetic of one cell, shared by every backend and compiled by the C compiler and by nvcc, so that they agree
 * bit for bit: each fused multiply-add is written out and contraction is off everywhere else.
 *
 * Include after defining REAL (float or double), FMA (fmaf or fma) and CELL(name) (a suffix per precision); the file
 * undefines nothing and has no include guard, so a translation unit may include it once per precision.
 *
 * L Ez at a node, in units of laplacian(1)/cell^2 (problem.h), is built in one of two ways, decided by the position
 * alone:
 *   away from the absorber        lap = cell_cross(...)  then cell_cross_add(...) for taps m = 2..laplacian_taps,
 *                                 ascending
 *   in the absorber region of x   lap = lap_x + lap_y, each axis being
 *   or y (problem.h)
 *        not in its region:       cell_line(...)  then cell_line_add(...) for taps m = 2..laplacian_taps, ascending
 *        in its region:           g(half) = filter_half(difference of Ez), lap_axis = filter_node(difference of g),
 *                                 difference = cell_difference(...) then cell_difference_add(...) for l = 1..reach-1,
 *                                 ascending
 * A filter whose layer conductivity is zero is not applied (it would not change a bit). */

#ifndef CELL_FUNCTION
#ifdef __CUDACC__
#define CELL_FUNCTION static __host__ __device__ __forceinline__
#else
#define CELL_FUNCTION static inline __attribute__((always_inline))
#endif
#endif

/* First Laplacian tap of both axes (its weight is one): centre2 = 2 centre. */
CELL_FUNCTION REAL CELL(cell_cross)(REAL centre2, REAL e, REAL west, REAL east, REAL south, REAL north)
{
    return FMA(centre2, e, (west + east) + (south + north));
}

CELL_FUNCTION REAL CELL(cell_cross_add)(REAL lap, REAL tap, REAL west, REAL east, REAL south, REAL north)
{
    return FMA(tap, (west + east) + (south + north), lap);
}

/* One axis alone. */
CELL_FUNCTION REAL CELL(cell_line)(REAL centre, REAL e, REAL low, REAL high)
{
    return FMA(centre, e, low + high);
}

CELL_FUNCTION REAL CELL(cell_line_add)(REAL lap, REAL tap, REAL low, REAL high)
{
    return FMA(tap, low + high, lap);
}

/* Staggered first difference. */
CELL_FUNCTION REAL CELL(cell_difference)(REAL a, REAL low, REAL high)
{
    return a * (high - low);
}

CELL_FUNCTION REAL CELL(cell_difference_add)(REAL sum, REAL a, REAL low, REAL high)
{
    return FMA(a, high - low, sum);
}

/* 1/s of the absorber (absorber.h): out = gain in + state, next state = pole (out - in) + feed in. */
CELL_FUNCTION REAL CELL(cell_filter)(REAL in, REAL gain, REAL pole, REAL feed, REAL *state)
{
    REAL out = FMA(gain, in, *state);
    *state = FMA(pole, out - in, feed * in);
    return out;
}

/* New increment; Ez grows by it: e = e + v (then sources, cell_source). */
CELL_FUNCTION REAL CELL(cell_increment)(REAL v, REAL lap, REAL ca, REAL cb)
{
    return FMA(cb, lap, ca * v);
}

/* maxwell3d (problem.h). A derivative is cell_curl(...), then cell_curl_add(...) for l = 1..reach-1, ascending; in the
 * absorber it then passes cell_filter. `first` and `second` are the derivatives along the next and the next but one
 * axis in cyclic order: for Hx and Ex those along y (of Ez, hz) and along z (of Ey, hy). E is cell_increment(e, first -
 * second, ca, cb). */
CELL_FUNCTION REAL CELL(cell_curl)(REAL low, REAL high)
{
    return high - low;
}

CELL_FUNCTION REAL CELL(cell_curl_add)(REAL sum, REAL tap, REAL low, REAL high)
{
    return FMA(tap, high - low, sum);
}

CELL_FUNCTION REAL CELL(cell_magnetic)(REAL h, REAL first, REAL second)
{
    return h - (first - second);
}

/* What E at one place beside a tensor node gains; `quarter` is a quarter of the node's coefficient, low and high are
 * the curls at the two places that it answers. */
CELL_FUNCTION REAL CELL(cell_tensor)(REAL e, REAL quarter, REAL low, REAL high)
{
    return FMA(quarter, low + high, e);
}

/* A place beside metal gains a term of its row (problem.h); in tm2d `value` is the increment, after cell_increment. */
CELL_FUNCTION REAL CELL(cell_term)(REAL value, REAL weight, REAL there)
{
    return FMA(weight, there, value);
}

/* A node of a dispersive medium (pole.h), after the update above and after the sources; u is the increment in tm2d and
 * E in maxwell3d. The history begins as half*before, `before` being u one step ago; then each Debye pole adds its part,
 * then each other pole, in order. With u = cell_answer(...) and sum = u + before, every pole advances. */
CELL_FUNCTION REAL CELL(cell_relaxation_history)(REAL history, REAL polarisation_rate, REAL polarisation)
{
    return FMA(-polarisation_rate, polarisation, history);
}

CELL_FUNCTION REAL CELL(cell_oscillator_history)(REAL history, REAL polarisation_rate, REAL current_rate,
                                                 REAL polarisation, REAL current)
{
    return history + FMA(-current_rate, current, FMA(-polarisation_rate, polarisation, current));
}

CELL_FUNCTION REAL CELL(cell_answer)(REAL u, REAL history, REAL keep, REAL take)
{
    return FMA(-take, history, keep * u);
}

/* Polarisation after the step. */
CELL_FUNCTION REAL CELL(cell_relaxation)(REAL sum, REAL field_rate, REAL polarisation_rate, REAL polarisation)
{
    return polarisation + FMA(field_rate, sum, -(polarisation_rate * polarisation));
}

/* Half of what the current of the pole gains in the step: then the polarisation gains current + change, and the current
 * twice the change. */
CELL_FUNCTION REAL CELL(cell_oscillator_change)(REAL sum, const REAL rate[3], REAL polarisation, REAL current)
{
    return FMA(rate[0], sum, FMA(-rate[1], polarisation, -(rate[2] * current)));
}

#ifndef CELL_VECTORS /* one node at a time: not for a REAL of several lanes */
/* A source node, after Ez has grown by its increment: a soft source adds weight*drive to both, a hard one sets Ez. */
CELL_FUNCTION void CELL(cell_source)(REAL weight, REAL drive, int hard, REAL *v, REAL *e)
{
    REAL kick = weight * drive;
    *v = hard ? (REAL)0 : *v + kick;
    *e = hard ? kick : *e + kick;
}

/* The same in maxwell3d, where there is no increment. */
CELL_FUNCTION void CELL(cell_dipole)(REAL weight, REAL drive, int hard, REAL *e)
{
    REAL kick = weight * drive;
    *e = hard ? kick : *e + kick;
}

/* maxwell3d: a probe between nodes is the sum over its places, from zero, ascending. */
CELL_FUNCTION REAL CELL(cell_probe_add)(REAL sum, REAL weight, REAL value)
{
    return FMA(weight, value, sum);
}
#endif

/* Running spectra (spectra.h): a sum over the pairs of a group of samples, and its rotation by the phase of the group's
 * middle into the spectrum. */
CELL_FUNCTION REAL CELL(cell_pair)(REAL pair, REAL weight)
{
    return pair * weight;
}

CELL_FUNCTION REAL CELL(cell_pair_add)(REAL sum, REAL pair, REAL weight)
{
    return FMA(pair, weight, sum);
}

CELL_FUNCTION REAL CELL(cell_spectrum_real)(REAL part, REAL even, REAL odd, REAL phase_real, REAL phase_imaginary)
{
    return FMA(-odd, phase_imaginary, FMA(even, phase_real, part));
}

CELL_FUNCTION REAL CELL(cell_spectrum_imaginary)(REAL part, REAL even, REAL odd, REAL phase_real, REAL phase_imaginary)
{
    return FMA(odd, phase_real, FMA(even, phase_imaginary, part));
}
