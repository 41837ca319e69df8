/* Metal at its place (metal_surface.h): the one-dimensional law of a stencil, distances to metal along the links, the
 * nodes they change, and sheets that are made thick enough for the stencil. Leaves out what stencils of reach 3 and
 * more still couple across the three rows that a sheet then has, or the two that it had before. */
#include "medium/metal_surface.h"

#include "medium/scanline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE = 3 * LAPLACIAN_LIMIT
}; /* free nodes of the one-dimensional problem; beyond them the field is straight to 1e-12 */

/* Distances looked for along a line [cells]; a surface farther off runs along the line. */
static const double REACH = 12;
/* The first cell is searched in steps of this [cells], the rest in steps of CLOSE; thinner metal is found by the sides
 * of its shape, and missed where it is pixels. */
static const double FINE = 1.0 / 32, CLOSE = 0.25;
static const double SAME = 1e-6; /* cells */

/* ---- the law ---- */

/* Solves matrix x = right (n unknowns, row by row) in place, with pivoting. */
static void solve_dense(int n, double matrix[LINE + 1][LINE + 1], double *right)
{
    for (int c = 0; c < n; c++) {
        int pivot = c;
        for (int r = c + 1; r < n; r++) {
            pivot = fabs(matrix[r][c]) > fabs(matrix[pivot][c]) ? r : pivot;
        }
        for (int k = 0; k < n; k++) {
            double swap = matrix[c][k];
            matrix[c][k] = matrix[pivot][k];
            matrix[pivot][k] = swap;
        }
        double swap = right[c];
        right[c] = right[pivot];
        right[pivot] = swap;
        for (int r = c + 1; r < n; r++) {
            double factor = matrix[r][c] / matrix[c][c];
            for (int k = c; k < n; k++) {
                matrix[r][k] -= factor * matrix[c][k];
            }
            right[r] -= factor * right[c];
        }
    }
    for (int r = n - 1; r >= 0; r--) {
        for (int k = r + 1; k < n; k++) {
            right[r] -= matrix[r][k] * right[k];
        }
        right[r] /= matrix[r][r];
    }
}

/* Static field of a half-line: Ez at node -p is right[p] for p < LINE and slope p + right[LINE] beyond; a force at node
 * 0. */
static void solve_static(const struct stencil *stencil, double slope, double force, double right[LINE + 1])
{
    const int taps = 2 * stencil->reach - 1;
    double matrix[LINE + 1][LINE + 1] = {{0}};
    memset(right, 0, (LINE + 1) * sizeof *right);
    for (int p = 0; p < LINE; p++) {
        for (int q = p - taps < 0 ? 0 : p - taps; q <= p + taps; q++) {
            double weight = q == p ? stencil->centre : stencil->laplacian[abs(q - p) - 1];
            if (q < LINE) {
                matrix[p][q] += weight;
            } else {
                matrix[p][LINE] += weight;
                right[p] -= weight * slope * q;
            }
        }
    }
    right[0] -= force;
    matrix[LINE][LINE - 1] = 1;
    matrix[LINE][LINE] = -1;
    right[LINE] = slope * (LINE - 1);
    solve_dense(LINE + 1, matrix, right);
}

struct mirror_law mirror_law_of(const struct stencil *stencil)
{
    double field[LINE + 1];
    struct mirror_law law;
    solve_static(stencil, 1, 0, field);
    law.place = field[LINE];
    solve_static(stencil, 0, 1, field);
    law.compliance = field[0];
    return law;
}

double mirror_stiffness(const struct mirror_law *law, double distance)
{
    return distance > law->place ? (1 - 1 / (1 + distance - law->place)) / law->compliance : 0;
}

double mirror_slack(double half_band)
{
    if (half_band >= 0.5) {
        return 0.5;
    }
    /* d/dw of int_0^w u^2 du + (2 half_band)^2/3 int_0^(1-w) (t (1 + t))^2 dt; the left side grows, the right one
     * falls. */
    double low = 0, high = 0.5;
    while (high - low > 1e-12) {
        double slack = 0.5 * (low + high);
        if (slack < 2 / sqrt(3) * half_band * (1 - slack) * (2 - slack)) {
            low = slack;
        } else {
            high = slack;
        }
    }
    return low;
}

/* ---- distances ---- */

struct mirror_task {
    const struct floorplan *plan;
    const struct raster_grid *grid;
    struct mirror_law law;
    double hold; /* cells: nodes nearer to metal are held at zero */
};

static const int DIRECTION[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};

static bool is_metal(const struct mirror_task *task, double i, double j)
{
    double x = task->grid->origin.x + i * task->grid->cell, y = task->grid->origin.y + j * task->grid->cell;
    return task->plan->materials[floorplan_material_at(task->plan, x, y)].perfect_conductor;
}

/* At `along` cells from node (i, j) in the direction; looked for on both sides of the line, so that a line along a face
 * finds it whoever owns the face. */
static bool metal_at(const struct mirror_task *task, int i, int j, const int *direction, double along)
{
    double x = i + direction[0] * along, y = j + direction[1] * along;
    double aside_x = direction[0] == 0 ? SAME / 8 : 0, aside_y = SAME / 8 - aside_x;
    return is_metal(task, x + aside_x, y + aside_y) || is_metal(task, x - aside_x, y - aside_y);
}

/* A line from a node along an axis, and where the sides of a shape cross it [cells from the node], ascending. */
enum { CROSSINGS = 16 };
struct ray {
    double x, y; /* m */
    int direction[2];
    double cell, reach; /* m, cells */
    int count;
    double at[CROSSINGS];
};

static void ray_add(struct ray *ray, double along)
{
    if (!(along >= 0 && along <= ray->reach) || ray->count == CROSSINGS) {
        return;
    }
    int n = ray->count++;
    for (; n > 0 && ray->at[n - 1] > along; n--) {
        ray->at[n] = ray->at[n - 1];
    }
    ray->at[n] = along;
}

/* Outlines cut into slices have many points and are no thin sheets: they are left to the steps. */
static void ray_cross(struct ray *ray, const struct outline *outline)
{
    const bool along_x = ray->direction[0] != 0;
    const double sign = ray->direction[0] + ray->direction[1], here = along_x ? ray->x : ray->y;
    const double level = along_x ? ray->y : ray->x, low = along_x ? outline->low.y : outline->low.x,
                 high = along_x ? outline->high.y : outline->high.x;
    ray->count = 0;
    if (level < low || level > high || outline->slice_count > 0) {
        return;
    }
    if (outline->point_count == 0) {
        const double middle = along_x ? outline->centre.x : outline->centre.y;
        const double off = level - (along_x ? outline->centre.y : outline->centre.x);
        const double half = sqrt(fmax(outline->radius * outline->radius - off * off, 0));
        ray_add(ray, sign * (middle - half - here) / ray->cell);
        ray_add(ray, sign * (middle + half - here) / ray->cell);
    }
    for (int p = 0; p < outline->point_count; p++) {
        const struct point a = outline->points[p], b = outline->points[(p + 1) % outline->point_count];
        const double a_level = along_x ? a.y : a.x, b_level = along_x ? b.y : b.x;
        if ((a_level > level) != (b_level > level)) {
            const double part = (level - a_level) / (b_level - a_level);
            const double place = along_x ? a.x + part * (b.x - a.x) : a.y + part * (b.y - a.y);
            ray_add(ray, sign * (place - here) / ray->cell);
        }
    }
}

/* Moves `high` down to metal of a shape that lies before it, however thin, and `low` to a place before that metal. */
static void thin_metal_find(const struct mirror_task *task, int i, int j, const int *direction, double *low,
                            double *high)
{
    struct ray ray = {.x = task->grid->origin.x + i * task->grid->cell,
                      .y = task->grid->origin.y + j * task->grid->cell,
                      .direction = {direction[0], direction[1]},
                      .cell = task->grid->cell,
                      .reach = *high};
    for (int s = 0; s < task->plan->shape_count; s++) {
        if (!task->plan->materials[task->plan->shape_material[s]].perfect_conductor) {
            continue;
        }
        ray_cross(&ray, &task->plan->outlines[s]);
        for (int n = 1; n < ray.count; n++) {
            const double middle = 0.5 * (ray.at[n - 1] + ray.at[n]);
            if (middle < *high && metal_at(task, i, j, direction, middle)) {
                *low = fmax(ray.at[n - 1] - SAME, 0);
                *high = middle;
            }
        }
    }
}

/* Cells from the node to metal in the direction, INFINITY when there is none within `reach`. */
static double metal_distance(const struct mirror_task *task, int i, int j, const int *direction, double reach)
{
    double low = 0, high = 0;
    while (high < reach && !metal_at(task, i, j, direction, high)) {
        low = high;
        high += high < 1 ? FINE : CLOSE;
    }
    const double stepped = high;
    thin_metal_find(task, i, j, direction, &low, &high);
    if (high == stepped && !metal_at(task, i, j, direction, high)) {
        return INFINITY;
    }
    while (high - low > SAME / 8) {
        double middle = 0.5 * (low + high);
        if (metal_at(task, i, j, direction, middle)) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return scanline_snap(nearbyint(high / SAME) * SAME);
}

/* ---- nodes ---- */

static bool near_metal(const struct raster_grid *grid, const uint8_t *touched, int i, int j)
{
    bool near = touched[(size_t)j * (size_t)grid->nx + (size_t)i];
    for (int d = 0; d < 4 && !near; d++) {
        int x = i + DIRECTION[d][0], y = j + DIRECTION[d][1];
        near = x >= 0 && x < grid->nx && y >= 0 && y < grid->ny && touched[(size_t)y * (size_t)grid->nx + (size_t)x];
    }
    return near;
}

static bool is_held(const struct mirror_task *task, int i, int j)
{
    for (int d = 0; d < 4; d++) {
        if (metal_distance(task, i, j, DIRECTION[d], 1) < task->hold - SAME) {
            return true;
        }
    }
    return false;
}

/* The stiffness that the links of the node to nodes held at zero ask for: k^2 cell^2 times permittivity. */
static double node_stiffness(const struct mirror_task *task, const uint32_t *index, uint32_t conductor, int i, int j)
{
    const struct raster_grid *grid = task->grid;
    double sum = 0;
    for (int d = 0; d < 4; d++) {
        int x = i + DIRECTION[d][0], y = j + DIRECTION[d][1];
        if (x >= 0 && x < grid->nx && y >= 0 && y < grid->ny &&
            index[(size_t)y * (size_t)grid->nx + (size_t)x] == conductor) {
            sum += mirror_stiffness(&task->law, metal_distance(task, i, j, DIRECTION[d], REACH));
        }
    }
    return sum;
}

static bool holds(const struct raster_grid *grid, const uint32_t *index, uint32_t conductor, int i, int j)
{
    return i < 0 || i >= grid->nx || j < 0 || j >= grid->ny ||
           index[(size_t)j * (size_t)grid->nx + (size_t)i] == conductor;
}

/* Whether a conductor is part of a sheet of one row of nodes across `axis`: free on both sides, and going on to both
 * ends, be it aslant, which a post does not. Beyond the grid everything goes on. */
static bool is_sheet(const struct raster_grid *grid, const uint32_t *index, uint32_t conductor, int i, int j, int axis)
{
    const int along_x = axis == 0 ? 1 : 0, along_y = 1 - along_x;
    if (holds(grid, index, conductor, i - along_x, j - along_y) ||
        holds(grid, index, conductor, i + along_x, j + along_y)) {
        return false;
    }
    bool before = false, behind = false;
    for (int n = -1; n <= 1; n++) {
        before = before || holds(grid, index, conductor, i + n * along_x - along_y, j + n * along_y - along_x);
        behind = behind || holds(grid, index, conductor, i + n * along_x + along_y, j + n * along_y + along_x);
    }
    return before && behind;
}

/* A sheet of one row of nodes does not shield where the stencil reaches over it: fd4o would let a tenth of the field
 * through. The rows before and behind it are held too, and the mirrors are moved back as before any metal. */
static pw_status sheets_thicken(const struct raster_grid *grid, uint32_t conductor, uint32_t *index, pw_error *error)
{
    if (grid->stencil->reach < 2) {
        return PW_OK;
    }
    const size_t count = (size_t)grid->nx * (size_t)grid->ny;
    uint8_t *across = allocate(count, sizeof *across, "sheets of metal", error); /* 1: of x, 2: of y */
    if (across == NULL) {
        return PW_NO_RESOURCE;
    }
    for (int j = 0; j < grid->ny; j++) {
        for (int i = 0; i < grid->nx; i++) {
            const size_t node = (size_t)j * (size_t)grid->nx + (size_t)i;
            for (int axis = 0; axis < 2 && index[node] == conductor; axis++) {
                across[node] |= (uint8_t)(is_sheet(grid, index, conductor, i, j, axis) << axis);
            }
        }
    }
    for (size_t node = 0; node < count; node++) { /* neighbours of a sheet are inside the grid */
        if (across[node] & 1) {
            index[node - 1] = index[node + 1] = conductor;
        }
        if (across[node] & 2) {
            index[node - (size_t)grid->nx] = index[node + (size_t)grid->nx] = conductor;
        }
    }
    free(across);
    return PW_OK;
}

pw_status mirror_place(const struct floorplan *plan, const struct raster_grid *grid, const uint8_t *touched,
                       struct mixture_table *table, uint32_t *index, pw_error *error)
{
    if (table->conductor < 0 || grid->stencil == NULL || !(grid->wave_number > 0)) {
        return PW_OK;
    }
    struct mirror_task task = {plan, grid, mirror_law_of(grid->stencil), 0};
    task.hold = task.law.place - mirror_slack(grid->half_band);
    const uint32_t conductor = (uint32_t)table->conductor;
    const double scale = pow(grid->wave_number * grid->cell, -2);
#pragma omp parallel for schedule(dynamic, 16)
    for (int j = 0; j < grid->ny; j++) {
        for (int i = 0; i < grid->nx; i++) {
            uint32_t *node = &index[(size_t)j * (size_t)grid->nx + (size_t)i];
            if (*node != conductor && near_metal(grid, touched, i, j) && is_held(&task, i, j)) {
                *node = conductor;
            }
        }
    }
    if (grid->half_band < MIRRORED_SHEETS) {
        TRY(sheets_thicken(grid, conductor, index, error));
    }
    for (int j = 0; j < grid->ny; j++) {
        for (int i = 0; i < grid->nx; i++) {
            uint32_t *node = &index[(size_t)j * (size_t)grid->nx + (size_t)i];
            double stiffness = *node == conductor ? 0 : node_stiffness(&task, index, conductor, i, j);
            if (stiffness > SAME && grid->half_band < 0.5) {
                const struct mixture value = table->values[*node];
                TRY(mixture_find(table, value.permittivity + scale * stiffness, value.conductivity, node, error));
            }
        }
    }
    return PW_OK;
}
