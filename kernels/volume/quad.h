/* Four places beside each other along x, in either precision, moved as a whole. The address must be a multiple of 16
 * bytes in single precision and of 32 in double. */
#ifndef VOLUME_QUAD_H
#define VOLUME_QUAD_H

template <typename Real> struct alignas(4 * sizeof(Real) > 16 ? 16 : 4 * sizeof(Real)) quad {
    Real x[4];
};

__device__ __forceinline__ quad<float> fetch_quad(const float *from) /* of a field that the kernel does not write */
{
    const float4 q = __ldg((const float4 *)from);
    return {{q.x, q.y, q.z, q.w}};
}

__device__ __forceinline__ quad<double> fetch_quad(const double *from)
{
    const double2 low = __ldg((const double2 *)from), high = __ldg((const double2 *)from + 1);
    return {{low.x, low.y, high.x, high.y}};
}

template <typename Real> __device__ __forceinline__ quad<Real> load_quad(const Real *from)
{
    return *(const quad<Real> *)from;
}

/* Of what other multiprocessors may have written since the first-level cache took it. */
__device__ __forceinline__ quad<float> reload_quad(const float *from)
{
    const float4 q = __ldcg((const float4 *)from);
    return {{q.x, q.y, q.z, q.w}};
}

__device__ __forceinline__ quad<double> reload_quad(const double *from)
{
    const double2 low = __ldcg((const double2 *)from), high = __ldcg((const double2 *)from + 1);
    return {{low.x, low.y, high.x, high.y}};
}

template <typename Real> __device__ __forceinline__ void store_quad(Real *to, const quad<Real> &value)
{
    *(quad<Real> *)to = value;
}

/* Has the second-level cache fetch what a later level wants. */
template <typename Real> __device__ __forceinline__ void ask(const Real *from)
{
    asm volatile("prefetch.global.L2 [%0];" ::"l"(from));
}

/* The same of the first-level cache. */
template <typename T> __device__ __forceinline__ void ask_near(const T *from)
{
    asm volatile("prefetch.global.L1 [%0];" ::"l"(from));
}

#endif
