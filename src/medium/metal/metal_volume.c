/* Parts of edges and faces in three dimensions (metal_volume.h). In a band of a building nothing changes along z, so
 * the parts of horizontal edges and faces are those of the band's plan (metal_cells.c). From a level of nodes to the
 * next, which is called a space here, one band rules: that with most of it. What it holds is held, and the part of an
 * upright face is the length in the ruling band of the edge that it stands on (metal_lengths.c), less what metal of
 * other bands takes of the space. Air of another band beside metal of the ruling one counts to the next space. So a
 * face of metal across z goes to the nearest level, and the distances to it, half a cell to one and a half, are right.
 * A band of metal that rules no space is held at the level that is nearest. Leaves out the pieces of thin metal within
 * a plan (metal_pieces.c) and how the time step stays (metal_mass.c). */
#include "medium/metal/metal_volume.h"

#include "medium/metal/ends/metal_lost.h"
#include "medium/metal/metal_lengths.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Less than this of an edge or a face is none of it, and so near to all of it is all. */
static const double NONE = 1e-3;

/* A band of the building. */
struct metal_band {
    bool metal;
    double low, high; /* cells from node 0 */
    int level;        /* of metal that rules no space: the level that it holds; else -1 */
    struct metal_cells cells;
    float *upright;   /* (ny, nx), owned: of edges along z: 0, 1 or METAL_STAIRCASE */
    float *length[2]; /* (ny, nx) each, owned: metal_lengths.h */
};

/* What the bands are to a space, and to the level under it: two levels with the same are alike. */
struct level_view {
    bool any;         /* metal */
    int ruling[3];    /* the bands that rule the spaces under, at and over this one */
    double *weight;   /* (band_count): the part of the space that is in a band */
    double *moved;    /* (band_count): air beside a thin band that comes to the space, or with - goes */
    double *from[2];  /* (band_count) each: parts of the spaces under and over this one whose air comes to it */
    double *touching; /* (band_count): of the level: 1 where it lies in the band, or holds it */
};

enum { NUMBERS = 5 }; /* arrays of a view */

struct cut_task {
    const struct building *building;
    const struct raster_volume *volume;
    struct metal_volume *cuts;
    struct metal_band *bands; /* (band_count), owned */
    uint8_t *cut; /* (ny, nx), owned: some band has metal there, or at a corner of the face; else all is 1 */
    struct level_view *views; /* (nz), owned */
    double *numbers;          /* owned: of all views */
};

void metal_volume_free(struct metal_volume *cuts)
{
    for (int l = 0; l < cuts->edge_layers; l++) {
        free(cuts->edge[l]);
        free(cuts->mass[l]);
    }
    for (int l = 0; l < cuts->face_layers; l++) {
        free(cuts->face[l]);
        free(cuts->face_mass[l]);
    }
    for (int c = 0; c < 3; c++) {
        free(cuts->edge_layer[c]);
        free(cuts->face_layer[c]);
    }
    free(cuts->band);
    free(cuts->edge);
    free(cuts->mass);
    free(cuts->face);
    free(cuts->face_mass);
    *cuts = (struct metal_volume){0};
}

bool metal_levels_alike(const struct metal_volume *cuts, int k, int other, int first, int last)
{
    bool same = true;
    for (int n = first; n <= last && same; n++) {
        const int p = k + n, q = other + n;
        const bool there = p >= 0 && p < cuts->nz;
        same = there == (q >= 0 && q < cuts->nz) && (there || (p < 0) == (q < 0));
        for (int c = 0; c < 3 && same && there; c++) {
            same = cuts->edge_layer[c][p] == cuts->edge_layer[c][q] && cuts->face_layer[c][p] == cuts->face_layer[c][q];
        }
    }
    return same;
}

bool metal_level_plain(const struct metal_volume *cuts, int k)
{
    bool plain = true;
    for (int n = 0; n < 2 && k + n < cuts->nz; n++) {
        for (int c = 0; c < 3; c++) {
            plain = plain && cuts->edge_layer[c][k + n] == 0 && cuts->face_layer[c][k + n] == 0;
        }
    }
    return plain;
}

/* ---- bands ------------------------------------------------------------------------------------------------------- */

/* Edges along z at a node: held in metal and where a horizontal edge at the node is all metal; so a sheet holds the
 * nodes along its way. */
static float upright_at(const struct metal_cells *cells, int i, int j)
{
    const size_t nx = (size_t)cells->nx, at = (size_t)j * nx + (size_t)i;
    const float parts[4] = {cells->edge[0][at], cells->edge[1][at], i > 0 ? cells->edge[0][at - 1] : 1,
                            j > 0 ? cells->edge[1][at - nx] : 1};
    float part = 1;
    for (int p = 0; p < 4; p++) {
        if (parts[p] == METAL_STAIRCASE) {
            return METAL_STAIRCASE;
        }
        part = parts[p] == 0 ? 0 : part;
    }
    return part;
}

static void mark_cut(const struct metal_band *band, uint8_t *cut)
{
    const float *parts[] = {band->cells.edge[0], band->cells.edge[1], band->cells.area,
                            band->upright,       band->length[0],     band->length[1]};
    const size_t nx = (size_t)band->cells.nx, nodes = nx * (size_t)band->cells.ny;
#pragma omp parallel for schedule(static)
    for (size_t n = 0; n < nodes; n++) {
        const size_t corners[] = {n, n + 1, n + nx, n + nx + 1};
        for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
            for (int c = 0; c < 4; c++) {
                cut[n] |= corners[c] < nodes && parts[p][corners[c]] != 1;
            }
        }
    }
}

static pw_status band_read(struct cut_task *task, int b, pw_error *error)
{
    const struct floorplan *plan = &task->building->bands[b];
    const struct raster_volume *volume = task->volume;
    struct metal_band *band = &task->bands[b];
    band->low = raster_border_at(task->building, volume, b);
    band->high = raster_border_at(task->building, volume, b + 1);
    band->level = -1;
    band->metal = floorplan_has_metal(plan) && band->low < band->high;
    if (!band->metal) {
        return PW_OK;
    }
    for (int a = 0; a < 2; a++) {
        band->cells.first[a] = task->cuts->first[a];
        band->cells.end[a] = task->cuts->end[a];
    }
    TRY(metal_cells_create(plan, &volume->plane, &band->cells, error));
    const size_t nodes = (size_t)band->cells.nx * (size_t)band->cells.ny;
    band->upright = allocate(nodes, sizeof *band->upright, "metal", error);
    for (int a = 0; a < 2; a++) {
        band->length[a] = allocate(nodes, sizeof *band->length[a], "metal", error);
    }
    TRY_MADE(band->upright != NULL && band->length[0] != NULL && band->length[1] != NULL);
#pragma omp parallel for schedule(static)
    for (int j = 0; j < band->cells.ny; j++) {
        for (int i = 0; i < band->cells.nx; i++) {
            band->upright[(size_t)j * (size_t)band->cells.nx + (size_t)i] = upright_at(&band->cells, i, j);
        }
    }
    TRY(metal_lost_hold(plan, &volume->plane, &band->cells, band->upright, error));
    TRY(metal_lengths(plan, &volume->plane, &band->cells, band->upright, band->length, error));
    mark_cut(band, task->cut);
    return PW_OK;
}

/* ---- levels ------------------------------------------------------------------------------------------------------ */

/* How much of a space a band has. */
static double part_of_space(const struct metal_band *band, int k)
{
    return fmax(fmin(band->high, k + 1) - fmax(band->low, k), 0);
}

/* The band that rules a space: the one with most of it. */
static int ruling_band(const struct cut_task *task, int k)
{
    int best = 0;
    double most = -1;
    for (int b = 0; b < task->building->band_count; b++) {
        const double part = part_of_space(&task->bands[b], k);
        if (part > most + 1e-9) {
            best = b;
            most = part;
        }
    }
    return best;
}

/* Thin metal: of bands that rule no space the level that they hold. */
static void find_thin(struct cut_task *task)
{
    for (int b = 0; b < task->building->band_count; b++) {
        struct metal_band *band = &task->bands[b];
        bool rules = !band->metal;
        for (int k = (int)fmax(floor(band->low), -1); k <= fmin(band->high, task->cuts->nz) && !rules; k++) {
            rules = ruling_band(task, k) == b;
        }
        band->level = rules ? -1 : (int)lround(0.5 * (band->low + band->high));
    }
}

/* The piece between the level that a thin band holds and its metal lies over that level, or under it. */
static double moved_of(const struct metal_band *band, int k)
{
    const bool over = band->level <= band->low;
    const double piece = fmax(over ? band->low - band->level : band->level - band->high, 0);
    const int has = over ? band->level : band->level - 1, gets = over ? band->level - 1 : band->level;
    return k == has ? -piece : k == gets ? piece : 0;
}

static void view_fill(const struct cut_task *task, int k, struct level_view *view)
{
    for (int n = 0; n < 3; n++) {
        view->ruling[n] = ruling_band(task, k + n - 1);
        view->any = view->any || task->bands[view->ruling[n]].metal;
    }
    for (int b = 0; b < task->building->band_count; b++) {
        const struct metal_band *band = &task->bands[b];
        view->weight[b] = part_of_space(band, k);
        view->moved[b] = band->level >= 0 ? moved_of(band, k) : 0;
        view->from[0][b] = b > view->ruling[0] ? part_of_space(band, k - 1) : 0;
        view->from[1][b] = b < view->ruling[2] ? part_of_space(band, k + 1) : 0;
        view->touching[b] = band->metal && (b == view->ruling[0] || b == view->ruling[1] || band->level == k);
        view->any = view->any || (band->metal && (view->weight[b] > 0 || view->moved[b] != 0 || view->touching[b] > 0));
    }
}

static bool view_is(const struct cut_task *task, const struct level_view *a, const struct level_view *b)
{
    bool same = a->any == b->any && memcmp(a->ruling, b->ruling, sizeof a->ruling) == 0;
    for (int n = 0; n < NUMBERS * task->building->band_count && same; n++) {
        same = fabs(a->weight[n] - b->weight[n]) < 1e-9;
    }
    return same;
}

static pw_status views_create(struct cut_task *task, pw_error *error)
{
    const size_t bands = (size_t)task->building->band_count, nz = (size_t)task->cuts->nz;
    task->numbers = allocate(nz * NUMBERS * bands, sizeof *task->numbers, "levels of metal", error);
    task->views = allocate(nz, sizeof *task->views, "levels of metal", error);
    TRY_MADE(task->views != NULL && task->numbers != NULL);
    find_thin(task);
    for (size_t k = 0; k < nz; k++) {
        double *own = task->numbers + k * NUMBERS * bands;
        task->views[k] = (struct level_view){.weight = own,
                                             .moved = own + bands,
                                             .from = {own + 2 * bands, own + 3 * bands},
                                             .touching = own + 4 * bands};
        view_fill(task, (int)k, &task->views[k]);
    }
    return PW_OK;
}

/* ---- layers ------------------------------------------------------------------------------------------------------ */

/* What a band has at a place: of edges along x, along y and along z, of the face across z, and of those that stand on
 * an edge along x or y. */
enum plan_part { PART_X, PART_Y, PART_UPRIGHT, PART_FACE, PART_OVER_X, PART_OVER_Y };

static float band_part(const struct metal_band *band, enum plan_part part, size_t at)
{
    if (!band->metal) {
        return 1;
    }
    return part == PART_FACE      ? band->cells.area[at]
           : part == PART_UPRIGHT ? band->upright[at]
           : part >= PART_OVER_X  ? band->length[part - PART_OVER_X][at]
                                  : band->cells.edge[part][at];
}

static float snapped(double part)
{
    return part < NONE ? 0 : fabs(part - 1) < NONE ? 1 : (float)part;
}

/* Which corners of a horizontal edge or face are free: bits; or that it lies between held ones. Air of two bands that
 * has no corner in common lies on two sides of metal. */
static unsigned corners_of(const struct metal_band *band, enum plan_part part, size_t at, int nx)
{
    enum { ALL = 31, BETWEEN = 16 };
    unsigned free_corners = 0;
    bool all = true;
    for (int n = 0; n < 4 && band->metal; n++) {
        const int di = n & 1, dj = n >> 1;
        const bool own = (part != PART_X || dj == 0) && (part != PART_Y || di == 0);
        const bool inside =
            at % (size_t)nx + (size_t)di < (size_t)nx && at / (size_t)nx + (size_t)dj < (size_t)band->cells.ny;
        if (own && inside) {
            const bool open = band->upright[at + (size_t)dj * (size_t)nx + (size_t)di] != 0;
            free_corners |= open ? 1u << n : 0;
            all = all && open;
        }
    }
    return all ? ALL : free_corners != 0 ? free_corners : BETWEEN;
}

/* At a level: what is open in all bands that touch it, on the same side of their metal. */
static float level_part(const struct cut_task *task, const struct level_view *view, enum plan_part part, size_t at)
{
    float least = INFINITY;
    unsigned corners = ~0u;
    for (int b = 0; b < task->building->band_count; b++) {
        if (view->touching[b] > 0) {
            const float own = band_part(&task->bands[b], part, at);
            if (own == METAL_STAIRCASE) {
                return METAL_STAIRCASE;
            }
            least = own < least ? own : least;
            corners &= corners_of(&task->bands[b], part, at, task->cuts->nx);
        }
    }
    return corners == 0 ? 0 : isinf(least) ? 1 : least;
}

/* What comes from the next space, under or over this one: air of its bands beside metal of the band that rules it. */
static double coming(const struct cut_task *task, const struct level_view *view, int side, enum plan_part part,
                     size_t at)
{
    const float ruling = band_part(&task->bands[view->ruling[2 * side]], part, at);
    double sum = 0;
    for (int b = 0; b < task->building->band_count; b++) {
        if (view->from[side][b] > 0) {
            sum += view->from[side][b] * fmax(0, (double)band_part(&task->bands[b], part, at) - ruling);
        }
    }
    return sum;
}

/* In a space; METAL_STAIRCASE where a band is no more than that. */
static float space_part(const struct cut_task *task, const struct level_view *view, enum plan_part part, size_t at)
{
    const float ruling = band_part(&task->bands[view->ruling[1]], part, at);
    double sum = ruling;
    for (int b = 0; b < task->building->band_count; b++) {
        const struct metal_band *band = &task->bands[b];
        const float own = band_part(band, part, at);
        if ((view->weight[b] > 0 || view->moved[b] != 0) && own == METAL_STAIRCASE) {
            return METAL_STAIRCASE;
        }
        sum -= view->weight[b] * fmax(0, (double)ruling - own);
        if (view->moved[b] != 0) {
            const int beside = band->level <= band->low ? b - 1 : b + 1;
            const bool there = beside >= 0 && beside < task->building->band_count;
            const double other = there ? band_part(&task->bands[beside], part, at) : 1;
            sum += view->moved[b] * fmax(0, fmin(other, ruling) - own);
        }
    }
    return ruling == 0 ? 0 : snapped(sum + coming(task, view, 0, part, at) + coming(task, view, 1, part, at));
}

static pw_status layer_add(float ***layers, int *count, size_t nodes, float **layer, pw_error *error)
{
    float **more = realloc(*layers, ((size_t)*count + 1) * sizeof *more);
    FAIL_IF(more == NULL, error, PW_NO_RESOURCE, "not enough memory for levels of metal");
    *layers = more;
    more[*count] = nodes > 0 ? allocate(nodes, sizeof(float), "levels of metal", error) : NULL;
    if (nodes > 0 && more[*count] == NULL) {
        return PW_NO_RESOURCE;
    }
    *layer = more[(*count)++];
    return PW_OK;
}

/* The layer of `part` at level k, or over it, into layer[k]; `edge`: of edges, else of faces. */
static pw_status layer_of(struct cut_task *task, bool over, enum plan_part part, bool edge, int k, int *layer,
                          pw_error *error)
{
    struct metal_volume *cuts = task->cuts;
    const struct level_view *view = &task->views[k];
    const size_t nodes = (size_t)cuts->nx * (size_t)cuts->ny;
    const bool wanted = k >= cuts->first[2] && k < cuts->end[2];
    int same = k - 1;
    layer[k] = 0;
    if (!view->any || (!wanted && !edge)) {
        return PW_OK;
    }
    while (same >= 0 &&
           (!view_is(task, view, &task->views[same]) || wanted != (same >= cuts->first[2] && same < cuts->end[2]))) {
        same--;
    }
    if (same >= 0) {
        layer[k] = layer[same];
        return PW_OK;
    }
    float *values = NULL, *mass = NULL;
    int *layers = edge ? &cuts->edge_layers : &cuts->face_layers, masses = *layers;
    TRY(layer_add(edge ? &cuts->mass : &cuts->face_mass, &masses, nodes, &mass, error));
    layer[k] = *layers;
    TRY(layer_add(edge ? &cuts->edge : &cuts->face, layers, nodes, &values, error));
#pragma omp parallel for schedule(static)
    for (size_t n = 0; n < nodes; n++) {
        const float own = !wanted         ? METAL_STAIRCASE
                          : !task->cut[n] ? 1
                          : over          ? space_part(task, view, part, n)
                                          : level_part(task, view, part, n);
        values[n] = own == METAL_STAIRCASE && !edge ? 1 : own;
        mass[n] = 1;
    }
    return PW_OK;
}

/* The band that has all of a space, and no other's air comes to it; -1: none. */
static int only_band(const struct cut_task *task, const struct level_view *view)
{
    bool only = true;
    for (int b = 0; b < task->building->band_count; b++) {
        only = only && (b == view->ruling[1] || view->weight[b] == 0) && view->moved[b] == 0 && view->from[0][b] == 0 &&
               view->from[1][b] == 0;
    }
    return only ? view->ruling[1] : -1;
}

static pw_status layers_create(struct cut_task *task, pw_error *error)
{
    struct metal_volume *cuts = task->cuts;
    cuts->band = allocate((size_t)cuts->nz, sizeof(int), "levels of metal", error);
    TRY_MADE(cuts->band);
    float *plain = NULL;
    int masses = 0, face_masses = 0;
    TRY(layer_add(&cuts->mass, &masses, 0, &plain, error));
    TRY(layer_add(&cuts->edge, &cuts->edge_layers, 0, &plain, error));
    TRY(layer_add(&cuts->face_mass, &face_masses, 0, &plain, error));
    TRY(layer_add(&cuts->face, &cuts->face_layers, 0, &plain, error));
    for (int c = 0; c < 3; c++) {
        cuts->edge_layer[c] = allocate((size_t)cuts->nz, sizeof(int), "levels of metal", error);
        cuts->face_layer[c] = allocate((size_t)cuts->nz, sizeof(int), "levels of metal", error);
        TRY_MADE(cuts->edge_layer[c] != NULL && cuts->face_layer[c] != NULL);
    }
    for (int k = 0; k < cuts->nz; k++) {
        cuts->band[k] = only_band(task, &task->views[k]);
        TRY(layer_of(task, false, PART_X, true, k, cuts->edge_layer[0], error));
        TRY(layer_of(task, false, PART_Y, true, k, cuts->edge_layer[1], error));
        TRY(layer_of(task, true, PART_UPRIGHT, true, k, cuts->edge_layer[2], error));
        TRY(layer_of(task, true, PART_OVER_Y, false, k, cuts->face_layer[0], error));
        TRY(layer_of(task, true, PART_OVER_X, false, k, cuts->face_layer[1], error));
        TRY(layer_of(task, false, PART_FACE, false, k, cuts->face_layer[2], error));
    }
    return PW_OK;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

pw_status metal_volume_create(const struct building *building, const struct raster_volume *volume,
                              struct metal_volume *cuts, pw_error *error)
{
    struct cut_task task = {.building = building, .volume = volume, .cuts = cuts};
    pw_status status = PW_OK;
    cuts->nx = volume->plane.nx;
    cuts->ny = volume->plane.ny;
    cuts->nz = volume->nz;
    task.bands = allocate((size_t)building->band_count, sizeof *task.bands, "bands of metal", error);
    task.cut = allocate((size_t)cuts->nx * (size_t)cuts->ny, 1, "bands of metal", error);
    status = task.bands != NULL && task.cut != NULL ? PW_OK : PW_NO_RESOURCE;
    for (int b = 0; b < building->band_count && status == PW_OK; b++) {
        status = band_read(&task, b, error);
    }
    THEN(status, views_create(&task, error));
    THEN(status, layers_create(&task, error));
    for (int b = 0; b < building->band_count && task.bands != NULL; b++) {
        metal_cells_free(&task.bands[b].cells);
        free(task.bands[b].upright);
        free(task.bands[b].length[0]);
        free(task.bands[b].length[1]);
    }
    free(task.bands);
    free(task.cut);
    free(task.views);
    free(task.numbers);
    return status;
}
