/* Making the rows of a relay's places beside metal (relay_metal.h). Host only. */
#include "kernels/volume/relay/relay_metal.h"

#include <algorithm>
#include <memory>
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

/* Rows of a level of E or of h: of each component those from begin to before end, as the problem has them; and how many
 * rows the levels before have. */
struct metal_level {
    const struct metal_row *begin[3], *end[3];
    size_t before;
};

size_t rows_of(const metal_level &level)
{
    size_t count = 0;
    for (int c = 0; c < 3; c++) {
        count += (size_t)(level.end[c] - level.begin[c]);
    }
    return count;
}

/* Rows of the problem are in the order of their places. */
std::vector<metal_level> levels_of(const struct problem *problem, bool electric)
{
    const struct metal_row *const rows = problem->metal_rows, *const end = rows + problem->metal_row_count;
    const int64_t nodes = problem_nodes(problem), nz = problem->axis[2].count, level_nodes = nodes / nz;
    std::vector<metal_level> levels(2 * (size_t)nz);
    const auto from = [&](int64_t place) {
        return std::lower_bound(rows, end, place,
                                [](const struct metal_row &row, int64_t value) { return row.place < value; });
    };
    size_t before = 0;
    for (size_t l = 0; l < levels.size(); l++) {
        levels[l].before = before;
        for (int c = 0; c < 3; c++) {
            const int64_t first = ((int64_t)l / nz * 3 + c) * nodes + (int64_t)l % nz * level_nodes;
            levels[l].begin[c] = from(first);
            levels[l].end[c] = electric || (int64_t)l >= nz ? from(first + level_nodes) : levels[l].begin[c];
        }
        before += rows_of(levels[l]);
    }
    return levels;
}

/* Rows as the device has them. Nothing is written to that memory before the threads do. */
struct made_rows {
    std::unique_ptr<int[]> first;
    std::unique_ptr<unsigned[]> place;
    std::unique_ptr<float[]> weights;
};

/* Numbers the rows of a level by their groups, and writes them. */
void level_make(const struct problem *problem, const metal_level &level, size_t l, const made_rows &made)
{
    const size_t ny = (size_t)problem->axis[1].count, groups = (size_t)groups_of(problem) * ny,
                 weights = 4 * (size_t)problem->reach;
    int *const first = made.first.get() + l * groups;
    const auto group_of = [&](const metal_at &own) {
        return (size_t)own.at[0] / METAL_COLUMNS * ny + (size_t)own.at[1];
    };
    std::fill(first, first + groups, 0);
    for (int c = 0; c < 3; c++) {
        for (const struct metal_row *row = level.begin[c]; row < level.end[c]; row++) {
            first[group_of(metal_at_of(problem, row->place))]++;
        }
    }
    int number = (int)level.before;
    for (size_t g = 0; g < groups; g++) {
        const int count = first[g];
        first[g] = number;
        number += count;
    }
    for (int c = 0; c < 3; c++) {
        for (const struct metal_row *row = level.begin[c]; row < level.end[c]; row++) {
            const metal_at at = metal_at_of(problem, row->place);
            const size_t own = (size_t)first[group_of(at)]++;
            float *const to = made.weights.get() + weights * own;
            made.place[own] = (unsigned)(4 * (METAL_COLUMNS * at.at[1] + at.at[0] % METAL_COLUMNS) + c);
            std::fill(to, to + weights, 0.0f);
            for_every_place(problem, row, [&](int place, float weight) { to[place] = weight; });
        }
    }
    /* Each stands now where the next group begins. */
    std::copy_backward(first, first + groups - 1, first + groups);
    first[0] = (int)level.before;
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
    const std::vector<metal_level> levels = levels_of(problem, electric);
    const size_t groups = group_count(problem), rows = levels.back().before + rows_of(levels.back()),
                 weights = 4 * (size_t)problem->reach * rows;
    const made_rows made = {std::unique_ptr<int[]>(new int[groups + 1]),
                            std::unique_ptr<unsigned[]>(new unsigned[rows]),
                            std::unique_ptr<float[]>(new float[weights])};
#pragma omp parallel for schedule(dynamic, 1)
    for (size_t l = 0; l < levels.size(); l++) {
        level_make(problem, levels[l], l, made);
    }
    made.first[groups] = (int)rows;
    metal->groups = groups_of(problem);
    TRY(device_copy(memory, &metal->first, (const int *)made.first.get(), groups + 1, "places beside metal", error));
    TRY(device_copy(memory, &metal->place, (const unsigned *)made.place.get(), rows, "places beside metal", error));
    return device_copy(memory, &metal->weights, (const float4 *)(const void *)made.weights.get(), weights / 4,
                       "places beside metal", error);
}
