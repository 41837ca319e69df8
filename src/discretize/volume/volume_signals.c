/* Transmitters, receivers and spectra in three dimensions (volume.h). */
#include "base/constants.h"
#include "discretize/volume/volume.h"

#include <math.h>
#include <stdlib.h>

/* Where component c (0..5) stands relative to its node, in cells along axis a: E half a cell along its own axis, H
 * along the two others. */
static double stagger(int c, int a)
{
    bool along = c % 3 == a;
    return (c < 3) == along ? 0.5 : 0;
}

/* Where along axis a node (0, 0, 0) stands, and where component c of it does [m]. */
static double node_origin(const struct setup *setup, int a)
{
    return (const double[]){setup->origin.x, setup->origin.y, setup->origin_z}[a];
}

static double component_origin(const struct setup *setup, int c, int a)
{
    return node_origin(setup, a) + stagger(c, a) * setup->problem.axis[0].spacing;
}

/* In cells from that component of node (0, 0, 0). */
static void component_position(const struct setup *setup, const double at[3], int c, double position[3])
{
    for (int a = 0; a < 3; a++) {
        position[a] = (at[a] - node_origin(setup, a)) / setup->problem.axis[0].spacing - stagger(c, a);
    }
}

/* ---- sources ----------------------------------------------------------------------------------------------------- */

/* The dipoles that a transmitter is made of: `count` at equal distances from `from` to `to`. */
struct dipole_row {
    double from[3], to[3]; /* m */
    int64_t count;
    bool half_sine; /* the moments of a half-wave dipole; else equal ones, by the trapezoidal rule */
};

static struct dipole_row dipole_row(const struct setup *setup, const struct transmitter_choice *transmitter)
{
    const double height = volume_height(transmitter->height), cell = setup->problem.axis[0].spacing;
    struct dipole_row row = {
        .from = {transmitter->at.x, transmitter->at.y, height},
        .to = {transmitter->to.x, transmitter->to.y, isnan(transmitter->to_height) ? height : transmitter->to_height},
        .half_sine = transmitter->antenna == ANTENNA_HALF_WAVE};
    if (row.half_sine) {
        const double along[] = {transmitter->polarisation.x, transmitter->polarisation.y, transmitter->polarisation.z};
        const double quarter = 0.25 * SPEED_OF_LIGHT / setup->scenario->band_centre;
        for (int a = 0; a < 3; a++) {
            row.to[a] = row.from[a] + quarter * along[a];
            row.from[a] -= quarter * along[a];
        }
    }
    double length = hypot(hypot(row.to[0] - row.from[0], row.to[1] - row.from[1]), row.to[2] - row.from[2]);
    row.count = length > 0 ? 2 * (int64_t)ceil(length / cell) + 1 : 1;
    return row;
}

/* Part of the whole moment that dipole p has. */
static double dipole_share(const struct dipole_row *row, int64_t p)
{
    if (row->count == 1) {
        return 1;
    }
    double intervals = (double)(row->count - 1);
    if (row->half_sine) { /* the trapezoidal sum of sin over half a period is 1/tan(pi/(2 intervals)) */
        return sin(M_PI * (double)p / intervals) * tan(M_PI / (2 * intervals));
    }
    return (p == 0 || p == row->count - 1 ? 0.5 : 1) / intervals;
}

/* Field that a place gains per current moment through it [V/m per A m]. */
static double moment_weight(const struct setup *setup, int c, int64_t node)
{
    const struct problem *problem = &setup->problem;
    const int nx = problem->axis[0].count, ny = problem->axis[1].count;
    const struct dispersion_step step = setup_dispersion_step(setup);
    uint16_t row = problem_coefficient_at(problem, c, (int)(node % nx), (int)(node / nx % ny), (int)(node / nx / ny));
    const struct medium_entry *entry = &setup->medium.palette[row];
    if (entry->perfect_conductor) {
        return 0;
    }
    struct dispersive_medium medium = setup_dispersive_medium(setup, entry);
    return dispersion_model(medium.kind)->source_weight(&medium, &step) / step.cell;
}

static int64_t spread_dipole(const struct setup *setup, const double at[3], const double moment[3],
                             struct weighted_place *places)
{
    int64_t count = 0, nodes = problem_nodes(&setup->problem);
    for (int c = 0; c < 3; c++) {
        if (moment[c] == 0) {
            continue;
        }
        double position[3];
        component_position(setup, at, c, position);
        struct volume_placement placement = volume_placement_at(position, setup->problem.axis);
        for (int k = 0; k < placement.count; k++) {
            double weight = moment[c] * placement.weight[k] * moment_weight(setup, c, placement.node[k]);
            places[count++] = (struct weighted_place){c * nodes + placement.node[k], weight};
        }
    }
    return count;
}

static pw_status take_places(struct source *source, const struct weighted_place *places, int64_t count, pw_error *error)
{
    source->count = count;
    source->node = allocate((size_t)count, sizeof(int64_t), "source nodes", error);
    source->weight = allocate((size_t)count, sizeof(double), "source nodes", error);
    if (source->node == NULL || source->weight == NULL) {
        return PW_NO_RESOURCE;
    }
    for (int64_t k = 0; k < count; k++) {
        source->node[k] = places[k].place;
        source->weight[k] = places[k].weight;
    }
    return PW_OK;
}

pw_status volume_add_source(struct setup *setup, int index, pw_error *error)
{
    const struct transmitter_choice *transmitter = &setup->scenario->transmitters[index];
    struct source *source = &setup->problem.sources[index];
    if (transmitter->source == SOURCE_HARD) {
        return fail(error, PW_BAD_INPUT,
                    "%s:%d: transmitter '%s': source: hard is for two dimensions; in three a transmitter is a dipole "
                    "(source: soft)",
                    setup->scenario->file, transmitter->line, transmitter->name);
    }
    const struct dipole_row row = dipole_row(setup, transmitter);
    size_t most = (size_t)row.count * 3 * VOLUME_PLACEMENT_LIMIT;
    struct weighted_place *places = allocate(most, sizeof *places, "the nodes of a transmitter", error);
    if (places == NULL) {
        return PW_NO_RESOURCE;
    }
    int64_t count = 0;
    for (int64_t p = 0; p < row.count; p++) {
        double part = row.count > 1 ? (double)p / (double)(row.count - 1) : 0, share = dipole_share(&row, p);
        const double at[] = {row.from[0] + part * (row.to[0] - row.from[0]),
                             row.from[1] + part * (row.to[1] - row.from[1]),
                             row.from[2] + part * (row.to[2] - row.from[2])};
        const double moment[] = {share * transmitter->polarisation.x, share * transmitter->polarisation.y,
                                 share * transmitter->polarisation.z};
        count += spread_dipole(setup, at, moment, places + count);
    }
    pw_status status = take_places(source, places, weighted_places_merge(places, count), error);
    free(places);
    return status;
}

/* ---- receivers --------------------------------------------------------------------------------------------------- */

pw_status volume_add_receivers(struct setup *setup, pw_error *error)
{
    const struct scenario *scenario = setup->scenario;
    struct problem *problem = &setup->problem;
    size_t count = (size_t)scenario->receiver_count, most = count * 3 * VOLUME_PLACEMENT_LIMIT;
    setup->receivers = allocate(count, sizeof *setup->receivers, "receivers", error);
    problem->probes = allocate(3 * count, sizeof *problem->probes, "receivers", error);
    problem->probe_places = allocate(most, sizeof *problem->probe_places, "receivers", error);
    problem->probe_weights = allocate(most, sizeof *problem->probe_weights, "receivers", error);
    if (setup->receivers == NULL || problem->probes == NULL || problem->probe_places == NULL ||
        problem->probe_weights == NULL) {
        return PW_NO_RESOURCE;
    }
    int64_t nodes = problem_nodes(problem), used = 0;
    for (size_t r = 0; r < count; r++) {
        const struct receiver_choice *choice = &scenario->receivers[r];
        const double at[] = {choice->at.x, choice->at.y, volume_height(choice->height)};
        for (int c = 0; c < 3; c++) {
            double position[3];
            component_position(setup, at, c, position);
            struct volume_placement placement = volume_placement_at(position, problem->axis);
            setup->receivers[r].probe[c] = problem->probe_count;
            problem->probes[problem->probe_count++] = (struct probe){.component = (enum component)(COMPONENT_EX + c),
                                                                     .node = placement.node[0],
                                                                     .count = placement.count,
                                                                     .place = problem->probe_places + used,
                                                                     .weight = problem->probe_weights + used};
            for (int k = 0; k < placement.count; k++) {
                problem->probe_places[used] = c * nodes + placement.node[k];
                problem->probe_weights[used++] = placement.weight[k];
            }
        }
    }
    return PW_OK;
}

/* ---- spectra ----------------------------------------------------------------------------------------------------- */

void volume_choose_heights(struct setup *setup)
{
    struct spectra_choice *spectra = &setup->chosen.spectra;
    const struct plan_choice *plan = &setup->chosen.plan;
    if (spectra->height_count > 0 || spectra->cut_count > 0) {
        return;
    }
    double floor = 0;
    for (int s = 0; s < plan->storey_count && s < HEIGHT_LIMIT; s++) {
        double middle = 0.5 * plan->storeys[s].height;
        spectra->heights[spectra->height_count++] = floor + fmin(USUAL_HEIGHT, middle);
        floor += plan->storeys[s].height + plan->storeys[s].ceiling.thickness;
    }
    warn(&setup->choices, "spectra %.3g m over %s, Ez: 'spectra.heights', 'cuts' and 'components' choose others",
         spectra->heights[0], plan->storey_count > 1 ? "every floor" : "the floor");
}

static int clamp_node(double value, int low, int high)
{
    return (int)fmin(fmax(value, low), high);
}

/* Nodes first, first + step, ... of one component along one axis, between two places [m]. */
struct node_row {
    int first, count;
    double begin; /* m: where the component stands at the first */
};

static struct node_row node_row(const struct setup *setup, int c, int axis, const double ends[2])
{
    const struct problem *problem = &setup->problem;
    const double slack = 1e-3; /* cells */
    double cell = problem->axis[0].spacing, origin = component_origin(setup, c, axis);
    int last = problem->axis[axis].count - 1;
    struct node_row row = {.first = clamp_node(ceil((ends[0] - origin) / cell - slack), 0, last)};
    int end = clamp_node(floor((ends[1] - origin) / cell + slack), row.first, last);
    row.count = (end - row.first) / setup->scenario->spectra.spacing + 1;
    row.begin = origin + row.first * cell;
    return row;
}

/* A plane to be sampled: across `normal` at `at` [m], over ranges [m] of the three axes. */
struct plane_wanted {
    int normal;
    double at, range[3][2];
};

static void add_sheet(struct setup *setup, const struct plane_wanted *plane, int c)
{
    struct problem *problem = &setup->problem;
    struct spectra *spectra = &problem->spectra;
    const int along = plane->normal == 0 ? 1 : 0, up = plane->normal == 2 ? 1 : 2;
    const double cell = problem->axis[0].spacing, origin = component_origin(setup, c, plane->normal);
    const int level = clamp_node(round((plane->at - origin) / cell), 0, problem->axis[plane->normal].count - 1);
    const struct node_row columns = node_row(setup, c, along, plane->range[along]);
    const struct node_row rows = node_row(setup, c, up, plane->range[up]);
    const int64_t stride[] = {1, problem->axis[0].count, (int64_t)problem->axis[0].count * problem->axis[1].count};
    struct setup_sheet *sheet = &setup->sheets[spectra->sheet_count];
    *sheet = (struct setup_sheet){.component = (enum component)(COMPONENT_EX + c),
                                  .normal = plane->normal,
                                  .asked = plane->at,
                                  .position = origin + level * cell,
                                  .column_first = columns.begin,
                                  .row_first = rows.begin,
                                  .pitch = setup->scenario->spectra.spacing * cell,
                                  .columns = columns.count,
                                  .rows = rows.count,
                                  .first_point = spectra->rows};
    spectra->sheets[spectra->sheet_count++] =
        (struct spectra_sheet){.first = c * problem_nodes(problem) + columns.first * stride[along] +
                                        rows.first * stride[up] + level * stride[plane->normal],
                               .column_stride = setup->scenario->spectra.spacing * stride[along],
                               .row_stride = setup->scenario->spectra.spacing * stride[up],
                               .columns = columns.count,
                               .rows = rows.count};
    spectra->rows += columns.count * rows.count;
}

static pw_status check_height(const struct setup *setup, double height, pw_error *error)
{
    return height >= setup->building.low && height <= setup->building.high
               ? PW_OK
               : fail(error, PW_BAD_INPUT,
                      "%s: spectra.heights: %g m lies outside the building, which reaches from %g m to %g m",
                      setup->scenario->file, height, setup->building.low, setup->building.high);
}

static void add_plane(struct setup *setup, const struct plane_wanted *plane)
{
    for (int c = 2; c >= 0; c--) { /* Ez first: it is what vertical antennas receive */
        if (setup->scenario->spectra.components[c]) {
            add_sheet(setup, plane, c);
        }
    }
}

pw_status volume_choose_sheets(struct setup *setup, pw_error *error)
{
    const struct spectra_choice *choice = &setup->scenario->spectra;
    struct spectra *spectra = &setup->problem.spectra;
    const size_t most = 3 * (size_t)(choice->height_count + choice->cut_count);
    const struct point from = choice->has_region ? choice->from : (struct point){0, 0};
    const struct point to = choice->has_region ? choice->to : (struct point){setup->plan.width, setup->plan.height};
    spectra->columns = 1;
    spectra->spacing = choice->spacing;
    setup->sheets = allocate(most, sizeof *setup->sheets, "planes of spectra", error);
    spectra->sheets = allocate(most, sizeof *spectra->sheets, "planes of spectra", error);
    if (setup->sheets == NULL || spectra->sheets == NULL) {
        return PW_NO_RESOURCE;
    }
    for (int h = 0; h < choice->height_count; h++) {
        TRY(check_height(setup, choice->heights[h], error));
        const struct plane_wanted plane = {
            .normal = 2,
            .at = choice->heights[h],
            .range = {{fmin(from.x, to.x), fmax(from.x, to.x)}, {fmin(from.y, to.y), fmax(from.y, to.y)}}};
        add_plane(setup, &plane);
    }
    for (int n = 0; n < choice->cut_count; n++) {
        const struct cut_choice *cut = &choice->cuts[n];
        const bool along_x = cut->from.y == cut->to.y;
        const struct plane_wanted plane = {.normal = along_x ? 1 : 0,
                                           .at = along_x ? cut->from.y : cut->from.x,
                                           .range = {{fmin(cut->from.x, cut->to.x), fmax(cut->from.x, cut->to.x)},
                                                     {fmin(cut->from.y, cut->to.y), fmax(cut->from.y, cut->to.y)},
                                                     {setup->building.low, setup->building.high}}};
        add_plane(setup, &plane);
    }
    return PW_OK;
}

int volume_sheet_near(const struct setup *setup, const struct receiver_choice *receiver)
{
    const double height = volume_height(receiver->height);
    int near = -1;
    for (int s = 0; s < setup->problem.spectra.sheet_count; s++) {
        const struct setup_sheet *sheet = &setup->sheets[s];
        if (sheet->normal == 2 &&
            (near < 0 || fabs(sheet->asked - height) < fabs(setup->sheets[near].asked - height))) {
            near = s;
        }
    }
    return near;
}
