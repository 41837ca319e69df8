/* A dipole over a conducting plate and between two: image theory and the modes of the gap. The plates are PEC ends of
 * the grid, and a PMC end halves the room where the field is symmetric (physics.md section 9). */
#include "validation/support/volume.h"

enum { MAST = 40, MASTS = 2, SET_COUNT = 3 };

static const double FREQUENCY = 1e9;

enum set { UPRIGHT, ACROSS, BETWEEN };
static const char *const SET_NAMES[] = {"upright over a plate", "lying over a plate", "upright between plates"};

struct mast {
    int count;
    double height[MAST];        /* m */
    double complex field[MAST]; /* measured */
    double complex law[MAST];
};

/* K0(x) = integral of exp(-x cosh t) over t > 0; the trapezoidal rule converges geometrically. */
static double bessel_k0(double x)
{
    double sum = 0.5 * exp(-x);
    for (int n = 1; n < 400; n++) {
        sum += exp(-x * cosh(n * 0.02));
    }
    return 0.02 * sum;
}

/* Ez of an upright dipole between plates `gap` apart: the modes of the gap, each a line source of its own wave number.
 */
static double complex between(double gap, double from, double to, double distance)
{
    double k = 2 * M_PI * FREQUENCY / SPEED_OF_LIGHT;
    double complex sum = 0;
    for (int m = 0; m < 60; m++) {
        double up = m * M_PI / gap, square = k * k - up * up, across = sqrt(fabs(square)) * distance;
        double complex wave = square > 0 ? solve_hankel(across) : 2 * I / M_PI * bessel_k0(across);
        sum += (m == 0 ? 1 : 2) * (square / (k * k)) * cos(up * from) * cos(up * to) * wave;
    }
    return -2 * M_PI * FREQUENCY * 4e-7 * M_PI / (4 * gap) * sum;
}

static double complex over_plate(enum component along, struct place3 from, struct place3 to)
{
    double complex direct[6], image[6];
    volume_dipole_law(FREQUENCY, (int)along, (struct place3){to.x - from.x, to.y - from.y, to.z - from.z}, direct);
    volume_dipole_law(FREQUENCY, (int)along, (struct place3){to.x - from.x, to.y - from.y, to.z + from.z}, image);
    return direct[along] + (along == COMPONENT_EZ ? 1 : -1) * image[along];
}

static void solve_set(const char *scheme, double cells, enum set set, const char *backend, struct mast masts[MASTS])
{
    const double wavelength = SPEED_OF_LIGHT / FREQUENCY, cell = wavelength / cells;
    int gap = (int)lround(2.3 * cells), half = (int)lround(1.7 * cells);
    struct volume volume = {.scheme = scheme,
                            .cell = cell,
                            .cells = {(int)(4 * cells), set == ACROSS ? 2 * half : half, gap},
                            .frequency = FREQUENCY,
                            .width = 0.2 * FREQUENCY,
                            .duration = (set == BETWEEN ? 150 : 60) / FREQUENCY,
                            .precision = PW_DOUBLE};
    volume.end[2][0] = END_PEC;
    volume.end[2][1] = set == BETWEEN ? END_PEC : END_ABSORBER;
    volume.end[1][0] = set == ACROSS ? END_ABSORBER : END_PMC;
    volume_begin(&volume);
    enum component along = set == ACROSS ? COMPONENT_EY : COMPONENT_EZ;
    int middle = set == ACROSS ? half : 0, start = (int)(0.4 * cells);
    struct place3 from = volume_place(&volume, along, start, middle, (int)(1.4 * cells));
    volume_add_dipole(&volume, along, from, 1);
    for (int m = 0; m < MASTS; m++) {
        for (int k = set == ACROSS ? 1 : 0; k < gap && k < MAST; k++) {
            struct place3 at =
                volume_place(&volume, along, start + (int)lround((m == 0 ? 1.5 : 3.4) * cells), middle, k);
            volume_add_probe(&volume, along, at);
            masts[m].height[masts[m].count] = at.z;
            masts[m].law[masts[m].count++] =
                set == BETWEEN ? between(gap * cell, from.z, at.z, at.x - from.x) : over_plate(along, from, at);
        }
    }
    volume_solve(&volume, backend);
    double complex field[MASTS * MAST];
    volume_transfer(&volume, 1, &FREQUENCY, field);
    for (int m = 0; m < MASTS; m++) {
        memcpy(masts[m].field, field + (m == 0 ? 0 : masts[0].count), (size_t)masts[m].count * sizeof *field);
    }
    volume_free(&volume);
}

/* Heights of the minima of |E|, by a parabola through three samples of |E|^2. */
static int find_nulls(const struct mast *mast, const double complex *field, double *null, int limit)
{
    int count = 0;
    for (int k = 1; k < mast->count - 1 && count < limit; k++) {
        double low = pow(cabs(field[k - 1]), 2), here = pow(cabs(field[k]), 2), high = pow(cabs(field[k + 1]), 2);
        if (here < low && here <= high) {
            double step = mast->height[k + 1] - mast->height[k];
            null[count++] = mast->height[k] + 0.5 * (low - high) / (low - 2 * here + high) * step;
        }
    }
    return count;
}

static void show(struct validation *validation, const char *title, bool gated, const struct mast masts[MASTS])
{
    double difference = 0, norm = 0, shift = 0;
    for (int m = 0; m < MASTS; m++) {
        double found[8], wanted[8], step = masts[m].height[1] - masts[m].height[0];
        for (int k = 0; k < masts[m].count; k++) {
            difference += pow(cabs(masts[m].field[k] - masts[m].law[k]), 2);
            norm += pow(cabs(masts[m].law[k]), 2);
        }
        int count = find_nulls(&masts[m], masts[m].field, found, 8);
        int expected = find_nulls(&masts[m], masts[m].law, wanted, 8);
        shift = count == expected && count > 0 ? shift : NAN;
        for (int n = 0; n < count && n < expected; n++) {
            shift = fmax(shift, fabs(found[n] - wanted[n]) / step);
        }
    }
    if (gated) {
        case_gate(validation, sqrt(difference / norm), 0.01, "%s: complex error", title);
        case_gate(validation, shift, 0.5, "%s: farthest null off [cells]", title);
    } else {
        case_figure(validation, sqrt(difference / norm), "%s: complex error", title);
        case_figure(validation, shift, "%s: farthest null off [cells]", title);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *scheme;
        double cells;
        bool gated;
    } SCHEMES[] = {{"fd4o", 12, true}, {"fd8", 12, true}, {"dd4", 12, true}, {"fd4", 16, true}, {"yee", 16, false}};
    enum { SCHEME_LIMIT = sizeof SCHEMES / sizeof SCHEMES[0] };
    struct validation validation = case_begin(
        argc, argv, "plates", "A dipole over and between conducting plates",
        "A Hertzian dipole 1.4 wavelengths over a plate, upright and lying, against itself and its image; and upright "
        "between two plates 2.3 wavelengths apart, against the modes of the gap. Two masts, 1.5 and 3.4 wavelengths "
        "away, at 1 GHz: ‖E − E_exact‖/‖E_exact‖ of the component along the dipole, and the nulls along the masts.");
    static struct mast masts[SCHEME_LIMIT * SET_COUNT][MASTS];
    int count = SET_COUNT * (validation.quick ? 1 : SCHEME_LIMIT);
#pragma omp parallel for schedule(dynamic) num_threads(case_side_by_side(&validation, PW_DOUBLE, false))
    for (int n = 0; n < count; n++) {
        solve_set(SCHEMES[n / SET_COUNT].scheme, SCHEMES[n / SET_COUNT].cells, (enum set)(n % SET_COUNT),
                  validation.backend, masts[n]);
    }
    FILE *file = case_data(&validation, "mast");
    for (int n = 0; n < count; n++) {
        char title[96];
        snprintf(title, sizeof title, "%s, %g cells, %s", SCHEMES[n / SET_COUNT].scheme, SCHEMES[n / SET_COUNT].cells,
                 SET_NAMES[n % SET_COUNT]);
        show(&validation, title, SCHEMES[n / SET_COUNT].gated, masts[n]);
        for (int k = 0; n < SET_COUNT && k < masts[n][1].count; k++) {
            const struct mast *mast = &masts[n][1];
            fprintf(file, "%g %g %g\n", mast->height[k], 20 * log10(cabs(mast->law[k])),
                    20 * log10(cabs(mast->field[k])));
        }
        fprintf(file, "\n\n");
    }
    case_close(file);
    if (!validation.quick) {
        case_plot(&validation, "mast", "Level along the farther mast, fd4o at 12 cells a wavelength",
                  "set xlabel 'height over the plate [m]'\nset ylabel '|E| of 1 A m [dB V/m]'\n"
                  "array name[3] = ['upright, one plate', 'lying, one plate', 'upright, two plates']\n"
                  "plot for [k=0:2] data.'-mast.dat' index k using 1:2 with lines lw 4 lc rgb '#cccccc' notitle, "
                  "for [k=0:2] '' index k using 1:3 with linespoints pt 7 ps 0.5 lt (k==0?4:k==1?2:3) title name[k+1], "
                  "NaN with lines lw 4 lc rgb '#cccccc' title 'closed form'");
    }
    return case_end(&validation);
}
