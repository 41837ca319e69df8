/* Finds the inside of a building (inside.h). Air floods the plan from its rim as a disk that rolls: it passes an
 * opening only when that is wider than the disk. What the disk does not sweep is a room or a cranny outside, such as
 * the corner between two walls; a cranny is open to the outside along a good part of its border, a room is not.
 *
 *     rim ~ ~ ~ ~ ~ ~        o  the disk, 2.5 m wide: wider than doors and windows, narrower than a garden
 *     ~ ~ o ~ +-----+
 *     ~ ~ ~ ~ |room |
 *     ~ ~ ~ x/ door |
 *     ~ ~ ~ ~ +-----+
 *
 * Leaves out what no plan can tell: a courtyard or a garden that walls and fences close up to a gate counts as inside,
 * and a hall with a gate wider than 5 m as outside. */
#include "map/floor/inside.h"

#include "map/floor/field.h"

#include <math.h>
#include <string.h>

static const double opening_usual = 2.5;    /* m: openings up to this width are doors and windows */
static const double opening_large = 5.0;    /* m: gates, tried where hardly a room is found otherwise */
static const double wall_thickest = 0.8;    /* m: of a wall around a room that counts to the building */
static const double open_share = 1.0 / 3.0; /* of the border of a cranny, from which on it lies outside */
static const double rim_share_least = 0.10; /* of the plan, inside, when walls run off the plan */
static const double crossing_longest = 0.6; /* m: a wall that touches the rim over less crosses it */
static const double room_least = 1.0;       /* m2: less is no building */

/* Marks the air that hangs together with node `start` as `mark`; its nodes are the first `count` of the queue. */
struct pocket {
    size_t count;
    int64_t open, closed; /* edges of its border: to the outside, to walls */
};
static struct pocket pocket_mark(struct field *field, int start)
{
    struct pocket pocket = {0};
    size_t head = 0, tail = 0;
    field->queue[tail++] = start;
    field->mark[start] = MARK_INSIDE;
    while (head < tail) {
        int next[4], found = field_neighbours(field, field->queue[head++], next);
        for (int k = 0; k < found; k++) {
            if (field->wall[next[k]]) {
                pocket.closed++;
            } else if (field->mark[next[k]] == MARK_OUTSIDE) {
                pocket.open++;
            } else if (field->mark[next[k]] == MARK_NONE) {
                field->mark[next[k]] = MARK_INSIDE;
                field->queue[tail++] = next[k];
            }
        }
    }
    pocket.count = tail;
    return pocket;
}

/* Gives every pocket of air that the disk did not sweep to the inside or to the outside; returns the nodes inside. */
static int64_t pockets_tell(struct field *field)
{
    int64_t inside = 0;
    int count = field->nx * field->ny;
    for (int n = 0; n < count; n++) {
        if (field->wall[n] || field->mark[n] != MARK_NONE) {
            continue;
        }
        struct pocket pocket = pocket_mark(field, n);
        if ((double)pocket.open > open_share * (double)(pocket.open + pocket.closed)) {
            for (size_t k = 0; k < pocket.count; k++) {
                field->mark[field->queue[k]] = MARK_OUTSIDE;
            }
        } else {
            inside += (int64_t)pocket.count;
        }
    }
    return inside;
}

/* Adds the walls around the rooms, as far as a wall is thick, and what the building encloses. */
static void walls_add(struct field *field)
{
    int count = field->nx * field->ny;
    size_t head = 0, tail = 0;
    for (int n = 0; n < count; n++) {
        if (field->mark[n] == MARK_INSIDE) {
            field->queue[tail++] = n;
        }
    }
    /* Each round is one node thick. */
    for (int round = (int)ceil(wall_thickest / field->cell); round > 0; round--) {
        size_t end = tail;
        for (; head < end; head++) {
            int next[4], found = field_neighbours(field, field->queue[head], next);
            for (int k = 0; k < found; k++) {
                if (field->wall[next[k]] && field->mark[next[k]] == MARK_NONE) {
                    field->mark[next[k]] = MARK_INSIDE;
                    field->queue[tail++] = next[k];
                }
            }
        }
    }
    /* Pillars and shafts: what the outside does not reach. */
    head = tail = 0;
    field->queue[tail++] = 0;
    while (head < tail) {
        int next[4], found = field_neighbours(field, field->queue[head++], next);
        for (int k = 0; k < found; k++) {
            if (field->distance[next[k]] != -1.0F && field->mark[next[k]] != MARK_INSIDE) {
                field->distance[next[k]] = -1.0F; /* seen; the distances are not needed any more */
                field->queue[tail++] = next[k];
            }
        }
    }
    for (int n = 0; n < count; n++) {
        field->mark[n] = field->distance[n] == -1.0F ? MARK_OUTSIDE : MARK_INSIDE;
    }
    field->mark[0] = MARK_OUTSIDE;
}

/* ---- the rim ------------------------------------------------------------------------------------------------------
 */

/* Looks along one side of the plan (count nodes from `start`, `stride` apart) for walls that touch it. *crossing: one
 * runs off the plan; returns true where two do with more than a door between them, so that what lies there may be a
 * room that is cut through as well as a garden. */
static bool side_open(const struct field *field, size_t start, size_t stride, int count, bool *crossing)
{
    int door = (int)floor(opening_usual / field->cell), thin = (int)ceil(crossing_longest / field->cell);
    int last = -1, run = 0;
    bool open = false;
    for (int n = 0; n <= count; n++) {
        bool wall = n < count && field->wall[start + (size_t)n * stride];
        if (wall) {
            open = open || (last >= 0 && n - last - 1 > door);
            last = n;
            run++;
        } else {
            *crossing = *crossing || (run > 0 && run <= thin);
            run = 0;
        }
    }
    return open;
}

static bool rim_open(const struct field *field, bool *crossing)
{
    size_t nx = (size_t)field->nx, pad = (size_t)field->pad;
    int wide = field->nx - 2 * field->pad, tall = field->ny - 2 * field->pad;
    size_t corner = pad * nx + pad;
    bool open = false;
    *crossing = false;
    open = side_open(field, corner, 1, wide, crossing) || open;
    open = side_open(field, corner + (size_t)(tall - 1) * nx, 1, wide, crossing) || open;
    open = side_open(field, corner, nx, tall, crossing) || open;
    return side_open(field, corner + (size_t)(wide - 1), nx, tall, crossing) || open;
}

/* ---- the whole ----------------------------------------------------------------------------------------------------
 */

/* Nodes of air inside, with openings up to this width closed. */
static pw_status rooms_find(struct field *field, double opening, int64_t *rooms, pw_error *error)
{
    TRY(field_sweep(field, opening, error));
    *rooms = pockets_tell(field);
    return PW_OK;
}

static pw_status building_find(struct field *field, pw_floor_kind *kind, pw_error *error)
{
    int64_t usual, large;
    bool crossing;
    if (rim_open(field, &crossing)) {
        *kind = PW_FLOOR_CUT;
        return PW_OK;
    }
    TRY(rooms_find(field, opening_large, &large, error));
    TRY(rooms_find(field, opening_usual, &usual, error));
    if (usual < large / 10) { /* hardly a room: a hall with a gate */
        TRY(rooms_find(field, opening_large, &usual, error));
    }
    double plan = (double)(field->nx - 2 * field->pad) * (double)(field->ny - 2 * field->pad);
    if ((double)usual * field->cell * field->cell < room_least) {
        *kind = PW_FLOOR_OPEN;
    } else if (crossing && (double)usual < rim_share_least * plan) {
        *kind = PW_FLOOR_CUT;
    } else {
        *kind = PW_FLOOR_BUILDING;
        walls_add(field);
    }
    return PW_OK;
}

pw_status inside_find(const struct plan_walls *walls, uint8_t *inside, pw_floor_kind *kind, pw_error *error)
{
    size_t count = (size_t)walls->rows * (size_t)walls->columns;
    OWNED_BY(field_free) struct field field = {0};
    memset(inside, 1, count);
    *kind = PW_FLOOR_EMPTY;
    bool any = false;
    for (size_t n = 0; n < count && !any; n++) {
        any = walls->wall[n] != 0;
    }
    if (!any) {
        return PW_OK;
    }
    double wide = walls->columns * walls->cell, tall = walls->rows * walls->cell;
    if (wide * tall < room_least && fmax(wide, tall) < opening_usual) { /* a film of gold, say, in cells of 10 nm */
        *kind = PW_FLOOR_OPEN;
        return PW_OK;
    }
    TRY(field_create(walls, opening_large, &field, error));
    TRY(building_find(&field, kind, error));
    for (int row = 0; *kind == PW_FLOOR_BUILDING && row < walls->rows; row++) {
        for (int column = 0; column < walls->columns; column++) {
            size_t at =
                (size_t)(row / field.block + field.pad) * (size_t)field.nx + (size_t)(column / field.block + field.pad);
            inside[(size_t)row * (size_t)walls->columns + (size_t)column] = field.mark[at] == MARK_INSIDE;
        }
    }
    return PW_OK;
}
