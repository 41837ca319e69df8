/* Lossy and thick walls: what the default grid makes of their attenuation, against the closed form of a slab
 * (validation/lossy_walls.md). The nodes of a set-up on a line across the wall, with the coefficients that its solvers
 * step with, are solved for a plane wave at the band's centre: that is what a run tends to, without the run. */
#include "validation/support/case.h"

#include "base/constants.h"
#include "discretize/setup.h"

enum { WIDTH = 3 * LAPLACIAN_LIMIT + 1 };

/* A row of a banded system, from column `row - LAPLACIAN_LIMIT` on. */
struct line {
    int size;
    double complex (*matrix)[WIDTH];
    double complex *right;
};

static void line_put(struct line *line, int row, int column, double complex weight)
{
    line->matrix[row][column - row + LAPLACIAN_LIMIT] += weight;
}

/* Gauss with the largest pivot of a column; the last right side is the last unknown. */
static void line_solve(struct line *line)
{
    const int m = LAPLACIAN_LIMIT;
    for (int p = 0; p < line->size; p++) {
        const int last = p + m < line->size - 1 ? p + m : line->size - 1;
        int best = p;
        for (int r = p; r <= last; r++) {
            best = cabs(line->matrix[r][p - r + m]) > cabs(line->matrix[best][p - best + m]) ? r : best;
        }
        for (int c = p; c <= p + 2 * m && c < line->size && best != p; c++) {
            const double complex keep = c - best + m < WIDTH ? line->matrix[best][c - best + m] : 0;
            if (c - best + m < WIDTH) {
                line->matrix[best][c - best + m] = line->matrix[p][c - p + m];
            }
            line->matrix[p][c - p + m] = keep;
        }
        const double complex keep = line->right[best];
        line->right[best] = line->right[p];
        line->right[p] = keep;
        for (int r = p + 1; r <= last; r++) {
            const double complex factor = line->matrix[r][p - r + m] / line->matrix[p][m];
            for (int c = p; c <= p + 2 * m && c < line->size && factor != 0; c++) {
                line->matrix[r][c - r + m] -= factor * line->matrix[p][c - p + m];
            }
            line->right[r] -= factor * line->right[p];
        }
    }
    for (int p = line->size - 1; p >= 0; p--) {
        for (int c = p + 1; c <= p + 2 * m && c < line->size; c++) {
            line->right[p] -= line->matrix[p][c - p + m] * line->right[c];
        }
        line->right[p] /= line->matrix[p][m];
    }
}

/* |T| of a line of nodes: unknown 0 is what goes back, the last what goes on. */
static double line_through(const struct stencil *stencil, double turn, double sine, int count,
                           const double complex *permittivity)
{
    const double along = stencil_symbol(stencil, turn * sine), half = 0.5 * turn,
                 phase = stencil_phase(stencil, sqrt(half * half - along * along));
    struct line line = {.size = count + 2};
    line.matrix = calloc((size_t)line.size, sizeof *line.matrix);
    line.right = calloc((size_t)line.size, sizeof *line.right);
    for (int row = 0; row < line.size; row++) {
        const int node = row - 1;
        const double complex e = node >= 0 && node < count ? permittivity[node] : 1;
        for (int m = 1 - 2 * stencil->reach; m < 2 * stencil->reach; m++) {
            const double complex weight =
                m == 0 ? stencil->centre + turn * turn * e - 4 * along * along : stencil->laplacian[abs(m) - 1];
            const int at = node + m;
            if (at < 0) {
                line_put(&line, row, 0, weight * cexp(I * phase * at));
                line.right[row] -= weight * cexp(-I * phase * at);
            } else if (at >= count) {
                line_put(&line, row, count + 1, weight * cexp(-I * phase * (at - count)));
            } else {
                line_put(&line, row, at + 1, weight);
            }
        }
    }
    line_solve(&line);
    const double through = cabs(line.right[line.size - 1]);
    free(line.matrix);
    free(line.right);
    return through;
}

static double slab_through(double complex permittivity, double turns, double sine)
{
    const double complex outside = sqrt(1 - sine * sine), inside = csqrt(permittivity - sine * sine);
    const double complex face = (outside - inside) / (outside + inside), echo = cexp(-I * inside * turns);
    return cabs((1 - face * face) * echo / (1 - face * face * echo * echo));
}

/* ---- a wall ------------------------------------------------------------------------------------------------------ */

enum { MATERIALS = 5, FREQUENCIES = 5, DEPTHS = 5, ANGLES = 4, PLACES = 4 };
static const char *const MATERIAL[MATERIALS] = {"concrete", "brick", "wood", "plasterboard", "chipboard"};
static const double GHZ[FREQUENCIES] = {0.9, 2.4, 5.5, 28, 60}, DEPTH[DEPTHS] = {5, 10, 20, 50, 100} /* dB */,
                    DEGREES[ANGLES] = {0, 30, 45, 60};
static const double SHARE = 0.02, ENOUGH = 0.5 /* dB */;

struct wall {
    const char *material;
    double gigahertz, depth;
    double thickness, cell, forecast; /* m, m, dB */
    double complex permittivity;
    /* dB, solved less right, farthest off of the places between the nodes; as the medium is; right */
    double error[ANGLES], plain[ANGLES], right[ANGLES];
    double square, plain_square; /* of the errors, the mean over angles and places */
};

/* A plan with the wall across it, 20 wavelengths of air on either side; cell 0: as planwave chooses. */
static pw_setup *wall_setup(const struct wall *wall, double offset, pw_scenario **scenario)
{
    const double wavelength = SPEED_OF_LIGHT / (wall->gigahertz * 1e9), width = wall->thickness + 40 * wavelength,
                 face = 20 * wavelength + offset * wall->cell;
    struct text text = {0};
    text_add(&text,
             "plan: {size: [%.12g, %.12g], rectangles: [{from: [%.12g, -10], to: [%.12g, 10], material: %s}]}\n"
             "band: {centre: %g GHz, width: %g GHz}\ntransmitters: [{at: [%.12g, %.12g]}]\n"
             "receivers: [{at: [%.12g, %.12g]}]\n",
             width, 20 * wavelength, face, face + wall->thickness, wall->material, wall->gigahertz,
             0.03 * wall->gigahertz, 5 * wavelength, 10.1 * wavelength, width - 5 * wavelength, 10 * wavelength);
    if (wall->cell > 0) {
        text_add(&text, "grid: {scheme: fd4o, averaging: moment, cell: %.17g}\n", wall->cell);
    }
    pw_setup *setup = NULL;
    pw_error error = {{0}};
    pw_status status = pw_scenario_parse("lossy_walls", text.text, NULL, 0, scenario, &error);
    status = status != PW_OK ? status : pw_setup_create(*scenario, PW_SINGLE, false, &setup, &error);
    case_require(status, error.message);
    free(text.text);
    return setup;
}

/* What the set-up chooses for a wall of the depth (0: of the thickness), and the material's permittivity. */
static void wall_begin(struct wall *wall)
{
    const double omega = 2e9 * M_PI * wall->gigahertz;
    wall->thickness = wall->depth > 0 ? 0.01 : wall->thickness; /* until the material is known */
    for (int round = 0; round < 2; round++) {
        pw_scenario *scenario = NULL;
        pw_setup *setup = wall_setup(wall, 0, &scenario);
        const struct material *material = &setup->plan.materials[setup->plan.material_count - 1];
        wall->permittivity =
            material->relative_permittivity - I * material->conductivity / (omega * FREE_SPACE_PERMITTIVITY);
        const double nepers = -cimag(csqrt(wall->permittivity)) * omega / SPEED_OF_LIGHT;
        wall->thickness = wall->depth > 0 ? wall->depth * log(10) / 20 / nepers : wall->thickness;
        wall->cell = round == 1 ? setup->problem.axis[0].spacing : 0;
        wall->forecast = setup->error.local_mean;
        pw_setup_free(setup);
        pw_scenario_free(scenario);
    }
}

/* The nodes across the wall, as they are stepped or as the averages leave them; free it. */
static double complex *wall_nodes(const struct setup *setup, double gigahertz, bool plain)
{
    const double unit = 2e9 * M_PI * gigahertz * FREE_SPACE_PERMITTIVITY;
    const size_t count = (size_t)setup->medium.nx, row = (size_t)(setup->medium.ny / 2) * count;
    double complex *nodes = calloc(count, sizeof *nodes);
    for (size_t i = 0; i < count; i++) {
        const struct medium_entry *entry = &setup->medium.palette[setup->medium.index[row + i]];
        const struct plain_medium medium = setup_dispersive_medium(setup, entry);
        nodes[i] = plain ? entry->relative_permittivity - I * entry->conductivity / unit
                         : medium.relative_permittivity - I * medium.conductivity / setup->sigma_compensation / unit;
    }
    return nodes;
}

static void wall_try(struct wall *wall)
{
    const double wave_number = 2e9 * M_PI * wall->gigahertz / SPEED_OF_LIGHT;
    wall_begin(wall);
    for (int p = 0; p < PLACES; p++) {
        pw_scenario *scenario = NULL;
        pw_setup *setup = wall_setup(wall, (double)p / PLACES, &scenario);
        for (int n = 0; n < 2 * ANGLES; n++) {
            const int a = n / 2;
            const bool plain = n % 2 == 1;
            const double sine = sin(DEGREES[a] * M_PI / 180);
            double complex *nodes = wall_nodes(setup, wall->gigahertz, plain);
            double *worst = plain ? &wall->plain[a] : &wall->error[a];
            wall->right[a] = -20 * log10(slab_through(wall->permittivity, wave_number * wall->thickness, sine));
            const double through =
                             line_through(&setup->stencil, wave_number * wall->cell, sine, setup->medium.nx, nodes),
                         error = -20 * log10(through) - wall->right[a];
            *worst = fabs(error) > fabs(*worst) ? error : *worst;
            *(plain ? &wall->plain_square : &wall->square) += error * error / (PLACES * ANGLES);
            free(nodes);
        }
        pw_setup_free(setup);
        pw_scenario_free(scenario);
    }
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static double over_gate(double error, double right)
{
    return fabs(error) / fmax(ENOUGH, SHARE * right);
}

static void wall_row(struct validation *validation, const struct wall *wall)
{
    case_text(validation, "| %s | %g | %g | %.3g | %.3g | %.1f | %.2f |", wall->material, wall->gigahertz, wall->depth,
              wall->thickness, 1e3 * wall->cell,
              SPEED_OF_LIGHT / (1e9 * wall->gigahertz * wall->cell * sqrt(creal(wall->permittivity))), wall->forecast);
    for (int a = 0; a < ANGLES; a++) {
        case_text(validation, " %+.2f (%.1f %%) |", wall->error[a], 100 * fabs(wall->error[a]) / wall->right[a]);
    }
    double plain = 0;
    for (int a = 0; a < ANGLES; a++) {
        plain = fabs(wall->plain[a]) > fabs(plain) ? wall->plain[a] : plain;
    }
    case_text(validation, " %+.2f |\n", plain);
}

/* ---- walls without loss ------------------------------------------------------------------------------------------ */

enum { PERMITTIVITIES = 7, THICKNESSES = 24 };
static const double PERMITTIVITY[PERMITTIVITIES] = {1.25, 1.5, 2, 3, 4, 5.24, 7};

/* Waves that go to and fro in them meet in a phase that is right or wrong by chance: walls of 5 to 30 cm together. */
static void walls_without_loss(struct validation *validation)
{
    case_text(validation,
              "\n| permittivity, without loss | cells in the wall | forecast [dB] | off [dB] | medium as it "
              "is |\n| --- | --- | --- | --- | --- |\n");
    double over[PERMITTIVITIES];
    for (int e = 0; e < PERMITTIVITIES; e++) {
        const int step = validation->quick ? 4 : 1;
        double said = 0, off = 0, plain = 0, cells = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : said, off, plain, cells)
        for (int n = 0; n < THICKNESSES; n += step) {
            char material[64];
            snprintf(material, sizeof material, "{relative_permittivity: %g, conductivity: 0 S/m}", PERMITTIVITY[e]);
            struct wall wall = {.material = material, .gigahertz = 3.5, .thickness = 0.05 + 0.25 * n / THICKNESSES};
            wall_try(&wall);
            const double part = (double)step / THICKNESSES;
            said += part * wall.forecast * wall.forecast;
            off += part * wall.square;
            plain += part * wall.plain_square;
            cells += part * SPEED_OF_LIGHT / (3.5e9 * wall.cell * sqrt(PERMITTIVITY[e]));
        }
        case_text(validation, "| %g | %.1f | %.2f | %.2f | %.2f |\n", PERMITTIVITY[e], cells, sqrt(said), sqrt(off),
                  sqrt(plain));
        over[e] = sqrt(off / said);
    }
    for (int e = 0; e < PERMITTIVITIES; e++) {
        case_gate_between(validation, over[e], 0, 2, "permittivity %g without loss: error over forecast",
                          PERMITTIVITY[e]);
    }
}

int main(int argc, char **argv)
{
    static struct wall walls[MATERIALS * FREQUENCIES * DEPTHS];
    struct validation validation =
        case_begin(argc, argv, "lossy_walls", "Lossy and thick walls",
                   "Walls of 5 to 100 dB on the cell that planwave chooses, vertical polarisation: the nodes of a "
                   "set-up on a line across the wall, solved for a plane wave, against the closed form of a slab.");
    int count = 0;
    for (int n = 0; n < MATERIALS * FREQUENCIES * DEPTHS; n++) {
        const int m = n / (FREQUENCIES * DEPTHS), f = n / DEPTHS % FREQUENCIES, d = n % DEPTHS;
        if (!validation.quick || (f % 2 == 1 && d % 2 == 0)) {
            walls[count++] = (struct wall){.material = MATERIAL[m], .gigahertz = GHZ[f], .depth = DEPTH[d]};
        }
    }
#pragma omp parallel for schedule(dynamic)
    for (int n = 0; n < count; n++) {
        wall_try(&walls[n]);
    }
    double worst = 0, told = 0;
    int held = 0, said = 0, before = 0;
    case_text(&validation, "\n| wall | GHz | dB | m | cell [mm] | cells in the wall | forecast [dB] | 0° | 30° | 45° | "
                           "60° | medium as it is |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- "
                           "| --- |\n");
    for (int n = 0; n < count; n++) {
        wall_row(&validation, &walls[n]);
        for (int a = 0; a < ANGLES; a++) {
            const double over = over_gate(walls[n].error[a], walls[n].right[a]),
                         ratio = fabs(walls[n].error[a]) / walls[n].forecast;
            worst = fmax(worst, over);
            told = fmax(told, fmin(over, ratio));
            held += over <= 1;
            said += fmin(over, 0.5 * ratio) <= 1;
            before += over_gate(walls[n].plain[a], walls[n].right[a]) <= 1;
        }
    }
    const double all = ANGLES * count;
    case_figure(&validation, before / all, "share within 0.5 dB or 2 %%, the medium as it is");
    case_figure(&validation, worst, "largest error over 0.5 dB or 2 %%, whichever is more");
    case_gate_between(&validation, held / all, 1, 1, "share within 0.5 dB or 2 %%");
    case_gate_between(&validation, said / all, 1, 1, "share within that or twice the forecast");
    case_figure(&validation, told, "largest error over its gate or the forecast, whichever is more");
    walls_without_loss(&validation);
    return case_end(&validation);
}
