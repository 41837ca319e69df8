/* A joint fit: a batch of runs with one parameter changed each, then rounds of a robust solution of the linear problem
 * that they make and a run of the step, which corrects what they said; then intervals, and scores by blocks held out.
 */
#ifndef JOINT_H
#define JOINT_H

#include "calibrate/joint/linear.h"

/* A fit with what it found; joint_close frees it. */
struct joint_fit {
    struct fit fit;
    struct fit_parameters parameters;
    struct cells cells;
    struct trial base;
    double *responses;                    /* (parameters, cells), owned */
    double known_at[PW_JOINT_PARAMETERS]; /* coordinates of the trial that runs told the responses of */
    struct linear linear;
    struct solution solution;
    double *values;          /* (cells), owned: fitted level [dBm]; of held cells by the same solution */
    double *crossed;         /* (cells), owned: by a fit without the cell's block; NAN of held cells */
    bool converged, refined; /* the rounds have ended; by a step that was too small to be run */
};

pw_status joint_fit(const pw_result *result, const struct readings *readings, const pw_joint_options *options,
                    FILE *report, struct joint_fit *work, pw_joint *joint, pw_error *error);
void joint_close(struct joint_fit *work);

/* Fills the scores of `joint`, of the transmitters too; joint_scores.c. */
pw_status joint_score(struct joint_fit *work, pw_joint *joint, pw_error *error);

/* Summary, residuals and scenario; joint_write.c. */
void joint_print(const struct joint_fit *work, const pw_joint *joint, const char *path, FILE *report);
pw_status joint_write_residuals(const struct joint_fit *work, const pw_joint *joint, const char *path, pw_error *error);
pw_status joint_write_scenario(const struct joint_fit *work, const pw_joint *joint, const char *path, pw_error *error);

#endif
