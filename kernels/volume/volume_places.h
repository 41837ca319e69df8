/* Places of a problem in three dimensions as offsets on the device, and the lists of those at which a step adds
 * something: sources, tilted walls and metal; and of those that probes hear. Leaves out: what it adds and what they
 * hear (volume_events.cu). */
#ifndef VOLUME_PLACES_H
#define VOLUME_PLACES_H

#include <algorithm>
#include <memory>
#include <vector>

#include "kernels/common/device_memory.h"
#include "kernels/volume/volume.h"

struct volume_places {
    const struct problem *problem;
    int pitch;
    size_t plane;

    /* `place` is one of problem.h. */
    device_place place_of(int64_t place) const
    {
        const int64_t nodes = problem_nodes(problem), node = place % nodes;
        return {(int)(place / nodes), offset_of(node)};
    }
    size_t offset_of(int64_t node) const
    {
        const int64_t nx = problem->axis[0].count, ny = problem->axis[1].count;
        return (size_t)(node / nx / ny) * plane + (size_t)(node / nx % ny * pitch + node % nx);
    }
};

template <typename T>
pw_status device_copy(device_memory *memory, const T **to, const std::vector<T> &from, const char *what,
                      pw_error *error)
{
    return device_copy(memory, to, from.data(), from.size(), what, error);
}

/* Those of `count` runs from number `first` on. */
template <typename Real>
pw_status volume_sources_create(const volume_places &at, int first, int count, device_memory *memory,
                                std::vector<device_dipole<Real>> *sources, pw_error *error)
{
    for (int r = 0; r < count; r++) {
        const struct source *s = &at.problem->sources[first + r];
        device_dipole<Real> source = {NULL, NULL, NULL, (int)s->count, s->hard};
        std::vector<device_place> places;
        std::vector<Real> weights;
        for (int64_t k = 0; k < s->count; k++) {
            places.push_back(at.place_of(s->node[k]));
            weights.push_back((Real)s->weight[k]);
        }
        TRY(device_copy(memory, &source.places, places, "source nodes", error));
        TRY(device_copy(memory, &source.weights, weights, "source weights", error));
        TRY(device_copy(memory, &source.drive, (const double *)s->drive, (size_t)at.problem->steps, "waveforms",
                        error));
        sources->push_back(source);
    }
    return PW_OK;
}

template <typename Real>
pw_status volume_receivers_create(const volume_places &at, device_memory *memory, device_receivers<Real> *receivers,
                                  pw_error *error)
{
    const struct problem *problem = at.problem;
    std::vector<device_place> places;
    std::vector<Real> weights;
    std::vector<int> begins(1, 0);
    std::unique_ptr<bool[]> weighted(new bool[(size_t)problem->probe_count + 1]);
    for (int p = 0; p < problem->probe_count; p++) {
        const struct probe *probe = &problem->probes[p];
        weighted[p] = probe->count > 0;
        if (!weighted[p]) {
            places.push_back(at.place_of(probe->component * problem_nodes(problem) + probe->node));
            weights.push_back(Real(1));
        }
        for (int k = 0; k < probe->count; k++) {
            places.push_back(at.place_of(probe->place[k]));
            weights.push_back((Real)probe->weight[k]);
        }
        begins.push_back((int)places.size());
    }
    receivers->count = problem->probe_count;
    TRY(device_copy(memory, &receivers->places, places, "probes", error));
    TRY(device_copy(memory, &receivers->weights, weights, "probes", error));
    TRY(device_copy(memory, &receivers->first, begins, "probes", error));
    return device_copy(memory, &receivers->weighted, (const bool *)weighted.get(), (size_t)problem->probe_count,
                       "probes", error);
}

/* By place; of one place in the order of the list. */
template <typename Real>
pw_status volume_tensors_create(const volume_places &at, device_memory *memory, device_tensors<Real> *tensors,
                                pw_error *error)
{
    struct gain_at {
        device_place place;
        tensor_gain<Real> gain;
    };
    const int64_t stride[3] = {1, at.pitch, (int64_t)at.plane};
    std::vector<gain_at> all;
    for (int64_t t = 0; t < at.problem->tensor_count; t++) {
        const struct tensor_node *tensor = &at.problem->tensor_nodes[t];
        const int64_t node = (int64_t)at.offset_of(tensor->node);
        const int ways[2][2] = {{(int)tensor->from, (int)tensor->to}, {(int)tensor->to, (int)tensor->from}};
        for (const int(&way)[2] : ways) {
            const tensor_gain<Real> gain = {(Real)(0.25 * tensor->coefficient), way[0], node};
            all.push_back({{way[1], (size_t)(node - stride[way[1]])}, gain});
            all.push_back({{way[1], (size_t)node}, gain});
        }
    }
    std::stable_sort(all.begin(), all.end(), [](const gain_at &a, const gain_at &b) {
        return a.place.component != b.place.component ? a.place.component < b.place.component
                                                      : a.place.offset < b.place.offset;
    });
    std::vector<tensor_place> places;
    std::vector<tensor_gain<Real>> gains;
    for (size_t g = 0; g < all.size(); g++) {
        const device_place place = all[g].place;
        if (g == 0 || places.back().component != place.component || places.back().node != (int64_t)place.offset) {
            places.push_back({place.component, (int64_t)place.offset, (int)g, 0});
        }
        places.back().count++;
        gains.push_back(all[g].gain);
    }
    tensors->count = (int)places.size();
    TRY(device_copy(memory, &tensors->places, places, "tilted walls", error));
    return device_copy(memory, &tensors->gains, gains, "tilted walls", error);
}

template <typename Real>
pw_status volume_metal_create(const volume_places &at, device_memory *memory, device_metal<Real> *metal,
                              pw_error *error)
{
    const struct problem *problem = at.problem;
    std::vector<metal_place> rows(problem->metal_row_count);
    std::vector<device_place> places(problem->metal_term_count);
    std::vector<Real> weights(problem->metal_term_count);
    for (size_t r = 0; r < rows.size(); r++) {
        const struct metal_row *row = &problem->metal_rows[r];
        rows[r] = {at.place_of(row->place), (int)row->first, row->count};
        metal->magnetic += rows[r].own.component < COMPONENT_HX ? 1 : 0;
    }
    for (size_t t = 0; t < places.size(); t++) {
        places[t] = at.place_of(problem->metal_terms[t].place);
        weights[t] = (Real)problem->metal_terms[t].weight;
    }
    metal->count = (int)rows.size();
    TRY(device_copy(memory, &metal->rows, rows, "metal", error));
    TRY(device_copy(memory, &metal->places, places, "metal", error));
    return device_copy(memory, &metal->weights, weights, "metal", error);
}

#endif
