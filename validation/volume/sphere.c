/* A dielectric sphere beside a dipole, which points at it or lies across, against the series of Mie; and how the error
 * falls with the cell (physics.md section 9). Plans have no faces aslant to the vertical: here the coefficients are
 * made from the sphere itself by the rule that plans are averaged with, so that the solver's tensors work in all three
 * planes. A plan of circles in thin bands of heights is shown beside it. */
#include "medium/averaging_weight.h"
#include "validation/support/volume.h"

enum { PLACES = 12, TERMS = 40, FREQUENCIES = 3 };

static const double CENTRE = 1e9, PERMITTIVITY = 2.89;
static const double RADIUS = 0.5, SOURCE = 0.8, SHELL = 0.75; /* wavelengths at the centre */

/* Riccati-Bessel functions x j_n and x h_n^(2) and their slopes, n = 0..TERMS. */
struct riccati {
    double psi[TERMS + 1], psi_slope[TERMS + 1];
    double complex xi[TERMS + 1], xi_slope[TERMS + 1];
};

static void riccati_fill(double x, struct riccati *out)
{
    double down[TERMS + 102], chi[TERMS + 1];
    down[TERMS + 101] = 0;
    down[TERMS + 100] = 1e-250;
    for (int n = TERMS + 100; n > 0; n--) {
        down[n - 1] = (2 * n + 1) / x * down[n] - down[n + 1];
        if (fabs(down[n - 1]) > 1e200) {
            for (int m = n - 1; m <= TERMS + 101; m++) {
                down[m] *= 1e-200;
            }
        }
    }
    double scale = fabs(sin(x)) > 0.3 ? sin(x) / down[0] : (sin(x) / x - cos(x)) / down[1];
    chi[0] = -cos(x);
    chi[1] = -cos(x) / x - sin(x);
    for (int n = 1; n < TERMS; n++) {
        chi[n + 1] = (2 * n + 1) / x * chi[n] - chi[n - 1];
    }
    for (int n = 0; n <= TERMS; n++) {
        out->psi[n] = down[n] * scale;
        out->xi[n] = out->psi[n] - I * chi[n];
    }
    out->psi_slope[0] = cos(x);
    out->xi_slope[0] = cos(x) - I * sin(x);
    for (int n = 1; n <= TERMS; n++) {
        out->psi_slope[n] = out->psi[n - 1] - n / x * out->psi[n];
        out->xi_slope[n] = out->xi[n - 1] - n / x * out->xi[n];
    }
}

/* Coefficients of the scattered TM (a) and TE (b) waves. */
static void mie(double size, double complex *a, double complex *b)
{
    struct riccati outside, inside;
    double m = sqrt(PERMITTIVITY);
    riccati_fill(size, &outside);
    riccati_fill(m * size, &inside);
    for (int n = 1; n <= TERMS; n++) {
        a[n] = (m * inside.psi[n] * outside.psi_slope[n] - outside.psi[n] * inside.psi_slope[n]) /
               (m * inside.psi[n] * outside.xi_slope[n] - outside.xi[n] * inside.psi_slope[n]);
        b[n] = (inside.psi[n] * outside.psi_slope[n] - m * outside.psi[n] * inside.psi_slope[n]) /
               (inside.psi[n] * outside.xi_slope[n] - m * outside.xi[n] * inside.psi_slope[n]);
    }
}

/* Legendre functions of the angle from the dipole's axis: P_n, dP_n/dt, and with P_n^1 = -dP_n/dt: pi = P_n^1/sin t,
 * tau = dP_n^1/dt. */
struct angular {
    double p[TERMS + 1], slope[TERMS + 1], pi[TERMS + 1], tau[TERMS + 1];
};

static void angular_fill(double cosine, double sine, struct angular *out)
{
    out->p[0] = 1;
    out->p[1] = cosine;
    out->pi[0] = 0;
    out->pi[1] = 1;
    for (int n = 1; n < TERMS; n++) {
        out->p[n + 1] = ((2 * n + 1) * cosine * out->p[n] - n * out->p[n - 1]) / (n + 1);
        out->pi[n + 1] = ((2 * n + 1) * cosine * out->pi[n] - (n + 1) * out->pi[n - 1]) / n;
    }
    for (int n = 1; n <= TERMS; n++) {
        out->tau[n] = n * cosine * out->pi[n] - (n + 1) * out->pi[n - 1];
        out->slope[n] = -sine * out->pi[n];
    }
}

/* Field of a dipole at (0, 0, source) along `along` (0: x, 2: z) at r, both from the sphere's centre: direct and
 * scattered. The constant of both expansions is what makes them the free field at the centre. */
static void law(double frequency, int along, double source, struct place3 r, double complex field[3])
{
    double k = 2 * M_PI * frequency / SPEED_OF_LIGHT, wavelength = SPEED_OF_LIGHT / CENTRE;
    double distance = sqrt(r.x * r.x + r.y * r.y + r.z * r.z), across = hypot(r.x, r.y), x = k * distance;
    double cosine = r.z / distance, sine = across / distance;
    double c = across > 1e-9 ? r.x / across : 1, s = across > 1e-9 ? r.y / across : 0;
    double complex a[TERMS + 1], b[TERMS + 1], centre[6], direct[6], up = 0, out = 0, round = 0;
    struct riccati from, here;
    struct angular angular;
    mie(k * RADIUS * wavelength, a, b);
    riccati_fill(k * source, &from);
    riccati_fill(x, &here);
    angular_fill(cosine, sine, &angular);
    volume_dipole_law(frequency, along, (struct place3){0, 0, -source}, centre);
    volume_dipole_law(frequency, along, (struct place3){r.x, r.y, r.z - source}, direct);
    double y = k * source;
    double complex scale = along == 2 ? centre[2] / (2 * from.xi[1] / (y * y)) : centre[0] / (from.xi_slope[1] / y);
    for (int n = 1; n <= TERMS; n++) {
        if (along == 2) {
            double complex weight = -(2 * n + 1) * from.xi[n] / (y * y) * a[n];
            out += weight * n * (n + 1) * here.xi[n] / (x * x) * angular.p[n];
            up += weight * here.xi_slope[n] / x * angular.slope[n];
        } else {
            double complex magnetic = -(2 * n + 1.0) / (n * (n + 1)) * from.xi[n] / y * b[n] * here.xi[n] / x;
            double complex electric = -(2 * n + 1.0) / (n * (n + 1)) * from.xi_slope[n] / y * a[n];
            out += electric * n * (n + 1) * here.xi[n] / (x * x) * sine * angular.pi[n] * c;
            up += (magnetic * angular.pi[n] + electric * angular.tau[n] * here.xi_slope[n] / x) * c;
            round -= (magnetic * angular.tau[n] + electric * angular.pi[n] * here.xi_slope[n] / x) * s;
        }
    }
    double complex flat = out * sine + up * cosine;
    field[0] = direct[0] + scale * (flat * c - round * s);
    field[1] = direct[1] + scale * (flat * s + round * c);
    field[2] = direct[2] + scale * (out * cosine - up * sine);
}

/* Circles of the volume of each slice of the sphere. */
static struct text sphere_plan(double radius, double slice, double middle)
{
    struct text text = {0};
    text_add(&text, "{size: [%.17g, %.17g], storey: {height: %.17g}, circles: [", 2 * middle, 2 * middle, 2 * middle);
    int slices = (int)ceil(2 * radius / slice);
    for (int n = 0; n < slices; n++) {
        double low = -radius + 2 * radius * n / slices, high = -radius + 2 * radius * (n + 1) / slices;
        double square = radius * radius - (high * high + high * low + low * low) / 3;
        text_add(&text,
                 "%s{centre: [%.17g, %.17g], radius: %.17g, z: [%.17g, %.17g], material: {relative_permittivity: %g, "
                 "conductivity: 0 S/m}}",
                 n > 0 ? ", " : "", middle, middle, sqrt(square), middle + low, middle + high, PERMITTIVITY);
    }
    text_add(&text, "]}");
    return text;
}

struct setting {
    const char *scheme, *averaging; /* averaging "circles": the plan, by moment */
    double cells;                   /* a wavelength inside */
    int along;
};

/* How much of a sphere there is about every place of a lattice of half cells: its part in the weighted mean. */
struct parts {
    int count;    /* along an axis; place n stands at (n - count/2)/2 cells from the middle place */
    double *part; /* (count, count, count), owned */
};

enum { FINE = 2 }; /* voxels in half a cell */

static double *fresh(size_t count)
{
    pw_error error = {{0}};
    double *array = allocate(count, sizeof *array, "a sphere", &error);
    case_require(array == NULL ? PW_NO_RESOURCE : PW_OK, error.message);
    return array;
}

/* One axis of the mean: rows of `from` (n voxels apart `stride`) to `to` (count places). */
static void mean_along(const double *weight, int reach, const double *from, int voxels, double *to, int places,
                       size_t lines_outer, size_t lines_inner)
{
    for (size_t a = 0; a < lines_outer; a++) {
        for (int n = 0; n < places; n++) {
            double *out = to + (a * (size_t)places + (size_t)n) * lines_inner;
            for (int v = -reach; v < reach; v++) { /* voxels on both sides of the place */
                int at = voxels / 2 + FINE * (n - places / 2) + v;
                if (at < 0 || at >= voxels || weight[v + reach] == 0) {
                    continue;
                }
                const double *in = from + (a * (size_t)voxels + (size_t)at) * lines_inner;
                for (size_t b = 0; b < lines_inner; b++) {
                    out[b] += weight[v + reach] * in[b];
                }
            }
        }
    }
}

/* Of a sphere of `radius` cells whose centre is `centre` cells from the middle place. */
static struct parts sphere_parts(double radius, const double centre[3], bool moment)
{
    pw_error error = {{0}};
    struct averaging_weight phi = weight_box();
    case_require(moment ? weight_moment(&phi, &error) : PW_OK, error.message);
    const int reach = 3 * 2 * FINE, places = 2 * (2 * ((int)ceil(radius) + 5)) + 1,
              voxels = FINE * (places - 1) + 2 * reach;
    double weight[2 * 3 * 2 * FINE], size = 0.5 / FINE; /* cells */
    for (int v = -reach; v < reach; v++) {
        weight[v + reach] = weight_integral(&phi, (v + 1) * size) - weight_integral(&phi, v * size);
    }
    size_t v = (size_t)voxels, p = (size_t)places;
    double *voxel = fresh(v * v * v), *once = fresh(v * v * p), *twice = fresh(v * p * p);
    for (size_t n = 0; n < v * v * v; n++) {
        double x = ((double)(n % v) - voxels / 2 + 0.5) * size - centre[0],
               y = ((double)(n / v % v) - voxels / 2 + 0.5) * size - centre[1],
               z = ((double)(n / v / v) - voxels / 2 + 0.5) * size - centre[2];
        voxel[n] = fmin(fmax(0.5 + (radius - sqrt(x * x + y * y + z * z)) / size, 0), 1);
    }
    struct parts parts = {places, fresh(p * p * p)};
    mean_along(weight, reach, voxel, voxels, once, places, v * v, 1);
    mean_along(weight, reach, once, voxels, twice, places, v, p);
    mean_along(weight, reach, twice, voxels, parts.part, places, 1, p * p);
    free(voxel);
    free(once);
    free(twice);
    weight_free(&phi);
    return parts;
}

/* eta_(a, b) at a place `at` half cells from the middle one: N q + (1 - N)/m with N = n n^T, n from the centre. */
static double inverse_at(const struct parts *parts, const int at[3], const double centre[3], int a, int b)
{
    int n = parts->count, index[3];
    double from[3], square = 0;
    for (int c = 0; c < 3; c++) {
        index[c] = at[c] + n / 2;
        from[c] = 0.5 * at[c] - centre[c];
        square += from[c] * from[c];
        if (index[c] < 0 || index[c] >= n) {
            return a == b;
        }
    }
    double part = parts->part[((size_t)index[2] * (size_t)n + (size_t)index[1]) * (size_t)n + (size_t)index[0]];
    double mean = 1 + (PERMITTIVITY - 1) * part, inverse = 1 + (1 / PERMITTIVITY - 1) * part;
    double both = square > 0 ? from[a] * from[b] / square : 0;
    return both * inverse + ((a == b) - both) / mean;
}

enum { ROWS = 24576, PER_UNIT = 16384 }; /* of the coefficient table, inverse permittivities apart by 1/PER_UNIT */

/* Rows, layers of every component at every level, and tensors. `middle`: node of the middle place. */
static void put_sphere(struct volume *volume, const struct parts *parts, const int middle[3], const double centre[3])
{
    struct problem *problem = &volume->problem;
    pw_error error = {{0}};
    const int nx = problem->axis[0].count, ny = problem->axis[1].count, nz = problem->axis[2].count;
    double air = problem->coefficients[COEFFICIENT_CB];
    free(problem->coefficients);
    case_require(problem_allocate_coefficients(problem, ROWS, &error), error.message);
    for (int row = 0; row < ROWS; row++) {
        problem_coefficient(problem, row)[COEFFICIENT_CA] = 1;
        problem_coefficient(problem, row)[COEFFICIENT_CB] = row == 0 ? air : air * row / PER_UNIT;
    }
    size_t plane = (size_t)nx * (size_t)ny;
    free(problem->coefficient_index);
    problem->layer_count = 3 * nz;
    problem->coefficient_index = calloc(3 * (size_t)nz * plane, sizeof *problem->coefficient_index);
    problem->tensor_nodes = calloc(3 * (size_t)nz * plane, sizeof *problem->tensor_nodes);
    case_require(problem->coefficient_index == NULL || problem->tensor_nodes == NULL ? PW_NO_RESOURCE : PW_OK,
                 "no memory for a sphere");
    for (int k = 0; k < nz; k++) {
        for (size_t n = 0; n < plane; n++) {
            const int cell[3] = {2 * ((int)(n % (size_t)nx) - middle[0]), 2 * ((int)(n / (size_t)nx) - middle[1]),
                                 2 * (k - middle[2])};
            for (int c = 0; c < 3; c++) {
                const int at[3] = {cell[0] + (c == 0), cell[1] + (c == 1), cell[2] + (c == 2)};
                double inverse = inverse_at(parts, at, centre, c, c);
                problem->layer[c][k] = 3 * k + c;
                problem->coefficient_index[(size_t)(3 * k + c) * plane + n] =
                    (uint16_t)(inverse == 1 ? 0 : lround(inverse * PER_UNIT));
                double off = inverse_at(parts, cell, centre, c, (c + 1) % 3);
                if (fabs(off) > 1e-6) {
                    problem->tensor_nodes[problem->tensor_count++] = (struct tensor_node){
                        (int64_t)((size_t)k * plane + n), (enum component)c, (enum component)((c + 1) % 3), air * off};
                }
            }
        }
    }
}

/* ||E - law|| / ||law|| of the scattered field's part of the world: all of E, over places, components, frequencies. */
static double sphere_error(const struct setting *setting, const char *backend)
{
    const double wavelength = SPEED_OF_LIGHT / CENTRE, cell = wavelength / sqrt(PERMITTIVITY) / setting->cells;
    const double frequency[FREQUENCIES] = {0.92 * CENTRE, CENTRE, 1.08 * CENTRE};
    bool circles = strcmp(setting->averaging, "circles") == 0, moment = strcmp(setting->averaging, "moment") == 0;
    int half = (int)ceil(0.95 * wavelength / cell);
    double middle = 2 * wavelength, off[3] = {0.23, 0.37, 0.41}; /* cells, of the centre from a node */
    struct text plan = {0};
    if (circles) {
        plan = sphere_plan(RADIUS * wavelength, cell / 3, middle);
    }
    struct place3 centre = {(half + off[0]) * cell, (half + off[1]) * cell, (half + off[2]) * cell};
    struct volume volume = {.scheme = setting->scheme,
                            .plan = plan.text,
                            .plan_at = {middle - centre.x, middle - centre.y, middle - centre.z},
                            .cell = cell,
                            .cells = {2 * half, 2 * half, 2 * half},
                            .layer = 12,
                            .frequency = CENTRE,
                            .width = 0.3 * CENTRE,
                            .courant = circles ? 0.99 : 0.85, /* the averages of the sphere allow 0.9 */
                            .duration = 40 / CENTRE,
                            .precision = PW_SINGLE};
    volume_begin(&volume);
    if (!circles) {
        struct parts parts = sphere_parts(RADIUS * wavelength / cell, off, moment);
        put_sphere(&volume, &parts, (int[]){half + volume.layer, half + volume.layer, half + volume.layer}, off);
        free(parts.part);
    }
    /* The dipole stands over the sphere on a node, so the axis of the law is a little off the vertical: turned below.
     */
    enum component along = (enum component)setting->along;
    struct place3 from = {centre.x, centre.y, centre.z + SOURCE * wavelength}, at[PLACES];
    volume_add_dipole(&volume, along, (struct place3){from.x, from.y, from.z}, 1);
    for (int p = 0; p < PLACES; p++) {
        double polar = M_PI * (0.25 + 0.7 * (p % 6) / 5), azimuth = p < 6 ? 0.35 : 2.6;
        at[p] =
            (struct place3){centre.x + SHELL * wavelength * sin(polar) * cos(azimuth),
                            SHELL * wavelength * sin(polar) * sin(azimuth), centre.z + SHELL * wavelength * cos(polar)};
        for (int n = 0; n < 3; n++) {
            struct place3 node = volume_place(&volume, (enum component)n, (int)(at[p].x / cell), (int)(at[p].y / cell),
                                              (int)(at[p].z / cell));
            volume_add_probe(&volume, (enum component)n, node);
        }
    }
    volume_solve(&volume, backend);
    double complex field[PLACES * 3 * FREQUENCIES];
    volume_transfer(&volume, FREQUENCIES, frequency, field);
    double difference = 0, norm = 0;
    for (int n = 0; n < PLACES * 3 * FREQUENCIES; n++) {
        int component = n / FREQUENCIES % 3;
        const struct place3 *near = &at[n / FREQUENCIES / 3];
        struct place3 node = volume_place(&volume, (enum component)component, (int)(near->x / cell),
                                          (int)(near->y / cell), (int)(near->z / cell));
        double complex exact[3];
        law(frequency[n % FREQUENCIES], setting->along, from.z - centre.z,
            (struct place3){node.x - centre.x, node.y - centre.y, node.z - centre.z}, exact);
        difference += pow(cabs(field[n] - exact[component]), 2);
        norm += pow(cabs(exact[component]), 2);
    }
    volume_free(&volume);
    free(plan.text);
    return sqrt(difference / norm);
}

enum { CELLS = 3, LINES = 4, SIDES = 2 };
static const double COUNT[CELLS] = {7, 10, 14};
static const struct {
    const char *scheme, *averaging;
} LINE[LINES] = {{"fd4o", "moment"}, {"fd8", "moment"}, {"yee", "area"}, {"fd4o", "circles"}};

int main(int argc, char **argv)
{
    struct validation validation = case_begin(
        argc, argv, "sphere", "A dielectric sphere",
        "A sphere of εr 2.89, a wavelength in diameter, and a dipole 0.8 wavelengths from its centre, which points at "
        "it or lies across; E at twelve places 0.75 wavelengths from the centre, 0.92 to 1.08 GHz, against the series "
        "of Mie: ‖E − E_exact‖/‖E_exact‖ by cells per wavelength inside. The coefficients are made from the sphere by "
        "the "
        "rule for walls, full tensors included. `circles` is a plan, circles in bands a third of a cell high: plans "
        "have "
        "no tensor for faces aslant to the vertical, and that is what it costs.");
    struct setting settings[LINES * SIDES * CELLS];
    double error[LINES * SIDES * CELLS];
    int count = 0;
    for (int c = CELLS - 1; c >= 0; c--) { /* the finest, which take longest, first */
        for (int line = 0; line < LINES; line++) {
            for (int side = 0; side < SIDES; side++) {
                if (!validation.quick || (c == 1 && line == 0)) {
                    settings[count++] = (struct setting){LINE[line].scheme, LINE[line].averaging, COUNT[c], 2 * side};
                }
            }
        }
    }
#pragma omp parallel for schedule(dynamic) num_threads(case_side_by_side(&validation, PW_SINGLE, false))
    for (int k = 0; k < count; k++) {
        error[k] = sphere_error(&settings[k], validation.backend);
    }
    FILE *file = case_data(&validation, "order");
    for (int line = 0; line < (validation.quick ? 1 : LINES); line++) {
        for (int side = 0; side < SIDES; side++) {
            double each[CELLS], at_ten = NAN;
            fprintf(file, "\"%s, %s, %s\"\n", LINE[line].scheme, LINE[line].averaging, side ? "pointing" : "across");
            for (int k = count - 1, c = 0; k >= 0; k--) {
                if (settings[k].scheme == LINE[line].scheme && settings[k].averaging == LINE[line].averaging &&
                    settings[k].along == 2 * side) {
                    fprintf(file, "%g %.6g\n", settings[k].cells, error[k]);
                    at_ten = settings[k].cells == 10 ? error[k] : at_ten;
                    each[c++] = error[k];
                }
            }
            fprintf(file, "\n\n");
            char name[96];
            snprintf(name, sizeof name, "%s, %s, dipole %s", LINE[line].scheme, LINE[line].averaging,
                     side ? "pointing at it" : "lying across");
            if (line < 2) {
                case_gate(&validation, at_ten, 0.03, "%s: 10 cells a wavelength inside", name);
            } else {
                case_figure(&validation, at_ten, "%s: 10 cells a wavelength inside", name);
            }
            if (!validation.quick && line < 2) {
                case_gate_between(&validation, -case_slope(CELLS, COUNT, each), 2, INFINITY, "%s: order", name);
            } else if (!validation.quick) {
                case_figure(&validation, -case_slope(CELLS, COUNT, each), "%s: order", name);
            }
        }
    }
    case_close(file);
    if (!validation.quick) {
        case_plot(&validation, "order", "Error of the field around the sphere; grey: slopes 2 and 3",
                  "set logscale xy\nset xlabel 'cells per wavelength inside'\nset ylabel 'complex error'\n"
                  "set xrange [6.5:15]\nset yrange [3e-4:0.5]\nset format y '10^{%T}'\nset xtics (7,10,14)\n"
                  "plot for [k=0:7] data.'-order.dat' index k using 1:2 with linespoints pt 7 ps 0.8 title "
                  "columnheader(1), for [p=2:3] 0.05*(7/x)**p/3**(p-2) lc rgb '#bbbbbb' dt 2 notitle");
    }
    return case_end(&validation);
}
