/* Floods and rolling disks on a plan (field.h). */
#include "map/floor/field.h"

#include <limits.h>
#include <math.h>
#include <omp.h>
#include <stddef.h>
#include <string.h>

enum { WORK_NODES = 4000000 /* the plan is looked at with so many nodes at most */ };

void field_free(struct field *field)
{
    FREE_ALL(field->wall, field->gap, field->mark, field->distance, field->queue);
}

pw_status field_create(const struct plan_walls *walls, double air, struct field *field, pw_error *error)
{
    int block = 1;
    while ((double)walls->rows * walls->columns > (double)WORK_NODES * block * block) {
        block++;
    }
    double cell = block * walls->cell;
    int pad = (int)ceil(air / cell) + 2;
    *field = (struct field){.nx = (walls->columns + block - 1) / block + 2 * pad,
                            .ny = (walls->rows + block - 1) / block + 2 * pad,
                            .pad = pad,
                            .block = block,
                            .cell = cell};
    size_t count = (size_t)field->nx * (size_t)field->ny;
    field->wall = allocate(count, 1, "the inside of a plan", error);
    field->gap = allocate(count, 1, "the inside of a plan", error);
    field->mark = allocate(count, 1, "the inside of a plan", error);
    field->distance = allocate(count, sizeof *field->distance, "the inside of a plan", error);
    field->queue = allocate(count, sizeof *field->queue, "the inside of a plan", error);
    TRY_MADE(field->wall != NULL && field->gap != NULL && field->mark != NULL && field->distance != NULL &&
             field->queue != NULL);
    for (int row = 0; row < walls->rows; row++) {
        for (int column = 0; column < walls->columns; column++) {
            size_t at = (size_t)(row / block + pad) * (size_t)field->nx + (size_t)(column / block + pad);
            field->wall[at] |= walls->wall[(size_t)row * (size_t)walls->columns + (size_t)column] != 0;
        }
    }
    return PW_OK;
}

/* True for nodes of the plan, not of the air around it. */
static bool field_in_plan(const struct field *field, int n)
{
    int x = n % field->nx - field->pad, y = n / field->nx - field->pad;
    return x >= 0 && y >= 0 && x < field->nx - 2 * field->pad && y < field->ny - 2 * field->pad;
}

/* One line of the squared distance transform: the lower envelope of parabolas (Felzenszwalb, Huttenlocher, Theory of
 * Computing 8, 2012). `at` and `border` have room for count + 1. */
static void distance_line(float *values, int count, size_t stride, float *line, int *at, float *border)
{
    int last = -1;
    for (int n = 0; n < count; n++) {
        line[n] = values[(size_t)n * stride];
        if (line[n] == INFINITY) {
            continue;
        }
        float meet = -INFINITY;
        while (last >= 0) {
            int m = at[last];
            meet = ((line[n] + (float)n * (float)n) - (line[m] + (float)m * (float)m)) / (2.0F * (float)(n - m));
            if (meet > border[last]) {
                break;
            }
            last--;
        }
        last++;
        at[last] = n;
        border[last] = last == 0 ? -INFINITY : meet;
    }
    for (int n = 0, k = 0; n < count && last >= 0; n++) {
        while (k < last && border[k + 1] < (float)n) {
            k++;
        }
        float away = (float)(n - at[k]);
        values[(size_t)n * stride] = away * away + line[at[k]];
    }
}

/* Squared distance [nodes] to the nearest node with `distance` 0; the others start at INFINITY. */
static pw_status distance_transform(struct field *field, pw_error *error)
{
    size_t longest = (size_t)(field->nx > field->ny ? field->nx : field->ny) + 1,
           threads = (size_t)omp_get_max_threads();
    float *lines = allocate(threads * longest, 2 * sizeof *lines, "the inside of a plan", error);
    int *places = allocate(threads * longest, sizeof *places, "the inside of a plan", error);
    bool ready = lines != NULL && places != NULL;
#pragma omp parallel if (ready) num_threads((int)threads)
    if (ready) {
        size_t own = (size_t)omp_get_thread_num() * longest;
        float *line = lines + 2 * own, *border = line + longest;
        int *at = places + own;
#pragma omp for schedule(static)
        for (int x = 0; x < field->nx; x++) {
            distance_line(field->distance + x, field->ny, (size_t)field->nx, line, at, border);
        }
#pragma omp for schedule(static)
        for (int y = 0; y < field->ny; y++) {
            distance_line(field->distance + (size_t)y * (size_t)field->nx, field->nx, 1, line, at, border);
        }
    }
    FREE_ALL(lines, places);
    return ready ? PW_OK : PW_NO_RESOURCE;
}

int field_neighbours(const struct field *field, int n, int next[4])
{
    int x = n % field->nx, y = n / field->nx, count = 0;
    if (x > 0) {
        next[count++] = n - 1;
    }
    if (x + 1 < field->nx) {
        next[count++] = n + 1;
    }
    if (y > 0) {
        next[count++] = n - field->nx;
    }
    if (y + 1 < field->ny) {
        next[count++] = n + field->nx;
    }
    return count;
}

/* Looks along a line of nodes, `step` apart, for air between two walls that are at most `most` nodes apart. */
static void gaps_along(struct field *field, size_t start, ptrdiff_t step, int count, int most)
{
    int last = -1;
    for (int n = 0; n < count; n++) {
        if (!field->wall[(ptrdiff_t)start + n * step]) {
            continue;
        }
        for (int m = last + 1; last >= 0 && n - last - 1 <= most && m < n; m++) {
            field->gap[(ptrdiff_t)start + m * step] = 1;
        }
        last = n;
    }
}

/* Steps of a line from (x, y) by (dx, dy) until it leaves the field. */
static int line_length(const struct field *field, int x, int y, int dx, int dy)
{
    int along_x = dx > 0 ? (field->nx - 1 - x) / dx : INT_MAX;
    int along_y = dy > 0 ? (field->ny - 1 - y) / dy : dy < 0 ? y / -dy : INT_MAX;
    return 1 + (along_x < along_y ? along_x : along_y);
}

/* Finds the openings up to this width [nodes] along eight directions. */
static void gaps_find(struct field *field, double width)
{
    static const int directions[8][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}, {2, 1}, {1, 2}, {2, -1}, {1, -2}};
    memset(field->gap, 0, (size_t)field->nx * (size_t)field->ny);
    for (int d = 0; d < 8; d++) {
        int dx = directions[d][0], dy = directions[d][1], most = (int)floor(width / hypot(dx, dy));
        /* Every line begins at a node that has no node before it. */
        for (int n = 0; n < field->nx * field->ny; n++) {
            int x = n % field->nx, y = n / field->nx, before_x = x - dx, before_y = y - dy;
            if (before_x < 0 || before_y < 0 || before_y >= field->ny) {
                gaps_along(field, (size_t)n, (ptrdiff_t)dy * field->nx + dx, line_length(field, x, y, dx, dy), most);
            }
        }
    }
}

/* Marks as outside what hangs together with the corner of the field, which is far from every wall, through nodes that
 * are farther than `reach` (squared) from what `distance` counts from, or, with `nearer`, nearer and no gap. */
static void flood(struct field *field, float reach, bool nearer)
{
    size_t head = 0, tail = 0;
    memset(field->mark, MARK_NONE, (size_t)field->nx * (size_t)field->ny);
    field->queue[tail++] = 0;
    field->mark[0] = MARK_OUTSIDE;
    while (head < tail) {
        int next[4], found = field_neighbours(field, field->queue[head++], next);
        for (int k = 0; k < found; k++) {
            int n = next[k];
            bool open = nearer ? (field->distance[n] <= reach && !field->gap[n]) || !field_in_plan(field, n)
                               : field->distance[n] > reach;
            if (field->mark[n] == MARK_NONE && !field->wall[n] && open) {
                field->mark[n] = MARK_OUTSIDE;
                field->queue[tail++] = n;
            }
        }
    }
}

pw_status field_sweep(struct field *field, double diameter, pw_error *error)
{
    size_t count = (size_t)field->nx * (size_t)field->ny;
    double radius = 0.5 * diameter / field->cell;
    float reach = (float)(radius * radius);
    gaps_find(field, diameter / field->cell);
    for (size_t n = 0; n < count; n++) {
        field->distance[n] = field->wall[n] ? 0.0F : INFINITY;
    }
    TRY(distance_transform(field, error));
    flood(field, reach, false); /* where the middle of the disk comes */
    for (size_t n = 0; n < count; n++) {
        field->distance[n] = field->mark[n] == MARK_OUTSIDE ? 0.0F : INFINITY;
    }
    TRY(distance_transform(field, error));
    flood(field, reach, true); /* all of the disk */
    return PW_OK;
}
