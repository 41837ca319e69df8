/* Checked HDF5 calls for the result file: attributes, datasets, dimension scales, and errors that carry HDF5's own
 * reason. Knows types, ranks and extents, but not what a result consists of. */
#include "file/hdf5_read.h"

#include <hdf5_hl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_LIMIT = 64 << 20, TYPE_LIMIT = 1024 };

/* ---- errors ------------------------------------------------------------------------------------------------------ */

/* HDF5 1.10 loses track of its own objects when metadata is damaged, and its clean-up at exit then prints or crashes.
 * Nothing of ours is left to it: every file is closed by hand. Without effect when HDF5 is already in use by the host
 * program. */
struct hdf5_silence hdf5_silence(void)
{
    H5dont_atexit();
    struct hdf5_silence silence = {NULL, NULL};
    H5Eget_auto2(H5E_DEFAULT, &silence.function, &silence.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return silence;
}

void hdf5_restore(struct hdf5_silence silence)
{
    H5Eset_auto2(H5E_DEFAULT, silence.function, silence.data);
}

/* Upward walks start where the error was found: the first message is the most specific. */
static herr_t innermost(unsigned index, const H5E_error2_t *entry, void *user)
{
    if (index == 0 && entry->desc != NULL) {
        snprintf(user, 400, ": %s", entry->desc);
    }
    return 0;
}

pw_status hdf5_fail(pw_error *error, pw_status status, const char *format, ...)
{
    char what[400], reason[400] = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, reason);
    return fail(error, status, "%s%s", what, reason);
}

pw_status hdf5_name_file(pw_error *error, pw_status status, const char *path)
{
    if (status != PW_OK && error != NULL) {
        pw_error inner = *error;
        snprintf(error->message, sizeof error->message, "%.400s: %.600s", path, inner.message);
    }
    return status;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* Variable-length UTF-8, which h5py hands out as str. */
static hid_t text_type(void)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

/* count 0 makes a scalar. */
static pw_status attribute_write(hid_t object, const char *name, hid_t file_type, hid_t memory_type, size_t count,
                                 const void *values, pw_error *error)
{
    hsize_t extent = count;
    hid_t space = count > 0 ? H5Screate_simple(1, &extent, NULL) : H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(object, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
    pw_status status = PW_OK;
    if (attribute < 0 || H5Awrite(attribute, memory_type, values) < 0) {
        status = hdf5_fail(error, PW_NO_RESOURCE, "cannot write attribute '%s'", name);
    }
    if (attribute >= 0 && H5Aclose(attribute) < 0 && status == PW_OK) {
        status = hdf5_fail(error, PW_NO_RESOURCE, "cannot close attribute '%s'", name);
    }
    H5Sclose(space);
    return status;
}

pw_status hdf5_write_text(hid_t object, const char *name, const char *text, pw_error *error)
{
    hid_t type = text_type();
    pw_status status = attribute_write(object, name, type, type, 0, &text, error);
    H5Tclose(type);
    return status;
}

pw_status hdf5_write_fixed_text(hid_t object, const char *name, const char *text, pw_error *error)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, strlen(text) + 1);
    H5Tset_cset(type, H5T_CSET_UTF8);
    pw_status status = attribute_write(object, name, type, type, 0, text, error);
    H5Tclose(type);
    return status;
}

pw_status hdf5_write_texts(hid_t object, const char *name, char *const *texts, size_t count, pw_error *error)
{
    if (count == 0) { /* HDF5 has no attribute of no elements that every reader accepts */
        return PW_OK;
    }
    hid_t type = text_type();
    pw_status status = attribute_write(object, name, type, type, count, texts, error);
    H5Tclose(type);
    return status;
}

pw_status hdf5_write_number(hid_t object, const char *name, double value, pw_error *error)
{
    return attribute_write(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 0, &value, error);
}

pw_status hdf5_write_numbers(hid_t object, const char *name, const double *values, size_t count, pw_error *error)
{
    return attribute_write(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, count, values, error);
}

pw_status hdf5_write_integer(hid_t object, const char *name, int64_t value, pw_error *error)
{
    return attribute_write(object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, 0, &value, error);
}

hid_t hdf5_group_create(hid_t parent, const char *name, pw_error *error)
{
    hid_t list = H5Pcreate(H5P_GROUP_CREATE);
    hid_t group = H5I_INVALID_HID;
    if (list < 0 || H5Pset_link_creation_order(list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED) < 0 ||
        H5Pset_obj_track_times(list, false) < 0 ||
        (group = H5Gcreate2(parent, name, H5P_DEFAULT, list, H5P_DEFAULT)) < 0) {
        hdf5_fail(error, PW_NO_RESOURCE, "cannot create group '%s'", name);
    }
    H5Pclose(list);
    return group;
}

/* No time stamps, so that two equal runs give equal datasets; no fill, since every element is written. */
static hid_t dataset_list(const struct layout *layout)
{
    hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    bool good = list >= 0 && H5Pset_obj_track_times(list, false) >= 0;
    if (good && layout->chunk[0] > 0) {
        good = H5Pset_chunk(list, layout->rank, layout->chunk) >= 0;
        if (good && layout->compress && H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) {
            good = H5Pset_deflate(list, 1) >= 0;
        }
    }
    good = good && H5Pset_fill_time(list, H5D_FILL_TIME_NEVER) >= 0;
    if (!good) {
        H5Pclose(list);
        return H5I_INVALID_HID;
    }
    return list;
}

hid_t hdf5_dataset_create(hid_t parent, const struct layout *layout, pw_error *error)
{
    hid_t list = dataset_list(layout);
    hid_t space = layout->rank > 0 ? H5Screate_simple(layout->rank, layout->extent, NULL) : H5Screate(H5S_SCALAR);
    hid_t dataset = list < 0 ? H5I_INVALID_HID
                             : H5Dcreate2(parent, layout->name, layout->type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    if (dataset < 0) {
        hdf5_fail(error, PW_NO_RESOURCE, "cannot create dataset '%s'", layout->name);
    } else if (hdf5_write_text(dataset, "units", layout->units, error) != PW_OK ||
               hdf5_write_text(dataset, "long_name", layout->long_name, error) != PW_OK) {
        H5Dclose(dataset);
        dataset = H5I_INVALID_HID;
    }
    H5Sclose(space);
    H5Pclose(list);
    return dataset;
}

pw_status hdf5_dataset_write(hid_t parent, const struct layout *layout, hid_t memory_type, const void *values,
                             pw_error *error)
{
    hid_t dataset = hdf5_dataset_create(parent, layout, error);
    if (dataset < 0) {
        return PW_NO_RESOURCE;
    }
    pw_status status = PW_OK;
    if (H5Dwrite(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) {
        status = hdf5_fail(error, PW_NO_RESOURCE, "cannot write dataset '%s'", layout->name);
    }
    if (H5Dclose(dataset) < 0 && status == PW_OK) {
        status = hdf5_fail(error, PW_NO_RESOURCE, "cannot close dataset '%s'", layout->name);
    }
    return status;
}

/* The selected part of a dataset's space, and a memory space of the same shape. */
static bool block_spaces(hid_t dataset, const hsize_t *start, const hsize_t *count, hid_t *file_space,
                         hid_t *memory_space)
{
    *file_space = H5Dget_space(dataset);
    int rank = *file_space < 0 ? -1 : H5Sget_simple_extent_ndims(*file_space);
    if (rank == 0) {
        *memory_space = H5Screate(H5S_SCALAR);
        return *memory_space >= 0;
    }
    *memory_space = rank < 0 ? H5I_INVALID_HID : H5Screate_simple(rank, count, NULL);
    return *memory_space >= 0 && H5Sselect_hyperslab(*file_space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0;
}

pw_status hdf5_block_write(hid_t dataset, const hsize_t *start, const hsize_t *count, hid_t memory_type,
                           const void *values, pw_error *error)
{
    hid_t file_space, memory_space;
    pw_status status = PW_OK;
    if (!block_spaces(dataset, start, count, &file_space, &memory_space) ||
        H5Dwrite(dataset, memory_type, memory_space, file_space, H5P_DEFAULT, values) < 0) {
        status = hdf5_fail(error, PW_NO_RESOURCE, "cannot write a block of a dataset");
    }
    H5Sclose(memory_space);
    H5Sclose(file_space);
    return status;
}

pw_status hdf5_scale_attach(hid_t dataset, unsigned dimension, hid_t parent, const char *scale, pw_error *error)
{
    hid_t axis = H5Dopen2(parent, scale, H5P_DEFAULT);
    pw_status status = PW_OK;
    const char *last = strrchr(scale, '/');
    if (axis < 0 || (H5DSis_scale(axis) == 0 && H5DSset_scale(axis, last != NULL ? last + 1 : scale) < 0) ||
        H5DSattach_scale(dataset, axis, dimension) < 0) {
        status = hdf5_fail(error, PW_NO_RESOURCE, "cannot attach the dimension scale '%s'", scale);
    }
    H5Dclose(axis);
    return status;
}

hid_t hdf5_complex_type(hid_t real)
{
    size_t size = H5Tget_size(real);
    hid_t type = H5Tcreate(H5T_COMPOUND, 2 * size);
    if (type >= 0 && (H5Tinsert(type, "r", 0, real) < 0 || H5Tinsert(type, "i", size, real) < 0)) {
        H5Tclose(type);
        return H5I_INVALID_HID;
    }
    return type;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

bool hdf5_member_exists(hid_t parent, const char *name)
{
    return H5Lexists(parent, name, H5P_DEFAULT) > 0;
}

bool hdf5_attribute_exists(hid_t object, const char *name)
{
    return H5Aexists(object, name) > 0;
}

hid_t hdf5_group_open(hid_t parent, const char *name, pw_error *error)
{
    hid_t group = H5Gopen2(parent, name, H5P_DEFAULT);
    if (group < 0) {
        hdf5_fail(error, PW_BAD_INPUT, "no group '%s'", name);
    }
    return group;
}

/* Opens an attribute of `count` elements (0: scalar, or an array of one). */
static hid_t attribute_open(hid_t object, const char *name, size_t count, pw_error *error)
{
    hid_t attribute = hdf5_attribute_exists(object, name) ? H5Aopen(object, name, H5P_DEFAULT) : H5I_INVALID_HID;
    if (attribute < 0) {
        hdf5_fail(error, PW_BAD_INPUT, "no attribute '%s'", name);
        return attribute;
    }
    hid_t space = H5Aget_space(attribute);
    hssize_t elements = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);
    H5Sclose(space);
    if (elements != (hssize_t)(count > 0 ? count : 1)) {
        fail(error, PW_BAD_INPUT, "attribute '%s' has %lld elements, not %zu", name, (long long)elements,
             count > 0 ? count : 1);
        H5Aclose(attribute);
        return H5I_INVALID_HID;
    }
    return attribute;
}

static pw_status read_fixed_text(hid_t attribute, const char *name, hid_t type, char **text, pw_error *error)
{
    size_t size = H5Tget_size(type);
    if (size == 0 || size > TEXT_LIMIT) {
        return fail(error, PW_BAD_INPUT, "attribute '%s' has %zu characters, more than %d", name, size, TEXT_LIMIT);
    }
    *text = allocate(size + 1, 1, "an attribute", error);
    if (*text == NULL) {
        return PW_NO_RESOURCE;
    }
    if (H5Aread(attribute, type, *text) < 0) {
        free(*text);
        *text = NULL;
        return hdf5_fail(error, PW_BAD_INPUT, "cannot read attribute '%s'", name);
    }
    return PW_OK;
}

static pw_status read_variable_text(hid_t attribute, const char *name, hid_t type, char **text, pw_error *error)
{
    char *inside = NULL;
    if (H5Aread(attribute, type, &inside) < 0 || inside == NULL) {
        return hdf5_fail(error, PW_BAD_INPUT, "cannot read attribute '%s'", name);
    }
    size_t length = strlen(inside);
    *text = allocate(length + 1, 1, "an attribute", error);
    if (*text != NULL) {
        memcpy(*text, inside, length + 1);
    }
    H5free_memory(inside);
    return *text != NULL ? PW_OK : PW_NO_RESOURCE;
}

pw_status hdf5_read_text(hid_t object, const char *name, char **text, pw_error *error)
{
    hid_t attribute = attribute_open(object, name, 0, error);
    if (attribute < 0) {
        return PW_BAD_INPUT;
    }
    hid_t type = H5Aget_type(attribute);
    pw_status status;
    if (type < 0 || H5Tget_class(type) != H5T_STRING) {
        status = fail(error, PW_BAD_INPUT, "attribute '%s' is not a text", name);
    } else if (H5Tis_variable_str(type) > 0) {
        status = read_variable_text(attribute, name, type, text, error);
    } else {
        status = read_fixed_text(attribute, name, type, text, error);
    }
    H5Tclose(type);
    H5Aclose(attribute);
    return status;
}

pw_status hdf5_read_numbers(hid_t object, const char *name, double *values, size_t count, pw_error *error)
{
    hid_t attribute = attribute_open(object, name, count, error);
    if (attribute < 0) {
        return PW_BAD_INPUT;
    }
    hid_t type = H5Aget_type(attribute);
    pw_status status = PW_OK;
    enum element element = hdf5_element_of(type);
    if (element != ELEMENT_REAL && element != ELEMENT_INTEGER) {
        status = fail(error, PW_BAD_INPUT, "attribute '%s' is not a number", name);
    } else if (H5Aread(attribute, H5T_NATIVE_DOUBLE, values) < 0) {
        status = hdf5_fail(error, PW_BAD_INPUT, "cannot read attribute '%s'", name);
    }
    for (size_t n = 0; status == PW_OK && n < (count > 0 ? count : 1); n++) {
        if (!isfinite(values[n])) {
            status = fail(error, PW_BAD_INPUT, "attribute '%s' is not a finite number", name);
        }
    }
    H5Tclose(type);
    H5Aclose(attribute);
    return status;
}

pw_status hdf5_read_integer(hid_t object, const char *name, int64_t minimum, int64_t maximum, int64_t *value,
                            pw_error *error)
{
    double number;
    TRY(hdf5_read_numbers(object, name, &number, 0, error));
    if (!(number >= (double)minimum && number <= (double)maximum) || number != floor(number)) {
        return fail(error, PW_BAD_INPUT, "attribute '%s' is %g, not an integer in %lld..%lld", name, number,
                    (long long)minimum, (long long)maximum);
    }
    *value = (int64_t)number;
    return PW_OK;
}

static bool is_complex_type(hid_t type)
{
    if (H5Tget_nmembers(type) != 2) {
        return false;
    }
    static const char *const expected[2] = {"r", "i"};
    bool good = true;
    for (unsigned m = 0; m < 2; m++) {
        char *name = H5Tget_member_name(type, m);
        good = good && name != NULL && strcmp(name, expected[m]) == 0 && H5Tget_member_class(type, m) == H5T_FLOAT;
        H5free_memory(name);
    }
    return good;
}

enum element hdf5_element_of(hid_t type)
{
    if (type < 0 || H5Tget_size(type) == 0 || H5Tget_size(type) > TYPE_LIMIT) {
        return ELEMENT_OTHER;
    }
    switch (H5Tget_class(type)) {
    case H5T_FLOAT:
        return ELEMENT_REAL;
    case H5T_INTEGER:
        return ELEMENT_INTEGER;
    case H5T_COMPOUND:
        return is_complex_type(type) ? ELEMENT_COMPLEX : ELEMENT_OTHER;
    default:
        return ELEMENT_OTHER;
    }
}

pw_status hdf5_extent_check(hid_t dataset, const char *name, int rank, const hsize_t *extent, size_t size,
                            uint64_t file_bytes, pw_error *error)
{
    hid_t list = H5Dget_create_plist(dataset);
    /* deflate cannot shrink by more than about 1032; an extent beyond that is damage, not data */
    double factor = list >= 0 && H5Pget_nfilters(list) > 0 ? 1100 : 1;
    H5Pclose(list);
    double bytes = (double)size;
    for (int r = 0; r < rank; r++) {
        bytes *= (double)extent[r];
    }
    double stored = (double)H5Dget_storage_size(dataset) * factor;
    if (bytes <= 0 || bytes > stored || bytes > (double)file_bytes * factor) {
        return fail(error, PW_BAD_INPUT,
                    "dataset '%s' claims %.0f bytes of data, but the file of %llu bytes does not hold them", name,
                    bytes, (unsigned long long)file_bytes);
    }
    return PW_OK;
}

static pw_status dataset_check(hid_t dataset, const char *name, enum element element, int rank, uint64_t file_bytes,
                               hsize_t *extent, pw_error *error)
{
    hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    size_t size = type < 0 ? 0 : H5Tget_size(type);
    pw_status status = PW_OK;
    if (hdf5_element_of(type) != element) {
        status = fail(error, PW_BAD_INPUT, "dataset '%s' has the wrong type of element", name);
    } else if (space < 0 || H5Sget_simple_extent_ndims(space) != rank ||
               H5Sget_simple_extent_dims(space, extent, NULL) != rank) {
        status = fail(error, PW_BAD_INPUT, "dataset '%s' does not have %d dimension(s)", name, rank);
    } else {
        status = hdf5_extent_check(dataset, name, rank, extent, size, file_bytes, error);
    }
    H5Sclose(space);
    H5Tclose(type);
    return status;
}

hid_t hdf5_dataset_open(hid_t parent, const char *name, enum element element, int rank, uint64_t file_bytes,
                        hsize_t *extent, pw_error *error)
{
    hid_t dataset = H5Dopen2(parent, name, H5P_DEFAULT);
    if (dataset < 0) {
        hdf5_fail(error, PW_BAD_INPUT, "no dataset '%s'", name);
    } else if (dataset_check(dataset, name, element, rank, file_bytes, extent, error) != PW_OK) {
        H5Dclose(dataset);
        return H5I_INVALID_HID;
    }
    return dataset;
}

/* HDF5 converts compounds member by member, several times slower than the disk. Where floats {r, i} are to become
 * doubles, it reads floats and the widening is done here. */
static bool widening_helps(hid_t dataset, hid_t type)
{
    hid_t single = hdf5_complex_type(H5T_NATIVE_FLOAT), twice = hdf5_complex_type(H5T_NATIVE_DOUBLE);
    hid_t stored = H5Dget_type(dataset);
    bool helps = stored >= 0 && H5Tequal(stored, single) > 0 && H5Tequal(type, twice) > 0;
    H5Tclose(stored);
    H5Tclose(twice);
    H5Tclose(single);
    return helps;
}

/* `count` floats at the start of `values` become as many doubles; from the end on, so that none is overwritten before
 * it is read. */
static void widen(void *values, uint64_t count)
{
    for (uint64_t n = count; n-- > 0;) {
        float narrow;
        memcpy(&narrow, (const char *)values + n * sizeof narrow, sizeof narrow);
        double wide = narrow;
        memcpy((char *)values + n * sizeof wide, &wide, sizeof wide);
    }
}

pw_status hdf5_block_read_as(hid_t dataset, const char *name, const hsize_t *start, const hsize_t *count, hid_t type,
                             void *out, pw_error *error)
{
    hid_t file_space, memory_space;
    bool widening = widening_helps(dataset, type);
    hid_t read_type = widening ? hdf5_complex_type(H5T_NATIVE_FLOAT) : H5Tcopy(type);
    pw_status status = PW_OK;
    if (!block_spaces(dataset, start, count, &file_space, &memory_space) ||
        H5Dread(dataset, read_type, memory_space, file_space, H5P_DEFAULT, out) < 0) {
        status = hdf5_fail(error, PW_BAD_INPUT, "cannot read dataset '%s'", name);
    } else if (widening) {
        widen(out, 2 * (uint64_t)H5Sget_simple_extent_npoints(memory_space));
    }
    H5Tclose(read_type);
    H5Sclose(memory_space);
    H5Sclose(file_space);
    return status;
}

pw_status hdf5_block_read(hid_t dataset, const char *name, const hsize_t *start, const hsize_t *count, bool is_complex,
                          double *out, pw_error *error)
{
    hid_t type = is_complex ? hdf5_complex_type(H5T_NATIVE_DOUBLE) : H5Tcopy(H5T_NATIVE_DOUBLE);
    pw_status status = hdf5_block_read_as(dataset, name, start, count, type, out, error);
    H5Tclose(type);
    return status;
}

pw_status hdf5_group_names(hid_t group, int limit, char (**names)[NAME_SIZE], int *count, pw_error *error)
{
    H5G_info_t info;
    if (H5Gget_info(group, &info) < 0) {
        return hdf5_fail(error, PW_BAD_INPUT, "cannot list a group");
    }
    if (info.nlinks > (hsize_t)limit) {
        return fail(error, PW_BAD_INPUT, "a group has %llu members, more than %d", (unsigned long long)info.nlinks,
                    limit);
    }
    *names = allocate((size_t)info.nlinks, sizeof **names, "names", error);
    if (*names == NULL) {
        return PW_NO_RESOURCE;
    }
    hid_t list = H5Gget_create_plist(group);
    unsigned order = 0;
    H5_index_t index =
        list >= 0 && H5Pget_link_creation_order(list, &order) >= 0 && (order & H5P_CRT_ORDER_TRACKED) != 0
            ? H5_INDEX_CRT_ORDER
            : H5_INDEX_NAME;
    H5Pclose(list);
    for (hsize_t n = 0; n < info.nlinks; n++) {
        ssize_t length = H5Lget_name_by_idx(group, ".", index, H5_ITER_INC, n, (*names)[n], NAME_SIZE, H5P_DEFAULT);
        if (length <= 0 || length >= NAME_SIZE) {
            free(*names);
            *names = NULL;
            return hdf5_fail(error, PW_BAD_INPUT, "a group has a member without a name of 1..%d characters",
                             NAME_SIZE - 1);
        }
    }
    *count = (int)info.nlinks;
    return PW_OK;
}
