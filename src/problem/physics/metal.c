/* Rows beside metal: places whose derivative metal between the nodes changes. */
#include "problem/physics/physics.h"

#include <stdlib.h>

static const struct member ROW[] = {MEMBER(struct metal_row, place), {0}},
                           TERM[] = {MEMBER(struct metal_term, place), MEMBER(struct metal_term, weight), {0}};

static void visit(struct array_walk *walk)
{
    struct problem *problem = walk->problem;
    OWN(walk, problem->metal_rows, problem->metal_row_count, ROW);
    OWN(walk, problem->metal_terms, problem->metal_term_count, TERM);
}

/* Whether a row and all of its terms lie within the part. */
static bool row_inside(const struct problem *whole, const struct part_box *box, const struct metal_row *row)
{
    const struct node_at node = node_of(whole, row->place);
    bool inside = node_in(&node, box->first, box->end);
    for (int t = 0; t < row->count && inside; t++) {
        const struct node_at there = node_of(whole, whole->metal_terms[row->first + t].place);
        inside = node_in(&there, box->first, box->end);
    }
    return inside;
}

/* Rows that stand one after the other, and where those of them that the part has begin among its own. */
struct stretch {
    int64_t first, end, row, term;
};

/* Counts what the part has of the stretch, or appends it. */
static void take_stretch(const struct problem *whole, const struct part_box *box, struct problem *part,
                         struct stretch *stretch, bool count)
{
    int64_t row = count ? 0 : stretch->row, term = count ? 0 : stretch->term;
    for (int64_t r = stretch->first; r < stretch->end; r++) {
        const struct metal_row *from = &whole->metal_rows[r];
        if (!row_inside(whole, box, from)) {
            continue;
        }
        if (!count) {
            const struct node_at node = node_of(whole, from->place);
            part->metal_rows[row] = (struct metal_row){place_in_part(part, box, &node), term, from->count};
        }
        for (int t = 0; t < from->count && !count; t++) {
            const struct metal_term *own = &whole->metal_terms[from->first + t];
            const struct node_at there = node_of(whole, own->place);
            part->metal_terms[term + t] = (struct metal_term){place_in_part(part, box, &there), own->weight};
        }
        row++;
        term += from->count;
    }
    if (count) {
        stretch->row = row;
        stretch->term = term;
    }
}

/* Stretches are counted and then taken by all threads. */
static pw_status cut_metal(const struct part_cut *cut, struct problem *part, pw_error *error)
{
    enum { STRETCHES = 256 };
    const struct problem *whole = cut->whole;
    const int64_t rows = whole->metal_row_count;
    struct stretch stretches[STRETCHES];
    if (rows == 0) {
        return PW_OK;
    }
#pragma omp parallel for schedule(dynamic)
    for (int s = 0; s < STRETCHES; s++) {
        stretches[s] = (struct stretch){.first = rows * s / STRETCHES, .end = rows * (s + 1) / STRETCHES};
        take_stretch(whole, cut->box, part, &stretches[s], true);
    }
    for (int s = 0; s < STRETCHES; s++) {
        const int64_t own_rows = stretches[s].row, own_terms = stretches[s].term;
        stretches[s].row = part->metal_row_count;
        stretches[s].term = part->metal_term_count;
        part->metal_row_count += own_rows;
        part->metal_term_count += own_terms;
    }
    TRY(part_room(&part->metal_rows, part->metal_row_count, sizeof *part->metal_rows, error));
    TRY(part_room(&part->metal_terms, part->metal_term_count, sizeof *part->metal_terms, error));
#pragma omp parallel for schedule(dynamic)
    for (int s = 0; s < STRETCHES; s++) {
        take_stretch(whole, cut->box, part, &stretches[s], false);
    }
    return PW_OK;
}

/* How far rows beside metal look: those of E and those of h. */
static void metal_distances(const struct problem *problem, int *electric, int *magnetic)
{
    int farthest_e = *electric, farthest_h = *magnetic;
#pragma omp parallel for schedule(static) reduction(max : farthest_e, farthest_h)
    for (int64_t r = 0; r < problem->metal_row_count; r++) {
        const struct metal_row *row = &problem->metal_rows[r];
        const struct node_at at = node_of(problem, row->place);
        int farthest = 0;
        for (int64_t t = row->first; t < row->first + row->count; t++) {
            const struct node_at there = node_of(problem, problem->metal_terms[t].place);
            for (int a = 0; a < 3; a++) {
                const int away = abs(at.at[a] - there.at[a]);
                farthest = away > farthest ? away : farthest;
            }
        }
        if (at.component >= COMPONENT_HX) {
            farthest_h = farthest > farthest_h ? farthest : farthest_h;
        } else {
            farthest_e = farthest > farthest_e ? farthest : farthest_e;
        }
    }
    *electric = farthest_e;
    *magnetic = farthest_h;
}

/* In place of what the stencil alone does. */
static void spread_metal(const struct problem *problem, struct spread *spread)
{
    int electric = problem->reach, magnetic = problem->reach;
    if (problem->metal_row_count == 0) {
        return;
    }
    metal_distances(problem, &electric, &magnetic);
    const int rim = (electric > magnetic ? electric : magnetic) + 1;
    spread->creep += electric + magnetic - (2 * problem->reach - 1);
    spread->rim = spread->rim > rim ? spread->rim : rim;
}

static bool has_metal(const struct problem *problem)
{
    return problem->metal_row_count > 0;
}

const struct physics physics_metal = {.arrays = visit,
                                      .cut = cut_metal,
                                      .spread = spread_metal,
                                      .present = has_metal,
                                      .declined = "it has no rows beside metal"};
