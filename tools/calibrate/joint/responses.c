/* What parameters do to levels (joint.h): told by runs, corrected by the steps that are taken. */
#include "calibrate/joint/joint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PLAN_STEP[PW_PARAMETER_KIND_COUNT] = {0.0953, 0.405, 0.0953,
                                                          0.405}; /* ln 1.1, ln 1.5: of sensitivity runs */
static const double LEAST_RESPONSE =
    0.05; /* dB RMS for a step of the sensitivity runs: what less changes is not felt */

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

static void responses_take(struct joint_fit *work, const struct trial *trials, pw_joint *joint)
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
                response[n] = (trial->levels[n] - work->base.levels[n]) / step;
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

void trials_free(struct trial *trials, int count)
{
    for (int n = 0; trials != NULL && n < count; n++) {
        trial_free(&trials[n]);
    }
    free(trials);
}

struct trial *trials_create(const struct joint_fit *work, int count, pw_error *error)
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

/* ---- runs on larger cells ---- */

/* The re-run that says what larger cells can no longer say. */
static pw_status coarse_end(struct joint_fit *work, pw_error *error)
{
    work->coarse = 1.0;
    if (!work->exact) {
        TRY(trials_predict(&work->fit, &work->base, 1, 1.0, error));
        work->exact = true;
    }
    return PW_OK;
}

static void shift_add(const struct joint_fit *work, struct trial *trial)
{
    const size_t count = (size_t)work->cells.count;
    for (size_t n = 0; n < count; n++) {
        trial->levels[n] += work->shift[n];
    }
    for (int p = 0; p < work->parameters.count; p++) {
        const double step = trial->coordinates[p] - work->shift_at[p];
        for (size_t n = 0; step != 0.0 && n < count; n++) {
            trial->levels[n] += step * work->tilt[(size_t)p * count + n];
        }
    }
}

pw_status trials_solve(struct joint_fit *work, struct trial *trials, int count, pw_error *error)
{
    pw_status status = trials_predict(&work->fit, trials, count, work->coarse, error);
    if (status == PW_BAD_INPUT &&
        work->coarse > 1.0) { /* waves are slower in these materials, and the cells too large */
        TRY(coarse_end(work, error));
        status = trials_predict(&work->fit, trials, count, 1.0, error);
    }
    for (int t = 0; status == PW_OK && work->coarse > 1.0 && t < count; t++) {
        shift_add(work, &trials[t]);
    }
    return status;
}

pw_status shift_find(struct joint_fit *work, pw_error *error)
{
    struct trial *coarse = trials_create(work, 1, error);
    TRY_MADE(coarse);
    pw_status status = trials_solve(work, coarse, 1, error);
    for (int n = 0; status == PW_OK && n < work->cells.count; n++) {
        work->shift[n] = work->base.levels[n] - coarse->levels[n];
    }
    memcpy(work->shift_at, work->base.coordinates, sizeof work->shift_at);
    trials_free(coarse, 1);
    return status;
}

/* ---- responses ---- */

pw_status responses_fill(struct joint_fit *work, pw_joint *joint, pw_error *error)
{
    const int count = work->parameters.plan_count;
    int next = 0;
    struct trial *trials = trials_create(work, count, error);
    TRY_MADE(trials);
    for (int p = 0; p < work->parameters.count; p++) {
        if (parameter_at(work, p)->kind == FIT_PLAN) {
            trials[next++].coordinates[p] += sensitivity_step(work, p);
        }
    }
    pw_status status = next > 0 ? trials_solve(work, trials, next, error) : PW_OK;
    if (status == PW_OK) {
        responses_take(work, trials, joint);
        memcpy(work->known_at, work->base.coordinates, sizeof work->known_at);
    }
    trials_free(trials, count);
    return status;
}

/* Adds to slopes (parameters, cells) what takes them to `rest` [dB] at the end of a step `from` to `to`, along the
 * step, which is measured in steps of the sensitivity runs (C. G. Broyden, Math. Comput. 19, 577, 1965). */
static void slopes_correct(const struct joint_fit *work, const struct trial *from, const struct trial *to,
                           const double *rest, double *slopes)
{
    const size_t count = (size_t)work->cells.count;
    double along[PW_JOINT_PARAMETERS], square = 0.0;
    for (int p = 0; p < work->parameters.count; p++) {
        const double unit = PLAN_STEP[parameter_at(work, p)->plan.kind];
        const double step = parameter_at(work, p)->kind == FIT_PLAN ? to->coordinates[p] - from->coordinates[p] : 0.0;
        along[p] = step / (unit * unit);
        square += along[p] * step;
    }
    for (int p = 0; p < work->parameters.count; p++) {
        for (size_t n = 0; along[p] != 0.0 && n < count; n++) {
            slopes[(size_t)p * count + n] += rest[n] * along[p] / square;
        }
    }
}

/* What a step changed beside what the responses said of it goes into them. So a round needs no runs for them. */
void responses_correct(struct joint_fit *work, const struct trial *old)
{
    const size_t count = (size_t)work->cells.count;
    double *rest = work->values; /* which is filled at the end */
    for (size_t n = 0; n < count; n++) {
        rest[n] = work->base.levels[n] - old->levels[n];
        for (int p = 0; p < work->parameters.count; p++) {
            const double step = is_stepped(work, p) ? work->base.coordinates[p] - old->coordinates[p] : 0.0;
            rest[n] -= step != 0.0 ? step * work->responses[(size_t)p * count + n] : 0.0;
        }
    }
    slopes_correct(work, old, &work->base, rest, work->responses);
    const int height = fit_parameter_find(&work->parameters, FIT_HEIGHT);
    if (height >= 0) {
        memcpy(work->responses + (size_t)height * count, work->base.by_height, count * sizeof *work->responses);
    }
}

void shift_correct(struct joint_fit *work, const struct trial *last, const struct trial *fine, bool moved)
{
    const size_t count = (size_t)work->cells.count;
    double *rest = work->values;
    for (size_t n = 0; n < count; n++) {
        rest[n] = fine->levels[n] - work->base.levels[n];
    }
    slopes_correct(work, last, fine, rest, work->tilt);
    slopes_correct(work, last, fine, rest, work->responses);
    if (moved) {
        for (int p = 0; p < work->parameters.count; p++) {
            const double step = fine->coordinates[p] - work->shift_at[p];
            for (size_t n = 0; step != 0.0 && n < count; n++) {
                work->shift[n] += step * work->tilt[(size_t)p * count + n];
            }
        }
        memcpy(work->shift_at, fine->coordinates, sizeof work->shift_at);
    }
}

/* How far off, in steps of the sensitivity runs, the responses are from. */
double responses_age(const struct joint_fit *work)
{
    double age = 0.0;
    for (int p = 0; p < work->parameters.count; p++) {
        const double moved = fabs(work->base.coordinates[p] - work->known_at[p]);
        age = parameter_at(work, p)->kind == FIT_PLAN ? fmax(age, moved / PLAN_STEP[parameter_at(work, p)->plan.kind])
                                                      : age;
    }
    return age;
}
