/* The absorber in three dimensions: reflection of plane waves of both polarisations by angle and by R(0), what a long
 * narrow box loses to grazing waves, and late times in single precision with lossy walls run into the layer (physics.md
 * sections 3 and 9). */
#include "validation/support/volume.h"

#include "backend/backend.h"

static const double USUAL = 1.6e-28; /* R(0) that a scenario gets */

enum polarisation { PARALLEL, MEETING }; /* E along the layer's face; H along it */

struct incidence {
    const char *scheme;
    enum polarisation polarisation;
    int across, half_waves; /* cells of the guide; odd: quarter waves between its PMC and PEC ends */
    double angle, reflection;
};

/* |reflected|/|incident| of a mode of a guide along x whose sides are PMC at the low ends and PEC at the high ones: two
 * or four plane waves, all at one angle to x. With k across fixed by the sides, the frequency makes the angle. Three
 * places at equal distances tell the wave number of the grid, E1 + E3 = 2 cos(k d) E2, and so the two waves apart. */
static double reflection_at(const struct incidence *incidence, const char *backend)
{
    const double frequency = 1e9, wavelength = SPEED_OF_LIGHT / frequency, sine = sin(incidence->angle);
    bool meeting = incidence->polarisation == MEETING;
    int across = incidence->across, odd = incidence->half_waves;
    double cells = 4 * across * sine / odd / (meeting ? sqrt(2) : 1),
           apart = nearbyint(cells / (4 * cos(incidence->angle)));
    double spread = 5 / M_PI / ((1 - sine) * frequency); /* s: the pulse is gone at cut-off */
    struct volume volume = {.scheme = incidence->scheme,
                            .cell = wavelength / cells,
                            .cells = {50 + 2 * (int)apart, across, meeting ? across : 2},
                            .frequency = frequency,
                            .width = fmin(0.3 * frequency, 0.683 / spread),
                            .reflection = incidence->reflection,
                            .precision = PW_DOUBLE};
    volume.duration = 9 * 0.683 / volume.width + 30 / (frequency * (1 - sine));
    volume.end[1][0] = END_PMC;
    volume.end[1][1] = volume.end[2][1] = END_PEC;
    volume.end[2][0] = meeting ? END_PMC : END_PEC;
    volume_begin(&volume);
    enum component component = meeting ? COMPONENT_EX : COMPONENT_EZ;
    for (int j = 0; j < across; j++) {
        for (int k = 0; k < volume.cells[2]; k++) {
            double profile = cos(0.5 * M_PI * odd * j / across);
            profile *= meeting ? cos(0.5 * M_PI * odd * k / across) : 1;
            volume_add_dipole(&volume, component, volume_place(&volume, component, 10, j, k), profile);
        }
    }
    double complex e[3];
    for (int p = 0; p < 3; p++) {
        volume_add_probe(&volume, component, volume_place(&volume, component, 30 + p * (int)apart, 0, 0));
    }
    volume_solve(&volume, backend);
    volume_transfer(&volume, 1, &frequency, e);
    volume_free(&volume);
    double complex turn = cexp(-I * cacos((e[0] + e[2]) / (2 * e[1])));
    turn = cimag(turn) > 0 ? 1 / turn : turn; /* onwards: e^{-jkd}, kd below pi */
    return cabs((e[1] - e[0] * turn) / (e[1] - e[0] / turn));
}

enum { ANGLES = 6, DEPTHS = 5 };
static const double DEGREES[ANGLES] = {5, 30, 60, 70, 80, 85};

/* The guide that is about a dozen cells a wavelength wide of enough modes. */
static struct incidence incidence_at(const char *scheme, enum polarisation polarisation, double degrees,
                                     double reflection)
{
    double angle = degrees * M_PI / 180, quarter = 12 / (4 * sin(angle)) * (polarisation == MEETING ? sqrt(2) : 1);
    int odd = 1;
    while (odd * quarter < 8) { /* room for the longest stencil */
        odd += 2;
    }
    return (struct incidence){scheme, polarisation, (int)lround(odd * quarter), odd, angle, reflection};
}

static void gate_angles(struct validation *validation)
{
    static const char *const SCHEMES[] = {"fd4o", "yee", "fd8", "dd4"};
    enum { LINES = 16 };
    double level[LINES];
    int count = validation->quick ? 4 : LINES;
#pragma omp parallel for schedule(dynamic) num_threads(case_side_by_side(validation, PW_DOUBLE, false))
    for (int n = 0; n < count; n++) {
        struct incidence incidence =
            incidence_at(SCHEMES[n / 4], (enum polarisation)(n / 2 % 2), n % 2 ? 80 : 5, USUAL);
        level[n] = 20 * log10(reflection_at(&incidence, validation->backend));
    }
    for (int n = 0; n < count; n++) {
        case_gate(validation, level[n], n % 2 ? -80 : -95, "%s, %s along the face, %d degrees: reflection [dB]",
                  SCHEMES[n / 4], n / 2 % 2 ? "H" : "E", n % 2 ? 80 : 5);
    }
}

/* What the default R(0) was chosen from. */
static void show_depths(struct validation *validation)
{
    static const double EXPONENT[DEPTHS] = {16, 32, 48, 64, 80};
    double level[DEPTHS * ANGLES];
#pragma omp parallel for schedule(dynamic) num_threads(case_side_by_side(validation, PW_DOUBLE, false))
    for (int n = 0; n < DEPTHS * ANGLES; n++) {
        struct incidence incidence = incidence_at("fd4o", PARALLEL, DEGREES[n % ANGLES], exp(-EXPONENT[n / ANGLES]));
        level[n] = 20 * log10(reflection_at(&incidence, validation->backend));
    }
    case_text(validation, "\nReflection [dB] by R(0), fd4o, 16 cells, E along the face:\n\n| ln R(0) |");
    FILE *file = case_data(validation, "angle");
    for (int a = 0; a < ANGLES; a++) {
        case_text(validation, " %g° |", DEGREES[a]);
        fprintf(file, "%g", DEGREES[a]);
        for (int d = 0; d < DEPTHS; d++) {
            fprintf(file, " %.2f", level[d * ANGLES + a]);
        }
        fprintf(file, "\n");
    }
    case_close(file);
    case_text(validation, "\n| --- | --- | --- | --- | --- | --- | --- |\n");
    for (int d = 0; d < DEPTHS; d++) {
        case_text(validation, "| −%g |", EXPONENT[d]);
        for (int a = 0; a < ANGLES; a++) {
            case_text(validation, " %.1f |", level[d * ANGLES + a]);
        }
        case_text(validation, "\n");
    }
    case_plot(validation, "angle",
              "Reflection by angle of incidence and R(0), fd4o, 16 cells, about 12 cells a wavelength",
              "set xlabel 'angle of incidence [degrees]'\nset ylabel 'reflection [dB]'\nset xrange [0:88]\n"
              "array name[5] = ['e^{−16}', 'e^{−32}', 'e^{−48}', 'e^{−64}', 'e^{−80}']\n"
              "plot for [k=1:5] data.'-angle.dat' using 1:(column(k+1)) with linespoints pt 7 ps 0.8 lt k+1 title "
              "name[k]");
}

/* Complex error along the axis of a box of free space that is four wavelengths wide and high and eighty long. */
static double corridor_error(double reflection, const char *backend)
{
    const double frequency = 2.4e9, cell = 0.01;
    struct volume volume = {.scheme = "fd4o",
                            .cell = cell,
                            .cells = {1000, 25, 25},
                            .frequency = frequency,
                            .width = 0.3 * frequency,
                            .reflection = reflection,
                            .duration = 10 / SPEED_OF_LIGHT + 10e-9,
                            .precision = PW_SINGLE};
    volume.end[1][0] = END_PMC;
    volume.end[2][0] = END_PEC;
    volume_begin(&volume);
    struct place3 from = volume_place(&volume, COMPONENT_EZ, 50, 0, 0);
    volume_add_dipole(&volume, COMPONENT_EZ, from, 1);
    enum { PLACES = 9 };
    for (int p = 0; p < PLACES; p++) {
        volume_add_probe(&volume, COMPONENT_EZ, volume_place(&volume, COMPONENT_EZ, 150 + 100 * p, 0, 0));
    }
    volume_solve(&volume, backend);
    double complex field[PLACES];
    volume_transfer(&volume, 1, &frequency, field);
    double worst = 0;
    for (int p = 0; p < PLACES;
         p++) { /* the PEC end under the dipole mirrors it, and the receivers half a cell above */
        double complex direct[6], image[6];
        double distance = (100 + 100 * p) * cell;
        volume_dipole_law(frequency, 2, (struct place3){distance, 0, 0}, direct);
        volume_dipole_law(frequency, 2, (struct place3){distance, 0, cell}, image);
        worst = fmax(worst, cabs(field[p] - direct[2] - image[2]) / cabs(direct[2] + image[2]));
    }
    volume_free(&volume);
    return worst;
}

/* A lossy wall across the box and into the layer on all sides, between air on both: row 1 of the coefficients. */
static void put_wall(struct volume *volume, int first, int last)
{
    struct problem *problem = &volume->problem;
    pw_error error = {{0}};
    double air = problem->coefficients[COEFFICIENT_CB], loss = 0.1 * problem->time_step / (2 * 8.8541878128e-12 * 5);
    free(problem->coefficients);
    case_require(problem_allocate_coefficients(problem, 2, COEFFICIENT_PLAIN_WIDTH, &error), error.message);
    problem_coefficient(problem, 0)[COEFFICIENT_CA] = 1;
    problem_coefficient(problem, 0)[COEFFICIENT_CB] = air;
    problem_coefficient(problem, 1)[COEFFICIENT_CA] = (1 - loss) / (1 + loss);
    problem_coefficient(problem, 1)[COEFFICIENT_CB] = air / (5 * (1 + loss));
    for (int j = first; j < last; j++) {
        for (int i = 0; i < problem->axis[0].count; i++) {
            problem->coefficient_index[j * problem->axis[0].count + i] = 1;
        }
    }
}

/* Energy in single precision after `steps` over that after 4000, which is over its peak `level` [dB]: rounding leaves a
 * little charge behind, whose static field stays. */
static double late_growth(const char *scheme, int64_t steps, int layer, const char *backend, double *level)
{
    struct volume volume = {.scheme = scheme,
                            .cell = 0.02,
                            .cells = {8, 10, 8},
                            .frequency = 1e9,
                            .width = 0.4e9,
                            .layer = layer,
                            .precision = PW_SINGLE,
                            .courant = 0.99};
    volume.duration = 16e-9; /* the whole pulse: a part of it would leave charge behind */
    volume_begin(&volume);
    put_wall(&volume, layer + 6, layer + 9);
    volume_add_dipole(&volume, COMPONENT_EZ, volume_place(&volume, COMPONENT_EZ, 3, 2, 4), 1);
    volume_add_dipole(&volume, COMPONENT_EX, volume_place(&volume, COMPONENT_EX, 3, 2, 4), 1);
    struct problem *problem = &volume.problem;
    struct source *source = &problem->sources[0];
    pw_error error = {{0}};
    double *drive = allocate((size_t)steps, sizeof *drive, "a drive", &error);
    case_require(drive == NULL ? PW_NO_RESOURCE : PW_OK, error.message);
    memcpy(drive, source->drive, (size_t)problem->steps * sizeof *drive);
    free(source->drive);
    source->drive = drive;
    problem->steps = steps;
    const struct backend_options options = {.threads = solve_threads()};
    const struct backend *found = backend_find(backend, &error);
    case_require(found == NULL ? PW_USAGE : PW_OK, error.message);
    struct stepper *stepper = NULL;
    double peak = 0, early = 0, late = 0;
    case_require(stepper_create(found, problem, 0, 1, &options, &stepper, &error), error.message);
    for (int part = 0; part < 20; part++) {
        case_require(stepper_advance(stepper, 200, &error), error.message);
        case_require(stepper_energy(stepper, 0, &early, &error), error.message);
        peak = fmax(peak, early);
    }
    case_require(stepper_advance(stepper, steps - 4000, &error), error.message);
    case_require(stepper_energy(stepper, 0, &late, &error), error.message);
    stepper_destroy(stepper);
    volume_free(&volume);
    *level = 10 * log10(late / peak);
    return late / early;
}

int main(int argc, char **argv)
{
    struct validation validation = case_begin(
        argc, argv, "volume_absorber", "The absorber in three dimensions",
        "Modes of guides that end in 16 cells of absorber, about 12 cells a wavelength: plane waves at one angle, with "
        "E or with H along the layer's face; double precision. A box of free space of 4 × 4 × 80 wavelengths: the "
        "field along its axis, 8 to 72 wavelengths from a dipole, against the closed form (a PMC and a PEC end "
        "quarter it). Late times: a lossy wall between two airs that runs into the layer, single precision: the "
        "energy after 64 000 steps over that after 4000.");
    gate_angles(&validation);
    static const char *const LATE[] = {"fd4o", "yee", "dd4"};
    for (int s = 0; s < (validation.quick ? 1 : 3); s++) {
        int64_t steps = validation.quick ? 16000 : 64000;
        double level, growth = late_growth(LATE[s], steps, validation.quick ? 8 : 12, validation.backend, &level);
        case_gate(&validation, growth, 1, "%s: energy after %d steps over that after 4000", LATE[s], (int)steps);
        case_figure(&validation, level, "%s: energy after %d steps over its peak [dB]", LATE[s], (int)steps);
    }
    if (!validation.quick) {
        case_gate(&validation, corridor_error(USUAL, validation.backend), 0.01, "narrow box, R(0) = 1.6e-28: error");
        case_figure(&validation, corridor_error(exp(-80), validation.backend), "narrow box, R(0) = e^-80: error");
        case_figure(&validation, corridor_error(exp(-16), validation.backend), "narrow box, R(0) = e^-16: error");
        show_depths(&validation);
    }
    return case_end(&validation);
}
