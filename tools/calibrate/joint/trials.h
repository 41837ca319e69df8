/* Trials: what a plan with other materials predicts in every cell, many at a time (api/study/variants.h). */
#pragma once

#include "calibrate/joint/cells.h"
#include "calibrate/joint/fit_parameters.h"

/* What a joint fit works on. */
struct fit {
    const pw_result *result;
    const struct cells *cells;
    const pw_joint_options *options;
    const struct fit_parameters *parameters;
    FILE *report;          /* told how far it is; may be NULL */
    int runs, coarse_runs; /* of the scenario, so far; on larger cells, for responses */
    int most_runs;         /* both together */
};

/* One trial: coordinates of the parameters in, predictions out. */
struct trial {
    double coordinates[PW_JOINT_PARAMETERS];
    double *levels, *distances; /* (cells): dBm; 10 lg of m */
    double *by_height;          /* (cells): dB for a metre of receiver height; where the height is fitted */
};

/* Solves and predicts all (count), on cells `coarse` times as large as those of other re-runs. The plan as it was
 * solved is not solved again on cells of the same size. */
pw_status trials_predict(struct fit *fit, struct trial *trials, int count, double coarse, pw_error *error);

/* The plan's parameters at these coordinates, in a scenario. */
pw_status trial_apply(const struct fit_parameters *parameters, const double *coordinates, pw_scenario *scenario,
                      pw_error *error);

/* Memory for a trial; what is in one into another; and away with it. */
void trial_copy(const struct fit *fit, const struct trial *from, struct trial *to);
pw_status trial_create(const struct fit *fit, struct trial *trial, pw_error *error);
void trial_free(struct trial *trial);
