/* Numerical dispersion: the phase velocity that modes of PEC boxes show, against angle and cells per wavelength, for
 * every scheme, and the dispersion relation (physics.md section 2) solved for it. */
#include "validation/support/mode.h"

/* v/c - 1 at 6.25 cells a wavelength, time step to zero and half the Courant limit, along the axis and the diagonal, as
 * computed outside this project's code, two digits; rows in the order of enum scheme. */
static const double OUTSIDE[][4] = {{-4.6e-2, -2.2e-2, -4.0e-2, -1.7e-2}, {4.0e-3, 1.2e-3, 9.3e-3, 6.5e-3},
                                    {2.0e-3, 2.9e-4, 7.2e-3, 5.6e-3},     {5.7e-4, 4.4e-5, 5.8e-3, 5.3e-3},
                                    {-4.6e-3, -1.2e-3, 7.6e-4, 4.1e-3},   {-6.4e-4, -8.5e-5, 4.7e-3, 5.2e-3},
                                    {-1.0e-4, -7e-6, 5.2e-3, 5.3e-3}};

/* The box whose mode travels at about `angle` with about `cells` per wavelength. */
static struct mode choose_mode(const char *scheme, double cells, double angle)
{
    double tx = 2 * M_PI / cells * cos(angle), ty = 2 * M_PI / cells * sin(angle);
    struct mode mode = {scheme, 0.5, 0, 0, 8, 8};
    mode.n = angle < 0.05 ? 1 : 8;
    mode.nx = (int)nearbyint(mode.m * M_PI / tx);
    mode.ny = angle < 0.05 ? 400 : (int)nearbyint(mode.n * M_PI / ty);
    return mode;
}

static void compare_outside(struct validation *validation)
{
    const double cell = 299792458.0 / 6.25e9; /* 1 GHz */
    double omega = 2 * M_PI * 1e9, worst = 0;
    for (size_t s = 0; s < sizeof OUTSIDE / sizeof *OUTSIDE; s++) {
        struct stencil stencil = stencil_get((enum scheme)s, &STENCIL_USUAL_BAND);
        for (int k = 0; k < 4; k++) {
            double dt = k < 2 ? 0 : 0.5 * cell / (SPEED_OF_LIGHT * sqrt(2));
            double number = stencil_wave_number(&stencil, cell * 1e0, dt, omega, k % 2 == 0 ? 0 : M_PI / 4);
            double error = omega / (SPEED_OF_LIGHT * number) - 1;
            /* Half a unit in the second digit is 5 % of a leading one. */
            worst = fmax(worst, fabs(error / OUTSIDE[s][k] - 1));
        }
    }
    case_gate(validation, worst, 0.06, "velocity errors against a table from outside, two digits, largest ratio - 1");
}

int main(int argc, char **argv)
{
    static const double CELLS[] = {4, 5, 6.25, 8, 10, 12, 15, 20};
    struct validation validation = case_begin(
        argc, argv, "dispersion", "Numerical dispersion",
        "Phase velocity of modes measured in PEC boxes, by angle and cells per wavelength (at half the Courant "
        "limit, and with warping, which is the limit of small time steps), against the wave number that the "
        "dispersion relation gives at the measured frequency.");
    FILE *axis = case_data(&validation, "axis"), *diagonal = case_data(&validation, "diagonal");
    for (int s = 0; s < SCHEME_COUNT; s++) {
        const char *scheme = scheme_name((enum scheme)s);
        double worst = 0;
        fprintf(axis, "\"%s\"\n", scheme);
        fprintf(diagonal, "\"%s\"\n", scheme);
        for (int c = 0; c < 8; c++) {
            for (int a = 0; a <= 4; a += validation.quick ? 4 : 1) {
                struct mode mode = choose_mode(scheme, CELLS[c], a * M_PI / 16);
                struct mode_outcome outcome = mode_run(&mode, validation.backend);
                double angle = atan2(M_PI * mode.n / mode.ny, M_PI * mode.m / mode.nx);
                double law = stencil_wave_number(&outcome.stencil, 0.01, outcome.time_step, outcome.measured, angle);
                worst = fmax(worst, fabs(law / outcome.wave_number - 1));
                double free = SPEED_OF_LIGHT * outcome.wave_number;
                if (a % 4 == 0) {
                    fprintf(a == 0 ? axis : diagonal, "%.4g %.6g %.6g\n", 2 * M_PI / (outcome.wave_number * 0.01),
                            fabs(outcome.measured / free - 1), fabs(outcome.in_space / free - 1));
                }
            }
        }
        fprintf(axis, "\n\n");
        fprintf(diagonal, "\n\n");
        case_gate(&validation, worst, 1e-10, "%s: measured wave number against the dispersion relation", scheme);
    }
    case_close(axis);
    case_close(diagonal);
    compare_outside(&validation);
    case_plot(
        &validation, "angle",
        "Velocity error against cells per wavelength: along the axis (solid) and the diagonal (dashed); left as "
        "stepped at half the Courant limit, right with warping",
        "set multiplot layout 1,2\nset logscale xy\nset xlabel 'cells per wavelength'\nset ylabel '|v/c - 1|'\n"
        "set xrange [3.8:21]\nset yrange [1e-9:0.3]\nset format y '10^{%T}'\nset xtics (4,5,6,8,10,12,15,20)\n"
        "set key inside bottom left samplen 2\nset title 'not warped'\n"
        "plot for [k=0:6] data.'-axis.dat' index k using 1:2 with lines lt k+1 title columnheader(1), "
        "for [k=0:6] data.'-diagonal.dat' index k using 1:2 skip 1 with lines lt k+1 dt 2 notitle\n"
        "set title 'warped'\nunset key\n"
        "plot for [k=0:6] data.'-axis.dat' index k using 1:3 with lines lt k+1 title columnheader(1), "
        "for [k=0:6] data.'-diagonal.dat' index k using 1:3 skip 1 with lines lt k+1 dt 2 notitle\nunset multiplot");
    return case_end(&validation);
}
