/* Rows of places beside metal in three dimensions (problem.h; physics.md section 9): what h and E gain there that their
 * usual differences do not give them. h answers E over the parts of edges and faces outside of metal
 * (medium/metal/metal_volume.h); no wide difference crosses metal, and E answers h by the transpose of what h answers
 * E (metal_lines.h). Leaves out the parts themselves, and the shares of volume, which the permittivities have.
 *
 * No wide difference crosses a thin conducting layer either. Where there is no metal these rows are made here too, in
 * three dimensions and in horizontal polarisation, whose single layer has no differences along z. */
#include "discretize/volume/metal_lines.h"
#include "discretize/volume/volume.h"
#include "medium/metal/metal_beside.h"
#include "problem/image.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct cut_task {
    struct setup *setup;
    struct problem *problem;
    const struct metal_volume *cuts; /* NULL: nothing is cut */
    struct metal_list list;          /* without rows */
    /* (nz) of (ny, nx), owned: bits, below. Levels that look alike share theirs; NULL: all is as in air. NULL without
     * `cuts`. */
    uint8_t **faces;
};

/* Bits of a face across axis d: it is whole, and its edges are whole or of the staircase, so it has wide differences;
 * and it has no mass of its own either. */
#define FACE_WIDE(d)  (1U << (d))
#define FACE_PLAIN(d) (8U << (d))
enum {
    FACES_AS_IN_AIR = 63,
    BESIDE = 64 /* of a node: metal of the level may change rows there */
};

/* ---- the grid ---------------------------------------------------------------------------------------------------- */

static float edge_at(const struct cut_task *task, int c, const int at[3])
{
    return task->cuts != NULL ? metal_edge_at(task->cuts, c, at[0], at[1], at[2]) : METAL_STAIRCASE;
}

static float face_at(const struct cut_task *task, int d, const int at[3])
{
    return task->cuts != NULL ? metal_face_at(task->cuts, d, at[0], at[1], at[2]) : 1;
}

static float face_mass_at(const struct cut_task *task, int d, const int at[3])
{
    return task->cuts != NULL ? metal_face_mass_at(task->cuts, d, at[0], at[1], at[2]) : 1;
}

/* The part of an edge; of the staircase whether it is free. */
static double part_at(const struct cut_task *task, int c, const int at[3])
{
    const float part = edge_at(task, c, at);
    if (part != METAL_STAIRCASE) {
        return part;
    }
    const uint16_t entry = problem_coefficient_at(task->problem, c, at[0], at[1], at[2]);
    return task->setup->medium.palette[entry].perfect_conductor ? 0 : 1;
}

static int64_t node_of(const struct cut_task *task, const int at[3])
{
    const struct axis *axis = task->problem->axis;
    return ((int64_t)at[2] * axis[1].count + at[1]) * axis[0].count + at[0];
}

/* What FACE_WIDE says. */
static bool is_wide(const struct cut_task *task, int d, const int at[3])
{
    bool wide = face_at(task, d, at) == 1;
    for (int n = 1; n <= 2 && wide; n++) {
        const int c = (d + n) % 3, other = 3 - d - c;
        for (int side = 0; side < 2 && wide; side++) {
            int edge[3] = {at[0], at[1], at[2]};
            edge[other] += side;
            const float part = edge_at(task, c, edge);
            wide = part == 1 || part == METAL_STAIRCASE;
        }
    }
    return wide;
}

static bool face_is(const struct cut_task *task, unsigned bit, const int at[3])
{
    const uint8_t *faces = task->faces != NULL ? task->faces[at[2]] : NULL;
    return faces == NULL || (faces[(size_t)at[1] * (size_t)task->cuts->nx + (size_t)at[0]] & bit) != 0;
}

/* Whether both faces across axis d that meet in the edge at place p of the line along axis a through `line` have the
 * bit, and no layer closes the edge; beyond the far wall there is none. */
static bool is_open(const struct cut_task *task, unsigned bit, int d, int a, int p, const int line[3])
{
    int at[3] = {line[0], line[1], line[2]}, before[3];
    if (!metal_line_place(task->problem->axis[a].count, p, &at[a])) {
        return true;
    }
    memcpy(before, at, sizeof before);
    before[a] -= at[a] > 0 ? 1 : 0;
    return face_is(task, bit, at) && face_is(task, bit, before) && !volume_sheet_closes(task->setup, 3 - d - a, a, at);
}

/* Whether the differences along axis a at `line` are the usual ones: their rows would be empty. */
static bool is_usual(const struct cut_task *task, int d, int a, const int line[3])
{
    bool usual = true;
    for (int p = line[a] + 1 - task->problem->reach; p <= line[a] + task->problem->reach && usual; p++) {
        usual = is_open(task, FACE_PLAIN(d), d, a, p, line);
    }
    return usual;
}

/* p(z) on the values of the faces first .. first + WINDOW - 1 of a line of faces across axis d. */
static void smooth(const struct cut_task *task, int d, int a, const int line[3], int first, double value[WINDOW])
{
    double open[WINDOW + 1];
    for (int w = 0; w <= WINDOW && task->problem->reach > 1; w++) {
        open[w] = is_open(task, FACE_WIDE(d), d, a, first + w, line) ? 1 : 0;
    }
    metal_line_smooth(&task->list, open, value);
}

/* ---- h ----------------------------------------------------------------------------------------------------------- */

/* h across axis d has dE_b/da - dE_a/db, where b and a are the axes after it in turn: the sign of the derivative along
 * axis a. */
static double sign_of(int d, int a)
{
    return a == (d + 1) % 3 ? 1 : -1;
}

/* `weight` times what the edge at place p of a line along axis a has in the circulation around a face across axis d;
 * `cut`: only its part outside of metal. */
static void add_edge(const struct cut_task *task, int d, int a, int p, const int face[3], double weight, bool cut,
                     struct metal_sums *sums)
{
    const struct axis *axis = &task->problem->axis[a];
    const struct image image = image_of(p, axis->count, false, axis->low.symmetric);
    const int c = 3 - d - a;
    int at[3] = {face[0], face[1], face[2]};
    at[a] = image.place;
    const double part = image.sign == 0 ? 0 : part_at(task, c, at);
    if (part > 0) {
        metal_sums_add(sums, c * problem_nodes(task->problem) + node_of(task, at),
                       sign_of(d, a) * weight * image.sign * (cut ? part : 1));
    }
}

static pw_status row_of_h(const struct cut_task *task, int d, const int face[3], struct metal_list *rows,
                          pw_error *error)
{
    struct metal_sums sums = {.count = 0};
    const double area = face_at(task, d, face);
    for (int n = 1; n <= 2; n++) {
        const int a = (d + n) % 3;
        double value[WINDOW] = {0};
        const int first = face[a] - REACH_LIMIT;
        if (task->problem->axis[a].uniform || is_usual(task, d, a, face)) {
            continue;
        }
        for (int l = 0; l < task->problem->reach; l++) {
            const double tap = task->problem->difference[l];
            add_edge(task, d, a, face[a] + 1 + l, face, tap, false, &sums);
            add_edge(task, d, a, face[a] - l, face, -tap, false, &sums);
        }
        value[REACH_LIMIT] = 1;
        smooth(task, d, a, face, first, value);
        for (int w = 1; w < WINDOW; w++) {
            const double slope = value[w - 1] - value[w];
            if (slope != 0 && area > 0) {
                add_edge(task, d, a, first + w, face, -slope / area, true, &sums);
            }
        }
    }
    return metal_row_take(rows, (COMPONENT_HX + d) * problem_nodes(task->problem) + node_of(task, face), &sums, error);
}

/* ---- E ----------------------------------------------------------------------------------------------------------- */

/* The values of a line of faces across axis d times their masses. */
static void weigh(const struct cut_task *task, int d, int a, const int line[3], int first, double value[WINDOW])
{
    const struct axis *axis = &task->problem->axis[a];
    for (int w = 0; w < WINDOW; w++) {
        int face[3] = {line[0], line[1], line[2]};
        face[a] = image_of(first + w, axis->count, true, axis->low.symmetric).place;
        value[w] *= value[w] != 0 ? face_mass_at(task, d, face) : 1;
    }
}

/* Component c at a node: the differences of h along the other two axes. */
static pw_status row_of_e(const struct cut_task *task, int c, const int at[3], struct metal_list *rows, pw_error *error)
{
    const struct problem *problem = task->problem;
    const double cb =
        problem_coefficient(problem, problem_coefficient_at(problem, c, at[0], at[1], at[2]))[COEFFICIENT_CB];
    struct metal_sums sums = {.count = 0};
    for (int n = 1; n <= 2; n++) {
        const int a = (c + n) % 3, d = 3 - c - a, first = at[a] - REACH_LIMIT;
        const struct axis *axis = &problem->axis[a];
        double value[WINDOW] = {0};
        if (axis->uniform || is_usual(task, d, a, at)) {
            continue;
        }
        value[REACH_LIMIT] = 1;
        value[REACH_LIMIT - 1] = -1;
        smooth(task, d, a, at, first, value);
        weigh(task, d, a, at, first, value);
        for (int l = 0; l < problem->reach; l++) {
            value[REACH_LIMIT + l] -= problem->difference[l];
            value[REACH_LIMIT - 1 - l] += problem->difference[l];
        }
        for (int w = 0; w < WINDOW; w++) {
            const struct image image = image_of(first + w, axis->count, true, axis->low.symmetric);
            int face[3] = {at[0], at[1], at[2]};
            face[a] = image.place;
            if (fabs(value[w]) > ROUNDING) {
                metal_sums_add(&sums, (COMPONENT_HX + d) * problem_nodes(problem) + node_of(task, face),
                               sign_of(c, a) * cb * value[w] * image.sign);
            }
        }
    }
    return metal_row_take(rows, c * problem_nodes(problem) + node_of(task, at), &sums, error);
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

/* The faces at a node, and into *special whether one is cut, or held beside air. */
static uint8_t faces_of(const struct cut_task *task, const int at[3], uint8_t *special)
{
    unsigned bits = 0;
    *special = 0;
    for (int d = 0; d < 3; d++) {
        const bool wide = is_wide(task, d, at), plain = wide && face_mass_at(task, d, at) == 1;
        bits |= (wide ? FACE_WIDE(d) : 0) | (plain ? FACE_PLAIN(d) : 0);
        *special |= !plain && face_at(task, d, at) > 0;
    }
    return (uint8_t)bits;
}

/* Of the levels whose faces are found: nodes beside metal; nodes as near as the reach to a special face of their row,
 * and which rows have any. */
struct face_marks {
    uint8_t **beside, **near; /* (nz) of (ny, nx), owned */
    bool *any;                /* (nz, ny), owned */
};

static pw_status marks_create(struct cut_task *task, const bool *wanted, struct face_marks *marks, pw_error *error)
{
    const struct metal_volume *cuts = task->cuts;
    const size_t levels = (size_t)cuts->nz, nodes = (size_t)cuts->nx * (size_t)cuts->ny;
    marks->beside = allocate(levels, sizeof *marks->beside, "places beside metal", error);
    marks->near = allocate(levels, sizeof *marks->near, "places beside metal", error);
    marks->any = allocate(levels * (size_t)cuts->ny, sizeof *marks->any, "places beside metal", error);
    TRY_MADE(marks->beside != NULL && marks->near != NULL && marks->any != NULL);
    for (int k = 0; k < cuts->nz; k++) {
        if (wanted[k]) {
            task->faces[k] = allocate(nodes, 1, "places beside metal", error);
            marks->near[k] = allocate(nodes, 1, "places beside metal", error);
            TRY_MADE(task->faces[k] != NULL && marks->near[k] != NULL);
        }
    }
    return metal_beside_find(cuts, wanted, true, marks->beside, error);
}

/* Row j of a level. */
static void row_find(const struct cut_task *task, const struct face_marks *marks, int j, int k)
{
    const int nx = task->cuts->nx, far = task->problem->reach;
    const size_t row = (size_t)j * (size_t)nx;
    const uint8_t *beside = marks->beside[k] + row;
    uint8_t *faces = task->faces[k] + row, *near = marks->near[k] + row;
    memset(faces, FACES_AS_IN_AIR, (size_t)nx);
    for (int i = 0; i < nx; i++) {
        uint8_t special = 0;
        if (beside[i] != 0) {
            faces[i] = faces_of(task, (int[]){i, j, k}, &special);
        }
        if (special != 0) {
            const int first = i < far ? 0 : i - far, end = nx - i <= far ? nx : i + far + 1;
            memset(near + first, 1, (size_t)(end - first));
            marks->any[(size_t)k * (size_t)task->cuts->ny + (size_t)j] = true;
        }
    }
}

/* Row j of a level: what is near to a special face in the rows as near as the reach. */
static void row_mark(const struct cut_task *task, const struct face_marks *marks, int j, int k)
{
    const int ny = task->cuts->ny, far = task->problem->reach;
    const size_t nx = (size_t)task->cuts->nx;
    uint8_t *faces = task->faces[k] + (size_t)j * nx;
    for (int r = j < far ? 0 : j - far; r <= j + far && r < ny; r++) {
        const uint8_t *near = marks->near[k] + (size_t)r * nx;
        for (size_t i = 0; i < nx && marks->any[(size_t)k * (size_t)ny + (size_t)r]; i++) {
            faces[i] = (uint8_t)(faces[i] | near[i] * BESIDE);
        }
    }
}

static void levels_find(const struct cut_task *task, const struct face_marks *marks)
{
    const int ny = task->cuts->ny;
    const int64_t rows = (int64_t)task->cuts->nz * ny;
#pragma omp parallel
    {
#pragma omp for schedule(dynamic, 16)
        for (int64_t n = 0; n < rows; n++) {
            if (marks->near[n / ny] != NULL) {
                row_find(task, marks, (int)(n % ny), (int)(n / ny));
            }
        }
#pragma omp for schedule(dynamic, 16)
        for (int64_t n = 0; n < rows; n++) {
            if (marks->near[n / ny] != NULL) {
                row_mark(task, marks, (int)(n % ny), (int)(n / ny));
            }
        }
    }
}

static pw_status faces_create(struct cut_task *task, pw_error *error)
{
    const struct metal_volume *cuts = task->cuts;
    struct face_marks marks = {0};
    OWNED bool *wanted = metal_levels_apart(cuts, 0, 1, error);
    TRY_MADE(wanted);
    const pw_status status = marks_create(task, wanted, &marks, error);
    if (status == PW_OK) {
        levels_find(task, &marks);
    }
    for (int k = 0; k < cuts->nz && status == PW_OK; k++) {
        int same = k - 1;
        while (same >= 0 && !metal_levels_alike(cuts, k, same, 0, 1)) {
            same--;
        }
        task->faces[k] = !wanted[k] && same >= 0 ? task->faces[same] : task->faces[k];
    }
    metal_beside_free(cuts, marks.beside);
    metal_beside_free(cuts, marks.near);
    free(marks.any);
    return status;
}

static void faces_free(struct cut_task *task)
{
    for (int k = 0; task->faces != NULL && k < task->cuts->nz; k++) {
        int first = 0;
        while (task->faces[first] != task->faces[k]) {
            first++;
        }
        if (first == k) {
            free(task->faces[k]);
        }
    }
    free(task->faces);
}

/* Marks of a level, of all levels as near as the reach. */
static void mark_beside(const struct cut_task *task, int k, uint8_t *level)
{
    const size_t level_nodes = (size_t)task->cuts->nx * (size_t)task->cuts->ny;
    const int far = task->problem->reach;
    const uint8_t *last = NULL;
    for (int n = k - far < 0 ? 0 : k - far; n <= k + far && n < task->cuts->nz; n++) {
        const uint8_t *own = task->faces[n];
        for (size_t m = 0; m < level_nodes && own != NULL && own != last; m++) {
            level[m] |= own[m] / BESIDE;
        }
        last = own != NULL ? own : last;
    }
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static pw_status row_of(const struct cut_task *task, int component, const int at[3], struct metal_list *rows,
                        pw_error *error)
{
    const struct axis *axis = task->problem->axis;
    bool wall = false;
    if (component >= COMPONENT_HX) {
        return row_of_h(task, component - COMPONENT_HX, at, rows, error);
    }
    for (int a = 0; a < 3; a++) {
        wall = wall || (a != component && at[a] == 0 && !axis[a].low.symmetric && !axis[a].uniform);
    }
    return wall || part_at(task, component, at) == 0 ? PW_OK : row_of_e(task, component, at, rows, error);
}

static pw_status level_make(const struct cut_task *task, int component, int k, const uint8_t *level,
                            struct metal_list *rows, pw_error *error)
{
    const struct axis *axis = task->problem->axis;
    const size_t nx = (size_t)axis[0].count, nodes = nx * (size_t)axis[1].count;
    const uint8_t *next = memchr(level, 1, nodes);
    while (next != NULL) {
        const size_t n = (size_t)(next - level);
        TRY(row_of(task, component, (int[]){(int)(n % nx), (int)(n / nx), k}, rows, error));
        next = n + 1 < nodes ? memchr(next + 1, 1, nodes - n - 1) : NULL;
    }
    return PW_OK;
}

/* In the order of places: Ex, Ey, Ez, hx, hy, hz, each level by level. */
static pw_status rows_make(const struct cut_task *task, const uint8_t *beside, pw_error *error)
{
    const struct axis *axis = task->problem->axis;
    const int levels = axis[2].count;
    const size_t nodes = (size_t)axis[0].count * (size_t)axis[1].count;
    struct metal_list all = task->list;
    pw_status status = PW_OK;
#pragma omp parallel for ordered schedule(dynamic, 1)
    for (int n = 0; n < 6 * levels; n++) {
        const int c = n / levels, k = n % levels;
        const bool none = axis[2].uniform && c >= COMPONENT_EZ && c < COMPONENT_HZ; /* zero in a single layer */
        struct metal_list rows = task->list;
        pw_error own = {""};
        pw_status made = none ? PW_OK : level_make(task, c, k, beside + (size_t)k * nodes, &rows, &own);
#pragma omp ordered
        {
            THEN(made, metal_list_append(&all, &rows, &own));
            status = made == PW_OK ? status : fail(error, made, "%s", own.message);
        }
        free(rows.rows);
        free(rows.terms);
    }
    metal_list_give(&all, task->problem);
    return status;
}

static pw_status cuts_mark(struct cut_task *task, uint8_t *beside, pw_error *error)
{
    const struct metal_volume *cuts = task->cuts;
    const size_t level_nodes = (size_t)cuts->nx * (size_t)cuts->ny;
    task->faces = allocate((size_t)cuts->nz, sizeof *task->faces, "places beside metal", error);
    TRY_MADE(task->faces);
    TRY(faces_create(task, error));
#pragma omp parallel for schedule(static)
    for (int k = 0; k < cuts->nz; k++) {
        mark_beside(task, k, beside + (size_t)k * level_nodes);
    }
    return PW_OK;
}

pw_status volume_cut_rows(struct setup *setup, pw_error *error)
{
    const bool cut = setup->cuts.edge_layers > 1;
    struct cut_task task = {.setup = setup, .problem = &setup->problem, .cuts = cut ? &setup->cuts : NULL};
    /* In horizontal polarisation metal_rows.c makes those of metal and of layers. */
    if (setup->metal.beside != NULL || (!cut && setup->medium.sheet_edges == NULL)) {
        return PW_OK;
    }
    setup->metal.beside = allocate((size_t)problem_nodes(&setup->problem), 1, "places beside metal", error);
    pw_status status = setup->metal.beside != NULL ? PW_OK : PW_NO_RESOURCE;
    metal_list_begin(task.problem, &task.list);
    if (status == PW_OK && cut) {
        status = cuts_mark(&task, setup->metal.beside, error);
    }
    if (status == PW_OK) {
        volume_sheet_mark(setup, setup->metal.beside);
        status = rows_make(&task, setup->metal.beside, error);
    }
    faces_free(&task);
    return status;
}
