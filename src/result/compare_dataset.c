/* Compares one dataset of two result files, in blocks of bounded size: normalised error (paper 003 eq. 8, the second
 * file being the reference), largest difference, correlation, first difference, identity of the bits. */
#include "result/compare.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COMPONENT_LIMIT = 8, BLOCK_VALUES = 1 << 20 /* doubles of one file held in memory */ };

/* Running sums; long double keeps squares of any double in range. */
struct sums {
    long double a, b, a_imaginary, b_imaginary;
    long double aa, bb, ab, difference;
    uint64_t elements;
    bool infinite;
};

/* Numbers of at most double's precision, alone or as the members of a compound; the count of numbers in an element, or
 * 0. */
int compare_component_count(hid_t type)
{
    H5T_class_t class = H5Tget_class(type);
    if (class == H5T_FLOAT || class == H5T_INTEGER) {
        return H5Tget_size(type) <= sizeof(double) ? 1 : 0;
    }
    int members = class == H5T_COMPOUND ? H5Tget_nmembers(type) : 0;
    if (members < 1 || members > COMPONENT_LIMIT) {
        return 0;
    }
    for (int m = 0; m < members; m++) {
        H5T_class_t member = H5Tget_member_class(type, (unsigned)m);
        if (member != H5T_FLOAT && member != H5T_INTEGER) {
            return 0;
        }
    }
    return members;
}

/* Type in memory: the same members, all double. */
static hid_t memory_type(hid_t type)
{
    if (H5Tget_class(type) != H5T_COMPOUND) {
        return H5Tcopy(H5T_NATIVE_DOUBLE);
    }
    int members = compare_component_count(type);
    hid_t made = H5Tcreate(H5T_COMPOUND, (size_t)members * sizeof(double));
    for (int m = 0; m < members; m++) {
        char *name = H5Tget_member_name(type, (unsigned)m);
        if (name != NULL) {
            H5Tinsert(made, name, (size_t)m * sizeof(double), H5T_NATIVE_DOUBLE);
        }
        H5free_memory(name);
    }
    return made;
}

static pw_status side_open(struct compare_side *side, const char *path, int *rank, hsize_t *extent, pw_error *error)
{
    side->dataset = H5Dopen2(side->file, path, H5P_DEFAULT);
    if (side->dataset < 0) {
        return hdf5_fail(error, PW_BAD_INPUT, "cannot open dataset '%s'", path);
    }
    side->type = H5Dget_type(side->dataset);
    side->element_size = side->type < 0 ? 0 : H5Tget_size(side->type);
    hid_t space = H5Dget_space(side->dataset);
    *rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
    bool good = *rank >= 0 && *rank <= PW_DATASET_RANK && H5Sget_simple_extent_dims(space, extent, NULL) == *rank;
    H5Sclose(space);
    FAIL_IF(!good || side->element_size == 0, error, PW_BAD_INPUT, "dataset '%s' has no shape of 0..%d dimensions",
            path, PW_DATASET_RANK);
    return hdf5_extent_check(side->dataset, path, *rank, extent, side->element_size, side->bytes, error);
}

void compare_side_close(struct compare_side *side)
{
    if (side->type >= 0) {
        H5Tclose(side->type);
    }
    if (side->dataset >= 0) {
        H5Dclose(side->dataset);
    }
    side->type = side->dataset = H5I_INVALID_HID;
}

/* A block of whole chunks (of single elements, when contiguous), grown from the last dimension on while it fits. */
static void choose_block(const pw_difference *difference, hid_t dataset, int components, hsize_t *block)
{
    hsize_t limit = components > 1 ? BLOCK_VALUES / (hsize_t)components : BLOCK_VALUES, elements = 1;
    for (int r = 0; r < difference->rank; r++) {
        block[r] = 1;
    }
    hid_t list = H5Dget_create_plist(dataset);
    if (list >= 0 && H5Pget_layout(list) == H5D_CHUNKED && H5Pget_chunk(list, difference->rank, block) < 0) {
        memset(block, 0, sizeof *block * PW_DATASET_RANK);
    }
    H5Pclose(list);
    for (int r = 0; r < difference->rank; r++) {
        assert(difference->extent[r] > 0 && elements > 0); /* opening checked the extents */
        block[r] = block[r] < 1 ? 1 : block[r] > difference->extent[r] ? difference->extent[r] : block[r];
        block[r] = block[r] > limit / elements ? limit / elements : block[r];
        elements *= block[r];
    }
    for (int r = difference->rank - 1; r >= 0; r--) {
        assert(block[r] > 0 && elements >= block[r]);
        hsize_t factor = limit / elements, needed = (difference->extent[r] + block[r] - 1) / block[r];
        factor = factor < needed ? factor : needed;
        elements = elements / block[r];
        block[r] = block[r] * factor > difference->extent[r] ? difference->extent[r] : block[r] * factor;
        elements *= block[r];
    }
}

/* Position n of a block, as a flat index of the dataset. */
static uint64_t flat_index(const pw_difference *difference, const hsize_t *start, const hsize_t *count, uint64_t n)
{
    uint64_t flat = 0, stride = 1;
    for (int r = difference->rank - 1; r >= 0; r--) {
        flat += (start[r] + n % count[r]) * stride;
        n /= count[r];
        stride *= difference->extent[r];
    }
    return flat;
}

/* Equal bits count as equal even for NaN; anything else that is not finite makes the error infinite. */
static double element_difference(const double *a, const double *b, int components, struct sums *sums)
{
    double square = 0, largest = 0;
    for (int c = 0; c < components; c++) {
        if (memcmp(&a[c], &b[c], sizeof *a) != 0) {
            double difference = fabs(a[c] - b[c]);
            if (!isfinite(a[c]) || !isfinite(b[c])) {
                sums->infinite = true;
                return INFINITY;
            }
            sums->difference += (long double)difference * difference;
            largest = fmax(largest, difference);
            square = hypot(square, difference);
        }
    }
    return components == 1 ? largest : square;
}

static void add_moments(const double *a, const double *b, int components, struct sums *sums)
{
    for (int c = 0; c < components; c++) {
        if (isfinite(a[c]) && isfinite(b[c])) {
            sums->aa += (long double)a[c] * a[c];
            sums->bb += (long double)b[c] * b[c];
            sums->ab += (long double)a[c] * b[c];
        }
    }
    sums->a += isfinite(a[0]) ? a[0] : 0;
    sums->b += isfinite(b[0]) ? b[0] : 0;
    if (components == 2) {
        sums->a_imaginary += isfinite(a[1]) ? a[1] : 0;
        sums->b_imaginary += isfinite(b[1]) ? b[1] : 0;
    }
    sums->elements++;
}

static void compare_block(pw_difference *difference, struct sums *sums, const double *a, const double *b,
                          int components, const hsize_t *start, const hsize_t *count)
{
    uint64_t elements = 1;
    for (int r = 0; r < difference->rank; r++) {
        elements *= count[r];
    }
    for (uint64_t n = 0; n < elements; n++, a += components, b += components) {
        add_moments(a, b, components, sums);
        if (memcmp(a, b, (size_t)components * sizeof *a) == 0) {
            continue;
        }
        uint64_t flat = flat_index(difference, start, count, n);
        double distance = element_difference(a, b, components, sums);
        if (!difference->any_difference || flat < difference->first_at) {
            difference->first_at = flat;
        }
        if (!difference->any_difference || distance > difference->largest ||
            (!(distance < difference->largest) && flat < difference->largest_at)) {
            difference->largest = distance;
            difference->largest_at = flat;
        }
        difference->any_difference = true;
    }
}

/* Pearson's coefficient; a variance lost in rounding is none. */
static double correlation_of(const struct sums *sums, int components)
{
    if (components > 2 || sums->elements == 0) {
        return NAN;
    }
    long double n = (long double)sums->elements;
    long double mean_a = sums->a * sums->a + sums->a_imaginary * sums->a_imaginary;
    long double mean_b = sums->b * sums->b + sums->b_imaginary * sums->b_imaginary;
    long double a = sums->aa - mean_a / n, b = sums->bb - mean_b / n;
    long double ab = sums->ab - (sums->a * sums->b + sums->a_imaginary * sums->b_imaginary) / n;
    if (a <= 1e-15L * sums->aa || b <= 1e-15L * sums->bb) {
        return NAN;
    }
    return (double)(ab / sqrtl(a) / sqrtl(b));
}

static void conclude(pw_difference *difference, const struct sums *sums, int components, bool same_type,
                     double max_error)
{
    if (sums->infinite) {
        difference->error = INFINITY;
    } else if (sums->difference > 0) {
        difference->error = sums->bb > 0 ? (double)sqrtl(sums->difference / sums->bb) : INFINITY;
    }
    difference->correlation = correlation_of(sums, components);
    difference->identical = same_type && !difference->any_difference;
    difference->different = max_error > 0 ? !(difference->error <= max_error) : !difference->identical;
}

/* Advances `start` to the next block in row-major order; false after the last. */
static bool next_block(const pw_difference *difference, const hsize_t *block, hsize_t *start)
{
    for (int r = difference->rank - 1; r >= 0; r--) {
        start[r] += block[r];
        if (start[r] < difference->extent[r]) {
            return true;
        }
        start[r] = 0;
    }
    return false;
}

static pw_status compare_numbers(pw_difference *difference, struct compare_side sides[2], double max_error,
                                 pw_error *error)
{
    int components = compare_component_count(sides[0].type);
    hsize_t block[PW_DATASET_RANK] = {0}, start[PW_DATASET_RANK] = {0}, count[PW_DATASET_RANK] = {0};
    choose_block(difference, sides[0].dataset, components, block);
    double *values = allocate(2 * BLOCK_VALUES, sizeof *values, "two blocks to compare", error);
    TRY_MADE(values);
    hid_t type = memory_type(sides[0].type);
    struct sums sums = {0};
    pw_status status = PW_OK;
    do {
        for (int r = 0; r < difference->rank; r++) {
            count[r] = difference->extent[r] - start[r] < block[r] ? difference->extent[r] - start[r] : block[r];
        }
        for (int s = 0; status == PW_OK && s < 2; s++) {
            status = hdf5_block_read_as(sides[s].dataset, difference->path, start, count, type,
                                        values + s * BLOCK_VALUES, error);
            status = hdf5_name_file(error, status, sides[s].path);
        }
        if (status == PW_OK) {
            compare_block(difference, &sums, values, values + BLOCK_VALUES, components, start, count);
        }
    } while (status == PW_OK && next_block(difference, block, start));
    H5Tclose(type);
    free(values);
    conclude(difference, &sums, components, H5Tequal(sides[0].type, sides[1].type) > 0, max_error);
    return status;
}

/* The same number of components of the same names: float against double is comparable, real against complex is not. */
static bool comparable(hid_t a, hid_t b)
{
    int components = compare_component_count(a);
    if (components == 0 || compare_component_count(b) != components ||
        (H5Tget_class(a) == H5T_COMPOUND) != (H5Tget_class(b) == H5T_COMPOUND)) {
        return false;
    }
    bool same = true;
    for (int m = 0; H5Tget_class(a) == H5T_COMPOUND && m < components; m++) {
        char *name_a = H5Tget_member_name(a, (unsigned)m), *name_b = H5Tget_member_name(b, (unsigned)m);
        same = same && name_a != NULL && name_b != NULL && strcmp(name_a, name_b) == 0;
        H5free_memory(name_a);
        H5free_memory(name_b);
    }
    return same;
}

pw_status compare_dataset(pw_difference *difference, struct compare_side sides[2], double max_error, pw_error *error)
{
    if (difference->obstacle == PW_OBSTACLE_NONE && H5Lexists(sides[1].file, difference->path, H5P_DEFAULT) <= 0) {
        difference->obstacle = PW_OBSTACLE_ONLY_A;
    }
    if (difference->obstacle != PW_OBSTACLE_NONE) {
        difference->different = true;
        return PW_OK;
    }
    int rank = 0;
    hsize_t extent[PW_DATASET_RANK] = {0};
    TRY(hdf5_name_file(error, side_open(&sides[0], difference->path, &difference->rank, extent, error), sides[0].path));
    for (int r = 0; r < difference->rank; r++) {
        difference->extent[r] = extent[r];
    }
    TRY(hdf5_name_file(error, side_open(&sides[1], difference->path, &rank, extent, error), sides[1].path));
    bool same_shape = rank == difference->rank;
    for (int r = 0; same_shape && r < rank; r++) {
        same_shape = extent[r] == difference->extent[r];
    }
    if (!same_shape) {
        difference->obstacle = PW_OBSTACLE_SHAPE;
    } else if (!comparable(sides[0].type, sides[1].type)) {
        difference->obstacle = PW_OBSTACLE_TYPE;
    } else {
        return compare_numbers(difference, sides, max_error, error);
    }
    difference->different = true;
    return PW_OK;
}
