/* One row of h or E advanced by half a step, all three components at once; included once per precision by
 * volume_march.c, with REAL a vector and SCALAR its element. There is a function for every set of filters along y and
 * z, and for the reaches 1 to 4 and any; filters along x stand at both ends of a row. Where nothing changes along z,
 * Hz, Ex and Ey alone are advanced, and their differences along z are zero. */

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

/* What a row reads and writes. Three rows that lie `stride` apart are named by the first of them: E for Ex, Ey, Ez, h
 * likewise. */
struct CELL(row) {
    SCALAR *own;       /* the rows that are advanced, E or h */
    const SCALAR *mid; /* those of the other field in the same record */
    /* Those of the other field along y and z, l + 1/2 below and above; of the two at l = 0 one is mid. */
    const SCALAR *low[2][REACH_LIMIT], *high[2][REACH_LIMIT];
    SCALAR *state[3]; /* of the filters along x, y and z */
    const SCALAR *profile;
    SCALAR gain[2], pole[2], feed[2]; /* along y and z */
    const uint32_t *blocks[3];
};

/* What does not change along a row. */
struct CELL(constants) {
    const SCALAR *pool;
    REAL tap[REACH_LIMIT], gain[2], pole[2], feed[2];
    REAL usual_cb;
    uint32_t usual;
    ptrdiff_t stride;
    int reach;
    bool electric, filtered[3];
    bool flat; /* nothing changes along z */
};

/* A pointer further on, of which the compiler knows no more. There are more rows than registers: it is to reach them
 * from few pointers by multiples of the stride, and not to keep a pointer to each of them in memory. */
INLINE const SCALAR *CELL(further)(const SCALAR *from, ptrdiff_t by)
{
    from += by;
    __asm__("" : "+r"(from));
    return from;
}

INLINE REAL CELL(filter)(REAL value, REAL gain, REAL pole, REAL feed, SCALAR *state)
{
    REAL next = CELL(load)(state);
    value = CELL(cell_filter)(value, gain, pole, feed, &next);
    CELL(store)(state, next);
    return value;
}

/* The derivatives of a curl are numbered [a][w]: along axis a, of component (a+1+w) mod 3. */
INLINE REAL CELL(derivative_x)(const struct CELL(constants) * constant, const struct CELL(row) * at, int w, int v)
{
    const SCALAR *x = at->mid + (1 + w) * constant->stride + v - (constant->electric ? 1 : 0);
    REAL sum = CELL(cell_curl)(CELL(load)(x), CELL(load)(x + 1));
    for (int l = 1; l < constant->reach; l++) {
        sum = CELL(cell_curl_add)(sum, constant->tap[l], CELL(load)(x - l), CELL(load)(x + 1 + l));
    }
    return constant->filtered[0]
               ? CELL(filter)(sum, CELL(load)(at->profile + v), CELL(load)(at->profile + v + COLUMN_BLOCK),
                              CELL(load)(at->profile + v + 2 * COLUMN_BLOCK), at->state[0] + w * COLUMN_BLOCK + v)
               : sum;
}

/* Along y (a = 0) or z (a = 1). */
INLINE REAL CELL(derivative)(const struct CELL(constants) * constant, const struct CELL(row) * at, int a, int w,
                             ptrdiff_t v)
{
    ptrdiff_t row = (a + 2 + w) % 3 * constant->stride + v;
    REAL sum = CELL(cell_curl)(CELL(load)(at->low[a][0] + row), CELL(load)(at->high[a][0] + row));
    for (int l = 1; l < constant->reach; l++) {
        sum = CELL(cell_curl_add)(sum, constant->tap[l], CELL(load)(at->low[a][l] + row),
                                  CELL(load)(at->high[a][l] + row));
    }
    return constant->filtered[1 + a] ? CELL(filter)(sum, constant->gain[a], constant->pole[a], constant->feed[a],
                                                    at->state[1 + a] + w * COLUMN_BLOCK + v)
                                     : sum;
}

/* The vector of columns v of a block; `medium` holds ca and cb of the three components there, NULL in the usual one. */
INLINE void CELL(march_vector)(const struct CELL(constants) * constant, const struct CELL(row) * at, int v,
                               const SCALAR *const *medium)
{
    const REAL one = CELL(spread)(1);
    /* Of h_z: of Ey along x and of Ex along y; of Ex and Ey: of h_z along y and x. */
    const bool flat = constant->flat, electric = constant->electric;
    REAL derivative[3][2] = {{{0}}};
    for (int w = 0; w < 2; w++) {
        if (!flat || w == (electric ? 1 : 0)) {
            derivative[0][w] = CELL(derivative_x)(constant, at, w, v);
        }
        if (!flat || w == (electric ? 0 : 1)) {
            derivative[1][w] = CELL(derivative)(constant, at, 0, w, v);
        }
        if (!flat) {
            derivative[2][w] = CELL(derivative)(constant, at, 1, w, v);
        }
    }
    for (int c = flat && !electric ? 2 : 0; c < (flat && electric ? 2 : 3); c++) {
        SCALAR *own = at->own + c * constant->stride + v;
        REAL value = CELL(load)(own), first = derivative[(c + 1) % 3][0], second = derivative[(c + 2) % 3][1];
        if (!constant->electric) {
            value = CELL(cell_magnetic)(value, first, second);
        } else if (medium == NULL) {
            value = CELL(cell_increment)(value, first - second, one, constant->usual_cb);
        } else {
            value = CELL(cell_increment)(value, first - second, CELL(load)(medium[c] + v),
                                         CELL(load)(medium[c] + v + COLUMN_BLOCK));
        }
        CELL(store)(own, value);
    }
}

/* What a row reads and writes from column i on. */
INLINE struct CELL(row) CELL(row_from)(const struct CELL(constants) * constant, const struct CELL(row) * row,
                                       ptrdiff_t i, ptrdiff_t x_shift)
{
    struct CELL(row) at = {.own = (SCALAR *)CELL(further)(row->own, i), .mid = CELL(further)(row->mid, i)};
    bool electric = constant->electric;
    for (int a = 0; a < 2; a++) {
        for (int l = 0; l < constant->reach; l++) {
            at.low[a][l] = l == 0 && !electric ? at.mid : CELL(further)(row->low[a][l], i);
            at.high[a][l] = l == 0 && electric ? at.mid : CELL(further)(row->high[a][l], i);
        }
    }
    if (constant->filtered[0]) {
        at.state[0] = (SCALAR *)CELL(further)(row->state[0], 4 * (i - x_shift));
        at.profile = CELL(further)(row->profile, 3 * i);
    }
    for (int a = 1; a <= 2; a++) {
        if (constant->filtered[a]) {
            at.state[a] = (SCALAR *)CELL(further)(row->state[a], 4 * i);
        }
    }
    return at;
}

/* The columns of a block. */
INLINE void CELL(march_block)(const struct CELL(constants) * constant, const struct CELL(row) * at,
                              const SCALAR *const *medium)
{
#pragma GCC unroll BLOCK_UNROLLED
    for (int v = 0; v < COLUMN_BLOCK; v += LANES) {
        CELL(march_vector)(constant, at, v, medium);
    }
}

/* Columns first..last-1, whole blocks. */
INLINE void CELL(march_columns)(struct CELL(constants) constant, const struct CELL(row) * row, int first, int last,
                                ptrdiff_t x_shift, bool filtered_x)
{
    constant.filtered[0] = filtered_x;
    for (ptrdiff_t i = first; i < last; i += COLUMN_BLOCK) {
        const struct CELL(row) at = CELL(row_from)(&constant, row, i, x_shift);
        size_t block = (size_t)i / COLUMN_BLOCK, number[3] = {0};
        for (int c = 0; constant.electric && c < 3; c++) {
            number[c] = row->blocks[c][block];
        }
        bool usual = number[0] == constant.usual && number[1] == constant.usual &&
                     (constant.flat || number[2] == constant.usual);
        if (!constant.electric || (!filtered_x && usual)) {
            CELL(march_block)(&constant, &at, NULL);
        } else {
            const SCALAR *medium[3];
            for (int c = 0; c < 3; c++) {
                medium[c] = constant.pool + number[c] * (2 * COLUMN_BLOCK);
            }
            CELL(march_block)(&constant, &at, medium);
        }
    }
}

INLINE void CELL(march_row)(const struct volume_grid *grid, const struct CELL(row) * row, bool electric, int reach,
                            bool filtered_y, int along_z)
{
    struct CELL(constants) constant = {.pool = grid->pool,
                                       .usual = grid->usual_block,
                                       .usual_cb = CELL(spread)((SCALAR)grid->usual_cb),
                                       .stride = grid->stride,
                                       .reach = reach,
                                       .electric = electric,
                                       .filtered = {false, filtered_y, along_z == FILTERED_Z},
                                       .flat = along_z == FLAT_Z,
                                       .gain = {CELL(spread)(row->gain[0]), CELL(spread)(row->gain[1])},
                                       .pole = {CELL(spread)(row->pole[0]), CELL(spread)(row->pole[1])},
                                       .feed = {CELL(spread)(row->feed[0]), CELL(spread)(row->feed[1])}};
    for (int l = 1; l < reach; l++) {
        constant.tap[l] = CELL(spread)((SCALAR)grid->problem->difference[l]);
    }
    CELL(march_columns)(constant, row, 0, grid->x_low, 0, true);
    CELL(march_columns)(constant, row, grid->x_low, grid->x_high, 0, false);
    CELL(march_columns)(constant, row, grid->x_high, grid->padded, grid->x_high - grid->x_low, true);
}

typedef void CELL(kernel)(const struct volume_grid *grid, const struct CELL(row) * row);

#define KERNEL(name, electric, reach, filtered_y, along_z)                                                             \
    static void CELL(name)(const struct volume_grid *grid, const struct CELL(row) * row)                               \
    {                                                                                                                  \
        CELL(march_row)(grid, row, electric, reach, filtered_y, along_z);                                              \
    }
#define KERNELS(name, electric, reach)                                                                                 \
    KERNEL(name##_open, electric, reach, false, OPEN_Z)                                                                \
    KERNEL(name##_y, electric, reach, true, OPEN_Z)                                                                    \
    KERNEL(name##_z, electric, reach, false, FILTERED_Z)                                                               \
    KERNEL(name##_yz, electric, reach, true, FILTERED_Z)                                                               \
    KERNEL(name##_flat, electric, reach, false, FLAT_Z)                                                                \
    KERNEL(name##_flat_y, electric, reach, true, FLAT_Z)
#define KERNEL_TABLE(name)                                                                                             \
    {                                                                                                                  \
        {CELL(name##_open), CELL(name##_z), CELL(name##_flat)},                                                        \
        {                                                                                                              \
            CELL(name##_y), CELL(name##_yz), CELL(name##_flat_y)                                                       \
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

/* [reach - 1, at most 4][electric][filtered along y][what stands along z] */
static CELL(kernel) *const CELL(KERNELS_OF)[5][2][2][3] = {{KERNEL_TABLE(h_narrow), KERNEL_TABLE(e_narrow)},
                                                           {KERNEL_TABLE(h_four), KERNEL_TABLE(e_four)},
                                                           {KERNEL_TABLE(h_six), KERNEL_TABLE(e_six)},
                                                           {KERNEL_TABLE(h_eight), KERNEL_TABLE(e_eight)},
                                                           {KERNEL_TABLE(h_wide), KERNEL_TABLE(e_wide)}};
#undef KERNEL
#undef KERNELS
#undef KERNEL_TABLE
#undef LANES
