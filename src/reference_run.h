/* One run of the reference backend, included once per precision (REAL, FMA and CELL are defined by the includer). Scalar loops in the
 * order of the equations; the fields carry ghost nodes so that the walls need no cases in the loops. Nobody optimises this file. */

struct CELL(run) {
    const struct problem *problem;
    const struct source *source;
    REAL *e;       /* (ny + 2 ghosts, nx + 2 ghosts): Ez */
    REAL *v;       /* (ny, nx): increment */
    REAL *gx, *gy; /* like e: filtered first differences at (i+1/2, j) and (i, j+1/2), where a zone needs them */
    REAL *x_half, *x_node, *y_half, *y_node; /* (ny, nx) filter states */
    REAL *spectra;                           /* (frequency, row, column, 2) */
    REAL *probes;                            /* (steps, probe_count) */
    ptrdiff_t ghosts, pitch;
    int64_t step;
};

static void CELL(run_free)(struct CELL(run) * run)
{
    free(run->e);
    free(run->v);
    free(run->gx);
    free(run->gy);
    free(run->x_half);
    free(run->x_node);
    free(run->y_half);
    free(run->y_node);
    free(run->spectra);
    free(run->probes);
}

static pw_status CELL(run_create)(struct CELL(run) * run, const struct problem *problem, const struct source *source,
                                  pw_error *error)
{
    const struct spectra *spectra = &problem->spectra;
    ptrdiff_t ghosts = 2 * problem->reach;
    size_t cells = (size_t)problem->nx * (size_t)problem->ny;
    size_t padded = ((size_t)problem->nx + 2 * (size_t)ghosts) * ((size_t)problem->ny + 2 * (size_t)ghosts);
    size_t lattice = 2 * (size_t)spectra->frequency_count * (size_t)spectra->rows * (size_t)spectra->columns;
    *run =
        (struct CELL(run)){.problem = problem, .source = source, .ghosts = ghosts, .pitch = problem->nx + 2 * ghosts};
    struct {
        REAL **array;
        size_t count;
    } parts[] = {{&run->e, padded},        {&run->v, cells},
                 {&run->gx, padded},       {&run->gy, padded},
                 {&run->x_half, cells},    {&run->x_node, cells},
                 {&run->y_half, cells},    {&run->y_node, cells},
                 {&run->spectra, lattice}, {&run->probes, (size_t)problem->steps * (size_t)problem->probe_count}};
    for (size_t p = 0; p < sizeof parts / sizeof parts[0]; p++) {
        *parts[p].array = allocate(parts[p].count, sizeof(REAL), "the reference backend", error);
        if (*parts[p].array == NULL) {
            return PW_NO_RESOURCE;
        }
    }
    return PW_OK;
}

INLINE REAL *CELL(at)(const struct CELL(run) * run, REAL *padded, ptrdiff_t i, ptrdiff_t j)
{
    return padded + (j + run->ghosts) * run->pitch + i + run->ghosts;
}

/* Fills the ghosts of a padded field along one line of n values, `stride` apart, from line[0]. Nodes (half = 0): odd about 0 and n, and
 * zero on both. Half nodes (half = 1): even about the same walls, which lie at -1/2 and n-1/2 in their numbering. */
static void CELL(mirror_line)(REAL *line, ptrdiff_t stride, ptrdiff_t n, ptrdiff_t ghosts, int half)
{
    for (ptrdiff_t i = -ghosts; i < n + ghosts; i++) {
        if (i >= 0 && i < n) {
            continue;
        }
        ptrdiff_t k = ((i % (2 * n)) + 2 * n) % (2 * n);
        REAL value;
        if (half) {
            value = line[(k < n ? k : 2 * n - 1 - k) * stride];
        } else {
            value = k == n || k == 0 ? (REAL)0 : k < n ? line[k * stride] : -line[(2 * n - k) * stride];
        }
        line[i * stride] = value;
    }
}

static void CELL(mirror_x)(struct CELL(run) * run, REAL *padded, int half)
{
    for (ptrdiff_t j = 0; j < run->problem->ny; j++) {
        CELL(mirror_line)(CELL(at)(run, padded, 0, j), 1, run->problem->nx, run->ghosts, half);
    }
}

static void CELL(mirror_y)(struct CELL(run) * run, REAL *padded, int half)
{
    for (ptrdiff_t i = 0; i < run->problem->nx; i++) {
        CELL(mirror_line)(CELL(at)(run, padded, i, 0), run->pitch, run->problem->ny, run->ghosts, half);
    }
}

/* Difference between the values above and below a point: low[-l stride] and high[+l stride] stand l + 1/2 from it. */
INLINE REAL CELL(difference_at)(const struct problem *problem, const REAL *low, const REAL *high, ptrdiff_t stride)
{
    REAL sum = CELL(cell_difference)((REAL)problem->difference[0], *low, *high);
    for (ptrdiff_t l = 1; l < problem->reach; l++) {
        sum = CELL(cell_difference_add)(sum, (REAL)problem->difference[l], low[-l * stride], high[l * stride]);
    }
    return sum;
}

INLINE REAL CELL(apply)(const struct absorber_filter *filter, REAL value, REAL *state)
{
    return CELL(cell_filter)(value, (REAL)filter->gain, (REAL)filter->pole, state);
}

/* First differences at the half nodes that zones look at, filtered inside the layer. */
FAST_FMA static void CELL(first_differences)(struct CELL(run) * run)
{
    const struct problem *problem = run->problem;
    int nx = problem->nx, ny = problem->ny, look = problem->layer + 2 * problem->reach;
    for (int j = 0; j < ny; j++) {
        for (int i = 0; i < nx; i++) {
            const REAL *e = CELL(at)(run, run->e, i, j);
            size_t n = (size_t)j * (size_t)nx + (size_t)i;
            if (i < look || i >= nx - look) {
                REAL g = CELL(difference_at)(problem, e, e + 1, 1);
                *CELL(at)(run, run->gx, i, j) = CELL(apply)(&problem->x_half[i], g, &run->x_half[n]);
            }
            if (j < look || j >= ny - look) {
                REAL g = CELL(difference_at)(problem, e, e + run->pitch, run->pitch);
                *CELL(at)(run, run->gy, i, j) = CELL(apply)(&problem->y_half[j], g, &run->y_half[n]);
            }
        }
    }
    CELL(mirror_x)(run, run->gx, 1);
    CELL(mirror_y)(run, run->gy, 1);
}

/* L Ez along one axis at a node: the rings, or in a zone the difference of the filtered differences. */
INLINE REAL CELL(line_at)(const struct problem *problem, const REAL *e, ptrdiff_t stride)
{
    REAL lap = CELL(cell_line)((REAL)problem->centre, *e, e[-stride], e[stride]);
    for (ptrdiff_t m = 2; m <= problem->ring_count; m++) {
        lap = CELL(cell_line_add)(lap, (REAL)problem->ring[m - 1], e[-m * stride], e[m * stride]);
    }
    return lap;
}

INLINE REAL CELL(cross_at)(const struct problem *problem, const REAL *e, ptrdiff_t pitch)
{
    REAL lap = CELL(cell_cross)((REAL)(2 * problem->centre), *e, e[-1], e[1], e[-pitch], e[pitch]);
    for (ptrdiff_t m = 2; m <= problem->ring_count; m++) {
        lap = CELL(cell_cross_add)(lap, (REAL)problem->ring[m - 1], e[-m], e[m], e[-m * pitch], e[m * pitch]);
    }
    return lap;
}

INLINE REAL CELL(laplacian_at)(struct CELL(run) * run, int i, int j)
{
    const struct problem *problem = run->problem;
    bool x_zone = problem_in_zone(problem, i, problem->nx), y_zone = problem_in_zone(problem, j, problem->ny);
    const REAL *e = CELL(at)(run, run->e, i, j);
    if (!x_zone && !y_zone) {
        return CELL(cross_at)(problem, e, run->pitch);
    }
    size_t n = (size_t)j * (size_t)problem->nx + (size_t)i;
    const REAL *gx = CELL(at)(run, run->gx, i, j), *gy = CELL(at)(run, run->gy, i, j);
    REAL x = x_zone ? CELL(apply)(&problem->x_node[i], CELL(difference_at)(problem, gx - 1, gx, 1), &run->x_node[n])
                    : CELL(line_at)(problem, e, 1);
    REAL y = y_zone ? CELL(apply)(&problem->y_node[j], CELL(difference_at)(problem, gy - run->pitch, gy, run->pitch),
                                  &run->y_node[n])
                    : CELL(line_at)(problem, e, run->pitch);
    return x + y;
}

static void CELL(drive)(struct CELL(run) * run)
{
    const struct source *source = run->source;
    for (int64_t s = 0; s < source->count; s++) {
        int64_t n = source->node[s];
        REAL *e = CELL(at)(run, run->e, n % run->problem->nx, n / run->problem->nx);
        CELL(cell_source)((REAL)source->weight[s], (REAL)source->drive[run->step], source->hard, &run->v[n], e);
    }
}

/* Probes and spectra after run->step steps. */
FAST_FMA static void CELL(record)(struct CELL(run) * run, const double *weights)
{
    const struct problem *problem = run->problem;
    const struct spectra *spectra = &problem->spectra;
    for (int p = 0; p < problem->probe_count; p++) {
        int64_t n = problem->probe_node[p];
        run->probes[(run->step - 1) * problem->probe_count + p] =
            *CELL(at)(run, run->e, n % problem->nx, n / problem->nx);
    }
    if (weights == NULL) {
        return;
    }
    REAL *out = run->spectra;
    for (int f = 0; f < spectra->frequency_count; f++) {
        REAL real_weight = (REAL)weights[2 * f], imaginary_weight = (REAL)weights[2 * f + 1];
        for (int r = 0; r < spectra->rows; r++) {
            for (int c = 0; c < spectra->columns; c++, out += 2) {
                REAL e = *CELL(at)(run, run->e, spectra->x0 + c * spectra->spacing, spectra->y0 + r * spectra->spacing);
                out[0] = CELL(cell_spectrum)(out[0], e, real_weight);
                out[1] = CELL(cell_spectrum)(out[1], e, imaginary_weight);
            }
        }
    }
}

/* One step; `weights` (frequency, 2) when a sample of the spectra is due after it, else NULL. */
FAST_FMA static void CELL(run_step)(struct CELL(run) * run, const double *weights)
{
    const struct problem *problem = run->problem;
    CELL(mirror_x)(run, run->e, 0);
    CELL(mirror_y)(run, run->e, 0);
    if (problem->layer > 0) {
        CELL(first_differences)(run);
    }
    size_t n = 0;
    for (int j = 0; j < problem->ny; j++) {
        for (int i = 0; i < problem->nx; i++, n++) {
            uint16_t m = problem->material[n];
            run->v[n] = CELL(cell_increment)(run->v[n], CELL(laplacian_at)(run, i, j), (REAL)problem->retention[m],
                                             (REAL)problem->coupling[m]);
        }
    }
    n = 0;
    for (int j = 0; j < problem->ny; j++) {
        for (int i = 0; i < problem->nx; i++, n++) {
            *CELL(at)(run, run->e, i, j) += run->v[n];
        }
    }
    CELL(drive)(run);
    run->step++;
    CELL(record)(run, weights);
}

static double CELL(run_energy)(struct CELL(run) * run)
{
    double energy = 0;
    for (int j = 0; j < run->problem->ny; j++) {
        for (int i = 0; i < run->problem->nx; i++) {
            double e = (double)*CELL(at)(run, run->e, i, j);
            energy += e * e;
        }
    }
    return energy;
}

static void CELL(run_field)(struct CELL(run) * run, double *ez)
{
    for (int j = 0; j < run->problem->ny; j++) {
        for (int i = 0; i < run->problem->nx; i++) {
            *ez++ = (double)*CELL(at)(run, run->e, i, j);
        }
    }
}

static void CELL(run_spectra)(struct CELL(run) * run, int row_first, int row_count, double *out)
{
    const struct spectra *spectra = &run->problem->spectra;
    for (int f = 0; f < spectra->frequency_count; f++) {
        size_t row = 2 * (size_t)spectra->columns;
        const REAL *from = run->spectra + ((size_t)f * (size_t)spectra->rows + (size_t)row_first) * row;
        for (size_t k = 0; k < (size_t)row_count * row; k++) {
            *out++ = (double)from[k];
        }
    }
}

/* Copies between the canonical arrays of a snapshot and the state; `store` is true from the state to the snapshot. */
static void CELL(copy)(REAL *own, double *canonical, bool store)
{
    if (store) {
        *canonical = (double)*own;
    } else {
        *own = (REAL)*canonical;
    }
}

static void CELL(run_exchange)(struct CELL(run) * run, struct snapshot *snapshot, bool store)
{
    const struct problem *problem = run->problem;
    const struct spectra *spectra = &problem->spectra;
    int nx = problem->nx, ny = problem->ny, layer = problem->layer;
    for (int j = 0; j < ny; j++) {
        for (int i = 0; i < nx; i++) {
            size_t n = (size_t)j * (size_t)nx + (size_t)i;
            CELL(copy)(CELL(at)(run, run->e, i, j), &snapshot->ez[n], store);
            CELL(copy)(&run->v[n], &snapshot->increment[n], store);
        }
        for (int k = 0; k < 2 * layer; k++) {
            int i = k < layer ? k : nx - 2 * layer + k;
            size_t n = (size_t)j * (size_t)nx + (size_t)i, m = (size_t)j * 2 * (size_t)layer + (size_t)k;
            CELL(copy)(&run->x_half[n], &snapshot->x_half[m], store);
            CELL(copy)(&run->x_node[n], &snapshot->x_node[m], store);
        }
    }
    for (int k = 0; k < 2 * layer; k++) {
        int j = k < layer ? k : ny - 2 * layer + k;
        for (int i = 0; i < nx; i++) {
            size_t n = (size_t)j * (size_t)nx + (size_t)i, m = (size_t)k * (size_t)nx + (size_t)i;
            CELL(copy)(&run->y_half[n], &snapshot->y_half[m], store);
            CELL(copy)(&run->y_node[n], &snapshot->y_node[m], store);
        }
    }
    size_t lattice = 2 * (size_t)spectra->frequency_count * (size_t)spectra->rows * (size_t)spectra->columns;
    for (size_t k = 0; snapshot->spectra != NULL && k < lattice; k++) {
        CELL(copy)(&run->spectra[k], &snapshot->spectra[k], store);
    }
    for (int64_t k = 0; snapshot->probes != NULL && k < snapshot->step * problem->probe_count; k++) {
        CELL(copy)(&run->probes[k], &snapshot->probes[k], store);
    }
}
