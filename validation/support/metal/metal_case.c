/* The solves (metal_case.h): the field at nodes of the floor, at the band's centre and edges. */
#include "validation/support/metal/metal_case.h"

/* m: the thickness of sheets, a thousandth of a wavelength. The floor is SIDE wavelengths wide. POINTS: of finer grids
 * every second node, or every third, ... is looked at, so that there are at most so many a row. */
static const double THIN = 1e-4;
enum { SIDE = 12, POINTS = 100, LEVELS = 5 };

void metal_position(int position, struct metal_solve *solve)
{
    static const double SHIFT[METAL_POSITIONS][2] = {
        {0.60, 0.75}, {0.90, 0.10}, {0.10, 0.30}, {0.02, 0.30}, {0.20, 0.60}, {0.50, 0.50}, {0.35, 0.97}, {0.75, 0.45},
        {0.00, 0.00}, {0.98, 0.98}, {0.50, 0.02}, {0.25, 0.85}, {0.80, 0.20}, {0.45, 0.15}, {0.65, 0.35}, {0.15, 0.55}};
    solve->shift_x = SHIFT[position % METAL_POSITIONS][0];
    solve->shift_y = SHIFT[position % METAL_POSITIONS][1];
}

/* The scene in metres: the shape's own origin and the source, which stands at a node. */
struct scene {
    const struct metal_shape *shape;
    const struct metal_solve *solve;
    double cell, side;
    struct spot origin, source;
    struct contour contour; /* in the shape's frame */
};

static void scene_make(struct scene *scene, const struct metal_shape *shape, const struct metal_solve *solve)
{
    const double wavelength = SPEED_OF_LIGHT / METAL_CENTRE, cell = wavelength / solve->cells;
    const int cells = (int)lround(SIDE * solve->cells);
    const double half = solve->horizontal ? 0.5 : 0;
    scene->shape = shape;
    scene->solve = solve;
    scene->cell = cell;
    scene->side = cells * cell;
    scene->origin =
        (struct spot){((int)(0.55 * cells) + solve->shift_x) * cell, ((int)(0.48 * cells) + solve->shift_y) * cell};
    scene->source = (struct spot){((int)(0.40 * cells) + half) * cell, ((int)(0.82 * cells) + half) * cell};
    metal_contour(shape, &scene->contour);
}

/* In the shape's frame. */
static struct spot own(const struct scene *scene, struct spot p)
{
    const double u = p.x - scene->origin.x, v = p.y - scene->origin.y;
    const double c = cos(scene->solve->turn), s = sin(scene->solve->turn);
    return (struct spot){u * c + v * s, v * c - u * s};
}

/* In three dimensions the floor lies between two planes of metal, some cells apart, and the source reaches from one to
 * the other: so the field is that of two dimensions. */
static void add_scenario(const struct scene *scene, struct text *text)
{
    const struct metal_solve *solve = scene->solve;
    const double height = LEVELS * scene->cell;
    text_add(text, "%splan: {size: [%.17g, %.17g]%s",
             solve->volume       ? "dimensions: 3\n"
             : solve->horizontal ? "polarisation: horizontal\n"
                                 : "",
             scene->side, scene->side, scene->contour.count > 0 ? ", " : "");
    metal_add(text, scene->shape, scene->origin, solve->turn, solve->staircase ? scene->cell : THIN);
    if (solve->volume) {
        text_add(text, ", storey: {height: %.17g}", height);
    }
    text_add(text, "}\ngrid: {scheme: %s, cell: %.17g, absorber: {cells: 24%s}", solve->scheme, scene->cell,
             solve->volume ? ", sides: {z_low: pec, z_high: pec}" : "");
    if (solve->averaging != NULL || solve->staircase) {
        text_add(text, ", averaging: %s", solve->staircase ? "point" : solve->averaging);
    }
    text_add(text, "}\nband: {centre: %.17g, width: %.17g}\ntransmitters: [{name: t, at: [%.17g, %.17g", METAL_CENTRE,
             METAL_FREQUENCY[2] - METAL_FREQUENCY[0], scene->source.x, scene->source.y);
    if (solve->volume) {
        text_add(text, ", 0], to: [%.17g, %.17g, %.17g", scene->source.x, scene->source.y, height);
    }
    text_add(text, "]}]\nspectra: {count: %d, spacing: 1", METAL_FREQUENCIES);
    if (solve->volume) {
        text_add(text, ", heights: [%.17g]", 0.5 * height);
    }
    text_add(text, "}\nstop: {after: 100 ns, decay: -70 dB}\n");
}

/* The field of every point of the spectra, that of the source alone being H0. */
struct floor_field {
    int rows, columns;
    double x0, y0, pitch;
    double complex *value; /* (frequency, row, column) */
};

static struct floor_field floor_read(const struct scene *scene, const struct solved *solved)
{
    const struct setup *setup = solved->setup;
    const struct spectra *lattice = &setup->problem.spectra;
    const struct setup_sheet *sheet = setup->sheets;
    struct floor_field field = {.pitch = sheet != NULL ? sheet->pitch : lattice->spacing * scene->cell,
                                .x0 = sheet != NULL ? sheet->column_first : setup->origin.x + lattice->x0 * scene->cell,
                                .y0 = sheet != NULL ? sheet->row_first : setup->origin.y + lattice->y0 * scene->cell,
                                .rows = sheet != NULL ? sheet->rows : lattice->rows,
                                .columns = sheet != NULL ? sheet->columns : lattice->columns};
    const size_t values = METAL_FREQUENCIES * (size_t)field.rows * (size_t)field.columns;
    pw_error error = {{0}};
    field.value = allocate(values, sizeof *field.value, "the floor", &error);
    case_require(field.value == NULL
                     ? PW_NO_RESOURCE
                     : pw_simulation_spectra(solved->simulation, 0, 0, lattice->rows, (double *)field.value, &error),
                 error.message);
    return field;
}

static struct floor_field floor_solve(const struct scene *scene)
{
    struct text text = {0};
    add_scenario(scene, &text);
    struct solved solved = solve(text.text, PW_SINGLE, scene->solve->backend);
    free(text.text);
    struct floor_field field = floor_read(scene, &solved);
    const size_t points = (size_t)field.rows * (size_t)field.columns;
    double current[2 * METAL_FREQUENCIES];
    pw_error error = {{0}};
    case_require(pw_simulation_source_spectrum(solved.simulation, 0, current, &error), error.message);
    for (int f = 0; f < METAL_FREQUENCIES; f++) {
        const double w = 2 * M_PI * METAL_FREQUENCY[f];
        double complex unit = (current[2 * f] + I * current[2 * f + 1]) * -w * 4e-7 * M_PI / 4;
        if (scene->solve->horizontal) { /* Hz is half a step older; its source is a magnetic current */
            unit *= cexp(-0.5 * I * solved.setup->omega[f] * solved.setup->problem.time_step) /
                    solved.setup->magnetic_scale;
        }
        if (scene->solve->volume) { /* the moment of a line source is 1 A m, whatever its length */
            unit /= LEVELS * scene->cell;
        }
        for (size_t n = 0; n < points; n++) {
            field.value[(size_t)f * points + n] /= unit;
        }
    }
    solve_free(&solved);
    return field;
}

/* A point that is looked at. */
struct look {
    int row, column; /* of the looks */
    bool shadow;
    double complex exact[METAL_FREQUENCIES], found[METAL_FREQUENCIES];
    double incident[METAL_FREQUENCIES];
};

struct looks {
    int count, stride;
    struct look *look; /* owned */
};

static void look_found(const struct floor_field *field, int row, int column, struct look *look)
{
    for (size_t f = 0; f < METAL_FREQUENCIES; f++) {
        look->found[f] =
            field->value[(f * (size_t)field->rows + (size_t)row) * (size_t)field->columns + (size_t)column];
    }
}

static bool look_at(const struct scene *scene, struct metal_field *exact, const struct floor_field *field, int row,
                    int column, struct look *look)
{
    const struct spot p = {field->x0 + column * field->pitch, field->y0 + row * field->pitch};
    const struct spot here = own(scene, p), source = own(scene, scene->source);
    const double away = hypot(p.x - scene->source.x, p.y - scene->source.y);
    if (p.x < 0 || p.y < 0 || p.x > scene->side || p.y > scene->side || away < SPEED_OF_LIGHT / METAL_CENTRE ||
        contour_distance(&scene->contour, here) < 1.001 * scene->cell) {
        return false;
    }
    look_found(field, row, column, look);
    look->shadow = contour_hides(&scene->contour, here, source);
    for (int f = 0; f < METAL_FREQUENCIES; f++) {
        look->exact[f] = metal_field_at(exact, f, here);
        look->incident[f] = cabs(solve_hankel(2 * M_PI * METAL_FREQUENCY[f] / SPEED_OF_LIGHT * away));
    }
    return !isnan(creal(look->exact[0])) && !isnan(creal(look->exact[2]));
}

static void *needed(size_t count, size_t size)
{
    pw_error error = {{0}};
    void *memory = allocate(count, size, "points", &error);
    if (memory == NULL) {
        case_require(PW_NO_RESOURCE, error.message);
        abort();
    }
    return memory;
}

static struct looks look_around(const struct scene *scene, struct metal_field *exact, const struct floor_field *field)
{
    struct looks looks = {.stride = 1 + (field->columns - 1) / POINTS};
    const size_t most = (size_t)(field->rows / looks.stride + 1) * (size_t)(field->columns / looks.stride + 1);
    looks.look = needed(most, sizeof *looks.look);
    for (int row = 0; row < field->rows; row += looks.stride) {
        for (int column = 0; column < field->columns; column += looks.stride) {
            struct look *look = &looks.look[looks.count];
            look->row = row / looks.stride;
            look->column = column / looks.stride;
            looks.count += look_at(scene, exact, field, row, column, look);
        }
    }
    return looks;
}

/* ---- the score ---- */

static double square(double complex z)
{
    return creal(z) * creal(z) + cimag(z) * cimag(z);
}

/* Power of both about a point of the shadow over that of the source alone: of one frequency there, or the mean over
 * all of them and over the shadow within a quarter of a wavelength. `first`: the first point of these rows. */
static void local_power(const struct looks *looks, int first, const struct look *at, int f, int window, double *exact,
                        double *found)
{
    double incident = 0;
    *exact = *found = 0;
    for (int n = first; n < looks->count && looks->look[n].row <= at->row + window; n++) {
        const struct look *look = &looks->look[n];
        if (!look->shadow || abs(look->row - at->row) > window || abs(look->column - at->column) > window) {
            continue;
        }
        for (int g = window > 0 ? 0 : f; g <= (window > 0 ? METAL_FREQUENCIES - 1 : f); g++) {
            *exact += square(look->exact[g]);
            *found += square(look->found[g]);
            incident += look->incident[g] * look->incident[g];
        }
    }
    *exact /= incident;
    *found /= incident;
}

static void score_shadow(const struct looks *looks, int window, struct metal_score *score)
{
    static const double DEPTH[METAL_BINS + 1] = {-10, -20, -30, -35, -40};
    double sum[METAL_BINS] = {0};
    for (int n = 0, first = 0; n < looks->count; n++) {
        while (looks->look[first].row < looks->look[n].row - window) {
            first++;
        }
        for (int f = 0; f < (window > 0 ? 1 : METAL_FREQUENCIES) && looks->look[n].shadow; f++) {
            double exact, found;
            local_power(looks, first, &looks->look[n], f, window, &exact, &found);
            const double depth = 10 * log10(exact);
            for (int bin = 0; bin < METAL_BINS; bin++) {
                if (depth <= DEPTH[bin] && depth > DEPTH[bin + 1]) {
                    score->shadow_points[bin]++;
                    sum[bin] += pow(10 * log10(found / exact), 2);
                }
            }
        }
    }
    for (int bin = 0; bin < METAL_BINS; bin++) {
        score->shadow[bin] = score->shadow_points[bin] > 0 ? sqrt(sum[bin] / score->shadow_points[bin]) : 0;
    }
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void score_all(const struct looks *looks, struct metal_score *score)
{
    *score = (struct metal_score){0};
    double sum = 0, *ratio = needed(METAL_FREQUENCIES * (size_t)looks->count + 1, sizeof *ratio);
    for (int n = 0; n < looks->count; n++) {
        for (int f = 0; f < METAL_FREQUENCIES; f++) {
            const struct look *look = &looks->look[n];
            ratio[score->points] = cabs(look->found[f] - look->exact[f]) / look->incident[f];
            sum += ratio[score->points] * ratio[score->points];
            score->points++;
        }
    }
    qsort(ratio, (size_t)score->points, sizeof *ratio, compare_doubles);
    score->rms = sqrt(sum / score->points);
    score->ninety_ninth = ratio[(int)(0.99 * score->points)];
    free(ratio);
}

static void write_map(const struct looks *looks, const struct floor_field *field, const char *path)
{
    FILE *file = fopen(path, "w");
    case_require(file == NULL ? PW_BAD_INPUT : PW_OK, "the map's file cannot be written");
    for (int n = 0, row = -1; n < looks->count; n++) {
        const struct look *look = &looks->look[n];
        const double pitch = looks->stride * field->pitch;
        fprintf(file, "%s%.5f %.5f %.5g %.4g\n", row >= 0 && row != look->row ? "\n" : "",
                field->x0 + look->column * pitch, field->y0 + look->row * pitch,
                100 * cabs(look->found[1] - look->exact[1]) / look->incident[1],
                20 * log10(cabs(look->exact[1]) / look->incident[1]));
        row = look->row;
    }
    case_close(file);
}

/* The staircase's field at the same points. */
static void look_again(const struct scene *scene, struct looks *looks)
{
    struct metal_solve solve = *scene->solve;
    struct scene other = *scene;
    solve.staircase = true;
    other.solve = &solve;
    struct floor_field field = floor_solve(&other);
    for (int n = 0; n < looks->count; n++) {
        look_found(&field, looks->look[n].row * looks->stride, looks->look[n].column * looks->stride, &looks->look[n]);
    }
    free(field.value);
}

void metal_case_solve(const struct metal_shape *shape, struct metal_field *exact, const struct metal_solve *solve,
                      const char *map, struct metal_score *score, struct metal_score *staircase)
{
    struct scene scene;
    scene_make(&scene, shape, solve);
    metal_field_move(exact, own(&scene, scene.source));
    struct floor_field field = floor_solve(&scene);
    struct looks looks = look_around(&scene, exact, &field);
    const int window = shape->smooth ? 0 : (int)fmax(round(0.25 * solve->cells / looks.stride), 1);
    score_all(&looks, score);
    score_shadow(&looks, window, score);
    if (map != NULL) {
        write_map(&looks, &field, map);
    }
    if (staircase != NULL) {
        look_again(&scene, &looks);
        score_all(&looks, staircase);
        score_shadow(&looks, window, staircase);
    }
    free(looks.look);
    free(field.value);
}

void metal_worst(struct metal_score *worst, const struct metal_score *score)
{
    worst->rms = fmax(worst->rms, score->rms);
    worst->ninety_ninth = fmax(worst->ninety_ninth, score->ninety_ninth);
    worst->points += score->points;
    for (int bin = 0; bin < METAL_BINS; bin++) {
        if (score->shadow_points[bin] >= METAL_FEW) {
            worst->shadow[bin] = fmax(worst->shadow[bin], score->shadow[bin]);
        }
        worst->shadow_points[bin] += score->shadow_points[bin];
    }
}

double metal_over_gate(const struct metal_score *score, double cells)
{
    const bool fine = cells >= 12;
    double worst = fmax(score->rms / (fine ? 0.005 : 0.01), fine ? 0 : score->ninety_ninth / 0.04);
    for (int bin = 0; bin < METAL_BINS - !fine; bin++) {
        worst = fmax(worst, score->shadow_points[bin] >= METAL_FEW ? score->shadow[bin] / (fine ? 0.7 : 1.5) : 0);
    }
    return worst;
}
