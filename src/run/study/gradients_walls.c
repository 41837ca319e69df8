/* Which walls decide a link, piece by piece (gradients.h). The change of the level is a sum over the nodes of the walls
 * (pw_gradients_map), so a piece's own share is the sum over its nodes: exactly the derivative to a parameter of that
 * piece alone. First the pieces are found, each at the strongest node that none has yet; then every node goes to the
 * piece that it lies in or is nearest to. */
#include "run/study/gradients.h"

#include "api/plan/edit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PIECES_MOST = 512 };
/* Of the sum of all sizes: what is left when no more pieces are looked for. */
static const double LEFT_OVER = 0.005;
static const double RIM = 3; /* cells: how far around a wall averaging has hold of nodes, but for tails */

struct search {
    const struct gradients *made;
    double *medium, *thickness; /* (ny, nx), owned: dB/m^2 of what the walls are made of, and of how thick they are */
    double *size;               /* (ny, nx): of both; 0 once a piece has the node */
    size_t nodes;
    bool has_medium, has_thickness;
    pw_gradients_wall *found; /* (PIECES_MOST), owned */
    int count;
};

static bool is_thickness(const struct gradients *made, int p)
{
    return made->varied[p].parameter.kind == PW_PARAMETER_THICKNESS;
}

/* Adds the maps of all parameters, each to its sum. */
static pw_status sum_maps(struct search *search, int transmitter, int receiver, pw_error *error)
{
    const struct gradients *made = search->made;
    for (int p = 0; p < made->count; p++) {
        double *sum = is_thickness(made, p) ? search->thickness : search->medium;
        TRY(pw_gradients_map(made, transmitter, receiver, p, 1, search->size, error));
        for (size_t n = 0; n < search->nodes; n++) {
            sum[n] += search->size[n];
        }
        *(is_thickness(made, p) ? &search->has_thickness : &search->has_medium) = true;
    }
    for (size_t n = 0; n < search->nodes; n++) {
        search->size[n] = fabs(search->medium[n]) + fabs(search->thickness[n]);
    }
    return PW_OK;
}

/* Where a node is; in the absorber, where walls go on, the nearest point of the plan. */
static struct point node_at(const struct setup *setup, size_t node)
{
    const struct axis *axis = setup->problem.axis;
    const size_t nx = (size_t)axis[0].count;
    const double x = setup->origin.x + (double)(node % nx) * axis[0].spacing,
                 y = setup->origin.y + (double)(node / nx) * axis[1].spacing;
    return (struct point){fmin(fmax(x, 0), setup->plan.width), fmin(fmax(y, 0), setup->plan.height)};
}

/* How far outside of a piece a place is [m]; within another material much farther. */
static double distance_to(const struct setup *setup, const pw_gradients_wall *wall, struct point at)
{
    const double *line = wall->line, dx = line[2] - line[0], dy = line[3] - line[1], length = hypot(dx, dy);
    const struct point way = length > 0 ? (struct point){dx / length, dy / length} : (struct point){1, 0};
    const double along = (at.x - line[0]) * way.x + (at.y - line[1]) * way.y,
                 across = fabs((at.x - line[0]) * way.y - (at.y - line[1]) * way.x);
    const struct material *there = &setup->plan.materials[floorplan_material_at(&setup->plan, at.x, at.y)];
    const bool other = !material_is_air(there) && strcmp(there->name, wall->material) != 0;
    return hypot(fmax(0, fmax(-along, along - length)), fmax(0, across - 0.5 * wall->thickness)) + (other ? 1e3 : 0);
}

/* The piece of wall at a node, or the node alone where none is found. */
static void look_at(const struct search *search, size_t node, pw_gradients_wall *wall)
{
    const struct setup *setup = search->made->setup;
    const double cell = setup->problem.axis[0].spacing;
    const struct point at = node_at(setup, node);
    pw_wall_piece piece;
    *wall = (pw_gradients_wall){.line = {at.x, at.y, at.x, at.y}, .thickness = cell, .material = "air"};
    if (pw_scenario_find_wall(search->made->scenario, &setup->plan, at.x, at.y, 1.5 * cell, &piece, NULL) == PW_OK) {
        memcpy(wall->line, piece.line, sizeof wall->line);
        wall->thickness = piece.thickness;
        snprintf(wall->material, sizeof wall->material, "%s", piece.material);
    }
}

static pw_status find_pieces(struct search *search, pw_error *error)
{
    const struct setup *setup = search->made->setup;
    const double rim = RIM * setup->problem.axis[0].spacing;
    double left = 0;
    for (size_t n = 0; n < search->nodes; n++) {
        left += search->size[n];
    }
    const double enough = LEFT_OVER * left;
    while (left > enough && search->count < PIECES_MOST) {
        size_t strongest = 0;
        TRY(gradients_wanted(search->made, error));
        for (size_t n = 0; n < search->nodes; n++) {
            strongest = search->size[n] > search->size[strongest] ? n : strongest;
        }
        pw_gradients_wall *wall = &search->found[search->count++];
        look_at(search, strongest, wall);
        search->size[strongest] = left = 0; /* also where its piece lies elsewhere */
        for (size_t n = 0; n < search->nodes; n++) {
            if (search->size[n] > 0 && distance_to(setup, wall, node_at(setup, n)) < rim) {
                search->size[n] = 0;
            }
            left += search->size[n];
        }
    }
    return PW_OK;
}

static pw_status share_nodes(struct search *search, pw_error *error)
{
    const struct setup *setup = search->made->setup;
    const double area = pow(setup->problem.axis[0].spacing, 2);
    for (size_t n = 0; n < search->nodes; n++) {
        double least = HUGE_VAL;
        int nearest = 0;
        if (n % (size_t)search->made->setup->problem.axis[0].count == 0) {
            TRY(gradients_wanted(search->made, error));
        }
        for (int w = 0; w < search->count && (search->medium[n] != 0 || search->thickness[n] != 0); w++) {
            const double distance = distance_to(setup, &search->found[w], node_at(setup, n));
            nearest = distance < least ? w : nearest;
            least = fmin(least, distance);
        }
        if (isfinite(least)) {
            search->found[nearest].per_relative += area * search->medium[n];
            search->found[nearest].per_metre += area * search->thickness[n];
        }
    }
    for (int w = 0; w < search->count; w++) {
        pw_gradients_wall *wall = &search->found[w];
        wall->per_relative = search->has_medium ? wall->per_relative : NAN;
        wall->per_metre = search->has_thickness && wall->per_metre != 0 ? wall->per_metre / wall->thickness : NAN;
    }
    return PW_OK;
}

static double strength(const pw_gradients_wall *wall)
{
    return fabs(isnan(wall->per_relative) ? wall->per_metre * wall->thickness : wall->per_relative);
}

static int stronger(const void *a, const void *b)
{
    const double left = strength(a), right = strength(b);
    return isnan(left) ? 1 : isnan(right) ? -1 : (left < right) - (left > right);
}

pw_status pw_gradients_walls(const pw_gradients *gradients, int transmitter, int receiver, int limit,
                             pw_gradients_wall *walls, int *count, pw_error *error)
{
    const struct axis *axis = gradients->setup->problem.axis;
    const size_t nodes = (size_t)axis[0].count * (size_t)axis[1].count;
    struct search search = {.made = gradients, .nodes = nodes};
    *count = 0;
    search.medium = allocate(3 * nodes, sizeof *search.medium, "the map of the walls", error);
    search.found = allocate(PIECES_MOST, sizeof *search.found, "pieces of walls", error);
    pw_status status = search.medium == NULL || search.found == NULL ? PW_NO_RESOURCE : PW_OK;
    if (status == PW_OK) {
        search.thickness = search.medium + nodes;
        search.size = search.medium + 2 * nodes;
        status = sum_maps(&search, transmitter, receiver, error);
    }
    THEN(status, find_pieces(&search, error));
    THEN(status, share_nodes(&search, error));
    if (status == PW_OK) {
        qsort(search.found, (size_t)search.count, sizeof *search.found, stronger);
        *count = search.count < limit ? search.count : limit;
        memcpy(walls, search.found, (size_t)*count * sizeof *walls);
    }
    FREE_ALL(search.medium, search.found);
    return status;
}
