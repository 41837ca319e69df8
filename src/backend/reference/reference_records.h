/* What every run of the reference backend shares, included once per precision: filters along a row, what a run records
 * (probes, samples, spectra) and remembers, and how arrays come in and out of it. A run begins with its records, so
 * that these functions take any run. Nothing here knows the formulation. */

/* Filters along x: each node of the row has its own. */
INLINE void CELL(row_filter_x)(const struct absorber_filter *filter, int count, REAL *values, REAL *state)
{
    for (int i = 0; i < count; i++) {
        values[i] =
            CELL(cell_filter)(values[i], (REAL)filter[i].gain, (REAL)filter[i].pole, (REAL)filter[i].feed, &state[i]);
    }
}

/* The filter along another axis: one for the whole row. */
INLINE void CELL(row_filter)(const struct absorber_filter *filter, int count, REAL *values, REAL *state)
{
    REAL gain = (REAL)filter->gain, pole = (REAL)filter->pole, feed = (REAL)filter->feed;
    for (int i = 0; i < count; i++) {
        values[i] = CELL(cell_filter)(values[i], gain, pole, feed, &state[i]);
    }
}

struct CELL(records) {
    const struct problem *problem; /* borrowed */
    REAL *spectra;                 /* (frequency, row, column, 2): of whole groups of samples */
    REAL *samples;                 /* (group, row, column): samples of the group under way */
    REAL *probes;                  /* (steps, probe_count) */
    REAL *memory[MEMORY_COUNT];    /* what it remembers (run_memory.h) */
};

struct CELL(part) {
    REAL **array;
    size_t count;
};

/* Zeroed arrays; after a failure the run's destroy frees what there is. */
static pw_status CELL(allocate_parts)(const struct CELL(part) * parts, size_t count, pw_error *error)
{
    for (size_t p = 0; p < count; p++) {
        TRY_MADE(*parts[p].array = allocate(parts[p].count, sizeof(REAL), "the reference backend", error));
    }
    return PW_OK;
}

static pw_status CELL(records_create)(struct CELL(records) * records, const struct problem *problem, pw_error *error)
{
    const struct spectra *spectra = &problem->spectra;
    size_t lattice = spectra->frequency_count > 0 ? (size_t)spectra->rows * (size_t)spectra->columns : 0;
    const struct CELL(part) parts[] = {{&records->spectra, 2 * (size_t)spectra->frequency_count * lattice},
                                       {&records->samples, (size_t)spectra_group(spectra) * lattice},
                                       {&records->probes, (size_t)problem->steps * (size_t)problem->probe_count}};
    records->problem = problem;
    for (int m = 0; m < MEMORY_COUNT; m++) {
        const struct CELL(part) memory = {&records->memory[m], (size_t)RUN_MEMORIES[m]->count(problem)};
        TRY(CELL(allocate_parts)(&memory, 1, error));
    }
    return CELL(allocate_parts)(parts, sizeof parts / sizeof parts[0], error);
}

static void CELL(records_destroy)(struct CELL(records) * records)
{
    for (int m = 0; m < MEMORY_COUNT; m++) {
        free(records->memory[m]);
    }
    FREE_ALL(records->spectra, records->samples, records->probes);
}

/* Where the sample goes that is due after `steps` steps, (row, column); NULL when none is. */
static REAL *CELL(records_sample)(const struct CELL(records) * records, int64_t steps)
{
    const struct spectra *spectra = &records->problem->spectra;
    if (spectra->frequency_count == 0 || steps % spectra->every != 0) {
        return NULL;
    }
    size_t place = (size_t)(spectra_samples(spectra, steps) - 1) % (size_t)spectra_group(spectra);
    return records->samples + place * (size_t)spectra->rows * (size_t)spectra->columns;
}

/* The group of samples that is whole into the spectra. */
static void CELL(run_add_group)(void *run, const double *weights, const double *phases)
{
    struct CELL(records) *records = run;
    const struct spectra *spectra = &records->problem->spectra;
    size_t nodes = (size_t)spectra->rows * (size_t)spectra->columns;
    CELL(spectra_add)(spectra, weights, phases, records->samples, nodes, 0, nodes, records->spectra);
}

static void CELL(run_read_spectra)(const void *run, int row_first, int row_count, double *out)
{
    const struct CELL(records) *records = run;
    const struct spectra *spectra = &records->problem->spectra;
    size_t row = 2 * (size_t)spectra->columns;
    for (int f = 0; f < spectra->frequency_count; f++) {
        const REAL *from = records->spectra + ((size_t)f * (size_t)spectra->rows + (size_t)row_first) * row;
        for (size_t k = 0; k < (size_t)row_count * row; k++) {
            *out++ = (double)from[k];
        }
    }
}

static void CELL(run_read_samples)(const void *run, int64_t step, int row_first, int row_count, double *out)
{
    const struct CELL(records) *records = run;
    const struct spectra *spectra = &records->problem->spectra;
    size_t row = (size_t)spectra->columns;
    for (int k = 0; k < spectra_waiting(spectra, step); k++) {
        const REAL *from = records->samples + ((size_t)k * (size_t)spectra->rows + (size_t)row_first) * row;
        for (size_t n = 0; n < (size_t)row_count * row; n++) {
            *out++ = (double)from[n];
        }
    }
}

/* Copies `count` values that lie one after the other between the run and the canonical array, unless that is left out;
 * `store` is true towards the canonical array. */
static void CELL(exchange)(REAL *own, double *canonical, size_t count, bool store)
{
    for (size_t k = 0; canonical != NULL && k < count; k++) {
        if (store) {
            canonical[k] = (double)own[k];
        } else {
            own[k] = (REAL)canonical[k];
        }
    }
}

/* Between what the run has recorded after state->step steps and the canonical arrays. */
static void CELL(run_exchange_records)(void *run, struct run_state *state, bool store)
{
    struct CELL(records) *records = run;
    const struct problem *problem = records->problem;
    const struct spectra *spectra = &problem->spectra;
    size_t lattice = (size_t)spectra->rows * (size_t)spectra->columns;
    CELL(exchange)(records->spectra, state->spectra, 2 * (size_t)spectra->frequency_count * lattice, store);
    CELL(exchange)(records->samples, state->samples, (size_t)spectra_waiting(spectra, state->step) * lattice, store);
    CELL(exchange)(records->probes, state->probes, (size_t)state->step * (size_t)problem->probe_count, store);
}

/* Where the values of a row of a patch stand in what the run remembers; NULL: it is of a field or a filter. */
static REAL *CELL(records_locate)(const struct CELL(records) * records, const struct patch_row *row)
{
    for (int m = 0; m < MEMORY_COUNT; m++) {
        if (run_memory_of(records->problem, row->array) == RUN_MEMORIES[m]) {
            return records->memory[m] + RUN_MEMORIES[m]->place(records->problem, row);
        }
    }
    return NULL;
}
