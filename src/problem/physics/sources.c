/* Sources, with the weights of their nodes and what drives them; and nodes of a source that differ in phase. */
#include "problem/physics/physics.h"

static void visit_source(struct array_walk *walk, void *element)
{
    struct source *s = element;
    const int64_t steps = walk->problem->steps;
    OWN(walk, s->node, s->count, WHOLE);
    OWN(walk, s->weight, s->count, WHOLE);
    OWN(walk, s->drive, steps, WHOLE);
    OWN(walk, s->current, steps, NULL);
    OWN(walk, s->further_weight, s->further * s->count, WHOLE);
    OWN(walk, s->further_drive, s->further * steps, WHOLE);
}

static void visit(struct array_walk *walk)
{
    struct problem *problem = walk->problem;
    walk_array(walk,
               (struct array){&problem->sources, problem->source_count, sizeof *problem->sources, NULL, visit_source});
}

static pw_status create_source(const struct problem *whole, const struct part_box *box, const struct source *from,
                               const struct problem *part, struct source *source, pw_error *error)
{
    *source = (struct source){.component = from->component,
                              .hard = from->hard,
                              .sampled_at_step_end = from->sampled_at_step_end,
                              .further = from->further};
    TRY(part_room(&source->node, from->count, sizeof *source->node, error));
    TRY(part_room(&source->weight, from->count, sizeof *source->weight, error));
    if (from->further > 0) {
        TRY(part_room(&source->further_weight, from->count * from->further, sizeof(double), error));
    }
    int64_t *const kept = source->node;
    for (int64_t s = 0; s < from->count; s++) { /* first those inside, as numbers of the whole source */
        struct node_at node = node_of(whole, from->node[s]);
        if (node_in(&node, box->valid, box->valid_end)) {
            kept[source->count++] = s;
        }
    }
    for (int64_t n = 0; n < source->count; n++) {
        const int64_t s = kept[n];
        struct node_at node = node_of(whole, from->node[s]);
        source->weight[n] = from->weight[s];
        for (int r = 0; r < from->further; r++) {
            source->further_weight[r * source->count + n] = from->further_weight[r * from->count + s];
        }
        source->node[n] = place_in_part(part, box, &node);
    }
    TRY(part_copy(&source->drive, from->drive, whole->steps, sizeof(double), error));
    return from->further == 0 ? PW_OK
                              : part_copy(&source->further_drive, from->further_drive, from->further * whole->steps,
                                          sizeof(double), error);
}

static pw_status cut_sources(const struct part_cut *cut, struct problem *part, pw_error *error)
{
    const struct problem *whole = cut->whole;
    TRY(part_room(&part->sources, whole->source_count, sizeof *part->sources, error));
    for (; part->source_count < whole->source_count;) {
        int s = part->source_count++;
        TRY(create_source(whole, cut->box, &whole->sources[s], part, &part->sources[s], error));
    }
    return PW_OK;
}

const struct physics physics_sources = {.arrays = visit, .cut = cut_sources};

/* ---- phases ------------------------------------------------------------------------------------------------------ */

static bool has_phases(const struct problem *problem)
{
    for (int s = 0; s < problem->source_count; s++) {
        if (problem->sources[s].further > 0) {
            return true;
        }
    }
    return false;
}

const struct physics physics_phases = {
    .present = has_phases, .declined = "it takes no source whose nodes differ in phase (an antenna's pattern)"};
