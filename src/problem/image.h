/* Images about the walls of the grid (physics.md sections 1 and 9): where the value of a place outside an axis is found
 * inside it. Node 0 of an axis lies on its low wall, node n on the high one; half nodes are numbered by the node before
 * them. About a PEC wall what stands at the nodes along an axis (tangential E) is odd and what stands at the half nodes
 * (tangential h) is even; about a PMC wall, at the low end, it is the other way round. */
#pragma once

#include <stdbool.h>

#ifdef __CUDACC__
#define IMAGE_FUNCTION static __host__ __device__ inline
#else
#define IMAGE_FUNCTION static inline
#endif

struct image {
    int place; /* 0..n-1 */
    int sign;  /* 1 or -1; 0: on a wall, where the field is zero */
};

/* The image of place i, which may lie any number of periods away, on an axis of n cells; `half` for half nodes,
 * `symmetric` where the low wall is a PMC. */
IMAGE_FUNCTION struct image image_of(int i, int n, bool half, bool symmetric)
{
    int sign = 1;
    while (i < 0 || i > n || (half && i == n)) {
        bool low = i < 0, even = half != (low && symmetric);
        i = (low ? 0 : 2 * n) - i - (half ? 1 : 0);
        sign = even ? sign : -sign;
    }
    if (!half && (i == n || (i == 0 && !symmetric))) {
        return (struct image){0, 0};
    }
    return (struct image){i, sign};
}
