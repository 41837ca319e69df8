/* Transmitters and recorded receivers where all components are solved (volume.h). */
#include "base/constants.h"
#include "discretize/antenna/array_fit.h"
#include "discretize/antenna/vector_array.h"
#include "discretize/volume/volume.h"
#include "problem/image.h"

#include <math.h>
#include <stdlib.h>

/* In cells from that component of node (0, 0, 0). */
static void component_position(const struct setup *setup, const double at[3], int c, double position[3])
{
    for (int a = 0; a < 3; a++) {
        position[a] = (at[a] - volume_node_origin(setup, a)) / setup->problem.axis[0].spacing - volume_stagger(c, a);
    }
}

/* Places of E that a loop drives at most: both components beside each of the nodes it is spread over. */
enum {
    LOOP_PLACES = PLACEMENT_TAPS * PLACEMENT_TAPS * 2 * (4 * REACH_LIMIT + 1),
    PLACES_LIMIT = LOOP_PLACES > 3 * VOLUME_PLACEMENT_LIMIT ? LOOP_PLACES : 3 * VOLUME_PLACEMENT_LIMIT
};

/* ---- sources ----------------------------------------------------------------------------------------------------- */

/* The dipoles that a transmitter, or a receiver, is made of: `count` at equal distances from `from` to `to`. */
struct dipole_row {
    double from[3], to[3]; /* m */
    int64_t count;
    bool half_sine; /* the moments of a half-wave dipole; else equal ones, by the trapezoidal rule */
};

/* A half-wave dipole reaches a quarter of a wavelength along its polarisation to both sides. */
static void row_finish(const struct setup *setup, const struct direction *polarisation, struct dipole_row *row)
{
    if (row->half_sine) {
        const double along[] = {polarisation->x, polarisation->y, polarisation->z};
        const double quarter = 0.25 * SPEED_OF_LIGHT / setup->scenario->band_centre;
        for (int a = 0; a < 3; a++) {
            row->to[a] = row->from[a] + quarter * along[a];
            row->from[a] -= quarter * along[a];
        }
    }
    const double length = hypot(hypot(row->to[0] - row->from[0], row->to[1] - row->from[1]), row->to[2] - row->from[2]);
    row->count = length > 0 ? 2 * (int64_t)ceil(length / setup->problem.axis[0].spacing) + 1 : 1;
}

static struct dipole_row dipole_row(const struct setup *setup, const struct transmitter_choice *transmitter)
{
    const double height = volume_level(setup, transmitter->height);
    struct dipole_row row = {
        .from = {transmitter->at.x, transmitter->at.y, height},
        .to = {transmitter->to.x, transmitter->to.y,
               isnan(transmitter->to_height) ? height : volume_level(setup, transmitter->to_height)},
        .half_sine = transmitter->antenna.kind == ANTENNA_HALF_WAVE};
    row_finish(setup, &transmitter->polarisation, &row);
    return row;
}

static void row_at(const struct dipole_row *row, int64_t p, double at[3])
{
    const double part = row->count > 1 ? (double)p / (double)(row->count - 1) : 0;
    for (int a = 0; a < 3; a++) {
        at[a] = row->from[a] + part * (row->to[a] - row->from[a]);
    }
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

/* Field that a place gains per current moment through it [V/m per A m]; where nothing changes along z, per moment and
 * metre of z [V/m per A]. */
static double moment_weight(const struct setup *setup, int c, int64_t node)
{
    const struct problem *problem = &setup->problem;
    const int nx = problem->axis[0].count, ny = problem->axis[1].count;
    const struct coefficient_step step = setup_coefficient_step(setup);
    uint16_t row = problem_coefficient_at(problem, c, (int)(node % nx), (int)(node / nx % ny), (int)(node / nx / ny));
    const struct medium_entry *entry = &setup->medium.palette[row];
    if (entry->perfect_conductor) {
        return 0;
    }
    struct plain_medium medium = setup_dispersive_medium(setup, entry);
    return coefficient_source_weight(&medium, &step) / (problem->axis[2].uniform ? 1 : step.cell);
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

/* What component c of E gains from minus the curl of h_z = `amount` at node `loop`: at places along y for Ex, along x
 * for Ey, within the stencil's reach of the node and of its images about the walls. Returns how many places. */
static int64_t spread_curl(const struct setup *setup, int c, int64_t loop, double amount, struct weighted_place *places)
{
    const struct problem *problem = &setup->problem;
    const int axis = 1 - c, nx = problem->axis[0].count, n = problem->axis[axis].count, reach = problem->reach;
    const int at = (int)(axis == 0 ? loop % nx : loop / nx);
    const bool symmetric = problem->axis[axis].low.symmetric;
    int64_t count = 0, nodes = problem_nodes(problem), stride = axis == 0 ? 1 : nx;
    for (int i = at - 2 * reach < 0 ? 0 : at - 2 * reach; i < n && i <= at + 2 * reach; i++) {
        double sum = 0;
        for (int l = 0; l < reach; l++) {
            const struct image high = image_of(i + l, n, true, symmetric),
                               low = image_of(i - 1 - l, n, true, symmetric);
            sum += problem->difference[l] * ((high.place == at ? high.sign : 0) - (low.place == at ? low.sign : 0));
        }
        if (sum != 0) {
            const int64_t node = loop + (i - at) * stride;
            const int j = (int)(node / nx);
            const double *medium =
                problem_coefficient(problem, problem_coefficient_at(problem, c, (int)(node % nx), j, 0));
            places[count++] =
                (struct weighted_place){c * nodes + node, (c == 0 ? -1 : 1) * amount * sum * medium[COEFFICIENT_CB]};
        }
    }
    return count;
}

/* A magnetic line current eta0 I along z is the electric current curl of the integral of eta0 I/mu0 over time
 * (physics.md section 11), with the curl of the scheme: nothing but E is driven. Weights are V/m per A s. */
static int64_t spread_loop(const struct setup *setup, const double at[3], double share, struct weighted_place *places)
{
    const double cell = setup->problem.axis[0].spacing;
    const double unit = share / (FREE_SPACE_PERMITTIVITY * cell * cell * setup->magnetic_scale);
    double position[3];
    component_position(setup, at, COMPONENT_HZ, position);
    const struct volume_placement placement = volume_placement_at(position, setup->problem.axis);
    int64_t count = 0;
    for (int k = 0; k < placement.count; k++) {
        for (int c = 0; c < 2; c++) {
            count += spread_curl(setup, c, placement.node[k], unit * placement.weight[k], places + count);
        }
    }
    return count;
}

bool volume_is_loop(const struct setup *setup, const struct transmitter_choice *transmitter)
{
    return setup->scenario->horizontal && transmitter->polarisation.z != 0;
}

void volume_integrate_drive(const struct problem *problem, struct source *source)
{
    double sum = 0;
    for (int64_t n = 0; n < problem->steps; n++) {
        source->drive[n] = sum; /* of the ends of the steps before: as h does, it moves from middle to middle */
        sum += source->current[n] * problem->time_step;
    }
}

static pw_status take_places(struct source *source, const struct weighted_place *places, int64_t count, pw_error *error)
{
    source->count = count;
    source->node = allocate((size_t)count, sizeof(int64_t), "source nodes", error);
    source->weight = allocate((size_t)count, sizeof(double), "source nodes", error);
    TRY_MADE(source->node != NULL && source->weight != NULL);
    for (int64_t k = 0; k < count; k++) {
        source->node[k] = places[k].place;
        source->weight[k] = places[k].weight;
    }
    return PW_OK;
}

/* A pattern: the places of its dipoles, with weights of several drives. */
static pw_status add_pattern(struct setup *setup, int index, pw_error *error)
{
    const struct transmitter_choice *transmitter = &setup->scenario->transmitters[index];
    struct source *source = &setup->problem.sources[index];
    const struct vector_terminal terminal = {
        .what = "transmitter",
        .name = transmitter->name,
        .line = transmitter->line,
        .at = {transmitter->at.x, transmitter->at.y, volume_level(setup, transmitter->height)},
        .antenna = &transmitter->antenna};
    struct vector_places places;
    TRY(vector_places_find(setup, &terminal, &places, &setup->arrays[index], error));
    const size_t count = (size_t)places.count, further = (size_t)places.terms - 1;
    source->count = places.count;
    source->further = places.terms - 1;
    source->node = places.place;
    source->weight = allocate(count, sizeof(double), "source nodes", error);
    source->further_weight = allocate(count * further, sizeof(double), "source nodes", error);
    const bool made = source->weight != NULL && source->further_weight != NULL;
    const int64_t nodes = problem_nodes(&setup->problem);
    for (size_t k = 0; k < count && made; k++) {
        const double unit = moment_weight(setup, (int)(source->node[k] / nodes), source->node[k] % nodes);
        source->weight[k] = unit * places.weight[k];
        for (size_t r = 0; r < further; r++) {
            source->further_weight[r * count + k] = unit * places.weight[(r + 1) * count + k];
        }
    }
    free(places.weight);
    return made ? PW_OK : PW_NO_RESOURCE;
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
    if (transmitter->antenna.kind == ANTENNA_PATTERN) {
        return add_pattern(setup, index, error);
    }
    const struct dipole_row row = dipole_row(setup, transmitter);
    size_t most = (size_t)row.count * PLACES_LIMIT;
    OWNED struct weighted_place *places = allocate(most, sizeof *places, "the nodes of a transmitter", error);
    TRY_MADE(places);
    int64_t count = 0;
    for (int64_t p = 0; p < row.count; p++) {
        const double share = dipole_share(&row, p);
        double at[3];
        row_at(&row, p, at);
        const double moment[] = {share * transmitter->polarisation.x, share * transmitter->polarisation.y,
                                 share * transmitter->polarisation.z};
        count += volume_is_loop(setup, transmitter) ? spread_loop(setup, at, share, places + count)
                                                    : spread_dipole(setup, at, moment, places + count);
    }
    return take_places(source, places, weighted_places_merge(places, count), error);
}

/* ---- receivers --------------------------------------------------------------------------------------------------- */

static struct dipole_row receiver_row(const struct setup *setup, const struct receiver_choice *receiver)
{
    const double at[] = {receiver->at.x, receiver->at.y, volume_level(setup, receiver->height)};
    struct dipole_row row = {.from = {at[0], at[1], at[2]},
                             .to = {at[0], at[1], at[2]},
                             .half_sine = setup_is_3d(setup) && receiver->antenna.kind == ANTENNA_HALF_WAVE};
    row_finish(setup, &receiver->polarisation, &row);
    return row;
}

/* Places and weights of component c of a receiver: of a half-wave dipole the mean of the field along it, weighed as its
 * currents are, so that sending and receiving are the same. */
static int64_t receiver_places(const struct setup *setup, const struct receiver_choice *receiver, int c,
                               struct weighted_place *places)
{
    const struct dipole_row row = receiver_row(setup, receiver);
    const enum component component = setup_component(setup, c);
    const double scale = component == COMPONENT_HZ ? setup->magnetic_scale : 1;
    const int64_t nodes = problem_nodes(&setup->problem);
    int64_t count = 0;
    for (int64_t p = 0; p < row.count; p++) {
        double at[3], position[3];
        row_at(&row, p, at);
        component_position(setup, at, (int)component, position);
        const struct volume_placement placement = volume_placement_at(position, setup->problem.axis);
        for (int k = 0; k < placement.count; k++) {
            places[count++] = (struct weighted_place){component * nodes + placement.node[k],
                                                      scale * dipole_share(&row, p) * placement.weight[k]};
        }
    }
    return row.count > 1 ? weighted_places_merge(places, count) : count;
}

/* What receivers of patterns need is known before probes are given room: (receiver_count), of others empty. */
static void fits_free(struct vector_places *fits, int count)
{
    for (int r = 0; r < count && fits != NULL; r++) {
        vector_places_free(&fits[r]);
    }
    free(fits);
}

static pw_status fits_find(struct setup *setup, struct vector_places *fits, pw_error *error)
{
    for (int r = 0; r < setup->scenario->receiver_count; r++) {
        const struct receiver_choice *receiver = &setup->scenario->receivers[r];
        const struct vector_terminal terminal = {
            .what = "receiver",
            .name = receiver->name,
            .line = receiver->line,
            .at = {receiver->at.x, receiver->at.y, volume_level(setup, receiver->height)},
            .antenna = &receiver->antenna};
        struct array_report report;
        if (receiver->antenna.kind == ANTENNA_PATTERN) {
            TRY(vector_places_find(setup, &terminal, &fits[r], &report, error));
        }
    }
    return PW_OK;
}

/* The places of all probes of all receivers, before those that several dipoles share are one. */
static size_t receiver_places_most(const struct setup *setup, const struct vector_places *fits, size_t *longest)
{
    size_t most = 0;
    *longest = 0;
    for (int r = 0; r < setup->scenario->receiver_count; r++) {
        const struct dipole_row row = receiver_row(setup, &setup->scenario->receivers[r]);
        const size_t own = fits[r].count > 0 ? (size_t)fits[r].count : (size_t)row.count * VOLUME_PLACEMENT_LIMIT;
        most += (size_t)(fits[r].count > 0 ? fits[r].terms : 3) * own;
        *longest = own > *longest ? own : *longest;
    }
    return most;
}

/* Adds a probe of these places to a receiver; all have room. */
static void probe_add(struct problem *problem, size_t *used, enum component component,
                      const struct weighted_place *places, int64_t count)
{
    problem->probes[problem->probe_count++] = (struct probe){.component = component,
                                                             .node = places[0].place % problem_nodes(problem),
                                                             .count = (int)count,
                                                             .place = problem->probe_places + *used,
                                                             .weight = problem->probe_weights + *used};
    for (int64_t k = 0; k < count; k++) {
        problem->probe_places[*used] = places[k].place;
        problem->probe_weights[(*used)++] = places[k].weight;
    }
}

static void receiver_probe(struct setup *setup, int r, const struct vector_places *fit, struct weighted_place *places,
                           size_t *used)
{
    struct receiver *receiver = &setup->receivers[r];
    receiver->terms = fit->terms;
    for (int c = 0; c < (fit->count > 0 ? fit->terms : 3); c++) {
        receiver->probe[c] = setup->problem.probe_count;
        for (int k = 0; k < fit->count; k++) {
            places[k] = (struct weighted_place){fit->place[k], fit->weight[c * fit->count + k]};
        }
        const int64_t own =
            fit->count > 0 ? fit->count : receiver_places(setup, &setup->scenario->receivers[r], c, places);
        probe_add(&setup->problem, used, setup_component(setup, fit->count > 0 ? 0 : c), places, own);
    }
}

static pw_status add_probes(struct setup *setup, const struct vector_places *fits, pw_error *error)
{
    struct problem *problem = &setup->problem;
    size_t count = (size_t)setup->scenario->receiver_count, longest, used = 0;
    const size_t most = receiver_places_most(setup, fits, &longest);
    setup->receivers = allocate(count, sizeof *setup->receivers, "receivers", error);
    problem->probes = allocate(ARRAY_TERMS * count, sizeof *problem->probes, "receivers", error);
    problem->probe_places = allocate(most, sizeof *problem->probe_places, "receivers", error);
    problem->probe_weights = allocate(most, sizeof *problem->probe_weights, "receivers", error);
    struct weighted_place *places = allocate(longest, sizeof *places, "receivers", error);
    const bool made = setup->receivers != NULL && problem->probes != NULL && problem->probe_places != NULL &&
                      problem->probe_weights != NULL && places != NULL;
    for (int r = 0; made && r < setup->scenario->receiver_count; r++) {
        receiver_probe(setup, r, &fits[r], places, &used);
    }
    free(places);
    return made ? PW_OK : PW_NO_RESOURCE;
}

pw_status volume_add_receivers(struct setup *setup, pw_error *error)
{
    const int count = setup->scenario->receiver_count;
    struct vector_places *fits = allocate((size_t)count, sizeof *fits, "receivers", error);
    TRY_MADE(fits);
    pw_status status = fits_find(setup, fits, error);
    THEN(status, add_probes(setup, fits, error));
    fits_free(fits, count);
    vector_memory_free(setup->antennas);
    setup->antennas = NULL;
    return status;
}
