/* Places of a problem in three dimensions as offsets on the device, and the lists of those at which a step adds
 * something: tilted walls and metal. Leaves out: what it adds (volume_events.cu). */
#ifndef VOLUME_PLACES_H
#define VOLUME_PLACES_H

#include <algorithm>
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
