/* A straight wall at any angle through the grid beside a dipole, against the plane wave spectrum of the slab: every
 * angle of incidence and both polarisations at once (physics.md section 9). The wall runs straight through the
 * absorber. */
#include "validation/support/slabs/layered.h"

enum { FREQUENCIES = 3, PLACES = 8 };

static const double CENTRE = 2.4e9, THICKNESS = 0.07, PERMITTIVITY = 2.89, CONDUCTIVITY = 0.002, SOURCE = 0.16;

struct setting {
    const char *scheme, *averaging;
    double tilt, cells; /* rad, cells a wavelength in the wall */
    int along;          /* of the dipole: 0 or 2 */
};

/* Along the wall, across it from its middle, up [m]. */
static const double AT[PLACES][3] = {{0, -0.12, 0.05},    {0.16, -0.14, 0.02}, {-0.2, -0.1, -0.04}, {0.22, -0.18, 0.06},
                                     {0.02, 0.13, -0.05}, {0.18, 0.1, 0.04},   {-0.2, 0.15, 0.02},  {0.1, 0.2, -0.06}};

/* The law has x along the wall, z across it; so its y points down. */
static struct place3 turned(double tilt, struct place3 r)
{
    double c = cos(tilt), s = sin(tilt);
    return (struct place3){c * r.x + s * r.y, -r.z, -s * r.x + c * r.y};
}

/* Ex, Ey, Ez of the grid; places count from the middle of the wall. */
static void law(const struct setting *setting, double frequency, struct place3 from, struct place3 to,
                double complex field[3])
{
    const struct layered wall = {.low = -1e3,
                                 /* nothing there to be reflected from */ .high = -THICKNESS / 2,
                                 .above_count = 1,
                                 .above = {{THICKNESS, PERMITTIVITY, CONDUCTIVITY}}};
    double c = cos(setting->tilt), s = sin(setting->tilt);
    const double part[3] = {setting->along == 0 ? c : 0, setting->along == 0 ? 0 : -1, setting->along == 0 ? -s : 0};
    double complex sum[3] = {0};
    for (int a = 0; a < 3; a++) {
        double complex one[3];
        if (part[a] == 0) {
            continue;
        }
        layered_field(&wall, frequency, a, turned(setting->tilt, from), turned(setting->tilt, to), 24, one);
        for (int n = 0; n < 3; n++) {
            sum[n] += part[a] * one[n];
        }
    }
    field[0] = c * sum[0] - s * sum[2];
    field[1] = s * sum[0] + c * sum[2];
    field[2] = -sum[1];
}

/* ||E - law|| / ||law|| over places, components and frequencies. */
static double wall_error(const struct setting *setting, const char *backend)
{
    const double cell = SPEED_OF_LIGHT / CENTRE / sqrt(PERMITTIVITY) / setting->cells, plan = 6;
    const double c = cos(setting->tilt), s = sin(setting->tilt), frequency[FREQUENCIES] = {2.25e9, 2.4e9, 2.55e9};
    int side = (int)(0.56 / cell), height = (int)(0.24 / cell);
    char text[512];
    snprintf(text, sizeof text,
             "{size: [%g, %g], storey: {height: 4}, walls: [{from: [%.12g, %.12g], to: [%.12g, %.12g], thickness: "
             "%.12g, material: {relative_permittivity: %g, conductivity: %g S/m}}]}",
             plan, plan, plan / 2 - 5 * c, plan / 2 - 5 * s, plan / 2 + 5 * c, plan / 2 + 5 * s, THICKNESS,
             PERMITTIVITY, CONDUCTIVITY);
    /* The wall's middle is 0.27 and 0.41 cells off the nodes of the box's middle. */
    struct place3 middle = {(side / 2 + 0.27) * cell, (side / 2 + 0.41) * cell, height / 2 * cell};
    struct volume volume = {.scheme = setting->scheme,
                            .averaging = setting->averaging,
                            .plan = text,
                            .plan_at = {plan / 2 - middle.x, plan / 2 - middle.y, 1.5},
                            .cell = cell,
                            .cells = {side, side, height},
                            .frequency = CENTRE,
                            .width = 0.3 * CENTRE,
                            .duration = 15e-9,
                            .precision = PW_SINGLE};
    volume_begin(&volume);
    enum component along = (enum component)setting->along;
    struct place3 from = volume_place(&volume, along, (int)((middle.x + SOURCE * s) / cell),
                                      (int)((middle.y - SOURCE * c) / cell), height / 2);
    volume_add_dipole(&volume, along, from, 1);
    struct place3 at[PLACES][3];
    for (int p = 0; p < PLACES; p++) {
        for (int n = 0; n < 3; n++) {
            at[p][n] = volume_place(&volume, (enum component)n, (int)((middle.x + AT[p][0] * c - AT[p][1] * s) / cell),
                                    (int)((middle.y + AT[p][0] * s + AT[p][1] * c) / cell),
                                    (int)((middle.z + AT[p][2]) / cell));
            volume_add_probe(&volume, (enum component)n, at[p][n]);
        }
    }
    volume_solve(&volume, backend);
    double complex field[PLACES * 3 * FREQUENCIES];
    volume_transfer(&volume, FREQUENCIES, frequency, field);
    volume_free(&volume);
    double difference = 0, norm = 0;
    const struct place3 start = {from.x - middle.x, from.y - middle.y, from.z - middle.z};
    for (int n = 0; n < PLACES * 3 * FREQUENCIES; n++) {
        int component = n / FREQUENCIES % 3;
        const struct place3 *there = &at[n / FREQUENCIES / 3][component];
        double complex exact[3];
        law(setting, frequency[n % FREQUENCIES], start,
            (struct place3){there->x - middle.x, there->y - middle.y, there->z - middle.z}, exact);
        difference += pow(cabs(field[n] - exact[component]), 2);
        norm += pow(cabs(exact[component]), 2);
    }
    return sqrt(difference / norm);
}

static void wall_errors(const struct validation *validation, int count, const struct setting *settings, double *error)
{
#pragma omp parallel for schedule(dynamic) num_threads(case_side_by_side(validation, PW_SINGLE, false))
    for (int k = 0; k < count; k++) {
        error[k] = wall_error(&settings[k], validation->backend);
    }
}

enum { TILTS = 4, LINES = 3 };
static const double TILT[TILTS] = {0, 18, 30, 45};
static const struct {
    const char *scheme, *averaging;
} LINE[LINES] = {{"fd4o", "moment"}, {"fd4o", "area"}, {"yee", "area"}};

int main(int argc, char **argv)
{
    struct validation validation = case_begin(
        argc, argv, "volume_tilted", "A wall at an angle in three dimensions",
        "A wall of εr 2.89, 7 cm, and a dipole 16 cm from its middle, upright or lying; eight places before and behind "
        "it, three components, 2.25, 2.4 and 2.55 GHz, against the Sommerfeld integrals of the slab at 7.5 cells per "
        "wavelength in the wall: ‖E − E_exact‖/‖E_exact‖. The wall goes on straight through the absorber, where tilted "
        "faces have no tensor.");
    struct setting settings[LINES * TILTS * 2];
    double error[LINES * TILTS * 2];
    int count = 0;
    for (int line = 0; line < (validation.quick ? 1 : LINES); line++) {
        for (int t = 0; t < TILTS; t++) {
            for (int along = 0; along <= 2 && !(validation.quick && t != 1); along += 2) {
                settings[count++] =
                    (struct setting){LINE[line].scheme, LINE[line].averaging, TILT[t] * M_PI / 180, 7.5, along};
            }
        }
    }
    wall_errors(&validation, count, settings, error);
    FILE *file = case_data(&validation, "tilt");
    for (int k = 0; k < count; k += 2) {
        const struct setting *setting = &settings[k];
        for (int n = 0; n < 2; n++) {
            char name[96];
            snprintf(name, sizeof name, "%s, %s, %g degrees, %s dipole", setting->scheme, setting->averaging,
                     setting->tilt * 180 / M_PI, n ? "upright" : "lying");
            if (strcmp(setting->averaging, "moment") == 0) {
                case_gate(&validation, error[k + n], setting->tilt > 0 ? 0.02 : 0.015, "%s", name);
            } else {
                case_figure(&validation, error[k + n], "%s", name);
            }
        }
        if (k > 0 && settings[k].tilt == 0) {
            fprintf(file, "\n\n");
        }
        if (settings[k].tilt == 0) {
            fprintf(file, "\"%s, %s\"\n", setting->scheme, setting->averaging);
        }
        fprintf(file, "%g %g %g\n", setting->tilt * 180 / M_PI, 100 * error[k], 100 * error[k + 1]);
    }
    case_close(file);
    if (!validation.quick) {
        enum { CELLS = 3 };
        static const double COUNT[CELLS] = {6, 8.5, 12};
        struct setting finer[CELLS];
        double each[CELLS];
        for (int k = 0; k < CELLS; k++) {
            finer[k] = (struct setting){"fd4o", "moment", 18 * M_PI / 180, COUNT[CELLS - 1 - k], 0};
        }
        wall_errors(&validation, CELLS, finer, each);
        double ordered[CELLS] = {each[2], each[1], each[0]};
        case_figure(&validation, -case_slope(CELLS, COUNT, ordered),
                    "fd4o, moment, 18 degrees: order (%.2g at 12 cells)", each[0]);
        case_plot(
            &validation, "tilt",
            "Error of the field before and behind the wall by its angle to the grid, lying dipole (solid) and "
            "upright (dashed)",
            "set xlabel 'tilt [degrees]'\nset ylabel 'complex error [%]'\nset xrange [-2:47]\nset yrange [0:*]\n"
            "plot for [k=0:2] data.'-tilt.dat' index k using 1:2 with linespoints pt 7 ps 0.8 lt (k==0?4:k==1?2:1) "
            "title columnheader(1), for [k=0:2] '' index k using 1:3 with linespoints pt 6 ps 0.8 dt 2 lt "
            "(k==0?4:k==1?2:1) notitle, 2 with lines dt 3 lc rgb '#888888' title 'gate'");
    }
    return case_end(&validation);
}
