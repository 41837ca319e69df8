/* The inner loops of the CPU solvers of maxwell3d for one instruction set. The Makefile compiles this file once per set
 * with -DISA=baseline|avx2|avx512 and matching flags. */
#include "backend/cpu/volume/volume_march.h"
#include "backend/cpu/march/march_vectors.h"
#include "problem/half.h"

/* Vectors of a block that are written out one after another. The baseline calls a function for every multiply-add, so
 * that it gains nothing from it, and its object would be four times as large. */
enum { BLOCK_UNROLLED = VECTOR_BYTES > 16 ? 8 : 1 };

#define SCALAR     float
#define REAL       vector_single
#define FMA        fma_single
#define CELL(name) name##_single
#define NODE(name) name##_node_single
#define POLE(name) POLE_SINGLE(name)
#define POLE_REAL  pole_vector_single
#include "problem/cell.h"

#include "backend/cpu/volume/volume_kernel.h"
#include "backend/cpu/volume/volume_rows.h"
#undef SCALAR
#undef REAL
#undef FMA
#undef CELL
#undef NODE
#undef POLE
#undef POLE_REAL

#define SCALAR     double
#define REAL       vector_double
#define FMA        fma_double
#define CELL(name) name##_double
#define NODE(name) name##_node_double
#define POLE(name) POLE_DOUBLE(name)
#define POLE_REAL  pole_vector_double
#include "problem/cell.h"

#include "backend/cpu/volume/volume_kernel.h"
#include "backend/cpu/volume/volume_rows.h"

#define TABLE_NAME(isa) volume_march_##isa
#define TABLE(isa)      TABLE_NAME(isa)
const struct volume_marcher TABLE(ISA) = {
    .march = {march_single, march_double},
    .finish_e = {finish_e_single, finish_e_double},
    .mirror = {mirror_single, mirror_double},
};
