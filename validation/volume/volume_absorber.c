/* The absorber in three dimensions: reflection of plane waves of both polarisations by angle and by R(0), what a long
 * narrow box loses to grazing waves, and late times in single precision with lossy walls run into the layer (physics.md
 * sections 3 and 9). */
#include "validation/support/volume.h"

#include "backend/backend.h"

#include <float.h>

static const double USUAL = 0; /* R(0) as a scenario gets it */

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
        case_gate(validation, level[n], n % 2 ? -80 : -100, "%s, %s along the face, %d degrees: reflection [dB]",
                  SCHEMES[n / 4], n / 2 % 2 ? "H" : "E", n % 2 ? 80 : 5);
    }
}

/* What the default R(0) was chosen from. */
static void show_depths(struct validation *validation)
{
    static const double EXPONENT[DEPTHS] = {16, 32, 64, 96, 128};
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
              "array name[5] = ['e^{−16}', 'e^{−32}', 'e^{−64}', 'e^{−96}', 'e^{−128}']\n"
              "plot for [k=1:5] data.'-angle.dat' using 1:(column(k+1)) with linespoints pt 7 ps 0.8 lt k+1 title "
              "name[k]");
}

struct corridor {
    const char *scheme;
    double reflection;
};

/* Largest complex error along the axis of a box of free space that is four wavelengths wide and high and eighty long:
 * against the closed form, and against the closed form whose phase goes with the wave number of the grid along the
 * axis. The second leaves out what the scheme's dispersion does in free space, which over 72 wavelengths is the larger
 * part. */
struct corridor_error {
    double plain, own_wave_number;
};

static struct corridor_error corridor_error(const struct corridor *corridor, const char *backend)
{
    const double frequency = 2.4e9, cell = 0.01;
    struct volume volume = {.scheme = corridor->scheme,
                            .cell = cell,
                            .cells = {1000, 25, 25},
                            .frequency = frequency,
                            .width = 0.3 * frequency,
                            .reflection = corridor->reflection,
                            .duration = 10 / SPEED_OF_LIGHT + 10e-9,
                            .precision = PW_SINGLE};
    volume.end[1][0] = END_PMC;
    volume.end[2][0] = END_PEC;
    volume_begin(&volume);
    volume_add_dipole(&volume, COMPONENT_EZ, volume_place(&volume, COMPONENT_EZ, 50, 0, 0), 1);
    enum { PLACES = 9 };
    for (int p = 0; p < PLACES; p++) {
        volume_add_probe(&volume, COMPONENT_EZ, volume_place(&volume, COMPONENT_EZ, 150 + 100 * p, 0, 0));
    }
    volume_solve(&volume, backend);
    double complex field[PLACES];
    volume_transfer(&volume, 1, &frequency, field);
    double omega = 2 * M_PI * frequency, wave_number = omega / SPEED_OF_LIGHT,
           own = stencil_wave_number(&volume.stencil, cell, 0, omega, 0); /* frequencies are warped: time is exact */
    struct corridor_error error = {0, 0};
    for (int p = 0; p < PLACES; p++) {
        /* The PEC end under the dipole mirrors it, and the receivers half a cell above. */
        double complex direct[6], image[6];
        double distance = (100 + 100 * p) * cell;
        volume_dipole_law(frequency, 2, (struct place3){distance, 0, 0}, direct);
        volume_dipole_law(frequency, 2, (struct place3){distance, 0, cell}, image);
        double complex ratio = field[p] / (direct[2] + image[2]);
        error.plain = fmax(error.plain, cabs(ratio - 1));
        error.own_wave_number = fmax(error.own_wave_number, cabs(ratio * cexp(I * (own - wave_number) * distance) - 1));
    }
    volume_free(&volume);
    return error;
}

static void gate_corridor(struct validation *validation)
{
    static const struct corridor CORRIDORS[] = {{"fd8", USUAL}, {"fd4o", USUAL}, {"fd4o", 1.6e-28}, {"fd4o", 1.1e-7}};
    for (int n = 0; n < 4; n++) {
        const struct corridor *corridor = &CORRIDORS[n];
        struct corridor_error error = corridor_error(corridor, validation->backend);
        char name[64];
        int used = snprintf(name, sizeof name, "narrow box, %s, ", corridor->scheme);
        snprintf(name + used, sizeof name - (size_t)used, corridor->reflection > 0 ? "R(0) = %.2g" : "default R(0)",
                 corridor->reflection);
        if (corridor->reflection > 1e-20) {
            case_figure(validation, error.own_wave_number, "%s: error beside dispersion", name);
            continue;
        }
        case_gate(validation, error.own_wave_number, 0.01, "%s: error beside dispersion", name);
        if (n == 0) {
            case_gate(validation, error.plain, 0.01, "%s: error, dispersion included", name);
        } else {
            case_figure(validation, error.plain, "%s: error, dispersion included", name);
        }
    }
}

/* A lossy wall across the box and into the layer on all sides, between air on both: row 1 of the coefficients. */
static void put_wall(struct volume *volume, int first, int last)
{
    struct problem *problem = &volume->problem;
    pw_error error = {{0}};
    double air = problem->coefficients[COEFFICIENT_CB], loss = 0.1 * problem->time_step / (2 * 8.8541878128e-12 * 5);
    free(problem->coefficients);
    case_require(problem_allocate_coefficients(problem, 2, &error), error.message);
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

/* What is left long after the pulse, from step EARLY on. A little charge stays behind, in single precision by rounding,
 * and its static field with it: nothing takes that away, and every later rounding moves it a little. */
enum { EARLY = 4000, LATE_STEPS = 64000, PARTS = 20 };
struct late {
    double growth; /* largest energy of E at 20 later times over that at step EARLY */
    double drift;  /* by how much its root rose meanwhile, over that of the peak */
    double moving; /* energy of the change of E in one step, at the end over at step EARLY */
    double level;  /* energy of E at the end over its peak [dB] */
};

static double energy_of_a_step(struct stepper *stepper, double *field[2], size_t count)
{
    pw_error error = {{0}};
    double sum = 0;
    case_require(stepper_read_field(stepper, 0, field[0], &error), error.message);
    case_require(stepper_advance(stepper, 1, &error), error.message);
    case_require(stepper_read_field(stepper, 0, field[1], &error), error.message);
    for (size_t n = 0; n < count; n++) {
        sum += pow(field[1][n] - field[0][n], 2);
    }
    return sum;
}

static struct late watch_late(struct problem *problem, const char *backend)
{
    pw_error error = {{0}};
    const struct backend_options options = {.threads = solve_threads()};
    const struct backend *found = backend_find(backend, &error);
    case_require(found == NULL ? PW_USAGE : PW_OK, error.message);
    struct stepper *stepper = NULL;
    size_t count = 3 * (size_t)problem_nodes(problem);
    double peak = 0, early = 0, energy = 0, *field[2];
    for (int n = 0; n < 2; n++) {
        field[n] = allocate(count, sizeof *field[n], "a field", &error);
        case_require(field[n] == NULL ? PW_NO_RESOURCE : PW_OK, error.message);
    }
    struct late late = {0};
    case_require(stepper_create(found, problem, 0, 1, &options, &stepper, &error), error.message);
    for (int part = 0; part < PARTS; part++) {
        case_require(stepper_advance(stepper, EARLY / PARTS, &error), error.message);
        case_require(stepper_energy(stepper, 0, &early, &error), error.message);
        peak = fmax(peak, early);
    }
    double moved = energy_of_a_step(stepper, field, count);
    int64_t part_steps = (problem->steps - EARLY - 2) / PARTS;
    for (int part = 0; part < PARTS; part++) {
        case_require(stepper_advance(stepper, part_steps, &error), error.message);
        case_require(stepper_energy(stepper, 0, &energy, &error), error.message);
        late.growth = energy / early > late.growth || isnan(energy) ? energy / early : late.growth;
    }
    late.moving = energy_of_a_step(stepper, field, count) / moved;
    late.level = 10 * log10(energy / peak);
    late.drift = (sqrt(late.growth) - 1) * sqrt(early / peak);
    stepper_destroy(stepper);
    free(field[0]);
    free(field[1]);
    return late;
}

static struct late solve_late(const char *scheme, pw_precision precision, int64_t steps, int layer, const char *backend)
{
    struct volume volume = {.scheme = scheme,
                            .cell = 0.02,
                            .cells = {8, 10, 8},
                            .frequency = 1e9,
                            .width = 0.4e9,
                            .layer = layer,
                            .precision = precision,
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
    struct late late = watch_late(problem, backend);
    volume_free(&volume);
    return late;
}

/* What is left in single precision drifts: its roundings, those of the layer's filters above all, are the same at every
 * step. A field is known no better than to a rounding of the largest that it has been, 2^-24 of the peak, 2^-53 in
 * double; a rest that rises by less than that in 60 000 steps does not grow. A wave that grows does so by a factor, and
 * passes this in a few thousand steps. Whether waves under that rest grow, double precision tells: what still moves
 * must fall. */
static void gate_late(struct validation *validation)
{
    static const struct {
        const char *scheme;
        pw_precision precision;
        int layer; /* 16 as scenarios get it */
    } RUNS[] = {{"fd4o", PW_SINGLE, 16}, {"fd4o", PW_DOUBLE, 16}, {"yee", PW_SINGLE, 16}, {"yee", PW_DOUBLE, 16},
                {"dd4", PW_SINGLE, 16},  {"dd4", PW_DOUBLE, 16},  {"yee", PW_SINGLE, 12}};
    int64_t steps = validation->quick ? 16000 : LATE_STEPS;
    int count = validation->quick ? 2 : sizeof RUNS / sizeof RUNS[0];
    struct late late[sizeof RUNS / sizeof RUNS[0]];
#pragma omp parallel for schedule(dynamic) num_threads(case_side_by_side(validation, PW_SINGLE, false))
    for (int n = 0; n < count; n++) {
        late[n] = solve_late(RUNS[n].scheme, RUNS[n].precision, steps, validation->quick ? 8 : RUNS[n].layer,
                             validation->backend);
    }
    for (int n = 0; n < count; n++) {
        bool twice = RUNS[n].precision == PW_DOUBLE;
        char name[64];
        snprintf(name, sizeof name, "%s, %s, %d steps", RUNS[n].scheme, twice ? "double" : "single", (int)steps);
        char layer[32] = "";
        if (RUNS[n].layer != 16) {
            snprintf(layer, sizeof layer, ", %d cells of absorber", RUNS[n].layer);
        }
        case_gate(validation, late[n].drift / ((twice ? DBL_EPSILON : FLT_EPSILON) / 2), 1,
                  "%s%s: growth after step %d, in roundings of the peak", name, layer, EARLY);
        case_figure(validation, late[n].growth - 1, "%s%s: growth of the energy", name, layer);
        if (twice) {
            case_gate(validation, 10 * log10(late[n].moving), 0, "%s: growth of what moves after step %d [dB]", name,
                      EARLY);
        } else {
            case_figure(validation, late[n].level, "%s: energy over its peak [dB]", name);
        }
    }
}

int main(int argc, char **argv)
{
    struct validation validation = case_begin(
        argc, argv, "volume_absorber", "The absorber in three dimensions",
        "Modes of guides that end in 16 cells of absorber, about 12 cells a wavelength: plane waves at one angle, with "
        "E or with H along the layer's face; double precision. A box of free space of 4 × 4 × 80 wavelengths: the "
        "field along its axis, 8 to 72 wavelengths from a dipole, against the closed form (a PMC and a PEC end "
        "quarter it), outright and with the grid's own wave number along the axis: fd4o, which is fitted to a band of "
        "30 % here, is 3e-5 too fast, and 72 wavelengths make 1.4 % of that whatever the absorber does. Late times: a "
        "lossy wall between two airs that runs into the layer. What rounding leaves behind is a static field, which "
        "stays; it may drift by less than one rounding of the peak, and waves under it may not grow.");
    gate_angles(&validation);
    gate_late(&validation);
    if (!validation.quick) {
        gate_corridor(&validation);
        show_depths(&validation);
    }
    return case_end(&validation);
}
