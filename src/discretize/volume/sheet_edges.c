/* Edges of E that take the loss of thin conducting layers, as the rows see them (volume.h). */
#include "discretize/volume/volume.h"

/* Places of the absorber have filters, which rows do not. */
static bool is_clear(const struct setup *setup, int a, const int at[3])
{
    const struct problem *problem = &setup->problem;
    bool clear = true;
    for (int x = 0; x < 3; x++) {
        const int low = setup_absorber_cells(setup, x, 0), high = setup_absorber_cells(setup, x, 1),
                  far = x == a ? problem->reach : 1;
        clear = clear && (problem->axis[x].uniform || ((low == 0 || at[x] >= low + far) &&
                                                       (high == 0 || at[x] < problem->axis[x].count - high - far)));
    }
    return clear;
}

bool volume_sheet_closes(const struct setup *setup, int c, int a, const int at[3])
{
    const struct axis *axis = setup->problem.axis;
    const uint8_t *edges = setup->medium.sheet_edges;
    const size_t node = ((size_t)at[2] * (size_t)axis[1].count + (size_t)at[1]) * (size_t)axis[0].count + (size_t)at[0];
    return edges != NULL && (edges[node] & medium_sheet_edge(c, a)) != 0 && is_clear(setup, a, at);
}

static void mark(const struct setup *setup, const int at[3], uint8_t *beside)
{
    const struct axis *axis = setup->problem.axis;
    if (at[0] < axis[0].count && at[1] < axis[1].count && at[2] < axis[2].count) {
        beside[((size_t)at[2] * (size_t)axis[1].count + (size_t)at[1]) * (size_t)axis[0].count + (size_t)at[0]] = 1;
    }
}

/* Of an edge of component c. The node at its other end is marked too: a tensor there would take the curl that the row
 * changes. */
static void mark_along(const struct setup *setup, int c, int a, const int at[3], uint8_t *beside)
{
    const struct axis *axis = setup->problem.axis;
    const int far = setup->problem.reach;
    for (int p = at[a] - far < 0 ? 0 : at[a] - far; p <= at[a] + far && p < axis[a].count; p++) {
        int place[3] = {at[0], at[1], at[2]};
        place[a] = p;
        mark(setup, place, beside);
        place[c]++;
        mark(setup, place, beside);
    }
}

void volume_sheet_mark(const struct setup *setup, uint8_t *beside)
{
    const struct axis *axis = setup->problem.axis;
    size_t node = 0;
    for (int k = 0; k < axis[2].count && setup->medium.sheet_edges != NULL; k++) {
        for (int j = 0; j < axis[1].count; j++) {
            for (int i = 0; i < axis[0].count; i++, node++) {
                const int at[3] = {i, j, k};
                for (int n = 0; n < 6 && setup->medium.sheet_edges[node] != 0; n++) {
                    const int c = n / 2, a = (c + 1 + n % 2) % 3;
                    if (volume_sheet_closes(setup, c, a, at)) {
                        mark_along(setup, c, a, at, beside);
                    }
                }
            }
        }
    }
}
