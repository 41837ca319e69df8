/* Four neighbouring nodes along x, which every kernel moves as one access of 16 bytes. The address must be a multiple
 * of 16 bytes. */
#ifndef QUAD_H
#define QUAD_H

struct quad {
    float x[4];
};

__device__ __forceinline__ quad load_quad(const float *from)
{
    float4 f = *(const float4 *)from;
    return {{f.x, f.y, f.z, f.w}};
}

__device__ __forceinline__ void store_quad(float *to, const quad &q)
{
    *(float4 *)to = make_float4(q.x[0], q.x[1], q.x[2], q.x[3]);
}

/* The same from and to four places of an array in registers. */
__device__ __forceinline__ void get_quad(float *to, const float *from)
{
    float4 q = *(const float4 *)from;
    to[0] = q.x;
    to[1] = q.y;
    to[2] = q.z;
    to[3] = q.w;
}

__device__ __forceinline__ void put_quad(float *to, const float *from)
{
    *(float4 *)to = make_float4(from[0], from[1], from[2], from[3]);
}

#endif
