/* The solves (metal_case.h): the field at every node of the floor, at the band's centre and edges. */
#include "validation/support/metal/metal_case.h"

#include "validation/support/case.h"
#include "validation/support/metal/half_plane.h"

/* Hz, m: the floor is SIDE wavelengths wide. */
static const double FREQUENCY[METAL_FREQUENCIES] = {2.3e9, 2.4e9, 2.5e9}, CENTRE = 2.4e9, THIN = 1e-4;
enum { SIDE = 12 };

static const struct metal_case CASES[] = {{"halfplane"}};
enum { CASE_COUNT = sizeof CASES / sizeof CASES[0] };

const struct metal_case *metal_case_find(const char *name)
{
    for (int n = 0; n < CASE_COUNT; n++) {
        if (strcmp(CASES[n].name, name) == 0) {
            return &CASES[n];
        }
    }
    return NULL;
}

const char *metal_case_names(void)
{
    static char names[256];
    names[0] = '\0';
    for (int n = 0; n < CASE_COUNT; n++) {
        strcat(strcat(names, n > 0 ? ", " : ""), CASES[n].name);
    }
    return names;
}

void metal_position(int position, struct metal_solve *solve)
{
    static const double SHIFT[METAL_POSITIONS][2] = {
        {0.60, 0.75}, {0.90, 0.10}, {0.10, 0.30}, {0.02, 0.30}, {0.20, 0.60}, {0.50, 0.50}, {0.35, 0.97}, {0.75, 0.45},
        {0.00, 0.00}, {0.98, 0.98}, {0.50, 0.02}, {0.25, 0.85}, {0.80, 0.20}, {0.45, 0.15}, {0.65, 0.35}, {0.15, 0.55}};
    solve->shift_x = SHIFT[position % METAL_POSITIONS][0];
    solve->shift_y = SHIFT[position % METAL_POSITIONS][1];
}

/* The scene in metres: the shape's own origin and the source. */
struct scene {
    const struct metal_solve *solve;
    double cell, side;
    struct point origin, source;
};

static struct scene scene_make(const struct metal_solve *solve)
{
    const double wavelength = SPEED_OF_LIGHT / CENTRE, cell = wavelength / solve->cells;
    const int cells = (int)lround(SIDE * solve->cells), half = solve->horizontal;
    struct scene scene = {.solve = solve, .cell = cell, .side = cells * cell};
    scene.origin =
        (struct point){((int)(0.52 * cells) + solve->shift_x) * cell, ((int)(0.45 * cells) + solve->shift_y) * cell};
    scene.source = (struct point){((int)(0.36 * cells) + 0.5 * half) * cell, ((int)(0.80 * cells) + 0.5 * half) * cell};
    return scene;
}

/* The half plane goes from the origin to the left, turned. */
static struct polar polar_from_metal(const struct scene *scene, double x, double y)
{
    const double u = x - scene->origin.x, v = y - scene->origin.y;
    double angle = M_PI + atan2(v, u) - scene->solve->turn;
    angle = angle < 0 ? angle + 2 * M_PI : angle >= 2 * M_PI ? angle - 2 * M_PI : angle;
    return (struct polar){hypot(u, v), 2 * M_PI - angle};
}

static double complex exact_field(const struct scene *scene, double k, double x, double y)
{
    return half_plane_field(k, polar_from_metal(scene, x, y), polar_from_metal(scene, scene->source.x, scene->source.y),
                            scene->solve->horizontal);
}

static double to_metal(const struct scene *scene, double x, double y)
{
    const struct polar at = polar_from_metal(scene, x, y);
    return cos(at.angle) > 0 ? at.distance * fabs(sin(at.angle)) : at.distance;
}

static bool hidden(const struct scene *scene, double x, double y)
{
    const struct polar at = polar_from_metal(scene, x, y),
                       source = polar_from_metal(scene, scene->source.x, scene->source.y);
    return fabs(at.angle - source.angle) > M_PI;
}

static void add_scenario(const struct scene *scene, struct text *text)
{
    const struct metal_solve *solve = scene->solve;
    text_add(text,
             "polarisation: %s\nplan: {size: [%.17g, %.17g], walls: [{from: [%.17g, %.17g], to: [%.17g, %.17g], "
             "thickness: %g, material: metal}]}\n",
             solve->horizontal ? "horizontal" : "vertical", scene->side, scene->side, scene->origin.x, scene->origin.y,
             scene->origin.x - 2 * scene->side * cos(solve->turn), scene->origin.y - 2 * scene->side * sin(solve->turn),
             THIN);
    text_add(text, "grid: {scheme: %s, cell: %.17g, absorber: {cells: 24}", solve->scheme, scene->cell);
    if (solve->averaging != NULL) {
        text_add(text, ", averaging: %s", solve->averaging);
    }
    text_add(text,
             "}\nband: {centre: %.17g, width: %.17g}\ntransmitters: [{name: t, at: [%.17g, %.17g]}]\n"
             "spectra: {count: %d, spacing: 1}\nstop: {after: 60 ns, decay: -70 dB}\n",
             CENTRE, FREQUENCY[2] - FREQUENCY[0], scene->source.x, scene->source.y, METAL_FREQUENCIES);
}

/* The field of every point of the spectra, over what makes that of the source alone H0. */
struct floor_field {
    int rows, columns;
    double x0, y0, pitch;
    double complex *value; /* (frequency, row, column) */
};

static struct floor_field floor_solve(const struct scene *scene)
{
    struct text text = {0};
    add_scenario(scene, &text);
    struct solved solved = solve(text.text, PW_SINGLE, scene->solve->backend);
    free(text.text);
    const struct setup *setup = solved.setup;
    const struct spectra *lattice = &setup->problem.spectra;
    const bool sheets = scene->solve->horizontal;
    struct floor_field field = {.pitch = sheets ? setup->sheets[0].pitch : lattice->spacing * scene->cell,
                                .x0 = sheets ? setup->sheets[0].column_first
                                             : setup->origin.x + lattice->x0 * scene->cell,
                                .y0 = sheets ? setup->sheets[0].row_first : setup->origin.y + lattice->y0 * scene->cell,
                                .rows = sheets ? setup->sheets[0].rows : lattice->rows,
                                .columns = sheets ? setup->sheets[0].columns : lattice->columns};
    const size_t points = (size_t)field.rows * (size_t)field.columns;
    pw_error error = {{0}};
    field.value = allocate(METAL_FREQUENCIES * points, sizeof *field.value, "the floor", &error);
    case_require(field.value == NULL
                     ? PW_NO_RESOURCE
                     : pw_simulation_spectra(solved.simulation, 0, 0, lattice->rows, (double *)field.value, &error),
                 error.message);
    double current[2 * METAL_FREQUENCIES];
    case_require(pw_simulation_source_spectrum(solved.simulation, 0, current, &error), error.message);
    for (int f = 0; f < METAL_FREQUENCIES; f++) {
        const double w = 2 * M_PI * FREQUENCY[f];
        double complex unit = (current[2 * f] + I * current[2 * f + 1]) * -w * 4e-7 * M_PI / 4;
        if (sheets) {
            unit *= cexp(-0.5 * I * setup->omega[f] * setup->problem.time_step) / setup->magnetic_scale;
        }
        for (size_t n = 0; n < points; n++) {
            field.value[(size_t)f * points + n] /= unit;
        }
    }
    solve_free(&solved);
    return field;
}

struct tally {
    double square, *ratio; /* (points): error over the incident field */
    double shadow[METAL_BINS];
};

static void tally_point(struct tally *tally, struct metal_score *score, double complex found, double complex exact,
                        double incident, bool in_shadow)
{
    static const double DEPTH[METAL_BINS + 1] = {-10, -20, -30, -35, -40};
    const double ratio = cabs(found - exact) / incident, depth = 20 * log10(cabs(exact) / incident);
    tally->ratio[score->points++] = ratio;
    tally->square += ratio * ratio;
    for (int bin = 0; bin < METAL_BINS && in_shadow; bin++) {
        if (depth <= DEPTH[bin] && depth > DEPTH[bin + 1]) {
            score->shadow_points[bin]++;
            tally->shadow[bin] += pow(20 * log10(cabs(found) / cabs(exact)), 2);
        }
    }
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void tally_close(struct tally *tally, struct metal_score *score)
{
    qsort(tally->ratio, (size_t)score->points, sizeof *tally->ratio, compare_doubles);
    score->rms = sqrt(tally->square / score->points);
    score->ninety_ninth = tally->ratio[(int)(0.99 * score->points)];
    for (int bin = 0; bin < METAL_BINS; bin++) {
        score->shadow[bin] = score->shadow_points[bin] > 0 ? sqrt(tally->shadow[bin] / score->shadow_points[bin]) : 0;
    }
    free(tally->ratio);
}

void metal_case_solve(const struct metal_case *shape, const struct metal_solve *solve, const char *map,
                      struct metal_score *score)
{
    (void)shape;
    const struct scene scene = scene_make(solve);
    struct floor_field field = floor_solve(&scene);
    const size_t points = (size_t)field.rows * (size_t)field.columns;
    struct tally tally = {.ratio = calloc(METAL_FREQUENCIES * points, sizeof(double))};
    FILE *file = map != NULL ? fopen(map, "w") : NULL;
    *score = (struct metal_score){0};
    for (size_t n = 0; n < points; n++) {
        const double x = field.x0 + (double)(n % (size_t)field.columns) * field.pitch;
        const double y = field.y0 + (double)(n / (size_t)field.columns) * field.pitch;
        const double away = hypot(x - scene.source.x, y - scene.source.y);
        const bool counts = x > 0 && y > 0 && x < scene.side && y < scene.side && away > SPEED_OF_LIGHT / CENTRE &&
                            to_metal(&scene, x, y) > 1.001 * scene.cell;
        for (int f = 0; f < METAL_FREQUENCIES && counts; f++) {
            const double k = 2 * M_PI * FREQUENCY[f] / SPEED_OF_LIGHT;
            const double complex exact = exact_field(&scene, k, x, y), found = field.value[(size_t)f * points + n];
            const double incident = cabs(solve_hankel(k * away));
            tally_point(&tally, score, found, exact, incident, hidden(&scene, x, y));
            if (file != NULL && f == 1) {
                fprintf(file, "%.5f %.5f %.5g %.4g\n", x, y, 100 * cabs(found - exact) / incident,
                        20 * log10(cabs(exact) / incident));
            }
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    tally_close(&tally, score);
    free(field.value);
}

void metal_worst(struct metal_score *worst, const struct metal_score *score)
{
    worst->rms = fmax(worst->rms, score->rms);
    worst->ninety_ninth = fmax(worst->ninety_ninth, score->ninety_ninth);
    worst->points += score->points;
    for (int bin = 0; bin < METAL_BINS; bin++) {
        worst->shadow[bin] = fmax(worst->shadow[bin], score->shadow[bin]);
        worst->shadow_points[bin] += score->shadow_points[bin];
    }
}

bool metal_holds(const struct metal_score *score, double cells)
{
    const bool fine = cells >= 12;
    bool holds = score->rms <= (fine ? 0.005 : 0.01) && (fine || score->ninety_ninth <= 0.04);
    for (int bin = 0; bin < METAL_BINS - !fine; bin++) {
        holds = holds && score->shadow[bin] <= (fine ? 0.7 : 1.5);
    }
    return holds;
}
