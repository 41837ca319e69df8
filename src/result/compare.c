/* Compares two result files, dataset by dataset, in blocks of bounded size: normalised error (paper 003 eq. 8, the
 * second file being the reference), largest difference, correlation, first difference, identity of the bits. Attributes
 * and /timing are left out: they say when and where, not what. */
#include "result/compare.h"
#include "file/hdf5_read.h"
#include "result/result.h"
#include "result/result_format.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    COMPONENT_LIMIT = 8,
    DEPTH_LIMIT = 7,
    MEMBER_LIMIT = 1 << 16,
    BLOCK_VALUES = 1 << 20, /* doubles of one file held in memory */
};

static_assert(COMPARE_PATH_SIZE >= (DEPTH_LIMIT + 1) * NAME_SIZE, "every path that is walked fits");

/* One file and one dataset of it. */
struct side {
    const char *path;
    hid_t file;
    uint64_t bytes;
    hid_t dataset, type;
    size_t element_size;
};

/* Running sums; long double keeps squares of any double in range. */
struct sums {
    long double a, b, a_imaginary, b_imaginary;
    long double aa, bb, ab, difference;
    uint64_t elements;
    bool infinite;
};

/* ---- which datasets ---------------------------------------------------------------------------------------------- */

static struct verdict *verdict_find(struct verdicts *list, const char *path)
{
    for (size_t n = 0; n < list->count; n++) {
        if (strcmp(list->entry[n].path, path) == 0) {
            return &list->entry[n];
        }
    }
    return NULL;
}

static pw_status verdict_add(struct verdicts *list, const char *path, enum obstacle obstacle, pw_error *error)
{
    if (list->count == list->room) {
        size_t room = list->room > 0 ? 2 * list->room : 64;
        struct verdict *entry = realloc(list->entry, room * sizeof *entry);
        if (entry == NULL) {
            return fail(error, PW_NO_RESOURCE, "not enough memory to compare %zu datasets", room);
        }
        list->entry = entry;
        list->room = room;
    }
    struct verdict *added = &list->entry[list->count++];
    memset(added, 0, sizeof *added);
    memcpy(added->path, path, strlen(path) + 1);
    added->obstacle = obstacle;
    return PW_OK;
}

/* Numbers of at most double's precision, alone or as the members of a compound; the count of numbers in an element, or
 * 0. */
static int component_count(hid_t type)
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

/* Depth first in the order of creation. Datasets of the first file are added; those of the second that are not there,
 * too. */
static pw_status collect(struct verdicts *list, hid_t group, const char *prefix, int depth, bool second,
                         pw_error *error)
{
    char(*names)[NAME_SIZE] = NULL;
    int count;
    TRY(hdf5_group_names(group, MEMBER_LIMIT, &names, &count, error));
    pw_status status =
        depth < DEPTH_LIMIT ? PW_OK : fail(error, PW_BAD_INPUT, "groups nested deeper than %d", DEPTH_LIMIT);
    for (int n = 0; status == PW_OK && n < count; n++) {
        char path[COMPARE_PATH_SIZE];
        snprintf(path, sizeof path, "%s/%s", prefix, names[n]);
        if (strcmp(path, "/timing") == 0) {
            continue;
        }
        hid_t object = H5Oopen(group, names[n], H5P_DEFAULT);
        H5I_type_t kind = object < 0 ? H5I_BADID : H5Iget_type(object);
        if (object < 0) {
            status = hdf5_fail(error, PW_BAD_INPUT, "cannot open '%s'", path);
        } else if (kind == H5I_GROUP) {
            status = collect(list, object, path, depth + 1, second, error);
        } else if (kind == H5I_DATASET) {
            hid_t type = H5Dget_type(object);
            if (type >= 0 && component_count(type) > 0 && (!second || verdict_find(list, path) == NULL)) {
                status = verdict_add(list, path, second ? OBSTACLE_ONLY_B : OBSTACLE_NONE, error);
            }
            H5Tclose(type);
        }
        H5Oclose(object);
    }
    free(names);
    return status;
}

/* ---- one dataset ------------------------------------------------------------------------------------------------- */

/* Type in memory: the same members, all double. */
static hid_t memory_type(hid_t type)
{
    if (H5Tget_class(type) != H5T_COMPOUND) {
        return H5Tcopy(H5T_NATIVE_DOUBLE);
    }
    int members = component_count(type);
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

static pw_status side_open(struct side *side, const char *path, int *rank, hsize_t *extent, pw_error *error)
{
    side->dataset = H5Dopen2(side->file, path, H5P_DEFAULT);
    if (side->dataset < 0) {
        return hdf5_fail(error, PW_BAD_INPUT, "cannot open dataset '%s'", path);
    }
    side->type = H5Dget_type(side->dataset);
    side->element_size = side->type < 0 ? 0 : H5Tget_size(side->type);
    hid_t space = H5Dget_space(side->dataset);
    *rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
    bool good = *rank >= 0 && *rank <= COMPARE_RANK_LIMIT && H5Sget_simple_extent_dims(space, extent, NULL) == *rank;
    H5Sclose(space);
    if (!good || side->element_size == 0) {
        return fail(error, PW_BAD_INPUT, "dataset '%s' has no shape of 0..%d dimensions", path, COMPARE_RANK_LIMIT);
    }
    return hdf5_extent_check(side->dataset, path, *rank, extent, side->element_size, side->bytes, error);
}

static void side_close_dataset(struct side *side)
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
static void choose_block(const struct verdict *verdict, hid_t dataset, int components, hsize_t *block)
{
    hsize_t limit = BLOCK_VALUES / (hsize_t)components, elements = 1;
    for (int r = 0; r < verdict->rank; r++) {
        block[r] = 1;
    }
    hid_t list = H5Dget_create_plist(dataset);
    if (list >= 0 && H5Pget_layout(list) == H5D_CHUNKED && H5Pget_chunk(list, verdict->rank, block) < 0) {
        memset(block, 0, sizeof *block * COMPARE_RANK_LIMIT);
    }
    H5Pclose(list);
    for (int r = 0; r < verdict->rank; r++) {
        assert(verdict->extent[r] > 0 && elements > 0); /* opening checked the extents */
        block[r] = block[r] < 1 ? 1 : block[r] > verdict->extent[r] ? verdict->extent[r] : block[r];
        block[r] = block[r] > limit / elements ? limit / elements : block[r];
        elements *= block[r];
    }
    for (int r = verdict->rank - 1; r >= 0; r--) {
        assert(block[r] > 0 && elements >= block[r]);
        hsize_t factor = limit / elements, needed = (verdict->extent[r] + block[r] - 1) / block[r];
        factor = factor < needed ? factor : needed;
        elements = elements / block[r];
        block[r] = block[r] * factor > verdict->extent[r] ? verdict->extent[r] : block[r] * factor;
        elements *= block[r];
    }
}

/* Position n of a block, as a flat index of the dataset. */
static uint64_t flat_index(const struct verdict *verdict, const hsize_t *start, const hsize_t *count, uint64_t n)
{
    uint64_t flat = 0, stride = 1;
    for (int r = verdict->rank - 1; r >= 0; r--) {
        flat += (start[r] + n % count[r]) * stride;
        n /= count[r];
        stride *= verdict->extent[r];
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

static void compare_block(struct verdict *verdict, struct sums *sums, const double *a, const double *b, int components,
                          const hsize_t *start, const hsize_t *count)
{
    uint64_t elements = 1;
    for (int r = 0; r < verdict->rank; r++) {
        elements *= count[r];
    }
    for (uint64_t n = 0; n < elements; n++, a += components, b += components) {
        add_moments(a, b, components, sums);
        if (memcmp(a, b, (size_t)components * sizeof *a) == 0) {
            continue;
        }
        uint64_t flat = flat_index(verdict, start, count, n);
        double difference = element_difference(a, b, components, sums);
        if (!verdict->any_difference || flat < verdict->first_at) {
            verdict->first_at = flat;
        }
        if (!verdict->any_difference || difference > verdict->largest ||
            (!(difference < verdict->largest) && flat < verdict->largest_at)) {
            verdict->largest = difference;
            verdict->largest_at = flat;
        }
        verdict->any_difference = true;
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

static void conclude(struct verdict *verdict, const struct sums *sums, int components, bool same_type, double max_error)
{
    if (sums->infinite) {
        verdict->error = INFINITY;
    } else if (sums->difference > 0) {
        verdict->error = sums->bb > 0 ? (double)sqrtl(sums->difference / sums->bb) : INFINITY;
    }
    verdict->correlation = correlation_of(sums, components);
    verdict->identical = same_type && !verdict->any_difference;
    verdict->different = max_error > 0 ? !(verdict->error <= max_error) : !verdict->identical;
}

/* Advances `start` to the next block in row-major order; false after the last. */
static bool next_block(const struct verdict *verdict, const hsize_t *block, hsize_t *start)
{
    for (int r = verdict->rank - 1; r >= 0; r--) {
        start[r] += block[r];
        if (start[r] < verdict->extent[r]) {
            return true;
        }
        start[r] = 0;
    }
    return false;
}

static pw_status compare_numbers(struct verdict *verdict, struct side sides[2], double max_error, pw_error *error)
{
    int components = component_count(sides[0].type);
    hsize_t block[COMPARE_RANK_LIMIT], start[COMPARE_RANK_LIMIT] = {0}, count[COMPARE_RANK_LIMIT];
    choose_block(verdict, sides[0].dataset, components, block);
    double *values = allocate(2 * BLOCK_VALUES, sizeof *values, "two blocks to compare", error);
    if (values == NULL) {
        return PW_NO_RESOURCE;
    }
    hid_t type = memory_type(sides[0].type);
    struct sums sums = {0};
    pw_status status = PW_OK;
    do {
        for (int r = 0; r < verdict->rank; r++) {
            count[r] = verdict->extent[r] - start[r] < block[r] ? verdict->extent[r] - start[r] : block[r];
        }
        for (int s = 0; status == PW_OK && s < 2; s++) {
            status = hdf5_block_read_as(sides[s].dataset, verdict->path, start, count, type, values + s * BLOCK_VALUES,
                                        error);
            status = hdf5_name_file(error, status, sides[s].path);
        }
        if (status == PW_OK) {
            compare_block(verdict, &sums, values, values + BLOCK_VALUES, components, start, count);
        }
    } while (status == PW_OK && next_block(verdict, block, start));
    H5Tclose(type);
    free(values);
    conclude(verdict, &sums, components, H5Tequal(sides[0].type, sides[1].type) > 0, max_error);
    return status;
}

/* The same number of components of the same names: float against double is comparable, real against complex is not. */
static bool comparable(hid_t a, hid_t b)
{
    int components = component_count(a);
    if (components == 0 || component_count(b) != components ||
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

static pw_status compare_dataset(struct verdict *verdict, struct side sides[2], double max_error, pw_error *error)
{
    if (verdict->obstacle == OBSTACLE_NONE && H5Lexists(sides[1].file, verdict->path, H5P_DEFAULT) <= 0) {
        verdict->obstacle = OBSTACLE_ONLY_A;
    }
    if (verdict->obstacle != OBSTACLE_NONE) {
        verdict->different = true;
        return PW_OK;
    }
    int rank = 0;
    hsize_t extent[COMPARE_RANK_LIMIT] = {0};
    TRY(hdf5_name_file(error, side_open(&sides[0], verdict->path, &verdict->rank, extent, error), sides[0].path));
    for (int r = 0; r < verdict->rank; r++) {
        verdict->extent[r] = extent[r];
    }
    TRY(hdf5_name_file(error, side_open(&sides[1], verdict->path, &rank, extent, error), sides[1].path));
    bool same_shape = rank == verdict->rank;
    for (int r = 0; same_shape && r < rank; r++) {
        same_shape = extent[r] == verdict->extent[r];
    }
    if (!same_shape) {
        verdict->obstacle = OBSTACLE_SHAPE;
    } else if (!comparable(sides[0].type, sides[1].type)) {
        verdict->obstacle = OBSTACLE_TYPE;
    } else {
        return compare_numbers(verdict, sides, max_error, error);
    }
    verdict->different = true;
    return PW_OK;
}

/* ---- two files --------------------------------------------------------------------------------------------------- */

static pw_status compare_open_files(struct verdicts *list, struct side sides[2], pw_error *error)
{
    for (int s = 0; s < 2; s++) {
        TRY(hdf5_name_file(error, collect(list, sides[s].file, "", 0, s == 1, error), sides[s].path));
    }
    for (size_t n = 0; n < list->count; n++) {
        pw_status status = compare_dataset(&list->entry[n], sides, list->max_error, error);
        side_close_dataset(&sides[0]);
        side_close_dataset(&sides[1]);
        TRY(status);
    }
    return PW_OK;
}

static pw_status compare_files(struct verdicts *list, pw_error *error)
{
    struct side sides[2];
    pw_status status = PW_OK;
    for (int s = 0; s < 2; s++) {
        sides[s] = (struct side){.path = s == 0 ? list->path_a : list->path_b,
                                 .file = H5I_INVALID_HID,
                                 .dataset = H5I_INVALID_HID,
                                 .type = H5I_INVALID_HID};
        if (status == PW_OK) {
            status = result_file_open(sides[s].path, &sides[s].file, &sides[s].bytes, error);
            status = hdf5_name_file(error, status, sides[s].path);
        }
    }
    if (status == PW_OK) {
        status = compare_open_files(list, sides, error);
    }
    for (int s = 0; s < 2; s++) {
        if (sides[s].file >= 0) {
            H5Fclose(sides[s].file);
        }
    }
    return status;
}

pw_status pw_compare(const char *path_a, const char *path_b, double max_error, bool json, void *stream, pw_error *error)
{
    if (!(max_error >= 0)) {
        return fail(error, PW_USAGE, "pw_compare: max_error is %g; it must be 0 (identical bits) or more", max_error);
    }
    struct verdicts list = {.path_a = path_a, .path_b = path_b, .max_error = max_error};
    struct hdf5_silence silence = hdf5_silence();
    pw_status status = compare_files(&list, error);
    hdf5_restore(silence);
    bool different = false;
    for (size_t n = 0; n < list.count; n++) {
        different = different || list.entry[n].different;
    }
    if (status == PW_OK) {
        (json ? compare_print_json : compare_print_text)(&list, stream);
        status = ferror((FILE *)stream) != 0 ? fail(error, PW_NO_RESOURCE, "cannot write the comparison") : PW_OK;
    }
    free(list.entry);
    if (status == PW_OK && different) {
        return fail(error, PW_DIFFERENT, "'%s' and '%s' differ by more than allowed", path_a, path_b);
    }
    return status;
}
