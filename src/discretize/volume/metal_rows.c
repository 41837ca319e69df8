/* Rows of places beside metal, of the problem (problem.h; physics.md section 11): what hz, Ex and Ey gain there that
 * their usual differences do not give them. Along a line of faces, with S the short difference between neighbours, z =
 * S^T S, and p the polynomial by which a scheme's difference is S p(z): beside metal the same p is taken of z without
 * the differences at edges that metal holds, cuts or comes near to. So no difference crosses metal, E answers h by the
 * transpose of what h answers E, and constants stay constants. Then h answers E over the parts of edges and faces that
 * lie outside of metal (metal_faces.h). Leaves out the parts themselves (medium/volume/metal_cells.c). */
#include "discretize/volume/metal_faces.h"
#include "discretize/volume/metal_lines.h"
#include "discretize/volume/metal_tips.h"
#include "discretize/volume/volume.h"
#include "problem/image.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A link of the metal (medium/raster.h) by one of its edges. */
struct link_edge {
    int64_t edge; /* component nodes + node */
    const struct metal_link *link;
};

struct row_task {
    struct setup *setup;
    struct problem *problem;
    struct metal_cells *cells;
    struct metal_faces faces;     /* owned */
    struct link_edge *link_edges; /* (2 link_count), owned, ascending by edge */
    struct metal_list list;
};

/* ---- the grid ---------------------------------------------------------------------------------------------------- */

/* Whether the faces on both sides of an edge that is differenced along axis a at node `at` are wanted: not near the
 * absorber. */
static bool is_wanted(const struct metal_cells *cells, int a, const int at[2])
{
    const int before = at[a] > 0 ? 1 : 0;
    return metal_cells_cut(cells, at[0], at[1]) &&
           metal_cells_cut(cells, at[0] - (a == 0 ? before : 0), at[1] - (a == 1 ? before : 0));
}

/* Whether the faces on both sides of it run on along axis a, which is that of the difference: farther than the first of
 * them, where lengths may change. */
static bool is_running(const struct metal_cells *cells, int a, const int at[2])
{
    bool running = true;
    for (int n = -2; n <= 1; n++) {
        int near[2] = {at[0], at[1]};
        near[a] += n;
        running = running && (near[a] < 0 || near[a] >= (a == 0 ? cells->nx : cells->ny) ||
                              metal_cells_runs(cells, near[0], near[1]) == a);
    }
    return running;
}

static size_t node_of(const struct row_task *task, const int at[2])
{
    return (size_t)at[1] * (size_t)task->cells->nx + (size_t)at[0];
}

/* Whether the difference across the edge that stands at place p of the line along axis a through `at` is one that wide
 * differences may use. */
static bool is_open(const struct row_task *task, int a, int p, const int line[2])
{
    int at[2] = {line[0], line[1]}, before[2];
    if (!metal_line_place(task->problem->axis[a].count, p, &at[a])) {
        return true;
    }
    memcpy(before, at, sizeof before);
    before[a] -= at[a] > 0 ? 1 : 0;
    const uint8_t *plain = task->faces.plain;
    if (volume_sheet_closes(task->setup, 1 - a, a, (int[]){at[0], at[1], 0})) {
        return false;
    }
    if (is_running(task->cells, a, at)) {
        return task->cells->area[node_of(task, at)] > 0;
    }
    const float part = task->cells->edge[1 - a][node_of(task, at)];
    return plain[node_of(task, at)] && plain[node_of(task, before)] && (part == 1 || !is_wanted(task->cells, a, at));
}

/* p(z) on the values of the faces first .. first + WINDOW - 1 of a line. */
static void smooth(const struct row_task *task, int a, const int line[2], int first, double value[WINDOW])
{
    double open[WINDOW + 1];
    for (int w = 0; w <= WINDOW && task->problem->reach > 1; w++) {
        open[w] = is_open(task, a, first + w, line) ? 1 : 0;
    }
    metal_line_smooth(&task->list, open, value);
}

/* ---- h ----------------------------------------------------------------------------------------------------------- */

/* Step `step` of a link: its edge, and whether it goes up the axis. */
static int64_t link_step(const struct row_task *task, const struct metal_link *link, int step, bool *up)
{
    const int64_t from = link->face[step], to = link->face[step + 1], high = from > to ? from : to;
    *up = to > from;
    return (llabs(to - from) == 1 ? problem_nodes(task->problem) : 0) + high;
}

static double inverse_cb(const struct row_task *task, int64_t edge)
{
    const struct problem *problem = task->problem;
    const int64_t nodes = problem_nodes(problem), node = edge % nodes;
    const int nx = task->cells->nx;
    const uint16_t entry = problem_coefficient_at(problem, (int)(edge / nodes), (int)(node % nx), (int)(node / nx), 0);
    return 1 / problem_coefficient(problem, entry)[COEFFICIENT_CB];
}

/* `weight` times what links add to the flux through an edge: their length times the difference along their way, of what
 * E is times its permittivity. */
static void add_links(const struct row_task *task, int64_t edge, double weight, struct metal_sums *sums)
{
    const int64_t nodes = problem_nodes(task->problem);
    int64_t low = 0, high = 2 * task->cells->link_count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (task->link_edges[middle].edge < edge) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (; low < 2 * task->cells->link_count && task->link_edges[low].edge == edge; low++) {
        const struct metal_link *link = task->link_edges[low].link;
        bool up[2];
        const int64_t step[2] = {link_step(task, link, 0, &up[0]), link_step(task, link, 1, &up[1])};
        const double own = up[step[0] == edge ? 0 : 1] ? 1 : -1;
        const double inverse[2] = {inverse_cb(task, step[0]), inverse_cb(task, step[1])};
        for (int s = 0; s < 2; s++) {
            const double part = own * (up[s] ? 1 : -1) * link->length * inverse[s] / (0.5 * (inverse[0] + inverse[1]));
            metal_sums_add(sums, step[s], (step[s] >= nodes ? weight : -weight) * part);
        }
    }
}

static int link_order(const void *a, const void *b)
{
    const struct link_edge *m = a, *n = b;
    const int by_edge = (m->edge > n->edge) - (m->edge < n->edge);
    return by_edge != 0 ? by_edge : (m->link > n->link) - (m->link < n->link);
}

static pw_status links_list(struct row_task *task, pw_error *error)
{
    const int64_t count = 2 * task->cells->link_count;
    task->link_edges = allocate((size_t)count, sizeof *task->link_edges, "faces at sheets of metal", error);
    TRY_MADE(task->link_edges);
    for (int64_t l = 0; l < count; l++) {
        const struct metal_link *link = &task->cells->links[l / 2];
        bool up;
        task->link_edges[l] = (struct link_edge){link_step(task, link, (int)(l % 2), &up), link};
    }
    if (count > 0) {
        qsort(task->link_edges, (size_t)count, sizeof *task->link_edges, link_order);
    }
    return PW_OK;
}

/* `weight` times the part of a circulation that the edge at place p of a line along axis a has; `cut`: only its part
 * outside of metal. dEy/dx counts, less dEx/dy. */
static void add_edge(const struct row_task *task, int a, int p, const int face[2], double weight, bool cut,
                     struct metal_sums *sums)
{
    const struct axis *axis = &task->problem->axis[a];
    const struct image image = image_of(p, axis->count, false, axis->low.symmetric);
    int at[2] = {face[0], face[1]};
    at[a] = image.place;
    const double part = image.sign == 0 ? 0 : task->cells->edge[1 - a][node_of(task, at)];
    if (part > 0) {
        const int64_t place = (1 - a) * problem_nodes(task->problem) + (int64_t)node_of(task, at);
        metal_sums_add(sums, place, (a == 0 ? weight : -weight) * image.sign * (cut ? part : 1));
        if (cut) {
            add_links(task, place, weight * image.sign, sums);
        }
    }
}

/* `weight` times the usual circulation around a face. */
static void add_usual_curl(const struct row_task *task, const int face[2], double weight, struct metal_sums *sums)
{
    for (int a = 0; a < 2; a++) {
        for (int l = 0; l < task->problem->reach; l++) {
            const double tap = weight * task->problem->difference[l];
            add_edge(task, a, face[a] + 1 + l, face, tap, false, sums);
            add_edge(task, a, face[a] - l, face, -tap, false, sums);
        }
    }
}

/* `weight` times the circulation outside of metal. */
static void add_curl(const struct row_task *task, const int face[2], double weight, struct metal_sums *sums)
{
    for (int a = 0; a < 2; a++) {
        double value[WINDOW] = {0};
        const int first = face[a] - REACH_LIMIT;
        value[REACH_LIMIT] = 1;
        smooth(task, a, face, first, value);
        for (int w = 1; w < WINDOW; w++) {
            const double slope = value[w - 1] - value[w];
            if (slope != 0) {
                add_edge(task, a, first + w, face, weight * slope, true, sums);
            }
        }
    }
}

static pw_status row_of_h(struct row_task *task, const int face[2], pw_error *error)
{
    struct metal_sums sums = {.count = 0};
    const int64_t node = (int64_t)node_of(task, face), nx = task->cells->nx;
    add_usual_curl(task, face, 1, &sums);
    if (task->faces.plain[node]) {
        add_curl(task, face, -1, &sums);
    } else {
        int count = 0;
        const struct face_share *shares = metal_faces_of(&task->faces, node, &count);
        for (int s = 0; s < count; s++) {
            const int from[2] = {(int)(shares[s].from % nx), (int)(shares[s].from / nx)};
            add_curl(task, from, -shares[s].part, &sums);
        }
    }
    return metal_row_take(&task->list, COMPONENT_HZ * problem_nodes(task->problem) + node, &sums, error);
}

/* ---- E ----------------------------------------------------------------------------------------------------------- */

/* Component c at node `at`: the difference of hz along the other axis. */
static pw_status row_of_e(struct row_task *task, int c, const int at[2], pw_error *error)
{
    const struct problem *problem = task->problem;
    const int a = 1 - c, first = at[a] - REACH_LIMIT;
    const struct axis *axis = &problem->axis[a];
    double value[WINDOW] = {0};
    value[REACH_LIMIT] = 1;
    value[REACH_LIMIT - 1] = -1;
    smooth(task, a, at, first, value);
    for (int l = 0; l < problem->reach; l++) {
        value[REACH_LIMIT + l] -= problem->difference[l];
        value[REACH_LIMIT - 1 - l] += problem->difference[l];
    }
    const double cb = problem_coefficient(problem, problem_coefficient_at(problem, c, at[0], at[1], 0))[COEFFICIENT_CB];
    struct metal_sums sums = {.count = 0};
    for (int w = 0; w < WINDOW; w++) {
        const struct image image = image_of(first + w, axis->count, true, axis->low.symmetric);
        int face[2] = {at[0], at[1]};
        face[a] = image.place;
        if (fabs(value[w]) > ROUNDING) {
            metal_sums_add(&sums, COMPONENT_HZ * problem_nodes(problem) + (int64_t)node_of(task, face),
                           (c == 0 ? cb : -cb) * value[w] * image.sign);
        }
    }
    return metal_row_take(&task->list, c * problem_nodes(problem) + (int64_t)node_of(task, at), &sums, error);
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

/* What the staircase holds is held, everything else of it is free. */
static void settle_staircase(const struct row_task *task)
{
    const struct problem *problem = task->problem;
    for (int c = 0; c < 2; c++) {
        for (int j = 0; j < task->cells->ny; j++) {
            for (int i = 0; i < task->cells->nx; i++) {
                float *part = &task->cells->edge[c][node_of(task, (int[]){i, j})];
                const uint16_t entry = problem_coefficient_at(problem, c, i, j, 0);
                if (*part == METAL_STAIRCASE) {
                    *part = task->setup->medium.palette[entry].perfect_conductor ? 0 : 1;
                }
            }
        }
    }
}

/* Faces that run on have the numbers of one near the end of the grid, and edges across the metal the part that their
 * face has, so that differences along them are the usual ones. */
static void settle_runs(struct metal_cells *cells)
{
    for (int j = 0; j < cells->ny; j++) {
        for (int i = 0; i < cells->nx; i++) {
            const int a = metal_cells_runs(cells, i, j);
            if (a < 0) {
                continue;
            }
            const int count = a == 0 ? cells->nx : cells->ny, end = metal_cells_end(cells, a, a == 0 ? i : j),
                      at = end == 0 ? 2 : count - 3;
            const size_t nx = (size_t)cells->nx, own = (size_t)j * nx + (size_t)i,
                         from = a == 0 ? (size_t)j * nx + (size_t)at : (size_t)at * nx + (size_t)i,
                         step = a == 0 ? nx : 1;
            const double edges = cells->edge[a][from] + cells->edge[a][from + step];
            cells->area[own] =
                cells->area[from] > 0 ? fmaxf(cells->area[from], (float)(edges / (2 * cells->limit))) : 0;
            cells->split[own] = cells->split[from];
            if (metal_cells_runs(cells, i - (a == 1), j - (a == 0)) == a) {
                cells->edge[a][own] = cells->edge[a][from];
            }
            if ((a == 0 ? i : j) > 0 && metal_cells_runs(cells, i - (a == 0), j - (a == 1)) == a) {
                cells->edge[1 - a][own] = cells->area[own];
            }
        }
    }
}

/* Marks the places around a node whose rows it may change. */
static void mark_around(const struct row_task *task, const int at[2], uint8_t *beside)
{
    const int far = task->problem->reach + 1;
    for (int j = at[1] - far < 0 ? 0 : at[1] - far; j <= at[1] + far && j < task->cells->ny; j++) {
        for (int i = at[0] - far < 0 ? 0 : at[0] - far; i <= at[0] + far && i < task->cells->nx; i++) {
            beside[node_of(task, (int[]){i, j})] = 1;
        }
    }
}

/* Places whose rows may not be the usual ones: near faces that are not plain, and near edges that are no whole ones,
 * but for those deep in metal. */
static void mark_beside(const struct row_task *task, uint8_t *beside)
{
    for (int j = 0; j < task->cells->ny; j++) {
        for (int i = 0; i < task->cells->nx; i++) {
            const int at[2] = {i, j};
            const size_t node = node_of(task, at);
            bool special = !task->faces.plain[node] && task->cells->area[node] > 0;
            for (int a = 0; a < 2; a++) {
                int before[2] = {i, j};
                before[a] -= at[a] > 0 ? 1 : 0;
                const bool air = task->cells->area[node] > 0 || task->cells->area[node_of(task, before)] > 0;
                special = special || (air && !is_open(task, a, at[a], at));
            }
            if (special) {
                mark_around(task, at, beside);
            }
        }
    }
}

/* In the order of places: Ex, Ey, hz. */
static pw_status rows_make(struct row_task *task, const uint8_t *beside, pw_error *error)
{
    const struct problem *problem = task->problem;
    for (int c = 0; c < 3; c++) {
        for (int j = 0; j < task->cells->ny; j++) {
            for (int i = 0; i < task->cells->nx; i++) {
                const int at[2] = {i, j};
                const size_t node = node_of(task, at);
                const bool wall = c < 2 && at[1 - c] == 0 && !problem->axis[1 - c].low.symmetric;
                if (!beside[node]) {
                    continue;
                }
                if (c == 2) {
                    TRY(row_of_h(task, at, error));
                } else if (problem->reach > 1 && task->cells->edge[c][node] > 0 && !wall) {
                    TRY(row_of_e(task, c, at, error));
                }
            }
        }
    }
    return PW_OK;
}

pw_status volume_metal_rows_of(struct setup *setup, pw_error *error)
{
    struct row_task task = {.setup = setup, .problem = &setup->problem, .cells = &setup->metal};
    if (setup->metal.edge[0] == NULL) {
        return PW_OK;
    }
    uint8_t *beside = allocate((size_t)problem_nodes(&setup->problem), sizeof *beside, "metal", error);
    TRY_MADE(beside);
    setup->metal.beside = beside;
    settle_staircase(&task);
    metal_list_begin(&setup->problem, &task.list);
    pw_status status = metal_tips_settle(setup, &task.list, setup->metal.limit, error);
    settle_runs(&setup->metal);
    THEN(status, metal_faces_create(&setup->metal, setup->metal.limit, &task.faces, error));
    THEN(status, links_list(&task, error));
    if (status == PW_OK) {
        mark_beside(&task, beside);
        volume_sheet_mark(setup, beside);
        status = rows_make(&task, beside, error);
    }
    metal_list_give(&task.list, &setup->problem);
    metal_faces_free(&task.faces);
    free(task.link_edges);
    return status;
}
