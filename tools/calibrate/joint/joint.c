/* Joint fits (joint.h): the rounds, and what is known of the parameters at their end. */
#include "calibrate/joint/joint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHORTER = 2 }; /* steps that are tried where a whole one does not gain: half, a quarter */
static const double PLAN_STEP[PW_PARAMETER_KIND_COUNT] = {0.0953, 0.405, 0.0953,
                                                          0.405}; /* ln 1.1, ln 1.5: of sensitivity runs */
static const double PLAN_REACH[PW_PARAMETER_KIND_COUNT] = {0.405, 1.2, 0.405, 1.2}; /* of a round */
static const double HEIGHT_REACH = 0.5;                                             /* m */
static const double SETTLED = 0.02;    /* coordinates: a smaller step ends the rounds */
static const double GAIN_LEAST = 1e-4; /* of the loss: a step that gains less is none */
static const double LEAST_RESPONSE =
    0.05; /* dB RMS for a step of the sensitivity runs: what less changes is not felt */

static const struct fit_parameter *parameter_at(const struct joint_fit *work, int p)
{
    return &work->parameters.entries[p];
}

/* Of plan and height. */
static bool is_stepped(const struct joint_fit *work, int p)
{
    return parameter_at(work, p)->kind <= FIT_HEIGHT;
}

static bool has_steps(const struct joint_fit *work)
{
    return work->parameters.plan_count > 0 || fit_parameter_find(&work->parameters, FIT_HEIGHT) >= 0;
}

/* ---- responses ---- */

static double sensitivity_step(const struct joint_fit *work, int p)
{
    const struct fit_parameter *parameter = parameter_at(work, p);
    double step = PLAN_STEP[parameter->plan.kind];
    return work->base.coordinates[p] + step > fit_coordinate(parameter, parameter->most) ? -step : step;
}

/* Spread of a response within the stations [dB]: what offsets cannot take up. */
static double response_strength(const struct joint_fit *work, int p)
{
    const struct cells *cells = &work->cells;
    const double *response = work->responses + (size_t)p * (size_t)cells->count;
    double square = 0.0;
    for (int s = 0; s < cells->station_count; s++) {
        double sum = 0.0, own = 0.0, count = 0.0;
        for (int n = 0; n < cells->count; n++) {
            if (cells->cells[n].station == s && !cells->cells[n].held) {
                sum += response[n];
                own += response[n] * response[n];
                count++;
            }
        }
        square += count > 0 ? own - sum * sum / count : 0.0;
    }
    return sqrt(fmax(0.0, square) / cells->fitted);
}

/* `base`: the trials' own, on their cells. */
static void responses_take(struct joint_fit *work, const struct trial *trials, const struct trial *base,
                           pw_joint *joint)
{
    size_t count = (size_t)work->cells.count;
    int next = 0;
    for (int p = 0; p < work->parameters.count; p++) {
        const struct fit_parameter *parameter = parameter_at(work, p);
        double *response = work->responses + (size_t)p * count, step = 1.0;
        if (parameter->kind == FIT_PLAN) {
            const struct trial *trial = &trials[next++];
            step = trial->coordinates[p] - work->base.coordinates[p];
            for (size_t n = 0; n < count; n++) {
                response[n] = (trial->levels[n] - base->levels[n]) / step;
            }
        } else if (parameter->kind == FIT_HEIGHT) {
            memcpy(response, work->base.by_height, count * sizeof *response);
        }
        bool felt = !is_stepped(work, p) || parameter->spread > 0.0 || /* then the prior says where it stays */
                    response_strength(work, p) * fabs(step) >= LEAST_RESPONSE;
        work->linear.moves[p] = felt && is_stepped(work, p);
        joint->parameters[p].felt = felt;
    }
}

static void trials_free(struct trial *trials, int count)
{
    for (int n = 0; trials != NULL && n < count; n++) {
        trial_free(&trials[n]);
    }
    free(trials);
}

static struct trial *trials_create(const struct joint_fit *work, int count, pw_error *error)
{
    struct trial *trials = allocate((size_t)count, sizeof *trials, "trials of a fit", error);
    for (int n = 0; trials != NULL && n < count; n++) {
        if (trial_create(&work->fit, &trials[n], error) != PW_OK) {
            trials_free(trials, n);
            return NULL;
        }
        memcpy(trials[n].coordinates, work->base.coordinates, sizeof trials[n].coordinates);
    }
    return trials;
}

/* One run for each parameter of the plan, as one batch; on larger cells also one of the base. */
static pw_status responses_fill(struct joint_fit *work, pw_joint *joint, pw_error *error)
{
    const double coarse = work->fit.options->response_cells;
    const int count = work->parameters.plan_count + 1;
    int next = 0;
    struct trial *trials = trials_create(work, count, error);
    TRY_MADE(trials);
    for (int p = 0; p < work->parameters.count; p++) {
        if (parameter_at(work, p)->kind == FIT_PLAN) {
            trials[next++].coordinates[p] += sensitivity_step(work, p);
        }
    }
    pw_status status = next > 0 ? trials_predict(&work->fit, trials, next + (coarse > 1.0), coarse, error) : PW_OK;
    if (status == PW_OK) {
        responses_take(work, trials, coarse > 1.0 ? &trials[next] : &work->base, joint);
        memcpy(work->known_at, work->base.coordinates, sizeof work->known_at);
    }
    trials_free(trials, count);
    return status;
}

/* What a step changed beside what the responses said of it goes into them, along the step, which is measured in steps
 * of the sensitivity runs (C. G. Broyden, Math. Comput. 19, 577, 1965). So a round needs no runs for them. */
static void responses_correct(struct joint_fit *work, const struct trial *old)
{
    const size_t count = (size_t)work->cells.count;
    double step[PW_JOINT_PARAMETERS], along[PW_JOINT_PARAMETERS], square = 0.0;
    for (int p = 0; p < work->parameters.count; p++) {
        const double unit = PLAN_STEP[parameter_at(work, p)->plan.kind];
        step[p] = is_stepped(work, p) ? work->base.coordinates[p] - old->coordinates[p] : 0.0;
        along[p] = parameter_at(work, p)->kind == FIT_PLAN ? step[p] / (unit * unit) : 0.0;
        square += along[p] * step[p];
    }
    for (size_t n = 0; n < count; n++) {
        double rest = work->base.levels[n] - old->levels[n];
        for (int p = 0; p < work->parameters.count; p++) {
            rest -= step[p] != 0.0 ? step[p] * work->responses[(size_t)p * count + n] : 0.0;
        }
        for (int p = 0; p < work->parameters.count; p++) {
            work->responses[(size_t)p * count + n] += along[p] != 0.0 ? rest * along[p] / square : 0.0;
        }
    }
    const int height = fit_parameter_find(&work->parameters, FIT_HEIGHT);
    if (height >= 0) {
        memcpy(work->responses + (size_t)height * count, work->base.by_height, count * sizeof *work->responses);
    }
}

/* ---- rounds ---- */

/* The best offsets, slope and exponent for a trial as it is; *loss: mean of Huber's loss with the scale given, or,
 * where that is 0, with its own, and of what parameters are off their priors. */
static pw_status level_solve(struct joint_fit *work, const struct trial *trial, double scale, struct solution *solution,
                             double *loss, pw_error *error)
{
    struct linear still = work->linear;
    still.base = trial;
    memset(still.moves, 0, sizeof still.moves);
    TRY(linear_solve(&still, -1, solution, error));
    double unit = fmax(1e-6, scale > 0.0 ? scale : solution->scale);
    double sum = linear_prior_loss(&work->linear, trial->coordinates);
    for (int n = 0; n < work->cells.count; n++) {
        if (!work->cells.cells[n].held) {
            double rest = work->cells.cells[n].level - linear_level(&still, solution, n);
            double huber = work->fit.options->huber;
            sum += work->cells.cells[n].below ? below_loss(rest / unit, huber) : huber_loss(rest / unit, huber);
        }
    }
    *loss = sum / work->cells.fitted;
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
    pw_status status = trials_predict(&work->fit, trials, count, 1.0, error);
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

/* How far off, in steps of the sensitivity runs, the responses are from. */
static double responses_age(const struct joint_fit *work)
{
    double age = 0.0;
    for (int p = 0; p < work->parameters.count; p++) {
        const double moved = fabs(work->base.coordinates[p] - work->known_at[p]);
        age = parameter_at(work, p)->kind == FIT_PLAN ? fmax(age, moved / PLAN_STEP[parameter_at(work, p)->plan.kind])
                                                      : age;
    }
    return age;
}

/* A round: the step that the responses ask for. Where they lead nowhere, or their fit has ended a step or more away,
 * runs tell new ones. */
static pw_status round_run(struct joint_fit *work, struct solution *step, struct solution *spare, pw_joint *joint,
                           pw_error *error)
{
    bool gained = false;
    work->linear.slope = work->solution.slope;
    TRY(linear_solve(&work->linear, -1, step, error));
    work->linear.alike = step->alike;
    const bool settled = step_size(work, step) < SETTLED;
    if (settled && responses_age(work) <= 1.0) { /* so small a step needs no run */
        solution_copy(&work->fit, step, &work->solution);
        work->converged = work->refined = true;
        return PW_OK;
    }
    if (!settled) {
        TRY(step_take(work, step, spare, &gained, error));
        work->converged = !gained && responses_age(work) == 0.0; /* no step gains */
    }
    return gained || work->converged ? PW_OK : responses_fill(work, joint, error);
}

static pw_status rounds_run(struct joint_fit *work, pw_joint *joint, pw_error *error)
{
    struct solution step, spare;
    double loss;
    TRY(level_solve(work, &work->base, 0.0, &work->solution, &loss, error));
    TRY(solution_create(&work->fit, &step, error));
    pw_status status = solution_create(&work->fit, &spare, error);
    THEN(status, responses_fill(work, joint, error));
    work->converged = false;
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

static pw_status parameters_open(struct joint_fit *work, pw_joint *joint, pw_error *error)
{
    static const char *const without[] = {"receivers=[]"};
    char *text = NULL;
    pw_scenario *scenario = NULL;
    TRY(pw_result_scenario(work->fit.result, &text, error));
    pw_status status = pw_scenario_parse(pw_result_path(work->fit.result), text, without, 1, &scenario, error);
    THEN(status, fit_parameters_read(work->fit.options, scenario, &work->parameters, error));
    pw_scenario_free(scenario);
    free(text);
    size_t length;
    if (status == PW_OK && work->parameters.plan_count > 0 &&
        pw_result_text(work->fit.result, "plan_source", 0, &length) != NULL) {
        status = fail(error, PW_BAD_INPUT,
                      "%s: its plan was given as arrays, so it cannot be run again with other materials",
                      pw_result_path(work->fit.result));
    }
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
    work->values = allocate(cells, sizeof *work->values, "a fit", error);
    work->crossed = allocate(cells, sizeof *work->crossed, "a fit", error);
    joint->transmitters = allocate(stations, sizeof *joint->transmitters, "a fit", error);
    TRY_MADE(work->responses != NULL && work->values != NULL && work->crossed != NULL && joint->transmitters != NULL);
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
    TRY(before_score(work, joint, error));
    work->converged = true;
    if (has_steps(work)) {
        TRY(rounds_run(work, joint, error));
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
    free(work->values);
    free(work->crossed);
    cells_free(&work->cells);
}
