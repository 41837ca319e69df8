/* Making the rows of a relay's places beside metal (relay_metal.h). Host only. */
#include "kernels/volume/relay/relay_metal.h"

#include <numeric>
#include <vector>

#include "kernels/metal/metal_terms.h"

namespace
{

/* A place by its component and its place along each axis. */
struct metal_at {
    int component, at[3];
};

metal_at metal_at_of(const struct problem *problem, int64_t place)
{
    const int64_t nodes = problem_nodes(problem), nx = problem->axis[0].count, ny = problem->axis[1].count;
    const int64_t node = place % nodes;
    return {(int)(place / nodes), {(int)(node % nx), (int)(node / nx % ny), (int)(node / nx / ny)}};
}

/* Which of a row's places a term is; -1: none. */
int place_of(const metal_at &own, const metal_at &term, int reach)
{
    const bool magnetic = own.component >= COMPONENT_HX;
    const int c = own.component % 3, other = term.component % 3, axis = 3 - c - other;
    if (magnetic == (term.component >= COMPONENT_HX) || c == other) {
        return -1;
    }
    for (int a = 0; a < 3; a++) {
        if (a != axis && own.at[a] != term.at[a]) {
            return -1;
        }
    }
    const int along = term.at[axis] - own.at[axis] + reach - (magnetic ? 1 : 0);
    return along < 0 || along >= 2 * reach ? -1 : (other > axis ? 2 * reach : 0) + along;
}

/* metal_terms.h, with the places of such a row. */
template <typename Action>
bool for_every_place(const struct problem *problem, const struct metal_row *row, const Action &action)
{
    const metal_at own = metal_at_of(problem, row->place);
    const auto place = [&](const struct metal_term &term) {
        return place_of(own, metal_at_of(problem, term.place), problem->reach);
    };
    return for_every_term(problem, row, place, action);
}

int groups_of(const struct problem *problem)
{
    return (problem->axis[0].count + METAL_COLUMNS - 1) / METAL_COLUMNS;
}

size_t group_count(const struct problem *problem)
{
    return 2 * (size_t)problem->axis[2].count * (size_t)problem->axis[1].count * (size_t)groups_of(problem);
}

size_t group_of(const struct problem *problem, const metal_at &own)
{
    const size_t level = (own.component >= COMPONENT_HX ? (size_t)problem->axis[2].count : 0) + (size_t)own.at[2];
    const size_t group = level * (size_t)groups_of(problem) + (size_t)own.at[0] / METAL_COLUMNS;
    return group * (size_t)problem->axis[1].count + (size_t)own.at[1];
}

} // namespace

bool relay_metal_suits(const struct problem *problem)
{
    bool suits = problem->metal_row_count < INT32_MAX / REACH_LIMIT;
#pragma omp parallel for schedule(static) reduction(&& : suits)
    for (int64_t r = 0; r < problem->metal_row_count; r++) {
        suits = suits && for_every_place(problem, &problem->metal_rows[r], [](int, float) {});
    }
    return suits;
}

uint64_t relay_metal_bytes(const struct problem *problem)
{
    return problem->metal_row_count > 0
               ? sizeof(int) * (uint64_t)group_count(problem) +
                     (sizeof(int) + sizeof(float4) * (uint64_t)problem->reach) * (uint64_t)problem->metal_row_count
               : 0;
}

pw_status relay_metal_create(const struct problem *problem, bool electric, device_memory *memory, relay_metal *metal,
                             pw_error *error)
{
    const struct metal_row *row = problem->metal_rows, *const end = row + problem->metal_row_count;
    while (!electric && row < end && row->place < COMPONENT_HX * problem_nodes(problem)) {
        row++;
    }
    std::vector<int> first(group_count(problem) + 1, 0);
    for (const struct metal_row *own = row; own < end; own++) {
        first[group_of(problem, metal_at_of(problem, own->place)) + 1]++;
    }
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<int> next(first.begin(), first.end()), number((size_t)(end - row));
    for (size_t r = 0; r < number.size(); r++) {
        number[r] = next[group_of(problem, metal_at_of(problem, row[r].place))]++;
    }
    std::vector<unsigned> place(number.size());
    std::vector<float> weights(4 * (size_t)problem->reach * place.size(), 0.0f);
#pragma omp parallel for schedule(static)
    for (size_t r = 0; r < number.size(); r++) {
        const metal_at at = metal_at_of(problem, row[r].place);
        float *const own = weights.data() + 4 * (size_t)problem->reach * (size_t)number[r];
        place[(size_t)number[r]] =
            (unsigned)(4 * (METAL_COLUMNS * at.at[1] + at.at[0] % METAL_COLUMNS) + at.component % 3);
        for_every_place(problem, &row[r], [&](int to, float weight) { own[to] = weight; });
    }
    metal->groups = groups_of(problem);
    TRY(device_copy(memory, &metal->first, (const int *)first.data(), first.size(), "places beside metal", error));
    TRY(device_copy(memory, &metal->place, (const unsigned *)place.data(), place.size(), "places beside metal", error));
    return device_copy(memory, &metal->weights, (const float4 *)weights.data(), weights.size() / 4,
                       "places beside metal", error);
}
