/* A peer's own tests: gprMax's free-space dipole against the traces that its authors stored, and its elongated plate
 * very close to the absorber, beside that absorber (a complex frequency shifted PML with the parameters of its input
 * file, stepped here by the plainest code), both against a large domain.
 *
 * The stored traces are under the GPL and not part of this repository: the environment variable GPRMAX_TRACES names the
 * folder of hertzian_dipole_fs.out. Without it the first part checks against the closed form alone. */
#include "validation/support/volume.h"

#include <hdf5_hl.h>

static const double CELL = 1e-3, COURANT = 0.99;

/* ---- the dipole in free space ---- */

static const double PEAK = 1e9; /* Hz: of gprMax's gaussiandot, -2 zeta (t - chi) exp(-zeta (t - chi)^2) */
enum { TRACES = 6 };
static const char *const NAMES[TRACES] = {"Ex", "Ey", "Ez", "Hx", "Hy", "Hz"};

/* The charge, its current and the current's slope at time t. */
static void pulse(double t, double value[3])
{
    double zeta = 2 * M_PI * M_PI * PEAK * PEAK, u = t - 1 / PEAK, bell = t > 0 ? exp(-zeta * u * u) : 0;
    value[0] = bell;
    value[1] = -2 * zeta * u * bell;
    value[2] = (-2 * zeta + 4 * zeta * zeta * u * u) * bell;
}

/* Field at r and t of a dipole along z of moment I times a cell. */
static double closed_form(int component, struct place3 r, double t)
{
    const double v[3] = {r.x, r.y, r.z}, permittivity = 8.8541878128e-12;
    double d = sqrt(r.x * r.x + r.y * r.y + r.z * r.z), c = SPEED_OF_LIGHT, p[3];
    pulse(t - d / c, p);
    if (component >= 3) {
        double around = component == 3 ? -r.y / d : component == 4 ? r.x / d : 0;
        return CELL / (4 * M_PI) * around * (p[2] / (c * d) + p[1] / (d * d));
    }
    double along = component == 2, both = v[component] * r.z / (d * d);
    return CELL / (4 * M_PI * permittivity) *
           ((3 * both - along) * (p[0] / (d * d * d) + p[1] / (c * d * d)) + (both - along) * p[2] / (c * c * d));
}

/* Of samples every dt from time `first` on, by a cubic. */
static double sample(const double *series, int count, int stride, double first, double dt, double t)
{
    double x = (t - first) / dt;
    int n = (int)floor(x);
    if (n < 1 || n + 2 >= count) {
        return n < 1 ? 0 : series[(size_t)(count - 1) * (size_t)stride];
    }
    double u = x - n;
    const double *s = series + (size_t)(n - 1) * (size_t)stride;
    return -u * (u - 1) * (u - 2) / 6 * s[0] + (u + 1) * (u - 1) * (u - 2) / 2 * s[stride] -
           (u + 1) * u * (u - 2) / 2 * s[2 * stride] + (u + 1) * u * (u - 1) / 6 * s[3 * stride];
}

static void free_space(struct validation *validation)
{
    /* gprMax counts its 10 cells of absorber inside the domain of 100. */
    struct volume volume = {.scheme = "yee",
                            .cell = CELL,
                            .cells = {80, 80, 80},
                            .layer = 10,
                            .frequency = PEAK,
                            .width = 0.4 * PEAK,
                            .courant = COURANT,
                            .duration = 3.05e-9,
                            .precision = PW_SINGLE};
    volume_begin(&volume);
    struct problem *problem = &volume.problem;
    double dt = problem->time_step;
    for (int64_t n = 0; n < problem->steps; n++) {
        double value[3];
        pulse(((double)n + 0.5) * dt, value);
        problem->sources[0].drive[n] = problem->sources[0].current[n] = value[1];
    }
    struct place3 from = volume_place(&volume, COMPONENT_EZ, 40, 40, 40), at[TRACES];
    volume_add_dipole(&volume, COMPONENT_EZ, from, CELL);
    for (int c = 0; c < TRACES; c++) {
        at[c] = volume_place(&volume, (enum component)c, 60, 60, 60);
        volume_add_probe(&volume, (enum component)c, at[c]);
    }
    volume_solve(&volume, validation->backend);
    double magnetic = SPEED_OF_LIGHT * dt / CELL / 376.730313668; /* of the solver's h, problem.h; a(0) = 1 */
    const char *folder = getenv("GPRMAX_TRACES");
    char path[4096];
    snprintf(path, sizeof path, "%s/hertzian_dipole_fs.out", folder != NULL ? folder : ".");
    hid_t file = folder != NULL ? H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT) : H5I_INVALID_HID;
    case_require(folder == NULL || file >= 0 ? PW_OK : PW_BAD_INPUT, "hertzian_dipole_fs.out cannot be read");
    double step = 1.926e-12;
    int count = 1550;
    if (file >= 0) {
        H5LTget_attribute_double(file, "/", "dt", &step);
        H5LTget_attribute_int(file, "/", "Iterations", &count);
    }
    double *trace = calloc((size_t)count, sizeof *trace), largest = 0;
    for (int c = 0; c < TRACES; c++) {
        /* Against the closed form, against the trace. gprMax takes its current half a step later than it should, and
         * stores H half a step after E: both found by shifting the traces. */
        double off[2] = {0}, norm[2] = {0}, late = c >= 3 ? 0 : -0.5;
        char name[64];
        snprintf(name, sizeof name, "rxs/rx1/%s", NAMES[c]);
        bool stored = file >= 0 && H5LTread_dataset_double(file, name, trace) >= 0;
        for (int n = 1; n < count - 1; n++) {
            double t = (n + late) * step, first = (c >= 3 ? 0.5 : 1) * dt;
            double ours =
                sample(volume.series + c, (int)problem->steps, TRACES, first, dt, t) * (c >= 3 ? magnetic : 1);
            struct place3 r = {at[c].x - from.x, at[c].y - from.y, at[c].z - from.z};
            double exact = closed_form(c, r, t);
            off[0] += pow(ours - exact, 2), norm[0] += exact * exact;
            off[1] += pow(ours - trace[n], 2), norm[1] += trace[n] * trace[n];
        }
        if (c != 5) { /* Hz of a dipole along z is nothing */
            case_gate(validation, sqrt(off[0] / norm[0]), 0.01, "dipole, %s: against the closed form", NAMES[c]);
        }
        largest = c == 3 ? norm[1] : largest; /* Hz, which is nothing but rounding, counts against Hx */
        if (stored) {
            case_gate(validation, sqrt(off[1] / (c == 5 ? largest : norm[1])), 0.01,
                      "dipole, %s: against gprMax's trace", NAMES[c]);
        }
    }
    free(trace);
    if (file >= 0) {
        H5Fclose(file);
    } else {
        case_text(validation, "\nThe traces of gprMax were left out: GPRMAX_TRACES does not name their folder.\n");
        printf("peers: the traces of gprMax are left out: GPRMAX_TRACES does not name their folder\n");
    }
    volume_free(&volume);
}

/* ---- the plate ---- */

/* In cells of the whole domain, absorber included: the plate, one dipole cell over its corner, a receiver beyond the
 * opposite one. */
enum { STEPS = 2100, LAYER = 10, PLATE_X = 25, PLATE_Y = 100, COMPONENTS = 3 };
struct plate_domain {
    int count[3], corner[3]; /* of the domain; of the plate */
};
static const struct plate_domain TIGHT = {{51, 126, 26}, {13, 13, 13}}, LARGE = {{201, 276, 176}, {88, 88, 88}};

static double plate_current(double t)
{
    double frequency = 9.42e9, zeta = 2 * M_PI * M_PI * frequency * frequency, u = t - 1 / frequency;
    return -2 * zeta * u * exp(-zeta * u * u) / (sqrt(2 * zeta) * exp(-0.5));
}

/* The plate as perfectly conducting edges: rows of zeros, in layers of their own. */
static void put_plate(struct volume *volume, const int corner[3])
{
    struct problem *problem = &volume->problem;
    pw_error error = {{0}};
    size_t nx = (size_t)problem->axis[0].count, ny = (size_t)problem->axis[1].count;
    double air = problem->coefficients[COEFFICIENT_CB];
    free(problem->coefficients);
    case_require(problem_allocate_coefficients(problem, 2, &error), error.message);
    problem->coefficients[COEFFICIENT_CA] = 1;
    problem->coefficients[COEFFICIENT_CB] = air;
    free(problem->coefficient_index);
    problem->coefficient_index = calloc(3 * nx * ny, sizeof *problem->coefficient_index);
    problem->layer_count = 3;
    for (int c = 0; c < 2; c++) {
        problem->layer[c][corner[2]] = 1 + c;
        for (int j = 0; j < PLATE_Y + (c == 0); j++) {
            for (int i = 0; i < PLATE_X + (c == 1); i++) {
                problem->coefficient_index[((size_t)(1 + c) * ny + (size_t)(corner[1] + j)) * nx +
                                           (size_t)(corner[0] + i)] = 1;
            }
        }
    }
}

/* Ex, Ey, Ez at the receiver after every step: series[step * COMPONENTS + c]. */
static void solve_plate(const struct plate_domain *domain, const char *absorber, const char *backend, double *series)
{
    struct volume volume = {
        .scheme = "yee",
        .cell = CELL,
        .cells = {domain->count[0] - 2 * LAYER, domain->count[1] - 2 * LAYER, domain->count[2] - 2 * LAYER},
        .absorber = absorber,
        .layer = LAYER,
        .frequency = 9.42e9,
        .width = 4e9,
        .courant = COURANT,
        .precision = PW_DOUBLE};
    volume.duration = (STEPS - 0.5) * COURANT * CELL / SPEED_OF_LIGHT / sqrt(3);
    volume_begin(&volume);
    put_plate(&volume, domain->corner);
    const int *corner = domain->corner;
    for (int64_t n = 0; n < volume.problem.steps; n++) {
        volume.problem.sources[0].drive[n] = volume.problem.sources[0].current[n] =
            plate_current(((double)n + 0.5) * volume.problem.time_step);
    }
    volume_add_dipole(&volume, COMPONENT_EZ,
                      volume_place(&volume, COMPONENT_EZ, corner[0] - LAYER, corner[1] - LAYER, corner[2] + 1 - LAYER),
                      CELL);
    for (int c = 0; c < COMPONENTS; c++) {
        volume_add_probe(&volume, (enum component)c,
                         volume_place(&volume, (enum component)c, corner[0] + PLATE_X - LAYER,
                                      corner[1] + PLATE_Y + 1 - LAYER, corner[2] - LAYER));
    }
    volume_solve(&volume, backend);
    memcpy(series, volume.series, (size_t)STEPS * COMPONENTS * sizeof *series);
    volume_free(&volume);
}

/* gprMax's absorber by the plainest code: Yee with convolutional terms of (kappa, alpha, sigma) on every derivative. */
struct cfs {
    int n[3];
    double *field[6], *memory[12];                  /* E, H; convolutions, two derivatives each */
    double *decay[2][3], *gain[2][3], *kappa[2][3]; /* at nodes and half nodes, per axis */
};

static void cfs_profile(struct cfs *cfs, int axis, double dt)
{
    double largest = 1.1 * 5 / (150 * M_PI * CELL), alpha = 0.05, permittivity = 8.8541878128e-12;
    for (int half = 0; half < 2; half++) {
        for (int i = 0; i <= cfs->n[axis]; i++) {
            double x = i + 0.5 * half, depth = fmax(fmax(LAYER - x, x - (cfs->n[axis] - LAYER)), 0) / LAYER;
            double sigma = largest * pow(depth, 4), kappa = 1 + 7 * pow(depth, 4);
            double rate = sigma / kappa + alpha, decay = exp(-rate * dt / permittivity);
            cfs->decay[half][axis][i] = decay;
            cfs->gain[half][axis][i] = sigma > 0 ? sigma * (decay - 1) / (sigma * kappa + kappa * kappa * alpha) : 0;
            cfs->kappa[half][axis][i] = kappa;
        }
    }
}

static double stretched(struct cfs *cfs, int memory, int64_t node, int half, int axis, int i, double difference)
{
    double *p = &cfs->memory[memory][node];
    *p = cfs->decay[half][axis][i] * *p + cfs->gain[half][axis][i] * difference;
    return difference / cfs->kappa[half][axis][i] + *p;
}

/* One curl over the whole domain: of E (magnetic) or of H. */
static void cfs_curl(struct cfs *cfs, bool magnetic, double step, const int corner[3])
{
    const int *n = cfs->n;
    const int64_t stride[3] = {1, n[0] + 1, (int64_t)(n[0] + 1) * (n[1] + 1)};
    for (int c = 0; c < 3; c++) {
        int a = (c + 1) % 3, b = (c + 2) % 3;
        const double *of_b = cfs->field[(magnetic ? 0 : 3) + b], *of_a = cfs->field[(magnetic ? 0 : 3) + a];
        double *to = cfs->field[(magnetic ? 3 : 0) + c];
        int64_t side = magnetic ? 0 : -1;
        for (int k = 0; k <= n[2]; k++) {
            for (int j = 0; j <= n[1]; j++) {
                for (int i = 0; i <= n[0]; i++) {
                    const int at[3] = {i, j, k};
                    bool inside = at[c] < n[c] + magnetic;
                    for (int q = 0; q < 3; q++) { /* tangential E of the domain's walls stays zero */
                        inside = inside && (q == c || (magnetic ? at[q] < n[q] : at[q] > 0 && at[q] < n[q]));
                    }
                    bool plate = !magnetic && c < 2 && k == corner[2] && i >= corner[0] && j >= corner[1] &&
                                 i < corner[0] + PLATE_X + (c == 1) && j < corner[1] + PLATE_Y + (c == 0);
                    if (!inside || plate) {
                        continue;
                    }
                    int64_t node = i + j * stride[1] + k * stride[2];
                    double first = of_b[node + (side + 1) * stride[a]] - of_b[node + side * stride[a]];
                    double second = of_a[node + (side + 1) * stride[b]] - of_a[node + side * stride[b]];
                    int memory = (magnetic ? 6 : 0) + 2 * c;
                    first = stretched(cfs, memory, node, magnetic, a, at[a], first);
                    second = stretched(cfs, memory + 1, node, magnetic, b, at[b], second);
                    to[node] += (magnetic ? -step : step) * (first - second);
                }
            }
        }
    }
}

static void solve_cfs(const struct plate_domain *domain, double *series)
{
    struct cfs cfs;
    const int *corner = domain->corner;
    double dt = COURANT * CELL / SPEED_OF_LIGHT / sqrt(3), step = SPEED_OF_LIGHT * dt / CELL;
    memcpy(cfs.n, domain->count, sizeof cfs.n);
    size_t nodes = (size_t)(cfs.n[0] + 1) * (size_t)(cfs.n[1] + 1) * (size_t)(cfs.n[2] + 1);
    for (int c = 0; c < 12; c++) {
        cfs.memory[c] = calloc(nodes, sizeof(double));
        cfs.field[c % 6] = c < 6 ? calloc(nodes, sizeof(double)) : cfs.field[c % 6];
        double **profile = c < 3 ? cfs.decay[0] : c < 6 ? cfs.decay[1] : c < 9 ? cfs.gain[0] : cfs.gain[1];
        profile[c % 3] = calloc((size_t)cfs.n[c % 3] + 1, sizeof(double));
        if (c < 6) {
            cfs.kappa[c / 3][c % 3] = calloc((size_t)cfs.n[c % 3] + 1, sizeof(double));
        }
    }
    for (int a = 0; a < 3; a++) {
        cfs_profile(&cfs, a, dt);
    }
    const int64_t row = cfs.n[0] + 1, plane = row * (cfs.n[1] + 1);
    for (int n = 0; n < STEPS; n++) {
        cfs_curl(&cfs, true, step, corner);
        cfs_curl(&cfs, false, step, corner);
        cfs.field[2][corner[0] + corner[1] * row + (corner[2] + 1) * plane] -=
            dt / (8.8541878128e-12 * pow(CELL, 3)) * CELL * plate_current((n + 0.5) * dt);
        for (int c = 0; c < COMPONENTS; c++) {
            series[n * COMPONENTS + c] =
                cfs.field[c][corner[0] + PLATE_X + (corner[1] + PLATE_Y + 1) * row + corner[2] * plane];
        }
    }
    for (int c = 0; c < 12; c++) {
        free(cfs.memory[c]);
        if (c < 6) {
            free(cfs.field[c]);
            free(cfs.decay[c / 3][c % 3]);
            free(cfs.gain[c / 3][c % 3]);
            free(cfs.kappa[c / 3][c % 3]);
        }
    }
}

/* Largest difference over all times and components, over the largest field [dB]. */
static double echo(const double *series, const double *reference)
{
    double difference = 0, peak = 0;
    for (int n = 0; n < STEPS * COMPONENTS; n++) {
        difference = fmax(difference, fabs(series[n] - reference[n]));
        peak = fmax(peak, fabs(reference[n]));
    }
    return 20 * log10(difference / peak);
}

static void plate(struct validation *validation)
{
    static double large[STEPS * COMPONENTS], series[3][STEPS * COMPONENTS];
    solve_plate(&LARGE, "upml", validation->backend, large);
    solve_plate(&TIGHT, "cpml", validation->backend, series[0]);
    solve_plate(&TIGHT, "upml", validation->backend, series[1]);
    solve_cfs(&TIGHT, series[2]);
    double level = echo(series[2], large);
    case_figure(validation, level, "plate, gprMax's absorber, 10 cells: echo [dB]");
    case_gate(validation, echo(series[0], large), level, "plate, cpml, 10 cells: echo [dB]");
    case_figure(validation, echo(series[1], large), "plate, upml, 10 cells: echo [dB]");
    FILE *file = case_data(validation, "plate");
    double peak = 0;
    for (int n = 0; n < STEPS * COMPONENTS; n++) {
        peak = fmax(peak, fabs(large[n]));
    }
    for (int n = 0; n < STEPS; n += 4) {
        double off[3] = {0};
        for (int k = 0; k < 3; k++) {
            for (int c = 0; c < COMPONENTS; c++) {
                off[k] = fmax(off[k], fabs(series[k][n * COMPONENTS + c] - large[n * COMPONENTS + c]) / peak);
            }
        }
        fprintf(file, "%d %g %g %g\n", n, 20 * log10(off[0] + 1e-12), 20 * log10(off[1] + 1e-12),
                20 * log10(off[2] + 1e-12));
    }
    case_close(file);
    case_plot(validation, "plate", "The plate: difference to the large domain over the largest field",
              "set xlabel 'step'\nset ylabel 'difference [dB]'\nset xrange [0:2100]\nset yrange [-180:-20]\nset key "
              "inside bottom right\n"
              "plot data.'-plate.dat' using 1:2 with lines lt 4 title 'planwave, cpml', '' using 1:3 with lines lt 1 "
              "title 'planwave, upml', '' using 1:4 with lines lt 2 title 'CFS-PML as in gprMax'");
}

int main(int argc, char **argv)
{
    struct validation validation = case_begin(
        argc, argv, "peers", "A peer's own tests",
        "gprMax's test of a Hertzian dipole in free space: yee, 100³ cells of 1 mm with 10 of absorber, six traces, "
        "‖E − E_ref‖/‖E_ref‖ over 3 ns, against the traces its authors stored and against the closed form. Its "
        "elongated "
        "plate three cells from the absorber: max|E − E_ref|/max|E_ref| over 2100 steps against a domain with 75 cells "
        "more on every side, for planwave's 10 cells of cpml and of upml and for the CFS-PML of gprMax's input file, "
        "which plain code "
        "written for this case steps.");
    free_space(&validation);
    if (!validation.quick) {
        plate(&validation);
    }
    return case_end(&validation);
}
