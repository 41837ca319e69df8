/* Making and solving a box of cells by hand (volume.h). */
#include "validation/support/volume.h"

#include "backend/backend.h"
#include "problem/layers/absorber_depth.h"

enum { TAPS = 8 };

static const double PERMITTIVITY = 8.8541878128e-12, IMPEDANCE = 376.730313668; /* F/m, ohm: of free space */

static void *clear(size_t count, size_t size)
{
    pw_error error = {{0}};
    void *array = allocate(count, size, "a volume", &error);
    if (array == NULL) {
        case_require(PW_NO_RESOURCE, error.message);
        abort(); /* which case_require has done */
    }
    return array;
}

static void *grow(void *array, size_t count, size_t size)
{
    void *grown = realloc(array, count * size);
    case_require(grown == NULL ? PW_NO_RESOURCE : PW_OK, "no memory for a volume");
    return grown;
}

static void set_ends(struct volume *volume)
{
    pw_error error = {{0}};
    struct problem *problem = &volume->problem;
    const struct absorber_model *model = absorber_listed(0);
    for (size_t k = 1; model != NULL && volume->absorber != NULL && strcmp(model->name, volume->absorber) != 0; k++) {
        model = absorber_listed(k);
    }
    case_require(model == NULL ? PW_USAGE : PW_OK, "no such kind of absorber");
    struct absorber absorber = absorber_usual(model, volume->layer); /* as a scenario gets it */
    absorber.order = volume->order > 0 ? volume->order : absorber.order;
    absorber.reflection = volume->reflection > 0 ? volume->reflection : absorber.reflection;
    case_require(problem_set_absorber(problem, &absorber, &error), error.message);
    for (int a = 0; a < 3; a++) {
        struct axis *axis = &problem->axis[a];
        for (int side = 0; side < 2; side++) {
            if (volume->end[a][side] == END_ABSORBER) {
                continue;
            }
            *(side == 0 ? &axis->low : &axis->high) = (struct boundary){.symmetric = volume->end[a][side] == END_PMC};
            for (int i = 0; i < axis->count; i++) {
                if (side == 0 ? i <= absorber.cells : i >= axis->count - absorber.cells - 1) {
                    axis->half[i] = axis->node[i] = (struct absorber_filter){1, 1, 0};
                }
            }
        }
    }
}

/* The whole box is entry 0 of a palette: air. */
static void fill_air(const struct problem *problem, struct medium *medium)
{
    int nz = problem->axis[2].count;
    *medium = (struct medium){
        .nx = problem->axis[0].count,
        .ny = problem->axis[1].count,
        .nz = nz,
        .layer_count = 1,
        .index = clear((size_t)problem->axis[0].count * (size_t)problem->axis[1].count, sizeof *medium->index),
        .palette = clear(1, sizeof *medium->palette),
        .palette_count = 1};
    medium->palette[0].relative_permittivity = 1;
    for (int c = 0; c < 3; c++) {
        medium->layer[c] = clear((size_t)nz, sizeof *medium->layer[c]);
    }
}

static void average_plan(const struct volume *volume, struct medium *medium)
{
    const struct problem *problem = &volume->problem;
    pw_error error = {{0}};
    struct text text = {0};
    text_add(&text,
             "dimensions: 3\nplan: %s\ngrid: {scheme: %s, cell: %.17g, averaging: %s}\nband: {centre: %.17g, width: "
             "%.17g}\ntransmitters: [{name: t, at: [%.17g, %.17g, %.17g]}]\n",
             volume->plan, volume->scheme, volume->cell, volume->averaging == NULL ? "moment" : volume->averaging,
             volume->frequency, volume->width, volume->plan_at.x, volume->plan_at.y, 0.5 /* of no effect */);
    pw_scenario *scenario = NULL;
    struct building building;
    pw_notes warnings = {0};
    case_require(pw_scenario_parse("volume", text.text, NULL, 0, &scenario, &error), error.message);
    case_require(building_create(scenario, false, &warnings, &building, &error), error.message);
    const struct raster_volume grid = {.plane = {.nx = problem->axis[0].count,
                                                 .ny = problem->axis[1].count,
                                                 .cell = volume->cell,
                                                 .origin = {volume->plan_at.x - volume->first[0] * volume->cell,
                                                            volume->plan_at.y - volume->first[1] * volume->cell},
                                                 .wave_number = 2 * M_PI * volume->frequency / SPEED_OF_LIGHT,
                                                 .stencil = &volume->stencil},
                                       .nz = problem->axis[2].count,
                                       .origin_z = volume->plan_at.z - volume->first[2] * volume->cell};
    *medium = (struct medium){0};
    case_require(raster_building(&building, &grid, scenario->grid.averaging, medium, &error), error.message);
    building_free(&building);
    warnings_free(&warnings);
    pw_scenario_free(scenario);
    free(text.text);
}

/* Largest inverse permittivity that a wave meets, tilted faces included. */
static double largest_inverse(const struct medium *medium)
{
    double largest = 1;
    for (int p = 0; p < medium->palette_count; p++) {
        largest = fmax(largest, 1 / medium->palette[p].relative_permittivity);
    }
    for (int64_t t = 0; t < medium->tensor_count; t++) {
        const struct medium_tensor *tensor = &medium->tensor[t];
        int64_t plane = (int64_t)medium->nx * medium->ny;
        int ends[2] = {tensor->from, tensor->to};
        for (int e = 0; e < 2; e++) {
            int layer = medium->layer[ends[e]][tensor->node / plane];
            const struct medium_entry *entry = &medium->palette[medium->index[layer * plane + tensor->node % plane]];
            largest = fmax(largest, 1 / entry->relative_permittivity + fabs(tensor->inverse_permittivity));
        }
    }
    return largest;
}

/* Further than a stencil's reach from the absorber and from the ends of the grid, as in the set-up of a scenario: the
 * solvers read the neighbours of a tensor node without asking whether they are there. */
static bool tensor_stays(const struct problem *problem, int64_t node)
{
    for (int a = 0; a < 3; a++) {
        const struct axis *axis = &problem->axis[a];
        int64_t at = node % axis->count;
        node /= axis->count;
        if (at < axis->low.cells + problem->reach || at >= axis->count - axis->high.cells - problem->reach) {
            return false;
        }
    }
    return true;
}

/* Coefficients, layers and tensors of problem.h from the averages, which the problem takes over. */
static void set_coefficients(struct volume *volume, struct medium *medium)
{
    pw_error error = {{0}};
    struct problem *problem = &volume->problem;
    double k = SPEED_OF_LIGHT * problem->time_step / volume->cell * volume->stencil.difference[0];
    double half = M_PI * volume->frequency * problem->time_step, warp = sqrt(1 - half * half);
    case_require(problem_allocate_coefficients(problem, medium->palette_count, &error), error.message);
    for (int p = 0; p < medium->palette_count; p++) {
        const struct medium_entry *entry = &medium->palette[p];
        double epsilon = entry->relative_permittivity;
        double loss = entry->conductivity / warp * problem->time_step / (2 * PERMITTIVITY * epsilon);
        if (!entry->perfect_conductor) {
            problem_coefficient(problem, p)[COEFFICIENT_CA] = (1 - loss) / (1 + loss);
            problem_coefficient(problem, p)[COEFFICIENT_CB] = k * k / (epsilon * (1 + loss));
        }
    }
    problem->layer_count = medium->layer_count;
    problem->coefficient_index = medium->index;
    medium->index = NULL;
    for (int c = 0; c < 3; c++) {
        problem->layer[c] = medium->layer[c];
        medium->layer[c] = NULL;
    }
    if (medium->tensor_count > 0) {
        problem->tensor_nodes = clear((size_t)medium->tensor_count, sizeof *problem->tensor_nodes);
    }
    for (int64_t t = 0; t < medium->tensor_count; t++) {
        const struct medium_tensor *tensor = &medium->tensor[t];
        if (tensor_stays(problem, tensor->node)) {
            problem->tensor_nodes[problem->tensor_count++] =
                (struct tensor_node){tensor->node, (enum component)tensor->from, (enum component)tensor->to,
                                     k * k * tensor->inverse_permittivity};
        }
    }
}

/* exp(-(u/w)^2) sin(2 pi f u): no charge is left behind; -10 dB at the edges of the band. */
static void set_pulse(struct volume *volume)
{
    struct problem *problem = &volume->problem;
    double dt = problem->time_step, width = 0.683 / volume->width, delay = 4.2 * width;
    problem->sources = clear(1, sizeof *problem->sources);
    problem->source_count = 1;
    struct source *source = problem->sources;
    source->drive = clear((size_t)problem->steps, sizeof *source->drive);
    source->current = clear((size_t)problem->steps, sizeof *source->current);
    for (int64_t n = 0; n < problem->steps; n++) {
        double u = ((double)n + 0.5) * dt - delay;
        source->current[n] = u < delay ? exp(-u * u / (width * width)) * sin(2 * M_PI * volume->frequency * u) : 0;
    }
    memcpy(source->drive, source->current, (size_t)problem->steps * sizeof *source->drive);
    problem->source_end = (int64_t)(2 * delay / dt) + 1;
}

void volume_begin(struct volume *volume)
{
    struct problem *problem = &volume->problem;
    struct medium medium;
    enum scheme scheme;
    volume->layer = volume->layer > 0 ? volume->layer : absorber_listed(0)->usual.cells;
    int count[3];
    for (int a = 0; a < 3; a++) {
        volume->first[a] = volume->end[a][0] == END_ABSORBER ? volume->layer : 0;
        count[a] = volume->first[a] + volume->cells[a] + (volume->end[a][1] == END_ABSORBER ? volume->layer : 0);
    }
    case_require(scheme_from_name(volume->scheme, &scheme) ? PW_OK : PW_USAGE, "no such scheme");
    const struct stencil_band band = {.cells_per_wavelength = SPEED_OF_LIGHT / (volume->frequency * volume->cell),
                                      .relative_width = volume->width / volume->frequency,
                                      .dimensions = 3};
    volume->stencil = stencil_get(scheme, &band);
    problem_set_volume(problem, count[0], count[1], count[2], volume->cell);
    problem->precision = volume->precision;
    problem_set_stencil(problem, &volume->stencil);
    if (volume->plan == NULL) {
        fill_air(problem, &medium);
    } else {
        average_plan(volume, &medium);
    }
    double limit = volume->stencil.courant_limit / sqrt(largest_inverse(&medium));
    problem->time_step =
        (volume->courant > 0 ? volume->courant : 0.99) * limit * volume->cell / SPEED_OF_LIGHT / sqrt(3.0);
    problem->steps = (int64_t)ceil(volume->duration / problem->time_step);
    problem->watch_every = 1024;
    set_ends(volume);
    set_coefficients(volume, &medium);
    medium_free(&medium);
    set_pulse(volume);
}

/* A component's place in its cell, in halves. */
static void stagger(enum component component, double offset[3])
{
    for (int a = 0; a < 3; a++) {
        bool along = a == (int)component % 3;
        offset[a] = along == (component <= COMPONENT_EZ) ? 0.5 : 0;
    }
}

/* Weights of the nodes around a coordinate [cells]; returns how many there are. */
static int weights_along(double x, int count, int *first, double *weight)
{
    double nearest = nearbyint(x);
    if (fabs(x - nearest) < 1e-6) {
        *first = (int)nearest;
        weight[0] = 1;
        return 1;
    }
    *first = (int)floor(x) - TAPS / 2 + 1;
    case_require(*first >= 0 && *first + TAPS <= count ? PW_OK : PW_BAD_INPUT, "a place between nodes beside a wall");
    for (int k = 0; k < TAPS; k++) {
        weight[k] = 1;
        for (int m = 0; m < TAPS; m++) {
            weight[k] *= m == k ? 1 : (x - (*first + m)) / (k - m);
        }
    }
    return TAPS;
}

struct spread {
    int count;
    int64_t place[TAPS * TAPS * TAPS]; /* ascending */
    double weight[TAPS * TAPS * TAPS];
};

static void spread_over_nodes(const struct volume *volume, enum component component, struct place3 at,
                              struct spread *spread)
{
    const struct problem *problem = &volume->problem;
    const double metres[3] = {at.x, at.y, at.z};
    double offset[3], weight[3][TAPS];
    int first[3], taps[3];
    stagger(component, offset);
    for (int a = 0; a < 3; a++) {
        taps[a] = weights_along(metres[a] / volume->cell - offset[a] + volume->first[a], problem->axis[a].count,
                                &first[a], weight[a]);
    }
    spread->count = 0;
    for (int c = 0; c < taps[2]; c++) {
        for (int b = 0; b < taps[1]; b++) {
            for (int a = 0; a < taps[0]; a++) {
                int64_t node =
                    ((int64_t)(first[2] + c) * problem->axis[1].count + first[1] + b) * problem->axis[0].count +
                    first[0] + a;
                spread->place[spread->count] = (int64_t)component * problem_nodes(problem) + node;
                spread->weight[spread->count++] = weight[0][a] * weight[1][b] * weight[2][c];
            }
        }
    }
}

/* E [V/m] that a place gains per ampere and metre in a step. */
static double moment_weight(const struct volume *volume, int64_t place)
{
    const struct problem *problem = &volume->problem;
    int64_t nodes = problem_nodes(problem), node = place % nodes, nx = problem->axis[0].count,
            ny = problem->axis[1].count;
    uint16_t row = problem_coefficient_at(problem, (int)(place / nodes), (int)(node % nx), (int)(node / nx % ny),
                                          (int)(node / nx / ny));
    double k = SPEED_OF_LIGHT * problem->time_step / volume->cell * volume->stencil.difference[0];
    return -problem->time_step / (PERMITTIVITY * pow(volume->cell, 3)) *
           problem_coefficient(problem, row)[COEFFICIENT_CB] / (k * k);
}

static void add_current_at(struct volume *volume, int64_t place, double moment)
{
    struct source *source = &volume->problem.sources[0];
    int64_t n = 0;
    while (n < source->count && source->node[n] < place) {
        n++;
    }
    if (n == source->count || source->node[n] != place) {
        if (source->count == volume->source_limit) {
            volume->source_limit = 2 * volume->source_limit + 64;
            source->node = grow(source->node, (size_t)volume->source_limit, sizeof *source->node);
            source->weight = grow(source->weight, (size_t)volume->source_limit, sizeof *source->weight);
        }
        memmove(source->node + n + 1, source->node + n, (size_t)(source->count - n) * sizeof *source->node);
        memmove(source->weight + n + 1, source->weight + n, (size_t)(source->count - n) * sizeof *source->weight);
        source->node[n] = place;
        source->weight[n] = 0;
        source->count++;
    }
    source->weight[n] += moment * moment_weight(volume, place);
}

struct place3 volume_place(const struct volume *volume, enum component component, int i, int j, int k)
{
    double offset[3];
    stagger(component, offset);
    return (struct place3){(i + offset[0]) * volume->cell, (j + offset[1]) * volume->cell,
                           (k + offset[2]) * volume->cell};
}

void volume_add_dipole(struct volume *volume, enum component component, struct place3 at, double moment)
{
    struct spread *spread = clear(1, sizeof *spread);
    spread_over_nodes(volume, component, at, spread);
    for (int n = 0; n < spread->count; n++) {
        add_current_at(volume, spread->place[n], moment * spread->weight[n]);
    }
    free(spread);
}

int volume_add_probe(struct volume *volume, enum component component, struct place3 at)
{
    struct problem *problem = &volume->problem;
    struct spread *spread = clear(1, sizeof *spread);
    spread_over_nodes(volume, component, at, spread);
    problem->probe_places =
        grow(problem->probe_places, (size_t)volume->place_count + (size_t)spread->count, sizeof *problem->probe_places);
    problem->probe_weights = grow(problem->probe_weights, (size_t)volume->place_count + (size_t)spread->count,
                                  sizeof *problem->probe_weights);
    problem->probes = grow(problem->probes, (size_t)problem->probe_count + 1, sizeof *problem->probes);
    problem->probes[problem->probe_count++] = (struct probe){
        .component = component, .node = spread->place[0] % problem_nodes(problem), .count = spread->count};
    memcpy(problem->probe_places + volume->place_count, spread->place, (size_t)spread->count * sizeof(int64_t));
    memcpy(problem->probe_weights + volume->place_count, spread->weight, (size_t)spread->count * sizeof(double));
    volume->place_count += spread->count;
    free(spread);
    int64_t before = 0;
    for (int p = 0; p < problem->probe_count; p++) { /* the arrays may have moved */
        problem->probes[p].place = problem->probe_places + before;
        problem->probes[p].weight = problem->probe_weights + before;
        before += problem->probes[p].count;
    }
    return problem->probe_count - 1;
}

/* The probes of the first `steps` steps, (steps, probe_count). */
static double *record(const struct volume *volume, const char *backend, int64_t steps)
{
    pw_error error = {{0}};
    const struct problem *problem = &volume->problem;
    const struct backend_options options = {.threads = solve_threads()};
    const struct backend *found = backend_find(backend, &error);
    case_require(found == NULL ? PW_USAGE : PW_OK, error.message);
    struct stepper *stepper = NULL;
    case_require(stepper_create(found, problem, 0, 1, &options, &stepper, &error), error.message);
    case_require(stepper_advance(stepper, steps, &error), error.message);
    double *series = clear((size_t)steps * (size_t)problem->probe_count, sizeof *series);
    case_require(stepper_read_probes(stepper, 0, series, &error), error.message);
    stepper_destroy(stepper);
    return series;
}

/* Whether the plain loops of the reference would take minutes. */
static bool takes_long(const struct problem *problem)
{
    return (double)problem_nodes(problem) * (double)problem->steps > 6e9;
}

void volume_solve(struct volume *volume, const char *backend)
{
    const struct problem *problem = &volume->problem;
    free(volume->series);
    if (strcmp(backend, "reference") == 0 && takes_long(problem)) {
        int64_t steps = problem->steps / 20 + 1;
        double *wanted = record(volume, backend, steps), *found = record(volume, "cpu", steps);
        bool same = memcmp(wanted, found, (size_t)steps * (size_t)problem->probe_count * sizeof *wanted) == 0;
        free(wanted);
        free(found);
        case_require(same ? PW_OK : PW_DIFFERENT, "the reference and the cpu backend have other bits at the probes");
        backend = "cpu";
    }
    volume->series = record(volume, backend, problem->steps);
}

void volume_transfer(const struct volume *volume, int count, const double *frequency, double complex *transfer)
{
    const struct problem *problem = &volume->problem;
    const double *current = problem->sources[0].current;
    int probes = problem->probe_count;
    /* h of the solver is eta0 H/(K a(0)), problem.h. */
    double magnetic = SPEED_OF_LIGHT * problem->time_step / volume->cell * volume->stencil.difference[0] / IMPEDANCE;
    memset(transfer, 0, (size_t)probes * (size_t)count * sizeof *transfer);
    for (int f = 0; f < count; f++) {
        double phase = 2 * asin(M_PI * frequency[f] * problem->time_step); /* per step */
        double complex spectrum = 0;
        for (int64_t n = 0; n < problem->steps; n++) {
            double complex turn = cexp(-I * fmod(phase * (double)n, 2 * M_PI));
            spectrum += current[n] * turn;
            for (int p = 0; p < probes; p++) {
                transfer[p * count + f] += volume->series[n * probes + p] * turn;
            }
        }
        for (int p = 0; p < probes; p++) { /* currents and h stand half a step before E */
            bool electric = problem->probes[p].component <= COMPONENT_EZ;
            transfer[p * count + f] *= (electric ? cexp(-I * phase / 2) : magnetic) / spectrum;
        }
    }
}

void volume_free(struct volume *volume)
{
    problem_free(&volume->problem);
    free(volume->series);
    volume->series = NULL;
}

void volume_dipole_law(double frequency, int along, struct place3 r, double complex field[6])
{
    const double v[3] = {r.x, r.y, r.z};
    double w = 2 * M_PI * frequency, k = w / SPEED_OF_LIGHT, d = sqrt(r.x * r.x + r.y * r.y + r.z * r.z);
    double complex green = cexp(-I * k * d) / (4 * M_PI * d), u = 1 / (I * k * d);
    double complex front = -I * w * 4e-7 * M_PI * green;
    for (int c = 0; c < 3; c++) {
        double across = c == along, parallel = v[c] * v[along] / (d * d);
        field[c] = front * (across * (1 + u + u * u) - parallel * (1 + 3 * u + 3 * u * u));
    }
    /* H = curl (A along): grad g x p, grad g = -(jk + 1/d) g r/d */
    double complex slope = -(I * k + 1 / d) * green / d;
    double p[3] = {along == 0, along == 1, along == 2};
    for (int c = 0; c < 3; c++) {
        int n = (c + 1) % 3, m = (c + 2) % 3;
        field[3 + c] = slope * (v[n] * p[m] - v[m] * p[n]);
    }
}
