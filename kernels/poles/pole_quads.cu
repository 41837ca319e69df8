/* Dispersive nodes by quads (pole_quads.h): making them, and their states in and out. Host only. Leaves out: the
 * kernels that step them (march/march_poles.h, tile/tile_poles.h). */
#include "kernels/poles/pole_quads.h"

namespace
{

/* Quads that are kept; spans come in order, so that a quad's nodes do. */
uint64_t quad_count(const struct problem *problem)
{
    const int64_t nx = problem->axis[0].count;
    int64_t last = -1;
    uint64_t quads = 0;
    for (int64_t s = 0; s < problem->pole_span_count; s++) {
        const struct pole_span *span = &problem->pole_spans[s];
        const int64_t row = span->place / nx * (nx / 4 + 1), x = span->place % nx;
        const int64_t first = row + x / 4, end = row + (x + span->count - 1) / 4;
        quads += (uint64_t)(end - first + (first != last));
        last = end;
    }
    return quads;
}

/* A row of a march's warp may begin anywhere in a group and end in the next. */
int groups_a_row(int pitch)
{
    return (pitch + 127) / 128 + 1;
}

void fill_quads(const struct problem *problem, pole_quads *quads)
{
    const int pitch = quads->device.group_pitch;
    quads->groups.assign((size_t)pitch * problem->axis[1].count, {0, 0});
    for_every_pole_node(problem, [&](const struct pole_span &, int, int x, int y) {
        quads->groups[(size_t)y * pitch + x / 128].quads |= 1u << x / 4 % 32;
    });
    unsigned first = 0;
    for (pole_group &group : quads->groups) {
        group.first = first;
        first += (unsigned)__builtin_popcount(group.quads);
    }
    quads->device.count = (int)first;
    quads->media.assign(4 * (size_t)first, 0);
    for_every_pole_node(problem, [&](const struct pole_span &span, int, int x, int y) {
        quads->media[4 * pole_quad_number(*quads, x, y) + x % 4] = (uint16_t)(span.medium + 1);
    });
}

/* Number 0 is no medium: its nodes are left as they are. */
std::vector<pole_numbers> numbers_of(const struct problem *problem)
{
    std::vector<pole_numbers> numbers(problem->pole_medium_count + 1, {1, 0, 0, 0, 0, 0, 0, 0, 0});
    for (int m = 0; m < problem->pole_medium_count; m++) {
        const struct pole_medium *medium = &problem->pole_media[m];
        const struct pole_step first =
            medium->relaxations + medium->oscillators > 0 ? problem->pole_steps[medium->first] : pole_step{0, 0, 0};
        numbers[m + 1] = {(float)medium->keep,        (float)medium->take,        (float)medium->half,
                          (short)medium->relaxations, (short)medium->oscillators, (float)first.field,
                          (float)first.polarisation,  (float)first.current,       medium->first};
    }
    return numbers;
}

/* Calls action(place in a run's states on the device, in struct run_state) for every number that poles remember. */
template <typename Action>
void for_every_number(const struct problem *problem, const pole_quads &quads, const Action &action)
{
    const size_t plane = 4 * (size_t)quads.device.count;
    for_every_pole_node(problem, [&](const struct pole_span &span, int n, int x, int y) {
        const int states = pole_medium_states(&problem->pole_media[span.medium]);
        const size_t place = 4 * pole_quad_number(quads, x, y) + x % 4;
        for (int m = 1; m < states; m++) {
            action(place + (size_t)(m - 1) * plane, (size_t)span.state + (size_t)m * span.count + n);
        }
    });
}

} // namespace

int pole_planes(const struct problem *problem)
{
    int most = 1;
    for (int m = 0; m < problem->pole_medium_count; m++) {
        most = std::max(most, pole_medium_states(&problem->pole_media[m]) - 1);
    }
    return most;
}

bool pole_quads_suit(const struct problem *problem)
{
    return problem->precision == PW_SINGLE && problem->pole_medium_count < UINT16_MAX &&
           problem_nodes(problem) / 4 < INT32_MAX;
}

uint64_t pole_quads_host_bytes(const struct problem *problem)
{
    const uint64_t rows = (uint64_t)problem->axis[1].count, groups = (uint64_t)groups_a_row(field_pitch(problem));
    return sizeof(pole_group) * rows * groups + 4 * sizeof(uint16_t) * quad_count(problem);
}

uint64_t pole_quads_device_bytes(const struct problem *problem, int runs)
{
    const uint64_t states = 2 * 4 * sizeof(float) * (uint64_t)pole_planes(problem);
    return pole_quads_host_bytes(problem) + (uint64_t)runs * states * quad_count(problem) +
           sizeof(pole_numbers) * (uint64_t)problem->pole_medium_count +
           sizeof(device_pole_step<float>) * (uint64_t)problem->pole_step_count;
}

pw_status pole_quads_create(const struct problem *problem, int pitch, int runs, device_memory *memory,
                            pole_quads *quads, pw_error *error)
{
    device_pole_quads *d = &quads->device;
    const std::vector<pole_numbers> numbers = numbers_of(problem);
    d->group_pitch = groups_a_row(pitch);
    fill_quads(problem, quads);
    d->planes = pole_planes(problem);
    d->run_states = 4 * (size_t)d->count * d->planes;
    d->debye = d->planes == 1;
    std::vector<device_pole_step<float>> steps(problem->pole_step_count);
    for (size_t s = 0; s < steps.size(); s++) {
        const struct pole_step *step = &problem->pole_steps[s];
        steps[s] = {(float)step->field, (float)step->polarisation, (float)step->current};
    }
    TRY(device_copy(memory, &d->groups, (const pole_group *)quads->groups.data(), quads->groups.size(),
                    "dispersive nodes", error));
    TRY(device_copy(memory, &d->media, (const uint16_t *)quads->media.data(), quads->media.size(), "dispersive nodes",
                    error));
    TRY(device_copy(memory, &d->numbers, numbers.data(), numbers.size(), "dispersive media", error));
    TRY(device_copy(memory, &d->steps, (const device_pole_step<float> *)steps.data(), steps.size(), "dispersive media",
                    error));
    for (float *&states : quads->states) {
        TRY(device_array(memory, &states, (size_t)runs * d->run_states, "dispersive nodes", error));
    }
    return PW_OK;
}

pw_status pole_quads_read(const struct problem *problem, const pole_quads &quads, int run, int now, const float *v,
                          double *states, pw_error *error)
{
    const size_t pitch = (size_t)field_pitch(problem);
    std::vector<float> own(quads.device.run_states), increments(pitch * problem->axis[1].count);
    CUDA_TRY(cudaMemcpy(own.data(), quads.states[now] + run * own.size(), own.size() * sizeof(float),
                        cudaMemcpyDeviceToHost));
    CUDA_TRY(cudaMemcpy(increments.data(), v, increments.size() * sizeof(float), cudaMemcpyDeviceToHost));
    for_every_pole_node(problem, [&](const struct pole_span &span, int n, int x, int y) {
        states[span.state + n] = (double)increments[y * pitch + x];
    });
    for_every_number(problem, quads, [&](size_t from, size_t to) { states[to] = (double)own[from]; });
    return PW_OK;
}

pw_status pole_quads_write(const struct problem *problem, const pole_quads &quads, int run, int now, const float *v,
                           const double *states, pw_error *error)
{
    const size_t pitch = (size_t)field_pitch(problem);
    std::vector<float> own(quads.device.run_states), increments(pitch * problem->axis[1].count);
    CUDA_TRY(cudaMemcpy(increments.data(), v, increments.size() * sizeof(float), cudaMemcpyDeviceToHost));
    int64_t apart = -1;
    for_every_pole_node(problem, [&](const struct pole_span &span, int n, int x, int y) {
        const float remembered = (float)states[span.state + n], increment = increments[y * pitch + x];
        apart = remembered == increment || (std::isnan(remembered) && std::isnan(increment)) ? apart : span.place + n;
    });
    if (apart >= 0) {
        return fail(error, PW_USAGE,
                    "the state of a run does not fit itself: the poles of node %lld remember another "
                    "increment than the field has there",
                    (long long)apart);
    }
    for_every_number(problem, quads, [&](size_t to, size_t from) { own[to] = (float)states[from]; });
    CUDA_TRY(cudaMemcpy(quads.states[now] + run * own.size(), own.data(), own.size() * sizeof(float),
                        cudaMemcpyHostToDevice));
    return PW_OK;
}
