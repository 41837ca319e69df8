/* A joint fit: a batch of runs with one parameter changed each, then rounds of a robust solution of the linear problem
 * that they make and a run of the step, which corrects what they said; then intervals, and scores by blocks held out.
 * On request the runs are on larger cells: their levels are moved to those of a re-run where the fit stands, and along
 * the steps between re-runs to what these say of the way, until a re-run would say the same (space mapping, J. W.
 * Bandler et al., IEEE Trans. Microw. Theory Tech. 52 (2004) 337; manifold mapping, D. Echeverria, P. W. Hemker,
 * Comput. Methods Appl. Math. 5 (2005) 107). */
#pragma once

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
    double *values;              /* (cells), owned: fitted level [dBm]; of held cells by the same solution */
    double *crossed;             /* (cells), owned: by a fit without the cell's block; NAN of held cells */
    bool converged, refined;     /* the rounds have ended; by a step that was too small to be run */
    double coarse, first_coarse; /* cells of the runs that fit, over those of re-runs; at first */
    double *shift;               /* (cells), owned: dB from their levels to those of a re-run at `shift_at` */
    double *tilt;                /* (parameters, cells), owned: what a step from there adds to the shift [dB] */
    double shift_at[PW_JOINT_PARAMETERS];
    double gain, gain_before; /* of losses, that a fit which stands on a re-run promised: the last and the one before */
    bool first;               /* no re-run but that of the start has said how far larger cells are off */
    bool exact;               /* the base's levels are those of a re-run, and not of larger cells */
};

pw_status joint_fit(const pw_result *result, const struct readings *readings, const pw_joint_options *options,
                    FILE *report, struct joint_fit *work, pw_joint *joint, pw_error *error);
void joint_close(struct joint_fit *work);

static inline const struct fit_parameter *parameter_at(const struct joint_fit *work, int p)
{
    return &work->parameters.entries[p];
}

/* Of plan and height. */
static inline bool is_stepped(const struct joint_fit *work, int p)
{
    return parameter_at(work, p)->kind <= FIT_HEIGHT;
}

/* responses.c: trials (count) at the base's coordinates; predictions of all, on the cells of responses as long as these
 * can be solved. */
struct trial *trials_create(const struct joint_fit *work, int count, pw_error *error);
void trials_free(struct trial *trials, int count);
pw_status trials_solve(struct joint_fit *work, struct trial *trials, int count, pw_error *error);
/* The levels of larger cells are moved to those of the base, which are a re-run's. */
pw_status shift_find(struct joint_fit *work, pw_error *error);
/* The base is on larger cells, and `fine` is a re-run there; `last` is the re-run before it. The two say how the shift
 * changes on the way. `moved`: the shift is that of `fine` from now on. */
void shift_correct(struct joint_fit *work, const struct trial *last, const struct trial *fine, bool moved);
/* One run for each parameter of the plan, as one batch; after a step what it changed; and how far off, in steps of the
 * runs that told them, the responses are from. */
pw_status responses_fill(struct joint_fit *work, pw_joint *joint, pw_error *error);
void responses_correct(struct joint_fit *work, const struct trial *old);
double responses_age(const struct joint_fit *work);

/* Fills the scores of `joint`, of the transmitters too; joint_scores.c. */
pw_status joint_score(struct joint_fit *work, pw_joint *joint, pw_error *error);

/* Summary, residuals and scenario; joint_write.c. */
void joint_print(const struct joint_fit *work, const pw_joint *joint, const char *path, FILE *report);
pw_status joint_write_residuals(const struct joint_fit *work, const pw_joint *joint, const char *path, pw_error *error);
pw_status joint_write_scenario(const struct joint_fit *work, const pw_joint *joint, const char *path, pw_error *error);
