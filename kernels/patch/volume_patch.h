/* Where an engine in three dimensions has the values of a row of a patch (src/backend/patch.h). Leaves out: poles,
 * which poles/pole_nodes.h knows. */
#ifndef VOLUME_PATCH_H
#define VOLUME_PATCH_H

#include "kernels/patch/device_patch.h"
#include "kernels/volume/volume_layout.h"
#include "kernels/volume/volume_states.h"

/* Of a field its place (0, 0, 0) is the first value. */
static inline patch_place volume_patch_place(const struct problem *p, const struct patch_row *row)
{
    const size_t i = (size_t)row->i, j = (size_t)row->j, k = (size_t)row->k, ny = (size_t)p->axis[1].count;
    if (row->array < STATE_FILTER) {
        const volume_layout layout = volume_layout_of(p);
        return {row->array, k * layout.plane + j * (size_t)layout.pitch + i};
    }
    const int axis = (row->array - STATE_FILTER) / 4, at[3] = {row->i, row->j, row->k};
    const size_t slot = (size_t)axis_filter_slot(&p->axis[axis], at[axis]), width = filter_width(p, axis);
    switch (axis) {
    case 0:
        return {row->array, (k * ny + j) * width + filter_place(p, slot)};
    case 1:
        return {row->array, (k * (size_t)run_state_filters(p, 1) + slot) * width + i};
    default:
        return {row->array, (slot * ny + j) * width + i};
    }
}

template <typename Real> patch_bases volume_patch_bases(const volume_fields<Real> &fields)
{
    patch_bases bases = {};
    for (int c = 0; c < 6; c++) {
        bases.of[STATE_FIELD + c] = fields.field[c];
    }
    for (int f = 0; f < 12; f++) {
        bases.of[STATE_FILTER + f] = fields.filter[f / 4][f % 4];
    }
    return bases;
}

#endif
