/* Shares of faces beside metal (metal_faces.h). With V the circulation around a face, A its area and P the sum of its
 * edges, the step is stable at the largest time step of the scheme as long as P <= 4 limit A everywhere. A face i that
 * is too small for that takes the part t of a neighbour j across their common edge, of length l, into an area of its
 * own:
 *     h_i gains (V_i + t V_j)/(A_i + t A_j)        t = (P_i - 4 limit A_i)/(4 limit A_j - P_j + 2 l)
 *     h_j gains (1 - sum t) V_j/A_j + sum t (V_i + t V_j)/(A_i + t A_j)
 * which is a symmetric matrix: what E does to h, h does to E, and no energy is made (physics.md section 11). */
#include "discretize/volume/metal_faces.h"

#include <math.h>
#include <stdlib.h>

void metal_faces_free(struct metal_faces *faces)
{
    free(faces->shares);
    free(faces->plain);
    *faces = (struct metal_faces){0};
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

/* A face that is too small: how far over the limit. */
struct small_face {
    int64_t face;
    double excess;
};

struct face_task {
    const struct metal_cells *cells;
    struct metal_faces *faces;
    double limit;
    float *lent;              /* (ny, nx), owned: sum of t */
    float *linked;            /* (ny, nx), owned: edges of links (medium/raster.h) */
    struct small_face *small; /* (count), owned */
    int64_t count;
};

/* Rounding of sums of edges. */
static const double SLACK = 1e-6;

static double edges_of(const struct metal_cells *cells, int i, int j)
{
    const size_t nx = (size_t)cells->nx, at = (size_t)j * nx + (size_t)i;
    /* The far walls of the grid are edges of the last faces; no field goes along them. */
    const double right = i + 1 < cells->nx ? cells->edge[1][at + 1] : 0,
                 top = j + 1 < cells->ny ? cells->edge[0][at + nx] : 0;
    return cells->edge[0][at] + cells->edge[1][at] + right + top;
}

static double excess_of(const struct face_task *task, int i, int j)
{
    const double area = task->cells->area[(size_t)j * (size_t)task->cells->nx + (size_t)i];
    const double linked = task->linked[(size_t)j * (size_t)task->cells->nx + (size_t)i];
    return area > 0 ? edges_of(task->cells, i, j) + linked - 4 * task->limit * area : -1;
}

static pw_status share_add(struct metal_faces *faces, int64_t face, int64_t from, double part, pw_error *error)
{
    TRY(array_grow(&faces->shares, &faces->capacity, (size_t)faces->count, sizeof *faces->shares, "faces beside metal",
                   error));
    faces->shares[faces->count++] = (struct face_share){face, from, part};
    faces->plain[face] = 0;
    return PW_OK;
}

/* The neighbour that has to give least: by how much, and which; none: NAN. */
static double find_lender(const struct face_task *task, int64_t face, double excess, int64_t *lender)
{
    const struct metal_cells *cells = task->cells;
    const int64_t nx = cells->nx;
    const int i = (int)(face % nx), j = (int)(face / nx);
    /* To the neighbour, and to the node where the common edge begins; of Ey, of Ex. */
    static const struct {
        int di, dj, edge_i, edge_j, component;
    } SIDES[] = {{-1, 0, 0, 0, 1}, {0, -1, 0, 0, 0}, {1, 0, 1, 0, 1}, {0, 1, 0, 1, 0}};
    double least = NAN;
    for (int s = 0; s < 4; s++) {
        const int p = i + SIDES[s].di, q = j + SIDES[s].dj;
        if (p < 0 || q < 0 || p >= cells->nx || q >= cells->ny) {
            continue;
        }
        const double edge = cells->edge[SIDES[s].component][face + SIDES[s].edge_j * nx + SIDES[s].edge_i];
        const int64_t other = q * nx + p;
        /* Nothing is lent through a thin layer. */
        const size_t between = (size_t)(face + SIDES[s].edge_j * nx + SIDES[s].edge_i);
        if (cells->leak != NULL && (cells->leak[between] >> SIDES[s].component & 1) != 0) {
            continue;
        }
        const double room = -excess_of(task, p, q);
        const double part = excess / (fmax(room, 0) + 2 * edge);
        /* A link reaches as far as rows may look: such faces neither borrow nor lend. */
        if (task->linked[face] == 0 && task->linked[other] == 0 && edge > 0 && cells->area[other] > 0 &&
            room >= -SLACK && task->lent[other] + part <= 1 && !(part >= least)) {
            least = part;
            *lender = other;
        }
    }
    return least;
}

static int small_order(const void *a, const void *b)
{
    const struct small_face *m = a, *n = b;
    int by_excess = (m->excess < n->excess) - (m->excess > n->excess);
    return by_excess != 0 ? by_excess : (m->face > n->face) - (m->face < n->face);
}

/* A small face and its lender; without one its area is taken for as large as it must be. */
static pw_status lend(struct face_task *task, const struct small_face *small, pw_error *error)
{
    struct metal_faces *faces = task->faces;
    const float *area = task->cells->area;
    const int64_t face = small->face;
    int64_t lender = 0;
    const double t = find_lender(task, face, small->excess, &lender);
    if (isnan(t)) {
        return share_add(faces, face, face, 1 / (area[face] + small->excess / (4 * task->limit)), error);
    }
    const double sum = area[face] + t * area[lender];
    task->lent[lender] += (float)t;
    TRY(share_add(faces, face, face, 1 / sum, error));
    TRY(share_add(faces, face, lender, t / sum, error));
    TRY(share_add(faces, lender, face, t / sum, error));
    return share_add(faces, lender, lender, t * t / sum - t / area[lender], error);
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static int share_order(const void *a, const void *b)
{
    const struct face_share *m = a, *n = b;
    int by_face = (m->face > n->face) - (m->face < n->face);
    return by_face != 0 ? by_face : (m->from > n->from) - (m->from < n->from);
}

/* Shares of the same face from the same one become one. */
static void shares_join(struct metal_faces *faces)
{
    int64_t kept = 0;
    if (faces->count > 0) {
        qsort(faces->shares, (size_t)faces->count, sizeof *faces->shares, share_order);
    }
    for (int64_t n = 0; n < faces->count; n++) {
        struct face_share *last = kept > 0 ? &faces->shares[kept - 1] : NULL;
        if (last != NULL && last->face == faces->shares[n].face && last->from == faces->shares[n].from) {
            last->part += faces->shares[n].part;
        } else {
            faces->shares[kept++] = faces->shares[n];
        }
    }
    faces->count = kept;
}

/* Lists the small faces, if `list`, or counts them. */
static int64_t find_small(struct face_task *task, struct small_face *list)
{
    int64_t count = 0;
    for (int j = 0; j < task->cells->ny; j++) {
        for (int i = 0; i < task->cells->nx; i++) {
            const double excess = excess_of(task, i, j);
            if (excess > SLACK) {
                if (list != NULL) {
                    list[count] = (struct small_face){(int64_t)j * task->cells->nx + i, excess};
                }
                count++;
            }
        }
    }
    return count;
}

static pw_status faces_find(struct face_task *task, pw_error *error)
{
    const size_t all = (size_t)task->cells->nx * (size_t)task->cells->ny;
    struct metal_faces *faces = task->faces;
    task->linked = allocate(all, sizeof *task->linked, "faces beside metal", error);
    TRY_MADE(task->linked);
    for (int64_t l = 0; l < task->cells->link_count; l++) {
        const struct metal_link *link = &task->cells->links[l];
        task->linked[link->face[0]] += link->length;
        task->linked[link->face[2]] += link->length;
    }
    task->count = find_small(task, NULL);
    task->small = allocate((size_t)task->count, sizeof *task->small, "faces beside metal", error);
    task->lent = allocate(all, sizeof *task->lent, "faces beside metal", error);
    faces->plain = allocate(all, sizeof *faces->plain, "faces beside metal", error);
    TRY_MADE(task->small != NULL && task->lent != NULL && faces->plain != NULL);
    for (size_t n = 0; n < all; n++) {
        faces->plain[n] = task->cells->area[n] == 1 && !task->cells->split[n];
    }
    if (find_small(task, task->small) > 0) {
        qsort(task->small, (size_t)task->count, sizeof *task->small, small_order);
    }
    for (int64_t s = 0; s < task->count; s++) {
        TRY(lend(task, &task->small[s], error));
    }
    /* The others, lenders among them, answer by their own area. */
    for (size_t n = 0; n < all; n++) {
        const double area = task->cells->area[n];
        if (area > 0 && (area != 1 || task->cells->split[n] || task->lent[n] > 0) &&
            excess_of(task, (int)(n % (size_t)task->cells->nx), (int)(n / (size_t)task->cells->nx)) <= SLACK) {
            TRY(share_add(faces, (int64_t)n, (int64_t)n, 1 / area, error));
        }
    }
    shares_join(faces);
    return PW_OK;
}

pw_status metal_faces_create(const struct metal_cells *cells, double limit, struct metal_faces *faces, pw_error *error)
{
    struct face_task task = {.cells = cells, .faces = faces, .limit = limit};
    *faces = (struct metal_faces){0};
    pw_status status = faces_find(&task, error);
    free(task.lent);
    free(task.linked);
    free(task.small);
    return status;
}

const struct face_share *metal_faces_of(const struct metal_faces *faces, int64_t face, int *count)
{
    int64_t low = 0, high = faces->count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (faces->shares[middle].face < face) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *count = 0;
    while (low + *count < faces->count && faces->shares[low + *count].face == face) {
        ++*count;
    }
    return faces->shares + low;
}
