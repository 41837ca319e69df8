/* The ways in and out of a run of the reference backend: energy, fields, and the canonical state (solver.h);
 * included once per precision by reference_run.h. Nothing here is physics. */

static double CELL(run_energy)(const void *state)
{
    const struct CELL(run) *run = state;
    double energy = 0;
    for (int j = 0; j < run->problem->axis[1].count; j++) {
        energy += CELL(energy_row)(CELL(at)(run, run->e, 0, j), run->problem->axis[0].count);
    }
    return energy;
}

static void CELL(run_read_field)(const void *state, double *ez)
{
    const struct CELL(run) *run = state;
    for (int j = 0; j < run->problem->axis[1].count; j++) {
        for (int i = 0; i < run->problem->axis[0].count; i++) {
            *ez++ = (double)*CELL(at)(run, run->e, i, j);
        }
    }
}

/* The filter states inside the absorber: the first and the last cells of each row, the first and the last rows. */
static void CELL(exchange_filters)(struct CELL(run) * run, struct run_state *state, bool store)
{
    const struct axis *x = &run->problem->axis[0], *y = &run->problem->axis[1];
    size_t nx = (size_t)x->count, ny = (size_t)y->count;
    size_t west = (size_t)x->low.cells, east = (size_t)x->high.cells;
    size_t south = (size_t)y->low.cells, north = (size_t)y->high.cells;
    for (size_t j = 0; west + east > 0 && state->x_half != NULL && j < ny; j++) {
        size_t first = j * nx, last = (j + 1) * nx - east, to = j * (west + east);
        CELL(exchange)(run->x_half + first, state->x_half + to, west, store);
        CELL(exchange)(run->x_half + last, state->x_half + to + west, east, store);
        CELL(exchange)(run->x_node + first, state->x_node + to, west, store);
        CELL(exchange)(run->x_node + last, state->x_node + to + west, east, store);
    }
    if (south + north == 0 || state->y_half == NULL) {
        return;
    }
    size_t last = (ny - north) * nx;
    CELL(exchange)(run->y_half, state->y_half, south * nx, store);
    CELL(exchange)(run->y_half + last, state->y_half + south * nx, north * nx, store);
    CELL(exchange)(run->y_node, state->y_node, south * nx, store);
    CELL(exchange)(run->y_node + last, state->y_node + south * nx, north * nx, store);
}

/* Where the values of a row of a patch stand. */
static void *CELL(run_locate)(void *own, struct patch_row *row)
{
    struct CELL(run) *run = own;
    const size_t n = CELL(node)(run->problem, row->i, row->j);
    switch (row->array) {
    case STATE_EZ:
        return CELL(at)(run, run->e, row->i, row->j);
    case STATE_INCREMENT:
        return run->v + n;
    case STATE_X_HALF:
        return run->x_half + n;
    case STATE_X_NODE:
        return run->x_node + n;
    case STATE_Y_HALF:
        return run->y_half + n;
    case STATE_Y_NODE:
        return run->y_node + n;
    default:
        return CELL(records_locate)(&run->records, row);
    }
}

/* Between the run after state->step steps and the canonical arrays; `store` is true towards these. */
static void CELL(run_exchange)(void *own, struct run_state *state, bool store)
{
    struct CELL(run) *run = own;
    size_t nx = (size_t)run->problem->axis[0].count, ny = (size_t)run->problem->axis[1].count;
    for (size_t j = 0; state->ez != NULL && j < ny; j++) {
        CELL(exchange)(CELL(at)(run, run->e, 0, (ptrdiff_t)j), state->ez + j * nx, nx, store);
    }
    CELL(exchange)(run->v, state->increment, nx * ny, store);
    CELL(exchange_filters)(run, state, store);
    CELL(records_exchange)(&run->records, state, store);
}
