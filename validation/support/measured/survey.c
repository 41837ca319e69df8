/* A measured floor from tables to scores (survey.h). */
#include "validation/support/measured/survey.h"

#include <math.h>

const char *survey_other(int argc, char **argv)
{
    const char *last = argc > 3 ? argv[argc - 1] : "";
    size_t length = strlen(last);
    return length > 4 && strcmp(last + length - 4, ".csv") == 0 ? last : NULL;
}

enum { PATH = 4200 };

static const char *path_of(const struct validation *validation, const char *ending, char path[PATH])
{
    snprintf(path, PATH, "%s/%s%s", validation->folder, validation->name, ending);
    return path;
}

static pw_result *floor_solve(const struct validation *validation, const struct survey *survey)
{
    char path[PATH];
    pw_error error = {{0}};
    pw_scenario *scenario = NULL;
    pw_setup *setup = NULL;
    pw_result *result = NULL;
    const pw_run_options options = {.compute.backend = validation->backend, .force = true};
    case_require(pw_scenario_load(survey->scenario, survey->coarse,
                                  validation->quick ? (size_t)survey->coarse_count : 0, &scenario, &error),
                 error.message);
    case_require(pw_setup_create(scenario, PW_SINGLE, false, &setup, &error), error.message);
    case_require(pw_run(setup, &options, path_of(validation, ".h5", path), &error), error.message);
    case_require(pw_result_open(path, &result, &error), error.message);
    pw_setup_free(setup);
    pw_scenario_free(scenario);
    return result;
}

/* Fits `count` parameters; the residuals of the last fit stay in the folder. */
static void floor_fit(struct validation *validation, const struct survey *survey, const pw_result *result,
                      pw_spreading spreading, const char *const *parameters, int count, pw_joint *joint)
{
    char measured[PATH], other[PATH], residuals[PATH];
    pw_error error = {{0}};
    pw_joint_options options = pw_joint_options_default();
    options.channel.spreading = spreading;
    options.gather = survey->gather;
    options.least_readings = survey->least;
    options.blocks = survey->blocks;
    options.parameters = parameters;
    options.parameter_count = count;
    options.rounds = survey->rounds;
    options.compute.backend = validation->backend;
    const pw_joint_files files = {.measured = path_of(validation, "-readings.csv", measured),
                                  .score = survey->other != NULL ? path_of(validation, "-other.csv", other) : NULL,
                                  .residuals = path_of(validation, "-residuals.csv", residuals)};
    case_require(pw_calibrate_joint(result, &files, &options, stdout, joint, &error), error.message);
    char name[512];
    int used = snprintf(name, sizeof name, "planwave by %s%s", pw_spreading_name(spreading),
                        count == 0 ? ", offsets alone" : "");
    for (int n = 0; n < count && used < (int)sizeof name; n++) {
        used += snprintf(name + used, sizeof name - (size_t)used, ", %s %.3g (%.3g to %.3g)", joint->parameters[n].name,
                         joint->parameters[n].value, joint->parameters[n].low, joint->parameters[n].high);
    }
    floor_tell(validation, name, joint->transmitter_count + count, joint->fitted, joint->crossed, joint->held);
}

/* How many levels of blocks held out lie between P10 and P90 of a new reading, a normal distribution about the
 * prediction whose scatter is that of `planwave uncertainty` on this calibration. Of the fit whose residuals were
 * written last. */
static void interval_tell(struct validation *validation, double scatter)
{
    static const double NINE_OF_TEN = 1.2815515655446004;
    char path[PATH], line[1024], *fields[FLOOR_FIELDS];
    int inside = 0, count = 0;
    FILE *in = fopen(path_of(validation, "-residuals.csv", path), "r");
    case_require(in != NULL ? PW_OK : PW_BAD_INPUT, path);
    while (fgets(line, sizeof line, in) != NULL) {
        if (floor_crossed(line, fields)) {
            inside += fabs(atof(fields[8]) - atof(fields[4])) <= NINE_OF_TEN * scatter;
            count++;
        }
    }
    fclose(in);
    case_require(count > 0 ? PW_OK : PW_BAD_INPUT, "no cell was held out");
    case_gate(validation, (double)inside / count, 0.85, "P10 to P90 of a new reading, by the calibration: holds, of 1");
    case_gate(validation, -(double)inside / count, -0.75, "the same, less its share");
}

static struct floor_scores rule_tell(struct validation *validation, const struct floor_cells *cells,
                                     struct floor_rule rule)
{
    struct floor_scores scores = floor_rule_score(cells, &rule);
    floor_tell(validation, rule.name, scores.numbers, scores.fitted, scores.crossed, scores.scored);
    return scores;
}

static void rules_fit(struct validation *validation, const struct survey *survey, const pw_result *result,
                      struct survey_scores *scores)
{
    char residuals[PATH];
    struct floor_cells cells;
    floor_cells_read(path_of(validation, "-residuals.csv", residuals), result, survey->receiver_height, &cells);
    scores->itu = rule_tell(
        validation, &cells,
        (struct floor_rule){.name = "ITU-R P.1238", .exponent_fixed = true, .exponent = survey->itu_exponent});
    scores->distance_one = rule_tell(validation, &cells, (struct floor_rule){.name = "log-distance, one exponent"});
    scores->distance = rule_tell(
        validation, &cells, (struct floor_rule){.name = "log-distance, an exponent for each", .exponent_each = true});
    scores->walls = rule_tell(validation, &cells,
                              (struct floor_rule){.name = "multi-wall (Motley-Keenan), one exponent", .walls = true});
    scores->walls_most = rule_tell(
        validation, &cells,
        (struct floor_rule){
            .name = "multi-wall (COST 231) and metres inside walls", .walls = true, .walls_root = true, .depth = true});
    free(cells.cells);
}

void survey_run(struct validation *validation, const struct survey *survey, struct survey_scores *scores)
{
    char path[PATH];
    *scores = (struct survey_scores){0};
    survey->convert(survey->measured, path_of(validation, "-readings.csv", path));
    if (survey->other != NULL) {
        survey->convert(survey->other, path_of(validation, "-other.csv", path));
    }
    pw_result *result = floor_solve(validation, survey);
    floor_fit(validation, survey, result, PW_SPREADING_DELAY, NULL, 0, &scores->guessed);
    floor_fit(validation, survey, result, PW_SPREADING_DELAY, survey->levels, survey->level_count, &scores->levelled);
    if (!validation->quick) {
        floor_fit(validation, survey, result, PW_SPREADING_DIFFUSE, NULL, 0, &scores->scattered);
        floor_fit(validation, survey, result, PW_SPREADING_DIFFUSE, survey->levels, survey->level_count,
                  &scores->scattered_levelled);
    }
    if (!validation->quick && survey->parameter_count > survey->level_count) {
        floor_fit(validation, survey, result, PW_SPREADING_DELAY, survey->parameters, survey->parameter_count,
                  &scores->calibrated);
    }
    const pw_joint *last = scores->calibrated.transmitter_count > 0           ? &scores->calibrated
                           : scores->scattered_levelled.transmitter_count > 0 ? &scores->scattered_levelled
                                                                              : &scores->levelled;
    interval_tell(validation, last->interval / 1.959963984540054);
    rules_fit(validation, survey, result, scores);
    pw_result_close(result);
    remove(path_of(validation, ".h5", path));
}

void survey_free(struct survey_scores *scores)
{
    pw_joint_free(&scores->guessed);
    pw_joint_free(&scores->levelled);
    pw_joint_free(&scores->calibrated);
    pw_joint_free(&scores->scattered);
    pw_joint_free(&scores->scattered_levelled);
}
