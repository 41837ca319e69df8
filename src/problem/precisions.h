/* Includes the file TEMPLATE once per precision, after the arithmetic of a cell: in it REAL is the precision, and
 * CELL(name) gives each its own names, name_float and name_double. No include guard: for one TEMPLATE after another. */
#define REAL       float
#define FMA        fmaf
#define CELL(name) name##_float
#include "problem/cell.h"
#include TEMPLATE
#undef REAL
#undef FMA
#undef CELL

#define REAL       double
#define FMA        fma
#define CELL(name) name##_double
#include "problem/cell.h"
#include TEMPLATE
#undef REAL
#undef FMA
#undef CELL
#undef TEMPLATE
