/* Tensor nodes: faces that lie along no axis, in three dimensions. */
#include "problem/physics/physics.h"

static const struct member NODE[] = {MEMBER(struct tensor_node, node),
                                     MEMBER(struct tensor_node, from),
                                     MEMBER(struct tensor_node, to),
                                     MEMBER(struct tensor_node, coefficient),
                                     {0}};

static void visit(struct array_walk *walk)
{
    struct problem *problem = walk->problem;
    OWN(walk, problem->tensor_nodes, problem->tensor_count, NODE);
}

/* They reach to neighbours, and none may stand near an end. */
static pw_status cut_tensors(const struct part_cut *cut, struct problem *part, pw_error *error)
{
    const struct problem *whole = cut->whole;
    const struct part_box *box = cut->box;
    int first[3], end[3];
    for (int a = 0; a < 3; a++) {
        first[a] = box->first[a] + (box->first[a] > 0 ? whole->reach + 2 : 0);
        end[a] = box->end[a] - (box->end[a] < whole->axis[a].count ? whole->reach + 2 : 0);
    }
    if (whole->tensor_count == 0) {
        return PW_OK;
    }
    TRY(part_room(&part->tensor_nodes, whole->tensor_count, sizeof *part->tensor_nodes, error));
    for (int64_t t = 0; t < whole->tensor_count; t++) {
        struct node_at node = node_of(whole, whole->tensor_nodes[t].node);
        if (node_in(&node, first, end)) {
            struct tensor_node *own = &part->tensor_nodes[part->tensor_count++];
            *own = whole->tensor_nodes[t];
            own->node = place_in_part(part, box, &node);
        }
    }
    return PW_OK;
}

static void spread_tensors(const struct problem *problem, struct spread *spread)
{
    const int rim = problem->reach + 3;
    if (problem->tensor_count > 0) {
        spread->creep += 2;
        spread->rim = spread->rim > rim ? spread->rim : rim;
    }
}

static bool has_tensors(const struct problem *problem)
{
    return problem->tensor_count > 0;
}

const struct physics physics_tensors = {.arrays = visit,
                                        .cut = cut_tensors,
                                        .spread = spread_tensors,
                                        .present = has_tensors,
                                        .declined = "it has no nodes beside faces aslant to the axes"};
