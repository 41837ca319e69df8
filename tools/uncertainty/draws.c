/* Draws of what is not known (draws.h). */
#include "uncertainty/draws.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double MOST_LOG = 2.0, MOST_UNIFORM = 0.95, MOST_SHIFT = 100.0;

double normal_quantile(double p)
{
    double low = -40.0, high = 40.0;
    for (int n = 0; n < 64; n++) {
        double middle = (low + high) / 2;
        bool under = 0.5 * erfc(-middle / M_SQRT2) < p;
        low = under ? middle : low;
        high = under ? high : middle;
    }
    return (low + high) / 2;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static pw_status width_check(const pw_spread *spread, bool is_position, pw_error *error)
{
    double most = is_position ? MOST_SHIFT : spread->uniform ? MOST_UNIFORM : MOST_LOG;
    FAIL_IF(!(spread->width > 0.0 && spread->width <= most), error, PW_USAGE,
            "%s: a spread of %g%s: allowed are numbers above 0, up to %g%s", spread->parameter,
            is_position ? spread->width : 100 * spread->width, is_position ? " m" : " %",
            is_position ? most : 100 * most, is_position ? " m" : " %");
    return PW_OK;
}

/* "west:position": true when the text is one, and the name before the colon. */
static bool position_parse(const char *text, char name[PW_NAME_SIZE])
{
    const char *colon = strrchr(text, ':');
    size_t length = colon != NULL ? (size_t)(colon - text) : 0;
    if (length == 0 || length >= PW_NAME_SIZE || strcmp(colon, ":position") != 0) {
        return false;
    }
    memcpy(name, text, length);
    name[length] = '\0';
    return true;
}

static pw_status position_add(const pw_scenario *scenario, struct dimension *like, struct draws *draws, pw_error *error)
{
    FAIL_IF(pw_scenario_find_transmitter(scenario, like->transmitter) < 0, error, PW_BAD_INPUT,
            "%s:position: the scenario has no transmitter '%s'", like->transmitter, like->transmitter);
    like->is_position = true;
    for (int axis = 0; axis < 2; axis++) {
        like->along_y = axis == 1;
        draws->dimension[draws->dimensions++] = *like;
    }
    return PW_OK;
}

static pw_status seed_add(const pw_scenario *scenario, struct dimension *like, struct draws *draws, pw_error *error)
{
    if (pw_scenario_clutter_count(scenario) == 0) {
        return fail(error, PW_BAD_INPUT, "clutter:seed: the plan has no clutter; add e.g. clutter: home to the plan");
    }
    like->is_seed = like->uniform = true;
    draws->dimension[draws->dimensions++] = *like;
    return PW_OK;
}

static pw_status spread_add(const pw_scenario *scenario, const pw_spread *spread, struct dimension *like,
                            struct draws *draws, pw_error *error)
{
    pw_parameter_range range;
    FAIL_IF(spread->parameter == NULL, error, PW_USAGE, "spread %d names no parameter", like->spread + 1);
    if (strcmp(spread->parameter, "clutter:seed") == 0) {
        return seed_add(scenario, like, draws, error);
    }
    bool is_position = position_parse(spread->parameter, like->transmitter);
    TRY(width_check(spread, is_position, error));
    if (is_position) {
        return position_add(scenario, like, draws, error);
    }
    TRY(pw_parameter_parse(spread->parameter, &like->parameter, error));
    FAIL_IF(like->parameter.kind >= PW_PARAMETER_X, error, PW_BAD_INPUT,
            "%s: where a transmitter stands is varied by %s:position, in metres", spread->parameter,
            like->parameter.name);
    TRY(pw_parameter_look(scenario, &like->parameter, &range, error));
    FAIL_IF(range.high == 0.0, error, PW_BAD_INPUT, "%s is 0, which stays 0 whatever it is multiplied by",
            spread->parameter);
    draws->dimension[draws->dimensions++] = *like;
    return PW_OK;
}

static pw_status spreads_read(const pw_scenario *scenario, const pw_spread *spreads, int count, struct draws *draws,
                              pw_error *error)
{
    if (spreads == NULL || count < 1 || count > PW_SPREADS) {
        return fail(error, PW_USAGE, "%d spreads; allowed are 1 to %d", count, PW_SPREADS);
    }
    for (int s = 0; s < count; s++) {
        struct dimension like = {.spread = s, .uniform = spreads[s].uniform, .width = spreads[s].width};
        TRY(spread_add(scenario, &spreads[s], &like, draws, error));
        for (int other = 0; other < s; other++) {
            FAIL_IF(strcmp(spreads[other].parameter, spreads[s].parameter) == 0, error, PW_USAGE, "%s is given twice",
                    spreads[s].parameter);
        }
    }
    return PW_OK;
}

/* ---- drawing ----------------------------------------------------------------------------------------------------- */

static uint64_t below(uint64_t *state, uint64_t count)
{
    return (uint64_t)(pw_random_unit(pw_random_next(state)) * (double)count);
}

pw_status draws_fill(const struct draws *draws, int count, uint64_t seed, double *number, pw_error *error)
{
    uint64_t state = pw_random_hash(seed);
    int *part = allocate((size_t)count, sizeof *part, "draws", error);
    TRY_MADE(part);
    for (int d = 0; d < draws->dimensions; d++) {
        for (int n = 0; n < count; n++) { /* a permutation, grown by one at a time */
            int at = (int)below(&state, (uint64_t)n + 1);
            part[n] = part[at];
            part[at] = n;
        }
        for (int n = 0; n < count; n++) {
            /* Never 0 or 1, where a normal number has no value. */
            double inside = pw_random_unit(pw_random_next(&state));
            double p = (part[n] + fmin(fmax(inside, 1e-6), 1 - 1e-6)) / count;
            number[(size_t)n * (size_t)draws->dimensions + (size_t)d] =
                draws->dimension[d].uniform ? 2 * p - 1 : normal_quantile(p);
        }
    }
    free(part);
    return PW_OK;
}

/* Where the P90 of a dimension's number lies. */
static double draws_reach(const struct draws *draws, int dimension)
{
    return draws->dimension[dimension].uniform ? 0.8 : normal_quantile(0.9);
}

void draws_step(struct draws *draws)
{
    memset(draws->number, 0, (size_t)draws->count * (size_t)draws->dimensions * sizeof *draws->number);
    for (int d = 0; d < draws->dimensions; d++) {
        double *up = draws->number + 2 * (size_t)d * (size_t)draws->dimensions, *down = up + draws->dimensions;
        up[d] = draws_reach(draws, d);
        down[d] = -up[d];
    }
}

pw_status draws_create(const pw_scenario *scenario, const pw_spread *spreads, int spread_count, int count,
                       uint64_t seed, struct draws *draws, pw_error *error)
{
    *draws = (struct draws){0};
    TRY(spreads_read(scenario, spreads, spread_count, draws, error));
    draws->count = count > 0 ? count : 2 * draws->dimensions;
    draws->number = allocate((size_t)draws->count * (size_t)draws->dimensions, sizeof *draws->number, "draws", error);
    TRY_MADE(draws->number);
    if (count == 0) {
        draws_step(draws);
        return PW_OK;
    }
    return draws_fill(draws, count, seed, draws->number, error);
}

void draws_free(struct draws *draws)
{
    free(draws->number);
    draws->number = NULL;
}

bool draws_have_seeds(const struct draws *draws)
{
    bool any = false;
    for (int d = 0; d < draws->dimensions; d++) {
        any = any || draws->dimension[d].is_seed;
    }
    return any;
}

/* ---- using them -------------------------------------------------------------------------------------------------- */

pw_status draw_apply(const struct draws *draws, const double *number, pw_scenario *scenario, pw_error *error)
{
    for (int d = 0; d < draws->dimensions; d++) {
        const struct dimension *dimension = &draws->dimension[d];
        double moved = dimension->width * number[d];
        if (dimension->is_seed) { /* all parts of a Latin hypercube have numbers of their own */
            uint64_t bits = pw_random_hash((uint64_t)llround(0x1p40 * (number[d] + 2.0)));
            pw_scenario_set_clutter_seed(scenario, (int)(bits & 0x7fffffffu));
            continue;
        }
        if (!dimension->is_position) {
            double factor = dimension->uniform ? 1 + moved : exp(moved);
            TRY(pw_parameter_scale(scenario, &dimension->parameter, factor, error));
            continue;
        }
        pw_scenario_move_transmitter(scenario, pw_scenario_find_transmitter(scenario, dimension->transmitter),
                                     dimension->along_y ? 0 : moved, dimension->along_y ? moved : 0);
    }
    return PW_OK;
}
