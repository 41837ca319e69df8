/* Which grid, stations and frequencies a walk is computed with (stage.h). */
#include "walk/stage.h"

#include "walk/places.h"
#include "walk/scatter/scatter.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATIONS = 256 }; /* each is a run */

/* ---- stations ---------------------------------------------------------------------------------------------------- */

static int index_of_receiver(const pw_scenario *scenario, const char *name)
{
    for (int n = 0; n < pw_scenario_describe(scenario).receiver_count; n++) {
        if (strcmp(pw_scenario_describe_receiver(scenario, n).name, name) == 0) {
            return n;
        }
    }
    return -1;
}

static pw_status take_receiver(const pw_scenario *scenario, int index, struct stage *stage, pw_error *error)
{
    struct walk *walk = stage->walk;
    const pw_scenario_receiver facts = pw_scenario_describe_receiver(scenario, index);
    const int station = walk->transmitters + walk->receivers;
    if (!facts.alike) {
        return fail(error, PW_BAD_INPUT, "receiver '%s' %s: walk computes receivers that take in alike from all sides",
                    facts.name, walk->horizontal ? "is no loop" : "does not stand upright or has a pattern");
    }
    snprintf(walk->name[station], PW_NAME_SIZE, "%s", facts.name);
    walk->place[station][0] = facts.x;
    walk->place[station][1] = facts.y;
    walk->place[station][2] = facts.height;
    stage->receiver[walk->receivers++] = index;
    return PW_OK;
}

static pw_status take_transmitter(const pw_scenario *scenario, int index, struct walk *walk, pw_error *error)
{
    const pw_scenario_transmitter facts = pw_scenario_describe_transmitter(scenario, index);
    if (facts.sets_field || !facts.alike) {
        return fail(error, PW_BAD_INPUT, "transmitter '%s' %s: walk computes soft points that send alike to all sides",
                    facts.name,
                    facts.sets_field   ? "is a hard source"
                    : walk->horizontal ? "is a line or no loop"
                                       : "is a line, does not stand upright or has a pattern");
    }
    snprintf(walk->name[walk->transmitters], PW_NAME_SIZE, "%s", facts.name);
    walk->place[walk->transmitters][0] = facts.x;
    walk->place[walk->transmitters][1] = facts.y;
    walk->place[walk->transmitters++][2] = facts.height;
    return PW_OK;
}

static pw_status choose_stations(const pw_scenario *scenario, struct stage *stage, pw_error *error)
{
    const pw_walk_options *options = stage->options;
    const pw_scenario_facts facts = pw_scenario_describe(scenario);
    struct walk *walk = stage->walk;
    const int transmitters = options->transmitter_count > 0 ? options->transmitter_count : facts.transmitter_count,
              receivers = options->receiver_count > 0 ? options->receiver_count : facts.receiver_count;
    const size_t stations = (size_t)transmitters + (size_t)receivers;
    if (receivers == 0) {
        return fail(error, PW_BAD_INPUT,
                    "%s: a walk changes links: give receivers, and `record: steps` where there are many", facts.file);
    }
    if (stations > STATIONS) {
        return fail(error, PW_BAD_INPUT, "%zu transmitters and receivers; allowed are %d: choose fewer", stations,
                    STATIONS);
    }
    walk->name = allocate(stations, sizeof *walk->name, "names of stations", error);
    walk->place = allocate(stations, sizeof *walk->place, "places of stations", error);
    stage->kept = allocate((size_t)transmitters, sizeof *stage->kept, "transmitters", error);
    stage->receiver = allocate((size_t)receivers, sizeof *stage->receiver, "receivers", error);
    TRY_MADE(walk->name);
    TRY_MADE(walk->place);
    TRY_MADE(stage->kept);
    TRY_MADE(stage->receiver);
    for (int n = 0; n < transmitters; n++) {
        const char *name = options->transmitter_count > 0 ? options->transmitters[n] : NULL;
        const int index = name != NULL ? pw_scenario_find_transmitter(scenario, name) : n;
        if (index < 0 || n >= facts.transmitter_count) {
            return fail(error, PW_USAGE, "transmitter '%s' is not in the scenario. The first is '%s'", name,
                        pw_scenario_describe_transmitter(scenario, 0).name);
        }
        stage->kept[n] = index;
        TRY(take_transmitter(scenario, index, walk, error));
    }
    for (int n = 0; n < receivers; n++) {
        const char *name = options->receiver_count > 0 ? options->receivers[n] : NULL;
        const int index = name != NULL ? index_of_receiver(scenario, name) : n;
        if (index < 0) {
            return fail(error, PW_USAGE, "receiver '%s' is not in the scenario, or not recorded at every step", name);
        }
        TRY(take_receiver(scenario, index, stage, error));
    }
    return PW_OK;
}

/* ---- frequencies ------------------------------------------------------------------------------------------------- */

/* The subcarriers, and the band that ends at the outermost with so many frequencies that all of them are hit. */
static pw_status choose_subcarriers(const pw_scenario *scenario, struct stage *stage, char band[2][96], pw_error *error)
{
    struct walk *walk = stage->walk;
    const double centre = pw_scenario_describe(scenario).band_centre;
    TRY(pw_subcarriers(stage->options->subcarriers, centre, NULL, &walk->frequencies, error));
    walk->frequency = allocate((size_t)walk->frequencies, sizeof *walk->frequency, "frequencies", error);
    stage->pick = allocate((size_t)walk->frequencies, sizeof *stage->pick, "frequencies", error);
    TRY_MADE(walk->frequency);
    TRY_MADE(stage->pick);
    TRY(pw_subcarriers(stage->options->subcarriers, centre, walk->frequency, &walk->frequencies, error));
    const double first = walk->frequency[0], last = walk->frequency[walk->frequencies - 1];
    double spacing = last - first;
    for (int f = 1; f < walk->frequencies; f++) {
        spacing = fmin(spacing, walk->frequency[f] - walk->frequency[f - 1]);
    }
    if (!(spacing > 0)) {
        return fail(error, PW_USAGE, "subcarriers '%s': a walk needs two frequencies or more",
                    stage->options->subcarriers);
    }
    for (int f = 0; f < walk->frequencies; f++) {
        stage->pick[f] = (int)lround((walk->frequency[f] - first) / spacing);
    }
    snprintf(band[0], sizeof band[0], "band={centre: %.17g Hz, width: %.17g Hz}", 0.5 * (first + last), last - first);
    snprintf(band[1], sizeof band[1], "spectra.count=%d", stage->pick[walk->frequencies - 1] + 1);
    return PW_OK;
}

static pw_status choose_frequencies(const pw_facts *facts, const pw_scenario_facts *scenario, struct stage *stage,
                                    pw_error *error)
{
    struct walk *walk = stage->walk;
    if (walk->frequency != NULL) {
        return PW_OK;
    }
    walk->frequencies = facts->frequency_count;
    walk->frequency = allocate((size_t)walk->frequencies, sizeof *walk->frequency, "frequencies", error);
    stage->pick = allocate((size_t)walk->frequencies, sizeof *stage->pick, "frequencies", error);
    TRY_MADE(walk->frequency);
    TRY_MADE(stage->pick);
    for (int f = 0; f < walk->frequencies; f++) {
        const double share = walk->frequencies > 1 ? (double)f / (walk->frequencies - 1) : 0.5;
        walk->frequency[f] = scenario->band_centre + (share - 0.5) * scenario->band_width;
        stage->pick[f] = f;
    }
    return PW_OK;
}

/* ---- grid -------------------------------------------------------------------------------------------------------- */

static void tell_warnings(const pw_walk_options *options, const pw_setup *setup)
{
    for (size_t n = 0; options->warn != NULL && n < pw_setup_warning_count(setup); n++) {
        options->warn(pw_setup_warning(setup, n), options->user);
    }
}

static void note_grid(const pw_walk_options *options, const pw_facts *facts)
{
    char text[200], cell[PW_NUMBER_SIZE], cells[PW_NUMBER_SIZE];
    if (options->note != NULL) {
        snprintf(text, sizeof text, "cells of %s cm for persons in the plan: %s per wavelength in muscle",
                 pw_number_text(100 * facts->cell, 3, cell), pw_number_text(facts->cells_per_wavelength, 2, cells));
        options->note(text, options->user);
    }
}

pw_status stage_add_person(const struct stage *stage, pw_scenario *scenario, const double at[2], pw_error *error)
{
    const struct walk *walk = stage->walk;
    return walk->space ? pw_scenario_add_cylinder(scenario, at[0], at[1], walk->radius, walk->low, walk->high,
                                                  stage->material, error)
                       : pw_scenario_add_circle(scenario, at[0], at[1], walk->radius, stage->material, error);
}

/* Whole solves need cells that are small enough for tissue, and time steps that go with it: those that would be chosen
 * with a person on the plan, in three dimensions one as high as the plan, since what is chosen there is chosen at the
 * height of a transmitter. */
static pw_status choose_grid(const pw_scenario *scenario, const struct stage *stage, char grid[2][64], pw_error *error)
{
    const pw_walk_options *options = stage->options;
    pw_scenario *with = NULL;
    pw_setup *setup = NULL;
    grid[0][0] = '\0';
    if (options->method != PW_WALK_EXACT && options->checks == 0) {
        return PW_OK;
    }
    TRY(pw_scenario_parse(stage->file, pw_scenario_text(scenario), NULL, 0, &with, error));
    const double *at = stage->walk->position[0];
    pw_status status = pw_scenario_add_circle(with, at[0], at[1], options->radius, stage->material, error);
    THEN(status, pw_setup_create(with, PW_SINGLE, false, &setup, error));
    if (status == PW_OK) {
        const pw_facts facts = pw_setup_facts(setup);
        if (!stage->walk->space) { /* whose circle may reach a station that is over a person */
            tell_warnings(options, setup);
        }
        note_grid(options, &facts);
        snprintf(grid[0], sizeof grid[0], "grid.cell=%.17g m", facts.cell);
        snprintf(grid[1], sizeof grid[1], "grid.courant=%.17g", facts.courant);
    }
    pw_setup_free(setup);
    pw_scenario_free(with);
    return status;
}

double stage_node(const struct stage *stage)
{
    return stage->walk->horizontal ? 0.5 : 0;
}

/* Points of the lattice that send, too. The lattice begins and ends on nodes, which the points are. */
static pw_status choose_points(struct stage *stage, const pw_facts *facts, int spacing, const double low[2],
                               const double high[2], pw_error *error)
{
    const double node = stage_node(stage) * facts->cell, origin[2] = {facts->origin_x + node, facts->origin_y + node},
                 size[2] = {facts->plan_width, facts->plan_height};
    const double pitch = spacing * facts->cell, slack = 1e-3;
    double from[2], to[2];
    for (int a = 0; a < 2; a++) {
        from[a] = origin[a] + ceil((fmax(low[a], 0) - origin[a]) / facts->cell - slack) * facts->cell;
        to[a] = from[a] + floor((fmin(high[a], size[a]) - from[a]) / pitch + slack) * pitch;
    }
    const struct lattice lattice = {from[0], from[1], pitch, (int)lround((to[0] - from[0]) / pitch) + 1,
                                    (int)lround((to[1] - from[1]) / pitch) + 1};
    snprintf(stage->lattice, sizeof stage->lattice, "spectra.region=[%.9g, %.9g, %.9g, %.9g]", from[0], from[1], to[0],
             to[1]);
    return around_choose(stage->walk, &lattice, &stage->around, error);
}

/* The lattice of running spectra: around the paths, and fine enough. In three dimensions none is needed. */
static pw_status choose_lattice(struct stage *stage, const pw_facts *facts, pw_error *error)
{
    if (stage->walk->space) {
        stage->air = stage->options->radius + facts->cell;
        snprintf(stage->lattice, sizeof stage->lattice, "%s", SMALL_REGION);
        snprintf(stage->spacing, sizeof stage->spacing, "spectra.spacing=1");
        return PW_OK;
    }
    const struct walk *walk = stage->walk;
    const double radius = stage->options->radius;
    const int spacing = scatter_spacing(radius, facts->cell, walk->frequency[walk->frequencies - 1]);
    TRY(scatter_check(radius, spacing * facts->cell, walk->frequency[walk->frequencies - 1], error));
    stage->air = scatter_radius(radius, spacing * facts->cell);
    const double margin = stage->air + 2 * spacing * facts->cell;
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int n = 0; n < walk->persons * walk->poses; n++) {
        for (int a = 0; a < 2; a++) {
            low[a] = fmin(low[a], walk->position[n][a] - margin);
            high[a] = fmax(high[a], walk->position[n][a] + margin);
        }
    }
    snprintf(stage->lattice, sizeof stage->lattice, "spectra.region=[%.9g, %.9g, %.9g, %.9g]", fmax(low[0], 0),
             fmax(low[1], 0), fmin(high[0], facts->plan_width), fmin(high[1], facts->plan_height));
    snprintf(stage->spacing, sizeof stage->spacing, "spectra.spacing=%d", spacing);
    return stage->options->method == PW_WALK_WALLS ? choose_points(stage, facts, spacing, low, high, error) : PW_OK;
}

/* The storey that persons stand on, and how high they reach there. */
static pw_status choose_storey(const pw_scenario *scenario, const pw_walk_options *options, struct walk *walk,
                               pw_error *error)
{
    const int count = pw_scenario_describe_plan(scenario).storey_count;
    int storey = 0;
    while (options->storey != NULL && storey < count &&
           strcmp(pw_scenario_describe_storey(scenario, storey).name, options->storey) != 0) {
        storey++;
    }
    if (storey == count) {
        return fail(error, PW_USAGE, "storey '%s' is not in the plan. The lowest is '%s'", options->storey,
                    pw_scenario_describe_storey(scenario, 0).name);
    }
    const pw_storey of = pw_scenario_describe_storey(scenario, storey);
    walk->low = of.floor;
    walk->high = of.floor + options->height;
    walk->ceiling = of.floor + of.height;
    return options->height <= of.height * (1 + 1e-9)
               ? PW_OK
               : fail(error, PW_BAD_INPUT, "a person of %g m does not stand upright in a storey of %g m: give a height",
                      options->height, of.height);
}

static pw_status check_scenario(const pw_scenario *scenario, const pw_walk_options *options, struct walk *walk,
                                pw_error *error)
{
    const pw_scenario_facts facts = pw_scenario_describe(scenario);
    walk->horizontal = facts.horizontal;
    walk->space = facts.dimensions == 3;
    if (walk->space && options->method != PW_WALK_EXACT) {
        return fail(error, PW_BAD_INPUT,
                    "%s: in three dimensions a walk solves every pose, which takes long: --method exact. Or walk in "
                    "two: --set dimensions=2",
                    facts.file);
    }
    if (!walk->space && options->storey != NULL) {
        return fail(error, PW_USAGE, "a storey is for three dimensions; in two the plan has one cut");
    }
    if (walk->space) {
        TRY(choose_storey(scenario, options, walk, error));
    }
    return facts.spectra ? PW_OK
                         : fail(error, PW_BAD_INPUT,
                                "%s: a walk needs running spectra, and the scenario has `spectra: "
                                "off`",
                                facts.file);
}

/* The scenario as it will be solved, and its set-up. */
static pw_status settle(const pw_scenario *scenario, struct stage *stage, pw_error *error)
{
    pw_setup *setup = NULL;
    pw_scenario *own = NULL;
    char grid[2][64];
    const char *overrides[] = {grid[0], grid[1]};
    const double half = 0.5 * pw_scenario_describe(scenario).band_width,
                 centre = pw_scenario_describe(scenario).band_centre;
    muscle_material(centre - half, centre + half, stage->material, &stage->walk->tissue_error);
    TRY(choose_grid(scenario, stage, grid, error));
    TRY(pw_scenario_parse(stage->file, pw_scenario_text(scenario), overrides, grid[0][0] != '\0' ? 2 : 0, &own, error));
    pw_scenario_drop_spectra_receivers(own);
    pw_status status = pw_scenario_keep_transmitters(own, stage->kept, stage->walk->transmitters, error);
    THEN(status, pw_setup_create(own, PW_SINGLE, false, &setup, error));
    if (status == PW_OK) {
        if (grid[0][0] == '\0' || stage->walk->space) {
            tell_warnings(stage->options, setup);
        }
        const pw_facts facts = pw_setup_facts(setup);
        const pw_scenario_facts band = pw_scenario_describe(own);
        status = choose_frequencies(&facts, &band, stage, error);
        if (status == PW_OK) {
            status = choose_lattice(stage, &facts, error);
        }
        if (status == PW_OK) {
            status = places_check(setup, stage->options->radius, stage->air, stage->walk, error);
        }
        if (status == PW_OK) {
            stage->cell = facts.cell;
            stage->text = strdup(pw_setup_scenario_text(setup));
            status = stage->text != NULL ? PW_OK : fail(error, PW_NO_RESOURCE, "not enough memory for a scenario");
        }
    }
    pw_setup_free(setup);
    pw_scenario_free(own);
    return status;
}

pw_status stage_make(const pw_scenario *scenario, const pw_walk_options *options, struct walk *walk,
                     struct stage *stage, pw_error *error)
{
    char band[2][96];
    const char *overrides[] = {band[0], band[1]};
    pw_scenario *own = NULL;
    *stage = (struct stage){.options = options, .walk = walk, .file = strdup(pw_scenario_describe(scenario).file)};
    if (stage->file == NULL) {
        return fail(error, PW_NO_RESOURCE, "not enough memory for a name");
    }
    TRY(check_scenario(scenario, options, walk, error));
    if (options->subcarriers != NULL) {
        TRY(choose_subcarriers(scenario, stage, band, error));
    }
    TRY(pw_scenario_parse(stage->file, pw_scenario_text(scenario), overrides, options->subcarriers != NULL ? 2 : 0,
                          &own, error));
    pw_status status = choose_stations(own, stage, error);
    THEN(status, settle(own, stage, error));
    pw_scenario_free(own);
    return status;
}

void stage_free(struct stage *stage)
{
    free(stage->text);
    free(stage->file);
    free(stage->kept);
    free(stage->receiver);
    free(stage->pick);
    around_free(&stage->around);
    *stage = (struct stage){0};
}
