/* A run of neighbouring rows of h or E advanced by half a step, all three components at once; included once per
 * precision by volume_march.c, with REAL a vector and SCALAR its element. There is a function for every set of filters
 * along y and z, and for the reaches 1 to 4 and any; filters along x stand at both ends of a row. */

typedef SCALAR CELL(unaligned) __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(SCALAR)), may_alias));

#define LANES ((int)(VECTOR_BYTES / sizeof(SCALAR)))

INLINE REAL CELL(load)(const SCALAR *from)
{
    return (REAL) * (const CELL(unaligned) *)from;
}

INLINE void CELL(store)(SCALAR *to, REAL value)
{
    *(CELL(unaligned) *)to = (CELL(unaligned))value;
}

INLINE REAL CELL(spread)(SCALAR value)
{
    return value - (REAL){0};
}

/* The first of the rows: what is advanced, and what that reads. The derivatives of a curl are numbered [a][w]: along
 * axis a, of component (a+1+w) mod 3. */
struct CELL(rows) {
    SCALAR *own[3];
    const SCALAR *x[2]; /* the rows that are differenced along x */
    /* Those along y and z: low[a-1][w][l] and high[a-1][w][l] stand l + 1/2 below and above. */
    const SCALAR *low[2][2][REACH_LIMIT], *high[2][2][REACH_LIMIT];
    SCALAR *state[3][2]; /* of the filters */
    const SCALAR *x_gain, *x_pole;
    SCALAR gain[2], pole[2]; /* along y and z */
    const uint32_t *blocks[3];
};

/* What does not change along a row. */
struct CELL(constants) {
    const SCALAR *pool;
    REAL tap[REACH_LIMIT], gain[2], pole[2];
    int reach;
    bool electric, filtered[2];
};

INLINE REAL CELL(filter)(REAL value, REAL gain, REAL pole, SCALAR *state)
{
    REAL next = CELL(load)(state);
    value = CELL(cell_filter)(value, gain, pole, &next);
    CELL(store)(state, next);
    return value;
}

/* One vector of columns from i on; `medium` holds ca and cb of the three components there. */
INLINE void CELL(march_vector)(const struct CELL(constants) * constant, const struct CELL(rows) * row, ptrdiff_t i,
                               const SCALAR *const *medium, ptrdiff_t x_shift, bool filtered_x)
{
    int reach = constant->reach, back = constant->electric ? 1 : 0;
    REAL derivative[3][2];
    for (int w = 0; w < 2; w++) {
        const SCALAR *x = row->x[w] + i - back;
        REAL sum = CELL(cell_curl)(CELL(load)(x), CELL(load)(x + 1));
        for (int l = 1; l < reach; l++) {
            sum = CELL(cell_curl_add)(sum, constant->tap[l], CELL(load)(x - l), CELL(load)(x + 1 + l));
        }
        derivative[0][w] = filtered_x ? CELL(filter)(sum, CELL(load)(row->x_gain + i), CELL(load)(row->x_pole + i),
                                                     row->state[0][w] + i - x_shift)
                                      : sum;
    }
    for (int a = 0; a < 2; a++) {
        for (int w = 0; w < 2; w++) {
            REAL sum = CELL(cell_curl)(CELL(load)(row->low[a][w][0] + i), CELL(load)(row->high[a][w][0] + i));
            for (int l = 1; l < reach; l++) {
                sum = CELL(cell_curl_add)(sum, constant->tap[l], CELL(load)(row->low[a][w][l] + i),
                                          CELL(load)(row->high[a][w][l] + i));
            }
            derivative[1 + a][w] = constant->filtered[a] ? CELL(filter)(sum, constant->gain[a], constant->pole[a],
                                                                        row->state[1 + a][w] + i)
                                                         : sum;
        }
    }
    for (int c = 0; c < 3; c++) {
        REAL value = CELL(load)(row->own[c] + i), first = derivative[(c + 1) % 3][0],
             second = derivative[(c + 2) % 3][1];
        value = constant->electric ? CELL(cell_increment)(value, first - second, CELL(load)(medium[c]),
                                                          CELL(load)(medium[c] + COLUMN_BLOCK))
                                   : CELL(cell_magnetic)(value, first, second);
        CELL(store)(row->own[c] + i, value);
    }
}

/* Columns first..last-1, whole blocks, of one row. */
INLINE void CELL(march_columns)(const struct CELL(constants) * constant, const struct CELL(rows) * row, int first,
                                int last, ptrdiff_t x_shift, bool filtered_x)
{
    for (ptrdiff_t i = first; i < last; i += COLUMN_BLOCK) {
        const SCALAR *block[3] = {constant->pool, constant->pool, constant->pool}; /* h does not look */
        for (int c = 0; constant->electric && c < 3; c++) {
            block[c] = constant->pool + (size_t)row->blocks[c][(size_t)i / COLUMN_BLOCK] * (2 * COLUMN_BLOCK);
        }
#pragma GCC unroll 4
        for (int v = 0; v < COLUMN_BLOCK; v += LANES) {
            const SCALAR *const medium[3] = {block[0] + v, block[1] + v, block[2] + v};
            CELL(march_vector)(constant, row, i + v, medium, x_shift, filtered_x);
        }
    }
}

/* The rows after `from`, `records` records further on. */
INLINE struct CELL(rows)
    CELL(rows_further)(const struct volume_grid *grid, const struct CELL(rows) * from, int records, int reach)
{
    struct CELL(rows) to = *from;
    ptrdiff_t shift = records * grid->pitch;
    for (int c = 0; c < 3; c++) {
        to.own[c] += shift;
        to.blocks[c] += (ptrdiff_t)records * (grid->padded / COLUMN_BLOCK);
    }
    for (int w = 0; w < 2; w++) {
        to.x[w] += shift;
        to.state[0][w] += (ptrdiff_t)records * 4 * grid->x_width;
        to.state[2][w] += (ptrdiff_t)records * 4 * grid->padded;
        for (int l = 0; l < reach; l++) {
            for (int a = 0; a < 2; a++) {
                to.low[a][w][l] += shift;
                to.high[a][w][l] += shift;
            }
        }
    }
    return to;
}

/* `count` rows, one record after the other; more than one only where there is no filter along y. */
INLINE void CELL(march_records)(const struct volume_grid *grid, const struct CELL(rows) * first, int count,
                                bool electric, int reach, bool filtered_y, bool filtered_z)
{
    struct CELL(constants) constant = {.pool = grid->pool,
                                       .reach = reach,
                                       .electric = electric,
                                       .filtered = {filtered_y, filtered_z},
                                       .gain = {CELL(spread)(first->gain[0]), CELL(spread)(first->gain[1])},
                                       .pole = {CELL(spread)(first->pole[0]), CELL(spread)(first->pole[1])}};
    for (int l = 1; l < reach; l++) {
        constant.tap[l] = CELL(spread)((SCALAR)grid->problem->difference[l]);
    }
    for (int r = 0; r < count; r++) {
        const struct CELL(rows) row = CELL(rows_further)(grid, first, r, reach);
        CELL(march_columns)(&constant, &row, 0, grid->x_low, 0, true);
        CELL(march_columns)(&constant, &row, grid->x_low, grid->x_high, 0, false);
        CELL(march_columns)(&constant, &row, grid->x_high, grid->padded, grid->x_high - grid->x_low, true);
    }
}

typedef void CELL(kernel)(const struct volume_grid *grid, const struct CELL(rows) * first, int count);

#define KERNEL(name, electric, reach, filtered_y, filtered_z)                                                          \
    static void CELL(name)(const struct volume_grid *grid, const struct CELL(rows) * first, int count)                 \
    {                                                                                                                  \
        CELL(march_records)(grid, first, count, electric, reach, filtered_y, filtered_z);                              \
    }
#define KERNELS(name, electric, reach)                                                                                 \
    KERNEL(name##_open, electric, reach, false, false)                                                                 \
    KERNEL(name##_y, electric, reach, true, false)                                                                     \
    KERNEL(name##_z, electric, reach, false, true)                                                                     \
    KERNEL(name##_yz, electric, reach, true, true)
#define KERNEL_TABLE(name)                                                                                             \
    {                                                                                                                  \
        {CELL(name##_open), CELL(name##_z)},                                                                           \
        {                                                                                                              \
            CELL(name##_y), CELL(name##_yz)                                                                            \
        }                                                                                                              \
    }
KERNELS(h_narrow, false, 1)
KERNELS(e_narrow, true, 1)
KERNELS(h_four, false, 2)
KERNELS(e_four, true, 2)
KERNELS(h_six, false, 3)
KERNELS(e_six, true, 3)
KERNELS(h_eight, false, 4)
KERNELS(e_eight, true, 4)
KERNELS(h_wide, false, grid->reach)
KERNELS(e_wide, true, grid->reach)

/* [reach - 1, at most 4][electric][filtered along y][along z] */
static CELL(kernel) *const CELL(KERNELS_OF)[5][2][2][2] = {{KERNEL_TABLE(h_narrow), KERNEL_TABLE(e_narrow)},
                                                           {KERNEL_TABLE(h_four), KERNEL_TABLE(e_four)},
                                                           {KERNEL_TABLE(h_six), KERNEL_TABLE(e_six)},
                                                           {KERNEL_TABLE(h_eight), KERNEL_TABLE(e_eight)},
                                                           {KERNEL_TABLE(h_wide), KERNEL_TABLE(e_wide)}};
#undef KERNEL
#undef KERNELS
#undef KERNEL_TABLE
#undef LANES
