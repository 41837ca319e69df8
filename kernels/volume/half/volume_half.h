/* Fields of three dimensions that are kept in 16 bits (src/problem/half.h): what is read of them and written to them
 * place by place, by the host and by kernels beside the step. Rows begin at units, levels too, and there are no ghosts:
 * images about the walls are made where fields are read. Leaves out: the step (relay_half.cu). */
#ifndef VOLUME_HALF_H
#define VOLUME_HALF_H

#include "kernels/common/device_memory.h"
#include "kernels/spectra/spectra_kernels.h"
#include "kernels/volume/volume.h"

#include "problem/half.h"

enum { HALF_REACH = 5 }; /* the largest reach that there are kernels for */

/* Sum of the squares of a component in a box that begins at `first`, as of other fields. */
pw_status energy_sum(const energy_extent &extent, const uint16_t *first, double *partial, double *energy,
                     cudaStream_t stream, pw_error *error);

/* There are none. */
inline pw_status volume_ghosts(const device_volume<float> &, int, int, const half_fields &, cudaStream_t, pw_error *)
{
    return PW_OK;
}

/* A sample of the spectra, (count). */
pw_status volume_sample(const half_fields &fields, const device_place *places, size_t count, float *out,
                        cudaStream_t stream, pw_error *error);

/* Whole rows of units, (height, width) values, `pitch` places a row on the device. */
pw_status read_values(const uint16_t *from, size_t pitch, double *to, size_t width, size_t height, pw_error *error);
pw_status write_values(uint16_t *to, size_t pitch, const double *from, size_t width, size_t height, pw_error *error);

#ifdef __CUDACC__
/* The value at a place, which other blocks may have written. */
__device__ __forceinline__ float half_at(const uint16_t *place)
{
    const size_t number = (size_t)place / sizeof *place % HALF_UNIT; /* units lie at multiples of their size */
    const uint4 words = __ldcg((const uint4 *)(place - number));
    const half_unit unit = {{words.x, words.y, words.z, words.w}};
    const uint32_t word = __ldcg((const uint32_t *)(place - number % 2));
    return half_value(word >> (number % 2 * 16), half_exponent_of(&unit));
}
#endif

#endif
