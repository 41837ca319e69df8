/* The furnished flat with six Bluetooth anchors (README.md): readings of a robot's drive against the plan, as guessed
 * and calibrated, in blocks of floor that are held out. Another drive may be scored: program BACKEND FOLDER other.csv.
 */
#include "validation/support/measured/survey.h"

static const double ORIGIN = 0.9, HEIGHT = 1.0; /* m: of the flat's corner in the plan; of the tag, a guess */

static void convert(const char *from, const char *to)
{
    char line[1024], *fields[FLOOR_FIELDS];
    FILE *in = fopen(from, "r"), *out = fopen(to, "w");
    case_require(in != NULL && out != NULL ? PW_OK : PW_BAD_INPUT, from);
    for (int row = 0; fgets(line, sizeof line, in) != NULL; row++) {
        int count = floor_cut(line, fields);
        case_require(count == 8 ? PW_OK : PW_BAD_INPUT, "a line of the drive does not have x,y,rssi_1,...,rssi_6");
        if (row == 0) {
            fprintf(out, "x,y,height");
        } else {
            fprintf(out, "%.4f,%.4f,%g", atof(fields[0]) + ORIGIN, atof(fields[1]) + ORIGIN, HEIGHT);
        }
        for (int n = 2; n < count; n++) {
            fprintf(out, ",%s", fields[n]);
        }
        fputc('\n', out);
    }
    fclose(in);
    case_close(out);
}

/* Cells of each anchor, coloured by what a fit without their block was off. */
static void picture(struct validation *validation)
{
    char path[4200], line[1024], *fields[FLOOR_FIELDS];
    snprintf(path, sizeof path, "%s/%s-residuals.csv", validation->folder, validation->name);
    FILE *in = fopen(path, "r"), *out = case_data(validation, "cells");
    case_require(in != NULL ? PW_OK : PW_BAD_INPUT, path);
    while (fgets(line, sizeof line, in) != NULL) {
        if (floor_crossed(line, fields)) {
            fprintf(out, "%s %s %s %g\n", fields[0], fields[1], fields[2], atof(fields[8]) - atof(fields[4]));
        }
    }
    fclose(in);
    case_close(out);
    out = case_data(validation, "outline");
    in = fopen("validation/measured/flat/walls.csv", "r");
    while (in != NULL && fgets(line, sizeof line, in) != NULL) {
        if (floor_cut(line, fields) == 2 && fields[0][0] != 'x') {
            fprintf(out, "%g %g\n", atof(fields[0]) + ORIGIN, atof(fields[1]) + ORIGIN);
        }
    }
    fclose(in);
    case_close(out);
    case_plot(validation, "cells", "Predicted less measured level of each cell [dB], by a fit without its block of 2 m",
              "set terminal pngcairo size 1200,720 font ',11'\n"
              "set multiplot layout 2,3\nset size ratio -1\nset cbrange [-10:10]\nunset key\n"
              "set palette defined (-10 '#b2182b', -5 '#f4a582', 0 '#f7f7f7', 5 '#92c5de', 10 '#2166ac')\n"
              "set xrange [0.6:10.3]\nset yrange [0.6:8.3]\n"
              "do for [a=1:6] {\nset title sprintf('anchor %d', a)\n"
              "plot data.'-outline.dat' with lines lc rgb '#404040', "
              "data.'-cells.dat' using ($1==a?$2:1/0):3:4 with points pt 5 ps 1.6 palette\n}\nunset multiplot\n");
}

int main(int argc, char **argv)
{
    static const char *const coarse[] = {"grid.cell=2.5 cm", "spectra.spacing=2"};
    static const char *const parameters[] = {"slope", "exponent", "brick:permittivity=2..12",
                                             "brick:conductivity=5mS/m..0.5"};
    const struct survey survey = {.scenario = "validation/measured/flat/flat.yaml",
                                  .measured = "validation/measured/flat/rssi.csv",
                                  .other = survey_other(argc, argv),
                                  .convert = convert,
                                  .coarse = coarse,
                                  .coarse_count = 2,
                                  .receiver_height = HEIGHT,
                                  .gather = 0.5,
                                  .blocks = 2.0,
                                  .least = 3,
                                  .levels = parameters,
                                  .level_count = 2,
                                  .parameters = parameters,
                                  .parameter_count = 4,
                                  .rounds = 8,
                                  .itu_exponent = 2.8};
    struct validation validation = case_begin(
        argc, argv, "measured_flat", "A measured flat",
        "4104 readings of six Bluetooth anchors by a robot (M. Kolakowski, CC BY 4.0), cells of 0.5 m with at least "
        "three "
        "readings, mean power, one offset an anchor; squares of 2 m held out in turn. The protocol and what it does "
        "not "
        "know: [measured/README.md](measured/README.md).");
    struct survey_scores scores;
    survey_run(&validation, &survey, &scores);
    const pw_joint *best = validation.quick ? &scores.levelled : &scores.calibrated;
    if (!validation.quick) {
        case_gate(&validation, scores.guessed.crossed.rmse, 4.4, "as guessed, dB in blocks held out");
        case_gate(&validation, scores.scattered.crossed.rmse, 3.8, "as guessed, diffuse, dB in blocks held out");
        case_gate(&validation, best->crossed.rmse, 3.8, "calibrated, dB in blocks held out");
        case_gate(&validation, best->crossed.rmse / scores.walls_most.crossed.rmse, 1.0,
                  "calibrated over multi-wall with as many numbers");
        case_gate(&validation, -best->crossed.correlation, -0.85, "calibrated, less the correlation there");
    }
    case_gate(&validation, best->crossed.rmse / scores.distance.crossed.rmse, 1.0,
              "calibrated over log-distance with two numbers an anchor");
    picture(&validation);
    survey_free(&scores);
    return case_end(&validation);
}
