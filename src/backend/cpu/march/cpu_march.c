/* The CPU solvers' inner loops for one instruction set. The Makefile compiles this file once per set with
 * -DISA=baseline|avx2|avx512 and matching flags. */
#include "backend/cpu/march/cpu_march.h"
#include "backend/cpu/march/march_vectors.h"
#include "problem/image.h"
#include "problem/spectra/spectra.h"

/* Product of folded groups: frequencies and vectors of nodes whose sums stay in registers (a vector of nodes costs more
 * to load than a weight), and how many frequencies ahead sums are fetched. */
#if defined(__AVX512F__)
enum { SOME = 4, WIDE = 2 };
#else
enum { SOME = 3, WIDE = 2 };
#endif
enum { SUMS_AHEAD = 8 };
enum { FETCH_LEVEL = 2 }; /* into the second-level cache */

#define SCALAR     float
#define REAL       vector_single
#define FMA        fma_single
#define CELL(name) name##_single
#define NODE(name) name##_node_single
#define POLE(name) POLE_SINGLE(name)
#define POLE_REAL  pole_vector_single
#define INTEGER    int32_t
#include "problem/cell.h"

#include "backend/cpu/march/march_body.h"
#undef SCALAR
#undef REAL
#undef FMA
#undef CELL
#undef NODE
#undef POLE
#undef POLE_REAL
#undef INTEGER

#define SCALAR     double
#define REAL       vector_double
#define FMA        fma_double
#define CELL(name) name##_double
#define NODE(name) name##_node_double
#define POLE(name) POLE_DOUBLE(name)
#define POLE_REAL  pole_vector_double
#define INTEGER    int64_t
#include "problem/cell.h"

#include "backend/cpu/march/march_body.h"

#define TABLE_NAME(isa) cpu_march_##isa
#define TABLE(isa)      TABLE_NAME(isa)
const struct cpu_marcher TABLE(ISA) = {
    .advance = {[CPU_NARROW] = {advance_narrow_single, advance_narrow_double},
                [CPU_WIDE] = {advance_wide_single, advance_wide_double}},
    .mirror = {mirror_single, mirror_double},
    .add_spectra = {add_spectra_single, add_spectra_double},
};
