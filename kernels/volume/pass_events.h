/* What is driven and heard within a pass of several steps, by the blocks that own the places: sources and the places of
 * all probes, whose values are put together after the pass. Leaves out: how blocks find what is theirs (sweep/,
 * relay/). */
#ifndef PASS_EVENTS_H
#define PASS_EVENTS_H

#include <algorithm>
#include <numeric>
#include <vector>

#include "kernels/common/device_memory.h"
#include "kernels/volume/volume.h"

/* A place of E that is driven, or of any component that is recorded. */
struct pass_place {
    int component, i, j, k;
};

template <typename Real> struct pass_events {
    const pass_place *driven; /* (source.count) */
    int lowest, highest;      /* levels of the driven places */
    int corner[2], end[2];    /* the rectangle of columns that they stand in */
    const pass_place *heard;  /* of all probes, level by level, row by row */
    const int *rows;          /* (n[2] n[1] + 1): where the places of each row begin in `heard` */
    const int *slot;          /* of each place of `heard`: where in the list of all probes' places it stands */
    int heard_count;
    Real *values; /* (steps of a pass, heard_count) */
};

/* What a run brings along to a pass. */
template <typename Real> struct pass_given {
    const device_volume<Real> &volume;
    const device_rest rest;
    const device_receivers<Real> &receivers;
    const device_dipole<Real> &source;
    Real *record; /* of the first step on */
};

static inline pass_place pass_place_of(const struct problem *p, int64_t place)
{
    const int64_t nodes = problem_nodes(p), nx = p->axis[0].count, ny = p->axis[1].count, node = place % nodes;
    return {(int)(place / nodes), (int)(node % nx), (int)(node / nx % ny), (int)(node / nx / ny)};
}

/* `rows`: as those of the events, on the host. */
template <typename Real>
pw_status pass_heard_create(const struct problem *p, device_memory *memory, std::vector<int> *rows,
                            pass_events<Real> *events, pw_error *error)
{
    struct heard {
        pass_place place;
        int row, slot;
    };
    std::vector<heard> all;
    for (int n = 0; n < p->probe_count; n++) {
        const struct probe *probe = &p->probes[n];
        for (int t = 0; t < std::max(probe->count, 1); t++) {
            const pass_place place = pass_place_of(
                p, probe->count > 0 ? probe->place[t] : probe->component * problem_nodes(p) + probe->node);
            all.push_back({place, place.k * p->axis[1].count + place.j, (int)all.size()});
        }
    }
    std::stable_sort(all.begin(), all.end(), [](const heard &a, const heard &b) { return a.row < b.row; });
    std::vector<pass_place> places;
    std::vector<int> slots;
    rows->assign((size_t)p->axis[2].count * (size_t)p->axis[1].count + 1, 0);
    for (const heard &own : all) {
        places.push_back(own.place);
        slots.push_back(own.slot);
        (*rows)[(size_t)own.row + 1]++;
    }
    std::partial_sum(rows->begin(), rows->end(), rows->begin());
    events->heard_count = (int)places.size();
    TRY(device_copy(memory, &events->heard, (const pass_place *)places.data(), places.size(), "probes", error));
    TRY(device_copy(memory, &events->rows, (const int *)rows->data(), rows->size(), "probes", error));
    return device_copy(memory, &events->slot, (const int *)slots.data(), slots.size(), "probes", error);
}

/* Of `count` runs from number `first` on, in passes of `most` steps at most. `rows`: as those of the events, on the
 * host. */
template <typename Real>
pw_status pass_events_create(const struct problem *p, int first, int count, int most, device_memory *memory,
                             std::vector<int> *rows, std::vector<pass_events<Real>> *events, pw_error *error)
{
    pass_events<Real> shared = {};
    TRY(pass_heard_create(p, memory, rows, &shared, error));
    for (int run = 0; run < count; run++) {
        const struct source *source = &p->sources[first + run];
        pass_events<Real> own = shared;
        std::vector<pass_place> places;
        own.lowest = p->axis[2].count;
        own.highest = -1;
        for (int64_t n = 0; n < source->count; n++) {
            places.push_back(pass_place_of(p, source->node[n]));
            own.lowest = std::min(own.lowest, places.back().k);
            own.highest = std::max(own.highest, places.back().k);
            const int column[2] = {places.back().i, places.back().j};
            for (int a = 0; a < 2; a++) {
                own.corner[a] = n == 0 ? column[a] : std::min(own.corner[a], column[a]);
                own.end[a] = n == 0 ? column[a] + 1 : std::max(own.end[a], column[a] + 1);
            }
        }
        TRY(device_array(memory, &own.values, (size_t)most * own.heard_count, "the probes' values", error));
        TRY(device_copy(memory, &own.driven, (const pass_place *)places.data(), places.size(), "source nodes", error));
        events->push_back(own);
    }
    return PW_OK;
}

/* What the probes heard in a pass: rows of values, a step each. */
template <typename Real>
pw_status pass_probe(const device_receivers<Real> &receivers, const pass_events<Real> &events, int steps, Real *out,
                     cudaStream_t stream, pw_error *error);

#endif
