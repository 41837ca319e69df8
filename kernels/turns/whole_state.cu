/* The state of a grid whose parts take turns on a device (whole_state.h). Host only. */
#include "kernels/turns/whole_state.h"

#include <string.h>

#include "kernels/volume/volume_layout.h"

extern "C" {
#include "problem/mur/mur.h"
}

namespace
{

void shape_plane(const struct problem *p, whole_array *arrays)
{
    const size_t pitch = (size_t)field_pitch(p), layers = 2 * (size_t)problem_layer(p), rows = (size_t)p->axis[1].count;
    for (int a : {STATE_EZ, STATE_INCREMENT}) {
        arrays[a].unit = pitch;
        arrays[a].units = rows;
    }
    for (int a : {STATE_X_HALF, STATE_X_NODE}) {
        arrays[a].unit = layers;
        arrays[a].units = rows;
    }
    for (int a : {STATE_Y_HALF, STATE_Y_NODE}) {
        arrays[a].unit = layers > 0 ? pitch : 0;
        arrays[a].units = layers;
        arrays[a].filters = true;
    }
}

/* Levels are cut; of a single one its rows. */
void shape_volume(const struct problem *p, int axis, whole_array *arrays)
{
    const volume_layout layout = volume_layout_of(p);
    const size_t rows = (size_t)p->axis[axis].count;
    for (int c = 0; c < 6; c++) {
        arrays[STATE_FIELD + c].unit = axis == 2 ? layout.plane : (size_t)layout.pitch;
        arrays[STATE_FIELD + c].units = rows;
        arrays[STATE_FIELD + c].lead = axis == 2 ? layout.first - layout.plane * (size_t)p->reach : 8;
    }
    for (int f = 0; f < 12; f++) {
        whole_array *array = &arrays[STATE_FILTER + f];
        array->filters = f / 4 == axis;
        array->units = array->filters ? (size_t)run_state_filters(p, axis) : rows;
        array->unit = array->units > 0 ? filter_rows(p, f / 4) * filter_width(p, f / 4) / array->units : 0;
    }
}

void shape(const struct problem *p, whole_array *arrays)
{
    if (p->formulation == FORMULATION_MAXWELL3D) {
        shape_volume(p, turn_axis(p), arrays);
    } else {
        shape_plane(p, arrays);
    }
}

size_t edge_values(const struct problem *p)
{
    return p->formulation == FORMULATION_MAXWELL3D ? 0 : (size_t)mur_memory(p);
}

pw_status take_host(whole_state *state, size_t values, const char *what, char **to, pw_error *error)
{
    const size_t bytes = std::max<size_t>(values, 1) * state->real * (size_t)state->runs;
    state->owned.emplace_back();
    TRY(state->owned.back().create(bytes, what, error));
    *to = state->owned.back().bytes;
    return PW_OK;
}

} // namespace

uint64_t whole_state_bytes(const struct problem *problem, int runs)
{
    whole_array arrays[STATE_POLES];
    uint64_t values = edge_values(problem) + (uint64_t)problem->pole_state_count;
    shape(problem, arrays);
    for (const whole_array &array : arrays) {
        values += (uint64_t)array.unit * array.units;
    }
    return values * problem_value_size(problem) * (uint64_t)runs;
}

pw_status whole_state::create(const struct problem *problem, int run_count, pw_error *error)
{
    whole = problem;
    runs = run_count;
    axis = turn_axis(problem);
    real = problem_value_size(problem);
    shape(problem, arrays);
    for (whole_array &array : arrays) {
        if (array.unit > 0) {
            TRY(take_host(this, array.unit * array.units, "the state of the whole grid", &array.host, error));
        }
    }
    TRY(take_host(this, edge_values(problem), "the edges", &edges, error));
    return take_host(this, (size_t)problem->pole_state_count, "dispersive nodes", &poles, error);
}

int whole_state::unit_of(const struct problem *problem, int array, int row) const
{
    const struct axis *own = &problem->axis[axis];
    if (!arrays[array].filters) {
        return row;
    }
    if (problem->formulation == FORMULATION_MAXWELL3D) {
        return axis_filter_slot(own, row);
    }
    const int layer = problem_layer(problem), low = own->low.symmetric ? 0 : layer;
    return row < low ? row : row >= own->count - layer ? row - (own->count - layer) + layer : -1;
}

std::vector<whole_piece> whole_state::pieces(const struct problem *part, int first, int a, int b) const
{
    std::vector<whole_piece> found;
    for (int array = 0; array < STATE_POLES; array++) {
        const whole_array &own = arrays[array];
        for (int row = a, open = 0; row < b && own.unit > 0; row++) {
            const int here = unit_of(whole, array, row), there = unit_of(part, array, row - first);
            if (here < 0) {
                open = 0;
                continue;
            }
            const whole_piece piece = {array, (ptrdiff_t)(own.unit * (size_t)there) - (ptrdiff_t)own.lead,
                                       own.unit * (size_t)here, own.unit};
            whole_piece *last = open != 0 ? &found.back() : NULL;
            if (last != NULL && last->host + last->values == piece.host &&
                last->device + (ptrdiff_t)last->values == piece.device) {
                last->values += piece.values;
            } else {
                found.push_back(piece);
            }
            open = 1;
        }
    }
    return found;
}
