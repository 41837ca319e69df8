/* From shares of dispersive materials to media with poles and the spans of nodes that have them (dispersive_nodes.h).
 */
#include "discretize/poles/dispersive_nodes.h"

#include "base/constants.h"
#include "discretize/formulation.h"
#include "medium/shares.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A conductivity that is left under this part of the node's own is rounding. */
static const double NOTHING = 1e-7;

void dispersive_nodes_free(struct dispersive_nodes *nodes)
{
    medium_shares_free(&nodes->shares);
    distinct_free(&nodes->keys);
    FREE_ALL(nodes->media, nodes->share, nodes->spans);
    *nodes = (struct dispersive_nodes){0};
}

/* ---- one node's medium ------------------------------------------------------------------------------------------- */

static const struct material *dispersive_material(const struct setup *setup, int d)
{
    const struct floorplan *plan = &setup->building.bands[0];
    return &plan->materials[setup->dispersive.shares.material[d]];
}

/* Takes the poles' part out of the entry. Shares are lowered where too little permittivity or conductivity would be
 * left, so that at the band's centre the node keeps its permittivity and is passive at all frequencies. */
static struct node_medium node_without_poles(const struct setup *setup, uint16_t entry, double *share)
{
    const struct medium_entry *whole = &setup->medium.palette[entry];
    const int count = setup->dispersive.shares.count;
    double permittivity = 0, conductivity = 0, part = 1;
    for (int d = 0; d < count; d++) {
        const struct material *material = dispersive_material(setup, d);
        permittivity += share[d] * (material->relative_permittivity - material->dispersion.relative_permittivity);
        conductivity += share[d] * (material->conductivity - material->dispersion.conductivity);
    }
    double spare = whole->relative_permittivity - fmin(LEAST_PERMITTIVITY, whole->relative_permittivity);
    part = permittivity > spare ? spare / permittivity : 1;
    part = part * conductivity > whole->conductivity ? whole->conductivity / conductivity : part;
    for (int d = 0; d < count; d++) {
        share[d] *= part;
    }
    double left = whole->conductivity - part * conductivity;
    return (struct node_medium){entry, whole->relative_permittivity - part * permittivity,
                                left > NOTHING * whole->conductivity ? left : 0};
}

/* Number of the medium of a node with these shares, added when it is new. Media are told apart by the shares as they
 * came; those that the medium gets in the end stand in its row. `key`: the entry, and the shares. */
static pw_status medium_number(struct setup *setup, const double *key, int *number, pw_error *error)
{
    static const char WHAT[] = "the media of dispersive nodes";
    struct dispersive_nodes *nodes = &setup->dispersive;
    const size_t shares = (size_t)nodes->shares.count, known = (size_t)nodes->media_count;
    uint32_t found;
    nodes->keys.size = (1 + shares) * sizeof *key;
    TRY(distinct_number(&nodes->keys, key, WHAT, &found, error));
    if (found == known) {
        TRY(array_grow(&nodes->media, &nodes->media_room, known, sizeof *nodes->media, WHAT, error));
        TRY(array_grow(&nodes->share, &nodes->share_room, known, shares * sizeof *nodes->share, WHAT, error));
        nodes->media[known] = (struct node_medium){.entry = (uint16_t)key[0]};
        memcpy(nodes->share + known * shares, key + 1, shares * sizeof *key);
        nodes->media_count++;
    }
    *number = (int)found;
    return PW_OK;
}

/* ---- the nodes --------------------------------------------------------------------------------------------------- */

/* A row of component c (two dimensions: Ez, level 0). */
struct node_row {
    int c, j, k;
};

static int layer_at(const struct medium_shares *shares, int c, int k)
{
    k = k < 0 ? 0 : k >= shares->nz ? shares->nz - 1 : k;
    return shares->layer[c] != NULL ? shares->layer[c][k] : 0;
}

static double share_at(const struct medium_shares *shares, int d, struct node_row row, int i)
{
    int j = row.j < 0 ? 0 : row.j >= shares->ny ? shares->ny - 1 : row.j;
    i = i < 0 ? 0 : i >= shares->nx ? shares->nx - 1 : i;
    return (double)share_row(shares, d, layer_at(shares, row.c, row.k), j)[i];
}

/* How much the normal of the faces about the place points along its component: N_cc of physics.md section 9. */
static double normal_part(const struct medium_shares *shares, int d, struct node_row row, int i)
{
    double slope[3], square = 0;
    for (int a = 0; a < 3; a++) {
        struct node_row low = {row.c, row.j - (a == 1), row.k - (a == 2)},
                        high = {row.c, row.j + (a == 1), row.k + (a == 2)};
        slope[a] = share_at(shares, d, high, i + (a == 0)) - share_at(shares, d, low, i - (a == 0));
        square += slope[a] * slope[a];
    }
    return square > 0 ? slope[row.c] * slope[row.c] / square : 0;
}

/* |eps of the node/eps of the material|^2 at the band's centre: how the harmonic mean answers a change of the material,
 * against its share; not over 1. */
static double normal_answer(const struct setup *setup, const struct medium_entry *whole,
                            const struct material *material)
{
    double scale = 1 / (2 * M_PI * setup->scenario->band_centre * FREE_SPACE_PERMITTIVITY);
    double node = hypot(whole->relative_permittivity, scale * whole->conductivity),
           own = hypot(material->relative_permittivity, scale * material->conductivity);
    return fmin(1, node * node / (own * own));
}

/* Shares of the poles at a place; false when there are none. */
static bool pole_shares(const struct setup *setup, struct node_row row, int i, const struct medium_entry *whole,
                        double *share)
{
    const struct medium_shares *shares = &setup->dispersive.shares;
    const bool across = setup->formulation->electric > 1; /* faces */
    bool any = false;
    for (int d = 0; d < shares->count; d++) {
        share[d] = share_at(shares, d, row, i);
        if (across && share[d] > 0 && share[d] < 1) {
            double normal = normal_part(shares, d, row, i);
            share[d] *= 1 - normal * (1 - normal_answer(setup, whole, dispersive_material(setup, d)));
        }
        any = any || share[d] > 0;
    }
    return any;
}

/* One more node, at the end of a row's last span or in one of its own. */
static pw_status span_add(struct dispersive_nodes *nodes, int64_t place, int64_t row, int medium, pw_error *error)
{
    struct pole_span *last = nodes->span_count > 0 ? &nodes->spans[nodes->span_count - 1] : NULL;
    if (last != NULL && last->medium == medium && last->place >= row && last->place + last->count == place) {
        last->count++;
        return PW_OK;
    }
    TRY(array_grow(&nodes->spans, &nodes->span_capacity, (size_t)nodes->span_count, sizeof *nodes->spans,
                   "rows of dispersive nodes", error));
    nodes->spans[nodes->span_count++] = (struct pole_span){.place = place, .count = 1, .medium = medium};
    return PW_OK;
}

/* The first column from `i` on where some material has a share; nx when there is none. */
static int next_share(const struct medium_shares *shares, struct node_row row, int i)
{
    const int layer = layer_at(shares, row.c, row.k);
    int next = shares->nx;
    for (int d = 0; d < shares->count; d++) {
        const float *share = share_row(shares, d, layer, row.j);
        int here = *share_any(shares, d, layer, row.j) ? i : next;
        while (here < next && !(share[here] > 0)) {
            here++;
        }
        next = here;
    }
    return next;
}

static pw_status row_find(struct setup *setup, struct node_row row, double *key, pw_error *error)
{
    struct dispersive_nodes *nodes = &setup->dispersive;
    const struct medium_shares *shares = &nodes->shares;
    const struct medium *medium = &setup->medium;
    const int64_t nx = medium->nx, ny = medium->ny, nodes_all = problem_nodes(&setup->problem);
    const uint16_t *level = setup_level(setup, row.c, row.k);
    const int64_t first = row.c * nodes_all + (row.k * ny + row.j) * nx;
    for (int i = next_share(shares, row, 0); i < nx; i = next_share(shares, row, i + 1)) {
        uint16_t entry = level[row.j * nx + i];
        int number;
        if (!medium->palette[entry].perfect_conductor && pole_shares(setup, row, i, &medium->palette[entry], key + 1)) {
            key[0] = entry;
            TRY(medium_number(setup, key, &number, error));
            TRY(span_add(nodes, first + i, first, number, error));
        }
    }
    return PW_OK;
}

/* Most rows of most plans have nothing to look at. */
static bool row_has_shares(const struct medium_shares *shares, struct node_row row)
{
    bool any = false;
    for (int d = 0; d < shares->count; d++) {
        any = any || *share_any(shares, d, layer_at(shares, row.c, row.k), row.j);
    }
    return any;
}

static pw_status rows_find(struct setup *setup, double *key, pw_error *error)
{
    const struct medium_shares *shares = &setup->dispersive.shares;
    for (int c = 0; c < setup->formulation->electric; c++) {
        for (int k = 0; k < shares->nz; k++) {
            for (int j = 0; j < shares->ny; j++) {
                struct node_row row = {c, j, k};
                if (row_has_shares(shares, row)) {
                    TRY(row_find(setup, row, key, error));
                }
            }
        }
    }
    return PW_OK;
}

pw_status nodes_find_shares(struct setup *setup, const struct raster_grid *plane, bool sampled, pw_error *error)
{
    return medium_shares_create(&setup->plan, plane, sampled, &setup->dispersive.shares, error);
}

static pw_status find_shares(struct setup *setup, pw_error *error)
{
    const struct problem *problem = &setup->problem;
    const bool sampled = setup->scenario->grid.averaging == AVERAGING_POINT;
    const struct raster_grid plane = {.nx = problem->axis[0].count,
                                      .ny = problem->axis[1].count,
                                      .cell = problem->axis[0].spacing,
                                      .origin = setup->origin};
    return setup->formulation->find_shares(setup, &plane, sampled, error);
}

pw_status dispersive_nodes_find(struct setup *setup, pw_error *error)
{
    struct dispersive_nodes *nodes = &setup->dispersive;
    TRY(find_shares(setup, error));
    if (nodes->shares.count == 0) {
        return PW_OK;
    }
    OWNED double *key = allocate(1 + (size_t)nodes->shares.count, sizeof *key, "dispersive nodes", error);
    TRY_MADE(key);
    TRY(rows_find(setup, key, error));
    for (int m = 0; m < nodes->media_count; m++) {
        struct node_medium *medium = &nodes->media[m];
        *medium = node_without_poles(setup, medium->entry, nodes->share + (size_t)m * (size_t)nodes->shares.count);
        setup->smallest_permittivity = fmin(setup->smallest_permittivity, medium->relative_permittivity);
    }
    return PW_OK;
}

/* ---- the problem's media ----------------------------------------------------------------------------------------- */

static pw_status check_poles(const struct setup *setup, pw_error *error)
{
    static const char *const WHAT[] = {"relaxation", "resonance", "plasma frequency"};
    double nyquist = 0.5 / setup->problem.time_step;
    for (int d = 0; d < setup->dispersive.shares.count; d++) {
        const struct material *material = dispersive_material(setup, d);
        for (int p = 0; p < material->dispersion.pole_count; p++) {
            const struct pole *pole = &material->dispersion.poles[p];
            FAIL_IF(pole_frequency(pole) >= nyquist, error, PW_BAD_INPUT,
                    "%s: material '%s': the %s of its pole %d at %.4g Hz is not under %.4g Hz, half the "
                    "sampling frequency of time steps of %.4g s: use smaller cells, or put what the pole adds "
                    "at the band into relative_permittivity and conductivity",
                    setup->scenario->file, material->name, WHAT[pole->kind], p + 1, pole_frequency(pole), nyquist,
                    setup->problem.time_step);
        }
    }
    return PW_OK;
}

/* Waves along the faces of a plasma that loses nothing run backwards at some frequencies, and an absorber makes what
 * runs backwards grow. With vertical polarisation E lies along all faces and there are none. */
static void warn_of_plasmas(struct setup *setup)
{
    const double enough = 0.02; /* of the plasma frequency: at this damping nothing was found to grow */
    for (int d = 0; setup->formulation->electric > 1 && d < setup->dispersive.shares.count; d++) {
        const struct material *material = dispersive_material(setup, d);
        for (int p = 0; p < material->dispersion.pole_count; p++) {
            const struct pole *pole = &material->dispersion.poles[p];
            if (pole->kind == POLE_DRUDE && pole->damping < enough * pole->frequency) {
                warn(&setup->warnings,
                     "material '%s' has very little loss (damping %.3g Hz). Waves along its faces may grow where it "
                     "enters the absorber. Keep it away from the edges of the plan, or set a damping of at least %.3g "
                     "Hz",
                     material->name, pole->damping, enough * pole->frequency);
            }
        }
    }
}

static struct pole_balance balance_of(const struct setup *setup, double relative_permittivity, double conductivity)
{
    double half = 0.5 * setup->problem.time_step * setup->sigma_compensation * conductivity / FREE_SPACE_PERMITTIVITY;
    return (struct pole_balance){relative_permittivity + half, relative_permittivity - half};
}

/* Steps of one medium: Debye poles first. Their frequencies are raised as conductivities are, which makes the medium
 * exact at the band's centre. */
static void medium_fill(const struct setup *setup, int number, struct pole_medium *medium, struct pole_step *steps)
{
    const struct dispersive_nodes *nodes = &setup->dispersive;
    const struct node_medium *from = &nodes->media[number];
    const double *share = nodes->share + (size_t)number * (size_t)nodes->shares.count;
    int count[2] = {0, 0};
    for (int pass = 0; pass < 2; pass++) {
        for (int d = 0; d < nodes->shares.count; d++) {
            const struct material_dispersion *dispersion = &dispersive_material(setup, d)->dispersion;
            for (int p = 0; share[d] > 0 && p < dispersion->pole_count; p++) {
                if ((dispersion->poles[p].kind == POLE_DEBYE) == (pass == 0)) {
                    struct pole pole = pole_shifted(&dispersion->poles[p], setup->sigma_compensation);
                    steps[count[0] + count[1]] = pole_step_of(&pole, share[d], setup->problem.time_step);
                    count[pass]++;
                }
            }
        }
    }
    const struct medium_entry *whole = &setup->medium.palette[from->entry];
    medium->relaxations = count[0];
    medium->oscillators = count[1];
    pole_medium_close(medium, steps, balance_of(setup, whole->relative_permittivity, whole->conductivity),
                      balance_of(setup, from->relative_permittivity, from->conductivity));
}

static int poles_most(const struct setup *setup)
{
    int poles = 0;
    for (int d = 0; d < setup->dispersive.shares.count; d++) {
        poles += dispersive_material(setup, d)->dispersion.pole_count;
    }
    return poles;
}

pw_status dispersive_nodes_fill(struct setup *setup, pw_error *error)
{
    struct dispersive_nodes *nodes = &setup->dispersive;
    struct problem *problem = &setup->problem;
    if (nodes->span_count == 0) {
        return PW_OK;
    }
    TRY(check_poles(setup, error));
    warn_of_plasmas(setup);
    size_t most = (size_t)poles_most(setup) * (size_t)nodes->media_count;
    problem->pole_media = allocate((size_t)nodes->media_count, sizeof *problem->pole_media, "dispersive media", error);
    problem->pole_steps = allocate(most, sizeof *problem->pole_steps, "dispersive media", error);
    TRY_MADE(problem->pole_media != NULL && problem->pole_steps != NULL);
    problem->pole_medium_count = nodes->media_count;
    for (int m = 0; m < nodes->media_count; m++) {
        struct pole_medium *medium = &problem->pole_media[m];
        medium->first = problem->pole_step_count;
        medium_fill(setup, m, medium, problem->pole_steps + medium->first);
        problem->pole_step_count += medium->relaxations + medium->oscillators;
    }
    problem->pole_spans = nodes->spans;
    problem->pole_span_count = nodes->span_count;
    nodes->spans = NULL;
    nodes->span_capacity = 0;
    for (int64_t s = 0; s < problem->pole_span_count; s++) {
        struct pole_span *span = &problem->pole_spans[s];
        span->state = problem->pole_state_count;
        problem->pole_state_count += (int64_t)span->count * pole_medium_states(&problem->pole_media[span->medium]);
    }
    medium_shares_free(&nodes->shares);
    return PW_OK;
}

pw_status dispersive_nodes_check_sources(const struct setup *setup, pw_error *error)
{
    const struct problem *problem = &setup->problem;
    for (int s = 0; s < problem->source_count; s++) {
        const struct source *source = &problem->sources[s];
        int64_t at = 0;
        for (int64_t n = 0; source->hard && n < source->count; n++) {
            while (at < problem->pole_span_count &&
                   problem->pole_spans[at].place + problem->pole_spans[at].count <= source->node[n]) {
                at++;
            }
            FAIL_IF(at < problem->pole_span_count && problem->pole_spans[at].place <= source->node[n], error,
                    PW_BAD_INPUT,
                    "%s: transmitter '%s' sets the field (source: hard) inside a material with poles, which "
                    "cannot answer it; use source: soft",
                    setup->scenario->file, setup->scenario->transmitters[s].name);
        }
    }
    return PW_OK;
}
