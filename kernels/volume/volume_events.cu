/* What happens in three dimensions at single places: what h gains beside metal; after E has moved on, what tilted faces
 * add, from the curl of h, which E does not change any more, and what E gains beside metal; then sources, probes and
 * samples of the spectra. Leaves out: the step everywhere
 * (volume_step.cu). */
#include "kernels/volume/pass_events.h"

namespace
{

enum { PROBE_THREADS = 256 };

/* Component c of the curl of h at a place outside the absorber. */
template <int REACH, typename Real>
__device__ Real point_curl(const device_volume<Real> &v, const volume_fields<Real> &f, int c, size_t offset)
{
    const ptrdiff_t stride[3] = {1, v.pitch, (ptrdiff_t)v.plane};
    const int next = (c + 1) % 3, last = (c + 2) % 3;
    Real sum[2];
    const Real *line[2] = {f.field[3 + last] + offset, f.field[3 + next] + offset};
    const ptrdiff_t step[2] = {stride[next], stride[last]};
    for (int d = 0; d < 2; d++) {
        sum[d] = cell_curl(line[d][-step[d]], line[d][0]);
        for (int l = 1; l < REACH; l++) {
            sum[d] = cell_curl_add(sum[d], v.tap[l], line[d][-(1 + l) * step[d]], line[d][l * step[d]]);
        }
    }
    return sum[0] - sum[1];
}

/* A thread a place. */
template <int REACH, typename Real>
__global__ void tensor_kernel(device_volume<Real> v, volume_fields<Real> f, device_tensors<Real> tensors)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= tensors.count) {
        return;
    }
    const tensor_place place = tensors.places[p];
    const ptrdiff_t stride[3] = {1, v.pitch, (ptrdiff_t)v.plane};
    Real *e = f.field[place.component] + place.node;
    Real value = *e;
    for (int g = place.first; g < place.first + place.count; g++) {
        const tensor_gain<Real> gain = tensors.gains[g];
        Real low = point_curl<REACH>(v, f, gain.from, (size_t)(gain.node - stride[gain.from]));
        Real high = point_curl<REACH>(v, f, gain.from, (size_t)gain.node);
        value = cell_tensor(value, gain.quarter, low, high);
    }
    *e = value;
}

/* A thread a place. Those of h read E alone, those of E h alone. */
template <typename Real>
__global__ void metal_kernel(volume_fields<Real> f, device_metal<Real> metal, int begin, int end)
{
    const int r = begin + (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (r >= end) {
        return;
    }
    const metal_place row = metal.rows[r];
    Real *own = f.field[row.own.component] + row.own.offset, value = *own;
    for (int t = row.first; t < row.first + row.count; t++) {
        const device_place place = metal.places[t];
        value = cell_term(value, metal.weights[t], f.field[place.component][place.offset]);
    }
    *own = value;
}

template <typename Real> __global__ void dipole_kernel(volume_fields<Real> f, device_dipole<Real> source, int64_t step)
{
    for (int s = threadIdx.x; s < source.count; s += blockDim.x) {
        const device_place place = source.places[s];
        cell_dipole(source.weights[s], (Real)source.drive[step], source.hard, f.field[place.component] + place.offset);
    }
}

/* A block a probe: the values are fetched at once, and added by one thread in order. */
template <typename Real>
__global__ void probe_kernel(volume_fields<Real> f, device_receivers<Real> receivers, Real *out)
{
    __shared__ Real values[PROBE_THREADS];
    const int probe = blockIdx.x, first = receivers.first[probe], end = receivers.first[probe + 1];
    Real sum = 0;
    for (int begin = first; begin < end; begin += PROBE_THREADS) {
        const int own = begin + (int)threadIdx.x, some = min(end - begin, (int)PROBE_THREADS);
        if (own < end) {
            const device_place place = receivers.places[own];
            values[threadIdx.x] = f.field[place.component][place.offset];
        }
        __syncthreads();
        for (int s = 0; threadIdx.x == 0 && s < some; s++) {
            sum = receivers.weighted[probe] ? cell_probe_add(sum, receivers.weights[begin + s], values[s]) : values[s];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        out[probe] = sum;
    }
}

/* A block a probe and step of a pass. */
template <typename Real>
__global__ void sum_kernel(const device_receivers<Real> receivers, const Real *values, int count, Real *out)
{
    const int probe = blockIdx.x, first = receivers.first[probe], end = receivers.first[probe + 1];
    const Real *const own = values + (size_t)blockIdx.y * count;
    Real sum = 0;
    for (int n = first; n < end; n++) {
        sum = receivers.weighted[probe] ? cell_probe_add(sum, receivers.weights[n], own[n]) : own[n];
    }
    out[(size_t)blockIdx.y * receivers.count + probe] = sum;
}

template <typename Real>
__global__ void sample_kernel(volume_fields<Real> f, const device_place *places, size_t count, Real *out)
{
    for (size_t p = blockIdx.x * (size_t)blockDim.x + threadIdx.x; p < count; p += (size_t)gridDim.x * blockDim.x) {
        out[p] = f.field[places[p].component][places[p].offset];
    }
}

template <int REACH, typename Real>
pw_status add_tensors(const device_volume<Real> &v, const volume_fields<Real> &f, const device_tensors<Real> &tensors,
                      cudaStream_t stream, pw_error *error)
{
    tensor_kernel<REACH, Real><<<(tensors.count + 127) / 128, 128, 0, stream>>>(v, f, tensors);
    CUDA_LAUNCHED("tensor_kernel");
    return PW_OK;
}

} // namespace

template <typename Real>
pw_status volume_tensors(const device_volume<Real> &volume, int reach, const volume_fields<Real> &fields,
                         const device_tensors<Real> &tensors, cudaStream_t stream, pw_error *error)
{
    if (tensors.count == 0) {
        return PW_OK;
    }
    return with_reach(
        reach, [&](auto own) { return add_tensors<decltype(own)::value>(volume, fields, tensors, stream, error); },
        error);
}

template <typename Real>
pw_status volume_metal(const volume_fields<Real> &fields, const device_metal<Real> &metal, bool magnetic,
                       cudaStream_t stream, pw_error *error)
{
    const int begin = magnetic ? metal.magnetic : 0, end = magnetic ? metal.count : metal.magnetic;
    if (begin < end) {
        metal_kernel<Real><<<(end - begin + 127) / 128, 128, 0, stream>>>(fields, metal, begin, end);
        CUDA_LAUNCHED("metal_kernel");
    }
    return PW_OK;
}

template <typename Real>
pw_status volume_drive(const volume_fields<Real> &fields, const device_dipole<Real> &source, int64_t step,
                       cudaStream_t stream, pw_error *error)
{
    dipole_kernel<Real><<<1, 256, 0, stream>>>(fields, source, step);
    CUDA_LAUNCHED("dipole_kernel");
    return PW_OK;
}

template <typename Real>
pw_status volume_probe(const volume_fields<Real> &fields, const device_receivers<Real> &receivers, Real *out,
                       cudaStream_t stream, pw_error *error)
{
    if (receivers.count > 0) {
        probe_kernel<Real><<<receivers.count, PROBE_THREADS, 0, stream>>>(fields, receivers, out);
        CUDA_LAUNCHED("probe_kernel");
    }
    return PW_OK;
}

template <typename Real>
pw_status pass_probe(const device_receivers<Real> &receivers, const pass_events<Real> &events, int steps, Real *out,
                     cudaStream_t stream, pw_error *error)
{
    if (receivers.count > 0) {
        sum_kernel<Real>
            <<<dim3(receivers.count, steps), 1, 0, stream>>>(receivers, events.values, events.heard_count, out);
        CUDA_LAUNCHED("sum_kernel");
    }
    return PW_OK;
}

template <typename Real>
pw_status volume_sample(const volume_fields<Real> &fields, const device_place *places, size_t count, Real *out,
                        cudaStream_t stream, pw_error *error)
{
    const unsigned blocks = (unsigned)((count + 255) / 256 < 1024 ? (count + 255) / 256 : 1024);
    sample_kernel<Real><<<blocks, 256, 0, stream>>>(fields, places, count, out);
    CUDA_LAUNCHED("sample_kernel");
    return PW_OK;
}

#define INSTANTIATE(Real)                                                                                              \
    template pw_status volume_tensors<Real>(const device_volume<Real> &, int, const volume_fields<Real> &,             \
                                            const device_tensors<Real> &, cudaStream_t, pw_error *);                   \
    template pw_status volume_metal<Real>(const volume_fields<Real> &, const device_metal<Real> &, bool, cudaStream_t, \
                                          pw_error *);                                                                 \
    template pw_status volume_drive<Real>(const volume_fields<Real> &, const device_dipole<Real> &, int64_t,           \
                                          cudaStream_t, pw_error *);                                                   \
    template pw_status volume_probe<Real>(const volume_fields<Real> &, const device_receivers<Real> &, Real *,         \
                                          cudaStream_t, pw_error *);                                                   \
    template pw_status pass_probe<Real>(const device_receivers<Real> &, const pass_events<Real> &, int, Real *,        \
                                        cudaStream_t, pw_error *);                                                     \
    template pw_status volume_sample<Real>(const volume_fields<Real> &, const device_place *, size_t, Real *,          \
                                           cudaStream_t, pw_error *);
INSTANTIATE(float)
INSTANTIATE(double)
