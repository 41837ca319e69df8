/* What a joint fit found, in words and in files (joint.h), and pw_calibrate_joint. */
#include "calibrate/joint/joint.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double ALIKE = 0.9; /* correlation of two estimates over which a warning says so */
static const double TOLD = 0.05; /* the readings of a wall tell nothing below that */

/* ---- the summary ---- */

static void score_print(FILE *report, const char *what, pw_calibration_score score)
{
    if (score.count > 0) {
        fprintf(report, "  %-44s %5d cells   RMSE %6.2f dB   correlation %6.3f\n", what, score.count, score.rmse,
                score.correlation);
    }
}

static void below_print(FILE *report, const char *what, pw_joint_below below)
{
    if (below.count > 0) {
        fprintf(report, "  %-44s %5d cells   predicted there: %d\n", what, below.count, below.predicted);
    }
}

/* A wall by itself: its factor, beside what was known of it and what the readings told. */
static void wall_print(const pw_fitted *fitted, FILE *report)
{
    char place[PW_NAME_SIZE + 48], interval[48];
    snprintf(place, sizeof place, "%s at (%.2f, %.2f) m", fitted->material, fitted->x, fitted->y);
    snprintf(interval, sizeof interval, "%.3f to %.3f", fitted->low, fitted->high);
    fprintf(report, "  %-28s %-*s %6.3f   %-18s %3.0f %%%s\n", fitted->name, pw_text_field(place, 40), place,
            fitted->value, interval, 100.0 * fitted->told,
            fitted->told < TOLD ? "; the prior"
            : fitted->at_bound  ? "; at its bound"
                                : "");
}

static void walls_print(const pw_joint *joint, FILE *report)
{
    for (int p = 0; p < joint->parameter_count; p++) {
        const pw_fitted *fitted = &joint->parameters[p];
        const char *what = strrchr(fitted->name, ':');
        bool first = p == 0 || joint->parameters[p - 1].spread == 0.0 ||
                     strcmp(strrchr(joint->parameters[p - 1].name, ':'), what) != 0;
        if (fitted->spread > 0.0 && first) {
            char prior[96];
            snprintf(prior, sizeof prior, "%s by wall; prior: 1, two of three within a factor of %.3g", what + 1,
                     fitted->spread);
            fprintf(report, "%-71s factor   95 %% interval       told\n", prior);
        }
        if (fitted->spread > 0.0) {
            wall_print(fitted, report);
        }
    }
}

/* Walls that the readings tell nothing of. */
static void untold_print(const pw_joint *joint, FILE *report)
{
    int walls = 0, untold = 0;
    for (int p = 0; p < joint->parameter_count; p++) {
        walls += joint->parameters[p].spread > 0.0;
        untold += joint->parameters[p].spread > 0.0 && joint->parameters[p].told < TOLD;
    }
    if (untold > 0 && untold == walls) {
        fprintf(report, "warning: these cells tell nothing about any wall by itself: fit materials alone\n");
    } else if (untold > 0) {
        fprintf(report, "warning: of %d of %d walls these cells tell next to nothing, and they stay with their prior\n",
                untold, walls);
    }
}

static void parameter_print(const struct joint_fit *work, const pw_fitted *fitted, int p, FILE *report)
{
    const struct fit_parameter *parameter = &work->parameters.entries[p];
    const char *unit = parameter->kind == FIT_PLAN     ? pw_parameter_unit(parameter->plan.kind)
                       : parameter->kind == FIT_HEIGHT ? "m"
                       : parameter->kind == FIT_BODY   ? "dB"
                                                       : "1";
    fprintf(report, "  %-*s %9.4g %9.4g %-4s", pw_text_field(fitted->name, 28), fitted->name, fitted->start,
            fitted->value, strcmp(unit, "1") == 0 ? "" : unit);
    if (isnan(fitted->low)) {
        fprintf(report, "  %-24s", "not determined");
    } else {
        char interval[48];
        snprintf(interval, sizeof interval, "%.4g to %.4g", fitted->low, fitted->high);
        fprintf(report, "  %-24s", interval);
    }
    fprintf(report, "%.4g to %.4g%s\n", fitted->least, fitted->most,
            !fitted->felt      ? "; not felt at these places"
            : fitted->at_bound ? "; at its bound"
                               : "");
}

static void warnings_print(const struct joint_fit *work, const pw_joint *joint, FILE *report)
{
    if (joint->alike_first >= 0 && fabs(joint->alike) > ALIKE) {
        fprintf(report,
                "warning: these cells hardly tell %s from %s (correlation of the estimates %.3f): what counts is the "
                "two together\n",
                joint->parameters[joint->alike_first].name, joint->parameters[joint->alike_other].name, joint->alike);
    }
    for (int p = 0; p < joint->parameter_count; p++) {
        const pw_fitted *fitted = &joint->parameters[p];
        if (!fitted->felt) {
            fprintf(report, "warning: the levels hardly depend on %s, which stayed as it was\n", fitted->name);
        } else if (isnan(fitted->low)) {
            fprintf(report, "warning: any %s of the allowed range would do: these cells do not determine it\n",
                    fitted->name);
        }
    }
    untold_print(joint, report);
    if (joint->crossed_alike.count > 0 && joint->crossed_alike.rmse <= joint->crossed.rmse) {
        fprintf(report, "warning: in blocks that are held out, every wall as its material predicts as well\n");
    }
    if (!work->converged) {
        fprintf(report, "warning: after %d rounds the fit still moves; allow more rounds\n", work->fit.options->rounds);
    }
    if (joint->fold_count == 0) {
        fprintf(report,
                "warning: all cells lie in %d blocks, too few to hold any out: how well the fit predicts is "
                "not known\n",
                joint->block_count);
    } else if (joint->distance_crossed.rmse <= joint->crossed.rmse) {
        fprintf(report, "warning: in blocks that are held out, a line in the logarithm of distance predicts as well\n");
    }
}

static void stations_print(const pw_joint *joint, FILE *report)
{
    fprintf(report, "by transmitter%*soffset     error   fitted  held-out blocks%s\n", 18, "",
            joint->held_count > 0 ? "   scored" : "");
    for (int s = 0; s < joint->transmitter_count; s++) {
        const pw_joint_transmitter *one = &joint->transmitters[s];
        fprintf(report, "  %-*s %7.2f dB", pw_text_field(one->name, 26), one->name, one->offset);
        if (one->fitted.count > 0) {
            fprintf(report, " %6.2f dB %6.2f dB %8.2f dB", one->offset_error, one->fitted.rmse, one->crossed.rmse);
        } else {
            fprintf(report, "%*s", 32, "");
        }
        if (one->held.count > 0) {
            fprintf(report, " %8.2f dB", one->held.rmse);
        }
        if (one->fitted.count == 0) {
            fputs("  not fitted: the mean of the others' offsets", report);
        }
        fputc('\n', report);
    }
}

static void devices_print(const pw_joint *joint, FILE *report)
{
    fputs(joint->device_count > 1 ? "by device, beside the first\n" : "", report);
    for (int d = 1; d < joint->device_count; d++) {
        const pw_joint_device *one = &joint->devices[d];
        fprintf(report, "  %-*s %7.2f dB %6.2f dB\n", pw_text_field(one->name, 26), one->name, one->offset,
                one->offset_error);
    }
}

void joint_print(const struct joint_fit *work, const pw_joint *joint, const char *path, FILE *report)
{
    static const char *const kinds[] = {"an offset for each", "one offset for all", "no offset"};
    const pw_joint_options *options = work->fit.options;
    char title[96];
    fprintf(report, "%d readings of %d transmitters in %s, in %d cells", joint->reading_count, joint->transmitter_count,
            path, joint->cell_count);
    if (options->gather > 0.0) {
        fprintf(report, " of %g m (mean %s)", options->gather, options->mean_of_levels ? "of dB" : "power");
    }
    fprintf(report, "; %s", kinds[options->offsets]);
    if (joint->runs + joint->coarse_runs > 0) {
        fprintf(report, "; %d re-runs", joint->runs + joint->coarse_runs);
    }
    if (joint->coarse_runs > 0) {
        fprintf(report, ", %d of them on cells %.3g times as large", joint->coarse_runs, joint->coarse_cells);
    }
    fputc('\n', report);
    if (joint->parameter_count > 0 && joint->parameters[0].spread == 0.0) {
        fprintf(report, "fitted%28s     start     value       95 %% interval           allowed\n", "");
    }
    for (int p = 0; p < joint->parameter_count; p++) {
        if (joint->parameters[p].spread == 0.0) {
            parameter_print(work, &joint->parameters[p], p, report);
        }
    }
    walls_print(joint, report);
    fprintf(report, "scores\n");
    score_print(report, "with offsets alone, as solved", joint->before);
    score_print(report, "fitted", joint->fitted);
    snprintf(title, sizeof title, "blocks of %g m held out, in %d folds", options->blocks, joint->fold_count);
    score_print(report, title, joint->crossed);
    score_print(report, "  with every wall as its material", joint->crossed_alike);
    below_print(report, "  below the sensitivity", joint->below_crossed);
    score_print(report, "readings that were not fitted", joint->held);
    below_print(report, "  below the sensitivity", joint->below_held);
    score_print(report, "transmitters that were not fitted", joint->strangers);
    score_print(report, "a line in lg distance for each: fitted", joint->distance_fitted);
    score_print(report, "  blocks held out", joint->distance_crossed);
    score_print(report, "  readings that were not fitted", joint->distance_held);
    if (joint->fold_count > 0) {
        fprintf(report, "a level at a new place: within %.1f dB of the fitted one in 19 of 20\n", joint->interval);
    }
    stations_print(joint, report);
    devices_print(joint, report);
    warnings_print(work, joint, report);
}

/* ---- files ---- */

pw_status joint_write_residuals(const struct joint_fit *work, const pw_joint *joint, const char *path, pw_error *error)
{
    char step[PW_SPREADING_SIZE];
    FILE *file = pw_file_create(path, error);
    TRY_MADE(file);
    fprintf(file,
            "# planwave %s: cells of readings against the joint fit of %d transmitters; from 2D to 3D: %s\n"
            "# crossed: predicted by a fit without the cell's block; fitted: 0 not part of the fit, 1 used in it;\n"
            "# below: 1 measured_dBm is the sensitivity, and what came was less\n"
            "transmitter,x_m,y_m,readings,measured_dBm,predicted_dBm,calibrated_dBm,error_dB,crossed_dBm,block,fold,"
            "fitted,below\n",
            PW_VERSION, joint->transmitter_count,
            pw_channel_spreading_text(work->fit.result, -1, INFINITY, &work->fit.options->channel, step));
    for (int n = 0; n < work->cells.count; n++) {
        const struct cell *cell = &work->cells.cells[n];
        pw_csv_write(file, "%s,%.9g,%.9g,%d,%.6f,%.6f,%.6f,%.6f,% .6f,%d,%d,%d,%d\n",
                     work->cells.stations[cell->station].name, cell->x, cell->y, cell->readings, cell->level,
                     work->base.levels[n], work->values[n], work->values[n] - cell->level, work->crossed[n],
                     cell->held ? -1 : cell->block, cell->fold, !cell->held, cell->below);
    }
    return pw_file_finish(file, path, error);
}

/* Mean of fitted less predicted level of a station: its offset, and what slope and exponent make of its mean. */
static double station_shift(const struct joint_fit *work, int station)
{
    double sum = 0.0, count = 0.0;
    for (int n = 0; n < work->cells.count; n++) {
        if (work->cells.cells[n].station == station && !work->cells.cells[n].held) {
            sum += work->values[n] - work->base.levels[n];
            count++;
        }
    }
    return count > 0 ? sum / count : 0.0;
}

static pw_status scenario_change(const struct joint_fit *work, const pw_joint *joint, pw_scenario *scenario,
                                 pw_error *error)
{
    TRY(trial_apply(&work->parameters, work->solution.coordinates, scenario, error));
    if (work->parameters.plan_count > 0) { /* other walls may need smaller time steps */
        pw_scenario_open_steps(scenario, pw_result_describe(work->fit.result).time_step);
    }
    for (int s = 0; s < work->cells.station_count; s++) {
        int transmitter = pw_scenario_find_transmitter(scenario, work->cells.stations[s].name);
        if (transmitter >= 0) {
            pw_scenario_add_power(scenario, transmitter, station_shift(work, s));
        }
    }
    if (joint->fold_count > 0 && joint->interval > 0.0) {
        pw_scenario_set_level_interval(scenario, joint->interval);
    }
    return PW_OK;
}

static pw_status scenario_put(const pw_joint *joint, const char *text, const char *path, pw_error *error)
{
    FILE *file = pw_file_create(path, error);
    TRY_MADE(file);
    fprintf(file,
            "# planwave %s: fitted to %d cells of readings; the powers of transmitters hold the offsets, with\n"
            "# what the receivers add to them.\n",
            PW_VERSION, joint->cell_count);
    for (int p = 0; p < joint->parameter_count; p++) {
        const pw_fitted *fitted = &joint->parameters[p];
        bool plan = strchr(fitted->name, ':') != NULL;
        fprintf(file, "# %s %s%.6g, 95 %% interval %.6g to %.6g%s\n", fitted->name,
                fitted->spread > 0.0 ? "times " : "", fitted->value, fitted->low, fitted->high,
                plan ? "" : "; no key of a scenario, and not part of this one");
    }
    fputs(text, file);
    return pw_file_finish(file, path, error);
}

pw_status joint_write_scenario(const struct joint_fit *work, const pw_joint *joint, const char *path, pw_error *error)
{
    char *text = NULL, *fitted = NULL;
    pw_scenario *scenario = NULL;
    TRY(pw_result_scenario(work->fit.result, &text, error));
    pw_status status = pw_scenario_parse(pw_result_path(work->fit.result), text, NULL, 0, &scenario, error);
    THEN(status, scenario_change(work, joint, scenario, error));
    THEN(status, pw_scenario_write(scenario, path, &fitted, error));
    THEN(status, scenario_put(joint, fitted, path, error));
    free(fitted);
    pw_scenario_free(scenario);
    free(text);
    return status;
}
