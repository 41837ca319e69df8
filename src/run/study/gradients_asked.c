/* What is asked of gradients: levels, maps, and central differences beside them (gradients.h). */
#include "run/study/gradients.h"

#include "channel/slant/slant.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LOOK_EVERY = 512 /* nodes, between looks whether anybody still waits */ };

/* ---- what is asked of it ---- */

pw_gradients_facts pw_gradients_describe(const pw_gradients *gradients)
{
    const struct setup *setup = gradients->setup;
    const pw_facts facts = pw_setup_facts(setup);
    return (pw_gradients_facts){.transmitters = transmitters_of(gradients),
                                .receivers = receivers_of(gradients),
                                .parameters = gradients->count,
                                .frequencies = gradients->spectra.frequencies,
                                .nx = setup->problem.axis[0].count,
                                .ny = setup->problem.axis[1].count,
                                .cell = setup->problem.axis[0].spacing,
                                .origin_x = setup->origin.x,
                                .origin_y = setup->origin.y,
                                .plan_width = facts.plan_width,
                                .plan_height = facts.plan_height,
                                .nodes = gradients->places,
                                .left_out = gradients->left_out,
                                .runs = gradients->spectra.runs};
}

pw_parameter pw_gradients_parameter(const pw_gradients *gradients, int parameter, pw_parameter_range *range)
{
    if (range != NULL) {
        *range = gradients->varied[parameter].range;
    }
    return gradients->varied[parameter].parameter;
}

const double *pw_gradients_frequencies(const pw_gradients *gradients)
{
    return gradients->setup->frequency;
}

const double *pw_gradients_response(const pw_gradients *gradients, int transmitter, int receiver)
{
    return gradients->response + 2 * link_of(gradients, transmitter, receiver) * (size_t)gradients->spectra.frequencies;
}

const double *pw_gradients_of_response(const pw_gradients *gradients, int transmitter, int receiver, int parameter)
{
    const size_t at = link_of(gradients, transmitter, receiver) * (size_t)gradients->count + (size_t)parameter;
    return gradients->gradient + 2 * at * (size_t)gradients->spectra.frequencies;
}

/* d(10 lg P) of the power P = sum over f of |H|^2, per re H and im H: weights (frequencies, re/im). */
static double level_weight(const double *h, int frequencies)
{
    double power = 0;
    for (int f = 0; f < 2 * frequencies; f++) {
        power += h[f] * h[f];
    }
    return power > 0 ? 20 / (M_LN10 * power) : 0;
}

/* What the step from two dimensions to three adds to the level of a link, by distance and heights [dB], with the
 * transmitter moved by (x, y); in three dimensions 0. */
static double spreading_level(const struct gradients *made, const struct scenario *scenario, const int link[2],
                              double x, double y)
{
    const struct transmitter_choice *from = &scenario->transmitters[link[0]];
    const struct receiver_choice *to = &scenario->receivers[link[1]];
    const double along[2] = {to->at.x - from->at.x - x, to->at.y - from->at.y - y}, length = hypot(along[0], along[1]),
                 rise = to->height - from->height;
    const double *frequency = made->setup->frequency;
    struct slant slant = {.rise = isnan(rise) ? 0 : rise, .departure = from->antenna, .arrival = to->antenna};
    for (int a = 0; a < 2; a++) {
        slant.along[a] = length > 0 ? along[a] / length : 0;
    }
    const double middle = 0.5 * (frequency[0] + frequency[made->spectra.frequencies - 1]);
    return setup_is_3d(made->setup) ? 0 : 10 * log10(slant_spread(&slant, length, middle));
}

/* Its derivative per relative change of a parameter: of the place of the link's transmitter, else 0. */
static double spreading_slope(const struct gradients *made, const int link[2], int parameter)
{
    static const double step = 1e-5; /* m */
    const struct varied *varied = &made->varied[parameter];
    const bool x = varied->parameter.kind == PW_PARAMETER_X;
    if (varied->changes.transmitter != link[0]) {
        return 0;
    }
    const double further = spreading_level(made, made->scenario, link, x ? step : 0, x ? 0 : step),
                 nearer = spreading_level(made, made->scenario, link, x ? -step : 0, x ? 0 : -step);
    return varied->range.low * (further - nearer) / (2 * step);
}

pw_gradients_level pw_gradients_of_level(const pw_gradients *gradients, int transmitter, int receiver, int parameter)
{
    const int frequencies = gradients->spectra.frequencies;
    const double *h = pw_gradients_response(gradients, transmitter, receiver),
                 *dh = pw_gradients_of_response(gradients, transmitter, receiver, parameter);
    const pw_parameter_range *range = &gradients->varied[parameter].range;
    double sum = 0;
    for (int f = 0; f < 2 * frequencies; f++) {
        sum += h[f] * dh[f];
    }
    const double relative = level_weight(h, frequencies) * sum +
                            spreading_slope(gradients, (const int[]){transmitter, receiver}, parameter);
    const bool one = range->high <= range->low * (1 + 1e-9);
    return (pw_gradients_level){.per_relative = relative, .per_unit = one ? relative / range->low : NAN};
}

/* What place n of a parameter adds to the level; factors (frequencies, 2): of its products with storage and with
 * conservation. */
static double level_part(const struct gradients *gradients, const struct varied *varied, int64_t n,
                         const int station[2], const double complex *factors)
{
    double storage = 0, conservation = 0;
    for (int f = 0; f < gradients->spectra.frequencies; f += PART_FREQUENCIES) {
        struct products products;
        const int parts = place_products(gradients, varied, n, station, f, &products);
        for (int k = 0; k < parts; k++) {
            const double complex *factor = factors + (ptrdiff_t)2 * (f + k);
            storage += creal(factor[0]) * products.re[k] - cimag(factor[0]) * products.im[k];
            conservation += creal(factor[1]) * products.re[k] - cimag(factor[1]) * products.im[k];
        }
    }
    return varied->changes.storage[n] * storage + varied->changes.conservation[n] * conservation;
}

pw_status pw_gradients_map(const pw_gradients *gradients, int transmitter, int receiver, int first, int count,
                           double *map, pw_error *error)
{
    const int frequencies = gradients->spectra.frequencies,
              station[2] = {transmitter, transmitters_of(gradients) + receiver};
    FAIL_IF(first < 0 || count < 0 || first + count > gradients->count, error, PW_USAGE,
            "pw_gradients_map: parameters %d to %d of %d", first, first + count - 1, gradients->count);
    const struct problem *problem = &gradients->setup->problem;
    const int64_t floor = (int64_t)problem->axis[0].count * problem->axis[1].count;
    const double *h = pw_gradients_response(gradients, transmitter, receiver),
                 weight = level_weight(h, frequencies) / pow(problem->axis[0].spacing, 2);
    double complex *factors = allocate(2 * (size_t)frequencies, sizeof *factors, "factors of frequencies", error);
    TRY_MADE(factors);
    memset(map, 0, (size_t)floor * sizeof *map);
    pw_status status = PW_OK;
    for (int p = first; p < first + count; p++) {
        const struct varied *varied = &gradients->varied[p];
        for (int f = 0; f < frequencies; f++) {
            change_factors(gradients, varied, transmitter, f, factors + (ptrdiff_t)2 * f);
            factors[2 * f] *= weight * (h[2 * f] - I * h[2 * f + 1]);
            factors[2 * f + 1] *= weight * (h[2 * f] - I * h[2 * f + 1]);
        }
        for (int64_t n = 0; status == PW_OK && varied->changes.transmitter < 0 && n < varied->changes.count; n++) {
            map[varied->changes.place[n] % problem_nodes(problem) % floor] +=
                level_part(gradients, varied, n, station, factors);
            status = n % LOOK_EVERY == 0 ? gradients_wanted(gradients, error) : PW_OK;
        }
    }
    free(factors);
    return status;
}

/* ---- by central differences -------------------------------------------------------------------------------------- */

/* Adds `sign` times the level [dB] of every link with the parameter multiplied by `factor`. */
static pw_status add_levels(const struct gradients *made, const struct compute *compute, const pw_parameter *parameter,
                            double factor, double sign, double *levels, pw_error *error)
{
    OWNED_AS(pw_scenario) *scenario = NULL;
    OWNED_AS(pw_setup) *setup = NULL;
    OWNED_BY(station_spectra_free) struct station_spectra spectra = {0};
    const int transmitters = transmitters_of(made), receivers = receivers_of(made),
              values = 2 * made->spectra.frequencies;
    TRY(pw_scenario_parse(made->scenario->file, pw_scenario_text(made->scenario), NULL, 0, &scenario, error));
    TRY(pw_parameter_scale(scenario, parameter, factor, error));
    TRY(pw_setup_create(scenario, made->setup->problem.precision, false, &setup, error));
    TRY(stations_solve(setup, compute, NULL, 0, NULL, &spectra, error));
    for (int link = 0; link < transmitters * receivers; link++) {
        const double *heard = spectra.heard + (size_t)link * (size_t)values,
                     *current = spectra.current + (size_t)(link / receivers) * (size_t)values;
        double power = 0;
        for (int f = 0; f < values; f += 2) {
            power += (heard[f] * heard[f] + heard[f + 1] * heard[f + 1]) /
                     (current[f] * current[f] + current[f + 1] * current[f + 1]);
        }
        levels[link] +=
            sign * (10 * log10(power) +
                    spreading_level(made, scenario, (const int[]){link / receivers, link % receivers}, 0, 0));
    }
    return PW_OK;
}

pw_status pw_gradients_check(const pw_gradients *gradients, const pw_compute *asked, int parameter, double step,
                             double *per_relative, pw_error *error)
{
    const pw_parameter *varied = &gradients->varied[parameter].parameter;
    const int links = transmitters_of(gradients) * receivers_of(gradients);
    struct compute compute;
    TRY(compute_read(asked, &gradients->setup->problem, &compute, error));
    memset(per_relative, 0, (size_t)links * sizeof *per_relative);
    TRY(add_levels(gradients, &compute, varied, 1 + step, 1 / (2 * step), per_relative, error));
    return add_levels(gradients, &compute, varied, 1 - step, -1 / (2 * step), per_relative, error);
}
