/* Joint fits (joint.h): the rounds, and what is known of the parameters at their end. */
#include "calibrate/joint/joint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHORTER = 2 }; /* steps that are tried where a whole one does not gain: half, a quarter */
enum { PASSES = 4 };  /* of fits on larger cells, with a re-run behind each */
static const double COARSEST = 2.0, CELLS_LEAST = 2.6; /* times; in the shortest wave, where cells may become larger */
static const double PLAN_REACH[PW_PARAMETER_KIND_COUNT] = {0.405, 1.2, 0.405, 1.2}; /* of a round */
static const double HEIGHT_REACH = 0.5;                                             /* m */
static const double SETTLED = 0.02;       /* coordinates: a smaller step ends the rounds */
static const double GAIN_SETTLED = 0.125; /* of the sum of losses: so does half a standard error */
static const double GAIN_NEAR = 2.0;      /* and as much as two standard errors: so near the rounds are at the end */
static const double AGE_MOST = 1.0;       /* steps of the sensitivity runs: from further off responses are told anew */
static const double GAIN_LEAST = 1e-4;    /* of the loss: a step that gains less is none */

static bool has_steps(const struct joint_fit *work)
{
    return work->parameters.plan_count > 0 || fit_parameter_find(&work->parameters, FIT_HEIGHT) >= 0;
}

/* ---- rounds ---- */

/* Sum of Huber's losses of a solution, and of what parameters at `coordinates` are off their priors. */
static double loss_of(const struct joint_fit *work, const struct linear *linear, const struct solution *solution,
                      const double *coordinates, double scale)
{
    const double unit = fmax(1e-6, scale), huber = work->fit.options->huber;
    double sum = linear_prior_loss(&work->linear, coordinates);
    for (int n = 0; n < work->cells.count; n++) {
        if (!work->cells.cells[n].held) {
            const double rest = work->cells.cells[n].level - linear_level(linear, solution, n);
            sum += work->cells.cells[n].below ? below_loss(rest / unit, huber) : huber_loss(rest / unit, huber);
        }
    }
    return sum;
}

/* The best offsets, slope and exponent for a trial as it is; *loss: mean of the losses with the scale given, or, where
 * that is 0, with its own. */
static pw_status level_solve(struct joint_fit *work, const struct trial *trial, double scale, struct solution *solution,
                             double *loss, pw_error *error)
{
    struct linear still = work->linear;
    still.base = trial;
    memset(still.moves, 0, sizeof still.moves);
    TRY(linear_solve(&still, -1, solution, error));
    *loss =
        loss_of(work, &still, solution, trial->coordinates, scale > 0.0 ? scale : solution->scale) / work->cells.fitted;
    return PW_OK;
}

static double step_size(const struct joint_fit *work, const struct solution *solution)
{
    double size = 0.0;
    for (int p = 0; p < work->parameters.count; p++) {
        if (is_stepped(work, p)) {
            size = fmax(size, fabs(solution->coordinates[p] - work->base.coordinates[p]));
        }
    }
    return size;
}

/* Tries a step shortened 2^first times and shorter ones, `count` of them as one batch, and takes the best if it gains.
 */
static pw_status lengths_try(struct joint_fit *work, const struct solution *step, int first, int count,
                             struct solution *spare, bool *gained, pw_error *error)
{
    double least = 0.0, scale = work->solution.scale, loss;
    int best = -1;
    struct trial *trials = trials_create(work, count, error);
    TRY_MADE(trials);
    for (int n = 0; n < count; n++) {
        for (int p = 0; p < work->parameters.count; p++) {
            double whole = is_stepped(work, p) ? step->coordinates[p] - work->base.coordinates[p] : 0.0;
            trials[n].coordinates[p] += ldexp(whole, -first - n);
        }
    }
    pw_status status = trials_solve(work, trials, count, error);
    THEN(status, level_solve(work, &work->base, scale, spare, &least, error));
    least *= status == PW_OK ? 1.0 - GAIN_LEAST : 0.0;
    for (int n = 0; status == PW_OK && n < count; n++) {
        status = level_solve(work, &trials[n], scale, spare, &loss, error);
        if (status == PW_OK && loss < least) {
            least = loss;
            best = n;
            solution_copy(&work->fit, spare, &work->solution);
        }
    }
    *gained = status == PW_OK && best >= 0;
    if (*gained) {
        const struct trial old = work->base;
        work->base = trials[best];
        trials[best] = old;
        work->exact = work->coarse == 1.0;
        responses_correct(work, &old);
    }
    trials_free(trials, count);
    return status;
}

static pw_status step_take(struct joint_fit *work, const struct solution *step, struct solution *spare, bool *gained,
                           pw_error *error)
{
    TRY(lengths_try(work, step, 0, 1, spare, gained, error));
    return *gained ? PW_OK : lengths_try(work, step, 1, SHORTER, spare, gained, error);
}

static void round_tell(const struct joint_fit *work, int round)
{
    FILE *report = work->fit.report;
    if (report != NULL) {
        fprintf(report, "  round %d, %d runs:", round, work->fit.runs + work->fit.coarse_runs);
        for (int p = 0; p < work->parameters.count; p++) {
            if (is_stepped(work, p) && parameter_at(work, p)->spread == 0.0) {
                fprintf(report, " %s %.4g", parameter_at(work, p)->name,
                        fit_value(parameter_at(work, p), work->base.coordinates[p]));
            }
        }
        fprintf(report, "; residuals %.2f dB\n", work->solution.scale);
        (void)fflush(report); /* a failure shows at the end */
    }
}

/* Whether so small a step needs no run. On larger cells that no re-run has corrected beside the start, rounds end
 * early: they are off by more. */
static bool step_is_idle(struct joint_fit *work, double size, double gain)
{
    const bool mapped = work->coarse > 1.0, first = mapped && work->first && !work->exact;
    if (mapped && work->exact) {
        work->gain_before = work->gain;
        work->gain = gain;
    }
    const double idle = first ? GAIN_NEAR : GAIN_SETTLED;
    return (size < SETTLED || (mapped && gain < idle)) && (first || responses_age(work) <= AGE_MOST);
}

/* A round: the step that the responses ask for. Where they lead nowhere, or were told from further off than the end of
 * the fit seems to be, runs tell new ones. */
static pw_status round_run(struct joint_fit *work, struct solution *step, struct solution *spare, pw_joint *joint,
                           pw_error *error)
{
    bool gained = false;
    double loss;
    work->linear.slope = work->solution.slope;
    TRY(linear_solve(&work->linear, -1, step, error));
    work->linear.alike = step->alike;
    TRY(level_solve(work, &work->base, step->scale, spare, &loss, error));
    const double gain = loss * work->cells.fitted - loss_of(work, &work->linear, step, step->coordinates, step->scale);
    const double size = step_size(work, step);
    if (step_is_idle(work, size, gain)) {
        solution_copy(&work->fit, step, &work->solution);
        work->converged = work->refined = true;
        return PW_OK;
    }
    const bool near = size < SETTLED || (work->coarse > 1.0 && gain < GAIN_NEAR);
    if (!near || responses_age(work) <= AGE_MOST) {
        TRY(step_take(work, step, spare, &gained, error));
        work->converged = !gained && responses_age(work) == 0.0; /* no step gains */
    }
    return gained || work->converged ? PW_OK : responses_fill(work, joint, error);
}

/* `known`: responses are told already. */
static pw_status rounds_run(struct joint_fit *work, bool known, pw_joint *joint, pw_error *error)
{
    struct solution step, spare;
    double loss;
    TRY(level_solve(work, &work->base, 0.0, &work->solution, &loss, error));
    TRY(solution_create(&work->fit, &step, error));
    pw_status status = solution_create(&work->fit, &spare, error);
    if (!known) {
        THEN(status, responses_fill(work, joint, error));
    }
    work->converged = work->refined = false;
    for (int round = 1; status == PW_OK && !work->converged && round <= work->fit.options->rounds; round++) {
        status = round_run(work, &step, &spare, joint, error);
        if (status == PW_OK && !work->refined) {
            round_tell(work, round);
        }
    }
    solution_free(&step);
    solution_free(&spare);
    return status;
}

/* A re-run where the fit on larger cells ended. *gained: it says that this is better than `last`, the re-run before it,
 * and is the base now; else `last` is. */
static pw_status rerun_take(struct joint_fit *work, struct trial *last, bool *gained, pw_error *error)
{
    double before, after;
    const double scale = work->solution.scale;
    struct trial *fine = trials_create(work, 1, error);
    TRY_MADE(fine);
    pw_status status = trials_predict(&work->fit, fine, 1, 1.0, error);
    THEN(status, level_solve(work, last, scale, &work->solution, &before, error));
    THEN(status, level_solve(work, fine, scale, &work->solution, &after, error));
    *gained = status == PW_OK && after < before;
    if (status == PW_OK) {
        shift_correct(work, last, fine, *gained);
        trial_copy(&work->fit, *gained ? fine : last, &work->base);
        trial_copy(&work->fit, &work->base, last);
        work->exact = true;
    }
    trials_free(fine, 1);
    return status;
}

/* Whether the next re-run would only confirm: what will be left to gain behind it needs no run, at the rate at which
 * the passes between re-runs have converged (as Newton's method ends in E. Hairer, G. Wanner, Solving Ordinary
 * Differential Equations II, IV.8). Of two such passes, behind the first re-run and the second. */
static bool rerun_is_idle(const struct joint_fit *work, int pass)
{
    return pass >= 2 && work->converged && work->gain * work->gain < GAIN_SETTLED * work->gain_before;
}

/* The fit on larger cells, with a re-run where it ends, until what is left to gain needs none or a re-run takes it no
 * further; what is left then is up to re-runs. */
static pw_status fit_mapped(struct joint_fit *work, pw_joint *joint, pw_error *error)
{
    bool gained = true;
    struct trial *last = trials_create(work, 1, error);
    TRY_MADE(last);
    trial_copy(&work->fit, &work->base, last);
    work->first = true;
    pw_status status = shift_find(work, error);
    for (int pass = 0; status == PW_OK && gained && pass < PASSES; pass++) {
        status = rounds_run(work, pass > 0, joint, error);
        if (status == PW_OK && (work->exact || rerun_is_idle(work, pass))) {
            break;
        }
        THEN(status, rerun_take(work, last, &gained, error));
        work->converged = work->first = false;
    }
    trials_free(last, 1);
    if (status == PW_OK && !work->converged) {
        work->coarse = 1.0;
        status = rounds_run(work, true, joint, error);
    }
    return status;
}

/* ---- what was found ---- */

static void intervals_fill(const struct joint_fit *work, const double *covariance, double freedom, pw_joint *joint)
{
    int count = work->parameters.count;
    double wide = student_quantile(freedom);
    joint->alike_first = joint->alike_other = -1;
    for (int p = 0; p < count; p++) {
        const struct fit_parameter *parameter = parameter_at(work, p);
        pw_fitted *fitted = &joint->parameters[p];
        double at = work->solution.coordinates[p], off = wide * sqrt(covariance[p * count + p]);
        double least = fit_coordinate(parameter, parameter->least), most = fit_coordinate(parameter, parameter->most);
        fitted->value = fit_value(parameter, at);
        fitted->at_bound = !(at > least + 1e-9 && at < most - 1e-9);
        if (parameter->spread > 0.0) { /* the readings never tell less than nothing */
            const double share = covariance[p * count + p] / (parameter->spread * parameter->spread);
            fitted->told = fmax(0.0, 1.0 - share);
            off = fmin(off, 1.96 * parameter->spread);
        }
        bool known = fitted->felt && !isnan(off) && !(at - off <= least && at + off >= most);
        fitted->low = known ? fit_value(parameter, fmax(least, at - off)) : (double)NAN;
        fitted->high = known ? fit_value(parameter, fmin(most, at + off)) : (double)NAN;
        for (int q = 0; q < p; q++) {
            double alike = covariance[p * count + q] / sqrt(covariance[p * count + p] * covariance[q * count + q]);
            if (fabs(alike) > fabs(joint->alike)) {
                joint->alike = alike;
                joint->alike_first = q;
                joint->alike_other = p;
            }
        }
    }
}

static pw_status errors_fill(struct joint_fit *work, pw_joint *joint, pw_error *error)
{
    int count = work->parameters.count, stations = work->cells.station_count, devices = work->cells.device_count;
    double freedom;
    double *covariance = allocate((size_t)count * (size_t)count + (size_t)(stations + devices), sizeof *covariance,
                                  "the errors of a fit", error);
    TRY_MADE(covariance);
    double *offsets = covariance + (size_t)count * (size_t)count;
    pw_status status = linear_errors(&work->linear, &work->solution, covariance, offsets, &freedom, error);
    for (int n = 0; status == PW_OK && work->coarse > 1.0 && n < count * count; n++) {
        covariance[n] *= 1.0 + 2.0 * GAIN_SETTLED; /* so far off the best may rounds on larger cells end */
    }
    if (status == PW_OK) {
        intervals_fill(work, covariance, freedom, joint);
        for (int s = 0; s < stations; s++) {
            joint->transmitters[s].offset_error = offsets[s];
        }
        for (int d = 0; d < devices; d++) {
            joint->devices[d].offset_error = offsets[stations + d];
        }
    }
    free(covariance);
    return status;
}

/* ---- the whole ---- */

static pw_status enough_check(const struct joint_fit *work, const char *path, pw_error *error)
{
    const struct cells *cells = &work->cells;
    pw_offsets kind = work->fit.options->offsets;
    int offsets = kind == PW_OFFSETS_EACH ? cells->station_count : kind == PW_OFFSETS_ONE ? 1 : 0;
    int parameters = offsets + cells->device_count - 1;
    for (int p = 0; p < work->parameters.count; p++) {
        parameters += parameter_at(work, p)->spread == 0.0; /* the others have their priors */
    }
    int received = cells->fitted - cells->below;
    if (received < FITTED_PER_PARAMETER * parameters || received == 0) {
        return fail(error, PW_BAD_INPUT,
                    "%s: %d parameter%s, offsets included, cannot be fitted to %d cells of readings%s: each takes %d",
                    path, parameters, parameters == 1 ? "" : "s", received,
                    cells->below > 0 ? " over the sensitivity" : "", FITTED_PER_PARAMETER);
    }
    if (fit_parameter_find(&work->parameters, FIT_BODY) >= 0 && !cells->facing) {
        return fail(error, PW_BAD_INPUT,
                    "%s: to fit the body of the carrier, each reading needs a column facing: the direction that the "
                    "carrier looks in, degrees from x towards y",
                    path);
    }
    return PW_OK;
}

/* By how much larger cells still carry the band on the plan as it is. */
static pw_status coarse_choose(struct joint_fit *work, const pw_scenario *scenario, pw_error *error)
{
    const pw_joint_options *options = work->fit.options;
    pw_setup *setup = NULL;
    work->coarse = options->response_cells;
    if (work->parameters.plan_count == 0 || work->coarse > 0.0) {
        work->coarse = fmax(1.0, work->coarse);
        return PW_OK;
    }
    TRY(pw_setup_create(scenario, PW_SINGLE, false, &setup, error));
    const double cells = pw_setup_facts(setup).cells_per_wavelength / options->cell_factor;
    pw_setup_free(setup);
    work->coarse = fmin(COARSEST, cells / CELLS_LEAST);
    work->coarse = work->coarse < 1.2 ? 1.0 : work->coarse; /* else what it saves is less than what it takes */
    return PW_OK;
}

static pw_status parameters_open(struct joint_fit *work, pw_joint *joint, pw_error *error)
{
    static const char *const without[] = {"receivers=[]"};
    char *text = NULL;
    pw_scenario *scenario = NULL;
    TRY(pw_result_scenario(work->fit.result, &text, error));
    pw_status status = pw_scenario_parse(pw_result_path(work->fit.result), text, without, 1, &scenario, error);
    THEN(status, fit_parameters_read(work->fit.options, scenario, &work->parameters, error));
    size_t length;
    if (status == PW_OK && work->parameters.plan_count > 0 &&
        pw_result_text(work->fit.result, "plan_source", 0, &length) != NULL) {
        status = fail(error, PW_BAD_INPUT,
                      "%s: its plan was given as arrays, so it cannot be run again with other materials",
                      pw_result_path(work->fit.result));
    }
    THEN(status, coarse_choose(work, scenario, error));
    work->first_coarse = work->coarse;
    pw_scenario_free(scenario);
    free(text);
    joint->parameter_count = work->parameters.count;
    for (int p = 0; status == PW_OK && p < work->parameters.count; p++) {
        const struct fit_parameter *parameter = parameter_at(work, p);
        pw_fitted *fitted = &joint->parameters[p];
        *fitted = (pw_fitted){.start = parameter->start,
                              .least = parameter->least,
                              .most = parameter->most,
                              .felt = true,
                              .spread = parameter->spread > 0.0 ? exp(parameter->spread) : 0.0,
                              .told = NAN,
                              .x = parameter->range.x,
                              .y = parameter->range.y,
                              .value = parameter->start};
        memcpy(fitted->name, parameter->name, sizeof fitted->name);
        memcpy(fitted->material, parameter->range.material, sizeof fitted->material);
        work->base.coordinates[p] = fit_coordinate(parameter, parameter->start);
        work->linear.reach[p] = parameter->kind == FIT_PLAN ? PLAN_REACH[parameter->plan.kind] : HEIGHT_REACH;
    }
    return status;
}

static pw_status memory_open(struct joint_fit *work, pw_joint *joint, pw_error *error)
{
    size_t cells = (size_t)work->cells.count, stations = (size_t)work->cells.station_count;
    TRY(trial_create(&work->fit, &work->base, error));
    work->responses = allocate(cells * (size_t)work->parameters.count, sizeof *work->responses, "a fit", error);
    work->shift = allocate(cells, sizeof *work->shift, "a fit", error);
    work->tilt = allocate(cells * (size_t)work->parameters.count, sizeof *work->tilt, "a fit", error);
    work->values = allocate(cells, sizeof *work->values, "a fit", error);
    work->crossed = allocate(cells, sizeof *work->crossed, "a fit", error);
    joint->transmitters = allocate(stations, sizeof *joint->transmitters, "a fit", error);
    TRY_MADE(work->responses != NULL && work->shift != NULL && work->tilt != NULL && work->values != NULL &&
             work->crossed != NULL && joint->transmitters != NULL);
    joint->transmitter_count = (int)stations;
    joint->device_count = work->cells.device_count;
    for (int d = 0; d < joint->device_count; d++) {
        snprintf(joint->devices[d].name, sizeof joint->devices[d].name, "%s", work->cells.devices[d]);
    }
    for (size_t s = 0; s < stations; s++) {
        snprintf(joint->transmitters[s].name, sizeof joint->transmitters[s].name, "%s", work->cells.stations[s].name);
    }
    work->linear.fit = &work->fit;
    work->linear.base = &work->base;
    work->linear.responses = work->responses;
    return solution_create(&work->fit, &work->solution, error);
}

/* The score with nothing but offsets. */
static pw_status before_score(struct joint_fit *work, pw_joint *joint, pw_error *error)
{
    const struct fit_parameters none = {0};
    struct fit plain = work->fit;
    struct linear linear = {.fit = &plain, .base = &work->base};
    plain.parameters = &none;
    TRY(linear_solve(&linear, -1, &work->solution, error));
    for (int n = 0; n < work->cells.count; n++) {
        work->values[n] = linear_level(&linear, &work->solution, n);
    }
    joint->before = cells_score(&work->cells, work->values, false, -1);
    return PW_OK;
}

static pw_status fit_run(struct joint_fit *work, pw_joint *joint, pw_error *error)
{
    double loss;
    TRY(trials_predict(&work->fit, &work->base, 1, 1.0, error));
    work->exact = true;
    TRY(before_score(work, joint, error));
    work->converged = true;
    if (has_steps(work)) {
        TRY(work->coarse > 1.0 ? fit_mapped(work, joint, error) : rounds_run(work, false, joint, error));
    }
    if (!work->refined) {
        TRY(level_solve(work, &work->base, 0.0, &work->solution, &loss, error));
    }
    for (int n = 0; n < work->cells.count; n++) {
        work->values[n] = linear_level(&work->linear, &work->solution, n);
    }
    joint->scale = work->solution.scale;
    for (int s = 0; s < work->cells.station_count; s++) {
        joint->transmitters[s].offset = work->solution.offsets[s];
    }
    for (int d = 0; d < work->cells.device_count; d++) {
        joint->devices[d].offset = work->solution.devices[d];
    }
    TRY(errors_fill(work, joint, error));
    TRY(joint_score(work, joint, error));
    joint->runs = work->fit.runs;
    joint->coarse_runs = work->fit.coarse_runs;
    joint->coarse_cells = work->fit.coarse_runs > 0 ? work->first_coarse : 1.0;
    return pw_monitor_tell(&work->fit.options->monitor, 1.0, error);
}

pw_status joint_fit(const pw_result *result, const struct readings *readings, const pw_joint_options *options,
                    FILE *report, struct joint_fit *work, pw_joint *joint, pw_error *error)
{
    work->fit = (struct fit){
        .result = result, .cells = &work->cells, .options = options, .parameters = &work->parameters, .report = report};
    TRY(cells_make(result, readings, options, &work->cells, error));
    TRY(parameters_open(work, joint, error));
    TRY(enough_check(work, readings->path, error));
    work->fit.most_runs = 1 + (options->rounds + 1) * (work->parameters.plan_count + 1) + SHORTER * options->rounds;
    TRY(memory_open(work, joint, error));
    joint->reading_count = work->cells.readings;
    joint->cell_count = work->cells.fitted;
    joint->held_count = work->cells.count - work->cells.fitted;
    joint->block_count = work->cells.block_count;
    joint->fold_count = work->cells.fold_count;
    return fit_run(work, joint, error);
}

void joint_close(struct joint_fit *work)
{
    solution_free(&work->solution);
    trial_free(&work->base);
    free(work->responses);
    free(work->shift);
    free(work->tilt);
    free(work->values);
    free(work->crossed);
    cells_free(&work->cells);
}
