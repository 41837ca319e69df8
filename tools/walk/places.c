/* Places of persons (places.h). */
#include "walk/places.h"

#include <math.h>
#include <stdlib.h>

struct places {
    pw_facts facts;
    double radius, air;   /* m */
    int lowest, highest;  /* levels that persons reach through: 0 and 0 in two dimensions */
    double *permittivity; /* (nz, ny, nx), owned; 0 in a perfect conductor */
    bool *conductor;      /* (nz, ny, nx), owned */
    struct walk *walk;
};

static const double *place_of(const struct walk *walk, int person, int pose)
{
    return walk->position[(size_t)person * (size_t)walk->poses + (size_t)pose];
}

/* At all levels that a person reaches through. */
static bool is_air(const struct places *places, int column, int row)
{
    bool air = true;
    for (int level = places->lowest; level <= places->highest && air; level++) {
        const size_t at =
            ((size_t)level * (size_t)places->facts.ny + (size_t)row) * (size_t)places->facts.nx + (size_t)column;
        air = !places->conductor[at] && fabs(places->permittivity[at] - 1) <= 1e-3;
    }
    return air;
}

static int column_of(const struct places *places, double x)
{
    return (int)lround((x - places->facts.origin_x) / places->facts.cell);
}

static int row_of(const struct places *places, double y)
{
    return (int)lround((y - places->facts.origin_y) / places->facts.cell);
}

static bool air_around(const struct places *places, const double at[2])
{
    const pw_facts *facts = &places->facts;
    const int reach = (int)ceil(places->air / facts->cell), column = column_of(places, at[0]),
              row = row_of(places, at[1]);
    for (int j = row - reach; j <= row + reach; j++) {
        for (int i = column - reach; i <= column + reach; i++) {
            const double x = facts->origin_x + i * facts->cell - at[0], y = facts->origin_y + j * facts->cell - at[1];
            if (hypot(x, y) <= places->air && !is_air(places, i, j)) {
                return false;
            }
        }
    }
    return true;
}

/* In two dimensions everything is as high as persons are. */
static bool is_over(const struct walk *walk, const double station[3], double gap)
{
    return walk->space && (station[2] > walk->high + gap || station[2] < walk->low - gap);
}

static pw_status check_place(const struct places *places, const double at[2], pw_error *error)
{
    const struct walk *walk = places->walk;
    const pw_facts *facts = &places->facts;
    const double air = places->air;
    if (!(at[0] >= air && at[1] >= air && at[0] <= facts->plan_width - air && at[1] <= facts->plan_height - air)) {
        return fail(error, PW_BAD_INPUT,
                    "at (%.4g, %.4g) m a person of radius %.3g m is not on the plan, %.4g x %.4g m, or within %.3g m "
                    "of its edge",
                    at[0], at[1], places->radius, facts->plan_width, facts->plan_height, air);
    }
    if (!air_around(places, at)) {
        return fail(error, PW_BAD_INPUT,
                    "at (%.4g, %.4g) m a person of radius %.3g m meets a wall or a thing: it needs %.3g m of air on "
                    "all sides of its middle",
                    at[0], at[1], places->radius, air);
    }
    for (int s = 0; s < walk->transmitters + walk->receivers; s++) {
        const double gap = 2 * facts->cell, *station = walk->place[s];
        if (hypot(station[0] - at[0], station[1] - at[1]) < air + gap && !is_over(walk, station, gap)) {
            return fail(error, PW_BAD_INPUT, "at (%.4g, %.4g) m a person of radius %.3g m stands on '%s'", at[0], at[1],
                        places->radius, walk->name[s]);
        }
    }
    return PW_OK;
}

/* Whether air alone is between two places, looked at every half cell. */
static bool air_between(const struct places *places, const double from[2], const double to[2])
{
    const int steps = (int)ceil(2 * hypot(to[0] - from[0], to[1] - from[1]) / places->facts.cell) + 1;
    for (int n = 0; n <= steps; n++) {
        const double share = (double)n / steps;
        if (!is_air(places, column_of(places, from[0] + share * (to[0] - from[0])),
                    row_of(places, from[1] + share * (to[1] - from[1])))) {
            return false;
        }
    }
    return true;
}

static pw_status check_pair(const struct places *places, int p, int q, int pose, pw_error *error)
{
    const struct walk *walk = places->walk;
    const size_t persons = (size_t)walk->persons;
    const double *from = place_of(walk, p, pose), *to = place_of(walk, q, pose);
    bool *sees = walk->sees + (size_t)pose * persons * persons;
    if (hypot(to[0] - from[0], to[1] - from[1]) < 2 * places->radius) {
        return fail(error, PW_BAD_INPUT, "persons %d and %d meet at (%.4g, %.4g) m, %.4g s after they have started",
                    p + 1, q + 1, from[0], from[1], pose / walk->rate);
    }
    sees[(size_t)p * persons + (size_t)q] = sees[(size_t)q * persons + (size_t)p] = air_between(places, from, to);
    return PW_OK;
}

static pw_status check_all(struct places *places, pw_error *error)
{
    const struct walk *walk = places->walk;
    for (int person = 0; person < walk->persons; person++) {
        for (int pose = 0; pose < walk->poses; pose++) {
            TRY(check_place(places, place_of(walk, person, pose), error));
        }
    }
    for (int pose = 0; pose < walk->poses; pose++) {
        for (int pair = 0; pair < walk->persons * walk->persons; pair++) {
            if (pair / walk->persons < pair % walk->persons) {
                TRY(check_pair(places, pair / walk->persons, pair % walk->persons, pose, error));
            }
        }
    }
    return PW_OK;
}

/* What is not air, for pictures. */
static pw_status take_floor(const struct places *places, pw_error *error)
{
    const pw_facts *facts = &places->facts;
    struct walk_floor *floor = &places->walk->floor;
    const size_t nodes = (size_t)facts->nx * (size_t)facts->ny;
    *floor = (struct walk_floor){
        facts->plan_width, facts->plan_height, facts->origin_x, facts->origin_y,
        facts->cell,       facts->nx,          facts->ny,       allocate(nodes, 1, "the plan", error)};
    TRY_MADE(floor->solid);
    for (size_t n = 0; n < nodes; n++) {
        floor->solid[n] = !is_air(places, (int)(n % (size_t)facts->nx), (int)(n / (size_t)facts->nx));
    }
    return PW_OK;
}

enum { MIXED = 3 }; /* cells beside floor and ceiling in which the medium may be a mean of both sides */

/* Levels of three dimensions that persons reach through, without those at floor and ceiling. */
static void choose_levels(struct places *places)
{
    const pw_facts *facts = &places->facts;
    const struct walk *walk = places->walk;
    const double slack = 1e-6, low = (walk->low - facts->origin_z) / facts->cell,
                 high = (walk->high - facts->origin_z) / facts->cell,
                 ceiling = (walk->ceiling - facts->origin_z) / facts->cell;
    if (walk->space) {
        places->lowest = (int)floor(low + slack) + MIXED;
        places->highest = (int)fmin(ceil(high - slack), ceil(ceiling - slack) - MIXED) - 1;
        places->highest = places->highest > places->lowest ? places->highest : places->lowest;
    }
}

pw_status places_check(const pw_setup *setup, double radius, double air, struct walk *walk, pw_error *error)
{
    struct places places = {.facts = pw_setup_facts(setup), .radius = radius, .air = air, .walk = walk};
    const size_t nodes = (size_t)places.facts.nx * (size_t)places.facts.ny * (size_t)places.facts.nz,
                 persons = (size_t)walk->persons;
    TRY(pw_memory_check((double)(nodes * (sizeof *places.permittivity + sizeof *places.conductor)), "the plan",
                        "larger cells (grid.cell)", error));
    choose_levels(&places);
    places.permittivity = allocate(nodes, sizeof *places.permittivity, "the plan", error);
    places.conductor = allocate(nodes, sizeof *places.conductor, "the plan", error);
    walk->sees = allocate((size_t)walk->poses * persons * persons, sizeof *walk->sees, "who sees whom", error);
    pw_status status =
        places.permittivity == NULL || places.conductor == NULL || walk->sees == NULL ? PW_NO_RESOURCE : PW_OK;
    THEN(status, pw_setup_medium(setup, places.permittivity, NULL, places.conductor, error));
    THEN(status, check_all(&places, error));
    THEN(status, take_floor(&places, error));
    free(places.permittivity);
    free(places.conductor);
    return status;
}
