/* Making the crosses of weights of nodes beside metal (metal_quads.h). Host only. Leaves out: the kernels that add them
 * (march/march_metal.h). */
#include "kernels/metal/metal_quads.h"

#include <vector>

#include "kernels/metal/metal_terms.h"

namespace
{

/* Places of a row. */
int places_of(const struct problem *problem)
{
    return 4 * problem->laplacian_taps + 1;
}

/* The place of a term so many columns and rows from its node; -1: none. */
int place_of(int64_t dx, int64_t dy, int taps)
{
    if (dx == 0 && dy == 0) {
        return 4 * taps;
    }
    const int64_t far = dx + dy;
    if ((dx != 0 && dy != 0) || far < -taps || far > taps) {
        return -1;
    }
    return (dy != 0 ? 2 * taps : 0) + taps + (int)far - (far > 0);
}

/* metal_terms.h, with the places of such a row. */
template <typename Action> bool for_every_place(const struct problem *problem, int64_t r, const Action &action)
{
    const struct metal_row *row = &problem->metal_rows[r];
    const int64_t nx = problem->axis[0].count;
    const auto place = [&](const struct metal_term &term) {
        return place_of(term.place % nx - row->place % nx, term.place / nx - row->place / nx, problem->laplacian_taps);
    };
    return for_every_term(problem, row, place, action);
}

/* A row of a march's warp may begin anywhere in a group and end in the next. */
int groups_a_row(const struct problem *problem)
{
    return (field_pitch(problem) + 127) / 128 + 1;
}

} // namespace

bool metal_quads_suit(const struct problem *problem)
{
    bool suit = problem->formulation == FORMULATION_TM2D && problem->precision == PW_SINGLE &&
                problem_nodes(problem) / 4 < INT32_MAX;
    for (int64_t r = 0; suit && r < problem->metal_row_count; r++) {
        suit = for_every_place(problem, r, [](int, float) {});
    }
    return suit;
}

uint64_t metal_quads_device_bytes(const struct problem *problem)
{
    const uint64_t groups = (uint64_t)problem->axis[1].count * (uint64_t)groups_a_row(problem);
    return problem->formulation == FORMULATION_TM2D && problem->metal_row_count > 0
               ? sizeof(pole_group) * groups +
                     sizeof(float4) * (uint64_t)problem->metal_row_count * (uint64_t)places_of(problem)
               : 0;
}

pw_status metal_quads_create(const struct problem *problem, device_memory *memory, device_metal_quads *quads,
                             pw_error *error)
{
    const int64_t nx = problem->axis[0].count;
    const int pitch = groups_a_row(problem), places = places_of(problem);
    std::vector<pole_group> groups((size_t)pitch * problem->axis[1].count, {0, 0});
    for (int64_t r = 0; r < problem->metal_row_count; r++) {
        const int64_t x = problem->metal_rows[r].place % nx, y = problem->metal_rows[r].place / nx;
        groups[(size_t)y * pitch + x / 128].quads |= 1u << x / 4 % 32;
    }
    unsigned first = 0;
    for (pole_group &group : groups) {
        group.first = first;
        first += (unsigned)__builtin_popcount(group.quads);
    }
    std::vector<float> weights(4 * (size_t)first * places, 0.0f);
    for (int64_t r = 0; r < problem->metal_row_count; r++) {
        const int64_t x = problem->metal_rows[r].place % nx, y = problem->metal_rows[r].place / nx;
        const pole_group &group = groups[(size_t)y * pitch + x / 128];
        const size_t number = group.first + (size_t)__builtin_popcount(group.quads & ((1u << x / 4 % 32) - 1));
        float *const own = weights.data() + 4 * number * places + x % 4;
        for_every_place(problem, r, [&](int place, float weight) { own[4 * place] = weight; });
    }
    quads->group_pitch = pitch;
    quads->count = (int)first;
    TRY(device_copy(memory, &quads->groups, (const pole_group *)groups.data(), groups.size(), "nodes beside metal",
                    error));
    return device_copy(memory, &quads->weights, (const float4 *)weights.data(), weights.size() / 4,
                       "nodes beside metal", error);
}
