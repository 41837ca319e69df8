/* Running a mode of a PEC box and reading its frequency (mode.h). */
#include "validation/support/mode.h"

static const double CELL = 0.01; /* m */
enum { STAGES = 3 };
static const int STEPS[STAGES] = {16, 64, 512}; /* after these the frequency is read, each time better */

/* (ny, nx), peak about one; owned by the caller. */
static double *mode_shape(const struct mode *mode)
{
    double *shape = calloc((size_t)mode->nx * (size_t)mode->ny, sizeof(double));
    for (int j = 0; j < mode->ny; j++) {
        for (int i = 0; i < mode->nx; i++) {
            /* Angles reduced as integers, so that the shape is good to the last bit. */
            double x = sin(M_PI * (mode->m * i % (2 * mode->nx)) / mode->nx);
            double y = sin(M_PI * (mode->n * j % (2 * mode->ny)) / mode->ny);
            shape[j * mode->nx + i] = x * y;
        }
    }
    return shape;
}

static struct solved mode_prepare(const struct mode *mode, const char *backend)
{
    char text[1024];
    snprintf(text, sizeof text,
             "plan: {size: [%.17g, %.17g]}\n"
             "grid: {scheme: %s, cell: %.17g, courant: %.17g, absorber: {kind: none}}\n"
             "band: {centre: 1 GHz, width: 0.2 GHz}\n"
             "transmitters: [{name: silent, at: [%.17g, %.17g], waveform: {kind: modulated-gaussian, delay: 1 ms}}]\n"
             "spectra: off\nstop: {steps: %d}\n",
             mode->nx * CELL, mode->ny * CELL, mode->scheme, CELL, mode->courant, CELL, CELL, STEPS[STAGES - 1]);
    return solve_prepare(text, PW_DOUBLE, backend);
}

static double project(const double *a, const double *b, size_t count)
{
    double sum = 0, norm = 0;
    for (size_t k = 0; k < count; k++) {
        sum += a[k] * b[k];
        norm += b[k] * b[k];
    }
    return sum / norm;
}

/* Phase advanced per step, from Ez = cos(steps phase) and its increment, near `guess`. */
static double read_phase(double now, double increment, int steps, double guess)
{
    double phase = guess;
    for (int k = 0; k < 20; k++) {
        double total = atan2((now - increment - now * cos(phase)) / sin(phase), now);
        total += 2 * M_PI * nearbyint((steps * phase - total) / (2 * M_PI));
        phase = total / steps;
    }
    return phase;
}

struct mode_outcome mode_run(const struct mode *mode, const char *backend)
{
    struct solved solved = mode_prepare(mode, backend);
    const struct problem *problem = &solved.setup->problem;
    double dt = problem->time_step, tx = M_PI * mode->m / mode->nx, ty = M_PI * mode->n / mode->ny;
    double sx = stencil_symbol(&solved.setup->stencil, tx), sy = stencil_symbol(&solved.setup->stencil, ty);
    struct mode_outcome outcome = {
        .stencil = solved.setup->stencil, .time_step = dt, .wave_number = hypot(tx, ty) / CELL};
    outcome.law = 2 / dt * asin(SPEED_OF_LIGHT * dt / CELL * hypot(sx, sy));
    size_t nodes = (size_t)mode->nx * (size_t)mode->ny;
    double *shape = mode_shape(mode), phase = outcome.wave_number * SPEED_OF_LIGHT * dt,
           half = sin(outcome.law * dt / 2);
    struct run_state state;
    pw_error error = {{0}};
    case_require(run_state_create(problem, STEPS[STAGES - 1], &state, &error), error.message);
    for (size_t k = 0; k < nodes; k++) {
        state.ez[k] = shape[k];
        state.increment[k] = 2 * half * half * shape[k]; /* Ez was cos(-law dt) one step before */
    }
    case_require(stepper_load(solved.simulation->stepper, 0, &state, &error), error.message);
    for (int s = 0; s < STAGES; s++) {
        case_require(pw_simulation_advance(solved.simulation, STEPS[s] - solved.simulation->step, &error),
                     error.message);
        case_require(stepper_save(solved.simulation->stepper, 0, &state, &error), error.message);
        phase = read_phase(project(state.ez, shape, nodes), project(state.increment, shape, nodes), STEPS[s], phase);
    }
    outcome.measured = phase / dt;
    outcome.in_space = 2 / dt * sin(phase / 2);
    for (size_t k = 0; k < nodes; k++) {
        double law = cos(outcome.law * dt * STEPS[STAGES - 1]) * shape[k];
        outcome.field_error = fmax(outcome.field_error, fabs(state.ez[k] - law));
    }
    run_state_free(&state);
    free(shape);
    solve_free(&solved);
    return outcome;
}
