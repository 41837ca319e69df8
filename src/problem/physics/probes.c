/* Probes: what is recorded after every step, and the places of those that lie between nodes. */
#include "problem/physics/physics.h"

static const struct member NODE[] = {MEMBER(struct probe, node), {0}};

/* Probe by probe. */
static void tell(struct array_walk *walk, const struct probe *probe)
{
    walk_values(walk, probe, 1, sizeof *probe, NODE);
    walk_values(walk, probe->place, probe->count, sizeof *probe->place, WHOLE);
    walk_values(walk, probe->weight, probe->count, sizeof *probe->weight, WHOLE);
}

/* Places and weights of all probes stand one after the other. */
static void visit(struct array_walk *walk)
{
    struct problem *problem = walk->problem;
    int64_t places = 0;
    OWN(walk, problem->probes, problem->probe_count, NULL);
    for (int p = 0; problem->probes != NULL && p < problem->probe_count; p++) {
        tell(walk, &problem->probes[p]);
        places += problem->probes[p].count;
    }
    OWN(walk, problem->probe_places, places, NULL);
    OWN(walk, problem->probe_weights, places, NULL);
    places = 0;
    for (int p = 0; walk->reads && problem->probe_weights != NULL && p < problem->probe_count; p++) {
        struct probe *probe = &problem->probes[p];
        probe->place = probe->count > 0 ? problem->probe_places + places : NULL;
        probe->weight = probe->count > 0 ? problem->probe_weights + places : NULL;
        places += probe->count;
    }
}

/* Places of a probe; a node alone is one. */
static int places_of(const struct probe *probe)
{
    return probe->count > 0 ? probe->count : 1;
}

static struct node_at probe_place(const struct problem *whole, const struct probe *probe, int place)
{
    struct node_at node = node_of(whole, probe->count > 0 ? probe->place[place] : probe->node);
    node.component = probe->count > 0 ? node.component : 0; /* a node's number has none */
    return node;
}

/* How many places of the probe the part owns. */
static int places_owned(const struct problem *whole, const struct probe *probe, const struct part_box *box)
{
    int owned = 0;
    for (int n = 0; n < places_of(probe); n++) {
        struct node_at node = probe_place(whole, probe, n);
        owned += node_in(&node, box->own, box->own_end);
    }
    return owned;
}

/* Room for the probes of the part: all of a probe as one, or each of its places that the part owns. */
static pw_status allocate_probes(const struct problem *whole, const struct part_box *box, struct problem *part,
                                 struct part_records *records, pw_error *error)
{
    int64_t probes = 0;
    for (int p = 0; p < whole->probe_count; p++) {
        probes += places_owned(whole, &whole->probes[p], box);
    }
    TRY(part_room(&part->probes, probes, sizeof *part->probes, error));
    TRY(part_room(&part->probe_places, probes, sizeof *part->probe_places, error));
    TRY(part_room(&part->probe_weights, probes, sizeof *part->probe_weights, error));
    return part_room(&records->probes, probes, sizeof *records->probes, error);
}

/* A sum over places, all of which the part owns. */
static void take_sum(const struct problem *whole, const struct part_box *box, int p, struct problem *part,
                     struct part_records *records, int64_t *used)
{
    const struct probe *probe = &whole->probes[p];
    struct probe *own = &part->probes[part->probe_count];
    *own = (struct probe){.component = probe->component,
                          .count = probe->count,
                          .place = part->probe_places + *used,
                          .weight = part->probe_weights + *used};
    for (int n = 0; n < probe->count; n++) {
        struct node_at node = probe_place(whole, probe, n);
        part->probe_places[*used] = place_in_part(part, box, &node);
        part->probe_weights[(*used)++] = probe->weight[n];
    }
    records->probes[part->probe_count++] = (struct part_probe){p, -1};
}

/* Single values: a probe that is one, or the places of a sum over several parts. */
static void take_values(const struct problem *whole, const struct part_box *box, int p, struct problem *part,
                        struct part_records *records)
{
    const struct probe *probe = &whole->probes[p];
    for (int n = 0; n < places_of(probe); n++) {
        struct node_at node = probe_place(whole, probe, n);
        if (!node_in(&node, box->own, box->own_end)) {
            continue;
        }
        enum component component = probe->count > 0 ? (enum component)node.component : probe->component;
        node.component = 0;
        part->probes[part->probe_count] =
            (struct probe){.component = component, .node = place_in_part(part, box, &node)};
        records->probes[part->probe_count++] = (struct part_probe){p, probe->count > 0 ? n : -1};
    }
}

static pw_status cut_probes(const struct part_cut *cut, struct problem *part, pw_error *error)
{
    const struct problem *whole = cut->whole;
    int64_t used = 0;
    TRY(allocate_probes(whole, cut->box, part, cut->records, error));
    for (int p = 0; p < whole->probe_count; p++) {
        const struct probe *probe = &whole->probes[p];
        if (probe->count > 0 && places_owned(whole, probe, cut->box) == probe->count) {
            take_sum(whole, cut->box, p, part, cut->records, &used);
        } else {
            take_values(whole, cut->box, p, part, cut->records);
        }
    }
    cut->records->probe_count = part->probe_count;
    return PW_OK;
}

const struct physics physics_probes = {.arrays = visit, .cut = cut_probes};
