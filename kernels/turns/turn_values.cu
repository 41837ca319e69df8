/* Values of a part that takes turns, on the host: where the whole state has them, and what is carried (turn_part.h). */
#include "kernels/turns/turn_part.h"

namespace
{

struct located {
    const turn_part *part;
    int run;
};

/* Of a row of what an edge remembers (struct run_state): its place in the whole. */
size_t edge_place(const turn_part *part, const struct patch_row *row)
{
    const struct mur_plan own = mur_plan(part->problem), all = mur_plan(part->all->whole);
    for (int side = 0; side < 4; side++) {
        const int axis = side / 2, end = side % 2, along = own.count[1 - axis];
        const int64_t at = row->i - own.first[axis][end];
        if (own.order[axis][end] == 2 && at >= 0 && at < along) {
            return (size_t)(all.first[axis][end] + at + part->box.first[1 - axis]);
        }
    }
    return 0;
}

void *locate_value(void *context, struct patch_row *row)
{
    const located *own = (const located *)context;
    const turn_part *part = own->part;
    const whole_state &state = part->all->state;
    const size_t run = (size_t)own->run;
    if (row->array == STATE_POLES) {
        const int64_t node = row->i - row->span->place % part->problem->axis[0].count;
        const int64_t place =
            row->span->state + part->pole_shift[row->component] + (int64_t)row->state * row->span->count + node;
        return state.poles + (run * (size_t)part->all->whole->pole_state_count + (size_t)place) * state.real;
    }
    if (part->problem->formulation != FORMULATION_MAXWELL3D && row->array == STATE_EDGES) {
        return state.edges + (run * (size_t)mur_memory(part->all->whole) + edge_place(part, row)) * state.real;
    }
    const patch_place place = part->engine->place(row);
    const whole_array &array = state.arrays[place.base];
    const int at = (state.axis == 1 ? row->j : row->k) + part->box.first[state.axis];
    const size_t within = (place.value + array.lead) % array.unit;
    const size_t unit = (size_t)state.unit_of(part->all->whole, place.base, at);
    return state.array_of(place.base, own->run) + (unit * array.unit + within) * state.real;
}

/* What goes by patches. */
uint32_t carried_arrays(const struct problem *problem)
{
    return STATE_POLES_ALONE | (problem->formulation != FORMULATION_MAXWELL3D ? 1u << STATE_EDGES : 0);
}

struct patch valid_patch(const turn_part *part)
{
    return patch_in_part(&part->box, part->box.valid, part->box.valid_end, carried_arrays(part->problem));
}

} // namespace

void turn_copy(const turn_part *part, int run, const struct patch *patch, void *values, bool store)
{
    located own = {part, run};
    const struct patch_copy copy = {part->problem, locate_value, &own, store};
    patch_copy(&copy, patch, values);
}

size_t turn_carried_bytes(const turn_part *part)
{
    const struct patch valid = valid_patch(part);
    return (size_t)patch_values(part->problem, &valid) * part->all->state.real;
}

void turn_gather(turn_part *part)
{
    const struct patch valid = valid_patch(part);
    for (int run = 0; part->carried.bytes != NULL && run < part->all->options.runs; run++) {
        turn_copy(part, run, &valid, part->carried.bytes + (size_t)run * turn_carried_bytes(part), true);
    }
}

pw_status turn_carry(turn_part *part, bool in, pw_error *error)
{
    const struct part_box *box = &part->box;
    const struct patch own = patch_in_part(box, box->own, box->own_end, carried_arrays(part->problem)),
                       patch = in ? valid_patch(part) : own;
    const device_locate locate = [part](struct patch_row *row) { return part->engine->place(row); };
    for (int run = 0; part->carried.bytes != NULL && run < part->all->options.runs; run++) {
        char *values = part->carried.bytes + (size_t)run * turn_carried_bytes(part);
        const patch_request request = {part->problem,          &patch, part->engine->bases(run), locate,
                                       part->engine->stream(), false};
        TRY(device_patch_copy(part->engine->patches(), request, values, !in, error));
        if (!in) {
            turn_copy(part, run, &patch, values, false);
        }
    }
    return PW_OK;
}
