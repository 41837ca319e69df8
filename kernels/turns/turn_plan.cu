/* How a grid is cut for turns on a device (turns.h): into how many parts, and how many steps a turn, so that what comes
 * and goes hides behind the stepping and the overlaps, which are stepped twice, stay small. All from figures of the
 * solvers (tuning.h) and the bandwidth of the link, which is measured. */
#include "kernels/turns/turns.h"

#include <limits.h>
#include <math.h>
#include <omp.h>

#include "kernels/solver.h"
#include "kernels/tuning.h"
#include "kernels/volume/volume_layout.h"

namespace
{

/* What the link is tried out with: what comes and what goes, and copies on the device, since parts step meanwhile. */
struct link_trial {
    char *host[2] = {}, *device[4] = {};
    cudaStream_t ways[3] = {};

    ~link_trial()
    {
        for (cudaStream_t way : ways) {
            (void)(way != NULL && cudaStreamSynchronize(way));
            (void)(way != NULL && cudaStreamDestroy(way));
        }
        for (char *bytes : device) {
            (void)cudaFree(bytes);
        }
        for (char *bytes : host) {
            (void)(bytes != NULL && cudaFreeHost(bytes));
        }
        (void)cudaGetLastError();
    }
    bool create(size_t bytes)
    {
        bool well = true;
        for (char *&some : host) {
            well = well && cudaMallocHost((void **)&some, bytes) == cudaSuccess;
        }
        for (char *&some : device) {
            well = well && cudaMalloc((void **)&some, bytes) == cudaSuccess;
        }
        for (cudaStream_t &way : ways) {
            well = well && cudaStreamCreateWithFlags(&way, cudaStreamNonBlocking) == cudaSuccess;
        }
        return well;
    }
    bool copy(size_t bytes)
    {
        const int times = 2, beside = 64; /* the latter take longer */
        bool well = true;
        for (int k = 0; k < beside; k++) {
            well =
                well && cudaMemcpyAsync(device[2], device[3], bytes, cudaMemcpyDeviceToDevice, ways[2]) == cudaSuccess;
        }
        for (int k = 0; k < times; k++) {
            well = well && cudaMemcpyAsync(device[0], host[0], bytes, cudaMemcpyHostToDevice, ways[0]) == cudaSuccess &&
                   cudaMemcpyAsync(host[1], device[1], bytes, cudaMemcpyDeviceToHost, ways[1]) == cudaSuccess;
        }
        return well && cudaStreamSynchronize(ways[0]) == cudaSuccess && cudaStreamSynchronize(ways[1]) == cudaSuccess;
    }
};

/* Bytes a second each way while both are in use and the device's memory too, as they are while parts take turns; 0 on
 * failure. */
double link_bandwidth()
{
    const size_t bytes = (size_t)64 << 20;
    link_trial trial;
    bool well = trial.create(bytes);
    double best = 0;
    for (int k = 0; well && k < 5; k++) {
        const double begun = omp_get_wtime();
        well = trial.copy(bytes);
        const double seconds = omp_get_wtime() - begun;
        best = well && seconds > 0 ? fmax(best, 2 * (double)bytes / seconds) : best;
        well = well && cudaStreamSynchronize(trial.ways[2]) == cudaSuccess;
    }
    return best;
}

/* Several steps a pass, from one set of fields to another. */
bool sweeps(const struct problem *p)
{
    return p->precision == PW_SINGLE && p->reach == 1 && !p->axis[2].uniform &&
           physics_beyond(p, cuda_sweep.takes) == NULL;
}

/* Cells a second that solvers step in large grids: what the multiprocessors can do, and what the device's memory can,
 * by the bandwidth of a copy there, measured now. */
double solver_speed(const struct problem *p)
{
    int device = 0, processors = 132;
    const double copy = backend_cuda.copy_bandwidth();
    const double memory = copy > 0 ? copy : TURN_USUAL_COPY;
    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device) != cudaSuccess) {
        (void)cudaGetLastError();
    }
    if (p->formulation == FORMULATION_MAXWELL3D) {
        const double bytes = sweeps(p) ? TURN_SWEEP_BYTES : TURN_VOLUME_BYTES * (1 + 0.12 * p->reach);
        return memory / bytes * (p->precision == PW_SINGLE ? 1 : 0.5);
    }
    if (p->precision != PW_SINGLE || problem_has_mur(p)) {
        return 1e15 / PLAIN_CELL_FS;
    }
    const bool wide = p->laplacian_taps > 1;
    const double march_ps = wide ? MARCH_NODE_WIDE_PS + MARCH_TAP_PS * p->laplacian_taps : MARCH_NODE_PS,
                 share = wide ? TURN_MARCH_WIDE_SHARE : 1;
    return fmin(share * 1e12 * processors / march_ps, memory / TURN_MARCH_BYTES);
}

/* What grows with the rows of a part (in three dimensions: levels), and what every part has. */
struct sizes {
    double device_row, device_part, in_row, in_part, out_row, host;
};

sizes sizes_of(const struct problem *p, int runs, int axis)
{
    const bool volume = p->formulation == FORMULATION_MAXWELL3D;
    const double real = (double)problem_value_size(p), rows = p->axis[axis].count;
    const spectra_plan spectra = spectra_plan_in_turns(p, runs);
    const double record = real * (double)p->steps * p->probe_count * runs, drives = 8.0 * (double)p->steps * runs;
    const double index = volume && axis == 2 ? 2.0 * volume_layout_of(p).width * p->axis[1].count * p->layer_count
                                             : 2.0 * field_pitch(p) * p->axis[1].count / rows;
    const double all = volume ? (double)volume_bytes(p, runs, sweeps(p) ? 2 : 1) + (double)spectra.device
                              : (double)engine_bytes_in_turns(p, runs);
    const bool levels = volume && axis == 2;
    sizes own = {};
    own.device_part = TURN_PART_BYTES + record + drives + (levels ? index : 0);
    own.device_row = 1.01 * fmax(all - record - (levels ? index : 0), 0) / rows;
    own.out_row = (double)whole_state_bytes(p, runs) / rows;
    own.in_row = own.out_row + (levels ? 0 : index);
    own.in_part = levels ? index : 0;
    own.host = (double)whole_state_bytes(p, runs) + (double)spectra.host + record;
    return own;
}

/* A way to take turns. */
struct way {
    int parts, depth;
    double rows, rate; /* rows of the largest part; cells a second */
};

struct question {
    const struct problem *problem;
    struct cut cut; /* its creep, margin and rim */
    int axis;
    sizes size;
    double share, speed, link;
};

/* Fills in rows and rate; false: a part does not fit its share, or reaches beyond its neighbours. */
bool try_way(const question &asked, way *way)
{
    const double nodes = (double)problem_nodes(asked.problem), all = asked.cut.grid[asked.axis], cells = nodes / all;
    const int overlap = asked.cut.margin + asked.cut.rim + way->depth * asked.cut.creep,
              own = asked.cut.grid[asked.axis] / way->parts, most = own + 1 + 2 * overlap;
    way->rows = most;
    if (overlap - asked.cut.margin > own || own + overlap < asked.cut.least ||
        asked.size.device_part + asked.size.device_row * most > asked.share) {
        return false;
    }
    const double steps = cells * most * way->depth / asked.speed,
                 comes = (asked.size.in_row * most + asked.size.in_part) / asked.link,
                 goes = asked.size.out_row * own / asked.link;
    const double turn = fmax(steps, fmax(comes, goes)) + 1e-9 * TURN_NS,
                 last = fmax(0, comes + goes - fmax(steps, fmax(comes, goes)));
    /* Where parts do not fill their shares evenly the first comes to the share of the last but one, after that went. */
    way->rate = nodes * way->depth / (way->parts * turn + (way->parts % TURN_SHARES == 0 ? 0 : last));
    return true;
}

/* Steps of a turn of `depth` at most, where rounds lead from one look at the energy to the next. */
int even_depth(const struct problem *problem, int depth)
{
    const int watch = std::min(problem->watch_every, problem->steps > INT_MAX ? INT_MAX : (int)problem->steps),
              rounds = (watch + depth - 1) / depth;
    return std::max(1, (watch + rounds - 1) / std::max(rounds, 1));
}

bool best_way(const question &asked, way *best)
{
    const int depths[] = {1,  2,  3,  4,  6,  8,   10,  12,  16,  20,  24,  32,
                          40, 48, 64, 80, 96, 128, 160, 192, 256, 320, 384, 512};
    const int most = asked.cut.grid[asked.axis] / asked.cut.creep;
    *best = {0, 0, 0, 0};
    for (int parts = TURN_SHARES; parts <= most; parts += 1 + parts / 32) {
        /* The last part and the first share memory, so that neither comes while the other steps. */
        const bool waits = parts % TURN_SHARES == 1;
        for (int depth : depths) {
            way tried = {parts, even_depth(asked.problem, depth), 0, 0};
            if (!waits && try_way(asked, &tried) && tried.rate > best->rate) {
                *best = tried;
            }
        }
    }
    return best->parts > 0;
}

} // namespace

pw_status turns_plan(const struct problem *problem, const struct turn_request *request, struct turn_plan *plan,
                     pw_error *error)
{
    const struct cut_request alone = {.count = 1, .parts = {1, 1, 1}, .depth = 1};
    question asked = {};
    way best = {};
    asked.problem = problem;
    asked.axis = turn_axis(problem);
    TRY(cut_choose(problem, &alone, &asked.cut, error));
    asked.size = sizes_of(problem, request->runs, asked.axis);
    asked.share = (double)(request->memory / TURN_SHARES / 512 * 512);
    asked.speed = solver_speed(problem);
    asked.link = link_bandwidth();
    if (asked.link == 0) {
        return fail(error, PW_NO_RESOURCE, "CUDA: nothing can be copied from the host to the device");
    }
    if (!best_way(asked, &best)) {
        return fail(error, PW_NO_RESOURCE,
                    "%.3g GB of the device are too few for this grid, even in many parts that take turns there",
                    (double)request->memory / 1e9);
    }
    *plan = (struct turn_plan){};
    plan->parts[0] = plan->parts[1] = plan->parts[2] = 1;
    plan->parts[asked.axis] = best.parts;
    plan->depth = best.depth;
    plan->link = asked.link;
    plan->cells_per_second = best.rate;
    plan->in_bytes = asked.size.in_row * asked.cut.grid[asked.axis] / (double)problem_nodes(problem);
    plan->out_bytes = asked.size.out_row * asked.cut.grid[asked.axis] / (double)problem_nodes(problem);
    plan->once = 1e-9 * TURN_NS;
    plan->shares = TURN_SHARES;
    plan->device = request->memory;
    plan->host =
        (uint64_t)(asked.size.host + best.parts * ((asked.size.in_row - asked.size.out_row) * best.rows +
                                                   asked.size.in_part + asked.size.device_part - TURN_PART_BYTES));
    return PW_OK;
}
