/* The solves of a walk (stage.h). */
#include "walk/stage.h"

#include "walk/scatter/scatter.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- responses of a result --------------------------------------------------------------------------------------- */

/* G of all links, relative to free space at 1 m, (frequencies, receivers, transmitters). */
static pw_status read_links(const struct stage *stage, const pw_result *result, double complex *to, pw_error *error)
{
    const struct walk *walk = stage->walk;
    pw_channel_options options = pw_channel_options_default();
    options.spreading = PW_SPREADING_NONE;
    double *transfer = allocate(2 * (size_t)pw_result_describe(result).frequency_count, sizeof *transfer,
                                "a transfer function", error);
    pw_status status = transfer == NULL ? PW_NO_RESOURCE : PW_OK;
    for (size_t link = 0; status == PW_OK && link < walk_links(walk); link++) {
        const size_t t = link % (size_t)walk->transmitters, r = link / (size_t)walk->transmitters;
        pw_channel *channel = NULL;
        status = pw_channel_create(result, walk->name[t], walk->name[(size_t)walk->transmitters + r], NULL, &options,
                                   &channel, error);
        THEN(status, pw_channel_transfer(channel, NULL, transfer, error));
        pw_channel_free(channel);
        for (int f = 0; status == PW_OK && f < walk->frequencies; f++) {
            const double *own = transfer + 2 * (size_t)stage->pick[f];
            to[(size_t)f * walk_links(walk) + link] = own[0] + I * own[1];
            if (!isfinite(own[0])) {
                status =
                    fail(error, PW_BAD_INPUT,
                         "the pulse of '%s' is more than 40 dB weaker at %.9g Hz than at its best: narrow the band "
                         "or leave the waveform to planwave",
                         walk->name[t], walk->frequency[f]);
            }
        }
    }
    free(transfer);
    return status;
}

/* From G to H between isotropic antennas, from two dimensions with the amplitude of three at the distance of the link.
 */
static double complex to_antennas(const struct walk *walk, size_t f, size_t link)
{
    const double *from = walk->place[link % (size_t)walk->transmitters],
                 *to = walk->place[(size_t)walk->transmitters + link / (size_t)walk->transmitters];
    const double centre = 0.5 * (walk->frequency[0] + walk->frequency[walk->frequencies - 1]);
    return cexp(-I * 2 * M_PI * walk->frequency[f] / PW_SPEED_OF_LIGHT) * PW_SPEED_OF_LIGHT / (4 * M_PI * centre) /
           (walk->space ? 1 : sqrt(hypot(to[0] - from[0], to[1] - from[1])));
}

/* With horizontal polarisation: of the field, what lies along the persons. */
#define ALONG "spectra.components=[hz]"

/* ---- the empty floor --------------------------------------------------------------------------------------------- */

/* Receivers become transmitters too, after those of the scenario, and behind them points around the persons. */
static pw_status add_stations(pw_scenario *scenario, int index, void *user, pw_error *error)
{
    const struct stage *stage = user;
    const struct walk *walk = stage->walk;
    (void)index;
    for (int r = 0; r < walk->receivers && stage->options->method != PW_WALK_EXACT; r++) {
        char name[PW_NAME_SIZE];
        const double *at = walk->place[walk->transmitters + r];
        snprintf(name, sizeof name, "walk from receiver %d", r + 1);
        TRY(pw_scenario_add_transmitter(scenario, 0, name, at[0], at[1], error));
    }
    for (int n = 0; n < stage->around.count; n++) {
        char name[PW_NAME_SIZE];
        snprintf(name, sizeof name, "walk from point %d", n + 1);
        TRY(pw_scenario_add_transmitter(scenario, 0, name, around_x(&stage->around, n), around_y(&stage->around, n),
                                        error));
    }
    return PW_OK;
}

static pw_status take_floor(const pw_result *result, int index, void *user, pw_error *error)
{
    struct stage *stage = user;
    struct walk *walk = stage->walk;
    const size_t values = (size_t)walk->frequencies * walk_links(walk);
    (void)index;
    if (stage->options->warn != NULL) {
        pw_result_doubts(result, stage->options->warn, stage->options->user);
    }
    TRY(read_links(stage, result, walk->empty, error));
    for (size_t n = 0; n < values * (size_t)walk->poses; n++) {
        walk->csi[n] = (float complex)walk->empty[n % values];
    }
    if (stage->options->method != PW_WALK_EXACT) {
        TRY(scatter_poses(walk, stage->options, result, stage->pick, &stage->around, error));
    }
    return PW_OK;
}

/* The set-up of one variant, and about how long its solves take. */
static pw_status forecast(const struct stage *stage, const pw_variants *variants, int index, pw_facts *facts,
                          double *seconds, pw_error *error)
{
    pw_scenario *scenario = NULL;
    pw_setup *setup = NULL;
    pw_forecast told;
    pw_status status = pw_scenario_parse(variants->name, variants->text, variants->overrides, variants->override_count,
                                         &scenario, error);
    THEN(status, variants->change(scenario, index, variants->user, error));
    THEN(status, pw_setup_create(scenario, PW_SINGLE, false, &setup, error));
    THEN(status, pw_forecast_run(setup, &stage->options->compute, &told, error));
    if (status == PW_OK) {
        *facts = pw_setup_facts(setup);
        *seconds = told.seconds * (double)facts->expected_steps / (double)facts->steps;
    }
    pw_setup_free(setup);
    pw_scenario_free(scenario);
    return status;
}

static pw_status solve_told(const struct stage *stage, const pw_variants *variants, const char *what, pw_error *error)
{
    const pw_walk_options *options = stage->options;
    const pw_variants_options solving = {.compute = options->compute, .monitor = options->monitor};
    pw_facts facts;
    double seconds;
    TRY(forecast(stage, variants, variants->count - 1, &facts, &seconds, error));
    stage->walk->runs += facts.transmitter_count * variants->count;
    if (options->note != NULL) {
        char text[320], time[PW_NUMBER_SIZE], size[PW_NUMBER_SIZE], levels[32] = "";
        if (stage->walk->space) {
            snprintf(levels, sizeof levels, " x %d", facts.nz);
        }
        snprintf(text, sizeof text, "%d run%s of %s: %d x %d%s cells of %s cm, about %s s",
                 facts.transmitter_count * variants->count, facts.transmitter_count * variants->count == 1 ? "" : "s",
                 what, facts.nx, facts.ny, levels, pw_number_text(100 * facts.cell, 3, size),
                 pw_number_text(seconds * variants->count, 2, time));
        options->note(text, options->user);
    }
    return pw_variants_solve(variants, &solving, error);
}

static pw_status change_nothing(pw_scenario *scenario, int index, void *user, pw_error *error)
{
    (void)scenario;
    (void)index;
    (void)user;
    (void)error;
    return PW_OK;
}

static pw_status take_air(const pw_result *result, int index, void *user, pw_error *error)
{
    struct stage *stage = user;
    (void)index;
    return around_take_free(stage->walk, result, stage->pick, &stage->around, error);
}

/* The field of a point without a floor, on the same grid: what walls send back is what is beside it. */
static pw_status solve_air(struct stage *stage, pw_error *error)
{
    const struct lattice *lattice = &stage->around.lattice;
    const double margin = (ceil(PW_SPEED_OF_LIGHT / stage->walk->frequency[0] / stage->cell) + stage_node(stage)) *
                          stage->cell,
                 far[2] = {margin + (lattice->columns - 1) * lattice->pitch,
                           margin + (lattice->rows - 1) * lattice->pitch};
    char plan[96], source[128], region[128];
    const char *overrides[] = {plan, source, region, stage->spacing, "receivers=[]", ALONG};
    snprintf(plan, sizeof plan, "plan={size: [%.9g m, %.9g m]}", far[0] + margin, far[1] + margin);
    snprintf(source, sizeof source, "transmitters=[{name: air, at: [%.9g m, %.9g m]}]", margin, margin);
    snprintf(region, sizeof region, "spectra.region=[%.9g, %.9g, %.9g, %.9g]", margin, margin, far[0], far[1]);
    const pw_variants variants = {.name = stage->file,
                                  .text = stage->text,
                                  .overrides = overrides,
                                  .override_count = sizeof overrides / sizeof *overrides - !stage->walk->horizontal,
                                  .noun = "run of air",
                                  .count = 1,
                                  .change = change_nothing,
                                  .take = take_air,
                                  .user = stage};
    return solve_told(stage, &variants, "air alone", error);
}

pw_status stage_solve(struct stage *stage, pw_error *error)
{
    struct walk *walk = stage->walk;
    if (stage->around.count > 0) {
        TRY(solve_air(stage, error));
    }
    const char *overrides[] = {stage->lattice, stage->spacing, ALONG};
    const pw_variants variants = {.name = stage->file,
                                  .text = stage->text,
                                  .overrides = overrides,
                                  .override_count = walk->horizontal ? 3 : 2,
                                  .noun = "run of the empty floor",
                                  .count = 1,
                                  .change = add_stations,
                                  .take = take_floor,
                                  .user = stage};
    TRY(solve_told(stage, &variants, "the empty floor", error));
    const size_t links = walk_links(walk), values = (size_t)walk->frequencies * links;
    for (size_t n = 0; n < values * (size_t)walk->poses; n++) {
        walk->csi[n] *= (float complex)to_antennas(walk, n % values / links, n % links);
    }
    for (size_t n = 0; n < values; n++) {
        walk->empty[n] *= to_antennas(walk, n / links, n % links);
    }
    return PW_OK;
}

/* ---- with persons in the plan ------------------------------------------------------------------------------------ */

struct poses {
    struct stage *stage;
    const int *pose;
    float complex *csi;
};

static pw_status add_persons(pw_scenario *scenario, int index, void *user, pw_error *error)
{
    const struct poses *poses = user;
    const struct walk *walk = poses->stage->walk;
    for (int person = 0; person < walk->persons; person++) {
        const size_t at = (size_t)person * (size_t)walk->poses + (size_t)poses->pose[index];
        TRY(stage_add_person(poses->stage, scenario, walk->position[at], error));
    }
    return PW_OK;
}

static pw_status take_pose(const pw_result *result, int index, void *user, pw_error *error)
{
    struct poses *poses = user;
    const struct walk *walk = poses->stage->walk;
    const size_t links = walk_links(walk), values = (size_t)walk->frequencies * links;
    OWNED double complex *transfer = allocate(values, sizeof *transfer, "transfer functions", error);
    TRY_MADE(transfer);
    TRY(read_links(poses->stage, result, transfer, error));
    for (size_t n = 0; n < values; n++) {
        poses->csi[(size_t)index * values + n] = (float complex)(transfer[n] * to_antennas(walk, n / links, n % links));
    }
    return PW_OK;
}

pw_status stage_solve_poses(struct stage *stage, const int *pose, int count, float complex *csi, pw_error *error)
{
    struct poses poses = {.stage = stage, .pose = pose};
    poses.csi = csi;
    const char *overrides[] = {SMALL_REGION};
    const pw_variants variants = {.name = stage->file,
                                  .text = stage->text,
                                  .overrides = overrides,
                                  .override_count = 1,
                                  .noun = "run with persons in the plan",
                                  .count = count,
                                  .change = add_persons,
                                  .take = take_pose,
                                  .user = &poses};
    return solve_told(stage, &variants, "the floor with the persons in it", error);
}
