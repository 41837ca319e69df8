/* The open office with twelve Bluetooth receivers (README.md): mean levels of a beacon at 81 positions against the
 * plan, in blocks of floor that are held out. Other positions may be scored: program BACKEND FOLDER other.csv. */
#include "validation/support/measured/survey.h"

/* The picture's pixels [m], the area's corner in it, and the plan's lower left corner (office.yaml). */
static const double PIXEL = 0.029599, CORNER[2] = {22, 9}, LOWER_LEFT[2] = {8, 740};

/* The data's x runs down the picture, its y to the right. */
static void convert(const char *from, const char *to)
{
    char line[1024], *fields[FLOOR_FIELDS];
    FILE *in = fopen(from, "r"), *out = fopen(to, "w");
    case_require(in != NULL && out != NULL ? PW_OK : PW_BAD_INPUT, from);
    fprintf(out, "transmitter,x,y,height,power\n");
    for (int row = 0; fgets(line, sizeof line, in) != NULL; row++) {
        int count = floor_cut(line, fields);
        case_require(count == 7 ? PW_OK : PW_BAD_INPUT,
                     "a line of positions does not have sensor,x,y,z,packets,rssi_mean,rssi_std");
        if (row > 0) {
            fprintf(out, "%s,%.4f,%.4f,%s,%s\n", fields[0], (CORNER[0] - LOWER_LEFT[0]) * PIXEL + atof(fields[2]),
                    (LOWER_LEFT[1] - CORNER[1]) * PIXEL - atof(fields[1]), fields[3], fields[5]);
        }
    }
    fclose(in);
    case_close(out);
}

int main(int argc, char **argv)
{
    static const char *const coarse[] = {"grid.cell=2.5 cm", "spectra.spacing=2"};
    static const char *const parameters[] = {"slope", "exponent"};
    const struct survey survey = {.scenario = "validation/measured/office/office.yaml",
                                  .measured = "validation/measured/office/rssi.csv",
                                  .other = survey_other(argc, argv),
                                  .convert = convert,
                                  .coarse = coarse,
                                  .coarse_count = 2,
                                  .receiver_height = 1.85,
                                  .blocks = 4.0,
                                  .least = 1,
                                  .levels = parameters,
                                  .level_count = 2,
                                  .parameters = parameters,
                                  .parameter_count = 2,
                                  .rounds = 2,
                                  .itu_exponent = 3.0};
    struct validation validation = case_begin(
        argc, argv, "measured_office", "A measured office",
        "Mean levels of a Bluetooth beacon at 81 positions at twelve receivers (F. S. Daniş and others, CC0), "
        "one offset a receiver; squares of 4 m held out in turn. The protocol and what it does not know: "
        "[measured/README.md](measured/README.md).");
    struct survey_scores scores;
    survey_run(&validation, &survey, &scores);
    const pw_joint *best = &scores.levelled; /* no materials: a fit of them gains 0.03 dB and takes half an hour */
    if (!validation.quick) {
        case_gate(&validation, scores.scattered.crossed.rmse, 4.2, "as guessed, diffuse, dB in blocks held out");
    }
    case_gate(&validation, best->crossed.rmse / scores.distance_one.crossed.rmse, 1.0,
              "calibrated over log-distance with one exponent");
    case_gate(&validation, best->crossed.rmse / scores.distance.crossed.rmse, 1.0,
              "calibrated over log-distance with an exponent for each");
    case_gate(&validation, best->crossed.rmse / scores.walls_most.crossed.rmse, 1.0,
              "calibrated over multi-wall with as many numbers");
    survey_free(&scores);
    return case_end(&validation);
}
