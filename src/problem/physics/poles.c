/* Dispersive nodes (poles/pole.h): spans of them, their media, and the steps of the media's poles. */
#include "problem/physics/physics.h"

static const struct member SPAN[] = {MEMBER(struct pole_span, place),
                                     MEMBER(struct pole_span, count),
                                     MEMBER(struct pole_span, medium),
                                     {0}},
                           MEDIUM[] = {MEMBER(struct pole_medium, keep),
                                       MEMBER(struct pole_medium, take),
                                       MEMBER(struct pole_medium, half),
                                       {0}},
                           STEP[] = {MEMBER(struct pole_step, field),
                                     MEMBER(struct pole_step, polarisation),
                                     MEMBER(struct pole_step, current),
                                     {0}};

static void visit(struct array_walk *walk)
{
    struct problem *p = walk->problem;
    OWN(walk, p->pole_spans, p->pole_span_count, SPAN);
    OWN(walk, p->pole_media, p->pole_medium_count, MEDIUM);
    OWN(walk, p->pole_steps, p->pole_step_count, STEP);
}

/* The part of a span that lies within the box. */
static void take_span(const struct problem *whole, const struct part_box *box, const struct pole_span *span,
                      struct problem *part)
{
    struct node_at node = node_of(whole, span->place);
    int first = node.at[0] > box->first[0] ? node.at[0] : box->first[0];
    int end = node.at[0] + span->count < box->end[0] ? node.at[0] + span->count : box->end[0];
    node.at[0] = first;
    if (first < end && node_in(&node, box->first, box->end)) {
        part->pole_spans[part->pole_span_count++] = (struct pole_span){.place = place_in_part(part, box, &node),
                                                                       .state = part->pole_state_count,
                                                                       .count = end - first,
                                                                       .medium = span->medium};
        part->pole_state_count += (int64_t)pole_medium_states(&whole->pole_media[span->medium]) * (end - first);
    }
}

static pw_status cut_poles(const struct part_cut *cut, struct problem *part, pw_error *error)
{
    const struct problem *whole = cut->whole;
    if (whole->pole_span_count == 0) {
        return PW_OK;
    }
    part->pole_medium_count = whole->pole_medium_count;
    part->pole_step_count = whole->pole_step_count;
    TRY(part_copy(&part->pole_media, whole->pole_media, whole->pole_medium_count, sizeof *part->pole_media, error));
    TRY(part_copy(&part->pole_steps, whole->pole_steps, whole->pole_step_count, sizeof *part->pole_steps, error));
    TRY(part_room(&part->pole_spans, whole->pole_span_count, sizeof *part->pole_spans, error));
    for (int64_t s = 0; s < whole->pole_span_count; s++) {
        take_span(whole, cut->box, &whole->pole_spans[s], part);
    }
    return PW_OK;
}

static bool has_poles(const struct problem *problem)
{
    return problem->pole_span_count > 0;
}

const struct physics physics_poles = {
    .arrays = visit, .cut = cut_poles, .present = has_poles, .declined = "it takes only media without poles"};
