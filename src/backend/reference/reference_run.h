/* One run of the reference backend, included once per precision (REAL, FMA and CELL are defined by the includer). Plain
 * loops in the order of the equations; the fields carry ghost nodes so that the walls need no cases in the loops. They
 * go along a row, term by term of a sum, which a compiler can turn into vectors by itself; nothing else is done for
 * speed. */

struct CELL(run) {
    const struct problem *problem;
    const struct source *source;
    REAL *e;       /* (ny + 2 ghosts, nx + 2 ghosts): Ez */
    REAL *v;       /* (ny, nx): increment */
    REAL *gx, *gy; /* like e: filtered first differences at (i+1/2, j) and (i, j+1/2), where a zone needs them */
    REAL *x_half, *x_node, *y_half, *y_node; /* (ny, nx) filter states */
    REAL *lap, *lap_y; /* (nx): L Ez of the row at hand; its part along y where the axes are apart */
    REAL *spectra;     /* (frequency, row, column, 2): of whole groups of samples */
    REAL *samples;     /* (group, row, column): those of the group under way */
    REAL *probes;      /* (steps, probe_count) */
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
    free(run->lap);
    free(run->lap_y);
    free(run->spectra);
    free(run->samples);
    free(run->probes);
}

static pw_status CELL(run_create)(struct CELL(run) * run, const struct problem *problem, const struct source *source,
                                  pw_error *error)
{
    const struct spectra *spectra = &problem->spectra;
    ptrdiff_t ghosts = 2 * problem->reach;
    size_t cells = (size_t)problem->axis[0].count * (size_t)problem->axis[1].count;
    size_t padded =
        ((size_t)problem->axis[0].count + 2 * (size_t)ghosts) * ((size_t)problem->axis[1].count + 2 * (size_t)ghosts);
    size_t lattice = spectra->frequency_count > 0 ? (size_t)spectra->rows * (size_t)spectra->columns : 0;
    *run = (struct CELL(run)){
        .problem = problem, .source = source, .ghosts = ghosts, .pitch = problem->axis[0].count + 2 * ghosts};
    struct {
        REAL **array;
        size_t count;
    } parts[] = {{&run->e, padded},
                 {&run->v, cells},
                 {&run->gx, padded},
                 {&run->gy, padded},
                 {&run->x_half, cells},
                 {&run->x_node, cells},
                 {&run->y_half, cells},
                 {&run->y_node, cells},
                 {&run->lap, (size_t)problem->axis[0].count},
                 {&run->lap_y, (size_t)problem->axis[0].count},
                 {&run->spectra, 2 * (size_t)spectra->frequency_count * lattice},
                 {&run->samples, (size_t)spectra_group(spectra) * lattice},
                 {&run->probes, (size_t)problem->steps * (size_t)problem->probe_count}};
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

/* Fills the ghosts of a padded field along one line of n values, `stride` apart, from line[0]. Nodes (half = 0): odd
 * about 0 and n, and zero on both. Half nodes (half = 1): even about the same walls, which lie at -1/2 and n-1/2 in
 * their numbering. */
static void CELL(mirror_line)(REAL *line, ptrdiff_t stride, ptrdiff_t n, ptrdiff_t ghosts, int half)
{
    for (ptrdiff_t g = 0; g < 2 * ghosts; g++) {
        ptrdiff_t i = g < ghosts ? -1 - g : n + g - ghosts, k = ((i % (2 * n)) + 2 * n) % (2 * n);
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
    for (ptrdiff_t j = 0; j < run->problem->axis[1].count; j++) {
        CELL(mirror_line)(CELL(at)(run, padded, 0, j), 1, run->problem->axis[0].count, run->ghosts, half);
    }
}

static void CELL(mirror_y)(struct CELL(run) * run, REAL *padded, int half)
{
    for (ptrdiff_t i = 0; i < run->problem->axis[0].count; i++) {
        CELL(mirror_line)(CELL(at)(run, padded, i, 0), run->pitch, run->problem->axis[1].count, run->ghosts, half);
    }
}

/* Differences between the values above and below `count` points of a row: those at low[i - l stride] and high[i + l
 * stride] stand l + 1/2 from point i. */
INLINE void CELL(row_difference)(const struct problem *problem, const REAL *low, const REAL *high, ptrdiff_t stride,
                                 int count, REAL *out)
{
    REAL first = (REAL)problem->difference[0];
    for (int i = 0; i < count; i++) {
        out[i] = CELL(cell_difference)(first, low[i], high[i]);
    }
    for (ptrdiff_t l = 1; l < problem->reach; l++) {
        REAL a = (REAL)problem->difference[l];
        for (int i = 0; i < count; i++) {
            out[i] = CELL(cell_difference_add)(out[i], a, low[i - l * stride], high[i + l * stride]);
        }
    }
}

/* Filters along x, one a node, and along y, one for the row. */
INLINE void CELL(row_filter_x)(const struct absorber_filter *filter, int count, REAL *values, REAL *state)
{
    for (int i = 0; i < count; i++) {
        values[i] = CELL(cell_filter)(values[i], (REAL)filter[i].gain, (REAL)filter[i].pole, &state[i]);
    }
}

INLINE void CELL(row_filter_y)(const struct absorber_filter *filter, int count, REAL *values, REAL *state)
{
    REAL gain = (REAL)filter->gain, pole = (REAL)filter->pole;
    for (int i = 0; i < count; i++) {
        values[i] = CELL(cell_filter)(values[i], gain, pole, &state[i]);
    }
}

INLINE size_t CELL(node)(const struct problem *problem, int i, int j)
{
    return (size_t)j * (size_t)problem->axis[0].count + (size_t)i;
}

/* At the half nodes right of columns first..end-1 of row j. */
INLINE void CELL(first_differences_x)(struct CELL(run) * run, int j, int first, int end)
{
    const struct problem *problem = run->problem;
    const REAL *e = CELL(at)(run, run->e, first, j);
    REAL *g = CELL(at)(run, run->gx, first, j);
    CELL(row_difference)(problem, e, e + 1, 1, end - first, g);
    CELL(row_filter_x)(&problem->axis[0].half[first], end - first, g, &run->x_half[CELL(node)(problem, first, j)]);
}

/* First differences at the half nodes that zones look at, filtered inside the layer. */
FAST_FMA static void CELL(first_differences)(struct CELL(run) * run)
{
    const struct problem *problem = run->problem;
    int nx = problem->axis[0].count, ny = problem->axis[1].count, look = problem_layer(problem) + 2 * problem->reach;
    int left = look < nx ? look : nx, right = nx - look > left ? nx - look : left;
    for (int j = 0; j < ny; j++) {
        CELL(first_differences_x)(run, j, 0, left);
        CELL(first_differences_x)(run, j, right, nx);
        if (j < look || j >= ny - look) {
            const REAL *e = CELL(at)(run, run->e, 0, j);
            REAL *g = CELL(at)(run, run->gy, 0, j);
            CELL(row_difference)(problem, e, e + run->pitch, run->pitch, nx, g);
            CELL(row_filter_y)(&problem->axis[1].half[j], nx, g, &run->y_half[CELL(node)(problem, 0, j)]);
        }
    }
    CELL(mirror_x)(run, run->gx, 1);
    CELL(mirror_y)(run, run->gy, 1);
}

/* L Ez of `count` nodes outside both zones. */
INLINE void CELL(row_cross)(const struct problem *problem, const REAL *e, ptrdiff_t pitch, int count, REAL *lap)
{
    REAL centre2 = (REAL)(2 * problem->centre);
    for (int i = 0; i < count; i++) {
        lap[i] = CELL(cell_cross)(centre2, e[i], e[i - 1], e[i + 1], e[i - pitch], e[i + pitch]);
    }
    for (ptrdiff_t m = 2; m <= problem->laplacian_taps; m++) {
        REAL ring = (REAL)problem->laplacian[m - 1];
        for (int i = 0; i < count; i++) {
            lap[i] = CELL(cell_cross_add)(lap[i], ring, e[i - m], e[i + m], e[i - m * pitch], e[i + m * pitch]);
        }
    }
}

/* Its part along one axis, outside the zone of that axis. */
INLINE void CELL(row_line)(const struct problem *problem, const REAL *e, ptrdiff_t stride, int count, REAL *lap)
{
    REAL centre = (REAL)problem->centre;
    for (int i = 0; i < count; i++) {
        lap[i] = CELL(cell_line)(centre, e[i], e[i - stride], e[i + stride]);
    }
    for (ptrdiff_t m = 2; m <= problem->laplacian_taps; m++) {
        REAL ring = (REAL)problem->laplacian[m - 1];
        for (int i = 0; i < count; i++) {
            lap[i] = CELL(cell_line_add)(lap[i], ring, e[i - m * stride], e[i + m * stride]);
        }
    }
}

/* L Ez of columns first..end-1 of row j, into run->lap: in a zone the difference of the filtered differences, filtered.
 */
INLINE void CELL(laplacian_part)(struct CELL(run) * run, int j, int first, int end, bool x_zone, bool y_zone)
{
    const struct problem *problem = run->problem;
    int count = end - first;
    size_t n = CELL(node)(problem, first, j);
    const REAL *e = CELL(at)(run, run->e, first, j);
    REAL *lap = run->lap + first, *lap_y = run->lap_y + first;
    if (!x_zone && !y_zone) {
        CELL(row_cross)(problem, e, run->pitch, count, lap);
        return;
    }
    if (x_zone) {
        const REAL *g = CELL(at)(run, run->gx, first, j);
        CELL(row_difference)(problem, g - 1, g, 1, count, lap);
        CELL(row_filter_x)(&problem->axis[0].node[first], count, lap, &run->x_node[n]);
    } else {
        CELL(row_line)(problem, e, 1, count, lap);
    }
    if (y_zone) {
        const REAL *g = CELL(at)(run, run->gy, first, j);
        CELL(row_difference)(problem, g - run->pitch, g, run->pitch, count, lap_y);
        CELL(row_filter_y)(&problem->axis[1].node[j], count, lap_y, &run->y_node[n]);
    } else {
        CELL(row_line)(problem, e, run->pitch, count, lap_y);
    }
    for (int i = 0; i < count; i++) {
        lap[i] += lap_y[i];
    }
}

INLINE void CELL(laplacian_row)(struct CELL(run) * run, int j)
{
    const struct problem *problem = run->problem;
    bool y_zone = problem_in_absorber_region(problem, j, problem->axis[1].count);
    for (int first = 0, end; first < problem->axis[0].count; first = end) { /* at most three parts */
        bool x_zone = problem_in_absorber_region(problem, first, problem->axis[0].count);
        for (end = first; end < problem->axis[0].count &&
                          problem_in_absorber_region(problem, end, problem->axis[0].count) == x_zone;) {
            end++;
        }
        CELL(laplacian_part)(run, j, first, end, x_zone, y_zone);
    }
}

static void CELL(drive)(struct CELL(run) * run)
{
    const struct source *source = run->source;
    for (int64_t s = 0; s < source->count; s++) {
        int64_t n = source->node[s];
        REAL *e = CELL(at)(run, run->e, n % run->problem->axis[0].count, n / run->problem->axis[0].count);
        CELL(cell_source)((REAL)source->weight[s], (REAL)source->drive[run->step], source->hard, &run->v[n], e);
    }
}

/* Probes, and a sample for the spectra when one is due, after run->step steps. */
static void CELL(record)(struct CELL(run) * run)
{
    const struct problem *problem = run->problem;
    const struct spectra *spectra = &problem->spectra;
    for (int p = 0; p < problem->probe_count; p++) {
        int64_t n = problem->probes[p].node;
        run->probes[(run->step - 1) * problem->probe_count + p] =
            *CELL(at)(run, run->e, n % problem->axis[0].count, n / problem->axis[0].count);
    }
    if (spectra->frequency_count == 0 || run->step % spectra->every != 0) {
        return;
    }
    size_t place = (size_t)(spectra_samples(spectra, run->step) - 1) % (size_t)spectra_group(spectra);
    REAL *out = run->samples + place * (size_t)spectra->rows * (size_t)spectra->columns;
    for (int r = 0; r < spectra->rows; r++) {
        for (int c = 0; c < spectra->columns; c++) {
            *out++ = *CELL(at)(run, run->e, spectra->x0 + c * spectra->spacing, spectra->y0 + r * spectra->spacing);
        }
    }
}

FAST_FMA static void CELL(run_step)(struct CELL(run) * run)
{
    const struct problem *problem = run->problem;
    CELL(mirror_x)(run, run->e, 0);
    CELL(mirror_y)(run, run->e, 0);
    if (problem_layer(problem) > 0) {
        CELL(first_differences)(run);
    }
    for (int j = 0; j < problem->axis[1].count; j++) {
        REAL *v = run->v + CELL(node)(problem, 0, j);
        const uint16_t *index = problem->coefficient_index + CELL(node)(problem, 0, j);
        CELL(laplacian_row)(run, j);
        for (int i = 0; i < problem->axis[0].count; i++) {
            const double *medium = problem_coefficient(problem, index[i]);
            v[i] = CELL(cell_increment)(v[i], run->lap[i], (REAL)medium[COEFFICIENT_CA], (REAL)medium[COEFFICIENT_CB]);
        }
    }
    for (int j = 0; j < problem->axis[1].count; j++) {
        REAL *e = CELL(at)(run, run->e, 0, j);
        const REAL *v = run->v + CELL(node)(problem, 0, j);
        for (int i = 0; i < problem->axis[0].count; i++) {
            e[i] += v[i];
        }
    }
    CELL(drive)(run);
    run->step++;
    CELL(record)(run);
}

static double CELL(run_energy)(struct CELL(run) * run)
{
    double energy = 0;
    for (int j = 0; j < run->problem->axis[1].count; j++) {
        for (int i = 0; i < run->problem->axis[0].count; i++) {
            double e = (double)*CELL(at)(run, run->e, i, j);
            energy += e * e;
        }
    }
    return energy;
}

static void CELL(run_field)(struct CELL(run) * run, double *ez)
{
    for (int j = 0; j < run->problem->axis[1].count; j++) {
        for (int i = 0; i < run->problem->axis[0].count; i++) {
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

static void CELL(run_samples)(struct CELL(run) * run, int row_first, int row_count, double *out)
{
    const struct spectra *spectra = &run->problem->spectra;
    size_t row = (size_t)spectra->columns;
    for (int k = 0; k < spectra_waiting(spectra, run->step); k++) {
        const REAL *from = run->samples + ((size_t)k * (size_t)spectra->rows + (size_t)row_first) * row;
        for (size_t n = 0; n < (size_t)row_count * row; n++) {
            *out++ = (double)from[n];
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

static void CELL(run_exchange)(struct CELL(run) * run, struct run_state *snapshot, bool store)
{
    const struct problem *problem = run->problem;
    const struct spectra *spectra = &problem->spectra;
    int nx = problem->axis[0].count, ny = problem->axis[1].count, layer = problem_layer(problem);
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
    size_t lattice = (size_t)spectra->rows * (size_t)spectra->columns;
    for (size_t k = 0; snapshot->spectra != NULL && k < 2 * (size_t)spectra->frequency_count * lattice; k++) {
        CELL(copy)(&run->spectra[k], &snapshot->spectra[k], store);
    }
    size_t waiting = (size_t)spectra_waiting(spectra, snapshot->step);
    for (size_t k = 0; snapshot->samples != NULL && k < waiting * lattice; k++) {
        CELL(copy)(&run->samples[k], &snapshot->samples[k], store);
    }
    for (int64_t k = 0; snapshot->probes != NULL && k < snapshot->step * problem->probe_count; k++) {
        CELL(copy)(&run->probes[k], &snapshot->probes[k], store);
    }
}
