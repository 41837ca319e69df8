/* Sensitivities of the channel (api/study/gradients.h): what is varied, one run for each station, and the sums over the
 * nodes of the walls (gradients_sums.c). Leaves out receivers that move. */
#include "run/study/gradients.h"

#include <stdlib.h>
#include <string.h>

/* ---- what is varied ---- */

static pw_status add_parameter(struct gradients *made, const pw_parameter *parameter, pw_error *error)
{
    struct varied *more = realloc(made->varied, (size_t)(made->count + 1) * sizeof *more);
    FAIL_IF(more == NULL, error, PW_NO_RESOURCE, "not enough memory for the parameters");
    made->varied = more;
    more[made->count] = (struct varied){.parameter = *parameter};
    TRY(pw_parameter_look(made->scenario, parameter, &more[made->count].range, error));
    if (!(more[made->count].range.low > 0)) {
        char text[PW_PARAMETER_TEXT_SIZE];
        return fail(error, PW_BAD_INPUT, "%s is 0 on this plan: a relative change of it is none",
                    pw_parameter_text(parameter, text));
    }
    made->count++;
    return PW_OK;
}

/* A parameter that the plan has, unless it is known. */
static pw_status add_default(struct gradients *made, pw_parameter_kind kind, const char *material, pw_error *error)
{
    pw_parameter parameter = {.kind = kind};
    pw_parameter_range range;
    snprintf(parameter.name, sizeof parameter.name, "%s", material);
    for (int n = 0; n < made->count; n++) {
        const pw_parameter *known = &made->varied[n].parameter;
        if (known->kind == kind && strcmp(known->name, parameter.name) == 0) {
            return PW_OK;
        }
    }
    return pw_parameter_look(made->scenario, &parameter, &range, NULL) == PW_OK && range.low > 0
               ? add_parameter(made, &parameter, error)
               : PW_OK;
}

/* Permittivity and conductivity of a material, where it has them, or the resistance of a coating, of which that alone
 * says something; each material once. */
static pw_status add_material(struct gradients *made, const struct material_choice *choice, pw_error *error)
{
    if (strcmp(choice->name, "air") == 0) {
        return PW_OK;
    }
    if (material_is_film(choice)) {
        return add_default(made, PW_PARAMETER_RESISTANCE, choice->name, error);
    }
    TRY(add_default(made, PW_PARAMETER_PERMITTIVITY, choice->name, error));
    return add_default(made, PW_PARAMETER_CONDUCTIVITY, choice->name, error);
}

/* Whether a pixel of the plan's picture is of the material: legends name what could be, and each costs set-ups. */
static bool is_drawn(const struct floorplan *plan, const struct material_choice *choice)
{
    const size_t count = plan->pixels != NULL ? (size_t)plan->pixel_rows * (size_t)plan->pixel_columns : 0;
    const char *known = choice->own_values ? NULL : material_canonical(choice->name);
    bool drawn = plan->pixels == NULL;
    for (size_t n = 0; n < count && !drawn; n++) {
        const char *name = plan->materials[plan->pixels[n]].name;
        drawn = strcmp(name, choice->name) == 0 || (known != NULL && strcmp(name, known) == 0);
    }
    return drawn;
}

static pw_status choose_parameters(struct gradients *made, const pw_gradients_options *options, pw_error *error)
{
    const struct plan_choice *plan = &made->scenario->plan;
    for (int n = 0; n < options->parameter_count; n++) {
        TRY(add_parameter(made, &options->parameters[n], error));
    }
    for (int n = 0; options->parameter_count == 0 && n < plan->legend_count; n++) {
        if (is_drawn(&made->setup->plan, &plan->legend[n].material)) {
            TRY(add_material(made, &plan->legend[n].material, error));
        }
    }
    for (int n = 0; options->parameter_count == 0 && n < plan->shape_count; n++) {
        TRY(add_material(made, &plan->shapes[n].material, error));
    }
    for (int n = 0; options->parameter_count == 0 && options->thickness && n < plan->shape_count; n++) {
        if (plan->shapes[n].kind == SHAPE_WALL) {
            TRY(add_default(made, PW_PARAMETER_THICKNESS, plan->shapes[n].material.name, error));
        }
    }
    return made->count > 0 ? PW_OK
                           : fail(error, PW_BAD_INPUT,
                                  "the plan has no material with a permittivity or a conductivity that could change");
}

static int compare_places(const void *a, const void *b)
{
    const int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

/* All places that any parameter changes, each once, and where those of each parameter stand among them. */
static pw_status unite_places(struct gradients *made, pw_error *error)
{
    int64_t all = 0;
    for (int p = 0; p < made->count; p++) {
        all += made->varied[p].changes.count;
    }
    FAIL_IF(all == 0, error, PW_BAD_INPUT, "none of the parameters changes a node of the grid");
    made->place = allocate((size_t)all, sizeof *made->place, "places of the walls", error);
    TRY_MADE(made->place);
    all = 0;
    for (int p = 0; p < made->count; p++) {
        const struct node_changes *changes = &made->varied[p].changes;
        memcpy(made->place + all, changes->place, (size_t)changes->count * sizeof *made->place);
        all += changes->count;
    }
    qsort(made->place, (size_t)all, sizeof *made->place, compare_places);
    for (int64_t n = 0; n < all; n++) {
        if (n == 0 || made->place[n] != made->place[made->places - 1]) {
            made->place[made->places++] = made->place[n];
        }
    }
    for (int p = 0; p < made->count; p++) {
        struct varied *varied = &made->varied[p];
        varied->slot = allocate((size_t)varied->changes.count, sizeof *varied->slot, "places of the walls", error);
        TRY_MADE(varied->slot);
        for (int64_t n = 0, at = 0; n < varied->changes.count; n++) {
            while (made->place[at] != varied->changes.place[n]) {
                at++;
            }
            varied->slot[n] = at;
        }
    }
    return PW_OK;
}

/* ---- all of it ---- */

static pw_status check_setup(const struct setup *setup, pw_error *error)
{
    const struct problem *problem = &setup->problem;
    const char *file = setup->scenario->file;
    FAIL_IF(problem->tensor_count > 0, error, PW_BAD_INPUT,
            "%s: sensitivities are not computed where walls at an angle couple the components of the field. "
            "Give grid.averaging: area",
            file);
    FAIL_IF(problem->pole_media != NULL && problem->pole_medium_count > 0, error, PW_BAD_INPUT,
            "%s: sensitivities of plans with dispersive materials are not computed", file);
    FAIL_IF(setup->scenario->receiver_count == 0, error, PW_BAD_INPUT,
            "%s: a sensitivity is that of a link: give receivers, and `record: steps` where there are many", file);
    for (int r = 0; r < setup->scenario->receiver_count; r++) {
        const struct receiver *receiver = &setup->receivers[r];
        FAIL_IF(receiver->terms > 0, error, PW_BAD_INPUT,
                "%s: receiver '%s' has a pattern, and sensitivities in three dimensions are those of the field "
                "at a point: leave out its antenna",
                file, setup->scenario->receivers[r].name);
        FAIL_IF(!setup_is_3d(setup) && setup->scenario->receivers[r].antenna.kind == ANTENNA_PATTERN, error,
                PW_BAD_INPUT,
                "%s: receiver '%s' has a pattern, and sensitivities count waves from all sides alike: leave out its "
                "antenna",
                file, setup->scenario->receivers[r].name);
        FAIL_IF(receiver->placement.count == 0 && setup->scenario->receivers[r].polarisation.z != 0 &&
                    problem->probes[receiver->probe[2]].component == COMPONENT_HZ,
                error, PW_BAD_INPUT, "%s: receiver '%s' is a loop, and sensitivities are those of electric fields",
                file, setup->scenario->receivers[r].name);
    }
    FAIL_IF(problem->spectra.frequency_count == 0, error, PW_BAD_INPUT,
            "%s: sensitivities need running spectra, and the scenario has `spectra: off`", file);
    for (int t = 0; t < setup->scenario->transmitter_count; t++) {
        FAIL_IF(problem->sources[t].hard, error, PW_BAD_INPUT,
                "%s: transmitter '%s' is a hard source, which sets the field: use a soft one", file,
                setup->scenario->transmitters[t].name);
    }
    return PW_OK;
}

/* The set-up with everything chosen, so that a changed parameter changes nothing else. */
static pw_status set_up(const pw_scenario *scenario, pw_precision precision, struct gradients *made, pw_error *error)
{
    pw_setup *open = NULL;
    TRY(pw_setup_create(scenario, precision, false, &open, error));
    pw_status status = pw_scenario_parse(scenario->file, pw_setup_scenario_text(open), NULL, 0, &made->scenario, error);
    if (status == PW_OK) {
        struct setup_common common = {.transport = open->transport, .phase_cost = &open->phase_cost};
        pw_scenario_watch(made->scenario, scenario->go_on, scenario->go_on_user);
        status = setup_create_common(made->scenario, &common, precision, &made->setup, error);
        setup_common_free(&common);
    }
    pw_setup_free(open);
    THEN(status, check_setup(made->setup, error));
    return status;
}

static const double SETUP_PART = 0.1; /* of the work, as it is told */

/* Of the parameters that nobody named, those go that change no node, as of a legend, or a thickness that moves more. */
static pw_status find_changes(struct gradients *made, const pw_gradients_options *options, double step, pw_error *error)
{
    for (int p = 0; p < made->count; p++) {
        struct varied *varied = &made->varied[p];
        TRY(monitor_tell(&options->monitor, SETUP_PART * p / made->count, error));
        const pw_status status = node_changes_find(made->setup, pw_scenario_text(made->scenario), &varied->parameter,
                                                   step, options->parameter_count == 0, &varied->changes, error);
        const bool own = options->parameter_count == 0, none = status == PW_OK && varied->changes.count == 0,
                   moves = status == PW_BAD_INPUT && varied->parameter.kind == PW_PARAMETER_THICKNESS;
        if (own && (none || moves)) {
            node_changes_free(&varied->changes);
            made->varied[p--] = made->varied[--made->count];
        } else {
            TRY(status);
            made->left_out = varied->changes.left_out > made->left_out ? varied->changes.left_out : made->left_out;
        }
    }
    return PW_OK;
}

static pw_status solve(const pw_scenario *scenario, const pw_gradients_options *options, struct gradients *made,
                       pw_error *error)
{
    const double step = options->step > 0 ? options->step : 1e-3;
    pw_monitor_part part = {&options->monitor, SETUP_PART, 1};
    const pw_monitor runs = monitor_of_part(&part);
    struct compute compute;
    TRY(set_up(scenario, options->precision, made, error));
    TRY(compute_read(&options->compute, &made->setup->problem, &compute, error));
    TRY(choose_parameters(made, options, error));
    TRY(find_changes(made, options, step, error));
    TRY(unite_places(made, error));
    TRY(stations_add_receivers(made->setup, error));
    TRY(stations_solve(made->setup, &compute, made->place, made->places, &runs, &made->spectra, error));
    return gradients_sum(made, error);
}

pw_status pw_gradients_solve(const pw_scenario *scenario, const pw_gradients_options *options, pw_gradients **made,
                             pw_error *error)
{
    OWNED_AS(pw_gradients) *own = allocate(1, sizeof *own, "sensitivities", error);
    TRY_MADE(own);
    TRY(solve(scenario, options, own, error));
    *made = own;
    own = NULL;
    return PW_OK;
}

void pw_gradients_free(pw_gradients *gradients)
{
    if (gradients == NULL) {
        return;
    }
    for (int p = 0; p < gradients->count; p++) {
        node_changes_free(&gradients->varied[p].changes);
        free(gradients->varied[p].slot);
    }
    FREE_ALL(gradients->varied, gradients->place, gradients->response, gradients->gradient, gradients->stretch[0],
             gradients->stretch[1], gradients->stretch[2]);
    station_spectra_free(&gradients->spectra);
    pw_setup_free(gradients->setup);
    pw_scenario_free(gradients->scenario);
    free(gradients);
}

PW_RELEASES(pw_gradients, pw_gradients_free)
