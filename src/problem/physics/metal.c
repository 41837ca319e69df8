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

/* Appends the row unless one of its terms lies outside of the part. */
static void take_metal_row(const struct problem *whole, const struct part_box *box, const struct metal_row *row,
                           struct problem *part)
{
    struct node_at node = node_of(whole, row->place);
    int64_t terms = part->metal_term_count;
    bool inside = node_in(&node, box->first, box->end);
    for (int t = 0; t < row->count && inside; t++) {
        const struct metal_term *term = &whole->metal_terms[row->first + t];
        struct node_at there = node_of(whole, term->place);
        inside = node_in(&there, box->first, box->end);
        part->metal_terms[terms + t] = (struct metal_term){place_in_part(part, box, &there), term->weight};
    }
    if (inside) {
        part->metal_rows[part->metal_row_count++] =
            (struct metal_row){place_in_part(part, box, &node), terms, row->count};
        part->metal_term_count += row->count;
    }
}

static pw_status cut_metal(const struct part_cut *cut, struct problem *part, pw_error *error)
{
    const struct problem *whole = cut->whole;
    if (whole->metal_row_count == 0) {
        return PW_OK;
    }
    TRY(part_room(&part->metal_rows, whole->metal_row_count, sizeof *part->metal_rows, error));
    TRY(part_room(&part->metal_terms, whole->metal_term_count, sizeof *part->metal_terms, error));
    for (int64_t r = 0; r < whole->metal_row_count; r++) {
        take_metal_row(whole, cut->box, &whole->metal_rows[r], part);
    }
    return PW_OK;
}

/* How far rows beside metal look: those of E and those of h. */
static void metal_distances(const struct problem *problem, int *electric, int *magnetic)
{
    const int64_t nodes = problem_nodes(problem), nx = problem->axis[0].count, ny = problem->axis[1].count;
    for (int64_t r = 0; r < problem->metal_row_count; r++) {
        const struct metal_row *row = &problem->metal_rows[r];
        const int64_t at = row->place % nodes;
        int *farthest = row->place / nodes >= COMPONENT_HX ? magnetic : electric;
        for (int64_t t = row->first; t < row->first + row->count; t++) {
            const int64_t there = problem->metal_terms[t].place % nodes;
            const int64_t away[3] = {llabs(at % nx - there % nx), llabs(at / nx % ny - there / nx % ny),
                                     llabs(at / nx / ny - there / nx / ny)};
            for (int a = 0; a < 3; a++) {
                *farthest = away[a] > *farthest ? (int)away[a] : *farthest;
            }
        }
    }
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
